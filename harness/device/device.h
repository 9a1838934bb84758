/* The device under test, through cudart: a GPU's program and the model's link different halves of
 * this. */
#ifndef KG__DEVICE_DEVICE_H
#define KG__DEVICE_DEVICE_H

#include <cuda_runtime_api.h>
#include <kernelgate/kernelgate.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "device/buffers.h"
#include "device/gpu_slot.h"
#include "records/finding.h"
#include "records/kernel_code.h"
#include "records/provenance.h"
#include "suite/table.h"
#include "suite/target.h"

typedef enum kg__device_status {
    KG__DEVICE_READY,
    KG__DEVICE_ABSENT, /* no GPU or no driver at all: nothing can be judged */
    KG__DEVICE_BROKEN  /* there is one and it cannot be used: an error */
} kg__device_status;

/* What a device is, and under what conditions it measures. */
typedef struct kg__device_description {
    kg__target target;
    kg__provenance provenance;
} kg__device_description;

/* Makes the device ready and describes it; the provenance is the caller's to free. On anything but
 * KG__DEVICE_READY, `why` says what is missing and what to do, and nothing is described. */
kg__device_status kg__device_open(kg__device_description *description, kg__error *why);

/* Keeps the opened device and makes its context: alone to measure, shared to check, so that no
 * check disturbs a measurement. Waits for those who keep it otherwise, reporting through `waiting`.
 * Ends with the process. False with `error` when it cannot be kept. */
bool kg__device_keep(bool alone, void (*waiting)(void *context, const char *line), void *context,
                     kg__error *error);

/* What bounds the launches of a device. */
typedef struct kg__limits {
    int multiprocessors;
    int threads_per_block;          /* at most */
    int threads_per_multiprocessor; /* at most, of all blocks that are resident at a time */
} kg__limits;

/* The limits of the opened device. */
kg__limits kg__device_limits(void);

/* How often each check launches: once for each order of threads that the device can be made to
 * take. The model has two, a GPU one. For a KG_REPEATABLE variant the model has a third, of blocks
 * in shuffled order, and a GPU launches again while other work runs next to it. */
int kg__device_orders(bool repeatable);
/* Whether the order that is under way cannot be checked, since a thread waits for what only another
 * order does first. `note` then says where, of a comparison of this home; it is no failure. */
bool kg__device_gave_up(const char *home, kg__error *note);
/* Makes ready for an order and names it for messages: "" or ", threads in reversed order". */
const char *kg__device_begin_order(int order);
/* What a result came in: "in ascending", "in reversed order of blocks", "in another launch". */
const char *kg__device_order_words(int order);

/* Whether the device compares its own memory faster than the host would. */
bool kg__device_compares(void);
/* Where `a` and `b`, both on the device, first differ: `first` becomes the byte's index, `bytes`
 * where they are the same. */
cudaError_t kg__device_compare(const void *a, const void *b, size_t bytes, size_t *first);

/* Where the running thread of a launch was that never ended; the line is 0 where that is not known.
 */
typedef struct kg__hang {
    const char *kernel;
    kg__finding_actor at;
    kg__findings found; /* until then */
} kg__hang;

/* How many kernels a call starts, and of how many blocks in all. */
typedef struct kg__launch_shape {
    uint64_t kernels;
    uint64_t blocks;
} kg__launch_shape;

/* The stream for a launcher's call. */
cudaStream_t kg__device_begin_call(void);

#ifdef KG__TARGET_GPU
/* Only the CPU model knows a launch's shape without running it. */
static inline bool kg__device_shape(const kg_variant *variant, kg_call call,
                                    kg__launch_shape *shape)
{
    (void)variant;
    (void)call;
    (void)shape;
    return false;
}

/* Adds the boards that CUDA shows this process. On anything but KG__DEVICE_READY, `why` says what
 * is missing. */
kg__device_status kg__device_boards(kg__boards *boards, kg__error *why);

/* On a GPU, what is started on another stream shows when launches are captured. */
static inline bool kg__device_strayed(kg_clock clock, kg__error *why)
{
    (void)clock;
    (void)why;
    return false;
}

/* Where a GPU's threads are is unknown: SIGTERM ends the process at once. */
static inline void kg__device_on_hang(const char *home,
                                      void (*report)(void *context, const kg__hang *hang),
                                      void *context)
{
    (void)home;
    (void)report;
    (void)context;
}
#else
/* The shape of a variant's launch, without running its threads; false where the launcher fails or
 * starts no kernel. The launcher itself is run, on arguments that are not memory. */
bool kg__device_shape(const kg_variant *variant, kg_call call, kg__launch_shape *shape);

