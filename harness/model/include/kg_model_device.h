/* SPDX-License-Identifier: MIT */
/* The CPU model's functions for compiled kernels. Included by cuda_runtime.h (C++) and by the
 * model itself (C). */
#pragma once

#include "cuda_runtime_api.h"

#include <stddef.h>
#include <stdint.h>

#define KG__MODEL_WARP 32

/* Programs of `kernelgate nvcc` run blocks side by side, each on a thread of the host, where their
 * kernels are not watched. */
#if defined KG__PROGRAM_WATCH && !defined KG__INSTRUMENTED
#define KG__MODEL_SIDE_BY_SIDE
#endif
#if defined KG__PROGRAM_WATCH || defined KG__MODEL_IS_LIBRARY
#define KG__MODEL_OF_WORKER __thread __attribute__((tls_model("initial-exec")))
#else
#define KG__MODEL_OF_WORKER
#endif

#ifdef __cplusplus
extern "C" {
/* Constant within a thread of a kernel, and const here because the compiler sees one thread at a
 * time; the model changes them when it switches threads. Kernels that may run side by side are
 * inlined into a loop over a block's threads. */
#ifdef KG__MODEL_SIDE_BY_SIDE
extern KG__MODEL_OF_WORKER uint3 threadIdx;
#else
extern KG__MODEL_OF_WORKER const uint3 threadIdx;
#endif
extern KG__MODEL_OF_WORKER const uint3 blockIdx;
extern const uint3 blockDim;
extern const uint3 gridDim;
extern const uint3 kg__model_cluster_dim; /* blocks per cluster; 1 without clusters */
#endif

/* Keeps the context of a launch that runs later: returns a copy of it, or frees one. */
typedef void *kg__model_keep(void *context, int copies);

/* Frees the memory `former` (NULL: none); returns new memory, aligned to 64 bytes, or NULL where
 * `bytes` is 0. */
void *kg__model_keep_memory(void *former, size_t bytes);
/* Runs a kernel over its grid, now or when its stream's order says so: calls body(context) once for
 * each thread. `kernel` is the kernel's address, which identifies its name and attributes. `keep`
 * copies the context; NULL: the host waits for the launch. Returns the result for
 * cudaLaunchKernelEx(). */
cudaError_t kg__model_launch(const cudaLaunchConfig_t *config, const void *kernel,
                             void (*body)(void *context), void *context, kg__model_keep *keep);

/* Looks for addresses of variables in an argument of a launch by the host: those of its own are
 * not the device's, and of device variables CUDA gives the device's. */
void kg__model_look_at_argument(const void *argument, size_t bytes);

/* A block whose threads run one after another, until one of them waits. */
typedef struct kg__model_straight {
    int on;       /* none has waited */
    int last;     /* the last thread's number */
    int *current; /* the running thread's number */
} kg__model_straight;

extern KG__MODEL_OF_WORKER kg__model_straight kg__model_own_straight;

/* Steps an index to that of the next thread in a block of the extent `block`. */
static inline void kg__model_step_thread(uint3 *index, const uint3 *block)
{
    if (++index->x != block->x)
        return;
    index->x = 0;
    if (++index->y != block->y)
        return;
    index->y = 0;
    index->z++;
}

/* Notes that a launch by <<<>>> has failed: it is a defect that nobody asks for its error. A
 * kernel's own launch ends it. */
void kg__model_launch_failed(cudaError_t error);
/* Notes the error of another call, whose result the source drops; `call` is its name. */
void kg__model_call_dropped(cudaError_t error, const char *call);
/* Says that a call of CUB has too small a temporary storage. Returns its error. */
cudaError_t kg__model_refuse_storage(size_t bytes, size_t needed);

/* The votes that a block's barrier collects from the arriving threads. */
typedef struct kg__model_votes {
    int arrived; /* threads that arrived */
    int nonzero; /* arrived threads whose predicate was not zero */
} kg__model_votes;

/* Boost.Context's C interface, declared only in its C++ header. */
typedef struct kg__model_transfer {
    void *context; /* of the side that switched here */
    void *data;    /* its argument */
} kg__model_transfer;

kg__model_transfer jump_fcontext(void *to, void *data);

/* The thread that runs while the calling thread waits. */
typedef struct kg__model_turn {
    void *context; /* where that thread continues; NULL when it is the caller itself */
    void *saved;   /* where the caller's own context is saved, passed along */
} kg__model_turn;

/* Ends a switch on its far side. */
void kg__model_land(kg__model_transfer transfer);

/* Gives the turn away until it returns. Inlined into the kernel: a function that is entered on
 * one stack and left on another would make the processor mispredict every return. */
static inline __attribute__((always_inline)) void kg__model_pass(kg__model_turn turn)
{
    if (turn.context != NULL)
        kg__model_land(jump_fcontext(turn.context, turn.saved));
}

/* Records that the calling thread is at the block's barrier, with a predicate for the votes. */
kg__model_turn kg__model_arrive(int predicate);

/* Returns the votes of the barrier that last released the calling thread. */
kg__model_votes kg__model_last_votes(void);

/* Waits until every thread of the block that has not ended waits here too. */
static inline __attribute__((always_inline)) void kg__model_barrier(void)
{
    kg__model_pass(kg__model_arrive(0));
}

/* Waits at the barrier with a predicate; returns the votes. */
static inline __attribute__((always_inline)) kg__model_votes kg__model_barrier_vote(int predicate)
{
    kg__model_pass(kg__model_arrive(predicate));
    return kg__model_last_votes();
}

/* Notes that the running launch has waited for the launch before it in its stream. */
void kg__model_await_launches(void);
/* Returns whether the running launch is cooperative. */
int kg__model_is_cooperative(void);
/* Ends a launch that is not cooperative. */
void kg__model_require_cooperative(void);
/* Makes the calling thread wait for all threads of the grid, or of its cluster, that have not
 * ended. */
kg__model_turn kg__model_arrive_at_blocks(void);
/* Notes that the calling thread arrives at its cluster's barrier, or waits there. */
void kg__model_note_cluster(int arrives);
/* Maps a pointer to the running block's shared memory to the block with a rank in its cluster. */
void *kg__model_map_shared(const void *pointer, unsigned int rank);
/* Returns the rank of the block that owns the shared memory at a pointer. */
unsigned int kg__model_shared_rank(const void *pointer);

/* Operations of a warp's lanes. */
typedef enum kg__model_warp_operation {
    KG__MODEL_SYNC,
    KG__MODEL_SHUFFLE,      /* argument: the source lane */
    KG__MODEL_SHUFFLE_UP,   /* argument: the distance up */
    KG__MODEL_SHUFFLE_DOWN, /* argument: the distance down */
    KG__MODEL_SHUFFLE_XOR,  /* argument: the lane mask */
    KG__MODEL_BALLOT,       /* value: the predicate; returns the mask of lanes with a nonzero one */
    KG__MODEL_ANY,
    KG__MODEL_ALL,
    KG__MODEL_MATCH_ANY, /* returns the mask of lanes with this lane's value */
    KG__MODEL_ADD,       /* the reductions, on 32-bit unsigned values */
    KG__MODEL_MIN_UNSIGNED,
    KG__MODEL_MIN_SIGNED,
    KG__MODEL_MAX_UNSIGNED,
    KG__MODEL_MAX_SIGNED,
    KG__MODEL_AND,
    KG__MODEL_OR,
    KG__MODEL_XOR,
    KG__MODEL_MATCH_ALL, /* returns the mask of all lanes if they have one value, or 0 */
    KG__MODEL_ACTIVE,    /* gives the mask of the lanes that wait at this place in the code when no
                            lane of the warp can go on otherwise */
    KG__MODEL_MATRIX, /* kg_model_matrix.h; value: the lane's part of a product where argument is 1,
                         else where the matrix is */
    KG__MODEL_GATHER, /* value: the address of a lane's KG__MODEL_GATHERED words; gives that of all
                         lanes' words, until the warp's next */
    KG__MODEL_GROUP   /* kg_model_wgmma.h, of four warps; value: the thread's part */
} kg__model_warp_operation;

/* Makes the calling thread take part in an operation: kg__model_run_warp_operation(). */
kg__model_turn kg__model_join_warp_operation(kg__model_warp_operation operation, unsigned int mask,
                                             uint64_t value, unsigned int argument,
                                             unsigned int width);

/* Returns the calling thread's result of the operation, once it has its turn again. */
uint64_t kg__model_warp_operation_result(void);

/* Waits until every lane of `mask` that has not ended waits here with the same mask and
 * operation, then returns each lane's result. `width` (a power of two up to 32) divides the warp
 * into parts for the shuffles. A shuffle from a lane that does not take part returns all ones,
 * where hardware returns an undefined value. */
static inline __attribute__((always_inline)) uint64_t
kg__model_run_warp_operation(kg__model_warp_operation operation, unsigned int mask, uint64_t value,
                             unsigned int argument, unsigned int width)
{
    kg__model_pass(kg__model_join_warp_operation(operation, mask, value, argument, width));
    return kg__model_warp_operation_result();
}

#define KG__MODEL_GATHERED 8

/* For inline PTX's matrices: returns all lanes' words; each lane has KG__MODEL_GATHERED. All
 * lanes of the warp must take part. */
static inline __attribute__((always_inline)) const void *kg__model_gather(const void *words)
{
    return (const void *)(uintptr_t)kg__model_run_warp_operation(
        KG__MODEL_GATHER, UINT32_MAX, (uint64_t)(uintptr_t)words, 0, KG__MODEL_WARP);
}

/* Loads a row of 16 bytes of a matrix in shared memory. */
void kg__model_read_row(const void *address, uint32_t *words);
/* Stores a row of 16 bytes of a matrix in shared memory. */
void kg__model_write_row(void *address, const uint32_t *words);

/* Records a memory fence of the calling thread. */
void kg__model_fence(void);
/* Records a memory fence of the calling thread for its block only. */
void kg__model_fence_block(void);
/* Records the order of a load with acquire, which takes no instruction of its own. */
void kg__model_acquire(void);

/* Properties of an atomic access with an order and a scope; their sum. */
enum {
    KG__MODEL_ACQUIRES = 1,  /* later accesses happen after those that the word's writer released */
    KG__MODEL_RELEASES = 2,  /* publishes earlier accesses to threads that acquire it */
    KG__MODEL_OF_BLOCK = 4,  /* only for the threads of one block */
    KG__MODEL_UPDATES = 8,   /* a read, with a write that is part of it and costs nothing */
    KG__MODEL_REPLACES = 16, /* independent of the old value */
    KG__MODEL_LOCKS = 32,    /* may take a lock: a compare-and-exchange */
    KG__MODEL_OF_THREAD = 64 /* as a plain access, to every other thread */
};

/* Reads `bytes` (1, 2, 4, 8 or 16) of `word` to `value`: a load, or an update that the same
 * thread ends with kg__model_atomic_end(). `how`: the properties above. */
void kg__model_atomic_read(const void *word, void *value, size_t bytes, unsigned int how);
/* Writes `value` to `word`: a store. */
void kg__model_atomic_write(void *word, const void *value, size_t bytes, unsigned int how);
/* Ends an update that has read `old`: writes `now`. False where a block that runs side by side has
 * written meanwhile, so that the update must begin again. */
int kg__model_atomic_end(void *word, const void *old, const void *now, size_t bytes,
                         unsigned int how);

/* Reports that a thread may be waiting for another: it found `value` in a word and retries, or
 * (NULL) it sleeps. */
void kg__model_tries_in_vain(const void *word, uint64_t value);

/* Reports that the next access has an index out of bounds of an array of this type. */
void kg__model_bad_index(const char *type, size_t index);
/* Reports that a sort's input and its output meet at an address. */
void kg__model_sort_overlaps(const void *address);

/* Starts a copy to shared memory that is performed at the wait for it: `size` bytes, the last
 * `zeros` of them set to 0 and not copied. It completes with the group that the thread commits
 * next, or with a barrier. */
void kg__model_copy_async(void *to, const void *from, size_t size, size_t zeros, const void *bound);
/* Ends the calling thread's group of copies, and begins the next. */
void kg__model_commit_copies(void);
/* Waits for all groups of the calling thread except the `newest`. */
void kg__model_wait_for_copies(unsigned int newest);

/* A barrier in shared memory, such as cuda::barrier. */
typedef struct kg__model_barrier_object {
    uint32_t expected, pending; /* arrivals */
    uint32_t unseen;            /* a phase has ended that no thread has waited for */
    uint32_t number : 31; /* the watcher's, 0: none; and whether it has last noted an arrival in */
    uint32_t in_odd : 1;  /* a phase that is odd */
    uint64_t phase;
} kg__model_barrier_object;

/* Initializes a barrier that `expected` arrivals complete. */
void kg__model_init_object(kg__model_barrier_object *object, unsigned int expected);
/* Records `count` arrivals, `leaving` of them by threads that will not arrive again; returns the
 * phase to wait for. */
uint64_t kg__model_arrive_at_object(kg__model_barrier_object *object, unsigned int count,
                                    unsigned int leaving);
/* Waits for a phase to end. */
kg__model_turn kg__model_wait_at_object(kg__model_barrier_object *object, uint64_t phase);
/* Waits for the phase with this parity, 0 for the first, to end. */
kg__model_turn kg__model_wait_at_parity(kg__model_barrier_object *object, int parity);
/* The barriers that a block's threads name by number. */
#define KG__MODEL_NAMED_BARRIERS 16
/* Arrives and waits at a named barrier, or behind these at one of the 31 of a block's tiles of
 * several warps, with `threads` threads (0: all that have not ended). */
kg__model_turn kg__model_wait_at_numbered(unsigned int number, unsigned int threads);
/* Arrives at a named barrier without waiting. */
void kg__model_arrive_at_numbered(unsigned int number, unsigned int threads);
/* Keeps (`puts`) or returns the value of a warp of the running block: at most 32 bytes. */
void kg__model_exchange(unsigned int warp, void *value, size_t bytes, int puts);

/* Replaces the C library's memcpy() and memmove() in instrumented kernels, whose accesses are
 * recorded. */
void *kg__model_memmove(void *to, const void *from, size_t size);

/* Replaces memset() likewise. */
void *kg__model_memset(void *to, int value, size_t size);

/* Replaces memcmp() in programs likewise. */
int kg__model_memcmp(const void *one, const void *other, size_t size);

/* Replaces fwrite() in programs likewise; `to` is a FILE. */
size_t kg__model_fwrite(const void *from, size_t size, size_t count, void *to);

/* Counts the calling lane's share of the multiply-adds of a matrix product. */
void kg__model_multiplies(unsigned int times);

/* Replaces printf() in kernels and launchers. Counts an instrumented kernel's calls; shows the
 * first 64 KiB that kernels print in this process, and at its end the number of dropped calls.
 * Returns the number of arguments in a kernel, else printf()'s result. */
int kg__model_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The block's dynamic shared memory; `extern __shared__` arrays use its name. */
void *kg__model_dynamic_shared(void);
extern unsigned char kg__model_dynamic_memory[] __attribute__((aligned(1024)));
/* That of the block which runs on the calling thread of the host, in kernels that may run side by
 * side. */
typedef unsigned char kg__model_bytes[];
#if defined KG__MODEL_IS_LIBRARY || defined KG__MODEL_SIDE_BY_SIDE
extern KG__MODEL_OF_WORKER kg__model_bytes *kg__model_own_dynamic;
#endif

/* Increases with every call, as a clock does; it measures nothing. */
long long kg__model_clock(void);

/* The calling thread's carry flag of PTX, which its instructions pass on from one asm statement to
 * another. */
int kg__model_carry(void);
/* Sets it. */
void kg__model_set_carry(int carry);

/* The kinds of memory. */
typedef enum kg__model_memory {
    KG__MODEL_IS_NOWHERE,
    KG__MODEL_IS_GLOBAL,
    KG__MODEL_IS_SHARED,
    KG__MODEL_IS_CONSTANT,
    KG__MODEL_IS_LOCAL
} kg__model_memory;

/* Returns the kind of memory at an address, as the running thread sees it. */
kg__model_memory kg__model_memory_at(const void *address);

/* Returns sin(pi x). */
double kg__model_sine_of_pi(double x);
/* Returns cos(pi x). */
double kg__model_cosine_of_pi(double x);
/* Returns exp(x * x) erfc(x). */
double kg__model_scaled_erfc(double x);
/* Returns the inverse of erf(). */
double kg__model_inverse_erf(double x);
/* Returns the inverse of erfc(). */
double kg__model_inverse_erfc(double x);
/* Returns the standard normal distribution function. */
double kg__model_normal_cdf(double x);
/* Returns the inverse of the standard normal distribution function. */
double kg__model_inverse_normal_cdf(double x);
/* Returns the modified Bessel function of the first kind, of order 0 or 1. */
double kg__model_bessel(double x, int order);
/* Returns the length of a vector. */
double kg__model_norm_of(double x, double y, double z, double w);

/* Advances the five words of cuRAND's XORWOW by `steps`, or by `steps` times 2^67. */
void kg__model_skip_xorwow(unsigned int words[5], unsigned long long steps, int by_sequences);

/* Advances both components of cuRAND's MRG32k3a by `steps` times 2^power. */
void kg__model_skip_mrg(unsigned int s1[3], unsigned int s2[3], unsigned long long steps,
                        int power);

/* Returns whether the caller is a kernel. */
int kg__model_in_kernel(void);
/* Allocates memory that the caller's own code may use: of the device in a kernel, else the
 * host's; NULL if there is no memory. kg__model_free() frees it, in a kernel or not. */
void *kg__model_malloc(size_t size);
/* The same for a library's kernel: on a GPU the host allocates its memory, beyond the heap. */
void *kg__model_room(size_t size);
/* Frees such memory, or NULL. */
void kg__model_free(void *memory);

/* Copies bytes between the host's stack and a kernel's, which is no access of the kernel. */
void kg__model_move(void *to, const void *from, size_t size);

/* Notes that the launches which follow are a library's, so that findings have the line of the host
 * that called it; or no longer. */
void kg__model_library_call(int begins);

/* Ends the launch with `error`; `what` is the message. */
void kg__model_trap(cudaError_t error, const char *what) __attribute__((noreturn));
/* Ends the launch of a kernel that calls the host's address of a function, at the line that `code`
 * returns to; nothing on the host. `function` ends with "= NAME]". */
void kg__model_call_by_host_address(const char *function, const void *code);

/* Copies `count` bytes between `other` and a __constant__ or __device__ variable of `size` bytes,
 * from its byte `offset` on: to it with `with_host` cudaMemcpyHostToDevice, else from it. The host
 * `waits` for it, or only where CUDA says so. */
cudaError_t kg__model_copy_symbol(const void *symbol, size_t size, const void *other, size_t count,
                                  size_t offset, enum cudaMemcpyKind kind,
                                  enum cudaMemcpyKind with_host, cudaStream_t stream, int waits);

#ifdef __cplusplus
}

/* Returns the address of a __constant__ or __device__ variable, which calls take itself. */
template <typename Symbol>
static inline const void *kg__model_symbol(const Symbol &symbol)
{
    return &symbol;
}
/* The same, of one that is given by its address. */
static inline const void *kg__model_symbol(const void *const &symbol)
{
    return symbol;
}
/* Returns its bytes. */
template <typename Symbol>
static inline size_t kg__model_symbol_bytes(const Symbol &symbol)
{
    return sizeof symbol;
}
/* Returns 0: those of one that is given by its address are not known. */
static inline size_t kg__model_symbol_bytes(const void *const &symbol)
{
    (void)symbol;
    return 0;
}
#endif
