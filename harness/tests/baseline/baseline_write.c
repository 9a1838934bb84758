/* Writing baselines: the round trip, what is not written, and files that are whole or not at all.
 */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/baseline/baseline_fixture.h"
#include "tests/fakes/fake_code.h"

TestSuite(baseline_write, .init = begin_baselines, .fini = remove_folder);

Test(baseline_write, loading_and_saving_changes_no_byte)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };

    write_text(path, whole);
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);

    char *text = read_text(path);

    cr_expect(strcmp(text, whole) == 0, "%s", text);
    free(text);
    cr_expect(files_in_folder() == 1);
}

Test(baseline_write, order_and_space_of_a_file_do_not_matter)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };

    write_text(path,
               "\n\n{ \"cases\" :{\"b/b/1/-\":{\"time_ns\":{\"floor\":50.0,\"band\":2e-2,\"value\":"
               "1.5e3},\"commit\":\"c\",\"barriers\":{\"value\":0.0}},\t\"a/a/1/-\":{\"barriers\":"
               "{\"value\":1,\"gated\":true}}},\r\n\"target\":{\"compiler\":\"gcc 12.2.0\",\"key\":"
               "\"nvidia-h200\"},\"schema\":\"kernelgate-baseline/1\"}\n\n");
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);

    char *text = read_text(path);

    cr_expect_str_eq(
        text, "{\"schema\": \"kernelgate-baseline/1\",\n"
              " \"target\": {\"key\": \"nvidia-h200\", \"compiler\": \"gcc 12.2.0\"},\n"
              " \"cases\": {\n"
              "  \"a/a/1/-\": {\"barriers\": {\"value\": 1, \"band\": 0}},\n"
              "  \"b/b/1/-\": {\"commit\": \"c\", \"barriers\": {\"value\": 0, \"band\": 0}, "
              "\"time_ns\": {\"value\": 1500, \"band\": 0.02, \"floor\": 50}}\n"
              " }}\n");
    free(text);
}

Test(baseline_write, numbers_are_exact_and_short)
{
    static const struct {
        double value;
        const char *text;
    } table[] = {
        { 60010, "60010" },
        { 0.1, "0.1" },
        { 1.0 / 3.0, "0.3333333333333333" },
        { 1e-5, "1e-05" },
        { 123456.789, "123456.789" },
        { 45130.25, "45130.25" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 9007199254740992.0, "9007199254740992" },
        { 1234567890123.5, "1234567890123.5" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kg__baseline baseline = small_baseline();
        kg__error error = { .text = "" };
        char expected[128];

        baseline.cases[0].metrics[0].value = table[i].value;
        cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
        kg__baseline_free(&baseline);

        char *text = read_text(path);

        snprintf(expected, sizeof expected, "\"value\": %s, ", table[i].text);
        cr_expect_not_null(strstr(text, expected), "%s in %s", expected, text);
        free(text);
        cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
        cr_expect(baseline.cases[0].metrics[0].value == table[i].value);
        kg__baseline_free(&baseline);
    }
}

Test(baseline_write, any_figures_survive_the_round_trip)
{
    kg__baseline baseline = small_baseline();
    kg__baseline back;
    kg__error error = { .text = "" };
    double sessions[2000];
    unsigned long long state = 99;

    for (size_t i = 0; i < 2000; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        sessions[i] = ldexp((double)(state >> 11) + 1.0, (int)(i % 100) - 100);
    }
    kg__baseline_set_sessions(&baseline.cases[0].metrics[0], sessions, 2000);
    baseline.cases[0].metrics[0].gated = false;
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    cr_assert(kg__baseline_load(path, &back, &error) == KG__LOADED, "%s", error.text);
    cr_assert(back.cases[0].metrics[0].session_count == 2000);
    for (size_t i = 0; i < 2000; i++)
        cr_assert(back.cases[0].metrics[0].sessions[i] == sessions[i]);
    kg__baseline_free(&back);
    kg__baseline_free(&baseline);
}

Test(baseline_write, texts_are_escaped)
{
    kg__baseline baseline = small_baseline();
    const kg__kernel_code code = fake_code(40, 0.75, "0123456789abcdef");
    kg__baseline back;
    kg__error error = { .text = "" };

    strcpy(baseline.target.name, "a \"quoted\"\nname, \xC3\xA4 \\ </x>");
    kg__provenance_set_text(&baseline.provenance, "two\nlines", "\t");
    kg__provenance_set(&baseline.provenance, "half", KG__FACT_NUMBER, 0.5);
    kg__provenance_set(&baseline.provenance, "whole", KG__FACT_COUNT, -3);
    kg__provenance_set(&baseline.provenance, "no", KG__FACT_FLAG, 0);
    kg__baseline_set_code(&baseline.cases[0], &code);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);

    char *text = read_text(path);
    size_t lines = 0;

    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    cr_expect(lines == 6, "one line for each part and case: %s", text);
    cr_expect_not_null(strstr(text, "\"provenance\": {\"two\\nlines\": \"\\t\", \"half\": 0.5, "
                                    "\"whole\": -3, \"no\": false}"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "\"code\": {\"registers\": 40, \"occupancy\": 0.75, "
                                    "\"fingerprint\": \"0123456789abcdef\"}"),
                       "%s", text);
    cr_assert(kg__baseline_load(path, &back, &error) == KG__LOADED, "%s", error.text);
    cr_expect_str_eq(back.target.name, baseline.target.name);
    cr_expect(kg__provenance_equal(&back.provenance, &baseline.provenance));
    cr_assert(kg__baseline_save(path, &back, &error), "%s", error.text);

    char *again = read_text(path);

    cr_expect_str_eq(again, text);
    free(again);
    free(text);
    kg__baseline_free(&back);
    kg__baseline_free(&baseline);
}

