/* SPDX-License-Identifier: MIT */
#include "base/run_lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"

typedef struct lock_holder {
    int process; /* 0: nobody */
    unsigned long long started;
    char host[256];
    char what[128];
    char since[64];
} lock_holder;

/* The width of a number keeps it in its type's range. */
static bool parse_holder(const char *text, lock_holder *holder)
{
    return sscanf(text, "process %7d\nstarted %19llu\nhost %255s\nwhat %127[^\n]\nsince %63[^\n]",
                  &holder->process, &holder->started, holder->host, holder->what,
                  holder->since) >= 3 &&
           holder->process > 0;
}

static void name_lock(const char *folder, char *path, size_t size)
{
    kg__format_path(path, size, "%s/" KG__RUN_LOCK_FILE, folder);
}

static bool is_on_this_host(const lock_holder *holder)
{
    char host[sizeof holder->host] = "unknown";

    (void)gethostname(host, sizeof host - 1);
    return strcmp(host, holder->host) == 0;
}

/* Who holds the folder, by its file; nobody where that is missing or empty. It is read without its
 * lock: while a run takes the folder this is as good as looking just before. */
static bool read_holder(const char *path, lock_holder *holder, kg__error *error)
{
    const char *cause;
    FILE *file = kg__file_stream(path, &cause);
    char text[1024];
    size_t length;

    *holder = (lock_holder){ 0 };
    if (file == NULL)
        return errno == ENOENT || errno == ENOTDIR ||
               kg__fail(error,
                        "%s: %s: it says who holds this folder; check its permissions, or set "
                        "KG_OUT to another folder",
                        path, cause);
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return length == 0 || parse_holder(text, holder) ||
           kg__fail(error,
                    "%s: does not say who holds this folder: if no run is in progress here, remove "
                    "it",
                    path);
}

static bool has_ended(const lock_holder *holder)
{
    kg__process_facts facts;

    if (kg__process_look(holder->process, &facts) && facts.started != holder->started)
        return true;
    return !kg__process_lives(holder->process);
}

static bool descends_from(pid_t holder)
{
    pid_t process = getpid();
    kg__process_facts facts;

    while (process > 0 && process != holder)
        process = kg__process_look(process, &facts) ? facts.parent : 0;
    return process == holder;
}

bool kg__run_lock_permits(const char *folder, kg__error *error)
{
    char path[KG__PATH_SIZE];
    lock_holder holder;

    name_lock(folder, path, sizeof path);
    if (!read_holder(path, &holder, error))
        return false;
    if (holder.process == 0)
        return true;
    if (!is_on_this_host(&holder))
        return kg__fail(error,
                        "%s: held by %s, process %d on %s, since %s: wait until it finishes, or "
                        "set KG_OUT to another folder; if it is gone, remove %s",
                        folder, holder.what, holder.process, holder.host, holder.since, path);
    return has_ended(&holder) || descends_from(holder.process) ||
           kg__fail(error,
                    "%s: held by %s, process %d, since %s: wait until it finishes, or set KG_OUT "
                    "to another folder",
                    folder, holder.what, holder.process, holder.since);
}

bool kg__run_lock_is_own(const char *folder)
{
    char path[KG__PATH_SIZE];
    lock_holder holder;
    kg__error unreadable;

    name_lock(folder, path, sizeof path);
    return read_holder(path, &holder, &unreadable) && holder.process != 0 &&
           is_on_this_host(&holder) && !has_ended(&holder) && descends_from(holder.process);
}
