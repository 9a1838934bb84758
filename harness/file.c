#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long a temporary file must lie untouched before it is taken for a dead process's. */
#define SECONDS_TO_TRUST 60

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

/* A rename is on disk once its folder is. A file system that cannot flush a folder is no error. */
static void flush_folder(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
}

/* Removes what processes that died left over of replacing the file `name`. They say by their
 * numbers that they are gone, which of another machine's, in a folder that it shares, is not to be
 * trusted at once. */
static void remove_leftovers(const char *folder, const char *name)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    size_t length = strlen(name);

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        const char *mark = entry->d_name + 1 + length;
        struct stat facts;
        char *end;
        long process;

        if (entry->d_name[0] != '.' || strncmp(entry->d_name + 1, name, length) != 0 ||
            strncmp(mark, KG__FILE_TEMPORARY, strlen(KG__FILE_TEMPORARY)) != 0)
            continue;
        process = strtol(mark + strlen(KG__FILE_TEMPORARY), &end, 10);
        if (*end == '\0' && process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH &&
            fstatat(dirfd(listing), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
            time(NULL) - facts.st_mtime > SECONDS_TO_TRUST)
            (void)unlinkat(dirfd(listing), entry->d_name, 0);
    }
    if (listing != NULL)
        closedir(listing);
}

bool kg__file_may_replace(const char *path, kg__error *error)
{
    struct stat facts;

    /* As root, a rename would take the place of /dev/null for everybody. */
    return stat(path, &facts) != 0 || S_ISREG(facts.st_mode) ||
           kg__fail(
               error,
               "%s: cannot be written: it is no regular file, and stays as it is: name another",
               path);
}

bool kg__file_replace(const char *path, const char *content, size_t size, kg__error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t room = strlen(path) + 64;
    char *folder;
    char *temporary;
    struct stat old;
    bool created;
    bool done;
    int cause;
    int file;

    if (!kg__file_may_replace(path, error))
        return false;
    folder = kg__allocate(room, 1);
    temporary = kg__allocate(room, 1);
    if (slash == NULL)
        snprintf(folder, room, ".");
    else
        snprintf(folder, room, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    snprintf(temporary, room, "%s/.%s" KG__FILE_TEMPORARY "%ld", folder, name, (long)getpid());

    /* A process of the same number may have died over its temporary file. */
    (void)unlink(temporary);
    file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    created = file >= 0;
    done = created && (stat(path, &old) != 0 || fchmod(file, old.st_mode & 0777) == 0) &&
           write_all(file, content, size) && fsync(file) == 0;
    cause = errno;
    if (created && close(file) != 0 && done) {
        done = false;
        cause = errno;
    }
    if (done && rename(temporary, path) != 0) {
        done = false;
        cause = errno;
    }
    if (done) {
        flush_folder(folder);
        remove_leftovers(folder, name);
    } else {
        kg__fail(
            error,
            "%s: cannot be written: %s: it is left as it was; see to the folder's permissions and "
            "free space",
            path, strerror(cause));
        if (created)
            (void)unlink(temporary);
    }
    free(temporary);
    free(folder);
    return done;
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
                            "%s: the folder cannot be made: %s: name another, or see to the "
                            "permissions above it",
                            partial, strerror(errno));
        *c = end;
        if (end == '\0')
            break;
    }
    free(partial);
    if (made && (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode)))
        made = kg__fail(error, "%s: is no folder: name another one, or remove it", path);
    return made;
}

bool kg__file_make_temporary_folder(const char *purpose, char *path, size_t size, kg__error *error)
{
    const char *setting = getenv("TMPDIR");
    const char *parent = setting != NULL && *setting != '\0' ? setting : "/tmp";
    int length = snprintf(path, size, "%s/kernelgate-%s.XXXXXX", parent, purpose);
    const char *why = "its path is too long";

    if (length >= 0 && (size_t)length < size) {
        if (mkdtemp(path) != NULL)
            return true;
        why = strerror(errno);
    }
    *path = '\0';
    return kg__fail(error,
                    "%s: no folder can be made in it: %s: set TMPDIR to a folder that can be "
                    "written to",
                    parent, why);
}

void kg__file_remove_folder(const char *path)
{
    DIR *listing = opendir(path);
    const struct dirent *entry;

    while (listing != NULL && (entry = readdir(listing)) != NULL)
        (void)unlinkat(dirfd(listing), entry->d_name, 0);
    if (listing != NULL)
        closedir(listing);
    (void)rmdir(path);
}

bool kg__file_is_program(const char *path)
{
    struct stat facts;

    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}
