/* Results for a terminal and a job's log. */
#include "report/console.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "baseline/baseline_changes.h"
#include "results/results_read.h"
#include "results/results_text.h"
#include "results/bridge.h"
#include "results/time_result.h"

/* So many characters of a board's UUID are shown: "GPU-956c5159". */
#define UUID_SHOWN 12

/* Further notes are counted: summary.md has them. */
#define MOST_NOTES 6

/* What a case was put to, by the test that judged it. */
static const struct {
    const char *part;
    const char *word;
} jobs[] = {
    { "check", "checked" }, { "defects", "caught" },  { "time", "timed" },
    { "count", "counted" }, { "import", "imported" },
};
#define JOBS (sizeof jobs / sizeof *jobs)

/* A comparison on a target, or all of them. */
typedef struct row {
    size_t jobs[JOBS];
    size_t refused;
    size_t verdicts[KG__VERDICTS];
} row;

static bool is_of(const json_t *entry, const char *target, const char *comparison)
{
    const char *id = kg__json_text(entry, "case");
    size_t length = strlen(comparison);

    return strcmp(kg__json_text(entry, "target"), target) == 0 &&
           strncmp(id, comparison, length) == 0 && (id[length] == '/' || id[length] == '\0');
}

/* Counts the cases of a comparison, and adds them to those of the target. */
static row count_row(const json_t *results, const char *target, const char *comparison, row *all)
{
    row counted = { 0 };
    const json_t *entry;
    const json_t *part;
    size_t i;
    size_t j;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        if (!is_of(entry, target, comparison))
            continue;
        counted.verdicts[kg__results_verdict(entry)]++;
        json_array_foreach (json_object_get(entry, "parts"), j, part)
            for (size_t job = 0; job < JOBS; job++)
                counted.jobs[job] += strcmp(kg__list_text(part), jobs[job].part) == 0;
    }
    json_array_foreach (json_object_get(results, "refused"), i, entry)
        counted.refused += is_of(entry, target, comparison);
    for (size_t job = 0; job < JOBS; job++)
        all->jobs[job] += counted.jobs[job];
    all->refused += counted.refused;
    return counted;
}

/* Adds a count to a row, or the room for it where only others of the target have one. */
static void add_count(char *line, size_t size, size_t count, size_t of_all, const char *word)
{
    size_t used = strlen(line);

    if (count > 0)
        kg__format(line + used, size - used, "  %5zu %-8s", count, word);
    else if (of_all > 0)
        kg__format(line + used, size - used, "  %5s %-8s", "", "");
}

static void print_row(const kg__console *to, const char *comparison, const row *counted,
                      const row *all, int width)
{
    char *clean = kg__clean_text(comparison, true);
    char line[256] = "";
    const char *gap = "  ";
    size_t length;

    for (size_t job = 0; job < JOBS; job++)
        add_count(line, sizeof line, counted->jobs[job], all->jobs[job], jobs[job].word);
    add_count(line, sizeof line, counted->refused, all->refused, "refused");
    for (length = strlen(line); length > 0 && line[length - 1] == ' '; length--)
        line[length - 1] = '\0';
    fprintf(to->stream, "  %-*s%s", width, clean, line);
    free(clean);
    for (int verdict = KG__VERDICTS - 1; verdict > KG__PASS; verdict--) {
        const char *name = kg__verdict_name((kg__verdict)verdict);

        if (counted->verdicts[verdict] == 0)
            continue;
        fprintf(to->stream, "%s%zu %s%s%s", gap, counted->verdicts[verdict],
                to->colored ? kg__color_of_word(name) : "", name, to->colored ? KG__PLAIN : "");
        gap = ", ";
    }
    fputc('\n', to->stream);
}

/* Prints a line that begins with the word of a verdict. */
static void print_line(const kg__console *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void print_line(const kg__console *to, const char *format, ...)
{
    char line[(size_t)2 * KG__MESSAGE_SIZE];
    va_list arguments;
    char *clean;

    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    clean = kg__clean_text(line, true);
    kg__print_verdict_line(to->stream, clean);
    free(clean);
}

/* The lines of a comparison's cases, and of those that its table refuses. */
static void print_cases(const kg__console *to, const char *target, const char *comparison)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(to->results, "cases"), i, entry) {
        char line[(size_t)2 * KG__MESSAGE_SIZE];

        if (!is_of(entry, target, comparison))
            continue;
        kg__time_result_line_json(entry, line, sizeof line);
        print_line(to, "%s", line);
    }
    json_array_foreach (json_object_get(to->results, "refused"), i, entry)
        if (is_of(entry, target, comparison))
            print_line(to, "%-11s  %-11s  %-32s  %s", "refused", target,
                       kg__json_text(entry, "case"), kg__json_text(entry, "why"));
}

/* Writes the machine of a target: its GPU and software, or the model's compiler. */
static void print_machine(const kg__console *to, const char *target)
{
    const json_t *facts = json_object_get(json_object_get(to->results, "provenance"), target);
    const json_t *boards = json_object_get(to->results, "boards");
    static const char *const shown[][2] = {
        { "uuid", "" }, { "driver", "driver " }, { "cuda", "CUDA " }, { "compiler", "" }
    };
    char *clean = kg__clean_text(target, true);
    const char *gap = "  ";
    const char *board;
    json_t *of_board;
    size_t count = 0;

    json_object_foreach ((json_t *)boards, board, of_board)
        count += strcmp(kg__json_text(of_board, "target"), target) == 0;
    fputs(clean, to->stream);
    free(clean);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *fact = kg__json_text(facts, shown[i][0]);

        if (*fact == '\0')
            continue;
        clean = kg__clean_text(fact, true);
        if (i == 0 && count > 1)
            fprintf(to->stream, "%s%zu boards", gap, count);
        else
            fprintf(to->stream, "%s%s%.*s", gap, shown[i][1],
                    i == 0 && strlen(clean) > UUID_SHOWN ? UUID_SHOWN : (int)strlen(clean), clean);
        free(clean);
        gap = ", ";
    }
    fputc('\n', to->stream);
}

