/* SPDX-License-Identifier: MIT */
/* On a GPU a kernel that calls a virtual function of an object that the host has made ends, since
 * the object's table is the host's. Here both have one table, and it would work. */
#include "model/watch/tables.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/launch.h"
#include "model/watch/findings.h"
#include "model/watch/places.h"

#include <string.h>

/* Where the device has addresses of the host's tables, ascending. */
static uintptr_t *objects;
static size_t object_count;
static size_t room;

/* Returns how many of them are below an address. */
static size_t rank_of(uintptr_t address)
{
    return kg__model_rank(objects, 0, object_count, sizeof *objects, address - 1);
}

void kg__tables_forget(const void *from, size_t bytes)
{
    const size_t first = rank_of((uintptr_t)from);
    const size_t end = rank_of((uintptr_t)from + bytes);

    if (first == end)
        return;
    /* The launch's other processes would not know. */
    if (kg__model_where(NULL))
        kg__exec_leave_process();
    memmove(objects + first, objects + end, (object_count - end) * sizeof *objects);
    object_count -= end - first;
}

/* Addresses of programs and libraries begin with 0x55 to 0x7f, as few other words do. */
static bool may_be_address(uintptr_t word)
{
    return word >> 40 >= 0x55 && word >> 40 <= 0x7f && word % sizeof(void *) == 0;
}

void kg__tables_copied(const void *to, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)to + -(uintptr_t)to % sizeof(void *);

    kg__tables_forget(to, bytes);
    for (uintptr_t at = begin; at + sizeof(void *) <= (uintptr_t)to + bytes; at += sizeof(void *)) {
        kg__region *region;
        uintptr_t word;
        size_t rank;

        memcpy(&word, (const void *)at, sizeof word);
        if (!may_be_address(word) || !kg__model_is_table((const void *)word))
            continue;
        region = kg__region_at(at);
        if (region == NULL)
            continue;
        rank = rank_of(at);
        (void)KG__ADD(objects, object_count, room);
        memmove(objects + rank + 1, objects + rank, (object_count - 1 - rank) * sizeof *objects);
        objects[rank] = at;
        region->has_objects = true;
    }
}

void kg__tables_read(const kg__region *region, uintptr_t code, unsigned int count,
                     const uint32_t *offsets, const uint8_t *lanes, unsigned int first_thread)
{
    const kg__finding what = { .kind = KG__HOST_TABLE,
                               .detail = "a virtual function is called of an object that the host "
                                         "made, whose table is the host's: construct it in a "
                                         "kernel" };

    for (unsigned int i = 0; i < count; i++) {
        const uintptr_t address = region->start + offsets[i];
        const size_t rank = rank_of(address);

        if (rank < object_count && objects[rank] == address)
            kg__find(code, first_thread + lanes[i], &what);
    }
}
