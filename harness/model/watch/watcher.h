/* Watching, as the runtime uses it: of launches, and of what the host does to memory. Internal to
 * the model. */
#ifndef KG__MODEL_WATCH_WATCHER_H
#define KG__MODEL_WATCH_WATCHER_H

#include "model/exec/allocations.h"
#include "model/exec/launch.h"

/* The watcher of launches; NULL while nothing is watched. */
const kg__exec_watcher *kg__watch_watcher(void);
/* True when the launch, of so many blocks, is not to be run: what a sampled launch before it would
 * have written is not there, and nothing that is found of it would be true. Where it is to be
 * counted it is run, and no longer checked. */
bool kg__watch_skips(uint64_t blocks);
/* Whether accesses are checked, and not only counted. */
bool kg__watch_checks(void);
/* Says that this program's kernels are instrumented. */
void kg__watch_instrumented(void);

/* A copy or a fill has written `count` bytes. */
void kg__watch_written(const void *pointer, size_t count);
/* Forgets the state of an allocation that is freed, and fills in `freed` for messages. */
void kg__watch_freed(const kg__model_allocation *allocation, kg__model_freed *freed);

#endif
