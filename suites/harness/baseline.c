/* The baseline store: the round trip, each kind of bad file, and writing that is whole or not at
 * all. */
#include "baseline.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];
static char path[PATH_MAX + 64];

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/kernelgate-baseline.XXXXXX",
             parent != NULL && *parent != '\0' ? parent : "/tmp");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/nvidia-h200.json", folder);
}

static void remove_folder(void)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;

    cr_assert_not_null(listing);
    while ((entry = readdir(listing)) != NULL) {
        char name[sizeof path + NAME_MAX];

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        cr_assert(remove(name) == 0, "%s", name);
    }
    closedir(listing);
    cr_assert(rmdir(folder) == 0);
}

TestSuite(baseline, .init = make_folder, .fini = remove_folder);

static size_t files_in_folder(void)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;
    size_t count = 0;

    cr_assert_not_null(listing);
    while ((entry = readdir(listing)) != NULL)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file);
    cr_assert(fwrite(bytes, 1, size, file) == size);
    cr_assert(fclose(file) == 0);
}

static void write_file(const char *text)
{
    write_bytes(text, strlen(text));
}

static char *read_file(void)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;

    cr_assert_not_null(file);
    cr_assert(getdelim(&text, &size, '\0', file) >= 0);
    fclose(file);
    return text;
}

static const char whole[] =
    "{\"schema\": \"kernelgate-baseline/1\",\n"
    " \"target\": {\"key\": \"nvidia-h200\", \"name\": \"NVIDIA H200\", \"compute_capability\": "
    "\"9.0\", \"memory_mib\": 143771, \"multiprocessors\": 132},\n"
    " \"provenance\": {\"driver\": \"580.159.04\", \"cuda\": \"13.0\", \"power_limit_w\": 700, "
    "\"empty_launch_ns\": 533.7, \"ecc\": true},\n"
    " \"sentinels\": {\"copy\": {\"time_ns\": {\"value\": 256000.5, \"band\": 0.02, \"floor\": 50, "
    "\"sessions\": [256000.5, 256010]}}, \"fma\": {\"time_ns\": {\"value\": 90000, \"band\": 0.02, "
    "\"floor\": 50}}},\n"
    " \"cases\": {\n"
    "  \"matmul_f32/naive/530/b16\": {\"commit\": \"0b1c2d3\", \"cold_time_ns\": {\"value\": "
    "73000, "
    "\"band\": 0.02, \"floor\": 50, \"gated\": false}, \"time_ns\": {\"value\": 60010, \"band\": "
    "0.02, \"floor\": 50, \"sessions\": [60010, 59930, 60180, 60020, 59990]}, \"code\": "
    "{\"registers\": 40, \"local_bytes\": 0}},\n"
    "  \"matmul_f32/tiled/530/b16\": {\"commit\": \"0b1c2d3\", \"global_load_requests\": "
    "{\"value\": 612680, \"band\": 0}, \"time_ns\": {\"value\": 45130.25, \"band\": 0.03, "
    "\"band_by\": \"hand\", \"floor\": 50}}\n"
    " }}\n";

/* Loads the file, which is expected to be bad, and expects its complaint to be `message` behind the
 * file's path. The baseline is the caller's to free. */
static kg__baseline load_bad(const char *message)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };
    char expected[KG__MESSAGE_SIZE + sizeof path];

    cr_expect(kg__baseline_load(path, &baseline, &error) == KG__BAD);
    snprintf(expected, sizeof expected, "%s%s", path, message);
    cr_expect(strcmp(error.text, expected) == 0, "expected: %s\ngot: %s", expected, error.text);
    return baseline;
}

#define REMEDY ": mend the file, or record it anew with ci/rebaseline"

static void expect_bad(const char *text, const char *message)
{
    write_file(text);

    kg__baseline baseline = load_bad(message);

    cr_expect(baseline.case_count == 0, "%s", message);
    kg__baseline_free(&baseline);
}

/* A file with a good case, and before it this text of another one. */
static char *with_case(const char *text)
{
    static char file[4096];

    snprintf(file, sizeof file,
             "{\"schema\": \"kernelgate-baseline/1\",\n"
             " \"target\": {\"key\": \"nvidia-h200\"},\n"
             " \"cases\": {\n"
             "  %s,\n"
             "  \"z/good/1/-\": {\"barriers\": {\"value\": 3}}\n"
             " }}\n",
             text);
    return file;
}

/* A bad case is complained about, and costs itself alone. */
static void expect_bad_case(const char *text, const char *message)
{
    write_file(with_case(text));

    kg__baseline baseline = load_bad(message);

    cr_expect(baseline.case_count == 1, "%s", message);
    cr_expect_not_null(kg__baseline_find(&baseline, "z/good/1/-"));
    kg__baseline_free(&baseline);
}

/* A metric, at line 4, whose figures are wrong. */
static void expect_bad_metric(const char *metric, const char *message)
{
    char text[2048];
    char expected[KG__MESSAGE_SIZE];

    snprintf(text, sizeof text, "\"a/b/530/b16\": {%s}", metric);
    snprintf(expected, sizeof expected, ":4: cases: a/b/530/b16: %s" REMEDY, message);
    expect_bad_case(text, expected);
}

Test(baseline, loads_what_the_file_says)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };

    write_file(whole);
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_expect_str_eq(error.text, "");
    cr_expect_str_eq(baseline.target.key, "nvidia-h200");
    cr_expect_str_eq(baseline.target.name, "NVIDIA H200");
    cr_expect_str_eq(baseline.target.compute_capability, "9.0");
    cr_expect_str_eq(baseline.target.compiler, "");
    cr_expect(baseline.target.memory_mib == 143771);
    cr_expect(baseline.target.multiprocessors == 132);
    cr_expect(json_is_true(json_object_get(baseline.provenance, "ecc")));
    cr_expect(baseline.sentinel_count == 2 && baseline.case_count == 2);

    kg__baseline_case *copy = kg__baseline_sentinel(&baseline, "copy");

    cr_assert_not_null(copy);
    cr_expect_null(copy->commit);
    cr_expect(kg__baseline_metric_of(copy, "time_ns")->value == 256000.5);
    cr_expect_null(kg__baseline_sentinel(&baseline, "cpy"));

    kg__baseline_case *naive = kg__baseline_find(&baseline, "matmul_f32/naive/530/b16");

    cr_assert_not_null(naive);
    cr_expect_str_eq(naive->commit, "0b1c2d3");
    cr_expect(json_integer_value(json_object_get(naive->code, "registers")) == 40);
    cr_expect(json_object_size(naive->code) == 2);
    cr_expect(naive->metric_count == 2);
    cr_expect_not(kg__baseline_metric_of(naive, "cold_time_ns")->gated);
    cr_expect_null(kg__baseline_metric_of(naive, "time_us"));

    kg__expectation time = kg__baseline_expectation(kg__baseline_metric_of(naive, "time_ns"));

    cr_expect(time.value == 60010 && time.band == 0.02 && time.floor == 50 && time.gated);
    cr_assert(time.session_count == 5);
    cr_expect(time.sessions[0] == 60010 && time.sessions[2] == 60180 && time.sessions[4] == 59990);

    kg__baseline_case *tiled = kg__baseline_find(&baseline, "matmul_f32/tiled/530/b16");

    cr_assert_not_null(tiled);
    cr_expect(kg__baseline_metric_of(tiled, "time_ns")->band_by_hand);
    cr_expect_null(tiled->code);

    kg__expectation requests =
        kg__baseline_expectation(kg__baseline_metric_of(tiled, "global_load_requests"));

    cr_expect(requests.value == 612680 && requests.band == 0 && requests.floor == 0);
    cr_expect(requests.sessions == NULL && requests.session_count == 0 && requests.gated);
    cr_expect_null(kg__baseline_find(&baseline, "matmul_f32/tiled/530/b32"));
    kg__baseline_free(&baseline);
    cr_expect(baseline.cases == NULL && baseline.case_count == 0);
}

