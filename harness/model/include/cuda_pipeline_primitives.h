/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cuda_pipeline_primitives.h. */
#pragma once

#include "cuda_runtime.h"

#define KG__PIPELINE __attribute__((always_inline, unused)) static inline

KG__PIPELINE void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0)
{
    if ((size != 4 && size != 8 && size != 16) || zeros > size)
        kg__model_trap(cudaErrorLaunchFailure,
                       "__pipeline_memcpy_async(): the size is not 4, 8 or 16 bytes, or there are "
                       "more zeros than that");
    kg__model_copy_async(to, from, size, zeros, nullptr);
}

KG__PIPELINE void __pipeline_commit()
{
    kg__model_commit_copies();
}

KG__PIPELINE void __pipeline_wait_prior(size_t newest)
{
    kg__model_wait_for_copies(static_cast<unsigned int>(newest));
}

#undef KG__PIPELINE
