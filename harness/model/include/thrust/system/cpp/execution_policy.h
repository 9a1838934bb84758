/* SPDX-License-Identifier: MIT */
#pragma once
#include_next <thrust/system/cpp/execution_policy.h>

#include <thrust/system/cuda/execution_policy.h>
