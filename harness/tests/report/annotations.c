/* GitHub's annotations: escaped, worst first, few, and at the right lines. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/annotations.h"
#include "tests/fakes/drive.h"

static void make_tree(void)
{
    static const char *const folders[] = { "kernels", "kernels/a", "suites", "baselines", NULL };

    make_folder();
    for (const char *const *folder = folders; *folder != NULL; folder++)
        cr_assert(mkdir(at(*folder), 0700) == 0);
    write_text(at("kernels/a/v.cu"), "\n__global__ void v()\n");
    write_text(at("suites/a.c"), "\n\n\nTest(a, claim_v_wins)\n");
    write_text(at("baselines/t.json"), "{\n\"cases\": {\n\"a/old/1/-\": {}\n}}\n");
}

TestSuite(annotations, .init = make_tree, .fini = remove_folder);

static char *annotate(const char *document, const char *prefix, size_t count)
{
    kg__annotated_tree tree = { at(""), prefix };
    json_error_t error;
    json_t *results = json_loads(document, 0, &error);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    cr_assert(results != NULL, "%s: %s", error.text, document);
    cr_assert(stream != NULL);
    cr_expect(kg__annotations_print(stream, results, &tree) == count);
    fclose(stream);
    json_decref(results);
    cr_expect(occurrences(text, "\n") == count, "a line each: %s", text);
    return text;
}

static void expect_annotations(const char *document, const char *prefix, size_t count,
                               const char *expected)
{
    char *text = annotate(document, prefix, count);

    cr_expect(eq(str, text, (char *)expected));
    free(text);
}

static void expect_escaped(void (*write)(FILE *, const char *), const char *text,
                           const char *expected)
{
    char *written = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&written, &size);

    cr_assert(stream != NULL);
    write(stream, text);
    fclose(stream);
    cr_expect(eq(str, written, (char *)expected));
    free(written);
}

Test(annotations, messages_and_properties_are_escaped)
{
    const char *text = "50 %25: a, b\r\n::error::x;\xc3\xa4";

    expect_escaped(kg__annotation_write_message, text, "50 %2525: a, b%0D%0A::error::x;\xc3\xa4");
    expect_escaped(kg__annotation_write_property, text,
                   "50 %2525%3A a%2C b%0D%0A%3A%3Aerror%3A%3Ax;\xc3\xa4");
    expect_escaped(kg__annotation_write_property, "", "");
}

Test(annotations, a_run_that_passed_has_none)
{
    expect_annotations("{\"cases\": [{\"case\": \"a/v/1/-\", \"target\": \"t\", \"verdict\": "
                       "\"pass\"}, {\"case\": \"a/v/2/-\", \"target\": \"t\", \"verdict\": "
                       "\"faster\"}], \"claims\": [{\"claim\": \"a/claim_v_wins\", \"holds\": "
                       "true}]}",
                       "", 0, "");
}

Test(annotations, a_case_is_shown_at_its_first_finding)
{
    expect_annotations(
        "{\"cases\": [{\"case\": \"a/v/1/-\", \"target\": \"t\", \"verdict\": \"wrong\", \"why\": "
        "\"old\", \"also\": \"100 % wrong, \\n::error::x\", \"findings\": [{\"kind\": "
        "\"host_access\", "
        "\"file\": \"kernels/a/v.cu\", \"line\": 27, \"access\": \"read\", \"host\": true}], "
        "\"at\": {\"file\": \"kernels/a/v.cu\", \"line\": 3}, \"test\": \"gpu.a.check\"}]}",
        "sub,tree/", 1,
        "::error file=sub%2Ctree/kernels/a/v.cu,line=27,title=wrong%3A a/v/1/- on "
        "t::kernels/a/v.cu:27: error: host read of device memory: copy it with cudaMemcpy(); 100 "
        "%25 wrong,  ::error::x%0Areproduce: cmake --build build/gpu && "
        "KG_FILTER='a/v/1/-' ctest "
        "--test-dir build/gpu -R '^gpu\\.a\\.check$' --output-on-failure\n");
}

Test(annotations, else_a_case_is_shown_where_it_says)
{
    expect_annotations(
        "{\"cases\": [{\"case\": \"a/v/1/-\", \"target\": \"t\", \"verdict\": \"slower\", \"why\": "
        "\"by 6 %, see kernels/a/v.cu:5\", \"at\": {\"file\": \"kernels/a/v.cu\", \"line\": 9}}]}",
        "", 1,
        "::error file=kernels/a/v.cu,line=9,title=slower%3A a/v/1/- on t::by 6 %25, see "
        "kernels/a/v.cu:5\n");
    expect_annotations(
        "{\"cases\": [{\"case\": \"b/v/1/-\", \"target\": \"t\", \"verdict\": \"wrong\", \"why\": "
        "\"x\", \"at\": {\"file\": \"kernels/a/v.cu\"}}]}",
        "", 1, "::error file=kernels/a/v.cu,line=2,title=wrong%3A b/v/1/- on t::x\n");
}

Test(annotations, else_a_case_is_shown_at_its_kernel_or_nowhere)
{
    expect_annotations(
        "{\"cases\": [{\"case\": \"a/v_managed/1/-\", \"target\": \"t\", \"verdict\": \"slower\", "
        "\"why\": \"x\"}, {\"case\": \"b/v/1/-\", \"target\": \"t\", \"verdict\": \"slower\", "
        "\"why\": \"y\"}]}",
        "", 2,
        "::error file=kernels/a/v.cu,line=2,title=slower%3A a/v_managed/1/- on t::x\n"
        "::error title=slower%3A b/v/1/- on t::y\n");
}

Test(annotations, cases_of_a_variant_are_one_and_the_worst_speaks)
{
    expect_annotations(
        "{\"cases\": [{\"case\": \"a/v/1/-\", \"target\": \"t\", \"verdict\": \"slower\", \"why\": "
        "\"by 3\", \"metrics\": {\"time_ns\": {\"change\": 0.03}}}, {\"case\": \"a/v/2/-\", "
        "\"target\": \"t\", \"verdict\": \"slower\", \"why\": \"by 9\", \"metrics\": {\"time_ns\": "
        "{\"change\": 0.09}, \"cold_time_ns\": {\"change\": -2}}}, {\"case\": \"a/v/3/-\", "
        "\"target\": \"u\", \"verdict\": \"slower\", \"why\": \"other\"}]}",
        "", 2,
        "::error file=kernels/a/v.cu,line=2,title=slower%3A a/v/2/- on t::by 9%0Aalso: a/v/1/-\n"
        "::error file=kernels/a/v.cu,line=2,title=slower%3A a/v/3/- on u::other\n");
}

Test(annotations, claims_and_vanished_cases_are_shown_where_they_are_written)
{
    expect_annotations(
        "{\"strict\": true, \"claims\": [{\"claim\": \"a/claim_v_wins\", \"target\": \"t\", "
        "\"holds\": false, \"why\": \"0.9 times\", \"test\": \"gpu.a.claim_v_wins\"}, {\"claim\": "
        "\"b/claim_x\", \"target\": \"t\", \"holds\": false, \"why\": \"1\"}, {\"claim\": "
        "\"nameless\", \"holds\": false}], \"vanished\": "
        "[{\"case\": \"a/old/1/-\", \"target\": \"t\"}, {\"case\": \"a/old/2/-\", \"target\": "
        "\"t\"}, {\"case\": \"a/old/1/-\", \"target\": \"u\"}]}",
        "", 5,
        "::error file=suites/a.c,line=4,title=claim%3A a/claim_v_wins on t::0.9 "
        "times%0Areproduce: cmake --build build/gpu && ctest --test-dir build/gpu -R "
        "'^gpu\\.a\\.claim_v_wins$' "
        "--output-on-failure\n"
        "::error title=claim%3A b/claim_x on t::1\n"
        "::error title=claim%3A nameless::\n"
        "::error file=baselines/t.json,line=3,title=vanished%3A a/old/1/- on t::the baseline has "
        "it, and it is in no table or refused: put it back, or retire it with ci/rebaseline or "
        "kernelgate baseline retire "
        "(baselines/t.json)%0Aalso: a/old/2/-\n"
        "::error title=vanished%3A a/old/1/- on u::the baseline has it, and it is in no table or "
        "refused: put it back, or retire it with ci/rebaseline or kernelgate baseline retire "
        "(baselines/u.json)\n");
}

/* Appends to a text of `size` bytes. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

Test(annotations, the_worst_come_first_and_doubts_are_warnings)
{
    static const char *const doubts[] = { "environment", "noisy", "no-baseline" };
    static const char *const verdicts[] = { "no-baseline", "noisy", "environment",
                                            "slower",      "wrong", "error" };

    for (int strict = 0; strict < 2; strict++) {
        char document[2048] = "";
        char expected[2048] = "";

        append(document, sizeof document, "{\"strict\": %s, \"cases\": [",
               strict ? "true" : "false");
        for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
            append(document, sizeof document,
                   "%s{\"case\": \"b/%s/1/-\", \"target\": \"t\", \"verdict\": \"%s\", "
                   "\"why\": \"w\"}",
                   i > 0 ? ", " : "", verdicts[i], verdicts[i]);
        append(document, sizeof document,
               "], \"errors\": [{\"test\": \"gpu.a.time\", \"why\": \"killed\"}, "
               "{\"why\": \"kernels/a/v.cu:3: none\"}]}");
        append(expected, sizeof expected,
               "::error title=error%%3A gpu.a.time::killed%%0Areproduce: cmake --build build/gpu "
               "&& ctest --test-dir "
               "build/gpu -R '^gpu\\.a\\.time$' --output-on-failure\n"
               "::error title=error%%3A kernelgate::kernels/a/v.cu:3: none\n"
               "::error title=error%%3A b/error/1/- on t::w\n"
               "::error title=wrong%%3A b/wrong/1/- on t::w\n"
               "::error title=slower%%3A b/slower/1/- on t::w\n");
        for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
            append(expected, sizeof expected, "::%s title=%s%%3A b/%s/1/- on t::w\n",
                   strict ? "error" : "warning", doubts[i], doubts[i]);
        expect_annotations(document, "", 8, expected);
    }
}

/* A document of `count` variants that are slower, each a little more than the one before. */
static char *slower_variants(size_t count, size_t sizes)
{
    json_t *cases = json_array();
    json_t *results = json_pack("{s:o}", "cases", cases);
    char *text;

    for (size_t i = 0; i < count * sizes; i++) {
        char id[64];

        snprintf(id, sizeof id, "a/v%zu/%zu/-", i / sizes, i % sizes);
        json_array_append_new(cases, json_pack("{s:s,s:s,s:s,s:s,s:{s:{s:f}}}", "case", id,
                                               "target", "t", "verdict", "slower", "why", "w",
                                               "metrics", "time_ns", "change", 0.1 + (double)i));
    }
    text = json_dumps(results, 0);
    json_decref(results);
    return text;
}

