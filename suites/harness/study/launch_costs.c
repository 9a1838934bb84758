/* Looks at the two costs that a launch in a graph has on some cards (docs/measuring.md): reads
 * both, watches a context that is worn in while nothing else happens, and while processes start on
 * another board of the host, and prints what it saw as one JSON object. Started as `PROGRAM start`
 * it is such a process: it allocates, launches a kernel, and ends. */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "device.h"
#include "device_gpu.h"
#include "launch_cost.h"
#include "records.h"
#include "sentinels.h"
#include "tools_gpu.h"

#define QUIET_SECONDS 10.0
#define STARTS 10
/* How long the card is watched once a process has ended. */
#define AFTERWARDS_SECONDS 0.1
#define REPLAYS 5
#define BYTES ((size_t)1 << 20)

extern char **environ;

/* What was seen while the card was watched. */
typedef struct sight {
    double seconds;
    int readings;
    int falls; /* how often a launch fell back to the cheaper cost */
} sight;

/* Reads once what a launch costs, and wears the context in again where that is the less. */
static bool look(kg__tools *with, sight *seen, kg__error *why)
{
    double ns;

    if (!kg__loop_time(&with->bench, &with->empty, REPLAYS, &ns, why))
        return false;
    seen->readings++;
    if (kg__launch_cost_holds(&with->cost, ns))
        return true;
    seen->falls++;
    return kg__tools_settle(with, why);
}

/* Watches until a moment, and until a process (0: none) has ended that is then given up. */
static bool watch(kg__tools *with, double until, pid_t process, sight *seen, kg__error *why)
{
    double begun = kg__now();

    while (process != 0 || kg__now() < until) {
        int status;

        if (process != 0 && waitpid(process, &status, WNOHANG) == process) {
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                return kg__fail(why, "a process on another board failed");
            process = 0;
            until = kg__now() + AFTERWARDS_SECONDS;
        }
        if (!look(with, seen, why))
            return false;
    }
    seen->seconds += kg__now() - begun;
    return true;
}

/* Does what any program does first. */
static int start(void)
{
    void *memory;
    cudaError_t code = cudaMalloc(&memory, BYTES);

    if (code == cudaSuccess)
        code = cudaMemset(memory, 0, BYTES);
    if (code == cudaSuccess)
        code = kg__launch_empty(NULL);
    if (code == cudaSuccess)
        code = cudaDeviceSynchronize();
    return code == cudaSuccess ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Starts processes on another board, one by one, and watches meanwhile. */
static bool watch_starts(kg__tools *with, char *program, const char *board, sight *seen,
                         kg__error *why)
{
    char *arguments[] = { program, "start", NULL };

    if (setenv("CUDA_VISIBLE_DEVICES", board, 1) != 0)
        return kg__fail(why, "out of memory");
    for (int i = 0; i < STARTS; i++) {
        pid_t process;

        if (posix_spawn(&process, program, NULL, NULL, arguments, environ) != 0)
            return kg__fail(why, "%s: cannot be started", program);
        if (!watch(with, 0, process, seen, why))
            return false;
    }
    return true;
}

/* The UUID of a board that is not the opened one; "" where there is none. */
static bool find_other_board(char *board, size_t size, kg__error *why)
{
    json_t *boards;
    const json_t *one;
    size_t i;

    board[0] = '\0';
    if (kg__device_boards(&boards, why) != KG__DEVICE_READY)
        return false;
    json_array_foreach (boards, i, one) {
        if (strcmp(kg__json_text(one, "uuid"), kg__device_gpu()->uuid) != 0)
            kg__format(board, size, "%s", kg__json_text(one, "uuid"));
    }
    json_decref(boards);
    return true;
}

static json_t *sight_of(const sight *seen)
{
    return json_pack("{s:f, s:i, s:i}", "seconds", seen->seconds, "readings", seen->readings,
                     "falls", seen->falls);
}

static bool study(char *program, kg__error *why)
{
    kg__tools with = { 0 };
    sight quiet = { 0 };
    sight started = { 0 };
    char board[64];
    json_t *seen;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool good = nowhere >= 0 || kg__fail(why, "/dev/null cannot be opened");

    good = good && find_other_board(board, sizeof board, why) &&
           kg__tools_open(&with, nowhere, why) &&
           watch(&with, kg__now() + QUIET_SECONDS, 0, &quiet, why) &&
           (board[0] == '\0' || watch_starts(&with, program, board, &started, why));
    kg__tools_close(&with);
    if (nowhere >= 0)
        (void)close(nowhere);
    if (!good)
        return false;
    seen = json_pack("{s:s, s:f, s:f, s:o, s:i}", "board", kg__device_gpu()->uuid, "least_ns",
                     with.cost.least_ns, "most_ns", with.cost.most_ns, "quiet", sight_of(&quiet),
                     "starts", board[0] == '\0' ? 0 : STARTS);
    json_object_set_new(seen, "started", sight_of(&started));
    good = kg__json_print(seen, JSON_INDENT(1), "what was seen");
    json_decref(seen);
    return good;
}

static void say_waiting(void *context, const char *line)
{
    (void)context;
    kg__complain("%s", line);
}

int main(int argc, char **argv)
{
    json_t *description = NULL;
    kg__error why = { "" };
    bool good;

    if (argc == 2 && strcmp(argv[1], "start") == 0)
        return start();
    good = kg__device_open(&description, &why) == KG__DEVICE_READY &&
           kg__device_keep(true, say_waiting, NULL, &why) && study(argv[0], &why);
    json_decref(description);
    if (!good)
        kg__complain("%s", why.text);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
