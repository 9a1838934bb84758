/* Machine code: fingerprints of kernels from a disassembler's text. */
#include "baseline/machine_code.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "base/json.h"
#include "records/records.h"
#include "tests/fakes/held_json.h"

TestSuite(machine_code, .fini = release_json);

/* Parts of what cuobjdump prints. */
#define CODE_FOR(architecture)                                                                     \
    "\nFatbin elf code:\n================\narch = " architecture                                   \
    "\ncode version = [1,8]\nhost = linux\n\n\tcode for " architecture                             \
    "\n\t.target\t" architecture "\n\n"
#define FUNCTION(name)                                                                             \
    "\t\tFunction : " name "\n\t.headerflags\t@\"EF_CUDA_SM90 "                                    \
    "EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"\n"
#define LOAD                                                                                       \
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;          /* 0x00000a00ff017b82 "    \
    "*/\n"                                                                                         \
    "                                                                   /* 0x000fe20000000800 "    \
    "*/\n"
#define LOAD_STALLED                                                                               \
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;          /* 0x00000a00ff017b82 "    \
    "*/\n"                                                                                         \
    "                                                                   /* 0x000fea0000000800 "    \
    "*/\n"
#define READ                                                                                       \
    "        /*0010*/                   S2R R0, SR_TID.X ;              /* 0x0000000000007919 "    \
    "*/\n"                                                                                         \
    "                                                                   /* 0x000e2e0000002500 "    \
    "*/\n"
#define CALL(what)                                                                                 \
    "        /*0020*/                   " what " ;             /* 0x0000000000207944 */\n"
#define END "\t\t..........\n\n\n"

static json_t *parse(const char *text)
{
    return hold_json(kg__machine_code_parse(text, "9.0"));
}

static const char *code_of(const char *text, const char *name)
{
    return kg__json_text(parse(text), name);
}

Test(machine_code, every_kernel_has_its_own)
{
    const json_t *table =
        parse(CODE_FOR("sm_90") FUNCTION("_Z1aPf") LOAD READ END FUNCTION("_Z1bPf") LOAD END);

    cr_expect(eq(int, (int)json_object_size(table), 2));
    cr_expect(eq(int, (int)strlen(kg__json_text(table, "_Z1aPf")), 16));
    cr_expect(
        ne(str, (char *)kg__json_text(table, "_Z1aPf"), (char *)kg__json_text(table, "_Z1bPf")));
}

Test(machine_code, what_is_no_code_does_not_count)
{
    const char *plain = code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD READ END, "k");

    cr_expect(eq(str, (char *)plain,
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION(
                                     "k") "/*0000*/ LDC R1,c[0x0][0x28]; /*0x00000a00ff017b82*/\n"
                                          "/*0x000fe20000000800*/\r\n"
                                          "\t/*0220*/\tS2R R0, SR_TID.X;/* 0x0000000000007919 */\n"
                                          "  /* 0x000e2e0000002500 */\n\n" END,
                                 "k")),
              "addresses and blanks");
    cr_expect(eq(str, (char *)plain,
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION("before") READ END FUNCTION("k")
                                     LOAD READ END FUNCTION("behind") READ END,
                                 "k")),
              "what stands beside it");
}

Test(machine_code, every_instruction_and_its_encoding_count)
{
    const char *plain = code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD READ END, "k");

    cr_expect(ne(str, (char *)plain,
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") READ LOAD END, "k")));
    cr_expect(ne(str, (char *)plain,
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD READ READ END, "k")));
    cr_expect(ne(str, (char *)plain,
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD_STALLED READ END, "k")),
              "a stall that the text does not show");
}

