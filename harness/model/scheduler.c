/* The CPU model's scheduler: launches, and whose turn it is among a block's threads. */
#include "model/model.h"

#include "base/message.h"
#include "model/findings.h"
#include "model/places.h"
#include "model/shadow.h"
#include "model/trace.h"
#include "model/watching.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#if defined(__SANITIZE_ADDRESS__)
#define HANDLE_FAULTS 0 /* AddressSanitizer says more about a fault than the model can */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HANDLE_FAULTS 0
#endif
#endif
#ifndef HANDLE_FAULTS
#define HANDLE_FAULTS 1
#endif

#define SHARED_GUARD ((size_t)64 * 1024)
#define SIGNAL_STACK ((size_t)64 * 1024)
/* The calls that are looked through for the kernel's own, from the innermost on. */
#define HANG_CALLS 64
/* How long a process that got SIGTERM can take to name the line: it takes some milliseconds.
 * The observer's parent waits for 5 s (observer.c). */
#define SECONDS_TO_NAME 3

uint3 threadIdx;
uint3 blockIdx;
uint3 blockDim;
uint3 gridDim;
extern const int warpSize;
const int warpSize = KG__MODEL_WARP;

/* A CUDA thread of the block that runs. */
typedef struct thread {
    uint3 index;
    unsigned int mask; /* of the warp operation that it waits in, with what it brought along */
    uint64_t value;
    unsigned int argument;
    unsigned int width;
    kg__model_meeting meeting;
    uint64_t result;        /* what the operation gave it */
    uintptr_t barrier;      /* where in the code it waits, for its block or its warp */
    void *context;          /* where it goes on, while it waits */
    kg__model_fiber *fiber; /* what it runs on, once it has begun */
} thread;

/* A warp of the block that runs. */
typedef struct warp {
    unsigned int live;    /* lanes that have not ended */
    unsigned int waiting; /* lanes that wait in a warp operation */
    unsigned int arrived; /* lanes that wait at the block's barrier */
    unsigned int ready;   /* lanes that have not begun, or may go on */
} warp;

/* The launch that runs. */
static kg__model_kernel *kernel;
static void (*kernel_body)(void *context);
static void *kernel_context;
static size_t dynamic_bytes;
static kg__model_order order = KG__MODEL_ASCENDING;
static kg__model_order launch_order;
static kg__model_statistics statistics;
static void *host_context; /* where the launching host thread goes on */

/* The block that runs. Threads are known by their linear number, x fastest. */
static thread threads[KG__MODEL_MAX_THREADS];
static warp warps[KG__MODEL_MAX_WARPS];
static int thread_count;
static dim3 indexed; /* the block's shape that the indices in `threads` are of */
static int first_warp,
    step; /* the order of turns: warps from first_warp, by step; lanes likewise */
static int warp_count;
static int turn;                /* the warp that has its turn */
static int current;             /* the thread that has */
static int frontier;            /* the first, in order, that has not begun */
static int live;                /* threads that have not ended */
static int ready;               /* threads that have not begun, or may go on */
static int arrived;             /* threads at the barrier */
static int nonzero;             /* those of them whose predicate was not zero */
static uintptr_t first_barrier; /* where the first of them waits, and whether all do */
static bool several_barriers;
static kg__model_votes votes; /* of the barrier last released */

/* The block's dynamic shared memory, between pages that cannot be touched; mapped once. */
static unsigned char *dynamic_shared;

/* Why the launch failed: an error, and a message whose place has been taken down. */
static cudaError_t failure;
static char failure_text[512];
static char failure_words[KG__MESSAGE_SIZE]; /* the same, with who and where */
static kg__model_place failure_place;

static _Thread_local bool in_kernel;

/* Who is told of a launch that SIGTERM ended, NULL: nobody, and the calls that it was in the midst
 * of, by what they return to. */
static void (*tell_hang)(const kg__model_place *place, const char *file, unsigned int line);
static uintptr_t hang_calls[HANG_CALLS];
static size_t hang_call_count;
/* Where in the code a lane last waited for the replay in this launch (0: nowhere), and who. */
static uintptr_t last_wait_for_room;
static int last_in_want_of_room;

void kg__model_set_order(kg__model_order wanted)
{
    order = wanted;
}

kg__model_statistics kg__model_last_launch(void)
{
    return statistics;
}

