/* What instrumented kernels call: the compiler's hooks for ThreadSanitizer, for coverage and for
 * bounds, with a meaning of our own. None of the sanitizers' libraries is linked. */
#include "model/watch/trace.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/matrices.h"
#include "model/watch/findings.h"
#include "model/watch/regions.h"
#include "model/watch/watcher.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX_ROW 16 /* bytes of a row of eight halves */
#define CODE ((uintptr_t)__builtin_return_address(0))

/* With sanitizers on, gcc knows functions of these names, with types of its own for them. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

/* An index was out of its array's bounds: the access that follows is looked at before it happens,
 * so that it does not destroy what the model itself needs. */
static bool suspicious;

/* The address that an access is about to touch, which its type does not allow, and the alignment
 * that it needs: the compiler's hook of an access alone does not say whether it touches a vector or
 * a structure whose members are aligned. 0: none. */
static uintptr_t misaligned;
static unsigned int misaligned_to;

/* Every instrumented source calls this before main(). */
void __tsan_init(void);
void __tsan_init(void)
{
    kg__watch_instrumented();
}

/* The host's own accesses, in launchers, come here too. */
static void look_at_host(uint64_t what, uintptr_t code)
{
    unsigned int kind = kg__access_kind(what);
    const void *address = (const void *)kg__access_address(what);
    const kg__model_allocation *holder;

    if (kind == 0 || !kg__watch_checks())
        return;
    holder = kg__model_find(address);
    if (holder != NULL && holder->kind == KG__MODEL_DEVICE)
        kg__find_of_host(code, kg__access_of(kind),
                         &(kg__finding){ .kind = KG__HOST_ACCESS, .by_host = true });
}

/* Ends the launch when an access that is about to happen is outside of all device memory. What
 * touches the hole behind an array does no harm before the replay comes to it. */
static void look_ahead(uint64_t what)
{
    if (kg__region_at(kg__access_address(what)) == NULL)
        kg__model_trap(cudaErrorIllegalAddress, "an access far out of an array's bounds");
}

static inline __attribute__((always_inline)) void write_event(uint64_t what, uintptr_t code)
{
    kg__trace_event *event = kg__trace_cursor;

    event->what = what;
    event->code = code;
    kg__trace_cursor = event + KG__MODEL_WARP;
}

/* Has the running lane wait until its trace has been replayed. */
static void make_room(uintptr_t code)
{
    kg__trace_pause();
    kg__trace_fill();
    kg__model_pass(kg__exec_wait_for_watcher(code));
}

/* The running lane has no room for another event, or there is no lane to trace. Out of line and
 * called last, so that the hooks save no registers. */
static __attribute__((noinline)) void note_slowly(uint64_t what, uintptr_t code)
{
    bool looks = suspicious;

    if (!kg__model_where(NULL)) {
        look_at_host(what, code);
        return;
    }
    if (kg__trace_cursor == NULL)
        return;
    if (looks) {
        kg__trace_widen();
        /* The head of a basic block may come between an index and its access. */
        suspicious = kg__access_kind(what) == 0;
        if (!suspicious)
            look_ahead(what);
    }
    if (kg__trace_cursor == kg__trace_limit)
        make_room(code);
    write_event(what, code);
    if (suspicious)
        kg__trace_limit = kg__trace_cursor;
}

static inline __attribute__((always_inline)) void note(uint64_t what, uintptr_t code)
{
    if (__builtin_expect(kg__trace_cursor == kg__trace_limit, 0))
        note_slowly(what, code);
    else
        write_event(what, code);
}

/* Says that the running thread's access is to an address that is not a multiple of `alignment`. */
static __attribute__((noinline)) void find_misaligned(const volatile void *address,
                                                      unsigned int bytes, unsigned int alignment,
                                                      unsigned int kind, uintptr_t code)
{
    const bool local = kg__exec_is_local((const void *)address);
    const kg__region *region = local ? NULL : kg__region_at((uintptr_t)address);
    kg__finding what = { .kind = KG__MISALIGNED, .address = local ? 0 : (uintptr_t)address };
    kg__model_place who;

    misaligned = 0;
    if (!kg__model_where(&who) || !kg__watch_checks())
        return;
    if (region != NULL) {
        what = kg__finding_in(KG__MISALIGNED, region);
        what.offset = (int64_t)((uintptr_t)address - region->start);
    } else if (local) {
        what.space = KG__LOCAL;
    }
    what.bytes = bytes;
    what.alignment = alignment != bytes ? alignment : 0;
    kg__find(&(kg__finding_place){ code, kg__access_of(kind), who.linear, NULL }, &what);
}

