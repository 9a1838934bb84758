/* SPDX-License-Identifier: MIT */
#include "suite/element_type.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/message.h"

void kg__element_show_double(char *text, size_t size, double value, int digits)
{
    if (isnan(value))
        kg__format(text, size, "NaN");
    else
        kg__format(text, size, "%.*g", digits, value);
}

/* Returns whether one element is right. Equal infinities are right although their difference is
 * NaN. NaN is right if NaN is expected. With an infinite tolerance a finite expected value is
 * not compared. */
static bool is_right(double got, double expected, double tolerance)
{
    return fabs(got - expected) <= tolerance || got == expected ||
           (isnan(expected) && isnan(got)) || (isinf(tolerance) && isfinite(expected));
}

/* Returns whether 64-bit integers at this distance are within the tolerance. */
static bool is_near(uint64_t distance, double tolerance)
{
    return distance == 0 ||
           (tolerance >= 1 && (tolerance >= 0x1p64 || distance <= (uint64_t)tolerance));
}

/* Formats narrower than float, with `fraction` bits after the implicit one. */
typedef struct narrow {
    int fraction;
    int bias;
    unsigned sign;
    unsigned largest; /* the bits of the greatest finite number */
    bool saturates;
    bool has_infinity;
} narrow;

static const narrow float16 = { 10, 15, 0x8000, 0x7bff, false, true };
static const narrow bfloat16 = { 7, 127, 0x8000, 0x7f7f, false, true };
static const narrow e4m3 = { 3, 7, 0x80, 0x7e, true, false };
static const narrow e5m2 = { 2, 15, 0x80, 0x7b, true, true };

static inline double widen(const narrow *format, unsigned bits)
{
    unsigned magnitude = bits & (format->sign - 1);
    uint64_t wide =
        ((uint64_t)magnitude << (52 - format->fraction)) + ((uint64_t)(1023 - format->bias) << 52);
    double value;

    if (magnitude > format->largest)
        value = format->has_infinity && magnitude == format->largest + 1 ? INFINITY : NAN;
    else if (magnitude >> format->fraction == 0)
        value = ldexp(magnitude, 1 - format->bias - format->fraction);
    else
        memcpy(&value, &wide, sizeof value);
    return (bits & format->sign) != 0 ? -value : value;
}

/* Rounds to nearest, ties to even. */
static unsigned narrow_bits(const narrow *format, double value)
{
    const int dropped = 52 - format->fraction;
    const int least_exponent = 1 - format->bias; /* of normal numbers */
    uint64_t wide;
    uint64_t magnitude;
    uint64_t bits;
    unsigned sign = signbit(value) ? format->sign : 0;

    memcpy(&wide, &value, sizeof wide);
    magnitude = wide & INT64_MAX;
    if (isnan(value))
        return format->sign - 1;
    if (isinf(value))
        return sign | (format->largest + (format->saturates ? 0 : 1));
    if ((int)(magnitude >> 52) < 1023 + least_exponent)
        bits = (uint64_t)rint(ldexp(fabs(value), format->fraction - least_exponent));
    else
        /* What rounds up carries into the exponent. */
        bits = ((magnitude + (UINT64_C(1) << (dropped - 1)) - 1 + (magnitude >> dropped & 1)) >>
                dropped) -
               ((uint64_t)(1023 - format->bias) << format->fraction);
    if (bits > format->largest)
        return sign | (format->largest + (format->saturates ? 0 : 1));
    return sign | (unsigned)bits;
}

/* Returns a bfloat16 number, which is the upper half of a float. */
static inline double widen_bfloat16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Returns number `index` of a seed's random numbers, by SplitMix64 (G. L. Steele, D. Lea, C. H.
 * Flood, Fast splittable pseudorandom number generators, 2014). */
