/* SPDX-License-Identifier: MIT */
/* Host calls of programs, in C++, and the kernels that they launch. */
#pragma once

#include "tests/model/watch_kernels.h"

BEGIN_C

/* Each makes its calls on the stream of `config`; an error, or cudaErrorUnknown where an answer is
 * wrong. Each thread of their kernels leaves call_expected in b. */
extern float call_expected;
launcher call_untyped, call_untyped_more, call_untyped_ex, call_untyped_template,
    call_untyped_cooperative, call_typed, call_typed_ex, call_typed_cooperative, call_dependent,
    call_symbols, call_pools, call_potential_block, call_hints, call_libraries;
/* Without the debug information that tells what its kernel takes. */
launcher call_untyped_lineless;

END_C
