/* SPDX-License-Identifier: MIT */
/* The CPU model's runtime interface: errors, streams, launches and their limits. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/include/cublas_v2.h"
#include "model/include/curand.h"
#include "model/runtime/runtime.h"
#include "model/watch/watch.h"
#include "tests/model/model_fixture.h"

Test(model_runtime, errors_are_those_of_cuda)
{
    cr_assert_str_eq(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    cr_assert_str_eq(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered");
    cr_assert_str_eq(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    cr_assert_str_eq(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
    cr_assert(cudaErrorInvalidValue == 1 && cudaErrorMemoryAllocation == 2 &&
              cudaErrorInvalidConfiguration == 9 && cudaErrorInsufficientDriver == 35 &&
              cudaErrorNoDevice == 100 && cudaErrorInvalidDevice == 101 &&
              cudaErrorIllegalAddress == 700 && cudaErrorLaunchFailure == 719 &&
              cudaErrorNotSupported == 801 && cudaErrorUnknown == 999);
}

Test(model_runtime, last_error_is_kept_until_it_is_fetched)
{
    void *memory = NULL;

    OK(cudaPeekAtLastError());
    REFUSED(cudaMalloc(NULL, 4));
    OK(cudaMalloc(&memory, 4));
    cr_assert(cudaPeekAtLastError() == cudaErrorInvalidValue, "a success does not clear it");
    REFUSED(cudaPeekAtLastError());
    REFUSED(cudaGetLastError());
    OK(cudaGetLastError());
}

Test(model_runtime, one_device_with_its_limits)
{
    struct cudaDeviceProp is;
    int value = -1;
    static const int known[][2] = { { cudaDevAttrMaxThreadsPerBlock, 1024 },
                                    { cudaDevAttrMaxGridDimY, 65535 },
                                    { cudaDevAttrWarpSize, 32 },
                                    { cudaDevAttrMultiProcessorCount, 132 },
                                    { cudaDevAttrComputeCapabilityMajor, 9 },
                                    { cudaDevAttrComputeMode, cudaComputeModeDefault },
                                    { cudaDevAttrClockRate, 1000000 },
                                    { cudaDevAttrCooperativeLaunch, 1 },
                                    { cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448 } };

    cr_assert(cudaGetDeviceCount(&value) == cudaSuccess && value == 1);
    cr_assert(cudaGetDevice(&value) == cudaSuccess && value == 0);
    OK(cudaSetDevice(0));
    cr_assert(cudaSetDevice(1) == cudaErrorInvalidDevice);
    cr_assert(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    cr_assert(cudaDriverGetVersion(&value) == cudaSuccess && value == 13000);
    cr_assert(cudaRuntimeGetVersion(&value) == cudaSuccess && value == 13000);
    REFUSED(cudaGetDeviceCount(NULL));
    OK(cudaGetDeviceProperties(&is, 0));
    cr_assert_str_eq(is.name, "CPU model");
    cr_assert(is.maxThreadsDim[2] == 64 && is.totalGlobalMem > (64u << 20));
    cr_assert(cudaGetDeviceProperties(&is, 1) == cudaErrorInvalidDevice);
    REFUSED(cudaGetDeviceProperties(NULL, 0));
    for (size_t i = 0; i < LENGTH(known); i++) {
        OK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)known[i][0], 0));
        cr_assert(value == known[i][1], "attribute %d is %d", known[i][0], value);
    }
    REFUSED(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0));
    REFUSED(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    cr_assert(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 2) == cudaErrorInvalidDevice);
}

Test(model_runtime, streams_and_events)
{
    cudaStream_t stream = NULL;
    cudaStream_t second = NULL;
    cudaEvent_t event = NULL;
    cudaEvent_t later = NULL;
    float milliseconds = 0.0f;
    int stray = 0;

    REFUSED(cudaStreamCreate(NULL));
    REFUSED(cudaStreamCreateWithFlags(&stream, 8));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaStreamSynchronize(stream));
    cr_assert(cudaStreamQuery(second) == cudaSuccess && cudaStreamQuery(NULL) == cudaSuccess);
    cr_assert(cudaStreamSynchronize((cudaStream_t)&stray) == cudaErrorInvalidResourceHandle);
    OK(cudaEventCreate(&event));
    OK(cudaEventCreateWithFlags(&later, cudaEventDisableTiming));
    REFUSED(cudaEventCreateWithFlags(&later, 64));
    REFUSED(cudaEventCreate(NULL));
    OK(cudaEventRecord(event, stream));
    OK(cudaEventRecord(later, NULL));
    cr_assert(cudaEventRecord((cudaEvent_t)&stray, NULL) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventRecord(event, (cudaStream_t)&stray) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventSynchronize(event) == cudaSuccess && cudaEventQuery(later) == cudaSuccess);
    cr_assert(cudaEventQuery((cudaEvent_t)&stray) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventElapsedTime(&milliseconds, event, later) == cudaErrorNotSupported);
    REFUSED(cudaEventElapsedTime(NULL, event, later));
    cr_assert(cudaEventElapsedTime(&milliseconds, event, NULL) == cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(event));
    cr_assert(cudaEventDestroy(event) == cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(stream));
    cr_assert(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaStreamDestroy(NULL) == cudaErrorInvalidResourceHandle);
    OK(cudaDeviceReset());
    cr_assert(cudaStreamQuery(second) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventQuery(later) == cudaErrorInvalidResourceHandle);
}

Test(model_runtime, launch_limits)
{
    unsigned long long *count = device(sizeof *count, 0);
    const struct {
        dim3 grid, block;
        bool accepted;
    } launches[] = {
        { { 1, 1, 1 }, { 1, 1, 1 }, true },     { { 0, 1, 1 }, { 1, 1, 1 }, false },
        { { 1, 0, 1 }, { 1, 1, 1 }, false },    { { 1, 1, 0 }, { 1, 1, 1 }, false },
        { { 1, 1, 1 }, { 0, 1, 1 }, false },    { { 1, 1, 1 }, { 1, 0, 1 }, false },
        { { 1, 1, 1 }, { 1, 1, 0 }, false },    { { 2147483648u, 1, 1 }, { 1, 1, 1 }, false },
        { { 1, 65535, 1 }, { 1, 1, 1 }, true }, { { 1, 65536, 1 }, { 1, 1, 1 }, false },
        { { 1, 1, 65535 }, { 1, 1, 1 }, true }, { { 1, 1, 65536 }, { 1, 1, 1 }, false },
        { { 1, 1, 1 }, { 1024, 1, 1 }, true },  { { 1, 1, 1 }, { 1025, 1, 1 }, false },
        { { 1, 1, 1 }, { 1, 1024, 1 }, true },  { { 1, 1, 1 }, { 1, 1025, 1 }, false },
        { { 1, 1, 1 }, { 1, 1, 64 }, true },    { { 1, 1, 1 }, { 1, 1, 65 }, false },
        { { 1, 1, 1 }, { 32, 32, 1 }, true },   { { 1, 1, 1 }, { 32, 33, 1 }, false },
        { { 1, 1, 1 }, { 4, 4, 64 }, true },    { { 1, 1, 1 }, { 5, 4, 64 }, false },
        { { 70000, 3, 1 }, { 2, 1, 1 }, true }, { { 5000000, 1, 1 }, { 1, 1, 1 }, true }
    };
    unsigned long long expected = 0;

    for (size_t i = 0; i < LENGTH(launches); i++) {
        const dim3 grid = launches[i].grid;
        const dim3 block = launches[i].block;
        const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
        const uint64_t threads = blocks * block.x * block.y * block.z;
        const cudaError_t wanted = launches[i].accepted ? cudaSuccess : cudaErrorInvalidValue;
        cudaLaunchConfig_t config = shape(grid, block);
        cudaError_t error = launch_count(&config, count);

        cr_assert(error == wanted, "launch %zu returned %s", i, cudaGetErrorName(error));
        cr_assert(cudaGetLastError() == error);
        cr_assert(launches[i].accepted == (kg__model_failure()[0] == '\0'), "launch %zu: %s", i,
                  kg__model_failure());
        expected += launches[i].accepted ? threads : 0;
        cr_assert(*count == expected, "launch %zu: %llu threads ran, not %llu", i, *count,
                  expected);
        if (launches[i].accepted)
            cr_assert(kg__model_last_launch().blocks == blocks &&
                      kg__model_last_launch().threads == threads &&
                      kg__model_last_launch().barriers == 0);
    }
}

Test(model_runtime, bad_launches)
{
    unsigned long long *count = device(sizeof *count, 0);
    cudaLaunchConfig_t config = *line(1, 1);
    cudaLaunchAttribute attributes[2] = { { .id = cudaLaunchAttributePriority },
                                          { .id = cudaLaunchAttributeCooperative } };
    cudaStream_t stream = NULL;

    REFUSED(launch_count(NULL, count));
    cr_assert(launch_null_kernel(&config) == cudaErrorInvalidDeviceFunction);
    config.stream = (cudaStream_t)count;
    cr_assert(launch_count(&config, count) == cudaErrorInvalidResourceHandle);
    OK(cudaStreamCreate(&stream));
    config.stream = stream;
    config.numAttrs = 2;
    REFUSED(launch_count(&config, count));
    config.attrs = attributes;
    cr_assert(*count == 0);
    OK(launch_count(&config, count));
    attributes[1].val.cooperative = 1;
    OK(launch_count(&config, count));
    attributes[1].id = cudaLaunchAttributePreferredClusterDimension;
    OK(launch_count(&config, count));
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    OK(launch_count(&config, count));
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    OK(launch_count(&config, count));
    attributes[1].id = cudaLaunchAttributeAccessPolicyWindow;
    OK(launch_count(&config, count));
    attributes[1].id = cudaLaunchAttributeProgrammaticEvent;
    cr_assert(launch_count(&config, count) == cudaErrorNotSupported);
    cr_assert(*count == 6);
    cr_assert(cudaGetLastError() == cudaErrorNotSupported);
    cr_assert(cudaDeviceSynchronize() == cudaSuccess, "none of these is a kernel's own error");
}

/* g++ would take the floats for untouched, and nvcc does not. */
Test(model_runtime, memory_may_be_seen_as_another_type)
{
    float *from = device(8 * sizeof *from, 0);
    float *sum = device(sizeof *sum, 0);

    for (int i = 0; i < 8; i++)
        from[i] = (float)(1 << i);
    OK(launch_sum_vectors(line(1, 1), from, sum));
    cr_assert_float_eq(*sum, 255, 0);
}

