/* SPDX-License-Identifier: MIT */
/* Observations: what is written is read as it was, and what is not a record is refused. */
#include "records/observation.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tests/fakes/drive.h"

static kg__error error;

/* Records of every event, each with all the members that it may have. */
static const char *const records[] = {
    "{'event': 'target', 'target': {'key': 'cpu-model'}, 'provenance': {'model': '2'}, 'watches': "
    "true}",
    "{'event': 'unavailable', 'why': 'no GPU'}",
    "{'event': 'broken', 'why': 'the driver'}",
    "{'event': 'waiting', 'why': 'for the lock'}",
    "{'event': 'alive'}",
    "{'event': 'start', 'case': 'a/b/1/-'}",
    "{'event': 'checked', 'case': 'a/b/1/-', 'right': true}",
    "{'event': 'checked', 'case': 'a/b/1/-', 'right': true, 'metrics': {'error_max': {'value': "
    "0.5}, 'error_mean': {'value': 0.25}}}",
    "{'event': 'checked', 'case': 'a/b/1/-', 'right': false, 'why': 'c[3]', 'failure': {'kind': "
    "'guard_zone', 'symbol': 'c'}}",
    "{'event': 'checked', 'case': 'a/b/1/-', 'right': false, 'why': 'it races', 'findings': "
    "[{'kind': 'race_in_block', 'file': 'b.cu', 'line': 3}], 'more_findings': 2}",
    "{'event': 'measured', 'case': 'a/b/1/-', 'metrics': {'time_ns': {'value': 60.5, 'low': 60.0, "
    "'high': 61.0, 'samples': 30, 'launches': 7, 'clock': 'graph', 'buffer_sets': 4, 'samples_ns': "
    "[60.125, 61.0], 'bound': 'memory'}}, 'absent': {'cold_time_ns': 'too many sets'}, "
    "'gpu_state': {'temperature_c': 40, 'foreign_processes': 0, 'clock_reasons': 'none'}, "
    "'throttled': true, 'kernel': {'name': 'b'}, 'work': {'operations': 8.0, 'bytes': 16.0}}",
    "{'event': 'measured', 'case': 'a/b/1/-', 'metrics': {'barriers': {'value': 0}, "
    "'global_load_requests': {'value': 9007199254740992}}, 'lines': {'b.cu:3': "
    "{'barriers': 7}}, 'sampled': {'blocks': 3, 'of': 9}}",
    "{'event': 'failed', 'case': 'a/b/1/-', 'why': 'it hung', 'hung': true, 'at': {'file': 'b.cu', "
    "'line': 14}}",
    "{'event': 'refused', 'case': 'a/b/1/-', 'why': 'odd'}",
    "{'event': 'skipped', 'case': 'a/b/1/-', 'why': 'slow'}",
    "{'event': 'hung', 'where': 'in kernel b', 'at': {'file': 'b.cu'}}",
    "{'event': 'sentinels', 'copy': {'value': 9.5, 'clock': 'graph', 'bytes': 8.0}, 'fma': "
    "{'value': 7.5, 'operations': 4.0}, 'bus': {'value': 8.5, 'bytes': 2.0}, 'empty': {'value': "
    "500.5}}",
    "{'event': 'done'}",
};

Test(observation, is_written_as_it_was_read)
{
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        json_t *record = json_of(records[i]);
        kg__observation *read = kg__observation_read(record, &error);
        json_t *again;

        cr_assert(read != NULL, "%s: %s", records[i], error.text);
        cr_expect(ne(int, read->event, KG__EVENT_OTHER));
        again = keep_json(kg__observation_json(read));
        cr_expect(json_equal(again, record), "%s, expected %s", keep_text(json_dumps(again, 0)),
                  records[i]);
        kg__observation_release(read);
    }
}

