/* SPDX-License-Identifier: MIT */
/* The device under test, through cudart: a GPU's program and the model's each link their own
 * half of this. */
#pragma once

#include <cuda_runtime_api.h>
#include <jansson.h>
#include <kernelgate/kernelgate.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "device/buffers.h"
#include "device/gpu_slot.h"
#include "records/finding.h"
#include "records/kernel_code.h"
#include "suite/table.h"
#include "suite/target.h"

typedef enum kg__device_status {
    KG__DEVICE_READY,
    KG__DEVICE_ABSENT, /* no GPU or no driver: nothing can be judged */
    KG__DEVICE_BROKEN  /* a device is there and unusable: an error */
} kg__device_status;

/* The device, and the conditions of its measurements. */
typedef struct kg__device_description {
    kg__target target;
    json_t *provenance; /* named texts, numbers and booleans; NULL where nothing is described */
} kg__device_description;

/* Opens and describes the device; the caller releases the provenance. On anything but
 * KG__DEVICE_READY, `why` says what is missing and what to do, and nothing is described. */
kg__device_status kg__device_open(kg__device_description *description, kg__error *why);

/* Locks the opened device and makes its context: exclusively to measure, shared to check, so
 * that no check disturbs a measurement. Waits for other holders, reporting through `waiting`.
 * The process's end unlocks it. False with `error` when it cannot be locked. */
bool kg__device_keep(bool alone, void (*waiting)(void *context, const char *line), void *context,
                     kg__error *error);

/* Limits of a device's launches. */
typedef struct kg__limits {
    int multiprocessors;
    int threads_per_block;          /* maximum */
    int threads_per_multiprocessor; /* maximum, over all resident blocks */
} kg__limits;

/* Returns the limits of the opened device. */
kg__limits kg__device_limits(void);

/* Returns how often each check launches: once for each order of threads that the device can
 * take. The model has two, a GPU one. For a KG_REPEATABLE variant the model has a third, of
 * blocks in shuffled order, and a GPU launches again while other work runs next to it. */
int kg__device_orders(bool repeatable);
/* Begins an order and returns its name for messages: "" or ", threads in reversed order". */
const char *kg__device_begin_order(int order);
/* Returns an order's name: "in ascending", "in reversed order of blocks", "in another launch". */
const char *kg__device_order_words(int order);

/* Returns whether the device compares its own memory faster than the host would. */
bool kg__device_compares(void);
/* Compares `a` and `b`, both on the device: `first` becomes the index of the first byte that
 * differs, or `bytes`. */
cudaError_t kg__device_compare(const void *a, const void *b, size_t bytes, size_t *first);

/* The place of the running thread of a launch that never ended; the line is 0 if unknown. */
typedef struct kg__hang {
    const char *kernel;
    kg__finding_actor at;
    kg__findings found; /* until then */
} kg__hang;

/* The number of kernels that a call starts, and of all their blocks. */
typedef struct kg__launch_shape {
    uint64_t kernels;
    uint64_t names; /* a hash of the kernels', in order, as in kg__model_report */
    uint64_t blocks;
} kg__launch_shape;

/* Returns the stream for a launcher's call. */
cudaStream_t kg__device_begin_call(void);

#ifdef KG__TARGET_GPU
/* What only the CPU model does or knows; a GPU uses none of the parameters. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* Only the CPU model knows a launch's shape without running it. */
static inline bool kg__device_shape(const kg_variant *variant, kg_call call,
                                    kg__launch_shape *shape)
{
    return false;
}

/* Adds the boards that CUDA shows this process. On anything but KG__DEVICE_READY, `why` says
 * what is missing. */
kg__device_status kg__device_boards(kg__boards *boards, kg__error *why);

/* On a GPU, capturing the launch detects work on another stream. */
static inline bool kg__device_strayed(kg_clock clock, kg__error *why)
{
    return false;
}

/* The place of a GPU's threads is unknown: SIGTERM ends the process at once. */
static inline void kg__device_on_hang(const char *home,
                                      void (*report)(void *context, const kg__hang *hang),
                                      void *context)
{
}

static inline bool kg__device_gave_up(const char *home, kg__error *note)
{
    return false;
}

static inline const char *kg__device_headers(void)
{
    return NULL;
}

static inline bool kg__device_watches(void)
{
    return false;
}

static inline void kg__device_watch(void)
{
}

static inline void kg__device_be_sparse(bool sparse)
{
}

static inline void kg__device_describe(const void *data, size_t bytes, const char *name,
                                       bool read_only)
{
}

static inline void kg__device_forget(const void *data, size_t bytes)
{
}

static inline void kg__device_judged(bool wrong)
{
}

