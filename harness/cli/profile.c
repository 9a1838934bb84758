#include "cli/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* The first column of the table, which tells it from what is said around it. */
#define FIRST_COLUMN "ID"

/* Beyond this a table is none of ours: a comparison launches hundreds of kernels. */
#define LARGEST_FILE ((size_t)256 << 20)

/* The whole file as text, or NULL with `error`. */
static char *read_file(const char *path, kg__error *error)
{
    const char *cause;
    FILE *file = kg__file_stream(path, &cause);
    size_t room = (size_t)64 << 10;
    size_t length = 0;
    size_t got;
    char *text;
    bool whole;

    if (file == NULL) {
        kg__fail(error, "%s: cannot be read: %s: check the path and its permissions", path, cause);
        return NULL;
    }
    text = kg__allocate(room, 1);
    while ((got = fread(text + length, 1, room - 1 - length, file)) > 0) {
        length += got;
        if (length == room - 1 && room <= LARGEST_FILE) {
            char *larger = kg__allocate(2 * room, 1);

            memcpy(larger, text, length);
            free(text);
            text = larger;
            room *= 2;
        }
    }
    whole = ferror(file) == 0 && feof(file) != 0;
    fclose(file);
    if (whole && memchr(text, '\0', length) == NULL)
        return text;
    if (whole)
        kg__fail(error, "%s: holds bytes that are no text: print it with ncu --csv", path);
    else
        kg__fail(error, "%s: cannot be read whole: is it a profiler's table?", path);
    free(text);
    return NULL;
}

/* Takes a field off the front of `*rest`, with its quotes undone in place, and moves `*rest` to
 * what follows: the character that ended it is in `*end`, NUL at the end of the file. False for
 * quotes that are not closed, or that something other than a comma follows. */
static bool take_field(char **rest, char **field, char *end, size_t *line)
{
    char *from = *rest;
    char *to = from;

    *field = to;
    if (*from == '"') {
        for (from++; *from != '"' || from[1] == '"'; from++) {
            if (*from == '\0')
                return false;
            if (*from == '\n')
                (*line)++;
            from += *from == '"';
            *to++ = *from;
        }
        from++;
    } else {
        while (*from != ',' && *from != '\n' && *from != '\0')
            *to++ = *from++;
        while (to > *field && to[-1] == '\r')
            to--;
    }
    if (*from == '\r' && from[1] == '\n')
        from++;
    *end = *from;
    if (*end != ',' && *end != '\n' && *end != '\0')
        return false;
    *rest = from + (*end != '\0');
    *to = '\0';
    return true;
}

/* Takes a row of at most `room` fields off the front of `*rest`; their number is in `*count`. */
static bool take_row(const char *path, char **rest, size_t *line, char **fields, size_t room,
                     size_t *count, kg__error *error)
{
    size_t begin = *line;
    char end = ',';

    for (*count = 0; end == ','; (*count)++) {
        char *field = NULL;

        if (!take_field(rest, &field, &end, line))
            return kg__fail(error,
                            "%s:%zu: quotes that do not close: the table is cut off or was edited; "
                            "profile again",
                            path, begin);
        if (*count < room)
            fields[*count] = field;
    }
    (*line)++;
    return true;
}

/* True when the line at `text` begins the table. */
static bool is_header(const char *text)
{
    return strncmp(text, "\"" FIRST_COLUMN "\",", strlen(FIRST_COLUMN) + 3) == 0 ||
           strncmp(text, FIRST_COLUMN ",", strlen(FIRST_COLUMN) + 1) == 0;
}

/* Fills `error` when the line at `text`, which is `length` bytes long, is an error of the
 * profiler's, and returns false. */
static bool is_good(const char *path, size_t line, char *text, size_t length, kg__error *error)
{
    static const char trouble[] = "==ERROR==";

    if (strncmp(text, trouble, strlen(trouble)) != 0)
        return true;
    text[length] = '\0';
    return kg__fail(error, "%s:%zu: the profiler failed:%s: mend that and profile again", path,
                    line, text + strlen(trouble));
}

