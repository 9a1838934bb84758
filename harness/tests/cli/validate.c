/* kernelgate validate, and the part `launch` of a GPU's program, whose records it reads.
 * KG__COMMAND is the command's path; KG__FAKE_GPU and KG__FAKE_SOUND_GPU are such programs, without
 * a GPU, and KG__FAKE_MODEL is the model's. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "suite/counters.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

TestSuite(validate, .init = make_folder, .fini = remove_folder, .timeout = 60);

#define TEXT_SIZE 300000

static char text[TEXT_SIZE]; /* of a file in the making */

static void add(const char *more)
{
    size_t length = strlen(text);

    cr_assert(length + strlen(more) < sizeof text);
    memcpy(text + length, more, strlen(more) + 1);
}

static void begin(const char *head)
{
    text[0] = '\0';
    add(head);
}

static void finish(const char *name)
{
    write_text(at(name), text);
}

/* What the model counted of a case: a count for each of the judged counters, and for barriers. */
typedef struct counted {
    const char *id;
    double load_requests, load_sectors, store_requests, store_sectors, barriers;
} counted;

static double count_of(const counted *one, kg__counter counter)
{
    switch (counter) {
    case KG__GLOBAL_LOAD_REQUESTS:
        return one->load_requests;
    case KG__GLOBAL_LOAD_SECTORS:
        return one->load_sectors;
    case KG__GLOBAL_STORE_REQUESTS:
        return one->store_requests;
    case KG__GLOBAL_STORE_SECTORS:
        return one->store_sectors;
    case KG__BARRIERS:
        return one->barriers;
    default:
        return 0;
    }
}

/* Adds a record of the part `count`; `more` is put behind its metrics. */
static void add_counted(const counted *one, const char *more)
{
    char part[256];

    snprintf(part, sizeof part,
             "{\"event\":\"start\",\"case\":\"%s\"}\n"
             "{\"event\":\"measured\",\"case\":\"%s\",\"metrics\":{",
             one->id, one->id);
    add(part);
    for (int i = 0; i < KG__COUNTERS; i++) {
        snprintf(part, sizeof part, "%s\"%s\":{\"value\":%.0f}", i > 0 ? "," : "",
                 kg__counter_name((kg__counter)i), count_of(one, (kg__counter)i));
        add(part);
    }
    add("}");
    add(more);
    add("}\n");
}

#define DONE "{\"event\":\"done\"}\n"

static void write_model(const counted *list, size_t count)
{
    begin("{\"event\":\"target\",\"target\":{\"key\":\"cpu-model\"}}\n");
    for (size_t i = 0; i < count; i++)
        add_counted(&list[i], "");
    add(DONE);
    finish("model.jsonl");
}

/* Each case with one kernel. */
static void write_launches(const counted *list, size_t count)
{
    char part[256];

    begin("{\"event\":\"target\",\"target\":{\"key\":\"nvidia-h200\"}}\n");
    for (size_t i = 0; i < count; i++) {
        snprintf(part, sizeof part, "{\"event\":\"launched\",\"case\":\"%s\",\"kernels\":1}\n",
                 list[i].id);
        add(part);
    }
    add(DONE);
    finish("launches.jsonl");
}

#define COLUMNS                                                                                    \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\"," \
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\","                                              \
    "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\","                                    \
    "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","                                         \
    "\"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum\","                                         \
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\","                                          \
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum\","                                          \
    "\"sass__inst_executed_per_opcode\"\n"
#define UNITS                                                                                      \
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"request\",\"request\","         \
    "\"sector\",\"sector\",\"inst\"\n"
#define PREAMBLE                                                                                   \
    "==PROF== Connected to process 4711 (/tmp/a,b/matmul_f32.gpu)\n"                               \
    "==PROF== Profiling \"naive\" - 0: 0%....50%....100% - 7 passes\n"

/* A kernel of 256 threads a block; the fields are as the profiler prints them. */
#define KERNEL(number, wavefronts, load_requests, store_requests, load_sectors, store_sectors,     \
               opcodes)                                                                            \
    "\"" number "\",\"4711\",\"matmul_f32.gpu\",\"host\",\"naive(const float *, const "            \
    "\"\"float\"\" *)\",\"1\",\"7\",\"(16, 16, 1)\",\"(34, 34, 1)\",\"0\",\"9.0\",\"" wavefronts   \
    "\",\"" load_requests "\",\"" store_requests "\",\"" load_sectors "\",\"" store_sectors        \
    "\",\"" opcodes "\"\n"

