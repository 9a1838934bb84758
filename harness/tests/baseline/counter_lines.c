/* SPDX-License-Identifier: MIT */
/* Lines: which line of source a move of the counters is put down to, and what is a set of lines. */
#include "baseline/counter_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/fakes/drive.h"

static kg__lines *lines_of(const char *text)
{
    kg__lines *lines = kg__pool_lines(test_pool());
    const char *key;
    const char *counter;

    cr_assert(kg__lines_read(json_of(text), lines, &key, &counter), "%s", text);
    return lines;
}

static void expect(const char *before, const char *now, const char *expected)
{
    kg__lines *then = lines_of(before);
    kg__lines *here = lines_of(now);
    char text[1024] = "left alone";

    cr_assert(kg__counter_lines_explain(then, here, text, sizeof text, NULL) == (*expected != '\0'),
              "%s", text);
    cr_assert(strcmp(text, expected) == 0, "expected: %s\ngot: %s", expected, text);
}

/* A line of a file, or of k/a.cu, with its load requests and sectors. */
#define LOADS(file, line, requests, sectors)                                                       \
    "'" file ":" #line "': {'global_load_requests': " #requests                                    \
    ", 'global_load_sectors': " #sectors "}"
#define A(line, requests, sectors) LOADS("k/a.cu", line, requests, sectors)

Test(lines, nothing_moved)
{
    expect("{}", "{}", "");
    expect("{" A(14, 100, 200) "}", "{" A(14, 100, 200) "}", "");
}

Test(lines, what_is_not_known_explains_nothing)
{
    kg__lines *some = lines_of("{" A(14, 100, 200) "}");
    char text[64] = "left alone";

    cr_assert(!kg__counter_lines_explain(NULL, some, text, sizeof text, NULL));
    cr_assert(strcmp(text, "") == 0);
    cr_assert(!kg__counter_lines_explain(some, NULL, text, sizeof text, NULL));
    cr_assert(!kg__counter_lines_explain(NULL, NULL, text, sizeof text, NULL));
}

/* The load requests and sectors of a line, before and now, and the expected message. */
#define MOVED(requests, sectors, requests_now, sectors_now, told)                                  \
    {                                                                                              \
        "{" A(14, requests, sectors) "}", "{" A(14, requests_now, sectors_now) "}",                \
            "k/a.cu:14: " told                                                                     \
    }

