/* Arrays of the device, pitched memory, and copies by rows. */
#include "model/runtime/arrays.h"

#include "base/message.h"
#include "model/runtime/calls.h"
#include "model/runtime/streams.h"

#include <stdlib.h>

/* Alignment of rows, in bytes, as on NVIDIA's devices. */
#define PITCH ((size_t)512)

/* One side of a copy by rows: `slice` bytes from layer to layer. */
typedef struct side {
    unsigned char *first;
    size_t pitch, slice;
    size_t width, height, depth; /* bytes there; SIZE_MAX: unknown */
} side;

static struct cudaArray *arrays;

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

static size_t or_one(size_t extent)
{
    return extent > 0 ? extent : 1;
}

static cudaError_t allocate_array(cudaArray_t *array, const struct cudaChannelFormatDesc *element,
                                  struct cudaExtent extent, unsigned int flags)
{
    size_t bytes = element != NULL ? kg__model_element_bytes(element) : 0;
    void *data = NULL;
    cudaError_t error;

    if (array == NULL || bytes == 0 || extent.width == 0 || extent.width > 1 << 20 ||
        extent.height > 1 << 20 || extent.depth > 1 << 20 ||
        (flags & ~(unsigned)(cudaArrayLayered | cudaArraySurfaceLoadStore)) != 0)
        return cudaErrorInvalidValue;
    error = kg__model_allocate(&data,
                               bytes * extent.width * or_one(extent.height) * or_one(extent.depth));
    if (error != cudaSuccess)
        return error;
    *array = kg__allocate(1, sizeof **array);
    **array = (struct cudaArray){ data, *element, extent, flags, arrays };
    arrays = *array;
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
    struct cudaArray **link = &arrays;
    cudaError_t error;

    while (*link != NULL && *link != array)
        link = &(*link)->next;
    if (*link == NULL)
        return array == NULL ? cudaSuccess : cudaErrorInvalidValue;
    *link = array->next;
    error = kg__model_release(array->data);
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
        struct cudaArray *first = arrays;

        arrays = first->next;
        free(first);
    }
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    KG__BEGIN_CALL();
    if (pitch == NULL || width == 0 || height == 0 || width > SIZE_MAX / 2 / height)
        return kg__model_leave(cudaErrorInvalidValue);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return kg__model_leave(kg__model_allocate(pointer, *pitch * height));
}

static side side_of_array(const struct cudaArray *array, struct cudaPos from)
{
    size_t pitch = kg__model_element_bytes(&array->element) * array->extent.width;
    size_t slice = pitch * or_one(array->extent.height);

    return (side){ array->data + from.z * slice + from.y * pitch + from.x,
                   pitch,
                   slice,
                   pitch - (from.x < pitch ? from.x : pitch),
                   or_one(array->extent.height) - from.y,
                   or_one(array->extent.depth) - from.z };
}

static side side_of_rows(void *pointer, size_t pitch)
{
    return (side){ pointer, pitch, 0, pitch, SIZE_MAX, SIZE_MAX };
}

/* Copies rows of `width` bytes. */
static cudaError_t copy_rows(side to, side from, size_t width, size_t height, size_t depth,
                             enum cudaMemcpyKind kind)
{
    cudaError_t error = cudaSuccess;

    if (width > to.pitch || width > from.pitch)
        return cudaErrorInvalidPitchValue;
    if (width > to.width || width > from.width || height > to.height || height > from.height ||
        depth > to.depth || depth > from.depth)
        return cudaErrorInvalidValue;
    for (size_t row = 0; row < height * depth && error == cudaSuccess; row++)
        error = kg__model_copy(to.first + row / height * to.slice + row % height * to.pitch,
                               from.first + row / height * from.slice + row % height * from.pitch,
                               width, kind);
    return error;
}

/* Copies rows as an API call does. */
static cudaError_t copy_on(side to, side from, struct cudaExtent extent, enum cudaMemcpyKind kind,
                           cudaStream_t stream)
{
    KG__BEGIN_CALL();
    if (!kg__model_takes_work(stream))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    return kg__model_leave(copy_rows(to, from, extent.width, extent.height, extent.depth, kind));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy_on(side_of_rows(to, to_pitch), side_of_rows((void *)from, from_pitch),
                   make_cudaExtent(width, height, 1), kind, stream);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t column, size_t row, const void *from,
                              size_t count, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArray(to, column, row, from, count, count, 1, kind);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t column, size_t row, const void *from,
                                size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArrayAsync(to, column, row, from, pitch, width, height, kind, NULL);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t column, size_t row, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (to == NULL)
        return kg__model_end_call(cudaErrorInvalidValue);
    return copy_on(side_of_array(to, make_cudaPos(column, row, 0)),
                   side_of_rows((void *)from, pitch), make_cudaExtent(width, height, 1), kind,
                   stream);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t column,
                                  size_t row, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    if (from == NULL)
        return kg__model_end_call(cudaErrorInvalidValue);
    return copy_on(side_of_rows(to, pitch), side_of_array(from, make_cudaPos(column, row, 0)),
                   make_cudaExtent(width, height, 1), kind, NULL);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    return cudaMemcpy3DAsync(copy, NULL);
}

/* Returns one side of a copy in three dimensions. */
static side side_of(cudaArray_t array, struct cudaPitchedPtr rows, struct cudaPos from)
{
    side made;

    if (array != NULL) {
        from.x *= kg__model_element_bytes(&array->element);
        return side_of_array(array, from);
    }
    made = side_of_rows((unsigned char *)rows.ptr + (from.z * rows.ysize + from.y) * rows.pitch +
                            from.x,
                        rows.pitch);
    made.slice = rows.pitch * rows.ysize;
    return made;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
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
                   side_of(copy->srcArray, copy->srcPtr, copy->srcPos), extent, copy->kind, stream);
}
