/* The reader of results, and all that is made of a document that it takes. */
#include "results/results.h"
#include "results/results_read.h"

#include <string.h>

#include "base/json.h"
#include "records/records.h"
#include "report/annotations.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("results.json", input, size);
    const kg__annotated_tree tree = { ".", "" };
    kg__error error = { "" };
    json_t *results = kg__results_load(path, &error);

    require_error(results == NULL, &error);
    if (results == NULL)
        return 0;
    require(kg__results_write_junit(path_of("junit.xml"), results, &error), error.text);
    require(kg__results_write_summary(path_of("summary.md"), results, &error), error.text);
    kg__results_print(nowhere(), results);
    kg__annotations_print(nowhere(), results, &tree);
    (void)kg__results_exit_code(results);
    report(results);
    json_decref(results);
    return 0;
}
