/* The command `kernelgate baseline adopt`, with the results of a gate on a fake GPU: what it adds
 * to a baseline, what it leaves out, and what it refuses without changing the file. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/fake_baselines.h"

#define SLOW "fake/plain/64/b32"
#define QUICK "fake/quick/64/b32"
#define STORED "baselines/nvidia-fake.json"

static json_t *template;

static void run(const char *program, const char *argument)
{
    const char *const arguments[] = { program, argument, NULL };
    ending result = drive(arguments, environment);

    free(result.output);
}

static json_t *results_of(const char *program, const char *part)
{
    json_t *results;

    run(KG__COMMAND, "begin");
    run(program, part);
    run(KG__COMMAND, "results");
    results = read_json(at("out/results.json"));
    /* It is that of the checkout in which these tests run. */
    json_object_del(results, "commit");
    return results;
}

/* A baseline of five sessions, and the results of one gate. */
static void begin(void)
{
    make_folder();
    set_fake_surroundings();
    set("KG_BASELINES", at("baselines"));
    cr_assert(mkdir(at("baselines"), 0777) == 0);
    begin_fake_baselines();
    kg__provenance_set(&baseline.provenance, "launch_ns", KG__FACT_COUNT, 500);
    store_baseline();
    write_text(at("plan"), "");
    template = results_of(KG__FAKE_SOUND_GPU, "--filter=fake/time");
}

static void end(void)
{
    json_decref(template);
    end_fake_baselines();
    remove_folder();
}

TestSuite(adopt, .init = begin, .fini = end, .timeout = 110);

/* The entry of SLOW in results. */
static json_t *slow_in(json_t *results)
{
    json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        if (strcmp(json_string_value(json_object_get(entry, "case")), SLOW) == 0)
            return entry;
    }
    cr_assert_fail("%s is not in the results", SLOW);
    return NULL;
}

/* The results of a gate in which the sentinel `copy` and SLOW took these times. */
static json_t *gate(double copy, double slow)
{
    json_t *results = json_deep_copy(template);
    json_t *said = json_object_get(json_object_get(results, "provenance"), "nvidia-fake");
    json_t *metrics = json_object_get(slow_in(results), "metrics");

    json_object_set_new(json_object_get(said, "sentinels_ns"), "copy", json_real(copy));
    json_object_set_new(json_object_get(metrics, "time_ns"), "value", json_real(slow));
    return results;
}

/* Writes results; the path stays valid to the end of the test. */
static const char *keep(json_t *results, const char *name)
{
    static char paths[64][512];
    static size_t used;
    char *path = paths[used++ % 64];

    kg__format(path, sizeof paths[0], "%s", at(name));
    cr_assert(json_dump_file(results, path, 0) == 0);
    json_decref(results);
    return path;
}

static const char *gate_file(const char *name, double copy, double slow)
{
    return keep(gate(copy, slow), name);
}

/* Adopts files; what ends with another code than 0 must leave the baseline as it was. */
static void expect_adoption(const char *const *arguments, int code, const char *line)
{
    char *before = read_text(at(STORED));
    char *after;

    expect_drive(arguments, code, line);
    after = read_text(at(STORED));
    cr_assert(code == 0 || strcmp(before, after) == 0, "%s", after);
    free(before);
    free(after);
}

#define ADOPT(code_, line_, ...)                                                                   \
    expect_adoption((const char *const[]){ KG__COMMAND, "baseline", "adopt", "--baselines",        \
                                           at("baselines"), __VA_ARGS__, NULL },                   \
                    code_, line_)

static void load(kg__baseline *stored)
{
    kg__error error = { "" };

    cr_assert(kg__baseline_load(at(STORED), stored, &error) == KG__LOADED, "%s", error.text);
}

static void save(kg__baseline *stored)
{
    kg__error error = { "" };

    cr_assert(kg__baseline_save(at(STORED), stored, &error), "%s", error.text);
    kg__baseline_free(stored);
}

static kg__baseline_metric *slow_time(const kg__baseline *stored)
{
    return kg__baseline_metric_of(kg__baseline_find(stored, SLOW), "time_ns");
}

/* How many sessions the baseline has of a metric of a case or of a sentinel. */
static size_t sessions_of(const char *id, const char *metric)
{
    const kg__baseline_case *entry;
    const kg__baseline_metric *found;
    kg__baseline stored;
    size_t count;

    load(&stored);
    entry = strchr(id, '/') != NULL ? kg__baseline_find(&stored, id)
                                    : kg__baseline_sentinel(&stored, id);
    found = entry != NULL ? kg__baseline_metric_of(entry, metric) : NULL;
    count = found != NULL ? found->session_count : 0;
    kg__baseline_free(&stored);
    return count;
}

