/* SPDX-License-Identifier: MIT */
/* Textures and surfaces in kernels. Included by cuda_runtime.h. */
#pragma once

#include "cuda_runtime.h"

/* An element: the type of its fields, and how many. */
template <typename Element>
struct kg__model_texture_fields {
    using field = Element;
    static constexpr int count = 1;
};

#define KG__MODEL_ELEMENT(name, type, fields)                                                      \
    template <>                                                                                    \
    struct kg__model_texture_fields<name##fields> {                                                \
        using field = type;                                                                        \
        static constexpr int count = fields;                                                       \
    };
#define KG__MODEL_ELEMENTS(name, type)                                                             \
    KG__MODEL_ELEMENT(name, type, 1)                                                               \
    KG__MODEL_ELEMENT(name, type, 2) KG__MODEL_ELEMENT(name, type, 4)
KG__MODEL_ELEMENTS(char, signed char)
KG__MODEL_ELEMENTS(uchar, unsigned char)
KG__MODEL_ELEMENTS(short, short)
KG__MODEL_ELEMENTS(ushort, unsigned short)
KG__MODEL_ELEMENTS(int, int)
KG__MODEL_ELEMENTS(uint, unsigned int)
KG__MODEL_ELEMENTS(float, float)
#undef KG__MODEL_ELEMENTS
#undef KG__MODEL_ELEMENT

/* The `bytes` argument of kg__model_fetch(). */
template <typename Element>
constexpr size_t kg__model_field_bytes =
    std::is_floating_point<typename kg__model_texture_fields<Element>::field>::value
        ? 0
        : sizeof(typename kg__model_texture_fields<Element>::field);

/* Returns the element of the fetched fields. */
template <typename Element>
KG__MODEL_INLINE Element kg__model_element_of(const kg__model_texel &texel)
{
    using field = typename kg__model_texture_fields<Element>::field;
    static_assert(sizeof(field) <= 4 && std::is_arithmetic<field>::value,
                  "the CPU model fetches 8, 16 and 32 bits, in vectors of 1, 2 and 4");
    field fields[kg__model_texture_fields<Element>::count];
    Element element;

    for (int i = 0; i < kg__model_texture_fields<Element>::count; i++)
        fields[i] = kg__model_field_bytes<Element> == 0 ? static_cast<field>(texel.real[i])
                                                        : static_cast<field>(texel.integer[i]);
    __builtin_memcpy(&element, fields, sizeof element);
    return element;
}

/* Each as a function that returns the element, and as one that writes it to a pointer. */
#define KG__MODEL_FETCH(name, parameters, arguments, ...)                                          \
    template <typename Element>                                                                    \
    KG__MODEL_INLINE Element name(cudaTextureObject_t texture, KG__MODEL_LIST parameters)          \
    {                                                                                              \
        return kg__model_element_of<Element>(__VA_ARGS__);                                         \
    }                                                                                              \
    template <typename Element>                                                                    \
    KG__MODEL_INLINE void name(Element *to, cudaTextureObject_t texture,                           \
                               KG__MODEL_LIST parameters)                                          \
    {                                                                                              \
        *to = name<Element>(texture, KG__MODEL_LIST arguments);                                    \
    }
#define KG__MODEL_LIST(...) __VA_ARGS__
KG__MODEL_FETCH(tex1Dfetch, (int x), (x),
                kg__model_fetch_linear(texture, x, kg__model_field_bytes<Element>))
KG__MODEL_FETCH(tex1D, (float x), (x),
                kg__model_fetch(texture, 1, x, 0, 0, -1, kg__model_field_bytes<Element>))
KG__MODEL_FETCH(tex2D, (float x, float y), (x, y),
                kg__model_fetch(texture, 2, x, y, 0, -1, kg__model_field_bytes<Element>))
KG__MODEL_FETCH(tex3D, (float x, float y, float z), (x, y, z),
                kg__model_fetch(texture, 3, x, y, z, -1, kg__model_field_bytes<Element>))
KG__MODEL_FETCH(tex1DLayered, (float x, int layer), (x, layer),
                kg__model_fetch(texture, 1, x, 0, 0, layer < 0 ? 0 : layer,
                                kg__model_field_bytes<Element>))
KG__MODEL_FETCH(tex2DLayered, (float x, float y, int layer), (x, y, layer),
                kg__model_fetch(texture, 2, x, y, 0, layer < 0 ? 0 : layer,
                                kg__model_field_bytes<Element>))
KG__MODEL_FETCH(texCubemap, (float x, float y, float z), (x, y, z),
                kg__model_fetch_cube(texture, x, y, z, -1, kg__model_field_bytes<Element>))
KG__MODEL_FETCH(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer),
                kg__model_fetch_cube(texture, x, y, z, layer < 0 ? 0 : layer,
                                     kg__model_field_bytes<Element>))
#undef KG__MODEL_FETCH

#define KG__MODEL_SURFACE(name, dimensions, parameters, arguments, x, y, z)                        \
    template <typename Element>                                                                    \
    KG__MODEL_INLINE Element name##read(cudaSurfaceObject_t surface, KG__MODEL_LIST parameters,    \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)       \
    {                                                                                              \
        Element element;                                                                           \
                                                                                                   \
        kg__model_access_surface(surface, dimensions, x, y, z, mode, &element, sizeof element, 0); \
        return element;                                                                            \
    }                                                                                              \
    template <typename Element>                                                                    \
    KG__MODEL_INLINE void name##read(Element *to, cudaSurfaceObject_t surface,                     \
                                     KG__MODEL_LIST parameters,                                    \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)          \
    {                                                                                              \
        *to = name##read<Element>(surface, KG__MODEL_LIST arguments, mode);                        \
    }                                                                                              \
    template <typename Element>                                                                    \
    KG__MODEL_INLINE void name##write(Element element, cudaSurfaceObject_t surface,                \
                                      KG__MODEL_LIST parameters,                                   \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
    {                                                                                              \
        kg__model_access_surface(surface, dimensions, x, y, z, mode, &element, sizeof element, 1); \
    }
KG__MODEL_SURFACE(surf1D, 1, (int x), (x), x, 0, 0)
KG__MODEL_SURFACE(surf2D, 2, (int x, int y), (x, y), x, y, 0)
KG__MODEL_SURFACE(surf3D, 3, (int x, int y, int z), (x, y, z), x, y, z)
#undef KG__MODEL_SURFACE
#undef KG__MODEL_LIST

/* Returns the description of an element type. */
template <typename Element>
static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    using field = typename kg__model_texture_fields<Element>::field;
    const int count = kg__model_texture_fields<Element>::count;
    const int bits = 8 * static_cast<int>(sizeof(field));

    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                 count > 2 ? bits : 0,
                                 std::is_floating_point<field>::value ? cudaChannelFormatKindFloat
                                 : std::is_signed<field>::value       ? cudaChannelFormatKindSigned
                                                                : cudaChannelFormatKindUnsigned);
}

template <typename Element>
static inline cudaError_t cudaMallocPitch(Element **pointer, size_t *pitch, size_t width,
                                          size_t height)
{
    return cudaMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}
