/* SPDX-License-Identifier: MIT */
/* Implements the compiler's hooks for ThreadSanitizer and for coverage, which instrumented
 * kernels call (undefined.c: those of UndefinedBehaviorSanitizer). No sanitizer library is
 * linked. */
#include "model/watch/tables.h"
#include "model/watch/trace.h"

#include "model/exec/allocations.h"
#include "model/exec/atomic_words.h"
#include "model/exec/fibers.h"
#include "model/exec/matrices.h"
#include "model/watch/findings.h"
#include "model/watch/regions.h"
#include "model/watch/sites.h"
#include "model/watch/undefined.h"
#include "model/watch/watcher.h"

#include <stddef.h>
#include <string.h>

#define MATRIX_ROW 16 /* bytes in a row of eight halves */
#define CODE ((uintptr_t)__builtin_return_address(0))

/* With sanitizers on, gcc declares these functions with types of its own. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

/* Every instrumented source calls this before main(). Its program's variables are known from then
 * on, so that the host's writes to the device's are seen before the first launch. */
void __tsan_init(void)
{
    kg__watch_instrumented();
    (void)kg__model_variable_near((const void *)CODE);
}

static void (*on_host_access)(uintptr_t address, unsigned int kind, uintptr_t code);

void kg__watch_on_host_access(void (*accessed)(uintptr_t address, unsigned int kind,
                                               uintptr_t code))
{
    on_host_access = accessed;
}

/* Finds that the host names a variable of the device: on a GPU it has another one, which only looks
 * the same until a kernel writes. A line is told once: it names one variable. A static one is the
 * device's if a kernel wrote to it. */
static void look_at_variable(const void *address, unsigned int kind, uintptr_t code)
{
    const bool told = kg__found_before(KG__HOST_ACCESS, code);
    const kg__model_variable *variable = !told ? kg__model_variable_near(address) : NULL;
    const kg__region *region;

    if (variable == NULL || variable->of_host ||
        (uintptr_t)address - (uintptr_t)variable->base >= variable->size)
        return;
    if (variable->of_both) {
        if (on_host_access != NULL)
            on_host_access((uintptr_t)address, kind, code);
        return;
    }
    region = kg__region_of(variable->base);
    if (((kind & KG__ACCESS_WRITE) == 0 || !variable->of_device) &&
        (region == NULL || !region->is_written))
        return;
    kg__find_of_host_at(code, &(kg__finding){ .kind = KG__HOST_ACCESS,
                                              .symbol = variable->name,
                                              .by_host = true,
                                              .by.access = kg__access_of(kind) });
}

/* Host code in launchers is instrumented too, and arrives here. */
static void look_at_host(uint64_t what, uintptr_t code)
{
    unsigned int kind = kg__access_kind(what);
    const void *address = (const void *)kg__access_address(what);
    const kg__model_allocation *holder;

    if (kind == 0 || !kg__watch_checks())
        return;
    holder = kg__model_find_near(address);
    if (holder != NULL && !kg__model_is_host_visible(holder))
        kg__find_of_host(kg__model_source_of((const void *)code),
                         &(kg__finding){ .kind = KG__HOST_ACCESS,
                                         .by_host = true,
                                         .by.access = kg__access_of(kind) });
    else if (holder != NULL && on_host_access != NULL)
        on_host_access(kg__access_address(what), kind, code);
    else if (holder == NULL && kg__model_may_be_variable((uintptr_t)address, 1))
        look_at_variable(address, kind, code);
}

/* Ends the launch when the next access is outside of all device memory. An access to the gap
 * behind an array is harmless until its replay reports it. */
static void look_ahead(uint64_t what)
{
    if (kg__region_at(kg__access_address(what)) == NULL)
        kg__model_trap(cudaErrorIllegalAddress, "an access far out of an array's bounds");
}

static inline __attribute__((always_inline)) void write_event(uint64_t what, uintptr_t code)
{
    uint64_t *event = kg__trace.cursor;

    if (event == NULL) /* as it is not while a lane is traced: the analyzer does not see it */
        __builtin_unreachable();
    event[0] = what;
    event[KG__TRACE_TO_CODE] = code;
    kg__trace.cursor = event + KG__TRACE_TO_NEXT;
}

