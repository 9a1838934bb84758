/* SPDX-License-Identifier: MIT */
#include "tests/fakes/fake_plan.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "records/records.h"

int fake_process_number(const char *variable)
{
    const char *path = getenv(variable);
    int file = path != NULL ? open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    char text[4096];
    ssize_t length;
    int number = 0;

    if (file < 0)
        return 1;
    if (write(file, "started\n", 8) != 8)
        exit(9);
    length = pread(file, text, sizeof text, 0);
    close(file);
    for (ssize_t i = 0; i < length; i++)
        number += text[i] == '\n';
    return number;
}

void fake_follow_plan(const char *variable, int process, const char *id,
                      void (*follow)(void *context, char *actions), void *context)
{
    const char *path = getenv(variable);
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    char line[512];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char wanted[16];
        char pattern[64];
        int used = 0;

        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%15s %63s %n", wanted, pattern, &used) == 2 &&
            (strcmp(wanted, "*") == 0 || atoi(wanted) == process) && fnmatch(pattern, id, 0) == 0)
            follow(context, line + used);
    }
    if (file != NULL)
        fclose(file);
}

void fake_report(int records, const char *event, const char *id, const char *why)
{
    json_t *record = json_pack("{s:s}", "event", event);

    if (id != NULL)
        json_object_set_new(record, "case", json_string(id));
    if (why != NULL)
        json_object_set_new(record, "why", json_string(why));
    if (!kg__record_append(records, record, NULL))
        exit(9);
}
