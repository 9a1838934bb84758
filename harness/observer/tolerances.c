/* SPDX-License-Identifier: MIT */
#include "observer/tolerances.h"

#include <math.h>

#include "observer/inputs.h"
#include "suite/element_type.h"

/* Zeros are what a kernel leaves that does nothing; where they are right, ones stand for any other
 * wrong number. Infinities and NaN have no tolerance. */
static bool rejects(const kg__problem *problem, int output, size_t count)
{
    const double *tolerance = problem->tolerance[output];
    const double *list = problem->expected[output];
    const kg__element_type *type = kg__element_type_of(problem->base.arguments.list[output].type);

    for (size_t i = 0; i < count; i++) {
        double expected = type->is_expected_as_itself ? type->get(list, i) : list[i];

        if (isfinite(expected) && !(fabs(expected - (expected == 0)) <= tolerance[i]))
            return true;
    }
    return false;
}

/* Adds a problem's outputs, as bits: those that reject something, and those with elements. */
static void look_at(const kg__problem *problem, unsigned *rejecting, unsigned *present)
{
    for (int i = 0; i < problem->base.arguments.count; i++) {
        const kg_argument *shape = &problem->base.arguments.list[i];
        size_t count = problem->expected[i] != NULL ? shape->rows * shape->columns : 0;

        if (count > 0)
            *present |= 1U << i;
        if ((*rejecting & 1U << i) == 0 && rejects(problem, i, count))
            *rejecting |= 1U << i;
    }
}

static void look_at_size(const kg_comparison *comparison, const kg__case *c, unsigned *rejecting)
{
    kg_arguments arguments;
    kg__error ignored;
    unsigned present = 0;

    if ((c->size->purpose & KG_PURPOSE_BOUNDS) != 0 || kg__case_refusal(comparison, c) != NULL ||
        !kg__arguments_of(comparison, c, &arguments, &ignored))
        return;
    for (int i = 0; i < kg__patterns_checked(comparison, &arguments); i++) {
        kg__problem problem = { 0 };

        if (kg__problem_make(comparison, c, i, &problem, &ignored))
            look_at(&problem, rejecting, &present);
        kg__problem_free(&problem);
    }
}

bool kg__tolerances_reject(const kg_comparison *comparison, const kg__case *c,
                           const kg__problem *problems, int count, kg__error *error)
{
    /* Of the last variant: outputs that reject something, and whether other sizes were tried. */
    static const kg_variant *variant;
    static unsigned rejecting;
    static bool tried;
    kg__case other = *c;
    unsigned present = 0;
    int output = 0;

    if (variant != c->variant) {
        variant = c->variant;
        rejecting = 0;
        tried = false;
    }
    for (int i = 0; i < count; i++)
        look_at(&problems[i], &rejecting, &present);
    for (other.size = comparison->sizes;
         !tried && (present & ~rejecting) != 0 && other.size->extents != 0; other.size++)
        look_at_size(comparison, &other, &rejecting);
    if ((present & ~rejecting) == 0)
        return true;
    tried = true;
    while ((present & ~rejecting & 1U << output) == 0)
        output++;
    return kg__fail(error,
                    "%s: %s passes as zeros at every size, so its check cannot fail: narrow its "
                    "tolerances in .reference",
                    comparison->name, problems[0].base.arguments.list[output].name);
}
