/* SPDX-License-Identifier: MIT */
/* Launchers of kernels on more bytes than 32 bits can count, and on wide inputs. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "tests/model/c_linkage.h"

#define WIDE_ROWS 4
#define WIDE_WIDTH 8960

BEGIN_C

/* Each copies n bytes: right, by an int as index, and without a bounds check. */
kg_launcher wide_copy, wide_copy_by_int, wide_copy_unguarded;
/* Copies the last rows of a table, by an int that overflows for the row's number times its width.
 */
kg_launcher wide_gather;
/* Copies n floats, and converts each to an int that is not used. */
kg_launcher wide_truncate;

END_C
