/* kernelgate list: lists the cases of the built programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/program_list.h"
#include "judge/judge.h"
#include "records/records.h"
#include "results/results_text.h"

#define LIST_SCHEMA "kernelgate-list/1"

static const char *build;
static const char *format_name;
static bool as_json;

static const kg__text_table_column case_columns[] = {
    { "case", false, false },  { "check", false, false }, { "time", false, false },
    { "count", false, false }, { "bytes", true, false },  { "operations", true, false },
    { "idea", false, true },
};

static const kg__text_table_column idea_columns[] = {
    { "variant", false, false },
    { "idea", false, false },
};

static bool has_purpose(const json_t *entry, const char *purpose)
{
    const json_t *text;
    size_t i;

    json_array_foreach (json_object_get(entry, "purposes"), i, text) {
        if (strcmp(kg__list_text(text), purpose) == 0)
            return true;
    }
    return false;
}

/* Whether a case is of a variant: the second part of its id. */
static bool is_of_variant(const char *id, const char *variant)
{
    size_t length = strlen(variant);

    id += strcspn(id, "/");
    return *id == '/' && strncmp(id + 1, variant, length) == 0 && id[1 + length] == '/';
}

/* Whether a list of cases has one of a variant. */
static bool has_case_of(const json_t *list, const char *variant)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (list, i, entry) {
        if (is_of_variant(kg__json_text(entry, "case"), variant))
            return true;
    }
    return false;
}

/* Keeps the cases that the filter matches. */
static json_t *filter_entries(const json_t *list, const char *filter)
{
    json_t *kept = json_array();
    json_t *entry;
    size_t i;

    json_array_foreach ((json_t *)list, i, entry) {
        if (*filter == '\0' || kg__globs_take(filter, kg__json_text(entry, "case")))
            json_array_append(kept, entry);
    }
    return kept;
}

/* Keeps the variants that still have a case. */
static json_t *filter_variants(const json_t *variants, const json_t *cases, const json_t *refused)
{
    json_t *kept = json_array();
    json_t *variant;
    size_t i;

    json_array_foreach ((json_t *)variants, i, variant) {
        const char *name = kg__json_text(variant, "variant");

        if (has_case_of(cases, name) || has_case_of(refused, name))
            json_array_append(kept, variant);
    }
    return kept;
}

/* A program's cases that the filter matches; NULL if there are none. */
static json_t *describe_program(const kg__listed_program *program, const char *filter)
{
    json_t *cases = filter_entries(json_object_get(program->answer, "cases"), filter);
    json_t *refused = filter_entries(json_object_get(program->answer, "refused"), filter);
    json_t *comparison = NULL;

    if (json_array_size(cases) + json_array_size(refused) > 0)
        comparison = json_pack(
            "{s:s, s:s, s:o, s:O, s:O}", "comparison", kg__json_text(program->answer, "comparison"),
            "program", program->path, "variants",
            filter_variants(json_object_get(program->answer, "variants"), cases, refused), "cases",
            cases, "refused", refused);
    json_decref(cases);
    json_decref(refused);
    return comparison;
}

static json_t *describe_programs(const kg__program_list *programs, const char *filter)
{
    json_t *list = json_array();

    for (size_t i = 0; i < programs->count; i++) {
        json_t *comparison = describe_program(&programs->list[i], filter);

        if (comparison != NULL)
            json_array_append_new(list, comparison);
    }
    return json_pack("{s:s, s:s, s:o}", "schema", LIST_SCHEMA, "build", programs->folder,
                     "comparisons", list);
}

static const char *find_idea(const json_t *comparison, const char *id)
{
    const json_t *variant;
    size_t i;

    json_array_foreach (json_object_get(comparison, "variants"), i, variant) {
        if (is_of_variant(id, kg__json_text(variant, "variant")))
            return kg__json_text(variant, "idea");
    }
    return "";
}

static void add_work(kg__text_table *grid, const json_t *entry, const char *name)
{
    double value = kg__json_number(json_object_get(entry, "work"), name);
    char text[KG__FIGURE_SIZE] = "-";

    if (value >= 0)
        kg__show_figure(text, sizeof text, value, "");
    kg__text_table_add_figure(grid, text, value);
}

static void add_cases(kg__text_table *grid, const json_t *comparison)
{
    static const char *const purposes[] = { "check", "time", "count" };
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(comparison, "cases"), i, entry) {
        const char *id = kg__json_text(entry, "case");

        kg__text_table_add(grid, id, NULL);
        for (size_t p = 0; p < sizeof purposes / sizeof *purposes; p++)
            kg__text_table_add(grid, has_purpose(entry, purposes[p]) ? purposes[p] : "", NULL);
        add_work(grid, entry, "bytes");
        add_work(grid, entry, "operations");
        kg__text_table_add(grid, find_idea(comparison, id), NULL);
    }
}

/* Writes the cases that the comparison does not support. */
static void write_refused(FILE *stream, const json_t *comparison)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(comparison, "refused"), i, entry) {
        char *id = kg__clean_text(kg__json_text(entry, "case"), true);
        char *why = kg__clean_text(kg__json_text(entry, "why"), true);

        fprintf(stream, "refused: %s: %s\n", id, why);
        free(id);
        free(why);
    }
}

