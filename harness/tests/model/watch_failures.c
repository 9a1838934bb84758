/* Launches of several host threads, programs that fail, and reports of other processes. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fakes/hanging.h"
#include "tests/model/finding_texts.h"
#include "tests/model/watch_fixture.h"

/* Launches of several host threads take turns, and what the launchers themselves do meanwhile is no
 * access of a kernel. */
#define HOST_THREADS 4
#define LAUNCHES_EACH 3000

static void *launch_many(void *data)
{
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(64) };

    for (int i = 0; i < LAUNCHES_EACH; i++) {
        if (launch_in_place(&config, *(const watch_data *)data) != cudaSuccess)
            return data;
    }
    return NULL;
}

Test(watch_failures, launches_of_several_host_threads)
{
    pthread_t threads[HOST_THREADS];
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    for (int i = 0; i < HOST_THREADS; i++)
        cr_assert(pthread_create(&threads[i], NULL, launch_many, &data) == 0);
    for (int i = 0; i < HOST_THREADS; i++) {
        void *failed = NULL;

        cr_assert(pthread_join(threads[i], &failed) == 0 && failed == NULL);
    }
    expect_clean("launches of several threads");
    expect_count(KG__GLOBAL_LOAD_REQUESTS, (uint64_t)2 * HOST_THREADS * LAUNCHES_EACH,
                 "several threads");
    expect_count(KG__GLOBAL_STORE_REQUESTS, (uint64_t)2 * HOST_THREADS * LAUNCHES_EACH,
                 "several threads");
    cr_expect(kg__model_seen()->accesses == (uint64_t)128 * HOST_THREADS * LAUNCHES_EACH);
}

/* Programs that fail. Whatever a launch did before it failed is seen, and CUDA's error sticks. */

static cudaError_t start_failing(launcher *launch, unsigned int threads, watch_data data)
{
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(threads) };
    cudaError_t error = launch(&config, data);
    cudaError_t again;

    cr_expect(cudaDeviceSynchronize() == error);
    kg__model_watch(BOTH, 0);
    expect_clean("watched anew");
    cr_expect(kg__model_seen()->accesses == 0);
    again = launch(&config, data);
    cr_expect(again == error, "%s, not %s", cudaGetErrorName(again), cudaGetErrorName(error));
    return error;
}

static void fail_with(launcher *launch, cudaError_t expected, watch_data data)
{
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(64) };
    cudaError_t error = launch(&config, data);

    cr_assert(error == expected, "%s, not %s", cudaGetErrorName(error), cudaGetErrorName(expected));
}

Test(watch_failures, trap)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.k = 40;
    fail_with(launch_trap, cudaErrorLaunchFailure, data);
    /* The first warp whole, and 9 lanes of the second. */
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 2, "trap");
    expect_count(KG__GLOBAL_STORE_REQUESTS, 2, "trap");
    cr_expect(kg__model_seen()->accesses == 82, "%llu accesses",
              (unsigned long long)kg__model_seen()->accesses);
    expect_clean("trap");
    cr_expect(start_failing(launch_trap, 64, data) == cudaErrorLaunchFailure);
}

Test(watch_failures, failed_assert, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.k = 40;
    fail_with(launch_failed_assert, cudaErrorAssert, data);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 2, "assert");
    expect_clean("assert");
}

Test(watch_failures, divide_by_zero, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    fail_with(launch_divide_by_zero, cudaErrorLaunchFailure, data);
    expect_clean("a division by zero");
}

Test(watch_failures, null_pointer, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.a = NULL;
    fail_with(launch_copy, cudaErrorIllegalAddress, data);
    expect_only(KG__HOST_ACCESS, "read 4 bytes at 0x0", "a null pointer");
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 0, "a null pointer");
}

/* Of all pointers, what poisoned memory holds is the likeliest. */
Test(watch_failures, wild_pointer, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;
    const uintptr_t wild = UINTPTR_MAX - 3;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    cr_assert(cudaMemcpy(data.numbers, &wild, sizeof wild, cudaMemcpyHostToDevice) == cudaSuccess);
    fail_with(launch_follow_pointer, cudaErrorIllegalAddress, data);
    expect_only(KG__HOST_ACCESS, "read 4 bytes at 0x", "a wild pointer");
    expect_count(KG__GLOBAL_ATOMIC_REQUESTS, 0, "a wild pointer");
}

