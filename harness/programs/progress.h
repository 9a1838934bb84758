/* SPDX-License-Identifier: MIT */
/* How far a long launch is, on a terminal. */
#pragma once

/* Has each launch that takes longer than `after` seconds show its blocks and the time that is left
 * on standard error, if that is a terminal. */
void kg__program_show_progress(double after);
