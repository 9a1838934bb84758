/* Results for a terminal and a job's log. */
#include "report/console.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/exit_code.h"
#include "base/index.h"
#include "base/message.h"
#include "base/text.h"
#include "results/results_text.h"
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
    const char *comparison;
    size_t jobs[JOBS];
    size_t refused;
    size_t verdicts[KG__VERDICTS];
} row;

/* The comparisons of a target, in the order in which cases name them. */
typedef struct rows {
    row *items;
    size_t count;
} rows;

static bool is_of(const char *id, const char *comparison)
{
    size_t length = strlen(comparison);

    return strncmp(id, comparison, length) == 0 && (id[length] == '/' || id[length] == '\0');
}

/* The row of a case's comparison, which is added where it is missing. */
static row *find_row(kg__pool *pool, rows *rows, const char *id)
{
    for (size_t i = rows->count; i > 0; i--) {
        if (is_of(id, rows->items[i - 1].comparison))
            return &rows->items[i - 1];
    }
    rows->items = kg__pool_grow(pool, rows->items, rows->count, sizeof *rows->items);
    rows->items[rows->count] =
        (row){ .comparison = kg__pool_format(pool, "%.*s", (int)strcspn(id, "/"), id) };
    return &rows->items[rows->count++];
}

/* Counts the cases of a target by comparison. */
static rows count_rows(kg__pool *pool, const kg__results *results, const char *target)
{
    rows rows = { 0 };

    for (size_t i = 0; i < results->case_count; i++) {
        const kg__case_result *result = results->cases[i];
        row *counted;

        if (strcmp(result->target, target) != 0)
            continue;
        counted = find_row(pool, &rows, result->id);
        counted->verdicts[result->verdict]++;
        for (size_t j = 0; j < result->parts.count; j++)
            for (size_t job = 0; job < JOBS; job++)
                counted->jobs[job] += strcmp(result->parts.items[j], jobs[job].part) == 0;
    }
    for (size_t i = 0; i < results->refused.count; i++) {
        if (strcmp(results->refused.items[i].target, target) == 0)
            find_row(pool, &rows, results->refused.items[i].subject)->refused++;
    }
    return rows;
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

static void print_row(const kg__console *to, const row *counted, const row *all, int width)
{
    char *clean = kg__clean_text(counted->comparison, true);
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
    const kg__results *results = to->results;

    for (size_t i = 0; i < results->case_count; i++) {
        const kg__case_result *result = results->cases[i];
        char line[(size_t)2 * KG__MESSAGE_SIZE];

        if (strcmp(result->target, target) != 0 || !is_of(result->id, comparison))
            continue;
        kg__time_result_line(result, NULL, line, sizeof line);
        print_line(to, "%s", line);
    }
    for (size_t i = 0; i < results->refused.count; i++) {
        const kg__remark *refused = &results->refused.items[i];

        if (strcmp(refused->target, target) == 0 && is_of(refused->subject, comparison))
            print_line(to, "%-11s  %-11s  %-32s  %s", "refused", target, refused->subject,
                       refused->why != NULL ? refused->why : "");
    }
}

/* Writes the machine of a target: its GPU and software, or the model's compiler. */
static void print_machine(const kg__console *to, const char *target)
{
    static const char *const shown[][2] = {
        { "uuid", "" }, { "driver", "driver " }, { "cuda", "CUDA " }, { "compiler", "" }
    };
    char *clean = kg__clean_text(target, true);
    const char *gap = "  ";
    size_t boards = 0;

    for (size_t i = 0; i < to->results->board_count; i++)
        boards += strcmp(to->results->boards[i].target, target) == 0;
    fputs(clean, to->stream);
    free(clean);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *fact = kg__results_fact(to->results, target, shown[i][0]);

        if (*fact == '\0')
            continue;
        clean = kg__clean_text(fact, true);
        if (i == 0 && boards > 1)
            fprintf(to->stream, "%s%zu boards", gap, boards);
        else
            fprintf(to->stream, "%s%s%.*s", gap, shown[i][1],
                    i == 0 && strlen(clean) > UUID_SHOWN ? UUID_SHOWN : (int)strlen(clean), clean);
        free(clean);
        gap = ", ";
    }
    fputc('\n', to->stream);
}

