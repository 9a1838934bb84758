/* SPDX-License-Identifier: MIT */
/* The CPU model's scheduler: indices and order, barriers, warps, shared memory, host threads. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <pthread.h>
#include <string.h>

#include "tests/model/model_fixture.h"

static bool is_index(uint3 index, size_t number, dim3 extent)
{
    return index.x == number % extent.x && index.y == number / extent.x % extent.y &&
           index.z == number / extent.x / extent.y;
}

static void see_all(dim3 grid, dim3 block)
{
    const size_t threads = (size_t)block.x * block.y * block.z;
    const size_t count = (size_t)grid.x * grid.y * grid.z * threads;
    cudaLaunchConfig_t config = shape(grid, block);
    seen *out = device(count * sizeof *out, 0);

    OK(launch_see(&config, out));
    for (size_t i = 0; i < count; i++) {
        cr_assert(is_index(out[i].thread, i % threads, block));
        cr_assert(is_index(out[i].block, i / threads, grid));
        cr_assert(out[i].times == 1 && out[i].warp_size == 32);
        cr_assert(memcmp(&out[i].block_dim, &block, sizeof block) == 0);
        cr_assert(memcmp(&out[i].grid_dim, &grid, sizeof grid) == 0);
    }
    OK(cudaFree(out));
}

Test(model_threads, indices_in_one_to_three_dimensions)
{
    static const dim3 shapes[][2] = {
        { { 1, 1, 1 }, { 1, 1, 1 } }, { { 5, 1, 1 }, { 33, 1, 1 } }, { { 3, 4, 1 }, { 7, 5, 1 } },
        { { 2, 3, 4 }, { 3, 2, 5 } }, { { 1, 1, 3 }, { 2, 1, 64 } }, { { 2, 1, 2 }, { 32, 32, 1 } },
    };

    for (size_t i = 0; i < LENGTH(shapes) * 2; i++) {
        kg__model_set_order(i % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        see_all(shapes[i / 2][0], shapes[i / 2][1]);
    }
}

Test(model_threads, order_of_threads_and_blocks)
{
    enum { BLOCKS = 3, THREADS = 70 };
    int *turns = device((size_t)BLOCKS * THREADS * sizeof *turns, 0);
    int *turn = device(sizeof *turn, 0);

    OK(launch_note_order(line(BLOCKS, THREADS), turns, turn));
    for (int i = 0; i < BLOCKS * THREADS; i++)
        cr_assert(turns[i] == i);
    kg__model_set_order(KG__MODEL_REVERSED);
    *turn = 0;
    OK(launch_note_order(line(BLOCKS, THREADS), turns, turn));
    for (int i = 0; i < BLOCKS * THREADS; i++)
        cr_assert(turns[i] == BLOCKS * THREADS - 1 - i);
}

static void fill_ascending(int *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = i;
}

/* Reverses 3 blocks of so many values in each order and number of rounds. */
static void reverse_all(dim3 block)
{
    const int threads = (int)(block.x * block.y * block.z);
    cudaLaunchConfig_t config = shape((dim3){ 1, 3, 1 }, block);
    int *values = device((size_t)3 * (size_t)threads * sizeof *values, 0);

    for (int i = 0; i < 8; i++) {
        const int rounds = i / 2 + 1;

        kg__model_set_order(i % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        fill_ascending(values, 3 * threads);
        OK(launch_reverse(&config, values, rounds));
        cr_assert(kg__model_last_launch().barriers == 6 * (uint64_t)rounds);
        cr_assert(kg__model_last_launch().threads == 3 * (uint64_t)threads);
        for (int j = 0; j < 3 * threads; j++) {
            int begin = j / threads * threads;

            cr_assert(values[j] == (rounds % 2 == 0 ? j : 2 * begin + threads - 1 - j));
        }
    }
    OK(cudaFree(values));
}

Test(model_threads, values_cross_threads_at_barriers)
{
    static const dim3 blocks[] = { { 1, 1, 1 },  { 2, 1, 1 },   { 31, 1, 1 },   { 32, 1, 1 },
                                   { 33, 1, 1 }, { 255, 1, 1 }, { 1024, 1, 1 }, { 4, 6, 20 } };

    for (size_t i = 0; i < LENGTH(blocks); i++)
        reverse_all(blocks[i]);
}

Test(model_threads, a_race_shows_between_the_orders)
{
    int values[2][64];
    int *memory = device(sizeof values[0], 0);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        fill_ascending(memory, 64);
        OK(launch_reverse_racy(line(1, 64), memory));
        memcpy(values[order], memory, sizeof values[0]);
    }
    cr_assert(memcmp(values[0], values[1], sizeof values[0]) != 0);
    cr_assert(values[KG__MODEL_ASCENDING][63] == 0 && values[KG__MODEL_ASCENDING][0] == -1);
    cr_assert(values[KG__MODEL_REVERSED][0] == 63 && values[KG__MODEL_REVERSED][63] == -1);
}

