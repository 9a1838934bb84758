/* The Python programs in tools/kernelgate/: the commands that measure nothing, and read and print
 * documents. */
#ifndef KG__CLI_TOOL_H
#define KG__CLI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Executes a program of tools/kernelgate/ with `count` arguments; returns, with KG__EXIT_ERROR and
 * a complaint, only if it cannot be run. */
int kg__run_tool(const char *tool, size_t count, char **arguments);

/* Runs a program of tools/kernelgate/ with `count` arguments, after what was printed has been
 * flushed, and waits for its end. False if it failed, of which it complains itself, or, with a
 * complaint, if it cannot be run. */
bool kg__call_tool(const char *tool, const char *const *arguments, size_t count);

/* What a program of tools/kernelgate/ prints for one argument, up to `size` bytes, to be freed;
 * NULL if it fails or cannot be run. */
char *kg__ask_tool(const char *tool, const char *argument, size_t size);

#endif
