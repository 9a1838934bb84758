/* SPDX-License-Identifier: MIT */
/* Records: appending whole lines, and reading a file that is still growing, or was torn. */
#include "records/records.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "tests/fakes/drive.h"

static kg__error error;

static int file;
static kg__record_reader reader;

static void make_file(void)
{
    make_folder();
    file = open(at("records.jsonl"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    cr_assert(file >= 0);
    cr_assert(kg__record_open(&reader, at("records.jsonl"), &error), "%s", error.text);
}

static void remove_file(void)
{
    kg__record_close(&reader);
    close(file);
    remove_folder();
}

TestSuite(records, .init = make_file, .fini = remove_file);

static void append(json_t *record)
{
    cr_assert(kg__record_append(file, record, &error), "%s", error.text);
}

static void append_text(const char *text)
{
    cr_assert(write(file, text, strlen(text)) == (ssize_t)strlen(text));
}

/* Expects the next record to be of this event. */
static void expect_event(const char *event)
{
    cr_expect_str_eq(kg__json_text(keep_json(kg__record_next(&reader)), "event"), event);
}

Test(records, what_is_appended_is_read)
{
    append(json_pack("{s:s, s:s}", "event", "start", "case", "a/b/1/-"));
    append(json_pack("{s:s, s:f, s:b, s:s}", "event", "measured", "value", 0.1, "throttled", 0,
                     "why", "two\nlines, \xC3\xA4 \"quoted\""));

    expect_event("start");
    cr_expect(reader.line == 1);

    json_t *record = keep_json(kg__record_next(&reader));

    cr_expect(json_real_value(json_object_get(record, "value")) == 0.1, "to the last digit");
    cr_expect(json_is_false(json_object_get(record, "throttled")));
    cr_expect_str_eq(kg__json_text(record, "why"), "two\nlines, \xC3\xA4 \"quoted\"");
    cr_expect(reader.line == 2);
    cr_expect_null(kg__record_next(&reader));
    cr_expect_not(reader.torn);
    cr_expect(reader.bad_lines == 0);
}

Test(records, a_record_is_one_line)
{
    struct stat status;

    append(json_pack("{s:s}", "why", "a\nb"));
    cr_assert(fstat(file, &status) == 0);
    cr_expect(status.st_size == (off_t)strlen("{\"why\":\"a\\nb\"}\n"));
}

Test(records, appending_takes_the_reference)
{
    json_t *record = json_pack("{s:s}", "event", "done");
    json_t *array = json_array();

    json_incref(record);
    append(record);
    cr_expect(record->refcount == 1);
    json_decref(record);
    json_incref(array);
    cr_expect_not(kg__record_append(file, array, &error));
    cr_expect(array->refcount == 1, "on failure too");
    json_decref(array);
}

Test(records, what_is_no_record_is_not_appended)
{
    struct stat status;

    cr_expect_not(kg__record_append(file, NULL, &error));
    cr_expect_not_null(strstr(error.text, "not a JSON object"));
    cr_expect_not(kg__record_append(file, json_integer(1), &error));
    /* A NaN is not JSON, so that a record that was to hold one is not a record. */
    cr_expect_not(kg__record_append(file, json_pack("{s:f}", "value", NAN), &error));
    cr_assert(fstat(file, &status) == 0);
    cr_expect(status.st_size == 0);
}

Test(records, a_file_that_cannot_be_written)
{
    int closed = open(at("records.jsonl"), O_RDONLY);

    cr_expect_not(kg__record_append(closed, json_pack("{s:s}", "event", "done"), &error));
    cr_expect_not_null(strstr(error.text, "a record cannot be written: Bad file descriptor"), "%s",
                       error.text);
    close(closed);
    cr_expect_not(kg__record_append(-1, json_pack("{s:s}", "event", "done"), NULL));
}

/* A limit on the size of files stands for a disk that fills in the midst of a line. */
Test(records, a_record_that_is_written_in_part)
{
    struct rlimit limit = { 0, 0 };
    struct rlimit small;

    cr_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    small = limit;
    small.rlim_cur = 5;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(setrlimit(RLIMIT_FSIZE, &small) == 0);

    bool whole = kg__record_append(file, json_pack("{s:s}", "event", "done"), &error);

    cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    cr_expect_not(whole);
    cr_expect_not_null(strstr(error.text, "written in part, 5 of 17 bytes"), "%s", error.text);

    cr_expect_null(kg__record_next(&reader));
    cr_expect(reader.torn);
}

Test(records, an_empty_file_has_none)
{
    cr_expect_null(kg__record_next(&reader));
    cr_expect_null(kg__record_next(&reader));
    cr_expect_not(reader.torn);
    cr_expect(reader.line == 0 && reader.bad_lines == 0);
    kg__record_close(&reader);
    cr_expect_null(kg__record_next(&reader), "a closed reader has none either");
    kg__record_close(&reader);
}

Test(records, a_line_counts_once_it_is_whole)
{
    static const char line[] = "{\"event\": \"start\", \"case\": \"a/b/1/-\"}\n";

    /* Byte by byte, with a look after each. */
    for (size_t i = 0; i + 1 < sizeof line; i++) {
        cr_assert_null(kg__record_next(&reader), "after %zu bytes", i);
        cr_assert(reader.torn == (i > 0));
        cr_assert(write(file, line + i, 1) == 1);
    }
    expect_event("start");
    cr_expect_not(reader.torn);
    append_text("{\"event\": \"done\"}\n{\"event\": \"la");
    expect_event("done");
    cr_expect_null(kg__record_next(&reader));
    cr_expect(reader.torn);
    append_text("st\"}\n");
    expect_event("last");
    cr_expect(reader.line == 3);
}

Test(records, bad_lines_are_skipped_and_counted)
{
    append_text("{\"event\": \"first\"}\n"
                "\n"
                "[1, 2]\n"
                "{\"event\": \"torn\", \"ca{\"event\": \"start\"}\n"
                "{\"a\": 1, \"a\": 2}\n"
                "{\"value\": NaN}\n"
                "\377\376\n"
                "{\"event\": \"last\"}\n"
                "null\n");
    cr_assert(write(file, "{\"event\": \"nul\0\"}\n", 18) == 18);
    expect_event("first");
    cr_expect(reader.line == 1 && reader.bad_lines == 0);
    expect_event("last");
    cr_expect(reader.line == 8 && reader.bad_lines == 6);
    cr_expect_null(kg__record_next(&reader));
    cr_expect(reader.line == 10 && reader.bad_lines == 8);
    cr_expect_not(reader.torn);
}

static char *text_of_length(size_t length)
{
    char *text = kg__pool_array(test_pool(), length + 1, 1);

    return memset(text, 'x', length);
}

/* What was searched of a long line says nothing about the lines behind it. */
Test(records, a_short_line_behind_a_long_bad_one)
{
    append_text(text_of_length(100000));
    append_text("\n{\"event\": \"short\"}\n");
    expect_event("short");
    cr_expect(reader.bad_lines == 1 && reader.line == 2);
}

Test(records, long_lines)
{
    static const size_t sizes[] = { 1, 65000, 65536, 65537, 131072, 1 << 20, 5 << 20 };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *text = text_of_length(sizes[i]);

        append(json_pack("{s:s}", "why", text));
        cr_expect(strcmp(kg__json_text(keep_json(kg__record_next(&reader)), "why"), text) == 0,
                  "%zu bytes", sizes[i]);
        cr_expect_null(kg__record_next(&reader));
    }
}

/* Lines of several processes that append at once do not mix. */
Test(records, writers_at_the_same_time)
{
    enum { WRITERS = 4, RECORDS = 500 };
    int seen[WRITERS] = { 0 };

    for (int writer = 0; writer < WRITERS; writer++) {
        pid_t child = fork();

        cr_assert(child >= 0);
        if (child == 0) {
            for (int i = 0; i < RECORDS; i++) {
                if (!kg__record_append(file, json_pack("{s:i, s:i}", "writer", writer, "number", i),
                                       NULL))
                    _exit(1);
            }
            _exit(0);
        }
    }

    int running = WRITERS;

    while (running > 0 || reader.line < (size_t)WRITERS * RECORDS) {
        json_t *record = kg__record_next(&reader);
        int status;

        if (record != NULL) {
            int writer = (int)json_integer_value(json_object_get(record, "writer"));

            cr_assert(json_integer_value(json_object_get(record, "number")) == seen[writer]);
            seen[writer]++;
            json_decref(record);
        } else if (running > 0) {
            cr_assert(wait(&status) > 0);
            cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            running--;
        } else {
            cr_assert_fail("%zu lines only", reader.line);
        }
    }
    cr_expect(reader.bad_lines == 0);
}

Test(records, paths_that_hold_no_records)
{
    static const char *const rows[][2] = {
        { "no.jsonl", "no.jsonl: cannot be opened: No such file" },
        { "", "it is not a regular file" },
    };

    kg__record_close(&reader);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_not(kg__record_open(&reader, at(rows[i][0]), &error));
        cr_expect_not_null(strstr(error.text, rows[i][1]), "%s", error.text);
        cr_expect_null(kg__record_next(&reader));
        cr_expect_not(reader.torn);
        kg__record_close(&reader);
    }
}

