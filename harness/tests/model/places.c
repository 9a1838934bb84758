/* Source lines and variables, of kernels that are linked in and of ones in libraries that are built
 * in every way that a compiler may leave its debug information. */
#include "model/watch/places.h"

#include "model/watch/image.h"
#include "tests/model/places_kernels.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNELS KG__PLACES_FOLDER "/places_kernels.cpp"
#define KERNELS_HEADER KG__PLACES_FOLDER "/places_kernels.h"
#define HOOKS KG__PLACES_FOLDER "/places_hooks.c"

/* How instrumented kernels are compiled, but for the debug information. */
#define INSTRUMENTED                                                                               \
    "-std=c++17", "-O1", "-fno-tree-sra", "-fno-reorder-blocks", "-fstack-clash-protection",       \
        "-fsanitize=thread,bounds", "-fsanitize-coverage=trace-pc",                                \
        "--param=tsan-instrument-func-entry-exit=0", "-fno-gnu-unique"

extern char **environ;

static places_seen seen;
static int words[PLACES_WORDS];
static char folder[256];

static const void *at(uintptr_t value)
{
    const void *address;

    memcpy(&address, &value, sizeof address);
    return address;
}

/* The line of the file that says that it accesses a word; 0 when none does. */
static unsigned int line_of_word(const char *path, int word)
{
    FILE *file = fopen(path, "r");
    char text[256];
    unsigned int found = 0;

    cr_assert(file != NULL, "%s: %s", path, strerror(errno));
    for (unsigned int line = 1; found == 0 && fgets(text, sizeof text, file) != NULL; line++) {
        char *number = strstr(text, "// word ");

        if (number == NULL)
            continue;
        number += strlen("// word ");
        for (char *end = NULL; *number >= '0' && *number <= '9'; number = end + (*end == ' ')) {
            if (strtol(number, &end, 10) == word)
                found = line;
        }
    }
    fclose(file);
    return found;
}

/* Runs the kernels and asserts that every access is at the line that the source says. */
static void check_lines(places_run_function *run)
{
    bool accessed[PLACES_WORDS] = { false };
    const char *one_name = NULL;

    run(&seen, words);
    cr_assert(seen.access_count > 0 && seen.access_count < PLACES_MOST);
    for (size_t i = 0; i < seen.access_count; i++) {
        const places_access *access = &seen.accesses[i];
        ptrdiff_t word = (const int *)access->data - words;
        kg__model_source source;
        const char *file = KERNELS;
        unsigned int line;

        if ((uintptr_t)access->data - (uintptr_t)words >= sizeof words)
            continue;
        accessed[word] = true;
        line = line_of_word(KERNELS, (int)word);
        if (line == 0) {
            file = KERNELS_HEADER;
            line = line_of_word(KERNELS_HEADER, (int)word);
        }
        source = kg__model_source_of(access->code);
        cr_assert_str_eq(source.file, file, "word %td: %s:%u", word, source.file, source.line);
        cr_assert(source.line == line, "word %td: line %u, not %u", word, source.line, line);
        cr_assert(one_name == NULL || file != (const char *)KERNELS || one_name == source.file,
                  "a file has one name, whichever access asks");
        if (strcmp(file, KERNELS) == 0)
            one_name = source.file;
    }
    for (int word = 0; word < PLACES_WORDS; word++)
        cr_assert(accessed[word] ==
                      (line_of_word(KERNELS, word) != 0 || line_of_word(KERNELS_HEADER, word) != 0),
                  "word %d", word);
}

static void check_variable(const places_variable *expected, size_t offset)
{
    const unsigned char *address = (const unsigned char *)expected->base + offset;
    const kg__model_variable *found = kg__model_variable_near(address);

    cr_assert(found != NULL, "%s + %zu", expected->name, offset);
    cr_assert_str_eq(found->name, expected->name, "%s + %zu: %s", expected->name, offset,
                     found->name);
    cr_assert((const void *)found->base == expected->base && found->size == expected->size,
              "%s: %p, %zu", expected->name, (void *)found->base, found->size);
    cr_assert((int)found->space == (int)expected->space, "%s is in space %d", expected->name,
              (int)found->space);
    cr_assert(found == kg__model_variable_near(address), "kept");
}

/* Runs the kernels and asserts that every variable is found, from its first byte to its last, and
 * shared arrays and constants in the hole behind them. */
