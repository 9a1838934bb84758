/* SPDX-License-Identifier: MIT */
/* mbarrier objects, barriers by number, bulk copies and tensor maps. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/include/cuda.h"
#include "model/runtime/runtime.h"
#include "tests/model/each_row.h"
#include "tests/model/watch_fixture.h"

#define THREADS 96

static const char *const handovers[] = { "hand_over_by_mbarrier", "hand_over_by_number" };

Test(bulk, barriers_hand_over)
{
    for (size_t row = 0; row < 4 * LENGTH(handovers); row++) {
        const char *name = handovers[row / 4];
        watch_data data;

        kg__model_set_order(row % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        kg__model_watch(row % 4 < 2 ? BOTH : 0, 0);
        data = make_data(1 << 10);
        start(name, single, line(THREADS), data);
        expect_clean(name);
        for (int i = 0; i < 3 * THREADS; i++)
            cr_assert(i % THREADS < 32 || (int)data.b[i] == i / THREADS + 31 - i % 32,
                      "%s: b[%d] is %g", name, i, (double)data.b[i]);
    }
}

Test(bulk, arrivals_are_counted)
{
    for (size_t order = 0; order < 2; order++) {
        watch_data data = watch_in_order(order, 256);

        start("count_by_mbarrier", single, line(64), data);
        expect_clean("count_by_mbarrier");
        cr_expect(data.numbers[0] == 64 && data.numbers[1] == 32, "%d and %d", data.numbers[0],
                  data.numbers[1]);
        expect_count(KG__BARRIERS, 2, "count_by_mbarrier");
    }
}

Test(bulk, blocks_of_a_cluster_have_barriers_of_their_own)
{
    for (size_t order = 0; order < 2; order++) {
        watch_data data = watch_in_order(order, 256);
        cudaLaunchAttribute attribute = { .id = cudaLaunchAttributeClusterDimension,
                                          .val.clusterDim = { 2, 1, 1 } };
        cudaLaunchConfig_t config = { .gridDim = line(4), .blockDim = line(64) };

        config.attrs = &attribute;
        config.numAttrs = 1;
        cr_assert(kernel("count_in_cluster")(&config, data) == cudaSuccess, "%s",
                  kg__model_failure());
        expect_clean("count_in_cluster");
        for (int i = 0; i < 256; i++)
            cr_assert(data.numbers[i] == (i / 64 % 2 == 0 ? 2 : 13), "%d", data.numbers[i]);
    }
}

#define FINDS(kind_, ...) .file = "/bulk", WRONG(kind_, __VA_ARGS__)

/* What is found with k. */
static const trial defects[] = {
    { "hand_over_by_mbarrier", 1, THREADS, .k = 1, FINDS(RACE_IN_BLOCK, .symbol = "staged") },
    { "hand_over_by_mbarrier", 1, THREADS, .k = 8, FINDS(RACE_IN_BLOCK, .symbol = "words") },
    { "reverse_by_bound_copy", 1, THREADS, .k = 1, FINDS(COPY_NOT_WAITED, .symbol = "staged") },
    { "reverse_by_bulk_copy", 1, THREADS, .k = 1, FINDS(COPY_NOT_WAITED, .symbol = "staged") },
    { "reverse_by_bulk_copy", 1, THREADS, .k = 3,
      FINDS(OUT_OF_BOUNDS, .symbol = "a", .offset = 8192, .size = 8192, .bytes = 16) },
    { "reverse_by_bulk_copy", 1, THREADS, .k = 6, FINDS(COPY_NOT_WAITED, .symbol = "staged") },
    { "reverse_by_bulk_copy", 1, THREADS, .k = 4, FINDS(COPY_NOT_WAITED, .symbol = "staged") },
    { "reverse_by_bulk_copy", 1, THREADS, .k = 8, FINDS(MISSING_FENCE, .symbol = "b") },
    { "reverse_by_bulk_copy", 1, THREADS, .k = 9, FINDS(MISSING_FENCE, .symbol = "b") },
    { "reverse_by_bulk_store", 1, THREADS, .k = 1, FINDS(MISSING_FENCE, .symbol = "staged") },
    { "reverse_by_bulk_store", 1, THREADS, .k = 2, FINDS(MISSING_FENCE, .symbol = "staged") },
    { "reverse_by_bulk_store", 1, THREADS, .k = 4,
      FINDS(OUT_OF_BOUNDS, .symbol = "b", .offset = 8192, .size = 8192, .bytes = 16) },
    { "reverse_by_bulk_store", 1, THREADS, .k = 5, FINDS(COPY_NOT_WAITED, .symbol = "staged") },
    { "store_in_two_groups", 1, THREADS, .k = 1, FINDS(COPY_NOT_WAITED, .symbol = "second") },
    { "store_in_two_groups", 1, THREADS, .k = 2, FINDS(COPY_NOT_WAITED, .symbol = "second") },
    { "store_in_two_groups", 1, THREADS, .k = 3, FINDS(COPY_NOT_WAITED, .symbol = "second") },
    { "store_unwritten", 1, THREADS, .k = 0, FINDS(NEVER_WRITTEN, .symbol = "staged") },
    { "add_by_bulk_copy", 1, THREADS, .k = 1, FINDS(MISSING_FENCE, .symbol = "floats") },
    { "add_by_bulk_copy", 1, THREADS, .k = 2, FINDS(RACE_IN_BLOCK, .symbol = "b") },
    { "add_by_bulk_copy", 1, THREADS, .k = 3, FINDS(COPY_NOT_WAITED, .symbol = "floats") },
    { "move_by_library", 1, THREADS, .k = 1, FINDS(COPY_NOT_WAITED, .symbol = "staged") },
    { "move_by_library", 1, THREADS, .k = 2, FINDS(COPY_NOT_WAITED, .symbol = "staged") },
    { "move_by_library", 1, THREADS, .k = 3, FINDS(MISSING_FENCE, .symbol = "staged") },
    { "move_by_library", 1, THREADS, .k = 4, FINDS(MISSING_FENCE, .symbol = "staged") },
    { "move_by_library", 1, THREADS, .k = 5, FINDS(COPY_NOT_WAITED, .symbol = "staged") },
};

