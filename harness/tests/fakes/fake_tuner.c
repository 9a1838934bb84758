/* A comparison's program as `kernelgate tune` sees it, on a script: PROGRAM.json beside it.
 *
 * {"exit": N,                 --candidates ends so, and prints nothing
 *  "unavailable": true,       observers find no device
 *  "candidates": {...},       what --candidates prints; its cases are those of --cases
 *  "records": [{...}, ...]}   what observers append, in this order: those of cases that were asked
 *                             for, and those of none. A member "part" restricts one to that part,
 *                             "pause_ms" is a time before it, "crash" true is the process's end.
 *
 * Part check finds every case right that no record is of. Each observer adds a line to PROGRAM.log:
 * its part, the settings KG_TUNE_MODE and KG_TUNE_PRECISION, and how many cases it has. */
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "judge/judge.h"
#include "records/records.h"

static json_t *load_script(const char *program)
{
    char path[1024];
    json_error_t error;
    json_t *script;

    kg__format(path, sizeof path, "%s.json", program);
    script = json_load_file(path, 0, &error);
    if (script == NULL) {
        kg__complain("%s:%d: %s", path, error.line, error.text);
        exit(KG__EXIT_ERROR);
    }
    return script;
}

static int print_candidates(const json_t *script)
{
    if (json_object_get(script, "exit") != NULL) {
        kg__complain("no GPU: this one is a fake");
        return (int)json_integer_value(json_object_get(script, "exit"));
    }
    return json_dumpf(json_object_get(script, "candidates"), stdout, JSON_INDENT(1)) == 0
               ? KG__EXIT_PASS
               : KG__EXIT_ERROR;
}

/* The same cases of any part, a line each. */
static int print_cases(const json_t *script)
{
    const json_t *id;
    size_t i;

    json_array_foreach (json_object_get(json_object_get(script, "candidates"), "cases"), i, id)
        puts(json_string_value(id));
    return KG__EXIT_PASS;
}

static void log_start(const char *program, const char *part, size_t count)
{
    const char *mode = getenv("KG_TUNE_MODE");
    const char *precision = getenv("KG_TUNE_PRECISION");
    char path[1024];
    FILE *log;

    kg__format(path, sizeof path, "%s.log", program);
    log = fopen(path, "a");
    if (log == NULL)
        exit(KG__EXIT_ERROR);
    fprintf(log, "%s %s %s %zu\n", part, mode != NULL ? mode : "-",
            precision != NULL ? precision : "-", count);
    fclose(log);
}

static void append(int file, json_t *record)
{
    kg__error error = { "" };

    if (kg__record_append(file, record, &error))
        return;
    kg__complain("%s", error.text);
    exit(KG__EXIT_ERROR);
}

static bool is_listed(const kg__listing *cases, const char *id)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (strcmp(cases->lines[i], id) == 0)
            return true;
    }
    return false;
}

/* Appends one record of the script, where it is due. */
static void play(int file, const json_t *record, const char *part, const kg__listing *cases)
{
    const char *id = kg__json_text(record, "case");
    const char *only = kg__json_text(record, "part");
    json_int_t pause = json_integer_value(json_object_get(record, "pause_ms"));
    struct timespec time = { pause / 1000, pause % 1000 * 1000000 };
    json_t *copy;

    if ((*id != '\0' && !is_listed(cases, id)) || (*only != '\0' && strcmp(only, part) != 0))
        return;
    if (pause > 0)
        nanosleep(&time, NULL);
    if (json_is_true(json_object_get(record, "crash"))) {
        append(file, json_pack("{s:s, s:s}", "event", "start", "case", id));
        _exit(9);
    }
    copy = json_deep_copy(record);
    json_object_del(copy, "part");
    json_object_del(copy, "pause_ms");
    append(file, copy);
}

/* Finds right what the script has no say in. */
static void check_rest(int file, const json_t *records, const kg__listing *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        const json_t *record;
        bool scripted = false;
        size_t j;

        json_array_foreach (records, j, record)
            scripted = scripted || (strcmp(kg__json_text(record, "case"), cases->lines[i]) == 0 &&
                                    strcmp(kg__json_text(record, "part"), "check") == 0);
        if (!scripted)
            append(file, json_pack("{s:s, s:s, s:b}", "event", "checked", "case", cases->lines[i],
                                   "right", 1));
    }
}

static int observe(const char *program, const json_t *script, char *const *argv)
{
    const char *const arguments[] = { "/bin/cat", argv[2], NULL };
    const char *part = argv[4];
    int file = open(argv[6], O_WRONLY | O_APPEND | O_CLOEXEC);
    const json_t *records = json_object_get(script, "records");
    const json_t *record;
    kg__listing cases;
    size_t i;

    if (file < 0 || kg__child_lines(arguments, 30, &cases) != 0)
        return KG__EXIT_ERROR;
    log_start(program, part, cases.count);
    if (json_object_get(script, "unavailable") != NULL) {
        append(file, json_pack("{s:s, s:s}", "event", "unavailable", "why", "the GPU is gone"));
        return KG__EXIT_NOTHING;
    }
    append(file, json_pack("{s:s, s:O, s:{s:s}}", "event", "target", "target",
                           json_object_get(json_object_get(script, "candidates"), "target"),
                           "provenance", "driver", "1.2.3"));
    json_array_foreach (records, i, record)
        play(file, record, part, &cases);
    if (strcmp(part, "check") == 0)
        check_rest(file, records, &cases);
    append(file, json_pack("{s:s}", "event", "done"));
    kg__listing_free(&cases);
    close(file);
    return KG__EXIT_PASS;
}

int main(int argc, char **argv)
{
    json_t *script = load_script(argv[0]);
    int code = KG__EXIT_ERROR;

    if (argc == 2 && strcmp(argv[1], "--candidates") == 0)
        code = print_candidates(script);
    else if (argc == 3 && strcmp(argv[1], "--cases") == 0)
        code = print_cases(script);
    else if (argc == 7 && strcmp(argv[1], "--observe") == 0)
        code = observe(argv[0], script, argv);
    json_decref(script);
    return code;
}
