/* SPDX-License-Identifier: MIT */
/* Checking: every way for a launch to be wrong is seen and named, and a right one passes, in every
 * kind of memory. */
#include "observer/check.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "model/model.h"
#include "tests/fakes/idle_callbacks.h"
#include "tests/observer/check_fixture.h"

static kg__checker checker;
static const kg__case one = { .variant = &variant, .size = &small, .id = "scale" };

static void expect_incorrect(const kg_comparison *comparison, const kg_size *size,
                             cudaError_t (*does)(const kg_call *), const char *text)
{
    cr_assert(check_as(comparison, size, does) == KG__INCORRECT, "%s", why.text);
    cr_assert(strstr(why.text, text) != NULL, "\"%s\" is not in \"%s\"", text, why.text);
}

/* Cases of one size share what was computed for it; another size has its own. */
Test(checking, a_checker_goes_from_case_to_case)
{
    kg__case other = { .variant = &variant, .size = &large, .id = "scale" };
    const kg__problem *known;

    behavior = compute;
    cr_assert(kg__check_case(&checker, &patterned, &one, &why) == KG__RIGHT, "%s", why.text);
    cr_assert(launches == kg__device_orders(false) + 3);
    known = checker.problems;
    cr_assert(kg__check_case(&checker, &patterned, &one, &why) == KG__RIGHT, "%s", why.text);
    cr_assert(checker.problems == known);
    cr_assert(kg__check_case(&checker, &patterned, &other, &why) == KG__RIGHT, "%s", why.text);
    cr_assert(checker.problems->base.size == &large);
    cr_assert(kg__check_case(&checker, &patterned, &one, &why) == KG__RIGHT, "%s", why.text);
    kg__checker_free(&checker);
    cr_assert(checker.problems == NULL && checker.patterns == 0);
}

/* A kernel that computes, and then does this to its arguments. */
#define KERNEL(name, ...)                                                                          \
    static cudaError_t name(const kg_call *call)                                                   \
    {                                                                                              \
        float *from = call->argument[FROM];                                                        \
        int32_t *sum = call->argument[SUM];                                                        \
        float *to = call->argument[TO];                                                            \
        uint8_t *bytes = call->argument[BYTES];                                                    \
        float last = to[14];                                                                       \
        uint8_t first = bytes[0];                                                                  \
                                                                                                   \
        (void)compute(call);                                                                       \
        (void)from, (void)sum, (void)last, (void)first;                                            \
        __VA_ARGS__;                                                                               \
        return cudaSuccess;                                                                        \
    }

KERNEL(miss_one, to[7] += 1)
KERNEL(miss_some_bytes, bytes[11]++, bytes[14]++)
KERNEL(make_nan, to[0] = NAN)
KERNEL(halve_the_first, to[0] = 1)
KERNEL(leave_one_out, memcpy(to + 14, &last, sizeof last))
KERNEL(leave_two_bytes_out, bytes[0] = bytes[1] = first)
KERNEL(compute_poison, memset(sum, kg__poison(0), 15 * sizeof *sum))
KERNEL(write_input, ((unsigned char *)from)[4 * 6 + 1] ^= 1)
KERNEL(write_after, to[15 + 2] = 1)
KERNEL(write_before, memset((unsigned char *)from - 8, 0, 5))
KERNEL(write_the_last_guard_byte, bytes[15 + KG__GUARD_BYTES - 1] = 0)
KERNEL(write_the_first_guard_byte, *((unsigned char *)sum - KG__GUARD_BYTES) = 0)
KERNEL(copy_too_much, memcpy(to + 15, from + 15, 8))
KERNEL(miss_and_overrun, to[7] += 1, to[15 + 2] = 1)
KERNEL(miss_in_the_second_pass, to[7] += launches == 2)
/* Adding 1 would be lost to rounding in a wide element. */
KERNEL(miss_in_the_third_pass, to[7] = launches == 3 ? -to[7] - 1 : to[7])
KERNEL(miss_in_the_third_pattern, to[7] += launches == 4)
KERNEL(ignore_an_error, to[7] += 1, (void)cudaMemcpy(to, NULL, 4, cudaMemcpyDeviceToDevice))
/* By less than the tolerance, which an exact pattern does not grant. */
KERNEL(be_inexact, to[3] += 0.125f)

