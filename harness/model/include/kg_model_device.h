/* What compiled kernels call in the CPU model. Included by cuda_runtime.h (C++) and by the model
 * itself (C). */
#ifndef KG__MODEL_DEVICE_H
#define KG__MODEL_DEVICE_H

#include "cuda_runtime_api.h"

#include <stddef.h>
#include <stdint.h>

#define KG__MODEL_WARP 32

#ifdef __cplusplus
extern "C" {
/* A kernel only reads these, and they are the same throughout one thread of it: hence const here,
 * where the compiler sees one thread at a time, though the model changes them as it goes from
 * thread to thread. */
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const uint3 blockDim;
extern const uint3 gridDim;
extern const uint3 kg__model_cluster_dim; /* blocks per cluster; 1 where there are none */
#endif

/* Runs a kernel over its grid: calls body(context) once for each thread. `kernel` is the kernel's
 * address, which names it in messages and finds its attributes. Returns what cudaLaunchKernelEx()
 * is to return. */
cudaError_t kg__model_launch(const cudaLaunchConfig_t *config, const void *kernel,
                             void (*body)(void *context), void *context);

/* Notes that a launch by <<<>>> has failed: it is a defect that nobody asks for its error. */
void kg__model_launch_failed(cudaError_t error);

/* What a block's barrier gathers from the threads that arrive at it. */
typedef struct kg__model_votes {
    int arrived; /* threads that arrived */
    int nonzero; /* those of them whose predicate was not zero */
} kg__model_votes;

/* Boost.Context's C interface, which its C++ header alone declares. */
typedef struct kg__model_transfer {
    void *context; /* of what switched here */
    void *data;    /* what they passed */
} kg__model_transfer;

kg__model_transfer jump_fcontext(void *to, void *data);

/* Whose turn it is while the calling thread waits. */
typedef struct kg__model_turn {
    void *context; /* where that thread goes on; NULL when it is the caller itself */
    void *saved;   /* to be passed along: where the caller's own context is kept */
} kg__model_turn;

/* Ends a switch on its far side. */
void kg__model_land(kg__model_transfer transfer);

/* Gives the turn away until it comes back. Inlined into the kernel, so that no function is entered
 * on one stack and left on another, which would have the processor mispredict every return. */
static inline __attribute__((always_inline)) void kg__model_pass(kg__model_turn turn)
{
    if (turn.context != NULL)
        kg__model_land(jump_fcontext(turn.context, turn.saved));
}

/* Notes that the calling thread is at the block's barrier, with a predicate for the votes. */
kg__model_turn kg__model_arrive(int predicate);

/* What the barrier gathered that the calling thread was released from last. */
kg__model_votes kg__model_last_votes(void);

/* Waits until every thread of the block that has not ended waits here too. */
static inline __attribute__((always_inline)) void kg__model_barrier(void)
{
    kg__model_pass(kg__model_arrive(0));
}

/* The same with a predicate; returns what was gathered. */
static inline __attribute__((always_inline)) kg__model_votes kg__model_barrier_vote(int predicate)
{
    kg__model_pass(kg__model_arrive(predicate));
    return kg__model_last_votes();
}

/* Whether the running launch is cooperative. */
int kg__model_is_cooperative(void);
/* Ends a launch that is not. */
void kg__model_require_cooperative(void);
/* Notes that the calling thread waits for all threads of the grid that have not ended. */
kg__model_turn kg__model_arrive_at_grid(void);

/* Notes that the calling thread waits for all threads of its cluster that have not ended. */
kg__model_turn kg__model_arrive_at_cluster(void);
/* What a pointer to the running block's shared memory is in the block of a rank of its cluster. */
void *kg__model_map_shared(const void *pointer, unsigned int rank);
/* The rank of the block whose shared memory a pointer is to. */
unsigned int kg__model_shared_rank(const void *pointer);

/* What the lanes of a warp do together. */
typedef enum kg__model_warp_operation {
    KG__MODEL_SYNC,
    KG__MODEL_SHUFFLE,      /* argument: the source lane */
    KG__MODEL_SHUFFLE_UP,   /* argument: how far up */
    KG__MODEL_SHUFFLE_DOWN, /* argument: how far down */
    KG__MODEL_SHUFFLE_XOR,  /* argument: the lane mask */
    KG__MODEL_BALLOT,       /* value: the predicate; gives the mask of lanes where it is not zero */
    KG__MODEL_ANY,
    KG__MODEL_ALL,
    KG__MODEL_MATCH_ANY, /* gives the mask of lanes with this lane's value */
    KG__MODEL_ADD,       /* the reductions, on 32-bit unsigned values */
    KG__MODEL_MIN_UNSIGNED,
    KG__MODEL_MIN_SIGNED,
    KG__MODEL_MAX_UNSIGNED,
    KG__MODEL_MAX_SIGNED,
    KG__MODEL_AND,
    KG__MODEL_OR,
    KG__MODEL_XOR,
    KG__MODEL_MATCH_ALL, /* gives the mask of all lanes where they have one value, or 0 */
    KG__MODEL_ACTIVE,    /* gives the mask of the lanes that wait at this place in the code when no
                            lane of the warp can go on otherwise */
    KG__MODEL_MATRIX, /* kg_model_matrix.h; value: the lane's part of a product where argument is 1
                       */
    KG__MODEL_GATHER  /* value: the address of a lane's KG__MODEL_GATHERED words; gives that of all
                         lanes' words, until the warp's next */
} kg__model_warp_operation;

/* Notes that the calling thread takes part in an operation: kg__model_run_warp_operation(). */
kg__model_turn kg__model_join_warp_operation(kg__model_warp_operation operation, unsigned int mask,
                                             uint64_t value, unsigned int argument,
                                             unsigned int width);

/* What the operation gave the calling thread, once it has its turn again. */
uint64_t kg__model_warp_operation_result(void);

/* Waits until every lane of `mask` that has not ended waits here with the same mask and the same
 * operation, then gives each its result. `width` (a power of two up to 32) cuts the warp into parts
 * for the shuffles. A shuffle from a lane that takes no part gives all ones, where hardware gives
 * an undefined value. */
static inline __attribute__((always_inline)) uint64_t
kg__model_run_warp_operation(kg__model_warp_operation operation, unsigned int mask, uint64_t value,
                             unsigned int argument, unsigned int width)
{
    kg__model_pass(kg__model_join_warp_operation(operation, mask, value, argument, width));
    return kg__model_warp_operation_result();
}

#define KG__MODEL_GATHERED 8

/* What inline PTX's matrices need: all lanes' words; each lane has KG__MODEL_GATHERED. All lanes of
 * the warp have to come. */
static inline __attribute__((always_inline)) const void *kg__model_gather(const void *words)
{
    return (const void *)(uintptr_t)kg__model_run_warp_operation(
        KG__MODEL_GATHER, UINT32_MAX, (uint64_t)(uintptr_t)words, 0, KG__MODEL_WARP);
}

/* Loads a row of 16 bytes of a matrix in shared memory. */
void kg__model_read_row(const void *address, uint32_t *words);
/* Stores one. */
void kg__model_write_row(void *address, const uint32_t *words);

/* Notes a memory fence of the calling thread. */
void kg__model_fence(void);
/* The same for its block alone. */
void kg__model_fence_block(void);
/* The same of what a load with an acquire orders, which takes no instruction of its own. */
void kg__model_acquire(void);

/* What an atomic access with an order and a scope is: a sum of these. */
enum {
    KG__MODEL_ACQUIRES = 1,  /* what follows is ordered after what the word's writer has released */
    KG__MODEL_RELEASES = 2,  /* what went before is known to who acquires it */
    KG__MODEL_OF_BLOCK = 4,  /* for the threads of one block alone */
    KG__MODEL_UPDATES = 8,   /* a read, and a write that is a part of it and costs nothing */
    KG__MODEL_REPLACES = 16, /* it does not depend on what was there */
    KG__MODEL_LOCKS = 32     /* it may take a lock: a comparison and exchange */
};

/* Reads `bytes` (1, 2, 4, 8 or 16) of `word` to `value`: a load, or an update that the same thread
 * ends with kg__model_atomic_write(). `how` as above. */
void kg__model_atomic_read(const void *word, void *value, size_t bytes, unsigned int how);
/* Writes `value` to `word`: a store, or the end of an update. */
void kg__model_atomic_write(void *word, const void *value, size_t bytes, unsigned int how);

/* Says that a thread may wait for another: it found `value` in a word and tries again, or (NULL) it
 * lets time go by. */
void kg__model_tries_in_vain(const void *word, uint64_t value);

/* Says that an index is out of the bounds of an array of this type, where the access comes next. */
void kg__model_bad_index(const char *type, size_t index);

/* Copies to shared memory that come when they are waited for: `size` bytes, the last `zeros` of
 * them 0 and not copied, with the group that the thread commits next, or with a barrier. */
void kg__model_copy_async(void *to, const void *from, size_t size, size_t zeros, const void *bound);
/* Ends the calling thread's group of copies, and begins the next. */
void kg__model_commit_copies(void);
/* Waits for all groups of the calling thread but the newest. */
void kg__model_wait_for_copies(unsigned int newest);

/* A barrier in shared memory, as cuda::barrier is. */
typedef struct kg__model_barrier_object {
    uint32_t expected, pending; /* arrivals */
    uint32_t unseen;            /* a phase has ended that nobody has waited for */
    uint64_t phase;
} kg__model_barrier_object;

/* Makes a barrier that `expected` arrivals complete. */
void kg__model_init_object(kg__model_barrier_object *object, unsigned int expected);
/* Notes `count` arrivals, of threads of which `leaving` will not come again; returns the phase to
 * wait for. */
uint64_t kg__model_arrive_at_object(kg__model_barrier_object *object, unsigned int count,
                                    unsigned int leaving);
/* Waits for a phase to end. */
kg__model_turn kg__model_wait_at_object(kg__model_barrier_object *object, uint64_t phase);
/* The same for the phase that has this parity, 0 of the first. */
kg__model_turn kg__model_wait_at_parity(kg__model_barrier_object *object, int parity);
/* Arrives and waits at one of the 16 barriers that a block has by number, with so many `threads`
 * (0: all that have not ended). */
kg__model_turn kg__model_wait_at_named(unsigned int number, unsigned int threads);

/* What instrumented kernels call in place of the C library's memcpy(), so that their accesses are
 * seen. */
void *kg__model_memcpy(void *to, const void *from, size_t size);

/* The same of memmove(). */
void *kg__model_memmove(void *to, const void *from, size_t size);

/* The same of memset(). */
void *kg__model_memset(void *to, int value, size_t size);

/* Counts the calling lane's share of the multiply-adds of a product of matrices. */
void kg__model_multiplies(unsigned int times);

/* What kernels and launchers call in place of printf(). Counts an instrumented kernel's call; shows
 * the first 64 KiB that kernels print in this process, and at its end how many calls it did not
 * show. Returns the number of arguments for a kernel, else what printf() does. */
int kg__model_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The block's dynamic shared memory; by its name for arrays that are declared `extern __shared__`.
 */
void *kg__model_dynamic_shared(void);
extern unsigned char kg__model_dynamic_memory[] __attribute__((aligned(1024)));

/* Grows with every call, as a clock does; it measures nothing. */
long long kg__model_clock(void);

/* The kinds of memory. */
typedef enum kg__model_memory {
    KG__MODEL_IS_NOWHERE,
    KG__MODEL_IS_GLOBAL,
    KG__MODEL_IS_SHARED,
    KG__MODEL_IS_CONSTANT,
    KG__MODEL_IS_LOCAL
} kg__model_memory;

/* Where the memory at an address is; for the thread that runs, where that is its own. */
kg__model_memory kg__model_memory_at(const void *address);

/* sin(pi x). */
double kg__model_sine_of_pi(double x);
/* cos(pi x). */
double kg__model_cosine_of_pi(double x);
/* exp(x * x) erfc(x). */
double kg__model_scaled_erfc(double x);
/* The inverse of erf(). */
double kg__model_inverse_erf(double x);
/* The inverse of erfc(). */
double kg__model_inverse_erfc(double x);
/* The standard normal distribution. */
double kg__model_normal_cdf(double x);
/* Its inverse. */
double kg__model_inverse_normal_cdf(double x);
/* The modified Bessel function of the first kind, of order 0 or 1. */
double kg__model_bessel(double x, int order);
/* The length of a vector. */
double kg__model_norm_of(double x, double y, double z, double w);

/* Advances the five words of cuRAND's XORWOW by `steps`, or by `steps` times 2^67. */
void kg__model_skip_xorwow(unsigned int words[5], unsigned long long steps, int by_sequences);

/* Advances both parts of cuRAND's MRG32k3a by `steps` times 2^power. */
void kg__model_skip_mrg(unsigned int s1[3], unsigned int s2[3], unsigned long long steps,
                        int power);

/* Ends the launch with `error`; `what` is the message's text. */
void kg__model_trap(cudaError_t error, const char *what) __attribute__((noreturn));

/* Copies `count` bytes to a __constant__ or __device__ variable of `size` bytes at `symbol`, from
 * byte `offset` of it on. */
cudaError_t kg__model_copy_to_symbol(void *symbol, size_t size, const void *from, size_t count,
                                     size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream);

/* The same the other way. */
cudaError_t kg__model_copy_from_symbol(void *to, const void *symbol, size_t size, size_t count,
                                       size_t offset, enum cudaMemcpyKind kind,
                                       cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