static inline __attribute__((always_inline)) void note_access(const volatile void *address,
                                                              unsigned int kind, uintptr_t code)
{
    /* A lane's stack is its local memory, which costs no request. */
    if ((uintptr_t)address - kg__trace_stack < KG__MODEL_STACK)
        return;
    /* The replay finds what is not a multiple of 8. */
    if ((kind & KG__ACCESS_BYTES) == 16 && __builtin_expect((uintptr_t)address == misaligned, 0) &&
        (misaligned & 7) == 0)
        find_misaligned(address, 16, misaligned_to, kind, code);
    note(kg__access((uintptr_t)address, kind), code);
}

/* A piece of memory is touched as hardware does it for what is not a vector: word by word, or byte
 * by byte where it is not aligned to words. */
static void note_range(const void *address, size_t size, unsigned int kind, uintptr_t code)
{
    size_t step = (((uintptr_t)address | size) & 3) == 0 ? 4 : 1;

    for (size_t i = 0; i < size; i += step)
        note_access((const char *)address + i, kind | (unsigned int)step, code);
}

/* The same of a structure, or of an access of which the compiler knows that it may not be aligned:
 * a word is bytes. */
static void note_unaligned(const void *address, size_t size, unsigned int kind, uintptr_t code)
{
    if (__builtin_expect((uintptr_t)address == misaligned, 0))
        find_misaligned(address, (unsigned int)size, misaligned_to, kind, code);
    kind |= KG__ACCESS_WHOLE;
    for (size_t i = 0; size <= 4 && i < size; i++)
        note_access((const char *)address + i, kind | 1, code);
    if (size > 4)
        note_range(address, size, kind, code);
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    note(0, CODE);
}

#define ACCESSES(size)                                                                             \
    void __tsan_read##size(const void *address);                                                   \
    void __tsan_read##size(const void *address)                                                    \
    {                                                                                              \
        note_access(address, size, CODE);                                                          \
    }                                                                                              \
    void __tsan_write##size(const void *address);                                                  \
    void __tsan_write##size(const void *address)                                                   \
    {                                                                                              \
        note_access(address, KG__ACCESS_WRITE | (size), CODE);                                     \
    }                                                                                              \
    void __tsan_unaligned_read##size(const void *address);                                         \
    void __tsan_unaligned_read##size(const void *address)                                          \
    {                                                                                              \
        note_unaligned(address, size, 0, CODE);                                                    \
    }                                                                                              \
    void __tsan_unaligned_write##size(const void *address);                                        \
    void __tsan_unaligned_write##size(const void *address)                                         \
    {                                                                                              \
        note_unaligned(address, size, KG__ACCESS_WRITE, CODE);                                     \
    }                                                                                              \
    void __tsan_volatile_read##size(const void *address);                                          \
    void __tsan_volatile_read##size(const void *address)                                           \
    {                                                                                              \
        note_access(address, KG__ACCESS_VOLATILE | (size), CODE);                                  \
    }                                                                                              \
    void __tsan_volatile_write##size(const void *address);                                         \
    void __tsan_volatile_write##size(const void *address)                                          \
    {                                                                                              \
        note_access(address, KG__ACCESS_VOLATILE | KG__ACCESS_WRITE | (size), CODE);               \
    }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

/* A polymorphic object's pointer to its functions. */
void __tsan_vptr_update(const void *address, const void *value);
void __tsan_vptr_update(const void *address, const void *value)
{
    (void)value;
    note_access(address, KG__ACCESS_WRITE | sizeof(void *), CODE);
}

void __tsan_vptr_read(const void *address);
void __tsan_vptr_read(const void *address)
{
    note_access(address, sizeof(void *), CODE);
}

void __tsan_read_range(const void *address, size_t size);
void __tsan_read_range(const void *address, size_t size)
{
    note_unaligned(address, size, 0, CODE);
}

void __tsan_write_range(const void *address, size_t size);
void __tsan_write_range(const void *address, size_t size)
{
    note_unaligned(address, size, KG__ACCESS_WRITE, CODE);
}

/* Fences are part of the trace, so that they come before and after accesses as the lanes have it.
 */

