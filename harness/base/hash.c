/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PRIME UINT64_C(0x100000001b3)

uint64_t kg__hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * PRIME;
    return hash;
}

uint64_t kg__hash_number(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ ((number >> (8 * i)) & 0xff)) * PRIME;
    return hash;
}

uint64_t kg__hash_text(uint64_t hash, const char *text)
{
    return kg__hash_bytes(hash, text, strlen(text) + 1);
}

void kg__hash_show(char text[KG__HASH_TEXT_SIZE], uint64_t hash)
{
    snprintf(text, KG__HASH_TEXT_SIZE, "%016" PRIx64, hash);
}
