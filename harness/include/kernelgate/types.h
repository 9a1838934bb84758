/* The element types of arguments. Part of kernelgate.h, which includes it. */
#ifndef KERNELGATE_TYPES_H
#define KERNELGATE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kg_type {
    KG_FLOAT32,
    KG_INT32,
    KG_UINT8,
    KG_FLOAT64,
    KG_FLOAT16,
    KG_BFLOAT16,
    KG_FLOAT8_E4M3,
    KG_FLOAT8_E5M2,
    KG_INT8,
    KG_INT16,
    KG_INT64,
    KG_UINT16,
    KG_UINT32,
    KG_UINT64
} kg_type;

/* Bytes of one element. */
size_t kg_type_size(kg_type type);

/* The unit roundoff, half the distance from 1 to the next value: 2^-24 of KG_FLOAT32; 0 of
 * integers. */
double kg_roundoff(kg_type type);

/* Element `index` of `data`, as a double: of integers beyond 2^53 the nearest. */
double kg_element(kg_type type, const void *data, size_t index);

/* Stores `value`, rounded to the nearest. What is too large becomes infinite, or the greatest
 * number of integers and 8-bit floats; NaN becomes 0 in integers. */
void kg_set_element(kg_type type, void *data, size_t index, double value);

/* How far a sum of `terms` products (or numbers) may be off that is accumulated in one type, in any
 * order, and stored in another; their magnitudes add up to `magnitude`. For terms u < 1, where u is
 * the roundoff of `accumulated`; else infinite. */
double kg_sum_tolerance(kg_type accumulated, kg_type stored, int64_t terms, double magnitude);

#ifdef __cplusplus
}
#endif

#endif