static void check_variables(places_run_function *run)
{
    run(&seen, words);
    cr_assert(seen.variable_count == 13, "%zu variables", seen.variable_count);
    for (size_t i = 0; i < seen.variable_count; i++) {
        const places_variable *variable = &seen.variables[i];

        check_variable(variable, 0);
        check_variable(variable, variable->size - 1);
        cr_assert(kg__model_in_image(variable->base));
        if (variable->space == PLACES_GLOBAL)
            continue;
        check_variable(variable, variable->size);
        cr_assert((uintptr_t)variable->base % 65536 == 0, "%s", variable->name);
        if (i > 0 && variable->space == PLACES_SHARED)
            cr_assert(kg__model_variable_near((const char *)variable->base - 1) !=
                      kg__model_variable_near(variable->base));
    }
    /* The holes between two arrays are the first one's, up to the last byte. */
    for (size_t i = 0; i < seen.variable_count; i++) {
        for (size_t j = 0; j < seen.variable_count; j++) {
            const unsigned char *first = seen.variables[i].base;
            const unsigned char *second = seen.variables[j].base;

            if (seen.variables[i].space != PLACES_GLOBAL && second == first + 65536)
                check_variable(&seen.variables[i], 65535);
        }
    }
    cr_assert(seen.aliased[0] == seen.aliased[1] &&
              kg__model_variable_near(seen.aliased[0])->base == seen.aliased[0] &&
              kg__model_variable_near(seen.aliased[0])->size == 4 * sizeof(int));
    cr_assert(kg__model_variable_near(seen.kernel) == NULL, "code");
    cr_assert(kg__model_variable_near(seen.literal) == NULL, "a string literal");
    cr_assert(kg__model_variable_near(seen.table) == NULL, "a constant table");
    cr_assert(kg__model_variable_near(seen.sealed) == NULL, "a constant with addresses");
    cr_assert(kg__model_in_image(seen.kernel) && kg__model_in_image(seen.literal) &&
              kg__model_in_image(seen.table) && kg__model_in_image(seen.sealed));
}

