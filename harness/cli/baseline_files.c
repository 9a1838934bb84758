#include "cli/baseline_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/text.h"
#include "suite/settings.h"

#define FILE_SUFFIX ".json"
#define SCHEMA_SUFFIX ".schema.json"

/* How long git may take for one answer, in seconds. */
#define GIT_SECONDS 60

/* A folder's listing by git may be this long, in bytes. */
#define LISTING_SIZE ((size_t)1 << 20)

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

int kg__compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(kg__names *names)
{
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, kg__compare_names);
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

void kg__split_path(const char *path, char *folder, size_t size, const char **name)
{
    const char *slash = strrchr(path, '/');

    *name = slash != NULL ? slash + 1 : path;
    if (slash == NULL)
        kg__format_path(folder, size, ".");
    else
        kg__format_path(folder, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* Complains that there is no baseline of this key, and suggests the nearest. */
static void refuse_key(const char *folder, const char *key)
{
    kg__names names;
    const char *nearest;

    if (!kg__list_baselines(folder, &names))
        return;
    for (size_t i = 0; i < names.count; i++)
        names.items[i][strlen(names.items[i]) - strlen(FILE_SUFFIX)] = '\0';
    nearest = kg__nearest_name(key, (const char *const *)names.items, names.count);
    if (nearest != NULL)
        kg__complain("%s: there is no baseline of this key in %s; did you mean %s?", key, folder,
                     nearest);
    else
        kg__complain("%s: there is no baseline of this key in %s: record one with ci/rebaseline",
                     key, folder);
    kg__names_free(&names);
}

/* Whether a baseline is named by its target's key, not by its file. */
static bool is_key(const char *name_or_key)
{
    return strchr(name_or_key, '/') == NULL && !kg__ends_with(name_or_key, FILE_SUFFIX);
}

void kg__default_baselines(char *folder, size_t size)
{
    char found[KG__PATH_SIZE];

    kg__baselines_folder(".", found, sizeof found);
    kg__format_path(folder, size, "%s", strncmp(found, "./", 2) == 0 ? found + 2 : found);
}

void kg__baseline_path(const char *name_or_key, char *path, size_t size)
{
    char folder[KG__PATH_SIZE];

    kg__default_baselines(folder, sizeof folder);
    if (is_key(name_or_key))
        kg__format_path(path, size, "%s/%s" FILE_SUFFIX, folder, name_or_key);
    else
        kg__format_path(path, size, "%s", name_or_key);
}

bool kg__open_baseline(const char *name_or_key, char *path, size_t size, kg__baseline *baseline)
{
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };
    kg__load_status status;

    kg__default_baselines(folder, sizeof folder);
    kg__baseline_path(name_or_key, path, size);
    status = kg__baseline_load(path, baseline, &error);
    if (status == KG__LOADED)
        return true;
    kg__baseline_free(baseline);
    if (status == KG__BAD)
        kg__complain("%s", error.text);
    else if (is_key(name_or_key))
        refuse_key(folder, name_or_key);
    else
        kg__complain("%s: there is no such file: name another, or a key", path);
    return false;
}

/* Runs git in a folder with up to four arguments; its exit code, or one of KG__CHILD_. `text` gets
 * its output, with `errors_too` also its errors. */
static int git(const char *folder, const char *const *arguments, bool errors_too, char *text,
               size_t size)
{
    const char *command[8] = { "git", "-C", folder };

    for (size_t i = 0; i < 4 && arguments[i] != NULL; i++)
        command[3 + i] = arguments[i];
    return errors_too ? kg__child_run(command, GIT_SECONDS, text, size)
                      : kg__child_output(command, GIT_SECONDS, text, size);
}

/* The folder to run git in: the folder itself or, if it is gone, its parent; `prefix` is then the
 * path from there to its files, else "". */
static void find_git_folder(const char *folder, char *git_folder, char *prefix, size_t size)
{
    const char *name;

    kg__format_path(git_folder, size, "%s", folder);
    kg__format_path(prefix, size, "%s", "");
    if (access(folder, F_OK) == 0 || errno != ENOENT)
        return;
    kg__split_path(folder, git_folder, size, &name);
    kg__format_path(prefix, size, "%s/", name);
}

bool kg__find_commit(const char *folder, const char *reference, char *commit, size_t size)
{
    char git_folder[KG__PATH_SIZE];
    char prefix[KG__PATH_SIZE];
    char wanted[KG__PATH_SIZE];
    const char *const arguments[] = { "rev-parse", "--quiet", "--verify", wanted, NULL };
    char text[KG__MESSAGE_SIZE];
    int code;

    kg__format(wanted, sizeof wanted, "%s^{commit}", reference);
    find_git_folder(folder, git_folder, prefix, sizeof git_folder);
    code = *reference == '-' ? 1 : git(git_folder, arguments, true, text, sizeof text);
    if (code == 0) {
        kg__format(commit, size, "%.*s", (int)strcspn(text, "\n"), text);
        return true;
    }
    if (code == KG__CHILD_NOT_FOUND)
        kg__complain("--since %s: git is not installed: install it (ci/setup)", reference);
    else if (code == 1)
        kg__complain("--since %s: there is no such commit, branch or tag here: git log -- %s lists "
                     "the commits (a shallow clone lacks the older ones: git fetch --unshallow)",
                     reference, folder);
    else
        kg__complain("--since %s: git failed in %s: %.*s", reference, folder,
                     (int)strcspn(text, "\n"), text);
    return false;
}

/* Whether a commit has the file `name` in `folder`. */
static bool has_file(const char *folder, const char *object)
{
    const char *const arguments[] = { "cat-file", "-e", object, NULL };
    char text[KG__MESSAGE_SIZE];

    return git(folder, arguments, true, text, sizeof text) == 0;
}

kg__load_status kg__baseline_at_commit(const char *folder, const char *name, const char *commit,
                                       const char *commit_name, kg__baseline *baseline,
                                       kg__error *error)
{
    char git_folder[KG__PATH_SIZE];
    char prefix[KG__PATH_SIZE];
    char object[3 * KG__PATH_SIZE];
    const char *const arguments[] = { "cat-file", "blob", object, NULL };
    char label[2 * KG__PATH_SIZE];
    size_t size = KG__BASELINE_LARGEST + 2;
    kg__load_status status = KG__BAD;
    char *text;

    *baseline = (kg__baseline){ 0 };
    find_git_folder(folder, git_folder, prefix, sizeof git_folder);
    kg__format_path(object, sizeof object, "%s:./%s%s", commit, prefix, name);
    if (!has_file(git_folder, object))
        return KG__ABSENT;
    kg__format(label, sizeof label, "%s:%s/%s", commit_name, folder, name);
    text = kg__allocate(size, 1);
    if (git(git_folder, arguments, false, text, size) != 0)
        kg__complain("%s: git cannot show it: try git -C %s show %s", label, git_folder, object);
    else if (strlen(text) > KG__BASELINE_LARGEST)
        kg__complain("%s: has more than %zu MiB, which no baseline has: choose another commit",
                     label, KG__BASELINE_LARGEST >> 20);
    else
        status = kg__baseline_parse(label, text, strlen(text), baseline, error);
    free(text);
    return status;
}

bool kg__baseline_is_as_at_commit(const char *folder, const char *name, const char *commit)
{
    char file[KG__PATH_SIZE];
    const char *const arguments[] = { "diff", "--quiet", commit, file, NULL };
    char text[KG__MESSAGE_SIZE];

    kg__format_path(file, sizeof file, "./%s", name);
    return git(folder, arguments, true, text, sizeof text) == 0;
}

/* The baseline files that a folder had at a commit; false with a complaint. */
static bool list_at_commit(const char *folder, const char *commit, kg__names *names)
{
    char git_folder[KG__PATH_SIZE];
    char prefix[KG__PATH_SIZE];
    const char *arguments[] = { "ls-tree", "--name-only", commit, NULL, NULL };
    char *text = kg__allocate(LISTING_SIZE, 1);
    char *rest = NULL;
    bool listed;

    find_git_folder(folder, git_folder, prefix, sizeof git_folder);
    if (*prefix != '\0')
        arguments[3] = prefix;
    listed = git(git_folder, arguments, false, text, LISTING_SIZE) == 0;
    *names = (kg__names){ 0 };
    if (!listed)
        kg__complain("%s: git cannot list what it held at %s: try git -C %s ls-tree %s %s", folder,
                     commit, git_folder, commit, prefix);
    for (char *name = strtok_r(text, "\n", &rest); name != NULL && listed;
         name = strtok_r(NULL, "\n", &rest)) {
        const char *slash = strrchr(name, '/');

        if (is_baseline_name(slash != NULL ? slash + 1 : name))
            kg__names_add(names, slash != NULL ? slash + 1 : name);
    }
    sort_names(names);
    free(text);
    return listed;
}

bool kg__list_baselines_since(const char *folder, const char *commit, kg__names *names)
{
    kg__names earlier = { 0 };
    bool gone = access(folder, F_OK) != 0 && errno == ENOENT;
    bool listed;
    size_t now;

    *names = (kg__names){ 0 };
    listed =
        (gone || kg__list_baselines(folder, names)) && list_at_commit(folder, commit, &earlier);
    now = names->count;
    for (size_t i = 0; i < earlier.count && listed; i++) {
        if (now == 0 || bsearch(&earlier.items[i], names->items, now, sizeof *names->items,
                                kg__compare_names) == NULL)
            kg__names_add(names, earlier.items[i]);
    }
    sort_names(names);
    kg__names_free(&earlier);
    return listed;
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

const char *kg__nearest_case(const kg__baseline *baseline, const char *glob)
{
    const char **ids = kg__allocate(baseline->case_count, sizeof *ids);
    const char *nearest;

    for (size_t i = 0; i < baseline->case_count; i++)
        ids[i] = baseline->cases[i].id;
    nearest = kg__nearest_to_globs(glob, ids, baseline->case_count);
    free(ids);
    return nearest;
}
