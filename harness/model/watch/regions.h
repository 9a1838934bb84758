/* Regions: pieces of device memory that requests are checked against. Internal to watching. */
#ifndef KG__MODEL_REGIONS_H
#define KG__MODEL_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/watch/places.h"
#include "model/watch/spans.h"
#include "records/finding.h"

/* The last accesses to a few bytes, maintained by shadow.c. */
typedef struct kg__cell {
    uint32_t write_time;
    uint32_t read_time;
    uint16_t writer;
    uint16_t reader;
    uint16_t write_clock;
    uint16_t read_clock;
    uint16_t write_site;
    uint16_t read_site;
    uint32_t read_lanes; /* if the readers are lanes of one warp: their mask */
} kg__cell;

enum { KG__BITS_READ, KG__BITS_WRITTEN, KG__BITS_STRONG, KG__REGION_BITS };

/* An allocation, a shared array or a variable. */
typedef struct kg__region {
    unsigned char *base; /* the whole region */
    size_t size;         /* bytes */
    uintptr_t start;     /* the part that kernels may access */
    size_t bytes;
    const char *name; /* "a", "tile_b", "allocation 3" */
    kg__model_space space;
    bool read_only;
    bool between_blocks; /* several blocks of a launch may access it */
    bool is_copy;        /* the copy of another cluster block's shared array */
    size_t ended_bytes;  /* size of its array if that block has ended */
    /* The state of its bytes: none written, all written by the host, recorded in cells, or
     * unknown because cells would take too much memory. */
    enum { KG__UNTOUCHED, KG__UPLOADED, KG__IN_CELLS, KG__UNKNOWN } state;
    kg__cell *cells;      /* of `granule` bytes each, from `start` */
    unsigned int granule; /* 4, or 1 once a smaller access has been seen */
    /* In words of 64, one bit per byte of global memory from `start`: read, written, and accessed atomically or
     * as volatile by this launch. */
    unsigned char *bits[KG__REGION_BITS];
    uint32_t first_set, last_set; /* about where: reading all of a large region takes 15 ms */
    struct kg__region *next;
    uint64_t allocation; /* its number; 0: none */
    char own_name[96];
} kg__region;

/* Returns a finding of an access to a region, with the region's space, name and size. */
kg__finding kg__finding_in(kg__finding_kind kind, const kg__region *region);
/* Returns the finding of an access of `bytes` to `address`, which is not a multiple of
 * `alignment`. */
kg__finding kg__finding_misaligned(uintptr_t address, unsigned int bytes, unsigned int alignment);
/* Returns the region that an address belongs to, created on first use; NULL outside of device
 * memory. The gap behind a variable belongs to the variable, and the gaps around an allocation
 * to the allocation. */
kg__region *kg__region_at(uintptr_t address);
/* Returns the region of a live allocation's base, or NULL if it has not been created. */
kg__region *kg__region_of(const void *base);
/* Starts watching: the host's writes to existing allocations are unknown. */
void kg__regions_begin(void);
/* Sets the size of the dynamic shared memory to that of the launch that begins. Returns its
 * region if the size changed, since an access may be out of bounds that was not before. */
const kg__region *kg__regions_begin_launch(void);
/* Returns all regions, linked by `next`. */
kg__region *kg__regions(void);
/* Deletes the region of an allocation that is freed. */
void kg__region_drop(const void *base);
/* Narrows a region to the part that kernels may access, and forgets its state. */
void kg__region_narrow(kg__region *region, const void *start, size_t bytes);

/* Adds the number of distinct bytes that this launch has read [0] and written [1] to `bytes`,
 * and to `spans` (NULL: none) where they are, those left out that it accesses atomically or as
 * volatile, which other work may do meanwhile; and forgets them. */
void kg__regions_count_unique(uint64_t bytes[2], kg__spans *spans);

#endif
