/* SPDX-License-Identifier: MIT */
/* Clusters, launch bounds, and shared memory above 48 KiB: what launches give, and what is wrong.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "model/runtime/runtime.h"
#include "tests/model/cluster_kernels.h"
#include "tests/model/each_row.h"
#include "tests/model/finding_texts.h"
#include "tests/model/watch_fixture.h"

#define BLOCK 64
#define BLOCKS 16
#define THREADS (BLOCKS * BLOCK)

/* A launch of 16 blocks in clusters. */
static cudaError_t start_clusters(const char *name, dim3 cluster, size_t shared, watch_data data)
{
    cudaLaunchAttribute attribute = {
        .id = cudaLaunchAttributeClusterDimension,
        .val.clusterDim = { cluster.x, cluster.y, cluster.z },
    };
    cudaLaunchConfig_t config = { .gridDim = { 8, 2, 1 },
                                  .blockDim = line(BLOCK),
                                  .dynamicSmemBytes = shared,
                                  .attrs = &attribute,
                                  .numAttrs = 1 };

    return kernel(name)(&config, data);
}

static cudaError_t start_line(const char *name, unsigned int cluster, watch_data data)
{
    cudaLaunchAttribute attribute = { .id = cudaLaunchAttributeClusterDimension,
                                      .val.clusterDim = { cluster, 1, 1 } };
    cudaLaunchConfig_t config = { .gridDim = line(BLOCKS),
                                  .blockDim = line(BLOCK),
                                  .dynamicSmemBytes = BLOCK * sizeof(float),
                                  .attrs = &attribute,
                                  .numAttrs = 1 };

    return kernel(name)(&config, data);
}

static float next_of_cluster(int i, int cluster)
{
    int block = i / BLOCK;
    int next = block / cluster * cluster + (block + 1) % cluster;

    return (float)(next * BLOCK + BLOCK - i % BLOCK);
}

static float twice_of_cluster(int i, int cluster)
{
    int block = i / BLOCK;
    int next = block / cluster * cluster + (block + 1) % cluster;

    return 3.0f * (float)(next * BLOCK + i % BLOCK + 1);
}

static float sum_of_cluster(int i, int cluster)
{
    int block = i / BLOCK;
    float sum = 0.0f;

    for (int other = block; other < block + cluster; other++)
        sum += (float)(other * BLOCK + i % BLOCK + 1);
    return block % cluster == 0 ? sum : 0.0f;
}

static float one_leaves_cluster(int i, int cluster)
{
    int block = i / BLOCK;
    int first = block / cluster * cluster * BLOCK + i % BLOCK;

    return block % cluster == cluster - 1 ? 0.0f : (float)(first + 1);
}

static float fill_for_cluster(int i, int cluster)
{
    (void)cluster;
    return i % BLOCK < 32 ? 0.0f : (float)(5 * 2 * (i % 32) + 5 * 34 + 10 * 128);
}

static float pass_in_cluster(int i, int cluster)
{
    int block = i / BLOCK;
    int first = block / cluster * cluster;
    int before = first + (block + cluster - 1) % cluster;
    int second = first + (block + cluster - 2) % cluster;

    return (float)((before + second) * BLOCK + 2 * (i % BLOCK + 1));
}

static float arrive_in_phases(int i, int cluster)
{
    return i % (cluster * BLOCK) == BLOCK ? (float)(i - BLOCK + 1) : 0.0f;
}

static float turns_of_cluster(int i, int cluster)
{
    (void)cluster;
    return i % BLOCK < 8 ? 1.0f : 0.0f;
}

#define ROW(name) #name, name

static const struct {
    const char *name;
    float (*expected)(int i, int cluster);
    int cluster;
} values[] = {
    { ROW(next_of_cluster), 2 },  { ROW(next_of_cluster), 8 }, { ROW(next_of_cluster), 1 },
    { ROW(twice_of_cluster), 4 }, { ROW(sum_of_cluster), 4 },  { ROW(one_leaves_cluster), 4 },
    { ROW(fill_for_cluster), 2 }, { ROW(pass_in_cluster), 4 }, { ROW(turns_of_cluster), 2 },
    { ROW(arrive_in_phases), 2 },
};