bool kg__model_where(kg__model_place *place)
{
    if (!in_kernel)
        return false;
    if (place != NULL) {
        *place = (kg__model_place){
            .kernel = kernel->name,
            .block = blockIdx,
            .thread = threads[current].index,
            .linear = (unsigned int)current,
            .warp = (unsigned int)current / KG__MODEL_WARP,
            .lane = (unsigned int)current % KG__MODEL_WARP,
        };
    }
    return true;
}

void *kg__model_dynamic_shared(void)
{
    return dynamic_shared;
}

size_t kg__model_dynamic_bytes(void)
{
    return dynamic_bytes;
}

void kg__model_tell_hang(void (*ended)(const kg__model_place *place, const char *file,
                                       unsigned int line))
{
    tell_hang = ended;
}

/* Maps the dynamic shared memory of all launches to come. */
static bool map_dynamic_shared(void)
{
    if (dynamic_shared == NULL)
        dynamic_shared = kg__model_map(KG__MODEL_SHARED_OPTIN, SHARED_GUARD);
    return dynamic_shared != NULL;
}

/* Ends the launch from within one of its threads. The fibers stay as they are; the host thread
 * makes them new. */
static void fail(cudaError_t error) __attribute__((noreturn));
static void fail(cudaError_t error)
{
    void *abandoned;

    failure = error;
    kg__model_where(&failure_place);
    kg__model_switch(threads[current].fiber, &abandoned, NULL, host_context);
    __builtin_unreachable();
}

void kg__model_trap(cudaError_t error, const char *what)
{
    kg__format(failure_text, sizeof failure_text, "%s", what);
    fail(error);
}

/* Nobody can run, and nothing that anybody waits for can happen. */
static void fail_stuck(void) __attribute__((noreturn));
static void fail_stuck(void)
{
    int meeting = 0;
    int example = 0;
    char barrier[160] = "";
    char operation[160];

    for (int i = warp_count; i-- > 0;) {
        if (warps[i].waiting == 0)
            continue;
        meeting += __builtin_popcount(warps[i].waiting);
        example = i * KG__MODEL_WARP + __builtin_ctz(warps[i].waiting);
    }
    current = example;
    if (arrived > 0)
        kg__describe_line(barrier, sizeof barrier,
                          kg__model_source_of((const void *)first_barrier));
    kg__describe_line(operation, sizeof operation,
                      kg__model_source_of((const void *)threads[example].barrier));
    kg__format(
        failure_text, sizeof failure_text,
        "no thread can go on: %d wait at __syncthreads()%s and %d in warp operations, this one%s "
        "for the lanes 0x%08x, of which 0x%08x wait and 0x%08x have not ended; let every "
        "lane of the mask reach the same operation with the same mask",
        arrived, barrier, meeting, operation, threads[example].mask,
        warps[example / KG__MODEL_WARP].waiting & threads[example].mask,
        warps[example / KG__MODEL_WARP].live);
    fail(cudaErrorLaunchFailure);
}

static void make_ready(unsigned int number, unsigned int lane)
{
    warps[number].ready |= 1u << lane;
    ready++;
}

static void try_meeting(unsigned int number, unsigned int lane);

/* No lane of the warp that has its turn can run: replays what its lanes have done, and then
 * releases those that have met. Returns whether one can run now. */
static bool settle_warp(void)
{
    unsigned int number = (unsigned int)turn;
    const warp *home = &warps[number];

    if (kg__watching) {
        for (uint32_t dry = kg__trace_replay(); dry != 0; dry &= dry - 1)
            make_ready(number, (unsigned int)__builtin_ctz(dry));
        if (home->ready != 0)
            return true;
    }
    for (unsigned int lane = 0; home->waiting != 0 && lane < KG__MODEL_WARP; lane++) {
        if ((home->waiting >> lane & 1) != 0)
            try_meeting(number, lane);
    }
    return home->ready != 0;
}

static void turn_to(int number)
{
    turn = number;
    if (kg__watching)
        kg__trace_begin((unsigned int)number);
}

/* Gives the turn to the next thread that is ready, if there is one: a warp keeps the turn for as
 * long as one of its lanes can run. */
static inline bool pick(void)
{
    unsigned int lane;

    while (warps[turn].ready == 0 && !settle_warp()) {
        int next = turn + step;

        if (ready == 0)
            return false;
        if (next < 0 || next == warp_count)
            next = first_warp;
        turn_to(next);
    }
    lane = step > 0 ? (unsigned int)__builtin_ctz(warps[turn].ready)
                    : KG__MODEL_WARP - 1 - (unsigned int)__builtin_clz(warps[turn].ready);
    warps[turn].ready &= ~(1u << lane);
    ready--;
    current = turn * KG__MODEL_WARP + (int)lane;
    threadIdx = threads[current].index;
    return true;
}

