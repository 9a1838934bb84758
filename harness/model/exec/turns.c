/* SPDX-License-Identifier: MIT */
/* Turns: which thread of the block runs next, and when a barrier is released. */
#include "model/exec/turns.h"

#include "base/message.h"
#include "model/exec/copies.h"
#include "model/exec/faults.h"
#include "model/exec/grid.h"
#include "model/exec/warp_operations.h"
#include "model/exec/workers.h"

/* After this many reads by all waiting threads of the block, and at least two by each, no thread
 * of it will change the value. */
#define FUTILE_POLLS (1u << 16)

/* When no lane of the running warp can run: has the watcher replay its lanes, then releases
 * complete operations. Returns whether a lane can run now. */
static bool settle_warp(void)
{
    unsigned int number = (unsigned int)kg__running.turn;
    kg__warp *warp = &kg__running.warps[number];

    if (kg__running.watcher != NULL) {
        for (uint32_t lanes = kg__running.watcher->replay(); lanes != 0; lanes &= lanes - 1)
            kg__make_ready(number, (unsigned int)__builtin_ctz(lanes));
        if (warp->ready != 0)
            return true;
        warp->released = NULL;
    }
    if (kg__running.at_objects)
        kg__release_objects();
    if (warp->waiting != 0)
        kg__release_warp_operations(number);
    return warp->ready != 0;
}

/* When no other thread can run: lets the threads that poll read again. False if there are none,
 * or if they poll in vain, or until the blocks that it may wait for have run. */
static bool release_polling(void)
{
    if (kg__running.polling == 0 ||
        (++kg__running.futile_rounds > 2 &&
         (kg__blocks_wait() ||
          (kg__running.futile_polls > FUTILE_POLLS && kg__all_wait_in_vain()))))
        return false;
    for (int i = 0; i < kg__running.warp_count; i++) {
        kg__running.warps[i].ready |= kg__running.warps[i].polling;
        kg__running.warps[i].polling = 0;
    }
    kg__running.ready = kg__running.polling;
    kg__running.polling = 0;
    return true;
}

/* Returns whether the running block, none of whose threads can run, waits for blocks that may. A
 * cluster's wait in vain after two turns each in which they have polled, those of a cooperative
 * launch, which may read one value for long without waiting, after as many reads as others, too. */
static bool block_waits_for_others(void)
{
    const bool is_cooperative = kg__running.launch.is_cooperative;
    const uint64_t blocks = is_cooperative ? (uint64_t)gridDim.x * gridDim.y * gridDim.z
                                           : (uint64_t)kg__exec_cluster_size();

    return kg__block_waits_for_grid() ||
           (kg__running.polling > 0 && kg__blocks_wait() &&
            ((uint64_t)kg__running.futile_rounds <= 2 * blocks + 2 ||
             (is_cooperative && kg__running.futile_polls <= FUTILE_POLLS * blocks)));
}

/* Gives the turn to the next ready thread, if there is one. A warp keeps the turn while one of
 * its lanes can run. */
static inline bool pick_thread(void)
{
    kg__warp *warp;
    unsigned int lane;

    while (kg__running.warps[kg__running.turn].ready == 0 && !settle_warp()) {
        int next = kg__running.turn + kg__running.step;

        if (kg__running.ready == 0 && !release_polling())
            return false;
        if (next < 0 || next == kg__running.warp_count)
            next = kg__running.first_warp;
        kg__turn_to_warp(next);
    }
    warp = &kg__running.warps[kg__running.turn];
    lane = kg__running.step > 0 ? (unsigned int)__builtin_ctz(warp->ready)
                                : KG__MODEL_WARP - 1 - (unsigned int)__builtin_clz(warp->ready);
    warp->ready &= ~(1u << lane);
    kg__running.ready--;
    kg__running.current = kg__running.turn * KG__MODEL_WARP + (int)lane;
    threadIdx = kg__running.threads[kg__running.current].index;
    return true;
}

