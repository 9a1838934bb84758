#include "baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters.h"
#include "file.h"
#include "lines.h"

/* A baseline file has some thousands of lines; a larger file than this is something else. */
#define LARGEST_FILE ((size_t)64 << 20)

/* Up to here, 2^53, a double holds every whole number. No time and no count comes near it. */
#define LARGEST_FIGURE 9007199254740992.0

#define FILE_SUFFIX ".json"

/* What every complaint about the content of a file ends in. */
#define REMEDY "mend the file, or record it anew with ci/rebaseline"

static const char *const sentinel_names[] = { "copy", "fma" };

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_metric_name(const char *name)
{
    const char *c = name;

    while (is_lower_or_digit(*c) || *c == '_')
        c++;
    return c > name && *c == '\0' && strcmp(name, "commit") != 0 && strcmp(name, "code") != 0 &&
           strcmp(name, "lines") != 0;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t ending_length = strlen(ending);

    return length >= ending_length && strcmp(text + length - ending_length, ending) == 0;
}

static bool is_time(const char *metric)
{
    return ends_with(metric, "_ns");
}

/* comparison/variant/size/launch: four parts, none empty, of letters, digits, '_', '-' and '.'. */
static bool is_case_id(const char *id)
{
    size_t parts = 1;
    size_t length = 0;

    for (const char *c = id; *c != '\0'; c++) {
        if (*c == '/') {
            if (length == 0)
                return false;
            parts++;
            length = 0;
        } else if (is_lower_or_digit(*c) || (*c >= 'A' && *c <= 'Z') || is_one_of(*c, "_-.")) {
            length++;
        } else {
            return false;
        }
    }
    return parts == 4 && length > 0;
}

static bool is_sentinel_name(const char *name)
{
    for (size_t i = 0; i < sizeof sentinel_names / sizeof *sentinel_names; i++) {
        if (strcmp(name, sentinel_names[i]) == 0)
            return true;
    }
    return false;
}

static bool is_target_key(const char *key)
{
    const char *c = key;

    while (is_lower_or_digit(*c) || *c == '-')
        c++;
    return c > key && *c == '\0';
}

