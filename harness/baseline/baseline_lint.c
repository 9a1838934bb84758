#include "baseline/baseline_lint.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "baseline/baseline_rules.h"
#include "baseline/make_baseline.h"

#define DIGITS "0123456789"
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz_" DIGITS

/* Figures that a decimal form brought apart, relative to each other. */
#define SAME 1e-9

typedef struct lint_run {
    void (*report)(void *context, const char *id, const char *metric, const char *what);
    void *context;
    bool imported; /* by another tool, which has no sentinels and no tables */
    size_t count;
} lint_run;

static void add_finding(lint_run *lint, const char *id, const char *metric, const char *what)
{
    lint->report(lint->context, id, metric, what);
    lint->count++;
}

/* Passes over a number that counts from 1; NULL where there is none. */
static const char *skip_number(const char *text)
{
    size_t length = strspn(text, DIGITS);

    return length > 0 && *text != '0' ? text + length : NULL;
}

/* A size is numbers joined by x. Extents may be 0. */
static bool is_size(const char *text, const char *end)
{
    for (;;) {
        size_t length = strspn(text, DIGITS);

        text += length;
        if (length == 0 || text == end)
            return length > 0;
        if (*text++ != 'x')
            return false;
    }
}

/* A launch is b<threads or tile edge>, then g<blocks> where they are free; - where there is none.
 */
static bool is_launch(const char *text)
{
    if (strcmp(text, "-") == 0)
        return true;
    text = *text == 'b' ? skip_number(text + 1) : NULL;
    if (text != NULL && *text == 'g')
        text = skip_number(text + 1);
    return text != NULL && *text == '\0';
}

/* Whether a part of an imported case's id is that of one whose name says nothing of it. */
static bool is_unsaid(const lint_run *lint, const char *part, const char *end)
{
    return lint->imported && end == part + 1 && *part == '-';
}

static void lint_id(lint_run *lint, const char *id)
{
    const char *variant = strchr(id, '/') + 1;
    const char *size = strchr(variant, '/') + 1;
    const char *launch = strchr(size, '/') + 1;

    if (strspn(id, NAME_LETTERS) != (size_t)(variant - 1 - id) ||
        (strspn(variant, NAME_LETTERS) != (size_t)(size - 1 - variant) &&
         !is_unsaid(lint, variant, size - 1)))
        add_finding(
            lint, id, NULL,
            "no table gives this name: comparisons and variants are named in a-z, 0-9 and _");
    if (!is_size(size, launch - 1) && !is_unsaid(lint, size, launch - 1))
        add_finding(lint, id, NULL,
                    "no table gives this size: it is numbers joined by x, as in 31x33x17");
    if (!is_launch(launch))
        add_finding(
            lint, id, NULL,
            "no table gives this launch: it is b<threads or tile edge>, then g<blocks> where those "
            "are free, or -");
}

static void lint_sessions(lint_run *lint, const char *id, const kg__baseline_metric *metric)
{
    char what[KG__MESSAGE_SIZE];

    if (metric->session_count < KG__SESSIONS_MINIMUM) {
        kg__format(what, sizeof what,
                   "rests on %zu session%s, and %d is the fewest that say enough of the noise: "
                   "record it again with ci/rebaseline",
                   metric->session_count, metric->session_count == 1 ? "" : "s",
                   KG__SESSIONS_MINIMUM);
        add_finding(lint, id, metric->name, what);
    }
}

/* The value of a metric is the median of its sessions. */
static void lint_value(lint_run *lint, const char *id, const kg__baseline_metric *metric)
{
    char what[KG__MESSAGE_SIZE];
    char value[KG__FIGURE_SIZE];
    char shown[KG__FIGURE_SIZE];
    double median;

    if (metric->session_count == 0)
        return;
    median = kg__value_of_sessions(metric->sessions, metric->session_count);
    if (fabs(metric->value - median) <= SAME * median)
        return;
    kg__show_figure(value, sizeof value, metric->value, "ns");
    kg__show_figure(shown, sizeof shown, median, "ns");
    kg__format(what, sizeof what,
               "its value is %s, and the median of its sessions %s: record it again with "
               "ci/rebaseline",
               value, shown);
    add_finding(lint, id, metric->name, what);
}

