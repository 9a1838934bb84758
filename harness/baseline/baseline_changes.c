#include "baseline/baseline_changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "base/text.h"

const char *const kg__loosening_names[KG__LOOSENINGS + 1] = {
    [KG__NO_LONGER_GATED] = "no_longer_gated",
    [KG__RETIRED] = "retired",
    [KG__WIDENED] = "widened",
    [KG__RAISED] = "slower",
};

/* In a sentence, after their number: one, and several. */
static const char *const loosening_words[KG__LOOSENINGS][2] = {
    [KG__NO_LONGER_GATED] = { "metric no longer gated", "metrics no longer gated" },
    [KG__RETIRED] = { "retired", "retired" },
    [KG__WIDENED] = { "limit widened", "limits widened" },
    [KG__RAISED] = { "value raised", "values raised" },
};

void kg__baseline_changes_count(kg__baseline_changes *changes, const kg__baseline *baseline)
{
    for (size_t i = 0; i < baseline->case_count; i++) {
        const kg__baseline_case *entry = &baseline->cases[i];

        for (size_t j = 0; j < entry->metric_count; j++) {
            const kg__baseline_metric *metric = &entry->metrics[j];

            changes->not_gated += !metric->gated;
            changes->wide_limits +=
                metric->gated && kg__baseline_judgement(metric).limit > KG__WIDE_LIMIT;
        }
    }
}

/* Writes which files are not what they were; false where all are. */
static bool write_states(FILE *stream, const kg__baseline_changes *changes)
{
    bool changed = false;

    for (size_t i = 0; i < changes->file_count; i++) {
        const kg__changed_file *file = &changes->files[i];

        if (strcmp(file->state, "unchanged") == 0)
            continue;
        fprintf(stream, "%s%s %s", changed ? ", " : "", file->target, file->state);
        if (file->why != NULL)
            fprintf(stream, " (%s)", file->why);
        changed = true;
    }
    if (!changed)
        fputs("unchanged", stream);
    return changed;
}

/* Writes how much is held more loosely in all files together, and what else changed. */
static void write_loosened(FILE *stream, const kg__baseline_changes *changes)
{
    const char *gap = "; loosened: ";
    kg__changed_file sum = { 0 };

    for (size_t i = 0; i < changes->file_count; i++) {
        for (int kind = 0; kind < KG__LOOSENINGS; kind++)
            sum.loosened[kind] += changes->files[i].loosened[kind];
        sum.added += changes->files[i].added;
        sum.sentinels_moved += changes->files[i].sentinels_moved;
    }
    for (int kind = 0; kind < KG__LOOSENINGS; kind++) {
        if (sum.loosened[kind] == 0)
            continue;
        fprintf(stream, "%s%" PRId64 " %s", gap, sum.loosened[kind],
                loosening_words[kind][sum.loosened[kind] != 1]);
        gap = ", ";
    }
    if (*gap == ';')
        fputs("; nothing is loosened", stream);
    if (sum.added > 0)
        fprintf(stream, "; %" PRId64 " new", sum.added);
    if (sum.sentinels_moved > 0)
        fprintf(stream, "; %" PRId64 " sentinel%s moved", sum.sentinels_moved,
                sum.sentinels_moved == 1 ? "" : "s");
}

char *kg__baseline_changes_sentence(const kg__baseline_changes *changes)
{
    bool compared = changes->since != NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *stream;
    char *clean;

    if (!compared && changes->not_gated == 0 && changes->wide_limits == 0)
        return NULL;
    stream = open_memstream(&text, &size);
    if (stream == NULL) {
        kg__complain("out of host memory for a line of the summary: free some memory");
        exit(KG__EXIT_ERROR);
    }
    if (compared)
        fprintf(stream, " since %s: ", changes->since);
    if (compared && write_states(stream, changes))
        write_loosened(stream, changes);
    if (changes->not_gated > 0 || changes->wide_limits > 0)
        fprintf(stream, "%s%" PRId64 " metric%s not gated, %" PRId64 " limit%s above 10 %%",
                compared ? "; " : ": ", changes->not_gated,
                changes->not_gated == 1 ? " is" : "s are", changes->wide_limits,
                changes->wide_limits == 1 ? " is" : "s are");
    (void)fclose(stream);
    clean = kg__clean_text(text, true);
    free(text);
    return clean;
}

/* What became of a metric or case that is held more loosely, "limit from 2.0 % to 12.0 %". */
static void describe_loosened(const kg__loosened *loosened, char *text, size_t size)
{
    const char *unit = loosened->metric != NULL ? kg__metric_unit(loosened->metric) : "";
    char before[KG__FIGURE_SIZE];
    char after[KG__FIGURE_SIZE];

    if (loosened->kind == KG__WIDENED) {
        kg__show_percent(before, sizeof before, loosened->before, false);
        kg__show_percent(after, sizeof after, loosened->after, false);
        kg__format(text, size, "limit from %s to %s", before, after);
    } else if (loosened->kind == KG__RAISED) {
        kg__show_figure(before, sizeof before, loosened->before, unit);
        kg__show_figure(after, sizeof after, loosened->after, unit);
        kg__format(text, size, "value from %s to %s", before, after);
    } else {
        kg__format(text, size, "%s", loosened->kind == KG__RETIRED ? "retired" : "no longer gated");
    }
}

kg__texts kg__baseline_changes_lines(const kg__baseline_changes *changes, kg__pool *pool)
{
    size_t count = changes->loosened_count;
    kg__texts lines = { 0 };
    char line[KG__MESSAGE_SIZE];

    for (size_t i = 0; i < count && i < KG__LOOSENED_NAMED; i++) {
        const kg__loosened *loosened = &changes->loosened[i];
        const char *metric = loosened->metric != NULL ? loosened->metric : "";
        char what[3 * KG__FIGURE_SIZE];
        char *clean;

        describe_loosened(loosened, what, sizeof what);
        kg__format(line, sizeof line, "%s%s%s on %s: %s", loosened->case_id,
                   *metric != '\0' ? " " : "", metric, loosened->target, what);
        clean = kg__clean_text(line, true);
        kg__pool_add_text(pool, &lines, clean);
        free(clean);
    }
    if (count > KG__LOOSENED_NAMED) {
        kg__format(line, sizeof line, "and %zu more", count - KG__LOOSENED_NAMED);
        kg__pool_add_text(pool, &lines, line);
    }
    return lines;
}
