/* SPDX-License-Identifier: MIT */
/* KG_ARG against the types that a suite declares, and variants of different types. */
#include <criterion/criterion.h>
#include <string.h>

#include "observer/check.h"
#include "suite/argument_type.h"

/* Each copies argument 0 to argument 1; the names say what is given to KG_ARG for argument 0. */
kg_launcher takes_half, takes_half2, takes_bfloat16, takes_float, takes_float4, takes_int,
    takes_unsigned, takes_e4m3, takes_char, takes_void, takes_writable, takes_third,
    takes_float_alone;

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t elements = kg_extent(size, 0) / (int64_t)kg_type_size(KG_TYPE(list));

    kg_add_argument(list, KG_INPUT, "from", KG_TYPE(list), 1, elements);
    kg_add_argument(list, KG_OUTPUT, "to", KG_TYPE(list), 1, elements);
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const kg_argument *from = &problem->arguments.list[0];

    cr_assert(problem->arguments.list[output].type == from->type);
    for (size_t i = 0; i < from->columns; i++) {
        expected[i] = kg_element(from->type, problem->data[0], i);
        tolerance[i] = 0;
    }
}

static const kg_comparison comparison = {
    .name = "copies", .home = "/nowhere", .arguments = arguments, .reference = reference
};

static const struct {
    kg_launcher *launch;
    kg_type type;     /* declared */
    const char *said; /* NULL: it is right */
} rows[] = {
    { takes_half, KG_FLOAT16, NULL },
    { takes_half2, KG_FLOAT16, NULL },
    { takes_float, KG_FLOAT32, NULL },
    { takes_float4, KG_FLOAT32, NULL },
    { takes_int, KG_INT32, NULL },
    { takes_unsigned, KG_INT32, NULL },
    { takes_e4m3, KG_FLOAT8_E4M3, NULL },
    { takes_char, KG_FLOAT64, NULL },
    { takes_void, KG_FLOAT64, NULL },
    { takes_half, KG_BFLOAT16, "argument from has elements of bfloat16, not of float16" },
    { takes_half2, KG_FLOAT32, "argument from has elements of float32, not of float16" },
    { takes_bfloat16, KG_FLOAT16, "argument from has elements of float16, not of bfloat16" },
    { takes_float, KG_FLOAT16, "argument from has elements of float16, not of float32" },
    { takes_float4, KG_FLOAT64, "argument from has elements of float64, not of float32" },
    { takes_e4m3, KG_FLOAT8_E5M2, "argument from has elements of float8_e5m2, not of float8_e4m3" },
    { takes_writable, KG_INT8,
      "argument from is an input, which must stay unchanged: use const char" },
    { takes_third, KG_INT8, "KG_ARG(call, const char, 2): the suite declares 2 arguments" },
    { takes_float_alone, KG_FLOAT16, "argument from has elements of float16, not of float32" },
};

/* The file, the argument's name and both types. A checker goes from type to type as from size to
 * size. */
Test(argument_types, a_wrong_one_fails_the_launch)
{
    static const kg_size size = KG_CHECKED(64);
    kg__checker checker = { 0 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const kg_variant variant = { .name = "copy",
                                     .launch = rows[i].launch,
                                     .type = rows[i].type };
        const kg__case c = { .variant = &variant, .size = &size, .id = "copy" };
        kg__error why = { "" };
        kg__outcome outcome = kg__check_case(&checker, &comparison, &c, &why);

        cr_expect(outcome == (rows[i].said == NULL ? KG__RIGHT : KG__FAILED), "%zu: %s", i,
                  why.text);
        cr_expect(kg__take_argument_fault() == NULL);
        if (rows[i].said == NULL)
            continue;
        cr_expect(strstr(why.text, rows[i].said) != NULL, "%zu: %s", i, why.text);
        cr_expect(strstr(why.text, "launching: ") == why.text &&
                      strstr(why.text, "argument_kernels.cpp:") != NULL,
                  "%zu: %s", i, why.text);
    }
    kg__checker_free(&checker);
}
