/* What KG_ARG in a launcher found wrong with the type that it was given. */
#ifndef KG__SUITE_ARGUMENT_TYPE_H
#define KG__SUITE_ARGUMENT_TYPE_H

#include <stdbool.h>

/* What the first wrong KG_ARG since the last call was: where it is, the argument's name and both
 * types, in memory of its own until the next launch; NULL where none was. */
const char *kg__take_argument_fault(void);

#endif
