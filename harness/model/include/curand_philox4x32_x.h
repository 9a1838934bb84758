/* SPDX-License-Identifier: MIT */
#include "curand_kernel.h"
