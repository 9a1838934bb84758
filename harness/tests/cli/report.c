/* kernelgate report: a comparison's table from a run's results, as its users call it. The figures
 * are round, so that what is to come of them can be seen. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "suite/counters.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

#define GPU "nvidia-h200"
#define MODEL "cpu-model"

static json_t *results;
static const char *settings[4];

static json_t *list(const char *key)
{
    return json_object_get(results, key);
}

/* A case that was timed: hot and cold time in ns (0: none). It computes 1000 operations on 2000
 * bytes, and its kernel fills half of a multiprocessor. */
static json_t *timed(const char *id, double hot, double cold)
{
    json_t *entry = json_pack(
        "{s:s, s:s, s:[s, s], s:{}, s:s, s:s, s:{s:f, s:f}, s:{s:i, s:i, s:i, s:i, s:f}}", "case",
        id, "target", GPU, "parts", "check", "time", "metrics", "verdict", "pass", "why", "",
        "work", "operations", 1000.0, "bytes", 2000.0, "kernel", "registers", 40, "local_bytes", 0,
        "shared_bytes", 2048, "blocks_per_multiprocessor", 4, "occupancy", 0.5);
    json_t *metrics = json_object_get(entry, "metrics");

    if (hot > 0)
        json_object_set_new(metrics, "time_ns",
                            json_pack("{s:f, s:f, s:f, s:s}", "value", hot, "low", hot - 1, "high",
                                      hot + 1, "clock", "graph"));
    if (cold > 0)
        json_object_set_new(metrics, "cold_time_ns", json_pack("{s:f}", "value", cold));
    json_array_append_new(list("cases"), entry);
    return entry;
}

static json_t *judged(json_t *entry, const char *verdict, const char *why)
{
    json_object_set_new(entry, "verdict", json_string(verdict));
    json_object_set_new(entry, "why", json_string(why));
    return entry;
}

/* A copy: it starts no kernel, and computes nothing. */
static void copied(const char *id, double time, const char *clock)
{
    json_t *entry = timed(id, time, 0);

    json_object_del(entry, "kernel");
    json_object_set_new(json_object_get(entry, "work"), "operations", json_real(0));
    json_object_set_new(json_object_get(json_object_get(entry, "metrics"), "time_ns"), "clock",
                        json_string(clock));
}

/* A case that was only checked. */
static void checked(const char *id, const char *target)
{
    json_array_append_new(list("cases"), json_pack("{s:s, s:s, s:[s], s:{}, s:s, s:s}", "case", id,
                                                   "target", target, "parts", "check", "metrics",
                                                   "verdict", "pass", "why", ""));
}

static void refused(const char *id, const char *why)
{
    json_array_append_new(list("refused"), json_pack("{s:s, s:s, s:s, s:s}", "case", id, "why", why,
                                                     "target", GPU, "test", "gpu.a.time"));
}

/* A counted case: global loads and their sectors, shared loads and their wavefronts, constant loads
 * and their words, barriers; the rest is 0. */
static json_t *counted(const char *id, const int counts[7])
{
    static const kg__counter counters[7] = {
        KG__GLOBAL_LOAD_REQUESTS,
        KG__GLOBAL_LOAD_SECTORS,
        KG__SHARED_LOAD_REQUESTS,
        KG__SHARED_LOAD_WAVEFRONTS,
        KG__CONSTANT_LOAD_REQUESTS,
        KG__CONSTANT_LOAD_WORDS,
        KG__BARRIERS,
    };
    json_t *entry = json_pack("{s:s, s:s, s:[s, s], s:{}, s:s, s:s}", "case", id, "target", MODEL,
                              "parts", "check", "count", "metrics", "verdict", "pass", "why", "");
    json_t *metrics = json_object_get(entry, "metrics");

    for (int i = 0; i < KG__COUNTERS; i++)
        json_object_set_new(metrics, kg__counter_name((kg__counter)i),
                            json_pack("{s:i}", "value", 0));
    for (int i = 0; i < 7; i++)
        json_object_set_new(metrics, kg__counter_name(counters[i]),
                            json_pack("{s:i}", "value", counts[i]));
    json_array_append_new(list("cases"), entry);
    return entry;
}

