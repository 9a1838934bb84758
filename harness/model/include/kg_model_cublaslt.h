/* SPDX-License-Identifier: MIT */
/* cuBLASLt of the CPU model: the products of cuBLAS, with bias, ReLU and GELU. */
#pragma once

#include "cublasLt.h"
#include "kg_model_cublas.h"

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    return cublasCreate(reinterpret_cast<cublasHandle_t *>(handle));
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return cublasDestroy(reinterpret_cast<cublasHandle_t>(handle));
}

#define KG__LT_MADE(what, type, parameters, arguments)                                             \
    cublasStatus_t cublasLt##what##Create parameters                                               \
    {                                                                                              \
        *made = new type();                                                                        \
        return cublasLt##what##Init arguments;                                                     \
    }                                                                                              \
    cublasStatus_t cublasLt##what##Destroy(type *made)                                             \
    {                                                                                              \
        delete made;                                                                               \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                        uint64_t rows, uint64_t columns, int64_t lead)
{
    *layout = { rows, columns, lead, 0, type, CUBLASLT_ORDER_COL, 1 };
    return CUBLAS_STATUS_SUCCESS;
}
KG__LT_MADE(MatrixLayout, cublasLtMatrixLayoutOpaque_t,
            (cublasLtMatrixLayout_t * made, cudaDataType type, uint64_t rows, uint64_t columns,
             int64_t lead),
            (*made, type, rows, columns, lead))
cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t description, cublasComputeType_t compute,
                                      cudaDataType scale)
{
    *description = {};
    description->compute = compute;
    description->scale = scale;
    description->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    description->bias_type = -1;
    return CUBLAS_STATUS_SUCCESS;
}
KG__LT_MADE(MatmulDesc, cublasLtMatmulDescOpaque_t,
            (cublasLtMatmulDesc_t * made, cublasComputeType_t compute, cudaDataType scale),
            (*made, compute, scale))
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference)
{
    *preference = {};
    return CUBLAS_STATUS_SUCCESS;
}
KG__LT_MADE(MatmulPreference, cublasLtMatmulPreferenceOpaque_t, (cublasLtMatmulPreference_t * made),
            (*made))
#undef KG__LT_MADE

/* Sets a field from an attribute's bytes. */
template <typename Field>
static cublasStatus_t kg__set_attribute(Field &field, const void *value, size_t size)
{
    if (value == nullptr || size > sizeof field)
        return CUBLAS_STATUS_INVALID_VALUE;
    field = {};
    memcpy(&field, value, size);
    return CUBLAS_STATUS_SUCCESS;
}
#define KG__LT_SETS(attribute, field)                                                              \
    case CUBLASLT_##attribute:                                                                     \
        return kg__set_attribute(field, value, size);

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void *value, size_t size)
{
    switch (attribute) {
        KG__LT_SETS(MATRIX_LAYOUT_TYPE, layout->type)
        KG__LT_SETS(MATRIX_LAYOUT_ORDER, layout->order)
        KG__LT_SETS(MATRIX_LAYOUT_ROWS, layout->rows)
        KG__LT_SETS(MATRIX_LAYOUT_COLS, layout->columns)
        KG__LT_SETS(MATRIX_LAYOUT_LD, layout->lead)
        KG__LT_SETS(MATRIX_LAYOUT_BATCH_COUNT, layout->count)
        KG__LT_SETS(MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, layout->step)
    }
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t size)
{
    uint64_t ignored;

    switch (attribute) {
        KG__LT_SETS(MATMUL_DESC_COMPUTE_TYPE, description->compute)
        KG__LT_SETS(MATMUL_DESC_SCALE_TYPE, description->scale)
        KG__LT_SETS(MATMUL_DESC_POINTER_MODE, description->pointers)
        KG__LT_SETS(MATMUL_DESC_TRANSA, description->transa)
        KG__LT_SETS(MATMUL_DESC_TRANSB, description->transb)
        KG__LT_SETS(MATMUL_DESC_EPILOGUE, description->epilogue)
        KG__LT_SETS(MATMUL_DESC_BIAS_POINTER, description->bias)
        KG__LT_SETS(MATMUL_DESC_BIAS_DATA_TYPE, description->bias_type)
        KG__LT_SETS(MATMUL_DESC_EPILOGUE_AUX_POINTER, description->aux)
        KG__LT_SETS(MATMUL_DESC_EPILOGUE_AUX_LD, description->aux_lead)
        KG__LT_SETS(MATMUL_DESC_SM_COUNT_TARGET, ignored)
        KG__LT_SETS(MATMUL_DESC_FAST_ACCUM, ignored)
    default:
        description->unsupported = 1;
        return CUBLAS_STATUS_SUCCESS;
    }
}
#undef KG__LT_SETS

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t size)
{
    return attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
               ? kg__set_attribute(preference->workspace, value, size)
               : CUBLAS_STATUS_SUCCESS;
}

