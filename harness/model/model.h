/* The CPU model: runs CUDA C kernels, compiled by g++ against the stand-in headers in include/, on
 * the CPU.
 *
 * One fiber a CUDA thread, warps of 32 lanes, one block after the other. A thread runs until it
 * meets a barrier or a warp operation, or ends; then the next thread of its block goes on. A thread
 * that has not begun is begun on whatever fiber is idle, and a fiber whose thread has ended begins
 * the next one, so that a kernel without barriers runs its whole grid on one fiber and never
 * switches. A barrier is released when every thread of the block that has not ended waits at it (an
 * ended thread counts as arrived); a warp operation when every lane that its mask names does. When
 * no thread can run and nothing can be released, the launch fails, and a message says who waits for
 * what.
 *
 * Within a block threads go in ascending or in reversed order, and so do the blocks: a kernel whose
 * result depends on the order has a race. Global memory comes filled with 0xff bytes; dynamic
 * shared memory and the kernel's own static shared arrays are filled so before every block. An
 * access to an unmapped address and a stack that overflows end the launch with CUDA's error, not
 * the process.
 *
 * The rooms: memory.c (the registry of allocations, copies), device.c (the device's limits, errors,
 * streams, events), scheduler.c (launches, threads, barriers, warps), fibers.c (stacks and
 * switches), symbols.c (names and shared arrays of kernels, from the ELF symbol table). Launches
 * and calls from several host threads take turns. watch.h says how the accesses of instrumented
 * kernels are counted and checked.
 */
#ifndef KG__MODEL_MODEL_H
#define KG__MODEL_MODEL_H

#include "include/cuda_runtime_api.h"
#include "include/kg_model_device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KG__MODEL_MAX_THREADS 1024
#define KG__MODEL_MAX_WARPS (KG__MODEL_MAX_THREADS / KG__MODEL_WARP)
#define KG__MODEL_SHARED_DEFAULT                                                                   \
    49152                             /* bytes of shared memory a block may have without asking    \
                                       */
#define KG__MODEL_SHARED_OPTIN 232448 /* and with cudaFuncSetAttribute(), as on an NVIDIA H200 */
#define KG__MODEL_POISON 0xff         /* what memory that nothing has written is filled with */

/* The order in which the threads of a block, and the blocks of a grid, take their turns. */
typedef enum kg__model_order { KG__MODEL_ASCENDING, KG__MODEL_REVERSED } kg__model_order;

/* Sets the order of all following launches; it is ascending until then. */
void kg__model_set_order(kg__model_order order);

/* What the last launch did, complete or not. */
typedef struct kg__model_statistics {
    uint64_t blocks;   /* that began */
    uint64_t threads;  /* that ended */
    uint64_t barriers; /* released barriers of blocks, summed over the blocks */
    uint64_t meetings; /* released warp operations, summed over the warps */
} kg__model_statistics;

/* The statistics of the last launch; all 0 before the first. */
kg__model_statistics kg__model_last_launch(void);

struct kg__model_kernel;

/* From now on launches and copies are looked at and not done: `launched` (NULL: they are done
 * again) is told of each launch that the device would have taken, memory holds nothing, and takes
 * none of the host's. What a launcher would start is known so within microseconds, whatever its
 * size. */
void kg__model_plan(void (*launched)(void *context, const struct kg__model_kernel *kernel,
                                     const cudaLaunchConfig_t *config),
                    void *context);

/* Whether launches and copies are looked at and not done. */
bool kg__model_plans(void);

/* Why the last launch failed, in words: who did what. "" where it did not, or the code says all. */
const char *kg__model_failure(void);

/* Where a kernel stands. */
typedef struct kg__model_place {
    const char *kernel;      /* its name */
    uint3 block, thread;     /* indices */
    unsigned int linear;     /* the thread's number in its block, x fastest */
    unsigned int warp, lane; /* linear / 32, linear % 32 */
} kg__model_place;

/* Fills in the place of the running thread (`place` may be NULL); false when the caller is no
 * kernel. */
bool kg__model_where(kg__model_place *place);

/* From now on SIGTERM ends a launch that is running, with cudaErrorLaunchTimeout, and `ended`
 * (NULL: the signal is left alone again) is told where the running thread stood. `line` is 0 where
 * that cannot be told: the kernel was compiled without debug information. */
void kg__model_tell_hang(void (*ended)(const kg__model_place *place, const char *file,
                                       unsigned int line));

typedef enum kg__model_memory_kind {
    KG__MODEL_DEVICE,
    KG__MODEL_MANAGED,
    KG__MODEL_PINNED /* page-locked host memory */
} kg__model_memory_kind;

/* One live allocation. */
typedef struct kg__model_allocation {
    unsigned char *base;
    size_t size; /* bytes */
    kg__model_memory_kind kind;
    uint64_t number; /* counts the process's allocations from 1 */
} kg__model_allocation;

/* The live allocation that `address` lies in (its end is outside), or NULL. The pointer holds until
 * memory is next allocated or freed. */
const kg__model_allocation *kg__model_find(const void *address);
/* The live allocation that `address` lies in, or so near to that nothing else can be there; or
 * NULL.
 */
const kg__model_allocation *kg__model_find_near(const void *address);
/* What is remembered of an allocation that was freed. */
typedef struct kg__model_freed {
    unsigned char *base; /* the whole of it */
    size_t size;         /* bytes */
    uintptr_t start;     /* the part that kernels were to touch */
    size_t bytes;
    char name[64]; /* as findings call it */
} kg__model_freed;

/* The freed allocation that `address` lies in, or so near to that nothing else can be there; NULL
 * where there is none, or it was freed too long ago: addresses are kept from being used again for
 * the last FREED_MAXIMUM of them (memory.c). Changes nothing, so that a signal handler may ask. */
