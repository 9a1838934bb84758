/* SPDX-License-Identifier: MIT */
/* cuRAND's host library. Its generators XORWOW, MRG32k3a, Philox4_32_10 and Sobol give the numbers
 * of cuRAND 10.4, as held against its own host generators: words and uniform numbers bit for bit,
 * normal ones within 2e-6. Each result is of one of a fixed number of subsequences, which take
 * turns. Poisson numbers and the Mersenne twisters' are others of the same distribution. */
#pragma once

#include <algorithm>
#include <memory>
#include <random>

#include "curand.h"
#include "curand_kernel.h"
#include "kg_model_library.h"

namespace kg__model
{

enum kind { WORDS, LONG_WORDS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, POISSON };

/* What gives numbers of a kind, `count` of them to `to`. */
class source
{
  public:
    virtual ~source() = default;
    virtual curandStatus_t give(kind kind, void *to, size_t count, double lambda) = 0;
};

namespace
{

template <typename State>
struct sequences;
template <>
struct sequences<curandStateXORWOW_t> {
    static constexpr unsigned int count = 4096, at_a_time = 1;
    static void next(curandStateXORWOW_t *state)
    {
        skipahead_sequence(1, state);
    }
};
template <>
struct sequences<curandStateMRG32k3a_t> {
    static constexpr unsigned int count = 81920, at_a_time = 1;
    static void next(curandStateMRG32k3a_t *state)
    {
        skipahead_subsequence(1, state);
    }
};
template <>
struct sequences<curandStatePhilox4_32_10_t> {
    static constexpr unsigned int count = 65536, at_a_time = 4;
    static void next(curandStatePhilox4_32_10_t *state)
    {
        skipahead_sequence(1, state);
    }
};

/* In (0, 1], of 53 bits. */
template <typename State>
KG__OF_HOST double uniform_double(State *state)
{
    const unsigned int x = curand(state);

    return _curand_uniform_double_hq(x, curand(state));
}
KG__OF_HOST double uniform_double(curandStateMRG32k3a_t *state)
{
    return curand_uniform_double(state);
}

/* Subsequences in turns. Normal numbers are made in twos. */
template <typename State>
class turns final : public source
{
    using of = sequences<State>;

  public:
    turns(unsigned long long seed, unsigned long long offset)
        : offset_(offset), turn_(offset / of::at_a_time % of::count), taken_(offset % of::at_a_time)
    {
        curand_init(seed, 0, 0, &fresh_);
    }
    curandStatus_t give(kind kind, void *to, size_t count, double lambda) override
    {
        const bool in_twos = kind == NORMAL || kind == NORMAL_DOUBLE;

        if (in_twos && of::at_a_time == 1 && count % 2 != 0)
            return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
        if (kind == LONG_WORDS)
            return CURAND_STATUS_TYPE_ERROR;
        for (size_t i = 0; i < count; i++) {
            one(kind, &running(), to, i, lambda);
            if (++taken_ >= std::max(of::at_a_time, in_twos ? 2u : 1u)) {
                taken_ = 0;
                turn_ = (turn_ + 1) % of::count;
            }
        }
        return CURAND_STATUS_SUCCESS;
    }

  private:
    unsigned long long offset_;
    unsigned int turn_, taken_;
    std::vector<State> states_;
    State fresh_; /* of the subsequence after those */

