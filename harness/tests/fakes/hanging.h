/* SPDX-License-Identifier: MIT */
/* Launches that never end, for the tests of what is said of them. */
#pragma once

#include <pthread.h>

#include "model/model.h"

/* Has the first launch of the process, which the calling thread is about to make, be ended by
 * SIGTERM so many microseconds after it began. Join what is returned. */
pthread_t end_launch_after(unsigned int microseconds);

/* Starts a launch that never ends; what it returns. */
typedef cudaError_t endless_launch(void *context);

/* Has launches be ended by SIGTERM, each in a process of its own and after another time, so that
 * wherever a launch spends its time is met. Asserts that each time a line of this kernel is told
 * that holds `text`, or that the line behind it does. */
void expect_told(endless_launch *launch, void *context, const char *kernel, const char *text);
