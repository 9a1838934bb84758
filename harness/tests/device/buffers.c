/* SPDX-License-Identifier: MIT */
/* Buffers in every kind of memory, and memory that there is none of. */
#include "device/buffers.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "tests/fakes/idle_callbacks.h"

static kg__error error;
static kg__buffers buffers;

static kg_arguments bytes_in_two(size_t first, size_t second)
{
    kg_arguments list = { .count = 0 };

    kg_add_argument(&list, KG_OUTPUT, "one", KG_UINT8, 1, (int64_t)first);
    kg_add_argument(&list, KG_OUTPUT, "other", KG_UINT8, 1, (int64_t)second);
    return list;
}

Test(buffers, buffers_without_their_memory)
{
    static const kg_variant usual = KG_VARIANT("usual", launch_nothing, "");
    kg_arguments list = { .count = 0 };
    void *inputs[KG_MAX_ARGUMENTS] = { NULL };
    kg__error finding = { "" };

    kg_add_argument(&list, KG_INPUT, "from", KG_FLOAT32, 3, 5);
    cr_assert(cudaMalloc(&inputs[0], 60) == cudaSuccess);
    cr_assert(kg__buffers_make(&buffers, &list, &usual, &error), "%s", error.text);
    cr_assert(buffers.bytes[0] == 60);
    cr_assert(kg__buffers_fill(&buffers, inputs, 0xff, &error));
    cr_assert(kg__buffers_guards_hold(&buffers, &finding, &error));
    cr_assert(cudaFree(buffers.allocation[0]) == cudaSuccess);
    cr_assert(!kg__buffers_guards_hold(&buffers, &finding, &error));
    cr_assert(finding.text[0] == '\0');
    cr_assert(strncmp(error.text, "reading a guard zone back: cudaError", 36) == 0, "%s",
              error.text);
    cr_assert(!kg__buffers_fill(&buffers, inputs, 0xff, &error));
    cr_assert(strncmp(error.text, "filling the arguments: cudaError", 32) == 0, "%s", error.text);
    kg__buffers_free(&buffers);
    cr_assert(buffers.guard == NULL && buffers.allocation[0] == NULL);
}

/* Managed memory is granted beyond what the device has, and a kernel that then touches all of it
 * may take the machine with it: all arguments together must fit before the first is asked for. */
Test(buffers, managed_memory_above_what_is_free_is_refused)
{
    static const kg_variant managed =
        KG_VARIANT("managed", launch_nothing, "", .advanced.memory = { KG_MANAGED, KG_MANAGED });
    static const kg_variant half =
        KG_VARIANT("half", launch_nothing, "", .advanced.memory = { KG_MANAGED });
    size_t left;
    size_t total;
    kg_arguments both;
    void *allocation;
    char said[128];

    cr_assert(cudaMemGetInfo(&left, &total) == cudaSuccess && left == total);
    both = bytes_in_two(total / 8 * 5, total / 8 * 5);
    cr_assert(!kg__buffers_make(&buffers, &both, &managed, &error));
    kg__format(said, sizeof said,
               "the managed arguments take %zu bytes, and the device has %zu free: ",
               total / 8 * 5 * 2 + 4 * KG__GUARD_BYTES, left);
    cr_assert(strncmp(error.text, said, strlen(said)) == 0, "%s", error.text);
    cr_assert(buffers.allocation[0] == NULL && kg__model_allocation_count() == 0);
    kg__buffers_free(&buffers);

    /* Not a byte more than is free, guard zones and all; what is not managed does not count. */
    both = bytes_in_two(total - 2 * KG__GUARD_BYTES + 1, 1);
    cr_assert(!kg__buffers_make(&buffers, &both, &half, &error));
    cr_assert(strstr(error.text, " bytes, and the device has ") != NULL, "%s", error.text);
    kg__buffers_free(&buffers);
    both = bytes_in_two(1, total);
    cr_assert(!kg__buffers_make(&buffers, &both, &half, &error));
    cr_assert(strncmp(error.text, "argument other: no device memory", 32) == 0, "%s", error.text);
    kg__buffers_free(&buffers);

    cr_assert(kg__memory_allocate(KG_MANAGED, total + 1, &allocation) == cudaErrorMemoryAllocation);
    cr_assert(allocation == NULL && kg__model_allocation_count() == 0);
}

Test(buffers, managed_memory_of_a_device_that_is_lost)
{
    static const kg_variant managed =
        KG_VARIANT("managed", launch_nothing, "", .advanced.memory = { KG_MANAGED });
    kg_arguments both = bytes_in_two(1, 1);

    kg__model_set_sticky_error(cudaErrorIllegalAddress);
    cr_assert(!kg__buffers_make(&buffers, &both, &managed, &error));
    cr_assert(
        strncmp(error.text, "querying the device's free memory: cudaErrorIllegalAddress", 58) == 0,
        "%s", error.text);
    kg__buffers_free(&buffers);
}

/* No kind of memory ends the process where there is none. AddressSanitizer's malloc() does. */
Test(buffers, memory_that_there_is_none_of)
{
    static const char *const kinds[] = { "device", "managed", "pageable", "pinned" };
#ifdef __SANITIZE_ADDRESS__
    const bool malloc_gives_up = true;
#else
    const bool malloc_gives_up = false;
#endif

    for (int kind = KG_DEVICE; kind <= KG_PINNED; kind++) {
        const kg_variant there = KG_VARIANT("there", launch_nothing, "",
                                            .advanced.memory = { KG_DEVICE, (kg_memory)kind });
        const kg_arguments both = bytes_in_two(1, (size_t)1 << 61);
        char said[128];

        if (kind == KG_PAGEABLE && malloc_gives_up)
            continue;
        cr_assert(!kg__buffers_make(&buffers, &both, &there, &error));
        kg__format(said, sizeof said, "argument other: no %s memory for 2305843009213693952 bytes",
                   kinds[kind]);
        cr_assert(kind == KG_MANAGED || strncmp(error.text, said, strlen(said)) == 0, "%s",
                  error.text);
        kg__buffers_free(&buffers);
    }
    cr_assert(kg__model_allocation_count() == 0);
}

Test(buffers, memory_for_suites_is_zeroed)
{
    double *values = kg_allocate(3, sizeof *values);

    cr_assert(values[0] == 0 && values[2] == 0);
    free(values);
}