static bool is_plain_value(const json_t *value)
{
    return json_is_string(value) || json_is_number(value) || json_is_boolean(value);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Whether `path` names the file that the target of this key belongs in. */
static bool is_file_of(const char *path, const char *key)
{
    const char *name = base_name(path);
    size_t length = strlen(key);

    return strncmp(name, key, length) == 0 && strcmp(name + length, FILE_SUFFIX) == 0;
}

bool kg__is_model(const kg__target *target)
{
    return strcmp(target->key, KG__MODEL_KEY) == 0;
}

/* What is wrong with a counter of the CPU model's beyond what is wrong with any metric. */
static const char *counter_fault(const kg__baseline_metric *metric, const char **key)
{
    if (!kg__counter_parse(metric->name, NULL))
        return "is no counter of the CPU model's (a ratio is no counter, it follows from two)";
    *key = "value";
    if (metric->value != rint(metric->value))
        return "is no whole number: a counter counts";
    *key = "band";
    if (metric->band > 0.0 && !metric->band_by_hand)
        return "is not 0: a counter repeats exactly (with \"band_by\": \"hand\" it may be wider)";
    *key = "floor";
    if (metric->floor != 0.0)
        return "is for times: a counter has none";
    *key = "sessions";
    if (metric->sessions != NULL)
        return "are for times: a counter has none";
    *key = NULL;
    return NULL;
}

/* What is wrong with a metric's figures, or NULL; `key` becomes the member that is at fault, or
 * NULL for the metric itself. Read and written files are held to the same rule; `model` is that of
 * the CPU model's file. */
static const char *metric_fault(const kg__baseline_metric *metric, bool model, const char **key)
{
    bool time = is_time(metric->name);

    *key = NULL;
    if (!is_metric_name(metric->name))
        return "is no metric's name: use a-z, 0-9 and _";
    if (ends_with(metric->name, "_us") || ends_with(metric->name, "_ms") ||
        ends_with(metric->name, "_s") || ends_with(metric->name, "_seconds"))
        return "has a unit that is not used here: times are in ns";
    *key = "value";
    if (!(metric->value >= 0.0 && metric->value <= LARGEST_FIGURE))
        return "is out of range: it has to be from 0 to 2^53";
    if (time && metric->value == 0.0)
        return "is out of range: a time has to be above 0";
    *key = "band";
    if (!(metric->band >= 0.0 && metric->band < 1.0))
        return "is out of range: it has to be a fraction from 0 to less than 1";
    *key = "floor";
    if (!(metric->floor >= 0.0 && metric->floor <= LARGEST_FIGURE))
        return "is out of range: it has to be from 0 to 2^53";
    *key = "sessions";
    if (metric->sessions != NULL && metric->session_count == 0)
        return "is empty: leave it away where there are none";
    for (size_t i = 0; i < metric->session_count; i++) {
        if (!(metric->sessions[i] > 0.0 && metric->sessions[i] <= LARGEST_FIGURE))
            return "holds a figure out of range: each has to be above 0 and up to 2^53";
    }
    *key = NULL;
    return model ? counter_fault(metric, key) : NULL;
}

static void free_metric(kg__baseline_metric *metric)
{
    free(metric->name);
    free(metric->sessions);
}

static void free_case(kg__baseline_case *entry)
{
    for (size_t i = 0; i < entry->metric_count; i++)
        free_metric(&entry->metrics[i]);
    free(entry->metrics);
    free(entry->id);
    free(entry->commit);
    json_decref(entry->code);
    json_decref(entry->lines);
}

static void free_cases(kg__baseline_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free_case(&cases[i]);
    free(cases);
}

void kg__baseline_free(kg__baseline *baseline)
{
    free_cases(baseline->sentinels, baseline->sentinel_count);
    free_cases(baseline->cases, baseline->case_count);
    json_decref(baseline->provenance);
    *baseline = (kg__baseline){ 0 };
}

/* Arrays have room for the next power of two from their count on, so that an addition moves them
 * only when their count is a power of two, and no capacity needs to be kept. */
static size_t room_for(size_t count)
{
    size_t room = 1;

    while (room < count)
        room *= 2;
    return room;
}

/* Opens a zeroed gap at `index` of an array, which may move; returns the array. */
static void *open_gap(void *items, size_t count, size_t size, size_t index)
{
    if (count == 0 || room_for(count) == count) {
        void *larger = kg__allocate(room_for(count + 1), size);

        if (count > 0)
            memcpy(larger, items, count * size);
        free(items);
        items = larger;
    }

    char *gap = (char *)items + index * size;

    memmove(gap + size, gap, (count - index) * size);
    memset(gap, 0, size);
    return items;
}

/* The index of the first case whose id does not come before `id`. */
static size_t place_of_case(const kg__baseline_case *cases, size_t count, const char *id)
{
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(cases[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static kg__baseline_case *find_case(kg__baseline_case *cases, size_t count, const char *id)
{
    size_t place = place_of_case(cases, count, id);

    return place < count && strcmp(cases[place].id, id) == 0 ? &cases[place] : NULL;
}

static kg__baseline_case *add_case(kg__baseline_case **cases, size_t *count, const char *id)
{
    size_t place = place_of_case(*cases, *count, id);

    if (place < *count && strcmp((*cases)[place].id, id) == 0)
        return &(*cases)[place];
    *cases = open_gap(*cases, *count, sizeof **cases, place);
    *count += 1;
    (*cases)[place].id = kg__copy_text(id);
    return &(*cases)[place];
}

kg__baseline_case *kg__baseline_find(const kg__baseline *baseline, const char *id)
{
    return find_case(baseline->cases, baseline->case_count, id);
}

kg__baseline_case *kg__baseline_sentinel(const kg__baseline *baseline, const char *name)
{
    return find_case(baseline->sentinels, baseline->sentinel_count, name);
}

kg__baseline_metric *kg__baseline_metric_of(const kg__baseline_case *entry, const char *name)
{
    for (size_t i = 0; i < entry->metric_count; i++) {
        if (strcmp(entry->metrics[i].name, name) == 0)
            return &entry->metrics[i];
    }
    return NULL;
}

kg__baseline_case *kg__baseline_add(kg__baseline *baseline, const char *id)
{
    return add_case(&baseline->cases, &baseline->case_count, id);
}

kg__baseline_case *kg__baseline_add_sentinel(kg__baseline *baseline, const char *name)
{
    return add_case(&baseline->sentinels, &baseline->sentinel_count, name);
}

kg__baseline_metric *kg__baseline_add_metric(kg__baseline_case *entry, const char *name)
{
    size_t place = 0;

    while (place < entry->metric_count && strcmp(entry->metrics[place].name, name) < 0)
        place++;
    if (place < entry->metric_count && strcmp(entry->metrics[place].name, name) == 0)
        return &entry->metrics[place];
    entry->metrics = open_gap(entry->metrics, entry->metric_count, sizeof *entry->metrics, place);
    entry->metric_count++;
    entry->metrics[place].name = kg__copy_text(name);
    entry->metrics[place].gated = true;
    return &entry->metrics[place];
}

bool kg__baseline_remove(kg__baseline *baseline, const char *id)
{
    kg__baseline_case *entry = kg__baseline_find(baseline, id);

    if (entry == NULL)
        return false;
    free_case(entry);
    baseline->case_count--;
    memmove(entry, entry + 1,
            (baseline->case_count - (size_t)(entry - baseline->cases)) * sizeof *entry);
    return true;
}

bool kg__baseline_remove_metric(kg__baseline_case *entry, const char *name)
{
    kg__baseline_metric *metric = kg__baseline_metric_of(entry, name);

    if (metric == NULL)
        return false;
    free_metric(metric);
    entry->metric_count--;
    memmove(metric, metric + 1,
            (entry->metric_count - (size_t)(metric - entry->metrics)) * sizeof *metric);
    return true;
}

void kg__baseline_set_sessions(kg__baseline_metric *metric, const double *sessions, size_t count)
{
    double *copy = NULL;

    if (count > 0) {
        copy = kg__allocate(count, sizeof *copy);
        memcpy(copy, sessions, count * sizeof *copy);
    }
    free(metric->sessions);
    metric->sessions = copy;
    metric->session_count = count;
}

void kg__baseline_set_lines(kg__baseline_case *entry, const json_t *lines)
{
    json_t *copy = kg__lines_sorted(lines);

    if (json_object_size(copy) == 0) {
        json_decref(copy);
        copy = NULL;
    }
    json_decref(entry->lines);
    entry->lines = copy;
}

kg__expectation kg__baseline_expectation(const kg__baseline_metric *metric)
{
    return (kg__expectation){ .value = metric->value,
                              .band = metric->band,
                              .floor = metric->floor,
                              .sessions = metric->sessions,
                              .session_count = metric->session_count,
                              .gated = metric->gated };
}

/* A value inside the document that is being read, by the keys that lead to it; NULL is the
 * document. */
typedef struct place {
    const struct place *inside;
    const char *key;
} place;

/* A file that is being read. The first complaint about it is kept; the reading goes on. */
typedef struct reading {
    const char *path;
    const char *text;
    kg__error *error;
    bool bad;
    bool model; /* it is the CPU model's */
} reading;

static const char *skip_space(const char *c)
{
    while (is_one_of(*c, " \t\r\n"))
        c++;
    return c;
}

static const char *skip_string(const char *quote)
{
    const char *c = quote + 1;

    while (*c != '"')
        c += *c == '\\' ? 2 : 1;
    return c + 1;
}

static const char *skip_value(const char *c)
{
    size_t depth = 0;

    do {
        if (*c == '"') {
            c = skip_string(c);
            continue;
        }
        if (is_one_of(*c, "{["))
            depth++;
        else if (is_one_of(*c, "}]"))
            depth--;
        c++;
    } while (depth > 0 || !is_one_of(*c, ",]} \t\r\n"));
    return c;
}

/* The key of a place in a text that is known to be valid JSON, since the parser that found it so
 * keeps no positions. A key that the file spells with escapes is not found; the object that it is
 * in has to do then. */
static const char *position_of(const char *text, const place *where)
{
    if (where == NULL)
        return skip_space(text);

    const char *parent = position_of(text, where->inside);
    const char *object = parent;
    size_t length = strlen(where->key);

    if (*object == '"')
        object = skip_space(skip_space(skip_string(object)) + 1);
    if (*object != '{')
        return parent;

    const char *c = skip_space(object + 1);

    while (*c == '"') {
        const char *key = c;
        const char *end = skip_string(key);

        if ((size_t)(end - key) == length + 2 && memcmp(key + 1, where->key, length) == 0)
            return key;
        c = skip_space(skip_value(skip_space(skip_space(end) + 1)));
        if (*c == ',')
            c = skip_space(c + 1);
    }
    return parent;
}

static size_t line_of(const char *text, const place *where)
{
    const char *position = position_of(text, where);
    size_t line = 1;

    for (const char *c = text; c < position; c++)
        line += *c == '\n';
    return line;
}

/* Writes the keys that lead to a place, "cases: matmul_f32/naive/530/b16: time_ns: ". */
static void print_place(FILE *stream, const place *where)
{
    if (where == NULL)
        return;
    print_place(stream, where->inside);
    fprintf(stream, "%s: ", where->key);
}

static void complain(reading *file, const place *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(reading *file, const place *where, const char *format, ...)
{
    char *message = NULL;
    size_t length = 0;
    va_list arguments;

    if (file->bad)
        return;
    file->bad = true;

    FILE *stream = open_memstream(&message, &length);

    if (stream == NULL) {
        kg__fail(file->error, "%s: cannot be read: %s", file->path, strerror(errno));
        return;
    }
    fprintf(stream, "%s:%zu: ", file->path, line_of(file->text, where));
    print_place(stream, where);
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    fclose(stream);
    kg__fail(file->error, "%s", message);
    free(message);
}

/* Reads a whole regular file as text with a NUL at its end, or returns NULL with `error`; `absent`
 * tells a file that does not exist from one that cannot be read. */
static char *read_text(const char *path, size_t *length, bool *absent, kg__error *error)
{
    /* Without O_NONBLOCK, opening a named pipe would wait for somebody to write into it. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    *absent = file < 0 && errno == ENOENT;
    if (file < 0) {
        kg__fail(error, "%s: cannot be opened: %s: check its permissions", path, strerror(errno));
        return NULL;
    }
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        kg__fail(error,
                 "%s: is no regular file: move it away, then record a baseline with ci/rebaseline",
                 path);
        close(file);
        return NULL;
    }
    if (status.st_size < 0 || (size_t)status.st_size > LARGEST_FILE) {
        kg__fail(error, "%s: has more than %zu MiB, which no baseline has: " REMEDY, path,
                 LARGEST_FILE >> 20);
        close(file);
        return NULL;
    }

    size_t size = (size_t)status.st_size;
    char *text = kg__allocate(size + 1, 1);
    ssize_t got = 0;

    *length = 0;
    while (*length < size && (got = read(file, text + *length, size - *length)) != 0) {
        if (got > 0) {
            *length += (size_t)got;
        } else if (errno != EINTR) {
            kg__fail(error, "%s: cannot be read: %s: check the disk", path, strerror(errno));
            free(text);
            close(file);
            return NULL;
        }
    }
    close(file);
    return text;
}

/* Reads a number that is up to 2^53 in size, beyond which a double would change it unseen. */
static bool read_figure(reading *file, const place *where, const json_t *value, double *figure)
{
    if (!json_is_number(value)) {
        complain(file, where, "is no number: " REMEDY);
        return false;
    }
    *figure = json_number_value(value);
    /* A whole number beyond it may be rounded into range. */
    if (!(fabs(*figure) <= LARGEST_FIGURE) ||
        (json_is_integer(value) && llabs(json_integer_value(value)) > (json_int_t)LARGEST_FIGURE)) {
        complain(file, where, "is out of range, being beyond 2^53: " REMEDY);
        return false;
    }
    return true;
}

static bool read_boolean(reading *file, const place *where, const json_t *value, bool *truth)
{
    if (!json_is_boolean(value)) {
        complain(file, where, "is neither true nor false: " REMEDY);
        return false;
    }
    *truth = json_is_true(value);
    return true;
}

static bool read_sessions(reading *file, const place *where, const json_t *array,
                          kg__baseline_metric *metric)
{
    size_t index;
    const json_t *value;

    if (!json_is_array(array)) {
        complain(file, where, "is no array of numbers: " REMEDY);
        return false;
    }
    free(metric->sessions);
    metric->sessions = kg__allocate(json_array_size(array), sizeof *metric->sessions);
    metric->session_count = json_array_size(array);
    json_array_foreach (array, index, value) {
        if (!read_figure(file, where, value, &metric->sessions[index]))
            return false;
    }
    return true;
}

static bool read_band_origin(reading *file, const place *where, const json_t *value, bool *by_hand)
{
    *by_hand = json_is_string(value) && strcmp(json_string_value(value), "hand") == 0;
    if (!*by_hand)
        complain(file, where, "can only be \"hand\": leave it away otherwise");
    return *by_hand;
}

static bool has_member(reading *file, const place *where, const json_t *object, const char *key)
{
    if (json_object_get(object, key) != NULL)
        return true;
    complain(file, where, "has no \"%s\": " REMEDY, key);
    return false;
}

/* Reads a metric that has its name already. */
static bool read_metric(reading *file, const place *where, json_t *object,
                        kg__baseline_metric *metric)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        complain(file, where, "is neither a known key nor the object of a metric: " REMEDY);
        return false;
    }
    json_object_foreach (object, key, value) {
        const place here = { where, key };
        bool right;

        if (strcmp(key, "value") == 0) {
            right = read_figure(file, &here, value, &metric->value);
        } else if (strcmp(key, "band") == 0) {
            right = read_figure(file, &here, value, &metric->band);
        } else if (strcmp(key, "band_by") == 0) {
            right = read_band_origin(file, &here, value, &metric->band_by_hand);
        } else if (file->model && (strcmp(key, "floor") == 0 || strcmp(key, "sessions") == 0)) {
            complain(file, &here, "is for times, and a counter has none: " REMEDY);
            right = false;
        } else if (strcmp(key, "floor") == 0) {
            right = read_figure(file, &here, value, &metric->floor);
        } else if (strcmp(key, "gated") == 0) {
            right = read_boolean(file, &here, value, &metric->gated);
        } else if (strcmp(key, "sessions") == 0) {
            right = read_sessions(file, &here, value, metric);
        } else {
            complain(file, &here, "is an unknown key: " REMEDY);
            right = false;
        }
        if (!right)
            return false;
    }

    const char *fault = metric_fault(metric, file->model, &key);
    const place at_fault = { where, key };

    if (!has_member(file, where, object, "value") ||
        (is_time(metric->name) &&
         (!has_member(file, where, object, "band") || !has_member(file, where, object, "floor"))))
        return false;
    if (fault != NULL) {
        complain(file, key != NULL ? &at_fault : where, "%s: " REMEDY, fault);
        return false;
    }
    return true;
}

static int compare_metrics(const void *left, const void *right)
{
    return strcmp(((const kg__baseline_metric *)left)->name,
                  ((const kg__baseline_metric *)right)->name);
}

static int compare_cases(const void *left, const void *right)
{
    return strcmp(((const kg__baseline_case *)left)->id, ((const kg__baseline_case *)right)->id);
}

/* Reads the counters of a case's lines, each named by its place in the file when it is wrong. */
static bool read_lines(reading *file, const place *where, json_t *object, json_t **lines)
{
    const char *key;
    const char *counter;
    const char *fault = kg__lines_fault(object, &key, &counter);
    const place line = { where, key };
    const place at_counter = { &line, counter };

    if (fault != NULL) {
        complain(file,
                 key == NULL       ? where
                 : counter == NULL ? &line
                                   : &at_counter,
                 "%s: " REMEDY, fault);
        return false;
    }
    *lines = json_incref(object);
    return true;
}

/* Reads a case, or a sentinel, that has its id already. */
static bool read_case(reading *file, const place *where, json_t *object, bool sentinel,
                      kg__baseline_case *entry)
{
    const char *key;
    json_t *value;

    if (sentinel ? !is_sentinel_name(entry->id) : !is_case_id(entry->id)) {
        complain(file, where, "%s: " REMEDY,
                 sentinel ? "is no sentinel: they are copy and fma"
                          : "is no case: comparison/variant/size/launch");
        return false;
    }
    if (!json_is_object(object)) {
        complain(file, where, "is no object: " REMEDY);
        return false;
    }
    entry->metrics = kg__allocate(room_for(json_object_size(object)), sizeof *entry->metrics);
    json_object_foreach (object, key, value) {
        const place here = { where, key };

        if (strcmp(key, "commit") == 0 && !sentinel) {
            if (!json_is_string(value) || *json_string_value(value) == '\0') {
                complain(file, &here, "is no text of a commit: " REMEDY);
                return false;
            }
            entry->commit = kg__copy_text(json_string_value(value));
        } else if (strcmp(key, "code") == 0) {
            if (!json_is_object(value)) {
                complain(file, &here, "is no object: " REMEDY);
                return false;
            }
            entry->code = json_incref(value);
        } else if (strcmp(key, "lines") == 0 && file->model && !sentinel) {
            if (!read_lines(file, &here, value, &entry->lines))
                return false;
        } else if (!is_metric_name(key)) {
            complain(file, &here, "is an unknown key: " REMEDY);
            return false;
        } else {
            kg__baseline_metric *metric = &entry->metrics[entry->metric_count++];

            metric->name = kg__copy_text(key);
            metric->gated = true;
            if (!read_metric(file, &here, value, metric))
                return false;
        }
    }
    if (entry->metric_count == 0) {
        complain(file, where, "has no metric: " REMEDY);
        return false;
    }
    qsort(entry->metrics, entry->metric_count, sizeof *entry->metrics, compare_metrics);
    return true;
}

/* Reads an object of cases or of sentinels; those that are wrong are left out. */
static void read_cases(reading *file, const place *where, json_t *object, bool sentinels,
                       kg__baseline_case **cases, size_t *count)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        complain(file, where, "is no object: " REMEDY);
        return;
    }
    *cases = kg__allocate(room_for(json_object_size(object)), sizeof **cases);
    json_object_foreach (object, key, value) {
        const place here = { where, key };
        kg__baseline_case entry = { .id = kg__copy_text(key) };

        if (read_case(file, &here, value, sentinels, &entry))
            (*cases)[(*count)++] = entry;
        else
            free_case(&entry);
    }
    qsort(*cases, *count, sizeof **cases, compare_cases);
}

static void read_name(reading *file, const place *where, const json_t *value, char *text,
                      size_t size)
{
    if (!json_is_string(value) || json_string_length(value) == 0)
        complain(file, where, "is no text, or an empty one: " REMEDY);
    else if (json_string_length(value) >= size)
        complain(file, where, "has more than %zu bytes: " REMEDY, size - 1);
    else
        memcpy(text, json_string_value(value), json_string_length(value) + 1);
}

static void read_amount(reading *file, const place *where, const json_t *value, json_int_t most,
                        int64_t *amount)
{
    if (!json_is_integer(value))
        complain(file, where, "is no whole number: " REMEDY);
    else if (json_integer_value(value) < 0 || json_integer_value(value) > most)
        complain(file, where,
                 "is out of range: it has to be from 0 to %" JSON_INTEGER_FORMAT ": " REMEDY, most);
    else
        *amount = json_integer_value(value);
}

static void read_target(reading *file, const place *where, json_t *object, kg__target *target)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        complain(file, where, "is no object: " REMEDY);
        return;
    }
    json_object_foreach (object, key, value) {
        const place here = { where, key };

        if (strcmp(key, "key") == 0) {
            read_name(file, &here, value, target->key, sizeof target->key);
        } else if (strcmp(key, "name") == 0) {
            read_name(file, &here, value, target->name, sizeof target->name);
        } else if (strcmp(key, "compute_capability") == 0) {
            read_name(file, &here, value, target->compute_capability,
                      sizeof target->compute_capability);
        } else if (strcmp(key, "memory_mib") == 0) {
            read_amount(file, &here, value, (json_int_t)LARGEST_FIGURE, &target->memory_mib);
        } else if (strcmp(key, "multiprocessors") == 0) {
            int64_t multiprocessors = 0;

            read_amount(file, &here, value, INT_MAX, &multiprocessors);
            target->multiprocessors = (int)multiprocessors;
        } else if (strcmp(key, "compiler") == 0) {
            read_name(file, &here, value, target->compiler, sizeof target->compiler);
        } else {
            complain(file, &here, "is an unknown key: " REMEDY);
        }
    }
    if (has_member(file, where, object, "key") && !is_file_of(file->path, target->key)) {
        const place here = { where, "key" };

        complain(file, &here,
                 "is %s, which belongs in %s" FILE_SUFFIX ": rename the file, or record a baseline "
                 "with ci/rebaseline",
                 target->key, target->key);
    }
}

