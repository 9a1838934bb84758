/* SPDX-License-Identifier: MIT */
/* Source lines and variables of kernels in libraries, which are built in every way that a compiler
 * may leave its debug information. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "model/watch/image.h"
#include "model/watch/places.h"
#include "tests/fakes/drive.h"
#include "tests/model/places_fixture.h"

#define KERNELS KG__PLACES_FOLDER "/places_kernels.cpp"
#define HOOKS KG__PLACES_FOLDER "/places_hooks.c"

/* How instrumented kernels are compiled, but for the debug information. */
#define INSTRUMENTED                                                                               \
    "-std=c++17 -O1 -fno-tree-sra -fno-thread-jumps -fno-reorder-blocks "                          \
    "-fstack-clash-protection -fsanitize=thread,bounds -fsanitize-coverage=trace-pc "              \
    "--param=tsan-instrument-func-entry-exit=0 -fno-gnu-unique"

/* Builds the kernels of `source`, which find the model's headers in `headers`, into the library
 * `name` with further options of the compiler; fails the test when the compiler fails. */
static void build_from(const char *source, const char *headers, const char *name,
                       const char *options)
{
    char command[4096];

    kg__format(command, sizeof command,
               "exec 2>&1; cd '%s' && '" KG__CXX "' " INSTRUMENTED
               " -fPIC %s -c -I '%s' '%s' -o %s.o && '" KG__CC
               "' -std=gnu11 -fPIC -O1 -c -I '" KG__MODEL_INCLUDE "' '" HOOKS
               "' -o hooks.o && '" KG__CXX
               "' -shared -Wl,-Bsymbolic,-z,relro %s %s.o hooks.o -o %s",
               at(""), options, headers, source, name, options, name, name);
    (void)output_of(command);
}

static void build(const char *name, const char *options)
{
    build_from(KERNELS, KG__MODEL_INCLUDE, name, options);
}

/* Loads a library and gives its kernels' runner. */
static places_run_function *load(const char *name, void **handle)
{
    places_run_function *run;

    *handle = dlopen(at(name), RTLD_NOW | RTLD_LOCAL);
    cr_assert(*handle != NULL, "%s", dlerror());
    *(void **)&run = dlsym(*handle, "places_run");
    cr_assert(run != NULL && run != places_run);
    return run;
}

/* Each way of leaving debug information, in a library of its own. */
static const struct {
    const char *name, *options;
} ways[] = { { "dwarf5", "-gdwarf-5" },
             { "dwarf4", "-gdwarf-4" },
             { "split5", "-gdwarf-5 -gsplit-dwarf" },
             { "split4", "-gdwarf-4 -gsplit-dwarf" },
             { "compressed", "-g -gz" },
             { "types", "-g -fdebug-types-section" } };

TestSuite(places_libraries, .init = make_folder);

Test(places_libraries, libraries)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        places_run_function *run;
        void *library = NULL;

        build(ways[i].name, ways[i].options);
        run = load(ways[i].name, &library);
        check_lines(run);
        check_variables(run);
    }
}

Test(places_libraries, files_in_a_roundabout_way)
{
    char headers[1024];
    char source[1024];

    cr_assert(symlink(KG__MODEL_INCLUDE, at("headers")) == 0);
    kg__format(headers, sizeof headers, "%s/.//../%s/headers/.", at(""), strrchr(at(""), '/') + 1);
    kg__format(source, sizeof source, "#include \"%s/..//./%s/places_kernels.cpp\"\n",
               KG__PLACES_FOLDER, strrchr(KG__PLACES_FOLDER, '/') + 1);
    write_text(at("source.cpp"), source);
    for (size_t i = 0; i < 2; i++) {
        void *library = NULL;
        const char *direct;

        check_lines(places_run);
        direct = kg__model_source_of(seen.accesses[0].code).file;
        build_from(at("source.cpp"), headers, ways[i].name, ways[i].options);
        check_lines(load(ways[i].name, &library));
        cr_assert(kg__model_source_of(seen.accesses[0].code).file == direct, "one name");
    }
}

Test(places_libraries, without_debug_information_or_symbols)
{
    void *library = NULL;

    build("bare", "-g0");
    build("stripped", "-g -s");
    check_variables(load("bare", &library));
    for (size_t i = 0; i < seen.access_count; i++) {
        kg__model_source source = kg__model_source_of(seen.accesses[i].code);

        cr_assert(source.file[0] == '\0' && source.line == 0);
    }
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

/* Loads and runs a copy of the library "original", and then replaces its file by as many bytes of
 * another: what is mapped stays whole. */
static void *load_and_replace(const char *other, size_t keep)
{
    void *library = NULL;

    (void)unlink(at("library"));
    copy_file(at("original"), at("library"), SIZE_MAX);
    run_afresh(load("library", &library));
    cr_assert(unlink(at("library")) == 0);
    copy_file(other, at("library"), keep);
    return library;
}

Test(places_libraries, a_file_that_is_not_what_was_loaded)
{
    static const size_t kept[] = { 0, 3, 63, 64, 1000, SIZE_MAX };

    build("original", "-g");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        void *library =
            load_and_replace(kept[i] == SIZE_MAX ? "/proc/self/exe" : at("original"), kept[i]);

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
    const int file = open(at("library"), O_WRONLY | O_CLOEXEC);
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

Test(places_libraries, damaged_files)
{
    unsigned int random = 12345;

    build("original", "-g");
    for (int round = 0; round < 60; round++) {
        void *library = load_and_replace(at("original"), SIZE_MAX);

        damage(&random);
        for (size_t i = 0; i < seen.access_count; i++)
            cr_assert(kg__model_source_of(seen.accesses[i].code).file != NULL);
        for (size_t i = 0; i < seen.variable_count; i++)
            kg__model_variable_near(seen.variables[i].base);
        cr_assert(dlclose(library) == 0);
    }
}

Test(places_libraries, a_library_in_the_place_of_another)
{
    const kg__model_variable *kept;
    const kg__model_variable *own;
    places_run_function *run;
    void *library = NULL;

    build("first", "-g");
    build("second", "-g -DPLACES_MOVED");
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
