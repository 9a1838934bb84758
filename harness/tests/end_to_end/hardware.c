/* The comparisons of harness/tests/hardware/ on the CPU model, without a GPU: every kernel is
 * right and clean, and the counts are those that follow from its accesses by hand. KG__HARDWARE is
 * the folder of their programs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "tests/fakes/drive.h"

TestSuite(hardware, .init = make_folder, .fini = remove_folder, .timeout = 100);

static char program[512];

static const char *program_of(const char *comparison)
{
    kg__format(program, sizeof program, "%s/%s.instrumented", KG__HARDWARE, comparison);
    return program;
}

/* Runs a part of a comparison with its own list of cases; returns its records. */
static char *observe(const char *comparison, const char *part)
{
    const char *list[] = { program_of(comparison), "--cases", part, NULL };
    const char *run[] = { program, "--observe", at("cases"),   "--part",
                          part,    "--records", at("records"), NULL };
    ending listed = drive(list, NULL);
    ending seen;

    expect_ending(&listed, 0, comparison);
    write_text(at("cases"), listed.output);
    seen = drive(run, NULL);
    expect_ending(&seen, 0, NULL);
    free(listed.output);
    free(seen.output);
    return read_text(at("records"));
}

static void expect_clean(const char *comparison)
{
    char *records = observe(comparison, "check");
    const char *wrong = strstr(records, "\"right\":false");

    cr_assert(wrong == NULL, "%.600s", wrong);
    cr_assert(strstr(records, "\"right\":true") != NULL);
    cr_assert(strstr(records, "\"failed\"") == NULL, "%s", records);
    free(records);
}

/* A count that follows from a kernel's source. */
typedef struct expectation {
    const char *id;
    const char *counter;
    long value;
} expectation;

static json_t *metrics_of(const char *records, const char *id)
{
    json_t *found = NULL;

    for (const char *line = records; *line != '\0'; line += strcspn(line, "\n") + 1) {
        json_t *record = json_loadb(line, strcspn(line, "\n"), 0, NULL);
        const char *event = json_string_value(json_object_get(record, "event"));
        const char *name = json_string_value(json_object_get(record, "case"));

        if (event != NULL && strcmp(event, "measured") == 0 && name != NULL &&
            strcmp(name, id) == 0)
            found = json_incref(json_object_get(record, "metrics"));
        json_decref(record);
        if (found != NULL)
            break;
    }
    cr_assert(found != NULL, "%s was not counted:\n%.2000s", id, records);
    return found;
}

static void expect_counts(const char *comparison, const expectation *list, size_t count)
{
    char *records = observe(comparison, "count");

    for (size_t i = 0; i < count; i++) {
        json_t *metrics = metrics_of(records, list[i].id);
        double got =
            json_number_value(json_object_get(json_object_get(metrics, list[i].counter), "value"));

        cr_expect(got == (double)list[i].value, "%s: %.0f %s, expected %ld", list[i].id, got,
                  list[i].counter, list[i].value);
        json_decref(metrics);
    }
    free(records);
}

#define EXPECT_COUNTS(comparison, list) expect_counts(comparison, list, sizeof list / sizeof *list)

Test(hardware, copies_are_clean)
{
    expect_clean("hardware_copy");
}

Test(hardware, filters_are_clean)
{
    expect_clean("hardware_filter");
}

Test(hardware, histograms_are_clean)
{
    expect_clean("hardware_histogram");
}

Test(hardware, rows_are_clean)
{
    expect_clean("hardware_rows");
}

Test(hardware, selections_are_clean)
{
    expect_clean("hardware_select");
}

Test(hardware, transposes_are_clean)
{
    expect_clean("hardware_transpose");
}

/* 1000 floats are 4000 bytes: 125 sectors of 32. A warp of 32 floats reads 4 of them, the last
 * warp, of 8 floats, one. */
