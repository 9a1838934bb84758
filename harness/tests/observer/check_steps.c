/* SPDX-License-Identifier: MIT */
/* Checking: the steps of a case (prepare, launch, collect) and what fails in each. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "model/model.h"
#include "tests/observer/check_fixture.h"

static cudaError_t refuse(const kg_call *call)
{
    (void)call;
    return cudaErrorInvalidValue;
}

static cudaError_t lose(const kg_call *call)
{
    (void)call;
    kg__model_set_sticky_error(cudaErrorIllegalAddress);
    return cudaSuccess;
}

static cudaError_t lose_at_once(const kg_call *call)
{
    (void)lose(call);
    return cudaErrorIllegalAddress;
}

static cudaError_t free_output(const kg_call *call)
{
    return cudaFree((unsigned char *)call->argument[BYTES] - KG__GUARD_BYTES);
}

static cudaError_t set_elsewhere(const kg_call *call)
{
    cr_assert(call->stream != NULL);
    cr_assert(cudaMemsetAsync(call->argument[0], 1, 4, call->stream) == cudaSuccess);
    cr_assert(cudaMemset(call->argument[0], 1, 4) == cudaSuccess);
    return cudaMemsetAsync(call->argument[0], 1, 4, cudaStreamLegacy);
}

static cudaError_t compute_on_the_stream(const kg_call *call)
{
    cudaError_t code = compute(call);

    return code == cudaSuccess ? cudaMemsetAsync(call->argument[0], 1, 0, call->stream) : code;
}

static cudaError_t compute_and_wait(const kg_call *call)
{
    cudaError_t code = compute(call);

    return code == cudaSuccess ? cudaStreamSynchronize(call->stream) : code;
}

static cudaError_t allocate_and_compute(const kg_call *call)
{
    void *scratch;

    if (cudaMalloc(&scratch, 4) != cudaSuccess || cudaFree(scratch) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    return compute(call);
}

static kg_argument declared;

static void declare_one(const kg_size *size, kg_arguments *list)
{
    (void)size;
    kg_add_argument(list, declared.role, declared.name, declared.type, (int64_t)declared.rows,
                    (int64_t)declared.columns);
}

Test(checking_steps, arguments_that_are_none_are_errors_of_the_table)
{
    static const struct {
        kg_argument argument;
        const char *text;
    } bad[] = {
        { { "x", KG_INPUT, KG_FLOAT32, 1, (size_t)-31 },
          "argument x: rows times columns is negative, or more than memory holds" },
        { { "x", KG_OUTPUT, KG_UINT8, (size_t)-1, 0 },
          "argument x: rows times columns is negative, or more than memory holds" },
        { { "x", KG_INPUT, KG_FLOAT32, 1, (size_t)1 << 62 },
          "argument x: rows times columns is negative, or more" },
        { { "x", KG_INPUT, KG_UINT8, (size_t)1 << 33, (size_t)1 << 33 },
          "rows times columns is negative, or more" },
        { { "x", KG_INPUT, (kg_type)99, 1, 31 }, "argument x: its type is not a kg_type: fix" },
        { { "x", (kg_role)9, KG_FLOAT32, 1, 31 }, "argument x: its role is not a kg_role: fix" },
        { { "", KG_INPUT, KG_FLOAT32, 1, 31 }, "scale: argument 1 has no name: give it one" },
    };
    kg_comparison comparison = plain;

    comparison.arguments = declare_one;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        declared = bad[i].argument;
        cr_assert(check_as(&comparison, &small, compute) == KG__FAILED, "%zu", i);
        cr_assert(strstr(why.text, bad[i].text) != NULL, "%s", why.text);
    }
}

static float scale;

static void note_step(char step)
{
    size_t used = strlen(steps);

    cr_assert(used + 1 < sizeof steps);
    steps[used] = step;
    steps[used + 1] = '\0';
}

static bool is_filled_with(const void *data, unsigned char byte, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (((const unsigned char *)data)[i] != byte)
            return false;
    }
    return true;
}

/* The arguments are there, and nothing has been launched on them. */
static cudaError_t prepare(const kg_call *call)
{
    const float *from = call->argument[FROM];

    note_step('p');
    cr_assert(cudaPeekAtLastError() == cudaSuccess, "an earlier step's error is not this one's");
    cr_assert(call->size == &small && KG_AXIS(call, 0) == 8 && call->stream == NULL);
    cr_assert(from[0] != 0 && fabsf(from[0]) <= 0x1p40f, "the inputs are there");
    cr_assert(is_filled_with(call->argument[TO], kg__poison(0), 60) ||
              is_filled_with(call->argument[TO], kg__poison(1), 60) ||
              is_filled_with(call->argument[TO], kg__poison(2), 60) ||
              (steps[1] == '\0' && is_filled_with(call->argument[TO], 0, 60)));
    scale = 2;
    return cudaSuccess;
}

