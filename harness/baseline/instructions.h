/* What kinds of instructions a kernel's machine code has, which needs no disassembler: since sm_70
 * an instruction is 128 bits, and its opcode the lowest of them. */
#ifndef KG__BASELINE_INSTRUCTIONS_H
#define KG__BASELINE_INSTRUCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Loads, stores and copies come in five widths, 8 to 128 bits. */
enum { KG__WIDTHS = 5 };

typedef enum kg__instruction_class {
    KG__GLOBAL_LOADS, /* loads by generic addresses too */
    KG__GLOBAL_STORES = KG__GLOBAL_LOADS + KG__WIDTHS,
    KG__SHARED_LOADS = KG__GLOBAL_STORES + KG__WIDTHS,
    KG__SHARED_STORES = KG__SHARED_LOADS + KG__WIDTHS,
    KG__LOCAL_LOADS = KG__SHARED_STORES + KG__WIDTHS,
    KG__LOCAL_STORES = KG__LOCAL_LOADS + KG__WIDTHS,
    KG__ASYNC_COPIES = KG__LOCAL_STORES + KG__WIDTHS, /* from global to shared memory */
    KG__MATRIX_LOADS = KG__ASYNC_COPIES + KG__WIDTHS,
    KG__ATOMICS,
    KG__SHARED_ATOMICS,
    KG__FFMA,
    KG__DFMA,
    KG__HFMA2,
    KG__HMMA,
    KG__IMMA,
    KG__DMMA,
    KG__BMMA,
    KG__WGMMA,
    KG__BARRIER_INSTRUCTIONS,
    KG__INSTRUCTION_CLASSES
} kg__instruction_class;

/* How many of each class; none of code for an architecture before sm_70. */
typedef struct kg__instructions {
    uint32_t count[KG__INSTRUCTION_CLASSES];
} kg__instructions;

/* The name of a class, "global_load_128" or "ffma", in static memory that the next call overwrites.
 */
const char *kg__instruction_class_name(int kind);

/* Counts the instructions in `bytes` of machine code for an architecture, 90 for sm_90. */
kg__instructions kg__count_instructions(const void *code, size_t bytes, int architecture);

#endif