Test(model_threads, dynamic_shared_memory_and_its_limits)
{
    enum { BLOCKS = 3, THREADS = 100 };
    int *values = device((size_t)BLOCKS * THREADS * sizeof *values, 0);
    int *poisoned = device(BLOCKS * sizeof *poisoned, 1);
    struct cudaFuncAttributes is;
    cudaLaunchConfig_t config = *line(BLOCKS, THREADS);

    fill_ascending(values, BLOCKS * THREADS);
    config.dynamicSmemBytes = (size_t)THREADS * sizeof *values;
    OK(launch_rotate_dynamic(&config, values, poisoned));
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        int block = i / THREADS * THREADS;

        cr_assert(values[i] == block + (i - block + 1) % THREADS);
    }
    for (int i = 0; i < BLOCKS; i++)
        cr_assert(poisoned[i] != 0, "block %d found what another left", i);

    config.dynamicSmemBytes = 49152;
    OK(launch_rotate_dynamic(&config, values, poisoned));
    config.dynamicSmemBytes = 49153;
    REFUSED(launch_rotate_dynamic(&config, values, poisoned));
    cr_assert(strstr(kg__model_failure(),
                     "49153 bytes of dynamic shared memory, above the limit of "
                     "49152: raise it, up to 232448, with") != NULL,
              "%s", kg__model_failure());
    REFUSED(allow_rotate_dynamic(232449));
    REFUSED(allow_rotate_dynamic(-1));
    OK(allow_rotate_dynamic(232448));
    OK(cudaFuncGetAttributes(&is, rotate_dynamic_kernel()));
    cr_assert(is.maxDynamicSharedSizeBytes == 232448 && is.maxThreadsPerBlock == 1024);
    config.dynamicSmemBytes = 232448;
    OK(launch_rotate_dynamic(&config, values, poisoned));
    config.dynamicSmemBytes = 232449;
    REFUSED(launch_rotate_dynamic(&config, values, poisoned));
    cr_assert(cudaFuncSetAttribute(NULL, cudaFuncAttributeMaxDynamicSharedMemorySize, 4) ==
              cudaErrorInvalidDeviceFunction);
    OK(cudaFuncSetAttribute(rotate_dynamic_kernel(), cudaFuncAttributePreferredSharedMemoryCarveout,
                            50));
    REFUSED(cudaFuncSetAttribute(rotate_dynamic_kernel(),
                                 cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    REFUSED(cudaFuncSetAttribute(rotate_dynamic_kernel(), (enum cudaFuncAttribute)99, 1));
    REFUSED(cudaFuncGetAttributes(NULL, rotate_dynamic_kernel()));
    cr_assert(cudaFuncGetAttributes(&is, NULL) == cudaErrorInvalidDeviceFunction);
}

Test(model_threads, static_shared_arrays_are_poisoned_and_counted)
{
    int *poisoned = device((size_t)4 * 32 * sizeof *poisoned, 0);

    OK(launch_find_static_poison(line(4, 32), poisoned));
    for (int i = 0; i < 4 * 32; i++)
        cr_assert(poisoned[i] == 1, "thread %d", i);
    cr_assert(find_static_poison_attributes().sharedSizeBytes == 384);
    cr_assert(find_static_poison_attributes().maxDynamicSharedSizeBytes == 49152 - 384);
    cr_assert(small_shared_attributes().sharedSizeBytes == 32 * sizeof(int));
}

Test(model_threads, too_much_static_shared_memory, .init = cr_redirect_stderr)
{
    int *out = device(32 * sizeof *out, 0);

    cr_assert(launch_large_shared(line(1, 32), out) == cudaErrorInvalidKernelImage);
    cr_assert_str_eq(complaints(),
                     "kernelgate: kernel large_shared: its shared arrays take 49156 bytes, above "
                     "the limit of 49152: nvcc would not build it; use dynamic shared memory\n");
    OK(cudaDeviceSynchronize());
}

Test(model_threads, ended_threads_do_not_hold_up_a_barrier)
{
    int *out = device(200 * sizeof *out, 0);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        for (int staying = 0; staying <= 200; staying += 50) {
            memset(out, 0, 200 * sizeof *out);
            OK(launch_leave_early(line(2, 200), staying, out));
            cr_assert(kg__model_last_launch().barriers == (staying > 0 ? 4 : 0));
            for (int i = 0; i < 200; i++)
                cr_assert(out[i] == (i < staying ? staying : 0));
        }
    }
}