/* Returns true, once for each thread, when the running thread has not begun yet. */
static inline bool begins(void)
{
    if (kg__running.current != kg__running.frontier)
        return false;
    kg__running.frontier += kg__running.step;
    return true;
}

/* Called after the switch: until then the code still belongs to the thread that leaves. */
void kg__resume_thread(void)
{
    if (kg__running.watcher != NULL)
        kg__running.watcher->resume_lane((unsigned int)kg__running.current % KG__MODEL_WARP,
                                         kg__running.threads[kg__running.current].fiber->stack);
}

/* The running thread waits, at `code`. */
static inline void stop_at(uintptr_t code)
{
    if (kg__running.watcher != NULL)
        kg__running.watcher->pause_lane();
    kg__running.threads[kg__running.current].code = code;
}

static inline kg__model_turn next_turn(void)
{
    kg__thread *self = &kg__running.threads[kg__running.current];
    kg__thread *next;

    if (!pick_thread()) {
        if (!block_waits_for_others())
            kg__fail_deadlock();
        return kg__model_leave_for(self->fiber, &self->context, NULL, kg__running.host_context);
    }
    next = &kg__running.threads[kg__running.current];
    if (next == self) {
        kg__resume_thread();
        return (kg__model_turn){ 0 };
    }
    if (begins()) {
        kg__model_fiber *fiber = kg__model_fiber_take();

        if (fiber == NULL) {
            kg__running.current = (int)(self - kg__running.threads);
            kg__model_trap(cudaErrorLaunchOutOfResources,
                           "no memory can be mapped for another thread's stack: raise the limit on "
                           "virtual memory (ulimit -v)");
        }
        next->fiber = fiber;
        next->context = fiber->context;
    }
    return kg__model_leave_for(self->fiber, &self->context, next->fiber, next->context);
}

static void release_barrier(void)
{
    if (kg__running.watcher != NULL) {
        (void)kg__running.watcher->replay();
        kg__running.watcher->barrier(kg__running.first_barrier, kg__running.several_barriers);
    }
    for (int i = 0; i < kg__running.warp_count; i++) {
        kg__running.warps[i].ready |= kg__running.warps[i].arrived;
        kg__running.warps[i].arrived = 0;
    }
    kg__running.ready += kg__running.arrived;
    kg__running.votes =
        (kg__model_votes){ .arrived = kg__running.arrived, .nonzero = kg__running.nonzero };
    kg__running.arrived = 0;
    kg__running.nonzero = 0;
    kg__turn_to_warp(kg__running.first_warp);
    kg__running.statistics.barriers++;
}

kg__model_turn kg__model_arrive(int predicate)
{
    uintptr_t code = (uintptr_t)__builtin_return_address(0);

    kg__leave_straight();
    stop_at(code);
    kg__running.warps[kg__running.turn].arrived |=
        1u << (unsigned int)kg__running.current % KG__MODEL_WARP;
    if (kg__running.arrived == 0)
        kg__running.first_barrier = code;
    kg__running.several_barriers = kg__running.arrived > 0 && (kg__running.several_barriers ||
                                                               code != kg__running.first_barrier);
    kg__running.nonzero += predicate != 0;
    if (++kg__running.arrived == kg__running.live)
        release_barrier();
    return next_turn();
}

kg__model_votes kg__model_last_votes(void)
{
    return kg__running.votes;
}

kg__model_turn kg__model_arrive_at_blocks(void)
{
    kg__running.grid_barrier = (uintptr_t)__builtin_return_address(0);
    stop_at(kg__running.grid_barrier);
    if (kg__running.launch.is_cooperative && kg__has_copies())
        kg__model_trap(cudaErrorNotSupported, "an asynchronous copy is pending at grid.sync(), "
                                              "which the CPU model does not support");
    kg__running.at_grid++;
    kg__running.warps[kg__running.turn].at_grid |=
        1u << (unsigned int)kg__running.current % KG__MODEL_WARP;
    return next_turn();
}

