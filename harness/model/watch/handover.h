/* SPDX-License-Identifier: MIT */
/* What a forked process hands over that has run some of a launch's blocks (exec/processes.h): its
 * counts, and what it wrote to memory. Internal to watching. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Blocks that have run and whose counts are kept, and the most requests of one of them, and of one
 * warp. */
typedef struct kg__work_of_blocks {
    uint64_t blocks, busiest[2];
} kg__work_of_blocks;

/* Begins a process: counts and accessed memory are its own from now on. */
void kg__handover_begin(void);
/* Writes what the process has done. Ends the process instead if the launch has a finding. */
void kg__handover_write(const kg__work_of_blocks *work, FILE *to);
/* Adds what `count` processes have written to memory, to its shadow, to the sites and to `work`.
 * Returns false, and adds nothing, if a process accessed what another wrote, or a file is short. */
bool kg__handover_add(kg__work_of_blocks *work, FILE *const *from, unsigned int count);
