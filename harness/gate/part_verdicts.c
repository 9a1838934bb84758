/* What records make of a part's cases: their verdicts, or that they wait for another observation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "gate/part.h"
#include "records/finding_text.h"
#include "records/observation.h"
#include "results/count_result.h"
#include "results/results_read.h"
#include "results/time_result.h"
#include "suite/settings.h"

/* What a program's check came to. */
typedef struct outcome {
    kg__verdict verdict;
    const kg__observation *observation;
    kg__findings found;          /* its texts are the observation's, or `source` */
    char text[KG__MESSAGE_SIZE]; /* what is said beside that */
    char source[KG__PATH_SIZE];  /* the variant's */
} outcome;

/* The launcher tells a variant's source: launcher a_b of comparison a is in kernels/a/b.cu. */
static void name_source(const kg__part_run *run, const kg__subject *subject, char *text,
                        size_t size)
{
    const char *comparison = run->comparison->name;
    const char *source = subject->c->variant->launcher;
    size_t length = strlen(comparison);

    if (source != NULL && strncmp(source, comparison, length) == 0 && source[length] == '_')
        source += length + 1;
    else
        source = subject->c->variant->name;
    kg__format_path(text, size, "kernels/%s/%s.cu", comparison, source);
}

static void read_outcome(const kg__part_run *run, const kg__subject *subject, kg__verdict verdict,
                         const kg__observation *observation, outcome *of)
{
    bool is_check = observation->event == KG__EVENT_CHECKED;

    *of = (outcome){ .verdict = verdict,
                     .observation = observation,
                     .found = *observation->findings };
    name_source(run, subject, of->source, sizeof of->source);
    for (size_t i = 0; i < of->found.count; i++) {
        if (of->found.list[i].by.file == NULL)
            of->found.list[i].by.file = of->source;
    }
    /* The "why" of a check with findings is their text. */
    if (verdict == KG__PASS)
        kg__format(of->text, sizeof of->text, "%s", run->watching ? observation->why : "");
    else if (!is_check || of->found.count == 0)
        kg__format(of->text, sizeof of->text, "%s: %s", of->source, observation->why);
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
    const kg__observation *observation = of->observation;

    kg__findings_set(entry, &of->found);
    if (of->found.count > 0 && of->text[0] != '\0')
        json_object_set_new(entry, "also", json_string(of->text));
    if (observation->failure != NULL)
        json_object_set_new(entry, "failure",
                            json_pack("{s:s, s:s*}", "kind", observation->failure, "symbol",
                                      observation->failure_symbol));
    if (observation->at_file != NULL)
        json_object_set_new(entry, KG__AT,
                            kg__source_json(observation->at_file, observation->at_line));
    else
        json_object_set_new(entry, KG__AT, kg__source_json(of->source, 0));
}

/* Settles a case that was checked. A defect is there to be found wrong. */
static void settle_checked(kg__part_run *run, kg__subject *subject, const outcome *of)
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
                   subject->c->variant->idea);
    else
        kg__format(text, sizeof text, "%s", why);
    if (is_defect)
        verdict = verdict == KG__WRONG ? KG__PASS : KG__WRONG;
    entry = kg__plain_result(subject->c->id, &run->target, run->part, verdict, text);
    if (!is_defect && verdict != KG__PASS)
        add_data(entry, of);
    kg__part_settle(run, subject, entry);
}

/* Joins what the two programs found of a case: the worse verdict, and both reasons, the findings
 * first. A wrong result that both have is told once. */
