/* SPDX-License-Identifier: MIT */
/* The parts `check` and `defects`: results against the reference, variant by variant. */

#include "gate/instrumented_program.h"
#include "gate/part.h"
#include "suite/settings.h"

static bool is_of_variant(const kg__part_run *run, const kg__part_case *part_case)
{
    return part_case->c->variant == run->variant;
}

/* A case that hung would only hang once more, and slower. */
static bool awaits_watching(const kg__part_run *run, const kg__part_case *part_case)
{
    return is_of_variant(run, part_case) && part_case->held != NULL && !part_case->held->hung &&
           part_case->result == NULL;
}

/* Observes a variant's cases with instrumented kernels, which see every access, unless counting
 * has. What they do not get to keeps the plain program's verdict. */
static bool watch(kg__part_run *run, const char *plain_label)
{
    char label[160];
    bool observed;

    kg__format(label, sizeof label, "%s.instrumented", plain_label);
    run->watching = true;
    kg__part_take_counted(run, awaits_watching);
    observed = kg__part_observe(run, awaits_watching, label);
    run->watching = false;
    return observed;
}

/* Without checks of accesses a check is incomplete: an error in strict runs, a note in others. */
static void report_unchecked_accesses(kg__part_run *run, const char *why)
{
    const char *text = kg__pool_format(&run->pool, "accesses to memory are not checked: %s", why);

    run->instrumented[0] = '\0';
    if (kg__is_strict())
        kg__part_add_error(run, text);
    else
        kg__part_add_note(run, text);
}

/* Names the records of a variant that is checked: by its name, which defects share where one is
 * caught at several sizes. */
static void name_records(const kg__part_run *run, char *label, size_t size)
{
    const kg_defect *defects = kg__table_defects();
    size_t row = 0;

    if (!kg__part_is(run, "defects")) {
        kg__format(label, size, "%s", run->variant->name);
        return;
    }
    while (&defects[row].variant != run->variant)
        row++;
    kg__format(label, size, "%zu.%s", row + 1, run->variant->name);
}

/* Settles what is held: on a GPU, what was less accurate, once it is known whose code was. */
static void settle_held(kg__part_run *run)
{
    if (!kg__part_is_model())
        kg__part_identify_held(run);
    kg__part_settle_held(run);
}

/* False when nothing could be run, and no further variant can be. */
static bool check_variant(kg__part_run *run, const kg_variant *variant)
{
    char label[128];
    bool observed;

    run->variant = variant;
    name_records(run, label, sizeof label);
    observed = kg__part_observe(run, is_of_variant, label) &&
               (run->instrumented[0] == '\0' || watch(run, label));
    settle_held(run);
    if (observed)
        kg__part_write(run, false);
    return observed;
}

/* Whether variants share processes as long as they are right. On a GPU a process costs up to a
 * second for its context, more than most variants' checks; on the CPU model next to nothing. What a
 * wrapper objects to is told by variant, and defects are expected to fail. */
static bool shares_processes(const kg__part_run *run)
{
    return !kg__part_is_model() && kg__part_is(run, "check") && kg__wrapper(run->part) == NULL;
}

/* What a variant that is not right does to its device leaves the others alone: each has a process
 * of its own, or shares one until it is not right. On the CPU model each has two, the second with
 * instrumented kernels. */
void kg__part_check(kg__part_run *run)
{
    kg__error why = { "" };

    if (kg__part_is_model() &&
        !kg__instrumented_program(NULL, run->instrumented, sizeof run->instrumented, &why))
        report_unchecked_accesses(run, why.text);
    if (shares_processes(run)) {
        (void)kg__part_observe(run, NULL, "variants");
        settle_held(run);
    } else if (kg__part_is(run, "defects")) {
        const kg_defect *defect = kg__table_defects();

        for (size_t i = 0; defect[i].name != NULL && check_variant(run, &defect[i].variant); i++)
            ;
    } else {
        const kg_variant *variant = run->comparison->variants;

        while (variant->name != NULL && check_variant(run, variant))
            variant++;
    }
}