Test(observation, members_have_their_type)
{
    static const char *const bad[] = {
        "{}",
        "[]",
        "{'event': 7}",
        "{'event': 'start', 'case': 7}",
        "{'event': 'checked', 'case': 'a', 'right': 'yes'}",
        "{'event': 'measured', 'case': 'a', 'metrics': []}",
        "{'event': 'measured', 'case': 'a', 'metrics': {'time_ns': 7}}",
        "{'event': 'measured', 'metrics': {'time_ns': {'value': '9'}}}",
        "{'event': 'measured', 'metrics': {'time_ns': {'samples_ns': ['9']}}}",
        "{'event': 'measured', 'metrics': {'time_ns': {'bound': 'luck'}}}",
        "{'event': 'measured', 'absent': {'time_ns': 7}}",
        "{'event': 'measured', 'absent': []}",
        "{'event': 'measured', 'gpu_state': {'temperature_c': 'hot'}}",
        "{'event': 'measured', 'gpu_state': {'foreign_processes': -1}}",
        "{'event': 'measured', 'gpu_state': {'clock_reasons': 7}}",
        "{'event': 'measured', 'kernel': {'names': ['kernel', 7]}}",
        "{'event': 'measured', 'kernel': {'launch': '0123456789abcdef0'}}",
        "{'event': 'measured', 'work': {'operations': '7'}}",
        "{'event': 'measured', 'sampled': {'blocks': -7}}",
        "{'event': 'checked', 'failure': 7}",
        "{'event': 'failed', 'at': {'line': 1.5}}",
        "{'event': 'checked', 'findings': [{'kind': 'nonsense'}]}",
        "{'event': 'sentinels', 'copy': {'value': '9'}}",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kg__error error = { "" };

        cr_expect(kg__observation_read(json_of(bad[i]), &error) == NULL, "%s", bad[i]);
        cr_expect(error.text[0] != '\0', "%s", bad[i]);
    }
}

/* The builds of two commits are held against each other. */
Test(observation, another_version_may_say_more)
{
    kg__observation *read = kg__observation_read(
        json_of("{'event': 'measured', 'case': 'a', 'new': 7, 'gpu_state': null, "
                "'metrics': {'time_ns': {'low': 7, 'new': 7}}}"),
        &error);

    cr_assert(read != NULL, "%s", error.text);
    cr_expect(isnan(kg__value_of(read, "time_ns")));
    cr_expect(kg__figures_of(read, "time_ns")->low == 7);
    cr_expect(kg__figures_of(read, "cold_time_ns") == NULL);
    cr_expect(read->gpu_state == NULL);
    kg__observation_release(read);
    read = kg__observation_read(json_of("{'event': 'dreamed'}"), &error);
    cr_expect(read->event == KG__EVENT_OTHER);
    kg__observation_release(read);
    /* The sentinels are the figures of their record, whatever else is in it. */
    read = kg__observation_read(json_of("{'event': 'sentinels', 'copy': {'value': 9}, 'metrics': "
                                        "{'time_ns': {'value': 7}, 'cold_time_ns': {'value': 7}}}"),
                                &error);
    cr_assert(read != NULL && read->metric_count == 1);
    cr_expect(kg__value_of(read, "copy") == 9);
    kg__observation_release(read);
}

Test(observation, a_record_that_is_not_usable_fails_its_case)
{
    char path[] = "/tmp/kernelgate.observation.XXXXXX";
    int file = mkstemp(path);
    const char *lines = quote("{'event': 'measured', 'metrics': 7}\n{'event': 'measured', "
                              "'case': 'a', 'metrics': 7}\n{'event': 'done'}\n");
    kg__record_reader reader;
    kg__observation *read;

    cr_assert(file >= 0 && write(file, lines, strlen(lines)) == (ssize_t)strlen(lines));
    close(file);
    cr_assert(kg__record_open(&reader, path, &error), "%s", error.text);
    read = kg__observation_next(&reader);
    cr_assert(read != NULL && read->event == KG__EVENT_FAILED && strcmp(read->id, "a") == 0);
    cr_expect(strstr(read->why, "its record is not usable: metrics is not an object") == read->why,
              "%s", read->why);
    cr_expect(reader.bad_lines == 1, "the one of no case");
    kg__observation_release(read);
    read = kg__observation_next(&reader);
    cr_assert(read != NULL && read->event == KG__EVENT_DONE);
    kg__observation_release(read);
    cr_expect(kg__observation_next(&reader) == NULL);
    kg__record_close(&reader);
    unlink(path);
}
