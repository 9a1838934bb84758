/* SPDX-License-Identifier: MIT */
/* Implementation of the macros and templates of kernelgate.h, which includes this. Suites and
 * kernels must not use these names. */
#pragma once

/* See kernelgate.h. */
static inline int64_t kg_extent(const kg_size *size, int index)
{
    int last = size->extents > 1 ? size->extents - 1 : 0;

    return size->extent[index < last ? index : last];
}

#ifdef __cplusplus

/* Implements KG_ARG: returns argument `index`; the launch fails if it is not of `type` (below 0:
 * any). */
extern "C" void *kg__argument(const kg_call *call, int index, int type, bool is_const,
                              const char *spelled, const char *file, int line);
/* Returns whether the launch must fail because of a wrong KG_ARG. */
extern "C" bool kg__argument_is_wrong(void);

struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

/* The kg_type of an element, or of a vector's first one: for integers, the signed one of that
 * size; below 0 for bytes and other types. */
#define KG__TYPE_OF(type, value)                                                                   \
    constexpr int kg__type_of(const volatile type *, int)                                          \
    {                                                                                              \
        return value;                                                                              \
    }
KG__TYPE_OF(char, -1)
KG__TYPE_OF(float, KG_FLOAT32)
KG__TYPE_OF(double, KG_FLOAT64)
KG__TYPE_OF(__half, KG_FLOAT16)
KG__TYPE_OF(__nv_bfloat16, KG_BFLOAT16)
KG__TYPE_OF(__nv_fp8_e4m3, KG_FLOAT8_E4M3)
KG__TYPE_OF(__nv_fp8_e5m2, KG_FLOAT8_E5M2)
template <typename Any>
constexpr int kg__type_of(const volatile Any *, long)
{
    return !std::is_integral<Any>::value ? -1
           : sizeof(Any) == 1            ? KG_INT8
           : sizeof(Any) == 2            ? KG_INT16
           : sizeof(Any) == 4            ? KG_INT32
                                         : KG_INT64;
}
template <>
constexpr int kg__type_of(const volatile void *, long)
{
    return -1;
}
template <typename Vector>
constexpr auto kg__type_of(const volatile Vector *vector, int)
    -> decltype(kg__type_of(&vector->x, 0))
{
    return kg__type_of(static_cast<decltype(&vector->x)>(nullptr), 0);
}

/* Returns an argument as a pointer to `Type`; `spelled` and the place are for the message. */
template <typename Type>
Type *kg__argument_as(const kg_call *call, int index, const char *spelled, const char *file,
                      int line)
{
    return static_cast<Type *>(kg__argument(call, index,
                                            kg__type_of(static_cast<Type *>(nullptr), 0),
                                            std::is_const<Type>::value, spelled, file, line));
}
#define KG__ARG(call, type, index) kg__argument_as<type>((call), (index), #type, __FILE__, __LINE__)

/* The CPU model's cuda_runtime.h has its own, since g++ has no extern shared arrays. */
#ifndef KG_DYNAMIC_SHARED
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    extern __shared__ __align__(16) unsigned char kg__dynamic_shared[];                            \
    type *const name = reinterpret_cast<type *>(kg__dynamic_shared)
#endif

/* nvcc -G generates other code than the gated one: a program with such kernels times nothing. */
#ifdef __CUDACC_DEBUG__
extern "C" {
extern const char kg__device_debug;
__attribute__((weak)) const char kg__device_debug = 1;
}
#endif

/* Returns the number of tiles of `tile` elements that cover `extent` elements. If a grid's
 * extent cannot represent it, the result exceeds every GPU's limit, so that the launch fails. */
static inline unsigned int kg__count_tiles(int64_t extent, int64_t tile)
{
    int64_t tiles = extent > 0 && tile > 0 ? (extent - 1) / tile + 1 : 0;

    return tiles < UINT32_MAX ? (unsigned int)tiles : UINT32_MAX;
}

/* See kernelgate.h. */
static inline dim3 kg_grid(int64_t x, int64_t tile_x, int64_t y, int64_t tile_y, int64_t z,
                           int64_t tile_z)
{
    return dim3(kg__count_tiles(x, tile_x), kg__count_tiles(y, tile_y), kg__count_tiles(z, tile_z));
}

/* Dynamic shared memory per block without cudaFuncSetAttribute(). */
#define KG__SHARED_GRANTED ((size_t)48 << 10)

/* See kernelgate.h. */
template <typename... Parameters, typename... Arguments>
cudaError_t kg_start(const kg_call *call, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     kg_shared shared, const Arguments &...arguments)
{
    size_t bytes = static_cast<size_t>(shared);
    cudaLaunchConfig_t config = {};

    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = bytes;
    config.stream = call->stream;
    if (kg__argument_is_wrong())
        return cudaErrorInvalidValue;
    if (bytes > KG__SHARED_GRANTED) {
        cudaError_t code =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);

        if (code != cudaSuccess)
            return code;
    }
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* See kernelgate.h. */
template <typename... Parameters, typename... Arguments>
cudaError_t kg_start(const kg_call *call, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     const Arguments &...arguments)
{
    return kg_start(call, kernel, grid, block, kg_shared(0), arguments...);
}