/* Needs what prepare() did, and leaves its first result elsewhere. */
static float left_elsewhere;

static cudaError_t compute_prepared(const kg_call *call)
{
    float *to = call->argument[TO];
    float kept = to[0];

    note_step('l');
    (void)compute(call);
    for (int64_t i = 0; i < elements(call->size); i++)
        to[i] = to[i] / 2 * scale;
    left_elsewhere = to[0];
    to[0] = kept;
    scale = 0;
    return cudaSuccess;
}

static cudaError_t collect(const kg_call *call)
{
    note_step('c');
    ((float *)call->argument[TO])[0] = left_elsewhere;
    (void)cudaMemcpy(NULL, call->argument[TO], 4, cudaMemcpyDeviceToDevice);
    return cudaSuccess;
}

static const kg_variant stepped =
    KG_VARIANT("stepped", launch, "", .advanced.prepare = prepare, .advanced.collect = collect);

/* Before and after every launch, in every pattern, on arguments that were filled again. */
Test(checking_steps, arguments_are_prepared_and_results_collected)
{
    static const kg_variant unprepared =
        KG_VARIANT("stepped", launch, "", .advanced.collect = collect);
    static const kg_variant uncollected =
        KG_VARIANT("stepped", launch, "", .advanced.prepare = prepare);

    cr_assert(check_variant(&patterned, &stepped, &small, compute_prepared) == KG__RIGHT, "%s",
              why.text);
    cr_assert(kg__device_orders(false) == 2 && launches == 5);
    cr_assert(strcmp(steps, "pcplcplcplcplcplc") == 0, "%s", steps);
    cr_assert(check_variant(&plain, &unprepared, &small, compute_prepared) == KG__INCORRECT);
    cr_assert(strcmp(steps, "clc") == 0, "%s", steps);
    cr_assert(check_variant(&plain, &uncollected, &small, compute_prepared) == KG__INCORRECT);
    cr_assert(strstr(why.text, "1 of 15 elements wrong, 1 of them never written") != NULL, "%s",
              why.text);
}

/* A variant whose steps compute the results would be timed doing nothing. That copies are right at
 * a small size says nothing, nor that the steps find the results of an earlier launch. */
Test(checking_steps, the_launch_computes_the_results)
{
    static const kg_variant prepared = KG_VARIANT("p", launch, "", .advanced.prepare = compute);
    static const kg_variant collected = KG_VARIANT("c", launch, "", .advanced.collect = compute);
    static const kg_size one = KG_CHECKED(1, 1);
    static const kg_variant *const rows[] = { &prepared, &collected };
    kg__checker checker = { 0 };
    kg__case twice = { .variant = &stepped, .size = &small, .launch = KG_LAUNCH(8), .id = "scale" };

    for (size_t i = 0; i < 2; i++) {
        const char *symbol = "";

        cr_expect(check_variant(&plain, rows[i], &small, do_nothing) == KG__INCORRECT);
        cr_expect_str_eq(
            why.text,
            "right without the launch: compute in the launcher, not in prepare or collect");
        cr_expect_str_eq(kg__check_failure(&symbol), "right_without_launch");
        cr_expect(symbol == NULL && launches == 0);
        cr_expect(check_variant(&plain, rows[i], &one, do_nothing) == KG__RIGHT, "%s", why.text);
    }
    behavior = compute_prepared;
    for (int i = 0; i < 2; i++) {
        steps[0] = '\0';
        cr_expect(kg__check_case(&checker, &plain, &twice, &why) == KG__RIGHT, "%s", why.text);
        cr_expect(strncmp(steps, i == 0 ? "pcplc" : "plcplc", 5 + i) == 0, "%s", steps);
    }
    kg__checker_free(&checker);
}

