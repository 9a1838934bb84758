/* SPDX-License-Identifier: MIT */
/* Blocks that wait for others. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <criterion/redirect.h>
#include <string.h>

#include "device/device.h"
#include "model/runtime/runtime.h"
#include "observer/check.h"
#include "tests/model/model_fixture.h"
#include "tests/model/wait_kernels.h"

#define EVERY_WAY                                                                                  \
    static way_to_wait ways[] = { BY_CUDA_ATOMIC, BY_VOLATILE, BY_VOLATILE_AND_NAPS,               \
                                  BY_COMPARISONS, BY_SUMS,     BY_BARRIERS };                      \
                                                                                                   \
    return cr_make_param_array(way_to_wait, ways, LENGTH(ways))

/* Has three blocks take turns; returns what they sum up. */
static int take_turns(way_to_wait how, bool falling)
{
    int *turn = device(sizeof *turn, 0);
    int *sum = device(sizeof *sum, 0);

    OK(launch_take_turns(line(3, 64), how, falling, turn, sum));
    return *sum;
}

ParameterizedTestParameters(waits, end_in_the_order_that_they_rely_on)
{
    EVERY_WAY;
}

ParameterizedTest(const way_to_wait *how, waits, end_in_the_order_that_they_rely_on, .timeout = 60)
{
    const kg__model_wait *wait;

    cr_expect(take_turns(*how, false) == 12);
    kg__model_set_order(KG__MODEL_REVERSED);
    cr_expect(take_turns(*how, false) == 0);
    wait = kg__model_gave_up();
    cr_assert(wait != NULL);
    cr_expect(take_turns(*how, true) == 0, "what follows is not run");
    cr_expect(wait->place.block.x == 2);
    cr_expect(strncmp(wait->place.kernel, "take_turns", 10) == 0, "%s", wait->place.kernel);
    cr_expect(wait->line > 0 && strstr(wait->file, "wait_kernels.cpp") != NULL, "%s", wait->file);
    kg__model_set_order(KG__MODEL_REVERSED);
    cr_expect(kg__model_gave_up() == NULL && take_turns(*how, true) == 210);
}

ParameterizedTestParameters(waits, for_later_blocks_need_a_cooperative_launch)
{
    EVERY_WAY;
}

ParameterizedTest(const way_to_wait *how, waits, for_later_blocks_need_a_cooperative_launch,
                  .init = cr_redirect_stderr, .timeout = 60)
{
    cudaLaunchAttribute attribute = { .id = cudaLaunchAttributeCooperative, .val.cooperative = 1 };
    cudaLaunchConfig_t config = *line(20, 64);
    const bool together = *how == BY_COMPARISONS;
    int *words = device(2 * sizeof *words, 0);
    const char *text;

    /* Nothing of the model's is called in a loop that reads memory alone. */
    if (*how == BY_VOLATILE)
        cr_skip("it ends when its process is ended");
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(launch_take_turns(&config, *how, true, words, words + 1));
    cr_expect(words[0] == 20, "%d", words[0]);
    words[0] = together ? 20 : 0; /* 20: nobody's turn */
    config.numAttrs = together;
    cr_expect(launch_take_turns(&config, *how, true, words, words + 1) == cudaErrorLaunchFailure);
    text = complaints();
    cr_expect(strstr(text, ", thread (0, 0, 0): deadlock: 1 thread of the block waits at "
                           "wait_kernels.cpp:") != NULL &&
                  strstr(text, together ? "has written\n" : "one that starts later") != NULL,
              "%s", text);
}

static cudaError_t launch_turns(const kg_call *call)
{
    cudaLaunchConfig_t config = *line(3, 64);

    config.stream = call->stream;
    OK(cudaMemsetAsync(call->argument[0], 0, 8, call->stream));
    return launch_take_turns(&config, BY_CUDA_ATOMIC, false, call->argument[0],
                             (int *)call->argument[0] + 1);
}

static void arguments(const kg_size *size, kg_arguments *list)
{
    (void)size;
    kg_add_argument(list, KG_OUTPUT, "turn_and_sum", KG_INT32, 1, 2);
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    (void)problem;
    (void)output;
    expected[0] = 3;
    expected[1] = 12;
    tolerance[0] = tolerance[1] = 0;
}

/* What is right in ascending order is right, with a note. */
Test(waits, for_earlier_blocks_are_a_note)
{
    static const kg_comparison comparison = {
        .name = "turns", .home = "/nowhere", .arguments = arguments, .reference = reference
    };
    static const kg_size size = KG_CHECKED(1);
    const kg_variant variant = { .name = "turns", .launch = launch_turns };
    const kg__case c = { .variant = &variant, .size = &size, .id = "turns" };
    kg__checker checker = { 0 };
    kg__error why = { "" };

    cr_assert(kg__check_case(&checker, &comparison, &c, &why) == KG__RIGHT, "%s", why.text);
    cr_expect(checker.in_order);
    cr_expect(strstr(why.text, "block (2,0,0), thread (0,0,0) of take_turns") != NULL, "%s",
              why.text);
    kg__checker_free(&checker);
}
