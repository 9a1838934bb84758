#include "device/nvml.h"

#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NVML's interface as its documentation describes it: results are small numbers, cards are
 * pointers. */
typedef struct nvml_device *card;

enum {
    SUCCESS = 0,
    NOT_SUPPORTED = 3,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    LIBRARY_MISMATCH = 18
};

/* What the calls below take for a temperature's sensor and a clock's domain. */
enum { SENSOR_GPU = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2 };

/* A process that computes on a card. The second version of the call added the instances of a split
 * card. */
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

typedef struct pci_info {
    char legacy_bus_id[16];
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned device_id;
    unsigned subsystem_id;
    char bus_id[32];
} pci_info;

struct kg__nvml {
    void *library;
    /* Without these nothing can be asked. */
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *);
    int (*by_index)(unsigned, card *);
    int (*by_uuid)(const char *, card *);
    int (*by_bus_id)(const char *, card *);
    /* Each of these may be missing from an older driver. */
    const char *(*error_string)(int);
    int (*driver_version)(char *, unsigned);
    int (*name)(card, char *, unsigned);
    int (*uuid)(card, char *, unsigned);
    int (*pci)(card, pci_info *);
    int (*temperature)(card, int, unsigned *);
    int (*clock)(card, int, unsigned *);
    int (*max_clock)(card, int, unsigned *);
    int (*event_reasons)(card, unsigned long long *);
    int (*throttle_reasons)(card, unsigned long long *);
    int (*power_limit)(card, unsigned *);
    int (*power_draw)(card, unsigned *);
    int (*ecc)(card, int *, int *);
    int (*mig)(card, unsigned *, unsigned *);
    int (*processes_v3)(card, unsigned *, void *);
    int (*processes_v2)(card, unsigned *, void *);
    int (*processes_v1)(card, unsigned *, void *);
};

/* POSIX lets a data pointer of dlsym() be called as a function; copying its bytes says so without a
 * cast that ISO C forbids. */
static bool find(void *library, const char *symbol, void *function, size_t size)
{
    void *address = dlsym(library, symbol);

    memcpy(function, &address, size);
    return address != NULL;
}

#define FIND(nvml, member, symbol)                                                                 \
    find((nvml)->library, symbol, &(nvml)->member, sizeof(nvml)->member)

