/* kernelgate baseline record: measures comparisons in fresh processes and stores what they show. */
#include "../recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../file.h"
#include "../observer.h"
#include "../records.h"
#include "../run.h"
#include "../text.h"
#include "command.h"
#include "probe.h"

/* A program's list of cases may be this long, in bytes. */
#define LISTING_SIZE ((size_t)1 << 20)
#define METRICS 2

static const char *const metric_names[METRICS] = { "time_ns", "cold_time_ns" };
static const char *const sentinel_names[KG__SENTINELS] = { "copy", "fma" };

static const char *sessions_text = "5";
static const char *baselines;
static const char *commit_text;
static bool merge;

/* One case, with a value a metric and session. */
typedef struct recorded {
    char *id;
    double *values[METRICS];
    size_t counts[METRICS];
} recorded;

/* A program's cases of one part. */
typedef struct listing {
    char *text;
    const char **ids;
    size_t count;
} listing;

/* Everything that is being recorded. */
typedef struct recording {
    size_t sessions;
    recorded *cases;
    size_t count;
    size_t room;
    recorded sentinels[KG__SENTINELS]; /* metric 0 alone */
    /* Of the process that is being observed: sums of the sentinels' values. */
    double sum[KG__SENTINELS];
    int sums;
    json_t *target;
    json_t *provenance;
    bool refused;
    char scratch[KG__PATH_SIZE];
} recording;

static void refuse(recording *all, const char *id, const char *why)
{
    kg__complain("%s: %s: nothing is recorded", id, why);
    all->refused = true;
}

static bool list_cases(const char *program, const char *part, listing *cases)
{
    const char *arguments[] = { program, "--cases", part, NULL };
    char *rest = NULL;
    int code;

    *cases = (listing){ .text = kg__allocate(LISTING_SIZE, 1) };
    code = kg__probe_output(arguments, 30, cases->text, LISTING_SIZE);
    if (code != 0) {
        kg__complain("%s: it does not list its cases (exit code %d): build it anew", program, code);
        return false;
    }
    cases->ids = kg__allocate(strlen(cases->text) + 1, sizeof *cases->ids);
    for (char *id = strtok_r(cases->text, "\n", &rest); id != NULL;
         id = strtok_r(NULL, "\n", &rest))
        cases->ids[cases->count++] = id;
    return true;
}

static void free_listing(listing *cases)
{
    free(cases->text);
    free(cases->ids);
}

static recorded *case_of(recording *all, const char *id)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->cases[i].id, id) == 0)
            return &all->cases[i];
    }
    if (all->count == all->room) {
        recorded *larger = kg__allocate(2 * all->room + 64, sizeof *larger);

        if (all->count > 0)
            memcpy(larger, all->cases, all->count * sizeof *larger);
        free(all->cases);
        all->cases = larger;
        all->room = 2 * all->room + 64;
    }
    all->cases[all->count] = (recorded){ .id = kg__copy_text(id) };
    for (size_t i = 0; i < METRICS; i++)
        all->cases[all->count].values[i] = kg__allocate(all->sessions, sizeof(double));
    return &all->cases[all->count++];
}

static void take_measured(recording *all, const json_t *record)
{
    recorded *one = case_of(all, kg__json_text(record, "case"));
    const json_t *metrics = json_object_get(record, "metrics");

    if (json_is_true(json_object_get(record, "throttled"))) {
        refuse(all, one->id,
               "the card was throttled while it was timed: let it cool, free its power");
        return;
    }
    for (size_t i = 0; i < METRICS; i++) {
        double value =
            json_number_value(json_object_get(json_object_get(metrics, metric_names[i]), "value"));

        if (value > 0 && one->counts[i] < all->sessions)
            one->values[i][one->counts[i]++] = value;
    }
}

