/* SPDX-License-Identifier: MIT */
#pragma once
#include_next <thrust/system/cpp/vector.h>

#include <thrust/system/cuda/vector.h>
