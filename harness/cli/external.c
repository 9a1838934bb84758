/* The commands that run a program in tools/kernelgate/: their options, and the call. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "cli/command.h"
#include "judge/judge.h"
#include "suite/settings.h"

/* Values and flags of the one command that runs, in the order of its options. */
static const char *text[5];
static bool flag[3];

/* The command line of a tool: python3 -B TOOL, its options, -- and its operands, and NULL. Never
 * freed. */
static char **arguments;
static size_t argument_count;

#define FRAME 5

/* Adds "--name=VALUE" or "--name" if an option was given. */
static void add_option(const kg__option *option)
{
    bool is_flag = option->flag != NULL;

    if (is_flag ? !*option->flag : *option->text == NULL)
        return;
    if (asprintf(&arguments[argument_count], "%s%s%s", option->name, is_flag ? "" : "=",
                 is_flag ? "" : *option->text) >= 0)
        argument_count++;
}

/* Executes `tool`, which finds this command in KG__COMMAND; returns only if it cannot be run. */
static int exec_tool(char *tool, const kg__option *options, size_t count, char **operands)
{
    arguments =
        kg__allocate(FRAME + sizeof text / sizeof *text + sizeof flag + count, sizeof *arguments);
    arguments[argument_count++] = "python3";
    arguments[argument_count++] = "-B";
    arguments[argument_count++] = tool;
    for (; options->name != NULL; options++)
        add_option(options);
    if (count > 0)
        arguments[argument_count++] = "--";
    memcpy(arguments + argument_count, operands, count * sizeof *operands);
    execvp(arguments[0], arguments);
    kg__complain("python3: cannot be run: %s: install Python 3.9 or newer", strerror(errno));
    return KG__EXIT_ERROR;
}

/* Finds the tool `name` relative to this command, and executes it. */
static int run_tool(const char *name, const kg__option *options, size_t count, char **operands)
{
    char command_path[KG__PATH_SIZE];
    char path[2 * KG__PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", command_path, sizeof command_path - 1);
    const char *slash;

    command_path[length > 0 ? length : 0] = '\0';
    slash = strrchr(command_path, '/');
    kg__format(path, sizeof path, "%.*s/" KG__TOOLS_FROM_COMMAND "/%s",
               slash != NULL ? (int)(slash - command_path) : 0, command_path, name);
    if (access(path, R_OK) == 0 && setenv("KG__COMMAND", command_path, 1) == 0)
        return exec_tool(path, options, count, operands);
    kg__complain("%s: cannot be read: %s: install kernelgate again", path, strerror(errno));
    return KG__EXIT_ERROR;
}

static const kg__option import_options[] = {
    { "--from", "TOOL", "what measured: nvbench or google-benchmark", &text[0], NULL },
    { "--target", "KEY", "the target (default: the files' GPU with the tool, nvidia-h200-nvbench)",
      &text[1], NULL },
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &text[2], NULL },
    { "--baselines", "DIR", "the baselines' folder (default: KG_BASELINES, else baselines)",
      &text[3], NULL },
    { "--commit", "NAME", "the commit that was measured (default: the one checked out here)",
      &text[4], NULL },
    { "--strict", NULL, "fail on environment, noisy, no-baseline and vanished too (as KG_STRICT=1)",
      NULL, &flag[0] },
    KG__JSON_OPTION(flag[1]),
    { 0 },
};

static int import(size_t count, char **operands)
{
    return run_tool("import.py", import_options, count, operands);
}

const kg__command kg__import_command = {
    .name = "import",
    .operands = "FILE...",
    .summary = "Gate what nvbench or google-benchmark measured, by a stored baseline",
    .details =
        "FILE is JSON, of `nvbench --json` or `--jsonbin`, or of google-benchmark's\n"
        "`--benchmark_out`. Its benchmarks become cases, comparison/variant/size/launch, which\n"
        "are judged like a run of this project's own programs; results.json, junit.xml and\n"
        "summary.md are written to the folder of the results, which is cleared first. Of several\n"
        "files, one per process, each case's median decides. The results of five imports, each\n"
        "adopted by `kernelgate baseline adopt`, make a baseline. KG_FILTER narrows what is\n"
        "imported.\n"
        "\n"
        "exit: 0 judged, and nothing worse; 1 slower (with --strict also noisy, no-baseline,\n"
        "vanished); 2 an error, and nothing was judged where a file is bad; 77 no case has a\n"
        "baseline\n",
    .options = import_options,
    .takes_operands = true,
    .run = import,
};

static const kg__option validate_options[] = {
    { "--model", "FILE", "records of the instrumented program's part count", &text[0], NULL },
    { "--launches", "FILE", "records of the GPU program's part launch", &text[1], NULL },
    { "--hardware", "FILE", "Nsight Compute's table of the same launches", &text[2], NULL },
    { "--markdown", NULL, "print one row per case, as Markdown", NULL, &flag[0] },
    { "--metrics", NULL,
      "print the metrics to profile, one per line, marking those that the verdict needs", NULL,
      &flag[1] },
    KG__JSON_OPTION(flag[2]),
    { 0 },
};

static int validate(size_t count, char **operands)
{
    return run_tool("validate.py", validate_options, count, operands);
}

const kg__command kg__validate_command = {
    .name = "validate",
    .operands = "",
    .summary = "Compare the CPU model's counts of each kernel with the hardware's",
    .details =
        "ci/validate-model makes the three files. Global loads and stores are judged: more than\n"
        "0.1 % between the two is a failure, unless it is a known exception.\n"
        "\n"
        "exit: 0 all agree; 1 a figure is beyond what is permitted; 2 error\n",
    .options = validate_options,
    .run = validate,
};

static const kg__option selftest_options[] = {
    KG__JSON_OPTION(flag[0]),
    { 0 },
};

static int selftest(size_t count, char **operands)
{
    return run_tool("selftest.py", selftest_options, count, operands);
}

const kg__command kg__selftest_command = {
    .name = "selftest",
    .operands = "PROGRAM",
    .summary = "Prove the gate: kernels of known duration, made slower by a known extent",
    .details =
        "Records a baseline of the program's kernels, then has the gate's own test judge them as\n"
        "they are, with 1, 2, 3 and 5 % more to do, and against baselines that a machine, or the\n"
        "kernels alone, 5 % faster would have left. The build's selftest/selftest.gpu is such a\n"
        "program: KG_STUDY_EXTRA, a fraction, is what makes its kernels slower. Leaves\n"
        "selftest.md, the table, and the runs' results in selftest/ of KG_OUT (else of out).\n"
        "exit: 0 as they are they pass, 3 and 5 % are slower, a drift is environment; 1 one of\n"
        "them is not; 2 the gate could not be run; 77 there is no GPU\n",
    .options = selftest_options,
    .takes_operands = true,
    .run = selftest,
};
