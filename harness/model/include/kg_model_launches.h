/* SPDX-License-Identifier: MIT */
/* Host calls with typed parameters: launches by pointers, occupancy, symbols. Included by
 * cuda_runtime.h. */
#pragma once

#include "cuda_runtime.h"

/* Launches with the arguments that the pointers of an array point at. */
template <typename... Parameters, size_t... Number>
static inline cudaError_t
kg__model_launch_by_pointers(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                             void **arguments, std::index_sequence<Number...>)
{
    (void)arguments;
    return cudaLaunchKernelEx(config, kernel,
                              *static_cast<std::decay_t<Parameters> *>(arguments[Number])...);
}

template <typename... Parameters>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                              void (*kernel)(Parameters...), void **arguments)
{
    return kg__model_launch_by_pointers(config, kernel, arguments,
                                        std::index_sequence_for<Parameters...>());
}

template <typename... Parameters>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                           void **arguments, size_t dynamic_bytes = 0,
                                           cudaStream_t stream = nullptr)
{
    const cudaLaunchConfig_t config = kg__model_configure(grid, block, dynamic_bytes, stream);

    return cudaLaunchKernelExC(&config, kernel, arguments);
}

template <typename... Parameters>
static inline cudaError_t
cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                            size_t dynamic_bytes = 0, cudaStream_t stream = nullptr)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = kg__model_configure(grid, block, dynamic_bytes, stream);

    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

template <typename... Parameters>
static inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(Parameters...),
                                                 cudaFuncCache config)
{
    return cudaFuncSetCacheConfig(reinterpret_cast<const void *>(kernel), config);
}

template <typename... Parameters>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, void (*kernel)(Parameters...), int threads, size_t dynamic_bytes, unsigned int)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, dynamic_bytes);
}

/* The maximum dynamic shared memory with which as many blocks fit at once. */
template <typename Kernel>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_bytes,
                                                                    Kernel kernel, int blocks,
                                                                    int threads)
{
    cudaFuncAttributes attributes;
    cudaDeviceProp device;
    int most = 0;
    const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel);

    if (code != cudaSuccess || cudaGetDeviceProperties(&device, 0) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, threads, 0) != cudaSuccess ||
        dynamic_bytes == nullptr || blocks <= 0 || blocks > most)
        return code != cudaSuccess ? code : kg__model_take_hint(0);
    const size_t each = device.sharedMemPerMultiprocessor / static_cast<size_t>(blocks) -
                        device.reservedSharedMemPerBlock;
    *dynamic_bytes = each - attributes.sharedSizeBytes;
    if (*dynamic_bytes > static_cast<size_t>(attributes.maxDynamicSharedSizeBytes))
        *dynamic_bytes = static_cast<size_t>(attributes.maxDynamicSharedSizeBytes);
    return cudaSuccess;
}

/* Finds the block size, a multiple of a warp up to `limit` (0: none), with the most resident
 * threads; the larger of equals. `dynamic_bytes` returns the dynamic shared memory for a block
 * size. */
template <typename Kernel, typename Function>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *grid, int *threads, Kernel kernel, Function dynamic_bytes, int limit = 0, unsigned int = 0)
{
    cudaFuncAttributes attributes;
    cudaDeviceProp device;
    int most = 0;
    cudaError_t code = cudaFuncGetAttributes(&attributes, kernel);

    if (code != cudaSuccess || grid == nullptr || threads == nullptr)
        return code != cudaSuccess ? code : kg__model_take_hint(0);
    code = cudaGetDeviceProperties(&device, 0);
    *grid = *threads = 0;
    int tried = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < tried)
        tried = limit;
    for (; tried > 0 && code == cudaSuccess;
         tried = (tried - 1) / device.warpSize * device.warpSize) {
        int blocks = 0;

        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, kernel, tried, static_cast<size_t>(dynamic_bytes(tried)));
        if (blocks * tried <= most)
            continue;
        most = blocks * tried;
        *threads = tried;
        *grid = blocks * device.multiProcessorCount;
    }
    return code;
}

template <typename Kernel, typename Function>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *threads, Kernel kernel,
                                               Function dynamic_bytes, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, threads, kernel,
                                                                   dynamic_bytes, limit);
}

