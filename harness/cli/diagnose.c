/* kernelgate doctor: judges the facts of a machine, with advice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/doctor.h"

/* The oldest versions that work: CMake's presets with workflows, Criterion's new assertions, CUDA's
 * launch attributes and C++17. */
static const int oldest_cmake[2] = { 3, 25 };
static const int oldest_criterion[2] = { 2, 4 };
static const int oldest_cuda[2] = { 12, 4 };
static const int oldest_python[2] = { 3, 9 };

static kg__doctor_line *add_line(kg__diagnosis *diagnosis, kg__health health, const char *item)
{
    kg__doctor_line *line;

    /* The table has a line for each GPU described; if it were full, its last line would be reused.
     */
    if (diagnosis->count == KG__DOCTOR_LINES)
        diagnosis->count--;
    line = &diagnosis->lines[diagnosis->count++];
    *line = (kg__doctor_line){ .health = health };
    kg__format(line->item, sizeof line->item, "%s", item);
    return line;
}

/* Keeps the first reason that a gate cannot work, for the last line. */
static void set_reason(char *reason, size_t size, const char *what)
{
    if (*reason == '\0')
        kg__format(reason, size, "%s", what);
}

typedef struct need {
    const char *item;
    const kg__program *program;
    const int *oldest; /* NULL: any version */
    bool needed;       /* the CPU model's gate needs it */
    const char *advice;
} need;

static bool is_older(const int version[2], const int oldest[2])
{
    return version[0] < oldest[0] || (version[0] == oldest[0] && version[1] < oldest[1]);
}

/* Judges one program or package; true if it works and is new enough. */
static bool judge_need(kg__diagnosis *diagnosis, const need *need)
{
    kg__health lack = need->needed ? KG__LACKS : KG__REMARK;
    kg__doctor_line *line = add_line(diagnosis, KG__WORKS, need->item);
    const kg__program *program = need->program;

    if (!program->found) {
        kg__format(line->found, sizeof line->found, "not found");
    } else if (!program->works) {
        kg__format(line->found, sizeof line->found, "%s does not work%s%s", program->path,
                   *program->version != '\0' ? ": " : "", program->version);
    } else if (need->oldest != NULL && is_older(program->numbers, need->oldest)) {
        kg__format(line->found, sizeof line->found, "%s is too old: %d.%d or newer is needed",
                   program->version, need->oldest[0], need->oldest[1]);
    } else {
        kg__format(line->found, sizeof line->found, "%s", program->version);
        return true;
    }
    line->health = lack;
    kg__format(line->advice, sizeof line->advice, "%s", need->advice);
    return false;
}

static void judge_build(const kg__facts *facts, kg__diagnosis *diagnosis)
{
    const need needs[] = {
        { "CMake", &facts->cmake, oldest_cmake, true,
          "run ci/setup, or install cmake 3.25 or newer" },
        { "Ninja", &facts->ninja, NULL, true, "run ci/setup, or install ninja" },
        { "C compiler", &facts->c_compiler, NULL, true, "run ci/setup, or install gcc" },
        { "C++ compiler", &facts->cxx_compiler, NULL, true, "run ci/setup, or install g++" },
        { "pkg-config", &facts->pkg_config, NULL, true, "run ci/setup, or install pkg-config" },
        { "criterion", &facts->criterion, oldest_criterion, true,
          "run ci/setup, or install libcriterion-dev" },
        { "jansson", &facts->jansson, NULL, true, "run ci/setup, or install libjansson-dev" },
        { "libdw", &facts->libdw, NULL, true, "run ci/setup, or install libdw-dev" },
        { "Python", &facts->python, oldest_python, true,
          "run ci/setup, or install Python 3.9 or newer" },
        { "Chart.js", &facts->chart_js, NULL, false,
          "without it a run's page has tables alone: run ci/setup, or install libjs-chart.js" },
        { "gcovr", &facts->gcovr, NULL, false,
          "only ci/test's coverage figure needs it: run ci/setup, or install gcovr" },
        { "git", &facts->git, NULL, false,
          "without it results do not name their commit: run ci/setup, or install git" },
    };
    char missing[160] = "";
    kg__doctor_line *boost;

    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (!judge_need(diagnosis, &needs[i]) && needs[i].needed)
            set_reason(missing, sizeof missing, needs[i].item);

    boost = add_line(diagnosis, KG__WORKS, "Boost.Context");
    if (facts->boost_header && *facts->boost_library != '\0') {
        kg__format(boost->found, sizeof boost->found, "header and library: %s",
                   facts->boost_library);
    } else {
        boost->health = KG__LACKS;
        kg__format(boost->found, sizeof boost->found, "%s not found",
                   facts->boost_header             ? "the library is"
                   : *facts->boost_library != '\0' ? "the header is"
                                                   : "header and library are");
        kg__format(boost->advice, sizeof boost->advice,
                   "run ci/setup, or install libboost-context-dev");
        set_reason(missing, sizeof missing, boost->item);
    }
    diagnosis->model = *missing == '\0';
    if (!diagnosis->model)
        kg__format(diagnosis->model_text, sizeof diagnosis->model_text,
                   "cannot be gated: %s is missing or unfit", missing);
}

