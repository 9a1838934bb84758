/* SPDX-License-Identifier: MIT */
/* How a program ended: right, wrong, or with an error, and where in the source to look. */
#pragma once

#include <jansson.h>

#include "base/pool.h"
#include "results/case_result.h"

/* Returns the result, of part `check`, of the run of a program: `document` is a
 * kernelgate-program/1 (judges.h). Texts are the pool's or the document's. */
kg__case_result *kg__run_outcome(kg__pool *pool, json_t *document);
