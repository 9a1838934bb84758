/* SPDX-License-Identifier: MIT */
/* State of the shared memory of blocks in clusters. Internal to watching.
 *
 * While a block runs, its cells are those of the arrays' own regions. While another block of its
 * cluster runs, they are those of its copies' regions (model/exec/clusters.h). */
#pragma once

#include "model/watch/races.h"

#include <stdbool.h>

/* Forgets the last launch's copies, and marks whether shared arrays are shared between blocks. */
void kg__clusters_begin_launch(void);
/* Begins the block at blockIdx. */
void kg__clusters_begin_block(void);
/* Ends the running block and its shared memory. */
void kg__clusters_end_block(void);
/* Suspends the running block while it waits for its cluster, or (`back`) continues it; false
 * when the launch has no clusters. */
bool kg__clusters_keep(bool back);
/* Finds an access to a copy whose block may not have begun. */
void kg__clusters_look_at(const kg__checked_access *mine);
/* Returns whether a region is a shared array that the running kernel lacks: a former block's. */
bool kg__clusters_lack(const kg__region *region);
/* Notes that all blocks of the cluster that have not ended are synchronized; false when the
 * launch has no clusters. */
bool kg__clusters_sync(void);
