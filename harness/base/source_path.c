/* SPDX-License-Identifier: MIT */
#include "base/source_path.h"

#include <string.h>

const char *kg__source_name(const char *home, const char *file)
{
    size_t length = strlen(home);

    if (strncmp(file, home, length) != 0 || file[length] != '/')
        return file;
    return file + length + 1;
}
