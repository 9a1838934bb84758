/* The console's report. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "report/report.h"
#include "results/results_describe.h"
#include "tests/fakes/drive.h"

TestSuite(console, .init = make_folder, .fini = remove_folder);

/* JSON, in which ' stands for ". */
#define TARGETS                                                                                    \
    "'targets': {'cpu-model': {'key': 'cpu-model'}, 'nvidia-h200': {'key': 'nvidia-h200'}}, "      \
    "'provenance': {'nvidia-h200': {'uuid': "                                                      \
    "'GPU-956c5159-ae7e', 'driver': '580', 'cuda': '13.0'}, 'cpu-model': {'compiler': 'gcc "       \
    "12.2.0'}}, "

static json_t *parse(const char *text)
{
    char *quoted = kg__copy_text(text);
    json_error_t error;
    json_t *document;

    for (char *c = strchr(quoted, '\''); c != NULL; c = strchr(c, '\''))
        *c = '"';
    document = json_loads(quoted, 0, &error);
    cr_assert(document != NULL, "%s: %s", error.text, text);
    free(quoted);
    return document;
}

/* Reads results, of which a document may lack members; frees the document. */
static kg__results *read_results(kg__pool *pool, json_t *document)
{
    kg__error error = { "" };
    kg__results *results = kg__results_read(pool, document, &error);

    cr_assert(results != NULL, "%s", error.text);
    kg__results_describe(results);
    json_decref(document);
    return results;
}

/* The report of results, whose document it frees, on the heap. */
static char *console(json_t *document, kg__detail detail)
{
    kg__pool pool = { 0 };
    kg__report report = { .results = read_results(&pool, document),
                          .detail = detail,
                          .sources = at("tree") };
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    cr_assert(stream != NULL);
    kg__console_write(&report, stream);
    fclose(stream);
    kg__pool_free(&pool);
    return text;
}

static void expect_within(const char *text, const char *part)
{
    cr_expect(strstr(text, part) != NULL, "\"%s\" is not in:\n%s", part, text);
}

static void expect_not_within(const char *text, const char *part)
{
    cr_expect(strstr(text, part) == NULL, "\"%s\" is in:\n%s", part, text);
}

static void make_tree(void)
{
    kg__error error = { "" };

    cr_assert(kg__file_make_folder(at("tree/kernels/a"), &error), "%s", error.text);
    cr_assert(kg__file_make_folder(at("tree/suites"), &error), "%s", error.text);
    write_text(at("tree/kernels/a/v.cu"), "// a kernel\n__global__ void v(void)\n");
    write_text(at("tree/suites/a.c"), "\nKG_CLAIM(a, x_wins)\n");
}

static const char green[] =
    "{'out': 'out', 'exit_code': 0, 'tally': {'pass': 4}, " TARGETS "'cases': ["
    "{'case': 'a/v/1/b8', 'target': 'cpu-model', 'verdict': 'pass', 'parts': ['check']}, "
    "{'case': 'a/v/2/b8', 'target': 'cpu-model', 'verdict': 'pass', 'parts': ['check', 'count']}, "
    "{'case': 'ab/v/2/b8', 'target': 'cpu-model', 'verdict': 'pass', 'parts': ['count']}, "
    "{'case': 'a/v/1/b8', 'target': 'nvidia-h200', 'verdict': 'pass', 'parts': ['time']}], "
    "'refused': [{'case': 'a/w/1/b8', 'target': 'cpu-model', 'why': 'no'}], "
    "'speedups': [{'note': 'twice', 'target': 'nvidia-h200'}], "
    "'notes': [{'note': 'a note', 'target': 'cpu-model'}, {'note': 'a note'}], "
    "'claims': [{'claim': 'model.a.claim_x_wins', 'holds': true}], "
    "'tests': [{'name': 'gpu.a.check', 'skipped': 'x', 'skipped_by': 'filter'}]}";