Test(model_runtime, constants)
{
    const float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    float back[8] = { 0 };
    float *out = device(sizeof back, 0);
    float *source = device(sizeof back, 0);

    OK(set_constants(values, sizeof values, 0, cudaMemcpyHostToDevice));
    OK(set_constants(values, 8, 24, cudaMemcpyHostToDevice));
    OK(launch_read_constants(line(1, 8), out));
    OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        cr_assert((int)back[i] == (i < 6 ? i + 1 : i - 5));
    source[0] = 9.0f;
    OK(set_constants(source, 4, 4, cudaMemcpyDeviceToDevice));
    OK(get_constants(back, 8, 4));
    cr_assert((int)back[0] == 9 && (int)back[1] == 3);
    OK(set_constants(values, 0, 32, cudaMemcpyDefault));
    REFUSED(set_constants(values, 1, 32, cudaMemcpyDefault));
    REFUSED(set_constants(values, 33, 0, cudaMemcpyHostToDevice));
    REFUSED(set_constants(values, 4, SIZE_MAX, cudaMemcpyHostToDevice));
    REFUSED(set_constants(NULL, 4, 0, cudaMemcpyHostToDevice));
    cr_assert(set_constants(values, 4, 0, cudaMemcpyDeviceToHost) ==
              cudaErrorInvalidMemcpyDirection);
    REFUSED(set_constants(values, 4, 0, cudaMemcpyDeviceToDevice));
    REFUSED(get_constants(back, 33, 0));
}

