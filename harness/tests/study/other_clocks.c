/* Times every case a second time by the ways that others use, in the process and on the kernels
 * that the harness has just timed, to see what each way's processes agree on: an event pair around
 * one launch, and the same behind a flush of the L2 cache, queued so that the host is never waited
 * for. The harness's own measuring is wrapped by the linker; what it records is followed by a
 * record {"event": "other_clocks", "case", "single_ns", "flushed_ns"} a case. */
#include <stdlib.h>

#include "base/clock.h"
#include "device/device_gpu.h"
#include "observer/check.h"
#include "observer/graph_clock.h"
#include "observer/measure.h"
#include "records/records.h"

/* GPU time that a way may take for a case. */
#define SECONDS 0.1
#define SAMPLES_MAXIMUM 4000
/* Flushes, launches and events that are queued at a time. */
#define QUEUED 16

bool __real_kg__measure_cases(const kg_comparison *comparison, const char *part,
                              const kg__case *const *cases, size_t count, int records,
                              kg__error *error);
bool __wrap_kg__measure_cases(const kg_comparison *comparison, const char *part,
                              const kg__case *const *cases, size_t count, int records,
                              kg__error *error);

/* What the ways share. */
typedef struct tools {
    cudaStream_t stream;
    cudaEvent_t begin[QUEUED];
    cudaEvent_t end[QUEUED];
    void *flushed;
    size_t flushed_bytes;
    double *samples;
} tools;

static cudaError_t open_tools(tools *with)
{
    cudaError_t code = cudaStreamCreateWithFlags(&with->stream, cudaStreamNonBlocking);

    for (int i = 0; i < QUEUED && code == cudaSuccess; i++) {
        code = cudaEventCreate(&with->begin[i]);
        if (code == cudaSuccess)
            code = cudaEventCreate(&with->end[i]);
    }
    with->flushed_bytes = 2 * kg__device_gpu()->l2_bytes;
    if (code == cudaSuccess)
        code = cudaMalloc(&with->flushed, with->flushed_bytes);
    with->samples = kg__allocate(SAMPLES_MAXIMUM, sizeof *with->samples);
    return code;
}

static void close_tools(tools *with)
{
    for (int i = 0; i < QUEUED; i++) {
        (void)cudaEventDestroy(with->begin[i]);
        (void)cudaEventDestroy(with->end[i]);
    }
    (void)cudaFree(with->flushed);
    (void)cudaStreamDestroy(with->stream);
    free(with->samples);
}

/* Queues `many` event pairs around single launches, behind a flush each where `flush` says so, and
 * reads them. */
static cudaError_t sample(const tools *with, const kg__case *one, const kg__buffers *buffers,
                          bool flush, int many, size_t *count)
{
    kg_call call = kg__buffers_call(buffers, one, with->stream);
    cudaError_t code = cudaSuccess;

    for (int i = 0; i < many && code == cudaSuccess; i++) {
        if (flush)
            code = cudaMemsetAsync(with->flushed, i, with->flushed_bytes, with->stream);
        if (code == cudaSuccess)
            code = cudaEventRecord(with->begin[i], with->stream);
        if (code == cudaSuccess)
            code = one->variant->launch(&call);
        if (code == cudaSuccess)
            code = cudaEventRecord(with->end[i], with->stream);
    }
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(with->stream);
    for (int i = 0; i < many && code == cudaSuccess && *count < SAMPLES_MAXIMUM; i++) {
        float ms = 0;

        code = cudaEventElapsedTime(&ms, with->begin[i], with->end[i]);
        with->samples[(*count)++] = ms * 1e6;
    }
    return code;
}

/* The median by one way, in ns. */
static cudaError_t time_by(const tools *with, const kg__case *one, const kg__buffers *buffers,
                           bool flush, double *ns)
{
    double begun = kg__now();
    size_t count = 0;
    size_t unused = 0;
    cudaError_t code = sample(with, one, buffers, flush, 1, &unused);

    while (code == cudaSuccess && count < SAMPLES_MAXIMUM && kg__now() - begun < SECONDS)
        code = sample(with, one, buffers, flush, flush ? QUEUED : 1, &count);
    *ns = kg__median(with->samples, count);
    return code;
}

/* Times one case by the other ways and records it. */
static bool time_case(const tools *with, const kg_comparison *comparison, const kg__case *one,
                      int records, kg__error *why)
{
    kg__stage stage = { 0 };
    double single = 0;
    double flushed = 0;
    bool good = kg__stage_set(&stage, comparison, one, false, why) &&
                kg__buffers_fill(&stage.buffers, stage.problem.device, kg__poison(0), why) &&
                kg__prepare_launch(one, &stage.buffers, why) &&
                kg__succeeded(time_by(with, one, &stage.buffers, false, &single),
                              "timing single launches", why) &&
                kg__succeeded(time_by(with, one, &stage.buffers, true, &flushed),
                              "timing behind a flush", why);

    kg__stage_clear(&stage);
    return good &&
           kg__record_append(records,
                             json_pack("{s:s, s:s, s:f, s:f}", "event", "other_clocks", "case",
                                       one->id, "single_ns", single, "flushed_ns", flushed),
                             why);
}

bool __wrap_kg__measure_cases(const kg_comparison *comparison, const char *part,
                              const kg__case *const *cases, size_t count, int records,
                              kg__error *error)
{
    tools with = { 0 };
    bool good = __real_kg__measure_cases(comparison, part, cases, count, records, error) &&
                kg__succeeded(open_tools(&with), "making ready to time", error);

    for (size_t i = 0; i < count && good; i++) {
        if (cases[i]->variant->advanced.clock == KG_GRAPH_CLOCK)
            good = time_case(&with, comparison, cases[i], records, error);
    }
    close_tools(&with);
    return good;
}