/* Passes over what is said ahead of the table, and finds it. */
static char *find_table(const char *path, char *text, size_t *line, kg__error *error)
{
    for (*line = 1; *text != '\0'; (*line)++) {
        size_t length = strcspn(text, "\n");

        if (is_header(text))
            return text;
        if (!is_good(path, *line, text, length, error))
            return NULL;
        text += length + (text[length] == '\n');
    }
    kg__fail(error,
             "%s: holds no table: no kernel was profiled, or it was not printed with "
             "ncu --csv --page raw",
             path);
    return NULL;
}

/* Units are scaled to Ksector, Minst and the like unless they were asked for as they are. */
static bool is_scaled(const char *unit)
{
    return strchr("KMGT", unit[0]) != NULL && unit[0] != '\0' && unit[1] >= 'a' && unit[1] <= 'z';
}

static bool units_are_plain(const kg__profile *profile, const kg__profile_row *units,
                            kg__error *error)
{
    for (size_t i = 0; i < profile->columns; i++) {
        if (is_scaled(units->field[i]))
            return kg__fail(error, "%s:%zu: %s is in %s: print it with ncu --print-units base",
                            profile->path, units->line, profile->header.field[i], units->field[i]);
    }
    return true;
}

/* Room for one more row, twice as much whenever there is none left. */
static kg__profile_row *add_row(kg__profile *profile, size_t *room)
{
    profile->kernels =
        kg__grow(profile->kernels, profile->kernel_count, room, sizeof *profile->kernels);
    return &profile->kernels[profile->kernel_count++];
}

static bool read_header(kg__profile *profile, char **rest, size_t *line, kg__error *error)
{
    const char *end = strchr(*rest, '\n');
    size_t room = 1;

    for (const char *c = *rest; *c != '\0' && (end == NULL || c < end); c++)
        room += *c == ',';
    profile->header =
        (kg__profile_row){ .field = kg__allocate(room, sizeof(char *)), .line = *line };
    return take_row(profile->path, rest, line, profile->header.field, room, &profile->columns,
                    error);
}

static bool read_rows(kg__profile *profile, char *rest, size_t line, kg__error *error)
{
    size_t room = 0;

    while (*rest != '\0') {
        /* A blank line, or something said behind the table. */
        if (*rest == '\n' || strncmp(rest, "\r\n", 2) == 0 || strncmp(rest, "==", 2) == 0) {
            size_t length = strcspn(rest, "\n");

            if (!is_good(profile->path, line, rest, length, error))
                return false;
            rest += length + (rest[length] == '\n');
            line++;
            continue;
        }

        kg__profile_row *row = add_row(profile, &room);
        size_t count;

        *row = (kg__profile_row){ .field = kg__allocate(profile->columns, sizeof(char *)),
                                  .line = line };
        if (!take_row(profile->path, &rest, &line, row->field, profile->columns, &count, error))
            return false;
        if (count != profile->columns)
            return kg__fail(error,
                            "%s:%zu: %zu fields, where the table has %zu columns: it is cut off or "
                            "was edited; profile again",
                            profile->path, row->line, count, profile->columns);
        /* The row of units has no number. */
        if (row->field[0][0] == '\0') {
            if (!units_are_plain(profile, row, error))
                return false;
            free(row->field);
            profile->kernel_count--;
        }
    }
    return true;
}

bool kg__profile_read(const char *path, kg__profile *profile, kg__error *error)
{
    char *table;
    size_t line = 0;

    *profile = (kg__profile){ .path = kg__copy_text(path) };
    profile->text = read_file(path, error);
    if (profile->text == NULL)
        return false;
    table = find_table(path, profile->text, &line, error);
    return table != NULL && read_header(profile, &table, &line, error) &&
           read_rows(profile, table, line, error);
}

/* The field of a column, or NULL. */
static const char *find(const kg__profile *profile, size_t kernel, const char *column)
{
    for (size_t i = 0; i < profile->columns; i++) {
        if (strcmp(profile->header.field[i], column) == 0)
            return profile->kernels[kernel].field[i];
    }
    return NULL;
}

