/* SPDX-License-Identifier: MIT */
/* Reading baselines: each kind of member that is wrong, or would hide a change, by the documents
 * that test the reader in Python too; and what the schema says that the programs know too. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "records/finding.h"
#include "records/kernel_code.h"
#include "suite/counters.h"
#include "tests/baseline/baseline_fixture.h"

static kg__error error;
static kg__baseline baseline;

TestSuite(baseline_members, .init = begin_baselines, .fini = remove_folder);

static bool has_word(const char *kind, const char *word)
{
    return strncmp(kind, word, strlen(word)) == 0;
}

/* Makes the file that a line of documents.jsonl means, and the name of its target: the text as it
 * is, what follows its schema, a case before a good one, or the members of that case. */
static void make_file(const char *kind, const char *text, char *made, size_t size)
{
    char inner[2048];

    if (has_word(kind, "model") || has_word(kind, "counters"))
        be_the_model();
    else
        be_a_gpu();
    snprintf(inner, sizeof inner, "%s", text);
    if (has_word(kind, "metric") || has_word(kind, "counters"))
        snprintf(inner, sizeof inner, "\"a/b/530/b16\": {%s}", text);
    if (strstr(kind, "head") != NULL)
        snprintf(made, size, "{\"schema\": \"" KG__BASELINE_SCHEMA "\",\n %s}", text);
    else
        snprintf(made, size, "%s", strstr(kind, "whole") != NULL ? text : with_case(inner));
}

/* Every bad file is complained about by member, and a bad case costs itself alone. The line, which
 * the documents have too, only the reader in Python says. */
Test(baseline_members, documents)
{
    json_t *rows = read_rows(KG__DOCUMENTS);
    const json_t *row;
    size_t i;

    json_array_foreach (rows, i, row) {
        const char *kind = json_string_value(json_object_get(row, "as"));
        const char *text = json_string_value(json_object_get(row, "text"));
        const char *place = json_string_value(json_object_get(row, "at"));
        bool has_good_case = strstr(kind, "head") == NULL && strstr(kind, "whole") == NULL;
        char made[4096];
        char expected[sizeof path + 256] = "";
        kg__load_status status;

        make_file(kind, text, made, sizeof made);
        if (place != NULL)
            snprintf(expected, sizeof expected, "%s%s", path, strchr(place + 1, ':'));
        status = kg__baseline_parse(path, made, strlen(made), &baseline, &error);
        cr_expect((status == KG__LOADED) == (place == NULL) &&
                      strncmp(error.text, expected, strlen(expected)) == 0,
                  "%s: \"%s\", expected \"%s\"", text, error.text, expected);
        if (has_good_case && place != NULL && strstr(error.text, "duplicate") == NULL)
            cr_expect(baseline.case_count == 1, "%s", text);
        kg__baseline_free(&baseline);
    }
    cr_assert(i > 100);
}

/* Copies of a valid document, each with one change: every value in it to others, every member taken
 * out, and members that no form has. An array of [whether the schema takes it, the copy]. */
static json_t *changed_documents(json_t *document)
{
    char command[2048];

    cr_assert(json_dump_file(document, at("document"), 0) == 0);
    kg__format(command, sizeof command,
               "exec python3 -W ignore '" KG__VALIDATOR "' '" KG__SCHEMAS "' '%s' '%s' 2>&1",
               at("document"), at("changed"));
    (void)output_of(command);
    return read_json(at("changed"));
}

/* Every change of a valid document has to be refused by the schema and by the reader, or by
 * neither.
 */
static void expect_agreement(json_t *document)
{
    json_t *changed = changed_documents(document);
    const json_t *copy;
    size_t refused = 0;
    size_t i;

    json_array_foreach (changed, i, copy) {
        const json_t *target = json_object_get(json_array_get(copy, 1), "target");
        const char *key = json_string_value(json_object_get(target, "key"));
        char *text = keep_text(json_dumps(json_array_get(copy, 1), JSON_ENCODE_ANY));
        char name[256];
        bool valid = json_is_true(json_array_get(copy, 0));
        bool read;

        /* That the file is called by its key is what no schema can say. */
        snprintf(name, sizeof name, "%s.json", key != NULL && *key != '\0' ? key : "nvidia-h200");
        read = kg__baseline_parse(name, text, strlen(text), &baseline, &error) == KG__LOADED;
        cr_expect(read == valid, "the schema says %d: %s: %s", valid, text, error.text);
        refused += !read;
        kg__baseline_free(&baseline);
    }
    cr_expect(refused > i / 2, "%zu of %zu refused", refused, i);
}

Test(baseline_members, documents_changed_anywhere)
{
    json_t *rows = read_rows(KG__DOCUMENTS);
    const json_t *row;
    size_t count = 0;
    size_t i;

    json_array_foreach (rows, i, row) {
        if (!json_is_true(json_object_get(row, "vary")))
            continue;
        expect_agreement(json_of(json_string_value(json_object_get(row, "text"))));
        count++;
    }
    cr_assert(count == 2);
}

static bool has_item(const json_t *array, const char *text)
{
    const json_t *item;
    size_t i;

    json_array_foreach (array, i, item) {
        if (strcmp(json_string_value(item), text) == 0)
            return true;
    }
    return false;
}