static const counted naive = { "matmul_f32/naive/530/b16", 9550600, 22432515, 9248, 35112, 0 };
static const counted tiled = { "matmul_f32/tiled/530/b16", 612680, 3305548, 9248, 35112, 78608 };

#define NAIVE KERNEL("0", "0", "9,550,600", "9,248", "22,432,515", "35,112", "900 (FFMA: 900)")
#define TILED                                                                                      \
    KERNEL("1", "35,000", "612,680", "9,248", "3,305,548", "35,112",                               \
           "628,965 (BAR: 628,864; FFMA: 1; LDS: 100)")

static void write_good(void)
{
    const counted both[] = { naive, tiled };

    write_model(both, 2);
    write_launches(both, 2);
    write_text(at("ncu.csv"),
               PREAMBLE COLUMNS UNITS NAIVE TILED "==PROF== Disconnected from process 4711\n");
}

static ending validate(const char *option)
{
    const char *arguments[] = { KG__COMMAND,  "validate",
                                "--model",    at("model.jsonl"),
                                "--launches", at("launches.jsonl"),
                                "--hardware", at("ncu.csv"),
                                option,       NULL };

    return drive(arguments, NULL);
}

static void expect(int code, const char *part)
{
    ending seen = validate(NULL);

    expect_ending(&seen, code, part);
    /* An error is one line, and no table stands beside it. */
    if (code == 2)
        cr_assert(occurrences(seen.output, "\n") == 1, "%s", seen.output);
    free(seen.output);
}

/* Writes one case as the model counted it, and what the hardware did. */
static void write_one(const counted *one, const char *rows)
{
    write_model(one, 1);
    write_launches(one, 1);
    begin(COLUMNS UNITS);
    add(rows);
    finish("ncu.csv");
}

Test(validate, equal_counts_pass)
{
    ending seen;

    write_good();
    seen = validate(NULL);
    expect_ending(
        &seen, 0,
        "2 cases, 8 figures judged: 8 equal to the hardware's, 0 within 0.1 %, 0 known to "
        "be further off, 0 beyond");
    cr_assert(strstr(seen.output, "9 550 600       9 550 600  equal\n") != NULL, "%s", seen.output);
    cr_assert(occurrences(seen.output, "differs") == 0);
    /* Barriers are of a block: 8 warps each. */
    cr_assert(strstr(seen.output, "78 608          78 608  equal  shown, not judged") != NULL, "%s",
              seen.output);
    /* What neither side has is no line. */
    cr_assert(occurrences(seen.output, "global_atomic_requests") == 0);
    cr_assert(occurrences(seen.output, "shuffles") == 0);
    free(seen.output);
}

Test(validate, a_tenth_of_a_percent_is_the_limit)
{
    counted one = { "copy/plain/1000/b256", 1001000, 8, 8, 8, 0 };

    write_one(&one, KERNEL("0", "0", "1,000,000", "8", "8", "8", "1 (NOP: 1)"));
    expect(0, "1 case, 4 figures judged: 3 equal to the hardware's, 1 within 0.1 %");
    one.load_requests = 999000;
    write_one(&one, KERNEL("0", "0", "1,000,000", "8", "8", "8", "1 (NOP: 1)"));
    expect(0, "-0.1 %");
    one.load_requests = 1001001;
    write_one(&one, KERNEL("0", "0", "1,000,000", "8", "8", "8", "1 (NOP: 1)"));
    expect(1, "0 known to be further off, 1 beyond");
    one.load_requests = 998999;
    write_one(&one, KERNEL("0", "0", "1,000,000", "8", "8", "8", "1 (NOP: 1)"));
    expect(1, "differs  copy/plain/1000/b256");
}

Test(validate, every_judged_counter_can_fail)
{
    static const char *const rows[] = {
        KERNEL("0", "0", "99", "100", "100", "100", "1 (NOP: 1)"),
        KERNEL("0", "0", "100", "99", "100", "100", "1 (NOP: 1)"),
        KERNEL("0", "0", "100", "100", "99", "100", "1 (NOP: 1)"),
        KERNEL("0", "0", "100", "100", "100", "99", "1 (NOP: 1)"),
    };
    static const char *const counters[] = { "global_load_requests", "global_store_requests",
                                            "global_load_sectors", "global_store_sectors" };
    const counted one = { "copy/plain/1000/b256", 100, 100, 100, 100, 0 };

    for (int i = 0; i < 4; i++) {
        ending seen;
        char line[128];

        write_one(&one, rows[i]);
        seen = validate(NULL);
        snprintf(line, sizeof line, "differs  copy/plain/1000/b256%25s%s", "", counters[i]);
        expect_ending(&seen, 1, line);
        cr_assert(occurrences(seen.output, "differs") == 1, "%s", seen.output);
        free(seen.output);
    }
}