/* Keeps an object of texts, numbers and booleans as it is. */
static void read_provenance(reading *file, const place *where, json_t *object, json_t **provenance)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        complain(file, where, "is no object: " REMEDY);
        return;
    }
    json_object_foreach (object, key, value) {
        const place here = { where, key };

        if (!is_plain_value(value)) {
            complain(file, &here, "is no text, number or boolean: " REMEDY);
            return;
        }
    }
    *provenance = json_incref(object);
}

/* Whether a document says that it is of the schema that is read here. */
static bool read_schema(reading *file, const json_t *document)
{
    const place where = { NULL, "schema" };
    const json_t *schema = json_object_get(document, "schema");

    if (!json_is_object(document)) {
        complain(file, NULL, "is no JSON object: " REMEDY);
        return false;
    }
    if (!has_member(file, NULL, document, "schema"))
        return false;
    if (!json_is_string(schema)) {
        complain(file, &where, "is no text: " REMEDY);
        return false;
    }
    if (strcmp(json_string_value(schema), KG__BASELINE_SCHEMA) != 0) {
        file->bad = true;
        return kg__fail(file->error,
                        "%s:%zu: schema %s is not the one this program reads (%s): update "
                        "kernelgate or record anew with ci/rebaseline",
                        file->path, line_of(file->text, &where), json_string_value(schema),
                        KG__BASELINE_SCHEMA);
    }
    return true;
}

