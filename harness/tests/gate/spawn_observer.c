/* SPDX-License-Identifier: MIT */
/* The parent's side of observers: what each way to fail costs, and that the rest goes on. */
#include "gate/spawn_observer.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/instrumented_program.h"
#include "suite/settings.h"
#include "tests/fakes/drive.h"

#define CASES 8

/* As a part's process does, whose observers these tests start. */
static void begin(void)
{
    (void)unsetenv("BXFI_MAP");
    make_folder();
}

TestSuite(spawn_observer, .init = begin, .fini = remove_folder, .timeout = 60);

/* What came of the cases of a job. */
typedef struct outcome {
    const char *cases[CASES];
    size_t count;
    kg__event event[CASES]; /* the settling event; KG__EVENT_OTHER while there is none */
    char why[CASES][256];
    size_t line[CASES]; /* of "at" */
    size_t findings[CASES];
    int times[CASES];
    int strangers; /* records of cases that nobody asked for */
    int others;    /* records of no case */
    char objection[256];
} outcome;

static void take_observation(void *context, const kg__observation *observation)
{
    outcome *all = context;

    if (observation->event == KG__EVENT_START)
        return;
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->cases[i], observation->id) != 0)
            continue;
        all->times[i]++;
        all->event[i] = observation->event;
        kg__format(all->why[i], sizeof all->why[i], "%s", observation->why);
        all->line[i] = observation->at_line;
        all->findings[i] = observation->findings->count;
        return;
    }
    if (observation->id[0] != '\0')
        all->strangers++;
    else
        all->others++;
    if (observation->event == KG__EVENT_OBJECTION)
        kg__format(all->objection, sizeof all->objection, "%s", observation->why);
}

/* Long enough for any process to start, however busy the machine; short where a hang is expected.
 */
static double silence_limit = 20;

/* Why the last job could not be observed. */
static kg__error why;

/* Has a program observe the cases of a job; its records begin with `stem`. */
static kg__observation_status observe_by(const char *program, const char *stem, outcome *all)
{
    kg__observation_job job = {
        .program = program,
        .part = "check",
        .cases = all->cases,
        .records = stem,
        .silence_limit = silence_limit,
        .on_observation = take_observation,
        .context = all,
    };

    for (all->count = 0; all->count < CASES && all->cases[all->count] != NULL; all->count++)
        ;
    job.case_count = all->count;
    why.text[0] = '\0';
    return kg__observe_cases(&job, &why);
}

static kg__observation_status observe(outcome *all)
{
    return observe_by(KG__FAKE_OBSERVER, at("job"), all);
}

/* Every case has exactly one record: "checked", or "failed" with a reason that begins so. */
static void expect_outcome(const outcome *all, size_t index, kg__event event, const char *why)
{
    cr_assert(all->event[index] == event, "%s: %d (%s), expected %d", all->cases[index],
              (int)all->event[index], all->why[index], (int)event);
    cr_assert(strncmp(all->why[index], why, strlen(why)) == 0, "%s: %s", all->cases[index],
              all->why[index]);
    cr_assert(all->times[index] == 1, "%s: %d records", all->cases[index], all->times[index]);
}

/* How many observers there were, by the records files that they left. */
static size_t processes(void)
{
    DIR *listing = opendir(at(""));
    const struct dirent *entry;
    size_t count = 0;

    cr_assert(listing != NULL);
    while ((entry = readdir(listing)) != NULL)
        count += strstr(entry->d_name, ".jsonl") != NULL;
    closedir(listing);
    return count;
}

static void expect_no_program(const char *program, size_t size, const char *said)
{
    char path[512];

    cr_assert(not(kg__instrumented_program(program, path, size, &why)));
    cr_assert(strstr(why.text, said) != NULL, "%s", why.text);
}