static void expect_sessions(const char *id, const char *metric, size_t count)
{
    size_t sessions = sessions_of(id, metric);

    cr_assert(sessions == count, "%s: %s: %zu sessions, expected %zu", id, metric, sessions, count);
}

Test(adopt, two_gates_are_two_sessions)
{
    kg__baseline stored;
    char *text;

    ADOPT(0, "6 of 6 cases and sentinels changed, by the results of 2 gates",
          gate_file("1.json", 100100, 10050), gate_file("2.json", 100200, 10070));
    expect_sessions(SLOW, "time_ns", 7);
    expect_sessions(SLOW, "cold_time_ns", 7);
    expect_sessions("copy", "time_ns", 7);
    expect_sessions("fma", "time_ns", 7);
    load(&stored);
    cr_assert(slow_time(&stored)->value == 10000 && slow_time(&stored)->gated);
    cr_assert(slow_time(&stored)->sessions[5] == 10050 && slow_time(&stored)->sessions[6] == 10070);
    kg__baseline_free(&stored);
    text = read_text(at(STORED));
    cr_assert(strstr(text, "sentinels_ns") == NULL, "%s", text);
    free(text);
    ADOPT(0, "not gated: its noise is", "--yes", gate_file("3.json", 100300, 10900));
    load(&stored);
    cr_assert(!slow_time(&stored)->gated);
    kg__baseline_free(&stored);
}

static void expect_lost_output(const char *option, const char *results, const char *line)
{
    char script[1024];
    const char *const arguments[] = { "/bin/sh", "-c", script, KG__COMMAND, NULL };

    kg__format(script, sizeof script, "exec \"$0\" baseline adopt %s --baselines %s %s >/dev/full",
               option, at("baselines"), results);
    expect_drive(arguments, 2, line);
}

/* The file is changed by then, which nobody would expect of a command that failed. */
Test(adopt, says_that_the_file_was_written_where_its_table_is_lost)
{
    const char *first = gate_file("1.json", 100100, 10000);

    expect_lost_output("", first, "/nvidia-fake.json was written, but its report is lost");
    expect_sessions(SLOW, "time_ns", 6);
    expect_lost_output("--json", gate_file("2.json", 100200, 10000),
                       "/nvidia-fake.json was written, but its report is lost");
    expect_sessions(SLOW, "time_ns", 7);
    expect_lost_output("", first, "baseline adopt: the standard output cannot be written");
}

Test(adopt, a_gate_counts_once_whatever_it_is_called)
{
    const char *first = gate_file("1.json", 100100, 10000);
    json_t *again = gate(100100, 10000);

    json_object_set_new(again, "strict", json_true());
    ADOPT(2, "holds the same as", first, first);
    ADOPT(2, "2.json: is of the same gate as", first, keep(again, "2.json"));
    ADOPT(0, "6 of 6", first);
    ADOPT(0, "1.json: was adopted before: its times do not count again", first);
    ADOPT(0, "0 of 2 cases and sentinels changed", first);
    expect_sessions(SLOW, "time_ns", 6);
}

static const char *of_commit(const char *name, const char *commit, double copy)
{
    json_t *results = gate(copy, 10050);

    json_object_set_new(results, "commit", json_string(commit));
    return keep(results, name);
}

Test(adopt, several_commits_are_refused)
{
    const char *unknown = gate_file("0.json", 100500, 10000);
    const char *first = of_commit("1.json", "1111111111", 100100);
    const char *second = of_commit("2.json", "2222222222", 100200);
    const char *dirty = of_commit("3.json", "2222222222-dirty", 100300);
    char *text;

    ADOPT(2, "2.json: is of commit 2222222222, others are of 1111111111", first, second);
    ADOPT(2, "3.json: is of 2222222222-dirty, which is not a commit", dirty);
    ADOPT(0, "6 of 6", first, unknown);
    text = read_text(at(STORED));
    cr_assert(occurrences(text, "\"commit\": \"1111111111\"") == 4, "%s", text);
    free(text);
    ADOPT(0, "6 of 6", "--any-commit", second, dirty);
    expect_sessions(SLOW, "time_ns", 9);
}

#define FAR_OFF                                                                                    \
    " is off the baseline's 10 000 ns by a factor of 2 or more, and no other results agree on "    \
    "it: left out"
#define CODE(fingerprint_) "{\"fingerprint\": \"" fingerprint_ "\"}"
#define FINGERPRINT CODE("0123456789abcdef")
#define OTHER CODE("fedcba9876543210")