/* Some locales write 0,02. Where none of them is installed there is nothing to be tried. */
Test(baseline_write, numbers_do_not_follow_the_locale)
{
    static const char *const locales[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR" };
    kg__baseline baseline;
    kg__error error = { .text = "" };
    const char *found = NULL;

    for (size_t i = 0; found == NULL && i < sizeof locales / sizeof *locales; i++)
        found = setlocale(LC_ALL, locales[i]);
    if (found == NULL) {
        remove_folder(); /* .fini does not run for a skipped test */
        cr_skip_test("no locale with a decimal comma is installed");
    }
    write_text(path, whole);
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);

    char *text = read_text(path);

    cr_expect_str_eq(text, whole);
    free(text);
}

Test(baseline_write, modes_are_kept)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };
    struct stat status;

    umask(027);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    cr_assert(stat(path, &status) == 0);
    cr_expect((status.st_mode & 07777) == 0640, "a new file follows the umask: %o", status.st_mode);
    cr_assert(chmod(path, 0664) == 0);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    cr_assert(stat(path, &status) == 0);
    cr_expect((status.st_mode & 07777) == 0664, "%o", status.st_mode);
    cr_expect(files_in_folder() == 1);
    kg__baseline_free(&baseline);
}

Test(baseline_write, saving_without_a_folder_in_the_path)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };

    cr_assert(chdir(at("")) == 0);
    cr_assert(kg__baseline_save("nvidia-h200.json", &baseline, &error), "%s", error.text);
    cr_expect(files_in_folder() == 1);
    kg__baseline_free(&baseline);
    cr_expect(kg__baseline_load("nvidia-h200.json", &baseline, &error) == KG__LOADED);
    kg__baseline_free(&baseline);
    cr_assert(chdir("/") == 0);
}

/* Expects that a baseline cannot be saved, for this reason, over a file that stays as it is. */
static void expect_unsaved(const kg__baseline *baseline, const char *reason)
{
    kg__error error = { .text = "" };

    write_text(path, whole);
    cr_expect_not(kg__baseline_save(path, baseline, &error));
    cr_expect(strncmp(error.text, path, strlen(path)) == 0 && strstr(error.text, reason) != NULL,
              "expected: %s\ngot: %s", reason, error.text);

    char *text = read_text(path);

    cr_expect_str_eq(text, whole);
    free(text);
    cr_expect(files_in_folder() == 1, "no temporary file is left");
}

Test(baseline_write, figures_that_could_not_be_read_again_are_not_written)
{
    static const double bad[] = { NAN, INFINITY, -1, 0, 1e300 };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kg__baseline baseline = small_baseline();

        baseline.cases[0].metrics[0].value = bad[i];
        expect_unsaved(&baseline, "not written: a/b/530/b16: time_ns: value is out of range");
        baseline.cases[0].metrics[0].value = 5;
        kg__baseline_set_sessions(&baseline.cases[0].metrics[0], &bad[i], 1);
        expect_unsaved(&baseline, "a/b/530/b16: time_ns: sessions holds a figure out of range");
        kg__baseline_free(&baseline);
    }

    kg__baseline baseline = small_baseline();

    baseline.cases[0].metrics[0].band = 1;
    expect_unsaved(&baseline, "a/b/530/b16: time_ns: band is out of range");
    baseline.cases[0].metrics[0].band = NAN;
    expect_unsaved(&baseline, "a/b/530/b16: time_ns: band is out of range");
    baseline.cases[0].metrics[0].band = 0;
    baseline.cases[0].metrics[0].floor = -1;
    expect_unsaved(&baseline, "a/b/530/b16: time_ns: floor is out of range");
    kg__baseline_free(&baseline);
}