/* A band that is narrower than the noise trips by chance, and what is held more loosely than its
 * noise asks for guards less than it seems to: both unless a hand wanted it so. */
static void lint_band(lint_run *lint, const char *id, const kg__baseline_metric *metric)
{
    char what[KG__MESSAGE_SIZE];
    char band[KG__FIGURE_SIZE];
    char noise[KG__FIGURE_SIZE];
    double band_of_sessions;
    double noise_of_sessions;
    double bound;

    if (metric->session_count < KG__SESSIONS_MINIMUM || metric->band_by_hand)
        return;
    band_of_sessions = kg__band_of_sessions(metric->sessions, metric->session_count);
    noise_of_sessions = kg__noise(metric->sessions, metric->session_count);
    kg__show_percent(band, sizeof band, metric->band, false);
    kg__show_percent(noise, sizeof noise, noise_of_sessions, false);
    if (fabs(metric->band - band_of_sessions) > KG__BAND_STEP) {
        kg__format(what, sizeof what,
                   "its band is %s, and its noise (3 sigma) %s%s: record it again with "
                   "ci/rebaseline, or say \"band_by\": \"hand\"",
                   band, metric->band > band_of_sessions ? "only " : "", noise);
        add_finding(lint, id, metric->name, what);
    }
    bound = kg__noise_bound(metric->sessions, metric->session_count);
    if (metric->gated == (bound > KG__GATED_LIMIT)) {
        kg__show_percent(noise, sizeof noise, bound, false);
        kg__format(what, sizeof what,
                   "it is %sgated, and its noise (3 sigma, by 80 %% confidence) is %s%s: %s "
                   "\"band_by\": \"hand\"",
                   metric->gated ? "" : "not ", metric->gated ? "up to " : "only up to ", noise,
                   metric->gated ? "say \"gated\": false, or" : "take \"gated\" away, or say");
        add_finding(lint, id, metric->name, what);
    }
}

static void lint_metrics(lint_run *lint, const kg__baseline_case *entry)
{
    for (size_t i = 0; i < entry->metric_count; i++) {
        lint_sessions(lint, entry->id, &entry->metrics[i]);
        lint_value(lint, entry->id, &entry->metrics[i]);
        lint_band(lint, entry->id, &entry->metrics[i]);
    }
}

size_t kg__baseline_lint(const kg__baseline *baseline,
                         void (*report)(void *context, const char *id, const char *metric,
                                        const char *what),
                         void *context)
{
    static const char *const sentinels[] = { "copy", "fma" };
    lint_run lint = { .report = report,
                      .context = context,
                      .imported = *kg__measured_by(&baseline->provenance) != '\0' };
    bool model = kg__is_model(&baseline->target);

    for (size_t i = 0; i < KG__SENTINELS && !model && !lint.imported; i++) {
        const kg__baseline_case *sentinel = kg__baseline_sentinel(baseline, sentinels[i]);

        if (sentinel != NULL)
            lint_metrics(&lint, sentinel);
        else
            add_finding(
                &lint, sentinels[i], NULL,
                "this sentinel is missing, so that no drift of the machine is seen: record it with "
                "ci/rebaseline");
    }
    for (size_t i = 0; i < baseline->case_count; i++) {
        const kg__baseline_case *entry = &baseline->cases[i];

        lint_id(&lint, entry->id);
        if (entry->commit == NULL)
            add_finding(&lint, entry->id, NULL,
                        "has no commit, so what was measured is unknown: record it again with "
                        "ci/rebaseline");
        if (!model)
            lint_metrics(&lint, entry);
    }
    return lint.count;
}
