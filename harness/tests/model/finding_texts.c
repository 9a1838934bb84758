#include "tests/model/finding_texts.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"

static bool is_race(kg__finding_kind kind)
{
    return kind == KG__RACE_IN_WARP || kind == KG__RACE_IN_BLOCK || kind == KG__RACE_BETWEEN_BLOCKS;
}

bool is_of_kind(const kg__finding *finding, kg__finding_kind kind)
{
    return finding->kind == kind || (is_race(finding->kind) && is_race(kind));
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
           (!expected->by_host || finding->by_host);
}

const char *fields_of(const kg__finding *finding)
{
    static const char *const accesses[] = { "access", "read", "write", "atomic" };
    static char text[1024];
    const kg__finding_actor *other = &finding->other;
    char where[256];

    if (finding->has_index)
        kg__format(where, sizeof where, "%s[%lld]", finding->symbol, (long long)finding->index);
    else if (finding->symbol == NULL)
        kg__format(where, sizeof where, "0x%llx", (unsigned long long)finding->address);
    else
        kg__format(where, sizeof where, "%s %c %lld of %llu", finding->symbol,
                   finding->offset < 0 ? '-' : '+',
                   (long long)(finding->offset < 0 ? -finding->offset : finding->offset),
                   (unsigned long long)finding->size);
    kg__format(
        text, sizeof text,
        "%s: %s:%u: %s%s %u bytes at %s, block %u %u %u, thread %u %u %u, waiting %u; other: "
        "%s, block %u %u %u, thread %u %u %u, waiting %u; %llu times",
        kg__finding_kind_name(finding->kind), finding->by.file, finding->by.line,
        finding->by_host ? "host " : "", accesses[finding->by.access], finding->bytes, where,
        finding->by.block[0], finding->by.block[1], finding->by.block[2], finding->by.thread[0],
        finding->by.thread[1], finding->by.thread[2], finding->by.waiting, accesses[other->access],
        other->block[0], other->block[1], other->block[2], other->thread[0], other->thread[1],
        other->thread[2], other->waiting, (unsigned long long)finding->count);
    return text;
}

const char *findings_of(const kg__model_report *report)
{
    static char text[8192];

    kg__format(text, sizeof text, "%s", report->finding_count == 0 ? "none" : "");
    for (size_t i = 0; i < report->finding_count; i++) {
        size_t used = strlen(text);

        kg__format(text + used, sizeof text - used, "\n  %s", fields_of(&report->findings[i]));
    }
    return text;
}