/* Whether a product is one that is computed here. */
static bool kg__lt_is_known(const cublasLtMatmulDescOpaque_t &description,
                            const cublasLtMatrixLayoutOpaque_t &a,
                            const cublasLtMatrixLayoutOpaque_t &b,
                            const cublasLtMatrixLayoutOpaque_t &d)
{
    const int known = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS |
                      CUBLASLT_EPILOGUE_GELU_AUX;

    for (const auto *layout : { &a, &b, &d }) {
        if (!kg__model::is_known(static_cast<cudaDataType>(layout->type)) ||
            layout->order != CUBLASLT_ORDER_COL || layout->type == CUDA_C_32F ||
            layout->type == CUDA_C_64F)
            return false;
    }
    return description.unsupported == 0 && description.pointers <= CUBLASLT_POINTER_MODE_DEVICE &&
           (description.epilogue & ~known) == 0 &&
           description.epilogue != CUBLASLT_EPILOGUE_RELU_AUX &&
           description.epilogue != CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t, int most,
                                              cublasLtMatmulHeuristicResult_t *results, int *count)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (most < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    *count = kg__lt_is_known(*description, *a, *b, *d);
    results[0] = {};
    results[0].wavesCount = 1;
    return *count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

namespace kg__model
{
namespace
{

/* One product of a batch. */
template <typename Number>
void lt_matmul(const call &call, const cublasLtMatmulDescOpaque_t &how, Number alpha, Number beta,
               matrix a, matrix b, matrix c, matrix d, int k)
{
    const bool has_bias = (how.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0;
    const bool is_gelu = (how.epilogue & CUBLASLT_EPILOGUE_GELU) != 0;
    const auto left = call.fetch<Number>(a);
    const auto right = call.fetch<Number>(b);
    std::vector<Number> result(static_cast<size_t>(d.rows * d.columns));
    std::vector<Number> bias;

    if (beta != Number(0))
        result = call.fetch<Number>(c);
    if (has_bias)
        bias = call.fetch<Number>(
            { how.bias, how.bias_type < 0 ? d.type : static_cast<cudaDataType>(how.bias_type),
              d.rows, 1, d.rows });
    multiply(static_cast<cublasOperation_t>(how.transa), static_cast<cublasOperation_t>(how.transb),
             static_cast<int>(d.rows), static_cast<int>(d.columns), k, alpha, left, right, beta,
             result);
    for (size_t i = 0; has_bias && i < result.size(); i++)
        result[i] += bias[i % bias.size()];
    if (is_gelu && (how.epilogue & 128) != 0)
        call.put({ how.aux, d.type, d.rows, d.columns, how.aux_lead }, result);
    for (Number &x : result) {
        if ((how.epilogue & CUBLASLT_EPILOGUE_RELU) != 0)
            x = x > 0 ? x : Number(0);
        if (is_gelu)
            x = Number(0.5 * x *
                       (1 + tanh(0.7978845608028654 * (x + 0.044715 * double(x) * x * x))));
    }
    call.put(d, result);
}

} // namespace
} // namespace kg__model

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                              const void *alpha, const void *a, cublasLtMatrixLayout_t a_layout,
                              const void *b, cublasLtMatrixLayout_t b_layout, const void *beta,
                              const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *, void *,
                              size_t, cudaStream_t stream)
{
    cublasContext context = { stream, static_cast<cublasPointerMode_t>(description->pointers),
                              CUBLAS_DEFAULT_MATH };

    KG__CALL(cublasLtMatmul, handle != nullptr ? &context : nullptr)
    const auto at = [](const void *data, const cublasLtMatrixLayoutOpaque_t &layout, int i) {
        const auto type = static_cast<cudaDataType>(layout.type);

        return matrix{ const_cast<void *>(step_to(data, type, i * layout.step)), type,
                       static_cast<long long>(layout.rows), static_cast<long long>(layout.columns),
                       layout.lead };
    };
    const uint64_t k = description->transa == CUBLAS_OP_N ? a_layout->columns : a_layout->rows;

    if (!kg__lt_is_known(*description, *a_layout, *b_layout, *d_layout))
        throw CUBLAS_STATUS_NOT_SUPPORTED;
    call.require((description->transa == CUBLAS_OP_N ? a_layout->rows : a_layout->columns) ==
                     d_layout->rows &&
                 (description->transb == CUBLAS_OP_N ? b_layout->columns : b_layout->rows) ==
                     d_layout->columns &&
                 (description->transb == CUBLAS_OP_N ? b_layout->rows : b_layout->columns) == k);
    for (int i = 0; i < d_layout->count; i++) {
        const auto one = [&](auto first, auto second) {
            lt_matmul(call, *description, first, second, at(a, *a_layout, i), at(b, *b_layout, i),
                      at(c, *c_layout, i), at(d, *d_layout, i), static_cast<int>(k));
        };

        if (description->scale == CUDA_R_64F)
            one(call.scalar<double>(alpha), call.scalar<double>(beta));
        else if (description->scale == CUDA_R_32I)
            one(double(call.scalar<int>(alpha)), double(call.scalar<int>(beta)));
        else if (description->scale == CUDA_R_16F)
            one(call.number(static_cast<const __half *>(alpha)),
                call.number(static_cast<const __half *>(beta)));
        else
            one(call.scalar<float>(alpha), call.scalar<float>(beta));
    }
    KG__END
}
