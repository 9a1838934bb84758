/* SPDX-License-Identifier: MIT */
#include "judge_records/judge_each.h"

json_t *kg__judge_each(const kg__judged_file *file, const char *name, const char *answer,
                       kg__judge_entry *judge, kg__error *error)
{
    const json_t *figures = json_object_get(file->document, "figures");
    const json_t *entries = json_object_get(file->document, name);
    json_t *judged = json_array();
    json_error_t fault;
    json_t *entry;
    size_t i;

    kg__format(fault.text, sizeof fault.text, "it has no list of %s", name);
    json_array_foreach (entries, i, entry) {
        if (json_array_append_new(judged, judge(figures, entry, &fault)) != 0)
            break;
    }
    if (json_is_array(entries) && json_array_size(judged) == json_array_size(entries))
        return json_pack("{s:o}", answer, judged);
    kg__fail(error, "%s: %s[%zu]: %s: install kernelgate again", file->path, name,
             json_array_size(judged), fault.text);
    json_decref(judged);
    return NULL;
}