Test(model_runtime, constants_on_a_stream)
{
    const float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const cudaStream_t unknown = (cudaStream_t)0x7;
    float back[8] = { 0 };
    float *out = device(sizeof back, 0);
    cudaStream_t stream = NULL;

    OK(cudaStreamCreate(&stream));
    OK(set_constants(values, sizeof values, 0, cudaMemcpyHostToDevice));
    OK(get_constants_on(out, 12, 20, cudaMemcpyDeviceToDevice, stream));
    cr_assert((int)out[0] == 6 && (int)out[2] == 8 && (int)out[3] == 0);
    OK(get_constants_on(back, 8, 4, cudaMemcpyDeviceToHost, stream));
    cr_assert((int)back[0] == 2 && (int)back[1] == 3 && (int)back[2] == 0);
    OK(get_constants_on(out, 4, 0, cudaMemcpyDefault, stream));
    cr_assert((int)out[0] == 1);
    REFUSED(get_constants_on(back, 8, 28, cudaMemcpyDeviceToHost, stream));
    REFUSED(get_constants_on(back, 4, 0, cudaMemcpyDeviceToDevice, stream));
    REFUSED(get_constants_on(out, 4, 0, cudaMemcpyDeviceToHost, stream));
    REFUSED(get_constants_on(NULL, 4, 0, cudaMemcpyDeviceToHost, stream));
    cr_assert(get_constants_on(out, 4, 0, cudaMemcpyHostToDevice, stream) ==
              cudaErrorInvalidMemcpyDirection);
    cr_assert(get_constants_on(back, 4, 0, cudaMemcpyDeviceToHost, unknown) ==
              cudaErrorInvalidResourceHandle);
}

