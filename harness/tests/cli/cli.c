/* The command `kernelgate`, as its users call it. KG__COMMAND is its path. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

extern char **environ;

static char folder[256];
static char output[65536];   /* of the last run, its standard output */
static char complaint[8192]; /* its standard error */

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *walk)
{
    (void)facts;
    (void)type;
    (void)walk;
    return remove(path);
}

static void begin(void)
{
    static const char *const steering[] = { "KG_OUT",
                                            "KG_STRICT",
                                            "KG_FILTER",
                                            "KG_BASELINES",
                                            "KG_NVML_LIBRARY",
                                            "KG_CUDA_LIBRARY",
                                            "KG_FAKE_NVML",
                                            "CC",
                                            "CXX",
                                            "NO_COLOR",
                                            "CLICOLOR_FORCE",
                                            "GITHUB_ACTIONS",
                                            "KG_CASE_TIMEOUT",
                                            "KG_CASE_SECONDS" };
    const char *base = getenv("TMPDIR");

    for (size_t i = 0; i < sizeof steering / sizeof *steering; i++)
        unsetenv(steering[i]);
    snprintf(folder, sizeof folder, "%s/kernelgate-cli-XXXXXX", base != NULL ? base : "/tmp");
    cr_assert(mkdtemp(folder) != NULL);
    cr_assert(chdir(folder) == 0);
}