static void judge_baseline(kg__diagnosis *diagnosis, const kg__baseline_fact *fact,
                           const char *absent)
{
    kg__doctor_line *line = add_line(diagnosis, KG__WORKS, "baseline");

    if (fact->status == KG__LOADED) {
        kg__format(line->found, sizeof line->found, "%s: %zu case%s", fact->path, fact->cases,
                   fact->cases == 1 ? "" : "s");
    } else if (fact->status == KG__ABSENT) {
        line->health = KG__REMARK;
        kg__format(line->found, sizeof line->found, "%s: there is none", fact->path);
        kg__format(line->advice, sizeof line->advice, "%s", absent);
    } else {
        /* The error says itself what to do. */
        line->health = KG__LACKS;
        kg__format(line->found, sizeof line->found, "%s", fact->error);
    }
}

/* What to do about an error of cuInit(). */
static const char *explain_init_error(int code)
{
    switch (code) {
    case 100:
        return "the driver sees no GPU: in a container start it with --gpus all; see also "
               "CUDA_VISIBLE_DEVICES";
    case 802:
        return "the GPUs' fabric is not ready: start nvidia-fabricmanager";
    case 803:
        return "library and kernel module differ, for example after an update: restart the machine";
    default:
        return "see `nvidia-smi` and the kernel's log; a restart of the machine may help";
    }
}

/* Judges the driver's three parts: kernel module, device nodes and libcuda. True if all work. */
static bool judge_driver(const kg__facts *facts, kg__diagnosis *diagnosis, char *reason,
                         size_t size)
{
    kg__doctor_line *line = add_line(diagnosis, KG__LACKS, "NVIDIA driver");

    if (!facts->cuda_library && *facts->kernel_driver == '\0') {
        kg__format(line->found, sizeof line->found,
                   "an NVIDIA device is on the PCI bus, but there is no driver (%s)",
                   facts->cuda_library_error);
        kg__format(line->advice, sizeof line->advice,
                   "install NVIDIA's driver; in a container, start it with --gpus all");
    } else if (!facts->cuda_library) {
        kg__format(line->found, sizeof line->found,
                   "the kernel module is loaded, but libcuda.so.1 is not there (%s)",
                   facts->cuda_library_error);
        kg__format(line->advice, sizeof line->advice,
                   "install the driver's libraries (libcuda1); in a container, start it with "
                   "--gpus all and the capability compute");
    } else if (facts->cuda_init != 0 && *facts->kernel_driver == '\0') {
        kg__format(line->found, sizeof line->found,
                   "libcuda.so.1 is there, but the kernel module is not loaded (cuInit: error %d)",
                   facts->cuda_init);
        kg__format(line->advice, sizeof line->advice,
                   "load it (modprobe nvidia), or restart the machine");
    } else if (facts->cuda_init != 0 && facts->locked_nodes > 0) {
        kg__format(line->found, sizeof line->found,
                   "this user may not open %d of %d devices /dev/nvidia* (cuInit: error %d)",
                   facts->locked_nodes, facts->device_nodes, facts->cuda_init);
        kg__format(line->advice, sizeof line->advice,
                   "give the user read and write access, often by the group video or render");
    } else if (facts->cuda_init != 0) {
        kg__format(line->found, sizeof line->found, "does not start (cuInit: error %d)",
                   facts->cuda_init);
        kg__format(line->advice, sizeof line->advice, "%s", explain_init_error(facts->cuda_init));
    } else {
        line->health = KG__WORKS;
        kg__format(line->found, sizeof line->found, "%s%ssupports CUDA up to %d.%d",
                   facts->nvml_driver, *facts->nvml_driver != '\0' ? ", " : "",
                   facts->cuda_version / 1000, facts->cuda_version % 1000 / 10);
        return true;
    }
    set_reason(reason, size, "the NVIDIA driver does not work");
    return false;
}

