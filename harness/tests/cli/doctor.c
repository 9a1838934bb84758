/* What the doctor makes of the facts of a machine; and how it runs other programs to learn them. */
#include "cli/doctor.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/child_process.h"

TestSuite(doctor);
TestSuite(probe);

static kg__facts facts;
static kg__diagnosis diagnosis;

static kg__program program(const char *version, int major, int minor)
{
    kg__program made = { .found = true, .works = true, .numbers = { major, minor } };

    snprintf(made.version, sizeof made.version, "%s", version);
    snprintf(made.path, sizeof made.path, "a-program");
    return made;
}

/* A machine with all that the CPU model needs, and no GPU. */
static void a_laptop(void)
{
    facts = (kg__facts){ .system = "Debian GNU/Linux 12 (bookworm)", .processors = 2 };
    facts.cmake = program("cmake version 3.25.1", 3, 25);
    facts.ninja = program("1.11.1", 1, 11);
    facts.c_compiler = program("gcc 12.2.0", 12, 2);
    facts.cxx_compiler = program("g++ 12.2.0", 12, 2);
    facts.pkg_config = program("1.8.1", 1, 8);
    facts.gcovr = program("gcovr 5.2", 5, 2);
    facts.git = program("git version 2.39.5", 2, 39);
    facts.criterion = program("2.4.1", 2, 4);
    facts.jansson = program("2.14", 2, 14);
    facts.libdw = program("0.188", 0, 188);
    facts.python = program("Python 3.9.2", 3, 9);
    facts.chart_js = program("Chart.js v3.9.1", 3, 9);
    facts.boost_header = true;
    snprintf(facts.boost_library, sizeof facts.boost_library, "/usr/lib/libboost_context.so");
    facts.nvml = KG__NVML_ABSENT;
    facts.model_baseline.status = KG__ABSENT;
}

/* A machine with one GPU on which everything works. */
static void a_gpu_machine(void)
{
    a_laptop();
    facts.nvcc = program("release 13.0, V13.0.88", 13, 0);
    facts.cuda_library = true;
    facts.cuda_version = 13000;
    snprintf(facts.kernel_driver, sizeof facts.kernel_driver, "NVRM version: 580.159.04");
    snprintf(facts.nvml_driver, sizeof facts.nvml_driver, "580.159.04");
    facts.pci_gpus = 1;
    facts.device_nodes = 1;
    facts.nvml = KG__NVML_READY;
    facts.gpu_count = 1;
    facts.gpus[0] = (kg__gpu_fact){
        .answers = true,
        .state = { .name = "NVIDIA H200",
                   .uuid = "GPU-1234",
                   .temperature_c = 35,
                   .sm_clock_mhz = 1980,
                   .max_sm_clock_mhz = 1980,
                   .memory_clock_mhz = 3201,
                   .reasons_known = true,
                   .power_limit_w = 700.0,
                   .power_draw_w = 75.5,
                   .ecc = 1,
                   .mig = 0 },
        .baseline = { .path = "baselines/nvidia-h200.json", .status = KG__LOADED, .cases = 24 }
    };
}

static const kg__doctor_line *find(const char *item)
{
    for (size_t i = 0; i < diagnosis.count; i++)
        if (strcmp(diagnosis.lines[i].item, item) == 0)
            return &diagnosis.lines[i];
    return NULL;
}

/* Diagnoses, and expects the finding on `item` to be as healthy as that, its text to hold `found`
 * and its advice `advice`. */
static void expect(const char *item, kg__health health, const char *found, const char *advice)
{
    const kg__doctor_line *finding;

    kg__diagnose(&facts, &diagnosis);
    finding = find(item);
    cr_assert(finding != NULL, "nothing is said of %s", item);
    cr_expect(eq(int, finding->health, health), "%s", item);
    cr_expect(strstr(finding->found, found) != NULL, "%s: \"%s\" is not in \"%s\"", item, found,
              finding->found);
    if (health == KG__WORKS)
        cr_expect(eq(str, (char *)finding->advice, ""), "%s", item);
    cr_expect(strstr(finding->advice, advice) != NULL, "%s: \"%s\" is not in \"%s\"", item, advice,
              finding->advice);
}

static void expect_gpu(bool works, const char *text)
{
    kg__diagnose(&facts, &diagnosis);
    cr_expect(eq(int, diagnosis.gpu, works));
    cr_expect(strstr(diagnosis.gpu_text, text) != NULL, "\"%s\" is not in \"%s\"", text,
              diagnosis.gpu_text);
}

