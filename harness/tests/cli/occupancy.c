/* Occupancy: the calculator against figures worked out by hand and against what a GPU's driver said
 * when its baseline was recorded, and the command on stand-ins for programs and tools. */
#include "cli/occupancy_limits.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/json.h"
#include "baseline/baseline.h"
#include "baseline/kernel_code.h"
#include "records/records.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/fake_cubin.h"

#define OUTPUT_SIZE ((size_t)16 << 20)

static kg__error error;

static void begin(void)
{
    char search_path[2048];

    make_folder();
    mkdir(at("bin"), 0777);
    mkdir(at("build"), 0777);
    snprintf(search_path, sizeof search_path, "%s:/usr/bin:/bin", at("bin"));
    set("PATH", search_path);
    set("CUDACXX", NULL);
    set("CUDA_HOME", NULL);
    set("KG_FILTER", NULL);
}

TestSuite(occupancy, .init = begin, .fini = remove_folder, .timeout = 60);

static void need_calculator(void)
{
    if (!kg__has_occupancy_calculator())
        cr_skip_test("built without cuda_occupancy.h of the CUDA Toolkit");
}

/* What a launch takes, and what is to come of it. */
typedef struct expectation {
    int capability;
    kg__kernel_needs needs;
    int blocks;
    int warps;
    const char *limits;
} expectation;

/* Registers are given by the warp, in units of 256; shared memory by the block, in units of 128 (of
 * 256 before 8.0), with 1 KiB for the system from 8.0 on. */
Test(occupancy, by_hand)
{
    static const expectation entries[] = {
        /* 2048 threads are 64 warps, of 8 a block. */
        { 90, { 0, 0, 32, 256 }, 8, 64, "threads and registers" },
        { 90, { 0, 0, 16, 256 }, 8, 64, "threads" },
        /* 40 x 32 are 1280, of which a quarter of 65536 holds 12: 48 warps. */
        { 90, { 0, 0, 40, 256 }, 6, 48, "registers" },
        /* 49 152 + 1024 bytes, of which 233 472 holds 4. */
        { 90, { 49152, 0, 16, 128 }, 4, 16, "shared memory" },
        { 90, { 0, 49152, 16, 128 }, 4, 16, "shared memory" },
        /* 8 x 29 184 are all of it, of which the system takes its share: 7. */
        { 90, { 29184, 0, 16, 128 }, 7, 28, "shared memory" },
        /* 102 400 + 1024, of which it holds 2: beyond 48 KiB, as asked for. */
        { 90, { 0, 102400, 16, 128 }, 2, 8, "shared memory" },
        { 80, { 49152, 0, 16, 128 }, 3, 12, "shared memory" },
        { 90, { 0, 0, 32, 16 }, 32, 32, "blocks" },
        { 86, { 0, 0, 16, 64 }, 16, 32, "blocks" },
        { 75, { 0, 0, 16, 256 }, 4, 32, "threads" },
        /* 65536 registers are too few for 32 warps of 2304. */
        { 90, { 0, 0, 65, 1024 }, 0, 0, "registers" },
        { 90, { 0, 232448, 16, 32 }, 1, 1, "shared memory" },
        { 90, { 0, 232449, 16, 32 }, 0, 0, "shared memory" },
    };

    need_calculator();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        kg__occupancy result;
        char text[KG__LIMITS_SIZE];

        cr_assert(
            kg__calculate_occupancy(entries[i].capability, &entries[i].needs, &result, &error),
            "%s", error.text);
        kg__name_occupancy_limits(result.limits, text, sizeof text);
        cr_expect(result.blocks == entries[i].blocks && result.warps == entries[i].warps,
                  "%zu: %d blocks, %d warps", i, result.blocks, result.warps);
        cr_expect_str_eq(text, entries[i].limits, "%zu: %s", i, text);
    }
}

Test(occupancy, capabilities_by_text)
{
    cr_assert(kg__parse_capability("9.0") == 90);
    cr_assert(kg__parse_capability("8.9") == 89);
    cr_assert(kg__parse_capability("12.1") == 121);
    cr_assert(kg__parse_capability("") == 0);
    cr_assert(kg__parse_capability("unknown") == 0);
}

