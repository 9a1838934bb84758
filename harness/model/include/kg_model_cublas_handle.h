/* SPDX-License-Identifier: MIT */
/* cuBLAS's handles, and copies of vectors and matrices. */
#pragma once

#include "kg_model_cublas.h"

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new cublasContext{};
    (*handle)->special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete handle;
    return handle != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasGetVersion(cublasHandle_t, int *version)
{
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

#define KG__CUBLAS_SETTING(what, type, field, is_valid)                                            \
    cublasStatus_t cublasSet##what(cublasHandle_t handle, type value)                              \
    {                                                                                              \
        if (handle == nullptr)                                                                     \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        if (!(is_valid))                                                                           \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        handle->field = value;                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t cublasGet##what(cublasHandle_t handle, type *value)                             \
    {                                                                                              \
        if (handle == nullptr)                                                                     \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        if (value == nullptr)                                                                      \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        *value = handle->field;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
KG__CUBLAS_SETTING(Stream, cudaStream_t, stream, true)
KG__CUBLAS_SETTING(PointerMode, cublasPointerMode_t, pointers, true)
KG__CUBLAS_SETTING(MathMode, cublasMath_t, math, true)
KG__CUBLAS_SETTING(AtomicsMode, cublasAtomicsMode_t, atomics, true)
KG__CUBLAS_SETTING(EmulationStrategy, cublasEmulationStrategy_t, emulation,
                   value <= CUBLAS_EMULATION_STRATEGY_EAGER)
KG__CUBLAS_SETTING(EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport, special_values,
                   true)
KG__CUBLAS_SETTING(FixedPointEmulationMantissaControl, cudaEmulationMantissaControl, mantissa,
                   value <= CUDA_EMULATION_MANTISSA_CONTROL_FIXED)
KG__CUBLAS_SETTING(FixedPointEmulationMaxMantissaBitCount, int, mantissa_bits, true)
KG__CUBLAS_SETTING(FixedPointEmulationMantissaBitOffset, int, mantissa_offset, true)
KG__CUBLAS_SETTING(SmCountTarget, int, processors, value >= 0)
#undef KG__CUBLAS_SETTING

cublasStatus_t cublasSetWorkspace(cublasHandle_t, void *, size_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLoggerConfigure(int, int, int, const char *)
{
    return CUBLAS_STATUS_SUCCESS;
}

/* Copies between the host and the device, column by column. */
static cublasStatus_t kg__copy_matrix(size_t rows, int columns, size_t size, const void *from,
                                      int lead_from, void *to, int lead_to, cudaMemcpyKind kind)
{
    if (columns < 0 || size == 0 || lead_from <= 0 || lead_to <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || columns == 0)
        return CUBLAS_STATUS_SUCCESS;
    return cudaMemcpy2D(to, static_cast<size_t>(lead_to) * size, from,
                        static_cast<size_t>(lead_from) * size, rows * size,
                        static_cast<size_t>(columns), kind) == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_MAPPING_ERROR;
}

#define KG__CUBLAS_MOVE(way, kind)                                                                 \
    cublasStatus_t cublas##way##Matrix(int rows, int columns, int size, const void *from,          \
                                       int lead_from, void *to, int lead_to)                       \
    {                                                                                              \
        return kg__copy_matrix(static_cast<size_t>(rows), columns, static_cast<size_t>(size),      \
                               from, lead_from, to, lead_to, kind);                                \
    }                                                                                              \
    cublasStatus_t cublas##way##MatrixAsync(int rows, int columns, int size, const void *from,     \
                                            int lead_from, void *to, int lead_to, cudaStream_t)    \
    {                                                                                              \
        return cublas##way##Matrix(rows, columns, size, from, lead_from, to, lead_to);             \
    }                                                                                              \
    cublasStatus_t cublas##way##Vector(int count, int size, const void *from, int step_from,       \
                                       void *to, int step_to)                                      \
    {                                                                                              \
        return step_from == 1 && step_to == 1                                                      \
                   ? kg__copy_matrix(static_cast<size_t>(count), 1, static_cast<size_t>(size),     \
                                     from, std::max(1, count), to, std::max(1, count), kind)       \
                   : kg__copy_matrix(1, count, static_cast<size_t>(size), from, step_from, to,     \
                                     step_to, kind);                                               \
    }                                                                                              \
    cublasStatus_t cublas##way##VectorAsync(int count, int size, const void *from, int step_from,  \
                                            void *to, int step_to, cudaStream_t)                   \
    {                                                                                              \
        return cublas##way##Vector(count, size, from, step_from, to, step_to);                     \
    }
KG__CUBLAS_MOVE(Set, cudaMemcpyHostToDevice)
KG__CUBLAS_MOVE(Get, cudaMemcpyDeviceToHost)
#undef KG__CUBLAS_MOVE
