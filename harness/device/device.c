/* SPDX-License-Identifier: MIT */
#include "device/device.h"
#include "suite/argument_type.h"

#ifndef KG__TARGET_GPU
#include "model/model.h"
#endif

bool kg__succeeded(cudaError_t code, const char *what, kg__error *why)
{
#ifdef KG__TARGET_GPU
    const char *words = "";
#else
    const char *words = kg__model_failure();
#endif
    const char *fault;

    if (code == cudaSuccess)
        return true;
    fault = kg__take_argument_fault();
    if (fault != NULL)
        return kg__fail(why, "%s: %s", what, fault);

    return kg__fail(why, "%s: %s, %s%s%s", what, cudaGetErrorName(code), cudaGetErrorString(code),
                    *words != '\0' ? ": " : "", words);
}

kg__kernel_launch *kg__kernel_launches_add(kg__kernel_launches *launches)
{
    kg__kernel_launch *added = KG__ADD(launches->list, launches->count, launches->capacity);

    *added = (kg__kernel_launch){ .code = kg__kernel_code_unknown };
    return added;
}

bool kg__device_is_lost(void)
{
    (void)cudaGetLastError();
    return cudaDeviceSynchronize() != cudaSuccess;
}
