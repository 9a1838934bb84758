/* SPDX-License-Identifier: MIT */
/* A program that answers as an observer does, and misbehaves as its cases' names ask for: the tests
 * of the parent's side drive it. It is no comparison and knows no CUDA.
 *
 * Which process of a job this is stands in the name of the records file, where the parent counts:
 * "<stem>.jsonl", "<stem>.1.jsonl", ... */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "gate/spawn_observer.h"
#include "records/records.h"
#include "tests/fakes/fake_plan.h"

static int records;

static void append(const char *text)
{
    if (write(records, text, strlen(text)) != (ssize_t)strlen(text))
        exit(9);
}

static void report_checked(const char *id)
{
    if (!kg__record_append(records,
                           json_pack("{s:s, s:s, s:b, s:s}", "event", "checked", "case", id,
                                     "right", 1, "why", ""),
                           NULL))
        exit(9);
}

static void wait_a_while(const char *why, int times)
{
    for (int i = 0; i < times; i++) {
        fake_report(records, "waiting", NULL, why);
        usleep(200000);
    }
}

static void silence(void)
{
    for (;;)
        pause();
}

/* Dies of SIGSEGV, whatever a sanitizer would make of that signal. */
static void crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

/* Says where it stood when it is told to end. */
static void tell_where(int number)
{
    static const char record[] =
        "{\"event\": \"hung\", \"where\": \"at kernels/a/b.cu:14, in kernel b\", \"at\": "
        "{\"file\": "
        "\"kernels/a/b.cu\", \"line\": 14}, \"findings\": [{\"kind\": \"misaligned\"}]}\n";

    (void)number;
    _exit(write(records, record, sizeof record - 1) > 0 ? KG__EXIT_LOST : 9);
}

/* Behaves as the first word of the id says. */
static void observe(const char *id)
{
    if (strncmp(id, "forgotten", 9) == 0)
        return;
    if (strncmp(id, "refused", 7) == 0) {
        fake_report(records, "refused", id, "too odd a size");
        return;
    }
    fake_report(records, "start", id, NULL);
    if (strncmp(id, "crashes", 7) == 0)
        crash();
    if (strncmp(id, "exits", 5) == 0)
        exit(2);
    if (strncmp(id, "hangs", 5) == 0)
        silence();
    if (strncmp(id, "tells", 5) == 0) {
        (void)signal(SIGTERM, tell_where);
        silence();
    }
    if (strncmp(id, "stays", 5) == 0) {
        (void)signal(SIGTERM, SIG_IGN);
        silence();
    }
    if (strncmp(id, "leaves", 6) == 0) {
        (void)signal(SIGTERM, tell_where);
        (void)raise(SIGTERM);
    }
    if (strncmp(id, "stops", 5) == 0)
        exit(0);
    if (strncmp(id, "tears", 5) == 0) {
        append("{\"event\": \"checked\", \"case\": \"tea");
        raise(SIGKILL);
    }
    if (strncmp(id, "garbles", 7) == 0)
        append("no JSON at all\n[1, 2]\n{\"event\": 5}\n\n");
    if (strncmp(id, "waits", 5) == 0)
        wait_a_while("waiting for the lock of GPU-1, held by process 1 (other)", 4);
    if (strncmp(id, "fails", 5) == 0) {
        fake_report(records, "failed", id, "launching: cudaErrorInvalidValue");
        return;
    }
    if (strncmp(id, "loses", 5) == 0) {
        fake_report(records, "failed", id, "the context is gone");
        exit(KG__EXIT_LOST);
    }
    if (strncmp(id, "dawdles", 7) == 0) {
        report_checked(id);
        silence();
    }
    report_checked(id);
    if (strncmp(id, "repeats", 7) == 0) {
        report_checked(id);
        fake_report(records, "failed", id, "said twice");
        report_checked("a/stranger");
        fake_report(records, "start", "a/stranger", NULL);
    }
}

/* What is to happen outside of all cases. */
static const char *mode_of_process(void)
{
    const char *mode = getenv("FAKE_OBSERVER");

    return mode != NULL ? mode : "";
}

static void begin(const char *mode)
{
    if (strcmp(mode, "crash") == 0)
        raise(SIGABRT);
    if (strcmp(mode, "unavailable") == 0) {
        fake_report(records, "unavailable", NULL, "no GPU: there is none");
        exit(77);
    }
    if (strcmp(mode, "broken") == 0) {
        fake_report(records, "broken", NULL, "the driver does not work");
        exit(2);
    }
    if (strcmp(mode, "silent") == 0)
        silence();
    if (strcmp(mode, "nothing") == 0)
        exit(0);
}

int main(int argc, char **argv)
{
    char line[256];
    FILE *cases;

    /* The order is part of the contract: --observe first, so that a program can tell its mode. */
    if (argc != 7 || strcmp(argv[1], "--observe") != 0 || strcmp(argv[3], "--part") != 0 ||
        strcmp(argv[5], "--records") != 0 || getenv("BXFI_MAP") != NULL)
        return 8;
    records = open(argv[6], O_WRONLY | O_APPEND | O_CLOEXEC);
    cases = fopen(argv[2], "r");
    if (records < 0 || cases == NULL)
        return 8;
    begin(mode_of_process());
    while (fgets(line, sizeof line, cases) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        observe(line);
    }
    fclose(cases);
    if (strcmp(mode_of_process(), "undone") != 0)
        fake_report(records, "done", NULL, NULL);
    close(records);
    return 0;
}
