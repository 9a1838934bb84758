/* SPDX-License-Identifier: MIT */
#pragma once
#include_next <thrust/system/cpp/detail/execution_policy.h>

#include "kg_model_thrust_policy.h"
