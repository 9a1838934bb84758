/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, const char *content, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, content, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        content += written;
        size -= (size_t)written;
    }
    return true;
}

/* A rename is on disk once its folder is. A file system that cannot flush a folder is not an error.
 */
static void flush_folder(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
}

/* Whether `path` is a regular file, a link to one, or not there; false with `error` otherwise. */
static bool may_replace(const char *path, kg__error *error)
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        return lstat(path, &facts) != 0 || !S_ISLNK(facts.st_mode) ||
               kg__fail(error,
                        "%s: cannot be written: it is a symbolic link whose target cannot be "
                        "found: remove it, or name another file",
                        path);
    /* As root, a rename would take the place of /dev/null for everybody. */
    return S_ISREG(facts.st_mode) ||
           kg__fail(
               error,
               "%s: cannot be written: it is not a regular file, and stays as it is: name another",
               path);
}

/* Replaces a file that is not a link. `path` is what errors call it. */
static bool replace(const char *target, const char *content, size_t size, const char *path,
                    kg__error *error)
{
    const char *slash = strrchr(target, '/');
    const char *name = slash != NULL ? slash + 1 : target;
    size_t path_size = strlen(target) + 64;
    char *folder = kg__allocate(path_size, 1);
    char *temporary = kg__allocate(path_size, 1);
    struct stat old;
    bool created;
    bool done;
    int cause;
    int file;

    if (slash == NULL)
        snprintf(folder, path_size, ".");
    else
        snprintf(folder, path_size, "%.*s", slash == target ? 1 : (int)(slash - target), target);
    snprintf(temporary, path_size, "%s/.%s" KG__FILE_TEMPORARY "%ld", folder, name, (long)getpid());

    /* A process of the same number may have died over its temporary file. */
    (void)unlink(temporary);
    file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    created = file >= 0;
    done = created && (stat(target, &old) != 0 || fchmod(file, old.st_mode & 0777) == 0) &&
           write_all(file, content, size) && fsync(file) == 0;
    cause = errno;
    if (created && close(file) != 0 && done) {
        done = false;
        cause = errno;
    }
    if (done && rename(temporary, target) != 0) {
        done = false;
        cause = errno;
    }
    if (done) {
        flush_folder(folder);
    } else {
        kg__fail(
            error,
            "%s: cannot be written: %s: it is left as it was; check the folder's permissions and "
            "free space",
            path, strerror(cause));
        if (created)
            (void)unlink(temporary);
    }
    free(temporary);
    free(folder);
    return done;
}

bool kg__file_replace(const char *path, const char *content, size_t size, kg__error *error)
{
    char *target;
    bool replaced;

    if (!may_replace(path, error))
        return false;
    target = realpath(path, NULL);
    replaced = replace(target != NULL ? target : path, content, size, path, error);
    free(target);
    return replaced;
}

FILE *kg__file_stream(const char *path, const char **cause)
{
    /* Without O_NONBLOCK, opening a named pipe would wait for somebody to write into it. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;
    struct stat facts;

    if (stream == NULL) {
        *cause = strerror(errno);
        if (file >= 0)
            close(file);
    } else if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        fclose(stream);
        *cause = "it is not a regular file";
        errno = EINVAL;
        return NULL;
    }
    return stream;
}

bool kg__file_make_folder(const char *path, kg__error *error)
{
    char *partial = kg__copy_text(path);
    struct stat facts;
    bool made = true;

    for (char *c = partial + (*partial == '/'); made; c++) {
        char end = *c;

        if (end != '/' && end != '\0')
            continue;
        *c = '\0';
        if (*partial != '\0' && mkdir(partial, 0777) != 0 && errno != EEXIST)
            made = kg__fail(error,
                            "%s: the folder cannot be made: %s: name another, or check the "
                            "permissions above it",
                            partial, strerror(errno));
        *c = end;
        if (end == '\0')
            break;
    }
    free(partial);
    if (made && (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode)))
        made = kg__fail(error, "%s: is not a folder: name another one, or remove it", path);
    return made;
}
