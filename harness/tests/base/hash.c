/* SPDX-License-Identifier: MIT */
/* The hash, held against figures that its authors published. */
#include "base/hash.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(hash);

Test(hash, known_answers)
{
    cr_expect(eq(u64, kg__hash_bytes(KG__HASH_BEGIN, "", 0), UINT64_C(0xcbf29ce484222325)));
    cr_expect(eq(u64, kg__hash_bytes(KG__HASH_BEGIN, "a", 1), UINT64_C(0xaf63dc4c8601ec8c)));
    cr_expect(eq(u64, kg__hash_bytes(KG__HASH_BEGIN, "foobar", 6), UINT64_C(0x85944171f73967e8)));
}

Test(hash, a_text_counts_its_end)
{
    uint64_t first = kg__hash_text(kg__hash_text(KG__HASH_BEGIN, "ab"), "c");
    uint64_t second = kg__hash_text(kg__hash_text(KG__HASH_BEGIN, "a"), "bc");

    cr_expect(ne(u64, first, second));
    cr_expect(ne(u64, kg__hash_text(KG__HASH_BEGIN, ""), KG__HASH_BEGIN));
}

Test(hash, a_number_is_its_bytes_from_the_lowest)
{
    static const unsigned char bytes[8] = { 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01 };

    cr_expect(eq(u64, kg__hash_number(KG__HASH_BEGIN, UINT64_C(0x0102030405060708)),
                 kg__hash_bytes(KG__HASH_BEGIN, bytes, sizeof bytes)));
}

Test(hash, is_shown_in_sixteen_digits)
{
    char text[KG__HASH_TEXT_SIZE];

    kg__hash_show(text, 0x1f);
    cr_expect(eq(str, text, "000000000000001f"));
    kg__hash_show(text, UINT64_MAX);
    cr_expect(eq(str, text, "ffffffffffffffff"));
}
