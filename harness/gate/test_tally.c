/* SPDX-License-Identifier: MIT */
#include "gate/test_tally.h"

#include <criterion/criterion.h>
#include <kernelgate/kernelgate.h>

#include "base/exit_code.h"
#include "results/verdicts.h"
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
    kg__pool pool;
    kg__verdicts *verdicts; /* NULL: it left none */
} ended_test;

/* `test` is to be freed by its pool. */
static void begin(ended_test *test, const struct criterion_test_stats *stats)
{
    *test = (ended_test){ .stats = stats };
    kg__test_name(KG__TARGET_KIND, stats->test->category, stats->test->name, test->name,
                  sizeof test->name);
    kg__verdicts_path(kg__comparison->home, test->name, test->path, sizeof test->path);
    test->verdicts = kg__verdicts_load(&test->pool, test->path, NULL);
    tests_run++;
}

static void add_error(ended_test *test, const char *why)
{
    kg__pool_add_text(&test->pool, &test->verdicts->errors, why);
}

/* Suspects are settled after the run, and its results judge them: here they let their test pass. */
static void excuse_suspects(const kg__verdicts *verdicts, kg__tally *own)
{
    for (size_t i = 0; i < verdicts->case_count; i++) {
        if (!verdicts->cases[i]->suspect)
            continue;
        own->verdicts[kg__case_result_counts_as(verdicts->cases[i])]--;
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
    bool has_failed = failed(test->stats);

    test->verdicts = kg__verdicts_make(&test->pool, test->name);
    if (test->stats->crashed)
        return;
    if (test->stats->timed_out) {
        add_error(test, "timed out, and was ended: see what it waits for");
    } else if (has_failed && kg__is_part(test->stats->test->name)) {
        add_error(test, "could not write down what it found: see its output");
    } else if (test->stats->test_status == CR_STATUS_SKIPPED) {
        test->verdicts->skipped = "the test skipped itself";
        test->verdicts->skipped_by = KG__SKIP_UNAVAILABLE;
    } else {
        kg__verdicts_add_claim(
            test->verdicts,
            &(kg__claim){ .claim = test->name,
                          .holds = !has_failed,
                          .why = has_failed ? "an assertion of it failed: see its output" : "" });
    }
}

/* Kernels run in observers, so that what crashed is the suite or the harness. */
static void add_crash(ended_test *test)
{
    char why[KG__MESSAGE_SIZE];

    kg__format(why, sizeof why,
               "crashed outside of any case: look for a table without its KG_END in suites/%s.c",
               kg__comparison->name);
    kg__complain("%s: %s", test->name, why);
    add_error(test, why);
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

/* Writes down what the test's run came to, as the last that is written of it. One that was ended
 * before it was through is left as it is: its file says so. */
static void close_verdicts(const ended_test *test, const kg__tally *own)
{
    kg__tally alone = *own;
    kg__error error = { "" };

    if (!test->verdicts->complete)
        return;
    if (test->verdicts->claim_count > 0)
        alone.verdicts[KG__PASS]++;
    test->verdicts->exit_code = kg__exit_code(&alone, kg__is_strict());
    if (kg__verdicts_save(test->verdicts, test->path, &error))
        return;
    kg__complain("%s", error.text);
    tally.broken++;
}

void kg__test_tally_add(const struct criterion_test_stats *stats)
{
    ended_test test;
    kg__tally own = { 0 };
    int code;

    if (stats->test_status == CR_STATUS_SKIPPED && stats->test->data->disabled)
        return;
    begin(&test, stats);
    if (stats->timed_out)
        kg__complain("%s: timed out, and was ended: see %s", test.name,
                     test.verdicts != NULL ? test.path : "what it waits for");
    if (test.verdicts == NULL)
        make_verdicts(&test);
    if (stats->crashed)
        add_crash(&test);
    kg__verdicts_tally(test.verdicts, &own);
    excuse_suspects(test.verdicts, &own);
    /* A file that has nothing that fails is not the one of a test that did. */
    code = kg__exit_code(&own, false);
    if (failed(stats) && (code == KG__EXIT_PASS || code == KG__EXIT_NOTHING)) {
        add_error(&test, "failed outside of what its verdicts hold: see its output");
        own.broken++;
    }
    close_verdicts(&test, &own);
    if (!failed(stats) && own.failed_claims == 0)
        claims_held += test.verdicts->claim_count;
    add_tally(&own);
    kg__pool_free(&test.pool);
}

int kg__test_tally_exit_code(void)
{
    kg__tally all = tally;

    if (tests_run == 0) {
        kg__complain("%s: the filter matches no test: see --list", kg__comparison->name);
        return KG__EXIT_ERROR;
    }
    /* A claim that holds passes its own test, and does not judge what has no baseline. */
    if (all.verdicts[KG__NO_BASELINE] == 0)
        all.verdicts[KG__PASS] += claims_held;
    return kg__exit_code(&all, kg__is_strict());
}
