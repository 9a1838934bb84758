/* SPDX-License-Identifier: MIT */
#include "records/records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

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

    *reader = (kg__record_reader){ .file = kg__file_stream(path, &cause) };
    return reader->file != NULL ||
           kg__fail(error, "%s: cannot be opened: %s: check the path and its permissions", path,
                    cause);
}

json_t *kg__record_next(kg__record_reader *reader)
{
    while (reader->file != NULL) {
        off_t begin = ftello(reader->file);
        ssize_t length = getline(&reader->text, &reader->capacity, reader->file);
        json_t *record;

        reader->torn = length > 0 && reader->text[length - 1] != '\n';
        if (length <= 0 || reader->torn) {
            /* The rest may be written later; the line is read again then. */
            (void)fseeko(reader->file, begin, SEEK_SET);
            return NULL;
        }
        record = json_loadb(reader->text, (size_t)length - 1, JSON_REJECT_DUPLICATES, NULL);
        reader->line++;
        if (json_is_object(record))
            return record;
        json_decref(record);
        reader->bad_lines++;
    }
    return NULL;
}

void kg__record_close(kg__record_reader *reader)
{
    if (reader->file != NULL)
        fclose(reader->file);
    free(reader->text);
    *reader = (kg__record_reader){ 0 };
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
