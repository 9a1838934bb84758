/* SPDX-License-Identifier: MIT */
/* The CPU model's memory: allocations and copies. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/watch/watch.h"
#include "tests/model/model_fixture.h"

Test(model_memory, allocations_and_their_errors)
{
    void *memory = &memory;
    void *pinned = NULL;
    void *managed = NULL;
    size_t left = 0;
    size_t left_before = 0;
    size_t total = 0;
    int on_host = 0;

    cr_assert(cudaMemGetInfo(&left_before, &total) == cudaSuccess && left_before == total);
    cr_assert(cudaMalloc(&memory, 0) == cudaSuccess && memory == NULL);
    cr_assert(cudaMalloc(&memory, 1000) == cudaSuccess && memory != NULL);
    cr_assert((uintptr_t)memory % 256 == 0);
    for (int i = 0; i < 1000; i++)
        cr_assert(((unsigned char *)memory)[i] == KG__MODEL_POISON);
    cr_assert(cudaMemGetInfo(&left, &total) == cudaSuccess && left == left_before - 1000);
    REFUSED(cudaMemGetInfo(NULL, &total));
    cr_assert(cudaMalloc(&managed, total) == cudaErrorMemoryAllocation && managed == NULL,
              "1000 bytes are taken");
    cr_assert(cudaMalloc(&managed, SIZE_MAX) == cudaErrorMemoryAllocation);
    cr_assert(cudaMallocHost(&pinned, SIZE_MAX) == cudaErrorMemoryAllocation);
    cr_assert(cudaMallocManaged(&managed, 0, cudaMemAttachGlobal) == cudaSuccess &&
              managed == NULL);
    REFUSED(cudaMallocManaged(&managed, 16, 7));
    REFUSED(cudaMallocManaged(NULL, 16, cudaMemAttachGlobal));
    OK(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal));
    REFUSED(cudaHostAlloc(&pinned, 16, 0x80));
    cr_assert(cudaMallocHost(&pinned, 0) == cudaSuccess && pinned == NULL);
    OK(cudaHostAlloc(&pinned, 16, cudaHostAllocMapped));
    cr_assert(kg__model_allocation_count() == 3);
    for (size_t i = 1; i < 3; i++)
        cr_assert(kg__model_allocation_at(i - 1)->base < kg__model_allocation_at(i)->base);
    cr_assert(kg__model_allocation_at(3) == NULL);
    cr_assert(kg__model_find((char *)memory + 999)->base == memory);
    cr_assert(kg__model_find((char *)memory + 1000) == NULL);
    cr_assert(kg__model_find((char *)memory - 1) == NULL);
    cr_assert(kg__model_find(managed)->kind == KG__MODEL_MANAGED);

    cr_assert(cudaFree(NULL) == cudaSuccess && cudaFreeHost(NULL) == cudaSuccess);
    REFUSED(cudaFree(&on_host));
    cr_assert(cudaFree((char *)memory + 4) == cudaErrorInvalidValue, "not its beginning");
    REFUSED(cudaFree(pinned));
    REFUSED(cudaFreeHost(memory));
    REFUSED(cudaFreeHost(managed));
    OK(cudaFree(memory));
    cr_assert(cudaFree(memory) == cudaErrorInvalidValue, "freed twice");
    cr_assert(cudaFree(managed) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);
    cr_assert(kg__model_allocation_count() == 0);
    cr_assert(cudaMemGetInfo(&left, &total) == cudaSuccess && left == left_before);
    OK(allocate_typed());
}

Test(model_memory, many_allocations_stay_sorted)
{
    enum { COUNT = 300 };
    void *memory[COUNT];

    for (size_t i = 0; i < COUNT; i++)
        memory[i] = device(i * 7 % 97 + 1, 0);
    cr_assert(kg__model_allocation_count() == COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert(kg__model_find(memory[i])->base == memory[i]);
        cr_assert(kg__model_find(memory[i])->number == i + 1);
        cr_assert(i == 0 ||
                  kg__model_allocation_at(i - 1)->base < kg__model_allocation_at(i)->base);
    }
    for (size_t i = 0; i < COUNT; i += 2)
        OK(cudaFree(memory[i]));
    for (size_t i = 0; i < COUNT; i++)
        cr_assert((kg__model_find(memory[i]) != NULL) == (i % 2 == 1));
    OK(cudaDeviceReset());
    cr_assert(kg__model_allocation_count() == 0);
}

static void pass_over(void *context, const kg__model_kernel *kernel,
                      const cudaLaunchConfig_t *config)
{
    (void)context;
    (void)kernel;
    (void)config;
}

/* What was freed keeps its addresses for a while: they are not many. */
Test(model_memory, freed_memory_is_remembered_for_a_while)
{
    enum { COUNT = 300, MEBI = 1 << 20 };
    void *memory[COUNT];
    const kg__model_freed *first;
    void *large = NULL;
    size_t before = mapped_bytes();

    for (size_t i = 0; i < COUNT; i++) {
        memory[i] = device(i % 100 == 0 ? (size_t)50 * MEBI : 1 + i, 0);
        cr_assert(kg__model_find_freed(memory[i]) == NULL, "it is live");
        OK(cudaFree(memory[i]));
        cr_assert(kg__model_find(memory[i]) == NULL);
        cr_assert(kg__model_find_freed(memory[i])->base == memory[i]);
        cr_assert(mapped_bytes() <= before + ((size_t)1 << 30) + MEBI);
    }
    /* Other memory may be where it was. */
    first = kg__model_find_freed(memory[0]);
    cr_assert(first == NULL || first->size < MEBI, "too long ago");
    cr_assert(kg__model_find_freed((char *)memory[COUNT - 1] - 4)->size == COUNT);
    /* Memory that is only planned is not filled. */
    kg__model_plan(pass_over, NULL);
    OK(cudaMalloc(&large, (size_t)400 * MEBI));
    OK(cudaFree(large));
    kg__model_plan(NULL, NULL);
    cr_assert(kg__model_find_freed(large) == NULL, "too large");
    cr_assert(kg__model_find_freed(memory[COUNT - 1]) != NULL);
    kg__model_free_all();
    cr_assert(kg__model_find_freed(memory[COUNT - 1]) == NULL);
    cr_assert(mapped_bytes() <= before);
}

