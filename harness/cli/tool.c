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

/* Far more than any answer takes. */
#define ANSWER_SECONDS 20

/* Finds a program relative to this one, and names this one in KG__COMMAND and whoever runs it in
 * KG__CALLER, where the program looks for them: python3 may be a script that waits. False with a
 * complaint if it cannot be read. */
static bool find_program(const char *tool, char *path, size_t size)
{
    char command_path[KG__PATH_SIZE];
    char caller[32];
    ssize_t length = readlink("/proc/self/exe", command_path, sizeof command_path - 1);
    const char *slash;

    command_path[length > 0 ? length : 0] = '\0';
    slash = strrchr(command_path, '/');
    kg__format(path, size, "%.*s/" KG__TOOLS_FROM_COMMAND "/%s",
               slash != NULL ? (int)(slash - command_path) : 0, command_path, tool);
    kg__format(caller, sizeof caller, "%ld", (long)getppid());
    if (access(path, R_OK) == 0 && setenv("KG__COMMAND", command_path, 1) == 0 &&
        setenv("KG__CALLER", caller, 1) == 0)
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

int kg__run_tool(const char *tool, size_t count, char **arguments)
{
    char path[2 * KG__PATH_SIZE];

    if (find_program(tool, path, sizeof path))
        execute(path, count, arguments);
    return KG__EXIT_ERROR;
}
