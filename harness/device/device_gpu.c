/* SPDX-License-Identifier: MIT */
/* A real GPU as the device under test. */
#include "device/device_gpu.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/gpu_lock.h"
#include "base/json.h"
#include "device/compare_memory.h"
#include "device/device.h"
#include "device/gpu_slot.h"
#include "device/nvml.h"
#include "device/sentinels.h"
#include "suite/target.h"

static kg__gpu_spec opened;

const kg__gpu_spec *kg__device_gpu(void)
{
    return &opened;
}

/* Returns the driver's library, loaded at the first call and kept; NULL if it is missing. */
static kg__nvml *load_nvml(kg__error *why)
{
    static kg__nvml *nvml;
    static kg__error missing;
    static bool tried;

    if (!tried)
        nvml = kg__nvml_open(&missing);
    tried = true;
    *why = missing;
    return nvml;
}

/* The driver's ids of this process, known once it holds the GPU alone. */
static kg__nvml_processes own_processes = { .count = -1 };

/* Lists the processes that compute on the GPU; the count is -1 if the driver does not report
 * them. */
static void list_processes(kg__nvml_processes *processes)
{
    kg__error why;
    const kg__nvml *nvml = load_nvml(&why);

    processes->count = -1;
    if (nvml != NULL)
        (void)kg__nvml_list(nvml, opened.uuid, processes);
}

bool kg__device_keep(bool alone, void (*waiting)(void *context, const char *line), void *context,
                     kg__error *error)
{
    kg__nvml_processes before;
    kg__nvml_processes after;
    cudaError_t code;

    if (kg__gpu_lock_take(opened.uuid, alone ? KG__GPU_LOCK_EXCLUSIVE : KG__GPU_LOCK_SHARED,
                          waiting, context, error) < 0)
        return false;
    /* Every process that computes before this one has made its context is another process,
     * whatever ids the driver uses. */
    if (alone)
        list_processes(&before);
    /* Making the context disturbs a process that times, so it waits for the lock. */
    code = cudaSetDevice(0);
    KG__THEN(code, cudaFree(NULL));
    if (alone) {
        list_processes(&after);
        kg__nvml_find_own(&before, &after, &own_processes);
    }
    return kg__succeeded(code, "opening the GPU (see nvidia-smi and kernelgate doctor)", error);
}

kg__limits kg__device_limits(void)
{
    return opened.limits;
}

static bool quiet;

void kg__device_keep_quiet(void)
{
    quiet = true;
}

bool kg__device_compares(void)
{
    return !quiet;
}

cudaError_t kg__device_compare(const void *a, const void *b, size_t bytes, size_t *first)
{
    static unsigned long long *answer;
    unsigned long long found = bytes;
    cudaError_t code = cudaSuccess;

    if (answer == NULL)
        code = cudaMalloc((void **)&answer, sizeof *answer);
    KG__THEN(code, cudaMemcpy(answer, &found, sizeof found, cudaMemcpyHostToDevice));
    KG__THEN(code, kg__launch_compare(a, b, bytes, answer, opened.limits.multiprocessors));
    KG__THEN(code, cudaMemcpy(&found, answer, sizeof found, cudaMemcpyDeviceToHost));
    *first = found;
    return code;
}

/* Launches to compare: the first has the GPU to itself. If blocks add up in order of arrival,
 * three more among another kernel's blocks hardly ever arrive in the same order. */
#define REPEATS 4

int kg__device_orders(bool repeatable)
{
    return repeatable ? REPEATS : 1;
}

/* The next call gets other work next to it. */
static bool accompanied;

const char *kg__device_begin_order(int order)
{
    accompanied = order > 0 && !quiet;
    return order > 0 ? ", launched again" : "";
}

const char *kg__device_order_words(int order)
{
    return order == 0 ? "in one launch" : "in another";
}

/* Starts work that occupies parts of the multiprocessors for about 0.3 ms. If that fails, for
 * example without memory, the launch is still repeated. */
static void start_company(void)
{
    static cudaStream_t stream;
    static float *out;
    const size_t blocks =
        (size_t)opened.limits.multiprocessors * KG__FMA_SENTINEL_BLOCKS_PER_MULTIPROCESSOR;

    if (stream == NULL &&
        (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
         cudaMalloc((void **)&out, blocks * sizeof *out) != cudaSuccess))
        out = NULL;
    if (stream != NULL && out != NULL)
        (void)kg__launch_fma_sentinel(out, opened.limits.multiprocessors, stream);
    (void)cudaGetLastError();
}

cudaStream_t kg__device_begin_call(void)
{
    if (accompanied)
        start_company();
    return NULL;
}

/* Returns whether there is a driver: its library, with the CUDA version that it supports (1000 x
 * major + 10 x minor; 0 if unknown), or at least its kernel module. */
