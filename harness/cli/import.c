/* kernelgate import: gates what other benchmark tools measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/color.h"
#include "base/exit_code.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "base/run_lock.h"
#include "baseline/baseline.h"
#include "baseline/baseline_rules.h"
#include "cli/command.h"
#include "cli/import.h"
#include "cli/publish.h"
#include "records/records.h"
#include "results/results.h"
#include "results/time_result.h"
#include "suite/settings.h"

static const char *from;
static const char *target_key;
static const char *out;
static const char *baselines;
static const char *commit;
static bool strict;
static bool as_json;

/* Cases of a device, from all files, and what they are judged against. */
typedef struct device {
    kg__target target;
    json_t *described;
    json_t *provenance;
    json_t *cases; /* by id, in order of appearance: lists of records, one a file */
    kg__baseline baseline;
    bool has_baseline;
    char baseline_path[2 * KG__PATH_SIZE];
    json_t *document; /* its verdicts */
} device;

typedef struct importing {
    const kg__import_tool *tool;
    size_t count; /* files */
    char **paths;
    json_t **documents;
    device *devices;
    size_t device_count;
    size_t room;
    size_t taken;  /* cases that the filter lets through */
    size_t passed; /* cases that it does not */
    char example[KG__IMPORT_ID_SIZE];
} importing;

static const kg__import_tool *find_tool(const char *name)
{
    for (const kg__import_tool *tool = kg__import_tools; tool->name != NULL; tool++) {
        if (strcmp(tool->name, name) == 0)
            return tool;
    }
    return NULL;
}

/* The tool of --from; NULL with a complaint. */
static const kg__import_tool *named_tool(void)
{
    const kg__import_tool *tool = from != NULL ? find_tool(from) : NULL;
    const char *names[8];
    size_t count = 0;
    const char *nearest;

    if (tool != NULL)
        return tool;
    for (; count < sizeof names / sizeof *names && kg__import_tools[count].name != NULL; count++)
        names[count] = kg__import_tools[count].name;
    nearest = from != NULL ? kg__nearest_name(from, names, count) : NULL;
    if (from == NULL)
        kg__complain("import: --from is missing: nvbench or google-benchmark");
    else if (nearest != NULL)
        kg__complain("import: --from %s: is unknown; did you mean %s?", from, nearest);
    else
        kg__complain("import: --from %s: is unknown: nvbench or google-benchmark", from);
    return NULL;
}

/* Complains where a document is rather another tool's. */
static bool is_of_tool(const importing *all, const char *path, const json_t *document)
{
    if (all->tool->looks_like(document))
        return true;
    for (const kg__import_tool *other = kg__import_tools; other->name != NULL; other++) {
        if (other->looks_like(document)) {
            kg__complain("%s: looks like a document of %s: --from %s", path, other->name,
                         other->name);
            return false;
        }
    }
    return true;
}

static bool read_file(importing *all, size_t index)
{
    const char *path = all->paths[index];
    kg__error error = { "" };
    json_t *document = kg__document_load(path, "give a file that the tool wrote", &error);

    if (document == NULL) {
        kg__complain("%s", error.text);
        return false;
    }
    for (size_t i = 0; i < index; i++) {
        if (json_equal(all->documents[i], document)) {
            kg__complain("%s: holds the same as %s: give files of several processes", path,
                         all->paths[i]);
            json_decref(document);
            return false;
        }
    }
    all->documents[index] = document;
    return is_of_tool(all, path, document);
}

static device *device_of(importing *all, const json_t *described, const json_t *provenance)
{
    const char *key = kg__json_text(described, "key");
    device *one;

    for (size_t i = 0; i < all->device_count; i++) {
        if (strcmp(kg__json_text(all->devices[i].described, "key"), key) == 0)
            return &all->devices[i];
    }
    all->devices = kg__grow(all->devices, all->device_count, &all->room, sizeof *all->devices);
    one = &all->devices[all->device_count++];
    *one = (device){ .described = json_deep_copy(described),
                     .provenance = json_deep_copy(provenance),
                     .cases = json_object() };
    return one;
}

static const char *name_of(const json_t *record)
{
    return kg__json_text(json_object_get(record, KG__IMPORTED), "name");
}

/* Whether two names are of one benchmark. nvbench's hold the number of the board, as "Device=1",
 * which may be another in each process. */