const kg__model_freed *kg__model_find_freed(const void *address);
/* Writes "a + 12 after a (256 bytes) was freed" to `text`, of `size` bytes, in words that a signal
 * handler may use. */
void kg__model_describe_freed(const kg__model_freed *freed, uintptr_t address, char *text,
                              size_t size);
/* The number of live allocations. */
size_t kg__model_allocation_count(void);

/* The i-th of them by ascending base; it holds until memory is next allocated or freed. */
const kg__model_allocation *kg__model_allocation_at(size_t i);
/* How many there ever were: the number of the latest. */
uint64_t kg__model_allocated_ever(void);
/* Maps memory of the host by mmap()'s protection and further flags; NULL where it cannot be had.
 * The addresses of what was freed are given up for it. */
void *kg__model_map_addresses(size_t size, int protection, int flags);
/* Maps `size` bytes with `gap` bytes before and behind them that cannot be touched; NULL when there
 * is no memory. */
unsigned char *kg__model_map(size_t size, size_t gap);
/* Frees everything. */
void kg__model_free_all(void);
/* What of the device's memory is not allocated, and all of it; bytes. */
void kg__model_memory_left(size_t *left, size_t *total);

/* Sets the error that every further call returns: a kernel failed and the device's state is lost.
 */
void kg__model_stick(cudaError_t error);
/* Begins an API call: takes the model's lock and returns true; or returns false with the error that
 * the call must return, since a kernel has failed before or the caller is itself a kernel. */
bool kg__model_enter(cudaError_t *error);

/* Gives the lock back and ends the call; returns `error`, which cudaGetLastError() will tell too.
 */
cudaError_t kg__model_leave(cudaError_t error);
/* True when `stream` is one that work can be given to, and notes that it is given some: a launch, a
 * copy, a fill. Needs the lock. */
bool kg__model_takes_work(cudaStream_t stream);
/* The stream that a launcher is to use from now on. */
cudaStream_t kg__model_begin_call(void);

/* How often another stream was given work since kg__model_begin_call(). */
size_t kg__model_astray(void);

/* Notes an allocation or a wait, which CUDA refuses while it captures a graph. Needs the lock. */
void kg__model_note_uncapturable(void);
/* How often that was since kg__model_begin_call(). */
size_t kg__model_uncapturable(void);

/* A kernel's static shared array. */
typedef struct kg__model_shared_array {
    unsigned char *base;
    size_t size; /* bytes */
} kg__model_shared_array;

/* What is known of a kernel; kept for the life of the process. */
typedef struct kg__model_kernel {
    const void *address;
    char *name; /* demangled, without its parameters; "kernel at 0x..." in a stripped program */
    const char *symbol;             /* mangled, as g++ has it; "" in a stripped program */
    kg__model_shared_array *shared; /* arrays declared in the kernel's own body */
    size_t shared_count;
    size_t shared_bytes;  /* their sum */
    size_t dynamic_limit; /* the most dynamic shared memory a launch may ask for, bytes */
    struct kg__model_kernel *next;
} kg__model_kernel;

/* Whether this program's symbols are known. Those of a stripped one are not, and with them its
 * shared arrays: what is wrong with them is not seen. */
bool kg__model_has_symbols(void);

/* The mangled name of the function that begins at `address`; "" in a stripped program. */
const char *kg__model_symbol_at(const void *address);

/* Finds or adds the kernel at `address`, which must be a function's. */
kg__model_kernel *kg__model_kernel_at(const void *address);

/* Bytes of dynamic shared memory that a block of the last launch has. */
size_t kg__model_dynamic_bytes(void);

#ifndef __cplusplus
/* What a kernel reads of these; kg_model_device.h has them as const. */
extern uint3 threadIdx;
extern uint3 blockIdx;
extern uint3 blockDim;
extern uint3 gridDim;
#endif

/* A stack with a context that can be switched to. */
typedef struct kg__model_fiber {
    void *context;        /* where it goes on, while it is idle */
    unsigned char *stack; /* its lowest usable byte */
    size_t stack_size;    /* bytes */
    void *fake_stack;     /* AddressSanitizer's, while it is switched away */
    struct kg__model_fiber *next_idle;
} kg__model_fiber;

#define KG__MODEL_STACK ((size_t)512 * 1024) /* the local memory that CUDA allows a thread */

/* Sets what a fiber runs when it is switched to for the first time; it never returns. */
void kg__model_fibers_begin(void (*run)(kg__model_fiber *self));
/* An idle fiber, or NULL when no stack can be mapped. */
kg__model_fiber *kg__model_fiber_take(void);
/* Gives back the fiber that is running and is about to switch away. */
void kg__model_fiber_give(kg__model_fiber *fiber);
/* Makes every fiber idle and new again, whatever it was doing. */
void kg__model_fibers_reset(void);
/* True when `address` is in the guard below one of the stacks. */
bool kg__model_in_guard(const void *address);

/* Prepares a switch from `from` to `to` (NULL: the launching host thread), which goes on at
 * `context`; the place where `from` can go on is kept at *saved. The switch itself is
 * kg__model_pass(). */
kg__model_turn kg__model_leave_for(kg__model_fiber *from, void **saved, kg__model_fiber *to,
                                   void *context);
/* Called on a fiber when it has the turn: what it does from now on is the running thread's. */
void kg__model_resume_trace(void);
/* Both together. Returns when something switches back. */
void kg__model_switch(kg__model_fiber *from, void **saved, kg__model_fiber *to, void *context);

#ifdef __cplusplus
}
#endif

#endif