/* What cases, judged or refused, are of: their comparisons on a target, or (NULL) their targets. */
static json_t *names_of(const json_t *results, const char *target)
{
    static const char *const lists[] = { "cases", "refused" };
    json_t *names = json_object();
    const json_t *entry;
    size_t i;

    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
        json_array_foreach (json_object_get(results, lists[list]), i, entry) {
            const char *on = kg__json_text(entry, "target");
            char *name = kg__copy_text(target != NULL ? kg__json_text(entry, "case") : on);

            if (target != NULL)
                name[strcspn(name, "/")] = '\0';
            if (target == NULL || strcmp(on, target) == 0)
                json_object_set_new(names, name, json_true());
            free(name);
        }
    }
    return names;
}

static void print_target(const kg__console *to, const char *target)
{
    json_t *comparisons = names_of(to->results, target);
    const char *comparison;
    json_t *unused;
    row all = { 0 };
    int width = 12;

    json_object_foreach (comparisons, comparison, unused) {
        width = (int)strlen(comparison) > width ? (int)strlen(comparison) : width;
        (void)count_row(to->results, target, comparison, &all);
    }
    print_machine(to, target);
    json_object_foreach (comparisons, comparison, unused) {
        row ignored = { 0 };
        row counted = count_row(to->results, target, comparison, &ignored);

        if (to->report->detail == KG__VERBOSE)
            print_cases(to, target, comparison);
        print_row(to, comparison, &counted, &all, width);
    }
    json_decref(comparisons);
}

/* GPUs come first. */
static void print_targets(const kg__console *to)
{
    json_t *targets = names_of(to->results, NULL);
    const char *target;
    json_t *unused;

    json_object_foreach (targets, target, unused)
        if (strcmp(target, KG__MODEL_KEY) != 0)
            print_target(to, target);
    if (json_object_get(targets, KG__MODEL_KEY) != NULL)
        print_target(to, KG__MODEL_KEY);
    json_decref(targets);
}

static void print_claims(const kg__console *to)
{
    bool verbose = to->report->detail == KG__VERBOSE;
    size_t held = 0;
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(to->results, "speedups"), i, entry)
        if (verbose)
            print_line(to, "%-11s  %-11s  %s", "speedup", kg__json_text(entry, "target"),
                       kg__json_text(entry, "note"));
    json_array_foreach (json_object_get(to->results, "claims"), i, entry) {
        if (!json_is_true(json_object_get(entry, "holds")))
            continue;
        held++;
        if (verbose)
            print_line(to, "%-11s  %-11s  %-32s  %s", "holds", "claim",
                       kg__json_text(entry, "claim"), kg__json_text(entry, "why"));
    }
    if (held > 0)
        fprintf(to->stream, "claims: %zu hold%s\n", held, held == 1 ? "s" : "");
}

/* The notes, each once whatever number of tests has it. */
static void print_notes(const kg__console *to)
{
    size_t most = to->report->detail == KG__VERBOSE ? SIZE_MAX : MOST_NOTES;
    json_t *known = json_object();
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(to->results, "notes"), i, entry) {
        const char *note = kg__json_text(entry, "note");

        if (json_object_get(known, note) == NULL && json_object_size(known) < most)
            print_line(to, "%-11s  %-11s  %s", "note", kg__json_text(entry, "target"), note);
        json_object_set_new(known, note, json_true());
    }
    if (json_object_size(known) > most)
        fprintf(to->stream, "... and %zu more notes in summary.md\n",
                json_object_size(known) - most);
    json_decref(known);
}

static void print_filtered(const kg__console *to)
{
    size_t filtered = 0;
    const json_t *test;
    size_t i;

    json_array_foreach (json_object_get(to->results, "tests"), i, test)
        filtered += strcmp(kg__json_text(test, "skipped_by"), "filter") == 0;
    if (filtered > 0)
        fprintf(to->stream, "not selected by --filter: %zu test%s\n", filtered,
                filtered == 1 ? "" : "s");
}

static void print_verdict(const kg__console *to)
{
    int code = kg__results_exit_code(to->results);
    const char *color = code == KG__EXIT_PASS      ? KG__GREEN
                        : code == KG__EXIT_NOTHING ? KG__YELLOW
                                                   : KG__RED;
    char *verdict = kg__results_verdict_line(to->results);
    const char *rest = strstr(verdict, "  ");
    int word = (int)(rest != NULL ? (size_t)(rest - verdict) : strlen(verdict));

    fprintf(to->stream, "%s%.*s%s%s\n", to->colored ? color : "", word, verdict,
            to->colored ? KG__PLAIN : "", verdict + word);
    free(verdict);
}

static void print_baselines(const kg__console *to)
{
    char *sentence = kg__baseline_changes_sentence(to->results);

    if (sentence != NULL)
        fprintf(to->stream, "baselines%s\n", sentence);
    free(sentence);
}

void kg__console_write(const kg__report *report, FILE *stream)
{
    kg__console to = { .report = report,
                       .results = report->results,
                       .stream = stream,
                       .colored = kg__color_wanted(stream),
                       .on_targets =
                           json_object_size(json_object_get(report->results, "targets")) > 1 };

    if (report->detail == KG__QUIET) {
        print_verdict(&to);
        return;
    }
    print_targets(&to);
    kg__console_failures(&to);
    print_claims(&to);
    print_notes(&to);
    print_filtered(&to);
    print_baselines(&to);
    print_verdict(&to);
}
