/* SPDX-License-Identifier: MIT */
/* A small NVML (and the two functions of libcuda that `kernelgate doctor` asks) that says what the
 * environment variable KG_FAKE_NVML tells it to: "throttle=0x48,temperature=71". A figure
 * given as "none" is not supported. */

/* Functions take what those take that they stand in for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, UNINITIALIZED = 1, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7 };

typedef struct fake_device fake_device;

static int started;

/* Copies the value of `key` to `value`; 0 where the environment does not give it. */
static int setting(const char *key, char *value, size_t size)
{
    const char *all = getenv("KG_FAKE_NVML");
    size_t length = strlen(key);

    for (const char *at = all; at != NULL && *at != '\0';
         at += strcspn(at, ","), at += *at == ',') {
        if (strncmp(at, key, length) == 0 && at[length] == '=') {
            snprintf(value, size, "%.*s", (int)strcspn(at + length + 1, ","), at + length + 1);
            return 1;
        }
    }
    return 0;
}

static int number(const char *key, unsigned long long otherwise, unsigned long long *value)
{
    char text[64];

    *value = otherwise;
    if (!setting(key, text, sizeof text))
        return SUCCESS;
    if (strcmp(text, "none") == 0)
        return NOT_SUPPORTED;
    *value = strtoull(text, NULL, 0);
    return SUCCESS;
}

static int small_number(const char *key, unsigned otherwise, unsigned *value)
{
    unsigned long long wide;
    int code = number(key, otherwise, &wide);

    *value = (unsigned)wide;
    return code;
}

static int text(const char *key, const char *otherwise, char *value, unsigned size)
{
    char given[96];

    if (!setting(key, given, sizeof given))
        snprintf(given, sizeof given, "%s", otherwise);
    if (strcmp(given, "none") == 0)
        return NOT_SUPPORTED;
    if (strlen(given) >= size)
        return TOO_SMALL;
    snprintf(value, size, "%s", given);
    return SUCCESS;
}

int nvmlInit_v2(void)
{
    unsigned code;

    small_number("init", SUCCESS, &code);
    started += code == SUCCESS;
    return (int)code;
}

const char *nvmlErrorString(int code)
{
    return code == NOT_FOUND ? "Not Found" : code == 9 ? "Driver Not Loaded" : "Some Error";
}

int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
    return text("driver", "580.159.04", version, size);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, fake_device **device)
{
    *device = NULL;
    if (started == 0)
        return UNINITIALIZED;
    return strcmp(uuid, "GPU-fake-0") == 0 ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetTemperature(fake_device *device, int sensor, unsigned *value)
{
    return sensor == 0 ? small_number("temperature", 35, value) : NOT_SUPPORTED;
}

int nvmlDeviceGetClockInfo(fake_device *device, int domain, unsigned *value)
{
    return domain == 1 ? small_number("sm", 1980, value) : small_number("memory", 3201, value);
}

int nvmlDeviceGetMaxClockInfo(fake_device *device, int domain, unsigned *value)
{
    return small_number("max", 1980, value);
}

/* A function of a device that tells one figure. */
#define FIGURE(function, type, read, key, otherwise)                                               \
    int function(fake_device *device, type *value)                                                 \
    {                                                                                              \
        (void)device;                                                                              \
        return read(key, otherwise, value);                                                        \
    }

FIGURE(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, number, "throttle", 0)
FIGURE(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, number, "old_throttle", 0)
FIGURE(nvmlDeviceGetEnforcedPowerLimit, unsigned, small_number, "limit", 700000)

int nvmlDeviceGetEccMode(fake_device *device, unsigned *current, unsigned *pending)
{
    *pending = 0;
    return small_number("ecc", 1, current);
}

/* The ids of other processes begin here, beyond any that the system gives. */
#define FIRST_OTHER 10000000U

typedef struct fake_process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
} fake_process;

/* Lists `others` processes that are not this one, and this one too where `self` is set, by the id
 * `self_pid`, as in a container; nothing where `listed` is 0. */
int nvmlDeviceGetComputeRunningProcesses_v3(fake_device *device, unsigned *count,
                                            fake_process *entries)
{
    unsigned others;
    unsigned self;
    unsigned self_pid;
    unsigned listed;
    unsigned room = *count;

    small_number("listed", 1, &listed);
    if (listed == 0 || small_number("others", 0, &others) != SUCCESS)
        return NOT_SUPPORTED;
    small_number("self", 1, &self);
    small_number("self_pid", (unsigned)getpid(), &self_pid);
    *count = others + (self != 0);
    for (unsigned i = 0; i < *count && i < room; i++)
        entries[i].pid = i < others ? FIRST_OTHER + i : self_pid;
    return *count > room ? TOO_SMALL : SUCCESS;
}

int cuInit(unsigned flags)
{
    unsigned code;

    small_number("cuda_init", SUCCESS, &code);
    return (int)code;
}

int cuDriverGetVersion(int *version)
{
    unsigned value;
    int code = small_number("cuda", 13000, &value);

    *version = (int)value;
    return code;
}
