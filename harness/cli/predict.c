/* kernelgate predict: predicts the minimum time of kernels on any GPU. */
#include "cli/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "cli/command.h"
#include "judge/judge.h"
#include "records/records.h"
#include "results/results.h"

/* The maximum number of GPUs in one call. */
#define GPUS_MAXIMUM 64

/* More operations, bytes or nanoseconds are a typing error. */
#define AMOUNT_MAXIMUM 1e24

static const char *gpu_keys;
static const char *gpus_file;
static const char *results_file;
static const char *build;
static const char *baselines;
static const char *launch_cost;
static const char *operations_text;
static const char *bytes_text;
static const char *format;
static bool as_json;

/* The state of a run. */
typedef struct prediction_run {
    kg__gpu_specs specs;
    const kg__gpu_spec *gpus[GPUS_MAXIMUM];
    kg__launch_cost launches[GPUS_MAXIMUM];
    size_t gpu_count;
    json_t *results; /* NULL: none */
    kg__predicted_cases cases;
} prediction_run;

/* Reads a number of at least 0. */
static bool parse_amount(const char *option, const char *text, double *amount)
{
    char *end;

    *amount = strtod(text, &end);
    if (*end == '\0' && end != text && *amount >= 0 && *amount <= AMOUNT_MAXIMUM)
        return true;
    kg__complain("predict: %s %s: is not a number from 0 to %g: give one", option, text,
                 AMOUNT_MAXIMUM);
    return false;
}

