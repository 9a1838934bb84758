/* What nvbench leaves with --json, or --jsonbin, which adds files of all samples. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "baseline/baseline.h"
#include "baseline/baseline_rules.h"
#include "cli/import.h"
#include "records/records.h"
#include "suite/target.h"

#define TOOL "nvbench"

/* The major version of the documents that this knows. */
#define MAJOR_VERSION 1

/* More samples than this, 256 MiB of them, are no samples. */
#define SAMPLES_MAXIMUM 67108864

#define NS_A_SECOND 1e9
#define MIB 1048576.0

/* Half of the 95 % interval of a mean, in standard errors. */
#define NORMAL_QUANTILE 1.96

/* Half of the 95 % interval of a median of normally distributed samples, in interquartile ranges
 * over the root of their number: 1.96 * 1.25 / 1.35. Source: R. McGill, J. W. Tukey and W. A.
 * Larsen, Variations of Box Plots, The American Statistician 32 (1978). */
#define MEDIAN_QUANTILE 1.815

static const char no_batch[] = "nvbench measured no batch of it: it was run with exec_tag::sync, "
                               "no_batch or --run-once";

/* A state of a benchmark, a combination of its axes' values on a device. */
typedef struct state {
    const char *path;
    const char *benchmark;
    const json_t *json;
    char called[256]; /* for messages */
} state;

bool kg__import_is_nvbench(const json_t *document)
{
    return json_is_array(json_object_get(document, "devices")) &&
           json_is_array(json_object_get(document, "benchmarks"));
}

/* The member of a list whose `key` is `wanted`, or NULL. */
static const json_t *named(const json_t *list, const char *key, const char *wanted)
{
    const json_t *item;
    size_t i;

    json_array_foreach (list, i, item) {
        if (strcmp(kg__json_text(item, key), wanted) == 0)
            return item;
    }
    return NULL;
}

/* A number that nvbench wrote, as a text since JSON would cut long integers; NaN where it is none.
 */
static double number_of(const json_t *value)
{
    const char *text = json_string_value(value);
    char *end;
    double number;

    if (json_is_number(value))
        return json_number_value(value);
    if (text == NULL || *text == '\0')
        return NAN;
    number = strtod(text, &end);
    return *end == '\0' ? number : NAN;
}

static const json_t *summary_of(const state *of, const char *tag)
{
    return named(json_object_get(of->json, "summaries"), "tag", tag);
}

/* A datum of a summary, its "value" for one; NULL where there is none. */
static const json_t *datum_of(const state *of, const char *tag, const char *name)
{
    const json_t *summary = summary_of(of, tag);

    return json_object_get(named(json_object_get(summary, "data"), "name", name), "value");
}

static double value_of(const state *of, const char *tag)
{
    return number_of(datum_of(of, tag, "value"));
}

/* A summary's time in ns; false with `error` where it is none. */
static bool read_time(const state *of, const char *tag, double *ns, kg__error *error)
{
    const char *hint = kg__json_text(summary_of(of, tag), "hint");

    if (*hint != '\0' && strcmp(hint, "duration") != 0)
        return kg__fail(error,
                        "%s: %s: %s is a %s, not a duration: this kernelgate knows no other: "
                        "write it with nvbench 0.1.0",
                        of->path, of->called, tag, hint);
    *ns = value_of(of, tag) * NS_A_SECOND;
    if (*ns > 0 && *ns <= KG__LARGEST_FIGURE)
        return true;
    return kg__fail(error, "%s: %s: %s is no time above 0, or is months: run the benchmark again",
                    of->path, of->called, tag);
}

/* Opens a file of samples, which is named from the document's folder, or from where nvbench ran.
 * NULL with `cause`, of the first of those places that has one. */
static FILE *open_samples(const state *of, const char *name, const char **cause)
{
    const char *slash = strrchr(of->path, '/');
    const char *last = strrchr(name, '/');
    char beside[KG__PATH_SIZE];
    FILE *file;

    if (*name != '/' && slash != NULL) {
        kg__format_path(beside, sizeof beside, "%.*s%s", (int)(slash + 1 - of->path), of->path,
                        name);
        file = kg__file_stream(beside, cause);
        if (file != NULL || (errno != ENOENT && errno != ENOTDIR))
            return file;
    }
    file = kg__file_stream(name, cause);
    if (file != NULL || (errno != ENOENT && errno != ENOTDIR) || last == NULL)
        return file;
    /* The folder beside the document is "<document>-bin". */
    kg__format_path(beside, sizeof beside, "%s-bin%s", of->path, last);
    return kg__file_stream(beside, cause);
}

