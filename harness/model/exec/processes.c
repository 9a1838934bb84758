/* SPDX-License-Identifier: MIT */
#include "model/exec/processes.h"

#include "base/clock.h"
#include "model/exec/faults.h"
#include "model/exec/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAXIMUM 64
/* Seconds that a launch takes before processes are forked, which takes some milliseconds; and those
 * of a kernel for which that was worth it before. */
#define SECONDS_ALONE 0.02
#define SECONDS_KNOWN 0.004
/* The least work of a process, in seconds by the launch's rate so far. */
#define SECONDS_EACH 0.01
/* The part of that time that forking may take. */
#define FORKING 0.1
#define WAIT_MICROSECONDS 500
/* Processes are not worth it that take this part of the time of one: each copies the pages that it
 * writes, of the shadow too. */
#define WORTH 0.9
#define KERNELS_KNOWN 64

/* How a process ends: its results count; they do not; the launch was ended by SIGTERM. */
enum { DONE, UNFIT, ENDED };

/* In memory that all processes of a launch have in common. */
typedef struct common_state {
    _Atomic uint64_t claimed; /* blocks that have begun */
    _Atomic bool is_ending;   /* by SIGTERM: a process writes `failure`, and then sets `is_ended` */
    _Atomic bool is_ended;
    kg__exec_failure failure;
} common_state;

static common_state *common;
static bool is_process;
static FILE *results; /* of this process */

static double began, next_try;
static double seconds_left; /* that the rest of the launch takes in one process */
static bool may_fork;

/* Kernels that have been run in processes, and whether they are to be from now on. */
static struct known_kernel {
    const void *address;
    bool alone;
} known[KERNELS_KNOWN];
static unsigned int known_count;

bool kg__is_process(void)
{
    return is_process;
}

void kg__exec_leave_process(void)
{
    if (is_process)
        _exit(UNFIT);
}

void kg__begin_processes(void)
{
    const kg__exec_launch *launch = &kg__running.launch;

    may_fork = launch->watcher != NULL && !kg__blocks_wait() &&
               kg__running.order == KG__MODEL_ASCENDING && kg__count_workers() > 1;
    next_try = SECONDS_ALONE;
    for (unsigned int i = 0; may_fork && i < KERNELS_KNOWN; i++) {
        if (known[i].address != launch->kernel->address)
            continue;
        may_fork = !known[i].alone;
        next_try = SECONDS_KNOWN;
    }
    if (may_fork)
        began = kg__now();
}

/* Returns how many processes the rest of the launch is worth after `taken` seconds; fewer than two:
 * none. */
static unsigned int count_processes(double taken, uint64_t done, uint64_t left)
{
    unsigned int count = kg__count_workers();
    double most;

    if (taken < next_try)
        return 0;
    next_try = 2 * taken;
    seconds_left = taken / (double)done * (double)left;
    most = seconds_left / SECONDS_EACH;
    count = count < PROCESSES_MAXIMUM ? count : PROCESSES_MAXIMUM;
    count = most < (double)count ? (unsigned int)most : count;
    return left < count ? (unsigned int)left : count;
}

static void end_all(const pid_t *processes, unsigned int count, int number)
{
    for (unsigned int i = 0; i < count; i++) {
        if (processes[i] > 0)
            (void)kill(processes[i], number);
    }
}

/* Waits until all processes have ended. Returns whether the results of all of them count. */
static bool wait_for_all(pid_t *processes, unsigned int count)
{
    const uint64_t all = kg__exec_volume(gridDim);
    unsigned int left = count;
    bool good = true;
    bool passed_on = false;

    while (left > 0) {
        for (unsigned int i = 0; i < count; i++) {
            int status = 0;
            const pid_t ended = processes[i] > 0 ? waitpid(processes[i], &status, WNOHANG) : 0;

            if (ended == 0 || (ended < 0 && errno == EINTR))
                continue;
            processes[i] = 0;
            left--;
            if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == DONE)
                continue;
            good = false;
            end_all(processes, count, SIGKILL);
        }
        if (left > 0)
            (void)usleep(WAIT_MICROSECONDS);
        /* The process whose block hangs names its line. */
        if (kg__model_waiting_signal != 0 && !passed_on) {
            passed_on = true;
            end_all(processes, count, SIGTERM);
        }
        kg__tell_ended_blocks(common->claimed < all ? common->claimed : all);
    }
    return good;
}

