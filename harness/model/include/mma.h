/* SPDX-License-Identifier: MIT */
/* The CPU model's mma.h: nvcuda::wmma. */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kg_model_matrix.h"

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))

namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;

namespace precision
{
struct tf32;
}

namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

enum layout_t { mem_row_major, mem_col_major };

/* Rounds a float to tf32: to the nearest, ties away from zero. */
KG__MODEL_INLINE float __float_to_tf32(float value)
{
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);

    return value - value != 0 ? value : __builtin_bit_cast(float, (bits + 0x1000) & ~0x1fffu);
}

/* An element type: how it is stored, the type that accumulates its products, and how many
 * adjacent elements of an operand a lane has. */
template <typename Element>
struct kg__element {
    typedef int stored;
    typedef int sum;
    static constexpr bool is_supported = false;
    static constexpr kg__model_element element = KG__MODEL_INT32;
    static constexpr int run = 1;
};
#define KG__MODEL_ELEMENT(type, stored_, sum_, name, run_)                                         \
    template <>                                                                                    \
    struct kg__element<type> {                                                                     \
        typedef stored_ stored;                                                                    \
        typedef sum_ sum;                                                                          \
        static constexpr bool is_supported = true;                                                 \
        static constexpr kg__model_element element = name;                                         \
        static constexpr int run = run_;                                                           \
    };
KG__MODEL_ELEMENT(__half, __half, float, KG__MODEL_FLOAT16, 2)
KG__MODEL_ELEMENT(__nv_bfloat16, __nv_bfloat16, float, KG__MODEL_BFLOAT16, 2)
KG__MODEL_ELEMENT(precision::tf32, float, float, KG__MODEL_TF32, 1)
KG__MODEL_ELEMENT(signed char, signed char, int, KG__MODEL_INT8, 4)
KG__MODEL_ELEMENT(unsigned char, unsigned char, int, KG__MODEL_UINT8, 4)
KG__MODEL_ELEMENT(double, double, double, KG__MODEL_FLOAT64, 1)
KG__MODEL_ELEMENT(float, float, float, KG__MODEL_FLOAT32, 1)
KG__MODEL_ELEMENT(int, int, int, KG__MODEL_INT32, 1)
#undef KG__MODEL_ELEMENT

template <typename Type, typename... Others>
constexpr bool kg__is_one_of = (std::is_same<Type, Others>::value || ...);

/* One of two extents, which may be equal. */
constexpr int kg__choose(bool first, int one, int other)
{
    return first ? one : other;
}

/* Whether CUDA has a fragment. */
template <typename Use, int M, int N, int K, typename Element, typename Layout>
constexpr bool kg__is_fragment()
{
    if (kg__is_one_of<Use, accumulator> ? !kg__is_one_of<Layout, void>
                                        : !kg__is_one_of<Layout, row_major, col_major>)
        return false;
    if (M == 8 && N == 8 && K == 4)
        return kg__is_one_of<Element, double>;
    if (M == 16 && N == 16 && K == 8)
        return kg__is_one_of<Use, accumulator> ? kg__is_one_of<Element, float>
                                               : kg__is_one_of<Element, precision::tf32>;
    return K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32)) &&
           (kg__is_one_of<Use, accumulator>
                ? kg__is_one_of<Element, __half, float, int>
                : kg__is_one_of<Element, __half, __nv_bfloat16, signed char, unsigned char>);
}

/* The elements that each lane has, as in the hardware's registers. */
template <typename Use, int M, int N, int K, typename Element, typename Layout = void>
class __align__(8) fragment
{
    static_assert(kg__element<Element>::is_supported,
                  "the CPU model's wmma has no elements of less than 8 bits: see docs/model.md");
    static_assert(!kg__element<Element>::is_supported ||
                      kg__is_fragment<Use, M, N, K, Element, Layout>(),
                  "wmma has no fragment of this shape, element type and layout");

    static constexpr bool is_operand = !kg__is_one_of<Use, accumulator>;
    static constexpr bool is_turned = !is_operand && N == 32;
    static constexpr bool has_rows = kg__is_one_of<Use, matrix_a> || (!is_operand && !is_turned);
    static constexpr int rows = kg__choose(has_rows, M, N);
    static constexpr int columns = kg__choose(is_operand, K, kg__choose(is_turned, M, N));
    /* A lane has each 16-bit element of an operand two or four times, to have 16. */
    static constexpr int count =
        is_operand && kg__is_one_of<Element, __half> ? 16 : rows * columns / KG__MODEL_WARP;

  public:
    typedef Element element_type;
    typedef typename kg__element<Element>::stored storage_element_type;
    enum { num_elements = count };
    enum { num_storage_elements = count };
    storage_element_type x[count];

    static constexpr kg__model_matrix kg__matrix = {
        kg__element<Element>::element,
        rows,
        columns,
        is_operand ? kg__element<Element>::run : 2,
        count,
        kg__is_one_of<Use, matrix_b> && N == 16,
        is_operand,
        is_turned,
    };

