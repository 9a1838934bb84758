#include "results/result_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "base/text.h"
#include "records/finding_text.h"

/* A stream that grows a text on the heap; closing it leaves the text in `text`. */
typedef struct sentence {
    char *text;
    size_t size;
    FILE *stream;
} sentence;

static void begin(sentence *words)
{
    words->text = NULL;
    words->size = 0;
    words->stream = open_memstream(&words->text, &words->size);
    if (words->stream == NULL) {
        kg__complain("out of host memory for the reason of a verdict: free some memory");
        exit(KG__EXIT_ERROR);
    }
}

static char *finish(sentence *words)
{
    char *clean;

    fclose(words->stream);
    clean = kg__clean_text(words->text, true);
    free(words->text);
    return clean;
}

char *kg__metric_result_figures(const kg__metric_result *metric)
{
    const char *name = metric->figures.name;
    const char *unit = kg__metric_unit(name);
    char figure[KG__FIGURE_SIZE];
    sentence words;

    begin(&words);
    kg__show_figure(figure, sizeof figure, metric->figures.value, unit);
    fprintf(words.stream, "%s %s", name, figure);
    if (isfinite(metric->baseline)) {
        kg__show_figure(figure, sizeof figure, metric->baseline, unit);
        fprintf(words.stream, " (baseline %s", figure);
        if (isfinite(metric->change)) {
            kg__show_percent(figure, sizeof figure, metric->change, true);
            fprintf(words.stream, ", %s", figure);
        }
        if (isfinite(metric->limit)) {
            kg__show_percent(figure, sizeof figure, metric->limit, false);
            fprintf(words.stream, ", limit %s", figure);
        }
        fputs(")", words.stream);
    }
    if (metric->verdict != KG__VERDICTS)
        fprintf(words.stream, ": %s", kg__verdict_name(metric->verdict));
    return finish(&words);
}

char *kg__case_result_reason(const kg__case_result *result)
{
    sentence words;

    if (result->findings.count > 0) {
        char text[KG__MESSAGE_SIZE];

        kg__findings_text(&result->findings, text, sizeof text);
        begin(&words);
        fprintf(words.stream, "%s%s%s", text, result->also != NULL ? "; " : "",
                result->also != NULL ? result->also : "");
        return finish(&words);
    }
    if (result->why != NULL && *result->why != '\0')
        return kg__clean_text(result->why, true);
    for (size_t i = 0; result->verdict != KG__PASS && i < result->metric_count; i++) {
        const kg__metric_result *metric = &result->metrics[i];

        if (metric->verdict != result->verdict)
            continue;
        if (metric->why == NULL || *metric->why == '\0')
            return kg__metric_result_figures(metric);
        begin(&words);
        fprintf(words.stream, "%s %s", metric->figures.name, metric->why);
        return finish(&words);
    }
    return kg__copy_text(result->verdict == KG__PASS ? "" : "no reason was recorded");
}
