/* SPDX-License-Identifier: MIT */
/* The times of a program's kernels on a GPU: the library libkernelgate_times.so, which the CUDA
 * driver loads into a program where CUDA_INJECTION64_PATH names it. CUPTI gives each launch's begin
 * and end; at the program's end they are written to the file that KG__KERNEL_TIMES names.
 *
 * Neither CUPTI nor the driver is linked, so that the library is built without a CUDA Toolkit. */
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "programs/cupti.h"

#define EXPORTED __attribute__((visibility("default")))

#define BUFFER_BYTES ((size_t)1 << 20)
/* Times kept per kernel and shape, which bounds the memory of programs that launch in a loop. */
#define MOST_TIMES 4096

typedef struct timed_kernel {
    char *name; /* mangled */
    int32_t grid[3];
    int32_t block[3];
    uint64_t times_ns[MOST_TIMES];
    size_t count;
    uint64_t launches;
} timed_kernel;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static timed_kernel **kernels;
static size_t kernel_count;
static size_t kernel_room;
static uint32_t device;
static size_t dropped; /* launches without a time */
static kg__cupti cupti;

static timed_kernel *find_kernel(const kg__cupti_kernel *record)
{
    timed_kernel *added;

    for (size_t i = 0; i < kernel_count; i++) {
        if (memcmp(kernels[i]->grid, record->grid, sizeof record->grid) == 0 &&
            memcmp(kernels[i]->block, record->block, sizeof record->block) == 0 &&
            strcmp(kernels[i]->name, record->name) == 0)
            return kernels[i];
    }
    added = kg__allocate(1, sizeof *added);
    added->name = kg__copy_text(record->name);
    memcpy(added->grid, record->grid, sizeof added->grid);
    memcpy(added->block, record->block, sizeof added->block);
    kernels = kg__grow(kernels, kernel_count, &kernel_room, sizeof(void *));
    return kernels[kernel_count++] = added;
}

static void take(const kg__cupti_kernel *record)
{
    timed_kernel *kernel;

    if (record->kind != KG__CUPTI_KERNEL || record->name == NULL || record->end <= record->start) {
        dropped += record->kind == KG__CUPTI_KERNEL;
        return;
    }
    kernel = find_kernel(record);
    device = record->device;
    kernel->launches++;
    if (kernel->count < MOST_TIMES)
        kernel->times_ns[kernel->count++] = record->end - record->start;
}

static void give_buffer(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *size = *buffer != NULL ? BUFFER_BYTES : 0;
    *most = 0;
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    kg__cupti_kernel *record = NULL;
    size_t lost = 0;

    (void)size;
    pthread_mutex_lock(&lock);
    while (valid > 0 && cupti.next_record(buffer, valid, &record) == 0)
        take(record);
    if (cupti.dropped(context, stream, &lost) == 0)
        dropped += lost;
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static json_t *kernel_json(const timed_kernel *kernel)
{
    json_t *times = json_array();

    for (size_t i = 0; i < kernel->count; i++)
        json_array_append_new(times, json_integer((json_int_t)kernel->times_ns[i]));
    return json_pack("{s:s, s:[iii], s:[iii], s:I, s:o}", "name", kernel->name, "grid",
                     kernel->grid[0], kernel->grid[1], kernel->grid[2], "block", kernel->block[0],
                     kernel->block[1], kernel->block[2], "launches", (json_int_t)kernel->launches,
                     "times_ns", times);
}

static void write_times(const char *path)
{
    json_t *list = json_array();
    json_t *document = json_pack("{s:o, s:o, s:I}", "device", kg__cupti_device(device), "kernels",
                                 list, "dropped", (json_int_t)dropped);

    for (size_t i = 0; i < kernel_count; i++)
        json_array_append_new(list, kernel_json(kernels[i]));
    errno = 0;
    if (json_dump_file(document, path, JSON_COMPACT) != 0)
        kg__complain("%s: the times cannot be written: %s: check the directory", path,
                     strerror(errno));
    json_decref(document);
}

static void finish(void)
{
    (void)cupti.flush(1);
    pthread_mutex_lock(&lock);
    write_times(getenv("KG__KERNEL_TIMES"));
    pthread_mutex_unlock(&lock);
}

/* Begins, called by the driver when the program first calls it. Returns 1, as it demands. A
 * program without CUPTI runs on, untimed. */
EXPORTED int InitializeInjection(void)
{
    kg__error error;

    if (getenv("KG__KERNEL_TIMES") == NULL)
        return 1;
    if (!kg__cupti_load(&cupti, &error) ||
        !kg__cupti_begin(&cupti, give_buffer, take_buffer, &error))
        kg__complain("%s", error.text);
    else
        (void)atexit(finish);
    return 1;
}
