/* SPDX-License-Identifier: MIT */
/* A GPU that is not there: the device and the measuring of a GPU's program, steered by the
 * environment, so that judging can be driven from end to end on any machine.
 *
 * FAKE_DEVICE:
 * - "absent", "broken"
 * - "first" is there for the first process and absent for the rest
 * - "lost FROM-TO" is broken, "stuck FROM-TO" does not answer, for the processes of these numbers
 * - "moves": each process finds another board first
 *
 * FAKE_BOARDS: the boards that are there, "UUID=NAME,UUID=NAME"; without it one, of no UUID. As
 * CUDA does, CUDA_VISIBLE_DEVICES shows a process the one that it names.
 *
 * FAKE_LOG: a file that gets one line per process; the number of lines is the process's number.
 *
 * FAKE_PLAN: a file of lines "PROCESS PATTERN ACTION...", of which every one that fits a process (a
 * number, or *) and a case's id (a glob; "copy", "fma" and "bus" are the sentinels) is followed, in
 * order:
 * - hot NS, cold NS: the metrics' values; cold 0 leaves the cold time out
 * - width FRACTION: of the confidence intervals
 * - clock NAME: what the metrics are timed by, instead of "graph"
 * - bound NAME: what they are bound by, which is not told without
 * - throttled: the GPU was, while this case was timed
 * - foreign N: so many other processes computed on the GPU meanwhile
 * - launch_ns N: that is what an empty launch cost meanwhile
 * - registers N: a thread of its kernel takes so many, instead of 40
 * - occupancy F: its kernel has this one, instead of 0.75
 * - launch TEXT: the identity of its launch of the kernel "fake_kernel"; none without
 * - wrong, failed: the case's record is that
 * - forget: the case leaves no record
 * - crash, hang, quit: before the case's record a signal, silence, or the device is lost
 *
 * Part tune is the real one, on a clock of fake_clock.c. There hot, width, occupancy and registers
 * count, and of the events crash, hang, quit and failed, when a launch is first timed. What is
 * wrong or refused is up to the comparison's variants.
 *
 * FAKE_CUDA: the version of the toolkit, which is not told without.
 *
 * Without a plan "plain" takes 10000 ns hot and 12000 ns cold, every other variant half, both made
 * longer by the fraction KG_STUDY_EXTRA. */

/* Functions take what those take that they stand in for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/gpu_lock.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "device/gpu_slot.h"
#include "observer/identify.h"
#include "observer/launch.h"
#include "observer/measure.h"
#include "observer/report_record.h"
#include "observer/tune.h"
#include "records/records.h"
#include "suite/settings.h"
#include "suite/target.h"
#include "tests/fakes/fake_cubin.h"
#include "tests/fakes/fake_gpu.h"
#include "tests/fakes/fake_plan.h"

#define CAPABILITY "9.0"

/* What nvcc would have made of the kernel; it is found in the program's file. */
static const fake_cubin cubin __attribute__((used)) = FAKE_CUBIN(90, "fake_kernel", 40, 1024, 0);

static int process_number;

static char opened[KG__GPU_UUID_SIZE];

/* The boards that CUDA_VISIBLE_DEVICES shows. */
static kg__boards visible_boards(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const char *named = getenv("FAKE_BOARDS");
    char *list = kg__copy_text(named != NULL ? named : "=NVIDIA Fake");
    kg__boards boards = { .list = NULL };
    char *rest = NULL;

    for (char *board = strtok_r(list, ",", &rest); board != NULL;
         board = strtok_r(NULL, ",", &rest)) {
        char *name = strchr(board, '=');

        *name++ = '\0';
        if (visible == NULL || *board == '\0' || strcmp(visible, board) == 0)
            kg__boards_add(&boards, board, name);
    }
    free(list);
    return boards;
}

kg__device_status kg__device_boards(kg__boards *boards, kg__error *why)
{
    *boards = visible_boards();
    if (boards->count > 0)
        return KG__DEVICE_READY;
    kg__fail(why, "no GPU: this one is a fake");
    return KG__DEVICE_ABSENT;
}

static kg__device_description describe(const char *uuid, const char *name)
{
    kg__device_description description = {
        .target = { .compute_capability = CAPABILITY, .memory_mib = 81920, .multiprocessors = 132 }
    };

    kg__target_key(name, description.target.key, sizeof description.target.key);
    kg__format(description.target.name, sizeof description.target.name, "%s", name);
    description.provenance = json_pack("{s:s, s:f}", "driver", "1.2.3", "power_limit_w", 700.0);
    if (*uuid != '\0')
        json_object_update_new(description.provenance,
                               json_pack("{s:s, s:s}", "uuid", uuid, "bus_id", "0000:19:00.0"));
    return description;
}

