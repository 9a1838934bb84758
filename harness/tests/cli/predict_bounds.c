/* Predicting: bounds from what a job asks for and what a GPU can do. The GPU's figures are round,
 * so that what is to come of them can be seen. */
#include "cli/predict_bounds.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

static kg__gpu_spec gpu;
static kg__job job;

/* 10 multiprocessors of 1 GHz that do 100 operations a clock each: 1000 operations a nanosecond.
 * Memory moves 100 bytes a nanosecond, L2 500, and holds 1 MiB. */
static void begin(void)
{
    static const double round[KG__GPU_FIGURES] = {
        [KG__GPU_MULTIPROCESSORS] = 10, [KG__GPU_CLOCK] = 1000,
        [KG__GPU_FLOAT32] = 100,        [KG__GPU_INT32] = 50,
        [KG__GPU_DRAM] = 100,           [KG__GPU_L2] = 500,
        [KG__GPU_L2_SIZE] = 1,          [KG__GPU_SHARED] = 128,
        [KG__GPU_BLOCKS] = 2000,        [KG__GPU_BUS] = 10,
    };

    gpu = (kg__gpu_spec){ .key = "round" };
    memcpy(gpu.value, round, sizeof round);
    job = kg__job_unknown();
    job.operations = 3000;
    job.bytes = 1000;
}

TestSuite(predicting, .init = begin);

/* Counters that are all 0 but these. */
static void count(kg__counter counter, double value)
{
    for (int i = 0; i < KG__COUNTERS; i++)
        job.count[i] = isnan(job.count[i]) ? 0 : job.count[i];
    job.count[counter] = value;
}

static kg__prediction cold(void)
{
    return kg__predict(&gpu, &job, false, KG__LAUNCH_NS);
}

static kg__prediction hot(void)
{
    return kg__predict(&gpu, &job, true, KG__LAUNCH_NS);
}

static void expect_bound(kg__prediction prediction, kg__resource resource, double expected)
{
    cr_assert(prediction.absent[resource] == NULL, "%s: %s", kg__resource_name(resource),
              prediction.absent[resource]);
    cr_assert(epsilon_eq(dbl, prediction.bound_ns[resource], expected, 1e-9 * (1 + expected)), "%s",
              kg__resource_name(resource));
}

static void expect_absent(kg__prediction prediction, kg__resource resource, const char *why)
{
    cr_assert(isnan(prediction.bound_ns[resource]));
    cr_assert(ne(ptr, (void *)prediction.absent[resource], NULL));
    cr_assert(strstr(prediction.absent[resource], why) != NULL, "%s: %s",
              kg__resource_name(resource), prediction.absent[resource]);
}

Test(predicting, the_largest_bound_is_the_body)
{
    kg__prediction prediction = cold();

    expect_bound(prediction, KG__COMPUTE, 3);
    expect_bound(prediction, KG__DRAM, 10);
    expect_bound(prediction, KG__L2, 2);
    expect_bound(prediction, KG__BUS, 0);
    cr_assert(eq(int, prediction.binding, KG__DRAM));
    cr_assert(epsilon_eq(dbl, prediction.body_ns, 10, 1e-12));
    cr_assert(epsilon_eq(dbl, prediction.total_ns, 5010, 1e-9));
    cr_assert(kg__is_memory_bound(&prediction));
    job.operations = 300000;
    prediction = cold();
    cr_assert(eq(int, prediction.binding, KG__COMPUTE));
    cr_assert(not(kg__is_memory_bound(&prediction)));
}

/* A published estimate by hand: 13 800 operations and 20 300 bytes are 60 ns on a GeForce GTX TITAN
 * Black, whose memory binds them, and 5.06 us with the 5 us of a launch. */
