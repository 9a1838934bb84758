#include "cli/ledger.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "baseline/make_baseline.h"
#include "cli/command.h"
#include "judge/judge.h"
#include "records/records.h"
#include "suite/settings.h"

#define RECORDED_SCHEMA "kernelgate-recorded/1"

void kg__ledger_begin(kg__ledger *ledger, const char *command, bool merge)
{
    ledger->document = json_pack("{s:s, s:s, s:b, s:b, s:i, s:i, s:[], s:[], s:[], s:[], s:[]}",
                                 "schema", RECORDED_SCHEMA, "command", command, "merge", (int)merge,
                                 "written", 0, "looked_at", 0, "changed", 0, "changes", "sentinels",
                                 "differing", "left_out", "refused");
}

void kg__ledger_free(kg__ledger *ledger)
{
    json_decref(ledger->document);
    ledger->document = NULL;
}

void kg__ledger_set(kg__ledger *ledger, const char *key, json_t *value)
{
    json_object_set_new(ledger->document, key, value);
}

void kg__ledger_set_counts(kg__ledger *ledger, size_t sessions, size_t looked_at, size_t changed)
{
    kg__ledger_set(ledger, "sessions", json_integer((json_int_t)sessions));
    kg__ledger_set(ledger, "looked_at", json_integer((json_int_t)looked_at));
    kg__ledger_set(ledger, "changed", json_integer((json_int_t)changed));
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

static void keep_complaint(kg__ledger *ledger, const char *list, const kg__entry_subject *subject,
                           const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

static void keep_complaint(kg__ledger *ledger, const char *list, const kg__entry_subject *subject,
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
    json_array_append_new(json_object_get(ledger->document, list), entry);
}

void kg__ledger_refuse(kg__ledger *ledger, kg__entry_subject subject, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    keep_complaint(ledger, "refused", &subject, format, arguments);
    va_end(arguments);
}

void kg__ledger_leave_out(kg__ledger *ledger, kg__entry_subject subject, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    keep_complaint(ledger, "left_out", &subject, format, arguments);
    va_end(arguments);
}

void kg__ledger_doubt(kg__ledger *ledger, kg__entry_subject subject, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    keep_complaint(ledger, "differing", &subject, format, arguments);
    va_end(arguments);
}

/* The entry of a change, in the list of what it is a change of: a case's id has slashes. */
static json_t *add_change(kg__ledger *ledger, const char *id, const char *metric, const char *kind)
{
    const char *list = strchr(id, '/') != NULL ? "changes" : "sentinels";
    json_t *entry = json_object();

    set_text(entry, "case", id);
    set_text(entry, "metric", metric);
    set_text(entry, "kind", kind);
    json_array_append_new(json_object_get(ledger->document, list), entry);
    return entry;
}

void kg__ledger_change(kg__ledger *ledger, const char *id, const char *metric, double old,
                       double value, const kg__baseline_metric *now)
{
    json_t *entry = add_change(ledger, id, metric, isnan(old) ? "new" : "moved");

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

void kg__ledger_retire(kg__ledger *ledger, const char *id, const char *metric)
{
    (void)add_change(ledger, id, metric, "retired");
}

void kg__ledger_note(kg__ledger *ledger, const char *id, const char *kind, json_t *notes)
{
    json_t *entry = add_change(ledger, id, NULL, kind);

    if (notes != NULL)
        json_object_set(entry, "notes", notes);
}

int kg__ledger_end(kg__ledger *ledger, bool as_json, int code)
{
    bool written = json_is_true(json_object_get(ledger->document, "written"));
    char output[2 * KG__PATH_SIZE];
    bool printed;

    kg__name_output(kg__json_text(ledger->document, "command"),
                    written ? kg__json_text(ledger->document, "file") : NULL, output,
                    sizeof output);
    kg__ledger_set(ledger, "exit_code", json_integer(code));
    if (as_json)
        printed = kg__json_print(json_incref(ledger->document), JSON_INDENT(1), output);
    else
        printed = kg__flush_output(output);
    return printed ? code : KG__EXIT_ERROR;
}
