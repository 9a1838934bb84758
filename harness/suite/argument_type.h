/* SPDX-License-Identifier: MIT */
/* Type errors of KG_ARG in a launcher. */
#ifndef KG__SUITE_ARGUMENT_TYPE_H
#define KG__SUITE_ARGUMENT_TYPE_H

#include <stdbool.h>

/* Returns the first wrong KG_ARG since the last call: its place, the argument's name and both
 * types, in static memory until the next launch; NULL if there was none. */
const char *kg__take_argument_fault(void);

#endif
