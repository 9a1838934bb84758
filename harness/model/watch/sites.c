/* SPDX-License-Identifier: MIT */
/* Sites, by the address of their code and by number. */
#include "model/watch/sites.h"

#include "base/message.h"
#include "model/watch/trace.h"

#include <stdlib.h>
#include <string.h>

#define SITES_AT_FIRST 1024
#define SITE_NUMBERS 65536

kg__site **kg__site_table;
size_t kg__site_table_size;

static size_t site_count;
static kg__site *numbered[SITE_NUMBERS];
kg__site *kg__sites;

/* The last region of a site without requests; it contains no address. */
static kg__region nowhere;

const kg__site *kg__site_numbered(unsigned int number)
{
    return number < SITE_NUMBERS ? numbered[number] : NULL;
}

static void grow_table(void)
{
    kg__site **old = kg__site_table;
    size_t old_size = kg__site_table_size;

    kg__site_table_size = old_size > 0 ? 2 * old_size : SITES_AT_FIRST;
    kg__site_table = kg__allocate(kg__site_table_size, sizeof(kg__site *));
    for (size_t i = 0; i < old_size; i++) {
        if (old[i] != NULL)
            kg__site_table[kg__site_slot(old[i]->code)] = old[i];
    }
    free(old);
}

kg__site *kg__site_add(uintptr_t code)
{
    kg__site *site = kg__allocate(1, sizeof *site);

    if (2 * site_count >= kg__site_table_size)
        grow_table();
    *site = (kg__site){ .code = code, .region = &nowhere, .next = kg__sites };
    kg__sites = site;
    if (++site_count < SITE_NUMBERS) {
        site->number = (uint16_t)site_count;
        numbered[site_count] = site;
    }
    kg__site_table[kg__site_slot(code)] = site;
    return site;
}

void kg__site_note(uintptr_t code, unsigned int kind, unsigned int times)
{
    kg__site *site = kg__site_of(code);

    site->kind = kind;
    site->fresh[KG__NO_SPACE][KG__SITE_REQUESTS] += times;
}

bool kg__site_has_requests(const uint64_t figures[][KG__SITE_FIGURES])
{
    for (int space = 0; space <= KG__SPACES; space++) {
        if (figures[space][KG__SITE_REQUESTS] != 0)
            return true;
    }
    return false;
}

#define NONE KG__COUNTERS

/* Returns the counter that a site's figure in a memory space adds to, or NONE. */
static kg__counter counter_of(const kg__site *site, int space, int figure)
{
    enum { READS, WRITES, UPDATES, ACCESSES };
    static const kg__counter counters[KG__SPACES][ACCESSES][KG__SITE_FIGURES] = {
        [KG__MODEL_GLOBAL] = { { KG__GLOBAL_LOAD_REQUESTS, KG__GLOBAL_LOAD_SECTORS, NONE },
                               { KG__GLOBAL_STORE_REQUESTS, KG__GLOBAL_STORE_SECTORS, NONE },
                               { KG__GLOBAL_ATOMIC_REQUESTS, KG__GLOBAL_ATOMIC_SECTORS,
                                 KG__GLOBAL_ATOMIC_PASSES } },
        [KG__MODEL_SHARED] = { { KG__SHARED_LOAD_REQUESTS, KG__SHARED_LOAD_WAVEFRONTS, NONE },
                               { KG__SHARED_STORE_REQUESTS, KG__SHARED_STORE_WAVEFRONTS, NONE },
                               { KG__SHARED_ATOMIC_REQUESTS, NONE, KG__SHARED_ATOMIC_PASSES } },
        [KG__MODEL_CONSTANT] = { { KG__CONSTANT_LOAD_REQUESTS, KG__CONSTANT_LOAD_WORDS, NONE },
                                 { NONE, NONE, NONE },
                                 { NONE, NONE, NONE } },
    };

    if (space == KG__NO_SPACE)
        return figure > 0                               ? NONE
               : (site->kind & KG__ACCESS_BARRIER) != 0 ? KG__BARRIERS
               : (site->kind & KG__ACCESS_SHUFFLE) != 0 ? KG__SHUFFLES
               : (site->kind & KG__ACCESS_PRINTF) != 0  ? KG__PRINTF_CALLS
               : (site->kind & KG__ACCESS_MATRIX) != 0  ? KG__TENSOR_MULTIPLY_ADDS
                                                        : KG__FENCES;
    return counters[space][(site->kind & KG__ACCESS_ATOMIC) != 0  ? UPDATES
                           : (site->kind & KG__ACCESS_WRITE) != 0 ? WRITES
                                                                  : READS][figure];
}

void kg__site_add_counts(const kg__site *site, kg__counts *counts)
{
    for (int space = 0; space <= KG__SPACES; space++) {
        for (int figure = 0; figure < KG__SITE_FIGURES; figure++) {
            const kg__counter counter = counter_of(site, space, figure);

            if (counter != NONE)
                counts->value[counter] += site->sum[space][figure];
        }
    }
}

void kg__sites_begin(void)
{
    for (kg__site *site = kg__sites; site != NULL; site = site->next) {
        memset(site->fresh, 0, sizeof site->fresh);
        memset(site->sum, 0, sizeof site->sum);
    }
}

/* Scales `value`, counted in `of` blocks, to `weight` blocks; rounded. */
static uint64_t weighed(uint64_t value, uint64_t weight, uint64_t of)
{
    return value / of * weight + (value % of * weight + of / 2) / of;
}

void kg__sites_weigh(uint64_t weight, uint64_t of)
{
    for (kg__site *site = kg__sites; site != NULL; site = site->next) {
        for (int space = 0; space <= KG__SPACES; space++) {
            for (int what = 0; what < KG__SITE_FIGURES; what++) {
                uint64_t *fresh = &site->fresh[space][what];

                site->sum[space][what] += weighed(*fresh, weight, of);
                *fresh = 0;
            }
        }
    }
}

void kg__sites_forget_region(const kg__region *region)
{
    for (kg__site *site = kg__sites; site != NULL; site = site->next) {
        if (site->region == region)
            site->region = &nowhere;
    }
}