static void read_document(reading *file, json_t *document, kg__baseline *baseline)
{
    const char *key;
    json_t *value;
    const char *target =
        json_string_value(json_object_get(json_object_get(document, "target"), "key"));

    if (!read_schema(file, document))
        return;
    file->model = target != NULL && strcmp(target, KG__MODEL_KEY) == 0;
    json_object_foreach (document, key, value) {
        const place here = { NULL, key };

        if (strcmp(key, "target") == 0)
            read_target(file, &here, value, &baseline->target);
        else if (strcmp(key, "provenance") == 0)
            read_provenance(file, &here, value, &baseline->provenance);
        else if (strcmp(key, "sentinels") == 0 && file->model)
            complain(file, &here, "are kernels of a GPU's, and the CPU model has none: " REMEDY);
        else if (strcmp(key, "sentinels") == 0)
            read_cases(file, &here, value, true, &baseline->sentinels, &baseline->sentinel_count);
        else if (strcmp(key, "cases") == 0)
            read_cases(file, &here, value, false, &baseline->cases, &baseline->case_count);
        else if (strcmp(key, "schema") != 0)
            complain(file, &here, "is an unknown key: " REMEDY);
    }
    has_member(file, NULL, document, "target");
    has_member(file, NULL, document, "cases");
}

