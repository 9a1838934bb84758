/* Searching: how the best launch of a variant is found among its candidates of one size. */
#ifndef KG__SEARCHING_GPU_H
#define KG__SEARCHING_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "observer/tune_runners.h"

/* The candidates of one variant at one size, in the table's order. */
typedef struct kg__field {
    kg__runner **list;
    size_t count;
} kg__field;

/* Has them race to the end: those that are still in then were not told apart. False when the device
 * is lost. */
bool kg__field_race(kg__tuning *all, const kg__field *own);

/* Times every one to the full precision. False when the device is lost. */
bool kg__field_search(kg__tuning *all, const kg__field *own);

#endif