Test(doctor, a_laptop_gates_the_model)
{
    a_laptop();
    expect("operating system", KG__WORKS, "Debian GNU/Linux 12 (bookworm), 2 processors", "");
    expect("CMake", KG__WORKS, "cmake version 3.25.1", "");
    expect("Boost.Context", KG__WORKS, "/usr/lib/libboost_context.so", "");
    expect("GPU", KG__REMARK, "no NVIDIA GPU", "none is needed");
    cr_expect(diagnosis.model);
    cr_expect(eq(str, diagnosis.model_text, "can be gated"));
    cr_expect(find("nvcc") == NULL);
    cr_expect(find("baseline") == NULL);
    expect_gpu(false, "cannot be gated: there is none");
}

Test(doctor, nothing_at_all)
{
    facts = (kg__facts){ .processors = 1, .nvml = KG__NVML_ABSENT };
    expect("CMake", KG__LACKS, "not found", "ci/setup");
    expect("operating system", KG__WORKS, "1 processor", "");
    cr_expect(not(diagnosis.model));
    cr_expect(eq(str, diagnosis.model_text, "cannot be gated: CMake is missing or unfit"));
}

Test(doctor, each_thing_that_the_model_needs)
{
    static const struct {
        kg__program *program;
        const char *item;
        const char *advice;
    } needs[] = {
        { &facts.cmake, "CMake", "cmake 3.25" },
        { &facts.ninja, "Ninja", "ninja" },
        { &facts.c_compiler, "C compiler", "gcc" },
        { &facts.cxx_compiler, "C++ compiler", "g++" },
        { &facts.pkg_config, "pkg-config", "pkg-config" },
        { &facts.criterion, "criterion", "libcriterion-dev" },
        { &facts.jansson, "jansson", "libjansson-dev" },
        { &facts.libdw, "libdw", "libdw-dev" },
        { &facts.python, "Python", "Python 3.9" },
    };

    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        a_laptop();
        needs[i].program->found = false;
        expect(needs[i].item, KG__LACKS, "not found", needs[i].advice);
        cr_expect(not(diagnosis.model), "%s", needs[i].item);
        cr_expect(strstr(diagnosis.model_text, needs[i].item) != NULL, "%s", diagnosis.model_text);

        a_laptop();
        needs[i].program->works = false;
        expect(needs[i].item, KG__LACKS, "a-program does not work: ", needs[i].advice);
        cr_expect(not(diagnosis.model), "%s", needs[i].item);
    }
}

Test(doctor, what_can_be_done_without)
{
    a_laptop();
    facts.gcovr.found = facts.git.found = facts.chart_js.found = false;
    expect("gcovr", KG__REMARK, "not found", "coverage");
    expect("git", KG__REMARK, "not found", "commit");
    expect("Chart.js", KG__REMARK, "not found", "tables alone");
    cr_expect(diagnosis.model);
}

Test(doctor, versions_that_are_too_old)
{
    a_laptop();
    facts.cmake = program("cmake version 3.24.9", 3, 24);
    expect("CMake", KG__LACKS, "cmake version 3.24.9 is too old: 3.25 or newer", "3.25");
    cr_expect(not(diagnosis.model));
    facts.cmake = program("cmake version 2.99", 2, 99);
    expect("CMake", KG__LACKS, "too old", "");
    facts.cmake = program("cmake version 4.0", 4, 0);
    expect("CMake", KG__WORKS, "cmake version 4.0", "");
    facts.criterion = program("2.3.3", 2, 3);
    expect("criterion", KG__LACKS, "too old: 2.4", "libcriterion-dev");
}

Test(doctor, boost_needs_both_halves)
{
    a_laptop();
    facts.boost_header = false;
    expect("Boost.Context", KG__LACKS, "the header is not found", "libboost-context-dev");
    cr_expect(not(diagnosis.model));
    facts.boost_library[0] = '\0';
    expect("Boost.Context", KG__LACKS, "header and library are not found", "");
    facts.boost_header = true;
    expect("Boost.Context", KG__LACKS, "the library is not found", "");
}

