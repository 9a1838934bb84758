/* kernelgate validate: what the CPU model counts of each kernel against what the hardware counts.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/profile.h"
#include "judge/judge.h"
#include "records/records.h"
#include "suite/counters.h"

/* How far a judged counter may be from the hardware's, as a fraction of the latter. */
#define PERMITTED 0.001

#define VALIDATION_SCHEMA "kernelgate-validation/1"
#define METRICS_SCHEMA "kernelgate-metrics/1"

/* Nsight Compute's count of the executed instructions of warps, an instance an opcode. */
#define OPCODES "sass__inst_executed_per_opcode"

/* What of the hardware a counter is held against. The counters that are not listed have no
 * counterpart: hardware loads a kernel's parameters as it loads constants, and unique bytes are no
 * event. */
typedef struct counterpart {
    kg__counter counter;
    bool judged;         /* false: shown, since ptxas may merge, keep or drop such accesses */
    bool by_block;       /* counted of a block by the model, of each of its warps by the hardware */
    const char *sums[4]; /* metrics of which the sum counts; or */
    const char *opcode;  /* the instructions with this opcode */
    const char *shortened; /* the head of its column in the Markdown table */
} counterpart;

static const counterpart counterparts[] = {
    { .counter = KG__GLOBAL_LOAD_REQUESTS,
      .judged = true,
      .sums = { "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum" },
      .shortened = "load requests" },
    { .counter = KG__GLOBAL_LOAD_SECTORS,
      .judged = true,
      .sums = { "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" },
      .shortened = "load sectors" },
    { .counter = KG__GLOBAL_STORE_REQUESTS,
      .judged = true,
      .sums = { "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum" },
      .shortened = "store requests" },
    { .counter = KG__GLOBAL_STORE_SECTORS,
      .judged = true,
      .sums = { "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum" },
      .shortened = "store sectors" },
    { .counter = KG__GLOBAL_ATOMIC_REQUESTS,
      .sums = { "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum" },
      .shortened = "atomic requests" },
    { .counter = KG__GLOBAL_ATOMIC_SECTORS,
      .sums = { "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum" },
      .shortened = "atomic sectors" },
    { .counter = KG__SHARED_LOAD_REQUESTS, .opcode = "LDS", .shortened = "shared loads" },
    { .counter = KG__SHARED_LOAD_WAVEFRONTS,
      .sums = { "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum" },
      .shortened = "their wavefronts" },
    { .counter = KG__SHARED_STORE_REQUESTS, .opcode = "STS", .shortened = "shared stores" },
    { .counter = KG__SHARED_STORE_WAVEFRONTS,
      .sums = { "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum" },
      .shortened = "their wavefronts" },
    { .counter = KG__SHARED_ATOMIC_REQUESTS, .opcode = "ATOMS", .shortened = "shared atomics" },
    { .counter = KG__SHUFFLES, .opcode = "SHFL", .shortened = "shuffles" },
    { .counter = KG__BARRIERS, .opcode = "BAR", .by_block = true, .shortened = "barriers" },
};

#define COUNTERPARTS (sizeof counterparts / sizeof *counterparts)

/* Where the model is known to be off, how far, and why. */
typedef struct exception {
    const char *cases; /* a glob on case ids */
    kg__counter counter;
    double permitted; /* fraction of the hardware's count */
    const char *reason;
} exception;

static const exception exceptions[] = {
    { "hardware_rows/unequal/*", KG__GLOBAL_LOAD_REQUESTS, 0.28,
      "lanes leave a loop at different times, and ptxas unrolls it" },
    { "hardware_select/both/*", KG__GLOBAL_LOAD_SECTORS, 0.002,
      "nvcc has only those lanes load the second value that use it" },
    { "pair_means/warp_shuffle/*", KG__GLOBAL_LOAD_REQUESTS, 0.43,
      "lanes leave a loop at different times, and ptxas unrolls it" },
    { "pair_means/warp_shuffle/*", KG__GLOBAL_LOAD_SECTORS, 0.12,
      "lanes leave a loop at different times, and ptxas unrolls it" },
};