static void make_products(void)
{
    checked("matmul_f32/naive/15/b8", GPU);
    timed("matmul_f32/naive/256/b8", 8000, 9000);
    timed("matmul_f32/tiled/256/b8", 4000, 6000);
    timed("matmul_f32/naive/256/b16", 6000, 0);
    judged(timed("matmul_f32/tiled/256/b16", 3000, 4000), "wrong", "c[row 1]: a | b");
    judged(timed("matmul_f32/naive/530/b16", 60000, 70000), "noisy", "");
    timed("matmul_f32/tiled/530/b16", 45000, 50000);
    timed("matmul_f32/naive/530/b32", 60000, 70000);
    counted("matmul_f32/naive/530/b16", (const int[]){ 1000, 3000, 0, 0, 0, 0, 4 });
    json_object_set_new(
        counted("matmul_f32/tiled/530/b16", (const int[]){ 100, 600, 50, 75, 10, 160, 0 }),
        "sampled", json_pack("{s:i, s:i}", "blocks", 3, "of", 64));
}

/* Strided on several numbers of blocks, the others on what the size asks for. */
static void make_sums(void)
{
    timed("vector_add/strided/1024/b256g1056", 3000, 4000);
    timed("vector_add/strided/1024/b256g2112", 2000, 2500);
    timed("vector_add/unstrided/1024/b256", 6000, 8000);
    timed("vector_add/strided/1024/b512g264", 5000, 5000);
    timed("vector_add/unstrided/1024/b512", 10000, 5000);
    timed("sums/strided/1024/b256g1056", 5000, 5000);
    timed("sums/unstrided/1024/b256", 4000, 5000);
}

static void make_transfers(void)
{
    copied("transfers/pageable/8x8/-", 4000, "host");
    copied("transfers/pinned/8x8/-", 2000, "graph");
    timed("transfers/global_to_shared/8x8/-", 1000, 2000);
    json_object_set_new(
        json_object_get(json_object_get(timed("touches/touched/1/b8", 500, 0), "metrics"),
                        "time_ns"),
        "clock", json_string("first_touch"));
    copied("transfers/pageable/768x768/-", 8000, "host");
    copied("transfers/pinned/768x768/-", 4000, "graph");
    refused("transfers/global_to_shared/768x768/-", "above the 64 KiB");
    refused("transfers/global_to_shared/530x530/-", "of no row");
    refused("transfers/never_timed/8x8/-", "of no column");
}

static void write_results(void)
{
    char *text = json_dumps(results, JSON_INDENT(1));

    write_text(at("results.json"), text);
    free(text);
}

static void begin(void)
{
    static char out[300];

    make_folder();
    kg__format(out, sizeof out, "KG_OUT=%s", at(""));
    settings[0] = out;
    results = json_pack(
        "{s:s, s:{s:{s:s, s:s}, s:{s:s, s:s}}, s:{s:{s:s, s:{s:f, s:f}}, s:{}}, s:[], s:[]}",
        "schema", "kernelgate-results/1", "targets", GPU, "key", GPU, "name", "NVIDIA H200", MODEL,
        "key", MODEL, "compiler", "gcc 12.2.0", "provenance", GPU, "driver", "580.1", "limits",
        "copy_bytes_per_second", 1e12, "operations_per_second", 1e12, MODEL, "cases", "refused");
    complete_results(results);
    make_products();
    make_sums();
    make_transfers();
    write_results();
}

static void end(void)
{
    json_decref(results);
    remove_folder();
}

TestSuite(report, .init = begin, .fini = end, .timeout = 30);

/* Runs the command with up to five further arguments. */
static ending report(const char *const given[])
{
    const char *arguments[8] = { KG__COMMAND, "report" };

    for (size_t i = 0; i < 5 && given[i] != NULL; i++)
        arguments[i + 2] = given[i];
    return drive(arguments, settings);
}

#define table_of(...) report((const char *const[]){ "--table", __VA_ARGS__, NULL })

static void expect(ending result, int code, const char *expected)
{
    expect_ending(&result, code, expected);
    free(result.output);
}

static void expect_all(const ending *result, const char *const *expected)
{
    for (; *expected != NULL; expected++)
        expect_ending(result, 0, *expected);
}

