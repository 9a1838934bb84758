/* Requests: what one access of a warp comes to, and whose memory it touches. Internal to watching.
 */
#ifndef KG__MODEL_REQUESTS_H
#define KG__MODEL_REQUESTS_H

#include <stdint.h>

#include "model/watch/regions.h"

#define KG__SPACES 3
/* Behind the spaces: what is counted and touches none, a barrier or a shuffle. */
#define KG__NO_SPACE KG__SPACES

/* A place in the code that touches memory, and what its requests came to, by space: how many, and
 * their sectors, wavefronts or words. */
typedef struct kg__site {
    uintptr_t code;                    /* where its hook returns to; 0: none */
    kg__region *region;                /* where its last request went */
    unsigned int kind;                 /* of its last request, as in trace.h */
    uint16_t number;                   /* by which cells name it; 0: one too many to be named */
    uint64_t fresh[KG__SPACES + 1][2]; /* not weighed yet */
    uint64_t sum[KG__SPACES + 1][2];
    struct kg__site *next; /* of all sites */
} kg__site;

/* What requests are for from now on: a sum of KG__MODEL_COUNT and KG__MODEL_CHECK. Forgets all
 * sites' counts. */
void kg__requests_begin(unsigned int what);
/* Requests are no longer held against what is known of memory. */
void kg__requests_stop_checking(void);

/* The warp, of the running block, whose requests follow. */
void kg__request_begin_warp(unsigned int warp);

/* Takes a request of `count` lanes (`lanes` NULL: lane i is i) at `code`, of the kind of an access
 * (trace.h). */
void kg__request_take(uintptr_t code, unsigned int kind, unsigned int count,
                      const uint64_t *addresses, const uint8_t *lanes);

/* Counts a barrier or a shuffle at `code`; `kind` tells which (trace.h). */
void kg__request_note(uintptr_t code, unsigned int kind);

/* Accesses of single lanes that were taken since kg__requests_begin(). */
uint64_t kg__requests_accesses(void);
/* Requests that were counted since then, whatever their blocks stand for. */
uint64_t kg__requests_counted(void);

/* The site of a number (1 and up), or NULL. */
const kg__site *kg__site_numbered(unsigned int number);
/* All sites, linked by `next`. */
const kg__site *kg__sites(void);

/* Ends a class of blocks: what was counted since the last class stands for `weight` blocks where
 * `of` were run. With `weight` 0 it is thrown away. */
void kg__requests_weigh(uint64_t weight, uint64_t of);

/* A region is gone, and no site may remember it. */
void kg__requests_forget_region(const kg__region *region);

#endif