    State &running()
    {
        while (states_.size() <= turn_) {
            const unsigned long long round = of::count * of::at_a_time;
            const unsigned long long first = states_.size() * of::at_a_time;
            const unsigned long long left = offset_ % round;
            State state = fresh_;

            skipahead(
                offset_ / round * of::at_a_time +
                    (left > first ? std::min<unsigned long long>(left - first, of::at_a_time) : 0),
                &state);
            states_.push_back(state);
            of::next(&fresh_);
        }
        return states_[turn_];
    }
    KG__OF_HOST static void one(kind kind, State *state, void *to, size_t i, double lambda)
    {
        switch (kind) {
        case UNIFORM:
            static_cast<float *>(to)[i] = curand_uniform(state);
            break;
        case UNIFORM_DOUBLE:
            static_cast<double *>(to)[i] = uniform_double(state);
            break;
        case NORMAL:
            static_cast<float *>(to)[i] = curand_normal(state);
            break;
        case NORMAL_DOUBLE:
            static_cast<double *>(to)[i] = curand_normal_double(state);
            break;
        case POISSON:
            static_cast<unsigned int *>(to)[i] = curand_poisson(state, lambda);
            break;
        default:
            static_cast<unsigned int *>(to)[i] = curand(state);
        }
    }
};

/* A Mersenne twister: not cuRAND's sequence. */
class twister final : public source
{
  public:
    twister(unsigned long long seed, unsigned long long offset)
        : engine_(static_cast<unsigned int>(seed ^ seed >> 32))
    {
        engine_.discard(offset);
    }
    curandStatus_t give(kind kind, void *to, size_t count, double lambda) override
    {
        std::normal_distribution<double> normal;
        std::poisson_distribution<unsigned int> poisson(lambda);

        if (kind == LONG_WORDS)
            return CURAND_STATUS_TYPE_ERROR;
        for (size_t i = 0; i < count; i++) {
            if (kind == UNIFORM)
                static_cast<float *>(to)[i] = _curand_uniform(engine_());
            else if (kind == UNIFORM_DOUBLE)
                static_cast<double *>(to)[i] = (engine_() + 0.5) * 0x1p-32;
            else if (kind == NORMAL)
                static_cast<float *>(to)[i] = static_cast<float>(normal(engine_));
            else if (kind == NORMAL_DOUBLE)
                static_cast<double *>(to)[i] = normal(engine_);
            else
                static_cast<unsigned int *>(to)[i] = kind == POISSON ? poisson(engine_) : engine_();
        }
        return CURAND_STATUS_SUCCESS;
    }

  private:
    std::mt19937 engine_;
};

/* Joe's and Kuo's dimensions from the second: the degree and the coefficients of a polynomial, and
 * the first direction numbers. */
constexpr unsigned char polynomials[][9] = {
    { 1, 0, 1 },
    { 2, 1, 1, 3 },
    { 3, 1, 1, 3, 1 },
    { 3, 2, 1, 1, 1 },
    { 4, 1, 1, 1, 3, 3 },
    { 4, 4, 1, 3, 5, 13 },
    { 5, 2, 1, 1, 5, 5, 17 },
    { 5, 4, 1, 1, 5, 5, 5 },
    { 5, 7, 1, 1, 7, 11, 19 },
    { 5, 11, 1, 1, 5, 1, 1 },
    { 5, 13, 1, 1, 1, 3, 11 },
    { 5, 14, 1, 3, 5, 5, 31 },
    { 6, 1, 1, 3, 3, 9, 7, 49 },
    { 6, 13, 1, 1, 1, 15, 21, 21 },
    { 6, 16, 1, 3, 1, 13, 27, 49 },
    { 6, 19, 1, 1, 1, 15, 7, 5 },
    { 6, 22, 1, 3, 1, 15, 13, 25 },
    { 6, 25, 1, 1, 5, 5, 19, 61 },
    { 7, 1, 1, 3, 7, 11, 23, 15, 103 },
    { 7, 4, 1, 3, 7, 13, 13, 15, 69 },
};
constexpr unsigned int dimensions_known = sizeof polynomials / sizeof polynomials[0] + 1;

template <typename Word>
void direct(unsigned int dimension, Word *vectors)
{
    const unsigned int bits = 8 * sizeof(Word);

    for (unsigned int k = 0; k < bits; k++) {
        const unsigned char *const p = dimension == 0 ? nullptr : polynomials[dimension - 1];

        if (p == nullptr || k < p[0]) {
            vectors[k] = Word(p == nullptr ? 1 : p[2 + k]) << (bits - 1 - k);
            continue;
        }
        vectors[k] = vectors[k - p[0]] ^ vectors[k - p[0]] >> p[0];
        for (unsigned int j = 1; j < p[0]; j++) {
            if ((p[1] >> (p[0] - 1 - j) & 1) != 0)
                vectors[k] ^= vectors[k - j];
        }
    }
}

/* The dimensions one after the other. Normal numbers have the other sign than the device's. */
template <typename State, typename Word>
class sobol final : public source
{
  public:
    sobol(unsigned int dimensions, unsigned long long offset) : states_(dimensions)
    {
        for (unsigned int i = 0; i < dimensions; i++) {
            Word vectors[8 * sizeof(Word)];

            direct(i, vectors);
            curand_init(vectors, static_cast<Word>(offset), &states_[i]);
        }
    }
    curandStatus_t give(kind kind, void *to, size_t count, double lambda) override
    {
        if (count % states_.size() != 0)
            return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
        if ((kind == WORDS && sizeof(Word) == 8) || (kind == LONG_WORDS && sizeof(Word) == 4))
            return CURAND_STATUS_TYPE_ERROR;
        for (size_t i = 0; i < count; i++) {
            State *const state = &states_[i / (count / states_.size())];

            if (kind == UNIFORM)
                static_cast<float *>(to)[i] = curand_uniform(state);
            else if (kind == UNIFORM_DOUBLE)
                static_cast<double *>(to)[i] = curand_uniform_double(state);
            else if (kind == NORMAL)
                static_cast<float *>(to)[i] = -curand_normal(state);
            else if (kind == NORMAL_DOUBLE)
                static_cast<double *>(to)[i] = -curand_normal_double(state);
            else if (kind == POISSON)
                static_cast<unsigned int *>(to)[i] = curand_poisson(state, lambda);
            else
                static_cast<Word *>(to)[i] = curand(state);
        }
        return CURAND_STATUS_SUCCESS;
    }

