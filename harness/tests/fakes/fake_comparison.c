/* SPDX-License-Identifier: MIT */
/* A comparison whose "kernels" are plain C functions on the CPU model's memory, which is the
 * host's: "plain", "quick", "wide" and "leaves" are right, every other variant misbehaves as its
 * name says, at size 64 and block 32 alone. Each element of `to` must be twice that of `from`.
 *
 * FAKE_ERROR: "plain" is off by this in its first element, which the tolerances allow then.
 * FAKE_HANG: "hangs" does so in a kernel, and not in its launcher.
 * FAKE_COLLECT: the step of "leaves" that fails, "launch" or "collect". With FAKE_SOUND the table
 * has the right variants alone and no defects, with FAKE_BAD_TABLE a row appears twice.
 */
#include <kernelgate/kernelgate.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/model.h"

enum { FROM, TO };

/* Dies of SIGSEGV, whatever a sanitizer would make of that signal. */
static void crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

/* How far results are off; 0 where they are not told to be. */
static double fake_error(void)
{
    const char *told = getenv("FAKE_ERROR");

    return told != NULL ? strtod(told, NULL) : 0;
}

static cudaError_t plain(const kg_call *call)
{
    const float *from = call->argument[FROM];
    float *to = call->argument[TO];

    for (int64_t i = 0; i < kg_extent(call->size, 0); i++)
        to[i] = 2 * from[i];
    to[0] += (float)fake_error();
    return cudaSuccess;
}

#ifndef FAKE_SOUND
/* Whether a variant is to misbehave in this launch. */
static bool is_time(const kg_call *call)
{
    return kg_extent(call->size, 0) == 64 && KG_AXIS(call, 0) == 32;
}

/* A variant that is right, and then does this to its arguments. */
#define MISBEHAVES(name, ...)                                                                      \
    static cudaError_t name(const kg_call *call)                                                   \
    {                                                                                              \
        float *from = call->argument[FROM];                                                        \
        float *to = call->argument[TO];                                                            \
                                                                                                   \
        (void)from, (void)to;                                                                      \
        (void)plain(call);                                                                         \
        if (is_time(call))                                                                         \
            __VA_ARGS__;                                                                           \
        return cudaSuccess;                                                                        \
    }

MISBEHAVES(wrong, to[17] += 1)
MISBEHAVES(nan_result, to[3] = NAN)
MISBEHAVES(overruns, to[64] = 0)
MISBEHAVES(scribbles, from[5] = 0)

static cudaError_t unwritten(const kg_call *call)
{
    float kept;

    memcpy(&kept, (float *)call->argument[TO] + 63, sizeof kept);
    (void)plain(call);
    if (is_time(call))
        memcpy((float *)call->argument[TO] + 63, &kept, sizeof kept);
    return cudaSuccess;
}

static cudaError_t crashes(const kg_call *call)
{
    if (is_time(call))
        crash();
    return plain(call);
}

/* A kernel that never ends. */
static void sleep_for_ever(void *context)
{
    (void)context;
    for (;;)
        pause(); /* here it hangs */
}

static cudaError_t launch_for_ever(void)
{
    const cudaLaunchConfig_t config = { .gridDim = { 1, 1, 1 }, .blockDim = { 32, 1, 1 } };
    void (*const body)(void *context) = sleep_for_ever;
    const void *address;

    memcpy(&address, &body, sizeof address);
    return kg__model_launch(&config, address, body, NULL, NULL);
}

static cudaError_t hangs(const kg_call *call)
{
    if (is_time(call) && getenv("FAKE_HANG") != NULL)
        return launch_for_ever();
    while (is_time(call))
        pause();
    return plain(call);
}

/* Beyond the table's rows it has no launch at all. */
static cudaError_t cannot(const kg_call *call)
{
    return is_time(call) || KG_AXIS(call, 0) > 64 ? cudaErrorInvalidValue : plain(call);
}

/* An illegal address: nothing on this context goes any more. */
static cudaError_t strays(const kg_call *call)
{
    if (is_time(call))
        kg__model_set_sticky_error(cudaErrorIllegalAddress);
    return plain(call);
}

/* Whether FAKE_COLLECT tells a step to fail. */
static bool is_told_to_fail(const char *step)
{
    const char *told = getenv("FAKE_COLLECT");

    return told != NULL && strcmp(told, step) == 0;
}

/* Leaves its first result to be collected. */
static float uncollected;

