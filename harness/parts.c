/* The bodies of a comparison's Criterion tests: they spawn observers, judge what those recorded,
 * print a line a case and leave a verdicts file. They never touch the device themselves. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "baseline.h"
#include "clock.h"
#include "code.h"
#include "counting.h"
#include "cuobjdump.h"
#include "file.h"
#include "gating.h"
#include "holding.h"
#include "machine_code.h"
#include "observer.h"
#include "records.h"
#include "results.h"
#include "run.h"
#include "table.h"

/* What a part knows of one of its cases. */
typedef struct subject {
    const kg__case *one;
    json_t *measured[1 + KG__CONFIRMATIONS]; /* one a process */
    size_t observers;
    json_t *entry; /* its entry in the results; NULL until it is judged */
    bool tripped;
    bool suspect;   /* left to be settled against a base, after this run */
    double began;   /* when the observer that is at it started on it; 0 while none is */
    double seconds; /* that observers have spent on it */
    /* What the plain program found of it, held until the instrumented one has run it too. */
    bool held;
    bool hung;
    kg__verdict plain;
    char *plain_why;
} subject;

/* A part in progress. */
typedef struct part_run {
    const kg_comparison *comparison;
    const char *part;
    char test[128];
    char verdicts[KG__PATH_SIZE];
    kg__case_list table;
    subject *subjects; /* the cases that the filter lets through, in the table's order */
    size_t count;
    json_t *document;
    bool device_seen; /* an observer has described its device */
    kg__target target;
    kg__baseline baseline;
    bool has_baseline;
    kg__sentinel_log sentinels[1 + KG__CONFIRMATIONS];
    size_t round;                     /* 0: the first observer; then the confirmations */
    const kg_variant *variant;        /* the one that is being checked */
    char instrumented[KG__PATH_SIZE]; /* the program with instrumented kernels; empty: none */
    bool watching;                    /* it is the one that is being observed */
    bool told_blind;                  /* it has been told that it does not watch */
    char otherwise[256];              /* how the baseline was recorded otherwise, or empty */
    bool unwritten;                   /* what was last to be written down is not */
    kg__error unobserved;             /* why nothing could be run any more, or empty */
    double began;
} part_run;

static bool is_model(void)
{
    return strcmp(KG__TARGET_KIND, "model") == 0;
}

static bool is_part(const part_run *run, const char *part)
{
    return strcmp(run->part, part) == 0;
}

/* Whether results are compared with the reference in this part, and nothing else is measured. */
static bool is_checking(const part_run *run)
{
    return is_part(run, "check") || is_part(run, "defects");
}

static void add_text(part_run *run, const char *list, const char *text)
{
    json_array_append_new(json_object_get(run->document, list), json_string(text));
}

/* An error outside of any case: printed, and kept in the verdicts. */
static void add_error(part_run *run, const char *text)
{
    add_text(run, "errors", text);
    kg__complain("%s: %s", run->test, text);
}

/* A remark that decides nothing: printed, and kept in the verdicts. */
static void add_note(part_run *run, const char *text)
{
    add_text(run, "notes", text);
    printf("%-11s  %-11s  %s\n", "note", run->target.key, text);
}

/* Notes that nothing is judged, by what ("filter", "unavailable", "no-baseline") and why. */
static void skip(part_run *run, const char *by, const char *why)
{
    json_object_set_new(run->document, "skipped", json_string(why));
    json_object_set_new(run->document, "skipped_by", json_string(by));
}

/* A case's figures and its whole reason. */
#define LINE_SIZE ((size_t)2 * KG__MESSAGE_SIZE)

static void print_line(const json_t *entry)
{
    char line[LINE_SIZE];

    kg__gate_line(entry, line, sizeof line);
    puts(line);
    fflush(stdout);
}

static void keep_entry(subject *one, json_t *entry)
{
    json_decref(one->entry);
    one->entry = entry;
    if (one->seconds > 0)
        json_object_set_new(entry, "seconds", json_real(one->seconds));
}

static void settle(subject *one, json_t *entry)
{
    keep_entry(one, entry);
    print_line(entry);
}

/* Writes the verdicts file. A case without a verdict is an error until it has one, so that a test
 * which dies leaves no hole. */
