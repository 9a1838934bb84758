/* SPDX-License-Identifier: MIT */
/* Defects: small kernels with one defect each, and what the CPU model says of them. A defect is
 * reported as what it is, at the line that has its name in the source, and the clean twin computes
 * the right result without a finding, on whole and partial warps and blocks, in either order of
 * threads. */
#include "tests/model/defect_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "baseline/counter_lines.h"
#include "device/device.h"
#include "tests/fakes/hanging.h"
#include "tests/model/each_row.h"
#include "tests/model/finding_texts.h"

static void expect_finding(const defect *row, const run *done)
{
    const mark mark = find_mark(row->name);
    uint64_t times = 0;
    bool found = false;

    for (size_t i = 0; i < done->report->finding_count; i++) {
        const kg__finding *finding = &done->report->findings[i];

        cr_assert(is_of_kind(finding, row->found.kind), "%s", findings_of(done->report));
        cr_assert_str_eq(finding->by.file, mark.file);
        cr_assert(finding->by.line == mark.line[0] || finding->by.line == mark.line[1],
                  "not at line %u: %s", mark.line[0], findings_of(done->report));
        cr_assert(finding->count > 0);
        times += finding->count;
        found = found || is_as_expected(finding, &row->found);
    }
    cr_assert(found, "%s", findings_of(done->report));
    cr_assert(row->times == 0 || times == row->times, "%llu times, not %llu: %s",
              (unsigned long long)times, (unsigned long long)row->times, findings_of(done->report));
}

#define FOUND(kind_, ...) .found = { .kind = KG__##kind_, __VA_ARGS__ }
#define IN(symbol_, offset_, size_) .symbol = symbol_, .offset = offset_, .size = size_
#define INDEX(index_) .has_index = true, .index = index_
#define SHOWN_AT(n_, block_) .n = n_, .block = block_
#define COSTS(counter_, clean_, defective_)                                                        \
    .counter = KG__##counter_, .clean = clean_, .defective = defective_

/* 530 is 46 less than a multiple of 64, and 2120 its bytes. Blocks have more than one warp, so that
 * the ends of races are in different ones. */
