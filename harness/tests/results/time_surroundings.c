/* SPDX-License-Identifier: MIT */
/* Timing: what stands around a measurement (sentinels, other processes, the GPU's state, its code).
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "tests/fakes/fake_code.h"
#include "tests/results/time_fixture.h"

/* What the sentinels of a test were. */
static kg__sentinel_log seen;

TestSuite(time_surroundings, .fini = release);

static kg__observation *observe_sentinels(double copy, double fma)
{
    kg__observation *sentinels = make_observation();

    sentinels->event = KG__EVENT_SENTINELS;
    add_figures(sentinels, "copy", copy, 0);
    add_figures(sentinels, "fma", fma, 0);
    return sentinels;
}

Test(time_surroundings, sentinels_become_surroundings)
{
    kg__surroundings around;
    const kg__observation *nothing = make_observation();
    kg__baseline_metric *copy =
        expect_metric(add_baseline_sentinel(&baseline, "copy"), "time_ns", 100000);

    expect_metric(add_baseline_sentinel(&baseline, "fma"), "time_ns", 200000);
    around = kg__surroundings_of(&seen, &baseline, nothing);
    cr_assert(isnan(around.sentinel_move[0]) && isnan(around.sentinel_limit[1]), "none was seen");
    kg__sentinels_add(&seen, observe_sentinels(0, -5));
    kg__sentinels_add(&seen, nothing);
    cr_assert(seen.count[0] == 0 && seen.count[1] == 0, "not times");
    kg__sentinels_add(&seen, observe_sentinels(101000, 200000));
    kg__sentinels_add(&seen, observe_sentinels(103000, 220000));
    around = kg__surroundings_of(&seen, NULL, nothing);
    cr_assert(isnan(around.sentinel_move[0]) && isnan(around.sentinel_move[1]));
    around = kg__surroundings_of(&seen, &baseline, nothing);
    cr_assert(not(around.throttled));
    cr_assert(epsilon_eq(dbl, around.sentinel_move[0], (log(1.01) + log(1.03)) / 2, 1e-12));
    cr_assert(epsilon_eq(dbl, around.sentinel_move[1], log(1.1) / 2, 1e-12));

    /* A sentinel's band is its limit, however narrow. */
    copy->band = 0.005;
    around = kg__surroundings_of(&seen, &baseline, nothing);
    cr_assert(epsilon_eq(dbl, around.sentinel_limit[0], log1p(0.005), 1e-15));
    cr_assert(epsilon_eq(dbl, around.sentinel_limit[1], log1p(0.02), 1e-15));
}

/* The means of a log make the same log. */
Test(time_surroundings, sentinels_are_kept_as_an_observation)
{
    kg__sentinel_log again = { 0 };

    kg__sentinels_add(&seen, observe_sentinels(101000, 0));
    kg__sentinels_add(&seen, observe_sentinels(103000, 0));
    kg__sentinels_add(&again, kg__sentinels_observation(test_pool(), &seen));
    cr_expect(again.count[0] == 1 && again.count[1] == 0);
    cr_expect(epsilon_eq(dbl, again.sum[0], seen.sum[0] / 2, 1e-12));
}

Test(time_surroundings, what_surrounds_a_move_explains_it)
{
    kg__observation *throttled = observe(66000, 0);
    kg__measurement measured = { throttled, quiet };
    const kg__case_result *result;

    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    expect_metric(add_baseline_sentinel(&baseline, "copy"), "time_ns", 100000);
    throttled->throttled = true;
    measured.surroundings = kg__surroundings_of(&seen, &baseline, throttled);
    cr_assert(measured.surroundings.throttled);
    result = kg__time_result(test_pool(), ID, &target, &measured, 1, &baseline);
    expect_verdict(result, KG__ENVIRONMENT);
    cr_expect(kg__case_result_tripped(result));

    kg__sentinels_add(&seen, observe_sentinels(110000, 1));
    measured.surroundings = kg__surroundings_of(&seen, &baseline, observe(66000, 0));
    expect_verdict(kg__time_result(test_pool(), ID, &target, &measured, 1, &baseline),
                   KG__ENVIRONMENT);
}

