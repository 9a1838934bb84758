/* SPDX-License-Identifier: MIT */
#include "observer/tune_candidates.h"

#include <limits.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "records/observation.h"
#include "suite/case_id.h"
#include "suite/id_parts.h"
#include "suite/settings.h"

#define WARP 32
/* Maximum blocks as a multiple of the multiprocessors, doubling from 1: 2048 threads are 32
 * blocks of 64. */
#define WAVES_MAXIMUM 32

/* The part whose sizes the candidates have. */
#ifdef KG__TARGET_GPU
static const char measuring_part[] = "time";
#else
static const char measuring_part[] = "count";
#endif

/* Launches, collected with repetitions and then sorted. */
typedef struct launch_list {
    kg_launch *list;
    size_t count;
    size_t capacity;
} launch_list;

static void add_launch(launch_list *launches, const kg_launch *launch)
{
    *KG__ADD(launches->list, launches->count, launches->capacity) = *launch;
}

static int compare_launches(const void *left, const void *right)
{
    const kg_launch *a = left;
    const kg_launch *b = right;

    for (int i = 0; i < KG_MAX_AXES; i++) {
        if (a->axis[i] != b->axis[i])
            return a->axis[i] < b->axis[i] ? -1 : 1;
    }
    return 0;
}

static void sort_and_drop_repeated(launch_list *launches)
{
    size_t kept = 0;

    qsort(launches->list, launches->count, sizeof *launches->list, compare_launches);
    for (size_t i = 1; i < launches->count; i++) {
        if (compare_launches(&launches->list[kept], &launches->list[i]) != 0)
            launches->list[++kept] = launches->list[i];
    }
    launches->count = kept + 1;
}

/* Returns the elements of the largest output: more threads than that would have nothing to
 * compute. */
static int64_t largest_output(const kg_comparison *comparison, const kg__case *c)
{
    kg_arguments arguments = { .size = c->size, .launch = c->launch, .variant = c->variant };
    int64_t most = 1;

    comparison->arguments(c->size, &arguments);
    for (int i = 0; i < arguments.count && i < KG_MAX_ARGUMENTS; i++) {
        const kg_argument *shape = &arguments.list[i];
        bool fits = shape->columns == 0 || shape->rows <= (size_t)INT64_MAX / shape->columns;

        if (kg__is_compared(shape) && fits && (int64_t)(shape->rows * shape->columns) > most)
            most = (int64_t)(shape->rows * shape->columns);
    }
    return most;
}

/* The dimensions of a variant's launches at a size. */
typedef struct launch_space {
    const kg_comparison *comparison;
    const kg_launch *rows; /* the table's */
    int axes;              /* the most that a row has */
    int block;             /* the axis of threads per block, or -1 */
    int grid;              /* the axis of blocks, or -1 */
    int64_t elements;      /* of the largest output */
    const kg__limits *limits;
} launch_space;

static void add_launches_from(launch_list *launches, const launch_space *space, kg_launch *launch,
                              int axis);

/* Adds the launches with a value of an axis, given those of the axes before it. */
static void add_value(launch_list *launches, const launch_space *space, kg_launch *launch, int axis,
                      int64_t value)
{
    if (value < 1 || (axis == space->block && value > space->limits->threads_per_block))
        return;
    launch->axis[axis] = value < INT_MAX ? (int)value : INT_MAX;
    add_launches_from(launches, space, launch, axis + 1);
}

/* Adds the numbers of blocks worth trying, for the launch's number of threads. */
static void add_grids(launch_list *launches, const launch_space *space, kg_launch *launch)
{
    int64_t threads =
        space->block >= 0 ? launch->axis[space->block] : space->limits->threads_per_block;
    int64_t covering = (space->elements - 1) / threads + 1;
    int multiprocessors = space->limits->multiprocessors;

    for (int64_t grid = 1; grid < covering && grid < INT_MAX; grid *= 2)
        add_value(launches, space, launch, space->grid, grid);
    for (int64_t waves = 1; waves <= WAVES_MAXIMUM; waves *= 2) {
        if (waves * multiprocessors <= covering)
            add_value(launches, space, launch, space->grid, waves * multiprocessors);
    }
    add_value(launches, space, launch, space->grid, covering);
}

