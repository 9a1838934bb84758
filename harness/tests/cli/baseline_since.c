/* The command `kernelgate results`, with and without --since: what the results say of the baselines
 * that judged the run, and of what a change of them loosens. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/message.h"
#include "records/records.h"
#include "results/results_text.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

#define FILE_OF(cases)                                                                             \
    "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"nvidia-fake\"}, \"cases\": "  \
    "{" cases "}}"
#define CASE(id, more) "\"" id "\": {\"time_ns\": {\"value\": 10000, \"floor\": 50, " more "}}"

static const char before[] = FILE_OF(
    CASE("m/naive/530/b16", "\"band\": 0.02") ", " CASE("m/tiled/530/b16", "\"band\": 0.02"));
static const char after[] = FILE_OF(CASE("m/naive/530/b16", "\"band\": 0.12") ", " CASE(
    "m/tiled/530/b16", "\"band\": 0.02, \"gated\": false"));

static const char verdicts[] =
    "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.m.time\", \"complete\": true, "
    "\"exit_code\": 0, "
    "\"target\": {\"key\": \"nvidia-fake\"}, \"cases\": [{\"case\": \"m/naive/530/b16\", "
    "\"target\": \"nvidia-fake\", \"part\": \"time\", \"metrics\": {}, \"verdict\": \"pass\", "
    "\"why\": \"\"}]}";

/* A repository whose first commit has the baseline as it was before. */
static void begin(void)
{
    make_folder();
    cr_assert(chdir(at("")) == 0);
    set("KG_OUT", at("out"));
    set("KG_LOCK_DIR", at(""));
    set("KG_BASELINES", NULL);
    set("KG_STRICT", NULL);
    set("GIT_CEILING_DIRECTORIES", "/tmp");
    expect_drive((const char *const[]){ KG__COMMAND, "begin", NULL }, 0, NULL);
    write_text(at("out/records/gpu.m.time.verdicts.json"), verdicts);
    cr_assert(mkdir("baselines", 0777) == 0);
    write_text("baselines/nvidia-fake.json", before);
    expect_shell("git init -q . && git add baselines && "
                 "git -c user.name=a -c user.email=a@b commit -q -mone && git tag first");
}

static void end(void)
{
    cr_assert(chdir("/") == 0);
    remove_folder();
}

TestSuite(baseline_since, .init = begin, .fini = end, .timeout = 60);

/* The results of the run with that option, which are also in out/; freed by the caller. */
static json_t *results_since(const char *since)
{
    const char *const arguments[] = { KG__COMMAND, "results",
                                      "--json",    since != NULL ? "--since" : NULL,
                                      since,       NULL };

    return drive_document(arguments, environment, 0, NULL);
}

/* What became of the only file. */
static void expect_file(const char *state, size_t no_longer_gated, size_t widened, size_t retired,
                        size_t added)
{
    json_t *results = results_since("first");
    const json_t *changes = json_object_get(results, "baselines");
    const json_t *file = json_array_get(json_object_get(changes, "files"), 0);

    cr_expect(json_array_size(json_object_get(changes, "files")) == 1);
    cr_expect_str_eq(kg__json_text(changes, "since"), "first");
    cr_expect(strlen(kg__json_text(changes, "commit")) >= 40);
    cr_expect_str_eq(kg__json_text(file, "target"), "nvidia-fake");
    cr_expect_str_eq(kg__json_text(file, "state"), state);
    cr_expect(kg__json_count(file, "no_longer_gated") == no_longer_gated, "%s", state);
    cr_expect(kg__json_count(file, "widened") == widened, "%s", state);
    cr_expect(kg__json_count(file, "retired") == retired, "%s", state);
    cr_expect(kg__json_count(file, "new") == added, "%s", state);
    cr_expect((json_object_get(file, "why") != NULL) == (strcmp(state, "unreadable") == 0));
    json_decref(results);
}

Test(baseline_since, a_file_is_what_it_was)
{
    expect_file("unchanged", 0, 0, 0, 0);
}