Test(hardware, copies_count_as_their_sources_say)
{
    static const expectation list[] = {
        { "hardware_copy/coalesced/1000/b96", "global_load_requests", 32 },
        { "hardware_copy/coalesced/1000/b96", "global_load_sectors", 125 },
        { "hardware_copy/coalesced/1000/b96", "global_store_requests", 32 },
        { "hardware_copy/coalesced/1000/b96", "global_store_sectors", 125 },
        { "hardware_copy/coalesced/1000/b96", "unique_bytes_read", 4000 },
        { "hardware_copy/coalesced/1000/b96", "unique_bytes_written", 4000 },
        { "hardware_copy/coalesced/1000/b96", "global_atomic_requests", 0 },
        { "hardware_copy/coalesced/1000/b96", "barriers", 0 },
        /* 500 pairs are 16 warps' worth, 250 quads 8, 4000 bytes 125. */
        { "hardware_copy/pairs/1000/b256", "global_load_requests", 16 },
        { "hardware_copy/pairs/1000/b256", "global_load_sectors", 125 },
        { "hardware_copy/quads/1000/b256", "global_load_requests", 8 },
        { "hardware_copy/quads/1000/b256", "global_store_sectors", 125 },
        { "hardware_copy/doubles/1000/b256", "global_load_requests", 16 },
        { "hardware_copy/bytes/1000/b96", "global_load_requests", 125 },
        { "hardware_copy/bytes/1000/b96", "global_load_sectors", 125 },
        /* 99991 = 4 x 24997 + 3: 24997 quads by 782 warps, and three floats one after the other. */
        { "hardware_copy/quads/99991/b256", "global_load_requests", 782 + 3 },
        { "hardware_copy/quads/99991/b256", "global_load_sectors", 12499 + 3 },
        { "hardware_copy/reversed/1000/b96", "global_load_requests", 32 },
        { "hardware_copy/reversed/1000/b96", "global_load_sectors", 125 },
        /* Each lane its own sector: as many as there are elements. */
        { "hardware_copy/strided/1000/b96", "global_load_requests", 32 },
        { "hardware_copy/strided/1000/b96", "global_load_sectors", 1000 },
        /* Warp w has elements 32 w - 3 to 32 w + 28: five sectors; the first 4, the last, of 11, 2.
         */
        { "hardware_copy/misaligned/1000/b96", "global_load_requests", 32 },
        { "hardware_copy/misaligned/1000/b96", "global_load_sectors", 4 + 30 * 5 + 2 },
        /* 50 warps of 20 floats: 80 bytes, which begin at a sector or in its middle: 3 each. */
        { "hardware_copy/partial_warps/1000/b96", "global_load_requests", 50 },
        { "hardware_copy/partial_warps/1000/b96", "global_load_sectors", 150 },
        { "hardware_copy/grid_stride/1000/b96", "global_load_requests", 32 },
        { "hardware_copy/grid_stride/1000/b96", "global_load_sectors", 125 },
        /* Two accesses a warp, to every other float each, which touch all of its sectors. */
        { "hardware_copy/early_return/1000/b96", "global_load_requests", 64 },
        { "hardware_copy/early_return/1000/b96", "global_load_sectors", 250 },
        { "hardware_copy/inlined/1000/b96", "global_load_requests", 32 },
        { "hardware_copy/through_shared/1000/b96", "shared_store_requests", 32 },
        { "hardware_copy/through_shared/1000/b96", "shared_store_wavefronts", 32 },
        { "hardware_copy/through_shared/1000/b96", "shared_load_wavefronts", 32 },
        /* Eleven blocks of 96, four of 256. */
        { "hardware_copy/through_shared/1000/b96", "barriers", 11 },
        { "hardware_copy/through_shared/1000/b256", "barriers", 4 },
        { "hardware_copy/shuffled/1000/b96", "shuffles", 33 },
        { "hardware_copy/shuffled/1000/b96", "global_load_requests", 32 },
        { "hardware_copy/shuffled/1000/b96", "global_load_sectors", 125 },
        { "hardware_copy/exchanged/1000/b96", "global_atomic_requests", 32 },
        { "hardware_copy/exchanged/1000/b96", "global_atomic_sectors", 125 },
        { "hardware_copy/exchanged/1000/b96", "global_store_requests", 32 },
    };

    EXPECT_COUNTS("hardware_copy", list);
}

/* 1000 elements are 32 warps. All of a warp take part in all 16 taps but the last, whose 8 lanes
 * have left after 8. */
