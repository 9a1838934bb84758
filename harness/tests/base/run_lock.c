/* Which process holds a folder: a live one, a dead one, one whose number another process has now,
 * and files that say nothing. */
#include "base/run_lock.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fakes/drive.h"

TestSuite(run_lock, .init = make_folder, .fini = remove_folder, .timeout = 60);

static const char *lock(void)
{
    return at(KG__RUN_LOCK_FILE);
}

/* The folder is taken for a process. */
static void take_for(pid_t process)
{
    kg__error error = { "" };

    cr_assert(kg__run_lock_take(at(""), process, &error), "%s", error.text);
}

/* The lock's file holds a text, or nothing (""). */
static void expect_text(const char *part)
{
    char *text = read_text(lock());

    cr_assert(part[0] == '\0' ? text[0] == '\0' : strstr(text, part) != NULL, "%s", text);
    free(text);
}

static void expect_held(const char *part)
{
    kg__error error = { "" };

    cr_assert(!kg__run_lock_permits(at(""), &error));
    cr_assert(strstr(error.text, part) != NULL, "%s", error.text);
    cr_assert(!kg__run_lock_take(at(""), getpid(), &error));
    cr_assert(strstr(error.text, part) != NULL, "%s", error.text);
    cr_assert(strchr(error.text, '\n') == NULL, "%s", error.text);
}

static void expect_free(void)
{
    kg__error error = { "" };

    cr_assert(kg__run_lock_permits(at(""), &error), "%s", error.text);
    take_for(getpid());
}

