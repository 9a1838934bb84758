/* SPDX-License-Identifier: MIT */
/* API calls: the host's threads make one at a time. Internal to runtime/. */
#pragma once

#include "model/include/cuda_runtime_api.h"
#include "model/runtime/runtime.h"

#include <stdbool.h>

/* What the handles of a program's objects point to begins with this; each kind has a list. */
typedef struct kg__handle {
    struct kg__handle *next;
} kg__handle;
/* Adds an object to its list. */
void kg__handle_add(kg__handle **list, void *handle);
/* Returns whether a list has an object. */
bool kg__handle_is(kg__handle *list, const void *handle);
/* Takes an object out of its list; false if the list does not have it. */
bool kg__handle_remove(kg__handle **list, const void *handle);

/* Where the host's code calls the runtime: what the calls return to, the innermost first. */
typedef struct kg__call_site {
    void *calls[16];
    int count;
} kg__call_site;
/* Notes the calls that led here. */
void kg__note_call_site(kg__call_site *site);

/* Begins an API call: takes the model's lock and returns true; or returns false with the error
 * that the call must return, because a kernel has failed before or the caller is itself a
 * kernel. */
bool kg__model_enter(cudaError_t *error);
/* The same for a call that kernels may make too: those of a launch take a lock of their own, since
 * its blocks may run side by side. */
bool kg__model_enter_from_any(cudaError_t *error);
/* Releases the lock and ends the call; returns `error`, which cudaGetLastError() returns too. */
cudaError_t kg__model_leave(cudaError_t error);
/* Ends a call that does not take the lock: keeps an error as the calling thread's last one, and
 * returns it. */
cudaError_t kg__model_end_call(cudaError_t error);

/* Keeps a failed launch, or a call whose result is dropped, whose error nobody has asked for yet,
 * unless there is one already. */
void kg__model_note_unchecked(const kg__model_unchecked *failed);

/* Takes the model's lock outside of an API call; the thread may have it already. */
void kg__model_hold(void);
/* Takes it unless another thread has it; returns whether it did. */
bool kg__model_try_to_hold(void);
/* Releases it. */
void kg__model_unhold(void);
/* Calls a function of the program's without the lock; API calls that it makes are refused. */
void kg__model_call_out(void (*function)(void *data), void *data);
/* Waits until another thread has done some work; the lock is free meanwhile. */
void kg__model_await(void);
/* Tells the threads that wait that some work is done. */
void kg__model_announce(void);

/* Whether the runtime is a program's: streams order their work, and wrong calls are found; false:
 * each call does its own. */
extern KG__HIDDEN bool kg__is_of_program;
/* Adds a finding of the program's call that is being made; nothing unless the runtime is a
 * program's. `what` needs no place. */
void kg__find_in_call(const kg__finding *what);
/* The same of work that an earlier call gave, at its site; of the call that is being made where
 * that has no calls. */
void kg__find_at_call(const kg__call_site *site, const kg__finding *what);
/* Frees what a kernel that has ended freed. */
void kg__model_free_dropped(void);

/* Returns whether launches are only planned, and plans one. */
bool kg__model_plans_launch(const kg__model_kernel *kernel, const cudaLaunchConfig_t *config);

/* Begins every API call; may return from the function that contains it. */
#define KG__BEGIN_CALL() KG__ENTER(kg__model_enter)
/* Begins one that kernels may make too. */
#define KG__BEGIN_CALL_OF_ANY() KG__ENTER(kg__model_enter_from_any)
#define KG__ENTER(enter)                                                                           \
    do {                                                                                           \
        cudaError_t refused = cudaSuccess;                                                         \
                                                                                                   \
        if (!(enter)(&refused))                                                                    \
            return refused;                                                                        \
    } while (0)
/* Ends the API call that contains it with an error where a condition holds, such as that of a wrong
 * argument. */
#define KG__REFUSE_IF(condition, error)                                                            \
    do {                                                                                           \
        if (condition)                                                                             \
            return kg__model_leave(error);                                                         \
    } while (0)