/* Adds the launches that begin with the values of the axes before `axis`. */
static void add_launches_from(launch_list *launches, const launch_space *space, kg_launch *launch,
                              int axis)
{
    const kg_range *range = &space->comparison->advanced.ranges[axis];

    if (axis == space->axes) {
        add_launch(launches, launch);
        return;
    }
    if (axis == space->grid)
        add_grids(launches, space, launch);
    for (int block = WARP; axis == space->block && block <= space->limits->threads_per_block;
         block += WARP)
        add_value(launches, space, launch, axis, block);
    for (int64_t value = range->first; value > 0 && value <= range->last;
         value += range->step > 0 ? range->step : value)
        add_value(launches, space, launch, axis, value);
    for (const kg_launch *row = space->rows; row->axes != 0 && axis != space->grid; row++) {
        if (axis < row->axes)
            add_value(launches, space, launch, axis, row->axis[axis]);
    }
}

/* Collects the launches of a variant that are worth trying at a size. */
static void choose_launches(launch_list *launches, const kg_comparison *comparison,
                            const kg_variant *variant, const kg_size *size,
                            const kg__limits *limits)
{
    static const kg_launch none[] = { KG_END };
    const kg_launch *own = kg__table_launches(comparison, variant);
    const kg_launch *rows = own != NULL ? own : none;
    launch_space space = { comparison, rows, 0, kg__axis_of(comparison, "block"), -1, 0, limits };
    kg__case first = { .variant = variant, .size = size, .launch = rows[0] };
    bool in_graph = variant->advanced.clock == KG_GRAPH_CLOCK;

    launches->count = 0;
    add_launch(launches, &rows[0]);
    for (const kg_launch *row = rows; row->axes != 0; row++) {
        space.axes = row->axes > space.axes ? row->axes : space.axes;
        if (in_graph)
            add_launch(launches, row);
    }
    if (kg__axis_of(comparison, "grid") < space.axes)
        space.grid = kg__axis_of(comparison, "grid");
    /* A refused size has no arguments: the table's rows report it. */
    if (space.axes > 0 && in_graph && kg__case_refusal(comparison, &first) == NULL) {
        kg_launch launch = { .axes = space.axes };

        space.elements = largest_output(comparison, &first);
        add_launches_from(launches, &space, &launch, 0);
    }
    sort_and_drop_repeated(launches);
}

/* Candidates under construction. */
typedef struct candidate_list {
    const kg_comparison *comparison;
    const kg__limits *limits;
    kg__tune_candidates *into;
    size_t capacity;
    size_t refused_capacity;
    launch_list launches; /* of the current variant and size */
} candidate_list;

static void add_case(kg__case_list *cases, size_t *capacity, const kg__case *c)
{
    cases->list = kg__grow(cases->list, cases->count, capacity, sizeof *cases->list);
    cases->list[cases->count++] = *c;
}

static void add_candidate(candidate_list *list, const kg_variant *variant, const kg_size *size,
                          kg_launch launch)
{
    kg__case candidate = { .variant = variant, .size = size, .launch = launch };
    kg__table_name(list->comparison, &candidate);
    if (!kg__filter_takes(candidate.id))
        return;
    if (kg__case_refusal(list->comparison, &candidate) != NULL)
        add_case(&list->into->refused, &list->refused_capacity, &candidate);
    else
        add_case(&list->into->cases, &list->capacity, &candidate);
}