/* Suspends the running lane until its trace has been replayed. */
static void make_room(uintptr_t code)
{
    kg__trace_pause();
    kg__trace_fill();
    kg__model_pass(kg__exec_wait_for_watcher(code));
}

static __attribute__((noinline)) void note_rarely(uint64_t what, uintptr_t code)
{
    bool looks = kg__suspicious;

    if (!kg__model_where(NULL)) {
        look_at_host(what, code);
        return;
    }
    if (kg__trace.cursor == NULL)
        return;
    if (looks) {
        kg__trace_widen();
        /* The head of a basic block may come between an index and its access. */
        kg__suspicious = kg__access_kind(what) == 0;
        if (!kg__suspicious)
            look_ahead(what);
    }
    if (kg__trace.cursor == kg__trace.limit)
        make_room(code);
    write_event(what, code);
    if (kg__suspicious)
        kg__trace.limit = kg__trace.cursor;
}

/* Returns whether nobody looks at an access: of the host, to memory that is its alone. */
static inline bool is_of_host_alone(uintptr_t address, size_t size)
{
    return kg__trace.cursor == NULL &&
           (address + size <= kg__model_lowest || address >= kg__model_highest) &&
           !kg__model_may_be_variable(address, size);
}

/* Handles a full trace, or no lane to trace. Out of line and called last, so that the hooks save
 * no registers. The host's loops call it for each access. */
static __attribute__((noinline)) void note_slowly(uint64_t what, uintptr_t code)
{
    if ((kg__trace.cursor == NULL && kg__access_kind(what) == 0) ||
        is_of_host_alone(kg__access_address(what), 1))
        return;
    note_rarely(what, code);
}

static inline __attribute__((always_inline)) void note(uint64_t what, uintptr_t code)
{
    if (__builtin_expect(kg__trace.cursor == kg__trace.limit, 0))
        note_slowly(what, code);
    else
        write_event(what, code);
}

static inline __attribute__((always_inline)) void note_access(const volatile void *address,
                                                              unsigned int kind, uintptr_t code)
{
    /* A lane's stack is its local memory, which costs no request. */
    if ((uintptr_t)address - kg__trace.stack < KG__MODEL_STACK)
        return;
    /* The replay finds addresses that are not a multiple of 8. */
    if ((kind & KG__ACCESS_BYTES) == 16 &&
        __builtin_expect((uintptr_t)address == kg__misaligned, 0) && (kg__misaligned & 7) == 0)
        kg__find_misaligned(address, 16, kg__misaligned_to, kind, code);
    note(kg__access((uintptr_t)address, kind), code);
}

void kg__trace_note(const void *address, unsigned int kind, uintptr_t code)
{
    note_access(address, kind, code);
}

void kg__trace_note_range(const void *address, size_t size, unsigned int kind, uintptr_t code)
{
    size_t step = (((uintptr_t)address | size) & 3) == 0 ? 4 : 1;

    if (is_of_host_alone((uintptr_t)address, size))
        return;
    for (size_t i = 0; i < size; i += step)
        note_access((const char *)address + i, kind | (unsigned int)step, code);
}

/* Like kg__trace_note_range(), for a structure or for an access that the compiler knows may be
 * misaligned: its words are read byte by byte. */
static void note_unaligned(const void *address, size_t size, unsigned int kind, uintptr_t code)
{
    if (__builtin_expect((uintptr_t)address == kg__misaligned, 0))
        kg__find_misaligned(address, (unsigned int)size, kg__misaligned_to, kind, code);
    kind |= KG__ACCESS_WHOLE;
    for (size_t i = 0; size <= 4 && i < size; i++)
        note_access((const char *)address + i, kind | 1, code);
    if (size > 4)
        kg__trace_note_range(address, size, kind, code);
}

/* Makes room for some events, so that the running lane does not pause between them. Returns whether
 * it has paused before them. */