static void print_target(const kg__console *to, const char *target)
{
    kg__pool pool = { 0 };
    rows rows = count_rows(&pool, to->results, target);
    row all = { 0 };
    int width = 12;

    for (size_t i = 0; i < rows.count; i++) {
        int length = (int)strlen(rows.items[i].comparison);

        width = length > width ? length : width;
        for (size_t job = 0; job < JOBS; job++)
            all.jobs[job] += rows.items[i].jobs[job];
        all.refused += rows.items[i].refused;
    }
    print_machine(to, target);
    for (size_t i = 0; i < rows.count; i++) {
        if (to->report->detail == KG__VERBOSE)
            print_cases(to, target, rows.items[i].comparison);
        print_row(to, &rows.items[i], &all, width);
    }
    kg__pool_free(&pool);
}

/* The targets of cases, judged or refused. GPUs come first. */
static void print_targets(const kg__console *to)
{
    const kg__results *results = to->results;
    kg__pool pool = { 0 };
    kg__index targets = { 0 };

    for (size_t i = 0; i < results->case_count; i++)
        kg__index_set(&pool, &targets, results->cases[i]->target, &targets);
    for (size_t i = 0; i < results->refused.count; i++)
        kg__index_set(&pool, &targets, results->refused.items[i].target, &targets);
    for (size_t i = 0; i < targets.count; i++)
        if (strcmp(targets.entries[i].name, KG__MODEL_KEY) != 0)
            print_target(to, targets.entries[i].name);
    if (kg__index_find(&targets, KG__MODEL_KEY) != NULL)
        print_target(to, KG__MODEL_KEY);
    kg__pool_free(&pool);
}

static void print_claims(const kg__console *to)
{
    bool verbose = to->report->detail == KG__VERBOSE;
    size_t held = 0;

    for (size_t i = 0; verbose && i < to->results->speedups.count; i++)
        print_line(to, "%-11s  %-11s  %s", "speedup", to->results->speedups.items[i].target,
                   to->results->speedups.items[i].subject);
    for (size_t i = 0; i < to->results->claims.count; i++) {
        const kg__remark *claim = &to->results->claims.items[i];

        held += claim->holds;
        if (claim->holds && verbose)
            print_line(to, "%-11s  %-11s  %-32s  %s", "holds", "claim", claim->subject,
                       claim->why != NULL ? claim->why : "");
    }
    if (held > 0)
        fprintf(to->stream, "claims: %zu hold%s\n", held, held == 1 ? "s" : "");
}

/* The notes, each once whatever number of tests has it. */
static void print_notes(const kg__console *to)
{
    const kg__remarks *notes = &to->results->notes;
    size_t most = to->report->detail == KG__VERBOSE ? SIZE_MAX : MOST_NOTES;
    kg__pool pool = { 0 };
    kg__index known = { 0 };

    for (size_t i = 0; i < notes->count; i++) {
        const char *note = notes->items[i].subject;

        if (kg__index_find(&known, note) == NULL && known.count < most)
            print_line(to, "%-11s  %-11s  %s", "note", notes->items[i].target, note);
        kg__index_set(&pool, &known, note, &known);
    }
    if (known.count > most)
        fprintf(to->stream, "... and %zu more notes in summary.md\n", known.count - most);
    kg__pool_free(&pool);
}

static void print_filtered(const kg__console *to)
{
    size_t filtered = 0;

    for (size_t i = 0; i < to->results->test_count; i++)
        filtered += to->results->tests[i].skipped_by == KG__SKIP_FILTER;
    if (filtered > 0)
        fprintf(to->stream, "not selected by --filter: %zu test%s\n", filtered,
                filtered == 1 ? "" : "s");
}

static void print_verdict(const kg__console *to)
{
    int64_t code = to->results->exit_code;
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

void kg__console_write(const kg__report *report, FILE *stream)
{
    size_t targets = 0;
    kg__console to = { .report = report,
                       .results = report->results,
                       .stream = stream,
                       .colored = kg__color_wanted(stream) };

    for (size_t i = 0; i < report->results->target_count; i++)
        targets += report->results->targets[i].target.key[0] != '\0';
    to.on_targets = targets > 1;
    if (report->detail == KG__QUIET) {
        print_verdict(&to);
        return;
    }
    print_targets(&to);
    kg__console_failures(&to);
    print_claims(&to);
    print_notes(&to);
    print_filtered(&to);
    if (report->results->summary.baselines != NULL)
        fprintf(stream, "baselines%s\n", report->results->summary.baselines);
    print_verdict(&to);
}
