/* SPDX-License-Identifier: MIT */
/* Reading a baseline file: strictly, with the rules of kernelgate-baseline.schema.json. A complaint
 * names the member at fault; why it is wrong only the command says (tools/kernelgate/baseline/
 * reading.py). */
#include "baseline/baseline.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "baseline/baseline_rules.h"
#include "suite/id_parts.h"

#define REMEDY "kernelgate baseline lint says why; " KG__BASELINE_REMEDY

/* What is beyond any noise, and beyond any number of boards or sessions. */
#define LARGEST_DEVIATION 1000.0
#define LARGEST_COUNT 1000000

/* A value inside the document, by the keys that lead to it; NULL is the document. */
typedef struct place {
    const struct place *inside;
    const char *key;
} place;

/* A baseline file that is being read. The first complaint is kept; the reading goes on. */
typedef struct reading {
    const char *path;
    kg__error *error;
    kg__pool *pool; /* the baseline's */
    bool bad;       /* there was a complaint */
    bool model;     /* it is the CPU model's */
} reading;

/* Writes the keys that lead to a place, "cases: matmul_f32/naive/530/b16: time_ns: ". */
static void name_place(char *text, size_t size, const place *where)
{
    if (where == NULL)
        return;
    name_place(text, size, where->inside);
    kg__append(text, size, "%s: ", where->key);
}

/* Complains of a place; false, as its reader returns then. */
static bool refuse(reading *file, const place *where)
{
    char keys[KG__MESSAGE_SIZE] = "";

    name_place(keys, sizeof keys, where);
    if (!file->bad)
        kg__fail(file->error, "%s: %sis not valid: " REMEDY, file->path, keys);
    file->bad = true;
    return false;
}

/* The same of a member of a place, by a rule that names it: NULL where the rule is kept, "" for the
 * place itself. */
static bool keeps(const char *fault, reading *file, const place *where)
{
    const place member = { where, fault };

    return fault == NULL || refuse(file, *fault != '\0' ? &member : where);
}

/* Reads a number that is up to 2^53 in size, beyond which a double would change it unseen. */
static bool read_figure(const json_t *value, double *figure)
{
    *figure = json_number_value(value);
    /* A whole number beyond it may be rounded into range. */
    return json_is_number(value) && fabs(*figure) <= KG__LARGEST_FIGURE &&
           (!json_is_integer(value) ||
            llabs(json_integer_value(value)) <= (json_int_t)KG__LARGEST_FIGURE);
}

/* Whether it is the noise of a time: within a board and between boards. */
static bool is_noise(const json_t *array)
{
    bool right = json_array_size(array) == 2;

    for (size_t i = 0; i < 2 && right; i++) {
        const json_t *deviation = json_array_get(array, i);

        right = json_is_number(deviation) && json_number_value(deviation) >= 0.0 &&
                json_number_value(deviation) <= LARGEST_DEVIATION;
    }
    return right;
}

static bool is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

/* Reads a member of a metric that has its name already. */
static bool read_metric_member(const reading *file, const char *key, const json_t *value,
                               kg__baseline_metric *metric)
{
    if (strcmp(key, "value") == 0)
        return read_figure(value, &metric->value);
    if (strcmp(key, "band") == 0)
        return read_figure(value, &metric->band);
    if (strcmp(key, "band_by") == 0)
        return metric->band_by_hand = is_text(value, "hand");
    if (strcmp(key, "gated") == 0) {
        metric->gated = json_is_true(value);
        return json_is_boolean(value);
    }
    /* A counter has no noise. */
    if (strcmp(key, "floor") == 0)
        return !file->model && read_figure(value, &metric->floor);
    return strcmp(key, "noise") == 0 && !file->model && is_noise(value);
}

/* Reads a metric that has its name already: an object or, of a counter, its value alone. */
static bool read_metric(reading *file, const place *where, json_t *object,
                        kg__baseline_metric *metric)
{
    bool time = kg__is_time(metric->name);
    const char *key;
    json_t *value;

    metric->gated = true;
    metric->floor = time && !file->model ? KG__TIME_FLOOR_NS : 0.0;
    if (json_is_number(object) && !time)
        return (read_figure(object, &metric->value) &&
                kg__metric_fault(metric, file->model) == NULL) ||
               refuse(file, where);
    json_object_foreach (object, key, value) {
        const place member = { where, key };

        if (!read_metric_member(file, key, value, metric))
            return refuse(file, &member);
    }
    if (json_object_get(object, "value") == NULL ||
        (time && json_object_get(object, "band") == NULL))
        return refuse(file, where);
    return keeps(kg__metric_fault(metric, file->model), file, where);
}

/* Reads the counters of a case's lines. */
static bool read_lines(reading *file, const place *where, const json_t *object, kg__lines **lines)
{
    const char *key;
    const char *counter;
    bool right;

    *lines = kg__pool_lines(file->pool);
    right = kg__lines_read(object, *lines, &key, &counter);

    const place line = { where, key };
    const place at_counter = { &line, counter };

    return right || refuse(file, key == NULL ? where : counter == NULL ? &line : &at_counter);
}

