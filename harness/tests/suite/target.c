/* SPDX-License-Identifier: MIT */
/* The keys of targets. */
#include "suite/target.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_key(const char *name, const char *expected)
{
    char key[96];

    kg__target_key(name, key, sizeof key);
    cr_expect(strcmp(key, expected) == 0, "%s: expected %s, got %s", name, expected, key);
}

Test(target_key, of_names)
{
    char key[8];

    expect_key("NVIDIA H200", "nvidia-h200");
    expect_key("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3");
    expect_key("NVIDIA H200 MIG 1g.18gb", "nvidia-h200-mig-1g-18gb");
    expect_key("  Tesla -- (T4)  ", "tesla-t4");
    expect_key("AZaz09", "azaz09");
    expect_key("\xC3\x84\xC3\xA4", "");
    expect_key("", "");
    kg__target_key("abcdefghij", key, sizeof key);
    cr_expect_str_eq(key, "abcdefg");
    kg__target_key("abcdef ghij", key, sizeof key);
    cr_expect_str_eq(key, "abcdef", "no '-' is left at the end");
    strcpy(key, "old");
    kg__target_key("abc", key, 0);
    cr_expect_str_eq(key, "old");
}