Test(predicting, an_estimate_by_hand_comes_out_the_same)
{
    gpu.value[KG__GPU_MULTIPROCESSORS] = 15;
    gpu.value[KG__GPU_CLOCK] = 980;
    gpu.value[KG__GPU_FLOAT32] = 384;
    gpu.value[KG__GPU_DRAM] = 336;
    job.operations = 13800;
    job.bytes = 20300;
    expect_bound(cold(), KG__COMPUTE, 13800 / 5644.8);
    expect_bound(cold(), KG__DRAM, 20300 / 336.0);
    cr_assert(epsilon_eq(dbl, cold().total_ns, 5060.4, 0.05));
}

Test(predicting, integers_have_their_own_rate_and_bytes_four_to_a_word)
{
    job.operand = KG__OPERAND_INT32;
    expect_bound(cold(), KG__COMPUTE, 6);
    job.operand = KG__OPERAND_UINT8;
    expect_bound(cold(), KG__COMPUTE, 1.5);
    gpu.value[KG__GPU_INT32] = (double)NAN;
    expect_absent(cold(), KG__COMPUTE, "int32_operations_per_clock");
    job.operations = 0;
    expect_bound(cold(), KG__COMPUTE, 0);
}

Test(predicting, few_blocks_leave_multiprocessors_idle)
{
    job.blocks = 5;
    expect_bound(cold(), KG__COMPUTE, 6);
    expect_bound(cold(), KG__BLOCKS, 2.5);
    job.blocks = 10;
    expect_bound(cold(), KG__COMPUTE, 3);
    job.blocks = 1000;
    expect_bound(cold(), KG__COMPUTE, 3);
    expect_bound(cold(), KG__BLOCKS, 500);
    cr_assert(eq(int, cold().binding, KG__BLOCKS));
}

Test(predicting, counted_bytes_stand_before_the_suites)
{
    count(KG__UNIQUE_BYTES_READ, 3000);
    count(KG__UNIQUE_BYTES_WRITTEN, 1000);
    expect_bound(cold(), KG__DRAM, 40);
    count(KG__GLOBAL_STORE_SECTORS, 50);
    expect_bound(cold(), KG__L2, 4600 / 500.0);
    job.count[KG__UNIQUE_BYTES_READ] = (double)NAN;
    expect_bound(cold(), KG__DRAM, 10);
    expect_bound(cold(), KG__L2, 2);
}

Test(predicting, hot_memory_carries_what_the_cache_cannot_hold)
{
    job.bytes = 1048576;
    expect_bound(hot(), KG__DRAM, 0);
    cr_assert(eq(int, hot().binding, KG__L2));
    job.bytes = 1048576 + 500;
    expect_bound(hot(), KG__DRAM, 5);
    expect_bound(cold(), KG__DRAM, 10490.76);
    gpu.value[KG__GPU_L2_SIZE] = (double)NAN;
    expect_absent(hot(), KG__DRAM, "l2_mib");
    expect_bound(cold(), KG__DRAM, 10490.76);
}

/* Ten multiprocessors move ten wavefronts of 128 bytes a nanosecond. */
Test(predicting, wavefronts_are_the_least_that_requests_can_take)
{
    count(KG__GLOBAL_LOAD_REQUESTS, 100);
    count(KG__GLOBAL_LOAD_SECTORS, 100);
    expect_bound(cold(), KG__L1, 10);
    count(KG__GLOBAL_LOAD_SECTORS, 800);
    expect_bound(cold(), KG__L1, 20);
    count(KG__GLOBAL_STORE_REQUESTS, 50);
    expect_bound(cold(), KG__L1, 25);
    count(KG__SHARED_STORE_WAVEFRONTS, 30);
    expect_bound(cold(), KG__L1, 28);
    /* Four neighbours may be loaded as one. */
    count(KG__SHARED_LOAD_WAVEFRONTS, 80);
    expect_bound(cold(), KG__L1, 30);
    job.blocks = 1;
    expect_bound(cold(), KG__L1, 300);
}

