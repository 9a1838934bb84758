/* Part tune from end to end: the real search of a GPU's program, on a GPU and a clock that are not
 * there. Sizes 64, at which some variants misbehave with 32 threads per block, and 1048576. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "gate/spawn_observer.h"
#include "records/records.h"
#include "tests/fakes/drive.h"

/* The records of a tuning, the error that ended it, and its candidates' ids. */
typedef struct outcome {
    json_t *records;
    kg__observation_status status;
    kg__error why;
} outcome;

static void begin(void)
{
    make_folder();
    setenv("KG_LOCK_DIR", at(""), 1);
    setenv("FAKE_LOG", at("log"), 1);
    setenv("FAKE_PLAN", at("plan"), 1);
    write_text(at("plan"), "");
}

TestSuite(tuning, .init = begin, .fini = remove_folder, .timeout = 110);

static void keep(void *context, const kg__observation *observation)
{
    json_array_append_new(context, json_deep_copy(observation->record));
}

/* Beyond what a busy machine takes for a step. */
static double silence_limit = 30;

static outcome observe(const char *const *ids, size_t count)
{
    outcome seen = { .records = json_array() };
    kg__observation_job job = { .program = KG__FAKE_TUNED_GPU,
                                .part = "tune",
                                .cases = ids,
                                .case_count = count,
                                .records = at("tune"),
                                .silence_limit = silence_limit,
                                .on_observation = keep,
                                .context = seen.records };

    seen.status = kg__observe_cases(&job, &seen.why);
    return seen;
}

/* Tunes all candidates that `filter` lets through. */
static outcome tune(const char *filter)
{
    const char *const arguments[] = { KG__FAKE_TUNED_GPU, "--candidates", NULL };
    ending listed;
    json_t *document;
    const json_t *list;
    const char *size;
    json_t *work;
    const char **ids;
    outcome seen;

    set("KG_FILTER", filter);
    listed = drive(arguments, environment);
    cr_assert(listed.code == 0, "%s", listed.output);
    document = json_loads(listed.output, 0, NULL);
    cr_assert(document != NULL, "%s", listed.output);
    list = json_object_get(document, "cases");
    cr_assert(json_array_size(list) > 0, "%s lets nothing through", filter);
    cr_assert(json_object_size(json_object_get(document, "work")) > 0, "%s", listed.output);
    json_object_foreach (json_object_get(document, "work"), size, work)
        cr_assert(kg__json_number(work, "operations") == atoi(size) &&
                      kg__json_number(work, "bytes") == 8 * atoi(size),
                  "%s: %s", size, listed.output);
    ids = kg__allocate(json_array_size(list), sizeof *ids);
    for (size_t i = 0; i < json_array_size(list); i++)
        ids[i] = json_string_value(json_array_get(list, i));
    seen = observe(ids, json_array_size(list));
    free(ids);
    json_decref(document);
    free(listed.output);
    return seen;
}

/* A tuning that comes to its end. */
static json_t *tuned(const char *filter)
{
    outcome seen = tune(filter);

    cr_assert(seen.status == KG__OBSERVED, "%s", seen.why.text);
    return seen.records;
}

/* The record of an event and a case, borrowed; NULL where there is none, and the last of many. */
static const json_t *record_of(const json_t *records, const char *event, const char *id)
{
    const json_t *found = NULL;
    const json_t *record;
    size_t i;

    json_array_foreach (records, i, record) {
        if (strcmp(kg__json_text(record, "event"), event) == 0 &&
            strcmp(kg__json_text(record, "case"), id) == 0)
            found = record;
    }
    return found;
}

static size_t count_of(const json_t *records, const char *event, const char *id)
{
    const json_t *record;
    size_t count = 0;
    size_t i;

    json_array_foreach (records, i, record)
        count += strcmp(kg__json_text(record, "event"), event) == 0 &&
                 (id == NULL || strcmp(kg__json_text(record, "case"), id) == 0);
    return count;
}