Test(baseline, loading_and_saving_changes_no_byte)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };

    write_file(whole);
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);

    char *text = read_file();

    cr_expect(strcmp(text, whole) == 0, "%s", text);
    free(text);
    cr_expect(files_in_folder() == 1);
}

Test(baseline, order_and_space_of_a_file_do_not_matter)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };

    write_file("\n\n{ \"cases\" :{\"b/b/1/-\":{\"time_ns\":{\"floor\":50.0,\"band\":2e-2,\"value\":"
               "1.5e3},\"commit\":\"c\",\"barriers\":{\"value\":-0.0}},\t\"a/a/1/-\":{\"barriers\":"
               "{\"value\":1,\"gated\":true}}},\r\n\"target\":{\"compiler\":\"gcc 12.2.0\",\"key\":"
               "\"nvidia-h200\"},\"schema\":\"kernelgate-baseline/1\"}\n\n");
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);

    char *text = read_file();

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

Test(baseline, an_absent_file_is_no_error)
{
    kg__baseline baseline;
    kg__error error = { .text = "old" };

    cr_expect(kg__baseline_load(path, &baseline, &error) == KG__ABSENT);
    cr_expect_str_eq(error.text, "");
    cr_expect(baseline.case_count == 0);
    cr_expect_null(kg__baseline_find(&baseline, "a/b/1/-"));
    kg__baseline_free(&baseline);
    cr_expect(kg__baseline_load(path, &baseline, NULL) == KG__ABSENT);
    kg__baseline_free(&baseline);
}

Test(baseline, errors_may_be_of_no_interest)
{
    kg__baseline baseline;

    write_file("{");
    cr_expect(kg__baseline_load(path, &baseline, NULL) == KG__BAD);
    write_file(with_case("\"a/b/1/-\": 1"));
    cr_expect(kg__baseline_load(path, &baseline, NULL) == KG__BAD);
    cr_expect_not(kg__baseline_save(folder, &baseline, NULL));
    kg__baseline_free(&baseline);
}

Test(baseline, a_folder_is_no_baseline)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };

    cr_expect(kg__baseline_load(folder, &baseline, &error) == KG__BAD);
    cr_expect_not_null(strstr(error.text, "is no regular file"), "%s", error.text);
    kg__baseline_free(&baseline);
}

Test(baseline, a_pipe_is_no_baseline, .timeout = 10)
{
    cr_assert(mkfifo(path, 0600) == 0);

    kg__baseline baseline = load_bad(": is no regular file: move it away, then record a baseline "
                                     "with ci/rebaseline");

    kg__baseline_free(&baseline);
}

Test(baseline, an_unreadable_file)
{
    write_file(whole);
    cr_assert(chmod(path, 0) == 0);
    /* Whoever is root reads it all the same, after which there is nothing to be tested. */
    if (geteuid() == 0)
        cr_assert(setegid(65534) == 0 && seteuid(65534) == 0 && chdir("/") == 0);

    kg__baseline baseline;
    kg__error error = { .text = "" };

    cr_expect(kg__baseline_load(path, &baseline, &error) == KG__BAD);
    cr_expect_not_null(strstr(error.text, "cannot be opened: Permission denied: check its "
                                          "permissions"),
                       "%s", error.text);
    kg__baseline_free(&baseline);
    if (getuid() == 0)
        cr_assert(seteuid(0) == 0);
}

Test(baseline, a_file_under_a_file)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };
    char below[sizeof path + 16];

    write_file(whole);
    snprintf(below, sizeof below, "%s/x.json", path);
    cr_expect(kg__baseline_load(below, &baseline, &error) == KG__BAD);
    cr_expect_not_null(strstr(error.text, "Not a directory"), "%s", error.text);
    kg__baseline_free(&baseline);
}

Test(baseline, empty_files)
{
    expect_bad("", ":1: the file is empty" REMEDY);
    expect_bad("\n \n", ":3: the file is empty" REMEDY);
}

Test(baseline, every_truncation_is_noticed)
{
    size_t length = strlen(whole);

    /* All but the last newline is needed. */
    for (size_t kept = 0; kept + 1 < length; kept++) {
        kg__baseline baseline;
        kg__error error = { .text = "" };

        write_bytes(whole, kept);
        cr_assert(kg__baseline_load(path, &baseline, &error) == KG__BAD, "%zu bytes", kept);
        cr_assert(strncmp(error.text, path, strlen(path)) == 0, "%s", error.text);
        cr_assert(baseline.case_count == 0 && baseline.sentinel_count == 0);
        kg__baseline_free(&baseline);
    }
}

/* Whatever a byte is changed to, loading ends well, and what it gives can be saved or is complained
 * about. */
Test(baseline, no_changed_byte_does_harm)
{
    static const char others[] = { '\0', '"', '{', '}', ',', '-', '9', 'e', '\n', '\\', '\377' };
    char text[sizeof whole];

    for (size_t at = 0; at + 1 < sizeof whole; at++) {
        for (size_t i = 0; i < sizeof others; i++) {
            kg__baseline baseline;
            kg__error error = { .text = "" };

            memcpy(text, whole, sizeof whole);
            text[at] = others[i];
            write_bytes(text, sizeof whole - 1);

            kg__load_status status = kg__baseline_load(path, &baseline, &error);

            cr_assert(status == KG__LOADED || strncmp(error.text, path, strlen(path)) == 0,
                      "byte %zu: %s", at, error.text);
            cr_assert((status == KG__BAD) == (error.text[0] != '\0'));
            if (status == KG__LOADED)
                cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
            kg__baseline_free(&baseline);
        }
    }
}

Test(baseline, binary_junk)
{
    unsigned char junk[4096];
    unsigned state = 7;

    for (size_t i = 0; i < sizeof junk; i++) {
        state = state * 1664525u + 1013904223u;
        junk[i] = (unsigned char)(state >> 24);
    }
    for (size_t from = 0; from < 64; from++) {
        kg__baseline baseline;
        kg__error error = { .text = "" };

        write_bytes(junk + from, sizeof junk - from);
        cr_expect(kg__baseline_load(path, &baseline, &error) == KG__BAD);
        cr_expect_null(strchr(error.text, '\n'));
        cr_expect_not_null(strstr(error.text, REMEDY), "%s", error.text);
        kg__baseline_free(&baseline);
    }
    write_bytes("\0\0\0\0", 4);

    kg__baseline baseline;
    kg__error error = { .text = "" };

    cr_expect(kg__baseline_load(path, &baseline, &error) == KG__BAD);
    cr_expect_null(strstr(error.text, "empty"), "four bytes are not nothing: %s", error.text);
    kg__baseline_free(&baseline);
}