/* What a launch finds is no error of an earlier call, prepared or not. */
Test(checking_steps, a_launch_finds_no_earlier_error)
{
    static const kg_variant unprepared = KG_VARIANT("u", launch, "");
    const kg__case c = { .size = &small, .variant = &unprepared };
    const kg__buffers buffers = { 0 };

    cr_assert(cudaMemcpy(NULL, &c, 4, cudaMemcpyDeviceToDevice) != cudaSuccess);
    cr_assert(cudaPeekAtLastError() != cudaSuccess);
    cr_assert(kg__prepare_launch(&c, &buffers, &why), "%s", why.text);
    cr_assert(cudaPeekAtLastError() == cudaSuccess);
}

/* Each failure belongs to the step that caused it, and to no later one. */
Test(checking_steps, failures_belong_to_their_step)
{
    static const kg_variant host = KG_VARIANT("host", launch, "", .advanced.clock = KG_HOST_CLOCK);
    static const kg_variant collected = KG_VARIANT("c", launch, "", .advanced.collect = collect);
    static const kg_variant refused = KG_VARIANT("r", launch, "", .advanced.prepare = refuse);
    static const kg_variant lost = KG_VARIANT("l", launch, "", .advanced.prepare = lose);
    static const kg_variant uncollected =
        KG_VARIANT("u", launch, "", .advanced.prepare = prepare, .advanced.collect = refuse);
    static const kg_variant lost_last = KG_VARIANT("e", launch, "", .advanced.collect = lose);
    static const struct {
        const kg_variant *what;
        cudaError_t (*does)(const kg_call *);
        kg__outcome outcome;
        const char *why, *steps;
    } rows[] = {
        { &variant, refuse, KG__FAILED, "launching: cudaErrorInvalidValue, ", "" },
        { &variant, compute_and_wait, KG__FAILED, "allocates, frees or waits", "" },
        { &variant, compute_and_wait, KG__FAILED, "timed: 1 such call;", "" },
        { &variant, allocate_and_compute, KG__FAILED, "timed: 2 such calls;", "" },
        { &variant, compute_on_the_stream, KG__RIGHT, "", "" },
        /* Work that a launcher starts on another stream would be missing from its time. */
        { &variant, set_elsewhere, KG__FAILED,
          "not on the stream of the call, where it could not be timed: 2 of the launcher's ", "" },
        /* With another clock the launch alone would be refused. */
        { &host, free_output, KG__FAILED, "reading a result back: cudaError", "" },
        { &variant, lose_at_once, KG__LOST, "launching: cudaErrorIllegalAddress", "" },
        { &variant, lose, KG__LOST, "running the kernel: cudaErrorIllegalAddress", "" },
        { &collected, lose, KG__LOST, "running the kernel: cudaErrorIllegalAddress", "c" },
        { &refused, compute, KG__FAILED, "preparing the arguments: cudaErrorInvalidValue", "" },
        { &lost, compute, KG__LOST, "preparing the arguments: cudaErrorIllegalAddress", "" },
        { &uncollected, compute_prepared, KG__FAILED,
          "collecting the results: cudaErrorInvalidValue", "ppl" },
        { &lost_last, compute, KG__LOST, "collecting the results: cudaErrorIllegalAddress", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect(check_variant(&plain, rows[i].what, &small, rows[i].does) == rows[i].outcome,
                  "%zu: %s", i, why.text);
        cr_expect(strstr(why.text, rows[i].why) != NULL, "%zu: %s", i, why.text);
        cr_expect_str_eq(steps, rows[i].steps);
        if (rows[i].outcome == KG__LOST) {
            cr_expect(check_as(&plain, &small, compute) == KG__LOST, "%zu", i);
            cr_expect(strstr(why.text, "no device memory") != NULL, "%s", why.text);
        }
        kg__model_set_sticky_error(cudaSuccess);
    }
}

/* One output of one element. */
static struct {
    kg_type type;
    uint64_t computed, expected; /* bits: of a double where the type is not a long integer */
    const char *message;         /* NULL: right */
} typed;

static void typed_argument(const kg_size *size, kg_arguments *list)
{
    (void)size;
    kg_add_argument(list, KG_OUTPUT, "x", typed.type, 1, 1);
}

static void typed_reference(const kg_problem *problem, int output, double *expected,
                            double *tolerance)
{
    (void)problem;
    (void)output;
    memcpy(expected, &typed.expected, sizeof *expected);
    *tolerance = 0.5;
}

static cudaError_t compute_typed(const kg_call *call)
{
    memcpy(call->argument[0], &typed.computed, kg_type_size(typed.type));
    return cudaSuccess;
}

Test(checking_steps, each_type_is_judged_and_shown_by_its_own_bits)
{
    static const struct {
        kg_type type;
        uint64_t computed, expected;
        const char *message;
    } rows[] = {
        { KG_INT64, INT64_MAX, INT64_MAX, NULL },
        { KG_INT64, INT64_MAX, INT64_MAX - 1,
          "x[0]: expected 9223372036854775806, got 9223372036854775807, tolerance 0.5; 1 of 1" },
        { KG_UINT64, UINT64_MAX, 0, "x[0]: expected 0, got 18446744073709551615, tolerance" },
        { KG_FLOAT16, 0x3c00, 0x3ff0000000000000, NULL },
        { KG_FLOAT16, 0x4000, 0x3ff0000000000000, "x[0]: expected 1, got 2, tolerance 0.5" },
        { KG_FLOAT16, 0x7e00, 0x3ff0000000000000, "x[0]: expected 1, got NaN, tolerance 0.5" },
        { KG_BFLOAT16, 0x4000, 0x3ff0000000000000, "x[0]: expected 1, got 2, tolerance 0.5" },
        { KG_FLOAT8_E4M3, 0x38, 0x3ff0000000000000, NULL },
        { KG_FLOAT8_E5M2, 0x7c, 0x3ff0000000000000, "x[0]: expected 1, got inf, tolerance 0.5" },
        { KG_FLOAT64, 0x4000000000000001, 0x3ff0000000000000,
          "x[0]: expected 1, got 2.0000000000000004, tolerance 0.5" },
        { KG_UINT16, 65535, 0x40efffe000000000, NULL },
        { KG_INT8, 0xff, 0x3ff0000000000000, "x[0]: expected 1, got -1, tolerance 0.5" },
    };
    const kg_comparison comparison = { .name = "scale",
                                       .arguments = typed_argument,
                                       .reference = typed_reference };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(&typed, &rows[i], sizeof typed);
        cr_assert(check_as(&comparison, &small, compute_typed) ==
                      (rows[i].message == NULL ? KG__RIGHT : KG__INCORRECT),
                  "row %zu: %s", i, why.text);
        cr_expect(rows[i].message == NULL || strstr(why.text, rows[i].message) != NULL, "%s",
                  why.text);
    }
}

