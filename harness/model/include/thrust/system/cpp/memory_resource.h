/* SPDX-License-Identifier: MIT */
#pragma once
#include_next <thrust/system/cpp/memory_resource.h>

#include <thrust/system/cuda/memory_resource.h>