Test(bulk, defects_are_found)
{
    try_each(defects, LENGTH(defects), BOTH, BOTH, 2048);
}

/* An mbarrier object completes what cp.async began, and so does the group. */
Test(bulk, bound_copies_are_complete)
{
    for (size_t i = 0; i < 6; i++) {
        watch_data data = watch_in_order(i, 2 * THREADS);

        data.k = (const int[]){ 0, 2, 3 }[i / 2];
        start("reverse_by_bound_copy", line(2), line(THREADS), data);
        expect_clean("reverse_by_bound_copy");
        for (int j = 0; j < 2 * THREADS; j++)
            cr_assert(data.b[j] == data.a[j / THREADS * THREADS + THREADS - 1 - j % THREADS],
                      "%d: %g", j, (double)data.b[j]);
    }
}

/* Each thread's element, by a copy to shared memory and one from it. */
Test(bulk, the_library_moves_what_it_should)
{
    for (size_t i = 0; i < 8; i++) {
        watch_data data = watch_in_order(i, 2 * THREADS);

        data.k = i < 4 ? 0 : -1;
        start("move_by_library", line(2), line(THREADS), data);
        expect_clean("move_by_library");
        for (int j = 0; j < 2 * THREADS; j++)
            cr_assert((int)data.b[j] == j + 2, "%g", (double)data.b[j]);
    }
}

/* How launches fail with k. */
static const struct {
    const char *name;
    int k;
    cudaError_t error;
    const char *text;
} failures[] = {
    { "hand_over_by_mbarrier", 2, cudaErrorLaunchFailure, "that was never initialized" },
    { "hand_over_by_mbarrier", 3, cudaErrorLaunchFailure,
      "deadlock: 96 threads of the block poll, this one an mbarrier object whose phase 0 lacks "
      "64 of 64 arrivals and 0 bytes" },
    { "hand_over_by_mbarrier", 4, cudaErrorLaunchFailure, "is not a multiple of 8" },
    { "hand_over_by_mbarrier", 5, cudaErrorLaunchFailure, "more threads arrive at an mbarrier" },
    { "hand_over_by_mbarrier", 7, cudaErrorLaunchFailure,
      "for a value that no thread has written" },
    { "count_by_mbarrier", 1, cudaErrorLaunchFailure, "or is invalid" },
    { "count_by_mbarrier", 2, cudaErrorLaunchFailure, "lacks 0 of 32 arrivals and 8 bytes" },
    { "hand_over_by_number", 1, cudaErrorLaunchFailure, "deadlock: " },
    { "hand_over_by_number", 2, cudaErrorLaunchFailure, "not one from 0 to 15" },
    { "reverse_by_bulk_copy", 2, cudaErrorMisalignedAddress, "is not a multiple of 16" },
    { "reverse_by_bulk_copy", 5, cudaErrorLaunchFailure, "complete more bytes" },
};

