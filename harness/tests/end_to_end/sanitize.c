/* Observers under compute-sanitizer: what ci/sanitize-observer makes of the reports of a stand-in
 * for it, and that a comparison's test fails by them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/fakes/drive.h"

/* Takes the options as the real one does, runs the program, writes the report of the file named in
 * STAND_IN_REPORT, and ends with STAND_IN_CODE where that is set, else with the program's code. */
#define STAND_IN                                                                                   \
    "#!/bin/sh\n"                                                                                  \
    "echo \"$@\" >\"$0.called\"\n"                                                                 \
    "while :; do\n"                                                                                \
    "    case $1 in\n"                                                                             \
    "    --log-file) log=$2 ;;\n"                                                                  \
    "    --*) ;;\n"                                                                                \
    "    *) break ;;\n"                                                                            \
    "    esac\n"                                                                                   \
    "    shift 2\n"                                                                                \
    "done\n"                                                                                       \
    "\"$@\"\n"                                                                                     \
    "code=$?\n"                                                                                    \
    "if [ -e \"$STAND_IN_REPORT\" ]; then cp \"$STAND_IN_REPORT\" \"$log\"; fi\n"                  \
    "exit \"${STAND_IN_CODE:-$code}\"\n"

#define HEAD "========= COMPUTE-SANITIZER\n"
#define CLEAN HEAD "========= ERROR SUMMARY: 0 errors\n"
#define INVALID_READ                                                                               \
    "========= Invalid __global__ read of size 4 bytes\n"                                          \
    "=========     at matmul_f32_tiled_kernel+0x190 in tiled.cu:19\n"                              \
    "=========     by thread (5,0,0) in block (1,0,0)\n"                                           \
    "=========     Access at 0x7f0000000400 is out of bounds\n"                                    \
    "=========     and is 1 bytes after the nearest allocation at 0x7f0000000000 of size 4 "       \
    "bytes\n"                                                                                      \
    "=========     Saved host backtrace up to driver entry point at kernel launch time\n"          \
    "=========         Host Frame: matmul_f32_tiled [0x8ae3] in matmul_f32.gpu\n"                  \
    "========= \n"

static void make_stand_in(void)
{
    make_folder();
    write_text(at("compute-sanitizer"), STAND_IN);
    cr_assert(chmod(at("compute-sanitizer"), 0755) == 0);
}

TestSuite(sanitize, .init = make_stand_in, .fini = remove_folder, .timeout = 60);

static void set_stand_in(const char *code)
{
    set("COMPUTE_SANITIZER", at("compute-sanitizer"));
    set("STAND_IN_REPORT", at("report"));
    set("STAND_IN_CODE", code);
}

/* Runs an observer that ends at once with `own_code`, and expects the exit code and the result. */
static void expect_result(const char *tool, const char *report, const char *own_code,
                          const char *code, int expected, const char *result)
{
    char program[64];
    const char *const arguments[] = { KG__SANITIZE_OBSERVER, tool, "sh", "-c", program, "--records",
                                      at("observer.jsonl"),  NULL };
    char name[64];
    char *text;

    kg__format(program, sizeof program, "exit %s", own_code);
    if (report != NULL)
        write_text(at("report"), report);
    set_stand_in(code);
    expect_drive(arguments, expected, NULL);
    kg__format(name, sizeof name, "observer.%s.result", tool);
    text = read_text(at(name));
    cr_assert(strncmp(text, result, strlen(result)) == 0, "%s: %s", tool, text);
    free(text);
}

Test(sanitize, nothing_found)
{
    char *called;

    expect_result("initcheck", CLEAN, "0", "", 0, "clean\n");
    called = read_text(at("compute-sanitizer.called"));
    cr_assert(strstr(called, "--tool initcheck ") != NULL, "%s", called);
    free(called);
    expect_result("racecheck",
                  HEAD "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n",
                  "0", "", 0, "clean\n");
    /* What the observer ended with is its own business. */
    expect_result("memcheck", CLEAN, "3", "", 3, "clean\n");
}

