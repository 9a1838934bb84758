/* Who holds a folder: a run holds the folder of its results from its first test to its last, so
 * that two runs in one checkout never mix theirs. ci/gate holds it too, and its build folder,
 * through the same file.
 *
 * <folder>/run.lock is empty while nobody holds the folder, else lines of a word and its value:
 *
 *   process 1234            the holder
 *   started 8812345         when it started, in clock ticks since the machine did (/proc/PID/stat):
 *                           another process of the same number is not the holder
 *   host runner-3           where
 *   what ci/gate            what it is
 *   since 2026-11-21 05:10:00 UTC
 *
 * The file stays where it is and is emptied when the folder is given back; flock() on it keeps
 * those apart who read and write it. A holder that died holds nothing. */
#ifndef KG__BASE_RUN_LOCK_H
#define KG__BASE_RUN_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/message.h"

/* The file's name in the folder that is held. */
#define KG__RUN_LOCK_FILE "run.lock"

/* Takes `folder`, which must be there, for process `holder`, named by its program. Nothing changes
 * where this process or one that it descends from holds the folder already. False with `error`,
 * which names the holder, where another process holds it. */
bool kg__run_lock_take(const char *folder, pid_t holder, kg__error *error);

/* Whether this process may write into `folder`: nobody holds it, or this process or one that it
 * descends from does. A folder that is not there is held by nobody. False with `error`. */
bool kg__run_lock_permits(const char *folder, kg__error *error);

/* Gives `folder` back where process `holder` holds it; else nothing changes. */
void kg__run_lock_release(const char *folder, pid_t holder);

#endif
