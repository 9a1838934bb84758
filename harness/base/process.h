/* SPDX-License-Identifier: MIT */
/* This process, its environment and its parent, and other processes of the machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/message.h"

/* The value of a variable of the environment, or NULL where it is unset or empty. */
const char *kg__setting(const char *name);

/* Writes the path of this program's file; false with `error`. */
bool kg__own_program(char *path, size_t size, kg__error *error);

/* What /proc says about a process. */
typedef struct kg__process_facts {
    pid_t parent;
    unsigned long long started;
    bool ended; /* it waits for its parent to notice that it died */
} kg__process_facts;

/* Reads them; false where there is no such process, or it is hidden. */
bool kg__process_look(pid_t process, kg__process_facts *facts);

/* Whether a process of this machine lives; one that ended and was not waited for does not. */
bool kg__process_lives(pid_t process);

/* Names this process to those that it starts, in the environment: each of them can call
 * kg__end_with_parent(). */
void kg__name_parent(void);

/* Has the kernel kill this process (SIGKILL) when its parent ends. Where the process that named
 * itself, by kg__name_parent() or as ctest does (KgDiscoverTests.cmake), has ended already, this
 * process ends at once, with exit code 2 and a message. */
void kg__end_with_parent(void);
