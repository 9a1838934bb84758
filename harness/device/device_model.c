/* SPDX-License-Identifier: MIT */
/* The CPU model as the device under test. */
#include <gnu/libc-version.h>
#include <string.h>

#include "base/hash.h"
#include "base/source_path.h"
#include "device/device.h"
#include "model/model.h"
#include "model/watch/findings.h"
#include "model/watch/program.h"
#include "model/watch/watch.h"
#include "suite/stub.h"

kg__device_status kg__device_open(kg__device_description *description, kg__error *why)
{
    *description =
        (kg__device_description){ .target = { .key = "cpu-model", .name = "CPU model" } };
    if (!kg__model_has_symbols()) {
        kg__fail(why, "this program is stripped, and the CPU model knows shared arrays by their "
                      "symbols: link it without -s (see LDFLAGS)");
        return KG__DEVICE_BROKEN;
    }
    kg__format(description->target.compiler, sizeof description->target.compiler, "%s",
               kg__model_compiler);
    description->provenance = json_pack("{s:s, s:s, s:s}", "compiler", kg__model_compiler, "model",
                                        KG__MODEL_VERSION, "libc", gnu_get_libc_version());
    if (kg__model_flags[0] != '\0')
        json_object_set_new(description->provenance, "flags", json_string(kg__model_flags));
    return KG__DEVICE_READY;
}