/* The one place that holds the whole wording of a run that passed. */
Test(console, a_green_run_is_one_line_per_comparison)
{
    char *text = console(parse(green), KG__BRIEF);

    cr_expect(eq(str, text,
                 "nvidia-h200  GPU-956c5159, driver 580, CUDA 13.0\n"
                 "  a                 1 timed\n"
                 "cpu-model  gcc 12.2.0\n"
                 "  a                 2 checked       1 counted       1 refused\n"
                 "  ab                                1 counted\n"
                 "claims: 1 holds\n"
                 "note         cpu-model    a note\n"
                 "not selected by --filter: 1 test\n"
                 "PASS  3 cases on cpu-model, 1 on nvidia-h200\n"));
    free(text);
}

Test(console, quiet_is_the_verdict_and_verbose_one_line_per_case)
{
    char *text = console(parse(green), KG__QUIET);

    cr_expect(eq(str, text, "PASS  3 cases on cpu-model, 1 on nvidia-h200\n"));
    free(text);
    text = console(parse(green), KG__VERBOSE);
    expect_within(text, "\npass         cpu-model    a/v/2/b8");
    expect_within(text, "\nrefused      cpu-model    a/w/1/b8");
    expect_within(text, "\nspeedup      nvidia-h200  twice\n");
    expect_within(text, "\nnote         cpu-model    a note\n");
    expect_within(text, "\nholds        claim        model.a.claim_x_wins");
    expect_within(text, "\n  ab                                1 counted\n");
    free(text);
}

static const char red[] =
    "{'out': 'out', 'exit_code': 2, 'tally': {'pass': 1, 'slower': 2, 'wrong': 3, 'noisy': 1, "
    "'faster': 1, 'failed_claims': 1}, " TARGETS "'cases': ["
    "{'case': 'a/v/1/b8', 'target': 'cpu-model', 'verdict': 'wrong', "
    "'why': 'kernels/a/v.cu:9: reads x; 3 times', "
    "'at': {'file': 'kernels/a/v.cu', 'line': 9}, 'test': 'model.a.check'}, "
    "{'case': 'a/v/2/b8', 'target': 'cpu-model', 'verdict': 'wrong', "
    "'why': 'kernels/a/v.cu:9: reads x; 4 times', "
    "'at': {'file': 'kernels/a/v.cu', 'line': 9}, 'test': 'model.a.check'}, "
    "{'case': 'a/v/3/b8', 'target': 'cpu-model', 'verdict': 'wrong', "
    "'why': '[3] is 1, expected 2', 'test': 'model.a.check'}, "
    "{'case': 'a/x/1/b8', 'target': 'cpu-model', 'verdict': 'wrong', 'why': 'two findings', "
    "'findings': [{'kind': 'out_of_bounds', 'file': 'kernels/a/x.cu', 'line': 9, 'access': 'read', "
    "'bytes': 4, 'space': 'global', 'symbol': 'c', 'size': 400, 'offset': 532, 'count': 1}, "
    "{'kind': 'misaligned', 'file': 'kernels/a/x.cu', 'line': 11, 'access': 'write', 'bytes': 16, "
    "'space': 'global', 'symbol': 'c', 'size': 400, 'offset': 4, 'count': 1}], "
    "'also': 'kernels/a/x.cu: c[0]: expected 1, got 2', 'test': 'model.a.check'}, "
    "{'case': 'a/v/1/b8', 'target': 'nvidia-h200', 'verdict': 'slower', 'why': 'slower', "
    "'test': 'gpu.a.time', 'metrics': {'time_ns': {'value': 10500, 'baseline': 10000, "
    "'change': 0.05, 'limit': 0.02, 'verdict': 'slower'}}}, "
    "{'case': 'a/v/2/b8', 'target': 'nvidia-h200', 'verdict': 'slower', 'why': 'slower', "
    "'test': 'gpu.a.time', 'metrics': {'time_ns': {'value': 11000, 'baseline': 10000, "
    "'change': 0.1, 'limit': 0.02, 'verdict': 'slower'}}, "
    "'changed': ['code changed: registers 32 -> 40']}, "
    "{'case': 'a/v/3/b8', 'target': 'nvidia-h200', 'verdict': 'noisy', 'why': 'too noisy'}, "
    "{'case': 'b/w/3/b8', 'target': 'nvidia-h200', 'verdict': 'faster', 'why': 'by 9 %'}, "
    "{'case': 'a/v/5/b8', 'target': 'nvidia-h200', 'verdict': 'pass', 'why': ''}], "
    "'errors': [{'test': 'gpu.b.time', 'why': 'left no verdict'}], "
    "'claims': [{'claim': 'gpu.a.claim_x_wins', 'test': 'gpu.a.claim_x_wins', "
    "'target': 'nvidia-h200', 'holds': false, 'why': '0.97 times'}], "
    "'vanished': [{'case': 'a/old/1/-', 'target': 'nvidia-h200'}], "
    "'tests': [{'name': 'gpu.c.time', 'skipped': 'no baseline', 'exit_code': 77}]}";

