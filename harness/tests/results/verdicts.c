/* SPDX-License-Identifier: MIT */
/* Verdicts and results of cases: nothing is lost between the struct and its JSON. */
#include "results/verdicts.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "tests/fakes/drive.h"

static kg__error error;

TestSuite(verdicts, .init = make_folder, .fini = remove_folder);

#define HEAD                                                                                       \
    "{'schema': 'kernelgate-verdicts/1', 'test': 'gpu.a.time', 'complete': true, 'exit_code': 0"

/* Every member that a case's result has. */
static const char whole_case[] =
    "{'case': 'a/b/1/b1', 'target': 'nvidia-fake', 'part': 'time',"
    " 'seconds': 0.5, 'metrics': {'time_ns': {'value': 5.5, 'low': 5.25, 'high': 6.0,"
    " 'samples': 9, 'launches': 2, 'clock': 'graph', 'statistic': 'mean', 'buffer_sets': 3,"
    " 'baseline': 5.0, 'band': 0.02, 'change': 0.1, 'limit': 0.02, 'smallest': 0.03,"
    " 'gated': true, 'tripped': true, 'verdict': 'slower', 'why': 'slower',"
    " 'samples_ns': [[5.5, 5.625], [5.75]]},"
    " 'barriers': {'value': 7, 'baseline': 6, 'gated': false, 'verdict': 'pass', 'why': ''},"
    " 'untold': {}}, 'verdict': 'slower', 'why': 'time_ns slower', 'moves': 'time_ns', "
    "'observers': 3,"
    " 'smallest': 0.03, 'findings': [{'kind': 'misaligned', 'file': 'a.cu', 'line': 3}],"
    " 'more_findings': 2, 'also': 'more', 'failure': {'kind': 'guard_zone', 'symbol': 'c'},"
    " 'at': {'file': 'a.cu', 'line': 4}, 'absent': {'cold_time_ns': 'no buffers'},"
    " 'lines': {'a.cu:14': {'barriers': 7}}, 'sampled': {'blocks': 3, 'of': 9},"
    " 'work': {'operations': 1.0, 'bytes': 2.0}, 'kernel': {'registers': 32},"
    " 'gpu_state': {'temperature_c': 40, 'clock_reasons': 'none'}, 'changed': ['registers 32 -> "
    "40'],"
    " 'suspect': true, 'first': {'measured': {'event': 'measured', 'case': 'a/b/1/b1',"
    " 'metrics': {'time_ns': {'value': 5.5}}}, 'sentinels': {'event': 'sentinels',"
    " 'copy': {'value': 2.5}}}, 'pairs': {'time_ns': {'count': 12, 'change': 0.1, 'low': 0.05,"
    " 'high': 0.15, 'p': 0.25}}, 'base': {'ref': 'main', 'commit': '1234'}, 'note': 'new',"
    " 'imported': {'from': 'nvbench', 'name': 'b', 'files': ['a.json'], 'target': 't'}}";

static const char whole_verdicts[] =
    "{'schema': 'kernelgate-verdicts/1', 'test': 'gpu.a.time', 'complete': false, 'seconds': 1.5,"
    " 'exit_code': 0, 'target': {'key': 'nvidia-fake', 'name': 'Fake', 'compute_capability': '9.0',"
    " 'memory_mib': 5, 'multiprocessors': 4, 'compiler': 'gcc'}, 'provenance': {'driver': '1'},"
    " 'board': 'GPU-1', 'skipped': '', 'skipped_by': 'no-baseline',"
    " 'errors': ['broken'], 'vanished': ['a/b/2/b1'],"
    " 'refused': [{'case': 'a/b/3/b1', 'why': 'odd'}],"
    " 'claims': [{'claim': 'c', 'holds': false, 'why': ''}], 'notes': ['note'],"
    " 'cases': [{'case': 'a/b/1/b1', 'target': 't', 'metrics': {},"
    " 'verdict': 'pass', 'why': ''}]}";

/* Fails unless two documents are the same. */
static void expect_equal(const json_t *written, const json_t *document)
{
    cr_expect(json_equal(written, document), "%s",
              keep_text(json_dumps(written, JSON_INDENT(1) | JSON_ENCODE_ANY)));
}

