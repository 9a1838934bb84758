/* The list of the cases that the CPU model checks and does not count, so that one which leaves its
 * table is missed like any other. */
#include <stdlib.h>
#include <string.h>

#include "baseline/baseline.h"
#include "baseline/baseline_rules.h"

/* The index of an id in the sorted list, or of the first id after it. */
static size_t place_of(const kg__baseline *baseline, const char *id)
{
    size_t low = 0;
    size_t high = baseline->checked_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(baseline->checked[middle], id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool kg__baseline_lists(const kg__baseline *baseline, const char *id)
{
    size_t place = place_of(baseline, id);

    return place < baseline->checked_count && strcmp(baseline->checked[place], id) == 0;
}

bool kg__baseline_list(kg__baseline *baseline, const char *id)
{
    size_t count = baseline->checked_count;
    size_t place = place_of(baseline, id);
    char **list;

    if (kg__baseline_lists(baseline, id))
        return false;
    if (count == 0 || kg__baseline_room_for(count) == count) {
        list = kg__allocate(kg__baseline_room_for(count + 1), sizeof *list);
        if (count > 0)
            memcpy(list, baseline->checked, count * sizeof *list);
        free(baseline->checked);
        baseline->checked = list;
    }
    list = baseline->checked;
    memmove(&list[place + 1], &list[place], (count - place) * sizeof *list);
    list[place] = kg__copy_text(id);
    baseline->checked_count++;
    return true;
}

bool kg__baseline_unlist(kg__baseline *baseline, const char *id)
{
    size_t place = place_of(baseline, id);

    if (!kg__baseline_lists(baseline, id))
        return false;
    free(baseline->checked[place]);
    baseline->checked_count--;
    memmove(&baseline->checked[place], &baseline->checked[place + 1],
            (baseline->checked_count - place) * sizeof *baseline->checked);
    return true;
}

void kg__baseline_unlist_all(kg__baseline *baseline)
{
    for (size_t i = 0; i < baseline->checked_count; i++)
        free(baseline->checked[i]);
    free(baseline->checked);
    baseline->checked = NULL;
    baseline->checked_count = 0;
}
