/* SPDX-License-Identifier: MIT */
#include "gate/instrumented_program.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

bool kg__instrumented_program(const char *program, char *path, size_t size, kg__error *error)
{
    static const char plain_end[] = ".model";
    static const char end[] = ".instrumented";
    char own[KG__PATH_SIZE];
    size_t stem;

    if (program == NULL && !kg__own_program(own, sizeof own, error))
        return false;
    program = program != NULL ? program : own;
    if (!kg__ends_with(program, plain_end))
        return kg__fail(error, "%s: is not a program for the CPU model: those end in %s", program,
                        plain_end);
    stem = strlen(program) - strlen(plain_end);
    if (stem + sizeof end > size)
        return kg__fail(error,
                        "the program's path has %zu bytes, which is too long: move the build",
                        strlen(program));
    kg__format_path(path, size, "%.*s%s", (int)stem, program, end);
    if (access(path, X_OK) != 0)
        return kg__fail(error,
                        "%s: the program with instrumented kernels cannot be run: %s: build "
                        "it (cmake --build of this build folder)",
                        path, strerror(errno));
    return true;
}
