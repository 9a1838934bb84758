/* SPDX-License-Identifier: MIT */
/* kernelgate: the header of kernels (C++ of CUDA) and suites (C11).
 *
 * A comparison is a set of kernels, its variants, that do one job. Each variant is a launcher in
 * kernels/<comparison>/<variant>.cu; suites/<comparison>.c has the table of variants, sizes and
 * launches, and the reference. Each row of the table's product is a case, named
 * <comparison>/<variant>/<size>/<launch> everywhere: matmul_f32/tiled/530/b16.
 */
#pragma once

#include <kernelgate/types.h>

#ifdef __cplusplus
#include <cuda_runtime.h>
#include <type_traits>

extern "C" {
#else
#include <criterion/criterion.h>
#include <cuda_runtime_api.h>
#endif

#define KG_MAX_EXTENTS 4
#define KG_MAX_AXES 6
#define KG_MAX_ARGUMENTS 16
#define KG_MAX_SCALARS 8

/* The purposes of a size. Sizes that are timed or counted are also checked there. */
enum {
    KG_PURPOSE_CHECK = 1,  /* checked on every target */
    KG_PURPOSE_TIME = 2,   /* timed on a GPU */
    KG_PURPOSE_COUNT = 4,  /* counted on the CPU model */
    KG_PURPOSE_BOUNDS = 8, /* KG_BOUNDS */
    KG_PURPOSE_MODEL = 16  /* checked on the CPU model */
};

/* A problem size: 1 to KG_MAX_EXTENTS numbers. Written as a row, KG_CHECKED(31, 33, 17). */
typedef struct kg_size {
    int extents; /* how many numbers there are; 0 ends a table */
    unsigned purpose;
    int64_t extent[KG_MAX_EXTENTS];
} kg_size;

/* A launch: the values of the comparison's axes, from 1 on. Written as a row, KG_LAUNCH(256). */
typedef struct kg_launch {
    int axes; /* how many values there are; 0 ends a table */
    int axis[KG_MAX_AXES];
} kg_launch;

/* One launch of a variant: a launcher's parameter. */
typedef struct kg_call {
    const kg_size *size;
    kg_launch launch;
    void *const *argument; /* device pointers, in the order in which the suite declares them */
    const double *scalar;
    cudaStream_t stream;                 /* for all of the launch's work: nothing else is timed */
    const struct kg_arguments *declared; /* for KG_ARG's checks; NULL: none */
} kg_call;

/* A launcher starts the variant's work on call->stream: kernels, cudaMemsetAsync() and
 * cudaMemcpyAsync(). It returns the first error, or cudaErrorInvalidValue for a launch that it
 * has no kernel for. It neither allocates nor waits. */
typedef cudaError_t kg_launcher(const kg_call *call);

/* Returns number `index` (from 0) of a size. A size written with fewer numbers repeats its last
 * one: 530 is 530x530x530 in a comparison of three extents. */
static inline int64_t kg_extent(const kg_size *size, int index);
/* Number `index` of the size of a call, a problem or a list of arguments; an int64_t. */
#define KG_EXTENT(of, index) kg_extent((of)->size, (index))
/* Value `index` (from 0) of the launch of a call or a list of arguments; an int, 0 if the launch
 * was written without it. */
#define KG_AXIS(of, index) ((of)->launch.axis[index])
/* Scalar parameter `index` of a call or a problem, as a `type`: KG_SCALAR(call, float, 0). */
#define KG_SCALAR(of, type, index) ((type)(of)->scalar[index])
/* Argument `index` (from 0) of a call, as a pointer to `type`: KG_ARG(call, const float, 0). In
 * a .cu file the launch fails unless `type` matches the elements that the suite declares
 * (integers of either sign), and is const for an input. float4 counts as float, __half2 as
 * __half, and char as any type. */
#define KG_ARG(call, type, index) KG__ARG(call, type, index)

#ifdef __cplusplus
} /* extern "C" */

/* Defines the launcher of a variant, in its .cu: KG_LAUNCHER(matmul_f32_naive) { ... call ... } */
#define KG_LAUNCHER(name) extern "C" cudaError_t name(const kg_call *call)

/* Bytes of dynamic shared memory per block, for kg_start(). In the kernel
 * KG_DYNAMIC_SHARED(float, row) declares `row`, a pointer to that memory. */
enum class kg_shared : size_t {};

/* Starts `kernel` on the call's stream with cudaLaunchKernelEx(), and returns its result.
 * Arguments are converted to the types of the kernel's parameters. For clusters and cooperative
 * launches, call cudaLaunchKernelEx() directly. */
template <typename... Parameters, typename... Arguments>
cudaError_t kg_start(const kg_call *call, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     const Arguments &...arguments);
/* The same with dynamic shared memory, which may exceed 48 KiB. */
template <typename... Parameters, typename... Arguments>
cudaError_t kg_start(const kg_call *call, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     kg_shared shared, const Arguments &...arguments);

