/* SPDX-License-Identifier: MIT */
/* Fibers: stacks with a context that can be switched to. Internal to the model. */
#pragma once

#include "model/include/kg_model_device.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct kg__model_fiber {
    void *context;        /* where an idle fiber continues */
    unsigned char *stack; /* its lowest usable byte */
    size_t stack_size;    /* bytes */
    void *fake_stack;     /* AddressSanitizer's, while it is switched away */
    struct kg__model_fiber *next_idle;
} kg__model_fiber;

#define KG__MODEL_FIBERS 1024 /* as many as a block has threads */

/* The fibers of one thread of the host. */
typedef struct kg__model_pool {
    kg__model_fiber fibers[KG__MODEL_FIBERS];
    size_t count;
    kg__model_fiber *idle;
    kg__model_fiber host;               /* the stack of the thread of the host */
    kg__model_fiber *leaving, *landing; /* the two sides of the switch in progress */
} kg__model_pool;

/* Sets the function that a fiber runs when it is first switched to, which never returns, and one
 * that every fiber calls after a switch to it (NULL: none). */
void kg__model_fibers_begin(void (*run)(kg__model_fiber *self), void (*resumed)(void));
/* Returns an idle fiber, or NULL when no stack can be mapped. */
kg__model_fiber *kg__model_fiber_take(void);
/* Returns the running fiber, which is about to switch away, to the pool. */
void kg__model_fiber_give(kg__model_fiber *fiber);
/* Returns a copy of the stack of a fiber that waits at `context`, of *size bytes. The caller
 * frees it. */
void *kg__model_fiber_keep(const kg__model_fiber *fiber, const void *context, size_t *size);
/* Restores such a copy, after other threads may have used the stack. */
void kg__model_fiber_restore(kg__model_fiber *fiber, void *context, const void *kept, size_t size);
/* Resets every fiber to idle, whatever it was doing. */
void kg__model_fibers_reset(void);
/* Returns whether `address` is in the guard below one of the stacks. */
bool kg__model_in_guard(const void *address);
/* Returns whether `address` is in one of the stacks, which have the threads' local memory. */
bool kg__model_in_stack(const void *address);

/* Prepares a switch from `from` to `to` (NULL: the launching host thread), which continues at
 * `context`; *saved becomes the place where `from` can continue. kg__model_pass() does the
 * switch. */
kg__model_turn kg__model_leave_for(kg__model_fiber *from, void **saved, kg__model_fiber *to,
                                   void *context);
/* Blocks SIGTERM, which ends a launch by a switch. Calls nest. */
void kg__model_hold_sigterm(void);
/* Ends one kg__model_hold_sigterm(), and raises a signal that arrived meanwhile. */
void kg__model_release_sigterm(void);
/* Returns whether a signal that ends a launch, such as SIGTERM, must wait;
 * kg__model_release_sigterm() raises it again. */
bool kg__model_defers_signal(int number);
/* The signal that waits for kg__model_release_sigterm(); 0: none. */
extern __attribute__((visibility("hidden"))) volatile sig_atomic_t kg__model_waiting_signal;
/* Prepares and does a switch. Returns when something switches back. */
void kg__model_switch(kg__model_fiber *from, void **saved, kg__model_fiber *to, void *context);
