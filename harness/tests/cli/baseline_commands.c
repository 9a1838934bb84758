/* The commands `kernelgate baseline show`, `diff` and `retire`, as their users call them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/message.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

#define HEAD                                                                                       \
    "{\"schema\": \"kernelgate-baseline/1\",\n"                                                    \
    " \"target\": {\"key\": \"nvidia-fake\", \"name\": \"NVIDIA Fake\"},\n"                        \
    " \"sentinels\": {\"copy\": {\"time_ns\": {\"value\": 100000, \"band\": 0.02, \"floor\": 50, " \
    "\"sessions\": [100000, 100000, 100000, 100000, 100000]}}},\n \"cases\": {\n"
#define TAIL "\n }}\n"
#define CASE(id, value, more)                                                                      \
    "  \"" id "\": {\"commit\": \"abc123\", \"time_ns\": {\"value\": " value ", \"band\": 0.02, "  \
    "\"floor\": 50" more ", \"sessions\": [" value ", " value ", " value ", " value ", " value     \
    "]}}"

static const char before[] = HEAD CASE("m/naive/530/b16", "10000", "") ",\n" CASE(
    "m/old/530/b16", "20000", "") ",\n" CASE("m/tiled/530/b16", "5000", "") TAIL;
static const char after[] = HEAD CASE("m/naive/530/b16", "10300", "") ",\n" CASE(
    "m/tiled/530/b16", "5000", ", \"gated\": false") ",\n" CASE("m/wide/530/b16", "7000", "") TAIL;

static const char *settings[4];
static char lock_folder[512];

static void begin(void)
{
    make_folder();
    kg__format(lock_folder, sizeof lock_folder, "KG_LOCK_DIR=%s", at(""));
    settings[0] = lock_folder;
    settings[1] = "KG_BASELINES";
    settings[2] = "GIT_CEILING_DIRECTORIES=/tmp";
    cr_assert(chdir(at("")) == 0);
    cr_assert(mkdir("baselines", 0777) == 0);
    write_text("baselines/nvidia-fake.json", before);
}

static void end(void)
{
    cr_assert(chdir("/") == 0);
    remove_folder();
}

TestSuite(baseline_commands, .init = begin, .fini = end, .timeout = 60);

/* Runs `kernelgate baseline` with the arguments given. */
static ending run_command(const char *const *given)
{
    const char *arguments[12] = { KG__COMMAND, "baseline" };

    for (size_t i = 0; given[i] != NULL && i < 9; i++)
        arguments[2 + i] = given[i];
    return drive(arguments, settings);
}

static void expect_command(int code, const char *line, const char *const *given)
{
    ending seen = run_command(given);

    expect_ending(&seen, code, line);
    free(seen.output);
}

#define expect(code, line, ...)                                                                    \
    expect_command(code, line, (const char *const[]){ __VA_ARGS__, NULL })

static void expect_file(const char *path, const char *text)
{
    char *read = read_text(path);

    cr_expect(strcmp(read, text) == 0, "%s", read);
    free(read);
}

static void git(const char *first, const char *second, const char *third)
{
    const char *const arguments[] = { "/usr/bin/env",   "git", "-c",   "user.name=a", "-c",
                                      "user.email=a@b", first, second, third,         NULL };
    ending seen = drive(arguments, settings);

    cr_assert(seen.code == 0, "%s", seen.output);
    free(seen.output);
}

static void commit_all(void)
{
    git("add", "-A", ".");
    git("commit", "-q", "-mone");
}

/* A repository whose first commit has the baseline as it was before. */
static void make_history(void)
{
    git("init", "-q", ".");
    commit_all();
    git("tag", "first", NULL);
    write_text("baselines/nvidia-fake.json", after);
}

