/* SPDX-License-Identifier: MIT */
#include "program.h"

#ifndef KG__MODEL_INCLUDE
#error "define KG__MODEL_INCLUDE as the absolute path of the folder with the model's cuda_runtime.h"
#endif

#ifndef KG__KERNEL_INCLUDE
#error "define KG__KERNEL_INCLUDE as the absolute path of the folder with kernelgate/kernelgate.h"
#endif

#ifndef KG__MODEL_FLAGS
#define KG__MODEL_FLAGS ""
#endif

const char kg__kernel_headers[] = KG__KERNEL_INCLUDE;
const char kg__model_compiler[] = KG__MODEL_COMPILER;
const char kg__model_flags[] = KG__MODEL_FLAGS;

/* Before any kernel. */
__attribute__((constructor)) static void set_headers(void)
{
    kg__model_headers = KG__MODEL_INCLUDE;
}
