/* The progress of a long command, on the standard error: a bar with the time left on a terminal,
 * else a plain line every few seconds; nothing for a short command. */
#ifndef KG__CLI_PROGRESS_H
#define KG__CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kg__progress {
    const char *command; /* "tune" */
    bool bar;            /* the standard error is a terminal that can rewrite a line */
    bool color;
    double began;
    double last_shown; /* when it was last shown; 0: never */
    size_t width;      /* of the text in the line */
} kg__progress;

/* Begins the progress of a command and starts its clock; the name stays the caller's. */
void kg__progress_begin(kg__progress *progress, const char *command);

/* Shows the fraction `done` (0 to 1) and the current step; `left` is the estimated remaining time
 * in seconds, negative if unknown. Shown at most a few times per second. */
void kg__progress_update(kg__progress *progress, double done, double left, const char *what);

/* Clears the line for other output. */
void kg__progress_end(kg__progress *progress);

#endif
