/* SPDX-License-Identifier: MIT */
/* Launches: runs the grid of a kernel on fibers, and reports its threads' actions to a watcher.
 * Internal to the model, except the order, the statistics and the place of the running thread. */
#pragma once

#include "model/include/cuda_runtime_api.h"
#include "model/include/kg_model_device.h"
#include "records/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KG__MODEL_MAX_THREADS 1024
#define KG__MODEL_MAX_WARPS (KG__MODEL_MAX_THREADS / KG__MODEL_WARP)
#define KG__MODEL_STACK ((size_t)512 * 1024) /* the local memory that CUDA allows a thread */
/* Bytes of shared memory per block without cudaFuncSetAttribute(). */
#define KG__MODEL_SHARED_DEFAULT 49152
/* As on an NVIDIA H200. */
#define KG__MODEL_MULTIPROCESSORS 132
/* Bytes of shared memory per block with cudaFuncSetAttribute(), as on an NVIDIA H200. */
#define KG__MODEL_SHARED_OPTIN 232448
/* Bytes reserved for a block's dynamic shared memory, and for the inaccessible gap before it. */
#define KG__MODEL_SHARED_PAGES 262144

/* The format and the arguments of a kernel's name in a message, which a template's could fill. */
#define KG__SHORT_NAME "%.200s%s"
#define KG__SHORTENED(name) (name), strlen(name) > 200 ? "..." : ""

/* For symbols that only the model's files share: the compiler then addresses them directly. */
#define KG__HIDDEN __attribute__((visibility("hidden")))

/* The order in which threads of a block, and blocks of a grid, take turns. */
typedef enum kg__model_order {
    KG__MODEL_ASCENDING,
    KG__MODEL_REVERSED,
    KG__MODEL_SHUFFLED, /* of blocks; threads ascend */
    KG__MODEL_ORDERS
} kg__model_order;

/* Sets the order of all following launches; initially ascending. A launch in reversed order that
 * waits in vain is given up, and following launches in that order do not run. */
void kg__model_set_order(kg__model_order order);
/* Sets how many threads of the host run blocks side by side where kernels are not watched; 0: as
 * many as there are processors. For programs of `kernelgate nvcc` only. */
void kg__exec_set_workers(unsigned int count);
/* Has `told` called on the launching thread of the host when a launch begins, and when that thread
 * has run a block: with how many of the launch's blocks have ended, and how many there are. */
void kg__exec_on_block(void (*told)(uint64_t done, uint64_t all));
/* Returns whether a launch was given up since the order was last set. */
bool kg__exec_has_given_up(void);

/* Statistics of the last launch, complete or not. */
typedef struct kg__model_statistics {
    uint64_t blocks;          /* begun blocks */
    uint64_t threads;         /* ended threads */
    uint64_t barriers;        /* released barriers of blocks, summed over the blocks */
    uint64_t warp_operations; /* released warp operations, summed over the warps */
} kg__model_statistics;

/* Returns the statistics of the last launch; all 0 before the first. */
kg__model_statistics kg__model_last_launch(void);

/* A kernel's static shared array. */
typedef struct kg__model_shared_array {
    unsigned char *base;
    size_t size;  /* bytes */
    size_t place; /* from where its image's thread-local variables begin, if it is one */
    /* Of a thread-local one: kg__exec_own_place() of the thread of the host that has this base. */
    uintptr_t owner;
} kg__model_shared_array;

/* Returns a place that is as far from the calling thread's variables as another thread's is from
 * that one's. */
uintptr_t kg__exec_own_place(void);

/* A kernel's properties; kept for the life of the process. */
typedef struct kg__model_kernel {
    const void *address;
    char *name; /* demangled, without its parameters; "kernel at 0x..." in a stripped program */
    const char *symbol;             /* mangled, as by g++; "" in a stripped program */
    kg__model_shared_array *shared; /* arrays declared in the kernel's own body, */
    size_t shared_count;
    size_t kept_count; /* followed by those of functions that it may call; the total */
    size_t kept_room;
    size_t shared_bytes;       /* total of both */
    bool shared_of_threads;    /* each thread of the host has its own: kg__model_place_shared() */
    size_t dynamic_limit;      /* maximum dynamic shared memory of a launch, bytes */
    unsigned int most_threads; /* per block, by __launch_bounds__ */
    dim3 cluster;              /* blocks, by __cluster_dims__; 0: none */
    bool any_cluster_size;     /* also sizes that only some devices accept */
    int carveout;              /* preferred share of shared memory, percent; -1: none */
    struct kg__model_kernel *next;
} kg__model_kernel;

