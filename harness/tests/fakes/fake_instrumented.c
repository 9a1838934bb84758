/* What stands beside fake.model as its program with instrumented kernels: an observer that finds
 * and counts what it is told to, so that the parent's side can be driven from end to end.
 *
 * FAKE_COUNT_LOG: a file that gets a line a process; the number of lines is the process's number.
 * FAKE_COUNT_PLAN: a file of lines "PROCESS PATTERN ACTION...", of which every one that fits a
 * process (a number, or *) and a case's id (a glob) is followed, in order:
 *   COUNTER N          the counter's value; "-" for N leaves it out of the record
 *   line KEY COUNTER N the counter's value at that line of source
 *   sampled            the launch was, so that unique bytes are absent and few blocks checked
 *   finding, wrong     the case's record is that
 *   nowhere, damaged   a finding whose file is not known, or that is none
 *   failed, forget, crash, hang
 * FAKE_COMPILER, FAKE_FLAGS: what it was compiled with.
 * FAKE_BLIND: its kernels are not instrumented after all. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "records/finding_text.h"
#include "records/records.h"
#include "suite/counters.h"
#include "tests/fakes/fake_plan.h"

static int records;
static int process_number = 1;

/* What the plan has in store for a case. */
typedef struct fate {
    json_t *metrics;
    json_t *lines;
    bool sampled;
    char event[16]; /* "right", or what else is to happen */
} fate;

static void report(json_t *record)
{
    if (!kg__record_append(records, record, NULL))
        exit(9);
}

static void set_count(json_t *metrics, const char *counter, json_int_t value)
{
    json_object_set_new(metrics, counter, json_pack("{s:I}", "value", value));
}

static void set_line(json_t *lines, const char *key, const char *counter, json_int_t value)
{
    json_t *line = json_object_get(lines, key);

    if (line == NULL) {
        line = json_object();
        json_object_set_new(lines, key, line);
    }
    if (value == 0)
        json_object_del(line, counter);
    else
        json_object_set_new(line, counter, json_integer(value));
    if (json_object_size(line) == 0)
        json_object_del(lines, key);
}

/* What every case counts without a plan. */
static fate usual_fate(void)
{
    fate one = { .metrics = json_object(), .lines = json_object(), .event = "right" };

    for (int i = 0; i < KG__COUNTERS; i++)
        set_count(one.metrics, kg__counter_name((kg__counter)i), 0);
    set_count(one.metrics, "global_load_requests", 200);
    set_count(one.metrics, "global_load_sectors", 400);
    set_count(one.metrics, "global_store_requests", 100);
    set_count(one.metrics, "global_store_sectors", 400);
    set_count(one.metrics, "barriers", 8);
    set_count(one.metrics, "unique_bytes_read", 256);
    set_count(one.metrics, "unique_bytes_written", 256);
    set_line(one.lines, "kernels/fake/plain.cu:14", "global_load_requests", 200);
    set_line(one.lines, "kernels/fake/plain.cu:14", "global_load_sectors", 400);
    set_line(one.lines, "kernels/fake/plain.cu:15", "barriers", 8);
    set_line(one.lines, "kernels/fake/plain.cu:16", "global_store_requests", 100);
    set_line(one.lines, "kernels/fake/plain.cu:16", "global_store_sectors", 400);
    return one;
}

static const char *next_word(char **rest)
{
    const char *word = strtok_r(NULL, " ", rest);

    return word != NULL ? word : "";
}

static void follow(void *context, char *actions)
{
    fate *one = context;
    char *rest = actions;

    for (const char *word = strtok_r(actions, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "line") == 0) {
            const char *key = next_word(&rest);
            const char *counter = next_word(&rest);

            set_line(one->lines, key, counter, atoll(next_word(&rest)));
        } else if (strcmp(word, "sampled") == 0) {
            one->sampled = true;
            json_object_del(one->metrics, "unique_bytes_read");
            json_object_del(one->metrics, "unique_bytes_written");
        } else if (kg__counter_parse(word, NULL)) {
            const char *value = next_word(&rest);

            if (strcmp(value, "-") == 0)
                json_object_del(one->metrics, word);
            else
                set_count(one->metrics, word, atoll(value));
        } else {
            kg__format(one->event, sizeof one->event, "%s", word);
        }
    }
}

static fate fate_of(const char *id)
{
    fate one = usual_fate();

    fake_follow_plan("FAKE_COUNT_PLAN", process_number, id, follow, &one);
    return one;
}