/* A member of what was measured of a case. */
static const json_t *measured(const json_t *records, const char *id, const char *member)
{
    const json_t *record = record_of(records, "measured", id);

    cr_assert(record != NULL, "%s was not measured", id);
    return json_object_get(record, member);
}

static const json_t *final_of(const json_t *records, const char *id)
{
    return measured(records, id, "final");
}

static size_t samples_of(const json_t *records, const char *id)
{
    return json_array_size(json_object_get(final_of(records, id), "samples_ns"));
}

static bool was_dropped(const json_t *records, const char *id)
{
    return measured(records, id, "dropped_in_round") != NULL;
}

static void expect_why(const json_t *record, const char *text)
{
    cr_assert(record != NULL, "a record that says \"%s\" is missing", text);
    cr_expect(strstr(kg__json_text(record, "why"), text) != NULL, "\"%s\" is not in \"%s\"", text,
              kg__json_text(record, "why"));
}

/* The best by time of each variant meet in the final, and so do the best by occupancy; their
 * samples belong together. */
Test(tuning, the_best_of_each_variant_meet)
{
    json_t *records;
    const json_t *plain;
    const json_t *full;

    write_text(at("plan"), "* fake/*/b128 occupancy 1\n"
                           "* fake/plain/*/b96 occupancy 1\n");
    records = tuned("fake/plain/64/*,fake/quick/64/*");
    cr_expect(count_of(records, "measured", NULL) == 8);
    plain = final_of(records, "fake/plain/64/b64");
    cr_assert(plain != NULL && final_of(records, "fake/quick/64/b64") != NULL);
    cr_expect(fabs(kg__json_number(plain, "value") / 10000 - 1) < 0.01);
    cr_expect(kg__json_number(plain, "low") <= kg__json_number(plain, "value"));
    cr_expect(kg__json_number(plain, "high") >= kg__json_number(plain, "value"));
    full = final_of(records, "fake/plain/64/b96");
    cr_expect(full != NULL, "of equal occupancy the faster one");
    cr_expect(final_of(records, "fake/plain/64/b128") == NULL);
    cr_expect(final_of(records, "fake/quick/64/b128") != NULL);
    cr_expect(final_of(records, "fake/quick/64/b32") == NULL);
    cr_expect(was_dropped(records, "fake/plain/64/b96") &&
              !was_dropped(records, "fake/plain/64/b64"));
    cr_expect(samples_of(records, "fake/plain/64/b64") >= 12);
    cr_expect(samples_of(records, "fake/plain/64/b64") == samples_of(records, "fake/plain/64/b96"));
    full = record_of(records, "progress", "");
    cr_assert(full != NULL);
    cr_expect_str_eq(kg__json_text(full, "size"), "64");
    cr_expect(kg__json_number(full, "of") == 8 && kg__json_number(full, "seconds_left") >= 0);
    json_decref(records);
}

/* One that needs more samples keeps all the others in the final, so that each round is whole. */
Test(tuning, a_final_is_over_for_all_at_once)
{
    json_t *records;
    const json_t *plain;

    write_text(at("plan"), "* fake/plain/*/b64 width 0.1\n");
    records = tuned("fake/plain/64/b64,fake/quick/64/b64");
    plain = final_of(records, "fake/plain/64/b64");
    cr_expect(samples_of(records, "fake/plain/64/b64") > 12);
    cr_expect(samples_of(records, "fake/plain/64/b64") == samples_of(records, "fake/quick/64/b64"));
    cr_expect(kg__json_number(plain, "high") - kg__json_number(plain, "low") <=
              2 * 0.005 * kg__json_number(plain, "value"));
    json_decref(records);
}

