/* The command `kernelgate`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "cli/baseline_query.h"
#include "cli/command.h"
#include "cli/fingerprints.h"
#include "cli/manual.h"
#include "cli/occupancy.h"
#include "cli/tool.h"
#include "suite/settings.h"

/* The commands and the NULL that ends their list. */
#define COMMANDS_SIZE 32

/* In the order of the overview. */
static const kg__command *const commands[COMMANDS_SIZE] = {
    &kg__doctor_command,
    &kg__list_command,
    &kg__baseline_show_command,
    &kg__baseline_diff_command,
    &kg__baseline_lint_command,
    &kg__baseline_retire_command,
    &kg__baseline_record_command,
    &kg__baseline_adopt_command,
    &kg__begin_command,
    &kg__settle_command,
    &kg__results_command,
    &kg__report_command,
    &kg__compare_command,
    &kg__occupancy_command,
    &kg__import_command,
    &kg__judge_command,
    &kg__validate_command,
    &kg__selftest_command,
    &kg__tune_command,
    &kg__predict_command,
    NULL,
};

static void print_overview(FILE *stream)
{
    fputs("usage: kernelgate COMMAND [OPTION...]\n\n", stream);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(stream, "  %-16s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n`kernelgate help COMMAND` explains one; `kernelgate help --man` is the manual page,\n"
          "`kernelgate --version` the version.\n",
          stream);
}

static bool print_help(const kg__command *command)
{
    bool has_options = command->tool != NULL || command->options[0].name != NULL;

    printf("usage: kernelgate %s%s%s%s\n\n%s.\n", command->name, has_options ? " [OPTION...]" : "",
           *command->operands != '\0' ? " " : "", command->operands, command->summary);
    if (command->tool != NULL) {
        char *text = kg__tool_help(command);

        printf("\n%s", text != NULL ? text : "");
        free(text);
        return text != NULL;
    }
    for (const kg__option *option = command->options; option->name != NULL; option++) {
        char shown[64];

        kg__format(shown, sizeof shown, "%s%s%s", option->name, option->value != NULL ? " " : "",
                   option->value != NULL ? option->value : "");
        printf("%s  %-20s %s\n", option == command->options ? "\n" : "", shown, option->help);
    }
    if (*command->details != '\0')
        printf("\n%s", command->details);
    return true;
}

/* Finds the subcommand that the arguments begin with; `*words` becomes the number of words of its
 * name. */
static const kg__command *find_command(size_t count, char **arguments, size_t *words)
{
    char two[128] = "";

    if (count >= 2)
        kg__format(two, sizeof two, "%s %s", arguments[0], arguments[1]);
    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *name = commands[i]->name;

        *words = strchr(name, ' ') != NULL ? 2 : 1;
        if (count >= *words && strcmp(*words == 2 ? two : arguments[0], name) == 0)
            return commands[i];
    }
    return NULL;
}

/* Prints the subcommands whose names begin with `word`; false if there is none. */
static bool print_group(const char *word)
{
    size_t length = strlen(word);
    bool printed = false;

    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *name = commands[i]->name;

        if (strncmp(name, word, length) != 0 || name[length] != ' ')
            continue;
        if (!printed)
            printf("usage: kernelgate %s COMMAND [OPTION...]\n\n", word);
        printed = true;
        printf("  %-16s %s\n", name, commands[i]->summary);
    }
    return printed;
}

