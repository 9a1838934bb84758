#include "suite/target.h"

#include <stdbool.h>

#include "base/json.h"

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

void kg__target_key(const char *name, char *key, size_t size)
{
    size_t used = 0;

    if (size == 0)
        return;
    for (const char *c = name; *c != '\0' && used + 1 < size; c++) {
        char lower = *c;

        if (*c >= 'A' && *c <= 'Z')
            lower = (char)(*c - 'A' + 'a');
        if (is_lower_or_digit(lower))
            key[used++] = lower;
        else if (used > 0 && key[used - 1] != '-')
            key[used++] = '-';
    }
    while (used > 0 && key[used - 1] == '-')
        used--;
    key[used] = '\0';
}

kg__target kg__target_of(const json_t *described)
{
    kg__target target = {
        .memory_mib = json_integer_value(json_object_get(described, "memory_mib")),
        .multiprocessors = (int)json_integer_value(json_object_get(described, "multiprocessors")),
    };

    kg__json_copy_text(described, "key", target.key, sizeof target.key);
    kg__json_copy_text(described, "name", target.name, sizeof target.name);
    kg__json_copy_text(described, "compute_capability", target.compute_capability,
                       sizeof target.compute_capability);
    kg__json_copy_text(described, "compiler", target.compiler, sizeof target.compiler);
    return target;
}
