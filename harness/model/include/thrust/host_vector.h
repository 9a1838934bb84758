/* SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/version.h>
#if THRUST_VERSION < 200200
#include "../kg_model_thrust_vectors.h"
#else
#include_next <thrust/host_vector.h>
#endif
