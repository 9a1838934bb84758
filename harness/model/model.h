/* SPDX-License-Identifier: MIT */
/* The CPU model: runs CUDA C kernels, compiled by g++ against the stand-in headers in include/, on
 * the CPU.
 *
 * One fiber per CUDA thread, warps of 32 lanes, one block after the other. A thread runs until it
 * reaches a barrier or a warp operation, or ends; then the next thread of its block runs. A thread
 * that has not begun is started on any idle fiber, and a fiber whose thread has ended starts the
 * next one, so a kernel without barriers runs its whole grid on one fiber and never switches. A
 * barrier is released when every thread of the block that has not ended waits at it (an ended
 * thread counts as arrived); a warp operation when every lane of its mask waits in it. When no
 * thread can run and nothing can be released, the launch fails, and a message says which threads
 * wait for what.
 *
 * The threads of a block run in ascending or in reversed order, and so do the blocks: a kernel
 * whose result depends on the order has a race. New global memory is filled with 0xff bytes; so are
 * dynamic shared memory and the kernel's own static shared arrays before every block. An access to
 * an unmapped address, or a stack overflow, ends the launch with CUDA's error, not the process.
 *
 * exec/ runs threads and does not use the other two; watch/ (watch.h) counts and checks the
 * actions of instrumented kernels; runtime/ is the stand-in for cudart. Launches and calls from
 * several host threads take turns. This header is the harness's interface to exec/ and runtime/. */
#pragma once

#include "model/exec/allocations.h"
#include "model/exec/launch.h"
#include "model/runtime/runtime.h"
