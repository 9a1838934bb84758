/* SPDX-License-Identifier: MIT */
#include "gate/verdict_line.h"

#include <stdio.h>

#include "base/text.h"

void kg__print_verdict(const char *word, const char *target, const char *id, const char *why)
{
    kg__print(stdout, "%-11s  %-11s", word, target);
    if (*id != '\0')
        kg__print(stdout, *why != '\0' ? "  %-32s" : "  %s", id);
    kg__print(stdout, *why != '\0' ? "  %s\n" : "\n", why);
    (void)fflush(stdout);
}
