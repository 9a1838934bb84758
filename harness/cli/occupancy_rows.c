#include "cli/occupancy_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/exit_code.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/programs.h"
#include "judge/judge.h"
#include "records/records.h"
#include "results/results_text.h"
#include "suite/settings.h"

/* The maximum output of a program or a tool, in bytes. */
#define OUTPUT_SIZE ((size_t)16 << 20)

/* How long a program may take to list its launches, and nvcc to compile a kernel, in seconds. */
#define LISTING_SECONDS 120.0
#define COMPILING_SECONDS 300.0

/* The state of gathering the rows. */
typedef struct gathering {
    const kg__occupancy_question *question;
    kg__occupancy_rows *rows;
    int architectures[KG__ARCHITECTURES];
    size_t architecture_count;
    size_t cases; /* that start a kernel, before the filter */
    char *output; /* of the last program that was run */
} gathering;

/* The JSON document in a program's output, after any other text. */
static json_t *read_listing(const char *output)
{
    const char *begin = *output == '{' ? output : strstr(output, "\n{");
    json_t *listing = begin != NULL ? json_loads(begin, JSON_REJECT_DUPLICATES, NULL) : NULL;

    if (json_is_array(json_object_get(listing, "cases")))
        return listing;
    json_decref(listing);
    return NULL;
}

/* Asks a program for its launches. Returns its exit code, with the document in `listing` if that is
 * 0; complains unless a device is missing. */
static int ask_program(gathering *run, const char *program, json_t **listing)
{
    const char *const arguments[] = { program, "--launches", NULL };
    char *filter = kg__lift_filter();
    int code = kg__child_run(arguments, LISTING_SECONDS, run->output, OUTPUT_SIZE);

    kg__restore_filter(filter);
    *listing = code == KG__EXIT_PASS ? read_listing(run->output) : NULL;
    if (*listing != NULL || code == KG__EXIT_NOTHING)
        return code;
    kg__complain("occupancy: %s: it does not list its launches (exit code %d): build it again; it "
                 "said: %.300s",
                 program, code, run->output);
    return KG__EXIT_ERROR;
}

static bool is_taken(const gathering *run, const char *id)
{
    const char *filter = run->question->filter;

    return (*filter == '\0' || kg__globs_take_from(filter, id)) && kg__filter_takes(id);
}

/* Complains about the cases whose launch a program could not find. */
static void note_failures(gathering *run, const json_t *listing)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(listing, "failed"), i, entry) {
        if (!is_taken(run, kg__json_text(entry, "case")))
            continue;
        kg__complain("occupancy: %s: %s", kg__json_text(entry, "case"),
                     kg__json_text(entry, "why"));
        run->rows->unknown++;
    }
    json_array_foreach (json_object_get(listing, "without"), i, entry)
        run->rows->without_kernel += is_taken(run, kg__list_text(entry));
}

/* Asks the programs of one kind for their launches. */
static int ask_programs(gathering *run, const char *suffix)
{
    kg__names paths;
    int code = KG__EXIT_PASS;

    kg__find_programs(run->question->build, suffix, &paths);
    if (paths.count == 0)
        code = KG__EXIT_NOTHING;
    for (size_t i = 0; i < paths.count && code == KG__EXIT_PASS; i++) {
        json_t *listing;

        code = ask_program(run, paths.items[i], &listing);
        if (listing == NULL)
            continue;
        note_failures(run, listing);
        json_array_append_new(run->rows->listings, listing);
    }
    kg__names_free(&paths);
    return code;
}

static void read_dimensions(const json_t *list, long sizes[3])
{
    for (size_t i = 0; i < 3; i++)
        sizes[i] = (long)json_integer_value(json_array_get(list, i));
}

static kg__kernel_needs get_needs(const kg__occupancy_row *row)
{
    return (kg__kernel_needs){ .registers = row->resources.registers,
                               .static_shared = row->resources.static_shared,
                               .dynamic_shared = row->dynamic_shared,
                               .threads = row->threads };
}

static kg__occupancy_row make_row(const json_t *launch, int architecture)
{
    kg__occupancy_row row = {
        .id = kg__json_text(launch, "case"),
        .kernel = kg__json_text(launch, "kernel"),
        .architecture = architecture,
        .dynamic_shared = (size_t)json_integer_value(json_object_get(launch, "dynamic_shared")),
    };

    read_dimensions(json_object_get(launch, "grid"), row.grid);
    read_dimensions(json_object_get(launch, "block"), row.block);
    row.threads = (int)(row.block[0] * row.block[1] * row.block[2]);
    return row;
}