EACH_ROW(bulk, misuse_fails, failures)

ParameterizedTest(const size_t *row, bulk, misuse_fails)
{
    const char *name = failures[*row].name;
    const unsigned int threads = strcmp(name, "count_by_mbarrier") == 0 ? 64 : THREADS;
    watch_data data = watch_both(2048);

    data.k = failures[*row].k;
    cr_expect(launch(name, single, line(threads), 0, data) == failures[*row].error, "%s", name);
    cr_expect(strstr(kg__model_failure(), failures[*row].text) != NULL, "%s: %s", name,
              kg__model_failure());
}

Test(bulk, copies_move_what_they_should)
{
    static const struct {
        const char *name;
        int k;
    } rows[] = { { "reverse_by_bulk_copy", 0 },
                 { "reverse_by_bulk_store", 0 },
                 { "reverse_by_bulk_store", 3 } };
    watch_data written;

    for (size_t i = 0; i < LENGTH(rows) * 2; i++) {
        watch_data data = watch_in_order(i, 2 * THREADS);
        const bool loads = i < 2;

        data.k = rows[i / 2].k;
        start(rows[i / 2].name, line(2), line(THREADS), data);
        expect_clean(rows[i / 2].name);
        for (int j = 0; j < 2 * THREADS; j++)
            cr_assert((int)data.b[j] == j / THREADS * THREADS + THREADS - j % THREADS);
        /* A bulk copy is no warp's request; its bytes count. */
        expect_requests(loads ? 0 : 6, loads ? 6 : 0, rows[i / 2].name);
        expect_count(KG__UNIQUE_BYTES_READ, 4 * 2 * THREADS, rows[i / 2].name);
        expect_count(KG__UNIQUE_BYTES_WRITTEN, 4 * 2 * THREADS, rows[i / 2].name);
    }
    written = watch_both(THREADS);
    written.k = 7;
    start("reverse_by_bulk_copy", single, line(THREADS), written);
    expect_clean("reverse_by_bulk_copy");
    cr_expect((int)written.b[0] == THREADS);
    start("store_in_two_groups", single, line(THREADS), watch_both(THREADS));
    expect_clean("store_in_two_groups");
}

/* Boxes of a tensor of floats: its first dimensions and the pitches of the others, whose rows have
 * 12, 8, 6 and 5 elements of the one before. */
static const cuuint64_t sizes[] = { 10, 6, 5, 4, 3 };
static const cuuint64_t pitches[] = { 48, 384, 2304, 11520 };
static const struct {
    cuuint32_t rank;
    CUtensorMapSwizzle swizzle;
    int at[5];
    cuuint32_t box[5], steps[5];
} boxes[] = {
    { 1, CU_TENSOR_MAP_SWIZZLE_NONE, { 4 }, { 8 }, { 1 } },
    { 1, CU_TENSOR_MAP_SWIZZLE_NONE, { -4 }, { 16 }, { 1 } },
    { 2, CU_TENSOR_MAP_SWIZZLE_NONE, { 4, -1 }, { 12, 4 }, { 1, 1 } },
    { 2, CU_TENSOR_MAP_SWIZZLE_32B, { -4, -3 }, { 8, 12 }, { 1, 1 } },
    { 2, CU_TENSOR_MAP_SWIZZLE_64B, { -4, -3 }, { 16, 12 }, { 1, 1 } },
    { 2, CU_TENSOR_MAP_SWIZZLE_128B, { -8, -9 }, { 32, 24 }, { 1, 1 } },
    { 3, CU_TENSOR_MAP_SWIZZLE_NONE, { 4, 4, 3 }, { 4, 4, 4 }, { 1, 2, 1 } },
    { 4, CU_TENSOR_MAP_SWIZZLE_NONE, { 8, 1, 2, 3 }, { 4, 3, 2, 2 }, { 1, 1, 1, 1 } },
    { 5, CU_TENSOR_MAP_SWIZZLE_NONE, { 0, 1, 2, 1, 0 }, { 4, 3, 2, 3, 3 }, { 1, 1, 1, 2, 1 } },
    { 5, CU_TENSOR_MAP_SWIZZLE_NONE, { -4, 5, 4, 3, 2 }, { 8, 2, 2, 2, 2 }, { 1, 1, 1, 1, 1 } },
};