/* What a launcher has freed lies below the guard of device_memory(). */
static void free_data(void *data)
{
    cr_assert(cudaFree((unsigned char *)data - 65536) == cudaSuccess);
}

Test(watch_failures, memory_that_was_freed, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    free_data(data.a);
    fail_with(launch_copy, cudaErrorIllegalAddress, data);
    expect_only(KG__AFTER_FREE, "read 4 bytes at a + 0 of 256", "an argument that was freed");
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 0, "an argument that was freed");
}

/* What is allocated next is as large, and lies elsewhere. */
Test(watch_failures, memory_that_was_freed_and_replaced, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;
    watch_data again;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    again = data;
    free_data(data.b);
    again.b = device_memory(64 * sizeof(float), "b");
    start(launch_copy, one, line(64), again);
    expect_clean("the memory in place of it");
    fail_with(launch_copy, cudaErrorIllegalAddress, data);
    expect_only(KG__AFTER_FREE, "write 4 bytes at b + 0 of 256", "an argument that was replaced");
}

/* Memory that nobody has named is known by its number. */
Test(watch_failures, scratch_memory_that_was_freed, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(CHECK, 0);
    data = make_data(64);
    cr_assert(cudaMalloc((void **)&data.b, 100) == cudaSuccess);
    cr_assert(cudaFree(data.b) == cudaSuccess);
    data.b -= 1;
    fail_with(launch_copy, cudaErrorIllegalAddress, data);
    expect_only(KG__AFTER_FREE, "write 4 bytes at allocation 5 - 4 of 100", "scratch memory");
}

Test(watch_failures, deep_recursion, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.k = 10;
    start(launch_deep_recursion, one, one, data);
    expect_clean("a little recursion");
    data.k = 1 << 30;
    fail_with(launch_deep_recursion, cudaErrorHardwareStackError, data);
    expect_clean("the stack is nobody's memory");
}

Test(watch_failures, huge_local_array, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    fail_with(launch_huge_local_array, cudaErrorHardwareStackError, data);
    expect_clean("the stack is nobody's memory");
}

Test(watch_failures, launches_that_are_refused)
{
    static const struct {
        dim3 grid, block;
        size_t dynamic;
        cudaError_t error;
    } refused[] = {
        { { 0, 1, 1 }, { 32, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 0, 1 }, { 32, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 0, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1025, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1, 1, 65 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 65536, 1 }, { 32, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 2147483648u, 1, 1 }, { 32, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 32, 1, 1 }, 49153, cudaErrorInvalidValue },
    };
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(32) };
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        cudaLaunchConfig_t bad = { .gridDim = refused[i].grid,
                                   .blockDim = refused[i].block,
                                   .dynamicSmemBytes = refused[i].dynamic };
        cudaError_t error = launch_copy(&bad, data);

        cr_expect(error == refused[i].error, "launch %zu: %s", i, cudaGetErrorName(error));
    }
    cr_expect(launch_too_much_static_shared(&config, data) == cudaErrorInvalidKernelImage);
    cr_expect(kg__model_seen()->blocks == 0 && kg__model_seen()->accesses == 0);
    expect_clean("nothing ran");
    start(launch_copy, one, line(32), data);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 1, "after refusals");
}

/* The most that the process ever had in memory, bytes. */
static size_t peak_memory(pid_t process)
{
    char path[64];
    char text[256];
    size_t kib = 0;
    FILE *status;

    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    status = fopen(path, "r");
    cr_assert(status != NULL);
    while (fgets(text, sizeof text, status) != NULL) {
        if (sscanf(text, "VmHWM: %zu", &kib) == 1)
            break;
    }
    fclose(status);
    return kib * 1024;
}

/* A kernel that never ends is for whoever waits for it to stop; until then it takes no memory. */
Test(watch_failures, endless_kernel)
{
    watch_data data;
    pid_t child;
    size_t early;
    size_t late;

    kg__model_watch(BOTH, 1000);
    data = make_data(64);
    child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(64) };

        launch_endless(&config, data);
        _exit(0);
    }
    usleep(500000);
    early = peak_memory(child);
    usleep(1000000);
    late = peak_memory(child);
    cr_expect(waitpid(child, NULL, WNOHANG) == 0, "it has ended");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect(late <= early + ((size_t)1 << 20), "from %zu to %zu bytes", early, late);
}

static cudaError_t launch_endless_in_memory(void *data)
{
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(64) };

    return launch_endless(&config, *(const watch_data *)data);
}

