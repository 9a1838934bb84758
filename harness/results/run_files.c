#include "results/run_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "suite/settings.h"

/* The text of ci/run-files, which is compiled in. */
extern const char kg__run_files_text[];

/* Whether the list has a file: each line is its path and its form, or a comment. */
static bool is_listed(const char *path)
{
    size_t length = strlen(path);

    for (const char *line = kg__run_files_text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (length > 0 && *line != '#' && strcspn(line, " \n") == length &&
            strncmp(line, path, length) == 0)
            return true;
    }
    return false;
}

/* The path of a file in a folder; the caller's. */
static char *join_path(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = kg__allocate(size, 1);

    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* The name that a temporary file is to get, or `name` itself. */
static char *final_name(const char *name)
{
    const char *mark = *name == '.' ? strstr(name + 1, KG__FILE_TEMPORARY) : NULL;
    char *plain = kg__copy_text(mark != NULL ? name + 1 : name);

    if (mark != NULL)
        plain[mark - name - 1] = '\0';
    return plain;
}

/* Whether a run leaves a file of this name in `folder` ("": that of the results itself). */
static bool is_left_by_runs(const char *folder, const char *name)
{
    static const char *const record_ends[] = { KG__VERDICTS_SUFFIX, ".jsonl", ".cases" };
    char *plain = final_name(name);
    char *path = *folder != '\0' ? join_path(folder, plain) : kg__copy_text(plain);
    bool left = is_listed(path);

    for (size_t i = 0; i < sizeof record_ends / sizeof *record_ends; i++)
        left = left || (strcmp(folder, "records") == 0 && kg__ends_with(plain, record_ends[i]));
    free(path);
    free(plain);
    return left;
}

/* Removes what a run leaves in `folder` of the results in `out`. No such folder: nothing to do. */
static bool clear_folder(const char *out, const char *folder, kg__error *error)
{
    char *path = *folder != '\0' ? join_path(out, folder) : kg__copy_text(out);
    DIR *listing = opendir(path);
    const struct dirent *entry;
    bool cleared = true;

    if (listing == NULL && errno != ENOENT)
        cleared = kg__fail(error, "%s: the directory cannot be read: %s: check its permissions",
                           path, strerror(errno));
    while (listing != NULL && cleared && (entry = readdir(listing)) != NULL) {
        if (is_left_by_runs(folder, entry->d_name) &&
            unlinkat(dirfd(listing), entry->d_name, 0) != 0 && errno != ENOENT)
            cleared = kg__fail(error,
                               "%s/%s: left by an earlier run, and cannot be removed: %s: "
                               "remove it by hand",
                               path, entry->d_name, strerror(errno));
    }
    if (listing != NULL)
        closedir(listing);
    free(path);
    return cleared;
}

/* Files that are reached through a symbolic link are not removed. */
static bool is_no_link(const char *out, const char *folder, kg__error *error)
{
    char *path = join_path(out, folder);
    struct stat facts;
    bool good = lstat(path, &facts) != 0 || !S_ISLNK(facts.st_mode) ||
                kg__fail(error,
                         "%s: is a symbolic link, and each run removes what the last one left "
                         "there: remove the link, or set KG_OUT to another folder",
                         path);

    free(path);
    return good;
}

bool kg__results_begin(const char *out, kg__error *error)
{
    char *records = join_path(out, "records");
    bool begun = is_no_link(out, "records", error) && is_no_link(out, "report", error) &&
                 kg__file_make_folder(out, error) && kg__file_make_folder(records, error) &&
                 clear_folder(out, "", error) && clear_folder(out, "report", error) &&
                 clear_folder(out, "records", error);

    free(records);
    return begun;
}
