#include "device.h"

bool kg__cuda_fail(kg__error *why, const char *what, cudaError_t code)
{
    return kg__fail(why, "%s: %s, %s", what, cudaGetErrorName(code), cudaGetErrorString(code));
}

bool kg__device_is_lost(void)
{
    (void)cudaGetLastError();
    return cudaDeviceSynchronize() != cudaSuccess;
}
