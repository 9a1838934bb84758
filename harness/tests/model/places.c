/* SPDX-License-Identifier: MIT */
/* Source lines and variables of kernels. */
#include "model/watch/places.h"

#include "model/watch/image.h"
#include "tests/model/places_fixture.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS KG__PLACES_FOLDER "/places_kernels.cpp"
#define KERNELS_HEADER KG__PLACES_FOLDER "/places_kernels.h"

places_seen seen;
int words[PLACES_WORDS];

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

void run_afresh(places_run_function *run)
{
    memset(&seen, 0, sizeof seen);
    memset(words, 0, sizeof words);
    run(&seen, words);
}

void check_lines(places_run_function *run)
{
    bool accessed[PLACES_WORDS] = { false };
    const char *name = NULL;

    run_afresh(run);
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
        cr_assert(name == NULL || file != (const char *)KERNELS || name == source.file,
                  "a file has one name, whichever access asks");
        if (strcmp(file, KERNELS) == 0)
            name = source.file;
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

void check_variables(places_run_function *run)
{
    run_afresh(run);
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

Test(places, of_the_program_itself)
{
    for (int again = 0; again < 2; again++) {
        check_lines(places_run);
        check_variables(places_run);
    }
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

Test(places, before_and_after_everything)
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
