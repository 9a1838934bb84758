/* SPDX-License-Identifier: MIT */
/* Host calls of programs: launches by pointers, memory in the order of a stream, streams that fork
 * and join, symbols, occupancy and hints. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/runtime/runtime.h"
#include "tests/model/host_call_kernels.h"
#include "tests/model/watch_fixture.h"

#define ROW(name) #name, call_##name

static const struct {
    const char *name;
    launcher *call;
    cudaError_t code;
    const char *failure; /* what kg__model_failure() has */
} rows[] = {
    { ROW(untyped), cudaSuccess, "" },
    { ROW(untyped_ex), cudaSuccess, "" },
    { ROW(untyped_template), cudaSuccess, "" },
    { ROW(untyped_cooperative), cudaSuccess, "" },
    { ROW(untyped_more), cudaSuccess, "" },
    { ROW(untyped_lineless), cudaErrorNotSupported, "kernel unknown: its parameters" },
    { ROW(typed), cudaSuccess, "" },
    { ROW(typed_ex), cudaSuccess, "" },
    { ROW(typed_cooperative), cudaSuccess, "" },
    { ROW(dependent), cudaSuccess, "" },
    { ROW(symbols), cudaSuccess, "" },
    { ROW(pools), cudaSuccess, "" },
    { ROW(potential_block), cudaSuccess, "" },
    { ROW(hints), cudaSuccess, "" },
    { ROW(libraries), cudaErrorNotSupported, "Sum(), of CUB's algorithms for the whole" },
};

Test(host_calls, give_what_cuda_gives)
{
    for (size_t i = 0; i < LENGTH(rows) * 2; i++) {
        const size_t row = i / 2;
        watch_data data;
        cudaLaunchConfig_t config = { .gridDim = single, .blockDim = line(32) };
        cudaError_t code;

        call_expected = 0.0f;

        kg__model_watch(i % 2 == 0 ? BOTH : 0, 0);
        data = make_data(64);
        config.stream = kg__model_begin_call();
        code = rows[row].call(&config, data);
        cr_assert(code == rows[row].code, "%s: %s", rows[row].name, cudaGetErrorName(code));
        (void)cudaGetLastError();
        cr_assert(strstr(kg__model_failure(), rows[row].failure) != NULL, "%s: %s", rows[row].name,
                  kg__model_failure());
        for (int at = 0; code == cudaSuccess && at < 32; at++)
            cr_assert(data.b[at] == call_expected, "%s: [%d] is %g, not %g", rows[row].name, at,
                      (double)data.b[at], (double)call_expected);
        cr_assert(kg__model_uncapturable() == 0 || strcmp(rows[row].name, "hints") == 0);
        if (i % 2 == 0)
            expect_clean(rows[row].name);
    }
}

/* Steps of a launcher on the stream of its call (0) and on others: F waits for another stream and W
 * works, each followed by the numbers of its streams. */
static const struct {
    const char *steps;
    size_t astray;
} orders[] = {
    { "W0", 0 },
    { "W1", 1 },
    { "F10W1", 1 },            /* never joined */
    { "F10W1F01", 0 },         /* forked and joined */
    { "F10W1F01W1", 2 },       /* works after it was joined: neither piece is waited for */
    { "F10W1F01W1F01", 0 },    /* joined again */
    { "F10F20W1W2F12F01", 0 }, /* joined by way of another */
    { "F10F20W1W2F01", 1 },    /* one of two */
    { "F10F21W2F02", 0 },      /* forked from one that was forked */
    { "W1F10W1F01", 1 },       /* worked before it was forked */
    { "F12W1F01", 1 },         /* forked from a stream that was not */
};

Test(host_calls, other_streams_fork_from_the_call_and_join_it)
{
    cudaStream_t streams[3];
    cudaEvent_t event;
    char *memory = NULL;

    cr_assert(cudaMalloc((void **)&memory, 4) == cudaSuccess);
    cr_assert(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking) == cudaSuccess);
    cr_assert(cudaStreamCreateWithPriority(&streams[2], cudaStreamNonBlocking, -1) == cudaSuccess);
    cr_assert(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
    for (size_t i = 0; i < LENGTH(orders); i++) {
        streams[0] = kg__model_begin_call();
        for (const char *at = orders[i].steps; *at != '\0'; at += at[0] == 'F' ? 3 : 2) {
            cudaStream_t stream = streams[at[1] - '0'];

            if (at[0] == 'W') {
                cr_assert(cudaMemsetAsync(memory, 1, 4, stream) == cudaSuccess);
                continue;
            }
            cr_assert(cudaEventRecord(event, streams[at[2] - '0']) == cudaSuccess);
            cr_assert(cudaStreamWaitEvent(stream, event, 0) == cudaSuccess);
        }
        cr_expect(kg__model_other_stream_work() == orders[i].astray, "%s: %zu", orders[i].steps,
                  kg__model_other_stream_work());
    }
    streams[0] = kg__model_begin_call();
    cr_assert(cudaEventRecord(event, streams[0]) == cudaSuccess);
    cr_assert(cudaStreamWaitEvent(streams[1], event, 0) == cudaSuccess);
    cr_assert(cudaMemsetAsync(memory, 1, 4, streams[1]) == cudaSuccess);
    cr_assert(cudaStreamDestroy(streams[1]) == cudaSuccess);
    cr_expect(kg__model_other_stream_work() == 1, "destroyed before it was joined");
    cr_expect(cudaStreamWaitEvent(streams[1], event, 0) == cudaErrorInvalidResourceHandle);
    cr_expect(cudaStreamWaitEvent(streams[2], event, 8) == cudaErrorInvalidValue);
}
