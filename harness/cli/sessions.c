#include "cli/sessions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "baseline/make_baseline.h"
#include "cli/command.h"
#include "suite/case_id.h"

const char *const kg__time_names[KG__TIMES] = { "time_ns", "cold_time_ns" };
const char *const kg__session_sentinels[KG__SENTINELS] = { "copy", "fma" };

void kg__sessions_begin(kg__sessions *sessions, kg__change_log *log, size_t limit)
{
    *sessions = (kg__sessions){ .log = log, .limit = limit };
    for (size_t i = 0; i < KG__SENTINELS; i++)
        sessions->sentinels[i] =
            (kg__recorded){ .id = kg__copy_text(kg__session_sentinels[i]),
                            .values = { kg__allocate(limit, sizeof(double)) } };
}

static void free_recorded(kg__recorded *recorded)
{
    free(recorded->id);
    free(recorded->code);
    for (size_t i = 0; i < KG__TIMES; i++)
        free(recorded->values[i]);
}

void kg__sessions_free(kg__sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        free_recorded(&sessions->cases[i]);
    for (size_t i = 0; i < KG__SENTINELS; i++)
        free_recorded(&sessions->sentinels[i]);
    free(sessions->cases);
}

kg__recorded *kg__sessions_case(kg__sessions *sessions, const char *id)
{
    for (size_t i = 0; i < sessions->count; i++) {
        if (strcmp(sessions->cases[i].id, id) == 0)
            return &sessions->cases[i];
    }
    sessions->cases =
        kg__grow(sessions->cases, sessions->count, &sessions->capacity, sizeof *sessions->cases);
    sessions->cases[sessions->count] = (kg__recorded){ .id = kg__copy_text(id) };
    for (size_t i = 0; i < KG__TIMES; i++)
        sessions->cases[sessions->count].values[i] = kg__allocate(sessions->limit, sizeof(double));
    return &sessions->cases[sessions->count++];
}

void kg__sessions_add(const kg__sessions *sessions, kg__recorded *recorded, size_t metric,
                      double value)
{
    if (value > 0 && recorded->counts[metric] < sessions->limit)
        recorded->values[metric][recorded->counts[metric]++] = value;
}

void kg__sessions_take(const kg__sessions *sessions, kg__recorded *recorded, size_t metric,
                       const char *clock, double value)
{
    /* The host also affects these clocks. */
    recorded->loose[metric] = strcmp(clock, "host") == 0 || strcmp(clock, "first_touch") == 0;
    kg__sessions_add(sessions, recorded, metric, value);
}

/* Whether the sessions of a metric agree, unless its clock makes no promise; complains if not. */
static bool sessions_agree(const kg__sessions *sessions, const kg__recorded *recorded,
                           size_t metric)
{
    kg__error error = { "" };

    if (recorded->loose[metric] || recorded->counts[metric] == 0 ||
        kg__sessions_agree(recorded->values[metric], recorded->counts[metric], &error))
        return true;
    kg__change_log_disagree(
        sessions->log, (kg__entry_subject){ .id = recorded->id, .metric = kg__time_names[metric] },
        "%s", error.text);
    return false;
}

bool kg__sessions_are_of_one_state(const kg__sessions *sessions)
{
    size_t metrics = 0;
    size_t apart = 0;
    bool steady = true;

    for (size_t i = 0; i < sessions->count; i++) {
        for (size_t m = 0; m < KG__TIMES; m++) {
            metrics += sessions->cases[i].counts[m] > 0;
            apart += !sessions_agree(sessions, &sessions->cases[i], m);
        }
    }
    for (size_t i = 0; i < KG__SENTINELS; i++)
        steady = sessions_agree(sessions, &sessions->sentinels[i], 0) && steady;
    if (steady && (apart <= 1 || apart <= metrics / 10)) {
        if (apart > 0)
            fprintf(kg__narration(),
                    "%zu of %zu metrics differ from session to session while the sentinels do not: "
                    "still gated if their noise is small\n",
                    apart, metrics);
        return true;
    }
    kg__change_log_refuse(sessions->log, (kg__entry_subject){ .file = NULL },
                          "%zu of %zu metrics%s differ from session to session: nothing is "
                          "recorded; quiet the machine (see kernelgate doctor) and record again",
                          apart, metrics, steady ? "" : " and a sentinel");
    return false;
}

static void print_row(const char *id, const char *metric, double old_value,
                      const kg__baseline_metric *now)
{
    char old_text[KG__FIGURE_SIZE] = "-";
    char change[KG__FIGURE_SIZE] = "new";
    char text[KG__FIGURE_SIZE];
    char band[KG__FIGURE_SIZE];
    char noise[KG__FIGURE_SIZE];
    char bound[KG__FIGURE_SIZE];

    if (!isnan(old_value)) {
        kg__show_figure(old_text, sizeof old_text, old_value, "ns");
        kg__show_percent(change, sizeof change, now->value / old_value - 1, true);
    }
    kg__show_figure(text, sizeof text, now->value, "ns");
    kg__show_percent(band, sizeof band, now->band, false);
    kg__show_percent(noise, sizeof noise, kg__noise(now->sessions, now->session_count), false);
    kg__show_percent(bound, sizeof bound, kg__noise_bound(now->sessions, now->session_count),
                     false);
    fprintf(kg__narration(), KG__CASE_COLUMN " %-13s %14s %14s %9s  band %s%s", id, metric,
            old_text, text, change, band, now->band_by_hand ? ", by hand" : "");
    if (now->gated)
        fprintf(kg__narration(), "\n");
    else
        fprintf(kg__narration(), ", not gated: its noise is %s, and may be %s\n", noise, bound);
}

bool kg__sessions_store(const kg__sessions *sessions, kg__baseline_case *entry,
                        const kg__recorded *recorded, bool merge)
{
    bool changed = false;

    for (size_t m = 0; m < KG__TIMES; m++) {
        const kg__baseline_metric *now;
        double old_value;

        if (recorded->counts[m] == 0 ||
            kg__record_time(entry, kg__time_names[m], recorded->values[m], recorded->counts[m],
                            merge, &old_value) == KG__UNCHANGED)
            continue;
        changed = true;
        now = kg__baseline_metric_of(entry, kg__time_names[m]);
        print_row(recorded->id, kg__time_names[m], old_value, now);
        kg__change_log_change(sessions->log, recorded->id, kg__time_names[m], old_value, now->value,
                              now);
    }
    return changed;
}

void kg__sessions_print_head(void)
{
    fprintf(kg__narration(), KG__CASE_COLUMN " %-13s %14s %14s %9s\n", "case", "metric", "old",
            "new", "change");
}
