/* Reading baselines: each kind of member that is wrong, and of one that would hide a change. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "suite/counters.h"
#include "tests/baseline/baseline_fixture.h"

TestSuite(baseline_members, .init = begin_baselines, .fini = remove_folder);

Test(baseline_members, ids_that_are_no_cases)
{
    static const char *const ids[] = { "a",      "a/b/1",     "a/b/1/-/x", "a//1/-",     "/b/1/-",
                                       "a/b/1/", "a b/c/1/-", "a/b/1/ü",   "a/b/1/b16*", "////" };

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char text[256];
        kg__baseline baseline;

        kg__format(text, sizeof text, "'%s': {'barriers': {'value': 1}}", ids[i]);
        write_text(path, with_case(text));
        kg__format(text, sizeof text,
                   ":4: cases: %s: is not a case: comparison/variant/size/launch" REMEDY, ids[i]);
        baseline = load_bad(text);
        cr_expect(baseline.case_count == 1, "%s", ids[i]);
        kg__baseline_free(&baseline);
    }
}

#define TIME(more) "'time_ns': {'value': 10000, " more "}"
#define LINES(text) ", 'lines': {" text "}"
static const struct {
    bool model;
    const char *text;
    const char *at; /* the member that is at fault; NULL: the case is right */
} hidden_changes[] = {
    { true, "'barriers': {'value': -0.0}", "barriers: value" },
    { false, "'barriers': {'value': -0.0}", "barriers: value" },
    { true, "'barriers': {'value': 0.0}", NULL },
    { true, "'barriers': {'value': 5, 'gated': false}", "barriers: gated" },
    { true, "'barriers': {'value': 5, 'gated': false, 'band_by': 'hand'}", NULL },
    { true, "'barriers': {'value': 5, 'gated': true}", NULL },
    { true, "'barriers': {'value': 5}" LINES("'k.cu:1': {'barriers': 4}"), "barriers" },
    { true, "'barriers': {'value': 5}" LINES("'k.cu:1': {'barriers': 6}"), "barriers" },
    { true, "'barriers': {'value': 5}" LINES("'k.cu:1': {'barriers': 5, 'shuffles': 1}"),
      "shuffles" },
    { true, "'barriers': {'value': 5}" LINES("'k.cu:1': {'shared_bytes': 5}"), "barriers" },
    { true,
      "'barriers': {'value': 5}, 'shared_bytes': {'value': 64}, 'busiest_block_requests': "
      "{'value': 3}" LINES("'k.cu:1': {'barriers': 2}, 'k.cu:2': {'barriers': 3}"),
      NULL },
    { true, "'barriers': {'value': 5}", NULL },
    /* Recording keeps the value of a counter that stayed within a hand's band. */
    { true,
      "'barriers': {'value': 100, 'band': 0.1, 'band_by': 'hand'}" LINES(
          "'k.cu:1': {'barriers': 109}"),
      NULL },
    { true,
      "'barriers': {'value': 100, 'band': 0.1, 'band_by': 'hand'}" LINES(
          "'k.cu:1': {'barriers': 111}"),
      "barriers" },
    { false, TIME("'band': 0.001, 'gated': true"), NULL },
    { true, "'barriers': 5", NULL },
    { true, "'barriers': 5.5", "barriers" },
    { true, "'barriers': -0.0", "barriers" },
    { true, "'barriers': -1", "barriers" },
    { true, "'barriers': 5" LINES("'k.cu:1': {'barriers': 4}"), "barriers" },
    { false, "'time_ns': 10000", "time_ns" },
    { false, TIME("'band': 0.02, 'band_by': 'hand', 'floor': 501"), "time_ns: floor" },
    { false, TIME("'band': 0.02, 'floor': 500"), NULL },
    { false, TIME("'band': 0.02, 'gated': false, 'floor': 501"), NULL },
};
#undef TIME

