/* What the compiler made of kernels: of a program's, read from the cubins in it, which needs no GPU
 * and no disassembler; and of a case's, as baselines keep it: {"registers", "local_bytes",
 * "shared_bytes", "occupancy", "fingerprint"}, of which any may be unknown. */
#ifndef KG__BASELINE_KERNEL_CODE_H
#define KG__BASELINE_KERNEL_CODE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The member that says which machine code runs, and with what launch. */
#define KG__CODE_FINGERPRINT "fingerprint"

/* The size of a fingerprint, "elf-" and 16 hexadecimal digits, with the NUL. Without "elf-" it is
 * of a disassembler's text, from an older version, and tells nothing of one that has it. */
#define KG__FINGERPRINT_SIZE 21

/* What a kernel was given. */
typedef struct kg__resources {
    int registers;        /* per thread */
    size_t static_shared; /* bytes per block, without what the system reserves */
    size_t local_bytes;   /* bytes per thread: its stack, arrays and spills */
} kg__resources;

/* A kernel in a cubin. */
typedef struct kg__kernel {
    char *name;       /* mangled by nvcc */
    char *program;    /* where it is from, as the caller calls it */
    int architecture; /* 90 for sm_90 and sm_90a */
    bool only_there;  /* it runs on no other architecture: sm_90a */
    kg__resources resources;
    /* Of its instructions, registers, shared memory and constants, and of all that kernels of its
     * cubin may share: device functions, constants and variables. The same for every folder. */
    uint64_t hash;
} kg__kernel;

typedef struct kg__kernels {
    kg__kernel *items;
    size_t count;
    size_t capacity;
} kg__kernels;

/* The compute capability "9.0" as the number 90; 0 for any other text. */
int kg__parse_capability(const char *text);

/* Adds the kernels of a file, a program or a cubin, as those of `program`.
 * Cubins that nvcc compressed (--compress-mode=size) and damaged ones have none. `path` NULL is
 * this program's file. */
void kg__kernels_add(kg__kernels *kernels, const char *path, const char *program);

/* Frees the kernels, and empties the list. */
void kg__kernels_free(kg__kernels *kernels);

/* The fingerprint of a case of `program` on a device of `compute_capability` ("9.0"): of its launch
 * and of the code that the device runs of every kernel in it, its own architecture's, else that of
 * the nearest lower one of the same major number. `kernel` is a record's, {"names": [...],
 * "launch": "..."}. False, with an empty text, where the launch has no identity, or a kernel is
 * missing or has two codes. */
bool kg__kernels_fingerprint(const kg__kernels *kernels, const char *program,
                             const char *compute_capability, const json_t *kernel,
                             char text[KG__FINGERPRINT_SIZE]);

/* Whether a value is a fingerprint. */
bool kg__is_fingerprint(const json_t *value);

/* What is wrong with a case's code, or NULL; `key` becomes the member that is at fault, NULL for
 * the object itself. */
const char *kg__kernel_code_fault(const json_t *code, const char **key);

/* Whether both say which machine code runs, and say the same. */
bool kg__is_same_code(const json_t *before, const json_t *now);

/* Whether both say which machine code runs, in a way that can be compared, and differ. */
bool kg__is_other_code(const json_t *before, const json_t *now);

/* Appends a text to `list` for each figure that differs, "registers 32 -> 40", where both know it.
 */
void kg__kernel_code_changes(const json_t *before, const json_t *now, json_t *list);

#endif
