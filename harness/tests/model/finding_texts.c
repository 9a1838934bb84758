/* SPDX-License-Identifier: MIT */
#include "tests/model/finding_texts.h"

#include <string.h>

#include "base/message.h"
#include "records/finding_text.h"

static bool is_race(kg__finding_kind kind)
{
    return kind == KG__RACE_IN_WARP || kind == KG__RACE_IN_BLOCK || kind == KG__RACE_BETWEEN_BLOCKS;
}

bool is_of_kind(const kg__finding *finding, kg__finding_kind kind)
{
    return finding->kind == kind || (is_race(finding->kind) && is_race(kind));
}

/* Whether a text is as expected, where one is. */
static bool has_text(const char *text, const char *expected)
{
    return expected == NULL || (text != NULL && strcmp(text, expected) == 0);
}

bool is_as_expected(const kg__finding *finding, const kg__finding *expected)
{
    return is_of_kind(finding, expected->kind) &&
           (expected->symbol == NULL ||
            (finding->symbol != NULL && strcmp(finding->symbol, expected->symbol) == 0)) &&
           (expected->size == 0 ||
            (finding->size == expected->size && finding->offset == expected->offset)) &&
           (expected->by.access == KG__NO_ACCESS || finding->by.access == expected->by.access) &&
           (expected->bytes == 0 || finding->bytes == expected->bytes) &&
           (expected->by.waiting == 0 || finding->by.waiting == expected->by.waiting) &&
           (expected->count == 0 || finding->count == expected->count) &&
           (!expected->has_index || (finding->has_index && finding->index == expected->index)) &&
           (!expected->by_host || finding->by_host) &&
           (!expected->lacks_acquire || finding->lacks_acquire) &&
           (expected->absent == 0 || finding->absent == expected->absent) &&
           (expected->space == KG__UNKNOWN_SPACE || finding->space == expected->space) &&
           has_text(finding->function, expected->function) &&
           has_text(finding->on_gpu, expected->on_gpu) &&
           has_text(finding->on_cpu, expected->on_cpu);
}

const char *findings_of(const kg__model_report *report)
{
    static char text[8192];

    kg__format(text, sizeof text, "%s", report->finding_count == 0 ? "none" : "");
    for (size_t i = 0; i < report->finding_count; i++) {
        char line[KG__MESSAGE_SIZE];

        kg__finding_line(&report->findings[i], line, sizeof line);
        kg__append(text, sizeof text, "\n  %s", line);
    }
    return text;
}
