/* SPDX-License-Identifier: MIT */
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

/* Launches of several host threads take turns, and what the launchers themselves do meanwhile is
 * not an access of a kernel. */
#define HOST_THREADS 4
#define LAUNCHES_EACH 3000

static void *launch_many(void *data)
{
    for (int i = 0; i < LAUNCHES_EACH; i++) {
        if (launch("in_place", single, line(64), 0, *(const watch_data *)data) != cudaSuccess)
            return data;
    }
    return NULL;
}

Test(watch_failures, launches_of_several_host_threads)
{
    const uint64_t launches = (uint64_t)HOST_THREADS * LAUNCHES_EACH;
    pthread_t threads[HOST_THREADS];
    watch_data data = watch_both(64);

    for (int i = 0; i < HOST_THREADS; i++)
        cr_assert(pthread_create(&threads[i], NULL, launch_many, &data) == 0);
    for (int i = 0; i < HOST_THREADS; i++) {
        void *failed = NULL;

        cr_assert(pthread_join(threads[i], &failed) == 0 && failed == NULL);
    }
    expect_clean("launches of several threads");
    expect_requests(2 * launches, 2 * launches, "several threads");
    cr_expect(kg__model_seen()->accesses == 128 * launches);
}

/* Programs that fail. Whatever a launch did before it failed is seen, and CUDA's error sticks. */

static void fail_with(const char *name, cudaError_t expected, watch_data data)
{
    cudaError_t error = launch(name, single, line(64), 0, data);

    cr_assert(error == expected, "%s, not %s", cudaGetErrorName(error), cudaGetErrorName(expected));
}

Test(watch_failures, trap)
{
    watch_data data = watch_both(64);

    data.k = 40;
    fail_with("trap", cudaErrorLaunchFailure, data);
    /* The first warp whole, and 9 lanes of the second. */
    expect_requests(2, 2, "trap");
    cr_expect(kg__model_seen()->accesses == 82, "%llu accesses",
              (unsigned long long)kg__model_seen()->accesses);
    expect_clean("trap");
    cr_expect(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    kg__model_watch(BOTH, 0);
    fail_with("trap", cudaErrorLaunchFailure, data);
    cr_expect(kg__model_seen()->accesses == 0, "it is not run again");
}

/* The kernel's own errors, on memory that is not its own. */
static void expect_fault(const char *name, watch_data data, const kg__finding *found)
{
    fail_with(name, cudaErrorIllegalAddress, data);
    expect_only(found, "a fault");
    expect_count(KG__GLOBAL_ATOMIC_REQUESTS, 0, "a fault");
}

Test(watch_failures, null_pointer)
{
    watch_data data = watch_both(64);

    data.a = NULL;
    expect_fault("copy", data, FOUND(HOST_ACCESS, NULL, 0, 0, 0));
    cr_expect(kg__model_seen()->findings[0].address == 0);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 0, "a null pointer");
}

/* Of all pointers, what poisoned memory holds is the likeliest. */
Test(watch_failures, wild_pointer)
{
    watch_data data = watch_both(64);
    const uintptr_t wild = UINTPTR_MAX - 3;

    cr_assert(cudaMemcpy(data.numbers, &wild, sizeof wild, cudaMemcpyHostToDevice) == cudaSuccess);
    expect_fault("follow_pointer", data, FOUND(HOST_ACCESS, NULL, 0, 0, 0));
}

/* What a launcher has freed is below the guard of device_memory(). */
static void free_data(void *data)
{
    cr_assert(cudaFree((unsigned char *)data - 65536) == cudaSuccess);
}

Test(watch_failures, memory_that_was_freed)
{
    watch_data data = watch_both(64);

    free_data(data.a);
    expect_fault("copy", data, FOUND(AFTER_FREE, "a", 0, 256, 0));
    cr_expect(kg__model_seen()->findings[0].by.access == KG__READ);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 0, "an argument that was freed");
}

/* What is allocated next is as large, and elsewhere. */
Test(watch_failures, memory_that_was_freed_and_replaced)
{
    watch_data data = watch_both(64);
    watch_data again = data;

    free_data(data.b);
    again.b = device_memory(64 * sizeof(float), "b");
    start("copy", single, line(64), again);
    expect_clean("the memory in place of it");
    expect_fault("copy", data, FOUND(AFTER_FREE, "b", 0, 256, 0));
    cr_expect(kg__model_seen()->findings[0].by.access == KG__WRITE);
}

/* Memory that has no name is known by its number. */
Test(watch_failures, scratch_memory_that_was_freed)
{
    watch_data data;

    kg__model_watch(CHECK, 0);
    data = make_data(64);
    cr_assert(cudaMalloc((void **)&data.b, 100) == cudaSuccess);
    cr_assert(cudaFree(data.b) == cudaSuccess);
    data.b -= 1;
    expect_fault("copy", data, FOUND(AFTER_FREE, "allocation 5", -4, 100, 0));
}