/* A case, with both sides of each counterpart. */
typedef struct subject {
    char *id;
    json_t *metrics; /* the model's; NULL until they are found */
    json_t *sampled; /* {"blocks", "of"}; NULL when all were counted */
    size_t kernels;  /* that it launched */
    double hardware[COUNTERPARTS];
    bool known[COUNTERPARTS];
} subject;

typedef struct subjects {
    subject *list;
    size_t count;
    size_t room;
} subjects;

static const char *model_path;
static const char *launches_path;
static const char *hardware_path;
static bool markdown;
static bool list_metrics;
static bool as_json;

static subject *find_subject(const subjects *all, const char *id)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->list[i].id, id) == 0)
            return &all->list[i];
    }
    return NULL;
}

static void add_subject(subjects *all, const char *id, size_t kernels)
{
    all->list = kg__grow(all->list, all->count, &all->room, sizeof *all->list);
    all->list[all->count++] = (subject){ .id = kg__copy_text(id), .kernels = kernels };
}

static void free_subjects(subjects *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->list[i].id);
        json_decref(all->list[i].sampled);
        json_decref(all->list[i].metrics);
    }
    free(all->list);
    *all = (subjects){ 0 };
}

/* What both kinds of records may hold that leaves nothing to compare. */
static bool is_trouble(const char *path, const json_t *record, kg__error *error)
{
    const char *event = kg__json_text(record, "event");
    const char *why = kg__json_text(record, "why");

    if (strcmp(event, "failed") == 0 ||
        (strcmp(event, "checked") == 0 && !json_is_true(json_object_get(record, "right"))))
        kg__fail(error, "%s: %s: %s", path, kg__json_text(record, "case"), why);
    else if (strcmp(event, "broken") == 0 || strcmp(event, "unavailable") == 0)
        kg__fail(error, "%s: %s", path, why);
    else
        return false;
    return true;
}

/* Reads a file of records, each through `take`; it must end in "done". */
static bool read_records(const char *path, subjects *all,
                         bool (*take)(const json_t *record, subjects *all, kg__error *error),
                         kg__error *error)
{
    kg__record_reader reader;
    json_t *record;
    bool done = false;
    bool good = true;

    if (!kg__record_open(&reader, path, error))
        return false;
    while (good && (record = kg__record_next(&reader)) != NULL) {
        kg__error why = { "" };

        if (is_trouble(path, record, error)) {
            good = false;
        } else if (!take(record, all, &why)) {
            good = kg__fail(error, "%s:%zu: %s", path, reader.line, why.text);
        }
        done = strcmp(kg__json_text(record, "event"), "done") == 0;
        json_decref(record);
    }
    if (good && reader.bad_lines > 0)
        good = kg__fail(error, "%s: %zu lines are no JSON objects: observe again", path,
                        reader.bad_lines);
    if (good && (!done || kg__record_torn(&reader)))
        good = kg__fail(error, "%s: ends before its observer was done: observe again", path);
    kg__record_close(&reader);
    return good;
}

static bool take_launch(const json_t *record, subjects *all, kg__error *error)
{
    const char *id = kg__json_text(record, "case");
    json_int_t kernels = json_integer_value(json_object_get(record, "kernels"));

    if (strcmp(kg__json_text(record, "event"), "launched") != 0)
        return true;
    if (id[0] == '\0' || kernels < 1 || kernels > 100000)
        return kg__fail(error, "no launch of a case and its number of kernels: observe again");
    if (find_subject(all, id) != NULL)
        return kg__fail(error, "%s: was launched twice, once is wanted: name it once", id);
    add_subject(all, id, (size_t)kernels);
    return true;
}

