/* The JSON Schemas of what is stored, against what is read and written: every stored baseline and
 * the results of a run are valid, and a document that was changed anywhere is refused by the schema
 * and by the reader, or by neither. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"
#include "baseline/baseline.h"
#include "results/results.h"
#include "results/run_files.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

TestSuite(schema, .init = make_folder, .fini = remove_folder, .timeout = 100);

Test(schema, every_stored_baseline_is_valid)
{
    DIR *listing = opendir(KG__BASELINES);
    const struct dirent *entry;
    size_t count = 0;

    cr_assert(listing != NULL);
    while ((entry = readdir(listing)) != NULL) {
        char path[600];
        kg__baseline baseline;
        kg__error error = { "" };
        json_t *document;

        if (strstr(entry->d_name, ".json") == NULL)
            continue;
        kg__format(path, sizeof path, "%s/%s", KG__BASELINES, entry->d_name);
        document = read_json(path);
        expect_valid(document, path);
        json_decref(document);
        cr_expect(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
        kg__baseline_free(&baseline);
        count++;
    }
    closedir(listing);
    cr_expect(count >= 2, "the CPU model's, and that of a GPU");
}

/* What a reader says of a document. */
typedef bool reader(const json_t *document, kg__error *error);

static bool reads_baseline(const json_t *document, kg__error *error)
{
    const char *key =
        json_string_value(json_object_get(json_object_get(document, "target"), "key"));
    char path[300];
    char *text = json_dumps(document, 0);
    kg__baseline baseline;
    bool right;

    /* That the file is called by its key is what no schema can say. */
    kg__format(path, sizeof path, "%s.json", key != NULL ? key : "nvidia-fake");
    right = kg__baseline_parse(path, text, strlen(text), &baseline, error) == KG__LOADED;
    kg__baseline_free(&baseline);
    free(text);
    return right;
}

static bool reads_results(const json_t *document, kg__error *error)
{
    kg__pool pool = { 0 };
    bool read;

    cr_assert(json_dump_file(document, at("results.json"), 0) == 0);
    read = kg__results_load(&pool, at("results.json"), error) != NULL;
    kg__pool_free(&pool);
    return read;
}

/* Every change of a document has to be refused by both, or by neither. */
static void expect_agreement(json_t *document, reader *reads)
{
    json_t *documents = changed_documents(document);
    size_t refused = 0;
    size_t apart = 0;
    const json_t *changed;
    size_t i;

    json_array_foreach (documents, i, changed) {
        bool valid = json_is_true(json_array_get(changed, 0));
        kg__error error = { "" };
        bool right = reads(json_array_get(changed, 1), &error);
        char *text;

        refused += !right;
        if (right == valid)
            continue;
        text = json_dumps(changed, 0);
        if (apart++ < 10)
            cr_expect(false, "the reader %s it: %s\n%.3000s", right ? "takes" : "refuses",
                      error.text, text);
        free(text);
    }
    cr_expect(apart == 0, "%zu of %zu", apart, i);
    cr_expect(refused > i / 2, "%zu of %zu refused", refused, i);
    json_decref(documents);
}

Test(schema, a_gpus_baseline_changed_anywhere)
{
    /* That the figures of a metric that is gated fit each other is what no schema can say. */
    static const char text[] =
        "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"nvidia-fake\", \"name\": "
        "\"NVIDIA Fake\", \"compute_capability\": \"9.0\", \"memory_mib\": 81920, "
        "\"multiprocessors\": 132}, \"provenance\": {\"driver\": \"1.2.3\", \"ecc\": true, "
        "\"power_limit_w\": 700}, \"sentinels\": {\"copy\": {\"time_ns\": {\"value\": 100000, "
        "\"band\": 0.02, \"floor\": 50, \"gated\": false, \"sessions\": [100000, 100001]}}}, "
        "\"cases\": "
        "{\"a/b/1/b16\": {\"commit\": \"abc\", \"time_ns\": {\"value\": 10000.5, \"band\": 0.03, "
        "\"band_by\": \"hand\", \"floor\": 50, \"gated\": false, \"sessions\": [10000, 10001]}}}}";
    json_t *document = json_loads(text, 0, NULL);

    expect_valid(document, text);
    expect_agreement(document, reads_baseline);
    json_decref(document);
}

Test(schema, the_models_baseline_changed_anywhere)
{
    /* That counters are the sums of their lines is what no schema can say: these have no sums. */
    static const char text[] =
        "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"cpu-model\", "
        "\"compiler\": \"gcc 12.2.0\"}, \"provenance\": {\"compiler\": \"gcc 12.2.0\"}, \"cases\": "
        "{\"a/b/1/-\": {\"commit\": \"abc\", \"shared_bytes\": {\"value\": 8, \"band\": 0}, "
        "\"copied_bytes\": {\"value\": 9, \"band\": 0.1, \"band_by\": \"hand\", \"gated\": "
        "true}, \"lines\": {\"kernels/a/b.cu:7\": {\"shared_bytes\": 8}}}}, \"checked\": "
        "[\"a/b/2/-\"]}";
    json_t *document = json_loads(text, 0, NULL);

    expect_valid(document, text);
    expect_agreement(document, reads_baseline);
    json_decref(document);
}