Test(baseline_write, names_that_could_not_be_read_again_are_not_written)
{
    static const char *const metrics[] = { "time ns", "commit", "code", "", "Time_ns" };

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        kg__baseline baseline = small_baseline();

        kg__baseline_add_metric(&baseline.cases[0], metrics[i]);
        expect_unsaved(&baseline, "is not a metric's name: use a-z, 0-9 and _");
        kg__baseline_free(&baseline);
    }

    kg__baseline unit = small_baseline();
    kg__baseline id = small_baseline();
    kg__baseline sentinel = small_baseline();
    kg__baseline metricless = small_baseline();

    kg__baseline_add_metric(&unit.cases[0], "time_ms");
    expect_unsaved(&unit, "time_ms: has a unit that is not used here: times are in ns");
    kg__baseline_add(&id, "a/b/530");
    expect_unsaved(&id, "a/b/530 is not a case: comparison/variant/size/launch");
    kg__baseline_add_sentinel(&sentinel, "spin");
    expect_unsaved(&sentinel, "spin is not a sentinel: they are copy and fma");
    kg__baseline_add(&metricless, "a/b/531/b16");
    expect_unsaved(&metricless, "a/b/531/b16: has no metric: measure it again");
    kg__baseline_free(&unit);
    kg__baseline_free(&id);
    kg__baseline_free(&sentinel);
    kg__baseline_free(&metricless);
}

Test(baseline_write, texts_that_could_not_be_read_again_are_not_written)
{
    kg__baseline baseline = small_baseline();
    kg__baseline sentinel = small_baseline();
    const kg__kernel_code code = fake_code(-1, 1.5, "");

    baseline.cases[0].commit = kg__copy_text("\xff");
    expect_unsaved(&baseline, "a/b/530/b16: its commit is empty or no UTF-8");
    baseline.cases[0].commit[0] = '\0';
    expect_unsaved(&baseline, "a/b/530/b16: its commit is empty or no UTF-8");
    baseline.cases[0].commit[0] = 'c';
    kg__baseline_set_code(&baseline.cases[0], &code);
    expect_unsaved(&baseline, "a/b/530/b16: code: occupancy is not a fraction from 0 to 1");
    kg__baseline_set_code(&baseline.cases[0], NULL);
    strcpy(baseline.target.compiler, "gcc \xff");
    expect_unsaved(&baseline, "a name of the target is not UTF-8");
    kg__baseline_add_metric(kg__baseline_add_sentinel(&sentinel, "fma"), "barriers");
    sentinel.sentinels[0].commit = kg__copy_text("c");
    expect_unsaved(&sentinel, "fma: a sentinel belongs to no commit");
    kg__baseline_free(&baseline);
    kg__baseline_free(&sentinel);
}

Test(baseline_write, targets_that_could_not_be_read_again_are_not_written)
{
    kg__baseline baseline = small_baseline();

    strcpy(baseline.target.key, "nvidia-h100");
    expect_unsaved(&baseline, "the target's key is \"nvidia-h100\"");
    strcpy(baseline.target.key, "");
    expect_unsaved(&baseline, "the target's key is \"\"");
    strcpy(baseline.target.key, "nvidia-h200");
    baseline.target.memory_mib = -1;
    expect_unsaved(&baseline, "the target's memory or multiprocessors are out of range");
    baseline.target.memory_mib = 0;
    baseline.target.multiprocessors = -1;
    expect_unsaved(&baseline, "the target's memory or multiprocessors are out of range");
    kg__baseline_free(&baseline);
}

Test(baseline_write, a_write_protected_file_is_not_replaced)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };

    write_text(path, whole);
    cr_assert(chmod(path, 0444) == 0);
    cr_expect_not(kg__baseline_save(path, &baseline, &error));
    cr_expect_not_null(strstr(error.text, "it is write-protected: chmod u+w it first"), "%s",
                       error.text);

    char *text = read_text(path);

    cr_expect_str_eq(text, whole);
    free(text);
    kg__baseline_free(&baseline);
}

Test(baseline_write, what_is_no_file_is_not_replaced)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };

    cr_assert(mkdir(path, 0700) == 0);
    cr_expect_not(kg__baseline_save(path, &baseline, &error));
    cr_expect_not_null(strstr(error.text, "it is not a regular file: move it away"), "%s",
                       error.text);
    cr_expect(files_in_folder() == 1);
    kg__baseline_free(&baseline);
}

