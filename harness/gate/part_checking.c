/* The parts `check` and `defects`: results against the reference, variant by variant. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "gate/part.h"
#include "gate/spawn_observer.h"
#include "records/finding_text.h"
#include "records/records.h"
#include "results/time_result.h"
#include "suite/settings.h"

/* What a program's check came to. */
typedef struct outcome {
    kg__verdict verdict;
    const json_t *record;
    kg__findings found;          /* its texts are the record's, or `source` */
    char text[KG__MESSAGE_SIZE]; /* what is said beside that */
    char source[KG__PATH_SIZE];  /* the variant's */
} outcome;

/* The launcher tells a variant's source: launcher a_b of comparison a is in kernels/a/b.cu. */
static void name_source(const kg__part_run *run, const kg__subject *one, char *text, size_t size)
{
    const char *comparison = run->comparison->name;
    const char *source = one->one->variant->launcher;
    size_t length = strlen(comparison);

    if (source != NULL && strncmp(source, comparison, length) == 0 && source[length] == '_')
        source += length + 1;
    else
        source = one->one->variant->name;
    kg__format_path(text, size, "kernels/%s/%s.cu", comparison, source);
}

static void read_outcome(kg__part_run *run, const kg__subject *one, kg__verdict verdict,
                         const json_t *record, outcome *of)
{
    bool is_check = strcmp(kg__json_text(record, "event"), "checked") == 0;
    const char *what = kg__json_text(record, "why");
    kg__error error = { "" };

    *of = (outcome){ .verdict = verdict, .record = record };
    name_source(run, one, of->source, sizeof of->source);
    if (!kg__findings_read(record, &of->found, &error)) {
        char text[2 * KG__MESSAGE_SIZE];

        kg__format(text, sizeof text, "%s: its record is not usable: %s", one->one->id, error.text);
        kg__part_add_error(run, text);
        of->found.count = 0;
    }
    for (size_t i = 0; i < of->found.count; i++) {
        if (of->found.list[i].by.file == NULL)
            of->found.list[i].by.file = of->source;
    }
    /* The "why" of a check with findings is their text. */
    if (verdict == KG__PASS)
        kg__format(of->text, sizeof of->text, "%s", run->watching ? what : "");
    else if (!is_check || of->found.count == 0)
        kg__format(of->text, sizeof of->text, "%s: %s", of->source, what);
}

/* Appends a part of a reason to the parts before it. */
static void append(char *text, size_t size, const char *part)
{
    size_t used = strlen(text);

    if (*part != '\0')
        kg__format(text + used, size - used, "%s%s", used > 0 ? "; " : "", part);
}

/* Adds to an entry that is not right what a reader's tools look for: what was found, what results
 * had wrong, and where to look. */
static void add_data(json_t *entry, const outcome *of)
{
    json_t *failure = json_object_get(of->record, "failure");
    json_t *at = json_object_get(of->record, KG__AT);

    kg__findings_set(entry, &of->found);
    if (of->found.count > 0 && of->text[0] != '\0')
        json_object_set_new(entry, "also", json_string(of->text));
    if (failure != NULL)
        json_object_set(entry, "failure", failure);
    if (at != NULL)
        json_object_set(entry, KG__AT, at);
    else
        json_object_set_new(entry, KG__AT, kg__source_json(of->source, 0));
}

/* Settles a case that was checked. A defect is there to be found wrong. */
static void settle_checked(kg__part_run *run, kg__subject *one, const outcome *of)
{
    bool is_defect = kg__part_is(run, "defects") && of->verdict <= KG__WRONG;
    kg__verdict verdict = of->verdict;
    char why[KG__MESSAGE_SIZE];
    char text[KG__MESSAGE_SIZE];
    json_t *entry;

    kg__findings_text(&of->found, why, sizeof why);
    append(why, sizeof why, of->text);
    if (is_defect && verdict == KG__WRONG)
        kg__format(text, sizeof text, "caught: %s", why);
    else if (is_defect)
        kg__format(text, sizeof text,
                   "no check caught this defect (%s): fix the checks, or the row that says "
                   "where it shows",
                   one->one->variant->idea);
    else
        kg__format(text, sizeof text, "%s", why);
    if (is_defect)
        verdict = verdict == KG__WRONG ? KG__PASS : KG__WRONG;
    entry = kg__plain_result(one->one->id, &run->target, run->part, verdict, text);
    if (!is_defect && verdict != KG__PASS)
        add_data(entry, of);
    kg__part_settle(run, one, entry);
}

/* Joins what the two programs found of a case: the worse verdict, and both reasons, the findings
 * first. A wrong result that both have is told once. */
static void settle_both(kg__part_run *run, kg__subject *one, const outcome *watched)
{
    outcome plain;
    outcome both = *watched;
    bool told;

    read_outcome(run, one, one->plain, one->plain_record, &plain);
    told = watched->found.count == 0 && watched->verdict != KG__PASS &&
           (strcmp(watched->text, plain.text) == 0 ||
            (watched->verdict == KG__WRONG && plain.verdict == KG__WRONG));
    both.verdict = kg__worse(watched->verdict, plain.verdict);
    if (told)
        both.text[0] = '\0';
    else if (watched->verdict == KG__ERROR)
        kg__format(both.text, sizeof both.text, "with instrumented kernels: %s", watched->text);
    append(both.text, sizeof both.text, plain.text);
    if (plain.verdict != KG__PASS && json_object_get(watched->record, KG__AT) == NULL)
        both.record = plain.record;
    settle_checked(run, one, &both);
}

/* Takes what a check found of a case: held where the instrumented program has yet to run it. */
void kg__part_take_outcome(kg__part_run *run, kg__subject *one, kg__verdict verdict,
                           const json_t *record)
{
    outcome of;

    if (!run->watching && run->instrumented[0] != '\0' && kg__part_is_checking(run)) {
        one->held = true;
        one->hung = json_is_true(json_object_get(record, "hung"));
        one->plain = verdict;
        json_decref(one->plain_record);
        one->plain_record = json_incref((json_t *)record);
        return;
    }
    read_outcome(run, one, verdict, record, &of);
    if (run->watching && one->held)
        settle_both(run, one, &of);
    else
        settle_checked(run, one, &of);
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

        if (one->held && one->entry == NULL) {
            outcome of;

            read_outcome(run, one, one->plain, one->plain_record, &of);
            settle_checked(run, one, &of);
        }
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