static kg__verdicts *read_as_file(const json_t *document)
{
    kg__verdicts *verdicts;

    cr_assert(json_dump_file(document, at("read.verdicts.json"), 0) == 0);
    verdicts = kg__verdicts_load(test_pool(), at("read.verdicts.json"), &error);
    cr_assert(verdicts != NULL, "%s", error.text);
    return verdicts;
}

static json_t *written_by(const kg__verdicts *verdicts)
{
    cr_assert(kg__verdicts_save(verdicts, at("written.verdicts.json"), &error), "%s", error.text);
    return read_json(at("written.verdicts.json"));
}

Test(verdicts, a_result_is_written_as_it_was_read)
{
    json_t *document = json_of(whole_case);
    const kg__case_result *result = kg__case_result_read(test_pool(), document, &error);

    cr_assert(result != NULL, "%s", error.text);
    cr_expect(result->metric_count == 3 && result->metrics[0].pairs.count == 12 &&
              result->metrics[0].sample_count == 2 && result->metrics[1].gated == KG__NO &&
              result->metrics[2].verdict == KG__VERDICTS);
    expect_equal(keep_json(kg__case_result_json(result)), document);
}

Test(verdicts, are_written_as_they_were_read)
{
    json_t *document = json_of(whole_verdicts);
    kg__verdicts *verdicts = read_as_file(document);

    cr_expect(verdicts->skipped_by == KG__SKIP_NO_BASELINE && verdicts->exit_code == 0);
    expect_equal(written_by(verdicts), document);
}

/* What is in the file for each case, beside its result: the words that results.json shows, and what
 * cases that failed alike have in common. */
static const struct {
    const char *entry, *expected;
} explained[] = {
    { "{'case': 'a/b/1/b1', 'verdict': 'pass', 'why': 'sampled'}",
      "{'reason': null, 'group': null}" },
    { "{'case': 'a/b/1/b1', 'verdict': 'pass', 'reason': 'of before', 'group': 'of before'}",
      "{'reason': null, 'group': null}" },
    { "{'case': 'a/b/1/b1', 'verdict': 'noisy'}",
      "{'reason': 'no reason was recorded', 'group': null}" },
    { "{'case': 'a/b/1/b1', 'verdict': 'slower', 'why': 'loads rose; to accept it: x',"
      " 'moves': 'loads rose'}",
      "{'reason': 'loads rose; to accept it: x', 'group': null, 'moves': 'loads rose'}" },
    { "{'case': 'a/b/1/b1', 'target': 't', 'verdict': 'error', 'why': 'killed after 60 s'}",
      "{'reason': 'killed after 60 s', 'group': 'error t a/b/ killed after # s', 'moves': null}" },
    { "{'case': 'a/b/1/b1', 'target': 't', 'verdict': 'wrong', 'why': 'y', 'also': 'z',"
      " 'findings': [{'kind': 'misaligned', 'file': 'a.cu', 'line': 3, 'symbol': 's'}]}",
      "{'reason': 'a.cu:3: error: misaligned access of 0 bytes at s + 0, an address that is"
      " not a multiple of 0; z',"
      " 'group': 'wrong t a/b/ misaligned a.cu:3 s ',"
      " 'findings': [{'kind': 'misaligned', 'file': 'a.cu', 'line': 3, 'symbol': 's',"
      " 'text': 'misaligned access of 0 bytes at s + 0, an address that is not a multiple"
      " of 0'}]}" },
};

Test(verdicts, explain_what_did_not_pass)
{
    for (size_t i = 0; i < sizeof explained / sizeof *explained; i++) {
        json_t *read =
            keep_json(json_pack("{s:s, s:s, s:[O]}", "schema", KG__VERDICTS_SCHEMA, "test",
                                "gpu.a.check", "cases", json_of(explained[i].entry)));
        json_t *expected = json_of(explained[i].expected);
        json_t *document = written_by(read_as_file(read));
        json_t *wanted;
        const char *key;

        json_object_foreach (expected, key, wanted) {
            json_t *got =
                json_object_get(json_array_get(json_object_get(document, "cases"), 0), key);

            if (json_is_null(wanted))
                cr_expect(got == NULL, "%zu: %s", i, key);
            else
                expect_equal(got, wanted);
        }
    }
}