/* Returns the grid that covers x, x by y, or x by y by z elements, with a tile of them per
 * block: kg_grid(columns, 64, rows, 16). */
static inline dim3 kg_grid(int64_t x, int64_t tile_x, int64_t y = 1, int64_t tile_y = 1,
                           int64_t z = 1, int64_t tile_z = 1);
#include <kernelgate/internal.h>

#else

/* Ends a table of sizes, launches, patterns, variants or defects. */
#define KG_END KG__END

/* Rows of tables: a size that is only checked; checked and counted; timed; all of these; checked
 * and counted on the CPU model alone, where a size that a GPU times would take it seconds. */
#define KG_CHECKED(...) KG__SIZE(KG_PURPOSE_CHECK, __VA_ARGS__)
#define KG_COUNTED(...) KG__SIZE(KG_PURPOSE_CHECK | KG_PURPOSE_COUNT, __VA_ARGS__)
#define KG_TIMED(...) KG__SIZE(KG_PURPOSE_TIME, __VA_ARGS__)
#define KG_TIMED_AND_COUNTED(...) KG__TIMED_AND_COUNTED(__VA_ARGS__)
#define KG_MODEL_ONLY(...) KG__SIZE(KG_PURPOSE_MODEL | KG_PURPOSE_COUNT, __VA_ARGS__)
/* A size too large to be filled and compared: only the bounds of a sample of blocks are checked. */
#define KG_BOUNDS(...) KG__SIZE(KG_PURPOSE_BOUNDS, __VA_ARGS__)
/* A launch, KG_LAUNCH(128, 128, 16): a value of each axis in turn. The last ones may be omitted. */
#define KG_LAUNCH(...) KG__LAUNCH(__VA_ARGS__)
/* .advanced.wide = KG_NOT_WIDE omits the inputs "wide". */
#define KG_NOT_WIDE KG__NOT_WIDE

/* A variant: one way to do the comparison's job. */
typedef struct kg_variant {
    const char *name; /* a word for its idea, never a number */
    kg_launcher *launch;
    const char *launcher;      /* the name of `launch`; messages derive the source's name from it */
    const char *idea;          /* one line about its idea */
    const kg_launch *launches; /* its own; NULL: the comparison's */
    bool repeatable;           /* KG_REPEATABLE */
    kg_type type;              /* KG_TYPE(list), if variants differ in the elements' type */
    struct {
        /* Further preparation of the arguments that is not part of the job, such as a copy to
         * __constant__ memory: called whenever they have been filled. */
        kg_launcher *prepare;
        /* Copies results that the launch left elsewhere to the output arguments, for checks. */
        kg_launcher *collect;
        kg_memory memory[KG_MAX_ARGUMENTS]; /* by argument */
        kg_clock clock;
        unsigned not_for; /* KG_PURPOSE_TIME, KG_PURPOSE_COUNT: purposes it is excluded from */
        /* Its inputs or results differ from those of the other variants, for example by their
         * layout: .reference and the patterns read problem->variant, which is NULL for all
         * variants without this. */
        bool own_reference;
    } advanced;
} kg_variant;

/* A variant's row: KG_VARIANT("tiled", matmul_f32_tiled, "its idea"), optionally followed by
 * further members: .launches = tiles, .advanced.memory = { KG_MANAGED }, KG_REPEATABLE. */
#define KG_VARIANT(name, launcher, ...) KG__VARIANT(name, launcher, __VA_ARGS__)
/* Claims that the variant gives the same bits in every run and every order of blocks; checked. */
#define KG_REPEATABLE .repeatable = true

/* A row of a table of kg_defect: a wrong kernel, which the checks must catch at this size and
 * launch: KG_DEFECT("low", add_low, "the error", KG_CHECKED(17), KG_LAUNCH(16)). */
#define KG_DEFECT(name, launcher, idea, ...) KG__DEFECT(name, launcher, idea, __VA_ARGS__)

typedef enum kg_role {
    KG_INPUT,        /* filled by a pattern, must stay unchanged */
    KG_OUTPUT,       /* poisoned before each launch, compared with the reference */
    KG_INPUT_OUTPUT, /* filled by a pattern, restored before each launch, compared */
    KG_SCRATCH       /* poisoned, never compared; its size may depend on the launch */
} kg_role;

typedef struct kg_argument {
    const char *name;
    kg_role role;
    kg_type type;
    size_t rows;
    size_t columns; /* elements per row; messages name row and column if rows > 1 */
} kg_argument;

/* The arguments of a case, as declared by its comparison's .arguments. */
typedef struct kg_arguments {
    const kg_size *size;
    kg_launch launch; /* for the sizes of scratch only */
    const kg_variant *variant;
    kg_argument list[KG_MAX_ARGUMENTS];
    int count;
    double scalar[KG_MAX_SCALARS];
    int scalars; /* how many there are */
} kg_arguments;

