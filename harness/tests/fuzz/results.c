/* The reader of results, and all that is made of a document that it takes. */
#include "results/results.h"
#include "results/results_read.h"

#include <string.h>

#include "base/json.h"
#include "records/records.h"
#include "report/report.h"
#include "report/report_table.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* The table of the comparison and the target of the first case. */
static void report(const json_t *results)
{
    const json_t *first = json_array_get(json_object_get(results, "cases"), 0);
    char comparison[KG__REPORT_NAME_SIZE];
    kg__report_table table;
    kg__error error = { "" };

    kg__format(comparison, sizeof comparison, "%.*s",
               (int)strcspn(kg__json_text(first, "case"), "/"), kg__json_text(first, "case"));
    if (kg__report_table_make(results, comparison, kg__json_text(first, "target"), &table,
                              &error)) {
        kg__report_write_markdown(nowhere(), &table);
        kg__report_write_csv(nowhere(), &table, 1);
    } else {
        require(error.text[0] != '\0', "what cannot be a table is told why");
    }
    kg__report_table_free(&table);
}

/* CSV alone refuses ids that are not a case's; the page is left out, for it takes too long. */
static void print(const json_t *results)
{
    kg__report made = { .results = results, .detail = KG__VERBOSE, .sources = ".", .prefix = "" };

    for (const kg__printer *printer = kg__printers; printer->name != NULL; printer++) {
        if (strcmp(printer->name, "html") != 0)
            require(printer->write(&made, nowhere()) || strcmp(printer->name, "csv") == 0,
                    printer->name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("results.json", input, size);
    kg__error error = { "" };
    json_t *results = kg__results_load(path, &error);

    require_error(results == NULL, &error);
    if (results == NULL)
        return 0;
    print(results);
    (void)kg__results_exit_code(results);
    report(results);
    json_decref(results);
    return 0;
}
