/* The document that `kernelgate baseline record --json` prints, of a GPU that is not there and of
 * the CPU model. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

#define SLOW "fake/plain/64/b32"

static void begin(void)
{
    make_folder();
    set_fake_surroundings();
}

TestSuite(recorded, .init = begin, .fini = remove_folder, .timeout = 60);

static json_t *record(const char *program, const char *option, int code, char **complaints)
{
    const char *const arguments[] = { KG__COMMAND, "baseline", "record", "--baselines",
                                      at("b"),     "--commit", "abc",    "--json",
                                      program,     option,     NULL };

    (void)unlink(at("log"));
    (void)unlink(at("count_log"));
    return drive_document(arguments, environment, code, complaints);
}

static double figure(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static size_t length(const json_t *object, const char *key)
{
    return json_array_size(json_object_get(object, key));
}

Test(recorded, a_first_recording)
{
    char *complaints;
    json_t *document = record(KG__FAKE_SOUND_GPU, NULL, 0, &complaints);
    const json_t *change;

    cr_assert(strstr(complaints, "session 5 of 5\n") != NULL &&
                  strstr(complaints, "6 of 6 cases and sentinels changed") != NULL,
              "%s", complaints);
    free(complaints);
    cr_expect(is_true(document, "written") && !is_true(document, "merge"));
    cr_expect(figure(document, "sessions") == 5 && figure(document, "changed") == 6 &&
              figure(document, "looked_at") == 6);
    cr_expect_str_eq(json_string_value(json_object_get(document, "file")),
                     at("b/nvidia-fake.json"));
    cr_expect_str_eq(json_string_value(json_object_get(document, "commit")), "abc");
    change = ENTRY(document, "changes", "case", SLOW, "metric", "cold_time_ns", "kind", "new");
    cr_expect(figure(change, "new") == 12000 && figure(change, "band") == 0.02 &&
              figure(change, "sessions") == 5 && is_true(change, "gated"));
    cr_expect(json_object_get(change, "old") == NULL);
    change = ENTRY(document, "changes", "case", SLOW, "kind", "code");
    cr_expect_str_eq(json_string_value(json_array_get(json_object_get(change, "notes"), 0)),
                     "recorded");
    cr_expect(figure(ENTRY(document, "sentinels", "case", "fma"), "new") == 200000);
    json_decref(document);
}

Test(recorded, what_moved_and_what_did_not)
{
    json_t *document = record(KG__FAKE_SOUND_GPU, NULL, 0, NULL);
    const json_t *change;

    json_decref(document);
    document = record(KG__FAKE_SOUND_GPU, NULL, 0, NULL);
    cr_expect(!is_true(document, "written") && figure(document, "changed") == 0 &&
              length(document, "changes") == 0 && length(document, "sentinels") == 0);
    json_decref(document);
    write_text(at("plan"), "* " SLOW " hot 11000\n* copy hot 104000\n");
    document = record(KG__FAKE_SOUND_GPU, NULL, 0, NULL);
    cr_expect(is_true(document, "written") && length(document, "changes") == 1);
    change = ENTRY(document, "changes", "case", SLOW, "metric", "time_ns", "kind", "moved");
    cr_expect(figure(change, "old") == 10000 && figure(change, "new") == 11000 &&
              fabs(figure(change, "change") - 0.1) < 1e-9);
    change = ENTRY(document, "sentinels", "case", "copy", "kind", "moved");
    cr_expect(figure(change, "old") == 100000 && figure(change, "new") == 104000);
    expect_strict(document);
    json_decref(document);
    document = record(KG__FAKE_SOUND_GPU, "--merge", 0, NULL);
    cr_expect(is_true(document, "merge"));
    cr_expect(figure(ENTRY(document, "changes", "case", SLOW, "metric", "time_ns"), "sessions") ==
              10);
    json_decref(document);
}

Test(recorded, a_metric_that_disagrees)
{
    json_t *document;
    const json_t *entry;

    write_text(at("plan"), "3 " SLOW " hot 11100\n");
    document = record(KG__FAKE_SOUND_GPU, NULL, 0, NULL);
    entry = ENTRY(document, "differing", "case", SLOW, "metric", "time_ns");
    cr_expect_str_eq(json_string_value(json_object_get(entry, "why")),
                     "the sessions disagree, 10 000 ns to 11 100 ns: quiet the machine");
    entry = ENTRY(document, "changes", "case", SLOW, "metric", "time_ns");
    cr_expect(!is_true(entry, "gated") && figure(entry, "noise") > 0.05);
    json_decref(document);
}

Test(recorded, a_case_that_is_gone)
{
    json_t *document = record(KG__FAKE_SOUND_GPU, NULL, 0, NULL);
    json_t *baseline = read_json(at("b/nvidia-fake.json"));
    json_t *cases = json_object_get(baseline, "cases");

    json_decref(document);
    json_object_set(cases, "fake/old/64/b32", json_object_get(cases, SLOW));
    cr_assert(json_dump_file(baseline, at("b/nvidia-fake.json"), 0) == 0);
    json_decref(baseline);
    document = record(KG__FAKE_SOUND_GPU, NULL, 0, NULL);
    (void)ENTRY(document, "changes", "case", "fake/old/64/b32", "kind", "retired");
    cr_expect(figure(document, "changed") == 1 && is_true(document, "written"));
    json_decref(document);
}

Test(recorded, what_refuses)
{
    char *complaints;
    json_t *document;
    const json_t *entry;

    write_text(at("plan"), "3 " SLOW " throttled\n");
    document = record(KG__FAKE_SOUND_GPU, NULL, 2, &complaints);
    entry = ENTRY(document, "refused", "case", SLOW);
    cr_expect(strstr(complaints, json_string_value(json_object_get(entry, "why"))) != NULL, "%s",
              complaints);
    free(complaints);
    cr_expect(!is_true(document, "written") && !exists(at("b/nvidia-fake.json")));
    expect_strict(document);
    json_decref(document);
    write_text(at("plan"), "3 " SLOW " hot 11100 cold 14000\n");
    document = record(KG__FAKE_SOUND_GPU, NULL, 2, NULL);
    cr_expect(length(document, "differing") == 2 && length(document, "refused") == 1);
    json_decref(document);
    write_text(at("b/nvidia-fake.json"), "{");
    document = record(KG__FAKE_SOUND_GPU, NULL, 2, NULL);
    cr_expect_str_eq(json_string_value(json_object_get(document, "file")),
                     at("b/nvidia-fake.json"));
    json_decref(document);
    document = record(at("none.gpu"), NULL, 2, NULL);
    (void)ENTRY(document, "refused", "file", at("none.gpu"));
    json_decref(document);
}

Test(recorded, counts)
{
    json_t *document;
    const json_t *change;

    set("KG_FILTER", "fake/plain/*,fake/quick/*");
    document = record(KG__FAKE_MODEL, NULL, 0, NULL);
    cr_expect(figure(document, "looked_at") == 4 && figure(document, "changed") == 4 &&
              figure(document, "sessions") == 2);
    change =
        ENTRY(document, "changes", "case", SLOW, "metric", "global_load_sectors", "kind", "new");
    cr_expect(figure(change, "new") == 400 && json_object_get(change, "band") == NULL);
    json_decref(document);
    write_text(at("count_plan"), "* " SLOW " global_load_requests 300 barriers 0 shuffles 5 "
                                 "line kernels/fake/plain.cu:14 global_load_requests 300 "
                                 "line kernels/fake/plain.cu:15 barriers 0 "
                                 "line kernels/fake/plain.cu:15 shuffles 5\n"
                                 "* fake/quick/64/b32 line kernels/fake/plain.cu:15 barriers 0 "
                                 "line kernels/fake/quick.cu:20 barriers 8\n");
    document = record(KG__FAKE_MODEL, NULL, 0, NULL);
    change = ENTRY(document, "changes", "case", SLOW, "metric", "global_load_requests");
    cr_expect(figure(change, "old") == 200 && figure(change, "new") == 300 &&
              figure(change, "change") == 0.5);
    change = ENTRY(document, "changes", "case", SLOW, "metric", "barriers", "kind", "moved");
    cr_expect(figure(change, "new") == 0);
    (void)ENTRY(document, "changes", "case", SLOW, "metric", "shuffles", "kind", "new");
    (void)ENTRY(document, "changes", "case", "fake/quick/64/b32", "kind", "lines");
    cr_expect(length(document, "changes") == 4 && figure(document, "changed") == 2);
    json_decref(document);
}

Test(recorded, counts_that_do_not_repeat)
{
    json_t *document;
    const json_t *entry;

    set("KG_FILTER", "fake/plain/*");
    write_text(at("count_plan"), "3 " SLOW " global_load_sectors 401\n");
    document = record(KG__FAKE_MODEL, NULL, 2, NULL);
    entry = ENTRY(document, "refused", "case", SLOW);
    cr_expect(strncmp(json_string_value(json_object_get(entry, "why")),
                      "global_load_sectors is 400 in one run and 401 in another", 55) == 0);
    json_decref(document);
}

/* What is wrong before anything could be looked at leaves no document. */
Test(recorded, arguments_that_are_wrong)
{
    const char *const arguments[] = { KG__COMMAND, "baseline", "record", "--json", NULL };
    ending result = drive(arguments, environment);

    expect_ending(&result, 2, "needs --baselines DIR");
    cr_expect(strchr(result.output, '{') == NULL, "%s", result.output);
    free(result.output);
}
