/* kernelgate tune: searches the launches of every variant for the best ones. */
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/program_list.h"
#include "cli/progress.h"
#include "cli/tune_report.h"
#include "gate/spawn_observer.h"
#include "judge/judge.h"
#include "records/records.h"
#include "suite/counters.h"
#include "suite/settings.h"

/* Half of the interval of a median, as a fraction of it: the default and the range of --precision.
 */
#define PRECISION_DEFAULT 0.005
#define PRECISION_LEAST 0.0001
#define PRECISION_MOST 0.1

/* A search of fewer candidates starts without a message. */
#define MANY_CANDIDATES 50

/* A count takes about this many times as long as the check before it. */
#define COUNT_STEPS 5

/* The overhead of a candidate on the CPU model, in operations or words read or written; a larger
 * job than MOST_WORK is sampled. */
#define STEP_OF_WORK 1e5
#define MOST_WORK 1e9

static const char *build;
static bool exhaustive;
static const char *precision_text;
static const char *metric = KG__TUNING_TIME;
static const char *set_texts[KG__REPEATS_MAXIMUM + 1];
static const char *format_text;
static bool as_json;
static const char *table = "best";
static const char *saved_path;

/* A search in progress. */
typedef struct search {
    kg__tuning tuning;
    kg__program_list programs;
    kg__tuning_set sets[KG__REPEATS_MAXIMUM];
    size_t set_count;
    char *set_names[KG__REPEATS_MAXIMUM];
    const char *filter;
    double precision;
    kg__text_table_format format;
    double began;
    json_t *target; /* from an observer; NULL before */
    json_t *provenance;
    kg__progress progress;
    /* Progress in steps: before the observed program, its own, its own that are done, and of all
     * programs. A step is a timed candidate, or the CPU model's work to check a small one. */
    const kg__listed_program *program;
    double steps_before;
    double steps;
    double steps_done;
    double steps_of_all;
    /* The steps of a finished candidate, as a multiple of its work; 0 if the observer reports its
     * progress itself. */
    double step;
} search;

static bool parse_precision(search *run)
{
    char *end;

    run->precision = PRECISION_DEFAULT;
    if (precision_text == NULL)
        return true;
    run->precision = strtod(precision_text, &end);
    if (*end == '\0' && run->precision >= PRECISION_LEAST && run->precision <= PRECISION_MOST)
        return true;
    kg__complain(
        "tune: --precision %s: is not a fraction from %g to %g: 0.005 asks for half a percent",
        precision_text, PRECISION_LEAST, PRECISION_MOST);
    return false;
}

static bool parse_metric(void)
{
    const char *names[KG__COUNTERS + 1] = { KG__TUNING_TIME };
    const char *nearest;

    if (strcmp(metric, KG__TUNING_TIME) == 0 || kg__counter_parse(metric, NULL))
        return true;
    for (int i = 0; i < KG__COUNTERS; i++)
        names[i + 1] = kg__counter_name((kg__counter)i);
    nearest = kg__nearest_name(metric, names, KG__COUNTERS + 1);
    if (nearest != NULL)
        kg__complain("tune: --by %s: there is no such metric; did you mean %s?", metric, nearest);
    else
        kg__complain("tune: --by %s: there is no such metric: use time_ns, or a counter of the CPU "
                     "model such as global_load_sectors",
                     metric);
    return false;
}

static bool parse_choice(const char *option, const char *given, const char *const *choices,
                         size_t count)
{
    const char *nearest;

    for (size_t i = 0; i < count; i++)
        if (strcmp(given, choices[i]) == 0)
            return true;
    nearest = kg__nearest_name(given, choices, count);
    kg__complain("tune: %s %s: there is no such choice%s%s: use %s, %s or %s", option, given,
                 nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                 choices[0], choices[1], choices[2]);
    return false;
}

