/* Lists the cases that `kernelgate predict` predicts, with their work: from the comparisons'
 * programs, the CPU model's counters and a run's results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/child_process.h"
#include "base/json.h"
#include "base/text.h"
#include "baseline/baseline.h"
#include "cli/predict.h"
#include "cli/program_list.h"
#include "records/records.h"
#include "suite/settings.h"

/* The maximum output of a program, in bytes, and the seconds it may take. */
#define WORK_SIZE ((size_t)16 << 20)
#define WORK_SECONDS 60

/* A glob of the filter, and whether it matched any case. */
typedef struct filter_glob {
    const char *glob;
    bool used;
} filter_glob;

/* The state of listing the cases. */
typedef struct gathering {
    const kg__predict_sources *sources;
    json_t *programs; /* comparison: path */
    json_t *work;     /* case: its program's answer */
    kg__baseline counted;
    json_t *counted_now; /* case: metrics, of the results */
    char *filter;        /* the globs' text */
    filter_glob *globs;
    size_t glob_count;
} gathering;

/* Adds the programs whose names end in `end`, unless their comparison has one. */
static void add_programs(const char *build, const char *end, json_t *programs, char *folder,
                         size_t size)
{
    kg__program_list list;

    kg__program_list_find(&list, NULL, build, end);
    for (size_t i = 0; i < list.count; i++) {
        const char *path = list.list[i].path;
        const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
        char comparison[KG__PATH_SIZE];

        kg__format(comparison, sizeof comparison, "%.*s", (int)(strlen(name) - strlen(end)), name);
        if (json_object_get(programs, comparison) == NULL)
            json_object_set_new(programs, comparison, json_string(path));
    }
    kg__format_path(folder, size, "%s", list.folder);
    kg__program_list_free(&list);
}

/* Finds each comparison's program: the model's, which also knows the blocks, else the GPU's. */
static bool find_programs(const char *build, json_t *programs)
{
    char folder[KG__PATH_SIZE];

    add_programs(build, ".model", programs, folder, sizeof folder);
    add_programs(build, ".gpu", programs, folder, sizeof folder);
    if (json_object_size(programs) > 0)
        return true;
    kg__complain("predict: %s: holds no program NAME.model or NAME.gpu: build it, or name a folder "
                 "with --build DIR",
                 folder);
    return false;
}

/* Adds the cases of a program's document. */
static bool take_work(const json_t *document, json_t *work)
{
    const json_t *cases = json_object_get(document, "cases");
    json_t *entry;
    size_t i;

    if (!json_is_array(cases))
        return false;
    json_array_foreach (cases, i, entry) {
        const char *id = kg__json_text(entry, "case");

        if (*id == '\0' || !json_is_array(json_object_get(entry, "purposes")))
            return false;
        json_object_set(work, id, entry);
    }
    return true;
}

/* Asks a program for its cases' work. */
static bool ask_program(const char *path, json_t *work)
{
    const char *const arguments[] = { path, "--work", NULL };
    char *text = kg__allocate(WORK_SIZE, 1);
    int code = kg__child_output(arguments, WORK_SECONDS, text, WORK_SIZE);
    json_t *document = code == 0 ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    bool good = take_work(document, work);

    if (!good)
        kg__complain(
            "predict: %s --work: does not list its cases' work (exit code %d): build it again",
            path, code);
    json_decref(document);
    free(text);
    return good;
}

static bool ask_programs(gathering *run)
{
    const char *comparison;
    const json_t *path;

    json_object_foreach (run->programs, comparison, path) {
        /* The folder also has the harness's own programs. */
        if (strcmp(comparison, "selftest") != 0 && !ask_program(json_string_value(path), run->work))
            return false;
    }
    return true;
}

/* The results' counters, by case. */
static json_t *collect_counters(const json_t *results)
{
    json_t *counted = json_object();
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "target"), KG__MODEL_KEY) == 0)
            json_object_set(counted, kg__json_text(entry, "case"),
                            json_object_get(entry, "metrics"));
    }
    return counted;
}

static bool load_counters(gathering *run)
{
    char path[2 * KG__PATH_SIZE];
    kg__error error = { "" };
    kg__load_status status;

    kg__format_path(path, sizeof path, "%s/" KG__MODEL_KEY ".json", run->sources->baselines);
    run->counted_now = collect_counters(run->sources->results);
    status = kg__baseline_load(path, &run->counted, &error);
    if (status == KG__ABSENT && run->sources->baselines_named)
        kg__fail(&error,
                 "%s: no such file: --baselines names the folder of the CPU model's counters",
                 path);
    else if (status != KG__BAD)
        return true;
    kg__complain("predict: %s", error.text);
    return false;
}

/* Fills in the counters of a case, from the results, else from the baseline. Both omit counters of
 * 0; unique bytes are also absent if only some blocks were run. */