static inline bool kg__device_has_findings(const char *home, kg__findings *findings)
{
    *findings = (kg__findings){ 0 };
    return false;
}

static inline bool kg__device_skipped_checks(kg__error *what, bool *whole)
{
    *whole = true;
    return false;
}
#pragma GCC diagnostic pop
#else
/* Determines the shape of a variant's launch without running its threads; false if the launcher
 * fails or starts no kernel. The launcher itself runs, on arguments that are not memory. */
bool kg__device_shape(const kg_variant *variant, kg_call call, kg__launch_shape *shape);

/* The CPU model runs on any machine. */
static inline kg__device_status kg__device_boards(kg__boards *boards, kg__error *why)
{
    (void)boards;
    kg__fail(why, "the CPU model has no boards to hand out: ask a program for the GPU");
    return KG__DEVICE_BROKEN;
}

/* Returns whether the launcher has since done something that a GPU could not time by this clock,
 * as `why` says: started work on another stream, or, except with the host's clock, allocated or
 * waited. */
bool kg__device_strayed(kg_clock clock, kg__error *why);

/* From now on SIGTERM during a kernel ends the launch. `report` receives the place of its
 * running thread, with source files relative to `home` (both kept by reference). When it
 * returns, so does the launch, with cudaErrorLaunchTimeout. */
void kg__device_on_hang(const char *home, void (*report)(void *context, const kg__hang *hang),
                        void *context);

/* Returns whether the current order cannot be checked, because a thread waits for a thread that
 * this order runs later. `note` then says where, for a comparison of this home; it is no
 * failure. */
bool kg__device_gave_up(const char *home, kg__error *note);

/* The folder of kernelgate/kernelgate.h, to compile kernels with; NULL on a target that does not
 * know it. */
const char *kg__device_headers(void);

/* Checks of each access, by the CPU model's instrumented kernels. */
/* Returns whether this program's kernels are instrumented: then one launch finds everything. */
bool kg__device_watches(void);
/* Checks every access from now on, and forgets earlier findings. */
void kg__device_watch(void);
/* From now on memory is unlimited and holds zeros; only touched memory takes the host's.
 * Launches are sampled with fewer blocks. */
void kg__device_be_sparse(bool sparse);
/* Sets the part of an allocation that kernels may access, and its name in findings (kept by
 * reference). */
void kg__device_describe(const void *data, size_t bytes, const char *name, bool read_only);

/* Makes `bytes` from `data` count as never written. */
void kg__device_forget(const void *data, size_t bytes);
/* Reports whether the results are wrong. Only then is a barrier a finding that fewer threads reach
 * than before because the others have ended: CUDA does not count ended threads at barriers. */
void kg__device_judged(bool wrong);
/* Returns whether there are findings since kg__device_watch(), in `findings`, with source files
 * relative to `home`. Valid until the next call. Plain kernels only find errors that end a
 * launch. */
bool kg__device_has_findings(const char *home, kg__findings *findings);
/* Returns whether a launch was too large to check all of it: `what` says what was skipped.
 * `whole` becomes whether every block ran, so that the outputs are complete. */
bool kg__device_skipped_checks(kg__error *what, bool *whole);
#endif

/* From now on launches in this process are recorded and do not run. */
void kg__device_plan(void);

/* A kernel's launch parameters. */
typedef struct kg__kernel_launch {
    kg__kernel_code code;   /* the kernel's name; on a GPU also the driver's figures */
    dim3 grid;              /* blocks */
    dim3 block;             /* threads */
    int64_t dynamic_shared; /* bytes per block, which the code's shared memory includes */
} kg__kernel_launch;

/* Kernels in the order of their start. Initialize with zeros. */
typedef struct kg__kernel_launches {
    kg__kernel_launch *list;
    size_t count;
    size_t capacity;
} kg__kernel_launches;

/* Adds an empty launch. */
kg__kernel_launch *kg__kernel_launches_add(kg__kernel_launches *launches);

/* Adds the launch parameters of each kernel that a launch of a case starts. False with `why` if
 * the launcher fails. The caller frees the list. */
bool kg__device_launches(const kg__case *c, const kg__buffers *buffers,
                         kg__kernel_launches *launches, kg__error *why);

/* Returns the name of a variant's launcher; "" on a target that does not know it. */
const char *kg__device_launcher(const kg__case *c);

/* Makes a call unless one before it failed, and keeps its error. */
#define KG__THEN(code, call) ((code) = (code) == cudaSuccess ? (call) : (code))

/* Writes "<what>: <name of the error>, <its text>" to `why` unless `code` is success. */
bool kg__succeeded(cudaError_t code, const char *what, kg__error *why);

/* Returns whether an earlier error has made the context unusable, so that only a new process can
 * continue. Clears any other error. */
bool kg__device_is_lost(void);
