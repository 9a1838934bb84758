/* SPDX-License-Identifier: MIT */
#include "observer/time_bench.h"

#include <math.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "device/device_gpu.h"
#include "device/sentinels.h"
#include "suite/settings.h"

/* An idle GPU lowers its clocks: it runs this long before anything is timed. */
#define WARM_UP_MS 300.0
#define COPY_SENTINEL_BYTES ((size_t)256 << 20)
/* Enough for a copy to last ten times as long as its start; the launches of a replay and the
 * replays take 4 ms at 55 GB/s. */
#define BUS_SENTINEL_BYTES ((size_t)4 << 20)
#define BUS_LAUNCHES 3
#define BUS_REPLAYS 7
/* A page of device memory, and the maximum number of pages left out plus one. */
#define PAGE_BYTES ((size_t)2 << 20)
#define SCATTERED_PAGES_MAXIMUM 128
/* Launches in the loop that measures the launch cost, and its replays. */
#define LAUNCHES_TO_SETTLE 200
#define REPLAYS_TO_SETTLE 5
/* Maximum consecutive warm-ups of a context, and the operations of each: sixteen operations on
 * one stream and a copy on another were enough on every machine tried. */
#define WARM_UPS_MAXIMUM 32
#define COPY_ROUNDS 8
#define COPY_BYTES ((size_t)256 << 10)
/* Milliseconds that a process may spend on repeated batches: enough on a host whose other boards
 * start processes all the time. */
#define PATIENCE_MS 10000.0

static cudaError_t launch_empty(const kg__workload *workload, int number)
{
    (void)number;
    return kg__launch_empty(workload->stream);
}

static cudaError_t launch_copy(const kg__workload *workload, int number)
{
    const kg__tools *tools = workload->context;

    (void)number;
    return kg__launch_copy_sentinel(tools->copy_from, tools->copy_to, COPY_SENTINEL_BYTES / 16,
                                    tools->multiprocessors, workload->stream);
}

static cudaError_t launch_fma(const kg__workload *workload, int number)
{
    const kg__tools *tools = workload->context;

    (void)number;
    return kg__launch_fma_sentinel(tools->fma_out, tools->multiprocessors, workload->stream);
}

static cudaError_t launch_bus(const kg__workload *workload, int number)
{
    const kg__tools *tools = workload->context;

    (void)number;
    return kg__launch_bus_sentinel(tools->bus_host, tools->copy_to, BUS_SENTINEL_BYTES,
                                   workload->stream);
}

/* Times the bus with fewer launches than a kernel's interval takes, because each lasts long. */
static bool time_bus(kg__tools *tools, kg__figures *figures, kg__error *why)
{
    kg__workload workload = { launch_bus, tools, tools->bench.stream };
    kg__loop loop = { NULL, 0 };
    bool good = kg__loop_make(&workload, BUS_LAUNCHES, &loop, why) &&
                kg__loop_time(&tools->bench, &loop, BUS_REPLAYS, &figures->value, why);

    kg__loop_discard(&loop);
    return good;
}

/* Times one launch by itself. */
static bool time_alone(kg__tools *tools, cudaError_t (*launch)(const kg__workload *, int),
                       kg__series *series, kg__error *why)
{
    kg__workload workload = { launch, tools, tools->bench.stream };
    bool good = kg__graph_prepare(&tools->bench, &workload, 1, 1000 * tools->case_seconds / 4,
                                  series, why) &&
                kg__graph_sample(&tools->bench, &series, 1, why);

    kg__graph_discard(series);
    return good;
}

kg__figures kg__series_figures(const kg__series *series, const char *name)
{
    return (kg__figures){ .name = name,
                          .value = series->interval.value,
                          .low = series->interval.low,
                          .high = series->interval.high,
                          .clock = series->clock,
                          .samples = (int64_t)series->count,
                          .launches = series->launches };
}