/* Reads what the compiler made of a case. */
static bool read_code(reading *file, const place *where, const json_t *object,
                      kg__baseline_case *entry)
{
    const char *fault = kg__kernel_code_fault(object);
    kg__kernel_code code = kg__kernel_code_unknown;

    if (!keeps(fault, file, where))
        return false;
    /* There are no names in it. */
    (void)kg__fields_read(object, kg__kernel_code_fields, &code, NULL);
    /* Where registers are known, absent memory means 0 bytes. */
    if (code.registers >= 0 && code.local_bytes < 0)
        code.local_bytes = 0;
    if (code.registers >= 0 && code.shared_bytes < 0)
        code.shared_bytes = 0;
    entry->code = kg__kernel_code_keep(file->pool, &code);
    return true;
}

/* Reads a member of a case, or of a sentinel. */
static bool read_member(reading *file, const place *where, json_t *value, bool sentinel,
                        kg__baseline_case *entry)
{
    const char *key = where->key;
    kg__baseline_metric *metric;

    if (strcmp(key, "code") == 0)
        return read_code(file, where, value, entry);
    if (strcmp(key, "lines") == 0 && file->model && !sentinel)
        return read_lines(file, where, value, &entry->lines);
    if (strcmp(key, "commit") == 0 && !sentinel && json_string_length(value) > 0) {
        entry->commit = json_string_value(value);
        return true;
    }
    if (!file->model && (strcmp(key, "boards") == 0 || strcmp(key, "sessions") == 0))
        return (json_is_integer(value) && json_integer_value(value) >= 1 &&
                json_integer_value(value) <= LARGEST_COUNT) ||
               refuse(file, where);
    if (!kg__is_metric_name(key))
        return refuse(file, where);
    metric = &entry->metrics[entry->metric_count++];
    metric->name = key;
    return read_metric(file, where, value, metric);
}

/* Reads a case, or a sentinel, that has its id already. */
static bool read_case(reading *file, const place *where, json_t *object, bool sentinel,
                      kg__baseline_case *entry)
{
    const char *key;
    json_t *value;

    if (!(sentinel ? kg__is_sentinel_name(entry->id) : kg__is_case_id(entry->id)))
        return refuse(file, where);
    entry->metrics = kg__pool_array(file->pool, json_object_size(object), sizeof *entry->metrics);
    json_object_foreach (object, key, value) {
        const place member = { where, key };

        if (!read_member(file, &member, value, sentinel, entry))
            return false;
    }
    qsort(entry->metrics, entry->metric_count, sizeof *entry->metrics, kg__compare_names);
    return keeps(kg__case_fault(entry, sentinel), file, where);
}

/* Reads an object of cases or of sentinels; those that are wrong are left out. */
static void read_cases(reading *file, const place *where, json_t *object, bool sentinels,
                       kg__baseline_case **cases, size_t *count)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        (void)refuse(file, where);
    *cases = kg__pool_array(file->pool, json_object_size(object), sizeof **cases);
    json_object_foreach (object, key, value) {
        const place member = { where, key };
        kg__baseline_case entry = { .id = key };

        if (read_case(file, &member, value, sentinels, &entry))
            (*cases)[(*count)++] = entry;
    }
    qsort(*cases, *count, sizeof **cases, kg__compare_names);
}

/* Reads a member of a target, by its own row of the members'. No text may be empty. */
static bool read_target_member(const char *key, const json_t *object, kg__target *target)
{
    const json_t *value = json_object_get(object, key);
    const kg__field *field = kg__target_fields;

    while (field->key != NULL && strcmp(field->key, key) != 0)
        field++;

    const kg__field alone[] = { *field, { 0 } };

    return field->key != NULL && !json_is_null(value) &&
           (!json_is_string(value) || json_string_length(value) > 0) &&
           kg__fields_read(object, alone, target, NULL) &&
           target->memory_mib <= (json_int_t)KG__LARGEST_FIGURE &&
           target->multiprocessors <= INT_MAX;
}

static void read_target(reading *file, const place *where, json_t *object, kg__target *target)
{
    const char *key;
    json_t *value;

    json_object_foreach (object, key, value) {
        const place member = { where, key };

        if (!read_target_member(key, object, target))
            (void)refuse(file, &member);
    }
    if (json_object_get(object, "key") == NULL)
        (void)refuse(file, where);
    (void)keeps(kg__is_file_of(file->path, target->key) ? NULL : "key", file, where);
}

/* Adds an id to the list of checked cases, which has the capacity, in sorted place. */
static void add_checked(kg__baseline *baseline, const char *id)
{
    size_t i = baseline->checked_count++;

    for (; i > 0 && strcmp(baseline->checked[i - 1], id) > 0; i--)
        baseline->checked[i] = baseline->checked[i - 1];
    baseline->checked[i] = id;
}

