/* SPDX-License-Identifier: MIT */
/* Names by which std::copy(), and a vector of what two pointers enclose, call functions of the C
 * library that are seen by the names that they have there. Copies of 1, 2, 4, 8 and 16 bytes are
 * accesses with hooks, which g++ makes of them; others would be instructions without. Headers of
 * the system in which a macro of another header is used would be marked as code of the author. */
#pragma once
#pragma GCC system_header

#define __builtin_memmove memmove
#define __builtin_memset memset
#define __builtin_memcpy(to, from, size)                                                           \
    (__builtin_constant_p(size) && (size) <= 16 && ((size) & ((size)-1)) == 0                      \
         ? __builtin_memcpy(to, from, size)                                                        \
         : memcpy(to, from, size))
