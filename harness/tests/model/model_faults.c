/* What the CPU model says of kernels that go wrong. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <fnmatch.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fakes/hanging.h"
#include "tests/model/model_fixture.h"

/* Launches a defect on a warp, and asserts the error, that it sticks, and the beginning and a part
 * of its message, which is a pattern as of file names. */
static void go_wrong(defect which, cudaError_t expected, const char *place, const char *what)
{
    int *out = device(32 * sizeof *out, 0);
    void *memory = NULL;
    unsigned long long *count = device(sizeof *count, 0);
    cudaLaunchConfig_t config = line(2, 32);
    cudaError_t error = launch_defect(&config, which, out);
    const char *text;
    char pattern[512];

    cr_assert(error == expected, "%s", cudaGetErrorName(error));
    text = complaints();
    cr_assert(strncmp(text, place, strlen(place)) == 0, "%s", text);
    snprintf(pattern, sizeof pattern, "*%s*", what);
    cr_assert(fnmatch(pattern, text, 0) == 0, "%s", text);
    cr_assert(strchr(text, '\n') == text + strlen(text) - 1, "one line: %s", text);
    cr_assert(cudaPeekAtLastError() == expected);
    cr_assert(cudaGetLastError() == expected);
    cr_assert(cudaGetLastError() == expected, "a kernel's error sticks");
    cr_assert(cudaDeviceSynchronize() == expected);
    cr_assert(cudaMalloc(&memory, 4) == expected);
    cr_assert(cudaMemset(out, 0, 4) == expected);
    cr_assert(cudaFree(out) == expected);
    cr_assert(cudaDeviceReset() == expected);
    cr_assert(launch_count(&config, count) == expected && *count == 0);
}

static void pass_over_hang(const kg__model_place *place, const char *file, unsigned int line)
{
    (void)place;
    (void)file;
    (void)line;
}

#define BLOCK_0 "kernelgate: kernel go_wrong, block (0, 0, 0), "

Test(model_faults, no_defect_no_complaint, .init = cr_redirect_stderr)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(2, 32);

    OK(launch_defect(&config, NO_DEFECT, out));
    cr_assert_str_eq(complaints(), "");
    cr_assert(out[31] == 31 && cudaGetLastError() == cudaSuccess);
}

Test(model_faults, a_deadlock_is_reported, .init = cr_redirect_stderr, .timeout = 20)
{
    go_wrong(
        BARRIER_AGAINST_SHUFFLE, cudaErrorLaunchFailure, BLOCK_0 "thread (1, 0, 0): ",
        "no thread can go on: 1 wait at __syncthreads() at model_kernels.cpp:[0-9]* and 31 in warp "
        "operations, this one at model_kernels.cpp:[0-9]* for the lanes 0xffffffff, of which "
        "0xfffffffe wait");
}

Test(model_faults, masks_that_differ_are_reported, .init = cr_redirect_stderr, .timeout = 20)
{
    go_wrong(DIFFERENT_MASKS, cudaErrorLaunchFailure,
             BLOCK_0 "thread (0, 0, 0): ", "0 wait at __syncthreads() and 32 in warp operations");
}

Test(model_faults, a_mask_without_its_caller_is_reported, .init = cr_redirect_stderr)
{
    go_wrong(OUTSIDE_MASK, cudaErrorLaunchFailure,
             BLOCK_0 "thread (1, 0, 0): ", "mask leaves out the lane that calls it");
}

Test(model_faults, a_bad_width_is_reported, .init = cr_redirect_stderr)
{
    go_wrong(BAD_WIDTH, cudaErrorLaunchFailure,
             BLOCK_0 "thread (0, 0, 0): ", "width is not a power of two");
}

Test(model_faults, a_trap_is_reported, .init = cr_redirect_stderr)
{
    go_wrong(TRAP, cudaErrorLaunchFailure, BLOCK_0 "thread (0, 0, 0): ", "called __trap()");
}

Test(model_faults, an_illegal_address_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    go_wrong(NULL_ADDRESS, cudaErrorIllegalAddress,
             BLOCK_0 "thread (5, 0, 0): ", "an access to the address (nil), where no memory is");
}

Test(model_faults, freed_memory_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    OK(cudaFree(out));
    cr_assert(launch_defect(&config, NO_DEFECT, out) == cudaErrorIllegalAddress);
    cr_assert_str_eq(complaints(), BLOCK_0 "thread (0, 0, 0): an access to allocation 1 + 0 after "
                                           "allocation 1 (128 bytes) was freed\n");
}

