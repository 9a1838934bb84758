/* SPDX-License-Identifier: MIT */
/* The pieces of a box of a tensor. */
#include "model/exec/tensor_maps.h"

#define CHUNK 16 /* bytes that are swizzled as one */

/* Returns how many elements of a dimension a box has. */
static size_t elements_of(const kg__tensor_map *map, unsigned int i)
{
    return (map->box[i] + map->step[i] - 1u) / map->step[i];
}

size_t kg__tensor_box_size(const kg__tensor_map *map)
{
    size_t bytes = map->element;

    for (unsigned int i = 0; i < map->rank; i++)
        bytes *= elements_of(map, i);
    return bytes;
}

/* Returns the byte where the swizzled pattern has a byte: address bits 7 to 9 change bits 4 to 6.
 */
static unsigned char *swizzle(const kg__tensor_map *map, unsigned char *shared)
{
    const uintptr_t mask = ((uintptr_t)1 << map->swizzle) - 1;

    return shared +
           (((uintptr_t)shared ^ ((uintptr_t)shared >> 7 & mask) << 4) - (uintptr_t)shared);
}

/* Calls `each` for the pieces of a box's row, which begins at `global`: limits[0] is its first byte
 * in the tensor, limits[1] the first one behind it, limits[2] their number. */
static void each_of_row(const kg__tensor_map *map, unsigned char *shared, unsigned char *global,
                        const int64_t limits[3], kg__tensor_piece *each, void *data)
{
    for (int64_t chunk = 0; chunk < limits[2]; chunk += CHUNK) {
        int64_t next;

        for (int64_t i = chunk; i < chunk + CHUNK; i = next) {
            const int inside = i >= limits[0] && i < limits[1];
            const int64_t end = i < limits[0] ? limits[0] : inside ? limits[1] : limits[2];

            next = end < chunk + CHUNK ? end : chunk + CHUNK;
            each(swizzle(map, shared + chunk) + (i - chunk), inside ? global + i : NULL,
                 (size_t)(next - i), data);
        }
    }
}

void kg__tensor_each_piece(const kg__tensor_map *map, const int *at, unsigned char *shared,
                           kg__tensor_piece *each, void *data)
{
    const int64_t element = map->element;
    const int64_t row = element * map->box[0];
    const int64_t rows = (int64_t)kg__tensor_box_size(map) / row;
    const int64_t before = at[0] < 0 ? -(int64_t)at[0] : 0;
    int64_t inside = (int64_t)map->size[0] - at[0];

    inside = inside < map->box[0] ? inside : map->box[0];
    for (int64_t i = 0; i < rows; i++) {
        int64_t limits[3] = { before * element, inside * element, row };
        int64_t offset = at[0] * element;
        int64_t rest = i;

        for (unsigned int j = 1; j < map->rank; j++) {
            const int64_t count = (int64_t)elements_of(map, j);
            const int64_t index = at[j] + rest % count * map->step[j];

            rest /= count;
            offset += index * (int64_t)map->pitch[j];
            if (index < 0 || index >= (int64_t)map->size[j])
                limits[1] = 0;
        }
        if (limits[1] <= limits[0])
            limits[0] = limits[1] = row;
        each_of_row(map, shared + i * row, map->base + offset, limits, each, data);
    }
}
