/* SPDX-License-Identifier: MIT */
#include "vector_types.h"
