/* cuBLAS where it is only declared, next to kernels: its handles can be made, and what computes is
 * refused. Programs of `kernelgate nvcc` link the library itself instead (harness/programs/). */
#include "model/include/cublas_v2.h"

#include <stddef.h>

cudaError_t kg__model_refuse(const char *library, const char *call);

/* Each call is an alias of a function without parameters. */
#pragma GCC diagnostic ignored "-Wattribute-alias"

#define ACCEPT(name, parameters) extern __typeof__(name) name __attribute__((alias("accept")));
#define REFUSE(name, parameters)                                                                   \
    static __attribute__((used)) cublasStatus_t refuse_##name(void)                                \
    {                                                                                              \
        (void)kg__model_refuse("cuBLAS", #name);                                                   \
        return CUBLAS_STATUS_NOT_SUPPORTED;                                                        \
    }                                                                                              \
    extern __typeof__(name) name __attribute__((alias("refuse_" #name)));

static __attribute__((used)) cublasStatus_t accept(void)
{
    return CUBLAS_STATUS_SUCCESS;
}

KG__CUBLAS_SETUP_CALLS(ACCEPT)
KG__CUBLAS_CALLS(REFUSE)

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    static char any;

    *handle = (cublasHandle_t)(void *)&any;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version)
{
    (void)handle;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
