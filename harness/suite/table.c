/* SPDX-License-Identifier: MIT */
#include "suite/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite/id_parts.h"

unsigned kg__part_purposes(const char *part)
{
#ifdef KG__TARGET_GPU
    /* Part time checks sizes that are only timed, before and after. */
    if (strcmp(part, "check") == 0)
        return KG_PURPOSE_CHECK;
    if (strcmp(part, "time") == 0 || strcmp(part, KG__PART_IDENTIFY) == 0)
        return KG_PURPOSE_TIME;
    if (strcmp(part, "launch") == 0)
        return KG_PURPOSE_COUNT;
#else
    if (strcmp(part, "check") == 0)
        return KG_PURPOSE_CHECK | KG_PURPOSE_MODEL | KG_PURPOSE_BOUNDS;
    if (strcmp(part, "count") == 0)
        return KG_PURPOSE_COUNT;
#endif
    return 0;
}

static bool is_defects(const char *part)
{
    return strcmp(part, "defects") == 0;
}

bool kg__is_part(const char *part)
{
    return is_defects(part) || kg__part_purposes(part) != 0;
}

void kg__table_name(const kg_comparison *comparison, kg__case *c)
{
    kg__case_id_write(comparison, c->variant, c->size, &c->launch, c->id);
}

static bool launches_are_good(const kg_comparison *comparison, const kg_launch *launches,
                              kg__error *error)
{
    int axes = kg__axis_count(comparison);

    for (const kg_launch *launch = launches; launch != NULL && launch->axes != 0; launch++) {
        if (launch->axes > axes)
            return kg__fail(
                error,
                "%s: a launch has %d values, but there are %d axes: name the others in .axes",
                comparison->name, launch->axes, axes);
        for (int i = 0; i < launch->axes; i++) {
            if (launch->axis[i] < 1)
                return kg__fail(error,
                                "%s: a launch with the value %d: the values of axes are numbers "
                                "from 1 on; the last ones may be omitted",
                                comparison->name, launch->axis[i]);
        }
    }
    return true;
}

static bool memory_is_good(const kg_variant *variant)
{
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++) {
        if ((int)variant->advanced.memory[i] < KG_DEVICE ||
            (int)variant->advanced.memory[i] > KG_PINNED)
            return false;
    }
    return true;
}

static bool variant_is_good(const kg_comparison *comparison, const kg_variant *variant,
                            kg__error *error)
{
    const char *problem = NULL;

    if (!kg__name_is_plain(variant->name) || variant->launch == NULL)
        problem = "a variant needs a launcher and a name of only a-z, 0-9 and _";
    else if (!memory_is_good(variant))
        problem = "a .memory that is not a kg_memory";
    else if ((int)variant->advanced.clock < KG_GRAPH_CLOCK ||
             (int)variant->advanced.clock > KG_FIRST_TOUCH_CLOCK)
        problem = "a .clock that is not a kg_clock";
    else if ((variant->advanced.not_for & ~(unsigned)(KG_PURPOSE_TIME | KG_PURPOSE_COUNT)) != 0)
        problem = ".not_for may only have KG_PURPOSE_TIME and KG_PURPOSE_COUNT, since every "
                  "variant is checked";
    if (problem != NULL)
        return kg__fail(error, "%s/%s: %s: fix its row", comparison->name, variant->name, problem);
    return launches_are_good(comparison, variant->launches, error);
}

static bool size_is_good(const kg_comparison *comparison, const kg_size *size, kg__error *error)
{
    return (size->extents >= 1 && size->extents <= KG_MAX_EXTENTS) ||
           kg__fail(error, "%s: a size of %d numbers: write 1 to %d", comparison->name,
                    size->extents, KG_MAX_EXTENTS);
}

/* Returns whether a size is refused because of its numbers. */
static bool size_is_empty(const kg_comparison *comparison, const kg_size *size)
{
    for (int i = 0; i < size->extents; i++) {
        if (size->extent[i] < 0 || (size->extent[i] == 0 && !comparison->advanced.takes_zero))
            return true;
    }
    return false;
}

/* A refused size has no work. */
static bool work_is_good(const kg_comparison *comparison, const kg_size *size, kg__error *error)
{
    kg_work work;

    if (comparison->work == NULL || size_is_empty(comparison, size))
        return true;
    work = comparison->work(size);
    return (work.operations >= 0 && isfinite(work.operations) && work.bytes >= 0 &&
            isfinite(work.bytes)) ||
           kg__fail(error,
                    "%s: .work has %g operations and %g bytes for the size that begins with "
                    "%" PRId64 ": both must be numbers of at least 0",
                    comparison->name, work.operations, work.bytes, size->extent[0]);
}

