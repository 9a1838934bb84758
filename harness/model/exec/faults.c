/* SPDX-License-Identifier: MIT */
/* Faults: signals, hangs and deadlocks. Each ends the launch from within one of its threads. */
#include "model/exec/faults.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/copies.h"
#include "model/exec/grid.h"
#include "model/exec/mbarriers.h"
#include "model/exec/processes.h"
#include "model/exec/workers.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define SIGNAL_STACK ((size_t)64 * 1024)
/* Seconds that a process may take after SIGTERM to name the line; it takes some milliseconds.
 * The observer's parent waits for 5 s (observer.c). */
#define SECONDS_TO_NAME 3

/* Leaves the kernel for good. The fibers keep their state; the host thread resets them. */
static void leave(void) __attribute__((noreturn));
static void leave(void)
{
    void *abandoned;

    kg__model_switch(kg__running.threads[kg__running.current].fiber, &abandoned, NULL,
                     kg__running.host_context);
    __builtin_unreachable();
}

/* Ends the launch from within one of its threads. */
static void fail(cudaError_t error) __attribute__((noreturn));
static void fail(cudaError_t error)
{
    kg__leave_straight();
    kg__running.failure.error = error;
    kg__model_where(&kg__running.failure.place);
    kg__end_failed_process();
    leave();
}

void kg__fail_as(const kg__exec_failure *failure)
{
    kg__running.failure = *failure;
    leave();
}

void kg__model_trap(cudaError_t error, const char *what)
{
    kg__format(kg__running.failure.text, sizeof kg__running.failure.text, "%s", what);
    if (kg__running.failure.code == 0)
        kg__running.failure.code = (uintptr_t)__builtin_return_address(0);
    fail(error);
}

void kg__model_call_by_host_address(const char *function, const void *code)
{
    const char *name = strrchr(function, '=');

    if (!kg__model_where(NULL))
        return;
    kg__format(kg__running.failure.text, sizeof kg__running.failure.text,
               "it calls the host's address of the __device__ function%.*s: take the address in a "
               "__device__ variable, and copy it by cudaMemcpyFromSymbol(); called",
               (int)strcspn(name + 1, ";]"), name + 1);
    kg__running.failure.code = (uintptr_t)code;
    fail(cudaErrorMisalignedAddress); /* as on an H200 */
}

void kg__fail_wrong(kg__finding_kind found, uintptr_t code, const char *what)
{
    kg__running.failure.is_wrong = true;
    kg__running.failure.found = found;
    kg__running.failure.code = code;
    kg__model_trap(cudaErrorLaunchFailure, what);
}

/* Returns a thread that polls; one that polls an mbarrier object only where all do, since a value
 * may be another block's. */
static int find_polling(void)
{
    char what[128];
    int found = -1;

    for (int i = 0; i < kg__running.thread_count; i++) {
        if ((kg__running.warps[i / KG__MODEL_WARP].polling >> i % KG__MODEL_WARP & 1) == 0)
            continue;
        if (!kg__describe_mbarrier(kg__running.threads[i].polled, what, sizeof what))
            return i;
        found = found < 0 ? i : found;
    }
    return found;
}

void kg__fail_deadlock(void)
{
    kg__exec_failure *failure = &kg__running.failure;
    const kg__warp *warp;
    const kg__thread *example;
    int waiting = 0;
    int number = 0;
    int at_object = kg__thread_at_object(&failure->deadlock.at_object);
    char what[128];
    char text[256];

    /* It waits for a block that was given up: only the failure that ended the launch counts. A
     * signal instead could interrupt a switch of fibers, and once did. */
    if (kg__running.polling > 0 && kg__running.queue != NULL && kg__running.queue->stopped)
        fail(cudaErrorUnknown);
    for (int i = kg__running.warp_count; i-- > 0;) {
        if (kg__running.warps[i].waiting == 0)
            continue;
        waiting += __builtin_popcount(kg__running.warps[i].waiting);
        number = i * KG__MODEL_WARP + __builtin_ctz(kg__running.warps[i].waiting);
    }
    if (waiting == 0 && at_object >= 0)
        number = at_object;
    if (kg__running.polling > 0)
        number = find_polling();
    kg__running.current = number;
    example = &kg__running.threads[number];
    if (kg__running.polling > 0 && kg__describe_mbarrier(example->polled, what, sizeof what)) {
        kg__format(text, sizeof text, "deadlock: %d threads of the block poll, this one %s",
                   kg__running.polling, what);
        kg__fail_wrong(KG__DEADLOCK, example->code, text);
    }
    warp = &kg__running.warps[number / KG__MODEL_WARP];
    failure->is_deadlock = true;
    failure->deadlock.at_barrier = kg__running.arrived;
    failure->deadlock.barrier = kg__running.first_barrier;
    failure->deadlock.in_warp_operations = waiting;
    failure->deadlock.operation = example->code;
    failure->deadlock.is_group =
        waiting > 0 && kg__running.polling == 0 && example->operation == KG__MODEL_GROUP;
    failure->deadlock.mask = example->mask;
    failure->deadlock.waiting = warp->waiting & example->mask;
    failure->deadlock.live = warp->live;
    failure->deadlock.polling = kg__running.polling;
    failure->deadlock.is_together = kg__running.launch.is_cooperative;
    failure->deadlock.at_grid = kg__running.at_grid;
    failure->deadlock.grid = kg__running.grid_barrier;
    failure->deadlock.is_cluster = kg__exec_cluster_size() > 1;
    failure->deadlock.ended_blocks = 0;
    fail(cudaErrorLaunchFailure);
}

