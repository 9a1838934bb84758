/* SPDX-License-Identifier: MIT */
/* What kernels launch: grids, copies and fills that begin when the kernel's own grid has ended.
 * Internal to runtime/. */
#pragma once

#include "model/runtime/queue.h"

/* Keeps work that the running thread of a kernel gives a stream of its own, with a reference to the
 * action. Returns cudaErrorInvalidResourceHandle for another stream, and
 * cudaErrorLaunchMaxDepthExceeded where grids are nested too deep. */
cudaError_t kg__child_give(cudaStream_t stream, kg__action *action);
/* Executes what the launch that has ended was given, and what that gives; what `succeeded` is false
 * for is dropped. Returns the first error. */
cudaError_t kg__children_run(bool succeeded);
/* Returns a new stream of the running kernel's. */
cudaStream_t kg__child_stream(void);
/* Returns whether it is one. */
bool kg__child_stream_is(cudaStream_t stream);
