/* SPDX-License-Identifier: MIT */
/* Type errors of KG_ARG in a launcher. */
#pragma once

/* Returns the first wrong KG_ARG since the last call: its place, the argument's name and both
 * types, in static memory until the next launch; NULL if there was none. */
const char *kg__take_argument_fault(void);
