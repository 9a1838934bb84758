/* SPDX-License-Identifier: MIT */
/* What instrumented kernels call, for the tests of places: notes every access. */

/* Functions take what those take that they stand in for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "places_kernels.h"

#include <cuda_runtime_api.h>
#include <kg_model_device.h>

#include <stdlib.h>
#include <string.h>

places_seen *places_now;

void places_note(const char *name, const void *base, size_t size, places_space space)
{
    if (places_now != NULL && places_now->variable_count < PLACES_MOST)
        places_now->variables[places_now->variable_count++] =
            (places_variable){ .name = name, .base = base, .size = size, .space = space };
}

/* No launch is ended here. */
void kg__model_hold_sigterm(void);
void kg__model_hold_sigterm(void)
{
}

void kg__model_release_sigterm(void);
void kg__model_release_sigterm(void)
{
}

/* The host's accesses are not looked at here. */
void kg__model_look_at(uintptr_t base, uintptr_t end);
void kg__model_look_at(uintptr_t base, uintptr_t end)
{
}

/* Nothing here waits for another thread. */
void kg__model_tries_in_vain(const void *word, uint64_t value)
{
}

static void note_access(const void *code, const void *data)
{
    if (places_now != NULL && places_now->access_count < PLACES_MOST)
        places_now->accesses[places_now->access_count++] =
            (places_access){ .code = code, .data = data };
}

#define HOOK(name)                                                                                 \
    void name(void *data);                                                                         \
    void name(void *data)                                                                          \
    {                                                                                              \
        note_access(__builtin_return_address(0), data);                                            \
    }
HOOK(__tsan_read1)
HOOK(__tsan_read2)
HOOK(__tsan_read4)
HOOK(__tsan_read8)
HOOK(__tsan_read16)
HOOK(__tsan_write1)
HOOK(__tsan_write2)
HOOK(__tsan_write4)
HOOK(__tsan_write8)
HOOK(__tsan_write16)

#define RANGE_HOOK(name)                                                                           \
    void name(void *data, long size);                                                              \
    void name(void *data, long size)                                                               \
    {                                                                                              \
        (void)size;                                                                                \
        note_access(__builtin_return_address(0), data);                                            \
    }
RANGE_HOOK(__tsan_read_range)
RANGE_HOOK(__tsan_write_range)

unsigned int __tsan_atomic32_load(const volatile void *data, int order);
unsigned int __tsan_atomic32_load(const volatile void *data, int order)
{
    note_access(__builtin_return_address(0), (const void *)data);
    return *(const volatile unsigned int *)data;
}

void __tsan_atomic32_store(volatile void *data, unsigned int value, int order);
void __tsan_atomic32_store(volatile void *data, unsigned int value, int order)
{
    note_access(__builtin_return_address(0), (const void *)data);
    *(volatile unsigned int *)data = value;
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
}

void __tsan_vptr_update(void *pointer, void *value);
void __tsan_vptr_update(void *pointer, void *value)
{
}

void __ubsan_handle_out_of_bounds(void *where, void *index);
void __ubsan_handle_out_of_bounds(void *where, void *index)
{
}

/* The one launch there is gives the address of a function in the model's headers. */
void *kg__model_keep_memory(void *former, size_t bytes)
{
    return bytes > 0 ? malloc(bytes) : (free(former), NULL);
}

void kg__model_look_at_argument(const void *argument, size_t bytes)
{
    (void)argument;
    (void)bytes;
}

cudaError_t kg__model_launch(const cudaLaunchConfig_t *config, const void *kernel,
                             void (*body)(void *context), void *context, kg__model_keep *keep)
{
    if (places_now != NULL)
        memcpy(&places_now->launched, &body, sizeof body);
    return cudaSuccess;
}
