/* SPDX-License-Identifier: MIT */
/* The table of a comparison, expanded into its cases. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "suite/case_id.h"

/* The kind of target that this program is built for, as in the names of its tests. */
#ifdef KG__TARGET_GPU
#define KG__TARGET_KIND "gpu"
#else
#define KG__TARGET_KIND "model"
#endif

typedef struct kg__case {
    const kg_variant *variant;
    const kg_size *size;
    kg_launch launch;
    char id[KG__CASE_ID_SIZE];
} kg__case;

typedef struct kg__case_list {
    kg__case *list;
    size_t count;
    size_t capacity;
} kg__case_list;

/* The part that reports the kernels that each timed case launches, with their arguments. */
#define KG__PART_IDENTIFY "identify"

/* Returns which purposes of a size a part ("check", "time", "count") handles on this program's
 * target; 0: it takes no sizes of the table. */
unsigned kg__part_purposes(const char *part);

/* Returns whether this program's target has a part of this name: one that takes sizes, or
 * "defects". */
bool kg__is_part(const char *part);

/* Returns the comparison's defects; an empty table if it has none. */
const kg_defect *kg__table_defects(void);

/* Expands the cases of a part: sizes outermost, then the first value of the launch, then
 * variants, so that cases timed side by side are adjacent. Part "defects" has the defects' own
 * cases. False with `error` when the table is wrong: a name outside [a-z0-9_], no variant, a
 * size or launch that appears twice, an invalid member. */
bool kg__table_expand(const kg_comparison *comparison, const char *part, kg__case_list *cases,
                      kg__error *error);

/* Does the same for every size marked for one of `purposes` (KG_PURPOSE_...), whichever part
 * handles it on this program's target. Leaves out variants that are .not_for a purpose. */
bool kg__table_expand_for(const kg_comparison *comparison, unsigned purposes, kg__case_list *cases,
                          kg__error *error);

/* Returns whether two cases are timed side by side: they have the same size, and the same first
 * value of the launch, such as threads per block; their numbers of blocks may differ. */
bool kg__table_side_by_side(const kg__case *a, const kg__case *b);

/* Returns the case of an id, or NULL. */
const kg__case *kg__table_find(const kg__case_list *cases, const char *id);

/* Makes the case of an id. Its variant and size must be in the table (a valid one, see
 * kg__table_expand()); its launch only needs as many values as one of the variant's. False with
 * `why`. */
bool kg__table_parse(const kg_comparison *comparison, const char *id, kg__case *c, kg__error *why);

/* Returns the launches of a variant, ended by KG_END: its own, else the comparison's; NULL if
 * there are none to choose. */
static inline const kg_launch *kg__table_launches(const kg_comparison *comparison,
                                                  const kg_variant *variant)
{
    return variant != NULL && variant->launches != NULL ? variant->launches : comparison->launches;
}

/* Writes the id of a case whose other members are filled in. */
void kg__table_name(const kg_comparison *comparison, kg__case *c);

/* Returns why the comparison does not support a case, or NULL when it does. A size with a
 * negative number is always refused, one with a 0 unless the comparison takes it. */
const char *kg__case_refusal(const kg_comparison *comparison, const kg__case *c);

/* Fills in the work of a case's job and returns it; NULL if the comparison does not state it. */
const kg_work *kg__work_of(const kg_comparison *comparison, const kg__case *c, kg_work *work);

/* Returns whether an argument is filled by a pattern. */
static inline bool kg__is_filled(const kg_argument *argument)
{
    return argument->role == KG_INPUT || argument->role == KG_INPUT_OUTPUT;
}

/* Returns whether an argument is compared with the reference. */
static inline bool kg__is_compared(const kg_argument *argument)
{
    return argument->role == KG_OUTPUT || argument->role == KG_INPUT_OUTPUT;
}

/* Returns whether two arguments have the same role, type and size. */
static inline bool kg__shapes_equal(const kg_argument *a, const kg_argument *b)
{
    return a->role == b->role && a->type == b->type && a->rows == b->rows &&
           a->columns == b->columns;
}

/* Frees the list, and empties it. */
void kg__case_list_free(kg__case_list *cases);
