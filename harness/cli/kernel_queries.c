#include "cli/kernel_queries.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "baseline/cubin.h"
#include "baseline/fingerprint.h"

/* The classes of instructions that a kernel has, each with its count. */
static json_t *list_instructions(const kg__instructions *instructions)
{
    json_t *classes = json_object();

    for (int kind = 0; kind < KG__INSTRUCTION_CLASSES; kind++) {
        if (instructions->count[kind] > 0)
            json_object_set_new(classes, kg__instruction_class_name(kind),
                                json_integer(instructions->count[kind]));
    }
    return classes;
}

int kg__print_kernels(const char *path)
{
    kg__kernels kernels = { .items = NULL };
    json_t *list = json_array();

    kg__kernels_add(&kernels, path, "");
    for (size_t i = 0; i < kernels.count; i++) {
        const kg__kernel *kernel = &kernels.items[i];

        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:o}", "name", kernel->name,
                                        "architecture", kernel->architecture, "registers",
                                        kernel->resources.registers, "static_shared",
                                        (json_int_t)kernel->resources.static_shared, "local_bytes",
                                        (json_int_t)kernel->resources.local_bytes, "code_bytes",
                                        (json_int_t)kernel->code_bytes, "instructions",
                                        list_instructions(&kernel->instructions)));
    }
    kg__kernels_free(&kernels);
    return kg__json_print(list, JSON_COMPACT, "occupancy") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

/* Whether the program of an entry is that of an earlier one. */
static bool is_read(const json_t *entries, size_t index)
{
    const char *program = kg__json_text(json_array_get(entries, index), "program");

    for (size_t i = 0; i < index; i++) {
        if (strcmp(kg__json_text(json_array_get(entries, i), "program"), program) == 0)
            return true;
    }
    return false;
}

int kg__answer_fingerprints(void)
{
    json_error_t error;
    json_t *question = json_loadf(stdin, 0, &error);
    const char *capability = kg__json_text(question, "compute_capability");
    const json_t *entries = json_object_get(question, "kernels");
    json_t *answers = json_array();
    kg__kernels kernels = { 0 };
    kg__pool pool = { 0 };
    const json_t *entry;
    size_t i;

    json_array_foreach (entries, i, entry) {
        const char *program = kg__json_text(entry, "program");

        if (!is_read(entries, i))
            kg__kernels_add(&kernels, program, program);
    }
    json_array_foreach (entries, i, entry) {
        kg__kernel_code code = KG__KERNEL_CODE_UNKNOWN;
        kg__error fault = { "" };

        if (kg__kernel_code_read(&pool, json_object_get(entry, "kernel"), &code, &fault)) {
            code.fingerprint[0] = '\0';
            (void)kg__kernels_fingerprint(&kernels, kg__json_text(entry, "program"), capability,
                                          &code);
        }
        json_array_append_new(answers, json_string(code.fingerprint));
    }
    kg__kernels_free(&kernels);
    kg__pool_free(&pool);
    json_decref(question);
    return kg__json_print(answers, JSON_COMPACT, "--fingerprints") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}
