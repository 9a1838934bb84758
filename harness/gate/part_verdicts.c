/* SPDX-License-Identifier: MIT */
/* What records make of a part's cases: their verdicts, or that they wait for another observation.
 */
#include <string.h>

#include "gate/part.h"
#include "records/finding_text.h"
#include "records/observation.h"
#include "results/accuracy_result.h"
#include "results/count_result.h"
#include "results/time_result.h"
#include "suite/settings.h"

/* What a program's check came to. */
typedef struct outcome {
    kg__verdict verdict;
    const kg__observation *observation;
    bool in_order;
    kg__findings found;          /* its texts are the observation's, or the pool's */
    char text[KG__MESSAGE_SIZE]; /* what is said beside that */
    char source[KG__PATH_SIZE];  /* the variant's */
} outcome;

/* The launchers that the build found in sources, each before its file; ended by NULL. */
extern const char *const kg__launcher_files[] __attribute__((weak));

/* The launcher tells a variant's source: where the build has not found it, launcher a_b of
 * comparison a is in kernels/a/b.cu. */
static void name_source(const kg__part_run *run, const kg__part_case *part_case, char *text,
                        size_t size)
{
    const char *comparison = run->comparison->name;
    const char *source = part_case->c->variant->launcher;
    const char *const *found = source != NULL ? kg__launcher_files : NULL;
    size_t length = strlen(comparison);

    while (found != NULL && found[0] != NULL && strcmp(found[0], source) != 0)
        found += 2;
    if (found != NULL && found[0] != NULL) {
        kg__format_path(text, size, "%s", found[1]);
        return;
    }
    if (source != NULL && strncmp(source, comparison, length) == 0 && source[length] == '_')
        source += length + 1;
    else
        source = part_case->c->variant->name;
    kg__format_path(text, size, "kernels/%s/%s.cu", comparison, source);
}

static kg__verdict verdict_of(const kg__observation *observation)
{
    return observation->event != KG__EVENT_CHECKED ? KG__ERROR
           : observation->right                    ? KG__PASS
                                                   : KG__WRONG;
}

static void read_outcome(kg__part_run *run, const kg__part_case *part_case,
                         const kg__observation *observation, outcome *checked)
{
    *checked = (outcome){ .verdict = verdict_of(observation),
                          .observation = observation,
                          .in_order = observation->in_order,
                          .found = *observation->findings };
    /* What did not compile says where. */
    if (observation->at_file != NULL && !observation->hung)
        kg__format(checked->source, sizeof checked->source, "%s", observation->at_file);
    else
        name_source(run, part_case, checked->source, sizeof checked->source);
    checked->found.list =
        kg__pool_array(&run->pool, checked->found.count, sizeof *checked->found.list);
    for (size_t i = 0; i < checked->found.count; i++) {
        checked->found.list[i] = observation->findings->list[i];
        if (checked->found.list[i].by.file == NULL)
            checked->found.list[i].by.file = kg__pool_text(&run->pool, checked->source);
    }
    /* The "why" of a check with findings is their text. */
    if (checked->verdict == KG__PASS)
        kg__format(checked->text, sizeof checked->text, "%s",
                   run->watching || observation->in_order ? observation->why : "");
    else if (checked->verdict == KG__ERROR || checked->found.count == 0)
        kg__format(checked->text, sizeof checked->text, "%s: %s", checked->source,
                   observation->why);
}

/* Adds a part of a reason to the parts before it. */
static void add_part(char *text, size_t size, const char *part)
{
    if (*part != '\0')
        kg__append(text, size, "%s%s", *text != '\0' ? "; " : "", part);
}

/* Adds to a result that is not right what a reader's tools look for: what was found, what results
 * had wrong, and where to look. */
static void add_data(kg__pool *pool, kg__case_result *result, const outcome *checked)
{
    const kg__observation *observation = checked->observation;

    result->findings = checked->found;
    if (checked->found.count > 0 && checked->text[0] != '\0')
        result->also = kg__pool_text(pool, checked->text);
    result->failure = observation->failure;
    result->failure_symbol = observation->failure_symbol;
    result->at_file =
        observation->at_file != NULL ? observation->at_file : kg__pool_text(pool, checked->source);
    result->at_line = observation->at_line;
}

