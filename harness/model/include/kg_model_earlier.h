/* SPDX-License-Identifier: MIT */
/* Names that toolkits before CUDA 13 had, for programs that still use them: calls of cudaThread*,
 * and texture references. Included by kg_program.h. */
#pragma once

#include "cuda_runtime.h"

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))

static inline cudaError_t cudaThreadSynchronize()
{
    return cudaDeviceSynchronize();
}
static inline cudaError_t cudaThreadExit()
{
    return cudaDeviceReset();
}

/* A texture reference names what is bound to it: kernels fetch from the object. By its visibility
 * a variable of this type is of neither side alone (harness/model/watch/image.c). */
struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    cudaTextureObject_t kg__object;
};

enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3 };

template <typename Element, int dimensions = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((visibility("hidden"))) texture : textureReference {
    texture(int is_normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp)
        : textureReference{ is_normalized,
                            filter,
                            { address, address, address },
                            cudaCreateChannelDesc<Element>(),
                            0,
                            0 }
    {
    }
};

/* A fetch returns an element, or its fields as floats from 0 or -1 to 1. */
template <typename Element, cudaTextureReadMode mode>
struct kg__model_fetched {
    using type = Element;
};
template <typename Element>
struct kg__model_fetched<Element, cudaReadModeNormalizedFloat> {
    using type = std::conditional_t<
        kg__model_texture_fields<Element>::count == 1, float,
        std::conditional_t<kg__model_texture_fields<Element>::count == 2, float2, float4>>;
};

#define KG__MODEL_FETCH(name, dimensions, parameters, arguments)                                   \
    template <typename Element, cudaTextureReadMode mode>                                          \
    KG__MODEL_INLINE auto name(const texture<Element, dimensions, mode> &from,                     \
                               KG__MODEL_LIST parameters)                                          \
    {                                                                                              \
        return name<typename kg__model_fetched<Element, mode>::type>(from.kg__object,              \
                                                                     KG__MODEL_LIST arguments);    \
    }
#define KG__MODEL_LIST(...) __VA_ARGS__
KG__MODEL_FETCH(tex1Dfetch, 1, (int x), (x))
KG__MODEL_FETCH(tex1D, 1, (float x), (x))
KG__MODEL_FETCH(tex2D, 2, (float x, float y), (x, y))
KG__MODEL_FETCH(tex3D, 3, (float x, float y, float z), (x, y, z))
#undef KG__MODEL_LIST
#undef KG__MODEL_FETCH
#undef KG__MODEL_INLINE

template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t cudaUnbindTexture(texture<Element, dimensions, mode> &to)
{
    const cudaTextureObject_t bound = to.kg__object;

    to.kg__object = 0;
    return bound == 0 ? cudaSuccess : cudaDestroyTextureObject(bound);
}

/* Makes the texture object that a texture reference stands for, of `resource` and with the
 * reference's own modes, in place of an earlier one. Returns CUDA's error. */
template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t kg__model_bind(texture<Element, dimensions, mode> &to,
                                  const cudaResourceDesc &resource)
{
    cudaTextureDesc how = {};

    static_cast<void>(cudaUnbindTexture(to));
    for (int i = 0; i < 3; i++)
        how.addressMode[i] = to.addressMode[i];
    how.filterMode = to.filterMode;
    how.readMode = mode;
    how.sRGB = to.sRGB;
    how.normalizedCoords = to.normalized;
    return cudaCreateTextureObject(&to.kg__object, &resource, &how, nullptr);
}

/* Without a size, accesses past the allocation's end are left to the checks of memory. */
template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t cudaBindTexture(size_t *offset, texture<Element, dimensions, mode> &to,
                                   const void *pointer, const cudaChannelFormatDesc &element,
                                   size_t size = UINT_MAX)
{
    cudaResourceDesc resource = {};

    if (offset != nullptr)
        *offset = 0;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<void *>(pointer);
    resource.res.linear.desc = element;
    resource.res.linear.sizeInBytes = size;
    return kg__model_bind(to, resource);
}

template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t cudaBindTexture(size_t *offset, texture<Element, dimensions, mode> &to,
                                   const void *pointer, size_t size = UINT_MAX)
{
    return cudaBindTexture(offset, to, pointer, to.channelDesc, size);
}

template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t cudaBindTexture(size_t *offset, texture<Element, dimensions, mode> *to,
                                   const void *pointer, const cudaChannelFormatDesc *element,
                                   size_t size = UINT_MAX)
{
    return cudaBindTexture(offset, *to, pointer, *element, size);
}

template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t cudaBindTexture2D(size_t *offset, texture<Element, dimensions, mode> &to,
                                     const void *pointer, const cudaChannelFormatDesc &element,
                                     size_t width, size_t height, size_t pitch)
{
    cudaResourceDesc resource = {};

    if (offset != nullptr)
        *offset = 0;
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = { const_cast<void *>(pointer), element, width, height, pitch };
    return kg__model_bind(to, resource);
}

template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t cudaBindTexture2D(size_t *offset, texture<Element, dimensions, mode> &to,
                                     const void *pointer, size_t width, size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, to, pointer, to.channelDesc, width, height, pitch);
}

template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t cudaBindTextureToArray(texture<Element, dimensions, mode> &to,
                                          cudaArray_const_t array)
{
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = const_cast<cudaArray_t>(array);
    return kg__model_bind(to, resource);
}

template <typename Element, int dimensions, cudaTextureReadMode mode>
static cudaError_t cudaBindTextureToArray(texture<Element, dimensions, mode> &to,
                                          cudaArray_const_t array, const cudaChannelFormatDesc &)
{
    return cudaBindTextureToArray(to, array);
}
