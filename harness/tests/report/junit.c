/* JUnit: well formed whatever the texts hold, and true to the verdicts. Read back with libxml2's
 * parser. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <libxml/xpath.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "report/report.h"

static char path[256];

static void make_path(void)
{
    const char *base = getenv("TMPDIR");
    int file;

    snprintf(path, sizeof path, "%s/kernelgate-junit-XXXXXX", base != NULL ? base : "/tmp");
    file = mkstemp(path);
    cr_assert(file >= 0);
    close(file);
}

static void remove_path(void)
{
    unlink(path);
}

TestSuite(junit, .init = make_path, .fini = remove_path);

/* Holds a report to the schema of what its readers take. */
static void expect_valid(xmlDocPtr document)
{
    xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(KG__JUNIT_SCHEMA);
    xmlSchemaPtr schema = xmlSchemaParse(parser);
    xmlSchemaValidCtxtPtr validation;

    cr_assert(schema != NULL, "%s is no schema", KG__JUNIT_SCHEMA);
    validation = xmlSchemaNewValidCtxt(schema);
    cr_assert(validation != NULL);
    cr_expect(xmlSchemaValidateDoc(validation, document) == 0, "see above what is not valid");
    xmlSchemaFreeValidCtxt(validation);
    xmlSchemaFree(schema);
    xmlSchemaFreeParserCtxt(parser);
}

/* Writes the report of `results`, which it frees, and parses it strictly. */
static xmlDocPtr report(json_t *results)
{
    kg__error error = { "" };
    xmlDocPtr document;

    cr_assert(results != NULL);
    cr_assert(kg__printer_save(kg__printer_find("junit"), &(kg__report){ .results = results }, path,
                               &error),
              "%s", error.text);
    json_decref(results);
    document = xmlReadFile(path, NULL, XML_PARSE_NONET);
    cr_assert(document != NULL, "the report is not well formed");
    expect_valid(document);
    return document;
}

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);

    cr_assert(document != NULL, "%s: %s", error.text, text);
    return document;
}

/* The text that an XPath expression comes to, on the heap. */
static char *find(xmlDocPtr document, const char *expression)
{
    xmlXPathContextPtr context = xmlXPathNewContext(document);
    xmlXPathObjectPtr found = xmlXPathEvalExpression(BAD_CAST expression, context);
    char *text;

    cr_assert(found != NULL, "%s", expression);
    text = (char *)xmlXPathCastToString(found);
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(context);
    return text;
}

static void expect(xmlDocPtr document, const char *expression, const char *expected)
{
    char *text = find(document, expression);

    cr_expect(eq(str, text, (char *)expected), "%s", expression);
    xmlFree(text);
}

