/* SPDX-License-Identifier: MIT */
#include "programs/host_calls.h"

#include <execinfo.h>
#include <stddef.h>

#include "base/message.h"
#include "model/exec/allocations.h"

/* The call itself, those of this library below it, and a wrapper or two of the program's. */
#define CALLS 12
/* Allocations whose calls are kept; a program that makes more frees them again. */
#define MOST_KEPT 100000

typedef struct kept_calls {
    void *calls[CALLS];
    int count;
} kept_calls;

static kept_calls *kept; /* by number, from 1 */
static size_t kept_count;
static size_t kept_room;

static void keep_calls(uint64_t number)
{
    kept_calls *added;

    if (number != kept_count + 1 || number > MOST_KEPT)
        return;
    added = KG__ADD(kept, kept_count, kept_room);
    added->count = backtrace(added->calls, CALLS);
}

void kg__host_calls_begin(void)
{
    kg__model_on_allocation(keep_calls);
}

kg__model_source kg__host_call_of(uint64_t allocation)
{
    if (allocation == 0 || allocation > kept_count)
        return (kg__model_source){ .file = "" };
    return kg__model_host_source(kept[allocation - 1].calls, kept[allocation - 1].count);
}