static cudaError_t launch_endless_in_registers(void *data)
{
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(64) };

    return launch_spin(&config, *(const watch_data *)data);
}

/* A kernel that never ends is told with its line, in the midst of the replay too. */
Test(watch_failures, endless_accesses_are_told_with_their_line, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 1000);
    data = make_data(64);
    expect_told(launch_endless_in_memory, &data, "endless", "a[threadIdx.x]");
}

/* Even one that touches nothing. */
Test(watch_failures, an_endless_loop_is_told_with_its_line, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    expect_told(launch_endless_in_registers, &data, "spin", "spins = ");
}

/* Three bytes of each pixel, so that every byte has its own shadow. */
Test(watch_failures, memory_of_an_image, .timeout = 100)
{
    const size_t bytes = (size_t)960 * 1280 * 4;
    cudaLaunchConfig_t config = { .gridDim = { 80, 60, 1 }, .blockDim = { 16, 16, 1 } };
    watch_data data = { .n = 1280, .rows = 960 };

    kg__model_watch(BOTH, 0);
    data.bytes = device_memory(bytes, "image");
    cr_assert(cudaMemset(data.bytes, 1, bytes) == cudaSuccess);
    cr_assert(launch_image_in_place(&config, data) == cudaSuccess);
    expect_clean("an image in place");
    expect_count(KG__UNIQUE_BYTES_READ, (uint64_t)960 * 1280 * 3, "an image in place");
    expect_count(KG__UNIQUE_BYTES_WRITTEN, (uint64_t)960 * 1280 * 3, "an image in place");
    cr_log_info("peak memory %zu MiB\n", peak_memory(getpid()) >> 20);
    cr_expect(peak_memory(getpid()) < (size_t)1 << 30);
}

/* Writes a report of launches of many kinds. */
static void write_report(int to)
{
    static launcher *const all[] = {
        launch_nested_branches, launch_write_after_write,     launch_butterfly_of_a_warp,
        launch_bytes_of_words,  launch_in_place_shifted,      launch_pointer_of_two,
        launch_copy_quads,      launch_atomic_and_plain_read,
    };
    watch_data data;
    const kg__model_report *report;

    kg__model_watch(BOTH, 0);
    data = make_data(500);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        start(all[i], line(2), line(64), data);
    start(launch_copy, line(8), line(128), (watch_data){ .a = data.a, .b = data.b, .n = 600 });
    report = kg__model_seen();
    for (int i = 0; i < KG__COUNTERS; i++)
        dprintf(to, "%s %llu\n", kg__counter_name((kg__counter)i),
                (unsigned long long)report->counts.value[i]);
    for (size_t i = 0; i < report->line_count; i++)
        dprintf(to, "%u: %llu\n", report->lines[i].line,
                (unsigned long long)report->lines[i].counts.value[KG__GLOBAL_LOAD_SECTORS]);
    dprintf(to, "%s\n", findings_of(kg__model_seen()));
    dprintf(to, "end\n");
}

static size_t report_of_another_process(bool randomised, char *text, size_t size)
{
    int ends[2];
    size_t used = 0;
    ssize_t got;
    pid_t child;

    cr_assert(pipe(ends) == 0);
    child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        char to[16];

        snprintf(to, sizeof to, "%d", ends[1]);
        setenv("KG_TEST_REPORT_TO", to, 1);
        unsetenv("BXFI_MAP");
        personality(randomised ? 0 : ADDR_NO_RANDOMIZE);
        execl("/proc/self/exe", "test_watch_failures", "--list", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    while (used < size - 1 && (got = read(ends[0], text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    waitpid(child, NULL, 0);
    return used;
}

/* Before Criterion's own main: the process that another one asks for a report. */
__attribute__((constructor(65535))) static void report_and_end(void)
{
    const char *to = getenv("KG_TEST_REPORT_TO");

    if (to == NULL)
        return;
    write_report(atoi(to));
    _exit(0);
}

Test(watch_failures, reports_do_not_depend_on_addresses)
{
    static char first[16384];
    static char other[16384];

    report_of_another_process(false, first, sizeof first);
    cr_assert(strstr(first, "end\n") != NULL, "no report: %s", first);
    for (int i = 0; i < 5; i++) {
        report_of_another_process(true, other, sizeof other);
        cr_assert_str_eq(other, first);
    }
}