static const struct {
    cudaError_t (*does)(const kg_call *);
    const char *seen;
} wrong[] = {
    { miss_one, "to[row 1, column 2]: expected " },
    { miss_one, "tolerance 0.25; 1 of 15 elements wrong; inputs random" },
    { miss_some_bytes,
      "bytes[11]: expected 11, got 12, tolerance 0; 2 of 15 elements wrong; inputs" },
    { make_nan, "to[row 0, column 0]: expected" },
    { make_nan, "got NaN" },
    { leave_one_out, "1 of 15 elements wrong, 1 of them never written" },
    { leave_two_bytes_out, "2 of them never written" },
    { do_nothing, "15 of 15 elements wrong, 15 of them never" },
    /* No input is poisoned: poison in it does not show that it was not written. */
    { compute_poison, "15 of 15 elements wrong; " },
    { write_input, "from[row 1, column 1]: an input was written to; inputs random" },
    { write_after,
      "guard zone after to: 4 bytes overwritten, from byte 8 past its end on; inputs random" },
    { write_before, "guard zone before from: 5 bytes overwritten, from byte 8 before its start" },
    { write_the_last_guard_byte, "guard zone after bytes: 1 bytes overwritten, from byte 65535 " },
    { write_the_first_guard_byte, "guard zone before sum: 1 bytes overwritten, from byte 65536 " },
    /* The guard zones of two arguments differ. */
    { copy_too_much, "guard zone after to: 6 bytes overwritten, from byte 0 past its end on" },
    /* A wrong element does not hide an overrun. */
    { ignore_an_error,
      "1 of 15 elements wrong; inputs random; the launcher ignores cudaErrorInvalidValue" },
    { miss_and_overrun, "to[row 1, column 2]: expected" },
    { miss_and_overrun, "; guard zone after to: 4 bytes overwritten" },
    { miss_in_the_second_pass, "inputs random, threads in reversed order" },
    { miss_in_the_third_pass,
      "inputs wide, threads in reversed order (magnitudes up to 1.1e+12; " },
};

Test(checking, patterns_are_named_and_exact_ones_have_no_tolerance)
{
    expect_incorrect(&patterned, &small, miss_in_the_third_pattern, "; inputs ones");
    cr_assert(check_as(&plain, &small, be_inexact) == KG__RIGHT, "%s", why.text);
    expect_incorrect(&patterned, &small, be_inexact,
                     "to[row 0, column 3]: expected 2, got 2.125, tolerance 0; 1 of 15");
    cr_assert(launches == 4);
}

static void too_large_arguments(const kg_size *size, kg_arguments *list)
{
    (void)size;
    kg_add_argument(list, KG_OUTPUT, "vast", KG_UINT8, (int64_t)1 << 31, (int64_t)1 << 30);
}

static kg_work much_work(const kg_size *size)
{
    (void)size;
    return (kg_work){ .operations = (double)KG_PROJECT_ABOVE + 1 };
}

static const kg_comparison vast = { .name = "scale",
                                    .arguments = too_large_arguments,
                                    .reference = no_reference,
                                    .advanced.projection = accept_all,
                                    .work = much_work };

Test(checking, no_device_memory)
{
    cr_assert(check_as(&vast, &small, compute) == KG__FAILED);
    cr_assert(strstr(why.text, "argument vast: no device memory for 2305843009213693952 bytes "
                               "(cudaErrorMemoryAllocation)") != NULL,
              "%s", why.text);
    cr_assert(launches == 0);
}

/* to against from, row sums with weights 1, 2, 3, ...: as a large product is judged. */
static bool project(const kg_problem *problem, int output, const void *computed,
                    kg_mismatch *mismatch)
{
    int64_t rows = kg_extent(problem->size, 0);
    int64_t columns = kg_extent(problem->size, 1);

    if (output != TO)
        return true;
    mismatch->is_row = true;
    for (int64_t row = 0; row < rows; row++) {
        double expected = 0;
        double got = 0;

        for (int64_t i = 0; i < columns; i++) {
            expected +=
                2.0 * ((const float *)problem->data[FROM])[row * columns + i] * (double)(i + 1);
            got += ((const float *)computed)[row * columns + i] * (double)(i + 1);
        }
        if (fabs(got - expected) <= 1e-9)
            continue;
        if (mismatch->count++ == 0) {
            mismatch->index = (size_t)row;
            mismatch->expected = expected;
            mismatch->got = got;
            mismatch->tolerance = 1e-9;
        }
    }
    return mismatch->count == 0;
}

