#include "cli/kernel_queries.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "baseline/cubin.h"
#include "baseline/fingerprint.h"
#include "cli/occupancy_limits.h"

/* A figure as an int; one that no kernel can have stays so. */
static int read_figure(const json_t *launch, size_t index)
{
    json_int_t figure = json_integer_value(json_array_get(launch, index));

    return figure < 0 ? -1 : figure > INT_MAX ? INT_MAX : (int)figure;
}

static json_t *answer(const json_t *launch)
{
    const kg__kernel_needs needs = { .registers = read_figure(launch, 1),
                                     .static_shared = (size_t)read_figure(launch, 2),
                                     .dynamic_shared = (size_t)read_figure(launch, 3),
                                     .threads = read_figure(launch, 4) };
    kg__occupancy occupancy;
    kg__error error = { "" };
    json_t *limits;

    if (!kg__calculate_occupancy(read_figure(launch, 0), &needs, &occupancy, &error))
        return json_pack("{s:s}", "why", error.text);
    limits = json_array();
    for (size_t i = 0; i < occupancy.limit_count; i++)
        json_array_append_new(limits, json_string(occupancy.limits[i]));
    return json_pack("{s:i, s:i, s:f, s:o}", "blocks", occupancy.blocks, "warps", occupancy.warps,
                     "occupancy", occupancy.fraction, "limited_by", limits);
}

int kg__answer_occupancies(void)
{
    json_error_t error;
    json_t *launches = json_loadf(stdin, 0, &error);
    json_t *answers = json_array();
    const json_t *launch;
    size_t i;

    if (!json_is_array(launches)) {
        kg__complain("--occupancies: the standard input is not a list of launches: see "
                     "`kernelgate help occupancy`");
        json_decref(answers);
        json_decref(launches);
        return KG__EXIT_ERROR;
    }
    json_array_foreach (launches, i, launch)
        json_array_append_new(answers, answer(launch));
    json_decref(launches);
    if (!kg__json_print(answers, JSON_COMPACT, "occupancy"))
        return KG__EXIT_ERROR;
    return kg__has_occupancy_calculator() ? KG__EXIT_PASS : KG__EXIT_NOTHING;
}

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
