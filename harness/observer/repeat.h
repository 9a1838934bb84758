/* Repetition: whether a variant that is KG_REPEATABLE gives the same bits in every order. */
#ifndef KG__OBSERVER_REPEAT_H
#define KG__OBSERVER_REPEAT_H

#include <stdbool.h>

#include "base/message.h"
#include "device/buffers.h"

/* The outputs of a case's first launch, on the host. Zeroed at first. */
typedef struct kg__repeats {
    void *first[KG_MAX_ARGUMENTS]; /* NULL: nothing is kept, or the argument is not compared */
} kg__repeats;

/* Keeps the results of the launch of order 0, and compares those of another order with them. False
 * where they differ, with the argument's name in `symbol` and where in `why`, "c[17]: 0x3f800001 in
 * ascending, 0x3f800000 in ..."; or, with `symbol` left alone, where they could not be read. */
bool kg__repeats_take(kg__repeats *repeats, kg__buffers *buffers, int order, const char **symbol,
                      kg__error *why);

/* Frees the outputs, and empties the structure; an empty one is fine too. */
void kg__repeats_free(kg__repeats *repeats);

#endif