/* Where addresses are short, those of freed memory are used again. */
Test(model_memory, freed_memory_gives_its_addresses_up)
{
    enum { MEBI = 1 << 20 };
    void *memory = device((size_t)100 * MEBI, 0);

    OK(cudaFree(memory));
    limit_addresses((size_t)10 * MEBI);
    memory = device((size_t)90 * MEBI, 0);
    OK(cudaFree(memory));
}

Test(model_memory, pointer_attributes)
{
    struct cudaPointerAttributes is;
    void *memory = device(64, 0);
    void *pinned = NULL;
    void *managed = NULL;
    int on_host = 0;

    OK(cudaMallocHost(&pinned, 8));
    OK(cudaMallocManaged(&managed, 8, cudaMemAttachGlobal));
    OK(cudaPointerGetAttributes(&is, (char *)memory + 8));
    cr_assert(is.type == cudaMemoryTypeDevice && is.device == 0 && is.hostPointer == NULL);
    cr_assert(is.devicePointer == (char *)memory + 8);
    OK(cudaPointerGetAttributes(&is, pinned));
    cr_assert(is.type == cudaMemoryTypeHost && is.hostPointer == pinned);
    OK(cudaPointerGetAttributes(&is, managed));
    cr_assert(is.type == cudaMemoryTypeManaged && is.hostPointer == managed);
    OK(cudaPointerGetAttributes(&is, &on_host));
    cr_assert(is.type == cudaMemoryTypeUnregistered && is.devicePointer == NULL);
    REFUSED(cudaPointerGetAttributes(NULL, memory));
}

