/* SPDX-License-Identifier: MIT */
/* Reading a baseline file: strictly, every complaint with its file, line and key. */
#include "baseline/baseline.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_file.h"
#include "base/text.h"
#include "baseline/baseline_rules.h"
#include "suite/id_parts.h"

#define REMEDY KG__BASELINE_REMEDY

/* What is beyond any noise, and beyond any number of boards or sessions. */
#define LARGEST_DEVIATION 1000.0
#define LARGEST_COUNT 1000000

/* A baseline file that is being read. */
typedef struct reading {
    kg__reading document;
    bool model; /* it is the CPU model's */
} reading;

static bool read_boolean(reading *file, const kg__json_place *where, const json_t *value,
                         bool *truth)
{
    if (!json_is_boolean(value)) {
        kg__complain_at(&file->document, where, "is neither true nor false: " REMEDY);
        return false;
    }
    *truth = json_is_true(value);
    return true;
}

/* Checks the noise of a time: within a board and between boards. */
static bool check_noise(reading *file, const kg__json_place *where, const json_t *array)
{
    size_t index;
    const json_t *value;
    double deviation;

    if (!json_is_array(array) || json_array_size(array) != 2) {
        kg__complain_at(
            &file->document, where,
            "is not an array of two numbers, within a board and between boards: " REMEDY);
        return false;
    }
    json_array_foreach (array, index, value) {
        if (!kg__read_figure(&file->document, where, value, &deviation, REMEDY))
            return false;
        if (!(deviation >= 0.0 && deviation <= LARGEST_DEVIATION)) {
            kg__complain_at(&file->document, where,
                            "holds a standard deviation that is not from 0 to 1000: " REMEDY);
            return false;
        }
    }
    return true;
}

/* Checks how many boards or sessions a case rests on. */
static bool check_count(reading *file, const kg__json_place *where, const json_t *value)
{
    bool right = json_is_integer(value) && json_integer_value(value) >= 1 &&
                 json_integer_value(value) <= LARGEST_COUNT;

    if (!right)
        kg__complain_at(&file->document, where, "is not a whole number from 1 to 1000000: " REMEDY);
    return right;
}

static bool read_band_origin(reading *file, const kg__json_place *where, const json_t *value,
                             bool *by_hand)
{
    *by_hand = json_is_string(value) && strcmp(json_string_value(value), "hand") == 0;
    if (!*by_hand)
        kg__complain_at(&file->document, where, "can only be \"hand\": omit it otherwise");
    return *by_hand;
}

/* Complains of a part of the file; false, as its reader returns then. */
static bool complain_of(reading *file, const kg__json_place *where, const kg__fault *fault)
{
    const kg__json_place member = { where, fault->key };

    kg__complain_at(&file->document, fault->key != NULL ? &member : where, "%s: " REMEDY,
                    fault->text);
    return false;
}

/* Reads a metric that has its name already, from its object. */
static bool read_metric_members(reading *file, const kg__json_place *where, json_t *object,
                                kg__baseline_metric *metric)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        kg__complain_at(&file->document, where,
                        "is neither a known key nor the object of a metric: " REMEDY);
        return false;
    }
    json_object_foreach (object, key, value) {
        const kg__json_place member = { where, key };
        bool right;

        if (strcmp(key, "value") == 0) {
            right = kg__read_figure(&file->document, &member, value, &metric->value, REMEDY);
        } else if (strcmp(key, "band") == 0) {
            right = kg__read_figure(&file->document, &member, value, &metric->band, REMEDY);
        } else if (strcmp(key, "band_by") == 0) {
            right = read_band_origin(file, &member, value, &metric->band_by_hand);
        } else if (file->model && (strcmp(key, "floor") == 0 || strcmp(key, "noise") == 0)) {
            kg__complain_at(&file->document, &member,
                            "is for times, and a counter has none: " REMEDY);
            right = false;
        } else if (strcmp(key, "floor") == 0) {
            right = kg__read_figure(&file->document, &member, value, &metric->floor, REMEDY);
        } else if (strcmp(key, "gated") == 0) {
            right = read_boolean(file, &member, value, &metric->gated);
        } else if (strcmp(key, "noise") == 0) {
            right = check_noise(file, &member, value);
        } else {
            kg__complain_at(&file->document, &member, "is an unknown key: " REMEDY);
            right = false;
        }
        if (!right)
            return false;
    }

    return kg__has_member(&file->document, where, object, "value", REMEDY) &&
           (!kg__is_time(metric->name) ||
            kg__has_member(&file->document, where, object, "band", REMEDY));
}

