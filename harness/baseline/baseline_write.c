/* Writing a baseline file: in one form alone, whole or not at all. */
#include "baseline/baseline.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "baseline/baseline_rules.h"

/* Writes a number so that reading it gives the same one again, in as few digits as that takes. */
static void write_number(FILE *stream, double value)
{
    char text[40];

    value += 0.0; /* -0 becomes 0 */
    if (value == rint(value) && fabs(value) <= KG__LARGEST_FIGURE) {
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
    if (kg__is_time(metric->name) || metric->floor != 0.0) {
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
    json_t *lines;

    if (!model)
        return kg__fail(
            error, "%s: not written: %s: lines belong in the CPU model's file alone: take them out",
            path, entry->id);
    lines = kg__lines_json(entry->lines);
    fputs(", \"lines\": ", stream);
    write_value(stream, lines);
    json_decref(lines);
    return true;
}

static bool write_code(FILE *stream, const char *path, const kg__baseline_case *entry,
                       kg__error *error)
{
    json_t *code = kg__kernel_code_json(entry->code);
    const char *key;
    const char *fault = kg__kernel_code_fault(code, &key);

    if (fault != NULL)
        (void)kg__fail(error, "%s: not written: %s: code%s%s %s", path, entry->id,
                       key != NULL ? ": " : "", key != NULL ? key : "", fault);
    fputs(", \"code\": ", stream);
    write_value(stream, code);
    json_decref(code);
    return fault == NULL;
}

/* Writes a case's id and what is stored of it; false with `error` when it could not be read again.
 */
static bool write_case(FILE *stream, const char *path, const kg__baseline_case *entry,
                       bool sentinel, bool model, kg__error *error)
{
    const char *separator = "";
    kg__fault fault;

    if (sentinel ? !kg__is_sentinel_name(entry->id) : !kg__is_case_id(entry->id))
        return kg__fail(error, "%s: not written: %s is not a %s", path, entry->id,
                        sentinel ? "sentinel: they are copy and fma"
                                 : "case: comparison/variant/size/launch");
    fprintf(stream, "\"%s\": {", entry->id);
    if (entry->commit != NULL) {
        fputs("\"commit\": ", stream);
        if (sentinel || *entry->commit == '\0' || !write_text(stream, entry->commit))
            return kg__fail(error, "%s: not written: %s: %s", path, entry->id,
                            sentinel ? "a sentinel belongs to no commit: take it out"
                                     : "its commit is empty or no UTF-8: name one by --commit");
        separator = ", ";
    }
    for (size_t i = 0; i < entry->metric_count; i++) {
        if (kg__metric_is_faulty(&entry->metrics[i], model, &fault))
            return kg__fail(error, "%s: not written: %s: %s: %s%s%s: measure it again", path,
                            entry->id, entry->metrics[i].name, fault.key != NULL ? fault.key : "",
                            fault.key != NULL ? " " : "", fault.text);
        fputs(separator, stream);
        write_metric(stream, &entry->metrics[i]);
        separator = ", ";
    }
    if (entry->code != NULL && !write_code(stream, path, entry, error))
        return false;
    if (entry->lines != NULL && !write_lines(stream, path, entry, model, error))
        return false;
    if (kg__case_is_faulty(entry, sentinel, &fault))
        return kg__fail(error, "%s: not written: %s: %s%s%s: measure it again", path, entry->id,
                        fault.key != NULL ? fault.key : "", fault.key != NULL ? " " : "",
                        fault.text);
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
    if (!kg__is_target_key(target->key) || !kg__is_file_of(path, target->key))
        return kg__fail(error,
                        "%s: not written: the target's key is \"%s\", which belongs in a file "
                        "<key>" KG__BASELINE_SUFFIX " of that name, in a-z, 0-9 and -",
                        path, target->key);
    if (target->memory_mib < 0 || target->memory_mib > (int64_t)KG__LARGEST_FIGURE ||
        target->multiprocessors < 0)
        return kg__fail(error,
                        "%s: not written: the target's memory or multiprocessors are out of range: "
                        "see nvidia-smi",
                        path);
    fprintf(stream, ",\n \"target\": {\"key\": \"%s\"", target->key);

    bool right = write_name(stream, "name", target->name) &&
                 write_name(stream, "compute_capability", target->compute_capability);

    if (target->memory_mib > 0)
        fprintf(stream, ", \"memory_mib\": %lld", (long long)target->memory_mib);
    if (target->multiprocessors > 0)
        fprintf(stream, ", \"multiprocessors\": %lld", (long long)target->multiprocessors);
    right = right && write_name(stream, "compiler", target->compiler);
    fputc('}', stream);
    return right ||
           kg__fail(error, "%s: not written: a name of the target is not UTF-8: see nvidia-smi",
                    path);
}

static void write_provenance(FILE *stream, const kg__provenance *provenance)
{
    json_t *facts = kg__provenance_json(provenance);

    if (provenance->count > 0) {
        fputs(",\n \"provenance\": ", stream);
        write_value(stream, facts);
    }
    json_decref(facts);
}

/* Writes the list of checked cases, one per line, where there is one. */
static bool write_checked(FILE *stream, const char *path, const kg__baseline *baseline,
                          kg__error *error)
{
    if (baseline->checked_count == 0)
        return true;
    if (!kg__is_model(&baseline->target))
        return kg__fail(error,
                        "%s: not written: the list of checked cases belongs in the CPU model's "
                        "file alone: take it out",
                        path);
    fputs(",\n \"checked\": [", stream);
    for (size_t i = 0; i < baseline->checked_count; i++) {
        if (!kg__is_case_id(baseline->checked[i]))
            return kg__fail(error,
                            "%s: not written: checked: '%s' is not a case "
                            "(comparison/variant/size/launch): take it out",
                            path, baseline->checked[i]);
        fprintf(stream, "%s\n  \"%s\"", i > 0 ? "," : "", baseline->checked[i]);
    }
    fputs("\n ]", stream);
    return true;
}

static bool write_document(FILE *stream, const char *path, const kg__baseline *baseline,
                           kg__error *error)
{
    bool model = kg__is_model(&baseline->target);
    kg__fault fault;

    if (kg__origin_is_faulty(baseline, &fault))
        return kg__fail(error, "%s: not written: provenance: %s %s", path, fault.key, fault.text);
    if (model && baseline->sentinel_count > 0)
        return kg__fail(error, "%s: not written: the CPU model has no sentinels: take them out",
                        path);
    fputs("{\"schema\": \"" KG__BASELINE_SCHEMA "\"", stream);
    if (!write_target(stream, path, &baseline->target, error))
        return false;
    write_provenance(stream, &baseline->provenance);
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
    fputs("\n }", stream);
    if (!write_checked(stream, path, baseline, error))
        return false;
    fputs("}\n", stream);
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
 * what is not a regular file. */
static bool may_replace(const char *path, kg__error *error)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return true;
    if (!S_ISREG(status.st_mode))
        return kg__fail(error, "%s: not written: it is not a regular file: move it away", path);
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