static void write_verdicts(part_run *run, bool complete)
{
    json_t *cases = json_array();
    char out[KG__PATH_SIZE];
    kg__error error;

    for (size_t i = 0; i < run->count; i++) {
        const subject *one = &run->subjects[i];

        if (one->entry != NULL)
            json_array_append(cases, one->entry);
        else if (!complete)
            json_array_append_new(cases,
                                  kg__gate_plain(one->one->id, &run->target, run->part, KG__ERROR,
                                                 "the test ended before this case was judged"));
    }
    json_object_set_new(run->document, "cases", cases);
    json_object_set_new(run->document, "complete", json_boolean(complete));
    json_object_set_new(run->document, "seconds", json_real(kg__now() - run->began));
    kg__out_folder(run->comparison->home, out, sizeof out);
    /* Another run may have taken the folder over when the one around this test was killed. */
    run->unwritten = !kg__holding_permits(out, &error) ||
                     !kg__results_write_json(run->verdicts, run->document, 1, &error);
    if (run->unwritten)
        kg__complain("%s", error.text);
}

static bool begin(part_run *run, const kg_comparison *comparison, const char *part)
{
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };

    *run = (part_run){ .comparison = comparison, .part = part, .began = kg__now() };
    kg__test_name(KG__TARGET_KIND, comparison->name, part, run->test, sizeof run->test);
    kg__verdicts_path(comparison->home, run->test, run->verdicts, sizeof run->verdicts);
    kg__format(run->target.key, sizeof run->target.key, "%s", is_model() ? KG__MODEL_KEY : "gpu");
    run->document =
        json_pack("{s:s, s:s, s:[], s:[], s:[], s:[], s:[], s:[]}", "schema", KG__VERDICTS_SCHEMA,
                  "test", run->test, "errors", "vanished", "refused", "claims", "notes", "cases");
    kg__format(folder, sizeof folder, "%s", run->verdicts);
    *strrchr(folder, '/') = '\0';
    if (!kg__file_make_folder(folder, &error) ||
        !kg__table_expand(comparison, part, &run->table, &error)) {
        add_error(run, error.text);
        write_verdicts(run, true);
        return false;
    }
    run->subjects = kg__allocate(run->table.count, sizeof *run->subjects);
    for (size_t i = 0; i < run->table.count; i++) {
        if (kg__filter_takes(run->table.list[i].id))
            run->subjects[run->count++].one = &run->table.list[i];
    }
    return true;
}

static subject *subject_of(part_run *run, const char *id)
{
    for (size_t i = 0; i < run->count; i++) {
        if (strcmp(run->subjects[i].one->id, id) == 0)
            return &run->subjects[i];
    }
    return NULL;
}

/* Takes the device's description, and with it the baseline. */
static void take_target(part_run *run, const json_t *record)
{
    const json_t *target = json_object_get(record, "target");
    char folder[KG__PATH_SIZE];
    char path[2 * KG__PATH_SIZE];
    kg__error error = { "" };

    if (run->device_seen)
        return;
    run->device_seen = true;
    run->target = kg__target_of(target);
    json_object_set_new(run->document, "target", json_deep_copy(target));
    json_object_set(run->document, "provenance", json_object_get(record, "provenance"));
    if (is_checking(run))
        return;
    kg__baselines_folder(run->comparison->home, folder, sizeof folder);
    switch (
        kg__baseline_load_for(folder, &run->target, path, sizeof path, &run->baseline, &error)) {
    case KG__LOADED:
        run->has_baseline = true;
        break;
    case KG__BAD:
        add_error(run, error.text);
        run->has_baseline = run->baseline.case_count > 0;
        break;
    case KG__ABSENT:
        break;
    }
    if (run->has_baseline && is_part(run, "count"))
        (void)kg__recorded_otherwise(&run->baseline, &run->target,
                                     json_object_get(record, "provenance"), run->otherwise,
                                     sizeof run->otherwise);
    json_object_set_new(json_object_get(run->document, "target"), "key",
                        json_string(run->target.key));
}

/* Names the board that the first observer ran on. What another board says is no confirmation. */
static void take_board(part_run *run, const json_t *record)
{
    const json_t *provenance = json_object_get(record, "provenance");
    const char *uuid = kg__json_text(provenance, "uuid");
    const char *bus_id = kg__json_text(provenance, "bus_id");
    const char *known = kg__json_text(run->document, "board");
    char text[KG__MESSAGE_SIZE];

    if (*uuid == '\0' || strcmp(uuid, known) == 0)
        return;
    if (*known != '\0') {
        kg__format(
            text, sizeof text,
            "an observer ran on %s, the one before it on %s: set CUDA_VISIBLE_DEVICES to one "
            "of them",
            uuid, known);
        add_error(run, text);
        return;
    }
    json_object_set_new(run->document, "board", json_string(uuid));
    printf("%-11s  %-11s  %s runs on %s%s%s%s\n", "board", run->target.key, run->test, uuid,
           *bus_id != '\0' ? " (" : "", bus_id, *bus_id != '\0' ? ")" : "");
    fflush(stdout);
}

/* Whether a case that was timed once is to be settled against a base rather than confirmed here. An
 * error, such as a metric that the baseline has and the run has not, no base can settle. */
