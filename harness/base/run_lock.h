/* SPDX-License-Identifier: MIT */
/* Who holds the directory of a run's results. The command `kernelgate` takes and releases it
 * (tools/kernelgate/base/run_lock.py, which describes the file); the programs of comparisons write
 * only where that permits it. */
#pragma once

#include <stdbool.h>

#include "base/message.h"

/* The file's name in the directory that is held. */
#define KG__RUN_LOCK_FILE "run.lock"

/* Whether this process may write into `folder`: nobody holds it, or this process or one that it
 * descends from does. A folder that does not exist is held by nobody. False with `error`, which
 * names the holder. */
bool kg__run_lock_permits(const char *folder, kg__error *error);

/* Whether this process, or one that it descends from, holds `folder`: then what is in it is this
 * run's, since a run that takes a folder clears it. */
bool kg__run_lock_is_own(const char *folder);
