/* SPDX-License-Identifier: MIT */
#include "model/watch/places.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/fibers.h"
#include "model/watch/image.h"
#include "model/watch/program.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A source file's name, kept for the life of the process. */
typedef struct file_name {
    char *text;     /* as callers get it */
    char *given;    /* as the debug information has it */
    bool of_header; /* a header of the model or of the C++ library */
    struct file_name *next;
} file_name;

/* A line that was looked up before. */
typedef struct known_source {
    const void *code;
    kg__model_source source;
} known_source;

static file_name *file_names;

static void *known;          /* a tree of tsearch() */
static uint64_t known_since; /* the count of unloaded images it is valid for */

/* Removes "//", "." and ".." from an absolute path, without looking at the file system. */
static void simplify(char *path)
{
    char *end = path; /* of the part that is kept */
    const char *at = path;

    while (*at != '\0') {
        size_t length = strcspn(at + 1, "/");

        if (length == 2 && strncmp(at + 1, "..", 2) == 0) {
            while (end > path && *--end != '/')
                ;
        } else if (length > 0 && !(length == 1 && at[1] == '.')) {
            memmove(end, at, length + 1);
            end += length + 1;
        }
        at += length + 1;
    }
    if (end == path)
        *end++ = '/';
    *end = '\0';
}

const char *kg__model_headers = "";

/* Returns whether the file lies in `folder`, an absolute path. */
static bool lies_in(const char *file, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(file, folder, length) == 0 && file[length] == '/';
}

bool kg__model_is_header(const char *file)
{
    char folder[PATH_MAX];
    char real[PATH_MAX];

    if (lies_in(file, kg__model_headers) || strstr(file, "/include/c++/") != NULL ||
        strstr(file, "/include/thrust/") != NULL)
        return true;
    return realpath(kg__model_headers, folder) != NULL && realpath(file, real) != NULL &&
           lies_in(real, folder);
}

static const file_name *intern_file(const char *given)
{
    file_name *name;

    for (name = file_names; name != NULL; name = name->next) {
        if (strcmp(name->given, given) == 0)
            return name;
    }
    name = kg__allocate(1, sizeof *name);
    name->given = kg__copy_text(given);
    name->text = kg__copy_text(given);
    if (given[0] == '/')
        simplify(name->text);
    name->of_header = kg__model_is_header(name->text);
    /* Two spellings of one path must be one name. */
    for (const file_name *other = file_names; other != NULL; other = other->next) {
        if (strcmp(other->text, name->text) == 0) {
            free(name->text);
            name->text = other->text;
            break;
        }
    }
    name->next = file_names;
    file_names = name;
    return name;
}

/* Finds the line that the unit's code was compiled from; false when it has none. */
static bool line_of(kg__model_unit *unit, const file_name **file, unsigned int *line)
{
    Dwarf_Line *row = dwarf_getsrc_die(&unit->lines, unit->address);
    const char *name;
    int number = 0;

    if (row == NULL || dwarf_lineno(row, &number) != 0 || number <= 0)
        return false;
    name = dwarf_linesrc(row, NULL, NULL);
    if (name == NULL)
        return false;
    *file = intern_file(name);
    *line = (unsigned int)number;
    return true;
}

/* Finds the line where an inlined function was called, if it was inlined. */
static void take_call(Dwarf_Die *inlined, Dwarf_Files *files, const file_name **file,
                      unsigned int *line)
{
    Dwarf_Attribute attribute;
    Dwarf_Word index = 0;
    Dwarf_Word number = 0;
    const char *name;

    if (dwarf_tag(inlined) != DW_TAG_inlined_subroutine ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &index) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) != 0 ||
        number == 0 || number > UINT_MAX)
        return;
    name = dwarf_filesrc(files, (size_t)index, NULL, NULL);
    if (name == NULL)
        return;
    *file = intern_file(name);
    *line = (unsigned int)number;
}