static bool is_suspect(const subject *one, const json_t *entry)
{
    const char *verdict = kg__json_text(entry, "verdict");
    const char *name;
    json_t *metric;

    if (kg__base_folder() == NULL || strcmp(verdict, kg__verdict_name(KG__ERROR)) == 0)
        return false;
    if (kg__is_paired())
        return true;
    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        if (one->tripped && json_is_true(json_object_get(metric, "tripped")) &&
            json_number_value(json_object_get(metric, "change")) > 0)
            return true;
    }
    return false;
}

/* Judges a case by the observations that it has so far. */
static json_t *judge(part_run *run, subject *one)
{
    kg__observation observations[1 + KG__CONFIRMATIONS];

    for (size_t i = 0; i < one->observers; i++)
        observations[i] = (kg__observation){
            one->measured[i],
            kg__surroundings_of(&run->sentinels[i], run->has_baseline ? &run->baseline : NULL,
                                one->measured[i]),
        };
    return kg__gate_case(one->one->id, &run->target, run->part, observations, one->observers,
                         run->has_baseline ? &run->baseline : NULL, &one->tripped);
}

static void take_measured(part_run *run, subject *one, const json_t *record)
{
    json_t *entry;

    if (is_part(run, "count")) {
        settle(one, kg__count_case(one->one->id, &run->target, record,
                                   run->has_baseline ? &run->baseline : NULL, run->otherwise));
        return;
    }
    /* A case that has its verdict is only timed beside a suspect. */
    if (one->observers > run->round || (run->round > 0 && one->entry != NULL))
        return;
    one->measured[one->observers++] = json_incref((json_t *)record);
    if (run->round > 0)
        return;
    entry = judge(run, one);
    one->suspect = is_suspect(one, entry);
    if (!one->tripped && !one->suspect) {
        settle(one, entry);
        return;
    }
    char line[LINE_SIZE];

    kg__gate_line(entry, line, sizeof line);
    printf("%-11s  %s\n", one->suspect ? "suspect" : "confirming", line + 13);
    fflush(stdout);
    json_decref(entry);
}

/* Whether a text begins with its own place in the source, "kernels/a/b.cu:14: ". */
static bool names_a_line(const char *what)
{
    size_t place = strcspn(what, " ");
    size_t digits = 0;

    if (place < 2 || what[place] != ' ' || what[place - 1] != ':')
        return false;
    while (digits + 2 < place && strchr("0123456789", what[place - 2 - digits]) != NULL)
        digits++;
    return digits > 0 && what[place - 2 - digits] == ':';
}

/* Names a wrong or failing variant's source beside what it did. The launcher tells it: launcher
 * a_b of comparison a is in kernels/a/b.cu. */
static void explain(const part_run *run, const subject *one, const char *what, char *why,
                    size_t size)
{
    const char *comparison = run->comparison->name;
    const char *source = one->one->variant->launcher;
    size_t length = strlen(comparison);

    if (source != NULL && strncmp(source, comparison, length) == 0 && source[length] == '_')
        source += length + 1;
    else
        source = one->one->variant->name;
    if (names_a_line(what))
        kg__format(why, size, "%s", what);
    else
        kg__format(why, size, "kernels/%s/%s.cu: %s", comparison, source, what);
}

/* Settles a case that was checked. A defect is there to be found wrong. */
static void settle_checked(part_run *run, subject *one, kg__verdict verdict, const char *why)
{
    char text[KG__MESSAGE_SIZE];

    if (is_part(run, "defects") && verdict <= KG__WRONG) {
        if (verdict == KG__WRONG)
            kg__format(text, sizeof text, "caught: %s", why);
        else
            kg__format(text, sizeof text,
                       "no check caught this defect (%s): mend the checks, or the row that says "
                       "where it shows",
                       one->one->variant->idea);
        verdict = verdict == KG__WRONG ? KG__PASS : KG__WRONG;
        why = text;
    }
    settle(one, kg__gate_plain(one->one->id, &run->target, run->part, verdict, why));
}

/* Joins what the two programs found of a case: the worse verdict, and both reasons, the line of
 * source first. A wrong result that both have is told once. */
static void settle_both(part_run *run, subject *one, kg__verdict watched, const char *what,
                        const char *explained)
{
    char why[KG__MESSAGE_SIZE] = "";
    bool told = watched != KG__PASS &&
                (strcmp(explained, one->plain_why) == 0 ||
                 (watched == KG__WRONG && one->plain == KG__WRONG && !names_a_line(what)));

    if (watched == KG__ERROR)
        kg__format(why, sizeof why, "with instrumented kernels: %s", explained);
    else
        kg__format(why, sizeof why, "%s", watched != KG__PASS ? explained : what);
    if (told)
        why[0] = '\0';
    if (one->plain_why[0] != '\0') {
        size_t used = strlen(why);

        kg__format(why + used, sizeof why - used, "%s%s", used > 0 ? "; " : "", one->plain_why);
    }
    settle_checked(run, one, kg__worse(watched, one->plain), why);
}

