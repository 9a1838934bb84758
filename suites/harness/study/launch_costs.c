/* Looks at the two costs that a launch in a graph has on some cards (docs/measuring.md): reads
 * both, watches a context that is worn in while nothing else happens, and while processes start on
 * another board of the host, and prints what it saw as one JSON object. Started as `PROGRAM start`
 * it is such a process: it allocates, launches a kernel, and ends. */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
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
/* How long the board is watched once a process has ended. */
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

/* Who watches. */
typedef struct watcher {
    kg__tools tools;
    bool fallen; /* a launch cost the less when it was last read */
} watcher;

/* Reads once what a launch costs, and wears the context in again where that is the less. */
static bool look(watcher *all, sight *seen, kg__error *why)
{
    kg__tools *with = &all->tools;
    double ns;

    if (!kg__loop_time(&with->bench, &with->empty, REPLAYS, &ns, why))
        return false;
    seen->readings++;
    if (kg__launch_cost_check(&with->cost, ns)) {
        all->fallen = false;
        return true;
    }
    seen->falls += !all->fallen;
    all->fallen = true;
    return kg__tools_settle(with, why);
}

static bool watch(watcher *all, double seconds, sight *seen, kg__error *why)
{
    double begun = kg__now();
    bool good = true;

    while (good && kg__now() < begun + seconds)
        good = look(all, seen, why);
    seen->seconds += kg__now() - begun;
    return good;
}

/* Watches until a process has ended. */
static bool watch_process(watcher *all, pid_t process, sight *seen, kg__error *why)
{
    double begun = kg__now();
    bool good = true;
    pid_t ended = 0;
    int status = 0;

    while (good && ended == 0) {
        good = look(all, seen, why);
        ended = waitpid(process, &status, WNOHANG);
    }
    if (ended == 0)
        ended = waitpid(process, &status, 0);
    seen->seconds += kg__now() - begun;
    if (good && (ended != process || !WIFEXITED(status) || WEXITSTATUS(status) != 0))
        return kg__fail(why, "a process on another board failed: see what it says");
    return good;
}

/* Starts processes on another board, one by one, and watches meanwhile. */
static bool watch_starts(watcher *all, char *program, const char *board, sight *seen,
                         kg__error *why)
{
    char *arguments[] = { program, "start", NULL };
    bool good = true;

    if (setenv("CUDA_VISIBLE_DEVICES", board, 1) != 0)
        return kg__fail(why, "out of memory");
    for (int i = 0; i < STARTS && good; i++) {
        pid_t process;

        if (posix_spawn(&process, program, NULL, NULL, arguments, environ) != 0)
            return kg__fail(why, "%s: cannot be started", program);
        good = watch_process(all, process, seen, why) && watch(all, AFTERWARDS_SECONDS, seen, why);
    }
    return good;
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
    watcher all = { 0 };
    sight quiet = { 0 };
    sight started = { 0 };
    char board[64];
    json_t *seen;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool good = nowhere >= 0 || kg__fail(why, "/dev/null cannot be opened");

    good = good && find_other_board(board, sizeof board, why) &&
           kg__tools_open(&all.tools, nowhere, why) && watch(&all, QUIET_SECONDS, &quiet, why) &&
           (board[0] == '\0' || watch_starts(&all, program, board, &started, why));
    kg__tools_close(&all.tools);
    if (nowhere >= 0)
        (void)close(nowhere);
    if (!good)
        return false;
    seen = json_pack("{s:s, s:f, s:f, s:o, s:i, s:o}", "board", kg__device_gpu()->uuid, "cheap_ns",
                     all.tools.cost.cheap_ns, "dear_ns", all.tools.cost.dear_ns, "quiet",
                     sight_of(&quiet), "starts", board[0] == '\0' ? 0 : STARTS, "started",
                     sight_of(&started));
    good = kg__json_print(seen, JSON_INDENT(1), "what was seen");
    json_decref(seen);
    return good;
}

static void say_waiting(void *context, const char *line)
{
    (void)context;
    kg__complain("%s", line);
}

/* Does on the first board what any program does first. */
static bool start(kg__error *why)
{
    void *memory;
    cudaError_t code = cudaMalloc(&memory, BYTES);

    if (code == cudaSuccess)
        code = cudaMemset(memory, 0, BYTES);
    if (code == cudaSuccess)
        code = kg__launch_empty(NULL);
    if (code == cudaSuccess)
        code = cudaDeviceSynchronize();
    return kg__succeeded(code, "starting on another board", why);
}

int main(int argc, char **argv)
{
    json_t *description = NULL;
    kg__error why = { "" };
    bool good = kg__device_open(&description, &why) == KG__DEVICE_READY &&
                kg__device_keep(true, say_waiting, NULL, &why) &&
                (argc == 2 && strcmp(argv[1], "start") == 0 ? start(&why) : study(argv[0], &why));

    json_decref(description);
    if (!good)
        kg__complain("%s", why.text);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