static int references;

static void count_reference(const kg_problem *problem, int output, double *expected,
                            double *tolerance)
{
    references++;
    reference(problem, output, expected, tolerance);
}

static const kg_pattern closed[] = { { "ones", fill_ones, reference, true }, KG_END };

Test(checking, a_projection_names_the_row)
{
    kg_comparison comparison = { .name = "scale",
                                 .arguments = arguments,
                                 .reference = count_reference,
                                 .advanced.projection = project,
                                 .work = much_work };

    references = 0;
    cr_assert(check_as(&comparison, &small, compute) == KG__RIGHT, "%s", why.text);
    cr_assert(references == 0, "the whole reference is what a projection saves");
    expect_incorrect(&comparison, &small, miss_one,
                     "to[row 1] times the projection's weights: expected ");
    expect_incorrect(&comparison, &small, miss_one, "; 1 of 3 rows wrong; inputs random");
    expect_incorrect(&comparison, &small, make_nan, "to[row 0]");
    expect_incorrect(&comparison, &small, write_after, "guard zone after to");

    /* A closed form costs nothing, and is compared whole, as a small size is. */
    comparison.advanced.patterns = closed;
    expect_incorrect(&comparison, &small, be_inexact, "to[row 0] times");
    comparison.advanced.projection = accept_all;
    expect_incorrect(&comparison, &small, be_inexact, "to[row 0, column 3]: expected 2, got 2.125");
    comparison.work = work;
    comparison.advanced.projection = project;
    expect_incorrect(&comparison, &small, miss_one, "to[row 1, column 2]");
    cr_assert(references > 0);
}

static const enum cudaMemoryType type_of_memory[] = {
    [KG_DEVICE] = cudaMemoryTypeDevice,
    [KG_MANAGED] = cudaMemoryTypeManaged,
    [KG_PAGEABLE] = cudaMemoryTypeUnregistered,
    [KG_PINNED] = cudaMemoryTypeHost,
};

static enum cudaMemoryType type_of(const void *pointer)
{
    struct cudaPointerAttributes attributes;

    cr_assert(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
    return attributes.type;
}

static const kg_variant *checked_variant;

static cudaError_t compute_where_it_lies(const kg_call *call)
{
    for (int i = FROM; i <= BYTES; i++)
        cr_assert(type_of(call->argument[i]) == type_of_memory[checked_variant->advanced.memory[i]],
                  "argument %d", i);
    return compute(call);
}

/* Arguments lie where the variant has them, and whatever is wrong with them there is seen. */
Test(checking, arguments_in_every_kind_of_memory)
{
    for (int kind = KG_DEVICE; kind <= KG_PINNED; kind++) {
        kg_memory memory = (kg_memory)kind;
        /* All of them there, and then one there and the rest as usual. */
        kg_variant there[] = {
            KG_VARIANT("there", launch, "", .advanced.memory = { memory, memory, memory, memory }),
            KG_VARIANT("there", launch, "", .advanced.memory = { [TO] = memory }),
        };

        for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
            checked_variant = &there[i];
            cr_assert(check_variant(&patterned, &there[i], &small, compute_where_it_lies) ==
                          KG__RIGHT,
                      "%s", why.text);
            cr_assert(launches == 5);
            for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++) {
                cr_assert(check_variant(&plain, &there[i], &small, wrong[j].does) == KG__INCORRECT);
                cr_assert(strstr(why.text, wrong[j].seen) != NULL, "memory %d: %s", kind, why.text);
            }
        }
    }
    cr_assert(kg__model_allocation_count() == 0, "no allocation leaks");
}

