/* SPDX-License-Identifier: MIT */
/* Tensor maps, and the pieces of memory that a copy of a box consists of. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define KG__TENSOR_RANKS 5
/* Identifies a map. */
#define KG__TENSOR_MAP 0x6d61706bu

/* What a CUtensorMap holds. */
typedef struct kg__tensor_map {
    uint32_t magic;
    uint8_t rank, element, swizzle; /* bytes of an element; 16 << swizzle bytes are swizzled */
    uint8_t type;                   /* CUtensorMapDataType */
    uint8_t step[KG__TENSOR_RANKS]; /* between elements that are copied */
    uint16_t box[KG__TENSOR_RANKS];
    unsigned char *base;
    uint64_t size[KG__TENSOR_RANKS];
    uint64_t pitch[KG__TENSOR_RANKS]; /* bytes */
} kg__tensor_map;

/* A piece of at most 16 bytes; `global` is NULL outside of the tensor. */
typedef void kg__tensor_piece(unsigned char *shared, unsigned char *global, size_t size,
                              void *data);

/* Returns how many bytes of shared memory a box has. */
size_t kg__tensor_box_size(const kg__tensor_map *map);
/* Calls `each` for the pieces of the box at the coordinates `at`. */
void kg__tensor_each_piece(const kg__tensor_map *map, const int *at, unsigned char *shared,
                           kg__tensor_piece *each, void *data);