    __attribute__((always_inline)) void kg__load(const storage_element_type *memory,
                                                 unsigned int stride, bool is_row_major)
    {
        kg__model_join_for_matrix(nullptr, memory, stride);
#ifdef KG__INSTRUMENTED
        kg__model_touch_matrix(&kg__matrix, memory, stride, is_row_major == has_rows, false);
#endif
        kg__model_read_matrix(&kg__matrix, x, memory, stride, is_row_major == has_rows);
    }
    __attribute__((always_inline)) void kg__store(storage_element_type * memory,
                                                  unsigned int stride, bool is_row_major) const
    {
        kg__model_join_for_matrix(nullptr, memory, stride);
#ifdef KG__INSTRUMENTED
        kg__model_touch_matrix(&kg__matrix, memory, stride, is_row_major == has_rows, true);
#endif
        kg__model_write_matrix(&kg__matrix, x, memory, stride, is_row_major == has_rows);
    }
};

template <typename Use, int M, int N, int K, typename Element, typename Layout>
KG__MODEL_INLINE void fill_fragment(fragment<Use, M, N, K, Element, Layout> &to,
                                    const typename kg__element<Element>::stored &value)
{
    for (auto &element : to.x)
        element = value;
}

template <typename Use, int M, int N, int K, typename Element, typename Layout>
KG__MODEL_INLINE void load_matrix_sync(fragment<Use, M, N, K, Element, Layout> &to,
                                       const typename kg__element<Element>::stored *memory,
                                       unsigned int stride)
{
    static_assert(kg__is_one_of<Layout, row_major, col_major>,
                  "an accumulator's layout is an argument of load_matrix_sync()");
    to.kg__load(memory, stride, kg__is_one_of<Layout, row_major>);
}

template <int M, int N, int K, typename Element>
KG__MODEL_INLINE void load_matrix_sync(fragment<accumulator, M, N, K, Element> &to,
                                       const typename kg__element<Element>::stored *memory,
                                       unsigned int stride, layout_t layout)
{
    to.kg__load(memory, stride, layout == mem_row_major);
}

template <int M, int N, int K, typename Element>
KG__MODEL_INLINE void store_matrix_sync(typename kg__element<Element>::stored *memory,
                                        const fragment<accumulator, M, N, K, Element> &from,
                                        unsigned int stride, layout_t layout)
{
    from.kg__store(memory, stride, layout == mem_row_major);
}

/* d = a b + c. */
template <int M, int N, int K, typename To, typename Element, typename LayoutOfA,
          typename LayoutOfB, typename From>
KG__MODEL_INLINE void kg__multiply(fragment<accumulator, M, N, K, To> &d,
                                   const fragment<matrix_a, M, N, K, Element, LayoutOfA> &a,
                                   const fragment<matrix_b, M, N, K, Element, LayoutOfB> &b,
                                   const fragment<accumulator, M, N, K, From> &c, bool saturates)
{
    /* nvcc's tf32 instruction has four. */
    constexpr int terms = kg__choose(kg__is_one_of<Element, precision::tf32>, 4, K);
    const kg__model_product product = { &a.kg__matrix, &b.kg__matrix, &c.kg__matrix, &d.kg__matrix,
                                        a.x,           b.x,           c.x,           d.x,
                                        terms,         saturates };

    kg__model_multiplies(M * N * K / KG__MODEL_WARP);
    kg__model_join_for_matrix(&product, nullptr, 0);
}

template <int M, int N, int K, typename To, typename Element, typename LayoutOfA,
          typename LayoutOfB, typename From>
KG__MODEL_INLINE void mma_sync(fragment<accumulator, M, N, K, To> &d,
                               const fragment<matrix_a, M, N, K, Element, LayoutOfA> &a,
                               const fragment<matrix_b, M, N, K, Element, LayoutOfB> &b,
                               const fragment<accumulator, M, N, K, From> &c)
{
    static_assert(kg__is_one_of<Element, __half>
                      ? kg__is_one_of<To, __half, float> && kg__is_one_of<From, __half, float>
                      : kg__is_one_of<To, From> &&
                            kg__is_one_of<To, typename kg__element<Element>::sum>,
                  "mma_sync() has no accumulators of these types for such operands");
    kg__multiply(d, a, b, c, false);
}

/* The same for integers, which may be saturated. */
template <int M, int N, int K, typename Element, typename LayoutOfA, typename LayoutOfB>
KG__MODEL_INLINE void mma_sync(fragment<accumulator, M, N, K, int> &d,
                               const fragment<matrix_a, M, N, K, Element, LayoutOfA> &a,
                               const fragment<matrix_b, M, N, K, Element, LayoutOfB> &b,
                               const fragment<accumulator, M, N, K, int> &c, bool satf)
{
    static_assert(kg__is_one_of<Element, signed char, unsigned char>,
                  "mma_sync() has no accumulators of int for such operands");
    kg__multiply(d, a, b, c, satf);
}

template <typename... Arguments>
__attribute__((__error__("the CPU model's wmma has no elements of less than 8 bits: see "
                         "docs/model.md"))) void
bmma_sync(Arguments &&...);

} // namespace wmma
} // namespace nvcuda

#undef KG__MODEL_INLINE
