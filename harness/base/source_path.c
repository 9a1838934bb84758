#include "base/source_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"

#define KERNEL "__global__"
#define DIGITS "0123456789"
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "_-+"

/* The longest line number that is believed. */
#define LINE_DIGITS 7

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

static bool is_source(const char *file)
{
    static const char *const ends[] = { ".cu", ".cuh", ".c", ".h", ".cpp", NULL };
    const char *dot = strrchr(file, '.');

    if (dot == NULL || dot == file)
        return false;
    for (const char *const *end = ends; *end != NULL; end++) {
        if (strcmp(dot, *end) == 0)
            return true;
    }
    return false;
}

static bool is_path_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= '9') || c == '_' ||
           c == '+';
}

/* The length of the run of a path's characters at the front of a text. */
static size_t path_length(const char *text)
{
    size_t length = 0;

    while (is_path_character(text[length]))
        length++;
    return length;
}

size_t kg__source_skip(const char *text)
{
    size_t length = path_length(text);

    return length > 0 ? length : 1;
}

size_t kg__source_place(const char *text, kg__source_line *source)
{
    size_t length = path_length(text);
    size_t digits;

    /* A sentence may end after a path. */
    while (length > 0 && text[length - 1] == '.')
        length--;
    if (length >= sizeof source->file)
        return 0;
    memcpy(source->file, text, length);
    source->file[length] = '\0';
    source->line = 0;
    if (!is_source(source->file))
        return 0;
    digits = text[length] == ':' ? strspn(text + length + 1, DIGITS) : 0;
    if (digits == 0 || digits > LINE_DIGITS)
        return length;
    source->line = strtoul(text + length + 1, NULL, 10);
    return length + 1 + digits;
}

/* Whether a place is one of a source file that is below a folder. */
static bool is_there(const char *folder, const kg__source_line *source)
{
    FILE *stream = strchr(source->file, '/') != NULL ? open_below(folder, source->file) : NULL;

    if (stream != NULL)
        fclose(stream);
    return stream != NULL;
}

bool kg__source_mentioned(const char *folder, const char *text, kg__source_line *source)
{
    kg__source_line unnumbered = { "", 0 };

    for (; *text != '\0'; text += kg__source_skip(text)) {
        if (kg__source_place(text, source) > 0 && is_there(folder, source)) {
            if (source->line > 0)
                return true;
            if (unnumbered.file[0] == '\0')
                unnumbered = *source;
        }
    }
    return unnumbered.file[0] != '\0' &&
           kg__source_line_with(folder, unnumbered.file, KERNEL, source);
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