/* Runs a command, a NULL behind its last word; true when it exits 0. */
static bool run_command(char *const command[])
{
    pid_t child = 0;
    int status = -1;

    cr_assert(posix_spawnp(&child, command[0], NULL, NULL, command, environ) == 0, "%s",
              command[0]);
    cr_assert(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/kg-places-XXXXXX", parent != NULL ? parent : "/tmp");
    cr_assert(mkdtemp(folder) != NULL, "%s: %s", folder, strerror(errno));
}

static void remove_folder(void)
{
    char *command[] = { "rm", "-rf", folder, NULL };

    run_command(command);
}

/* Builds the kernels of `source`, which find the model's headers in `headers`, into folder/name
 * with up to three further options of the compiler. False when the compiler fails. */
static bool build_from(const char *source, const char *headers, const char *name,
                       const char *const options[3])
{
    char object[512];
    char hooks_source[] = HOOKS;
    char hooks[512];
    char library[512];
    char *compile[64] = { KG__CXX, INSTRUMENTED, "-fPIC", "-c", "-I" };
    char *compile_hooks[] = { KG__CC, "-std=gnu11",      "-fPIC",      "-c", "-O1",
                              "-I",   KG__MODEL_INCLUDE, hooks_source, "-o", hooks,
                              NULL };
    char *link[] = { KG__CXX, "-shared", "-Wl,-Bsymbolic,-z,relro", object, hooks, "-o",
                     library, NULL };
    size_t count = 0;

    snprintf(object, sizeof object, "%s/%s.o", folder, name);
    snprintf(hooks, sizeof hooks, "%s/%s.hooks.o", folder, name);
    snprintf(library, sizeof library, "%s/%s", folder, name);
    while (compile[count] != NULL)
        count++;
    compile[count++] = (char *)headers;
    compile[count++] = (char *)source;
    compile[count++] = "-o";
    compile[count++] = object;
    for (size_t i = 0; i < 3 && options[i] != NULL; i++)
        compile[count++] = (char *)options[i];
    return run_command(compile) && run_command(compile_hooks) && run_command(link);
}

static bool build(const char *name, const char *const options[3])
{
    return build_from(KERNELS, KG__MODEL_INCLUDE, name, options);
}

/* Loads folder/name and gives its kernels' runner. */
static places_run_function *load(const char *name, void **handle)
{
    char library[512];
    places_run_function *run;

    snprintf(library, sizeof library, "%s/%s", folder, name);
    *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    cr_assert(*handle != NULL, "%s", dlerror());
    *(void **)&run = dlsym(*handle, "places_run");
    cr_assert(run != NULL && run != places_run);
    return run;
}

Test(places, lines_of_accesses)
{
    check_lines(places_run);
}

Test(places, lines_are_known_again)
{
    check_lines(places_run);
    memset(&seen, 0, sizeof seen);
    memset(words, 0, sizeof words);
    check_lines(places_run);
}

Test(places, many_lines)
{
    enum { COUNT = 6000 };
    static kg__model_source sources[COUNT];
    size_t known = 0;

    places_run(&seen, words);
    for (size_t i = 0; i < COUNT; i++) {
        sources[i] = kg__model_source_of((const char *)seen.kernel + i);
        cr_assert(sources[i].file != NULL);
        known += sources[i].line > 0;
    }
    cr_assert(known > 100);
    for (size_t i = COUNT; i-- > 0;) {
        kg__model_source again = kg__model_source_of((const char *)seen.kernel + i);

        cr_assert(again.file == sources[i].file && again.line == sources[i].line);
    }
    check_lines(places_run);
}

Test(places, a_header_function_that_is_not_inlined_keeps_its_line)
{
    kg__model_source source;

    places_run(&seen, words);
    cr_assert(seen.launched != NULL);
    source = kg__model_source_of((const char *)seen.launched + 1);
    cr_assert_str_eq(source.file, KG__MODEL_INCLUDE "/cuda_runtime.h");
    cr_assert(source.line > 0);
}

Test(places, addresses_without_source)
{
    int local = 0;
    void *heap = malloc(16);
    const void *addresses[] = { NULL, at(1), at(UINTPTR_MAX), &local, heap, words, seen.accesses };

    cr_assert(heap != NULL);
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        kg__model_source source = kg__model_source_of(addresses[i]);

        cr_assert(source.file != NULL && source.file[0] == '\0' && source.line == 0, "%zu: %s:%u",
                  i, source.file, source.line);
    }
    free(heap);
}

Test(places, variables)
{
    check_variables(places_run);
}

Test(places, addresses_without_variable)
{
    static _Thread_local int of_thread = 3;
    int local = 0;
    void *heap = malloc(16);
    void *function = dlsym(RTLD_DEFAULT, "malloc");

    cr_assert(heap != NULL && function != NULL);
    cr_assert(kg__model_variable_near(NULL) == NULL && !kg__model_in_image(NULL));
    cr_assert(kg__model_variable_near(at(UINTPTR_MAX)) == NULL);
    cr_assert(kg__model_variable_near(&local) == NULL && !kg__model_in_image(&local));
    cr_assert(kg__model_variable_near(heap) == NULL && !kg__model_in_image(heap));
    cr_assert(kg__model_variable_near(&of_thread) == NULL && !kg__model_in_image(&of_thread));
    cr_assert(kg__model_in_image(function), "a library's code");
    cr_assert(kg__model_variable_near(function) == NULL);
    free(heap);
}

Test(places, before_and_behind_everything)
{
    const kg__model_image *image = kg__model_image_at(words);
    uintptr_t low;
    uintptr_t high;

    cr_assert(image != NULL && image->whole.size > sizeof words);
    low = image->whole.base;
    high = low + image->whole.size;
    cr_assert(kg__model_in_image(at(low)) && !kg__model_in_image(at(low - 1)));
    cr_assert(kg__model_in_image(at(high - 1)));
    cr_assert(!kg__model_in_image(at(high)));
    cr_assert(kg__model_variable_near(at(low)) == NULL);
    cr_assert(kg__model_variable_near(at(high)) == NULL);
}

/* Each way of leaving debug information, in a library of its own. */
static const struct {
    const char *name;
    const char *options[3];
} ways[] = { { "dwarf5", { "-gdwarf-5" } },
             { "dwarf4", { "-gdwarf-4" } },
             { "split5", { "-gdwarf-5", "-gsplit-dwarf" } },
             { "split4", { "-gdwarf-4", "-gsplit-dwarf" } },
             { "compressed", { "-g", "-gz" } },
             { "types", { "-g", "-fdebug-types-section" } } };