/* Whether this process is one of those that a state such as "lost 2-3" names. */
static bool is_hit_by(const char *state, const char *what)
{
    size_t length = strlen(what);
    long from;
    char *rest;

    if (state == NULL || strncmp(state, what, length) != 0 || state[length] != ' ')
        return false;
    from = strtol(state + length, &rest, 10);
    return *rest == '-' && process_number >= from && process_number <= strtol(rest + 1, NULL, 10);
}

kg__device_status kg__device_open(kg__device_description *description, kg__error *why)
{
    const char *state = getenv("FAKE_DEVICE");
    char given[KG__GPU_UUID_SIZE];
    kg__boards boards;
    kg__board first = { .uuid = "" };
    const char *toolkit = getenv("FAKE_CUDA");

    process_number = fake_process_number("FAKE_LOG");
    *description = (kg__device_description){ .target = { .key = "" } };
    if (state != NULL &&
        (strcmp(state, "absent") == 0 || (strcmp(state, "first") == 0 && process_number > 1))) {
        kg__fail(why, "no GPU: this one is a fake");
        return KG__DEVICE_ABSENT;
    }
    while (is_hit_by(state, "stuck"))
        pause();
    if (is_hit_by(state, "lost") || (state != NULL && strcmp(state, "broken") == 0)) {
        kg__fail(why, "the driver does not work: this one is a fake");
        return KG__DEVICE_BROKEN;
    }
    if (!kg__gpu_slot_take(given, why))
        return KG__DEVICE_BROKEN;
    boards = visible_boards();
    /* A board that moves: every process finds another one first. */
    if (boards.count > 0)
        first = boards.list[state != NULL && strcmp(state, "moves") == 0
                                ? (size_t)(process_number - 1) % boards.count
                                : 0];
    free(boards.list);
    if (boards.count == 0 || (given[0] != '\0' && strcmp(given, first.uuid) != 0)) {
        kg__gpu_slot_gone(given, why);
        return KG__DEVICE_BROKEN;
    }
    kg__format(opened, sizeof opened, "%s", first.uuid);
    *description = describe(opened, first.name);
    if (toolkit != NULL)
        json_object_set_new(description->provenance, "cuda", json_string(toolkit));
    return KG__DEVICE_READY;
}

const kg__gpu_spec *kg__device_gpu(void)
{
    static const kg__gpu_spec gpu = { .uuid = "GPU-fake", .compute_capability = CAPABILITY };

    return &gpu;
}

kg__limits kg__device_limits(void)
{
    return (kg__limits){ .multiprocessors = 132,
                         .threads_per_block = 128,
                         .threads_per_multiprocessor = 2048 };
}

bool kg__device_keep(bool alone, void (*waiting)(void *context, const char *line), void *context,
                     kg__error *error)
{
    return kg__gpu_lock_take(opened[0] != '\0' ? opened : "GPU-fake",
                             alone ? KG__GPU_LOCK_EXCLUSIVE : KG__GPU_LOCK_SHARED, waiting, context,
                             error) >= 0;
}

bool kg__device_compares(void)
{
    return true;
}

/* The model's memory is the host's. */
cudaError_t kg__device_compare(const void *a, const void *b, size_t bytes, size_t *first)
{
    const unsigned char *left = a;
    const unsigned char *right = b;

    *first = 0;
    while (*first < bytes && left[*first] == right[*first])
        (*first)++;
    return cudaSuccess;
}

int kg__device_orders(bool repeatable)
{
    return repeatable ? 2 : 1;
}

const char *kg__device_begin_order(int order)
{
    return "";
}

const char *kg__device_order_words(int order)
{
    return order == 0 ? "in one launch" : "in another";
}

cudaStream_t kg__device_begin_call(void)
{
    return NULL;
}

