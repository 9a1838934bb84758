/* The command `kernelgate baseline adopt`, with gates on a GPU that is not there: what it adds to a
 * baseline, what it leaves out, and what it refuses without touching the file. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "baseline/baseline.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

#define SLOW "fake/plain/64/b32"
#define QUICK "fake/quick/64/b32"

static ending command(const char *name, const char *option, const char *value)
{
    const char *const arguments[] = { KG__COMMAND,     "baseline", name,  "--baselines",
                                      at("baselines"), option,     value, NULL };

    (void)unlink(at("log"));
    return drive(arguments, environment);
}

static void plan(const char *text)
{
    write_text(at("plan"), text);
}

/* A baseline of five sessions; no gate has its sentinels. */
static void begin(void)
{
    ending seen;

    make_folder();
    set_fake_surroundings();
    set("KG_BASELINES", at("baselines"));
    plan("* copy hot 99900\n");
    seen = command("record", KG__FAKE_SOUND_GPU, NULL);
    expect_ending(&seen, 0, "6 of 6 cases and sentinels changed");
    free(seen.output);
}

TestSuite(adopt, .init = begin, .fini = remove_folder, .timeout = 60);

/* The results of a gate of one part, without the commit, which is of whatever these tests run in.
 */
static json_t *gate(const char *program, const char *part, const char *how)
{
    const char *const arguments[] = { program, part, NULL };
    const char *const begin_run[] = { KG__COMMAND, "begin", NULL };
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    json_t *results;
    ending seen = drive(begin_run, environment);

    free(seen.output);
    (void)unlink(at("log"));
    plan(how);
    seen = drive(arguments, environment);
    free(seen.output);
    seen = drive(merge, environment);
    free(seen.output);
    results = read_json(at("out/results.json"));
    json_object_del(results, "commit");
    return results;
}

/* Writes results; the path stays good to the end of the test. */
static const char *keep(json_t *results, const char *name)
{
    static char paths[64][512];
    static size_t used;
    char *path = paths[used++];

    kg__format(path, sizeof paths[0], "%s", at(name));
    cr_assert(json_dump_file(results, path, 0) == 0);
    json_decref(results);
    return path;
}

static const char *gate_time(const char *name, const char *how)
{
    return keep(gate(KG__FAKE_SOUND_GPU, "--filter=fake/time", how), name);
}

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

static char *stored(void)
{
    return read_text(at("baselines/nvidia-fake.json"));
}

static ending adopt(const char *first, const char *second, const char *option)
{
    const char *const arguments[] = { KG__COMMAND,
                                      "baseline",
                                      "adopt",
                                      "--baselines",
                                      at("baselines"),
                                      first,
                                      second != NULL ? second : option,
                                      second != NULL ? option : NULL,
                                      NULL };

    return drive(arguments, environment);
}

static void expect_adoption(const char *first, const char *second, const char *line)
{
    ending seen = adopt(first, second, NULL);

    expect_ending(&seen, 0, line);
    free(seen.output);
}

/* The same of one gate, whose times beyond their limit are taken though their code is not known. */
static void expect_adoption_by_yes(const char *first, const char *line)
{
    ending seen = adopt(first, NULL, "--yes");

    expect_ending(&seen, 0, line);
    free(seen.output);
}

static void expect_refusal(const char *first, const char *second, const char *line)
{
    char *before = stored();
    ending seen = adopt(first, second, NULL);
    char *after = stored();

    expect_ending(&seen, 2, line);
    cr_assert(strcmp(before, after) == 0, "%s", after);
    free(seen.output);
    free(before);
    free(after);
}

/* How many sessions a metric has; its value and whether it is gated beside. */
static size_t sessions_of(const char *id, const char *metric, double *value, bool *gated)
{
    kg__error error = { "" };
    const kg__baseline_case *entry;
    const kg__baseline_metric *found;
    kg__baseline baseline;
    size_t count = 0;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &baseline, &error) == KG__LOADED,
              "%s", error.text);
    entry = strchr(id, '/') != NULL ? kg__baseline_find(&baseline, id)
                                    : kg__baseline_sentinel(&baseline, id);
    found = entry != NULL ? kg__baseline_metric_of(entry, metric) : NULL;
    if (found != NULL) {
        count = found->session_count;
        *value = found->value;
        *gated = found->gated;
    }
    kg__baseline_free(&baseline);
    return count;
}

