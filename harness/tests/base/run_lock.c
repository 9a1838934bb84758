/* SPDX-License-Identifier: MIT */
/* Whether a program may write where a process holds the folder: a live one, a dead one, one whose
 * number another process has now, and files that say nothing. */
#include "base/run_lock.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "tests/fakes/drive.h"

static kg__error error;

TestSuite(run_lock, .init = make_folder, .fini = remove_folder, .timeout = 60);

static const char *lock(void)
{
    return at(KG__RUN_LOCK_FILE);
}

/* The folder is held by a process that started `later` than it did. */
static void hold(pid_t process, unsigned long long later)
{
    char host[256] = "";
    char text[512];
    kg__process_facts facts;

    cr_assert(gethostname(host, sizeof host - 1) == 0);
    cr_assert(kg__process_look(process, &facts));
    snprintf(text, sizeof text, "process %ld\nstarted %llu\nhost %s\nwhat x\nsince today\n",
             (long)process, facts.started + later, host);
    write_text(lock(), text);
}

static void expect_held(const char *part)
{
    cr_assert(!kg__run_lock_permits(at(""), &error));
    cr_expect(!kg__run_lock_is_own(at("")));
    cr_assert(strstr(error.text, part) != NULL, "%s", error.text);
    cr_assert(strchr(error.text, '\n') == NULL, "%s", error.text);
}

/* The folder may be written to: it is this process's own, or nobody's. */
static void expect_free(bool own)
{
    cr_assert(kg__run_lock_permits(at(""), &error), "%s", error.text);
    cr_expect(kg__run_lock_is_own(at("")) == own);
}

Test(run_lock, a_folder_that_is_not_held)
{
    cr_assert(kg__run_lock_permits(at("missing"), NULL));
    cr_assert(!kg__run_lock_is_own(at("missing")));
    expect_free(false);
    cr_assert(!exists(lock()), "looking leaves nothing");
    write_text(lock(), "");
    expect_free(false);
}

/* A process that is not waited for is dead though its number is not free yet. */
Test(run_lock, a_process_that_lives_and_ends)
{
    pid_t stranger = fork();
    siginfo_t ended;
    char name[64];

    cr_assert(stranger >= 0);
    if (stranger == 0) {
        /* A test that fails must not leave it. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    hold(stranger, 1);
    expect_free(false);
    hold(stranger, 0);
    kg__format(name, sizeof name, "held by x, process %ld, since today: wait", (long)stranger);
    expect_held(name);
    cr_assert(kill(stranger, SIGKILL) == 0);
    cr_assert(waitid(P_PID, (id_t)stranger, &ended, WEXITED | WNOWAIT) == 0);
    expect_free(false);
    cr_assert(waitpid(stranger, NULL, 0) == stranger);
}

Test(run_lock, a_process_of_another_machine)
{
    write_text(lock(), "process 1\nstarted 1\nhost elsewhere.invalid\nwhat ci/gate\n"
                       "since 2026-11-21 05:10:00 UTC\n");
    expect_held("held by ci/gate, process 1 on elsewhere.invalid, since 2026-11-21 05:10:00 UTC: ");
    expect_held("if it is gone, remove ");
}

Test(run_lock, an_ancestor)
{
    hold(getppid(), 0);
    expect_free(true);
    hold(getpid(), 0);
    expect_free(true);
    hold(getpid(), 1);
    expect_free(false);
}

/* Each line is a text, with ; for the ends of its lines. */
Test(run_lock, files_that_do_not_say_who)
{
    FILE *texts = fopen(KG__RUN_LOCKS, "r");
    char text[4097];
    FILE *file;

    cr_assert(texts != NULL);
    while (fgets(text, sizeof text, texts) != NULL) {
        text[strcspn(text, "\n")] = '\0';
        for (char *c = text; *c != '\0'; c++)
            if (*c == ';')
                *c = '\n';
        write_text(lock(), text);
        expect_held("does not say who holds this folder: if no run is in progress here, remove it");
    }
    fclose(texts);
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    write_text(lock(), text);
    expect_held("does not say who holds this folder");
    file = fopen(lock(), "w");
    cr_assert(file != NULL && fwrite("\0\0process 1\n", 1, 12, file) == 12 && fclose(file) == 0);
    expect_held("does not say who holds this folder");
}

Test(run_lock, what_is_not_a_file)
{
    cr_assert(mkfifo(lock(), 0666) == 0);
    expect_held("run.lock: it is not a regular file");
}