Test(baseline, deep_nesting)
{
    size_t depth = 1000000;
    char *text = malloc(depth);
    kg__baseline baseline;
    kg__error error = { .text = "" };

    cr_assert_not_null(text);
    memset(text, '[', depth);
    write_bytes(text, depth);
    free(text);
    cr_expect(kg__baseline_load(path, &baseline, &error) == KG__BAD);
    cr_expect_not_null(strstr(error.text, ":1: maximum parsing depth reached"), "%s", error.text);
    kg__baseline_free(&baseline);
}

Test(baseline, an_enormous_file)
{
    write_file(whole);
    /* Sparse, so that it takes no room on the disk. */
    cr_assert(truncate(path, (64L << 20) + 1) == 0);

    kg__baseline baseline = load_bad(": has more than 64 MiB, which no baseline has" REMEDY);

    kg__baseline_free(&baseline);
}

Test(baseline, what_is_no_object)
{
    expect_bad("[]", ":1: is no JSON object" REMEDY);
    expect_bad("\"text\"", ":1: '[' or '{' expected near '\"text\"'" REMEDY);
    expect_bad("{} {}", ":1: end of file expected near '{'" REMEDY);
}

Test(baseline, another_schema)
{
    expect_bad("{}", ":1: has no \"schema\"" REMEDY);
    expect_bad("{\n\"schema\": 1}", ":2: schema: is no text" REMEDY);
    expect_bad("{\"schema\": \"kernelgate-baseline/2\",\n \"cases\": {\"new\": 1}}",
               ":1: schema kernelgate-baseline/2 is not the one this program reads "
               "(kernelgate-baseline/1): update kernelgate or record anew with ci/rebaseline");
    expect_bad("{\"schema\": \"kernelgate-results/1\"}",
               ":1: schema kernelgate-results/1 is not the one this program reads "
               "(kernelgate-baseline/1): update kernelgate or record anew with ci/rebaseline");
}

Test(baseline, what_has_to_be_there)
{
    expect_bad("{\"schema\": \"kernelgate-baseline/1\", \"cases\": {}}",
               ":1: has no \"target\"" REMEDY);
    expect_bad("{\"schema\": \"kernelgate-baseline/1\",\n\"target\": {\"key\": \"nvidia-h200\"}}",
               ":1: has no \"cases\"" REMEDY);
    expect_bad("{\"schema\": \"kernelgate-baseline/1\",\n\"target\": {}, \"cases\": {}}",
               ":2: target: has no \"key\"" REMEDY);
}

Test(baseline, duplicate_keys_are_named_with_their_line)
{
    write_file(with_case("\"a/b/530/b16\": {\"barriers\": {\"value\": 1},\n   \"barriers\": "
                         "{\"value\": 2}}"));

    kg__baseline baseline = load_bad(":5: duplicate object key near '\"barriers\"'" REMEDY);

    cr_expect(baseline.case_count == 0, "a file that is no strict JSON holds nothing");
    kg__baseline_free(&baseline);
    write_file(with_case("\"z/good/1/-\": {\"barriers\": {\"value\": 1}}"));
    baseline = load_bad(":5: duplicate object key near '\"z/good/1/-\"'" REMEDY);
    kg__baseline_free(&baseline);
}

Test(baseline, numbers_that_json_has_not)
{
    static const char *const values[] = { "NaN", "Infinity", "-Infinity", "nan", "1e999", "0x10",
                                          "+1",  "01",       ".5",        "1.",  "1,5" };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[128];
        kg__baseline baseline;
        kg__error error = { .text = "" };

        snprintf(text, sizeof text, "\"a/b/1/-\": {\"barriers\": {\"value\": %s}}", values[i]);
        write_file(with_case(text));
        cr_expect(kg__baseline_load(path, &baseline, &error) == KG__BAD, "%s", values[i]);

        const char *rest = error.text + strlen(path);

        cr_expect(strncmp(rest, ":4: ", 4) == 0, "%s", error.text);
        kg__baseline_free(&baseline);
    }
}

Test(baseline, unknown_keys)
{
    write_file("{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"nvidia-h200\"},\n"
               " \"case\": {},\n \"cases\": {\"a/b/1/-\": {\"barriers\": {\"value\": 1}}}}");

    kg__baseline baseline = load_bad(":2: case: is an unknown key" REMEDY);

    cr_expect(baseline.case_count == 1, "the cases are usable all the same");
    kg__baseline_free(&baseline);

    expect_bad("{\"schema\": \"kernelgate-baseline/1\",\n \"target\": {\"key\": \"nvidia-h200\",\n"
               "  \"clock_mhz\": 1980},\n \"cases\": {}}",
               ":3: target: clock_mhz: is an unknown key" REMEDY);
    expect_bad_metric("\"barriers\": {\"value\": 1, \"bnad\": 0.02}",
                      "barriers: bnad: is an unknown key");
    expect_bad_metric("\"Barriers\": {\"value\": 1}", "Barriers: is an unknown key");
    expect_bad_metric("\"\": {\"value\": 1}", ": is an unknown key");
    expect_bad_metric("\"sectors/request\": {\"value\": 1}", "sectors/request: is an unknown key");
    expect_bad_metric("\"note\": \"mine\"",
                      "note: is neither a known key nor the object of a metric");
}

Test(baseline, lines_are_those_of_the_key)
{
    /* The same names stand in other places and in texts before, and behind escapes. */
    write_file("{\"schema\": \"kernelgate-baseline/1\",\n"
               " \"provenance\": {\"cases\": \"a\\\"b{[\", \"a/b/1/-\": 1},\n"
               " \"target\": {\"key\": \"nvidia-h200\"},\n"
               " \"cases\"\n:\n{\n"
               "  \"a/a/1/-\": {\"barriers\": {\"value\": 1}, \"code\": {\"registers\": 1, "
               "\"fingerprint\": \"0123456789abcdef\"}},\n"
               "  \"a/b/1/-\": {\n"
               "   \"barriers\": {\"value\":\n     -1.5}}}}");

    kg__baseline baseline =
        load_bad(":9: cases: a/b/1/-: barriers: value: is out of range: it has to be from 0 to "
                 "2^53" REMEDY);

    cr_expect(baseline.case_count == 1);
    kg__baseline_free(&baseline);
    /* A key that is spelt with escapes is found by what it stands in. */
    expect_bad_case("\"a/b/1/-\":\n {\n \"b\\u0061rriers\": {\"value\": -1}}",
                    ":4: cases: a/b/1/-: barriers: value: is out of range: it has to be from 0 to "
                    "2^53" REMEDY);
}

Test(baseline, only_the_first_fault_is_reported)
{
    write_file(with_case("\"a/b/1/-\": {\"barriers\": {\"value\": -1}},\n\"a/c/1/-\": 7,\n"
                         "\"a/d/1/-\": {\"barriers\": {\"value\": 4}}"));

    kg__baseline baseline =
        load_bad(":4: cases: a/b/1/-: barriers: value: is out of range: it has to be from 0 to "
                 "2^53" REMEDY);

    cr_expect(baseline.case_count == 2);
    cr_expect_not_null(kg__baseline_find(&baseline, "a/d/1/-"));
    cr_expect_null(kg__baseline_find(&baseline, "a/b/1/-"));
    cr_expect_null(kg__baseline_find(&baseline, "a/c/1/-"));
    kg__baseline_free(&baseline);
}