/* A metric is excused by what bounds it: here the memory was slower, by as much as the case, or the
 * bus. A baseline without a bus has nothing to hold it against. */
Test(time_surroundings, a_metric_is_judged_by_what_bounds_it)
{
    static const struct {
        const char *moved;
        kg__bound bound;
        kg__verdict verdict;
    } rows[] = {
        { "copy", KG__BOUND_UNKNOWN, KG__ENVIRONMENT },
        { "copy", KG__BOUND_MEMORY, KG__ENVIRONMENT },
        { "copy", KG__BOUND_COMPUTE, KG__SLOWER },
        { "copy", KG__BOUND_BUS, KG__SLOWER },
        { "bus", KG__BOUND_UNKNOWN, KG__SLOWER },
        { "bus", KG__BOUND_MEMORY, KG__SLOWER },
        { "bus", KG__BOUND_BUS, KG__ENVIRONMENT },
        { "new bus", KG__BOUND_BUS, KG__SLOWER },
    };

    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool bus_moved = strcmp(rows[i].moved, "copy") != 0;
        kg__observation *sentinels = observe_sentinels(bus_moved ? 100000 : 110000, 200000);
        kg__observation *slow = observe(66000, 0);
        kg__baseline stored = baseline;
        kg__measurement measured = { slow, quiet };
        const kg__case_result *result;

        seen = (kg__sentinel_log){ 0 };
        stored.sentinels = NULL;
        stored.sentinel_count = 0;
        expect_metric(add_baseline_sentinel(&stored, "copy"), "time_ns", 100000);
        if (strcmp(rows[i].moved, "new bus") != 0)
            expect_metric(add_baseline_sentinel(&stored, "bus"), "time_ns", 150000);
        add_figures(sentinels, "bus", bus_moved ? 165000 : 150000, 0);
        kg__sentinels_add(&seen, sentinels);
        slow->metrics[0].bound = rows[i].bound;
        measured.surroundings = kg__surroundings_of(&seen, &stored, slow);
        result = kg__time_result(test_pool(), ID, &target, &measured, 1, &stored);
        cr_expect(eq(int, (int)result->verdict, (int)rows[i].verdict), "row %zu: %s", i,
                  result->why);
        cr_expect(result->metrics[0].figures.bound == rows[i].bound);
    }
}

Test(time_surroundings, other_processes_become_surroundings)
{
    static const struct {
        int64_t processes;
        int foreign;
    } rows[] = { { 2, 2 }, { 0, 0 }, { 99999999999, 0 }, { -1, 0 } };
    kg__observation *observation = make_observation();
    kg__gpu_state state = kg__gpu_state_unknown;

    cr_expect(kg__surroundings_of(&seen, NULL, observation).foreign_processes == 0);
    observation->gpu_state = &state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        state.foreign_processes = rows[i].processes;
        cr_expect(eq(int, kg__surroundings_of(&seen, NULL, observation).foreign_processes,
                     rows[i].foreign));
    }
}

#define CODE "0123456789abcdef"

Test(time_surroundings, the_same_code_becomes_surroundings)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    kg__observation *observation = observe(60000, 0);
    kg__kernel_code stored = fake_code(-1, NAN, CODE);
    kg__kernel_code kernel = fake_code(40, NAN, "");

    observation->kernel = &kernel;
    cr_expect(not(kg__surroundings_of(&seen, &baseline, observation).same_code), "neither knows");
    set_baseline_code(entry, &stored);
    cr_expect(not(kg__surroundings_of(&seen, &baseline, observation).same_code), "one knows");
    kernel = fake_code(40, NAN, "fedcba9876543210");
    cr_expect(not(kg__surroundings_of(&seen, &baseline, observation).same_code), "they differ");
    kernel = fake_code(40, NAN, CODE);
    cr_expect(kg__surroundings_of(&seen, &baseline, observation).same_code);
    cr_expect(not(kg__surroundings_of(&seen, NULL, observation).same_code), "no baseline");
    observation->id = "matmul/tiled/530/b16";
    cr_expect(not(kg__surroundings_of(&seen, &baseline, observation).same_code), "another case");
}

