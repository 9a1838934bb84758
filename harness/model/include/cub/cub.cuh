// SPDX-License-Identifier: MIT
#include <chrono> // as CCCL does, on which programs rely

#include "../kg_model_cub_more.h"
#include "util_allocator.cuh"
#include "util_debug.cuh"
