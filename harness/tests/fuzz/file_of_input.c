/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/file_of_input.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The process that made the folder: a fork of it must not remove it. */
static pid_t owner;
static char folder[64];

static void give_up(const char *path)
{
    fprintf(stderr, "%s: %s: the fuzzer needs room in memory there\n", path, strerror(errno));
    abort();
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *walk)
{
    (void)facts;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_folder(void)
{
    if (owner == getpid())
        (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(void)
{
    kg__format(folder, sizeof folder, "/dev/shm/kernelgate-fuzz.XXXXXX");
    if (mkdtemp(folder) == NULL)
        give_up(folder);
    owner = getpid();
    (void)atexit(remove_folder);
}

const char *path_of(const char *name)
{
    static char paths[8][256];
    static unsigned int next;
    char *path = paths[next++ % 8];

    if (owner == 0)
        make_folder();
    kg__format(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *file_of_input(const char *name, const uint8_t *input, size_t size)
{
    const char *path = path_of(name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (file < 0 || write(file, input, size) != (ssize_t)size || close(file) != 0)
        give_up(path);
    return path;
}

void require(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

void require_error(bool failed, const kg__error *error)
{
    require(failed == (error->text[0] != '\0'), "an error is reported, and only an error");
    require(strchr(error->text, '\n') == NULL, "an error is one line");
}
