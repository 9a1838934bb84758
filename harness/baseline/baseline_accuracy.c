/* SPDX-License-Identifier: MIT */
/* The accuracy of a baseline: the errors of the checked cases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_file.h"
#include "base/text.h"
#include "baseline/baseline_rules.h"
#include "suite/id_parts.h"

/* Reads the errors of a case and, where it is not the target's own, the band. */
static bool read_errors(kg__reading *file, const kg__json_place *where, const json_t *array,
                        kg__baseline_accuracy *entry)
{
    double *const figures[] = { &entry->errors[0], &entry->errors[1], &entry->band };
    const size_t count = json_array_size(array);
    bool right = (count == 2 || count == 3) && kg__is_case_id(entry->id);

    for (size_t i = 0; i < count && right; i++)
        right =
            kg__read_figure(file, where, json_array_get(array, i), figures[i], KG__BASELINE_REMEDY);
    if (right && entry->errors[1] >= 0 && !signbit(entry->errors[1]) &&
        entry->errors[1] <= entry->errors[0] &&
        (count == 2 || (entry->band > 0 && entry->band < 1)))
        return true;
    kg__complain_at(
        file, where,
        "is not a case (comparison/variant/size/launch) with its largest error, the "
        "mean of no more and, where it has one, a band between 0 and 1: " KG__BASELINE_REMEDY);
    return false;
}

void kg__baseline_read_accuracy(kg__reading *file, const kg__json_place *where, json_t *object,
                                kg__baseline *baseline)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        kg__complain_at(file, where, "is not an object: " KG__BASELINE_REMEDY);
        return;
    }
    baseline->accuracy = kg__allocate(json_object_size(object) + 1, sizeof *baseline->accuracy);
    json_object_foreach (object, key, value) {
        const kg__json_place place = { where, key };
        kg__baseline_accuracy entry = { .id = kg__copy_text(key) };

        if (read_errors(file, &place, value, &entry))
            baseline->accuracy[baseline->accuracy_count++] = entry;
        else
            free(entry.id);
    }
    qsort(baseline->accuracy, baseline->accuracy_count, sizeof *baseline->accuracy,
          kg__compare_names);
}