static void expect_sessions(const char *id, const char *metric, size_t count, double value)
{
    double held = 0;
    bool gated = true;
    size_t sessions = sessions_of(id, metric, &held, &gated);

    cr_assert(sessions == count && (count == 0 || held == value), "%s: %s: %zu sessions, %g", id,
              metric, sessions, held);
}

Test(adopt, two_gates_are_two_sessions)
{
    const char *first = gate_time("1.json", "* " SLOW " hot 10050\n* copy hot 100100\n");
    const char *second = gate_time("2.json", "* " SLOW " hot 10070\n* copy hot 100200\n");
    char *before = stored();
    char *after;
    ending seen = adopt(first, second, NULL);

    expect_ending(&seen, 0, "6 of 6 cases and sentinels changed, by the results of 2 gates");
    cr_assert(strstr(seen.output, SLOW
                     "                                  time_ns            10 000 ns      10 000 "
                     "ns     0.0 %  band 2.0 %") != NULL,
              "%s", seen.output);
    free(seen.output);
    expect_sessions(SLOW, "time_ns", 7, 10000);
    expect_sessions(SLOW, "cold_time_ns", 7, 12000);
    expect_sessions("copy", "time_ns", 7, 99900);
    expect_sessions("fma", "time_ns", 7, 200000);
    after = stored();
    cr_assert(strstr(after, "10050, 10070]") != NULL && strstr(after, "100100, 100200]") != NULL,
              "%s", after);
    cr_assert(occurrences(after, "\"code\"") == occurrences(before, "\"code\"") &&
              occurrences(before, "\"code\"") > 0);
    cr_assert(strstr(after, "sentinels_ns") == NULL);
    free(before);
    free(after);
}

static void expect_lost_output(const char *option, const char *results, const char *line)
{
    char script[1024];
    const char *const arguments[] = { "/bin/sh", "-c", script, KG__COMMAND, NULL };
    ending seen;

    kg__format(script, sizeof script, "exec \"$0\" baseline adopt %s --baselines %s %s >/dev/full",
               option, at("baselines"), results);
    seen = drive(arguments, environment);
    expect_ending(&seen, 2, line);
    free(seen.output);
}

/* The file is changed by then, which nobody would expect of a command that failed. */
Test(adopt, says_that_the_file_was_written_where_its_table_is_lost)
{
    const char *first = gate_time("1.json", "* copy hot 100100\n");
    const char *second = gate_time("2.json", "* copy hot 100200\n");

    expect_lost_output("", first,
                       "/nvidia-fake.json was written, and what there is to say of it is lost: the "
                       "standard output takes no more");
    expect_sessions(SLOW, "time_ns", 6, 10000);
    expect_lost_output("--json", second, "/nvidia-fake.json was written, and what there is to say");
    expect_sessions(SLOW, "time_ns", 7, 10000);
    expect_lost_output("", first, "baseline adopt: the standard output takes no more");
}

Test(adopt, a_confirmed_case_is_one_session)
{
    const char *first = gate_time("1.json", "* " SLOW " hot 10400\n* copy hot 100100\n");

    expect_adoption_by_yes(first, "6 of 6");
    expect_sessions(SLOW, "time_ns", 6, 10000);
}

Test(adopt, noise_takes_a_metric_out_of_the_gate)
{
    double value;
    bool gated = true;
    const char *first = gate_time("1.json", "* " SLOW " hot 10900\n* copy hot 100100\n");

    expect_adoption_by_yes(first, "not gated: its noise is");
    (void)sessions_of(SLOW, "time_ns", &value, &gated);
    cr_assert(!gated);
}

Test(adopt, the_same_results_count_once)
{
    const char *first = gate_time("1.json", "* copy hot 100100\n");
    char *before;
    char *after;

    expect_refusal(first, first, "holds the same as");
    expect_adoption(first, NULL, "6 of 6");
    before = stored();
    expect_adoption(first, NULL, "1.json: was adopted before: its times do not count again");
    expect_adoption(first, NULL, "0 of 2 cases and sentinels changed");
    after = stored();
    cr_assert(strcmp(before, after) == 0);
    free(before);
    free(after);
}

