/* The baseline reader: it takes no file that it cannot save and read again to the same effect. */
#include "baseline/baseline.h"

#include <string.h>

#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static bool same_text(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static bool same_metric(const kg__baseline_metric *one, const kg__baseline_metric *other)
{
    bool same = same_text(one->name, other->name) && one->value == other->value &&
                one->band == other->band && one->band_by_hand == other->band_by_hand &&
                one->floor == other->floor && one->gated == other->gated &&
                one->session_count == other->session_count;

    for (size_t i = 0; same && i < one->session_count; i++)
        same = one->sessions[i] == other->sessions[i];
    return same;
}

static bool same_case(const kg__baseline_case *one, const kg__baseline_case *other)
{
    bool same = same_text(one->id, other->id) && same_text(one->commit, other->commit) &&
                kg__kernel_code_equal(one->code, other->code) &&
                kg__lines_equal(one->lines, other->lines) &&
                one->metric_count == other->metric_count;

    for (size_t i = 0; same && i < one->metric_count; i++)
        same = same_metric(&one->metrics[i], &other->metrics[i]);
    return same;
}

static bool same_target(const kg__target *one, const kg__target *other)
{
    return strcmp(one->key, other->key) == 0 && strcmp(one->name, other->name) == 0 &&
           strcmp(one->compute_capability, other->compute_capability) == 0 &&
           one->memory_mib == other->memory_mib && one->multiprocessors == other->multiprocessors &&
           strcmp(one->compiler, other->compiler) == 0;
}

static bool same_baseline(const kg__baseline *one, const kg__baseline *other)
{
    bool same = same_target(&one->target, &other->target) &&
                kg__provenance_equal(&one->provenance, &other->provenance) &&
                one->sentinel_count == other->sentinel_count &&
                one->case_count == other->case_count;

    for (size_t i = 0; same && i < one->sentinel_count; i++)
        same = same_case(&one->sentinels[i], &other->sentinels[i]);
    for (size_t i = 0; same && i < one->case_count; i++)
        same = same_case(&one->cases[i], &other->cases[i]);
    return same;
}

/* A key is the name of its file, so an input is read from the file that it belongs in. */
static const char *name_for(const uint8_t *input, size_t size)
{
    return memmem(input, size, "cpu-model", strlen("cpu-model")) != NULL ? "cpu-model.json"
                                                                         : "nvidia-h200.json";
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input(name_for(input, size), input, size);
    kg__baseline baseline;
    kg__baseline again;
    kg__error error = { "" };
    kg__load_status status = kg__baseline_load(path, &baseline, &error);

    require(status != KG__ABSENT, "the file is there");
    require_error(status == KG__BAD, &error);
    if (status == KG__LOADED) {
        require(kg__baseline_save(path, &baseline, &error), error.text);
        require(kg__baseline_load(path, &again, &error) == KG__LOADED, error.text);
        require(same_baseline(&baseline, &again), "what was saved is what was read");
        kg__baseline_free(&again);
    }
    kg__baseline_free(&baseline);
    return 0;
}