Test(places, libraries, .fini = remove_folder, .timeout = 100)
{
    make_folder();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        places_run_function *run;
        void *library = NULL;

        cr_assert(build(ways[i].name, ways[i].options), "%s", ways[i].name);
        run = load(ways[i].name, &library);
        memset(&seen, 0, sizeof seen);
        memset(words, 0, sizeof words);
        check_lines(run);
        memset(&seen, 0, sizeof seen);
        memset(words, 0, sizeof words);
        check_variables(run);
    }
}

Test(places, files_in_a_roundabout_way, .fini = remove_folder, .timeout = 100)
{
    static const char *const options[][3] = { { "-gdwarf-5" }, { "-gdwarf-4" } };
    char headers[1024];
    char link[512];
    char source[512];

    make_folder();
    snprintf(link, sizeof link, "%s/headers", folder);
    cr_assert(symlink(KG__MODEL_INCLUDE, link) == 0);
    snprintf(headers, sizeof headers, "%s/.//../%s/headers/.", folder, strrchr(folder, '/') + 1);
    snprintf(source, sizeof source, "%s/source.cpp", folder);
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(source, "w");
        char name[16];
        void *library = NULL;
        const char *direct;

        cr_assert(file != NULL);
        fprintf(file, "#include \"%s/..//./%s/places_kernels.cpp\"\n", KG__PLACES_FOLDER,
                strrchr(KG__PLACES_FOLDER, '/') + 1);
        cr_assert(fclose(file) == 0);
        memset(&seen, 0, sizeof seen);
        memset(words, 0, sizeof words);
        check_lines(places_run);
        direct = kg__model_source_of(seen.accesses[0].code).file;
        snprintf(name, sizeof name, "around%zu", i);
        cr_assert(build_from(source, headers, name, options[i]));
        memset(&seen, 0, sizeof seen);
        memset(words, 0, sizeof words);
        check_lines(load(name, &library));
        cr_assert(kg__model_source_of(seen.accesses[0].code).file == direct, "one name");
    }
}

Test(places, without_debug_information, .fini = remove_folder, .timeout = 100)
{
    const char *options[3] = { "-g0" };
    places_run_function *run;
    void *library = NULL;

    make_folder();
    cr_assert(build("bare", options));
    run = load("bare", &library);
    check_variables(run);
    for (size_t i = 0; i < seen.access_count; i++) {
        kg__model_source source = kg__model_source_of(seen.accesses[i].code);

        cr_assert(source.file[0] == '\0' && source.line == 0);
    }
}

Test(places, a_stripped_library, .fini = remove_folder, .timeout = 100)
{
    const char *options[3] = { "-g" };
    char path[512];
    char *strip[] = { "strip", path, NULL };
    places_run_function *run;
    void *library = NULL;

    make_folder();
    cr_assert(build("stripped", options));
    snprintf(path, sizeof path, "%s/stripped", folder);
    cr_assert(run_command(strip));
    run = load("stripped", &library);
    run(&seen, words);
    cr_assert(seen.access_count > 0 && seen.variable_count > 0);
    for (size_t i = 0; i < seen.access_count; i++)
        cr_assert(kg__model_source_of(seen.accesses[i].code).line == 0);
    for (size_t i = 0; i < seen.variable_count; i++) {
        cr_assert(kg__model_variable_near(seen.variables[i].base) == NULL);
        cr_assert(kg__model_in_image(seen.variables[i].base));
    }
}

/* Copies the file, `keep` bytes of it at most, to another name. */
static void copy_file(const char *from, const char *to, size_t keep)
{
    FILE *source = fopen(from, "rb");
    FILE *copy = fopen(to, "wb");
    int byte;

    cr_assert(source != NULL && copy != NULL);
    for (size_t i = 0; i < keep && (byte = getc(source)) != EOF; i++)
        putc(byte, copy);
    cr_assert(fclose(source) == 0 && fclose(copy) == 0);
}

