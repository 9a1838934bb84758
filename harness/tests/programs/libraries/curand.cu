/* cuRAND's host library. The numbers are those of cuRAND 10.4 with the same seed. */
#include <curand.h>

#include <cmath>
#include <vector>

#include "check.h"

#define RUN(call) CHECK((call) == CURAND_STATUS_SUCCESS)

struct row {
    curandRngType_t type;
    size_t stride; /* to the second number of a subsequence */
    unsigned int first, second, next;
    float normal[2];
};
static const row rows[] = {
    { CURAND_RNG_PSEUDO_DEFAULT,
      4096,
      624778773u,
      3522650202u,
      1867875844u,
      { .7809736f, -1.8015782f } },
    { CURAND_RNG_PSEUDO_MRG32K3A,
      81920,
      3379073520u,
      653317650u,
      2521876100u,
      { -.3606538f, -.5912813f } },
    { CURAND_RNG_PSEUDO_PHILOX4_32_10,
      262144,
      546353992u,
      3665621163u,
      2666454581u,
      { -1.6164905f, 1.2291554f } },
};

/* Makes a generator, and numbers of the device, by `give`. */
template <typename T, typename Give>
static std::vector<T> numbers(curandRngType_t type, bool of_host, size_t count, Give give)
{
    std::vector<T> here(count);
    curandGenerator_t generator;
    T *there = nullptr;

    if (of_host) {
        RUN(curandCreateGeneratorHost(&generator, type));
    } else {
        RUN(curandCreateGenerator(&generator, type));
    }
    if (type < CURAND_RNG_QUASI_DEFAULT)
        RUN(curandSetPseudoRandomGeneratorSeed(generator, 1234));
    CHECK(cudaMalloc(&there, count * sizeof(T)) == cudaSuccess);
    RUN(give(generator, of_host ? here.data() : there));
    if (!of_host)
        CHECK(cudaMemcpy(here.data(), there, count * sizeof(T), cudaMemcpyDeviceToHost) ==
              cudaSuccess);
    CHECK(cudaFree(there) == cudaSuccess);
    RUN(curandDestroyGenerator(generator));
    return here;
}

static void check_sequence(const row &row)
{
    const size_t count = row.stride + 2;
    const auto words = numbers<unsigned int>(
        row.type, true, count, [&](auto g, auto *to) { return curandGenerate(g, to, count); });
    const auto normal = numbers<float>(
        row.type, false, 2, [](auto g, auto *to) { return curandGenerateNormal(g, to, 2, 0, 1); });
    const auto later = numbers<unsigned int>(row.type, false, 2, [&](auto g, auto *to) {
        RUN(curandSetGeneratorOffset(g, row.stride));
        RUN(curandGenerate(g, to, 1));
        return curandGenerate(g, to + 1, 1);
    });

    CHECK(words[0] == row.first && words[1] == row.second && words[row.stride] == row.next);
    CHECK(later[0] == row.next && later[1] == words[row.stride + 1]);
    CHECK(std::fabs(normal[0] - row.normal[0]) < 1e-5f &&
          std::fabs(normal[1] - row.normal[1]) < 1e-5f);
}

static void check_distributions()
{
    const int n = 20000;

    for (const auto type : { CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_XORWOW }) {
        const auto counts = numbers<unsigned int>(
            type, true, n, [](auto g, auto *to) { return curandGeneratePoisson(g, to, n, 4); });
        const auto normal = numbers<double>(type, true, n, [](auto g, auto *to) {
            return curandGenerateNormalDouble(g, to, n, 3, 2);
        });
        double sum = 0, mean = 0, squares = 0;

        for (int i = 0; i < n; i++) {
            sum += counts[i];
            mean += normal[i] / n;
            squares += normal[i] * normal[i] / n;
        }
        CHECK(std::fabs(sum / n - 4) < 0.1 && std::fabs(mean - 3) < 0.1);
        CHECK(std::fabs(squares - mean * mean - 4) < 0.2);
    }
    const auto points = numbers<float>(CURAND_RNG_QUASI_SOBOL32, false, 8, [](auto g, auto *to) {
        RUN(curandSetQuasiRandomGeneratorDimensions(g, 2));
        CHECK(curandGenerateUniform(g, to, 7) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
        return curandGenerateUniform(g, to, 8);
    });
    CHECK(points[1] == 0.5f && points[2] == 0.75f && points[5] == 0.5f && points[6] == 0.25f);
}

int main()
{
    curandGenerator_t none;

    for (const row &row : rows)
        check_sequence(row);
    check_distributions();
    CHECK(curandCreateGenerator(&none, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32) ==
          CURAND_STATUS_TYPE_ERROR);
    return failures > 0;
}

// SPDX-License-Identifier: MIT
