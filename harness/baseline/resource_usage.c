#include "baseline/resource_usage.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "records/records.h"

/* From this architecture on a kernel's section includes the reserved shared memory of a block. */
enum { FIRST_WITH_RESERVED = 90, RESERVED_SHARED = 1024 };

#define NAME_SIZE 4096

/* What g++ calls an unnamed namespace, with its length in front, and how nvcc's names for it begin.
 */
static const char unnamed[] = "12_GLOBAL__N_1";
static const char unnamed_mark[] = "_GLOBAL__N_";

/* A text that is being read. */
typedef struct reading {
    json_t *usage;
    char architecture[16]; /* "90"; empty before the first */
    char file[256];
    char kernel[NAME_SIZE]; /* empty: no kernel's lines */
    size_t local_bytes;     /* as ptxas printed it */
} reading;

void kg__resource_usage_plain_name(const char *mangled, char *name, size_t size)
{
    size_t used = 0;

    while (*mangled != '\0' && used + sizeof unnamed < size) {
        char *end;
        size_t length;

        /* The L in front of a length marks a name that only its own file knows. */
        if (*mangled == 'L' && isdigit((unsigned char)mangled[1])) {
            mangled++;
            continue;
        }
        if (!isdigit((unsigned char)*mangled)) {
            name[used++] = *mangled++;
            continue;
        }
        length = strtoul(mangled, &end, 10);
        if (strncmp(end, unnamed_mark, strlen(unnamed_mark)) == 0 && length <= strlen(end)) {
            memcpy(name + used, unnamed, strlen(unnamed));
            used += strlen(unnamed);
            mangled = end + length;
        } else {
            while (mangled < end && used + 1 < size)
                name[used++] = *mangled++;
        }
    }
    name[used] = '\0';
}

static const char *skip_prefix(const char *line, const char *mark)
{
    size_t length = strlen(mark);

    line += strspn(line, " \t");
    return strncmp(line, mark, length) == 0 ? line + length : NULL;
}

/* The number in front of a word in a line, "32" of "Used 32 registers"; false where there is none.
 */
static bool number_before(const char *line, const char *word, size_t *number)
{
    const char *at = strstr(line, word);
    const char *begin = at;

    while (begin != NULL && begin > line && isdigit((unsigned char)begin[-1]))
        begin--;
    if (at == NULL || begin == at)
        return false;
    *number = strtoul(begin, NULL, 10);
    return true;
}

static size_t number_after(const char *line, const char *word)
{
    const char *at = strstr(line, word);

    return at != NULL ? strtoul(at + strlen(word), NULL, 10) : 0;
}

/* Sets "90" from "sm_90" and from "sm_90a". */
static void set_architecture(reading *text, const char *word)
{
    const char *number = strstr(word, "sm_");

    text->architecture[0] = '\0';
    if (number == NULL)
        return;
    number += strlen("sm_");
    kg__format(text->architecture, sizeof text->architecture, "%.*s",
               (int)strspn(number, "0123456789"), number);
}

/* The name of a source without its folder and its end. */
static void set_file(reading *text, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    kg__format(text->file, sizeof text->file, "%.*s", (int)strcspn(name, ". \t\r\n"), name);
}

static void set_name(reading *text, const char *name, const char *ends)
{
    kg__format(text->kernel, sizeof text->kernel, "%.*s", (int)strcspn(name, ends), name);
    text->local_bytes = 0;
}

static void add_kernel(reading *text, size_t registers, size_t shared, size_t local)
{
    json_t *kernels = json_object_get(text->usage, text->architecture);
    char name[NAME_SIZE];

    if (*text->architecture == '\0' || *text->kernel == '\0')
        return;
    if (kernels == NULL) {
        kernels = json_array();
        json_object_set_new(text->usage, text->architecture, kernels);
    }
    kg__resource_usage_plain_name(text->kernel, name, sizeof name);
    json_array_append_new(kernels,
                          json_pack("{s:s, s:s, s:I, s:I, s:I}", "kernel", name, "file", text->file,
                                    "registers", (json_int_t)registers, "static_shared",
                                    (json_int_t)shared, "local_bytes", (json_int_t)local));
    text->kernel[0] = '\0';
}