Test(model_memory, copies_of_every_kind)
{
    int host[16];
    int back[16] = { 0 };
    int *first = device(sizeof host, 0);
    int *second = device(sizeof host, 0);
    int *managed = NULL;

    for (int i = 0; i < 16; i++)
        host[i] = i * i;
    OK(cudaMallocManaged((void **)&managed, sizeof host, cudaMemAttachGlobal));
    OK(cudaMemcpy(first, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(second, first, sizeof host, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(managed, second, sizeof host, cudaMemcpyDefault));
    cr_assert(managed[15] == 225, "managed memory is the host's too");
    OK(cudaMemcpy(back, managed, sizeof host, cudaMemcpyDeviceToHost));
    cr_assert(memcmp(host, back, sizeof host) == 0);
    memset(back, 0, sizeof back);
    OK(cudaMemcpy(back, host, sizeof host, cudaMemcpyHostToHost));
    cr_assert(memcmp(host, back, sizeof host) == 0);
    OK(cudaMemcpyAsync(back, second + 4, 4, cudaMemcpyDeviceToHost, NULL));
    cr_assert(back[0] == 16 && back[1] == 1);
    OK(cudaMemcpy(back, first, sizeof host, cudaMemcpyDefault));
    cr_assert(memcmp(host, back, sizeof host) == 0);
    OK(cudaMemsetAsync(first + 1, 1, 4, cudaStreamPerThread));
    OK(cudaMemcpy(back, first, sizeof host, cudaMemcpyDeviceToHost));
    cr_assert(back[0] == 0 && back[1] == 0x01010101 && back[2] == 4);
}

Test(model_memory, bad_copies_change_nothing)
{
    int host[16] = { 1, 2, 3 };
    int *memory = device(sizeof host, 0x22);
    int *pinned = NULL;

    OK(cudaMallocHost((void **)&pinned, sizeof host));
    cr_assert(cudaMemcpy(memory, host, 4, (enum cudaMemcpyKind)5) ==
              cudaErrorInvalidMemcpyDirection);
    cr_assert(cudaMemcpy(memory, host, 4, (enum cudaMemcpyKind) - 1) ==
              cudaErrorInvalidMemcpyDirection);
    REFUSED(cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory, NULL, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory, host, sizeof host + 1, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory + 16, host, 1, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory + 8, host, SIZE_MAX, cudaMemcpyDefault));
    REFUSED(cudaMemcpy(host, memory, 4, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory, host, 4, cudaMemcpyDeviceToHost));
    REFUSED(cudaMemcpy(memory, host, 4, cudaMemcpyDeviceToDevice));
    REFUSED(cudaMemcpy(memory, host, 4, cudaMemcpyHostToHost));
    REFUSED(cudaMemcpy(pinned + 1, host, sizeof host, cudaMemcpyHostToHost));
    REFUSED(cudaMemset(host, 0, 4));
    REFUSED(cudaMemset(NULL, 0, 4));
    REFUSED(cudaMemset(memory, 0, sizeof host + 1));
    OK(cudaMemset(NULL, 0, 0));
    cr_assert(cudaMemcpyAsync(memory, host, 4, cudaMemcpyHostToDevice, (cudaStream_t)host) ==
              cudaErrorInvalidResourceHandle);
    cr_assert(cudaMemsetAsync(memory, 0, 4, (cudaStream_t)host) == cudaErrorInvalidResourceHandle);
    REFUSED(cudaFree(memory + 16));
    for (int i = 0; i < 16; i++)
        cr_assert(memory[i] == 0x22222222);
    cr_assert(host[0] == 1 && host[1] == 2);
    OK(cudaFree(memory));
    cr_assert(cudaMemcpy(host, memory, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
              "memory that was freed");
}