Test(model_faults, deep_recursion_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    go_wrong(DEEP_RECURSION, cudaErrorHardwareStackError,
             BLOCK_0 "thread (2, 0, 0): ", "the stack overflowed its 512 KiB");
}

Test(model_faults, a_large_local_array_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    go_wrong(LARGE_ARRAY, cudaErrorHardwareStackError,
             BLOCK_0 "thread (0, 0, 0): ", "the local arrays are too large");
}

Test(model_faults, division_by_zero_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    go_wrong(DIVISION_BY_ZERO, cudaErrorLaunchFailure,
             BLOCK_0 "thread (0, 0, 0): ", "an integer is divided by zero");
}

Test(model_faults, a_failed_assert_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    cr_assert(launch_defect(&config, FAILED_ASSERT, out) == cudaErrorAssert);
    cr_assert(strstr(complaints(), BLOCK_0 "thread (3, 0, 0): the kernel called abort()") != NULL);
}

/* Lets the process map so many bytes more than it has. */
static void limit_addresses(size_t more)
{
    struct rlimit limit;
    size_t pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");

    cr_assert(sizes != NULL && fscanf(sizes, "%zu", &pages) == 1);
    fclose(sizes);
    cr_assert(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGE_SIZE) + more;
    cr_assert(setrlimit(RLIMIT_AS, &limit) == 0);
}

Test(model_faults, no_memory_for_stacks_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    int *values = device(1024 * sizeof *values, 0);
    cudaLaunchConfig_t config = line(1, 1024);
    const char *begins = "kernelgate: kernel reverse, block (0, 0, 0), thread (";
    const char *text;

    limit_addresses(100 * KG__MODEL_STACK);
    cr_assert(launch_reverse(&config, values, 1) == cudaErrorLaunchOutOfResources);
    text = complaints();
    cr_assert(strncmp(text, begins, strlen(begins)) == 0, "%s", text);
    cr_assert(strstr(text, "no memory can be mapped for another thread's stack") != NULL);
}

/* Addresses that were kept of what was freed are given back before anything has to do without. */
Test(model_faults, freed_memory_costs_no_launch_its_stacks, .disabled = !FAULTS_ARE_CAUGHT)
{
    int *values = device(1024 * sizeof *values, 0);
    cudaLaunchConfig_t config = line(1, 1024);
    void *large;

    OK(cudaMalloc(&large, (size_t)256 << 20));
    OK(cudaFree(large));
    limit_addresses(100 * KG__MODEL_STACK);
    OK(launch_reverse(&config, values, 1));
}

static cudaError_t launch_endless_defect(void *which)
{
    cudaLaunchConfig_t config = line(1, 64);

    return launch_defect(&config, *(const defect *)which, device(64 * sizeof(int), 0));
}

/* What never ends is told with its line, wherever it is when it is told to end. */
Test(model_faults, an_endless_loop_is_told_with_its_line, .disabled = !FAULTS_ARE_CAUGHT)
{
    defect which = ENDLESS_LOOP;

    expect_told(launch_endless_defect, &which, "go_wrong", "/* ENDLESS_LOOP */");
}

Test(model_faults, endless_barriers_are_told_with_their_line, .disabled = !FAULTS_ARE_CAUGHT)
{
    defect which = ENDLESS_BARRIERS;

    expect_told(launch_endless_defect, &which, "go_wrong", "/* ENDLESS_BARRIERS */");
}

Test(model_faults, endless_shuffles_are_told_with_their_line, .disabled = !FAULTS_ARE_CAUGHT)
{
    defect which = ENDLESS_SHUFFLES;

    expect_told(launch_endless_defect, &which, "go_wrong", "/* ENDLESS_SHUFFLES */");
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
Test(model_faults, a_lock_that_is_held_delays_no_end, .disabled = !FAULTS_ARE_CAUGHT, .timeout = 60)
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

/* SIGTERM is the process's own again. */
Test(model_faults, being_told_to_end_outside_of_a_launch, .signal = SIGTERM,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    kg__model_on_hang(pass_over_hang);
    OK(launch_defect(&config, NO_DEFECT, out));
    raise(SIGTERM);
}

Test(model_faults, faults_of_the_host_remain_its_own, .signal = SIGSEGV,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    OK(launch_defect(&config, NO_DEFECT, out));
    raise(SIGSEGV);
}

Test(model_faults, a_kernel_cannot_call_the_host)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    cr_assert(!kg__model_where(NULL));
    OK(launch_defect(&config, CALLS_THE_HOST, out));
    cr_assert(out[0] == cudaErrorNotPermitted && out[31] == cudaErrorNotPermitted);
    OK(cudaGetLastError());
}