Test(annotations, ten_are_shown_and_the_tenth_counts_the_rest)
{
    char *document = slower_variants(10, 1);
    char *text = annotate(document, "", 10);

    cr_expect(occurrences(text, " more") == 0, "%s", text);
    cr_expect(strncmp(text, "::error title=slower%3A a/v9/0/- ", 33) == 0, "%s", text);
    free(text);
    free(document);
    document = slower_variants(12, 1);
    text = annotate(document, "", 10);
    cr_expect(strstr(text, "\n::error title=3 more::kernelgate found 3 more than") != NULL, "%s",
              text);
    cr_expect(strstr(text, "a/v3/") != NULL && strstr(text, "a/v2/") == NULL, "%s", text);
    free(text);
    free(document);
}

Test(annotations, a_long_list_of_cases_is_cut)
{
    char *document = slower_variants(1, 30);
    char *text = annotate(document, "", 1);

    cr_expect(strstr(text, "%0Aalso: a/v0/28/-, a/v0/27/-") != NULL, "%s", text);
    cr_expect(strstr(text, ", a/v0/9/- and 9 more\n") != NULL, "%s", text);
    free(text);
    free(document);
}

Test(annotations, documents_of_any_shape_are_taken)
{
    static const char *const shapes[] = {
        "{}",
        "[]",
        "{\"cases\": 3, \"claims\": \"x\", \"errors\": {}, \"vanished\": true, \"strict\": 1}",
    };

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        expect_annotations(shapes[i], "", 0, "");
    free(annotate("{\"cases\": [1, {}, {\"case\": 3, \"target\": [], \"verdict\": \"great\", "
                  "\"why\": {}, \"changed\": [3], \"findings\": [3], \"at\": 3, \"metrics\": "
                  "{\"m\": 3}}], \"claims\": [1], "
                  "\"errors\": [null], \"vanished\": [1]}",
                  "", 5));
}

Test(annotations, the_prefix_is_the_folder_below_the_repository)
{
    char prefix[64];

    kg__annotation_prefix(at(""), at("kernels/a"), prefix, sizeof prefix);
    cr_expect(eq(str, prefix, "kernels/a/"));
    kg__annotation_prefix(at(""), at(""), prefix, sizeof prefix);
    cr_expect(eq(str, prefix, ""));
    kg__annotation_prefix(at("kernels"), at("suites"), prefix, sizeof prefix);
    cr_expect(eq(str, prefix, ""));
    kg__annotation_prefix(at("nowhere"), at("suites"), prefix, sizeof prefix);
    cr_expect(eq(str, prefix, ""));
    kg__annotation_prefix(NULL, at("nowhere"), prefix, sizeof prefix);
    cr_expect(eq(str, prefix, ""));
}
