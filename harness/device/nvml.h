/* SPDX-License-Identifier: MIT */
/* The state of NVIDIA GPUs, from NVML, a library of the driver. It is loaded at the first call,
 * because a program linked to it would not start without a driver. Nothing here changes a GPU's
 * settings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"

/* The library's name; the environment variable KG_NVML_LIBRARY sets another one. */
#define KG__NVML_LIBRARY "libnvidia-ml.so.1"

/* The loaded library. */
typedef struct kg__nvml kg__nvml;

/* A GPU's state. Each figure may be unavailable on its own: a whole number is then -1 and a
 * power NaN. `kernelgate doctor` queries more (nvml.py). */
typedef struct kg__nvml_state {
    int temperature_c; /* of the GPU, degrees Celsius */
    int sm_clock_mhz;
    int memory_clock_mhz;
    int max_sm_clock_mhz;
    bool reasons_known;
    uint64_t
        reasons; /* why the clocks are what they are: bits as kg__nvml_reasons_text() names them */
    double power_limit_w; /* the enforced limit, watts */
    int ecc;              /* 1 on, 0 off */
} kg__nvml_state;

/* Loads the library and starts it. NULL if there is no driver or it does not answer; `why` then
 * says what is missing and what to do. Free it with free(); the library stays loaded and started.
 */
kg__nvml *kg__nvml_open(kg__error *why);

/* Writes the driver's version, "580.159.04"; empty if unknown. */
void kg__nvml_driver(const kg__nvml *nvml, char *text, size_t size);

/* Queries the state of the GPU of a UUID, "GPU-...". False with `error` if there is no such GPU
 * or it does not answer; every figure is then unavailable. */
bool kg__nvml_gpu_state(const kg__nvml *nvml, const char *uuid, kg__nvml_state *state,
                        kg__error *error);

/* Maximum number of processes on one GPU that are examined. */
#define KG__NVML_PROCESSES 256

/* The processes that compute on a GPU at one moment, in no order. */
typedef struct kg__nvml_processes {
    int count; /* -1: unknown */
    unsigned pids[KG__NVML_PROCESSES];
} kg__nvml_processes;

/* Lists the processes that compute on the GPU of a UUID; false if unknown. */
bool kg__nvml_list(const kg__nvml *nvml, const char *uuid, kg__nvml_processes *processes);

/* Finds which of the listed processes may be this one, from the list before its context was made
 * and the one after. In a container the driver may use an id other than getpid(), or hide the
 * process: a process that appeared in between is this one; if several did, any of them may be. */
void kg__nvml_find_own(const kg__nvml_processes *before, const kg__nvml_processes *after,
                       kg__nvml_processes *own);

/* Returns how many of `processes` are other processes than this one; -1 if unknown. Of the
 * processes that may be this one, all but one are others. */
int kg__nvml_foreign(const kg__nvml_processes *processes, const kg__nvml_processes *own);

/* Returns whether heat or power held clocks down. An idle GPU, or clocks set by hand, are not
 * throttling. */
bool kg__nvml_throttles(uint64_t reasons);

/* Writes the reasons joined by ", "; "none" without a reason. */
void kg__nvml_reasons_text(uint64_t reasons, char *text, size_t size);
