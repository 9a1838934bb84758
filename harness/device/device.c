#include "device/device.h"

#ifndef KG__TARGET_GPU
#include "model/model.h"
#endif

bool kg__cuda_fail(kg__error *why, const char *what, cudaError_t code)
{
#ifdef KG__TARGET_GPU
    const char *words = "";
#else
    const char *words = kg__model_failure();
#endif

    return kg__fail(why, "%s: %s, %s%s%s", what, cudaGetErrorName(code), cudaGetErrorString(code),
                    *words != '\0' ? ": " : "", words);
}

bool kg__device_is_lost(void)
{
    (void)cudaGetLastError();
    return cudaDeviceSynchronize() != cudaSuccess;
}
