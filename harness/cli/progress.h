/* How far a long command is, on the standard error: a bar with the time left on a terminal, a plain
 * line every few seconds elsewhere, nothing of what is over soon. */
#ifndef KG__CLI_PROGRESS_H
#define KG__CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kg__progress {
    const char *command; /* "tune" */
    bool bar;            /* the standard error is a terminal that can go back in a line */
    bool color;
    double began;
    double last_shown; /* when it was last shown; 0: never */
    size_t width;      /* of what stands in the line now */
} kg__progress;

/* Begins the progress of a command, whose name stays the caller's; the clock runs from here. */
void kg__progress_begin(kg__progress *progress, const char *command);

/* Says that a fraction `done` (0 to 1) is, and what is at work; `left` is the estimate of the
 * seconds that remain, negative where there is none. Shown at most a few times a second. */
void kg__progress_update(kg__progress *progress, double done, double left, const char *what);

/* Clears the line, so that something else may be written. */
void kg__progress_end(kg__progress *progress);

#endif
