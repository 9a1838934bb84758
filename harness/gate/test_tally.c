#include "gate/test_tally.h"

#include <criterion/criterion.h>
#include <kernelgate/kernelgate.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/file.h"
#include "base/json.h"
#include "results/results.h"
#include "suite/settings.h"
#include "suite/table.h"

static kg__tally tally;
static size_t tests_run;
static size_t claims_held;

/* A test that ended, and the file of its verdicts. */
typedef struct ended_test {
    const struct criterion_test_stats *stats;
    char name[128];
    char path[KG__PATH_SIZE];
    json_t *verdicts;
} ended_test;

static ended_test begin(const struct criterion_test_stats *stats)
{
    ended_test test = { .stats = stats };

    kg__test_name(KG__TARGET_KIND, stats->test->category, stats->test->name, test.name,
                  sizeof test.name);
    kg__verdicts_path(kg__comparison->home, test.name, test.path, sizeof test.path);
    test.verdicts = kg__verdicts_load_json(test.path, NULL);
    tests_run++;
    return test;
}

static void add_error(const ended_test *test, const char *why)
{
    json_array_append_new(json_object_get(test->verdicts, "errors"), json_string(why));
}

static void write_verdicts(const ended_test *test)
{
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };

    kg__format_path(folder, sizeof folder, "%s", test->path);
    *strrchr(folder, '/') = '\0';
    if (kg__file_make_folder(folder, &error) &&
        kg__results_write_json(test->path, test->verdicts, 1, &error))
        return;
    kg__complain("%s", error.text);
    tally.broken++;
}

/* Suspects are settled after the run, and its results judge them: here they let their test pass. */
static void excuse_suspects(const json_t *verdicts, kg__tally *own)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry) {
        kg__verdict verdict;

        if (!json_is_true(json_object_get(entry, "suspect")) ||
            !kg__verdict_parse(kg__json_text(entry, "verdict"), &verdict))
            continue;
        own->verdicts[verdict]--;
        own->verdicts[KG__PASS]++;
    }
}

static bool failed(const struct criterion_test_stats *stats)
{
    return stats->test_status == CR_STATUS_FAILED || stats->crashed || stats->timed_out;
}

/* Makes the verdicts of a test that left none: of a part that could not write down what it found,
 * or of a suite's own test, which counts as a claim does. */
static void make_verdicts(ended_test *test)
{
    test->verdicts = kg__verdicts_make_json(test->name);
    if (test->stats->timed_out) {
        add_error(test, "overdue, and ended: see what it waits for");
    } else if (failed(test->stats) && kg__is_part(test->stats->test->name)) {
        add_error(test, "could not write down what it found: see its output");
    } else if (test->stats->test_status == CR_STATUS_SKIPPED) {
        json_object_set_new(test->verdicts, "skipped", json_string("the test skipped itself"));
        json_object_set_new(test->verdicts, "skipped_by", json_string("unavailable"));
    } else {
        json_array_append_new(
            json_object_get(test->verdicts, "claims"),
            json_pack("{s:s, s:b, s:s}", "claim", test->name, "holds", (int)!failed(test->stats),
                      "why",
                      failed(test->stats) ? "an assertion of it failed: see its output" : ""));
    }
}

static void add_tally(const kg__tally *own)
{
    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        tally.verdicts[verdict] += own->verdicts[verdict];
    tally.vanished += own->vanished;
    tally.failed_claims += own->failed_claims;
    tally.filtered_out += own->filtered_out;
    tally.unavailable += own->unavailable;
    tally.broken += own->broken;
}

static bool is_harmless(int exit_code)
{
    return exit_code == KG__EXIT_PASS || exit_code == KG__EXIT_NOTHING;
}

/* Writes down what the test's run came to, as the last that is written of it. One that was ended
 * before it was through is left as it is: its file says so. */
static void close_verdicts(const ended_test *test, const kg__tally *own)
{
    kg__tally alone = *own;

    if (!json_is_true(json_object_get(test->verdicts, "complete")))
        return;
    if (json_array_size(json_object_get(test->verdicts, "claims")) > 0)
        alone.verdicts[KG__PASS]++;
    json_object_set_new(test->verdicts, "exit_code",
                        json_integer(kg__exit_code(&alone, kg__is_strict())));
    write_verdicts(test);
}

void kg__test_tally_add(const struct criterion_test_stats *stats)
{
    ended_test test;
    kg__tally own = { 0 };

    if (stats->test_status == CR_STATUS_SKIPPED && stats->test->data->disabled)
        return;
    test = begin(stats);
    if (stats->timed_out)
        kg__complain("%s: overdue, and ended: see %s", test.name,
                     test.verdicts != NULL ? test.path : "what it waits for");
    if (test.verdicts == NULL)
        make_verdicts(&test);
    kg__verdicts_tally(test.verdicts, &own);
    excuse_suspects(test.verdicts, &own);
    /* A file that has nothing that fails is not the one of a test that did. */
    if (failed(stats) && is_harmless(kg__exit_code(&own, false))) {
        add_error(&test, "failed outside of what its verdicts hold: see its output");
        own.broken++;
    }
    close_verdicts(&test, &own);
    if (!failed(stats) && own.failed_claims == 0)
        claims_held += json_array_size(json_object_get(test.verdicts, "claims"));
    add_tally(&own);
    json_decref(test.verdicts);
}

void kg__test_tally_add_crash(const struct criterion_test_stats *stats)
{
    ended_test test = begin(stats);
    char why[KG__MESSAGE_SIZE];

    tally.broken++;
    kg__format(why, sizeof why,
               "crashed outside of any case: look for a table without its KG_END in suites/%s.c",
               kg__comparison->name);
    kg__complain("%s.%s: %s", stats->test->category, stats->test->name, why);
    if (test.verdicts == NULL) {
        kg__tally own = { .broken = 1 };

        test.verdicts = kg__verdicts_make_json(test.name);
        add_error(&test, why);
        close_verdicts(&test, &own);
    }
    json_decref(test.verdicts);
}

size_t kg__test_tally_count(void)
{
    return tests_run;
}

int kg__test_tally_exit_code(void)
{
    kg__tally all = tally;

    /* A claim that holds passes its own test, and does not judge what has no baseline. */
    if (all.verdicts[KG__NO_BASELINE] == 0)
        all.verdicts[KG__PASS] += claims_held;
    return kg__exit_code(&all, kg__is_strict());
}