Test(baseline_write, a_folder_that_cannot_be_written)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };

    cr_expect_not(kg__baseline_save(at("no/nvidia-h200.json"), &baseline, &error));
    cr_expect_not_null(strstr(error.text,
                              "cannot be written: No such file or directory: it is left as "
                              "it was"),
                       "%s", error.text);
    write_text(path, whole);
    cr_assert(chmod(at(""), 0555) == 0);
    if (geteuid() == 0)
        cr_assert(setegid(65534) == 0 && seteuid(65534) == 0);
    cr_expect_not(kg__baseline_save(path, &baseline, &error));
    cr_expect_not_null(strstr(error.text, "Permission denied"), "%s", error.text);
    if (getuid() == 0)
        cr_assert(seteuid(0) == 0);
    cr_assert(chmod(at(""), 0755) == 0);
    cr_expect(files_in_folder() == 1);
    kg__baseline_free(&baseline);
}

/* A limit on the size of files stands for a full disk. */
Test(baseline_write, a_disk_that_is_full)
{
    kg__baseline baseline = small_baseline();
    struct rlimit limit;
    struct rlimit small;
    char *text;
    kg__error error = { .text = "" };

    write_text(path, whole);
    cr_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    small = limit;
    small.rlim_cur = 40;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(setrlimit(RLIMIT_FSIZE, &small) == 0);

    bool saved = kg__baseline_save(path, &baseline, &error);

    cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    cr_expect_not(saved);
    cr_expect_not_null(strstr(error.text, "File too large"), "%s", error.text);
    text = read_text(path);
    cr_expect_str_eq(text, whole);
    free(text);
    cr_expect(files_in_folder() == 1, "no temporary file is left");
    kg__baseline_free(&baseline);
}

static const char counted[] =
    "{\"schema\": \"kernelgate-baseline/1\",\n"
    " \"target\": {\"key\": \"cpu-model\", \"name\": \"CPU model\", \"compiler\": \"gcc "
    "12.2.0\"},\n"
    " \"provenance\": {\"compiler\": \"gcc 12.2.0\", \"model\": \"1\"},\n"
    " \"cases\": {\n"
    "  \"matmul_f32/naive/530/b16\": {\"commit\": \"0b1c2d3\", \"barriers\": {\"value\": 0, "
    "\"band\": 0}, \"global_load_requests\": {\"value\": 9007199254740992, \"band\": 0}, "
    "\"shuffles\": {\"value\": 100, \"band\": 0.02, \"band_by\": \"hand\"}, \"lines\": "
    "{\"kernels/matmul_f32/naive.cu:9\": {\"shuffles\": 101}, \"kernels/matmul_f32/naive.cu:14\": "
    "{\"global_load_requests\": 9007199254740992}}},\n"
    "  \"matmul_f32/tiled/530/b16\": {\"commit\": \"0b1c2d3\", \"global_load_requests\": "
    "{\"value\": 612680, \"band\": 0, \"band_by\": \"hand\", \"gated\": false}}\n"
    " }}\n";

Test(baseline_write, the_models_file_goes_round)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };
    const kg__baseline_case *entry;
    char *text;

    be_the_model();
    write_text(path, counted);
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_expect(kg__is_model(&baseline.target));
    entry = kg__baseline_find(&baseline, "matmul_f32/naive/530/b16");
    cr_assert_not_null(entry);
    cr_expect(entry->metric_count == 3);
    cr_expect(kg__baseline_metric_of(entry, "global_load_requests")->value == 9007199254740992.0);
    cr_expect(entry->lines->count == 2);
    cr_expect_null(kg__baseline_find(&baseline, "matmul_f32/tiled/530/b16")->lines);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);
    text = read_text(path);
    cr_expect_str_eq(text, counted);
    free(text);
}

/* Whatever order they came in, lines are written in that of the source. */
Test(baseline_write, lines_are_written_in_their_order)
{
    kg__baseline baseline = { .target = { .key = KG__MODEL_KEY } };
    kg__baseline_case *entry = kg__baseline_add(&baseline, "a/b/1/-");
    kg__lines *lines = kg__lines_make();
    kg__error error = { .text = "" };
    char *text;

    be_the_model();
    kg__baseline_add_metric(entry, "barriers")->value = 2;
    kg__baseline_add_metric(entry, "shuffles")->value = 2;
    kg__lines_at(lines, "k.cu", 4, 14)->value[KG__SHUFFLES] = 2;
    kg__lines_at(lines, "k.cu", 4, 14)->value[KG__BARRIERS] = 1;
    kg__lines_at(lines, "k.cu", 4, 9)->value[KG__BARRIERS] = 1;
    (void)kg__lines_at(lines, "k.cu", 4, 3);
    kg__baseline_set_lines(entry, lines);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    text = read_text(path);
    cr_expect_not_null(strstr(text, "\"lines\": {\"k.cu:9\": {\"barriers\": 1}, \"k.cu:14\": "
                                    "{\"barriers\": 1, \"shuffles\": 2}}}"));
    free(text);
    kg__baseline_set_lines(entry, NULL);
    cr_expect_null(entry->lines);
    kg__lines_free(lines);
    kg__baseline_free(&baseline);
}