/* The whole of it, as it is read. */
Test(report, a_table_of_times)
{
    ending result = table_of("matmul_f32", "--target", GPU);

    expect_ending(
        &result, 0,
        "## matmul_f32 on nvidia-h200\n"
        "\n"
        "NVIDIA H200, driver 580.1. Its limits, measured beside: it copies 1 000 GB/s, and "
        "computes 1 000 GFLOP/s of multiply-adds in floats.\n"
        "\n"
        "### Time, hot in the caches (µs)\n"
        "\n"
        "| size | launch | naive |      tiled |\n"
        "| ---- | ------ | ----: | ---------: |\n"
        "| 256  | b8     |     8 |  4 (2.00×) |\n"
        "| 256  | b16    |     6 |      wrong |\n"
        "| 530  | b16    |    60 | 45 (1.33×) |\n"
        "| 530  | b32    |    60 |          - |\n"
        "\n"
        "### Time, cold from device memory (µs)\n"
        "\n"
        "| size | launch | naive |      tiled |\n"
        "| ---- | ------ | ----: | ---------: |\n"
        "| 256  | b8     |     9 |  6 (1.50×) |\n"
        "| 256  | b16    |     - |      wrong |\n");
    free(result.output);
}

/* 2000 bytes in 8000 ns are 0.25 GB/s; at the limits they take 2 ns, longer than 1000 operations
 * do, of 9000 ns cold, or of 6000 ns hot where there is no cold time. */
Test(report, what_times_are_worth)
{
    ending result = table_of("matmul_f32", "--target", GPU);

    expect_ending(&result, 0,
                  "### Bandwidth (GB/s)\n\n"
                  "| size | launch | naive | tiled |\n"
                  "| ---- | ------ | ----: | ----: |\n"
                  "| 256  | b8     | 0.250 | 0.500 |\n"
                  "| 256  | b16    | 0.333 | wrong |\n");
    expect_ending(&result, 0,
                  "### Arithmetic (GFLOP/s)\n\n"
                  "| size | launch | naive | tiled |\n"
                  "| ---- | ------ | ----: | ----: |\n"
                  "| 256  | b8     | 0.125 | 0.250 |\n");
    expect_ending(&result, 0,
                  "### Share of the limit\n\n"
                  "| size | launch |    naive |    tiled |\n"
                  "| ---- | ------ | -------: | -------: |\n"
                  "| 256  | b8     |  0.022 % |  0.033 % |\n"
                  "| 256  | b16    |  0.033 % |    wrong |\n");
    expect_ending(&result, 0,
                  "### Occupancy\n\n"
                  "| size | launch |  naive |  tiled |\n"
                  "| ---- | ------ | -----: | -----: |\n"
                  "| 256  | b8     | 50.0 % | 50.0 % |\n");
    free(result.output);
}

Test(report, notes)
{
    static const char *const expected[] = {
        ("\n- In brackets: how many times as fast as `naive` at the same size and threads per "
         "block."),
        "at that of float multiply-adds (of integers too)",
        "\n- **wrong**: `tiled/256/b16`: c\\[row 1\\]: a \\| b\n",
        "\n- noisy: `naive/530/b16`.\n",
        NULL,
    };
    ending result = table_of("matmul_f32", "--target", GPU);

    expect_all(&result, expected);
    cr_expect(occurrences(result.output, "None is given") == 0);
    cr_expect(occurrences(result.output, "/15/") == 0 && occurrences(result.output, "| 15") == 0,
              "what was only checked has no row");
    free(result.output);
}

/* Every target that has figures, GPUs first, wherever the results have them. */
Test(report, every_target)
{
    ending result = table_of("matmul_f32");

    expect_ending(&result, 0, "\n\n## matmul_f32 on cpu-model\n\nCounted on the CPU model, gcc");
    cr_expect(strncmp(result.output, "## matmul_f32 on nvidia-h200\n", 28) == 0);
    free(result.output);
    result = table_of("matmul_f32", "--target", MODEL);
    cr_expect(strncmp(result.output, "## matmul_f32 on cpu-model\n", 26) == 0);
    free(result.output);
}

