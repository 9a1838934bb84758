/* Defects: small kernels with one defect each, and what the CPU model says of them. A test is a
 * row: the defect is reported as what it is, at the line that bears its name in defect_kernels.cpp,
 * and the clean twin computes the right result without a finding, on whole and partial warps and
 * blocks, in either order of threads. */
#include "tests/model/defect_kernels.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "baseline/counter_lines.h"
#include "device/device.h"
#include "model/model.h"
#include "model/watch/watch.h"
#include "observer/check.h"
#include "observer/measure.h"
#include "records/records.h"
#include "suite/counters.h"
#include "tests/fakes/hanging.h"
#include "tests/model/finding_texts.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIGNALS_ARE_CAUGHT false /* they are left to AddressSanitizer */
#else
#define SIGNALS_ARE_CAUGHT true
#endif

#define BOTH (KG__MODEL_COUNT | KG__MODEL_CHECK)
#define GUARD                                                                                      \
    ((size_t)64 << 10) /* bytes before and behind each buffer: an overrun must hit nothing */
#define MAX_MARKS 2

/* What a kernel computes: `inputs` and `outputs` per n, or `output_count` outputs for any n. */
typedef struct job {
    size_t inputs; /* times n; 0: n times n */
    size_t outputs;
    size_t output_count;
    bool adds; /* its output is 0 before the launch, and added to; otherwise it is poisoned */
    void (*expect)(size_t n, const float *in, double *out);
} job;

/* One defect. */
typedef struct defect {
    const char *name; /* as its line bears it */
    defect_launcher *launch;
    const job *job;
    int n, block; /* where the defect shows */
    /* A wrong access: */
    kg__finding_kind kind;
    const char *says; /* a part of fields_of() it, or NULL */
    uint64_t times;   /* how often in all, reads and writes apart; 0: not told here */
    /* A wrong result: */
    size_t wrong, unwritten; /* outputs */
    /* A needless cost: */
    kg__counter counter;
    uint64_t clean, defective; /* its value */
    const char *explanation;   /* what the source lines say of it; NULL: they do not tell */
} defect;

/* Whole numbers from -8 to 8, so that every sum of them is exact. */
static void fill(float *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        in[i] = (float)((int)((i * 37 + 11) % DEFECT_BINS) - DEFECT_GREATEST);
}

static void expect_doubled(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = 2.0 * in[i];
}

static void expect_weighed_all(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t k = 0; k < n; k++)
            out[i] += in[k] * (double)((i + k) % 3);
    }
}

static void expect_swapped(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (i ^ 1) < n ? in[i ^ 1] : 0;
}

static void expect_total(size_t n, const float *in, double *out)
{
    out[0] = 0;
    for (size_t i = 0; i < n; i++)
        out[0] += in[i];
}

static void expect_counts(size_t n, const float *in, double *out)
{
    for (int bin = 0; bin < DEFECT_BINS; bin++) {
        out[bin] = 0;
        for (size_t i = 0; i < n; i++)
            out[bin] += (int)in[i] + DEFECT_GREATEST == bin;
    }
}

static void expect_minus_previous(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] - (i > 0 ? in[i - 1] : 0.0);
}

static void expect_next_minus(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (i + 1 < n ? in[i + 1] : 0.0) - in[i];
}

static void expect_sums_of_seven(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t k = 0; k < 7; k++)
            out[i] += in[i * 7 + k];
    }
}

static void expect_weighed_in_turn(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] * (double)(i % 3 + 1);
}

static void expect_windows(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t k = i; k < n && k < i + 4; k++)
            out[i] += in[k];
    }
}

static void expect_transposed(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n * n; i++)
        out[i] = in[i % n * n + i / n];
}

static void expect_multiples(size_t n, const float *in, double *out)
{
    for (int factor = 0; factor < 8; factor++) {
        for (size_t i = 0; i < n; i++)
            *out++ = (double)factor * in[i];
    }
}

static const job doubling = { .inputs = 1, .outputs = 1, .expect = expect_doubled };
static const job weighing_all = { .inputs = 1, .outputs = 1, .expect = expect_weighed_all };
static const job swapping = { .inputs = 1, .outputs = 1, .expect = expect_swapped };
static const job adding_up = {
    .inputs = 1, .output_count = 1, .adds = true, .expect = expect_total
};
static const job totalling = { .inputs = 1, .output_count = 1, .expect = expect_total };
static const job counting = {
    .inputs = 1, .output_count = DEFECT_BINS, .adds = true, .expect = expect_counts
};
static const job backward_difference = { .inputs = 1,
                                         .outputs = 1,
                                         .expect = expect_minus_previous };