static bool time_sentinels(kg__tools *tools, kg__series *scratch, kg__error *why)
{
    const struct {
        const char *name;
        cudaError_t (*launch)(const kg__workload *, int);
        double work;
    } kernels[] = {
        { kg__sentinel_kinds[KG__COPY_SENTINEL].name, launch_copy, 2.0 * COPY_SENTINEL_BYTES },
        { kg__sentinel_kinds[KG__FMA_SENTINEL].name, launch_fma,
          kg__fma_sentinel_operations(tools->multiprocessors) },
        { "empty", launch_empty, 0 },
    };
    const size_t count = sizeof kernels / sizeof *kernels;
    kg__figures figures[sizeof kernels / sizeof *kernels + 1];
    kg__observation observation = { .event = KG__EVENT_SENTINELS,
                                    .metrics = figures,
                                    .metric_count = count + 1 };

    for (size_t i = 0; i < count; i++) {
        if (!time_alone(tools, kernels[i].launch, scratch, why))
            return false;
        figures[i] = kg__series_figures(scratch, kernels[i].name);
        figures[i].amount = kernels[i].work;
    }
    figures[count] = (kg__figures){ .name = kg__sentinel_kinds[KG__BUS_SENTINEL].name,
                                    .low = NAN,
                                    .high = NAN,
                                    .amount = 2.0 * BUS_SENTINEL_BYTES,
                                    .clock = scratch->clock,
                                    .samples = BUS_REPLAYS,
                                    .launches = BUS_LAUNCHES };
    if (!time_bus(tools, &figures[count], why))
        return false;
    for (size_t i = 0; i < KG__SENTINELS; i++) {
        const kg__figures *timed = kg__figures_of(&observation, kg__sentinel_kinds[i].name);

        tools->per_second[i] = timed->value > 0 ? 1e9 * timed->amount / timed->value : 0;
    }
    return kg__observation_append(tools->bench.records, &observation, why);
}

bool kg__tools_time_sentinels(kg__tools *tools, kg__error *why)
{
    kg__series *scratch = kg__allocate(1, sizeof *scratch);
    bool good = time_sentinels(tools, scratch, why);

    free(scratch);
    return good;
}

/* Takes a random number of unused pages before any kernel is loaded. The physical pages of code,
 * constants and arguments decide how far they are from the multiprocessors, which changes the
 * time of kernels of a few microseconds by up to 6 %. Consecutive processes on an idle GPU would
 * all get the same pages, and agree on a time that the next one misses. */
static bool occupy_random_pages(kg__error *why)
{
    unsigned pages = 0;
    cudaError_t code = cudaSuccess;

    if (getrandom(&pages, sizeof pages, 0) != (ssize_t)sizeof pages)
        pages = (unsigned)getpid();
    for (pages %= SCATTERED_PAGES_MAXIMUM; pages > 0 && code == cudaSuccess; pages--) {
        void *page;

        code = cudaMalloc(&page, PAGE_BYTES);
    }
    return kg__succeeded(code, "preparing to time", why);
}

/* Copies and fills as any program does, alternately on the default stream and on that of the
 * bench. */
static bool copy_on_two_streams(const kg__tools *tools, kg__error *why)
{
    static const unsigned char bytes[4096];
    cudaError_t code = cudaSuccess;

    for (int i = 0; i < COPY_ROUNDS && code == cudaSuccess; i++) {
        code = cudaMemcpy(tools->copy_to, bytes, sizeof bytes, cudaMemcpyHostToDevice);
        KG__THEN(code, cudaMemcpy(tools->copy_to, tools->copy_from, COPY_BYTES,
                                  cudaMemcpyDeviceToDevice));
        KG__THEN(code, cudaMemset(tools->copy_to, 0, COPY_BYTES));
        KG__THEN(code, cudaDeviceSynchronize());
        KG__THEN(code, cudaMemcpyAsync(tools->copy_to, tools->copy_from, COPY_BYTES,
                                       cudaMemcpyDeviceToDevice, tools->bench.stream));
        KG__THEN(code, cudaStreamSynchronize(tools->bench.stream));
    }
    return kg__succeeded(code, "copying, to settle what a launch costs", why);
}

/* Warms the context up until a launch has the higher cost, or `tries` times. */
static bool warm_up_until_high(kg__tools *tools, int tries, double *ns, kg__error *why)
{
    kg__launch_cost *cost = &tools->cost;

    for (int i = 0;; i++) {
        if (!kg__loop_time(&tools->bench, &tools->empty, REPLAYS_TO_SETTLE, ns, why))
            return false;
        kg__launch_cost_add(cost, *ns);
        if (i == tries || kg__launch_cost_is_high(cost, *ns))
            return true;
        if (!copy_on_two_streams(tools, why))
            return false;
    }
}

