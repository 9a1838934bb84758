/* SPDX-License-Identifier: MIT */
/* Launchers of kernels that use the headers of cuda:: and cuda::std, and CUB. */
#pragma once

#include "tests/model/watch_kernels.h"

/* The threads of a block of the kernels of cub_kernels.cpp. */
#define CUB_BLOCK 96