static const job forward_difference = { .inputs = 1, .outputs = 1, .expect = expect_next_minus };
static const job summing_rows = { .inputs = 7, .outputs = 1, .expect = expect_sums_of_seven };
static const job weighing_in_turn = { .inputs = 1, .outputs = 1, .expect = expect_weighed_in_turn };
static const job windowing = { .inputs = 1, .outputs = 1, .expect = expect_windows };
static const job transposing = { .expect = expect_transposed };
static const job multiplying = { .inputs = 1, .outputs = 8, .expect = expect_multiples };

/* The reversal of each block's part depends on the block, which is therefore kept here. */
static size_t reversed_block;

static void expect_reversed(size_t n, const float *in, double *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t begin = i / reversed_block * reversed_block;
        size_t end = begin + reversed_block < n ? begin + reversed_block : n;

        out[i] = in[end - 1 - (i - begin)];
    }
}

static const job reversing = { .inputs = 1, .outputs = 1, .expect = expect_reversed };

/* Device memory with guards on both sides, which the model knows as `name`. */
typedef struct buffer {
    unsigned char *allocation;
    float *data;
    size_t bytes;
} buffer;

static buffer make_buffer(const char *name, size_t bytes, bool read_only)
{
    buffer made = { .bytes = bytes };

    cr_assert(cudaMalloc((void **)&made.allocation, bytes + 2 * GUARD) == cudaSuccess);
    made.data = (float *)(void *)(made.allocation + GUARD);
    kg__model_describe(made.data, bytes, name, read_only);
    return made;
}

/* What came of one launch. The report holds until the next one. */
typedef struct run {
    cudaError_t error;
    bool right;
    kg_mismatch mismatch;
    size_t unwritten;
    const kg__model_report *report;
} run;

static void judge(run *done, const job *job, size_t n, const float *in, const buffer *out,
                  unsigned char poison)
{
    size_t count = out->bytes / sizeof(float);
    double *expected = calloc(count, sizeof *expected);
    double *tolerance = calloc(count, sizeof *tolerance);
    float *computed = malloc(out->bytes);

    cr_assert(expected != NULL && tolerance != NULL && computed != NULL);
    job->expect(n, in, expected);
    if (cudaMemcpy(computed, out->data, out->bytes, cudaMemcpyDeviceToHost) == cudaSuccess)
        done->right = kg__compare(KG_FLOAT32, computed, expected, tolerance, count, poison,
                                  &done->mismatch, &done->unwritten);
    free(expected);
    free(tolerance);
    free(computed);
}

static run launch(const defect *row, int n, int block, bool defective, unsigned int watched)
{
    const job *job = row->job;
    size_t extent = (size_t)n;
    size_t inputs = job->inputs == 0 ? extent * extent : extent * job->inputs;
    size_t outputs = job->output_count + extent * job->outputs;
    unsigned char poison = job->adds ? 0 : kg__poison(0);
    float *host = malloc(inputs * sizeof *host);
    buffer in;
    buffer out;
    buffer scratch;
    buffer ticket;
    run done = { .error = cudaSuccess };

    if (job->inputs == 0)
        outputs = extent * extent;
    cr_assert(host != NULL);
    fill(host, inputs);
    kg__model_watch(watched, 0);
    in = make_buffer("in", inputs * sizeof(float), true);
    out = make_buffer("out", outputs * sizeof(float), false);
    scratch = make_buffer("scratch", extent * sizeof(float), false);
    ticket = make_buffer("ticket", sizeof(unsigned int), false);
    cr_assert(cudaMemcpy(in.data, host, in.bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    cr_assert(cudaMemset(out.data, poison, out.bytes) == cudaSuccess);
    cr_assert(cudaMemset(ticket.data, 0, ticket.bytes) == cudaSuccess);
    if (!job->adds)
        kg__model_forget(out.data, out.bytes);
    done.error = row->launch(&(defect_call){ .n = n,
                                             .block = block,
                                             .defective = defective,
                                             .in = in.data,
                                             .out = out.data,
                                             .scratch = scratch.data,
                                             .ticket = (unsigned int *)(void *)ticket.data,
                                             .host = host });
    if (done.error == cudaSuccess)
        done.error = cudaDeviceSynchronize();
    done.report = kg__model_seen();
    reversed_block = (size_t)block;
    judge(&done, job, extent, host, &out, poison);
    kg__model_free_all();
    free(host);
    return done;
}

/* The numbers of the lines that bear a defect's name. */
static size_t find_marks(const char *name, unsigned int marks[MAX_MARKS])
{
    char mark[128];
    char line[256];
    size_t count = 0;
    FILE *source = fopen(defect_source, "r");

    cr_assert(source != NULL, "cannot read %s", defect_source);
    snprintf(mark, sizeof mark, "/* defect: %s */", name);
    for (unsigned int number = 1; fgets(line, sizeof line, source) != NULL; number++) {
        if (strstr(line, mark) == NULL)
            continue;
        cr_assert(count < MAX_MARKS, "more than %d lines bear the name %s", MAX_MARKS, name);
        marks[count++] = number;
    }
    fclose(source);
    cr_assert(count > 0, "no line of %s bears the name %s", defect_source, name);
    return count;
}

static bool is_marked(unsigned int line, const unsigned int *marks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (line == marks[i])
            return true;
    return false;
}

/* The clean twin on every kind of size and block. */
static void expect_twin_clean(const defect *row)
{
    static const int sizes[] = { 1, 31, 33, 530 };
    static const int blocks[] = { 32, 48, 64, 256 };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
            for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
                run twin;

                kg__model_set_order((kg__model_order)order);
                twin = launch(row, sizes[i], blocks[k], false, BOTH);
                cr_assert(twin.error == cudaSuccess, "n = %d, block = %d: %s", sizes[i], blocks[k],
                          cudaGetErrorName(twin.error));
                cr_assert(twin.right, "n = %d, block = %d: out[%zu] is %g, not %g", sizes[i],
                          blocks[k], twin.mismatch.index, twin.mismatch.got,
                          twin.mismatch.expected);
                cr_assert(twin.report->finding_count == 0, "n = %d, block = %d, order %d: %s",
                          sizes[i], blocks[k], order, findings_of(twin.report));
                cr_assert(twin.report->accesses > 0, "nothing was watched");
                cr_assert(twin.report->watched == twin.report->blocks);
            }
        }
    }
    kg__model_set_order(KG__MODEL_ASCENDING);
}