static bool take_measurement(const json_t *record, subjects *all, kg__error *error)
{
    const char *id = kg__json_text(record, "case");
    json_t *sampled = json_object_get(record, "sampled");
    json_t *metrics = json_object_get(record, "metrics");
    subject *one;

    if (strcmp(kg__json_text(record, "event"), "measured") != 0)
        return true;
    one = find_subject(all, id);
    if (one == NULL)
        return kg__fail(error, "%s: was counted and not launched: observe the same cases", id);
    if (one->metrics != NULL)
        return kg__fail(error, "%s: was counted twice, once is wanted: name it once", id);
    for (size_t i = 0; i < COUNTERPARTS; i++) {
        const char *name = kg__counter_name(counterparts[i].counter);
        const json_t *value = json_object_get(json_object_get(metrics, name), "value");

        if (!json_is_number(value) || !(json_number_value(value) >= 0))
            return kg__fail(error, "%s: has no count of %s: observe again", id, name);
    }
    one->metrics = json_incref(metrics);
    one->sampled = json_incref(sampled);
    return true;
}

/* Adds what one kernel did to its case. */
static bool add_kernel(const kg__profile *profile, size_t kernel, subject *one, kg__error *error)
{
    double warps;

    if (!kg__profile_warps(profile, kernel, &warps, error))
        return false;
    for (size_t i = 0; i < COUNTERPARTS; i++) {
        const counterpart *part = &counterparts[i];
        const char *const opcodes[] = { OPCODES, NULL };
        const char *const *metrics = part->opcode != NULL ? opcodes : part->sums;

        for (; *metrics != NULL; metrics++) {
            double count;

            switch (kg__profile_count(profile, kernel, *metrics, part->opcode, &count, error)) {
            case KG__PROFILE_BAD:
                return false;
            case KG__PROFILE_UNKNOWN:
                if (part->judged)
                    return kg__fail(error,
                                    "%s: %s: there is no %s, which is judged: profile with the "
                                    "metrics of kernelgate validate --metrics",
                                    profile->path, one->id, *metrics);
                one->known[i] = false;
                break;
            case KG__PROFILE_KNOWN:
                one->hardware[i] += part->by_block ? count / warps : count;
                break;
            }
        }
    }
    return true;
}

static bool add_hardware(const kg__profile *profile, subjects *all, kg__error *error)
{
    size_t kernels = 0;
    size_t next = 0;

    for (size_t i = 0; i < all->count; i++)
        kernels += all->list[i].kernels;
    if (kernels != profile->kernel_count)
        return kg__fail(error,
                        "%s: holds %zu kernels, where %zu were launched (%s): profile the whole of "
                        "that one observer",
                        profile->path, profile->kernel_count, kernels, launches_path);
    for (size_t i = 0; i < all->count; i++) {
        subject *one = &all->list[i];

        for (size_t j = 0; j < COUNTERPARTS; j++)
            one->known[j] = true;
        for (size_t j = 0; j < one->kernels; j++) {
            if (!add_kernel(profile, next++, one, error))
                return false;
        }
    }
    return true;
}

static bool read_everything(subjects *all, kg__error *error)
{
    kg__profile profile;
    bool good;

    if (!read_records(launches_path, all, take_launch, error))
        return false;
    if (all->count == 0)
        return kg__fail(error, "%s: no case was launched: is any counted?", launches_path);
    if (!read_records(model_path, all, take_measurement, error))
        return false;
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].metrics == NULL)
            return kg__fail(error,
                            "%s: was launched, and %s has no count of it: observe the same cases",
                            all->list[i].id, model_path);
    }
    good = kg__profile_read(hardware_path, &profile, error) && add_hardware(&profile, all, error);
    kg__profile_free(&profile);
    return good;
}

/* One counter of one case. */
typedef struct comparison {
    double model;
    double hardware;   /* NaN: not known */
    double difference; /* (model - hardware) / hardware; infinite where that is 0, NaN: not known */
    bool equal;
    bool beyond;                /* judged, and further off than is permitted */
    const exception *permitted; /* what lets it be further off than others; NULL */
} comparison;

