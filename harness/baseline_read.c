/* Reading a baseline file: strictly, every complaint with its file, line and key. */
#include "baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baseline_rules.h"
#include "code.h"
#include "lines.h"

/* What every complaint about the content of a file ends in. */
#define REMEDY "mend the file, or record it anew with ci/rebaseline"

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
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
    if (status.st_size < 0 || (size_t)status.st_size > KG__BASELINE_LARGEST) {
        kg__fail(error, "%s: has more than %zu MiB, which no baseline has: " REMEDY, path,
                 KG__BASELINE_LARGEST >> 20);
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
    if (!(fabs(*figure) <= KG__LARGEST_FIGURE) ||
        (json_is_integer(value) &&
         llabs(json_integer_value(value)) > (json_int_t)KG__LARGEST_FIGURE)) {
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

    const char *fault = kg__metric_fault(metric, file->model, &key);
    const place at_fault = { where, key };

    if (!has_member(file, where, object, "value") ||
        (kg__is_time(metric->name) &&
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

/* Reads what the compiler made of a case. */
static bool read_code(reading *file, const place *where, json_t *object, json_t **code)
{
    const char *key;
    const char *fault = kg__code_fault(object, &key);
    const place member = { where, key };

    if (fault != NULL) {
        complain(file, key != NULL ? &member : where, "%s: " REMEDY, fault);
        return false;
    }
    *code = json_incref(object);
    return true;
}

/* Reads a case, or a sentinel, that has its id already. */
static bool read_case(reading *file, const place *where, json_t *object, bool sentinel,
                      kg__baseline_case *entry)
{
    const char *key;
    json_t *value;

    if (sentinel ? !kg__is_sentinel_name(entry->id) : !kg__is_case_id(entry->id)) {
        complain(file, where, "%s: " REMEDY,
                 sentinel ? "is no sentinel: they are copy and fma"
                          : "is no case: comparison/variant/size/launch");
        return false;
    }
    if (!json_is_object(object)) {
        complain(file, where, "is no object: " REMEDY);
        return false;
    }
    entry->metrics =
        kg__allocate(kg__baseline_room_for(json_object_size(object)), sizeof *entry->metrics);
    json_object_foreach (object, key, value) {
        const place here = { where, key };

        if (strcmp(key, "commit") == 0 && !sentinel) {
            if (!json_is_string(value) || *json_string_value(value) == '\0') {
                complain(file, &here, "is no text of a commit: " REMEDY);
                return false;
            }
            entry->commit = kg__copy_text(json_string_value(value));
        } else if (strcmp(key, "code") == 0) {
            if (!read_code(file, &here, value, &entry->code))
                return false;
        } else if (strcmp(key, "lines") == 0 && file->model && !sentinel) {
            if (!read_lines(file, &here, value, &entry->lines))
                return false;
        } else if (!kg__is_metric_name(key)) {
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
    *cases = kg__allocate(kg__baseline_room_for(json_object_size(object)), sizeof **cases);
    json_object_foreach (object, key, value) {
        const place here = { where, key };
        kg__baseline_case entry = { .id = kg__copy_text(key) };

        if (read_case(file, &here, value, sentinels, &entry))
            (*cases)[(*count)++] = entry;
        else
            kg__baseline_case_free(&entry);
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
            read_amount(file, &here, value, (json_int_t)KG__LARGEST_FIGURE, &target->memory_mib);
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
    if (has_member(file, where, object, "key") && !kg__is_file_of(file->path, target->key)) {
        const place here = { where, "key" };

        complain(file, &here,
                 "is %s, which belongs in %s" KG__BASELINE_SUFFIX
                 ": rename the file, or record a baseline "
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

        if (!kg__is_plain_value(value)) {
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

kg__load_status kg__baseline_parse(const char *path, const char *text, size_t length,
                                   kg__baseline *baseline, kg__error *error)
{
    reading file = { .path = path, .text = text, .error = error };
    json_error_t syntax;
    json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &syntax);

    *baseline = (kg__baseline){ 0 };
    if (document == NULL) {
        file.bad = true;
        kg__fail(error, "%s:%d: %s: " REMEDY, path, syntax.line > 0 ? syntax.line : 1,
                 *skip_space(text) == '\0' && strlen(text) == length ? "the file is empty"
                                                                     : syntax.text);
    } else {
        read_document(&file, document, baseline);
    }
    json_decref(document);
    return file.bad ? KG__BAD : KG__LOADED;
}

kg__load_status kg__baseline_load(const char *path, kg__baseline *baseline, kg__error *error)
{
    size_t length = 0;
    bool absent;
    kg__error ignored;
    char *text = read_text(path, &length, &absent, error != NULL ? error : &ignored);
    kg__load_status status;

    if (text == NULL) {
        *baseline = (kg__baseline){ 0 };
        if (absent && error != NULL)
            error->text[0] = '\0';
        return absent ? KG__ABSENT : KG__BAD;
    }
    status = kg__baseline_parse(path, text, length, baseline, error);
    free(text);
    return status;
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
