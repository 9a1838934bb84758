#include "base/source_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"

#define KERNEL "__global__"
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+"

const char *kg__source_name(const char *home, const char *file)
{
    size_t length = strlen(home);

    if (strncmp(file, home, length) != 0 || file[length] != '/')
        return file;
    return file + length + 1;
}

/* Whether a path cannot lead out of the folder that it is below. */
static bool stays_below(const char *file)
{
    if (*file == '/' || *file == '\0')
        return false;
    for (const char *step = file; step != NULL; step = strchr(step, '/')) {
        step += *step == '/';
        if (strncmp(step, "..", 2) == 0 && (step[2] == '/' || step[2] == '\0'))
            return false;
    }
    return true;
}

/* Opens a regular file below a folder; NULL where it is not there. */
static FILE *open_below(const char *folder, const char *file)
{
    size_t size = strlen(folder) + strlen(file) + 2;
    const char *cause;
    FILE *stream;
    char *path;

    if (!stays_below(file))
        return NULL;
    path = kg__allocate(size, 1);
    snprintf(path, size, "%s/%s", folder, file);
    stream = kg__file_stream(path, &cause);
    free(path);
    return stream;
}

static bool is_comment(const char *line)
{
    line += strspn(line, " \t");
    return strncmp(line, "//", 2) == 0 || *line == '*' || strncmp(line, "/*", 2) == 0;
}

bool kg__source_line_with(const char *folder, const char *file, const char *text,
                          kg__source_line *source)
{
    FILE *stream = open_below(folder, file);
    char *line = NULL;
    size_t capacity = 0;
    size_t number = 0;
    bool matched = false;

    if (stream == NULL)
        return false;
    while (!matched && getline(&line, &capacity, stream) >= 0) {
        number++;
        matched = strstr(line, text) != NULL && !is_comment(line);
    }
    free(line);
    fclose(stream);
    kg__format(source->file, sizeof source->file, "%s", file);
    source->line = matched ? number : 1;
    return true;
}

bool kg__source_of_case(const char *folder, const char *id, kg__source_line *source)
{
    size_t comparison = strspn(id, NAME_CHARACTERS);
    size_t variant = id[comparison] == '/' ? strspn(id + comparison + 1, NAME_CHARACTERS) : 0;
    char file[sizeof source->file];

    if (comparison == 0 || comparison + variant + 32 > sizeof file)
        return false;
    while (variant > 0) {
        kg__format(file, sizeof file, "kernels/%.*s/%.*s.cu", (int)comparison, id, (int)variant,
                   id + comparison + 1);
        if (kg__source_line_with(folder, file, KERNEL, source))
            return true;
        do
            variant--;
        while (variant > 0 && id[comparison + 1 + variant] != '_');
    }
    return false;
}
