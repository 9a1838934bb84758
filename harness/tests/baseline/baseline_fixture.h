/* SPDX-License-Identifier: MIT */
/* What the tests of the baseline store share: a folder with the one file that they read and write.
 */
#pragma once

#include "baseline/baseline.h"
#include "tests/fakes/drive.h"

/* A sound file of an H200, to the byte as it is written. */
extern const char whole[];

/* The file, and the key of its target: nvidia-h200 until be_the_model(). */
extern char path[512];
extern const char *target_key;

/* How complaints of a file end. */
#define FIX "fix the file, or record it again with kernelgate rebaseline"
#define LINT ": kernelgate baseline lint says why; " FIX
#define REMEDY ": " FIX

/* A suite's .init; its .fini is remove_folder(). */
void begin_baselines(void);

/* From here on the file is the CPU model's, or the GPU's again. */
void be_the_model(void);
void be_a_gpu(void);

/* A file with a good case, and before it this text of another one, with ' for "; good until the
 * next call. */
const char *with_case(const char *text);

/* Loads the file, which is expected to be bad, and expects its complaint to be `message` behind the
 * file's path, and so many cases to be read of it. */
void expect_bad(const char *message, size_t cases);
