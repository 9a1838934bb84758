/* The figures of GPUs: those that the command knows, and files that are wrong. */
#include "suite/gpu_specs.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

static kg__gpu_specs gpus;
static kg__error error;

static void begin(void)
{
    gpus = (kg__gpu_specs){ 0 };
    error.text[0] = '\0';
}

static void end(void)
{
    kg__gpu_specs_free(&gpus);
}

TestSuite(gpus, .init = begin, .fini = end);

static bool parse(const char *text)
{
    return kg__gpu_specs_parse("g.json", text, strlen(text), &gpus, &error);
}

#define SOURCED(value) "{\"value\": " value ", \"source\": \"s\"}"
#define NEEDED                                                                                     \
    "\"name\": \"A\",\n\"multiprocessors\": " SOURCED("10") ",\n\"clock_mhz\": " SOURCED(          \
        "1000") ",\n\"float32_operations_per_clock\": " SOURCED("256") ",\n\"dram_gb_per_s\":"     \
                                                                       " " SOURCED("900")
#define FILE_OF(members) "{\"schema\": \"kernelgate-gpus/1\", \"gpus\": {\"a\": {" members "}}}"

Test(gpus, those_that_are_known)
{
    static const char *const keys[] = { "nvidia-geforce-gtx-titan-black",
                                        "nvidia-geforce-gtx-titan-x",
                                        "nvidia-titan-v",
                                        "nvidia-geforce-rtx-2080-ti",
                                        "nvidia-geforce-rtx-4070",
                                        "nvidia-geforce-rtx-4090",
                                        "nvidia-a100-sxm4-40gb",
                                        "nvidia-a100-sxm4-80gb",
                                        "nvidia-h100-80gb-hbm3",
                                        "nvidia-h100-pcie",
                                        "nvidia-h200" };

    cr_assert(kg__gpu_specs_add_known(&gpus, &error), "%s", error.text);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const kg__gpu_spec *gpu = kg__gpu_specs_find(&gpus, keys[i]);

        cr_assert(gpu != NULL, "%s", keys[i]);
        for (int figure = 0; figure < KG__GPU_FIGURES; figure++)
            cr_assert(isnan(gpu->value[figure]) == (gpu->source[figure] == NULL), "%s: %s", keys[i],
                      kg__gpu_figure_name((kg__gpu_figure)figure));
    }
    cr_assert(kg__gpu_specs_find(&gpus, "nvidia-h300") == NULL);
}

/* What their makers say of single precision, in TFLOP/s, follows from the figures. */
Test(gpus, their_peaks_are_the_published_ones)
{
    static const struct {
        const char *key;
        double peak;
    } published[] = { { "nvidia-titan-v", 14.9 },          { "nvidia-geforce-rtx-2080-ti", 13.4 },
                      { "nvidia-geforce-rtx-4070", 29.1 }, { "nvidia-geforce-rtx-4090", 82.6 },
                      { "nvidia-a100-sxm4-80gb", 19.5 },   { "nvidia-h100-80gb-hbm3", 67 },
                      { "nvidia-h100-pcie", 51.2 },        { "nvidia-h200", 67 } };

    cr_assert(kg__gpu_specs_add_known(&gpus, &error));
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const double *value = kg__gpu_specs_find(&gpus, published[i].key)->value;
        double peak =
            value[KG__GPU_MULTIPROCESSORS] * value[KG__GPU_CLOCK] * value[KG__GPU_FLOAT32] / 1e6;

        cr_assert(epsilon_eq(dbl, peak, published[i].peak, 0.006 * peak), "%s", published[i].key);
    }
}

Test(gpus, a_file_adds_and_overrides)
{
    cr_assert(parse(FILE_OF(NEEDED)), "%s", error.text);
    cr_assert(epsilon_eq(dbl, gpus.list[0].value[KG__GPU_DRAM], 900, 0));
    cr_assert(isnan(gpus.list[0].value[KG__GPU_L2]));
    cr_assert(parse(FILE_OF("\"dram_gb_per_s\": {\"value\": 950.5, \"source\": \"mine\"}")), "%s",
              error.text);
    cr_assert(eq(sz, gpus.count, 1));
    cr_assert(epsilon_eq(dbl, gpus.list[0].value[KG__GPU_DRAM], 950.5, 0));
    cr_assert(eq(str, gpus.list[0].source[KG__GPU_DRAM], "mine"));
    cr_assert(epsilon_eq(dbl, gpus.list[0].value[KG__GPU_CLOCK], 1000, 0));
    cr_assert(eq(str, gpus.list[0].name, "A"));
}