/* Two rows of one name with different launches would pass for one variant. */
static bool variants_differ(const kg_comparison *comparison, const kg_variant *variant,
                            kg__error *error)
{
    for (const kg_variant *before = comparison->variants; before != variant; before++) {
        if (strcmp(before->name, variant->name) == 0)
            return kg__fail(error, "%s/%s: two variants of one name: rename one", comparison->name,
                            variant->name);
    }
    return true;
}

static bool defects_are_good(const kg_comparison *comparison, kg__error *error)
{
    for (const kg_defect *defect = kg__table_defects(); defect->name != NULL; defect++) {
        const kg_launch launch[] = { defect->launch, KG_END };

        if (!variant_is_good(comparison, &defect->variant, error) ||
            !size_is_good(comparison, &defect->size, error) ||
            !launches_are_good(comparison, launch, error))
            return false;
        for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
            /* Their cases would have the same ids. */
            if (strcmp(variant->name, defect->variant.name) == 0)
                return kg__fail(error,
                                "%s/%s: a variant and a defect of one name: rename the defect",
                                comparison->name, variant->name);
        }
    }
    return true;
}

static bool wide_is_good(const kg_comparison *comparison, kg__error *error)
{
    kg_magnitudes wide = comparison->advanced.wide;

    return wide.most < 0 ||
           (wide.least >= 0 && isfinite(wide.least) && isfinite(wide.most) &&
            (wide.most == 0 || wide.most >= wide.least)) ||
           kg__fail(error,
                    "%s: .advanced.wide is from %g to %g: expected magnitudes such as { 0, 100 }, "
                    "or KG_NOT_WIDE",
                    comparison->name, wide.least, wide.most);
}

static bool table_is_good(const kg_comparison *comparison, kg__error *error)
{
    if (!kg__name_is_plain(comparison->name))
        return kg__fail(error, "%s: a comparison's name may only have a-z, 0-9 and _: rename it",
                        comparison->name);
    if (!kg__axes_are_good(comparison, error))
        return false;
    if (comparison->variants == NULL || comparison->variants[0].name == NULL)
        return kg__fail(error, "%s: the table has no variant: add a row to its variants",
                        comparison->name);
    for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
        if (!variant_is_good(comparison, variant, error) ||
            !variants_differ(comparison, variant, error))
            return false;
    }
    if (comparison->arguments == NULL || comparison->reference == NULL)
        return kg__fail(error, "%s: the table lacks .arguments or .reference: add them",
                        comparison->name);
    if (comparison->advanced.projection != NULL && comparison->work == NULL)
        return kg__fail(error,
                        "%s: a .projection needs .work, which decides when it applies: add it",
                        comparison->name);
    if (comparison->sizes == NULL || comparison->sizes[0].extents == 0)
        return kg__fail(error, "%s: the table has no size: add one to its sizes", comparison->name);
    for (const kg_size *size = comparison->sizes; size->extents != 0; size++) {
        if (!size_is_good(comparison, size, error) || !work_is_good(comparison, size, error))
            return false;
    }
    return wide_is_good(comparison, error) &&
           launches_are_good(comparison, comparison->launches, error) &&
           defects_are_good(comparison, error);
}

/* Adds a case after those that it is timed side by side with. */
static void add_case(const kg_comparison *comparison, kg__case_list *cases,
                     const kg_variant *variant, const kg_size *size, kg_launch launch)
{
    kg__case c = { .variant = variant, .size = size, .launch = launch, .id = "" };
    size_t index = cases->count;

    kg__table_name(comparison, &c);
    cases->list = kg__grow(cases->list, cases->count, &cases->capacity, sizeof *cases->list);
    while (index > 0 && cases->list[index - 1].size == size &&
           !kg__table_side_by_side(&cases->list[index - 1], &c))
        index--;
    if (index == 0 || cases->list[index - 1].size != size)
        index = cases->count;
    memmove(&cases->list[index + 1], &cases->list[index],
            (cases->count - index) * sizeof *cases->list);
    cases->list[index] = c;
    cases->count++;
}

/* Adds every launch of a variant: "-" without axes. */
static void add_launches(const kg_comparison *comparison, kg__case_list *cases,
                         const kg_variant *variant, const kg_size *size)
{
    static const kg_launch no_launch[] = { KG_END };
    const kg_launch *launches = kg__table_launches(comparison, variant);
    const kg_launch *launch = launches != NULL ? launches : no_launch;

    add_case(comparison, cases, variant, size, launch[0]);
    for (size_t i = 1; launch[0].axes != 0 && launch[i].axes != 0; i++)
        add_case(comparison, cases, variant, size, launch[i]);
}

