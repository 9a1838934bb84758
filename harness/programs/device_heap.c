/* SPDX-License-Identifier: MIT */
/* `new`, `delete` and clock() of a program's CUDA sources (model/include/kg_program.h). */
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "model/runtime/calls.h"
#include "programs/device_heap.h"

/* The C++ library's operators; NULL in a program that is linked without it. */
extern void *_Znwm(size_t size) __attribute__((weak));
extern void _ZdlPv(void *memory) __attribute__((weak));

void *kg__program_new(size_t size)
{
    /* Returns NULL to a kernel where there is no memory, and throws on the host. */
    if (kg__model_in_kernel() != 0)
        return kg__model_malloc(size);
    return _Znwm != NULL ? _Znwm(size) : malloc(size);
}

long kg__program_clock(void)
{
    return kg__model_in_kernel() != 0 ? (long)kg__model_clock() : (long)clock();
}

void kg__program_delete(void *memory)
{
    if (kg__model_in_kernel() != 0)
        kg__model_free(memory);
    else if (_ZdlPv != NULL)
        _ZdlPv(memory);
    else
        free(memory);
}