Test(baseline_commands, show_prints_a_table)
{
    static const char table[] =
        "baselines/nvidia-fake.json: NVIDIA Fake, 3 cases\n"
        "\n"
        "case             metric        value   band  noise (3 sigma)  sessions  smallest  gated  "
        "commit  code\n"
        "copy             time_ns  100 000 ns  2.0 %            0.9 %         5     2.0 %  yes\n"
        "m/naive/530/b16  time_ns   10 000 ns  2.0 %            0.9 %         5     2.0 %  yes    "
        "abc123\n";

    expect(0, table, "show", "nvidia-fake");
    expect(0, table, "show", "baselines/nvidia-fake.json");
}

Test(baseline_commands, show_takes_some_cases)
{
    ending seen = run_command(
        (const char *const[]){ "show", "nvidia-fake", "--case", "*/tiled/*,*/old/*", NULL });

    cr_assert(seen.code == 0 && occurrences(seen.output, "m/") == 2, "%s", seen.output);
    cr_assert(strstr(seen.output, "NVIDIA Fake, 3 cases in all\n") != NULL, "%s", seen.output);
    free(seen.output);
    expect(2,
           "baselines/nvidia-fake.json has no case \"m/naiv/530/b16\"; did you mean "
           "\"m/naive/530/b16\"?",
           "show", "nvidia-fake", "--case", "m/naiv/530/b16");
    expect(2, "has no case \"q\": kernelgate baseline show", "show", "nvidia-fake", "--case", "q");
}

Test(baseline_commands, show_says_what_is_told_of_a_case)
{
    static const char text[] =
        HEAD "  \"m/naive/530/b16\": {\"time_ns\": {\"value\": 1000, \"band\": 0.1, \"band_by\": "
             "\"hand\", \"floor\": 50, \"gated\": false}, \"code\": {\"registers\": 32, "
             "\"occupancy\": 0.75, \"fingerprint\": \"00d1f2a3b4c50f1e\"}}" TAIL;

    write_text("nvidia-fake.json", text);
    expect(0,
           "m/naive/530/b16  time_ns    1 000 ns  10.0 % by hand                -         -    "
           "10.0 %  no             registers 32, occupancy 0.75, fingerprint 00d1f2a3b4c50f1e\n",
           "show", "./nvidia-fake.json");
}

Test(baseline_commands, show_has_formats)
{
    expect(0, "## baselines/nvidia-fake.json: NVIDIA Fake, 3 cases\n\n| case | metric | value |",
           "show", "nvidia-fake", "--format", "markdown");
    expect(0,
           "target,case,metric,value,band,noise (3 sigma),sessions,smallest,gated,commit,code\n"
           "nvidia-fake,copy,time_ns,100000,0.02,0.0090406",
           "show", "nvidia-fake", "--format", "csv");
    expect(2, "baseline show: there is no format \"html\": take text, markdown, csv or json",
           "show", "nvidia-fake", "--format", "html");
}

Test(baseline_commands, show_of_what_is_not_there)
{
    expect(2,
           "nvidia-fak: there is no baseline of this key in baselines; did you mean "
           "nvidia-fake?",
           "show", "nvidia-fak");
    expect(2, "cpu-model: there is no baseline of this key in baselines: record one", "show",
           "cpu-model");
    expect(2, "kernelgate: x.json: there is no such file: name another, or a key\n", "show",
           "x.json");
    expect(2, "baseline show: takes one file or key", "show", "a", "b");
    expect(2, "baseline show: takes one file or key", "show");
    write_text("baselines/nvidia-fake.json", "{");
    expect(2, "kernelgate: baselines/nvidia-fake.json:1: ", "show", "nvidia-fake");
    cr_assert(chdir("/") == 0);
    expect(2, "baselines: the folder of the baselines cannot be read", "show", "cpu-model");
    cr_assert(chdir(at("")) == 0);
}

/* The CPU model's counters have no noise, and any rise is found. */
Test(baseline_commands, show_of_counters)
{
    write_text("baselines/cpu-model.json",
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"cpu-model\"}, "
               "\"cases\": {\"m/naive/530/b16\": {\"commit\": \"abc\", \"barriers\": {\"value\": "
               "12345, \"band\": 0}}}}");
    expect(0,
           "m/naive/530/b16  barriers  12 345  0.0 %                -         -  any rise  yes "
           "   abc\n",
           "show", "cpu-model");
}

