/* Verdicts and results of cases: nothing is lost between the struct and its JSON. */
#include "results/verdicts.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TestSuite(verdicts);

/* Every member that a case's result has. */
static const char whole_case[] =
    "{'case': 'a/b/1/b1', 'target': 'nvidia-fake', 'part': 'time', 'parts': ['time', 'check'],"
    " 'seconds': 0.5, 'metrics': {'time_ns': {'value': 5.5, 'low': 5.25, 'high': 6.0,"
    " 'samples': 9, 'launches': 2, 'clock': 'graph', 'statistic': 'mean', 'buffer_sets': 3,"
    " 'baseline': 5.0, 'band': 0.02, 'change': 0.1, 'limit': 0.02, 'smallest': 0.03,"
    " 'gated': true, 'tripped': true, 'verdict': 'slower', 'why': 'slower',"
    " 'samples_ns': [[5.5, 5.625], [5.75]]},"
    " 'barriers': {'value': 7, 'baseline': 6, 'gated': false, 'verdict': 'pass', 'why': ''},"
    " 'untold': {}}, 'verdict': 'slower', 'why': 'time_ns slower', 'observers': 3,"
    " 'smallest': 0.03, 'findings': [{'kind': 'misaligned', 'file': 'a.cu', 'line': 3,"
    " 'text': 'misaligned access of 0 bytes at 0x0, an address that is not a multiple of 0'}],"
    " 'more_findings': 2, 'also': 'more', 'failure': {'kind': 'guard_zone', 'symbol': 'c'},"
    " 'at': {'file': 'a.cu', 'line': 4}, 'absent': {'cold_time_ns': 'no buffers'},"
    " 'lines': {'a.cu:14': {'barriers': 7}}, 'sampled': {'blocks': 0, 'of': 9},"
    " 'work': {'operations': 1.0, 'bytes': 2.0}, 'kernel': {'registers': 32},"
    " 'card': {'temperature_c': 40, 'clock_reasons': 'none'}, 'changed': ['registers 32 -> 40'],"
    " 'suspect': true, 'first': {'measured': {'event': 'measured', 'case': 'a/b/1/b1',"
    " 'metrics': {'time_ns': {'value': 5.5}}, 'absent': {}}, 'sentinels': {'event': 'sentinels',"
    " 'copy': {'value': 2.5}}}, 'pairs': {'time_ns': {'count': 12, 'change': 0.1, 'low': 0.05,"
    " 'high': 0.15, 'p': 0.25}}, 'base': {'ref': 'main', 'commit': '1234'}, 'note': 'new',"
    " 'imported': {'from': 'nvbench', 'name': 'b', 'files': ['a.json'], 'target': 't'},"
    " 'test': 'gpu.a.time', 'reason': 'slower', 'reproduce': 'ctest'}";

static const char whole_verdicts[] =
    "{'schema': 'kernelgate-verdicts/1', 'test': 'gpu.a.time', 'complete': false, 'seconds': 1.5,"
    " 'exit_code': 0, 'target': {'key': 'nvidia-fake', 'name': 'Fake', 'compute_capability': '9.0',"
    " 'memory_mib': 5, 'multiprocessors': 4, 'compiler': 'gcc'}, 'provenance': {'driver': '1'},"
    " 'board': 'GPU-1', 'skipped': '', 'skipped_by': 'no-baseline', 'nearest': 'a/b/1/b1',"
    " 'errors': ['broken'], 'vanished': ['a/b/2/b1'],"
    " 'refused': [{'case': 'a/b/3/b1', 'why': 'odd'}],"
    " 'claims': [{'claim': 'c', 'holds': false, 'why': ''}], 'notes': ['note'],"
    " 'speedups': ['fast'], 'cases': [{'case': 'a/b/1/b1', 'target': 't', 'metrics': {},"
    " 'verdict': 'pass', 'why': ''}]}";

static json_t *parse(const char *text)
{
    char *quoted = strdup(text);
    json_t *document;

    for (char *c = quoted; *c != '\0'; c++) {
        if (*c == '\'')
            *c = '"';
    }
    document = json_loads(quoted, 0, NULL);
    cr_assert(document != NULL, "%s", quoted);
    free(quoted);
    return document;
}

/* Fails unless two documents are the same. */
static void expect_equal(const json_t *written, const json_t *document)
{
    char *shown = json_dumps(written, JSON_INDENT(1) | JSON_ENCODE_ANY);

    cr_expect(json_equal(written, document), "%s", shown);
    free(shown);
}

