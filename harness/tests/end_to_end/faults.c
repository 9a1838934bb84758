/* Programs that die or whose disk fails at each of the calls by which they change files: what is
 * stored is the old or the new, and nothing that was lost passes for a success. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/message.h"
#include "records/records.h"
#include "results/results.h"
#include "results/results.h"
#include "tests/fakes/fake_runs.h"

/* More calls than any program here makes. */
#define CALLS_MAXIMUM 400

/* A sanitizer's build runs no other code, only more slowly: it looks at some of the calls. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif
#define KILL_STRIDE (SANITIZED ? 5 : 1)
#define FAULT_STRIDE (SANITIZED ? 7 : 3)

static void begin(void)
{
    begin_fake_runs();
    set("KG_FILTER", SLOW);
}

/* From here on the programs' calls under `name` fail from call `first` on. */
static void inject(const char *name, unsigned long first, const char *with)
{
    static const char none[8];
    char number[32];
    FILE *file = fopen(at("count"), "w");

    cr_assert(file != NULL && fwrite(none, 1, sizeof none, file) == sizeof none &&
              fclose(file) == 0);
    kg__format(number, sizeof number, "%lu", first);
    set("LD_PRELOAD", KG__FAILING_CALLS);
    /* Under AddressSanitizer its library wants to be the first; it need not be. */
    set("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0");
    set("FAULT_FOLDER", at(name));
    set("FAULT_AT", number);
    set("FAULT_WITH", with);
    set("FAULT_COUNT", at("count"));
}

static void inject_nothing(void)
{
    set("LD_PRELOAD", "");
    set("FAULT_AT", "");
}

/* How many calls there were since inject(). */
static unsigned long calls(void)
{
    unsigned long number = 0;
    FILE *file = fopen(at("count"), "r");

    cr_assert(file != NULL && fread(&number, sizeof number, 1, file) == 1 && fclose(file) == 0);
    return number;
}

static ending record(void)
{
    const char *const arguments[] = { KG__COMMAND,   "baseline",         "record",
                                      "--baselines", at("baselines"),    "--commit",
                                      "abcdef0123",  KG__FAKE_SOUND_GPU, NULL };

    (void)unlink(at("log"));
    return drive(arguments, environment);
}

static void expect_recorded(void)
{
    ending seen = record();

    expect_ending(&seen, 0, "changed, 5 sessions");
    free(seen.output);
}

#define STORED "baselines/nvidia-fake.json"

/* The stored baseline without the moment when it was recorded; NULL where there is none. */
static char *stored(void)
{
    static const char date[] = "\"date\": \"";
    char *text = exists(at(STORED)) ? read_text(at(STORED)) : NULL;
    char *found = text != NULL ? strstr(text, date) : NULL;

    if (found != NULL) {
        found += strlen(date);
        memset(found, '-', strcspn(found, "\""));
    }
    return text;
}

