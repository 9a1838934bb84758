/* SPDX-License-Identifier: MIT */
#include "suite/target.h"

const kg__field kg__target_fields[] = {
    KG__FIELD_OWN_TEXT(kg__target, key, "key"),
    KG__FIELD_OWN_TEXT(kg__target, name, "name"),
    KG__FIELD_OWN_TEXT(kg__target, compute_capability, "compute_capability"),
    KG__FIELD(kg__target, memory_mib, "memory_mib", COUNT),
    KG__FIELD(kg__target, multiprocessors, "multiprocessors", COUNT),
    KG__FIELD_OWN_TEXT(kg__target, compiler, "compiler"),
    { 0 },
};

void kg__target_key(const char *name, char *key, size_t size)
{
    size_t used = 0;

    if (size == 0)
        return;
    for (const char *c = name; *c != '\0' && used + 1 < size; c++) {
        char lower = *c;

        if (*c >= 'A' && *c <= 'Z')
            lower = (char)(*c - 'A' + 'a');
        if ((lower >= 'a' && lower <= 'z') || (*c >= '0' && *c <= '9'))
            key[used++] = lower;
        else if (used > 0 && key[used - 1] != '-')
            key[used++] = '-';
    }
    while (used > 0 && key[used - 1] == '-')
        used--;
    key[used] = '\0';
}

json_t *kg__target_json(const kg__target *target)
{
    return kg__fields_json(kg__target_fields, target);
}

bool kg__target_read(const json_t *described, kg__target *target, kg__error *error)
{
    *target = (kg__target){ .key = "" };
    return kg__fields_read(described, kg__target_fields, target, error);
}
