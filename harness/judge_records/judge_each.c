/* SPDX-License-Identifier: MIT */
#include "judge_records/judge_each.h"

json_t *kg__judge_each(const char *path, const char *name, const json_t *entries,
                       const char *absent, kg__judge_entry *judge, const json_t *figures,
                       kg__error *error)
{
    json_t *judged = json_array();
    json_error_t fault;
    json_t *entry;
    size_t i;

    kg__format(fault.text, sizeof fault.text, "%s", absent);
    json_array_foreach (entries, i, entry) {
        if (json_array_append_new(judged, judge(figures, entry, &fault)) != 0)
            break;
    }
    if (json_is_array(entries) && json_array_size(judged) == json_array_size(entries))
        return judged;
    kg__fail(error, "%s: %s[%zu]: %s: install kernelgate again", path, name,
             json_array_size(judged), fault.text);
    json_decref(judged);
    return NULL;
}