/* "  REG:32 STACK:0 SHARED:3072 LOCAL:0 CONSTANT[0]:564 ..." of cuobjdump. */
static void add_cuobjdump_figures(reading *text, const char *line)
{
    size_t shared = number_after(line, "SHARED:");

    if (atoi(text->architecture) >= FIRST_WITH_RESERVED && shared >= RESERVED_SHARED)
        shared -= RESERVED_SHARED;
    add_kernel(text, number_after(line, "REG:"), shared,
               number_after(line, "STACK:") + number_after(line, "LOCAL:"));
}

/* "ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem" of ptxas. */
static void add_ptxas_figures(reading *text, const char *line)
{
    size_t registers = 0;
    size_t shared = 0;

    if (!number_before(line, " registers", &registers))
        return;
    (void)number_before(line, " bytes smem", &shared);
    add_kernel(text, registers, shared, text->local_bytes);
}

static void read_line(reading *text, const char *line, const char *file)
{
    const char *rest;
    size_t stack;

    if (skip_prefix(line, "Fatbin ") != NULL) {
        text->architecture[0] = '\0';
        kg__format(text->file, sizeof text->file, "%s", file);
    } else if ((rest = skip_prefix(line, "arch = ")) != NULL) {
        set_architecture(text, rest);
    } else if ((rest = skip_prefix(line, "identifier = ")) != NULL) {
        set_file(text, rest);
    } else if ((rest = skip_prefix(line, "Function ")) != NULL) {
        set_name(text, rest, ": \t\r\n");
    } else if (skip_prefix(line, "REG:") != NULL) {
        add_cuobjdump_figures(text, line);
    } else if ((rest = strstr(line, "Compiling entry function '")) != NULL) {
        set_name(text, strchr(rest, '\'') + 1, "'");
        set_architecture(text, rest);
    } else if (number_before(line, " bytes stack frame", &stack)) {
        text->local_bytes = stack;
    } else if (strstr(line, ": Used ") != NULL) {
        add_ptxas_figures(text, line);
    }
}

void kg__resource_usage_add(json_t *usage, const char *text, const char *file)
{
    reading reader = { .usage = usage };
    char *line = kg__allocate(strlen(text) + 1, 1);

    kg__format(reader.file, sizeof reader.file, "%s", file);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");

        memcpy(line, text, length);
        line[length] = '\0';
        read_line(&reader, line, file);
        text += length + (text[length] == '\n');
    }
    free(line);
}

/* Whether two kernels of a name were given the same. */
static bool have_same_figures(const json_t *first, const json_t *second)
{
    return json_equal(json_object_get(first, "registers"), json_object_get(second, "registers")) &&
           json_equal(json_object_get(first, "static_shared"),
                      json_object_get(second, "static_shared")) &&
           json_equal(json_object_get(first, "local_bytes"),
                      json_object_get(second, "local_bytes"));
}

/* The kernel of a name, of one file where that is given; NULL where there is none, or several that
 * differ. */
static const json_t *find_kernel(const json_t *kernels, const char *name, const char *file,
                                 bool *ambiguous)
{
    const json_t *found = NULL;
    const json_t *kernel;
    size_t i;

    *ambiguous = false;
    json_array_foreach (kernels, i, kernel) {
        if (strcmp(kg__json_text(kernel, "kernel"), name) != 0 ||
            (file != NULL && strcmp(kg__json_text(kernel, "file"), file) != 0))
            continue;
        *ambiguous = *ambiguous || (found != NULL && !have_same_figures(found, kernel));
        found = kernel;
    }
    return *ambiguous ? NULL : found;
}

bool kg__resource_usage_find(const json_t *usage, int architecture, const char *kernel,
                             const char *file, kg__resources *resources, bool *ambiguous)
{
    char key[16];
    char name[NAME_SIZE];
    const json_t *kernels;
    const json_t *entry;

    kg__format(key, sizeof key, "%d", architecture);
    kernels = json_object_get(usage, key);
    kg__resource_usage_plain_name(kernel, name, sizeof name);
    entry = find_kernel(kernels, name, NULL, ambiguous);
    if (entry == NULL && *ambiguous) {
        entry = find_kernel(kernels, name, file, ambiguous);
        *ambiguous = entry == NULL;
    }
    if (entry == NULL)
        return false;
    *resources = (kg__resources){
        .registers = (int)json_integer_value(json_object_get(entry, "registers")),
        .static_shared = (size_t)json_integer_value(json_object_get(entry, "static_shared")),
        .local_bytes = (size_t)json_integer_value(json_object_get(entry, "local_bytes")),
    };
    return true;
}
