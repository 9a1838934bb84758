/* SPDX-License-Identifier: MIT */
/* A machine-wide lock: a process that times on a GPU holds it alone, in any checkout; one that
 * checks shares it. */
#pragma once

#include "base/message.h"

typedef enum kg__gpu_lock_kind {
    KG__GPU_LOCK_SHARED,   /* others may hold it shared too: those that check */
    KG__GPU_LOCK_EXCLUSIVE /* alone: a process that times */
} kg__gpu_lock_kind;

/* Takes the lock `name` (of [A-Za-z0-9-]; a GPU's UUID), waiting as long as it takes. The lock is a
 * file in KG_LOCK_DIR, /tmp where that is unset, held through flock(): it is gone with its holder.
 * While it waits it calls `waiting` at once and then every five seconds with a line that names the
 * holder. Returns the lock's file descriptor, whose closing gives it back, or -1 with `error`. */
int kg__gpu_lock_take(const char *name, kg__gpu_lock_kind kind,
                      void (*waiting)(void *context, const char *line), void *context,
                      kg__error *error);