/* This program's kernels are not instrumented: nothing of what they do is seen, and it costs
 * nothing. */
Test(model_runtime, watching_a_plain_program_sees_nothing)
{
    unsigned long long *count = device(sizeof *count, 0);
    const kg__model_report *report;

    cr_assert(!kg__model_is_instrumented());
    kg__model_watch(KG__MODEL_COUNT | KG__MODEL_CHECK, 0);
    kg__model_describe(count, sizeof *count, "count", true);
    kg__model_forget(count, sizeof *count);
    OK(launch_count(line(3, 64), count));
    report = kg__model_seen();
    cr_assert(report->accesses == 0 && report->blocks == 0 && report->watched == 0);
    cr_assert(report->finding_count == 0 && report->line_count == 0);
    for (int i = 0; i < KG__COUNTERS; i++)
        cr_assert(report->counts.value[i] == 0);
}

/* What launches came to that were only planned. */
typedef struct plan {
    int kernels;
    unsigned long long blocks;
    size_t dynamic_bytes;
    char symbol[64];
} plan;

static void note_launch(void *context, const kg__model_kernel *kernel,
                        const cudaLaunchConfig_t *config)
{
    plan *noted = context;

    noted->kernels++;
    noted->blocks += (unsigned long long)config->gridDim.x * config->gridDim.y * config->gridDim.z;
    noted->dynamic_bytes = config->dynamicSmemBytes;
    snprintf(noted->symbol, sizeof noted->symbol, "%s", kernel->symbol);
}

Test(model_runtime, launches_that_are_planned_run_no_thread)
{
    cudaLaunchConfig_t config = shape((dim3){ 3, 4, 5 }, (dim3){ 32, 1, 1 });
    unsigned long long *threads = device(sizeof *threads, 0);
    plan noted = { 0 };

    config.dynamicSmemBytes = 128;
    kg__model_plan(note_launch, &noted);
    OK(launch_count(&config, threads));
    OK(launch_count(&config, threads));
    cr_assert(launch_count(line(0, 32), threads) == cudaErrorInvalidValue);
    kg__model_plan(NULL, NULL);
    cr_assert(noted.kernels == 2 && noted.blocks == 120 && noted.dynamic_bytes == 128);
    cr_assert(strstr(noted.symbol, "count") != NULL, "%s", noted.symbol);
    cr_assert(*threads == 0);
    OK(launch_count(&config, threads));
    cr_assert(*threads == 60 * 32 && noted.kernels == 2);
}

