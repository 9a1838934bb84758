/* SPDX-License-Identifier: MIT */
/* Products of a warp group: operands in shared memory, by descriptors, and in registers. */
#include "model/exec/allocations.h"
#include "model/exec/faults.h"
#include "model/exec/grid.h"
#include "model/exec/matrices.h"

#include <kernelgate/types.h>
#include <string.h>

#define CHUNK 16         /* bytes that no swizzle tears apart */
#define DEPTH_BYTES 32   /* of k, of an instruction */
#define ADDRESS 0x3ffffu /* the bits of a descriptor's address */
#define ROWS KG__PRODUCT_ROWS
#define A_REGISTERS 4

unsigned int kg__wgmma_depth(const kg__model_wgmma *part)
{
    return DEPTH_BYTES / (unsigned int)kg__element_size(part->elements[0]);
}

/* Returns a field of 14 bits, which leaves out the last four of a number of bytes. */
static unsigned int field(uint64_t descriptor, unsigned int from)
{
    return (unsigned int)(descriptor >> from & 0x3fff) << 4;
}

/* Returns a chunk's address, of 18 bits (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared
 * Memory Layout", "Canonical Layouts"; CUTLASS, mma_sm90_desc.hpp): `across` counts rows of a, or
 * columns of b, `along` k; each by chunks where it is contiguous. */
static uint32_t place_chunk(uint64_t descriptor, bool turned, unsigned int across,
                            unsigned int along)
{
    static const unsigned char widths[] = { 1, 8, 4, 2 }; /* of a row of a swizzle, in chunks */
    const unsigned int mode = (unsigned int)(descriptor >> 62);
    const unsigned int width = widths[mode];
    const unsigned int leading = field(descriptor, 16);
    const unsigned int stride = field(descriptor, 32);
    const unsigned int base = (unsigned int)(descriptor >> 49 & 7);
    uint32_t at = field(descriptor, 0);

    if (!turned)
        at += across % 8 * width * CHUNK + across / 8 * stride +
              along * (mode == 0 ? leading : CHUNK);
    else if (mode == 0)
        at += along % 8 * CHUNK + along / 8 * leading + across * stride;
    else
        at += along % 8 * width * CHUNK + along / 8 * stride + across % width * CHUNK +
              across / width * leading;
    return (at ^ (((at >> 7) - base) & (width - 1)) * CHUNK) & ADDRESS;
}

/* Returns how far an address in shared memory, of 18 bits, lies behind an array's beginning. */
static uint32_t distance_of(const kg__model_wgmma *part, const unsigned char *array, uint32_t at)
{
    const intptr_t near = (intptr_t)array - (intptr_t)part->origins[0];
    const bool reaches = near >> 30 == 0 || near >> 30 == -1; /* as kg__model_reaches() */

    return (at - (uint32_t)(reaches ? near : (intptr_t)array - (intptr_t)part->origins[1])) &
           ADDRESS;
}

const unsigned char *kg__wgmma_chunk(const kg__model_wgmma *part, int which, unsigned int i,
                                     bool *outside)
{
    const kg__model_kernel *kernel = kg__running.launch.kernel;
    const bool turned = part->turned[which];
    const uint32_t at = place_chunk(part->descriptors[which], turned, turned ? i / 16 : i / 2,
                                    turned ? i % 16 : i % 2);
    const unsigned char *nearest = NULL;
    size_t least = SIZE_MAX;

    /* The dynamic shared memory comes first: an address of it may be one of an array, too. */
    for (size_t array = 0; array <= kernel->kept_count; array++) {
        const unsigned char *base = kg__running.dynamic_shared;
        size_t bytes = kg__running.launch.dynamic_bytes;
        uint32_t distance;

        if (array > 0) {
            base = kg__own_array(&kernel->shared[array - 1]);
            bytes = kernel->shared[array - 1].size;
        }
        distance = distance_of(part, base, at);
        *outside = distance + CHUNK > bytes;
        if (!*outside)
            return base + distance;
        /* An address of 18 bits may be behind any array: the end of the nearest stands for it. */
        if (bytes > 0 && distance + CHUNK - bytes < least) {
            least = distance + CHUNK - bytes;
            nearest = base + bytes;
        }
    }
    return nearest;
}

/* Takes an operand in shared memory, of `rows` rows of a or columns of b. */
static void read_shared(kg__operands *to, const kg__model_wgmma *part, int which, unsigned int rows)
{
    const kg__model_element element = part->elements[which];
    const unsigned int count = CHUNK / (unsigned int)kg__element_size(element);

    for (unsigned int i = 0; i < 2 * rows; i++) {
        float values[CHUNK];
        unsigned char chunk[CHUNK];
        bool outside;
        const unsigned char *from = kg__wgmma_chunk(part, which, i, &outside);

        if (outside)
            memset(chunk, KG__MODEL_POISON, sizeof chunk);
        else
            memcpy(chunk, from, sizeof chunk);
        kg__convert_elements(element, chunk, count, values);
        for (unsigned int j = 0; j < count; j++) {
            const unsigned int across = part->turned[which] ? i / 16 * count + j : i / 2;
            const unsigned int along = part->turned[which] ? i % 16 : i % 2 * count + j;

            kg__set_operand(to, which, which == 0 ? across : along, which == 0 ? along : across,
                            values[j] * (float)part->scales[which]);
        }
    }
}

