/* The ids of imported cases, and what the importers share. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/statistics.h"
#include "cli/import.h"
#include "records/records.h"
#include "results/time_result.h"

#define CONFIDENCE 0.95

/* Axes by these names, in lower case and without what joins their words, are the launch's. */
static const char *const block_axes[] = { "b",       "block",        "blocksize",       "blockdim",
                                          "threads", "blockthreads", "threadsperblock", "tpb" };
static const char *const grid_axes[] = { "g",      "grid",      "gridsize",      "griddim",
                                         "blocks", "numblocks", "blockspergrid", "gridblocks" };

const kg__import_tool kg__import_tools[] = {
    { "nvbench", kg__import_nvbench, kg__import_is_nvbench },
    { "google-benchmark", kg__import_google, kg__import_is_google },
    { 0 },
};

/* A character as ids have it, in lower case; 0 for one that they have not. */
static char letter_of(char c)
{
    int lower = tolower((unsigned char)c);

    if ((lower < 'a' || lower > 'z') && (lower < '0' || lower > '9') && lower != '_')
        lower = 0;
    return (char)lower;
}

/* Appends `count` characters of a text behind `joint`, those that no id has as underscores, none of
 * them at either end. */
static void append(kg__import_name *name, char *part, size_t size, const char *joint,
                   const char *text, size_t count)
{
    size_t used = strlen(part);
    size_t begin = used;
    bool gap = false;

    for (size_t i = 0; i < count; i++) {
        char letter = letter_of(text[i]);
        bool fits = letter != '\0';

        if (fits && used == begin && begin > 0) {
            kg__format(part + used, size - used, "%s", joint);
            used += strlen(part + used);
        } else if (fits && gap && used > begin && used + 1 < size) {
            part[used++] = '_';
        }
        gap = !fits;
        if (fits && used + 1 < size)
            part[used++] = letter;
        else if (fits)
            name->cut = true;
        part[used] = '\0';
    }
}

void kg__import_name_begin(kg__import_name *name, const char *benchmark)
{
    size_t length = strcspn(benchmark, "/");

    *name = (kg__import_name){ 0 };
    append(name, name->comparison, sizeof name->comparison, "", benchmark, length);
    while (benchmark[length] == '/') {
        const char *word = benchmark + length + 1;
        size_t letters = strcspn(word, "/");

        append(name, name->variant, sizeof name->variant, "_", word, letters);
        length += letters + 1;
    }
}

static bool is_axis(const char *axis, const char *const *known, size_t count)
{
    char plain[32];
    size_t length = 0;

    for (const char *c = axis; *c != '\0' && length + 1 < sizeof plain; c++) {
        if (isalnum((unsigned char)*c) != 0)
            plain[length++] = (char)tolower((unsigned char)*c);
    }
    plain[length] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (strcmp(plain, known[i]) == 0)
            return true;
    }
    return false;
}

/* Whether a text is a whole number, or several joined by x, as sizes are. */
static bool is_size(const char *text)
{
    for (;;) {
        size_t length = strspn(text, "0123456789");

        if (length == 0 || (text[length] != '\0' && text[length] != 'x'))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

static bool is_count(const char *text)
{
    return text[0] >= '1' && text[0] <= '9' && text[strspn(text, "0123456789")] == '\0';
}

/* Takes a launch's number; false where it is none, or there is one already. */
static bool take_launch(char *part, size_t size, char letter, const char *value)
{
    if (part[0] != '\0' || !is_count(value) || strlen(value) + 2 > size)
        return false;
    kg__format(part, size, "%c%s", letter, value);
    return true;
}

/* A number's text with its minus signs as words, for no id has a sign: without them -5 would be the
 * value of what is called 5, and 1e-06 that of 1e+06. Other texts as they are. */
static char *spell_signs(const char *value)
{
    static const char minus[] = "minus";
    size_t size = strlen(value) * strlen(minus) + 1;
    char *spelt = kg__allocate(size, 1);
    size_t used = 0;
    char *end;

    (void)strtod(value, &end);
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '-' && *end == '\0') {
            kg__format(spelt + used, size - used, "%s", minus);
            used += strlen(minus);
        } else {
            spelt[used++] = *c;
        }
    }
    return spelt;
}

