/* SPDX-License-Identifier: MIT */
/* Warp operations: their results, computed when all lanes of the mask wait in one. */
#include "model/exec/warp_operations.h"

#include "model/exec/faults.h"
#include "model/exec/grid.h"
#include "model/exec/matrices.h"

#include <string.h>

#define WARPS_OF_GROUP (KG__WARP_GROUP / KG__MODEL_WARP)

/* Returns the lane that a shuffle reads; the reader's own if the source is outside its part of
 * the warp. */
static unsigned int source_lane(const kg__thread *reader, unsigned int lane)
{
    unsigned int part = lane & ~(reader->width - 1);
    unsigned int part_end = part + reader->width;
    unsigned int argument = reader->argument % KG__MODEL_WARP;

    switch (reader->operation) {
    case KG__MODEL_SHUFFLE:
        return part + (argument & (reader->width - 1));
    case KG__MODEL_SHUFFLE_UP:
        return lane >= part + argument ? lane - argument : lane;
    case KG__MODEL_SHUFFLE_DOWN:
        return lane + argument < part_end ? lane + argument : lane;
    default:
        return (lane ^ argument) < part_end ? lane ^ argument : lane;
    }
}

/* Combines two 32-bit values by a reduction. */
static unsigned int combine(kg__model_warp_operation operation, unsigned int a, unsigned int b)
{
    switch (operation) {
    case KG__MODEL_ADD:
        return a + b;
    case KG__MODEL_MIN_UNSIGNED:
        return a < b ? a : b;
    case KG__MODEL_MIN_SIGNED:
        return (int)a < (int)b ? a : b;
    case KG__MODEL_MAX_UNSIGNED:
        return a > b ? a : b;
    case KG__MODEL_MAX_SIGNED:
        return (int)a > (int)b ? a : b;
    case KG__MODEL_AND:
        return a & b;
    case KG__MODEL_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* Returns the lanes of `group` whose value equals `value`. */
static unsigned int lanes_with(const kg__thread *lanes, unsigned int group, uint64_t value)
{
    unsigned int mask = 0;

    for (unsigned int lane = 0; lane < KG__MODEL_WARP; lane++) {
        if ((group >> lane & 1) != 0 && lanes[lane].value == value)
            mask |= 1u << lane;
    }
    return mask;
}

/* Stores the lanes' words; those of missing lanes are all ones. */
static uint64_t gather(unsigned int number, const kg__thread *lanes, unsigned int group,
                       unsigned int lane)
{
    uint32_t(*all)[KG__MODEL_GATHERED] = kg__running.gathered[number];

    memcpy(all[lane], (const void *)(uintptr_t)lanes[lane].value, sizeof all[lane]);
    if (group != UINT32_MAX) {
        unsigned int missing = (unsigned int)__builtin_ctz(~group);

        memset(all[missing], 0xff, sizeof all[missing]);
        if (kg__running.watcher != NULL)
            kg__running.watcher->shuffle_outside(number * KG__MODEL_WARP + lane, missing,
                                                 lanes[lane].mask, group, lanes[lane].code);
    }
    return (uint64_t)(uintptr_t)all;
}

/* Returns a lane's result of an operation of the lanes `group`. */
static uint64_t result_of(unsigned int number, const kg__thread *lanes, unsigned int group,
                          unsigned int lane)
{
    kg__model_warp_operation operation = lanes[lane].operation;
    unsigned int first_lane = (unsigned int)__builtin_ctz(group);
    unsigned int reduced = (unsigned int)lanes[first_lane].value;
    unsigned int source;

    switch (operation) {
    case KG__MODEL_SYNC:
    case KG__MODEL_MATRIX:
    case KG__MODEL_GROUP:
        return 0;
    case KG__MODEL_SHUFFLE:
    case KG__MODEL_SHUFFLE_UP:
    case KG__MODEL_SHUFFLE_DOWN:
    case KG__MODEL_SHUFFLE_XOR:
        source = source_lane(&lanes[lane], lane);
        if ((group >> source & 1) != 0)
            return lanes[source].value;
        if (kg__running.watcher != NULL)
            kg__running.watcher->shuffle_outside(number * KG__MODEL_WARP + lane, source,
                                                 lanes[lane].mask, group, lanes[lane].code);
        return UINT64_MAX;
    case KG__MODEL_BALLOT:
        return lanes_with(lanes, group, 1);
    case KG__MODEL_ANY:
        return lanes_with(lanes, group, 1) != 0;
    case KG__MODEL_ALL:
        return lanes_with(lanes, group, 1) == group;
    case KG__MODEL_MATCH_ANY:
        return lanes_with(lanes, group, lanes[lane].value);
    case KG__MODEL_MATCH_ALL:
        return lanes_with(lanes, group, lanes[lane].value) == group ? group : 0;
    case KG__MODEL_ACTIVE:
        return group;
    case KG__MODEL_GATHER:
        return gather(number, lanes, group, lane);
    default:
        for (unsigned int other = first_lane + 1; other < KG__MODEL_WARP; other++) {
            if ((group >> other & 1) != 0)
                reduced = combine(operation, reduced, (unsigned int)lanes[other].value);
        }
        return reduced;
    }
}

/* Computes the product that the lanes of a whole warp wait for. */
static void multiply(const kg__thread *lanes)
{
    const kg__model_product *products[KG__MODEL_WARP];

    for (unsigned int lane = 0; lane < KG__MODEL_WARP; lane++)
        products[lane] = (const kg__model_product *)(uintptr_t)lanes[lane].value;
    kg__multiply(products);
}

/* Gives the lanes of `group`, which all wait, their results. */
static void release(unsigned int number, unsigned int group)
{
    kg__thread *lanes = &kg__running.threads[(size_t)number * KG__MODEL_WARP];
    const kg__thread *first = &lanes[__builtin_ctz(group)];

    if (first->operation == KG__MODEL_MATRIX && first->argument != 0)
        multiply(lanes);
    else if (first->operation == KG__MODEL_MATRIX &&
             lanes_with(lanes, group, first->value) != group)
        kg__fail_wrong(
            KG__INVALID_WARP_OPERATION, first->code,
            "wmma: lanes of the warp have other pointers or strides than its first one: give all "
            "lanes the same");
    for (unsigned int lane = 0; lane < KG__MODEL_WARP; lane++) {
        if ((group >> lane & 1) != 0)
            lanes[lane].result = result_of(number, lanes, group, lane);
    }
    for (unsigned int lane = 0; lane < KG__MODEL_WARP; lane++) {
        if ((group >> lane & 1) != 0)
            kg__make_ready(number, lane);
    }
    kg__running.warps[number].waiting &= ~group;
    kg__running.statistics.warp_operations++;
    if (kg__running.watcher != NULL)
        kg__running.watcher->warp_operation(number, group, first->operation, first->code);
}

/* Returns whether lanes wait in the same operation. Those of matrices are one instruction, even
 * if code that is not instrumented has two calls. */
static bool are_together(const kg__thread *a, const kg__thread *b)
{
    return a->mask == b->mask && a->operation == b->operation &&
           ((a->operation != KG__MODEL_MATRIX && a->operation != KG__MODEL_GROUP) ||
            (a->argument == b->argument && (kg__running.watcher == NULL || a->code == b->code)));
}

/* Computes what the warp group of a warp waits for, and releases it, if all its threads wait. */
static void try_to_release_group(unsigned int number)
{
    const unsigned int first = number / WARPS_OF_GROUP * WARPS_OF_GROUP;
    const kg__thread *threads = &kg__running.threads[(size_t)first * KG__MODEL_WARP];
    kg__model_wgmma *parts[KG__WARP_GROUP];

    for (unsigned int i = 0; i < KG__WARP_GROUP; i++) {
        const unsigned int warp = first + i / KG__MODEL_WARP;

        if (warp >= (unsigned int)kg__running.warp_count ||
            kg__running.warps[warp].waiting != UINT32_MAX || !are_together(threads, &threads[i]))
            return;
        parts[i] = (kg__model_wgmma *)(uintptr_t)threads[i].value;
    }
    kg__multiply_group(parts);
    for (unsigned int i = 0; i < WARPS_OF_GROUP; i++)
        release(first + i, UINT32_MAX);
}

/* Releases the operation that `lane` of a warp waits in, if all lanes of its mask wait. */
static void try_to_release(unsigned int number, unsigned int lane)
{
    const kg__thread *lanes = &kg__running.threads[(size_t)number * KG__MODEL_WARP];
    const kg__warp *warp = &kg__running.warps[number];
    const bool needs_all = lanes[lane].operation == KG__MODEL_MATRIX;
    unsigned int group = lanes[lane].mask & (needs_all ? UINT32_MAX : warp->live);

    if ((group & ~warp->waiting) != 0 || lanes[lane].operation == KG__MODEL_ACTIVE)
        return;
    if (lanes[lane].operation == KG__MODEL_GROUP) {
        try_to_release_group(number);
        return;
    }
    for (unsigned int other = 0; other < KG__MODEL_WARP; other++) {
        if ((group >> other & 1) != 0 && !are_together(&lanes[lane], &lanes[other]))
            return;
    }
    release(number, group);
}

/* Releases the lanes that request the active mask, together with others at the lowest code
 * address. */
static void release_active(unsigned int number)
{
    const kg__thread *lanes = &kg__running.threads[(size_t)number * KG__MODEL_WARP];
    unsigned int waiting = kg__running.warps[number].waiting;
    uintptr_t code = UINTPTR_MAX;
    unsigned int group = 0;

    for (unsigned int lane = 0; lane < KG__MODEL_WARP; lane++) {
        if ((waiting >> lane & 1) == 0 || lanes[lane].operation != KG__MODEL_ACTIVE ||
            lanes[lane].code > code)
            continue;
        group = (lanes[lane].code == code ? group : 0) | 1u << lane;
        code = lanes[lane].code;
    }
    if (group != 0)
        release(number, group);
}

void kg__release_warp_operations(unsigned int warp)
{
    const kg__warp *home = &kg__running.warps[warp];

    for (unsigned int lane = 0; home->waiting != 0 && lane < KG__MODEL_WARP; lane++) {
        if ((home->waiting >> lane & 1) != 0)
            try_to_release(warp, lane);
    }
    if (home->waiting != 0 && home->ready == 0)
        release_active(warp);
}