/* Memory of any size can be had where nothing is done with it, and copies leave it alone. */
Test(model_runtime, memory_that_is_planned_holds_nothing)
{
    int *before = device(sizeof *before, 0);
    size_t left;
    size_t total;
    void *large = NULL;
    plan noted = { 0 };

    OK(cudaMemGetInfo(&left, &total));
    kg__model_plan(note_launch, &noted);
    OK(cudaMemset(before, 1, sizeof *before));
    cr_assert(*before == 0);
    OK(cudaMalloc(&large, total + ((size_t)1 << 30)));
    OK(cudaMemcpy(before, large, sizeof *before, cudaMemcpyDeviceToDevice));
    cr_assert(cudaMemcpy(before, large, sizeof *before, cudaMemcpyHostToDevice) != cudaSuccess);
    cr_assert(*before == 0 && cudaFree(large) == cudaSuccess);
    kg__model_plan(NULL, NULL);
    cr_assert(cudaMemset(before, 1, sizeof *before) == cudaSuccess && *before == 0x01010101);
}

/* Reads a file from its start as text. Returns its lines. */
static size_t content_of(FILE *file, char *text, size_t size)
{
    size_t lines = 0;

    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    return lines;
}

/* Prints in a process of its own, so that its end is seen too. */
static void print_in_child(int times, FILE *out, FILE *err)
{
    pid_t child = fork();
    int status;

    cr_assert(child >= 0);
    if (child == 0) {
        int *arguments = device(sizeof *arguments, 0);
        bool right;

        right = dup2(fileno(out), STDOUT_FILENO) == STDOUT_FILENO &&
                dup2(fileno(err), STDERR_FILENO) == STDERR_FILENO &&
                launch_print_often(line(1, 1), arguments, times) == cudaSuccess &&
                *arguments == 2 * times && cudaFree(arguments) == cudaSuccess;
        exit(right ? 0 : 1);
    }
    cr_assert(waitpid(child, &status, 0) == child);
    cr_expect(status == 0, "%d calls: status %#x", times, (unsigned int)status);
}

Test(model_runtime, kernels_show_the_first_of_what_they_print)
{
    static const struct {
        int times;
        bool all_shown;
    } rows[] = { { 10, true }, { 100000, false } };
    static char text[1 << 20];

    for (size_t i = 0; i < LENGTH(rows); i++) {
        FILE *out = tmpfile();
        FILE *err = tmpfile();
        char told[64];
        size_t shown;

        cr_assert(out != NULL && err != NULL);
        print_in_child(rows[i].times, out, err);
        shown = content_of(out, text, sizeof text);
        cr_expect(rows[i].all_shown ? shown == 10 : strlen(text) < 70000 && strlen(text) > 65500,
                  "%zu lines", shown);
        content_of(err, text, sizeof text);
        snprintf(told, sizeof told, " %zu calls are not shown", (size_t)rows[i].times - shown);
        cr_expect((strstr(text, told) == NULL) == rows[i].all_shown, "%s", text);
        fclose(out);
        fclose(err);
    }
}

#define REFUSED_OF_CURAND(call, ...)                                                               \
    cr_expect(call(__VA_ARGS__) == CURAND_STATUS_NOT_INITIALIZED);                                 \
    cr_expect(strstr(kg__model_failure(), " " #call "(), of cuRAND") != NULL)

/* Here they are only declared; programs link them. */
Test(model_runtime, calls_of_libraries_are_refused, .init = cr_redirect_stderr)
{
    curandGenerator_t generator = NULL;
    cublasHandle_t handle = NULL;
    int version = 0;

    REFUSED_OF_CURAND(curandCreateGenerator, &generator, CURAND_RNG_PSEUDO_DEFAULT);
    REFUSED_OF_CURAND(curandSetStream, generator, NULL);
    REFUSED_OF_CURAND(curandGenerateUniform, generator, NULL, 1);
    REFUSED_OF_CURAND(curandGeneratePoisson, generator, NULL, 1, 1);
    REFUSED_OF_CURAND(curandDestroyGenerator, generator);
    cr_expect(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS && handle != NULL);
    cr_expect(cublasGetVersion(handle, &version) == CUBLAS_STATUS_SUCCESS && version > 0);
    cr_expect(kg__model_refuse_storage(3, 7) == cudaErrorInvalidValue);
    cr_expect(strstr(complaints(), " has 3 bytes of temporary storage, and needs 7: ") != NULL);
}
