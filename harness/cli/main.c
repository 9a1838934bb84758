/* The command `kernelgate`: runs the subcommands that are written in C. All others, help and the
 * manual page are Python programs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "cli/baseline_query.h"
#include "cli/command.h"
#include "cli/kernel_queries.h"
#include "cli/run_query.h"
#include "cli/tool.h"
#include "suite/settings.h"

static const kg__command *const commands[] = {
    &kg__settle_command,
    &kg__judge_command,
    NULL,
};

static const kg__command *find_command(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int print_help(const kg__command *command)
{
    printf("usage: kernelgate %s [OPTION...]%s%s\n\n%s.\n\n", command->name,
           *command->operands != '\0' ? " " : "", command->operands, command->summary);
    for (const kg__option *option = command->options; option->name != NULL; option++) {
        char shown[64];

        kg__format(shown, sizeof shown, "%s%s%s", option->name, option->value != NULL ? " " : "",
                   option->value != NULL ? option->value : "");
        printf("  %-20s %s\n", shown, option->help);
    }
    if (*command->details != '\0')
        printf("\n%s", command->details);
    return kg__flush_output("help") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

static bool is_help_flag(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

/* Whether the arguments ask for help, right after a command's one or two words: further on it may
 * be the value of an option. */
static bool is_help(size_t count, char **arguments)
{
    return count == 0 || strcmp(arguments[0], "help") == 0 || is_help_flag(arguments[0]) ||
           (count > 1 && is_help_flag(arguments[1])) ||
           (count > 2 && *arguments[1] != '-' && is_help_flag(arguments[2]));
}

/* Whether the settings of a run, which every subcommand takes, are good; complains if not. */
static bool check_settings(void)
{
    kg__error error = { "" };

    if (kg__settings_are_valid(&error))
        return true;
    kg__complain("%s", error.text);
    return false;
}

static int run_command(const kg__command *command, size_t count, char **arguments)
{
    size_t operands = 0;
    bool help = false;

    if (!kg__parse_arguments(command, count, arguments, &operands, &help))
        return KG__EXIT_ERROR;
    if (help)
        return print_help(command);
    return check_settings() ? command->run(operands, arguments) : KG__EXIT_ERROR;
}

/* Whatever is opened later must not become a standard stream that was closed: what is written to
 * one fails. */
static void fill_closed_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    size_t count = argc > 0 ? (size_t)argc - 1 : 0;
    char **arguments = argv + 1;
    const char *first = count > 0 ? arguments[0] : "";
    const kg__command *command = find_command(first);

    fill_closed_streams();
    if (command != NULL)
        return run_command(command, count - 1, arguments + 1);
    if (count == 1 && strcmp(first, "--version") == 0) {
        printf("kernelgate %s\n", KG__VERSION);
        return kg__flush_output("version") ? KG__EXIT_PASS : KG__EXIT_ERROR;
    }
    if (count == 1 && strcmp(first, "--occupancies") == 0)
        return kg__answer_occupancies();
    if (count == 1 && strcmp(first, "--fingerprints") == 0)
        return kg__answer_fingerprints();
    if (count == 2 && strcmp(first, "--kernels") == 0)
        return kg__print_kernels(arguments[1]);
    if (strcmp(first, "--run") == 0)
        return kg__answer_run(count - 1, arguments + 1);
    if (strcmp(first, "--baseline") == 0)
        return kg__answer_baselines(count - 1, arguments + 1);
    if (getenv("KG__ASKED") != NULL) {
        kg__complain("%s: the Python programs of another version ask for it: install kernelgate "
                     "again",
                     first);
        return KG__EXIT_ERROR;
    }
    if (!is_help(count, arguments) && !check_settings())
        return KG__EXIT_ERROR;
    return kg__run_tool("__main__.py", count, arguments);
}