Test(validate, what_the_hardware_does_not_do_is_beyond)
{
    const counted one = { "copy/plain/1000/b256", 1, 1, 8, 8, 0 };

    write_one(&one, KERNEL("0", "0", "0", "8", "0", "8", "1 (NOP: 1)"));
    expect(1, "none on hardware");
}

Test(validate, what_the_model_does_not_see_is_beyond)
{
    const counted one = { "copy/plain/1000/b256", 0, 0, 8, 8, 0 };

    write_one(&one, KERNEL("0", "0", "1", "8", "1", "8", "1 (NOP: 1)"));
    expect(1, "-100 %");
}

Test(validate, shared_memory_is_shown_and_not_judged)
{
    counted one = { "copy/shared/1000/b256", 8, 8, 8, 8, 4 };
    ending seen;

    write_one(&one, KERNEL("0", "77", "8", "8", "8", "8", "17 (BAR.SYNC: 16; BARRED: 5)"));
    seen = validate(NULL);
    expect_ending(&seen, 0, "shared_load_wavefronts");
    cr_assert(strstr(seen.output, "-100 %  shown, not judged") != NULL, "%s", seen.output);
    /* A modifier behind a point belongs to the opcode; another opcode that begins alike does not.
     */
    cr_assert(strstr(seen.output, "4               2  +100 %  shown, not judged") != NULL, "%s",
              seen.output);
    free(seen.output);
}

Test(validate, what_a_chip_does_not_count_is_unknown)
{
    const counted one = { "copy/shared/1000/b256", 8, 8, 8, 8, 4 };
    ending seen;

    /* Neither the wavefronts nor the opcodes: a sum without its instances tells no opcode. */
    write_one(&one, KERNEL("0", "n/a", "8", "8", "8", "8", "17"));
    expect(0, "4         unknown  -  shown, not judged");
    seen = validate("--markdown");
    expect_ending(&seen, 0, "| 4 / unknown |");
    free(seen.output);
    /* What is judged must be known. */
    write_one(&one, KERNEL("0", "0", "8", "8", "n/a", "8", "17"));
    expect(2, "copy/shared/1000/b256: there is no l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, "
              "which is judged");
}

Test(validate, a_column_that_is_missing_is_an_error)
{
    const counted one = { "copy/plain/1000/b256", 8, 8, 8, 8, 0 };

    write_one(&one, "");
    write_text(at("ncu.csv"), "\"ID\",\"Block Size\",\"Kernel Name\"\n"
                              "\"0\",\"(32, 1, 1)\",\"plain\"\n");
    expect(2, "there is no l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum, which is judged");
}

Test(validate, known_exceptions_have_their_figure)
{
    counted one = { "hardware_rows/unequal/1000/b256", 1270, 1000, 8, 8, 0 };
    ending seen;

    write_one(&one, KERNEL("0", "0", "1,000", "8", "1,000", "8", "1 (NOP: 1)"));
    seen = validate(NULL);
    expect_ending(&seen, 0, "+27.0 %  up to 28.0 % is known: lanes leave a loop");
    cr_assert(strstr(seen.output, "1 known to be further off, 0 beyond") != NULL, "%s",
              seen.output);
    free(seen.output);
    one.load_requests = 1281;
    write_one(&one, KERNEL("0", "0", "1,000", "8", "1,000", "8", "1 (NOP: 1)"));
    expect(1, "0 known to be further off, 1 beyond");
    /* Another variant has no such excuse. */
    one.id = "hardware_rows/breakable/1000/b256";
    one.load_requests = 1270;
    write_one(&one, KERNEL("0", "0", "1,000", "8", "1,000", "8", "1 (NOP: 1)"));
    expect(1, "1 beyond");
}

Test(validate, the_kernels_of_one_launch_are_summed)
{
    const counted one = { "copy/twice/1000/b256", 30, 300, 8, 80, 3 };

    write_model(&one, 1);
    write_text(at("launches.jsonl"),
               "{\"event\":\"launched\",\"case\":\"copy/twice/1000/b256\",\"kernels\":2}\n" DONE);
    write_text(at("ncu.csv"), COLUMNS UNITS KERNEL("0", "0", "10", "4", "100", "40", "8 (BAR: 8)")
                                  KERNEL("1", "0", "20", "4", "200", "40", "16 (BAR: 16)"));
    expect(0, "4 figures judged: 4 equal");
}