Test(lines, requests_or_ratio)
{
    static const struct {
        const char *before, *now, *told;
    } rows[] = {
        /* Lost coalescing: the same requests, more of each. */
        MOVED(9495180, 18990360, 9495180, 143757025,
              "loads went from 2.00 to 15.14 sectors per request"),
        MOVED(100, 3200, 100, 400, "loads went from 32.00 to 4.00 sectors per request"),
        /* A reload: more requests, each as before. */
        MOVED(612680, 3305548, 1225360, 6611096, "load requests went from 612 680 to 1 225 360"),
        MOVED(100, 200, 99, 198, "load requests went from 100 to 99"),
        /* A ratio that rises while its cost stays, or falls, made nothing slower: wider loads. */
        MOVED(400, 1600, 100, 1600, "load requests went from 400 to 100"),
        MOVED(400, 1600, 100, 800, "load requests went from 400 to 100"),
        MOVED(100, 1600, 400, 1600, "load requests went from 100 to 400"),
        /* More requests for fewer sectors: it is the rise that fails. */
        MOVED(100, 1600, 400, 800, "load requests went from 100 to 400"),
        /* Where requests and cost both rose, the one that did more of it is told. */
        MOVED(100, 200, 200, 440, "load requests went from 100 to 200"),
        MOVED(100, 200, 110, 3520, "loads went from 2.00 to 32.00 sectors per request"),
        /* So little that two digits do not show it. */
        MOVED(1000000, 2000000, 1000000, 2000001, "load sectors went from 2 000 000 to 2 000 001"),
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(rows[i].before, rows[i].now, rows[i].told);
}

Test(lines, every_kind_of_access)
{
    static const char *const kinds[][3] = {
        { "global_store_requests", "global_store_sectors",
          "stores went from 2.00 to 3.00 sectors per request" },
        { "global_atomic_requests", "global_atomic_sectors",
          "atomics went from 2.00 to 3.00 sectors per request" },
        { "shared_load_requests", "shared_load_wavefronts",
          "shared loads went from 2.00 to 3.00 wavefronts per request" },
        { "shared_store_requests", "shared_store_wavefronts",
          "shared stores went from 2.00 to 3.00 wavefronts per request" },
        { "constant_load_requests", "constant_load_words",
          "constant loads went from 2.00 to 3.00 words per request" },
        { "shared_atomic_requests", "", "shared atomic requests went from 200 to 300" },
        { "shuffles", "", "shuffles went from 200 to 300" },
        { "barriers", "", "barriers went from 200 to 300" },
        { "unique_bytes_read", "", "unique bytes read went from 200 to 300" },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool has_cost = kinds[i][1][0] != '\0';
        char then[256];
        char here[256];
        char expected[256];

        snprintf(then, sizeof then,
                 has_cost ? "{'k/a.cu:9': {'%s': 100, '%s': 200}}" : "{'k/a.cu:9': {'%s': 200}}",
                 kinds[i][0], kinds[i][1]);
        snprintf(here, sizeof here,
                 has_cost ? "{'k/a.cu:9': {'%s': 100, '%s': 300}}" : "{'k/a.cu:9': {'%s': 300}}",
                 kinds[i][0], kinds[i][1]);
        snprintf(expected, sizeof expected, "k/a.cu:9: %s", kinds[i][2]);
        expect(then, here, expected);
    }
}

/* Rises before falls, the largest first of each; three are named, the rest is counted. */
Test(lines, the_worst_comes_first)
{
    expect(
        "{" A(1, 100, 100) "," A(2, 900, 900) "," A(3, 100, 100) "," A(4, 500, 500) "," A(5, 7,
                                                                                          7) "}",
        "{" A(1, 101, 101) "," A(2, 1, 1) "," A(3, 150, 150) "," A(4, 400, 400) "," A(5, 7, 7) "}",
        "k/a.cu:3: load requests went from 100 to 150; k/a.cu:1: load requests went from 100 to "
        "101; k/a.cu:2: load requests went from 900 to 1; and 1 more");
    /* Equals keep the order of kinds and lines. */
    expect("{" A(2, 1, 1) "," LOADS("k/b.cu", 1, 1, 1) "}",
           "{" A(2, 2, 2) "," LOADS("k/b.cu", 1, 2, 2) "}",
           "k/a.cu:2: load requests went from 1 to 2; k/b.cu:1: load requests went from 1 to 2");
}

Test(lines, a_line_that_is_new)
{
    expect("{}", "{" A(20, 612680, 1225360) "}",
           "k/a.cu:20: new, with 612 680 load requests, 2.00 sectors per request");
    expect("{" A(14, 5, 5) "}", "{" A(14, 5, 5) ", 'k/a.cu:15': {'shared_atomic_requests': 3}}",
           "k/a.cu:15: new, with 3 shared atomic requests");
    /* A line that is there, and does something that it did not. */
    expect("{'k/a.cu:14': {'shared_store_requests': 5, 'shared_store_wavefronts': 5}}",
           "{'k/a.cu:14': {'shared_store_requests': 5, 'shared_store_wavefronts': 5,"
           "'global_load_requests': 10, 'global_load_sectors': 40}}",
           "k/a.cu:14: new, with 10 load requests, 4.00 sectors per request");
}

Test(lines, a_line_that_is_gone)
{
    expect("{" A(20, 612680, 1225360) "}", "{}",
           "k/a.cu:20 of the baseline: gone, with its 612 680 load requests, 2.00 sectors per "
           "request");
    /* A cost whose requests are not told is not a reason to fall over. */
    expect("{'k/a.cu:20': {'global_load_sectors': 5}}", "{}",
           "k/a.cu:20 of the baseline: gone, with its 5 load sectors");
}

/* A comment above moves every line; their order tells them apart. */
Test(lines, lines_that_stand_further_down)
{
    expect("{" A(14, 100, 200) "," A(15, 100, 400) "}", "{" A(16, 100, 200) "," A(17, 100, 400) "}",
           "");
    expect("{" A(14, 100, 200) "," A(15, 100, 400) "}",
           "{" A(16, 100, 3200) "," A(17, 100, 400) "}",
           "k/a.cu:16: loads went from 2.00 to 32.00 sectors per request");
    /* By one, so that a line's new number is another one's old number. */
    expect("{" A(14, 100, 200) "," A(15, 100, 400) "}", "{" A(15, 100, 200) "," A(16, 100, 800) "}",
           "k/a.cu:16: loads went from 4.00 to 8.00 sectors per request");
}

/* What a line counted before is told at its place now; one that is gone keeps its number. */
Test(lines, what_each_counted_before)
{
    kg__lines *before = lines_of("{" A(14, 100, 200) "," A(15, 100, 400) "}");
    kg__lines *now = lines_of("{" A(16, 100, 3200) "," A(17, 100, 400) "}");
    kg__lines *none = lines_of("{}");
    json_t *expected = json_of("{" A(16, 100, 200) "," A(17, 100, 400) "}");
    json_t *found = keep_json(kg__counter_lines_before(before, now));
    json_t *kept = keep_json(kg__counter_lines_before(before, none));
    json_t *all = keep_json(kg__lines_json(before));

    cr_assert(json_equal(found, expected) && json_equal(kept, all));
    cr_assert(kg__counter_lines_before(NULL, now) == NULL);
    cr_assert(kg__counter_lines_before(before, NULL) == NULL);
}

/* The numbers as numbers: 9 comes before 14. */
Test(lines, their_order_is_that_of_the_file)
{
    expect("{" A(9, 1, 1) "," A(14, 1, 4) "}", "{" A(10, 1, 1) "," A(15, 1, 8) "}",
           "k/a.cu:15: loads went from 4.00 to 8.00 sectors per request");
}

/* Where their number is another, those that count the same are the same. */
Test(lines, one_more_or_one_less_among_others_that_moved)
{
    expect("{" A(14, 100, 200) "," A(15, 100, 400) "}",
           "{" A(16, 100, 200) "," A(17, 70, 70) "," A(18, 100, 400) "}",
           "k/a.cu:17: new, with 70 load requests, 1.00 sectors per request");
    expect("{" A(14, 100, 200) "," A(15, 70, 70) "," A(16, 100, 400) "}",
           "{" A(15, 100, 200) "," A(16, 100, 400) "}",
           "k/a.cu:15 of the baseline: gone, with its 70 load requests, 1.00 sectors per request");
    /* The same number and other counts: it is that line that moved, and the other one is new. */
    expect(
        "{" A(14, 100, 200) "}", "{" A(14, 100, 400) "," A(15, 70, 70) "}",
        "k/a.cu:14: loads went from 2.00 to 4.00 sectors per request; k/a.cu:15: new, with 70 load "
        "requests, 1.00 sectors per request");
}

/* Each kind of access is matched on its own: a line without it does not count. */
Test(lines, kinds_are_matched_on_their_own)
{
    expect("{'k/a.cu:3': {'barriers': 7}, " A(14, 100, 200) "}",
           "{" A(15, 100, 800) ", 'k/a.cu:20': {'barriers': 7}}",
           "k/a.cu:15: loads went from 2.00 to 8.00 sectors per request");
}

Test(lines, files_are_matched_on_their_own)
{
    expect("{" A(14, 100, 200) "," LOADS("k/ab.cu", 14, 100, 200) "}",
           "{" A(14, 100, 200) "," LOADS("k/ab.cu", 14, 100, 800) "}",
           "k/ab.cu:14: loads went from 2.00 to 8.00 sectors per request");
    expect("{" LOADS("k/b.cu", 14, 100, 200) "}", "{" A(14, 100, 200) "}",
           "k/a.cu:14: new, with 100 load requests, 2.00 sectors per request; k/b.cu:14 of the "
           "baseline: gone, with its 100 load requests, 2.00 sectors per request");
    expect("{" A(14, 100, 200) "}", "{" LOADS("k/b.cu", 14, 100, 200) "}",
           "k/b.cu:14: new, with 100 load requests, 2.00 sectors per request; k/a.cu:14 of the "
           "baseline: gone, with its 100 load requests, 2.00 sectors per request");
}

/* Many lines are matched without taking forever, and a short text is cut. */
Test(lines, many_lines, .timeout = 20)
{
    kg__lines *before = kg__pool_lines(test_pool());
    kg__lines *now = kg__pool_lines(test_pool());
    char text[40];

    for (unsigned int i = 1; i <= 3000; i++) {
        kg__lines_at(before, "k/a.cu", 6, i)->value[KG__SHUFFLES] = i;
        kg__lines_at(now, "k/a.cu", 6, i + 1)->value[KG__SHUFFLES] = i + (i == 1500);
    }
    cr_assert(kg__counter_lines_explain(before, now, text, sizeof text, NULL));
    cr_assert(strcmp(text, "k/a.cu:1501: shuffles went from 1 50...") == 0, "%s", text);
    kg__lines_at(now, "k/a.cu", 6, 3001)->value[KG__SHUFFLES] = 0;
    cr_assert(kg__counter_lines_explain(before, now, text, sizeof text, NULL));
    cr_assert(!kg__counter_lines_explain(before, now, text, 0, NULL));
    cr_assert(kg__counter_lines_explain(before, now, text, 1, NULL) && text[0] == '\0');
}

static bool is_same(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static void expect_fault(const char *text, const char *key, const char *counter)
{
    kg__lines *lines = kg__pool_lines(test_pool());
    const char *at = "";
    const char *of = "";

    cr_assert(!kg__lines_read(json_of(text), lines, &at, &of), "%s", text);
    cr_assert(is_same(at, key) && is_same(of, counter), "%s", text);
}

Test(lines, faults)
{
    static const char *const no_lines[] = { "a",    "a:",   ":1",           "a:0",  "a:01",
                                            "a:1x", "a:-1", "a:1234567890", "a:1:", "" };
    static const char *const no_counts[] = { "0", "-1", "1.0", "9007199254740993", "null" };

    (void)lines_of("{}");
    (void)lines_of("{'k/a.cu:14': {'barriers': 1}, 'C:\\\\a b.cu:999999999': {'shuffles': "
                   "9007199254740992}}");
    expect_fault("[]", NULL, NULL);
    for (size_t i = 0; i < sizeof no_lines / sizeof *no_lines; i++) {
        char text[64];

        snprintf(text, sizeof text, "{'%s': {'barriers': 1}}", no_lines[i]);
        expect_fault(text, no_lines[i], NULL);
    }
    expect_fault("{'a:1': {}}", "a:1", NULL);
    expect_fault("{'a:1': 5}", "a:1", NULL);
    expect_fault("{'a:1': {'global_load_sectors_per_request': 5}}", "a:1",
                 "global_load_sectors_per_request");
    for (size_t i = 0; i < sizeof no_counts / sizeof *no_counts; i++) {
        char text[64];

        snprintf(text, sizeof text, "{'b:1': {'barriers': 1}, 'a:1': {'barriers': %s}}",
                 no_counts[i]);
        expect_fault(text, "a:1", "barriers");
    }
}

Test(lines, sorted)
{
    kg__lines *lines =
        lines_of("{'b.cu:1': {'shuffles': 1, 'barriers': 2}, 'a.cu:14': {'barriers': "
                 "1}, 'a.cu:9': {'barriers': 1}, 'a.c:100': {'barriers': 1}}");
    char *text = keep_text(json_dumps(keep_json(kg__lines_json(lines)), JSON_COMPACT));

    cr_assert(strcmp(text, "{\"a.c:100\":{\"barriers\":1},\"a.cu:9\":{\"barriers\":1},\"a.cu:14\":"
                           "{\"barriers\":1},\"b.cu:1\":{\"barriers\":2,\"shuffles\":1}}") == 0,
              "%s", text);
}

Test(lines, counters_in_words)
{
    char words[64];

    kg__counter_words("global_load_requests", words, sizeof words);
    cr_assert(strcmp(words, "load requests") == 0);
    kg__counter_words("shared_load_wavefronts", words, sizeof words);
    cr_assert(strcmp(words, "shared load wavefronts") == 0);
    kg__counter_words("barriers", words, sizeof words);
    cr_assert(strcmp(words, "barriers") == 0);
}
