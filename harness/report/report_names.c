#include "report/report_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "baseline/baseline.h"
#include "records/records.h"

static void add_name(kg__report_names *list, const char *name, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->names[i]) == length && strncmp(list->names[i], name, length) == 0)
            return;
    list->names = kg__grow(list->names, list->count, &list->room, sizeof *list->names);
    list->names[list->count] = kg__allocate(length + 1, 1);
    memcpy(list->names[list->count++], name, length);
}

void kg__report_names_free(kg__report_names *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (kg__report_names){ 0 };
}

kg__report_names kg__report_comparisons(const json_t *results)
{
    kg__report_names list = { 0 };
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        const char *id = kg__json_text(entry, "case");

        add_name(&list, id, strcspn(id, "/"));
    }
    return list;
}

kg__report_names kg__report_targets(const json_t *results, const char *comparison)
{
    size_t length = strlen(comparison);
    kg__report_names list = { 0 };

    for (int model = 0; model < 2; model++) {
        const json_t *entry;
        size_t i;

        json_array_foreach (json_object_get(results, "cases"), i, entry) {
            const char *id = kg__json_text(entry, "case");
            const char *key = kg__json_text(entry, "target");

            if ((strcmp(key, KG__MODEL_KEY) == 0) == (model == 1) &&
                strncmp(id, comparison, length) == 0 && id[length] == '/')
                add_name(&list, key, strlen(key));
        }
    }
    return list;
}

/* The list `key` in the document of an id's comparison. Where there is no such document it is made,
 * or NULL is returned. */
static json_t *list_of(json_t *parts, const json_t *results, const char *id, const char *key,
                       bool make)
{
    char *comparison = kg__copy_text(id);
    json_t *part;

    comparison[strcspn(comparison, "/")] = '\0';
    part = json_object_get(parts, comparison);
    if (part == NULL && make) {
        part = json_copy((json_t *)results);
        json_object_set_new(part, "cases", json_array());
        json_object_set_new(part, "refused", json_array());
        json_object_set_new(parts, comparison, part);
    }
    free(comparison);
    return json_object_get(part, key);
}

json_t *kg__report_split(const json_t *results)
{
    json_t *parts = json_object();
    json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry)
        json_array_append(list_of(parts, results, kg__json_text(entry, "case"), "cases", true),
                          entry);
    json_array_foreach (json_object_get(results, "refused"), i, entry)
        json_array_append(list_of(parts, results, kg__json_text(entry, "case"), "refused", false),
                          entry);
    return parts;
}