/* Warms the context up again. */
static bool warm_up_again(kg__tools *tools, double *ns, kg__error *why)
{
    /* If the higher cost was never seen, there may be only one: one try is cheap. */
    int tries = kg__launch_cost_has_two(&tools->cost) ? WARM_UPS_MAXIMUM : 1;

    if (!warm_up_until_high(tools, tries, ns, why))
        return false;
    if (tries == WARM_UPS_MAXIMUM && !kg__launch_cost_is_high(&tools->cost, *ns))
        kg__launch_cost_settle_for(&tools->cost, *ns);
    return true;
}

/* Returns whether a batch counts, by the launch cost next to it. */
static bool batch_counts(void *context, double ns)
{
    kg__tools *tools = context;

    return kg__launch_cost_check(&tools->cost, ns) || tools->patience_ms <= 0;
}

static bool restore(void *context, double lost_ms, kg__error *why)
{
    kg__tools *tools = context;
    double ns;

    tools->patience_ms -= lost_ms;
    return warm_up_again(tools, &ns, why);
}

bool kg__tools_settle(kg__tools *tools, kg__error *why)
{
    double ns;

    if (!warm_up_again(tools, &ns, why))
        return false;
    kg__bench_note_launch(&tools->bench, ns);
    return true;
}

/* Warms up a fresh context, and has every batch of samples checked from here on. */
static bool warm_up_context(kg__tools *tools, kg__error *why)
{
    kg__workload workload = { launch_empty, tools, tools->bench.stream };
    double ns;

    if (!kg__loop_make(&workload, LAUNCHES_TO_SETTLE, &tools->empty, why) ||
        !warm_up_until_high(tools, WARM_UPS_MAXIMUM, &ns, why))
        return false;
    tools->bench.monitor = (kg__monitor){ &tools->empty, batch_counts, restore, tools };
    return true;
}

static bool make_tools(kg__tools *tools, int records, kg__error *why)
{
    const kg__gpu_spec *gpu = kg__device_gpu();
    size_t blocks =
        (size_t)gpu->limits.multiprocessors * KG__FMA_SENTINEL_BLOCKS_PER_MULTIPROCESSOR;
    cudaError_t code;

    *tools = (kg__tools){ .multiprocessors = gpu->limits.multiprocessors,
                          .l2_bytes = gpu->l2_bytes,
                          .case_seconds = kg__case_seconds(),
                          .patience_ms = PATIENCE_MS };
    if (!occupy_random_pages(why) || !kg__bench_open(&tools->bench, records, why))
        return false;
    code = cudaMalloc(&tools->copy_from, COPY_SENTINEL_BYTES);
    KG__THEN(code, cudaMalloc(&tools->copy_to, COPY_SENTINEL_BYTES));
    KG__THEN(code, cudaMalloc((void **)&tools->fma_out, blocks * sizeof(float)));
    KG__THEN(code, cudaMemset(tools->copy_from, 0x5a, COPY_SENTINEL_BYTES));
    KG__THEN(code, cudaMallocHost(&tools->bus_host, BUS_SENTINEL_BYTES));
    return kg__succeeded(code, "making ready to time", why);
}

void kg__tools_close(kg__tools *tools)
{
    kg__loop_discard(&tools->empty);
    (void)cudaFree(tools->copy_from);
    (void)cudaFree(tools->copy_to);
    (void)cudaFree(tools->fma_out);
    (void)cudaFreeHost(tools->bus_host);
    kg__bench_close(&tools->bench);
}

static bool raise_clocks(kg__tools *tools, kg__error *why)
{
    kg__workload workload = { launch_fma, tools, tools->bench.stream };

    return kg__bench_warm_up(&tools->bench, &workload, WARM_UP_MS, why);
}

bool kg__tools_open(kg__tools *tools, int records, kg__error *why)
{
    return make_tools(tools, records, why) && raise_clocks(tools, why) &&
           warm_up_context(tools, why);
}
