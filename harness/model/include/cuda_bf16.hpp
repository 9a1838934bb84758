// SPDX-License-Identifier: MIT
#include "cuda_bf16.h"
