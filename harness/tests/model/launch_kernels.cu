// Launches by <<<>>>, as people write them.
#include "tests/model/ptx_kernels.h"
#include "tests/model/watch_start.h"

namespace outer
{
namespace inner
{
template <typename Value, int Step>
static __global__ void __launch_bounds__(1024) add(Value *to, const Value *from, Value by, int n)
{
    int i = index_in_grid();

    if (i < n)
        to[i] = from[i] + by * Step;
}
} // namespace inner
} // namespace outer

template <typename... Value>
struct types {
};

template <template <typename...> class List, typename To, typename... From>
static __global__ auto sum_up(List<From...>, To *to, const From *...from) -> void
{
    int i = index_in_grid();

    to[i] = (To(0) + ... + To(from[i]));
}

static __global__ void no_guard(float *to, const float *from)
{
    int i = index_in_grid();

    to[i] = from[i];
}

static __global__ void in_dynamic(float *to, int n)
{
    extern __shared__ float staged[];

    staged[threadIdx.x] = (float)n;
    to[threadIdx.x] += staged[threadIdx.x];
}

typedef void copier(float *, const float *);

static void start_given(copier *kernel, watch_data d, cudaStream_t stream)
{
    kernel<<<1, 32, 0, stream>>>(d.b, d.a);
}

cudaError_t start_by_marks(watch_data d, cudaStream_t stream)
{
    copier *const copiers[] = { no_guard };
    dim3 grid((unsigned)(d.n + 31) / 32);

    switch (d.k) {
    case 0: // Two to four arguments, on one line and on several.
        outer::inner::add<float, 2><<<grid, dim3(32), 0, stream>>>(d.b, d.a, 1.0f, d.n);
        outer::inner::add<float, 1><<<(unsigned)(d.n + 31) / 32, (64 >> 1)>>>(d.b, d.b, 0.5f, d.n);
        in_dynamic<<<1, 32, 32 * sizeof(float)>>>(d.b, 3);
        break;
    case 1: // Template arguments that are told by the arguments.
        sum_up<<<1, 32, 0, stream>>>(types<float, float, int>(), d.b, d.a, d.a, d.numbers);
        break;
    case 2: // A pointer to a kernel, an element of an array.
        if (d.n > 0)
            start_given(no_guard, d, stream);
        else
            copiers[0]<<<1, 32>>>(d.b, d.a);
        break;
    case 3: // Too many threads.
        no_guard<<<1, 2048, 0, stream>>>(d.b, d.a);
        break;
    case 4: // Too many blocks for what has no guard.
        no_guard<<<grid.x + 1, 32, 0, stream>>>(d.b, d.a);
        break;
    default: // Without the shared memory that it takes.
        in_dynamic<<<1, 32, 0, stream>>>(d.b, 3);
        break;
    }
    return cudaGetLastError();
}

// SPDX-License-Identifier: MIT