/* Reads a metric that has its name already: an object or, of a counter, its value alone. */
static bool read_metric(reading *file, const kg__json_place *where, json_t *value,
                        kg__baseline_metric *metric)
{
    kg__fault fault;

    metric->gated = true;
    metric->floor = kg__is_time(metric->name) && !file->model ? KG__TIME_FLOOR_NS : 0.0;
    if (json_is_number(value) && !kg__is_time(metric->name)
            ? !kg__read_figure(&file->document, where, value, &metric->value, REMEDY)
            : !read_metric_members(file, where, value, metric))
        return false;
    if (!kg__metric_is_faulty(metric, file->model, &fault))
        return true;
    if (json_is_number(value))
        fault.key = NULL; /* it has no members */
    return complain_of(file, where, &fault);
}

/* Reads the counters of a case's lines, each named by its place in the file when it is wrong. */
static bool read_lines(reading *file, const kg__json_place *where, const json_t *object,
                       kg__lines **lines)
{
    const char *key;
    const char *counter;
    kg__lines *read = kg__lines_make();
    const char *fault = kg__lines_read(object, read, &key, &counter);
    const kg__json_place line = { where, key };
    const kg__json_place at_counter = { &line, counter };

    if (fault != NULL) {
        kg__complain_at(&file->document,
                        key == NULL       ? where
                        : counter == NULL ? &line
                                          : &at_counter,
                        "%s: " REMEDY, fault);
        kg__lines_free(read);
        return false;
    }
    kg__lines_free(*lines);
    *lines = read;
    return true;
}

/* Reads what the compiler made of a case. */
static bool read_code(reading *file, const kg__json_place *where, const json_t *object,
                      kg__baseline_case *entry)
{
    const char *key;
    const char *fault = kg__kernel_code_fault(object, &key);
    const kg__json_place member = { where, key };
    kg__kernel_code code;

    if (fault != NULL) {
        kg__complain_at(&file->document, key != NULL ? &member : where, "%s: " REMEDY, fault);
        return false;
    }
    /* There are no names in it. */
    (void)kg__kernel_code_read(NULL, object, &code, NULL);
    /* Where registers are known, absent memory means 0 bytes. */
    if (code.registers >= 0 && code.local_bytes < 0)
        code.local_bytes = 0;
    if (code.registers >= 0 && code.shared_bytes < 0)
        code.shared_bytes = 0;
    free(entry->code);
    entry->code = kg__kernel_code_keep(&code);
    return true;
}

/* Reads a case, or a sentinel, that has its id already. */
static bool read_case(reading *file, const kg__json_place *where, json_t *object, bool sentinel,
                      kg__baseline_case *entry)
{
    const char *key;
    json_t *value;
    kg__fault fault;

    if (sentinel ? !kg__is_sentinel_name(entry->id) : !kg__is_case_id(entry->id)) {
        kg__complain_at(&file->document, where, "%s: " REMEDY,
                        sentinel ? "is not a sentinel's name"
                                 : "is not a case: comparison/variant/size/launch");
        return false;
    }
    if (!json_is_object(object)) {
        kg__complain_at(&file->document, where, "is not an object: " REMEDY);
        return false;
    }
    entry->metrics = kg__allocate(json_object_size(object) + 1, sizeof *entry->metrics);
    json_object_foreach (object, key, value) {
        const kg__json_place member = { where, key };

        if (strcmp(key, "commit") == 0 && !sentinel) {
            if (!json_is_string(value) || *json_string_value(value) == '\0') {
                kg__complain_at(&file->document, &member, "is not a string, or is empty: " REMEDY);
                return false;
            }
            entry->commit = kg__copy_text(json_string_value(value));
        } else if (strcmp(key, "code") == 0) {
            if (!read_code(file, &member, value, entry))
                return false;
        } else if (strcmp(key, "lines") == 0 && file->model && !sentinel) {
            if (!read_lines(file, &member, value, &entry->lines))
                return false;
        } else if (!file->model && (strcmp(key, "boards") == 0 || strcmp(key, "sessions") == 0)) {
            if (!check_count(file, &member, value))
                return false;
        } else if (!kg__is_metric_name(key)) {
            kg__complain_at(&file->document, &member, "is an unknown key: " REMEDY);
            return false;
        } else {
            kg__baseline_metric *metric = &entry->metrics[entry->metric_count++];

            metric->name = kg__copy_text(key);
            if (!read_metric(file, &member, value, metric))
                return false;
        }
    }
    qsort(entry->metrics, entry->metric_count, sizeof *entry->metrics, kg__compare_names);
    return !kg__case_is_faulty(entry, sentinel, &fault) || complain_of(file, where, &fault);
}

