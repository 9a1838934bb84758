/* SPDX-License-Identifier: MIT */
/* Regions: pieces of device memory that requests are checked against. Internal to watching. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/exec/allocations.h"
#include "model/exec/launch.h"
#include "model/watch/places.h"
#include "model/watch/spans.h"
#include "records/finding.h"

/* A writer is a thread number plus flags. A reader is a thread, any lanes of one warp, or
 * threads of several warps. */
#define KG__BY_ATOMIC 0x8000u
#define KG__BY_VOLATILE 0x4000u /* in global memory: much like an atomic between blocks */
#define KG__BY_BLOCK 0x2000u    /* by an atomic of block scope */
/* A block's atomic that follows its own plain write to the bytes: other blocks' atomics race
 * with that write. The cell keeps the write's site. */
#define KG__AFTER_PLAIN 0x1000u
/* Another block's atomic followed this one, whose block left it out of its releases. The cell keeps
 * this one, since no access can be ordered after it. */
#define KG__LEFT_OUT 0x0800u
/* By an asynchronous copy that a barrier completed: kg__clocks_copier() is the write's clock. */
#define KG__BY_COPY 0x0400u
#define KG__READERS_OF_WARP 0x8000u
#define KG__MANY_READERS 0xffe0u /* with the warp of the last one */
#define KG__THREAD_NUMBER 0x03ffu
/* Flag of a reader's clock: other blocks have read the cell too, in this launch. */
#define KG__OTHER_BLOCKS 0x8000u
/* Products of warp groups read the cell: to other groups, each warp stands for its group. */
#define KG__BY_GROUP 0x4000u
/* Of several warps: how much later than read_time the last one did, at least. */
#define KG__LATER 0x3fffu
/* The time of an asynchronous copy's incomplete write. */
#define KG__TIME_TO_COME UINT32_MAX

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
    uint32_t read_lanes; /* if the readers are lanes of one warp, or of several: the mask of the
                            lanes, or of the warps, which have read at read_time or later */
} kg__cell;

/* Returns whether a cell's readers are threads of several warps. */
static inline bool kg__are_many(unsigned int reader)
{
    return reader >= KG__MANY_READERS;
}
/* Returns whether products of warp groups have read a cell. */
static inline bool kg__are_groups(const kg__cell *cell)
{
    return kg__are_many(cell->reader) && (cell->read_clock & KG__BY_GROUP) != 0;
}
/* Returns the mask of the warps that have read a cell. */
static inline uint32_t kg__reader_warps(const kg__cell *cell)
{
    if (kg__are_many(cell->reader))
        return cell->read_lanes;
    return 1u << ((cell->reader & KG__READERS_OF_WARP) != 0 ? cell->reader & KG__THREAD_NUMBER
                                                            : cell->reader / KG__MODEL_WARP);
}

/* Returns the mask of the lanes of the one warp that has read a cell. */
static inline uint32_t kg__reader_lanes(const kg__cell *cell)
{
    return (cell->reader & KG__READERS_OF_WARP) != 0 ? cell->read_lanes
                                                     : 1u << cell->reader % KG__MODEL_WARP;
}

/* Returns when the last of them did, at least. */
static inline uint32_t kg__last_read(const kg__cell *cell)
{
    return cell->read_time + (kg__are_many(cell->reader) ? cell->read_clock & KG__LATER : 0);
}

enum {
    KG__BITS_READ,
    KG__BITS_WRITTEN,
    KG__BITS_UPDATED,
    KG__BITS_STRONG,
    KG__BITS_EARLY, /* read, and the next: written, before the wait for the launch before */
    KG__REGION_BITS = KG__BITS_EARLY + 2
};
/* Eight cells that begin at a multiple of eight. Most warps access whole rows, so that one state
 * stands for all its cells, which take no memory until an access differs. */
#define KG__ROW 8
typedef struct kg__row {
    kg__cell first; /* unless `apart`: of the first cell, and of the others but for their threads */
    uint32_t seen;  /* when the cells were last found to differ */
    /* The thread of cell i comes (i >> shift) after that of the first; with several readers,
     * which have shift 0, their lanes do. */
    uint8_t write_shift, read_shift;
    bool apart; /* the cells have a state each */
} kg__row;

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
    bool has_copies;     /* the running block copies to it asynchronously, or from it in bulk */
    bool is_written;     /* by a kernel */
    bool has_objects;    /* of the host, with virtual functions (tables.h) */
    bool is_copy;        /* the copy of another cluster block's shared array */
    size_t ended_bytes;  /* size of its array if that block has ended */
    /* The state of its bytes: none written, all written by the host, recorded in cells, or
     * unknown because cells would take too much memory. */
    enum { KG__UNTOUCHED, KG__UPLOADED, KG__IN_CELLS, KG__UNKNOWN } state;
    kg__cell *cells;      /* of `granule` bytes each, from `start`: kg__cell_at() */
    kg__row *rows;        /* in the same memory */
    unsigned int granule; /* 4, or 1 once a smaller access has been seen */
    /* In words of 64, one bit per byte of global memory from `start`: read, written, and accessed
     * atomically or as volatile by this launch. */
    unsigned char *bits[KG__REGION_BITS];
    uint32_t first_set, last_set; /* about where: reading all of a large region takes 15 ms */
    struct kg__region *next;
    uint64_t allocation; /* its number; 0: none */
    char own_name[96];
} kg__region;

/* Returns the finding of an access of `bytes` to a region, at `offset` from its start. */
kg__finding kg__finding_in(kg__finding_kind kind, const kg__region *region, uint64_t offset,
                           unsigned int bytes, kg__finding_access access);
/* Returns the finding of an access of `bytes` to `address` in memory that was freed. */
kg__finding kg__finding_in_freed(const kg__model_freed *freed, uintptr_t address,
                                 unsigned int bytes, kg__finding_access access);
/* Returns the finding of an access of `bytes` to `address`, which is not a multiple of
 * `alignment`. */
kg__finding kg__finding_misaligned(uintptr_t address, unsigned int bytes, unsigned int alignment,
                                   kg__finding_access access);
/* Whether it has returned one of global or shared memory, where a GPU ends the launch. */
extern KG__HIDDEN bool kg__found_misaligned;
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
/* All regions, linked by `next`. */
extern KG__HIDDEN kg__region *kg__regions;
/* Deletes the region of an allocation that is freed. */
void kg__region_drop(const void *base);
/* Narrows a region to the part that kernels may access, and forgets its state. */
void kg__region_narrow(kg__region *region, const void *start, size_t bytes);

/* Returns the rows of a region's cells. */
static inline size_t kg__region_rows(const kg__region *region)
{
    return region->bytes / region->granule / KG__ROW + 1;
}

/* Adds the number of distinct bytes that this launch has read [0] and written [1] to `bytes`,
 * and to `spans` (NULL: none) where they are, those left out that it accesses atomically or as
 * volatile, which other work may do meanwhile. The launch has accessed none then. */
void kg__regions_count_unique(uint64_t bytes[2], kg__spans *spans);
/* Collects what threads of this launch access before they, or a thread that they have met, wait for
 * the launch before it; NULL: not collected. */
extern KG__HIDDEN kg__spans *kg__regions_early;
/* The warps of the running block that have waited for that launch; a lane counts for its warp. */
extern KG__HIDDEN uint32_t kg__regions_awaited;
/* Begins a block; `of_launch`: the first one of a launch. */
void kg__regions_begin_block(bool of_launch);
/* Notes that a warp waits for the launch before this one. */
void kg__regions_await(unsigned int warp);