/* A process that lives until it is ended, no ancestor of ours. */
static pid_t start_stranger(void)
{
    pid_t process = fork();

    cr_assert(process >= 0);
    if (process == 0) {
        /* A test that fails must not leave it. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return process;
}

static void end_stranger(pid_t process)
{
    cr_assert(kill(process, SIGKILL) == 0);
    cr_assert(waitpid(process, NULL, 0) == process);
}

Test(run_lock, a_folder_that_is_not_held)
{
    kg__error error = { "" };

    cr_assert(kg__run_lock_permits(at("missing"), &error), "%s", error.text);
    cr_assert(kg__run_lock_permits(at(""), &error), "%s", error.text);
    cr_assert(!exists(lock()), "looking leaves nothing");
    write_text(lock(), "");
    expect_free();
    cr_assert(!kg__run_lock_take(at("missing"), getpid(), &error));
    cr_assert(strstr(error.text, "missing/run.lock: cannot be opened: No such file") != NULL, "%s",
              error.text);
}

Test(run_lock, the_file_names_the_holder)
{
    char host[256] = "";
    char line[400];

    take_for(getpid());
    cr_assert(gethostname(host, sizeof host - 1) == 0);
    snprintf(line, sizeof line, "process %ld\nstarted ", (long)getpid());
    expect_text(line);
    snprintf(line, sizeof line, "\nhost %s\nwhat test_run_lock\nsince 2", host);
    expect_text(line);
    expect_text(" UTC\n");
}

Test(run_lock, a_process_that_lives)
{
    pid_t stranger = start_stranger();
    char name[64];

    take_for(stranger);
    kg__format(name, sizeof name, "held by test_run_lock, process %ld, since 2", (long)stranger);
    expect_held(name);
    expect_held("wait until it finishes, or set KG_OUT to another folder");
    kg__run_lock_release(at(""), getpid());
    expect_held(name);
    end_stranger(stranger);
    expect_free();
}

/* A process that is not waited for is dead though its number is not free yet. */
Test(run_lock, a_process_that_ended_and_was_not_waited_for)
{
    const struct timespec moment = { 0, 1000000 };
    pid_t stranger = start_stranger();
    kg__error error = { "" };

    take_for(stranger);
    cr_assert(kill(stranger, SIGKILL) == 0);
    for (int i = 0; i < 5000 && !kg__run_lock_permits(at(""), &error); i++)
        nanosleep(&moment, NULL);
    expect_free();
    cr_assert(waitpid(stranger, NULL, 0) == stranger);
}

Test(run_lock, a_number_that_another_process_has_now)
{
    pid_t stranger = start_stranger();
    char *text;
    char *started;

    take_for(stranger);
    text = read_text(lock());
    started = strstr(text, "\nstarted ") + strlen("\nstarted ");
    started[0] = started[0] == '9' ? '8' : '9';
    write_text(lock(), text);
    free(text);
    expect_free();
    end_stranger(stranger);
}

Test(run_lock, a_process_of_another_machine)
{
    write_text(lock(), "process 1\nstarted 1\nhost elsewhere.invalid\nwhat ci/gate\n"
                       "since 2026-11-21 05:10:00 UTC\n");
    expect_held("held by ci/gate, process 1 on elsewhere.invalid, since 2026-11-21 05:10:00 UTC: ");
    expect_held("if it is gone, remove ");
}

/* What this process descends from may have taken the folder for all that it starts: it stays the
 * holder, and it alone gives the folder back. */
Test(run_lock, an_ancestor)
{
    char holder[64];
    pid_t child;
    int status = 0;

    snprintf(holder, sizeof holder, "process %ld\n", (long)getppid());
    take_for(getppid());
    expect_free();
    child = fork();
    cr_assert(child >= 0);
    if (child == 0)
        _exit(kg__run_lock_permits(at(""), NULL) && kg__run_lock_take(at(""), getpid(), NULL) ? 0
                                                                                              : 1);
    cr_assert(waitpid(child, &status, 0) == child && status == 0);
    expect_text(holder);
    kg__run_lock_release(at(""), getpid());
    expect_text(holder);
    kg__run_lock_release(at(""), getppid());
    expect_text("");
}

Test(run_lock, a_process_that_is_not_there)
{
    pid_t stranger = start_stranger();
    kg__error error = { "" };

    end_stranger(stranger);
    cr_assert(!kg__run_lock_take(at(""), stranger, &error));
    cr_assert(strstr(error.text, "/proc has nothing about it") != NULL, "%s", error.text);
    kg__run_lock_release(at(""), stranger);
    cr_assert(!exists(lock()));
}

Test(run_lock, files_that_do_not_say_who)
{
    static const char *const texts[] = { "\n",
                                         "process\n",
                                         "process 0\nstarted 1\nhost a\n",
                                         "process -5\nstarted 1\nhost a\n",
                                         "process 99999999999999999999\nstarted 1\nhost a\n",
                                         "process 4294967297\nstarted 1\nhost a\n",
                                         "process 12x\nstarted 1\nhost a\n",
                                         "process 12\nhost a\n",
                                         "process 12\nstarted\nhost a\n",
                                         "process 12\nstarted 1x\nhost a\n",
                                         "process 12\nstarted 1\n",
                                         "{\"process\": 12}" };
    char *longer = kg__allocate(4097, 1);
    FILE *file;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_text(lock(), texts[i]);
        expect_held("does not say who holds this folder: if no run is in progress here, remove it");
    }
    memset(longer, 'a', 4096);
    write_text(lock(), longer);
    free(longer);
    expect_held("does not say who holds this folder");
    file = fopen(lock(), "w");
    cr_assert(file != NULL && fwrite("\0\0process 1\n", 1, 12, file) == 12 && fclose(file) == 0);
    expect_held("does not say who holds this folder");
}

Test(run_lock, what_is_not_a_file)
{
    cr_assert(mkdir(lock(), 0777) == 0);
    kg__error error = { "" };

    cr_assert(!kg__run_lock_take(at(""), getpid(), &error));
    cr_assert(!kg__run_lock_permits(at(""), &error));
    cr_assert(strstr(error.text, "run.lock: is not a regular file") != NULL, "%s", error.text);
    cr_assert(rmdir(lock()) == 0);
    cr_assert(mkfifo(lock(), 0666) == 0);
    expect_held("run.lock: is not a regular file");
    cr_assert(unlink(lock()) == 0);
    write_text(at("other"), "of somebody else");
    cr_assert(symlink(at("other"), lock()) == 0);
    expect_held("run.lock: cannot be opened: Too many levels");
}

Test(run_lock, a_file_that_may_not_be_opened)
{
    write_text(lock(), "");
    cr_assert(chmod(lock(), 0) == 0);
    if (geteuid() == 0) {
        remove_folder();
        cr_skip_test("the superuser opens anything");
    }
    expect_held("run.lock: cannot be opened: Permission denied");
}

/* A process that is stopped before it finished keeps nothing waiting forever. */
Test(run_lock, a_file_that_stays_locked)
{
    kg__error error = { "" };
    FILE *file;

    write_text(lock(), "");
    file = fopen(lock(), "r");
    cr_assert(file != NULL && flock(fileno(file), LOCK_EX) == 0);
    cr_assert(!kg__run_lock_permits(at(""), &error));
    cr_assert(strstr(error.text, "a process has kept it open for 10 s") != NULL, "%s", error.text);
    fclose(file);
}

#define RIVALS 20

/* Lets processes take the folder all at once; returns how many of them got it. */
static int race(void)
{
    pid_t rivals[RIVALS];
    int start[2];
    int through[2];
    int winners = 0;
    char word;

    cr_assert(pipe(start) == 0 && pipe(through) == 0);
    for (int i = 0; i < RIVALS; i++) {
        rivals[i] = fork();
        cr_assert(rivals[i] >= 0);
        if (rivals[i] == 0) {
            kg__error error = { "" };

            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(start[1]);
            /* Until the other end is closed for all of them. */
            (void)!read(start[0], &word, 1);
            word = kg__run_lock_take(at(""), getpid(), &error) ? '1' : '0';
            (void)!write(through[1], &word, 1);
            /* A winner that ended would make room for the next. */
            for (;;)
                pause();
        }
    }
    close(start[0]);
    close(start[1]);
    for (int i = 0; i < RIVALS; i++) {
        cr_assert(read(through[0], &word, 1) == 1);
        winners += word == '1';
    }
    for (int i = 0; i < RIVALS; i++)
        end_stranger(rivals[i]);
    return winners;
}

Test(run_lock, of_many_at_once_one_wins)
{
    /* The first time it is not held, then by a process that died. */
    for (int times = 0; times < 10; times++)
        cr_assert(race() == 1);
}