static bool judge_toolkit(const kg__facts *facts, kg__diagnosis *diagnosis, bool driver_works,
                          char *reason, size_t size)
{
    const int *toolkit = facts->nvcc.numbers;
    const need nvcc = { "nvcc", &facts->nvcc, oldest_cuda, true,
                        "install the CUDA Toolkit, 12.4 or newer and no newer than the driver "
                        "supports; put its bin folder on PATH" };
    kg__doctor_line *line;
    int major = facts->cuda_version / 1000;
    int minor = facts->cuda_version % 1000 / 10;

    if (!judge_need(diagnosis, &nvcc)) {
        set_reason(reason, size, "nvcc is missing or unfit");
        return false;
    }
    if (!driver_works || facts->cuda_version == 0 || toolkit[0] < major ||
        (toolkit[0] == major && toolkit[1] <= minor))
        return true;
    line = add_line(diagnosis, toolkit[0] > major ? KG__LACKS : KG__REMARK, "toolkit and driver");
    kg__format(line->found, sizeof line->found,
               "the toolkit (CUDA %d.%d) is newer than the driver supports (CUDA %d.%d)",
               toolkit[0], toolkit[1], major, minor);
    if (toolkit[0] == major) {
        kg__format(line->advice, sizeof line->advice,
                   "within CUDA %d this works for code compiled for the GPU's architecture; to be "
                   "sure, update the driver",
                   major);
        return true;
    }
    kg__format(line->advice, sizeof line->advice,
               "programs will not start: update the driver, or use a toolkit of CUDA %d", major);
    set_reason(reason, size, "the toolkit is newer than the driver");
    return false;
}

/* Appends ", " and the number, if it is known. */
static void append_number(char *text, size_t size, const char *format, int value)
{
    size_t used = strlen(text);

    if (value >= 0 && used + 1 < size) {
        char number[64];

        snprintf(number, sizeof number, format, value);
        kg__format(text + used, size - used, ", %s", number);
    }
}

static void describe_device(const kg__nvml_state *state, char *text, size_t size)
{
    char figure[KG__FIGURE_SIZE];
    size_t used;

    kg__format(text, size, "%s%s%s", *state->name != '\0' ? state->name : "a GPU without a name",
               *state->uuid != '\0' ? ", " : "", state->uuid);
    append_number(text, size, "%d °C", state->temperature_c);
    append_number(text, size, "SM clock %d MHz", state->sm_clock_mhz);
    if (state->sm_clock_mhz >= 0 && state->max_sm_clock_mhz >= 0) {
        used = strlen(text);
        kg__format(text + used, size - used, " of %d", state->max_sm_clock_mhz);
    }
    append_number(text, size, "memory clock %d MHz", state->memory_clock_mhz);
    if (isfinite(state->power_limit_w)) {
        used = strlen(text);
        kg__show_figure(figure, sizeof figure, state->power_limit_w, "W");
        kg__format(text + used, size - used, ", power limit %s", figure);
    }
    if (state->ecc >= 0) {
        used = strlen(text);
        kg__format(text + used, size - used, ", ECC %s", state->ecc != 0 ? "on" : "off");
    }
    if (state->mig >= 0) {
        used = strlen(text);
        kg__format(text + used, size - used, ", MIG %s", state->mig != 0 ? "on" : "off");
    }
}