/* What would switch a check off, or loosen it, without a word of it in the file. */
Test(baseline_members, what_would_hide_a_change)
{
    for (size_t i = 0; i < sizeof hidden_changes / sizeof *hidden_changes; i++) {
        char text[512];
        char where[256];
        kg__baseline baseline;
        kg__error error = { "" };
        kg__load_status status;

        if (hidden_changes[i].model)
            be_the_model();
        else
            be_a_gpu();
        kg__format(text, sizeof text, "'a/b/530/b16': {%s}", hidden_changes[i].text);
        write_text(path, with_case(text));
        status = kg__baseline_load(path, &baseline, &error);
        kg__format(where, sizeof where, "%s:4: cases: a/b/530/b16: %s: ", path,
                   hidden_changes[i].at != NULL ? hidden_changes[i].at : "");
        if (hidden_changes[i].at == NULL)
            cr_expect(status == KG__LOADED && baseline.case_count == 2, "%s", error.text);
        else
            cr_expect(status == KG__BAD && baseline.case_count == 1 &&
                          strncmp(error.text, where, strlen(where)) == 0,
                      "%s: \"%s\"", hidden_changes[i].text, error.text);
        kg__baseline_free(&baseline);
    }
}

/* How the text of a row becomes a file: the file itself; what follows its schema; another case
 * before a good one; the members of such a case, of a GPU or of the CPU model. *_WITH: what follows
 * a schema, a target and no cases. */
enum kind { WHOLE, HEADED, GPU_WITH, MODEL_WITH, CASE, METRIC, COUNTERS };

#define HEAD "{'schema': 'kernelgate-baseline/2',\n "