kg__load_status kg__baseline_load(const char *path, kg__baseline *baseline, kg__error *error)
{
    size_t length = 0;
    bool absent;
    kg__error ignored;

    *baseline = (kg__baseline){ 0 };

    char *text = read_text(path, &length, &absent, error != NULL ? error : &ignored);

    if (text == NULL) {
        if (absent && error != NULL)
            error->text[0] = '\0';
        return absent ? KG__ABSENT : KG__BAD;
    }

    reading file = { .path = path, .text = text, .error = error };
    json_error_t syntax;
    json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &syntax);

    if (document == NULL) {
        file.bad = true;
        kg__fail(error, "%s:%d: %s: " REMEDY, path, syntax.line > 0 ? syntax.line : 1,
                 *skip_space(text) == '\0' && strlen(text) == length ? "the file is empty"
                                                                     : syntax.text);
    } else {
        read_document(&file, document, baseline);
    }
    json_decref(document);
    free(text);
    return file.bad ? KG__BAD : KG__LOADED;
}

/* Whether a stored baseline is of a board with another amount of memory. */
static bool is_other_board(const kg__baseline *baseline, const kg__target *target)
{
    double stored = (double)baseline->target.memory_mib;
    double present = (double)target->memory_mib;

    return stored > 0.0 && present > 0.0 &&
           fabs(stored - present) > KG__MEMORY_TOLERANCE * fmax(stored, present);
}