/* A gate whose results were written twice, the second time as a strict run's. */
Test(adopt, a_gate_counts_once_whatever_it_is_called)
{
    json_t *results = gate(KG__FAKE_SOUND_GPU, "--filter=fake/time", "* copy hot 100100\n");
    json_t *again = json_deep_copy(results);
    const char *first = keep(results, "1.json");

    json_object_set_new(again, "strict", json_true());
    expect_refusal(first, keep(again, "2.json"), "2.json: is of the same gate as");
}

static const char *of_commit(const char *name, const char *commit, const char *how)
{
    json_t *results = gate(KG__FAKE_SOUND_GPU, "--filter=fake/time", how);

    json_object_set_new(results, "commit", json_string(commit));
    return keep(results, name);
}

Test(adopt, several_commits_are_refused)
{
    const char *unknown = gate_time("0.json", "* copy hot 100000\n");
    const char *first = of_commit("1.json", "1111111111", "* copy hot 100100\n");
    const char *second = of_commit("2.json", "2222222222", "* copy hot 100200\n");
    const char *dirty = of_commit("3.json", "2222222222-dirty", "* copy hot 100300\n");
    ending seen;
    char *text;

    expect_refusal(first, second, "2.json: is of commit 2222222222, others are of 1111111111");
    expect_refusal(dirty, NULL, "3.json: is of 2222222222-dirty, which no commit holds");
    expect_adoption(first, unknown, "6 of 6");
    text = stored();
    cr_assert(occurrences(text, "\"commit\": \"1111111111\"") == 4, "%s", text);
    free(text);
    seen = adopt(second, dirty, "--any-commit");
    expect_ending(&seen, 0, "6 of 6");
    free(seen.output);
    expect_sessions(SLOW, "time_ns", 9, 10000);
}

Test(adopt, what_says_nothing_of_its_kernel_is_left_out)
{
    static const struct {
        const char *member;
        const char *value;
        const char *line;
    } faults[] = {
        { "verdict", "\"wrong\"", SLOW ": wrong: left out" },
        { "verdict", "\"error\"", SLOW ": error: left out" },
        { "card", "{\"clock_reasons\": \"idle, software power cap\"}",
          SLOW ": the card was throttled while it was timed: left out" },
        { "card", "{\"foreign_processes\": 2}", SLOW ": other processes computed on the card" },
        { "card", "{\"launch_ns\": 400}", SLOW ": a launch cost less than when the baseline was" },
        { "card", "{\"launch_ns\": 680}", SLOW ": a launch cost more than when the baseline was" },
        { "kernel", "{\"registers\": 48}", SLOW ": its code is not the baseline's: left out" },
    };
    const size_t count = sizeof faults / sizeof *faults;

    for (size_t i = 0; i < count; i++) {
        char how[64];
        json_t *results;

        kg__format(how, sizeof how, "* copy hot %zu\n", 100100 + i);
        results = gate(KG__FAKE_SOUND_GPU, "--filter=fake/time", how);
        json_object_set_new(slow_in(results), faults[i].member,
                            json_loads(faults[i].value, JSON_DECODE_ANY, NULL));
        expect_adoption(keep(results, "1.json"), NULL, faults[i].line);
        expect_sessions(SLOW, "time_ns", 5, 10000);
        expect_sessions(QUICK, "time_ns", 6 + i, 5000);
    }
}

/* The results of a gate in which SLOW took that long. */
static const char *gate_of(const char *name, const char *how, double value)
{
    json_t *results = gate(KG__FAKE_SOUND_GPU, "--filter=fake/time", how);
    json_t *metrics = json_object_get(slow_in(results), "metrics");

    json_object_set_new(json_object_get(metrics, "time_ns"), "value", json_real(value));
    return keep(results, name);
}

Test(adopt, what_is_no_time_is_left_out_by_name)
{
    expect_adoption(gate_of("1.json", "* copy hot 100100\n", 0), NULL,
                    "1.json: " SLOW ": time_ns: 0 ns is no time: left out");
    expect_adoption(gate_of("2.json", "* copy hot 100200\n", -5), NULL,
                    "2.json: " SLOW ": time_ns: -5 ns is no time: left out");
    expect_sessions(SLOW, "time_ns", 5, 10000);
    expect_sessions(SLOW, "cold_time_ns", 7, 12000);
    expect_sessions(QUICK, "time_ns", 7, 5000);
}