static const struct {
    enum kind kind;
    const char *text;
    /* After the path; after the case where members of it are given. NULL: of the older schema. */
    const char *message;
} bad_files[] = {
    { WHOLE, "", ":1: the file is empty" REMEDY },
    { WHOLE, "[]", ":1: is not a JSON object" REMEDY },
    { WHOLE, "{} {}", ":1: end of file expected near '{'" REMEDY },
    { WHOLE, "{}", ":1: has no \"schema\"" REMEDY },
    { WHOLE, "{\n'schema': 1}", ":2: schema: is not a string" REMEDY },
    { WHOLE, "{'schema': 'kernelgate-baseline/3',\n 'cases': {'new': 1}}",
      ":1: schema kernelgate-baseline/3 is not the one this program reads (kernelgate-baseline/2): "
      "update kernelgate or record again with ci/rebaseline" },
    { WHOLE, "{'schema': 'kernelgate-baseline/1', 'cases': 1}",
      ":1: schema kernelgate-baseline/1 is not the one this program reads (kernelgate-baseline/2): "
      "update kernelgate or record again with ci/rebaseline" },
    { WHOLE, "{'schema': 'kernelgate-baseline/2', 'cases': {}}", ":1: has no \"target\"" REMEDY },
    { WHOLE, "{'schema': 'kernelgate-baseline/2',\n'target': {'key': 'nvidia-h200'}}",
      ":1: has no \"cases\"" REMEDY },
    { WHOLE, "{'schema': 'kernelgate-baseline/2',\n'target': {}, 'cases': {}}",
      ":2: target: has no \"key\"" REMEDY },
    { WHOLE,
      "{'schema': 'kernelgate-baseline/2',\n 'target': {'key': 'nvidia-h200',\n  'clock_mhz': "
      "1980},\n 'cases': {}}",
      ":3: target: clock_mhz: is an unknown key" REMEDY },
    { HEADED, "'target': 1, 'cases': {}", ":2: target: is not an object" REMEDY },
    { HEADED, "'target': {'key': ''}, 'cases': {}",
      ":2: target: key: is not a string, or is empty" REMEDY },
    { HEADED, "'target': {'key': 'nvidia-h100'}, 'cases': {}",
      ":2: target: key: is nvidia-h100, which belongs in nvidia-h100.json: rename the file, or "
      "record a baseline with ci/rebaseline" },
    { HEADED,
      "'target': {'key': 'nvidia-h200', 'compute_capability': '9.0.0.0.0.0.0.0.0'}, 'cases': {}",
      ":2: target: compute_capability: has more than 15 bytes" REMEDY },
    { HEADED, "'target': {'key': 'nvidia-h200', 'memory_mib': 1.5}, 'cases': {}",
      ":2: target: memory_mib: is not a whole number" REMEDY },
    { HEADED, "'target': {'key': 'nvidia-h200', 'memory_mib': -1}, 'cases': {}",
      ":2: target: memory_mib: is out of range: it has to be from 0 to 9007199254740992" REMEDY },
    { HEADED, "'target': {'key': 'nvidia-h200', 'multiprocessors': 2147483648}, 'cases': {}",
      ":2: target: multiprocessors: is out of range: it has to be from 0 to 2147483647" REMEDY },
    { GPU_WITH, "'provenance': []", ":2: provenance: is not an object" REMEDY },
    { GPU_WITH, "'provenance': {'driver': [580]}",
      ":2: provenance: driver: is not a string, number or boolean" REMEDY },
    { GPU_WITH, "'sentinels': 1", ":2: sentinels: is not an object" REMEDY },
    { GPU_WITH, "'sentinels': {'cpy': {'time_ns': {}}}",
      ":2: sentinels: cpy: is not a sentinel's name" REMEDY },
    { GPU_WITH, "'sentinels': {'copy': {'commit': 'x'}}",
      ":2: sentinels: copy: commit: is an unknown key" REMEDY },
    { GPU_WITH, "'sentinels': {'copy': {}}", ":2: sentinels: copy: has no metric" REMEDY },
    { GPU_WITH, "'sentinels': {'copy': {'cold_time_ns': {'value': 5, 'band': 0.02, 'floor': 50}}}",
      ":2: sentinels: copy: has no \"time_ns\", so that no drift of the machine is seen" REMEDY },
    { HEADED, "'target': {'key': 'nvidia-h200'}, 'cases': []",
      ":2: cases: is not an object" REMEDY },
    { CASE, "'a/b/1/-': []", ":4: cases: a/b/1/-: is not an object" REMEDY },
    { CASE, "'a/b/1/-': {'barriers': {'value': 1, 'band_by': 'machine'}}",
      ":4: cases: a/b/1/-: barriers: band_by: can only be \"hand\": omit it otherwise" },
    { CASE, "'a/b/1/-':\n {\n 'b\\u0061rriers': {'value': -1}}",
      ":4: cases: a/b/1/-: barriers: value: is out of range: it has to be from 0 to 2^53" REMEDY },
    { CASE, "'a/b/1/-': {'barriers': {'value': 5}, 'lines': {}}",
      ":4: cases: a/b/1/-: lines: is an unknown key" REMEDY },
    { METRIC, "'barriers': {'value': 1, 'bnad': 0.02}", "barriers: bnad: is an unknown key" },
    { METRIC, "'': {'value': 1}", ": is an unknown key" },
    { METRIC, "'sectors/request': {'value': 1}", "sectors/request: is an unknown key" },
    { METRIC, "'note': 'mine'", "note: is neither a known key nor the object of a metric" },
    { METRIC, "'commit': '', 'barriers': {'value': 1}", "commit: is not a string, or is empty" },
    { METRIC, "'code': 7, 'barriers': {'value': 1}", "code: is not an object" },
    { METRIC, "'code': {}, 'barriers': {'value': 1}",
      "code: is empty: omit it where nothing is known" },
    { METRIC, "'code': {'spill_bytes': 0}, 'barriers': {'value': 1}",
      "code: spill_bytes: is an unknown key" },
    { METRIC, "'code': {'registers': 4.5}, 'barriers': {'value': 1}",
      "code: registers: is not a whole number from 0 to 1000000000" },
    { METRIC, "'code': {'fingerprint': 7}, 'barriers': {'value': 1}",
      "code: fingerprint: is not a string of 16 hexadecimal digits" },
    { METRIC, "'barriers': {'value': '1'}", "barriers: value: is not a number" },
    { METRIC, "'barriers': {'value': 1, 'band': '0'}", "barriers: band: is not a number" },
    { METRIC, "'barriers': {'value': 1, 'gated': 0}",
      "barriers: gated: is neither true nor false" },
    { METRIC, "'barriers': {'value': -1}",
      "barriers: value: is out of range: it has to be from 0 to 2^53" },
    { METRIC, "'barriers': {'value': 9007199254740994}",
      "barriers: value: is out of range, being beyond 2^53" },
    { METRIC, "'time_ns': {'value': 0, 'band': 0.02, 'floor': 50}",
      "time_ns: value: is out of range: a time has to be above 0" },
    { METRIC, "'time_ns': {'value': 1, 'band': 1, 'floor': 50}",
      "time_ns: band: is out of range: it has to be a fraction from 0 to less than 1" },
    { METRIC, "'time_ns': {'value': 1, 'band': 0.02, 'floor': -1}",
      "time_ns: floor: is out of range: it has to be from 0 to 2^53" },
    { METRIC, "'time_ns': {'value': 1, 'band': 0.02, 'noise': 1}",
      "time_ns: noise: is not an array of two numbers, within a board and between boards" },
    { METRIC, "'time_ns': {'value': 1, 'band': 0.02, 'noise': [0.01]}",
      "time_ns: noise: is not an array of two numbers, within a board and between boards" },
    { METRIC, "'time_ns': {'value': 1, 'band': 0.02, 'noise': [0.01, 0.02, 0.03]}",
      "time_ns: noise: is not an array of two numbers, within a board and between boards" },
    { METRIC, "'time_ns': {'value': 1, 'band': 0.02, 'noise': [0.01, '2']}",
      "time_ns: noise: is not a number" },
    { METRIC, "'time_ns': {'value': 1, 'band': 0.02, 'noise': [-0.1, 0]}",
      "time_ns: noise: holds a standard deviation that is not from 0 to 1000" },
    { METRIC, "'time_ns': {'value': 1, 'band': 0.02, 'sessions': [1, 1]}",
      "time_ns: sessions: is an unknown key" },
    { METRIC, "'boards': 0, 'barriers': 1", "boards: is not a whole number from 1 to 1000000" },
    { METRIC, "'sessions': [1], 'barriers': 1",
      "sessions: is not a whole number from 1 to 1000000" },
    { METRIC, "'sessions': 1000001, 'barriers': 1",
      "sessions: is not a whole number from 1 to 1000000" },
    { METRIC, "'barriers': {'band': 0}", "barriers: has no \"value\"" },
    { METRIC, "'time_ns': {'value': 1, 'floor': 50}", "time_ns: has no \"band\"" },
    { METRIC, "'commit': 'c'", "has no metric" },
    { METRIC, "'time_ms': {'value': 1, 'band': 0.02, 'floor': 0}",
      "time_ms: has a unit that is not used here: times are in ns" },
    { METRIC, "'barriers': {'value': -1}, 'shuffles': '7'",
      "barriers: value: is out of range: it has to be from 0 to 2^53" },
    { COUNTERS, "'speed': {'value': 5}",
      "speed: is not a counter of the CPU model (a ratio is not a counter, it follows from two)" },
    { COUNTERS, "'global_load_sectors_per_request': {'value': 5}",
      "global_load_sectors_per_request: is not a counter of the CPU model (a ratio is not a "
      "counter, it follows from two)" },
    { COUNTERS, "'time_ns': {'value': 5, 'band': 0.02, 'floor': 50}",
      "time_ns: floor: is for times, and a counter has none" },
    { COUNTERS, "'barriers': {'value': 5, 'floor': 0}",
      "barriers: floor: is for times, and a counter has none" },
    { COUNTERS, "'barriers': {'value': 5, 'noise': [0, 0]}",
      "barriers: noise: is for times, and a counter has none" },
    { COUNTERS, "'barriers': 5, 'boards': 1", "boards: is an unknown key" },
    { COUNTERS, "'barriers': 5.5", "barriers: is not a whole number: a counter counts" },
    { COUNTERS, "'barriers': {'value': 5.5}",
      "barriers: value: is not a whole number: a counter counts" },
    { COUNTERS, "'barriers': {'value': 9007199254740993}",
      "barriers: value: is out of range, being beyond 2^53" },
    { COUNTERS, "'barriers': {'value': 5, 'band': 0.02}",
      "barriers: band: is not 0: a counter repeats exactly (with \"band_by\": \"hand\" it may be "
      "wider)" },
    { COUNTERS, "'barriers': {'value': 5}, 'lines': []", "lines: is not an object" },
    { COUNTERS, "'barriers': {'value': 5}, 'lines': {'k.cu': {'barriers': 1}}",
      "lines: k.cu: is not a line of source: write FILE:LINE" },
    { COUNTERS, "'barriers': {'value': 5}, 'lines': {'k.cu:1': {}}",
      "lines: k.cu:1: is not an object of counters, or has none" },
    { COUNTERS, "'barriers': {'value': 5}, 'lines': {'k.cu:1': {'barriers': 0}}",
      "lines: k.cu:1: barriers: is not a whole number from 1 to 2^53" },
    { COUNTERS, "'barriers': {'value': 5}, 'lines': {'k.cu:1': {'time_ns': 1}}",
      "lines: k.cu:1: time_ns: is not a counter of the CPU model" },
    { COUNTERS, "'lines': {'k.cu:1': {'barriers': 1}}", "has no metric" },
    { MODEL_WITH, "'sentinels': {'copy': {'time_ns': {'value': 5, 'band': 0, 'floor': 1}}}",
      ":2: sentinels: are kernels of a GPU's, and the CPU model has none" REMEDY },
    { MODEL_WITH, "'checked': {}", ":2: checked: is not an array of cases" REMEDY },
    { MODEL_WITH, "'checked': [1]",
      ":2: checked: holds '', which is not a case (comparison/variant/size/launch)" REMEDY },
    { MODEL_WITH, "'checked': ['a/b/1']",
      ":2: checked: holds 'a/b/1', which is not a case (comparison/variant/size/launch)" REMEDY },
    { MODEL_WITH, "'checked': ['a/b/1/-', 'a/b/1/-']",
      ":2: checked: holds 'a/b/1/-' twice" REMEDY },
    { MODEL_WITH, "'provenance': {'model': '1', 'measured_by': 'nvbench'}",
      ":2: provenance: measured_by: names another tool, and the target is that of this project's "
      "own programs: take it out, or import to another --target" REMEDY },
    { GPU_WITH, "'checked': []", ":2: checked: is an unknown key" REMEDY },
};

