/* SPDX-License-Identifier: MIT */
/* Arrays of the device, read through textures and surfaces. Internal to runtime/. */
#pragma once

#include "model/exec/allocations.h"
#include "model/runtime/calls.h"

/* Bytes, of the beginning of linear memory in its allocation, and of its rows. */
#define KG__TEXTURE_ALIGNMENT 512
#define KG__TEXTURE_PITCH_ALIGNMENT 32

/* Elements in rows, one after the other; layers as depth. */
struct cudaArray {
    kg__handle handle;
    unsigned char *data;
    struct cudaChannelFormatDesc element;
    struct cudaExtent extent; /* as given by the caller: 0 for unused dimensions */
    unsigned int flags;
};

/* Returns the bytes of an element; 0 if textures do not support it. They support 1, 2 or 4
 * fields of the same size: 8, 16 or 32 bits. */
size_t kg__model_element_bytes(const struct cudaChannelFormatDesc *element);
/* Returns the elements of a dimension, which is 0 where it is unused. */
size_t kg__or_one(size_t extent);
/* Forgets all arrays, whose memory has been freed. */
void kg__model_forget_arrays(void);
/* Allocates unwritten memory, as calls that CUDA refuses while it captures a graph. */
cudaError_t kg__model_allocate(void **pointer, size_t size, kg__model_memory_kind kind);
/* Frees it, after all work: it may use the memory. */
cudaError_t kg__model_release(void *pointer, kg__model_memory_kind kind);
