/* SPDX-License-Identifier: MIT */
/* The running grid: its shape, and which block is next. */
#include "model/exec/grid.h"

#include "model/exec/allocations.h"
#include "model/exec/processes.h"
#include "model/exec/workers.h"

#include <stdatomic.h>
#include <string.h>

KG__MODEL_OF_WORKER uint3 threadIdx;
KG__MODEL_OF_WORKER uint3 blockIdx;
uint3 blockDim;
uint3 gridDim;
uint3 kg__model_cluster_dim = { 1, 1, 1 };
extern const int warpSize;
const int warpSize = KG__MODEL_WARP;

#ifdef KG__MODEL_IS_LIBRARY
static kg__grid of_launcher;
KG__MODEL_OF_WORKER kg__grid *kg__worker_grid = &of_launcher;
#else
kg__grid kg__running;
#endif
_Thread_local bool kg__in_kernel;
KG__MODEL_OF_WORKER kg__model_straight kg__model_own_straight;

bool kg__model_where(kg__model_place *place)
{
    unsigned int number = (unsigned int)kg__running.current;

    if (!kg__in_kernel)
        return false;
    if (place != NULL) {
        *place = (kg__model_place){
            .kernel = kg__running.launch.kernel->name,
            .block = blockIdx,
            .thread = kg__running.threads[number].index,
            .linear = number,
            .warp = number / KG__MODEL_WARP,
            .lane = number % KG__MODEL_WARP,
        };
    }
    return true;
}

const char *kg__exec_kernel_name(void)
{
    return kg__running.launch.kernel->name;
}

uintptr_t kg__exec_own_place(void)
{
    static KG__MODEL_OF_WORKER char place;

    return (uintptr_t)&place;
}

unsigned char *kg__own_array(const kg__model_shared_array *array)
{
    return array->base +
           (kg__running.launch.kernel->shared_of_threads ? kg__exec_own_place() - array->owner : 0);
}

void *kg__model_dynamic_shared(void)
{
    return kg__running.dynamic_shared;
}

int kg__model_carry(void)
{
    return kg__running.threads[kg__running.current].carry;
}

void kg__model_set_carry(int carry)
{
    kg__running.threads[kg__running.current].carry = carry != 0;
}

/* Cycles that a call of clock64() takes, and those of a call after many by the same thread. */
#define CLOCK_STEP 32
#define CLOCK_STEP_MAXIMUM (1 << 20)

long long kg__model_clock(void)
{
    static _Atomic long long now;
    static _Thread_local int thread;
    static _Thread_local unsigned int block;
    static _Thread_local long long step = CLOCK_STEP;

    kg__exec_leave_process();
    /* Kernels that wait for a time call it again and again: 10 ms took 600,000 calls of each
     * thread, and take 50 when each step is longer than the last. */
    step = thread == kg__running.current && block == blockIdx.x
               ? step + (step < CLOCK_STEP_MAXIMUM ? step / 4 : 0)
               : CLOCK_STEP;
    thread = kg__running.current;
    block = blockIdx.x;
    return atomic_fetch_add(&now, step) + step;
}

bool kg__exec_is_local(const void *address)
{
    const kg__model_fiber *fiber;

    if (!kg__in_kernel)
        return false;
    fiber = kg__running.straight ? kg__running.straight_fiber
                                 : kg__running.threads[kg__running.current].fiber;
    return (uintptr_t)address - (uintptr_t)fiber->stack < fiber->stack_size;
}

size_t kg__model_dynamic_bytes(void)
{
    return kg__running.launch.dynamic_bytes;
}

unsigned int kg__exec_thread_count(void)
{
    return (unsigned int)kg__running.thread_count;
}

bool kg__exec_shares_blocks(void)
{
    return kg__running.queue != NULL;
}

bool kg__exec_any_ended(void)
{
    kg__leave_straight();
    return kg__running.live < kg__running.thread_count;
}

bool kg__exec_lacks_lanes(unsigned int warp)
{
    const unsigned int lanes = (unsigned int)kg__running.thread_count - warp * KG__MODEL_WARP;

    return kg__running.warps[warp].live !=
           (lanes < KG__MODEL_WARP ? (1u << lanes) - 1 : UINT32_MAX);
}

uint32_t kg__exec_lanes(unsigned int warp)
{
    return kg__running.warps[warp].live;
}

