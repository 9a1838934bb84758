/* Fibers: stacks with a context that can be switched to. Internal to the model. */
#ifndef KG__MODEL_EXEC_FIBERS_H
#define KG__MODEL_EXEC_FIBERS_H

#include "model/include/kg_model_device.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct kg__model_fiber {
    void *context;        /* where an idle fiber continues */
    unsigned char *stack; /* its lowest usable byte */
    size_t stack_size;    /* bytes */
    void *fake_stack;     /* AddressSanitizer's, while it is switched away */
    struct kg__model_fiber *next_idle;
} kg__model_fiber;

/* Sets the function that a fiber runs when it is first switched to, which never returns, and the
 * one that every fiber calls after a switch to it (NULL: none). */
void kg__model_fibers_begin(void (*run)(kg__model_fiber *self), void (*resumed)(void));
/* An idle fiber, or NULL when no stack can be mapped. */
kg__model_fiber *kg__model_fiber_take(void);
/* Gives back the fiber that is running and is about to switch away. */
void kg__model_fiber_give(kg__model_fiber *fiber);
/* Copies the stack of a fiber that waits at `context`; its bytes go to *size. The caller frees it.
 */
void *kg__model_fiber_keep(const kg__model_fiber *fiber, const void *context, size_t *size);
/* Puts it back. Other threads may have used the stack meanwhile. */
void kg__model_fiber_restore(kg__model_fiber *fiber, void *context, const void *kept, size_t size);
/* Makes every fiber idle and new again, whatever it was doing. */
void kg__model_fibers_reset(void);
/* True when `address` is in the guard below one of the stacks. */
bool kg__model_in_guard(const void *address);

/* Prepares a switch from `from` to `to` (NULL: the launching host thread), which continues at
 * `context`; the place where `from` can continue goes to *saved. kg__model_pass() does the switch.
 */
kg__model_turn kg__model_leave_for(kg__model_fiber *from, void **saved, kg__model_fiber *to,
                                   void *context);
/* Holds back SIGTERM, which ends a launch by a switch. Holds nest. */
void kg__model_hold_sigterm(void);
/* Ends it, and raises a signal that came meanwhile. */
void kg__model_release_sigterm(void);
/* Whether a signal that ends a launch, as SIGTERM does, has to wait; it is raised again by the
 * release. */
bool kg__model_defers_signal(int number);
/* Both together. Returns when something switches back. */
void kg__model_switch(kg__model_fiber *from, void **saved, kg__model_fiber *to, void *context);

#endif