Test(validate, another_number_of_kernels_is_an_error)
{
    write_good();
    write_text(at("ncu.csv"), COLUMNS UNITS NAIVE);
    expect(2, "holds 1 kernels, where 2 were launched");
    write_text(at("ncu.csv"), COLUMNS UNITS NAIVE TILED TILED);
    expect(2, "holds 3 kernels, where 2 were launched");
    write_text(at("ncu.csv"), COLUMNS UNITS);
    expect(2, "holds 0 kernels, where 2 were launched");
}

Test(validate, a_sampled_case_says_so)
{
    const counted one = { "copy/plain/1000/b256", 8, 8, 8, 8, 0 };
    ending seen;

    write_one(&one, KERNEL("0", "0", "8", "8", "8", "8", "1 (NOP: 1)"));
    begin("");
    add_counted(&one, ",\"sampled\":{\"blocks\":120,\"of\":16384}");
    add(DONE);
    finish("model.jsonl");
    expect(0, "sampled  copy/plain/1000/b256: the model counted 120 of 16384 blocks");
    seen = validate("--markdown");
    expect_ending(&seen, 0, "| copy/plain/1000/b256, counted in 120 of 16384 blocks |");
    free(seen.output);
}

Test(validate, prints_markdown)
{
    ending seen;
    counted wrong = tiled;

    write_good();
    seen = validate("--markdown");
    expect_ending(&seen, 0,
                  "| case | load requests | load sectors | store requests | store sectors | shared "
                  "loads | their wavefronts | barriers |\n"
                  "| --- | --: | --: | --: | --: | --: | --: | --: |\n"
                  "| matmul_f32/naive/530/b16 | 9 550 600 | 22 432 515 | 9 248 | 35 112 | | | |\n"
                  "| matmul_f32/tiled/530/b16 | 612 680 | 3 305 548 | 9 248 | 35 112 | 0 / 100 "
                  "(-100 %) | 0 / 35 000 (-100 %) | 78 608 |\n");
    free(seen.output);
    wrong.load_sectors *= 2;
    write_one(&wrong, TILED);
    seen = validate("--markdown");
    expect_ending(&seen, 1, "| **6 611 096 / 3 305 548 (+100 %)** |");
    free(seen.output);
}

static json_t *validate_as_json(int code)
{
    const char *const arguments[] = {
        KG__COMMAND,          "validate",   "--model",     at("model.jsonl"), "--launches",
        at("launches.jsonl"), "--hardware", at("ncu.csv"), "--json",          NULL
    };

    return drive_document(arguments, NULL, code, SCHEMA_OF("validation"), NULL);
}

static json_int_t tally(const json_t *document, const char *finding)
{
    return json_integer_value(json_object_get(json_object_get(document, "tally"), finding));
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    cr_assert(json_is_number(value), "%s", key);
    return json_number_value(value);
}

Test(validate, prints_a_document)
{
    json_t *document;
    const json_t *one;
    const json_t *figures;

    write_good();
    document = validate_as_json(0);
    cr_expect(tally(document, "judged") == 8 && tally(document, "equal") == 8);
    figures = ENTRY(document, "cases", "case", "matmul_f32/tiled/530/b16");
    one = ENTRY(figures, "figures", "counter", "global_load_sectors", "finding", "equal");
    cr_expect(number(one, "model") == 3305548 && number(one, "hardware") == 3305548 &&
              number(one, "difference") == 0 && number(one, "permitted") == 0.001);
    one = ENTRY(figures, "figures", "counter", "shared_load_requests", "finding", "shown");
    cr_expect(number(one, "model") == 0 && number(one, "hardware") == 100 &&
              number(one, "difference") == -1);
    expect_strict(SCHEMA_OF("validation"), document);
    json_decref(document);
}