static void add_row(gathering *run, const kg__occupancy_row *row)
{
    kg__occupancy_rows *rows = run->rows;

    rows->rows = kg__grow(rows->rows, rows->count, &rows->capacity, sizeof *rows->rows);
    rows->rows[rows->count++] = *row;
}

/* Adds a launch with the driver's figures, and the calculator's result. */
static void add_driver_row(gathering *run, const json_t *launch, int architecture)
{
    kg__occupancy_row row = make_row(launch, architecture);
    kg__kernel_needs needs;
    kg__error error;

    row.by_driver = true;
    row.resources = (kg__resources){
        .registers = (int)json_integer_value(json_object_get(launch, "registers")),
        .static_shared = (size_t)json_integer_value(json_object_get(launch, "static_shared")),
        .local_bytes = (size_t)json_integer_value(json_object_get(launch, "local_bytes")),
    };
    row.occupancy.blocks =
        (int)json_integer_value(json_object_get(launch, "blocks_per_multiprocessor"));
    row.occupancy.fraction = json_number_value(json_object_get(launch, "occupancy"));
    needs = get_needs(&row);
    if (kg__calculate_occupancy(architecture, &needs, &row.calculated, &error)) {
        row.occupancy.warps = row.calculated.warps;
        row.occupancy.limits = row.calculated.limits;
    }
    add_row(run, &row);
}

/* The name of the file with a launcher: "tiled" of "matmul_f32_tiled". */
static const char *find_file(const json_t *listing, const json_t *launch)
{
    const char *launcher = kg__json_text(launch, "launcher");
    const char *comparison = kg__json_text(listing, "comparison");
    size_t length = strlen(comparison);

    return strncmp(launcher, comparison, length) == 0 && launcher[length] == '_'
               ? launcher + length + 1
               : launcher;
}

/* Adds a launch of the CPU model with the compiler's figures of its kernel; false if they are not
 * known. */
static bool add_model_row(gathering *run, const json_t *listing, const json_t *launch,
                          int architecture)
{
    kg__occupancy_row row = make_row(launch, architecture);
    kg__kernel_needs needs;
    kg__error error = { "" };
    bool ambiguous;

    if (!kg__kernels_find(&run->rows->kernels, kg__json_text(listing, "comparison"), architecture,
                          row.kernel, find_file(listing, launch), &row.resources, &ambiguous)) {
        kg__fail(&error,
                 ambiguous ? "several kernels are called %s: give them different names"
                           : "kernel %s is not among those compiled: build again",
                 row.kernel);
    } else {
        needs = get_needs(&row);
        if (kg__calculate_occupancy(architecture, &needs, &row.occupancy, &error)) {
            add_row(run, &row);
            return true;
        }
    }
    kg__complain("occupancy: %s on sm_%d: %s", row.id, architecture, error.text);
    run->rows->unknown++;
    return false;
}

/* Makes the rows of one architecture. */
static void add_rows(gathering *run, int architecture, bool by_driver)
{
    const json_t *listing;
    size_t i;

    json_array_foreach (run->rows->listings, i, listing) {
        const json_t *launch;
        size_t k;

        json_array_foreach (json_object_get(listing, "cases"), k, launch) {
            run->cases++;
            if (!is_taken(run, kg__json_text(launch, "case")))
                continue;
            if (by_driver)
                add_driver_row(run, launch, architecture);
            else
                (void)add_model_row(run, listing, launch, architecture);
        }
    }
}

/* Asks the local GPU. KG__EXIT_NOTHING if there is none. */
static int gather_from_driver(gathering *run)
{
    int code = ask_programs(run, KG__GPU_SUFFIX);
    const json_t *target;

    if (code != KG__EXIT_PASS)
        return code;
    target = json_object_get(json_array_get(run->rows->listings, 0), "target");
    add_rows(run, kg__parse_capability(kg__json_text(target, "compute_capability")), true);
    kg__format(run->rows->source, sizeof run->rows->source, "from the driver of this machine's %s",
               kg__json_text(target, "name"));
    return KG__EXIT_PASS;
}

/* Reads the compiler's figures from the programs for the GPU. */
static void read_programs(gathering *run)
{
    kg__names paths;

    kg__find_programs(run->question->build, KG__GPU_SUFFIX, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        char comparison[KG__PATH_SIZE];

        kg__program_comparison(paths.items[i], comparison, sizeof comparison);
        kg__kernels_add(&run->rows->kernels, paths.items[i], comparison, "");
    }
    kg__names_free(&paths);
}

