/* SPDX-License-Identifier: MIT */
/* What the compiler made of a kernel: what may be in a baseline, and what changed. */
#include "records/kernel_code.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/fakes/drive.h"

static kg__kernel_code read(const char *text)
{
    kg__kernel_code code = kg__kernel_code_unknown;
    kg__error error = { "" };

    cr_assert(
        kg__fields_read_lists(json_of(text), kg__kernel_code_fields, &code, test_pool(), &error),
        "%s: %s", text, error.text);
    return code;
}

static char *text_of(const kg__kernel_code *code)
{
    return keep_text(json_dumps(keep_json(kg__fields_json(kg__kernel_code_fields, code)), 0));
}

Test(kernel_code, what_a_baseline_may_have)
{
    static const struct {
        const char *text;
        const char *key; /* that is at fault; "": the object, NULL: none */
    } rows[] = {
        { "{'registers': 40}", NULL },
        { "{'registers': 0, 'local_bytes': 0, 'shared_bytes': 1000000000, 'occupancy': 0}", NULL },
        { "{'occupancy': 0.5, 'fingerprint': '0123456789abcdef'}", NULL },
        { "{'occupancy': 1}", NULL },
        { "{'fingerprint': 'elf-0123456789abcdef'}", NULL },
        { "[]", "" },
        { "{}", "" },
        { "{'registers': 40, 'spill_bytes': 0}", "spill_bytes" },
        { "{'registers': -1}", "registers" },
        { "{'registers': 40.0}", "registers" },
        { "{'shared_bytes': 1000000001}", "shared_bytes" },
        { "{'occupancy': 1.01}", "occupancy" },
        { "{'occupancy': '1'}", "occupancy" },
        { "{'fingerprint': 123}", "fingerprint" },
        { "{'fingerprint': '0123456789ABCDEF'}", "fingerprint" },
        { "{'fingerprint': '0123456789abcde'}", "fingerprint" },
        { "{'fingerprint': 'elf-0123456789abcde'}", "fingerprint" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *key = kg__kernel_code_fault(json_of(rows[i].text));

        cr_expect(key == rows[i].key ||
                      (key != NULL && rows[i].key != NULL && strcmp(key, rows[i].key) == 0),
                  "%s: %s", rows[i].text, key);
    }
}

Test(kernel_code, is_written_as_it_was_read)
{
    static const char *const texts[] = {
        "{'name': '_Z5naive', 'registers': 40, 'local_bytes': 0, 'shared_bytes': 2048, "
        "'blocks_per_multiprocessor': 8, 'occupancy': 0.75, 'names': ['_Z5naive', '_Z3sum'], "
        "'launch': '0123456789abcdef', 'fingerprint': 'elf-0123456789abcdef'}",
        "{'registers': 40}",
        "{}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kg__kernel_code code = read(texts[i]);

        cr_expect(eq(str, text_of(&code), quote(texts[i])));
    }
    cr_expect(eq(str, read("{'fingerprint': 'none'}").fingerprint, ""));
}

Test(kernel_code, is_kept_without_what_the_launch_is)
{
    kg__kernel_code code =
        read("{'name': '_Z5naive', 'registers': 40, 'blocks_per_multiprocessor': 8, 'names': "
             "['_Z5naive'], 'launch': '00'}");
    kg__kernel_code *kept = kg__kernel_code_keep(test_pool(), &code);

    cr_expect(eq(str, text_of(kept), "{\"registers\": 40}"));
    code = read("{'name': 'k', 'launch': '00'}");
    cr_expect(kg__kernel_code_keep(test_pool(), &code) == NULL, "nothing is known");
    cr_expect(kg__kernel_code_keep(test_pool(), NULL) == NULL);
}

/* A fingerprint of a disassembler's text tells nothing of one of cubins. */
Test(kernel_code, is_the_same_or_another_where_both_know_it)
{
    static const char text[] = "{'fingerprint': '0123456789abcdef', 'registers': 40}";
    static const char elf[] = "{'fingerprint': 'elf-0123456789abcdef'}";
    static const struct {
        const char *before, *now;
        bool same, other;
    } rows[] = {
        { text, "{'fingerprint': '0123456789abcdef', 'registers': 41}", true, false },
        { text, "{'fingerprint': '1123456789abcdef'}", false, true },
        { elf, "{'fingerprint': 'elf-1123456789abcdef'}", false, true },
        { elf, elf, true, false },
        { text, elf, false, false },
        { elf, text, false, false },
        { elf, "{'registers': 40}", false, false },
        { "{'registers': 40}", elf, false, false },
        { "{}", "{}", false, false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__kernel_code before = read(rows[i].before);
        kg__kernel_code now = read(rows[i].now);

        cr_expect(kg__is_same_code(&before, &now) == rows[i].same, "%zu", i);
        cr_expect(kg__is_other_code(&before, &now) == rows[i].other, "%zu", i);
        cr_expect(not(kg__is_same_code(NULL, &now) || kg__is_other_code(NULL, &now)));
        cr_expect(not(kg__is_same_code(&before, NULL) || kg__is_other_code(&before, NULL)));
    }
}

Test(kernel_code, is_of_the_same_launch)
{
    static const struct {
        const char *one, *other;
        bool same;
    } rows[] = {
        { "{'names': ['a'], 'launch': '00'}", "{'names': ['a'], 'launch': '00'}", true },
        { "{'names': ['a'], 'launch': '00'}", "{'names': ['b'], 'launch': '00'}", false },
        { "{'names': ['a'], 'launch': '00'}", "{'names': ['a', 'a'], 'launch': '00'}", false },
        { "{'names': ['a'], 'launch': '00'}", "{'names': ['a'], 'launch': '01'}", false },
        { "{}", "{}", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__kernel_code one = read(rows[i].one);
        kg__kernel_code other = read(rows[i].other);

        cr_expect(kg__is_same_launch(&one, &other) == rows[i].same, "%zu", i);
        cr_expect(not(kg__is_same_launch(NULL, &other)));
    }
}

Test(kernel_code, what_changed)
{
    static const struct {
        const char *before, *now, *changes[KG__CODE_CHANGES + 1];
    } rows[] = {
        { "{'registers': 32, 'local_bytes': 0, 'shared_bytes': 2048, 'occupancy': 1}",
          "{'registers': 40, 'local_bytes': 16, 'shared_bytes': 4096, 'occupancy': 0.75}",
          { "registers 32 -> 40", "local memory 0 B -> 16 B", "shared memory 2 048 B -> 4 096 B",
            "occupancy 100 % -> 75.0 %" } },
        { "{'registers': 32, 'occupancy': 1}", "{'occupancy': 1.0, 'registers': 32}", { NULL } },
        { "{'registers': 32}", "{'local_bytes': 16}", { NULL } },
        { "{'registers': 32}", "{'registers': 32, 'local_bytes': 1}", { NULL } },
        { "{'fingerprint': '0123456789abcdef'}", "{}", { NULL } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__kernel_code before = read(rows[i].before);
        kg__kernel_code now = read(rows[i].now);
        kg__code_change changes[KG__CODE_CHANGES];
        size_t count = kg__kernel_code_changes(&before, &now, changes);

        for (size_t k = 0; k < count; k++)
            cr_expect(eq(str, changes[k].text, (char *)rows[i].changes[k]));
        cr_expect(rows[i].changes[count] == NULL, "%zu", i);
        cr_expect(kg__kernel_code_changes(NULL, &now, changes) == 0);
    }
}