Test(verdicts, grow)
{
    kg__pool *pool = test_pool();
    kg__verdicts *verdicts = kg__verdicts_make(pool, "gpu.a.check");

    for (int i = 0; i < 5; i++) {
        kg__verdicts_add_claim(verdicts,
                               &(kg__claim){ .claim = "claim", .holds = i == 4, .why = "" });
        kg__verdicts_add_refusal(verdicts, &(kg__refusal){ "a/b/1/b1", "odd", false });
        kg__pool_add_text(pool, &verdicts->notes, "note");
        kg__verdicts_add_case(
            verdicts, kg__case_result_make(pool, i == 3 ? "d" : "e", "t", "check", KG__PASS, ""));
    }
    cr_expect(verdicts->claim_count == 5 && verdicts->claims[4].holds &&
              !verdicts->claims[3].holds);
    cr_expect(verdicts->refused_count == 5 && verdicts->notes.count == 5);
    cr_expect(verdicts->cases[3] == kg__verdicts_find(verdicts, "d"));
    cr_expect(kg__verdicts_find(verdicts, "f") == NULL && kg__verdicts_find(NULL, "d") == NULL);
}

/* What a reader refuses, and what it says of it. */
static const struct {
    const char *entry, *error;
} unreadable[] = {
    { "{'case': 'a', 'why': 5}", "why is not a text" },
    { "{'case': 'a', 'verdict': 'good'}", "verdict is not known here" },
    { "{'case': 'a', 'metrics': {'time_ns': {'value': 'x'}}}",
      "metrics: time_ns: value is not a number" },
    { "{'case': 'a', 'metrics': {'time_ns': {'samples_ns': [['x']]}}}",
      "metrics: time_ns: samples_ns is not a list of numbers of each process" },
    { "{'case': 'a', 'first': {'measured': {}}}", "first: measured: event is not a text" },
    { "{'case': 'a', 'changed': [5]}", "changed is not a list of texts" },
    { "{'case': 'a', 'moves': 5}", "moves is not a text" },
    { "{'case': 'a', 'metrics': []}", "metrics is not an object" },
    { "{'case': 'a', 'pairs': 'x'}", "pairs is not an object" },
    { "{'case': 'a', 'first': true}", "first: is not an object" },
    { "{'case': 'a', 'gpu_state': []}", "gpu_state is not an object" },
    { "{'case': 'a', 'metrics': {'time_ns': {'samples_ns': {}}}}",
      "metrics: time_ns: samples_ns is not a list of numbers of each process" },
    { "{'case': 'a', 'metrics': {'time_ns': {'samples_ns': [5]}}}",
      "metrics: time_ns: samples_ns is not a list of numbers of each process" },
};

Test(verdicts, what_is_of_another_type_is_not_read)
{
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
        cr_expect(kg__case_result_read(test_pool(), json_of(unreadable[i].entry), &error) == NULL);
        cr_expect(strstr(error.text, unreadable[i].error) == error.text, "%s", error.text);
    }
}

static kg__tally tally_of(const char *text)
{
    kg__tally tally = { 0 };

    kg__verdicts_tally(read_as_file(json_of(text)), &tally);
    return tally;
}

Test(verdicts, tally_counts_everything)
{
    kg__tally tally =
        tally_of(HEAD ", 'cases': [{'verdict': 'pass'}, {'verdict': 'slower'}, {'verdict': "
                      "'slower'}, {'verdict': 'error'}], 'vanished': ['e', 'f'], 'errors': ['g'], "
                      "'claims': [{'claim': 'h', 'holds': false}, {'claim': 'i', 'holds': true}]}");

    cr_expect(eq(sz, tally.verdicts[KG__PASS], 1));
    cr_expect(eq(sz, tally.verdicts[KG__SLOWER], 2));
    cr_expect(eq(sz, tally.verdicts[KG__ERROR], 1));
    cr_expect(eq(sz, tally.vanished, 2));
    cr_expect(eq(sz, tally.failed_claims, 1));
    cr_expect(eq(sz, tally.broken, 1));
    cr_expect(eq(sz, tally.unavailable + tally.filtered_out, 0));
}

