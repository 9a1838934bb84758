/* SPDX-License-Identifier: MIT */
/* Findings: their wording, which is pinned here alone, and their JSON. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "records/finding_text.h"
#include "tests/fakes/drive.h"

static kg__error error;

#define BY(access_)                                                                                \
    .by = { .file = "kernels/m/tiled.cu",                                                          \
            .line = 23,                                                                            \
            .access = (access_),                                                                   \
            .has_block = true,                                                                     \
            .has_thread = true,                                                                    \
            .block = { 4, 0, 0 },                                                                  \
            .thread = { 1, 0, 0 } }
#define IN(space_, symbol_, size_) .space = (space_), .symbol = (symbol_), .size = (size_)

#define FROM(...) .by = { __VA_ARGS__ }
#define OTHER(...) .other = { __VA_ARGS__ }
#define FOUND(kind_, ...) .finding = { .kind = KG__##kind_, __VA_ARGS__ }

static const struct {
    kg__finding finding;
    const char *line;
} findings[] = {
    { FOUND(OUT_OF_BOUNDS, BY(KG__READ), IN(KG__GLOBAL, "c", 6400), .bytes = 4, .offset = 6532,
            .count = 92),
      "kernels/m/tiled.cu:23: error: invalid global read of 4 bytes, 132 bytes past the end of c "
      "(6400 bytes), by thread (1,0,0) in block (4,0,0), 92 times" },
    { FOUND(OUT_OF_BOUNDS, BY(KG__ATOMIC), IN(KG__SHARED, "tile", 64), .bytes = 8, .offset = 60,
            .count = 1),
      "kernels/m/tiled.cu:23: error: invalid shared atomic of 8 bytes, the last 4 past the end of "
      "tile (64 bytes), by thread (1,0,0) in block (4,0,0)" },
    { FOUND(OUT_OF_BOUNDS, FROM(.access = KG__WRITE), IN(KG__CONSTANT, "weights", 12), .bytes = 1,
            .offset = -4),
      "error: invalid constant write of 1 byte, 4 bytes before weights (12 bytes)" },
    { FOUND(OUT_OF_BOUNDS, FROM(.file = "a.cu", .line = 3), .symbol = "'float [4]'",
            .has_index = true, .index = -1),
      "a.cu:3: error: index -1 out of bounds for type 'float [4]'" },
    { FOUND(AFTER_FREE, FROM(.file = "a.cu", .access = KG__READ), IN(KG__GLOBAL, "a", 256),
            .bytes = 4, .offset = 12),
      "a.cu: error: invalid global read of 4 bytes, 12 bytes into a (256 bytes), which was freed" },
    { FOUND(AFTER_FREE, FROM(.access = KG__READ), IN(KG__GLOBAL, "a", 256), .bytes = 4,
            .offset = 260),
      "error: invalid global read of 4 bytes, 4 bytes past the end of a (256 bytes), which was "
      "freed" },
    { FOUND(AFTER_FREE, FROM(.access = KG__READ), IN(KG__GLOBAL, "a", 256), .bytes = 4,
            .offset = -4),
      "error: invalid global read of 4 bytes, 4 bytes before a (256 bytes), which was freed" },
    { FOUND(NEVER_WRITTEN, BY(KG__READ), IN(KG__SHARED, "tile_a", 64), .bytes = 4, .offset = 60),
      "kernels/m/tiled.cu:23: error: uninitialized shared read: tile_a[15], by thread (1,0,0) in "
      "block (4,0,0)" },
    { FOUND(NEVER_WRITTEN, FROM(.access = KG__READ), IN(KG__GLOBAL, "b", 64), .bytes = 16,
            .offset = 16),
      "error: uninitialized global read: 16 bytes at b + 16" },
    { FOUND(NEVER_WRITTEN, FROM(.access = KG__READ, .what = "copy"), IN(KG__GLOBAL, "b", 64),
            .bytes = 16, .offset = 48),
      "error: uninitialized memory copied to the host: 16 bytes of b (64 bytes), the first at byte "
      "48" },
    { FOUND(
          RACE_IN_BLOCK, BY(KG__READ), IN(KG__SHARED, "tile_a", 64), .bytes = 4,
          OTHER(.file = "kernels/m/tiled.cu", .line = 19, .access = KG__WRITE, .has_thread = true),
          .count = 6144),
      "kernels/m/tiled.cu:23: error: data race on tile_a (shared): thread (1,0,0) reads what "
      "thread (0,0,0) wrote at tiled.cu:19, no barrier in between, in block (4,0,0), 6144 times" },
    { FOUND(RACE_IN_WARP, BY(KG__WRITE), IN(KG__GLOBAL, "word", 4), .bytes = 4,
            OTHER(.access = KG__READ)),
      "kernels/m/tiled.cu:23: error: data race on word (global): thread (1,0,0) writes what other "
      "threads read, no barrier or __syncwarp() in between, in block (4,0,0)" },
    { FOUND(
          RACE_BETWEEN_BLOCKS, BY(KG__WRITE), IN(KG__GLOBAL, "c", 400), .bytes = 4, .offset = 132,
          OTHER(.file = "kernels/m/tiled.cu", .line = 23, .access = KG__WRITE, .has_block = true)),
      "kernels/m/tiled.cu:23: error: data race on c (global): blocks (0,0,0) and (4,0,0) both "
      "write c[33]" },
    { FOUND(RACE_BETWEEN_BLOCKS, BY(KG__ATOMIC), IN(KG__GLOBAL, "c", 400), .bytes = 4,
            OTHER(.file = "kernels/m/tiled.cu", .line = 9, .access = KG__WRITE, .has_block = true),
            .count = 2),
      "kernels/m/tiled.cu:23: error: data race on c (global): block (4,0,0) updates c[0], which "
      "block (0,0,0) wrote at tiled.cu:9, 2 times" },
    { FOUND(DIVERGENT_BARRIER, FROM(.file = "a.cu", .line = 3, .waiting = 16),
            OTHER(.file = "k/a.cu", .line = 5, .waiting = 48)),
      "a.cu:3: error: divergent barrier: 16 threads of the block wait here and 48 at another one, "
      "a.cu:5" },
    { FOUND(MISSING_FENCE, BY(KG__READ), IN(KG__GLOBAL, "sums", 400), .bytes = 4, .offset = 8,
            OTHER(.file = "k/tiled.cu", .line = 9, .access = KG__WRITE, .has_block = true)),
      "kernels/m/tiled.cu:23: error: missing __threadfence(): block (4,0,0) reads sums[2], which "
      "block (0,0,0) wrote at tiled.cu:9, with no fence before the atomic or flag that "
      "publishes it" },
    { FOUND(MISSING_FENCE, BY(KG__WRITE), IN(KG__SHARED, "sums", 400), .bytes = 4,
            OTHER(.access = KG__READ, .has_thread = true, .thread = { 64, 0, 0 })),
      "kernels/m/tiled.cu:23: error: missing __threadfence(): thread (1,0,0) writes sums[0], which "
      "thread (64,0,0) read, with no fence before the atomic or flag that publishes it, in block "
      "(4,0,0)" },
    { FOUND(MISSING_FENCE, BY(KG__WRITE), IN(KG__SHARED, "sums", 400), .bytes = 4,
            OTHER(.access = KG__READ)),
      "kernels/m/tiled.cu:23: error: missing __threadfence(): thread (1,0,0) writes sums[0], which "
      "other threads read, with no fence before the atomic or flag that publishes it, in block "
      "(4,0,0)" },
    { FOUND(SHUFFLE_OUTSIDE, BY(KG__READ), .has_index = true, .index = 20, .mask = 0xffff,
            .count = 3),
      "kernels/m/tiled.cu:23: error: invalid shuffle: it reads lane 20, which is not in its mask "
      "0x0000ffff, by thread (1,0,0) in block (4,0,0), 3 times" },
    { FOUND(SHUFFLE_OUTSIDE, .has_index = true, .index = 20, .mask = UINT32_MAX,
            .absent = 0xf0ff0001),
      "error: invalid shuffle: it reads lane 20, and lanes 0, 16 to 23, 28 to 31 of its mask "
      "0xffffffff do not take part in it" },
    { FOUND(SHUFFLE_OUTSIDE, .has_index = true, .index = 20, .mask = UINT32_MAX,
            .absent = 1u << 20),
      "error: invalid shuffle: it reads lane 20, and lane 20 of its mask 0xffffffff does not take "
      "part in it" },
    { FOUND(DIVERGENT_BARRIER, FROM(.file = "a.cu", .line = 3, .waiting = 6), OTHER(.waiting = 58)),
      "a.cu:3: error: divergent barrier: 6 threads of the block wait here, but 58 that waited "
      "before have ended: its loop has fewer iterations for some threads" },
    { FOUND(DEADLOCK, BY(KG__NO_ACCESS), .detail = "deadlock: 1 waits", .kernel = "k"),
      "kernels/m/tiled.cu:23: error: deadlock: 1 waits, by thread (1,0,0) in block (4,0,0), kernel "
      "k" },
    { FOUND(INVALID_BARRIER, .count = 0), "error: invalid_barrier" },
    { FOUND(CONVERSION, .detail = "-1", .symbol = "unsigned int", .on_gpu = "0",
            .on_cpu = "4294967295"),
      "error: conversion of -1 to unsigned int is out of range: a GPU gives 0, a CPU 4294967295" },
    { FOUND(CONVERSION, .detail = "300", .symbol = "unsigned char"),
      "error: conversion of 300 to unsigned char is out of range" },
    { FOUND(DIVISION),
      "error: an integer is divided by zero: a GPU goes on, with an undefined result" },
    { FOUND(NO_SYMBOL),
      "error: not a variable of the device: pass its own name, not &name, \"name\" "
      "or what the host calls by that name" },
    { FOUND(OVERLAP, .symbol = "allocation 3", .offset = 64),
      "error: overlapping copy: its source and its destination meet at allocation 3 + 64, and CUDA "
      "leaves its result undefined" },
    { FOUND(DOUBLE_FREE, .symbol = "allocation 3", .size = 256),
      "error: double free: allocation 3 (256 bytes) was freed before" },
    { FOUND(DESTROYED, .symbol = "event"), "error: use of a destroyed event" },
    { FOUND(MISALIGNED, FROM(.access = KG__WRITE), .space = KG__LOCAL, .bytes = 16, .alignment = 8,
            .kernel = "main<float>", .function = "gather",
            .calls = (kg__finding_call[]){ { "kernels/m/x.cu", 16 }, { "k/y.cu", 20 } },
            .call_count = 2),
      "error: misaligned local write of 16 bytes, an address that is not a multiple of 8, in "
      "gather(), called at x.cu:16, at y.cu:20, kernel main<float>" },
    { FOUND(COPY_NOT_WAITED, BY(KG__READ), IN(KG__SHARED, "staged", 400), .bytes = 4,
            OTHER(.file = "k/tiled.cu", .line = 9, .access = KG__WRITE)),
      "kernels/m/tiled.cu:23: error: missing wait: staged[0] is read before the asynchronous copy "
      "to it at tiled.cu:9 has completed, by thread (1,0,0) in block (4,0,0)" },
    { FOUND(COPY_NOT_WAITED, BY(KG__WRITE), IN(KG__SHARED, "staged", 400), .bytes = 4),
      "kernels/m/tiled.cu:23: error: missing wait: staged[0] is written before the asynchronous "
      "copy to it has completed, by thread (1,0,0) in block (4,0,0)" },
    { FOUND(MISALIGNED, FROM(.access = KG__READ), IN(KG__GLOBAL, "x", 400), .bytes = 8,
            .offset = 4),
      "error: misaligned global read of 8 bytes at x + 4, an address that is not a multiple of 8" },
    { FOUND(MISALIGNED, FROM(.access = KG__WRITE), .bytes = 8, .address = 0x1004),
      "error: misaligned write of 8 bytes at 0x1004, an address that is not a multiple of 8" },
    { FOUND(HOST_ACCESS, FROM(.access = KG__READ), .bytes = 4, .address = 0x100007ff0),
      "error: invalid read of 4 bytes at 0x100007ff0, which is not device memory: an index far out "
      "of bounds, or a pointer of the host" },
    { FOUND(HOST_ACCESS, FROM(.access = KG__READ), .bytes = 4, .address = 0x7ff0),
      "error: invalid read of 4 bytes at 0x7ff0, which is not device memory: a null pointer, or an "
      "index from one" },
    { FOUND(HOST_ACCESS, FROM(.access = KG__READ), .space = KG__LOCAL, .bytes = 4),
      "error: invalid local read of 4 bytes of another thread: the address of a local variable is "
      "valid in its own thread alone" },
    { FOUND(HOST_ACCESS, FROM(.access = KG__WRITE), .by_host = true),
      "error: host write of device memory: copy it with cudaMemcpy()" },
    { FOUND(READ_ONLY, FROM(.access = KG__WRITE), IN(KG__GLOBAL, "x", 400), .bytes = 4,
            .offset = 0),
      "error: invalid global write of 4 bytes at x + 0, which is read-only" },
};

#define FINDINGS (sizeof findings / sizeof *findings)

Test(finding, has_one_wording)
{
    for (size_t i = 0; i < FINDINGS; i++) {
        char text[KG__MESSAGE_SIZE];

        kg__finding_line(&findings[i].finding, text, sizeof text);
        cr_expect(eq(str, text, (char *)findings[i].line));
    }
}

Test(finding, several_are_one_line)
{
    kg__finding list[] = { { .kind = KG__HOST_ACCESS, .by_host = true },
                           { .kind = KG__HOST_ACCESS, .by_host = true },
                           { .kind = KG__INVALID_BARRIER },
                           { .kind = KG__RACE_IN_WARP },
                           { .kind = KG__NEVER_WRITTEN },
                           { .kind = KG__MISSING_FENCE } };
    kg__findings two = { .list = list, .count = 2, .more = 1 };
    char text[KG__MESSAGE_SIZE];

    kg__findings_text(&two, text, sizeof text);
    cr_expect(eq(str, text,
                 "error: host access of device memory: copy it with cudaMemcpy(); error: host "
                 "access of device memory: copy it with cudaMemcpy(); and 1 more finding"));
    kg__findings_text(&(kg__findings){ list + 1, 5, 2 }, text, sizeof text);
    cr_expect(strstr(text, "; and 4 more findings (1 race)") != NULL, "%s", text);
    kg__findings_text(&(kg__findings){ list, 6, 0 }, text, sizeof text);
    cr_expect(strstr(text, "; and 3 more findings (2 races)") != NULL, "%s", text);
    kg__findings_text(&(kg__findings){ 0 }, text, sizeof text);
    cr_expect(eq(str, text, ""));
    kg__findings_text(&two, text, 16);
    cr_expect(strlen(text) < 16);
}

/* What is written is read as the same, to the last member. */
Test(finding, survives_its_json)
{
    for (size_t i = 0; i < FINDINGS; i++) {
        json_t *json = keep_json(kg__finding_json(&findings[i].finding));
        char text[KG__MESSAGE_SIZE];
        kg__finding read;

        cr_assert(kg__finding_read(json, test_pool(), &read, &error), "%zu: %s", i, error.text);
        cr_expect(json_equal(json, keep_json(kg__finding_json(&read))), "%zu", i);
        kg__finding_line(&read, text, sizeof text);
        cr_expect(eq(str, text, (char *)findings[i].line));
    }
}

