/* SPDX-License-Identifier: MIT */
/* The work that a case's job requires, whatever does it; compared with the limits of a GPU. */
#ifndef KG__SUITE_WORK_H
#define KG__SUITE_WORK_H

typedef struct kg__work {
    double operations;
    double bytes;
} kg__work;

#endif
