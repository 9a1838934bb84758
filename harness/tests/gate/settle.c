/* SPDX-License-Identifier: MIT */
/* Settling: who is a suspect, and who judges it where no pair of base and head does. */
#include <criterion/criterion.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "records/records.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/fake_code.h"
#include "tests/fakes/made_baselines.h"
#include "tests/gate/settle_fixture.h"

TestSuite(settle, .init = begin_settle, .fini = end_settle, .timeout = 110);

Test(settle, what_tripped_is_a_suspect_and_fails_where_nobody_settles_it)
{
    json_t *results;
    const json_t *entry;
    size_t i;

    expect_suspects("* " SLOW " hot 10300\n",
                    "suspect      nvidia-fake  fake/plain/64/b32                 time_ns slower by "
                    "3.0 %");
    cr_assert(processes("head") == 2, "timed and identified, not confirmed");
    cr_assert(is_suspect(SLOW) && !is_suspect(OTHER));
    expect_case(SLOW, "slower", "slower by 3.0 %");
    expect_results(1, "1 suspect not settled against a base");
    results = read_json(at("out/results.json"));
    cr_assert(json_object_get(results, "base") == NULL, "nothing was held against it");
    json_array_foreach (json_object_get(results, "cases"), i, entry)
        cr_assert(json_object_get(entry, "first") == NULL, "records are no results");
    json_decref(results);
}

/* Whatever its one observation would be attributed to: pairs with a base are more precise. */
Test(settle, doubtful_trips_are_suspects_too)
{
    expect_suspects("* " SLOW " hot 10300 throttled\n", "suspect");
    expect_case(SLOW, "environment", "the GPU throttled");
    cr_assert(is_suspect(SLOW));
    expect_suspects("* " SLOW " hot 10300 width 0.05\n", "suspect");
    expect_case(SLOW, "noisy", "");
    cr_assert(is_suspect(SLOW));
    /* Not so what did not trip. */
    plan("head", "* " SLOW " width 0.05\n");
    expect_time(0, "noisy        nvidia-fake");
    cr_assert(!is_suspect(SLOW));
}

/* What the baseline has and the head no longer measures is an error, as slow or fast as the rest of
 * the case may be: no base settles that. */
Test(settle, an_error_is_no_suspect)
{
    static const char lost[] = "cold_time_ns is in the baseline and was not measured";

    plan("head", "* " SLOW " cold 0 hot 10300\n");
    expect_time(2, lost);
    cr_assert(!is_suspect(SLOW));
    expect_settle(NULL, NULL, 0, "no suspects");
    expect_case(SLOW, "error", lost);
    set("KG_PAIRED", "1");
    plan("head", "* " SLOW " cold 0\n");
    expect_time(2, lost);
    expect_settle(NULL, NULL, 0, "settled 3 of 3");
    expect_case(SLOW, "error", lost);
    expect_results(2, lost);
}

Test(settle, what_got_faster_is_confirmed_as_ever)
{
    expect_suspects("* " SLOW " hot 9000\n", "confirming   nvidia-fake  fake/plain/64/b32");
    cr_assert(processes("head") == 4);
    cr_assert(!is_suspect(SLOW));
    expect_case(SLOW, "faster", "");
    expect_settle(NULL, NULL, 0, "no suspects: nothing to settle");
}

Test(settle, a_case_that_the_base_has_not)
{
    json_t *document;

    build("base", "KG_FILTER='fake/quick/*'");
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    expect_settle(NULL, NULL, 0, "new: main has no such case");
    cr_assert(processes("head") == 4 && processes("base") == 0);
    expect_case(SLOW, "slower", "time_ns slower by 3.0 % (10 300 ns against 10 000 ns");
    cr_assert(strcmp(kg__json_text(entry_of(SLOW, &document), "note"),
                     "new: main has no such case") == 0);
    json_decref(document);
    /* The baseline's rule: the median of three. */
    expect_suspects("1 " SLOW " hot 10300\n", "suspect");
    expect_settle(NULL, NULL, 0, "settled 1 of 1");
    expect_case(SLOW, "pass", "");
}

/* Writes into the baseline, and into what the first observation left, that a case runs this code.
 */
static void fingerprint(const char *id, const char *text)
{
    kg__error error = { "" };
    kg__baseline baseline;
    const kg__kernel_code code = fake_code(-1, NAN, text);
    json_t *document;
    json_t *measured;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &baseline, &error) == KG__LOADED);
    set_baseline_code(kg__baseline_find(&baseline, id), &code);
    write_baseline(at("baselines/nvidia-fake.json"), &baseline);
    kg__baseline_free(&baseline);
    measured = json_object_get(json_object_get(entry_of(id, &document), "first"), "measured");
    cr_assert(json_object_set_new(json_object_get(measured, "kernel"), "fingerprint",
                                  json_string(text)) == 0);
    cr_assert(json_dump_file(document, at(VERDICTS), 0) == 0);
    json_decref(document);
}

/* Where the baseline judges, what is known of the first process's code holds of the others, as long
 * as they launch alike. */
Test(settle, the_baselines_own_code_judged_by_the_baseline)
{
    static const char *const plans[][2] = {
        { "* " SLOW " hot 10300 launch aa\n", "environment" },
        { "* " SLOW " hot 10300 launch bb\n1 " SLOW " launch aa\n", "slower" },
        { "* " SLOW " hot 10300\n1 " SLOW " launch aa\n", "slower" },
    };

    build("base", "KG_FILTER='fake/quick/*'");
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        expect_suspects(plans[i][0], "suspect");
        fingerprint(SLOW, "0123456789abcdef");
        /* Of three equal values the second is the median. */
        expect_settle(NULL, NULL, 0, "settled 1 of 1");
        expect_case(SLOW, plans[i][1], "slower by 3.0 %");
    }
}