Test(validate, a_document_of_what_differs)
{
    counted one = { "hardware_rows/unequal/1000/b256", 1270, 1001, 8, 0, 0 };
    const json_t *figures;
    const json_t *figure;
    json_t *document;

    write_one(&one, KERNEL("0", "0", "1,000", "8", "1,000", "8", "1 (NOP: 1)"));
    begin("");
    add_counted(&one, ",\"sampled\":{\"blocks\":120,\"of\":16384}");
    add(DONE);
    finish("model.jsonl");
    document = validate_as_json(1);
    figures = ENTRY(document, "cases", "case", one.id);
    cr_expect(number(json_object_get(figures, "sampled"), "of") == 16384);
    figure = ENTRY(figures, "figures", "counter", "global_load_requests", "finding", "known",
                   "reason", "lanes leave a loop at different times, and ptxas unrolls it");
    cr_expect(number(figure, "permitted") == 0.28 && number(figure, "difference") == 0.27);
    (void)ENTRY(figures, "figures", "counter", "global_load_sectors", "finding", "within");
    (void)ENTRY(figures, "figures", "counter", "global_store_sectors", "finding", "beyond");
    (void)ENTRY(figures, "figures", "counter", "global_store_requests", "finding", "equal");
    cr_expect(tally(document, "equal") == 1 && tally(document, "within") == 1 &&
              tally(document, "known") == 1 && tally(document, "beyond") == 1);
    json_decref(document);
    one = (counted){ "copy/plain/1000/b256", 1, 1, 8, 8, 4 };
    write_one(&one, KERNEL("0", "n/a", "0", "8", "0", "8", "17"));
    document = validate_as_json(1);
    figures = ENTRY(document, "cases", "case", one.id);
    figure = ENTRY(figures, "figures", "counter", "global_load_sectors", "finding", "beyond");
    cr_expect(json_object_get(figure, "difference") == NULL);
    figure = ENTRY(figures, "figures", "counter", "barriers", "finding", "shown");
    cr_expect(json_object_get(figure, "hardware") == NULL);
    json_decref(document);
}

Test(validate, figures_may_be_plain_or_grouped)
{
    const counted one = { "copy/plain/1000/b256", 1234567, 12, 123, 1000, 0 };

    write_one(&one, KERNEL("0", "0", "1,234,567", "123", "12", "1,000", "1 (NOP: 1)"));
    expect(0, "4 equal");
    write_one(&one, KERNEL("0", "0", "1234567", "123.00", "12", "1000", "1 (NOP: 1)"));
    expect(0, "4 equal");
}

/* Each as the count of load requests. */
Test(validate, what_is_no_count_is_an_error)
{
    static const char *const bad[] = {
        "12,34",
        "1234,567",
        "1.234.567",
        "22.000",
        "1e6",
        "-5",
        "nan",
        "12 request",
        "1.5",
        "12 (34",
        "1,",
        ",123",
        "0x10",
        "12.",
        "(3",
        "inf",
        "99,999,999,999,999,999",
    };
    const counted one = { "copy/plain/1000/b256", 12, 12, 12, 12, 0 };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char expected[128];
        char rows[1024];

        snprintf(rows, sizeof rows,
                 "\"0\",\"1\",\"a\",\"h\",\"k\",\"1\",\"7\",\"(16, 16, 1)\",\"(1, 1, 1)\",\"0\","
                 "\"9.0\",\"0\",\"%s\",\"12\",\"12\",\"12\",\"1 (NOP: 1)\"\n",
                 bad[i]);
        write_one(&one, rows);
        snprintf(
            expected, sizeof expected,
            "ncu.csv:3: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum is \"%s\", which is no "
            "count",
            bad[i]);
        /* A list of instances is read where an opcode is looked for alone. */
        if (strcmp(bad[i], "12 (34") == 0)
            expect(0, NULL);
        else
            expect(2, expected);
    }
}

Test(validate, a_list_of_opcodes_that_is_none_is_an_error)
{
    static const char *const bad[] = { "12 (BAR)",      "12 (BAR: )",         "12 (BAR: 12",
                                       "12 (BAR: 12;)", "12 (BAR: 12) more",  "12 (BAR: 12; )",
                                       "12 (BAR: 1,2)", "12 (LDS: 3, BAR: 9)" };
    const counted one = { "copy/plain/1000/b256", 12, 12, 12, 12, 0 };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char rows[1024];

        snprintf(rows, sizeof rows,
                 "\"0\",\"1\",\"a\",\"h\",\"k\",\"1\",\"7\",\"(16, 16, 1)\",\"(1, 1, 1)\",\"0\","
                 "\"9.0\",\"0\",\"12\",\"12\",\"12\",\"12\",\"%s\"\n",
                 bad[i]);
        write_one(&one, rows);
        expect(2, "ncu.csv:3: sass__inst_executed_per_opcode is \"12 (");
    }
    write_one(&one, KERNEL("0", "0", "12", "12", "12", "12", "0 ()"));
    expect(0, NULL);
}