kg__load_status kg__baseline_load_for(const char *folder, kg__target *target, char *path,
                                      size_t size, kg__baseline *baseline, kg__error *error)
{
    kg__load_status status;
    char key[sizeof target->key];

    kg__format(path, size, "%s/%s.json", folder, target->key);
    status = kg__baseline_load(path, baseline, error);
    if (status == KG__ABSENT || !is_other_board(baseline, target))
        return status;
    kg__baseline_free(baseline);
    kg__format(key, sizeof key, "%.64s-%lldgib", target->key,
               (long long)((target->memory_mib + 512) / 1024));
    kg__format(target->key, sizeof target->key, "%s", key);
    kg__format(path, size, "%s/%s.json", folder, key);
    return kg__baseline_load(path, baseline, error);
}

/* Writes a number so that reading it gives the same one again, in as few digits as that takes. */
static void write_number(FILE *stream, double value)
{
    char text[40];

    value += 0.0; /* -0 becomes 0 */
    if (value == rint(value) && fabs(value) <= LARGEST_FIGURE) {
        fprintf(stream, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, stream);
}

/* Writes a text in quotes; false when it is not UTF-8, which JSON cannot hold. */
static bool write_text(FILE *stream, const char *text)
{
    json_t *string = json_string(text);

    if (string == NULL)
        return false;
    json_dumpf(string, stream, JSON_ENCODE_ANY);
    json_decref(string);
    return true;
}

/* Writes any JSON value on one line, its keys in their own order. */
static void write_value(FILE *stream, json_t *value)
{
    const char *separator = "";
    const char *key;
    size_t index;
    json_t *member;

    if (json_is_object(value)) {
        fputc('{', stream);
        json_object_foreach (value, key, member) {
            fputs(separator, stream);
            write_text(stream, key);
            fputs(": ", stream);
            write_value(stream, member);
            separator = ", ";
        }
        fputc('}', stream);
    } else if (json_is_array(value)) {
        fputc('[', stream);
        json_array_foreach (value, index, member) {
            fputs(separator, stream);
            write_value(stream, member);
            separator = ", ";
        }
        fputc(']', stream);
    } else if (json_is_real(value)) {
        write_number(stream, json_real_value(value));
    } else {
        json_dumpf(value, stream, JSON_ENCODE_ANY);
    }
}

static void write_metric(FILE *stream, const kg__baseline_metric *metric)
{
    fprintf(stream, "\"%s\": {\"value\": ", metric->name);
    write_number(stream, metric->value);
    fputs(", \"band\": ", stream);
    write_number(stream, metric->band);
    if (metric->band_by_hand)
        fputs(", \"band_by\": \"hand\"", stream);
    if (is_time(metric->name) || metric->floor != 0.0) {
        fputs(", \"floor\": ", stream);
        write_number(stream, metric->floor);
    }
    if (!metric->gated)
        fputs(", \"gated\": false", stream);
    if (metric->session_count > 0) {
        fputs(", \"sessions\": [", stream);
        for (size_t i = 0; i < metric->session_count; i++) {
            fputs(i > 0 ? ", " : "", stream);
            write_number(stream, metric->sessions[i]);
        }
        fputc(']', stream);
    }
    fputc('}', stream);
}

/* Writes the counters of a case's lines, in order. */
static bool write_lines(FILE *stream, const char *path, const kg__baseline_case *entry, bool model,
                        kg__error *error)
{
    const char *key;
    const char *counter;
    const char *fault = kg__lines_fault(entry->lines, &key, &counter);
    json_t *sorted;

    if (!model)
        return kg__fail(error, "%s: not written: %s: lines belong in the CPU model's file alone",
                        path, entry->id);
    if (fault != NULL)
        return kg__fail(error, "%s: not written: %s: lines: %s%s%s %s", path, entry->id,
                        key != NULL ? key : "", counter != NULL ? ": " : "",
                        counter != NULL ? counter : "", fault);
    sorted = kg__lines_sorted(entry->lines);
    fputs(", \"lines\": ", stream);
    write_value(stream, sorted);
    json_decref(sorted);
    return true;
}

/* Writes a case's id and what is stored of it; false with `error` when it could not be read again.
 */
static bool write_case(FILE *stream, const char *path, const kg__baseline_case *entry,
                       bool sentinel, bool model, kg__error *error)
{
    const char *separator = "";

    if (sentinel ? !is_sentinel_name(entry->id) : !is_case_id(entry->id))
        return kg__fail(error, "%s: not written: %s is no %s", path, entry->id,
                        sentinel ? "sentinel: they are copy and fma"
                                 : "case: comparison/variant/size/launch");
    if (entry->metric_count == 0)
        return kg__fail(error, "%s: not written: %s has no metric: measure it first", path,
                        entry->id);
    fprintf(stream, "\"%s\": {", entry->id);
    if (entry->commit != NULL) {
        fputs("\"commit\": ", stream);
        if (sentinel || *entry->commit == '\0' || !write_text(stream, entry->commit))
            return kg__fail(error, "%s: not written: %s: %s", path, entry->id,
                            sentinel ? "a sentinel belongs to no commit"
                                     : "its commit is empty or no UTF-8");
        separator = ", ";
    }
    for (size_t i = 0; i < entry->metric_count; i++) {
        const char *key;
        const char *fault = metric_fault(&entry->metrics[i], model, &key);

        if (fault != NULL)
            return kg__fail(error, "%s: not written: %s: %s: %s%s%s", path, entry->id,
                            entry->metrics[i].name, key != NULL ? key : "", key != NULL ? " " : "",
                            fault);
        fputs(separator, stream);
        write_metric(stream, &entry->metrics[i]);
        separator = ", ";
    }
    if (entry->code != NULL) {
        if (!json_is_object(entry->code))
            return kg__fail(error, "%s: not written: %s: code is no object", path, entry->id);
        fputs(", \"code\": ", stream);
        write_value(stream, entry->code);
    }
    if (entry->lines != NULL && !write_lines(stream, path, entry, model, error))
        return false;
    fputc('}', stream);
    return true;
}

/* Writes a member of the target, its comma before it, where it is not empty. */
static bool write_name(FILE *stream, const char *key, const char *text)
{
    if (*text == '\0')
        return true;
    fprintf(stream, ", \"%s\": ", key);
    return write_text(stream, text);
}

static bool write_target(FILE *stream, const char *path, const kg__target *target, kg__error *error)
{
    if (!is_target_key(target->key) || !is_file_of(path, target->key))
        return kg__fail(error,
                        "%s: not written: the target's key is \"%s\", which belongs in a file "
                        "<key>" FILE_SUFFIX " of that name, in a-z, 0-9 and -",
                        path, target->key);
    if (target->memory_mib < 0 || target->memory_mib > (int64_t)LARGEST_FIGURE ||
        target->multiprocessors < 0)
        return kg__fail(error,
                        "%s: not written: the target's memory or multiprocessors are out of range",
                        path);
    fprintf(stream, ",\n \"target\": {\"key\": \"%s\"", target->key);

    bool right = write_name(stream, "name", target->name) &&
                 write_name(stream, "compute_capability", target->compute_capability);

    if (target->memory_mib > 0)
        fprintf(stream, ", \"memory_mib\": %lld", (long long)target->memory_mib);
    if (target->multiprocessors > 0)
        fprintf(stream, ", \"multiprocessors\": %d", target->multiprocessors);
    right = right && write_name(stream, "compiler", target->compiler);
    fputc('}', stream);
    return right || kg__fail(error, "%s: not written: a name of the target is no UTF-8", path);
}

static bool write_provenance(FILE *stream, const char *path, json_t *provenance, kg__error *error)
{
    const char *key;
    json_t *value;

    if (provenance == NULL)
        return true;
    if (!json_is_object(provenance))
        return kg__fail(error, "%s: not written: the provenance is no object", path);
    json_object_foreach (provenance, key, value) {
        if (!is_plain_value(value))
            return kg__fail(error, "%s: not written: provenance: %s is no text, number or boolean",
                            path, key);
    }
    fputs(",\n \"provenance\": ", stream);
    write_value(stream, provenance);
    return true;
}

static bool write_document(FILE *stream, const char *path, const kg__baseline *baseline,
                           kg__error *error)
{
    bool model = kg__is_model(&baseline->target);

    if (model && baseline->sentinel_count > 0)
        return kg__fail(error, "%s: not written: the CPU model has no sentinels", path);
    fputs("{\"schema\": \"" KG__BASELINE_SCHEMA "\"", stream);
    if (!write_target(stream, path, &baseline->target, error) ||
        !write_provenance(stream, path, baseline->provenance, error))
        return false;
    if (baseline->sentinel_count > 0)
        fputs(",\n \"sentinels\": {", stream);
    for (size_t i = 0; i < baseline->sentinel_count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        if (!write_case(stream, path, &baseline->sentinels[i], true, model, error))
            return false;
    }
    if (baseline->sentinel_count > 0)
        fputc('}', stream);
    fputs(",\n \"cases\": {", stream);
    for (size_t i = 0; i < baseline->case_count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stream);
        if (!write_case(stream, path, &baseline->cases[i], false, model, error))
            return false;
    }
    fputs("\n }}\n", stream);
    return true;
}

