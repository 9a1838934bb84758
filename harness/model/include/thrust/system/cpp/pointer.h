/* SPDX-License-Identifier: MIT */
#pragma once
#include_next <thrust/system/cpp/pointer.h>

#include <thrust/system/cuda/pointer.h>
