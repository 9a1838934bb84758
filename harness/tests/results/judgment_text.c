/* SPDX-License-Identifier: MIT */
/* The wording of every reason of a judgment. */
#include "results/judgment_text.h"

#include <criterion/criterion.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const kg__expectation usual = { 100000, 0.02, 50, true };
static const kg__expectation requests = { 9550600, 0, 0, true };
static const kg__expectation none = { 0, 0, 0, true };
static const kg__expectation damaged = { NAN, 0, 0, true };

typedef struct row {
    const kg__expectation *expectation;
    kg__interval observed;
    kg__surroundings around;
    const char *unit; /* NULL: ns */
} row;

#define OVER(e, v, low, high, ...)                                                                 \
    {                                                                                              \
        .expectation = (e), .observed = { v, low, high }, __VA_ARGS__                              \
    }
#define AT(e, v, ...) OVER(e, v, v, v, __VA_ARGS__)

/* What each sentinel moved by: copy and fma. */
#define MOVED(...)                                                                                 \
    .around = { .sentinel_move = { __VA_ARGS__ }, .sentinel_limit = { 0.01, 0.01, 0.01 } }

static const kg__expectation minute = { 60010, 0.02, 50, true };
static const kg__expectation short_time = { 812.5, 0.02, 50, true };
static const kg__expectation limited = { 9550600, 0.01, 0, true };
static const kg__expectation huge = { 1e14, 0.02, 0, true };
static const kg__expectation ungated_time = { 100000, 0.02, 0, false };
/* The wording of every reason. */
static const struct {
    row row;
    const char *why;
} reasons[] = {
    { AT(&minute, 61870, ), "slower by 3.1 % (61 870 ns against 60 010 ns, limit 2.0 %)" },
    { AT(&minute, 58100.4, ), "faster by 3.2 % (58 100 ns against 60 010 ns, limit 2.0 %)" },
    /* As many digits as it takes to tell the change from its limit. */
    { AT(&minute, 61216, ), "slower by 2.01 % (61 216 ns against 60 010 ns, limit 2.00 %)" },
    { AT(&minute, 58831, ), "faster by 1.965 % (58 831 ns against 60 010 ns, limit 1.961 %)" },
    { AT(&short_time, 900.25, ), "slower by 10.8 % (900.2 ns against 812.5 ns, limit 6.2 %)" },
    { AT(&none, 1, .unit = ""), "rose (1 against 0)" },
    { AT(&requests, 9550601, .unit = ""), "rose by 0.00001 % (9 550 601 against 9 550 600)" },
    { AT(&requests, 612680, .unit = ""), "fell by 93.6 % (612 680 against 9 550 600)" },
    /* A band that was set by hand is a limit of a counter's too. */
    { AT(&limited, 9741612, .unit = ""),
      "rose by 2.0 % (9 741 612 against 9 550 600, limit 1.0 %)" },
    { AT(&ungated_time, 200000, ),
      "not gated: slower by 100.0 % (200 000 ns against 100 000 ns, limit 2.0 %)" },
    { AT(&ungated_time, 100000, ), "not gated: unchanged at 100 000 ns" },
    { OVER(&usual, 100000, 99000, 101500, ),
      "too noisy: interval 2.5 %, needs 1.0 % (KG_CASE_SECONDS=2 measures longer)" },
    { OVER(&usual, 100000, -INFINITY, INFINITY, ),
      "too few samples for a confidence interval of 100 000 ns" },
    /* The first evidence is named. */
    { AT(&usual, 110000,
         .around = { .throttled = true, .foreign_processes = 1, .same_code = true }),
      "slower by 10.0 % (110 000 ns against 100 000 ns, limit 2.0 %); the GPU throttled" },
    { AT(&usual, 110000, .around = { .foreign_processes = 1, .same_code = true }),
      "slower by 10.0 % (110 000 ns against 100 000 ns, limit 2.0 %); 1 other process computed on "
      "the GPU" },
    { AT(&usual, 110000, .around = { .foreign_processes = 2 }),
      "slower by 10.0 % (110 000 ns against 100 000 ns, limit 2.0 %); 2 other processes computed "
      "on the GPU" },
    { AT(&usual, 103000, MOVED(0.028587457, 0)),
      "slower by 3.0 % (103 000 ns against 100 000 ns, limit 2.0 %); the copy sentinel moved by "
      "+2.9 % (limit 1.0 %)" },
    { AT(&usual, 96000, MOVED(0, -0.030459207)),
      "faster by 4.0 % (96 000 ns against 100 000 ns, limit 2.0 %); the fma sentinel moved by "
      "-3.0 % (limit 1.0 %)" },
    /* The longest reason keeps its end, which names the machine. */
    { AT(&huge, 9e14, .around = { .same_code = true }),
      "slower by 800.0 % (900 000 000 000 000 ns against 100 000 000 000 000 ns, limit 2.0 %); its "
      "launch and machine code are unchanged: the machine got slower" },
    { AT(&usual, 1e300, ), "slower by 1e+297 % (1e+300 ns against 100 000 ns, limit 2.0 %)" },
    { AT(&usual, 100000, ), "" },
    { AT(NULL, 5, ), "no baseline: record one with kernelgate rebaseline" },
    { AT(&damaged, 5, ),
      "the baseline's figures are unusable: record it again with kernelgate rebaseline" },
    { AT(&usual, NAN, ), "the value is not a number" },
    { AT(&usual, INFINITY, ), "the value is infinite" },
    { AT(&usual, -1, ), "the value is negative" },
    { OVER(&usual, 5, 6, 7, ), "the value lies outside of its own confidence interval" },
    { AT(&usual, 0, ), "the value is zero" },
};

Test(judgment_text, each_reason)
{
    for (size_t i = 0; i < COUNT(reasons); i++) {
        const row *row = &reasons[i].row;
        const char *unit = row->unit != NULL ? row->unit : "ns";
        kg__judgment judgment =
            kg__judge(&row->observed, row->expectation, &row->around, *unit != '\0');
        char text[KG__JUDGMENT_TEXT_SIZE];

        kg__judgment_text(text, sizeof text, &judgment, unit);
        cr_expect_str_eq(text, reasons[i].why);
    }
}
