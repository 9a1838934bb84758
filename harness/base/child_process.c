/* SPDX-License-Identifier: MIT */
#include "base/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"

/* What a program lists may be this long, in bytes. */
#define LISTING_SIZE ((size_t)1 << 20)

extern char **environ;

/* Starts the program in a process group of its own, its output into `output`. Returns an errno. */
static int start(const char *const *arguments, int output, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);

    if (code != 0)
        return code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (code == 0)
            code = posix_spawn_file_actions_adddup2(&actions, output, 1);
        if (code == 0)
            code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (code == 0)
            code = posix_spawnp(child, arguments[0], &actions, &attributes,
                                (char *const *)arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* Reads until the program closes its output; false when the time is over first. */
static bool listen(int input, double deadline, char *text, size_t size)
{
    char dropped[512];
    size_t used = 0;

    text[0] = '\0';
    for (;;) {
        struct pollfd wait = { .fd = input, .events = POLLIN };
        double left = deadline - kg__now();
        bool full = used + 1 >= size;
        ssize_t got;
        int ready = left > 0.0 ? poll(&wait, 1, (int)(left * 1000.0) + 1) : 0;

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        got =
            full ? read(input, dropped, sizeof dropped) : read(input, text + used, size - 1 - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        if (!full)
            used += (size_t)got;
        text[used] = '\0';
    }
}

int kg__child_output(const char *const *arguments, double seconds, char *text, size_t size)
{
    double deadline = kg__now() + seconds;
    int ends[2];
    pid_t child;
    bool finished;
    int status = 0;

    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return KG__CHILD_NOT_FOUND;
    if (start(arguments, ends[1], &child) != 0) {
        close(ends[0]);
        close(ends[1]);
        return KG__CHILD_NOT_FOUND;
    }
    close(ends[1]);
    finished = listen(ends[0], deadline, text, size);
    close(ends[0]);
    /* A program may close its output and go on. */
    while (finished) {
        pid_t ended = waitpid(child, &status, WNOHANG);

        if (ended == child)
            break;
        if (ended < 0 && errno != EINTR)
            return KG__CHILD_CRASHED;
        finished = kg__now() < deadline;
        if (finished)
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    if (!finished) {
        kill(-child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        return KG__CHILD_TIMED_OUT;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : KG__CHILD_CRASHED;
}

int kg__child_lines(const char *const *arguments, double seconds, kg__listing *listing)
{
    char *rest = NULL;
    int code;

    *listing = (kg__listing){ .text = kg__allocate(LISTING_SIZE, 1) };
    code = kg__child_output(arguments, seconds, listing->text, LISTING_SIZE);
    if (code != 0)
        return code;
    listing->lines = kg__allocate(strlen(listing->text) + 1, sizeof *listing->lines);
    for (char *line = strtok_r(listing->text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        listing->lines[listing->count++] = line;
    return 0;
}

bool kg__listing_has(const kg__listing *listing, const char *line)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (strcmp(listing->lines[i], line) == 0)
            return true;
    }
    return false;
}

void kg__listing_free(kg__listing *listing)
{
    free(listing->text);
    free(listing->lines);
    *listing = (kg__listing){ 0 };
}