Test(baseline_commands, diff_of_two_files)
{
    static const char table[] =
        "from baselines/nvidia-fake.json to now/nvidia-fake.json\n"
        "\n"
        "case             metric       first       last   change   band  note\n"
        "m/naive/530/b16  time_ns  10 000 ns  10 300 ns   +3.0 %  2.0 %  slower\n"
        "m/tiled/530/b16  time_ns   5 000 ns   5 000 ns    0.0 %  2.0 %  no longer gated\n"
        "m/wide/530/b16   -                -          -      new      -\n"
        "m/old/530/b16    -                -          -  retired      -\n"
        "\n"
        "1 of 2 cases slower by more than their band in all; 0 faster, 1 new, 1 retired; 1 metric "
        "no longer gated\n"
        "sentinels, which no commit touches: copy 0.0 %\n";

    cr_assert(mkdir("now", 0777) == 0);
    write_text("now/nvidia-fake.json", after);
    expect(0, table, "diff", "nvidia-fake", "now/nvidia-fake.json");
    expect(0, "0 of 3 cases slower by more than their band in all; 0 faster, 0 new, 0 retired\n",
           "diff", "nvidia-fake", "nvidia-fake");
}

Test(baseline_commands, diff_has_a_limit)
{
    cr_assert(mkdir("now", 0777) == 0);
    write_text("now/nvidia-fake.json", after);
    expect(0, "in all, 0 by more than 3.0 %;", "diff", "nvidia-fake", "now/nvidia-fake.json",
           "--limit", "3");
    expect(1, "in all, 1 by more than 2.9 %;", "diff", "nvidia-fake", "now/nvidia-fake.json",
           "--limit=2.9");
    expect(1, "+3.0 %  2.0 %  beyond the limit\n", "diff", "nvidia-fake", "now/nvidia-fake.json",
           "--limit=2.9%");
    expect(2, "--limit x: is no percentage", "diff", "a", "b", "--limit", "x");
    expect(2, "--limit -1: is no percentage", "diff", "a", "b", "--limit", "-1");
    expect(2, "--limit nan: is no percentage", "diff", "a", "b", "--limit", "nan");
}

/* Runs a command whose output is one JSON document and nothing else, valid by its schema; freed by
 * the caller. */
static json_t *document_of(int code, const char *schema, const char *const *given)
{
    ending seen = run_command(given);
    json_t *document = json_loads(seen.output, JSON_REJECT_DUPLICATES, NULL);

    cr_assert(document != NULL && seen.code == code, "%d: %s", seen.code, seen.output);
    expect_valid(schema, document, seen.output);
    free(seen.output);
    return document;
}

#define document(code, schema, ...)                                                                \
    document_of(code, schema, (const char *const[]){ __VA_ARGS__, NULL })

/* A member of the first entry of a list of a document. */
static const json_t *of_first(const json_t *document, const char *list, const char *name)
{
    return json_object_get(json_array_get(json_object_get(document, list), 0), name);
}

Test(baseline_commands, show_prints_json)
{
    json_t *seen =
        document(0, SCHEMA_OF("shown"), "show", "nvidia-fake", "--json", "--case", "*/naive/*");

    cr_expect(json_array_size(json_object_get(seen, "metrics")) == 1);
    cr_expect(json_array_size(json_object_get(seen, "sentinels")) == 0);
    cr_expect(json_integer_value(json_object_get(seen, "cases")) == 3);
    cr_expect_str_eq(json_string_value(of_first(seen, "metrics", "case")), "m/naive/530/b16");
    cr_expect(json_number_value(of_first(seen, "metrics", "value")) == 10000);
    cr_expect(json_number_value(of_first(seen, "metrics", "smallest")) == 0.02);
    cr_expect(json_is_true(of_first(seen, "metrics", "gated")));
    json_decref(seen);
    seen = document(0, SCHEMA_OF("shown"), "show", "nvidia-fake", "--format", "json");
    cr_expect_str_eq(json_string_value(of_first(seen, "sentinels", "case")), "copy");
    expect_strict(SCHEMA_OF("shown"), seen);
    json_decref(seen);
    expect(2, "--json and --format csv are two formats", "show", "nvidia-fake", "--json",
           "--format=csv");
    expect(2, "has no case \"q\"", "show", "nvidia-fake", "--json", "--case", "q");
}

