/* GPUs' figures: what their makers, or measurements, say that they can do, each with its source.
 * Read strictly from JSON. Pure: knows no CUDA.
 *
 *   {"schema": "kernelgate-gpus/1",
 *    "gpus": {"nvidia-h200": {"name": "NVIDIA H200",
 *                             "dram_gb_per_s": {"value": 4800, "source": "NVIDIA H200 datasheet"},
 *                             ...}}}
 *
 * A GPU's key is that of its target. */
#ifndef KG__SUITE_GPU_SPECS_H
#define KG__SUITE_GPU_SPECS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

#define KG__GPUS_SCHEMA "kernelgate-gpus/1"

/* The longest key, name and source, with the NUL. */
#define KG__GPU_KEY_SIZE 96
#define KG__GPU_NAME_SIZE 128
#define KG__GPU_SOURCE_SIZE 512

typedef enum kg__gpu_figure {
    KG__GPU_MULTIPROCESSORS,
    KG__GPU_CLOCK,   /* "clock_mhz": the multiprocessors', the highest that the maker states */
    KG__GPU_FLOAT32, /* "float32_operations_per_clock": of a multiprocessor, a multiply-add
                        being two */
    KG__GPU_INT32,   /* "int32_operations_per_clock": likewise */
    KG__GPU_DRAM,    /* "dram_gb_per_s": 10^9 bytes per second */
    KG__GPU_L2,      /* "l2_gb_per_s" */
    KG__GPU_L2_SIZE, /* "l2_mib": 2^20 bytes */
    KG__GPU_SHARED,  /* "shared_bytes_per_clock": of a multiprocessor's L1 cache and shared
                        memory */
    KG__GPU_BLOCKS,  /* "blocks_per_us": that all multiprocessors together can be given */
    KG__GPU_BUS,     /* "bus_gb_per_s": to or from the host, one way */
    KG__GPU_FIGURES
} kg__gpu_figure;

typedef struct kg__gpu_spec {
    char key[KG__GPU_KEY_SIZE];
    char name[KG__GPU_NAME_SIZE];
    double value[KG__GPU_FIGURES]; /* NaN: not known */
    char *source[KG__GPU_FIGURES]; /* NULL where the figure is not known */
} kg__gpu_spec;

typedef struct kg__gpu_specs {
    kg__gpu_spec *list;
    size_t count;
    size_t capacity;
} kg__gpu_specs;

/* A figure's name in the file, "dram_gb_per_s". */
const char *kg__gpu_figure_name(kg__gpu_figure figure);

/* Adds the GPUs of a text of `length` bytes followed by a NUL; `path` is what complaints call
 * it. A GPU that is there already keeps what the text does not name. False with `error`, by file,
 * line and key, for anything that is not such a document: an unknown key or figure, one that
 * appears twice, a figure without a source, a value that no GPU has, or a new GPU without a name,
 * multiprocessors, a clock, float32_operations_per_clock or dram_gb_per_s. */
bool kg__gpu_specs_parse(const char *path, const char *text, size_t length, kg__gpu_specs *gpus,
                         kg__error *error);

/* The same of a file; one that is not there is an error too. */
bool kg__gpu_specs_load(const char *path, kg__gpu_specs *gpus, kg__error *error);

/* Adds the GPUs whose figures this program was built with, harness/suite/gpu_specs.json. */
bool kg__gpu_specs_add_known(kg__gpu_specs *gpus, kg__error *error);

/* The GPU of a key, or NULL. */
const kg__gpu_spec *kg__gpu_specs_find(const kg__gpu_specs *gpus, const char *key);

/* Frees the GPUs and their sources, and empties the list. */
void kg__gpu_specs_free(kg__gpu_specs *gpus);

#endif