/* A function that is looked for by an address in it. */
typedef struct sought_function {
    Dwarf_Addr address;
    Dwarf_Die die;
} sought_function;

static int is_sought(Dwarf_Die *function, void *data)
{
    sought_function *sought = data;

    sought->die = *function;
    return dwarf_haspc(function, sought->address) > 0 ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* Replaces a scope by the innermost one in it that has an address. */
static void descend(Dwarf_Die *scope, Dwarf_Addr address)
{
    Dwarf_Die child;
    int end = dwarf_child(scope, &child);

    while (end == 0) {
        const bool inside = dwarf_haspc(&child, address) > 0;

        if (inside)
            *scope = child;
        end = inside ? dwarf_child(scope, &child) : dwarf_siblingof(&child, &child);
    }
}

/* Returns the number of scopes of the unit's code, innermost first, which the caller frees, and the
 * unit's files. */
static int scopes_of(kg__model_unit *unit, Dwarf_Files **files, Dwarf_Die **scopes)
{
    sought_function own = { .address = unit->address };
    Dwarf_Die *innermost = NULL;
    int count = 0;

    *scopes = NULL;
    if (dwarf_getsrcfiles(&unit->scopes, files, NULL) != 0)
        return 0;
    /* A lambda's function is in that around it, which may have other addresses: no scope but the
     * unit is found then. */
    if (dwarf_getscopes(&unit->scopes, unit->address, &innermost) > 1)
        count = dwarf_getscopes_die(&innermost[0], scopes);
    else if (dwarf_getfuncs(&unit->scopes, is_sought, &own, 0) > 0) {
        descend(&own.die, own.address);
        count = dwarf_getscopes_die(&own.die, scopes);
    }
    free(innermost);
    return count;
}

/* Walks the scopes of the unit's code, innermost first. While the line is in one of the model's
 * headers, replaces it by the call that was inlined there. A header's function that is not
 * inlined keeps its own line. */
static void leave_headers(kg__model_unit *unit, const file_name **file, unsigned int *line)
{
    Dwarf_Files *files = NULL;
    Dwarf_Die *scopes;
    int count = scopes_of(unit, &files, &scopes);

    for (int i = 0; i < count && (*file)->of_header; i++)
        take_call(&scopes[i], files, file, line);
    free(scopes);
}

static kg__model_source look_up(const void *code)
{
    kg__model_source source = { .file = "" };
    const file_name *file = NULL;
    kg__model_unit unit;

    if (!kg__model_find_unit(code, &unit) || !line_of(&unit, &file, &source.line))
        return source;
    if (file->of_header)
        leave_headers(&unit, &file, &source.line);
    source.file = file->text;
    return source;
}

static int compare_code(const void *left, const void *right)
{
    uintptr_t a = (uintptr_t)((const known_source *)left)->code;
    uintptr_t b = (uintptr_t)((const known_source *)right)->code;

    return (a > b) - (a < b);
}

/* Looks a line up, once. */
static const known_source *know_source(const void *code)
{
    const known_source wanted = { .code = code };
    known_source **found = tfind(&wanted, &known, compare_code);
    known_source *entry;

    if (found != NULL)
        return *found;
    entry = kg__allocate(1, sizeof *entry);
    /* The report of a hang looks lines up too, and libdw must not be interrupted. */
    kg__model_hold_sigterm();
    *entry = (known_source){ .code = code, .source = look_up(code) };
    kg__model_release_sigterm();
    if (tsearch(entry, &known, compare_code) == NULL) {
        kg__complain("out of host memory for a line of source: free some memory");
        exit(2);
    }
    return entry;
}

kg__model_source kg__model_source_of(const void *code)
{
    /* The call is the instruction before the return address. */
    const void *call = (const void *)((uintptr_t)code - 1);

    if ((uintptr_t)code <= 1 || kg__model_image_at(call) == NULL)
        return (kg__model_source){ .file = "" };
    if (known_since != kg__model_images_given_up) {
        known_since = kg__model_images_given_up;
        tdestroy(known, free);
        known = NULL;
    }
    return know_source(call)->source;
}

size_t kg__model_calls_of(const void *code, const char **function, kg__finding_call *calls,
                          size_t most)
{
    Dwarf_Files *files = NULL;
    kg__model_unit unit;
    Dwarf_Die *scopes = NULL;
    const file_name *file = NULL;
    unsigned int line = 0;
    size_t count = 0;
    int scope_count = 0;

    *function = NULL;
    kg__model_hold_sigterm();
    if (kg__model_find_unit((const char *)code - 1, &unit) && line_of(&unit, &file, &line))
        scope_count = scopes_of(&unit, &files, &scopes);
    for (int i = 0; i < scope_count && count < most; i++) {
        bool was_in_header = file->of_header;

        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
            continue;
        take_call(&scopes[i], files, &file, &line);
        if (!was_in_header && *function == NULL && dwarf_diename(&scopes[i]) != NULL)
            *function = dwarf_diename(&scopes[i]);
        if (!was_in_header && !file->of_header)
            calls[count++] = (kg__finding_call){ file->text, line };
    }
    free(scopes);
    kg__model_release_sigterm();
    return count;
}

/* Returns whether the code at `address` was compiled with that at `other`. */
static bool is_of_one_unit(const void *address, const void *other)
{
    kg__model_unit units[2];

    return kg__model_find_unit(address, &units[0]) && kg__model_find_unit(other, &units[1]) &&
           units[0].lines.cu == units[1].lines.cu;
}

kg__model_source kg__model_source_within(const void *function, const uintptr_t *codes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kg__model_source source;

        if (codes[i] <= 1 || !is_of_one_unit((const void *)(codes[i] - 1), function))
            continue;
        source = kg__model_source_of((const void *)codes[i]);
        if (source.line > 0 && !kg__model_is_header(source.file))
            return source;
    }
    return (kg__model_source){ .file = "" };
}

