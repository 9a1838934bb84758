/* kernelgate occupancy: prints the occupancy of each launch and what limits it, for any GPU. */
#include "cli/occupancy_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "base/text_table.h"
#include "baseline/baseline.h"
#include "cli/baseline_files.h"
#include "cli/command.h"
#include "cli/occupancy_rows.h"
#include "cli/programs.h"
#include "judge/judge.h"
#include "records/records.h"
#include "suite/settings.h"

#define OCCUPANCY_SCHEMA "kernelgate-occupancy/1"

/* More sizes than this are counted, not named. */
#define SIZES_NAMED 3

static const char *architectures_text;
static const char *build;
static const char *format_name;
static bool as_json;
static const char *against;

static const kg__text_table_column columns[] = {
    { "arch", false, false },       { "case", false, false },     { "sizes", false, false },
    { "kernel", false, true },      { "registers", true, false }, { "shared", true, false },
    { "dynamic", true, true },      { "local", true, false },     { "threads", true, false },
    { "blocks", true, false },      { "warps", true, false },     { "occupancy", true, false },
    { "limited by", false, false },
};

static bool is_architecture(const char *text, size_t length)
{
    return length >= 2 && length <= 3 && strspn(text, "0123456789") >= length;
}

/* Parses "90,80" or "sm_90"; false with a complaint. */
static bool parse_architectures(kg__occupancy_question *question)
{
    const char *text = architectures_text;

    while (text != NULL && *text != '\0') {
        size_t length;

        if (strncmp(text, "sm_", 3) == 0)
            text += 3;
        length = strcspn(text, ",");
        if (!is_architecture(text, length)) {
            kg__complain("occupancy: --arch %s: \"%.*s\" is not an architecture: give numbers, as "
                         "in --arch 80,90",
                         architectures_text, (int)length, text);
            return false;
        }
        if (question->architecture_count == KG__ARCHITECTURES) {
            kg__complain("occupancy: --arch %s: more than %d architectures: give fewer",
                         architectures_text, KG__ARCHITECTURES);
            return false;
        }
        question->architectures[question->architecture_count++] = atoi(text);
        text += length + (text[length] == ',');
    }
    return true;
}

/* The size in a case id: after the second slash, up to the third. */
static const char *find_size(const char *id, size_t *length)
{
    const char *size = id + kg__variant_length(id);

    *length = strcspn(size, "/");
    return size;
}

/* Whether two rows are equal except for the size. */
static bool are_equal(const kg__occupancy_row *left, const kg__occupancy_row *right)
{
    size_t length = kg__variant_length(left->id);
    size_t left_size;
    size_t right_size;
    const char *left_launch = find_size(left->id, &left_size) + left_size;
    const char *right_launch = find_size(right->id, &right_size) + right_size;

    return left->architecture == right->architecture && strncmp(left->id, right->id, length) == 0 &&
           kg__variant_length(right->id) == length && strcmp(left_launch, right_launch) == 0 &&
           strcmp(left->kernel, right->kernel) == 0 && left->threads == right->threads &&
           left->dynamic_shared == right->dynamic_shared &&
           left->resources.registers == right->resources.registers &&
           left->resources.static_shared == right->resources.static_shared &&
           left->resources.local_bytes == right->resources.local_bytes &&
           left->occupancy.blocks == right->occupancy.blocks;
}

/* All the shared memory of a block. */
static size_t sum_shared(const kg__occupancy_row *row)
{
    return row->resources.static_shared + row->dynamic_shared;
}

/* Adds the figures of a row. */
static void add_figures(kg__text_table *grid, const kg__occupancy_row *row)
{
    const struct {
        double figure;
        const char *unit;
    } figures[] = {
        { row->resources.registers, "" },
        { (double)sum_shared(row), "B" },
        { (double)row->dynamic_shared, "B" },
        { (double)row->resources.local_bytes, "B" },
        { row->threads, "" },
        { row->occupancy.blocks, "" },
        { row->occupancy.warps, "" },
    };
    char text[KG__FIGURE_SIZE];
    char limits_text[KG__LIMITS_SIZE];

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        kg__show_figure(text, sizeof text, figures[i].figure, figures[i].unit);
        kg__text_table_add_figure(grid, text, figures[i].figure);
    }
    kg__show_percent(text, sizeof text, row->occupancy.fraction, false);
    kg__text_table_add_figure(grid, text, row->occupancy.fraction);
    kg__name_occupancy_limits(row->occupancy.limits, limits_text, sizeof limits_text);
    kg__text_table_add(grid, row->occupancy.blocks > 0 ? limits_text : "cannot be launched", NULL);
}

