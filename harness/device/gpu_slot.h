/* The boards of a machine as CTest hands them out: a resource spec lists them by id, and a test
 * that takes slots of a board finds its id in the environment. Knows no CUDA. */
#ifndef KG__DEVICE_GPU_SLOT_H
#define KG__DEVICE_GPU_SLOT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/message.h"

/* "GPU-" and a UUID, which is also how CUDA_VISIBLE_DEVICES names a board. */
#define KG__GPU_UUID_SIZE 48

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

/* CTest's resource spec for `boards`, a list of {"uuid", "name"}: each with the slots that a test
 * which times takes all of. NULL with `error` where a device cannot be handed out. */
json_t *kg__gpu_slot_spec(const json_t *boards, kg__error *error);

#endif
