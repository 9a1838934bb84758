// SPDX-License-Identifier: MIT
#include "../cub.cuh"