static const char every_verdict[] =
    "{\"strict\": %s, \"targets\": {\"nvidia-h200\": {\"key\": \"nvidia-h200\", \"memory_mib\": "
    "143771}},"
    " \"provenance\": {\"nvidia-h200\": {\"driver\": \"580.159.04\", \"ecc\": true}}, \"cases\": ["
    "{\"case\": \"a/v/1/-\", \"target\": \"cpu-model\", \"verdict\": \"pass\", \"seconds\": 0.5},"
    "{\"case\": \"a/v/1/-\", \"target\": \"nvidia-h200\", \"verdict\": \"pass\", \"seconds\": 1.5,"
    " \"metrics\": {\"time_ns\": {\"value\": 47980, \"baseline\": 47900, \"verdict\": \"pass\"}}},"
    "{\"case\": \"a/v/2/-\", \"target\": \"nvidia-h200\", \"verdict\": \"faster\", \"why\": \"by 9 "
    "%%\"},"
    "{\"case\": \"a/v/3/-\", \"target\": \"nvidia-h200\", \"verdict\": \"no-baseline\", \"why\": "
    "\"none\"},"
    "{\"case\": \"a/v/4/-\", \"target\": \"nvidia-h200\", \"verdict\": \"noisy\", \"why\": "
    "\"wide\"},"
    "{\"case\": \"a/v/5/-\", \"target\": \"nvidia-h200\", \"verdict\": \"environment\", \"why\": "
    "\"hot\"},"
    "{\"case\": \"a/v/6/-\", \"target\": \"nvidia-h200\", \"verdict\": \"slower\", \"why\": \"by 6 "
    "%%\", "
    "\"test\": \"gpu.a.time\", \"metrics\": {\"time_ns\": {\"value\": 47980, \"baseline\": 45130, "
    "\"change\": 0.0631, \"limit\": 0.02, \"verdict\": \"slower\"}}},"
    "{\"case\": \"a/v/7/-\", \"target\": \"nvidia-h200\", \"verdict\": \"wrong\", \"why\": "
    "\"[3]\"},"
    "{\"case\": \"a/v/8/-\", \"target\": \"nvidia-h200\", \"verdict\": \"error\", "
    "\"why\": \"the observer crashed: signal 11\", \"test\": \"gpu.a.time\"},"
    "{\"case\": \"b/v/9/-\", \"target\": \"nvidia-h200\", \"verdict\": \"error\", "
    "\"why\": \"no record for 60 s: hung\"}],"
    "\"vanished\": [{\"case\": \"a/old/1/-\", \"target\": \"nvidia-h200\"}],"
    "\"refused\": [{\"case\": \"a/v/0/-\", \"target\": \"nvidia-h200\", \"why\": \"size 0\"}],"
    "\"claims\": [{\"claim\": \"a/claim_x\", \"target\": \"nvidia-h200\", \"test\": "
    "\"gpu.a.claim_x\", "
    "\"holds\": true, \"why\": \"1.33 times\"}, {\"claim\": \"a/claim_y\", \"target\": "
    "\"nvidia-h200\", "
    "\"test\": \"gpu.a.claim_y\", \"holds\": false, \"why\": \"0.9 times\"}],"
    "\"tests\": [{\"name\": \"gpu.c.time\", \"target\": \"gpu\", \"exit_code\": %d, "
    "\"skipped\": \"no GPU\"}, {\"name\": \"gpu.a.time\", \"target\": \"nvidia-h200\", "
    "\"exit_code\": 1, \"board\": \"GPU-1\"}, {\"name\": \"gpu.a.check\", \"target\": "
    "\"nvidia-h200\", \"exit_code\": 0, \"board\": \"GPU-2\"}, {\"name\": \"gpu.ab.time\", "
    "\"target\": \"nvidia-h200\", \"exit_code\": 0, \"board\": \"GPU-1\"}],"
    "\"boards\": {\"GPU-1\": {\"target\": \"nvidia-h200\", \"provenance\": {\"bus_id\": "
    "\"0000:19:00.0\"}}},"
    "\"errors\": [{\"test\": \"gpu.b.time\", \"why\": \"killed\"}, {\"why\": \"no verdicts\"}]}";

static xmlDocPtr report_of_every_verdict(bool strict)
{
    char text[8192];

    snprintf(text, sizeof text, every_verdict, strict ? "true" : "false", strict ? 2 : 77);
    return report(parse(text));
}