/* Every bad file is complained about by line and member, and a bad case costs itself alone. */
Test(baseline_members, what_is_wrong_with_a_file)
{
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        enum kind kind = bad_files[i].kind;
        char text[2048];
        char message[KG__MESSAGE_SIZE];
        kg__baseline baseline;

        if (kind == COUNTERS || kind == MODEL_WITH)
            be_the_model();
        else
            be_a_gpu();
        kg__format(message, sizeof message, "%s", bad_files[i].message);
        if (kind >= METRIC)
            kg__format(message, sizeof message, ":4: cases: a/b/530/b16: %s" REMEDY,
                       bad_files[i].message);
        if (kind >= METRIC)
            snprintf(text, sizeof text, "'a/b/530/b16': {%s}", bad_files[i].text);
        else if (kind == HEADED)
            snprintf(text, sizeof text, HEAD "%s}", bad_files[i].text);
        else if (kind == GPU_WITH || kind == MODEL_WITH)
            snprintf(text, sizeof text, HEAD "'target': {'key': '%s'}, 'cases': {}, %s}",
                     target_key, bad_files[i].text);
        else
            snprintf(text, sizeof text, "%s", bad_files[i].text);
        write_text(path, kind >= CASE ? with_case(text) : quote(text));
        baseline = load_bad(message);
        cr_expect(baseline.case_count == (kind >= CASE), "%s", message);
        kg__baseline_free(&baseline);
    }
}

