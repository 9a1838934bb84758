/* SPDX-License-Identifier: MIT */
#include "records/line_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* Up to here, 2^53, a double represents every whole number. */
#define LARGEST_COUNT 9007199254740992

kg__lines *kg__lines_make(void)
{
    return kg__allocate(1, sizeof(kg__lines));
}

void kg__lines_free(kg__lines *lines)
{
    for (size_t i = 0; lines != NULL && i < lines->count; i++)
        free(lines->list[i].file);
    if (lines != NULL)
        free(lines->list);
    free(lines);
}

static int compare(const kg__line_counts *held, const char *file, size_t length, unsigned int line)
{
    int order = strncmp(held->file, file, length);

    if (order == 0)
        order = held->file[length] != '\0' ? 1 : 0;
    return order != 0 ? order : held->line < line ? -1 : held->line > line;
}

kg__counts *kg__lines_at(kg__lines *lines, const char *file, size_t length, unsigned int line)
{
    size_t low = 0;
    size_t high = lines->count;
    kg__line_counts *added;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(&lines->list[middle], file, length, line);

        if (order == 0)
            return &lines->list[middle].counts;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    lines->list = kg__grow(lines->list, lines->count, &lines->capacity, sizeof *lines->list);
    added = &lines->list[low];
    memmove(added + 1, added, (lines->count++ - low) * sizeof *added);
    *added = (kg__line_counts){ .file = kg__allocate(length + 1, 1), .line = line };
    memcpy(added->file, file, length);
    return &added->counts;
}

double kg__lines_sum(const kg__lines *lines, kg__counter counter)
{
    double sum = 0;

    for (size_t i = 0; lines != NULL && i < lines->count; i++)
        sum += (double)lines->list[i].counts.value[counter];
    return sum;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(kg__counter_name(*(const kg__counter *)left),
                  kg__counter_name(*(const kg__counter *)right));
}

json_t *kg__lines_json(const kg__lines *lines)
{
    json_t *json = json_object();
    kg__counter sorted[KG__COUNTERS];

    for (int i = 0; i < KG__COUNTERS; i++)
        sorted[i] = (kg__counter)i;
    qsort(sorted, KG__COUNTERS, sizeof *sorted, by_name);
    for (size_t i = 0; i < lines->count; i++) {
        const kg__line_counts *line = &lines->list[i];
        json_t *counters = json_object();
        char key[KG__PATH_SIZE];

        for (int k = 0; k < KG__COUNTERS; k++) {
            uint64_t count = line->counts.value[sorted[k]];

            if (count > 0)
                json_object_set_new(counters, kg__counter_name(sorted[k]),
                                    json_integer((json_int_t)count));
        }
        kg__format_path(key, sizeof key, "%s:%u", line->file, line->line);
        json_object_set_new(json, key, counters);
    }
    return json;
}

/* Splits FILE:LINE; false for any other key. */
static bool split_key(const char *key, size_t *file, unsigned int *number)
{
    const char *colon = strrchr(key, ':');
    size_t digits = colon != NULL ? strspn(colon + 1, "0123456789") : 0;

    if (colon == NULL || colon == key || digits == 0 || digits > 9 || colon[1 + digits] != '\0' ||
        colon[1] == '0')
        return false;
    *file = (size_t)(colon - key);
    *number = (unsigned int)strtoul(colon + 1, NULL, 10);
    return true;
}

bool kg__lines_read(const json_t *json, kg__lines *lines, const char **key, const char **counter)
{
    json_t *counters;
    json_t *value;

    *key = *counter = NULL;
    json_object_foreach ((json_t *)json, *key, counters) {
        kg__counts *counts;
        size_t file;
        unsigned int number;

        if (!split_key(*key, &file, &number) || json_object_size(counters) == 0)
            return false;
        counts = kg__lines_at(lines, *key, file, number);
        json_object_foreach (counters, *counter, value) {
            kg__counter index;

            if (!kg__counter_parse(*counter, &index) || !json_is_integer(value) ||
                json_integer_value(value) < 1 || json_integer_value(value) > LARGEST_COUNT)
                return false;
            counts->value[index] = (uint64_t)json_integer_value(value);
        }
        *counter = NULL;
    }
    *key = NULL;
    return json_is_object(json);
}

static void release_lines(void *lines)
{
    kg__lines_free(lines);
}

kg__lines *kg__pool_lines(kg__pool *pool)
{
    kg__lines *lines = kg__lines_make();

    kg__pool_keep(pool, lines, release_lines);
    return lines;
}

json_t *kg__lines_make_field(const void *held)
{
    const kg__lines *lines = *(const kg__lines *const *)held;

    return lines != NULL ? kg__lines_json(lines) : NULL;
}

const char *kg__lines_read_field(json_t *value, void *to, kg__pool *pool, kg__error *error)
{
    kg__lines *read = kg__pool_lines(pool);
    const char *key;
    const char *counter;

    *(const kg__lines **)to = read;
    if (kg__lines_read(value, read, &key, &counter))
        return NULL;
    if (key == NULL)
        return "an object";
    (void)kg__fail(error, "%s%s%s is not valid", key, counter != NULL ? ": " : "",
                   counter != NULL ? counter : "");
    return "";
}
