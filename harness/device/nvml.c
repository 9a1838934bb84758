/* SPDX-License-Identifier: MIT */
#include "device/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NVML's interface as documented: results are small numbers, GPUs are pointers. */
typedef struct nvml_device *device_handle;

enum { SUCCESS = 0, INSUFFICIENT_SIZE = 7, DRIVER_NOT_LOADED = 9, LIBRARY_MISMATCH = 18 };

/* NVML's constants for a temperature's sensor and a clock's domain. */
enum { SENSOR_GPU = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2 };

/* A process that computes on a GPU. */
typedef struct process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance;
    unsigned compute_instance;
} process;

/* NVML's functions: result, member, symbol and parameters. All but the first two may be missing
 * from an older driver. */
#define FUNCTIONS(F)                                                                               \
    F(int, init, "nvmlInit_v2", (void))                                                            \
    F(int, by_uuid, "nvmlDeviceGetHandleByUUID", (const char *, device_handle *))                  \
    F(const char *, error_string, "nvmlErrorString", (int))                                        \
    F(int, driver_version, "nvmlSystemGetDriverVersion", (char *, unsigned))                       \
    F(int, temperature, "nvmlDeviceGetTemperature", (device_handle, int, unsigned *))              \
    F(int, clock, "nvmlDeviceGetClockInfo", (device_handle, int, unsigned *))                      \
    F(int, max_clock, "nvmlDeviceGetMaxClockInfo", (device_handle, int, unsigned *))               \
    F(int, event_reasons, "nvmlDeviceGetCurrentClocksEventReasons", REASONS_OF)                    \
    F(int, throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", REASONS_OF)              \
    F(int, power_limit, "nvmlDeviceGetEnforcedPowerLimit", (device_handle, unsigned *))            \
    F(int, ecc, "nvmlDeviceGetEccMode", (device_handle, int *, int *))                             \
    F(int, processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                   \
      (device_handle, unsigned *, process *))
#define REASONS_OF (device_handle, unsigned long long *)

struct kg__nvml {
    void *library;
#define MEMBER(result, name, symbol, parameters) result(*name) parameters;
    FUNCTIONS(MEMBER)
};

/* POSIX allows calling a data pointer of dlsym() as a function; copying its bytes avoids a cast
 * that ISO C forbids. */
static void find_symbol(void *library, const char *symbol, void *function)
{
    void *address = dlsym(library, symbol);

    memcpy(function, &address, sizeof address);
}

/* Returns the name of a required function that is missing, or NULL. */
static const char *find_symbols(kg__nvml *nvml)
{
#define FIND(result, name, symbol, parameters) find_symbol(nvml->library, symbol, &nvml->name);
    FUNCTIONS(FIND)
    if (nvml->init == NULL)
        return "nvmlInit_v2";
    return nvml->by_uuid == NULL ? "nvmlDeviceGetHandleByUUID" : NULL;
}

static const char *error_text(const kg__nvml *nvml, int code)
{
    const char *text = nvml->error_string != NULL ? nvml->error_string(code) : NULL;

    return text != NULL ? text : "no reason given";
}

static bool start_library(kg__nvml *nvml, const char *library, kg__error *why)
{
    const char *missing = find_symbols(nvml);
    int code;

    if (missing != NULL)
        return kg__fail(
            why,
            "%s: has no function %s: it is not NVML, or of a driver that is too old; install a "
            "newer NVIDIA driver",
            library, missing);
    code = nvml->init();
    if (code == DRIVER_NOT_LOADED)
        return kg__fail(
            why,
            "the NVIDIA driver is installed but not loaded (NVML: %s): load it, or restart the "
            "machine",
            error_text(nvml, code));
    return code == SUCCESS ||
           kg__fail(why, "a call of the NVIDIA driver failed (NVML error %d: %s): %s", code,
                    error_text(nvml, code),
                    code == LIBRARY_MISMATCH
                        ? "library and kernel module differ, as after an update: restart the "
                          "machine"
                        : "see `nvidia-smi` and the kernel's log");
}

kg__nvml *kg__nvml_open(kg__error *why)
{
    const char *named = getenv("KG_NVML_LIBRARY");
    const char *library = named != NULL && *named != '\0' ? named : KG__NVML_LIBRARY;
    kg__nvml *nvml = kg__allocate(1, sizeof *nvml);

    nvml->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (nvml->library == NULL)
        kg__fail(why, "no NVIDIA driver here (%s): install one if this machine has an NVIDIA GPU",
                 dlerror());
    else if (start_library(nvml, library, why))
        return nvml;
    else
        dlclose(nvml->library);
    free(nvml);
    return NULL;
}

void kg__nvml_driver(const kg__nvml *nvml, char *text, size_t size)
{
    if (nvml->driver_version == NULL || nvml->driver_version(text, (unsigned)size) != SUCCESS)
        *text = '\0';
}

/* Returns a whole number from a call that takes the GPU, with or without a selector; -1 if the
 * driver does not report it. */
static int query_integer(int (*query)(device_handle, int, unsigned *), device_handle device,
                         int what)
{
    unsigned value = 0;

    return query != NULL && query(device, what, &value) == SUCCESS ? (int)value : -1;
}

static bool is_listed(const kg__nvml_processes *processes, unsigned pid)
{
    for (int i = 0; i < processes->count; i++) {
        if (processes->pids[i] == pid)
            return true;
    }
    return false;
}

bool kg__nvml_list(const kg__nvml *nvml, const char *uuid, kg__nvml_processes *processes)
{
    process entries[KG__NVML_PROCESSES];
    unsigned count = KG__NVML_PROCESSES;
    device_handle device = NULL;
    int code;

    processes->count = -1;
    if (nvml->processes == NULL || nvml->by_uuid(uuid, &device) != SUCCESS)
        return false;
    code = nvml->processes(device, &count, entries);
    if (code != SUCCESS && code != INSUFFICIENT_SIZE)
        return false;
    processes->count = count < KG__NVML_PROCESSES ? (int)count : KG__NVML_PROCESSES;
    for (int i = 0; i < processes->count; i++)
        processes->pids[i] = entries[i].pid;
    return true;
}

void kg__nvml_find_own(const kg__nvml_processes *before, const kg__nvml_processes *after,
                       kg__nvml_processes *own)
{
    unsigned pid = (unsigned)getpid();

    own->count = before->count >= 0 && after->count >= 0 ? 0 : -1;
    if (own->count < 0)
        return;
    if (is_listed(after, pid) && !is_listed(before, pid)) {
        own->pids[own->count++] = pid;
        return;
    }
    for (int i = 0; i < after->count; i++) {
        if (!is_listed(before, after->pids[i]))
            own->pids[own->count++] = after->pids[i];
    }
}

int kg__nvml_foreign(const kg__nvml_processes *processes, const kg__nvml_processes *own)
{
    int foreign = 0;
    const unsigned *first = NULL;

    if (processes->count < 0 || own->count < 0)
        return -1;
    for (int i = 0; i < processes->count; i++) {
        /* A GPU in MIG mode lists a process once for each of its instances. */
        if (first == NULL && is_listed(own, processes->pids[i]))
            first = &processes->pids[i];
        foreign += first == NULL || processes->pids[i] != *first;
    }
    return foreign;
}

bool kg__nvml_gpu_state(const kg__nvml *nvml, const char *uuid, kg__nvml_state *state,
                        kg__error *error)
{
    unsigned long long reasons = 0;
    unsigned milliwatts = 0;
    int ecc = 0;
    int pending_ecc = 0;
    device_handle device = NULL;
    int code = nvml->by_uuid(uuid, &device);

    *state = (kg__nvml_state){ .temperature_c = -1,
                               .sm_clock_mhz = -1,
                               .memory_clock_mhz = -1,
                               .max_sm_clock_mhz = -1,
                               .power_limit_w = NAN,
                               .ecc = -1 };
    if (code != SUCCESS)
        return kg__fail(error,
                        "GPU %s: the NVIDIA driver does not find it (NVML error %d: %s): see "
                        "`nvidia-smi -L`",
                        uuid, code, error_text(nvml, code));
    state->temperature_c = query_integer(nvml->temperature, device, SENSOR_GPU);
    state->sm_clock_mhz = query_integer(nvml->clock, device, CLOCK_SM);
    state->memory_clock_mhz = query_integer(nvml->clock, device, CLOCK_MEMORY);
    state->max_sm_clock_mhz = query_integer(nvml->max_clock, device, CLOCK_SM);
    state->reasons_known =
        (nvml->event_reasons != NULL && nvml->event_reasons(device, &reasons) == SUCCESS) ||
        (nvml->throttle_reasons != NULL && nvml->throttle_reasons(device, &reasons) == SUCCESS);
    state->reasons = state->reasons_known ? reasons : 0;
    if (nvml->power_limit != NULL && nvml->power_limit(device, &milliwatts) == SUCCESS)
        state->power_limit_w = milliwatts / 1000.0;
    if (nvml->ecc != NULL && nvml->ecc(device, &ecc, &pending_ecc) == SUCCESS)
        state->ecc = ecc != 0;
    return true;
}

/* The reasons by their bits, as NVML documents them. */
static const struct {
    uint64_t bit;
    bool throttles;
    const char *name;
} reason_table[] = {
    { 0x001, false, "idle" },
    { 0x002, false, "clocks set for applications" },
    { 0x004, true, "software power cap" },
    { 0x008, true, "hardware slowdown" },
    { 0x010, false, "sync boost" },
    { 0x020, true, "software thermal slowdown" },
    { 0x040, true, "hardware thermal slowdown" },
    { 0x080, true, "hardware power brake" },
    { 0x100, false, "clocks set for the display" },
};

#define REASONS (sizeof reason_table / sizeof *reason_table)

bool kg__nvml_throttles(uint64_t reasons)
{
    for (size_t i = 0; i < REASONS; i++)
        if (reason_table[i].throttles && (reasons & reason_table[i].bit) != 0)
            return true;
    return false;
}

/* Removes the lowest bit from the reasons and returns its name; NULL if none is left. */
static const char *next_reason(uint64_t *reasons)
{
    uint64_t lowest = *reasons & -*reasons;

    if (lowest == 0)
        return NULL;
    *reasons &= ~lowest;
    for (size_t i = 0; i < REASONS; i++)
        if (reason_table[i].bit == lowest)
            return reason_table[i].name;
    return "a reason that this version does not know";
}

void kg__nvml_reasons_text(uint64_t reasons, char *text, size_t size)
{
    const char *name;

    kg__format(text, size, "%s", reasons == 0 ? "none" : "");
    while ((name = next_reason(&reasons)) != NULL)
        kg__append(text, size, "%s%s", *text != '\0' ? ", " : "", name);
}