/* Takes what a check found of a case: held where the instrumented program has yet to run it. */
static void take_outcome(part_run *run, subject *one, kg__verdict verdict, const json_t *record)
{
    const char *what = kg__json_text(record, "why");
    char why[KG__MESSAGE_SIZE] = "";

    if (verdict != KG__PASS)
        explain(run, one, what, why, sizeof why);
    if (run->watching && one->held) {
        settle_both(run, one, verdict, what, why);
    } else if (run->instrumented[0] != '\0' && is_checking(run)) {
        one->held = true;
        one->hung = json_is_true(json_object_get(record, "hung"));
        one->plain = verdict;
        free(one->plain_why);
        one->plain_why = kg__copy_text(why);
    } else if (is_checking(run)) {
        settle_checked(run, one, verdict, why);
    } else {
        settle(one, kg__gate_plain(one->one->id, &run->target, run->part, verdict, why));
    }
}

/* Adds the card's measured limits to the provenance: what its sentinels move and compute a second.
 * A sentinel that does not say how much it did sets no limit. */
static void set_limits(json_t *provenance, const json_t *record)
{
    static const struct {
        const char *sentinel;
        const char *amount;
        const char *limit;
    } limits[] = { { "copy", "bytes", "copy_bytes_per_second" },
                   { "fma", "operations", "operations_per_second" } };
    json_t *known = json_object();

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const json_t *figures = json_object_get(record, limits[i].sentinel);
        double ns = json_number_value(json_object_get(figures, "value"));
        double amount = json_number_value(json_object_get(figures, limits[i].amount));

        if (ns > 0 && amount > 0)
            json_object_set_new(known, limits[i].limit, json_real(amount / ns * 1e9));
    }
    if (json_object_size(known) > 0)
        json_object_set(provenance, "limits", known);
    json_decref(known);
}

/* Keeps what the sentinels say for judging, and the first process's beside the other provenance. */
static void take_sentinels(part_run *run, const json_t *record)
{
    static const char *const names[] = { "copy", "fma", "empty" };
    json_t *provenance = json_object_get(run->document, "provenance");
    json_t *shown = json_object();

    kg__sentinels_add(&run->sentinels[run->round], record);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        json_object_set(shown, names[i],
                        json_object_get(json_object_get(record, names[i]), "value"));
    if (provenance != NULL && run->round == 0) {
        json_object_set(provenance, "sentinels_ns", shown);
        set_limits(provenance, record);
    }
    json_decref(shown);
}

/* A program that lies where the instrumented one is to be, and is none, would find nothing. */
static void require_watching(part_run *run, const json_t *record)
{
    char text[2 * KG__PATH_SIZE];

    if (!run->watching || json_is_true(json_object_get(record, "watches")) || run->told_blind)
        return;
    run->told_blind = true;
    kg__format(text, sizeof text,
               "%s: its kernels are not instrumented, so that no access is checked: build it anew",
               run->instrumented);
    add_error(run, text);
}

static void take_record(void *context, const json_t *record)
{
    part_run *run = context;
    const char *event = kg__json_text(record, "event");
    const char *what = kg__json_text(record, "why");
    subject *one = subject_of(run, kg__json_text(record, "case"));

    if (strcmp(event, "target") == 0) {
        take_target(run, record);
        take_board(run, record);
        require_watching(run, record);
    } else if (strcmp(event, "sentinels") == 0) {
        take_sentinels(run, record);
    } else if (strcmp(event, "objection") == 0) {
        add_error(run, what);
    }
    if (one == NULL)
        return;
    if (strcmp(event, "start") == 0) {
        one->began = kg__now();
        return;
    }
    if (one->began > 0)
        one->seconds += kg__now() - one->began;
    one->began = 0;
    if (strcmp(event, "measured") == 0) {
        take_measured(run, one, record);
    } else if (strcmp(event, "checked") == 0) {
        take_outcome(run, one,
                     json_is_true(json_object_get(record, "right")) ? KG__PASS : KG__WRONG, record);
    } else if (strcmp(event, "failed") == 0) {
        take_outcome(run, one, KG__ERROR, record);
    } else if (strcmp(event, "refused") == 0 && is_part(run, "defects")) {
        char text[KG__MESSAGE_SIZE];

        /* What is never run is never found wrong. */
        kg__format(text, sizeof text, "refused (%s): no check sees this defect: mend its row",
                   what);
        if (one->entry == NULL)
            settle(one, kg__gate_plain(one->one->id, &run->target, run->part, KG__ERROR, text));
    } else if (strcmp(event, "refused") == 0) {
        json_array_append_new(json_object_get(run->document, "refused"),
                              json_pack("{s:s, s:s}", "case", one->one->id, "why", what));
        printf("%-11s  %-11s  %-32s  %s\n", "refused", run->target.key, one->one->id, what);
    }
}