/* Reads the list of the cases that are checked. */
static void read_checked(reading *file, const place *where, const json_t *array,
                         kg__baseline *baseline)
{
    const json_t *id;
    size_t i;

    if (!json_is_array(array))
        (void)refuse(file, where);
    baseline->checked =
        kg__pool_array(file->pool, json_array_size(array), sizeof *baseline->checked);
    json_array_foreach (array, i, id) {
        const char *text = json_is_string(id) ? json_string_value(id) : "";

        if (kg__is_case_id(text) && !kg__baseline_lists(baseline, text))
            add_checked(baseline, text);
        else
            (void)refuse(file, where);
    }
}

/* Reads the errors of a case and, where it is not the target's own, the band. */
static bool read_errors(const json_t *array, kg__baseline_accuracy *entry)
{
    double *const figures[] = { &entry->errors[0], &entry->errors[1], &entry->band };
    const size_t count = json_array_size(array);
    bool right = (count == 2 || count == 3) && kg__is_case_id(entry->id);

    for (size_t i = 0; i < count && right; i++)
        right = read_figure(json_array_get(array, i), figures[i]);
    return right && entry->errors[1] >= 0 && !signbit(entry->errors[1]) &&
           entry->errors[1] <= entry->errors[0] &&
           (count == 2 || (entry->band > 0 && entry->band < 1));
}

/* Reads the errors of the checked cases; those that are wrong are left out. */
static void read_accuracy(reading *file, const place *where, json_t *object, kg__baseline *baseline)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        (void)refuse(file, where);
    baseline->accuracy =
        kg__pool_array(file->pool, json_object_size(object), sizeof *baseline->accuracy);
    json_object_foreach (object, key, value) {
        const place member = { where, key };
        kg__baseline_accuracy entry = { .id = key };

        if (read_errors(value, &entry))
            baseline->accuracy[baseline->accuracy_count++] = entry;
        else
            (void)refuse(file, &member);
    }
    qsort(baseline->accuracy, baseline->accuracy_count, sizeof *baseline->accuracy,
          kg__compare_names);
}

/* Reads the provenance. A member that is not a string, a number or a boolean is refused and
 * dropped. */
static void read_provenance(reading *file, const place *where, json_t *object,
                            kg__baseline *baseline)
{
    const char *key;
    json_t *value;
    void *next;

    if (!json_is_object(object))
        (void)refuse(file, where);
    json_object_foreach_safe(object, next, key, value)
    {
        const place member = { where, key };

        if (json_is_string(value) || json_is_number(value) || json_is_boolean(value))
            continue;
        (void)refuse(file, &member);
        json_object_del(object, key);
    }
    baseline->provenance = object;
}

static void read_document(reading *file, json_t *document, kg__baseline *baseline)
{
    const char *key;
    json_t *value;
    const place provenance = { NULL, "provenance" };
    const json_t *target = json_object_get(json_object_get(document, "target"), "key");
    const json_t *schema = json_object_get(document, "schema");

    if (!is_text(schema, KG__BASELINE_SCHEMA)) {
        (void)keeps(schema != NULL ? "schema" : "", file, NULL);
        return;
    }
    file->model = is_text(target, KG__MODEL_KEY);
    json_object_foreach (document, key, value) {
        const place member = { NULL, key };

        if (strcmp(key, "target") == 0)
            read_target(file, &member, value, &baseline->target);
        else if (strcmp(key, "provenance") == 0)
            read_provenance(file, &member, value, baseline);
        else if (strcmp(key, "sentinels") == 0 && !file->model)
            read_cases(file, &member, value, true, &baseline->sentinels, &baseline->sentinel_count);
        else if (strcmp(key, "cases") == 0)
            read_cases(file, &member, value, false, &baseline->cases, &baseline->case_count);
        else if (strcmp(key, "checked") == 0 && file->model)
            read_checked(file, &member, value, baseline);
        else if (strcmp(key, "accuracy") == 0)
            read_accuracy(file, &member, value, baseline);
        else if (strcmp(key, "schema") != 0)
            (void)refuse(file, &member);
    }
    if (json_object_get(document, "target") == NULL || json_object_get(document, "cases") == NULL)
        (void)refuse(file, NULL);
    (void)keeps(kg__origin_fault(baseline), file, &provenance);
}

kg__load_status kg__baseline_parse(const char *path, const char *text, size_t length,
                                   kg__baseline *baseline, kg__error *error)
{
    reading file = { .path = path, .error = error, .pool = &baseline->pool };
    json_error_t syntax;
    json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &syntax);

    *baseline = (kg__baseline){ 0 };
    if (document == NULL) {
        const bool is_empty = strspn(text, " \t\r\n") == length;

        kg__fail(error, "%s: line %d: %s: " KG__BASELINE_REMEDY, path, syntax.line,
                 is_empty ? "the file is empty" : syntax.text);
        return KG__BAD;
    }
    /* The texts of the baseline are those of the document. */
    kg__json_keep(&baseline->pool, document);
    read_document(&file, document, baseline);
    return file.bad ? KG__BAD : KG__LOADED;
}