/* The .type of the variant that a list of arguments is for: kg_add_argument(list, KG_INPUT, "x",
 * KG_TYPE(list), 1, n). References read problem->arguments.list[0].type. */
#define KG_TYPE(list) ((list)->variant->type)

/* Declares the next argument: `rows` x `columns` elements of `type`, row after row. More than
 * KG_MAX_ARGUMENTS are an error of the table. */
void kg_add_argument(kg_arguments *arguments, kg_role role, const char *name, kg_type type,
                     int64_t rows, int64_t columns);

/* Declares the next scalar parameter, such as an epsilon, with its value at this size. */
void kg_add_scalar(kg_arguments *arguments, double value);

/* A problem on the host: one size with filled inputs. */
typedef struct kg_problem {
    const kg_size *size;
    const kg_variant *variant; /* the one with .own_reference whose results are judged, or NULL */
    kg_arguments arguments;
    double scalar[KG_MAX_SCALARS];
    kg_type accumulated;
    void *data[KG_MAX_ARGUMENTS]; /* host copies of the inputs; NULL for outputs and scratch */
    bool exact;                   /* set by the pattern: float results have no rounding error */
} kg_problem;

/* A comparison's table. Variants, sizes, arguments and reference are required; the rest is
 * optional. Tables end in KG_END. */
typedef struct kg_comparison {
    const char *name;
    const char *home; /* the project's folder, set by the build: baselines/ and out/ are in it */
    const kg_variant *variants;
    const kg_size *sizes;
    const kg_launch *launches; /* NULL: none to choose, the launch is "-" */
    /* The names of a launch's values, of a-z and _, as in ids: { "bm", "bn" } is bm128bn64.
     * NULL: { "block", "grid" }, threads per block and blocks, written b256g1056 in ids. */
    const char *axes[KG_MAX_AXES];
    void (*arguments)(const kg_size *size, kg_arguments *arguments);
    kg_reference *reference;
    kg_work (*work)(const kg_size *size);
    /* Returns why a case is not supported, or NULL when it is; such a case is reported as
     * refused. */
    const char *(*refuses)(const kg_variant *variant, const kg_size *size, const kg_launch *launch);
    struct {
        const kg_pattern *patterns; /* NULL: only random and wide */
        /* For kernels that do not accept all magnitudes: { 0, 100 }; KG_NOT_WIDE: only random. */
        kg_magnitudes wide;
        /* Judges sizes of more than KG_PROJECT_ABOVE operations, by .work, which is then
         * required. */
        kg_projection *projection;
        /* A size may have a 0: the job is defined there. Otherwise such sizes are refused. */
        bool takes_zero;
        /* The type in which references assume sums: the elements' own type if that is more
         * precise. */
        kg_type accumulated;
        /* Values of each axis for `kernelgate tune` to try, in addition to those of the table. */
        kg_range ranges[KG_MAX_AXES];
    } advanced;
} kg_comparison;

#include <kernelgate/internal.h>
#include <kernelgate/references.h>

/* Defines the program's comparison and its Criterion tests, KG_COMPARISON(matmul_f32, .variants
 * = variants, ...): `check` on every target, `time` on a GPU, `count` on the CPU model. */
#define KG_COMPARISON(comparison, ...) KG__COMPARISON(comparison, __VA_ARGS__)

/* Defines the part `defects`, which passes when the checks find every row of the table wrong. */
#define KG_DEFECTS(comparison, table) KG__DEFECTS(comparison, table)

/* Claims: assertions across cases, about this run's records. KG_TIME_CLAIM(matmul_f32,
 * tiled_beats_naive) { kg_expect_speedup(...); } is a test of only the GPU's program, and runs
 * after its part `time`; KG_COUNT_CLAIM is one of the CPU model's, after its part `count`. */
#define KG_TIME_CLAIM(comparison, claim) KG__TIME_CLAIM(comparison, claim)
#define KG_COUNT_CLAIM(comparison, claim) KG__COUNT_CLAIM(comparison, claim)

/* Expectations of claims, about cases named without their comparison: "tiled/530/b16". A claim
 * is skipped if a case is wrong or lacks the metric; a claim about times also if it did not hold
 * at recording. */

/* Expects that `fast` takes at most 1 / `factor` of the time of `slow`, by time_ns. */
void kg_expect_speedup(const char *fast, const char *slow, double factor);

/* Expects that `more` has at least `factor` times as much of a metric as `less`: of
 * cold_time_ns, of a counter such as global_load_sectors, or of a ratio such as
 * global_load_sectors_per_request. */
void kg_expect_less(const char *metric, const char *less, const char *more, double factor);

/* Expects that a metric of one case is between `least` and `most`. */
void kg_expect_within(const char *metric, const char *one, double least, double most);

#endif /* __cplusplus */
