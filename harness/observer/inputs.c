/* SPDX-License-Identifier: MIT */
#include "observer/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shares.h"
#include "device/device.h"
#include "suite/element_type.h"

/* Seed of random and wide inputs; each argument adds its number. */
#define RANDOM_SEED UINT64_C(0x6b65726e656c0000)

/* An argument that is filled. */
typedef struct filling {
    const kg__element_type *type;
    void *data;
    uint64_t seed;
} filling;

static void randomize_share(void *context, size_t from, size_t count)
{
    const filling *of = context;

    of->type->randomize(of->data, from, count, of->seed);
}

void kg_fill_random(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    filling of = { kg__element_type_of(shape->type), data, RANDOM_SEED + (uint64_t)argument };

    kg__share_out(randomize_share, &of, shape->rows * shape->columns);
}

/* Returns the comparison's patterns after "random"; a first one of that name is pattern 0. */
static const kg_pattern *patterns_after_random(const kg_comparison *comparison)
{
    static const kg_pattern none[] = { KG_END };
    const kg_pattern *first =
        comparison->advanced.patterns != NULL ? comparison->advanced.patterns : none;

    return first->name != NULL && strcmp(first->name, "random") == 0 ? first + 1 : first;
}

static kg_pattern random_of(const kg_comparison *comparison)
{
    const kg_pattern *own = comparison->advanced.patterns;

    return patterns_after_random(comparison) != own && own != NULL
               ? *own
               : (kg_pattern){ .name = "random", .fill = kg_fill_random };
}

/* Returns whether pattern 1 is the harness's "wide". */
static bool has_wide(const kg_comparison *comparison)
{
    const kg_pattern *pattern = patterns_after_random(comparison);

    while (pattern->name != NULL && strcmp(pattern->name, "wide") != 0)
        pattern++;
    return pattern->name == NULL && comparison->advanced.wide.most >= 0 &&
           !random_of(comparison).exact;
}

bool kg__is_wide(const kg_comparison *comparison, int pattern)
{
    return pattern == 1 && has_wide(comparison);
}

int kg__pattern_count(const kg_comparison *comparison)
{
    const kg_pattern *pattern = patterns_after_random(comparison);
    int count = 1 + has_wide(comparison);

    for (; pattern->name != NULL; pattern++)
        count++;
    return count;
}

/* Watched launches take every pattern up to these bytes of arguments, and only the first above.
 * Accesses are much the same for all patterns, but errors that depend on inputs, such as
 * conversions out of range, are found. */
#define BYTES_OF_PATTERNS (16 << 10)

int kg__patterns_checked(const kg_comparison *comparison, const kg_arguments *arguments)
{
    return kg__device_watches() && kg__arguments_bytes(arguments) > BYTES_OF_PATTERNS
               ? 1
               : kg__pattern_count(comparison);
}

kg_pattern kg__pattern_at(const kg_comparison *comparison, int index)
{
    if (index == 0)
        return random_of(comparison);
    if (kg__is_wide(comparison, index))
        return (kg_pattern){ .name = "wide", .reference = random_of(comparison).reference };
    return patterns_after_random(comparison)[index - 1 - has_wide(comparison)];
}

/* Returns whether kg_fill_random() filled an argument's host copy. */
static bool is_random(const kg__problem *problem, int i)
{
    size_t bytes = kg__argument_bytes(&problem->base.arguments.list[i]);
    void *data = kg__allocate(bytes, 1);
    bool equal;

    kg_fill_random(&problem->base, i, data);
    equal = memcmp(data, problem->base.data[i], bytes) == 0;
    free(data);
    return equal;
}

/* Returns the largest exponent of wide inputs of a type after `narrowed` narrowings. Halving it
 * each time would go from values too large for exp() in double to values that exp() in float
 * takes as well, and an overflow in float would pass unseen. */
static int exponent_of(const kg__element_type *type, int narrowed)
{
    int exponent = type->spread;

    for (int i = 0; i < narrowed; i++)
        exponent = exponent * 3 / 4;
    return exponent;
}

/* Turns a random argument into a wide one. */
static void widen(const kg_comparison *comparison, kg__problem *problem, int i)
{
    const kg_argument *shape = &problem->base.arguments.list[i];
    const kg__element_type *type = kg__element_type_of(shape->type);
    kg_magnitudes wide = comparison->advanced.wide;
    int exponent = exponent_of(type, problem->narrowed);
    bool narrows = wide.most == 0;
    /* Without zeros once all magnitudes are 1. */
    bool zeros = wide.least == 0 && (exponent > 0 || exponent_of(type, problem->narrowed - 1) > 0);

    if (narrows || !kg__element_holds(type, wide.most))
        wide.most = fmax(ldexp(1, exponent), wide.least);
    if (wide.least == 0)
        wide.least = fmin(ldexp(1, -exponent), wide.most);
    problem->narrows = problem->narrows || (narrows && (exponent > 0 || zeros));
    problem->widest = fmax(problem->widest, wide.most);
    kg__element_fill_wide(type, problem->base.data[i], shape->rows * shape->columns,
                          RANDOM_SEED + (uint64_t)i, wide, zeros);
}

void kg__fill_input(const kg_comparison *comparison, kg__problem *problem, int i, bool wide)
{
    kg_pattern pattern = wide ? random_of(comparison) : problem->pattern;

    (pattern.fill != NULL ? pattern.fill : kg_fill_random)(&problem->base, i,
                                                           problem->base.data[i]);
    if (wide && kg_roundoff(problem->base.arguments.list[i].type) > 0 &&
        (pattern.fill == kg_fill_random || is_random(problem, i)))
        widen(comparison, problem, i);
}