/* A line a finding, with its place, and equal ones once. */
Test(sanitize, findings)
{
    expect_result("memcheck",
                  HEAD INVALID_READ INVALID_READ
                  "========= Program hit cudaErrorLaunchFailure (error 719) on CUDA API call to "
                  "cudaDeviceSynchronize.\n"
                  "=========     Saved host backtrace up to driver entry point at error\n"
                  "========= \n"
                  "========= ERROR SUMMARY: 3 errors\n",
                  "0", "99", 1,
                  "Invalid __global__ read of size 4 bytes at matmul_f32_tiled_kernel+0x190 in "
                  "tiled.cu:19 (2 times)\n"
                  "Program hit cudaErrorLaunchFailure (error 719) on CUDA API call to "
                  "cudaDeviceSynchronize.\n");
    expect_result("racecheck",
                  HEAD
                  "========= Error: Race reported between Write access at k+0xf0 in pairs.cu:12\n"
                  "=========     and Read access at k+0xd0 in pairs.cu:14 [32 hazards]\n"
                  "========= \n"
                  "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
                  "0", "99", 1,
                  "Error: Race reported between Write access at k+0xf0 in pairs.cu:12 and Read "
                  "access at k+0xd0 in pairs.cu:14 [32 hazards]\n");
    /* Warnings leave the sanitizer's exit code as it is. */
    expect_result("racecheck",
                  HEAD
                  "========= Warning: Race reported between Write access at k+0xf0 in pairs.cu:12\n"
                  "=========     and Write access at k+0xf0 in pairs.cu:12 [2 hazards]\n"
                  "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n",
                  "0", "", 1, "Warning: Race reported");
    expect_result("memcheck", HEAD "========= ERROR SUMMARY: 1 error\n", "0", "", 1,
                  "ERROR SUMMARY: 1 error, without details in the report\n");
}

/* An observer that nobody watched must never look clean. */
Test(sanitize, nobody_watched)
{
    expect_result("memcheck", NULL, "0", "", 2,
                  "error: compute-sanitizer ended with code 0 and left no report");
    expect_result("memcheck",
                  HEAD "========= Error: Target application terminated before first instrumented "
                       "API call\n",
                  "0", "255", 2, "error: compute-sanitizer saw no CUDA call of the observer");
    expect_result("memcheck",
                  HEAD "========= Error: Target application terminated before first instrumented "
                       "API call\n========= ERROR SUMMARY: 0 errors\n",
                  "0", "", 2, "error: compute-sanitizer saw no CUDA call of the observer");
    expect_result("memcheck", HEAD, "0", "", 2, "error: compute-sanitizer's report has no summary");
    expect_result("memcheck",
                  HEAD "========= Error: Device not supported\n"
                       "========= ERROR SUMMARY: 0 errors\n",
                  "0", "", 2,
                  "error: compute-sanitizer found nothing but says: Error: Device not supported");
    expect_result("memcheck", CLEAN, "0", "99", 2,
                  "error: compute-sanitizer's exit code reports findings");
}

Test(sanitize, bad_arguments)
{
    static const char *const bad[][6] = {
        { "synccheck", "true", "--records", "r.jsonl" }, { "memcheck" }, { "memcheck", "true" },
        { "memcheck", "true", "--records", "r" },        { NULL },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const arguments[] = {
            KG__SANITIZE_OBSERVER, bad[i][0], bad[i][1], bad[i][2], bad[i][3], NULL,
        };

        set_stand_in("");
        expect_drive(arguments, 2, "see ci/sanitize-observer --help");
    }
}

Test(sanitize, nothing_is_run_for_a_test_that_ended)
{
    const char *const arguments[] = { KG__SANITIZE_OBSERVER, "memcheck",           "true",
                                      "--records",           at("observer.jsonl"), NULL };
    pid_t test = fork();
    char number[32];

    cr_assert(test >= 0);
    if (test == 0)
        _exit(0);
    cr_assert(waitpid(test, NULL, 0) == test);
    set_stand_in("");
    kg__format(number, sizeof number, "%ld", (long)test);
    set("KG__PARENT", number);
    expect_drive(arguments, 2, number);
    cr_assert(!exists(at("compute-sanitizer.called")));
}

static void expect_check(const char *report, int code, const char *text)
{
    const char *const arguments[] = { KG__FAKE_SOUND_GPU, "--filter=fake/check", NULL };
    char wrapper[600];

    write_text(at("report"), report);
    set_stand_in("");
    set("KG_OUT", at("out"));
    set("KG_LOCK_DIR", at(""));
    set("FAKE_LOG", at("log"));
    set("KG_FILTER", "fake/plain/*");
    kg__format(wrapper, sizeof wrapper, "setpriv --pdeathsig TERM %s memcheck",
               KG__SANITIZE_OBSERVER);
    set("KG_WRAPPER", wrapper);
    expect_drive(arguments, code, text);
}

/* Every case may be right: what the sanitizer found fails the test. */
Test(sanitize, a_check_fails_by_findings)
{
    expect_check(CLEAN, 0, "Passing: 1");
    cr_assert(exists(at("out/records/gpu.fake.check.plain.memcheck.log")));
    expect_check(HEAD INVALID_READ "========= ERROR SUMMARY: 1 error\n", 2,
                 "sanitize-observer memcheck: exit code 1, though the observer was through");
    expect_check(HEAD INVALID_READ "========= ERROR SUMMARY: 1 error\n", 2,
                 "memcheck: gpu.fake.check.plain: Invalid __global__ read of size 4 bytes at "
                 "matmul_f32_tiled_kernel+0x190 in tiled.cu:19\n");
}
