/* The document of a search, "kernelgate-tuning/1". */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/tune_report.h"
#include "records/records.h"

#define SCHEMA "kernelgate-tuning/1"

static json_t *pack_rounds(const kg__tuning_candidate *candidate)
{
    json_t *rounds = json_array();

    for (size_t i = 0; i < candidate->round_count; i++)
        json_array_append_new(rounds, json_real(candidate->rounds[i]));
    return rounds;
}

static void set_figures(json_t *entry, const kg__tuning *tuning,
                        const kg__tuning_candidate *candidate)
{
    json_t *figures;
    const char *clock = kg__json_text(
        json_object_get(json_object_get(candidate->record, "metrics"), tuning->metric), "clock");

    if (kg__tuning_is_timed(tuning)) {
        figures = kg__json_interval(&candidate->figure);
        json_object_set_new(figures, "samples", json_integer((json_int_t)candidate->samples));
        if (*clock != '\0')
            json_object_set_new(figures, "clock", json_string(clock));
    } else {
        figures = json_pack("{s:I}", "value", (json_int_t)candidate->figure.value);
    }
    json_object_set_new(entry, tuning->metric, figures);
    if (candidate->dropped > 0)
        json_object_set_new(entry, "dropped_in_round",
                            json_integer((json_int_t)candidate->dropped));
    kg__json_set_finite(entry, "occupancy", candidate->occupancy);
    kg__json_set_finite(entry, "operations", candidate->operations);
    kg__json_set_finite(entry, "bytes", candidate->bytes);
    if (candidate->no_final != NULL)
        json_object_set_new(entry, "no_final", json_string(candidate->no_final));
    if (json_is_true(json_object_get(candidate->record, "throttled")))
        json_object_set_new(entry, "throttled", json_true());
    if (candidate->rounds != NULL) {
        json_t *last = kg__json_interval(&candidate->last);

        json_object_set_new(last, "rounds_ns", pack_rounds(candidate));
        json_object_set_new(entry, "final", last);
    }
}

static json_t *pack_candidates(const kg__tuning *tuning)
{
    json_t *list = json_array();

    for (size_t i = 0; i < tuning->count; i++) {
        const kg__tuning_candidate *candidate = &tuning->list[i];
        const json_t *kernel = json_object_get(candidate->record, "kernel");
        json_t *entry = json_pack("{s:s, s:s}", "case", candidate->id, "fate",
                                  kg__tuning_fate_name(candidate->fate));

        if (candidate->why != NULL)
            json_object_set_new(entry, "why", json_string(candidate->why));
        if (candidate->fate == KG__TUNING_MEASURED)
            set_figures(entry, tuning, candidate);
        if (json_is_object(kernel))
            json_object_set(entry, "kernel", (json_t *)kernel);
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *pack_ratio(const kg__tuning *tuning, const kg__tuning_set *set,
                          const kg__tuning_set *against, const kg__tuning_candidate *candidate,
                          const kg__tuning_candidate *other)
{
    kg__tuning_ratio ratio = kg__tuning_compare(tuning, candidate, other);
    json_t *entry = json_pack("{s:s, s:s, s:[s, s]}", "set", set->name, "against", against->name,
                              "cases", candidate->id, other->id);

    if (!ratio.known) {
        json_object_set_new(entry, "why", json_string(ratio.why));
        return entry;
    }
    json_object_set_new(entry, kg__tuning_is_timed(tuning) ? "time_ratio" : "count_ratio",
                        kg__json_interval(&ratio.times));
    if (!isnan(ratio.bandwidths.value))
        json_object_set_new(entry, "bandwidth_ratio", kg__json_interval(&ratio.bandwidths));
    if (ratio.rounds > 0)
        json_object_set_new(entry, "rounds", json_integer((json_int_t)ratio.rounds));
    json_object_set_new(entry, "differs", json_boolean(ratio.differs));
    return entry;
}

static void set_best(json_t *entry, const char *key, const kg__tuning_candidate *candidate)
{
    if (candidate != NULL)
        json_object_set_new(entry, key, json_string(candidate->id));
}

/* Adds the best of sets, and their ratios, of one problem. */
static void add_sets(json_t *problem_entry, const kg__tuning *tuning,
                     const kg__tuning_problem *problem, const kg__tuning_set *sets, size_t count)
{
    json_t *bests = json_object_get(problem_entry, "best");
    json_t *ratios = json_object_get(problem_entry, "ratios");

    for (size_t i = 0; i < count; i++) {
        const kg__tuning_candidate *best =
            kg__tuning_best(tuning, problem, &sets[i], KG__TUNING_BY_FIGURE);
        json_t *entry;

        if (kg__tuning_count(tuning, problem, &sets[i]).candidates == 0)
            continue;
        entry = json_pack("{s:s}", "set", sets[i].name);
        set_best(entry, tuning->metric, best);
        if (kg__tuning_is_timed(tuning)) {
            set_best(entry, "bandwidth",
                     kg__tuning_best(tuning, problem, &sets[i], KG__TUNING_BY_BANDWIDTH));
            set_best(entry, "occupancy",
                     kg__tuning_best(tuning, problem, &sets[i], KG__TUNING_BY_OCCUPANCY));
        }
        json_array_append_new(bests, entry);
        for (size_t j = 0; j < count && best != NULL; j++) {
            const kg__tuning_candidate *other =
                kg__tuning_best(tuning, problem, &sets[j], KG__TUNING_BY_FIGURE);

            if (j != i && other != NULL)
                json_array_append_new(ratios, pack_ratio(tuning, &sets[i], &sets[j], best, other));
        }
    }
}

static json_t *pack_problems(const kg__tuning_report *report)
{
    json_t *list = json_array();
    size_t count;
    kg__tuning_problem *problems = kg__tuning_problems(report->tuning, &count);

    for (size_t i = 0; i < count; i++) {
        size_t variant_count;
        kg__tuning_set *variants =
            kg__tuning_variants(report->tuning, problems[i].comparison, &variant_count);
        json_t *entry = json_pack("{s:s, s:s, s:[], s:[]}", "comparison", problems[i].comparison,
                                  "size", problems[i].size, "best", "ratios");

        add_sets(entry, report->tuning, &problems[i], variants, variant_count);
        add_sets(entry, report->tuning, &problems[i], report->sets, report->set_count);
        json_array_append_new(list, entry);
        free(variants);
    }
    free(problems);
    return list;
}

static json_t *pack_sets(const kg__tuning_report *report)
{
    json_t *list = json_array();

    for (size_t i = 0; i < report->set_count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", report->sets[i].name,
                                              "variants", report->sets[i].globs));
    return list;
}

json_t *kg__tuning_document(const kg__tuning_report *report, int exit_code)
{
    json_t *document = json_pack(
        "{s:s, s:O, s:s, s:s, s:f, s:o, s:o, s:o, s:i}", "schema", SCHEMA, "target",
        (json_t *)report->target, "metric", report->tuning->metric, "mode", report->mode, "seconds",
        report->seconds, "sets", pack_sets(report), "candidates", pack_candidates(report->tuning),
        "problems", pack_problems(report), "exit_code", exit_code);

    if (report->provenance != NULL)
        json_object_set(document, "provenance", (json_t *)report->provenance);
    if (kg__tuning_is_timed(report->tuning))
        json_object_set_new(document, "precision", json_real(report->precision));
    if (*report->filter != '\0')
        json_object_set_new(document, "filter", json_string(report->filter));
    return document;
}
