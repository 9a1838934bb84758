/* SPDX-License-Identifier: MIT */
/* Watching: its modes, the sampling of blocks, and the report. */
#include "model/watch/watch.h"

#include "base/hash.h"
#include "base/message.h"
#include "model/watch/barriers.h"
#include "model/watch/blocks.h"
#include "model/watch/cells.h"
#include "model/watch/clocks.h"
#include "model/watch/clusters.h"
#include "model/watch/findings.h"
#include "model/watch/handover.h"
#include "model/watch/lines.h"
#include "model/watch/order.h"
#include "model/watch/races.h"
#include "model/watch/requests.h"
#include "model/watch/shadow.h"
#include "model/watch/tables.h"
#include "model/watch/trace.h"
#include "model/watch/watcher.h"
#include "model/watch/words.h"

#include <stdlib.h>
#include <string.h>

/* Once a launch has spent this fraction of the budget, it counts as too large. */
#define BUDGET_PART 16
/* Each dimension's ranges: first block, inner blocks, last block. */
#define RANGES 3
#define CLASSES (RANGES * RANGES * RANGES)

static bool is_instrumented;
static bool watching; /* watching was requested, and kernels are instrumented */
static unsigned int watched_for;
static uint64_t budget;
static bool any_sampled;
static kg__model_report report;

/* The running launch. */
static uint64_t grid_blocks;
static kg__work_of_blocks work;
static uint64_t accesses_of_launches; /* of those that have ended, of skipped blocks too */
static uint64_t accesses_at_launch;   /* when the launch, or its sampling, began */
static bool all_blocks_run;           /* blocks wait for each other */

static kg__spans *spans; /* where launches access memory; NULL: nobody asks */
static void (*on_block_end)(void);
static void (*on_launch)(const kg__counts *counts, uint64_t accesses);

/* Counts without a source line: of launches, blocks and copies. */
static kg__counts at_large;

/* The class whose blocks are being sampled. */
static bool sampling;
static uint64_t sampled_per_class; /* maximum */
static unsigned int class_number;
static uint64_t class_size;
static uint64_t class_wanted;
static uint64_t class_taken;

void kg__model_watch(unsigned int what, uint64_t most)
{
    bool checked = kg__watch_checks();

    watched_for = what;
    budget = most;
    watching = what != 0 && is_instrumented;
    any_sampled = false;
    report = (kg__model_report){ 0 };
    at_large = (kg__counts){ 0 };
    accesses_of_launches = 0;
    kg__requests.counting = (what & KG__MODEL_COUNT) != 0;
    kg__requests.checking = (what & KG__MODEL_CHECK) != 0;
    kg__requests.accesses = 0;
    kg__sites_begin();
    kg__findings_forget();
    kg__words_overflow = false;
    if (kg__watch_checks() && !checked) {
        kg__regions_begin();
        kg__cells_forget();
    }
}

bool kg__model_is_instrumented(void)
{
    return is_instrumented;
}

void kg__watch_instrumented(void)
{
    is_instrumented = true;
}

bool kg__watch_checks(void)
{
    return watching && (watched_for & KG__MODEL_CHECK) != 0;
}

kg__spans *kg__watch_track(kg__spans *to)
{
    kg__spans *former = spans;

    spans = to;
    kg__requests.tracking = to != NULL;
    return former;
}

bool kg__watch_skips(uint64_t blocks)
{
    if (!kg__watch_checks() || !any_sampled)
        return false;
    if ((watched_for & KG__MODEL_COUNT) != 0) {
        watched_for = KG__MODEL_COUNT;
        kg__requests.checking = false;
        return false;
    }
    report.blocks += blocks;
    return true;
}

static void begin_launch(size_t shared_bytes, bool blocks_wait)
{
    uint64_t *most = &at_large.value[KG__SHARED_BYTES];
    const kg__region *resized = kg__regions_begin_launch();

    kg__model_look_everywhere(true);
    if (resized != NULL)
        kg__sites_forget_region(resized);
    grid_blocks = kg__exec_volume(gridDim);
    work = (kg__work_of_blocks){ 0 };
    accesses_at_launch = kg__requests.accesses;
    sampling = false;
    all_blocks_run = blocks_wait;
    at_large.value[KG__LAUNCHES]++;
    report.kernels = kg__hash_text(report.kernels, kg__exec_kernel_name());
    at_large.value[KG__BLOCKS] += grid_blocks;
    at_large.value[KG__THREADS] += grid_blocks * kg__exec_thread_count();
    if (*most < shared_bytes)
        *most = shared_bytes;
    kg__shadow_begin_launch();
    kg__clusters_begin_launch();
    kg__regions_begin_block(true);
}