Test(baseline, wrong_types)
{
    expect_bad_case("\"a/b/1/-\": []", ":4: cases: a/b/1/-: is no object" REMEDY);
    expect_bad_metric("\"commit\": 7, \"barriers\": {\"value\": 1}",
                      "commit: is no text of a commit");
    expect_bad_metric("\"commit\": \"\", \"barriers\": {\"value\": 1}",
                      "commit: is no text of a commit");
    expect_bad_metric("\"code\": 7, \"barriers\": {\"value\": 1}", "code: is no object");
    expect_bad_metric("\"code\": {}, \"barriers\": {\"value\": 1}",
                      "code: is empty: leave it away where nothing is known");
    expect_bad_metric("\"code\": {\"spill_bytes\": 0}, \"barriers\": {\"value\": 1}",
                      "code: spill_bytes: is an unknown key");
    expect_bad_metric("\"code\": {\"registers\": 4.5}, \"barriers\": {\"value\": 1}",
                      "code: registers: is no whole number from 0 to 1000000000");
    expect_bad_metric("\"code\": {\"fingerprint\": 7}, \"barriers\": {\"value\": 1}",
                      "code: fingerprint: is no text of 16 digits 0 to 9 and a to f");
    expect_bad_metric("\"barriers\": {\"value\": \"1\"}", "barriers: value: is no number");
    expect_bad_metric("\"barriers\": {\"value\": null}", "barriers: value: is no number");
    expect_bad_metric("\"barriers\": {\"value\": true}", "barriers: value: is no number");
    expect_bad_metric("\"barriers\": {\"value\": 1, \"band\": \"0\"}",
                      "barriers: band: is no number");
    expect_bad_metric("\"barriers\": {\"value\": 1, \"floor\": {}}",
                      "barriers: floor: is no number");
    expect_bad_metric("\"barriers\": {\"value\": 1, \"gated\": 0}",
                      "barriers: gated: is neither true nor false");
    expect_bad_metric("\"barriers\": {\"value\": 1, \"sessions\": 1}",
                      "barriers: sessions: is no array of numbers");
    expect_bad_metric("\"barriers\": {\"value\": 1, \"sessions\": [1, \"2\"]}",
                      "barriers: sessions: is no number");
    expect_bad_case("\"a/b/1/-\": {\"barriers\": {\"value\": 1, \"band_by\": \"machine\"}}",
                    ":4: cases: a/b/1/-: barriers: band_by: can only be \"hand\": leave it away "
                    "otherwise");
    expect_bad_case("\"a/b/1/-\": {\"barriers\": {\"value\": 1, \"band_by\": true}}",
                    ":4: cases: a/b/1/-: barriers: band_by: can only be \"hand\": leave it away "
                    "otherwise");
}

Test(baseline, values_out_of_range)
{
    expect_bad_metric("\"barriers\": {\"value\": -1}",
                      "barriers: value: is out of range: it has to be from 0 to 2^53");
    expect_bad_metric("\"barriers\": {\"value\": 9007199254740994}",
                      "barriers: value: is out of range, being beyond 2^53");
    expect_bad_metric("\"time_ns\": {\"value\": 0, \"band\": 0.02, \"floor\": 50}",
                      "time_ns: value: is out of range: a time has to be above 0");
    expect_bad_metric("\"time_ns\": {\"value\": 1, \"band\": 1, \"floor\": 50}",
                      "time_ns: band: is out of range: it has to be a fraction from 0 to less "
                      "than 1");
    expect_bad_metric("\"time_ns\": {\"value\": 1, \"band\": -0.001, \"floor\": 50}",
                      "time_ns: band: is out of range: it has to be a fraction from 0 to less "
                      "than 1");
    expect_bad_metric("\"time_ns\": {\"value\": 1, \"band\": 0.02, \"floor\": -1}",
                      "time_ns: floor: is out of range: it has to be from 0 to 2^53");
    expect_bad_metric("\"time_ns\": {\"value\": 1, \"band\": 0.02, \"floor\": 5, \"sessions\": [5, "
                      "0]}",
                      "time_ns: sessions: holds a figure out of range: each has to be above 0 and "
                      "up to 2^53");
    expect_bad_metric("\"time_ns\": {\"value\": 1, \"band\": 0.02, \"floor\": 5, \"sessions\": []}",
                      "time_ns: sessions: is empty: leave it away where there are none");
}

Test(baseline, values_at_the_end_of_their_range)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };

    write_file(with_case("\"a/b/1/-\": {\"barriers\": {\"value\": 9007199254740992}, \"zero\": "
                         "{\"value\": 0}, \"time_ns\": {\"value\": 5e-324, \"band\": "
                         "0.9999999999999999, \"floor\": 0, \"sessions\": [0.1]}}"));
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);

    char *text = read_file();

    cr_expect_not_null(strstr(text, "{\"barriers\": {\"value\": 9007199254740992, \"band\": 0}, "
                                    "\"time_ns\": {\"value\": 5e-324, \"band\": "
                                    "0.9999999999999999, \"floor\": 0, \"sessions\": [0.1]}, "
                                    "\"zero\": {\"value\": 0, \"band\": 0}}"),
                       "%s", text);
    free(text);
}

Test(baseline, what_a_metric_has_to_have)
{
    expect_bad_metric("\"barriers\": {\"band\": 0}", "barriers: has no \"value\"");
    expect_bad_metric("\"time_ns\": {\"band\": 0.02, \"floor\": 50}", "time_ns: has no \"value\"");
    expect_bad_metric("\"time_ns\": {\"value\": 1, \"floor\": 50}", "time_ns: has no \"band\"");
    expect_bad_metric("\"time_ns\": {\"value\": 1, \"band\": 0.02}", "time_ns: has no \"floor\"");
    expect_bad_metric("\"commit\": \"c\"", "has no metric");
}

Test(baseline, other_units_are_refused)
{
    static const char *const names[] = { "time_us", "time_ms", "time_s", "time_seconds" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char metric[128];
        char message[256];

        snprintf(metric, sizeof metric, "\"%s\": {\"value\": 1, \"band\": 0.02, \"floor\": 0}",
                 names[i]);
        snprintf(message, sizeof message, "%s: has a unit that is not used here: times are in ns",
                 names[i]);
        expect_bad_metric(metric, message);
    }
}

Test(baseline, ids_that_are_no_cases)
{
    static const char *const ids[] = { "a",      "a/b/1",     "a/b/1/-/x", "a//1/-",     "/b/1/-",
                                       "a/b/1/", "a b/c/1/-", "a/b/1/ü",   "a/b/1/b16*", "////" };

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char text[128];
        char message[256];

        snprintf(text, sizeof text, "\"%s\": {\"barriers\": {\"value\": 1}}", ids[i]);
        snprintf(message, sizeof message,
                 ":4: cases: %s: is no case: comparison/variant/size/launch" REMEDY, ids[i]);
        expect_bad_case(text, message);
    }
}

