/* SPDX-License-Identifier: MIT */
/* How cuBLAS's matrices are stored: whole, as a band, or one triangle, packed or not. */
#pragma once

#include "kg_model_cublas.h"

namespace kg__model
{
namespace
{

enum shape { is_general, is_symmetric, is_hermitian, is_triangular };

/* op(a) of a stored matrix. Elements outside of its band are zero and are not read; those of the
 * triangle that is not stored are zero, or the other triangle's. */
struct access : matrix {
    cublasOperation_t operation;
    shape kind;
    bool is_lower, is_unit, is_packed;
    /* Diagonals of `a` that are not zero, besides the main one. */
    long long below, above;

    __device__ long long place(long long i, long long j) const
    {
        if (is_packed)
            return j * (is_lower ? 2 * rows - j - 1 : j + 1) / 2 + i;
        return j * lead + i;
    }
    /* The columns of row i of op(a): from first() to before end(). */
    __device__ long long first(long long i) const
    {
        return std::max(0ll, i - (operation == CUBLAS_OP_N ? below : above));
    }
    __device__ long long end(long long i) const
    {
        const bool turned = operation != CUBLAS_OP_N;

        return std::min(turned ? rows : columns, i + (turned ? below : above) + 1);
    }
    template <typename Number>
    __device__ Number get(long long i, long long j) const
    {
        const bool mirrored =
            (kind == is_symmetric || kind == is_hermitian) && i != j && is_lower == (i < j);
        const bool turned = mirrored || operation != CUBLAS_OP_N;

        if (j < first(i) || j >= end(i))
            return Number(0);
        if (is_unit && i == j)
            return Number(1);
        const Number value = load<Number>(type, data, turned ? place(j, i) : place(i, j));
        if (kind == is_hermitian && i == j)
            return Number(std::real(value));
        return conjugate(value, operation == CUBLAS_OP_C || (kind == is_hermitian && mirrored));
    }
    template <typename Number>
    __device__ void set(long long i, long long j, Number value) const
    {
        store(type, data, place(i, j), value);
    }
};

access general(const call &call, matrix a, cublasOperation_t op, int m, int n)
{
    call.require(m >= 0 && n >= 0 && is_operation(op));
    a.rows = m;
    a.columns = n;
    return { a, op, is_general, false, false, false, m, n };
}

/* A square matrix that stores one triangle. */
access stored(const call &call, matrix a, int n, shape kind, cublasFillMode_t fill,
              cublasOperation_t op = CUBLAS_OP_N, cublasDiagType_t unit = CUBLAS_DIAG_NON_UNIT)
{
    const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    const bool all = kind != is_triangular;

    call.require((lower || fill == CUBLAS_FILL_MODE_UPPER) &&
                 (unit == CUBLAS_DIAG_UNIT || unit == CUBLAS_DIAG_NON_UNIT));
    access found = general(call, a, op, n, n);
    found.kind = kind;
    found.is_lower = lower;
    found.is_unit = unit == CUBLAS_DIAG_UNIT;
    found.below = all || lower ? n : 0;
    found.above = all || !lower ? n : 0;
    return found;
}

access full(const call &call, const access &a)
{
    require_leads(call, a);
    return a;
}

access packed(access a)
{
    a.is_packed = true;
    return a;
}

/* A band's column begins at its uppermost diagonal, so that its elements lie as a whole matrix's
 * of one row less. */
access banded(const call &call, access a, int below, int above)
{
    call.require(below >= 0 && above >= 0 && a.lead > static_cast<long long>(below) + above);
    a.data = const_cast<void *>(step_to(a.data, a.type, above));
    a.lead--;
    a.below = a.kind == is_general ? below : std::min<long long>(a.below, below + above);
    a.above = a.kind == is_general ? above : std::min<long long>(a.above, below + above);
    return a;
}

access banded(const call &call, const access &a, int k)
{
    return banded(call, a, a.is_lower ? k : 0, a.is_lower ? 0 : k);
}

} // namespace
} // namespace kg__model
