/* SPDX-License-Identifier: MIT */
#include "tests/baseline/baseline_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"

char path[512];
const char *target_key;

const char whole[] =
    "{\"schema\": \"kernelgate-baseline/2\",\n"
    " \"target\": {\"key\": \"nvidia-h200\", \"name\": \"NVIDIA H200\", \"compute_capability\": "
    "\"9.0\", \"memory_mib\": 143771, \"multiprocessors\": 132},\n"
    " \"provenance\": {\"driver\": \"580.159.04\", \"cuda\": \"13.0\", \"power_limit_w\": 700, "
    "\"empty_launch_ns\": 533.7, \"ecc\": true},\n"
    " \"sentinels\": {\"copy\": {\"time_ns\": {\"value\": 256000.5, \"band\": 0.011, \"noise\": "
    "[0.0031, 0]}, \"boards\": 1, \"sessions\": 5}, \"fma\": {\"time_ns\": {\"value\": 90000, "
    "\"band\": 0.01}}},\n"
    " \"cases\": {\n"
    "  \"matmul_f32/naive/530/b16\": {\"commit\": \"0b1c2d3\", \"cold_time_ns\": {\"value\": "
    "73000, "
    "\"band\": 0.02, \"floor\": 60, \"gated\": false}, \"time_ns\": {\"value\": 60010, \"band\": "
    "0.02, \"noise\": [0.0012, 0.0034]}, \"boards\": 2, \"sessions\": 10, \"code\": "
    "{\"registers\": 40}},\n"
    "  \"matmul_f32/tiled/530/b16\": {\"commit\": \"0b1c2d3\", \"global_load_requests\": "
    "612680, \"time_ns\": {\"value\": 45130.25, \"band\": 0.03, \"band_by\": \"hand\"}}\n"
    " }}\n";

static void name_file(const char *key)
{
    char name[64];

    target_key = key;
    kg__format(name, sizeof name, "%s.json", key);
    kg__format(path, sizeof path, "%s", at(name));
}

void be_a_gpu(void)
{
    name_file("nvidia-h200");
}

void begin_baselines(void)
{
    make_folder();
    be_a_gpu();
}

void be_the_model(void)
{
    name_file(KG__MODEL_KEY);
}

const char *with_case(const char *text)
{
    char file[4096];

    snprintf(file, sizeof file,
             "{'schema': 'kernelgate-baseline/2',\n"
             " 'target': {'key': '%s'}, 'provenance': {'model': '1'},\n"
             " 'cases': {\n"
             "  %s,\n"
             "  'z/good/1/-': {'barriers': {'value': 3}}\n"
             " }}\n",
             target_key, text);
    return quote(file);
}

void expect_bad(const char *message, size_t cases)
{
    kg__baseline baseline;
    kg__error error = { .text = "" };
    char expected[KG__MESSAGE_SIZE + sizeof path];

    cr_expect(kg__baseline_load(path, &baseline, &error) == KG__BAD);
    snprintf(expected, sizeof expected, "%s%s", path, message);
    cr_expect(strcmp(error.text, expected) == 0, "expected: %s\ngot: %s", expected, error.text);
    cr_expect(baseline.case_count == cases);
    kg__baseline_free(&baseline);
}