/* Whether a case is observed along with the subjects that `wanted` takes: it is one of them, or is
 * to be timed, since a process that times anything times the whole comparison, in the table's
 * order, as the baseline was recorded. What comes before and beside a case moves it, a short kernel
 * by up to 5 %. What KG_FILTER leaves out is timed there and not judged. */
static bool is_observed(const part_run *run, const kg__case *one,
                        bool (*wanted)(const part_run *, const subject *))
{
    for (size_t i = 0; i < run->count; i++) {
        const kg__case *other = run->subjects[i].one;

        if ((other == one || is_part(run, "time")) && wanted(run, &run->subjects[i]))
            return true;
    }
    return false;
}

/* Observes the subjects that `wanted` takes, in processes of their own; returns false when nothing
 * could be run. */
static bool observe(part_run *run, bool (*wanted)(const part_run *, const subject *),
                    const char *label)
{
    const char **ids = kg__allocate(run->table.count, sizeof *ids);
    char stem[KG__PATH_SIZE];
    kg__observation_job job = {
        .program = run->watching ? run->instrumented : NULL,
        .part = run->part,
        .cases = ids,
        .records = stem,
        .silence_limit = kg__silence_limit(),
        .on_record = take_record,
        .context = run,
    };
    kg__observation_status status = KG__OBSERVED;
    kg__error why = { "" };

    for (size_t i = 0; i < run->table.count; i++) {
        if (is_observed(run, &run->table.list[i], wanted))
            ids[job.case_count++] = run->table.list[i].id;
    }
    kg__format(stem, sizeof stem, "%.*s.%s",
               (int)(strlen(run->verdicts) - strlen(".verdicts.json")), run->verdicts, label);
    if (job.case_count > 0)
        status = kg__observe_cases(&job, &why);
    free(ids);
    if (status != KG__OBSERVED)
        run->unobserved = why;
    /* A device that was there before and is no longer is no reason to skip. */
    if (status == KG__UNOBSERVED || (status == KG__UNAVAILABLE && run->device_seen))
        add_error(run, why.text);
    else if (status == KG__UNAVAILABLE)
        skip(run, "unavailable", why.text);
    return status == KG__OBSERVED;
}

static bool is_of_variant(const part_run *run, const subject *one)
{
    return one->one->variant == run->variant;
}

static bool is_any(const part_run *run, const subject *one)
{
    (void)run;
    (void)one;
    return true;
}

static bool awaits_confirmation(const part_run *run, const subject *one)
{
    (void)run;
    return one->entry == NULL && one->tripped && !one->suspect;
}

/* A case that hung would only hang once more, and slower. */
static bool awaits_watching(const part_run *run, const subject *one)
{
    return is_of_variant(run, one) && one->held && !one->hung && one->entry == NULL;
}

/* Observes a variant's cases with instrumented kernels, which see every access. What they do not
 * get to keeps the plain program's verdict. */
static bool watch(part_run *run, const char *plain_label)
{
    char label[160];
    bool observed;

    kg__format(label, sizeof label, "%s.instrumented", plain_label);
    run->watching = true;
    observed = observe(run, awaits_watching, label);
    run->watching = false;
    return observed;
}

static void settle_held(part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        subject *one = &run->subjects[i];

        if (one->held && one->entry == NULL)
            settle_checked(run, one, one->plain, one->plain_why);
    }
}

/* Checking results alone is no whole check: only who watches over the run by hand may go on so. */
static void tell_unwatched(part_run *run, const char *why)
{
    char text[KG__MESSAGE_SIZE];

    run->instrumented[0] = '\0';
    kg__format(text, sizeof text, "accesses to memory are not checked: %s", why);
    if (kg__is_strict())
        add_error(run, text);
    else
        add_note(run, text);
}

/* Names the records of a variant that is checked: by its name, which defects share where one is
 * caught at several sizes. */
static void name_records(const part_run *run, char *label, size_t size)
{
    const kg_defect *defects = kg__table_defects();
    size_t row = 0;

    if (!is_part(run, "defects")) {
        kg__format(label, size, "%s", run->variant->name);
        return;
    }
    while (&defects[row].variant != run->variant)
        row++;
    kg__format(label, size, "%zu.%s", row + 1, run->variant->name);
}