/* Another release of the disassembler may spell an instruction otherwise. */
Test(machine_code, the_text_counts_where_no_encoding_is_shown)
{
    const char *plain = code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD READ END, "k");

    cr_expect(eq(str, (char *)plain,
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION(
                                     "k") "/*0000*/ LOAD_CONSTANT R1 ; /* 0x00000a00ff017b82 */\n"
                                          "/* 0x000fe20000000800 */\n" READ END,
                                 "k")));
    cr_expect(
        ne(str, (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") "/*0000*/ BRA 0x10 ;\n" END, "k"),
           (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") "/*0000*/ BRA 0x20 ;\n" END, "k")));
    cr_expect(
        eq(str, (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") "/*0000*/ BRA 0x10 ;\n" END, "k"),
           (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") "  /*0f00*/ BRA  0x10;\n" END, "k")));
}

Test(machine_code, the_device_runs_its_own_architectures_code)
{
    const char *own = code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD END, "k");
    const char *features = code_of(CODE_FOR("sm_90a") FUNCTION("k") READ END, "k");

    cr_expect(
        eq(str, (char *)own,
           (char *)code_of(CODE_FOR("sm_80") FUNCTION("k") READ END CODE_FOR("sm_90") FUNCTION("k")
                               LOAD END CODE_FOR("sm_100") FUNCTION("k") READ END,
                           "k")));
    cr_expect(eq(int, (int)strlen(features), 16));
    cr_expect(eq(str, (char *)features,
                 (char *)code_of(CODE_FOR("sm_90a") FUNCTION("k") READ END CODE_FOR("sm_90")
                                     FUNCTION("k") LOAD END,
                                 "k")),
              "for its own features first");
}

Test(machine_code, else_the_nearest_lower_one_of_its_kind)
{
    const char *text = CODE_FOR("sm_80") FUNCTION("k") READ END CODE_FOR("sm_86") FUNCTION("k")
        LOAD END CODE_FOR("sm_87") FUNCTION("k") LOAD READ END;
    const char *expected = code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD END, "k");

    cr_expect(eq(str, (char *)kg__json_text(hold_json(kg__machine_code_parse(text, "8.6")), "k"),
                 (char *)expected));
    cr_expect(eq(str, (char *)kg__json_text(hold_json(kg__machine_code_parse(text, "8.9")), "k"),
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD READ END, "k")),
              "the nearest");
    text = CODE_FOR("sm_80") FUNCTION("k") LOAD END CODE_FOR("sm_87") FUNCTION("k") READ END;
    cr_expect(eq(str, (char *)kg__json_text(hold_json(kg__machine_code_parse(text, "8.6")), "k"),
                 (char *)expected),
              "not a higher one");
    cr_expect(eq(int, (int)json_object_size(hold_json(kg__machine_code_parse(text, "9.0"))), 0));
    cr_expect(eq(int, (int)json_object_size(hold_json(kg__machine_code_parse(text, "7.5"))), 0));
    cr_expect(eq(int, (int)json_object_size(hold_json(kg__machine_code_parse(text, ""))), 0));
    cr_expect(eq(int,
                 (int)json_object_size(hold_json(kg__machine_code_parse(
                     CODE_FOR("sm_89a") FUNCTION("k") READ END CODE_FOR("sm_") FUNCTION("k")
                         READ END CODE_FOR("compute_90") FUNCTION("k") READ END,
                     "9.0"))),
                 0));
    cr_expect(eq(str,
                 (char *)kg__json_text(hold_json(kg__machine_code_parse(
                                           CODE_FOR("sm_120") FUNCTION("k") LOAD END, "12.0")),
                                       "k"),
                 (char *)expected),
              "a major number of two digits");
}

Test(machine_code, two_kernels_of_one_name_are_none)
{
    cr_expect(eq(str,
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD END CODE_FOR("sm_90")
                                     FUNCTION("k") READ END,
                                 "k"),
                 ""));
    cr_expect(eq(str,
                 (char *)code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD END FUNCTION("k")
                                     READ END FUNCTION("k") LOAD END,
                                 "k"),
                 ""));
    cr_expect(eq(int,
                 (int)strlen(code_of(CODE_FOR("sm_90") FUNCTION("k") LOAD END CODE_FOR("sm_90")
                                         FUNCTION("k") LOAD END,
                                     "k")),
                 16),
              "unless they are the same");
}

Test(machine_code, a_kernel_that_calls_elsewhere_is_not_known)
{
    static const char *const outside[] = {
        CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("CALL.ABS.NOINC R10") END,
        CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("CALL.REL.NOINC R6 0x0") END,
        CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("CALL.REL.NOINC `(f)") END,
        CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("@P0 CALL.ABS 0x120") END,
    };

    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        cr_expect(eq(str, (char *)code_of(outside[i], "k"), ""), "%s", outside[i]);
    cr_expect(eq(int,
                 (int)strlen(code_of(
                     CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("CALL.REL.NOINC 0x110") END, "k")),
                 16),
              "a call within it");
}

/* A table that is not an argument may hold other indices today, and literals other values. */
Test(machine_code, a_kernel_that_reads_constants_is_not_known)
{
    static const char *const reading[] = {
        CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("LDC R2, c[0x3][R4+0x10]") END,
        CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("DMUL R2, R2, c[0x2][0x0]") END,
        CODE_FOR("sm_90") FUNCTION("k") CALL("ULDC.64 UR4, c[0x4][0x8]") LOAD END,
        CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("IMAD R1, c[0x0][0x10], R2, c[0x3][0x0]") END,
        CODE_FOR("sm_90") FUNCTION("k") LOAD CALL("IADD3 R1, R2, cx[UR4][0x0], RZ") END,
    };

    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        cr_expect(eq(str, (char *)code_of(reading[i], "k"), ""), "%s", reading[i]);
    cr_expect(eq(int,
                 (int)strlen(code_of(CODE_FOR("sm_90") FUNCTION("k")
                                         LOAD CALL("IMAD R1, R2, c[0x0][0x10], c[0x0][0x14]") END,
                                     "k")),
                 16),
              "parameters are not constants");
}

Test(machine_code, texts_that_end_early_or_hold_nothing)
{
    static const char *const texts[] = {
        "",
        "\n",
        "cuobjdump fatal   : Could not find executable file 'nvdisasm'\n",
        CODE_FOR("sm_90") FUNCTION("k"),
        CODE_FOR("sm_90") FUNCTION("k") LOAD READ,
        CODE_FOR("sm_90") FUNCTION("k") END,
        CODE_FOR("sm_90") "\t\tFunction : ",
        CODE_FOR("sm_90") LOAD READ END END,
        CODE_FOR("sm_90") FUNCTION("k") "/*00",
        CODE_FOR("sm_90") FUNCTION("k") "/*",
        FUNCTION("k") LOAD END,
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect(eq(int, (int)json_object_size(parse(texts[i])), 0), "%s", texts[i]);
    cr_expect(eq(int,
                 (int)json_object_size(
                     parse(CODE_FOR("sm_90") FUNCTION("whole") LOAD END FUNCTION("torn") READ)),
                 1));
}

Test(machine_code, a_case_is_its_launch_and_all_its_kernels)
{
    const json_t *table =
        hold_json(json_pack("{s:s, s:s}", "a", "00000000000000aa", "b", "00000000000000bb"));
    static const char *const different[] = {
        "{\"launch\": \"01\", \"names\": [\"a\"]}",
        "{\"launch\": \"02\", \"names\": [\"a\"]}",
        "{\"launch\": \"01\", \"names\": [\"b\"]}",
        "{\"launch\": \"01\", \"names\": [\"a\", \"b\"]}",
        "{\"launch\": \"01\", \"names\": [\"b\", \"a\"]}",
        "{\"launch\": \"01\", \"names\": [\"a\", \"a\"]}",
    };
    char codes[sizeof different / sizeof *different][KG__HASH_TEXT_SIZE];
    char again[KG__HASH_TEXT_SIZE];

    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        const json_t *kernel = hold_json(json_loads(different[i], 0, NULL));

        cr_assert(kg__machine_code_of(table, kernel, codes[i]), "%s", different[i]);
        cr_assert(kg__machine_code_of(table, kernel, again));
        cr_expect(eq(str, codes[i], again));
        for (size_t j = 0; j < i; j++)
            cr_expect(ne(str, codes[i], codes[j]), "%s and %s", different[i], different[j]);
    }
}

Test(machine_code, a_case_is_unknown_where_any_part_is)
{
    const json_t *table = hold_json(json_pack("{s:s}", "a", "00000000000000aa"));
    static const char *const unknown[] = {
        "{\"launch\": \"01\", \"names\": [\"a\", \"c\"]}",
        "{\"launch\": \"01\", \"names\": [\"a\", 7]}",
        "{\"launch\": \"01\", \"names\": []}",
        "{\"launch\": \"01\"}",
        "{\"names\": [\"a\"]}",
        "{\"launch\": \"\", \"names\": [\"a\"]}",
        "{\"launch\": 1, \"names\": [\"a\"]}",
        "{}",
        "[]",
    };
    char code[KG__HASH_TEXT_SIZE];

    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        cr_expect(not(kg__machine_code_of(table, hold_json(json_loads(unknown[i], 0, NULL)), code)),
                  "%s", unknown[i]);
        cr_expect(eq(str, code, ""));
    }
    cr_expect(not(kg__machine_code_of(
        NULL, hold_json(json_loads("{\"launch\": \"01\", \"names\": [\"a\"]}", 0, NULL)), code)));
    cr_expect(not(kg__machine_code_of(table, NULL, code)));
}