static int refuse_command(size_t count, char **arguments)
{
    const char *names[COMMANDS_SIZE];
    size_t name_count = 0;
    const char *nearest;
    char two[128] = "";
    char given[128];

    for (; commands[name_count] != NULL; name_count++)
        names[name_count] = commands[name_count]->name;
    kg__format(given, sizeof given, "%s", arguments[0]);
    if (count >= 2 && *arguments[1] != '-') {
        kg__format(two, sizeof two, "%s %s", arguments[0], arguments[1]);
        nearest = kg__nearest_name(two, names, name_count);
        /* If no command is like the two words, the second may be an operand of the first. */
        if (nearest != NULL && strchr(nearest, ' ') != NULL) {
            kg__complain("unknown command \"%s\"; did you mean \"%s\"? See `kernelgate help`", two,
                         nearest);
            return KG__EXIT_ERROR;
        }
    }
    /* The first word of a two-word command is nearer than a similar name. */
    nearest = NULL;
    for (size_t i = 0; i < name_count && nearest == NULL; i++) {
        size_t length = strlen(given);

        if (strncmp(names[i], given, length) == 0 && names[i][length] == ' ')
            nearest = names[i];
    }
    if (nearest == NULL)
        nearest = kg__nearest_name(given, names, name_count);
    if (nearest != NULL)
        kg__complain("unknown command \"%s\"; did you mean \"%s\"? See `kernelgate help`", given,
                     nearest);
    else
        kg__complain("unknown command \"%s\": see `kernelgate help`", given);
    return KG__EXIT_ERROR;
}

/* Whether a tool's arguments ask for help, before "--". */
static bool is_help(size_t count, char **arguments)
{
    for (size_t i = 0; i < count && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0)
            return true;
    return false;
}

/* The exit code after printing help. */
static int printed_help(void)
{
    return kg__flush_output("help") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

int main(int argc, char **argv)
{
    size_t count = argc > 0 ? (size_t)argc - 1 : 0;
    char **arguments = argv + 1;
    const kg__command *command;
    size_t words = 0;
    size_t operands = 0;
    bool help = false;
    kg__error error = { "" };

    if (count == 0) {
        print_overview(stderr);
        return KG__EXIT_ERROR;
    }
    if (strcmp(arguments[0], "help") == 0 || strcmp(arguments[0], "--help") == 0 ||
        strcmp(arguments[0], "-h") == 0) {
        if (count == 1) {
            print_overview(stdout);
            return printed_help();
        }
        if (count == 2 && strcmp(arguments[1], "--man") == 0) {
            return kg__write_manual(stdout, commands) ? printed_help() : KG__EXIT_ERROR;
        }
        help = true;
        count--;
        arguments++;
    }
    if (count == 1 && strcmp(arguments[0], "--version") == 0) {
        printf("kernelgate %s\n", KG__VERSION);
        return kg__flush_output("version") ? KG__EXIT_PASS : KG__EXIT_ERROR;
    }
    if (count == 1 && strcmp(arguments[0], "--occupancies") == 0)
        return kg__answer_occupancies();
    if (count == 1 && strcmp(arguments[0], "--fingerprints") == 0)
        return kg__answer_fingerprints();
    if (count == 2 && strcmp(arguments[0], "--kernels") == 0)
        return kg__print_kernels(arguments[1]);
    if (strcmp(arguments[0], "--baseline") == 0)
        return kg__answer_baselines(count - 1, arguments + 1);
    command = find_command(count, arguments, &words);
    if (command == NULL) {
        bool wants_help = help || (count == 2 && (strcmp(arguments[1], "--help") == 0 ||
                                                  strcmp(arguments[1], "-h") == 0));

        if (wants_help && print_group(arguments[0]))
            return printed_help();
        return refuse_command(count, arguments);
    }
    if (!help && command->tool == NULL &&
        !kg__parse_arguments(command, count - words, arguments + words, &operands, &help))
        return KG__EXIT_ERROR;
    if (help || (command->tool != NULL && is_help(count - words, arguments + words)))
        return print_help(command) ? printed_help() : KG__EXIT_ERROR;
    if (!kg__settings_are_clear(&error)) {
        kg__complain("%s", error.text);
        return KG__EXIT_ERROR;
    }
    return command->tool != NULL ? kg__run_tool(command, count - words, arguments + words)
                                 : command->run(operands, arguments + words);
}