static comparison compare(const subject *one, size_t i)
{
    const counterpart *part = &counterparts[i];
    const json_t *metric = json_object_get(one->metrics, kg__counter_name(part->counter));
    comparison both = { .model = json_number_value(json_object_get(metric, "value")),
                        .hardware = one->known[i] ? one->hardware[i] : NAN };
    double permitted = PERMITTED;

    both.equal = both.model == both.hardware;
    both.difference = both.equal           ? 0
                      : both.hardware == 0 ? INFINITY
                                           : (both.model - both.hardware) / both.hardware;
    if (!part->judged || fabs(both.difference) <= PERMITTED)
        return both;
    for (size_t j = 0; j < sizeof exceptions / sizeof *exceptions; j++) {
        if (exceptions[j].counter == part->counter &&
            fnmatch(exceptions[j].cases, one->id, 0) == 0) {
            both.permitted = &exceptions[j];
            permitted = exceptions[j].permitted;
        }
    }
    both.beyond = !(fabs(both.difference) <= permitted);
    return both;
}

static bool is_nothing(const comparison *both)
{
    return both->model == 0 && (both->hardware == 0 || isnan(both->hardware));
}

static void show_difference(const comparison *both, char *text, size_t size)
{
    if (both->equal)
        kg__format(text, size, "equal");
    else if (isnan(both->difference))
        kg__format(text, size, "-");
    else if (isinf(both->difference))
        kg__format(text, size, "none on hardware");
    else
        kg__show_percent(text, size, both->difference, true);
}

static void print_line(const subject *one, size_t i, const comparison *both)
{
    char model[KG__FIGURE_SIZE];
    char hardware[KG__FIGURE_SIZE];
    char difference[KG__FIGURE_SIZE];
    char remark[192] = "";
    char limit[KG__FIGURE_SIZE];

    kg__show_figure(model, sizeof model, both->model, "");
    kg__show_figure(hardware, sizeof hardware, both->hardware, "");
    show_difference(both, difference, sizeof difference);
    if (both->permitted != NULL) {
        kg__show_percent(limit, sizeof limit, both->permitted->permitted, false);
        kg__format(remark, sizeof remark, "  up to %s is known: %s", limit,
                   both->permitted->reason);
    } else if (!counterparts[i].judged) {
        kg__format(remark, sizeof remark, "  shown, not judged");
    }
    printf("%-8s %-44s %-25s %15s %15s  %s%s\n", both->beyond ? "differs" : "ok", one->id,
           kg__counter_name(counterparts[i].counter), model, hardware, difference, remark);
}

/* "120 of 16384 blocks"; "" when all were counted. */
static void show_sample(const subject *one, char *text, size_t size)
{
    text[0] = '\0';
    if (one->sampled != NULL)
        kg__format(text, size, "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " blocks",
                   json_integer_value(json_object_get(one->sampled, "blocks")),
                   json_integer_value(json_object_get(one->sampled, "of")));
}

static void print_cell(const comparison *both)
{
    char model[KG__FIGURE_SIZE];
    char hardware[KG__FIGURE_SIZE];
    char difference[KG__FIGURE_SIZE];

    kg__show_figure(model, sizeof model, both->model, "");
    if (is_nothing(both)) {
        printf(" |");
    } else if (both->equal) {
        printf(" %s |", model);
    } else if (isnan(both->hardware)) {
        printf(" %s / unknown |", model);
    } else {
        kg__show_figure(hardware, sizeof hardware, both->hardware, "");
        show_difference(both, difference, sizeof difference);
        printf(both->beyond ? " **%s / %s (%s)** |" : " %s / %s (%s) |", model, hardware,
               difference);
    }
}

/* True where any case has something to show of a counterpart. */
static bool is_used(const subjects *all, size_t i)
{
    for (size_t j = 0; j < all->count; j++) {
        comparison both = compare(&all->list[j], i);

        if (!is_nothing(&both))
            return true;
    }
    return false;
}