/* A little-endian number of 32 bits as nvbench writes it, in seconds, in ns. */
static double sample_of(const unsigned char *bytes)
{
    uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                    (uint32_t)bytes[3] << 24;
    float seconds;

    memcpy(&seconds, &bits, sizeof seconds);
    return (double)seconds * NS_A_SECOND;
}

/* Reads `count` samples; false with `error` where there are not just as many, or one is no time. */
static bool read_samples(const state *of, const char *name, size_t count, double *samples,
                         kg__error *error)
{
    const char *cause;
    FILE *file = open_samples(of, name, &cause);
    unsigned char bytes[sizeof(float)];
    size_t read = 0;
    bool good = true;
    bool whole;

    if (file == NULL)
        return kg__fail(error,
                        "%s: %s: its samples' file %s cannot be read: %s: keep it beside the "
                        "document, or measure with --json",
                        of->path, of->called, name, cause);
    while (good && read < count && fread(bytes, sizeof bytes, 1, file) == 1) {
        samples[read] = sample_of(bytes);
        good = samples[read] > 0 && samples[read] <= KG__LARGEST_FIGURE;
        read++;
    }
    whole = read == count && fgetc(file) == EOF;
    fclose(file);
    if (!good)
        return kg__fail(error, "%s: %s: sample %zu of %s is no time above 0: measure again",
                        of->path, of->called, read, name);
    if (!whole)
        return kg__fail(error,
                        "%s: %s: %s does not hold the %zu samples that it is to hold: is it of "
                        "another run?",
                        of->path, of->called, name, count);
    return true;
}

/* Makes figures of all samples of isolated launches where the document names a file of them. False
 * with `error` where that cannot be used. */
static bool take_samples(const state *of, json_t **figures, kg__error *error)
{
    static const char *const tags[] = { "nv/json/bin:nv/cold/sample_times",
                                        "nv/json/bin:sample_times" };
    const char *tag = summary_of(of, tags[0]) != NULL ? tags[0] : tags[1];
    const char *name = json_string_value(datum_of(of, tag, "filename"));
    double count = number_of(datum_of(of, tag, "size"));
    double *samples;
    bool good;

    if (summary_of(of, tag) == NULL)
        return true;
    if (name == NULL || !(count >= 1 && count <= SAMPLES_MAXIMUM && count == rint(count)))
        return kg__fail(error,
                        "%s: %s: %s does not say in which file how many samples are: measure again",
                        of->path, of->called, tag);
    samples = kg__allocate((size_t)count, sizeof *samples);
    good = read_samples(of, name, (size_t)count, samples, error);
    if (good)
        *figures = kg__import_sampled(samples, (size_t)count, "events");
    free(samples);
    return good;
}

/* Half of an interval's width, 0 where the spread or the number of samples is not known. */
static double half_width(double quantile, double spread, double samples)
{
    double half = quantile * spread / sqrt(samples);

    return half > 0 && isfinite(half) ? half : 0;
}

static json_t *figures_around(double value, double half, double samples, const char *statistic)
{
    double low = value - half > 0 ? value - half : 0;
    size_t count = samples >= 1 && samples <= SAMPLES_MAXIMUM ? (size_t)samples : 1;

    return kg__import_figures(value, low, value + half, count, "events", statistic);
}

/* The figures of isolated launches: of all samples, else of their median, else of their mean. NULL
 * with `error`. */
static json_t *cold_figures(const state *of, kg__error *error)
{
    double samples = value_of(of, "nv/cold/sample_size");
    json_t *figures = NULL;
    double spread;
    double ns = NAN;

    if (!take_samples(of, &figures, error) || figures != NULL)
        return figures;
    if (summary_of(of, "nv/cold/time/gpu/median") != NULL) {
        if (!read_time(of, "nv/cold/time/gpu/median", &ns, error))
            return NULL;
        spread = value_of(of, "nv/cold/time/gpu/q3") - value_of(of, "nv/cold/time/gpu/q1");
        return figures_around(ns, half_width(MEDIAN_QUANTILE, spread * NS_A_SECOND, samples),
                              samples, "median");
    }
    if (!read_time(of, "nv/cold/time/gpu/mean", &ns, error))
        return NULL;
    spread = value_of(of, "nv/cold/time/gpu/stdev/absolute") * NS_A_SECOND;
    if (isnan(spread))
        spread = value_of(of, "nv/cold/time/gpu/stdev/relative") * ns;
    return figures_around(ns, half_width(NORMAL_QUANTILE, spread, samples), samples, "mean");
}

