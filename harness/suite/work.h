/* SPDX-License-Identifier: MIT */
/* The work that a case's job requires, whatever does it; compared with the limits of a GPU. */
#pragma once

typedef struct kg__work {
    double operations;
    double bytes;
} kg__work;
