/* SPDX-License-Identifier: MIT */
#include "suite/id_parts.h"

#include <string.h>

#include "base/message.h"

bool kg__name_is_plain(const char *name)
{
    return name[0] != '\0' && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

bool kg__is_case_id(const char *id)
{
    for (int part = 0; part < 4; part++) {
        size_t length =
            strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

        if (length == 0 || id[length] != (part < 3 ? '/' : '\0'))
            return false;
        id += length + 1;
    }
    return true;
}

size_t kg__comparison_length(const char *id)
{
    return strcspn(id, "/");
}

size_t kg__variant_length(const char *id)
{
    const char *slash = strchr(id, '/');

    slash = slash != NULL ? strchr(slash + 1, '/') : NULL;
    return slash != NULL ? (size_t)(slash + 1 - id) : strlen(id);
}

void kg__case_id_size(const char *id, char *size, size_t bytes)
{
    const char *rest = id + kg__variant_length(id);

    kg__format(size, bytes, "%.*s", (int)strcspn(rest, "/"), rest);
}

void kg__case_id_neighbors(const char *id, char *glob, size_t bytes)
{
    const char *rest = id + kg__variant_length(id);
    const char *launch = strrchr(rest, '/');
    const char *blocks = launch != NULL ? strchr(launch, 'g') : NULL;

    if (launch == NULL)
        kg__format(glob, bytes, "*");
    else if (blocks != NULL)
        kg__format(glob, bytes, "%.*s*", (int)(blocks - rest), rest);
    else
        kg__format(glob, bytes, "%s", rest);
}