static void expect_bad_head(const char *members, const char *message)
{
    char text[1024];

    snprintf(text, sizeof text, "{\"schema\": \"kernelgate-baseline/1\",\n %s}", members);
    expect_bad(text, message);
}

Test(baseline, bad_targets)
{
    expect_bad_head("\"target\": 1, \"cases\": {}", ":2: target: is no object" REMEDY);
    expect_bad_head("\"target\": {\"key\": 1}, \"cases\": {}",
                    ":2: target: key: is no text, or an empty one" REMEDY);
    expect_bad_head("\"target\": {\"key\": \"\"}, \"cases\": {}",
                    ":2: target: key: is no text, or an empty one" REMEDY);
    expect_bad_head("\"target\": {\"key\": \"nvidia-h100\"}, \"cases\": {}",
                    ":2: target: key: is nvidia-h100, which belongs in nvidia-h100.json: rename "
                    "the file, or record a baseline with ci/rebaseline");
    expect_bad_head("\"target\": {\"key\": \"nvidia\"}, \"cases\": {}",
                    ":2: target: key: is nvidia, which belongs in nvidia.json: rename "
                    "the file, or record a baseline with ci/rebaseline");
    expect_bad_head("\"target\": {\"key\": \"nvidia-h200\", \"compute_capability\": "
                    "\"9.0.0.0.0.0.0.0.0\"}, \"cases\": {}",
                    ":2: target: compute_capability: has more than 15 bytes" REMEDY);
    expect_bad_head("\"target\": {\"key\": \"nvidia-h200\", \"memory_mib\": 1.5}, \"cases\": {}",
                    ":2: target: memory_mib: is no whole number" REMEDY);
    expect_bad_head("\"target\": {\"key\": \"nvidia-h200\", \"memory_mib\": -1}, \"cases\": {}",
                    ":2: target: memory_mib: is out of range: it has to be from 0 to "
                    "9007199254740992" REMEDY);
    expect_bad_head("\"target\": {\"key\": \"nvidia-h200\", \"multiprocessors\": 2147483648}, "
                    "\"cases\": {}",
                    ":2: target: multiprocessors: is out of range: it has to be from 0 to "
                    "2147483647" REMEDY);
}

Test(baseline, bad_provenance_and_sentinels)
{
#define HEAD "\"target\": {\"key\": \"nvidia-h200\"}, \"cases\": {}, "
    expect_bad_head(HEAD "\"provenance\": []", ":2: provenance: is no object" REMEDY);
    expect_bad_head(HEAD "\"provenance\": {\"driver\": [580]}",
                    ":2: provenance: driver: is no text, number or boolean" REMEDY);
    expect_bad_head(HEAD "\"provenance\": {\"driver\": null}",
                    ":2: provenance: driver: is no text, number or boolean" REMEDY);
    expect_bad_head(HEAD "\"sentinels\": 1", ":2: sentinels: is no object" REMEDY);
    expect_bad_head(HEAD "\"sentinels\": {\"cpy\": {\"time_ns\": {}}}",
                    ":2: sentinels: cpy: is no sentinel: they are copy and fma" REMEDY);
    expect_bad_head(HEAD "\"sentinels\": {\"copy\": {\"commit\": \"x\"}}",
                    ":2: sentinels: copy: commit: is an unknown key" REMEDY);
    expect_bad_head(HEAD "\"sentinels\": {\"copy\": {}}",
                    ":2: sentinels: copy: has no metric" REMEDY);
#undef HEAD
    expect_bad_head("\"target\": {\"key\": \"nvidia-h200\"}, \"cases\": []",
                    ":2: cases: is no object" REMEDY);
}

/* A small baseline that can be saved to `path`. */
static kg__baseline small_baseline(void)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    kg__baseline_metric *metric =
        kg__baseline_add_metric(kg__baseline_add(&baseline, "a/b/530/b16"), "time_ns");

    metric->value = 60010;
    metric->band = 0.02;
    metric->floor = 50;
    return baseline;
}

Test(baseline, additions_are_sorted)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    char id[64];

    for (int i = 0; i < 1000; i++) {
        snprintf(id, sizeof id, "a/b/%d/-", i * 7919 % 1000);
        cr_assert_str_eq(kg__baseline_add(&baseline, id)->id, id);
    }
    cr_assert(baseline.case_count == 1000);
    for (size_t i = 1; i < baseline.case_count; i++)
        cr_assert(strcmp(baseline.cases[i - 1].id, baseline.cases[i].id) < 0);
    for (int i = 0; i < 1000; i++) {
        snprintf(id, sizeof id, "a/b/%d/-", i);

        kg__baseline_case *entry = kg__baseline_find(&baseline, id);

        cr_assert_not_null(entry);
        cr_assert(kg__baseline_add(&baseline, id) == entry, "found, not added again");
    }
    cr_expect(baseline.case_count == 1000);
    kg__baseline_free(&baseline);
}

Test(baseline, added_metrics_are_sorted_and_gated)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    kg__baseline_case *entry = kg__baseline_add_sentinel(&baseline, "copy");
    static const char *const names[] = { "time_ns", "barriers", "requests", "sectors" };

    for (size_t i = 0; i < 4; i++) {
        kg__baseline_metric *metric = kg__baseline_add_metric(entry, names[i]);

        cr_expect_str_eq(metric->name, names[i]);
        cr_expect(metric->gated && metric->value == 0 && metric->band == 0 && metric->floor == 0);
        cr_expect(metric->sessions == NULL && !metric->band_by_hand);
    }
    cr_assert(entry->metric_count == 4);
    for (size_t i = 1; i < 4; i++)
        cr_expect(strcmp(entry->metrics[i - 1].name, entry->metrics[i].name) < 0);
    cr_expect(kg__baseline_add_metric(entry, "requests") ==
              kg__baseline_metric_of(entry, "requests"));
    cr_expect(entry->metric_count == 4);
    cr_expect(kg__baseline_sentinel(&baseline, "copy") == entry);
    cr_expect(baseline.case_count == 0, "a sentinel is no case");
    kg__baseline_free(&baseline);
}

Test(baseline, cases_are_removed)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    static const char *const ids[] = { "a/a/1/-", "a/b/1/-", "a/c/1/-" };

    for (size_t i = 0; i < 3; i++)
        kg__baseline_add_metric(kg__baseline_add(&baseline, ids[i]), "barriers");
    cr_expect(kg__baseline_remove(&baseline, ids[1]));
    cr_expect_not(kg__baseline_remove(&baseline, ids[1]));
    cr_expect(baseline.case_count == 2);
    cr_expect_null(kg__baseline_find(&baseline, ids[1]));
    cr_expect_not_null(kg__baseline_find(&baseline, ids[0]));
    cr_expect_not_null(kg__baseline_find(&baseline, ids[2]));
    cr_expect(kg__baseline_remove(&baseline, ids[2]));
    cr_expect(kg__baseline_remove(&baseline, ids[0]));
    cr_expect_not(kg__baseline_remove(&baseline, ids[0]));
    cr_expect(baseline.case_count == 0);
    /* What is empty can be added to again. */
    cr_expect_not_null(kg__baseline_add(&baseline, ids[0]));
    kg__baseline_free(&baseline);
}

