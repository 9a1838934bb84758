#include "baseline/cuobjdump.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/file.h"
#include "base/message.h"
#include "baseline/machine_code.h"
#include "suite/settings.h"

/* A program's disassembly has some megabytes; of a larger one nothing is known. Memory that is not
 * written to costs nothing. */
#define LARGEST_TEXT ((size_t)64 << 20)

/* Whether a tool is in the folder of `length` bytes; its path is left in `path` then. */
static bool find_in_folder(const char *folder, size_t length, const char *tool, char *path,
                           size_t size)
{
    int folder_length = (int)length;

    if (length == 0 || length + strlen(tool) + 2 > size)
        return false;
    kg__format_path(path, size, "%.*s/%s", folder_length, folder, tool);
    return kg__file_is_program(path);
}

static bool find_along_path(const char *tool, char *path, size_t size)
{
    const char *folder = getenv("PATH");

    while (folder != NULL && *folder != '\0') {
        size_t length = strcspn(folder, ":");

        if (find_in_folder(folder, length, tool, path, size))
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

bool kg__find_cuda_tool(const char *root, const char *tool, char *path, size_t size)
{
    const char *compiler = getenv("CUDACXX");
    const char *slash = compiler != NULL ? strrchr(compiler, '/') : NULL;
    const char *home = getenv("CUDA_HOME");
    char folder[KG__PATH_SIZE];

    if (find_along_path(tool, path, size))
        return true;
    if (slash != NULL && find_in_folder(compiler, (size_t)(slash - compiler), tool, path, size))
        return true;
    if (home != NULL && *home != '\0') {
        kg__format_path(folder, sizeof folder, "%s/bin", home);
        if (find_in_folder(folder, strlen(folder), tool, path, size))
            return true;
    }
    kg__format_path(folder, sizeof folder, "%s/usr/local/cuda/bin", root);
    if (find_in_folder(folder, strlen(folder), tool, path, size))
        return true;
    path[0] = '\0';
    return false;
}

bool kg__find_cuobjdump(const char *root, char *path, size_t size)
{
    return kg__find_cuda_tool(root, "cuobjdump", path, size);
}

json_t *kg__program_machine_code(const char *program, const char *compute_capability)
{
    char path[KG__PATH_SIZE];
    char own_path[KG__PATH_SIZE];
    const char *arguments[] = { path, "-sass", program, NULL };
    json_t *machine_code = NULL;
    char *text;

    if (!kg__find_cuobjdump("", path, sizeof path))
        return NULL;
    /* /proc/self is another process's in another process. */
    if (program == NULL) {
        ssize_t length = readlink("/proc/self/exe", own_path, sizeof own_path - 1);

        if (length <= 0)
            return NULL;
        own_path[length] = '\0';
        arguments[2] = own_path;
    }
    text = kg__allocate(LARGEST_TEXT, 1);
    if (kg__child_run(arguments, KG__CUOBJDUMP_SECONDS, text, LARGEST_TEXT) == 0 &&
        strlen(text) < LARGEST_TEXT - 1)
        machine_code = kg__machine_code_parse(text, compute_capability);
    free(text);
    return machine_code;
}
