/* API calls: they take turns, and after a kernel's failure all calls return its error. */
#include "model/runtime/calls.h"

#include "model/exec/launch.h"
#include "model/runtime/runtime.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cudaError_t sticky_error = cudaSuccess;
static _Thread_local cudaError_t last_error = cudaSuccess;
static kg__model_unchecked unchecked;

cudaError_t kg__model_end_call(cudaError_t error)
{
    /* cudaErrorNotReady is an answer, not an error. */
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    return error;
}

cudaError_t kg__model_sticky_error(void)
{
    return sticky_error;
}

void kg__model_note_unchecked(const kg__model_unchecked *launch)
{
    if (sticky_error == cudaSuccess && unchecked.error == cudaSuccess)
        unchecked = *launch;
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
    if (kg__model_where(NULL)) {
        *error = cudaErrorNotPermitted;
        return false;
    }
    pthread_mutex_lock(&lock);
    if (sticky_error == cudaSuccess)
        return true;
    *error = kg__model_leave(sticky_error);
    return false;
}

cudaError_t kg__model_leave(cudaError_t error)
{
    pthread_mutex_unlock(&lock);
    return kg__model_end_call(error);
}

cudaError_t kg__model_take_hint(int valid)
{
    KG__BEGIN_CALL();
    return kg__model_leave(valid ? cudaSuccess : cudaErrorInvalidValue);
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
        KG__MODEL_MORE_ERRORS(NAME_CASE)
    default:
        return "unrecognized error code";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
        KG__MODEL_ERRORS(TEXT_CASE)
        KG__MODEL_MORE_ERRORS(TEXT_CASE)
    default:
        return "unrecognized error code";
    }
}

cudaError_t cudaPeekAtLastError(void)
{
    cudaError_t error;

    pthread_mutex_lock(&lock);
    error = sticky_error != cudaSuccess ? sticky_error : last_error;
    unchecked.error = cudaSuccess;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();

    last_error = cudaSuccess;
    return error;
}
