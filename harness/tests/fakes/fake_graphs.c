/* SPDX-License-Identifier: MIT */
/* Functions take what those take that they stand in for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "tests/fakes/fake_graphs.h"
#include "observer/report_record.h"

#include <stdlib.h>

#include "device/device.h"
#include "device/device_gpu.h"
#include "device/sentinels.h"

#define SENTINEL_NS 100000.0

struct CUgraph_st {
    size_t launches;
    double body_ns; /* of all launches together */
};

struct CUgraphExec_st {
    struct CUgraph_st graph;
};

struct CUevent_st {
    double at_ns;
};

fake_graphs fake;
static struct CUgraph_st *captured;

/* Counts a call that may fail; once one has, the device is lost. */
static cudaError_t step(void)
{
    fake.calls++;
    return fake.fail_at > 0 && fake.calls >= fake.fail_at ? cudaErrorIllegalAddress : cudaSuccess;
}

static void run(const struct CUgraph_st *graph)
{
    fake.now_ns +=
        graph->body_ns + (double)graph->launches * (fake.warm ? fake.high_ns : fake.low_ns);
}

cudaError_t fake_launch(double ns)
{
    const struct CUgraph_st alone = { .launches = 1, .body_ns = ns };

    if (captured == NULL) {
        run(&alone);
    } else {
        captured->launches++;
        captured->body_ns += ns;
    }
    return step();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    if (step() != cudaSuccess)
        return cudaErrorIllegalAddress;
    captured = calloc(1, sizeof *captured);
    return captured != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = captured;
    captured = NULL;
    return step();
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    *count = graph->launches;
    return step();
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *replayable, cudaGraph_t graph,
                                 unsigned long long flags)
{
    if (step() != cudaSuccess)
        return cudaErrorIllegalAddress;
    *replayable = malloc(sizeof **replayable);
    if (*replayable == NULL)
        return cudaErrorMemoryAllocation;
    (*replayable)->graph = *graph;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t replayable, cudaStream_t stream)
{
    run(&replayable->graph);
    if (fake.warm && ++fake.replays == fake.fall_every) {
        fake.warm = false;
        fake.replays = 0;
    }
    return step();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t replayable)
{
    free(replayable);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    *stream = NULL;
    return step();
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    if (step() != cudaSuccess)
        return cudaErrorIllegalAddress;
    *event = calloc(1, sizeof **event);
    return *event != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    event->at_ns = fake.now_ns;
    return step();
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    *milliseconds = (float)((end->at_ns - start->at_ns) / 1e6);
    return step();
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    *pointer = NULL;
    return step();
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    fake.warm_ups++;
    fake.replays = 0;
    fake.warm = fake.warm || fake.warms;
    return step();
}

/* A call that gives this answer. */
#define ANSWER(answer, name, ...)                                                                  \
    cudaError_t name(__VA_ARGS__)                                                                  \
    {                                                                                              \
        return answer;                                                                             \
    }

ANSWER(cudaSuccess, cudaStreamDestroy, cudaStream_t stream)
ANSWER(step(), cudaStreamSynchronize, cudaStream_t stream)
ANSWER(step(), cudaDeviceSynchronize, void)
ANSWER(step(), cudaEventSynchronize, cudaEvent_t event)
ANSWER(cudaSuccess, cudaFree, void *pointer)
ANSWER(cudaMalloc(pointer, size), cudaMallocHost, void **pointer, size_t size)
ANSWER(cudaFree(pointer), cudaFreeHost, void *pointer)
ANSWER(step(), cudaMemcpy, void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
ANSWER(step(), cudaMemset, void *pointer, int value, size_t count)
ANSWER(fake_launch(0), kg__launch_empty, cudaStream_t stream)
ANSWER(fake_launch(SENTINEL_NS), kg__launch_copy_sentinel, const void *from, void *to, size_t count,
       int multiprocessors, cudaStream_t stream)
ANSWER(fake_launch(SENTINEL_NS), kg__launch_fma_sentinel, float *out, int multiprocessors,
       cudaStream_t stream)
ANSWER(fake_launch(SENTINEL_NS), kg__launch_bus_sentinel, void *host, void *device, size_t bytes,
       cudaStream_t stream)

double kg__fma_sentinel_operations(int multiprocessors)
{
    return multiprocessors;
}

const kg__gpu_spec *kg__device_gpu(void)
{
    static const kg__gpu_spec gpu = { .uuid = "GPU-fake",
                                      .limits.multiprocessors = 132,
                                      .l2_bytes = 1 << 20 };

    return &gpu;
}

kg__gpu_state kg__device_state(bool *throttled)
{
    return kg__gpu_state_unknown;
}

bool kg__device_move(const kg__buffers *buffers, bool to_device, cudaStream_t stream,
                     kg__error *why)
{
    return true;
}

bool kg__succeeded(cudaError_t code, const char *what, kg__error *error)
{
    return code == cudaSuccess || kg__fail(error, "%s: %d", what, (int)code);
}

void kg__report(int records, kg__event event, const char *id, const char *why)
{
}