static void count_job(const gathering *run, const char *id, kg__job *job)
{
    const json_t *now = json_object_get(run->counted_now, id);
    const kg__baseline_case *stored = kg__baseline_find(&run->counted, id);
    bool touches = false;

    if (now == NULL && stored == NULL)
        return;
    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);
        const kg__baseline_metric *metric =
            stored != NULL ? kg__baseline_metric_of(stored, name) : NULL;
        double count = metric != NULL ? metric->value : 0;

        if (now != NULL)
            count = kg__json_number(json_object_get(now, name), "value");
        job->count[i] = isnan(count) ? 0 : count;
        touches = touches || ((i == KG__UNIQUE_BYTES_READ || i == KG__UNIQUE_BYTES_WRITTEN) &&
                              job->count[i] > 0);
    }
    if (!touches) {
        job->count[KG__UNIQUE_BYTES_READ] = (double)NAN;
        job->count[KG__UNIQUE_BYTES_WRITTEN] = (double)NAN;
    }
}

static kg__operand read_operand(const json_t *entry)
{
    const char *type = kg__json_text(entry, "type");

    return strcmp(type, "int32") == 0   ? KG__OPERAND_INT32
           : strcmp(type, "uint8") == 0 ? KG__OPERAND_UINT8
                                        : KG__OPERAND_FLOAT32;
}

static kg__job read_job(const gathering *run, const char *id, const json_t *entry)
{
    const json_t *work = json_object_get(entry, "work");
    kg__job job = kg__job_unknown();

    job.operand = read_operand(entry);
    job.operations = kg__json_number(work, "operations");
    job.bytes = kg__json_number(work, "bytes");
    job.bytes_to_device = kg__json_number(entry, "bytes_to_device");
    job.bytes_to_host = kg__json_number(entry, "bytes_to_host");
    job.blocks = kg__json_number(entry, "blocks");
    count_job(run, id, &job);
    return job;
}

/* Whether the filter matches an id; marks the globs that do. */
static bool filter_takes(const gathering *run, const char *id)
{
    bool taken = run->glob_count == 0;

    for (size_t i = 0; i < run->glob_count; i++) {
        bool by_this = kg__filter_takes(id) && kg__globs_take_from(run->globs[i].glob, id);

        run->globs[i].used = run->globs[i].used || by_this;
        taken = taken || by_this;
    }
    return taken && kg__filter_takes(id);
}

static kg__predicted_case *add_case(kg__predicted_cases *cases, const char *id, const kg__job *job)
{
    kg__predicted_case *c;

    cases->list = kg__grow(cases->list, cases->count, &cases->capacity, sizeof *cases->list);
    c = &cases->list[cases->count++];
    *c = (kg__predicted_case){
        .id = kg__copy_text(id), .job = *job, .hot_ns = (double)NAN, .cold_ns = (double)NAN
    };
    return c;
}

/* Whether a case is timed or counted, not only checked. */
static bool is_measured(const json_t *entry)
{
    const json_t *purpose;
    size_t i;

    json_array_foreach (json_object_get(entry, "purposes"), i, purpose) {
        const char *name = json_is_string(purpose) ? json_string_value(purpose) : "";

        if (strcmp(name, "check") != 0)
            return true;
    }
    return false;
}

static void list_table(const gathering *run, kg__predicted_cases *cases)
{
    const char *id;
    const json_t *entry;

    json_object_foreach (run->work, id, entry) {
        kg__job job;

        if (!is_measured(entry) || !filter_takes(run, id))
            continue;
        job = read_job(run, id, entry);
        (void)add_case(cases, id, &job);
    }
}

/* A metric of the results, if the case was correct. */
static double read_time(const json_t *entry, const char *metric)
{
    const char *verdict = kg__json_text(entry, "verdict");
    double value =
        kg__json_number(json_object_get(json_object_get(entry, "metrics"), metric), "value");

    return value > 0 && strcmp(verdict, "wrong") != 0 && strcmp(verdict, "error") != 0
               ? value
               : (double)NAN;
}

/* Lists the cases that the results' target timed. A case that no program has any more is predicted
 * from the work in its results. */
static void list_results(const gathering *run, kg__predicted_cases *cases)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(run->sources->results, "cases"), i, entry) {
        const char *id = kg__json_text(entry, "case");
        const json_t *listed = json_object_get(run->work, id);
        double hot = read_time(entry, "time_ns");
        kg__predicted_case *c;
        kg__job job;

        if (strcmp(kg__json_text(entry, "target"), run->sources->target) != 0 || isnan(hot) ||
            !filter_takes(run, id))
            continue;
        job = read_job(run, id, listed != NULL ? listed : entry);
        c = add_case(cases, id, &job);
        c->hot_ns = hot;
        c->cold_ns = read_time(entry, "cold_time_ns");
    }
}

