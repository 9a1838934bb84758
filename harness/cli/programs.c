#include "cli/programs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "base/text.h"
#include "suite/settings.h"

void kg__find_programs(const char *folder, const char *suffix, kg__names *paths)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;

    *paths = (kg__names){ 0 };
    if (listing == NULL)
        return;
    while ((entry = readdir(listing)) != NULL) {
        char path[2 * KG__PATH_SIZE];

        kg__format_path(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (kg__ends_with(entry->d_name, suffix) && kg__file_is_program(path))
            kg__names_add(paths, path);
    }
    closedir(listing);
    if (paths->count > 0)
        qsort(paths->items, paths->count, sizeof *paths->items, kg__compare_names);
}

static bool has_programs(const char *folder)
{
    static const char *const suffixes[] = { KG__GPU_SUFFIX, KG__MODEL_SUFFIX };
    size_t count = 0;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        kg__names paths;

        kg__find_programs(folder, suffixes[i], &paths);
        count += paths.count;
        kg__names_free(&paths);
    }
    return count > 0;
}

void kg__own_build(char *folder, size_t size)
{
    static const char path_in_build[] = "/harness/cli/kernelgate";
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);

    folder[length > 0 ? length : 0] = '\0';
    folder[kg__ends_with(folder, path_in_build) ? strlen(folder) - strlen(path_in_build) : 0] =
        '\0';
}

char *kg__lift_filter(void)
{
    const char *set = getenv("KG_FILTER");
    char *filter = set != NULL ? kg__copy_text(set) : NULL;

    (void)unsetenv("KG_FILTER");
    return filter;
}

void kg__restore_filter(char *filter)
{
    if (filter != NULL)
        (void)setenv("KG_FILTER", filter, 1);
    free(filter);
}

bool kg__find_build(const char *command, const char *named_folder, char *folder, size_t size)
{
    static const char *const default_folders[] = { "build/gpu", "build/cpu", "build" };

    if (named_folder != NULL) {
        kg__format_path(folder, size, "%s", named_folder);
        if (has_programs(folder))
            return true;
        kg__complain("%s: %s has no program of a comparison (NAME.gpu, NAME.model): build them "
                     "there, or name another folder with --build",
                     command, named_folder);
        return false;
    }
    kg__own_build(folder, size);
    if (*folder != '\0' && has_programs(folder))
        return true;
    for (size_t i = 0; i < sizeof default_folders / sizeof *default_folders; i++) {
        kg__format_path(folder, size, "%s", default_folders[i]);
        if (has_programs(folder))
            return true;
    }
    kg__complain("%s: no program of a comparison in build/gpu, build/cpu or build: build them "
                 "(cmake --workflow --preset cpu), or name their folder with --build",
                 command);
    return false;
}

void kg__program_comparison(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *begin = slash != NULL ? slash + 1 : path;
    const char *end = strrchr(begin, '.');

    kg__format(name, size, "%.*s", (int)(end != NULL ? end - begin : (long)strlen(begin)), begin);
}
