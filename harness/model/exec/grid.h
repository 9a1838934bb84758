/* SPDX-License-Identifier: MIT */
/* The running grid: state that the modules of exec/ share. Internal to them. */
#pragma once

#include "model/exec/clusters.h"
#include "model/exec/fibers.h"
#include "model/exec/launch.h"

/* A CUDA thread of the running block. */
typedef struct kg__thread {
    uint3 index;
    unsigned int mask; /* of the warp operation that it waits in, with its operands */
    uint64_t value;
    unsigned int argument;
    unsigned int width;
    kg__model_warp_operation operation;
    uint64_t result; /* result of the operation */
    uintptr_t code;  /* return address of the call in which it waits, for its block or its warp */
    void *context;   /* where a waiting thread continues */
    kg__model_fiber *fiber; /* NULL before the thread begins */
    /* The atomic word that it read last, its value, and how often in a row. */
    const void *polled;
    uint64_t polled_value;
    unsigned int polls;
    /* The volatile word that it read last, and how often in a row. */
    const void *reread;
    unsigned int rereads;
    bool carry; /* of inline PTX */
} kg__thread;

/* A warp of the running block. */
typedef struct kg__warp {
    unsigned int live;    /* lanes that have not ended */
    unsigned int waiting; /* lanes that wait in a warp operation */
    unsigned int arrived; /* lanes that wait at the block's barrier */
    unsigned int at_grid; /* lanes that wait for the whole grid, or for their cluster */
    unsigned int ready;   /* lanes that have not begun, or may continue */
    unsigned int polling; /* lanes that let the others go first */
    const void *released; /* the atomic word that its lanes released last, not replayed yet */
} kg__warp;

/* The blocks of a launch that several workers run side by side. */
typedef struct kg__queue {
    uint64_t count;           /* of the grid */
    _Atomic uint64_t claimed; /* blocks that a worker has begun, or all */
    _Atomic uint64_t ended;
    _Atomic unsigned int busy; /* workers that run blocks */
    _Atomic unsigned int vain; /* of these, whose threads all wait for a value that does not come */
    _Atomic bool stopped;      /* a thread has failed: no further block begins */
} kg__queue;

typedef struct kg__copies kg__copies; /* copies.c */
typedef struct kg__bulk kg__bulk;     /* mbarriers.c */

/* The running launch and block. Threads are identified by their linear number, x fastest. */
typedef struct kg__grid {
    int first_warp, step; /* the order of turns: warps from first_warp, by step; lanes likewise */
    int warp_count;
    int thread_count;
    int turn;                /* the warp that has the turn */
    int current;             /* the thread that has the turn */
    int frontier;            /* the first thread, in order, that has not begun */
    int live;                /* threads that have not ended */
    int ready;               /* threads that have not begun, or may continue */
    int arrived;             /* threads at the barrier */
    int nonzero;             /* arrived threads whose predicate was not zero */
    uintptr_t first_barrier; /* code where the first of them waits */
    bool several_barriers;   /* not all of them wait there */
    bool at_objects;         /* barriers in shared memory may release threads */
    bool in_vain;            /* counted in queue->vain */
    /* No thread of the block has waited: those before `current` have ended, those after it have
     * not begun, and nothing else here says so. They run on one fiber. */
    bool straight;
    kg__model_votes votes;  /* of the barrier last released */
    int at_grid;            /* threads that wait for the whole grid, or for their cluster */
    int polling;            /* threads that let the others go first */
    uint64_t futile_polls;  /* reads by these threads since any found another value, */
    int futile_rounds;      /* and rounds in which all of them read */
    uintptr_t grid_barrier; /* code where the last thread at the grid's barrier waits */

    kg__exec_launch launch;
    const kg__exec_watcher *watcher; /* the launch's */
    kg__model_order order;
    kg__model_statistics statistics;
    kg__exec_failure failure;
    void *host_context; /* where the launching host thread continues */
    /* The code address where a thread last waited for the watcher (0: nowhere), and that thread. */
    uintptr_t last_wait_for_watcher;
    int last_waiting_for_watcher;
    /* The block's dynamic shared memory, between inaccessible pages; NULL before the first
     * launch. */
    unsigned char *dynamic_shared;

    kg__model_fiber *straight_fiber;
    dim3 indexed;     /* the shape of the block that the threads' indices belong to */
    kg__queue *queue; /* where the next block is from; NULL: blocks run one after another */
    kg__model_pool pool;
    /* The running block's, and those of the blocks of its cluster by their ranks. */
    kg__copies *copies, *copies_of[KG__CLUSTER_MAXIMUM];
    kg__bulk *bulk, *bulk_of[KG__CLUSTER_MAXIMUM];
    /* The values that the lanes of each warp exchanged last. */
    uint32_t gathered[KG__MODEL_MAX_WARPS][KG__MODEL_WARP][KG__MODEL_GATHERED];
    kg__warp warps[KG__MODEL_MAX_WARPS];
    kg__thread threads[KG__MODEL_MAX_THREADS];
} kg__grid;