#define FAR_OFF                                                                                    \
    " is off the baseline's 10 000 ns by a factor of 2 or more, and no other results agree on "    \
    "it: left out"

Test(adopt, what_is_far_off_alone_is_left_out_by_name)
{
    static const struct {
        double value;
        const char *figure;
    } far[] = {
        { 1, "1 ns" }, { 5000, "5 000 ns" }, { 20000, "20 000 ns" }, { 1e9, "1 000 000 000 ns" }
    };
    const size_t count = sizeof far / sizeof *far;

    for (size_t i = 0; i < count; i++) {
        char how[64];
        char line[256];

        kg__format(how, sizeof how, "* copy hot %zu\n", 100100 + i);
        kg__format(line, sizeof line, "1.json: " SLOW ": time_ns: %s" FAR_OFF, far[i].figure);
        expect_adoption_by_yes(gate_of("1.json", how, far[i].value), line);
        expect_sessions(SLOW, "time_ns", 5, 10000);
        expect_sessions(SLOW, "cold_time_ns", 6 + i, 12000);
    }
    expect_adoption_by_yes(gate_of("1.json", "* copy hot 100200\n", 5001), "6 of 6");
    expect_sessions(SLOW, "time_ns", 6, 10000);
}

/* A lone one among others is left out of them; what several gates agree on is what it takes now. */
Test(adopt, what_is_far_off_in_several_gates_has_to_agree)
{
    const char *alone = gate_of("1.json", "* copy hot 100100\n", 2000);
    const char *usual = gate_of("2.json", "* copy hot 100200\n", 10010);
    const char *first = gate_of("3.json", "* copy hot 100300\n", 3000);
    const char *second = gate_of("4.json", "* copy hot 100400\n", 3100);
    ending seen;

    seen = adopt(alone, usual, "--yes");
    expect_ending(&seen, 0, "1.json: " SLOW ": time_ns: 2 000 ns" FAR_OFF);
    free(seen.output);
    expect_sessions(SLOW, "time_ns", 6, 10000);
    seen = adopt(first, second, "--yes");
    expect_ending(&seen, 0, "6 of 6");
    free(seen.output);
    expect_sessions(SLOW, "time_ns", 8, 10000);
}

/* What is not gated promises nothing of its next value. */
Test(adopt, what_is_far_off_is_taken_where_it_is_not_gated)
{
    kg__baseline baseline;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &baseline, NULL) == KG__LOADED);
    kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "time_ns")->gated = false;
    cr_assert(kg__baseline_save(at("baselines/nvidia-fake.json"), &baseline, NULL));
    kg__baseline_free(&baseline);
    expect_adoption(gate_of("1.json", "* copy hot 100100\n", 30000), NULL, "6 of 6");
    expect_sessions(SLOW, "time_ns", 6, 10000);
}

/* It speaks of the machine, and so of all that the gate took. */
Test(adopt, a_gate_whose_sentinel_is_far_off_is_left_out_by_name)
{
    static const double values[] = { 10, 0 };
    static const char *const lines[] = {
        "1.json: copy: time_ns: 10 ns is off the baseline's 99 900 ns by a factor of 2 or more",
        "1.json: copy: time_ns: 0 ns is no time: left out"
    };

    for (size_t i = 0; i < 2; i++) {
        json_t *results = gate(KG__FAKE_SOUND_GPU, "--filter=fake/time", "* copy hot 100100\n");
        json_t *said = json_object_get(json_object_get(results, "provenance"), "nvidia-fake");
        const char *path;

        json_object_set_new(json_object_get(said, "sentinels_ns"), "copy", json_real(values[i]));
        path = keep(results, "1.json");
        expect_adoption(path, NULL, lines[i]);
        expect_adoption(path, NULL,
                        "1.json: by its sentinel no time of it is to be believed: left out");
        expect_adoption(path, NULL, "0 of 2 cases and sentinels changed");
        expect_sessions("copy", "time_ns", 5, 99900);
        expect_sessions("fma", "time_ns", 5, 200000);
        expect_sessions(SLOW, "time_ns", 5, 10000);
    }
}