/* Adds what was measured of isolated launches, "cold", and of batches, which nvbench takes the mean
 * of alone. False with `error`. */
static bool add_metrics(const state *of, json_t *metrics, kg__error *error)
{
    static const char batch[] = "nv/batch/time/gpu/mean";
    bool isolated = summary_of(of, "nv/cold/time/gpu/mean") != NULL ||
                    summary_of(of, "nv/cold/time/gpu/median") != NULL;
    json_t *cold = NULL;
    double ns = NAN;

    if (!isolated && summary_of(of, batch) == NULL)
        return kg__fail(error,
                        "%s: %s: has no summary nv/cold/time/gpu/mean: its times are not of a GPU: "
                        "run it on one",
                        of->path, of->called);
    if (summary_of(of, batch) != NULL) {
        if (!read_time(of, batch, &ns, error))
            return false;
        json_object_set_new(metrics, "time_ns",
                            figures_around(ns, 0, value_of(of, "nv/batch/sample_size"), "mean"));
    }
    if (isolated) {
        cold = cold_figures(of, error);
        if (cold == NULL)
            return false;
        json_object_set_new(metrics, "cold_time_ns", cold);
    }
    return true;
}

static bool is_below_least(const json_t *metrics)
{
    const char *name;
    json_t *figures;

    json_object_foreach ((json_t *)metrics, name, figures) {
        if (kg__json_number(figures, "value") < KG__IMPORT_LEAST_NS)
            return true;
    }
    return false;
}

/* The record of a state; NULL with `error`. */
static json_t *record_of(const state *of, kg__error *error)
{
    const char *reason = kg__json_text(of->json, "skip_reason");
    json_t *metrics;
    json_t *record;

    if (json_is_true(json_object_get(of->json, "is_skipped")))
        return kg__import_unmeasured("refused", *reason != '\0' ? reason : "nvbench skipped it");
    metrics = json_object();
    if (!add_metrics(of, metrics, error)) {
        json_decref(metrics);
        return NULL;
    }
    if (is_below_least(metrics)) {
        json_decref(metrics);
        return kg__import_unmeasured("refused",
                                     "it takes less than 1 ns: there is nothing to gate");
    }
    record = json_pack("{s:s, s:o}", "event", "measured", "metrics", metrics);
    if (json_object_get(metrics, "time_ns") == NULL)
        json_object_set_new(record, "absent", json_pack("{s:s}", "time_ns", no_batch));
    return record;
}

/* Adds the values of a state's axes to its name; false with `error` for one of no value. */
static bool add_axes(const state *of, kg__import_name *name, kg__error *error)
{
    const json_t *axis;
    size_t i;

    json_array_foreach (json_object_get(of->json, "axis_values"), i, axis) {
        const json_t *value = json_object_get(axis, "value");
        char number[KG__IMPORT_ID_SIZE];

        if (json_is_number(value))
            kg__format(number, sizeof number, "%.15g", json_number_value(value));
        else if (json_is_string(value))
            kg__format(number, sizeof number, "%s", json_string_value(value));
        else
            return kg__fail(error, "%s: %s: its axis %s has no value: measure again", of->path,
                            of->called, kg__json_text(axis, "name"));
        kg__import_name_add(name, kg__json_text(axis, "name"), number);
    }
    return true;
}

/* Describes a device as a target. */
static json_t *target_of(const json_t *device)
{
    const char *name = kg__json_text(device, "name");
    json_int_t version = json_integer_value(json_object_get(device, "sm_version"));
    double bytes = json_number_value(json_object_get(device, "global_memory_size"));
    char capability[32];
    char key[96];
    json_t *target;

    kg__target_key(name, key, sizeof key);
    target = json_pack("{s:s, s:s, s:I}", "key", key, "name", name, "multiprocessors",
                       json_integer_value(json_object_get(device, "number_of_sms")));
    /* sm_version is 900 for 9.0, and 1210 for 12.1. */
    kg__format(capability, sizeof capability, "%lld.%lld", (long long)(version / 100),
               (long long)(version / 10 % 10));
    if (version > 0)
        json_object_set_new(target, "compute_capability", json_string(capability));
    if (bytes >= MIB)
        json_object_set_new(target, "memory_mib", json_integer((json_int_t)(bytes / MIB)));
    return target;
}