static bool is_same(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

/* Whether a temporary file lies in the folder of the baselines; none does then. */
static bool remove_temporary(void)
{
    DIR *listing = opendir(at("baselines"));
    const struct dirent *entry;
    bool found = false;

    cr_assert(listing != NULL);
    while ((entry = readdir(listing)) != NULL) {
        if (strstr(entry->d_name, KG__FILE_TEMPORARY) == NULL)
            continue;
        found = true;
        cr_assert(unlinkat(dirfd(listing), entry->d_name, 0) == 0);
    }
    closedir(listing);
    return found;
}

/* A baseline before and after a recording, and the plans by which both are recorded. */
static struct update {
    const char *old_plan; /* NULL: there is no file before */
    const char *new_plan;
    char *before; /* as stored */
    char *old_text;
    char *new_text;
} update;

static void prepare(const char *old_plan, const char *new_plan)
{
    update.old_plan = old_plan;
    update.new_plan = new_plan;
    inject_nothing();
    (void)unlink(at(STORED));
    if (old_plan != NULL) {
        write_text(at("plan"), old_plan);
        expect_recorded();
        update.before = read_text(at(STORED));
    }
    update.old_text = stored();
    write_text(at("plan"), new_plan);
    expect_recorded();
    update.new_text = stored();
    cr_assert(!is_same(update.old_text, update.new_text));
}

static void end(void)
{
    free(update.before);
    free(update.old_text);
    free(update.new_text);
    end_fake_runs();
}

TestSuite(faults, .init = begin, .fini = end, .timeout = 110);

static void restore(void)
{
    if (update.before != NULL)
        write_text(at(STORED), update.before);
    else
        (void)unlink(at(STORED));
}

/* Kills a recording at each of its calls; then another one must go through. */
static void kill_recordings(void)
{
    unsigned long first = 1;
    bool left = false;
    bool is_new = false;

    for (; first < CALLS_MAXIMUM; first += KILL_STRIDE) {
        ending seen;
        char *text;

        restore();
        inject("baselines", first, "kill");
        seen = record();
        if (calls() < first) {
            cr_assert(seen.code == 0, "%s", seen.output);
            free(seen.output);
            break;
        }
        cr_assert(seen.code == 128 + SIGKILL, "call %lu: %d: %s", first, seen.code, seen.output);
        free(seen.output);
        text = stored();
        is_new = is_same(text, update.new_text);
        cr_assert(is_new || is_same(text, update.old_text), "call %lu: %s", first, text);
        free(text);
        left = remove_temporary() || left;
        inject_nothing();
        if (!is_new) {
            expect_recorded();
            text = stored();
            cr_assert(is_same(text, update.new_text), "call %lu: %s", first, text);
            free(text);
            cr_assert(!remove_temporary(), "call %lu", first);
        }
    }
    cr_assert(first > 4 && first < CALLS_MAXIMUM, "%lu calls", first);
    cr_assert(SANITIZED || left, "a killed recording leaves its temporary file");
    cr_assert(SANITIZED || is_new, "the last calls come when the new file is there");
}

Test(faults, a_first_recording_that_is_killed)
{
    prepare(NULL, "* * hot 10000\n");
    kill_recordings();
}

Test(faults, an_update_that_is_killed)
{
    prepare("* * hot 10000\n", "* * hot 20000 cold 30000\n");
    kill_recordings();
}

static const char *const errors[][2] = { { "ENOSPC", "No space left on device" },
                                         { "EIO", "Input/output error" },
                                         { "EROFS", "Read-only file system" } };

/* Lets the disk fail from some of a recording's calls on, from `first`. */
static void fail_recordings(const char *with, const char *text, unsigned long first)
{
    size_t refusals = 0;

    for (; first < CALLS_MAXIMUM; first += FAULT_STRIDE) {
        ending seen;
        char *now;

        restore();
        inject("baselines", first, with);
        seen = record();
        now = stored();
        if (calls() < first) {
            cr_assert(seen.code == 0, "%s", seen.output);
            free(seen.output);
            free(now);
            break;
        }
        /* Once the new file is in place, that its folder cannot be flushed is no error. */
        if (seen.code != 0) {
            refusals++;
            expect_ending(&seen, 2, text);
            cr_assert(strstr(seen.output, at("baselines")) != NULL, "%s", seen.output);
            cr_assert(is_same(now, update.old_text), "%s, call %lu: %s", with, first, now);
            cr_assert(strcmp(with, "ENOSPC") != 0 || !remove_temporary());
        } else {
            cr_assert(is_same(now, update.new_text), "%s, call %lu: %s", with, first, now);
        }
        free(seen.output);
        free(now);
        (void)remove_temporary();
    }
    cr_assert(first > 4 && first < CALLS_MAXIMUM && refusals > 0, "%lu calls, %zu refused", first,
              refusals);
}

Test(faults, an_update_on_a_disk_that_fails)
{
    prepare("* * hot 10000\n", "* * hot 20000 cold 30000\n");
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        fail_recordings(errors[i][0], errors[i][1], i + 1);
}

/* The exit codes of a run as CTest runs it. */
typedef struct gate_codes {
    int begin;
    int test;
    int results;
} gate_codes;

static int run_step(const char *program, const char *argument)
{
    const char *const arguments[] = { program, argument, NULL };
    ending seen = drive(arguments, environment);

    cr_assert(seen.code != 128 + SIGSEGV && seen.code != 128 + SIGABRT && seen.code != 128 + SIGBUS,
              "%s", seen.output);
    /* What fails says so. */
    cr_assert(seen.code == 0 || seen.code == 128 + SIGKILL ||
                  strstr(seen.output, "kernelgate: ") != NULL ||
                  strstr(seen.output, "error  ") != NULL ||
                  strstr(seen.output, ": error: ") != NULL,
              "%s %s: %d: %s", program, argument, seen.code, seen.output);
    free(seen.output);
    return seen.code;
}

static gate_codes run_gate(void)
{
    gate_codes codes = { .begin = run_step(KG__COMMAND, "begin") };

    /* CTest starts no test when that fails, and sums up all the same. */
    (void)unlink(at("log"));
    if (codes.begin == 0)
        codes.test = run_step(KG__FAKE_SOUND_GPU, "--filter=fake/time");
    codes.results = run_step(KG__COMMAND, "results");
    return codes;
}

static bool is_pass(const gate_codes *codes)
{
    return codes->begin == 0 && codes->test == 0 && codes->results == 0;
}

/* A run that passed has left all of its results. */
static void expect_whole_results(const char *with, unsigned long first)
{
    kg__error error = { "" };
    kg__pool pool = { 0 };
    const kg__results *results = kg__results_load(&pool, at("out/results.json"), &error);

    cr_assert(results != NULL, "%s, call %lu: %s", with, first, error.text);
    cr_assert(results->exit_code == 0 && strcmp(results->cases[0]->id, SLOW) == 0 &&
                  results->cases[0]->verdict == KG__PASS,
              "%s, call %lu", with, first);
    cr_assert(exists(at("out/junit.xml")) && exists(at("out/summary.md")), "%s, call %lu", with,
              first);
    kg__pool_free(&pool);
}

/* A test that passed has left its verdicts: the run could not tell that they are missing. */
static void expect_verdicts(const char *with, unsigned long first)
{
    kg__error error = { "" };
    json_t *verdicts = kg__verdicts_load_json(at("out/records/gpu.fake.time.verdicts.json"), &error);

    cr_assert(verdicts != NULL, "%s, call %lu: %s", with, first, error.text);
    cr_assert(json_is_true(json_object_get(verdicts, "complete")), "%s, call %lu", with, first);
    json_decref(verdicts);
}

/* Lets the folder of the results fail from a call of a run on, which is `first` and then each
 * `stride` later. */
static void fail_runs(const char *with, unsigned long first, unsigned long stride)
{
    size_t tried = 0;
    size_t failed = 0;

    for (; first < CALLS_MAXIMUM; first += stride, tried++) {
        gate_codes codes;

        inject("out", first, with);
        codes = run_gate();
        if (codes.begin == 0 && codes.test == 0)
            expect_verdicts(with, first);
        if (is_pass(&codes))
            expect_whole_results(with, first);
        else
            failed++;
        inject_nothing();
        if (calls() < first)
            break;
        /* What is left over is the same after calls of the same kind, of which several are in turn.
         */
        if (strcmp(with, "kill") == 0 && tried % 3 == 0) {
            codes = run_gate();
            cr_assert(is_pass(&codes), "after call %lu was killed: %d, %d, %d", first, codes.begin,
                      codes.test, codes.results);
        }
    }
    cr_assert(first > 20 && first < CALLS_MAXIMUM && failed > tried / 2, "%lu calls, %zu failed",
              first, failed);
}

static void prepare_runs(void)
{
    write_text(at("plan"), "* * hot 10000\n");
    expect_recorded();
}

Test(faults, a_run_that_is_killed)
{
    prepare_runs();
    fail_runs("kill", 1, KILL_STRIDE);
}

Test(faults, a_run_on_a_full_disk)
{
    prepare_runs();
    fail_runs("ENOSPC", 2, FAULT_STRIDE);
}

Test(faults, a_run_on_a_broken_disk)
{
    prepare_runs();
    fail_runs("EIO", 3, FAULT_STRIDE);
}

Test(faults, a_run_in_a_folder_that_cannot_be_written)
{
    const char *const arguments[] = { KG__COMMAND, "begin", NULL };
    ending seen;

    prepare_runs();
    inject("out", 1, "EROFS");
    expect_drive(arguments, 2, "/out: the folder cannot be made: Read-only file system");
    inject_nothing();
    cr_assert(run_step(KG__COMMAND, "begin") == 0);
    inject("out", 1, "EROFS");
    seen =
        drive((const char *const[]){ KG__FAKE_SOUND_GPU, "--filter=fake/time", NULL }, environment);
    expect_ending(&seen, 2,
                  "out/records/gpu.fake.time.verdicts.json: cannot be written: Read-only");
    free(seen.output);
}

/* A runner that cannot start threads or processes ends. Criterion's library would end every process
 * of the user, or crash, or wait forever. */
Test(faults, a_runner_that_can_start_nothing)
{
    static const struct {
        const char *what;
        const char *with;
        unsigned long call;
        enum { RUNS, REFUSES, ENDS } then;
    } cases[] = {
        { "the runner's thread", "EAGAIN", 1, REFUSES },
        { "a thread of nanomsg", "EAGAIN", 2, ENDS },
        { "the process of the test", "EAGAIN", 3, REFUSES },
        { "a thread for that process", "EAGAIN", 4, ENDS },
        { "another one", "EAGAIN", 5, ENDS },
        { "another one, which never runs", "lost", 5, REFUSES },
        { "none", "EAGAIN", 99, RUNS },
    };
    const char *const arguments[] = { KG__FAKE_SOUND_GPU, "--filter=fake/check", NULL };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ending seen;

        inject("out", cases[i].call, cases[i].with);
        seen = drive(arguments, environment);
        inject_nothing();
        cr_expect((seen.code == 0) == (cases[i].then == RUNS), "%s: %d: %s", cases[i].what,
                  seen.code, seen.output);
        cr_expect(cases[i].then != REFUSES ||
                      (seen.code == 2 && strstr(seen.output, "kernelgate: fake") != NULL),
                  "%s: %d: %s", cases[i].what, seen.code, seen.output);
        free(seen.output);
    }
}

