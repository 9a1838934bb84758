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

const char *fields_of(const kg__finding *one)
{
    static const char *const accesses[] = { "access", "read", "write", "atomic" };
    static char text[1024];
    const kg__finding_actor *other = &one->other;
    char where[256];

    if (one->has_index)
        kg__format(where, sizeof where, "%s[%lld]", one->symbol, (long long)one->index);
    else if (one->symbol == NULL)
        kg__format(where, sizeof where, "0x%llx", (unsigned long long)one->address);
    else
        kg__format(where, sizeof where, "%s %c %lld of %llu", one->symbol,
                   one->offset < 0 ? '-' : '+',
                   (long long)(one->offset < 0 ? -one->offset : one->offset),
                   (unsigned long long)one->size);
    kg__format(
        text, sizeof text,
        "%s: %s:%u: %s%s %u bytes at %s, block %u %u %u, thread %u %u %u, waiting %u; other: "
        "%s, block %u %u %u, thread %u %u %u, waiting %u; %llu times",
        kg__finding_kind_name(one->kind), one->by.file, one->by.line, one->by_host ? "host " : "",
        accesses[one->by.access], one->bytes, where, one->by.block[0], one->by.block[1],
        one->by.block[2], one->by.thread[0], one->by.thread[1], one->by.thread[2], one->by.waiting,
        accesses[other->access], other->block[0], other->block[1], other->block[2],
        other->thread[0], other->thread[1], other->thread[2], other->waiting,
        (unsigned long long)one->count);
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
