/* Launchers of the kernels of what people write besides plain accesses. */
#ifndef KG__FEATURE_KERNELS_H
#define KG__FEATURE_KERNELS_H

#include "tests/model/watch_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each reverses a block's part of `a` into `b`; the last three are defective. */
launcher launch_reverse_of_the_file, launch_reverse_in_a_kernel, launch_reverse_aligned,
    launch_reverse_volatile, launch_reverse_rows, launch_reverse_by_template,
    launch_reverse_two_views, launch_reverse_without_barrier, launch_reverse_beyond,
    launch_reverse_before;
/* The value of its first call. */
int keep_first(int value);
/* Lets reverse_in_a_kernel have so much. */
cudaError_t allow_reverse(int bytes);

/* What each does is at its source. */
launcher launch_active_lanes, launch_add_by_leader, launch_add_by_leader_without_atomics,
    launch_match_all, launch_scoped_atomics, launch_hinted, launch_hinted_beyond, launch_draw,
    launch_draw_without_init;
/* A generator's first eight words, then of the same: a uniform number, three normal ones, and a
 * uniform and two normal ones in double precision. `seed` is the seed's halves, the subsequence and
 * the offset. */
cudaError_t launch_generator(const cudaLaunchConfig_t *config, int xorwow, uint4 seed,
                             unsigned int *words, double *numbers);

#ifdef __cplusplus
}
#endif

#endif
