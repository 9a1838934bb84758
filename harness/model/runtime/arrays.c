/* SPDX-License-Identifier: MIT */
/* Arrays of the device, pitched memory, and copies by rows. */
#include "model/runtime/arrays.h"

#include "base/message.h"
#include "model/runtime/calls.h"
#include "model/runtime/transfers.h"
#include "model/watch/watcher.h"

#include <stdlib.h>

/* Alignment of rows, in bytes, as on NVIDIA's devices. */
#define PITCH ((size_t)512)

static kg__handle *arrays;

size_t kg__model_element_bytes(const struct cudaChannelFormatDesc *element)
{
    const int bits = element->x;
    size_t count = 1 + (element->y != 0) + (element->z != 0) + (element->w != 0);

    if ((bits != 8 && bits != 16 && bits != 32) || count == 3 ||
        (element->y != 0 && element->y != bits) || (element->z != 0 && element->z != bits) ||
        (element->w != 0 && element->w != bits) || (int)element->f < 0 ||
        element->f > cudaChannelFormatKindFloat ||
        (element->f == cudaChannelFormatKindFloat && bits != 32))
        return 0;
    return count * (size_t)bits / 8;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){ x, y, z, w, kind };
}

size_t kg__or_one(size_t extent)
{
    return extent > 0 ? extent : 1;
}

/* Whether an array can be the faces of one cube map, or of each layer. */
static bool is_cube(struct cudaExtent extent, bool is_layered)
{
    return extent.width == extent.height && extent.depth > 0 && extent.depth % 6 == 0 &&
           (is_layered || extent.depth == 6);
}

static cudaError_t allocate_array(cudaArray_t *array, const struct cudaChannelFormatDesc *element,
                                  struct cudaExtent extent, unsigned int flags)
{
    size_t bytes = element != NULL ? kg__model_element_bytes(element) : 0;
    const size_t size = bytes * extent.width * kg__or_one(extent.height) * kg__or_one(extent.depth);
    void *data = NULL;
    cudaError_t error;

