/* SPDX-License-Identifier: MIT */
#include "tests/model/defect_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "observer/compare.h"
#include "tests/fakes/drive.h"
#include "tests/model/finding_texts.h"

#define GUARD ((size_t)64 << 10) /* bytes before and after each buffer: an overrun hits nothing */

/* Numbers per n, of a transposition per n * n, or `output_count` outputs for any n. */
static const struct {
    size_t inputs, outputs, output_count;
    bool adds; /* its output is 0 before the launch, and added to; otherwise it is poisoned */
} sizes_of[] = { [SUM_ROWS] = { 7, 1, 0, false },
                 [MULTIPLY] = { 1, 8, 0, false },
                 [TOTAL] = { 1, 0, 1, false },
                 [ADD_UP] = { 1, 0, 1, true },
                 [COUNT_VALUES] = { 1, 0, DEFECT_BINS, true } };

/* Output i, of inputs that are whole numbers, so that every sum of them is exact. */
static double expected_of(const defect *row, size_t n, size_t block, const float *in, size_t i)
{
    size_t begin = i / block * block;
    size_t end = begin + block < n ? begin + block : n;
    const size_t repeat = i / n;
    double sum = 0;

    switch (row->job) {
    case DOUBLE:
        return 2.0 * in[i];
    case SWAP:
        return (i ^ 1) < n ? in[i ^ 1] : 0;
    case REVERSE:
        return in[end - 1 - (i - begin)];
    case BACKWARD_DIFFERENCE:
        return in[i] - (i > 0 ? in[i - 1] : 0.0);
    case FORWARD_DIFFERENCE:
        return (i + 1 < n ? in[i + 1] : 0.0) - in[i];
    case WEIGH_IN_TURN:
        return in[i] * (double)(i % 3 + 1);
    case TRANSPOSE:
        return in[i % n * n + i / n];
    case MULTIPLY:
        return (double)repeat * in[i % n];
    case SUM_WINDOWS:
        for (size_t k = i; k < n && k < i + 4; k++)
            sum += in[k];
        return sum;
    case SUM_ROWS:
        for (size_t k = 0; k < 7; k++)
            sum += in[i * 7 + k];
        return sum;
    case WEIGH_ALL:
        for (size_t k = 0; k < n; k++)
            sum += in[k] * (double)((i + k) % 3);
        return sum;
    case COUNT_VALUES:
        for (size_t k = 0; k < n; k++)
            sum += (int)in[k] + DEFECT_GREATEST == (int)i;
        return sum;
    default:
        for (size_t k = 0; k < n; k++)
            sum += in[k];
        return sum;
    }
}

/* Device memory with guards on both sides, which the model knows as `name`. */
static float *make_buffer(const char *name, size_t bytes, bool read_only)
{
    unsigned char *allocation = NULL;

    cr_assert(cudaMalloc((void **)&allocation, bytes + 2 * GUARD) == cudaSuccess);
    kg__model_describe(allocation + GUARD, bytes, name, read_only);
    return (float *)(void *)(allocation + GUARD);
}

static void compare(run *done, const defect *row, size_t n, size_t block, const float *in,
                    const float *out, size_t count, unsigned char poison)
{
    double *expected = kg__pool_array(test_pool(), count, sizeof *expected);
    double *tolerance = kg__pool_array(test_pool(), count, sizeof *tolerance);
    float *computed = kg__pool_array(test_pool(), count, sizeof *computed);

    for (size_t i = 0; i < count; i++)
        expected[i] = expected_of(row, n, block, in, i);
    if (cudaMemcpy(computed, out, count * sizeof *computed, cudaMemcpyDeviceToHost) == cudaSuccess)
        done->right = kg__compare(KG_FLOAT32, computed, expected, tolerance, count, poison,
                                  &done->mismatch, &done->unwritten);
}

