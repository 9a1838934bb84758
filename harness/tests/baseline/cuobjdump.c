/* Finding the disassembler and running it, by programs that stand in for it. */
#include "baseline/cuobjdump.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "records/records.h"
#include "tests/fakes/drive.h"

static void begin(void)
{
    make_folder();
    setenv("PATH", "/usr/bin:/bin", 1);
    unsetenv("CUDACXX");
    unsetenv("CUDA_HOME");
}

TestSuite(cuobjdump, .init = begin, .fini = remove_folder);

/* Puts a disassembler into a folder of the test's: a shell script. */
static void install(const char *folder, const char *script)
{
    kg__error error = { "" };
    char path[512];

    cr_assert(kg__file_make_folder(at(folder), &error), "%s", error.text);
    snprintf(path, sizeof path, "%s/cuobjdump", at(folder));
    write_text(path, script);
    cr_assert(chmod(path, 0755) == 0);
}

static void expect_found(const char *folder)
{
    char path[512];
    char expected[512];

    cr_assert(kg__find_cuobjdump(at("root"), path, sizeof path), "in %s", folder);
    snprintf(expected, sizeof expected, "%s/cuobjdump", at(folder));
    cr_expect(eq(str, path, expected));
}

/* Where it is looked for, from the last place to the first. */
Test(cuobjdump, is_found_in_the_nearest_place)
{
    char setting[1024];
    char path[512] = "old";

    cr_assert(not(kg__find_cuobjdump(at("root"), path, sizeof path)));
    cr_expect(eq(str, path, ""));
    install("root/usr/local/cuda/bin", "");
    expect_found("root/usr/local/cuda/bin");
    install("home/bin", "");
    setenv("CUDA_HOME", at("home"), 1);
    expect_found("home/bin");
    install("compiler", "");
    snprintf(setting, sizeof setting, "%s/nvcc", at("compiler"));
    setenv("CUDACXX", setting, 1);
    expect_found("compiler");
    install("path", "");
    snprintf(setting, sizeof setting, "/nowhere::%s:/usr/bin", at("path"));
    setenv("PATH", setting, 1);
    expect_found("path");
}

Test(cuobjdump, settings_without_a_folder_lead_nowhere)
{
    char path[512];

    setenv("PATH", "", 1);
    setenv("CUDA_HOME", "", 1);
    setenv("CUDACXX", "nvcc", 1);
    cr_expect(not(kg__find_cuobjdump(at("root"), path, sizeof path)));
    unsetenv("PATH");
    cr_expect(not(kg__find_cuobjdump(at("root"), path, sizeof path)));
}

Test(cuobjdump, what_cannot_be_run_is_not_it)
{
    char path[512];

    install("root/usr/local/cuda/bin", "");
    cr_assert(chmod(at("root/usr/local/cuda/bin/cuobjdump"), 0644) == 0);
    cr_expect(not(kg__find_cuobjdump(at("root"), path, sizeof path)));
    install("home/bin/cuobjdump", "");
    setenv("CUDA_HOME", at("home"), 1);
    cr_expect(not(kg__find_cuobjdump(at("root"), path, sizeof path)), "a folder");
}

/* A disassembler that prints one kernel, and in a file what it was called with. */
static void install_sound_one(void)
{
    char script[2048];
    char setting[1024];

    snprintf(script, sizeof script,
             "#!/bin/sh\necho \"$@\" >%s/called\ncat <<'TEXT'\n\tcode for sm_90\n\t\tFunction : "
             "_Z5naive\n/*0000*/ EXIT ; /* 0x000000000000794d */\n\t\t..........\nTEXT\n",
             at(""));
    install("path", script);
    snprintf(setting, sizeof setting, "%s:/usr/bin:/bin", at("path"));
    setenv("PATH", setting, 1);
}

Test(cuobjdump, disassembles_a_program)
{
    json_t *machine_code;
    char *called;

    install_sound_one();
    machine_code = kg__program_machine_code("/some/program", "9.0");
    cr_assert(machine_code != NULL);
    cr_expect(eq(int, (int)strlen(kg__json_text(machine_code, "_Z5naive")), 16));
    json_decref(machine_code);
    called = read_text(at("called"));
    cr_expect(eq(str, called, "-sass /some/program\n"));
    free(called);
}

Test(cuobjdump, disassembles_this_very_program)
{
    json_t *machine_code;
    char *called;

    install_sound_one();
    machine_code = kg__program_machine_code(NULL, "9.0");
    cr_assert(machine_code != NULL);
    json_decref(machine_code);
    called = read_text(at("called"));
    cr_expect(strstr(called, "/test_cuobjdump\n") != NULL, "%s", called);
    free(called);
}

Test(cuobjdump, one_that_fails_tells_nothing)
{
    char setting[1024];

    cr_expect(kg__program_machine_code("/some/program", "9.0") == NULL ||
              kg__find_cuobjdump("", setting, sizeof setting));
    install("path", "#!/bin/sh\necho '\tcode for sm_90'\necho 'cuobjdump fatal' >&2\nexit 255\n");
    snprintf(setting, sizeof setting, "%s:/usr/bin:/bin", at("path"));
    setenv("PATH", setting, 1);
    cr_expect(kg__program_machine_code("/some/program", "9.0") == NULL);
}