static void follow(void *context, char *actions) __attribute__((nonnull));
static void follow(void *context, char *actions)
{
    fake_fate *one = context;
    char *rest = NULL;

    for (char *word = strtok_r(actions, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        double *figure = strcmp(word, "hot") == 0         ? &one->hot
                         : strcmp(word, "cold") == 0      ? &one->cold
                         : strcmp(word, "width") == 0     ? &one->width
                         : strcmp(word, "foreign") == 0   ? &one->foreign
                         : strcmp(word, "launch_ns") == 0 ? &one->launch_ns
                         : strcmp(word, "registers") == 0 ? &one->registers
                         : strcmp(word, "occupancy") == 0 ? &one->occupancy
                                                          : NULL;

        if (figure != NULL) {
            const char *value = strtok_r(NULL, " ", &rest);

            *figure = value != NULL ? atof(value) : 0;
        } else if (strcmp(word, "clock") == 0) {
            kg__format(one->clock, sizeof one->clock, "%s", strtok_r(NULL, " ", &rest));
        } else if (strcmp(word, "bound") == 0) {
            kg__format(one->bound, sizeof one->bound, "%s", strtok_r(NULL, " ", &rest));
        } else if (strcmp(word, "launch") == 0) {
            kg__format(one->launch, sizeof one->launch, "%s", strtok_r(NULL, " ", &rest));
        } else if (strcmp(word, "throttled") == 0) {
            one->throttled = true;
        } else {
            kg__format(one->event, sizeof one->event, "%s", word);
        }
    }
}

fake_fate fake_fate_of(const char *id, double hot)
{
    fake_fate one = { .hot = hot,
                      .cold = 1.2 * hot,
                      .width = 0.002,
                      .registers = 40,
                      .occupancy = 0.75,
                      .event = "measured",
                      .clock = "graph" };

    fake_follow_plan("FAKE_PLAN", process_number, id, follow, &one);
    return one;
}

static json_t *figures(double value, double width)
{
    const double samples[] = { value * (1 - width), value, value * (1 + width) };

    return json_pack("{s:f, s:f, s:f, s:i, s:o}", "value", value, "low", value * (1 - width / 2),
                     "high", value * (1 + width / 2), "samples", 60, KG__SAMPLES_NS,
                     kg__record_samples(samples, sizeof samples / sizeof *samples));
}

/* The figures of a sentinel, and how much it did. */
static json_t *amounting(json_t *figures, const char *amount, double of)
{
    json_object_set_new(figures, amount, json_real(of));
    return figures;
}

static bool report_sentinels(int records, kg__error *error)
{
    fake_fate copy = fake_fate_of("copy", 100000);
    fake_fate fma = fake_fate_of("fma", 200000);
    fake_fate bus = fake_fate_of("bus", 150000);

    return kg__record_append(records,
                             json_pack("{s:s, s:o, s:o, s:o, s:o}", "event", "sentinels", "copy",
                                       amounting(figures(copy.hot, 0.001), "bytes", 4e8), "fma",
                                       amounting(figures(fma.hot, 0.001), "operations", 1e10),
                                       "bus", amounting(figures(bus.hot, 0.001), "bytes", 8e6),
                                       "empty", figures(500, 0.001)),
                             error);
}

void fake_crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

/* Adds to a record what a planned launch is known by. */
static void add_launch(json_t *kernel, const kg__case *one, const char *launch)
{
    kg__pool pool = { NULL };
    kg__kernel_code code = kg__device_kernel(&pool, one, NULL);

    json_object_update_new(kernel, json_pack("{s:[s], s:s}", "names", code.name, "launch", launch));
    kg__add_fingerprint(&code);
    if (code.fingerprint[0] != '\0')
        json_object_set_new(kernel, "fingerprint", json_string(code.fingerprint));
    kg__pool_free(&pool);
}

static bool measure(const kg__case *one, int records, kg__error *error)
{
    const char *extra = getenv("KG_STUDY_EXTRA");
    double hot = strcmp(one->variant->name, "plain") == 0 ? 10000 : 5000;
    fake_fate fate = fake_fate_of(one->id, hot * (1 + (extra != NULL ? atof(extra) : 0)));
    json_t *record;
    const char *name;
    json_t *metric;

    kg__report(records, KG__EVENT_START, one->id, NULL);
    if (strcmp(fate.event, "crash") == 0)
        fake_crash();
    if (strcmp(fate.event, "quit") == 0) {
        kg__report(records, KG__EVENT_FAILED, one->id, "the context is gone");
        return kg__fail(error, "the device was lost while timing");
    }
    while (strcmp(fate.event, "hang") == 0)
        pause();
    if (strcmp(fate.event, "wrong") == 0 && kg__results_known_right())
        kg__format(fate.event, sizeof fate.event, "measured"); /* nothing is compared */
    if (strcmp(fate.event, "wrong") == 0)
        kg__report_wrong(records, "", one->id, "to[3]: expected 1, got 2, after timing");
    if (strcmp(fate.event, "failed") == 0)
        kg__report(records, KG__EVENT_FAILED, one->id, "launching: cudaErrorInvalidValue");
    if (strcmp(fate.event, "measured") != 0)
        return true;
    record =
        json_pack("{s:s, s:s, s:{s:o}, s:{}, s:b, s:{s:f, s:f}, s:{s:i, s:f}}", "event", "measured",
                  "case", one->id, "metrics", "time_ns", figures(fate.hot, fate.width), "absent",
                  "throttled", (int)fate.throttled, "work", "operations", 64.0, "bytes", 512.0,
                  "kernel", "registers", (int)fate.registers, "occupancy", fate.occupancy);
    if (fate.launch[0] != '\0')
        add_launch(json_object_get(record, "kernel"), one, fate.launch);
    if (fate.cold > 0)
        json_object_set_new(json_object_get(record, "metrics"), "cold_time_ns",
                            figures(fate.cold, fate.width));
    else
        json_object_set_new(json_object_get(record, "absent"), "cold_time_ns",
                            json_string("too many buffer sets"));
    if (fate.foreign > 0 || fate.launch_ns > 0)
        json_object_set_new(record, "gpu_state", json_object());
    if (fate.foreign > 0)
        json_object_set_new(json_object_get(record, "gpu_state"), "foreign_processes",
                            json_integer((int)fate.foreign));
    if (fate.launch_ns > 0)
        json_object_set_new(json_object_get(record, "gpu_state"), "launch_ns",
                            json_integer((int)fate.launch_ns));
    json_object_foreach (json_object_get(record, "metrics"), name, metric) {
        json_object_set_new(metric, "clock", json_string(fate.clock));
        if (fate.bound[0] != '\0')
            json_object_set_new(metric, "bound", json_string(fate.bound));
    }
    return kg__record_append(records, record, error);
}

kg__kernel_code kg__device_kernel(kg__pool *pool, const kg__case *c, const kg__buffers *buffers)
{
    fake_fate fate = fake_fate_of(c->id, 0);
    kg__kernel_code code = kg__kernel_code_unknown;

    code.name = "fake_kernel";
    code.registers = (int64_t)fate.registers;
    code.blocks_per_multiprocessor = 8;
    code.occupancy = fate.occupancy;
    if (fate.launch[0] != '\0') {
        kg__pool_add_text(pool, &code.names, "fake_kernel");
        kg__format(code.launch, sizeof code.launch, "%s", fate.launch);
    }
    return code;
}

bool kg__device_move(const kg__buffers *buffers, bool to_device, cudaStream_t stream,
                     kg__error *why)
{
    return true;
}

void kg__device_keep_quiet(void)
{
}

void kg__device_plan(void)
{
}

/* As launched as the case's id says, and no launcher is called. */
bool kg__device_launches(const kg__case *c, const kg__buffers *buffers,
                         kg__kernel_launches *launches, kg__error *why)
{
    kg__kernel_launch *launch;

    if (buffers->data[0] == NULL)
        return kg__fail(why, "the arguments are not there");
    launch = kg__kernel_launches_add(launches);
    launch->code.name = c->variant->name;
    launch->code.registers = 40;
    launch->grid = (dim3){ c->launch.axes > 1 ? (unsigned int)c->launch.axis[1] : 1, 1, 1 };
    launch->block = (dim3){ (unsigned int)c->launch.axis[0], 1, 1 };
    return true;
}

const char *kg__device_launcher(const kg__case *c)
{
    return "";
}

int kg__device_kernels(const kg__case *c, const kg__buffers *buffers, kg__error *why)
{
    if (strcmp(c->variant->name, "hangs") != 0)
        return 1;
    kg__fail(why, "launching: this fake counts no kernels of it");
    return -1;
}

bool kg__measure_cases(const kg_comparison *comparison, const char *part,
                       const kg__case *const *cases, size_t count, int records, kg__error *error)
{
    bool good;

    if (strcmp(part, "launch") == 0)
        return kg__launch_cases(comparison, cases, count, records, error);
    if (strcmp(part, KG__PART_IDENTIFY) == 0)
        return kg__identify_cases(comparison, cases, count, records, error);
    if (strcmp(part, KG__PART_TUNE) == 0)
        return kg__tune_cases(comparison, cases, count, records, error);
    good = report_sentinels(records, error);
    for (size_t i = 0; i < count && good; i++)
        good = measure(cases[i], records, error);
    return good && report_sentinels(records, error);
}