/* In either order, watched or not. */
Test(clusters, share_their_memory)
{
    for (unsigned int way = 0; way < 8 * LENGTH(values); way++) {
        const char *name = values[way / 8].name;
        int cluster = values[way / 8].cluster;
        watch_data data;

        kg__model_set_order(way % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        kg__model_watch(way / 2 % 4, cluster > 1 ? 64 : 0); /* none of a cluster is left out */
        data = make_data(THREADS);
        data.k = 0;
        cr_assert(start_line(values[way / 8].name, (unsigned int)cluster, data) == cudaSuccess,
                  "%s: %s", name, kg__model_failure());
        for (int i = 0; i < THREADS; i++)
            cr_assert(data.b[i] == values[way / 8].expected(i, cluster), "%s: b[%d] is %g, not %g",
                      name, i, (double)data.b[i], (double)values[way / 8].expected(i, cluster));
        cr_assert(kg__model_last_launch().blocks == BLOCKS);
        expect_clean(name);
    }
}

Test(clusters, know_their_shape)
{
    const dim3 shapes[] = { { 1, 1, 1 }, { 4, 1, 1 }, { 2, 2, 1 }, { 1, 2, 1 }, { 4, 2, 1 } };

    for (size_t row = 0; row < 2 * LENGTH(shapes); row++) {
        const dim3 shape = shapes[row / 2];
        watch_data data = watch_in_order(row, THREADS);

        cr_assert(start_clusters("cluster_shape", shape, 0, data) == cudaSuccess);
        /* The second row of blocks writes last, or first, to the same numbers. */
        for (int i = 0; i < 8 * BLOCK; i++) {
            int row_of_block = row % 2 == 0 ? 1 : 0;
            int rank = (int)(row_of_block % shape.y * shape.x + i / BLOCK % shape.x);
            int size = (int)(shape.x * shape.y);

            cr_expect(data.numbers[i] == rank * BLOCK + i % BLOCK + 1000 * rank + 10000 * size,
                      "numbers[%d] is %d", i, data.numbers[i]);
        }
    }
}

/* By __cluster_dims__. */
Test(clusters, may_be_the_kernel_s_own)
{
    static const struct {
        const char *name;
        int blocks;
    } kernels[] = { { "own_size_of_cluster", 4 }, { "own_pair", 2 } };

    for (size_t row = 0; row < LENGTH(kernels); row++) {
        watch_data data = watch_both(THREADS);
        cudaLaunchConfig_t odd = { .gridDim = line(3), .blockDim = line(BLOCK) };

        start(kernels[row].name, line(BLOCKS), line(BLOCK), data);
        for (int i = 0; i < THREADS; i++)
            cr_assert(data.numbers[i] == kernels[row].blocks, "numbers[%d] is %d", i,
                      data.numbers[i]);
        cr_expect(kernel(kernels[row].name)(&odd, data) == cudaErrorInvalidClusterSize);
        cr_expect(start_line(kernels[row].name, 8, data) == cudaErrorInvalidClusterSize);
    }
}

static void start_clean(const char *name, unsigned int cluster, int k)
{
    watch_data data = watch_both(THREADS);

    data.k = k;
    cr_assert(start_line(name, cluster, data) == cudaSuccess, "%s", kg__model_failure());
    expect_clean("clusters");
}

#define FINDS(kind_, symbol_, size_, offset_)                                                      \
    .found = { .kind = KG__##kind_, .symbol = symbol_, .size = size_, .offset = offset_ }

/* What is wrong between the blocks of a cluster. */
static const struct {
    const char *name, *kernel;
    int k;
    kg__finding found;
    unsigned int cluster; /* blocks; 0: 2 */
} defects[] = {
    { "no barrier before", "next_of_cluster", NO_FIRST_SYNC,
      FINDS(NEVER_WRITTEN, "map_shared_rank(own, 1)", 0, 0) },
    { "no barrier before, later", "next_of_cluster", NO_FIRST_SYNC,
      FINDS(RACE_BETWEEN_BLOCKS, "own", 0, 0) },
    { "a write to a block that may not have begun", "sum_of_cluster", 3,
      FINDS(AFTER_FREE, "map_shared_rank(sums, 0)", BLOCK * 4, 0) },
    { "no barrier behind", "next_of_cluster", NO_LAST_SYNC,
      FINDS(AFTER_FREE, "map_shared_rank(own, 0)", BLOCK * 4, BLOCK * 4 - 4) },
    { "a write between arrival and wait", "next_of_cluster", WRITES_BEHIND_ITS_ARRIVAL,
      FINDS(RACE_BETWEEN_BLOCKS, "map_shared_rank(own, 1)", 0, 0) },
    { "its own, too", "next_of_cluster", WRITES_BEHIND_ITS_ARRIVAL,
      FINDS(RACE_IN_BLOCK, "own", 0, 0) },
    { "no barrier behind, and who is read has not ended", "sum_of_cluster", 2,
      FINDS(AFTER_FREE, "map_shared_rank(sums, 1)", BLOCK * 4, 0) },
    { "out of bounds", "next_of_cluster", BEYOND_THE_NEXT,
      FINDS(OUT_OF_BOUNDS, "map_shared_rank(own, 1)", BLOCK * 4, BLOCK * 4) },
    { "overwritten", "twice_of_cluster", 1,
      FINDS(RACE_BETWEEN_BLOCKS, "dynamic shared memory", 0, 0) },
    { "no fence before", "last_of_clusters", 1, FINDS(MISSING_FENCE, "b", 0, 0) },
    { "not atomic", "sum_of_cluster", 1,
      FINDS(RACE_BETWEEN_BLOCKS, "map_shared_rank(sums, 0)", 0, 0) },
    { "no wait for a peer's copy", "fill_for_cluster", NO_WAIT_FOR_COPY,
      FINDS(COPY_NOT_WAITED, "slot", 0, 0) },
    { "no wait for a peer's slot", "fill_for_cluster", WAITS_FOR_ITS_OWN,
      FINDS(COPY_NOT_WAITED, "map_shared_rank(slot, 0)", 0, 0) },
    { "a slot released before it is read", "fill_for_cluster", RELEASES_EARLY,
      FINDS(RACE_BETWEEN_BLOCKS, "map_shared_rank(slot, 1)", 0, 0) },
    { "its own, too", "fill_for_cluster", RELEASES_EARLY, FINDS(RACE_IN_BLOCK, "slot", 0, 0) },
    { "an arrival in the next phase", "arrive_in_phases", WAITS_FOR_THE_PHASE_BEFORE,
      FINDS(RACE_BETWEEN_BLOCKS, "got", 0, 0) },
    { "no arrival", "pass_in_cluster", KNOWS_NOBODY,
      FINDS(RACE_BETWEEN_BLOCKS, "map_shared_rank(got, 1)", 0, 0), .cluster = 4 },
    { "an arrival by who knows nothing", "pass_in_cluster", KNOWS_ITS_NEIGHBOR,
      FINDS(RACE_BETWEEN_BLOCKS, "map_shared_rank(got, 1)", 0, 0), .cluster = 4 },
};

Test(clusters, that_do_not_meet_are_found)
{
    for (size_t row = 0; row < LENGTH(defects); row++) {
        const kg__model_report *report;
        watch_data data = watch_both(THREADS);
        bool found = false;

        data.k = defects[row].k;
        cr_assert(start_line(defects[row].kernel,
                             defects[row].cluster > 0 ? defects[row].cluster : 2,
                             data) == cudaSuccess,
                  "%s: %s", defects[row].name, kg__model_failure());
        report = kg__model_seen();
        for (size_t i = 0; i < report->finding_count; i++)
            found = found || is_as_expected(&report->findings[i], &defects[row].found);
        cr_expect(found, "%s: %s", defects[row].name, findings_of(report));
    }
}

/* What a block knew and fenced before it met its cluster counts afterwards; the barrier behind an
 * atomic stands for the fence (k == 2). */
Test(clusters, pass_on_what_their_blocks_know)
{
    for (unsigned int size = 1; size <= 4; size *= 2) {
        start_clean("last_of_clusters", size, 0);
        start_clean("last_of_clusters", size, 2);
        start_clean("last_of_clusters", size, 3);
    }
}

/* Launches that fail, and what is said of it. */
static const struct {
    const char *kernel;
    int k;
    cudaError_t error;
    const char *told;
} failures[] = {
    { "next_of_cluster", ONE_WAITS_ELSEWHERE, cudaErrorLaunchFailure,
      "63 threads of the block wait at cluster.sync()" },
    { "next_of_cluster", NO_SUCH_RANK, cudaErrorIllegalInstruction, "no block of that rank" },
    { "next_of_cluster", ARRIVES_TWICE, cudaErrorLaunchFailure, "arrives twice at the cluster's" },
    { "next_of_cluster", NO_ARRIVAL, cudaErrorLaunchFailure, "without an arrival" },
    { "fill_for_cluster", NO_SYNC_BEFORE, cudaErrorLaunchFailure, "before its init" },
    { "fill_for_cluster", NO_SYNC_BEHIND, cudaErrorLaunchFailure, "after that block has ended" },
    { "fill_for_cluster", NO_WAIT_FOR_SLOT, cudaErrorLaunchFailure, "more threads arrive" },
    { "fill_for_cluster", MASK_OF_RANK_1, cudaErrorLaunchFailure,
      "33 threads of the block poll, this one an mbarrier object whose phase 0 lacks 1 of 2" },
    { "fill_for_cluster", MASK_OF_THREE, cudaErrorIllegalInstruction, "no block of that rank" },
    { "fill_for_cluster", HALF_THE_BYTES, cudaErrorLaunchFailure, "complete more bytes" },
    { "fill_for_cluster", RELEASES_ITS_OWN, cudaErrorLaunchFailure,
      "phase 0 lacks 1 of 2 arrivals and 0 bytes" },
    { "fill_for_cluster", RELEASES_RANK_0, cudaErrorLaunchFailure, "more threads arrive" },
};

EACH_ROW(clusters, that_cannot_meet_fail, failures)

ParameterizedTest(const size_t *row, clusters, that_cannot_meet_fail)
{
    watch_data data = watch_both(THREADS);

    data.k = failures[*row].k;
    cr_assert(start_line(failures[*row].kernel, 2, data) == failures[*row].error);
    cr_assert(strstr(kg__model_failure(), failures[*row].told) != NULL, "%s", kg__model_failure());
}

/* Refused as devices do. */
Test(clusters, have_sizes)
{
    static const struct {
        dim3 cluster;
        cudaError_t error;
    } sizes[] = {
        { { 0, 1, 1 }, cudaErrorInvalidClusterSize },  { { 8, 2, 1 }, cudaErrorInvalidClusterSize },
        { { 16, 2, 1 }, cudaErrorInvalidClusterSize }, { { 3, 1, 1 }, cudaErrorInvalidClusterSize },
        { { 1, 1, 2 }, cudaErrorInvalidClusterSize },  { { 4, 2, 1 }, cudaSuccess },
    };
    watch_data data = watch_both(THREADS);
    cudaLaunchAttribute both[] = {
        { .id = cudaLaunchAttributeCooperative, .val.cooperative = 1 },
        { .id = cudaLaunchAttributeClusterDimension, .val.clusterDim = { 2, 1, 1 } },
    };
    cudaLaunchConfig_t together = {
        .gridDim = line(BLOCKS), .blockDim = line(BLOCK), .attrs = both, .numAttrs = 2
    };
    const size_t shared = BLOCK * sizeof(float);

    for (size_t row = 0; row < LENGTH(sizes); row++)
        cr_expect(start_clusters("twice_of_cluster", sizes[row].cluster, shared, data) ==
                      sizes[row].error,
                  "row %zu: %s", row, kg__model_failure());
    cr_assert(largest_cluster(0) == 8 && largest_cluster(1 << 20) == 0);
    cr_assert(allow_large_clusters() == cudaSuccess);
    cr_assert(largest_cluster(0) == 16);
    cr_assert(start_clusters("twice_of_cluster", (dim3){ 8, 2, 1 }, shared, data) == cudaSuccess);
    cr_assert(kernel("next_of_cluster")(&together, data) == cudaErrorNotSupported);
    cr_assert(clusters_of_pairs(1024) == 132 && clusters_of_pairs(32) == 132 * 16);
}

/* More threads than __launch_bounds__ allows. */
Test(launch_bounds, are_held)
{
    static const struct {
        const char *name;
        unsigned int most;
    } kernels[] = {
        { "bounded", 96 },
        { "bounded_by_constant", 64 },
        { "bounded_by_template", 128 },
        { "cluster_shape", 1024 },
    };
    watch_data data = watch_both(2048);

    for (size_t row = 0; row < LENGTH(kernels); row++) {
        start(kernels[row].name, single, line(kernels[row].most), data);
        cr_expect(launch(kernels[row].name, single, (dim3){ kernels[row].most, 2, 1 }, 0, data) ==
                      cudaErrorInvalidValue,
                  "row %zu", row);
    }
    cr_assert(bound_of_template() == 128);
}

static cudaError_t start_much_shared(int bytes, watch_data data)
{
    return launch("much_shared", single, line(BLOCK), (size_t)bytes, data);
}

/* Above 48 KiB only once it has been asked for, and never above 227. */
Test(shared_memory, of_a_block_is_as_much_as_was_asked_for)
{
    const int most = 227 << 10;
    watch_data data = watch_both(BLOCK);

    data.rows = 48 << 10;
    cr_assert(start_much_shared(data.rows, data) == cudaSuccess);
    cr_assert(start_much_shared(data.rows + 4, data) == cudaErrorInvalidValue);
    cr_assert(allow_much_shared(most + 4) == cudaErrorInvalidValue);
    cr_assert(allow_much_shared(most) == cudaSuccess);
    data.rows = most;
    cr_assert(start_much_shared(most, data) == cudaSuccess);
    for (int i = 0; i < BLOCK; i++)
        cr_assert(data.b[i] == (float)(BLOCK - i));
    expect_clean("227 KiB");
    expect_count(KG__SHARED_BYTES, (uint64_t)most, "227 KiB");
    data.k = 1;
    (void)start_much_shared(most, data);
    expect_only(FOUND(OUT_OF_BOUNDS, "dynamic shared memory", most, (uint64_t)most, 1),
                "beyond 227 KiB");
}