/* All but those that hang, which would take as long as a hang is waited for. */
#define SOME_CASES "KG_FILTER=fake/[!h]*"

static char out_setting[400];
static char lock_setting[400];
static char baselines_setting[400];
static char log_setting[400];

/* Runs a part of a program as CTest does; it may end as it likes. */
static void run_part(const char *program, const char *filter, const char *setting)
{
    const char *const arguments[] = { program, filter, NULL };
    const char *const settings[] = { out_setting, lock_setting,         baselines_setting,
                                     log_setting, "KG_CASE_TIMEOUT=20", setting,
                                     NULL };
    ending seen = drive(arguments, settings);

    free(seen.output);
}

/* What a run leaves that has passes, wrong results, crashes, refusals, skipped tests, claims and
 * vanished cases. */
static json_t *run_results(void)
{
    const char *const results[] = { KG__COMMAND,  "results",      "--build", "build/cpu",
                                    "--programs", at("programs"), NULL };
    const char *const settings[] = { out_setting, baselines_setting, NULL };
    kg__error error = { "" };
    ending seen;

    kg__format(out_setting, sizeof out_setting, "KG_OUT=%s", at("out"));
    kg__format(lock_setting, sizeof lock_setting, "KG_LOCK_DIR=%s", at(""));
    kg__format(baselines_setting, sizeof baselines_setting, "KG_BASELINES=%s", at("baselines"));
    kg__format(log_setting, sizeof log_setting, "FAKE_LOG=%s", at("log"));
    cr_assert(kg__results_begin(at("out"), &error), "%s", error.text);
    cr_assert(kg__file_make_folder(at("baselines"), &error), "%s", error.text);
    write_text(at("baselines/nvidia-fake.json"),
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"nvidia-fake\", "
               "\"name\": \"NVIDIA Fake\"}, \"cases\": {\"fake/plain/64/b32\": {\"commit\": "
               "\"abc\", \"time_ns\": {\"value\": 10000, \"band\": 0.02, \"floor\": 50}}, "
               "\"fake/gone/64/b32\": {\"commit\": \"abc\", \"time_ns\": {\"value\": 5000, "
               "\"band\": 0.02, \"floor\": 50}}}}");
    run_part(KG__FAKE_GPU, "--filter=fake/check", SOME_CASES);
    run_part(KG__FAKE_GPU, "--filter=fake/time", SOME_CASES);
    run_part(KG__FAKE_MODEL, "--filter=fake/check", SOME_CASES);
    run_part(KG__FAKE_MODEL, "--filter=fake/count", "KG_FILTER=nothing/of/this/-");
    write_text(at("programs"), KG__FAKE_GPU "\n" KG__FAKE_MODEL "\n");
    seen = drive(results, settings);
    cr_assert(seen.code == 2, "a crash is among them: %s", seen.output);
    free(seen.output);
    return read_json(at("out/results.json"));
}

static size_t count_verdict(const json_t *results, const char *verdict)
{
    return (size_t)json_integer_value(json_object_get(json_object_get(results, "tally"), verdict));
}

Test(schema, results_of_a_run_are_valid)
{
    json_t *results = run_results();

    cr_expect(count_verdict(results, "pass") > 0 && count_verdict(results, "wrong") > 0 &&
              count_verdict(results, "error") > 0 && count_verdict(results, "no-baseline") > 0);
    cr_expect(count_verdict(results, "vanished") == 1 &&
              count_verdict(results, "filtered_out") == 1);
    cr_expect(json_array_size(json_object_get(results, "refused")) > 0);
    expect_valid(results, "results.json");
    cr_expect(reads_results(results, NULL));
    json_decref(results);
}

/* Those of a run, with one of each kind of entry left, so that the changes are of all kinds and not
 * too many; and what no such run has. */
