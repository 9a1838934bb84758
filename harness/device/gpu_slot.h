/* SPDX-License-Identifier: MIT */
/* The boards of a machine as CTest assigns them: a resource spec lists them by id, and a test
 * that takes slots of a board finds its id in the environment. Independent of CUDA. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* "GPU-" and a UUID, as in CUDA_VISIBLE_DEVICES. */
#define KG__GPU_UUID_SIZE 48

/* A device that CUDA shows. */
typedef struct kg__board {
    char uuid[KG__GPU_UUID_SIZE];
    char name[256];
} kg__board;

/* Initialize with zeros; free the list with free(). */
typedef struct kg__boards {
    kg__board *list;
    size_t count;
    size_t capacity;
} kg__boards;

/* Adds a board; longer texts are cut. */
void kg__boards_add(kg__boards *boards, const char *uuid, const char *name);

/* Makes only the board visible to this process that CTest assigned to its test, by
 * CTEST_RESOURCE_GROUP_COUNT and CTEST_RESOURCE_GROUP_0_GPUS, and writes it to `uuid`, which has
 * KG__GPU_UUID_SIZE bytes; empty without one: use the first that CUDA shows. False with `error` if
 * the variables cannot be parsed. Call it before the process's first CUDA call. */
bool kg__gpu_slot_take(char *uuid, kg__error *error);

/* Fails with instructions for a board that was assigned and that CUDA does not show. */
void kg__gpu_slot_gone(const char *uuid, kg__error *error);

/* Returns whether a device's name is that of a MIG instance, a part of a board. */
bool kg__gpu_slot_is_instance(const char *name);

/* Returns whether CTest can assign all boards; false with `error` if one cannot be assigned. */
bool kg__gpu_slot_takes(const kg__boards *boards, kg__error *error);

/* Prints CTest's resource spec for boards that it can assign, each with as many slots as a
 * timing test takes. False with a complaint. */
bool kg__gpu_slot_print_spec(const kg__boards *boards);