Test(baseline_commands, diff_prints_json)
{
    json_t *seen;
    const json_t *changes;

    cr_assert(mkdir("now", 0777) == 0);
    write_text("now/nvidia-fake.json", after);
    seen = document(1, SCHEMA_OF("drift"), "diff", "nvidia-fake", "now/nvidia-fake.json", "--json",
                    "--limit", "2.9");
    expect_strict(SCHEMA_OF("drift"), seen);
    cr_expect(json_integer_value(json_object_get(seen, "beyond_limit")) == 1);
    changes = of_first(seen, "files", "changes");
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(changes, 0), "note")),
                     "beyond the limit");
    cr_expect(json_integer_value(json_object_get(of_first(seen, "files", "tally"), "new")) == 1);
    cr_expect(json_integer_value(json_object_get(of_first(seen, "files", "tally"), "retired")) ==
              1);
    cr_expect(json_number_value(json_object_get(of_first(seen, "files", "sentinels"), "copy")) ==
              0.0);
    json_decref(seen);
    seen = document(0, SCHEMA_OF("drift"), "diff", "nvidia-fake", "nvidia-fake", "--json");
    cr_expect(json_array_size(of_first(seen, "files", "changes")) == 0);
    cr_expect(json_object_get(seen, "limit") == NULL);
    json_decref(seen);
    /* What has nothing to compare prints no document. */
    expect(2, "nvidia-fak: there is no baseline", "diff", "nvidia-fake", "nvidia-fak", "--json");
}

Test(baseline_commands, lint_and_retire_print_json)
{
    json_t *seen;

    write_text("baselines/bad.json", "{");
    seen = document(2, SCHEMA_OF("lint"), "lint", "--json", "baselines/bad.json",
                    "baselines/nvidia-fake.json");
    cr_expect(json_array_size(json_object_get(seen, "files")) == 2);
    expect_strict(SCHEMA_OF("lint"), seen);
    cr_expect(json_is_false(of_first(seen, "files", "ok")));
    cr_expect(json_array_size(of_first(seen, "files", "findings")) == 1);
    cr_expect(json_integer_value(json_object_get(seen, "exit_code")) == 2);
    json_decref(seen);
    seen = document(0, SCHEMA_OF("retired"), "retire", "--json", "--dry-run", "nvidia-fake",
                    "m/old/*");
    expect_strict(SCHEMA_OF("retired"), seen);
    cr_expect(json_is_true(json_object_get(seen, "dry_run")));
    cr_expect(json_array_size(json_object_get(seen, "retired")) == 1);
    json_decref(seen);
    expect_file("baselines/nvidia-fake.json", before);
    json_decref(document(0, SCHEMA_OF("retired"), "retire", "--json", "nvidia-fake", "m/old/*"));
    expect(2, "has no case \"m/old/*\"", "retire", "--json", "nvidia-fake", "m/old/*");
}

