/* SPDX-License-Identifier: MIT */
/* What a warp group's products read in shared memory, from the instruction to the wait for its
 * group. Each warp reads its own rows of a and all of b. The accesses are checked, and not
 * counted. */
#include "base/message.h"
#include "model/exec/clusters.h"
#include "model/exec/matrices.h"
#include "model/watch/findings.h"
#include "model/watch/order.h"
#include "model/watch/trace.h"
#include "model/watch/watcher.h"

#include <string.h>

#define CHUNK 16 /* bytes */
#define CODE ((uintptr_t)__builtin_return_address(0))

/* A product that the thread has not waited for. */
typedef struct pending {
    kg__model_wgmma part;
    unsigned int committed; /* groups that the thread had committed before it */
} pending;

/* The products of a thread of the block that first began at the time `block`. */
typedef struct thread_products {
    uint32_t block;
    bool has_fenced;
    unsigned int committed;
    pending *list;
    size_t count, room;
} thread_products;

static thread_products of_ranks[KG__CLUSTER_MAXIMUM][KG__MODEL_MAX_THREADS];

/* Returns the running thread's; NULL where it is not watched. */
static thread_products *own_products(kg__model_place *who)
{
    thread_products *mine;

    if (kg__trace.cursor == NULL || !kg__model_where(who))
        return NULL;
    mine = &of_ranks[kg__exec_cluster_rank()][who->linear];
    if (mine->block != kg__order.first_began) {
        mine->block = kg__order.first_began;
        mine->has_fenced = false;
        mine->committed = 0;
        mine->count = 0;
    }
    return mine;
}

static void find_unawaited(void)
{
    const thread_products *of_threads = of_ranks[kg__exec_cluster_rank()];

    for (unsigned int i = 0; kg__watch_checks() && i < kg__exec_thread_count(); i++) {
        if (of_threads[i].block == kg__order.first_began && of_threads[i].count > 0)
            kg__find(of_threads[i].list[0].part.code, i,
                     &(kg__finding){ .kind = KG__INVALID_WARP_OPERATION,
                                     .detail = "missing wgmma.wait_group: the thread ends before "
                                               "the product's group has completed" });
    }
}

/* Records what a lane's warp reads of an operand, by turns of its lanes; or that this is complete,
 * which the first wait of the group's four warps says of all their rows, and the others of their
 * own. */
static void note_operand(const kg__model_wgmma *part, int which, const kg__model_place *who,
                         unsigned int kind)
{
    const bool of_warp = which == 0 && kind != KG__OF_GROUP;
    const unsigned int first = of_warp ? who->warp % 4 * KG__MODEL_WARP : 0;
    const unsigned int end = of_warp      ? first + KG__MODEL_WARP
                             : which == 0 ? 4 * KG__MODEL_WARP
                                          : 2 * part->columns;
    bool outside;

    for (unsigned int i = first + who->lane; i < end; i += KG__MODEL_WARP)
        kg__trace_note(kg__wgmma_chunk(part, which, i, &outside), kind | CHUNK, part->code);
}

void kg__model_begin_wgmma(kg__model_wgmma *part)
{
    kg__model_place who;
    thread_products *mine = own_products(&who);

    part->code = CODE;
    if (mine == NULL)
        return;
    if (!mine->has_fenced && kg__watch_checks())
        kg__find(CODE, who.linear,
                 &(kg__finding){ .kind = KG__INVALID_WARP_OPERATION,
                                 .detail = "missing wgmma.fence: it orders the registers that the "
                                           "first wgmma of a warp reads" });
    /* A site of its own: the counter follows from a site's last kind. */
    kg__trace_count(KG__ACCESS_MATRIX, kg__wgmma_depth(part) * part->columns / 2, CODE - 1);
    for (int which = part->a != NULL; which < 2; which++)
        note_operand(part, which, &who, KG__ACCESS_BULK);
    kg__watch_on_block_end(find_unawaited);
    mine->list = kg__grow(mine->list, mine->count, &mine->room, sizeof *mine->list);
    mine->list[mine->count++] = (pending){ *part, mine->committed };
}

void kg__model_fence_wgmma(void)
{
    kg__model_place who;
    thread_products *mine = own_products(&who);

    if (mine != NULL)
        mine->has_fenced = true;
}

void kg__model_commit_wgmma(void)
{
    kg__model_place who;
    thread_products *mine = own_products(&who);

    if (mine != NULL)
        mine->committed++;
}

/* Returns whether one of the products in the list reads the same operand. */
static bool reads_too(const pending *list, size_t count, const kg__model_wgmma *part, int which)
{
    for (size_t i = 0; i < count; i++) {
        const kg__model_wgmma *other = &list[i].part;

        if (other->descriptors[which] == part->descriptors[which] &&
            other->turned[which] == part->turned[which] && other->columns == part->columns)
            return true;
    }
    return false;
}

/* Returns whether another warp of the group has waited for a product that reads an operand. */
static bool is_complete(const kg__model_wgmma *part, int which, const kg__model_place *who)
{
    for (unsigned int i = 1; i < 4; i++) {
        const thread_products *other =
            &of_ranks[kg__exec_cluster_rank()][who->linear ^ i * KG__MODEL_WARP];

        if (other->block != kg__order.first_began ||
            !reads_too(other->list, other->count, part, which))
            return true;
    }
    return false;
}

void kg__model_wait_for_wgmma(unsigned int newest)
{
    kg__model_place who;
    thread_products *mine = own_products(&who);
    size_t ended = 0;

    /* Groups complete in order. */
    while (mine != NULL && ended < mine->count &&
           mine->list[ended].committed + newest < mine->committed)
        ended++;
    for (size_t i = 0; i < ended; i++) {
        const kg__model_wgmma *part = &mine->list[i].part;

        for (int which = part->a != NULL; which < 2; which++) {
            if (reads_too(mine->list + i + 1, mine->count - i - 1, part, which))
                continue;
            /* All four warps read b, so that nothing is left to the others. */
            if (!is_complete(part, which, &who))
                note_operand(part, which, &who, KG__OF_GROUP);
            else if (which == 0)
                note_operand(part, which, &who, KG__OF_WARP);
        }
    }
    if (ended == 0)
        return;
    mine->count -= ended;
    memmove(mine->list, mine->list + ended, mine->count * sizeof *mine->list);
}