Test(tuning, what_is_wrong_never_wins)
{
    static const char *const wrong[] = { "wrong", "nan", "unwritten", "overruns", "scribbles" };
    json_t *records;

    /* The wrong one would be the fastest. */
    write_text(at("plan"), "* fake/*/64/b32 hot 100\n");
    records = tuned("fake/wrong/64/*,fake/nan/64/*,fake/unwritten/64/*,fake/overruns/64/*,"
                    "fake/scribbles/64/*,fake/plain/64/b64");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char id[64];
        const json_t *record;

        kg__format(id, sizeof id, "fake/%s/64/b32", wrong[i]);
        record = record_of(records, "checked", id);
        cr_assert(record != NULL, "%s", id);
        cr_expect(json_is_false(json_object_get(record, "right")));
        cr_expect(record_of(records, "measured", id) == NULL);
        kg__format(id, sizeof id, "fake/%s/64/b64", wrong[i]);
        cr_expect(final_of(records, id) != NULL, "%s", id);
    }
    json_decref(records);
}

Test(tuning, what_the_device_does_not_take)
{
    json_t *records = tuned("fake/cannot/64/*");

    expect_why(record_of(records, "refused", "fake/cannot/64/b32"), "cudaErrorInvalidValue");
    cr_expect(count_of(records, "refused", NULL) == 3 && count_of(records, "measured", NULL) == 1);
    json_decref(records);
}

/* A crash, a hang and a lost device cost the candidate that they are due to. */
Test(tuning, one_that_ends_the_process)
{
    json_t *records;

    silence_limit = 3;
    records = tuned("fake/crashes/64/*,fake/hangs/64/*,fake/strays/64/*,fake/plain/64/*");

    expect_why(record_of(records, "failed", "fake/crashes/64/b32"), "crashed");
    expect_why(record_of(records, "failed", "fake/hangs/64/b32"), "hung");
    expect_why(record_of(records, "failed", "fake/strays/64/b32"), "cudaErrorIllegalAddress");
    cr_expect(count_of(records, "measured", NULL) == 13);
    cr_expect(final_of(records, "fake/crashes/64/b64") != NULL);
    json_decref(records);
}

Test(tuning, one_that_ends_while_it_is_timed)
{
    json_t *records;

    write_text(at("plan"), "* fake/quick/64/b32 crash\n* fake/quick/64/b96 quit\n"
                           "* fake/quick/64/b128 failed\n");
    records = tuned("fake/quick/64/*");
    expect_why(record_of(records, "failed", "fake/quick/64/b32"), "crashed");
    expect_why(record_of(records, "failed", "fake/quick/64/b128"), "as planned");
    cr_expect(record_of(records, "failed", "fake/quick/64/b96") != NULL);
    cr_expect(count_of(records, "measured", NULL) == 1);
    json_decref(records);
}

/* What a size came to is not done again by the process that goes on after a crash. */
Test(tuning, a_finished_size_stays)
{
    json_t *records;

    /* The first process tells the candidates. */
    write_text(at("plan"), "2 fake/quick/1048576/b96 crash\n");
    records = tuned("fake/quick/*");
    cr_expect(count_of(records, "failed", NULL) == 1);
    cr_expect(count_of(records, "measured", NULL) == 7);
    cr_expect(count_of(records, "start", "fake/quick/64/b32") == 1);
    cr_expect(count_of(records, "start", "fake/quick/1048576/b32") == 2);
    json_decref(records);
}

/* Where too few blocks are too slow, still fewer are not tried; but they are where the search is
 * exhaustive. 270336 threads run at a time. A case of this size is slow to check: few of them. */
