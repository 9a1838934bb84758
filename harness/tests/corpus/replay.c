/* SPDX-License-Identifier: MIT */
/* Makes a program's observers replay records instead of observing. $CORPUS_RECORDS/STEM.jsonl has
 * what all processes wrote whose records the parent calls STEM.jsonl, STEM.1.jsonl, ..., one after
 * the other: the Nth process replays the Nth section, which begins with the event "target",
 * "unavailable" or "broken". A process that did not end well has {"event":"ends","code":N} last,
 * "signal":N, or "silent":1 for one that hung. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_SIZE ((size_t)1 << 20)

static const char ends[] = "{\"event\":\"ends\"";

static void stop(const char *what, const char *path)
{
    fprintf(stderr, "replay: %s: %s\n", path, what);
    _exit(9);
}

/* Which process of its stem this is, from 1 on: the log beside the records has a byte for each. */
static long process_number(const char *stem)
{
    char log[8192];
    int file;
    long number;

    snprintf(log, sizeof log, "%s.replayed", stem);
    file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, "x", 1) != 1)
        stop("cannot be written", log);
    number = (long)lseek(file, 0, SEEK_END);
    close(file);
    return number;
}

static int begins_section(const char *line)
{
    static const char *const events[] = { "target", "unavailable", "broken" };
    char start[64];

    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        snprintf(start, sizeof start, "{\"event\":\"%s\"", events[i]);
        if (strncmp(line, start, strlen(start)) == 0)
            return 1;
    }
    return 0;
}

/* Ends this process as the line says. */
static void end_as(const char *line)
{
    const char *number = strrchr(line, ':');
    int value = number != NULL ? atoi(number + 1) : 9;

    while (strstr(line, "\"silent\"") != NULL)
        pause();
    if (strstr(line, "\"signal\"") == NULL)
        _exit(value);
    (void)signal(value, SIG_DFL);
    (void)raise(value);
}

static void replay(FILE *stored, long section, int records, const char *path)
{
    char *line = malloc(LINE_SIZE);
    long at = 0;

    while (line != NULL && fgets(line, (int)LINE_SIZE, stored) != NULL) {
        at += begins_section(line);
        if (at != section)
            continue;
        if (strncmp(line, ends, strlen(ends)) == 0)
            end_as(line);
        if (write(records, line, strlen(line)) != (ssize_t)strlen(line))
            stop("cannot be written", path);
    }
    free(line);
    if (at < section)
        stop("no process of this run is left to replay", path);
}

/* Runs before main(): an observer's arguments are --observe CASES --part PART --records FILE. */
__attribute__((constructor)) static void observe_again(int argc, char **argv)
{
    const char *folder = getenv("CORPUS_RECORDS");
    char stem[4096];
    char path[12288];
    char *end;
    FILE *stored;
    int records;

    if (folder == NULL || argc != 7 || strcmp(argv[1], "--observe") != 0)
        return;
    snprintf(stem, sizeof stem, "%s", argv[6]);
    if ((end = strrchr(stem, '.')) != NULL)
        *end = '\0';
    if ((end = strrchr(stem, '.')) != NULL && strspn(end + 1, "0123456789") == strlen(end + 1))
        *end = '\0';
    end = strrchr(stem, '/');
    snprintf(path, sizeof path, "%s/%s.jsonl", folder, end != NULL ? end + 1 : stem);
    stored = fopen(path, "r");
    records = open(argv[6], O_WRONLY | O_APPEND);
    if (stored == NULL || records < 0)
        stop("cannot be read", path);
    replay(stored, process_number(stem), records, path);
    _exit(0);
}
