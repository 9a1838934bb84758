/* The importers: what they take of a document, nvbench's or google-benchmark's, can be judged, and
 * kept in a baseline that can be read again. */
#include "cli/import.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "baseline/baseline_rules.h"
#include "baseline/make_baseline.h"
#include "records/records.h"
#include "results/results.h"
#include "results/time_result.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* The file of samples that the seeds name, in seconds. */
static void make_samples(void)
{
    static const float samples[] = { 2.0e-5F, 2.1e-5F, 1.9e-5F, 2.2e-5F, 2.0e-5F, 1.8e-5F };

    if (access(path_of("samples.bin"), F_OK) != 0)
        (void)file_of_input("samples.bin", (const uint8_t *)samples, sizeof samples);
}

static void keep(kg__baseline *baseline, const char *id, const json_t *metrics)
{
    kg__baseline_case *entry = kg__baseline_add(baseline, id);
    const char *name;
    json_t *figures;

    entry->commit = kg__copy_text("0123456789");
    json_object_foreach ((json_t *)metrics, name, figures) {
        double value = kg__json_number(figures, "value");
        double sessions[KG__SESSIONS_MINIMUM];
        double old;

        require(kg__json_number(figures, "low") <= value &&
                    value <= kg__json_number(figures, "high"),
                "a value lies in its interval");
        for (size_t i = 0; i < KG__SESSIONS_MINIMUM; i++)
            sessions[i] = value;
        (void)kg__record_time(entry, name, sessions, KG__SESSIONS_MINIMUM, false, &old);
    }
}

static void take_record(const kg__target *target, const json_t *record, kg__baseline *baseline)
{
    const char *event = kg__json_text(record, "event");
    const char *id = kg__json_text(record, "case");
    const kg__sentinel_log none = { 0 };
    const kg__observation observation = { record, kg__surroundings_of(&none, NULL, record) };
    char line[2 * KG__MESSAGE_SIZE];
    json_t *entry;

    require(kg__is_case_id(id), "a record has the id of a case");
    require(*kg__json_text(json_object_get(record, KG__IMPORTED), "name") != '\0',
            "a record has the benchmark's name");
    if (strcmp(event, "measured") != 0) {
        require(*kg__json_text(record, "why") != '\0', "what was not measured says why");
        return;
    }
    entry = kg__time_result(id, target, "time", &observation, 1, NULL, NULL);
    kg__time_result_line(entry, NULL, line, sizeof line);
    json_decref(entry);
    keep(baseline, id, json_object_get(record, "metrics"));
}

static void take_device(const json_t *device)
{
    const char *path = path_of("fuzz.json");
    kg__baseline baseline = { 0 };
    kg__baseline again;
    kg__error error = { "" };
    const json_t *record;
    size_t i;

    baseline.target = kg__target_of(json_object_get(device, "target"));
    kg__format(baseline.target.key, sizeof baseline.target.key, "fuzz");
    json_array_foreach (json_object_get(device, "records"), i, record)
        take_record(&baseline.target, record, &baseline);
    if (baseline.case_count > 0) {
        require(kg__baseline_save(path, &baseline, &error), error.text);
        require(kg__baseline_load(path, &again, &error) == KG__LOADED, error.text);
        kg__baseline_free(&again);
    }
    kg__baseline_free(&baseline);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    char path[256];
    kg__error error = { "" };
    json_t *document;

    kg__format(path, sizeof path, "%s", file_of_input("import.json", input, size));
    document = kg__document_load(path, "give a file that the tool wrote", &error);
    require_error(document == NULL, &error);
    make_samples();
    for (const kg__import_tool *tool = kg__import_tools; document != NULL && tool->name != NULL;
         tool++) {
        kg__error why = { "" };
        json_t *converted = tool->convert(path, document, &why);
        const json_t *device;
        size_t i;

        require_error(converted == NULL, &why);
        require(converted == NULL || tool->looks_like(document), "what is taken looks like it");
        json_array_foreach (converted, i, device)
            take_device(device);
        json_decref(converted);
    }
    json_decref(document);
    return 0;
}