static bool is_same_benchmark(const char *a, const char *b)
{
    static const char board[] = "Device=";

    while (*a != '\0' && *a == *b) {
        if (strncmp(a, board, strlen(board)) == 0 && strncmp(b, board, strlen(board)) == 0) {
            a += strlen(board) + strspn(a + strlen(board), "0123456789");
            b += strlen(board) + strspn(b + strlen(board), "0123456789");
        } else {
            a++;
            b++;
        }
    }
    return *a == *b;
}

/* Takes up the records of a device from one file. False with a complaint where two of its devices
 * have the same case, or another benchmark of a file before has it. */
static bool take_records(importing *all, const char *path, const json_t *records, device *one,
                         json_t *seen)
{
    json_t *record;
    size_t i;

    json_array_foreach (records, i, record) {
        const char *id = kg__json_text(record, "case");
        json_t *list = json_object_get(one->cases, id);

        kg__format(all->example, sizeof all->example, "%s", id);
        if (!kg__filter_takes(id)) {
            all->passed++;
            continue;
        }
        all->taken++;
        if (json_object_get(seen, id) != NULL) {
            kg__complain("%s: two devices of target %s ran %s: measure on one of them (--device)",
                         path, kg__json_text(one->described, "key"), id);
            return false;
        }
        json_object_set_new(seen, id, json_true());
        if (list == NULL) {
            list = json_array();
            json_object_set_new(one->cases, id, list);
        } else if (!is_same_benchmark(name_of(json_array_get(list, 0)), name_of(record))) {
            kg__complain(
                "%s: %s would be case %s, as %s of an earlier file is: name them so that a "
                "value tells them apart",
                path, name_of(record), id, name_of(json_array_get(list, 0)));
            return false;
        }
        json_array_append(list, record);
    }
    return true;
}

/* Gives a device the key that was asked for, or its GPU's with the tool's name: what two tools
 * measure of a kernel are two things. False with a complaint where there is none. */
static bool name_target(const importing *all, const char *path, json_t *described)
{
    const char *gpu = kg__json_text(described, "key");
    char key[sizeof((kg__target *)0)->key];

    if (target_key == NULL && !kg__is_target_key(gpu)) {
        kg__complain("%s: names no GPU: give --target KEY, the name of the baseline to hold it "
                     "against without .json",
                     path);
        return false;
    }
    if (target_key != NULL && strcmp(target_key, gpu) == 0) {
        kg__complain("%s: --target %s: is what this project's own programs call this GPU: name "
                     "another, as %s-%s",
                     path, target_key, gpu, all->tool->name);
        return false;
    }
    kg__format(key, sizeof key, "%.*s-%s", (int)(sizeof key - strlen(all->tool->name) - 2), gpu,
               all->tool->name);
    json_object_set_new(described, "key", json_string(target_key != NULL ? target_key : key));
    return true;
}

static size_t devices_with_records(const json_t *converted)
{
    size_t count = 0;
    const json_t *one;
    size_t i;

    json_array_foreach (converted, i, one)
        count += json_array_size(json_object_get(one, "records")) > 0;
    return count;
}

static bool take_devices(importing *all, const char *path, const json_t *converted)
{
    json_t *seen = json_object();
    size_t count = devices_with_records(converted);
    bool good = count > 0 && (count == 1 || target_key == NULL);
    const json_t *one;
    size_t i;

    if (count == 0)
        kg__complain("%s: holds no benchmark: see what the benchmark's filter leaves", path);
    else if (!good)
        kg__complain("%s: is of %zu devices, and --target names one: measure on one of them", path,
                     count);
    json_array_foreach (converted, i, one) {
        json_t *described = json_object_get(one, "target");
        const json_t *records = json_object_get(one, "records");
        json_t *ids;
        device *known;

        if (!good || json_array_size(records) == 0)
            continue;
        good = name_target(all, path, described);
        if (!good)
            continue;
        known = device_of(all, described, json_object_get(one, "provenance"));
        ids = json_object_get(seen, kg__json_text(described, "key"));
        if (ids == NULL) {
            ids = json_object();
            json_object_set_new(seen, kg__json_text(described, "key"), ids);
        }
        good = take_records(all, path, records, known, ids);
    }
    json_decref(seen);
    return good;
}