bool kg__tune_candidates_make(const kg_comparison *comparison, const kg__limits *limits,
                              kg__tune_candidates *candidates, kg__error *error)
{
    candidate_list list = { .comparison = comparison, .limits = limits, .into = candidates };
    unsigned purposes = kg__part_purposes(measuring_part);
    kg__case_list table = { 0 };
    bool good = kg__table_expand(comparison, measuring_part, &table, error);

    kg__case_list_free(&table);
    *candidates = (kg__tune_candidates){ .cases = { 0 } };
    for (const kg_size *size = comparison->sizes; good && size->extents != 0; size++) {
        for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
            if ((size->purpose & purposes & ~variant->advanced.not_for) == 0)
                continue;
            choose_launches(&list.launches, comparison, variant, size, limits);
            for (size_t i = 0; i < list.launches.count; i++)
                add_candidate(&list, variant, size, list.launches.list[i]);
        }
    }
    free(list.launches.list);
    return good;
}

void kg__tune_candidates_free(kg__tune_candidates *candidates)
{
    kg__case_list_free(&candidates->cases);
    kg__case_list_free(&candidates->refused);
}

static json_t *list_axes(const kg_comparison *comparison)
{
    json_t *list = json_array();

    for (int i = 0; i < kg__axis_count(comparison); i++)
        json_array_append_new(list, json_string(kg__axis_name(comparison, i)));
    return list;
}

static int print_candidates(const kg_comparison *comparison, const kg__tune_candidates *candidates,
                            const kg__target *described, const kg__limits *limits)
{
    json_t *target = kg__target_json(described);
    json_t *cases = json_array();
    json_t *work = json_object();
    json_t *refused = json_array();
    json_t *document;

    json_object_set_new(target, "multiprocessors", json_integer(limits->multiprocessors));
    json_object_set_new(target, "threads_per_block", json_integer(limits->threads_per_block));
    json_object_set_new(target, "threads_a_multiprocessor",
                        json_integer(limits->threads_per_multiprocessor));
    for (size_t i = 0; i < candidates->cases.count; i++) {
        const kg__case *c = &candidates->cases.list[i];
        char size[KG__CASE_ID_SIZE];
        kg_work asked;

        json_array_append_new(cases, json_string(c->id));
        kg__case_id_size(c->id, size, sizeof size);
        if (comparison->work != NULL && json_object_get(work, size) == NULL)
            json_object_set_new(
                work, size, kg__fields_json(kg__work_fields, kg__work_of(comparison, c, &asked)));
    }
    for (size_t i = 0; i < candidates->refused.count; i++) {
        const kg__case *c = &candidates->refused.list[i];

        json_array_append_new(refused, json_pack("{s:s, s:s}", "case", c->id, "why",
                                                 kg__case_refusal(comparison, c)));
    }
    document = json_pack("{s:o, s:o, s:o, s:o, s:o}", "target", target, "axes",
                         list_axes(comparison), "work", work, "cases", cases, "refused", refused);
    return kg__json_print(document, JSON_INDENT(1), "the candidates") ? KG__EXIT_PASS
                                                                      : KG__EXIT_ERROR;
}

int kg__print_tune_candidates(const kg_comparison *comparison)
{
    kg__tune_candidates candidates = { .cases = { 0 } };
    kg__device_description device;
    kg__limits limits;
    kg__error why = { "" };
    kg__device_status found;
    int status = KG__EXIT_ERROR;

    found = kg__device_open(&device, &why);
    if (found != KG__DEVICE_READY) {
        kg__complain("%s", why.text);
        return found == KG__DEVICE_ABSENT ? KG__EXIT_NOTHING : KG__EXIT_ERROR;
    }
    limits = kg__device_limits();
    if (kg__tune_candidates_make(comparison, &limits, &candidates, &why))
        status = print_candidates(comparison, &candidates, &device.target, &limits);
    else
        kg__complain("%s", why.text);
    kg__tune_candidates_free(&candidates);
    json_decref(device.provenance);
    return status;
}
