/* kernelgate --run: the lock and the folder of a run's results, for commands that are not C. */
#ifndef KG__CLI_RUN_QUERY_H
#define KG__CLI_RUN_QUERY_H

#include <stddef.h>

/* Does what the arguments say, of which the first is the word:
 *
 *   begin FOLDER PID   makes the folder, takes it for the process and clears what an earlier run
 *                      left there
 *   check FOLDER       whether this process may write into it
 *   end FOLDER PID     gives it back where the process holds it
 *
 * Returns the exit code: KG__EXIT_ERROR with a complaint where it cannot be done, or where the
 * arguments have another form. */
int kg__answer_run(size_t count, char *const *arguments);

#endif