/* Reads and converts all files; complains of the first thing that is wrong. */
static bool read_files(importing *all)
{
    for (size_t i = 0; i < all->count; i++) {
        kg__error error = { "" };
        json_t *converted;
        bool good;

        if (!read_file(all, i))
            return false;
        converted = all->tool->convert(all->paths[i], all->documents[i], &error);
        if (converted == NULL) {
            kg__complain("%s", error.text);
            return false;
        }
        good = take_devices(all, all->paths[i], converted);
        json_decref(converted);
        if (!good)
            return false;
    }
    if (all->taken > 0)
        return true;
    kg__complain("KG_FILTER=%s takes none of the %zu cases, such as %s: give another, or none",
                 kg__setting("KG_FILTER"), all->passed, all->example);
    return false;
}

static void add_text(const device *one, const char *list, const char *text)
{
    json_array_append_new(json_object_get(one->document, list), json_string(text));
}

static void add_error(const device *one, const char *text)
{
    add_text(one, "errors", text);
    kg__complain("%s: %s", one->target.key, text);
}

/* Finds the baseline, which knows of a target what a document may not. */
static void load_baseline(const importing *all, device *one)
{
    const char *measured_by;
    const char *set = kg__setting("KG_BASELINES");
    const char *folder = baselines != NULL ? baselines : set != NULL ? set : "baselines";
    kg__error error = { "" };
    kg__load_status status;

    one->target = kg__target_of(one->described);
    status = kg__baseline_load_for(folder, &one->target, one->baseline_path,
                                   sizeof one->baseline_path, &one->baseline, &error);
    if (status == KG__BAD)
        add_error(one, error.text);
    one->has_baseline = status != KG__ABSENT && one->baseline.case_count > 0;
    measured_by = kg__measured_by(one->baseline.provenance);
    if (one->has_baseline && !kg__is_same_tool(measured_by, kg__measured_by(one->provenance))) {
        one->has_baseline = false;
        kg__fail(&error, "%s: was measured by %s, not %s: name another --target",
                 one->baseline_path, *measured_by != '\0' ? measured_by : "comparisons' programs",
                 all->tool->name);
        add_error(one, error.text);
    }
    json_object_set_new(one->described, "key", json_string(one->target.key));
    if (*kg__json_text(one->described, "name") == '\0')
        json_object_set_new(
            one->described, "name",
            json_string(one->has_baseline ? one->baseline.target.name : one->target.key));
}

static const kg__baseline *baseline_of(const device *one)
{
    return one->has_baseline ? &one->baseline : NULL;
}

/* The entry of a case that was measured in some of the files. */
static json_t *judge_measured(const device *one, const char *id, const json_t *records)
{
    kg__sentinel_log none = { 0 };
    size_t count = json_array_size(records);
    kg__observation *observations = kg__allocate(count, sizeof *observations);
    size_t measured = 0;
    json_t *entry;
    size_t i;
    const json_t *record;

    json_array_foreach (records, i, record) {
        if (strcmp(kg__json_text(record, "event"), "measured") == 0)
            observations[measured++] =
                (kg__observation){ record, kg__surroundings_of(&none, baseline_of(one), record) };
    }
    entry = measured > 0 ? kg__time_result(id, &one->target, "time", observations, measured,
                                           baseline_of(one), NULL)
                         : NULL;
    free(observations);
    return entry;
}

/* The first record of an event, or NULL. */
static const json_t *first_of(const json_t *records, const char *event)
{
    const json_t *record;
    size_t i;

    json_array_foreach (records, i, record) {
        if (strcmp(kg__json_text(record, "event"), event) == 0)
            return record;
    }
    return NULL;
}

/* Names the files beside what the tool calls a case. */
static void name_files(const importing *all, json_t *entry, const json_t *record)
{
    json_t *imported = json_deep_copy(json_object_get(record, KG__IMPORTED));
    json_t *files = json_array();

    for (size_t i = 0; i < all->count; i++)
        json_array_append_new(files, json_string(all->paths[i]));
    json_object_set_new(imported, "files", files);
    if (target_key != NULL)
        json_object_set_new(imported, "target", json_string(target_key));
    json_object_set_new(entry, KG__IMPORTED, imported);
}

