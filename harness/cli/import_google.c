/* What google-benchmark leaves with --benchmark_format=json, or --benchmark_out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "baseline/baseline.h"
#include "baseline/baseline_rules.h"
#include "cli/import.h"
#include "records/records.h"

#define TOOL "google-benchmark"

/* The version of the documents that this knows; those before it have none. */
#define SCHEMA_VERSION 1

/* What the library adds to a benchmark's name of how it was run, and not of what was. */
static const char *const settings[] = { "iterations:", "repeats:", "min_time:",
                                        "min_warmup_time:" };
static const char *const clocks[] = { "process_time", "real_time", "manual_time" };

/* A benchmark's runs, which become one record. */
typedef struct family {
    const char *path;
    const char *name;
    double *samples; /* in ns */
    size_t count;
    double median;       /* that of the library, in ns, where it tells no single repetition */
    const char *failure; /* NULL: none */
    const char *skipped; /* likewise */
    json_int_t threads;
} family;

bool kg__import_is_google(const json_t *document)
{
    return json_is_object(json_object_get(document, "context")) &&
           json_is_array(json_object_get(document, "benchmarks"));
}

/* What a benchmark is called without the name of an aggregate. */
static const char *name_of(const json_t *run)
{
    const char *name = kg__json_text(run, "run_name");

    return *name != '\0' ? name : kg__json_text(run, "name");
}

/* How many nanoseconds a unit has; NaN for one that is not known. */
static double nanoseconds(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name) == 0)
            return units[i].ns;
    }
    return NAN;
}

/* A run's real time in ns; false with `error`. */
static bool read_time(const family *of, const json_t *run, double *ns, kg__error *error)
{
    const char *unit = kg__json_text(run, "time_unit");
    double value = kg__json_number(run, "real_time");

    if (isnan(nanoseconds(unit)))
        return kg__fail(
            error, "%s: %s: its time_unit is \"%s\", not ns, us, ms or s: run it with one of these",
            of->path, of->name, unit);
    *ns = value * nanoseconds(unit);
    if (*ns > 0 && *ns <= KG__LARGEST_FIGURE)
        return true;
    if (isnan(value))
        return kg__fail(error, "%s: %s: has no real_time: run the benchmark again", of->path,
                        of->name);
    if (value > 0)
        return kg__fail(error, "%s: %s: its real_time of %g %s is months: run the benchmark again",
                        of->path, of->name, value, unit);
    return kg__fail(
        error, "%s: %s: its real_time is %g: a time is above 0 (is SetIterationTime() called?)",
        of->path, of->name, value);
}

static bool is_aggregate(const json_t *run)
{
    return strcmp(kg__json_text(run, "run_type"), "aggregate") == 0;
}

/* Takes a run of a benchmark: a repetition, an aggregate, or why it did not run. */
static bool take_run(family *of, const json_t *run, kg__error *error)
{
    const char *aggregate = kg__json_text(run, "aggregate_name");

    of->threads = json_integer_value(json_object_get(run, "threads"));
    if (json_is_true(json_object_get(run, "error_occurred"))) {
        of->failure = kg__json_text(run, "error_message");
        return true;
    }
    if (json_is_true(json_object_get(run, "skipped"))) {
        of->skipped = kg__json_text(run, "skip_message");
        return true;
    }
    if (!is_aggregate(run)) {
        if (!read_time(of, run, &of->samples[of->count], error))
            return false;
        of->count++;
    } else if (strcmp(aggregate, "median") == 0) {
        return read_time(of, run, &of->median, error);
    }
    return true;
}

static bool begins_with(const char *text, size_t length, const char *begin)
{
    return length >= strlen(begin) && strncmp(text, begin, strlen(begin)) == 0;
}

