/* SPDX-License-Identifier: MIT */
#include "model/exec/workers.h"

#include "base/clock.h"
#include "base/message.h"
#include "model/exec/allocations.h"

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS_MAXIMUM 256
#define SIGNAL_STACK ((size_t)64 * 1024)
/* A worker's stack: it only switches to fibers. Its thread-local variables, among them a program's
 * __shared__ arrays, are on it too. */
#define WORKER_STACK ((size_t)1 << 20)
/* Launches of fewer threads are over before a worker has woken. */
#define FEWEST_THREADS 16384
/* Seconds that a launch of few threads takes before workers are woken. */
#define SECONDS_ALONE 5e-5
/* Seconds that the workers' blocks have to end after one has failed. */
#define SECONDS_TO_END 0.5
/* Seconds without progress after which threads that all wait for a value wait in vain. */
#define SECONDS_IN_VAIN 0.2

typedef struct worker {
    pthread_t thread;
    kg__grid *grid;
    bool runs; /* blocks of the launch */
} worker;

static unsigned int wanted; /* threads of the host, the launching one included; 0: as processors */
static worker workers[WORKERS_MAXIMUM]; /* the first is the launching thread */
static unsigned int worker_count;
static pid_t process;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static uint64_t launch_number;

static kg__queue queue;
static void (*run_blocks)(void);
static double began;
static bool is_awake;
static const void *slow_kernel; /* one that took long when it was last launched */

void kg__exec_set_workers(unsigned int count)
{
    wanted = count;
}

static unsigned int count_processors(void)
{
    cpu_set_t allowed;

    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (unsigned int)CPU_COUNT(&allowed)
                                                               : 1;
}

unsigned int kg__count_workers(void)
{
    if (wanted == 0)
        wanted = count_processors();
    return wanted;
}

bool kg__may_share_blocks(void)
{
    const kg__exec_launch *launch = &kg__running.launch;

    return kg__count_workers() > 1 && launch->watcher == NULL && !kg__blocks_wait() &&
           kg__running.order == KG__MODEL_ASCENDING && kg__exec_volume(gridDim) > 1 &&
           (launch->kernel->kept_count == 0 || launch->kernel->shared_of_threads);
}

/* A worker's dynamic shared memory, with inaccessible pages behind. */
static unsigned char *map_dynamic_shared(void)
{
    const size_t size = (KG__MODEL_SHARED_OPTIN + 4095) / 4096 * 4096;

    return kg__model_map(size, KG__MODEL_SHARED_PAGES);
}

static int add_bytes(struct dl_phdr_info *image, size_t size, void *data)
{
    (void)size;
    for (size_t i = 0; i < image->dlpi_phnum; i++) {
        if (image->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)data += image->dlpi_phdr[i].p_memsz + image->dlpi_phdr[i].p_align;
    }
    return 0;
}

/* Takes the launch over from the launching thread. */
static void take_launch(const kg__grid *from)
{
    kg__take_launch(&from->launch, from->order);
    kg__running.queue = &queue;
    kg__running.first_warp = 0;
    kg__running.step = 1;
}

/* Waits until all other workers have ended their blocks, then ends those that have not. */
static void stop_others(void)
{
    const double until = kg__now() + SECONDS_TO_END;

    queue.stopped = true;
    while (queue.busy > 1 && kg__now() < until)
        (void)usleep(1000);
    pthread_mutex_lock(&lock);
    for (unsigned int i = 0;
         kg__running.launch.ends_on_sigterm && i < worker_count && queue.busy > 1; i++) {
        if (workers[i].runs && workers[i].grid != kg__worker_grid)
            (void)pthread_sigqueue(workers[i].thread, SIGTERM, (union sigval){ 0 });
    }
    pthread_mutex_unlock(&lock);
}

static void run_own_blocks(worker *self)
{
    self->runs = true;
    run_blocks();
    if (kg__running.failure.error != cudaSuccess && !queue.stopped)
        stop_others();
    kg__leave_vain();
    pthread_mutex_lock(&lock);
    self->runs = false;
    pthread_mutex_unlock(&lock);
    /* Takes a signal that stop_others() has sent meanwhile, while there is a handler. */
    (void)sched_yield();
    pthread_mutex_lock(&lock);
    queue.busy--;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

static void *work(void *data)
{
    worker *self = data;
    stack_t stack = { .ss_sp = kg__allocate(1, SIGNAL_STACK), .ss_size = SIGNAL_STACK };
    uint64_t seen;

    kg__worker_grid = self->grid;
    kg__model_own_dynamic = (kg__model_bytes *)(void *)self->grid->dynamic_shared;
    (void)sigaltstack(&stack, NULL);
    pthread_mutex_lock(&lock);
    seen = launch_number - 1;
    for (;;) {
        while (seen == launch_number)
            pthread_cond_wait(&woken, &lock);
        seen = launch_number;
        if (queue.claimed >= queue.count || queue.stopped)
            continue;
        take_launch(workers[0].grid);
        queue.busy++;
        pthread_mutex_unlock(&lock);
        run_own_blocks(self);
        pthread_mutex_lock(&lock);
    }
    return NULL;
}

void kg__block_signals(sigset_t *former)
{
    const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGTERM };
    sigset_t mask;

    sigfillset(&mask);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&mask, faults[i]);
    pthread_sigmask(SIG_SETMASK, &mask, former);
}