/* SIGTERM is only caught when it ends the launch; SIGVTALRM is the launch's own clock. */
static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGVTALRM, SIGTERM };
#define FAULT_SIGNALS (sizeof fault_signals / sizeof fault_signals[0])

static struct sigaction former_actions[FAULT_SIGNALS];
static stack_t former_stack;
static sigset_t former_mask;
static unsigned char signal_stack[SIGNAL_STACK];

static size_t caught_signals(void)
{
    return kg__running.launch.ends_on_sigterm ? FAULT_SIGNALS : FAULT_SIGNALS - 1;
}

static _Unwind_Reason_Code keep_call(struct _Unwind_Context *call, void *data)
{
    kg__exec_failure *failure = data;
    int before = 0;
    uintptr_t code = _Unwind_GetIPInfo(call, &before);

    /* An interrupted thread continues at the interrupted instruction, a call at the next one. */
    failure->calls[failure->call_count++] = code + (before != 0);
    return failure->call_count < KG__EXEC_CALLS_MAXIMUM ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Ends a process that did not name the line in time, by the signal that it was sent. */
static void end_unnamed(int number)
{
    (void)number;
    (void)signal(SIGTERM, SIG_DFL);
    (void)kill(getpid(), SIGTERM);
}

/* Limits the time until the process ends, or until the hang has been reported. */
static void start_clock(void)
{
    struct sigaction action = { .sa_handler = end_unnamed };
    sigset_t mask;

    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sigdelset(&mask, SIGALRM);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigdelset(&former_mask, SIGALRM);
    (void)alarm(SECONDS_TO_NAME);
}

/* Ends a launch after SIGTERM. Unlike a fault this can interrupt the model itself or the C
 * library; only the message that follows uses their incomplete state. Both the message and the
 * unwinder can wait for a lock that the interrupted code, or another thread, never releases: the
 * process then ends without a message. */
static void end_hang(void) __attribute__((noreturn));
static void end_hang(void)
{
    start_clock();
    kg__running.failure.call_count = 0;
    (void)_Unwind_Backtrace(keep_call, &kg__running.failure);
    fail(cudaErrorLaunchTimeout);
}

/* Describes why an access failed, using only what a signal handler may. */
static void describe_bad_access(const siginfo_t *information, char *text, size_t size)
{
    const void *address = information->si_addr;
    const kg__model_freed *freed = kg__model_find_freed(address);
    char where[224];

    /* The processor does not report the address if it is not canonical. */
    if (information->si_code == SI_KERNEL) {
        kg__format(text, size,
                   "a misaligned access, or one far outside of all memory, at an unknown address");
    } else if (freed != NULL) {
        kg__model_describe_freed(freed, (uintptr_t)address, where, sizeof where);
        kg__format(text, size, "an access to %s", where);
    } else {
        kg__format(text, size, "an access to address %p, which is not mapped", address);
    }
}

/* What a call would return to that is where a signal interrupted its thread; 0 unknown. */
static uintptr_t interrupted_at(const void *machine)
{
#ifdef __x86_64__
    return (uintptr_t)((const ucontext_t *)machine)->uc_mcontext.gregs[REG_RIP] + 1;
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)machine)->uc_mcontext.pc + 1;
#else
    (void)machine;
    return 0;
#endif
}

/* Returns the return address of the call that jumped to an unmapped address; 0 for other faults. */
static uintptr_t called_from(const siginfo_t *information, const void *machine)
{
    const uintptr_t address = (uintptr_t)information->si_addr;
#ifdef __x86_64__
    const greg_t *registers = ((const ucontext_t *)machine)->uc_mcontext.gregs;

    return (uintptr_t)registers[REG_RIP] == address ? *(const uintptr_t *)registers[REG_RSP] : 0;
#elif defined(__aarch64__)
    const mcontext_t *registers = &((const ucontext_t *)machine)->uc_mcontext;

    return registers->pc == address ? registers->regs[30] : 0;
#else
    (void)machine;
    return 0;
#endif
}

/* Ends a launch whose kernel called a function by an invalid pointer. The errors are an H200's: its
 * instructions are aligned to 16 bytes, and a misaligned address is an error of its own. */
static void end_wild_call(const void *address, uintptr_t code) __attribute__((noreturn));
static void end_wild_call(const void *address, uintptr_t code)
{
    kg__running.failure.code = code;
    kg__format(kg__running.failure.text, sizeof kg__running.failure.text,
               "a call by the pointer %p, which is not the address of a function,", address);
    fail((uintptr_t)address % 16 != 0 ? cudaErrorInvalidPc : cudaErrorIllegalAddress);
}

