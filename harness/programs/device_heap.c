/* `new` and `delete` of a program's CUDA sources (model/include/kg_program.h). */
#include <stddef.h>

#include "model/runtime/calls.h"
#include "programs/device_heap.h"

/* The C++ library's operators, which programs link. */
extern void *_Znwm(size_t size) __attribute__((weak));
extern void _ZdlPv(void *memory) __attribute__((weak));

void *kg__program_new(size_t size)
{
    /* Returns NULL to a kernel where there is no memory, and throws on the host. */
    return kg__model_in_kernel() != 0 ? kg__model_malloc(size) : _Znwm(size);
}

void kg__program_delete(void *memory)
{
    if (kg__model_in_kernel() != 0)
        kg__model_free(memory);
    else
        _ZdlPv(memory);
}