/* What a run refuses to be judged by, lint reports. */
Test(baseline_commands, lint_reports_what_reading_refuses)
{
    write_text("baselines/cpu-model.json",
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"cpu-model\"},\n"
               "\"cases\": {\"m/naive/530/b16\": {\"commit\": \"abc\",\n"
               "\"barriers\": {\"value\": -0.0}}}}");
    expect(2, "baselines/cpu-model.json:3: cases: m/naive/530/b16: barriers: value: ", "lint",
           "baselines/cpu-model.json");
    write_text("nvidia-fake.json",
               HEAD "  \"m/naive/530/b16\": {\"time_ns\": {\"value\": 1000, \"band\": 0.02, "
                    "\"band_by\": \"hand\", \"floor\": 50, \"sessions\": [500, 2000, 1000]}}" TAIL);
    expect(2, "nvidia-fake.json:5: cases: m/naive/530/b16: time_ns: band: ", "lint",
           "nvidia-fake.json");
    /* Whoever imports has no sentinels; whoever has sentinels imports nothing. */
    write_text("nvidia-fake.json",
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"nvidia-fake\", "
               "\"name\": \"NVIDIA Fake\"},\n\"provenance\": {\"measured_by\": \"nvbench\"}, "
               "\"cases\": {" CASE("m/naive/530/b16", "10000", "") "}}");
    expect(2, "nvidia-fake.json:2: provenance: measured_by: ", "lint", "nvidia-fake.json");
}

Test(baseline_commands, diff_has_formats)
{
    cr_assert(mkdir("now", 0777) == 0);
    write_text("now/nvidia-fake.json", after);
    expect(0,
           "target,case,metric,first,last,change,band,note\n"
           "nvidia-fake,m/naive/530/b16,time_ns,10000,10300,0.03",
           "diff", "nvidia-fake", "now/nvidia-fake.json", "--format", "csv");
    expect(0, "| case | metric | first | last | change | band | note |\n", "diff", "nvidia-fake",
           "now/nvidia-fake.json", "--format", "markdown");
    expect(2, "baseline diff: there is no format \"xml\"", "diff", "a", "b", "--format", "xml");
}

Test(baseline_commands, diff_of_what_cannot_be_compared)
{
    write_text("baselines/cpu-model.json",
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"cpu-model\"}, "
               "\"cases\": {}}");
    expect(2, "have nothing to compare: one holds counters", "diff", "nvidia-fake", "cpu-model");
    expect(2, "baseline diff: takes two files or keys", "diff", "nvidia-fake");
    expect(2, "baseline diff: takes two files or keys", "diff");
    expect(2, "nvidia-fak: there is no baseline", "diff", "nvidia-fak", "nvidia-fake");
    expect(2, "nvidia-fak: there is no baseline", "diff", "nvidia-fake", "nvidia-fak");
}

Test(baseline_commands, diff_since_a_commit)
{
    make_history();
    expect(0, "baselines/nvidia-fake.json since first\n", "diff", "--since", "first");
    expect(0, "m/naive/530/b16  time_ns  10 000 ns  10 300 ns   +3.0 %  2.0 %  slower\n", "diff",
           "--since", "first");
    expect(1, "1 of 2 cases slower by more than their band in all, 1 by more than 2.5 %", "diff",
           "--since", "first", "nvidia-fake", "--limit", "2.5");
    commit_all();
    expect(0, "0 of 3 cases slower", "diff", "--since", "HEAD", "baselines/nvidia-fake.json");
    expect(0, "1 of 2 cases slower", "diff", "--since", "HEAD~1", at("baselines/nvidia-fake.json"));
}

/* Each step was within the band; together they are not. */
Test(baseline_commands, diff_finds_a_chain_of_small_steps)
{
    static const char *const values[] = { HEAD CASE("m/a/1/-", "10150", "") TAIL,
                                          HEAD CASE("m/a/1/-", "10300", "") TAIL };

    write_text("baselines/nvidia-fake.json", HEAD CASE("m/a/1/-", "10000", "") TAIL);
    git("init", "-q", ".");
    commit_all();
    for (size_t i = 0; i < 2; i++) {
        write_text("baselines/nvidia-fake.json", values[i]);
        commit_all();
        expect(0, "0 of 1 case slower", "diff", "--since", "HEAD~1");
    }
    expect(0, "1 of 1 case slower by more than their band in all", "diff", "--since", "HEAD~2");
}