Test(junit, verdicts_become_outcomes)
{
    xmlDocPtr document = report_of_every_verdict(false);

    expect(document, "name(/*)", "testsuites");
    expect(document, "count(//testcase)", "17");
    expect(document, "/testsuites/@tests", "17");
    expect(document, "/testsuites/@failures", "4");
    expect(document, "/testsuites/@errors", "4");
    expect(document, "sum(//testsuite/@skipped)", "5");
    expect(document, "count(//failure)", "4");
    expect(document, "count(//error)", "4");
    expect(document, "count(//skipped)", "5");

    expect(document, "count(//testsuite[@name='cpu-model.a']/testcase)", "1");
    expect(document, "count(//testsuite[@name='cpu-model.a']/properties)", "0");
    expect(document, "//testsuite[@name='nvidia-h200.a']/@tests", "12");
    expect(document, "//testsuite[@name='nvidia-h200.a']/@time", "1.500");
    expect(document,
           "//testsuite[@name='nvidia-h200.a']/properties/property[@name='target.memory_mib']"
           "/@value",
           "143771");
    expect(document,
           "//testsuite[@name='nvidia-h200.a']/properties/property[@name='provenance.ecc']"
           "/@value",
           "true");
    expect(document,
           "//testsuite[@name='nvidia-h200.a']/properties/property[@name='board.gpu.a.time']"
           "/@value",
           "GPU-1 (0000:19:00.0)");
    expect(document,
           "//testsuite[@name='nvidia-h200.a']/properties/property[@name='board.gpu.a.check']"
           "/@value",
           "GPU-2");
    expect(document,
           "count(//testsuite[@name='nvidia-h200.a']//property[starts-with(@name, 'board.')])",
           "2");
    expect(document, "count(//property[@name='board.gpu.ab.time'])", "1");

    expect(document, "count(//testcase[@name='a/v/1/-']/failure)", "0");
    expect(document, "//testcase[@name='a/v/1/-' and @classname='nvidia-h200.a']/system-out",
           "time_ns 47 980 ns (baseline 47 900 ns): pass\n");
    expect(document, "//testcase[@name='a/v/2/-']/system-out", "faster: by 9 %");
    expect(document, "//testcase[@name='a/v/3/-']/skipped/@message", "no-baseline: none");
    expect(document, "//testcase[@name='a/v/4/-']/skipped/@message", "noisy: wide");
    expect(document, "//testcase[@name='a/v/5/-']/skipped/@message", "environment: hot");
    expect(document, "//testcase[@name='a/v/6/-']/failure/@type", "slower");
    expect(document, "//testcase[@name='a/v/6/-']/failure/@message", "slower: by 6 %");
    expect(document, "//testcase[@name='a/v/6/-']/failure",
           "time_ns 47 980 ns (baseline 45 130 ns, +6.3 %, limit 2.0 %): slower\n"
           "reproduce: cmake --build build/gpu && KG_FILTER='a/v/6/-' ctest --test-dir build/gpu "
           "-R '^gpu\\.a\\.time$' "
           "--output-on-failure\n");
    expect(document, "//testcase[@name='a/v/7/-']/failure/@type", "wrong");
    xmlFreeDoc(document);
}

Test(junit, a_pass_with_a_reason_and_figures_has_one_output)
{
    xmlDocPtr document = report(parse(
        "{\"cases\": [{\"case\": \"a/b\", \"target\": \"t\", \"verdict\": \"faster\", \"why\": "
        "\"by 9 %\", \"metrics\": {\"time_ns\": {\"value\": 5}}}]}"));

    expect(document, "count(//system-out)", "1");
    expect(document, "//testcase/system-out", "faster: by 9 %\ntime_ns 5 ns\n");
    xmlFreeDoc(document);
}

Test(junit, tells_what_changed_beside_a_slow_verdict)
{
    xmlDocPtr document =
        report(parse("{\"cases\": [{\"case\": \"a/b\", \"target\": \"t\", \"verdict\": \"slower\", "
                     "\"changed\": [\"registers 32 -> 40\", 3]}]}"));

    expect(document, "string(//testcase/failure)", "changed: registers 32 -> 40\nchanged: \n");
    xmlFreeDoc(document);
}

Test(junit, crashes_and_timeouts_are_errors_of_their_case)
{
    xmlDocPtr document = report_of_every_verdict(false);

    expect(document, "//testcase[@name='a/v/8/-']/error/@message",
           "error: the observer crashed: signal 11");
    expect(document, "//testcase[@name='b/v/9/-' and @classname='nvidia-h200.b']/error/@message",
           "error: no record for 60 s: hung");
    expect(document, "//testcase[@name='gpu.b.time' and @classname='gpu.b']/error/@message",
           "killed");
    expect(document, "//testcase[@classname='kernelgate']/error/@message", "no verdicts");
    xmlFreeDoc(document);
}