Test(baseline_since, a_file_that_changed)
{
    write_text("baselines/nvidia-fake.json", after);
    expect_file("changed", 1, 1, 0, 0);
    /* A comment's worth, which loosens nothing. */
    write_text("baselines/nvidia-fake.json",
               FILE_OF(CASE("m/naive/530/b16", "\"band\": 0.020") ", " CASE("m/tiled/530/b16",
                                                                            "\"band\": 0.02")));
    expect_file("changed", 0, 0, 0, 0);
}

Test(baseline_since, a_file_that_is_gone)
{
    cr_assert(unlink("baselines/nvidia-fake.json") == 0);
    expect_file("removed", 0, 0, 2, 0);
    cr_assert(rmdir("baselines") == 0);
    expect_file("removed", 0, 0, 2, 0);
}

Test(baseline_since, a_file_that_is_new)
{
    expect_shell("git rm -q --cached -r baselines && "
                 "git -c user.name=a -c user.email=a@b commit -q -mtwo && git tag -f first");
    expect_file("new", 0, 0, 0, 2);
}

/* An unreadable file at the commit does not block its fix. */
Test(baseline_since, a_file_that_was_not_right)
{
    write_text("baselines/nvidia-fake.json", "{\"schema\": 1}");
    expect_shell("git -c user.name=a -c user.email=a@b commit -qa -mtwo && git tag -f first");
    write_text("baselines/nvidia-fake.json", before);
    expect_file("unreadable", 0, 0, 0, 0);
}

/* An error, of the results too: they are not those that were asked for. */
static void expect_refusal(const char *since, const char *line)
{
    const char *const arguments[] = { KG__COMMAND, "results", "--since", since, NULL };
    ending result = drive(arguments, environment);

    expect_ending(&result, 2, line);
    cr_expect(strstr(result.output, "\nERROR  ") != NULL, "%s", result.output);
    free(result.output);
}

Test(baseline_since, what_cannot_be_compared)
{
    expect_refusal("second", "--since second: there is no such commit, branch or tag here");
    expect_refusal("--all", "--since --all: there is no such commit");
    write_text("baselines/nvidia-fake.json", "{\"schema\": 1}");
    expect_refusal("first", "baselines/nvidia-fake.json:1: schema: is not a string");
    write_text("baselines/nvidia-fake.json", before);
    cr_assert(mkdir("elsewhere", 0777) == 0);
    expect_shell("rm -rf .git");
    expect_refusal("first", "--since first: git failed in baselines: ");
}

/* The verdicts stay what they are: it is for whoever reviews the change to say. */
Test(baseline_since, the_summary_begins_with_it)
{
    const char *const arguments[] = { KG__COMMAND, "results", "--since", "first", NULL };
    ending result;
    char *page;

    write_text("baselines/nvidia-fake.json", after);
    result = drive(arguments, environment);
    expect_ending(&result, 0,
                  "\nbaselines since first: nvidia-fake changed; loosened: 1 metric no longer "
                  "gated, 1 limit widened; 1 metric is not gated, 1 limit is above 10 %\n");
    free(result.output);
    page = read_text(at("out/summary.md"));
    cr_expect(strncmp(page, "# kernelgate: PASS (exit 0)\n\n**Baselines** since first: ", 56) == 0,
              "%s", page);
    cr_expect(strstr(page, "\n- m/tiled/530/b16 time\\_ns on nvidia-fake: no longer gated\n- "
                           "m/naive/530/b16 time\\_ns on nvidia-fake: limit from 2.0 % to 12.0 "
                           "%\n\n1 case on nvidia-fake.") != NULL,
              "%s", page);
    free(page);
}

Test(baseline_since, without_a_commit_what_is_let_pass_is_counted)
{
    json_t *results;
    const json_t *changes;

    write_text("baselines/nvidia-fake.json", after);
    results = results_since(NULL);
    changes = json_object_get(results, "baselines");
    cr_expect(json_object_get(changes, "since") == NULL);
    cr_expect(kg__json_count(changes, "not_gated") == 1);
    cr_expect(kg__json_count(changes, "limits_above_10_percent") == 1);
    cr_expect(json_array_size(json_object_get(changes, "files")) == 0);
    json_decref(results);
    /* What judged nothing of this run is not counted. */
    cr_assert(rename("baselines/nvidia-fake.json", "baselines/nvidia-other.json") == 0);
    results = results_since(NULL);
    cr_expect(json_object_get(results, "baselines") == NULL);
    json_decref(results);
}