/* Whether a part of a name says how the benchmark was run. */
static bool is_setting(const char *part, size_t length)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (begins_with(part, length, settings[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        if (length == strlen(clocks[i]) && begins_with(part, length, clocks[i]))
            return true;
    }
    return false;
}

/* The length of a part of a name that ends at one of `ends` outside of angle brackets. */
static size_t part_length(const char *text, const char *ends)
{
    size_t depth = 0;
    size_t length = 0;

    for (; text[length] != '\0' && (depth > 0 || strchr(ends, text[length]) == NULL); length++) {
        depth += text[length] == '<';
        depth -= text[length] == '>' && depth > 0;
    }
    return length;
}

/* Adds a value of `length` bytes, "block:256" with the name of its argument. */
static void add_value(kg__import_name *name, const char *text, size_t length)
{
    char axis[KG__IMPORT_ID_SIZE] = "";
    char value[KG__IMPORT_ID_SIZE];
    const char *colon = memchr(text, ':', length);

    /* Two colons are a scope of C++. */
    if (colon != NULL && colon > text && colon[1] != ':') {
        kg__format(axis, sizeof axis, "%.*s", (int)(colon - text), text);
        length -= (size_t)(colon + 1 - text);
        text = colon + 1;
    }
    kg__format(value, sizeof value, "%.*s", (int)length, text);
    kg__import_name_add(name, axis, value);
}

/* Adds a function's template arguments, "<float, 16>". */
static void add_template(kg__import_name *name, const char *text, size_t length)
{
    const char *end = text + length;

    if (length > 0 && end[-1] == '>')
        end--;
    for (text++; text < end;) {
        size_t part;

        text += strspn(text, " ");
        part = part_length(text, ",");
        if (text + part > end)
            part = (size_t)(end - text);
        add_value(name, text, part);
        text += part + (text + part < end);
    }
}

/* The function's name is the comparison's, without the BM_ that many begin with. */
static void name_family(const family *of, kg__import_name *name)
{
    const char *at = of->name;
    size_t length = part_length(at, "/");
    size_t plain;
    char function[KG__IMPORT_ID_SIZE];
    char threads[32];

    if (begins_with(at, length, "BM_") && length > strlen("BM_")) {
        at += strlen("BM_");
        length -= strlen("BM_");
    }
    plain = strcspn(at, "<");
    plain = plain < length ? plain : length;
    kg__format(function, sizeof function, "%.*s", (int)plain, at);
    kg__import_name_begin(name, function);
    if (plain < length)
        add_template(name, at + plain, length - plain);
    kg__format(threads, sizeof threads, "threads:%lld", (long long)of->threads);
    for (at += length; *at == '/'; at += length) {
        at++;
        length = part_length(at, "/");
        /* Threads of the host come last; an argument may be called so too. */
        if (at[length] == '\0' && strcmp(at, threads) == 0) {
            kg__format(threads, sizeof threads, "threads%lld", (long long)of->threads);
            if (of->threads > 1)
                kg__import_name_add(name, "", threads);
        } else if (!is_setting(at, length)) {
            add_value(name, at, length);
        }
    }
}

/* The record of a benchmark's runs; NULL with `error` where they say nothing. */
static json_t *record_of(family *of, kg__error *error)
{
    const char *clock = strstr(of->name, "/manual_time") != NULL ? "manual" : "host";
    json_t *figures;

    if (of->failure != NULL)
        return kg__import_unmeasured("failed",
                                     *of->failure != '\0' ? of->failure : "the benchmark failed");
    if (of->count == 0 && of->skipped != NULL)
        return kg__import_unmeasured("refused", *of->skipped != '\0' ? of->skipped : "skipped");
    if (of->count == 0 && isnan(of->median)) {
        kg__fail(error,
                 "%s: %s: has no repetition and no median: run it without "
                 "--benchmark_report_aggregates_only",
                 of->path, of->name);
        return NULL;
    }
    figures = of->count > 0
                  ? kg__import_sampled(of->samples, of->count, clock)
                  : kg__import_figures(of->median, of->median, of->median, 1, clock, "median");
    if (kg__json_number(figures, "value") < KG__IMPORT_LEAST_NS) {
        json_decref(figures);
        return kg__import_unmeasured("refused",
                                     "it takes less than 1 ns: there is nothing to gate");
    }
    return json_pack("{s:s, s:{s:o}}", "event", "measured", "metrics", "time_ns", figures);
}

/* Whether a benchmark stands before `index` too. */
static bool is_known(const json_t *benchmarks, size_t index)
{
    const char *name = name_of(json_array_get(benchmarks, index));

    for (size_t i = 0; i < index; i++) {
        if (strcmp(name_of(json_array_get(benchmarks, i)), name) == 0)
            return true;
    }
    return false;
}

/* Whether a run is only what the library fits to the runs of several sizes. */
static bool is_fit(const json_t *run)
{
    const char *aggregate = kg__json_text(run, "aggregate_name");

    return strcmp(aggregate, "BigO") == 0 || strcmp(aggregate, "RMS") == 0;
}

/* Adds the record of the benchmark whose first run is at `first`. */
static bool add_family(const char *path, const json_t *benchmarks, size_t first, json_t *records,
                       kg__error *error)
{
    family of = { .path = path, .name = name_of(json_array_get(benchmarks, first)), .median = NAN };
    bool good = true;
    kg__import_name name;
    json_t *record;

    of.samples = kg__allocate(json_array_size(benchmarks), sizeof *of.samples);
    for (size_t i = first; i < json_array_size(benchmarks) && good; i++) {
        const json_t *run = json_array_get(benchmarks, i);

        if (strcmp(name_of(run), of.name) == 0 && !is_fit(run))
            good = take_run(&of, run, error);
    }
    record = good ? record_of(&of, error) : NULL;
    free(of.samples);
    if (record == NULL)
        return false;
    name_family(&of, &name);
    return kg__import_add(records, record, &name, TOOL, path, of.name, error);
}

static bool check_form(const char *path, const json_t *document, kg__error *error)
{
    const json_t *context = json_object_get(document, "context");
    const json_t *version = json_object_get(context, "json_schema_version");
    const json_t *benchmarks = json_object_get(document, "benchmarks");
    const json_t *run;
    size_t i;

    if (!kg__import_is_google(document))
        return kg__fail(error,
                        "%s: has no \"context\" and list of \"benchmarks\": give what "
                        "--benchmark_out=FILE --benchmark_out_format=json writes",
                        path);
    if (version != NULL &&
        (!json_is_integer(version) || json_integer_value(version) != SCHEMA_VERSION))
        return kg__fail(error,
                        "%s: its json_schema_version is not %d: this kernelgate knows no other: "
                        "write it with a "
                        "version that has it",
                        path, SCHEMA_VERSION);
    json_array_foreach (benchmarks, i, run) {
        if (!json_is_object(run) || *name_of(run) == '\0')
            return kg__fail(error, "%s: benchmarks[%zu] is no object with a name: run it again",
                            path, i);
        if (strcmp(kg__json_text(run, "run_type"), "iteration") != 0 && !is_aggregate(run))
            return kg__fail(error,
                            "%s: %s: its run_type is \"%s\", not iteration or aggregate: run it "
                            "with google-benchmark 1.5 or newer",
                            path, name_of(run), kg__json_text(run, "run_type"));
    }
    return true;
}

json_t *kg__import_google(const char *path, const json_t *document, kg__error *error)
{
    const json_t *benchmarks = json_object_get(document, "benchmarks");
    const char *date = kg__json_text(json_object_get(document, "context"), "date");
    json_t *records;
    bool good = check_form(path, document, error);

    if (!good)
        return NULL;
    records = json_array();
    for (size_t i = 0; i < json_array_size(benchmarks) && good; i++) {
        if (!is_known(benchmarks, i) && !is_fit(json_array_get(benchmarks, i)))
            good = add_family(path, benchmarks, i, records, error);
    }
    if (!good) {
        json_decref(records);
        return NULL;
    }
    return json_pack("[{s:{}, s:{s:s, s:s*}, s:o}]", "target", "provenance", KG__MEASURED_BY, TOOL,
                     "date", *date != '\0' ? date : NULL, "records", records);
}
