/* SPDX-License-Identifier: MIT */
/* A library for LD_PRELOAD: calls that change what is under a folder fail or kill the process from
 * a given one on, so that a test can end a program at each of them.
 *
 * FAULT_FOLDER: the folder. FAULT_AT: the number of the first call that fails, from 1.
 *
 * FAULT_WITH: "kill" (SIGKILL, a write having written half of what it was given), "ENOSPC" (a full
 * disk: a write writes half, then nothing can be added, and everything can be removed), "EIO" or
 * "EROFS" (nothing can be changed any more). Three others do nothing to a folder. "orphan": one
 * call that has a process end with its parent comes too late: the parent is killed before it.
 * "EAGAIN": no process is forked and no thread started any more, and a kill() of all processes ends
 * this one alone, with the exit code 99. "lost": one thread is started and never runs.
 *
 * FAULT_COUNT: a file of 8 bytes in which the calls of all processes are counted. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;
static unsigned long first;
static int cause; /* an errno; 0: the process is killed */
static bool orphans;
static bool starts_nothing;
static bool loses_thread;
static volatile unsigned long *count;

/* Declares `real`, the C library's own function of a name. */
#define FIND(name)                                                                                 \
    __typeof__(name) *const real = (__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void set_up(void)
{
    const char *at = getenv("FAULT_AT");
    const char *with = getenv("FAULT_WITH");
    const char *counted = getenv("FAULT_COUNT");
    FIND(open);
    void *shared;
    int file;

    if (at == NULL || with == NULL || counted == NULL)
        return;
    file = real(counted, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    shared = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED)
        return;
    count = shared;
    first = strtoul(at, NULL, 10);
    cause = strcmp(with, "ENOSPC") == 0  ? ENOSPC
            : strcmp(with, "EIO") == 0   ? EIO
            : strcmp(with, "EROFS") == 0 ? EROFS
                                         : 0;
    orphans = strcmp(with, "orphan") == 0;
    starts_nothing = strcmp(with, "EAGAIN") == 0;
    loses_thread = strcmp(with, "lost") == 0;
    folder = orphans || starts_nothing || loses_thread ? NULL : getenv("FAULT_FOLDER");
}

static bool is_within(const char *path)
{
    size_t length = folder != NULL ? strlen(folder) : 0;

    return length > 0 && strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

static bool is_file_within(int file)
{
    char link[64];
    char path[1024];
    ssize_t length;

    if (folder == NULL)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return is_within(path);
}

/* Counts a call; whether it fails. One that only removes works on a full disk. */
static bool fails(bool removes)
{
    unsigned long number = __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);

    if (number < first || (cause == 0 && number > first) || (removes && cause == ENOSPC))
        return false;
    if (cause == 0)
        (void)kill(getpid(), SIGKILL);
    errno = cause;
    return true;
}

static bool opening_fails(const char *path, int flags)
{
    return ((flags & (O_WRONLY | O_RDWR)) != 0) && is_within(path) && fails(false);
}

/* The mode of a call of open(), where it has one. */
#define TAKE_MODE(mode, flags)                                                                     \
    do {                                                                                           \
        va_list arguments_;                                                                        \
                                                                                                   \
        va_start(arguments_, flags);                                                               \
        (mode) = ((flags)&O_CREAT) != 0 ? va_arg(arguments_, mode_t) : 0;                          \
        va_end(arguments_);                                                                        \
    } while (0)

#define DEFINE_OPEN(name)                                                                          \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        FIND(name);                                                                                \
        mode_t mode;                                                                               \
                                                                                                   \
        TAKE_MODE(mode, flags);                                                                    \
        if (opening_fails(path, flags))                                                            \
            return -1;                                                                             \
        return real(path, flags, mode);                                                            \
    }

DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_FOPEN(name)                                                                         \
    FILE *name(const char *path, const char *mode)                                                 \
    {                                                                                              \
        FIND(name);                                                                                \
                                                                                                   \
        if (opening_fails(path, strpbrk(mode, "wa+") != NULL ? O_WRONLY : O_RDONLY))               \
            return NULL;                                                                           \
        return real(path, mode);                                                                   \
    }

DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

/* What a stream holds back is written when it is closed. */
int fclose(FILE *stream)
{
    FIND(fclose);
    int file = fileno(stream);
    bool writes = file >= 0 && (fcntl(file, F_GETFL) & (O_WRONLY | O_RDWR)) != 0;
    bool failed = writes && is_file_within(file) && fails(false);
    int result;

    result = real(stream);
    if (failed)
        errno = cause;
    return failed ? EOF : result;
}

