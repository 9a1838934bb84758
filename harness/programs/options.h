/* SPDX-License-Identifier: MIT */
/* KERNELGATE_OPTIONS: how a program that `kernelgate nvcc` built reports. */
#pragma once

#include <stdbool.h>

#include "base/message.h"

/* When the work of streams executes. */
typedef enum kg__program_order { KG__ORDER_ISSUED, KG__ORDER_REVERSED } kg__program_order;

/* The options, as docs/reference.md lists them. Texts are kept for the life of the process. */
typedef struct kg__program_options {
    int exitcode;         /* of a program with findings; 0: its own */
    const char *log;      /* the file that the report is appended to; NULL: the standard error */
    const char *counters; /* the file that the counters of the kernels go to; NULL: none */
    kg__program_order order;
    double timeout;  /* seconds until the program is ended; 0: never */
    bool leaks;      /* device memory that is left at the end is a finding */
    int threads;     /* of the host that run blocks of plain kernels; 0: as processors */
    int sample;      /* million accesses; a launch of more runs in part. 0: no limit */
    double progress; /* seconds until a launch tells how far it is, on a terminal */
    bool summary;    /* the last line is also printed without findings */
} kg__program_options;

/* Reads "exitcode=66:log=FILE" (NULL: nothing) into `options`, whose other members get their
 * defaults. False with `error`, one line that says what to do, where an option is unknown or its
 * value is not as it must be. */
bool kg__program_options_read(const char *text, kg__program_options *options, kg__error *error);
