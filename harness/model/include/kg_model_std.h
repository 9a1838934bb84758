/* SPDX-License-Identifier: MIT */
/* The namespaces cuda and cuda::std: the C++17 library's names, and thread scopes. Names that
 * differ from that library, or are newer, are in the headers of <cuda/std/>. */
#pragma once

#include "cuda_runtime.h"

#define KG__STD __attribute__((always_inline, unused)) inline

namespace cuda
{

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread = 10
};

namespace std
{

using namespace ::std;

}

} // namespace cuda
