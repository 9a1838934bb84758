/* kernelgate doctor: collects the facts of this machine and prints the diagnosis. */
#include "cli/doctor.h"
#include "base/exit_code.h"
#include "base/json.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/color.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/command.h"
#include "records/records.h"

/* A program that does not print its version within this time does not work. */
#define PROBE_SECONDS 20.0

/* Copies the line of `text` that contains `mark` ("": the first), trimmed. */
static void copy_line(const char *text, const char *mark, char *line, size_t size)
{
    const char *position = strstr(text, mark);
    size_t length;

    if (position == NULL)
        position = text;
    while (position > text && position[-1] != '\n')
        position--;
    while (isspace((unsigned char)*position))
        position++;
    length = strcspn(position, "\n");
    while (length > 0 && isspace((unsigned char)position[length - 1]))
        length--;
    kg__format(line, size, "%.*s", (int)length, position);
}

/* Reads the first "<number>.<number>" after `mark`. */
static void read_version(const char *text, const char *mark, int numbers[2])
{
    const char *position = strstr(text, mark);

    numbers[0] = numbers[1] = 0;
    for (position = position != NULL ? position + strlen(mark) : text; *position != '\0';
         position++) {
        char *end;
        long major;

        if (!isdigit((unsigned char)*position))
            continue;
        major = strtol(position, &end, 10);
        if (*end == '.' && isdigit((unsigned char)end[1]) && major < 100000) {
            numbers[0] = (int)major;
            numbers[1] = (int)strtol(end + 1, NULL, 10);
            return;
        }
        position = end - 1;
    }
}

/* Runs `arguments` and keeps the line with its version: the one that contains `mark`, or the first.
 */
static void ask_program(kg__program *program, const char *const *arguments, const char *mark)
{
    char text[4096];
    int code = kg__child_run(arguments, PROBE_SECONDS, text, sizeof text);

    *program = (kg__program){ .found = code != KG__CHILD_NOT_FOUND, .works = code == 0 };
    kg__format_path(program->path, sizeof program->path, "%s", arguments[0]);
    copy_line(text, mark, program->version, sizeof program->version);
    if (code == KG__CHILD_TIMED_OUT)
        kg__format(program->version, sizeof program->version, "no answer within %.0f s",
                   PROBE_SECONDS);
    read_version(program->version, mark, program->numbers);
}

static void ask_version(kg__program *program, const char *name)
{
    const char *arguments[] = { name, "--version", NULL };

    ask_program(program, arguments, "");
}

/* Asks the compiler in the environment variable `variable` ("ccache gcc"), else the first of
 * `names` that exists. */
static void ask_compiler(kg__program *program, const char *variable, const char *const *names)
{
    const char *setting = getenv(variable);
    char *words = kg__copy_text(setting != NULL ? setting : "");
    const char *arguments[8] = { NULL };
    size_t count = 0;
    char *rest = NULL;

    for (char *word = strtok_r(words, " \t", &rest); word != NULL && count < 6;
         word = strtok_r(NULL, " \t", &rest))
        arguments[count++] = word;
    if (count > 0) {
        arguments[count] = "--version";
        ask_program(program, arguments, "");
        kg__format(program->path, sizeof program->path, "%s=%s", variable, setting);
    } else {
        for (; *names != NULL; names++) {
            ask_version(program, *names);
            if (program->found)
                break;
        }
    }
    free(words);
}

static void ask_package(kg__program *program, const char *name)
{
    const char *arguments[] = { "pkg-config", "--modversion", name, NULL };

    ask_program(program, arguments, "");
    /* pkg-config fails for an unknown package: the package is missing, not broken. */
    if (!program->works)
        program->found = false;
}

/* Finds the file that tools/kernelgate/report_page.py puts into the page of a run. */
static void ask_chart_js(kg__program *program)
{
    const char *named = kg__setting("KG_CHART_JS");
    const char *path = named != NULL ? named : "/usr/share/javascript/chart.js/chart.min.js";
    const char *cause;
    FILE *file = kg__file_stream(path, &cause);
    char header[200] = "";
    const char *name;

    if (file != NULL) {
        (void)fread(header, 1, sizeof header - 1, file);
        fclose(file);
    }
    name = strstr(header, "Chart.js v3.");
    *program = (kg__program){ .found = name != NULL, .works = name != NULL };
    if (name != NULL)
        kg__format(program->version, sizeof program->version, "%.*s, %s",
                   (int)strcspn(name, "\r\n"), name, path);
}