/* The one place that holds the whole wording of failures. */
Test(console, failures_read_as_a_compiler_prints_them)
{
    static const char *const expected[] = {
        "\n\ngpu.b.time: error: left no verdict\n    reproduce: cmake --build build/gpu && ",
        "\n\nkernels/a/v.cu:9: error: wrong: reads x; 3 times\n"
        "    a/v on cpu-model: 2 of 3 sizes: 1/b8, 2/b8\n"
        "    reproduce: cmake --build build/cpu && KG_FILTER='a/v/1/b8' ctest ",
        "\n\nkernels/a/v.cu: error: wrong: [3] is 1, expected 2\n"
        "    a/v/3/b8 on cpu-model\n    reproduce: ",
        "\n\nkernels/a/x.cu:9: error: invalid global read of 4 bytes, 132 bytes past the end of c "
        "(400 bytes)\n"
        "kernels/a/x.cu:11: error: misaligned global write of 16 bytes at c + 4, an address that "
        "is "
        "not a multiple of 16\n"
        "    also: kernels/a/x.cu: c[0]: expected 1, got 2\n    a/x/1/b8 on cpu-model\n",
        "\n\nkernels/a/v.cu: error: slower: 2/b8 takes 11 µs, was 10 µs (+10.0 %, limit 2.0 %)\n"
        "    a/v on nvidia-h200: 2 of 4 sizes: 2/b8 +10.0 %, 1/b8 +5.0 %\n"
        "    cause: code changed: registers 32 -> 40\n"
        "    reproduce: cmake --build build/gpu && KG_FILTER='a/v/2/b8' ctest ",
        "\n\nkernels/a/v.cu: warning: noisy: too noisy\n    a/v/3/b8 on nvidia-h200\n\n",
        "\nb/w/3/b8: note: faster: by 9 %\n    b/w/3/b8 on nvidia-h200\n\n",
        "\nsuites/a.c:2: error: claim: 0.97 times\n    gpu.a.claim_x_wins\n    reproduce: ",
        "\n\na/old/1/-: error: vanished: the baseline has it",
        "\n\ngpu.c.time: warning: nothing to judge: no baseline\n\n",
        "\nERROR  3 wrong, 2 slower, 1 noisy, 1 faster of 4 cases on cpu-model, 5 on nvidia-h200, "
        "1 failed claim, 1 vanished case, 1 error outside of cases\n",
    };
    const char *from;
    char *text;

    make_tree();
    text = console(parse(red), KG__BRIEF);
    from = text;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *found = strstr(from, expected[i]);

        cr_expect(found != NULL, "\"%s\" does not follow in:\n%s", expected[i], from);
        from = found != NULL ? found : from;
    }
    cr_expect(occurrences(text, ": error: ") == 8, "%s", text);
    cr_expect(occurrences(text, "reproduce: ") == 6, "what is in doubt does not fail");
    free(text);
}

Test(console, alike_at_every_size_names_the_first)
{
    json_t *results =
        parse("{'exit_code': 1, 'targets': {'t': {'key': 't'}}, 'tally': {'wrong': 2}, 'cases': ["
              "{'case': 'a/v/1/b8', 'target': 't', 'verdict': 'wrong', 'why': 'x'}, "
              "{'case': 'a/v/2/b8', 'target': 't', 'verdict': 'wrong', 'why': 'x'}]}");
    char *text = console(results, KG__BRIEF);

    expect_within(text, "\na/v/1/b8: error: wrong: x\n    a/v: 2 of 2 sizes, first 1/b8\n");
    free(text);
}