  private:
    std::vector<State> states_;
};

/* Copies numbers of the host to the device. */
struct deliver {
    template <typename Element>
    __device__ void operator()(Element *to, const Element *from, size_t count) const
    {
        for (size_t i = 0; i < count; i++) {
            Element value;

            kg__model_move(&value, from + i, sizeof value);
            to[i] = value;
        }
    }
};

} // namespace
} // namespace kg__model

struct curandGenerator_st {
    curandRngType_t type;
    bool of_host;
    unsigned long long seed, offset;
    unsigned int dimensions;
    cudaStream_t stream;
    std::unique_ptr<kg__model::source> source;

    bool is_quasi() const
    {
        return type >= CURAND_RNG_QUASI_DEFAULT;
    }
    void begin()
    {
        using namespace kg__model;

        if (type == CURAND_RNG_PSEUDO_MRG32K3A)
            source.reset(new turns<curandStateMRG32k3a_t>(seed, offset));
        else if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
            source.reset(new turns<curandStatePhilox4_32_10_t>(seed, offset));
        else if (type == CURAND_RNG_PSEUDO_MTGP32 || type == CURAND_RNG_PSEUDO_MT19937)
            source.reset(new twister(seed, offset));
        else if (!is_quasi())
            source.reset(new turns<curandStateXORWOW_t>(seed, offset));
        else if (type == CURAND_RNG_QUASI_SOBOL64)
            source.reset(new sobol<curandStateSobol64_t, unsigned long long>(dimensions, offset));
        else
            source.reset(new sobol<curandStateSobol32_t, unsigned int>(dimensions, offset));
    }
    /* Gives numbers that `change` has yet to change. */
    template <typename Element, typename Change>
    curandStatus_t give(void (*name)(), kg__model::kind kind, Element *to, size_t count,
                        double lambda, Change change)
    {
        std::vector<Element> numbers(of_host ? 0 : count);
        Element *const at = of_host ? to : numbers.data();
        kg__model_kept<void> none;

        if (source == nullptr)
            begin();
        const curandStatus_t status = source->give(kind, at, count, lambda);
        if (status != CURAND_STATUS_SUCCESS || count == 0)
            return status;
        for (size_t i = 0; i < count; i++)
            at[i] = change(at[i]);
        if (of_host)
            return CURAND_STATUS_SUCCESS;
        return kg__model_run_alone<kg__model::deliver, void>(name, stream, none, to, at, count) ==
                       cudaSuccess
                   ? CURAND_STATUS_SUCCESS
                   : CURAND_STATUS_LAUNCH_FAILURE;
    }
};