static void add_architecture(gathering *run, int architecture)
{
    for (size_t i = 0; i < run->architecture_count; i++) {
        if (run->architectures[i] == architecture)
            return;
    }
    if (run->architecture_count < KG__ARCHITECTURES)
        run->architectures[run->architecture_count++] = architecture;
}

/* The architectures: those of the question, else those of the programs. */
static void choose_architectures(gathering *run)
{
    const kg__kernels *kernels = &run->rows->kernels;

    for (size_t i = 0; i < run->question->architecture_count; i++)
        add_architecture(run, run->question->architectures[i]);
    if (run->architecture_count > 0)
        return;
    for (size_t i = 0; i < kernels->count; i++)
        add_architecture(run, kernels->items[i].architecture);
}

static bool has_kernels(const kg__kernels *kernels, const char *program, int architecture)
{
    for (size_t i = 0; i < kernels->count; i++) {
        if (kernels->items[i].architecture == architecture &&
            strcmp(kernels->items[i].program, program) == 0)
            return true;
    }
    return false;
}

/* Lists the files of a comparison whose kernels the programs lack for an architecture, each once.
 */
static void list_missing_files(const gathering *run, const json_t *listing, int architecture,
                               kg__names *files)
{
    bool compiled =
        has_kernels(&run->rows->kernels, kg__json_text(listing, "comparison"), architecture);
    const json_t *launch;
    size_t i;

    json_array_foreach (json_object_get(listing, "cases"), i, launch) {
        const char *file = find_file(listing, launch);
        bool listed = compiled || !is_taken(run, kg__json_text(launch, "case"));

        for (size_t k = 0; k < files->count && !listed; k++)
            listed = strcmp(files->items[k], file) == 0;
        if (!listed)
            kg__names_add(files, file);
    }
}

/* An nvcc that runs: that of PATH, of CUDACXX, or where the CUDA Toolkit is installed; NULL where
 * there is none. */
static const char *find_nvcc(gathering *run)
{
    const char *const places[] = { "nvcc", getenv("CUDACXX"), "/usr/local/cuda/bin/nvcc" };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *const arguments[] = { places[i], "--version", NULL };

        if (places[i] != NULL &&
            kg__child_run(arguments, LISTING_SECONDS, run->output, OUTPUT_SIZE) == 0)
            return places[i];
    }
    return NULL;
}

/* Compiles a file of kernels for an architecture, to get their figures. */
static bool compile_file(gathering *run, const json_t *listing, const char *nvcc,
                         const char *folder, const char *file, int architecture)
{
    char source[2 * KG__PATH_SIZE];
    char include[2 * KG__PATH_SIZE];
    char flag[32];
    char object[KG__PATH_SIZE];
    const char *const arguments[] = { nvcc, "-std=c++17", "-cubin", flag, include,
                                      "-o", object,       source,   NULL };
    int code;

    kg__format_path(source, sizeof source, "%s/kernels/%s/%s.cu", kg__json_text(listing, "home"),
                    kg__json_text(listing, "comparison"), file);
    kg__format_path(include, sizeof include, "-I%s", kg__json_text(listing, "include"));
    kg__format(flag, sizeof flag, "-arch=sm_%d", architecture);
    kg__format_path(object, sizeof object, "%s/kernels.cubin", folder);
    code = kg__child_run(arguments, COMPILING_SECONDS, run->output, OUTPUT_SIZE);
    if (code == 0) {
        kg__kernels_add(&run->rows->kernels, object, kg__json_text(listing, "comparison"), file);
        return true;
    }
    kg__complain("occupancy: %s does not compile for sm_%d: %.300s", source, architecture,
                 run->output);
    return false;
}

