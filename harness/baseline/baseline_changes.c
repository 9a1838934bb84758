#include "baseline/baseline_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "base/text.h"

/* How a metric, or a case, is held more loosely than it was, the worst first. */
typedef enum loosening { NO_LONGER_GATED, RETIRED, WIDENED, SLOWER, LOOSENINGS } loosening;

static const struct {
    const char *name;     /* as the member has it */
    const char *singular; /* in a sentence, after its number */
    const char *plural;
} loosenings[LOOSENINGS] = {
    [NO_LONGER_GATED] = { "no_longer_gated", "metric no longer gated", "metrics no longer gated" },
    [RETIRED] = { "retired", "retired", "retired" },
    [WIDENED] = { "widened", "limit widened", "limits widened" },
    [SLOWER] = { "slower", "value raised", "values raised" },
};

json_t *kg__baseline_changes_make(void)
{
    return json_pack("{s:i, s:i, s:[], s:[]}", "not_gated", 0, "limits_above_10_percent", 0,
                     "files", "loosened");
}

static void add_to_count(json_t *object, const char *key, size_t more)
{
    json_int_t count = json_integer_value(json_object_get(object, key));

    json_object_set_new(object, key, json_integer(count + (json_int_t)more));
}

void kg__baseline_changes_count(json_t *changes, const kg__baseline *baseline)
{
    size_t not_gated = 0;
    size_t wide = 0;

    for (size_t i = 0; i < baseline->case_count; i++) {
        const kg__baseline_case *entry = &baseline->cases[i];

        for (size_t j = 0; j < entry->metric_count; j++) {
            const kg__baseline_metric *metric = &entry->metrics[j];

            not_gated += !metric->gated;
            wide += metric->gated && kg__baseline_judgement(metric).limit > KG__WIDE_LIMIT;
        }
    }
    add_to_count(changes, "not_gated", not_gated);
    add_to_count(changes, "limits_above_10_percent", wide);
}

/* Whether there is anything to say. */
static bool has_content(const json_t *changes)
{
    return json_object_get(changes, "since") != NULL || kg__json_count(changes, "not_gated") > 0 ||
           kg__json_count(changes, "limits_above_10_percent") > 0;
}

/* The sum of a count over all files. */
static size_t sum_over_files(const json_t *changes, const char *key)
{
    const json_t *file;
    size_t total = 0;
    size_t i;

    json_array_foreach (json_object_get(changes, "files"), i, file)
        total += kg__json_count(file, key);
    return total;
}

/* Writes which files are not what they were; false where all are. */
static bool write_states(FILE *stream, const json_t *changes)
{
    bool changed = false;
    const json_t *file;
    size_t i;

    json_array_foreach (json_object_get(changes, "files"), i, file) {
        const char *state = kg__json_text(file, "state");
        const char *why = kg__json_text(file, "why");

        if (strcmp(state, "unchanged") == 0)
            continue;
        fprintf(stream, "%s%s %s%s%s%s", changed ? ", " : "", kg__json_text(file, "target"), state,
                *why != '\0' ? " (" : "", why, *why != '\0' ? ")" : "");
        changed = true;
    }
    if (!changed)
        fputs("unchanged", stream);
    return changed;
}

/* Writes how much is held more loosely in all files together, and what else changed. */
static void write_loosened(FILE *stream, const json_t *changes)
{
    const char *gap = "; loosened: ";
    size_t added = sum_over_files(changes, "new");
    size_t sentinels = sum_over_files(changes, "sentinels_moved");

    for (int how = 0; how < LOOSENINGS; how++) {
        size_t count = sum_over_files(changes, loosenings[how].name);

        if (count == 0)
            continue;
        fprintf(stream, "%s%zu %s", gap, count,
                count == 1 ? loosenings[how].singular : loosenings[how].plural);
        gap = ", ";
    }
    if (*gap == ';')
        fputs("; nothing is loosened", stream);
    if (added > 0)
        fprintf(stream, "; %zu new", added);
    if (sentinels > 0)
        fprintf(stream, "; %zu sentinel%s moved", sentinels, sentinels == 1 ? "" : "s");
}

char *kg__baseline_changes_sentence(const json_t *results)
{
    const json_t *changes = json_object_get(results, KG__BASELINES);
    bool compared = json_object_get(changes, "since") != NULL;
    size_t not_gated = kg__json_count(changes, "not_gated");
    size_t wide = kg__json_count(changes, "limits_above_10_percent");
    char *text = NULL;
    size_t size = 0;
    FILE *stream;
    char *clean;

    if (!has_content(changes))
        return NULL;
    stream = open_memstream(&text, &size);
    if (stream == NULL) {
        kg__complain("out of host memory for a line of the summary: free some memory");
        exit(KG__EXIT_ERROR);
    }
    if (compared)
        fprintf(stream, " since %s: ", kg__json_text(changes, "since"));
    if (compared && write_states(stream, changes))
        write_loosened(stream, changes);
    if (not_gated > 0 || wide > 0)
        fprintf(stream, "%s%zu metric%s not gated, %zu limit%s above 10 %%", compared ? "; " : ": ",
                not_gated, not_gated == 1 ? " is" : "s are", wide, wide == 1 ? " is" : "s are");
    (void)fclose(stream);
    clean = kg__clean_text(text, true);
    free(text);
    return clean;
}

/* What became of a metric or case that is held more loosely, "limit from 2.0 % to 12.0 %". */
static void describe_loosened(const json_t *loosened, char *text, size_t size)
{
    const char *kind = kg__json_text(loosened, "kind");
    double before = kg__json_number(loosened, "before");
    double after = kg__json_number(loosened, "after");
    const char *unit = kg__metric_unit(kg__json_text(loosened, "metric"));
    char was[KG__FIGURE_SIZE];
    char is[KG__FIGURE_SIZE];

    if (strcmp(kind, loosenings[WIDENED].name) == 0) {
        kg__show_percent(was, sizeof was, before, false);
        kg__show_percent(is, sizeof is, after, false);
        kg__format(text, size, "limit from %s to %s", was, is);
    } else if (strcmp(kind, loosenings[SLOWER].name) == 0) {
        kg__show_figure(was, sizeof was, before, unit);
        kg__show_figure(is, sizeof is, after, unit);
        kg__format(text, size, "value from %s to %s", was, is);
    } else {
        kg__format(text, size, "%s",
                   strcmp(kind, loosenings[RETIRED].name) == 0 ? "retired" : "no longer gated");
    }
}

json_t *kg__baseline_changes_lines(const json_t *results)
{
    const json_t *list = json_object_get(json_object_get(results, KG__BASELINES), "loosened");
    json_t *lines = json_array();
    char line[KG__MESSAGE_SIZE];
    const json_t *entry;
    size_t i;

    json_array_foreach (list, i, entry) {
        char what[3 * KG__FIGURE_SIZE];

        if (i == KG__LOOSENED_NAMED)
            break;
        describe_loosened(entry, what, sizeof what);
        kg__format(line, sizeof line, "%s%s%s on %s: %s", kg__json_text(entry, "case"),
                   json_object_get(entry, "metric") != NULL ? " " : "",
                   kg__json_text(entry, "metric"), kg__json_text(entry, "target"), what);
        json_array_append_new(lines, kg__json_clean_string(line));
    }
    if (json_array_size(list) > KG__LOOSENED_NAMED) {
        kg__format(line, sizeof line, "and %zu more", json_array_size(list) - KG__LOOSENED_NAMED);
        json_array_append_new(lines, json_string(line));
    }
    return lines;
}