#else

#define KG__ARG(call, type, index) ((type *)(call)->argument[index])
#define KG__END                                                                                    \
    {                                                                                              \
        0                                                                                          \
    }
#define KG__NOT_WIDE                                                                               \
    {                                                                                              \
        0, -1                                                                                      \
    }
#define KG__SIZE(purposes, ...)                                                                    \
    {                                                                                              \
        (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (purposes),                   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define KG__TIMED_AND_COUNTED(...)                                                                 \
    KG__SIZE(KG_PURPOSE_CHECK | KG_PURPOSE_TIME | KG_PURPOSE_COUNT, __VA_ARGS__)
#define KG__LAUNCH(...)                                                                            \
    {                                                                                              \
        (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)),                                       \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define KG__VARIANT(name_, launch_, ...)                                                           \
    {                                                                                              \
        .name = (name_), .launch = (launch_), .launcher = #launch_, .idea = __VA_ARGS__            \
    }
#define KG__DEFECT(name_, launch_, idea_, ...)                                                     \
    {                                                                                              \
        (name_), KG__VARIANT(name_, launch_, idea_), __VA_ARGS__                                   \
    }

/* A row of a table of defects. */
typedef struct kg_defect {
    const char *name; /* the variant's; first, because KG_END has no braces for a structure */
    kg_variant variant;
    kg_size size;
    kg_launch launch;
} kg_defect;

/* The program's comparison, defined by KG_COMPARISON. */
extern const kg_comparison *const kg__comparison;
/* The comparison's defects, defined by KG_DEFECTS; NULL if there are none. */
extern const kg_defect *const kg__defects __attribute__((weak));

/* Runs a part: the body of a comparison's Criterion test. */
void kg__run_part(const char *part);

/* Returns whether a KG_ARG of the launch was wrong. */
bool kg__argument_is_wrong(void);

/* Ends a claim's test: a claim without an expectation is an error. */
void kg__end_claim(void);

/* Seconds that end a Criterion test only if the test itself hangs. A part judges hundreds of
 * cases in one test, and its limit is the silence of its observers (KG_CASE_TIMEOUT). */
#define KG__PART_TIMEOUT 1500

#define KG__PART(comparison, part)                                                                 \
    Test(comparison, part, .timeout = KG__PART_TIMEOUT)                                            \
    {                                                                                              \
        kg__run_part(#part);                                                                       \
    }
/* A table may replace a member that a macro in it, such as KG_GEMM, has set. */
#define KG__COMPARISON(comparison, ...)                                                            \
    _Pragma("GCC diagnostic push")                                                                 \
        _Pragma("GCC diagnostic ignored \"-Woverride-init\"") static const kg_comparison           \
            kg__table_of_##comparison = { .name = #comparison, .home = KG__HOME, __VA_ARGS__ };    \
    _Pragma("GCC diagnostic pop") const kg_comparison *const kg__comparison =                      \
        &kg__table_of_##comparison;                                                                \
    KG__PART(comparison, check)                                                                    \
    KG__MEASURING_PART(comparison)                                                                 \
    extern const kg_comparison *const kg__comparison
#define KG__DEFECTS(comparison, table)                                                             \
    const kg_defect *const kg__defects = (table);                                                  \
    KG__PART(comparison, defects)                                                                  \
    extern const kg_defect *const kg__defects

#define KG__CLAIM(comparison, claim)                                                               \
    static void kg__claim_##claim(void);                                                           \
    Test(comparison, claim_##claim, .timeout = 60)                                                 \
    {                                                                                              \
        kg__claim_##claim();                                                                       \
        kg__end_claim();                                                                           \
    }                                                                                              \
    static void kg__claim_##claim(void)
#define KG__NO_CLAIM(claim) __attribute__((unused)) static void kg__unused_claim_##claim(void)

/* The build defines KG__TARGET_GPU for the GPU's program of a comparison. */
#ifdef KG__TARGET_GPU
#define KG__MEASURING_PART(comparison) KG__PART(comparison, time)
#define KG__TIME_CLAIM(comparison, claim) KG__CLAIM(comparison, claim)
#define KG__COUNT_CLAIM(comparison, claim) KG__NO_CLAIM(claim)
#else
#define KG__MEASURING_PART(comparison) KG__PART(comparison, count)
#define KG__TIME_CLAIM(comparison, claim) KG__NO_CLAIM(claim)
#define KG__COUNT_CLAIM(comparison, claim) KG__CLAIM(comparison, claim)
#endif

#endif /* __cplusplus */