Test(baseline_commands, diff_since_before_a_file)
{
    make_history();
    write_text("baselines/nvidia-new.json",
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"nvidia-new\"}, "
               "\"cases\": {}}");
    write_text("baselines/x.schema.json", "{}");
    expect(0, "baselines/nvidia-new.json since first: it is new\n", "diff", "--since", "first");
    cr_assert(unlink("baselines/nvidia-fake.json") == 0);
    expect(0, "baselines/nvidia-fake.json since first: it is gone\n", "diff", "--since", "first");
    expect(0, "0 of 0 cases slower by more than their band in all; 0 faster, 0 new, 3 retired",
           "diff", "--since", "first", "nvidia-fake");
    expect(2, "baselines/nvidia-old.json: there is no such file, and there was none at first",
           "diff", "--since", "first", "nvidia-old");
}

Test(baseline_commands, diff_since_what_is_not_known)
{
    expect(2, "--since first: git cannot tell in baselines: fatal: not a git repository", "diff",
           "--since", "first");
    make_history();
    expect(2, "--since second: git knows no such commit, branch or tag here", "diff", "--since",
           "second");
    expect(2, "--since --all: git knows no such commit", "diff", "--since=--all");
    cr_assert(rmdir("empty") != 0 && mkdir("empty", 0777) == 0);
    settings[1] = "KG_BASELINES=empty";
    expect(2, "empty: holds no baseline, and held none at first", "diff", "--since", "first");
    settings[1] = "KG_BASELINES";
}

Test(baseline_commands, diff_since_a_file_that_was_not_right)
{
    write_text("baselines/nvidia-fake.json", "{\"schema\": 1}");
    make_history();
    expect(2, "first:baselines/nvidia-fake.json:1: schema: is no text", "diff", "--since", "first");
    expect(2, "(this is how the file was then: choose a later commit)", "diff", "--since", "first");
    write_text("baselines/nvidia-fake.json", before);
    commit_all();
    write_text("baselines/nvidia-fake.json", "{\"schema\": 1}");
    expect(2, "kernelgate: baselines/nvidia-fake.json:1: schema: is no text", "diff", "--since",
           "HEAD");
}

Test(baseline_commands, retire_takes_cases_out)
{
    static const char left[] = HEAD CASE("m/naive/530/b16", "10000", "") TAIL;
    ending seen =
        run_command((const char *const[]){ "retire", "nvidia-fake", "m/old/*", "*/tiled/*", NULL });

    expect_ending(&seen, 0, "m/old/530/b16: retired\n");
    cr_assert(strstr(seen.output, "m/tiled/530/b16: retired\n") != NULL, "%s", seen.output);
    cr_assert(strstr(seen.output, "baselines/nvidia-fake.json: 2 of 3 cases retired\n") != NULL,
              "%s", seen.output);
    free(seen.output);
    expect_file("baselines/nvidia-fake.json", left);
}

/* Cases that are only checked leave the list of the CPU model's baseline alike. */
Test(baseline_commands, retire_takes_checked_cases_out)
{
    static const char head[] = "{\"schema\": \"kernelgate-baseline/1\",\n \"target\": {\"key\": "
                               "\"cpu-model\"},\n \"cases\": {\n  \"a/b/1/-\": {\"commit\": \"c\", "
                               "\"barriers\": {\"value\": 1, \"band\": 0}}\n }";
    char text[600];

    snprintf(text, sizeof text, "%s,\n \"checked\": [\n  \"a/b/2/-\",\n  \"a/old/2/-\"\n ]}\n",
             head);
    write_text("baselines/cpu-model.json", text);
    expect(0, "baselines/cpu-model.json: 1 of 3 cases retired\n", "retire", "cpu-model", "a/old/*");
    snprintf(text, sizeof text, "%s,\n \"checked\": [\n  \"a/b/2/-\"\n ]}\n", head);
    expect_file("baselines/cpu-model.json", text);
    expect(0, "a/b/2/-: retired\n", "retire", "cpu-model", "a/b/2/-");
    snprintf(text, sizeof text, "%s}\n", head);
    expect_file("baselines/cpu-model.json", text);
}

