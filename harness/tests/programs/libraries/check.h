/* SPDX-License-Identifier: MIT */
/* What the programs of this folder check themselves with. */
#include <cstdio>

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                    \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)
