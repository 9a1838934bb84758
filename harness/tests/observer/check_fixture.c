/* SPDX-License-Identifier: MIT */
#include "tests/observer/check_fixture.h"

#include <criterion/criterion.h>

cudaError_t (*behavior)(const kg_call *call);
int launches;

cudaError_t launch(const kg_call *call)
{
    launches++;
    return behavior(call);
}

int64_t elements(const kg_size *size)
{
    return kg_extent(size, 0) * kg_extent(size, 1);
}

cudaError_t compute(const kg_call *call)
{
    const float *from = call->argument[FROM];
    int32_t *sum = call->argument[SUM];
    float *to = call->argument[TO];
    uint8_t *bytes = call->argument[BYTES];

    for (int64_t i = 0; i < elements(call->size); i++) {
        to[i] = 2 * from[i];
        sum[i] = (int32_t)((uint32_t)sum[i] + 1);
        bytes[i] = (uint8_t)i;
    }
    return cudaSuccess;
}

cudaError_t do_nothing(const kg_call *call)
{
    (void)call;
    return cudaSuccess;
}

void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t rows = kg_extent(size, 0);
    int64_t columns = kg_extent(size, 1);

    kg_add_argument(list, KG_INPUT, "from", KG_FLOAT32, rows, columns);
    kg_add_argument(list, KG_INPUT_OUTPUT, "sum", KG_INT32, 1, rows * columns);
    kg_add_argument(list, KG_OUTPUT, "to", KG_FLOAT32, rows, columns);
    kg_add_argument(list, KG_OUTPUT, "bytes", KG_UINT8, 1, rows * columns);
}

void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    for (int64_t i = 0; i < elements(problem->size); i++) {
        if (output == TO)
            expected[i] = 2.0 * ((const float *)problem->data[FROM])[i];
        else if (output == SUM)
            expected[i] = (int32_t)((uint32_t)((const int32_t *)problem->data[SUM])[i] + 1);
        else
            expected[i] = (double)(i % 256);
        tolerance[i] = output == TO ? 0.25 : 0;
    }
}

void fill_ones(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];

    for (size_t i = 0; i < shape->rows * shape->columns; i++) {
        if (shape->type == KG_FLOAT32)
            ((float *)data)[i] = 1;
        else
            ((int32_t *)data)[i] = 1;
    }
}

static const kg_pattern patterns[] = {
    { "ones", fill_ones, NULL, true },
    { "unfilled", NULL, NULL, false },
    KG_END,
};

kg_work work(const kg_size *size)
{
    return (kg_work){ .operations = (double)elements(size), .bytes = 0 };
}

const kg_variant variant = KG_VARIANT("doubles", launch, "");
const kg_size small = KG_CHECKED(3, 5);
const kg_size large = KG_CHECKED(7, 300);
static const kg_size sizes[] = { KG_CHECKED(1, 1), KG_CHECKED(3, 5), KG_END };
const kg_comparison plain = {
    .name = "scale", .sizes = sizes, .arguments = arguments, .reference = reference, .work = work
};
const kg_comparison patterned = { .name = "scale",
                                  .sizes = sizes,
                                  .arguments = arguments,
                                  .reference = reference,
                                  .work = work,
                                  .advanced.patterns = patterns };

char steps[64];
kg__error why;

kg__outcome check_variant(const kg_comparison *comparison, const kg_variant *what,
                          const kg_size *size, cudaError_t (*does)(const kg_call *))
{
    kg__checker checker = { 0 };
    kg__case one = { .variant = what, .size = size, .launch = KG_LAUNCH(8), .id = "scale" };
    kg__outcome outcome;

    behavior = does;
    launches = 0;
    steps[0] = why.text[0] = '\0';
    outcome = kg__check_case(&checker, comparison, &one, &why);
    kg__checker_free(&checker);
    return outcome;
}

kg__outcome check_as(const kg_comparison *comparison, const kg_size *size,
                     cudaError_t (*does)(const kg_call *))
{
    return check_variant(comparison, &variant, size, does);
}