Test(report, counts)
{
    static const char *const expected[] = {
        "### Global load requests\n\n"
        "| size | launch | naive |       tiled |\n"
        "| ---- | ------ | ----: | ----------: |\n"
        "| 530  | b16    | 1 000 | 100 (0.10×) |\n",
        "### Global load sectors\n\n",
        "| 3 000 | 600 (0.20×) |\n",
        "### Global load sectors per request\n\n"
        "| size | launch | naive | tiled |\n"
        "| ---- | ------ | ----: | ----: |\n"
        "| 530  | b16    |     3 |     6 |\n",
        /* The first variant has none: there is no ratio to it. */
        "### Shared load wavefronts\n\n"
        "| size | launch | naive | tiled |\n"
        "| ---- | ------ | ----: | ----: |\n"
        "| 530  | b16    |     0 |    75 |\n",
        "### Constant load words per request\n\n"
        "| size | launch | tiled |\n"
        "| ---- | ------ | ----: |\n"
        "| 530  | b16    |    16 |\n",
        "### Barriers\n\n"
        "| size | launch | naive | tiled |\n"
        "| ---- | ------ | ----: | ----: |\n"
        "| 530  | b16    |     4 |     0 |\n",
        "- In brackets: how many times as many as `naive` has",
        "\n- A request is an instruction of a warp that goes to memory. Of one, sectors are",
        "- `tiled/530/b16` was counted on 3 of its 64 blocks.\n",
        NULL,
    };
    ending result = table_of("matmul_f32", "--target", MODEL);

    expect_all(&result, expected);
    cr_expect(occurrences(result.output, "Global store") == 0, "what is 0 throughout has no table");
    cr_expect(occurrences(result.output, "Time") == 0);
    free(result.output);
}

/* Launches that differ in blocks alone are rows of their own; one with a single launch is in the
 * row of its threads. */
Test(report, launches_that_differ_in_blocks)
{
    static const char *const expected[] = {
        "| size | launch    | strided |  unstrided |\n"
        "| ---- | --------- | ------: | ---------: |\n"
        "| 1024 | b256g1056 |       3 |  6 (0.50×) |\n"
        "| 1024 | b256g2112 |       2 |          - |\n"
        "| 1024 | b512      |       5 | 10 (0.50×) |\n",
        "\n- `strided` is launched as b256g1056, b256g2112, b512g264.\n",
        "\n- `unstrided` is launched as b256, b512.\n",
        NULL,
    };
    ending result = table_of("vector_add");

    expect_all(&result, expected);
    free(result.output);
    expect(table_of("sums"), 0, "| 1024 | b256   |       5 | 4 (1.25×) |\n");
}

/* What another variant's several launches take is held against the first one's of its threads. */
Test(report, a_first_variant_with_one_launch)
{
    json_array_clear(list("cases"));
    timed("vector_add/unstrided/64/b32", 6000, 0);
    timed("vector_add/strided/64/b32g8", 3000, 0);
    timed("vector_add/strided/64/b32g16", 2000, 0);
    write_results();
    expect(table_of("vector_add"), 0,
           "| 64   | b32g8  |         6 | 3 (2.00×) |\n"
           "| 64   | b32g16 |         - | 2 (3.00×) |\n");
}

/* No launch to choose, no column of launches. Copies have no share of a limit that is not theirs,
 * and compute nothing. */
Test(report, copies)
{
    static const char *const expected[] = {
        "| size    | pageable |    pinned | global_to_shared |\n"
        "| ------- | -------: | --------: | ---------------: |\n"
        "| 8x8     |        4 | 2 (2.00×) |        1 (4.00×) |\n"
        "| 768x768 |        8 | 4 (2.00×) |          refused |\n",
        "### Share of the limit\n\n"
        "| size    | global_to_shared |\n"
        "| ------- | ---------------: |\n"
        "| 8x8     |            0.1 % |\n"
        "| 768x768 |          refused |\n",
        "None is given to what the bus holds up",
        "\n- Timed by the host's clock, around calls and the wait for their end: `pageable`; the "
        "others as launches in a CUDA graph.\n",
        "\n- Refused: `global_to_shared/768x768/-`: above the 64 KiB\n",
        NULL,
    };
    ending result = table_of("transfers");

    expect_all(&result, expected);
    expect(table_of("touches"), 0,
           "\n- Timed around one launch that finds managed memory on the host: `touched`.\n");
    cr_expect(occurrences(result.output, "of no row") == 0);
    cr_expect(occurrences(result.output, "never_timed") == 0);
    free(result.output);
}

/* Pages that come over the bus are not limited by the GPU. */
Test(report, a_first_touch_has_no_share)
{
    ending result = table_of("touches", "--format", "csv");

    expect_ending(&result, 0, ",touched,1,b8,pass,first_touch,,500,499,501,1,,,4,2,,0.5,");
    free(result.output);
}

