#include "cli/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/exit_code.h"
#include "base/message.h"

/* The arguments before a tool's own: python3 -B TOOL. */
#define FRAME 3

/* Far more than any command's help, and than any answer takes. */
#define HELP_SIZE 16384
#define ANSWER_SECONDS 20

/* Finds a program relative to this one, and names this one in KG__COMMAND, where the program looks
 * for it. False with a complaint if it cannot be read. */
static bool find_program(const char *tool, char *path, size_t size)
{
    char command_path[KG__PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", command_path, sizeof command_path - 1);
    const char *slash;

    command_path[length > 0 ? length : 0] = '\0';
    slash = strrchr(command_path, '/');
    kg__format(path, size, "%.*s/" KG__TOOLS_FROM_COMMAND "/%s",
               slash != NULL ? (int)(slash - command_path) : 0, command_path, tool);
    if (access(path, R_OK) == 0 && setenv("KG__COMMAND", command_path, 1) == 0)
        return true;
    kg__complain("%s: cannot be read: %s: install kernelgate again", path, strerror(errno));
    return false;
}

/* Executes Python with a program and its arguments; returns with a complaint if it cannot. */
static void execute(char *path, size_t count, char *const *arguments)
{
    char **line = kg__allocate(FRAME + count + 1, sizeof *line);

    line[0] = "python3";
    line[1] = "-B";
    line[2] = path;
    if (count > 0)
        memcpy(line + FRAME, arguments, count * sizeof *line);
    execvp(line[0], line);
    kg__complain("python3: cannot be run: %s: install Python 3.9 or newer", strerror(errno));
    free(line);
}

int kg__run_tool(const kg__command *command, size_t count, char **arguments)
{
    char path[2 * KG__PATH_SIZE];

    if (find_program(command->tool, path, sizeof path))
        execute(path, count, arguments);
    return KG__EXIT_ERROR;
}

bool kg__call_tool(const char *tool, const char *const *arguments, size_t count)
{
    char path[2 * KG__PATH_SIZE];
    int status = 0;
    pid_t child;

    if (!find_program(tool, path, sizeof path))
        return false;
    child = fork();
    if (child == 0) {
        execute(path, count, (char *const *)arguments);
        _exit(KG__EXIT_ERROR);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0)
        kg__complain("python3: cannot be run: %s", strerror(errno));
    else if (WIFSIGNALED(status))
        kg__complain("%s: was ended by signal %d: run it again", tool, WTERMSIG(status));
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

char *kg__ask_tool(const char *tool, const char *argument, size_t size)
{
    char path[2 * KG__PATH_SIZE];
    char *text;

    if (!find_program(tool, path, sizeof path))
        return NULL;
    text = kg__allocate(size, 1);
    if (kg__child_output((const char *const[]){ "python3", "-B", path, argument, NULL },
                         ANSWER_SECONDS, text, size - 1) == 0)
        return text;
    free(text);
    return NULL;
}

char *kg__tool_help(const kg__command *command)
{
    char *text = kg__ask_tool(command->tool, "--help", HELP_SIZE);

    if (text != NULL)
        text[strlen(text)] = '\n'; /* the output came without its last; zeros follow */
    else
        kg__complain("%s --help: failed: install Python 3.9 or newer", command->tool);
    return text;
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

const kg__command kg__baseline_lint_command = {
    .name = "baseline lint",
    .operands = "[FILE...]",
    .summary = "Check baseline files: one line per file",
    .tool = "baseline_lint.py",
};

const kg__command kg__baseline_retire_command = {
    .name = "baseline retire",
    .operands = "FILE|KEY GLOB...",
    .summary = "Take cases out of a baseline by name",
    .tool = "baseline_retire.py",
};

const kg__command kg__baseline_record_command = {
    .name = "baseline record",
    .operands = "PROGRAM...",
    .summary = "Measure comparisons and store what moved beyond its band",
    .tool = "baseline_record.py",
};

const kg__command kg__baseline_adopt_command = {
    .name = "baseline adopt",
    .operands = "RESULTS...",
    .summary = "Add the times of gates to the sessions of a baseline",
    .tool = "baseline_adopt.py",
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

const kg__command kg__compare_command = {
    .name = "compare",
    .operands = "A.json B.json [FILTER]",
    .summary = "Print how two runs' results differ, as ratios with intervals and verdicts",
    .tool = "compare.py",
};

const kg__command kg__predict_command = {
    .name = "predict",
    .operands = "[FILTER]",
    .summary = "Predict the minimum time of kernels on a GPU, which need not be installed",
    .tool = "predict.py",
};

const kg__command kg__tune_command = {
    .name = "tune",
    .operands = "[FILTER]",
    .summary = "Search the launches of every variant for the best time, bandwidth, occupancy",
    .tool = "tune.py",
};

const kg__command kg__occupancy_command = {
    .name = "occupancy",
    .operands = "[FILTER]",
    .summary = "Print the occupancy of each launch, and what limits it",
    .tool = "occupancy.py",
};

const kg__command kg__report_command = {
    .name = "report",
    .operands = "",
    .summary = "Print what a run measured of a comparison, or make the page of a whole run",
    .tool = "report.py",
};