/* AddressSanitizer reserves terabytes. */
Test(faults, a_runner_with_little_address_space, .disabled = SANITIZED)
{
    static const struct {
        const char *kib;
        int code;
    } cases[] = { { "30000", 2 },  { "40000", 2 },  { "60000", 2 },    { "100000", 2 },
                  { "196607", 2 }, { "196608", 0 }, { "unlimited", 0 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[512];
        const char *const arguments[] = { "/bin/sh", "-c", script, NULL };
        ending seen;

        kg__format(script, sizeof script, "ulimit -v %s && exec %s --filter=fake/check",
                   cases[i].kib, KG__FAKE_SOUND_GPU);
        seen = drive(arguments, environment);
        cr_expect(seen.code == cases[i].code, "%s KiB: %d: %s", cases[i].kib, seen.code,
                  seen.output);
        cr_expect(cases[i].code == 0 || strstr(seen.output, "ulimit -v") != NULL, "%s KiB: %s",
                  cases[i].kib, seen.output);
        free(seen.output);
    }
}

/* Runs the part `time` by a ctest of its own. */
static ending run_by_ctest(void)
{
    const char *const arguments[] = { KG__CTEST, "--test-dir", at(""), "-V", "-R", "time", NULL };
    char text[1024];

    (void)snprintf(text, sizeof text,
                   "set(program \"%s\")\nset(prefix gpu.)\nset(properties TIMEOUT 60)\n"
                   "set(labels gpu)\nset(board_slots 0)\ninclude(\"%s/KgDiscoverTests.cmake\")\n",
                   KG__FAKE_SOUND_GPU, KG__MODULES);
    write_text(at("CTestTestfile.cmake"), text);
    (void)unlink(at("log"));
    return drive(arguments, environment);
}

/* ctest, the runner or its worker dies after it started a process, and before that one asked for
 * the signal: no observer may be left to open the device. */
Test(faults, a_process_whose_parent_died_first)
{
    /* The first is of the runner that lists its tests, the third of Criterion's library. */
    static const struct {
        const char *parent;
        unsigned long call;
    } cases[] = { { "none", 99 }, { "ctest", 2 }, { "runner", 4 }, { "worker", 5 } };

    prepare_runs();
    /* Orphans become children of this process. */
    cr_assert(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool lives = i == 0;
        ending seen;

        inject("out", cases[i].call, "orphan");
        seen = run_by_ctest();
        while (waitpid(-1, NULL, 0) > 0)
            continue;
        cr_expect((seen.code == 0) == lives, "%s: %d: %s", cases[i].parent, seen.code, seen.output);
        cr_expect((processes() > 0) == lives, "%s: %zu observers: %s", cases[i].parent, processes(),
                  seen.output);
        cr_expect(lives || calls() >= cases[i].call, "%s: %lu calls", cases[i].parent, calls());
        free(seen.output);
        inject_nothing();
    }
}

/* What another version, or an accident, may leave where a file of ours is read. */
static const struct oddity {
    const char *name;
    const char *content; /* NULL: a folder stands there */
    size_t repeated;     /* how often the content is repeated */
} oddities[] = {
    { "another version's", "{\"schema\": \"kernelgate-baseline/2\", \"cases\": {}}", 1 },
    { "another version's", "{\"schema\": \"kernelgate-results/2\", \"cases\": []}", 1 },
    { "another version's", "{\"schema\": \"kernelgate-verdicts/2\", \"cases\": []}", 1 },
    { "cut", "{\"schema\": \"kernelgate-results/1\", \"cases\": [{\"case\": \"a/b", 1 },
    { "empty", "", 1 },
    { "no JSON",
      "\x7f"
      "ELF\x02\x01\x01",
      1 },
    { "deep", "[", (size_t)100 << 20 },
    { "a folder", NULL, 0 },
};

static void put(const char *path, const struct oddity *odd)
{
    static char block[1 << 20];
    FILE *file;

    (void)unlink(path);
    (void)rmdir(path);
    if (odd->content == NULL) {
        cr_assert(mkdir(path, 0777) == 0);
        return;
    }
    if (odd->repeated == 1) {
        write_text(path, odd->content);
        return;
    }
    memset(block, odd->content[0], sizeof block);
    file = fopen(path, "w");
    cr_assert(file != NULL);
    for (size_t i = 0; i < odd->repeated / sizeof block; i++)
        cr_assert(fwrite(block, 1, sizeof block, file) == sizeof block);
    cr_assert(fclose(file) == 0);
}

Test(faults, baselines_that_are_none_of_ours)
{
    char path[300];
    const char *const lint[] = { KG__COMMAND, "baseline", "lint", path, NULL };

    kg__format(path, sizeof path, "%s", at(STORED));
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
        ending seen;

        put(path, &oddities[i]);
        expect_drive(lint, 2, path);
        seen = record();
        expect_ending(&seen, 2, path);
        cr_assert(strstr(seen.output, "session 1") == NULL, "nothing is measured: %s", seen.output);
        free(seen.output);
        cr_assert(run_step(KG__FAKE_SOUND_GPU, "--filter=fake/time") == 2, "%s", oddities[i].name);
    }
}

/* One test's verdicts make the run an error, and the others' count all the same. */
Test(faults, verdicts_that_are_none_of_ours)
{
    prepare_runs();
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
        json_t *results;

        cr_assert(run_step(KG__COMMAND, "begin") == 0);
        cr_assert(run_step(KG__FAKE_SOUND_GPU, "--filter=fake/time") == 0);
        put(at("out/records/gpu.other.time.verdicts.json"), &oddities[i]);
        cr_assert(run_step(KG__COMMAND, "results") == 2, "%s", oddities[i].name);
        results = read_json(at("out/results.json"));
        cr_assert(json_array_size(json_object_get(results, "errors")) == 1 &&
                      json_array_size(json_object_get(results, "cases")) == 1,
                  "%s", oddities[i].name);
        json_decref(results);
        (void)unlink(at("out/records/gpu.other.time.verdicts.json"));
        (void)rmdir(at("out/records/gpu.other.time.verdicts.json"));
    }
}