static void take_record(void *context, const json_t *record)
{
    recording *all = context;
    const char *event = kg__json_text(record, "event");
    const char *id = kg__json_text(record, "case");

    if (strcmp(event, "target") == 0 && all->target == NULL) {
        all->target = json_incref(json_object_get(record, "target"));
        all->provenance = json_incref(json_object_get(record, "provenance"));
    } else if (strcmp(event, "failed") == 0 ||
               (strcmp(event, "checked") == 0 && !json_is_true(json_object_get(record, "right")))) {
        refuse(all, id, kg__json_text(record, "why"));
    } else if (strcmp(event, "sentinels") == 0) {
        for (size_t i = 0; i < KG__SENTINELS; i++)
            all->sum[i] += json_number_value(
                json_object_get(json_object_get(record, sentinel_names[i]), "value"));
        all->sums++;
        json_object_set_new(all->provenance, "launch_ns",
                            json_real(round(json_number_value(
                                json_object_get(json_object_get(record, "empty"), "value")))));
    } else if (strcmp(event, "measured") == 0) {
        take_measured(all, record);
    }
}

/* Observes all cases of a part of one program in fresh processes. False when nothing could be
 * observed, or is refused. */
static bool observe(recording *all, const char *program, const char *part)
{
    listing cases;
    kg__error why = { "" };
    kg__observation_status status = KG__OBSERVED;

    if (!list_cases(program, part, &cases)) {
        free_listing(&cases);
        return false;
    }
    kg__observation_job job = {
        .program = program,
        .part = part,
        .cases = cases.ids,
        .case_count = cases.count,
        .records = all->scratch,
        .silence_limit = kg__silence_limit(),
        .on_record = take_record,
        .context = all,
    };

    if (cases.count > 0)
        status = kg__observe_cases(&job, &why);
    free_listing(&cases);
    if (status != KG__OBSERVED)
        kg__complain("%s: %s", program, why.text);
    return status == KG__OBSERVED && !all->refused;
}

/* One session: a fresh process a program. The sentinels of all of them count as one value. */
static bool observe_session(recording *all, size_t count, char **programs)
{
    memset(all->sum, 0, sizeof all->sum);
    all->sums = 0;
    for (size_t i = 0; i < count; i++) {
        if (!observe(all, programs[i], "time"))
            return false;
    }
    for (size_t i = 0; i < KG__SENTINELS && all->sums > 0; i++) {
        recorded *one = &all->sentinels[i];

        one->values[0][one->counts[0]++] = all->sum[i] / all->sums;
    }
    return true;
}

/* The commit that is checked out, shortened, with "-dirty" where tracked files differ. */
static void name_commit(char *text, size_t size)
{
    static const char *const arguments[] = { "git",         "describe",    "--always", "--dirty",
                                             "--abbrev=10", "--exclude=*", NULL };

    if (commit_text != NULL)
        kg__format(text, size, "%s", commit_text);
    else if (kg__probe(arguments, 30, text, size) != 0)
        kg__format(text, size, "unknown");
    text[strcspn(text, "\n")] = '\0';
}

static bool sessions_are_whole(const recording *all)
{
    kg__error error;
    bool whole = true;

    for (size_t i = 0; i < all->count; i++) {
        for (size_t m = 0; m < METRICS; m++) {
            const recorded *one = &all->cases[i];

            if (one->counts[m] == 0 && m > 0)
                continue;
            if (one->counts[m] != all->sessions) {
                kg__complain("%s: %s: %zu values of %zu sessions: nothing is recorded", one->id,
                             metric_names[m], one->counts[m], all->sessions);
                whole = false;
            } else if (!kg__sessions_agree(one->id, metric_names[m], one->values[m], one->counts[m],
                                           &error)) {
                kg__complain("%s", error.text);
                whole = false;
            }
        }
    }
    return whole;
}

static void describe_target(const recording *all, kg__target *target)
{
    *target = (kg__target){ 0 };
    kg__format(target->key, sizeof target->key, "%s", kg__json_text(all->target, "key"));
    kg__format(target->name, sizeof target->name, "%s", kg__json_text(all->target, "name"));
    kg__format(target->compute_capability, sizeof target->compute_capability, "%s",
               kg__json_text(all->target, "compute_capability"));
    target->memory_mib = json_integer_value(json_object_get(all->target, "memory_mib"));
    target->multiprocessors =
        (int)json_integer_value(json_object_get(all->target, "multiprocessors"));
}