/* Takes a from the threads' registers (PTX ISA, "Register Fragments"). */
static void read_registers(kg__operands *to, kg__model_wgmma *const threads[])
{
    const kg__model_element element = threads[0]->elements[0];
    const unsigned int count = 4 / (unsigned int)kg__element_size(element);

    for (unsigned int i = 0; i < KG__WARP_GROUP * A_REGISTERS; i++) {
        const unsigned int thread = i / A_REGISTERS;
        const unsigned int number = i % A_REGISTERS;
        const unsigned int row = thread / 32 * 16 + thread % 32 / 4 + number % 2 * 8;
        float values[4];

        kg__convert_elements(element, &threads[thread]->a[number], count, values);
        for (unsigned int j = 0; j < count; j++)
            kg__set_operand(to, 0, row, (number / 2 * 4 + thread % 4) * count + j,
                            values[j] * (float)threads[0]->scales[0]);
    }
}

/* Moves a sum from or to register number `number` of a thread. */
static inline void move_sum(const kg__model_wgmma *part, bool back, unsigned int number, float *sum)
{
    void *registers = part->registers;

    if (!back && !part->adds)
        *sum = 0;
    else if (part->sum == KG__MODEL_FLOAT16 && back)
        kg_set_element(KG_FLOAT16, registers, number, (double)*sum);
    else if (part->sum == KG__MODEL_FLOAT16)
        *sum = (float)kg_element(KG_FLOAT16, registers, number);
    else
        memcpy(back ? (float *)registers + number : sum, back ? sum : (float *)registers + number,
               sizeof *sum);
}

static void move_sums(kg__model_wgmma *const threads[], bool back, kg__results *sums)
{
    for (unsigned int i = 0; i < KG__WARP_GROUP; i++) {
        for (unsigned int number = 0; number < threads[0]->columns / 2; number++)
            move_sum(threads[i], back, number,
                     &sums->floats[i / 32 * 16 + i % 32 / 4 + number / 2 % 2 * 8]
                                  [number / 4 * 8 + i % 4 * 2 + number % 2]);
    }
}

/* Returns what is wrong with the operands; NULL: nothing. */
static const char *misuse(kg__model_wgmma *const threads[])
{
    const kg__model_wgmma *first = threads[0];

    for (int i = 1; i < KG__WARP_GROUP; i++) {
        if (threads[i]->descriptors[0] != first->descriptors[0] ||
            threads[i]->descriptors[1] != first->descriptors[1] || threads[i]->adds != first->adds)
            return "wgmma: threads of the warp group have other descriptors or scale-d than others";
    }
    return NULL;
}

/* Returns how sums are truncated (dot.h). */
static kg__model_cut cut_of(const kg__model_wgmma *part)
{
    kg__model_cut cut = KG__MODEL_CUT;

    for (int which = 0; which < 2; which++) {
        const kg__model_element element = part->elements[which];

        if (element != KG__MODEL_FLOAT8_E4M3 && element != KG__MODEL_FLOAT8_E5M2)
            continue;
        cut.places = 13;
        cut.kept = part->sum == KG__MODEL_FLOAT32 ? ~0x3ffu : UINT32_MAX;
        cut.least[which] = element == KG__MODEL_FLOAT8_E4M3 ? -6 : -14;
    }
    return cut;
}

void kg__multiply_group(kg__model_wgmma *const threads[KG__WARP_GROUP])
{
    kg__operands *of = &kg__own_product_memory()->of;
    kg__results *sums = &kg__own_product_memory()->sums;
    const kg__model_wgmma *first = threads[0];
    const unsigned int depth = kg__wgmma_depth(first);
    const kg__product_shape shape = { ROWS, first->columns, depth, depth, first->saturates };
    const kg__model_cut cut = cut_of(first);
    const char *wrong = misuse(threads);

    for (int i = 0; i < KG__WARP_GROUP; i++)
        threads[i]->wrong = wrong;
    if (wrong != NULL)
        return;
    kg__begin_operands(of, &cut);
    if (first->a != NULL)
        read_registers(of, threads);
    else
        read_shared(of, first, 0, ROWS);
    read_shared(of, first, 1, first->columns);
    move_sums(threads, false, sums);
    kg__multiply_operands(&shape, first->sum == KG__MODEL_INT32, of, sums);
    move_sums(threads, true, sums);
}

void kg__model_end_wgmma(const kg__model_wgmma *part)
{
    if (part->wrong != NULL)
        kg__fail_wrong(KG__INVALID_WARP_OPERATION, part->code, part->wrong);
}
