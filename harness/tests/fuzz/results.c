/* The reader of results, and the words that are added to what it takes: what was read
 * is written, and read again as the same. */
#include <stdlib.h>
#include <string.h>

#include "results/results.h"
#include "results/results_describe.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static char *text_of(const kg__results *results)
{
    json_t *document = kg__results_json(results);
    char *text = json_dumps(document, 0);

    json_decref(document);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("results.json", input, size);
    kg__pool pool = { 0 };
    kg__error error = { "" };
    kg__results *results = kg__results_load(&pool, path, &error);
    kg__results *again;
    char *first;
    char *second;

    require_error(results == NULL, &error);
    if (results == NULL) {
        kg__pool_free(&pool);
        return 0;
    }
    kg__results_describe(results);
    require(kg__results_save(results, path_of("described.json"), &error), error.text);
    again = kg__results_load(&pool, path_of("described.json"), &error);
    require(again != NULL, error.text);
    kg__results_describe(again);
    first = text_of(results);
    second = text_of(again);
    require(strcmp(first, second) == 0, "what is written is read as the same");
    free(first);
    free(second);
    kg__pool_free(&pool);
    return 0;
}
