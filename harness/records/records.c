/* SPDX-License-Identifier: MIT */
#include "records/records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* Bytes per read(). */
#define CHUNK ((size_t)64 << 10)

bool kg__record_append(int file, json_t *record, kg__error *error)
{
    char *line = json_is_object(record) ? json_dumps(record, JSON_COMPACT) : NULL;
    ssize_t written;

    json_decref(record);
    if (line == NULL)
        return kg__fail(error, "a record is not a JSON object and was not written: report this");

    /* The newline replaces the terminating NUL. */
    size_t size = strlen(line) + 1;

    line[size - 1] = '\n';
    do {
        written = write(file, line, size);
    } while (written < 0 && errno == EINTR);

    int cause = errno;

    free(line);
    if (written < 0)
        return kg__fail(error,
                        "a record cannot be written: %s: check the folder and its free space",
                        strerror(cause));
    if ((size_t)written < size)
        return kg__fail(error,
                        "a record was written in part, %zd of %zu bytes: free some disk space",
                        written, size);
    return true;
}

bool kg__record_open(kg__record_reader *reader, const char *path, kg__error *error)
{
    const char *cause;

    *reader = (kg__record_reader){ .file = kg__file_open(path, &cause) };
    return reader->file >= 0 ||
           kg__fail(error, "%s: cannot be opened: %s: check the path and its permissions", path,
                    cause);
}

/* Reads more of the file into the buffer; false at the file's present end. */
static bool read_more(kg__record_reader *reader)
{
    ssize_t got;

    if (reader->buffer != NULL && reader->consumed > 0) {
        reader->length -= reader->consumed;
        memmove(reader->buffer, reader->buffer + reader->consumed, reader->length);
        reader->consumed = 0;
    }
    if (reader->capacity - reader->length < CHUNK) {
        size_t capacity = 2 * reader->capacity + CHUNK;
        char *larger = kg__allocate(capacity, 1);

        if (reader->buffer != NULL)
            memcpy(larger, reader->buffer, reader->length);
        free(reader->buffer);
        reader->buffer = larger;
        reader->capacity = capacity;
    }
    do {
        got = read(reader->file, reader->buffer + reader->length, CHUNK);
    } while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    reader->length += (size_t)got;
    return true;
}

json_t *kg__record_next(kg__record_reader *reader)
{
    size_t searched = 0; /* bytes after the consumed ones that contain no newline */

    if (reader->file < 0)
        return NULL;
    for (;;) {
        size_t unread = reader->length - reader->consumed;
        char *line = NULL;
        char *end = NULL;

        if (reader->buffer != NULL && unread > searched) {
            line = reader->buffer + reader->consumed;
            end = memchr(line + searched, '\n', unread - searched);
        }
        if (end == NULL) {
            searched = unread;
            if (!read_more(reader))
                return NULL;
            continue;
        }

        json_t *record = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);

        reader->consumed += (size_t)(end - line) + 1;
        reader->line++;
        searched = 0;
        if (json_is_object(record))
            return record;
        json_decref(record);
        reader->bad_lines++;
    }
}

bool kg__record_torn(const kg__record_reader *reader)
{
    return reader->length > reader->consumed;
}

void kg__record_close(kg__record_reader *reader)
{
    if (reader->file >= 0)
        close(reader->file);
    free(reader->buffer);
    *reader = (kg__record_reader){ .file = -1 };
}

json_t *kg__record_samples(const double *samples, size_t count)
{
    static const double steps = 8;
    size_t shown = count < KG__RECORD_SAMPLES ? count : KG__RECORD_SAMPLES;
    json_t *list = json_array();

    for (size_t i = 0; i < shown; i++) {
        /* The first and the last sample are always chosen. */
        size_t index = shown > 1 ? i * (count - 1) / (shown - 1) : 0;

        if (isfinite(samples[index]))
            json_array_append_new(list, json_real(rint(steps * samples[index]) / steps));
    }
    return list;
}

bool kg__samples_read(kg__pool *pool, const json_t *list, const double **samples, size_t *count)
{
    double *read = kg__pool_array(pool, json_array_size(list), sizeof *read);

    *samples = read;
    *count = json_array_size(list);
    for (size_t i = 0; i < *count; i++) {
        if (!json_is_number(json_array_get(list, i)))
            return false;
        read[i] = json_number_value(json_array_get(list, i));
    }
    return json_is_array(list);
}