static bool find_driver(int *version)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    int (*get_version)(int *) = NULL;
    void *address;

    *version = 0;
    if (library == NULL)
        return access("/proc/driver/nvidia/version", F_OK) == 0;
    address = dlsym(library, "cuDriverGetVersion");
    memcpy(&get_version, &address, sizeof get_version);
    if (get_version == NULL || get_version(version) != 0)
        *version = 0;
    dlclose(library);
    return true;
}

/* Explains why no device can be counted, from cudaGetDeviceCount()'s error. */
static kg__device_status explain_no_device(cudaError_t code, kg__error *why)
{
    int driver;
    int toolkit = 0;

    (void)cudaGetLastError();
    (void)cudaRuntimeGetVersion(&toolkit);
    if (!find_driver(&driver)) {
        kg__fail(
            why,
            "no GPU: there is no NVIDIA driver on this machine: the CPU model gates without one");
        return KG__DEVICE_ABSENT;
    }
    if (code == cudaErrorNoDevice) {
        kg__fail(why, "no GPU: the driver sees none (check CUDA_VISIBLE_DEVICES)");
        return KG__DEVICE_ABSENT;
    }
    if (driver > 0 && driver < toolkit)
        kg__fail(
            why,
            "the driver supports CUDA %d.%d, older than the toolkit %d.%d of this build: update "
            "the driver, or build with an older toolkit",
            driver / 1000, driver % 1000 / 10, toolkit / 1000, toolkit % 1000 / 10);
    else
        kg__fail(why,
                 "the NVIDIA driver does not work: %s, %s: see nvidia-smi and kernelgate doctor",
                 cudaGetErrorName(code), cudaGetErrorString(code));
    return KG__DEVICE_BROKEN;
}

static void format_uuid(const struct cudaDeviceProp *properties, char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)properties->uuid.bytes;

    kg__format(text, size, "%s", kg__gpu_slot_is_instance(properties->name) ? "MIG-" : "GPU-");
    for (int i = 0; i < 16; i++)
        kg__append(text, size, "%02x%s", bytes[i], i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
}

/* Returns a GPU's target, with a key from its name. The baseline's memory_mib distinguishes
 * boards that share a name and differ in memory. */
static kg__target describe_target(const struct cudaDeviceProp *properties)
{
    kg__target target = { .memory_mib = (int64_t)(properties->totalGlobalMem >> 20),
                          .multiprocessors = properties->multiProcessorCount };

    kg__target_key(properties->name, target.key, sizeof target.key);
    kg__format(target.name, sizeof target.name, "%s", properties->name);
    kg__format(target.compute_capability, sizeof target.compute_capability, "%d.%d",
               properties->major, properties->minor);
    return target;
}

static void describe_driver(json_t *facts)
{
    kg__nvml_state state;
    kg__error why;
    const kg__nvml *nvml = load_nvml(&why);
    char text[64];

    if (nvml == NULL) {
        json_object_set_new(facts, "nvml", json_string(why.text));
        return;
    }
    kg__nvml_driver(nvml, text, sizeof text);
    json_object_set_new(facts, "driver", json_string(text));
    if (!kg__nvml_gpu_state(nvml, opened.uuid, &state, &why))
        return;
    if (state.power_limit_w > 0)
        kg__json_set_finite(facts, "power_limit_w", state.power_limit_w);
    if (state.max_sm_clock_mhz > 0)
        json_object_set_new(facts, "max_sm_clock_mhz", json_integer(state.max_sm_clock_mhz));
    if (state.ecc >= 0)
        json_object_set_new(facts, "ecc", json_boolean(state.ecc != 0));
}

static json_t *describe_provenance(const struct cudaDeviceProp *properties)
{
    json_t *facts = json_object();
    char text[64];
    int toolkit = 0;
    time_t seconds = time(NULL);
    struct tm utc;

    (void)cudaRuntimeGetVersion(&toolkit);
    kg__format(text, sizeof text, "%d.%d", toolkit / 1000, toolkit % 1000 / 10);
    json_object_set_new(facts, "cuda", json_string(text));
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    json_object_set_new(facts, "date", json_string(text));
    json_object_set_new(facts, "uuid", json_string(opened.uuid));
    kg__format(text, sizeof text, "%04x:%02x:%02x.0", (unsigned)properties->pciDomainID,
               (unsigned)properties->pciBusID, (unsigned)properties->pciDeviceID);
    json_object_set_new(facts, "bus_id", json_string(text));
    describe_driver(facts);
    return facts;
}

/* Counts the devices that CUDA shows. */
static kg__device_status count_devices(int *count, kg__error *why)
{
    cudaError_t code;

    *count = 0;
    code = cudaGetDeviceCount(count);
    if (code != cudaSuccess || *count == 0)
        return explain_no_device(code != cudaSuccess ? code : cudaErrorNoDevice, why);
    return KG__DEVICE_READY;
}

