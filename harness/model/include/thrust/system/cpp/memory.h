/* SPDX-License-Identifier: MIT */
#pragma once
#include_next <thrust/system/cpp/memory.h>

#include <thrust/system/cuda/memory.h>