/* True, once for each thread, when the one that has the turn has not begun yet. */
static inline bool begins(void)
{
    if (current != frontier)
        return false;
    frontier += step;
    return true;
}

/* Until a thread has arrived where it goes on, the code around the switch still belongs to the one
 * that leaves. */
void kg__model_resume_trace(void)
{
    if (kg__watching)
        kg__trace_resume((unsigned int)current % KG__MODEL_WARP, threads[current].fiber->stack);
}

/* Who goes on now that the calling thread waits for something. */
static inline kg__model_turn next_turn(void)
{
    thread *self = &threads[current];
    thread *next;

    if (!pick())
        fail_stuck();
    next = &threads[current];
    if (next == self) {
        kg__model_resume_trace();
        return (kg__model_turn){ 0 };
    }
    if (begins()) {
        kg__model_fiber *fiber = kg__model_fiber_take();

        if (fiber == NULL) {
            current = (int)(self - threads);
            kg__model_trap(cudaErrorLaunchOutOfResources,
                           "no memory can be mapped for another thread's stack: raise the limit on "
                           "virtual memory (ulimit -v)");
        }
        next->fiber = fiber;
        next->context = fiber->context;
    }
    return kg__model_leave_for(self->fiber, &self->context, next->fiber, next->context);
}

/* Reports threads that wait for their block at different barriers. */
static void compare_barriers(void)
{
    int example[2] = { -1, -1 };
    int waiting[2] = { 0, 0 };
    kg__model_source source[2];

    for (int i = 0; i < thread_count; i++) {
        if ((warps[i / KG__MODEL_WARP].arrived >> i % KG__MODEL_WARP & 1) == 0)
            continue;
        int other = example[0] >= 0 && threads[i].barrier != threads[example[0]].barrier;

        if (example[other] < 0)
            example[other] = i;
        waiting[other]++;
    }
    if (waiting[1] == 0)
        return;
    for (int i = 0; i < 2; i++)
        source[i] = kg__model_source_of((const void *)threads[example[i]].barrier);
    /* The compiler may have made two calls of one barrier. */
    if (source[0].line == source[1].line && strcmp(source[0].file, source[1].file) == 0)
        return;
    /* The barrier in a branch is the one of fewer threads, or else the earlier one. */
    int few =
        waiting[1] < waiting[0] ||
        (waiting[1] == waiting[0] && threads[example[1]].barrier < threads[example[0]].barrier);
    kg__finding_place place = { threads[example[few]].barrier, KG__NO_ACCESS,
                                (unsigned int)example[few], NULL };
    kg__finding what = { .kind = KG__DIVERGENT_BARRIER,
                         .by.waiting = (unsigned int)waiting[few],
                         .other.waiting = (unsigned int)waiting[!few] };

    kg__set_source(&what.other, source[!few]);
    kg__find(&place, &what);
}

static void release_barrier(void)
{
    if (kg__watching) {
        (void)kg__trace_replay();
        if (several_barriers && kg__watch_checks())
            compare_barriers();
        kg__watch_barrier(first_barrier);
    }
    for (int i = 0; i < warp_count; i++) {
        warps[i].ready |= warps[i].arrived;
        warps[i].arrived = 0;
    }
    ready += arrived;
    votes = (kg__model_votes){ .arrived = arrived, .nonzero = nonzero };
    arrived = 0;
    nonzero = 0;
    turn_to(first_warp);
    statistics.barriers++;
}

kg__model_turn kg__model_arrive(int predicate)
{
    if (kg__watching)
        kg__trace_pause();
    warps[turn].arrived |= 1u << (unsigned int)current % KG__MODEL_WARP;
    threads[current].barrier = (uintptr_t)__builtin_return_address(0);
    if (arrived == 0)
        first_barrier = threads[current].barrier;
    several_barriers =
        arrived > 0 && (several_barriers || threads[current].barrier != first_barrier);
    nonzero += predicate != 0;
    if (++arrived == live)
        release_barrier();
    return next_turn();
}

kg__model_turn kg__model_wait_for_room(uintptr_t code)
{
    last_wait_for_room = code;
    last_in_want_of_room = current;
    kg__trace_pause();
    kg__trace_fill();
    return next_turn();
}

void kg__model_fence(void)
{
    if (kg__watch_checks())
        kg__shadow_fence();
}

kg__model_votes kg__model_last_votes(void)
{
    return votes;
}

/* The lane that a shuffle reads; the lane itself where the shuffle would leave its part of the
 * warp. */