Test(occupancy, words_of_limits)
{
    static const char *const expected[] = { "",
                                            "threads",
                                            "registers",
                                            "threads and registers",
                                            "shared memory",
                                            "threads and shared memory",
                                            "registers and shared memory",
                                            "threads, registers and shared memory",
                                            "blocks" };
    char text[KG__LIMITS_SIZE];

    for (unsigned limits = 0; limits < sizeof expected / sizeof *expected; limits++) {
        kg__name_occupancy_limits(limits, text, sizeof text);
        cr_expect_str_eq(text, expected[limits]);
    }
}

Test(occupancy, a_fraction_of_the_multiprocessors_warps)
{
    kg__kernel_needs needs = { .registers = 16, .threads = 64 };
    kg__occupancy result;

    need_calculator();
    cr_assert(kg__calculate_occupancy(86, &needs, &result, &error));
    cr_expect(fabs(result.fraction - 32.0 / 48.0) < 1e-12);
}

/* Every architecture of the table is one that the calculator takes, with all of its shared memory.
 */
Test(occupancy, every_known_architecture)
{
    static const int entries[] = { 50, 52, 53, 60, 61,  62,  70,  72,  75, 80,
                                   86, 87, 89, 90, 100, 103, 110, 120, 121 };
    kg__kernel_needs needs = { .registers = 16, .threads = 128, .static_shared = 16384 };
    kg__occupancy result;

    need_calculator();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        cr_expect(kg__calculate_occupancy(entries[i], &needs, &result, &error) && result.blocks > 0,
                  "%d: %s", entries[i], error.text);
}

Test(occupancy, what_is_no_launch)
{
    static const kg__kernel_needs wrong[] = {
        { 0, 0, 16, 0 },
        { 0, 0, 16, -1 },
        { 0, 0, 16, 1025 },
        { 0, 0, -1, 32 },
        { 0, 0, 256, 32 },
        { (size_t)1 << 40, 0, 16, 32 },
        { 0, (size_t)1 << 40, 16, 32 },
    };
    kg__kernel_needs right = { .registers = 16, .threads = 32 };
    kg__occupancy result;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect(!kg__calculate_occupancy(90, &wrong[i], &result, &error));
        cr_expect(strstr(error.text, "no kernel can be launched like this") != NULL);
    }
    cr_expect(!kg__calculate_occupancy(35, &right, &result, &error));
    cr_expect(strstr(error.text, "architecture 35 are not known: use one of 50, 52") != NULL, "%s",
              error.text);
}

/* The launches of a program of the CPU model; freed by the caller. NULL where the
 * comparison was removed. */
static json_t *ask_model(const char *comparison)
{
    char program[1024];
    /* Criterion's own variable would make a worker of it. */
    const char *const arguments[] = { "/usr/bin/env", "-u",    "BXFI_MAP",   "-u",
                                      "KG_FILTER",    program, "--launches", NULL };
    char *output = calloc(1, OUTPUT_SIZE);
    json_t *listing;

    snprintf(program, sizeof program, "%s/%s.model", KG__BUILD, comparison);
    if (access(program, F_OK) != 0) {
        free(output);
        return NULL;
    }
    cr_assert(kg__child_output(arguments, 60, output, OUTPUT_SIZE) == 0, "%s", program);
    listing = json_loads(output, 0, NULL);
    free(output);
    cr_assert(listing != NULL);
    return listing;
}

static const json_t *find_launch(const json_t *listing, const char *id)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(listing, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "case"), id) == 0)
            return entry;
    }
    return NULL;
}

static size_t number(const json_t *object, const char *key)
{
    return (size_t)json_integer_value(json_object_get(object, key));
}