/* A store's coordinates are not negative. */
static bool can_be_stored(size_t row)
{
    bool can = true;

    for (cuuint32_t i = 0; i < boxes[row].rank; i++)
        can = can && boxes[row].at[i] >= 0;
    return can;
}

static CUresult map_box(size_t row, void *map, float *base)
{
    return cuTensorMapEncodeTiled(
        map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, boxes[row].rank, base, sizes, pitches, boxes[row].box,
        boxes[row].steps, CU_TENSOR_MAP_INTERLEAVE_NONE, boxes[row].swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static int count_of(size_t row)
{
    int count = 1;

    for (cuuint32_t i = 0; i < boxes[row].rank; i++)
        count *= (int)((boxes[row].box[i] + boxes[row].steps[i] - 1) / boxes[row].steps[i]);
    return count;
}

/* Returns the element of the tensor that element i of a box is, in order; -1: outside. */
static int element_of(size_t row, int i)
{
    int element = 0;
    bool inside = true;

    for (cuuint32_t j = 0; j < boxes[row].rank; j++) {
        const int step = (int)boxes[row].steps[j];
        const int count = ((int)boxes[row].box[j] + step - 1) / step;
        const int index = boxes[row].at[j] + i % count * step;

        i /= count;
        inside = inside && index >= 0 && index < (int)sizes[j];
        element += index * (j == 0 ? 1 : (int)pitches[j - 1] / 4);
    }
    return inside ? element : -1;
}

/* Returns where element i of a box lies. */
static int place_of(size_t row, int i)
{
    const int rows = i * 4 / 128;
    const int lines[] = { 1, 2, 4, 8 };

    return (i * 4 ^ rows % lines[boxes[row].swizzle] * 16) / 4;
}

Test(bulk, boxes_of_tensors)
{
    for (size_t i = 0; i < LENGTH(boxes) * 4; i++) {
        const size_t row = i / 4;
        watch_data data = watch_in_order(i, 1 << 14);

        if (i % 4 >= 2 && !can_be_stored(row))
            continue;
        memcpy(data.numbers, boxes[row].at, sizeof boxes[row].at);
        data.n = (int)boxes[row].rank;
        data.rows = count_of(row);
        data.k = i % 4 >= 2;
        cr_assert(map_box(row, data.bytes, data.a) == CUDA_SUCCESS, "row %zu", row);
        cr_assert(map_box(row, data.bytes + 128, data.b) == CUDA_SUCCESS);
        cr_assert(launch("copy_box", single, line(32), 0, data) == cudaSuccess, "row %zu: %s", row,
                  kg__model_failure());
        expect_clean("copy_box");
        for (int j = 0; j < data.rows; j++) {
            const int element = element_of(row, j);
            const float expected = element < 0 ? 0 : (float)(element + 1);

            if (data.k == 0)
                cr_assert(data.b[place_of(row, j)] == expected, "row %zu, element %d: %g", row, j,
                          (double)data.b[place_of(row, j)]);
            else if (element >= 0)
                cr_assert(data.b[element] == expected, "row %zu, element %d: %g", row, j,
                          (double)data.b[element]);
        }
    }
}

/* Of blocks that nothing orders. */
Test(bulk, blocks_add_by_copies)
{
    for (size_t i = 0; i < 8; i++) {
        watch_data data = watch_in_order(i, 1 << 12);

        data.k = i < 4 ? 0 : -1;
        cr_assert(map_box(1, data.bytes, data.b) == CUDA_SUCCESS);
        start("add_by_bulk_copy", line(3), line(16), data);
        expect_clean("add_by_bulk_copy");
        expect_requests(3, 0, "add_by_bulk_copy");
        expect_count(KG__GLOBAL_ATOMIC_REQUESTS, 0, "add_by_bulk_copy");
        for (int j = 0; j < 16; j++) {
            const int last = i < 4 || j < 10 ? 3 * (j + 1) : 0;
            /* A bfloat16 is the upper half of a float. */
            const union {
                uint32_t bits;
                float value;
            } sum = { (uint32_t)((const uint16_t *)(const void *)(data.b + 16))[j] << 16 };
            int64_t wide;

            memcpy(&wide, data.numbers + 16 + 2 * j, sizeof wide);
            cr_expect((int)data.b[j] == last, "%g", (double)data.b[j]);
            cr_expect((int)sum.value == 3 * (j + 1));
            cr_expect(data.numbers[j] == 2 + j && wide == -3 * j);
        }
    }
}

/* A call of the driver that is right but for one argument. */
static CUresult encode(int spoiled)
{
    static _Alignas(64) CUtensorMap map;
    static _Alignas(16) float memory[64];
    const cuuint64_t size[] = { spoiled == 1 ? 0 : 16, 4 };
    const cuuint64_t pitch[] = { spoiled == 2 ? 68 : spoiled == 3 ? (cuuint64_t)1 << 40 : 64 };
    const cuuint32_t box[] = { spoiled == 4   ? 3
                               : spoiled == 5 ? 260
                               : spoiled == 6 ? 64
                                              : 32,
                               spoiled == 7 ? 0 : 4 };
    const cuuint32_t step[] = { 1, spoiled == 8 ? 9 : spoiled == 9 ? 0 : 1 };

    return cuTensorMapEncodeTiled(
        spoiled == 10 ? (CUtensorMap *)(void *)((char *)&map + 8) : &map,
        spoiled == 11   ? (CUtensorMapDataType)99
        : spoiled == 12 ? CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B
                        : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        spoiled == 13   ? 0
        : spoiled == 14 ? 6
                        : 2,
        memory + (spoiled == 15), size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
        spoiled == 16   ? CU_TENSOR_MAP_SWIZZLE_64B
        : spoiled == 17 ? CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B
                        : CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

Test(bulk, tensor_maps_have_rules)
{
    cr_expect(encode(0) == CUDA_SUCCESS);
    for (int i = 1; i <= 17; i++)
        cr_expect(encode(i) ==
                      (i == 12 || i == 17 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE),
                  "argument %d", i);
}

/* What a box cannot do without: n dimensions, k as for copy_box, where it begins. An H200 refuses
 * each. */
static const struct {
    int n, k, at;
    cudaError_t error;
    const char *text;
} unfit[] = {
    { 2, 0, 0, cudaErrorIllegalInstruction, "no tensor map" },
    { 1, 2, 0, cudaErrorMisalignedAddress, "not a multiple of 128" },
    { 1, 0, 2, cudaErrorIllegalInstruction, "a multiple of 16 bytes" },
    { 1, 1, -4, cudaErrorIllegalInstruction, "a store with a negative coordinate" },
};

EACH_ROW(bulk, boxes_need_a_map_and_an_alignment, unfit)

ParameterizedTest(const size_t *row, bulk, boxes_need_a_map_and_an_alignment)
{
    watch_data data = watch_both(1 << 12);

    cr_assert(map_box(0, data.bytes, data.a) == CUDA_SUCCESS);
    cr_assert(map_box(0, data.bytes + 128, data.b) == CUDA_SUCCESS);
    data.rows = count_of(0);
    data.n = unfit[*row].n;
    data.k = unfit[*row].k;
    data.numbers[0] = unfit[*row].at;
    cr_expect(launch("copy_box", single, line(32), 0, data) == unfit[*row].error);
    cr_expect(strstr(kg__model_failure(), unfit[*row].text) != NULL, "%s", kg__model_failure());
}

Test(bulk, functions_of_the_driver_are_looked_up)
{
    cudaDriverEntryPointQueryResult result;
    void *found;

    cr_expect(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                               cudaEnableDefault, &result) == cudaSuccess &&
              result == cudaDriverEntryPointSuccess &&
              found == (void *)(uintptr_t)cuTensorMapEncodeTiled);
    cr_expect(cudaGetDriverEntryPoint("cuInit", &found, cudaEnableDefault, &result) ==
                  cudaSuccess &&
              result == cudaDriverEntryPointSymbolNotFound && found == NULL);
    cr_expect(cudaGetDriverEntryPoint(NULL, &found, 0, NULL) == cudaErrorInvalidValue);
}