Test(places, a_file_that_is_not_what_was_loaded, .fini = remove_folder, .timeout = 100)
{
    const char *options[3] = { "-g" };
    static const size_t kept[] = { 0, 3, 63, 64, 1000 };
    char path[512];
    char original[512];
    places_run_function *run;
    void *library = NULL;

    make_folder();
    cr_assert(build("library", options));
    snprintf(path, sizeof path, "%s/library", folder);
    snprintf(original, sizeof original, "%s/original", folder);
    copy_file(path, original, SIZE_MAX);
    for (size_t i = 0; i <= sizeof kept / sizeof kept[0]; i++) {
        cr_assert(unlink(path) == 0);
        copy_file(original, path, SIZE_MAX);
        memset(&seen, 0, sizeof seen);
        run = load("library", &library);
        run(&seen, words);
        cr_assert(unlink(path) == 0);
        if (i < sizeof kept / sizeof kept[0])
            copy_file(original, path, kept[i]);
        else
            copy_file("/proc/self/exe", path, SIZE_MAX);
        for (size_t j = 0; j < seen.variable_count; j++)
            cr_assert(kg__model_variable_near(seen.variables[j].base) == NULL);
        cr_assert(kg__model_source_of(seen.accesses[0].code).line == 0);
        cr_assert(kg__model_in_image(seen.accesses[0].code));
        cr_assert(dlclose(library) == 0);
        cr_assert(!kg__model_in_image(seen.accesses[0].code), "unloaded");
        cr_assert(kg__model_variable_near(seen.variables[0].base) == NULL);
    }
}

Test(places, damaged_files, .fini = remove_folder, .timeout = 100)
{
    const char *options[3] = { "-g" };
    char path[512];
    char original[512];
    struct stat status;
    unsigned int random = 12345;

    make_folder();
    cr_assert(build("library", options));
    snprintf(path, sizeof path, "%s/library", folder);
    snprintf(original, sizeof original, "%s/original", folder);
    copy_file(path, original, SIZE_MAX);
    cr_assert(stat(original, &status) == 0);
    for (int round = 0; round < 60; round++) {
        places_run_function *run;
        void *library = NULL;
        int file;

        cr_assert(unlink(path) == 0);
        copy_file(original, path, SIZE_MAX);
        run = load("library", &library);
        memset(&seen, 0, sizeof seen);
        run(&seen, words);
        /* What is mapped stays whole; the file of that name has other bytes here and there, in its
         * symbols, its sections' headers and its debug information. */
        cr_assert(unlink(path) == 0);
        copy_file(original, path, SIZE_MAX);
        file = open(path, O_WRONLY | O_CLOEXEC);
        cr_assert(file >= 0);
        for (int i = 0; i < 400; i++) {
            off_t place;
            unsigned char byte;

            random = random * 1664525u + 1013904223u;
            place = 1024 + (off_t)(random >> 1) % (status.st_size - 1024);
            byte = (unsigned char)(random >> 8);
            cr_assert(pwrite(file, &byte, 1, place) == 1);
        }
        cr_assert(close(file) == 0);
        for (size_t i = 0; i < seen.access_count; i++)
            cr_assert(kg__model_source_of(seen.accesses[i].code).file != NULL);
        for (size_t i = 0; i < seen.variable_count; i++)
            kg__model_variable_near(seen.variables[i].base);
        cr_assert(dlclose(library) == 0);
    }
}

Test(places, a_library_in_anothers_place, .fini = remove_folder, .timeout = 100)
{
    const char *options[3] = { "-g" };
    const char *moved[3] = { "-g", "-DPLACES_MOVED" };
    const kg__model_variable *kept;
    const kg__model_variable *own;
    places_run_function *run;
    void *library = NULL;

    make_folder();
    cr_assert(build("first", options) && build("second", moved));
    check_variables(places_run);
    own = kg__model_variable_near(seen.variables[0].base);
    for (int round = 0; round < 4; round++) {
        run = load(round % 2 == 0 ? "first" : "second", &library);
        memset(&seen, 0, sizeof seen);
        memset(words, 0, sizeof words);
        check_lines(run);
        memset(&seen, 0, sizeof seen);
        memset(words, 0, sizeof words);
        check_variables(run);
        kept = kg__model_variable_near(seen.variables[0].base);
        cr_assert(dlclose(library) == 0);
        cr_assert_str_eq(kept->name, "tile_a", "kept when its library is gone");
        cr_assert(kg__model_variable_near(seen.variables[0].base) == NULL);
        cr_assert(kg__model_variable_near(own->base) == own, "the program's own stay");
    }
}
