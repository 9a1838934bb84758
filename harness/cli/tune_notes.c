/* Writes the notes of a search: how much it tried, and what has no figure and why. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/tune_report.h"
#include "records/records.h"
#include "results/results_text.h"

/* More lines of a kind are counted, not written. */
#define LONGEST_LIST 20

static void write_line(FILE *stream, kg__text_table_format format, const char *text)
{
    if (format == KG__GRID_TEXT) {
        char *clean = kg__clean_text(text, true);

        fputs(clean, stream);
        free(clean);
    } else {
        fputs("- ", stream);
        kg__write_markdown(stream, text);
    }
    fputc('\n', stream);
}

/* Writes every candidate of a fate, with its reason. */
static void write_each(FILE *stream, kg__text_table_format format, const kg__tuning *tuning,
                       kg__tuning_fate fate)
{
    size_t count = 0;
    char text[KG__MESSAGE_SIZE];

    for (size_t i = 0; i < tuning->count; i++) {
        const kg__tuning_candidate *candidate = &tuning->list[i];

        if (candidate->fate != fate || count++ >= LONGEST_LIST)
            continue;
        kg__format(text, sizeof text, "%s: %s: %s", kg__tuning_fate_name(fate), candidate->id,
                   candidate->why);
        write_line(stream, format, text);
    }
    if (count > LONGEST_LIST) {
        kg__format(text, sizeof text,
                   "%s: %zu more, all of them in the document of --json or --save",
                   kg__tuning_fate_name(fate), count - LONGEST_LIST);
        write_line(stream, format, text);
    }
}

static bool has_reason(const kg__tuning_candidate *candidate, kg__tuning_fate fate, const char *why)
{
    return candidate->fate == fate && strcmp(candidate->why, why) == 0;
}

/* Writes each reason of a fate once: hundreds may share one. */
static void write_reasons(FILE *stream, kg__text_table_format format, const kg__tuning *tuning,
                          kg__tuning_fate fate)
{
    const char *name = kg__tuning_fate_name(fate);
    size_t reasons = 0;
    char text[KG__MESSAGE_SIZE];

    for (size_t i = 0; i < tuning->count; i++) {
        const kg__tuning_candidate *candidate = &tuning->list[i];
        size_t before = 0;
        size_t count = 0;

        if (candidate->fate != fate)
            continue;
        while (before < i && !has_reason(&tuning->list[before], fate, candidate->why))
            before++;
        if (before < i || reasons++ >= LONGEST_LIST)
            continue;
        for (size_t j = i; j < tuning->count; j++)
            count += has_reason(&tuning->list[j], fate, candidate->why);
        kg__format(text, sizeof text, "%s: %zu candidate%s, such as %s: %s", name, count,
                   count == 1 ? "" : "s", candidate->id, candidate->why);
        write_line(stream, format, text);
    }
    if (reasons > LONGEST_LIST) {
        kg__format(text, sizeof text, "%s: %zu more reasons", name, reasons - LONGEST_LIST);
        write_line(stream, format, text);
    }
}

/* Writes what disturbed the timing of candidates. */
static void write_surroundings(FILE *stream, kg__text_table_format format, const kg__tuning *tuning)
{
    size_t throttled = 0;
    size_t shared = 0;
    char text[KG__MESSAGE_SIZE];

    for (size_t i = 0; i < tuning->count; i++) {
        const json_t *record = tuning->list[i].record;

        throttled += json_is_true(json_object_get(record, "throttled"));
        shared += kg__json_number(json_object_get(record, "card"), "foreign_processes") > 0;
    }
    if (throttled > 0) {
        kg__format(text, sizeof text,
                   "environment: the GPU was throttled while %zu of the candidates were timed: let "
                   "it cool down, check its power limit, and search again",
                   throttled);
        write_line(stream, format, text);
    }
    if (shared > 0) {
        kg__format(text, sizeof text,
                   "environment: other processes computed on the GPU while %zu of the candidates "
                   "were timed: end them, and search again",
                   shared);
        write_line(stream, format, text);
    }
}

static void summarize(const kg__tuning_report *report, char *text, size_t size)
{
    const kg__tuning *tuning = report->tuning;
    kg__tuning_tally total = { .candidates = tuning->count };
    char precision[KG__FIGURE_SIZE];
    char how[KG__MESSAGE_SIZE];

    for (size_t i = 0; i < tuning->count; i++) {
        const kg__tuning_candidate *candidate = &tuning->list[i];

        total.fates[candidate->fate]++;
        total.dropped += candidate->dropped > 0;
        total.samples += candidate->samples + candidate->round_count;
    }
    kg__show_percent(precision, sizeof precision, report->precision, false);
    if (kg__tuning_is_timed(tuning))
        kg__format(how, sizeof how, "%s to within %s of the median, %zu dropped early, %zu samples",
                   strcmp(report->mode, "race") == 0 ? "raced" : "all timed", precision,
                   total.dropped, total.samples);
    else
        kg__format(how, sizeof how, "counted exactly on the CPU model");
    kg__format(text, size, "%zu candidate%s in %.1f s: %zu measured", total.candidates,
               total.candidates == 1 ? "" : "s", report->seconds, total.fates[KG__TUNING_MEASURED]);
    for (int fate = KG__TUNING_MEASURED + 1; fate < KG__TUNING_FATES; fate++) {
        size_t used = strlen(text);

        if (total.fates[fate] > 0)
            kg__format(text + used, size - used, ", %zu %s", total.fates[fate],
                       kg__tuning_fate_name((kg__tuning_fate)fate));
    }
    kg__format(text + strlen(text), size - strlen(text), "; %s", how);
}

void kg__tuning_write_notes(FILE *stream, const kg__tuning_report *report,
                            kg__text_table_format format)
{
    char text[KG__MESSAGE_SIZE];

    fputc('\n', stream);
    summarize(report, text, sizeof text);
    write_line(stream, format, text);
    write_reasons(stream, format, report->tuning, KG__TUNING_PASSED_OVER);
    write_reasons(stream, format, report->tuning, KG__TUNING_REFUSED);
    write_each(stream, format, report->tuning, KG__TUNING_WRONG);
    write_each(stream, format, report->tuning, KG__TUNING_FAILED);
    write_surroundings(stream, format, report->tuning);
}
