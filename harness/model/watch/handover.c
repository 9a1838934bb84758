/* SPDX-License-Identifier: MIT */
/* What processes hand over. */
#include "model/watch/handover.h"

#include "base/message.h"
#include "model/watch/races.h"
#include "model/watch/regions.h"
#include "model/watch/requests.h"
#include "model/watch/shadow.h"
#include "model/watch/sites.h"
#include "model/watch/spans.h"

#include <stdlib.h>
#include <string.h>

/* A file has this, then the sites, the spans that were read, those written, and the bytes of these.
 */
typedef struct handover {
    kg__work_of_blocks work;
    uint64_t accesses;
    size_t sites, spans[2];
} handover;

typedef struct site_counts {
    uintptr_t code;
    unsigned int kind;
    uint64_t fresh[KG__SPACES + 1][KG__SITE_FIGURES];
} site_counts;

static uint64_t accesses_at_fork;

void kg__handover_begin(void)
{
    uint64_t thrown_away[2] = { 0, 0 };

    kg__regions_count_unique(thrown_away, NULL);
    kg__sites_weigh(0, 1);
    kg__requests.tracking = true;
    accesses_at_fork = kg__requests.accesses;
}

void kg__handover_write(const kg__work_of_blocks *work, FILE *to)
{
    handover made = { .work = *work, .accesses = kg__requests.accesses - accesses_at_fork };
    uint64_t bytes[2] = { 0, 0 };
    kg__spans spans = { 0 };

    kg__races_settle(true);
    kg__regions_count_unique(bytes, &spans);
    kg__spans_sort(&spans);
    for (const kg__site *site = kg__sites; site != NULL; site = site->next)
        made.sites += kg__site_has_requests(site->fresh);
    for (int i = 0; i < 2; i++)
        made.spans[i] = spans.of[i].count;
    (void)fwrite(&made, sizeof made, 1, to);
    for (const kg__site *site = kg__sites; site != NULL; site = site->next) {
        site_counts counts = { .code = site->code, .kind = site->kind };

        memcpy(counts.fresh, site->fresh, sizeof counts.fresh);
        if (kg__site_has_requests(site->fresh))
            (void)fwrite(&counts, sizeof counts, 1, to);
    }
    for (int i = 0; i < 2; i++)
        (void)fwrite(spans.of[i].list, sizeof(kg__span), spans.of[i].count, to);
    for (size_t i = 0; i < spans.of[1].count; i++) {
        const kg__span *span = &spans.of[1].list[i];

        (void)fwrite((const void *)span->start, 1, span->end - span->start, to);
    }
}

/* What was read from a file, whose bytes of memory are left in it. */
typedef struct received {
    handover made;
    site_counts *sites;
    kg__spans spans;
} received;

static bool receive(received *to, FILE *from)
{
    bool good = fread(&to->made, sizeof to->made, 1, from) == 1;

    if (!good)
        return false;
    to->sites = kg__allocate(to->made.sites + 1, sizeof *to->sites);
    good = fread(to->sites, sizeof *to->sites, to->made.sites, from) == to->made.sites;
    for (int i = 0; i < 2; i++) {
        const size_t count = to->made.spans[i];

        to->spans.of[i].list = kg__allocate(count + 1, sizeof(kg__span));
        to->spans.of[i].count = count;
        good = good && fread(to->spans.of[i].list, sizeof(kg__span), count, from) == count;
    }
    return good;
}

/* Returns whether a process has accessed what another wrote. */
static bool have_met(const received *all, unsigned int count)
{
    kg__spans before = { 0 };
    uintptr_t address;
    bool met = false;

    for (unsigned int i = 0; i < count && !met; i++) {
        const kg__spans *spans = &all[i].spans;

        met = kg__spans_meet(&before, true, spans, true, &address) ||
              kg__spans_meet(&before, true, spans, false, &address) ||
              kg__spans_meet(&before, false, spans, true, &address);
        kg__spans_join(&before, spans);
        kg__spans_sort(&before);
    }
    kg__spans_free(&before);
    return met;
}

/* Notes that the launch has read or written a span of one region or of several. */
static void add_span(const kg__span *span, bool written)
{
    for (uintptr_t at = span->start; at < span->end;) {
        kg__region *region = kg__region_at(at);
        const uintptr_t end = region != NULL ? region->start + region->bytes : 0;
        const size_t bytes = (span->end < end ? span->end : end) - at;

        if (region == NULL || end <= at)
            return;
        kg__requests_mark(region, written, (uint32_t)(at - region->start), (uint32_t)bytes);
        if (written && (region->cells != NULL || region->state == KG__UNTOUCHED))
            kg__shadow_set(region, at, bytes, true);
        at += bytes;
    }
}

static void add(const received *one, FILE *from)
{
    for (size_t i = 0; i < one->made.sites; i++) {
        kg__site *site = kg__site_of(one->sites[i].code);

        site->kind = one->sites[i].kind;
        for (int figure = 0; figure < (KG__SPACES + 1) * KG__SITE_FIGURES; figure++)
            site->fresh[figure / KG__SITE_FIGURES][figure % KG__SITE_FIGURES] +=
                one->sites[i].fresh[figure / KG__SITE_FIGURES][figure % KG__SITE_FIGURES];
    }
    kg__requests.accesses += one->made.accesses;
    for (int how = 0; how < 2; how++) {
        for (size_t i = 0; i < one->spans.of[how].count; i++) {
            const kg__span *span = &one->spans.of[how].list[i];

            if (how == 1 && fread((void *)span->start, 1, span->end - span->start, from) !=
                                span->end - span->start)
                abort(); /* the file is in memory, and its process has written all of it */
            add_span(span, how == 1);
        }
    }
}

bool kg__handover_add(kg__work_of_blocks *work, FILE *const *from, unsigned int count)
{
    received *all = kg__allocate(count, sizeof *all);
    bool good = true;

    for (unsigned int i = 0; i < count && good; i++)
        good = receive(&all[i], from[i]);
    good = good && !have_met(all, count);
    for (unsigned int i = 0; i < count; i++) {
        if (good) {
            add(&all[i], from[i]);
            work->blocks += all[i].made.work.blocks;
            for (int how = 0; how < 2; how++) {
                if (work->busiest[how] < all[i].made.work.busiest[how])
                    work->busiest[how] = all[i].made.work.busiest[how];
            }
        }
        free(all[i].sites);
        kg__spans_free(&all[i].spans);
    }
    free(all);
    return good;
}