Test(hardware, filters_count_as_their_sources_say)
{
    static const expectation list[] = {
        { "hardware_filter/uniform/1000/b256", "global_load_requests", 31 * 16 + 8 },
        { "hardware_filter/uniform/1000/b256", "constant_load_requests", 31 * 16 + 8 },
        { "hardware_filter/uniform/1000/b256", "constant_load_words", 31 * 16 + 8 },
        { "hardware_filter/uniform/1000/b256", "global_store_requests", 32 },
        { "hardware_filter/divergent/1000/b256", "global_store_sectors", 125 },
    };

    EXPECT_COUNTS("hardware_filter", list);
}

Test(hardware, histograms_count_as_their_sources_say)
{
    static const expectation list[] = {
        /* A warp's 32 bytes are one sector. */
        { "hardware_histogram/global_atomics/1000/b96", "global_load_requests", 32 },
        { "hardware_histogram/global_atomics/1000/b96", "global_load_sectors", 32 },
        { "hardware_histogram/global_atomics/1000/b96", "global_atomic_requests", 32 },
        /* 250 threads are 8 warps, of four steps; a step's bytes lie in 128: four sectors. The last
         * warp has 26 threads, whose 104 bytes are four sectors, too. */
        { "hardware_histogram/four_each/1000/b256", "global_load_requests", 32 },
        { "hardware_histogram/four_each/1000/b256", "global_load_sectors", 128 },
        /* Four blocks: 64 bins are two warps' worth, 256 bytes, eight sectors. */
        { "hardware_histogram/shared_atomics/1000/b256", "shared_store_requests", 8 },
        { "hardware_histogram/shared_atomics/1000/b256", "shared_load_requests", 8 },
        { "hardware_histogram/shared_atomics/1000/b256", "shared_atomic_requests", 32 },
        { "hardware_histogram/shared_atomics/1000/b256", "global_atomic_requests", 8 },
        { "hardware_histogram/shared_atomics/1000/b256", "global_atomic_sectors", 32 },
        { "hardware_histogram/shared_atomics/1000/b256", "barriers", 8 },
    };

    EXPECT_COUNTS("hardware_histogram", list);
}

Test(hardware, rows_count_as_their_sources_say)
{
    static const expectation list[] = {
        { "hardware_rows/by_warp/1000/b96", "shuffles", 5000 },
        { "hardware_rows/by_warp/1000/b96", "global_store_requests", 1000 },
        { "hardware_rows/by_warp/1000/b96", "global_store_sectors", 1000 },
        { "hardware_rows/unequal/1000/b96", "global_store_requests", 32 },
    };

    EXPECT_COUNTS("hardware_rows", list);
}

Test(hardware, selections_count_as_their_sources_say)
{
    static const expectation list[] = {
        /* Flags, and both of two inputs: of 32 random flags some are odd, some even. */
        { "hardware_select/branch/1000/b96", "global_load_requests", 96 },
        { "hardware_select/both/1000/b96", "global_load_requests", 96 },
        { "hardware_select/both/1000/b96", "global_load_sectors", 375 },
        { "hardware_select/branch/1000/b96", "global_store_requests", 32 },
        { "hardware_select/loop/1000/b96", "global_store_requests", 64 },
    };

    EXPECT_COUNTS("hardware_select", list);
}

/* 530 rows of 17 warps each: 9010 in 17 x 17 = 289 blocks, 530 x 530 = 280900 elements. A row's
 * warps touch 67 sectors where it begins at one, and more elsewhere; a column's stride of 2120
 * bytes puts every element in its own sector. */
Test(hardware, transposes_count_as_their_sources_say)
{
    static const expectation list[] = {
        { "hardware_transpose/naive/530x530/-", "global_load_requests", 9010 },
        { "hardware_transpose/naive/530x530/-", "global_store_requests", 9010 },
        { "hardware_transpose/naive/530x530/-", "global_store_sectors", 280900 },
        { "hardware_transpose/conflicting/530x530/-", "shared_load_requests", 9010 },
        { "hardware_transpose/conflicting/530x530/-", "shared_load_wavefronts", 280900 },
        { "hardware_transpose/conflicting/530x530/-", "shared_store_wavefronts", 9010 },
        { "hardware_transpose/padded/530x530/-", "shared_load_wavefronts", 9010 },
        { "hardware_transpose/padded/530x530/-", "shared_store_wavefronts", 9010 },
        { "hardware_transpose/padded/530x530/-", "barriers", 289 },
    };

    EXPECT_COUNTS("hardware_transpose", list);
}