Test(gpus, what_is_wrong_is_named_by_line_and_key)
{
    static const struct {
        const char *text;
        const char *complaint;
    } wrong[] = {
        { "", "g.json:1: the file is empty" },
        { "{", "g.json:1: " },
        { "[]", "is not a JSON object" },
        { "{\"gpus\": {}}", "has no \"schema\"" },
        { "{\"schema\": \"kernelgate-gpus/2\"}", "schema kernelgate-gpus/2 is not the one" },
        { "{\"schema\": \"kernelgate-gpus/1\"}", "has no \"gpus\"" },
        { "{\"schema\": \"kernelgate-gpus/1\",\n\"gpu\": {}}", "g.json:2: gpu: is an unknown key" },
        { "{\"schema\": \"kernelgate-gpus/1\", \"gpus\": {}}",
          "is not an object with a GPU in it" },
        { "{\"schema\": \"kernelgate-gpus/1\", \"gpus\": {\"A b\": {}}}",
          "gpus: A b: is not a target's key" },
        { "{\"schema\": \"kernelgate-gpus/1\", \"gpus\": {\"a\": 1}}",
          "gpus: a: is not an object" },
        { FILE_OF("\"name\": \"A\""), "gpus: a: has no \"multiprocessors\"" },
        { FILE_OF("\"multiprocessors\": " SOURCED("10")), "gpus: a: has no \"name\"" },
        { FILE_OF(NEEDED ",\n\"dram\": 1"), "g.json:6: gpus: a: dram: is an unknown key" },
        { FILE_OF(NEEDED ",\n\"dram_gb_s\": 1"), "did you mean \"dram_gb_per_s\"?" },
        { FILE_OF("\"name\": \"A\\u001b[31m\""), "name: holds a control character" },
        { FILE_OF(NEEDED ",\n\"l2_mib\": {\"value\": 5, \"source\": \"a\\nb\"}"),
          "source: holds a control character" },
        { FILE_OF(NEEDED ",\n\"l2_mib\": 50"), "g.json:6: gpus: a: l2_mib: is not an object" },
        { FILE_OF(NEEDED ",\n\"l2_mib\": {\"value\": 50}"), "l2_mib: has no \"source\"" },
        { FILE_OF(NEEDED ",\n\"l2_mib\": {\"source\": \"s\"}"), "l2_mib: has no \"value\"" },
        { FILE_OF(NEEDED ",\n\"l2_mib\": {\"value\": 50, \"source\": \"\"}"),
          "l2_mib: source: is not a string, or is empty" },
        { FILE_OF(NEEDED ",\n\"l2_mib\": {\"value\": \"50\", \"source\": \"s\"}"),
          "l2_mib: value: is not a number" },
        { FILE_OF(NEEDED ",\n\"l2_mib\": {\"value\": 50, \"source\": \"s\",\n\"unit\": 1}"),
          "g.json:7: gpus: a: l2_mib: unit: is an unknown key" },
        { FILE_OF(NEEDED ",\n\"l2_mib\": " SOURCED("50000")),
          "g.json:6: gpus: a: l2_mib: value: is 50000, and a GPU's l2_mib is from 0.0625 to 4096" },
        { FILE_OF("\"dram_gb_per_s\": " SOURCED("4800000")),
          "dram_gb_per_s: value: is 4.8e+06, and a GPU's dram_gb_per_s is from 1 to 100000" },
        { FILE_OF("\"clock_mhz\": " SOURCED("1.98")), "clock_mhz: value: is 1.98, and" },
        { FILE_OF("\"clock_mhz\": " SOURCED("-1")), "clock_mhz: value: is -1, and" },
        { FILE_OF("\"clock_mhz\": " SOURCED("0")), "clock_mhz: value: is 0, and" },
        { FILE_OF("\"multiprocessors\": " SOURCED("10.5")), "has to be a whole number" },
        { FILE_OF("\"name\": \"A\", \"name\": \"B\""), "g.json:1: duplicate object key" },
        { FILE_OF("\"name\": 7"), "name: is not a string" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kg__gpu_specs_free(&gpus);
        cr_assert(not(parse(wrong[i].text)), "%s", wrong[i].text);
        cr_assert(strstr(error.text, wrong[i].complaint) != NULL, "%s\n%s\n%s", wrong[i].text,
                  error.text, wrong[i].complaint);
    }
}

Test(gpus, a_file_that_is_not_there)
{
    cr_assert(not(kg__gpu_specs_load("/nowhere/gpus.json", &gpus, &error)));
    cr_assert(strstr(error.text, "No such file or directory: name a file of GPUs") != NULL, "%s",
              error.text);
    cr_assert(not(kg__gpu_specs_load("/", &gpus, &error)));
    cr_assert(strstr(error.text, "it is not a regular file") != NULL, "%s", error.text);
}