/* False when nothing could be run, and no further variant can be. */
static bool check_variant(part_run *run, const kg_variant *variant)
{
    char label[128];
    bool observed;

    run->variant = variant;
    name_records(run, label, sizeof label);
    observed =
        observe(run, is_of_variant, label) && (run->instrumented[0] == '\0' || watch(run, label));
    settle_held(run);
    if (observed)
        write_verdicts(run, false);
    return observed;
}

/* A process a variant, so that what one variant does to its device leaves the others alone; on the
 * CPU model two, the second with instrumented kernels. */
static void check(part_run *run)
{
    kg__error why = { "" };

    if (is_model() &&
        !kg__instrumented_program(NULL, run->instrumented, sizeof run->instrumented, &why))
        tell_unwatched(run, why.text);
    if (is_part(run, "defects")) {
        const kg_defect *defect = kg__table_defects();

        for (size_t i = 0; defect[i].name != NULL && check_variant(run, &defect[i].variant); i++)
            ;
    } else {
        const kg_variant *variant = run->comparison->variants;

        while (variant->name != NULL && check_variant(run, variant))
            variant++;
    }
}

/* One process with instrumented kernels: counts repeat exactly, so that there is nothing to
 * confirm.
 */
static void count(part_run *run)
{
    kg__error why = { "" };

    if (!kg__instrumented_program(NULL, run->instrumented, sizeof run->instrumented, &why)) {
        add_error(run, why.text);
        return;
    }
    run->watching = true;
    (void)observe(run, is_any, "first");
    run->watching = false;
}

/* Whether a case tripped and is open, to be confirmed or to be left as a suspect. */
static bool awaits_verdict(const subject *one)
{
    return one->entry == NULL && one->tripped;
}

/* Whether any case that tripped has a baseline that knows its machine code under this toolkit: no
 * other can be compared. */
static bool can_compare_code(const part_run *run)
{
    const json_t *then = json_object_get(run->baseline.provenance, "cuda");

    if (!run->has_baseline || then == NULL ||
        !json_equal(then, json_object_get(json_object_get(run->document, "provenance"), "cuda")))
        return false;
    for (size_t i = 0; i < run->count; i++) {
        const subject *one = &run->subjects[i];
        const kg__baseline_case *recorded = kg__baseline_find(&run->baseline, one->one->id);

        if (awaits_verdict(one) && recorded != NULL &&
            *kg__json_text(recorded->code, KG__CODE_FINGERPRINT) != '\0')
            return true;
    }
    return false;
}

/* Notes which machine code the cases ran that tripped, where that can be known. The disassembler
 * works while nothing is timed. */
static void identify_code(part_run *run)
{
    const char *capability =
        kg__json_text(json_object_get(run->document, "target"), "compute_capability");
    json_t *machine_code =
        can_compare_code(run) ? kg__program_machine_code(NULL, capability) : NULL;

    for (size_t i = 0; i < run->count && machine_code != NULL; i++) {
        const subject *one = &run->subjects[i];

        for (size_t j = 0; j < one->observers && awaits_verdict(one); j++) {
            json_t *kernel = json_object_get(one->measured[j], "kernel");
            char code[KG__HASH_TEXT_SIZE];

            if (kg__machine_code_of(machine_code, kernel, code))
                json_object_set_new(kernel, KG__CODE_FINGERPRINT, json_string(code));
        }
    }
    json_decref(machine_code);
}

/* Suspects keep the verdict of their one observation, which counts unless they are settled: with
 * them is left what settling needs of that observation. */
static void keep_suspects(part_run *run)
{
    json_t *sentinels = kg__sentinels_record(&run->sentinels[0]);
    bool identified = false;

    for (size_t i = 0; i < run->count; i++) {
        subject *one = &run->subjects[i];
        json_t *entry;

        if (!one->suspect || one->entry != NULL)
            continue;
        if (!identified)
            identify_code(run);
        identified = true;
        entry = judge(run, one);
        json_object_set_new(entry, "suspect", json_true());
        json_object_set_new(
            entry, "first",
            json_pack("{s:O, s:O}", "measured", one->measured[0], "sentinels", sentinels));
        keep_entry(one, entry);
    }
    json_decref(sentinels);
}

/* All variants in one process; then, for what tripped, two more; the median of the three decides.
 * With a base at hand only what tripped downwards is confirmed, the rest are suspects.
 */
static void measure(part_run *run)
{
    char label[32] = "first";
    bool observed = observe(run, is_any, label);

    keep_suspects(run);
    if (!observed)
        return;
    write_verdicts(run, false);
    for (run->round = 1; run->round <= KG__CONFIRMATIONS; run->round++) {
        kg__format(label, sizeof label, "confirm%zu", run->round);
        if (!observe(run, awaits_confirmation, label))
            return;
    }
    identify_code(run);
    for (size_t i = 0; i < run->count; i++) {
        if (awaits_confirmation(run, &run->subjects[i]))
            settle(&run->subjects[i], judge(run, &run->subjects[i]));
    }
}

