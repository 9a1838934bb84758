/* The baselines of what the fake comparison's programs cost without a plan (fake_plan.h). */
#ifndef KG__FAKE_BASELINES_H
#define KG__FAKE_BASELINES_H

#include "baseline/baseline.h"

/* The baselines of nvidia-fake and of the CPU model in the making. */
extern kg__baseline baseline;
extern kg__baseline counts;

/* Begins with no case; frees both at the end. */
void begin_fake_baselines(void);
void end_fake_baselines(void);

/* Adds a case to the baseline of nvidia-fake that takes `hot` ns, from memory 1.2 times that. */
void add_case(const char *id, double hot);

/* Writes the baselines into the test's folder. */
void save_baseline(void);
void save_counts(void);

/* Makes and writes the baselines of what the fakes do without a plan; that of nvidia-fake has its
 * sentinels. */
void store_baseline(void);
void store_counts(void);

#endif
