/* SPDX-License-Identifier: MIT */
/* Words that threads of the host access at the same time: of 1, 2, 4, 8 or 16 bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads a word of `bytes` bytes to `value`. */
void kg__exec_load_word(const void *word, void *value, size_t bytes);
/* Writes `value` to a word. */
void kg__exec_store_word(void *word, const void *value, size_t bytes);
/* Writes `now` to a word that has the value `old`; false if it has another. */
bool kg__exec_exchange_word(void *word, const void *old, const void *now, size_t bytes);