/* Cases of this comparison that the baseline has and the table no longer. */
static void find_vanished(part_run *run)
{
    size_t length = strlen(run->comparison->name);

    for (size_t i = 0; run->has_baseline && i < run->baseline.case_count; i++) {
        const char *id = run->baseline.cases[i].id;

        if (strncmp(id, run->comparison->name, length) != 0 || id[length] != '/' ||
            !kg__filter_takes(id) || kg__table_find(&run->table, id) != NULL)
            continue;
        add_text(run, "vanished", id);
        kg__complain(
            "%s: in the baseline and no longer in the table: bring it back, or retire it with "
            "ci/rebaseline",
            id);
    }
}

/* The case of the table's first variant that another is timed beside: that of the same launch where
 * it has several, or NULL. */
static const subject *first_beside(const part_run *run, const subject *fast)
{
    const subject *found = NULL;

    for (size_t i = 0; i < run->count; i++) {
        const subject *other = &run->subjects[i];

        if (other->one->variant != run->comparison->variants ||
            !kg__table_side_by_side(other->one, fast->one))
            continue;
        if (found == NULL || other->one->launch.grid == fast->one->launch.grid)
            found = other;
    }
    return found;
}

/* Prints and notes how many times as fast each variant is as the table's first, by size and launch.
 */
static void note_speedups(part_run *run)
{
    const kg_variant *first = run->comparison->variants;
    char test[128];
    char path[KG__PATH_SIZE];
    json_t *checks;

    kg__test_name(KG__TARGET_KIND, run->comparison->name, "check", test, sizeof test);
    kg__verdicts_path(run->comparison->home, test, path, sizeof path);
    checks = kg__verdicts_load(path, NULL);
    for (size_t i = 0; i < run->count; i++) {
        const subject *fast = &run->subjects[i];
        const subject *slow = first_beside(run, fast);
        char text[3 * KG__CASE_ID_SIZE];
        double hot;
        double cold;

        /* Clocks of different kinds are no pair to compare. */
        if (slow == NULL || fast->one->variant == first ||
            slow->one->variant->clock != fast->one->variant->clock)
            continue;
        hot = kg__speedup(fast->entry, slow->entry, "time_ns");
        cold = kg__speedup(fast->entry, slow->entry, "cold_time_ns");
        if (isnan(hot) || kg__is_disproved(checks, fast->one->id) ||
            kg__is_disproved(checks, slow->one->id))
            continue;
        kg__format(text, sizeof text, "%s runs at %.2f times the speed of %s", fast->one->id, hot,
                   slow->one->launch.grid == fast->one->launch.grid ? first->name : slow->one->id);
        if (!isnan(cold))
            kg__format(text + strlen(text), sizeof text - strlen(text), " hot, %.2f cold", cold);
        add_text(run, "notes", text);
        printf("%-11s  %-11s  %s\n", "speedup", run->target.key, text);
    }
    json_decref(checks);
}

/* Equal as figures too: 700 in a file is 700.0 to whoever measures. */
static bool is_same_fact(const json_t *then, const json_t *now_is)
{
    if (json_is_number(then) && json_is_number(now_is))
        return json_number_value(then) == json_number_value(now_is);
    return json_equal(then, now_is);
}

/* Says where this run's surroundings differ from those that the baseline was recorded in. */
static void note_other_provenance(part_run *run)
{
    static const char *const facts[] = { "driver", "cuda", "power_limit_w", "ecc" };
    const json_t *here = json_object_get(run->document, "provenance");

    if (run->otherwise[0] != '\0')
        add_note(run, run->otherwise);
    for (size_t i = 0; run->has_baseline && i < sizeof facts / sizeof facts[0]; i++) {
        json_t *then = json_object_get(run->baseline.provenance, facts[i]);
        json_t *now_is = json_object_get(here, facts[i]);
        char *before;
        char *after;
        char text[256];

        if (then == NULL || now_is == NULL || is_same_fact(then, now_is))
            continue;
        before = json_dumps(then, JSON_ENCODE_ANY);
        after = json_dumps(now_is, JSON_ENCODE_ANY);
        kg__format(text, sizeof text, "%s: the baseline was recorded with %s %s, this run has %s",
                   run->target.key, facts[i], before, after);
        add_note(run, text);
        free(before);
        free(after);
    }
}

static bool is_skipped(const part_run *run)
{
    return json_object_get(run->document, "skipped") != NULL;
}

