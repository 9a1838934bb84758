/* SPDX-License-Identifier: MIT */
#include "tests/gate/settle_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/message.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/fake_baselines.h"

void plan(const char *side, const char *text)
{
    char name[32];

    kg__format(name, sizeof name, "%s_plan", side);
    write_text(at(name), text);
    kg__format(name, sizeof name, "%s_log", side);
    (void)unlink(at(name));
}

void build(const char *side, const char *before)
{
    char text[4096];
    char name[64];

    (void)mkdir(at(side), 0777);
    (void)snprintf(text, sizeof text,
                   "#!/bin/sh\n"
                   "%s FAKE_PLAN='%s/%s_plan' FAKE_LOG='%s/%s_log' exec '%s' \"$@\"\n",
                   before, at(""), side, at(""), side, KG__FAKE_GPU);
    kg__format(name, sizeof name, "%s/fake.gpu", side);
    write_text(at(name), text);
    cr_assert(chmod(at(name), 0777) == 0);
    plan(side, "");
}

void begin_settle(void)
{
    make_folder();
    cr_assert(mkdir(at("baselines"), 0777) == 0);
    begin_fake_baselines();
    store_baseline();
    build("base", "");
    build("head", "");
    set("KG_OUT", at("out"));
    set("KG_BASELINES", at("baselines"));
    set("KG_LOCK_DIR", at(""));
    set("KG_CASE_TIMEOUT", "20");
    set("KG_FILTER", "fake/plain/*,fake/quick/*");
    set("KG_BASE", at("base"));
}

void end_settle(void)
{
    end_fake_baselines();
    remove_folder();
}

void expect_time(int code, const char *line)
{
    const char *const arguments[] = { at("head/fake.gpu"), "--filter=fake/time", NULL };

    expect_drive(arguments, code, line);
}

void expect_suspects(const char *head_plan, const char *line)
{
    plan("head", head_plan);
    expect_time(0, line);
}

void expect_settle(const char *option, const char *value, int code, const char *line)
{
    const char *const usual[][2] = { { "--base", at("base") },
                                     { "--head", at("head") },
                                     { "--ref", "main" } };
    const char *arguments[11] = { KG__COMMAND, "settle", option, value };
    size_t count = option != NULL ? 4 : 2;
    ending result;

    /* An option that is given twice is refused. */
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (option == NULL || strcmp(option, usual[i][0]) != 0) {
            arguments[count++] = usual[i][0];
            arguments[count++] = usual[i][1];
        }
    result = drive(arguments, environment);

    expect_ending(&result, code, line);
    free(result.output);
}

void expect_results(int code, const char *line)
{
    const char *const arguments[] = { KG__COMMAND, "results", "--verbose", NULL };
    ending result = drive(arguments, environment);

    expect_ending(&result, code, line);
    free(result.output);
}

json_t *entry_of(const char *id, json_t **document)
{
    size_t i;
    json_t *entry;

    *document = read_json(at(VERDICTS));
    json_array_foreach (json_object_get(*document, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "case"), id) == 0)
            return entry;
    }
    cr_assert_fail("%s is not in the verdicts", id);
    return NULL;
}

void expect_case(const char *id, const char *verdict, const char *why)
{
    json_t *document;
    json_t *entry = entry_of(id, &document);

    cr_assert(strcmp(kg__json_text(entry, "verdict"), verdict) == 0, "%s: %s (%s)", id,
              kg__json_text(entry, "verdict"), kg__json_text(entry, "why"));
    cr_assert(strstr(kg__json_text(entry, "why"), why) != NULL, "%s: %s", id,
              kg__json_text(entry, "why"));
    json_decref(document);
}

bool is_suspect(const char *id)
{
    json_t *document;
    const json_t *mark = json_object_get(entry_of(id, &document), "suspect");
    bool suspect = json_is_true(mark);

    json_decref(document);
    return suspect;
}

size_t processes(const char *side)
{
    char name[32];
    char *text;
    size_t count;

    kg__format(name, sizeof name, "%s_log", side);
    if (!exists(at(name)))
        return 0;
    text = read_text(at(name));
    count = occurrences(text, "\n");
    free(text);
    return count;
}

json_t *settle_as_json(const char *option, const char *value, int code, char **complaints)
{
    const char *const arguments[] = { KG__COMMAND, "settle", "--json",   "--base",
                                      at("base"),  "--head", at("head"), "--ref",
                                      "main",      option,   value,      NULL };

    return drive_document(arguments, environment, code, complaints);
}

double figure(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    cr_assert(json_is_number(value), "%s", key);
    return json_number_value(value);
}