static void print_row(const char *id, const char *metric, double old_value,
                      const kg__baseline_metric *now)
{
    char old_text[KG__FIGURE_SIZE] = "-";
    char change[KG__FIGURE_SIZE] = "new";
    char text[KG__FIGURE_SIZE];
    char band[KG__FIGURE_SIZE];

    if (!isnan(old_value)) {
        kg__show_figure(old_text, sizeof old_text, old_value, "ns");
        kg__show_percent(change, sizeof change, now->value / old_value - 1, true);
    }
    kg__show_figure(text, sizeof text, now->value, "ns");
    kg__show_percent(band, sizeof band, now->band, false);
    printf("%-34s %-13s %14s %14s %9s  band %s%s%s\n", id, metric, old_text, text, change, band,
           now->band_by_hand ? ", by hand" : "", now->gated ? "" : ", too noisy to gate");
}

/* Stores one case; returns whether its line changes. */
static bool store(kg__baseline_case *entry, const recorded *one, const char *commit)
{
    bool changed = false;

    for (size_t m = 0; m < METRICS; m++) {
        double old_value;

        if (one->counts[m] == 0 && kg__baseline_remove_metric(entry, metric_names[m])) {
            printf("%-34s %-13s retired: it can no longer be measured\n", one->id, metric_names[m]);
            changed = true;
        }
        if (one->counts[m] == 0 ||
            kg__record_time(entry, metric_names[m], one->values[m], one->counts[m], merge,
                            &old_value) == KG__UNCHANGED)
            continue;
        changed = true;
        print_row(one->id, metric_names[m], old_value,
                  kg__baseline_metric_of(entry, metric_names[m]));
    }
    if (changed && commit != NULL) {
        free(entry->commit);
        entry->commit = kg__copy_text(commit);
    }
    return changed;
}

/* Takes out cases of the recorded comparisons that no table has any more. A filter hides cases that
 * are there, so then all stay. */
static size_t retire(const recording *all, kg__baseline *baseline)
{
    const char *filter = getenv("KG_FILTER");
    size_t retired = 0;

    if (filter != NULL && filter[0] != '\0')
        return 0;
    for (size_t i = baseline->case_count; i-- > 0;) {
        const char *id = baseline->cases[i].id;
        bool recorded_comparison = false;
        bool recorded_case = false;

        for (size_t j = 0; j < all->count; j++) {
            size_t length = strcspn(all->cases[j].id, "/") + 1;

            recorded_comparison = recorded_comparison || strncmp(all->cases[j].id, id, length) == 0;
            recorded_case = recorded_case || strcmp(all->cases[j].id, id) == 0;
        }
        if (!recorded_comparison || recorded_case)
            continue;
        printf("%-34s retired: no longer in the table\n", id);
        (void)kg__baseline_remove(baseline, id);
        retired++;
    }
    return retired;
}

/* Reads the baseline that is to be recorded into; false, with a complaint, where it cannot be
 * understood. */
static bool load_baseline(const recording *all, kg__target *target, char *path, size_t size,
                          kg__baseline *baseline)
{
    kg__error error = { "" };

    describe_target(all, target);
    if (kg__baseline_load_for(baselines, target, path, size, baseline, &error) != KG__BAD)
        return true;
    kg__complain("%s: mend or move that file first; nothing is recorded", error.text);
    return false;
}