static void begin_block(void)
{
    memset(kg__requests.of_warps, 0, sizeof kg__requests.of_warps);
    kg__order_begin_block(kg__exec_number_of(blockIdx, gridDim));
    kg__clusters_begin_block();
    kg__regions_begin_block(false);
}

/* Returns how many blocks of a dimension are in a range. */
static uint64_t range_size(unsigned int range, unsigned int blocks)
{
    return range == 0 ? 1 : range == 1 ? (blocks > 2 ? blocks - 2 : 0) : blocks > 1;
}

/* Returns the index of the i-th block of a range. */
static unsigned int range_index(unsigned int range, unsigned int blocks, uint64_t i)
{
    return range == 0 ? 0 : range == 1 ? 1 + (unsigned int)i : blocks - 1;
}

static uint64_t size_of_class(unsigned int number)
{
    return range_size(number % RANGES, gridDim.x) *
           range_size(number / RANGES % RANGES, gridDim.y) *
           range_size(number / RANGES / RANGES, gridDim.z);
}

static void begin_class(unsigned int number)
{
    class_number = number;
    class_size = number < CLASSES ? size_of_class(number) : 0;
    class_wanted = class_size < sampled_per_class ? class_size : sampled_per_class;
    class_taken = 0;
}

/* Discards the launch's counts so far, and counts some blocks of each class; or continues, if
 * that would be all blocks. */
static void begin_sampling(uint64_t per_block)
{
    unsigned int classes = 0;
    uint64_t sampled = 0;
    uint64_t thrown_away[2];

    for (unsigned int i = 0; i < CLASSES; i++)
        classes += size_of_class(i) > 0;
    sampled_per_class = budget / 2 / classes / per_block;
    if (sampled_per_class == 0)
        sampled_per_class = 1;
    for (unsigned int i = 0; i < CLASSES; i++) {
        uint64_t size = size_of_class(i);

        sampled += size < sampled_per_class ? size : sampled_per_class;
    }
    if (sampled == grid_blocks)
        return;
    kg__sites_weigh(0, 1);
    kg__regions_count_unique(thrown_away, NULL);
    kg__shadow_begin_launch();
    work = (kg__work_of_blocks){ 0 };
    accesses_at_launch = kg__requests.accesses;
    sampling = any_sampled = true;
    begin_class(0);
}

/* Chooses the next block that a sampled launch runs; false after the last. */
static bool choose_block(uint3 *block)
{
    uint64_t i;
    uint64_t columns;
    uint64_t rows;

    while (class_taken == class_wanted) {
        if (class_taken > 0)
            kg__sites_weigh(class_size, class_taken);
        if (class_number == CLASSES)
            return false;
        begin_class(class_number + 1);
    }
    /* Evenly spaced, each in the middle of its share. */
    i = (2 * class_taken + 1) * class_size / (2 * class_wanted);
    class_taken++;
    columns = range_size(class_number % RANGES, gridDim.x);
    rows = range_size(class_number / RANGES % RANGES, gridDim.y);
    if (columns == 0 || rows == 0)
        return false;
    *block = (uint3){
        range_index(class_number % RANGES, gridDim.x, i % columns),
        range_index(class_number / RANGES % RANGES, gridDim.y, i / columns % rows),
        range_index(class_number / RANGES / RANGES, gridDim.z, i / columns / rows),
    };
    return true;
}