/* In a new process. */
static void begin_process(FILE *file)
{
    is_process = true;
    results = file;
    kg__running.statistics = (kg__model_statistics){ 0 };
    /* It must not outlive the program, nor run its handlers. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    kg__block_signals(NULL);
    if (!kg__running.launch.ends_on_sigterm)
        (void)signal(SIGTERM, SIG_IGN);
    kg__running.watcher->begin_process();
}

/* Brings together what the processes have done. */
static bool add_results(FILE *const *files, unsigned int count)
{
    const kg__model_statistics before = kg__running.statistics;
    kg__model_statistics added;
    bool good = true;

    for (unsigned int i = 0; good && i < count; i++) {
        rewind(files[i]);
        good = fread(&added, sizeof added, 1, files[i]) == 1;
        if (good)
            kg__add_statistics(&added);
    }
    if (good && kg__running.watcher->add_processes(files, count))
        return true;
    kg__running.statistics = before;
    return false;
}

/* Returns a file that processes have in common; NULL if there can be none. */
static FILE *open_memory(void)
{
    const int made = memfd_create("kernelgate", MFD_CLOEXEC);
    FILE *file = made >= 0 ? fdopen(made, "w+") : NULL;

    if (file == NULL && made >= 0)
        (void)close(made);
    return file;
}

/* Forks processes and waits for them. Returns whether they have run the rest of the launch. */
static bool run_in_processes(unsigned int count)
{
    FILE *files[PROCESSES_MAXIMUM] = { NULL };
    pid_t processes[PROCESSES_MAXIMUM];
    unsigned int started = 0;
    const double forking = kg__now();
    bool good;

    common->claimed = kg__running.statistics.blocks;
    common->is_ending = common->is_ended = false;
    kg__model_hold_sigterm();
    for (; started < count; started++) {
        /* Forks copy the tables of a large program's pages. */
        if (started >= 2 && kg__now() - forking > FORKING * seconds_left) {
            count = started;
            break;
        }
        files[started] = open_memory();
        processes[started] = files[started] != NULL ? fork() : -1;
        if (processes[started] == 0) {
            begin_process(files[started]);
            kg__model_release_sigterm();
            return false;
        }
        if (processes[started] < 0)
            break;
    }
    if (started < count)
        end_all(processes, started, SIGKILL);
    good = wait_for_all(processes, started) && started == count && add_results(files, count);
    for (unsigned int i = 0; i < count; i++) {
        if (files[i] != NULL)
            (void)fclose(files[i]);
    }
    if (common->is_ended)
        kg__model_waiting_signal = 0;
    kg__model_release_sigterm();
    if (common->is_ended)
        kg__fail_as(&common->failure);
    return good;
}

/* Remembers how the launch's kernel is to be run next time. */
static void remember(bool alone)
{
    const void *address = kg__running.launch.kernel->address;
    unsigned int at = 0;

    while (at < KERNELS_KNOWN && known[at].address != address)
        at++;
    at = at < KERNELS_KNOWN ? at : known_count++ % KERNELS_KNOWN;
    known[at] = (struct known_kernel){ address, alone };
}

bool kg__rest_was_run(void)
{
    const uint64_t done = kg__running.statistics.blocks;
    const uint64_t all = kg__exec_volume(gridDim);
    double forking;
    unsigned int count;
    bool good;

    if (!may_fork || done >= all)
        return false;
    forking = kg__now();
    count = count_processes(forking - began, done, all - done);
    if (count < 2 || !kg__running.watcher->may_fork())
        return false;
    if (common == NULL) {
        common =
            mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (common == MAP_FAILED)
            common = NULL;
    }
    may_fork = false;
    if (common == NULL)
        return false;
    good = run_in_processes(count);
    if (!is_process)
        remember(!good || kg__now() - forking > WORTH * seconds_left);
    return good;
}

void kg__next_of_process(void)
{
    const uint64_t number = common->claimed++;

    if (number < kg__exec_volume(gridDim)) {
        blockIdx = kg__exec_index_of(number, gridDim);
        return;
    }
    (void)fwrite(&kg__running.statistics, sizeof kg__running.statistics, 1, results);
    kg__running.watcher->end_process(results);
    _exit(fflush(results) == 0 && ferror(results) == 0 ? DONE : UNFIT);
}

void kg__end_failed_process(void)
{
    if (!is_process)
        return;
    if (kg__running.failure.error != cudaErrorLaunchTimeout)
        _exit(UNFIT);
    /* The program's process ends the others when the first has ended. */
    while (atomic_exchange(&common->is_ending, true))
        (void)pause();
    common->failure = kg__running.failure;
    common->is_ended = true;
    _exit(ENDED);
}