static kg__kernel_needs needs_of(const json_t *launch, const json_t *code)
{
    const json_t *block = json_object_get(launch, "block");
    kg__kernel_needs needs = { .registers = (int)number(code, "registers"),
                               .dynamic_shared = number(launch, "dynamic_shared"),
                               .threads = 1 };

    for (size_t i = 0; i < json_array_size(block); i++)
        needs.threads *= (int)json_integer_value(json_array_get(block, i));
    needs.static_shared = number(code, "shared_bytes") - needs.dynamic_shared;
    return needs;
}

/* The driver of an H200 said what the occupancy of each recorded launch is. */
Test(occupancy, as_the_driver_said)
{
    kg__baseline baseline;
    json_t *listing = NULL;
    char comparison[64] = "";
    size_t compared = 0;

    need_calculator();
    cr_assert(kg__baseline_load(KG__BASELINES "/nvidia-h200.json", &baseline, &error) ==
              KG__LOADED);
    for (size_t i = 0; i < baseline.case_count; i++) {
        const kg__baseline_case *entry = &baseline.cases[i];
        size_t length = strcspn(entry->id, "/");
        const json_t *launch;
        kg__kernel_needs needs;
        kg__occupancy result;

        if (entry->code == NULL)
            continue;
        if (strncmp(comparison, entry->id, length) != 0 || comparison[length] != '\0') {
            snprintf(comparison, sizeof comparison, "%.*s", (int)length, entry->id);
            json_decref(listing);
            listing = ask_model(comparison);
        }
        launch = find_launch(listing, entry->id);
        if (launch == NULL)
            continue;
        needs = needs_of(launch, entry->code);
        cr_assert(kg__calculate_occupancy(90, &needs, &result, &error), "%s: %s", entry->id,
                  error.text);
        cr_expect(result.fraction == kg__json_number(entry->code, "occupancy"), "%s: %g", entry->id,
                  result.fraction);
        compared++;
    }
    json_decref(listing);
    kg__baseline_free(&baseline);
    cr_expect(compared > 100, "%zu cases", compared);
}

/* A program with two launches, one of a template, and a copy. */
static void make_model(void)
{
    write_script(at("build/m.model"),
                 "#!/bin/sh\ncat <<END\n"
                 "{\"comparison\": \"m\", \"home\": \"/h\", \"include\": \"/i\", \"target\": {},\n"
                 " \"cases\": [\n"
                 "  {\"case\": \"m/plain/530/b16\", \"launcher\": \"m_plain\",\n"
                 "   \"kernel\": \"_ZL5plainPf\", \"grid\": [34, 34, 1], \"block\": [16, 16, 1],\n"
                 "   \"dynamic_shared\": 0},\n"
                 "  {\"case\": \"m/plain/1024/b16\", \"launcher\": \"m_plain\",\n"
                 "   \"kernel\": \"_ZL5plainPf\", \"grid\": [64, 64, 1], \"block\": [16, 16, 1],\n"
                 "   \"dynamic_shared\": 0},\n"
                 "  {\"case\": \"m/tiled/530/b16\", \"launcher\": \"m_tiled\",\n"
                 "   \"kernel\": \"_Z5tiledILi16EEvPf\", \"grid\": [34, 34, 1],\n"
                 "   \"block\": [16, 16, 1], \"dynamic_shared\": 1024}],\n"
                 " \"without\": [\"m/copy/530/-\"], \"refused\": [], \"failed\": []}\nEND\n");
}

static const fake_cubin cubins[] = { FAKE_CUBIN(90, "_Z5plainPf", 40, 0, 0),
                                     FAKE_CUBIN(90, "_Z5tiledILi16EEvPf", 32, 50176, 0) };

/* A GPU program on a machine without a GPU, with so many of the kernels. */
static void make_gpu_program(size_t kernels)
{
    FILE *file;

    write_script(at("build/m.gpu"), "#!/bin/sh\necho no GPU >&2\nexit 77\n");
    file = fopen(at("build/m.gpu"), "ab");
    cr_assert(file != NULL && fwrite(cubins, sizeof *cubins, kernels, file) == kernels &&
              fclose(file) == 0);
}