static inline uint64_t random_bits(uint64_t seed, size_t index)
{
    uint64_t bits = seed + (index + 1) * 0x9e3779b97f4a7c15u;

    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

/* Returns a random number in [-1, 1) from random `bits`: exact, since `significand` includes the
 * sign. */
static double random_number(uint64_t bits, int significand)
{
    return (double)(bits >> (64 - significand)) / (double)(UINT64_C(1) << (significand - 1)) - 1.0;
}

/* Defines the functions of a type: `load` and `store` convert an element of type `stored` to a
 * double and back, and `random` makes one from random `bits`. */
#define FUNCTIONS(name, stored, load, store, random)                                               \
    static double name##_get(const void *data, size_t index)                                       \
    {                                                                                              \
        return load(((const stored *)data)[index]);                                                \
    }                                                                                              \
    static void name##_set(void *data, size_t index, double value)                                 \
    {                                                                                              \
        ((stored *)data)[index] = store(value);                                                    \
    }                                                                                              \
    static void name##_randomize(void *data, size_t from, size_t count, uint64_t seed)             \
    {                                                                                              \
        for (size_t i = from; i < from + count; i++) {                                             \
            uint64_t bits = random_bits(seed, i);                                                  \
                                                                                                   \
            ((stored *)data)[i] = random;                                                          \
        }                                                                                          \
    }

/* One loop per type for speed: millions of elements are compared, and filled above. */
#define COMPARE(name, stored, right)                                                               \
    static size_t name##_next_wrong(const void *computed, const double *expected,                  \
                                    const double *tolerance, size_t from, size_t count)            \
    {                                                                                              \
        const stored *list = computed;                                                             \
        size_t i = from;                                                                           \
                                                                                                   \
        while (i < count && (right))                                                               \
            i++;                                                                                   \
        return i;                                                                                  \
    }