uint64_t kg__exec_arrive_at(kg__model_barrier_object *object, unsigned int count,
                            unsigned int leaving, uintptr_t code)
{
    uint64_t phase = object->phase;

    if (kg__running.watcher != NULL)
        kg__running.watcher->at_object(object, true, code);
    if (!kg__arrive_at_object(object, count, leaving))
        kg__fail_wrong(KG__INVALID_BARRIER, code,
                       "more threads arrive at a cuda::barrier than it expects, or it was never "
                       "initialized");
    return phase;
}

kg__model_turn kg__exec_wait_at(kg__model_barrier_object *object, uint64_t phase, uintptr_t code)
{
    kg__leave_straight();
    if (!kg__wait_at_object(object, phase)) {
        if (kg__running.watcher != NULL)
            kg__running.watcher->at_object(object, false, code);
        return (kg__model_turn){ 0 };
    }
    stop_at(code);
    return next_turn();
}

kg__model_turn kg__model_wait_at_object(kg__model_barrier_object *object, uint64_t phase)
{
    return kg__exec_wait_at(object, phase, (uintptr_t)__builtin_return_address(0));
}

kg__model_turn kg__model_wait_at_parity(kg__model_barrier_object *object, int parity)
{
    bool is_running = (object->phase & 1) == (parity != 0);

    return kg__exec_wait_at(object, object->phase - !is_running,
                            (uintptr_t)__builtin_return_address(0));
}

/* Returns a barrier by its number, whose phase completes with `threads` arrivals. */
static kg__model_barrier_object *take_numbered(unsigned int number, unsigned int threads,
                                               uintptr_t code)
{
    kg__model_barrier_object *object = kg__numbered_barrier(number);

    kg__leave_straight();
    if (object == NULL || threads % KG__MODEL_WARP != 0)
        kg__fail_wrong(KG__INVALID_BARRIER, code,
                       "a barrier's number is not one from 0 to 15, or its threads are not whole "
                       "warps");
    if (object->pending == object->expected)
        kg__set_expected(object, threads > 0 ? threads : (unsigned int)kg__running.live);
    return object;
}

kg__model_turn kg__model_wait_at_numbered(unsigned int number, unsigned int threads)
{
    const uintptr_t code = (uintptr_t)__builtin_return_address(0);
    kg__model_barrier_object *object = take_numbered(number, threads, code);

    return kg__exec_wait_at(object, kg__exec_arrive_at(object, 1, 0, code), code);
}

void kg__model_arrive_at_numbered(unsigned int number, unsigned int threads)
{
    const uintptr_t code = (uintptr_t)__builtin_return_address(0);

    (void)kg__exec_arrive_at(take_numbered(number, threads, code), 1, 0, code);
}

kg__model_turn kg__exec_wait_for_others(uintptr_t code)
{
    kg__thread *self = &kg__running.threads[kg__running.current];

    kg__leave_straight();
    kg__running.futile_polls += self->polls;
    self->polls = 0;
    stop_at(code);
    kg__running.warps[kg__running.turn].polling |=
        1u << (unsigned int)kg__running.current % KG__MODEL_WARP;
    kg__running.polling++;
    return next_turn();
}

kg__model_turn kg__exec_wait_for_watcher(uintptr_t code)
{
    kg__leave_straight();
    kg__running.last_wait_for_watcher = code;
    kg__running.last_waiting_for_watcher = kg__running.current;
    return next_turn();
}