/* Adds one row for `first` and all later rows that are equal to it, and marks them as done. */
static void add_group(kg__text_table *grid, const kg__occupancy_rows *rows, size_t first,
                      bool *done)
{
    const kg__occupancy_row *row = &rows->rows[first];
    char name[KG__MESSAGE_SIZE];
    char sizes[KG__MESSAGE_SIZE] = "";
    char architecture[KG__FIGURE_SIZE];
    size_t count = 0;
    size_t length;
    const char *launch = find_size(row->id, &length) + length;

    for (size_t i = first; i < rows->count; i++) {
        const char *size = find_size(rows->rows[i].id, &length);
        size_t used = strlen(sizes);

        if (done[i] || !are_equal(row, &rows->rows[i]))
            continue;
        done[i] = true;
        if (count++ < SIZES_NAMED)
            kg__format(sizes + used, sizeof sizes - used, "%s%.*s", used > 0 ? ", " : "",
                       (int)length, size);
    }
    if (count > SIZES_NAMED)
        kg__format(sizes + strlen(sizes), sizeof sizes - strlen(sizes), " and %zu more",
                   count - SIZES_NAMED);
    kg__format(name, sizeof name, "%.*s*%s", (int)kg__variant_length(row->id), row->id, launch);
    kg__format(architecture, sizeof architecture, "sm_%d", row->architecture);
    kg__text_table_add(grid, architecture, NULL);
    kg__text_table_add(grid, count > 1 ? name : row->id, NULL);
    kg__text_table_add(grid, sizes, NULL);
    kg__text_table_add(grid, row->kernel, NULL);
    add_figures(grid, row);
}

static void add_single(kg__text_table *grid, const kg__occupancy_row *row)
{
    char architecture[KG__FIGURE_SIZE];
    char size[KG__MESSAGE_SIZE];
    size_t length;
    const char *begin = find_size(row->id, &length);

    kg__format(architecture, sizeof architecture, "sm_%d", row->architecture);
    kg__format(size, sizeof size, "%.*s", (int)length, begin);
    kg__text_table_add(grid, architecture, NULL);
    kg__text_table_add(grid, row->id, NULL);
    kg__text_table_add(grid, size, NULL);
    kg__text_table_add(grid, row->kernel, NULL);
    add_figures(grid, row);
}

static void write_table(const kg__occupancy_rows *rows, kg__text_table_format format)
{
    bool csv = format == KG__GRID_CSV;
    /* Text that is not a CSV row goes to the standard error. */
    FILE *summary = csv ? stderr : stdout;
    bool *done = kg__allocate(rows->count + 1, sizeof *done);
    kg__text_table *grid = kg__text_table_new(columns, sizeof columns / sizeof *columns);

    for (size_t i = 0; i < rows->count; i++) {
        if (csv)
            add_single(grid, &rows->rows[i]);
        else if (!done[i])
            add_group(grid, rows, i, done);
    }
    kg__text_table_write(stdout, grid, format, true);
    fprintf(summary, "%s%zu launch%s, %s", csv ? "" : "\n", rows->count,
            rows->count == 1 ? "" : "es", rows->source);
    if (rows->without_kernel > 0)
        fprintf(summary, "; %zu case%s no kernel", rows->without_kernel,
                rows->without_kernel == 1 ? " starts" : "s start");
    fputc('\n', summary);
    kg__text_table_free(grid);
    free(done);
}

static json_t *pack_limits(unsigned limits)
{
    json_t *list = json_array();

    for (unsigned limit = 1; limit <= limits; limit <<= 1U) {
        char limits_text[KG__LIMITS_SIZE];

        if ((limits & limit) == 0)
            continue;
        kg__name_occupancy_limits(limit, limits_text, sizeof limits_text);
        json_array_append_new(list, json_string(limits_text));
    }
    return list;
}

