/* What the tests of the baseline store share: a folder with the one file that they read and write.
 */
#ifndef KG__BASELINE_FIXTURE_H
#define KG__BASELINE_FIXTURE_H

#include "baseline/baseline.h"
#include "tests/fakes/drive.h"

/* A sound file of an H200, to the byte as it is written. */
extern const char whole[];

/* The file, and the key of its target: nvidia-h200 until be_the_model(). */
extern char path[512];
extern const char *target_key;

/* A suite's .init; its .fini is remove_folder(). */
void begin_baselines(void);

/* From here on the file is the CPU model's, or the GPU's again. */
void be_the_model(void);
void be_a_gpu(void);

#endif
