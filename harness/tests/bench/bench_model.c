/* How fast the CPU model runs, counts and checks: one launch of matmul_f32 on 530 x 530 matrices in
 * blocks of 16 x 16. Built twice: bench_model.plain with plain kernels and bench_model.instrumented
 * with instrumented ones; tools/dev/bench-model runs both and makes a table.
 *
 * usage: bench_model.* VARIANT MODE
 *   VARIANT  naive or tiled
 *   MODE     plain (bench_model.plain), count or count-and-check (bench_model.instrumented)
 *
 * Prints one line: seconds, accesses of single lanes, the process's peak memory in KiB. Seconds are
 * those of the launch and of the report on it. Exit: 0, 1 when the product is wrong or something
 * was found in it, 2 when it could not be run. */
#include <kernelgate/kernelgate.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/message.h"
#include "model/watch/watch.h"
#include "records/finding_text.h"

#define EDGE 530

kg_launcher matmul_f32_naive, matmul_f32_tiled;

static const struct variant {
    const char *name;
    kg_launcher *launch;
} variants[] = { { "naive", matmul_f32_naive }, { "tiled", matmul_f32_tiled } };

static const struct mode {
    const char *name;
    unsigned int watched;
} modes[] = { { "plain", 0 },
              { "count", KG__MODEL_COUNT },
              { "count-and-check", KG__MODEL_COUNT | KG__MODEL_CHECK } };

/* Whole numbers from -8 to 8: their products' sums are exact in single precision. */
static float element(int matrix, size_t i)
{
    return (float)((i * 37 + (size_t)matrix * 5) % 17) - 8.0f;
}

static _Noreturn void fail(const char *what)
{
    kg__complain("bench_model: %s", what);
    exit(2);
}

/* The matrix's device memory, filled where it is an input. */
static float *make_matrix(int matrix, const char *name, bool is_input)
{
    const size_t count = (size_t)EDGE * EDGE;
    float *host = kg__allocate(count, sizeof *host);
    void *device = NULL;

    for (size_t i = 0; i < count; i++)
        host[i] = element(matrix, i);
    if (cudaMalloc(&device, count * sizeof *host) != cudaSuccess)
        fail("no memory for a matrix");
    kg__model_describe(device, count * sizeof *host, name, is_input);
    if (is_input &&
        cudaMemcpy(device, host, count * sizeof *host, cudaMemcpyHostToDevice) != cudaSuccess)
        fail("a matrix cannot be uploaded");
    free(host);
    return device;
}

/* Whether the first row and the last column of the product are right: they take in every element of
 * both inputs' blocks at the edges. */
static bool is_right(const float *product)
{
    for (size_t i = 0; i < 2 * (size_t)EDGE; i++) {
        size_t row = i < EDGE ? 0 : i - EDGE;
        size_t column = i < EDGE ? i : EDGE - 1;
        float sum = 0.0f;

        for (size_t k = 0; k < EDGE; k++)
            sum += element(0, row * EDGE + k) * element(1, k * EDGE + column);
        if (!(product[row * EDGE + column] == sum)) {
            kg__complain("bench_model: c[row %zu, column %zu] is %g, not %g", row, column,
                         (double)product[row * EDGE + column], (double)sum);
            return false;
        }
    }
    return true;
}

/* The most memory that this process has held, in KiB. (ru_maxrss also knows what the process was
 * before its exec.) */
static long peak_memory(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long peak = -1;

    if (status == NULL)
        return -1;
    while (peak < 0 && fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtol(line + 6, NULL, 10);
    }
    fclose(status);
    return peak;
}

static int measure(const struct variant *variant, const struct mode *mode)
{
    const size_t bytes = (size_t)EDGE * EDGE * sizeof(float);
    const kg_size size = KG_CHECKED(EDGE);
    float *product = kg__allocate(1, bytes);
    void *matrices[3];
    const kg__model_report *report;
    cudaError_t error;
    double begun;
    double seconds;
    bool right;

    kg__model_watch(mode->watched, KG__MODEL_BUDGET);
    matrices[0] = make_matrix(0, "a", true);
    matrices[1] = make_matrix(1, "b", true);
    matrices[2] = make_matrix(2, "c", false);
    begun = kg__now();
    error =
        variant->launch(&(kg_call){ .size = &size, .launch = KG_LAUNCH(16), .argument = matrices });
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    report = kg__model_seen();
    seconds = kg__now() - begun;
    if (error == cudaSuccess)
        error = cudaMemcpy(product, matrices[2], bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        kg__complain("bench_model: %s, %s: %s", variant->name, mode->name,
                     cudaGetErrorString(error));
        free(product);
        return 2;
    }
    right = is_right(product);
    free(product);
    if (report->finding_count > 0) {
        char text[KG__MESSAGE_SIZE];

        kg__finding_line(&report->findings[0], text, sizeof text);
        kg__complain("bench_model: %s", text);
        right = false;
    }
    printf("%.3f %" PRIu64 " %ld\n", seconds, report->accesses, peak_memory());
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct variant *variant = NULL;
    const struct mode *mode = NULL;

    for (size_t i = 0; argc == 3 && i < sizeof variants / sizeof variants[0]; i++) {
        if (strcmp(variants[i].name, argv[1]) == 0)
            variant = &variants[i];
    }
    for (size_t i = 0; argc == 3 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i].name, argv[2]) == 0)
            mode = &modes[i];
    }
    if (variant == NULL || mode == NULL) {
        kg__complain("usage: bench_model.{plain,instrumented} naive|tiled "
                     "plain|count|count-and-check");
        return 2;
    }
    if (kg__model_is_instrumented() != (mode->watched != 0)) {
        kg__complain("bench_model: mode %s needs %s", mode->name,
                     mode->watched != 0 ? "bench_model.instrumented" : "bench_model.plain");
        return 2;
    }
    return measure(variant, mode);
}