    if (array != NULL && element != NULL && bytes == 0)
        return cudaErrorInvalidChannelDescriptor;
    if (array == NULL || element == NULL || extent.width == 0 || extent.width > 1 << 17 ||
        extent.height > 1 << 16 || extent.depth > 1 << 14 ||
        (flags & ~(unsigned)(cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap)) !=
            0 ||
        ((flags & cudaArrayCubemap) != 0 && !is_cube(extent, (flags & cudaArrayLayered) != 0)))
        return cudaErrorInvalidValue;
    error = kg__model_allocate(&data, size, KG__MODEL_DEVICE);
    if (error != cudaSuccess)
        return error;
    kg__watch_set(data, size, true);
    *array = kg__allocate(1, sizeof **array);
    **array =
        (struct cudaArray){ .data = data, .element = *element, .extent = extent, .flags = flags };
    kg__handle_add(&arrays, *array);
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *element,
                            size_t width, size_t height, unsigned int flags)
{
    return cudaMalloc3DArray(array, element, make_cudaExtent(width, height, 0), flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *element,
                              struct cudaExtent extent, unsigned int flags)
{
    KG__BEGIN_CALL();
    return kg__model_leave(allocate_array(array, element, extent, flags));
}

static cudaError_t free_array(cudaArray_t array)
{
    cudaError_t error;

    if (!kg__handle_remove(&arrays, array))
        return array == NULL ? cudaSuccess : cudaErrorInvalidValue;
    error = kg__model_release(array->data, KG__MODEL_DEVICE);
    free(array);
    return error;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    KG__BEGIN_CALL();
    return kg__model_leave(free_array(array));
}

void kg__model_forget_arrays(void)
{
    while (arrays != NULL) {
        kg__handle *first = arrays;

        arrays = first->next;
        free(first);
    }
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(pitch == NULL || (height > 0 && width > SIZE_MAX / 2 / height),
                  cudaErrorInvalidValue);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return kg__model_leave(kg__model_allocate(pointer, *pitch * height, KG__MODEL_DEVICE));
}

static kg__side side_of_array(const struct cudaArray *array, struct cudaPos from)
{
    size_t pitch = kg__model_element_bytes(&array->element) * array->extent.width;
    size_t slice = pitch * kg__or_one(array->extent.height);

    return (kg__side){ array->data + from.z * slice + from.y * pitch + from.x,
                       pitch,
                       slice,
                       pitch - (from.x < pitch ? from.x : pitch),
                       kg__or_one(array->extent.height) - from.y,
                       kg__or_one(array->extent.depth) - from.z };
}

/* Copies rows as an API call does. */
static cudaError_t copy_on(kg__side to, kg__side from, struct cudaExtent extent,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    KG__BEGIN_CALL();
    return kg__model_leave(kg__transfer(to, from, extent, kind, stream, waits));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_on(kg__side_of_rows(to, to_pitch), kg__side_of_rows(from, from_pitch),
                   make_cudaExtent(width, height, 1), kind, NULL, true);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy_on(kg__side_of_rows(to, to_pitch), kg__side_of_rows(from, from_pitch),
                   make_cudaExtent(width, height, 1), kind, stream, false);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t column, size_t row, const void *from,
                              size_t count, enum cudaMemcpyKind kind)
{
    const size_t width = to != NULL ? to->extent.width * kg__model_element_bytes(&to->element) : 0;
    cudaError_t error = column < width ? cudaSuccess : cudaErrorInvalidValue;

    if (error != cudaSuccess)
        return kg__model_end_call(error);
    /* It goes on in the next row where one is full. */
    while (count > 0 && error == cudaSuccess) {
        const size_t part = count < width - column ? count : width - column;

        error = cudaMemcpy2DToArray(to, column, row++, from, part, part, 1, kind);
        from = (const char *)from + part;
        count -= part;
        column = 0;
    }
    return error;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t column, size_t row, const void *from,
                                size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    if (to == NULL)
        return kg__model_end_call(cudaErrorInvalidValue);
    return copy_on(side_of_array(to, make_cudaPos(column, row, 0)), kg__side_of_rows(from, pitch),
                   make_cudaExtent(width, height, 1), kind, NULL, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t column, size_t row, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (to == NULL)
        return kg__model_end_call(cudaErrorInvalidValue);
    return copy_on(side_of_array(to, make_cudaPos(column, row, 0)), kg__side_of_rows(from, pitch),
                   make_cudaExtent(width, height, 1), kind, stream, false);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t column,
                                  size_t row, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    if (from == NULL)
        return kg__model_end_call(cudaErrorInvalidValue);
    return copy_on(kg__side_of_rows(to, pitch), side_of_array(from, make_cudaPos(column, row, 0)),
                   make_cudaExtent(width, height, 1), kind, NULL, true);
}

/* Returns one side of a copy in three dimensions. */
static kg__side side_of(cudaArray_t array, struct cudaPitchedPtr rows, struct cudaPos from)
{
    kg__side made;

    if (array != NULL) {
        from.x *= kg__model_element_bytes(&array->element);
        return side_of_array(array, from);
    }
    made = kg__side_of_rows((unsigned char *)rows.ptr +
                                (from.z * rows.ysize + from.y) * rows.pitch + from.x,
                            rows.pitch);
    made.slice = rows.pitch * rows.ysize;
    return made;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *copy, cudaStream_t stream, bool waits)
{
    struct cudaExtent extent;
    cudaArray_t array;

    if (copy == NULL || (copy->srcArray == NULL) == (copy->srcPtr.ptr == NULL) ||
        (copy->dstArray == NULL) == (copy->dstPtr.ptr == NULL))
        return kg__model_end_call(cudaErrorInvalidValue);
    extent = copy->extent;
    array = copy->dstArray != NULL ? copy->dstArray : copy->srcArray;
    /* In elements if an array takes part, else in bytes. */
    if (array != NULL)
        extent.width *= kg__model_element_bytes(&array->element);
    return copy_on(side_of(copy->dstArray, copy->dstPtr, copy->dstPos),
                   side_of(copy->srcArray, copy->srcPtr, copy->srcPos), extent, copy->kind, stream,
                   waits);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    return copy_3d(copy, NULL, true);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
    return copy_3d(copy, stream, false);
}
