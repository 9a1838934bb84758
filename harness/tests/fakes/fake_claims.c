/* SPDX-License-Identifier: MIT */
/* Claims on the fake comparison, right ones and such as say nothing; what it counts and how long it
 * takes, the tests tell it. */
#include <kernelgate/kernelgate.h>
#include <math.h>

#define COUNTS(name, ...)                                                                          \
    KG_COUNT_CLAIM(fake, name)                                                                     \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#define TIMES(name, ...)                                                                           \
    KG_TIME_CLAIM(fake, name)                                                                      \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

COUNTS(fewer_sectors, kg_expect_less("global_load_sectors", "quick/64/b32", "plain/64/b32", 2))
COUNTS(fewer_sectors_per_request,
       kg_expect_less("global_load_sectors_per_request", "quick/64/b32", "plain/64/b32", 1.5))
COUNTS(sectors_per_request,
       kg_expect_within("global_load_sectors_per_request", "plain/64/b32", 2, 2.5))
COUNTS(fewer_barriers, kg_expect_less("barriers", "quick/64/b32", "plain/64/b32", 2))
COUNTS(as_many_barriers, kg_expect_less("barriers", "quick/64/b32", "plain/64/b32", 1),
       kg_expect_less("barriers", "plain/64/b32", "quick/64/b32", 1))
COUNTS(several, kg_expect_within("barriers", "plain/64/b32", 8, 8),
       kg_expect_less("global_load_sectors", "quick/64/b32", "plain/64/b32", 1),
       kg_expect_within("unique_bytes_read", "plain/64/b64", 0, 256))
COUNTS(no_such_case, kg_expect_within("barriers", "plain/64/b32", 0, 100),
       kg_expect_within("barriers", "plain/65/b32", 0, 100))
COUNTS(no_case_that_is_counted, kg_expect_less("barriers", "plain/64/b32", "plain/1/b32", 1))
COUNTS(no_such_metric, kg_expect_within("barrier", "plain/64/b32", 0, 100))
COUNTS(a_time, kg_expect_speedup("quick/64/b32", "plain/64/b32", 1.5))
COUNTS(no_factor, kg_expect_less("barriers", "quick/64/b32", "plain/64/b32", 0))
COUNTS(no_range, kg_expect_within("barriers", "plain/64/b32", 9, 8))
COUNTS(a_range_of_nothing, kg_expect_within("barriers", "plain/64/b32", NAN, NAN))
KG_COUNT_CLAIM(fake, nothing_at_all)
{
}

TIMES(quick_from_memory, kg_expect_less("cold_time_ns", "quick/64/b32", "plain/64/b32", 2),
      kg_expect_within("time_ns", "quick/64/b32", 4000, 6000))
TIMES(a_counter, kg_expect_within("barriers", "plain/64/b32", 0, 100))
TIMES(a_speedup_by_nothing, kg_expect_speedup("quick/64/b32", "plain/64/b32", -1))