static json_t *pack_row(const kg__occupancy_row *row)
{
    json_t *object = json_pack(
        "{s:s, s:i, s:s, s:[I, I, I], s:[I, I, I], s:i}", "case", row->id, "architecture",
        row->architecture, "kernel", row->kernel, "grid", (json_int_t)row->grid[0],
        (json_int_t)row->grid[1], (json_int_t)row->grid[2], "block", (json_int_t)row->block[0],
        (json_int_t)row->block[1], (json_int_t)row->block[2], "threads", row->threads);

    json_object_update_new(
        object,
        json_pack("{s:i, s:I, s:I, s:I, s:i, s:f, s:o, s:s}", "registers", row->resources.registers,
                  "local_bytes", (json_int_t)row->resources.local_bytes, "shared_bytes",
                  (json_int_t)sum_shared(row), "dynamic_shared", (json_int_t)row->dynamic_shared,
                  "blocks_per_multiprocessor", row->occupancy.blocks, "occupancy",
                  row->occupancy.fraction, "limited_by", pack_limits(row->occupancy.limits),
                  "source", row->by_driver ? "driver" : "cuda_occupancy.h"));
    return object;
}

static bool write_json(const kg__occupancy_rows *rows)
{
    json_t *launches = json_array();
    json_t *document;

    for (size_t i = 0; i < rows->count; i++)
        json_array_append_new(launches, pack_row(&rows->rows[i]));
    document = json_pack("{s:s, s:s, s:o}", "schema", OCCUPANCY_SCHEMA, "source", rows->source,
                         "launches", launches);
    return kg__json_print(document, JSON_INDENT(1), "occupancy");
}

/* Counts and reports the rows where the driver and the calculator differ. */
static size_t report_disputed(const kg__occupancy_rows *rows)
{
    size_t disputed = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const kg__occupancy_row *row = &rows->rows[i];

        if (!row->by_driver || !kg__has_occupancy_calculator() || row->calculated.limits == 0 ||
            row->calculated.blocks == row->occupancy.blocks)
            continue;
        kg__complain(
            "occupancy: %s: %d blocks per multiprocessor by the driver, %d by cuda_occupancy.h",
            row->id, row->occupancy.blocks, row->calculated.blocks);
        disputed++;
    }
    return disputed;
}

/* The first kernel of a case's launch on an architecture; NULL if it has none. */
static const kg__occupancy_row *find_row(const kg__occupancy_rows *rows, const char *id,
                                         int architecture)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].architecture == architecture && strcmp(rows->rows[i].id, id) == 0)
            return &rows->rows[i];
    }
    return NULL;
}

/* Whether a row's figure equals the baseline's; an absent one is not a difference. */
static bool matches_figure(const json_t *code, const char *key, double figure, const char *id)
{
    const json_t *stored = json_object_get(code, key);

    if (!json_is_number(stored) || json_number_value(stored) == figure)
        return true;
    printf("%s: %s is %g, the baseline's %g\n", id, key, figure, json_number_value(stored));
    return false;
}

static bool matches_baseline(const kg__occupancy_row *row, const json_t *code)
{
    bool same = matches_figure(code, "registers", row->resources.registers, row->id);

    same = matches_figure(code, "local_bytes", (double)row->resources.local_bytes, row->id) && same;
    same = matches_figure(code, "shared_bytes", (double)sum_shared(row), row->id) && same;
    return matches_figure(code, "occupancy", row->occupancy.fraction, row->id) && same;
}

/* Compares the rows with the driver's figures in a baseline. */
static int compare_with_baseline(const kg__occupancy_rows *rows, const kg__baseline *baseline,
                                 const char *path)
{
    int architecture = kg__parse_capability(baseline->target.compute_capability);
    size_t same = 0;
    size_t differing = 0;

    for (size_t i = 0; i < baseline->case_count; i++) {
        const kg__baseline_case *entry = &baseline->cases[i];
        const kg__occupancy_row *row = find_row(rows, entry->id, architecture);

        if (entry->code == NULL || row == NULL)
            continue;
        if (matches_baseline(row, entry->code))
            same++;
        else
            differing++;
    }
    if (same + differing == 0) {
        kg__complain("occupancy: none of these launches has its code in %s: use --arch %d", path,
                     architecture);
        return KG__EXIT_ERROR;
    }
    kg__print(stdout, "%zu cases as in %s, recorded on %s; %zu differ\n", same, path,
              baseline->target.name, differing);
    return differing > 0 ? KG__EXIT_FAIL : KG__EXIT_PASS;
}

