/* kernelgate: the one header that kernels (C++ of CUDA) and suites (C11) include.
 *
 * A comparison is a set of kernels, its variants, that do one job. Each variant is a launcher in
 * kernels/<comparison>/<variant>.cu; the table of variants, sizes and launches, the host reference
 * and the work model are in suites/<comparison>.c. Each row of the table's product is a case, named
 * <comparison>/<variant>/<size>/<launch> everywhere: matmul_f32/tiled/530/b16.
 */
#ifndef KERNELGATE_KERNELGATE_H
#define KERNELGATE_KERNELGATE_H

#include <stdbool.h>

#include <kernelgate/types.h>

#ifdef __cplusplus
#include <cuda_runtime.h>
#else
#include <cuda_runtime_api.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define KG_MAX_EXTENTS 4
#define KG_MAX_ARGUMENTS 8

/* What a size is for. What is timed or counted is always checked too, on the target that times or
 * counts it. */
enum {
    KG_PURPOSE_CHECK = 1, /* checked wherever it fits */
    KG_PURPOSE_TIME = 2,  /* timed on a GPU */
    KG_PURPOSE_COUNT = 4, /* counted on the CPU model */
    KG_PURPOSE_BOUNDS = 8 /* held against bounds alone, on the CPU model: see KG_BOUNDS */
};

/* One problem size: its numbers in the comparison's own order. Made by the macros below; a table
 * ends in KG_END. */
typedef struct kg_size {
    int extents; /* how many numbers there are; 0 ends a table */
    unsigned purpose;
    int64_t extent[KG_MAX_EXTENTS];
} kg_size;

#define KG__COUNT_EXTENTS(...) (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
#define KG__SIZE(for_, ...)                                                                        \
    {                                                                                              \
        KG__COUNT_EXTENTS(__VA_ARGS__), (for_),                                                    \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define KG_CHECKED(...) KG__SIZE(KG_PURPOSE_CHECK, __VA_ARGS__)
#define KG_TIMED(...) KG__SIZE(KG_PURPOSE_TIME, __VA_ARGS__)
#define KG_COUNTED(...) KG__SIZE(KG_PURPOSE_CHECK | KG_PURPOSE_COUNT, __VA_ARGS__)
#define KG_TIMED_AND_COUNTED(...)                                                                  \
    KG__SIZE(KG_PURPOSE_CHECK | KG_PURPOSE_TIME | KG_PURPOSE_COUNT, __VA_ARGS__)

/* A size whose arguments are too large to be filled and compared, such as of more than 4 GiB: they
 * hold zeros and take the memory that is touched, and a sample of blocks is held against their
 * bounds. */
#define KG_BOUNDS(...) KG__SIZE(KG_PURPOSE_BOUNDS, __VA_ARGS__)

/* Number `index` (from 0) of a size. A size written with fewer numbers repeats its last one: 530 is
 * 530x530x530 to a comparison of three extents. */
static inline int64_t kg_extent(const kg_size *size, int index)
{
    int last = size->extents > 1 ? size->extents - 1 : 0;

    return size->extent[index < last ? index : last];
}

/* A launch: threads per block (or a tile's edge), and the number of blocks where that is free (0
 * elsewhere). A table ends in KG_END; a comparison without launches has none. */
typedef struct kg_launch {
    int block;
    int grid;
} kg_launch;

#define KG_BLOCK(block_)                                                                           \
    {                                                                                              \
        (block_), 0                                                                                \
    }
#define KG_BLOCK_GRID(block_, grid_)                                                               \
    {                                                                                              \
        (block_), (grid_)                                                                          \
    }

/* What ends a table of sizes, launches, patterns or variants. */
#define KG_END                                                                                     \
    {                                                                                              \
        0                                                                                          \
    }

/* One launch of a variant: what a launcher gets. */
typedef struct kg_call {
    const kg_size *size;
    kg_launch launch;
    /* Device pointers, in the order in which the suite declares its arguments. */
    void *const *argument;
    /* Where the kernel is to be started, and nowhere else: what is on another stream is not timed.
     */
    cudaStream_t stream;
} kg_call;

/* A launcher starts its kernel on call->stream through cudaLaunchKernelEx() and returns what that
 * returned; cudaErrorInvalidValue for a launch that it has no kernel for. It does not synchronise.
 */
typedef cudaError_t kg_launcher(const kg_call *call);

#ifdef __cplusplus
}