/* The same with a time of SLOW, of a machine on which the copy took 10 ns. */
static const char *unbelievable_gate_of(const char *name, const char *how, double value)
{
    const char *path = gate_of(name, how, value);
    json_t *results = read_json(path);
    json_t *said = json_object_get(json_object_get(results, "provenance"), "nvidia-fake");

    json_object_set_new(json_object_get(said, "sentinels_ns"), "copy", json_real(10));
    return keep(results, name);
}

/* What is not believed speaks for no other gate, and against none. */
Test(adopt, a_gate_whose_sentinel_is_far_off_is_no_witness)
{
    const char *first = gate_of("1.json", "* copy hot 100100\n", 3000);
    const char *same = unbelievable_gate_of("2.json", "* copy hot 100200\n", 3000);
    const char *second = gate_of("3.json", "* copy hot 100300\n", 3100);
    const char *other = unbelievable_gate_of("4.json", "* copy hot 100400\n", 10000);
    ending seen;

    seen = adopt(first, same, "--yes");
    expect_ending(&seen, 0, "1.json: " SLOW ": time_ns: 3 000 ns" FAR_OFF);
    free(seen.output);
    expect_sessions(SLOW, "time_ns", 5, 10000);
    first = gate_of("1.json", "* copy hot 100500\n", 3000);
    expect_drive((const char *const[]){ KG__COMMAND, "baseline", "adopt", "--yes", "--baselines",
                                        at("baselines"), first, second, other, NULL },
                 0, "6 of 6");
    expect_sessions(SLOW, "time_ns", 7, 10000);
}

Test(adopt, a_new_case_takes_five_sessions)
{
    const char *first = gate_time("1.json", "* copy hot 100100\n");
    kg__baseline baseline;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &baseline, NULL) == KG__LOADED);
    cr_assert(kg__baseline_remove(&baseline, SLOW));
    cr_assert(kg__baseline_save(at("baselines/nvidia-fake.json"), &baseline, NULL));
    kg__baseline_free(&baseline);
    expect_adoption(first, NULL,
                    SLOW ": time_ns: the baseline has 0 sessions of it and the "
                         "results 1, of 5 that it takes: left out");
    expect_sessions(SLOW, "time_ns", 0, 0);
    expect_sessions(QUICK, "time_ns", 6, 5000);
}

/* Results that were adopted still count for a case that was left out then. */
Test(adopt, a_first_baseline_takes_five_gates)
{
    const char *arguments[11] = { KG__COMMAND, "baseline", "adopt", "--baselines" };

    for (int i = 0; i < 5; i++) {
        char how[64];
        char name[16];

        kg__format(how, sizeof how, "* copy hot %d\n", 100100 + i);
        kg__format(name, sizeof name, "%d.json", i);
        arguments[5 + i] = gate_time(name, how);
    }
    arguments[4] = at("none");
    arguments[9] = NULL;
    expect_drive(arguments, 2, "a first baseline takes the results of 5 gates at least");
    cr_assert(!exists(at("none/nvidia-fake.json")));
    arguments[9] = at("4.json");
    expect_drive(arguments, 0, "6 of 6 cases and sentinels changed, by the results of 5 gates");
    cr_assert(exists(at("none/nvidia-fake.json")));

    cr_assert(rename(at("none/nvidia-fake.json"), at("baselines/nvidia-fake.json")) == 0);
    expect_sessions(SLOW, "time_ns", 5, 10000);
    kg__baseline baseline;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &baseline, NULL) == KG__LOADED);
    cr_assert(strcmp(baseline.target.name, "NVIDIA Fake") == 0);
    cr_assert(json_number_value(json_object_get(baseline.provenance, "launch_ns")) == 500);
    cr_assert(kg__baseline_remove(&baseline, SLOW));
    cr_assert(kg__baseline_save(at("baselines/nvidia-fake.json"), &baseline, NULL));
    kg__baseline_free(&baseline);
    arguments[4] = at("baselines");
    expect_drive(arguments, 0, "1 of 3 cases and sentinels changed");
    expect_sessions(SLOW, "time_ns", 5, 10000);
    expect_sessions(QUICK, "time_ns", 5, 5000);
}

