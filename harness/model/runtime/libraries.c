/* SPDX-License-Identifier: MIT */
/* cuBLAS and cuRAND where they are only declared, next to kernels: cuBLAS's handles can be made,
 * and what computes is refused. Programs of `kernelgate nvcc` link the libraries themselves instead
 * (harness/programs/). */
#include "model/include/cublas_v2.h"
#include "model/include/curand.h"

cudaError_t kg__model_refuse(const char *library, const char *call);

/* Each call is an alias of a function without parameters. */
#pragma GCC diagnostic ignored "-Wattribute-alias"

#define ACCEPT(name, parameters) extern __typeof__(name) name __attribute__((alias("accept")));
#define REFUSE_OF(library, type, status, name)                                                     \
    static __attribute__((used)) type refuse_##name(void)                                          \
    {                                                                                              \
        (void)kg__model_refuse(library, #name);                                                    \
        return status;                                                                             \
    }                                                                                              \
    extern __typeof__(name) name __attribute__((alias("refuse_" #name)));
#define REFUSE(name, parameters)                                                                   \
    REFUSE_OF("cuBLAS", cublasStatus_t, CUBLAS_STATUS_NOT_SUPPORTED, name)

static __attribute__((used)) cublasStatus_t accept(void)
{
    return CUBLAS_STATUS_SUCCESS;
}

#define REFUSE_CURAND(name) REFUSE_OF("cuRAND", curandStatus_t, CURAND_STATUS_NOT_INITIALIZED, name)
REFUSE_CURAND(curandCreateGenerator)
REFUSE_CURAND(curandCreateGeneratorHost)
REFUSE_CURAND(curandDestroyGenerator)
REFUSE_CURAND(curandSetStream)
REFUSE_CURAND(curandSetPseudoRandomGeneratorSeed)
REFUSE_CURAND(curandSetGeneratorOffset)
REFUSE_CURAND(curandSetGeneratorOrdering)
REFUSE_CURAND(curandGenerate)
REFUSE_CURAND(curandGenerateUniform)
REFUSE_CURAND(curandGenerateUniformDouble)
REFUSE_CURAND(curandGenerateNormal)
REFUSE_CURAND(curandGenerateNormalDouble)
REFUSE_CURAND(curandGenerateLogNormal)
REFUSE_CURAND(curandGenerateLogNormalDouble)
REFUSE_CURAND(curandGeneratePoisson)

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