static kg__exec_next_block end_block(uint3 *next)
{
    uint64_t accesses = kg__requests.accesses - accesses_at_launch;

    if (on_block_end != NULL)
        on_block_end();
    kg__shadow_end_block();
    if (kg__exec_cluster_size() > 1)
        kg__order_suspend(true);
    kg__clusters_end_block();
    work.blocks++;
    kg__requests_of_block(work.busiest);
    if (!sampling && !all_blocks_run && budget > 0 && accesses > budget / BUDGET_PART &&
        accesses / work.blocks > budget / grid_blocks)
        begin_sampling(accesses / work.blocks);
    if (!sampling)
        return KG__EXEC_NEXT_IN_ORDER;
    return choose_block(next) ? KG__EXEC_NEXT_CHOSEN : KG__EXEC_NEXT_NONE;
}

void kg__watch_on_block_end(void (*ended)(void))
{
    on_block_end = ended;
}

void kg__model_on_launch(void (*ended)(const kg__counts *counts, uint64_t accesses))
{
    on_launch = ended;
}

/* The counters of all launches. */
static kg__counts sum_counts(void)
{
    kg__counts counts = at_large;

    for (const kg__site *site = kg__sites; site != NULL; site = site->next)
        kg__site_add_counts(site, &counts);
    return counts;
}

static void end_launch(bool complete)
{
    uint64_t unique[2] = { 0, 0 };

    kg__model_look_everywhere(false);
    kg__trace_pause();
    if (!complete)
        kg__trace_finish();
    kg__races_settle(true);
    if (!sampling)
        kg__sites_weigh(1, 1);
    else if (kg__watch_checks())
        kg__cells_forget(); /* the other blocks' writes are unknown */
    kg__regions_count_unique(unique, spans);
    at_large.value[KG__UNIQUE_BYTES_READ] += unique[0];
    at_large.value[KG__UNIQUE_BYTES_WRITTEN] += unique[1];
    at_large.value[KG__BUSIEST_BLOCK_REQUESTS] += work.busiest[0];
    at_large.value[KG__BUSIEST_WARP_REQUESTS] += work.busiest[1];
    report.blocks += grid_blocks;
    report.watched += work.blocks;
    if (on_launch != NULL) {
        const kg__counts counts = sum_counts();
        const uint64_t accesses = kg__requests.accesses - accesses_at_launch;

        accesses_of_launches += sampling ? accesses / work.blocks * grid_blocks : accesses;
        on_launch(&counts, accesses_of_launches);
    }
}

static void note_barrier(uintptr_t code, bool several)
{
    if (kg__watch_checks())
        kg__compare_barriers(code, several, kg__order.block_began);
    kg__site_note(code, KG__ACCESS_BARRIER, 1);
    kg__shadow_barrier();
}

static void note_warp_operation(unsigned int warp, uint32_t lanes,
                                kg__model_warp_operation operation, uintptr_t code)
{
    if (operation == KG__MODEL_SYNC)
        kg__order_sync(warp, lanes);
    else if (operation == KG__MODEL_MATRIX || operation == KG__MODEL_GATHER)
        kg__order_meet(warp, lanes);
    else if (operation <= KG__MODEL_SHUFFLE_XOR)
        kg__site_note(code, KG__ACCESS_SHUFFLE, 1);
}

static void note_shuffle_outside(unsigned int thread, unsigned int source, uint32_t mask,
                                 uint32_t lanes, uintptr_t code)
{
    if (kg__watch_checks())
        kg__find(code, thread,
                 &(kg__finding){ .kind = KG__SHUFFLE_OUTSIDE,
                                 .by.access = KG__READ,
                                 .has_index = true,
                                 .index = source,
                                 .mask = mask,
                                 .absent = mask & ~lanes });
}

void kg__fail_overwritten(void)
{
    kg__model_trap(cudaErrorLaunchFailure, "missing wait: the source of an asynchronous copy was "
                                           "overwritten before the wait for it");
}

static void note_copied(void *to, size_t size, unsigned int thread, bool same,
                        kg__model_barrier_object *by)
{
    kg__region *region = kg__watch_checks() ? kg__region_at((uintptr_t)to) : NULL;
    uintptr_t offset = region != NULL ? (uintptr_t)to - region->start : 0;

    if (!same)
        kg__fail_overwritten();
    if (region != NULL && offset < region->bytes)
        kg__shadow_copied(region, (uint32_t)offset, (unsigned int)size, thread, 0, by);
}