Test(junit, claims_vanished_refused_and_skipped_are_testcases)
{
    xmlDocPtr document = report_of_every_verdict(false);

    expect(document, "count(//testcase[@name='a/claim_x']/*)", "1");
    expect(document, "//testcase[@name='a/claim_x']/system-out", "1.33 times");
    expect(document, "//testcase[@name='a/claim_y']/failure/@type", "claim");
    expect(document, "//testcase[@name='a/claim_y']/failure/@message", "0.9 times");
    expect(document, "string-length(//testcase[@name='a/claim_y']/failure) > 20", "true");
    expect(document,
           "starts-with(//testcase[@name='a/old/1/-']/failure/@message, 'the baseline has it')",
           "true");
    expect(document, "//testcase[@name='a/v/0/-']/skipped/@message", "size 0");
    expect(document, "//testcase[@name='gpu.c.time' and @classname='gpu.c']/skipped/@message",
           "no GPU");
    expect(document, "count(//testcase[@name='gpu.a.time'])", "0");
    xmlFreeDoc(document);
}

Test(junit, a_suite_takes_as_long_as_its_tests)
{
    xmlDocPtr document = report(parse(
        "{\"cases\": [{\"case\": \"a/b/1/-\", \"target\": \"t\", \"verdict\": \"pass\"}], "
        "\"tests\": "
        "[{\"name\": \"gpu.a.time\", \"target\": \"t\", \"seconds\": 2.5}, {\"name\": "
        "\"gpu.a.check\", "
        "\"target\": \"t\", \"seconds\": 0.5}], \"errors\": [{\"test\": \"gpu.a.time\", \"why\": "
        "\"killed\"}]}"));

    expect(document, "count(//testsuite)", "1");
    expect(document, "//testsuite[@name='t.a']/@time", "3.000");
    expect(document, "/testsuites/@time", "3.000");
    expect(document, "//testsuite[@name='t.a']/testcase[@name='gpu.a.time']/error/@message",
           "killed");
    xmlFreeDoc(document);
}

Test(junit, a_strict_run_fails_what_it_must_fail)
{
    xmlDocPtr document = report_of_every_verdict(true);

    expect(document, "/testsuites/@failures", "7");
    expect(document, "/testsuites/@errors", "5");
    expect(document, "sum(//testsuite/@skipped)", "1");
    expect(document, "//testcase[@name='a/v/3/-']/failure/@type", "no-baseline");
    expect(document, "//testcase[@name='a/v/4/-']/failure/@type", "noisy");
    expect(document, "//testcase[@name='a/v/5/-']/failure/@type", "environment");
    expect(document, "//testcase[@name='a/old/1/-']/failure/@type", "vanished");
    expect(document, "//testcase[@name='gpu.c.time']/error/@message", "no GPU");
    expect(document, "count(//testcase[@name='a/v/2/-']/failure)", "0");
    xmlFreeDoc(document);
}

/* Texts that break a writer that does not escape, in every place where a text can stand. */
static const char *const hostile[] = {
    "<failure> & ]]> \"double\" 'single' &amp; <![CDATA[ x ]]> <!-- -- -->",
    "first line\nsecond line\r\nthird\tline",
    "\033[31mred\033[0m \001\002\037\177",
    "bad \xff\xfe bytes \xc0\x80 \xed\xa0\x80 \xf5\x80\x80\x80 cut \xe2\x82",
    "\xef\xbf\xbe\xef\xbf\xbf \xc2\x85 \xe2\x80\xa8 \xf0\x9f\x98\x80 \xc2\xb5s",
    "%s %n %d",
    "",
};

