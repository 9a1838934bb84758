/* A run as one CSV table. */
#include <stdlib.h>

#include "report/report.h"
#include "report/report_names.h"
#include "report/report_table.h"

/* The tables of a run, and the documents that they borrow from. */
typedef struct tables {
    kg__report_table *list;
    size_t count;
    size_t room;
} tables;

/* Adds the tables of a comparison that have any case; false where an id is not a case's. */
static bool add_comparison(tables *all, const char *comparison, const json_t *part,
                           const kg__report_names *targets)
{
    kg__error error = { "" };
    bool made = true;

    for (size_t i = 0; i < targets->count && made; i++) {
        kg__report_table *table;

        all->list = kg__grow(all->list, all->count, &all->room, sizeof *all->list);
        table = &all->list[all->count++];
        made = kg__report_table_make(part, comparison, targets->names[i], table, &error);
    }
    if (!made)
        kg__complain("%s", error.text);
    return made;
}

bool kg__csv_write(const kg__report *report, FILE *stream)
{
    json_t *parts = kg__report_split(report->results);
    kg__report_names *targets = kg__allocate(json_object_size(parts) + 1, sizeof *targets);
    tables all = { 0 };
    const char *comparison;
    bool made = true;
    size_t split = 0;
    json_t *part;

    json_object_foreach (parts, comparison, part) {
        if (!made)
            break;
        targets[split] = kg__report_targets(part, comparison);
        made = add_comparison(&all, comparison, part, &targets[split++]);
    }
    if (made)
        kg__report_write_csv(stream, all.list, all.count);
    for (size_t i = 0; i < all.count; i++)
        kg__report_table_free(&all.list[i]);
    for (size_t i = 0; i < split; i++)
        kg__report_names_free(&targets[i]);
    free(all.list);
    free(targets);
    json_decref(parts);
    return made;
}
