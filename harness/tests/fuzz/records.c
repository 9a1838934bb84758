/* SPDX-License-Identifier: MIT */
/* The reader of observers' records, and the judging of what they say: a record that was read can be
 * written and read again as the same. */
#include "records/records.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "results/count_result.h"
#include "results/time_result.h"
#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define CASE "fuzz/plain/530/b16"

/* A baseline of each target, against which a record is judged. */
static kg__baseline *baseline_of(bool model)
{
    static kg__baseline both[2];
    static const char *const texts[2] = {
        "{\"schema\": \"" KG__BASELINE_SCHEMA "\", \"target\": {\"key\": \"nvidia-h200\"}, "
        "\"cases\": {\"" CASE "\": {\"time_ns\": {\"value\": 1000, \"band\": 0.02, \"floor\": 50, "
        "\"noise\": [0.001, 0]}, \"boards\": 1, \"sessions\": 5}}}",
        "{\"schema\": \"" KG__BASELINE_SCHEMA "\", \"target\": {\"key\": \"cpu-model\"}, "
        "\"provenance\": {\"model\": \"1\"}, \"cases\": {\"" CASE
        "\": {\"global_load_sectors\": {\"value\": 1000}}}}",
    };
    static const char *const names[2] = { "nvidia-h200.json", "cpu-model.json" };
    kg__error error = { "" };

    if (both[model].case_count == 0)
        require(kg__baseline_parse(names[model], texts[model], strlen(texts[model]), &both[model],
                                   &error) == KG__LOADED,
                error.text);
    return &both[model];
}

static void judge(json_t *record)
{
    const kg__baseline *times = baseline_of(false);
    const kg__baseline *counts = baseline_of(true);
    kg__sentinel_log sentinels = { 0 };
    kg__error error = { "" };
    kg__observation *observation = kg__observation_read(record, &error);
    kg__measurement measurement = { .measured = observation };
    kg__pool pool = { 0 };

    require(observation != NULL || error.text[0] != '\0', "what is not usable is said to be so");
    if (observation == NULL)
        return;
    kg__sentinels_add(&sentinels, observation);
    measurement.surroundings = kg__surroundings_of(&sentinels, times, observation);
    (void)kg__time_result(&pool, CASE, &times->target, &measurement, 1, times);
    (void)kg__count_result(&pool, CASE, &counts->target, observation, counts, "", true);
    kg__pool_free(&pool);
    kg__observation_release(kg__observation_copy(observation));
    kg__observation_release(observation);
}

static void read_again(json_t *record)
{
    const char *path = path_of("again.jsonl");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    kg__error error = { "" };
    kg__record_reader reader;
    json_t *again;

    require(file >= 0, path);
    require(kg__record_append(file, json_incref(record), &error), error.text);
    close(file);
    require(kg__record_open(&reader, path, &error), error.text);
    again = kg__record_next(&reader);
    require(json_equal(record, again), "what was appended is what is read");
    require(!reader.torn, "what was appended is a whole line");
    json_decref(again);
    kg__record_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("records.jsonl", input, size);
    kg__record_reader reader;
    kg__error error = { "" };
    size_t records = 0;
    json_t *record;

    require(kg__record_open(&reader, path, &error), error.text);
    while ((record = kg__record_next(&reader)) != NULL) {
        records++;
        judge(record);
        read_again(record);
        json_decref(record);
    }
    require(reader.line == records + reader.bad_lines, "every line is a record, or counted as bad");
    require(reader.torn == (size > 0 && input[size - 1] != '\n'), "a line without its end is torn");
    kg__record_close(&reader);
    return 0;
}
