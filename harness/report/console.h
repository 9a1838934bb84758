/* What the two halves of the console's printer share. */
#ifndef KG__REPORT_CONSOLE_H
#define KG__REPORT_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/report.h"

/* A report on its way to the console. */
typedef struct kg__console {
    const kg__report *report;
    const kg__results *results;
    FILE *stream;
    bool colored;
    bool on_targets; /* several targets: each failure says which */
    size_t failures; /* printed or left out */
} kg__console;

/* Prints every failure and what is in doubt, worst first, each as a compiler prints an error; what
 * is beyond a screenful is counted. */
void kg__console_failures(kg__console *to);

#endif
