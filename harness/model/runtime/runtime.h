/* SPDX-License-Identifier: MIT */
/* The interface of the stand-in for cudart beyond CUDA's own functions. */
#pragma once

#include "model/exec/launch.h"

#include <stdbool.h>
#include <stddef.h>

/* From now on launches and copies are only planned: `launched` (NULL: they run again) is called
 * for each launch that the device would accept, and memory has no content and takes none of the
 * host's. This finds a launcher's launches within microseconds, whatever its size. */
void kg__model_plan(void (*launched)(void *context, const kg__model_kernel *kernel,
                                     const cudaLaunchConfig_t *config),
                    void *context);
/* Returns whether launches and copies are only planned. */
bool kg__model_plans(void);

/* From now on (or no longer) memory is not limited by the host's, and is not filled: it holds
 * zeros, and untouched memory takes nothing. Fills with zeros do not touch it. */
void kg__model_be_sparse(bool sparse);

/* From now on the device has as much memory as the largest GPUs' (at most half of the host's), and
 * an allocation above 1 GiB holds zeros, because to fill it would take seconds. */
void kg__model_be_large(void);

/* Returns why the last launch failed: which thread did what. "" if it did not fail, or if the
 * code says enough. */
const char *kg__model_failure(void);

/* Reports that the parameters of a kernel, given by its name, are unknown. */
void kg__model_refuse_untyped(const char *kernel);

/* From now on SIGTERM ends a running launch with cudaErrorLaunchTimeout, and `ended` is called
 * with the place of the running thread (NULL: the signal has its default effect again). `line`
 * is 0 if unknown, because the kernel was compiled without debug information. */
void kg__model_on_hang(void (*ended)(const kg__model_place *place, const char *file,
                                     unsigned int line));

/* Where a launch in reversed order waited until it was given up. */
typedef struct kg__model_wait {
    kg__model_place place;
    const char *file;  /* as given to the compiler; "": unknown */
    unsigned int line; /* 0: unknown */
} kg__model_wait;

/* Returns the wait of a launch that was given up since the order was last set, whose results are
 * meaningless; NULL if there was none. Valid until the next launch. */
const kg__model_wait *kg__model_gave_up(void);

/* Sets the error that every further call returns: a kernel failed and the device's state is
 * lost. */
void kg__model_set_sticky_error(cudaError_t error);

/* The error of a kernel's failure, which every call returns; cudaSuccess: none has failed. */
cudaError_t kg__model_sticky_error(void);

/* From now on the runtime is a program's: streams order their work, which executes at its call or
 * (`in_reverse`) as late as its order allows, the latest first; what conflicts with work that it is
 * not ordered with is found, and so are wrong calls. Events have times of the host's clock. */
void kg__model_order_streams(bool in_reverse);
/* From now on the stream 0 is the calling thread's own, as with nvcc's --default-stream. */
void kg__model_default_stream_per_thread(void);
/* From now on the host's accesses to `__managed__` variables are watched. */
void kg__model_has_managed(void);
/* Executes all work that waits in streams. */
void kg__model_finish_work(void);
/* Returns where a kernel called printf() that nothing had waited for then; NULL: nowhere. */
const void *kg__model_lost_output(void);

/* A launch by <<<>>> that failed without running, or another call whose result is dropped. */
typedef struct kg__model_unchecked {
    const char *call;  /* its name; NULL: a launch */
    cudaError_t error; /* cudaSuccess: there is none */
    void *calls[16];   /* what the calls around it return to, the innermost first */
    int call_count;
    char why[256]; /* "" where the error's own text says all */
} kg__model_unchecked;
/* The first one since cudaGetLastError() or cudaPeekAtLastError() was last called. */
kg__model_unchecked kg__model_unchecked_launch(void);

/* Begins a launcher's call. Returns the stream that it must use. */
cudaStream_t kg__model_begin_call(void);
/* Returns how often another stream was given work since kg__model_begin_call(). */
size_t kg__model_other_stream_work(void);
/* Returns how many allocations and waits, which CUDA refuses while it captures a graph, there
 * were since kg__model_begin_call(). */
size_t kg__model_uncapturable(void);

/* Frees all memory. */
void kg__model_free_all(void);

/* Returns whether this program's symbols are known. In a stripped program shared arrays are
 * unknown, so accesses outside of them are not found. */
bool kg__model_has_symbols(void);
/* Returns the mangled name of the function that begins at `address`; "" in a stripped program. */
const char *kg__model_symbol_at(const void *address);
/* Returns the bytes from `address` to the end of its variable; 0 if no symbol contains it. */
size_t kg__model_bytes_at(const void *address);
/* Returns the kernel at `address`, which must be that of a function; adds it if needed. */
kg__model_kernel *kg__model_kernel_at(const void *address);
/* Sets where the calling thread of the host has a kernel's shared arrays, for blocks that wait for
 * each other and for wgmma. */
void kg__model_place_shared(const kg__model_kernel *kernel);
