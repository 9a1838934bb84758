/* Looks at the two costs that a launch in a graph has on some GPUs (docs/measuring.md): reads
 * both, watches a warmed-up context while nothing else happens, and while processes start on
 * another board of the host, and prints what it saw as one JSON object. A process that sees the
 * other board as well is left alone by what starts there, so that it starts itself again, as
 * `PROGRAM watch BOARD`, with its own board alone to be seen. As `PROGRAM start` it is a process
 * that starts: it allocates, launches a kernel, and ends. */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "device/sentinels.h"
#include "judge/launch_cost.h"
#include "observer/time_bench.h"
#include "records/records.h"

#define QUIET_SECONDS 10.0
#define STARTS 10
/* How long the board is watched once a process has ended. */
#define AFTERWARDS_SECONDS 0.1
#define REPLAYS 5
#define BYTES ((size_t)1 << 20)

extern char **environ;

/* What was seen while the GPU was watched. */
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

/* Reads once what a launch costs, and warms the context up again where that is the less. */
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

/* Starts this program again, to watch the first board and start processes on the last one, if that
 * is another. Returns where that fails alone. */
static void watch_first_board(char *program, kg__error *why)
{
    char *arguments[] = { program, "watch", NULL, NULL };
    kg__boards boards = { .list = NULL };

    if (kg__device_boards(&boards, why) != KG__DEVICE_READY)
        return;
    if (boards.count > 1)
        arguments[2] = boards.list[boards.count - 1].uuid;
    if (setenv("CUDA_VISIBLE_DEVICES", boards.list[0].uuid, 1) == 0)
        (void)execv(program, arguments);
    kg__fail(why, "%s: cannot be started", program);
    free(boards.list);
}

static json_t *sight_of(const sight *seen)
{
    return json_pack("{s:f, s:i, s:i}", "seconds", seen->seconds, "readings", seen->readings,
                     "falls", seen->falls);
}

/* Watches the only board that is seen, and starts processes on `board`, unless that is NULL. */
static bool study(char *program, const char *board, kg__error *why)
{
    watcher all = { 0 };
    sight quiet = { 0 };
    sight started = { 0 };
    json_t *seen;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool good = nowhere >= 0 || kg__fail(why, "/dev/null cannot be opened");

    good = good && kg__tools_open(&all.tools, nowhere, why) &&
           watch(&all, QUIET_SECONDS, &quiet, why) &&
           (board == NULL || watch_starts(&all, program, board, &started, why));
    kg__tools_close(&all.tools);
    if (nowhere >= 0)
        (void)close(nowhere);
    if (!good)
        return false;
    seen = json_pack("{s:s, s:f, s:f, s:o, s:i, s:o}", "board", kg__device_gpu()->uuid, "cheap_ns",
                     all.tools.cost.low_ns, "dear_ns", all.tools.cost.high_ns, "quiet",
                     sight_of(&quiet), "starts", board == NULL ? 0 : STARTS, "started",
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

static bool work(int argc, char **argv, kg__error *why)
{
    kg__device_description device = { .target = { .key = "" } };
    bool good;

    if (argc == 1) {
        watch_first_board(argv[0], why);
        return false;
    }
    good = kg__device_open(&device, why) == KG__DEVICE_READY &&
           kg__device_keep(true, say_waiting, NULL, why) &&
           (strcmp(argv[1], "start") == 0 ? start(why) : study(argv[0], argv[2], why));
    kg__provenance_free(&device.provenance);
    return good;
}

int main(int argc, char **argv)
{
    kg__error why = { "" };

    if (work(argc, argv, &why))
        return EXIT_SUCCESS;
    kg__complain("%s", why.text);
    return EXIT_FAILURE;
}
