/* SPDX-License-Identifier: MIT */
/* What the CPU model says of kernels that go wrong. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <fnmatch.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fakes/hanging.h"
#include "tests/model/each_row.h"
#include "tests/model/model_fixture.h"

#define BLOCK_0 "kernelgate: kernel go_wrong, block (0, 0, 0), "

/* What goes wrong in a launch of two warps, the thread that is named, and a part of the message: a
 * pattern as of file names. */
static const struct {
    defect defect;
    cudaError_t error;
    int thread;
    const char *message;
} faults[] = {
    { BARRIER_AGAINST_SHUFFLE, cudaErrorLaunchFailure, 1,
      "deadlock: 1 wait at __syncthreads() at model_kernels.cpp:[0-9]* and 31 in warp "
      "operations, this one at model_kernels.cpp:[0-9]* for the lanes 0xffffffff: "
      "0xfffffffe wait" },
    { DIFFERENT_MASKS, cudaErrorLaunchFailure, 0,
      "0 wait at __syncthreads() and 32 in warp operations" },
    { OUTSIDE_MASK, cudaErrorLaunchFailure, 1, "lane 1 calls it, which is not in its mask 0x*" },
    { BAD_WIDTH, cudaErrorLaunchFailure, 0, "width is not a power of two" },
    { TRAP, cudaErrorLaunchFailure, 0, "called __trap() at model_kernels.cpp:[0-9]*" },
    { BREAKPOINT, cudaErrorLaunchFailure, 0, "called __brkpt()" },
    { NULL_ADDRESS, cudaErrorIllegalAddress, 5, "an access to address (nil), which is not mapped" },
    { NULL_CALL, cudaErrorIllegalAddress, 0,
      "a call by the pointer (nil), which is not the address of a function, at "
      "model_kernels.cpp:[0-9]*" },
    { WILD_CALL, cudaErrorInvalidPc, 0,
      "a call by the pointer 0x3, which is not the address of a function, at "
      "model_kernels.cpp:[0-9]*" },
    { DEEP_RECURSION, cudaErrorHardwareStackError, 2, "the stack overflowed its 512 KiB" },
    { LARGE_ARRAY, cudaErrorHardwareStackError, 0, "the local arrays are too large" },
    { FAILED_ASSERT, cudaErrorAssert, 3, "the kernel called abort()" },
};

EACH_ROW(model_faults, are_reported_and_stick, faults)

ParameterizedTest(const size_t *row, model_faults, are_reported_and_stick,
                  .init = cr_redirect_stderr, .timeout = 20)
{
    const cudaError_t expected = faults[*row].error;
    int *out = device(32 * sizeof *out, 0);
    void *memory = NULL;
    unsigned long long *count = device(sizeof *count, 0);
    cudaError_t error;
    const char *text;
    char pattern[512];

    error = launch_defect(line(2, 32), faults[*row].defect, out);
    cr_assert(error == expected, "%s", cudaGetErrorName(error));
    text = complaints();
    text = strstr(text, "kernelgate: "); /* after what assert() or a sanitizer prints */
    snprintf(pattern, sizeof pattern, BLOCK_0 "thread (%d, 0, 0): *%s*\n", faults[*row].thread,
             faults[*row].message);
    cr_assert(text != NULL && fnmatch(pattern, text, 0) == 0, "%s", text);
    cr_assert(strchr(text, '\n') == text + strlen(text) - 1, "one line: %s", text);
    cr_assert(cudaPeekAtLastError() == expected);
    cr_assert(cudaGetLastError() == expected);
    cr_assert(cudaGetLastError() == expected, "a kernel's error sticks");
    cr_assert(cudaDeviceSynchronize() == expected);
    cr_assert(cudaMalloc(&memory, 4) == expected);
    cr_assert(cudaMemset(out, 0, 4) == expected);
    cr_assert(cudaFree(out) == expected);
    cr_assert(cudaDeviceReset() == expected);
    cr_assert(launch_count(line(2, 32), count) == expected && *count == 0);
}

Test(model_faults, no_defect_no_complaint, .init = cr_redirect_stderr)
{
    int *out = device(32 * sizeof *out, 0);

    OK(launch_defect(line(2, 32), NO_DEFECT, out));
    cr_assert_str_eq(complaints(), "");
    cr_assert(out[31] == 31 && cudaGetLastError() == cudaSuccess);
}

Test(model_faults, freed_memory_is_reported, .init = cr_redirect_stderr)
{
    int *out = device(32 * sizeof *out, 0);

    OK(cudaFree(out));
    cr_assert(launch_defect(line(1, 32), NO_DEFECT, out) == cudaErrorIllegalAddress);
    cr_assert(fnmatch(BLOCK_0 "thread (0, 0, 0): an access to allocation 1 + 0 after allocation 1 "
                              "(128 bytes) was freed at model_kernels.cpp:[0-9]*",
                      complaints(), 0) == 0);
}

