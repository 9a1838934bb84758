/* SPDX-License-Identifier: MIT */
/* Copies by rows, and fills, as work of streams. Internal to runtime/; its functions need the
 * model's lock. */
#pragma once

#include "model/exec/launch.h"

#include <stdbool.h>

/* One side of a copy by rows: `slice` bytes from layer to layer. */
typedef struct kg__side {
    unsigned char *first;
    size_t pitch, slice;
    size_t width, height, depth; /* bytes and rows there; SIZE_MAX: unknown */
} kg__side;

/* Returns a side of one row, or of rows `pitch` bytes apart. */
kg__side kg__side_of_rows(const void *first, size_t pitch);

/* Gives a stream a copy of rows of `extent.width` bytes. With `waits`, and where CUDA says so, the
 * host waits for it. */
cudaError_t kg__transfer(kg__side to, kg__side from, struct cudaExtent extent,
                         enum cudaMemcpyKind kind, cudaStream_t stream, bool waits);
/* Gives a stream a fill of rows of `width` bytes with values of `size` bytes: 1, 2 or 4. */
cudaError_t kg__fill(void *first, size_t pitch, unsigned int value, unsigned int size, size_t width,
                     size_t height, cudaStream_t stream, bool waits);

/* Returns whether memory is the model's, or a variable's whose address the host has. */
bool kg__is_device(const void *pointer);
/* kg__model_look_at_argument() with the model's lock. */
void kg__look_at_argument(const void *argument, size_t bytes);
/* Notes that a call writes a pointer, which the hooks do not see. */
void kg__note_pointer(void **pointer);
/* Keeps that the host has the address of a variable. */
void kg__note_variable(const void *base, size_t size);
/* Whether no memory is filled: kg__model_be_sparse(). */
extern KG__HIDDEN bool kg__is_sparse;
