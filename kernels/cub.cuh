// What variants by CUB share.
#ifndef CUB_CUH
#define CUB_CUH

#include <kernelgate/kernelgate.h>

// Runs an algorithm(temporary, bytes), which CUB first asks for how much it needs, in argument 2,
// of `most` bytes.
template <typename ALGORITHM>
static cudaError_t run_cub(const kg_call *call, size_t most, ALGORITHM algorithm)
{
    size_t bytes = 0;
    cudaError_t code = algorithm(nullptr, bytes);

    if (code == cudaSuccess && bytes > most)
        code = cudaErrorInvalidValue;
    return code != cudaSuccess ? code : algorithm((void *)KG_ARG(call, char, 2), bytes);
}

#endif

// SPDX-License-Identifier: MIT
