// out = softmax(Q K^T / sqrt(128)) V on the tensor cores by mma.sync, of tiles that asynchronous
// copies fetch while the one before is multiplied.
#include "mma.cuh"

KG_LAUNCHER(attention_bf16_mma)
{
    return start_mma<rules>(call);
}

// SPDX-License-Identifier: MIT
