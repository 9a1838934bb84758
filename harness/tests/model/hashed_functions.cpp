/* Formats of 4, 6 and 8 bits, and complex numbers: what CUDA's host functions give for all inputs
 * of 16 bits, as a hash. nvcc -x cu compiles this too, and made the hashes that half_values.c has.
 */
#include <cuComplex.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <stdint.h>
#include <string.h>

namespace
{

struct hash {
    uint64_t value = 14695981039346656037u;
    template <typename Value>
    void operator+=(const Value &added)
    {
        unsigned char bytes[sizeof added];

        memcpy(bytes, &added, sizeof added);
        for (unsigned char byte : bytes)
            value = (value ^ byte) * 1099511628211u;
    }
};

template <typename Value>
Value from_bits(int bits)
{
    const unsigned short all = static_cast<unsigned short>(bits);
    Value value;

    memcpy(&value, &all, sizeof value);
    return value;
}

template <typename One, typename Two, typename Four>
uint64_t types()
{
    hash h;

    for (int i = 0; i < 65536; i++) {
        const float f = __bfloat162float(from_bits<__nv_bfloat16>(i));
        const Two two(make_float2(f, -f));
        One one;

        h += One(from_bits<__half>(i)).__x;
        h += One(from_bits<__nv_bfloat16>(i)).__x;
        h += One(f * 1.0009765625f).__x;
        h += One(static_cast<double>(f) * 1e-9).__x;
        h += One(i - 32768).__x;
        h += Four(make_float4(f, 1.5f, -f, f)).__x;
        h += static_cast<__half2>(two);
        one.__x = static_cast<unsigned char>(i);
        h += static_cast<float>(one);
        h += static_cast<int>(one);
        h += static_cast<unsigned char>(one);
    }
    return h.value;
}

uint64_t functions()
{
    hash h;

    for (int i = 0; i < 2 * 65536; i++) {
        const cudaRoundMode rounding = i & 1 ? cudaRoundZero : cudaRoundNearest;
        const cudaRoundMode scaling = i & 1 ? cudaRoundZero : cudaRoundPosInf;
        const __nv_saturation_t saturation = i & 2 ? __NV_NOSAT : __NV_SATFINITE;
        const float f = __bfloat162float(from_bits<__nv_bfloat16>(i >> 1));

        h += __nv_cvt_float_to_fp4(f, __NV_E2M1, rounding);
        h += __nv_cvt_double2_to_fp4x2(make_double2(0.7 * f, f), __NV_E2M1, rounding);
        h += __nv_cvt_halfraw_to_fp6(from_bits<__half_raw>(i >> 1), __NV_E3M2, rounding);
        h += __nv_cvt_float2_to_fp6x2(make_float2(f, 1.25f * f), __NV_E2M3, rounding);
        h += __nv_cvt_float_to_e8m0(f, saturation, scaling);
        h += __nv_cvt_double_to_e8m0(3.0 * f, saturation, scaling);
        h += __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(i)).x;
        h += __nv_cvt_fp4x2_to_halfraw2(static_cast<__nv_fp4x2_storage_t>(i), __NV_E2M1).y;
    }
    return h.value;
}

/* NaN has many bits. */
float sure(float x)
{
    return x == x ? x : 0.0f;
}

uint64_t complex()
{
    hash h;

    for (int i = 0; i < 65536; i++) {
        const cuComplex a = make_cuComplex(__bfloat162float(from_bits<__nv_bfloat16>(i)), 1.5f);
        const cuComplex b =
            make_cuFloatComplex(-2.25f, __bfloat162float(from_bits<__nv_bfloat16>(i * 257)));
        const cuComplex all[] = { cuCaddf(a, b), cuCsubf(a, b),    cuCmulf(a, b),
                                  cuCdivf(a, b), cuCfmaf(a, b, b), cuConjf(a) };
        const cuDoubleComplex c = cuComplexFloatToDouble(a), d = cuComplexFloatToDouble(b);

        for (const cuComplex &one : all) {
            h += sure(cuCrealf(one));
            h += sure(cuCimagf(one));
        }
        h += sure(cuCabsf(a));
        h += sure(cuComplexDoubleToFloat(cuCdiv(cuCmul(c, d), cuCadd(d, cuConj(c)))).x);
        h += sure(static_cast<float>(cuCabs(cuCfma(c, d, cuCsub(c, d)))));
    }
    return h.value;
}

uint64_t mrg()
{
    hash h;

    for (unsigned long long seed : { 0ull, 12345ull, ~0ull }) {
        curandStateMRG32k3a_t state;

        curand_init(seed, seed >> 20, 1ull << 33, &state);
        for (int i = 0; i < 50; i++) {
            h += curand(&state);
            h += curand_uniform(&state);
            h += curand_uniform_double(&state);
            h += curand_poisson(&state, 3.0 + i);
            skipahead(static_cast<unsigned long long>(i), &state);
        }
        skipahead_subsequence(seed + 1, &state);
        skipahead_sequence(77, &state);
        h += curand(&state);
    }
    return h.value;
}

template <typename State>
void add(hash &h, State state)
{
    for (int i = 0; i < 100; i++) {
        h += curand(&state);
        h += curand_uniform(&state);
        h += curand_uniform_double(&state);
        h += curand_poisson(&state, 9.0 * i);
    }
}

uint64_t sobol()
{
    curandDirectionVectors32_t some;
    curandDirectionVectors64_t more;
    curandStateSobol32_t one;
    curandStateScrambledSobol32_t two;
    curandStateSobol64_t three;
    curandStateScrambledSobol64_t four;
    hash h;

    for (int i = 0; i < 64; i++) {
        some[i % 32] = 1u << (31 - i % 32) | static_cast<unsigned int>(i * 77);
        more[i] = 1ull << (63 - i) | static_cast<unsigned int>(i * 77);
    }
    curand_init(some, 0xfffffff0u, &one);
    curand_init(some, 99u, 1000u, &two);
    curand_init(more, 1ull << 40, &three);
    curand_init(more, 99ull, 7ull, &four);
    add(h, one);
    add(h, two);
    add(h, three);
    add(h, four);
    return h.value;
}

} // namespace

extern "C" uint64_t hash_of_functions(int which)
{
    switch (which) {
    case 0:
        return types<__nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1>();
    case 1:
        return types<__nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3>();
    case 2:
        return types<__nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2>();
    case 3:
        return types<__nv_fp8_e8m0, __nv_fp8x2_e8m0, __nv_fp8x4_e8m0>();
    case 4:
        return functions();
    case 5:
        return complex();
    case 6:
        return mrg();
    default:
        return sobol();
    }
}

// SPDX-License-Identifier: MIT
