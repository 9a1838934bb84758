/* SPDX-License-Identifier: MIT */
/* FNV-1a of 64 bits: small, the same on every machine, and good enough to tell kernels apart. No
 * protection against anyone who wants two texts to look alike. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What a hash of nothing is: where one begins. */
#define KG__HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* The size of a hash as 16 hexadecimal digits, with the NUL. */
#define KG__HASH_TEXT_SIZE 17

/* The hash with `bytes` more. */
uint64_t kg__hash_bytes(uint64_t hash, const void *data, size_t bytes);

/* The hash with a number more, the same whatever the order of its bytes in memory is. */
uint64_t kg__hash_number(uint64_t hash, uint64_t number);

/* The hash with a text and its end more, so that "ab", "c" differs from "a", "bc". */
uint64_t kg__hash_text(uint64_t hash, const char *text);

/* Writes a hash as 16 hexadecimal digits. */
void kg__hash_show(char text[KG__HASH_TEXT_SIZE], uint64_t hash);