uintptr_t kg__exec_barrier_of(unsigned int thread)
{
    const kg__warp *warp = &kg__running.warps[thread / KG__MODEL_WARP];

    return (warp->arrived >> thread % KG__MODEL_WARP & 1) != 0 ? kg__running.threads[thread].code
                                                               : 0;
}

unsigned int kg__exec_cluster_size(void)
{
    return (unsigned int)kg__exec_volume(kg__model_cluster_dim);
}

unsigned int kg__exec_cluster_rank(void)
{
    const uint3 *cluster = &kg__model_cluster_dim;

    return (blockIdx.z % cluster->z * cluster->y + blockIdx.y % cluster->y) * cluster->x +
           blockIdx.x % cluster->x;
}

/* They usually are those of the previous launch. */
static void shape_threads(dim3 block)
{
    const dim3 indexed = kg__running.indexed;
    int i = 0;

    kg__running.thread_count = (int)(block.x * block.y * block.z);
    kg__running.warp_count = (kg__running.thread_count + KG__MODEL_WARP - 1) / KG__MODEL_WARP;
    if (block.x == indexed.x && block.y == indexed.y && block.z == indexed.z)
        return;
    for (unsigned int z = 0; z < block.z; z++) {
        for (unsigned int y = 0; y < block.y; y++) {
            for (unsigned int x = 0; x < block.x; x++)
                kg__running.threads[i++].index = (uint3){ x, y, z };
        }
    }
    kg__running.indexed = block;
}

void kg__take_launch(const kg__exec_launch *launch, kg__model_order order)
{
    kg__running.launch = *launch;
    kg__running.watcher = launch->watcher;
    kg__running.order = order;
    kg__running.last_wait_for_watcher = 0;
    kg__running.statistics = (kg__model_statistics){ 0 };
    kg__running.failure = (kg__exec_failure){ .error = cudaSuccess };
    shape_threads(launch->block);
}

void kg__shape_grid(const kg__exec_launch *launch)
{
    const dim3 grid = launch->grid;

    blockDim = (uint3){ launch->block.x, launch->block.y, launch->block.z };
    kg__model_cluster_dim = (uint3){ launch->cluster.x, launch->cluster.y, launch->cluster.z };
    gridDim = (uint3){ grid.x, grid.y, grid.z };
    if (kg__running.order != KG__MODEL_REVERSED) {
        blockIdx = (uint3){ 0, 0, 0 };
        kg__running.first_warp = 0;
        kg__running.step = 1;
    } else {
        blockIdx = (uint3){ grid.x - 1, grid.y - 1, grid.z - 1 };
        kg__running.first_warp = kg__running.warp_count - 1;
        kg__running.step = -1;
    }
}

void kg__begin_block(void)
{
    const kg__model_kernel *kernel = kg__running.launch.kernel;

    memset(kg__running.dynamic_shared, KG__MODEL_POISON, kg__running.launch.dynamic_bytes);
    for (size_t i = 0; !kernel->shared_of_threads && i < kernel->shared_count; i++)
        memset(kernel->shared[i].base, KG__MODEL_POISON, kernel->shared[i].size);
    for (int i = 0; i < kg__running.warp_count; i++) {
        int lanes = kg__running.thread_count - i * KG__MODEL_WARP;
        unsigned int all = lanes < KG__MODEL_WARP ? (1u << lanes) - 1 : UINT32_MAX;

        kg__running.warps[i] = (kg__warp){ .live = all, .ready = all };
    }
    kg__running.live = kg__running.ready = kg__running.thread_count;
    kg__running.arrived = 0;
    kg__running.nonzero = 0;
    kg__running.at_grid = 0;
    kg__running.polling = 0;
    kg__running.futile_polls = 0;
    kg__running.futile_rounds = 0;
    kg__running.frontier = kg__running.step > 0 ? 0 : kg__running.thread_count - 1;
    kg__running.straight = kg__running.step > 0 && !kg__blocks_wait();
    if (kg__running.watcher != NULL)
        kg__running.watcher->begin_block();
    kg__turn_to_warp(kg__running.first_warp);
    kg__running.statistics.blocks++;
}

