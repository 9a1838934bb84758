// SPDX-License-Identifier: MIT
// PTX of mbarrier objects and of bulk copies, for kernels of tests.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

static __device__ __forceinline__ unsigned int at_shared(const void *pointer)
{
    return (unsigned int)__cvta_generic_to_shared(pointer);
}

static __device__ __forceinline__ void begin_mbarrier(uint64_t *word, unsigned int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n\t"
                 "fence.mbarrier_init.release.cluster;" ::"r"(at_shared(word)),
                 "r"(count)
                 : "memory");
}

static __device__ __forceinline__ void arrive(uint64_t *word)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at_shared(word))
                 : "memory");
}

static __device__ __forceinline__ void arrive_expecting(uint64_t *word, unsigned int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at_shared(word)),
                 "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ bool is_over(uint64_t *word, unsigned int parity)
{
    unsigned int done;

    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at_shared(word)), "r"(parity)
                 : "memory");
    return done != 0;
}

// As CUTLASS waits.
static __device__ __forceinline__ void wait_for(uint64_t *word, unsigned int parity)
{
    asm volatile("{\n"
                 ".reg .pred P1;\n"
                 "LAB_WAIT:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, 0x989680;\n"
                 "@P1 bra DONE;\n"
                 "bra LAB_WAIT;\n"
                 "DONE:\n"
                 "}" ::"r"(at_shared(word)),
                 "r"(parity)
                 : "memory");
}

static __device__ __forceinline__ void fence_proxy()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ __forceinline__ void load_bulk(void *to, const void *from, unsigned int bytes,
                                                 uint64_t *word)
{
    asm volatile("{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0; "
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1], %2, [%3], policy; }" ::"r"(at_shared(to)),
                 "l"(from), "r"(bytes), "r"(at_shared(word))
                 : "memory");
}

static __device__ __forceinline__ void store_bulk(void *to, const void *from, unsigned int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(at_shared(from)), "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void commit_bulk()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

static __device__ __forceinline__ void wait_for_reads()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