static cudaError_t leave(const kg_call *call)
{
    float *to = call->argument[TO];
    float kept = to[0];

    if (is_told_to_fail("launch"))
        return cudaErrorInvalidValue;
    (void)plain(call);
    uncollected = to[0];
    to[0] = kept;
    return cudaSuccess;
}

static cudaError_t collect(const kg_call *call)
{
    if (is_told_to_fail("collect"))
        return cudaErrorNotSupported;
    ((float *)call->argument[TO])[0] = uncollected;
    return cudaSuccess;
}

/* Launchers named as a comparison's are, for what is told of their source. */
static cudaError_t fake_adds_one(const kg_call *call)
{
    return wrong(call);
}

static cudaError_t fake_doubles(const kg_call *call)
{
    return plain(call);
}

/* Defects, of which the checks catch the first alone. */
static const kg_defect defects[] = {
    KG_DEFECT("misses", fake_adds_one, "adds one to an element", KG_CHECKED(64), KG_LAUNCH(32)),
    KG_DEFECT("harmless", fake_doubles, "is right after all", KG_CHECKED(64), KG_LAUNCH(32)),
    KG_DEFECT("unlaunchable", cannot, "has no such launch", KG_CHECKED(64), KG_LAUNCH(32)),
    KG_DEFECT("unlucky", wrong, "of a size that is refused", KG_CHECKED(7), KG_LAUNCH(32)),
    KG_END,
};

#endif

#ifndef FAKE_SOUND
static const kg_launch wide_launches[] = { KG_LAUNCH(32, 4), KG_LAUNCH(32, 8), KG_END };
#endif

static const kg_variant variants[] = {
    KG_VARIANT("plain", plain, "right"),
    KG_VARIANT("quick", plain, "right, and told to be quick"),
#ifndef FAKE_SOUND
    KG_VARIANT("wide", plain, "right, with launches of its own", .launches = wide_launches),
    KG_VARIANT("leaves", leave, "right, once its result is collected", .advanced.collect = collect),
    KG_VARIANT("wrong", wrong, ""),
    KG_VARIANT("nan", nan_result, ""),
    KG_VARIANT("unwritten", unwritten, ""),
    KG_VARIANT("overruns", overruns, ""),
    KG_VARIANT("scribbles", scribbles, ""),
    KG_VARIANT("crashes", crashes, ""),
    KG_VARIANT("hangs", hangs, ""),
    KG_VARIANT("cannot", cannot, ""),
    KG_VARIANT("strays", strays, ""),
#endif
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(0),
    KG_CHECKED(1),
    KG_TIMED_AND_COUNTED(7),
    KG_TIMED_AND_COUNTED(64),
#ifdef FAKE_BAD_TABLE
    KG_COUNTED(64),
#endif
#ifdef FAKE_TUNED
    KG_TIMED(1048576),
#endif
    KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(32), KG_LAUNCH(64), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "from", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "to", KG_FLOAT32, 1, kg_extent(size, 0));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const float *from = problem->data[FROM];

    (void)output;
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++) {
        expected[i] = 2.0 * from[i];
        tolerance[i] = getenv("FAKE_ERROR") != NULL ? 1 : 0;
    }
}

static kg_work work(const kg_size *size)
{
    double count = (double)kg_extent(size, 0);

    return (kg_work){ .operations = count, .bytes = 8 * count };
}

static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    (void)variant;
    (void)launch;
    return kg_extent(size, 0) == 7 ? "7 is an unlucky size" : NULL;
}

KG_COMPARISON(fake, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference, .work = work, .refuses = refuses);

#ifdef FAKE_DEVICE_DEBUG
/* As kernelgate.h has it where nvcc -G compiled a kernel. */
extern const char kg__device_debug;
const char kg__device_debug = 1;
#endif

KG_TIME_CLAIM(fake, quick_beats_plain)
{
    kg_expect_speedup("quick/64/b32", "plain/64/b32", 1.5);
}

#ifndef FAKE_SOUND
KG_DEFECTS(fake, defects);
#endif

#ifdef FAKE_SOUND
/* Tests of a suite's own, which leave no verdicts. */
Test(own, passes)
{
}

Test(own, fails)
{
    cr_assert_fail("told to");
}

Test(own, skips)
{
    cr_skip_test("told to");
}

Test(own, crashes)
{
    crash();
}

Test(own, dawdles, .timeout = 0.3)
{
    pause();
}
#endif