/* The base's program is another one, or none. */
Test(settle, a_base_without_the_comparison)
{
    static const struct {
        const char *program; /* NULL: none */
        const char *line;
    } rows[] = {
        { "#!/bin/sh\n[ \"$1\" = --cases ] && echo " SLOW " || exit 3\n",
          "main cannot be measured: part time: " },
        { "#!/bin/sh\nexit 3\n", "main's program does not list its cases (exit code 3)" },
        { NULL, "new: main has no such comparison" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].program != NULL)
            write_text(at("base/fake.gpu"), rows[i].program);
        else
            (void)unlink(at("base/fake.gpu"));
        expect_suspects("* " SLOW " hot 10300\n", "suspect");
        expect_settle(NULL, NULL, 0, rows[i].line);
        expect_case(SLOW, "slower", "slower by 3.0 %");
    }
}

Test(settle, without_time_for_pairs_the_baseline_judges)
{
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    build("base", "sleep 1;");
    expect_settle("--seconds", "8", 0, "there is no time for 12 pairs within 8 s (a pair takes ");
    expect_case(SLOW, "slower", "time_ns slower by 3.0 % (10 300 ns against 10 000 ns");
    cr_assert(processes("head") == 4 && processes("base") == 1, "%zu and %zu", processes("head"),
              processes("base"));
}

Test(settle, without_any_time_the_first_verdict_stands)
{
    expect_suspects("1 " SLOW " hot 10300\n", "suspect");
    build("base", "sleep 0.6;");
    expect_settle("--seconds", "0.4", 0, "no time for two more observations: its first one counts");
    expect_case(SLOW, "slower", "slower by 3.0 %");
    cr_assert(!is_suspect(SLOW));
}

static bool is_held(void)
{
    char *text = exists(at("out/run.lock")) ? read_text(at("out/run.lock")) : NULL;
    bool held = text != NULL && *text != '\0';

    free(text);
    return held;
}

Test(settle, an_interrupted_settling_leaves_whole_verdicts)
{
    const char *const arguments[] = { KG__COMMAND, "settle",   "--base", at("base"),
                                      "--head",    at("head"), NULL };
    pid_t process;
    int status;

    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    build("base", "sleep 0.2;");
    set("PATH", getenv("PATH")); /* drive() adds what the test has, this does not */
    cr_assert(posix_spawn(&process, KG__COMMAND, NULL, NULL, (char *const *)arguments,
                          (char *const *)environment) == 0);
    for (int i = 0; i < 300 && !is_held(); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    /* Meanwhile nobody else does. */
    expect_settle(NULL, NULL, 2, "held by kernelgate, process ");
    cr_assert(kill(process, SIGKILL) == 0);
    cr_assert(waitpid(process, &status, 0) == process);
    cr_assert(is_suspect(SLOW), "who is not settled is a suspect still");
    expect_results(1, "slower");
    build("base", "");
    expect_settle(NULL, NULL, 0, "settled 1 of 1");
}

Test(settle, what_it_is_told_wrongly)
{
    static const char *const tries[][2] = {
        { "--seconds", "0" }, { "--seconds", "nan" }, { "--base", "/no" }, { "--out", "/no" }
    };

    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        expect_settle(tries[i][0], tries[i][1], 2, tries[i][1]);
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    expect_settle("--base", at("head/../head"), 2, "name the folders of two builds");
    cr_assert(is_suspect(SLOW));
}

Test(settle, prints_a_document_of_what_no_pair_judges)
{
    const json_t *suspect;
    json_t *document;

    build("base", "KG_FILTER='fake/quick/*'");
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    document = settle_as_json(NULL, NULL, 0, NULL);
    suspect = ENTRY(document, "suspects", "case", SLOW, "verdict", "slower", "judged_by",
                    "baseline", "note", "new: main has no such case");
    cr_expect(json_object_get(suspect, "pairs") == NULL);
    json_decref(document);
    build("base", "");
    expect_suspects("* " SLOW " hot 10300\n3 " SLOW " wrong\n", "suspect");
    document = settle_as_json(NULL, NULL, 0, NULL);
    (void)ENTRY(document, "suspects", "case", SLOW, "verdict", "wrong", "judged_by", "observation");
    json_decref(document);
}

/* Verdicts of another version or changed by hand, or no program of this build: nothing passes. */
Test(settle, nothing_is_settled)
{
    const json_t *suspect;
    json_t *document;

    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    (void)json_object_del(entry_of(SLOW, &document), "first");
    cr_assert(json_dump_file(document, at(VERDICTS), 0) == 0);
    json_decref(document);
    expect_settle(NULL, NULL, 2, SLOW ": a suspect without its first observation");
    cr_assert(is_suspect(SLOW));
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    (void)unlink(at("head/fake.gpu"));
    document = settle_as_json(NULL, NULL, 2, NULL);
    suspect = ENTRY(document, "suspects", "case", SLOW);
    cr_expect(json_is_false(json_object_get(suspect, "settled")) &&
              json_object_get(suspect, "verdict") == NULL);
    cr_expect(figure(document, "settled") == 0 && figure(document, "exit_code") == 2);
    json_decref(document);
    expect_settle(NULL, NULL, 2, "build it again");
    cr_assert(is_suspect(SLOW));
    expect_results(1, "slower");
    write_text(at(VERDICTS), "{\"schema\": \"kernelgate-verdicts/9\"}");
    expect_settle(NULL, NULL, 2, "its schema is \"kernelgate-verdicts/9\"");
}