Test(validate, a_table_that_is_damaged_is_an_error)
{
    static const struct {
        const char *table;
        const char *message;
    } bad[] = {
        { "", "ncu.csv: holds no table" },
        { "==PROF== Connected\nNo kernels were profiled.\n", "ncu.csv: holds no table" },
        { "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n",
          "ncu.csv:2: the profiler failed: ERR_NVGPUCTRPERM - The user does not have permission" },
        { COLUMNS NAIVE TILED "==ERROR== The application returned an error code (2).\n",
          "ncu.csv:4: the profiler failed: The application returned an error code (2)." },
        { COLUMNS NAIVE "\"1\",\"4711\",\"matmul", "ncu.csv:3: quotes that do not close" },
        { COLUMNS NAIVE "\"1\",\"4711\",\"mat\"mul\"\n", "ncu.csv:3: quotes that do not close" },
        { "\"ID\",\"4711", "ncu.csv:1: quotes that do not close" },
        { COLUMNS NAIVE "\"1\",\"4711\"\n", "ncu.csv:3: 2 fields, where the table has 17 columns" },
        { COLUMNS NAIVE "\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\",\"11\","
                        "\"12\",\"13\",\"14\",\"15\",\"16\",\"17\",\"18\"\n",
          "ncu.csv:3: 18 fields, where the table has 17 columns" },
        { COLUMNS "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mrequest\","
                  "\"request\",\"sector\",\"sector\",\"inst\"\n" NAIVE TILED,
          "ncu.csv:2: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum is in Mrequest: print it "
          "with ncu --print-units base" },
    };

    write_good();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(at("ncu.csv"), bad[i].table);
        expect(2, bad[i].message);
    }
}

Test(validate, a_large_table_is_read_whole)
{
    write_good();
    begin("");
    for (int i = 0; i < 4000; i++)
        add("==PROF== Profiling \"naive\" - 0: 0%....50%....100% - 7 passes\n");
    add(COLUMNS UNITS NAIVE TILED);
    finish("ncu.csv");
    expect(0, "8 equal");
}

Test(validate, bytes_that_are_no_text_are_an_error)
{
    FILE *file;

    write_good();
    file = fopen(at("ncu.csv"), "w");
    cr_assert(file != NULL);
    cr_assert(fwrite("\"ID\",\0\n", 1, 7, file) == 7);
    cr_assert(fclose(file) == 0);
    expect(2, "ncu.csv: holds bytes that are no text");
}

Test(validate, a_block_size_that_is_none_is_an_error)
{
    static const char *const bad[] = {
        "", "256", "(0, 1, 1)", "(16, 16)", "(-1, 16, 16)", "(a, b, c)", "(4096, 1, 1)"
    };
    const counted one = { "copy/plain/1000/b256", 12, 12, 12, 12, 0 };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char rows[1024];
        char expected[128];

        snprintf(rows, sizeof rows,
                 "\"0\",\"1\",\"a\",\"h\",\"k\",\"1\",\"7\",\"%s\",\"(1, 1, 1)\",\"0\","
                 "\"9.0\",\"0\",\"12\",\"12\",\"12\",\"12\",\"0 ()\"\n",
                 bad[i]);
        write_one(&one, rows);
        snprintf(expected, sizeof expected, "ncu.csv:3: \"Block Size\" is \"%s\"", bad[i]);
        expect(2, expected);
    }
}

Test(validate, lines_may_end_in_two_characters)
{
    write_good();
    write_text(at("ncu.csv"), "ID,Block Size,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,"
                              "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,"
                              "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"
                              "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum\r\n"
                              "\r\n0,\"(16, 16, 1)\",9550600,9248,22432515,35112\r\n"
                              "\"1\",\"(16, 16, 1)\",\"612,680\",\"9,248\",\"3,305,548\","
                              "\"35,112\"\r\n");
    expect(0, "8 equal");
}

Test(validate, files_that_are_missing_are_an_error)
{
    static const char *const names[] = { "model.jsonl", "launches.jsonl", "ncu.csv" };

    for (int i = 0; i < 3; i++) {
        char expected[64];

        write_good();
        cr_assert(remove(at(names[i])) == 0);
        snprintf(expected, sizeof expected, "%s: cannot be", names[i]);
        expect(2, expected);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char expected[128];

        write_good();
        cr_assert(remove(at(names[i])) == 0);
        cr_assert(mkfifo(at(names[i]), 0700) == 0);
        snprintf(expected, sizeof expected, "%s: cannot be", names[i]);
        expect(2, expected);
        cr_assert(remove(at(names[i])) == 0);
    }
}

