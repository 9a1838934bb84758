/* SPDX-License-Identifier: MIT */
#include "base/gpu_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"

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

/* Writes who holds the lock into its file. Those who wait read it; the lock holds without it. */
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

int kg__gpu_lock_take(const char *name, kg__gpu_lock_kind kind,
                      void (*waiting)(void *context, const char *line), void *context,
                      kg__error *error)
{
    const char *folder = kg__setting("KG_LOCK_DIR");
    char path[KG__PATH_SIZE];
    char holder[HOLDER_SIZE];
    char text[512];
    int file;

    kg__format_path(path, sizeof path, "%s/kernelgate-%s.lock", folder != NULL ? folder : "/tmp",
                    name);
    file = open_lock(path);
    if (file < 0) {
        kg__fail(error,
                 "%s: the lock cannot be opened: %s: set KG_LOCK_DIR to a folder that can be "
                 "written",
                 path, strerror(errno));
        return -1;
    }
    for (unsigned long tries = 0;
         flock(file, (kind == KG__GPU_LOCK_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0; tries++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return refuse(file, path, error);
        if (tries % TRIES_BETWEEN_LINES == 0) {
            read_holder(file, holder, sizeof holder);
            kg__format(text, sizeof text, "waiting for the lock of %s, held by %s", name, holder);
            waiting(context, text);
        } else {
            nanosleep(&(struct timespec){ 0, TRY_EVERY_NS }, NULL);
        }
    }
    name_holder(file);
    return file;
}