/* A case a row, a counter a column: one figure where both agree, else "model / hardware (+x %)". */
static void print_markdown(const subjects *all)
{
    bool used[COUNTERPARTS];
    size_t columns = 0;

    printf("| case |");
    for (size_t i = 0; i < COUNTERPARTS; i++) {
        used[i] = is_used(all, i);
        columns += used[i];
        if (used[i])
            printf(" %s |", counterparts[i].shortened);
    }
    printf("\n| --- |");
    for (size_t i = 0; i < columns; i++)
        printf(" --: |");
    printf("\n");
    for (size_t i = 0; i < all->count; i++) {
        char sample[96];

        show_sample(&all->list[i], sample, sizeof sample);
        printf("| %s%s%s |", all->list[i].id, *sample != '\0' ? ", counted in " : "", sample);
        for (size_t j = 0; j < COUNTERPARTS; j++) {
            comparison both = compare(&all->list[i], j);

            if (used[j])
                print_cell(&both);
        }
        printf("\n");
    }
}

/* How many figures are judged, and what they are found to be. */
typedef struct tally {
    size_t judged;
    size_t equal;
    size_t known; /* further off than others may be, for a known reason */
    size_t beyond;
} tally;

static void count_figure(tally *found, size_t i, const comparison *both)
{
    found->judged += counterparts[i].judged;
    found->equal += counterparts[i].judged && both->equal;
    found->known += both->permitted != NULL && !both->beyond;
    found->beyond += both->beyond;
}

static size_t within(const tally *found)
{
    return found->judged - found->equal - found->known - found->beyond;
}

static tally tally_of(const subjects *all)
{
    tally found = { 0 };

    for (size_t i = 0; i < all->count; i++) {
        for (size_t j = 0; j < COUNTERPARTS; j++) {
            comparison both = compare(&all->list[i], j);

            count_figure(&found, j, &both);
        }
    }
    return found;
}

/* A figure a line. */
static void print_lines(const subjects *all)
{
    for (size_t i = 0; i < all->count; i++) {
        char sample[96];

        show_sample(&all->list[i], sample, sizeof sample);
        if (*sample != '\0')
            printf("sampled  %s: the model counted %s\n", all->list[i].id, sample);
        for (size_t j = 0; j < COUNTERPARTS; j++) {
            comparison both = compare(&all->list[i], j);

            if (!is_nothing(&both))
                print_line(&all->list[i], j, &both);
        }
    }
}

/* Prints every figure, for readers, and sums up. */
static void print_comparisons(const subjects *all, const tally *found)
{
    if (markdown)
        print_markdown(all);
    else
        print_lines(all);
    printf("%s%zu case%s, %zu figures judged: %zu equal to the hardware's, %zu within 0.1 %%, %zu "
           "known to be further off, %zu beyond\n",
           markdown ? "\n" : "kernelgate: ", all->count, all->count == 1 ? "" : "s", found->judged,
           found->equal, within(found), found->known, found->beyond);
}

/* What a figure is found to be: as the text has it, and why it may be further off than others. */
static const char *finding_of(size_t i, const comparison *both)
{
    if (both->beyond)
        return "beyond";
    if (!counterparts[i].judged)
        return "shown";
    if (both->equal)
        return "equal";
    return both->permitted != NULL ? "known" : "within";
}

static json_t *figure_json(size_t i, const comparison *both)
{
    json_t *figure = json_pack("{s:s, s:s}", "counter", kg__counter_name(counterparts[i].counter),
                               "finding", finding_of(i, both));

    kg__json_set_finite(figure, "model", both->model);
    kg__json_set_finite(figure, "hardware", both->hardware);
    kg__json_set_finite(figure, "difference", both->difference);
    if (counterparts[i].judged)
        kg__json_set_finite(figure, "permitted",
                            both->permitted != NULL ? both->permitted->permitted : PERMITTED);
    if (both->permitted != NULL)
        json_object_set_new(figure, "reason", json_string(both->permitted->reason));
    return figure;
}

static json_t *subject_json(const subject *one)
{
    json_t *figures = json_array();
    json_t *entry = json_pack("{s:s, s:o}", "case", one->id, "figures", figures);

    if (one->sampled != NULL)
        json_object_set(entry, "sampled", one->sampled);
    for (size_t i = 0; i < COUNTERPARTS; i++) {
        comparison both = compare(one, i);

        if (!is_nothing(&both))
            json_array_append_new(figures, figure_json(i, &both));
    }
    return entry;
}