static void ask_boost(kg__facts *facts, const char *compiler)
{
    const char *const header[] = { compiler,        "-x",       "c++",
                                   "-fsyntax-only", "-include", "boost/context/detail/fcontext.hpp",
                                   "/dev/null",     NULL };
    static const char *const libraries[] = { "libboost_context.so", "libboost_context.a" };
    char text[4096];

    facts->boost_header = kg__child_run(header, PROBE_SECONDS, text, sizeof text) == 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        char option[64];
        const char *const library[] = { compiler, option, NULL };

        kg__format(option, sizeof option, "-print-file-name=%s", libraries[i]);
        /* It prints the bare name of a file that it does not find. */
        if (kg__child_run(library, PROBE_SECONDS, text, sizeof text) == 0 &&
            strchr(text, '/') != NULL) {
            copy_line(text, "", facts->boost_library, sizeof facts->boost_library);
            return;
        }
    }
}

static void ask_programs(kg__facts *facts, const char *root)
{
    static const char *const c_names[] = { "cc", "gcc", NULL };
    static const char *const cxx_names[] = { "g++", "c++", NULL };
    char nvcc[KG__PATH_SIZE];
    const char *const nvcc_version[] = { "nvcc", "--version", NULL };
    const char *const installed_nvcc_version[] = { nvcc, "--version", NULL };

    ask_version(&facts->cmake, "cmake");
    ask_version(&facts->ninja, "ninja");
    ask_compiler(&facts->c_compiler, "CC", c_names);
    ask_compiler(&facts->cxx_compiler, "CXX", cxx_names);
    ask_version(&facts->pkg_config, "pkg-config");
    ask_version(&facts->gcovr, "gcovr");
    ask_version(&facts->git, "git");
    ask_package(&facts->criterion, "criterion");
    ask_package(&facts->jansson, "jansson");
    ask_package(&facts->libdw, "libdw");
    ask_version(&facts->python, "python3");
    ask_chart_js(&facts->chart_js);
    ask_boost(facts, facts->cxx_compiler.found && strchr(facts->cxx_compiler.path, '=') == NULL
                         ? facts->cxx_compiler.path
                         : "g++");
    kg__format_path(nvcc, sizeof nvcc, "%s/usr/local/cuda/bin/nvcc", root);
    ask_program(&facts->nvcc, nvcc_version, "release ");
    if (!facts->nvcc.found)
        ask_program(&facts->nvcc, installed_nvcc_version, "release ");
}

/* Reads the first line of a small file; empty if there is none. */
static void read_line(const char *root, const char *path, char *line, size_t size)
{
    char full_path[KG__PATH_SIZE];
    FILE *file;

    kg__format_path(full_path, sizeof full_path, "%s%s", root, path);
    line[0] = '\0';
    file = fopen(full_path, "re");
    if (file == NULL)
        return;
    if (fgets(line, (int)size, file) == NULL)
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

static void read_system(kg__facts *facts, const char *root)
{
    char path[KG__PATH_SIZE];
    char line[256];
    char name[160] = "unknown system";
    struct utsname kernel;
    FILE *file;

    kg__format_path(path, sizeof path, "%s/etc/os-release", root);
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = line + strlen("PRETTY_NAME=");

        if (strncmp(line, "PRETTY_NAME=", strlen("PRETTY_NAME=")) != 0)
            continue;
        value += strspn(value, "\"'");
        kg__format(name, sizeof name, "%.*s", (int)strcspn(value, "\"'\n"), value);
    }
    if (file != NULL)
        fclose(file);
    if (uname(&kernel) == 0)
        kg__format(facts->system, sizeof facts->system, "%s, %s %s %s", name, kernel.sysname,
                   kernel.release, kernel.machine);
    else
        kg__format(facts->system, sizeof facts->system, "%s", name);
    facts->processors = sysconf(_SC_NPROCESSORS_ONLN);
}

/* Counts NVIDIA's display (0x0300) and 3D (0x0302) controllers, which are visible without a driver.
 */
