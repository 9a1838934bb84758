/* SPDX-License-Identifier: MIT */
/* The driver's tensor maps. */
#include "model/exec/tensor_maps.h"

#include "model/include/cuda.h"

#include <stdbool.h>
#include <string.h>

#define SIZE_MAXIMUM ((uint64_t)1 << 32)
#define PITCH_MAXIMUM ((uint64_t)1 << 40)
#define BOX_MAXIMUM 256
#define STEP_MAXIMUM 8
#define ALIGNMENT 16 /* of global memory */

_Static_assert(sizeof(kg__tensor_map) <= sizeof(CUtensorMap), "opaque");

/* Returns the bytes of an element; 0: no type that the model supports. */
static unsigned int size_of(CUtensorMapDataType type)
{
    switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
        return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
        return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
        return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
        return 8;
    default:
        return 0;
    }
}

/* Writes the dimensions; false if one breaks a rule of the driver. */
static bool set_dimensions(kg__tensor_map *map, const cuuint64_t *sizes, const cuuint64_t *pitches,
                           const cuuint32_t *box, const cuuint32_t *steps)
{
    for (unsigned int i = 0; i < map->rank; i++) {
        map->pitch[i] = i == 0 ? map->element : pitches[i - 1];
        if (sizes[i] == 0 || sizes[i] > SIZE_MAXIMUM || box[i] == 0 || box[i] > BOX_MAXIMUM ||
            steps[i] == 0 || steps[i] > STEP_MAXIMUM ||
            (i > 0 && (map->pitch[i] % ALIGNMENT != 0 || map->pitch[i] >= PITCH_MAXIMUM)))
            return false;
        map->size[i] = sizes[i];
        map->box[i] = (uint16_t)box[i];
        /* The first dimension has no steps. */
        map->step[i] = i == 0 ? 1 : (uint8_t)steps[i];
    }
    return box[0] * map->element % ALIGNMENT == 0;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *base, const cuuint64_t *sizes, const cuuint64_t *pitches,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const unsigned int span = (unsigned int)ALIGNMENT << swizzle;
    kg__tensor_map made = { .magic = KG__TENSOR_MAP,
                            .rank = (uint8_t)rank,
                            .element = (uint8_t)size_of(type),
                            .swizzle = (uint8_t)swizzle,
                            .type = (uint8_t)type,
                            .base = base };

    if (map == NULL || (uintptr_t)map % _Alignof(CUtensorMap) != 0 || rank == 0 ||
        rank > KG__TENSOR_RANKS || base == NULL || (uintptr_t)base % ALIGNMENT != 0 ||
        sizes == NULL || (rank > 1 && pitches == NULL) || box == NULL || steps == NULL ||
        type > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B || interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
        swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
        promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return CUDA_ERROR_INVALID_VALUE;
    if (made.element == 0 || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        swizzle > CU_TENSOR_MAP_SWIZZLE_128B || fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
        return (CUresult)kg__model_refuse(
            "tensor maps of that type, interleaved, of that swizzling or filled with NaN",
            "cuTensorMapEncodeTiled");
    if (!set_dimensions(&made, sizes, pitches, box, steps) ||
        (swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && box[0] * made.element > span))
        return CUDA_ERROR_INVALID_VALUE;
    if (swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && box[0] * made.element < span)
        return (CUresult)kg__model_refuse("rows of a box that are shorter than what is swizzled",
                                          "cuTensorMapEncodeTiled");
    memset(map, 0, sizeof *map);
    memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                             unsigned int version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult *result)
{
    const bool found = name != NULL && strcmp(name, "cuTensorMapEncodeTiled") == 0;

    if (name == NULL || function == NULL || flags > cudaEnablePerThreadDefaultStream)
        return cudaErrorInvalidValue;
    *function = found ? (void *)(uintptr_t)cuTensorMapEncodeTiled : NULL;
    if (result != NULL)
        *result = !found            ? cudaDriverEntryPointSymbolNotFound
                  : version < 12000 ? cudaDriverEntryPointVersionNotSufficent
                                    : cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(name, function, CUDA_VERSION, flags, result);
}