kg__model_source kg__model_host_source(void *const *codes, int count)
{
    Dl_info own = { 0 };
    Dl_info other = { 0 };

    (void)dladdr((const void *)(uintptr_t)kg__model_host_source, &own);
    for (int i = 0; i < count; i++) {
        const kg__model_source source = kg__model_source_of(codes[i]);

        if (dladdr(codes[i], &other) != 0 && other.dli_fbase != own.dli_fbase && source.line > 0 &&
            !kg__model_is_header(source.file))
            return source;
    }
    return (kg__model_source){ .file = "" };
}

/* Returns a variable's own name: the part after the last "::" outside of brackets. */
static char *own_name(const char *mangled)
{
    char *whole = kg__model_demangled(mangled);
    char *own = whole;
    char *copy;
    size_t depth = 0;

    for (char *at = whole + strlen(whole); at > whole && own == whole; at--) {
        if (at[-1] == ')' || at[-1] == '>')
            depth++;
        else if ((at[-1] == '(' || at[-1] == '<') && depth > 0)
            depth--;
        else if (depth == 0 && at - whole >= 2 && at[-1] == ':' && at[-2] == ':')
            own = at;
    }
    copy = kg__copy_text(own);
    free(whole);
    return copy;
}

/* Returns whether the section holds __constant__ variables. */
static bool is_constant(const kg__model_section *section)
{
    return strcmp(section->name, "kg_constant") == 0;
}

/* Returns whether kernels may access `base` in the section: it is not code, a constant of the
 * program itself, or the initial value of a thread-local variable. */
static bool may_hold_variables(const kg__model_image *image, const kg__model_section *section,
                               uintptr_t base)
{
    if (is_constant(section))
        return true;
    return section->writable && !section->of_threads &&
           (base < image->sealed.base || base - image->sealed.base >= image->sealed.size);
}