/* Describes a GPU and what would disturb measurements on it. True if it answers. */
static bool judge_device(kg__diagnosis *diagnosis, int index, const kg__gpu_fact *gpu)
{
    const kg__nvml_state *state = &gpu->state;
    char item[48];
    kg__doctor_line *line;

    kg__format(item, sizeof item, "GPU %d", index);
    line = add_line(diagnosis, KG__WORKS, item);
    if (!gpu->answers) {
        line->health = KG__LACKS;
        kg__format(line->found, sizeof line->found, "%s", gpu->error);
        kg__format(line->advice, sizeof line->advice,
                   "see `nvidia-smi`; a GPU that fell off the bus needs a restart of the machine");
        return false;
    }
    describe_device(state, line->found, sizeof line->found);
    if (state->reasons_known && kg__nvml_throttles(state->reasons)) {
        char reasons[256];
        size_t used = strlen(line->found);

        kg__nvml_reasons_text(state->reasons, true, reasons, sizeof reasons);
        kg__format(line->found + used, sizeof line->found - used, ", throttled: %s", reasons);
        line->health = KG__REMARK;
        kg__format(
            line->advice, sizeof line->advice,
            "slowdowns will be judged \"environment\": let it cool down, check its power supply");
    }
    if (state->foreign_processes > 0) {
        size_t used = strlen(line->found);

        kg__format(line->found + used, sizeof line->found - used, ", %d process%s computing on it",
                   state->foreign_processes, state->foreign_processes == 1 ? "" : "es");
        line->health = KG__REMARK;
        used = strlen(line->advice);
        kg__format(line->advice + used, sizeof line->advice - used, "%s%s", used > 0 ? "; " : "",
                   "times will be noisy: stop the other processes");
    }
    judge_baseline(diagnosis, &gpu->baseline,
                   "kernels are checked and timed, and no time is judged: record a baseline with "
                   "ci/rebaseline");
    return true;
}

static int judge_devices(const kg__facts *facts, kg__diagnosis *diagnosis)
{
    int answering = 0;

    if (facts->nvml != KG__NVML_READY) {
        kg__doctor_line *line = add_line(diagnosis, KG__REMARK, "NVML");

        kg__format(line->found, sizeof line->found, "%s", facts->nvml_error);
        kg__format(line->advice, sizeof line->advice,
                   "without it clocks and throttling are unknown: install all of the driver; in a "
                   "container, allow the capability utility");
    }
    for (int i = 0; i < facts->gpu_count && i < KG__DOCTOR_GPUS; i++)
        answering += judge_device(diagnosis, i, &facts->gpus[i]);
    return answering;
}

/* Whether two GPUs are of one model, with the same state of its baseline. */
static bool is_same_kind(const kg__gpu_fact *a, const kg__gpu_fact *b)
{
    return a->answers == b->answers && strcmp(a->state.name, b->state.name) == 0 &&
           a->baseline.status == b->baseline.status;
}

/* How many GPUs of each model can be gated, and whether they have a baseline: "2 x NVIDIA H200, 1 x
 * NVIDIA A100 (once it has a baseline that can be read)". GPUs that do not answer are left out;
 * those beyond the described ones count as the last one's model. */