static inline __attribute__((always_inline)) bool make_room_for(unsigned int events, uintptr_t code)
{
    const bool looks = kg__suspicious;
    bool lacks;

    if (kg__trace.cursor == NULL)
        return false;
    if (__builtin_expect(looks, 0))
        kg__trace_widen();
    lacks = kg__trace.limit - kg__trace.cursor < (ptrdiff_t)(events * KG__TRACE_TO_NEXT);
    if (__builtin_expect(lacks, 0))
        make_room(code);
    if (__builtin_expect(looks, 0))
        kg__trace.limit = kg__trace.cursor;
    return lacks;
}

/* Kernels for lanes in lockstep exchange volatile words: as on a GPU, no lane goes on to such an
 * access before the others have done the last one. It would read sums that others had yet to add
 * to, or undo what others counted between its read and its write. */
static void note_volatile(const void *address, unsigned int kind, uintptr_t code)
{
    if (kg__trace.cursor != NULL && !kg__suspicious &&
        (uintptr_t)address - kg__trace.stack >= KG__MODEL_STACK)
        make_room(code);
    if ((kind & KG__ACCESS_WRITE) == 0 && kg__exec_rereads(address))
        kg__model_pass(kg__exec_wait_for_others(code));
    note_access(address, KG__ACCESS_VOLATILE | kind, code);
}

void __sanitizer_cov_trace_pc(void)
{
    note(0, CODE);
}

#define HOOK(name, call)                                                                           \
    void __tsan_##name(const void *address)                                                        \
    {                                                                                              \
        call;                                                                                      \
    }
