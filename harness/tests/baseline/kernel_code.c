/* What the compiler made of a kernel: what may stand in a baseline, and what changed. */
#include "baseline/kernel_code.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define HELD_MAX 128

static json_t *held[HELD_MAX];
static size_t held_count;

static void release(void)
{
    for (size_t i = 0; i < held_count; i++)
        json_decref(held[i]);
}

TestSuite(code, .fini = release);

static json_t *hold(json_t *document)
{
    cr_assert(document != NULL && held_count < HELD_MAX);
    held[held_count++] = document;
    return document;
}

static json_t *read(const char *text)
{
    return hold(json_loads(text, JSON_DECODE_ANY, NULL));
}

static void expect_fault(const char *text, const char *at, const char *fault)
{
    const char *key = "old";
    const char *got = kg__kernel_code_fault(read(text), &key);

    cr_assert(got != NULL, "%s is let pass", text);
    cr_expect(strcmp(got, fault) == 0, "%s: %s", text, got);
    cr_expect(at == NULL ? key == NULL : key != NULL && strcmp(key, at) == 0, "%s: %s", text,
              key != NULL ? key : "(itself)");
}

Test(code, sound_objects)
{
    static const char *const sound[] = {
        "{\"registers\": 40}",
        "{\"registers\": 0, \"local_bytes\": 0, \"shared_bytes\": 1000000000, \"occupancy\": 0}",
        "{\"occupancy\": 0.5, \"fingerprint\": \"0123456789abcdef\"}",
        "{\"occupancy\": 1}",
        "{\"occupancy\": 0.375}",
        "{\"fingerprint\": \"ffffffffffffffff\"}",
        "{\"fingerprint\": \"elf-0123456789abcdef\"}",
    };
    const char *key = "old";

    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        cr_expect(kg__kernel_code_fault(read(sound[i]), &key) == NULL, "%s", sound[i]);
        cr_expect(key == NULL);
    }
}

Test(code, every_fault_is_found)
{
    expect_fault("[]", NULL, "is not an object");
    expect_fault("7", NULL, "is not an object");
    expect_fault("{}", NULL, "is empty: omit it where nothing is known");
    expect_fault("{\"registers\": 40, \"spill_bytes\": 0}", "spill_bytes", "is an unknown key");
    expect_fault("{\"name\": \"_Z5naive\"}", "name", "is an unknown key");
    expect_fault("{\"registers\": -1}", "registers", "is not a whole number from 0 to 1000000000");
    expect_fault("{\"registers\": 40.0}", "registers",
                 "is not a whole number from 0 to 1000000000");
    expect_fault("{\"local_bytes\": null}", "local_bytes",
                 "is not a whole number from 0 to 1000000000");
    expect_fault("{\"shared_bytes\": 1000000001}", "shared_bytes",
                 "is not a whole number from 0 to 1000000000");
    expect_fault("{\"occupancy\": 1.01}", "occupancy", "is not a fraction from 0 to 1");
    expect_fault("{\"occupancy\": -0.1}", "occupancy", "is not a fraction from 0 to 1");
    expect_fault("{\"occupancy\": \"1\"}", "occupancy", "is not a fraction from 0 to 1");
    expect_fault("{\"fingerprint\": 123}", "fingerprint",
                 "is not a string of 16 hexadecimal digits");
    expect_fault("{\"fingerprint\": \"\"}", "fingerprint",
                 "is not a string of 16 hexadecimal digits");
    expect_fault("{\"fingerprint\": \"0123456789ABCDEF\"}", "fingerprint",
                 "is not a string of 16 hexadecimal digits");
    expect_fault("{\"fingerprint\": \"0123456789abcde\"}", "fingerprint",
                 "is not a string of 16 hexadecimal digits");
    expect_fault("{\"fingerprint\": \"0123456789abcdef0\"}", "fingerprint",
                 "is not a string of 16 hexadecimal digits");
    expect_fault("{\"fingerprint\": \"elf-0123456789abcde\"}", "fingerprint",
                 "is not a string of 16 hexadecimal digits");
}

Test(code, is_the_same_where_both_know_it)
{
    const json_t *one = read("{\"fingerprint\": \"0123456789abcdef\", \"registers\": 40}");
    const json_t *same = read("{\"fingerprint\": \"0123456789abcdef\", \"registers\": 41}");
    const json_t *other = read("{\"fingerprint\": \"1123456789abcdef\"}");
    const json_t *unknown = read("{\"registers\": 40}");

    cr_expect(kg__is_same_code(one, same));
    cr_expect(not(kg__is_same_code(one, other)));
    cr_expect(not(kg__is_same_code(one, unknown)));
    cr_expect(not(kg__is_same_code(unknown, one)));
    cr_expect(not(kg__is_same_code(unknown, unknown)));
    cr_expect(not(kg__is_same_code(NULL, one)));
    cr_expect(not(kg__is_same_code(NULL, NULL)));
}

/* A fingerprint of a disassembler's text tells nothing of one of cubins. */
Test(code, is_another_where_it_can_be_compared)
{
    const json_t *text = read("{\"fingerprint\": \"0123456789abcdef\"}");
    const json_t *elf = read("{\"fingerprint\": \"elf-0123456789abcdef\"}");

    cr_expect(kg__is_other_code(text, read("{\"fingerprint\": \"1123456789abcdef\"}")));
    cr_expect(kg__is_other_code(elf, read("{\"fingerprint\": \"elf-1123456789abcdef\"}")));
    cr_expect(not(kg__is_other_code(elf, elf)));
    cr_expect(not(kg__is_other_code(text, elf)));
    cr_expect(not(kg__is_other_code(elf, text)));
    cr_expect(not(kg__is_same_code(text, elf)));
    cr_expect(not(kg__is_same_code(elf, text)));
    cr_expect(not(kg__is_other_code(elf, NULL)));
    cr_expect(not(kg__is_other_code(NULL, elf)));
    cr_expect(not(kg__is_other_code(NULL, NULL)));
}

static void expect_changes(const char *before, const char *now, const char *expected)
{
    json_t *list = hold(json_array());
    char *text;

    kg__kernel_code_changes(before != NULL ? read(before) : NULL, read(now), list);
    text = json_dumps(list, 0);
    cr_expect(eq(str, text, (char *)expected));
    free(text);
}

Test(code, changes_are_told_of_what_both_know)
{
    expect_changes("{\"registers\": 32, \"local_bytes\": 0, \"shared_bytes\": 2048, "
                   "\"occupancy\": 1}",
                   "{\"registers\": 40, \"local_bytes\": 16, \"shared_bytes\": 4096, "
                   "\"occupancy\": 0.75}",
                   "[\"registers 32 -> 40\", \"local memory 0 B -> 16 B\", \"shared memory 2 048 B "
                   "-> 4 096 B\", \"occupancy 100 % -> 75.0 %\"]");
    expect_changes("{\"registers\": 32, \"occupancy\": 1}",
                   "{\"registers\": 32, \"occupancy\": 1.0}", "[]");
    expect_changes("{\"registers\": 32}", "{\"local_bytes\": 16}", "[]");
    expect_changes("{\"registers\": \"32\"}", "{\"registers\": 40}", "[]");
    expect_changes(NULL, "{\"registers\": 40}", "[]");
}
