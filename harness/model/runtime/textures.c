/* SPDX-License-Identifier: MIT */
/* Texture and surface objects, and kernels' accesses to them. */
#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/launch.h"
#include "model/runtime/arrays.h"
#include "model/runtime/calls.h"
#include "model/watch/places.h"
#include "model/watch/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The dimensions of a cube map, whose faces are layers of two dimensions. */
#define CUBE 4
#define CODE ((uintptr_t)__builtin_return_address(0))

/* A texture or a surface. */
typedef struct texture {
    unsigned char *data;
    struct cudaChannelFormatDesc element;
    size_t element_bytes;
    size_t pitch, slice; /* bytes from row to row, from layer to layer */
    long size[3];        /* elements; 1 for dimensions that it does not have */
    int dimensions;      /* without layers; 0: linear memory; CUBE: a cube map */
    bool is_layered, is_surface, gives_floats;
    bool is_pointed_to; /* not an array's */
    struct cudaTextureDesc how;
} texture;

/* An object's number consists of its entry's index and of how often the entry was used before,
 * so that a destroyed object is not mistaken for its successor. */
static struct entry {
    texture *texture; /* NULL: none */
    unsigned int serial;
} * entries;
static size_t entry_count;
static size_t entry_room;

static unsigned long long add(const texture *made)
{
    static unsigned int serial;
    size_t i = 0;

    while (i < entry_count && entries[i].texture != NULL)
        i++;
    if (i == entry_count)
        (void)KG__ADD(entries, entry_count, entry_room);
    entries[i] = (struct entry){ kg__allocate(1, sizeof *made), ++serial };
    *entries[i].texture = *made;
    return (unsigned long long)serial << 32 | (i + 1);
}

/* Returns the entry of an object; NULL if it was destroyed, or is not an object. */
static struct entry *entry_of(unsigned long long object)
{
    size_t number = (size_t)(object & UINT32_MAX);

    if (number == 0 || number > entry_count || entries[number - 1].texture == NULL ||
        entries[number - 1].serial != object >> 32)
        return NULL;
    return &entries[number - 1];
}

static cudaError_t destroy(unsigned long long object, bool is_surface)
{
    struct entry *entry = entry_of(object);

    if (object == 0)
        return cudaSuccess;
    if (entry == NULL || entry->texture->is_surface != is_surface)
        return cudaErrorInvalidValue;
    free(entry->texture);
    entry->texture = NULL;
    return cudaSuccess;
}

static void take_array(texture *made, const struct cudaArray *array)
{
    const struct cudaExtent *extent = &array->extent;

    made->data = array->data;
    made->element = array->element;
    made->is_layered = (array->flags & cudaArrayLayered) != 0;
    made->dimensions = (array->flags & cudaArrayCubemap) != 0   ? CUBE
                       : extent->height == 0                    ? 1
                       : made->is_layered || extent->depth == 0 ? 2
                                                                : 3;
    made->size[0] = (long)kg__or_one(extent->width);
    made->size[1] = (long)kg__or_one(extent->height);
    made->size[2] = (long)kg__or_one(extent->depth);
    made->pitch = kg__model_element_bytes(&array->element) * extent->width;
    made->slice = made->pitch * (size_t)made->size[1];
}

/* Returns whether linear memory begins, and its rows do, where a device can read a texture.
 * Variables of the program are where the host's linker puts them. */
static bool is_aligned(const texture *made)
{
    const kg__model_allocation *holder = kg__model_find(made->data);

    if (holder == NULL && !kg__model_in_image(made->data))
        return false;
    return (holder == NULL || (size_t)(made->data - holder->base) % KG__TEXTURE_ALIGNMENT == 0) &&
           made->pitch % KG__TEXTURE_PITCH_ALIGNMENT == 0;
}

