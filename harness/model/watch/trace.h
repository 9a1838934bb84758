/* SPDX-License-Identifier: MIT */
/* Traces: events of the running warp's lanes since their last common replay. Internal to
 * watching: hooks write, the scheduler sets whose turn it is, the replay reads. */
#pragma once

#include "model/exec/launch.h"

#include <stdbool.h>
#include <stdint.h>

/* One event of each lane: the address accessed, shifted left, with the kind of access in the low
 * bits; or 0 at the head of a basic block. The shift drops an address's top bits, which are 0 in
 * all accessible memory. The replay reads whole rows as vectors, which takes a quarter fewer
 * instructions than pairs do. */
typedef struct kg__trace_row {
    uint64_t what[KG__MODEL_WARP];
    uintptr_t code[KG__MODEL_WARP]; /* where the hook returns to */
} kg__trace_row;
/* The distance from an event's `what` to its code, and to the lane's next event. */
#define KG__TRACE_TO_CODE KG__MODEL_WARP
#define KG__TRACE_TO_NEXT (sizeof(kg__trace_row) / sizeof(uint64_t))

/* A kind of access: its bytes, and its direction and order. */
#define KG__ACCESS_SHIFT 15
#define KG__ACCESS_BYTES 0x1fu
#define KG__ACCESS_WRITE 0x20u
#define KG__ACCESS_ATOMIC 0x40u
#define KG__ACCESS_VOLATILE 0x80u /* with KG__ACCESS_ATOMIC: a compare-and-swap */
#define KG__ACCESS_ASYNC 0x100u   /* a write that completes at its wait, or an uncounted read */
/* A trace entry that is not an access: a fence (with KG__ACCESS_ATOMIC; its address says which),
 * the completion of an asynchronous copy (with KG__ACCESS_ASYNC) or of a product's read (with
 * KG__ACCESS_BULK), or an arrival at a barrier or a wait for it (with KG__ACCESS_RELEASE or
 * KG__ACCESS_ACQUIRE; its address is the object's, its bytes whether the phase is odd). */
#define KG__ACCESS_NOTE 0x200u
/* A fence's address. An acquire orders like the device's fence, but costs no instruction; a wait
 * for the launch before this one orders nothing within this one. */
enum {
    KG__FENCE_OF_BLOCK,
    KG__FENCE_OF_DEVICE,
    KG__FENCE_OF_ACQUIRE,
    KG__FENCE_OF_PROXY, /* for shared memory, then for global memory */
    KG__FENCE_OF_PROXY_GLOBAL,
    KG__FENCE_OF_LAUNCH
};
/* By cuda::atomic, which has an order and a scope: an update with KG__ACCESS_ATOMIC, else a load
 * or a store with KG__ACCESS_VOLATILE. */
#define KG__ACCESS_STRONG 0x400u
#define KG__ACCESS_ACQUIRE 0x800u
#define KG__ACCESS_RELEASE 0x1000u
#define KG__ACCESS_OF_BLOCK 0x2000u /* other blocks cannot rely on it */
/* By the async proxy, for a bulk copy. Shared memory that it reads must not be written before its
 * wait; global memory is written at once. */
#define KG__ACCESS_BULK (KG__ACCESS_ASYNC | KG__ACCESS_OF_BLOCK)
/* The completion of a product's read: the first of its warp group's four warps has waited, or
 * another one. */
#define KG__OF_GROUP (KG__ACCESS_NOTE | KG__ACCESS_BULK)
#define KG__OF_WARP (KG__OF_GROUP | KG__ACCESS_VOLATILE)
#define KG__ACCESS_WHOLE 0x4000u /* of a structure, whose padding may be unwritten */
/* Kinds of events that are counted and are not accesses. */
#define KG__ACCESS_BARRIER 0x8000u
#define KG__ACCESS_SHUFFLE 0x10000u
#define KG__ACCESS_PRINTF 0x20000u
#define KG__ACCESS_MATRIX 0x40000u
#define KG__ACCESS_KIND ((uint64_t)0x7fff)