static int save(recording *all)
{
    char path[2 * KG__PATH_SIZE];
    char commit[64];
    kg__target target;
    kg__baseline baseline;
    kg__error error = { "" };
    size_t changed = 0;
    bool saved = true;

    if (!load_baseline(all, &target, path, sizeof path, &baseline)) {
        kg__baseline_free(&baseline);
        return KG__EXIT_ERROR;
    }
    name_commit(commit, sizeof commit);
    printf("%-34s %-13s %14s %14s %9s\n", "case", "metric", "old", "new", "change");
    for (size_t i = 0; i < all->count; i++)
        changed += store(kg__baseline_add(&baseline, all->cases[i].id), &all->cases[i], commit);
    for (size_t i = 0; i < KG__SENTINELS; i++)
        changed += store(kg__baseline_add_sentinel(&baseline, sentinel_names[i]),
                         &all->sentinels[i], NULL);
    changed += retire(all, &baseline);
    if (changed > 0) {
        baseline.target = target;
        json_decref(baseline.provenance);
        baseline.provenance = json_incref(all->provenance);
        saved = kg__baseline_save(path, &baseline, &error);
    }
    if (!saved)
        kg__complain("%s", error.text);
    else
        printf("%s: %zu of %zu cases and sentinels changed, %zu sessions\n", path, changed,
               all->count + KG__SENTINELS, all->sessions);
    kg__baseline_free(&baseline);
    return saved ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

/* Whether that can be done at all, before time is spent on measuring. */
static bool baseline_is_sound(const recording *all)
{
    char path[2 * KG__PATH_SIZE];
    kg__target target;
    kg__baseline baseline;
    bool sound = load_baseline(all, &target, path, sizeof path, &baseline);

    kg__baseline_free(&baseline);
    return sound;
}

static bool measure(recording *all, size_t count, char **programs)
{
    bool good = true;

    for (size_t i = 0; i < count && good; i++) {
        printf("checking %s\n", programs[i]);
        fflush(stdout);
        good = observe(all, programs[i], "check");
    }
    good = good && (all->target == NULL || baseline_is_sound(all));
    for (size_t session = 0; session < all->sessions && good; session++) {
        printf("session %zu of %zu\n", session + 1, all->sessions);
        fflush(stdout);
        good = observe_session(all, count, programs);
    }
    if (good && all->count == 0) {
        kg__complain(
            "no case to record: is KG_FILTER too narrow? See --cases time of the programs");
        good = false;
    }
    return good && sessions_are_whole(all);
}

static void release(recording *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->cases[i].id);
        for (size_t m = 0; m < METRICS; m++)
            free(all->cases[i].values[m]);
    }
    for (size_t i = 0; i < KG__SENTINELS; i++)
        free(all->sentinels[i].values[0]);
    free(all->cases);
    json_decref(all->target);
    json_decref(all->provenance);
}

static int record(size_t count, char **programs)
{
    char folder[] = "/tmp/kernelgate-record.XXXXXX";
    recording all = { 0 };
    kg__error error;
    char *end;
    unsigned long sessions = strtoul(sessions_text, &end, 10);
    int code = KG__EXIT_ERROR;

    if (*end != '\0' || sessions < KG__SESSIONS_MINIMUM || sessions > 1000) {
        kg__complain(
            "--sessions %s: not a number from %d to 1000: fewer say too little of the noise",
            sessions_text, KG__SESSIONS_MINIMUM);
        return KG__EXIT_ERROR;
    }
    if (count == 0 || baselines == NULL) {
        kg__complain("baseline record: needs --baselines DIR and a comparison's program");
        return KG__EXIT_ERROR;
    }
    if (!kg__file_make_folder(baselines, &error)) {
        kg__complain("%s", error.text);
        return KG__EXIT_ERROR;
    }
    if (access(baselines, W_OK) != 0) {
        kg__complain("%s: the folder cannot be written: nothing is measured", baselines);
        return KG__EXIT_ERROR;
    }
    if (mkdtemp(folder) == NULL) {
        kg__complain("%s: no folder for the records can be made", folder);
        return KG__EXIT_ERROR;
    }
    all.sessions = sessions;
    for (size_t i = 0; i < KG__SENTINELS; i++)
        all.sentinels[i] = (recorded){ .id = (char *)sentinel_names[i],
                                       .values = { kg__allocate(sessions, sizeof(double)) } };
    kg__format(all.scratch, sizeof all.scratch, "%s/record", folder);
    if (measure(&all, count, programs))
        code = save(&all);
    release(&all);
    kg__file_remove_folder(folder);
    return code;
}

static const kg__option record_options[] = {
    { "--sessions", "N", "fresh processes to measure each comparison in (default: 5, the fewest)",
      &sessions_text, NULL },
    { "--baselines", "DIR", "the folder of the baseline files", &baselines, NULL },
    { "--commit", "NAME", "the commit that the programs were built from (default: git's word)",
      &commit_text, NULL },
    { "--merge", NULL,
      "add the sessions to those that the baseline has: for further boards of a model", NULL,
      &merge },
    { 0 },
};

const kg__command kg__baseline_record_command = {
    .name = "baseline record",
    .operands = "PROGRAM...",
    .summary = "Measure comparisons on this machine's GPU and store what moved beyond its band",
    .details =
        "Refuses on a failed check, a throttled card and sessions that disagree. Bands that were\n"
        "edited by hand (\"band_by\": \"hand\") stay. KG_FILTER narrows what is recorded.\n"
        "exit: 0 recorded (or nothing moved); 2 refused, and no file is touched\n",
    .options = record_options,
    .takes_operands = true,
    .run = record,
};
