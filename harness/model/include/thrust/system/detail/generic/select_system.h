/* SPDX-License-Identifier: MIT */
/* What each algorithm includes; thus the model's are known wherever one is called. */
#pragma once
#include_next <thrust/system/detail/generic/select_system.h>

#include "kg_model_thrust.h"