static const char *find_all(kg__nvml *nvml)
{
    if (!FIND(nvml, init, "nvmlInit_v2"))
        return "nvmlInit_v2";
    if (!FIND(nvml, shutdown, "nvmlShutdown"))
        return "nvmlShutdown";
    if (!FIND(nvml, count, "nvmlDeviceGetCount_v2"))
        return "nvmlDeviceGetCount_v2";
    if (!FIND(nvml, by_index, "nvmlDeviceGetHandleByIndex_v2"))
        return "nvmlDeviceGetHandleByIndex_v2";
    if (!FIND(nvml, by_uuid, "nvmlDeviceGetHandleByUUID"))
        return "nvmlDeviceGetHandleByUUID";
    if (!FIND(nvml, by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2"))
        return "nvmlDeviceGetHandleByPciBusId_v2";
    FIND(nvml, error_string, "nvmlErrorString");
    FIND(nvml, driver_version, "nvmlSystemGetDriverVersion");
    FIND(nvml, name, "nvmlDeviceGetName");
    FIND(nvml, uuid, "nvmlDeviceGetUUID");
    FIND(nvml, pci, "nvmlDeviceGetPciInfo_v3");
    FIND(nvml, temperature, "nvmlDeviceGetTemperature");
    FIND(nvml, clock, "nvmlDeviceGetClockInfo");
    FIND(nvml, max_clock, "nvmlDeviceGetMaxClockInfo");
    FIND(nvml, event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    FIND(nvml, throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    FIND(nvml, power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    FIND(nvml, power_draw, "nvmlDeviceGetPowerUsage");
    FIND(nvml, ecc, "nvmlDeviceGetEccMode");
    FIND(nvml, mig, "nvmlDeviceGetMigMode");
    FIND(nvml, processes_v3, "nvmlDeviceGetComputeRunningProcesses_v3");
    FIND(nvml, processes_v2, "nvmlDeviceGetComputeRunningProcesses_v2");
    FIND(nvml, processes_v1, "nvmlDeviceGetComputeRunningProcesses");
    return NULL;
}

static const char *text_of(const kg__nvml *nvml, int code)
{
    const char *text = nvml->error_string != NULL ? nvml->error_string(code) : NULL;

    return text != NULL ? text : "it does not say why";
}

static kg__nvml_status start(kg__nvml *nvml, const char *library, kg__error *why)
{
    const char *missing = find_all(nvml);
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
            text_of(nvml, code));
        return KG__NVML_ABSENT;
    }
    kg__fail(why, "the NVIDIA driver does not answer (NVML error %d: %s): %s", code,
             text_of(nvml, code),
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
    status = start(loaded, library, why);
    if (status == KG__NVML_READY) {
        *nvml = loaded;
        return status;
    }
    dlclose(loaded->library);
    free(loaded);
    return status;
}

void kg__nvml_close(kg__nvml *nvml)
{
    if (nvml == NULL)
        return;
    (void)nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}

void kg__nvml_driver(const kg__nvml *nvml, char *text, size_t size)
{
    if (nvml->driver_version == NULL || nvml->driver_version(text, (unsigned)size) != SUCCESS)
        *text = '\0';
}

int kg__nvml_count(const kg__nvml *nvml)
{
    unsigned count = 0;

    return nvml->count(&count) == SUCCESS ? (int)count : -1;
}

static int find_card(const kg__nvml *nvml, const char *which, card *found)
{
    if (*which != '\0' && which[strspn(which, "0123456789")] == '\0')
        return nvml->by_index((unsigned)strtoul(which, NULL, 10), found);
    if (isalpha((unsigned char)*which) && strchr(which, ':') == NULL)
        return nvml->by_uuid(which, found);
    return nvml->by_bus_id(which, found);
}

/* A whole number from a call that takes the card alone or with a selector; -1 where the driver does
 * not tell. */
static int whole(int (*ask)(card, int, unsigned *), card of, int what)
{
    unsigned value = 0;

    return ask != NULL && ask(of, what, &value) == SUCCESS ? (int)value : -1;
}

static double watts(int (*ask)(card, unsigned *), card of)
{
    unsigned milliwatts = 0;

    return ask != NULL && ask(of, &milliwatts) == SUCCESS ? milliwatts / 1000.0 : (double)NAN;
}

static void ask_text(int (*ask)(card, char *, unsigned), card of, char *text, size_t size)
{
    if (ask == NULL || ask(of, text, (unsigned)size) != SUCCESS)
        *text = '\0';
}

/* Lists the processes by one version of the call, whose entries are `stride` bytes and begin with
 * the process id; false where the version does not answer. */
static bool list_by(int (*ask)(card, unsigned *, void *), card of, size_t stride,
                    kg__nvml_processes *all)
{
    unsigned count = KG__NVML_PROCESSES;
    unsigned char *entries;
    int code;

    all->count = -1;
    if (ask == NULL)
        return false;
    entries = kg__allocate(KG__NVML_PROCESSES, stride);
    code = ask(of, &count, entries);
    if (code == INSUFFICIENT_SIZE)
        count = KG__NVML_PROCESSES;
    if ((code == SUCCESS || code == INSUFFICIENT_SIZE) && count <= KG__NVML_PROCESSES) {
        all->count = (int)count;
        for (unsigned i = 0; i < count; i++)
            memcpy(&all->pids[i], entries + i * stride, sizeof all->pids[i]);
    }
    free(entries);
    return all->count >= 0;
}

static bool list_processes(const kg__nvml *nvml, card of, kg__nvml_processes *all)
{
    return list_by(nvml->processes_v3, of, sizeof(process_v2), all) ||
           list_by(nvml->processes_v2, of, sizeof(process_v2), all) ||
           list_by(nvml->processes_v1, of, sizeof(process_v1), all);
}

static bool is_listed(const kg__nvml_processes *all, unsigned pid)
{
    for (int i = 0; i < all->count; i++) {
        if (all->pids[i] == pid)
            return true;
    }
    return false;
}

bool kg__nvml_list(const kg__nvml *nvml, const char *which, kg__nvml_processes *all)
{
    card found = NULL;

    all->count = -1;
    return find_card(nvml, which, &found) == SUCCESS && list_processes(nvml, found, all);
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

int kg__nvml_foreign(const kg__nvml_processes *all, const kg__nvml_processes *own)
{
    int foreign = 0;
    const unsigned *first = NULL;

    if (all->count < 0 || own->count < 0)
        return -1;
    for (int i = 0; i < all->count; i++) {
        /* A split card lists a process once for each of its instances. */
        if (first == NULL && is_listed(own, all->pids[i]))
            first = &all->pids[i];
        foreign += first == NULL || all->pids[i] != *first;
    }
    return foreign;
}

/* Of a process without a context, as whoever diagnoses a machine is. */
static int foreign_processes(const kg__nvml *nvml, card of)
{
    kg__nvml_processes own = { .count = 1, .pids = { (unsigned)getpid() } };
    kg__nvml_processes all;

    return list_processes(nvml, of, &all) ? kg__nvml_foreign(&all, &own) : -1;
}

static void forget(kg__nvml_state *state)
{
    *state = (kg__nvml_state){ .temperature_c = -1,
                               .sm_clock_mhz = -1,
                               .memory_clock_mhz = -1,
                               .max_sm_clock_mhz = -1,
                               .power_limit_w = NAN,
                               .power_draw_w = NAN,
                               .ecc = -1,
                               .mig = -1,
                               .foreign_processes = -1 };
}

bool kg__nvml_gpu_state(const kg__nvml *nvml, const char *which, kg__nvml_state *state,
                        kg__error *error)
{
    unsigned long long reasons = 0;
    unsigned mig = 0;
    unsigned pending_mig = 0;
    int ecc = 0;
    int pending_ecc = 0;
    pci_info pci = { .bus_id = "" };
    card found = NULL;
    int code;

    forget(state);
    code = find_card(nvml, which, &found);
    if (code != SUCCESS)
        return kg__fail(error,
                        "GPU %s: the NVIDIA driver does not find it (NVML error %d: %s): see "
                        "`nvidia-smi -L`",
                        which, code, text_of(nvml, code));

    ask_text(nvml->name, found, state->name, sizeof state->name);
    ask_text(nvml->uuid, found, state->uuid, sizeof state->uuid);
    if (nvml->pci != NULL && nvml->pci(found, &pci) == SUCCESS)
        kg__format(state->bus_id, sizeof state->bus_id, "%s", pci.bus_id);
    state->temperature_c = whole(nvml->temperature, found, SENSOR_GPU);
    state->sm_clock_mhz = whole(nvml->clock, found, CLOCK_SM);
    state->memory_clock_mhz = whole(nvml->clock, found, CLOCK_MEMORY);
    state->max_sm_clock_mhz = whole(nvml->max_clock, found, CLOCK_SM);
    state->reasons_known =
        (nvml->event_reasons != NULL && nvml->event_reasons(found, &reasons) == SUCCESS) ||
        (nvml->throttle_reasons != NULL && nvml->throttle_reasons(found, &reasons) == SUCCESS);
    state->reasons = state->reasons_known ? reasons : 0;
    state->power_limit_w = watts(nvml->power_limit, found);
    state->power_draw_w = watts(nvml->power_draw, found);
    if (nvml->ecc != NULL && nvml->ecc(found, &ecc, &pending_ecc) == SUCCESS)
        state->ecc = ecc != 0;
    /* A card that cannot be split answers "not supported", which is as good as off. */
    if (nvml->mig != NULL) {
        code = nvml->mig(found, &mig, &pending_mig);
        if (code == SUCCESS || code == NOT_SUPPORTED)
            state->mig = code == SUCCESS && mig != 0;
    }
    state->foreign_processes = foreign_processes(nvml, found);
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

bool kg__nvml_text_throttles(const char *reasons)
{
    for (size_t i = 0; i < REASONS; i++)
        if (reason_table[i].throttles && strstr(reasons, reason_table[i].name) != NULL)
            return true;
    return false;
}

const char *kg__nvml_next_reason(uint64_t *reasons)
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

void kg__nvml_reasons_text(uint64_t reasons, bool throttling_only, char *text, size_t size)
{
    const char *name;
    size_t used = 0;

    kg__format(text, size, "none");
    for (uint64_t left = reasons, before = left; (name = kg__nvml_next_reason(&left)) != NULL;
         before = left) {
        if (throttling_only && !kg__nvml_throttles(before & ~left))
            continue;
        kg__format(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        used += strlen(text + used);
    }
}