static void expect_model_unsaved(const kg__baseline *baseline, const char *message)
{
    kg__error error = { .text = "" };

    cr_expect(!kg__baseline_save(path, baseline, &error));
    cr_expect_not_null(strstr(error.text, message), "%s", error.text);
    cr_expect(files_in_folder() == 0);
}

Test(baseline_write, what_could_not_be_read_again_is_not_written)
{
    kg__baseline baseline = { .target = { .key = KG__MODEL_KEY } };
    kg__baseline_case *entry = kg__baseline_add(&baseline, "a/b/1/-");
    kg__baseline_metric *metric = kg__baseline_add_metric(entry, "barriers");
    double session = 5;

    be_the_model();
    metric->value = 5;
    metric->floor = 1;
    expect_model_unsaved(&baseline, "a/b/1/-: barriers: floor is for times: a counter has none");
    metric->floor = 0;
    metric->value = 5.5;
    expect_model_unsaved(&baseline, "barriers: value is not a whole number");
    metric->value = 5;
    kg__baseline_set_sessions(metric, &session, 1);
    expect_model_unsaved(&baseline, "barriers: sessions are for times");
    kg__baseline_set_sessions(metric, NULL, 0);
    kg__baseline_add_metric(entry, "speed")->value = 1;
    expect_model_unsaved(&baseline, "a/b/1/-: speed: is not a counter");
    (void)kg__baseline_remove_metric(entry, "speed");
    (void)kg__baseline_add_sentinel(&baseline, "copy");
    expect_model_unsaved(&baseline, "the CPU model has no sentinels");
    kg__baseline_free(&baseline);

    baseline = (kg__baseline){ .target = { .key = "nvidia-h200" } };
    kg__format(path, sizeof path, "%s", at("nvidia-h200.json"));
    entry = kg__baseline_add(&baseline, "a/b/1/-");
    kg__baseline_add_metric(entry, "barriers")->value = 5;
    entry->lines = kg__lines_make();
    expect_model_unsaved(&baseline, "a/b/1/-: lines belong in the CPU model's file alone");
    kg__baseline_free(&baseline);
}

/* The list of checked cases is the CPU model's, sorted, one case per line. */
Test(baseline_write, checked_cases_are_listed)
{
    static const char *const ids[] = { "b/v/1/-", "a/v/2/-", "c/v/1/-", "a/v/10/-" };
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };
    char *text;

    be_the_model();
    kg__format(baseline.target.key, sizeof baseline.target.key, KG__MODEL_KEY);
    while (baseline.case_count > 0)
        (void)kg__baseline_remove(&baseline, baseline.cases[0].id);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        cr_expect(kg__baseline_list(&baseline, ids[i]));
    cr_expect(!kg__baseline_list(&baseline, "b/v/1/-"), "listed already");
    cr_expect(kg__baseline_unlist(&baseline, "c/v/1/-"));
    cr_expect(!kg__baseline_unlist(&baseline, "c/v/1/-"));
    cr_expect(kg__baseline_lists(&baseline, "a/v/10/-") &&
              !kg__baseline_lists(&baseline, "a/v/1/-"));
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    text = read_text(path);
    cr_expect(
        strstr(text, ",\n \"checked\": [\n  \"a/v/10/-\",\n  \"a/v/2/-\",\n  \"b/v/1/-\"\n ]}\n") !=
            NULL,
        "%s", text);
    free(text);
    cr_expect(kg__baseline_list(&baseline, "not a case"));
    cr_expect(!kg__baseline_save(path, &baseline, &error));
    cr_expect(strstr(error.text, "checked: 'not a case' is not a case") != NULL, "%s", error.text);
    (void)kg__baseline_unlist(&baseline, "not a case");
    kg__format(baseline.target.key, sizeof baseline.target.key, "nvidia-h200");
    begin_baselines();
    cr_expect(!kg__baseline_save(path, &baseline, &error));
    cr_expect(strstr(error.text, "belongs in the CPU model's file alone") != NULL, "%s",
              error.text);
    kg__baseline_free(&baseline);
}
