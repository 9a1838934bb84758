/* The reader of a test's verdicts, and the run that is summed up from them: whatever a test left,
 * the results can be written and read again. */
#include <string.h>

#include "base/exit_code.h"
#include "results/merge.h"
#include "results/results_describe.h"
#include "results/results_files.h"
#include "results/verdicts.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void sum_up(bool strict, bool readable)
{
    kg__error error = { "" };
    kg__pool pool = { 0 };
    kg__results *results = kg__results_merge(&pool, path_of(""), strict, NULL, &error);
    int64_t code;

    require(results != NULL, error.text);
    code = results->exit_code;
    require(code == KG__EXIT_PASS || code == KG__EXIT_FAIL || code == KG__EXIT_ERROR ||
                code == KG__EXIT_NOTHING,
            "a run ends with a code that is documented");
    require(readable || code == KG__EXIT_ERROR, "verdicts that cannot be read are an error");
    kg__results_describe(results);
    require(kg__results_save(results, path_of("results.json"), &error), error.text);
    require(kg__results_load(&pool, path_of("results.json"), &error) != NULL, error.text);
    kg__pool_free(&pool);
}

/* What was read is written, and read again as the same. */
static void read_again(const kg__verdicts *verdicts)
{
    kg__pool pool = { 0 };
    kg__error error = { "" };
    json_t *written = kg__verdicts_json(verdicts);
    const kg__verdicts *again;
    json_t *rewritten;

    require(kg__verdicts_save(verdicts, path_of("again.json"), &error), error.text);
    again = kg__verdicts_load(&pool, path_of("again.json"), &error);
    require(again != NULL, error.text);
    rewritten = kg__verdicts_json(again);
    require(json_equal(written, rewritten), "verdicts are read again as they were written");
    json_decref(rewritten);
    json_decref(written);
    kg__pool_free(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("records/gpu.fuzz.time.verdicts.json", input, size);
    kg__pool pool = { 0 };
    kg__error error = { "" };
    const kg__verdicts *verdicts = kg__verdicts_load(&pool, path, &error);
    json_t *document = kg__verdicts_load_json(path, NULL);

    require_error(verdicts == NULL, &error);
    require(verdicts == NULL || document != NULL, "what is read has the form of verdicts");
    if (verdicts != NULL)
        read_again(verdicts);
    kg__pool_free(&pool);
    sum_up(size % 2 == 0, document != NULL);
    json_decref(document);
    return 0;
}
