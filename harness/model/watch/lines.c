/* SPDX-License-Identifier: MIT */
/* The counters of each source line, of the sites at it. */
#include "model/watch/lines.h"

#include "base/message.h"
#include "model/watch/places.h"
#include "model/watch/sites.h"

#include <stdlib.h>
#include <string.h>

static kg__model_line *lines;
static size_t line_count;
static size_t line_room;

/* Returns the entry of a source line, added if it is new. */
static kg__model_line *line_at(kg__model_source source)
{
    for (size_t i = 0; i < line_count; i++) {
        if (lines[i].line == source.line && strcmp(lines[i].file, source.file) == 0)
            return &lines[i];
    }
    lines = kg__grow(lines, line_count, &line_room, sizeof *lines);
    lines[line_count] = (kg__model_line){ .file = source.file, .line = source.line };
    return &lines[line_count++];
}

static int compare_lines(const void *left, const void *right)
{
    const kg__model_line *a = left;
    const kg__model_line *b = right;
    int order = strcmp(a->file, b->file);

    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

const kg__model_line *kg__lines_of_sites(size_t *count)
{
    line_count = 0;
    for (const kg__site *site = kg__sites; site != NULL; site = site->next) {
        if (kg__site_has_requests(site->sum))
            kg__site_add_counts(site, &line_at(kg__model_source_of((void *)site->code))->counts);
    }
    if (line_count > 0)
        qsort(lines, line_count, sizeof *lines, compare_lines);
    *count = line_count;
    return lines;
}