/* Declares `name`, a pointer to the block's dynamic shared memory, in a kernel:
 * KG_DYNAMIC_SHARED(float, row). The CPU model's cuda_runtime.h brings its own, since g++ knows no
 * extern shared arrays. */
#ifndef KG_DYNAMIC_SHARED
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    extern __shared__ __align__(16) unsigned char kg__dynamic_shared[];                            \
    type *const name = reinterpret_cast<type *>(kg__dynamic_shared)
#endif

/* nvcc -G generates other code than what is gated: a program with such kernels times nothing. */
#ifdef __CUDACC_DEBUG__
extern "C" {
extern const char kg__device_debug;
__attribute__((weak)) const char kg__device_debug = 1;
}
#endif

/* Defines the launcher of a variant, in its .cu: KG_LAUNCHER(matmul_f32_naive) { ... call ... } */
#define KG_LAUNCHER(name) extern "C" cudaError_t name(const kg_call *call)

#else

#include <criterion/criterion.h>

/* Where an argument lives. */
typedef enum kg_memory {
    KG_DEVICE,
    KG_MANAGED,  /* managed memory, on the device when a launch begins, unless the clock is
                    KG_FIRST_TOUCH_CLOCK */
    KG_PAGEABLE, /* the host's, as malloc() gives it */
    KG_PINNED    /* the host's, page-locked */
} kg_memory;

/* How a variant is timed. Its records name the clock. */
typedef enum kg_clock {
    KG_GRAPH_CLOCK, /* an event pair around a CUDA graph of many launches */
    KG_HOST_CLOCK,  /* the host's clock around calls and their end, for what fits in no graph, such
                       as copies from pageable memory */
    KG_FIRST_TOUCH_CLOCK /* an event pair around one launch that finds managed arguments on the
                            host */
} kg_clock;

/* A variant: a way to do the comparison's job. Its row is KG_VARIANT("tiled", matmul_f32_tiled,
 * "what it tries"), with further members behind, where it has some: .memory = { KG_MANAGED }. */
typedef struct kg_variant {
    const char *name; /* its idea, never a number */
    kg_launcher *launch;
    const char *launcher; /* the name of `launch`, from which messages derive the source's */
    const char *idea;     /* one line on what it tries */
    /* Its own launches, ended by KG_END; NULL: the comparison's. */
    const kg_launch *launches;
    /* What the arguments still need before a launch and is not part of the job, such as a copy to
     * __constant__ memory: called once whenever they have been filled. NULL: nothing. */
    kg_launcher *prepare;
    /* Brings results that the launch left elsewhere to the output arguments, for checks. NULL:
     * they are there. */
    kg_launcher *collect;
    kg_memory memory[KG_MAX_ARGUMENTS]; /* by argument */
    kg_clock clock;
    unsigned not_for; /* KG_PURPOSE_TIME, KG_PURPOSE_COUNT: what it is left out of */
} kg_variant;

#define KG_VARIANT(name_, launch_, ...)                                                            \
    {                                                                                              \
        .name = (name_), .launch = (launch_), .launcher = #launch_, .idea = __VA_ARGS__            \
    }

/* A kernel that is kept because it is wrong, at a size and launch where the checks must catch it. A
 * table of them ends in KG_END. */
typedef struct kg_defect {
    /* The variant's, first here too: KG_END would lack braces for a structure. */
    const char *name;
    kg_variant variant;
    kg_size size;
    kg_launch launch;
} kg_defect;

/* KG_DEFECT("floor_tiles", matmul_i32_floor_tiles, "what is wrong", KG_CHECKED(17), KG_BLOCK(16))
 */
#define KG_DEFECT(name_, launch_, idea_, size_, launch_of_it_)                                     \
    {                                                                                              \
        (name_), KG_VARIANT(name_, launch_, idea_), size_, launch_of_it_                           \
    }

typedef enum kg_role {
    KG_INPUT,       /* filled by a pattern, must be left as it was */
    KG_OUTPUT,      /* poisoned before each launch, compared with the reference */
    KG_INPUT_OUTPUT /* filled by a pattern, restored before each launch, compared */
} kg_role;

typedef struct kg_argument {
    const char *name;
    kg_role role;
    kg_type type;
    size_t rows;
    size_t columns; /* elements a row; messages name a row and a column where rows > 1 */
} kg_argument;

typedef struct kg_arguments {
    kg_argument list[KG_MAX_ARGUMENTS];
    int count;
} kg_arguments;