bool kg__skips_division;

#ifdef __x86_64__
/* Returns the length of `div` or `idiv`: a prefix for 16 bits, REX, F6 or F7, ModRM, and what that
 * asks for (Intel's manual, volume 2, section 2.1); 0 of another instruction. */
static size_t division_length(const unsigned char *code)
{
    size_t at = code[0] == 0x66;
    unsigned int kind;
    unsigned int base;

    at += (code[at] & 0xf0) == 0x40;
    if ((code[at] | 1) != 0xf7 || (code[at + 1] >> 4 & 3) != 3)
        return 0;
    kind = code[at + 1] >> 6;
    base = code[at + 1] & 7;
    at += 2;
    if (kind != 3 && base == 4)
        base = code[at++] & 7;
    if (kind == 2 || (kind == 0 && base == 5))
        return at + 4;
    return at + (kind == 1);
}
#endif

/* Steps over a division by zero that has been told. */
static bool skip_division(void *machine)
{
#ifdef __x86_64__
    greg_t *registers = ((ucontext_t *)machine)->uc_mcontext.gregs;
    const size_t length = division_length((const unsigned char *)registers[REG_RIP]);

    if (!kg__skips_division || length == 0)
        return false;
    registers[REG_RAX] = registers[REG_RDX] = -1;
    registers[REG_RIP] += (greg_t)length;
    return true;
#else
    (void)machine;
    return false;
#endif
}

/* Leaves the kernel for good: neither this function nor the kernel's fiber is ever returned to.
 * The host thread prints the message, because nothing may be called here that is not safe in a
 * signal handler. */
static void on_fault(int number, siginfo_t *information, void *machine)
{
    /* One by another worker is for a block that has ended meanwhile. */
    if (!kg__in_kernel &&
        (number == SIGVTALRM || (number == SIGTERM && (information->si_code == SI_QUEUE ||
                                                       kg__workers_take_signal(number)))))
        return;
    /* The other workers' blocks are given up after one has failed. */
    if (kg__in_kernel && number == SIGTERM && kg__running.queue != NULL &&
        kg__running.queue->stopped)
        fail(cudaErrorUnknown);
    if (!kg__in_kernel) {
        /* Another host thread's fault: let it recur, with the previous handler. */
        for (size_t i = 0; i < caught_signals(); i++) {
            if (fault_signals[i] == number)
                sigaction(number, &former_actions[i], NULL);
        }
        if (number == SIGABRT || number == SIGTERM)
            raise(number);
        return;
    }
    if ((number == SIGTERM || number == SIGVTALRM) && kg__model_defers_signal(number))
        return;
    if (number == SIGFPE && skip_division(machine))
        return;
    kg__running.failure.is_overdue = number == SIGVTALRM;
    if (number == SIGTERM || number == SIGVTALRM)
        end_hang();
    kg__running.failure.code = interrupted_at(machine);
    if (number == SIGABRT)
        kg__model_trap(
            cudaErrorAssert,
            "the kernel called abort(): an assert failed, or the C library found an error");
    if (number == SIGFPE)
        kg__model_trap(cudaErrorLaunchFailure,
                       "an integer is divided by zero, which hardware leaves undefined");
    if (kg__model_in_guard(information->si_addr)) {
        kg__format(
            kg__running.failure.text, sizeof kg__running.failure.text,
            "the stack overflowed its %zu KiB: the recursion is too deep, the local arrays are "
            "too large, or an index left one of them",
            KG__MODEL_STACK / 1024);
        fail(cudaErrorHardwareStackError);
    }
    if (called_from(information, machine) != 0)
        end_wild_call(information->si_addr, called_from(information, machine));
    describe_bad_access(information, kg__running.failure.text, sizeof kg__running.failure.text);
    fail(cudaErrorIllegalAddress);
}

void kg__catch_faults(void)
{
    stack_t stack = { .ss_sp = signal_stack, .ss_size = sizeof signal_stack };
    struct sigaction action = { .sa_sigaction = on_fault,
                                .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

    kg__skips_division = false;
    sigemptyset(&action.sa_mask);
    sigaltstack(&stack, &former_stack);
    for (size_t i = 0; i < caught_signals(); i++)
        sigaction(fault_signals[i], &action, &former_actions[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &former_mask);
}

void kg__limit_time(double seconds)
{
    const struct timeval first = { (time_t)seconds,
                                   (suseconds_t)((seconds - floor(seconds)) * 1e6) };
    const struct timeval again = { 0, seconds > 0 ? 100000 : 0 };

    (void)setitimer(ITIMER_VIRTUAL, &(struct itimerval){ again, first }, NULL);
}

void kg__release_faults(void)
{
    for (size_t i = 0; i < caught_signals(); i++)
        sigaction(fault_signals[i], &former_actions[i], NULL);
    sigaltstack(&former_stack, NULL);
    pthread_sigmask(SIG_SETMASK, &former_mask, NULL);
}
