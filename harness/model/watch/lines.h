/* SPDX-License-Identifier: MIT */
/* The counters of source lines. Internal to watching. */
#pragma once

#include "model/watch/watch.h"

#include <stddef.h>

/* Returns the counters of the sites' lines, by file, then line; valid until the next call. */
const kg__model_line *kg__lines_of_sites(size_t *count);