/* Declares the next argument: `rows` x `columns` elements of `type`, row after row. Called from a
 * comparison's .arguments; more than KG_MAX_ARGUMENTS are an error of the table, reported by name.
 */
void kg_add_argument(kg_arguments *arguments, kg_role role, const char *name, kg_type type,
                     int64_t rows, int64_t columns);

/* A problem on the host: one size with filled inputs. */
typedef struct kg_problem {
    const kg_size *size;
    /* The variant whose results are judged, where the comparison is .by_variant; otherwise NULL,
     * for all of its variants share them. */
    const kg_variant *variant;
    kg_arguments arguments;
    void *data[KG_MAX_ARGUMENTS]; /* host copies of the inputs; NULL for outputs */
    bool exact;                   /* the pattern's: float results carry no rounding error */
} kg_problem;

/* Zeroed host memory for `count` items of `size` bytes, freed with free(); ends the process with a
 * message when there is none. */
void *kg_allocate(size_t count, size_t size);

/* Where a computed output first differs from the reference. */
typedef struct kg_mismatch {
    size_t index; /* of the first bad element, or row for a projection */
    double expected;
    double got;
    double tolerance;
    size_t count; /* bad elements (or rows) in all */
    bool is_row;  /* the index is of a row: a projection cannot tell the column */
} kg_mismatch;

/* Computes what output argument `output` must hold, element by element, in double, and how far each
 * may be off (0: exactly). Both arrays have rows x columns elements of that argument. Exact
 * patterns ignore the tolerance. Of KG_INT64 and KG_UINT64 `expected` is an array of int64_t or
 * uint64_t: cast it. */
typedef void kg_reference(const kg_problem *problem, int output, double *expected,
                          double *tolerance);

/* Judges a computed output without a whole reference, where that would cost more than
 * KG_PROJECT_ABOVE operations. Returns true when right, else fills `mismatch`. */
typedef bool kg_projection(const kg_problem *problem, int output, const void *computed,
                           kg_mismatch *mismatch);

#define KG_PROJECT_ABOVE (1LL << 29)

/* A pattern of inputs. Every comparison gets "random" (uniform in [-1, 1), or over the whole range
 * of an integer type, from a fixed seed) first, then its own. */
typedef struct kg_pattern {
    const char *name;
    /* Fills `data`, the host copy of argument `argument`. */
    void (*fill)(const kg_problem *problem, int argument, void *data);
    kg_reference *reference; /* the pattern's closed form; NULL: the comparison's own */
    bool exact;              /* sums and products of this pattern round nowhere: compare exactly */
} kg_pattern;

/* What a case's job asks for: the fewest operations and bytes, whatever the variant does. */
typedef struct kg_work {
    double operations; /* floating-point (or integer) operations */
    double bytes;      /* every input read once, every output written once; of a copy, its own */
} kg_work;

/* A comparison's table. Sizes, launches, patterns and variants end in KG_END. Variants, sizes,
 * arguments and reference are needed; the rest may be NULL. */
typedef struct kg_comparison {
    const char *name;
    /* The project's folder, set by the build: baselines/, kernels/ and out/ are in it. */
    const char *home;
    const kg_variant *variants;
    const kg_size *sizes;
    const kg_launch *launches;  /* NULL: none to choose, the launch is "-" */
    const kg_pattern *patterns; /* NULL: random alone */
    void (*arguments)(const kg_size *size, kg_arguments *arguments);
    kg_reference *reference;
    /* Judges sizes of more than KG_PROJECT_ABOVE operations, by .work, which it needs. NULL: every
     * size is checked whole. */
    kg_projection *projection;
    kg_work (*work)(const kg_size *size);
    /* Inputs or results differ between variants, as where each has a layout of its own: .reference
     * and the patterns look at problem->variant. */
    bool by_variant;
    /* A launch's block is the edge of its blocks of edge x edge threads, not their number. */
    bool block_is_edge;
    /* A size may hold a 0: the job is defined there. Otherwise such sizes are refused. */
    bool takes_zero;
    /* Why a case is not supported, or NULL when it is; a refused case is reported with its reason.
     * NULL: all are supported. */
    const char *(*refuses)(const kg_variant *variant, const kg_size *size, const kg_launch *launch);
} kg_comparison;

/* The program's comparison, defined by KG_COMPARISON. */
extern const kg_comparison *const kg__comparison;
/* Its defects, defined by KG_DEFECTS; absent where it has none. */
extern const kg_defect *const kg__defects __attribute__((weak));

