/* SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/execution_policy.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system_error.h>

#include "kg_model_thrust.h"
