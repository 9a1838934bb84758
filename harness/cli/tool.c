#include "cli/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/exit_code.h"
#include "base/message.h"
#include "judge/judge.h"
#include "suite/settings.h"

/* The arguments before a tool's own: python3 -B TOOL. */
#define FRAME 3

/* Far more than any command's help. */
#define HELP_SIZE 16384
#define HELP_SECONDS 20

/* Finds a command's program relative to this one, and names this one in KG__COMMAND, where the
 * program looks for it. False with a complaint if it cannot be read. */
static bool find_program(const kg__command *command, char *path, size_t size)
{
    char command_path[KG__PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", command_path, sizeof command_path - 1);
    const char *slash;

    command_path[length > 0 ? length : 0] = '\0';
    slash = strrchr(command_path, '/');
    kg__format(path, size, "%.*s/" KG__TOOLS_FROM_COMMAND "/%s",
               slash != NULL ? (int)(slash - command_path) : 0, command_path, command->tool);
    if (access(path, R_OK) == 0 && setenv("KG__COMMAND", command_path, 1) == 0)
        return true;
    kg__complain("%s: cannot be read: %s: install kernelgate again", path, strerror(errno));
    return false;
}

int kg__run_tool(const kg__command *command, size_t count, char **arguments)
{
    char path[2 * KG__PATH_SIZE];
    char **line;

    if (!find_program(command, path, sizeof path))
        return KG__EXIT_ERROR;
    line = kg__allocate(FRAME + count + 1, sizeof *line);
    line[0] = "python3";
    line[1] = "-B";
    line[2] = path;
    memcpy(line + FRAME, arguments, count * sizeof *line);
    execvp(line[0], line);
    kg__complain("python3: cannot be run: %s: install Python 3.9 or newer", strerror(errno));
    free(line);
    return KG__EXIT_ERROR;
}

char *kg__tool_help(const kg__command *command)
{
    char path[2 * KG__PATH_SIZE];
    char *text;

    if (!find_program(command, path, sizeof path))
        return NULL;
    text = kg__allocate(HELP_SIZE, 1);
    if (kg__child_output((const char *const[]){ "python3", "-B", path, "--help", NULL },
                         HELP_SECONDS, text, HELP_SIZE - 1) == 0) {
        strcat(text, "\n"); /* the output came without its last */
        return text;
    }
    kg__complain("%s --help: failed: install Python 3.9 or newer", path);
    free(text);
    return NULL;
}

const kg__command kg__doctor_command = {
    .name = "doctor",
    .operands = "",
    .summary = "Check what this machine needs for a gate, with advice",
    .tool = "doctor.py",
};

const kg__command kg__list_command = {
    .name = "list",
    .operands = "[FILTER]",
    .summary = "Print the cases of the built programs, what each is for, and the variants' ideas",
    .tool = "list_cases.py",
};

const kg__command kg__baseline_show_command = {
    .name = "baseline show",
    .operands = "FILE|KEY",
    .summary = "Print what a baseline holds, case by case",
    .tool = "baseline_show.py",
};

const kg__command kg__baseline_diff_command = {
    .name = "baseline diff",
    .operands = "[FILE|KEY...]",
    .summary = "Print how far baselines have moved in all, worst case first",
    .tool = "baseline_diff.py",
};

const kg__command kg__baseline_retire_command = {
    .name = "baseline retire",
    .operands = "FILE|KEY GLOB...",
    .summary = "Take cases out of a baseline by name",
    .tool = "baseline_retire.py",
};

const kg__command kg__import_command = {
    .name = "import",
    .operands = "FILE...",
    .summary = "Gate what nvbench or google-benchmark measured, by a stored baseline",
    .tool = "import.py",
};

const kg__command kg__validate_command = {
    .name = "validate",
    .operands = "",
    .summary = "Compare the CPU model's counts of each kernel with the hardware's",
    .tool = "validate.py",
};

const kg__command kg__selftest_command = {
    .name = "selftest",
    .operands = "PROGRAM",
    .summary = "Prove the gate: kernels of known duration, made slower by a known extent",
    .tool = "selftest.py",
};