Test(doctor, a_model_baseline_is_named_where_it_is)
{
    a_laptop();
    facts.model_baseline =
        (kg__baseline_fact){ .path = "b/cpu-model.json", .status = KG__LOADED, .cases = 1 };
    expect("baseline", KG__WORKS, "b/cpu-model.json: 1 case", "");
    facts.model_baseline.status = KG__BAD;
    snprintf(facts.model_baseline.error, sizeof facts.model_baseline.error,
             "b/cpu-model.json:3: bad");
    expect("baseline", KG__LACKS, "b/cpu-model.json:3: bad", "");
}

Test(doctor, a_gpu_machine_gates_both)
{
    a_gpu_machine();
    expect("NVIDIA driver", KG__WORKS, "580.159.04, supports CUDA up to 13.0", "");
    expect("nvcc", KG__WORKS, "release 13.0", "");
    expect(
        "GPU 0", KG__WORKS,
        "NVIDIA H200, GPU-1234, 35 \xc2\xb0"
        "C, SM clock 1980 MHz of 1980, memory clock 3201 MHz, power limit 700 W, ECC on, MIG off",
        "");
    expect("baseline", KG__WORKS, "baselines/nvidia-h200.json: 24 cases", "");
    expect_gpu(true, "can be gated: 1 x NVIDIA H200");
    cr_expect(diagnosis.model);
    for (size_t i = 0; i < diagnosis.count; i++)
        cr_expect(eq(int, diagnosis.lines[i].health, KG__WORKS), "%s", diagnosis.lines[i].item);
}

Test(doctor, nvcc_and_no_gpu)
{
    a_laptop();
    facts.nvcc = program("release 13.0", 13, 0);
    expect("GPU", KG__REMARK, "no NVIDIA GPU on this machine, though there is nvcc", "--gpus all");
    expect("nvcc", KG__WORKS, "release 13.0", "");
    facts.nvcc = program("release 11.8", 11, 8);
    expect("nvcc", KG__REMARK, "too old: 12.4", "12.4 or newer");
    expect_gpu(false, "there is none");
    cr_expect(diagnosis.model);
}

Test(doctor, a_gpu_and_no_nvcc)
{
    a_gpu_machine();
    facts.nvcc = (kg__program){ .found = false };
    expect("nvcc", KG__LACKS, "not found", "install the CUDA Toolkit");
    expect_gpu(false, "nvcc is missing or unfit");
    cr_expect(diagnosis.model);
}

Test(doctor, a_gpu_and_no_driver)
{
    a_laptop();
    facts.pci_gpus = 1;
    facts.nvcc = program("release 13.0", 13, 0);
    snprintf(facts.cuda_library_error, sizeof facts.cuda_library_error,
             "libcuda.so.1: cannot open");
    snprintf(facts.nvml_error, sizeof facts.nvml_error, "no NVIDIA driver here");
    expect("NVIDIA driver", KG__LACKS,
           "on the PCI bus, but there is no driver (libcuda.so.1: cannot open)",
           "install NVIDIA's driver");
    expect("NVML", KG__REMARK, "no NVIDIA driver here", "");
    expect_gpu(false, "the NVIDIA driver does not work");
}

Test(doctor, the_parts_of_a_driver)
{
    a_gpu_machine();
    facts.cuda_library = false;
    expect("NVIDIA driver", KG__LACKS, "the kernel module is loaded, but libcuda.so.1 is not there",
           "capability compute");

    a_gpu_machine();
    facts.cuda_init = 999;
    facts.kernel_driver[0] = '\0';
    expect("NVIDIA driver", KG__LACKS, "the kernel module is not loaded (cuInit: error 999)",
           "modprobe");

    a_gpu_machine();
    facts.cuda_init = 100;
    facts.device_nodes = 2;
    facts.locked_nodes = 1;
    expect("NVIDIA driver", KG__LACKS, "may not open 1 of 2 devices", "group");

    a_gpu_machine();
    facts.cuda_init = 100;
    expect("NVIDIA driver", KG__LACKS, "does not start (cuInit: error 100)",
           "CUDA_VISIBLE_DEVICES");
    facts.cuda_init = 802;
    expect("NVIDIA driver", KG__LACKS, "error 802", "fabricmanager");
    facts.cuda_init = 803;
    expect("NVIDIA driver", KG__LACKS, "error 803", "restart the machine");
    facts.cuda_init = 46;
    expect("NVIDIA driver", KG__LACKS, "error 46", "nvidia-smi");
    expect_gpu(false, "the NVIDIA driver does not work");
}

