/* SPDX-License-Identifier: MIT */
#include "programs/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_type { WHOLE, COUNT, SECONDS, PATH, SWITCH, ORDER } option_type;

typedef struct option_row {
    const char *name;
    option_type type;
    size_t offset; /* of its member */
} option_row;

#define MEMBER(member) offsetof(kg__program_options, member)

static const option_row rows[] = {
    { "exitcode", WHOLE, MEMBER(exitcode) },   { "log", PATH, MEMBER(log) },
    { "counters", PATH, MEMBER(counters) },    { "timeout", SECONDS, MEMBER(timeout) },
    { "leaks", SWITCH, MEMBER(leaks) },        { "summary", SWITCH, MEMBER(summary) },
    { "threads", COUNT, MEMBER(threads) },     { "sample", COUNT, MEMBER(sample) },
    { "progress", SECONDS, MEMBER(progress) }, { "order", ORDER, MEMBER(order) },
};
#define ROWS (sizeof rows / sizeof rows[0])

/* Values that a type takes, for messages. */
static const char *const values[] = {
    [WHOLE] = "a number from 0 to 255",
    [COUNT] = "a number from 1 to 255",
    [SECONDS] = "seconds, 0.1 to 1000000",
    [PATH] = "a path",
    [SWITCH] = "0 or 1",
    [ORDER] = "issued or reversed",
};

/* Sets the member of a row; false where the value is not of its type. */
static bool set(const option_row *row, const char *value, kg__program_options *options)
{
    void *member = (char *)options + row->offset;
    char *end;

    if (*value == '\0')
        return false;
    switch (row->type) {
    case COUNT:
    case WHOLE:
        *(int *)member = (int)strtoul(value, &end, 10);
        return *end == '\0' && strspn(value, "0123456789") <= 3 && *(int *)member <= 255 &&
               (*(int *)member > 0 || row->type == WHOLE) && *value != '-' && *value != '+';
    case SECONDS:
        *(double *)member = strtod(value, &end);
        return *end == '\0' && *(double *)member >= 0.1 && *(double *)member <= 1e6;
    case PATH:
        *(char **)member = kg__copy_text(value);
        return true;
    case SWITCH:
        *(bool *)member = *value == '1';
        return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
    case ORDER:
        *(kg__program_order *)member =
            strcmp(value, "reversed") == 0 ? KG__ORDER_REVERSED : KG__ORDER_ISSUED;
        return strcmp(value, "reversed") == 0 || strcmp(value, "issued") == 0;
    }
    return false;
}

/* Reads one option, "name=value", which it cuts. */
static bool read_option(char *text, kg__program_options *options, kg__error *error)
{
    char *equals = strchr(text, '=');
    char names[16 * ROWS] = "";

    if (equals != NULL)
        *equals = '\0';
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, text) != 0)
            continue;
        return (equals != NULL && set(&rows[i], equals + 1, options)) ||
               kg__fail(error, "KERNELGATE_OPTIONS: %s needs %s: write %s=VALUE", text,
                        values[rows[i].type], text);
    }
    for (size_t i = 0; i < ROWS; i++) {
        kg__append(names, sizeof names, "%s%s",
                   i == 0          ? ""
                   : i == ROWS - 1 ? " or "
                                   : ", ",
                   rows[i].name);
    }
    return kg__fail(error, "KERNELGATE_OPTIONS: unknown option \"%s\": use %s, separated by colons",
                    text, names);
}

bool kg__program_options_read(const char *text, kg__program_options *options, kg__error *error)
{
    char *copy = kg__copy_text(text != NULL ? text : "");
    char *rest = NULL;
    bool good = true;

    *options = (kg__program_options){ .exitcode = 66, .summary = true, .progress = 10 };
    for (char *option = strtok_r(copy, ":", &rest); good && option != NULL;
         option = strtok_r(NULL, ":", &rest))
        good = read_option(option, options, error);
    free(copy);
    return good;
}