static void expect_finding(const defect *row, const run *done, const char *how)
{
    unsigned int marks[MAX_MARKS];
    size_t mark_count = find_marks(row->name, marks);
    uint64_t times = 0;
    bool found = false;

    for (size_t i = 0; i < done->report->finding_count; i++) {
        const kg__finding *one = &done->report->findings[i];

        cr_assert(is_of_kind(one, row->kind), "%s: %s", how, findings_of(done->report));
        cr_assert_str_eq(one->by.file, defect_source);
        cr_assert(is_marked(one->by.line, marks, mark_count), "%s: not at line %u: %s", how,
                  marks[0], findings_of(done->report));
        cr_assert(one->count > 0);
        times += one->count;
        found = found || row->says == NULL || strstr(fields_of(one), row->says) != NULL;
    }
    cr_assert(found, "%s: a finding of kind %s, which says \"%s\", is missing; there are: %s", how,
              kg__finding_kind_name(row->kind), row->says == NULL ? "" : row->says,
              findings_of(done->report));
    cr_assert(row->times == 0 || times == row->times, "%s: %llu times, not %llu: %s", how,
              (unsigned long long)times, (unsigned long long)row->times, findings_of(done->report));
}

/* A wrong access is found, whether or not requests are counted beside. */
static void find(const defect *row)
{
    run done;

    expect_twin_clean(row);
    done = launch(row, row->n, row->block, true, BOTH);
    expect_finding(row, &done, "counting and checking");
    /* A fault has cost the device. */
    if (done.error != cudaSuccess)
        return;
    done = launch(row, row->n, row->block, true, KG__MODEL_CHECK);
    expect_finding(row, &done, "checking alone");
    done = launch(row, row->n, row->block, true, KG__MODEL_COUNT);
    cr_assert(done.report->finding_count == 0, "counting alone finds nothing");
    done = launch(row, row->n, row->block, true, 0);
    cr_assert(done.report->finding_count == 0, "nor does a launch that nobody watches");
}

