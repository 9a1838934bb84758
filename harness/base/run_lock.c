/* SPDX-License-Identifier: MIT */
#include "base/run_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"

/* Whoever reads or writes the file is through in no time: a longer wait is for one that was
 * stopped. */
#define SECONDS_TO_WAIT 10.0
#define TRY_EVERY_NS 10000000L

/* More than the lines of a holder take. */
#define FILE_SIZE 1024

typedef struct lock_holder {
    pid_t process; /* 0: nobody */
    unsigned long long started;
    char host[256];
    char what[128];
    char since[64];
} lock_holder;

typedef enum liveness { GONE, ALIVE, ELSEWHERE } liveness;

static void name_host(char *text, size_t size)
{
    if (gethostname(text, size) != 0)
        kg__format(text, size, "unknown");
    text[size - 1] = '\0';
}

static liveness check_liveness(const lock_holder *holder)
{
    char host[sizeof holder->host];
    kg__process_facts facts;

    name_host(host, sizeof host);
    if (strcmp(host, holder->host) != 0)
        return ELSEWHERE;
    if (kg__process_look(holder->process, &facts) && facts.started != holder->started)
        return GONE;
    return kg__process_lives(holder->process) ? ALIVE : GONE;
}

/* Whether this process is the holder or descends from it. */
static bool is_ours(const lock_holder *holder)
{
    pid_t process = getpid();
    kg__process_facts facts;

    if (check_liveness(holder) != ALIVE)
        return false;
    while (process > 0 && process != holder->process)
        process = kg__process_look(process, &facts) ? facts.parent : 0;
    return process == holder->process;
}

static bool wait_for_turn(int file, const char *path, kg__error *error)
{
    double began = kg__now();

    while (flock(file, LOCK_SH | LOCK_NB) != 0) {
        struct timespec pause = { 0, TRY_EVERY_NS };

        if (errno != EWOULDBLOCK && errno != EINTR)
            return kg__fail(error,
                            "%s: cannot be locked: %s: set KG_OUT to a folder on a local disk",
                            path, strerror(errno));
        if (kg__now() - began > SECONDS_TO_WAIT)
            return kg__fail(error,
                            "%s: a process has kept it open for %g s: end that process (fuser %s "
                            "names it), or set KG_OUT to another folder",
                            path, SECONDS_TO_WAIT, path);
        nanosleep(&pause, NULL);
    }
    return true;
}

/* Opens the file and waits for its turn; -1 with `error`, or with `*absent` where the file is
 * missing. */
static int open_file(const char *path, bool *absent, kg__error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat facts;

    *absent = file < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (file < 0) {
        if (!*absent)
            kg__fail(error,
                     "%s: cannot be opened: %s: it says who holds this folder; check its "
                     "permissions, or set KG_OUT to another folder",
                     path, strerror(errno));
        return -1;
    }
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        kg__fail(error, "%s: is not a regular file: remove it, or set KG_OUT to another folder",
                 path);
        close(file);
        return -1;
    }
    if (!wait_for_turn(file, path, error)) {
        close(file);
        return -1;
    }
    return file;
}

/* Copies the value of a line "WORD VALUE" where that is its word. */
static void take_value(const char *line, const char *word, char *value, size_t size)
{
    size_t length = strlen(word);

    if (strncmp(line, word, length) == 0 && line[length] == ' ')
        kg__format(value, size, "%s", line + length + 1);
}

static bool parse_holder(char *text, lock_holder *holder)
{
    char process[32] = "";
    char started[32] = "";
    char *rest = NULL;
    char *end;
    long number;

    *holder = (lock_holder){ 0 };
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        take_value(line, "process", process, sizeof process);
        take_value(line, "started", started, sizeof started);
        take_value(line, "host", holder->host, sizeof holder->host);
        take_value(line, "what", holder->what, sizeof holder->what);
        take_value(line, "since", holder->since, sizeof holder->since);
    }
    errno = 0;
    number = strtol(process, &end, 10);
    if (errno != 0 || end == process || *end != '\0' || number <= 0 || number > 0x7fffffffL)
        return false;
    holder->process = (pid_t)number;
    holder->started = strtoull(started, &end, 10);
    return errno == 0 && end != started && *end == '\0' && holder->host[0] != '\0';
}

/* Who holds the folder, by its file; nobody where that is empty. */
static bool read_holder(int file, const char *path, lock_holder *holder, kg__error *error)
{
    char text[FILE_SIZE + 1];
    ssize_t length = pread(file, text, FILE_SIZE, 0);

    *holder = (lock_holder){ 0 };
    if (length < 0)
        return kg__fail(error, "%s: cannot be read: %s: check the disk", path, strerror(errno));
    text[length] = '\0';
    if (length == 0 || (strlen(text) == (size_t)length && parse_holder(text, holder)))
        return true;
    *holder = (lock_holder){ 0 };
    return kg__fail(error,
                    "%s: does not say who holds this folder: if no run is in progress here, remove "
                    "it",
                    path);
}

/* Fails with the holder's name. */
static bool refuse(const char *path, const lock_holder *holder, kg__error *error)
{
    char host[sizeof holder->host];
    size_t length = strlen(path) - strlen("/" KG__RUN_LOCK_FILE);

    name_host(host, sizeof host);
    if (strcmp(host, holder->host) != 0)
        return kg__fail(error,
                        "%.*s: held by %s, process %ld on %s, since %s: wait until it finishes, "
                        "or set KG_OUT to another folder; if it is gone, remove %s",
                        (int)length, path, holder->what, (long)holder->process, holder->host,
                        holder->since, path);
    return kg__fail(error,
                    "%.*s: held by %s, process %ld, since %s: wait until it finishes, or set "
                    "KG_OUT to another folder",
                    (int)length, path, holder->what, (long)holder->process, holder->since);
}

bool kg__run_lock_permits(const char *folder, kg__error *error)
{
    char path[KG__PATH_SIZE];
    lock_holder present;
    bool permitted;
    bool absent;
    int file;

    kg__format_path(path, sizeof path, "%s/" KG__RUN_LOCK_FILE, folder);
    file = open_file(path, &absent, error);
    if (file < 0)
        return absent;
    permitted = read_holder(file, path, &present, error);
    close(file);
    if (!permitted || present.process == 0 || is_ours(&present))
        return permitted;
    return check_liveness(&present) == GONE || refuse(path, &present, error);
}