void kg__model_fence(void)
{
    note(kg__access(1, KG__ACCESS_NOTE | KG__ACCESS_ATOMIC), CODE);
}

void kg__model_fence_block(void)
{
    note(kg__access(0, KG__ACCESS_NOTE | KG__ACCESS_ATOMIC), CODE);
}

/* The stand-in's atomics load once and store once: the load is the request, and nothing comes
 * between the two. A comparison's load is told by its order. An exchange is one access, which asks
 * nothing of what was there before. */
#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order);  \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order)   \
    {                                                                                              \
        note_access(address,                                                                       \
                    KG__ACCESS_ATOMIC | sizeof *address |                                          \
                        (order == __ATOMIC_ACQUIRE ? KG__ACCESS_VOLATILE : 0),                     \
                    CODE);                                                                         \
        return *address;                                                                           \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order);                                                   \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order)                                                    \
    {                                                                                              \
        (void)order;                                                                               \
        *address = value;                                                                          \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *address,                \
                                                  uint##bits##_t value, int order);                \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *address,                \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        uint##bits##_t old;                                                                        \
                                                                                                   \
        (void)order;                                                                               \
        note_access(address, KG__ACCESS_ATOMIC | KG__ACCESS_WRITE | sizeof *address, CODE);        \
        old = *address;                                                                            \
        *address = value;                                                                          \
        return old;                                                                                \
    }
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

/* Functions in place of those hooks say what cuda::atomic orders, in plain kernels too. */

static unsigned int kind_of_atomic(size_t bytes, unsigned int how)
{
    return (unsigned int)bytes | KG__ACCESS_STRONG |
           ((how & KG__MODEL_UPDATES) == 0    ? KG__ACCESS_VOLATILE
            : (how & KG__MODEL_REPLACES) != 0 ? KG__ACCESS_ATOMIC | KG__ACCESS_WRITE
                                              : KG__ACCESS_ATOMIC) |
           ((how & KG__MODEL_LOCKS) != 0 ? KG__ACCESS_VOLATILE : 0) |
           ((how & KG__MODEL_ACQUIRES) != 0 ? KG__ACCESS_ACQUIRE : 0) |
           ((how & KG__MODEL_RELEASES) != 0 ? KG__ACCESS_RELEASE : 0) |
           ((how & KG__MODEL_OF_BLOCK) != 0 ? KG__ACCESS_OF_BLOCK : 0);
}

/* Waits for what is to come before an atomic read, and for room to note it, so that nobody else has
 * a turn between that and the read. */
static void wait_for_value(const void *word, bool acquires, uintptr_t code)
{
    for (;;) {
        if (kg__trace_cursor != NULL && kg__trace_cursor == kg__trace_limit && !suspicious)
            make_room(code);
        else if (kg__exec_is_early(word, acquires))
            kg__model_pass(kg__exec_wait_for_others());
        else
            return;
    }
}

void kg__model_atomic_read(const void *word, void *value, size_t bytes, unsigned int how)
{
    uint64_t first = 0;

    wait_for_value(word, (how & (KG__MODEL_ACQUIRES | KG__MODEL_UPDATES)) == KG__MODEL_ACQUIRES,
                   CODE);
    note_access(word, kind_of_atomic(bytes, how), CODE);
    memcpy(value, word, bytes);
    memcpy(&first, value, bytes < sizeof first ? bytes : sizeof first);
    kg__exec_polled(word, first);
}

void kg__model_atomic_write(void *word, const void *value, size_t bytes, unsigned int how)
{
    if ((how & KG__MODEL_UPDATES) == 0)
        note_access(word, KG__ACCESS_WRITE | kind_of_atomic(bytes, how), CODE);
    memcpy(word, value, bytes);
    if ((how & KG__MODEL_RELEASES) != 0)
        kg__exec_released(word);
}

/* What the compiler has noted of a type and of an access with an index, of a conversion, or of an
 * access, in the forms that gcc gives them. */
typedef struct noted_type {
    uint16_t kind;
    uint16_t information; /* of a floating-point type, bits; of another, their logarithm with
                             whether it is signed below */
    char name[];
} noted_type;

typedef struct noted_source {
    const char *file;
    uint32_t line;
    uint32_t column;
} noted_source;

typedef struct bounded_access {
    noted_source source;
    const noted_type *array;
    const noted_type *index;
} bounded_access;

