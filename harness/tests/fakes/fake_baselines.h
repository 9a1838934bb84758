/* SPDX-License-Identifier: MIT */
/* The baseline of what the fake comparison's program for a GPU costs without a plan (fake_plan.h).
 */
#pragma once

/* Begins with no case; frees it at the end. */
void begin_fake_baselines(void);
void end_fake_baselines(void);

/* Makes the baseline of nvidia-fake, with its sentinels, and writes it into the test's folder. */
void store_baseline(void);