/* Buffers are kept from case to case as long as they lie where the next variant has them. */
Test(checking, variants_of_different_memory_have_buffers_of_their_own)
{
    static const kg_variant managed =
        KG_VARIANT("managed", launch, "", .advanced.memory = { KG_MANAGED });
    static const kg_variant pinned =
        KG_VARIANT("pinned", launch, "", .advanced.memory = { [TO] = KG_PINNED });
    static const kg_variant beyond =
        KG_VARIANT("beyond", launch, "", .advanced.memory = { [BYTES + 1] = KG_MANAGED });
    const kg_variant order[] = { variant, managed, managed, pinned, variant, beyond };
    const void *kept = NULL;

    behavior = compute_where_it_lies;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        kg__case next = { .variant = &order[i], .size = &small, .id = "scale" };
        bool suits =
            kg__buffers_suit(&checker.buffers, &checker.buffers.arguments, &order[i]) && i > 0;

        checked_variant = &order[i];
        cr_assert(suits == (i == 2 || i == 5), "%zu: an argument that is none says nothing", i);
        cr_assert(kg__check_case(&checker, &patterned, &next, &why) == KG__RIGHT, "%s", why.text);
        cr_assert(checker.buffers.data[FROM] == kept || !suits);
        kept = checker.buffers.data[FROM];
        cr_assert(kg__buffers_suit(&checker.buffers, &checker.buffers.arguments, &order[i]));
    }
    kg__checker_free(&checker);
    cr_assert(kg__model_allocation_count() == 0);
}

/* A stage keeps inputs and references of a size while the memory changes, and makes buffers again.
 */
Test(checking, a_stage_goes_from_memory_to_memory)
{
    static const kg_variant managed =
        KG_VARIANT("managed", launch, "", .advanced.memory = { KG_MANAGED });
    kg__case first = { .variant = &variant, .size = &small, .id = "scale" };
    kg__case second = { .variant = &managed, .size = &small, .id = "scale" };
    kg__case larger = { .variant = &managed, .size = &large, .id = "scale" };
    kg__stage stage = { 0 };
    const void *inputs;
    const void *buffer;
    size_t held;

    cr_assert(kg__stage_set(&stage, &plain, &first, &why), "%s", why.text);
    inputs = stage.problem.base.data[FROM];
    buffer = stage.buffers.data[FROM];
    held = kg__model_allocation_count();
    cr_assert(type_of(buffer) == cudaMemoryTypeDevice && stage.problem.expected[TO] != NULL);
    cr_assert(kg__stage_set(&stage, &plain, &first, &why));
    cr_assert(stage.problem.base.data[FROM] == inputs && stage.buffers.data[FROM] == buffer);
    cr_assert(kg__stage_set(&stage, &plain, &second, &why), "%s", why.text);
    cr_assert(stage.problem.base.data[FROM] == inputs && stage.problem.expected[TO] != NULL);
    cr_assert(type_of(stage.buffers.data[FROM]) == cudaMemoryTypeManaged);
    cr_assert(type_of(stage.buffers.data[TO]) == cudaMemoryTypeDevice);
    cr_assert(kg__model_allocation_count() == held, "the first ones are freed");
    cr_assert(kg__stage_set(&stage, &plain, &larger, &why), "%s", why.text);
    cr_assert(stage.buffers.bytes[FROM] == 7 * 300 * 4 && stage.problem.expected[TO] != NULL);
    cr_assert(!kg__stage_set(&stage, &vast, &first, &why));
    cr_assert(kg__model_allocation_count() == 0 && stage.problem.base.data[FROM] == NULL);
    cr_assert(kg__stage_set(&stage, &plain, &first, &why), "%s", why.text);
    kg__stage_clear(&stage);
    cr_assert(kg__model_allocation_count() == 0);
}

static void reference_of_variant_digits(const kg_problem *problem, int output, double *expected,
                                        double *tolerance)
{
    reference(problem, output, expected, tolerance);
    if (output == BYTES)
        return;
    expected[0] = output == TO ? 1 + 0x1p-40 : expected[0];
    tolerance[0] = 0;
}

Test(checking, values_that_differ_are_shown_apart)
{
    static const kg_pattern ones[] = { { "ones", fill_ones, NULL, false }, KG_END };
    kg_comparison comparison = plain;

    comparison.reference = reference_of_variant_digits;
    comparison.advanced.patterns = ones;
    expect_incorrect(&comparison, &small, halve_the_first,
                     "to[row 0, column 0]: expected 1.0000000000009095, got 1, tolerance 0; 1 of");
}

/* Results of a variant with .own_reference differ from those of the others. */
static void reference_of_variant(const kg_problem *problem, int output, double *expected,
                                 double *tolerance)
{
    if (output > BYTES)
        expected[0] = tolerance[0] = 0;
    else
        reference(problem, output, expected, tolerance);
    if (output == TO && problem->variant != NULL)
        expected[7] += 1;
}

/* Checks `variant`, then with the same checker another one, which is wrong, and `variant` again,
 * when it misses an element. */
