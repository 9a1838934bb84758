/* SPDX-License-Identifier: MIT */
/* A launch's identity: the same wherever the arguments lie, and another for anything else. */
#include "observer/launch_identity.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stddef.h>
#include <string.h>

TestSuite(launch_identity);

#define GUARD 0x100

/* Two arguments of 64 KiB with guard zones, from an address on. */
static void lay_out(uintptr_t at, kg__argument_place *places)
{
    places[0] = (kg__argument_place){ at, at + GUARD, at + 2 * GUARD + 0x10000 };
    at += 0x1000000;
    places[1] = (kg__argument_place){ at, at + GUARD, at + 2 * GUARD + 0x10000 };
}

/* All that lies from here to there is memory that the device knows. */
static bool is_memory(uintptr_t address)
{
    return address >= 0x7f0000000000 && address < 0x7fffffffffff;
}

static const char *show(const kg__launch_identity *identity)
{
    static char texts[8][KG__HASH_TEXT_SIZE];
    static int next;
    char *text = texts[next++ % 8];

    (void)kg__identity_show(identity, text);
    return text;
}

/* Begins the identity of a launch whose arguments lie from `at` on. */
static kg__launch_identity begin_at(uintptr_t at)
{
    static kg__argument_place places[2];
    kg__launch_identity identity;

    lay_out(at, places);
    kg__identity_begin(&identity, places, 2, is_memory);
    return identity;
}

/* The identity of a launch with one parameter. */
static const char *of_parameter(uintptr_t at, const void *value, size_t bytes)
{
    kg__launch_identity identity = begin_at(at);

    kg__identity_parameter(&identity, value, bytes);
    return show(&identity);
}

static const char *of_address(uintptr_t at, uintptr_t address)
{
    kg__launch_identity identity = begin_at(at);

    kg__identity_address(&identity, address);
    return show(&identity);
}

static const char *of_place(uintptr_t at, uintptr_t address, int kind)
{
    kg__launch_identity identity = begin_at(at);

    kg__identity_place(&identity, address, kind);
    return show(&identity);
}

static const char *of_pointer(uintptr_t at, uintptr_t value)
{
    uint64_t word = value;

    return of_parameter(at, &word, sizeof word);
}

#define HERE 0x7f1200000000
#define THERE 0x7f5600000000
#define SECOND 0x1000000

Test(launch_identity, pointers_into_arguments_repeat_from_process_to_process)
{
    static const uintptr_t offsets[] = { 0,          GUARD - 4,       GUARD,
                                         GUARD + 64, GUARD + 0x10000, 2 * GUARD + 0xffff };

    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        const char *one = of_pointer(HERE, HERE + offsets[i]);

        cr_expect(eq(int, (int)strlen(one), 16));
        cr_expect(eq(str, (char *)one, (char *)of_pointer(THERE, THERE + offsets[i])));
        cr_expect(ne(str, (char *)one, (char *)of_pointer(THERE, THERE + offsets[i] - 1)),
                  "another offset");
        cr_expect(ne(str, (char *)one, (char *)of_pointer(THERE, THERE + SECOND + offsets[i])),
                  "another argument");
    }
}

Test(launch_identity, memory_that_nobody_knows_ends_it)
{
    kg__launch_identity identity = begin_at(HERE);
    char text[KG__HASH_TEXT_SIZE] = "old";

    cr_expect(eq(str, (char *)of_pointer(HERE, HERE - 1), ""));
    cr_expect(eq(str, (char *)of_pointer(HERE, HERE + 2 * GUARD + 0x10000), ""));
    cr_expect(eq(str, (char *)of_address(HERE, 0x1234), ""), "an address, and in no argument");
    kg__identity_give_up(&identity);
    kg__identity_number(&identity, 1);
    cr_expect(not(kg__identity_show(&identity, text)));
    cr_expect(eq(str, text, ""));
}

/* The variable that is copied to is at another address in every process. */
Test(launch_identity, what_is_copied_outside_of_arguments_counts_by_its_kind)
{
    const char *outside = of_place(HERE, HERE - 0x1000, 2);

    cr_expect(eq(int, (int)strlen(outside), 16));
    cr_expect(eq(str, (char *)outside, (char *)of_place(HERE, HERE - 0x2000, 2)));
    cr_expect(ne(str, (char *)outside, (char *)of_place(HERE, HERE - 0x1000, 1)), "other memory");
    cr_expect(ne(str, (char *)outside, (char *)of_place(HERE, HERE - 0x0ffc, 2)), "alignment");
    cr_expect(ne(str, (char *)outside, (char *)of_place(HERE, HERE + GUARD, 2)), "an argument");
    cr_expect(eq(str, (char *)of_place(HERE, HERE + GUARD, 1),
                 (char *)of_place(THERE, THERE + GUARD, 2)));
}

Test(launch_identity, plain_values_count_as_they_are)
{
    uint64_t length = 1048576;
    int width = 530;
    int other = 531;
    unsigned char flag = 1;

    cr_expect(
        eq(str, (char *)of_parameter(HERE, &length, 8), (char *)of_parameter(THERE, &length, 8)));
    cr_expect(
        ne(str, (char *)of_parameter(HERE, &width, 4), (char *)of_parameter(HERE, &other, 4)));
    cr_expect(ne(str, (char *)of_parameter(HERE, &flag, 1), (char *)of_parameter(HERE, "", 0)));
    cr_expect(eq(int, (int)strlen(of_pointer(HERE, 0)), 16), "NULL is a value");
    cr_expect(eq(str, (char *)of_address(HERE, 0), (char *)of_address(THERE, 0)));
}

/* An offset is not a number: a pointer to element 8 is not the number 8. */
Test(launch_identity, a_pointer_is_no_number)
{
    cr_expect(ne(str, (char *)of_pointer(HERE, HERE + GUARD + 8), (char *)of_pointer(HERE, 8)));
}

Test(launch_identity, structures_are_looked_through)
{
    struct view {
        uint64_t data;
        int length, stride;
        uint64_t more;
        int rest;
    } here = { HERE + GUARD, 530, 1, HERE + SECOND + GUARD, 7 };
    struct view there = { THERE + GUARD, 530, 1, THERE + SECOND + GUARD, 7 };
    size_t bytes = offsetof(struct view, rest) + sizeof here.rest;
    const char *one = of_parameter(HERE, &here, bytes);

    cr_expect(eq(str, (char *)one, (char *)of_parameter(THERE, &there, bytes)));
    there.stride = 2;
    cr_expect(ne(str, (char *)one, (char *)of_parameter(THERE, &there, bytes)));
    there.stride = 1;
    there.rest = 8;
    cr_expect(ne(str, (char *)one, (char *)of_parameter(THERE, &there, bytes)), "its last bytes");
    there.rest = 7;
    there.more = HERE + SECOND + GUARD;
    cr_expect(eq(str, (char *)of_parameter(THERE, &there, bytes), ""),
              "a pointer that leads astray");
}

Test(launch_identity, everything_added_counts_in_its_order)
{
    kg__launch_identity one;
    kg__launch_identity other;

    kg__identity_begin(&one, NULL, 0, is_memory);
    kg__identity_begin(&other, NULL, 0, is_memory);
    cr_expect(eq(str, (char *)show(&one), (char *)show(&other)));
    kg__identity_text(&one, "_Z5naive");
    kg__identity_number(&one, 16);
    kg__identity_number(&other, 16);
    kg__identity_text(&other, "_Z5naive");
    cr_expect(ne(str, (char *)show(&one), (char *)show(&other)));
}
