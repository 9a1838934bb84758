/* SPDX-License-Identifier: MIT */
#include "observer/compare.h"

#include <stdatomic.h>

#include "base/shares.h"
#include "suite/element_type.h"

static bool is_poison(const unsigned char *bytes, size_t size, unsigned char poison)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != poison)
            return false;
    }
    return true;
}

/* Elements that are compared. */
typedef struct comparing {
    const kg__element_type *type;
    const void *computed;
    const double *expected;
    const double *tolerance;
    atomic_bool right;
} comparing;

static void compare_share(void *context, size_t from, size_t count)
{
    comparing *of = context;

    if (of->type->next_wrong(of->computed, of->expected, of->tolerance, from, from + count) <
        from + count)
        of->right = false;
}

bool kg__compare(kg_type type, const void *computed, const double *expected,
                 const double *tolerance, size_t count, unsigned char poison, kg_mismatch *mismatch,
                 size_t *unwritten)
{
    const kg__element_type *row = kg__element_type_of(type);
    comparing all = { row, computed, expected, tolerance, true };

    *mismatch = (kg_mismatch){ 0 };
    *unwritten = 0;
    kg__share_out(compare_share, &all, count);
    if (all.right)
        return true;
    for (size_t i = row->next_wrong(computed, expected, tolerance, 0, count); i < count;
         i = row->next_wrong(computed, expected, tolerance, i + 1, count)) {
        if (mismatch->count++ == 0) {
            mismatch->index = i;
            mismatch->expected = row->is_expected_as_itself ? row->get(expected, i) : expected[i];
            mismatch->got = row->get(computed, i);
            mismatch->tolerance = tolerance[i];
        }
        if (is_poison((const unsigned char *)computed + i * row->size, row->size, poison))
            (*unwritten)++;
    }
    return mismatch->count == 0;
}