#define FINDS(name_, ...)                                                                          \
    Test(defects, name_)                                                                           \
    {                                                                                              \
        find(&(const defect){ .name = #name_, .launch = launch_##name_, __VA_ARGS__ });            \
    }

/* A wrong result is told by comparison: it needs no wrong access. */
static void miscompute(const defect *row)
{
    run done;

    expect_twin_clean(row);
    done = launch(row, row->n, row->block, true, BOTH);
    cr_assert(done.error == cudaSuccess);
    cr_assert(done.report->finding_count == 0, "%s", findings_of(done.report));
    cr_assert(!done.right);
    cr_assert(done.mismatch.count == row->wrong, "%zu outputs are wrong, not %zu",
              done.mismatch.count, row->wrong);
    cr_assert(done.unwritten == row->unwritten, "%zu outputs were never written, not %zu",
              done.unwritten, row->unwritten);
}

#define MISCOMPUTES(name_, ...)                                                                    \
    Test(defects, name_)                                                                           \
    {                                                                                              \
        miscompute(&(const defect){ .name = #name_, .launch = launch_##name_, __VA_ARGS__ });      \
    }

/* The counters of each line, as baselines and records hold them. */
static kg__lines *lines_of(const kg__model_report *report)
{
    kg__lines *lines = kg__lines_make();

    for (size_t i = 0; i < report->line_count; i++) {
        const kg__model_line *one = &report->lines[i];

        *kg__lines_at(lines, one->file, strlen(one->file), one->line) = one->counts;
    }
    return lines;
}

static kg__lines *count(const defect *row, bool defective, uint64_t expected)
{
    run done = launch(row, row->n, row->block, defective, BOTH);

    cr_assert(done.error == cudaSuccess && done.right, "it costs, and is right");
    cr_assert(done.report->finding_count == 0, "%s", findings_of(done.report));
    cr_assert(done.report->counts.value[row->counter] == expected, "%s is %llu, not %llu",
              kg__counter_name(row->counter),
              (unsigned long long)done.report->counts.value[row->counter],
              (unsigned long long)expected);
    return lines_of(done.report);
}

/* A needless cost moves a counter, and the source's lines say where. */
static void cost(const defect *row)
{
    char text[1024] = "";
    char expected[1024];
    kg__lines *clean;
    kg__lines *defective;
    bool explained;

    expect_twin_clean(row);
    clean = count(row, false, row->clean);
    defective = count(row, true, row->defective);
    cr_assert(!kg__counter_lines_explain(clean, clean, text, sizeof text, NULL),
              "nothing moved: %s", text);
    explained = kg__counter_lines_explain(clean, defective, text, sizeof text, NULL);
    if (row->explanation == NULL) {
        cr_assert(!explained, "the lines do not tell: %s", text);
    } else {
        unsigned int marks[MAX_MARKS];

        cr_assert(find_marks(row->name, marks) == 1);
        snprintf(expected, sizeof expected, "%s:%u: %s", defect_source, marks[0], row->explanation);
        cr_assert(explained && strncmp(text, expected, strlen(expected)) == 0,
                  "the lines say \"%s\", not \"%s\"", text, expected);
    }
    kg__lines_free(clean);
    kg__lines_free(defective);
}

#define COSTS(name_, ...)                                                                          \
    Test(defects, name_)                                                                           \
    {                                                                                              \
        cost(&(const defect){ .name = #name_, .launch = launch_##name_, __VA_ARGS__ });            \
    }

/* Races and barriers. Blocks of more than a warp, so that both ends are not in one. */
FINDS(missing_first_barrier, .job = &reversing, .n = 530, .block = 64, .kind = KG__RACE_IN_BLOCK,
      .says = "staged")
FINDS(missing_second_barrier, .job = &weighing_all, .n = 530, .block = 64,
      .kind = KG__RACE_IN_BLOCK, .says = "tile")
FINDS(missing_warp_barrier, .job = &swapping, .n = 33, .block = 32, .kind = KG__RACE_IN_BLOCK,
      .says = "staged")
FINDS(barrier_in_a_divergent_branch, .job = &doubling, .n = 33, .block = 32,
      .kind = KG__DIVERGENT_BARRIER, .says = "waiting 16;", .times = 2)
FINDS(cross_block_race, .job = &adding_up, .n = 530, .block = 64, .kind = KG__RACE_IN_BLOCK,
      .says = "out + 0 of")
FINDS(histogram_without_atomics, .job = &counting, .n = 530, .block = 64, .kind = KG__RACE_IN_BLOCK,
      .says = "out")
FINDS(last_block_without_fence, .job = &totalling, .n = 530, .block = 64, .kind = KG__RACE_IN_BLOCK,
      .says = "scratch + 0 of", .times = 8)

/* Beyond an end. 530 is 46 less than a multiple of 64, and 2120 is its bytes;
 * no_guard reads and writes. */
FINDS(off_by_one_guard, .job = &doubling, .n = 530, .block = 64, .kind = KG__OUT_OF_BOUNDS,
      .says = "in + 2120", .times = 2)
FINDS(no_guard, .job = &doubling, .n = 530, .block = 64, .kind = KG__OUT_OF_BOUNDS,
      .says = "in + 2120", .times = 92)
FINDS(before_the_beginning, .job = &backward_difference, .n = 530, .block = 64,
      .kind = KG__OUT_OF_BOUNDS, .says = "in - 4", .times = 1)
/* Rows of 8 in place of 7: the last element of row 463 and all of the 66 rows behind it. */
FINDS(wrong_stride, .job = &summing_rows, .n = 530, .block = 64, .kind = KG__OUT_OF_BOUNDS,
      .says = "at in + ", .times = 1 + 66 * 7)
FINDS(atomic_beyond, .job = &counting, .n = 530, .block = 64, .kind = KG__OUT_OF_BOUNDS,
      .says = "out + 68", .times = 31)
FINDS(shared_index_beyond, .job = &forward_difference, .n = 530, .block = DEFECT_MAX_BLOCK,
      .kind = KG__OUT_OF_BOUNDS)
FINDS(shared_row_overrun, .job = &forward_difference, .n = 530, .block = DEFECT_MAX_BLOCK,
      .kind = KG__OUT_OF_BOUNDS)
FINDS(dynamic_shared_overrun, .job = &forward_difference, .n = 530, .block = 64,
      .kind = KG__OUT_OF_BOUNDS, .says = "dynamic shared memory + 256")
FINDS(constant_index_beyond, .job = &weighing_in_turn, .n = 530, .block = 64,
      .kind = KG__OUT_OF_BOUNDS)
FINDS(local_index_beyond, .job = &windowing, .n = 530, .block = 64, .kind = KG__OUT_OF_BOUNDS)

/* Memory that may not be touched so. */
FINDS(misaligned_vector, .job = &doubling, .n = 530, .block = 64, .kind = KG__MISALIGNED,
      .says = "read 16 bytes at in + ", .times = 132)
FINDS(uninitialised_shared, .job = &adding_up, .n = 530, .block = 64, .kind = KG__NEVER_WRITTEN,
      .says = "staged + 72", .times = 46)
FINDS(uninitialised_global, .job = &doubling, .n = 530, .block = 64, .kind = KG__NEVER_WRITTEN,
      .says = "scratch + 0", .times = 530)
FINDS(host_dereference, .job = &doubling, .n = 530, .block = 64, .kind = KG__HOST_ACCESS,
      .says = "host read", .times = 1)
FINDS(kernel_dereferences_host, .job = &doubling, .n = 530, .block = 64, .kind = KG__HOST_ACCESS,
      .says = "at 0x", .times = 530)
FINDS(write_to_input, .job = &doubling, .n = 530, .block = 64, .kind = KG__READ_ONLY,
      .says = "in + 0", .times = 530)

/* 530 is two more than a multiple of 4, and 18 more than one of 64. */
MISCOMPUTES(unwritten_tail, .job = &doubling, .n = 530, .block = 64, .wrong = 2, .unwritten = 2)
MISCOMPUTES(floor_of_blocks, .job = &doubling, .n = 530, .block = 64, .wrong = 18, .unwritten = 18)
MISCOMPUTES(floor_of_tiles, .job = &weighing_all, .n = 530, .block = 64, .wrong = 530)

/* Costs, of whole warps. */
COSTS(bank_conflict, .job = &transposing, .n = 512, .block = 256,
      .counter = KG__SHARED_LOAD_WAVEFRONTS, .clean = 8192, .defective = 262144,
      .explanation = "shared loads went from 1.00 to 32.00 wavefronts per request")
COSTS(lost_coalescing, .job = &adding_up, .n = 4096, .block = 256,
      .counter = KG__GLOBAL_LOAD_SECTORS, .clean = 512, .defective = 4096,
      .explanation = "loads went from 4.00 to 32.00 sectors per request")
COSTS(redundant_reload, .job = &multiplying, .n = 512, .block = 64,
      .counter = KG__GLOBAL_LOAD_REQUESTS, .clean = 16, .defective = 128,
      .explanation = "load requests went from 16 to 128")
COSTS(scattered_constants, .job = &doubling, .n = 512, .block = 64,
      .counter = KG__CONSTANT_LOAD_WORDS, .clean = 512, .defective = 16384,
      .explanation = "constant loads went from 1.00 to 32.00 words per request")
COSTS(redundant_barrier, .job = &reversing, .n = 512, .block = 64, .counter = KG__BARRIERS,
      .clean = 8, .defective = 16, .explanation = "new, with 8 barriers")
COSTS(empty_launch, .job = &doubling, .n = 512, .block = 64, .counter = KG__LAUNCHES, .clean = 1,
      .defective = 2)

/* Where the last tiles are partial, a request's lanes are fewer. The figures are Nsight Compute's
 * on an NVIDIA H200. */
Test(defects, bank_conflicts_are_those_of_the_hardware)
{
    const defect row = { .launch = launch_bank_conflict, .job = &transposing };
    run done = launch(&row, 530, 256, true, KG__MODEL_COUNT);

    cr_assert(done.right);
    cr_assert(done.report->counts.value[KG__SHARED_LOAD_WAVEFRONTS] == 280900);
    done = launch(&row, 530, 256, false, KG__MODEL_COUNT);
    cr_assert(done.right);
    cr_assert(done.report->counts.value[KG__SHARED_LOAD_WAVEFRONTS] == 9010);
    cr_assert(done.report->counts.value[KG__SHARED_LOAD_REQUESTS] == 9010);
}

/* What an observer records of a case's findings: the first ones, by names from the project's folder
 * on. */
Test(defects, are_named_from_the_projects_folder_on)
{
    static const char folder[] = "/harness/tests/";
    const defect guard = {
        .launch = launch_off_by_one_guard, .job = &doubling, .n = 530, .block = 64
    };
    unsigned int marks[MAX_MARKS];
    char home[1024];
    kg__findings found;
    kg__error error;
    bool whole;
    size_t length = (size_t)(strstr(defect_source, folder) - defect_source);

    cr_assert(length < sizeof home);
    snprintf(home, sizeof home, "%.*s", (int)length, defect_source);
    cr_assert(find_marks("off_by_one_guard", marks) > 0);
    (void)launch(&guard, guard.n, guard.block, true, KG__MODEL_CHECK);
    cr_assert(kg__device_watches());
    cr_assert(kg__device_has_findings(home, &found));
    cr_assert(found.count == 2 && found.more == 0);
    cr_assert_str_eq(found.list[0].by.file, "harness/tests/model/defect_kernels.cpp");
    cr_assert(found.list[0].by.line == marks[0]);
    cr_assert_str_eq(found.list[0].symbol, "in");
    cr_assert(found.list[0].offset == 2120 && found.list[0].size == 2120);
    cr_assert(found.list[0].space == KG__GLOBAL && found.list[0].bytes == 4);
    cr_assert(found.list[0].by.block[0] == 8 && found.list[0].by.thread[0] == 18);
    cr_assert(!kg__device_passed_over(&error, &whole) && whole);
    /* Elsewhere the whole path is given. */
    cr_assert(kg__device_has_findings("/nowhere", &found));
    cr_assert_str_eq(found.list[0].by.file, defect_source);
    (void)launch(&guard, guard.n, guard.block, false, KG__MODEL_CHECK);
    cr_assert(!kg__device_has_findings(home, &found), "the twin is clean");
}

/* A line that goes wrong in two ways, each of which may be of memory of its own. */
Test(defects, reads_and_writes_of_one_line_are_told_apart)
{
    static const char *const says[] = { "read 4 bytes at in + 2120 of 2120",
                                        "write 4 bytes at out + 2120 of 2120" };
    const defect guard = { .launch = launch_no_guard, .job = &doubling, .n = 530, .block = 64 };
    run done = launch(&guard, guard.n, guard.block, true, KG__MODEL_CHECK);

    cr_assert(done.report->finding_count == 2, "%s", findings_of(done.report));
    for (size_t i = 0; i < 2; i++) {
        const kg__finding *one = &done.report->findings[i];

        cr_assert(strstr(fields_of(one), says[i]) != NULL, "%s", findings_of(done.report));
        cr_assert(one->count == 46, "%s", findings_of(done.report));
        cr_assert(one->by.line == done.report->findings[0].by.line, "%s", findings_of(done.report));
    }
}

static kg__hang told_of_hang;

static void keep_hang(void *context, const kg__hang *hang)
{
    (void)context;
    told_of_hang = *hang;
}

/* What a kernel did before it was ended may say why it never ended. */
Test(defects, are_told_of_a_kernel_that_hung, .disabled = !SIGNALS_ARE_CAUGHT)
{
    const defect endless = { .launch = launch_endless_overrun, .job = &doubling };
    unsigned int marks[MAX_MARKS];
    pthread_t ends_it;
    run done;

    cr_assert(find_marks("endless_overrun", marks) == 1);
    kg__device_on_hang("/nowhere", keep_hang, NULL);
    ends_it = end_launch_after(10000);
    done = launch(&endless, 64, 32, true, KG__MODEL_CHECK);
    pthread_join(ends_it, NULL);
    cr_assert(done.error == cudaErrorLaunchTimeout);
    cr_assert_str_eq(told_of_hang.kernel, "overrun_for_ever");
    cr_assert(told_of_hang.at.block[0] == 0 && told_of_hang.at.line > 0);
    cr_assert(told_of_hang.found.count > 0);
    cr_assert_str_eq(told_of_hang.found.list[0].by.file, defect_source);
    cr_assert(told_of_hang.found.list[0].by.line == marks[0]);
    cr_assert(told_of_hang.found.list[0].kind == KG__OUT_OF_BOUNDS);
}

/* Doubles the first of every `of` elements. */
static cudaError_t double_part(const kg_call *call, int64_t of)
{
    return launch_off_by_one_guard(&(defect_call){ .n = (int)(kg_extent(call->size, 0) / of),
                                                   .block = call->launch.block,
                                                   .in = call->argument[0],
                                                   .out = call->argument[1] });
}

static cudaError_t double_all(const kg_call *call)
{
    return double_part(call, 1);
}

static cudaError_t double_a_tenth(const kg_call *call)
{
    return double_part(call, 10);
}

/* The same twice, the second time by a kernel without debug information. */
static cudaError_t double_in_part_without_lines(const kg_call *call)
{
    cudaError_t code = double_all(call);

    return code != cudaSuccess
               ? code
               : launch_without_lines(&(defect_call){ .n = (int)kg_extent(call->size, 0),
                                                      .block = call->launch.block,
                                                      .in = call->argument[0],
                                                      .out = call->argument[1] });
}

static cudaError_t double_one_too_many(const kg_call *call)
{
    return launch_off_by_one_guard(&(defect_call){ .n = (int)kg_extent(call->size, 0),
                                                   .block = call->launch.block,
                                                   .defective = true,
                                                   .in = call->argument[0],
                                                   .out = call->argument[1] });
}

static cudaError_t fail_to_prepare(const kg_call *call)
{
    (void)call;
    return cudaErrorMemoryAllocation;
}

static void arguments_of_doubling(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "in", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 1, kg_extent(size, 0));
}

static void reference_of_doubling(const kg_problem *problem, int output, double *expected,
                                  double *tolerance)
{
    (void)output;
    (void)tolerance;
    expect_doubled((size_t)kg_extent(problem->size, 0), problem->data[0], expected);
}

static const kg_size size_of_doubling = KG_COUNTED(530);
static const kg_comparison doubling_in_turn = { .name = "doubling",
                                                .home = "/nowhere",
                                                .arguments = arguments_of_doubling,
                                                .reference = reference_of_doubling };

static kg__case case_of(const kg_variant *variant)
{
    return (kg__case){
        .variant = variant, .size = &size_of_doubling, .launch = { 64, 0 }, .id = "doubled"
    };
}

/* The record that part count leaves of a variant. */
static json_t *record_of(const kg_variant *variant)
{
    const kg__case one = case_of(variant);
    const kg__case *const cases[] = { &one };
    FILE *file = tmpfile();
    kg__error error = { "" };
    json_t *record;

    cr_assert(file != NULL);
    cr_assert(kg__measure_cases(&doubling_in_turn, "count", cases, 1, fileno(file), &error), "%s",
              error.text);
    rewind(file);
    json_decref(json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL));
    record = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
    fclose(file);
    cr_assert(record != NULL);
    return record;
}

/* What makes the arguments ready is no part of the job, nor of what it costs; yet it must not touch
 * what it must not. */
Test(defects, what_prepares_the_arguments_is_not_counted)
{
    static const kg_variant bare = KG_VARIANT("bare", double_all, "");
    static const kg_variant prepared =
        KG_VARIANT("prepared", double_all, "", .prepare = double_all);
    static const kg_variant astray =
        KG_VARIANT("astray", double_all, "", .prepare = double_one_too_many);
    static const kg_variant unprepared =
        KG_VARIANT("unprepared", double_all, "", .prepare = fail_to_prepare);
    json_t *alone = record_of(&bare);
    json_t *behind = record_of(&prepared);
    json_t *wrong = record_of(&astray);
    json_t *failed = record_of(&unprepared);
    const json_t *loads =
        json_object_get(json_object_get(alone, "metrics"), "global_load_requests");

    cr_assert(json_integer_value(json_object_get(loads, "value")) == 17);
    cr_assert(json_equal(json_object_get(alone, "metrics"), json_object_get(behind, "metrics")));
    cr_assert(json_object_size(json_object_get(alone, "lines")) > 0);
    cr_assert(json_equal(json_object_get(alone, "lines"), json_object_get(behind, "lines")));
    cr_assert(strcmp(kg__json_text(wrong, "event"), "checked") == 0);
    cr_assert(json_array_size(json_object_get(wrong, "findings")) == 2, "%s",
              kg__json_text(wrong, "why"));
    cr_assert(strcmp(kg__json_text(failed, "event"), "failed") == 0);
    cr_assert(
        strncmp(kg__json_text(failed, "why"), "preparing the arguments: cudaErrorMemory", 40) == 0,
        "%s", kg__json_text(failed, "why"));
    json_decref(alone);
    json_decref(behind);
    json_decref(wrong);
    json_decref(failed);
}

/* A kernel that does a part of its job counts less than it would, and is wrong. */
Test(defects, a_part_of_the_job_is_not_counted)
{
    static const kg_variant whole = KG_VARIANT("whole", double_all, "");
    static const kg_variant tenth = KG_VARIANT("tenth", double_a_tenth, "");
    static const kg_variant collected =
        KG_VARIANT("collected", double_a_tenth, "", .collect = double_all);
    static const struct {
        const kg_variant *variant;
        const char *event;
        const char *why;
        json_int_t loads;
    } rows[] = {
        { &whole, "measured", "", 17 },
        { &tenth, "checked", "out[53]: expected ", 0 },
        /* What collects the results is done, and not counted. */
        { &collected, "measured", "", 2 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *record = record_of(rows[i].variant);
        const json_t *loads =
            json_object_get(json_object_get(record, "metrics"), "global_load_requests");
        const char *why = kg__json_text(record, "why");

        cr_expect_str_eq(kg__json_text(record, "event"), rows[i].event);
        cr_expect(strncmp(why, rows[i].why, strlen(rows[i].why)) == 0, "%s", why);
        cr_expect(json_integer_value(json_object_get(loads, "value")) == rows[i].loads);
        json_decref(record);
    }
}

/* Of a sampled launch, most outputs are not there. */
Test(defects, a_sampled_launch_is_not_compared)
{
    static const kg_variant whole = KG_VARIANT("whole", double_all, "");
    const kg__case one = case_of(&whole);
    kg__stage stage = { 0 };
    kg__error why = { "" };

    cr_assert(kg__stage_set(&stage, &doubling_in_turn, &one, true, &why), "%s", why.text);
    for (int sampled = 0; sampled <= 1; sampled++) {
        const kg_call call = { .size = one.size,
                               .launch = one.launch,
                               .argument = stage.buffers.data };
        cudaError_t (*const launched)(const kg_call *) = sampled ? double_all : double_a_tenth;
        bool whole_launch;

        kg__model_watch(BOTH, sampled ? 100 : 0);
        cr_assert(kg__buffers_fill(&stage.buffers, stage.problem.device, kg__poison(0), &why));
        cr_assert(launched(&call) == cudaSuccess);
        (void)kg__device_passed_over(&why, &whole_launch);
        cr_assert(whole_launch == !sampled);
        cr_expect(kg__check_results(&doubling_in_turn, &one, &stage.problem, &stage.buffers,
                                    kg__poison(0), "",
                                    &why) == (sampled ? KG__RIGHT : KG__INCORRECT));
    }
    kg__stage_clear(&stage);
}

/* What the model's program says of how it was compiled. */
Test(defects, are_told_with_the_flags_of_the_project)
{
    json_t *description;
    kg__error why = { "" };

    cr_assert(kg__device_open(&description, &why) == KG__DEVICE_READY, "%s", why.text);
    cr_expect_str_eq(kg__json_text(json_object_get(description, "provenance"), "flags"),
                     "-ffast-math -DWORD=\"a\\b\"");
    json_decref(description);
}

/* What the record of a case says of a counter: in all, or on all lines together. */
static double total_of(const json_t *record, kg__counter counter)
{
    const json_t *metrics = json_object_get(record, "metrics");

    return kg__json_number(json_object_get(metrics, kg__counter_name(counter)), "value");
}

/* A baseline's counters are held to the sums of their lines. */
Test(defects, lines_add_up_or_are_not_kept)
{
    static const kg_variant whole = KG_VARIANT("whole", double_all, "");
    static const kg_variant part = KG_VARIANT("part", double_in_part_without_lines, "");
    json_t *with_lines = record_of(&whole);
    json_t *without = record_of(&part);
    kg__lines *lines = kg__lines_make();
    const char *key;
    const char *counter;

    cr_assert(kg__lines_read(json_object_get(with_lines, "lines"), lines, &key, &counter) == NULL);

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (kg__is_counted_by_line((kg__counter)i))
            cr_expect(kg__lines_sum(lines, (kg__counter)i) == total_of(with_lines, (kg__counter)i),
                      "%s", kg__counter_name((kg__counter)i));
    }
    cr_expect(total_of(without, KG__GLOBAL_LOAD_REQUESTS) ==
              2 * total_of(with_lines, KG__GLOBAL_LOAD_REQUESTS));
    cr_expect(json_object_size(json_object_get(without, "lines")) == 0);
    kg__lines_free(lines);
    json_decref(with_lines);
    json_decref(without);
}
