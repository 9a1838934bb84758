/* SPDX-License-Identifier: MIT */
/* CUB's blocks and warps: what each thread gets, and that a barrier is missed between two uses of
 * one TempStorage. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "model/runtime/runtime.h"
#include "tests/model/std_kernels.h"
#include "tests/model/watch_fixture.h"

#define BLOCK CUB_BLOCK
#define BLOCKS 2
/* The last rows use no storage twice. */
#define ONCE 4

VALUE(cub_reduce, i % BLOCK != 0 ? 0 : sum_from(i + 1, BLOCK) + sum_from(i + 1, 50) + i + BLOCK)
VALUE(cub_reduce_items, i % BLOCK != 0 ? 0 : sum_from(i, BLOCK) + 3 * BLOCK + (i > 0))

static int cub_scan(int i)
{
    const int first = i / BLOCK * BLOCK;
    int before = 0;
    int all = 0;
    int most = -1;

    for (int j = first; j < first + BLOCK; j++) {
        all += j % 7;
        before += j < i ? j % 7 : 0;
        most = j < i && j * 37 % 50 > most ? j * 37 % 50 : most;
    }
    return i % 7 + 10 * before + 10000 * most + 1000000 * all;
}

VALUE(cub_scan_tiles, 10 * (100 + sum_from(1, BLOCK) + sum_from(1, i % BLOCK) + i % BLOCK + 1) - 1)
VALUE(cub_warp, (i % 16 == 0 ? sum_from(i, 16) : 0) + 100000 * (i % 32) + 10000000)
VALUE(cub_transpose, (i % (4 * BLOCK) < 4 * BLOCK - 3 ? i + 1 : -1) * 10 + i % 4)

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static int cub_sort(int i)
{
    int keys[2 * BLOCK];

    for (int thread = 0; thread < BLOCK; thread++) {
        keys[2 * thread] = thread * 37 % 101 - 50;
        keys[2 * thread + 1] = -(thread * 53 % 113);
    }
    qsort(keys, LENGTH(keys), sizeof *keys, compare);
    return keys[i % (2 * BLOCK)] + (i % (2 * BLOCK) < BLOCK ? 0 : 1000);
}

VALUE(cub_sort_reals, 2 * (i % BLOCK) - 81)

static int cub_neighbors(int i)
{
    const int at = i % (2 * BLOCK);
    const int left = at == 0 ? 7 : 2 * at - 1;
    const int right = at == 2 * BLOCK - 1 ? at * at : -2 * at - 1;

    return left - 3 * right + 5 * (at == 0 || at >= BLOCK ? at * at : 2 * at - 1);
}

static int cub_flags(int i)
{
    const int at = i % (2 * BLOCK);

    return (at % 7 == 0 || at == 50) + 10 * (at % 7 == 6 || at == 49 || at == 2 * BLOCK - 1) +
           100 * (at != 0);
}

static int cub_histogram(int i)
{
    const int bin = i % BLOCK;
    const int count = (bin < 10 ? 9 + (bin < 6) : 0) + (bin < 48 ? 2 : 0);

    return bin < 64 ? 2 * count + 1000 * count : -1;
}

/* By insertion, as a stable sort is defined. */
static void sort_stably(int *keys, int *values, int by, bool descends)
{
    for (int i = 1; i < 3 * BLOCK; i++) {
        for (int j = i; j > 0 && (descends ? keys[j] / by > keys[j - 1] / by
                                           : keys[j] / by < keys[j - 1] / by);
             j--) {
            const int key = keys[j], value = values[j];

            keys[j] = keys[j - 1];
            values[j] = values[j - 1];
            keys[j - 1] = key;
            values[j - 1] = value;
        }
    }
}

/* The first item's call sorts for all: a sort for each took 23 s. */
static int cub_merge(int i)
{
    static int keys[3 * BLOCK], values[3 * BLOCK];

    if (i == 0) {
        for (int at = 0; at < 3 * BLOCK; at++) {
            values[at] = at;
            keys[at] = at * 37 % 101;
        }
        sort_stably(keys, values, 4, true);
        for (int at = 200; at < 3 * BLOCK; at++)
            keys[at] = 1000;
        sort_stably(keys, values, 1, false);
    }
    i %= 3 * BLOCK;
    return keys[i] < 1000 ? values[i] + 1000 * keys[i] : 1;
}

