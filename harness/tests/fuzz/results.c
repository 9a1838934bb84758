/* The reader of results, the console, and the words that are added to a document that it takes. */
#include "results/results.h"
#include "results/results_describe.h"
#include "results/results_read.h"

#include "report/report.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("results.json", input, size);
    kg__error error = { "" };
    json_t *results = kg__results_load(path, &error);

    require_error(results == NULL, &error);
    if (results == NULL)
        return 0;
    kg__console_write(&(kg__report){ .results = results, .detail = KG__VERBOSE, .sources = "." },
                      nowhere());
    (void)kg__results_exit_code(results);
    kg__results_describe(results);
    require(kg__results_write_json(path_of("described.json"), results, 1, &error), error.text);
    json_decref(results);
    results = kg__results_load(path_of("described.json"), &error);
    require(results != NULL, error.text);
    json_decref(results);
    return 0;
}
