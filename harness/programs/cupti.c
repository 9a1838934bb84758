/* SPDX-License-Identifier: MIT */
#include "programs/cupti.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Of enum CUdevice_attribute. */
enum { MULTIPROCESSORS = 16, MAJOR = 75, MINOR = 76 };

/* Finds a function; false with `error`. */
static bool find(void *library, const char *name, void *function, kg__error *error)
{
    void *found = dlsym(library, name);

    /* C has no conversion from an object's pointer to a function's. */
    memcpy(function, &found, sizeof found);
    return found != NULL || kg__fail(error,
                                     "CUPTI has no %s, so kernels are not timed: install the "
                                     "CUDA Toolkit's",
                                     name);
}

bool kg__cupti_load(kg__cupti *cupti, kg__error *error)
{
    const char *const names[] = { getenv("KG__CUPTI"), "libcupti.so.13", "libcupti.so.12",
                                  "libcupti.so" };
    void *library = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++) {
        if (names[i] != NULL)
            library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL)
        return kg__fail(error, "no CUPTI, so kernels are not timed: install the CUDA Toolkit's, or "
                               "put its libcupti.so on LD_LIBRARY_PATH");
    return find(library, "cuptiActivityRegisterCallbacks", &cupti->register_callbacks, error) &&
           find(library, "cuptiActivityEnable", &cupti->enable, error) &&
           find(library, "cuptiActivityFlushAll", &cupti->flush, error) &&
           find(library, "cuptiActivityGetNextRecord", &cupti->next_record, error) &&
           find(library, "cuptiActivityGetNumDroppedRecords", &cupti->dropped, error);
}

bool kg__cupti_begin(const kg__cupti *cupti, kg__cupti_give *give, kg__cupti_take *take,
                     kg__error *error)
{
    int code = cupti->register_callbacks(give, take);

    if (code == 0)
        code = cupti->enable(KG__CUPTI_KERNEL);
    return code == 0 || kg__fail(error,
                                 "CUPTI refuses to time kernels (error %d): let this user profile "
                                 "(NVreg_RestrictProfilingToAdminUsers=0), and end other profilers",
                                 code);
}

/* Calls cuDeviceGetAttribute(); -1 where it fails. */
static int attribute_of(void *driver, int attribute, int device)
{
    int (*get)(int *value, int attribute, int device);
    int value = -1;

    return find(driver, "cuDeviceGetAttribute", &get, NULL) && get(&value, attribute, device) == 0
               ? value
               : -1;
}

static void add_uuid(json_t *facts, void *driver, int device)
{
    int (*get)(unsigned char bytes[16], int device);
    unsigned char bytes[16];
    char text[48] = "GPU-";

    if (!find(driver, "cuDeviceGetUuid", &get, NULL) || get(bytes, device) != 0)
        return;
    for (int i = 0; i < 16; i++)
        kg__append(text, sizeof text, "%02x%s", bytes[i],
                   i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
    json_object_set_new(facts, "uuid", json_string(text));
}

json_t *kg__cupti_device(uint32_t number)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*get)(int *device, int number);
    int (*name_of)(char *name, int size, int device);
    int (*memory_of)(size_t * bytes, int device);
    json_t *facts = json_object();
    char name[256];
    char capability[16];
    size_t bytes;
    int device;

    if (driver == NULL || !find(driver, "cuDeviceGet", &get, NULL) ||
        get(&device, (int)number) != 0)
        return facts;
    if (find(driver, "cuDeviceGetName", &name_of, NULL) &&
        name_of(name, (int)sizeof name, device) == 0)
        json_object_set_new(facts, "name", json_string(name));
    if (find(driver, "cuDeviceTotalMem_v2", &memory_of, NULL) && memory_of(&bytes, device) == 0)
        json_object_set_new(facts, "memory_mib", json_integer((json_int_t)(bytes >> 20)));
    kg__format(capability, sizeof capability, "%d.%d", attribute_of(driver, MAJOR, device),
               attribute_of(driver, MINOR, device));
    json_object_set_new(facts, "compute_capability", json_string(capability));
    json_object_set_new(facts, "multiprocessors",
                        json_integer(attribute_of(driver, MULTIPROCESSORS, device)));
    add_uuid(facts, driver, device);
    return facts;
}