static void judge_case(const importing *all, const device *one, const char *id,
                       const json_t *records)
{
    const json_t *failed = first_of(records, "failed");
    const json_t *refused = first_of(records, "refused");
    char why[KG__MESSAGE_SIZE];
    char line[2 * KG__MESSAGE_SIZE];
    json_t *entry;

    if (failed != NULL) {
        entry = kg__plain_result(id, &one->target, "time", KG__ERROR, kg__json_text(failed, "why"));
    } else if (refused != NULL && kg__baseline_find(&one->baseline, id) != NULL) {
        kg__format(why, sizeof why, "is in the baseline and was skipped: %s",
                   kg__json_text(refused, "why"));
        entry = kg__plain_result(id, &one->target, "time", KG__ERROR, why);
    } else if (refused != NULL) {
        json_array_append_new(
            json_object_get(one->document, "refused"),
            json_pack("{s:s, s:s}", "case", id, "why", kg__json_text(refused, "why")));
        kg__print_verdict(kg__narration(), "refused", "%-11s  %-32s  %s\n", one->target.key, id,
                          kg__json_text(refused, "why"));
        return;
    } else {
        entry = judge_measured(one, id, records);
        /* The judge's own words name what records a comparison. */
        if (strcmp(kg__json_text(entry, "verdict"), kg__verdict_name(KG__NO_BASELINE)) == 0)
            json_object_set_new(entry, "why",
                                json_string("no baseline: five imports make one, with "
                                            "kernelgate baseline adopt"));
    }
    name_files(all, entry, json_array_get(records, 0));
    kg__time_result_line(entry, NULL, line, sizeof line);
    kg__print_verdict_line(kg__narration(), line);
    json_array_append_new(json_object_get(one->document, "cases"), entry);
}

/* Notes cases of the same comparisons that the baseline has and the files have not. */
static void find_vanished(const device *one)
{
    json_t *comparisons = json_object();
    const char *id;
    json_t *unused;

    json_object_foreach (one->cases, id, unused) {
        char name[KG__IMPORT_ID_SIZE];

        kg__format(name, sizeof name, "%.*s", (int)strcspn(id, "/"), id);
        json_object_set_new(comparisons, name, json_true());
    }
    for (size_t i = 0; one->has_baseline && i < one->baseline.case_count; i++) {
        char name[KG__IMPORT_ID_SIZE];

        id = one->baseline.cases[i].id;
        kg__format(name, sizeof name, "%.*s", (int)strcspn(id, "/"), id);
        if (json_object_get(comparisons, name) == NULL || !kg__filter_takes(id) ||
            json_object_get(one->cases, id) != NULL)
            continue;
        add_text(one, "vanished", id);
        kg__complain("%s: in the baseline and in none of the files: measure it, or retire it with "
                     "kernelgate baseline retire",
                     id);
    }
    json_decref(comparisons);
}

/* Where no case has a baseline nothing was judged. */
static void note_no_baseline(const device *one)
{
    char why[3 * KG__PATH_SIZE];
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(one->document, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "verdict"), kg__verdict_name(KG__NO_BASELINE)) != 0)
            return;
    }
    if (json_array_size(json_object_get(one->document, "cases")) == 0 ||
        json_array_size(json_object_get(one->document, "errors")) > 0)
        return;
    kg__format(why, sizeof why,
               "%s has none of these cases: record them by the results of five imports, with "
               "kernelgate baseline adopt",
               one->baseline_path);
    json_object_set_new(one->document, "skipped", json_string(why));
    json_object_set_new(one->document, "skipped_by", json_string("no-baseline"));
    kg__print_verdict(kg__narration(), "skipped", "%-11s  %s\n", one->target.key, why);
}

static bool judge_device(const importing *all, const char *folder, device *one)
{
    char test[sizeof one->target.key + sizeof KG__IMPORT_TEST];
    char path[2 * KG__PATH_SIZE];
    const char *id;
    json_t *records;
    kg__error error = { "" };

    one->document =
        json_pack("{s:s, s:b, s:[], s:[], s:[], s:[], s:[], s:[]}", "schema", KG__VERDICTS_SCHEMA,
                  "complete", 1, "errors", "vanished", "refused", "claims", "notes", "cases");
    load_baseline(all, one);
    kg__format(test, sizeof test, KG__IMPORT_TEST "%s", one->target.key);
    json_object_set_new(one->document, "test", json_string(test));
    json_object_set(one->document, "target", one->described);
    json_object_set(one->document, "provenance", one->provenance);
    json_object_foreach (one->cases, id, records)
        judge_case(all, one, id, records);
    find_vanished(one);
    note_no_baseline(one);
    kg__format_path(path, sizeof path, "%s/records/%s" KG__VERDICTS_SUFFIX, folder, test);
    if (kg__results_write_json(path, one->document, 1, &error))
        return true;
    kg__complain("%s", error.text);
    return false;
}

