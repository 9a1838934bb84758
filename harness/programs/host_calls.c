#include "programs/host_calls.h"

#include <dlfcn.h>
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
    if (number != kept_count + 1 || number > MOST_KEPT)
        return;
    kept = kg__grow(kept, kept_count, &kept_room, sizeof *kept);
    kept[kept_count].count = backtrace(kept[kept_count].calls, CALLS);
    kept_count++;
}

void kg__host_calls_begin(void)
{
    kg__model_on_allocation(keep_calls);
}

kg__model_source kg__host_call_of(uint64_t allocation)
{
    if (allocation == 0 || allocation > kept_count)
        return (kg__model_source){ .file = "" };
    return kg__host_call_source(kept[allocation - 1].calls, kept[allocation - 1].count);
}

kg__model_source kg__host_call_source(void *const *calls, int count)
{
    Dl_info own = { 0 };
    Dl_info other = { 0 };

    (void)dladdr((const void *)(uintptr_t)kg__host_call_source, &own);
    for (int i = 0; i < count; i++) {
        const kg__model_source source = kg__model_source_of(calls[i]);

        if (dladdr(calls[i], &other) != 0 && other.dli_fbase != own.dli_fbase && source.line > 0 &&
            !kg__model_is_header(source.file))
            return source;
    }
    return (kg__model_source){ .file = "" };
}
