/* SPDX-License-Identifier: MIT */
/* Source lines and variables of kernels in libraries, which are built in every way that a compiler
 * may leave its debug information. */
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

#include "model/watch/image.h"
#include "model/watch/places.h"
#include "tests/model/places_fixture.h"

#define KERNELS KG__PLACES_FOLDER "/places_kernels.cpp"
#define HOOKS KG__PLACES_FOLDER "/places_hooks.c"

/* How instrumented kernels are compiled, but for the debug information. */
#define INSTRUMENTED                                                                               \
    "-std=c++17", "-O1", "-fno-tree-sra", "-fno-thread-jumps", "-fno-reorder-blocks",              \
        "-fstack-clash-protection", "-fsanitize=thread,bounds", "-fsanitize-coverage=trace-pc",    \
        "--param=tsan-instrument-func-entry-exit=0", "-fno-gnu-unique"

extern char **environ;

static char folder[256];

/* Runs a command, with a NULL after its last word; true when it exits 0. */
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

Test(places_libraries, libraries, .fini = remove_folder, .timeout = 100)
{
    make_folder();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        places_run_function *run;
        void *library = NULL;

        cr_assert(build(ways[i].name, ways[i].options), "%s", ways[i].name);
        run = load(ways[i].name, &library);
        check_lines(run);
        check_variables(run);
    }
}

Test(places_libraries, files_in_a_roundabout_way, .fini = remove_folder, .timeout = 100)
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
        check_lines(places_run);
        direct = kg__model_source_of(seen.accesses[0].code).file;
        snprintf(name, sizeof name, "around%zu", i);
        cr_assert(build_from(source, headers, name, options[i]));
        check_lines(load(name, &library));
        cr_assert(kg__model_source_of(seen.accesses[0].code).file == direct, "one name");
    }
}

Test(places_libraries, without_debug_information_or_symbols, .fini = remove_folder, .timeout = 100)
{
    const char *bare[3] = { "-g0" };
    const char *options[3] = { "-g" };
    char path[512];
    char *strip[] = { "strip", path, NULL };
    void *library = NULL;

    make_folder();
    cr_assert(build("bare", bare) && build("stripped", options));
    check_variables(load("bare", &library));
    for (size_t i = 0; i < seen.access_count; i++) {
        kg__model_source source = kg__model_source_of(seen.accesses[i].code);

        cr_assert(source.file[0] == '\0' && source.line == 0);
    }
    snprintf(path, sizeof path, "%s/stripped", folder);
    cr_assert(run_command(strip));
    run_afresh(load("stripped", &library));
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

static char path[512];
static char original[512];

/* Builds folder/library, and keeps a copy. */
static void build_original(void)
{
    const char *options[3] = { "-g" };

    make_folder();
    cr_assert(build("library", options));
    snprintf(path, sizeof path, "%s/library", folder);
    snprintf(original, sizeof original, "%s/original", folder);
    copy_file(path, original, SIZE_MAX);
}

/* Loads and runs the library, and then replaces its file by as many bytes of another: what is
 * mapped stays whole. */
static void *load_and_replace(const char *other, size_t keep)
{
    void *library = NULL;

    cr_assert(unlink(path) == 0);
    copy_file(original, path, SIZE_MAX);
    run_afresh(load("library", &library));
    cr_assert(unlink(path) == 0);
    copy_file(other, path, keep);
    return library;
}

Test(places_libraries, a_file_that_is_not_what_was_loaded, .fini = remove_folder, .timeout = 100)
{
    static const size_t kept[] = { 0, 3, 63, 64, 1000, SIZE_MAX };

    build_original();
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        void *library =
            load_and_replace(kept[i] == SIZE_MAX ? "/proc/self/exe" : original, kept[i]);

        for (size_t j = 0; j < seen.variable_count; j++)
            cr_assert(kg__model_variable_near(seen.variables[j].base) == NULL);
        cr_assert(kg__model_source_of(seen.accesses[0].code).line == 0);
        cr_assert(kg__model_in_image(seen.accesses[0].code));
        cr_assert(dlclose(library) == 0);
        cr_assert(!kg__model_in_image(seen.accesses[0].code), "unloaded");
        cr_assert(kg__model_variable_near(seen.variables[0].base) == NULL);
    }
}

/* Other bytes here and there, in its symbols, its sections' headers and its debug information. */
static void damage(unsigned int *random)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    struct stat status;

    cr_assert(file >= 0 && fstat(file, &status) == 0);
    for (int i = 0; i < 400; i++) {
        off_t place;
        unsigned char byte;

        *random = *random * 1664525u + 1013904223u;
        place = 1024 + (off_t)(*random >> 1) % (status.st_size - 1024);
        byte = (unsigned char)(*random >> 8);
        cr_assert(pwrite(file, &byte, 1, place) == 1);
    }
    cr_assert(close(file) == 0);
}

Test(places_libraries, damaged_files, .fini = remove_folder, .timeout = 100)
{
    unsigned int random = 12345;

    build_original();
    for (int round = 0; round < 60; round++) {
        void *library = load_and_replace(original, SIZE_MAX);

        damage(&random);
        for (size_t i = 0; i < seen.access_count; i++)
            cr_assert(kg__model_source_of(seen.accesses[i].code).file != NULL);
        for (size_t i = 0; i < seen.variable_count; i++)
            kg__model_variable_near(seen.variables[i].base);
        cr_assert(dlclose(library) == 0);
    }
}

Test(places_libraries, a_library_in_the_place_of_another, .fini = remove_folder, .timeout = 100)
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
        check_lines(run);
        check_variables(run);
        kept = kg__model_variable_near(seen.variables[0].base);
        cr_assert(dlclose(library) == 0);
        cr_assert_str_eq(kept->name, "tile_a", "kept when its library is gone");
        cr_assert(kg__model_variable_near(seen.variables[0].base) == NULL);
        cr_assert(kg__model_variable_near(own->base) == own, "the program's own stay");
    }
}
