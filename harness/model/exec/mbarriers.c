/* SPDX-License-Identifier: MIT */
/* PTX's mbarrier objects. Their 8 bytes of shared memory hold the number of an object that the
 * model keeps, one of the block whose memory it is. */
#include "model/exec/mbarriers.h"

#include "base/message.h"
#include "model/exec/grid.h"

#include <string.h>

#define EXPECTED_MAXIMUM ((1 << 20) - 1) /* of PTX ISA, arrivals and bytes */
#define VALID 0x6d626172u                /* the upper half of a valid object's word */

static const char misaligned[] = "an mbarrier object's address is not a multiple of 8";

typedef struct mbarrier {
    kg__model_barrier_object object; /* first */
    int64_t bytes;                   /* that the phase expects */
    const void *word;
} mbarrier;

/* Shared memory that a bulk store reads. */
typedef struct store {
    const void *from;
    size_t size;
    unsigned int committed; /* groups that the thread had committed before it */
} store;

typedef struct thread_stores {
    store *list;
    size_t first, count, room; /* those before `first` have been waited for */
    unsigned int committed;
    bool at_cluster; /* it has arrived at the cluster's barrier, and not waited yet */
} thread_stores;

struct kg__bulk {
    mbarrier **objects;
    size_t count, room, made;
    thread_stores of_threads[KG__MODEL_MAX_THREADS];
    bool any;
};

void kg__begin_bulk(void)
{
    kg__bulk **own = &kg__running.bulk_of[kg__exec_cluster_rank()];
    kg__bulk *block = *own;

    if (block == NULL)
        block = *own = kg__allocate(1, sizeof *block);
    kg__running.bulk = block;
    /* Suspended blocks of a grid keep theirs. */
    if (!kg__running.launch.is_cooperative)
        block->count = 0;
    for (int i = 0; block->any && i < KG__MODEL_MAX_THREADS; i++)
        block->of_threads[i] =
            (thread_stores){ .list = block->of_threads[i].list, .room = block->of_threads[i].room };
    block->any = false;
}

/* Returns what the block has whose shared memory `word` is in. */
static kg__bulk *bulk_at(const void *word)
{
    kg__cluster_array array;

    return kg__exec_cluster_array_at((uintptr_t)word, &array) ? kg__running.bulk_of[array.rank]
                                                              : kg__running.bulk;
}

/* Returns the object whose number is at `word`, or NULL. */
static mbarrier *find_object(const void *word)
{
    const kg__bulk *block = bulk_at(word);
    uint32_t halves[2];

    memcpy(halves, word, sizeof halves);
    return halves[1] == VALID && halves[0] < block->count ? block->objects[halves[0]] : NULL;
}

static mbarrier *add_object(void *word)
{
    kg__bulk *block = bulk_at(word);
    const uint32_t halves[2] = { (uint32_t)block->count, VALID };

    block->objects = kg__grow(block->objects, block->count, &block->room, sizeof(mbarrier *));
    if (block->count == block->made)
        block->objects[block->made++] = kg__allocate(1, sizeof(mbarrier));
    memcpy(word, halves, sizeof halves);
    return block->objects[block->count++];
}

const char *kg__exec_init_mbarrier(void *word, unsigned int expected)
{
    mbarrier *found;

    if ((uintptr_t)word % sizeof(uint64_t) != 0)
        return misaligned;
    if (expected == 0 || expected > EXPECTED_MAXIMUM)
        return "mbarrier.init: the count is not one from 1 to 1048575";
    found = find_object(word);
    /* Shared memory may hold the word of a former block. */
    if (found == NULL || found->word != word)
        found = add_object(word);
    *found = (mbarrier){ .object = { .expected = expected, .pending = expected }, .word = word };
    return NULL;
}

const char *kg__exec_use_mbarrier(const void *word, kg__model_barrier_object **object)
{
    mbarrier *found;
    kg__cluster_array array;

    if ((uintptr_t)word % sizeof(uint64_t) != 0)
        return misaligned;
    found = find_object(word);
    if (found == NULL)
        return kg__exec_cluster_array_at((uintptr_t)word, &array)
                   ? "another block's mbarrier object is used before its init or after that block "
                     "has ended, which a barrier of the cluster prevents"
                   : "an mbarrier object is used that was never initialized, or is invalid";
    *object = &found->object;
    return NULL;
}

const char *kg__exec_count_mbarrier(kg__model_barrier_object *object, unsigned int count,
                                    unsigned int leaving, int64_t bytes)
{
    mbarrier *found = (mbarrier *)(void *)object;

    if (count > object->pending)
        return "more threads arrive at an mbarrier object than its phase expects";
    found->bytes += bytes;
    object->expected -= leaving;
    object->pending -= count;
    if (found->bytes > EXPECTED_MAXIMUM || -found->bytes > EXPECTED_MAXIMUM)
        return "an mbarrier object's phase counts more than 1048575 bytes";
    if (object->pending > 0 || found->bytes > 0)
        return NULL;
    if (found->bytes < 0)
        return "copies complete more bytes than the phase of their mbarrier object expects";
    object->pending = object->expected;
    object->phase++;
    object->unseen = 1;
    return NULL;
}

bool kg__describe_mbarrier(const void *word, char *text, size_t size)
{
    const mbarrier *found = NULL;

    for (size_t i = 0; found == NULL && i < kg__running.bulk->count; i++)
        found = kg__running.bulk->objects[i]->word == word ? kg__running.bulk->objects[i] : NULL;
    if (found != NULL)
        kg__format(text, size,
                   "an mbarrier object whose phase %llu lacks %u of %u arrivals and %lld bytes",
                   (unsigned long long)found->object.phase, found->object.pending,
                   found->object.expected, (long long)found->bytes);
    return found != NULL;
}

uint64_t kg__exec_phase_of(const kg__model_barrier_object *object, uint64_t phase, bool by_parity)
{
    return !by_parity ? phase : object->phase - ((object->phase & 1) != (phase & 1));
}

uint64_t kg__exec_mbarrier_state(const kg__model_barrier_object *object)
{
    const mbarrier *found = (const mbarrier *)(const void *)object;

    return object->phase << 42 ^ (uint64_t)object->pending << 21 ^ (uint64_t)found->bytes;
}

bool kg__exec_turn_at_cluster(bool arrives)
{
    thread_stores *mine = &kg__running.bulk->of_threads[kg__running.current];
    const bool turns = mine->at_cluster != arrives;

    mine->at_cluster = arrives;
    kg__running.bulk->any = true;
    return turns;
}

void kg__exec_store_bulk(const void *from, size_t size)
{
    thread_stores *mine = &kg__running.bulk->of_threads[kg__running.current];

    if (kg__running.watcher == NULL)
        return;
    *KG__ADD(mine->list, mine->count, mine->room) = (store){ from, size, mine->committed };
    kg__running.bulk->any = true;
}

void kg__model_commit_bulk(void)
{
    kg__running.bulk->of_threads[kg__running.current].committed++;
    kg__running.bulk->any = true;
}

bool kg__exec_end_store(unsigned int newest, const void **from, size_t *size)
{
    thread_stores *mine = &kg__running.bulk->of_threads[kg__running.current];

    if (mine->first == mine->count)
        mine->first = mine->count = 0;
    /* They are in the order of their groups. */
    if (mine->count == 0 || mine->list[mine->first].committed + newest >= mine->committed)
        return false;
    *from = mine->list[mine->first].from;
    *size = mine->list[mine->first++].size;
    return true;
}