/* The baseline as text, on the heap; NULL with `error` when it could not be read again. */
static char *compose(const char *path, const kg__baseline *baseline, size_t *length,
                     kg__error *error)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    /* Numbers are written with a point whatever the locale of the process is. */
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);

    if (stream == NULL || plain == (locale_t)0) {
        kg__complain("out of host memory for a baseline: free some memory");
        exit(2);
    }

    locale_t previous = uselocale(plain);
    bool right = write_document(stream, path, baseline, error);

    uselocale(previous);
    freelocale(plain);
    if (fclose(stream) != 0 && right)
        right = kg__fail(error, "%s: not written: %s", path, strerror(errno));
    if (!right) {
        free(text);
        text = NULL;
    }
    return text;
}

/* False for what a rename would replace although it should not: a file that is write-protected, and
 * what is no regular file. */
static bool may_replace(const char *path, kg__error *error)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return true;
    if (!S_ISREG(status.st_mode))
        return kg__fail(error, "%s: not written: it is no regular file: move it away", path);
    if ((status.st_mode & 0222) == 0)
        return kg__fail(error, "%s: not written: it is write-protected: chmod u+w it first", path);
    return true;
}

bool kg__baseline_save(const char *path, const kg__baseline *baseline, kg__error *error)
{
    size_t length = 0;
    char *text = compose(path, baseline, &length, error);
    bool right =
        text != NULL && may_replace(path, error) && kg__file_replace(path, text, length, error);

    free(text);
    return right;
}