/* A first baseline has no launch's cost yet: its first gate says what that is. */
Test(adopt, a_first_baseline_is_of_one_cost_of_a_launch)
{
    const char *arguments[11] = { KG__COMMAND, "baseline", "adopt", "--baselines" };

    for (int i = 0; i < 5; i++) {
        char how[64];
        char name[16];
        json_t *results;

        kg__format(how, sizeof how, "* copy hot %d\n", 100100 + i);
        kg__format(name, sizeof name, "%d.json", i);
        results = gate(KG__FAKE_SOUND_GPU, "--filter=fake/time", how);
        if (i == 4)
            json_object_set_new(slow_in(results), "card",
                                json_loads("{\"launch_ns\": 400}", 0, NULL));
        arguments[5 + i] = keep(results, name);
    }
    arguments[4] = at("none");
    expect_drive(arguments, 0,
                 SLOW ": a launch cost less than when the baseline was recorded: left out");
    cr_assert(rename(at("none/nvidia-fake.json"), at("baselines/nvidia-fake.json")) == 0);
    expect_sessions(SLOW, "time_ns", 0, 0);
    expect_sessions(QUICK, "time_ns", 5, 5000);
}

/* A gate whose times were all left out gives no sentinels either, so that it is not taken for one
 * that was adopted. */
Test(adopt, a_gate_that_gave_no_time_is_not_adopted)
{
    const char *first = gate_time("1.json", "* copy hot 100100\n");

    set("KG_FILTER", "no/such/*");
    expect_adoption(first, NULL, "0 of 2 cases and sentinels changed");
    set("KG_FILTER", "");
    expect_adoption(first, NULL, "6 of 6");
}

Test(adopt, what_is_no_result_of_a_gpu_is_refused)
{
    const char *first = gate_time("1.json", "* copy hot 100100\n");
    json_t *results = gate(KG__FAKE_MODEL, "--filter=fake/count", "");
    const char *model = keep(results, "model.json");
    json_t *other = read_json(first);

    json_object_set_new(slow_in(other), "target", json_string("nvidia-other"));
    expect_refusal(first, keep(other, "other.json"),
                   "other.json: has times of nvidia-other, and nvidia-fake is being adopted");
    expect_refusal(first, model, "model.json: has no times of a GPU");
    write_text(at("bad.json"), "{\"schema\": \"kernelgate-results/0\"}");
    expect_refusal(first, at("bad.json"), "bad.json: its schema is \"kernelgate-results/0\"");
    expect_refusal(first, at("absent.json"), "absent.json: cannot be read");
    other = read_json(first);
    json_object_set_new(other, "targets", json_object());
    expect_refusal(keep(other, "other.json"), NULL, "says nothing of nvidia-fake in its targets");
}

Test(adopt, sessions_that_disagree_are_refused)
{
    const char *first = gate_time("1.json", "* copy hot 100100\n");
    const char *second = gate_time("2.json", "* copy hot 120000\n");

    expect_refusal(first, second, "copy: time_ns: the sessions disagree");
}

Test(adopt, arguments_that_are_wrong)
{
    const char *const no_folder[] = { KG__COMMAND, "baseline", "adopt", "results.json", NULL };
    ending seen = command("adopt", NULL, NULL);

    expect_ending(&seen, 2, "needs --baselines DIR and the results.json of a gate");
    free(seen.output);
    expect_drive(no_folder, 2, "needs --baselines DIR and the results.json of a gate");
}

static json_t *adopt_as_json(const char *first, const char *second, int code)
{
    const char *const arguments[] = { KG__COMMAND,     "baseline", "adopt", "--json", "--baselines",
                                      at("baselines"), first,      second,  NULL };

    return drive_document(arguments, environment, code, SCHEMA_OF("recorded"), NULL);
}

Test(adopt, prints_a_document)
{
    const char *first =
        of_commit("1.json", "1111111111", "* " SLOW " hot 10050\n* copy hot 100100\n");
    const char *second = gate_time("2.json", "* " SLOW " hot 10070\n* copy hot 100200\n");
    json_t *results = read_json(second);
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
    expect_strict(SCHEMA_OF("recorded"), document);
    json_decref(document);
    document = adopt_as_json(first, NULL, 0);
    change = ENTRY(document, "left_out", "file", first);
    cr_expect(json_object_get(change, "case") == NULL);
    cr_expect(json_is_false(json_object_get(document, "written")));
    json_decref(document);
}