Test(console, counts_what_it_leaves_out)
{
    json_t *results = json_object();
    json_t *errors = json_array();
    char *text;

    for (int i = 0; i < 100; i++)
        json_array_append_new(errors, json_pack("{s:s}", "why", "broken"));
    json_object_set_new(results, "errors", errors);
    text = console(results, KG__BRIEF);
    expect_within(text, "\nkernelgate: error: broken\n");
    expect_within(text, "\n... and 80 more in summary.md\n");
    free(text);
}

Test(console, notes_are_few)
{
    json_t *results = json_pack("{s:[]}", "notes");
    char *text;

    for (int i = 0; i < 20; i++) {
        char note[32];

        snprintf(note, sizeof note, "note %d", i / 2);
        json_array_append_new(json_object_get(results, "notes"), json_pack("{s:s}", "note", note));
    }
    text = console(results, KG__BRIEF);
    expect_within(text, "note 5\n... and 4 more notes in summary.md\n");
    free(text);
}

Test(console, a_hostile_text_cannot_steer_the_terminal)
{
    json_t *results =
        parse("{\"cases\": [{\"target\": \"t\\u001b]0;x\\u0007\", \"verdict\": \"wrong\"}], "
              "\"targets\": {\"t\\u001b]0;x\\u0007\": {}}, \"out\": \"o\\u001b[2J\", \"notes\": "
              "[{\"note\": \"n\\u009b2J\"}]}");
    json_t *entry = json_array_get(json_object_get(results, "cases"), 0);
    char *text;

    json_object_set_new(entry, "case", json_string("::error::a\033[31m\nPASS  "));
    json_object_set_new(entry, "why", json_string("b\rc\tPASS"));
    text = console(results, KG__VERBOSE);
    expect_not_within(text, "\033");
    expect_not_within(text, "\r");
    expect_not_within(text, "\xc2\x9b");
    expect_not_within(text, "\nPASS");
    cr_expect(commands_in(text) == 0, "%s", text);
    free(text);
}

/* What the console shows on a terminal, with NO_COLOR set or not. */
static char *on_terminal(const char *results, const char *no_color)
{
    kg__pool pool = { 0 };
    kg__report report = { .results = read_results(&pool, parse(results)),
                          .detail = KG__BRIEF,
                          .sources = "." };
    char *text = kg__allocate(65536, 1);
    int master;
    int slave;
    FILE *stream;
    ssize_t got;
    size_t used = 0;

    need_terminal(openpty(&master, &slave, NULL, NULL, NULL) == 0);
    if (no_color != NULL)
        setenv("NO_COLOR", no_color, 1);
    else
        unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
    setenv("TERM", "xterm", 1);
    stream = fdopen(slave, "w");
    cr_assert(stream != NULL);
    kg__console_write(&report, stream);
    cr_assert(fflush(stream) == 0);
    cr_assert(fcntl(master, F_SETFL, O_NONBLOCK) == 0);
    while ((got = read(master, text + used, 65535 - used)) > 0)
        used += (size_t)got;
    fclose(stream);
    close(master);
    kg__pool_free(&pool);
    return text;
}

Test(console, is_colored_on_a_terminal_that_wants_it)
{
    char *text = on_terminal(red, NULL);

    expect_within(text, ": \033[31merror:\033[0m slower: 2/b8");
    expect_within(text, ": \033[33mwarning:\033[0m noisy");
    expect_within(text, "2 \033[31mslower\033[0m");
    expect_within(text, "\033[31mERROR\033[0m  3 wrong");
    free(text);
    text = on_terminal(red, "1");
    expect_not_within(text, "\033");
    free(text);
    text = on_terminal("{\"exit_code\": 0, \"tally\": {\"pass\": 1}}", "");
    expect_within(text, "\033[32mPASS\033[0m");
    free(text);
    text = on_terminal("{\"exit_code\": 77}", NULL);
    expect_within(text, "\033[33mNOTHING JUDGED\033[0m");
    free(text);
}