static void report_checked(const char *id, bool right, const char *why)
{
    report(json_pack("{s:s, s:s, s:b, s:s}", "event", "checked", "case", id, "right", (int)right,
                     "why", why));
}

static void report_finding(const char *id, const char *event)
{
    kg__findings found = {
        .list = { { .kind = KG__OUT_OF_BOUNDS,
                    .by = { .file = "kernels/fake/other.cu", .line = 14, .access = KG__READ },
                    .bytes = 4,
                    .space = KG__GLOBAL,
                    .symbol = "from",
                    .size = 256,
                    .offset = 256,
                    .count = 3 } },
        .count = 1
    };
    char why[KG__MESSAGE_SIZE];
    json_t *record;

    if (strcmp(event, "nowhere") == 0)
        found.list[0].by = (kg__finding_actor){ .access = KG__READ };
    kg__findings_text(&found, why, sizeof why);
    record =
        json_pack("{s:s, s:s, s:b, s:s}", "event", "checked", "case", id, "right", 0, "why", why);
    kg__findings_set(record, &found);
    if (strcmp(event, "damaged") == 0)
        json_object_set_new(json_array_get(json_object_get(record, "findings"), 0), "kind",
                            json_string("nonsense"));
    report(record);
}

static void report_measured(const char *id, const fate *one)
{
    json_t *record = json_pack("{s:s, s:s, s:O, s:O}", "event", "measured", "case", id, "metrics",
                               one->metrics, "lines", one->lines);

    if (one->sampled) {
        json_object_set_new(record, "sampled", json_pack("{s:i, s:i}", "blocks", 120, "of", 16384));
        json_object_set_new(record, "absent",
                            json_pack("{s:s, s:s}", "unique_bytes_read", "the launch was sampled",
                                      "unique_bytes_written", "the launch was sampled"));
    }
    report(record);
}

static void observe(const char *id, const char *part)
{
    fate one = fate_of(id);

    fake_report(records, "start", id, NULL);
    if (strcmp(one.event, "crash") == 0) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
    }
    while (strcmp(one.event, "hang") == 0)
        pause();
    if (strcmp(one.event, "failed") == 0)
        fake_report(records, "failed", id, "running the kernel: cudaErrorLaunchFailure");
    else if (strcmp(one.event, "finding") == 0 || strcmp(one.event, "nowhere") == 0 ||
             strcmp(one.event, "damaged") == 0)
        report_finding(id, one.event);
    else if (strcmp(one.event, "wrong") == 0)
        report_checked(id, false, "to[17]: expected 1, got 2; inputs random");
    else if (strcmp(one.event, "forget") != 0 && strcmp(part, "count") != 0)
        report_checked(id, true, one.sampled ? "memory checks on 120 of 16384 blocks" : "");
    else if (strcmp(one.event, "forget") != 0)
        report_measured(id, &one);
    json_decref(one.metrics);
    json_decref(one.lines);
}

int main(int argc, char **argv)
{
    const char *compiler = getenv("FAKE_COMPILER");
    char line[256];
    FILE *cases;

    if (argc != 7 || strcmp(argv[1], "--observe") != 0 || strcmp(argv[3], "--part") != 0 ||
        strcmp(argv[5], "--records") != 0 || getenv("BXFI_MAP") != NULL)
        return 8;
    records = open(argv[6], O_WRONLY | O_APPEND | O_CLOEXEC);
    cases = fopen(argv[2], "r");
    if (records < 0 || cases == NULL)
        return 8;
    process_number = fake_process_number("FAKE_COUNT_LOG");
    compiler = compiler != NULL ? compiler : "gcc 12.2.0";
    report(json_pack("{s:s, s:{s:s, s:s, s:s}, s:{s:s, s:s, s:s*}, s:b}", "event", "target",
                     "target", "key", "cpu-model", "name", "CPU model", "compiler", compiler,
                     "provenance", "compiler", compiler, "model", "3", "flags",
                     getenv("FAKE_FLAGS"), "watches", getenv("FAKE_BLIND") == NULL));
    while (fgets(line, sizeof line, cases) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "fake/", 5) == 0 && strstr(line, "/7/") != NULL)
            fake_report(records, "refused", line, "7 is an unlucky size");
        else
            observe(line, argv[4]);
    }
    fclose(cases);
    fake_report(records, "done", NULL, NULL);
    close(records);
    return 0;
}
