/* SPDX-License-Identifier: MIT */
#include "gate/instrumented_program.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "suite/settings.h"

bool kg__instrumented_program(const char *program, char *path, size_t size, kg__error *error)
{
    static const char plain_end[] = ".model";
    static const char end[] = ".instrumented";
    char plain[KG__PATH_SIZE];
    ssize_t length;

    if (program == NULL) {
        length = readlink("/proc/self/exe", plain, sizeof plain);
        if (length < 0)
            return kg__fail(error, "/proc/self/exe: cannot be read: %s: mount /proc",
                            strerror(errno));
    } else {
        length = (ssize_t)strlen(program);
        if ((size_t)length < sizeof plain)
            memcpy(plain, program, (size_t)length);
    }
    if ((size_t)length >= sizeof plain)
        return kg__fail(
            error, "the program's path has %zd bytes, which is too long: move the build", length);
    plain[length] = '\0';
    if ((size_t)length < sizeof plain_end ||
        strcmp(plain + length - (sizeof plain_end - 1), plain_end) != 0)
        return kg__fail(error, "%s: is not a program for the CPU model: those end in %s", plain,
                        plain_end);
    plain[(size_t)length - (sizeof plain_end - 1)] = '\0';
    if (strlen(plain) + sizeof end > size)
        return kg__fail(error, "%s%s: the path is too long: move the build", plain, end);
    kg__format_path(path, size, "%s%s", plain, end);
    if (access(path, X_OK) != 0)
        return kg__fail(error,
                        "%s: the program with instrumented kernels cannot be run: %s: build "
                        "it (cmake --build of this build folder)",
                        path, strerror(errno));
    return true;
}