/* Whether a set's name is valid in a table and in a document. */
static bool is_plain(const char *name)
{
    char *clean = kg__clean_text(name, true);
    bool plain = strcmp(clean, name) == 0;

    if (!plain)
        kg__complain("tune: --set %s: a name is of UTF-8, without control characters: rename it",
                     clean);
    free(clean);
    return plain;
}

/* Parses the named sets: NAME=GLOB,GLOB. */
static bool parse_sets(search *run)
{
    for (size_t i = 0; set_texts[i] != NULL; i++) {
        const char *equals = strchr(set_texts[i], '=');
        size_t length = equals != NULL ? (size_t)(equals - set_texts[i]) : 0;

        if (length == 0 || equals[1 + strspn(equals + 1, ",")] == '\0') {
            kg__complain("tune: --set %s: is not NAME=GLOB,GLOB: write --set managed='*_managed'",
                         set_texts[i]);
            return false;
        }
        run->set_names[i] = kg__copy_text(set_texts[i]);
        run->set_names[i][length] = '\0';
        run->sets[i] = (kg__tuning_set){ run->set_names[i], equals + 1 };
        run->set_count++;
        if (!is_plain(run->set_names[i]))
            return false;
        for (size_t j = 0; j < i; j++) {
            if (strcmp(run->sets[j].name, run->sets[i].name) != 0)
                continue;
            kg__complain("tune: --set %s: two sets of one name: rename one", run->sets[i].name);
            return false;
        }
    }
    return true;
}

/* Whether the file can be written, checked before minutes of measuring. */
static bool may_write(const char *path)
{
    char *copy = kg__copy_text(path);
    const char *folder = dirname(copy);
    kg__error error = { "" };
    bool good = false;

    if (access(folder, W_OK | X_OK) != 0)
        kg__complain("tune: --save %s: nothing can be written in %s: %s: name another file", path,
                     folder, strerror(errno));
    else if (!kg__file_may_replace(path, &error))
        kg__complain("tune: --save %s", error.text);
    else
        good = true;
    free(copy);
    return good;
}

static bool parse_options(search *run)
{
    static const char *const formats[] = { "text", "markdown", "json" };
    static const char *const tables[] = { "best", "launches", "sizes" };

    if (!kg__merge_format("tune", as_json, &format_text))
        return false;
    format_text = format_text != NULL ? format_text : formats[0];
    if (!parse_metric() || !parse_precision(run) || !parse_sets(run) ||
        !parse_choice("--format", format_text, formats, sizeof formats / sizeof *formats) ||
        !parse_choice("--table", table, tables, sizeof tables / sizeof *tables) ||
        (saved_path != NULL && !may_write(saved_path)))
        return false;
    run->format = strcmp(format_text, "markdown") == 0 ? KG__GRID_MARKDOWN : KG__GRID_TEXT;
    kg__tuning_begin(&run->tuning, metric);
    if (kg__tuning_is_timed(&run->tuning))
        return true;
    if (exhaustive || precision_text != NULL)
        kg__complain("tune: --exhaustive and --precision are for times: counts are exact, and each "
                     "candidate is counted");
    return !exhaustive && precision_text == NULL;
}

