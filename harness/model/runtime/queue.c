/* SPDX-License-Identifier: MIT */
/* The queue of all streams' work, in the order of its calls. Work executes at its call, or in
 * reversed order when something waits for it: then the latest first, after what happens before it.
 * Work stays here until the host has waited for it, so that what conflicts with it is found. */
#include "model/runtime/queue.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/launch.h"
#include "model/watch/findings.h"
#include "model/watch/places.h"
#include "model/watch/regions.h"
#include "model/watch/trace.h"
#include "model/watch/watcher.h"

#include <stdlib.h>

/* Pieces of work that are kept. A program that never waits executes its work then, and conflicts
 * with what was done longest ago are no longer found. */
#define KEPT_MAXIMUM 1024
/* The same before there is a second stream, whose work may yet conflict with the latest. */
#define KEPT_OF_ONE_STREAM 16
/* The same of the spans that they access; 64 MiB. */
#define SPANS_MAXIMUM ((size_t)4 << 20)

typedef struct piece {
    struct piece *next, *before;
    kg__action *action;
    size_t stream;
    uint32_t number; /* in its stream */
    kg__clock after; /* what happens before it, and itself */
    enum { WAITING, RUNNING, DONE } state;
    kg__spans spans;
} piece;

static piece *first;
static piece *last;
static size_t kept_count;
static size_t waiting_count;
static size_t span_count; /* of the pieces that are done */
static kg__clock host;    /* what the host has waited for */
static kg__clock printed; /* the latest work that called printf(), and what happens before it */
bool kg__queue_defers;
bool kg__queue_overlaps;
/* Bounds of all memory that the pieces access. */
static uintptr_t lowest = UINTPTR_MAX;
static uintptr_t highest;
static unsigned int users; /* calls that hold pointers into the queue */
/* The work that the calling thread executes: a function of the host. */
static _Thread_local const piece *acting;

void *kg__action_make(size_t size, const char *what, cudaError_t (*run)(kg__action *action),
                      void (*drop)(kg__action *action))
{
    kg__action *made = kg__allocate(1, size);

    made->references = 1;
    made->run = run;
    made->drop = drop;
    made->what = what;
    if (kg__is_of_program || kg__model_where(NULL))
        kg__note_call_site(&made->site);
    return made;
}

void kg__action_release(kg__action *action)
{
    if (--action->references > 0)
        return;
    if (action->drop != NULL)
        action->drop(action);
    kg__spans_free(&action->spans);
    kg__spans_free(&action->early);
    free(action);
}

static size_t kept_maximum(void)
{
    return kg__queue_defers || kg__streams_made || kg__queue_overlaps || kg__model_host_visible_ever
               ? KEPT_MAXIMUM
               : KEPT_OF_ONE_STREAM;
}

static bool happens_before(const piece *one, const kg__clock *until)
{
    return kg__clock_of(until, one->stream) >= one->number;
}

static size_t spans_of(const piece *one)
{
    size_t count = 0;

    for (int i = 0; i < KG__SPAN_KINDS; i++)
        count += one->spans.of[i].count;
    return count;
}

static void unlink_piece(piece *gone)
{
    span_count -= spans_of(gone);
    *(gone->before != NULL ? &gone->before->next : &first) = gone->next;
    *(gone->next != NULL ? &gone->next->before : &last) = gone->before;
    kept_count--;
    free(gone->after.pieces);
    if (gone->action->spans.of[0].count + gone->action->spans.of[1].count == 0)
        kg__spans_free(&gone->spans);
    kg__action_release(gone->action);
    free(gone);
}

/* Forgets what no later work can conflict with. Deferred work may conflict with what the host has
 * waited for. */
static void forget(void)
{
    piece *next;

    if (users > 0)
        return;
    for (piece *one = first; one != NULL; one = next) {
        next = one->next;
        if (one->state == DONE && (kept_count > kept_maximum() || span_count > SPANS_MAXIMUM ||
                                   (waiting_count == 0 && happens_before(one, &host))))
            unlink_piece(one);
    }
    if (first == NULL) {
        lowest = UINTPTR_MAX;
        highest = 0;
    }
}

static void widen_bounds(const kg__spans *by)
{
    for (int i = 0; i < KG__SPAN_KINDS; i++) {
        if (by->of[i].count == 0)
            continue;
        if (by->of[i].list[0].start < lowest)
            lowest = by->of[i].list[0].start;
        if (by->of[i].list[by->of[i].count - 1].end > highest)
            highest = by->of[i].list[by->of[i].count - 1].end;
    }
}

static kg__finding_access access_of(bool writes)
{
    return writes ? KG__WRITE : KG__READ;
}

/* Returns the finding of an access to an address of the device. */
static kg__finding finding_at(kg__finding_kind kind, uintptr_t address, unsigned int bytes,
                              bool writes)
{
    const kg__region *region = kg__region_at(address);

    return region != NULL
               ? kg__finding_in(kind, region, address - region->start, bytes, access_of(writes))
               : (kg__finding){ .kind = kind,
                                .address = address,
                                .bytes = bytes,
                                .by.access = access_of(writes) };
}