/* The only change that is noted of a result; "" where there is none. */
static const char *change_of(const kg__case_result *result)
{
    cr_expect(result->changed.count < 2);
    return result->changed.count > 0 ? result->changed.items[0] : "";
}

Test(time_surroundings, a_slower_case_notes_how_its_kernel_changed)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    kg__observation *slow = observe(66000, 0);
    kg__observation *right = observe(60000, 0);
    const char *name = "_Z5naive";
    kg__kernel_code kernel = fake_code(40, 0.5, CODE);
    kg__kernel_code stored = fake_code(32, 1.0, "fedcba9876543210");
    const kg__case_result *result;

    kernel.local_bytes = 16;
    kernel.names = (kg__texts){ &name, 1 };
    kg__format(kernel.launch, sizeof kernel.launch, "%s", CODE);
    slow->kernel = right->kernel = &kernel;
    expect_metric(entry, "time_ns", 60000);
    result = judge(slow);
    expect_verdict(result, KG__SLOWER);
    cr_expect(eq(str, (char *)change_of(result), ""), "nothing is known of then");
    cr_expect(result->kernel->names.count == 0 && result->kernel->launch[0] == '\0');
    cr_expect(kernel.names.count == 1, "the observation keeps its own");

    stored.local_bytes = 0;
    set_baseline_code(entry, &stored);
    cr_expect(eq(str, (char *)change_of(judge(slow)),
                 "code changed: registers 32 -> 40, local memory 0 B -> 16 B, occupancy 100 % -> "
                 "50.0 %"));
    stored = fake_code(40, NAN, CODE);
    set_baseline_code(entry, &stored);
    cr_expect(eq(str, (char *)change_of(judge(slow)), "code and launch are the baseline's"));
    cr_expect(eq(str, (char *)change_of(judge(right)), ""), "it passed");
}

/* A context has two costs of a launch, a third apart; what differs by less is not noted. */
Test(time_surroundings, a_slower_case_notes_that_a_launch_costs_more)
{
    static const struct {
        int64_t now;
        const char *change;
    } rows[] = {
        { 680, "a launch cost 680 ns at the least, and 502 ns when the baseline was recorded" },
        { 552, "" },
        { 450, "a launch cost 450 ns at the least, and 502 ns when the baseline was recorded" },
    };
    kg__observation *slow = observe(66000, 0);
    kg__gpu_state state = kg__gpu_state_unknown;

    slow->gpu_state = &state;
    state.launch_ns = 680;
    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    cr_expect(eq(str, (char *)change_of(judge(slow)), ""), "not known of then");
    baseline.provenance = json_pack("{s:i}", "launch_ns", 502);
    kg__json_keep(&baseline.pool, baseline.provenance);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        state.launch_ns = rows[i].now;
        cr_expect(eq(str, (char *)change_of(judge(slow)), (char *)rows[i].change));
    }
}

Test(time_surroundings, the_gpu_is_shown_at_its_worst)
{
    kg__measurement all[3] = { measure(66000, 0), measure(66000, 0), measure(66000, 0) };
    kg__gpu_state states[3];
    const kg__gpu_state *worst;

    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    for (int i = 0; i < 3; i++) {
        states[i] = kg__gpu_state_unknown;
        states[i].temperature_c = 40 + 10 * (i % 2);
        states[i].sm_clock_mhz = 1980 - 100 * i;
        ((kg__observation *)all[i].measured)->gpu_state = &states[i];
    }
    ((kg__observation *)all[1].measured)->throttled = true;
    worst = kg__time_result(test_pool(), ID, &target, all, 3, &baseline)->gpu_state;
    cr_expect(worst->throttled);
    cr_expect(worst->temperature_c == 50 && worst->sm_clock_mhz == 1780);
}