/* Fills in the properties of the resource. */
static cudaError_t take_resource(texture *made, const struct cudaResourceDesc *resource)
{
    *made = (texture){ .size = { 1, 1, 1 } };
    switch (resource->resType) {
    case cudaResourceTypeArray:
        if (resource->res.array.array == NULL)
            return cudaErrorInvalidResourceHandle;
        take_array(made, resource->res.array.array);
        break;
    case cudaResourceTypeLinear:
        made->is_pointed_to = true;
        made->data = resource->res.linear.devPtr;
        made->element = resource->res.linear.desc;
        break;
    case cudaResourceTypePitch2D:
        made->is_pointed_to = true;
        made->data = resource->res.pitch2D.devPtr;
        made->element = resource->res.pitch2D.desc;
        made->dimensions = 2;
        made->pitch = resource->res.pitch2D.pitchInBytes;
        made->size[0] = (long)resource->res.pitch2D.width;
        made->size[1] = (long)resource->res.pitch2D.height;
        break;
    default:
        return cudaErrorNotSupported;
    }
    made->element_bytes = kg__model_element_bytes(&made->element);
    if (made->is_pointed_to && !is_aligned(made))
        return cudaErrorInvalidValue;
    if (made->element_bytes == 0)
        return cudaErrorInvalidChannelDescriptor;
    if (resource->resType == cudaResourceTypeLinear)
        made->size[0] = (long)(resource->res.linear.sizeInBytes / made->element_bytes);
    return (made->size[0] > 0 || made->dimensions == 0) && made->size[1] > 0 &&
                   (resource->resType != cudaResourceTypePitch2D ||
                    made->pitch >= (size_t)made->size[0] * made->element_bytes)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t make_texture(cudaTextureObject_t *object,
                                const struct cudaResourceDesc *resource,
                                const struct cudaTextureDesc *how,
                                const struct cudaResourceViewDesc *view)
{
    texture made;
    cudaError_t error;
    bool is_float;

    if (object == NULL || resource == NULL || how == NULL)
        return cudaErrorInvalidValue;
    if (view != NULL || how->sRGB != 0)
        return cudaErrorNotSupported;
    error = take_resource(&made, resource);
    if (error != cudaSuccess)
        return error;
    made.how = *how;
    if (made.dimensions == CUBE) {
        if (how->seamlessCubemap != 0 && how->filterMode == cudaFilterModeLinear)
            return cudaErrorNotSupported;
        /* A direction has no unit, and meets a face inside of its edges. */
        made.how.normalizedCoords = 1;
        made.how.addressMode[0] = made.how.addressMode[1] = cudaAddressModeClamp;
    }
    is_float = made.element.f == cudaChannelFormatKindFloat;
    made.gives_floats = is_float || how->readMode == cudaReadModeNormalizedFloat;
    if (how->filterMode == cudaFilterModeLinear && !is_float &&
        (!made.gives_floats || made.element.x == 32))
        return cudaErrorInvalidFilterSetting;
    if (how->readMode == cudaReadModeNormalizedFloat && made.element.x == 32)
        return cudaErrorInvalidNormSetting;
    *object = add(&made);
    return cudaSuccess;
}

static cudaError_t make_surface(cudaSurfaceObject_t *object,
                                const struct cudaResourceDesc *resource)
{
    texture made;
    cudaError_t error;

    if (object == NULL || resource == NULL || resource->resType != cudaResourceTypeArray ||
        resource->res.array.array == NULL)
        return cudaErrorInvalidValue;
    error = take_resource(&made, resource);
    made.is_surface = true;
    if (error == cudaSuccess && made.dimensions == CUBE)
        error = cudaErrorNotSupported;
    if (error == cudaSuccess)
        *object = add(&made);
    return error;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view)
{
    KG__BEGIN_CALL();
    return kg__model_leave(make_texture(object, resource, texture, view));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    KG__BEGIN_CALL();
    return kg__model_leave(destroy(object, false));
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource)
{
    KG__BEGIN_CALL();
    return kg__model_leave(make_surface(object, resource));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    KG__BEGIN_CALL();
    return kg__model_leave(destroy(object, true));
}

/* Returns the texture that a kernel uses; ends the launch if it does not have these dimensions. */
static const texture *used(unsigned long long object, int dimensions, bool is_layered,
                           bool is_surface)
{
    const struct entry *entry = entry_of(object);

    if (entry == NULL || entry->texture->is_surface != is_surface)
        kg__model_trap(cudaErrorIllegalAddress,
                       is_surface ? "a surface object that was destroyed or never created"
                                  : "a texture object that was destroyed or never created");
    if (entry->texture->dimensions != dimensions || entry->texture->is_layered != is_layered)
        kg__model_trap(cudaErrorIllegalAddress,
                       "a texture or surface is read with other dimensions than its memory has: "
                       "tex1Dfetch() is for linear memory, tex*Layered() for layers, "
                       "texCubemap() for cube maps");
    return entry->texture;
}

/* The kernel's type must be the texture's. */
static void check_fields(const texture *from, size_t bytes)
{
    if (from->gives_floats ? bytes != 0 : bytes * 8 != (size_t)from->element.x)
        kg__model_trap(cudaErrorIllegalAddress, "a texture is fetched as the wrong type: use its "
                                                "elements' type, or float for normalized reads");
}

static const unsigned char *element_at(const texture *from, const long index[3])
{
    return from->data + (size_t)index[2] * from->slice + (size_t)index[1] * from->pitch +
           (size_t)index[0] * from->element_bytes;
}

/* Returns a field of an element: as it is, and as the float that it is read as. */
static int32_t integer_of(const texture *from, const unsigned char *element, size_t field)
{
    bool is_signed = from->element.f == cudaChannelFormatKindSigned;
    uint16_t half;
    int32_t whole;

    switch (from->element.x) {
    case 8:
        return is_signed ? (int8_t)element[field] : element[field];
    case 16:
        memcpy(&half, element + 2 * field, sizeof half);
        return is_signed ? (int16_t)half : half;
    default:
        memcpy(&whole, element + 4 * field, sizeof whole);
        return whole;
    }
}

static float float_of(const texture *from, const unsigned char *element, size_t field)
{
    bool is_signed = from->element.f == cudaChannelFormatKindSigned;
    float real;

    if (from->element.f != cudaChannelFormatKindFloat) {
        real = (float)integer_of(from, element, field) /
               (float)((1 << (from->element.x - is_signed)) - 1);
        return real < -1.0f ? -1.0f : real;
    }
    memcpy(&real, element + 4 * field, sizeof real);
    return real;
}

static size_t field_count(const texture *from)
{
    return from->element_bytes * 8 / (size_t)from->element.x;
}

/* Returns the element for an index; -1 for the border. */
static long resolve(const texture *from, int dimension, long index)
{
    enum cudaTextureAddressMode mode = from->how.addressMode[dimension];
    long size = from->size[dimension];
    long period = mode == cudaAddressModeMirror ? 2 * size : size;

    /* The programming guide allows the other modes only with normalized coordinates. */
    if (!from->how.normalizedCoords && mode != cudaAddressModeBorder)
        mode = cudaAddressModeClamp;
    if (index >= 0 && index < size)
        return index;
    if (mode == cudaAddressModeBorder)
        return -1;
    if (mode == cudaAddressModeClamp)
        return index < 0 ? 0 : size - 1;
    index = (index % period + period) % period;
    return index < size ? index : period - 1 - index;
}

/* Reads an element's fields, or the border's, for a fetch at `code`: without a request, but it may
 * be out of bounds, unwritten or a race. */
static void read_element(const texture *from, const long index[3], kg__model_texel *texel,
                         uintptr_t code)
{
    bool is_border = index[0] < 0 || index[1] < 0 || index[2] < 0;
    const unsigned char *element = is_border ? from->data : element_at(from, index);

    if (!is_border && from->is_pointed_to)
        kg__trace_note(element, KG__ACCESS_ASYNC | (unsigned int)from->element_bytes, code);
    for (size_t field = 0; field < field_count(from); field++) {
        if (from->gives_floats)
            texel->real[field] =
                is_border ? from->how.borderColor[field] : float_of(from, element, field);
        else
            texel->integer[field] = is_border ? 0 : integer_of(from, element, field);
    }
}

/* Returns the element at a coordinate, and with linear filtering its fraction toward the next,
 * in 256ths. */
static long place(const texture *from, int dimension, float coordinate, float *fraction)
{
    double at = coordinate;
    double whole;

    if (from->how.normalizedCoords)
        at *= (double)from->size[dimension];
    if (from->how.filterMode == cudaFilterModeLinear)
        at -= 0.5;
    /* NaN, and values outside of an index's range. */
    at = at > -1e15 ? at < 1e15 ? at : 1e15 : -1e15;
    whole = floor(at);
    *fraction =
        from->how.filterMode == cudaFilterModeLinear ? (float)(rint((at - whole) * 256) / 256) : 0;
    return (long)whole;
}

static kg__model_texel fetch(const texture *from, int dimensions, const float coordinates[3],
                             int layer, size_t bytes, uintptr_t code)
{
    long first[3] = { 0, 0, 0 };
    float fraction[3] = { 0, 0, 0 };
    double sums[4] = { 0, 0, 0, 0 };
    kg__model_texel texel = { .integer = { 0 } };

    check_fields(from, bytes);
    for (int i = 0; i < 3 && i < dimensions; i++)
        first[i] = place(from, i, coordinates[i], &fraction[i]);
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        long index[3] = { 0, 0, 0 };
        double weight = 1.0;

        for (int i = 0; i < 3 && i < dimensions; i++) {
            bool next = (corner >> i & 1) != 0;

            weight *= next ? (double)fraction[i] : 1.0 - (double)fraction[i];
            index[i] = resolve(from, i, first[i] + next);
        }
        if (layer >= 0)
            index[2] = layer < from->size[2] ? layer : from->size[2] - 1;
        if (weight == 0.0)
            continue;
        read_element(from, index, &texel, code);
        for (size_t field = 0; from->gives_floats && field < 4; field++)
            sums[field] += weight * (double)texel.real[field];
    }
    for (size_t field = 0; from->gives_floats && field < 4; field++)
        texel.real[field] = (float)sums[field];
    return texel;
}