Test(baseline_members, the_schema_has_all_kinds_of_findings)
{
    json_t *results = read_json(KG__SCHEMAS "/kernelgate-results.schema.json");
    const json_t *kinds = NULL;

    cr_assert(json_unpack(results, "{s:{s:{s:{s:{s:o}}}}}", "$defs", "finding", "properties",
                          "kind", "enum", &kinds) == 0);
    cr_expect(json_array_size(kinds) == KG__FINDING_KINDS);
    for (int i = 0; i < KG__FINDING_KINDS; i++)
        cr_expect(has_item(kinds, kg__finding_kind_name((kg__finding_kind)i)), "%d", i);
}

/* The commands take these from the schema. */
Test(baseline_members, what_the_schema_says_of_counters_and_judging)
{
    json_t *schema = read_json(KG__SCHEMAS "/kernelgate-baseline.schema.json");
    json_t *results = read_json(KG__SCHEMAS "/kernelgate-results.schema.json");
    const json_t *verdicts =
        json_object_get(json_object_get(json_object_get(results, "$defs"), "verdict"), "enum");
    const json_t *defined = json_object_get(schema, "$defs");
    const json_t *metric =
        json_object_get(json_object_get(json_object_get(defined, "metric"), "properties"), "floor");
    const json_t *gated =
        json_object_get(json_object_get(json_object_get(defined, "metric"), "properties"), "gated");
    const json_t *accuracy = json_object_get(json_object_get(schema, "properties"), "accuracy");
    const json_t *counter = json_object_get(defined, "counter");
    const json_t *names = json_object_get(counter, "enum");
    double tolerance = NAN;

    cr_expect(json_unpack(schema, "{s:{s:{s:{s:{s:F}}}}}", "$defs", "target", "properties",
                          "memory_mib", "x-tolerance", &tolerance) == 0);
    cr_expect(tolerance == KG__MEMORY_TOLERANCE);
    cr_expect(json_number_value(json_object_get(metric, "x-default")) == KG__TIME_FLOOR_NS);
    cr_expect(json_number_value(json_object_get(gated, "x-limit")) == KG__GATED_LIMIT);
    cr_expect(json_number_value(json_object_get(accuracy, "x-band")) == KG__ERROR_BAND);
    cr_expect(json_integer_value(json_object_get(counter, "x-model")) == atol(KG__MODEL_VERSION));
    cr_expect(json_array_size(names) == KG__COUNTERS);
    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);
        const json_t *since = json_object_get(json_object_get(counter, "x-since"), name);
        bool by_case = has_item(json_object_get(counter, "x-by-case"), name);

        cr_expect_str_eq(json_string_value(json_array_get(names, (size_t)i)), name);
        cr_expect(by_case != kg__is_counted_by_line((kg__counter)i), "%s", name);
        for (int version = 1; version <= atoi(KG__MODEL_VERSION); version++) {
            char model[16];

            snprintf(model, sizeof model, "%d", version);
            cr_expect(kg__counter_is_of((kg__counter)i, model) ==
                          (version >= json_integer_value(since)),
                      "%s in version %d", name, version);
        }
    }
    cr_expect(json_array_size(verdicts) == KG__VERDICTS);
    for (int i = 0; i < KG__VERDICTS; i++)
        cr_expect_str_eq(json_string_value(json_array_get(verdicts, (size_t)i)),
                         kg__verdict_name((kg__verdict)i));
}

/* Python takes the words and units of a kernel's figures from the schema. */
Test(baseline_members, what_the_schema_says_of_generated_code)
{
    static const char *const stored[] = { "registers", "local_bytes", "shared_bytes", "occupancy" };
    json_t *schema = read_json(KG__SCHEMAS "/kernelgate-code.schema.json");
    kg__kernel_code before = kg__kernel_code_unknown;
    kg__kernel_code now = kg__kernel_code_unknown;
    kg__code_change changes[KG__CODE_CHANGES];

    before.registers = before.local_bytes = before.shared_bytes = 8;
    now.registers = now.local_bytes = now.shared_bytes = 16;
    before.occupancy = 0.5;
    now.occupancy = 1.0;
    cr_assert(kg__kernel_code_changes(&before, &now, changes) == KG__CODE_CHANGES);
    for (size_t i = 0; i < KG__CODE_CHANGES; i++) {
        const json_t *figure = json_object_get(json_object_get(schema, "x-figures"), stored[i]);
        const char *unit = kg__json_text(figure, "unit");
        char text[100];

        snprintf(text, sizeof text, "%s %s%s%s -> ", kg__json_text(figure, "words"),
                 *unit == '%' ? "50.0" : "8", *unit != '\0' ? " " : "", unit);
        cr_expect(strncmp(changes[i].text, text, strlen(text)) == 0, "%s", changes[i].text);
    }
}

Test(baseline_members, errors_of_checked_cases)
{
    static const char text[] =
        "{\"schema\": \"" KG__BASELINE_SCHEMA "\", \"target\": {\"key\": \"nvidia-fake\"}, "
        "\"cases\": {}, \"accuracy\": {\"b/b/1/-\": [0.5, 0.25], \"a/b/1/-\": [0, 0, 0.3], "
        "\"a/b/2/-\": 1}}";

    cr_assert(kg__baseline_parse("nvidia-fake.json", text, strlen(text), &baseline, NULL) ==
              KG__BAD);
    cr_assert(baseline.accuracy_count == 2);
    cr_expect(kg__baseline_accuracy_of(&baseline, "a/b/1/-")->band == 0.3);
    cr_expect(kg__baseline_accuracy_of(&baseline, "b/b/1/-")->errors[0] == 0.5);
    cr_expect(kg__baseline_accuracy_of(&baseline, "a/b/3/-") == NULL);
    kg__baseline_free(&baseline);
}