/* The CPU model runs wherever there is a processor. */
static inline kg__device_status kg__device_boards(kg__boards *boards, kg__error *why)
{
    (void)boards;
    kg__fail(why, "the CPU model has no boards to hand out: ask a program for the GPU");
    return KG__DEVICE_BROKEN;
}

/* True when the launcher has since done what a GPU could not time by this clock, as `why` says:
 * started anything on another stream, or, but by the host's clock, allocated or waited. */
bool kg__device_strayed(kg_clock clock, kg__error *why);

/* From now on whoever tells this process to end (SIGTERM) while a kernel runs ends the launch, and
 * `report` hears where its running thread was, with source files named from `home` on (both kept by
 * reference). When it returns, so does the launch, with cudaErrorLaunchTimeout. */
void kg__device_on_hang(const char *home, void (*report)(void *context, const kg__hang *hang),
                        void *context);
#endif

/* The folder of kernelgate/kernelgate.h, to compile kernels with; NULL where this target does not
 * know it. */
#ifdef KG__TARGET_GPU
static inline const char *kg__device_headers(void)
{
    return NULL;
}
#else
const char *kg__device_headers(void);
#endif

/* What only the CPU model's instrumented kernels know: whether each access is valid. */
#ifdef KG__TARGET_GPU
static inline bool kg__device_watches(void)
{
    return false;
}

static inline void kg__device_watch(void)
{
}

static inline void kg__device_be_sparse(bool sparse)
{
    (void)sparse;
}

static inline void kg__device_describe(const void *data, size_t bytes, const char *name,
                                       bool read_only)
{
    (void)data;
    (void)bytes;
    (void)name;
    (void)read_only;
}

static inline void kg__device_forget(const void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
}

static inline void kg__device_judged(bool wrong)
{
    (void)wrong;
}

static inline bool kg__device_has_findings(const char *home, kg__findings *findings)
{
    (void)home;
    *findings = (kg__findings){ 0 };
    return false;
}

static inline bool kg__device_skipped_checks(kg__error *what, bool *whole)
{
    (void)what;
    *whole = true;
    return false;
}
#else
/* True when this program's kernels are instrumented: one launch finds all that there is to find. */
bool kg__device_watches(void);
/* Looks at every access from now on, and forgets what was found before. */
void kg__device_watch(void);
/* From now on memory is not limited, and takes that of the host which is touched: it holds zeros.
 * Launches are sampled by fewer blocks. */
void kg__device_be_sparse(bool sparse);
/* Says what part of an allocation kernels may touch, and what findings are to call it (kept by
 * reference). */
void kg__device_describe(const void *data, size_t bytes, const char *name, bool read_only);

/* Has `bytes` from `data` count as never written. */
void kg__device_forget(const void *data, size_t bytes);
/* Says whether the results are wrong. Only then are there findings of barriers that fewer threads
 * come to than before, since the others have ended: those do not count, and may have returned. */
void kg__device_judged(bool wrong);
/* What was found since kg__device_watch(), with source files named from `home` on; false when
 * nothing was. It holds until the next call. Plain kernels find what ends a launch alone. */
bool kg__device_has_findings(const char *home, kg__findings *findings);
/* True when a launch was too large to look at all of it: `what` says what was skipped. `whole`
 * becomes whether every block was run, so that the outputs are all there. */
bool kg__device_skipped_checks(kg__error *what, bool *whole);
#endif

/* From now on launches are recorded, not run, in this process. */
void kg__device_plan(void);

/* What a kernel is started with. */
typedef struct kg__kernel_launch {
    kg__kernel_code code;   /* the kernel's name; of a GPU's also what the driver says of it */
    dim3 grid;              /* blocks */
    dim3 block;             /* threads */
    int64_t dynamic_shared; /* bytes per block, which the code's shared memory includes */
} kg__kernel_launch;

/* Kernels in the order in which they are started. Zeroed at first. */
typedef struct kg__kernel_launches {
    kg__kernel_launch *list;
    size_t count;
    size_t capacity;
} kg__kernel_launches;

/* Adds an empty launch. */
kg__kernel_launch *kg__kernel_launches_add(kg__kernel_launches *launches);

/* Adds what each kernel that a launch of a case starts is started with. False with `why` where the
 * launcher fails. The caller frees the list. */
bool kg__device_launches(const kg__case *c, const kg__buffers *buffers,
                         kg__kernel_launches *launches, kg__error *why);

/* The name of a variant's launcher; "" where this target does not know it. */
const char *kg__device_launcher(const kg__case *c);

/* Fills `why` with "<what>: <name of the error>, <its text>" and returns false. */
bool kg__cuda_fail(kg__error *why, const char *what, cudaError_t code);

/* True when an earlier error has made the context unusable: only a new process can go on. Clears
 * any error that has not. */
bool kg__device_is_lost(void);

#endif
