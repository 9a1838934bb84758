/* What the compiler made of a case's kernels, and what they are launched with: as an observer finds
 * it, as baselines keep it, and as results show it. */
#ifndef KG__RECORDS_KERNEL_CODE_H
#define KG__RECORDS_KERNEL_CODE_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/message.h"
#include "base/pool.h"
#include "base/text.h"

/* The size of a fingerprint, "elf-" and 16 hexadecimal digits, with the NUL. Without "elf-" it is
 * of a disassembler's text, from an older version, and tells nothing of one that has it. */
#define KG__FINGERPRINT_SIZE 21
#define KG__ELF_MARK "elf-"

/* Figures that are not known are -1. The figures are the first kernel's. */
typedef struct kg__kernel_code {
    const char *name;     /* mangled by the compiler; NULL: not known. Borrowed */
    int64_t registers;    /* per thread */
    int64_t local_bytes;  /* per thread: its stack, arrays and spills */
    int64_t shared_bytes; /* per block */
    int64_t blocks_per_multiprocessor;
    double occupancy;                /* of a multiprocessor's warps, 0 to 1; NAN: not known */
    kg__texts names;                 /* of all kernels of a launch, in order; none: not known */
    char launch[KG__HASH_TEXT_SIZE]; /* the identity of the launch; "": it has none */
    char fingerprint[KG__FINGERPRINT_SIZE]; /* of launch and machine code; "": not known */
} kg__kernel_code;

/* Unknown code. */
#define KG__KERNEL_CODE_UNKNOWN                                                                    \
    {                                                                                              \
        NULL, -1, -1, -1, -1, NAN, { NULL, 0 }, "", ""                                             \
    }

/* What is known of the code as JSON, {"name", "registers", "local_bytes", ..., "names", "launch",
 * "fingerprint"}; owned by the caller. */
json_t *kg__kernel_code_json(const kg__kernel_code *code);

/* Reads it; the list of names is the pool's, the texts stay the JSON's. False with `error` where a
 * member is of another type; a malformed fingerprint counts as unknown. */
bool kg__kernel_code_read(kg__pool *pool, const json_t *object, kg__kernel_code *code,
                          kg__error *error);

/* What a baseline keeps of the code: registers, memory, occupancy and fingerprint. On the heap, to
 * be freed with free(); NULL where none of them is known, or `code` is NULL. */
kg__kernel_code *kg__kernel_code_keep(const kg__kernel_code *code);

/* What is wrong with the code of a case in a baseline, or NULL; `key` becomes the member that is at
 * fault, NULL for the object itself. */
const char *kg__kernel_code_fault(const json_t *code, const char **key);

/* Whether both are of the same launch of the same kernels, as far as that can be told. */
bool kg__is_same_launch(const kg__kernel_code *one, const kg__kernel_code *other);

/* Whether both know which machine code runs, and it is the same. NULL knows nothing. */
bool kg__is_same_code(const kg__kernel_code *before, const kg__kernel_code *now);

/* Whether both know which machine code runs, in a way that can be compared, and it differs. */
bool kg__is_other_code(const kg__kernel_code *before, const kg__kernel_code *now);

/* A figure that differs, "registers 32 -> 40". */
#define KG__CODE_CHANGES 4
typedef struct kg__code_change {
    char text[3 * KG__FIGURE_SIZE];
} kg__code_change;

/* Lists the figures that both know and that differ; returns how many. */
size_t kg__kernel_code_changes(const kg__kernel_code *before, const kg__kernel_code *now,
                               kg__code_change changes[KG__CODE_CHANGES]);

#endif
