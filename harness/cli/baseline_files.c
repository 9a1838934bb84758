#include "cli/baseline_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/text.h"
#include "suite/settings.h"

#define FILE_SUFFIX ".json"
#define SCHEMA_SUFFIX ".schema.json"

void kg__names_add(kg__names *names, const char *name)
{
    names->items = kg__grow(names->items, names->count, &names->capacity, sizeof *names->items);
    names->items[names->count++] = kg__copy_text(name);
}

void kg__names_free(kg__names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (kg__names){ 0 };
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(kg__names *names)
{
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
}

/* Whether a file name is that of a baseline: KEY.json. */
static bool is_baseline_name(const char *name)
{
    return *name != '.' && kg__ends_with(name, FILE_SUFFIX) && !kg__ends_with(name, SCHEMA_SUFFIX);
}

bool kg__list_baselines(const char *folder, kg__names *names)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;

    *names = (kg__names){ 0 };
    if (listing == NULL) {
        kg__complain("%s: the folder of the baselines cannot be read: %s: run this in its parent "
                     "folder, or set KG_BASELINES",
                     folder, strerror(errno));
        return false;
    }
    while ((entry = readdir(listing)) != NULL) {
        if (is_baseline_name(entry->d_name))
            kg__names_add(names, entry->d_name);
    }
    closedir(listing);
    sort_names(names);
    return true;
}

void kg__default_baselines(char *folder, size_t size)
{
    char found[KG__PATH_SIZE];

    kg__baselines_folder(".", found, sizeof found);
    kg__format_path(folder, size, "%s", strncmp(found, "./", 2) == 0 ? found + 2 : found);
}

bool kg__prepare_baselines(const char *folder)
{
    kg__error error;

    if (!kg__file_make_folder(folder, &error)) {
        kg__complain("%s", error.text);
        return false;
    }
    if (access(folder, W_OK) == 0)
        return true;
    kg__complain("%s: the folder cannot be written: nothing is recorded; fix its permissions",
                 folder);
    return false;
}

int kg__lock_baselines(const char *folder)
{
    char name[96];
    struct stat facts;
    kg__error error = { "" };
    int lock;

    if (stat(folder, &facts) != 0) {
        kg__complain("%s: cannot be read: %s: fix its permissions", folder, strerror(errno));
        return -1;
    }
    /* Different paths may lead to the same folder. */
    kg__format(name, sizeof name, "baselines-%llx-%llx", (unsigned long long)facts.st_dev,
               (unsigned long long)facts.st_ino);
    lock = kg__lock_try(name, &error);
    if (lock < 0)
        kg__complain("%s: %s", folder, error.text);
    return lock;
}