Test(baseline, sessions_are_copied)
{
    kg__baseline baseline = small_baseline();
    kg__baseline_metric *metric =
        kg__baseline_metric_of(kg__baseline_find(&baseline, "a/b/530/b16"), "time_ns");
    double sessions[] = { 1, 2, 3 };

    kg__baseline_set_sessions(metric, sessions, 3);
    sessions[0] = 9;
    cr_expect(metric->session_count == 3 && metric->sessions[0] == 1 && metric->sessions[2] == 3);
    kg__baseline_set_sessions(metric, metric->sessions + 1, 2);
    cr_expect(metric->session_count == 2 && metric->sessions[0] == 2 && metric->sessions[1] == 3);
    kg__baseline_set_sessions(metric, NULL, 0);
    cr_expect(metric->session_count == 0 && metric->sessions == NULL);
    kg__baseline_free(&baseline);
}

Test(baseline, numbers_are_exact_and_short)
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

        char *text = read_file();

        snprintf(expected, sizeof expected, "\"value\": %s, ", table[i].text);
        cr_expect_not_null(strstr(text, expected), "%s in %s", expected, text);
        free(text);
        cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
        cr_expect(baseline.cases[0].metrics[0].value == table[i].value);
        kg__baseline_free(&baseline);
    }
}

Test(baseline, any_figures_survive_the_round_trip)
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
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    cr_assert(kg__baseline_load(path, &back, &error) == KG__LOADED, "%s", error.text);
    cr_assert(back.cases[0].metrics[0].session_count == 2000);
    for (size_t i = 0; i < 2000; i++)
        cr_assert(back.cases[0].metrics[0].sessions[i] == sessions[i]);
    kg__baseline_free(&back);
    kg__baseline_free(&baseline);
}

Test(baseline, texts_are_escaped)
{
    kg__baseline baseline = small_baseline();
    kg__baseline back;
    kg__error error = { .text = "" };

    strcpy(baseline.target.name, "a \"quoted\"\nname, \xC3\xA4 \\ </x>");
    baseline.provenance =
        json_pack("{s:s, s:f, s:i, s:b}", "two\nlines", "\t", "half", 0.5, "whole", -3, "no", 0);
    baseline.cases[0].code = json_pack("{s:i, s:f, s:s}", "registers", 40, "occupancy", 0.75,
                                       "fingerprint", "0123456789abcdef");
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);

    char *text = read_file();
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
    cr_expect(json_equal(back.provenance, baseline.provenance));
    cr_assert(kg__baseline_save(path, &back, &error), "%s", error.text);

    char *again = read_file();

    cr_expect_str_eq(again, text);
    free(again);
    free(text);
    kg__baseline_free(&back);
    kg__baseline_free(&baseline);
}

/* Some locales write 0,02. Where none of them is installed there is nothing to be tried. */
Test(baseline, numbers_do_not_follow_the_locale)
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
    write_file(whole);
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);

    char *text = read_file();

    cr_expect_str_eq(text, whole);
    free(text);
}

Test(baseline, modes_are_kept)
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

Test(baseline, saving_without_a_folder_in_the_path)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };

    cr_assert(chdir(folder) == 0);
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

    write_file(whole);
    cr_expect_not(kg__baseline_save(path, baseline, &error));
    cr_expect(strncmp(error.text, path, strlen(path)) == 0 && strstr(error.text, reason) != NULL,
              "expected: %s\ngot: %s", reason, error.text);

    char *text = read_file();

    cr_expect_str_eq(text, whole);
    free(text);
    cr_expect(files_in_folder() == 1, "no temporary file is left");
}

Test(baseline, figures_that_could_not_be_read_again_are_not_written)
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

Test(baseline, names_that_could_not_be_read_again_are_not_written)
{
    static const char *const metrics[] = { "time ns", "commit", "code", "", "Time_ns" };

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        kg__baseline baseline = small_baseline();

        kg__baseline_add_metric(&baseline.cases[0], metrics[i]);
        expect_unsaved(&baseline, "is no metric's name: use a-z, 0-9 and _");
        kg__baseline_free(&baseline);
    }

    kg__baseline unit = small_baseline();
    kg__baseline id = small_baseline();
    kg__baseline sentinel = small_baseline();
    kg__baseline metricless = small_baseline();

    kg__baseline_add_metric(&unit.cases[0], "time_ms");
    expect_unsaved(&unit, "time_ms: has a unit that is not used here: times are in ns");
    kg__baseline_add(&id, "a/b/530");
    expect_unsaved(&id, "a/b/530 is no case: comparison/variant/size/launch");
    kg__baseline_add_sentinel(&sentinel, "spin");
    expect_unsaved(&sentinel, "spin is no sentinel: they are copy and fma");
    kg__baseline_add(&metricless, "a/b/531/b16");
    expect_unsaved(&metricless, "a/b/531/b16 has no metric: measure it first");
    kg__baseline_free(&unit);
    kg__baseline_free(&id);
    kg__baseline_free(&sentinel);
    kg__baseline_free(&metricless);
}

Test(baseline, texts_that_could_not_be_read_again_are_not_written)
{
    kg__baseline baseline = small_baseline();
    kg__baseline sentinel = small_baseline();

    baseline.cases[0].commit = kg__copy_text("\xff");
    expect_unsaved(&baseline, "a/b/530/b16: its commit is empty or no UTF-8");
    baseline.cases[0].commit[0] = '\0';
    expect_unsaved(&baseline, "a/b/530/b16: its commit is empty or no UTF-8");
    baseline.cases[0].commit[0] = 'c';
    baseline.cases[0].code = json_array();
    expect_unsaved(&baseline, "a/b/530/b16: code is no object");
    json_decref(baseline.cases[0].code);
    baseline.cases[0].code = json_pack("{s:f}", "occupancy", 1.5);
    expect_unsaved(&baseline, "a/b/530/b16: code: occupancy is no fraction from 0 to 1");
    json_decref(baseline.cases[0].code);
    baseline.cases[0].code = NULL;
    baseline.provenance = json_array();
    expect_unsaved(&baseline, "the provenance is no object");
    json_decref(baseline.provenance);
    baseline.provenance = json_pack("{s:[]}", "driver");
    expect_unsaved(&baseline, "provenance: driver is no text, number or boolean");
    json_decref(baseline.provenance);
    baseline.provenance = NULL;
    strcpy(baseline.target.compiler, "gcc \xff");
    expect_unsaved(&baseline, "a name of the target is no UTF-8");
    kg__baseline_add_metric(kg__baseline_add_sentinel(&sentinel, "fma"), "barriers");
    sentinel.sentinels[0].commit = kg__copy_text("c");
    expect_unsaved(&sentinel, "fma: a sentinel belongs to no commit");
    kg__baseline_free(&baseline);
    kg__baseline_free(&sentinel);
}

Test(baseline, targets_that_could_not_be_read_again_are_not_written)
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

Test(baseline, a_write_protected_file_is_not_replaced)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };

    write_file(whole);
    cr_assert(chmod(path, 0444) == 0);
    cr_expect_not(kg__baseline_save(path, &baseline, &error));
    cr_expect_not_null(strstr(error.text, "it is write-protected: chmod u+w it first"), "%s",
                       error.text);

    char *text = read_file();

    cr_expect_str_eq(text, whole);
    free(text);
    kg__baseline_free(&baseline);
}