static void end(void)
{
    cr_assert(chdir("/") == 0);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

TestSuite(cli, .init = begin, .fini = end, .timeout = 120);

/* Reads a file of the test's folder into `text`. */
static void get(const char *name, char *text, size_t size)
{
    FILE *file = fopen(name, "r");

    cr_assert(file != NULL, "%s", name);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void put(const char *name, const char *text)
{
    char *copy = strdup(name);
    char *slash = strrchr(copy, '/');
    kg__error error = { "" };

    if (slash != NULL) {
        *slash = '\0';
        cr_assert(kg__file_make_folder(copy, &error), "%s", error.text);
    }
    free(copy);
    cr_assert(kg__file_replace(name, text, strlen(text), &error), "%s", error.text);
}

/* Runs the command with the arguments given, which end with NULL; returns its exit code, -1 for a
 * crash. */
static int run_command(const char *const *given)
{
    char *arguments[16] = { (char *)KG__COMMAND };
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;

    for (size_t i = 0; given[i] != NULL && i < 14; i++)
        arguments[i + 1] = (char *)given[i];
    /* What Criterion leaves for its own processes is none of another program's business. */
    unsetenv("BXFI_MAP");
    cr_assert(posix_spawn_file_actions_init(&actions) == 0);
    cr_assert(posix_spawn_file_actions_addopen(&actions, 1, ".output", O_WRONLY | O_CREAT | O_TRUNC,
                                               0600) == 0);
    cr_assert(posix_spawn_file_actions_addopen(&actions, 2, ".complaint",
                                               O_WRONLY | O_CREAT | O_TRUNC, 0600) == 0);
    cr_assert(posix_spawn(&child, KG__COMMAND, &actions, NULL, arguments, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    cr_assert(waitpid(child, &status, 0) == child);
    get(".output", output, sizeof output);
    get(".complaint", complaint, sizeof complaint);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define run(...) run_command((const char *const[]){ __VA_ARGS__ })

static void expect_within(const char *text, const char *part)
{
    cr_expect(strstr(text, part) != NULL, "\"%s\" is not in:\n%s", part, text);
}

Test(cli, without_arguments_it_says_how_it_is_called)
{
    cr_expect(eq(int, run(NULL), 2));
    expect_within(complaint, "usage: kernelgate COMMAND");
    cr_expect(eq(str, output, ""));
}

Test(cli, helps)
{
    cr_expect(eq(int, run("help", NULL), 0));
    expect_within(output, "usage: kernelgate COMMAND");
    expect_within(output, "  doctor ");
    expect_within(output, "  baseline lint ");
    cr_expect(eq(int, run("--help", NULL), 0));
    cr_expect(eq(int, run("-h", NULL), 0));
    expect_within(output, "usage: kernelgate COMMAND");

    cr_expect(eq(int, run("help", "results", NULL), 0));
    expect_within(output, "usage: kernelgate results [OPTION...]\n");
    expect_within(output, "--programs");
    expect_within(output, "exit: 0");
    cr_expect(eq(int, run("results", "--help", NULL), 0));
    expect_within(output, "usage: kernelgate results");
    cr_expect(eq(int, run("baseline", "lint", "-h", NULL), 0));
    expect_within(output, "usage: kernelgate baseline lint [OPTION...] [FILE...]\n");
    cr_expect(eq(int, run("help", "baseline", "lint", NULL), 0));
    cr_expect(eq(str, complaint, ""));
    /* The first word of several commands lists them all. */
    cr_expect(eq(int, run("baseline", "--help", NULL), 0));
    expect_within(output, "usage: kernelgate baseline COMMAND");
    expect_within(output, "baseline lint");
    expect_within(output, "baseline record");
    cr_expect(eq(int, run("help", "baseline", NULL), 0));
    expect_within(output, "baseline record");
}

Test(cli, tells_its_version)
{
    cr_expect(eq(int, run("--version", NULL), 0));
    cr_expect(eq(str, output, "kernelgate " KG__VERSION "\n"));
    cr_expect(eq(str, complaint, ""));
    cr_expect(eq(int, run("--version", "doctor", NULL), 2));
}

Test(cli, names_the_nearest_command)
{
    cr_expect(eq(int, run("doktor", NULL), 2));
    expect_within(complaint, "kernelgate: unknown command \"doktor\"; did you mean \"doctor\"?");
    cr_expect(eq(int, run("result", "--strict", NULL), 2));
    expect_within(complaint, "did you mean \"results\"?");
    cr_expect(eq(int, run("baseline", "lnt", NULL), 2));
    expect_within(complaint, "unknown command \"baseline lnt\"; did you mean \"baseline lint\"?");
    cr_expect(eq(int, run("baseline", NULL), 2));
    expect_within(complaint, "did you mean \"baseline ");
    cr_expect(eq(int, run("help", "nope", NULL), 2));
    cr_expect(eq(str, complaint, "kernelgate: unknown command \"nope\": see `kernelgate help`\n"));
    cr_expect(eq(int, run("help", "tnue", NULL), 2));
    expect_within(complaint, "did you mean \"tune\"?");
    cr_expect(eq(int, run("begin-nothing-at-all-like-this", NULL), 2));
    expect_within(complaint,
                  "unknown command \"begin-nothing-at-all-like-this\": see `kernelgate help`");
    cr_expect(eq(int, run("help", "doktor", NULL), 2));
    cr_expect(eq(str, output, ""));
}

Test(cli, refuses_what_it_does_not_know)
{
    cr_expect(eq(int, run("doctor", "--jsn", NULL), 2));
    expect_within(complaint, "doctor: unknown option --jsn; did you mean --json?");
    cr_expect(eq(int, run("doctor", "--something-else-entirely", NULL), 2));
    expect_within(complaint,
                  "unknown option --something-else-entirely: see `kernelgate help doctor`");
    cr_expect(eq(int, run("doctor", "--json=yes", NULL), 2));
    expect_within(complaint, "option --json takes no value");
    cr_expect(eq(int, run("begin", "--out", NULL), 2));
    expect_within(complaint, "option --out needs a value: --out DIR");
    cr_expect(eq(int, run("begin", "--out=", NULL), 2));
    expect_within(complaint, "option --out needs a value");
    cr_expect(eq(int, run("begin", "elsewhere", NULL), 2));
    expect_within(complaint, "begin: takes no \"elsewhere\"");
    cr_expect(eq(int, run("begin", "--", "--out", NULL), 2));
    expect_within(complaint, "begin: takes no \"--out\"");
    cr_expect(access("out", F_OK) != 0);
}

#define VERDICTS(test, more)                                                                       \
    "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"" test "\", \"complete\": true, "         \
    "\"exit_code\": 0" more "}"

#define ONE_CASE(verdict)                                                                          \
    ", \"cases\": [{\"case\": \"a/b/1/-\", \"target\": \"t\", \"verdict\": \"" verdict             \
    "\", \"why\": \"because\"}]"

Test(cli, begin_makes_the_folder_that_is_named)
{
    cr_expect(eq(int, run("begin", "--out", "here/out", NULL), 0), "%s", complaint);
    cr_expect(access("here/out/records", F_OK) == 0);
    cr_expect(eq(int, run("begin", "--out=there", NULL), 0));
    cr_expect(access("there/records", F_OK) == 0);
    cr_expect(eq(int, run("begin", NULL), 0));
    cr_expect(access("out/records", F_OK) == 0);
    setenv("KG_OUT", "everywhere", 1);
    cr_expect(eq(int, run("begin", NULL), 0));
    cr_expect(access("everywhere/records", F_OK) == 0);
    cr_expect(eq(str, output, ""));
    put("file", "");
    cr_expect(eq(int, run("begin", "--out", "file", NULL), 2));
    expect_within(complaint, "kernelgate: file: is not a folder");
}

/* What an earlier run left is removed, and what a link leads to was left by nobody. */
Test(cli, begin_follows_no_link)
{
    cr_assert(mkdir("mine", 0777) == 0 && mkdir("linked", 0777) == 0);
    put("mine/a.jsonl", "mine");
    cr_assert(symlink("../mine", "linked/records") == 0);
    cr_expect(eq(int, run("begin", "--out", "linked", NULL), 2));
    expect_within(complaint, "kernelgate: linked/records: is a symbolic link");
    cr_expect(access("mine/a.jsonl", F_OK) == 0);
}

/* The output is what results.json holds, and nothing else. */
static void expect_results_document(void)
{
    json_t *printed = json_loads(output, JSON_REJECT_DUPLICATES, NULL);
    json_t *stored = json_load_file("out/results.json", 0, NULL);

    cr_assert(printed != NULL, "%s", output);
    cr_expect(json_equal(printed, stored), "%s", output);
    json_decref(printed);
    json_decref(stored);
}

Test(cli, results_writes_three_files_and_exits_by_the_verdicts)
{
    static char text[65536];

    put("out/records/gpu.a.time.verdicts.json", VERDICTS("gpu.a.time", ONE_CASE("pass")));
    cr_expect(eq(int, run("results", NULL), 0), "%s", complaint);
    expect_within(output, "PASS  1 case on t\nout/report/index.html  out/results.json  ");
    get("out/results.json", text, sizeof text);
    expect_within(text, "\"schema\": \"kernelgate-results/1\"");
    get("out/junit.xml", text, sizeof text);
    expect_within(text, "<testsuites name=\"kernelgate\" tests=\"1\"");
    get("out/summary.md", text, sizeof text);
    expect_within(text, "# kernelgate: PASS (exit 0)");

    put("out/records/gpu.a.time.verdicts.json", VERDICTS("gpu.a.time", ONE_CASE("slower")));
    cr_expect(eq(int, run("results", "--build", "build/mine", NULL), 1));
    expect_within(output, "ctest --test-dir build/mine -R");
    expect_within(output, "\nFAIL  1 slower of 1 case on t\n");
    cr_expect(eq(int, run("results", "-q", NULL), 1));
    cr_expect(eq(str, (char *)output, "FAIL  1 slower of 1 case on t\n"));
    cr_expect(eq(int, run("results", "--verbose", NULL), 1));
    expect_within(output, "\nslower       t");
    cr_expect(eq(int, run("results", "--json", NULL), 1));
    expect_results_document();

    put("out/records/gpu.a.time.verdicts.json",
        VERDICTS("gpu.a.time", ", \"skipped\": \"no GPU\", \"skipped_by\": \"unavailable\""));
    cr_expect(eq(int, run("results", NULL), 77));
    expect_within(output, "\nNOTHING JUDGED  no case was judged");
    cr_expect(eq(int, run("results", "--strict", NULL), 2));

    put("out/records/gpu.a.time.verdicts.json", "{");
    cr_expect(eq(int, run("results", NULL), 2));
    expect_within(output, "\ngpu.a.time: error: ");
}

Test(cli, results_annotates_in_a_job_of_github_actions_alone)
{
    static const char annotation[] =
        "\n::error title=slower%3A a/b/1/- on t::because%0Areproduce: ";

    put("out/records/gpu.a.time.verdicts.json", VERDICTS("gpu.a.time", ONE_CASE("slower")));
    cr_expect(eq(int, run("results", NULL), 1));
    cr_expect(strstr(output, "::error") == NULL, "%s", output);
    setenv("GITHUB_ACTIONS", "true", 1);
    cr_expect(eq(int, run("results", NULL), 1));
    expect_within(output, annotation);
    setenv("GITHUB_ACTIONS", "false", 1);
    cr_expect(eq(int, run("results", NULL), 1));
    cr_expect(strstr(output, "::error") == NULL, "%s", output);
}

Test(cli, results_is_strict_by_option_and_by_environment)
{
    put("out/records/gpu.a.time.verdicts.json", VERDICTS("gpu.a.time", ONE_CASE("noisy")));
    cr_expect(eq(int, run("results", NULL), 0));
    expect_within(output, "but not with KG_STRICT=1: 1 noisy");
    cr_expect(eq(int, run("results", "--strict", NULL), 1));
    setenv("KG_STRICT", "1", 1);
    cr_expect(eq(int, run("results", NULL), 1));
    setenv("KG_STRICT", "0", 1);
    cr_expect(eq(int, run("results", NULL), 0));
    setenv("KG_STRICT", "false", 1);
    cr_expect(eq(int, run("results", NULL), 2));
    cr_expect(eq(str, complaint,
                 "kernelgate: KG_STRICT='false' is neither 0 nor 1: set it to 1 for strict mode, "
                 "or to 0\n"));
    cr_expect(eq(int, run("help", "results", NULL), 0));
}

/* gate.begin, the first of CTest's tests, is such a command. */
Test(cli, no_command_takes_a_limit_that_is_none)
{
    setenv("KG_CASE_TIMEOUT", "abc", 1);
    cr_expect(eq(int, run("begin", NULL), 2));
    cr_expect(
        eq(str, complaint,
           "kernelgate: KG_CASE_TIMEOUT='abc' is not a number of seconds from 0.001 to 1000000: "
           "set it to one, or unset it\n"));
    setenv("KG_CASE_TIMEOUT", "", 1);
    setenv("KG_CASE_SECONDS", "0.01", 1);
    cr_expect(eq(int, run("begin", NULL), 2));
    expect_within(complaint,
                  "KG_CASE_SECONDS='0.01' is not a number of seconds from 0.05 to 3600: ");
    setenv("KG_CASE_SECONDS", "2", 1);
    cr_expect(eq(int, run("begin", NULL), 0), "%s", complaint);
}

/* CTest alone is the gate too. */
Test(cli, a_report_fails_by_a_glob_that_takes_no_case)
{
    put("out/records/gpu.a.time.verdicts.json", VERDICTS("gpu.a.time", ONE_CASE("pass")));
    setenv("KG_FILTER", "a/*,b/*", 1);
    cr_expect(eq(int, run("results", NULL), 2));
    setenv("KG_FILTER", "a/*", 1);
    cr_expect(eq(int, run("results", NULL), 0));
}

Test(cli, results_that_cannot_be_written_are_an_error)
{
    put("out/records/gpu.a.time.verdicts.json", VERDICTS("gpu.a.time", ONE_CASE("pass")));
    cr_assert(mkdir("out/results.json", 0700) == 0);
    cr_expect(eq(int, run("results", NULL), 2));
    expect_within(complaint, "kernelgate: out/results.json: cannot be written");
    cr_assert(rmdir("out/results.json") == 0);
    cr_assert(mkdir("out/junit.xml", 0700) == 0);
    cr_assert(mkdir("out/summary.md", 0700) == 0);
    cr_expect(eq(int, run("results", NULL), 2));
    cr_expect(access("out/report/index.html", F_OK) == 0, "the other files are written");
    expect_within(complaint, "kernelgate: out/junit.xml: cannot be written");
    expect_within(complaint, "kernelgate: out/summary.md: cannot be written");
    cr_expect(eq(int, run("results", "--out", "nowhere", NULL), 2));
    expect_within(complaint, "kernelgate: nowhere/records: the folder cannot be read");
}

static const char baseline[] =
    "{\"schema\": \"kernelgate-baseline/1\",\n"
    " \"target\": {\"key\": \"cpu-model\", \"compiler\": \"gcc 12.2.0\"},\n"
    " \"cases\": {\n"
    "  \"a/naive/1/-\": {\"commit\": \"abc\", \"global_load_requests\": {\"value\": 3, \"band\": "
    "0}},\n"
    "  \"b/naive/1/-\": {\"commit\": \"abc\", \"global_load_requests\": {\"value\": 4, \"band\": "
    "0}}\n"
    " }}\n";

Test(cli, lint_says_a_line_a_file)
{
    put("x/cpu-model.json", baseline);
    put("y/cpu-model.json", "{\n\"schema\": 3}");
    cr_expect(eq(int, run("baseline", "lint", "x/cpu-model.json", NULL), 0), "%s%s", output,
              complaint);
    cr_expect(eq(str, output, "x/cpu-model.json: ok: 2 cases, counters of the CPU model\n"));
    cr_expect(eq(int, run("baseline", "lint", "y/cpu-model.json", "x/cpu-model.json", NULL), 2));
    expect_within(output, "y/cpu-model.json:");
    expect_within(output, "x/cpu-model.json: ok: 2 cases");
    cr_expect(eq(int, run("baseline", "lint", "z.json", NULL), 2));
    cr_expect(eq(str, output, "z.json: there is no such file: name another\n"));
}

/* What a run is judged by is what is to be right. */
Test(cli, lint_takes_the_baselines_of_the_run)
{
    cr_expect(eq(int, run("baseline", "lint", NULL), 2));
    expect_within(complaint, "kernelgate: baselines: the folder of the baselines cannot be read: ");
    put("baselines/cpu-model.json", baseline);
    put("baselines/cpu-model.schema.json", "");
    cr_expect(eq(int, run("baseline", "lint", NULL), 0));
    cr_expect(
        eq(str, output, "baselines/cpu-model.json: ok: 2 cases, counters of the CPU model\n"));
    put("own/x.txt", "");
    setenv("KG_BASELINES", "own", 1);
    cr_expect(eq(int, run("baseline", "lint", NULL), 2));
    cr_expect(eq(str, complaint,
                 "kernelgate: own: holds no baseline: name a file, or set KG_BASELINES\n"));
}

/* A run that knows its programs finds the same, and what a test has reported once alone. */
Test(cli, results_lint_the_baselines_of_the_run)
{
    put("programs", "");
    put("out/records/gpu.a.time.verdicts.json", VERDICTS("gpu.a.time", ONE_CASE("pass")));
    cr_expect(eq(int, run("results", "--programs", "programs", NULL), 0), "%s", complaint);
    put("baselines/cpu-model.json", baseline);
    cr_expect(eq(int, run("results", "--programs", "programs", NULL), 0), "%s", output);
    put("baselines/cpu-model.json", "{\n\"schema\": 3}");
    cr_expect(eq(int, run("results", NULL), 0), "%s", output);
    cr_expect(eq(int, run("results", "--programs", "programs", NULL), 2));
    expect_within(output, "kernelgate: error: baselines/cpu-model.json:2: schema: is not a string");
    put("out/records/gpu.a.time.verdicts.json",
        VERDICTS("gpu.a.time",
                 ", \"errors\": [\"baselines/cpu-model.json:2: schema: is not a string: fix the "
                 "file, or record it again with ci/rebaseline\"]"));
    cr_expect(eq(int, run("results", "--programs", "programs", NULL), 2));
    cr_expect(strstr(output, "kernelgate: error: ") == NULL, "%s", output);
}

/* What can be read and is not right all the same. */
Test(cli, lint_finds_what_does_not_fit)
{
    put("nvidia-fake.json",
        "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"nvidia-fake\"}, "
        "\"sentinels\": {\"copy\": {\"time_ns\": {\"value\": 100, \"band\": 0.02, \"floor\": 50, "
        "\"sessions\": [100, 100, 100, 100, 100]}}}, \"cases\": {\"a/b/1/32\": {\"commit\": "
        "\"abc\", \"time_ns\": {\"value\": 100, \"band\": 0.02, \"floor\": 50, \"sessions\": "
        "[100, 100, 100, 100, 100]}}}}");
    cr_expect(eq(int, run("baseline", "lint", "nvidia-fake.json", NULL), 2));
    expect_within(output, "nvidia-fake.json: fma: this sentinel is missing");
    expect_within(output, "nvidia-fake.json: a/b/1/32: no table gives this launch");
    cr_expect(strstr(output, ": ok") == NULL, "%s", output);
}