#define SHOW_DOUBLE(name, digits)                                                                  \
    static void name##_show(char *text, size_t size, const void *data, size_t index)               \
    {                                                                                              \
        kg__element_show_double(text, size, name##_get(data, index), digits);                      \
    }

/* Ten digits distinguish any two 32-bit numbers, seventeen any two doubles. */
#define FLOAT(name, stored, load, store, significand, digits)                                      \
    FUNCTIONS(name, stored, load, store, store(random_number(bits, significand)))                  \
    COMPARE(name, stored, is_right(load(list[i]), expected[i], tolerance[i]))                      \
    SHOW_DOUBLE(name, digits)

#define AS_DOUBLE(x) ((double)(x))
#define AS_FLOAT(x) ((float)(x))
#define OF_FLOAT16(x) widen(&float16, x)
#define TO_FLOAT16(x) (uint16_t) narrow_bits(&float16, x)
#define TO_BFLOAT16(x) (uint16_t) narrow_bits(&bfloat16, x)
#define OF_E4M3(x) widen(&e4m3, x)
#define TO_E4M3(x) (uint8_t) narrow_bits(&e4m3, x)
#define OF_E5M2(x) widen(&e5m2, x)
#define TO_E5M2(x) (uint8_t) narrow_bits(&e5m2, x)
FLOAT(float64, double, AS_DOUBLE, AS_DOUBLE, 53, 17)
FLOAT(float32, float, AS_DOUBLE, AS_FLOAT, 24, 10)
FLOAT(float16, uint16_t, OF_FLOAT16, TO_FLOAT16, 11, 10)
FLOAT(bfloat16, uint16_t, widen_bfloat16, TO_BFLOAT16, 8, 10)
FLOAT(e4m3, uint8_t, OF_E4M3, TO_E4M3, 4, 10)
FLOAT(e5m2, uint8_t, OF_E5M2, TO_E5M2, 3, 10)

/* Stores a double as an integer of `least` to `most`, rounded and saturated; `beyond`, the first
 * double that is too large, is a power of two. */
#define STORE_INTEGER(name, stored, least, most, beyond)                                           \
    static stored name##_of(double value)                                                          \
    {                                                                                              \
        double rounded = rint(value);                                                              \
                                                                                                   \
        if (isnan(value))                                                                          \
            return 0;                                                                              \
        if (rounded >= (beyond))                                                                   \
            return most;                                                                           \
        return rounded <= (double)(least) ? least : (stored)rounded;                               \
    }
#define INTEGER(name, stored, least, most, beyond)                                                 \
    STORE_INTEGER(name, stored, least, most, beyond)                                               \
    FUNCTIONS(name, stored, AS_DOUBLE, name##_of, (stored)(bits >> (64 - 8 * sizeof(stored))))     \
    COMPARE(name, stored, is_right((double)list[i], expected[i], tolerance[i]))                    \
    SHOW_DOUBLE(name, 10)
#define INTEGER_OF_64_BITS(name, stored, least, most, beyond, format)                              \
    STORE_INTEGER(name, stored, least, most, beyond)                                               \
    FUNCTIONS(name, stored, AS_DOUBLE, name##_of, (stored)bits)                                    \
    static uint64_t name##_distance(stored a, stored b)                                            \
    {                                                                                              \
        return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;                      \
    }                                                                                              \
    COMPARE(name, stored,                                                                          \
            is_near(name##_distance(list[i], ((const stored *)(const void *)expected)[i]),         \
                    tolerance[i]))                                                                 \
    static void name##_show(char *text, size_t size, const void *data, size_t index)               \
    {                                                                                              \
        kg__format(text, size, "%" format, ((const stored *)data)[index]);                         \
    }
INTEGER(int8, int8_t, INT8_MIN, INT8_MAX, 0x1p7)
INTEGER(int16, int16_t, INT16_MIN, INT16_MAX, 0x1p15)
INTEGER(int32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
INTEGER(uint8, uint8_t, 0, UINT8_MAX, 0x1p8)
INTEGER(uint16, uint16_t, 0, UINT16_MAX, 0x1p16)
INTEGER(uint32, uint32_t, 0, UINT32_MAX, 0x1p32)
INTEGER_OF_64_BITS(int64, int64_t, INT64_MIN, INT64_MAX, 0x1p63, PRId64)
INTEGER_OF_64_BITS(uint64, uint64_t, 0, UINT64_MAX, 0x1p64, PRIu64)

#define ROW(name_, function, size_, significand_, spread_, least_, is_expected_as_itself_)         \
    {                                                                                              \
        .name = (name_), .size = (size_), .significand = (significand_), .spread = (spread_),      \
        .least = (least_), .is_expected_as_itself = (is_expected_as_itself_),                      \
        .get = function##_get, .set = function##_set, .randomize = function##_randomize,           \
        .next_wrong = function##_next_wrong, .show = function##_show                               \
    }

static const kg__element_type rows[] = {
    [KG_FLOAT64] = ROW("float64", float64, 8, 53, 300, 0x1p-1074, false),
    [KG_FLOAT32] = ROW("float32", float32, 4, 24, 40, 0x1p-149, false),
    [KG_FLOAT16] = ROW("float16", float16, 2, 11, 7, 0x1p-24, false),
    [KG_BFLOAT16] = ROW("bfloat16", bfloat16, 2, 8, 40, 0x1p-133, false),
    [KG_FLOAT8_E4M3] = ROW("float8_e4m3", e4m3, 1, 4, 8, 0x1p-9, false),
    [KG_FLOAT8_E5M2] = ROW("float8_e5m2", e5m2, 1, 3, 7, 0x1p-16, false),
    [KG_INT8] = ROW("int8", int8, 1, 0, 0, 1, false),
    [KG_INT16] = ROW("int16", int16, 2, 0, 0, 1, false),
    [KG_INT32] = ROW("int32", int32, 4, 0, 0, 1, false),
    [KG_INT64] = ROW("int64", int64, 8, 0, 0, 1, true),
    [KG_UINT8] = ROW("uint8", uint8, 1, 0, 0, 1, false),
    [KG_UINT16] = ROW("uint16", uint16, 2, 0, 0, 1, false),
    [KG_UINT32] = ROW("uint32", uint32, 4, 0, 0, 1, false),
    [KG_UINT64] = ROW("uint64", uint64, 8, 0, 0, 1, true),
};

const kg__element_type *kg__element_type_of(kg_type type)
{
    return (size_t)type < sizeof rows / sizeof *rows ? &rows[type] : NULL;
}

/* Significand bits, the last of them 1, of a number halfway between two values of float8_e5m2,
 * float8_e4m3, bfloat16, float16 and float32. */
static const int halfway[] = { 4, 5, 9, 12, 25 };

/* Of 16 elements one is zero, as many as `halfway` lists are halfway between values, one is halfway
 * between integers, and two repeat one of the 32 elements before. */
enum {
    ZERO,
    HALFWAY,
    INTEGER_AND_HALF = HALFWAY + sizeof halfway / sizeof *halfway,
    REPEATED,
    REPEATED_TOO,
    KINDS = 16
};

/* Parameters of wide numbers, computed once per argument. */
typedef struct wide {
    const kg__element_type *type;
    uint64_t seed;
    int exponent; /* the smallest */
    uint64_t exponents;
    kg_magnitudes magnitudes;
    bool zeros;
} wide;

/* Returns number `index` from its own random bits, without the repetitions. */
static inline double wide_number(const wide *of, size_t index, uint64_t bits)
{
    uint64_t fraction = random_bits(~of->seed, index) >> 12;
    uint64_t exponent = (uint64_t)(1023 + of->exponent) + ((bits >> 32) * of->exponents >> 32);
    unsigned kind = bits % KINDS;
    int width = of->type->significand - 1;
    double value;

    if (kind == ZERO && of->zeros)
        return 0;
    if (kind >= HALFWAY && kind < INTEGER_AND_HALF &&
        halfway[kind - HALFWAY] <= of->type->significand) {
        width = halfway[kind - HALFWAY] - 1;
        fraction |= UINT64_C(1) << (52 - width);
    }
    fraction = (fraction & ~UINT64_C(0) << (52 - width)) | exponent << 52;
    memcpy(&value, &fraction, sizeof value);
    if (kind == INTEGER_AND_HALF && value < (double)(UINT64_C(1) << width) / 2)
        value = floor(value) + 0.5;
    value = fmin(fmax(value, of->magnitudes.least), of->magnitudes.most);
    return (bits & 0x80) != 0 ? -value : value;
}

void kg__element_fill_wide(const kg__element_type *type, void *data, size_t count, uint64_t seed,
                           kg_magnitudes magnitudes, bool zeros)
{
    int least = ilogb(fmax(magnitudes.least, 0x1p-1022));
    const wide of = { type,       seed, least, (uint64_t)(ilogb(magnitudes.most) - least + 1),
                      magnitudes, zeros };

    for (size_t i = 0; i < count; i++) {
        uint64_t bits = random_bits(seed, i);
        size_t back = 1 + (bits >> 8) % 32;
        bool repeats = bits % KINDS == REPEATED || bits % KINDS == REPEATED_TOO;
        size_t index = repeats && back <= i ? i - back : i;

        type->set(data, i, wide_number(&of, index, index == i ? bits : random_bits(seed, index)));
    }
}

/* Returns the largest relative error of rounding to a type; 0 for an integer. */
static double roundoff_of(const kg__element_type *type)
{
    return type->significand > 0 ? 1 / (double)(UINT64_C(1) << type->significand) : 0;
}

bool kg__element_holds(const kg__element_type *type, double value)
{
    double rounding = fabs(value) * roundoff_of(type);
    uint64_t stored;

    type->set(&stored, 0, value);
    /* Rounding to an integer moves a value by 0.5 at most. */
    return fabs(type->get(&stored, 0) - value) <= rounding + 0.5;
}

void kg__element_show_expected(const kg__element_type *type, char *text, size_t size,
                               const double *expected, size_t index)
{
    if (type->is_expected_as_itself)
        type->show(text, size, expected, index);
    else
        kg__element_show_double(text, size, expected[index], type->significand == 53 ? 17 : 10);
}

/* Returns the row of a suite's type; for an invalid type a byte, which no argument can be. */
static const kg__element_type *row_of(kg_type type)
{
    const kg__element_type *row = kg__element_type_of(type);

    return row != NULL ? row : &rows[KG_UINT8];
}

size_t kg_type_size(kg_type type)
{
    return row_of(type)->size;
}

double kg_roundoff(kg_type type)
{
    return roundoff_of(row_of(type));
}

double kg_element(kg_type type, const void *data, size_t index)
{
    return row_of(type)->get(data, index);
}

void kg_set_element(kg_type type, void *data, size_t index, double value)
{
    row_of(type)->set(data, index, value);
}

/* The bound of N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section
 * 3.1, plus one rounding to the stored type, whose result can be subnormal. */
double kg_sum_tolerance(kg_type accumulated, kg_type stored, int64_t terms, double magnitude)
{
    double roundings = (double)terms * kg_roundoff(accumulated);
    double error = roundings / (1 - roundings) * magnitude;

    if (roundings >= 1 || !isfinite(magnitude))
        return NAN;
    if (kg_roundoff(stored) > kg_roundoff(accumulated))
        error += kg_roundoff(stored) * (magnitude + error) + row_of(stored)->least / 2;
    return error;
}
