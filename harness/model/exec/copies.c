/* SPDX-License-Identifier: MIT */
/* Asynchronous copies, performed at the wait for them; barriers in shared memory. */
#include "model/exec/copies.h"

#include "base/message.h"
#include "model/exec/mbarriers.h"

#include <stdlib.h>
#include <string.h>

/* A copy that has not been performed. */
typedef struct copy {
    unsigned char *to;
    const unsigned char *from;
    size_t size, zeros;     /* bytes; the last `zeros` of them are set to 0, not copied */
    unsigned char then[16]; /* the source at the call, or its beginning */
    const kg__model_barrier_object *bound; /* completes it; NULL: none does */
    bool in_group;                         /* so does its group */
    uint64_t phase;                        /* which of the barrier's does */
    unsigned int committed;                /* groups that the thread had committed before it */
} copy;

typedef struct thread_copies {
    copy *list;
    size_t count, room;
    unsigned int committed;
} thread_copies;

/* Threads that wait at a barrier in shared memory. */
struct waiting {
    kg__model_barrier_object *object; /* NULL: the thread does not wait */
    uint64_t phase;
};

/* Barriers that a block names by number, and those of its tiles of 64, 128, … and 1024 threads. */
#define NUMBERED_BARRIERS (KG__MODEL_NAMED_BARRIERS + 31)

struct kg__copies {
    thread_copies of_threads[KG__MODEL_MAX_THREADS];
    bool any;
    struct waiting waiting[KG__MODEL_MAX_THREADS];
    int waiting_count;
    kg__model_barrier_object numbered[NUMBERED_BARRIERS];
    unsigned char exchanged[KG__MODEL_MAX_WARPS][32]; /* a value of each warp */
    bool any_numbered;
};

void kg__begin_copies(void)
{
    kg__copies **own = &kg__running.copies_of[kg__exec_cluster_rank()];
    kg__copies *block = *own;

    if (block == NULL)
        block = *own = kg__allocate(1, sizeof *block);
    kg__running.copies = block;
    for (int i = 0; block->any && i < KG__MODEL_MAX_THREADS; i++)
        block->of_threads[i].count = block->of_threads[i].committed = 0;
    for (int i = 0; block->waiting_count > 0 && i < KG__MODEL_MAX_THREADS; i++)
        block->waiting[i].object = NULL;
    block->any = kg__running.at_objects = false;
    block->waiting_count = 0;
    if (block->any_numbered)
        memset(block->numbered, 0, sizeof block->numbered);
    block->any_numbered = false;
    kg__begin_bulk();
}

kg__copies *kg__keep_copies(void)
{
    kg__running.copies_of[0] = NULL;
    return kg__running.copies;
}

void kg__drop_copies(kg__copies *kept)
{
    for (int i = 0; kept != NULL && i < KG__MODEL_MAX_THREADS; i++)
        free(kept->of_threads[i].list);
    free(kept);
}

void kg__resume_copies(kg__copies *kept)
{
    kg__copies **own = &kg__running.copies_of[kg__exec_cluster_rank()];

    if (kept != NULL) {
        kg__drop_copies(*own);
        *own = kept;
    } else if (*own == NULL) {
        kg__begin_copies();
    }
    kg__running.copies = *own;
    kg__running.bulk = kg__running.bulk_of[kg__exec_cluster_rank()];
    kg__running.at_objects = true;
}

bool kg__has_copies(void)
{
    return kg__running.copies->of_threads[kg__running.current].count > 0;
}

/* Returns how much of its source a copy keeps, to compare. */
static size_t bytes_kept(const copy *of)
{
    const size_t read = of->size - of->zeros;

    return read < sizeof of->then ? read : sizeof of->then;
}

void kg__exec_copy_async(void *to, const void *from, size_t size, size_t zeros,
                         const kg__model_barrier_object *bound)
{
    kg__copies *block = kg__running.copies;
    unsigned char *home = to;
    kg__cluster_array array;
    thread_copies *mine;
    copy *added;

    /* Another block's wait brings what a barrier of its own completes. */
    if (bound != NULL && kg__exec_cluster_array_at((uintptr_t)to, &array)) {
        block = kg__running.copies_of[array.rank];
        home = array.home + ((unsigned char *)to - array.copy);
    }
    mine = &block->of_threads[kg__running.current];
    added = KG__ADD(mine->list, mine->count, mine->room);
    *added = (copy){ .to = home,
                     .from = from,
                     .size = size,
                     .zeros = zeros,
                     .bound = bound,
                     .in_group = bound == NULL,
                     .phase = bound != NULL ? bound->phase : 0,
                     .committed = mine->committed };
    memcpy(added->then, from, bytes_kept(added));
    block->any = true;
}

