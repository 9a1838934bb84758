/* Traces: what the lanes of the running warp have done since they were last replayed together.
 * Internal to watching: hooks write, the scheduler says whose turn it is, the replay reads. */
#ifndef KG__MODEL_TRACE_H
#define KG__MODEL_TRACE_H

#include "model/exec/launch.h"

#include <stdint.h>

/* One event of each lane: the address that it touched, with the kind of access below it; or 0 at
 * the head of a basic block. An address loses its topmost bits, which are 0 in whatever can be
 * touched, and would be read as a kind. The replay reads whole rows as vectors, which takes a
 * quarter fewer instructions than pairs do. */
typedef struct kg__trace_row {
    uint64_t what[KG__MODEL_WARP];
    uintptr_t code[KG__MODEL_WARP]; /* where the hook returns to */
} kg__trace_row;
/* From an event's `what` to its code, and to the lane's next event. */
#define KG__TRACE_TO_CODE KG__MODEL_WARP
#define KG__TRACE_TO_NEXT (sizeof(kg__trace_row) / sizeof(uint64_t))

/* A kind of access: its bytes, and its direction and order. */
#define KG__ACCESS_SHIFT 15
#define KG__ACCESS_BYTES 0x1fu
#define KG__ACCESS_WRITE 0x20u
#define KG__ACCESS_ATOMIC 0x40u
#define KG__ACCESS_VOLATILE 0x80u /* of an atomic: it compares and swaps */
#define KG__ACCESS_ASYNC 0x100u   /* a write that comes at its wait */
/* What is in a trace and is no access: a fence (with KG__ACCESS_ATOMIC; its address says which), or
 * that bytes which were to be written have come (with KG__ACCESS_ASYNC). */
#define KG__ACCESS_NOTE 0x200u
/* A fence's address. What an acquire orders is the device's fence and takes no instruction. */
enum { KG__FENCE_OF_BLOCK, KG__FENCE_OF_DEVICE, KG__FENCE_OF_ACQUIRE };
/* Of cuda::atomic, which says what it orders and for whom: an update with KG__ACCESS_ATOMIC, else a
 * load or a store with KG__ACCESS_VOLATILE. */
#define KG__ACCESS_STRONG 0x400u
#define KG__ACCESS_ACQUIRE 0x800u
#define KG__ACCESS_RELEASE 0x1000u
#define KG__ACCESS_OF_BLOCK 0x2000u /* other blocks cannot rely on it */
#define KG__ACCESS_WHOLE 0x4000u    /* of a structure, whose padding may be unwritten */
/* Kinds of what is counted and is no access. */
#define KG__ACCESS_BARRIER 0x8000u
#define KG__ACCESS_SHUFFLE 0x10000u
#define KG__ACCESS_PRINTF 0x20000u
#define KG__ACCESS_MATRIX 0x40000u
#define KG__ACCESS_KIND ((uint64_t)0x7fff)

/* An access to `address` of this kind, as kg__trace_row has it. */
static inline uint64_t kg__access(uintptr_t address, unsigned int kind)
{
    return (uint64_t)address << KG__ACCESS_SHIFT | kind;
}

/* The kind of such an access. */
static inline unsigned int kg__access_kind(uint64_t what)
{
    return (unsigned int)(what & KG__ACCESS_KIND);
}

/* The address of such an access, without its topmost bits. */
static inline uintptr_t kg__access_address(uint64_t what)
{
    return (uintptr_t)(what >> KG__ACCESS_SHIFT);
}

/* A lane that has done so much waits for the replay. Few, so that all lanes' events stay in the
 * first cache; the switch that each chunk costs is small beside its events. */
#define KG__TRACE_ROWS 64

/* Without the model of an executable's own variables, gcc reaches each through a register. */
#ifdef KG__MODEL_IS_LIBRARY /* of programs (harness/programs/) */
#define KG__TRACE_LOCAL KG__HIDDEN __attribute__((tls_model("initial-exec"))) _Thread_local
#else
#define KG__TRACE_LOCAL KG__HIDDEN __attribute__((tls_model("local-exec"))) _Thread_local
#endif

/* Where the next event of the running lane goes, and where it has no more room: equal when there is
 * no lane to trace, so that hooks have a single test. Of the host thread that launches: what
 * another one's launcher does meanwhile is its own. */
extern KG__TRACE_LOCAL uint64_t *kg__trace_cursor;
extern KG__TRACE_LOCAL uint64_t *kg__trace_limit;
/* The lowest byte of the running lane's stack, its local memory. */
extern KG__TRACE_LOCAL uintptr_t kg__trace_stack;

/* Empties all traces; the warp that runs from now on is number `warp` of its block. */
void kg__trace_begin(unsigned int warp);
/* Gives the turn to a lane, whose stack begins at `stack`. */
void kg__trace_resume(unsigned int lane, const void *stack);

/* Takes the turn away from the lane that has it, if one has. */
void kg__trace_pause(void);
/* Says that the running lane has no more room, and will have more to tell. */
void kg__trace_fill(void);
/* Gives the running lane all its room again, where a hook has taken it away. */
void kg__trace_widen(void);

/* Replays what the warp's lanes have done, as far as it can be told: every lane whose trace is not
 * full has told all that it will for now. Returns the full lanes whose traces are used up: they
 * must run before the replay can go on; 0 when everything is replayed. */
uint32_t kg__trace_replay(void);
/* Replays everything, as after a failure: nobody will go on. */
void kg__trace_finish(void);

#endif