/* An nvcc that makes cubins of both kernels. */
static void make_compiler(void)
{
    static const fake_cubin compiled[] = {
        FAKE_CUBIN(80, "_Z5plainPf", 16, 49152, 0),
        FAKE_CUBIN(80, "_Z5tiledILi16EEvPf", 16, 0, 0),
    };
    char script[1024];
    FILE *file = fopen(at("compiled"), "wb");

    cr_assert(file != NULL && fwrite(compiled, sizeof compiled, 1, file) == 1 && fclose(file) == 0);
    snprintf(script, sizeof script,
             "#!/bin/sh\n"
             "case \"$*\" in --version) exit 0 ;; *-arch=sm_80*-I/i*/h/kernels/m/*.cu) ;;"
             " *) exit 9 ;; esac\n"
             "while [ \"$1\" != -o ]; do shift; done\ncp '%s' \"$2\"\n",
             at("compiled"));
    write_script(at("bin/nvcc"), script);
}

#define command(...)                                                                               \
    drive((const char *const[]){ KG__COMMAND, "occupancy", "--build", at("build"), __VA_ARGS__,    \
                                 NULL },                                                           \
          environment)

static void expect(ending result, int code, const char *expected)
{
    expect_ending(&result, code, expected);
    free(result.output);
}

Test(occupancy, without_a_gpu)
{
    ending result;

    need_calculator();
    make_model();
    make_gpu_program(2);
    result = command("--format", "text");
    expect_ending(&result, 0,
                  "sm_90  m/plain/*/b16    530, 1024         40       0 B    0 B      256       6  "
                  "   48     75.0 %  registers\n");
    expect_ending(&result, 0,
                  "sm_90  m/tiled/530/b16  530               32  50 176 B    0 B      256       4  "
                  "   32     50.0 %  shared memory\n");
    expect_ending(&result, 0, "\n3 launches, calculated without a GPU");
    expect_ending(&result, 0, "; 1 case starts no kernel\n");
    cr_expect(strstr(result.output, "no GPU\n") == NULL);
    free(result.output);
    expect(command("--format", "csv"), 0,
           "sm_90,m/tiled/530/b16,530,_Z5tiledILi16EEvPf,32,50176,1024,0,256,4,32,0.5,shared "
           "memory\n");
    expect(command("m/tiled/*"), 0, "1 launch, ");
    expect(command("m/tilde/*"), 2, "nearest is m/tiled/530/b16");
    expect(command("nothing/*"), 2, "the filter leaves none of the cases that start a kernel: ");
    expect(command("m/tiled/530/b17"), 2, "nearest is m/tiled/530/b16");
}

Test(occupancy, as_json)
{
    ending result;
    json_t *document;
    const json_t *launch;

    need_calculator();
    make_model();
    make_gpu_program(2);
    result = command("--format", "json", "m/tiled/*");
    document = json_loads(result.output, 0, NULL);
    cr_assert(result.code == 0 && document != NULL, "%s", result.output);
    expect_strict(document);
    launch = json_array_get(json_object_get(document, "launches"), 0);
    cr_expect(number(launch, "shared_bytes") == 50176);
    cr_expect(number(launch, "blocks_per_multiprocessor") == 4);
    cr_expect(kg__json_number(launch, "occupancy") == 0.5);
    json_decref(document);
    free(result.output);
}

/* An architecture that no program has is compiled for. */
Test(occupancy, any_architecture)
{
    need_calculator();
    make_model();
    make_gpu_program(2);
    make_compiler();
    expect(command("--arch", "80", "m/plain/*"), 0,
           "sm_80  m/plain/*/b16  530, 1024         16  49 152 B    0 B      256       3     24  "
           "   37.5 %  shared memory\n");
    expect(command("--arch", "sm_90,80"), 0, "6 launches");
    write_script(at("bin/nvcc"),
                 "#!/bin/sh\n[ \"$1\" = --version ] || { echo 'error: no such thing'; exit 1; }\n");
    expect(command("--arch", "80"), 2, "does not compile for sm_80: error: no such thing");
}

