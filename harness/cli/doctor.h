/* kernelgate doctor in two parts: collecting the facts of this machine, and judging them. The
 * second is pure. */
#ifndef KG__CLI_DOCTOR_H
#define KG__CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "device/nvml.h"

/* More GPUs than this are counted, not described. */
#define KG__DOCTOR_GPUS 16

/* The result of running a program with its version option. */
typedef struct kg__program {
    bool found;
    bool works;               /* it ended with exit code 0 */
    char path[KG__PATH_SIZE]; /* the command */
    char version[160];        /* the line with its version, or its output if it failed */
    int numbers[2];           /* the first two numbers of the version; 0, 0 if there are none */
} kg__program;

/* A baseline file of this machine's targets. */
typedef struct kg__baseline_fact {
    char path[KG__PATH_SIZE];
    kg__load_status status;
    size_t cases;
    char error[KG__MESSAGE_SIZE];
} kg__baseline_fact;

typedef struct kg__gpu_fact {
    bool answers;
    char error[256]; /* if it does not */
    kg__nvml_state state;
    kg__baseline_fact baseline;
} kg__gpu_fact;

/* All facts. Zeroed, it is a machine with nothing installed. */
typedef struct kg__facts {
    char system[256]; /* "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64" */
    long processors;

    kg__program cmake;
    kg__program ninja;
    kg__program c_compiler;
    kg__program cxx_compiler;
    kg__program pkg_config;
    kg__program gcovr;
    kg__program git;
    kg__program nvcc;

    kg__program criterion; /* pkg-config's answer for each */
    kg__program jansson;
    kg__program libdw;
    kg__program python;
    kg__program chart_js;
    bool boost_header;
    char boost_library[256]; /* its path; empty if the compiler does not find it */

    bool cuda_library; /* libcuda.so.1 could be loaded */
    char cuda_library_error[256];
    int cuda_version;        /* what the driver supports, 13000 for 13.0; 0 if unknown */
    int cuda_init;           /* what cuInit() returned: 0 works */
    char kernel_driver[256]; /* first line of /proc/driver/nvidia/version; empty without a module */
    int pci_gpus;            /* NVIDIA display and 3D controllers on the PCI bus */
    int device_nodes;        /* /dev/nvidia<number> */
    int locked_nodes;        /* those that this user may not open */

    kg__nvml_status nvml;
    char nvml_error[256];
    char nvml_driver[96];
    int gpu_count; /* by NVML; those beyond KG__DOCTOR_GPUS are not described */
    kg__gpu_fact gpus[KG__DOCTOR_GPUS];
    kg__baseline_fact model_baseline;
} kg__facts;

typedef enum kg__health {
    KG__WORKS,
    KG__REMARK, /* works, or is not needed by every gate, with a remark */
    KG__LACKS   /* prevents a gate */
} kg__health;

typedef struct kg__doctor_line {
    kg__health health;
    char item[48];
    char found[KG__MESSAGE_SIZE];
    char advice[512]; /* what to do; empty if nothing is to do */
} kg__doctor_line;

#define KG__DOCTOR_LINES (40 + 2 * KG__DOCTOR_GPUS)

typedef struct kg__diagnosis {
    kg__doctor_line lines[KG__DOCTOR_LINES];
    size_t count;
    bool model;           /* the CPU model can be gated here */
    bool gpu;             /* GPUs can be gated here */
    char model_text[256]; /* one line each: what can be gated, or what is missing */
    char gpu_text[512];
} kg__diagnosis;

/* Judges the facts. */
void kg__diagnose(const kg__facts *facts, kg__diagnosis *diagnosis);

#endif
