/* SPDX-License-Identifier: MIT */
/* Kernels on values of 16 and 8 bits, whose requests can be counted by hand, and the conversions
 * and arithmetic that the tests compare with references of their own. */
#pragma once

#include <stdint.h>

#include "tests/model/watch_kernels.h"

BEGIN_C

typedef enum half_format { FLOAT16, BFLOAT16, E4M3, E5M2 } half_format;

/* The value of `bits`, and the bits of `value` rounded in mode 0 to 3: nearest, to zero, down, up
 * (of e4m3 and e5m2, the nearest alone: saturated, or not in mode 1). */
float half_widen(half_format format, unsigned int bits);
unsigned int half_round(half_format format, double value, int mode);
unsigned int half_round_float(half_format format, float value, int mode);
unsigned int half_of_int64(half_format format, int64_t value, int mode);
unsigned int half_of_uint64(half_format format, uint64_t value, int mode);
int64_t half_to_int64(half_format format, unsigned int bits, int mode);
uint64_t half_to_uint64(half_format format, unsigned int bits, int mode);
int half_to_int(half_format format, unsigned int bits, int mode);
unsigned short half_to_ushort(half_format format, unsigned int bits, int mode);

/* a OPERATION b, or an fma with c for 'f'; float16 and bfloat16 alone. */
unsigned int half_compute(half_format format, char operation, unsigned int a, unsigned int b,
                          unsigned int c);

/* How many of the checks in half_functions.cpp fail, with the first one's line. */
int half_failures(int *line);

/* hashed_functions.cpp: what its part `which` gives, as a hash. */
uint64_t hash_of_functions(int which);

END_C