kg__model_turn kg__model_join_warp_operation(kg__model_warp_operation operation, unsigned int mask,
                                             uint64_t value, unsigned int argument,
                                             unsigned int width)
{
    kg__thread *self = &kg__running.threads[kg__running.current];
    unsigned int lane = (unsigned int)kg__running.current % KG__MODEL_WARP;

    kg__leave_straight();
    stop_at((uintptr_t)__builtin_return_address(0));
    if ((mask >> lane & 1) == 0) {
        char text[128];

        kg__format(text, sizeof text,
                   "invalid warp operation: lane %u calls it, which is not in its mask 0x%08x",
                   lane, mask);
        kg__fail_wrong(KG__INVALID_WARP_OPERATION, self->code, text);
    }
    if (width == 0 || width > KG__MODEL_WARP || (width & (width - 1)) != 0)
        kg__fail_wrong(KG__INVALID_WARP_OPERATION, self->code,
                       "a shuffle's width is not a power of two from 1 to 32");
    self->operation = operation;
    self->mask = mask;
    self->value = value;
    self->argument = argument;
    self->width = width;
    kg__running.warps[kg__running.turn].waiting |= 1u << lane;
    return next_turn();
}

uint64_t kg__model_warp_operation_result(void)
{
    return kg__running.threads[kg__running.current].result;
}

/* Ends the running thread, which has returned from the kernel. No thread waits for it any
 * longer. */
static inline void end_thread(void)
{
    if (kg__running.watcher != NULL)
        kg__running.watcher->pause_lane();
    kg__running.live--;
    kg__running.statistics.threads++;
    kg__running.warps[kg__running.turn].live &=
        ~(1u << (unsigned int)kg__running.current % KG__MODEL_WARP);
    if (kg__running.arrived > 0 && kg__running.arrived == kg__running.live)
        release_barrier();
}

void kg__begin_turns(kg__model_fiber *fiber)
{
    (void)pick_thread();
    (void)begins();
    kg__running.threads[kg__running.current].fiber = fiber;
    kg__running.threads[kg__running.current].context = fiber->context;
}

kg__model_fiber *kg__give_first_turn(void)
{
    (void)pick_thread();
    return kg__running.threads[kg__running.current].fiber;
}

/* Has the watcher go on from a thread that has returned to the next one, on the same stack. */
static void step_lane(const kg__model_fiber *self)
{
    const kg__exec_watcher *watcher = kg__running.watcher;
    const unsigned int lane = (unsigned int)kg__running.current % KG__MODEL_WARP;

    watcher->pause_lane();
    if (lane == 0) {
        (void)watcher->replay();
        kg__turn_to_warp(kg__running.current / KG__MODEL_WARP);
    }
    watcher->resume_lane(lane, self->stack);
}

/* Runs the threads of a block from the current one on, until one has waited or the block's last
 * has returned. */
static void run_straight(kg__model_fiber *self)
{
    kg__running.straight_fiber = self;
    kg__model_own_straight =
        (kg__model_straight){ kg__running.watcher == NULL, kg__running.thread_count - 1,
                              &kg__running.current };
    /* Most bodies call their kernel for all threads. */
    for (;;) {
        kg__running.launch.body(kg__running.launch.context);
        if (!kg__running.straight || kg__running.current == kg__running.thread_count - 1)
            break;
        kg__running.current++;
        kg__model_step_thread(&threadIdx, &blockDim);
        if (kg__running.watcher != NULL)
            step_lane(self);
    }
    kg__leave_straight();
}

void kg__run_threads(kg__model_fiber *self)
{
    for (;;) {
        bool more = true;

        if (kg__running.straight)
            run_straight(self);
        else
            kg__running.launch.body(kg__running.launch.context);
        end_thread();
        while (more && !pick_thread()) {
            if (kg__running.live > 0 && !block_waits_for_others())
                kg__fail_deadlock();
            /* Blocks that are resident at once take turns on the host's stack. */
            more = !kg__blocks_wait() && kg__begin_next_block();
            if (more)
                kg__begin_copies();
        }
        if (more && begins()) {
            kg__running.threads[kg__running.current].fiber = self;
            kg__resume_thread();
            continue;
        }
        /* The next user of this fiber gives the turn to a thread that begins. */
        kg__model_fiber_give(self);
        if (more)
            kg__model_switch(self, &self->context, kg__running.threads[kg__running.current].fiber,
                             kg__running.threads[kg__running.current].context);
        else
            kg__model_switch(self, &self->context, NULL, kg__running.host_context);
    }
}