static bool print_document(const subjects *all, const tally *found, int code)
{
    json_t *cases = json_array();

    for (size_t i = 0; i < all->count; i++)
        json_array_append_new(cases, subject_json(&all->list[i]));
    return kg__json_print(
        json_pack("{s:s, s:o, s:{s:I, s:I, s:I, s:I, s:I}, s:i}", "schema", VALIDATION_SCHEMA,
                  "cases", cases, "tally", "judged", (json_int_t)found->judged, "equal",
                  (json_int_t)found->equal, "within", (json_int_t)within(found), "known",
                  (json_int_t)found->known, "beyond", (json_int_t)found->beyond, "exit_code", code),
        JSON_INDENT(1), "validate");
}

/* Prints what was found, in the form that is asked for; returns the exit code. */
static int print_found(const subjects *all)
{
    tally found = tally_of(all);
    int code = found.beyond > 0 ? KG__EXIT_FAIL : KG__EXIT_PASS;

    if (as_json)
        return print_document(all, &found, code) ? code : KG__EXIT_ERROR;
    print_comparisons(all, &found);
    return kg__flush_output("validate") ? code : KG__EXIT_ERROR;
}

static bool print_metrics_document(void)
{
    json_t *metrics = json_array();

    for (size_t i = 0; i < COUNTERPARTS; i++) {
        for (const char *const *metric = counterparts[i].sums; *metric != NULL; metric++)
            json_array_append_new(metrics, json_pack("{s:s, s:b}", "metric", *metric, "judged",
                                                     (int)counterparts[i].judged));
    }
    json_array_append_new(metrics, json_pack("{s:s, s:b}", "metric", OPCODES, "judged", 0));
    return kg__json_print(json_pack("{s:s, s:o}", "schema", METRICS_SCHEMA, "metrics", metrics),
                          JSON_INDENT(1), "validate");
}

static int print_metrics(void)
{
    if (as_json)
        return print_metrics_document() ? KG__EXIT_PASS : KG__EXIT_ERROR;
    for (size_t i = 0; i < COUNTERPARTS; i++) {
        for (const char *const *metric = counterparts[i].sums; *metric != NULL; metric++)
            printf("%s%s\n", *metric, counterparts[i].judged ? " judged" : "");
    }
    printf("%s\n", OPCODES);
    return kg__flush_output("validate") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

static int validate(size_t count, char **operands)
{
    subjects all = { 0 };
    kg__error error = { "" };
    int code = KG__EXIT_ERROR;

    (void)count;
    (void)operands;
    if (as_json && markdown) {
        kg__complain("validate: --json and --markdown are two formats: give one");
        return KG__EXIT_ERROR;
    }
    if (list_metrics)
        return print_metrics();
    if (model_path == NULL || hardware_path == NULL || launches_path == NULL) {
        kg__complain("validate: needs --model, --hardware and --launches: see `kernelgate help "
                     "validate`");
        return KG__EXIT_ERROR;
    }
    if (read_everything(&all, &error))
        code = print_found(&all);
    else
        kg__complain("%s", error.text);
    free_subjects(&all);
    return code;
}

static const kg__option validate_options[] = {
    { "--model", "FILE", "records of the instrumented program's part count", &model_path, NULL },
    { "--launches", "FILE", "records of the GPU program's part launch", &launches_path, NULL },
    { "--hardware", "FILE", "Nsight Compute's table of the same launches", &hardware_path, NULL },
    { "--markdown", NULL, "print a case a row, as Markdown", NULL, &markdown },
    { "--metrics", NULL,
      "print the metrics to profile, one a line, those without which nothing is judged marked so",
      NULL, &list_metrics },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__validate_command = {
    .name = "validate",
    .operands = "",
    .summary = "Hold what the CPU model counts of each kernel against what the hardware counts",
    .details = "ci/validate-model makes the three files. Global loads and stores are judged: more "
               "than 0.1 %\nbetween the two is a failure, unless it is a known exception.\n\n"
               "exit: 0 all agree; 1 a figure is beyond what is permitted; 2 error\n",
    .options = validate_options,
    .run = validate,
};
