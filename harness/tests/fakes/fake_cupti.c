/* SPDX-License-Identifier: MIT */
/* Stands in for CUPTI and for the driver (it is linked as libcupti.so and as libcuda.so.1):
 * launches of two kernels whose times are those in FAKE_TIMES, in ns and separated by spaces, are
 * recorded when they are flushed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/cupti.h"

#define MOST 64

static kg__cupti_give *give;
static kg__cupti_take *take;
static int enabled;

int cuptiActivityRegisterCallbacks(kg__cupti_give *new_give, kg__cupti_take *new_take)
{
    give = new_give;
    take = new_take;
    return 0;
}

int cuptiActivityEnable(int kind)
{
    enabled = kind == KG__CUPTI_KERNEL;
    return getenv("FAKE_REFUSED") != NULL ? 35 : 0;
}

/* The records of a buffer lie one after the other. */
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, kg__cupti_kernel **record)
{
    kg__cupti_kernel *next = *record == NULL ? (kg__cupti_kernel *)(void *)buffer : *record + 1;

    if ((size_t)((uint8_t *)(next + 1) - buffer) > valid)
        return 12;
    *record = next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context;
    (void)stream;
    *count = 0;
    return 0;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    const char *rest = getenv("FAKE_TIMES");
    uint8_t *buffer;
    size_t size;
    size_t most;
    size_t count = 0;

    (void)flag;
    give(&buffer, &size, &most);
    for (char *end = NULL; enabled && rest != NULL && count < MOST; rest = end) {
        const kg__cupti_kernel record = {
            .kind = KG__CUPTI_KERNEL,
            .start = 1000,
            .end = 1000 + strtoull(rest, &end, 10),
            .grid = { 4, 2, 1 },
            .block = { 64, 1, 1 },
            .name = count % 2 == 0 ? "_Z3sumPKfi" : "_ZN2ns5twiceIfLi256EEEvPT_",
        };

        if (end == rest)
            break;
        memcpy(buffer + count++ * sizeof record, &record, sizeof record);
    }
    take(NULL, 0, buffer, size, count * sizeof(kg__cupti_kernel));
    return 0;
}

int cuDeviceGet(int *device, int number)
{
    *device = number;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "NVIDIA Fake");
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)81920 << 20;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 16 ? 132 : attribute == 75 ? 9 : 0;
    return 0;
}

int cuDeviceGetUuid(unsigned char bytes[16], int device)
{
    (void)device;
    memset(bytes, 0xab, 16);
    return 0;
}
