#include "observer/time_bench.h"

#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "device/device_gpu.h"
#include "device/sentinels.h"
#include "records/records.h"
#include "suite/settings.h"

/* An idle card clocks down: it works this long before anything is timed. */
#define WARM_UP_MS 300.0
#define COPY_SENTINEL_BYTES ((size_t)256 << 20)
/* A page of device memory, and how many are left out at most, less one. */
#define PAGE_BYTES ((size_t)2 << 20)
#define SCATTERED_PAGES_MAXIMUM 128
/* What a launch costs is read from so many, as often. */
#define LAUNCHES_TO_SETTLE 200
#define REPLAYS_TO_SETTLE 5
/* How often a context is worn at a stretch, and by how much: sixteen operations on one stream and
 * a copy on another sufficed wherever it was tried. */
#define WEARINGS_MAXIMUM 32
#define WEAR_ROUNDS 8
#define WEAR_BYTES ((size_t)256 << 10)
/* What a process may lose, in ms, by taking batches again: enough on a host whose other boards
 * start processes all the time. */
#define PATIENCE_MS 10000.0

static cudaError_t launch_empty(const kg__timed *what, int number)
{
    (void)number;
    return kg__launch_empty(what->stream);
}

static cudaError_t launch_copy(const kg__timed *what, int number)
{
    const kg__tools *with = what->context;

    (void)number;
    return kg__launch_copy_sentinel(with->copy_from, with->copy_to, COPY_SENTINEL_BYTES / 16,
                                    with->multiprocessors, what->stream);
}

static cudaError_t launch_fma(const kg__timed *what, int number)
{
    const kg__tools *with = what->context;

    (void)number;
    return kg__launch_fma_sentinel(with->fma_out, with->multiprocessors, what->stream);
}

/* Times one subject by itself. */
static bool time_alone(kg__tools *with, cudaError_t (*launch)(const kg__timed *, int),
                       kg__series *one, kg__error *why)
{
    kg__timed what = { launch, with, with->bench.stream };
    bool good =
        kg__graph_prepare(&with->bench, &what, 1, 1000 * with->case_seconds / 4, one, why) &&
        kg__graph_sample(&with->bench, &one, 1, why);

    kg__graph_discard(one);
    return good;
}

json_t *kg__figures_of(const kg__series *one)
{
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:s}", "value", one->interval.value, "low",
                     one->interval.low, "high", one->interval.high, "samples", (int)one->count,
                     "launches", one->launches, "clock", one->clock);
}

static bool time_sentinels(kg__tools *with, kg__series *scratch, kg__error *why)
{
    const struct {
        const char *name;
        cudaError_t (*launch)(const kg__timed *, int);
        const char *amount;
        double of;
    } sentinels[] = {
        { "copy", launch_copy, "bytes", 2.0 * COPY_SENTINEL_BYTES },
        { "fma", launch_fma, "operations", kg__fma_sentinel_operations(with->multiprocessors) },
        { "empty", launch_empty, NULL, 0 },
    };
    json_t *record = json_pack("{s:s}", "event", "sentinels");

    for (size_t i = 0; i < sizeof sentinels / sizeof sentinels[0]; i++) {
        json_t *figures;

        if (!time_alone(with, sentinels[i].launch, scratch, why)) {
            json_decref(record);
            return false;
        }
        figures = kg__figures_of(scratch);
        if (sentinels[i].amount != NULL)
            json_object_set_new(figures, sentinels[i].amount, json_real(sentinels[i].of));
        json_object_set_new(record, sentinels[i].name, figures);
    }
    return kg__record_append(with->bench.records, record, why);
}

bool kg__tools_time_sentinels(kg__tools *with, kg__error *why)
{
    kg__series *scratch = kg__allocate(1, sizeof *scratch);
    bool good = time_sentinels(with, scratch, why);

    free(scratch);
    return good;
}

/* Takes a random number of pages that nobody uses, before any kernel is loaded: which physical
 * pages code, constants and arguments get decides how far they are from the multiprocessors, which
 * is worth up to 6 % to kernels of a few microseconds. Processes that follow each other on an idle
 * card would all get the same ones, and agree on a time that the next one misses. */
static bool scatter(kg__error *why)
{
    unsigned pages = 0;
    cudaError_t code = cudaSuccess;

    if (getrandom(&pages, sizeof pages, 0) != (ssize_t)sizeof pages)
        pages = (unsigned)getpid();
    for (pages %= SCATTERED_PAGES_MAXIMUM; pages > 0 && code == cudaSuccess; pages--) {
        void *kept_till_the_end;

        code = cudaMalloc(&kept_till_the_end, PAGE_BYTES);
    }
    return kg__succeeded(code, "making ready to time", why);
}