static int count_pci_gpus(const char *root)
{
    char path[KG__PATH_SIZE];
    const struct dirent *entry;
    int count = 0;
    DIR *bus;

    kg__format_path(path, sizeof path, "%s/sys/bus/pci/devices", root);
    bus = opendir(path);
    while (bus != NULL && (entry = readdir(bus)) != NULL) {
        char vendor[32];
        char class[32];

        if (*entry->d_name == '.')
            continue;
        kg__format_path(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", entry->d_name);
        read_line(root, path, vendor, sizeof vendor);
        kg__format_path(path, sizeof path, "/sys/bus/pci/devices/%s/class", entry->d_name);
        read_line(root, path, class, sizeof class);
        count += strcmp(vendor, "0x10de") == 0 && strncmp(class, "0x03", 4) == 0;
    }
    if (bus != NULL)
        closedir(bus);
    return count;
}

static void count_device_nodes(kg__facts *facts, const char *root)
{
    char path[KG__PATH_SIZE];
    const struct dirent *entry;
    DIR *folder;

    kg__format_path(path, sizeof path, "%s/dev", root);
    folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *number = entry->d_name + strlen("nvidia");

        if (strncmp(entry->d_name, "nvidia", strlen("nvidia")) != 0 || *number == '\0' ||
            number[strspn(number, "0123456789")] != '\0')
            continue;
        kg__format_path(path, sizeof path, "%s/dev/%s", root, entry->d_name);
        facts->device_nodes++;
        facts->locked_nodes += access(path, R_OK | W_OK) != 0;
    }
    if (folder != NULL)
        closedir(folder);
}

/* Asks the driver's own library, without a program that is linked to it. */
static void ask_cuda(kg__facts *facts)
{
    const char *setting = getenv("KG_CUDA_LIBRARY");
    void *library = dlopen(setting != NULL && *setting != '\0' ? setting : "libcuda.so.1",
                           RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = NULL;
    int (*version)(int *) = NULL;
    void *address;

    if (library == NULL) {
        kg__format(facts->cuda_library_error, sizeof facts->cuda_library_error, "%s", dlerror());
        return;
    }
    facts->cuda_library = true;
    address = dlsym(library, "cuInit");
    memcpy(&init, &address, sizeof init);
    address = dlsym(library, "cuDriverGetVersion");
    memcpy(&version, &address, sizeof version);
    facts->cuda_init = init != NULL ? init(0) : -1;
    if (version == NULL || version(&facts->cuda_version) != 0)
        facts->cuda_version = 0;
    /* The driver's threads may still be running: the library stays loaded until the process ends.
     */
    // cppcheck-suppress resourceLeak
}

static void read_baseline(kg__baseline_fact *fact, const char *folder, const char *key)
{
    kg__error error = { "" };
    kg__baseline baseline;

    kg__format_path(fact->path, sizeof fact->path, "%s/%s.json", folder, key);
    fact->status = kg__baseline_load(fact->path, &baseline, &error);
    fact->cases = baseline.case_count;
    kg__format(fact->error, sizeof fact->error, "%s", error.text);
    kg__baseline_free(&baseline);
}

static void ask_nvml(kg__facts *facts, const char *baselines)
{
    kg__nvml *nvml = NULL;
    kg__error why = { "" };

    facts->nvml = kg__nvml_open(&nvml, &why);
    if (facts->nvml != KG__NVML_READY) {
        kg__format(facts->nvml_error, sizeof facts->nvml_error, "%s", why.text);
        return;
    }
    kg__nvml_driver(nvml, facts->nvml_driver, sizeof facts->nvml_driver);
    facts->gpu_count = kg__nvml_count(nvml);
    for (int i = 0; i < facts->gpu_count && i < KG__DOCTOR_GPUS; i++) {
        kg__gpu_fact *gpu = &facts->gpus[i];
        char index[16];
        char key[96];

        kg__format(index, sizeof index, "%d", i);
        gpu->answers = kg__nvml_gpu_state(nvml, index, &gpu->state, &why);
        if (!gpu->answers) {
            kg__format(gpu->error, sizeof gpu->error, "%s", why.text);
            continue;
        }
        kg__target_key(gpu->state.name, key, sizeof key);
        read_baseline(&gpu->baseline, baselines, key);
    }
    kg__nvml_close(nvml);
}

/* Collects the facts, with system files below `root` ("": of this machine) and the baselines in
 * `baselines`. */
static void collect_facts(kg__facts *facts, const char *root, const char *baselines)
{
    *facts = (kg__facts){ .nvml = KG__NVML_ABSENT };
    read_system(facts, root);
    ask_programs(facts, root);
    facts->pci_gpus = count_pci_gpus(root);
    count_device_nodes(facts, root);
    read_line(root, "/proc/driver/nvidia/version", facts->kernel_driver,
              sizeof facts->kernel_driver);
    ask_cuda(facts);
    ask_nvml(facts, baselines);
    read_baseline(&facts->model_baseline, baselines, "cpu-model");
}

static const char *root = "";
static const char *baselines;
static bool as_json;

#define HEALTH_WIDTH 5

static const char *const health_names[] = { "ok", "note", "lacks" };

static bool print_json(const kg__diagnosis *diagnosis)
{
    json_t *items = json_array();
    json_t *document = json_object();

    for (size_t i = 0; i < diagnosis->count; i++) {
        const kg__doctor_line *line = &diagnosis->lines[i];
        json_t *item = json_object();

        json_object_set_new(item, "item", json_string(line->item));
        json_object_set_new(item, "health", json_string(health_names[line->health]));
        json_object_set_new(item, "found", kg__json_clean_string(line->found));
        json_object_set_new(item, "advice", kg__json_clean_string(line->advice));
        json_array_append_new(items, item);
    }
    json_object_set_new(document, "schema", json_string("kernelgate-doctor/1"));
    json_object_set_new(document, "items", items);
    json_object_set_new(document, "model", json_boolean(diagnosis->model));
    json_object_set_new(document, "gpu", json_boolean(diagnosis->gpu));
    json_object_set_new(document, "model_text", kg__json_clean_string(diagnosis->model_text));
    json_object_set_new(document, "gpu_text", kg__json_clean_string(diagnosis->gpu_text));
    return kg__json_print(document, JSON_INDENT(1), "doctor");
}

static void print_text(const kg__diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->count; i++) {
        const kg__doctor_line *line = &diagnosis->lines[i];

        char *found = kg__clean_text(line->found, true);

        kg__print_word(stdout, health_names[line->health], HEALTH_WIDTH);
        printf("  %-18s %s\n", line->item, found);
        free(found);
        if (*line->advice != '\0')
            kg__print(stdout, "%-*s  %-18s -> %s\n", HEALTH_WIDTH, "", "", line->advice);
    }
    kg__print(stdout, "\nCPU model: %s\nGPU: %s\n", diagnosis->model_text, diagnosis->gpu_text);
}

