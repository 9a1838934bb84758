#include "cli/adoption.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "baseline/make_baseline.h"
#include "device/nvml.h"
#include "records/gpu_state.h"
#include "results/time_result.h"

/* This many times equal to sessions of a baseline are not a coincidence. */
#define MATCHES_MINIMUM 4

/* Whether one session of the baseline has all of these results' sentinel times: then they were
 * adopted before. */
static bool was_adopted(const kg__adoption *run, const kg__results *results)
{
    const kg__baseline_metric *stored[KG__SENTINELS];
    double value[KG__SENTINELS];
    size_t shared = SIZE_MAX;

    for (size_t i = 0; i < KG__SENTINELS; i++) {
        const kg__baseline_case *entry =
            kg__baseline_sentinel(&run->baseline, kg__session_sentinels[i]);
        double time = kg__adoption_sentinel(run, results, kg__session_sentinels[i]);

        stored[i] = entry != NULL ? kg__baseline_metric_of(entry, kg__time_names[0]) : NULL;
        if (stored[i] == NULL || !(time > 0))
            return false;
        value[i] = kg__value_of_sessions(&time, 1);
        if (stored[i]->session_count < shared)
            shared = stored[i]->session_count;
    }
    for (size_t session = 0; session < shared; session++) {
        bool same = true;

        for (size_t i = 0; i < KG__SENTINELS; i++)
            same = same && stored[i]->sessions[session] == value[i];
        if (same)
            return true;
    }
    return false;
}

static bool has_session(const kg__baseline_metric *metric, double value)
{
    double rounded = kg__value_of_sessions(&value, 1);

    for (size_t i = 0; metric != NULL && i < metric->session_count; i++) {
        if (metric->sessions[i] == rounded)
            return true;
    }
    return false;
}

/* What a case ran, of which nothing may be known. */
static kg__kernel_code code_of(const kg__case_result *result)
{
    kg__pool unused = { NULL };
    kg__kernel_code unknown;

    if (result->kernel != NULL)
        return *result->kernel;
    (void)kg__kernel_code_read(&unused, NULL, &unknown, NULL);
    kg__pool_free(&unused);
    return unknown;
}

/* Whether a case is known to have run other code than the baseline's: its times are not a session.
 */
static bool is_other_code(const kg__baseline_case *before, const kg__case_result *result)
{
    kg__code_change changes[KG__CODE_CHANGES];
    kg__kernel_code now = code_of(result);

    return before != NULL && (kg__kernel_code_changes(before->code, &now, changes) > 0 ||
                              kg__is_other_code(before->code, &now));
}

/* Whether a case is known to have run the baseline's code. */
static bool is_same_code(const kg__baseline_case *before, const kg__case_result *result)
{
    kg__kernel_code now = code_of(result);

    return kg__is_same_code(before->code, &now);
}

double kg__adoption_time(const kg__case_result *result, size_t metric)
{
    const kg__metric_result *timed = kg__case_result_metric(result, kg__time_names[metric]);

    return timed != NULL ? timed->figures.value : (double)NAN;
}

/* The metric that a time is added to; `before` is the baseline's entry or NULL. */
static const kg__baseline_metric *find_metric(const kg__baseline_case *before, size_t metric)
{
    return before != NULL ? kg__baseline_metric_of(before, kg__time_names[metric]) : NULL;
}

bool kg__adoption_may_be_other_code(const kg__baseline_case *before, const kg__case_result *result)
{
    for (size_t m = 0; m < KG__TIMES; m++) {
        const kg__baseline_metric *stored = find_metric(before, m);
        double value = kg__adoption_time(result, m);
        kg__interval figure = { value, value, value };
        kg__expectation expectation;

        if (stored == NULL || !isfinite(value))
            continue;
        expectation = kg__baseline_expectation(stored);
        if (kg__judge(&figure, &expectation, NULL, "ns").tripped)
            return !is_same_code(before, result);
    }
    return false;
}

const char *kg__adoption_fault(const kg__adoption *run, const kg__case_result *result)
{
    const kg__baseline_case *before = kg__baseline_find(&run->baseline, result->id);
    const kg__gpu_state *state = result->gpu_state;
    double now;
    double then;

    if (result->verdict >= KG__WRONG)
        return kg__verdict_name(result->verdict);
    if (state != NULL && kg__nvml_text_throttles(state->clock_reasons))
        return "the GPU was throttled while it was timed";
    if (state != NULL && state->foreign_processes > 0)
        return "other processes computed on the GPU while it was timed";
    if (kg__launch_cost_moved(state, &run->recorder.provenance, &now, &then))
        return now < then ? "the launch overhead was lower than when the baseline was recorded"
                          : "the launch overhead was higher than when the baseline was recorded";
    if (is_other_code(before, result))
        return "its code is not the baseline's";
    if (!run->accept_unknown_code && kg__adoption_may_be_other_code(before, result))
        return "beyond its limit, and its machine code is not known to be the baseline's (--yes "
               "takes such times)";
    return NULL;
}