/* Writes a comparison's heading, its variants' ideas and its cases. */
static void write_comparison(const json_t *comparison, kg__text_table_format format)
{
    const char *name = kg__json_text(comparison, "comparison");
    kg__text_table *ideas =
        kg__text_table_new(idea_columns, sizeof idea_columns / sizeof *idea_columns);
    kg__text_table *cases =
        kg__text_table_new(case_columns, sizeof case_columns / sizeof *case_columns);
    const json_t *variant;
    size_t i;

    json_array_foreach (json_object_get(comparison, "variants"), i, variant) {
        kg__text_table_add(ideas, kg__json_text(variant, "variant"), NULL);
        kg__text_table_add(ideas, kg__json_text(variant, "idea"), NULL);
    }
    add_cases(cases, comparison);
    kg__print(stdout, "%s%s: %zu case%s\n\n", format == KG__GRID_MARKDOWN ? "## " : "", name,
              kg__text_table_rows(cases), kg__text_table_rows(cases) == 1 ? "" : "s");
    kg__text_table_write(stdout, ideas, format, true);
    putchar('\n');
    if (kg__text_table_rows(cases) > 0)
        kg__text_table_write(stdout, cases, format, true);
    write_refused(stdout, comparison);
    kg__text_table_free(ideas);
    kg__text_table_free(cases);
}

static void write_csv(const json_t *comparisons)
{
    kg__text_table *grid =
        kg__text_table_new(case_columns, sizeof case_columns / sizeof *case_columns);
    const json_t *comparison;
    size_t i;

    json_array_foreach (comparisons, i, comparison) {
        add_cases(grid, comparison);
        /* Text that is not a CSV row goes to the standard error. */
        write_refused(stderr, comparison);
    }
    kg__text_table_write(stdout, grid, KG__GRID_CSV, true);
    kg__text_table_free(grid);
}

static void write_tables(const json_t *document, kg__text_table_format format)
{
    const json_t *comparisons = json_object_get(document, "comparisons");
    const json_t *comparison;
    size_t i;

    if (format == KG__GRID_CSV) {
        write_csv(comparisons);
        return;
    }
    json_array_foreach (comparisons, i, comparison) {
        fputs(i > 0 ? "\n" : "", stdout);
        write_comparison(comparison, format);
    }
}

/* Finds the programs of the CPU model, which need no driver, else those for a GPU: their tables are
 * the same. */
static bool find_programs(kg__program_list *programs)
{
    static const kg__program_query question = { "list", "--work", "comparison", "case" };

    kg__program_list_find(programs, &question, build, ".model");
    if (programs->count == 0) {
        kg__program_list_free(programs);
        kg__program_list_find(programs, &question, build, ".gpu");
    }
    if (programs->count > 0)
        return true;
    kg__complain("list: there is no program *.model or *.gpu in %s: build it, or name its folder "
                 "with --build",
                 programs->folder);
    return false;
}

static int list_cases(const kg__program_list *programs, const char *filter,
                      const kg__print_form *form)
{
    char *globs = kg__program_list_filter(programs, filter);
    json_t *document;
    int code = KG__EXIT_PASS;

    if (globs == NULL)
        return KG__EXIT_ERROR;
    document = describe_programs(programs, globs);
    free(globs);
    if (json_array_size(json_object_get(document, "comparisons")) == 0) {
        kg__complain("list: the programs in %s have no case: add sizes to their tables",
                     programs->folder);
        code = KG__EXIT_ERROR;
    } else if (form->json) {
        return kg__json_print(document, JSON_INDENT(1), "list") ? KG__EXIT_PASS : KG__EXIT_ERROR;
    } else {
        write_tables(document, form->grid);
        code = kg__flush_output("list") ? KG__EXIT_PASS : KG__EXIT_ERROR;
    }
    json_decref(document);
    return code;
}

static int list(size_t count, char **operands)
{
    const char *setting = getenv("KG_FILTER");
    kg__program_list programs = { 0 };
    kg__print_form form;
    int code = KG__EXIT_ERROR;

    if (count > 1) {
        kg__complain("list: takes one FILTER, in which a comma separates globs: \"%s,%s\"",
                     operands[0], operands[1]);
        return KG__EXIT_ERROR;
    }
    if (!kg__parse_format("list", format_name, as_json, &form))
        return KG__EXIT_ERROR;
    if (find_programs(&programs) && kg__program_list_ask(&programs) == 0)
        code = list_cases(&programs,
                          count > 0         ? operands[0]
                          : setting != NULL ? setting
                                            : "",
                          &form);
    kg__program_list_free(&programs);
    return code;
}

static const kg__option options[] = {
    { "--build", "DIR", "the folder of the comparisons' programs (default: this command's build)",
      &build, NULL },
    { "--format", "FORMAT", "text (the default), markdown, csv or json", &format_name, NULL },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__list_command = {
    .name = "list",
    .operands = "[FILTER]",
    .summary = "Print the cases of the built programs, what each is for, and the variants' ideas",
    .details =
        "FILTER is a list of globs on case ids, separated by commas, as KG_FILTER, which it\n"
        "replaces; one without its last parts takes all that begin so: matmul_f32,\n"
        "'matmul_f32/tiled', 'invert_red/*/960x1280x1'. check: held against the host's reference;\n"
        "time: timed on a GPU; count: counted on the CPU model. bytes and operations are the\n"
        "fewest that the job takes.\n"
        "exit: 0 printed; 2 no program, or a glob that takes no case\n",
    .options = options,
    .takes_operands = true,
    .run = list,
};