Test(model_threads, votes_of_a_block)
{
    int(*out)[3] = device(77 * sizeof *out, 0);

    for (int limit = 0; limit <= 77; limit += 7) {
        OK(launch_votes(line(1, 77), limit, out[0]));
        for (int i = 0; i < 77; i++)
            cr_assert(out[i][0] == limit && out[i][1] == (limit == 77) && out[i][2] == (limit > 0));
    }
}

/* Runs a warp operation over a warp and a half, in both orders, into out[48]. */
static void operate(warp_operation operation, int argument, int width, int *out)
{
    int *memory = device(48 * sizeof *memory, 0);

    kg__model_set_order(KG__MODEL_REVERSED);
    OK(launch_warp(line(1, 48), operation, argument, width, memory));
    memcpy(out, memory, 48 * sizeof *out);
    kg__model_set_order(KG__MODEL_ASCENDING);
    OK(launch_warp(line(1, 48), operation, argument, width, memory));
    cr_assert(memcmp(out, memory, 48 * sizeof *out) == 0, "the order of lanes shows");
    cr_assert(kg__model_last_launch().warp_operations > 0 && kg__model_last_launch().barriers == 0);
    OK(cudaFree(memory));
}

/* The value of a lane, as the kernel has it; all ones where the lane does not exist. */
static int lane_value(int warp, int lane)
{
    return warp == 0 || lane < 16 ? 32 * warp + lane + 100 : -1;
}

/* The lane that a shuffle reads from. */
static int source_of(warp_operation operation, int lane, int argument, int width)
{
    const int begin = lane / width * width;

    switch (operation) {
    case SHUFFLE:
        return begin + argument % width;
    case SHUFFLE_UP:
        return lane - begin >= argument ? lane - argument : lane;
    case SHUFFLE_DOWN:
        return lane - begin + argument < width ? lane + argument : lane;
    default:
        return (lane ^ argument) < begin + width ? lane ^ argument : lane;
    }
}

Test(model_threads, shuffles)
{
    static const int widths[] = { 1, 2, 8, 16, 32 };
    static const int arguments[] = { 0, 1, 3, 7, 16, 31, 33 };
    int out[48];

    for (size_t i = 0; i < LENGTH(widths) * LENGTH(arguments) * 4; i++) {
        warp_operation operation = (warp_operation)(SHUFFLE + i % 4);
        int width = widths[i / 4 % 5];
        int argument = arguments[i / 20] % (operation == SHUFFLE ? 64 : 32);

        operate(operation, argument, width, out);
        for (int j = 0; j < 48; j++)
            cr_assert(out[j] == lane_value(j / 32, source_of(operation, j % 32, argument, width)),
                      "operation %d by %d of %d, thread %d", (int)operation, argument, width, j);
    }
}

