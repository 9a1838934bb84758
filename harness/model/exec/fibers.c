/* SPDX-License-Identifier: MIT */
/* Fibers on Boost.Context's two C functions: a pool of stacks, each with a guard below. */
#include "model/exec/fibers.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/grid.h"

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define ANNOTATED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define ANNOTATED 1
#endif
#endif
#ifndef ANNOTATED
#define ANNOTATED 0
#endif

/* The other half of Boost.Context's C interface. */
extern void *make_fcontext(void *stack_top, size_t size, void (*run)(kg__model_transfer));

/* Inaccessible memory below each stack, large enough that an array of moderate size does not
 * reach past it. With -fstack-clash-protection, which kernels need, no array does. */
#define GUARD ((size_t)64 * 1024)

/* Stacks at equal offsets into their pages would compete for the same few cache sets. */
#define STAGGER_STEP ((size_t)5 * 64)
#define STAGGER_SPAN ((size_t)4096)

static void (*fiber_run)(kg__model_fiber *self);
static void (*fiber_resumed)(void);
#if ANNOTATED
static _Thread_local bool switching;
#endif
static volatile sig_atomic_t sigterm_held; /* nesting depth */
volatile sig_atomic_t kg__model_waiting_signal;

bool kg__model_defers_signal(int number)
{
    if (sigterm_held == 0)
        return false;
    if (kg__model_waiting_signal != SIGTERM)
        kg__model_waiting_signal = number;
    return true;
}

void kg__model_hold_sigterm(void)
{
    sigterm_held = sigterm_held + 1;
}

void kg__model_release_sigterm(void)
{
    sigterm_held = sigterm_held - 1;
    if (sigterm_held == 0 && kg__model_waiting_signal != 0) {
        int number = kg__model_waiting_signal;

        kg__model_waiting_signal = 0;
        (void)raise(number);
    }
}

kg__model_turn kg__model_leave_for(kg__model_fiber *from, void **saved, kg__model_fiber *to,
                                   void *context)
{
#if ANNOTATED
    /* AddressSanitizer does not allow a switch to begin within another: signals wait for its end,
     * and one that runs over the end of its stack, and faults there, counts as ended. */
    if (switching)
        __sanitizer_finish_switch_fiber(kg__running.pool.landing->fake_stack, NULL, NULL);
    else
        kg__model_hold_sigterm();
    switching = true;
#endif
    kg__running.pool.leaving = from != NULL ? from : &kg__running.pool.host;
    kg__running.pool.landing = to != NULL ? to : &kg__running.pool.host;
#if ANNOTATED
    __sanitizer_start_switch_fiber(&kg__running.pool.leaving->fake_stack,
                                   kg__running.pool.landing->stack,
                                   kg__running.pool.landing->stack_size);
#endif
    return (kg__model_turn){ .context = context, .saved = saved };
}

void kg__model_land(kg__model_transfer transfer)
{
#if ANNOTATED
    const void *stack = NULL;
    size_t size = 0;

    switching = false;
    __sanitizer_finish_switch_fiber(kg__running.pool.landing->fake_stack, &stack, &size);
    if (kg__running.pool.leaving == &kg__running.pool.host) {
        kg__running.pool.host.stack = (unsigned char *)stack;
        kg__running.pool.host.stack_size = size;
    }
#endif
    *(void **)transfer.data = transfer.context;
    if (fiber_resumed != NULL && kg__running.pool.landing != &kg__running.pool.host)
        fiber_resumed();
#if ANNOTATED
    kg__model_release_sigterm();
#endif
}

static void enter(kg__model_transfer transfer)
{
    kg__model_fiber *self = kg__running.pool.landing;

    self->fake_stack = NULL;
    kg__model_land(transfer);
    fiber_run(self);
}