/* The position of a thread in its kernel's grid. */
typedef struct kg__model_place {
    const char *kernel;      /* its name */
    uint3 block, thread;     /* indices */
    unsigned int linear;     /* the thread's number in its block, x fastest */
    unsigned int warp, lane; /* linear / 32, linear % 32 */
} kg__model_place;

/* Fills in the place of the running thread (`place` may be NULL); false when the caller is not a
 * kernel. */
bool kg__model_where(kg__model_place *place);

/* Returns the name of the kernel launched last. */
const char *kg__exec_kernel_name(void);

/* Returns whether an address is on the running thread's stack. */
bool kg__exec_is_local(const void *address);

/* Returns the bytes of dynamic shared memory per block of the last launch. */
size_t kg__model_dynamic_bytes(void);

#ifndef __cplusplus
/* Kernels read these; kg_model_device.h declares them const. */
extern KG__MODEL_OF_WORKER uint3 threadIdx;
extern KG__MODEL_OF_WORKER uint3 blockIdx;
extern uint3 blockDim;
extern uint3 gridDim;
extern uint3 kg__model_cluster_dim;
#endif

/* Returns the blocks of a grid or a cluster, or the threads of a block. */
static inline uint64_t kg__exec_volume(uint3 size)
{
    return (uint64_t)size.x * size.y * size.z;
}
/* Returns the number of a block in its grid, or of a thread in its block, x fastest. */
static inline uint64_t kg__exec_number_of(uint3 index, uint3 size)
{
    return ((uint64_t)index.z * size.y + index.y) * size.x + index.x;
}
/* Returns the index of such a number. */
static inline uint3 kg__exec_index_of(uint64_t number, uint3 size)
{
    return (uint3){ (unsigned int)(number % size.x), (unsigned int)(number / size.x % size.y),
                    (unsigned int)(number / size.x / size.y) };
}

/* The block that follows one that has ended. */
typedef enum kg__exec_next_block {
    KG__EXEC_NEXT_IN_ORDER,
    KG__EXEC_NEXT_CHOSEN, /* by the watcher */
    KG__EXEC_NEXT_NONE    /* the launch has ended */
} kg__exec_next_block;

/* The events of a launch that a watcher receives. Barriers and warp operations are events when
 * they are released; "code" is the return address of a call in the kernel. */
typedef struct kg__exec_watcher {
    /* The launch begins; `shared_bytes` is a block's shared memory. With `blocks_wait`, blocks
     * wait for each other, so that all of them must run. */
    void (*begin_launch)(size_t shared_bytes, bool blocks_wait);
    /* The launch has ended or failed. */
    void (*end_launch)(bool complete);
    /* The block at blockIdx begins. */
    void (*begin_block)(void);
    /* The block has ended: returns which is next, and writes a chosen one to `next`. */
    kg__exec_next_block (*end_block)(uint3 *next);
    /* Warp number `warp` has the turn. */
    void (*begin_warp)(unsigned int warp);
    /* A lane of that warp has the turn, on a stack that begins at `stack`. */
    void (*resume_lane)(unsigned int lane, const void *stack);
    /* The running lane gives its turn away, or ends. */
    void (*pause_lane)(void);
    /* No lane of the warp can run. Returns the lanes that wait in kg__exec_wait_for_watcher()
     * and may now continue. */
    uint32_t (*replay)(void);
    /* All threads of the block wait at a barrier, the first of them at `code`; with `several`,
     * not all at the same one (kg__exec_barrier_of()). */
    void (*barrier)(uintptr_t code, bool several);
    /* The lanes `lanes` of a warp have completed a warp operation. */
    void (*warp_operation)(unsigned int warp, uint32_t lanes, kg__model_warp_operation operation,
                           uintptr_t code);
    /* A lane reads from a lane that does not take part in the shuffle, which has the mask `mask`
     * and was completed by `lanes`. */
    void (*shuffle_outside)(unsigned int thread, unsigned int source, uint32_t mask, uint32_t lanes,
                            uintptr_t code);
    /* A thread's asynchronous copy was completed by its barrier, from a source that is the `same`
     * as at the call. */
    void (*copied)(void *to, size_t size, unsigned int thread, bool same,
                   kg__model_barrier_object *by);
    /* Code of the running lane arrives at a barrier in shared memory, or goes on where its phase
     * has ended before. */
    void (*at_object)(const kg__model_barrier_object *object, bool arrives, uintptr_t code);
    /* A phase of such a barrier has ended, and its copies are complete. */
    void (*complete_object)(kg__model_barrier_object *object);
    /* A thread that waited for it goes on. */
    void (*leave_object)(kg__model_barrier_object *object, unsigned int thread);
    /* Code of the running lane arrives at its cluster's barrier. */
    void (*at_cluster)(uintptr_t code);
    /* In cooperative launches and clusters: the running block waits for the others of its grid
     * or cluster. Returns the watcher's data of the block. */
    void *(*suspend_block)(void);
    /* All blocks of the grid or cluster that have not ended wait. */
    void (*sync_blocks)(void);
    /* The block at blockIdx continues, with its data. */
    void (*resume_block)(void *kept);
    /* Returns whether forked processes may run the launch's other blocks (exec/processes.h). */
    bool (*may_fork)(void);
    /* A forked process begins. */
    void (*begin_process)(void);
    /* It has run its blocks: writes what they did. */
    void (*end_process)(FILE *to);
    /* Adds what `count` processes have written. Returns false, and adds nothing, if one of them
     * accessed what another wrote. */
    bool (*add_processes)(FILE *const *from, unsigned int count);
} kg__exec_watcher;