static unsigned int source_lane(const thread *reader, unsigned int lane)
{
    unsigned int part = lane & ~(reader->width - 1);
    unsigned int part_end = part + reader->width;
    unsigned int argument = reader->argument % KG__MODEL_WARP;

    switch (reader->meeting) {
    case KG__MODEL_SHUFFLE:
        return part + (argument & (reader->width - 1));
    case KG__MODEL_SHUFFLE_UP:
        return lane >= part + argument ? lane - argument : lane;
    case KG__MODEL_SHUFFLE_DOWN:
        return lane + argument < part_end ? lane + argument : lane;
    default:
        return (lane ^ argument) < part_end ? lane ^ argument : lane;
    }
}

/* Combines two 32-bit values by a reduction. */
static unsigned int combine(kg__model_meeting meeting, unsigned int a, unsigned int b)
{
    switch (meeting) {
    case KG__MODEL_ADD:
        return a + b;
    case KG__MODEL_MIN_UNSIGNED:
        return a < b ? a : b;
    case KG__MODEL_MIN_SIGNED:
        return (int)a < (int)b ? a : b;
    case KG__MODEL_MAX_UNSIGNED:
        return a > b ? a : b;
    case KG__MODEL_MAX_SIGNED:
        return (int)a > (int)b ? a : b;
    case KG__MODEL_AND:
        return a & b;
    case KG__MODEL_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* The lanes of `group` whose value equals `value`. */
static unsigned int lanes_with(const thread *lanes, unsigned int group, uint64_t value)
{
    unsigned int mask = 0;

    for (unsigned int lane = 0; lane < KG__MODEL_WARP; lane++) {
        if ((group >> lane & 1) != 0 && lanes[lane].value == value)
            mask |= 1u << lane;
    }
    return mask;
}

/* What the lane of a meeting of the lanes `group` gets. */
static uint64_t outcome(const thread *lanes, unsigned int group, unsigned int lane)
{
    kg__model_meeting meeting = lanes[lane].meeting;
    unsigned int first_lane = (unsigned int)__builtin_ctz(group);
    unsigned int reduced = (unsigned int)lanes[first_lane].value;
    unsigned int source;

    switch (meeting) {
    case KG__MODEL_SYNC:
        return 0;
    case KG__MODEL_SHUFFLE:
    case KG__MODEL_SHUFFLE_UP:
    case KG__MODEL_SHUFFLE_DOWN:
    case KG__MODEL_SHUFFLE_XOR:
        source = source_lane(&lanes[lane], lane);
        return (group >> source & 1) != 0 ? lanes[source].value : UINT64_MAX;
    case KG__MODEL_BALLOT:
        return lanes_with(lanes, group, 1);
    case KG__MODEL_ANY:
        return lanes_with(lanes, group, 1) != 0;
    case KG__MODEL_ALL:
        return lanes_with(lanes, group, 1) == group;
    case KG__MODEL_MATCH_ANY:
        return lanes_with(lanes, group, lanes[lane].value);
    default:
        for (unsigned int other = first_lane + 1; other < KG__MODEL_WARP; other++) {
            if ((group >> other & 1) != 0)
                reduced = combine(meeting, reduced, (unsigned int)lanes[other].value);
        }
        return reduced;
    }
}

/* Releases the meeting that `lane` of a warp waits in, if every lane that it names has come. */
static void try_meeting(unsigned int number, unsigned int lane)
{
    thread *lanes = &threads[(size_t)number * KG__MODEL_WARP];
    warp *home = &warps[number];
    unsigned int group = lanes[lane].mask & home->live;

    if ((group & ~home->waiting) != 0)
        return;
    for (unsigned int other = 0; other < KG__MODEL_WARP; other++) {
        if ((group >> other & 1) != 0 &&
            (lanes[other].mask != lanes[lane].mask || lanes[other].meeting != lanes[lane].meeting))
            return;
    }
    for (unsigned int other = 0; other < KG__MODEL_WARP; other++) {
        if ((group >> other & 1) != 0)
            lanes[other].result = outcome(lanes, group, other);
    }
    for (unsigned int other = 0; other < KG__MODEL_WARP; other++) {
        if ((group >> other & 1) != 0)
            make_ready(number, other);
    }
    home->waiting &= ~group;
    statistics.meetings++;
    if (!kg__watching)
        return;
    if (lanes[lane].meeting == KG__MODEL_SYNC)
        kg__shadow_sync(number, group);
    else if (lanes[lane].meeting <= KG__MODEL_SHUFFLE_XOR)
        kg__watch_shuffle(lanes[lane].barrier);
}

kg__model_turn kg__model_begin_meeting(kg__model_meeting meeting, unsigned int mask, uint64_t value,
                                       unsigned int argument, unsigned int width)
{
    thread *self = &threads[current];
    unsigned int number = (unsigned int)current / KG__MODEL_WARP;
    unsigned int lane = (unsigned int)current % KG__MODEL_WARP;

    kg__trace_pause();
    if ((mask >> lane & 1) == 0)
        kg__model_trap(cudaErrorLaunchFailure,
                       "a warp operation's mask leaves out the lane that calls it");
    if (width == 0 || width > KG__MODEL_WARP || (width & (width - 1)) != 0)
        kg__model_trap(cudaErrorLaunchFailure,
                       "a shuffle's width is not a power of two from 1 to 32");
    self->barrier = (uintptr_t)__builtin_return_address(0);
    self->meeting = meeting;
    self->mask = mask;
    self->value = value;
    self->argument = argument;
    self->width = width;
    warps[number].waiting |= 1u << lane;
    return next_turn();
}

uint64_t kg__model_end_meeting(void)
{
    return threads[current].result;
}

/* Poisons what the block before has left, and makes all threads of the block ready. */
static void begin_block(void)
{
    memset(dynamic_shared, KG__MODEL_POISON, dynamic_bytes);
    for (size_t i = 0; i < kernel->shared_count; i++)
        memset(kernel->shared[i].base, KG__MODEL_POISON, kernel->shared[i].size);
    for (int i = 0; i < warp_count; i++) {
        int lanes = thread_count - i * KG__MODEL_WARP;
        unsigned int all = lanes < KG__MODEL_WARP ? (1u << lanes) - 1 : UINT32_MAX;

        warps[i] = (warp){ .live = all, .ready = all };
    }
    live = ready = thread_count;
    arrived = 0;
    nonzero = 0;
    frontier = step > 0 ? 0 : thread_count - 1;
    if (kg__watching)
        kg__watch_begin_block();
    turn_to(first_warp);
    statistics.blocks++;
}

/* Goes on to the next block; false after the last. */
static bool next_block(void)
{
    if (kg__watching) {
        kg__watch_end_block();
        if (kg__watch_is_sampling()) {
            if (!kg__watch_next_sample(&blockIdx))
                return false;
            begin_block();
            return true;
        }
    }
    if (launch_order == KG__MODEL_ASCENDING) {
        if (++blockIdx.x == gridDim.x) {
            blockIdx.x = 0;
            if (++blockIdx.y == gridDim.y) {
                blockIdx.y = 0;
                if (++blockIdx.z == gridDim.z)
                    return false;
            }
        }
    } else if (blockIdx.x-- == 0) {
        blockIdx.x = gridDim.x - 1;
        if (blockIdx.y-- == 0) {
            blockIdx.y = gridDim.y - 1;
            if (blockIdx.z-- == 0)
                return false;
        }
    }
    begin_block();
    return true;
}

/* The thread that has the turn has returned from the kernel. Whoever waited for it waits no longer.
 */
static inline void end_thread(void)
{
    if (kg__watching)
        kg__trace_pause();
    live--;
    statistics.threads++;
    warps[turn].live &= ~(1u << (unsigned int)current % KG__MODEL_WARP);
    if (arrived > 0 && arrived == live)
        release_barrier();
}

/* A fiber's life: runs threads that begin, one after the other. */
static void run_threads(kg__model_fiber *self)
{
    for (;;) {
        bool more = true;

        kernel_body(kernel_context);
        end_thread();
        while (more && !pick()) {
            if (live > 0)
                fail_stuck();
            more = next_block();
        }
        if (more && begins()) {
            threads[current].fiber = self;
            kg__model_resume_trace();
            continue;
        }
        /* Whoever takes this fiber next has given the turn to a thread that begins. */
        kg__model_fiber_give(self);
        if (more)
            kg__model_switch(self, &self->context, threads[current].fiber,
                             threads[current].context);
        else
            kg__model_switch(self, &self->context, NULL, host_context);
    }
}

#if HANDLE_FAULTS

/* The last is caught for whoever is to be told of it. */
static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGTERM };
#define FAULT_SIGNALS (sizeof fault_signals / sizeof fault_signals[0])

static struct sigaction former_actions[FAULT_SIGNALS];
static stack_t former_stack;
static sigset_t former_mask;
static unsigned char signal_stack[SIGNAL_STACK];

static size_t caught_signals(void)
{
    return tell_hang != NULL ? FAULT_SIGNALS : FAULT_SIGNALS - 1;
}

static _Unwind_Reason_Code keep_call(struct _Unwind_Context *call, void *nothing)
{
    int before = 0;
    uintptr_t code = _Unwind_GetIPInfo(call, &before);

    (void)nothing;
    /* What was interrupted goes on at the instruction itself, which a call has behind it. */
    hang_calls[hang_call_count++] = code + (before != 0);
    return hang_call_count < HANG_CALLS ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Ends a process that did not name the line in time by the signal that it was sent. */
static void end_unnamed(int number)
{
    (void)number;
    (void)signal(SIGTERM, SIG_DFL);
    (void)kill(getpid(), SIGTERM);
}

/* Limits the time until the process ends, or until run_grid() has reported the hang. */
static void start_clock(void)
{
    struct sigaction action = { .sa_handler = end_unnamed };
    sigset_t mask;

    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sigdelset(&mask, SIGALRM);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigdelset(&former_mask, SIGALRM);
    (void)alarm(SECONDS_TO_NAME);
}

/* Ends a launch after SIGTERM. Unlike a fault this can interrupt the model itself or the C
 * library. What is incomplete there is used by nothing but the message that follows. Both that
 * message and the unwinder can wait for a lock that the interrupted code, or another thread, never
 * releases: the process then ends without a message. */
static void end_hang(void) __attribute__((noreturn));
static void end_hang(void)
{
    start_clock();
    hang_call_count = 0;
    (void)_Unwind_Backtrace(keep_call, NULL);
    fail(cudaErrorLaunchTimeout);
}

/* Says why an access to an address failed, in words that the handler of its signal may use. */
static void describe_bad_address(uintptr_t address)
{
    const kg__model_freed *freed = kg__model_find_freed((const void *)address);
    char where[224];

    if (freed != NULL) {
        kg__model_describe_freed(freed, address, where, sizeof where);
        snprintf(failure_text, sizeof failure_text, "an access to %s", where);
    } else {
        snprintf(failure_text, sizeof failure_text,
                 "an access to the address %p, where no memory is", (const void *)address);
    }
}

/* Leaves the kernel for good, so that neither this function nor the kernel's fiber is ever returned
 * to. The message is printed by the host thread's own code, for nothing that is not safe in a
 * signal handler may be called from here. */
static void on_fault(int number, siginfo_t *information, void *machine)
{
    (void)machine;
    if (!in_kernel) {
        /* Another host thread's fault: it comes again, to whoever was there before. */
        for (size_t i = 0; i < caught_signals(); i++) {
            if (fault_signals[i] == number)
                sigaction(number, &former_actions[i], NULL);
        }
        if (number == SIGABRT || number == SIGTERM)
            raise(number);
        return;
    }
    if (number == SIGTERM)
        end_hang();
    if (number == SIGABRT) {
        snprintf(failure_text, sizeof failure_text,
                 "the kernel called abort(): an assert failed, or the C library found an error");
        fail(cudaErrorAssert);
    }
    if (number == SIGFPE) {
        snprintf(failure_text, sizeof failure_text,
                 "an integer is divided by zero, which hardware leaves undefined");
        fail(cudaErrorLaunchFailure);
    }
    if (kg__model_in_guard(information->si_addr)) {
        snprintf(failure_text, sizeof failure_text,
                 "the stack overflowed its %zu KiB: the recursion is too deep or the local arrays "
                 "are too large",
                 KG__MODEL_STACK / 1024);
        fail(cudaErrorHardwareStackError);
    }
    /* The processor does not tell an address that no pointer can hold. */
    if (information->si_code == SI_KERNEL)
        snprintf(failure_text, sizeof failure_text,
                 "an access far outside of all memory, at an address that cannot be told");
    else
        describe_bad_address((uintptr_t)information->si_addr);
    fail(cudaErrorIllegalAddress);
}

static void catch_faults(void)
{
    stack_t stack = { .ss_sp = signal_stack, .ss_size = sizeof signal_stack };
    struct sigaction action = { .sa_sigaction = on_fault,
                                .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

    sigemptyset(&action.sa_mask);
    sigaltstack(&stack, &former_stack);
    for (size_t i = 0; i < caught_signals(); i++)
        sigaction(fault_signals[i], &action, &former_actions[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &former_mask);
}

static void release_faults(void)
{
    for (size_t i = 0; i < caught_signals(); i++)
        sigaction(fault_signals[i], &former_actions[i], NULL);
    sigaltstack(&former_stack, NULL);
    pthread_sigmask(SIG_SETMASK, &former_mask, NULL);
}

#else

static void catch_faults(void)
{
}

static void release_faults(void)
{
}

#endif

/* The launch attributes that change nothing in the model, or ask for nothing. */
static bool is_harmless(const cudaLaunchAttribute *attribute)
{
    switch (attribute->id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        return true;
    case cudaLaunchAttributeCooperative:
        return attribute->val.cooperative == 0;
    case cudaLaunchAttributeClusterDimension:
        return attribute->val.clusterDim.x == 1 && attribute->val.clusterDim.y == 1 &&
               attribute->val.clusterDim.z == 1;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        return attribute->val.programmaticStreamSerializationAllowed == 0;
    default:
        return false;
    }
}

/* Refuses a launch with `error`, of which a code alone says too little. */
static cudaError_t refuse(cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static cudaError_t refuse(cudaError_t error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(failure_words, sizeof failure_words, format, arguments);
    va_end(arguments);
    return error;
}

static cudaError_t check_launch(const cudaLaunchConfig_t *config, const void *address)
{
    const dim3 *grid = &config->gridDim;
    const dim3 *block = &config->blockDim;

    if (address == NULL)
        return cudaErrorInvalidDeviceFunction;
    if (!kg__model_takes_work(config->stream))
        return cudaErrorInvalidResourceHandle;
    if (grid->x == 0 || grid->y == 0 || grid->z == 0 || grid->x > INT32_MAX || grid->y > 65535 ||
        grid->z > 65535)
        return refuse(
            cudaErrorInvalidConfiguration,
            "a grid of %u x %u x %u blocks: each is at least 1, the first at most %d, the "
            "others 65535",
            grid->x, grid->y, grid->z, INT32_MAX);
    if (block->x == 0 || block->y == 0 || block->z == 0 || block->x > 1024 || block->y > 1024 ||
        block->z > 64 || (uint64_t)block->x * block->y * block->z > KG__MODEL_MAX_THREADS)
        return refuse(cudaErrorInvalidConfiguration,
                      "a block of %u x %u x %u threads: each is at least 1, the first two at most "
                      "1024, the third 64, their product %d",
                      block->x, block->y, block->z, KG__MODEL_MAX_THREADS);
    if (config->numAttrs > 0 && config->attrs == NULL)
        return cudaErrorInvalidValue;
    for (unsigned int i = 0; i < config->numAttrs; i++) {
        if (!is_harmless(&config->attrs[i]))
            return cudaErrorNotSupported;
    }
    if (!map_dynamic_shared())
        return cudaErrorLaunchOutOfResources;
    kernel = kg__model_kernel_at(address);
    if (kernel->shared_bytes > KG__MODEL_SHARED_DEFAULT) {
        (void)refuse(cudaErrorInvalidKernelImage,
                     "kernel %s: its shared arrays take %zu bytes, and a block has %d: nvcc would "
                     "not build it; take dynamic shared memory",
                     kernel->name, kernel->shared_bytes, KG__MODEL_SHARED_DEFAULT);
        kg__complain("%s", failure_words);
        return cudaErrorInvalidKernelImage;
    }
    if (config->dynamicSmemBytes > kernel->dynamic_limit)
        return refuse(cudaErrorInvalidValue,
                      "kernel %s: %zu bytes of dynamic shared memory, of which a block has %zu: "
                      "ask for more, up to %d, with cudaFuncSetAttribute()",
                      kernel->name, config->dynamicSmemBytes, kernel->dynamic_limit,
                      KG__MODEL_SHARED_OPTIN - (int)kernel->shared_bytes);
    return cudaSuccess;
}

/* Gives the block's threads their indices, which most often they have from the launch before. */
static void shape_block(dim3 block)
{
    int i = 0;

    thread_count = (int)(block.x * block.y * block.z);
    warp_count = (thread_count + KG__MODEL_WARP - 1) / KG__MODEL_WARP;
    blockDim = (uint3){ block.x, block.y, block.z };
    if (block.x == indexed.x && block.y == indexed.y && block.z == indexed.z)
        return;
    for (unsigned int z = 0; z < block.z; z++) {
        for (unsigned int y = 0; y < block.y; y++) {
            for (unsigned int x = 0; x < block.x; x++)
                threads[i++].index = (uint3){ x, y, z };
        }
    }
    indexed = block;
}

static void shape_grid(dim3 grid)
{
    gridDim = (uint3){ grid.x, grid.y, grid.z };
    launch_order = order;
    if (launch_order == KG__MODEL_ASCENDING) {
        blockIdx = (uint3){ 0, 0, 0 };
        first_warp = 0;
        step = 1;
    } else {
        blockIdx = (uint3){ grid.x - 1, grid.y - 1, grid.z - 1 };
        first_warp = warp_count - 1;
        step = -1;
    }
}

/* Where in the code a thread of the block was last seen that gave its turn away, and which; 0 where
 * none did. Kernels' switches are too many to be noted one by one. */
static uintptr_t last_seen(int *who)
{
    for (*who = 0; *who < thread_count; ++*who) {
        const warp *home = &warps[*who / KG__MODEL_WARP];

        if (((home->arrived | home->waiting) >> *who % KG__MODEL_WARP & 1) != 0)
            return threads[*who].barrier;
    }
    *who = last_in_want_of_room;
    if (last_wait_for_room != 0)
        return last_wait_for_room;
    /* Nobody waits any more: whoever has the turn has just been released. */
    *who = current;
    return threads[current].barrier;
}

/* Where a launch stood that was told to end, as its failure then says too. */
static kg__model_source find_hang(void)
{
    kg__model_source source = kg__model_source_within(kernel->address, hang_calls, hang_call_count);
    char where[160];

    /* In the midst of a switch from thread to thread the stack tells nothing. */
    if (source.line == 0) {
        int who;

        source = kg__model_source_of((const void *)last_seen(&who));
        failure_place.thread = threads[who].index;
    }
    kg__describe_line(where, sizeof where, source);
    kg__format(failure_text, sizeof failure_text, "it did not end until it was told to (SIGTERM)%s",
               where);
    return source;
}

/* Runs the grid that the state above describes. */
static cudaError_t run_grid(void)
{
    kg__model_fiber *fiber = kg__model_fiber_take();

    if (fiber == NULL)
        return cudaErrorLaunchOutOfResources;
    failure = cudaSuccess;
    last_wait_for_room = 0;
    statistics = (kg__model_statistics){ 0 };
    if (kg__watching)
        kg__watch_begin_launch(kernel->shared_bytes + dynamic_bytes);
    begin_block();
    pick();
    begins();
    threads[current].fiber = fiber;
    catch_faults();
    in_kernel = true;
    kg__model_switch(NULL, &host_context, fiber, fiber->context);
    in_kernel = false;
    release_faults();
    kg__trace_pause();
    if (kg__watching) {
        if (failure != cudaSuccess)
            kg__trace_finish();
        kg__watch_end_launch();
    }
    if (failure != cudaSuccess) {
        const kg__model_place *place = &failure_place;
        kg__model_source hang = { .file = "" };

        kg__model_fibers_reset();
        if (failure == cudaErrorLaunchTimeout)
            hang = find_hang();
        kg__format(failure_words, sizeof failure_words,
                   "kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s", place->kernel,
                   place->block.x, place->block.y, place->block.z, place->thread.x, place->thread.y,
                   place->thread.z, failure_text);
        kg__complain("%s", failure_words);
        kg__model_stick(failure);
        if (failure == cudaErrorLaunchTimeout) {
            tell_hang(place, hang.file, hang.line);
            (void)alarm(0);
        }
    }
    return failure;
}

const char *kg__model_failure(void)
{
    return failure_words;
}

/* Who is told of launches that are only planned; NULL where they are done. */
static void (*planned)(void *context, const kg__model_kernel *kernel,
                       const cudaLaunchConfig_t *config);
static void *planned_context;

void kg__model_plan(void (*launched)(void *context, const kg__model_kernel *kernel,
                                     const cudaLaunchConfig_t *config),
                    void *context)
{
    planned = launched;
    planned_context = context;
}

bool kg__model_plans(void)
{
    return planned != NULL;
}

cudaError_t kg__model_launch(const cudaLaunchConfig_t *config, const void *address,
                             void (*body)(void *context), void *context)
{
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
    if (config == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
    failure_words[0] = '\0';
    error = check_launch(config, address);
    if (error != cudaSuccess)
        return kg__model_leave(error);
    if (planned != NULL) {
        planned(planned_context, kernel, config);
        return kg__model_leave(cudaSuccess);
    }
    kernel_body = body;
    kernel_context = context;
    dynamic_bytes = config->dynamicSmemBytes;
    kg__model_fibers_begin(run_threads);
    shape_block(config->blockDim);
    shape_grid(config->gridDim);
    return kg__model_leave(kg__watch_skips() ? cudaSuccess : run_grid());
}