static kg__model_source source_of(const kg__action *action)
{
    return kg__model_host_source(action->site.calls, action->site.count);
}

static void set_other(kg__finding *what, const kg__action *action, bool writes)
{
    kg__set_source(&what->other, source_of(action));
    what->other.access = access_of(writes);
    what->other.what = action->what;
}

void kg__queue_find_conflict(const kg__action *mine, const kg__spans *my_spans,
                             const kg__action *other, const kg__spans *other_spans,
                             const char *wait)
{
    for (int how = 1; how < KG__SPAN_KINDS * KG__SPAN_KINDS; how++) {
        const int kind = how / KG__SPAN_KINDS;
        const int other_kind = how % KG__SPAN_KINDS;
        const bool writes = kind != KG__SPANS_READ;
        const bool other_writes = other_kind != KG__SPANS_READ;
        uintptr_t address;
        kg__finding what;

        /* Atomics do not conflict with each other. */
        if ((kind == KG__SPANS_UPDATED && other_kind == kind) ||
            !kg__spans_meet(my_spans, kind, other_spans, other_kind, &address))
            continue;
        what = finding_at(KG__RACE_BETWEEN_STREAMS, address, 0, writes);
        what.by.what = mine->what;
        what.detail = wait;
        set_other(&what, other, other_writes);
        kg__find_of_host(source_of(mine), &what);
        return;
    }
}

/* Returns whether `mine` may begin before the launch `other` ends, although it comes next in its
 * stream. */
static bool overlaps(const piece *mine, const piece *other)
{
    return mine->action->overlaps && other->action->run == mine->action->run &&
           other->stream == mine->stream && other->number + 1 == mine->number;
}

/* Finds work that accesses the same memory as `mine`, and that nothing orders with it. A wait for
 * the launch before is one for all launches before that, which an H200 completes in order. */
static void find_conflicts(const piece *mine)
{
    const kg__spans *spans = mine->action->awaits ? &mine->action->early : &mine->spans;
    const piece *oldest = mine; /* of the launches that began before the one before them ended */

    for (const piece *other = last; other != NULL; other = other->before) {
        const bool may_run = oldest != NULL && overlaps(oldest, other);

        if (other != mine && other->state == DONE &&
            (may_run || !happens_before(other, &mine->after)) &&
            !happens_before(mine, &other->after))
            kg__queue_find_conflict(mine->action, may_run ? spans : &mine->spans, other->action,
                                    &other->spans,
                                    may_run ? "cudaGridDependencySynchronize()" : NULL);
        if (may_run)
            oldest = other->action->awaits ? NULL : other;
    }
}

/* Runs an action, which `after` includes; the host has to wait for what prints. */
static cudaError_t act(kg__action *action, const kg__clock *after)
{
    const void *before = __atomic_exchange_n(&kg__model_printed_at, NULL, __ATOMIC_RELAXED);
    const cudaError_t error = action->run(action);

    if (kg__model_printed_at != NULL)
        kg__clock_join(&printed, after);
    else
        kg__model_printed_at = before;
    return error;
}

static cudaError_t run(piece *mine)
{
    const bool is_known = spans_of(mine) > 0;
    const piece *outer = acting;
    cudaError_t error = kg__model_sticky_error();

    /* It may free the memory. */
    if (is_known)
        find_conflicts(mine);
    /* The function may tell a thread of the host to continue. */
    if (mine->action->calls_host)
        kg__clock_join(&host, &mine->after);
    mine->state = RUNNING;
    acting = mine;
    if (kg__is_of_program)
        (void)kg__watch_track(&mine->spans);
    if (error == cudaSuccess)
        error = act(mine->action, &mine->after);
    (void)kg__watch_track(NULL);
    acting = outer;
    mine->state = DONE;
    waiting_count--;
    kg__model_announce();
    if (!is_known) {
        kg__spans_sort(&mine->spans);
        widen_bounds(&mine->spans);
        find_conflicts(mine);
    }
    span_count += spans_of(mine);
    return error;
}

/* Executes all that happens before a piece, the latest first, and then the piece. */
static cudaError_t run_in_order(piece *mine)
{
    cudaError_t error = cudaSuccess;

    for (piece *other = mine->before; other != NULL; other = other->before) {
        if (other->state != DONE && happens_before(other, &mine->after))
            (void)run_in_order(other);
    }
    if (mine->state == WAITING)
        error = run(mine);
    /* Another thread executes it. */
    while (mine->state == RUNNING)
        kg__model_await();
    return error;
}