void kg__model_bind_copies(const void *object)
{
    const kg__model_barrier_object *bound = object;
    thread_copies *mine = &kg__running.copies->of_threads[kg__running.current];

    for (size_t i = 0; i < mine->count; i++) {
        if (mine->list[i].bound == NULL) {
            mine->list[i].bound = bound;
            mine->list[i].phase = bound->phase;
        }
    }
}

void kg__model_commit_copies(void)
{
    kg__running.copies->of_threads[kg__running.current].committed++;
    kg__running.copies->any = true;
}

/* Performs a copy; returns whether its source is as it was when the copy began. */
static bool bring(const copy *what)
{
    const bool same = memcmp(what->then, what->from, bytes_kept(what)) == 0;

    memcpy(what->to, what->from, what->size - what->zeros);
    memset(what->to + what->size - what->zeros, 0, what->zeros);
    return same;
}

bool kg__exec_bring_copy(unsigned int newest, void **to, size_t *size, bool *same)
{
    thread_copies *mine = &kg__running.copies->of_threads[kg__running.current];

    for (size_t i = 0; i < mine->count; i++) {
        copy what = mine->list[i];

        if (!what.in_group || what.committed + newest >= mine->committed)
            continue;
        *same = bring(&what);
        *to = what.to;
        *size = what.size;
        mine->count--;
        memmove(&mine->list[i], &mine->list[i + 1], (mine->count - i) * sizeof *mine->list);
        return true;
    }
    return false;
}

/* Performs the copies that all threads have bound to a barrier's phases that are complete. */
static void bring_bound(kg__model_barrier_object *object)
{
    kg__copies *block = kg__running.copies;

    for (int thread = 0; block->any && thread < kg__running.thread_count; thread++) {
        thread_copies *list = &block->of_threads[thread];
        size_t kept = 0;

        for (size_t i = 0; i < list->count; i++) {
            bool same;

            if (list->list[i].bound != object || list->list[i].phase == object->phase) {
                list->list[kept++] = list->list[i];
                continue;
            }
            same = bring(&list->list[i]);
            if (kg__running.watcher != NULL)
                kg__running.watcher->copied(list->list[i].to, list->list[i].size,
                                            (unsigned int)thread, same, object);
        }
        list->count = kept;
    }
}

kg__model_barrier_object *kg__numbered_barrier(unsigned int number)
{
    kg__running.copies->any_numbered = true;
    return number < NUMBERED_BARRIERS ? &kg__running.copies->numbered[number] : NULL;
}

void kg__model_exchange(unsigned int warp, void *value, size_t bytes, int puts)
{
    unsigned char *kept = kg__running.copies->exchanged[warp % KG__MODEL_MAX_WARPS];

    memcpy(puts ? kept : value, puts ? value : kept, bytes);
}

void kg__set_expected(kg__model_barrier_object *object, unsigned int expected)
{
    object->expected = object->pending = expected;
}

bool kg__arrive_at_object(kg__model_barrier_object *object, unsigned int count,
                          unsigned int leaving)
{
    if (count > object->pending)
        return false;
    object->expected -= leaving;
    object->pending -= count;
    if (object->pending > 0)
        return true;
    object->pending = object->expected;
    object->phase++;
    object->unseen = 1;
    return true;
}

bool kg__wait_at_object(kg__model_barrier_object *object, uint64_t phase)
{
    if (object->phase != phase && object->unseen == 0)
        return false;
    kg__running.copies->waiting[kg__running.current] = (struct waiting){ object, phase };
    kg__running.copies->waiting_count++;
    kg__running.at_objects = true;
    return true;
}

/* Ends a phase of a barrier, as its first waiting thread is released. */
static void complete(kg__model_barrier_object *object)
{
    bring_bound(object);
    object->unseen = 0;
    if (kg__running.watcher != NULL)
        kg__running.watcher->complete_object(object);
}

void kg__release_objects(void)
{
    kg__copies *block = kg__running.copies;

    for (int i = 0; block->waiting_count > 0 && i < kg__running.thread_count; i++) {
        kg__model_barrier_object *object = block->waiting[i].object;

        if (object == NULL || object->phase == block->waiting[i].phase)
            continue;
        if (object->unseen != 0)
            complete(object);
        if (kg__running.watcher != NULL)
            kg__running.watcher->leave_object(object, (unsigned int)i);
        block->waiting[i].object = NULL;
        block->waiting_count--;
        kg__running.futile_rounds = 0;
        kg__make_ready((unsigned int)i / KG__MODEL_WARP, (unsigned int)i % KG__MODEL_WARP);
    }
}

int kg__thread_at_object(int *count)
{
    const kg__copies *block = kg__running.copies;

    *count = block->waiting_count;
    for (int i = 0; block->waiting_count > 0 && i < kg__running.thread_count; i++) {
        if (block->waiting[i].object != NULL)
            return i;
    }
    return -1;
}