static const defect wrong_accesses[] = {
    { DEFECT(missing_first_barrier, REVERSE), FOUND(RACE_IN_BLOCK, .symbol = "staged") },
    { DEFECT(missing_second_barrier, WEIGH_ALL), FOUND(RACE_IN_BLOCK, .symbol = "tile") },
    { DEFECT(missing_warp_barrier, SWAP), SHOWN_AT(33, 32),
      FOUND(RACE_IN_BLOCK, .symbol = "staged") },
    { DEFECT(barrier_in_a_divergent_branch, DOUBLE), SHOWN_AT(33, 32),
      FOUND(DIVERGENT_BARRIER, .by.waiting = 16), .times = 2 },
    { DEFECT(cross_block_race, ADD_UP), FOUND(RACE_IN_BLOCK, IN("out", 0, 4)) },
    { DEFECT(histogram_without_atomics, COUNT_VALUES), FOUND(RACE_IN_BLOCK, .symbol = "out") },
    { DEFECT(last_block_without_fence, TOTAL), FOUND(MISSING_FENCE, IN("scratch", 0, 2120)),
      .times = 8 },
    { DEFECT(off_by_one_guard, DOUBLE), FOUND(OUT_OF_BOUNDS, IN("in", 2120, 2120)), .times = 2 },
    { DEFECT(no_guard, DOUBLE), FOUND(OUT_OF_BOUNDS, IN("in", 2120, 2120)), .times = 92 },
    { DEFECT(before_the_beginning, BACKWARD_DIFFERENCE), FOUND(OUT_OF_BOUNDS, IN("in", -4, 2120)),
      .times = 1 },
    /* Rows of 8 in place of 7: the last element of row 463 and all of the 66 rows after it. */
    { DEFECT(wrong_stride, SUM_ROWS), FOUND(OUT_OF_BOUNDS, .symbol = "in"), .times = 1 + 66 * 7 },
    { DEFECT(atomic_beyond, COUNT_VALUES),
      FOUND(OUT_OF_BOUNDS, IN("out", 68, 68), .by.access = KG__ATOMIC), .times = 31 },
    { DEFECT(shared_index_beyond, FORWARD_DIFFERENCE), SHOWN_AT(530, 256),
      FOUND(OUT_OF_BOUNDS, INDEX(256)) },
    { DEFECT(shared_row_overrun, FORWARD_DIFFERENCE), SHOWN_AT(530, 256),
      FOUND(OUT_OF_BOUNDS, INDEX(32)) },
    { DEFECT(dynamic_shared_overrun, FORWARD_DIFFERENCE),
      FOUND(OUT_OF_BOUNDS, IN("dynamic shared memory", 256, 256)) },
    { DEFECT(constant_index_beyond, WEIGH_IN_TURN), FOUND(OUT_OF_BOUNDS, INDEX(3)) },
    { DEFECT(local_index_beyond, SUM_WINDOWS), FOUND(OUT_OF_BOUNDS, INDEX(4)) },
    { DEFECT(misaligned_vector, DOUBLE),
      FOUND(MISALIGNED, .symbol = "in", .by.access = KG__READ, .bytes = 16), .times = 132 },
    { DEFECT(uninitialized_shared, ADD_UP), FOUND(NEVER_WRITTEN, IN("staged", 72, 1024)),
      .times = 46 },
    { DEFECT(uninitialized_global, DOUBLE), FOUND(NEVER_WRITTEN, IN("scratch", 0, 2120)),
      .times = 530 },
    { DEFECT(host_dereference, DOUBLE), FOUND(HOST_ACCESS, .by.access = KG__READ, .by_host = true),
      .times = 1 },
    { DEFECT(host_names_variable, DOUBLE),
      FOUND(HOST_ACCESS, .symbol = "factor", .by.access = KG__WRITE, .by_host = true), .times = 1 },
    { DEFECT(kernel_dereferences_host, DOUBLE), FOUND(HOST_ACCESS, .bytes = 4), .times = 530 },
    { DEFECT(write_to_input, DOUBLE), FOUND(READ_ONLY, IN("in", 0, 2120)), .times = 530 },
    { DEFECT(misaligned_shared, DOUBLE),
      FOUND(MISALIGNED, .symbol = "memory", .by.access = KG__WRITE, .bytes = 8),
      .times = 576 + 530 },
    { DEFECT(misaligned_local, DOUBLE),
      FOUND(MISALIGNED, .space = KG__LOCAL, .by.access = KG__WRITE, .bytes = 16,
            .function = "copy_four"),
      .times = 576 },
    { DEFECT(unwritten_member, DOUBLE), FOUND(NEVER_WRITTEN, .symbol = "staged", .bytes = 8) },
    { DEFECT(unwritten_long_member, DOUBLE),
      FOUND(NEVER_WRITTEN, .symbol = "staged", .bytes = 16) },
    { DEFECT(uneven_loop, DOUBLE), FOUND(DIVERGENT_BARRIER, .by.waiting = 8), .times = 9 },
    { DEFECT(caller_not_in_mask, DOUBLE), FOUND(INVALID_WARP_OPERATION), .times = 1 },
    { DEFECT(half_a_shuffle, DOUBLE), FOUND(SHUFFLE_OUTSIDE, INDEX(16), .absent = 0xffff0000),
      .times = 18 * 16 },
    { DEFECT(barrier_against_warp, DOUBLE), FOUND(DEADLOCK), .times = 1 },
    { DEFECT(negative_to_unsigned, DOUBLE),
      FOUND(CONVERSION, .symbol = "unsigned int", .on_gpu = "0", .on_cpu = "4294967295") },
    { DEFECT(nan_to_int, DOUBLE),
      FOUND(CONVERSION, .symbol = "int", .on_gpu = "0", .on_cpu = "-2147483648") },
    { DEFECT(infinity_to_long, DOUBLE),
      FOUND(CONVERSION, .symbol = "long long int", .on_gpu = "9223372036854775807",
            .on_cpu = "-9223372036854775808") },
    { DEFECT(division_by_zero, DOUBLE), FOUND(DIVISION) },
    { DEFECT(virtual_overrun, DOUBLE), FOUND(OUT_OF_BOUNDS, IN("in", 2120, 2120)) },
    { DEFECT(wrong_caller, DOUBLE), FOUND(OUT_OF_BOUNDS, IN("out", 2120, 2120), .function = "put"),
      .times = 46 },
};

