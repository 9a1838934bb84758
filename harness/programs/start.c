/* SPDX-License-Identifier: MIT */
/* Watches a program from before main() to its end: what every object that `kernelgate nvcc`
 * compiles calls first (model/include/kg_program.h). */
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "model/exec/launch.h"
#include "model/include/kg_program.h"
#include "model/runtime/runtime.h"
#include "model/watch/findings.h"
#include "model/watch/program.h"
#include "model/watch/watch.h"
#include "programs/host_calls.h"
#include "programs/kernels.h"
#include "programs/options.h"
#include "programs/progress.h"
#include "programs/report.h"

/* How a program without counters of coverage of its own ends: what _exit() leaves out. */
extern void __gcov_dump(void) __attribute__((weak));

static kg__program_options options;
static const char *const flavors[] = { "plain", "counting", "checked" };
static const char *first_source; /* of the program's objects */
static unsigned int flavor;      /* theirs */
static bool begun;
static bool reported;
static pid_t process;

/* Reports once, and ends the process where the report says how. */
static void report(const kg__program_end *end)
{
    int code;

    /* A child that forked reports nothing that its parent reports too. */
    if (reported || getpid() != process)
        return;
    reported = true;
    code = kg__program_report(&options, first_source != NULL ? flavors[flavor] : "", end);
    if (code < 0)
        return;
    (void)fflush(NULL);
    if (__gcov_dump != NULL)
        __gcov_dump();
    _exit(code);
}

static void report_at_exit(void)
{
    kg__model_finish_work();
    report(NULL);
}

/* A kernel was running when the time was over. Its message has said where. */
static void report_hang(const kg__model_place *place, const char *file, unsigned int line)
{
    const kg__program_end end = { "the program was ended", file, line };

    (void)place;
    report(&end);
    (void)signal(SIGTERM, SIG_DFL);
    (void)raise(SIGTERM);
}

/* A fault of the host's own code. The report may hang in a lock that the fault left, so the time
 * for it is limited; then the signal does what it would have done. */
static void on_signal(int number)
{
    /* This function, the system's return from it, and the interrupted one, which continues at the
     * instruction itself where a call returns to the next one. */
    void *calls[16] = { 0 };
    const int count = backtrace(calls, sizeof calls / sizeof calls[0]);
    kg__model_source source;
    char why[160];
    kg__program_end end = { .why = why };

    calls[2] = (char *)calls[2] + 1;
    (void)signal(number, SIG_DFL);
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(5);
    source = kg__model_host_source(calls, count);
    end.file = source.file;
    end.line = source.line;
    kg__format(why, sizeof why, "the host's code was ended by signal %d (%s)", number,
               number == SIGTERM ? "terminated" : strsignal(number));
    report(&end);
    (void)raise(number);
}

/* A handler on the host's own stack could not report that this stack overflowed. */
static char handler_stack[1 << 18];

static void catch_signals(void)
{
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM };

    const stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof handler_stack };

    (void)sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_ONSTACK };
        struct sigaction former;

        sigemptyset(&action.sa_mask);
        /* One that the caller has ignored stays so. */
        if (sigaction(numbers[i], NULL, &former) == 0 && former.sa_handler == SIG_DFL)
            (void)sigaction(numbers[i], &action, NULL);
    }
}

/* Has SIGTERM end the program after the option's time: alarm() is the program's own. */
static void start_clock(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM };
    const struct itimerspec time = {
        .it_value = { (time_t)options.timeout,
                      (long)(1e9 * (options.timeout - (double)(time_t)options.timeout)) }
    };
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &time, NULL) != 0) {
        kg__complain("KERNELGATE_OPTIONS: timeout: the system gives no timer: leave it out");
        _exit(KG__EXIT_ERROR);
    }
}

/* A process that the program starts has its environment, but not its judge: its report would
 * replace the program's, and its exit code hide what was found. It reports as by hand. */
static void leave_settings_of_other(void)
{
    static const char setting[] = "KG__PROGRAM";
    const char *other = getenv(setting);
    char number[32];
    kg__error error;

    if (options.counters == NULL)
        return;
    kg__format(number, sizeof number, "%ld", (long)process);
    if (other != NULL && strcmp(other, number) != 0)
        (void)kg__program_options_read(NULL, &options, &error);
    else
        (void)setenv(setting, number, 1);
}

static void begin(void)
{
    kg__error error;

    begun = true;
    process = getpid();
    if (!kg__program_options_read(getenv("KERNELGATE_OPTIONS"), &options, &error)) {
        kg__complain("%s", error.text);
        _exit(KG__EXIT_ERROR);
    }
    leave_settings_of_other();
    kg__model_be_large();
    kg__model_order_streams(options.order == KG__ORDER_REVERSED);
    kg__host_calls_begin();
    kg__exec_set_workers((unsigned int)options.threads);
    kg__program_show_progress(options.progress);
    kg__model_on_hang(report_hang);
    catch_signals();
    if (options.timeout > 0)
        start_clock();
    (void)atexit(report_at_exit);
}

/* A program may have no CUDA source of its own, and call the runtime or its libraries. */
static __attribute__((constructor)) void begin_library(void)
{
    if (!begun)
        begin();
}

/* The kernels of a plain object among checked ones would run unchecked, and inline ones in either
 * way, as the linker chooses. */
static void refuse_flavors(const char *source, unsigned int what)
{
    if (first_source == NULL) {
        first_source = source;
        flavor = what;
    } else if (what != flavor) {
        kg__complain("%s was compiled with --kg-flavor=%s, and %s with --kg-flavor=%s: compile all "
                     "of a program with one of them",
                     source, flavors[what], first_source, flavors[flavor]);
        _exit(KG__EXIT_ERROR);
    }
}

void kg__program_begin(const char *headers, unsigned int what, const char *source)
{
    if (!begun)
        begin();
    refuse_flavors(source, what);
    kg__model_headers = headers;
    if (what != 0 && options.counters != NULL)
        what |= KG__MODEL_COUNT;
    /* Skipped blocks make the program's results wrong: only when asked for. */
    kg__model_watch(what, (uint64_t)options.sample * 1000000);
    if (what != 0)
        kg__program_kernels_begin();
}
