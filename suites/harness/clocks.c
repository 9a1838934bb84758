/* Sampling by CUDA graphs on a GPU that is not there: by which of two costs of a launch samples are
 * taken. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake_graphs.h"
#include "records.h"
#include "tools_gpu.h"

#define BODY_NS 3000.0
#define CHEAP_NS 502.0
#define DEAR_NS 680.0
#define BUDGET_MS 250.0

static kg__tools with;
static kg__series *series;
static int nowhere;
static kg__error why;

static void begin(void)
{
    fake = (fake_graphs){ .cheap_ns = CHEAP_NS, .dear_ns = DEAR_NS, .wears = true };
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    series = calloc(1, sizeof *series);
    cr_assert(nowhere >= 0 && series != NULL);
}

static void end(void)
{
    kg__graph_discard(series);
    kg__tools_close(&with);
    free(series);
    (void)close(nowhere);
}

TestSuite(clocks, .init = begin, .fini = end, .timeout = 60);

static void open_tools(void)
{
    cr_assert(kg__tools_open(&with, nowhere, &why), "%s", why.text);
}

static cudaError_t launch(const kg__timed *what, int number)
{
    (void)number;
    return fake_launch(*(const double *)what->context);
}

/* Samples a kernel, and expects every sample to be within a thousandth of `ns`. */
static void expect_samples(double body_ns, double ns)
{
    kg__timed what = { launch, &body_ns, with.bench.stream };

    kg__graph_discard(series);
    kg__bench_forget(&with.bench);
    cr_assert(kg__graph_prepare(&with.bench, &what, 1, BUDGET_MS, series, &why), "%s", why.text);
    cr_assert(kg__graph_sample(&with.bench, &series, 1, &why), "%s", why.text);
    cr_assert(series->count >= 12);
    for (size_t i = 0; i < series->count; i++)
        cr_assert(fabs(series->samples[i] / ns - 1) < 0.001, "sample %zu: %g", i,
                  series->samples[i]);
}

/* What was seen of the card since the last sampling began; 0: nothing. */
static json_int_t seen(const char *key)
{
    return json_integer_value(json_object_get(with.bench.watch.state, key));
}

Test(clocks, a_context_is_worn_in_before_anything_is_sampled)
{
    open_tools();
    cr_expect(fake.worn && with.cost.cheap_ns < CHEAP_NS + 1 && with.cost.dear_ns > DEAR_NS - 1);
    expect_samples(BODY_NS, BODY_NS + DEAR_NS);
    cr_expect(seen("launch_ns") == DEAR_NS && seen("batches_repeated") == 0);
}

Test(clocks, a_batch_in_which_a_launch_costs_less_is_taken_again)
{
    open_tools();
    /* 27 replays a batch: one untimed, 24 samples and the witness twice. */
    fake.fall_every = 40;
    expect_samples(BODY_NS, BODY_NS + DEAR_NS);
    cr_expect(seen("launch_ns") == DEAR_NS && seen("batches_repeated") > 0);
}

Test(clocks, a_case_of_before_does_not_count_for_the_next)
{
    open_tools();
    fake.fall_every = 40;
    expect_samples(BODY_NS, BODY_NS + DEAR_NS);
    fake.fall_every = 0;
    expect_samples(BODY_NS, BODY_NS + DEAR_NS);
    cr_expect(seen("batches_repeated") == 0);
}

/* Somebody takes the context's wear away, and copies do not bring it back. */
Test(clocks, what_cannot_be_worn_in_again_is_sampled_as_it_is)
{
    size_t wearings;

    open_tools();
    fake.wears = false;
    fake.worn = false;
    wearings = fake.wearings;
    expect_samples(BODY_NS, BODY_NS + CHEAP_NS);
    cr_expect(seen("launch_ns") == CHEAP_NS && seen("batches_repeated") == 1);
    cr_expect(fake.wearings == wearings + (size_t)32 * 8, "it was tried once");
    expect_samples(BODY_NS, BODY_NS + CHEAP_NS);
    cr_expect(seen("batches_repeated") == 0);
    fake.wears = true;
    cr_assert(kg__tools_settle(&with, &why));
    expect_samples(BODY_NS, BODY_NS + DEAR_NS);
}

/* No batch comes through: what is lost so has an end, and what is taken then is told by its cost.
 */
Test(clocks, patience_ends)
{
    double begun;

    open_tools();
    begun = fake.now_ns;
    fake.fall_every = 20;
    expect_samples(1000 * BODY_NS, 1000 * BODY_NS + DEAR_NS);
    cr_expect(seen("launch_ns") == CHEAP_NS && seen("batches_repeated") > 10);
    cr_expect(fake.now_ns - begun < 12e9, "%g s", (fake.now_ns - begun) / 1e9);
    cr_assert(kg__tools_settle(&with, &why));
    cr_expect(fake.worn, "it is worn in before each sampling all the same");
}

Test(clocks, a_card_of_one_cost)
{
    fake.dear_ns = CHEAP_NS;
    open_tools();
    cr_expect(!kg__launch_cost_has_two(&with.cost));
    expect_samples(BODY_NS, BODY_NS + CHEAP_NS);
    cr_expect(seen("batches_repeated") == 0);
}

/* One reading that something held up is no dearer cost for ever. */
Test(clocks, a_dearer_cost_that_was_none_is_given_up)
{
    open_tools();
    kg__launch_cost_add(&with.cost, 2 * DEAR_NS);
    expect_samples(BODY_NS, BODY_NS + DEAR_NS);
    cr_expect(seen("batches_repeated") == 1);
    cr_expect(fabs(with.cost.dear_ns - DEAR_NS) < 1);
}

static void add(void *context, size_t index, double ns)
{
    double *least = context;

    (void)index;
    *least = fmin(*least, ns);
}

/* The search for the fastest launch decides round by round. */
Test(clocks, loops_are_looked_after_too)
{
    double body_ns = BODY_NS;
    double least = INFINITY;
    kg__loop loop;
    const kg__loop *all[] = { &loop };

    open_tools();
    kg__timed what = { launch, &body_ns, with.bench.stream };

    cr_assert(kg__loop_make(&what, 100, &loop, &why));
    fake.fall_every = 33;
    cr_assert(kg__loops_replay(&with.bench, all, 1, 100, add, &least, &why));
    cr_expect(least > BODY_NS + DEAR_NS - 1, "%g", least);
    kg__loop_discard(&loop);
}