/* The watcher's data of a block that waits for others. */
typedef struct kept_block {
    uint64_t of_warps[KG__MODEL_MAX_WARPS];
    uint32_t first_began;
    void *shared; /* of a grid */
    void *order;
} kept_block;

static void *suspend_block(void)
{
    kept_block *kept = kg__allocate(1, sizeof *kept);

    memcpy(kept->of_warps, kg__requests.of_warps, sizeof kept->of_warps);
    kept->first_began = kg__order.first_began;
    kg__races_end_block();
    if (kg__exec_cluster_size() > 1)
        kg__order_suspend(false);
    kept->order = kg__blocks_suspend();
    if (!kg__clusters_keep(false))
        kept->shared = kg__shadow_suspend_block();
    return kept;
}

static void note_cluster(uintptr_t code)
{
    if (kg__exec_cluster_size() > 1)
        kg__trace_note_barrier(kg__clocks_of_cluster(), true, code);
}

static void sync_blocks(void)
{
    if (kg__clusters_sync())
        return;
    kg__races_settle(true);
    kg__shadow_begin_launch();
}

static void resume_block(void *suspended)
{
    kept_block *kept = suspended;

    memcpy(kg__requests.of_warps, kept->of_warps, sizeof kept->of_warps);
    kg__order_begin_block(kg__exec_number_of(blockIdx, gridDim));
    kg__order.first_began = kept->first_began;
    if (!kg__clusters_keep(true))
        kg__shadow_resume_block(kept->shared);
    kg__blocks_resume(kept->order);
    free(kept);
}

/* Sampled launches choose their blocks, without checks nobody sees which memory blocks share, and
 * of a kernel that was built as plain nobody sees what it writes. */
static bool may_fork(void)
{
    return kg__watch_checks() && budget == 0 && kg__requests.accesses > accesses_at_launch;
}

static void begin_process(void)
{
    work.blocks = 0;
    kg__handover_begin();
}

static void end_process(FILE *to)
{
    kg__handover_write(&work, to);
}

static bool add_processes(FILE *const *from, unsigned int count)
{
    return kg__handover_add(&work, from, count);
}

const kg__exec_watcher *kg__watch_watcher(void)
{
    static const kg__exec_watcher watcher = {
        .begin_launch = begin_launch,
        .end_launch = end_launch,
        .begin_block = begin_block,
        .end_block = end_block,
        .begin_warp = kg__trace_begin,
        .resume_lane = kg__trace_resume,
        .pause_lane = kg__trace_pause,
        .replay = kg__trace_replay,
        .barrier = note_barrier,
        .warp_operation = note_warp_operation,
        .shuffle_outside = note_shuffle_outside,
        .copied = note_copied,
        .at_object = kg__trace_note_barrier,
        .complete_object = kg__shadow_complete,
        .leave_object = kg__order_wait,
        .at_cluster = note_cluster,
        .suspend_block = suspend_block,
        .sync_blocks = sync_blocks,
        .resume_block = resume_block,
        .may_fork = may_fork,
        .begin_process = begin_process,
        .end_process = end_process,
        .add_processes = add_processes,
    };

    return watching ? &watcher : NULL;
}

void kg__watch_written(const void *pointer, size_t count)
{
    if (watching)
        at_large.value[KG__COPIED_BYTES] += count;
    kg__tables_forget(pointer, count);
    if (kg__watch_checks() && kg__model_find(pointer) != NULL)
        kg__watch_set(pointer, count, true);
}

void kg__watch_set(const void *pointer, size_t count, bool written)
{
    if (kg__watch_checks())
        kg__shadow_set(kg__region_at((uintptr_t)pointer), (uintptr_t)pointer, count, written);
}

const kg__model_report *kg__model_seen(void)
{
    report.counts = sum_counts();
    report.lines = kg__lines_of_sites(&report.line_count);
    if (any_sampled)
        report.counts.value[KG__UNIQUE_BYTES_READ] = report.counts.value[KG__UNIQUE_BYTES_WRITTEN] =
            0;
    report.findings = kg__model_findings(&report.finding_count);
    report.accesses = kg__requests.accesses;
    report.too_large = kg__watch_checks() ? kg__cells_too_large() : NULL;
    report.too_many_words = kg__words_overflow;
    return &report;
}
