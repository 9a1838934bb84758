/* SPDX-License-Identifier: MIT */
/* The clock that durations on the host are taken with. */
#ifndef KG__BASE_CLOCK_H
#define KG__BASE_CLOCK_H

/* Seconds since an arbitrary moment, by a monotonic clock. */
double kg__now(void);

#endif