typedef struct noted_conversion {
    noted_source source;
    const noted_type *from;
    const noted_type *to;
} noted_conversion;

typedef struct typed_access {
    noted_source source;
    const noted_type *type;
    uint8_t alignment; /* its logarithm */
    uint8_t kind;      /* 0 and 1: it loads or stores the whole */
} typed_access;

/* Outside of a kernel it is the host's own bug: UBSan's library reports it where it is linked,
 * whose handler of this name the one here hides. False where it is not linked. */
static bool report_of_host(const char *handler, const void *noted, uintptr_t value)
{
    void (*report)(const void *, uintptr_t);

    *(void **)&report = dlsym(RTLD_NEXT, handler);
    if (report != NULL)
        report(noted, value);
    return report != NULL;
}

static void note_index(kg__model_source source, uintptr_t code, const char *type, intptr_t index)
{
    kg__model_place who;

    if (!kg__watch_checks() || !kg__model_where(&who))
        return;
    kg__find_at(source, &(kg__finding_place){ code, KG__NO_ACCESS, who.linear, NULL },
                &(kg__finding){
                    .kind = KG__OUT_OF_BOUNDS, .symbol = type, .has_index = true, .index = index });
    suspicious = true;
    kg__trace_limit = kg__trace_cursor;
}

void __ubsan_handle_out_of_bounds(const bounded_access *access, uintptr_t index);
void __ubsan_handle_out_of_bounds(const bounded_access *access, uintptr_t index)
{
    if (!kg__model_where(NULL)) {
        if (report_of_host("__ubsan_handle_out_of_bounds", access, index))
            return;
        kg__complain("%s:%u: index %lld out of bounds for type %s: fix the host's code",
                     access->source.file, access->source.line, (long long)index,
                     access->array->name);
        abort();
    }
    note_index((kg__model_source){ access->source.file, access->source.line }, CODE,
               access->array->name, (intptr_t)index);
}

void kg__model_bad_index(const char *type, size_t index)
{
    if (kg__model_where(NULL))
        note_index(kg__model_source_of((const void *)CODE), CODE, type, (intptr_t)index);
}

void __ubsan_handle_type_mismatch_v1(const typed_access *access, uintptr_t address);
void __ubsan_handle_type_mismatch_v1(const typed_access *access, uintptr_t address)
{
    const unsigned int alignment = 1u << access->alignment;

    if (!kg__model_where(NULL)) {
        (void)report_of_host("__ubsan_handle_type_mismatch_v1", access, address);
    } else if (access->kind > 1) {
        return;
    } else if (kg__exec_is_local((const void *)address)) {
        /* Not all accesses to local memory have a hook. */
        find_misaligned((const void *)address, alignment, alignment,
                        access->kind == 1 ? KG__ACCESS_WRITE : 0, CODE);
    } else {
        misaligned = address;
        misaligned_to = alignment;
    }
}

/* Adds what a GPU and this CPU make of a value that is out of the range of a type of 32 or 64 bits.
 * PTX's cvt clamps; NaN becomes 0, or where either type has 64 bits the topmost bit alone. */
static void add_results(kg__finding *what, double value, unsigned int from_bits,
                        unsigned int information, char (*texts)[32])
{
    const bool is_signed = (information & 1) != 0;
    const unsigned int bits = 1u << (information >> 1);
    const uint64_t top = (uint64_t)1 << (bits - 1);
    const bool wide = bits == 64 || from_bits == 64;
    uint64_t gpu = value != value ? (wide ? top : 0)
                   : value < 0    ? (is_signed ? top : 0)
                   : is_signed    ? top - 1
                                  : top - 1 + top;
    uint64_t cpu = bits == 32 && is_signed ? (uint32_t)(int32_t)value
                   : bits == 32            ? (uint32_t)value
                   : is_signed             ? (uint64_t)(int64_t)value
                                           : (uint64_t)value;

    if (bits == 32 && is_signed) {
        gpu = (uint64_t)(int32_t)(uint32_t)gpu;
        cpu = (uint64_t)(int32_t)(uint32_t)cpu;
    }
    for (int i = 0; i < 2; i++) {
        uint64_t result = i == 0 ? gpu : cpu;

        kg__format(texts[i], sizeof texts[i], is_signed ? "%" PRId64 : "%" PRIu64, result);
    }
    what->on_gpu = texts[0];
    what->on_cpu = texts[1];
}

