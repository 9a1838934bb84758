/* SPDX-License-Identifier: MIT */
#include "device/gpu_slot.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define GROUP_COUNT "CTEST_RESOURCE_GROUP_COUNT"
#define GROUP_GPUS "CTEST_RESOURCE_GROUP_0_GPUS"
#define REMEDY                                                                                     \
    "make the resource spec again with a GPU program's --resource-spec, as kernelgate gate does"

static const char uuid_prefix[] = "GPU-";
/* In ids, CTest allows lower case, digits and underscores, but no digit in front. */
static const char id_prefix[] = "gpu_";
/* A UUID, x being a hexadecimal digit. */
static const char uuid_form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

/* Returns whether a text is a UUID with groups separated by `separator`. */
static bool has_uuid_form(const char *text, char separator)
{
    if (strlen(text) != sizeof uuid_form - 1)
        return false;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (uuid_form[i] == '-'
                ? text[i] != separator
                : !isxdigit((unsigned char)text[i]) || isupper((unsigned char)text[i]))
            return false;
    }
    return true;
}

/* Writes a UUID after `prefix` with other separators. */
static void translate(const char *prefix, const char *from, char separator, char *to)
{
    kg__format(to, KG__GPU_UUID_SIZE, "%s%s", prefix, from);
    for (char *c = to + strlen(prefix); *c != '\0'; c++) {
        if (*c == '-' || *c == '_')
            *c = separator;
    }
}

/* Parses "id:gpu_7fc4aa32_...,slots:8". */
static bool parse_gpus(const char *gpus, char *uuid)
{
    char id[sizeof uuid_form];
    int end = 0;

    (void)sscanf(gpus, "id:gpu_%36[0-9a-f_],slots:%*[0-9]%n", id, &end);
    if (end == 0 || gpus[end] != '\0' || !has_uuid_form(id, '_'))
        return false;
    translate(uuid_prefix, id, '-', uuid);
    return true;
}

bool kg__gpu_slot_take(char *uuid, kg__error *error)
{
    const char *count = getenv(GROUP_COUNT);
    const char *gpus = getenv(GROUP_GPUS);

    uuid[0] = '\0';
    if (gpus == NULL && (count == NULL || strcmp(count, "0") == 0))
        return true;
    if (count != NULL && strcmp(count, "1") != 0)
        return kg__fail(error,
                        GROUP_COUNT "=%s: a test runs on one board: give it RESOURCE_GROUPS gpus:N",
                        count);
    if (gpus == NULL)
        return kg__fail(error,
                        GROUP_COUNT "=1 without " GROUP_GPUS
                                    ": the test takes no GPU: give it RESOURCE_GROUPS gpus:N");
    if (!parse_gpus(gpus, uuid))
        return kg__fail(
            error, GROUP_GPUS "=%s: names no board as \"id:gpu_<UUID>,slots:N\": " REMEDY, gpus);
    return setenv("CUDA_VISIBLE_DEVICES", uuid, 1) == 0 ||
           kg__fail(error, "CUDA_VISIBLE_DEVICES cannot be set: out of host memory");
}

void kg__gpu_slot_gone(const char *uuid, kg__error *error)
{
    kg__fail(error,
             "CUDA does not show the board that CTest gave this test, %s: it is gone (see "
             "nvidia-smi), or the resource spec is of another machine: " REMEDY,
             uuid);
}

bool kg__gpu_slot_is_instance(const char *name)
{
    return strstr(name, " MIG ") != NULL;
}

void kg__boards_add(kg__boards *boards, const char *uuid, const char *name)
{
    kg__board *board = KG__ADD(boards->list, boards->count, boards->capacity);

    kg__format(board->uuid, sizeof board->uuid, "%s", uuid);
    kg__format(board->name, sizeof board->name, "%s", name);
}

bool kg__gpu_slot_takes(const kg__boards *boards, kg__error *error)
{
    for (size_t i = 0; i < boards->count; i++) {
        const kg__board *board = &boards->list[i];
        size_t prefix = sizeof uuid_prefix - 1;

        if (kg__gpu_slot_is_instance(board->name))
            return kg__fail(error,
                            "%s is a MIG instance, and CUDA shows a process only one: run a gate "
                            "for each, with its own CUDA_VISIBLE_DEVICES and KG_OUT",
                            board->name);
        if (strncmp(board->uuid, uuid_prefix, prefix) != 0 ||
            !has_uuid_form(board->uuid + prefix, '-'))
            return kg__fail(error, "%s: its UUID is \"%s\", which is not a resource id for CTest",
                            board->name, board->uuid);
    }
    return true;
}

bool kg__gpu_slot_print_spec(const kg__boards *boards)
{
    json_t *gpus = json_array();

    for (size_t i = 0; i < boards->count; i++) {
        char id[KG__GPU_UUID_SIZE];

        translate(id_prefix, boards->list[i].uuid + sizeof uuid_prefix - 1, '_', id);
        json_array_append_new(gpus, json_pack("{s:s, s:i}", "id", id, "slots", KG__GPU_SLOTS));
    }
    return kg__json_print(json_pack("{s:{s:i, s:i}, s:[{s:o}]}", "version", "major", 1, "minor", 0,
                                    "local", "gpus", gpus),
                          JSON_INDENT(1), "the resource spec");
}
