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