/* Whether each glob of the named sets matches the variant of a candidate. */
static bool sets_fit(const search *run)
{
    size_t count;
    kg__tuning_set *variants = kg__tuning_variants(&run->tuning, NULL, &count);
    const char **names = kg__allocate(count + 1, sizeof *names);
    bool good = true;

    for (size_t i = 0; i < count; i++)
        names[i] = variants[i].name;
    for (size_t i = 0; i < run->set_count && good; i++) {
        char *globs = kg__copy_text(run->sets[i].globs);
        char *rest = NULL;

        for (size_t j = 0; j < count && good; j++) {
            good = strcmp(run->sets[i].name, names[j]) != 0;
            if (!good)
                kg__complain(
                    "tune: --set %s: is a variant's name, which is a set already: rename it",
                    names[j]);
        }
        for (char *glob = strtok_r(globs, ",", &rest); glob != NULL && good;
             glob = strtok_r(NULL, ",", &rest)) {
            const char *nearest = kg__nearest_name(glob, names, count);
            bool taken = false;

            for (size_t j = 0; j < count && !taken; j++)
                taken = kg__globs_take(glob, names[j]);
            good = taken;
            if (!taken)
                kg__complain("tune: --set %s: no candidate is of a variant \"%s\"%s%s%s",
                             run->sets[i].name, glob, nearest != NULL ? "; did you mean \"" : "",
                             nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
        }
        free(globs);
    }
    free(names);
    free(variants);
    return good;
}

/* The exit code of a search that needs a GPU and has none. */
static int refuse_without_gpu(const char *why)
{
    kg__complain("tune needs a GPU%s; --by COUNTER ranks by exact counters of the CPU model, such "
                 "as --by global_load_sectors",
                 why);
    return kg__is_strict() ? KG__EXIT_ERROR : KG__EXIT_NOTHING;
}

/* Finds the programs and their candidates; 0 or an exit code. */
static int open_programs(search *run)
{
    static const kg__program_query query = { "tune", "--candidates", "target", "candidate" };
    bool timed = kg__tuning_is_timed(&run->tuning);
    int code;

    kg__program_list_find(&run->programs, &query, build, timed ? ".gpu" : ".model");
    if (run->programs.count == 0) {
        char folder[KG__PATH_SIZE];
        kg__program_list others;
        bool has_model;

        kg__format_path(folder, sizeof folder, "%s", run->programs.folder);
        kg__program_list_find(&others, &query, build, ".model");
        has_model = timed && others.count > 0;
        kg__program_list_free(&others);
        if (has_model)
            return refuse_without_gpu(", and the build has no program for one");
        kg__complain("tune: there is no program *%s of a comparison in %s: build it, or name its "
                     "folder with --build",
                     timed ? ".gpu" : ".model", folder);
        return KG__EXIT_ERROR;
    }
    code = kg__program_list_ask(&run->programs);
    return code == KG__EXIT_NOTHING && timed ? refuse_without_gpu("") : code;
}

static void show_progress(search *run, double left, const char *what)
{
    double done = (run->steps_before + run->steps_done) / run->steps_of_all;
    double elapsed = kg__now() - run->began;
    double steps_after = run->steps_of_all - run->steps_before - run->steps;

    /* The observer's estimate for itself, plus the other programs at the current rate. */
    if (left >= 0 && run->steps_before + run->steps_done > 0)
        left += steps_after * elapsed / (run->steps_before + run->steps_done);
    else if (done > 0)
        left = elapsed * (1 - done) / done;
    kg__progress_update(&run->progress, done, left, what);
}

static void take_progress(search *run, const json_t *record)
{
    double done = kg__json_number(record, "done");
    double total = kg__json_number(record, "of");
    double left = kg__json_number(record, "seconds_left");
    char what[2 * KG__CASE_PART_SIZE];

    if (!(done >= 0) || !(total > 0))
        return;
    run->steps_done = fmax(run->steps_done, run->steps * fmin(done / total, 1));
    kg__format(what, sizeof what, "%s %s", kg__json_text(record, "comparison"),
               kg__json_text(record, "size"));
    show_progress(run, left >= 0 ? left : -1, what);
}

/* The steps to check a candidate on the CPU model, by the work of its size: a search may have all
 * sizes of a comparison. */
static double estimate_steps(const kg__listed_program *program, const char *id)
{
    kg__case_id name;
    const json_t *work;
    double operations;
    double bytes;

    if (!kg__case_id_parse(id, &name))
        return 1;
    work = json_object_get(json_object_get(program->answer, "work"), name.size);
    operations = fmax(kg__json_number(work, "operations"), 0);
    bytes = fmax(kg__json_number(work, "bytes"), 0);
    return 1 + fmin(operations + bytes / (double)sizeof(float), MOST_WORK) / STEP_OF_WORK;
}

static double sum_steps(const search *run, const kg__listed_program *program)
{
    double steps = 0;

    for (size_t i = program->begin; i < program->end; i++)
        steps += estimate_steps(program, run->tuning.list[i].id);
    return steps;
}

static void take_observation(void *context, const kg__observation *observation)
{
    json_t *record = observation->record;
    search *run = context;
    const char *event = kg__json_text(record, "event");
    const kg__tuning_candidate *candidate;

    if (strcmp(event, "progress") == 0) {
        take_progress(run, record);
        return;
    }
    if (strcmp(event, "target") == 0 && run->target == NULL) {
        run->target = json_incref(json_object_get(record, "target"));
        run->provenance = json_incref(json_object_get(record, "provenance"));
    }
    candidate = kg__tuning_take(&run->tuning, record);
    if (run->step > 0 && (candidate != NULL || strcmp(event, "checked") == 0)) {
        char what[3 * KG__CASE_PART_SIZE];

        kg__format(what, sizeof what, "%s", kg__json_text(record, "case"));
        run->steps_done =
            fmin(run->steps_done + run->step * estimate_steps(run->program, what), run->steps);
        show_progress(run, -1, what);
    }
}

/* Observes a program's candidates that have no record yet; 0 or an exit code. */
static int observe(search *run, const kg__listed_program *program, const char *observer,
                   const char *part, const char *records)
{
    const char **ids = kg__allocate(program->end - program->begin + 1, sizeof *ids);
    kg__error why = { "" };
    kg__observation_job job = {
        .program = observer,
        .part = part,
        .cases = ids,
        .records = records,
        .silence_limit = kg__silence_limit(),
        .on_observation = take_observation,
        .context = run,
    };
    kg__observation_status status = KG__OBSERVED;

    for (size_t i = program->begin; i < program->end; i++) {
        if (run->tuning.list[i].fate == KG__TUNING_UNTRIED)
            ids[job.case_count++] = run->tuning.list[i].id;
    }
    if (job.case_count > 0)
        status = kg__observe_cases(&job, &why);
    free(ids);
    run->steps_before += run->steps;
    run->steps = run->steps_done = 0;
    if (status == KG__OBSERVED)
        return 0;
    kg__progress_end(&run->progress);
    if (status == KG__UNAVAILABLE) {
        char reason[KG__MESSAGE_SIZE + 4];

        kg__format(reason, sizeof reason, ": %s", why.text);
        return refuse_without_gpu(reason);
    }
    kg__complain("tune: %s: %s", observer, why.text);
    return KG__EXIT_ERROR;
}

/* Counts a program's candidates, after a check with the plain kernels: a wrong candidate could win
 * with fewer accesses. */
static int count_program(search *run, const kg__listed_program *program, const char *records)
{
    char instrumented[KG__PATH_SIZE];
    double steps = sum_steps(run, program);
    kg__error error = { "" };
    int code;

    if (!kg__instrumented_program(program->path, instrumented, sizeof instrumented, &error)) {
        kg__complain("tune: %s", error.text);
        return KG__EXIT_ERROR;
    }
    run->step = 1;
    run->program = program;
    run->steps = steps;
    code = observe(run, program, program->path, "check", records);
    run->step = COUNT_STEPS;
    run->steps = COUNT_STEPS * steps;
    return code != 0 ? code : observe(run, program, instrumented, "count", records);
}

/* Prints the size of a long search. */
static void announce(const search *run)
{
    size_t comparisons = 0;

    if (run->tuning.count < MANY_CANDIDATES)
        return;
    for (size_t i = 0; i < run->programs.count; i++)
        comparisons += run->programs.list[i].begin < run->programs.list[i].end;
    kg__complain("tune: %zu candidates of %zu comparison%s to check and %s: a FILTER selects fewer",
                 run->tuning.count, comparisons, comparisons == 1 ? "" : "s",
                 kg__tuning_is_timed(&run->tuning) ? "time" : "count");
}

static int run_programs(search *run, const char *records)
{
    bool timed = kg__tuning_is_timed(&run->tuning);
    char precision[32];
    int code = 0;

    kg__format(precision, sizeof precision, "%.6g", run->precision);
    (void)setenv("KG_TUNE_MODE", exhaustive ? "exhaustive" : "race", 1);
    (void)setenv("KG_TUNE_PRECISION", precision, 1);
    run->steps_of_all = (double)run->tuning.count;
    if (!timed) {
        run->steps_of_all = 0;
        for (size_t i = 0; i < run->programs.count; i++)
            run->steps_of_all += (1 + COUNT_STEPS) * sum_steps(run, &run->programs.list[i]);
    }
    announce(run);
    kg__progress_begin(&run->progress, "tune");
    for (size_t i = 0; i < run->programs.count && code == 0; i++) {
        const kg__listed_program *program = &run->programs.list[i];

        if (program->begin == program->end)
            continue;
        run->steps = (double)(program->end - program->begin);
        run->steps_done = 0;
        code = timed ? observe(run, program, program->path, "tune", records)
                     : count_program(run, program, records);
    }
    kg__progress_end(&run->progress);
    (void)kg__tuning_close(&run->tuning, "its observer left no record of it");
    return code;
}

static int choose_exit_code(const kg__tuning *tuning)
{
    int code = KG__EXIT_PASS;
    size_t measured = 0;

    for (size_t i = 0; i < tuning->count; i++) {
        kg__tuning_fate fate = tuning->list[i].fate;

        measured += fate == KG__TUNING_MEASURED;
        if (fate == KG__TUNING_FAILED)
            code = KG__EXIT_ERROR;
        else if (fate == KG__TUNING_WRONG && code == KG__EXIT_PASS)
            code = KG__EXIT_FAIL;
    }
    if (measured == 0 && code == KG__EXIT_PASS) {
        kg__complain(
            "tune: every candidate was refused: see the reasons above, and widen the filter");
        return KG__EXIT_ERROR;
    }
    return code;
}

static bool write_document(const kg__tuning_report *report, int code)
{
    const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(9);
    json_t *document = kg__tuning_document(report, code);
    bool printed =
        strcmp(format_text, "json") != 0 || kg__json_print(json_incref(document), flags, "tune");
    char *text = saved_path != NULL ? json_dumps(document, flags) : NULL;
    kg__error error = { "a name is not UTF-8, so that there is not JSON of it: rename it" };
    bool saved = saved_path == NULL ||
                 (text != NULL && kg__file_replace(saved_path, text, strlen(text), &error));

    if (!saved)
        kg__complain("tune: %s", error.text);
    free(text);
    json_decref(document);
    return printed && saved;
}

/* Prints the tables or the document; returns the exit code. */
static int report(const search *run)
{
    const kg__tuning_report report = {
        .tuning = &run->tuning,
        .sets = run->sets,
        .set_count = run->set_count,
        .target = run->target != NULL ? run->target : run->programs.target,
        .provenance = run->provenance,
        .edges = run->programs.edges,
        .mode = !kg__tuning_is_timed(&run->tuning) ? "count"
                : exhaustive                       ? "exhaustive"
                                                   : "race",
        .precision = run->precision,
        .filter = run->filter,
        .seconds = kg__now() - run->began,
    };
    int code = choose_exit_code(&run->tuning);
    bool json = strcmp(format_text, "json") == 0 || saved_path != NULL;

    if (strcmp(format_text, "json") != 0) {
        if (strcmp(table, "best") == 0)
            kg__tuning_write_best(stdout, &report, run->format);
        else if (strcmp(table, "launches") == 0)
            kg__tuning_write_launches(stdout, &report, run->format);
        else
            kg__tuning_write_sizes(stdout, &report, run->format);
        kg__tuning_write_notes(stdout, &report, run->format);
    }
    if (json && !write_document(&report, code))
        return KG__EXIT_ERROR;
    if (!kg__flush_output("tune"))
        return KG__EXIT_ERROR;
    return code;
}

static int run_search(search *run)
{
    char folder[KG__PATH_SIZE];
    kg__error why;
    char records[KG__PATH_SIZE];
    int code;

    run->began = kg__now();
    code = open_programs(run);
    if (code != 0)
        return code;
    if (!kg__program_list_choose(&run->programs, run->filter, &run->tuning) || !sets_fit(run))
        return KG__EXIT_ERROR;
    if (!kg__file_make_temporary_folder("tune", folder, sizeof folder, &why)) {
        kg__complain("%s", why.text);
        return KG__EXIT_ERROR;
    }
    kg__format_path(records, sizeof records, "%s/tune", folder);
    code = run_programs(run, records);
    kg__file_remove_folder(folder);
    return code != 0 ? code : report(run);
}

static int tune(size_t count, char **operands)
{
    const char *setting = getenv("KG_FILTER");
    search run = { .filter = count > 0 ? operands[0] : setting != NULL ? setting : "" };
    int code = KG__EXIT_ERROR;

    if (count > 1)
        kg__complain("tune: takes one FILTER, in which a comma separates globs: \"%s,%s\"",
                     operands[0], operands[1]);
    else if (count > 0 && *operands[0] == '\0')
        kg__complain("tune: the filter \"\" holds no glob: omit it to take all");
    else if (parse_options(&run))
        code = run_search(&run);
    for (size_t i = 0; i < run.set_count; i++)
        free(run.set_names[i]);
    json_decref(run.target);
    json_decref(run.provenance);
    kg__program_list_free(&run.programs);
    kg__tuning_free(&run.tuning);
    return code;
}

static const kg__option options[] = {
    { "--build", "DIR", "the folder of the comparisons' programs (default: this command's build)",
      &build, NULL },
    { "--exhaustive", NULL, "time every launch to the full precision, instead of a race", NULL,
      &exhaustive },
    { "--precision", "F",
      "half of the 95 % interval of a median, as a fraction of it (default: 0.005)",
      &precision_text, NULL },
    { "--by", "METRIC", "rank by time_ns (the default), or by a counter of the CPU model", &metric,
      NULL },
    { "--set", "NAME=GLOBS", "compare these variants as one set with others; may be repeated",
      set_texts, NULL },
    { "--table", "WHAT", "best (the default), launches: each by variant, or sizes: each by variant",
      &table, NULL },
    { "--format", "FORMAT", "text (the default), markdown or json", &format_text, NULL },
    KG__JSON_OPTION(as_json),
    { "--save", "FILE", "also write everything to this file, as JSON", &saved_path, NULL },
    { 0 },
};

const kg__command kg__tune_command = {
    .name = "tune",
    .operands = "[FILTER]",
    .summary = "Search the launches of every variant for the best time, bandwidth, occupancy",
    .details =
        "FILTER is a list of globs on case ids, separated by commas; it replaces KG_FILTER:\n"
        "matmul_i32, 'invert_red/*/960x1280x1/*'. Every candidate is checked before it is timed;\n"
        "a wrong one is named, and never wins. A race drops slow candidates; the best of each\n"
        "variant are then timed in turn, which gives their ratios. --by COUNTER\n"
        "(global_load_sectors) needs no GPU.\n"
        "exit: 0 searched; 1 a candidate was wrong; 2 an error, or a candidate crashed; 77 no "
        "GPU\n",
    .options = options,
    .takes_operands = true,
    .repeated = "--set",
    .run = tune,
};
