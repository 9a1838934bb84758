#include "tests/fakes/fake_runs.h"
#include "base/json.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "records/records.h"
#include "results/time_result.h"

void begin_fake_runs(void)
{
    make_folder();
    set_fake_surroundings();
    cr_assert(mkdir(at("baselines"), 0777) == 0);
    set("KG_BASELINES", at("baselines"));
    set("KG_FILTER", "fake/plain/*,fake/quick/*");
    begin_fake_baselines();
}

void end_fake_runs(void)
{
    end_fake_baselines();
    remove_folder();
}

ending run(const char *program, const char *option)
{
    const char *const arguments[] = { program, option, NULL };

    return drive(arguments, environment);
}

void expect_run(const char *program, const char *option, int code, const char *line)
{
    expect_drive((const char *const[]){ program, option, NULL }, code, line);
}

void expect_check(int code, const char *line)
{
    expect_run(KG__FAKE_MODEL, "--filter=fake/check", code, line);
}

void expect_time(int code, const char *line)
{
    expect_run(KG__FAKE_GPU, "--filter=fake/time", code, line);
}

const json_t *find_entry(const json_t *document, const char *id)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(document, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "case"), id) == 0)
            return entry;
    }
    return NULL;
}

json_t *verdicts_of(const char *test)
{
    char name[128];

    kg__format(name, sizeof name, "out/records/%s.verdicts.json", test);
    return read_json(at(name));
}

size_t size_of(const json_t *verdicts, const char *list)
{
    return json_array_size(json_object_get(verdicts, list));
}

void expect_case(const char *test, const char *id, const char *verdict, const char *why)
{
    json_t *verdicts = verdicts_of(test);
    const json_t *entry = find_entry(verdicts, id);

    cr_assert(entry != NULL, "%s: %s is not there", test, id);
    cr_assert(strcmp(kg__json_text(entry, "verdict"), verdict) == 0, "%s: %s (%s)", id,
              kg__json_text(entry, "verdict"), kg__json_text(entry, "why"));
    cr_assert(strstr(kg__json_text(entry, "why"), why) != NULL, "%s: %s", id,
              kg__json_text(entry, "why"));
    json_decref(verdicts);
}

size_t count_cases(const char *test, const char *verdict)
{
    json_t *verdicts = verdicts_of(test);
    size_t count = 0;
    size_t i;
    json_t *entry;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry)
        count += strcmp(kg__json_text(entry, "verdict"), verdict) == 0;
    json_decref(verdicts);
    return count;
}

void expect_skip(const char *test, const char *by, const char *why)
{
    json_t *verdicts = verdicts_of(test);

    cr_assert(strcmp(kg__json_text(verdicts, "skipped_by"), by) == 0, "%s, expected %s",
              kg__json_text(verdicts, "skipped_by"), by);
    cr_assert(strstr(kg__json_text(verdicts, "skipped"), why) != NULL, "%s",
              kg__json_text(verdicts, "skipped"));
    cr_assert(json_is_true(json_object_get(verdicts, "complete")));
    json_decref(verdicts);
}

void plan_counts(const char *text)
{
    write_text(at("count_plan"), text);
    (void)unlink(at("count_log"));
}

/* How many processes a log counts, a line each; none where it is not there. */
static size_t processes_in(const char *log)
{
    char *text;
    size_t count;

    if (!exists(at(log)))
        return 0;
    text = read_text(at(log));
    count = occurrences(text, "\n");
    free(text);
    return count;
}

size_t instrumented_processes(void)
{
    return processes_in("count_log");
}

void plan(const char *text)
{
    write_text(at("plan"), text);
    (void)unlink(at("log"));
}

size_t processes(void)
{
    return processes_in("log");
}

void expect_mishaps(const fake_part *part, const mishap *mishaps, size_t number, size_t passing)
{
    set("KG_CASE_TIMEOUT", "1");
    for (size_t i = 0; i < number; i++) {
        const mishap *one = &mishaps[i];
        char text[64];

        kg__format(text, sizeof text, "* " SLOW " %s\n", one->event);
        part->plan(text);
        part->expect(one->code, one->why);
        expect_case(part->test, SLOW, one->verdict, one->why);
        cr_assert(count_cases(part->test, "pass") == passing, "%s", one->event);
        cr_assert(part->observers() == one->observers, "%s: %zu observers", one->event,
                  part->observers());
    }
}

void expect_merge(int code, const char *line)
{
    expect_drive((const char *const[]){ KG__COMMAND, "results", NULL }, code, line);
}

json_t *merged_results(int code)
{
    expect_merge(code, NULL);
    return read_json(at("out/results.json"));
}

const char *lone_program(void)
{
    static char path[512];
    char command[1200];

    kg__format(path, sizeof path, "%s", at("lone.model"));
    kg__format(command, sizeof command, "cp '%s' '%s'", KG__FAKE_MODEL, path);
    cr_assert(system(command) == 0);
    return path;
}

void expect_count(int code, const char *line)
{
    expect_run(KG__FAKE_MODEL, "--filter=fake/count", code, line);
}
