/* SPDX-License-Identifier: MIT */
/* What `kernelgate nvcc` includes before each CUDA source: has the program watched before its own
 * constructors run. KG__PROGRAM_WATCH is what its flavor watches for: a sum of watch.h's modes. */
#pragma once

#ifdef __cplusplus
/* Kernels allocate device memory, and the host its own, by the same calls. */
extern "C" void *malloc(__SIZE_TYPE__ size) noexcept __asm__("kg__model_malloc");
extern "C" void free(void *memory) noexcept __asm__("kg__model_free");
void *operator new(__SIZE_TYPE__ size) __asm__("kg__program_new");
void *operator new[](__SIZE_TYPE__ size) __asm__("kg__program_new");
/* These read memory that a kernel or a copy may not have written yet. */
extern "C" int memcmp(const void *one, const void *other, __SIZE_TYPE__ size) noexcept
    __asm__("kg__model_memcmp");
typedef struct _IO_FILE FILE; /* by which g++ knows the function */
extern "C" __SIZE_TYPE__ fwrite(const void *from, __SIZE_TYPE__ size, __SIZE_TYPE__ count,
                                FILE *to) __asm__("kg__model_fwrite");
/* A kernel's clock() is clock64(), the host's is the C library's. */
extern "C" long clock(void) noexcept __asm__("kg__program_clock");
void operator delete(void *memory) noexcept __asm__("kg__program_delete");
void operator delete[](void *memory) noexcept __asm__("kg__program_delete");
void operator delete(void *memory, __SIZE_TYPE__ size) noexcept __asm__("kg__program_delete");
void operator delete[](void *memory, __SIZE_TYPE__ size) noexcept __asm__("kg__program_delete");

#include "cuda_runtime.h"
#include "kg_model_earlier.h"

extern "C" {
#endif

/* Begins watching. `headers`: the directory of the model's headers; `source`: the file that the
 * caller was compiled from; both kept by reference. Each object calls it; one that was compiled to
 * be watched for something else than the first ends the program. */
void kg__program_begin(const char *headers, unsigned int what, const char *source);

/* From now on the stream 0 is the calling thread's own. */
void kg__model_default_stream_per_thread(void);

/* From now on the host's accesses to `__managed__` variables are watched. */
void kg__model_has_managed(void);

#ifdef KG__PROGRAM_WATCH
/* The beginning of their section, where there is one: by ld. */
extern char __start_kg_managed[] __attribute__((weak, visibility("hidden")));
/* The hooks' own constructors have priority 99. */
static __attribute__((constructor(101))) void kg__begin_program()
{
    kg__program_begin(KG__PROGRAM_HEADERS, KG__PROGRAM_WATCH, __BASE_FILE__);
    if (__start_kg_managed)
        kg__model_has_managed();
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    kg__model_default_stream_per_thread();
#endif
}
#endif

#ifdef __cplusplus
}
#endif
