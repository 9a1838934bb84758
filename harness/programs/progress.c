/* SPDX-License-Identifier: MIT */
#include "programs/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "model/exec/launch.h"

/* Seconds between two lines. */
#define INTERVAL 0.5

static double wait;
static double began, shown;

/* Each line overwrites the last one, and whatever follows overwrites it. */
static void show(uint64_t done, uint64_t all)
{
    const double now = kg__now();

    if (done == 0) {
        began = now;
        shown = 0;
    }
    if (now - began < wait || (now - shown < INTERVAL && done < all))
        return;
    if (done < all)
        fprintf(stderr, "kernelgate: %s: %" PRIu64 " of %" PRIu64 " blocks, %.0f s left\033[K\r",
                kg__exec_kernel_name(), done, all,
                (now - began) / (double)done * (double)(all - done));
    else
        fprintf(stderr, "\033[K");
    shown = now;
}

void kg__program_show_progress(double after)
{
    wait = after;
    if (isatty(STDERR_FILENO))
        kg__exec_on_block(show);
}
