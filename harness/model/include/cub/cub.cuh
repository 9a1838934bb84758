// SPDX-License-Identifier: MIT
// As CCCL's does, on which programs rely.
#include <chrono>
#include <cuda/atomic>

#include "../kg_model_cub_more.h"
#include "../kg_model_cub_raking.h"
#include "util_allocator.cuh"
#include "util_debug.cuh"