/* A launch to run. */
typedef struct kg__exec_launch {
    const kg__model_kernel *kernel;
    dim3 grid, block, cluster; /* a cluster of one block: no clusters */
    size_t dynamic_bytes;
    void (*body)(void *context); /* runs one thread */
    void *context;
    const kg__exec_watcher *watcher; /* NULL: none */
    bool ends_on_sigterm;            /* with cudaErrorLaunchTimeout */
    bool is_cooperative;             /* all blocks are resident at once */
} kg__exec_launch;

/* Maximum number of calls searched for a hang's line, from the innermost on. */
#define KG__EXEC_CALLS_MAXIMUM 64

/* Why a launch failed. */
typedef struct kg__exec_failure {
    cudaError_t error; /* cudaSuccess: it did not fail */
    kg__model_place place;
    char text[512];   /* what happened; "" for a deadlock or a hang */
    bool is_given_up; /* waited in reversed order, which is not a failure */
    bool is_overdue;  /* a hang detected by the launch's own clock */
    /* Set if the kernel is wrong: the kind of the finding. */
    bool is_wrong;
    kg__finding_kind found;
    uintptr_t code; /* where, also of a fault; 0: unknown */
    bool is_deadlock;
    struct {
        int at_barrier; /* threads that wait at barriers, the first of them at the code `barrier` */
        uintptr_t barrier;
        int in_warp_operations; /* threads that wait in warp operations, that of `place` at the
                                   code `operation` for the lanes `mask` */
        uintptr_t operation;
        bool is_group; /* of a warp group */
        uint32_t mask;
        uint32_t waiting; /* lanes of `mask` that wait */
        uint32_t live;    /* lanes of its warp that have not ended */
        int polling; /* threads that wait for a value, that of `place` at the code `operation` */
        bool is_together; /* all of the launch's blocks are resident at once */
        int at_object;    /* threads that wait at a barrier in shared memory, one at the code
                             `operation` */
        int at_grid;      /* threads that wait for the whole grid, or for their cluster, the last of
                             them at the code `grid` */
        uintptr_t grid;
        bool is_cluster;     /* they wait for their cluster */
        size_t ended_blocks; /* blocks that have ended although others wait for them */
    } deadlock;
    /* The return addresses of a hang (cudaErrorLaunchTimeout), innermost first. */
    uintptr_t calls[KG__EXEC_CALLS_MAXIMUM];
    size_t call_count;
    /* The code address where a thread last gave its turn away (0: nowhere), and that thread. */
    uintptr_t last_wait;
    uint3 last_waiting;
} kg__exec_failure;

/* Runs a launch that kg__exec_check_launch() has accepted. Returns how it ended. If it began
 * (every result but cudaErrorLaunchOutOfResources), `failure` says why it failed. */
cudaError_t kg__exec_run(const kg__exec_launch *launch, kg__exec_failure *failure);