/* How much of a write comes through: all; half of the one that is the first to fail; nothing. */
static size_t room_for(int file, size_t size)
{
    unsigned long number;

    if (!is_file_within(file))
        return size;
    number = __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    if (number < first || (cause == 0 && number > first))
        return size;
    return number == first && (cause == 0 || cause == ENOSPC) ? size / 2 : 0;
}

/* Ends a write of which `written` bytes came through where it was given more. */
static ssize_t end_short(ssize_t written)
{
    if (cause == 0)
        (void)kill(getpid(), SIGKILL);
    if (written > 0)
        return written;
    errno = cause;
    return -1;
}

ssize_t write(int file, const void *content, size_t size)
{
    FIND(write);
    size_t room = room_for(file, size);
    ssize_t written = 0;

    if (room > 0 || size == 0)
        written = real(file, content, room);
    return room < size ? end_short(written) : written;
}

#define DEFINE_PWRITE(name, offset_type)                                                           \
    ssize_t name(int file, const void *content, size_t size, offset_type offset)                   \
    {                                                                                              \
        FIND(name);                                                                                \
        size_t room = room_for(file, size);                                                        \
        ssize_t written = 0;                                                                       \
                                                                                                   \
        if (room > 0 || size == 0)                                                                 \
            written = real(file, content, room, offset);                                           \
        return room < size ? end_short(written) : written;                                         \
    }

DEFINE_PWRITE(pwrite, off_t)
DEFINE_PWRITE(pwrite64, off64_t)

#define DEFINE_CALL(name, is_within_it, removes, parameters, ...)                                  \
    int name parameters                                                                            \
    {                                                                                              \
        FIND(name);                                                                                \
                                                                                                   \
        if ((is_within_it) && fails(removes))                                                      \
            return -1;                                                                             \
        return real(__VA_ARGS__);                                                                  \
    }

DEFINE_CALL(fsync, is_file_within(file), false, (int file), file)
DEFINE_CALL(fchmod, is_file_within(file), false, (int file, mode_t mode), file, mode)
DEFINE_CALL(ftruncate, is_file_within(file), true, (int file, off_t size), file, size)
DEFINE_CALL(ftruncate64, is_file_within(file), true, (int file, off64_t size), file, size)
DEFINE_CALL(unlinkat, is_file_within(file), true, (int file, const char *name, int flags), file,
            name, flags)
DEFINE_CALL(unlink, is_within(path), true, (const char *path), path)
DEFINE_CALL(mkdir, is_within(path), false, (const char *path, mode_t mode), path, mode)
DEFINE_CALL(rename, is_within(path), false, (const char *path, const char *to), path, to)

static void lose_parent(void)
{
    pid_t parent = getppid();

    (void)kill(parent, SIGKILL);
    while (getppid() == parent)
        usleep(1000);
}

int prctl(int option, ...)
{
    FIND(prctl);
    unsigned long values[4];
    va_list arguments;

    va_start(arguments, option);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (orphans && option == PR_SET_PDEATHSIG &&
        __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST) == first)
        lose_parent();
    return real(option, values[0], values[1], values[2], values[3]);
}

/* The number of a call that starts a thread or a process; 0 where they are not counted. */
static unsigned long number_of_start(void)
{
    return starts_nothing || loses_thread ? __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST) : 0;
}

pid_t fork(void)
{
    FIND(fork);

    if (number_of_start() >= first && starts_nothing) {
        errno = EAGAIN;
        return -1;
    }
    return real();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *context)
{
    FIND(pthread_create);
    unsigned long number = number_of_start();

    if (number >= first && starts_nothing)
        return EAGAIN;
    if (number == first && loses_thread)
        return 0;
    return real(thread, attributes, body, context);
}

/* After a start that failed, what a program waits for does not come: its seconds are short. */
unsigned int sleep(unsigned int seconds)
{
    FIND(sleep);

    if ((starts_nothing || loses_thread) && *count >= first) {
        usleep(100000 * seconds);
        return 0;
    }
    return real(seconds);
}

int kill(pid_t process, int number)
{
    FIND(kill);

    if (starts_nothing && process == -1)
        _exit(99);
    return real(process, number);
}