/* The tolerances of `to` and `bytes` at the size 3x5, and of `to` at 7x300. */
static const struct {
    double small;
    double bytes;
    double large;
    const char *passes; /* the output whose check cannot fail; NULL: none */
} tolerances[] = {
    { 0.25, 0, 0.25, NULL },
    { 1e15, 0, 0.25, NULL },
    { 1e15, 0, 1e15, "scale: to passes as zeros at every size, so its check cannot fail: narrow " },
    { (double)INFINITY, 0, (double)INFINITY, "scale: to passes as zeros" },
    { 0.25, 1, 0.25, NULL },
    { 0.25, 255, 0.25, "scale: bytes passes as zeros" },
};
static size_t tolerated;

static void reference_within(const kg_problem *problem, int output, double *expected,
                             double *tolerance)
{
    reference(problem, output, expected, tolerance);
    for (int64_t i = 0; i < elements(problem->size); i++) {
        if (output == TO)
            tolerance[i] = elements(problem->size) == 15 ? tolerances[tolerated].small
                                                         : tolerances[tolerated].large;
        else if (output == BYTES)
            tolerance[i] = tolerances[tolerated].bytes;
    }
}

Test(checking_steps, tolerances_that_pass_anything)
{
    static const kg_size sizes[] = { KG_CHECKED(3, 5), KG_BOUNDS(9, 9), KG_CHECKED(7, 300),
                                     KG_END };
    /* What was seen of one variant's outputs holds for that variant alone. */
    kg_variant own[sizeof tolerances / sizeof *tolerances];
    kg_comparison comparison = plain;

    comparison.sizes = sizes;
    comparison.reference = reference_within;
    for (tolerated = 0; tolerated < sizeof tolerances / sizeof *tolerances; tolerated++) {
        const char *passes = tolerances[tolerated].passes;

        own[tolerated] = variant;
        for (int again = 0; again < 2; again++) {
            kg__outcome outcome = check_variant(&comparison, &own[tolerated], &sizes[0], compute);

            cr_expect(outcome == (passes != NULL ? KG__FAILED : KG__RIGHT), "%s", why.text);
            cr_expect(passes == NULL || strstr(why.text, passes) != NULL, "%s", why.text);
        }
    }
}