static void expect_other_incorrect(const kg_comparison *comparison, const kg_variant *other,
                                   const char *text)
{
    kg__case second = { .variant = other, .size = &small, .id = "scale" };

    behavior = compute;
    cr_assert(kg__check_case(&checker, comparison, &one, &why) == KG__RIGHT, "%s", why.text);
    cr_assert(kg__check_case(&checker, comparison, &second, &why) == KG__INCORRECT);
    cr_expect(strstr(why.text, text) != NULL, "%s", why.text);
    behavior = miss_one;
    cr_assert(kg__check_case(&checker, comparison, &one, &why) == KG__INCORRECT);
    kg__checker_free(&checker);
}

Test(checking, references_that_look_at_the_variant)
{
    static const kg_variant other = KG_VARIANT("other", launch, "", .advanced.own_reference = true);
    kg_comparison comparison = plain;

    comparison.reference = reference_of_variant;
    expect_other_incorrect(&comparison, &other, "to[row 1, column 2]");
}

static const kg_variant with_more = KG_VARIANT("with_more", launch, "");

static void arguments_of_variant(const kg_size *size, kg_arguments *list)
{
    plain.arguments(size, list);
    if (list->variant == &with_more)
        kg_add_argument(list, KG_OUTPUT, "more", KG_FLOAT32, 1, 1);
}

/* A variant that declares an output more does not share the others' problem. */
Test(checking, another_number_of_arguments)
{
    kg_comparison comparison = plain;

    comparison.arguments = arguments_of_variant;
    comparison.reference = reference_of_variant;
    expect_other_incorrect(&comparison, &with_more, "more[");
}

/* Adds up numbers that cancel, in the order in which the blocks come, as float atomics would: what
 * is left is rounding errors. */
static void add_blocks(void *context)
{
    const unsigned int block = blockIdx.x;
    const float term = 1e4f / (float)(block < 32 ? 3 + block : 66 - block);
    volatile float *sum = context;

    *sum = *sum + (block < 32 ? term : -term);
}

static cudaError_t add_in_order(const kg_call *call)
{
    const cudaLaunchConfig_t config = { .gridDim = { 64, 1, 1 },
                                        .blockDim = { 1, 1, 1 },
                                        .stream = call->stream };
    void (*const body)(void *context) = add_blocks;
    float sum = 0;
    const void *address;
    cudaError_t code;

    memcpy(&address, &body, sizeof address);
    code = kg__model_launch(&config, address, body, &sum, NULL);
    (void)compute(call);
    ((float *)call->argument[TO])[11] += sum;
    return code;
}

/* Within the tolerance in every order; only who claims the same bits is held to them. */
Test(checking, repeatable_variants_give_the_same_bits)
{
    static const kg_variant repeatable = KG_VARIANT("doubles", launch, "", KG_REPEATABLE);
    const char *symbol;

    cr_assert(check_as(&plain, &small, add_in_order) == KG__RIGHT, "%s", why.text);
    cr_assert(check_variant(&patterned, &repeatable, &small, compute) == KG__RIGHT, "%s", why.text);
    cr_expect(launches == kg__device_orders(true) + 3);
    cr_assert(check_variant(&plain, &repeatable, &small, add_in_order) == KG__INCORRECT);
    cr_expect(strstr(why.text, "to[row 2, column 1]: 0x") == why.text &&
                  strstr(why.text, " in ascending, 0x") != NULL &&
                  strstr(why.text, " in reversed order of blocks: ") != NULL,
              "%s", why.text);
    cr_expect_str_eq(kg__check_failure(&symbol), "not_repeatable");
    cr_expect_str_eq(symbol, "to");
}

/* Each case has its own errors. */
Test(checking, errors_of_a_case)
{

    behavior = compute;
    cr_assert(kg__check_case(&checker, &plain, &one, &why) == KG__RIGHT, "%s", why.text);
    cr_expect(checker.accuracy.max == 0 && checker.accuracy.mean == 0);
    behavior = add_in_order;
    cr_assert(kg__check_case(&checker, &plain, &one, &why) == KG__RIGHT, "%s", why.text);
    cr_expect(checker.accuracy.max > checker.accuracy.mean && checker.accuracy.mean > 0);
    kg__checker_free(&checker);
    cr_expect(checker.accuracy.max < 0);
}
