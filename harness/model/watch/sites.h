/* SPDX-License-Identifier: MIT */
/* Sites: code addresses that access memory, and the cost of their requests. Internal to
 * watching. */
#pragma once

#include "model/exec/launch.h"
#include "model/watch/regions.h"
#include "suite/counters.h"

#include <stddef.h>
#include <stdint.h>

#define KG__SPACES 3
/* After the spaces: events that access no memory: barriers, shuffles, fences, calls of printf(),
 * multiply-adds of matrices. */
#define KG__NO_SPACE KG__SPACES

/* A site's figures in a space: requests; their sectors, wavefronts or words; and the passes of
 * atomics. */
enum { KG__SITE_REQUESTS, KG__SITE_PARTS, KG__SITE_PASSES, KG__SITE_FIGURES };

/* A code address that accesses memory, and the cost of its requests, by space. */
typedef struct kg__site {
    uintptr_t code;     /* return address of its hook; 0: none */
    kg__region *region; /* the region of its last request */
    unsigned int kind;  /* of its last request, as in trace.h */
    uint16_t number;    /* its number in cells; 0: all numbers are taken */
    uint64_t fresh[KG__SPACES + 1][KG__SITE_FIGURES]; /* not weighted yet */
    uint64_t sum[KG__SPACES + 1][KG__SITE_FIGURES];
    /* Of a barrier: the threads that reached it first in the block that began at the time
     * `block`. */
    unsigned int live;
    uint32_t block;
    struct kg__site *next; /* of all sites */
} kg__site;

/* A hash table of sites by code, at most half full; its size is a power of two, or 0. */
extern KG__HIDDEN kg__site **kg__site_table;
extern KG__HIDDEN size_t kg__site_table_size;

/* Returns the slot of a code in the table, which must not be empty. */
static inline size_t kg__site_slot(uintptr_t code)
{
    size_t last = kg__site_table_size - 1;
    size_t slot = (size_t)((uint64_t)code * 0x9e3779b97f4a7c15u >> 32) & last;

    while (kg__site_table[slot] != NULL && kg__site_table[slot]->code != code)
        slot = (slot + 1) & last;
    return slot;
}

/* Adds a site for a code that has none. */
kg__site *kg__site_add(uintptr_t code);

/* Returns the site of a code; adds it if needed. */
static inline kg__site *kg__site_of(uintptr_t code)
{
    kg__site *site = kg__site_table_size > 0 ? kg__site_table[kg__site_slot(code)] : NULL;

    return site != NULL ? site : kg__site_add(code);
}

/* Returns the site of a number (1 and up), or NULL. */
const kg__site *kg__site_numbered(unsigned int number);
/* All sites, linked by `next`. */
extern KG__HIDDEN kg__site *kg__sites;

/* Counts an event at `code` that accesses no memory, `times` times; `kind` is as in trace.h. */
void kg__site_note(uintptr_t code, unsigned int kind, unsigned int times);
/* Returns whether a site's figures count any request. */
bool kg__site_has_requests(const uint64_t figures[][KG__SITE_FIGURES]);
/* Adds a site's sums to the counters of its figures. */
void kg__site_add_counts(const kg__site *site, kg__counts *counts);
/* Forgets all sites' counts. */
void kg__sites_begin(void);
/* Ends a class of blocks: the counts since the last class are of `of` blocks and stand for
 * `weight` blocks. With `weight` 0 they are discarded. */
void kg__sites_weigh(uint64_t weight, uint64_t of);
/* Makes all sites forget a region that is gone or has another size. */
void kg__sites_forget_region(const kg__region *region);