static bool any_is_settled(const part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->subjects[i].entry != NULL || run->subjects[i].observers > 0)
            return true;
    }
    return false;
}

/* Cases that are left without any record, because nothing could be run any more. Where nothing
 * could be run at all, the one error that says why is enough to read. */
static void close_open_cases(part_run *run)
{
    bool say_so = any_is_settled(run);
    char why[KG__MESSAGE_SIZE];

    kg__format(why, sizeof why, "no observer could be run for this case%s%s",
               run->unobserved.text[0] != '\0' ? ": " : "", run->unobserved.text);
    for (size_t i = 0; i < run->count; i++) {
        subject *one = &run->subjects[i];
        bool refused = false;
        size_t j;
        json_t *refusal;

        json_array_foreach (json_object_get(run->document, "refused"), j, refusal)
            refused = refused || strcmp(kg__json_text(refusal, "case"), one->one->id) == 0;
        if (one->entry != NULL || refused)
            continue;
        one->entry = kg__gate_plain(one->one->id, &run->target, run->part, KG__ERROR, why);
        if (say_so)
            print_line(one->entry);
    }
}

static size_t count_failures(const part_run *run)
{
    /* Results that nobody will find are no success. */
    size_t failures = json_array_size(json_object_get(run->document, "errors")) + run->unwritten;

    for (size_t i = 0; i < run->count; i++) {
        kg__verdict verdict = KG__PASS;

        /* A suspect is not judged by this test, but by what settles it. */
        if (run->subjects[i].entry != NULL && !run->subjects[i].suspect)
            (void)kg__verdict_parse(kg__json_text(run->subjects[i].entry, "verdict"), &verdict);
        failures += verdict >= KG__SLOWER;
    }
    return failures;
}

/* True when every measured case lacks a baseline, and none will be held against a base. */
static bool nothing_has_a_baseline(const part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->subjects[i].suspect || (run->subjects[i].entry != NULL &&
                                         strcmp(kg__json_text(run->subjects[i].entry, "verdict"),
                                                kg__verdict_name(KG__NO_BASELINE)) != 0))
            return false;
    }
    return run->count > 0;
}

static void release(part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        for (size_t j = 0; j < run->subjects[i].observers; j++)
            json_decref(run->subjects[i].measured[j]);
        json_decref(run->subjects[i].entry);
        free(run->subjects[i].plain_why);
    }
    free(run->subjects);
    kg__case_list_free(&run->table);
    kg__baseline_free(&run->baseline);
    json_decref(run->document);
}

static void finish(part_run *run)
{
    if (is_skipped(run))
        return;
    close_open_cases(run);
    if (json_array_size(json_object_get(run->document, "refused")) == run->count) {
        skip(run, "unavailable", "the comparison refuses every case: see the reasons above");
        return;
    }
    if (is_checking(run))
        return;
    find_vanished(run);
    note_other_provenance(run);
    if (is_part(run, "time"))
        note_speedups(run);
    if (nothing_has_a_baseline(run) &&
        json_array_size(json_object_get(run->document, "errors")) == 0) {
        char folder[KG__PATH_SIZE];
        char why[2 * KG__PATH_SIZE];

        kg__baselines_folder(run->comparison->home, folder, sizeof folder);
        kg__format(why, sizeof why,
                   "%s/%s.json has none of these cases: record them with ci/rebaseline and commit "
                   "that file",
                   folder, run->target.key);
        skip(run, "no-baseline", why);
    }
}

void kg__run_part(const char *part)
{
    part_run run;
    size_t failures;
    char skipped[KG__MESSAGE_SIZE];

    /* CTest ends a test that is overdue by killing the runner alone; what it started must not live
     * on. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (begin(&run, kg__comparison, part)) {
        if (run.count == 0) {
            skip(&run, "filter",
                 run.table.count > 0 ? "KG_FILTER leaves this test no case"
                                     : "the comparison's table has no case for this part");
        } else {
            write_verdicts(&run, false);
            if (is_checking(&run))
                check(&run);
            else if (strcmp(part, "count") == 0)
                count(&run);
            else
                measure(&run);
            finish(&run);
        }
        write_verdicts(&run, true);
    }
    failures = count_failures(&run);
    kg__json_copy_text(run.document, "skipped", skipped, sizeof skipped);
    if (skipped[0] != '\0')
        printf("%-11s  %-11s  %s: %s\n", "skipped", run.target.key, run.test, skipped);
    fflush(stdout);
    release(&run);
    if (failures > 0)
        cr_assert_fail("%zu case%s or error%s above fail%s this test", failures,
                       failures == 1 ? "" : "s", failures == 1 ? "" : "s",
                       failures == 1 ? "s" : "");
    if (skipped[0] != '\0')
        cr_skip_test("%s", skipped);
}
