#include "cli/change_log.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "baseline/make_baseline.h"
#include "cli/command.h"

#define RECORDED_SCHEMA "kernelgate-recorded/1"

void kg__change_log_begin(kg__change_log *log, const char *command, bool merge)
{
    log->document = json_pack("{s:s, s:s, s:b, s:b, s:i, s:i, s:[], s:[], s:[], s:[], s:[]}",
                              "schema", RECORDED_SCHEMA, "command", command, "merge", (int)merge,
                              "written", 0, "looked_at", 0, "changed", 0, "changes", "sentinels",
                              "differing", "left_out", "refused");
}

void kg__change_log_free(kg__change_log *log)
{
    json_decref(log->document);
    log->document = NULL;
}

void kg__change_log_set(kg__change_log *log, const char *key, json_t *value)
{
    json_object_set_new(log->document, key, value);
}

void kg__change_log_set_counts(kg__change_log *log, size_t sessions, size_t looked_at,
                               size_t changed)
{
    kg__change_log_set(log, "sessions", json_integer((json_int_t)sessions));
    kg__change_log_set(log, "looked_at", json_integer((json_int_t)looked_at));
    kg__change_log_set(log, "changed", json_integer((json_int_t)changed));
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, kg__json_clean_string(text));
}

/* Adds "part: " to a line. */
static void add_part(char *line, size_t size, const char *part)
{
    size_t used = strlen(line);

    if (part != NULL)
        kg__format(line + used, size - used, "%s: ", part);
}

static void keep_complaint(kg__change_log *log, const char *list, const kg__entry_subject *subject,
                           const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

static void keep_complaint(kg__change_log *log, const char *list, const kg__entry_subject *subject,
                           const char *format, va_list arguments)
{
    char line[KG__MESSAGE_SIZE] = "";
    char why[KG__MESSAGE_SIZE];
    json_t *entry = json_object();

    kg__format_list(why, sizeof why, format, arguments);
    add_part(line, sizeof line, subject->file);
    add_part(line, sizeof line, subject->id);
    add_part(line, sizeof line, subject->metric);
    kg__complain("%s%s", line, why);
    set_text(entry, "file", subject->file);
    set_text(entry, "case", subject->id);
    set_text(entry, "metric", subject->metric);
    set_text(entry, "why", why);
    json_array_append_new(json_object_get(log->document, list), entry);
}

void kg__change_log_refuse(kg__change_log *log, kg__entry_subject subject, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    keep_complaint(log, "refused", &subject, format, arguments);
    va_end(arguments);
}

void kg__change_log_omit(kg__change_log *log, kg__entry_subject subject, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    keep_complaint(log, "left_out", &subject, format, arguments);
    va_end(arguments);
}

void kg__change_log_disagree(kg__change_log *log, kg__entry_subject subject, const char *format,
                             ...)
{
    va_list arguments;

    va_start(arguments, format);
    keep_complaint(log, "differing", &subject, format, arguments);
    va_end(arguments);
}

/* Adds the entry of a change to the list of cases or of sentinels: a case id has slashes. */
static json_t *add_change(kg__change_log *log, const char *id, const char *metric, const char *kind)
{
    const char *list = strchr(id, '/') != NULL ? "changes" : "sentinels";
    json_t *entry = json_object();

    set_text(entry, "case", id);
    set_text(entry, "metric", metric);
    set_text(entry, "kind", kind);
    json_array_append_new(json_object_get(log->document, list), entry);
    return entry;
}

void kg__change_log_change(kg__change_log *log, const char *id, const char *metric, double old,
                           double value, const kg__baseline_metric *now)
{
    json_t *entry = add_change(log, id, metric, isnan(old) ? "new" : "moved");

    kg__json_set_finite(entry, "old", old);
    kg__json_set_finite(entry, "new", value);
    kg__json_set_finite(entry, "change", value / old - 1);
    if (now == NULL)
        return;
    kg__json_set_finite(entry, "band", now->band);
    json_object_set_new(entry, "band_by_hand", json_boolean(now->band_by_hand));
    kg__json_set_finite(entry, "noise", kg__noise(now->sessions, now->session_count));
    kg__json_set_finite(entry, "noise_bound", kg__noise_bound(now->sessions, now->session_count));
    json_object_set_new(entry, "sessions", json_integer((json_int_t)now->session_count));
    json_object_set_new(entry, "gated", json_boolean(now->gated));
}

void kg__change_log_retire(kg__change_log *log, const char *id, const char *metric)
{
    (void)add_change(log, id, metric, "retired");
}

void kg__change_log_note(kg__change_log *log, const char *id, const char *kind, json_t *notes)
{
    json_t *entry = add_change(log, id, NULL, kind);

    if (notes != NULL)
        json_object_set(entry, "notes", notes);
}

/* What a complaint says of an output that cannot be written: with the file that was, if any. */
static void name_output(const char *command, const char *written_file, char *text, size_t size)
{
    if (written_file != NULL)
        kg__format(text, size, "%s: %s was written, but its report is lost", command, written_file);
    else
        kg__format(text, size, "%s", command);
}

int kg__change_log_end(kg__change_log *log, bool as_json, int code)
{
    bool written = json_is_true(json_object_get(log->document, "written"));
    char output[2 * KG__PATH_SIZE];
    bool printed;

    name_output(kg__json_text(log->document, "command"),
                written ? kg__json_text(log->document, "file") : NULL, output, sizeof output);
    kg__change_log_set(log, "exit_code", json_integer(code));
    if (as_json)
        printed = kg__json_print(json_incref(log->document), JSON_INDENT(1), output);
    else
        printed = kg__flush_output(output);
    return printed ? code : KG__EXIT_ERROR;
}