/* Whether the folder of --root exists: without it every fact would be absent. */
static bool root_exists(void)
{
    struct stat facts;

    if (*root == '\0' || (stat(root, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return true;
    kg__complain("doctor: --root %s: there is no such folder: name the mount point of the image",
                 root);
    return false;
}

static int doctor(size_t count, char **operands)
{
    const char *setting = getenv("KG_BASELINES");
    const char *folder = "baselines";
    kg__diagnosis *diagnosis;
    kg__facts *facts;
    bool printed = true;
    bool model;

    (void)count;
    (void)operands;
    if (!root_exists())
        return KG__EXIT_ERROR;
    facts = kg__allocate(1, sizeof *facts);
    diagnosis = kg__allocate(1, sizeof *diagnosis);
    /* The output of other programs is parsed: it must not be translated. */
    setenv("LC_ALL", "C", 1);
    if (setting != NULL && *setting != '\0')
        folder = setting;
    if (baselines != NULL)
        folder = baselines;
    collect_facts(facts, root, folder);
    kg__diagnose(facts, diagnosis);
    if (as_json)
        printed = print_json(diagnosis);
    else
        print_text(diagnosis);
    printed = kg__flush_output("doctor") && printed;
    model = diagnosis->model;
    free(diagnosis);
    free(facts);
    return model && printed ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

static const kg__option doctor_options[] = {
    KG__JSON_OPTION(as_json),
    { "--baselines", "DIR", "the folder of the baselines (default: KG_BASELINES, else ./baselines)",
      &baselines, NULL },
    { "--root", "DIR", "look for system files below DIR, as of a mounted image", &root, NULL },
    { 0 },
};

const kg__command kg__doctor_command = {
    .name = "doctor",
    .operands = "",
    .summary = "Check what this machine needs for a gate, with advice",
    .details = "exit: 0 at least the CPU model can be gated here; 2 it cannot\n",
    .options = doctor_options,
    .run = doctor,
};