#define ACCESSES(size)                                                                             \
    HOOK(read##size, note_access(address, size, CODE))                                             \
    HOOK(write##size, note_access(address, KG__ACCESS_WRITE | (size), CODE))                       \
    HOOK(unaligned_read##size, note_unaligned(address, size, 0, CODE))                             \
    HOOK(unaligned_write##size, note_unaligned(address, size, KG__ACCESS_WRITE, CODE))             \
    HOOK(volatile_read##size, note_volatile(address, size, CODE))                                  \
    HOOK(volatile_write##size, note_volatile(address, KG__ACCESS_WRITE | (size), CODE))
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

/* The store of a polymorphic object's vtable pointer. */
void __tsan_vptr_update(const void *address, const void *value)
{
    (void)value;
    kg__tables_forget(address, sizeof(void *));
    note_access(address, KG__ACCESS_WRITE | sizeof(void *), CODE);
}

HOOK(vptr_read, note_access(address, sizeof(void *), CODE))

void __tsan_read_range(const void *address, size_t size)
{
    note_unaligned(address, size, 0, CODE);
}

void __tsan_write_range(const void *address, size_t size)
{
    note_unaligned(address, size, KG__ACCESS_WRITE, CODE);
}

/* Fences are recorded in the trace to keep each lane's order of fences and accesses. */
#define FENCE(name, kind, order)                                                                   \
    void kg__model_##name(void)                                                                    \
    {                                                                                              \
        __atomic_thread_fence(order);                                                              \
        kg__trace.fenced = true;                                                                   \
        note(kg__access(kind, KG__ACCESS_NOTE | KG__ACCESS_ATOMIC), CODE);                         \
    }
FENCE(fence, KG__FENCE_OF_DEVICE, __ATOMIC_SEQ_CST)
FENCE(fence_block, KG__FENCE_OF_BLOCK, __ATOMIC_RELAXED)
FENCE(acquire, KG__FENCE_OF_ACQUIRE, __ATOMIC_RELAXED)

/* Events of an atomic update at most. Behind a fence those before it are replayed, but of locks. */
#define UPDATING 16
#define TELLING(order) (kg__trace.fenced && (order) != __ATOMIC_ACQUIRE ? KG__TRACE_ROWS : UPDATING)

/* The stand-in's atomics load once and store once. The load is the request, and no other thread
 * runs between the two: a lane that paused in a basic block there undid what others stored. The
 * load's memory order marks a compare-and-swap. An exchange is one access, since it does not depend
 * on the old value. */
#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order)   \
    {                                                                                              \
        (void)make_room_for(TELLING(order), CODE);                                                 \
        note_access(address,                                                                       \
                    KG__ACCESS_ATOMIC | sizeof *address |                                          \
                        (order == __ATOMIC_ACQUIRE ? KG__ACCESS_VOLATILE : 0),                     \
                    CODE);                                                                         \
        return *address;                                                                           \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order)                                                    \
    {                                                                                              \
        (void)order;                                                                               \
        *address = value;                                                                          \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *address,                \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        note_access(address, KG__ACCESS_ATOMIC | KG__ACCESS_WRITE | sizeof *address, CODE);        \
        /* Threads of the host come here too. */                                                   \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

/* cuda::atomic calls these instead of the hooks, with its order and scope, in plain kernels too. */

static unsigned int kind_of_atomic(size_t bytes, unsigned int how)
{
    if ((how & KG__MODEL_OF_THREAD) != 0)
        return (unsigned int)bytes | ((how & KG__MODEL_UPDATES) != 0 ? KG__ACCESS_WRITE : 0);
    return (unsigned int)bytes | KG__ACCESS_STRONG |
           ((how & KG__MODEL_UPDATES) == 0    ? KG__ACCESS_VOLATILE
            : (how & KG__MODEL_REPLACES) != 0 ? KG__ACCESS_ATOMIC | KG__ACCESS_WRITE
                                              : KG__ACCESS_ATOMIC) |
           ((how & KG__MODEL_LOCKS) != 0 ? KG__ACCESS_VOLATILE : 0) |
           ((how & KG__MODEL_ACQUIRES) != 0 ? KG__ACCESS_ACQUIRE : 0) |
           ((how & KG__MODEL_RELEASES) != 0 ? KG__ACCESS_RELEASE : 0) |
           ((how & KG__MODEL_OF_BLOCK) != 0 ? KG__ACCESS_OF_BLOCK : 0);
}

/* Waits until an atomic read may happen and the trace has room for the update, so that no other
 * thread runs in between. */
static void wait_for_value(const void *word, bool acquires, uintptr_t code)
{
    for (;;) {
        if (make_room_for(UPDATING, code))
            continue;
        if (!kg__exec_is_early(word, acquires))
            return;
        kg__model_pass(kg__exec_wait_for_others(code));
    }
}

void kg__model_atomic_read(const void *word, void *value, size_t bytes, unsigned int how)
{
    uint64_t first = 0;

    wait_for_value(word, (how & (KG__MODEL_ACQUIRES | KG__MODEL_UPDATES)) == KG__MODEL_ACQUIRES,
                   CODE);
    note_access(word, kind_of_atomic(bytes, how), CODE);
    kg__exec_load_word(word, value, bytes);
    memcpy(&first, value, bytes < sizeof first ? bytes : sizeof first);
    kg__exec_polled(word, first);
}

void kg__model_atomic_write(void *word, const void *value, size_t bytes, unsigned int how)
{
    note_access(word, KG__ACCESS_WRITE | kind_of_atomic(bytes, how), CODE);
    kg__exec_store_word(word, value, bytes);
    if ((how & KG__MODEL_RELEASES) != 0)
        kg__exec_released(word);
}

int kg__model_atomic_end(void *word, const void *old, const void *now, size_t bytes,
                         unsigned int how)
{
    if (!kg__exec_shares_blocks())
        memcpy(word, now, bytes);
    else if (!kg__exec_exchange_word(word, old, now, bytes))
        return false;
    if ((how & KG__MODEL_RELEASES) != 0)
        kg__exec_released(word);
    return true;
}

void kg__model_tries_in_vain(const void *word, uint64_t value)
{
    if (kg__exec_tries_in_vain(word, value))
        kg__model_pass(kg__exec_wait_for_others(CODE));
}

/* An asynchronous copy's accesses are recorded at its call, and its completion at the wait. */

void kg__model_copy_async(void *to, const void *from, size_t size, size_t zeros, const void *bound)
{
    size_t read = size - zeros;

    if (read == size)
        note_access(from, (unsigned int)size, CODE - 1);
    else
        kg__trace_note_range(from, read, 0, CODE - 1);
    note_access(to, KG__ACCESS_WRITE | KG__ACCESS_ASYNC | (unsigned int)size, CODE);
    kg__exec_copy_async(to, from, size, zeros, bound);
}

void kg__model_wait_for_copies(unsigned int newest)
{
    void *to;
    size_t size;
    bool same;

    while (kg__exec_bring_copy(newest, &to, &size, &same)) {
        note(kg__access((uintptr_t)to, KG__ACCESS_NOTE | KG__ACCESS_ASYNC | (unsigned int)size),
             CODE);
        if (!same)
            kg__fail_overwritten();
    }
}

/* A barrier's initialization is a write of its memory, and each arrival a read: none of them is
 * counted. */

void kg__model_init_object(kg__model_barrier_object *object, unsigned int expected)
{
    note_access(object, KG__ACCESS_WRITE | KG__ACCESS_ASYNC | 4, CODE);
    note(kg__access((uintptr_t)object, KG__ACCESS_NOTE | KG__ACCESS_ASYNC | 4), CODE);
    *object = (kg__model_barrier_object){ .expected = expected, .pending = expected };
}

uint64_t kg__model_arrive_at_object(kg__model_barrier_object *object, unsigned int count,
                                    unsigned int leaving)
{
    note_access(object, KG__ACCESS_ASYNC | 4, CODE);
    return kg__exec_arrive_at(object, count, leaving, CODE);
}

void kg__model_touch_matrix(const kg__model_matrix *matrix, const void *memory, size_t stride,
                            int by_rows, int writes)
{
    const unsigned int kind = writes ? KG__ACCESS_WRITE : 0;
    const kg__region *region = kg__exec_shares_blocks() ? NULL : kg__region_at((uintptr_t)memory);
    const bool shared = region != NULL && region->space == KG__MODEL_SHARED;
    const char *second = (const char *)memory + stride * kg__matrix_element_size(matrix);
    const unsigned int alignment = kg__matrix_alignment(matrix);
    kg__model_place who;
    kg__matrix_access access;

    if (kg__exec_shares_blocks() || !kg__model_where(&who))
        return;
    if (kg__watch_checks() && (uintptr_t)memory % alignment != 0)
        kg__find_misaligned(memory, alignment, alignment, kind, CODE);
    else if (kg__watch_checks() && (uintptr_t)second % alignment != 0)
        kg__find_misaligned(second, alignment, alignment, kind, CODE);
    for (unsigned int i = 0;
         kg__matrix_access_of(matrix, stride, by_rows != 0, shared, who.lane, i, &access); i++) {
        if (access.bytes > 0)
            note_access((const char *)memory + access.offset, kind | access.bytes, CODE);
    }
}

static void note_row(const void *address, unsigned int kind, uintptr_t code)
{
    if ((uintptr_t)address % MATRIX_ROW == 8)
        kg__find_misaligned(address, MATRIX_ROW, MATRIX_ROW, kind, code);
    note_access(address, kind | MATRIX_ROW, code);
}

void kg__model_read_row(const void *address, uint32_t *words)
{
    note_row(address, 0, CODE);
    memcpy(words, address, MATRIX_ROW);
}

void kg__model_write_row(void *address, const uint32_t *words)
{
    note_row(address, KG__ACCESS_WRITE, CODE);
    memcpy(address, words, MATRIX_ROW);
}

void kg__trace_count(unsigned int kind, unsigned int times, uintptr_t code)
{
    if (kg__trace.cursor == NULL)
        return;
    kg__model_hold_sigterm(); /* SIGTERM must not find a half-grown table of sites */
    kg__site_note(code, kind, times);
    kg__model_release_sigterm();
}

void kg__model_multiplies(unsigned int times)
{
    kg__trace_count(KG__ACCESS_MATRIX, times, CODE);
}