/* The bodies of a comparison's Criterion tests. */
void kg__run_part(const char *part);

/* Ends a claim's test: one that expected nothing is an error. */
void kg__end_claim(void);

/* A part judges hundreds of cases in one Criterion test; what limits it is the silence of its
 * observers (KG_CASE_TIMEOUT), this is only the end of all patience, in seconds. */
#define KG__PART_TIMEOUT 1500

/* Defines the program's comparison and its Criterion tests: `check` on every target, `time` on a
 * GPU, `count` on the CPU model. */
#define KG_COMPARISON(comparison, ...)                                                             \
    static const kg_comparison kg__table_of_##comparison = { .name = #comparison,                  \
                                                             .home = KG__HOME,                     \
                                                             __VA_ARGS__ };                        \
    const kg_comparison *const kg__comparison = &kg__table_of_##comparison;                        \
    Test(comparison, check, .timeout = KG__PART_TIMEOUT)                                           \
    {                                                                                              \
        kg__run_part("check");                                                                     \
    }                                                                                              \
    KG__MEASURING_PART(comparison)

/* Defines the part `defects`: KG_DEFECTS(matmul_i32, defects). It passes when the checks find every
 * row of the table wrong, and says what they found. */
#define KG_DEFECTS(comparison, table)                                                              \
    const kg_defect *const kg__defects = (table);                                                  \
    Test(comparison, defects, .timeout = KG__PART_TIMEOUT)                                         \
    {                                                                                              \
        kg__run_part("defects");                                                                   \
    }                                                                                              \
    extern const kg_defect *const kg__defects

/* Claims: assertions across cases, on what this run recorded of them. KG_TIME_CLAIM(matmul_f32,
 * tiled_beats_naive) { kg_expect_speedup(...); } is a test of the GPU's program alone, and runs
 * after its part `time`; KG_COUNT_CLAIM is one of the CPU model's, after its part `count`.
 * KG__TARGET_GPU is defined by the build for the GPU's program of a comparison. */
#define KG__CLAIM(comparison, claim)                                                               \
    static void kg__claim_##claim(void);                                                           \
    Test(comparison, claim_##claim, .timeout = 60)                                                 \
    {                                                                                              \
        kg__claim_##claim();                                                                       \
        kg__end_claim();                                                                           \
    }                                                                                              \
    static void kg__claim_##claim(void)
#define KG__NO_CLAIM(claim) __attribute__((unused)) static void kg__unused_claim_##claim(void)
#ifdef KG__TARGET_GPU
#define KG__MEASURING_PART(comparison)                                                             \
    Test(comparison, time, .timeout = KG__PART_TIMEOUT)                                            \
    {                                                                                              \
        kg__run_part("time");                                                                      \
    }                                                                                              \
    extern const kg_comparison *const kg__comparison
#define KG_TIME_CLAIM(comparison, claim) KG__CLAIM(comparison, claim)
#define KG_COUNT_CLAIM(comparison, claim) KG__NO_CLAIM(claim)
#else
#define KG__MEASURING_PART(comparison)                                                             \
    Test(comparison, count, .timeout = KG__PART_TIMEOUT)                                           \
    {                                                                                              \
        kg__run_part("count");                                                                     \
    }                                                                                              \
    extern const kg_comparison *const kg__comparison
#define KG_TIME_CLAIM(comparison, claim) KG__NO_CLAIM(claim)
#define KG_COUNT_CLAIM(comparison, claim) KG__CLAIM(comparison, claim)
#endif

/* What claims expect. A case is named without its comparison: "tiled/530/b16". A claim fails when
 * it does not hold (on times, where it held at recording and has moved by more than their limit),
 * and is skipped when one of its cases was found wrong or has no such metric in this run, for then
 * there is nothing to speak of. */

/* `fast` takes at most 1 / `factor` of the time of `slow`, by time_ns. */
void kg_expect_speedup(const char *fast, const char *slow, double factor);

/* `more` has at least `factor` times as much of a metric as `less`: of cold_time_ns, of a counter
 * such as global_load_sectors, or of a ratio such as global_load_sectors_per_request. */
void kg_expect_less(const char *metric, const char *less, const char *more, double factor);

/* A metric of one case lies from `least` to `most`. */
void kg_expect_within(const char *metric, const char *one, double least, double most);

#endif /* __cplusplus */
#endif
