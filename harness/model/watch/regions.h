/* Regions: the pieces of device memory that requests are held against. Internal to watching. */
#ifndef KG__MODEL_REGIONS_H
#define KG__MODEL_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/watch/places.h"
#include "records/finding.h"

/* The last accesses to a few bytes, as shadow.c keeps them. */
typedef struct kg__cell {
    uint32_t write_time;
    uint32_t read_time;
    uint16_t writer;
    uint16_t reader;
    uint16_t write_clock;
    uint16_t read_clock;
    uint16_t write_site;
    uint16_t read_site;
    uint32_t read_lanes; /* where the readers are lanes of one warp: which */
} kg__cell;

/* An allocation, a shared array or a variable. */
typedef struct kg__region {
    unsigned char *base; /* the whole of it */
    size_t size;         /* bytes */
    uintptr_t start;     /* the part that kernels may touch */
    size_t bytes;
    const char *name; /* "a", "tile_b", "allocation 3" */
    kg__model_space space;
    bool read_only;
    bool between_blocks; /* several blocks of a launch may touch it */
    bool is_copy;        /* of a shared array, of another block of the cluster */
    size_t ended_bytes;  /* its size, if its block has ended */
    /* The state of its bytes: none written, all written by the host, or as the cells say; or
     * unknown, if cells would take too much memory. */
    enum { KG__UNTOUCHED, KG__UPLOADED, KG__IN_CELLS, KG__UNKNOWN } state;
    kg__cell *cells;      /* of `granule` bytes each, from `start` */
    unsigned int granule; /* 4, or 1 once a smaller access has been seen */
    /* A bit for each byte from `start`, of global memory: read and written by this launch. */
    unsigned char *bits[2];
    struct kg__region *next;
    uint64_t allocation; /* its number; 0: none */
    char own_name[96];
} kg__region;

/* A finding of an access to a region, with its space, name and size. */
kg__finding kg__finding_in(kg__finding_kind kind, const kg__region *region);
/* What a finding says of an access of `bytes` to `address`, which is not a multiple of `alignment`.
 */
kg__finding kg__finding_misaligned(uintptr_t address, unsigned int bytes, unsigned int alignment);
/* The region that an address belongs to, made when it is first asked for; NULL when it is in no
 * memory of the device. The hole behind a variable is the variable's, and what lies around an
 * allocation the allocation's. */
kg__region *kg__region_at(uintptr_t address);
/* The region of a live allocation's base, if there is one already. */
kg__region *kg__region_of(const void *base);
/* The host's writes to existing allocations are not known. */
void kg__regions_begin(void);
/* Gives the dynamic shared memory the size of the launch that begins. Returns its region where the
 * size is another: what was inside for the last launch may be outside now. */
const kg__region *kg__regions_begin_launch(void);
/* Every region, linked by `next`. */
kg__region *kg__regions(void);
/* Forgets the region of an allocation that is freed. */
void kg__region_drop(const void *base);
/* Narrows a region to the part that kernels may touch; what was known of it is forgotten. */
void kg__region_narrow(kg__region *region, const void *start, size_t bytes);

/* Adds the bytes that this launch has read [0] and written [1], each counted once, to `bytes`, and
 * forgets them. */
void kg__regions_count_unique(uint64_t bytes[2]);

#endif
