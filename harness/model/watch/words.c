/* SPDX-License-Identifier: MIT */
/* Words by which threads order their accesses. */
#include "model/watch/words.h"

#include "base/message.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of words that only change how a finding is named. */
#define LOOSE_MAXIMUM 4096
#define WORDS_MAXIMUM ((size_t)1 << 19)
#define FIRST_CAPACITY ((size_t)1 << 10) /* a power of two */
/* Maximum bytes for sets; beyond it, words share one entry. */
#define SETS_MEMORY ((size_t)128 << 20)

bool kg__words_overflow;

static kg__word **table; /* by a hash */
static size_t capacity;
static size_t word_count;
static kg__word the_rest; /* stands for all words that found no space */
static bool any_rest;
static size_t sets_bytes; /* of published knowledge */

static void reserve_bits(kg__bits *set, size_t count)
{
    uint64_t *grown;

    if (count <= set->count)
        return;
    grown = kg__allocate(count, sizeof *grown);
    if (set->count > 0)
        memcpy(grown, set->words, set->count * sizeof *grown);
    free(set->words);
    *set = (kg__bits){ grown, count };
}

bool kg__bits_add_all(kg__bits *to, const kg__bits *from)
{
    uint64_t added = 0;

    reserve_bits(to, from->count);
    for (size_t i = 0; i < from->count; i++) {
        added |= from->words[i] & ~to->words[i];
        to->words[i] |= from->words[i];
    }
    return added != 0;
}

bool kg__bits_have_all(const kg__bits *set, const kg__bits *other)
{
    for (size_t i = 0; i < other->count; i++) {
        if ((other->words[i] & ~(i < set->count ? set->words[i] : 0)) != 0)
            return false;
    }
    return true;
}

bool kg__bits_add(kg__bits *to, size_t number)
{
    if (kg__bits_have(to, number))
        return false;
    reserve_bits(to, number / 64 + 1);
    to->words[number / 64] |= (uint64_t)1 << number % 64;
    return true;
}

void kg__bits_clear(kg__bits *set)
{
    free(set->words);
    *set = (kg__bits){ NULL, 0 };
}

static size_t bytes_of(const kg__bits of[KG__TOLD])
{
    size_t bytes = 0;

    for (int how = 0; how < KG__TOLD; how++)
        bytes += of[how].count * sizeof *of[how].words;
    return bytes;
}

kg__told *kg__told_copy(const kg__bits of[KG__TOLD])
{
    kg__told *copy = kg__allocate(1, sizeof *copy);

    copy->holders = 1;
    for (int how = 0; how < KG__TOLD; how++)
        (void)kg__bits_add_all(&copy->of[how], &of[how]);
    sets_bytes += bytes_of(copy->of);
    return copy;
}

void kg__told_add(kg__told *told, int how, const kg__bits *from)
{
    size_t before = told->of[how].count;

    (void)kg__bits_add_all(&told->of[how], from);
    sets_bytes += (told->of[how].count - before) * sizeof *from->words;
}

void kg__told_drop(kg__told **told)
{
    if (*told != NULL && --(*told)->holders == 0) {
        sets_bytes -= bytes_of((*told)->of);
        for (int how = 0; how < KG__TOLD; how++)
            kg__bits_clear(&(*told)->of[how]);
        free(*told);
    }
    *told = NULL;
}

/* Returns the slot that a word is in, or would be in. */
static kg__word **slot_of(const kg__region *region, uint32_t offset)
{
    size_t number = (size_t)(((uintptr_t)region / 64 + offset) * 0x9e3779b97f4a7c15u >> 32);

    for (;; number++) {
        kg__word **found = &table[number & (capacity - 1)];

        if (*found == NULL || ((*found)->region == region && (*found)->offset == offset))
            return found;
    }
}

/* At most half of the table is full. */
static void grow_table(void)
{
    kg__word **old = table;
    size_t old_capacity = capacity;

    if (2 * (word_count + 1) <= capacity)
        return;
    capacity = capacity == 0 ? FIRST_CAPACITY : 2 * capacity;
    table = kg__allocate(capacity, sizeof(kg__word *));
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i] != NULL)
            *slot_of(old[i]->region, old[i]->offset) = old[i];
    }
    free(old);
}

/* Out of line: every atomic searches, few add. */
static __attribute__((noinline)) kg__word *add_word(const kg__region *region, uint32_t offset,
                                                    bool matters)
{
    kg__word **at;

    if (word_count >= WORDS_MAXIMUM || sets_bytes >= SETS_MEMORY) {
        any_rest = any_rest || matters;
        kg__words_overflow = kg__words_overflow || matters;
        return any_rest ? &the_rest : NULL;
    }
    if (!matters && word_count >= LOOSE_MAXIMUM)
        return NULL;
    grow_table();
    at = slot_of(region, offset);
    *at = kg__allocate(1, sizeof **at);
    (*at)->region = region;
    (*at)->offset = offset;
    word_count++;
    return *at;
}

kg__word *kg__word_at(const kg__region *region, uint32_t offset, bool matters)
{
    kg__word *found = capacity > 0 ? *slot_of(region, offset) : NULL;

    return found != NULL ? found : add_word(region, offset, matters);
}

bool kg__word_is_atomic(const kg__region *region, uint32_t offset)
{
    const kg__word *at = capacity > 0 ? *slot_of(region, offset) : NULL;

    return at != NULL && at->told != NULL && at->told->of[KG__TOLD_BY_ATOMIC].count > 0;
}

void kg__words_forget(void)
{
    for (size_t i = 0; word_count > 0 && i < capacity; i++) {
        if (table[i] == NULL)
            continue;
        kg__told_drop(&table[i]->told);
        free(table[i]);
        table[i] = NULL;
    }
    word_count = 0;
    kg__told_drop(&the_rest.told);
    the_rest = (kg__word){ 0 };
    any_rest = false;
}