Test(doctor, a_toolkit_newer_than_the_driver)
{
    a_gpu_machine();
    facts.cuda_version = 12080;
    expect("toolkit and driver", KG__LACKS,
           "the toolkit (CUDA 13.0) is newer than the driver supports (CUDA 12.8)",
           "update the driver");
    expect_gpu(false, "the toolkit is newer than the driver");

    facts.nvcc = program("release 12.9", 12, 9);
    expect("toolkit and driver", KG__REMARK, "CUDA 12.9) is newer", "within CUDA 12 this works");
    expect_gpu(true, "can be gated");

    facts.nvcc = program("release 12.8", 12, 8);
    expect_gpu(true, "can be gated");
    cr_expect(find("toolkit and driver") == NULL);
    facts.nvcc = program("release 12.4", 12, 4);
    facts.cuda_version = 13000;
    expect_gpu(true, "can be gated");
    cr_expect(find("toolkit and driver") == NULL);
    facts.nvcc = program("release 12.3", 12, 3);
    expect_gpu(false, "nvcc is missing or unfit");
    facts.nvcc = program("release 14.0", 14, 0);
    facts.cuda_version = 0;
    expect_gpu(true, "can be gated");
}

Test(doctor, what_would_spoil_a_measurement)
{
    a_gpu_machine();
    facts.gpus[0].state.reasons = 0x1;
    expect("GPU 0", KG__WORKS, "NVIDIA H200", "");
    facts.gpus[0].state.reasons = 0x45;
    expect("GPU 0", KG__REMARK, "throttled: software power cap, hardware thermal slowdown",
           "environment");
    facts.gpus[0].state.foreign_processes = 1;
    expect("GPU 0", KG__REMARK, ", 1 process computing on it", "; times will be noisy");
    facts.gpus[0].state.reasons = 0;
    facts.gpus[0].state.foreign_processes = 2;
    expect("GPU 0", KG__REMARK, ", 2 processes computing on it", "times will be noisy");
    expect_gpu(true, "can be gated");
}

Test(doctor, a_gpu_without_a_baseline)
{
    a_gpu_machine();
    facts.gpus[0].baseline.status = KG__ABSENT;
    expect("baseline", KG__REMARK, "baselines/nvidia-h200.json: there is none", "ci/rebaseline");
    expect_gpu(true, "1 x NVIDIA H200 (once it has a baseline that can be read)");
    facts.gpus[0].baseline.status = KG__BAD;
    snprintf(facts.gpus[0].baseline.error, sizeof facts.gpus[0].baseline.error,
             "x.json:3: no number");
    expect("baseline", KG__LACKS, "x.json:3: no number", "");
}

Test(doctor, a_card_that_does_not_answer)
{
    a_gpu_machine();
    facts.gpus[0].answers = false;
    snprintf(facts.gpus[0].error, sizeof facts.gpus[0].error, "GPU 0: lost");
    expect("GPU 0", KG__LACKS, "GPU 0: lost", "nvidia-smi");
    expect_gpu(false, "no GPU answers");
}

Test(doctor, a_card_that_tells_nothing)
{
    a_gpu_machine();
    facts.gpus[0].state = (kg__nvml_state){ .temperature_c = -1,
                                            .sm_clock_mhz = -1,
                                            .memory_clock_mhz = -1,
                                            .max_sm_clock_mhz = -1,
                                            .power_limit_w = (double)NAN,
                                            .power_draw_w = (double)NAN,
                                            .ecc = -1,
                                            .mig = -1,
                                            .foreign_processes = -1 };
    expect("GPU 0", KG__WORKS, "a GPU without a name", "");
    cr_expect(eq(str, (char *)find("GPU 0")->found, "a GPU without a name"));
}

Test(doctor, a_gpu_without_nvml_can_be_gated)
{
    a_gpu_machine();
    facts.nvml = KG__NVML_ABSENT;
    facts.gpu_count = 0;
    facts.nvml_driver[0] = '\0';
    snprintf(facts.nvml_error, sizeof facts.nvml_error, "no libnvidia-ml");
    expect("NVML", KG__REMARK, "no libnvidia-ml", "utility");
    expect("NVIDIA driver", KG__WORKS, "supports CUDA up to 13.0", "");
    expect_gpu(true, "can be gated");
}

Test(doctor, a_gpu_needs_what_the_model_needs)
{
    a_gpu_machine();
    facts.ninja.found = false;
    expect_gpu(false, "what the build needs is missing");
}

