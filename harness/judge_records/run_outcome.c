/* SPDX-License-Identifier: MIT */
#include "judge_records/run_outcome.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/source_path.h"
#include "records/finding_text.h"

/* Characters of the program's output that a reason repeats. */
#define SHOWN 160
#define SPACES " \n\r\t"
/* Where GoogleTest, Catch2, assert() and most programs say what went wrong. */
#define PLACE "([^ \t\n:(]+\\.(cu|cuh|cpp|cc|cxx|c|h|hpp)):([0-9]+):?"

typedef struct outcome {
    kg__pool *pool;
    json_t *run;
    const char *home;
    bool says_output; /* nothing else says what went wrong */
    kg__verdict verdict;
    char why[KG__MESSAGE_SIZE];
    const char *file;
    unsigned int line;
} outcome;

static void set_outcome(outcome *ended, kg__verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void set_outcome(outcome *ended, kg__verdict verdict, const char *format, ...)
{
    ended->verdict = verdict;
    KG__FORMAT_REST(ended->why, sizeof ended->why, format);
}

static void set_place(outcome *ended, const json_t *place)
{
    const char *file = kg__json_text(place, "file");
    json_int_t line = json_integer_value(json_object_get(place, "line"));

    if (ended->file != NULL || *file == '\0')
        return;
    ended->file = kg__source_name(ended->home, file);
    ended->line = line > 0 ? (unsigned int)line : 0;
}

/* Finds the first place in a source that the output names; returns what follows it, NULL without
 * one. */
static const char *find_place(outcome *ended, const char *output)
{
    const char *rest = NULL;
    regmatch_t at[4];
    regex_t pattern;

    if (regcomp(&pattern, PLACE, REG_EXTENDED) != 0)
        return NULL;
    if (regexec(&pattern, output, 4, at, 0) == 0) {
        rest = output + at[0].rm_eo;
        if (ended->file == NULL) {
            const char *file = kg__pool_format(
                ended->pool, "%.*s", (int)(at[1].rm_eo - at[1].rm_so), output + at[1].rm_so);

            ended->file = kg__source_name(ended->home, file);
            ended->line = (unsigned int)strtoul(output + at[3].rm_so, NULL, 10);
        }
    }
    regfree(&pattern);
    return rest;
}

/* Appends the part of the output that says what went wrong, where nothing else does: what follows
 * a place in a source, or the last line. */
static void add_output(outcome *ended)
{
    const char *output = kg__json_text(ended->run, "output");
    const char *end = output + strlen(output);
    const char *from;
    char shown[SHOWN];
    size_t count = 0;

    if (!ended->says_output)
        return;
    from = find_place(ended, output);
    while (end > output && strchr(SPACES, end[-1]) != NULL)
        end--;
    for (const char *at = end; from == NULL; at--) {
        if (at == output || at[-1] == '\n')
            from = at;
    }
    for (; from < end && count < sizeof shown; from++) {
        const bool is_space = strchr(SPACES, *from) != NULL;

        if (!is_space || (count > 0 && shown[count - 1] != ' '))
            shown[count++] = (char)(is_space ? ' ' : *from);
    }
    if (count > 0)
        kg__append(ended->why, sizeof ended->why, ": %.*s", (int)count, shown);
}

/* Whether the output matches one of the expressions, which are POSIX's extended ones, as CMake's
 * nearly are. */
static void judge_output(outcome *ended, const json_t *expressions)
{
    const char *output = kg__json_text(ended->run, "output");
    json_t *expression;
    size_t i;

    json_array_foreach (expressions, i, expression) {
        const char *text = json_string_value(expression);
        regex_t pattern;
        int status = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB);

        if (status != 0) {
            char fault[128];

            (void)regerror(status, &pattern, fault, sizeof fault);
            set_outcome(ended, KG__ERROR, "PASS_REGEX \"%s\": %s: correct it in kg_add_program()",
                        text, fault);
            return;
        }
        status = regexec(&pattern, output, 0, NULL, 0);
        regfree(&pattern);
        if (status == 0)
            return;
    }
    set_outcome(ended, KG__WRONG, "its output does not match PASS_REGEX \"%s\"",
                json_string_value(json_array_get(expressions, 0)));
    add_output(ended);
}

static void judge_exit(outcome *ended, const json_t *expressions)
{
    const json_int_t code = json_integer_value(json_object_get(ended->run, "exit_code"));

    if (json_array_size(expressions) > 0) {
        judge_output(ended, expressions);
    } else if (code != 0) {
        set_outcome(ended, KG__WRONG, "it ended with exit code %lld", (long long)code);
        add_output(ended);
    }
}