/* Without the sentinels' figures there is no limit, and a note says so. */
Test(report, without_limits)
{
    ending result;

    json_object_del(json_object_get(json_object_get(results, "provenance"), GPU), "limits");
    write_results();
    result = table_of("transfers");
    expect_ending(&result, 0, "\n- Share of the limit: not given");
    cr_expect(occurrences(result.output, "### Share") == 0);
    cr_expect(occurrences(result.output, "Its limits") == 0);
    free(result.output);
}

/* All are wrong: the table says so, and nothing else. */
Test(report, wrong_throughout)
{
    ending result;

    judged(timed("broken/naive/1/b8", 100, 100), "wrong", "c[0] is off");
    judged(timed("broken/tiled/1/b8", 0, 0), "error", "it crashed");
    write_results();
    result = table_of("broken");
    expect_ending(&result, 0, "| 1    | b8     | wrong | error |\n");
    expect_ending(&result, 0, "- **error**: `tiled/1/b8`: it crashed\n");
    cr_expect(occurrences(result.output, "###") == 1, "%s", result.output);
    free(result.output);
}

/* A wrong case is not a reference for others. */
Test(report, a_wrong_first_variant_gives_no_speedup)
{
    ending result;

    judged(timed("broken/naive/1/b8", 100, 100), "wrong", "c[0] is off");
    timed("broken/tiled/1/b8", 50, 50);
    write_results();
    result = table_of("broken");
    expect_ending(&result, 0, "| 1    | b8     | wrong | 0.050 |\n");
    free(result.output);
}

/* The order of variants is the comparison's, which cases that were only checked know too. */
Test(report, variants_keep_their_order)
{
    checked("order/first/1/b8", GPU);
    checked("order/second/1/b8", GPU);
    timed("order/second/64/b8", 1000, 0);
    timed("order/first/64/b16", 1000, 0);
    write_results();
    expect(table_of("order"), 0, "| size | launch | first | second |\n");
}