uintptr_t kg__model_lowest_variable = UINTPTR_MAX;
uintptr_t kg__model_end_of_variables;

void kg__model_widen_bounds(const kg__model_variable *variable)
{
    const uintptr_t base = (uintptr_t)variable->base;

    if (base < kg__model_lowest_variable)
        kg__model_lowest_variable = base;
    if (base + variable->size > kg__model_end_of_variables)
        kg__model_end_of_variables = base + variable->size;
    kg__model_look_at(base, base + variable->size);
}

/* Fills in the image's variables, ascending by base and without overlaps. */
static void find_variables(kg__model_image *image)
{
    kg__model_variable *last = NULL;

    image->has_variables = true;
    image->variables = kg__allocate(image->object_count, sizeof *image->variables);
    for (size_t i = 0; i < image->object_count; i++) {
        const kg__model_symbol *object = &image->objects[i];
        const kg__model_section *section = &image->sections[object->section];

        if (object->size == 0 || !may_hold_variables(image, section, (uintptr_t)object->base))
            continue;
        if (last != NULL && object->base < last->base + last->size) {
            /* An alias of the same memory or of a part of it. */
            if (object->base == last->base && object->size > last->size)
                last->size = object->size;
            continue;
        }
        last = &image->variables[image->variable_count++];
        *last = (kg__model_variable){
            .name = own_name(object->name),
            .base = object->base,
            .size = object->size,
            .space = is_constant(section)                 ? KG__MODEL_CONSTANT
                     : kg__model_is_shared(image, object) ? KG__MODEL_SHARED
                                                          : KG__MODEL_GLOBAL,
            .of_host = object->of_host && !is_constant(section),
            .of_device = object->of_device || is_constant(section),
            .of_both = strcmp(section->name, "kg_managed") == 0,
        };
        if (last->of_device)
            kg__model_widen_bounds(last);
    }
}

void kg__model_give_to_host(const kg__model_variable *variable)
{
    kg__model_image *image = kg__model_image_at(variable->base);

    image->variables[variable - image->variables].of_host = true;
}

const kg__model_variable *kg__model_variable_near(const void *address)
{
    kg__model_image *image = kg__model_image_at(address);
    const kg__model_variable *variable;
    const kg__model_section *section;
    size_t rank;

    if (image == NULL)
        return NULL;
    if (!image->has_variables)
        find_variables(image);
    rank = kg__model_rank(image->variables, offsetof(kg__model_variable, base),
                          image->variable_count, sizeof *image->variables, (uintptr_t)address);
    if (rank == 0)
        return NULL;
    variable = &image->variables[rank - 1];
    if ((uintptr_t)address - (uintptr_t)variable->base < variable->size)
        return variable;
    /* Between two sections, too, is the gap behind a variable. */
    section = kg__model_section_at(image, address);
    if (section != NULL && !may_hold_variables(image, section, (uintptr_t)address))
        return NULL;
    return variable;
}

bool kg__model_in_image(const void *address)
{
    return kg__model_image_at(address) != NULL;
}

bool kg__model_is_table(const void *address)
{
    const kg__model_image *image = kg__model_image_at(address);
    const size_t rank =
        image != NULL
            ? kg__model_rank(image->objects, offsetof(kg__model_symbol, base), image->object_count,
                             sizeof *image->objects, (uintptr_t)address)
            : 0;
    const kg__model_symbol *object = rank > 0 ? &image->objects[rank - 1] : NULL;

    return object != NULL && (uintptr_t)address - (uintptr_t)object->base < object->size &&
           strncmp(object->name, "_ZTV", 4) == 0;
}

bool kg__model_is_writable(const void *address)
{
    const kg__model_image *image = kg__model_image_at(address);
    const kg__model_section *section = image != NULL ? kg__model_section_at(image, address) : NULL;

    return section != NULL && section->writable;
}