Test(verdicts, a_result_is_written_as_it_was_read)
{
    kg__pool pool = { 0 };
    json_t *document = parse(whole_case);
    kg__error error = { "" };
    const kg__case_result *result = kg__case_result_read(&pool, document, &error);
    json_t *written;

    cr_assert(result != NULL, "%s", error.text);
    cr_expect(result->metric_count == 3 && result->metrics[0].pairs.count == 12 &&
              result->metrics[0].sample_count == 2 && result->metrics[1].gated == KG__NO &&
              result->metrics[2].verdict == KG__VERDICTS);
    written = kg__case_result_json(result);
    expect_equal(written, document);
    json_decref(written);
    kg__pool_free(&pool);
    json_decref(document);
}

Test(verdicts, are_written_as_they_were_read)
{
    kg__pool pool = { 0 };
    json_t *document = parse(whole_verdicts);
    kg__error error = { "" };
    kg__verdicts *verdicts = kg__verdicts_read(&pool, document, &error);
    json_t *written;

    cr_assert(verdicts != NULL, "%s", error.text);
    cr_expect(verdicts->skipped_by == KG__SKIP_NO_BASELINE && verdicts->exit_code == 0);
    written = kg__verdicts_json(verdicts);
    expect_equal(written, document);
    json_decref(written);
    kg__pool_free(&pool);
    json_decref(document);
}

/* What is in the file for each case, beside its result: the words that results.json shows, and what
 * cases that failed alike have in common. */
static const struct {
    const char *entry;
    const char *expected;
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
        kg__pool pool = { 0 };
        kg__error error = { "" };
        json_t *read =
            json_pack("{s:s, s:[o]}", "test", "gpu.a.check", "cases", parse(explained[i].entry));
        json_t *expected = parse(explained[i].expected);
        const kg__verdicts *verdicts = kg__verdicts_read(&pool, read, &error);
        json_t *document;
        json_t *wanted;
        const char *key;

        cr_assert(verdicts != NULL, "%s", error.text);
        document = kg__verdicts_json(verdicts);
        json_object_foreach (expected, key, wanted) {
            json_t *got =
                json_object_get(json_array_get(json_object_get(document, "cases"), 0), key);

            if (json_is_null(wanted))
                cr_expect(got == NULL, "%zu: %s", i, key);
            else
                expect_equal(got, wanted);
        }
        json_decref(document);
        kg__pool_free(&pool);
        json_decref(read);
        json_decref(expected);
    }
}

Test(verdicts, grow)
{
    kg__pool pool = { 0 };
    kg__verdicts *verdicts = kg__verdicts_make(&pool, "gpu.a.check");

    for (int i = 0; i < 5; i++) {
        kg__verdicts_add_claim(verdicts, "claim", i == 4, "");
        kg__verdicts_add_refusal(verdicts, "a/b/1/b1", "odd");
        kg__pool_add_text(&pool, &verdicts->notes, "note");
        kg__verdicts_add_case(
            verdicts, kg__case_result_make(&pool, i == 3 ? "d" : "e", "t", "check", KG__PASS, ""));
    }
    cr_expect(verdicts->claim_count == 5 && verdicts->claims[4].holds &&
              !verdicts->claims[3].holds);
    cr_expect(verdicts->refused_count == 5 && verdicts->notes.count == 5);
    cr_expect(verdicts->cases[3] == kg__verdicts_find(verdicts, "d"));
    cr_expect(kg__verdicts_find(verdicts, "f") == NULL && kg__verdicts_find(NULL, "d") == NULL);
    kg__pool_free(&pool);
}

/* What a reader refuses, and what it says of it. */
static const struct {
    const char *entry;
    const char *error;
} unreadable[] = {
    { "{'case': 'a', 'why': 5}", "why is not a text" },
    { "{'case': 'a', 'verdict': 'good'}", "verdict is not known here" },
    { "{'case': 'a', 'metrics': {'time_ns': {'value': 'x'}}}", "time_ns: value is not a number" },
    { "{'case': 'a', 'metrics': {'time_ns': {'samples_ns': [['x']]}}}",
      "time_ns: samples_ns is not a list of numbers of each process" },
    { "{'case': 'a', 'first': {'measured': {}}}", "first: measured: event is not a text" },
    { "{'case': 'a', 'changed': [5]}", "changed is not a list of texts" },
};

Test(verdicts, what_is_of_another_type_is_not_read)
{
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
        kg__pool pool = { 0 };
        json_t *document = parse(unreadable[i].entry);
        kg__error error = { "" };

        cr_expect(kg__case_result_read(&pool, document, &error) == NULL);
        cr_expect(strstr(error.text, unreadable[i].error) == error.text, "%s", error.text);
        kg__pool_free(&pool);
        json_decref(document);
    }
}
