/* SPDX-License-Identifier: MIT */
/* The kernels of a program, read from the cubins in it, which needs no GPU and no disassembler. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a kernel was given. */
typedef struct kg__resources {
    int registers;      /* per thread */
    size_t local_bytes; /* bytes per thread: its stack, arrays and spills */
} kg__resources;

/* A kernel in a cubin. */
typedef struct kg__kernel {
    char *name;       /* mangled by nvcc */
    int architecture; /* 90 for sm_90 and sm_90a */
    bool only_there;  /* it runs on no other architecture: sm_90a */
    kg__resources resources;
    /* Of its instructions, registers, shared memory and constants, and of all that kernels of its
     * cubin may share: device functions, constants and variables. The same for every folder. */
    uint64_t hash;
    uint64_t instructions; /* hash of the kernel's alone */
} kg__kernel;

typedef struct kg__kernels {
    kg__kernel *items;
    size_t count;
    size_t capacity;
} kg__kernels;

/* Adds the kernels of a file, a program or a cubin. Cubins that nvcc compressed
 * (--compress-mode=size) and damaged ones have none. `path` NULL is this program's file. */
void kg__kernels_add(kg__kernels *kernels, const char *path);

/* Frees the kernels, and empties the list. */
void kg__kernels_free(kg__kernels *kernels);
