/* SPDX-License-Identifier: MIT */
/* Polls: when a thread that reads a word again and again lets the others go first. */
#include "model/exec/grid.h"
#include "model/exec/workers.h"

/* After this many reads of the same value from a word, a thread waits for another to change it. */
#define POLLS_MAXIMUM 64
/* The same for a failing atomicCAS(), __nanosleep() and the like, which may not be a wait. Until
 * then threads keep their turns, so lanes reconverge where they do on hardware. */
#define TRIES_MAXIMUM (1u << 16)
/* Where a wait is likely: other blocks are resident, or a volatile word is read again and again. */
#define TRIES_OF_WAITS (1u << 10)

void kg__exec_polled(const void *word, uint64_t value)
{
    kg__thread *self = &kg__running.threads[kg__running.current];

    if (self->polled == word && self->polled_value == value) {
        self->polls++;
        return;
    }
    self->polled = word;
    self->polled_value = value;
    self->polls = 0;
    kg__running.futile_polls = 0;
    kg__running.futile_rounds = 0;
    kg__leave_vain();
}

/* What a thread waits for is unknown, so that it is no sign of a deadlock: among blocks that wait
 * for each other the count goes as far as to give the others a turn. */
static void doubt_deadlock(void)
{
    const int most = kg__blocks_wait() ? 2 : 0;

    if (kg__running.futile_rounds > most)
        kg__running.futile_rounds = most;
}

bool kg__exec_rereads(const void *word)
{
    kg__thread *self = &kg__running.threads[kg__running.current];

    if (!kg__in_kernel)
        return false;
    self->rereads = self->reread == word ? self->rereads + 1 : 0;
    self->reread = word;
    if (self->rereads < TRIES_OF_WAITS)
        return false;
    self->rereads = 0;
    doubt_deadlock();
    return true;
}

bool kg__exec_tries_in_vain(const void *word, uint64_t value)
{
    kg__thread *self = &kg__running.threads[kg__running.current];

    if (!kg__in_kernel)
        return false;
    if (word != NULL) {
        kg__exec_polled(word, value);
    } else {
        self->polls++;
        self->rereads = 0;
    }
    if (self->polls < (kg__blocks_wait() ? TRIES_OF_WAITS : TRIES_MAXIMUM))
        return false;
    if (word == NULL && kg__blocks_wait())
        doubt_deadlock();
    return true;
}

void kg__exec_released(const void *word)
{
    if (kg__running.watcher != NULL)
        kg__running.warps[kg__running.turn].released = word;
}

bool kg__exec_is_early(const void *word, bool acquires)
{
    return kg__in_kernel && (kg__running.threads[kg__running.current].polls >= POLLS_MAXIMUM ||
                             (acquires && kg__running.warps[kg__running.turn].released == word));
}
