#include "suite/case_id.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Takes the next part of an id, up to a slash or its end; false where it is not a name. */
static bool take_part(const char **id, char *part)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_-.";
    size_t length = strspn(*id, letters);
    bool whole = length > 0 && length < KG__CASE_PART_SIZE &&
                 ((*id)[length] == '/' || (*id)[length] == '\0');

    if (!whole)
        return false;
    memcpy(part, *id, length);
    part[length] = '\0';
    *id += length + ((*id)[length] == '/');
    return true;
}

/* Reads "b256", "b256g1056" or "-". */
static bool parse_launch(kg__case_id *name)
{
    const char *text = name->launch;
    char *end;

    if (strcmp(text, "-") == 0)
        return true;
    if (text[0] != 'b' || !isdigit((unsigned char)text[1]))
        return false;
    name->block = strtoul(text + 1, &end, 10);
    if (*end == '\0')
        return true;
    if (*end != 'g' || !isdigit((unsigned char)end[1]))
        return false;
    name->grid = strtoul(end + 1, &end, 10);
    return *end == '\0';
}

bool kg__case_id_parse(const char *id, kg__case_id *name)
{
    *name = (kg__case_id){ .block = 0 };
    return take_part(&id, name->comparison) && take_part(&id, name->variant) &&
           take_part(&id, name->size) && take_part(&id, name->launch) && *id == '\0' &&
           parse_launch(name);
}