/* A kernel that the compiler says nothing of is an error, and the others are shown. */
Test(occupancy, what_is_not_known)
{
    need_calculator();
    make_model();
    make_gpu_program(1);
    expect(command("--format", "text"), 2,
           "m/tiled/530/b16 on sm_90: kernel _Z5tiledILi16EEvPf is "
           "not among those compiled");
    expect(command("--format", "text"), 2, "2 launches");
}

/* A GPU's driver is asked first, and held against the calculator. */
Test(occupancy, with_a_gpu)
{
    static const char launches[] =
        "#!/bin/sh\necho kernelgate: waiting for the GPU >&2\ncat <<END\n"
        "{\"comparison\": \"m\", \"home\": \"/h\", \"include\": \"/i\",\n"
        " \"target\": {\"name\": \"NVIDIA H200\", \"compute_capability\": \"9.0\"},\n"
        " \"cases\": [{\"case\": \"m/plain/530/b16\", \"launcher\": \"\", \"kernel\": "
        "\"_Z5plainPf\",\n"
        "   \"grid\": [34, 34, 1], \"block\": [16, 16, 1], \"dynamic_shared\": 0, \"registers\": "
        "40,\n"
        "   \"local_bytes\": 0, \"static_shared\": 0, \"blocks_per_multiprocessor\": %d,\n"
        "   \"occupancy\": 0.75}],\n"
        " \"without\": [], \"refused\": [], \"failed\": []}\nEND\n";
    char script[2048];

    need_calculator();
    snprintf(script, sizeof script, launches, 6);
    write_script(at("build/m.gpu"), script);
    expect(command("--format", "text"), 0, "from the driver of this machine's NVIDIA H200");
    snprintf(script, sizeof script, launches, 5);
    write_script(at("build/m.gpu"), script);
    expect(command("--format", "text"), 1,
           "m/plain/530/b16: 5 blocks per multiprocessor by the driver, 6 by cuda_occupancy.h");
}

static void write_baseline(int registers)
{
    char text[1024];

    snprintf(
        text, sizeof text,
        "{\"schema\": \"kernelgate-baseline/1\",\n"
        " \"target\": {\"key\": \"fake-gpu\", \"name\": \"Fake\", \"compute_capability\": "
        "\"9.0\"},\n \"sentinels\": {},\n"
        " \"cases\": {\"m/plain/530/b16\": {\"commit\": \"abc\", \"time_ns\": {\"value\": 100, "
        "\"band\": 0.02, \"floor\": 50, \"sessions\": [100]}, \"code\": {\"registers\": %d, "
        "\"local_bytes\": 0, \"shared_bytes\": 0, \"occupancy\": 0.75}}}}\n",
        registers);
    write_text(at("fake-gpu.json"), text);
}

Test(occupancy, against_a_baseline)
{
    need_calculator();
    make_model();
    make_gpu_program(2);
    write_baseline(40);
    expect(command("--against", at("fake-gpu.json")), 0,
           "fake-gpu.json, recorded on Fake; 0 differ\n");
    write_baseline(41);
    expect(command("--against", at("fake-gpu.json")), 1,
           "m/plain/530/b16: registers is 40, the baseline's 41\n");
    expect(command("--against", at("fake-gpu.json"), "m/tiled/*"), 2, "has its code in");
    expect(command("--against", at("none.json")), 2, "none.json");
}

Test(occupancy, bad_input)
{
    expect(command("--format", "text"), 2, "has no program of a comparison");
    make_model();
    expect(command("--format", "xml"), 2, "there is no format \"xml\"");
    expect(command("--arch", "x9"), 2, "\"x9\" is not an architecture");
    expect(command("--arch", "90,,80"), 2, "\"\" is not an architecture");
    expect(command("a", "b"), 2, "takes one filter");
    need_calculator();
    expect(command("--arch", "35"), 2, "architecture 35 are not known");
    expect(command("--format", "text"), 77, "has no GPU program to take the architectures from");
    write_script(at("build/m.model"), "#!/bin/sh\necho 'no such option'\nexit 2\n");
    expect(command("--arch", "90"), 2,
           "it does not list its launches (exit code 2): build it again; it said: no such option");
}