Test(junit, hostile_texts_leave_it_well_formed)
{
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        json_t *text = json_string_nocheck(hostile[i]);
        json_t *results = json_object();
        json_t *entry = json_object();
        char *clean = kg__clean_text(hostile[i], true);
        char *message;
        xmlDocPtr document;

        json_object_set(entry, "case", text);
        json_object_set(entry, "target", text);
        json_object_set(entry, "why", text);
        json_object_set(entry, "claim", text);
        json_object_set(entry, "test", text);
        json_object_set_new(entry, "verdict", json_string("wrong"));
        json_object_set_new(entry, "metrics", json_object());
        json_object_set_new_nocheck(json_object_get(entry, "metrics"), hostile[i], json_object());
        json_object_set_new(results, "build", json_string_nocheck(hostile[i]));
        for (size_t list = 0; list < 5; list++) {
            static const char *const lists[] = { "cases", "vanished", "refused", "claims",
                                                 "errors" };

            json_object_set_new(results, lists[list], json_array());
            json_array_append(json_object_get(results, lists[list]), entry);
        }
        json_object_set_new(results, "tests", json_array());
        json_array_append_new(json_object_get(results, "tests"),
                              json_pack("{s:O,s:O}", "name", text, "skipped", text));
        json_object_set_new(results, "targets", json_object());
        json_object_set_new_nocheck(json_object_get(results, "targets"), hostile[i], json_object());
        json_object_set_new_nocheck(
            json_object_get(json_object_get(results, "targets"), hostile[i]), hostile[i],
            json_incref(text));
        json_decref(entry);
        json_decref(text);

        document = report(results);
        expect(document, "count(//testcase)", "6");
        if (*clean != '\0') {
            message = find(document, "//failure[@type='wrong']/@message");
            cr_expect(strncmp(message, "wrong: ", 7) == 0);
            cr_expect(eq(str, message + 7, clean), "the text comes back as it went in");
            xmlFree(message);
        }
        free(clean);
        xmlFreeDoc(document);
    }
}

Test(junit, documents_of_any_shape_are_written)
{
    static const char *const shapes[] = {
        "{}",
        "[]",
        "{\"cases\": 3, \"claims\": \"x\", \"tests\": {}, \"errors\": [1, null, []], \"vanished\": "
        "[1], "
        "\"refused\": [[]], \"targets\": [], \"provenance\": 1, \"strict\": 1}",
        "{\"cases\": [1, {}, {\"case\": 3, \"target\": [], \"verdict\": \"great\", \"why\": {}, "
        "\"seconds\": \"long\", \"metrics\": []}, {\"case\": \"a\", \"seconds\": -1, \"verdict\": "
        "\"slower\", \"metrics\": {\"m\": 3}}]}",
        "{\"tests\": [1, {\"skipped\": \"\"}, {\"name\": \".\", \"skipped\": \"x\"}, {\"name\": "
        "\"no_dots\", \"skipped\": \"x\"}]}",
        "{\"cases\": [{\"case\": \"a/b\", \"target\": \"t\", \"verdict\": \"pass\", \"seconds\": "
        "1e300}]}",
    };

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        xmlFreeDoc(report(parse(shapes[i])));
}

Test(junit, a_verdict_that_is_unknown_is_an_error)
{
    xmlDocPtr document = report(
        parse("{\"cases\": [{\"case\": \"a/b\", \"target\": \"t\", \"verdict\": \"great\"}]}"));

    expect(document, "/testsuites/@errors", "1");
    expect(document, "//error/@message", "error: no reason was recorded");
    xmlFreeDoc(document);
}

Test(junit, many_suites_and_cases)
{
    json_t *results = json_object();
    json_t *cases = json_array();
    xmlDocPtr document;

    for (int i = 0; i < 600; i++) {
        char id[64];

        snprintf(id, sizeof id, "c%d/v/%d/-", i % 30, i);
        json_array_append_new(cases, json_pack("{s:s,s:s,s:s,s:f}", "case", id, "target", "t",
                                               "verdict", "pass", "seconds", 0.25));
    }
    json_object_set_new(results, "cases", cases);
    document = report(results);
    expect(document, "count(//testsuite)", "30");
    expect(document, "count(//testsuite[@tests='20'][@time='5.000'])", "30");
    expect(document, "/testsuites/@time", "150.000");
    xmlFreeDoc(document);
}