template <typename Kernel>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *threads, Kernel kernel,
                                            size_t dynamic_bytes = 0, int limit = 0,
                                            unsigned int = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid, threads, kernel, [=](int) { return dynamic_bytes; }, limit);
}

template <typename Kernel>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *threads, Kernel kernel,
                                                             size_t dynamic_bytes = 0,
                                                             int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, threads, kernel, dynamic_bytes, limit);
}

template <typename Symbol>
static inline cudaError_t cudaGetSymbolAddress(void **pointer, const Symbol &symbol)
{
    return kg__model_symbol_address(pointer, kg__model_symbol(symbol),
                                    kg__model_symbol_bytes(symbol));
}

template <typename Symbol>
static inline cudaError_t cudaGetSymbolSize(size_t *size, const Symbol &symbol)
{
    return size != nullptr ? (*size = sizeof symbol, cudaSuccess) : cudaErrorInvalidValue;
}

template <typename Element>
static inline cudaError_t cudaMallocAsync(Element **pointer, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync(reinterpret_cast<void **>(pointer), size, stream);
}

static inline cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(pointer, size, pool, stream);
}

template <typename Element>
static inline cudaError_t cudaMallocAsync(Element **pointer, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(pointer), size, pool, stream);
}

template <typename Element>
static inline cudaError_t cudaMallocFromPoolAsync(Element **pointer, size_t size,
                                                  cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(pointer), size, pool, stream);
}

/* The forms before CUDA 13, which name the device by its number. */
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device,
                                               cudaStream_t stream = nullptr)
{
    cudaMemLocation location = {};

    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device;
    return cudaMemPrefetchAsync(pointer, count, location, 0, stream);
}

static inline cudaError_t cudaMemAdvise(const void *pointer, size_t count, cudaMemoryAdvise advice,
                                        int)
{
    return cudaMemAdvise(pointer, count, advice, cudaMemLocation{});
}

template <typename... Parameters>
static inline cudaError_t cudaFuncSetSharedMemConfig(void (*kernel)(Parameters...),
                                                     cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig(reinterpret_cast<const void *>(kernel), config);
}

template <typename... Parameters>
static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function,
                                              void (*kernel)(Parameters...))
{
    return cudaGetFuncBySymbol(function, reinterpret_cast<const void *>(kernel));
}

/* The forms of graphs before CUDA 12, and before CUDA 13, which give edges no data. */
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphNode_t *, cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);

    if (result != nullptr)
        *result = info.result;
    return error;
}

static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *before, size_t count,
                                           cudaGraphNodeParams *params)
{
    return cudaGraphAddNode(node, graph, before, nullptr, count, params);
}

static inline cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *before, size_t count,
                                    unsigned int flags = cudaStreamAddCaptureDependencies)
{
    return cudaStreamUpdateCaptureDependencies(stream, before, nullptr, count, flags);
}

static inline cudaError_t
cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus *status,
                            unsigned long long *id = nullptr, cudaGraph_t *graph = nullptr,
                            const cudaGraphNode_t **nodes = nullptr, size_t *count = nullptr)
{
    return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *, char *, size_t)
{
    return cudaGraphInstantiate(exec, graph, 0);
}

template <typename Element>
static inline cudaError_t cudaHostAlloc(Element **pointer, size_t size, unsigned int flags)
{
    return cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}

template <typename Element>
static inline cudaError_t cudaHostGetDevicePointer(Element **pointer, void *host,
                                                   unsigned int flags)
{
    return cudaHostGetDevicePointer(reinterpret_cast<void **>(pointer), host, flags);
}

/* Programmatic dependent launch: a kernel begins after those before it in its stream have ended, so
 * that the wait is only noted. */
KG__MODEL_INLINE void cudaGridDependencySynchronize()
{
    kg__model_await_launches();
}

KG__MODEL_INLINE void cudaTriggerProgrammaticLaunchCompletion()
{
}

/* The function that the host's address of a __device__ function leads to. */
template <typename Function, Function *function>
struct kg__model_host_address;
template <typename Result, typename... Given, Result (*function)(Given...)>
struct kg__model_host_address<Result(Given...), function> {
    static __attribute__((noinline, visibility("internal"))) Result call(Given... given)
    {
        kg__model_call_by_host_address(__PRETTY_FUNCTION__, __builtin_return_address(0));
        return function(std::forward<Given>(given)...);
    }
};