/* Returns the size of a fiber's stack without what lies above its first frame. */
static size_t used_size(const kg__model_fiber *fiber)
{
    return fiber->stack_size -
           (size_t)(fiber - kg__running.pool.fibers) * STAGGER_STEP % STAGGER_SPAN;
}

/* Makes a fiber's next switch start at enter() on an empty stack. */
static void renew(kg__model_fiber *fiber)
{
    size_t size = used_size(fiber);

#if ANNOTATED
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_size);
#endif
    fiber->context = make_fcontext(fiber->stack + size, size, enter);
}

void kg__model_fibers_begin(void (*run)(kg__model_fiber *self), void (*resumed)(void))
{
    fiber_run = run;
    fiber_resumed = resumed;
}

kg__model_fiber *kg__model_fiber_take(void)
{
    kg__model_fiber *fiber = kg__running.pool.idle;
    unsigned char *mapped;

    if (fiber != NULL) {
        kg__running.pool.idle = fiber->next_idle;
        return fiber;
    }
    if (kg__running.pool.count == KG__MODEL_MAX_THREADS)
        return NULL;
    mapped = kg__model_map_addresses(GUARD + KG__MODEL_STACK, PROT_READ | PROT_WRITE, MAP_STACK);
    if (mapped == NULL)
        return NULL;
    if (mprotect(mapped, GUARD, PROT_NONE) != 0) {
        munmap(mapped, GUARD + KG__MODEL_STACK);
        return NULL;
    }
    fiber = &kg__running.pool.fibers[kg__running.pool.count++];
    fiber->stack = mapped + GUARD;
    fiber->stack_size = KG__MODEL_STACK;
    renew(fiber);
    return fiber;
}

void kg__model_fiber_give(kg__model_fiber *fiber)
{
    fiber->next_idle = kg__running.pool.idle;
    kg__running.pool.idle = fiber;
}

void kg__model_fibers_reset(void)
{
    kg__running.pool.idle = NULL;
    for (size_t i = kg__running.pool.count; i-- > 0;) {
        renew(&kg__running.pool.fibers[i]);
        kg__model_fiber_give(&kg__running.pool.fibers[i]);
    }
}

/* Copies word by word and without AddressSanitizer, which forbids reading the gaps between a
 * frame's variables. */
__attribute__((no_sanitize_address)) static void copy_stack(void *to, const void *from, size_t size)
{
    typedef uint64_t __attribute__((may_alias)) word;

    for (size_t i = 0; i < size / sizeof(word); i++)
        ((volatile word *)to)[i] = ((const word *)from)[i];
}

void *kg__model_fiber_keep(const kg__model_fiber *fiber, const void *context, size_t *size)
{
    unsigned char *kept;

    *size = (size_t)(fiber->stack + used_size(fiber) - (const unsigned char *)context);
    kept = kg__allocate(*size, 1);
    copy_stack(kept, context, *size);
    return kept;
}

void kg__model_fiber_restore(kg__model_fiber *fiber, void *context, const void *kept, size_t size)
{
#if ANNOTATED
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_size);
#else
    (void)fiber;
#endif
    copy_stack(context, kept, size);
}

/* Returns whether `address` is in a stack's first `above` bytes, or in the `below` bytes before it.
 */
static bool has_stack(const void *address, size_t below, size_t above)
{
    for (size_t i = 0; i < kg__running.pool.count; i++) {
        uintptr_t stack = (uintptr_t)kg__running.pool.fibers[i].stack;

        if ((uintptr_t)address < stack + above && (uintptr_t)address >= stack - below)
            return true;
    }
    return false;
}

bool kg__model_in_guard(const void *address)
{
    return has_stack(address, GUARD, 0);
}

bool kg__model_in_stack(const void *address)
{
    return has_stack(address, 0, KG__MODEL_STACK);
}

void kg__model_switch(kg__model_fiber *from, void **saved, kg__model_fiber *to, void *context)
{
    kg__model_pass(kg__model_leave_for(from, saved, to, context));
}