/* Judges how far right results are from the reference, by what the plain kernels computed. */
static void judge_accuracy(kg__part_run *run, const kg__part_case *part_case,
                           kg__case_result *result, const kg__observation *plain)
{
    const kg__accuracy_reference reference = { .baseline = run->baseline,
                                               .exact = run->is_exact,
                                               .same_code = part_case->same_code,
                                               .strict = kg__is_strict() };

    kg__add_accuracy(&run->pool, result, plain, &reference);
}

/* Whether what a GPU computed is less accurate than recorded, before anything is known of its code.
 */
static bool is_less_accurate(kg__part_run *run, const kg__part_case *part_case,
                             const kg__observation *observation)
{
    kg__case_result *result = kg__part_result(run, part_case, KG__PASS, "");

    judge_accuracy(run, part_case, result, observation);
    return result->verdict == KG__LESS_ACCURATE;
}

/* Settles a case that was checked. A defect is there to be found wrong. */
static void settle_checked(kg__part_run *run, kg__part_case *part_case, const outcome *checked)
{
    bool is_defect = kg__part_is(run, "defects") && checked->verdict <= KG__WRONG;
    kg__verdict verdict = checked->verdict;
    char why[KG__MESSAGE_SIZE];
    char text[KG__MESSAGE_SIZE];
    kg__case_result *result;

    kg__findings_text(&checked->found, why, sizeof why);
    add_part(why, sizeof why, checked->text);
    if (is_defect && verdict == KG__WRONG)
        kg__format(text, sizeof text, "caught: %s", why);
    else if (is_defect)
        kg__format(text, sizeof text,
                   "no check caught this defect (%s): fix the checks, or the row that says "
                   "where it shows",
                   part_case->c->variant->idea);
    else
        kg__format(text, sizeof text, "%s", why);
    if (is_defect)
        verdict = verdict == KG__WRONG ? KG__PASS : KG__WRONG;
    result = kg__part_result(run, part_case, verdict, text);
    result->in_order = checked->in_order;
    if (verdict == KG__PASS && kg__part_is(run, "check"))
        judge_accuracy(run, part_case, result,
                       part_case->held != NULL ? part_case->held : checked->observation);
    if (!is_defect && result->verdict >= KG__LESS_ACCURATE)
        add_data(&run->pool, result, checked);
    kg__part_settle(run, part_case, result);
}

/* Joins what the two programs found of a case: the worse verdict, and both reasons, the findings
 * first. A wrong result that both have is told once. */
static void settle_both(kg__part_run *run, kg__part_case *part_case, const outcome *watched)
{
    outcome plain;
    outcome both = *watched;
    bool told;

    read_outcome(run, part_case, part_case->held, &plain);
    told = watched->found.count == 0 && watched->verdict != KG__PASS &&
           (strcmp(watched->text, plain.text) == 0 ||
            (watched->verdict == KG__WRONG && plain.verdict == KG__WRONG));
    both.verdict = kg__worse(watched->verdict, plain.verdict);
    both.in_order = plain.in_order;
    /* Plain kernels find what ends a launch. */
    if (both.found.count == 0)
        both.found = plain.found;
    if (told)
        both.text[0] = '\0';
    else if (watched->verdict == KG__ERROR)
        kg__format(both.text, sizeof both.text, "with instrumented kernels: %s", watched->text);
    add_part(both.text, sizeof both.text, plain.text);
    if (plain.verdict != KG__PASS && watched->observation->at_file == NULL)
        both.observation = plain.observation;
    settle_checked(run, part_case, &both);
}

/* Takes what a check found of a case: held where the instrumented program has yet to run it. */
void kg__part_take_outcome(kg__part_run *run, kg__part_case *part_case,
                           const kg__observation *observation)
{
    outcome checked;
    bool awaits_watching =
        !run->watching && run->instrumented[0] != '\0' && kg__part_is_checking(run);

    observation = kg__observation_hold(&run->pool, observation);
    if (awaits_watching || (verdict_of(observation) == KG__PASS && !kg__part_is_model() &&
                            is_less_accurate(run, part_case, observation))) {
        part_case->held = observation;
        return;
    }
    read_outcome(run, part_case, observation, &checked);
    if (run->watching && part_case->held != NULL)
        settle_both(run, part_case, &checked);
    else
        settle_checked(run, part_case, &checked);
}

