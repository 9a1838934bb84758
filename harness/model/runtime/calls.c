/* SPDX-License-Identifier: MIT */
/* API calls: they take turns, and after a kernel's failure all calls return its error. */
#include "model/runtime/calls.h"

#include "model/exec/fibers.h"
#include "model/exec/launch.h"
#include "model/runtime/runtime.h"
#include "model/watch/findings.h"

#include <execinfo.h>
#include <pthread.h>
#include <string.h>

/* Recursive, because the program's constructors run while a launch keeps its arguments. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
/* Of the calls that the running kernel makes. */
static pthread_mutex_t lock_of_kernel = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;
static _Thread_local bool is_called_out;
bool kg__is_of_program;

/* Called for launches that are only planned; NULL: launches run. */
static void (*planned)(void *context, const kg__model_kernel *kernel,
                       const cudaLaunchConfig_t *config);
static void *planned_context;
static cudaError_t sticky_error = cudaSuccess;
static _Thread_local cudaError_t last_error = cudaSuccess;
static _Thread_local cudaError_t last_error_of_kernel = cudaSuccess;
static kg__model_unchecked unchecked;
static bool unchecked_stays; /* cudaGetLastError() of the program's threads does not tell of it */
static size_t found_before;  /* of the host, before the last call */

void kg__handle_add(kg__handle **list, void *handle)
{
    kg__handle *added = handle;

    added->next = *list;
    *list = added;
}

bool kg__handle_is(kg__handle *list, const void *handle)
{
    while (list != NULL && list != handle)
        list = list->next;
    return list != NULL;
}

bool kg__handle_remove(kg__handle **list, const void *handle)
{
    while (*list != NULL && *list != handle)
        list = &(*list)->next;
    if (*list == NULL)
        return false;
    *list = (*list)->next;
    return true;
}

cudaError_t kg__model_end_call(cudaError_t error)
{
    /* cudaErrorNotReady is an answer, not an error. */
    if (error != cudaSuccess && error != cudaErrorNotReady)
        *(kg__model_where(NULL) ? &last_error_of_kernel : &last_error) = error;
    return error;
}

cudaError_t kg__model_sticky_error(void)
{
    return sticky_error;
}

void kg__model_note_unchecked(const kg__model_unchecked *failed)
{
    /* A finding tells of some calls why they failed. */
    if (sticky_error == cudaSuccess && unchecked.error == cudaSuccess &&
        (failed->call == NULL || kg__found_of_host == found_before)) {
        unchecked = *failed;
        /* Host functions have a thread of their own, and other libraries a status. */
        unchecked_stays =
            is_called_out || (failed->call != NULL && strncmp(failed->call, "cuda", 4) != 0);
    }
}

kg__model_unchecked kg__model_unchecked_launch(void)
{
    return unchecked;
}

void kg__model_set_sticky_error(cudaError_t error)
{
    sticky_error = error;
}

bool kg__model_enter(cudaError_t *error)
{
    if (kg__model_where(NULL) || is_called_out) {
        *error = cudaErrorNotPermitted;
        return false;
    }
    pthread_mutex_lock(&lock);
    found_before = kg__found_of_host;
    if (sticky_error == cudaSuccess)
        return true;
    *error = kg__model_leave(sticky_error);
    return false;
}

bool kg__model_enter_from_any(cudaError_t *error)
{
    if (!kg__model_where(NULL))
        return kg__model_enter(error);
    /* What the call changes is the program's process's. */
    kg__exec_leave_process();
    kg__model_hold_sigterm();
    pthread_mutex_lock(&lock_of_kernel);
    return true;
}

void kg__model_hold(void)
{
    pthread_mutex_lock(&lock);
}

bool kg__model_try_to_hold(void)
{
    return pthread_mutex_trylock(&lock) == 0;
}

void kg__model_unhold(void)
{
    pthread_mutex_unlock(&lock);
}

void kg__model_call_out(void (*function)(void *data), void *data)
{
    is_called_out = true;
    pthread_mutex_unlock(&lock);
    function(data);
    pthread_mutex_lock(&lock);
    is_called_out = false;
}

void kg__model_await(void)
{
    pthread_cond_wait(&work_done, &lock);
}

void kg__model_announce(void)
{
    pthread_cond_broadcast(&work_done);
}

void kg__note_call_site(kg__call_site *site)
{
    site->count = backtrace(site->calls, sizeof site->calls / sizeof site->calls[0]);
}

void kg__find_at_call(const kg__call_site *site, const kg__finding *what)
{
    kg__finding found = *what;
    kg__call_site here = *site;

    if (!kg__is_of_program)
        return;
    found.by_host = true;
    if (here.count == 0)
        kg__note_call_site(&here);
    kg__find_of_host(kg__model_host_source(here.calls, here.count), &found);
}

void kg__find_in_call(const kg__finding *what)
{
    kg__find_at_call(&(kg__call_site){ .count = 0 }, what);
}

cudaError_t kg__model_leave(cudaError_t error)
{
    if (kg__model_where(NULL)) {
        pthread_mutex_unlock(&lock_of_kernel);
        kg__model_release_sigterm();
    } else {
        pthread_mutex_unlock(&lock);
    }
    return kg__model_end_call(error);
}

cudaError_t kg__model_answer(cudaError_t error)
{
    KG__BEGIN_CALL();
    return kg__model_leave(error);
}

#define NAME_CASE(name, value, text)                                                               \
    case value:                                                                                    \
        return #name;
#define TEXT_CASE(name, value, text)                                                               \
    case value:                                                                                    \
        return text;

const char *cudaGetErrorName(cudaError_t error)
{
    switch ((int)error) {
        KG__MODEL_ERRORS(NAME_CASE)
    default:
        return "unrecognized error code";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
        KG__MODEL_ERRORS(TEXT_CASE)
    default:
        return "unrecognized error code";
    }
}

cudaError_t cudaPeekAtLastError(void)
{
    cudaError_t error;

    /* Its launch has the lock. */
    if (kg__model_where(NULL))
        return last_error_of_kernel;
    pthread_mutex_lock(&lock);
    error = sticky_error != cudaSuccess ? sticky_error : last_error;
    if (!unchecked_stays)
        unchecked.error = cudaSuccess;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();

    *(kg__model_where(NULL) ? &last_error_of_kernel : &last_error) = cudaSuccess;
    return error;
}

void kg__model_plan(void (*launched)(void *context, const kg__model_kernel *kernel,
                                     const cudaLaunchConfig_t *config),
                    void *context)
{
    planned = launched;
    planned_context = context;
}

bool kg__model_plans(void)
{
    return planned != NULL;
}

bool kg__model_plans_launch(const kg__model_kernel *kernel, const cudaLaunchConfig_t *config)
{
    if (planned != NULL)
        planned(planned_context, kernel, config);
    return planned != NULL;
}