static kg__device_status read_properties(struct cudaDeviceProp *properties, int device,
                                         kg__error *why)
{
    cudaError_t code = cudaGetDeviceProperties(properties, device);

    return kg__succeeded(code, "opening the GPU (see nvidia-smi and kernelgate doctor)", why)
               ? KG__DEVICE_READY
               : KG__DEVICE_BROKEN;
}

kg__device_status kg__device_boards(kg__boards *boards, kg__error *why)
{
    int count;
    kg__device_status status = count_devices(&count, why);

    for (int i = 0; i < count && status == KG__DEVICE_READY; i++) {
        struct cudaDeviceProp properties;
        char uuid[sizeof opened.uuid];

        status = read_properties(&properties, i, why);
        if (status != KG__DEVICE_READY)
            break;
        format_uuid(&properties, uuid, sizeof uuid);
        kg__boards_add(boards, uuid, properties.name);
    }
    return status;
}

kg__device_status kg__device_open(kg__device_description *description, kg__error *why)
{
    struct cudaDeviceProp properties;
    char slot_uuid[KG__GPU_UUID_SIZE];
    kg__device_status status;
    int count;

    *description = (kg__device_description){ .target = { .key = "" } };
    if (!kg__gpu_slot_take(slot_uuid, why))
        return KG__DEVICE_BROKEN;
    status = count_devices(&count, why);
    if (status == KG__DEVICE_READY)
        status = read_properties(&properties, 0, why);
    /* CTest found this board before, so its absence now is an error, not a skip. */
    if (status == KG__DEVICE_ABSENT && slot_uuid[0] != '\0') {
        kg__gpu_slot_gone(slot_uuid, why);
        return KG__DEVICE_BROKEN;
    }
    if (status != KG__DEVICE_READY)
        return status;
    opened.limits = (kg__limits){ properties.multiProcessorCount, properties.maxThreadsPerBlock,
                                  properties.maxThreadsPerMultiProcessor };
    opened.moves_managed = properties.concurrentManagedAccess != 0;
    opened.l2_bytes = properties.l2CacheSize > 0 ? (size_t)properties.l2CacheSize : 0;
    format_uuid(&properties, opened.uuid, sizeof opened.uuid);
    if (slot_uuid[0] != '\0' && strcmp(slot_uuid, opened.uuid) != 0) {
        kg__gpu_slot_gone(slot_uuid, why);
        return KG__DEVICE_BROKEN;
    }
    *description =
        (kg__device_description){ describe_target(&properties), describe_provenance(&properties) };
    kg__format(opened.compute_capability, sizeof opened.compute_capability, "%s",
               description->target.compute_capability);
    return KG__DEVICE_READY;
}

kg__gpu_state kg__device_state(bool *throttled)
{
    kg__gpu_state state = kg__gpu_state_unknown;
    kg__nvml_processes processes = { .count = -1 };
    kg__nvml_state gpu;
    kg__error why;
    const kg__nvml *nvml = load_nvml(&why);

    if (nvml == NULL || !kg__nvml_gpu_state(nvml, opened.uuid, &gpu, &why))
        return state;
    state.temperature_c = gpu.temperature_c;
    state.sm_clock_mhz = gpu.sm_clock_mhz;
    state.memory_clock_mhz = gpu.memory_clock_mhz;
    list_processes(&processes);
    state.foreign_processes = kg__nvml_foreign(&processes, &own_processes);
    if (gpu.reasons_known) {
        kg__nvml_reasons_text(gpu.reasons, state.clock_reasons, sizeof state.clock_reasons);
        *throttled = *throttled || kg__nvml_throttles(gpu.reasons);
    }
    return state;
}

/* Moves managed memory to the opened GPU or to the host, in the order of `stream`. */
static cudaError_t move_managed(void *data, size_t bytes, bool to_device, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    struct cudaMemLocation location = { .type = to_device ? cudaMemLocationTypeDevice
                                                          : cudaMemLocationTypeHost,
                                        .id = 0 };

    return cudaMemPrefetchAsync(data, bytes, location, 0, stream);
#else
    return cudaMemPrefetchAsync(data, bytes, to_device ? 0 : cudaCpuDeviceId, stream);
#endif
}

bool kg__device_move(const kg__buffers *buffers, bool to_device, cudaStream_t stream,
                     kg__error *why)
{
    cudaError_t code = cudaSuccess;

    /* Other devices move all of it at a launch, and only an access by the host moves it back. */
    if (!opened.moves_managed && to_device)
        return true;
    for (int i = 0; i < buffers->arguments.count && code == cudaSuccess; i++) {
        if (buffers->memory[i] == KG_MANAGED && buffers->bytes[i] > 0)
            code = move_managed(buffers->data[i], buffers->bytes[i], to_device, stream);
    }
    return kg__succeeded(code, "moving managed memory", why);
}