static bool start_worker(worker *made)
{
    pthread_attr_t attributes;
    size_t stack = WORKER_STACK;
    sigset_t former;
    bool started;

    *made = (worker){ .grid = kg__allocate(1, sizeof *made->grid) };
    made->grid->dynamic_shared = map_dynamic_shared();
    if (made->grid->dynamic_shared == NULL) {
        free(made->grid);
        return false;
    }
    pthread_attr_init(&attributes);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)dl_iterate_phdr(add_bytes, &stack);
    (void)pthread_attr_setstacksize(&attributes, (stack + 4095) / 4096 * 4096);
    kg__block_signals(&former);
    started = pthread_create(&made->thread, &attributes, work, made) == 0;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

static void wake_workers(void)
{
    is_awake = true;
    pthread_mutex_lock(&lock);
    launch_number++;
    /* A child of fork() has only the thread that called it. */
    if (process != getpid())
        worker_count = 1;
    process = getpid();
    while (worker_count < wanted && worker_count < WORKERS_MAXIMUM &&
           start_worker(&workers[worker_count]))
        worker_count++;
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&lock);
}

void kg__add_statistics(const kg__model_statistics *added)
{
    kg__running.statistics.blocks += added->blocks;
    kg__running.statistics.threads += added->threads;
    kg__running.statistics.barriers += added->barriers;
    kg__running.statistics.warp_operations += added->warp_operations;
}

/* Returns whether a failure is in an earlier block than another. */
static bool is_earlier(const kg__exec_failure *one, const kg__exec_failure *other)
{
    const uint3 a = one->place.block;
    const uint3 b = other->place.block;

    return a.z != b.z ? a.z < b.z : a.y != b.y ? a.y < b.y : a.x < b.x;
}

static void add_results(const kg__grid *from)
{
    const kg__exec_failure *failure = &from->failure;

    kg__add_statistics(&from->statistics);
    if (failure->error != cudaSuccess && failure->error != cudaErrorUnknown &&
        (kg__running.failure.error == cudaSuccess ||
         kg__running.failure.error == cudaErrorUnknown ||
         is_earlier(failure, &kg__running.failure)))
        kg__running.failure = *failure;
}

void kg__share_blocks(void (*run)(void))
{
    run_blocks = run;
    is_awake = false;
    began = kg__now();
    workers[0] = (worker){ .thread = pthread_self(), .grid = kg__worker_grid };
    worker_count = worker_count == 0 ? 1 : worker_count;
    for (unsigned int i = 1; i < worker_count; i++) {
        workers[i].grid->statistics = (kg__model_statistics){ 0 };
        workers[i].grid->failure.error = cudaSuccess;
    }
    kg__running.queue = &queue;
    /* A worker that wakes late for the last launch takes part from now on. */
    pthread_mutex_lock(&lock);
    queue = (kg__queue){ .count = kg__exec_volume(gridDim), .busy = 1 };
    pthread_mutex_unlock(&lock);
    if (queue.count * kg__exec_volume(blockDim) >= FEWEST_THREADS ||
        slow_kernel == kg__running.launch.kernel->address)
        wake_workers();
    run_own_blocks(&workers[0]);
    pthread_mutex_lock(&lock);
    while (queue.busy > 0)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
    kg__running.queue = NULL;
    if (kg__now() - began > 4 * SECONDS_ALONE)
        slow_kernel = kg__running.launch.kernel->address;
    else if (slow_kernel == kg__running.launch.kernel->address)
        slow_kernel = NULL;
    for (unsigned int i = 1; i < worker_count; i++)
        add_results(workers[i].grid);
}

void kg__note_ended_block(void)
{
    queue.ended++;
    kg__leave_vain();
    if (kg__worker_grid != workers[0].grid)
        return;
    kg__tell_ended_blocks(queue.ended);
    if (!is_awake && kg__now() - began > SECONDS_ALONE)
        wake_workers();
}

bool kg__workers_take_signal(int number)
{
    for (unsigned int i = 0; i < worker_count && queue.busy > 0; i++) {
        if (workers[i].runs && workers[i].grid != kg__worker_grid)
            return pthread_kill(workers[i].thread, number) == 0;
    }
    return false;
}

bool kg__all_wait_in_vain(void)
{
    static _Atomic uint64_t ended_before;
    static _Atomic double since;

    /* What another block of a failed launch would have written never comes. */
    if (kg__running.queue == NULL || queue.stopped)
        return true;
    if (!kg__running.in_vain) {
        kg__running.in_vain = true;
        queue.vain++;
        since = kg__now();
    }
    if (queue.vain < queue.busy || queue.ended != ended_before) {
        ended_before = queue.ended;
        since = kg__now();
    }
    (void)sched_yield();
    return kg__now() - since > SECONDS_IN_VAIN;
}
