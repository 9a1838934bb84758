/* The table of a comparison, expanded into its cases. */
#ifndef KG__SUITE_TABLE_H
#define KG__SUITE_TABLE_H

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "suite/case_id.h"
#include "suite/work.h"

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
} kg__case_list;

/* The part that tells which machine code each timed case launches, and with what. */
#define KG__PART_IDENTIFY "identify"

/* Which purposes of a size a part ("check", "time", "count") takes on this program's target; 0: it
 * takes no sizes of the table. */
unsigned kg__part_purposes(const char *part);

/* Whether this program's target has a part of this name: one that takes sizes, or "defects". */
bool kg__is_part(const char *part);

/* The comparison's defects; an empty table where it has none. */
const kg_defect *kg__table_defects(void);

/* Expands the cases of a part, sizes outermost, then the first value of the launch, then variants,
 * so that what is timed side by side is adjacent; part "defects" has the defects' own. False with
 * `error` when the table is wrong: a name outside [a-z0-9_], no variant, a size or launch that
 * appears twice, a member that holds what it must not. */
bool kg__table_expand(const kg_comparison *comparison, const char *part, kg__case_list *cases,
                      kg__error *error);

/* The same of every size that is marked for one of `purposes` (KG_PURPOSE_...), whatever part takes
 * it on this program's target; variants are left out of what they are not for. */
bool kg__table_expand_for(const kg_comparison *comparison, unsigned purposes, kg__case_list *cases,
                          kg__error *error);

/* Whether two cases are timed side by side: of one size, and the same first value of the launch,
 * such as threads per block, however many blocks each takes. */
bool kg__table_side_by_side(const kg__case *a, const kg__case *b);

/* The case of an id, or NULL. */
const kg__case *kg__table_find(const kg__case_list *cases, const char *id);

/* Makes the case of an id whose variant and size must be in the table (a good one, see
 * kg__table_expand()), while its launch need only have as many values as one of the variant's.
 * False with `why`. */
bool kg__table_parse(const kg_comparison *comparison, const char *id, kg__case *c, kg__error *why);

/* The launches of a variant, ended by KG_END: its own, else the comparison's, NULL where there is
 * none to choose. */
static inline const kg_launch *kg__table_launches(const kg_comparison *comparison,
                                                  const kg_variant *variant)
{
    return variant != NULL && variant->launches != NULL ? variant->launches : comparison->launches;
}

/* Writes the id of a case whose other members are filled in. */
void kg__table_name(const kg_comparison *comparison, kg__case *c);

/* Why the comparison does not support a case, or NULL when it does. A size with a negative number
 * is always refused, one with a 0 unless the comparison takes it. */
const char *kg__case_refusal(const kg_comparison *comparison, const kg__case *c);

/* What a case's job asks for, in `work`, which is returned; NULL where the comparison does not say.
 */
const kg__work *kg__work_of(const kg_comparison *comparison, const kg__case *c, kg__work *work);

/* Whether an argument is filled by a pattern. */
static inline bool kg__is_filled(const kg_argument *argument)
{
    return argument->role == KG_INPUT || argument->role == KG_INPUT_OUTPUT;
}

/* Whether an argument is compared with the reference. */
static inline bool kg__is_compared(const kg_argument *argument)
{
    return argument->role == KG_OUTPUT || argument->role == KG_INPUT_OUTPUT;
}

/* Whether two arguments have the same role, type and size. */
static inline bool kg__shapes_equal(const kg_argument *a, const kg_argument *b)
{
    return a->role == b->role && a->type == b->type && a->rows == b->rows &&
           a->columns == b->columns;
}

/* Frees the list, and empties it. */
void kg__case_list_free(kg__case_list *cases);

#endif
