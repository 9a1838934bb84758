/* What timing and launching need to know of the GPU that kg__device_open() opened. */
#ifndef KG__DEVICE_DEVICE_GPU_H
#define KG__DEVICE_DEVICE_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "device/buffers.h"
#include "records/gpu_state.h"
#include "records/kernel_code.h"
#include "suite/table.h"

typedef struct kg__gpu_spec {
    char uuid[64]; /* "GPU-..."; names the lock */
    int multiprocessors;
    int threads_per_block;          /* at most */
    int threads_per_multiprocessor; /* at most */
    size_t l2_bytes;
    bool moves_managed; /* parts of managed memory can be moved while nothing runs */
} kg__gpu_spec;

/* The opened GPU. */
const kg__gpu_spec *kg__device_gpu(void);

/* The GPU's state now, as far as the driver reports it. Other processes are known only to a process
 * that holds the device alone. `throttled` becomes true when it is slowed down by heat or power; it
 * is left alone otherwise. */
kg__gpu_state kg__device_state(bool *throttled);

/* From here on the harness starts no kernel of its own, so that a profiler sees the cases' alone.
 */
void kg__device_keep_quiet(void);

/* How many kernels a launch of a case starts, found by capturing one in a graph that never runs; -1
 * with `why` where it starts none, or the launcher fails. */
int kg__device_kernels(const kg__case *c, const kg__buffers *buffers, kg__error *why);

/* What the first kernel of a launch takes of a multiprocessor, where it starts one and the driver
 * says so. Where all that the launch asks for is known, it has the names of its kernels, a list of
 * the pool's, and its identity. */
kg__kernel_code kg__device_kernel(kg__pool *pool, const kg__case *c, const kg__buffers *buffers);

/* Has the managed arguments move to the GPU or to the host, in the order of `stream`; false with
 * `why`. */
bool kg__device_move(const kg__buffers *buffers, bool to_device, cudaStream_t stream,
                     kg__error *why);

#endif