/* A test that judged nothing and gives no reason is broken. */
Test(verdicts, tally_counts_reasons_to_skip)
{
    static const struct {
        const char *text;
        size_t filtered_out, unavailable, broken;
    } rows[] = {
        { HEAD ", 'skipped': 'x', 'skipped_by': 'filter'}", 1, 0, 0 },
        { HEAD ", 'skipped': 'x', 'skipped_by': 'unavailable'}", 0, 1, 0 },
        { HEAD ", 'skipped': 'x', 'skipped_by': 'no-baseline'}", 0, 1, 0 },
        { HEAD "}", 0, 0, 1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__tally tally = tally_of(rows[i].text);

        cr_expect(eq(sz, tally.filtered_out, rows[i].filtered_out), "%s", rows[i].text);
        cr_expect(eq(sz, tally.unavailable, rows[i].unavailable), "%s", rows[i].text);
        cr_expect(eq(sz, tally.broken, rows[i].broken), "%s", rows[i].text);
    }
}

/* Whether a file of a text is read as verdicts. */
static bool loads(const char *name)
{
    return kg__verdicts_load(test_pool(), at(name), &error) != NULL;
}

static void write_quoted(const char *text)
{
    write_text(at("x.verdicts.json"), quote(text));
}

static void expect_unloadable(const char *name, const char *message)
{
    cr_expect(not(loads(name)), "%s", message);
    cr_expect(strstr(error.text, message) != NULL && strstr(error.text, name) != NULL,
              "\"%s\" is not in \"%s\"", message, error.text);
}

static void expect_refused(const char *text, const char *message)
{
    write_quoted(text);
    expect_unloadable("x.verdicts.json", message);
}

Test(verdicts, load_accepts_what_is_not_known_here)
{
    write_quoted(HEAD ", 'unheard_of': 1, 'cases': [{'case': 'a', 'target': 't', 'verdict': "
                      "'pass', 'metrics': {'time_ns': {'value': null}}}]}");
    cr_assert(loads("x.verdicts.json"), "%s", error.text);
}

Test(verdicts, load_refuses_what_is_no_verdicts_file)
{
    expect_unloadable("none.verdicts.json", "none.verdicts.json: cannot be read: No such file");
    expect_unloadable("", "it is not a regular file");
    cr_assert(mkfifo(at("pipe"), 0600) == 0);
    expect_unloadable("pipe", "");
    expect_refused("", "is not JSON");
    expect_refused(HEAD ", 'cases': [\n{'case': 'a/b", "x.verdicts.json:2: is not JSON");
    expect_refused("[]", "is not a JSON object");
    expect_refused("{'schema': 1}", "its schema is \"\"");
    expect_refused("{'schema': 'kernelgate-verdicts/2'}",
                   "its schema is \"kernelgate-verdicts/2\"");
    expect_refused("{'schema': 'kernelgate-verdicts/1', 'schema': 'x'}", "duplicate");
    expect_refused(HEAD ", 'notes': ['\xff']}", "is not JSON");
}

/* The members of each kind; tools/kernelgate/verdicts.schema.json knows all of them. */
Test(verdicts, load_names_the_member_of_the_wrong_type)
{
    static const struct {
        const char *members, *message;
    } wrong[] = {
        { ", 'seconds': '3'}", "seconds is not a number: run the test again" },
        { ", 'complete': 1}", "complete" },
        { ", 'board': 0.5}", "board is not a text" },
        { ", 'target': 5}", "target: " },
        { ", 'target': {'key': 1}}", "target: key is not a text" },
        { ", 'provenance': []}", "provenance is not an object" },
        { ", 'skipped': 'no GPU', 'skipped_by': 'whim'}", "skipped_by is not known here" },
        { ", 'errors': ['e', 1]}", "errors is not a list of texts" },
        { ", 'refused': [{'case': 'a', 'why': 1}]}", "refused[0]" },
        { ", 'claims': {'holds': true}}", "claims is not" },
        { ", 'cases': {}}", "cases is not a list" },
        { ", 'cases': [5]}", "cases[0]: " },
        { ", 'cases': [{'findings': [{'kind': 'none'}]}]}",
          "cases[0]: finding: kind is not known here" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024];

        snprintf(text, sizeof text, "%s%s", i == 1 ? "{'schema': 'kernelgate-verdicts/1'" : HEAD,
                 wrong[i].members);
        expect_refused(text, wrong[i].message);
    }
}

Test(verdicts, a_file_cut_anywhere_is_refused)
{
    char text[sizeof whole_verdicts];

    for (size_t length = 0; length + 1 < sizeof whole_verdicts; length++) {
        error.text[0] = '\0';
        memcpy(text, whole_verdicts, length);
        text[length] = '\0';
        write_quoted(text);
        cr_assert(not(loads("x.verdicts.json")), "cut at %zu", length);
        cr_assert(error.text[0] != '\0');
    }
}
