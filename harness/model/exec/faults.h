/* SPDX-License-Identifier: MIT */
/* Faults: they end a launch before its threads do. Internal to the model. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/exec/launch.h"
#include "records/finding.h"

/* Ends the launch because no thread can run and nothing that they wait for can happen. */
void kg__fail_deadlock(void) __attribute__((noreturn));

/* Ends the launch because the running thread did something at `code` that CUDA leaves undefined;
 * `what` is the message. */
void kg__fail_wrong(kg__finding_kind found, uintptr_t code, const char *what)
    __attribute__((noreturn));

/* Ends the launch with a failure of a process that ran some of its blocks. */
void kg__fail_as(const kg__exec_failure *failure) __attribute__((noreturn));

/* Whether instructions that divide by zero give all ones, as PTX's do, instead of ending the
 * launch: it has told of one. Other threads may run between what tells of a division and its
 * instruction. */
extern bool kg__skips_division;

/* Makes signals of a fault in a kernel end its launch, until kg__release_faults(). */
void kg__catch_faults(void);
/* Ends the running launch after this many seconds of the process's CPU time; 0: no limit. */
void kg__limit_time(double seconds);
/* Restores the previous signal handlers. */
void kg__release_faults(void);
