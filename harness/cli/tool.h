/* The Python programs in tools/kernelgate/: the commands that measure nothing, and read and print
 * documents. */
#ifndef KG__CLI_TOOL_H
#define KG__CLI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Executes a program of tools/kernelgate/ with `count` arguments; returns, with KG__EXIT_ERROR and
 * a complaint, only if it cannot be run. */
int kg__run_tool(const char *tool, size_t count, char **arguments);

#endif