/* Prints the rows; returns the exit code. */
static int show(const kg__occupancy_rows *rows, bool json, kg__text_table_format format,
                const kg__baseline *baseline, const char *path)
{
    int code = KG__EXIT_PASS;
    bool printed = true;

    if (baseline != NULL)
        code = compare_with_baseline(rows, baseline, path);
    else if (json)
        printed = write_json(rows);
    else
        write_table(rows, format);
    if (report_disputed(rows) > 0 && code == KG__EXIT_PASS)
        code = KG__EXIT_FAIL;
    if (rows->unknown > 0)
        code = KG__EXIT_ERROR;
    return printed && kg__flush_output("occupancy") ? code : KG__EXIT_ERROR;
}

static int gather_and_show(kg__occupancy_question *question, bool json,
                           kg__text_table_format format, const kg__baseline *baseline,
                           const char *path)
{
    kg__occupancy_rows rows;
    int code = kg__occupancy_gather(question, &rows);

    if (code == KG__EXIT_PASS)
        code = show(&rows, json, format, baseline, path);
    kg__occupancy_rows_free(&rows);
    return code;
}

static int check_against(kg__occupancy_question *question)
{
    char path[KG__PATH_SIZE];
    kg__baseline baseline = { 0 };
    int code = KG__EXIT_ERROR;

    if (kg__open_baseline(against, path, sizeof path, &baseline)) {
        if (kg__is_model(&baseline.target)) {
            kg__complain("occupancy: %s is the CPU model's, which has no machine code: name a "
                         "GPU's baseline",
                         path);
        } else {
            if (question->architecture_count == 0)
                question->architectures[question->architecture_count++] =
                    kg__parse_capability(baseline.target.compute_capability);
            code = gather_and_show(question, false, KG__GRID_TEXT, &baseline, path);
        }
    }
    kg__baseline_free(&baseline);
    return code;
}

static int occupancy(size_t count, char **operands)
{
    char folder[KG__PATH_SIZE];
    kg__occupancy_question question = { .build = folder, .filter = count > 0 ? operands[0] : "" };
    kg__print_form form;

    if (!kg__parse_format("occupancy", format_name, as_json, &form))
        return KG__EXIT_ERROR;
    if (count > 1) {
        kg__complain("occupancy: takes one filter: separate globs by commas");
        return KG__EXIT_ERROR;
    }
    if (!parse_architectures(&question) ||
        !kg__find_build("occupancy", build, folder, sizeof folder))
        return KG__EXIT_ERROR;
    return against != NULL ? check_against(&question)
                           : gather_and_show(&question, form.json, form.grid, NULL, "");
}

static const kg__option options[] = {
    { "--arch", "N,...",
      "for these architectures, 90 for sm_90 (default: the GPU here, else those of the build)",
      &architectures_text, NULL },
    { "--build", "DIR", "the folder of the programs (default: this command's build)", &build,
      NULL },
    { "--format", "FORMAT", "text (the default), markdown, csv or json", &format_name, NULL },
    KG__JSON_OPTION(as_json),
    { "--against", "BASELINE", "print only differences from a GPU's baseline", &against, NULL },
    { 0 },
};

const kg__command kg__occupancy_command = {
    .name = "occupancy",
    .operands = "[FILTER]",
    .summary = "Print the occupancy of each launch, and what limits it",
    .details =
        "With a GPU, its driver is asked. Without one, or with --arch, launches come from the CPU\n"
        "model, registers and memory from the GPU programs or from nvcc, which\n"
        "compiles for any architecture, and the rest from the CUDA Toolkit's cuda_occupancy.h.\n"
        "FILTER is a list of globs on case ids; one without its last parts matches all that begin\n"
        "so; KG_FILTER also applies. Shared memory is per block, local memory per thread.\n"
        "exit: 0 printed; 1 --against found a difference, or the driver and the header differ; 2\n"
        "an error, or the filter matches nothing; 77 a tool is missing\n",
    .options = options,
    .takes_operands = true,
    .run = occupancy,
};
