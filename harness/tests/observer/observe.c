/* A comparison's program in observer mode: the records that it leaves, and how it ends. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "gate/spawn_observer.h"
#include "tests/fakes/fake_runs.h"

TestSuite(observe, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

static void expect_observer(const char *cases, const char *part, const char *records, int code,
                            const char *line)
{
    const char *const arguments[] = { KG__FAKE_MODEL, "--observe", cases,   "--part",
                                      part,           "--records", records, NULL };

    expect_drive(arguments, code, line);
}

Test(observe, an_observer_leaves_records)
{
    char *text;

    write_text(at("cases"), "fake/plain/7/b32\nfake/plain/64/b32\nfake/wrong/64/b32\n");
    expect_observer(at("cases"), "check", at("records"), 0, NULL);
    text = read_text(at("records"));
    cr_assert(occurrences(text, "\n") == 7, "%s", text);
    cr_assert(strncmp(text, "{\"event\":\"target\"", 17) == 0, "%s", text);
    cr_assert(strstr(text, "{\"event\":\"refused\",\"case\":\"fake/plain/7/b32\",\"why\":") !=
              NULL);
    cr_assert(strstr(text, "{\"event\":\"start\",\"case\":\"fake/plain/64/b32\"}\n{\"event\":"
                           "\"checked\",\"case\":\"fake/plain/64/b32\",\"right\":true") != NULL);
    cr_assert(strstr(text, "\"fake/wrong/64/b32\",\"right\":false,\"why\":\"to[17]") != NULL);
    cr_assert(strstr(text, "{\"event\":\"done\"}\n") != NULL);
    free(text);
}

/* Whoever looks on at the launches of a GPU sees those of the variant and no other: nothing is
 * collected. */
Test(observe, an_observer_of_launches_collects_nothing)
{
    const char *const arguments[] = { KG__FAKE_GPU, "--observe", at("cases"),   "--part",
                                      "launch",     "--records", at("records"), NULL };
    char *text;

    write_text(at("cases"), "fake/leaves/64/b32\n");
    set("FAKE_COLLECT", "collect");
    expect_drive(arguments, 0, NULL);
    text = read_text(at("records"));
    cr_assert(strstr(text, "{\"event\":\"launched\",\"case\":\"fake/leaves/64/b32\",") != NULL,
              "%s", text);
    free(text);
    set("FAKE_COLLECT", "launch");
    expect_drive(arguments, 0, NULL);
    text = read_text(at("records"));
    cr_assert(strstr(text,
                     "\"failed\",\"case\":\"fake/leaves/64/b32\",\"why\":\"running the kernel: "
                     "cudaErrorInvalidValue") != NULL,
              "%s", text);
    free(text);
}

/* A lost context is the process's end, with an exit code of its own. */
Test(observe, an_observer_that_loses_its_device)
{
    char *text;

    write_text(at("cases"), "fake/strays/64/b32\nfake/plain/64/b32\n");
    expect_observer(at("cases"), "check", at("records"), KG__EXIT_LOST, NULL);
    text = read_text(at("records"));
    cr_assert(strstr(text, "plain") == NULL && strstr(text, "done") == NULL, "%s", text);
    free(text);
}

Test(observe, an_observer_that_is_called_wrongly)
{
    const char *const lacking[] = { KG__FAKE_MODEL, "--observe", "cases", NULL };
    const char *const valueless[] = { KG__FAKE_MODEL, "--observe", "cases", "--part", NULL };
    const char *const unknown[] = { KG__FAKE_MODEL, "--observe", "cases", "--prat", "check", NULL };

    expect_drive(lacking, 2, "an observer needs --observe CASES --part PART --records FILE");
    expect_drive(valueless, 2, "--part: the option needs a value");
    expect_drive(unknown, 2, "--prat: not an option of an observer");

    write_text(at("cases"), "fake/plain/64/b32\n");
    expect_observer(at("missing"), "check", at("records"), 2, "missing: cannot be read");
    cr_assert(mkfifo(at("pipe"), 0600) == 0);
    expect_observer(at("pipe"), "check", at("records"), 2, "pipe: cannot be read");
    expect_observer(at("cases"), "check", at("missing/records"), 2,
                    "missing/records: cannot be written: No such file");
    expect_observer(at("cases"), "time", at("records"), 2, "fake: this target has no part time");
    write_text(at("cases"), "fake/plain/64/b32\nfake/plain/65/b32\n");
    expect_observer(at("cases"), "check", at("records"), 2,
                    "fake/plain/65/b32: no such case in the table");
}

/* A search tries launches that no row has; they are checked as any other. */
Test(observe, an_observer_checks_launches_beyond_the_table)
{
    char *records;

    write_text(at("cases"), "fake/plain/64/b32\nfake/plain/64/b96\n");
    expect_observer(at("cases"), "check", at("records"), 0, NULL);
    records = read_text(at("records"));
    cr_expect(strstr(records, "\"case\":\"fake/plain/64/b96\",\"right\":true") != NULL, "%s",
              records);
    free(records);
    /* That a launch cannot be is not a defect where no row asks for it. */
    write_text(at("cases"), "fake/cannot/64/b32\nfake/cannot/64/b96\n");
    expect_observer(at("cases"), "check", at("refusals"), 0, NULL);
    records = read_text(at("refusals"));
    cr_expect(strstr(records, "\"failed\",\"case\":\"fake/cannot/64/b32\"") != NULL, "%s", records);
    cr_expect(strstr(records, "\"refused\",\"case\":\"fake/cannot/64/b96\"") != NULL, "%s",
              records);
    free(records);
    /* This program cannot count; that it has no such case is not why. */
    write_text(at("cases"), "fake/plain/64/b96\n");
    expect_observer(at("cases"), "count", at("counts"), KG__EXIT_LOST,
                    "needs the instrumented program");
    write_text(at("cases"), "fake/plain/64/96\n");
    expect_observer(at("cases"), "check", at("records"), 2, "fake/plain/64/96: no such case");
}

Test(observe, an_observer_takes_no_more_cases_than_there_are)
{
    FILE *file = fopen(at("cases"), "w");

    cr_assert(file != NULL);
    for (int i = 0; i < 1000; i++)
        cr_assert(fputs("fake/plain/64/b32\n", file) >= 0);
    cr_assert(fclose(file) == 0);
    expect_observer(at("cases"), "check", at("records"), 2, "more cases than the table has");
}

/* An observer that cannot report is of no use: it ends. */
Test(observe, an_observer_whose_records_are_full)
{
    if (access("/dev/full", W_OK) != 0) {
        remove_folder();
        cr_skip_test("there is no /dev/full here");
    }
    write_text(at("cases"), "fake/plain/64/b32\n");
    expect_observer(at("cases"), "check", "/dev/full", 2,
                    "a record cannot be written: No space left on device");
}
