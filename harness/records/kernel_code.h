/* SPDX-License-Identifier: MIT */
/* The compiled code of a case's kernels, and their launch, as in records, baselines and results. */
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/message.h"
#include "base/pool.h"
#include "base/text.h"

/* The size of a fingerprint, "elf-" and 16 hexadecimal digits, with the NUL. Without "elf-" it
 * is of a disassembler's text, from an older version, and cannot be compared with one that has
 * it. */
#define KG__FINGERPRINT_SIZE 21
#define KG__ELF_MARK "elf-"

/* -1: unknown. The figures are the first kernel's. */
typedef struct kg__kernel_code {
    const char *name;     /* mangled by the compiler; NULL: unknown. Borrowed */
    int64_t registers;    /* per thread */
    int64_t local_bytes;  /* per thread: stack, arrays and spills */
    int64_t shared_bytes; /* per block */
    int64_t blocks_per_multiprocessor;
    double occupancy;                /* of a multiprocessor's warps, 0 to 1; NAN: unknown */
    kg__texts names;                 /* of all kernels of a launch, in order; empty: unknown */
    char launch[KG__HASH_TEXT_SIZE]; /* the identity of the launch; "": none */
    char fingerprint[KG__FINGERPRINT_SIZE]; /* of launch and machine code; "": unknown */
} kg__kernel_code;

/* Unknown code. */
extern const kg__kernel_code kg__kernel_code_unknown;

/* The members of code: {"name", "registers", "local_bytes", ..., "names", "launch",
 * "fingerprint"}. A malformed fingerprint is read as unknown. */
extern const kg__field kg__kernel_code_fields[];

/* Returns the part of the code that a baseline keeps: registers, memory, occupancy and
 * fingerprint, in the pool; NULL if none of them is known, or `code` is NULL. */
kg__kernel_code *kg__kernel_code_keep(kg__pool *pool, const kg__kernel_code *code);

/* Checks a case's "code" in a baseline. Returns NULL if it is valid, the key of its first invalid
 * member, or "" if it is not an object or has no member. */
const char *kg__kernel_code_fault(const json_t *code);

/* Returns whether both are known to be the same launch of the same kernels. */
bool kg__is_same_launch(const kg__kernel_code *one, const kg__kernel_code *other);

/* Returns whether both machine codes are known and equal. NULL is unknown. */
bool kg__is_same_code(const kg__kernel_code *before, const kg__kernel_code *now);

/* Returns whether both machine codes are known in comparable form and differ. */
bool kg__is_other_code(const kg__kernel_code *before, const kg__kernel_code *now);

/* Maximum number of figures that differ, such as "registers 32 -> 40". */
#define KG__CODE_CHANGES 4
typedef struct kg__code_change {
    char text[3 * KG__FIGURE_SIZE];
} kg__code_change;

/* Lists the figures that both have and that differ; returns how many. */
size_t kg__kernel_code_changes(const kg__kernel_code *before, const kg__kernel_code *now,
                               kg__code_change changes[KG__CODE_CHANGES]);
