/* The CPU model as the device under test. */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "model/model.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

kg__device_status kg__device_open(json_t **description, kg__error *why)
{
    (void)why;
    *description = json_pack("{s:s, s:{s:s, s:s, s:s}, s:{s:s}}", "event", "target", "target",
                             "key", "cpu-model", "name", "CPU model", "compiler", COMPILER,
                             "provenance", "compiler", COMPILER);
    return KG__DEVICE_READY;
}

/* A model is its process's own: there is nothing to keep from others. */
bool kg__device_keep(bool alone, void (*waiting)(void *context, const char *line), void *context,
                     kg__error *error)
{
    (void)alone;
    (void)waiting;
    (void)context;
    (void)error;
    return true;
}

int kg__device_orders(void)
{
    return 2;
}

const char *kg__device_begin_order(int order)
{
    kg__model_set_order(order == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
    return order == 0 ? "" : ", threads in reversed order";
}
