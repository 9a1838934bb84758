#include "observer/tune_candidates.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "records/observation.h"
#include "suite/settings.h"

#define WARP 32
/* Blocks of edge x edge threads are whole warps where the edge is a multiple of this. */
#define EDGE_STEP 8
#define EDGE_LEAST 2
/* Up to this multiple of the multiprocessors, doubling from 1: 2048 threads are 32 blocks of 64. */
#define WAVES_MAXIMUM 32

/* What candidates are measured by: the part whose sizes they are of. */
#ifdef KG__TARGET_GPU
static const char measuring_part[] = "time";
#else
static const char measuring_part[] = "count";
#endif

/* Numbers, or launches, that are collected with repetitions, and sorted then. */
typedef struct launch_list {
    kg_launch *list;
    size_t count;
    size_t capacity;
} launch_list;

static void add_launch(launch_list *launches, int64_t block, int64_t grid)
{
    launches->list =
        kg__grow(launches->list, launches->count, &launches->capacity, sizeof *launches->list);
    launches->list[launches->count++] = (kg_launch){ .block = (int)block, .grid = (int)grid };
}

static int compare_launches(const void *left, const void *right)
{
    const kg_launch *a = left;
    const kg_launch *b = right;

    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->grid > b->grid) - (a->grid < b->grid);
}

static void sort_and_drop_repeated(launch_list *launches)
{
    size_t kept = 0;

    if (launches->count == 0)
        return;
    qsort(launches->list, launches->count, sizeof *launches->list, compare_launches);
    for (size_t i = 1; i < launches->count; i++) {
        if (compare_launches(&launches->list[kept], &launches->list[i]) != 0)
            launches->list[++kept] = launches->list[i];
    }
    launches->count = kept + 1;
}

/* Elements of the largest output: as many threads have each one to compute. */
static int64_t largest_output(const kg_comparison *comparison, const kg_size *size)
{
    kg_arguments arguments = { .count = 0 };
    int64_t most = 1;

    comparison->arguments(size, &arguments);
    for (int i = 0; i < arguments.count && i < KG_MAX_ARGUMENTS; i++) {
        const kg_argument *shape = &arguments.list[i];
        bool fits = shape->columns == 0 || shape->rows <= (size_t)INT64_MAX / shape->columns;

        if (shape->role != KG_INPUT && fits && (int64_t)(shape->rows * shape->columns) > most)
            most = (int64_t)(shape->rows * shape->columns);
    }
    return most;
}

/* Adds the numbers of blocks of `threads` threads that are worth trying. */
static void add_grids(launch_list *launches, int block, int64_t threads, int64_t elements,
                      const kg__limits *limits)
{
    int64_t covering = (elements - 1) / threads + 1;

    if (covering > INT_MAX)
        covering = INT_MAX;
    for (int64_t grid = 1; grid < covering; grid *= 2)
        add_launch(launches, block, grid);
    for (int64_t waves = 1; waves <= WAVES_MAXIMUM; waves *= 2) {
        if (waves * limits->multiprocessors <= covering)
            add_launch(launches, block, waves * limits->multiprocessors);
    }
    add_launch(launches, block, covering);
}

/* Adds a number of threads per block, or an edge, with every number of blocks where that is free.
 */
static void add_block(launch_list *launches, const kg_comparison *comparison, int block,
                      bool grid_is_free, int64_t elements, const kg__limits *limits)
{
    int64_t threads = comparison->block_is_edge ? (int64_t)block * block : block;

    if (threads > limits->threads_per_block)
        return;
    if (grid_is_free)
        add_grids(launches, block, threads, elements, limits);
    else
        add_launch(launches, block, 0);
}

static void add_blocks(launch_list *launches, const kg_comparison *comparison, const kg_launch *own,
                       int64_t elements, const kg__limits *limits)
{
    bool free_grid = kg__table_grid_is_free(own);
    int step = comparison->block_is_edge ? EDGE_STEP : WARP;

    for (int edge = EDGE_LEAST; comparison->block_is_edge && edge < EDGE_STEP; edge *= 2)
        add_block(launches, comparison, edge, free_grid, elements, limits);
    for (int block = step; block <= limits->threads_per_block; block += step)
        add_block(launches, comparison, block, free_grid, elements, limits);
    for (const kg_launch *launch = own; launch->block != 0; launch++)
        add_block(launches, comparison, launch->block, free_grid, elements, limits);
}

/* The launches of a variant that are worth trying at a size; `own` are those of its rows. */
static void choose_launches(launch_list *launches, const kg_comparison *comparison,
                            const kg_variant *variant, const kg_size *size,
                            const kg__limits *limits)
{
    const kg_launch *own = kg__table_launches(comparison, variant);
    kg__case first = { .variant = variant, .size = size };

    launches->count = 0;
    if (own == NULL || own->block == 0) {
        add_launch(launches, 0, 0);
        return;
    }
    first.launch = own[0];
    /* Of a size that is refused, arguments are not asked for: the table's rows say so. */
    if (variant->clock == KG_GRAPH_CLOCK && kg__case_refusal(comparison, &first) == NULL)
        add_blocks(launches, comparison, own, largest_output(comparison, size), limits);
    for (size_t i = 0; own[i].block != 0 && (variant->clock == KG_GRAPH_CLOCK || i == 0); i++)
        add_launch(launches, own[i].block, own[i].grid);
    sort_and_drop_repeated(launches);
}

/* Candidates while they are made. */
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
    kg__case_list table;
    bool good = kg__table_expand(comparison, measuring_part, &table, error);

    kg__case_list_free(&table);
    *candidates = (kg__tune_candidates){ .cases = { 0 } };
    for (const kg_size *size = comparison->sizes; good && size->extents != 0; size++) {
        for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
            if ((size->purpose & purposes & ~variant->not_for) == 0)
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

static int print_candidates(const kg_comparison *comparison, const kg__tune_candidates *candidates,
                            const kg__target *described, const kg__limits *limits)
{
    json_t *target = kg__target_json(described);
    json_t *cases = json_array();
    json_t *work = json_object();
    json_t *refused = json_array();
    json_t *document;

    json_object_set_new(target, "multiprocessors", json_integer(limits->multiprocessors));
    json_object_set_new(target, "threads_a_block", json_integer(limits->threads_per_block));
    json_object_set_new(target, "threads_a_multiprocessor",
                        json_integer(limits->threads_per_multiprocessor));
    for (size_t i = 0; i < candidates->cases.count; i++) {
        const kg__case *c = &candidates->cases.list[i];
        const char *rest = c->id + kg__variant_length(c->id);
        char size[KG__CASE_ID_SIZE];
        kg__work asked;

        json_array_append_new(cases, json_string(c->id));
        kg__format(size, sizeof size, "%.*s", (int)strcspn(rest, "/"), rest);
        if (comparison->work != NULL && json_object_get(work, size) == NULL)
            json_object_set_new(work, size, kg__work_json(kg__work_of(comparison, c, &asked)));
    }
    for (size_t i = 0; i < candidates->refused.count; i++) {
        const kg__case *c = &candidates->refused.list[i];

        json_array_append_new(refused, json_pack("{s:s, s:s}", "case", c->id, "why",
                                                 kg__case_refusal(comparison, c)));
    }
    document =
        json_pack("{s:o, s:b, s:o, s:o, s:o}", "target", target, "block_is_edge",
                  (int)comparison->block_is_edge, "work", work, "cases", cases, "refused", refused);
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
    kg__provenance_free(&device.provenance);
    return status;
}
