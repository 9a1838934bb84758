/* Launchers of the kernels with dynamic shared memory. */
#ifndef KG__SHARED_KERNELS_H
#define KG__SHARED_KERNELS_H

#include "tests/model/watch_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each reverses a block's part of `a` into `b`; the last two are defective. */
launcher launch_reverse_of_the_file, launch_reverse_in_a_kernel, launch_reverse_aligned,
    launch_reverse_volatile, launch_reverse_rows, launch_reverse_by_template,
    launch_reverse_two_views, launch_reverse_without_barrier, launch_reverse_beyond;
/* Lets reverse_in_a_kernel have so much. */
cudaError_t allow_reverse(int bytes);

#ifdef __cplusplus
}
#endif

#endif