static int cub_shuffle(int i)
{
    const int at = i % BLOCK;

    return (at > 0 ? 2 * at - 1 : -1) + (at < BLOCK - 1 ? 2 * at + 2 : -1) + 2 * BLOCK - 1 +
           1000 * ((at + 5) % BLOCK) + 1000000 * (at >= 3 ? at - 3 : -1);
}

static int cub_runs(int i)
{
    int at = i % (2 * BLOCK) + 3;
    int run = 0;
    int all = 0;

    for (int thread = 0; thread < BLOCK; thread++)
        all += thread % 7;
    for (; at >= run % 7; run++)
        at -= run % 7;
    return run + 1000 * at + 100000 * all;
}

static int cub_more(int i)
{
    const int at = i % BLOCK;
    const int digit = at % 4;
    const int rank = (3 - digit) * (BLOCK / 4) + at / 4;
    const int item = 16 + at % 16;
    const int loaded = item < 30 ? at / 16 * 32 + item + 1 : 7;
    const int next = at / 5 * 5 + 5;
    const int end = next < at / 32 * 32 + 32 ? next : at / 32 * 32 + 32;

    return rank + 100 * loaded + 100000 * (at % 5 == 0 ? end - at : 0) +
           (at % 8 == 0 ? at + 7 : 0) + 1000000 * (at % 3);
}

static int cub_raking(int i)
{
    const int at = i % BLOCK;
    int sum = 0;
    int all = 0;

    for (int j = at / 16 * 16 * 3; j < (at / 16 + 1) * 16 * 3; j++) {
        all += j % 7;
        sum += j >= 3 * at ? j % 7 : 0;
    }
    return at < 32 ? sum + 1000 * all + 1000000 * (at < 3 ? at : at - 3) : 0;
}

#define ROW(name, items) #name, name, items

/* What each of so many items per thread is. */
static const struct {
    const char *name;
    int (*expected)(int i);
    int items;
} rows[] = {
    { ROW(cub_reduce, 1) },     { ROW(cub_reduce_items, 1) }, { ROW(cub_scan, 1) },
    { ROW(cub_scan_tiles, 1) }, { ROW(cub_transpose, 4) },    { ROW(cub_sort, 2) },
    { ROW(cub_sort_reals, 1) }, { ROW(cub_neighbors, 2) },    { ROW(cub_flags, 2) },
    { ROW(cub_histogram, 1) },  { ROW(cub_merge, 3) },        { ROW(cub_shuffle, 1) },
    { ROW(cub_runs, 2) },       { ROW(cub_more, 1) },         { ROW(cub_warp, 1) },
    { ROW(cub_raking, 1) },
};

static void try_row(size_t row)
{
    watch_data data = make_data(1 << 10);

    start(rows[row].name, line(BLOCKS), line(BLOCK), data);
    for (int i = 0; i < BLOCKS * BLOCK * rows[row].items; i++)
        cr_assert(data.numbers[i] == rows[row].expected(i), "%s: [%d] is %d, not %d",
                  rows[row].name, i, data.numbers[i], rows[row].expected(i));
}

/* In either order of threads, watched or not. */
Test(cub, gives_each_thread_what_is_its_own)
{
    for (size_t i = 0; i < LENGTH(rows) * 4; i++) {
        kg__model_set_order(i % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        kg__model_watch(i % 4 < 2 ? BOTH : 0, 0);
        try_row(i / 4);
        expect_clean(rows[i / 4].name);
    }
}

/* A warp's operations need no memory, and so no barrier: all rows but the last ones. */
Test(cub, storage_that_is_used_again_needs_a_barrier)
{
    for (size_t i = 0; i < (LENGTH(rows) - ONCE) * 2; i++) {
        watch_data data = watch_in_order(i, 1 << 10);

        data.k = 1;
        start(rows[i / 2].name, line(BLOCKS), line(BLOCK), data);
        expect_only(FOUND(RACE_IN_BLOCK, "room", 0, 0, 0), rows[i / 2].name);
    }
}