#ifdef KG__MODEL_IS_LIBRARY
/* Workers have grids of their own; all other threads of the host share one, and the model's lock.
 */
extern KG__HIDDEN KG__MODEL_OF_WORKER kg__grid *kg__worker_grid;
#define kg__running (*kg__worker_grid)
#else
extern KG__HIDDEN kg__grid kg__running;
#endif
extern KG__HIDDEN _Thread_local bool kg__in_kernel;

/* Returns whether blocks wait for each other, and so can be suspended. */
static inline bool kg__blocks_wait(void)
{
    return kg__running.launch.is_cooperative || kg__exec_cluster_size() > 1;
}

/* Gives the turn to a warp. */
static inline void kg__turn_to_warp(int number)
{
    kg__running.turn = number;
    if (kg__running.watcher != NULL)
        kg__running.watcher->begin_warp((unsigned int)number);
}

/* Returns whether every thread of the running block that has not ended waits for other blocks. */
static inline bool kg__block_waits_for_grid(void)
{
    return kg__running.at_grid > 0 && kg__running.at_grid == kg__running.live;
}

/* Makes a lane of a warp ready to run. */
static inline void kg__make_ready(unsigned int warp, unsigned int lane)
{
    kg__running.warps[warp].ready |= 1u << lane;
    kg__running.ready++;
}

/* Notes which threads have begun and ended, where all ran one after another until now. */
void kg__leave_straight(void);
/* Returns where the calling thread of the host has a static shared array of the launch's kernel. */
unsigned char *kg__own_array(const kg__model_shared_array *array);

/* Takes a launch over, with nothing done yet, and sets the indices of the threads of a block. */
void kg__take_launch(const kg__exec_launch *launch, kg__model_order order);
/* Sets the shape of the grid, its clusters and its blocks; does not begin the first block. */
void kg__shape_grid(const kg__exec_launch *launch);
/* Fills shared memory with poison, over the previous block's data, and makes all threads of the
 * block at blockIdx ready. */
void kg__begin_block(void);
/* Begins no block, but sets blockIdx to one of the queue that nobody has begun; false if all have
 * begun, or a thread has failed. */
bool kg__claim_block(void);
/* Notes that a thread of the worker's block makes progress. */
static inline void kg__leave_vain(void)
{
    if (kg__running.in_vain)
        kg__running.queue->vain--;
    kg__running.in_vain = false;
}
/* Tells kg__exec_on_block()'s function how many blocks have ended. */
void kg__tell_ended_blocks(uint64_t done);
/* Ends the block and begins the next; false after the last. */
bool kg__begin_next_block(void);
/* Steps blockIdx to the next block in order, first within the same cluster; false after the
 * last. */
bool kg__step_block(void);