Test(tuning, fewer_blocks_than_too_few)
{
    json_t *records;

    write_text(at("plan"), "* fake/wide/*/b64g32 hot 20000\n* fake/wide/*/b64g8 hot 10\n");
    records = tuned("fake/wide/1048576/b64g64,fake/wide/1048576/b64g32,fake/wide/1048576/b64g16,"
                    "fake/wide/1048576/b64g8");
    cr_expect(count_of(records, "measured", NULL) == 2);
    cr_expect(record_of(records, "measured", "fake/wide/1048576/b64g32") != NULL);
    cr_expect(record_of(records, "passed_over", "fake/wide/1048576/b64g16") != NULL);
    cr_expect(record_of(records, "passed_over", "fake/wide/1048576/b64g8") != NULL);
    cr_expect(record_of(records, "start", "fake/wide/1048576/b64g8") == NULL);
    json_decref(records);
    setenv("KG_TUNE_MODE", "exhaustive", 1);
    records = tuned("fake/wide/1048576/b64g32,fake/wide/1048576/b64g8");
    cr_expect(count_of(records, "passed_over", NULL) == 0);
    cr_expect(final_of(records, "fake/wide/1048576/b64g8") != NULL);
    json_decref(records);
}

/* Every candidate to the full precision, none dropped; one that is too slow for six samples has one
 * and no interval. */
Test(tuning, exhaustive)
{
    json_t *records;
    const json_t *slow;

    setenv("KG_TUNE_MODE", "exhaustive", 1);
    write_text(at("plan"), "* fake/plain/64/b32 hot 9e8\n");
    records = tuned("fake/plain/64/*,fake/quick/64/*");
    cr_expect(count_of(records, "measured", NULL) == 8);
    cr_expect(!was_dropped(records, "fake/plain/64/b32"));
    cr_expect(kg__json_number(
                  json_object_get(measured(records, "fake/plain/64/b96", "metrics"), "time_ns"),
                  "samples") >= 12);
    slow = json_object_get(measured(records, "fake/plain/64/b32", "metrics"), "time_ns");
    cr_expect(kg__json_number(slow, "samples") == 1);
    cr_expect(json_object_get(slow, "low") == NULL && kg__json_number(slow, "value") > 9e8);
    cr_expect(final_of(records, "fake/plain/64/b64") != NULL);
    json_decref(records);
}

/* The precision that was asked for decides how many samples there are. */
Test(tuning, precision)
{
    static const char *const precisions[] = { "0.05", "0.01" };
    size_t samples[2];

    write_text(at("plan"), "* fake/* width 0.1\n");
    for (size_t i = 0; i < 2; i++) {
        json_t *records;

        setenv("KG_TUNE_PRECISION", precisions[i], 1);
        records = tuned("fake/quick/64/b64");
        samples[i] = samples_of(records, "fake/quick/64/b64");
        json_decref(records);
    }
    cr_expect(samples[0] == 12 && samples[1] > 12, "%zu and %zu", samples[0], samples[1]);
}

Test(tuning, settings_and_cases_that_are_invalid)
{
    static const char *const valid[] = { "fake/quick/64/b64", "fake/quick/64/b32" };
    static const char *const twice[] = { "fake/quick/64/b64", "fake/quick/64/b64" };
    static const char *const unknown[] = { "fake/quick/64/b64", "fake/quick/65/b64" };
    static const struct {
        const char *mode;
        const char *precision;
        const char *const *ids;
        const char *why;
    } rows[] = {
        { "thorough", "0.05", valid, "KG_TUNE_MODE=thorough" },
        { "race", "0", valid, "KG_TUNE_PRECISION=0" },
        { "race", "1", valid, "KG_TUNE_PRECISION=1" },
        { "race", "0.005x", valid, "KG_TUNE_PRECISION=0.005x" },
        { "race", "nan", valid, "KG_TUNE_PRECISION=nan" },
        { "race", "0.05", twice, "" },
        { "race", "0.05", unknown, "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outcome seen;

        setenv("KG_TUNE_MODE", rows[i].mode, 1);
        setenv("KG_TUNE_PRECISION", rows[i].precision, 1);
        seen = observe(rows[i].ids, 2);
        cr_expect(seen.status == KG__UNOBSERVED, "%zu", i);
        cr_expect(strstr(seen.why.text, rows[i].why) != NULL, "%s", seen.why.text);
        json_decref(seen.records);
    }
}