/* The file is changed by then, which nobody would expect of a command that failed. */
Test(baseline_commands, retire_says_that_the_file_was_written_where_its_output_is_lost)
{
    static const char *const options[] = { "", "--json ", "--dry-run " };
    static const char *const lines[] = {
        "kernelgate: baseline retire: baselines/nvidia-fake.json was written, and what there is to "
        "say "
        "of it is lost: the standard output takes no more",
        "kernelgate: baseline retire: baselines/nvidia-fake.json was written, and what there is to "
        "say "
        "of it is lost: cannot be written: No space left on device",
        "kernelgate: baseline retire: the standard output takes no more",
    };
    static const char *const globs[] = { "m/old/*", "m/naive/*", "m/tiled/*" };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char script[256];
        const char *const arguments[] = { "/bin/sh", "-c", script, KG__COMMAND, NULL };
        ending seen;

        kg__format(script, sizeof script,
                   "exec \"$0\" baseline retire %snvidia-fake '%s' >/dev/full", options[i],
                   globs[i]);
        seen = drive(arguments, NULL);
        expect_ending(&seen, 2, lines[i]);
        cr_assert(occurrences(seen.output, "\n") == 1, "%s", seen.output);
        free(seen.output);
    }
    expect_file("baselines/nvidia-fake.json", HEAD CASE("m/tiled/530/b16", "5000", "") TAIL);
}

Test(baseline_commands, retire_can_be_tried)
{
    expect(0,
           "m/old/530/b16: would be retired\nbaselines/nvidia-fake.json: 1 of 3 cases would be "
           "retired; nothing is written\n",
           "retire", "--dry-run", "nvidia-fake", "m/old/*");
    expect_file("baselines/nvidia-fake.json", before);
}

/* One glob that matches nothing stops them all. */
Test(baseline_commands, retire_of_what_is_not_there)
{
    expect(2,
           "baselines/nvidia-fake.json has no case \"m/odl/530/b16\"; did you mean "
           "\"m/old/530/b16\"? Nothing is taken out",
           "retire", "nvidia-fake", "m/naive/*", "m/odl/530/b16");
    expect(2, "has no case \"m/odl/*\"; did you mean \"m/old/530/b16\"?", "retire", "nvidia-fake",
           "m/odl/*");
    expect(2, "has no case \"q\": nothing is taken out (kernelgate baseline show", "retire",
           "nvidia-fake", "q");
    expect_file("baselines/nvidia-fake.json", before);
    expect(2, "baseline retire: takes a file or key and the cases to take out", "retire",
           "nvidia-fake");
    expect(2, "nvidia-fak: there is no baseline of this key", "retire", "nvidia-fak", "*");
    expect(2, "nowhere: cannot be read", "retire", "nowhere/x.json", "*");
}

Test(baseline_commands, retire_leaves_what_it_cannot_write)
{
    struct stat facts;
    char name[96];
    int lock;

    cr_assert(chmod("baselines/nvidia-fake.json", 0444) == 0);
    expect(2, "not written: it is write-protected", "retire", "nvidia-fake", "m/old/*");
    expect_file("baselines/nvidia-fake.json", before);
    cr_assert(chmod("baselines/nvidia-fake.json", 0644) == 0);

    cr_assert(stat("baselines", &facts) == 0);
    setenv("KG_LOCK_DIR", at(""), 1);
    snprintf(name, sizeof name, "baselines-%llx-%llx", (unsigned long long)facts.st_dev,
             (unsigned long long)facts.st_ino);
    lock = kg__lock_try(name, NULL);
    cr_assert(lock >= 0);
    expect(2, "baselines: it is held by process", "retire", "nvidia-fake", "m/old/*");
    expect_file("baselines/nvidia-fake.json", before);
    kg__lock_release(lock);
}