/* An entry of the converted document for each device, with no records yet; false with `error`. */
static bool add_devices(const char *path, const json_t *document, json_t *converted,
                        kg__error *error)
{
    const json_t *versions = json_object_get(json_object_get(document, "meta"), "version");
    const char *version = kg__json_text(json_object_get(versions, "nvbench"), "string");
    const json_t *device;
    char tool[64];
    size_t i;

    kg__format(tool, sizeof tool, TOOL "%s%s", *version != '\0' ? " " : "", version);
    json_array_foreach (json_object_get(document, "devices"), i, device) {
        if (*kg__json_text(device, "name") == '\0' ||
            !json_is_integer(json_object_get(device, "id")))
            return kg__fail(error, "%s: devices[%zu] has no id and name: measure again", path, i);
        json_array_append_new(converted,
                              json_pack("{s:O, s:o, s:{s:s}, s:[]}", "id",
                                        json_object_get(device, "id"), "target", target_of(device),
                                        "provenance", KG__MEASURED_BY, tool, "records"));
    }
    return true;
}

static json_t *records_of(const json_t *converted, const json_t *id)
{
    const json_t *device;
    size_t i;

    json_array_foreach (converted, i, device) {
        if (id != NULL && json_equal(json_object_get(device, "id"), id))
            return json_object_get(device, "records");
    }
    return NULL;
}

static bool add_state(state *of, json_t *converted, kg__error *error)
{
    json_t *records = records_of(converted, json_object_get(of->json, "device"));
    kg__import_name name;
    json_t *record;

    if (records == NULL)
        return kg__fail(error,
                        "%s: %s: ran on a device that is none of the document's: measure "
                        "again",
                        of->path, of->called);
    kg__import_name_begin(&name, of->benchmark);
    if (!add_axes(of, &name, error))
        return false;
    record = record_of(of, error);
    return record != NULL &&
           kg__import_add(records, record, &name, TOOL, of->path, of->called, error);
}

static bool add_benchmark(const char *path, const json_t *benchmark, json_t *converted,
                          kg__error *error)
{
    state of = { .path = path, .benchmark = kg__json_text(benchmark, "name") };
    size_t i;

    if (*of.benchmark == '\0')
        return kg__fail(error, "%s: has a benchmark without a name: measure again", path);
    json_array_foreach (json_object_get(benchmark, "states"), i, of.json) {
        const char *values = kg__json_text(of.json, "name");

        kg__format(of.called, sizeof of.called, "%s%s%s", of.benchmark, *values != '\0' ? " " : "",
                   values);
        if (!add_state(&of, converted, error))
            return false;
    }
    return true;
}

static bool check_form(const char *path, const json_t *document, kg__error *error)
{
    const json_t *version =
        json_object_get(json_object_get(json_object_get(document, "meta"), "version"), "json");
    const json_t *major = json_object_get(version, "major");

    if (!kg__import_is_nvbench(document))
        return kg__fail(error,
                        "%s: has no lists of \"devices\" and \"benchmarks\": give what --json FILE "
                        "writes",
                        path);
    if (version == NULL)
        return kg__fail(error,
                        "%s: does not say of which version it is: measure with nvbench 0.1.0 or "
                        "newer",
                        path);
    if (!json_is_integer(major) || json_integer_value(major) != MAJOR_VERSION)
        return kg__fail(
            error,
            "%s: is of version %s, and this kernelgate knows %d.x alone: write it with a "
            "version that has it",
            path, kg__json_text(version, "string"), MAJOR_VERSION);
    return true;
}

json_t *kg__import_nvbench(const char *path, const json_t *document, kg__error *error)
{
    json_t *converted = json_array();
    bool good = check_form(path, document, error) && add_devices(path, document, converted, error);
    const json_t *benchmark;
    size_t i;

    json_array_foreach (json_object_get(document, "benchmarks"), i, benchmark)
        good = good && add_benchmark(path, benchmark, converted, error);
    if (good)
        return converted;
    json_decref(converted);
    return NULL;
}