/* A case is left out by name. A time beyond its limit is a session only if the kernel is known to
 * be the one that was recorded, or --yes says that it is. */
Test(adopt, what_is_left_out)
{
    static const struct {
        double slow;
        const char *code;   /* in the baseline; NULL: none */
        const char *member; /* of SLOW in the results */
        const char *value;
        bool taken;
        bool taken_by_yes;
        const char *why;
        size_t cold; /* sessions of the other metric by --yes; 0: any */
    } rows[] = {
        { 10000, NULL, "verdict", "\"wrong\"", false, false, ": wrong: left out", 5 },
        { 10000, NULL, "verdict", "\"error\"", false, false, ": error: left out", 5 },
        { 10000, NULL, "card", "{\"clock_reasons\": \"idle, software power cap\"}", false, false,
          ": the GPU was throttled while it was timed: left out", 5 },
        { 10000, NULL, "card", "{\"foreign_processes\": 2}", false, false,
          ": other processes computed on the GPU", 5 },
        { 10000, NULL, "card", "{\"launch_ns\": 400}", false, false, ": the launch overhead was l",
          5 },
        { 10000, NULL, "card", "{\"launch_ns\": 680}", false, false, ": the launch overhead was h",
          5 },
        { 10000, "{\"registers\": 40}", "kernel", "{\"registers\": 48}", false, false,
          ": its code is not the baseline's: left out", 5 },
        { 0, NULL, "kernel", "{}", false, false, ": time_ns: 0 ns is not a time: left out", 6 },
        { -5, NULL, "kernel", "{}", false, false, ": time_ns: -5 ns is not a time: left out", 6 },
        { 1, NULL, "kernel", "{}", false, false, ": time_ns: 1 ns" FAR_OFF, 6 },
        { 5000, NULL, "kernel", "{}", false, false, ": time_ns: 5 000 ns" FAR_OFF, 6 },
        { 20000, NULL, "kernel", "{}", false, false, ": time_ns: 20 000 ns" FAR_OFF, 6 },
        { 5001, NULL, "kernel", "{}", false, true, "", 0 },
        { 10200, NULL, "kernel", "{}", true, true, "", 6 },
        { 10201, NULL, "kernel", "{}", false, true, "", 0 },
        { 9800, NULL, "kernel", "{}", false, true, "", 0 },
        { 10400, FINGERPRINT, "kernel", "{}", false, true, "", 0 },
        { 10400, NULL, "kernel", FINGERPRINT, false, true, "", 0 },
        { 10400, FINGERPRINT, "kernel", FINGERPRINT, true, true, "", 6 },
        { 10400, FINGERPRINT, "kernel", OTHER, false, false, "", 0 },
        { 10100, FINGERPRINT, "kernel", OTHER, false, false, "", 0 },
    };
    char *before = read_text(at(STORED));

    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        bool yes = i % 2 == 1;
        bool taken = yes ? rows[i / 2].taken_by_yes : rows[i / 2].taken;
        json_t *json =
            rows[i / 2].code != NULL ? json_loads(rows[i / 2].code, JSON_DECODE_ANY, NULL) : NULL;
        kg__kernel_code code;
        json_t *results = gate(100100 + (double)i, rows[i / 2].slow);
        char line[256];
        kg__baseline stored;

        write_text(at(STORED), before);
        load(&stored);
        (void)kg__kernel_code_read(NULL, json, &code, NULL);
        kg__baseline_set_code(kg__baseline_find(&stored, SLOW), &code);
        save(&stored);
        json_decref(json);
        json_object_set_new(slow_in(results), rows[i / 2].member,
                            json_loads(rows[i / 2].value, JSON_DECODE_ANY, NULL));
        kg__format(line, sizeof line, "1.json: " SLOW "%s", yes ? rows[i / 2].why : "");
        ADOPT(0, taken ? "6 of 6" : line, keep(results, "1.json"), yes ? "--yes" : NULL);
        cr_expect(sessions_of(SLOW, "time_ns") == (taken ? 6 : 5), "row %zu", i / 2);
        cr_expect(!yes || rows[i / 2].cold == 0 ||
                      sessions_of(SLOW, "cold_time_ns") == rows[i / 2].cold,
                  "row %zu", i / 2);
        cr_expect(sessions_of(QUICK, "time_ns") == 6, "row %zu", i / 2);
    }
    free(before);
}