Test(records, texts_of_records)
{
    static const char *const empty[] = { "number", "null", "empty", "missing" };
    json_t *record = json_of("{'case': 'a/b/1/-', 'number': 7, 'null': null, 'empty': ''}");

    cr_expect_str_eq(kg__json_text(record, "case"), "a/b/1/-");
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        cr_expect_str_eq(kg__json_text(record, empty[i]), "");
    cr_expect_str_eq(kg__json_text(NULL, "case"), "");
}

Test(records, samples_are_thinned_evenly_to_eighths)
{
    double many[1000];
    json_t *list;

    for (int i = 0; i < 1000; i++)
        many[i] = 1000.01 + i;
    list = keep_json(kg__record_samples(many, 1000));
    cr_assert(json_array_size(list) == KG__RECORD_SAMPLES);
    cr_expect(json_number_value(json_array_get(list, 0)) == 1000.0);
    cr_expect(json_number_value(json_array_get(list, KG__RECORD_SAMPLES - 1)) == 1999.0);
    list = keep_json(kg__record_samples((const double[]){ 3835.36, NAN, 1.0 / 16 }, 3));
    cr_assert(json_array_size(list) == 2, "what is not a number is left out");
    cr_expect(json_number_value(json_array_get(list, 0)) == 3835.375);
    cr_expect(json_array_size(keep_json(kg__record_samples(many, 1))) == 1);
    cr_expect(json_array_size(keep_json(kg__record_samples(NULL, 0))) == 0);
}

Test(records, a_string_of_any_bytes_is_valid_json)
{
    json_t *string = keep_json(kg__json_clean_string("one\ntwo \xff"));

    cr_assert(json_is_string(string));
    cr_assert(strchr(json_string_value(string), '\n') == NULL);
    cr_assert(json_string("one\ntwo \xff") == NULL);
}