/* Reads an object of cases or of sentinels; those that are wrong are left out. */
static void read_cases(reading *file, const kg__json_place *where, json_t *object, bool sentinels,
                       kg__baseline_case **cases, size_t *count)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        kg__complain_at(&file->document, where, "is not an object: " REMEDY);
        return;
    }
    *cases = kg__allocate(json_object_size(object) + 1, sizeof **cases);
    json_object_foreach (object, key, value) {
        const kg__json_place place = { where, key };
        kg__baseline_case entry = { .id = kg__copy_text(key) };

        if (read_case(file, &place, value, sentinels, &entry))
            (*cases)[(*count)++] = entry;
        else
            kg__baseline_case_free(&entry);
    }
    qsort(*cases, *count, sizeof **cases, kg__compare_names);
}

static void read_amount(reading *file, const kg__json_place *where, const json_t *value,
                        json_int_t most, int64_t *amount)
{
    if (!json_is_integer(value))
        kg__complain_at(&file->document, where, "is not a whole number: " REMEDY);
    else if (json_integer_value(value) < 0 || json_integer_value(value) > most)
        kg__complain_at(&file->document, where,
                        "is out of range: it has to be from 0 to %" JSON_INTEGER_FORMAT ": " REMEDY,
                        most);
    else
        *amount = json_integer_value(value);
}

static void read_target(reading *file, const kg__json_place *where, json_t *object,
                        kg__target *target)
{
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {
        { "key", target->key, sizeof target->key },
        { "name", target->name, sizeof target->name },
        { "compute_capability", target->compute_capability, sizeof target->compute_capability },
        { "compiler", target->compiler, sizeof target->compiler },
    };
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        kg__complain_at(&file->document, where, "is not an object: " REMEDY);
        return;
    }
    json_object_foreach (object, key, value) {
        const kg__json_place member = { where, key };

        size_t i = 0;

        while (i < sizeof texts / sizeof *texts && strcmp(key, texts[i].key) != 0)
            i++;
        if (i < sizeof texts / sizeof *texts) {
            (void)kg__read_name(&file->document, &member, value, texts[i].text, texts[i].size,
                                REMEDY);
        } else if (strcmp(key, "memory_mib") == 0) {
            read_amount(file, &member, value, (json_int_t)KG__LARGEST_FIGURE, &target->memory_mib);
        } else if (strcmp(key, "multiprocessors") == 0) {
            read_amount(file, &member, value, INT_MAX, &target->multiprocessors);
        } else {
            kg__complain_at(&file->document, &member, "is an unknown key: " REMEDY);
        }
    }
    if (kg__has_member(&file->document, where, object, "key", REMEDY) &&
        !kg__is_file_of(file->document.path, target->key)) {
        const kg__json_place member = { where, "key" };

        kg__complain_at(&file->document, &member,
                        "is %s, which belongs in %s" KG__BASELINE_SUFFIX
                        ": rename the file, or record a baseline "
                        "with kernelgate rebaseline",
                        target->key, target->key);
    }
}