/* Whether the results are imported (without sentinels) and every time of theirs is among the
 * baseline's sessions. A few equal times may be a coincidence. */
static bool was_import_adopted(const kg__adoption *run, const kg__results *results)
{
    size_t matches = 0;

    for (size_t i = 0; i < results->case_count; i++) {
        const kg__case_result *result = results->cases[i];
        const kg__baseline_case *before = kg__baseline_find(&run->baseline, result->id);

        if (result->imported.from == NULL)
            return false;
        for (size_t m = 0; m < KG__TIMES; m++) {
            double value = kg__adoption_time(result, m);

            if (kg__case_result_metric(result, kg__time_names[m]) == NULL)
                continue;
            if (before == NULL ||
                !has_session(kg__baseline_metric_of(before, kg__time_names[m]), value))
                return false;
            matches++;
        }
    }
    return matches >= MATCHES_MINIMUM;
}

bool kg__adoption_was_made(const kg__adoption *run, const kg__results *results)
{
    return was_adopted(run, results) || was_import_adopted(run, results);
}

/* A valid time of a case or a sentinel in these results; NAN if there is none. */
static double find_time(const kg__adoption *run, const kg__results *results, const char *id,
                        size_t metric)
{
    /* A case id has slashes. */
    if (strchr(id, '/') == NULL)
        return kg__adoption_sentinel(run, results, id);
    for (size_t i = 0; i < results->case_count; i++) {
        const kg__case_result *result = results->cases[i];

        if (kg__adoption_is_timed(result) && strcmp(result->id, id) == 0 &&
            kg__adoption_fault(run, result) == NULL)
            return kg__adoption_time(result, metric);
    }
    return NAN;
}

static bool sentinels_are_credible(const kg__adoption *run, const kg__results *results);

/* Whether several of the given results have a time, and all agree as sessions must. Cases of
 * results whose sentinels are not credible do not count. */
static bool other_results_agree(const kg__adoption *run, const char *id, size_t metric)
{
    bool is_case = strchr(id, '/') != NULL;
    double *values = kg__allocate(run->count, sizeof *values);
    size_t count = 0;
    bool agree;

    for (size_t i = 0; i < run->count; i++) {
        double value = find_time(run, run->results[i], id, metric);

        if (value > 0 && !kg__adoption_was_made(run, run->results[i]) &&
            (!is_case || sentinels_are_credible(run, run->results[i])))
            values[count++] = value;
    }
    agree = count > 1 && kg__sessions_agree(values, count, NULL);
    free(values);
    return agree;
}

/* Whether a time may be added to the sessions of `stored` (NULL: there is none). */
static bool is_credible(const kg__adoption *run, const char *id, const kg__baseline_metric *stored,
                        size_t metric, double value)
{
    return value > 0 && (stored == NULL || !kg__is_far_off(stored, value) ||
                         other_results_agree(run, id, metric));
}

/* Whether a gate's sentinel times are credible; imported results have none. */
static bool sentinels_are_credible(const kg__adoption *run, const kg__results *results)
{
    for (size_t s = 0; s < KG__SENTINELS; s++) {
        const char *id = kg__session_sentinels[s];
        double value = kg__adoption_sentinel(run, results, id);

        if (!isnan(value) &&
            !is_credible(run, id, find_metric(kg__baseline_sentinel(&run->baseline, id), 0), 0,
                         value))
            return false;
    }
    return true;
}

bool kg__adoption_may_join(const kg__adoption *run, kg__entry_subject subject,
                           const kg__baseline_case *before, size_t metric, double value)
{
    const kg__baseline_metric *stored = find_metric(before, metric);
    char now[KG__FIGURE_SIZE];
    char then[KG__FIGURE_SIZE];

    if (is_credible(run, subject.id, stored, metric, value))
        return true;
    subject.metric = kg__time_names[metric];
    kg__show_figure(now, sizeof now, value, "ns");
    if (!(value > 0)) {
        kg__change_log_omit(run->recorder.log, subject, "%s is not a time: left out", now);
        return false;
    }
    kg__show_figure(then, sizeof then, stored->value, "ns");
    kg__change_log_omit(run->recorder.log, subject,
                        "%s is off the baseline's %s by a factor of %g or more, and no other "
                        "results agree on it: left out (if it takes that now, give the results of "
                        "two gates more together, or ci/rebaseline)",
                        now, then, KG__FAR_OFF);
    return false;
}

bool kg__adoption_sentinels_may_join(const kg__adoption *run, const char *path,
                                     const kg__results *results)
{
    bool credible = true;

    for (size_t s = 0; s < KG__SENTINELS; s++) {
        const char *id = kg__session_sentinels[s];
        double value = kg__adoption_sentinel(run, results, id);

        if (!isnan(value) &&
            !kg__adoption_may_join(run, (kg__entry_subject){ .file = path, .id = id },
                                   kg__baseline_sentinel(&run->baseline, id), 0, value))
            credible = false;
    }
    return credible;
}