static void settle_both(kg__part_run *run, kg__subject *subject, const outcome *watched)
{
    outcome plain;
    outcome both = *watched;
    bool told;

    read_outcome(run, subject, subject->plain, subject->plain_observation, &plain);
    told = watched->found.count == 0 && watched->verdict != KG__PASS &&
           (strcmp(watched->text, plain.text) == 0 ||
            (watched->verdict == KG__WRONG && plain.verdict == KG__WRONG));
    both.verdict = kg__worse(watched->verdict, plain.verdict);
    if (told)
        both.text[0] = '\0';
    else if (watched->verdict == KG__ERROR)
        kg__format(both.text, sizeof both.text, "with instrumented kernels: %s", watched->text);
    append(both.text, sizeof both.text, plain.text);
    if (plain.verdict != KG__PASS && watched->observation->at_file == NULL)
        both.observation = plain.observation;
    settle_checked(run, subject, &both);
}

/* Takes what a check found of a case: held where the instrumented program has yet to run it. */
void kg__part_take_outcome(kg__part_run *run, kg__subject *subject, kg__verdict verdict,
                           const kg__observation *observation)
{
    outcome of;

    if (!run->watching && run->instrumented[0] != '\0' && kg__part_is_checking(run)) {
        subject->held = true;
        subject->hung = observation->hung;
        subject->plain = verdict;
        kg__observation_release(subject->plain_observation);
        subject->plain_observation = kg__observation_keep(observation);
        return;
    }
    read_outcome(run, subject, verdict, observation, &of);
    if (run->watching && subject->held)
        settle_both(run, subject, &of);
    else
        settle_checked(run, subject, &of);
}

void kg__part_settle_held(kg__part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        kg__subject *subject = &run->subjects[i];

        if (subject->held && subject->entry == NULL) {
            outcome of;

            read_outcome(run, subject, subject->plain, subject->plain_observation, &of);
            settle_checked(run, subject, &of);
        }
    }
}

/* Whether a case that was timed once is to be settled against a base rather than confirmed here. An
 * error, such as a metric that the baseline has and the run has not, no base can settle. */
static bool is_suspect(const kg__subject *subject, const json_t *entry)
{
    const char *name;
    json_t *metric;

    if (kg__base_folder() == NULL || kg__results_verdict(entry) == KG__ERROR)
        return false;
    if (kg__is_paired())
        return true;
    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        if (subject->tripped && json_is_true(json_object_get(metric, "tripped")) &&
            json_number_value(json_object_get(metric, "change")) > 0)
            return true;
    }
    return false;
}

json_t *kg__part_judge(kg__part_run *run, kg__subject *subject)
{
    kg__measurement measurements[1 + KG__CONFIRMATIONS];

    for (size_t i = 0; i < subject->observers; i++)
        measurements[i] = (kg__measurement){
            subject->measured[i],
            kg__surroundings_of(&run->sentinels[i], run->has_baseline ? &run->baseline : NULL,
                                subject->measured[i]),
        };
    return kg__time_result(subject->c->id, &run->target, run->part, measurements,
                           subject->observers, run->has_baseline ? &run->baseline : NULL,
                           &subject->tripped);
}

void kg__part_take_measured(kg__part_run *run, kg__subject *subject,
                            const kg__observation *observation)
{
    json_t *entry;

    if (kg__part_is(run, "count")) {
        kg__part_settle(run, subject,
                        kg__count_result(subject->c->id, &run->target, observation,
                                         run->has_baseline ? &run->baseline : NULL,
                                         run->otherwise));
        return;
    }
    /* A case that has its verdict is only timed beside a suspect. */
    if (subject->observers > run->round || (run->round > 0 && subject->entry != NULL))
        return;
    subject->measured[subject->observers++] = kg__observation_keep(observation);
    if (run->round > 0)
        return;
    entry = kg__part_judge(run, subject);
    subject->suspect = is_suspect(subject, entry);
    if (!subject->tripped && !subject->suspect) {
        kg__part_settle(run, subject, entry);
        return;
    }
    char line[KG__LINE_SIZE];

    kg__time_result_line(entry, subject->suspect ? "suspect" : "confirming", line, sizeof line);
    kg__print_verdict_line(stdout, line);
    fflush(stdout);
    json_decref(entry);
}