/* The version decides which counters are judged, so the CPU model's file must name one that is. */
Test(baseline_members, versions_of_the_model)
{
    static const struct {
        const char *members; /* of the provenance */
        bool right;
    } rows[] = {
        { "'model': '1'", true },
        { "'model': '" KG__MODEL_VERSION "'", true },
        { "'model': '0'", false },
        { "'model': '01'", false },
        { "'model': '-5'", false },
        { "'model': ''", false },
        { "'model': 'abc'", false },
        { "'model': '1x'", false },
        { "'model': ' 1'", false },
        { "'model': '" KG__MODEL_VERSION "0'", false },
        { "'model': '99999999999999999999'", false },
        { "'model': 1", false },
        { "'compiler': 'gcc 12.2.0'", false },
    };

    be_the_model();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        kg__baseline baseline;
        kg__error error = { "" };

        kg__format(text, sizeof text,
                   "{'schema': 'kernelgate-baseline/2', 'target': {'key': 'cpu-model'},\n"
                   " 'provenance': {%s}, 'cases': {}}",
                   rows[i].members);
        write_text(path, quote(text));
        cr_expect(kg__baseline_load(path, &baseline, &error) ==
                      (rows[i].right ? KG__LOADED : KG__BAD),
                  "%s: %s", rows[i].members, error.text);
        cr_expect(rows[i].right || strstr(error.text, ": provenance: model: ") != NULL, "%s",
                  error.text);
        kg__baseline_free(&baseline);
    }
}

