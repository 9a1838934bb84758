/* SPDX-License-Identifier: MIT */
/* The clock that durations on the host are taken with. */
#pragma once

/* Seconds since an arbitrary moment, by a monotonic clock. */
double kg__now(void);