cudaError_t kg__queue_give(kg__stream *stream, kg__action *action)
{
    cudaError_t error = cudaSuccess;
    piece *given;

    kg__stream_advance(stream, &host);
    if (!kg__is_of_program) {
        error = act(action, &stream->clock);
        kg__action_release(action);
        return error;
    }
    given = kg__allocate(1, sizeof *given);
    *given = (piece){ .before = last,
                      .action = action,
                      .stream = stream->number,
                      .number = stream->given,
                      .spans = action->spans };
    kg__clock_join(&given->after, &stream->clock);
    *(last != NULL ? &last->next : &first) = given;
    last = given;
    kept_count++;
    waiting_count++;
    widen_bounds(&given->spans);
    users++;
    /* The host may wait for its function without a call. */
    if (!kg__queue_defers || action->calls_host)
        error = run_in_order(given);
    users--;
    if (waiting_count >= KEPT_MAXIMUM)
        error = kg__queue_wait_for_all();
    forget();
    return error;
}

/* Executes what happens before `until`; returns whether there was any. */
static bool execute(const kg__clock *until)
{
    bool any = false;

    users++;
    for (piece *one = last; one != NULL; one = one->before) {
        if (one->state == DONE || !happens_before(one, until))
            continue;
        (void)run_in_order(one);
        any = true;
    }
    users--;
    return any;
}

cudaError_t kg__queue_execute(const kg__clock *until)
{
    (void)execute(until);
    return kg__model_sticky_error();
}

cudaError_t kg__queue_wait(const kg__clock *until)
{
    (void)execute(until);
    kg__clock_join(&host, until);
    forget();
    return kg__model_sticky_error();
}

bool kg__queue_is_done(const kg__clock *until)
{
    return !execute(until) && kg__queue_wait(until) == cudaSuccess;
}

bool kg__queue_has_waited(const kg__clock *until)
{
    size_t i = 0;

    while (i < until->room && until->pieces[i] <= kg__clock_of(&host, i))
        i++;
    return i == until->room;
}

cudaError_t kg__queue_wait_for_all(void)
{
    kg__clock all = { 0 };
    cudaError_t error;

    kg__streams_all(&all);
    error = kg__queue_wait(&all);
    free(all.pieces);
    return error;
}

/* Notes an access by the host to memory that the device can access too. A volatile or atomic one is
 * taken for a wait of the program's own: for all work, since spans lack volatile writes of flags.
 */
static void note_host_access(uintptr_t address, unsigned int kind, uintptr_t code)
{
    kg__span one = { address, address + (kind & KG__ACCESS_BYTES) };
    const bool writes = (kind & KG__ACCESS_WRITE) != 0;
    const bool waits = (kind & (KG__ACCESS_ATOMIC | KG__ACCESS_VOLATILE)) != 0;
    const kg__clock *until = acting != NULL ? &acting->after : &host;
    const bool outside =
        kg__model_find((const void *)address) == NULL && !kg__model_in_image((const void *)address);
    kg__spans mine = { 0 };

    /* A kernel that runs may wait for this thread. */
    if ((!waits && !outside && (one.end <= lowest || address >= highest)) ||
        !kg__model_try_to_hold())
        return;
    if (outside) {
        kg__finding what = finding_at(KG__OUT_OF_BOUNDS, address, kind & KG__ACCESS_BYTES, writes);

        what.by_host = true;
        if (!kg__found_before(what.kind, code))
            kg__find_of_host_at(code, &what);
    }
    if (waits && first != NULL)
        (void)kg__queue_wait_for_all();
    mine.of[writes].list = &one;
    mine.of[writes].count = 1;
    for (const piece *other = waits ? NULL : first; other != NULL; other = other->next) {
        const bool written =
            kg__spans_meet(&mine, writes, &other->spans, KG__SPANS_WRITTEN, &address) ||
            kg__spans_meet(&mine, writes, &other->spans, KG__SPANS_UPDATED, &address);
        kg__finding what;

        if (happens_before(other, until) ||
            (!written &&
             (!writes || !kg__spans_meet(&mine, writes, &other->spans, KG__SPANS_READ, &address))))
            continue;
        if (kg__found_before(KG__HOST_TOO_EARLY, code))
            break;
        what = finding_at(KG__HOST_TOO_EARLY, address, kind & KG__ACCESS_BYTES, writes);
        what.by_host = true;
        set_other(&what, other->action, written);
        kg__find_of_host_at(code, &what);
        break;
    }
    kg__model_unhold();
}

void kg__model_finish_work(void)
{
    kg__clock all = { 0 };

    kg__model_hold();
    kg__streams_all(&all);
    (void)execute(&all);
    free(all.pieces);
    if (kg__queue_has_waited(&printed) || kg__model_sticky_error() != cudaSuccess)
        kg__model_printed_at = NULL;
    (void)kg__queue_wait_for_all();
    kg__model_unhold();
}

const void *kg__model_lost_output(void)
{
    return kg__model_printed_at;
}

void kg__model_order_streams(bool in_reverse)
{
    kg__queue_defers = in_reverse;
    kg__is_of_program = true;
    kg__watch_on_host_access(note_host_access);
}

void kg__model_has_managed(void)
{
    kg__model_host_visible_ever = true;
}
