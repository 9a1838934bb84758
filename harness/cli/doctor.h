/* kernelgate doctor in two halves: collecting the facts of this machine, and saying what they mean.
 * The second is pure. */
#ifndef KG__CLI_DOCTOR_H
#define KG__CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "device/nvml.h"

/* More cards than this are counted and not described. */
#define KG__DOCTOR_GPUS 16

/* What running a program with its version option showed. */
typedef struct kg__program {
    bool found;
    bool works;               /* it ended with exit code 0 */
    char path[KG__PATH_SIZE]; /* how it was called */
    char version[160]; /* the line that tells its version, or what it printed when it failed */
    int numbers[2];    /* that version's first two numbers; 0, 0 where there are none */
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
    char error[256]; /* where it does not */
    kg__nvml_state state;
    kg__baseline_fact baseline;
} kg__gpu_fact;

/* Everything that is looked at. Zeroed, it is a machine with nothing at all. */
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
    kg__program cuobjdump;

    kg__program criterion; /* pkg-config's answer for each */
    kg__program jansson;
    kg__program libxml2;
    kg__program libdw;
    kg__program chart_js;
    bool boost_header;
    char boost_library[256]; /* its path; empty where the compiler does not find it */

    bool cuda_library; /* libcuda.so.1 could be loaded */
    char cuda_library_error[256];
    int cuda_version; /* what the driver supports, 13000 for 13.0; 0 where it does not tell */
    int cuda_init;    /* what cuInit() returned: 0 works */
    char kernel_driver[256]; /* first line of /proc/driver/nvidia/version; empty without a module */
    int pci_gpus;            /* NVIDIA display and 3D controllers on the PCI bus */
    int device_nodes;        /* /dev/nvidia<number> */
    int locked_nodes;        /* of those, the ones that this user may not open */

    kg__nvml_status nvml;
    char nvml_error[256];
    char nvml_driver[96];
    int gpu_count; /* by NVML; those beyond KG__DOCTOR_GPUS are not described */
    kg__gpu_fact gpus[KG__DOCTOR_GPUS];
    kg__baseline_fact model_baseline;
} kg__facts;

typedef enum kg__health {
    KG__WORKS,
    KG__REMARK, /* works, or is not needed for every gate, but something is to be known */
    KG__LACKS   /* keeps a gate from working */
} kg__health;

typedef struct kg__doctor_line {
    kg__health health;
    char item[48];
    char found[KG__MESSAGE_SIZE];
    char advice[512]; /* what to do; empty where nothing is to be done */
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

/* Says what the facts mean. */
void kg__diagnose(const kg__facts *facts, kg__diagnosis *diagnosis);

#endif