/* Copies a part of an id, or of a filter's first glob. */
static void copy_part(const char *id, int number, char *part, size_t size)
{
    while (number-- > 0) {
        id += strcspn(id, "/,");
        id += *id == '/';
    }
    kg__format(part, size, "%.*s", (int)strcspn(id, "/,"), id);
}

/* The nearest name to a part of the filter (comparison or variant) that no case has. */
static bool suggest(const json_t *work, const char *filter, int number, char *nearest, size_t size)
{
    const char **names = kg__allocate(json_object_size(work) + 1, sizeof *names);
    char(*parts)[KG__PATH_SIZE] = kg__allocate(json_object_size(work) + 1, sizeof *parts);
    char wanted[KG__PATH_SIZE];
    char comparison[KG__PATH_SIZE];
    const char *found = NULL;
    const char *id;
    const json_t *entry;
    size_t count = 0;
    bool exists = false;

    copy_part(filter, number, wanted, sizeof wanted);
    copy_part(filter, 0, comparison, sizeof comparison);
    json_object_foreach ((json_t *)work, id, entry) {
        char id_comparison[KG__PATH_SIZE];

        copy_part(id, 0, id_comparison, sizeof id_comparison);
        if (number > 0 && strcmp(id_comparison, comparison) != 0)
            continue;
        copy_part(id, number, parts[count], sizeof parts[count]);
        exists = exists || strcmp(parts[count], wanted) == 0;
        names[count] = parts[count];
        count++;
    }
    if (!exists && *wanted != '\0' && strpbrk(wanted, "*?[") == NULL)
        found = kg__nearest_name(wanted, names, count);
    if (found != NULL)
        kg__format(nearest, size, "%s", found);
    free(names);
    free(parts);
    return found != NULL;
}

/* Splits the filter into globs. */
static bool read_filter(gathering *run)
{
    size_t capacity = 0;
    char *rest = NULL;

    if (run->sources->filter == NULL)
        return true;
    run->filter = kg__copy_text(run->sources->filter);
    for (char *glob = strtok_r(run->filter, ",", &rest); glob != NULL;
         glob = strtok_r(NULL, ",", &rest)) {
        run->globs = kg__grow(run->globs, run->glob_count, &capacity, sizeof *run->globs);
        run->globs[run->glob_count++] = (filter_glob){ .glob = glob };
    }
    if (run->glob_count > 0)
        return true;
    kg__complain("predict: the filter \"%s\" holds no glob: omit it to take all",
                 run->sources->filter);
    return false;
}

/* Complains about a glob that matches no case. */
static void refuse_glob(const gathering *run, const char *glob)
{
    const kg__predict_sources *sources = run->sources;
    char nearest[KG__PATH_SIZE];

    if (suggest(run->work, glob, 0, nearest, sizeof nearest) ||
        suggest(run->work, glob, 1, nearest, sizeof nearest))
        kg__complain("predict: no case matches %s; did you mean \"%s\"?", glob, nearest);
    else if (sources->results != NULL)
        kg__complain("predict: %s: %s takes no case that was timed on %s: give another, or none",
                     sources->results_path, glob, sources->target);
    else
        kg__complain(
            "predict: %s takes no case that is timed or counted: `kernelgate list` has the cases",
            glob);
}

/* Whether there is a case, and each glob matches one. */
static bool check_globs(const gathering *run, const kg__predicted_cases *cases)
{
    const char *set = getenv("KG_FILTER");

    for (size_t i = 0; i < run->glob_count; i++) {
        if (!run->globs[i].used) {
            refuse_glob(run, run->globs[i].glob);
            return false;
        }
    }
    if (cases->count > 0)
        return true;
    if (set != NULL && *set != '\0')
        refuse_glob(run, set);
    else if (run->sources->results != NULL)
        kg__complain("predict: %s: no case was timed on %s: run ci/gate --target gpu there",
                     run->sources->results_path, run->sources->target);
    else
        kg__complain("predict: the programs have no case that is timed or counted: mark a size as "
                     "timed or counted in their tables");
    return false;
}

bool kg__predict_list(const kg__predict_sources *sources, kg__predicted_cases *cases)
{
    gathering run = { .sources = sources, .programs = json_object(), .work = json_object() };
    bool good = read_filter(&run) && find_programs(sources->build, run.programs) &&
                ask_programs(&run) && load_counters(&run);

    *cases = (kg__predicted_cases){ 0 };
    if (good && sources->results != NULL)
        list_results(&run, cases);
    else if (good)
        list_table(&run, cases);
    good = good && check_globs(&run, cases);
    json_decref(run.programs);
    json_decref(run.work);
    json_decref(run.counted_now);
    kg__baseline_free(&run.counted);
    free(run.globs);
    free(run.filter);
    return good;
}

void kg__predicted_cases_free(kg__predicted_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        free(cases->list[i].id);
    free(cases->list);
    *cases = (kg__predicted_cases){ 0 };
}