/* Makes a generator of the host or of the device. */
static curandStatus_t kg__create(curandGenerator_t *generator, curandRngType_t type, bool of_host)
{
    if (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW &&
        type != CURAND_RNG_PSEUDO_MRG32K3A && type != CURAND_RNG_PSEUDO_MTGP32 &&
        type != CURAND_RNG_PSEUDO_MT19937 && type != CURAND_RNG_PSEUDO_PHILOX4_32_10 &&
        type != CURAND_RNG_QUASI_DEFAULT && type != CURAND_RNG_QUASI_SOBOL32 &&
        type != CURAND_RNG_QUASI_SOBOL64)
        return CURAND_STATUS_TYPE_ERROR;
    *generator = new curandGenerator_st{ type, of_host, 0, 0, 1, nullptr, nullptr };
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return kg__create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return kg__create(generator, type, true);
}
curandStatus_t curandGetVersion(int *version)
{
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

#define KG__CURAND(generator)                                                                      \
    if ((generator) == nullptr)                                                                    \
    return CURAND_STATUS_NOT_INITIALIZED
curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    KG__CURAND(generator);
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    KG__CURAND(generator);
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    KG__CURAND(generator);
    if (generator->is_quasi())
        return CURAND_STATUS_TYPE_ERROR;
    generator->seed = seed;
    generator->source.reset();
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    KG__CURAND(generator);
    generator->offset = offset;
    generator->source.reset();
    return CURAND_STATUS_SUCCESS;
}
/* All orders are the default one. */
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    KG__CURAND(generator);
    return generator->is_quasi() == (order == CURAND_ORDERING_QUASI_DEFAULT)
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int dimensions)
{
    KG__CURAND(generator);
    if (!generator->is_quasi())
        return CURAND_STATUS_TYPE_ERROR;
    if (dimensions == 0 || dimensions > kg__model::dimensions_known)
        return CURAND_STATUS_OUT_OF_RANGE;
    generator->dimensions = dimensions;
    generator->source.reset();
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    KG__CURAND(generator);
    return CURAND_STATUS_SUCCESS;
}

#define KG__CURAND_GIVE(name, kind, Element, parameters, lambda, change)                           \
    curandStatus_t name parameters                                                                 \
    {                                                                                              \
        KG__CURAND(generator);                                                                     \
        return generator->give(reinterpret_cast<void (*)()>(name), kg__model::kind, output, count, \
                               lambda, [=](Element x) { return change; });                         \
    }
KG__CURAND_GIVE(curandGenerate, WORDS, unsigned int,
                (curandGenerator_t generator, unsigned int *output, size_t count), 0, x)
KG__CURAND_GIVE(curandGenerateLongLong, LONG_WORDS, unsigned long long,
                (curandGenerator_t generator, unsigned long long *output, size_t count), 0, x)
KG__CURAND_GIVE(curandGenerateUniform, UNIFORM, float,
                (curandGenerator_t generator, float *output, size_t count), 0, x)
KG__CURAND_GIVE(curandGenerateUniformDouble, UNIFORM_DOUBLE, double,
                (curandGenerator_t generator, double *output, size_t count), 0, x)
KG__CURAND_GIVE(curandGenerateNormal, NORMAL, float,
                (curandGenerator_t generator, float *output, size_t count, float mean,
                 float deviation),
                0, mean + deviation * x)
KG__CURAND_GIVE(curandGenerateNormalDouble, NORMAL_DOUBLE, double,
                (curandGenerator_t generator, double *output, size_t count, double mean,
                 double deviation),
                0, mean + deviation * x)
KG__CURAND_GIVE(curandGenerateLogNormal, NORMAL, float,
                (curandGenerator_t generator, float *output, size_t count, float mean,
                 float deviation),
                0, expf(mean + deviation * x))
KG__CURAND_GIVE(curandGenerateLogNormalDouble, NORMAL_DOUBLE, double,
                (curandGenerator_t generator, double *output, size_t count, double mean,
                 double deviation),
                0, exp(mean + deviation * x))
KG__CURAND_GIVE(curandGeneratePoisson, POISSON, unsigned int,
                (curandGenerator_t generator, unsigned int *output, size_t count, double lambda),
                lambda, x)
#undef KG__CURAND_GIVE

#define KG__CURAND_VECTORS(bits, Word)                                                             \
    curandStatus_t curandGetDirectionVectors##bits(curandDirectionVectors##bits##_t *vectors[],    \
                                                   curandDirectionVectorSet_t set)                 \
    {                                                                                              \
        static Word known[kg__model::dimensions_known][bits];                                      \
                                                                                                   \
        if (set != CURAND_DIRECTION_VECTORS_##bits##_JOEKUO6)                                      \
            return CURAND_STATUS_OUT_OF_RANGE;                                                     \
        for (unsigned int i = 0; i < kg__model::dimensions_known; i++)                             \
            kg__model::direct(i, known[i]);                                                        \
        *vectors = known;                                                                          \
        return CURAND_STATUS_SUCCESS;                                                              \
    }
KG__CURAND_VECTORS(32, unsigned int)
KG__CURAND_VECTORS(64, unsigned long long)
#undef KG__CURAND_VECTORS
#undef KG__CURAND