Test(model_threads, votes_and_reductions_of_a_warp)
{
    static const struct {
        warp_operation operation;
        int argument;
        unsigned int first, second; /* of the lanes of the whole warp, and of the half one */
    } rows[] = {
        { BALLOT_ODD, 0, 0xaaaaaaaau, 0xaaaa },
        { ANY_IS, 120, 1, 0 },
        { ALL_BELOW, 132, 1, 0 },
        { SUM, 0, 32 * 100 + 31 * 16, 16 * 132 + 15 * 8 },
        { MINIMUM, 110, 110 - 131 + 100, 110 - 147 + 132 },
        { MAXIMUM, 110, 110 - 100 + 131, 110 - 132 + 147 },
        { ALL_BITS, 0, 0, 0x80 },
        { ANY_BITS, 0, 0xff, 0x80 | 0x1f },
        { PARITY, 0, 0, 0 },
    };
    int out[48];

    for (size_t i = 0; i < LENGTH(rows); i++) {
        operate(rows[i].operation, rows[i].argument, 32, out);
        for (int lane = 0; lane < 48; lane++)
            cr_assert((unsigned int)out[lane] == (lane < 32 ? rows[i].first : rows[i].second),
                      "row %zu, lane %d: %#x", i, lane, (unsigned int)out[lane]);
    }
    operate(MATCH_MOD, 4, 32, out);
    cr_assert((unsigned int)out[1] == 0x22222222u && out[35] == 0x8888);
    operate(SYNC, 0, 32, out);
    for (int i = 0; i < 48; i++)
        cr_assert(out[i] == (i ^ 1) + 100);
}

Test(model_threads, parts_of_a_warp_meet_apart)
{
    int *out = device(64 * sizeof *out, 0);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        OK(launch_half_warps(line(1, 64), out));
        for (int i = 0; i < 64; i++) {
            int base = i / 16 * 16;

            cr_assert(out[i] == (i % 32 < 16 ? 16 * base + 120 : base + 3), "thread %d has %d", i,
                      out[i]);
        }
    }
}

Test(model_threads, ended_lanes_do_not_hold_up_a_warp)
{
    int *out = device(40 * sizeof *out, 0);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        OK(launch_leave_warp(line(1, 40), 20, out));
        for (int i = 0; i < 20; i++)
            cr_assert(out[i] == 8);
        OK(launch_leave_warp(line(1, 40), 1, out));
        cr_assert(out[0] == -1, "lane 1 has ended, so its value is undefined");
    }
}

Test(model_threads, atomics)
{
    int *integers = device(6 * sizeof *integers, 0);
    unsigned int *naturals = device(6 * sizeof *naturals, 0);
    float *reals = device(sizeof *reals, 0);

    naturals[0] = UINT32_MAX;
    naturals[2] = 0x0f;
    OK(launch_atomics(line(1, 64), integers, naturals, reals));
    cr_assert(integers[0] == 63 * 64 / 2 && integers[1] == -64);
    cr_assert(integers[2] == -63 && integers[3] == 63);
    cr_assert(integers[4] == 64 && integers[5] == 63);
    cr_assert(naturals[0] == 0 && naturals[1] == UINT32_MAX && naturals[2] == 0x0f);
    cr_assert(naturals[3] == 64 % 5 && naturals[4] == 1 && naturals[5] == 128);
    cr_assert((int)reals[0] == 32);
}

/* Each thread checks itself, and writes 1. */
Test(model_threads, shuffles_of_types)
{
    int *out = device(64 * sizeof *out, 0);
    cudaLaunchConfig_t two_warps = *line(1, 64);

    OK(launch_shuffle_types(&two_warps, out));
    for (int i = 0; i < 64; i++)
        cr_assert(out[i] == 1, "thread %d", i);
}

enum { LAUNCHES = 200 };

static void *launch_often(void *count)
{
    for (int i = 0; i < LAUNCHES; i++) {
        if (launch_count(line(2, 50), count) != cudaSuccess)
            return NULL;
    }
    return count;
}

Test(model_threads, host_threads_take_turns)
{
    pthread_t host_threads[4];
    unsigned long long *count = device(sizeof *count, 0);

    for (int i = 0; i < 4; i++)
        cr_assert(pthread_create(&host_threads[i], NULL, launch_often, count) == 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;

        cr_assert(pthread_join(host_threads[i], &result) == 0);
        cr_assert(result == count);
    }
    cr_assert(*count == 4ull * LAUNCHES * 100);
}
