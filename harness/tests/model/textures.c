/* SPDX-License-Identifier: MIT */
/* Textures and surfaces: what kernels read by every mode, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/model.h"
#include "tests/model/each_row.h"
#include "tests/model/texture_kernels.h"

#define OK(call) cr_assert((call) == cudaSuccess)
#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define SIDE 16
#define MOST 8 /* fetches per row of a table */

static const struct cudaTextureDesc clamped = {
    .addressMode = { cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp }
};

/* Device memory that holds a copy. */
static void *on_device(const void *data, size_t bytes)
{
    void *made = NULL;

    OK(cudaMalloc(&made, bytes));
    OK(cudaMemcpy(made, data, bytes, cudaMemcpyHostToDevice));
    return made;
}

static struct cudaChannelFormatDesc floats(void)
{
    return cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
}

/* An array that holds 0, 1, 2 … */
static cudaArray_t array_of(size_t width, size_t height, size_t depth, unsigned int flags)
{
    const struct cudaChannelFormatDesc element = floats();
    size_t rows = height > 0 ? height : 1;
    size_t layers = depth > 0 ? depth : 1;
    float values[4 * SIDE * SIDE];
    struct cudaMemcpy3DParms copy = {
        .srcPtr = make_cudaPitchedPtr(values, width * sizeof(float), width, rows),
        .extent = make_cudaExtent(width, rows, layers),
        .kind = cudaMemcpyHostToDevice,
    };
    cudaArray_t array = NULL;

    for (size_t i = 0; i < width * rows * layers; i++)
        values[i] = (float)i;
    OK(cudaMalloc3DArray(&array, &element, make_cudaExtent(width, height, depth), flags));
    copy.dstArray = array;
    OK(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const struct cudaTextureDesc *how)
{
    struct cudaResourceDesc resource = { .resType = cudaResourceTypeArray };
    cudaTextureObject_t texture = 0;

    resource.res.array.array = array;
    OK(cudaCreateTextureObject(&texture, &resource, how, NULL));
    return texture;
}

static void expect_fetches(const char *name, texture_fetch fetch, cudaTextureObject_t texture,
                           const float *x, size_t coordinates, const float *expected, int count)
{
    float *out = on_device(expected, (size_t)count * sizeof *expected);
    float got[MOST];

    OK(launch_fetch(fetch, texture, on_device(x, coordinates * sizeof *x), count, out));
    OK(cudaMemcpy(got, out, (size_t)count * sizeof *got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        cr_expect(got[i] == expected[i], "%s: fetch %d gives %g, not %g", name, i, (double)got[i],
                  (double)expected[i]);
}

#define AT(...) .x = { __VA_ARGS__ }
#define GIVE(...) .expected = { __VA_ARGS__ }

/* Of four elements 0, 1, 2, 3 in one dimension. A fraction of 256ths is rounded. */
static const struct {
    const char *name;
    enum cudaTextureAddressMode mode;
    enum cudaTextureFilterMode filter;
    int normalized;
    float border;
    float x[MOST], expected[MOST];
} modes[] = {
    { "clamp", cudaAddressModeClamp, cudaFilterModePoint, 0, 0,
      AT(-5, -0.1f, 0, 0.99f, 1, 3.99f, 4, 1e30f), GIVE(0, 0, 0, 0, 1, 3, 3, 3) },
    { "border", cudaAddressModeBorder, cudaFilterModePoint, 0, 7,
      AT(-5, -0.1f, 0, 0.99f, 1, 3.99f, 4, 1e30f), GIVE(7, 7, 0, 0, 1, 3, 7, 7) },
    { "wrap is clamp without normalized coordinates", cudaAddressModeWrap, cudaFilterModePoint, 0,
      0, AT(-1, 4.5f, 6, 0, 1, 2, 3, 5), GIVE(0, 3, 3, 0, 1, 2, 3, 3) },
    { "wrap", cudaAddressModeWrap, cudaFilterModePoint, 1, 0,
      AT(-0.25f, 0, 0.25f, 0.75f, 1, 1.5f, -1.25f, 2.25f), GIVE(3, 0, 1, 3, 0, 2, 3, 1) },
    { "mirror", cudaAddressModeMirror, cudaFilterModePoint, 1, 0,
      AT(-0.1f, -0.3f, 0, 0.9f, 1.1f, 1.9f, 2.1f, -1.1f), GIVE(0, 1, 0, 3, 3, 0, 0, 3) },
    { "normalized clamp", cudaAddressModeClamp, cudaFilterModePoint, 1, 0,
      AT(-1, 0, 0.25f, 0.5f, 0.75f, 0.99f, 1, 2), GIVE(0, 0, 1, 2, 3, 3, 3, 3) },
    { "linear", cudaAddressModeClamp, cudaFilterModeLinear, 0, 0,
      AT(0.5f, 1, 1.5f, 1.75f, 3.5f, 4, 0, 1.5f + 0.6f / 256),
      GIVE(0, 0.5f, 1, 1.25f, 3, 3, 0, 1 + 1.0f / 256) },
    { "linear border", cudaAddressModeBorder, cudaFilterModeLinear, 0, 8,
      AT(0, 0.5f, 4, 5, 1, 3, -0.25f, 3.5f), GIVE(4, 0, 5.5f, 8, 0.5f, 2.5f, 6, 3) },
    { "linear wrap", cudaAddressModeWrap, cudaFilterModeLinear, 1, 0,
      AT(0, 0.125f, 0.25f, 1, 1.125f, 0.875f, -0.125f, 0.5f),
      GIVE(1.5f, 0, 0.5f, 1.5f, 0, 3, 3, 1.5f) },
    { "linear mirror", cudaAddressModeMirror, cudaFilterModeLinear, 1, 0,
      AT(0, 0.125f, 0.25f, 1, 1.125f, 1.25f, -0.25f, 0.5f),
      GIVE(0, 0, 0.5f, 3, 3, 2.5f, 0.5f, 1.5f) },
};

Test(textures, give_what_each_mode_says)
{
    for (size_t row = 0; row < LENGTH(modes); row++) {
        struct cudaTextureDesc how = { .addressMode = { modes[row].mode },
                                       .filterMode = modes[row].filter,
                                       .normalizedCoords = modes[row].normalized,
                                       .borderColor = { modes[row].border } };

        expect_fetches(modes[row].name, FETCH_1D, texture_of(array_of(4, 0, 0, 0), &how),
                       modes[row].x, MOST, modes[row].expected, MOST);
    }
}

/* Of 4 x 3 elements, of 4 x 3 x 2, and of 2 layers of 4 x 3. */
Test(textures, have_dimensions)
{
    struct cudaTextureDesc linear = clamped;
    const float x[] = { 2.5f, 1.5f, 0.5f, 3, 2, 1, -1, 9, 9 };

    linear.filterMode = cudaFilterModeLinear;
    expect_fetches("2D", FETCH_2D, texture_of(array_of(4, 3, 0, 0), &clamped), x, LENGTH(x),
                   (const float[]){ 6, 11, 8 }, 3);
    expect_fetches("2D linear", FETCH_2D, texture_of(array_of(4, 3, 0, 0), &linear), x, LENGTH(x),
                   (const float[]){ 6, 8.5f, 8 }, 3);
    expect_fetches("3D", FETCH_3D, texture_of(array_of(4, 3, 2, 0), &clamped), x, LENGTH(x),
                   (const float[]){ 6, 23, 20 }, 3);
    expect_fetches("3D linear", FETCH_3D, texture_of(array_of(4, 3, 2, 0), &linear), x, LENGTH(x),
                   (const float[]){ 6, 14.5f, 20 }, 3);
    expect_fetches("layers", FETCH_LAYERED,
                   texture_of(array_of(4, 3, 2, cudaArrayLayered), &linear), x, LENGTH(x),
                   (const float[]){ 6, 20.5f, 20 }, 3);
}

/* Of faces of 2 x 2 elements: a direction leads to one of them, whatever its length. */
Test(textures, are_cube_maps)
{
    struct cudaTextureDesc how = clamped;
    const float x[] = { 1,    0.5f, 0.5f, 1,    -0.5f, -0.5f, -1, 0.5f, -0.5f, -0.5f, 1,    0.5f,
                        0.5f, -1,   0.5f, 0.5f, -0.5f, 1,     -2, 2,    -4,    0.1f,  0.2f, 0.3f };
    const float expected[] = { 0, 3, 4, 10, 13, 19, 21, 17 };
    const float middles[] = { 0, 0, 1, 0.99f, 0, 1, 8, 0, 0 };
    const float layered[] = { 24, 27, 28, 34, 37, 43, 45, 41 };
    struct cudaResourceDesc resource = { .resType = cudaResourceTypeArray };
    const struct cudaChannelFormatDesc element = floats();
    cudaTextureObject_t texture = 0;
    cudaArray_t array = NULL;

    expect_fetches("cube", FETCH_CUBE, texture_of(array_of(2, 2, 6, cudaArrayCubemap), &how), x,
                   LENGTH(x), expected, MOST);
    expect_fetches("cubes", FETCH_LAYERED_CUBE,
                   texture_of(array_of(2, 2, 12, cudaArrayCubemap | cudaArrayLayered), &how), x,
                   LENGTH(x), layered, MOST);
    how.filterMode = cudaFilterModeLinear;
    expect_fetches("middles", FETCH_CUBE, texture_of(array_of(2, 2, 6, cudaArrayCubemap), &how),
                   middles, LENGTH(middles), (const float[]){ 17.5f, 18, 1.5f }, 3);
    for (size_t depth = 0; depth <= 12; depth += 4)
        cr_expect(cudaMalloc3DArray(&array, &element, make_cudaExtent(2, 2, depth),
                                    cudaArrayCubemap) == cudaErrorInvalidValue);
    cr_expect(cudaMalloc3DArray(&array, &element, make_cudaExtent(2, 4, 6), cudaArrayCubemap) ==
              cudaErrorInvalidValue);
    resource.res.array.array = array_of(2, 2, 6, cudaArrayCubemap | cudaArraySurfaceLoadStore);
    how.seamlessCubemap = 1;
    cr_expect(cudaCreateTextureObject(&texture, &resource, &how, NULL) == cudaErrorNotSupported);
    cr_expect(cudaCreateSurfaceObject(&texture, &resource) == cudaErrorNotSupported);
}

/* Elements of other types, in linear memory and in rows. */
static const signed char chars[] = { 5, -128, 127, -1 };
static const unsigned int naturals[] = { 1, 4000000000u };
static const short pairs[] = { 1, 2, -3, 4, 5, 6, [16] = 7, 8, 9, 10, 11, 12, [31] = 0 };
static const unsigned char fours[] = { 255, 0, 51, 102, 0, 255, [31] = 0 };
static const float reals[] = { 1.5f, 2.5f };

#define ELEMENT(...) .element = { __VA_ARGS__ }
#define DATA(array, width, pitch) array, sizeof array, width, pitch

static const struct {
    const char *name;
    texture_fetch fetch;
    struct cudaChannelFormatDesc element;
    const void *data;
    size_t bytes;
    size_t width, pitch; /* 0: linear */
    enum cudaTextureReadMode mode;
    float x[6], expected[2];
} types[] = {
    { "float", FETCH_LINEAR, ELEMENT(32, 0, 0, 0, cudaChannelFormatKindFloat), DATA(reals, 0, 0),
      cudaReadModeElementType, AT(1, 2), GIVE(2.5f, 0) },
    { "char", FETCH_LINEAR_CHAR, ELEMENT(8, 0, 0, 0, cudaChannelFormatKindSigned),
      DATA(chars, 0, 0), cudaReadModeElementType, AT(1, -1), GIVE(-128, 0) },
    { "char as float", FETCH_LINEAR, ELEMENT(8, 0, 0, 0, cudaChannelFormatKindSigned),
      DATA(chars, 0, 0), cudaReadModeNormalizedFloat, AT(1, 2), GIVE(-1, 1) },
    { "unsigned", FETCH_LINEAR_UINT, ELEMENT(32, 0, 0, 0, cudaChannelFormatKindUnsigned),
      DATA(naturals, 0, 0), cudaReadModeElementType, AT(1, 0), GIVE(4e9f, 1) },
    { "short2", FETCH_2D_SHORT2, ELEMENT(16, 16, 0, 0, cudaChannelFormatKindSigned),
      DATA(pairs, 3, 32), cudaReadModeElementType, AT(1, 0, 0, 2, 1, 0), GIVE(3997, 12011) },
    { "uchar4 as float4", FETCH_2D_FLOAT4, ELEMENT(8, 8, 8, 8, cudaChannelFormatKindUnsigned),
      DATA(fours, 2, 32), cudaReadModeNormalizedFloat, AT(0, 0, 0, 1, 0, 0),
      GIVE(1 + 100 * 0.2f + 1000 * 0.4f, 10) },
};

Test(textures, have_types)
{
    for (size_t row = 0; row < LENGTH(types); row++) {
        struct cudaResourceDesc resource = { .resType = cudaResourceTypeLinear };
        struct cudaTextureDesc how = clamped;
        void *data = on_device(types[row].data, types[row].bytes);
        cudaTextureObject_t texture = 0;

        how.readMode = types[row].mode;
        if (types[row].pitch > 0) {
            resource.resType = cudaResourceTypePitch2D;
            resource.res.pitch2D.devPtr = data;
            resource.res.pitch2D.desc = types[row].element;
            resource.res.pitch2D.width = types[row].width;
            resource.res.pitch2D.height = types[row].bytes / types[row].pitch;
            resource.res.pitch2D.pitchInBytes = types[row].pitch;
        } else {
            resource.res.linear.devPtr = data;
            resource.res.linear.desc = types[row].element;
            resource.res.linear.sizeInBytes = types[row].bytes;
        }
        OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
        expect_fetches(types[row].name, types[row].fetch, texture, types[row].x, 6,
                       types[row].expected, 2);
        OK(cudaDestroyTextureObject(texture));
    }
}

/* A kernel that is right, and its twin, which forgets where the middles of elements are. */
Test(textures, show_a_kernel_that_reads_between)
{
    struct cudaTextureDesc linear = clamped;
    cudaTextureObject_t texture;
    float out[SIDE * SIDE] = { 0 };
    float *device = on_device(out, sizeof out);
    int wrong[2] = { 0, 0 };

    linear.filterMode = cudaFilterModeLinear;
    texture = texture_of(array_of(SIDE, SIDE, 0, 0), &linear);
    for (int k = 0; k < 2; k++) {
        OK(launch_blur(texture, k, device));
        OK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < SIDE * SIDE; i++)
            wrong[k] += out[i] != (float)i + (i % SIDE < SIDE - 1 ? 0.5f : 0);
    }
    cr_assert(wrong[0] == 0 && wrong[1] > SIDE, "%d and %d are wrong", wrong[0], wrong[1]);
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    struct cudaResourceDesc resource = { .resType = cudaResourceTypeArray };
    cudaSurfaceObject_t surface = 0;

    resource.res.array.array = array;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

Test(surfaces, are_read_and_written)
{
    cudaArray_t from = array_of(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    cudaArray_t to = array_of(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    float out[SIDE * SIDE];

    for (int k = 0; k < 4; k += 2) {
        static const enum cudaSurfaceBoundaryMode last_modes[] = { cudaBoundaryModeClamp,
                                                                   cudaBoundaryModeZero };

        for (int mode = 0; mode < 2; mode++) {
            OK(launch_transpose_surface(surface_of(from), surface_of(to), k, last_modes[mode]));
            OK(cudaMemcpy2DFromArray(out, SIDE * sizeof(float), to, 0, 0, SIDE * sizeof(float),
                                     SIDE, cudaMemcpyDeviceToHost));
            for (int i = 0; i < SIDE * SIDE; i++) {
                int row = i % SIDE + (k == 2);
                int last = row < SIDE ? row : SIDE - 1;
                int element = last * SIDE + i / SIDE;
                float expected = row == SIDE && mode == 1 ? 0.0f : (float)element;

                cr_assert(out[i] == expected, "k %d: out[%d] is %g, not %g", k, i, (double)out[i],
                          (double)expected);
            }
        }
    }
}

/* Launches that fail, and what is said of it. */
static const struct {
    texture_fetch fetch; /* of an array in two dimensions */
    enum { IS_THERE, IS_DESTROYED, MEMORY_IS_FREED } state;
    int k; /* of a surface, unless it is 0 */
    cudaError_t error;
    const char *told;
} failures[] = {
    { FETCH_2D, IS_DESTROYED, 0, cudaErrorIllegalAddress, "texture object that was destroyed" },
    { FETCH_2D, MEMORY_IS_FREED, 0, cudaErrorIllegalAddress, "was freed" },
    { FETCH_3D, IS_THERE, 0, cudaErrorIllegalAddress, "other dimensions" },
    { FETCH_LINEAR, IS_THERE, 0, cudaErrorIllegalAddress, "tex1Dfetch() is for linear memory" },
    { FETCH_2D_SHORT2, IS_THERE, 0, cudaErrorIllegalAddress, "the wrong type" },
    { FETCH_2D, IS_THERE, 1, cudaErrorIllegalAddress, "take x in bytes" },
    { FETCH_2D, IS_THERE, 2, cudaErrorLaunchFailure, "outside of a surface" },
};

EACH_ROW(textures, that_are_used_wrongly_fail, failures)

ParameterizedTest(const size_t *row, textures, that_are_used_wrongly_fail)
{
    cudaArray_t array = array_of(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    cudaTextureObject_t texture = texture_of(array, &clamped);
    const float x[3] = { 0 };
    float *device = on_device(x, sizeof x);
    cudaError_t error;

    if (failures[*row].state == IS_DESTROYED) {
        OK(cudaDestroyTextureObject(texture));
        (void)texture_of(array, &clamped);
    } else if (failures[*row].state == MEMORY_IS_FREED) {
        OK(cudaFreeArray(array));
    }
    error = failures[*row].k > 0 ? launch_transpose_surface(surface_of(array), surface_of(array),
                                                            failures[*row].k, cudaBoundaryModeTrap)
                                 : launch_fetch(failures[*row].fetch, texture, device, 1, device);
    cr_assert(error == failures[*row].error, "%s", cudaGetErrorName(error));
    cr_assert(strstr(kg__model_failure(), failures[*row].told) != NULL, "%s", kg__model_failure());
}

/* A linear copy goes on in the next row. */
Test(textures, are_filled_over_rows)
{
    const struct cudaChannelFormatDesc element = floats();
    float values[4 * 6];
    float out[4 * 8];
    cudaArray_t array;

    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = (float)i;
    OK(cudaMallocArray(&array, &element, 8, 4, 0));
    OK(cudaMemcpyToArray(array, 2 * sizeof(float), 1, values, 20 * sizeof(float),
                         cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(out, 8 * sizeof(float), array, 0, 0, 8 * sizeof(float), 4,
                             cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < 20; i++)
        cr_assert(out[10 + i] == values[i], "%zu: %g", i, out[10 + i]);
    cr_assert(cudaMemcpyToArray(array, 8 * sizeof(float), 0, values, 4, cudaMemcpyHostToDevice) ==
              cudaErrorInvalidValue);
    cr_assert(cudaMemcpyToArray(array, 0, 3, values, 9 * sizeof(float), cudaMemcpyHostToDevice) ==
              cudaErrorInvalidValue);
}

Test(textures, are_refused_as_cudart_does)
{
    const struct cudaChannelFormatDesc three = { 8, 8, 8, 0, cudaChannelFormatKindUnsigned };
    const struct cudaChannelFormatDesc whole = { 32, 0, 0, 0, cudaChannelFormatKindSigned };
    struct cudaResourceDesc resource = { .resType = cudaResourceTypeLinear };
    struct cudaTextureDesc how = clamped;
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    cudaArray_t array = NULL;
    int data[4] = { 0 };

    cr_assert(cudaMallocArray(&array, &three, 4, 4, 0) == cudaErrorInvalidChannelDescriptor);
    cr_assert(cudaMallocArray(&array, &whole, (1 << 17) + 1, 0, 0) == cudaErrorInvalidValue);
    cr_assert(cudaMallocArray(&array, &whole, 16, (1 << 16) + 1, 0) == cudaErrorInvalidValue);
    cr_assert(cudaMallocArray(&array, &whole, 0, 4, 0) == cudaErrorInvalidValue);
    resource.res.linear.devPtr = on_device(data, sizeof data);
    resource.res.linear.sizeInBytes = sizeof data;
    resource.res.linear.desc = three;
    cr_assert(cudaCreateTextureObject(&texture, &resource, &how, NULL) ==
              cudaErrorInvalidChannelDescriptor);
    resource.res.linear.desc = whole;
    how.filterMode = cudaFilterModeLinear;
    cr_assert(cudaCreateTextureObject(&texture, &resource, &how, NULL) ==
              cudaErrorInvalidFilterSetting);
    how.readMode = cudaReadModeNormalizedFloat;
    cr_assert(cudaCreateTextureObject(&texture, &resource, &how, NULL) ==
              cudaErrorInvalidFilterSetting);
    how.filterMode = cudaFilterModePoint;
    cr_assert(cudaCreateTextureObject(&texture, &resource, &how, NULL) ==
              cudaErrorInvalidNormSetting);
    how.readMode = cudaReadModeElementType;
    resource.res.linear.devPtr = (char *)resource.res.linear.devPtr + 256;
    cr_assert(cudaCreateTextureObject(&texture, &resource, &how, NULL) == cudaErrorInvalidValue);
    resource.res.linear.devPtr = data;
    cr_assert(cudaCreateTextureObject(&texture, &resource, &how, NULL) == cudaErrorInvalidValue);
    resource.resType = cudaResourceTypeMipmappedArray;
    cr_assert(cudaCreateTextureObject(&texture, &resource, &how, NULL) == cudaErrorNotSupported);
    cr_assert(cudaCreateTextureObject(NULL, &resource, &how, NULL) == cudaErrorInvalidValue);
    OK(cudaDestroyTextureObject(0));
    cr_assert(cudaDestroyTextureObject(1) == cudaErrorInvalidValue);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = NULL;
    cr_assert(cudaCreateTextureObject(&texture, &resource, &how, NULL) ==
              cudaErrorInvalidResourceHandle);
    cr_assert(cudaCreateSurfaceObject(&surface, &resource) == cudaErrorInvalidValue);
    resource.res.array.array = array_of(4, 4, 0, 0);
    cr_assert(cudaMemcpy2DToArray(resource.res.array.array, 4, 0, data, 16, 16, 1,
                                  cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, data, 8, 16, 1,
                                  cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
    OK(cudaFreeArray(resource.res.array.array));
    OK(cudaFreeArray(NULL));
    cr_assert(cudaFreeArray((cudaArray_t)data) == cudaErrorInvalidValue);
    OK(cudaDeviceReset());
}

Test(textures, of_types_and_pitched_memory)
{
    const struct cudaChannelFormatDesc four = describe_element(1);
    const struct cudaChannelFormatDesc two = describe_element(2);
    unsigned char rows[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    unsigned char back[6] = { 0 };
    void *pitched = NULL;
    size_t pitch = 0;

    cr_assert(describe_element(0).x == 32 && describe_element(0).f == cudaChannelFormatKindFloat);
    cr_assert(four.w == 8 && four.f == cudaChannelFormatKindUnsigned);
    cr_assert(two.y == 16 && two.z == 0 && two.f == cudaChannelFormatKindSigned);
    OK(cudaMallocPitch(&pitched, &pitch, 600, 2));
    cr_assert(pitch == 1024);
    OK(cudaMemcpy2D(pitched, pitch, rows, 3, 3, 2, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, 3, pitched, pitch, 3, 2, cudaMemcpyDeviceToHost));
    cr_assert(memcmp(back, rows, sizeof back) == 0);
}
