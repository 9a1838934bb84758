#include "report/case_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "results/count_result.h"
#include "results/result_text.h"

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);

    kg__format(text + used, size - used, "%s", more);
}

/* Appends " (+12.0 %)" where a metric moved. */
static void append_change(char *text, size_t size, double change)
{
    char percent[KG__FIGURE_SIZE];
    char shown[KG__FIGURE_SIZE + 4];

    if (!isfinite(change) || change == 0)
        return;
    kg__show_percent(percent, sizeof percent, change, true);
    kg__format(shown, sizeof shown, " (%s)", percent);
    append(text, size, shown);
}

/* Appends "  barriers 78 608 (+0.5 %)", of a counter that is or was above 0. */
static void append_count(char *text, size_t size, const kg__case_result *result,
                         kg__counter counter, const char *what)
{
    const kg__metric_result *metric = kg__case_result_metric(result, kg__counter_name(counter));
    char figure[KG__FIGURE_SIZE];
    char shown[KG__FIGURE_SIZE + 32];

    if (metric == NULL || (!(metric->figures.value > 0) && !(metric->baseline > 0)))
        return;
    kg__show_figure(figure, sizeof figure, metric->figures.value, "");
    kg__format(shown, sizeof shown, "  %s %s", what, figure);
    append(text, size, shown);
    append_change(text, size, metric->change);
}

/* Appends ", 2.35 sectors each (was 2.00)", of a ratio. */
static void append_ratio(char *text, size_t size, const kg__case_result *result, const char *name,
                         const char *before, const char *unit)
{
    const kg__metric_result *metric = kg__case_result_metric(result, name);
    char now[32];
    char then[32];
    char shown[128];

    if (metric == NULL)
        return;
    kg__format(now, sizeof now, "%.2f", metric->figures.value);
    kg__format(shown, sizeof shown, "%s%s%s", before, now, unit);
    append(text, size, shown);
    kg__format(then, sizeof then, "%.2f", metric->baseline);
    if (isnan(metric->baseline) || strcmp(now, then) == 0)
        return;
    kg__format(shown, sizeof shown, " (was %s)", then);
    append(text, size, shown);
}

/* The figures of a counted case in short: requests, what one costs, barriers, and what moved. */
static void show_counts(const kg__case_result *result, char *text, size_t size)
{
    char blocks[2][KG__FIGURE_SIZE];
    char shown[2 * KG__FIGURE_SIZE + 32];

    text[0] = '\0';
    append_count(text, size, result, KG__GLOBAL_LOAD_REQUESTS, "loads");
    append_ratio(text, size, result, "global_load_sectors_per_request", ", ", " sectors each");
    append_count(text, size, result, KG__GLOBAL_STORE_REQUESTS, "stores");
    append_ratio(text, size, result, "global_store_sectors_per_request", ", ", " each");
    append_ratio(text, size, result, "shared_load_wavefronts_per_request", "  shared loads ",
                 " wavefronts each");
    append_ratio(text, size, result, "shared_store_wavefronts_per_request", "  shared stores ", "");
    append_count(text, size, result, KG__BARRIERS, "barriers");
    if (result->sampled_of > 0) {
        kg__show_figure(blocks[0], sizeof blocks[0], (double)result->sampled_blocks, "");
        kg__show_figure(blocks[1], sizeof blocks[1], (double)result->sampled_of, "");
        kg__format(shown, sizeof shown, "  sampled, %s of %s blocks", blocks[0], blocks[1]);
        append(text, size, shown);
    }
}

/* The figures of a timed case: "  hot 60 600 ns (+1.0 %)  cold 73 000 ns (0.0 %)". */
static void show_times(const kg__case_result *result, char *text, size_t size)
{
    for (size_t i = 0; i < result->metric_count; i++) {
        const kg__metric_result *metric = &result->metrics[i];
        const char *name = metric->figures.name;
        char value[KG__FIGURE_SIZE];
        char change[KG__FIGURE_SIZE] = "";
        size_t used = strlen(text);

        /* Errors are shown where they moved. */
        if (strncmp(name, "error_", strlen("error_")) == 0 &&
            !(isfinite(metric->baseline) && metric->figures.value != metric->baseline))
            continue;
        kg__show_figure(value, sizeof value, metric->figures.value, kg__metric_unit(name));
        if (isfinite(metric->change))
            kg__show_percent(change, sizeof change, metric->change, true);
        kg__format(text + used, size - used, "  %s %s%s%s%s",
                   strcmp(name, "time_ns") == 0        ? "hot"
                   : strcmp(name, "cold_time_ns") == 0 ? "cold"
                                                       : name,
                   value, change[0] != '\0' ? " (" : "", change, change[0] != '\0' ? ")" : "");
    }
}

void kg__case_line(const kg__case_result *result, const char *word, char *text, size_t size)
{
    char *why = *result->why != '\0' ? kg__case_result_reason(result) : kg__copy_text("");
    char figures[512] = "";

    if (kg__is_counted(result))
        show_counts(result, figures, sizeof figures);
    else
        show_times(result, figures, sizeof figures);
    kg__format(text, size, "%-11s  %-11s  %-32s%s%s%s",
               word != NULL ? word : kg__verdict_name(result->verdict), result->target, result->id,
               figures[0] == '\0' && why[0] == '\0' ? "  checked" : figures,
               why[0] != '\0' ? "  " : "", why);
    free(why);
}