/* A stack's guard is not memory of the device. */
Test(watch_failures, deep_recursion)
{
    watch_data data = watch_both(64);

    data.k = 10;
    start("deep_recursion", single, single, data);
    expect_clean("a little recursion");
    data.k = 1 << 30;
    fail_with("deep_recursion", cudaErrorHardwareStackError, data);
    expect_clean("deep recursion");
}

Test(watch_failures, launches_that_are_refused)
{
    cudaLaunchConfig_t no_block = { .gridDim = single, .blockDim = line(0) };
    watch_data data = watch_both(64);

    cr_expect(kernel("copy")(&no_block, data) == cudaErrorInvalidValue);
    cr_expect(kg__model_seen()->blocks == 0 && kg__model_seen()->accesses == 0);
    expect_clean("nothing ran");
    start("copy", single, line(32), data);
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

/* A kernel that never ends takes no memory. */
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
        launch("endless", single, line(64), 0, data);
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

static watch_data endless_data;

static cudaError_t launch_endlessly(void *name)
{
    return launch(name, single, line(64), 0, endless_data);
}

/* A kernel that never ends is reported with its line, in the midst of the replay too, and even one
 * that touches nothing. */
Test(watch_failures, endless_kernels_are_reported_with_their_line)
{
    char accesses[] = "endless";
    char nothing[] = "spin";

    kg__model_watch(BOTH, 1000);
    endless_data = make_data(64);
    expect_told(launch_endlessly, accesses, "endless", "a[threadIdx.x]");
    kg__model_watch(BOTH, 0);
    expect_told(launch_endlessly, nothing, "spin", "spins = ");
}

/* Three bytes of each pixel, so that every byte has its own shadow. */
Test(watch_failures, memory_of_an_image, .timeout = 100)
{
    const size_t bytes = (size_t)960 * 1280 * 4;
    watch_data data = { .n = 1280, .rows = 960 };

    kg__model_watch(BOTH, 0);
    data.bytes = device_memory(bytes, "image");
    cr_assert(cudaMemset(data.bytes, 1, bytes) == cudaSuccess);
    start("image_in_place", (dim3){ 80, 60, 1 }, (dim3){ 16, 16, 1 }, data);
    expect_clean("an image in place");
    expect_count(KG__UNIQUE_BYTES_READ, (uint64_t)960 * 1280 * 3, "an image in place");
    expect_count(KG__UNIQUE_BYTES_WRITTEN, (uint64_t)960 * 1280 * 3, "an image in place");
    cr_expect(peak_memory(getpid()) < (size_t)1 << 30);
}

/* Writes a report of launches of many kinds. */
static void write_report(int to)
{
    static const char *const launches[] = {
        "nested_branches",  "write_after_write", "butterfly_of_a_warp", "bytes_of_words",
        "in_place_shifted", "pointer_of_two",    "copy_quads",          "atomic_and_plain_read",
    };
    watch_data data;
    const kg__model_report *report;

    kg__model_watch(BOTH, 0);
    data = make_data(500);
    for (size_t i = 0; i < LENGTH(launches); i++)
        start(launches[i], line(2), line(64), data);
    start("copy", line(8), line(128), (watch_data){ .a = data.a, .b = data.b, .n = 600 });
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

/* What a process writes to the standard error that is a copy of this one and does some `work`. */
static void read_child(void (*work)(void), char *text, size_t size)
{
    int ends[2];
    size_t used = 0;
    ssize_t got;
    pid_t child;

    cr_assert(pipe(ends) == 0);
    child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        work();
        _exit(0);
    }
    close(ends[1]);
    while (used < size - 1 && (got = read(ends[0], text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    waitpid(child, NULL, 0);
}

static bool randomized;

static void report_afresh(void)
{
    setenv("KG_TEST_REPORT", "1", 1);
    unsetenv("BXFI_MAP");
    personality(randomized ? 0 : ADDR_NO_RANDOMIZE);
    execl("/proc/self/exe", "test_watch_failures", "--list", (char *)NULL);
}

/* Before Criterion's own main: the process that another process asks for a report. */
__attribute__((constructor(65535))) static void report_and_end(void)
{
    if (getenv("KG_TEST_REPORT") == NULL)
        return;
    write_report(STDERR_FILENO);
    _exit(0);
}

Test(watch_failures, reports_do_not_depend_on_addresses)
{
    static char first[16384];
    static char other[16384];

    read_child(report_afresh, first, sizeof first);
    cr_assert(strstr(first, "end\n") != NULL, "no report: %s", first);
    for (int i = 0; i < 5; i++) {
        randomized = true;
        read_child(report_afresh, other, sizeof other);
        cr_assert_str_eq(other, first);
    }
}

static void read_beyond(void)
{
    (void)read_beyond_on_host(3);
    (void)read_beyond_on_host(5);
}

/* The model answers for what the compiler checks in kernels, and hides nothing of the host. */
Test(watch_failures, indices_out_of_bounds_on_the_host)
{
    char text[2048];

    read_child(read_beyond, text, sizeof text);
    cr_expect(strstr(text, "watch_kernels.cpp:") != NULL &&
                  strstr(text, "index 5 out of bounds for type 'int [4]'") != NULL,
              "%s", text);
    cr_expect(strstr(text, "index 3") == NULL, "%s", text);
}