void kg__import_name_add(kg__import_name *name, const char *axis, const char *value)
{
    char *spelt;

    if (is_axis(axis, block_axes, sizeof block_axes / sizeof *block_axes) &&
        take_launch(name->block, sizeof name->block, 'b', value))
        return;
    if (is_axis(axis, grid_axes, sizeof grid_axes / sizeof *grid_axes) &&
        take_launch(name->grid, sizeof name->grid, 'g', value))
        return;
    if (is_size(value)) {
        append(name, name->size, sizeof name->size, "x", value, strlen(value));
        return;
    }
    spelt = spell_signs(value);
    append(name, name->variant, sizeof name->variant, "_", spelt, strlen(spelt));
    free(spelt);
}

static const char *or_none(const char *part)
{
    return part[0] != '\0' ? part : "-";
}

bool kg__import_name_id(kg__import_name *name, char id[KG__IMPORT_ID_SIZE], kg__error *error)
{
    char launch[sizeof name->block + sizeof name->grid];
    size_t length;

    /* A launch begins with its block; a grid without one is a number like any other. */
    if (name->block[0] == '\0' && name->grid[0] != '\0') {
        append(name, name->size, sizeof name->size, "x", name->grid + 1, strlen(name->grid + 1));
        name->grid[0] = '\0';
    }
    kg__format(launch, sizeof launch, "%s%s", name->block, name->grid);
    length = strlen(or_none(name->comparison)) + strlen(or_none(name->variant)) +
             strlen(or_none(name->size)) + strlen(or_none(launch)) + strlen("///");
    if (name->cut || length >= KG__IMPORT_ID_SIZE)
        return kg__fail(error,
                        "its case would be longer than the %d characters that an id has: "
                        "shorten its name",
                        KG__IMPORT_ID_SIZE - 1);
    kg__format(id, KG__IMPORT_ID_SIZE, "%s/%s/%s/%s", or_none(name->comparison),
               or_none(name->variant), or_none(name->size), or_none(launch));
    return true;
}

static const json_t *record_of(const json_t *records, const char *id)
{
    const json_t *record;
    size_t i;

    json_array_foreach (records, i, record) {
        if (strcmp(kg__json_text(record, "case"), id) == 0)
            return record;
    }
    return NULL;
}

bool kg__import_add(json_t *records, json_t *record, kg__import_name *name, const char *tool,
                    const char *path, const char *called, kg__error *error)
{
    char id[KG__IMPORT_ID_SIZE];
    kg__error why = { "" };
    const json_t *other;

    if (!kg__import_name_id(name, id, &why)) {
        json_decref(record);
        return kg__fail(error, "%s: %s: %s", path, called, why.text);
    }
    other = record_of(records, id);
    if (other != NULL) {
        json_decref(record);
        return kg__fail(error,
                        "%s: %s and %s would both be case %s: name them so that a value tells them "
                        "apart",
                        path, kg__json_text(json_object_get(other, KG__IMPORTED), "name"), called,
                        id);
    }
    json_object_set_new(record, "case", json_string(id));
    json_object_set_new(record, KG__IMPORTED,
                        json_pack("{s:s, s:s}", "from", tool, "name", called));
    json_array_append_new(records, record);
    return true;
}

json_t *kg__import_unmeasured(const char *event, const char *why)
{
    return json_pack("{s:s, s:s}", "event", event, "why", why);
}

json_t *kg__import_figures(double value, double low, double high, size_t samples, const char *clock,
                           const char *statistic)
{
    return json_pack("{s:f, s:f, s:f, s:I, s:s, s:s}", "value", value, "low", low, "high", high,
                     "samples", (json_int_t)samples, "clock", clock, "statistic", statistic);
}

json_t *kg__import_sampled(double *samples, size_t count, const char *clock)
{
    kg__interval interval = kg__median_interval(samples, count, CONFIDENCE);

    if (!isfinite(interval.low) || !isfinite(interval.high)) {
        interval.low = samples[0];
        interval.high = samples[count - 1];
    }
    return kg__import_figures(interval.value, interval.low, interval.high, count, clock, "median");
}