void kg__leave_straight(void)
{
    const int current = kg__running.current;
    const unsigned int lane = 1u << current % KG__MODEL_WARP;

    if (!kg__running.straight)
        return;
    kg__running.straight = false;
    kg__model_own_straight.on = false;
    kg__running.threads[current].fiber = kg__running.straight_fiber;
    kg__running.turn = current / KG__MODEL_WARP;
    for (int i = 0; i < kg__running.turn; i++)
        kg__running.warps[i].live = kg__running.warps[i].ready = 0;
    kg__running.warps[kg__running.turn].live &= -lane;
    kg__running.warps[kg__running.turn].ready &= -lane & ~lane;
    kg__running.live = kg__running.thread_count - current;
    kg__running.ready = kg__running.live - 1;
    kg__running.frontier = current + 1;
    kg__running.statistics.threads += (uint64_t)current;
}

/* Steps an index of one dimension; false when it wraps around. */
static bool step(unsigned int *index, unsigned int first, unsigned int count)
{
    bool up = kg__running.step > 0;

    if (*index != (up ? first + count - 1 : first)) {
        *index += up ? 1 : UINT32_MAX;
        return true;
    }
    *index = up ? first : first + count - 1;
    return false;
}

static bool step_index(uint3 *index, uint3 first, uint3 count)
{
    return step(&index->x, first.x, count.x) || step(&index->y, first.y, count.y) ||
           step(&index->z, first.z, count.z);
}

/* A prime that shares no factor with the number of blocks, so that steps of it visit every
 * block. */
#define SHUFFLE 2654435761u

/* Steps an index of a grid of blocks, or of clusters, in the order of the launch. */
static bool step_in_grid(uint3 *index, uint3 count)
{
    uint64_t place;

    if (kg__running.order != KG__MODEL_SHUFFLED)
        return step_index(index, (uint3){ 0, 0, 0 }, count);
    place = (kg__exec_number_of(*index, count) + SHUFFLE) % kg__exec_volume(count);
    *index = kg__exec_index_of(place, count);
    return place != 0;
}

bool kg__step_block(void)
{
    const uint3 size = kg__model_cluster_dim;
    uint3 cluster;
    uint3 first;

    if (kg__exec_cluster_size() == 1)
        return step_in_grid(&blockIdx, gridDim);
    cluster = (uint3){ blockIdx.x / size.x, blockIdx.y / size.y, blockIdx.z / size.z };
    first = (uint3){ cluster.x * size.x, cluster.y * size.y, cluster.z * size.z };
    if (step_index(&blockIdx, first, size))
        return true;
    if (!step_in_grid(&cluster,
                      (uint3){ gridDim.x / size.x, gridDim.y / size.y, gridDim.z / size.z }))
        return false;
    blockIdx.x += cluster.x * size.x - first.x;
    blockIdx.y += cluster.y * size.y - first.y;
    blockIdx.z += cluster.z * size.z - first.z;
    return true;
}

bool kg__claim_block(void)
{
    kg__queue *queue = kg__running.queue;
    uint64_t number;

    if (queue->stopped)
        return false;
    number = queue->claimed++;
    if (number >= queue->count)
        return false;
    blockIdx = kg__exec_index_of(number, gridDim);
    return true;
}

static void (*on_block)(uint64_t done, uint64_t all);

void kg__exec_on_block(void (*told)(uint64_t done, uint64_t all))
{
    on_block = told;
}

void kg__tell_ended_blocks(uint64_t done)
{
    if (on_block != NULL)
        on_block(done, kg__exec_volume(gridDim));
}

static bool claim_next_block(void)
{
    kg__note_ended_block();
    if (!kg__claim_block())
        return false;
    kg__begin_block();
    return true;
}

bool kg__begin_next_block(void)
{
    kg__exec_next_block next = kg__running.watcher != NULL
                                   ? kg__running.watcher->end_block(&blockIdx)
                                   : KG__EXEC_NEXT_IN_ORDER;

    if (kg__running.queue != NULL)
        return claim_next_block();
    if (!kg__is_process())
        kg__tell_ended_blocks(kg__running.statistics.blocks);
    if (next == KG__EXEC_NEXT_NONE || (next == KG__EXEC_NEXT_IN_ORDER && kg__rest_was_run()))
        return false;
    if (kg__is_process())
        kg__next_of_process();
    else if (next == KG__EXEC_NEXT_IN_ORDER && !kg__step_block())
        return false;
    kg__begin_block();
    return true;
}