Test(baseline, what_is_no_file_is_not_replaced)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };

    cr_assert(mkdir(path, 0700) == 0);
    cr_expect_not(kg__baseline_save(path, &baseline, &error));
    cr_expect_not_null(strstr(error.text, "it is no regular file: move it away"), "%s", error.text);
    cr_expect(files_in_folder() == 1);
    kg__baseline_free(&baseline);
}

Test(baseline, a_folder_that_cannot_be_written)
{
    kg__baseline baseline = small_baseline();
    kg__error error = { .text = "" };
    char missing[sizeof folder + 64];

    snprintf(missing, sizeof missing, "%s/no/nvidia-h200.json", folder);
    cr_expect_not(kg__baseline_save(missing, &baseline, &error));
    cr_expect_not_null(strstr(error.text,
                              "cannot be written: No such file or directory: it is left as "
                              "it was"),
                       "%s", error.text);
    write_file(whole);
    cr_assert(chmod(folder, 0555) == 0);
    if (geteuid() == 0)
        cr_assert(setegid(65534) == 0 && seteuid(65534) == 0);
    cr_expect_not(kg__baseline_save(path, &baseline, &error));
    cr_expect_not_null(strstr(error.text, "Permission denied"), "%s", error.text);
    if (getuid() == 0)
        cr_assert(seteuid(0) == 0);
    cr_assert(chmod(folder, 0755) == 0);
    cr_expect(files_in_folder() == 1);
    kg__baseline_free(&baseline);
}

/* A limit on the size of files stands for a full disk. */
Test(baseline, a_disk_that_is_full)
{
    kg__baseline baseline = small_baseline();
    struct rlimit limit;
    struct rlimit small;
    char *text;
    kg__error error = { .text = "" };

    write_file(whole);
    cr_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    small = limit;
    small.rlim_cur = 40;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(setrlimit(RLIMIT_FSIZE, &small) == 0);

    bool saved = kg__baseline_save(path, &baseline, &error);

    cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    cr_expect_not(saved);
    cr_expect_not_null(strstr(error.text, "File too large"), "%s", error.text);
    text = read_file();
    cr_expect_str_eq(text, whole);
    free(text);
    cr_expect(files_in_folder() == 1, "no temporary file is left");
    kg__baseline_free(&baseline);
}

Test(baseline, ten_thousand_cases)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    kg__baseline back;
    kg__error error = { .text = "" };
    char id[64];

    for (int i = 9999; i >= 0; i--) {
        snprintf(id, sizeof id, "matmul_f32/tiled/%d/b16", i);

        kg__baseline_metric *metric =
            kg__baseline_add_metric(kg__baseline_add(&baseline, id), "time_ns");

        metric->value = 1000.0 + i / 7.0;
    }
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    cr_assert(kg__baseline_load(path, &back, &error) == KG__LOADED, "%s", error.text);
    cr_assert(back.case_count == 10000);
    for (size_t i = 0; i < 10000; i++)
        cr_assert(strcmp(back.cases[i].id, baseline.cases[i].id) == 0 &&
                  back.cases[i].metrics[0].value == baseline.cases[i].metrics[0].value);
    /* What was loaded can be added to. */
    kg__baseline_add(&back, "a/a/1/-");
    kg__baseline_add(&back, "z/z/1/-");
    cr_expect(back.case_count == 10002 && strcmp(back.cases[0].id, "a/a/1/-") == 0);
    kg__baseline_free(&back);
    kg__baseline_free(&baseline);
}

static void expect_key(const char *name, const char *expected)
{
    char key[96];

    kg__target_key(name, key, sizeof key);
    cr_expect(strcmp(key, expected) == 0, "%s: expected %s, got %s", name, expected, key);
}

Test(target_key, of_names)
{
    char key[8];

    expect_key("NVIDIA H200", "nvidia-h200");
    expect_key("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3");
    expect_key("NVIDIA H200 MIG 1g.18gb", "nvidia-h200-mig-1g-18gb");
    expect_key("  Tesla -- (T4)  ", "tesla-t4");
    expect_key("AZaz09", "azaz09");
    expect_key("\xC3\x84\xC3\xA4", "");
    expect_key("", "");
    kg__target_key("abcdefghij", key, sizeof key);
    cr_expect_str_eq(key, "abcdefg");
    kg__target_key("abcdef ghij", key, sizeof key);
    cr_expect_str_eq(key, "abcdef", "no '-' is left at the end");
    strcpy(key, "old");
    kg__target_key("abc", key, 0);
    cr_expect_str_eq(key, "old");
}

/* The CPU model's file. */

static const char counted[] =
    "{\"schema\": \"kernelgate-baseline/1\",\n"
    " \"target\": {\"key\": \"cpu-model\", \"name\": \"CPU model\", \"compiler\": \"gcc "
    "12.2.0\"},\n"
    " \"provenance\": {\"compiler\": \"gcc 12.2.0\", \"model\": \"1\"},\n"
    " \"cases\": {\n"
    "  \"matmul_f32/naive/530/b16\": {\"commit\": \"0b1c2d3\", \"barriers\": {\"value\": 0, "
    "\"band\": 0}, \"global_load_requests\": {\"value\": 9007199254740992, \"band\": 0}, "
    "\"shuffles\": {\"value\": 3, \"band\": 0.01, \"band_by\": \"hand\"}, \"lines\": "
    "{\"kernels/matmul_f32/naive.cu:9\": {\"barriers\": 1}, \"kernels/matmul_f32/naive.cu:14\": "
    "{\"global_load_requests\": 9007199254740992, \"global_load_sectors\": 22377095}}},\n"
    "  \"matmul_f32/tiled/530/b16\": {\"commit\": \"0b1c2d3\", \"global_load_requests\": "
    "{\"value\": 612680, \"band\": 0, \"gated\": false}}\n"
    " }}\n";

static void be_the_model(void)
{
    snprintf(path, sizeof path, "%s/cpu-model.json", folder);
}

Test(baseline, the_models_file_goes_round)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };
    const kg__baseline_case *entry;
    char *text;

    be_the_model();
    write_file(counted);
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_expect(kg__is_model(&baseline.target));
    entry = kg__baseline_find(&baseline, "matmul_f32/naive/530/b16");
    cr_assert_not_null(entry);
    cr_expect(entry->metric_count == 3);
    cr_expect(kg__baseline_metric_of(entry, "global_load_requests")->value == 9007199254740992.0);
    cr_expect(json_object_size(entry->lines) == 2);
    cr_expect_null(kg__baseline_find(&baseline, "matmul_f32/tiled/530/b16")->lines);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    kg__baseline_free(&baseline);
    text = read_file();
    cr_expect_str_eq(text, counted);
    free(text);
}

