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

json_t *kg__target_json(const kg__target *target)
{
    const struct {
        const char *key;
        const char *text;
    } texts[] = { { "key", target->key },
                  { "name", target->name },
                  { "compute_capability", target->compute_capability },
                  { "compiler", target->compiler } };
    json_t *described = json_object();

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (*texts[i].text != '\0')
            json_object_set_new(described, texts[i].key, kg__json_clean_string(texts[i].text));
    }
    if (target->memory_mib > 0)
        json_object_set_new(described, "memory_mib", json_integer(target->memory_mib));
    if (target->multiprocessors > 0)
        json_object_set_new(described, "multiprocessors", json_integer(target->multiprocessors));
    return described;
}