/* Encodes an access to `address` as in kg__trace_row. */
static inline uint64_t kg__access(uintptr_t address, unsigned int kind)
{
    return (uint64_t)address << KG__ACCESS_SHIFT | kind;
}

/* Returns the kind of an encoded access. */
static inline unsigned int kg__access_kind(uint64_t what)
{
    return (unsigned int)(what & KG__ACCESS_KIND);
}

/* Returns whether an access is of a bulk copy. */
static inline bool kg__access_is_bulk(unsigned int kind)
{
    return (kind & KG__ACCESS_BULK) == KG__ACCESS_BULK;
}

/* Returns the address of an encoded access, without its top bits. */
static inline uintptr_t kg__access_address(uint64_t what)
{
    return (uintptr_t)(what >> KG__ACCESS_SHIFT);
}

/* A lane waits for the replay after this many events. Few, so that all lanes' events stay in L1;
 * the cost of a switch per chunk is small beside that of its events. */
#define KG__TRACE_ROWS 64

/* For functions that handle all lanes of a warp: compiled once for each width of vectors, and
 * chosen by the processor. */
#if defined __x86_64__ && defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__
#define KG__OF_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define KG__OF_VECTORS
#endif

/* Without the local-exec model, gcc addresses each of these variables through a register. */
#ifdef KG__MODEL_IS_LIBRARY /* of programs (harness/programs/) */
#define KG__TRACE_LOCAL KG__HIDDEN __attribute__((tls_model("initial-exec"))) _Thread_local
#else
#define KG__TRACE_LOCAL KG__HIDDEN __attribute__((tls_model("local-exec"))) _Thread_local
#endif

/* The running lane. Thread-local, because launchers on other host threads run meanwhile and must
 * not be traced; together, because a library addresses each such variable through a register. */
typedef struct kg__trace_lane {
    /* Address of its next event, and the end of its room. They are equal when there is no lane to
     * trace, so that hooks need a single test. */
    uint64_t *cursor, *limit;
    uintptr_t stack; /* the lowest byte of its stack, its local memory */
    bool fenced;     /* since it last went on */
} kg__trace_lane;

extern KG__TRACE_LOCAL kg__trace_lane kg__trace;

/* Records an access of the running lane by code at `code`: its kind, with its bytes. */
void kg__trace_note(const void *address, unsigned int kind, uintptr_t code);
/* Records a range as hardware accesses types that are not vectors: word by word, or byte by byte
 * when it is not aligned to words. */
void kg__trace_note_range(const void *address, size_t size, unsigned int kind, uintptr_t code);

/* Records that the running lane arrives at a barrier, or goes on behind it. */
void kg__trace_note_barrier(const kg__model_barrier_object *object, bool arrives, uintptr_t code);

/* Where a kernel last called printf(); NULL: nowhere. */
extern KG__HIDDEN const void *kg__model_printed_at;

/* Counts an action of the running lane, `times` over, that is not an access. */
void kg__trace_count(unsigned int kind, unsigned int times, uintptr_t code);

/* Empties all traces; warp number `warp` of its block runs from now on. */
void kg__trace_begin(unsigned int warp);
/* Gives the turn to a lane, whose stack begins at `stack`. */
void kg__trace_resume(unsigned int lane, const void *stack);

/* Takes the turn away from the running lane, if there is one. */
void kg__trace_pause(void);
/* Marks the running lane's trace as full; the lane has more events to come. */
void kg__trace_fill(void);
/* Restores the running lane's room after a hook has taken it away. */
void kg__trace_widen(void);

/* Replays the warp's traces as far as possible. Lanes whose traces are not full have no further
 * events until they run again. Returns the full lanes whose traces are used up, which must run
 * before the replay can go on; 0 when everything is replayed. */
uint32_t kg__trace_replay(void);
/* Replays everything, as after a failure: no lane will continue. */
void kg__trace_finish(void);