/* Whatever order they came in, lines are written in that of the source. */
Test(baseline, lines_are_written_in_their_order)
{
    kg__baseline baseline = { .target = { .key = KG__MODEL_KEY } };
    kg__baseline_case *entry = kg__baseline_add(&baseline, "a/b/1/-");
    json_t *lines = json_pack("{s:{s:i, s:i}, s:{s:i}, s:{}}", "k.cu:14", "shuffles", 2, "barriers",
                              1, "k.cu:9", "barriers", 1, "k.cu:3");
    kg__error error = { .text = "" };
    char *text;

    be_the_model();
    kg__baseline_add_metric(entry, "barriers")->value = 2;
    kg__baseline_set_lines(entry, lines);
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    text = read_file();
    cr_expect_not_null(strstr(text, "\"lines\": {\"k.cu:9\": {\"barriers\": 1}, \"k.cu:14\": "
                                    "{\"barriers\": 1, \"shuffles\": 2}}}"));
    free(text);
    kg__baseline_set_lines(entry, NULL);
    cr_expect_null(entry->lines);
    json_object_clear(lines);
    kg__baseline_set_lines(entry, lines);
    cr_expect_null(entry->lines);
    json_decref(lines);
    kg__baseline_free(&baseline);
}

/* A counter, at line 4 of the model's file, that is wrong. */
static void expect_bad_counter(const char *counter, const char *message)
{
    char text[2048];
    char expected[KG__MESSAGE_SIZE];

    snprintf(text, sizeof text,
             "{\"schema\": \"kernelgate-baseline/1\",\n"
             " \"target\": {\"key\": \"cpu-model\"},\n"
             " \"cases\": {\n"
             "  \"a/b/530/b16\": {%s},\n"
             "  \"z/good/1/-\": {\"barriers\": {\"value\": 3}}\n"
             " }}\n",
             counter);
    snprintf(expected, sizeof expected, ":4: cases: a/b/530/b16: %s" REMEDY, message);
    write_file(text);

    kg__baseline baseline = load_bad(expected);

    cr_expect(baseline.case_count == 1, "%s", message);
    kg__baseline_free(&baseline);
}

Test(baseline, counters_that_are_wrong)
{
    static const char stranger[] =
        "is no counter of the CPU model's (a ratio is no counter, it follows from two)";
    char expected[256];

    be_the_model();
    snprintf(expected, sizeof expected, "speed: %s", stranger);
    expect_bad_counter("\"speed\": {\"value\": 5}", expected);
    snprintf(expected, sizeof expected, "global_load_sectors_per_request: %s", stranger);
    expect_bad_counter("\"global_load_sectors_per_request\": {\"value\": 5}", expected);
    expect_bad_counter("\"time_ns\": {\"value\": 5, \"band\": 0.02, \"floor\": 50}",
                       "time_ns: floor: is for times, and a counter has none");
    expect_bad_counter("\"barriers\": {\"value\": 5, \"floor\": 0}",
                       "barriers: floor: is for times, and a counter has none");
    expect_bad_counter("\"barriers\": {\"value\": 5, \"sessions\": [5, 5]}",
                       "barriers: sessions: is for times, and a counter has none");
    expect_bad_counter("\"barriers\": {\"value\": 5.5}",
                       "barriers: value: is no whole number: a counter counts");
    expect_bad_counter("\"barriers\": {\"value\": 9007199254740993}",
                       "barriers: value: is out of range, being beyond 2^53");
    expect_bad_counter("\"barriers\": {\"value\": 5, \"band\": 0.02}",
                       "barriers: band: is not 0: a counter repeats exactly (with \"band_by\": "
                       "\"hand\" it may be wider)");
}

Test(baseline, lines_that_are_wrong)
{
    be_the_model();
    expect_bad_counter("\"barriers\": {\"value\": 5}, \"lines\": []", "lines: is no object");
    expect_bad_counter("\"barriers\": {\"value\": 5}, \"lines\": {\"k.cu\": {\"barriers\": 1}}",
                       "lines: k.cu: is no line of source: write FILE:LINE");
    expect_bad_counter("\"barriers\": {\"value\": 5}, \"lines\": {\"k.cu:1\": {}}",
                       "lines: k.cu:1: is no object of counters, or has none");
    expect_bad_counter("\"barriers\": {\"value\": 5}, \"lines\": {\"k.cu:1\": {\"barriers\": 0}}",
                       "lines: k.cu:1: barriers: is no whole number from 1 to 2^53");
    expect_bad_counter("\"barriers\": {\"value\": 5}, \"lines\": {\"k.cu:1\": {\"time_ns\": 1}}",
                       "lines: k.cu:1: time_ns: is no counter of the CPU model's");
    expect_bad_counter("\"lines\": {\"k.cu:1\": {\"barriers\": 1}}", "has no metric");
}

/* Lines and counters of one target have no place in the other's file, nor have sentinels. */
Test(baseline, what_belongs_to_the_other_target)
{
    expect_bad_case("\"a/b/1/-\": {\"barriers\": {\"value\": 5}, \"lines\": {}}",
                    ":4: cases: a/b/1/-: lines: is an unknown key" REMEDY);
    be_the_model();
    write_file("{\"schema\": \"kernelgate-baseline/1\",\n"
               " \"target\": {\"key\": \"cpu-model\"}, \"cases\": {},\n"
               " \"sentinels\": {\"copy\": {\"time_ns\": {\"value\": 5, \"band\": 0, \"floor\": "
               "1}}}}");

    kg__baseline baseline =
        load_bad(":3: sentinels: are kernels of a GPU's, and the CPU model has none" REMEDY);

    kg__baseline_free(&baseline);
}

static void expect_model_unsaved(const kg__baseline *baseline, const char *message)
{
    kg__error error = { .text = "" };

    cr_expect(!kg__baseline_save(path, baseline, &error));
    cr_expect_not_null(strstr(error.text, message), "%s", error.text);
    cr_expect(files_in_folder() == 0);
}

Test(baseline, what_could_not_be_read_again_is_not_written)
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
    expect_model_unsaved(&baseline, "barriers: value is no whole number");
    metric->value = 5;
    kg__baseline_set_sessions(metric, &session, 1);
    expect_model_unsaved(&baseline, "barriers: sessions are for times");
    kg__baseline_set_sessions(metric, NULL, 0);
    kg__baseline_add_metric(entry, "speed")->value = 1;
    expect_model_unsaved(&baseline, "a/b/1/-: speed: is no counter");
    (void)kg__baseline_remove_metric(entry, "speed");
    entry->lines = json_pack("{s:{s:i}}", "k.cu:1", "barriers", 0);
    expect_model_unsaved(&baseline, "a/b/1/-: lines: k.cu:1: barriers is no whole number from 1");
    kg__baseline_set_lines(entry, NULL);
    (void)kg__baseline_add_sentinel(&baseline, "copy");
    expect_model_unsaved(&baseline, "the CPU model has no sentinels");
    kg__baseline_free(&baseline);

    baseline = (kg__baseline){ .target = { .key = "nvidia-h200" } };
    snprintf(path, sizeof path, "%s/nvidia-h200.json", folder);
    entry = kg__baseline_add(&baseline, "a/b/1/-");
    kg__baseline_add_metric(entry, "barriers")->value = 5;
    entry->lines = json_pack("{s:{s:i}}", "k.cu:1", "barriers", 1);
    expect_model_unsaved(&baseline, "a/b/1/-: lines belong in the CPU model's file alone");
    kg__baseline_free(&baseline);
}
