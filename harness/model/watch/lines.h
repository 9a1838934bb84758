/* SPDX-License-Identifier: MIT */
/* The counters of source lines. Internal to watching. */
#ifndef KG__MODEL_WATCH_LINES_H
#define KG__MODEL_WATCH_LINES_H

#include "model/watch/watch.h"

#include <stddef.h>

/* Returns the counters of the sites' lines, by file, then line; valid until the next call. */
const kg__model_line *kg__lines_of_sites(size_t *count);

#endif
