/* SPDX-License-Identifier: MIT */
#include "tests/fakes/drive.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/message.h"

static kg__pool pool;

static void free_pool(void)
{
    kg__pool_free(&pool);
}

kg__pool *test_pool(void)
{
    if (pool.items == NULL)
        cr_assert(atexit(free_pool) == 0);
    return &pool;
}

json_t *keep_json(json_t *document)
{
    cr_assert(document != NULL);
    kg__json_keep(test_pool(), document);
    return document;
}

char *keep_text(char *text)
{
    kg__pool_keep(test_pool(), text, free);
    return text;
}

static char folder[256];

void make_folder(void)
{
    const char *base = getenv("TMPDIR");

    kg__format(folder, sizeof folder, "%s/kernelgate-test.XXXXXX",
               base != NULL && base[0] != '\0' ? base : "/tmp");
    cr_assert(mkdtemp(folder) != NULL, "%s: %s", folder, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *walk)
{
    (void)facts;
    (void)type;
    (void)walk;
    return remove(path);
}

void remove_folder(void)
{
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *at(const char *name)
{
    static char paths[16][512];
    static int next;
    char *path = paths[next++ % 16];

    kg__format(path, sizeof paths[0], "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
    return path;
}

void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert(file != NULL, "%s: %s", path, strerror(errno));
    cr_assert(fputs(text, file) >= 0);
    cr_assert(fclose(file) == 0);
}

static char *read_stream(FILE *stream)
{
    size_t room = 4096;
    size_t length = 0;
    char *text = kg__allocate(room, 1);
    size_t got;

    while ((got = fread(text + length, 1, room - 1 - length, stream)) > 0) {
        char *larger;

        length += got;
        if (length < room - 1)
            continue;
        room *= 2;
        larger = kg__allocate(room, 1);
        memcpy(larger, text, length);
        free(text);
        text = larger;
    }
    text[length] = '\0';
    return keep_text(text);
}

char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text;

    cr_assert(file != NULL, "%s: %s", path, strerror(errno));
    text = read_stream(file);
    cr_assert(fclose(file) == 0);
    return text;
}

bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *quote(const char *text)
{
    char *quoted = keep_text(kg__copy_text(text));

    for (char *c = quoted; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    return quoted;
}

json_t *json_of(const char *text)
{
    char *quoted = quote(text);
    json_error_t error;
    json_t *json = json_loads(quoted, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

    cr_assert(json != NULL, "%s: %s", quoted, error.text);
    return keep_json(json);
}

size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *found = strstr(text, part); found != NULL; found = strstr(found + 1, part))
        count++;
    return count;
}

char *output_of(const char *command)
{
    FILE *stream;
    char *text;

    /* Criterion's worker finds its arena by it, and any other program would end at its start. */
    (void)unsetenv("BXFI_MAP");
    stream = popen(command, "r");
    cr_assert(stream != NULL, "%s: %s", command, strerror(errno));
    text = read_stream(stream);
    cr_assert(pclose(stream) == 0, "%s: %s", command, text);
    return text;
}

json_t *read_json(const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    cr_assert(document != NULL, "%s:%d: %s", path, error.line, error.text);
    return keep_json(document);
}

json_t *read_rows(const char *path)
{
    char *text = read_text(path);
    json_t *rows = keep_json(json_array());
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        cr_assert(json_array_append_new(rows, json_loads(line, 0, NULL)) == 0, "%s", line);
    return rows;
}
