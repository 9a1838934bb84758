/* SPDX-License-Identifier: MIT */
#include "base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/exit_code.h"

const char *kg__setting(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

bool kg__own_program(char *path, size_t size, kg__error *error)
{
    ssize_t length = readlink("/proc/self/exe", path, size);

    if (length < 0 || (size_t)length >= size)
        return kg__fail(error, "/proc/self/exe: cannot be read: %s: %s",
                        length < 0 ? strerror(errno) : "the path is too long",
                        length < 0 ? "mount /proc" : "move the build");
    path[length] = '\0';
    return true;
}

bool kg__process_look(pid_t process, kg__process_facts *facts)
{
    char path[64];
    char text[1024];
    FILE *file;
    size_t length;
    const char *after_name;
    char state;
    int parent;

    kg__format(path, sizeof path, "/proc/%ld/stat", (long)process);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    /* The name may hold anything, spaces and brackets too. What is between are fields 5 to 21. */
    after_name = strrchr(text, ')');
    if (after_name == NULL ||
        sscanf(after_name + 1,
               " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &state, &parent, &facts->started) != 3)
        return false;
    facts->parent = (pid_t)parent;
    facts->ended = state == 'Z' || state == 'X';
    return true;
}

bool kg__process_lives(pid_t process)
{
    kg__process_facts facts;

    if (kg__process_look(process, &facts))
        return !facts.ended;
    /* Another user's process may be hidden. */
    return kill(process, 0) == 0 || errno == EPERM;
}

/* The number of the process that starts others, in their environment. */
static const char parent_setting[] = "KG__PARENT";

void kg__name_parent(void)
{
    char number[32];

    kg__format(number, sizeof number, "%ld", (long)getpid());
    if (setenv(parent_setting, number, 1) != 0)
        kg__complain("%s: cannot be set: %s: free some memory", parent_setting, strerror(errno));
}

void kg__end_with_parent(void)
{
    const char *parent = kg__setting(parent_setting);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* A parent that ended before that call sends no signal. Any process can have adopted this one:
     * only the number is reliable. With a script in between, the parent is that script. */
    if (parent == NULL || strtol(parent, NULL, 10) == (long)getppid() ||
        kg__process_lives((pid_t)strtol(parent, NULL, 10)))
        return;
    kg__complain("process %s, which started this one (%ld), has ended: this one ends too", parent,
                 (long)getpid());
    exit(KG__EXIT_ERROR);
}

/* BoxFort, which starts the processes of Criterion's tests, calls this with the result of a fork()
 * that failed, -1: that is every process of the user. */
int kill(pid_t process, int number)
{
    if (process != -1)
        return (int)syscall(SYS_kill, process, number);
    kg__complain("%s: no process can be started for a test: raise the number of processes that the "
                 "user (ulimit -u) or the container may have",
                 program_invocation_short_name);
    _exit(KG__EXIT_ERROR);
}
