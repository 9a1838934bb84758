/* SPDX-License-Identifier: MIT */
#include "tests/fakes/hanging.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LAUNCHES 12
#define FIRST_DELAY 10000 /* microseconds */
#define DELAY_STEP 1370
/* Microseconds of a processor from a block's beginning to its kernel's, before which SIGTERM ends
 * the process. On a loaded machine more time passes. */
#define BEGINNING 500

static const char *awaited_kernel;
static const char *awaited_text;
static bool was_told;

static bool line_holds(const char *path, unsigned int wanted, const char *text)
{
    char line[256];
    FILE *file = fopen(path, "r");
    bool holds = false;

    if (file == NULL)
        return false;
    for (unsigned int number = 1; fgets(line, sizeof line, file) != NULL; number++)
        holds = holds || ((number == wanted || number == wanted + 1) && strstr(line, text) != NULL);
    fclose(file);
    return holds;
}

static void note(const kg__model_place *place, const char *file, unsigned int line)
{
    was_told = line_holds(file, line, awaited_text) && strcmp(place->kernel, awaited_kernel) == 0 &&
               place->block.x == 0 && place->thread.x < 64;
    if (!was_told)
        fprintf(stderr, "kernel %s, block %u, thread %u: %s:%u\n", place->kernel, place->block.x,
                place->thread.x, file, line);
}

/* What is to be ended, and when. */
static pthread_t launching;
static unsigned int delay;

/* Microseconds that the launching thread had a processor. */
static long long computed(void)
{
    clockid_t clock;
    struct timespec time = { 0 };

    cr_assert(pthread_getcpuclockid(launching, &clock) == 0 && clock_gettime(clock, &time) == 0);
    return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void *tell_to_end(void *nothing)
{
    long long began;

    while (kg__model_last_launch().blocks == 0)
        usleep(1000);
    began = computed();
    while (computed() < began + BEGINNING)
        usleep(100);
    usleep(delay);
    /* NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread): it is caught */
    pthread_kill(launching, SIGTERM);
    return nothing;
}

pthread_t end_launch_after(unsigned int microseconds)
{
    pthread_t other;

    launching = pthread_self();
    delay = microseconds;
    cr_assert(pthread_create(&other, NULL, tell_to_end, NULL) == 0);
    return other;
}

/* Returns whether a launch was ended, and told as it is to be. */
static bool hang(endless_launch *launch, void *context, unsigned int microseconds)
{
    pthread_t other;
    cudaError_t error;

    kg__model_on_hang(note);
    other = end_launch_after(microseconds);
    error = launch(context);
    pthread_join(other, NULL);
    return error == cudaErrorLaunchTimeout && cudaDeviceSynchronize() == error && was_told;
}

void expect_told(endless_launch *launch, void *context, const char *kernel, const char *text)
{
    awaited_kernel = kernel;
    awaited_text = text;
    for (unsigned int i = 0; i < LAUNCHES; i++) {
        int status = 0;
        pid_t child = fork();

        cr_assert(child >= 0);
        if (child == 0)
            _exit(hang(launch, context, FIRST_DELAY + i * DELAY_STEP) ? 0 : 1);
        cr_assert(waitpid(child, &status, 0) == child);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "launch %u: status %#x", i,
                  (unsigned int)status);
    }
}
