/* `new` and `delete` of CUDA sources: of device memory in kernels, else the C++ library's. */
#ifndef KG__PROGRAMS_DEVICE_HEAP_H
#define KG__PROGRAMS_DEVICE_HEAP_H

#include <stddef.h>

/* Stands for `new` of `size` bytes, arrays included. */
void *kg__program_new(size_t size);
/* Stands for `delete`, arrays included; memory may be NULL. */
void kg__program_delete(void *memory);

#endif