/* 530 is two more than a multiple of 4, and 18 more than one of 64. */
static const defect wrong_results[] = {
    { DEFECT(unwritten_tail, DOUBLE), .wrong = 2, .unwritten = 2 },
    { DEFECT(floor_of_blocks, DOUBLE), .wrong = 18, .unwritten = 18 },
    { DEFECT(floor_of_tiles, WEIGH_ALL), .wrong = 530 },
};

/* Of whole warps. */
static const defect costs[] = {
    { DEFECT(bank_conflict, TRANSPOSE), SHOWN_AT(512, 256),
      COSTS(SHARED_LOAD_WAVEFRONTS, 8192, 262144) },
    { DEFECT(lost_coalescing, ADD_UP), SHOWN_AT(4096, 256), COSTS(GLOBAL_LOAD_SECTORS, 512, 4096) },
    { DEFECT(redundant_reload, MULTIPLY), SHOWN_AT(512, 64), COSTS(GLOBAL_LOAD_REQUESTS, 16, 128) },
    { DEFECT(scattered_constants, DOUBLE), SHOWN_AT(512, 64),
      COSTS(CONSTANT_LOAD_WORDS, 512, 16384) },
    { DEFECT(redundant_barrier, REVERSE), SHOWN_AT(512, 64), COSTS(BARRIERS, 8, 16) },
    { DEFECT(empty_launch, DOUBLE), SHOWN_AT(512, 64), COSTS(LAUNCHES, 1, 2), .lineless = true },
    { DEFECT(excess_blocks, DOUBLE), SHOWN_AT(512, 64), COSTS(BLOCKS, 8, 1024), .lineless = true },
    { DEFECT(excess_blocks, DOUBLE), SHOWN_AT(512, 64), COSTS(THREADS, 512, 65536),
      .lineless = true },
    { DEFECT(idle_threads, DOUBLE), SHOWN_AT(512, 64), COSTS(THREADS, 512, 4096),
      .lineless = true },
    { DEFECT(work_of_one_warp, DOUBLE), SHOWN_AT(512, 256), COSTS(BUSIEST_WARP_REQUESTS, 2, 16),
      .lineless = true },
    { DEFECT(fence_in_a_loop, DOUBLE), SHOWN_AT(512, 64), COSTS(FENCES, 0, 16) },
    { DEFECT(printf_in_a_loop, DOUBLE), SHOWN_AT(512, 64), COSTS(PRINTF_CALLS, 0, 512) },
    { DEFECT(global_contention, ADD_UP), SHOWN_AT(512, 64), COSTS(GLOBAL_ATOMIC_PASSES, 16, 512) },
    { DEFECT(shared_contention, ADD_UP), SHOWN_AT(512, 64), COSTS(SHARED_ATOMIC_PASSES, 16, 512) },
};

EACH_ROW(defects, a_wrong_access_is_found, wrong_accesses)

/* Whether or not requests are counted too. */
ParameterizedTest(const size_t *number, defects, a_wrong_access_is_found)
{
    const defect *row = &wrong_accesses[*number];
    run done;

    expect_twin_clean(row);
    done = launch(row, true, BOTH);
    expect_finding(row, &done);
    /* A fault has lost the device. */
    if (done.error != cudaSuccess)
        return;
    done = launch(row, true, KG__MODEL_CHECK);
    expect_finding(row, &done);
    done = launch(row, true, KG__MODEL_COUNT);
    cr_assert(done.report->finding_count == 0, "counting alone finds nothing");
    done = launch(row, true, 0);
    cr_assert(done.report->finding_count == 0, "nor does a launch that is not watched");
}

EACH_ROW(defects, a_wrong_result_is_no_finding, wrong_results)

ParameterizedTest(const size_t *number, defects, a_wrong_result_is_no_finding)
{
    const defect *row = &wrong_results[*number];
    run done;

    expect_twin_clean(row);
    done = launch(row, true, BOTH);
    cr_assert(done.error == cudaSuccess && !done.right);
    cr_assert(done.report->finding_count == 0, "%s", findings_of(done.report));
    cr_assert(done.mismatch.count == row->wrong, "%zu outputs are wrong", done.mismatch.count);
    cr_assert(done.unwritten == row->unwritten, "%zu were never written", done.unwritten);
}

/* The counters of each line, as baselines and records hold them. */
static kg__lines *lines_of(const kg__model_report *report)
{
    kg__lines *lines = kg__lines_make();

    for (size_t i = 0; i < report->line_count; i++) {
        const kg__model_line *line = &report->lines[i];

        *kg__lines_at(lines, line->file, strlen(line->file), line->line) = line->counts;
    }
    return lines;
}