/* The program with instrumented kernels is in the same folder, found by its name alone. */
Test(spawn_observer, the_instrumented_program)
{
    static const char *const strangers[] = { "/tmp/fake", "/tmp/fake.gpu", ".model", "model", "" };
    char path[512];
    char expected[512];
    char long_path[5000];

    kg__format(expected, sizeof expected, "%s", at("some.instrumented"));
    expect_no_program(at("some.model"), sizeof path,
                      "some.instrumented: the program with instrumented kernels cannot be run: No "
                      "such file or directory: build it");
    write_text(at("some.instrumented"), "");
    if (geteuid() != 0)
        expect_no_program(at("some.model"), sizeof path, "");
    cr_assert(chmod(at("some.instrumented"), 0755) == 0);
    for (int exact = 0; exact <= 1; exact++) {
        size_t size = exact ? strlen(expected) + 1 : sizeof path;

        cr_assert(kg__instrumented_program(at("some.model"), path, size, &why), "%s", why.text);
        cr_assert(strcmp(path, expected) == 0, "%s", path);
    }
    expect_no_program(at("some.model"), 20, "too long");
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        expect_no_program(strangers[i], sizeof path, "is not a program for the CPU model");
    memset(long_path, 'a', 4993);
    kg__format(long_path + 4993, 7, ".model");
    expect_no_program(long_path, sizeof path, "has 4999 bytes");
    /* This very program is no comparison's. */
    expect_no_program(NULL, sizeof path, "test_spawn_observer: is not a program for");
}

Test(spawn_observer, all_goes_well)
{
    outcome all = { .cases = { "good/1", "fails/2", "refused/3", "good/4" } };

    cr_assert(observe(&all) == KG__OBSERVED, "%s", why.text);
    expect_outcome(&all, 0, KG__EVENT_CHECKED, "");
    expect_outcome(&all, 1, KG__EVENT_FAILED, "launching: cudaErrorInvalidValue");
    expect_outcome(&all, 2, KG__EVENT_REFUSED, "too odd a size");
    expect_outcome(&all, 3, KG__EVENT_CHECKED, "");
    cr_assert(all.others == 1, "done is passed on");
    cr_assert(processes() == 1);
    cr_assert(eq(str, read_text(at("job.cases")), "good/1\nfails/2\nrefused/3\ngood/4\n"));
}

Test(spawn_observer, no_case_needs_no_process)
{
    outcome all = { 0 };

    cr_assert(observe(&all) == KG__OBSERVED);
    cr_assert(processes() == 0);
}

#define HUNG "hung: no record for 0.5 s (KG_CASE_TIMEOUT sets the limit)"
#define LOST "record lost"

typedef struct fault {
    double silence_limit;
    size_t processes;
    const char *mode; /* of the fake observer; "": the usual one */
    struct {
        const char *id, *why; /* why: NULL where it was checked */
    } cases[6];
} fault;

#define FAULT(silence_limit, processes, mode, ...)                                                 \
    {                                                                                              \
        silence_limit, processes, mode,                                                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const fault faults[] = {
    FAULT(20, 3, "", { "good/1", NULL },
          { "crashes/2", "crashed: the observer died of signal 11 (Segmentation" },
          { "good/3", NULL }, { "crashes/4", "crashed" }, { "good/5", NULL }),
    FAULT(20, 2, "", { "crashes/1", "crashed" }, { "crashes/2", "crashed" }),
    FAULT(20, 2, "", { "exits/1", "the observer ended early with exit code 2" },
          { "good/2", NULL }),
    FAULT(0.5, 2, "", { "good/1", NULL }, { "hangs/2", HUNG }, { "good/3", NULL }),
    /* It is killed, for it does not end when it is asked to. */
    FAULT(0.5, 2, "", { "stays/1", HUNG }, { "good/2", NULL }),
    FAULT(20, 2, "",
          { "leaves/1", "the observer was ended from outside (SIGTERM) at kernels/a/b.cu:14" },
          { "good/2", NULL }),
    /* It hangs after the record of its case. */
    FAULT(0.5, 2, "", { "dawdles/1", NULL }, { "good/2", NULL }),
    FAULT(20, 3, "", { "loses/1", "the context is gone" }, { "good/2", NULL },
          { "loses/3", "the context is gone" }, { "good/4", NULL }),
    /* An observer that ends well without a record is not asked again: it would not end. */
    FAULT(20, 1, "", { "good/1", NULL }, { "forgotten/2", LOST }, { "good/3", NULL }),
    FAULT(20, 1, "undone", { "good/1", NULL }, { "forgotten/2", LOST }),
    FAULT(20, 1, "nothing", { "good/1", LOST }, { "good/2", LOST }),
    FAULT(20, 1, "", { "good/1", NULL }, { "stops/2", "the observer ended early with exit code 0" },
          { "good/3", LOST }),
    FAULT(20, 2, "", { "garbles/1", NULL }, { "tears/2", "crashed: the observer died of signal 9" },
          { "good/3", NULL }),
    FAULT(20, 1, "", { "repeats/1", NULL }, { "good/2", NULL }),
    /* Four waits of 0.2 s each, of which records tell. */
    FAULT(0.5, 1, "", { "waits/1", NULL }, { "good/2", NULL }),
};

/* Every fault costs the case that was running, and no other; the next process goes on after it. */
Test(spawn_observer, each_fault_costs_one_case)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        outcome all = { 0 };

        remove_folder();
        make_folder();
        silence_limit = faults[i].silence_limit;
        setenv("FAKE_OBSERVER", faults[i].mode, 1);
        for (size_t j = 0; faults[i].cases[j].id != NULL; j++)
            all.cases[j] = faults[i].cases[j].id;
        cr_assert(observe(&all) == KG__OBSERVED, "%s", why.text);
        for (size_t j = 0; faults[i].cases[j].id != NULL; j++)
            expect_outcome(&all, j,
                           faults[i].cases[j].why != NULL ? KG__EVENT_FAILED : KG__EVENT_CHECKED,
                           faults[i].cases[j].why != NULL ? faults[i].cases[j].why : "");
        cr_assert(processes() == faults[i].processes, "row %zu: %zu", i, processes());
    }
}

