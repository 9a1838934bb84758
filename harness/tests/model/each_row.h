/* SPDX-License-Identifier: MIT */
/* The parameters of a test of each row of a table: the rows' numbers. Each has a process of its
 * own, since a kernel's fault loses the device. */
#pragma once

#include <criterion/parameterized.h>

#define EACH_ROW(suite, name, table)                                                               \
    ParameterizedTestParameters(suite, name)                                                       \
    {                                                                                              \
        static size_t rows[sizeof(table) / sizeof *(table)];                                       \
                                                                                                   \
        for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++)                               \
            rows[i] = i;                                                                           \
        return cr_make_param_array(size_t, rows, sizeof(table) / sizeof *(table));                 \
    }
