/* SPDX-License-Identifier: MIT */
/* Implements the compiler's hooks for UndefinedBehaviorSanitizer, which instrumented kernels
 * call: bounds, alignment, conversions and divisions; and what the model's own headers call. */
#include "model/watch/undefined.h"

#include "base/message.h"
#include "model/exec/faults.h"
#include "model/watch/findings.h"
#include "model/watch/regions.h"
#include "model/watch/trace.h"
#include "model/watch/watcher.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#define CODE ((uintptr_t)__builtin_return_address(0))

/* With sanitizers on, gcc declares these functions with types of its own. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

bool kg__suspicious;
uintptr_t kg__misaligned;
unsigned int kg__misaligned_to;

void kg__find_misaligned(const volatile void *address, unsigned int bytes, unsigned int alignment,
                         unsigned int kind, uintptr_t code)
{
    const kg__finding what =
        kg__finding_misaligned((uintptr_t)address, bytes, alignment, kg__access_of(kind));
    kg__model_place who;

    kg__misaligned = 0;
    if (kg__model_where(&who) && kg__watch_checks())
        kg__find(code, who.linear, &what);
}

/* gcc's data about a type, an access with an index, a conversion, and an access. */
typedef struct noted_type {
    uint16_t kind;
    uint16_t information; /* of a floating-point type, its bits; of any other, their logarithm,
                             shifted, with the lowest bit set if it is signed */
    char name[];
} noted_type;

typedef struct noted_source {
    const char *file;
    uint32_t line;
    uint32_t column;
} noted_source;

typedef struct bounded_access {
    noted_source source;
    const noted_type *array;
    const noted_type *index;
} bounded_access;

typedef struct noted_conversion {
    noted_source source;
    const noted_type *from;
    const noted_type *to;
} noted_conversion;

typedef struct noted_division {
    noted_source source;
    const noted_type *type;
} noted_division;

typedef struct typed_access {
    noted_source source;
    const noted_type *type;
    uint8_t alignment; /* as a logarithm */
    uint8_t kind;      /* 0 and 1: loads or stores the whole */
} typed_access;

/* Outside of a kernel the host itself has the bug. UBSan's library reports it if linked, although
 * the handler here hides its handler of this name. Returns false if it is not linked. */
static bool report_of_host(const char *handler, const void *noted, uintptr_t value)
{
    void (*report)(const void *, uintptr_t);

    *(void **)&report = dlsym(RTLD_NEXT, handler);
    if (report != NULL)
        report(noted, value);
    return report != NULL;
}

static void note_index(kg__model_source source, uintptr_t code, const char *type, intptr_t index)
{
    kg__finding what = {
        .kind = KG__OUT_OF_BOUNDS, .symbol = type, .has_index = true, .index = index
    };
    kg__model_place who;

    if (!kg__watch_checks())
        return;
    if (!kg__model_where(&who)) {
        what.by_host = true;
        kg__find_of_host(source, &what);
        return;
    }
    kg__find_at(source, code, who.linear, &what);
    kg__suspicious = true;
    kg__trace.limit = kg__trace.cursor;
}

/* Returns whether an array has one element or none: a structure whose last member it is may have
 * more. */
static bool is_open(const char *type)
{
    /* The last is what g++ 13 says of [0]. */
    static const char *const open[] = { "[0]'", "[1]'", "[0x10000000000000000]'" };
    const char *extents = strchr(type, '[');

    for (size_t i = 0; extents != NULL && i < sizeof open / sizeof *open; i++) {
        if (strcmp(extents, open[i]) == 0)
            return true;
    }
    return false;
}

void __ubsan_handle_out_of_bounds(const bounded_access *access, uintptr_t index)
{
    if (is_open(access->array->name))
        return;
    if (!kg__model_where(NULL) && report_of_host("__ubsan_handle_out_of_bounds", access, index))
        return;
    note_index((kg__model_source){ access->source.file, access->source.line }, CODE,
               access->array->name, (intptr_t)index);
}

void kg__model_bad_index(const char *type, size_t index)
{
    note_index(kg__model_source_of((const void *)CODE), CODE, type, (intptr_t)index);
}

