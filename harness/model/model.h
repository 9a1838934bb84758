/* The CPU model: runs CUDA C kernels, compiled by g++ against the stand-in headers in include/, on
 * the CPU.
 *
 * One fiber per CUDA thread, warps of 32 lanes, one block after the other. A thread runs until it
 * comes to a barrier or a warp operation, or ends; then the next thread of its block goes on. A
 * thread that has not begun is begun on whatever fiber is idle, and a fiber whose thread has ended
 * begins the next one, so that a kernel without barriers runs its whole grid on one fiber and never
 * switches. A barrier is released when every thread of the block that has not ended waits at it (an
 * ended thread counts as arrived); a warp operation when every lane that its mask names does. When
 * no thread can run and nothing can be released, the launch fails, and a message says which threads
 * wait for what.
 *
 * Within a block threads go in ascending or in reversed order, and so do the blocks: a kernel whose
 * result depends on the order has a race. Global memory comes filled with 0xff bytes; dynamic
 * shared memory and the kernel's own static shared arrays are filled so before every block. An
 * access to an unmapped address and a stack that overflows end the launch with CUDA's error, not
 * the process.
 *
 * exec/ runs threads and knows nothing of the other two; watch/ (watch.h) counts and checks what
 * the threads of instrumented kernels do; runtime/ is the stand-in for cudart. Launches and calls
 * from several host threads take turns. This header is what the harness uses of exec/ and runtime/.
 */
#ifndef KG__MODEL_MODEL_H
#define KG__MODEL_MODEL_H

#include "model/exec/allocations.h"
#include "model/exec/launch.h"
#include "model/runtime/runtime.h"

#endif
