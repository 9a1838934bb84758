/* SPDX-License-Identifier: MIT */
/* Arrays of the device, read through textures and surfaces. Internal to runtime/. */
#pragma once

#include "model/include/cuda_runtime_api.h"

/* Elements in rows, one after the other; layers as depth. */
struct cudaArray {
    unsigned char *data;
    struct cudaChannelFormatDesc element;
    struct cudaExtent extent; /* as given by the caller: 0 for unused dimensions */
    unsigned int flags;
    struct cudaArray *next; /* of all arrays */
};

/* Returns the bytes of an element; 0 if textures do not support it. They support 1, 2 or 4
 * fields of the same size: 8, 16 or 32 bits. */
size_t kg__model_element_bytes(const struct cudaChannelFormatDesc *element);
/* Forgets all arrays, whose memory has been freed. */
void kg__model_forget_arrays(void);
/* Allocates unwritten memory. */
cudaError_t kg__model_allocate(void **pointer, size_t size);
/* Frees memory of kg__model_allocate(). */
cudaError_t kg__model_release(void *pointer);