Test(schema, results_changed_anywhere)
{
    static const char more[] =
        "{\"commit\": \"abc\", \"base\": {\"ref\": \"main\", \"commit\": \"abc\"}, \"boards\": "
        "{\"GPU-1\": {\"target\": \"t\", \"provenance\": {}}}, "
        "\"baselines\": {\"since\": \"main\", \"commit\": \"abc\", \"not_gated\": 1, "
        "\"limits_above_10_percent\": 0, \"files\": [{\"target\": \"t\", \"state\": "
        "\"unreadable\", "
        "\"no_longer_gated\": 0, \"retired\": 0, \"widened\": 1, \"slower\": 0, \"new\": 0, "
        "\"sentinels_moved\": 0, \"why\": \"w\"}], \"loosened\": [{\"target\": \"t\", \"case\": "
        "\"a/b/1/b16\", \"metric\": \"time_ns\", \"kind\": \"widened\", \"before\": 0.02, "
        "\"after\": "
        "0.2}]}, "
        "\"claims\": [{\"claim\": \"a/claim_b\", \"holds\": true, \"why\": \"\", \"target\": "
        "\"t\", \"test\": \"gpu.a.claim_b\"}], \"errors\": [{\"test\": \"gpu.a.time\", \"why\": "
        "\"w\"}], \"notes\": [{\"note\": \"n\", \"target\": \"t\", \"test\": \"gpu.a.time\"}], "
        "\"tests\": [{\"name\": \"gpu.a.time\", \"target\": \"t\", \"seconds\": 1.5, \"complete\": "
        "true, \"exit_code\": 0, \"board\": \"GPU-1\"}, {\"name\": \"gpu.a.time\", \"target\": "
        "\"t\", \"seconds\": 1, "
        "\"complete\": true, \"exit_code\": 77, \"skipped\": \"w\", \"skipped_by\": \"filter\"}], "
        "\"cases\": [{\"case\": \"a/b/1/b16\", \"target\": \"t\", \"parts\": [\"check\"], "
        "\"seconds\": 1, \"metrics\": {\"time_ns\": {\"value\": 1, \"low\": 1, \"high\": 2, "
        "\"baseline\": null, \"change\": -0.5, \"limit\": 0.02, \"smallest\": 0.03, \"gated\": "
        "true, \"tripped\": true, \"verdict\": \"pass\", \"why\": \"\"}}, \"verdict\": \"pass\", "
        "\"why\": \"\", "
        "\"findings\": [{\"kind\": \"race_in_block\", \"file\": \"a.cu\", \"line\": 1, \"access\": "
        "\"read\", \"block\": [1, 2, 3], \"thread\": [1, 2, 3], \"waiting\": 1, \"host\": true, "
        "\"bytes\": 4, \"space\": \"shared\", \"symbol\": \"s\", \"size\": 64, \"offset\": -4, "
        "\"index\": -1, \"address\": \"0x1f\", \"count\": 2, \"other\": {\"file\": \"a.cu\", "
        "\"line\": "
        "2, \"access\": \"write\", \"block\": [0, 0, 0], \"thread\": [0, 0, 0], \"waiting\": 1}}], "
        "\"more_findings\": 2, \"also\": \"w\", \"failure\": {\"kind\": \"wrong_elements\", "
        "\"symbol\": \"c\"}, \"at\": {\"file\": \"a.cu\", \"line\": 1}, "
        "\"test\": \"gpu.a.time\", \"lines\": {\"a.cu:1\": {\"barriers\": 1}}, \"sampled\": "
        "{\"blocks\": 1, \"of\": 2}, \"absent\": {\"cold_time_ns\": \"w\"}, \"work\": "
        "{\"operations\": 1, \"bytes\": 2}, \"kernel\": {\"registers\": 32, \"local_bytes\": 0, "
        "\"shared_bytes\": 0, \"blocks_per_multiprocessor\": 1, \"occupancy\": 0.5}, \"card\": "
        "{\"temperature_c\": 41, \"sm_clock_mhz\": 1980, \"clock_reasons\": \"none\", "
        "\"launch_ns\": 680, \"batches_repeated\": 2}, \"suspect\": "
        "true, "
        "\"note\": \"w\", \"base\": {\"ref\": \"main\"}, \"pairs\": {\"time_ns\": {\"count\": 12, "
        "\"change\": 0.01, \"low\": 0, \"high\": 0.02, \"p\": 0.001}}}]}";
    static const char *const lists[] = { "refused", "vanished" };
    json_t *results = run_results();
    json_t *one_of_each = json_loads(more, 0, NULL);
    json_t *provenance = json_object_get(json_object_get(results, "provenance"), "nvidia-fake");

    cr_assert(one_of_each != NULL);
    json_object_update(results, one_of_each);
    json_decref(one_of_each);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        json_t *list = json_object_get(results, lists[i]);

        while (json_array_size(list) > 1)
            json_array_remove(list, 1);
    }
    json_object_set_new(
        provenance, "limits",
        json_pack("{s:f, s:f}", "copy_bytes_per_second", 1e12, "operations_per_second", 1e13));
    json_object_set_new(provenance, "sentinels_ns", json_pack("{s:f}", "copy", 1e5));
    expect_valid(results, "results.json");
    expect_agreement(results, reads_results);
    json_decref(results);
}