kg__model_texel kg__model_fetch(cudaTextureObject_t object, int dimensions, float x, float y,
                                float z, int layer, size_t bytes)
{
    const float coordinates[] = { x, y, z };

    return fetch(used(object, dimensions, layer >= 0, false), dimensions, coordinates, layer, bytes,
                 CODE);
}

/* The face of the largest coordinate, and the place on it: the CUDA programming guide's table of
 * cubemap textures. Of equal ones z is before y, and y before x. */
kg__model_texel kg__model_fetch_cube(cudaTextureObject_t object, float x, float y, float z,
                                     int layer, size_t bytes)
{
    const texture *from = used(object, CUBE, layer >= 0, false);
    const float a = fabsf(x);
    const float b = fabsf(y);
    const float c = fabsf(z);
    const int axis = a > b && a > c ? 0 : b > c ? 1 : 2;
    const float most[] = { a, b, c };
    const float given[] = { x, y, z };
    const bool negative = signbit(given[axis]) != 0;
    const float s = axis == 0 ? (negative ? z : -z) : axis == 1 ? x : negative ? -x : x;
    const float t = axis != 1 ? -y : negative ? -z : z;
    const float place[] = { (s / most[axis] + 1) / 2, (t / most[axis] + 1) / 2, 0 };

    return fetch(from, 2, place, 6 * (layer < 0 ? 0 : layer) + 2 * axis + negative, bytes, CODE);
}