/* Records an asynchronous copy of the running thread, completed by a barrier in shared memory or
 * (`bound` NULL) with its group. */
void kg__exec_copy_async(void *to, const void *from, size_t size, size_t zeros,
                         const kg__model_barrier_object *bound);
/* Performs one copy of the running thread's groups, except the `newest`; false if none is left.
 * `same` says whether its source is as it was when the copy began. */
bool kg__exec_bring_copy(unsigned int newest, void **to, size_t *size, bool *same);

/* Records arrivals at a barrier in memory, by code at `code`; returns the phase to wait for. */
uint64_t kg__exec_arrive_at(kg__model_barrier_object *object, unsigned int count,
                            unsigned int leaving, uintptr_t code);

/* Makes the running lane wait, at this code address, for the end of a barrier's phase. */
kg__model_turn kg__exec_wait_at(kg__model_barrier_object *object, uint64_t phase, uintptr_t code);

/* Makes the running lane wait, at this code address, for the watcher's replay. */
kg__model_turn kg__exec_wait_for_watcher(uintptr_t code);
/* Ends the process that runs some of a launch's blocks, if the caller is one: the launch has to be
 * run by one process, since it has a finding, an effect outside of device memory, or one that
 * depends on other blocks. */
#ifdef KG__MODEL_IS_LIBRARY
void kg__exec_leave_process(void);
#else
static inline void kg__exec_leave_process(void)
{
}
#endif
/* Returns whether other blocks may run at the same time, on other threads of the host. */
bool kg__exec_shares_blocks(void);
/* Records that the calling thread has read `value` from an atomic word. */
void kg__exec_polled(const void *word, uint64_t value);
/* Records that the calling thread has released a word. */
void kg__exec_released(const void *word);
/* Returns whether the calling thread must wait before an atomic access to a word: because it has
 * read the same value too often, so that another thread must change it; or because it `acquires`
 * a word that a lane of its warp has released, and the release must be replayed first. */
bool kg__exec_is_early(const void *word, bool acquires);
/* Counts a failed attempt of the calling thread, which read `value` from a word (NULL: unknown
 * word). Returns whether the others must run first. */
bool kg__exec_tries_in_vain(const void *word, uint64_t value);
/* Counts a read of a volatile word by the calling thread. Returns whether it has read that alone so
 * often that the others must run first. */
bool kg__exec_rereads(const void *word);
/* Lets all other threads of the block go first. `code`: where it waits. */
kg__model_turn kg__exec_wait_for_others(uintptr_t code);

/* Returns the blocks per cluster of the running launch; 1 without clusters. */
unsigned int kg__exec_cluster_size(void);
/* Returns the rank of the running block in its cluster, x fastest. */
unsigned int kg__exec_cluster_rank(void);
/* Returns the number of threads of the running block. */
unsigned int kg__exec_thread_count(void);
/* Returns whether a thread of the running block has ended. */
bool kg__exec_any_ended(void);
/* Returns the lanes of a warp of the running block that have not ended. */
uint32_t kg__exec_lanes(unsigned int warp);
/* Returns whether a thread of a warp of the running block, which waits, has ended. */
bool kg__exec_lacks_lanes(unsigned int warp);
/* Returns the code address of the barrier where a thread of the running block waits; 0 if none. */
uintptr_t kg__exec_barrier_of(unsigned int thread);

/* Returns whether a launch's attributes request all its blocks at once. */
bool kg__exec_is_cooperative(const cudaLaunchConfig_t *config);
/* Returns whether it is a programmatic dependent launch. */
bool kg__exec_is_dependent(const cudaLaunchConfig_t *config);
/* Returns the blocks per cluster, by the launch's attributes or by the kernel's
 * __cluster_dims__; one without clusters. */
dim3 kg__exec_cluster_of(const cudaLaunchConfig_t *config, const kg__model_kernel *kernel);
/* Returns the blocks that fit a multiprocessor by their threads and shared memory. */
unsigned int kg__exec_blocks_per_multiprocessor(unsigned int threads, size_t shared_bytes);

/* Checks whether a device would accept the launch. Returns the error, and writes the reason to
 * `text`, of `size` bytes, if the code alone says too little. */
cudaError_t kg__exec_check_launch(const cudaLaunchConfig_t *config, const kg__model_kernel *kernel,
                                  char *text, size_t size);