Test(doctor, as_many_cards_as_are_described)
{
    a_gpu_machine();
    facts.gpu_count = 2 * KG__DOCTOR_GPUS;
    for (int i = 1; i < KG__DOCTOR_GPUS; i++)
        facts.gpus[i] = facts.gpus[0];
    expect("GPU 15", KG__WORKS, "NVIDIA H200", "");
    cr_expect(find("GPU 16") == NULL);
    cr_expect(lt(sz, diagnosis.count, KG__DOCTOR_LINES));
    expect_gpu(true,
               "can be gated: 32 x NVIDIA H200; ci/gate spreads its tests over these 32 boards");
}

/* Each model is judged against its own baseline; a GPU that does not answer gates nothing. */
Test(doctor, cards_of_several_models)
{
    a_gpu_machine();
    facts.gpu_count = 5;
    for (int i = 1; i < facts.gpu_count; i++)
        facts.gpus[i] = facts.gpus[0];
    snprintf(facts.gpus[1].state.name, sizeof facts.gpus[1].state.name, "NVIDIA A100");
    facts.gpus[1].baseline.status = KG__ABSENT;
    facts.gpus[2].baseline.status = KG__BAD;
    facts.gpus[3].answers = false;
    expect_gpu(true,
               "can be gated: 2 x NVIDIA H200, 1 x NVIDIA A100 (once it has a baseline that can "
               "be read), 1 x NVIDIA H200 (once it has a baseline that can be read); ci/gate "
               "spreads its tests over these 4 boards");
    cr_expect(find("GPU 3")->health == KG__LACKS);
    facts.gpus[0].answers = facts.gpus[1].answers = facts.gpus[2].answers = false;
    expect_gpu(true, "can be gated: 1 x NVIDIA H200");
    cr_expect(strstr(diagnosis.gpu_text, "spreads") == NULL);
}

Test(probe, keeps_what_a_program_prints_and_its_exit_code)
{
    char text[64];

    cr_assert(
        eq(int,
           kg__child_run((const char *const[]){ "printf", "a\nb", NULL }, 10.0, text, sizeof text),
           0));
    cr_expect(eq(str, text, "a\nb"));
    cr_assert(eq(
        int,
        kg__child_run((const char *const[]){ "sh", "-c", "echo out; echo err >&2; exit 3", NULL },
                      10.0, text, sizeof text),
        3));
    cr_expect(eq(str, text, "out\nerr\n"));
}

Test(probe, drops_what_does_not_fit)
{
    char text[8];

    cr_assert(
        eq(int,
           kg__child_run(
               (const char *const[]){ "sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x", NULL },
               30.0, text, sizeof text),
           0));
    cr_expect(eq(str, text, "xxxxxxx"));
}

Test(probe, tells_what_is_not_there_from_what_crashes)
{
    char text[64] = "old";

    cr_expect(eq(int,
                 kg__child_run((const char *const[]){ "kernelgate-has-no-such-program", NULL },
                               10.0, text, sizeof text),
                 KG__CHILD_NOT_FOUND));
    cr_expect(eq(str, text, ""));
    cr_expect(eq(int,
                 kg__child_run((const char *const[]){ "sh", "-c", "kill -9 $$", NULL }, 10.0, text,
                               sizeof text),
                 KG__CHILD_CRASHED));
}

Test(probe, ends_what_does_not_end, .timeout = 30)
{
    char text[64];
    struct timespec begun;
    struct timespec ended;

    clock_gettime(CLOCK_MONOTONIC, &begun);
    cr_expect(
        eq(int,
           kg__child_run((const char *const[]){ "sh", "-c", "echo on; sleep 60; echo off", NULL },
                         0.3, text, sizeof text),
           KG__CHILD_TIMED_OUT));
    cr_expect(eq(str, text, "on\n"));
    /* One that closes its output is waited for no longer. */
    cr_expect(eq(int,
                 kg__child_run((const char *const[]){ "sh", "-c", "exec >&- 2>&-; sleep 60", NULL },
                               0.3, text, sizeof text),
                 KG__CHILD_TIMED_OUT));
    clock_gettime(CLOCK_MONOTONIC, &ended);
    cr_expect(lt(long, ended.tv_sec - begun.tv_sec, 20));
}

Test(probe, gives_no_input)
{
    char text[64];

    cr_expect(
        eq(int, kg__child_run((const char *const[]){ "cat", NULL }, 10.0, text, sizeof text), 0));
    cr_expect(eq(str, text, ""));
}