/* An observer is asked before it is killed, and what it says is told. */
Test(spawn_observer, a_hang_is_told_with_its_place)
{
    outcome all = { .cases = { "tells/1", "good/2", "hangs/3", "good/4" } };

    silence_limit = 0.5;
    cr_assert(observe(&all) == KG__OBSERVED);
    expect_outcome(&all, 0, KG__EVENT_FAILED,
                   "hung: no record for 0.5 s (KG_CASE_TIMEOUT sets the limit); it was ended at "
                   "kernels/a/b.cu:14, in kernel b");
    cr_assert(all.line[0] == 14 && all.findings[0] == 1);
    cr_assert(all.line[2] == 0 && all.findings[2] == 0, "said of another process");
    expect_outcome(&all, 1, KG__EVENT_CHECKED, "");
    expect_outcome(&all, 2, KG__EVENT_FAILED, "hung: no record for 0.5 s");
    cr_assert(strstr(all.why[2], "kernels") == NULL, "said of another process: %s", all.why[2]);
    expect_outcome(&all, 3, KG__EVENT_CHECKED, "");
    cr_assert(processes() == 3);
}

/* An end before the first case is not tried again: that would go on forever. */
Test(spawn_observer, an_end_before_the_first_case)
{
    static const struct {
        const char *mode;
        kg__observation_status status;
        const char *said, *more;
    } rows[] = {
        { "unavailable", KG__UNAVAILABLE, "no GPU: there is none", "" },
        { "broken", KG__UNOBSERVED, "the driver does not work", "" },
        { "crash", KG__UNOBSERVED, ": crashed: the observer died of signal 6",
          "before its first case" },
        { "silent", KG__UNOBSERVED, ": hung: no record for 0.5 s", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outcome all = { .cases = { "good/1", "good/2" } };

        setenv("FAKE_OBSERVER", rows[i].mode, 1);
        silence_limit = strcmp(rows[i].mode, "silent") == 0 ? 0.5 : 20;
        cr_assert(observe(&all) == rows[i].status, "%s", rows[i].mode);
        cr_assert(strstr(why.text, rows[i].said) != NULL && strstr(why.text, rows[i].more) != NULL,
                  "%s", why.text);
        cr_assert(all.times[0] == 0 && processes() == 1);
    }
}

/* A job that no observer can do; `said` is NULL where one can. */
static void expect_unobserved(const char *program, const char *stem, const char *said)
{
    outcome all = { .cases = { "good/1" } };

    cr_assert(observe_by(program, stem, &all) == (said != NULL ? KG__UNOBSERVED : KG__OBSERVED));
    cr_assert(said == NULL || strstr(why.text, said) != NULL, "%s", why.text);
}

Test(spawn_observer, what_does_not_start_or_cannot_be_written)
{
    expect_unobserved(at("missing"), at("first"),
                      "missing: the observer does not start: No such file");
    write_text(at("file"), "");
    expect_unobserved(KG__FAKE_OBSERVER, at("file/job"),
                      "file/job.jsonl: cannot be written: Not a directory");
    cr_assert(mkdir(at("job.cases"), 0777) == 0);
    expect_unobserved(KG__FAKE_OBSERVER, at("job"), "job.cases: cannot be written");
}

/* Writes a wrapper and sets KG_WRAPPER to it, with a word of its own before the observer's. */
static void wrap(const char *script)
{
    char command[600];

    write_text(at("wrapper"), script);
    kg__format(command, sizeof command, "sh  %s first ", at("wrapper"));
    setenv("KG_WRAPPER", command, 1);
}

Test(spawn_observer, a_wrapper_runs_the_observer)
{
    outcome all = { .cases = { "good/1", "crashes/2", "good/3" } };
    char *seen;

    wrap("echo \"$0 $1\" >>\"$0.seen\"; shift; \"$@\"");
    cr_assert(observe(&all) == KG__OBSERVED, "%s", why.text);
    expect_outcome(&all, 0, KG__EVENT_CHECKED, "");
    expect_outcome(&all, 1, KG__EVENT_FAILED, "the observer ended early with exit code 139");
    expect_outcome(&all, 2, KG__EVENT_CHECKED, "");
    cr_assert(eq(str, all.objection, ""));
    seen = read_text(at("wrapper.seen"));
    cr_assert(occurrences(seen, "/wrapper first\n") == 2, "%s", seen);
}

/* The cases have their verdicts, and the wrapper the last word. */
Test(spawn_observer, a_wrapper_objects)
{
    outcome all = { .cases = { "good/1", "good/2" } };

    wrap("shift; \"$@\"; exit 7");
    cr_assert(observe(&all) == KG__OBSERVED, "%s", why.text);
    expect_outcome(&all, 1, KG__EVENT_CHECKED, "");
    cr_assert(strstr(all.objection, ": exit code 7, although the observer had finished") != NULL,
              "%s", all.objection);
    wrap("shift; \"$@\"; kill -9 $$");
    cr_assert(observe(&all) == KG__OBSERVED, "%s", why.text);
    cr_assert(strstr(all.objection, ": died of signal 9 (Killed)") != NULL, "%s", all.objection);
}

/* A wrapper that is killed outright would leave its observer behind. */
Test(spawn_observer, a_wrapper_ends_its_observer)
{
    outcome all = { .cases = { "hangs/1", "good/2" } };

    silence_limit = 0.5;
    wrap("shift; \"$@\" & trap 'kill -9 $!; : >\"$0.ended\"; exit 3' TERM; wait $!");
    cr_assert(observe(&all) == KG__OBSERVED, "%s", why.text);
    expect_outcome(&all, 0, KG__EVENT_FAILED, "hung: no record for 0.5 s");
    expect_outcome(&all, 1, KG__EVENT_CHECKED, "");
    cr_assert(exists(at("wrapper.ended")));
    cr_assert(eq(str, all.objection, ""));
}

Test(spawn_observer, a_wrapper_that_cannot_be_run)
{
    static const struct {
        const char *wrapper, *said;
    } rows[] = {
        { "no-such-wrapper at all",
          "KG_WRAPPER=no-such-wrapper at all: no-such-wrapper cannot be run: No such file or "
          "directory" },
        { "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "has more than 16 words" },
        { "  ", NULL },
    };

    /* A folder of PATH that this user may not read would make it another error. */
    setenv("PATH", "/usr/bin:/bin", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("KG_WRAPPER", rows[i].wrapper, 1);
        expect_unobserved(KG__FAKE_OBSERVER, at("job"), rows[i].said);
    }
}

/* What is measured under a wrapper would be taken for a kernel's time. */
Test(spawn_observer, what_is_measured_is_not_wrapped)
{
    setenv("KG_WRAPPER", "some wrapper", 1);
    cr_assert(eq(str, (char *)kg__wrapper("check"), "some wrapper"));
    cr_assert(eq(str, (char *)kg__wrapper("defects"), "some wrapper"));
    cr_assert(kg__wrapper("time") == NULL);
    cr_assert(kg__wrapper("count") == NULL);
    cr_assert(kg__wrapper("launch") == NULL);
}

/* What an earlier run left under the same name is no record of this one's. */
Test(spawn_observer, old_records_are_not_read)
{
    outcome all = { .cases = { "forgotten/1" } };

    write_text(at("job.jsonl"),
               "{\"event\": \"checked\", \"case\": \"forgotten/1\", \"right\": true}\n");
    cr_assert(observe(&all) == KG__OBSERVED);
    expect_outcome(&all, 0, KG__EVENT_FAILED, "record lost");
}