Test(predicting, an_absent_bound_says_why)
{
    kg__prediction prediction = cold();

    expect_absent(prediction, KG__L1, "not counted");
    expect_absent(prediction, KG__BLOCKS, "not known");
    count(KG__GLOBAL_LOAD_REQUESTS, 1);
    job.blocks = 1;
    gpu.value[KG__GPU_SHARED] = (double)NAN;
    gpu.value[KG__GPU_BLOCKS] = (double)NAN;
    gpu.value[KG__GPU_L2] = (double)NAN;
    prediction = cold();
    expect_absent(prediction, KG__L1, "shared_bytes_per_clock");
    expect_absent(prediction, KG__BLOCKS, "blocks_per_us");
    expect_absent(prediction, KG__L2, "l2_gb_per_s");
}

Test(predicting, a_job_of_which_nothing_is_known_has_no_body_but_the_bus)
{
    kg__prediction prediction;

    job = kg__job_unknown();
    prediction = cold();
    expect_absent(prediction, KG__COMPUTE, "states no work");
    expect_absent(prediction, KG__DRAM, "states no work");
    expect_absent(prediction, KG__L2, "states no work");
    cr_assert(epsilon_eq(dbl, prediction.body_ns, 0, 0));
    gpu.value[KG__GPU_BUS] = (double)NAN;
    expect_bound(cold(), KG__BUS, 0);
}

Test(predicting, the_bus_carries_both_ways_at_once)
{
    job.bytes_to_device = 5000;
    job.bytes_to_host = 3000;
    expect_bound(cold(), KG__BUS, 500);
    cr_assert(eq(int, cold().binding, KG__BUS));
    job.bytes_to_host = 8000;
    expect_bound(cold(), KG__BUS, 800);
    gpu.value[KG__GPU_BUS] = (double)NAN;
    expect_absent(cold(), KG__BUS, "bus_gb_per_s");
}

Test(predicting, no_bound_at_all_is_no_body)
{
    kg__prediction prediction;

    job = kg__job_unknown();
    job.bytes_to_device = 1;
    gpu.value[KG__GPU_BUS] = (double)NAN;
    prediction = cold();
    cr_assert(isnan(prediction.body_ns) && isnan(prediction.total_ns));
    cr_assert(not(kg__is_memory_bound(&prediction)));
}

Test(predicting, a_bound_is_violated_beyond_its_tolerance)
{
    const kg__measured_bound bounds[] = {
        { .body_ns = 105, .measured_ns = 100 },
        { .body_ns = 105.1, .measured_ns = 100 },
        { .body_ns = 90, .measured_ns = 100 },
        { .body_ns = (double)NAN, .measured_ns = 100 },
    };
    kg__bounds_report report = kg__compare_bounds(bounds, 4);

    cr_assert(not(kg__is_violated(&bounds[0])));
    cr_assert(kg__is_violated(&bounds[1]));
    cr_assert(not(kg__is_violated(&bounds[3])));
    cr_assert(eq(sz, report.violated, 1));
    cr_assert(eq(sz, report.nearest, 1));
    cr_assert(eq(sz, report.memory_bound, 0));
    cr_assert(isnan(report.median));
    report = kg__compare_bounds(bounds, 0);
    cr_assert(eq(sz, report.nearest, 0));
    report = kg__compare_bounds(&bounds[3], 1);
    cr_assert(eq(sz, report.nearest, 1));
}

Test(predicting, the_median_is_of_long_memory_bound_cases)
{
    const kg__measured_bound bounds[] = {
        { 10000, 20000, true }, { 10000, 11000, true },  { 10000, 15000, true },
        { 1000, 10000, true },  { 10000, 90000, false },
    };
    kg__bounds_report report = kg__compare_bounds(bounds, 5);

    cr_assert(eq(sz, report.memory_bound, 3));
    cr_assert(epsilon_eq(dbl, report.median, 1.5, 1e-12));
}