static kg__lines *count(const defect *row, bool defective, uint64_t expected)
{
    run done = launch(row, defective, BOTH);

    cr_assert(done.error == cudaSuccess && done.right, "it costs, and is right");
    cr_assert(done.report->finding_count == 0, "%s", findings_of(done.report));
    cr_assert(done.report->counts.value[row->counter] == expected, "%s is %llu, not %llu",
              kg__counter_name(row->counter),
              (unsigned long long)done.report->counts.value[row->counter],
              (unsigned long long)expected);
    return lines_of(done.report);
}

EACH_ROW(defects, a_cost_moves_a_counter, costs)

/* The source's lines say where. */
ParameterizedTest(const size_t *number, defects, a_cost_moves_a_counter)
{
    const defect *row = &costs[*number];
    char text[1024] = "";
    const kg__line_counts *first = NULL;
    kg__lines *clean;
    kg__lines *defective;

    expect_twin_clean(row);
    clean = count(row, false, row->clean);
    defective = count(row, true, row->defective);
    cr_assert(!kg__counter_lines_explain(clean, clean, text, sizeof text, NULL), "%s", text);
    cr_assert(kg__counter_lines_explain(clean, defective, text, sizeof text, &first) !=
                  row->lineless,
              "%s", text);
    if (!row->lineless) {
        const mark mark = find_mark(row->name);

        cr_assert_str_eq(first->file, mark.file);
        cr_assert(first->line == mark.line[0], "%s", text);
    }
    kg__lines_free(clean);
    kg__lines_free(defective);
}

static const defect off_by_one = { DEFECT(off_by_one_guard, DOUBLE) };

/* What an observer records of a case's findings: by names from the project's directory on. */
Test(defects, are_named_from_the_projects_directory_on)
{
    const mark mark = find_mark("off_by_one_guard");
    char home[1024];
    kg__findings found;
    kg__error error;
    bool whole;

    snprintf(home, sizeof home, "%.*s", (int)(strstr(defect_source, "/harness/") - defect_source),
             defect_source);
    (void)launch(&off_by_one, true, KG__MODEL_CHECK);
    cr_assert(kg__device_watches());
    cr_assert(kg__device_has_findings(home, &found));
    cr_assert(found.count == 2 && found.more == 0);
    cr_assert_str_eq(found.list[0].by.file, "harness/tests/model/defect_kernels.cpp");
    cr_assert(found.list[0].by.line == mark.line[0]);
    cr_assert_str_eq(found.list[0].symbol, "in");
    cr_assert(found.list[0].offset == 2120 && found.list[0].size == 2120);
    cr_assert(found.list[0].space == KG__GLOBAL && found.list[0].bytes == 4);
    cr_assert(found.list[0].by.block[0] == 8 && found.list[0].by.thread[0] == 18);
    cr_assert(!kg__device_skipped_checks(&error, &whole) && whole);
    /* Elsewhere the whole path is given. */
    cr_assert(kg__device_has_findings("/nowhere", &found));
    cr_assert_str_eq(found.list[0].by.file, defect_source);
    (void)launch(&off_by_one, false, KG__MODEL_CHECK);
    cr_assert(!kg__device_has_findings(home, &found), "the twin is clean");
}

/* A line that goes wrong in two ways, in different memory. */
Test(defects, reads_and_writes_of_one_line_are_two_findings)
{
    static const kg__finding expected[] = { { .kind = KG__OUT_OF_BOUNDS,
                                              .symbol = "in",
                                              .offset = 2120,
                                              .size = 2120,
                                              .count = 46,
                                              .bytes = 4,
                                              .by.access = KG__READ },
                                            { .kind = KG__OUT_OF_BOUNDS,
                                              .symbol = "out",
                                              .offset = 2120,
                                              .size = 2120,
                                              .count = 46,
                                              .bytes = 4,
                                              .by.access = KG__WRITE } };
    const defect guard = { DEFECT(no_guard, DOUBLE) };
    run done = launch(&guard, true, KG__MODEL_CHECK);

    cr_assert(done.report->finding_count == 2, "%s", findings_of(done.report));
    for (size_t i = 0; i < 2; i++)
        cr_assert(is_as_expected(&done.report->findings[i], &expected[i]), "%s",
                  findings_of(done.report));
    cr_assert(done.report->findings[0].by.line == done.report->findings[1].by.line);
}

