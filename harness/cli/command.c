#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

const char *kg__results_folder(const char *folder)
{
    const char *set = getenv("KG_OUT");

    if (folder != NULL)
        return folder;
    return set != NULL && *set != '\0' ? set : "out";
}

static bool narrates_to_stderr;

FILE *kg__progress_stream(void)
{
    return narrates_to_stderr ? stderr : stdout;
}

void kg__progress_to_stderr(void)
{
    narrates_to_stderr = true;
}

bool kg__flush_output(const char *command)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    kg__complain("%s: the standard output cannot be written: redirect it elsewhere", command);
    return false;
}

static const kg__option *find_option(const kg__command *command, const char *name, size_t length)
{
    for (const kg__option *option = command->options; option->name != NULL; option++)
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

static bool refuse_option(const kg__command *command, const char *name)
{
    const char *names[32];
    const char *nearest;
    size_t count = 0;

    for (const kg__option *option = command->options; option->name != NULL && count < 31; option++)
        names[count++] = option->name;
    names[count++] = "--help";
    nearest = kg__nearest_name(name, names, count);
    if (nearest != NULL)
        kg__complain("%s: unknown option %s; did you mean %s? See `kernelgate help %s`",
                     command->name, name, nearest, command->name);
    else
        kg__complain("%s: unknown option %s: see `kernelgate help %s`", command->name, name,
                     command->name);
    return false;
}

/* Where an option's value goes; a repeated option appends. NULL, with a complaint, if there are too
 * many. */
static const char **find_value(const kg__command *command, const kg__option *option)
{
    size_t count = 0;

    if (command->repeated == NULL || strcmp(command->repeated, option->name) != 0)
        return option->text;
    while (count < KG__REPEATS_MAXIMUM && option->text[count] != NULL)
        count++;
    if (count < KG__REPEATS_MAXIMUM)
        return &option->text[count];
    kg__complain("%s: option %s is given more than %d times: omit some", command->name,
                 option->name, KG__REPEATS_MAXIMUM);
    return NULL;
}

/* Takes the option at arguments[*at], and its value. */
static bool take_option(const kg__command *command, size_t count, char **arguments, size_t *index)
{
    const char *argument = arguments[*index];
    const char *equals = strchr(argument, '=');
    size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const kg__option *option = find_option(command, argument, length);
    const char **value;

    if (option == NULL)
        return refuse_option(command, argument);
    if (option->flag != NULL) {
        if (equals != NULL) {
            kg__complain("%s: option %s takes no value", command->name, option->name);
            return false;
        }
        *option->flag = true;
        return true;
    }
    value = find_value(command, option);
    if (value == NULL)
        return false;
    if (equals != NULL)
        *value = equals + 1;
    else if (*index + 1 < count)
        *value = arguments[++*index];
    else
        *value = "";
    if (**value != '\0')
        return true;
    kg__complain("%s: option %s needs a value: %s %s", command->name, option->name, option->name,
                 option->value);
    return false;
}

bool kg__parse_arguments(const kg__command *command, size_t count, char **arguments,
                         size_t *operands, bool *help)
{
    bool options_end = false;

    *operands = 0;
    for (size_t i = 0; i < count; i++) {
        char *argument = arguments[i];

        if (options_end || *argument != '-' || strcmp(argument, "-") == 0) {
            arguments[(*operands)++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            options_end = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            *help = true;
            return true;
        } else if (!take_option(command, count, arguments, &i)) {
            return false;
        }
    }
    if (*operands > 0 && !command->takes_operands) {
        kg__complain("%s: takes no \"%s\": see `kernelgate help %s`", command->name, arguments[0],
                     command->name);
        return false;
    }
    return true;
}