Test(adopt, prints_a_document_of_what_is_refused)
{
    const char *first = of_commit("1.json", "1111111111", "* copy hot 100100\n");
    const char *second = of_commit("2.json", "2222222222", "* copy hot 100200\n");
    char *before = stored();
    json_t *document = adopt_as_json(first, second, 2);
    char *after = stored();

    (void)ENTRY(document, "refused", "file", second);
    cr_expect(strcmp(before, after) == 0);
    free(before);
    free(after);
    json_decref(document);
    document = adopt_as_json(first, at("absent.json"), 2);
    cr_expect(json_array_size(json_object_get(document, "refused")) == 1);
    json_decref(document);
}

#define FINGERPRINT "0123456789abcdef"
#define OTHER "fedcba9876543210"

/* Gives SLOW's code in the baseline a fingerprint (NULL: none). */
static void know_code(const char *fingerprint)
{
    kg__baseline held;
    json_t *code = fingerprint != NULL ? json_pack("{s:s}", "fingerprint", fingerprint) : NULL;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &held, NULL) == KG__LOADED);
    kg__baseline_set_code(kg__baseline_find(&held, SLOW), code);
    cr_assert(kg__baseline_save(at("baselines/nvidia-fake.json"), &held, NULL));
    kg__baseline_free(&held);
    json_decref(code);
}

/* A time beyond its limit is a session only if the kernel is known to be the one that was recorded,
 * or whoever adopts it says that it is. */
Test(adopt, what_is_beyond_its_limit_is_left_out_unless_its_code_is_known)
{
    static const struct {
        double time;
        const char *then; /* the fingerprints */
        const char *now;
        bool taken;
        bool taken_by_yes;
    } gates[] = {
        { 10200, NULL, NULL, true, true },
        { 10201, NULL, NULL, false, true },
        { 9800, NULL, NULL, false, true },
        { 10400, FINGERPRINT, NULL, false, true },
        { 10400, NULL, FINGERPRINT, false, true },
        { 10400, FINGERPRINT, FINGERPRINT, true, true },
        { 10400, FINGERPRINT, OTHER, false, false },
        { 10100, FINGERPRINT, OTHER, false, false },
    };
    char *before = stored();

    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        for (size_t yes = 0; yes < 2; yes++) {
            bool taken = yes ? gates[i].taken_by_yes : gates[i].taken;
            char how[64];
            const char *path;
            json_t *results;
            json_t *kernel = json_object();
            ending seen;

            write_text(at("baselines/nvidia-fake.json"), before);
            know_code(gates[i].then);
            kg__format(how, sizeof how, "* copy hot %zu\n", 100100 + 2 * i + yes);
            results = read_json(gate_of("1.json", how, gates[i].time));
            if (gates[i].now != NULL)
                json_object_set_new(kernel, "fingerprint", json_string(gates[i].now));
            json_object_set_new(slow_in(results), "kernel", kernel);
            path = keep(results, "1.json");
            seen = adopt(path, NULL, yes ? "--yes" : NULL);
            expect_ending(&seen, 0, taken ? "6 of 6" : "1.json: " SLOW ": ");
            cr_expect((strstr(seen.output, "--yes") != NULL) == (!taken && gates[i].taken_by_yes),
                      "%zu: %s", i, seen.output);
            free(seen.output);
            expect_sessions(SLOW, "time_ns", taken ? 6 : 5, 10000);
            expect_sessions(QUICK, "time_ns", 6, 5000);
        }
    }
    free(before);
}

/* A band that a hand wrote is not widened, and would not be the limit any more. */
Test(adopt, sessions_that_outgrow_a_band_by_hand_are_refused)
{
    const char *path = gate_of("1.json", "* copy hot 100100\n", 10150);
    kg__baseline_metric *metric;
    kg__baseline held;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &held, NULL) == KG__LOADED);
    metric = kg__baseline_metric_of(kg__baseline_find(&held, SLOW), "time_ns");
    metric->band = 0.016;
    metric->band_by_hand = true;
    cr_assert(kg__baseline_save(at("baselines/nvidia-fake.json"), &held, NULL));
    kg__baseline_free(&held);
    expect_refusal(path, NULL,
                   "not written: " SLOW ": time_ns: band is 1.6 %, and the limit is 1.8 %");
}