static void read_provenance(reading *file, const kg__json_place *where, const json_t *object,
                            kg__provenance *provenance)
{
    const char *other = kg__provenance_read(provenance, object);
    const kg__json_place member = { where, other };

    if (!json_is_object(object))
        kg__complain_at(&file->document, where, "is not an object: " REMEDY);
    else if (other != NULL)
        kg__complain_at(&file->document, &member, "is not a string, number or boolean: " REMEDY);
}

/* Adds an id to the list of checked cases, which has the capacity, in sorted place. */
static void add_checked(kg__baseline *baseline, const char *id)
{
    size_t i = baseline->checked_count++;

    for (; i > 0 && strcmp(baseline->checked[i - 1], id) > 0; i--)
        baseline->checked[i] = baseline->checked[i - 1];
    baseline->checked[i] = kg__copy_text(id);
}

/* Reads the list of the cases that are checked. */
static void read_checked(reading *file, const kg__json_place *where, const json_t *array,
                         kg__baseline *baseline)
{
    const json_t *id;
    size_t i;

    if (!json_is_array(array)) {
        kg__complain_at(&file->document, where, "is not an array of cases: " REMEDY);
        return;
    }
    baseline->checked = kg__allocate(json_array_size(array) + 1, sizeof *baseline->checked);
    json_array_foreach (array, i, id) {
        const char *text = json_is_string(id) ? json_string_value(id) : "";

        if (!kg__is_case_id(text))
            kg__complain_at(
                &file->document, where,
                "holds '%s', which is not a case (comparison/variant/size/launch): " REMEDY, text);
        else if (kg__baseline_lists(baseline, text))
            kg__complain_at(&file->document, where, "holds '%s' twice: " REMEDY, text);
        else
            add_checked(baseline, text);
    }
}

static void read_document(reading *file, json_t *document, kg__baseline *baseline)
{
    const char *key;
    json_t *value;
    const char *target =
        json_string_value(json_object_get(json_object_get(document, "target"), "key"));
    kg__fault fault;

    if (!kg__read_schema(&file->document, document, KG__BASELINE_SCHEMA,
                         "update kernelgate or record again with kernelgate rebaseline", REMEDY))
        return;
    file->model = target != NULL && strcmp(target, KG__MODEL_KEY) == 0;
    json_object_foreach (document, key, value) {
        const kg__json_place member = { NULL, key };

        if (strcmp(key, "target") == 0)
            read_target(file, &member, value, &baseline->target);
        else if (strcmp(key, "provenance") == 0)
            read_provenance(file, &member, value, &baseline->provenance);
        else if (strcmp(key, "sentinels") == 0 && file->model)
            kg__complain_at(&file->document, &member,
                            "are kernels of a GPU's, and the CPU model has none: " REMEDY);
        else if (strcmp(key, "sentinels") == 0)
            read_cases(file, &member, value, true, &baseline->sentinels, &baseline->sentinel_count);
        else if (strcmp(key, "cases") == 0)
            read_cases(file, &member, value, false, &baseline->cases, &baseline->case_count);
        else if (strcmp(key, "checked") == 0 && file->model)
            read_checked(file, &member, value, baseline);
        else if (strcmp(key, "accuracy") == 0)
            kg__baseline_read_accuracy(&file->document, &member, value, baseline);
        else if (strcmp(key, "schema") != 0)
            kg__complain_at(&file->document, &member, "is an unknown key: " REMEDY);
    }
    kg__has_member(&file->document, NULL, document, "target", REMEDY);
    kg__has_member(&file->document, NULL, document, "cases", REMEDY);
    if (kg__origin_is_faulty(baseline, &fault))
        (void)complain_of(file, &(const kg__json_place){ NULL, "provenance" }, &fault);
}

kg__load_status kg__baseline_parse(const char *path, const char *text, size_t length,
                                   kg__baseline *baseline, kg__error *error)
{
    reading file = { .document = { .path = path, .text = text, .error = error } };
    json_t *document = kg__parse_document(&file.document, length, REMEDY);

    *baseline = (kg__baseline){ 0 };
    if (document != NULL)
        read_document(&file, document, baseline);
    json_decref(document);
    return file.document.bad ? KG__BAD : KG__LOADED;
}
