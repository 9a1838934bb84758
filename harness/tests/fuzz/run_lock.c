/* The readers of lock files: run.lock, which says who holds a folder, and a GPU's lock, whose
 * holder is named to those who wait. A file that is refused stays as it was. */
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/run_lock.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define LOCK "held/" KG__RUN_LOCK_FILE

/* Writes an input with the name of this machine in place of each '@', so that a seed can be of a
 * holder that is looked for here. */
static const char *file_with_host(const char *name, const uint8_t *input, size_t size)
{
    static uint8_t text[1 << 16];
    char host[256] = "";
    size_t length = 0;

    (void)gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < size && length + sizeof host < sizeof text; i++) {
        if (input[i] == '@') {
            memcpy(text + length, host, strlen(host));
            length += strlen(host);
        } else {
            text[length++] = input[i];
        }
    }
    return file_of_input(name, text, length);
}

/* How many bytes of a file there are, and the file's first ones. */
static size_t read_begin(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t length;

    require(file != NULL, path);
    length = fread(text, 1, size, file);
    fclose(file);
    return length;
}

static void lock_folder(const uint8_t *input, size_t size)
{
    const char *path = file_with_host(LOCK, input, size);
    const char *folder = path_of("held");
    static char before[1 << 16];
    static char after[1 << 16];
    size_t length = read_begin(path, before, sizeof before);
    kg__error error = { "" };
    bool permitted = kg__run_lock_permits(folder, &error);
    bool taken;

    require_error(!permitted, &error);
    require(read_begin(path, after, sizeof after) == length && memcmp(before, after, length) == 0,
            "to look at a lock changes nothing");
    error.text[0] = '\0';
    taken = kg__run_lock_take(folder, getpid(), &error);
    require_error(!taken, &error);
    require(taken == permitted, "a folder that may be written to can be taken");
    if (taken) {
        require(kg__run_lock_permits(folder, &error), error.text);
        kg__run_lock_release(folder, getpid());
    } else {
        require(read_begin(path, after, sizeof after) == length &&
                    memcmp(before, after, length) == 0,
                "a lock that is refused stays as it was");
    }
}

/* A GPU's lock is given back when whoever waits for it has heard of its holder. */
static void hear_holder(void *context, const char *line)
{
    FILE *holder = context;

    require(strstr(line, "waiting for the lock of fuzz, held by ") == line, line);
    require(strchr(line, '\n') == NULL, line);
    fclose(holder);
}

/* Asks for a GPU's lock that is held, by whomever its file names. */
static void ask_for_lock(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("kernelgate-fuzz.lock", input, size);
    FILE *holder = fopen(path, "re");
    kg__error error = { "" };
    int lock;

    require(holder != NULL && flock(fileno(holder), LOCK_EX) == 0, path);
    lock = kg__lock_take("fuzz", KG__LOCK_EXCLUSIVE, hear_holder, holder, &error);
    require(lock >= 0, error.text);
    close(lock);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    if (getenv("KG_LOCK_DIR") == NULL)
        require(setenv("KG_LOCK_DIR", path_of("."), 1) == 0, "the environment takes a variable");
    lock_folder(input, size);
    ask_for_lock(input, size);
    return 0;
}