/* Reads a count at the head of `text`, with or without commas between its thousands; returns what
 * follows, or NULL where there is none. */
static const char *read_count(const char *text, double *count)
{
    const char *begin = text;
    bool grouped = false;

    for (*count = 0;; text++) {
        if (*text >= '0' && *text <= '9') {
            *count = *count * 10 + (*text - '0');
            continue;
        }
        /* A comma stands before three digits. */
        if (*text != ',' || strspn(text + 1, "0123456789") != 3 || text == begin)
            break;
        if (!grouped && text - begin > 3)
            return NULL;
        grouped = true;
    }
    if (text == begin || *count > 9007199254740992.0)
        return NULL;
    if (*text == '.') {
        size_t zeros = strspn(text + 1, "0");

        /* Three may be thousands of another language. */
        if (zeros == 0 || zeros == 3)
            return NULL;
        text += 1 + zeros;
    }
    return text;
}

/* Finds `opcode` in a list of instances: "(BAR: 12; LDS.64: 1,234)", where what follows a point is
 * a modifier. */
static bool count_instances(const char *list, const char *opcode, double *count)
{
    size_t length = strlen(opcode);

    *count = 0;
    list++;
    if (*list == ')')
        return list[1] == '\0';
    for (;;) {
        const char *colon = strstr(list, ": ");
        const char *end;
        double one;

        if (colon == NULL || (end = read_count(colon + 2, &one)) == NULL)
            return false;
        if (strncmp(list, opcode, length) == 0 && (list[length] == ':' || list[length] == '.'))
            *count += one;
        if (*end == ')')
            return end[1] == '\0';
        if (strncmp(end, "; ", 2) != 0)
            return false;
        list = end + 2;
    }
}

kg__profile_status kg__profile_count(const kg__profile *profile, size_t kernel, const char *metric,
                                     const char *opcode, double *count, kg__error *error)
{
    const char *field = find(profile, kernel, metric);
    const char *rest;
    bool good;

    *count = 0;
    if (field == NULL || strcmp(field, "n/a") == 0 || field[0] == '\0')
        return KG__PROFILE_UNKNOWN;
    rest = read_count(field, count);
    good = rest != NULL && (*rest == '\0' || strncmp(rest, " (", 2) == 0);
    if (good && opcode != NULL) {
        /* The sum alone, without its instances, does not tell one opcode. */
        if (*rest == '\0')
            return KG__PROFILE_UNKNOWN;
        good = count_instances(rest + 1, opcode, count);
    }
    if (good)
        return KG__PROFILE_KNOWN;
    kg__fail(error, "%s:%zu: %s is \"%.60s\", which is no count: print it with LC_ALL=C ncu",
             profile->path, profile->kernels[kernel].line, metric, field);
    return KG__PROFILE_BAD;
}

bool kg__profile_warps(const kg__profile *profile, size_t kernel, double *warps, kg__error *error)
{
    const char *field = find(profile, kernel, "Block Size");
    unsigned x;
    unsigned y;
    unsigned z;

    if (field == NULL || sscanf(field, "(%u,%u,%u)", &x, &y, &z) != 3 || x == 0 || y == 0 ||
        z == 0 || x > 1024 || y > 1024 || z > 1024)
        return kg__fail(
            error,
            "%s:%zu: \"Block Size\" is \"%.60s\", not as in \"(16, 16, 1)\": print it with ncu "
            "--csv --page raw",
            profile->path, profile->kernels[kernel].line, field != NULL ? field : "");
    *warps = ceil((double)x * y * z / 32);
    return true;
}

void kg__profile_free(kg__profile *profile)
{
    for (size_t i = 0; i < profile->kernel_count; i++)
        free(profile->kernels[i].field);
    free(profile->kernels);
    free(profile->header.field);
    free(profile->text);
    free(profile->path);
    *profile = (kg__profile){ 0 };
}
