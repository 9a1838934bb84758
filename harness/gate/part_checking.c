/* The parts `check` and `defects`: results against the reference, variant by variant. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "gate/part.h"
#include "gate/spawn_observer.h"
#include "records/records.h"
#include "results/time_result.h"
#include "suite/settings.h"

/* Whether a text begins with its own place in the source, "kernels/a/b.cu:14: ". */
static bool names_a_line(const char *what)
{
    size_t place = strcspn(what, " ");
    size_t digits = 0;

    if (place < 2 || what[place] != ' ' || what[place - 1] != ':')
        return false;
    while (digits + 2 < place && strchr("0123456789", what[place - 2 - digits]) != NULL)
        digits++;
    return digits > 0 && what[place - 2 - digits] == ':';
}

/* Names a wrong or failing variant's source beside what it did. The launcher tells it: launcher
 * a_b of comparison a is in kernels/a/b.cu. */
static void explain(const kg__part_run *run, const kg__subject *one, const char *what, char *why,
                    size_t size)
{
    const char *comparison = run->comparison->name;
    const char *source = one->one->variant->launcher;
    size_t length = strlen(comparison);

    if (source != NULL && strncmp(source, comparison, length) == 0 && source[length] == '_')
        source += length + 1;
    else
        source = one->one->variant->name;
    if (names_a_line(what))
        kg__format(why, size, "%s", what);
    else
        kg__format(why, size, "kernels/%s/%s.cu: %s", comparison, source, what);
}

/* Settles a case that was checked. A defect is there to be found wrong. */
static void settle_checked(kg__part_run *run, kg__subject *one, kg__verdict verdict,
                           const char *why)
{
    char text[KG__MESSAGE_SIZE];

    if (kg__part_is(run, "defects") && verdict <= KG__WRONG) {
        if (verdict == KG__WRONG)
            kg__format(text, sizeof text, "caught: %s", why);
        else
            kg__format(text, sizeof text,
                       "no check caught this defect (%s): fix the checks, or the row that says "
                       "where it shows",
                       one->one->variant->idea);
        verdict = verdict == KG__WRONG ? KG__PASS : KG__WRONG;
        why = text;
    }
    kg__part_settle(run, one,
                    kg__plain_result(one->one->id, &run->target, run->part, verdict, why));
}

/* Joins what the two programs found of a case: the worse verdict, and both reasons, the line of
 * source first. A wrong result that both have is told once. */
static void settle_both(kg__part_run *run, kg__subject *one, kg__verdict watched, const char *what,
                        const char *explained)
{
    char why[KG__MESSAGE_SIZE] = "";
    bool told = watched != KG__PASS &&
                (strcmp(explained, one->plain_why) == 0 ||
                 (watched == KG__WRONG && one->plain == KG__WRONG && !names_a_line(what)));

    if (watched == KG__ERROR)
        kg__format(why, sizeof why, "with instrumented kernels: %s", explained);
    else
        kg__format(why, sizeof why, "%s", watched != KG__PASS ? explained : what);
    if (told)
        why[0] = '\0';
    if (one->plain_why[0] != '\0') {
        size_t used = strlen(why);

        kg__format(why + used, sizeof why - used, "%s%s", used > 0 ? "; " : "", one->plain_why);
    }
    settle_checked(run, one, kg__worse(watched, one->plain), why);
}

/* Takes what a check found of a case: held where the instrumented program has yet to run it. */
void kg__part_take_outcome(kg__part_run *run, kg__subject *one, kg__verdict verdict,
                           const json_t *record)
{
    const char *what = kg__json_text(record, "why");
    char why[KG__MESSAGE_SIZE] = "";

    if (verdict != KG__PASS)
        explain(run, one, what, why, sizeof why);
    if (run->watching && one->held) {
        settle_both(run, one, verdict, what, why);
    } else if (run->instrumented[0] != '\0' && kg__part_is_checking(run)) {
        one->held = true;
        one->hung = json_is_true(json_object_get(record, "hung"));
        one->plain = verdict;
        free(one->plain_why);
        one->plain_why = kg__copy_text(why);
    } else if (kg__part_is_checking(run)) {
        settle_checked(run, one, verdict, why);
    } else {
        kg__part_settle(run, one,
                        kg__plain_result(one->one->id, &run->target, run->part, verdict, why));
    }
}

static bool is_of_variant(const kg__part_run *run, const kg__subject *one)
{
    return one->one->variant == run->variant;
}

/* A case that hung would only hang once more, and slower. */
static bool awaits_watching(const kg__part_run *run, const kg__subject *one)
{
    return is_of_variant(run, one) && one->held && !one->hung && one->entry == NULL;
}

/* Observes a variant's cases with instrumented kernels, which see every access. What they do not
 * get to keeps the plain program's verdict. */
static bool watch(kg__part_run *run, const char *plain_label)
{
    char label[160];
    bool observed;

    kg__format(label, sizeof label, "%s.instrumented", plain_label);
    run->watching = true;
    observed = kg__part_observe(run, awaits_watching, label);
    run->watching = false;
    return observed;
}

static void settle_held(kg__part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        kg__subject *one = &run->subjects[i];

        if (one->held && one->entry == NULL)
            settle_checked(run, one, one->plain, one->plain_why);
    }
}

/* Checking results alone is no whole check: only who watches over the run by hand may go on so. */
static void tell_unwatched(kg__part_run *run, const char *why)
{
    char text[KG__MESSAGE_SIZE];

    run->instrumented[0] = '\0';
    kg__format(text, sizeof text, "accesses to memory are not checked: %s", why);
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
 * wrapper objects to is told by variant, and defects are there to be wrong. */
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
        tell_unwatched(run, why.text);
    if (shares_processes(run)) {
        (void)kg__part_observe(run, NULL, "variants");
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