/* What follows "accuracy": where the fault is, NULL where there is none, and how many are read. */
static const struct {
    const char *text;
    const char *at;
    size_t count;
} accuracies[] = {
    { "{}", NULL, 0 },
    { "{'b/b/1/-': [0.5, 0.25], 'a/b/1/-': [0, 0, 0.3]}", NULL, 2 },
    { "[]", "", 0 },
    { "{'a/b/1': [1, 1]}", "a/b/1: ", 0 },
    { "{'a/b/1/-': 1, 'a/b/2/-': [1, 1]}", "a/b/1/-: ", 1 },
    { "{'a/b/1/-': [1]}", "a/b/1/-: ", 0 },
    { "{'a/b/1/-': [1, 2]}", "a/b/1/-: ", 0 },
    { "{'a/b/1/-': [1, -0.0]}", "a/b/1/-: ", 0 },
    { "{'a/b/1/-': [1, '1']}", "a/b/1/-: ", 0 },
    { "{'a/b/1/-': [1, 1, 0]}", "a/b/1/-: ", 0 },
    { "{'a/b/1/-': [1, 1, 1]}", "a/b/1/-: ", 0 },
    { "{'a/b/1/-': [1, 1, 0.1, 1]}", "a/b/1/-: ", 0 },
    { "{'a/b/1/-': [1e300, 1]}", "a/b/1/-: ", 0 },
    { "{'a/b/1/-': [1, 1], 'a/b/1/-': [1, 1]}", "duplicate", 0 },
};

Test(baseline_members, errors_of_checked_cases)
{
    for (size_t i = 0; i < sizeof accuracies / sizeof *accuracies; i++) {
        kg__error error = { "" };
        kg__baseline baseline;
        char text[512];
        bool bad;

        kg__format(text, sizeof text,
                   "{'schema': '" KG__BASELINE_SCHEMA "', 'target': {'key': '%s'}, "
                   "'provenance': {'model': '1'}, 'cases': {}, 'accuracy': %s}",
                   i % 2 == 0 ? KG__MODEL_KEY : "nvidia-fake", accuracies[i].text);
        quote(text);
        bad = kg__baseline_parse(i % 2 == 0 ? KG__MODEL_KEY ".json" : "nvidia-fake.json", text,
                                 strlen(text), &baseline, &error) != KG__LOADED;
        cr_expect(bad == (accuracies[i].at != NULL) &&
                      baseline.accuracy_count == accuracies[i].count,
                  "%s: %s", accuracies[i].text, error.text);
        cr_expect(!bad || strstr(error.text, accuracies[i].at) != NULL, "%s", error.text);
        cr_expect(kg__baseline_accuracy_of(&baseline, "a/b/3/-") == NULL);
        if (accuracies[i].count == 2)
            cr_expect(kg__baseline_accuracy_of(&baseline, "a/b/1/-")->band == 0.3 &&
                      kg__baseline_accuracy_of(&baseline, "b/b/1/-")->errors[0] == 0.5);
        kg__baseline_free(&baseline);
    }
}
