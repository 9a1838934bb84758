/* SPDX-License-Identifier: MIT */
/* Shared memory of blocks in clusters. */
#include "model/watch/clusters.h"

#include "model/exec/clusters.h"
#include "model/exec/launch.h"
#include "model/watch/blocks.h"
#include "model/watch/clocks.h"
#include "model/watch/findings.h"
#include "model/watch/order.h"
#include "model/watch/regions.h"
#include "model/watch/sites.h"
#include "model/watch/trace.h"

#include <stdint.h>
#include <stdlib.h>

static uint64_t running_cluster; /* by its number in the grid */

void kg__clusters_begin_launch(void)
{
    kg__region *next;

    running_cluster = UINT64_MAX;
    for (kg__region *region = kg__regions; region != NULL; region = next) {
        next = region->next;
        if (region->is_copy) {
            kg__sites_forget_region(region);
            kg__region_drop(region->base);
        } else if (region->space == KG__MODEL_SHARED) {
            region->between_blocks = kg__exec_cluster_size() > 1;
        }
    }
}

/* Resets a region to `bytes` bytes, none of them written. */
static void forget(kg__region *region, size_t bytes)
{
    if (region == NULL)
        return;
    free(region->cells);
    region->cells = NULL;
    region->state = KG__UNTOUCHED;
    region->bytes = bytes;
    region->ended_bytes = 0;
}

static void begin_cluster(void)
{
    for (size_t i = 0; i < kg__exec_cluster_arrays(); i++) {
        for (unsigned int rank = 0; rank < kg__exec_cluster_size(); rank++) {
            kg__cluster_array array = kg__exec_cluster_array(i, rank);

            forget(kg__region_of(array.copy), array.bytes);
            forget(kg__region_of(array.home), array.bytes);
        }
    }
    kg__order_begin_cluster();
}

void kg__clusters_begin_block(void)
{
    const uint3 size = kg__model_cluster_dim;
    uint64_t cluster =
        ((uint64_t)(blockIdx.z / size.z) * (gridDim.y / size.y) + blockIdx.y / size.y) *
            (gridDim.x / size.x) +
        blockIdx.x / size.x;

    if (kg__exec_cluster_size() == 1)
        return;
    if (cluster != running_cluster)
        begin_cluster();
    running_cluster = cluster;
    (void)kg__clusters_keep(true);
}

bool kg__clusters_lack(const kg__region *region)
{
    for (size_t i = 0; i < kg__exec_cluster_arrays(); i++) {
        if (kg__exec_cluster_array(i, 0).home == region->base)
            return false;
    }
    return region->space == KG__MODEL_SHARED && !region->is_copy;
}

/* Returns whether the block of the cluster whose shared memory a copy is may not have begun: the
 * cluster has not met, and nothing that the warp has waited for, or its block has been told, is of
 * that block. */
static bool may_not_have_begun(const kg__region *copy, unsigned int warp)
{
    kg__cluster_array array;

    return kg__order.last_cluster_sync == kg__order.cluster_began &&
           kg__exec_cluster_array_at(copy->start, &array) &&
           array.rank != kg__exec_cluster_rank() && !kg__clocks_know(warp, array.rank) &&
           !kg__blocks_have_heard(array.rank);
}

void kg__clusters_look_at(const kg__checked_access *mine)
{
    kg__finding what;

    if (kg__found_before(KG__AFTER_FREE, mine->site->code) ||
        !may_not_have_begun(mine->region, mine->thread / KG__MODEL_WARP))
        return;
    what = kg__finding_in(KG__AFTER_FREE, mine->region, mine->offset, mine->bytes,
                          kg__access_of(mine->kind));
    what.detail = "whose block may not have begun: synchronize the cluster before the access";
    kg__find(mine->site->code, mine->thread, &what);
}

/* Returns whether a cell's last read, by another block of the cluster, may come after the end of
 * the running block: nothing that any of its threads has waited for is behind it. */
static bool is_read_late(const kg__cell *cell)
{
    if (cell->read_time == KG__TIME_TO_COME || cell->read_time < kg__order.cluster_began ||
        kg__blocks_rank(cell->read_time) == kg__exec_cluster_rank() ||
        kg__blocks_have_seen_read(cell->read_time))
        return false;
    for (unsigned int thread = 0; thread < kg__exec_thread_count(); thread += KG__MODEL_WARP) {
        if (kg__clocks_order_reads(thread, cell))
            return false;
    }
    return true;
}

/* Finds what other blocks read of an array of the running block, which ends, and may have ended by
 * then. An arrival at its mbarrier object is no such read. */
static void find_late_reads(const kg__region *home, const kg__region *copy)
{
    for (size_t i = 0; home->state == KG__IN_CELLS && i < home->bytes / home->granule; i++) {
        const kg__row *row = &home->rows[i / KG__ROW];
        const kg__cell *cell = row->apart ? &home->cells[i] : &row->first;
        const kg__site *site = kg__site_numbered(cell->read_site);

        if (site != NULL && (site->kind & KG__ACCESS_ASYNC) == 0 && is_read_late(cell)) {
            kg__finding what =
                kg__finding_in(KG__AFTER_FREE, copy, i * home->granule, home->granule, KG__READ);
            what.detail = "whose block may have ended: synchronize the cluster behind the read";
            kg__set_index(&what.by.has_block, what.by.block, kg__blocks_index(cell->read_time));
            kg__find(site->code,
                     (unsigned int)__builtin_ctz(kg__reader_warps(cell)) * KG__MODEL_WARP, &what);
        }
    }
}

void kg__clusters_end_block(void)
{
    for (size_t i = 0; kg__exec_cluster_size() > 1 && i < kg__exec_cluster_arrays(); i++) {
        kg__cluster_array array = kg__exec_cluster_array(i, kg__exec_cluster_rank());
        kg__region *home = array.bytes > 0 ? kg__region_of(array.home) : NULL;
        kg__region *copy = array.bytes > 0 ? kg__region_at((uintptr_t)array.copy) : NULL;

        if (home != NULL && copy != NULL)
            find_late_reads(home, copy);
        forget(copy, 0);
        if (copy != NULL)
            copy->ended_bytes = array.bytes;
        forget(home, array.bytes);
    }
}

bool kg__clusters_keep(bool back)
{
    if (kg__exec_cluster_size() == 1)
        return false;
    for (size_t i = 0; i < kg__exec_cluster_arrays(); i++) {
        kg__cluster_array array = kg__exec_cluster_array(i, kg__exec_cluster_rank());
        kg__region *home = array.bytes > 0 ? kg__region_at((uintptr_t)array.home) : NULL;
        kg__region *copy = array.bytes > 0 ? kg__region_at((uintptr_t)array.copy) : NULL;
        kg__region *from = back ? copy : home;
        kg__region *to = back ? home : copy;

        if (from == NULL || to == NULL)
            continue;
        free(to->cells);
        to->cells = from->cells;
        to->rows = from->rows;
        to->state = from->state;
        to->granule = from->granule;
        from->cells = NULL;
        from->state = KG__UNTOUCHED;
    }
    return true;
}

bool kg__clusters_sync(void)
{
    if (kg__exec_cluster_size() == 1)
        return false;
    kg__order_sync_cluster();
    return true;
}
