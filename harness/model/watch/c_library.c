/* SPDX-License-Identifier: MIT */
/* What instrumented kernels call in place of the C library's functions that access memory through
 * their arguments or print. */
#include "model/watch/trace.h"

#include "base/message.h"
#include "model/exec/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum output of kernels that a process shows. A printf() left in a loop wrote 1.7 GB in 56 s
 * for one case of 257 x 257 x 257, and processing it exceeded the case's time limit. */
#define SHOWN_BYTES 65536
#define CODE ((uintptr_t)__builtin_return_address(0))

/* More than the memory of any device. A negative number as a size is larger: one access after
 * another would take hours, through the memory of the process itself. */
#define MOST_BYTES ((size_t)1 << 44)

static void refuse_size(size_t size, uintptr_t code)
{
    char what[64];

    if (size < MOST_BYTES || !kg__model_where(NULL))
        return;
    kg__format(what, sizeof what, "a negative size: an access of %zu bytes", size);
    kg__running.failure.code = code;
    kg__model_trap(cudaErrorIllegalAddress, what);
}

/* A code address either reads or writes, so the reads are recorded one byte before the call's
 * address. Thus all lanes read before any lane writes. */

void *kg__model_memmove(void *to, const void *from, size_t size)
{
    refuse_size(size, CODE);
    kg__trace_note_range(from, size, 0, CODE - 1);
    kg__trace_note_range(to, size, KG__ACCESS_WRITE, CODE);
    return memmove(to, from, size);
}

void *kg__model_memset(void *to, int value, size_t size)
{
    refuse_size(size, CODE);
    kg__trace_note_range(to, size, KG__ACCESS_WRITE, CODE);
    return memset(to, value, size);
}

int kg__model_memcmp(const void *one, const void *other, size_t size)
{
    kg__trace_note_range(one, size, 0, CODE - 1);
    kg__trace_note_range(other, size, 0, CODE);
    return memcmp(one, other, size);
}

size_t kg__model_fwrite(const void *from, size_t size, size_t count, void *to)
{
    kg__trace_note_range(from, size * count, 0, CODE);
    return fwrite(from, size, count, to);
}

/* Functions of math.h that store results, in double and in single precision. */
#define STORE(to) kg__trace_note(to, KG__ACCESS_WRITE | (unsigned int)sizeof *(to), CODE)
#define STORING_FUNCTIONS(type, suffix)                                                            \
    type kg__model_modf##suffix(type x, type *whole)                                               \
    {                                                                                              \
        STORE(whole);                                                                              \
        return modf##suffix(x, whole);                                                             \
    }                                                                                              \
    type kg__model_frexp##suffix(type x, int *exponent)                                            \
    {                                                                                              \
        STORE(exponent);                                                                           \
        return frexp##suffix(x, exponent);                                                         \
    }                                                                                              \
    type kg__model_remquo##suffix(type x, type y, int *quotient)                                   \
    {                                                                                              \
        STORE(quotient);                                                                           \
        return remquo##suffix(x, y, quotient);                                                     \
    }                                                                                              \
    void kg__model_sincos##suffix(type x, type *sine, type *cosine)                                \
    {                                                                                              \
        STORE(sine);                                                                               \
        STORE(cosine);                                                                             \
        *sine = sin##suffix(x);                                                                    \
        *cosine = cos##suffix(x);                                                                  \
    }
STORING_FUNCTIONS(double, )
STORING_FUNCTIONS(float, f)

const void *kg__model_printed_at;

/* Number of printf() calls whose output was dropped. */
static _Atomic uint64_t unshown_calls;

static void tell_unshown_calls(void)
{
    kg__complain("printf() in kernels: %" PRIu64 " calls are not shown after the first %d bytes: "
                 "choose fewer cases with KG_FILTER",
                 (uint64_t)unshown_calls, SHOWN_BYTES);
}

/* Returns the number of arguments, as CUDA's printf() does, even when nothing is shown. */
int kg__model_printf(const char *format, ...)
{
    static _Atomic int shown_bytes;
    const bool in_kernel = kg__model_where(NULL);
    va_list values;
    int written;
    int arguments = 0;

    if (in_kernel) {
        kg__exec_leave_process();
        kg__trace_count(KG__ACCESS_PRINTF, 1, CODE);
        __atomic_store_n(&kg__model_printed_at, (const void *)CODE, __ATOMIC_RELAXED);
    }
    if (!in_kernel || shown_bytes < SHOWN_BYTES) {
        va_start(values, format);
        written = vprintf(format, values);
        va_end(values);
        if (!in_kernel)
            return written;
        shown_bytes += written > 0 ? written : 0;
    } else if (unshown_calls++ == 0) {
        (void)atexit(tell_unshown_calls);
    }
    for (; *format != '\0'; format++) {
        if (format[0] == '%' && format[1] != '%')
            arguments++;
        else if (format[0] == '%')
            format++;
    }
    return arguments;
}