/* The same figures as CSV has, by name. */
Test(report, json)
{
    ending result;
    json_t *document;
    const json_t *table;
    const json_t *first;

    timed("order/first/64/b8", 1000, 2000);
    timed("order/second/64/b8", 500, 0);
    write_results();
    result = table_of("order", "--json");
    document = json_loads(result.output, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(result.code == 0 && document != NULL, "%s", result.output);
    expect_strict(document);
    table = json_array_get(json_object_get(document, "tables"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(table, "target")), GPU);
    cr_expect(json_array_size(json_object_get(table, "cases")) == 2);
    first = json_array_get(json_object_get(table, "cases"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(first, "case")), "order/first/64/b8");
    cr_expect_str_eq(json_string_value(json_object_get(first, "verdict")), "pass");
    first = json_object_get(first, "figures");
    cr_expect(json_number_value(json_object_get(first, "time_ns")) == 1000);
    first = json_object_get(json_array_get(json_object_get(table, "cases"), 1), "figures");
    cr_expect(json_number_value(json_object_get(first, "speedup")) == 2);
    /* What is not known is absent. */
    cr_expect(json_object_get(first, "cold_time_ns") == NULL);
    json_decref(document);
    free(result.output);
    expect(table_of("order", "--json", "--format", "csv"), 2, "two formats");
    expect(table_of("nothing", "--json"), 2, "has no comparison");
}

/* A line a case, every column, figures as they are. */
Test(report, csv)
{
    ending result = table_of("matmul_f32", "--target", GPU, "--format=csv");

    expect_ending(&result, 0, NULL);
    cr_assert(
        strcmp(result.output,
               "target,comparison,variant,size,launch,verdict,clock,limited_by,time_ns,time_low_ns,"
               "time_high_ns,speedup,cold_time_ns,cold_speedup,bandwidth_gb_per_s,"
               "arithmetic_gflop_per_s,share_of_limit,occupancy,registers,shared_bytes,local_bytes,"
               "blocks_per_multiprocessor,operations,bytes\n"
               "nvidia-h200,matmul_f32,naive,256,b8,pass,graph,bytes,8000,7999,8001,1,9000,1,0.25,"
               "0.125,0.0002222222222,0.5,40,2048,0,4,1000,2000\n"
               "nvidia-h200,matmul_f32,tiled,256,b8,pass,graph,bytes,4000,3999,4001,2,6000,1.5,0.5,"
               "0.25,0.0003333333333,0.5,40,2048,0,4,1000,2000\n"
               "nvidia-h200,matmul_f32,naive,256,b16,pass,graph,bytes,6000,5999,6001,1,,,"
               "0.3333333333,0.1666666667,0.0003333333333,0.5,40,2048,0,4,1000,2000\n"
               "nvidia-h200,matmul_f32,tiled,256,b16,wrong,,,,,,,,,,,,,,,,,,\n"
               "nvidia-h200,matmul_f32,naive,530,b16,noisy,graph,bytes,60000,59999,60001,1,70000,1,"
               "0.03333333333,0.01666666667,2.857142857e-05,0.5,40,2048,0,4,1000,2000\n"
               "nvidia-h200,matmul_f32,tiled,530,b16,pass,graph,bytes,45000,44999,45001,"
               "1.333333333,50000,1.4,0.04444444444,0.02222222222,4e-05,0.5,40,2048,0,4,1000,2000\n"
               "nvidia-h200,matmul_f32,naive,530,b32,pass,graph,bytes,60000,59999,60001,1,70000,1,"
               "0.03333333333,0.01666666667,2.857142857e-05,0.5,40,2048,0,4,1000,2000\n") == 0,
        "%s", result.output);
    free(result.output);
}

/* Two targets share one header; each leaves the other's columns empty. */
Test(report, csv_of_every_target)
{
    ending result = table_of("matmul_f32", "--format", "csv");
    size_t commas = 0;

    expect_ending(&result, 0, ",bytes,global_load_requests,");
    expect_ending(&result, 0, ",global_load_sectors_of_first,");
    expect_ending(&result, 0, "\ncpu-model,matmul_f32,tiled,530,b16,pass,,,,,");
    for (const char *line = result.output; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t here = 0;

        for (const char *c = line; *c != '\n'; c++)
            here += *c == ',';
        cr_expect(commas == 0 || commas == here, "%.60s", line);
        commas = here;
    }
    free(result.output);
    expect(table_of("transfers", "--format", "csv"), 0,
           "\nnvidia-h200,transfers,global_to_shared,768x768,-,refused,,,");
}

Test(report, a_filter_narrows_it)
{
    ending result;

    settings[1] = "KG_FILTER=*/256/*";
    result = table_of("matmul_f32", "--target", GPU);
    expect_ending(&result, 0, "| 256  | b8     |");
    cr_expect(occurrences(result.output, "530") == 0);
    free(result.output);
    settings[1] = "KG_FILTER=matmul_f32/*/15/*";
    expect(table_of("matmul_f32"), 2,
           "kernelgate: report: KG_FILTER=matmul_f32/*/15/* leaves no case of matmul_f32");
}

/* An empty page would look like a run without failures. */
Test(report, no_page_of_nothing)
{
    settings[1] = "KG_FILTER=nothing/*";
    settings[2] = "KG_CHART_JS=none";
    expect(report((const char *const[]){ "--html", at("page.html"), NULL }), 2,
           "kernelgate: report: KG_FILTER=nothing/* leaves none of the 23 cases in ");
    cr_expect(access(at("page.html"), F_OK) != 0);
    settings[1] = "KG_FILTER=matmul_f32/*";
    expect(report((const char *const[]){ "--html", at("page.html"), NULL }), 0, "");
    cr_expect(access(at("page.html"), F_OK) == 0);
}

Test(report, files)
{
    ending result;

    expect(table_of("matmul_f32", "--results", at("results.json")), 0, "## matmul");
    expect(table_of("matmul_f32", "--out", at("")), 0, "## matmul");
    expect(table_of("matmul_f32", "--out", at("nowhere")), 2,
           "nowhere/results.json: cannot be read: No such file or directory: run ctest");
    result = report((const char *const[]){ "--table=sums", "--results=a", "--out=b", NULL });
    expect_ending(&result, 2, "report: --results names the file, --out its folder");
    free(result.output);
    write_text(at("results.json"), "{\"schema\": \"kernelgate-results/2\"}");
    expect(table_of("matmul_f32"), 2, "results.json: its schema is \"kernelgate-results/2\", not");
    write_text(at("results.json"), "{");
    expect(table_of("matmul_f32"), 2, "results.json:1: is no JSON");
}

Test(report, what_is_not_there)
{
    expect(table_of("matmul"), 2,
           "results.json has no comparison \"matmul\"; did you mean \"matmul_f32\"? It has "
           "matmul_f32, vector_add, sums, transfers, touches\n");
    expect(table_of("zzzzzzzz"), 2,
           "has no comparison \"zzzzzzzz\": it has matmul_f32, vector_add");
    expect(table_of("matmul_f32", "--target", "nvidia-h20"), 2,
           "has no target \"nvidia-h20\"; did you mean \"nvidia-h200\"? It has nvidia-h200, "
           "cpu-model\n");
    expect(table_of("vector_add", "--target", MODEL), 2, "has no target \"cpu-model\"");
    expect(table_of("matmul_f32", "--format", "html"), 2,
           "report: there is no format \"html\": use markdown, csv or json");
    expect(report((const char *const[]){ NULL }), 2,
           "report: name what to print: --table COMPARISON");
    expect(table_of("matmul_f32", "tiled"), 2, "report: takes no \"tiled\"");
    json_array_clear(list("cases"));
    write_results();
    expect(table_of("matmul_f32"), 2, "results.json holds no case: run ctest first");
}

Test(report, what_was_only_checked)
{
    checked("only/checked/1/b8", GPU);
    checked("matmul_f32/naive/1/b8", "other");
    write_results();
    expect(table_of("only"), 2, "no case of only was timed or counted in ");
    expect(table_of("matmul_f32", "--target", "other"), 2,
           "no case of matmul_f32 was timed or counted on other in ");
}

Test(report, ids_that_are_none)
{
    static const char *const wrong[] = {
        "odd/a/1",
        "odd/a/1/b8/x",
        "odd//1/b8",
        "odd/a/1/x8",
        "odd/a/1/b",
        "odd/a/1/b8g",
        "odd/a/1/b8g1x",
        "odd/a/1/b8x",
        "odd/a b/1/b8",
        "odd/a|b/1/b8",
        "odd/a/1/b8\x1b[m",
        "odd/a_name_that_is_longer_than_any_that_a_table_could_hold_in_its_columns/1/b8",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_array_clear(list("cases"));
        timed("odd/a/1/b8", 100, 0);
        timed(wrong[i], 100, 0);
        write_results();
        expect(table_of("odd"), 2, "is not a case id (comparison/variant/size/launch)");
    }
    json_array_clear(list("cases"));
    timed("odd/a/1/b8", 100, 0);
    timed("odd/a/1/b8", 200, 0);
    write_results();
    expect(table_of("odd"), 2, "odd/a/1/b8 appears twice in the results of nvidia-h200");
    json_array_clear(list("cases"));
    timed("odd/a/1/b8", 100, 0);
    refused("odd/a/1", "");
    write_results();
    expect(table_of("odd"), 2, "\"odd/a/1\" is not a case id");
}

/* Members that are missing, or that are not known and odd, cost their figures alone. */
Test(report, odd_members)
{
    json_t *bare;
    ending result;

    bare = timed("odd/bare/1/b8", 100, 0);
    json_object_del(bare, "work");
    json_object_del(bare, "kernel");
    json_object_del(bare, "parts");
    timed("odd/null/1/b8", 0, 0);
    json_object_set_new(json_object_get(timed("odd/odd/1/b8", 100, 0), "metrics"), "time_ns",
                        json_pack("{s:n, s:i}", "value", "clock", 7));
    write_results();
    result = table_of("odd");
    expect_ending(&result, 0, "| size | launch |  bare |\n");
    free(result.output);
}

Test(report, a_full_disk)
{
    const char *const arguments[] = { "/bin/sh", "-c",
                                      KG__COMMAND " report --table sums >/dev/full", NULL };
    ending result = drive(arguments, settings);

    expect_ending(&result, 2, "report: the standard output cannot be written");
    free(result.output);
}

Test(report, help)
{
    const char *const arguments[] = { KG__COMMAND, "help", "report", NULL };
    ending result = drive(arguments, settings);

    expect_ending(&result, 0, "usage: kernelgate report [OPTION...]");
    expect_ending(&result, 0, "--table COMPARISON");
    free(result.output);
}