/* A helper's line alone does not say which of its callers is wrong. */
Test(defects, of_a_helper_name_its_caller_and_the_kernel)
{
    static const defect helper = { DEFECT(wrong_caller, DOUBLE) };
    const mark call = find_mark("call_of_wrong_caller");
    const run done = launch(&helper, true, KG__MODEL_CHECK);
    const kg__finding *finding = &done.report->findings[0];

    cr_assert(done.report->finding_count == 1, "%s", findings_of(done.report));
    cr_assert_str_eq(finding->kernel, "double_by_put<true>");
    cr_assert(finding->call_count == 1 && finding->calls[0].line == call.line[0], "%s",
              findings_of(done.report));
    cr_assert_str_eq(finding->calls[0].file, call.file);
}

/* Each has a cure of its own. */
Test(defects, of_races_between_blocks_and_in_a_block_are_apart)
{
    static const defect two = { DEFECT(two_ways, DOUBLE) };
    const mark mark = find_mark("two_ways");
    const run done = launch(&two, true, KG__MODEL_CHECK);
    bool found[KG__FINDING_KINDS] = { false };

    for (size_t i = 0; i < done.report->finding_count; i++) {
        const kg__finding *finding = &done.report->findings[i];

        if (finding->by.line == mark.line[0])
            found[finding->kind] = true;
    }
    cr_assert(found[KG__RACE_IN_BLOCK] && found[KG__RACE_BETWEEN_BLOCKS], "%s",
              findings_of(done.report));
}

/* However late it comes, a race is first, and nothing is left out. */
Test(defects, are_listed_by_how_serious_they_are)
{
    static const defect late = { DEFECT(late_race, DOUBLE) };
    static const kg__finding_kind expected[] = { KG__RACE_IN_BLOCK, KG__RACE_IN_BLOCK,
                                                 KG__OUT_OF_BOUNDS, KG__NEVER_WRITTEN,
                                                 KG__NEVER_WRITTEN, KG__NEVER_WRITTEN };
    const run done = launch_with(&late, 64, 64, true, KG__MODEL_CHECK);
    kg__findings found;

    cr_assert(kg__device_has_findings("/nowhere", &found));
    cr_assert(found.count == COUNT(expected) && found.more == 0, "%s", findings_of(done.report));
    for (size_t i = 0; i < found.count; i++)
        cr_assert(is_of_kind(&found.list[i], expected[i]), "%zu: %s", i, findings_of(done.report));
}

static kg__hang reported;

static void keep_hang(void *context, const kg__hang *hang)
{
    (void)context;
    reported = *hang;
}

ParameterizedTestParameters(defects, of_a_kernel_that_hung_are_reported)
{
    /* Before, while and after the first line is looked up. */
    static unsigned int microseconds[] = { 0, 1000, 2000, 10000 };

    return cr_make_param_array(unsigned int, microseconds,
                               sizeof microseconds / sizeof microseconds[0]);
}

/* What a kernel did before it was ended may say why it never ended. */
ParameterizedTest(unsigned int *microseconds, defects, of_a_kernel_that_hung_are_reported)
{
    const defect endless = { DEFECT(endless_overrun, DOUBLE) };
    const mark mark = find_mark("endless_overrun");
    pthread_t ends_it;
    bool overrun = false;
    run done;

    kg__device_on_hang("/nowhere", keep_hang, NULL);
    ends_it = end_launch_after(*microseconds);
    done = launch_with(&endless, 64, 32, true, KG__MODEL_CHECK);
    pthread_join(ends_it, NULL);
    cr_assert(done.error == cudaErrorLaunchTimeout);
    cr_assert_str_eq(reported.kernel, "overrun_for_ever");
    cr_assert(reported.at.block[0] == 0 && reported.at.line > 0);
    cr_assert(reported.found.count > 0);
    for (size_t i = 0; i < reported.found.count; i++) {
        const kg__finding *finding = &reported.found.list[i];

        cr_assert_str_eq(finding->by.file, defect_source);
        cr_assert(finding->by.line == mark.line[0]);
        overrun = overrun || finding->kind == KG__OUT_OF_BOUNDS;
    }
    cr_assert(overrun);
}