/* Copies and fills as any program does, on the default stream and on that of the bench by turns. */
static bool wear(const kg__tools *with, kg__error *why)
{
    static const unsigned char bytes[4096];
    cudaError_t code = cudaSuccess;

    for (int i = 0; i < WEAR_ROUNDS && code == cudaSuccess; i++) {
        code = cudaMemcpy(with->copy_to, bytes, sizeof bytes, cudaMemcpyHostToDevice);
        if (code == cudaSuccess)
            code = cudaMemcpy(with->copy_to, with->copy_from, WEAR_BYTES, cudaMemcpyDeviceToDevice);
        if (code == cudaSuccess)
            code = cudaMemset(with->copy_to, 0, WEAR_BYTES);
        if (code == cudaSuccess)
            code = cudaDeviceSynchronize();
        if (code == cudaSuccess)
            code = cudaMemcpyAsync(with->copy_to, with->copy_from, WEAR_BYTES,
                                   cudaMemcpyDeviceToDevice, with->bench.stream);
        if (code == cudaSuccess)
            code = cudaStreamSynchronize(with->bench.stream);
    }
    return kg__succeeded(code, "copying, to settle what a launch costs", why);
}

/* Wears the context until a launch costs the more, or that often. */
static bool wear_until_worn(kg__tools *with, int tries, double *ns, kg__error *why)
{
    kg__launch_cost *cost = &with->cost;

    for (int i = 0;; i++) {
        if (!kg__loop_time(&with->bench, &with->empty, REPLAYS_TO_SETTLE, ns, why))
            return false;
        kg__launch_cost_add(cost, *ns);
        if (i == tries || kg__launch_cost_is_dear(cost, *ns))
            return true;
        if (!wear(with, why))
            return false;
    }
}

/* Wears the context in again. */
static bool wear_again(kg__tools *with, double *ns, kg__error *why)
{
    /* Where a launch never cost the more, it may have but one cost: one try is cheap. */
    int tries = kg__launch_cost_has_two(&with->cost) ? WEARINGS_MAXIMUM : 1;

    if (!wear_until_worn(with, tries, ns, why))
        return false;
    if (tries == WEARINGS_MAXIMUM && !kg__launch_cost_is_dear(&with->cost, *ns))
        kg__launch_cost_settle_for(&with->cost, *ns);
    return true;
}

/* Whether a batch counts, by what a launch cost beside it. */
static bool counts(void *context, double ns)
{
    kg__tools *with = context;

    return kg__launch_cost_check(&with->cost, ns) || with->patience_ms <= 0;
}

static bool restore(void *context, double lost_ms, kg__error *why)
{
    kg__tools *with = context;
    double ns;

    with->patience_ms -= lost_ms;
    return wear_again(with, &ns, why);
}

bool kg__tools_settle(kg__tools *with, kg__error *why)
{
    double ns;

    if (!wear_again(with, &ns, why))
        return false;
    kg__bench_note_launch(&with->bench, ns);
    return true;
}

/* Wears a fresh context in, and has every batch of samples looked after from here on. */
static bool wear_in(kg__tools *with, kg__error *why)
{
    kg__timed what = { launch_empty, with, with->bench.stream };
    double ns;

    if (!kg__loop_make(&what, LAUNCHES_TO_SETTLE, &with->empty, why) ||
        !wear_until_worn(with, WEARINGS_MAXIMUM, &ns, why))
        return false;
    with->bench.witness = (kg__witness){ &with->empty, counts, restore, with };
    return true;
}

static bool make_tools(kg__tools *with, int records, kg__error *why)
{
    const kg__gpu_spec *gpu = kg__device_gpu();
    size_t blocks = (size_t)gpu->multiprocessors * KG__FMA_SENTINEL_BLOCKS_PER_MULTIPROCESSOR;
    cudaError_t code;

    *with = (kg__tools){ .multiprocessors = gpu->multiprocessors,
                         .l2_bytes = gpu->l2_bytes,
                         .case_seconds = kg__case_seconds(),
                         .patience_ms = PATIENCE_MS };
    if (!scatter(why) || !kg__bench_open(&with->bench, records, why))
        return false;
    code = cudaMalloc(&with->copy_from, COPY_SENTINEL_BYTES);
    if (code == cudaSuccess)
        code = cudaMalloc(&with->copy_to, COPY_SENTINEL_BYTES);
    if (code == cudaSuccess)
        code = cudaMalloc((void **)&with->fma_out, blocks * sizeof(float));
    if (code == cudaSuccess)
        code = cudaMemset(with->copy_from, 0x5a, COPY_SENTINEL_BYTES);
    return kg__succeeded(code, "making ready to time", why);
}

void kg__tools_close(kg__tools *with)
{
    kg__loop_discard(&with->empty);
    (void)cudaFree(with->copy_from);
    (void)cudaFree(with->copy_to);
    (void)cudaFree(with->fma_out);
    kg__bench_close(&with->bench);
}

static bool warm_up(kg__tools *with, kg__error *why)
{
    kg__timed what = { launch_fma, with, with->bench.stream };

    return kg__bench_warm_up(&with->bench, &what, WARM_UP_MS, why);
}

bool kg__tools_open(kg__tools *with, int records, kg__error *why)
{
    return make_tools(with, records, why) && warm_up(with, why) && wear_in(with, why);
}
