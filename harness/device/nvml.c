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

/* A process that computes on a GPU. The second version of the call added the instances of a GPU
 * in MIG mode. */
typedef struct process_v1 {
    unsigned pid;
    unsigned long long memory;
} process_v1;

typedef struct process_v2 {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance;
    unsigned compute_instance;
} process_v2;

struct kg__nvml {
    void *library;
    /* Required functions. */
    int (*init)(void);
    int (*by_uuid)(const char *, device_handle *);
    /* Each of these may be missing from an older driver. */
    const char *(*error_string)(int);
    int (*driver_version)(char *, unsigned);
    int (*temperature)(device_handle, int, unsigned *);
    int (*clock)(device_handle, int, unsigned *);
    int (*max_clock)(device_handle, int, unsigned *);
    int (*event_reasons)(device_handle, unsigned long long *);
    int (*throttle_reasons)(device_handle, unsigned long long *);
    int (*power_limit)(device_handle, unsigned *);
    int (*ecc)(device_handle, int *, int *);
    int (*processes_v3)(device_handle, unsigned *, void *);
    int (*processes_v2)(device_handle, unsigned *, void *);
    int (*processes_v1)(device_handle, unsigned *, void *);
};

/* POSIX allows calling a data pointer of dlsym() as a function; copying its bytes avoids a cast
 * that ISO C forbids. */
static bool find_symbol(void *library, const char *symbol, void *function, size_t size)
{
    void *address = dlsym(library, symbol);

    memcpy(function, &address, size);
    return address != NULL;
}

#define FIND(nvml, member, symbol)                                                                 \
    find_symbol((nvml)->library, symbol, &(nvml)->member, sizeof(nvml)->member)

static const char *find_symbols(kg__nvml *nvml)
{
    if (!FIND(nvml, init, "nvmlInit_v2"))
        return "nvmlInit_v2";
    if (!FIND(nvml, by_uuid, "nvmlDeviceGetHandleByUUID"))
        return "nvmlDeviceGetHandleByUUID";
    FIND(nvml, error_string, "nvmlErrorString");
    FIND(nvml, driver_version, "nvmlSystemGetDriverVersion");
    FIND(nvml, temperature, "nvmlDeviceGetTemperature");
    FIND(nvml, clock, "nvmlDeviceGetClockInfo");
    FIND(nvml, max_clock, "nvmlDeviceGetMaxClockInfo");
    FIND(nvml, event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    FIND(nvml, throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    FIND(nvml, power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    FIND(nvml, ecc, "nvmlDeviceGetEccMode");
    FIND(nvml, processes_v3, "nvmlDeviceGetComputeRunningProcesses_v3");
    FIND(nvml, processes_v2, "nvmlDeviceGetComputeRunningProcesses_v2");
    FIND(nvml, processes_v1, "nvmlDeviceGetComputeRunningProcesses");
    return NULL;
}

static const char *error_text(const kg__nvml *nvml, int code)
{
    const char *text = nvml->error_string != NULL ? nvml->error_string(code) : NULL;

    return text != NULL ? text : "no reason given";
}

static kg__nvml_status start_library(kg__nvml *nvml, const char *library, kg__error *why)
{
    const char *missing = find_symbols(nvml);
    int code;

    if (missing != NULL) {
        kg__fail(
            why,
            "%s: has no function %s: it is not NVML, or of a driver that is too old; install a "
            "newer NVIDIA driver",
            library, missing);
        return KG__NVML_BROKEN;
    }
    code = nvml->init();
    if (code == SUCCESS)
        return KG__NVML_READY;
    if (code == DRIVER_NOT_LOADED) {
        kg__fail(
            why,
            "the NVIDIA driver is installed but not loaded (NVML: %s): load it, or restart the "
            "machine",
            error_text(nvml, code));
        return KG__NVML_ABSENT;
    }
    kg__fail(why, "a call of the NVIDIA driver failed (NVML error %d: %s): %s", code,
             error_text(nvml, code),
             code == LIBRARY_MISMATCH
                 ? "library and kernel module differ, as after an update: restart the machine"
                 : "see `nvidia-smi` and the kernel's log");
    return KG__NVML_BROKEN;
}

kg__nvml_status kg__nvml_open(kg__nvml **nvml, kg__error *why)
{
    const char *named = getenv("KG_NVML_LIBRARY");
    const char *library = named != NULL && *named != '\0' ? named : KG__NVML_LIBRARY;
    kg__nvml *loaded = kg__allocate(1, sizeof *loaded);
    kg__nvml_status status = KG__NVML_ABSENT;

    *nvml = NULL;
    loaded->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (loaded->library == NULL) {
        kg__fail(why, "no NVIDIA driver here (%s): install one if this machine has an NVIDIA GPU",
                 dlerror());
        free(loaded);
        return status;
    }
    status = start_library(loaded, library, why);
    if (status == KG__NVML_READY) {
        *nvml = loaded;
        return status;
    }
    dlclose(loaded->library);
    free(loaded);
    return status;
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

/* Lists the processes by one version of the call, whose entries are `stride` bytes and begin
 * with the process id; false if the version does not answer. */
static bool query_processes(int (*query)(device_handle, unsigned *, void *), device_handle device,
                            size_t stride, kg__nvml_processes *processes)
{
    unsigned count = KG__NVML_PROCESSES;
    unsigned char *entries;
    int code;

    processes->count = -1;
    if (query == NULL)
        return false;
    entries = kg__allocate(KG__NVML_PROCESSES, stride);
    code = query(device, &count, entries);
    if (code == INSUFFICIENT_SIZE)
        count = KG__NVML_PROCESSES;
    if ((code == SUCCESS || code == INSUFFICIENT_SIZE) && count <= KG__NVML_PROCESSES) {
        processes->count = (int)count;
        for (unsigned i = 0; i < count; i++)
            memcpy(&processes->pids[i], entries + i * stride, sizeof processes->pids[i]);
    }
    free(entries);
    return processes->count >= 0;
}

static bool list_processes(const kg__nvml *nvml, device_handle device,
                           kg__nvml_processes *processes)
{
    return query_processes(nvml->processes_v3, device, sizeof(process_v2), processes) ||
           query_processes(nvml->processes_v2, device, sizeof(process_v2), processes) ||
           query_processes(nvml->processes_v1, device, sizeof(process_v1), processes);
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
    device_handle device = NULL;

    processes->count = -1;
    return nvml->by_uuid(uuid, &device) == SUCCESS && list_processes(nvml, device, processes);
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