static bool ids_are_good(const kg__case_list *cases, kg__error *error)
{
    for (size_t i = 0; i < cases->count; i++) {
        /* An id that fills its array may have been cut. */
        if (strlen(cases->list[i].id) == KG__CASE_ID_SIZE - 1)
            return kg__fail(error, "%.60s...: an id of more than %d characters: shorten the names",
                            cases->list[i].id, KG__CASE_ID_SIZE - 2);
        if (kg__table_find(cases, cases->list[i].id) != &cases->list[i])
            return kg__fail(error, "%s: appears twice in the table: remove one of the two",
                            cases->list[i].id);
    }
    return true;
}

const kg_defect *kg__table_defects(void)
{
    static const kg_defect no_defects;

    return &kg__defects != NULL ? kg__defects : &no_defects;
}

bool kg__table_expand_for(const kg_comparison *comparison, unsigned purposes, kg__case_list *cases,
                          kg__error *error)
{
    *cases = (kg__case_list){ 0 };
    if (!table_is_good(comparison, error))
        return false;
    for (const kg_size *size = comparison->sizes; size->extents != 0; size++) {
        for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
            if ((size->purpose & purposes & ~variant->advanced.not_for) != 0)
                add_launches(comparison, cases, variant, size);
        }
    }
    return ids_are_good(cases, error);
}

bool kg__table_expand(const kg_comparison *comparison, const char *part, kg__case_list *cases,
                      kg__error *error)
{
    if (!kg__table_expand_for(comparison, kg__part_purposes(part), cases, error))
        return false;
    if (!kg__is_part(part))
        return kg__fail(error, "%s: this target has no part %s: see --help", comparison->name,
                        part);
    if (!is_defects(part))
        return true;
    for (const kg_defect *defect = kg__table_defects(); defect->name != NULL; defect++)
        add_case(comparison, cases, &defect->variant, &defect->size, defect->launch);
    return ids_are_good(cases, error);
}

bool kg__table_side_by_side(const kg__case *a, const kg__case *b)
{
    return a->size == b->size && a->launch.axis[0] == b->launch.axis[0];
}

const kg__case *kg__table_find(const kg__case_list *cases, const char *id)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (strcmp(cases->list[i].id, id) == 0)
            return &cases->list[i];
    }
    return NULL;
}

/* Returns whether a variant has a launch with as many values as this one. */
static bool form_fits(const kg_launch *launches, const kg_launch *launch)
{
    if (launches == NULL || launches->axes == 0)
        return launch->axes == 0;
    for (; launches->axes != 0; launches++) {
        if (launch->axes == launches->axes)
            return true;
    }
    return false;
}

bool kg__table_parse(const kg_comparison *comparison, const char *id, kg__case *c, kg__error *why)
{
    kg__case_id parts;

    *c = (kg__case){ .id = "" };
    if (!kg__case_id_read(comparison, id, &parts, why))
        return false;
    c->variant = parts.variant;
    c->launch = parts.launch;
    if (!form_fits(kg__table_launches(comparison, c->variant), &c->launch))
        return kg__fail(why,
                        "%s: the launches of %s have another form: --candidates prints the "
                        "ids",
                        id, c->variant->name);
    for (const kg_size *size = comparison->sizes; size->extents != 0; size++) {
        c->size = size;
        kg__table_name(comparison, c);
        if (strcmp(c->id, id) == 0)
            return true;
    }
    return kg__fail(why, "%s: the table of %s has no such size; see --candidates", id,
                    comparison->name);
}

const char *kg__case_refusal(const kg_comparison *comparison, const kg__case *c)
{
    const char *reason;

    if (size_is_empty(comparison, c->size))
        return "a size below 1 leaves nothing to compute";
    if (comparison->refuses == NULL)
        return NULL;
    reason = comparison->refuses(c->variant, c->size, &c->launch);
    return reason != NULL && reason[0] == '\0' ? "no reason: .refuses returned an empty text"
                                               : reason;
}

const kg_work *kg__work_of(const kg_comparison *comparison, const kg__case *c, kg_work *work)
{
    kg_arguments arguments = { .size = c->size, .launch = c->launch, .variant = c->variant };

    if (comparison->work == NULL)
        return NULL;
    *work = comparison->work(c->size);
    if (work->bytes == 0)
        comparison->arguments(c->size, &arguments);
    for (int i = 0; i < arguments.count && i < KG_MAX_ARGUMENTS; i++) {
        const kg_argument *argument = &arguments.list[i];
        double bytes = (double)argument->rows * (double)argument->columns *
                       (double)kg_type_size(argument->type);

        work->bytes += bytes * (kg__is_filled(argument) + kg__is_compared(argument));
    }
    return work;
}

void kg__case_list_free(kg__case_list *cases)
{
    free(cases->list);
    *cases = (kg__case_list){ 0 };
}