/* Compiles what the programs lack. */
static int compile_missing(gathering *run, const json_t *listing, int architecture)
{
    const char *comparison = kg__json_text(listing, "comparison");
    char folder[KG__PATH_SIZE];
    kg__error why;
    const char *nvcc;
    kg__names files = { 0 };
    bool compiled;

    list_missing_files(run, listing, architecture, &files);
    if (files.count == 0) {
        kg__names_free(&files);
        return KG__EXIT_PASS;
    }
    nvcc = find_nvcc(run);
    if (nvcc == NULL) {
        kg__complain("occupancy: %s.gpu has no code for sm_%d, and there is no nvcc to compile it: "
                     "install the CUDA Toolkit, or build for that architecture",
                     comparison, architecture);
        kg__names_free(&files);
        return KG__EXIT_NOTHING;
    }
    compiled = kg__file_make_temporary_folder("occupancy", folder, sizeof folder, &why);
    if (!compiled)
        kg__complain("occupancy: %s", why.text);
    for (size_t i = 0; i < files.count && compiled; i++) {
        if (isatty(STDERR_FILENO))
            kg__complain("compiling %s/%s.cu for sm_%d", comparison, files.items[i], architecture);
        compiled = compile_file(run, listing, nvcc, folder, files.items[i], architecture);
    }
    if (*folder != '\0')
        kg__file_remove_folder(folder);
    kg__names_free(&files);
    return compiled ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

/* Complains that no architecture is known, and says how to name one. */
static int refuse_unknown(const gathering *run)
{
    kg__names paths;
    size_t programs;

    kg__find_programs(run->question->build, KG__GPU_SUFFIX, &paths);
    programs = paths.count;
    kg__names_free(&paths);
    if (programs == 0)
        kg__complain("occupancy: %s has no GPU program to take the architectures from: name some "
                     "with --arch, as in --arch 90",
                     run->question->build);
    else
        kg__complain("occupancy: the GPU programs in %s contain no machine code: name "
                     "architectures with --arch for nvcc to compile",
                     run->question->build);
    return KG__EXIT_NOTHING;
}

/* Calculates the rows without a GPU. */
static int gather_without_gpu(gathering *run)
{
    int code = ask_programs(run, KG__MODEL_SUFFIX);
    kg__error error;

    if (code == KG__EXIT_NOTHING)
        kg__complain("occupancy: %s has no program for the CPU model, which knows the launches: "
                     "build it again",
                     run->question->build);
    if (code != KG__EXIT_PASS)
        return KG__EXIT_ERROR;
    read_programs(run);
    choose_architectures(run);
    if (run->architecture_count == 0)
        return refuse_unknown(run);
    for (size_t i = 0; i < run->architecture_count; i++) {
        const json_t *listing;
        size_t k;

        if (!kg__occupancy_knows(run->architectures[i], &error)) {
            kg__complain("occupancy: %s", error.text);
            return KG__EXIT_ERROR;
        }
        json_array_foreach (run->rows->listings, k, listing) {
            code = compile_missing(run, listing, run->architectures[i]);
            if (code != KG__EXIT_PASS)
                return code;
        }
        add_rows(run, run->architectures[i], false);
    }
    kg__format(run->rows->source, sizeof run->rows->source,
               "calculated without a GPU, from cubins and cuda_occupancy.h");
    return KG__EXIT_PASS;
}

/* Complains about a filter that matches nothing, with the nearest id. */
static int refuse_filter(const gathering *run)
{
    const char **ids = kg__allocate(run->cases + 1, sizeof *ids);
    const char *filter = run->question->filter;
    const char *nearest;
    const json_t *listing;
    size_t count = 0;
    size_t i;

    json_array_foreach (run->rows->listings, i, listing) {
        const json_t *launch;
        size_t k;

        json_array_foreach (json_object_get(listing, "cases"), k, launch)
            ids[count++] = kg__json_text(launch, "case");
    }
    nearest = kg__nearest_to_globs(filter, ids, count);
    kg__complain("occupancy: the filter leaves none of the cases that start a kernel%s%s: give "
                 "another, or none",
                 nearest != NULL ? "; nearest is " : "", nearest != NULL ? nearest : "");
    free(ids);
    return KG__EXIT_ERROR;
}

static int gather(gathering *run)
{
    int code = KG__EXIT_NOTHING;

    if (run->question->architecture_count == 0)
        code = gather_from_driver(run);
    if (code == KG__EXIT_NOTHING && !kg__has_occupancy_calculator()) {
        kg__complain("occupancy: there is no GPU to ask, and this command was built without "
                     "cuda_occupancy.h: install the CUDA Toolkit, configure and build again");
        return code;
    }
    if (code == KG__EXIT_NOTHING) {
        json_array_clear(run->rows->listings);
        run->rows->without_kernel = 0;
        run->rows->unknown = 0;
        code = gather_without_gpu(run);
    }
    if (code == KG__EXIT_PASS && run->rows->count == 0 && run->rows->unknown == 0)
        return refuse_filter(run);
    return code;
}

int kg__occupancy_gather(const kg__occupancy_question *question, kg__occupancy_rows *rows)
{
    gathering run = { .question = question, .rows = rows };
    int code;

    *rows = (kg__occupancy_rows){ .listings = json_array() };
    run.output = kg__allocate(OUTPUT_SIZE, 1);
    code = gather(&run);
    free(run.output);
    return code;
}

void kg__occupancy_rows_free(kg__occupancy_rows *rows)
{
    free(rows->rows);
    json_decref(rows->listings);
    kg__kernels_free(&rows->kernels);
    *rows = (kg__occupancy_rows){ 0 };
}