kg__model_texel kg__model_fetch_linear(cudaTextureObject_t object, int x, size_t bytes)
{
    const texture *from = used(object, 0, false, false);
    const long index[3] = { x, 0, 0 };
    kg__model_texel texel = { .integer = { 0 } };

    check_fields(from, bytes);
    if (x >= 0 && x < from->size[0])
        read_element(from, index, &texel, CODE);
    return texel;
}

void kg__model_access_surface(cudaSurfaceObject_t object, int dimensions, int x, int y, int z,
                              enum cudaSurfaceBoundaryMode mode, void *element, size_t bytes,
                              int writes)
{
    const texture *from = used(object, dimensions, false, true);
    long index[3] = { x / (long)bytes, y, z };
    unsigned char *at;

    if (bytes != from->element_bytes || x % (long)bytes != 0)
        kg__model_trap(cudaErrorIllegalAddress,
                       "a surface is accessed with a size other than its elements', or between two "
                       "elements: surf*() take x in bytes");
    for (int i = 0; i < 3; i++) {
        if (index[i] >= 0 && index[i] < from->size[i] && (i > 0 || x >= 0))
            continue;
        if (mode == cudaBoundaryModeTrap)
            kg__model_trap(cudaErrorLaunchFailure, "an access outside of a surface");
        if (mode == cudaBoundaryModeZero) {
            if (!writes)
                memset(element, 0, bytes);
            return;
        }
        index[i] = index[i] < 0 ? 0 : index[i] < from->size[i] ? index[i] : from->size[i] - 1;
    }
    at = (unsigned char *)element_at(from, index);
    if (writes) /* which no hook sees */
        kg__exec_leave_process();
    memcpy(writes ? at : element, writes ? element : at, bytes);
}