void kg__part_settle_held(kg__part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        kg__part_case *part_case = &run->part_cases[i];

        if (part_case->held != NULL && part_case->result == NULL) {
            outcome checked;

            read_outcome(run, part_case, part_case->held, &checked);
            settle_checked(run, part_case, &checked);
        }
    }
}

/* Whether a case that was timed once is to be settled against a base rather than confirmed here. An
 * error, such as a metric that the baseline has and the run has not, no base can settle. */
static bool is_suspect(const kg__case_result *result)
{
    if (kg__base_folder() == NULL || result->verdict == KG__ERROR)
        return false;
    if (kg__is_paired())
        return true;
    for (size_t i = 0; i < result->metric_count; i++) {
        if (result->metrics[i].tripped && result->metrics[i].change > 0)
            return true;
    }
    return false;
}

kg__case_result *kg__part_judge(kg__part_run *run, kg__part_case *part_case)
{
    kg__measurement measurements[1 + KG__CONFIRMATIONS];
    kg__case_result *result;

    for (size_t i = 0; i < part_case->observers; i++) {
        measurements[i] = (kg__measurement){
            part_case->measured[i],
            kg__surroundings_of(&run->sentinels[i], run->baseline, part_case->measured[i]),
        };
        if (kg__base_folder() != NULL || part_case->same_code != NULL)
            measurements[i].surroundings.same_code = part_case->same_code != NULL;
    }
    result = kg__time_result(&run->pool, part_case->c->id, &run->target, measurements,
                             part_case->observers, run->baseline);
    if (part_case->same_code != NULL)
        result->same_code = part_case->same_code;
    part_case->tripped = kg__case_result_tripped(result);
    return result;
}

kg__case_result *kg__part_unchanged(kg__part_run *run, kg__part_case *part_case)
{
    kg__case_result *result;

    if (part_case->observers > 0) {
        result = kg__part_judge(run, part_case);
        for (size_t i = 0; i < result->metric_count; i++) {
            result->metrics[i].verdict = KG__UNCHANGED;
            result->metrics[i].tripped = false;
            result->metrics[i].why = "";
        }
        part_case->tripped = false;
        result->verdict = KG__UNCHANGED;
        result->changed = (kg__texts){ NULL, 0 };
        result->why = "timed only because a case that is timed with it changed; not judged";
    } else {
        result = kg__part_result(run, part_case, KG__UNCHANGED, "not timed");
    }
    result->same_code = part_case->same_code;
    return result;
}

void kg__part_take_measured(kg__part_run *run, kg__part_case *part_case,
                            const kg__observation *observation)
{
    kg__case_result *result;

    if (kg__part_is(run, "count")) {
        kg__part_settle(run, part_case,
                        kg__count_result(&run->pool, part_case->c->id, &run->target,
                                         kg__observation_hold(&run->pool, observation),
                                         run->baseline, run->recording_differences,
                                         kg__is_strict()));
        return;
    }
    /* A case that has its verdict is only timed beside a suspect. */
    if (part_case->observers > run->round || (run->round > 0 && part_case->result != NULL))
        return;
    part_case->measured[part_case->observers] = kg__observation_hold(&run->pool, observation);
    kg__part_add_fingerprint(run, part_case, part_case->measured[part_case->observers++]);
    if (run->round > 0)
        return;
    if (kg__part_is_left_alone(part_case)) {
        kg__part_settle(run, part_case, kg__part_unchanged(run, part_case));
        return;
    }
    result = kg__part_judge(run, part_case);
    part_case->suspect = is_suspect(result);
    if (!part_case->tripped && !part_case->suspect) {
        kg__part_settle(run, part_case, result);
        return;
    }
    kg__part_print_result(part_case->suspect ? "suspect" : "confirming", result);
}
