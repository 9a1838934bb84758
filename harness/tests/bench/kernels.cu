// Kernels of different kinds for tools/dev/bench-model, which builds them by `kernelgate nvcc`.
//
// usage: PROGRAM KIND SCALE, where SCALE multiplies the work
//
// Prints the seconds of the launches, their seconds on processors, and a sum of the results, which
// is the same in every flavor.
#include <cuda/barrier>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#define TILE 16

__global__ void naive(const float *a, const float *b, float *c, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    if (row >= n || column >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// n is a multiple of TILE.
__global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int column = blockIdx.x * TILE + threadIdx.x;
    const int row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void histogram(const unsigned int *in, unsigned int *out, int n)
{
    __shared__ unsigned int part[256];

    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[in[i] % 256], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], part[threadIdx.x]);
}

__global__ void stencil(const float *in, float *out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                  in[(y + 1) * n + x]) -
                         in[y * n + x];
}

__global__ void bytes(const unsigned char *in, unsigned char *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;

    if (i >= n)
        return;
    for (int at = i - 4; at <= i + 4; at++)
        sum += in[at < 0 ? 0 : at >= n ? n - 1 : at];
    out[i] = (unsigned char)(sum / 9);
}

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

using barrier = cuda::barrier<cuda::thread_scope_block>;

// The first warp fills a ring of two stages; every other thread sums all values of each stage.
__global__ void stages(const float *in, float *out, int steps)
{
    __shared__ float ring[2][1024];
    __shared__ barrier full[2], empty[2];
    float sum = 0;

    for (int i = 0; threadIdx.x == 0 && i < 2; i++) {
        init(&full[i], blockDim.x);
        init(&empty[i], blockDim.x);
    }
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        float *stage = ring[i % 2];

        if (threadIdx.x < 32) {
            if (i >= 2)
                empty[i % 2].arrive_and_wait();
            for (int k = threadIdx.x; k < 1024; k += 32)
                stage[k] = in[k];
            (void)full[i % 2].arrive();
        } else {
            full[i % 2].arrive_and_wait();
            for (int k = 0; k < 1024; k++)
                sum += stage[k ^ threadIdx.x];
            (void)empty[i % 2].arrive();
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <typename Value>
static Value *make(size_t count)
{
    std::vector<Value> host(count);
    unsigned int random = 1;
    Value *device;

    for (auto &value : host) {
        random = random * 1664525u + 1013904223u;
        value = (Value)(random >> 20);
    }
    if (cudaMalloc(&device, count * sizeof(Value)) != cudaSuccess)
        std::exit(2);
    cudaMemcpy(device, host.data(), count * sizeof(Value), cudaMemcpyHostToDevice);
    return device;
}

static double begun, begun_on_processors;

static double seconds_by(clockid_t clock)
{
    timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin()
{
    begun = seconds_by(CLOCK_MONOTONIC);
    begun_on_processors = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
}

template <typename Value>
static void end(const Value *result, size_t count)
{
    std::vector<Value> host(count);
    const bool good = cudaDeviceSynchronize() == cudaSuccess;
    const double seconds = seconds_by(CLOCK_MONOTONIC) - begun;
    const double on_processors = seconds_by(CLOCK_PROCESS_CPUTIME_ID) - begun_on_processors;
    double sum = 0;

    cudaMemcpy(host.data(), result, count * sizeof(Value), cudaMemcpyDeviceToHost);
    for (auto value : host)
        sum += value;
    std::printf("%.6f %.6f %.17g\n", seconds, on_processors, sum);
    std::exit(good ? 0 : 2);
}

static void multiply(bool in_tiles, double scale)
{
    const int edge = (int)(20 * scale) + 1;
    const int n = TILE * edge;
    const float *a = make<float>((size_t)n * n), *b = make<float>((size_t)n * n);
    float *c = make<float>((size_t)n * n);
    const dim3 grid(edge, edge), block(TILE, TILE);

    begin();
    if (in_tiles)
        tiled<<<grid, block>>>(a, b, c, n);
    else
        naive<<<grid, block>>>(a, b, c, n);
    end(c, (size_t)n * n);
}

int main(int argc, char **argv)
{
    const char *const kind = argc == 3 ? argv[1] : "";
    const double scale = argc == 3 ? std::atof(argv[2]) : 0;

    if (std::strcmp(kind, "naive") == 0 || std::strcmp(kind, "tiled") == 0) {
        multiply(*kind == 't', scale);
    } else if (std::strcmp(kind, "histogram") == 0) {
        const int n = (int)(8e6 * scale);
        const unsigned int *in = make<unsigned int>(n);
        unsigned int *out = make<unsigned int>(256);

        begin();
        histogram<<<120, 256>>>(in, out, n);
        end(out, 256);
    } else if (std::strcmp(kind, "stencil") == 0) {
        const int n = 1000;
        float *in = make<float>(n * n), *out = make<float>(n * n);

        begin();
        for (int i = 0; i < 10 * scale; i++, std::swap(in, out))
            stencil<<<dim3(32, 125), dim3(32, 8)>>>(in, out, n);
        end(in, n * n);
    } else if (std::strcmp(kind, "bytes") == 0) {
        const int n = (int)(4e6 * scale);
        const unsigned char *in = make<unsigned char>(n);
        unsigned char *out = make<unsigned char>(n);

        begin();
        bytes<<<(n + 255) / 256, 256>>>(in, out, n);
        end(out, n);
    } else if (std::strcmp(kind, "stages") == 0) {
        const int blocks = 8;
        const float *in = make<float>(1024);
        float *out = make<float>(blocks * 256);

        begin();
        stages<<<blocks, 256>>>(in, out, (int)(40 * scale));
        end(out, blocks * 256);
    } else if (std::strcmp(kind, "saxpy") == 0 || std::strcmp(kind, "launches") == 0) {
        const int n = *kind == 's' ? 4000000 : 2000;
        const int times = (int)((*kind == 's' ? 4 : 5000) * scale);
        const float *x = make<float>(n);
        float *y = make<float>(n);

        begin();
        for (int i = 0; i < times; i++)
            saxpy<<<(n + 127) / 128, 128>>>(0.001f, x, y, n);
        end(y, n);
    }
    return 2;
}

// SPDX-License-Identifier: MIT