Test(model_faults, no_memory_for_stacks_is_reported, .init = cr_redirect_stderr)
{
    int *values = device(1024 * sizeof *values, 0);
    const char *begins = "kernelgate: kernel reverse, block (0, 0, 0), thread (";
    const char *text;

    limit_addresses(100 * KG__MODEL_STACK);
    cr_assert(launch_reverse(line(1, 1024), values, 1) == cudaErrorLaunchOutOfResources);
    text = complaints();
    cr_assert(strncmp(text, begins, strlen(begins)) == 0, "%s", text);
    cr_assert(strstr(text, "no memory can be mapped for another thread's stack") != NULL);
}

/* Addresses that were kept of what was freed are given back before anything has to do without. */
Test(model_faults, freed_memory_costs_no_launch_its_stacks)
{
    int *values = device(1024 * sizeof *values, 0);
    void *large;

    OK(cudaMalloc(&large, (size_t)256 << 20));
    OK(cudaFree(large));
    limit_addresses(100 * KG__MODEL_STACK);
    OK(launch_reverse(line(1, 1024), values, 1));
}

static cudaError_t launch_endless_defect(void *which)
{
    return launch_defect(line(1, 64), *(const defect *)which, device(64 * sizeof(int), 0));
}

/* What never ends is reported with its line, wherever it is when it is ended. */
Test(model_faults, endless_kernels_are_reported_with_their_line)
{
    static const struct {
        defect which;
        const char *mark;
    } rows[] = { { ENDLESS_LOOP, "/* ENDLESS_LOOP */" },
                 { ENDLESS_BARRIERS, "/* ENDLESS_BARRIERS */" },
                 { ENDLESS_SHUFFLES, "/* ENDLESS_SHUFFLES */" } };

    for (size_t i = 0; i < LENGTH(rows); i++)
        expect_told(launch_endless_defect, (void *)&rows[i].which, "go_wrong", rows[i].mark);
}

static void pass_over_hang(const kg__model_place *place, const char *file, unsigned int line)
{
    (void)place;
    (void)file;
    (void)line;
}

static void hold_for_ever(void)
{
    for (;;)
        pause();
}

static void hold_stderr(void)
{
    flockfile(stderr);
    hold_for_ever();
}

static int hold_in_callback(struct dl_phdr_info *object, size_t size, void *nothing)
{
    (void)object;
    (void)size;
    (void)nothing;
    hold_for_ever();
    return 0;
}

static void hold_loader(void)
{
    (void)dl_iterate_phdr(hold_in_callback, NULL);
}

/* Takes a lock once the launch runs. */
static void *hold_lock(void *hold)
{
    while (kg__model_last_launch().blocks == 0)
        usleep(1000);
    (*(void (**)(void))hold)();
    return NULL;
}

/* Sends SIGTERM to a launch that never ends, while another thread holds a lock. */
static void hang_with_lock(void (*hold)(void))
{
    defect which = ENDLESS_LOOP;
    pthread_t holder;

    if (pthread_create(&holder, NULL, hold_lock, &hold) != 0)
        _exit(1);
    kg__model_on_hang(pass_over_hang);
    (void)end_launch_after(200000);
    (void)launch_endless_defect(&which);
    _exit(2);
}

/* The status of a process once it ends; one that does not end within 20 s fails the test. */
static int status_of(pid_t process)
{
    int status = 0;
    pid_t ended = 0;

    for (int i = 0; i < 2000 && ended == 0; i++) {
        usleep(10000);
        ended = waitpid(process, &status, WNOHANG);
    }
    if (ended == 0)
        (void)kill(process, SIGKILL);
    cr_expect(ended == process, "it did not end");
    return status;
}

/* To name the line takes locks, which can be held when SIGTERM arrives. */
Test(model_faults, a_lock_that_is_held_delays_no_end, .timeout = 60)
{
    static const struct {
        const char *lock;
        void (*hold)(void);
    } cases[] = { { "stderr", hold_stderr }, { "loader", hold_loader } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pid_t child = fork();
        int status;

        cr_assert(child >= 0);
        if (child == 0)
            hang_with_lock(cases[i].hold);
        status = status_of(child);
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "%s: status %#x",
                  cases[i].lock, (unsigned int)status);
    }
}

/* Outside of a launch, signals are the process's own again. */
static void raise_after_launch(int number)
{
    int *out = device(32 * sizeof *out, 0);

    kg__model_on_hang(pass_over_hang);
    (void)signal(number, SIG_DFL); /* a sanitizer may have set another */
    OK(launch_defect(line(1, 32), NO_DEFECT, out));
    raise(number);
}

Test(model_faults, a_later_sigterm_ends_the_process, .signal = SIGTERM)
{
    raise_after_launch(SIGTERM);
}

Test(model_faults, a_later_fault_ends_the_process, .signal = SIGSEGV)
{
    raise_after_launch(SIGSEGV);
}

Test(model_faults, a_kernel_cannot_call_the_host)
{
    int *out = device(32 * sizeof *out, 0);

    cr_assert(!kg__model_where(NULL));
    OK(launch_defect(line(1, 32), CALLS_THE_HOST, out));
    cr_assert(out[0] == cudaErrorNotPermitted && out[31] == cudaErrorNotPermitted);
    OK(cudaGetLastError());
}
