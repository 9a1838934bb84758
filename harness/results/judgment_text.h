/* SPDX-License-Identifier: MIT */
/* The words for a judgment. */
#pragma once

#include <stddef.h>

#include "judge/judge.h"

/* Enough for the longest reason. */
#define KG__JUDGMENT_TEXT_SIZE 256

/* Writes why a judgment has its verdict, one line with the figures that decided: "slower by 3.1 %
 * (61 870 ns against 60 010 ns, limit 2.0 %)". Empty for a value within its limit. `unit` follows
 * figures ("ns"); that of a counter is "". */
void kg__judgment_text(char *text, size_t size, const kg__judgment *judgment, const char *unit);