Test(validate, records_that_tell_of_trouble_are_an_error)
{
    static const struct {
        const char *name;
        const char *records;
        const char *message;
    } bad[] = {
        { "launches.jsonl", "{\"event\":\"unavailable\",\"why\":\"no GPU\"}\n", "jsonl: no GPU" },
        { "launches.jsonl", "{\"event\":\"broken\",\"why\":\"no driver\"}\n", "jsonl: no driver" },
        { "launches.jsonl",
          "{\"event\":\"checked\",\"case\":\"a/b/1/-\",\"right\":false,\"why\":\"c[1]\"}\n" DONE,
          "launches.jsonl: a/b/1/-: c[1]" },
        { "launches.jsonl",
          "{\"event\":\"failed\",\"case\":\"a/b/1/-\",\"why\":\"launching\"}\n" DONE,
          "launches.jsonl: a/b/1/-: launching" },
        { "launches.jsonl", DONE, "launches.jsonl: no case was launched" },
        { "launches.jsonl", "", "launches.jsonl: ends before its observer was done" },
        { "launches.jsonl", "not JSON\n" DONE, "launches.jsonl: 1 lines are no JSON objects" },
        { "launches.jsonl", DONE "{\"event\":", "launches.jsonl: ends before its observer was" },
        { "launches.jsonl", "{\"event\":\"launched\",\"case\":\"a/b/1/-\"}\n" DONE,
          "launches.jsonl:1: no launch of a case and its number of kernels" },
        { "launches.jsonl", "{\"event\":\"launched\",\"kernels\":1}\n" DONE,
          "launches.jsonl:1: no launch of a case and its number of kernels" },
        { "launches.jsonl",
          "{\"event\":\"launched\",\"case\":\"a/b/1/-\",\"kernels\":1}\n"
          "{\"event\":\"launched\",\"case\":\"a/b/1/-\",\"kernels\":1}\n" DONE,
          "launches.jsonl:2: a/b/1/-: was launched twice" },
        { "launches.jsonl",
          "{\"event\":\"launched\",\"case\":\"matmul_f32/naive/530/b16\",\"kernels\":1}\n" DONE,
          "model.jsonl:5: matmul_f32/tiled/530/b16: was counted and not launched" },
        { "model.jsonl", DONE, "matmul_f32/naive/530/b16: was launched, and" },
        { "model.jsonl",
          "{\"event\":\"measured\",\"case\":\"matmul_f32/naive/530/b16\",\"metrics\":{}}\n" DONE,
          "model.jsonl:1: matmul_f32/naive/530/b16: has no count of global_load_requests" },
        { "model.jsonl", "{\"event\":\"failed\",\"case\":\"a/b/1/-\",\"why\":\"too large\"}\n" DONE,
          "model.jsonl: a/b/1/-: too large" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_good();
        write_text(at(bad[i].name), bad[i].records);
        expect(2, bad[i].message);
    }
    write_good();
    begin("");
    add_counted(&naive, "");
    add_counted(&naive, "");
    add(DONE);
    finish("model.jsonl");
    expect(2, "model.jsonl:4: matmul_f32/naive/530/b16: was counted twice");
}

Test(validate, refused_cases_are_no_trouble)
{
    write_good();
    begin("{\"event\":\"refused\",\"case\":\"matmul_f32/tiled/0/b16\",\"why\":\"empty\"}\n");
    add_counted(&naive, "");
    add_counted(&tiled, "");
    add(DONE);
    finish("model.jsonl");
    expect(0, "2 cases");
}

Test(validate, says_how_it_is_called)
{
    const char *nothing[] = { KG__COMMAND, "validate", NULL };
    const char *half[] = { KG__COMMAND, "validate", "--model", "a", "--hardware", "b", NULL };
    const char *metrics[] = { KG__COMMAND, "validate", "--metrics", NULL, NULL };
    const char *two[] = { KG__COMMAND, "validate", "--json", "--markdown", NULL };
    const json_t *metric;
    json_t *document;
    ending seen = drive(nothing, NULL);

    expect_ending(&seen, 2, "validate: needs --model, --hardware and --launches");
    free(seen.output);
    seen = drive(half, NULL);
    expect_ending(&seen, 2, "validate: needs --model, --hardware and --launches");
    free(seen.output);
    seen = drive(metrics, NULL);
    expect_ending(&seen, 0, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum judged\n");
    cr_assert(occurrences(seen.output, " judged\n") == 4, "%s", seen.output);
    cr_assert(strstr(seen.output, "sass__inst_executed_per_opcode\n") != NULL, "%s", seen.output);
    free(seen.output);
    metrics[3] = "--json";
    document = drive_document(metrics, NULL, 0, SCHEMA_OF("metrics"), NULL);
    metric = ENTRY(document, "metrics", "metric", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    cr_assert(json_is_true(json_object_get(metric, "judged")));
    metric = ENTRY(document, "metrics", "metric", "sass__inst_executed_per_opcode");
    cr_assert(json_is_false(json_object_get(metric, "judged")));
    json_decref(document);
    seen = drive(two, NULL);
    expect_ending(&seen, 2, "--json and --markdown are two formats");
    free(seen.output);
}

/* The part `launch` of a GPU's program. */
static ending observe(const char *program, const char *cases)
{
    const char *arguments[] = { program,  "--observe", at("cases"),          "--part",
                                "launch", "--records", at("launches.jsonl"), NULL };

    write_text(at("cases"), cases);
    return drive(arguments, NULL);
}

Test(launch, launches_each_counted_case_once, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    const char *list[] = { KG__FAKE_SOUND_GPU, "--cases", "launch", NULL };
    ending seen = drive(list, NULL);
    ending launched;
    char *records;

    /* The sizes that are counted, and no others. */
    expect_ending(&seen, 0, "fake/plain/64/b32\n");
    cr_assert(occurrences(seen.output, "\n") == 8, "%s", seen.output);
    launched = observe(KG__FAKE_SOUND_GPU, seen.output);
    expect_ending(&launched, 0, NULL);
    records = read_text(at("launches.jsonl"));
    cr_assert(occurrences(records, "\"launched\"") == 4, "%s", records);
    cr_assert(occurrences(records, "\"refused\"") == 4, "%s", records);
    cr_assert(strstr(records, "{\"event\":\"start\",\"case\":\"fake/quick/64/b32\"}\n"
                              "{\"event\":\"launched\",\"case\":\"fake/quick/64/b32\","
                              "\"kernels\":1}\n") != NULL,
              "%s", records);
    cr_assert(strstr(records, "{\"event\":\"done\"}\n") != NULL);
    free(records);
    free(launched.output);
    free(seen.output);
}

Test(launch, tells_wrong_and_failed_ones, .init = make_folder, .fini = remove_folder, .timeout = 60)
{
    ending seen = observe(KG__FAKE_GPU, "fake/wrong/64/b32\nfake/hangs/64/b32\nfake/cannot/64/b32\n"
                                        "fake/plain/64/b32\n");
    char *records = read_text(at("launches.jsonl"));

    expect_ending(&seen, 0, NULL);
    cr_assert(strstr(records, "\"case\":\"fake/wrong/64/b32\",\"right\":false") != NULL, "%s",
              records);
    cr_assert(strstr(records, "\"case\":\"fake/hangs/64/b32\",\"why\":\"launching: this fake") !=
                  NULL,
              "%s", records);
    cr_assert(strstr(records, "\"case\":\"fake/cannot/64/b32\",\"why\":\"launching: ") != NULL,
              "%s", records);
    cr_assert(strstr(records, "\"event\":\"launched\",\"case\":\"fake/plain/64/b32\"") != NULL,
              "%s", records);
    free(records);
    free(seen.output);
}

Test(launch, ends_when_the_device_is_lost, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    ending seen = observe(KG__FAKE_GPU, "fake/strays/64/b32\nfake/plain/64/b32\n");
    char *records = read_text(at("launches.jsonl"));

    expect_ending(&seen, 3, "fake/strays/64/b32: ");
    cr_assert(strstr(records, "\"failed\",\"case\":\"fake/strays/64/b32\"") != NULL, "%s", records);
    cr_assert(occurrences(records, "fake/plain") == 0, "%s", records);
    cr_assert(occurrences(records, "\"done\"") == 0, "%s", records);
    free(records);
    free(seen.output);
}

Test(launch, is_no_part_of_the_model, .init = make_folder, .fini = remove_folder, .timeout = 60)
{
    ending seen = observe(KG__FAKE_MODEL, "fake/plain/64/b32\n");

    expect_ending(&seen, 2, "fake: this target has no part launch");
    free(seen.output);
}