Test(finding, is_read_strictly)
{
    static const char *const bad[] = {
        "3",
        "{}",
        "{'kind': 'none'}",
        "{'kind': 3}",
        "{'kind': 'misaligned', 'line': '3'}",
        "{'kind': 'misaligned', 'line': -3}",
        "{'kind': 'misaligned', 'line': 99999999999}",
        "{'kind': 'misaligned', 'access': 'looks'}",
        "{'kind': 'misaligned', 'access': ''}",
        "{'kind': 'misaligned', 'space': 'outer'}",
        "{'kind': 'misaligned', 'block': [1, 2]}",
        "{'kind': 'misaligned', 'thread': [1, 2, -1]}",
        "{'kind': 'misaligned', 'index': '1'}",
        "{'kind': 'misaligned', 'address': '12'}",
        "{'kind': 'misaligned', 'address': '0xg'}",
        "{'kind': 'misaligned', 'size': -1}",
        "{'kind': 'deadlock', 'mask': -1}",
        "{'kind': 'deadlock', 'absent': '3'}",
        "{'kind': 'deadlock', 'called_at': {}}",
        "{'kind': 'deadlock', 'called_at': [3]}",
        "{'kind': 'deadlock', 'called_at': [{'line': -1}]}",
        "{'kind': 'misaligned', 'other': 3}",
        "{'kind': 'misaligned', 'other': {'line': -1}}",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kg__finding finding;

        cr_expect(not(kg__finding_read(json_of(bad[i]), test_pool(), &finding, &error)), "%s",
                  bad[i]);
        cr_expect(strncmp(error.text, "finding: ", 9) == 0, "%s: %s", bad[i], error.text);
    }
}

Test(finding, a_list_is_read_whole)
{
    static const struct {
        const char *json;
        bool good;
        size_t count, more;
    } rows[] = {
        { "{}", true, 0, 0 },
        { "{'findings': []}", true, 0, 0 },
        { "{'findings': [{'kind': 'misaligned'}], 'more_findings': 4}", true, 1, 4 },
        { "{'findings': [{'kind': 'misaligned'}, {'kind': 'misaligned'}, {'kind': 'misaligned'}, "
          "{'kind': 'misaligned'}], 'more_findings': 4}",
          true, 4, 4 },
        { "{'findings': 3}", false, 0, 0 },
        { "{'findings': [3]}", false, 0, 0 },
        { "{'more_findings': 3}", false, 0, 0 },
        { "{'findings': [], 'more_findings': '3'}", false, 0, 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__findings read;

        cr_expect(kg__findings_read(json_of(rows[i].json), test_pool(), &read, &error) ==
                      rows[i].good,
                  "%s", rows[i].json);
        if (rows[i].good)
            cr_expect(read.count == rows[i].count && read.more == rows[i].more, "%s", rows[i].json);
    }
}