void kg__model_sort_overlaps(const void *address)
{
    const kg__region *region = kg__region_at((uintptr_t)address);
    kg__finding what;
    kg__model_place who;

    if (region == NULL || !kg__model_where(&who) || !kg__watch_checks())
        return;
    what = kg__finding_in(KG__OVERLAP, region, (uintptr_t)address - region->start, 0, KG__WRITE);
    what.by.what = "sort";
    kg__find(CODE, who.linear, &what);
}

void __ubsan_handle_type_mismatch_v1(const typed_access *access, uintptr_t address)
{
    const unsigned int alignment = 1u << access->alignment;

    if (!kg__model_where(NULL)) {
        (void)report_of_host("__ubsan_handle_type_mismatch_v1", access, address);
    } else if (access->kind <= 1 && kg__exec_is_local((const void *)address)) {
        /* Not all accesses to local memory have a hook. */
        kg__find_misaligned((const void *)address, alignment, alignment,
                            access->kind == 1 ? KG__ACCESS_WRITE : 0, CODE);
    } else if (access->kind <= 2) {
        /* 2 is the operand of a copy, such as *pointer that is returned, or any other reference,
         * which an access has to follow. */
        kg__misaligned = address;
        kg__misaligned_to = alignment;
    }
}

/* Adds the results of a GPU and of this CPU for a value outside of the range of a 32-bit or
 * 64-bit type. PTX's cvt clamps; NaN becomes 0, or only the top bit if either type has 64 bits. */
static void add_results(kg__finding *what, double value, unsigned int from_bits,
                        unsigned int information, char (*texts)[32])
{
    const bool is_signed = (information & 1) != 0;
    const unsigned int bits = 1u << (information >> 1);
    const uint64_t top = (uint64_t)1 << (bits - 1);
    const bool wide = bits == 64 || from_bits == 64;
    uint64_t gpu = value != value ? (wide ? top : 0)
                   : value < 0    ? (is_signed ? top : 0)
                   : is_signed    ? top - 1
                                  : top - 1 + top;
    uint64_t cpu = bits == 32 && is_signed ? (uint32_t)(int32_t)value
                   : bits == 32            ? (uint32_t)value
                   : is_signed             ? (uint64_t)(int64_t)value
                                           : (uint64_t)value;

    if (bits == 32 && is_signed) {
        gpu = (uint64_t)(int32_t)(uint32_t)gpu;
        cpu = (uint64_t)(int32_t)(uint32_t)cpu;
    }
    for (int i = 0; i < 2; i++) {
        uint64_t result = i == 0 ? gpu : cpu;

        kg__format(texts[i], sizeof texts[i], is_signed ? "%" PRId64 : "%" PRIu64, result);
    }
    what->on_gpu = texts[0];
    what->on_cpu = texts[1];
}

void __ubsan_handle_float_cast_overflow(const noted_conversion *noted, uintptr_t bits)
{
    kg__finding what = { .kind = KG__CONVERSION };
    const unsigned int width = noted->from->information;
    const unsigned int to = noted->to->information;
    char texts[3][32];
    char type[64];
    float narrow;
    double value;
    kg__model_place who;

    if (!kg__model_where(&who) || !kg__watch_checks() || (width != 32 && width != 64))
        return;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&value, &bits, sizeof value);
    if (width == 32)
        value = (double)narrow;
    if (to >> 1 == 5 || to >> 1 == 6)
        add_results(&what, value, width, to, texts);
    kg__format(texts[2], sizeof texts[2], "%.9g", value);
    /* Type names are in quotes. */
    kg__format(type, sizeof type, "%.*s", (int)strcspn(noted->to->name + 1, "'"),
               noted->to->name + 1);
    what.detail = texts[2];
    what.symbol = type;
    kg__find_at((kg__model_source){ noted->source.file, noted->source.line }, CODE, who.linear,
                &what);
}

void __ubsan_handle_divrem_overflow(const noted_division *noted, uintptr_t dividend)
{
    const kg__finding what = { .kind = KG__DIVISION };
    kg__model_place who;

    (void)dividend;
    if (!kg__model_where(&who))
        return;
    if (kg__watch_checks())
        kg__find_at((kg__model_source){ noted->source.file, noted->source.line }, CODE, who.linear,
                    &what);
    kg__skips_division = true;
}
