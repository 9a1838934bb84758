/* SPDX-License-Identifier: MIT */
/* The baseline reader: what it takes keeps the rules of a baseline, and is found again. */
#include "baseline/baseline.h"

#include <string.h>

#include "baseline/baseline_rules.h"
#include "suite/id_parts.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void check_metrics(const kg__baseline_case *entry, bool model)
{
    for (size_t i = 0; i < entry->metric_count; i++) {
        require(kg__metric_fault(&entry->metrics[i], model) == NULL, entry->id);
        require(i == 0 || strcmp(entry->metrics[i - 1].name, entry->metrics[i].name) < 0,
                "metrics are sorted, each there once");
    }
}

static void check_cases(const kg__baseline *baseline, const kg__baseline_case *cases, size_t count)
{
    bool sentinels = cases == baseline->sentinels;

    for (size_t i = 0; i < count; i++) {
        const kg__baseline_case *entry = &cases[i];

        require(sentinels ? kg__is_sentinel_name(entry->id) : kg__is_case_id(entry->id), entry->id);
        require(kg__case_fault(entry, sentinels) == NULL, entry->id);
        require(i == 0 || strcmp(cases[i - 1].id, entry->id) < 0, "sorted, each there once");
        require((sentinels ? kg__baseline_sentinel(baseline, entry->id)
                           : kg__baseline_find(baseline, entry->id)) == entry,
                "what is there is found");
        check_metrics(entry, strcmp(baseline->target.key, KG__MODEL_KEY) == 0);
    }
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
    kg__error error = { "" };
    kg__load_status status = kg__baseline_load(path, &baseline, &error);

    require(status != KG__ABSENT, "the file is there");
    require_error(status == KG__BAD, &error);
    if (status == KG__LOADED) {
        check_cases(&baseline, baseline.sentinels, baseline.sentinel_count);
        check_cases(&baseline, baseline.cases, baseline.case_count);
    }
    kg__baseline_free(&baseline);
    return 0;
}
