/* Requests: the cost of one access of a warp, and the memory that it touches. Internal to watching.
 */
#ifndef KG__MODEL_REQUESTS_H
#define KG__MODEL_REQUESTS_H

#include <stdint.h>

/* What requests are for from now on: a sum of KG__MODEL_COUNT and KG__MODEL_CHECK. Forgets all
 * sites' counts. */
void kg__requests_begin(unsigned int what);
/* Stops checking requests against the shadow of memory. */
void kg__requests_stop_checking(void);

/* The warp, of the running block, whose requests follow. */
void kg__request_begin_warp(unsigned int warp);

/* Takes a request of `count` lanes (`lanes` NULL: lane i is i) at `code`, of the kind of an access
 * (trace.h). */
void kg__request_take(uintptr_t code, unsigned int kind, unsigned int count,
                      const uint64_t *addresses, const uint8_t *lanes);

/* Accesses of single lanes that were taken since kg__requests_begin(). */
uint64_t kg__requests_accesses(void);
/* Raises `block` and `warp` to the requests of the running block, and of its warp that makes most.
 */
void kg__requests_of_block(uint64_t *block, uint64_t *warp);
/* What each warp of the running block, KG__MODEL_MAX_WARPS at most, has had counted; whoever begins
 * a block, or lets another one go on, sets it. */
uint64_t *kg__requests_of_warps(void);

#endif
