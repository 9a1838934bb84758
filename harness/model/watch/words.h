/* SPDX-License-Identifier: MIT */
/* Words: memory by which threads pass on order, with atomics and flags. Internal to watching. */
#pragma once

#include "model/exec/launch.h"
#include "model/watch/regions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of numbers. */
typedef struct kg__bits {
    uint64_t *words;
    size_t count; /* of `words` */
} kg__bits;

/* Adds the set `from`. Returns whether it adds any number. */
bool kg__bits_add_all(kg__bits *to, const kg__bits *from);
/* Adds a number. Returns whether it is new. */
bool kg__bits_add(kg__bits *to, size_t number);
/* Returns whether a number is in the set. */
static inline bool kg__bits_have(const kg__bits *set, size_t number)
{
    return number / 64 < set->count && (set->words[number / 64] >> number % 64 & 1) != 0;
}
/* Returns whether all of `other` is in the set. */
bool kg__bits_have_all(const kg__bits *set, const kg__bits *other);
/* Empties the set and frees its memory. */
void kg__bits_clear(kg__bits *set);

/* What a word publishes: releases, by their number in blocks.c; and blocks that published
 * without a fence, by an atomic or by any access, by their number in the grid. */
enum { KG__TOLD_FENCED, KG__TOLD_BY_ATOMIC, KG__TOLD_BY_ANY, KG__TOLD };

/* Shared by words that publish the same; it changes only while there is one holder. */
typedef struct kg__told {
    size_t holders;
    kg__bits of[KG__TOLD];
} kg__told;

/* Returns a copy with one holder. */
kg__told *kg__told_copy(const kg__bits of[KG__TOLD]);
/* Adds to a set that has one holder. */
void kg__told_add(kg__told *told, int how, const kg__bits *from);
/* Drops one holder and sets the pointer to NULL. */
void kg__told_drop(kg__told **told);

/* A word, and the knowledge that its writers have published with it. */
typedef struct kg__word {
    const kg__region *region;
    uint32_t offset;
    uint32_t interval;    /* the interval of `warps` */
    uint32_t warps;       /* warps that have released it in this interval, behind a fence */
    uint32_t loose_warps; /* or without one */
    uint32_t loose_time;  /* when one last did */
    uint32_t lanes;       /* of the warp `lanes_of`: released by a cuda::atomic, or locked */
    unsigned int lanes_of;
    kg__told *told; /* between blocks; NULL: nothing */
} kg__word;

/* Returns the entry of a word, at a fixed address; NULL if it has none. An entry is added if the
 * word `matters` because it carries a release, and for the first few thousand other words. When
 * there are too many, all further words that matter share one entry: races may be missed, but no
 * false race is reported. */
kg__word *kg__word_at(const kg__region *region, uint32_t offset, bool matters);
/* Returns whether blocks communicate by atomics on the word, which has an entry of its own. */
bool kg__word_is_atomic(const kg__region *region, uint32_t offset);
/* Forgets all words, at the beginning of a launch. */
void kg__words_forget(void);

/* Whether words have had to share an entry since this was last set to false. */
extern KG__HIDDEN bool kg__words_overflow;
