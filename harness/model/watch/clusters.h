/* What is known of the shared memory of blocks that run together. Internal to watching.
 *
 * The cells of a block are those of the arrays' own regions while it runs, and those of its copies'
 * regions (model/exec/clusters.h) while another one of its cluster does. */
#ifndef KG__MODEL_WATCH_CLUSTERS_H
#define KG__MODEL_WATCH_CLUSTERS_H

#include <stdbool.h>

/* Forgets the copies of the launch before, and says of shared arrays whether blocks share them. */
void kg__clusters_begin_launch(void);
/* The block at blockIdx begins. */
void kg__clusters_begin_block(void);
/* It has ended: its shared memory is gone. */
void kg__clusters_end_block(void);
/* It waits for its cluster, or (`back`) continues; false if the launch has no clusters. */
bool kg__clusters_keep(bool back);
/* All blocks of the cluster that have not ended have met; false where the launch has none. */
bool kg__clusters_sync(void);

#endif
