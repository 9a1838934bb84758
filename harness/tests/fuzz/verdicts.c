/* The reader of a test's verdicts, and the run that is summed up from them: whatever a test left,
 * the results can be written and read again. */
#include <string.h>

#include "base/exit_code.h"
#include "report/report.h"
#include "results/merge.h"
#include "results/results_describe.h"
#include "results/results_tally.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void sum_up(bool strict, bool readable)
{
    kg__error error = { "" };
    kg__pool pool = { 0 };
    kg__results *results = kg__results_merge(&pool, path_of(""), strict, NULL, &error);
    kg__report report = { .sources = "." };
    int64_t code;

    require(results != NULL, error.text);
    code = results->exit_code;
    require(code == KG__EXIT_PASS || code == KG__EXIT_FAIL || code == KG__EXIT_ERROR ||
                code == KG__EXIT_NOTHING,
            "a run ends with a code that is documented");
    require(readable || code == KG__EXIT_ERROR, "verdicts that cannot be read are an error");
    kg__results_describe(results);
    require(kg__results_save(results, path_of("results.json"), &error), error.text);
    report.results = results;
    kg__console_write(&report, nowhere());
    require(kg__results_load(&pool, path_of("results.json"), &error) != NULL, error.text);
    kg__pool_free(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("records/gpu.fuzz.time.verdicts.json", input, size);
    kg__error error = { "" };
    json_t *verdicts = kg__verdicts_load_json(path, &error);
    bool readable = verdicts != NULL;
    kg__tally tally = { 0 };

    require_error(!readable, &error);
    if (readable)
        kg__verdicts_tally(verdicts, &tally);
    json_decref(verdicts);
    sum_up(size % 2 == 0, readable);
    return 0;
}