void __ubsan_handle_float_cast_overflow(const noted_conversion *noted, uintptr_t bits);
void __ubsan_handle_float_cast_overflow(const noted_conversion *noted, uintptr_t bits)
{
    kg__finding what = { .kind = KG__CONVERSION };
    const unsigned int width = noted->from->information;
    const unsigned int to = noted->to->information;
    char texts[3][32];
    char type[64];
    float narrow;
    double value;
    kg__model_place who;

    if (!kg__model_where(&who) || !kg__watch_checks() || (width != 32 && width != 64))
        return;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&value, &bits, sizeof value);
    if (width == 32)
        value = (double)narrow;
    if (to >> 1 == 5 || to >> 1 == 6)
        add_results(&what, value, width, to, texts);
    kg__format(texts[2], sizeof texts[2], "%.9g", value);
    /* Types are in quotes. */
    kg__format(type, sizeof type, "%.*s", (int)strcspn(noted->to->name + 1, "'"),
               noted->to->name + 1);
    what.detail = texts[2];
    what.symbol = type;
    kg__find_at((kg__model_source){ noted->source.file, noted->source.line },
                &(kg__finding_place){ CODE, KG__NO_ACCESS, who.linear, NULL }, &what);
}

/* A copy's accesses are seen where it is asked for, and that it has come where it is waited for. */

void kg__model_copy_async(void *to, const void *from, size_t size, size_t zeros, const void *bound)
{
    size_t read = size - zeros;
    uintptr_t code = CODE;

    if (read == size)
        note_access(from, (unsigned int)size, code - 1);
    else
        note_range(from, read, 0, code - 1);
    note_access(to, KG__ACCESS_WRITE | KG__ACCESS_ASYNC | (unsigned int)size, code);
    kg__exec_copy_async(to, from, size, zeros, bound);
}

void kg__model_wait_for_copies(unsigned int newest)
{
    uintptr_t code = CODE;
    void *to;
    size_t size;

    while (kg__exec_bring_copy(newest, &to, &size))
        note(kg__access((uintptr_t)to, KG__ACCESS_NOTE | KG__ACCESS_ASYNC | (unsigned int)size),
             code);
}

void kg__model_touch_matrix(const kg__model_matrix *matrix, const void *memory, size_t stride,
                            int by_rows, int writes)
{
    const unsigned int kind = writes ? KG__ACCESS_WRITE : 0;
    const kg__region *region = kg__region_at((uintptr_t)memory);
    const bool shared = region != NULL && region->space == KG__MODEL_SHARED;
    const char *second = (const char *)memory + stride * kg__matrix_element_size(matrix);
    const unsigned int alignment = kg__matrix_alignment(matrix);
    kg__model_place who;
    kg__matrix_access access;

    if (!kg__model_where(&who))
        return;
    if (kg__watch_checks() && (uintptr_t)memory % alignment != 0)
        find_misaligned(memory, alignment, alignment, kind, CODE);
    else if (kg__watch_checks() && (uintptr_t)second % alignment != 0)
        find_misaligned(second, alignment, alignment, kind, CODE);
    for (unsigned int i = 0;
         kg__matrix_access_of(matrix, stride, by_rows != 0, shared, who.lane, i, &access); i++) {
        if (access.bytes > 0)
            note_access((const char *)memory + access.offset, kind | access.bytes, CODE);
    }
}

static void note_row(const void *address, unsigned int kind, uintptr_t code)
{
    if ((uintptr_t)address % MATRIX_ROW == 8)
        find_misaligned(address, MATRIX_ROW, MATRIX_ROW, kind, code);
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

/* The stand-in headers have instrumented sources call these for the C library's functions. A place
 * in the code either reads or writes, so the reads are at another byte of the same call: the one
 * before, that all lanes read before any writes. */

void *kg__model_memcpy(void *to, const void *from, size_t size)
{
    note_range(from, size, 0, CODE - 1);
    note_range(to, size, KG__ACCESS_WRITE, CODE);
    return memcpy(to, from, size);
}

void *kg__model_memmove(void *to, const void *from, size_t size)
{
    note_range(from, size, 0, CODE - 1);
    note_range(to, size, KG__ACCESS_WRITE, CODE);
    return memmove(to, from, size);
}

void *kg__model_memset(void *to, int value, size_t size)
{
    note_range(to, size, KG__ACCESS_WRITE, CODE);
    return memset(to, value, size);
}
