/* SPDX-License-Identifier: MIT */
/* The lock of a GPU: one holder, waiting that says for what, gone with its holder. */
#include "base/gpu_lock.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fakes/drive.h"

static kg__error error;

static void begin(void)
{
    make_folder();
    setenv("KG_LOCK_DIR", at(""), 1);
}

TestSuite(gpu_lock, .init = begin, .fini = remove_folder, .timeout = 60);

/* What a waiter heard: how often, and the last line. */
typedef struct waiter {
    int times;
    char line[256];
    void (*then)(struct waiter *listener);
    pid_t holder;
} waiter;

static void take_line(void *context, const char *line)
{
    waiter *listener = context;

    listener->times++;
    kg__format(listener->line, sizeof listener->line, "%s", line);
    if (listener->then != NULL)
        listener->then(listener);
}

/* Starts a process that takes the lock, says so, and holds it until it is ended. */
static pid_t start_holder(const char *name)
{
    int ends[2];
    char word;
    pid_t process;

    cr_assert(pipe(ends) == 0);
    process = fork();
    cr_assert(process >= 0);
    if (process == 0) {
        int lock = kg__gpu_lock_take(name, KG__GPU_LOCK_EXCLUSIVE, take_line, &(waiter){ 0 }, NULL);

        if (lock < 0 || write(ends[1], "t", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    cr_assert(read(ends[0], &word, 1) == 1);
    close(ends[0]);
    return process;
}

static void end(pid_t process)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

Test(gpu_lock, is_taken_named_and_given_back)
{
    waiter listener = { 0 };
    char own[64];
    char *text;
    struct stat facts;
    int lock = kg__gpu_lock_take("GPU-1234", KG__GPU_LOCK_EXCLUSIVE, take_line, &listener, &error);

    cr_assert(lock >= 0, "%s", error.text);
    cr_assert(listener.times == 0);
    text = read_text(at("kernelgate-GPU-1234.lock"));
    kg__format(own, sizeof own, "process %ld (", (long)getpid());
    cr_assert(strncmp(text, own, strlen(own)) == 0, "%s", text);
    cr_assert(stat(at("kernelgate-GPU-1234.lock"), &facts) == 0);
    cr_assert(facts.st_mode == (S_IFREG | 0666), "another user must be able to take it: %o",
              (unsigned)facts.st_mode);
    close(lock);

    lock = kg__gpu_lock_take("GPU-1234", KG__GPU_LOCK_EXCLUSIVE, take_line, &listener, &error);
    cr_assert(lock >= 0 && listener.times == 0);
    close(lock);
}

Test(gpu_lock, shared_locks_and_locks_of_other_names_do_not_wait)
{
    waiter listener = { 0 };
    int locks[] = { kg__gpu_lock_take("GPU-1", KG__GPU_LOCK_SHARED, take_line, &listener, NULL),
                    kg__gpu_lock_take("GPU-1", KG__GPU_LOCK_SHARED, take_line, &listener, NULL),
                    kg__gpu_lock_take("GPU-2", KG__GPU_LOCK_EXCLUSIVE, take_line, &listener,
                                      NULL) };

    for (int i = 0; i < 3; i++) {
        cr_assert(locks[i] >= 0 && listener.times == 0);
        close(locks[i]);
    }
}

static void end_holder(waiter *listener)
{
    end(listener->holder);
}

/* The holder dies without giving the lock back, and the process that waits has it. */
Test(gpu_lock, a_waiter_hears_of_the_holder_and_outlives_it)
{
    waiter listener = { .then = end_holder };
    char holder[64];
    int lock;

    listener.holder = start_holder("GPU-5");
    lock = kg__gpu_lock_take("GPU-5", KG__GPU_LOCK_EXCLUSIVE, take_line, &listener, NULL);
    cr_assert(lock >= 0);
    cr_assert(listener.times == 1, "%d lines for a short wait", listener.times);
    kg__format(holder, sizeof holder, "held by process %ld (", (long)listener.holder);
    cr_assert(strstr(listener.line, "waiting for the lock of GPU-5") != NULL, "%s", listener.line);
    cr_assert(strstr(listener.line, holder) != NULL, "%s", listener.line);
    close(lock);
}

static void forget_name(waiter *listener)
{
    if (listener->times == 2)
        end(listener->holder);
    else
        write_text(at("kernelgate-GPU-6.lock"), "");
}

/* A long wait is reported again, also for a holder that has not written its name. */
Test(gpu_lock, a_long_wait_is_reported_again)
{
    waiter listener = { .then = forget_name };
    int lock;

    listener.holder = start_holder("GPU-6");
    lock = kg__gpu_lock_take("GPU-6", KG__GPU_LOCK_EXCLUSIVE, take_line, &listener, NULL);
    cr_assert(lock >= 0);
    cr_assert(listener.times == 2);
    cr_assert(strstr(listener.line, "held by an unnamed process") != NULL, "%s", listener.line);
    close(lock);
}

/* A spawned program must not keep a lock that its parent gave back. */
Test(gpu_lock, is_not_inherited)
{
    int lock = kg__gpu_lock_take("GPU-7", KG__GPU_LOCK_EXCLUSIVE, take_line, &(waiter){ 0 }, NULL);
    char *seen = output_of("ls -l /proc/self/fd");

    cr_assert(lock >= 0);
    cr_assert(strstr(seen, "GPU-7") == NULL, "%s", seen);
    close(lock);
}

static void expect_no_lock(const char *text)
{
    waiter listener = { 0 };

    cr_assert(kg__gpu_lock_take("GPU-8", KG__GPU_LOCK_EXCLUSIVE, take_line, &listener, &error) ==
              -1);
    cr_assert(strstr(error.text, text) != NULL, "%s", error.text);
    cr_assert(strstr(error.text, "kernelgate-GPU-8.lock: the lock cannot be ") != NULL &&
                  strstr(error.text, "KG_LOCK_DIR") != NULL && strchr(error.text, '\n') == NULL,
              "%s", error.text);
    cr_assert(listener.times == 0);
}

Test(gpu_lock, what_cannot_be_locked_is_refused)
{
    setenv("KG_LOCK_DIR", at("missing"), 1);
    expect_no_lock("No such file");
    write_text(at("file"), "content");
    setenv("KG_LOCK_DIR", at("file"), 1);
    expect_no_lock("Not a directory");
    setenv("KG_LOCK_DIR", at(""), 1);
    cr_assert(mkdir(at("kernelgate-GPU-8.lock"), 0777) == 0);
    expect_no_lock("Is a directory");
    /* Otherwise another user's link in a shared folder would empty a file of ours. */
    cr_assert(rmdir(at("kernelgate-GPU-8.lock")) == 0);
    cr_assert(symlink(at("file"), at("kernelgate-GPU-8.lock")) == 0);
    expect_no_lock("symbolic links");
    cr_assert(eq(str, read_text(at("file")), "content"));
}

Test(gpu_lock, the_folder_is_tmp_unless_told)
{
    char name[64];
    char path[128];
    int lock;

    kg__format(name, sizeof name, "test-%ld", (long)getpid());
    kg__format(path, sizeof path, "/tmp/kernelgate-%s.lock", name);
    setenv("KG_LOCK_DIR", "", 1);
    lock = kg__gpu_lock_take(name, KG__GPU_LOCK_EXCLUSIVE, take_line, &(waiter){ 0 }, NULL);
    cr_assert(lock >= 0);
    cr_assert(exists(path));
    close(lock);
    cr_assert(unlink(path) == 0);
}
