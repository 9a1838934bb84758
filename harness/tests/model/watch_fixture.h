/* What the tests of watching share: data for kernels, launches, and what was counted and found. The
 * table of known defects is in defects.c. */
#ifndef KG__WATCH_FIXTURE_H
#define KG__WATCH_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "model/watch/watch.h"
#include "suite/counters.h"
#include "tests/model/watch_kernels.h"

#if defined(__SANITIZE_ADDRESS__)
#define FAULTS_ARE_CAUGHT false /* AddressSanitizer reports them instead */
#else
#define FAULTS_ARE_CAUGHT true
#endif

#define COUNT KG__MODEL_COUNT
#define CHECK KG__MODEL_CHECK
#define BOTH (KG__MODEL_COUNT | KG__MODEL_CHECK)

typedef cudaError_t launcher(const cudaLaunchConfig_t *config, watch_data data);

extern const dim3 one;

/* A grid or block of one dimension. */
dim3 line(unsigned int x);

/* Device memory with guard zones, as a name is given to it; freed with all of the model's. */
void *device_memory(size_t bytes, const char *name);

/* a, b, numbers and bytes of `elements` each; a holds 1, 2, 3 …, the others are 0. */
watch_data make_data(size_t elements);

/* Launches a kernel, which must succeed. */
void start(launcher *launch, dim3 grid, dim3 block, watch_data data);

/* What was counted since watching began. */
uint64_t counted(kg__counter counter);
void expect_count(kg__counter counter, uint64_t expected, const char *how);

/* Nothing was found; or all findings are of one kind, and one of them says `says`. */
void expect_clean(const char *how);
void expect_only(kg__finding_kind kind, const char *says, const char *how);

#endif
