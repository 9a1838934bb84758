/* The boards of a machine as CTest hands them out: a resource spec lists them by id, and a test
 * that takes slots of a board finds its id in the environment. Knows no CUDA. */
#ifndef KG__DEVICE_GPU_SLOT_H
#define KG__DEVICE_GPU_SLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* "GPU-" and a UUID, which is also how CUDA_VISIBLE_DEVICES names a board. */
#define KG__GPU_UUID_SIZE 48

/* A device that CUDA shows. */
typedef struct kg__board {
    char uuid[KG__GPU_UUID_SIZE];
    char name[256];
} kg__board;

/* Zeroed at first; the list is freed with free(). */
typedef struct kg__boards {
    kg__board *list;
    size_t count;
    size_t capacity;
} kg__boards;

/* Adds a board; longer texts are cut. */
void kg__boards_add(kg__boards *boards, const char *uuid, const char *name);

typedef enum kg__gpu_slot_status {
    KG__GPU_SLOT_ANY,   /* CTest handed out none: the first that CUDA shows */
    KG__GPU_SLOT_GIVEN, /* it handed out this one */
    KG__GPU_SLOT_BAD    /* what it handed out cannot be understood */
} kg__gpu_slot_status;

/* The board that CTest gave to this process's test, from CTEST_RESOURCE_GROUP_COUNT and
 * CTEST_RESOURCE_GROUP_0_GPUS; `uuid` has KG__GPU_UUID_SIZE bytes, and is empty without one. */
kg__gpu_slot_status kg__gpu_slot_given(char *uuid, kg__error *error);

/* The same, and has CUDA show this process that board alone: to be called before its first CUDA
 * call. */
kg__gpu_slot_status kg__gpu_slot_take(char *uuid, kg__error *error);

/* Fails with what to do about a board that was given and that CUDA does not show. */
void kg__gpu_slot_gone(const char *uuid, kg__error *error);

/* Whether a device's name is that of a MIG instance, a part of a board. */
bool kg__gpu_slot_is_instance(const char *name);

/* Whether CTest can hand out all boards; false with `error` where one cannot be. */
bool kg__gpu_slot_takes(const kg__boards *boards, kg__error *error);

/* Prints CTest's resource spec for boards that it can hand out: each with the slots that a test
 * which times takes all of. False with a complaint. */
bool kg__gpu_slot_print_spec(const kg__boards *boards);

#endif