/* Judges all devices into the folder, as a run whose only tests they are; returns the exit code. */
static int judge_into(importing *all, const char *folder)
{
    kg__error error = { "" };
    json_t *results = NULL;
    bool good = kg__results_begin(folder, &error);
    int code;

    if (!good)
        kg__complain("%s", error.text);
    for (size_t i = 0; i < all->device_count && good; i++)
        good = judge_device(all, folder, &all->devices[i]);
    if (good)
        results = kg__results_merge(folder, strict || kg__is_strict(), NULL, &error);
    if (results == NULL) {
        if (good)
            kg__complain("%s", error.text);
        return KG__EXIT_ERROR;
    }
    kg__name_commits(results, commit);
    code = kg__publish_results(folder, results, kg__narration()) ? kg__results_exit_code(results)
                                                                 : KG__EXIT_ERROR;
    if (as_json && !kg__json_print(json_incref(results), JSON_INDENT(1), "import"))
        code = KG__EXIT_ERROR;
    json_decref(results);
    return code;
}

static int judge_held(importing *all)
{
    const char *folder = kg__results_folder(out);
    kg__error error = { "" };
    int code;

    if (!kg__file_make_folder(folder, &error) || !kg__run_lock_take(folder, getpid(), &error)) {
        kg__complain("import: %s", error.text);
        return KG__EXIT_ERROR;
    }
    code = judge_into(all, folder);
    kg__run_lock_release(folder, getpid());
    return code;
}

static bool is_good_target(void)
{
    if (target_key == NULL)
        return true;
    if (!kg__is_target_key(target_key) || strlen(target_key) >= sizeof((kg__target *)0)->key) {
        kg__complain("import: --target %s: is no target's key: use a-z, 0-9 and -, as in "
                     "nvidia-h200",
                     target_key);
        return false;
    }
    if (strcmp(target_key, KG__MODEL_KEY) != 0)
        return true;
    kg__complain("import: --target %s: holds exact counters, and no times: name another",
                 target_key);
    return false;
}

static void release(importing *all)
{
    for (size_t i = 0; i < all->device_count; i++) {
        device *one = &all->devices[i];

        json_decref(one->described);
        json_decref(one->provenance);
        json_decref(one->cases);
        json_decref(one->document);
        kg__baseline_free(&one->baseline);
    }
    free(all->devices);
    for (size_t i = 0; i < all->count; i++)
        json_decref(all->documents[i]);
    free(all->documents);
}

static int import(size_t count, char **paths)
{
    importing all = { .tool = named_tool(), .count = count, .paths = paths };
    int code = KG__EXIT_ERROR;

    if (as_json)
        kg__narrate_aside();
    if (all.tool == NULL || !is_good_target())
        return KG__EXIT_ERROR;
    if (count == 0) {
        kg__complain("import: needs the file that %s wrote", from);
        return KG__EXIT_ERROR;
    }
    all.documents = kg__allocate(count, sizeof(json_t *));
    if (read_files(&all))
        code = judge_held(&all);
    release(&all);
    return code;
}

static const kg__option import_options[] = {
    { "--from", "TOOL", "what measured: nvbench or google-benchmark", &from, NULL },
    { "--target", "KEY", "the target (default: the files' GPU with the tool, nvidia-h200-nvbench)",
      &target_key, NULL },
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &out, NULL },
    { "--baselines", "DIR", "the baselines' folder (default: KG_BASELINES, else baselines)",
      &baselines, NULL },
    { "--commit", "NAME", "the commit that was measured (default: the one checked out here)",
      &commit, NULL },
    { "--strict", NULL, "fail on environment, noisy, no-baseline and vanished too (as KG_STRICT=1)",
      NULL, &strict },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__import_command = {
    .name = "import",
    .operands = "FILE...",
    .summary = "Gate what nvbench or google-benchmark measured, by a stored baseline",
    .details =
        "FILE is JSON, of `nvbench --json` or `--jsonbin`, or of google-benchmark's\n"
        "`--benchmark_out`. Its benchmarks become cases, comparison/variant/size/launch, which "
        "are\n"
        "judged as a run of this project's own programs is; results.json, junit.xml and "
        "summary.md\n"
        "are left in the folder of the results, whose earlier ones are cleared. Of several files,\n"
        "one a process, each case's median decides. The results of five imports, each adopted by\n"
        "`kernelgate baseline adopt`, make a baseline. KG_FILTER narrows what is imported.\n\n"
        "exit: 0 judged, and nothing below; 1 slower (with --strict also noisy, no-baseline,\n"
        "vanished); 2 an error, and nothing was judged where a file is bad; 77 no case has a "
        "baseline\n",
    .options = import_options,
    .takes_operands = true,
    .run = import,
};