static bool format_is_known(void)
{
    static const char *const formats[] = { "text", "markdown", "json" };
    const size_t count = sizeof formats / sizeof *formats;
    const char *nearest;

    if (!kg__merge_format("predict", as_json, &format))
        return false;
    format = format != NULL ? format : formats[0];
    for (size_t i = 0; i < count; i++) {
        if (strcmp(format, formats[i]) == 0)
            return true;
    }
    nearest = kg__nearest_name(format, formats, count);
    kg__complain("predict: there is no format \"%s\"%s%s%s: use text, markdown or json", format,
                 nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
    return false;
}

static bool options_fit(size_t count)
{
    if (count > 1)
        kg__complain("predict: takes one FILTER: separate its globs by commas");
    else if ((operations_text == NULL) != (bytes_text == NULL))
        kg__complain("predict: --operations and --bytes go together: give both");
    else if (operations_text != NULL && results_file != NULL)
        kg__complain("predict: --operations and --bytes replace the work that --results timed: "
                     "give the one or the other");
    else if (gpu_keys == NULL && results_file == NULL)
        kg__complain("predict: name a GPU: --gpu KEY, such as nvidia-h200, or --results FILE");
    else
        return format_is_known();
    return false;
}

static bool load_gpus(kg__gpu_specs *specs)
{
    kg__error error = { "" };

    if (kg__gpu_specs_add_known(specs, &error) &&
        (gpus_file == NULL || kg__gpu_specs_load(gpus_file, specs, &error)))
        return true;
    kg__complain("predict: %s",
                 error.text[0] != '\0' ? error.text : "--gpus: no such file: name another");
    return false;
}

static bool refuse_gpu(const kg__gpu_specs *specs, const char *key)
{
    const char **names = kg__allocate(specs->count, sizeof *names);
    char keys[KG__MESSAGE_SIZE] = "";
    const char *nearest;

    for (size_t i = 0; i < specs->count; i++) {
        size_t used = strlen(keys);

        names[i] = specs->list[i].key;
        kg__format(keys + used, sizeof keys - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    nearest = kg__nearest_name(key, names, specs->count);
    if (nearest != NULL)
        kg__complain("predict: no figures of a GPU \"%s\"; did you mean \"%s\"? Known are %s", key,
                     nearest, keys);
    else
        kg__complain("predict: no figures of a GPU \"%s\": add them with --gpus FILE; known are %s",
                     key, keys);
    free(names);
    return false;
}

static bool add_gpu(prediction_run *run, const char *key)
{
    const kg__gpu_spec *gpu = kg__gpu_specs_find(&run->specs, key);

    if (gpu == NULL)
        return refuse_gpu(&run->specs, key);
    for (size_t i = 0; i < run->gpu_count; i++) {
        if (run->gpus[i] == gpu) {
            kg__complain("predict: --gpu names %s twice: once is enough", key);
            return false;
        }
    }
    if (run->gpu_count == GPUS_MAXIMUM) {
        kg__complain("predict: --gpu names more than %d GPUs: name fewer", GPUS_MAXIMUM);
        return false;
    }
    run->gpus[run->gpu_count++] = gpu;
    return true;
}

/* Adds the GPUs of a list, separated by commas. */
static bool add_named(prediction_run *run, const char *list)
{
    char *keys = kg__copy_text(list);
    char *rest = NULL;
    bool good = true;

    for (char *key = strtok_r(keys, ",", &rest); key != NULL && good;
         key = strtok_r(NULL, ",", &rest))
        good = add_gpu(run, key);
    free(keys);
    if (good && run->gpu_count == 0)
        kg__complain("predict: --gpu %s: names no GPU: give one, such as nvidia-h200", list);
    return good && run->gpu_count > 0;
}

/* Adds the GPU of the results: that of --gpu, or the only one. */
static bool add_measured(prediction_run *run)
{
    const json_t *targets = json_object_get(run->results, "targets");
    const char *only = NULL;
    const char *key;
    const json_t *target;

    json_object_foreach ((json_t *)targets, key, target) {
        if (json_object_get(target, "multiprocessors") == NULL)
            continue;
        if (only != NULL) {
            kg__complain("predict: %s is of %s and %s: choose one with --gpu", results_file, only,
                         key);
            return false;
        }
        only = key;
    }
    if (only != NULL)
        return add_gpu(run, only);
    kg__complain("predict: %s has no times of a GPU: give the results of a run on one",
                 results_file);
    return false;
}

static bool load_results(prediction_run *run)
{
    kg__error error = { "" };

    if (results_file == NULL)
        return true;
    run->results = kg__results_load(results_file, &error);
    if (run->results == NULL)
        kg__complain("predict: %s", error.text);
    return run->results != NULL;
}

static bool choose_gpus(prediction_run *run)
{
    if (gpu_keys == NULL)
        return add_measured(run);
    if (!add_named(run, gpu_keys))
        return false;
    if (run->results == NULL)
        return true;
    if (run->gpu_count > 1) {
        kg__complain("predict: with --results, --gpu names the GPU that was timed: give one");
        return false;
    }
    if (json_object_get(json_object_get(run->results, "targets"), run->gpus[0]->key) != NULL)
        return true;
    kg__complain("predict: %s has no times of %s: omit --gpu or --results", results_file,
                 run->gpus[0]->key);
    return false;
}

/* A figure that the run measured of a GPU itself. */
static double read_measured(const prediction_run *run, const kg__gpu_spec *gpu, const char *group,
                            const char *name)
{
    const json_t *provenance =
        json_object_get(json_object_get(run->results, "provenance"), gpu->key);
    double value = kg__json_number(json_object_get(provenance, group), name);

    return value > 0 ? value : (double)NAN;
}

/* Sets the launch overhead: the option's, the measured one, or the default. */
static bool set_launch(const prediction_run *run, const kg__gpu_spec *gpu, kg__launch_cost *launch)
{
    double empty = read_measured(run, gpu, "sentinels_ns", "empty");
    const char *source = "assumed for a single launch: none was measured";

    launch->ns = KG__LAUNCH_NS;
    if (launch_cost != NULL && strcmp(launch_cost, "graph") == 0) {
        launch->ns = KG__GRAPH_LAUNCH_NS;
        source = "in a CUDA graph, as an empty kernel takes on an NVIDIA H200";
    } else if (launch_cost != NULL) {
        if (!parse_amount("--launch-cost", launch_cost, &launch->ns))
            return false;
        source = "from --launch-cost";
    } else if (!isnan(empty)) {
        launch->ns = empty;
        source = "as an empty kernel took in a CUDA graph in this run";
    }
    kg__format(launch->source, sizeof launch->source, "%s", source);
    return true;
}

static bool set_launches(prediction_run *run)
{
    for (size_t i = 0; i < run->gpu_count; i++) {
        if (!set_launch(run, run->gpus[i], &run->launches[i]))
            return false;
    }
    return true;
}

/* Replaces the cases' work with that of the options, which has no counters. */
static bool replace_work(kg__predicted_cases *cases)
{
    kg__job job = kg__job_unknown();

    if (operations_text == NULL)
        return true;
    if (!parse_amount("--operations", operations_text, &job.operations) ||
        !parse_amount("--bytes", bytes_text, &job.bytes))
        return false;
    for (size_t i = 0; i < cases->count; i++) {
        job.operand = cases->list[i].job.operand;
        cases->list[i].job = job;
    }
    return true;
}

static bool list_cases(prediction_run *run, const char *filter)
{
    const char *set = getenv("KG_BASELINES");
    kg__predict_sources sources = {
        .filter = filter,
        .build = build,
        .baselines = baselines != NULL             ? baselines
                     : set != NULL && *set != '\0' ? set
                                                   : "baselines",
        .baselines_named = baselines != NULL,
        .results = run->results,
        .target = run->gpus[0]->key,
        .results_path = results_file,
    };

    return kg__predict_list(&sources, &run->cases) && replace_work(&run->cases);
}

/* Prints the predictions; returns the exit code. */
static int print(const prediction_run *run)
{
    kg__predictions predictions = {
        .cases = &run->cases,
        .gpus = run->gpus,
        .gpu_count = run->gpu_count,
        .launches = run->launches,
        .measured = run->results != NULL ? run->gpus[0]->key : NULL,
        .copy_bytes_per_second =
            read_measured(run, run->gpus[0], "limits", "copy_bytes_per_second"),
    };
    kg__measured_bound *bounds = kg__allocate(2 * run->cases.count, sizeof *bounds);
    const char **ids = kg__allocate(2 * run->cases.count, sizeof *ids);
    size_t violated =
        kg__compare_bounds(bounds, kg__predict_measured(&predictions, bounds, ids)).violated;
    bool printed;

    if (strcmp(format, "json") == 0) {
        printed = kg__json_print(kg__predict_document(&predictions), JSON_INDENT(1), "predict");
    } else {
        kg__predict_write_tables(stdout, &predictions, strcmp(format, "markdown") == 0);
        printed = kg__flush_output("predict");
    }
    free(bounds);
    free(ids);
    if (!printed)
        return KG__EXIT_ERROR;
    return violated > 0 ? KG__EXIT_FAIL : KG__EXIT_PASS;
}

static int predict(size_t count, char **operands)
{
    prediction_run run = { .gpu_count = 0 };
    int code = KG__EXIT_ERROR;

    if (options_fit(count) && load_gpus(&run.specs) && load_results(&run) && choose_gpus(&run) &&
        set_launches(&run) && list_cases(&run, count > 0 ? operands[0] : NULL))
        code = print(&run);
    kg__predicted_cases_free(&run.cases);
    json_decref(run.results);
    kg__gpu_specs_free(&run.specs);
    return code;
}

static const kg__option options[] = {
    { "--gpu", "KEY[,KEY]", "the GPUs to predict for (default: that of --results)", &gpu_keys,
      NULL },
    { "--gpus", "FILE", "figures of more GPUs, or other figures of known ones", &gpus_file, NULL },
    { "--results", "FILE", "compare the predictions with the times of a run", &results_file, NULL },
    { "--launch-cost", "NS",
      "the launch overhead; graph: 550, that of a CUDA graph (default: from --results, else 5000)",
      &launch_cost, NULL },
    { "--operations", "N", "predict this work instead of the cases' own, with --bytes",
      &operations_text, NULL },
    { "--bytes", "N", "see --operations", &bytes_text, NULL },
    { "--build", "DIR",
      "the folder of the programs (default: the command's own, else build/gpu or build/cpu)",
      &build, NULL },
    { "--baselines", "DIR",
      "the folder with the CPU model's counters (default: KG_BASELINES, else baselines)",
      &baselines, NULL },
    { "--format", "FORMAT", "text (the default), markdown or json", &format, NULL },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__predict_command = {
    .name = "predict",
    .operands = "[FILTER]",
    .summary = "Predict the minimum time of kernels on a GPU, which need not be installed",
    .details =
        "Each resource of the GPU is a bound: what the case needs of it, by its suite and the CPU\n"
        "model's counters, at the resource's peak rate. The largest is the body; the launch\n"
        "overhead is added to it (docs/predicting.md). FILTER is globs on case ids, as KG_FILTER\n"
        "is; one without its last parts, such as pair_means, matches all that begin so.\n"
        "exit: 0 printed; 1 a time of --results is below its bound by more than 5 %; 2 an error\n",
    .options = options,
    .takes_operands = true,
    .run = predict,
};