kg__limits kg__device_limits(void)
{
    struct cudaDeviceProp properties = { .multiProcessorCount = 1 };

    (void)cudaGetDeviceProperties(&properties, 0);
    return (kg__limits){ .multiprocessors = properties.multiProcessorCount,
                         .threads_per_block = properties.maxThreadsPerBlock,
                         .threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor };
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* Each process has a model of its own, so nothing needs a lock. */
bool kg__device_keep(bool alone, void (*waiting)(void *context, const char *line), void *context,
                     kg__error *error)
{
    return true;
}

cudaError_t kg__device_compare(const void *a, const void *b, size_t bytes, size_t *first)
{
    return cudaErrorNotSupported;
}
#pragma GCC diagnostic pop

int kg__device_orders(bool repeatable)
{
    return kg__device_watches() ? 1 : repeatable ? KG__MODEL_ORDERS : 2;
}

const char *kg__device_begin_order(int order)
{
    static const char *const names[] = { "", ", threads in reversed order",
                                         ", blocks in shuffled order" };

    kg__model_set_order((kg__model_order)order);
    return names[order];
}

const char *kg__device_order_words(int order)
{
    static const char *const words[] = { "in ascending", "in reversed order of blocks",
                                         "in shuffled order of blocks" };

    return words[order];
}

bool kg__device_gave_up(const char *home, kg__error *note)
{
    const kg__model_wait *wait = kg__model_gave_up();
    char where[KG__MESSAGE_SIZE / 2] = "";

    if (wait == NULL)
        return false;
    if (wait->line > 0)
        kg__format(where, sizeof where, " at %s:%u", kg__source_name(home, wait->file), wait->line);
    kg__fail(note,
             "checked in ascending order alone: in reversed order block (%u,%u,%u), thread "
             "(%u,%u,%u) of %s waits%s forever, so the kernel relies on the order in which blocks "
             "or warps start",
             wait->place.block.x, wait->place.block.y, wait->place.block.z, wait->place.thread.x,
             wait->place.thread.y, wait->place.thread.z, wait->place.kernel, where);
    return true;
}

/* The host reads the model's memory directly. */
bool kg__device_compares(void)
{
    return false;
}

cudaStream_t kg__device_begin_call(void)
{
    return kg__model_begin_call();
}

bool kg__device_strayed(kg_clock clock, kg__error *why)
{
    size_t astray = kg__model_other_stream_work();
    size_t uncapturable = clock == KG_HOST_CLOCK ? 0 : kg__model_uncapturable();

    if (astray > 0)
        kg__fail(
            why,
            "not on the stream of the call, where it could not be timed: %zu of the launcher's "
            "launches and copies: start them on call->stream (config.stream), or on a stream that "
            "events fork from it and join to it",
            astray);
    else if (uncapturable > 0)
        kg__fail(why,
                 "the launcher allocates, frees or waits, which CUDA refuses while a launch is "
                 "timed: %zu such call%s; use a KG_SCRATCH argument, and do not synchronize",
                 uncapturable, uncapturable == 1 ? "" : "s");
    return astray > 0 || uncapturable > 0;
}

static void add_shape(void *shape, const kg__model_kernel *kernel, const cudaLaunchConfig_t *config)
{
    kg__launch_shape *sum = shape;
    const dim3 *grid = &config->gridDim;

    sum->kernels++;
    sum->names = kg__hash_text(sum->names, kernel->name);
    sum->blocks += (uint64_t)grid->x * grid->y * grid->z;
}

bool kg__device_shape(const kg_variant *variant, kg_call call, kg__launch_shape *shape)
{
    cudaError_t code;

    *shape = (kg__launch_shape){ 0 };
    kg__model_plan(add_shape, shape);
    call.stream = kg__model_begin_call();
    code = variant->launch(&call);
    kg__model_plan(NULL, NULL);
    return code == cudaSuccess && shape->kernels > 0;
}

bool kg__device_watches(void)
{
    return kg__model_is_instrumented();
}

static bool is_sparse;

void kg__device_watch(void)
{
    kg__model_watch(KG__MODEL_CHECK, is_sparse ? KG__MODEL_BOUNDS_BUDGET : KG__MODEL_BUDGET);
}

void kg__device_be_sparse(bool sparse)
{
    is_sparse = sparse;
    kg__model_be_sparse(sparse);
}

void kg__device_describe(const void *data, size_t bytes, const char *name, bool read_only)
{
    if (kg__device_watches())
        kg__model_describe(data, bytes, name, read_only);
}

void kg__device_forget(const void *data, size_t bytes)
{
    if (kg__device_watches())
        kg__model_forget(data, bytes);
}

static void name_source(const char *home, kg__finding_actor *actor)
{
    if (actor->file != NULL)
        actor->file = actor->line > 0 ? kg__source_name(home, actor->file) : NULL;
}

static void name_sources(const char *home, kg__finding *finding, kg__finding_call *calls)
{
    const kg__finding_call *found = finding->calls;

    name_source(home, &finding->by);
    name_source(home, &finding->other);
    finding->calls = finding->call_count > 0 ? calls : NULL;
    for (size_t i = 0; i < finding->call_count; i++)
        calls[i] = (kg__finding_call){ kg__source_name(home, found[i].file), found[i].line };
}

static bool is_wrong;

void kg__device_judged(bool wrong)
{
    is_wrong = wrong;
}

bool kg__device_has_findings(const char *home, kg__findings *findings)
{
    static kg__finding_call calls[KG__FINDINGS_MAXIMUM][KG__FINDING_CALLS];
    const kg__model_report *report = kg__model_seen();

    kg__findings_rank(findings, report->findings, report->finding_count, !is_wrong);
    for (size_t i = 0; i < findings->count; i++)
        name_sources(home, &findings->list[i], calls[i]);
    return findings->count > 0;
}

bool kg__device_skipped_checks(kg__error *what, bool *whole)
{
    const kg__model_report *report = kg__model_seen();

    *whole = report->watched == report->blocks;
    if (!*whole)
        kg__fail(what, "memory checks on %llu of %llu blocks", (unsigned long long)report->watched,
                 (unsigned long long)report->blocks);
    else if (report->too_large != NULL)
        kg__fail(what, "%s is too large to check for races and unwritten reads", report->too_large);
    else if (report->too_many_words)
        kg__fail(
            what,
            "blocks use too many words for atomics and flags to find all races between blocks");
    return !*whole || report->too_large != NULL || report->too_many_words;
}

/* Called when a launch never ends. */
static struct {
    const char *home;
    void (*report)(void *context, const kg__hang *hang);
    void *context;
} hang_listener;

static void describe_hang(const kg__model_place *place, const char *file, unsigned int line)
{
    kg__hang hang = { .kernel = place->kernel, .at.line = line };

    if (line > 0)
        hang.at.file = kg__source_name(hang_listener.home, file);
    hang.at.has_block = hang.at.has_thread = true;
    memcpy(hang.at.block, &place->block, sizeof hang.at.block);
    memcpy(hang.at.thread, &place->thread, sizeof hang.at.thread);
    (void)kg__device_has_findings(hang_listener.home, &hang.found);
    hang_listener.report(hang_listener.context, &hang);
}

void kg__device_on_hang(const char *home, void (*report)(void *context, const kg__hang *hang),
                        void *context)
{
    hang_listener.home = home;
    hang_listener.report = report;
    hang_listener.context = context;
    kg__model_on_hang(describe_hang);
}

static void add_launch(void *launches, const kg__model_kernel *kernel,
                       const cudaLaunchConfig_t *config)
{
    kg__kernel_launch *added = kg__kernel_launches_add(launches);

    added->code.name = kernel->symbol;
    added->grid = config->gridDim;
    added->block = config->blockDim;
    added->dynamic_shared = (int64_t)config->dynamicSmemBytes;
}

void kg__device_plan(void)
{
    /* Memory allocated before the first launch is uninitialized too. */
    kg__model_plan(add_launch, NULL);
}

bool kg__device_launches(const kg__case *c, const kg__buffers *buffers,
                         kg__kernel_launches *launches, kg__error *why)
{
    kg_call call;
    cudaError_t code;

    kg__model_plan(add_launch, launches);
    call = kg__buffers_call(buffers, c, kg__device_begin_call());
    code = kg__stub_try(c->variant->launch, &call);
    return kg__succeeded(code, "launching", why);
}

const char *kg__device_launcher(const kg__case *c)
{
    const void *address;

    memcpy(&address, &c->variant->launch, sizeof address);
    return kg__model_symbol_at(address);
}

const char *kg__device_headers(void)
{
    return kg__kernel_headers;
}