/* One gate alone is left out; what several gates agree on is the kernel's new time. */
Test(adopt, what_is_far_off_in_several_gates_has_to_agree)
{
    ADOPT(0, "1.json: " SLOW ": time_ns: 2 000 ns" FAR_OFF, "--yes",
          gate_file("1.json", 100100, 2000), gate_file("2.json", 100200, 10010));
    expect_sessions(SLOW, "time_ns", 6);
    ADOPT(0, "6 of 6", "--yes", gate_file("3.json", 100300, 3000),
          gate_file("4.json", 100400, 3100));
    expect_sessions(SLOW, "time_ns", 8);
}

/* The next value of a metric that is not gated may be any. */
Test(adopt, what_is_far_off_is_taken_where_it_is_not_gated)
{
    kg__baseline stored;

    load(&stored);
    slow_time(&stored)->gated = false;
    save(&stored);
    ADOPT(0, "6 of 6", gate_file("1.json", 100100, 30000));
    expect_sessions(SLOW, "time_ns", 6);
}

/* A sentinel speaks of the machine, and so of all that the gate took. Such a gate does not count as
 * one that agrees with another, or disagrees with it. */
Test(adopt, a_gate_whose_sentinel_is_far_off_is_left_out_by_name)
{
    static const struct {
        double copy;
        const char *line;
    } rows[] = {
        { 10, "1.json: copy: time_ns: 10 ns is off the baseline's 100 000 ns by a factor of 2" },
        { 10, "1.json: its sentinel is not credible: all its times are left out" },
        { 0, "1.json: copy: time_ns: 0 ns is not a time: left out" },
        { 0, "0 of 2 cases and sentinels changed" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ADOPT(0, rows[i].line, gate_file("1.json", rows[i].copy, 10000));
        expect_sessions("copy", "time_ns", 5);
        expect_sessions("fma", "time_ns", 5);
        expect_sessions(SLOW, "time_ns", 5);
    }
    ADOPT(0, "1.json: " SLOW ": time_ns: 3 000 ns" FAR_OFF, "--yes",
          gate_file("1.json", 100100, 3000), gate_file("2.json", 10, 3000));
    expect_sessions(SLOW, "time_ns", 5);
    ADOPT(0, "6 of 6", "--yes", gate_file("1.json", 100500, 3000),
          gate_file("3.json", 100300, 3100), gate_file("4.json", 11, 10000));
    expect_sessions(SLOW, "time_ns", 7);
}

/* Results that were adopted still count for a case that was left out then, as are those whose times
 * were all left out. */
Test(adopt, a_new_case_takes_five_sessions)
{
    const char *gates[5];
    kg__baseline stored;

    for (int i = 0; i < 5; i++)
        gates[i] = gate_file((char[]){ (char)('0' + i), '\0' }, 100100 + i, 10000);
    load(&stored);
    cr_assert(kg__baseline_remove(&stored, SLOW));
    save(&stored);
    ADOPT(0,
          SLOW ": time_ns: the baseline has 0 sessions of it and the results 1, of 5 that it "
               "takes: left out",
          gates[0]);
    expect_sessions(SLOW, "time_ns", 0);
    expect_sessions(QUICK, "time_ns", 6);
    set("KG_FILTER", "no/such/*");
    ADOPT(0, "0 of 2 cases and sentinels changed", gates[1]);
    set("KG_FILTER", "");
    ADOPT(0, "6 of 6", gates[0], gates[1], gates[2], gates[3], gates[4]);
    expect_sessions(SLOW, "time_ns", 5);
    expect_sessions(QUICK, "time_ns", 10);
}

/* It has no launch's cost yet: its first gate says what that is. */
Test(adopt, a_first_baseline_takes_five_gates)
{
    const char *gates[6];
    kg__baseline stored;

    for (int i = 0; i < 6; i++) {
        json_t *results = gate(100100 + i, 10000);

        if (i == 4)
            json_object_set_new(slow_in(results), "card", json_pack("{s:i}", "launch_ns", 400));
        gates[i] = keep(results, (char[]){ (char)('0' + i), '\0' });
    }
    cr_assert(unlink(at(STORED)) == 0);
    expect_drive((const char *const[]){ KG__COMMAND, "baseline", "adopt", "--baselines",
                                        at("baselines"), gates[0], gates[1], gates[2], gates[3],
                                        NULL },
                 2, "a first baseline takes the results of 5 gates at least");
    cr_assert(!exists(at(STORED)));
    expect_drive((const char *const[]){ KG__COMMAND, "baseline", "adopt", "--baselines",
                                        at("baselines"), gates[0], gates[1], gates[2], gates[3],
                                        gates[4], NULL },
                 0, SLOW ": the launch overhead was lower than when the baseline was recorded");
    expect_sessions(SLOW, "time_ns", 0);
    expect_sessions(QUICK, "time_ns", 5);
    ADOPT(0, "6 of 6", gates[0], gates[1], gates[2], gates[3], gates[5]);
    expect_sessions(SLOW, "time_ns", 5);
    load(&stored);
    cr_assert_str_eq(stored.target.name, "NVIDIA Fake");
    cr_assert(kg__provenance_number(&stored.provenance, "launch_ns") == 500);
    kg__baseline_free(&stored);
}

Test(adopt, results_that_are_refused)
{
    const char *first = gate_file("1.json", 100100, 10000);
    const char *model = keep(results_of(KG__FAKE_MODEL, "--filter=fake/count"), "model.json");
    json_t *other = gate(100200, 10000);
    json_t *nameless = gate(100200, 10000);

    json_object_set_new(slow_in(other), "target", json_string("nvidia-other"));
    json_object_set_new(nameless, "targets", json_object());
    write_text(at("bad.json"), "{\"schema\": \"kernelgate-results/0\"}");
    ADOPT(2, "other.json: has times of nvidia-other, and nvidia-fake is being adopted", first,
          keep(other, "other.json"));
    ADOPT(2, "model.json: has no times of a GPU", first, model);
    ADOPT(2, "bad.json: its schema is \"kernelgate-results/0\"", first, at("bad.json"));
    ADOPT(2, "absent.json: cannot be read", first, at("absent.json"));
    ADOPT(2, "does not describe nvidia-fake in its targets", keep(nameless, "other.json"));
    ADOPT(2, "copy: time_ns: the sessions disagree", first, gate_file("2.json", 120000, 10000));
    ADOPT(2, "needs --baselines DIR and the results.json of a gate", NULL);
    expect_drive((const char *const[]){ KG__COMMAND, "baseline", "adopt", first, NULL }, 2,
                 "needs --baselines DIR and the results.json of a gate");
}

/* A band that a hand wrote is not widened, and would not be the limit any more. */
Test(adopt, sessions_that_outgrow_a_band_by_hand_are_refused)
{
    kg__baseline stored;

    load(&stored);
    slow_time(&stored)->band = 0.016;
    slow_time(&stored)->band_by_hand = true;
    save(&stored);
    ADOPT(2, "not written: " SLOW ": time_ns: band is 1.6 %, and the limit is 1.8 %",
          gate_file("1.json", 100100, 10150));
}

static json_t *adopt_as_json(const char *first, const char *second, int code)
{
    const char *const arguments[] = { KG__COMMAND,     "baseline", "adopt", "--json", "--baselines",
                                      at("baselines"), first,      second,  NULL };

    return drive_document(arguments, environment, code, NULL);
}

Test(adopt, prints_a_document)
{
    const char *first = of_commit("1.json", "1111111111", 100100);
    json_t *results = gate(100200, 10070);
    const char *second;
    const json_t *change;
    json_t *document;

    json_object_set_new(slow_in(results), "verdict", json_string("wrong"));
    second = keep(results, "3.json");
    document = adopt_as_json(first, second, 0);
    cr_expect_str_eq(json_string_value(json_object_get(document, "command")), "baseline adopt");
    cr_expect_str_eq(json_string_value(json_object_get(document, "commit")), "1111111111");
    cr_expect(json_integer_value(json_object_get(document, "sessions")) == 2);
    cr_expect(json_integer_value(json_object_get(document, "changed")) == 6);
    cr_expect(json_is_true(json_object_get(document, "written")));
    change = ENTRY(document, "changes", "case", SLOW, "metric", "time_ns", "kind", "moved");
    cr_expect(json_integer_value(json_object_get(change, "sessions")) == 6);
    change = ENTRY(document, "changes", "case", QUICK, "metric", "time_ns", "kind", "moved");
    cr_expect(json_integer_value(json_object_get(change, "sessions")) == 7);
    change = ENTRY(document, "left_out", "case", SLOW, "file", second);
    cr_expect_str_eq(json_string_value(json_object_get(change, "why")), "wrong: left out");
    expect_strict(document);
    json_decref(document);
    document = adopt_as_json(first, NULL, 0);
    change = ENTRY(document, "left_out", "file", first);
    cr_expect(json_object_get(change, "case") == NULL);
    cr_expect(json_is_false(json_object_get(document, "written")));
    json_decref(document);
    second = of_commit("2.json", "2222222222", 100300);
    document = adopt_as_json(first, second, 2);
    (void)ENTRY(document, "refused", "file", second);
    json_decref(document);
}
