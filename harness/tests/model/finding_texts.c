#include "tests/model/finding_texts.h"

#include <stdio.h>

const char *kind_name(kg__model_finding_kind kind)
{
    static const char *const names[] = {
        [KG__MODEL_OUT_OF_BOUNDS] = "out of bounds",
        [KG__MODEL_AFTER_FREE] = "after free",
        [KG__MODEL_NEVER_WRITTEN] = "never written",
        [KG__MODEL_RACE] = "race",
        [KG__MODEL_DIVERGENT_BARRIER] = "divergent barrier",
        [KG__MODEL_MISALIGNED] = "misaligned",
        [KG__MODEL_HOST_ACCESS] = "host access",
        [KG__MODEL_READ_ONLY] = "read-only",
    };

    return names[kind];
}

const char *findings_of(const kg__model_report *report)
{
    static char text[8192];
    size_t used = 0;

    for (size_t i = 0; i < report->finding_count && used < sizeof text; i++) {
        const kg__model_finding *one = &report->findings[i];
        int length = snprintf(text + used, sizeof text - used, "\n  %s: %s:%u: %s; %llu times",
                              kind_name(one->kind), one->file, one->line, one->text,
                              (unsigned long long)one->times);

        used += length > 0 ? (size_t)length : 0;
    }
    return report->finding_count == 0 ? "none" : text;
}