static void describe_gpus(const kg__facts *facts, char *text, size_t size)
{
    int described = facts->gpu_count < KG__DOCTOR_GPUS ? facts->gpu_count : KG__DOCTOR_GPUS;
    int devices = 0;

    kg__format(text, size, "can be gated: ");
    for (int i = 0; i < described; i++) {
        const kg__gpu_fact *gpu = &facts->gpus[i];
        int count = 0;
        int first = 0;
        size_t used = strlen(text);

        while (!is_same_kind(&facts->gpus[first], gpu))
            first++;
        if (first < i || !gpu->answers)
            continue;
        for (int other = i; other < facts->gpu_count; other++)
            count += is_same_kind(&facts->gpus[other < described ? other : described - 1], gpu);
        kg__format(
            text + used, size - used, "%s%d x %s%s", devices > 0 ? ", " : "", count,
            gpu->state.name,
            gpu->baseline.status == KG__LOADED ? "" : " (once it has a baseline that can be read)");
        devices += count;
    }
    if (devices > 1)
        kg__format(text + strlen(text), size - strlen(text),
                   "; ci/gate spreads its tests over these %d boards, or those that "
                   "CUDA_VISIBLE_DEVICES names",
                   devices);
}

static void judge_gpu(const kg__facts *facts, kg__diagnosis *diagnosis)
{
    bool found = facts->pci_gpus > 0 || facts->device_nodes > 0 || *facts->kernel_driver != '\0' ||
                 facts->gpu_count > 0;
    char reason[160] = "";
    bool driver_works;
    bool toolkit_works;
    int answering;

    if (!found) {
        kg__doctor_line *line = add_line(diagnosis, KG__REMARK, "GPU");

        kg__format(line->found, sizeof line->found, "no NVIDIA GPU on this machine%s",
                   facts->nvcc.works ? ", though there is nvcc" : "");
        kg__format(line->advice, sizeof line->advice, "%s",
                   facts->nvcc.works ? "GPU programs are built here and can run elsewhere; in a "
                                       "container, start it with --gpus all"
                                     : "none is needed: the CPU model can be gated");
        if (facts->nvcc.found) {
            const need nvcc = {
                "nvcc", &facts->nvcc, oldest_cuda, false,
                "install the CUDA Toolkit, 12.4 or newer, or take this one off PATH"
            };

            judge_need(diagnosis, &nvcc);
        }
        kg__format(diagnosis->gpu_text, sizeof diagnosis->gpu_text,
                   "cannot be gated: there is none");
        return;
    }
    driver_works = judge_driver(facts, diagnosis, reason, sizeof reason);
    toolkit_works = judge_toolkit(facts, diagnosis, driver_works, reason, sizeof reason);
    answering = judge_devices(facts, diagnosis);
    if (driver_works && facts->nvml == KG__NVML_READY && answering == 0)
        set_reason(reason, sizeof reason, "no GPU answers");
    diagnosis->gpu = driver_works && toolkit_works && *reason == '\0' && diagnosis->model;
    if (!diagnosis->model)
        set_reason(reason, sizeof reason, "what the build needs is missing, as above");
    if (!diagnosis->gpu) {
        kg__format(diagnosis->gpu_text, sizeof diagnosis->gpu_text, "cannot be gated: %s", reason);
        return;
    }
    if (facts->gpu_count > 0)
        describe_gpus(facts, diagnosis->gpu_text, sizeof diagnosis->gpu_text);
    else
        kg__format(diagnosis->gpu_text, sizeof diagnosis->gpu_text, "can be gated");
}

void kg__diagnose(const kg__facts *facts, kg__diagnosis *diagnosis)
{
    kg__doctor_line *system;

    *diagnosis = (kg__diagnosis){ .count = 0 };
    system = add_line(diagnosis, KG__WORKS, "operating system");
    kg__format(system->found, sizeof system->found, "%s, %ld processor%s", facts->system,
               facts->processors, facts->processors == 1 ? "" : "s");
    judge_build(facts, diagnosis);
    /* The model's counters need a baseline; its checks do not. So an absent one is not reported. */
    if (facts->model_baseline.status != KG__ABSENT)
        judge_baseline(diagnosis, &facts->model_baseline, "");
    if (diagnosis->model)
        kg__format(diagnosis->model_text, sizeof diagnosis->model_text, "can be gated");
    judge_gpu(facts, diagnosis);
}
