/* SPDX-License-Identifier: MIT */
/* The lanes' traces and their replay: lanes at the lowest code address go first. */
#include "model/watch/trace.h"

#include "model/exec/fibers.h"
#include "model/watch/requests.h"

#include <string.h>

#define WARP KG__MODEL_WARP
#define EVERY_LANE UINT32_MAX

_Thread_local kg__trace_lane kg__trace;

static kg__trace_row rows[KG__TRACE_ROWS + 1] __attribute__((aligned(64)));
static uint8_t filled[WARP];   /* rows that a lane has written */
static uint8_t replayed[WARP]; /* rows of these already replayed */
static uint32_t full;          /* lanes that wait for room */
static unsigned int running;   /* the lane that has its turn */

void kg__trace_begin(unsigned int warp)
{
    memset(filled, 0, sizeof filled);
    memset(replayed, 0, sizeof replayed);
    full = 0;
    kg__request_begin_warp(warp);
}

void kg__trace_resume(unsigned int lane, const void *stack)
{
    running = lane;
    kg__trace.cursor = &rows[filled[lane]].what[lane];
    kg__trace.limit = &rows[KG__TRACE_ROWS].what[lane];
    kg__trace.stack = (uintptr_t)stack;
    kg__trace.fenced = false;
}

void kg__trace_pause(void)
{
    if (kg__trace.cursor == NULL)
        return;
    filled[running] =
        (uint8_t)((size_t)(kg__trace.cursor - &rows[0].what[running]) / KG__TRACE_TO_NEXT);
    kg__trace.cursor = kg__trace.limit = NULL;
}

void kg__trace_fill(void)
{
    full |= 1u << running;
}

void kg__trace_widen(void)
{
    kg__trace.limit = &rows[KG__TRACE_ROWS].what[running];
}

void kg__trace_note_barrier(const kg__model_barrier_object *object, bool arrives, uintptr_t code)
{
    const unsigned int odd = (unsigned int)object->phase & 1;
    const unsigned int kind =
        KG__ACCESS_NOTE | (arrives ? KG__ACCESS_RELEASE | odd : KG__ACCESS_ACQUIRE);
    const bool looks = kg__trace.cursor == kg__trace.limit; /* a hook may look at the next event */

    if (kg__trace.cursor == NULL)
        return;
    if (kg__trace.cursor == &rows[KG__TRACE_ROWS].what[running]) {
        kg__trace_pause();
        kg__trace_fill();
        kg__model_pass(kg__exec_wait_for_watcher(code));
    }
    kg__trace.cursor[0] = kg__access((uintptr_t)object, kind);
    kg__trace.cursor[KG__TRACE_TO_CODE] = code;
    kg__trace.cursor += KG__TRACE_TO_NEXT;
    if (looks)
        kg__trace.limit = kg__trace.cursor;
}

/* Replays whole rows from `row` to before `end`, while all lanes are together. Returns the first
 * row where they are not. */
KG__OF_VECTORS static unsigned int replay_rows(unsigned int row, unsigned int end)
{
    uint64_t addresses[WARP];

    for (; row < end; row++) {
        const uint64_t *what = rows[row].what;
        const uintptr_t *code = rows[row].code;
        unsigned int kind = kg__access_kind(what[0]);
        uint64_t apart = 0;

        for (int lane = 0; lane < WARP; lane++) {
            apart |= code[lane] ^ code[0];
            apart |= (what[lane] ^ what[0]) & KG__ACCESS_KIND;
            addresses[lane] = kg__access_address(what[lane]);
        }
        if (apart != 0)
            break;
        if (kind != 0)
            kg__request_take(code[0], kind, WARP, addresses, NULL);
    }
    return row;
}

/* The lanes of one step that are not adjacent. */
typedef struct gathering {
    unsigned int count;
    uint8_t lanes[WARP];
    uint64_t addresses[WARP];
} gathering;

/* Replays one step of the lanes in `left`: those at the lowest code address. Returns these. */
static uint32_t step(uint32_t left)
{
    gathering together = { 0 };
    uintptr_t lowest = UINTPTR_MAX;
    unsigned int kind = 0;
    uint32_t moved = 0;

    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
        unsigned int lane = (unsigned int)__builtin_ctz(rest);
        const uint64_t what = rows[replayed[lane]].what[lane];
        const uintptr_t code = rows[replayed[lane]].code[lane];

        if (code > lowest || (code == lowest && kg__access_kind(what) != kind))
            continue;
        if (code < lowest) {
            lowest = code;
            kind = kg__access_kind(what);
            moved = 0;
            together.count = 0;
        }
        moved |= 1u << lane;
        together.lanes[together.count] = (uint8_t)lane;
        together.addresses[together.count++] = kg__access_address(what);
    }
    for (unsigned int i = 0; i < together.count; i++)
        replayed[together.lanes[i]]++;
    if (kind != 0)
        kg__request_take(lowest, kind, together.count, together.addresses, together.lanes);
    return moved;
}

/* Returns the lanes of `among` that have no event left. */
static uint32_t used_up(uint32_t among)
{
    uint32_t lanes = 0;

    if (memcmp(replayed, filled, sizeof filled) == 0)
        return among;
    for (uint32_t rest = among; rest != 0; rest &= rest - 1) {
        unsigned int lane = (unsigned int)__builtin_ctz(rest);

        if (replayed[lane] == filled[lane])
            lanes |= 1u << lane;
    }
    return lanes;
}

/* Returns whether all lanes are at the same row and have more; sets `end` to the first row that not
 * all of them have. */
static bool stand_in_one_row(unsigned int *end)
{
    unsigned int apart = 0;
    uint8_t least = filled[0];

    for (int lane = 1; lane < WARP; lane++) {
        apart |= replayed[lane] ^ replayed[0];
        least = filled[lane] < least ? filled[lane] : least;
    }
    *end = least;
    return apart == 0 && replayed[0] < least;
}

static void empty(uint32_t lanes)
{
    for (int lane = 0; lane < WARP; lane++) {
        const uint8_t kept = (uint8_t)((lanes >> lane & 1) - 1);

        filled[lane] &= kept;
        replayed[lane] &= kept;
    }
}

/* Replays the traces. Returns the lanes whose full traces are used up. */
static uint32_t replay(void)
{
    uint32_t left;
    uint32_t dry;
    unsigned int end;

    if (stand_in_one_row(&end))
        memset(replayed, (int)replay_rows(replayed[0], end), sizeof replayed);
    left = ~used_up(EVERY_LANE);
    while (left != 0 && (full & ~left) == 0)
        left &= ~used_up(step(left));
    dry = full & ~left;
    empty(~left);
    full &= ~dry;
    return dry;
}

uint32_t kg__trace_replay(void)
{
    uint32_t dry;

    /* SIGTERM must not interrupt the growth of a table, since the final replay uses it. */
    kg__model_hold_sigterm();
    dry = replay();
    kg__model_release_sigterm();
    return dry;
}

void kg__trace_finish(void)
{
    do
        full = 0;
    while (kg__trace_replay() != 0);
}
