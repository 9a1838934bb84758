/* SPDX-License-Identifier: MIT */
/* The reader of a test's verdicts: what was read is written, and read again as the same. */
#include "results/verdicts.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static json_t *save(const kg__verdicts *verdicts, const char *path)
{
    kg__error error = { "" };
    json_t *written;

    require(kg__verdicts_save(verdicts, path, &error), error.text);
    written = json_load_file(path, 0, NULL);
    require(written != NULL, "what is written is JSON");
    return written;
}

static void read_again(const kg__verdicts *verdicts)
{
    kg__pool pool = { 0 };
    kg__error error = { "" };
    json_t *written = save(verdicts, path_of("again.json"));
    const kg__verdicts *again = kg__verdicts_load(&pool, path_of("again.json"), &error);
    json_t *rewritten;

    require(again != NULL, error.text);
    rewritten = save(again, path_of("again.json"));
    require(json_equal(written, rewritten), "verdicts are read again as they were written");
    json_decref(rewritten);
    json_decref(written);
    kg__pool_free(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("gpu.fuzz.time.verdicts.json", input, size);
    kg__pool pool = { 0 };
    kg__error error = { "" };
    const kg__verdicts *verdicts = kg__verdicts_load(&pool, path, &error);

    require_error(verdicts == NULL, &error);
    if (verdicts != NULL)
        read_again(verdicts);
    kg__pool_free(&pool);
    return 0;
}