run launch_with(const defect *row, int n, int block, bool defective, unsigned int watched)
{
    const size_t extent = (size_t)n;
    const bool adds = sizes_of[row->job].adds;
    const size_t square = row->job == TRANSPOSE ? extent : 1;
    const size_t per_input = sizes_of[row->job].inputs > 0 ? sizes_of[row->job].inputs : 1;
    size_t outputs = sizes_of[row->job].output_count + extent * sizes_of[row->job].outputs;
    const size_t inputs = extent * per_input * square;
    const unsigned char poison = adds ? 0 : kg__poison(0);
    float *host = kg__pool_array(test_pool(), inputs, sizeof *host);
    run done = { .error = cudaSuccess };
    defect_call call = { .n = n, .block = block, .defective = defective, .host = host };

    if (outputs == 0)
        outputs = extent * square;
    for (size_t i = 0; i < inputs; i++)
        host[i] = (float)((int)((i * 37 + 11) % DEFECT_BINS) - DEFECT_GREATEST);
    kg__model_watch(watched, 0);
    call.in = make_buffer("in", inputs * sizeof(float), true);
    call.out = make_buffer("out", outputs * sizeof(float), false);
    call.scratch = make_buffer("scratch", extent * sizeof(float), false);
    call.ticket = (unsigned int *)(void *)make_buffer("ticket", sizeof *call.ticket, false);
    cr_assert(cudaMemcpy((void *)call.in, host, inputs * sizeof *host, cudaMemcpyHostToDevice) ==
              cudaSuccess);
    cr_assert(cudaMemset(call.out, poison, outputs * sizeof(float)) == cudaSuccess);
    cr_assert(cudaMemset(call.ticket, 0, sizeof *call.ticket) == cudaSuccess);
    if (!adds)
        kg__model_forget(call.out, outputs * sizeof(float));
    done.error = row->launch(&call);
    if (done.error == cudaSuccess)
        done.error = cudaDeviceSynchronize();
    done.report = kg__model_seen();
    compare(&done, row, extent, (size_t)block, host, call.out, outputs, poison);
    kg__model_free_all();
    return done;
}

run launch(const defect *row, bool defective, unsigned int watched)
{
    return launch_with(row, row->n > 0 ? row->n : 530, row->block > 0 ? row->block : 64, defective,
                       watched);
}

mark find_mark(const char *name)
{
    const char *const sources[] = { defect_source, cost_source, misuse_source };
    mark found = { .count = 0 };
    char word[128];
    char line[256];

    snprintf(word, sizeof word, " %s ", name);
    for (size_t i = 0; i < COUNT(sources); i++) {
        FILE *source = fopen(sources[i], "r");

        cr_assert(source != NULL, "cannot read %s", sources[i]);
        for (unsigned int number = 1; fgets(line, sizeof line, source) != NULL; number++) {
            const char *names = strstr(line, "/* defect:");

            if (names == NULL || strstr(names, word) == NULL)
                continue;
            cr_assert(found.count < MAX_MARKS, "more than %d lines have %s", MAX_MARKS, name);
            found.file = sources[i];
            found.line[found.count++] = number;
        }
        fclose(source);
    }
    cr_assert(found.count > 0, "no line has the name %s", name);
    return found;
}

/* The clean twin on every kind of size and block. */
void expect_twin_clean(const defect *row)
{
    static const int sizes[] = { 1, 31, 33, 530 };
    static const int blocks[] = { 32, 48, 64, 256 };

    for (size_t i = 0; i < COUNT(sizes) * COUNT(blocks) * 2; i++) {
        int n = sizes[i / 8];
        int block = blocks[i / 2 % 4];
        run twin;

        kg__model_set_order(i % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        twin = launch_with(row, n, block, false, BOTH);
        cr_assert(twin.error == cudaSuccess, "n = %d, block = %d: %s", n, block,
                  cudaGetErrorName(twin.error));
        cr_assert(twin.right, "n = %d, block = %d: out[%zu] is %g, not %g", n, block,
                  twin.mismatch.index, twin.mismatch.got, twin.mismatch.expected);
        cr_assert(twin.report->finding_count == 0, "n = %d, block = %d: %s", n, block,
                  findings_of(twin.report));
        cr_assert(twin.report->accesses > 0, "nothing was watched");
        cr_assert(twin.report->watched == twin.report->blocks);
    }
    kg__model_set_order(KG__MODEL_ASCENDING);
}
