/* SPDX-License-Identifier: MIT */
/* Files as messages name them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/source_path.h"

Test(source_path, names_are_those_below_the_folder)
{
    cr_expect(eq(str, (char *)kg__source_name("/a/b", "/a/b/c.cu"), "c.cu"));
    cr_expect(eq(str, (char *)kg__source_name("/a/b", "/a/bc/c.cu"), "/a/bc/c.cu"));
}
