/* SPDX-License-Identifier: MIT */
#include "base/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What takes a terminal back to the begin of the line, and empties it. */
#define CLEAR_LINE "\r\033[K"

/* The bits that mark the bytes of a character after its first one. */
#define UTF8_KIND 0xc0U
#define UTF8_CONTINUED 0x80U

void kg__format_list(char *text, size_t size, const char *format, va_list arguments)
{
    static const char mark[] = "...";
    int length = vsnprintf(text, size, format, arguments);

    if (length >= 0 && (size_t)length >= size && size > sizeof mark) {
        size_t end = size - sizeof mark;

        /* Half a character would make no UTF-8 of the text, and no document would take it. */
        while (end > 0 && ((unsigned char)text[end] & UTF8_KIND) == UTF8_CONTINUED)
            end--;
        memcpy(text + end, mark, sizeof mark);
    }
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == '\177')
            *c = ' ';
    }
}

bool kg__fail(kg__error *error, const char *format, ...)
{
    if (error != NULL)
        KG__FORMAT_REST(error->text, sizeof error->text, format);
    return false;
}

void kg__format(char *text, size_t size, const char *format, ...)
{
    KG__FORMAT_REST(text, size, format);
}

void kg__append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);

    KG__FORMAT_REST(text + used, size - used, format);
}

void kg__format_path(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < size)
        return;
    kg__complain("%.200s...: this path is longer than %zu bytes: choose a shorter one", text,
                 size - 1);
    exit(2);
}

void kg__disarm(char *text)
{
    bool leading = true; /* nothing that is seen is before it in its line */

    for (char *c = text; *c != '\0'; c++) {
        if (leading && c[0] == ':' && c[1] == ':')
            c[1] = ' ';
        if (strncmp(c, "##[", 3) == 0)
            c[1] = ' ';
        leading = *c == '\n' || *c == '\r' || (leading && (*c <= ' ' || *c > '~'));
    }
}

static bool bar_is_shown(void)
{
    return getenv(KG__BAR_SETTING) != NULL && isatty(STDERR_FILENO) != 0;
}

void kg__complain(const char *format, ...)
{
    char text[KG__MESSAGE_SIZE];

    KG__FORMAT_REST(text, sizeof text, format);
    kg__disarm(text);
    /* In one call, which is one write: another process may be drawing the bar. */
    fprintf(stderr, "%skernelgate: %s\n", bar_is_shown() ? CLEAR_LINE : "", text);
}

void *kg__allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size > 0 ? size : 1);

    if (memory == NULL) {
        kg__complain("out of host memory for %zu items of %zu bytes: free some memory", count,
                     size);
        exit(2);
    }
    return memory;
}

void *kg__grow(void *items, size_t count, size_t *capacity, size_t size)
{
    void *larger;

    if (count < *capacity)
        return items;
    *capacity = *capacity == 0 ? 64 : 2 * *capacity;
    larger = kg__allocate(*capacity, size);
    if (count > 0)
        memcpy(larger, items, count * size);
    free(items);
    return larger;
}

char *kg__copy_text(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(kg__allocate(size, 1), text, size);
}