/* A program that did not end by itself. */
static void judge_end(outcome *ended, const json_t *end)
{
    const int number = (int)json_integer_value(json_object_get(ended->run, "signal"));
    const double limit = kg__json_number(ended->run, "hung_after");

    set_place(ended, end);
    if (limit > 0)
        set_outcome(ended, KG__ERROR,
                    "it did not end within %.0f s, and was ended: correct it, or set TIMEOUT in "
                    "kg_add_program()",
                    limit);
    else
        set_outcome(ended, KG__ERROR, "it crashed: signal %d (%s)", number, strsignal(number));
    add_output(ended);
}

/* Fails a run that ended well and observed nothing: it would pass silently. */
static void judge_report(outcome *ended, const json_t *document)
{
    const char *flavor = kg__json_text(document, "flavor");
    const json_t *ran = json_object_get(document, "ran");

    if (*kg__json_text(document, "unreported") != '\0') {
        set_outcome(ended, KG__ERROR, "%s", kg__json_text(document, "unreported"));
    } else if (*flavor != '\0' && strcmp(flavor, "checked") != 0) {
        set_outcome(
            ended, KG__ERROR,
            "it was compiled with --kg-flavor=%s, so no access was checked: take that out of "
            "the target's options and NVCC_*_FLAGS",
            flavor);
    } else if (ran != NULL && json_integer_value(ran) != 1) {
        set_outcome(
            ended, KG__ERROR,
            "%s reported %lld tests for this one: let the test return to main(), and main() run it "
            "and no other",
            kg__json_text(document, "framework"), (long long)json_integer_value(ran));
    } else if (json_is_true(json_object_get(document, "test_failed"))) {
        set_outcome(ended, KG__WRONG,
                    "%s reports that it failed, which neither the exit code nor PASS_REGEX shows: "
                    "have main() return its result",
                    kg__json_text(document, "framework"));
        add_output(ended);
    } else if (json_is_true(json_object_get(document, "needs_kernels")) &&
               json_object_size(json_object_get(document, "records")) == 0) {
        set_outcome(
            ended, KG__ERROR,
            "it launched no kernel, so nothing was checked: give it ARGS with which it does");
    } else if (*kg__json_text(document, "failed") != '\0') {
        set_outcome(ended, KG__WRONG, "a kernel failed with %s", kg__json_text(document, "failed"));
        add_output(ended);
    }
}

/* Adds defects of the host's code, for which findings have no kind. */
static void add_others(outcome *ended, const json_t *others)
{
    const json_t *other;
    size_t i;

    json_array_foreach (others, i, other) {
        const char *text = kg__json_text(other, "text");

        set_place(ended, other);
        kg__append(ended->why, sizeof ended->why, "%s%s", ended->why[0] != '\0' ? "; " : "", text);
        ended->verdict = kg__worse(ended->verdict, KG__WRONG);
    }
}

static const char *name_source(const char *home, const char *file)
{
    return file != NULL ? kg__source_name(home, file) : NULL;
}

static void name_sources(const char *home, kg__finding *finding)
{
    finding->by.file = name_source(home, finding->by.file);
    finding->other.file = name_source(home, finding->other.file);
    for (size_t i = 0; i < finding->call_count; i++)
        finding->calls[i].file = name_source(home, finding->calls[i].file);
}

kg__case_result *kg__run_outcome(kg__pool *pool, json_t *document)
{
    json_t *run = json_object_get(document, "run");
    outcome ended = { .pool = pool, .run = run, .home = kg__json_text(document, "home") };
    char why[2 * KG__MESSAGE_SIZE] = "";
    kg__findings findings = { 0 };
    kg__error error = { "" };
    kg__case_result *result;

    if (!kg__findings_read(document, pool, &findings, &error))
        set_outcome(&ended, KG__ERROR, "%s", error.text);
    ended.says_output = findings.count == 0;
    if (json_object_get(run, "signal") != NULL || json_object_get(run, "hung_after") != NULL)
        judge_end(&ended, json_object_get(document, "ended"));
    else
        judge_exit(&ended, json_object_get(document, "pass_regex"));
    if (ended.verdict == KG__PASS)
        judge_report(&ended, document);
    add_others(&ended, json_object_get(document, "other"));
    for (size_t i = 0; i < findings.count; i++)
        name_sources(ended.home, &findings.list[i]);
    if (findings.count > 0) {
        ended.verdict = kg__worse(ended.verdict, KG__WRONG);
        kg__findings_text(&findings, why, KG__MESSAGE_SIZE);
        if (ended.why[0] != '\0')
            kg__append(why, sizeof why, "; ");
    }
    kg__append(why, sizeof why, "%s", ended.why);
    result = kg__case_result_make(pool, kg__json_text(document, "case"), "", "check", ended.verdict,
                                  why);
    result->findings = findings;
    if (findings.count > 0 && ended.why[0] != '\0')
        result->also = kg__pool_text(pool, ended.why);
    if (ended.verdict == KG__PASS || findings.count > 0)
        return result;
    if (ended.file == NULL && *kg__json_text(document, "source") != '\0')
        ended.file = kg__json_text(document, "source");
    result->at_file = ended.file;
    result->at_line = ended.line;
    return result;
}
