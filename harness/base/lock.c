#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRY_EVERY_NS 50000000L
#define TRIES_BETWEEN_LINES 100
#define HOLDER_SIZE 320

/* Opens the lock's file without creating it where it exists: in a sticky folder the kernel may
 * refuse O_CREAT on another user's file (fs.protected_regular). */
static int open_lock(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

    if (file < 0 && errno == ENOENT) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file >= 0)
            (void)fchmod(file, 0666);
    }
    return file;
}

/* Opens the file of the lock `name`, whose path is left in `path`; -1 with `error`. */
static int open_named(const char *name, char *path, size_t size, kg__error *error)
{
    const char *folder = getenv("KG_LOCK_DIR");
    int file;

    kg__format_path(path, size, "%s/kernelgate-%s.lock",
                    folder != NULL && folder[0] != '\0' ? folder : "/tmp", name);
    file = open_lock(path);
    if (file < 0)
        kg__fail(error,
                 "%s: the lock cannot be opened: %s: set KG_LOCK_DIR to a folder that can be "
                 "written",
                 path, strerror(errno));
    return file;
}

static int refuse(int file, const char *path, kg__error *error)
{
    kg__fail(error, "%s: the lock cannot be taken: %s: set KG_LOCK_DIR to a local folder", path,
             strerror(errno));
    close(file);
    return -1;
}

/* Who holds a lock, by what that process wrote into its file. */
static void read_holder(int file, char *holder, size_t size)
{
    ssize_t length = pread(file, holder, size - 1, 0);

    holder[length > 0 ? length : 0] = '\0';
    if (holder[0] == '\0')
        kg__format(holder, size, "an unnamed process");
}

static void describe_holder(int file, const char *name, char *line, size_t size)
{
    char holder[HOLDER_SIZE];

    read_holder(file, holder, sizeof holder);
    kg__format(line, size, "waiting for the lock of %s, held by %s", name, holder);
}

/* Writes who holds the lock into its file. That is a courtesy to those who wait: the lock holds
 * without it. */
static void name_holder(int file)
{
    char program[256];
    char text[HOLDER_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    program[length > 0 ? length : 0] = '\0';
    kg__format(text, sizeof text, "process %ld (%s)", (long)getpid(), program);
    if (ftruncate(file, 0) != 0 || pwrite(file, text, strlen(text), 0) < 0)
        errno = 0;
}

int kg__lock_take(const char *name, kg__lock_kind kind,
                  void (*waiting)(void *context, const char *line), void *context, kg__error *error)
{
    char path[KG__PATH_SIZE];
    char text[512];
    int file = open_named(name, path, sizeof path, error);

    if (file < 0)
        return -1;
    for (unsigned long tries = 0;
         flock(file, (kind == KG__LOCK_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0; tries++) {
        struct timespec pause = { 0, TRY_EVERY_NS };

        if (errno != EWOULDBLOCK && errno != EINTR)
            return refuse(file, path, error);
        if (tries % TRIES_BETWEEN_LINES == 0) {
            describe_holder(file, name, text, sizeof text);
            waiting(context, text);
        }
        nanosleep(&pause, NULL);
    }
    name_holder(file);
    return file;
}

int kg__lock_try(const char *name, kg__error *error)
{
    char path[KG__PATH_SIZE];
    char holder[HOLDER_SIZE];
    int file = open_named(name, path, sizeof path, error);

    if (file < 0)
        return -1;
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return refuse(file, path, error);
        read_holder(file, holder, sizeof holder);
        kg__fail(error, "it is held by %s: wait for its end", holder);
        close(file);
        return -1;
    }
    name_holder(file);
    return file;
}

void kg__lock_release(int lock)
{
    if (lock >= 0)
        close(lock);
}
