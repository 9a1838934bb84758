/* kernelgate settle: suspects of a run, held against a base build by pairs of fresh processes. */
#include "../settling.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../clock.h"
#include "../holding.h"
#include "../observer.h"
#include "../records.h"
#include "../results.h"
#include "../run.h"
#include "command.h"
#include "probe.h"

#define TEST_PREFIX "gpu."
#define TEST_SUFFIX ".time"
#define VERDICTS_SUFFIX ".verdicts.json"

/* How long each case is sampled: twelve short processes know more than three long ones. */
#define CASE_SECONDS "0.1"
/* What a process and each of its cases take of a GPU's time, roughly: for the first estimate. */
#define PROCESS_ESTIMATE 1.2
#define ESTIMATE_A_CASE 0.3
/* Longer silence of an observer than the time that is left hangs, but none below this. */
#define LEAST_SILENCE 10.0
#define PROGRESS_EVERY 2.0
#define LISTING_SECONDS 30
/* How long settling may take where nobody says, and at most. */
#define SUSPECTS_SECONDS 300.0
#define PAIRED_SECONDS 3600.0
#define SECONDS_MAXIMUM 1e6

enum { BASE, HEAD, SIDES };

static const char *out;
static const char *folders[SIDES];
static const char *ref;
static const char *seconds_text;
static bool paired;

/* What one side's process showed of one suspect. */
typedef struct sight {
    json_t *measured;
    kg__verdict verdict; /* where it showed that the results are wrong, or failed */
    char why[KG__MESSAGE_SIZE];
} sight;

/* A comparison that has suspects. */
typedef struct group {
    char name[64];
    char path[KG__PATH_SIZE]; /* of its verdicts */
    json_t *document;
    kg__target target;
    kg__baseline baseline;
    kg__rivals rivals;
    kg__suspect *suspects;
    size_t count;
    char programs[SIDES][KG__PATH_SIZE];
    kg__listing base_cases;
    sight *sights[SIDES]; /* one a suspect */
    bool *reported;       /* likewise: its verdict was printed and written */
    kg__sentinel_log sentinels[SIDES];
    bool broken; /* this build's observer does not run: said already */
} group;

typedef struct settlement {
    group *groups;
    size_t count;
    size_t suspects;
    kg__hypothesis **family;
    size_t family_size;
    size_t look; /* the next one */
    double began;
    double limit;         /* seconds, in all */
    double round_seconds; /* of the last round that ran bases too */
    double told;
    bool failed; /* something could not be settled: said already */
} settlement;

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? value : "";
}

static double elapsed(const settlement *all)
{
    return kg__now() - all->began;
}

/* Reading the suspects */

static void load_baseline(group *one)
{
    char path[2 * KG__PATH_SIZE];
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };
    kg__load_status status;

    one->target = kg__target_of(json_object_get(one->document, "target"));
    kg__baselines_folder(".", folder, sizeof folder);
    status = kg__baseline_load_for(folder, &one->target, path, sizeof path, &one->baseline, &error);
    if (status == KG__BAD)
        kg__complain("%s", error.text);
    if (status == KG__LOADED || one->baseline.case_count > 0)
        one->rivals.baseline = &one->baseline;
}

static size_t count_suspects(const json_t *document)
{
    size_t count = 0;
    size_t i;
    json_t *entry;

    json_array_foreach (json_object_get(document, "cases"), i, entry)
        count += json_is_true(json_object_get(entry, "suspect"));
    return count;
}

/* Takes up the suspects of a verdicts document; what cannot be is said. */
static void take_suspects(settlement *all, group *one)
{
    size_t i;
    json_t *entry;

    one->suspects = kg__allocate(count_suspects(one->document), sizeof *one->suspects);
    one->reported = kg__allocate(count_suspects(one->document), sizeof *one->reported);
    for (size_t side = 0; side < SIDES; side++)
        one->sights[side] = kg__allocate(count_suspects(one->document), sizeof *one->sights[side]);
    json_array_foreach (json_object_get(one->document, "cases"), i, entry) {
        kg__error error = { "" };

        if (!json_is_true(json_object_get(entry, "suspect")))
            continue;
        if (kg__suspect_begin(&one->suspects[one->count], entry, &one->rivals, &error)) {
            one->count++;
        } else {
            kg__complain("%s: %s", one->path, error.text);
            all->failed = true;
        }
    }
    all->suspects += one->count;
}

/* Cases that the base has not are left to the baseline. */
static void look_for_bases(group *one)
{
    const char *arguments[] = { one->programs[BASE], "--cases", "time", NULL };
    bool missing = access(one->programs[BASE], F_OK) != 0;
    int code = missing ? 0 : kg__probe_lines(arguments, LISTING_SECONDS, &one->base_cases);
    char why[256];

    for (size_t i = 0; i < one->count; i++) {
        bool known = false;

        for (size_t j = 0; j < one->base_cases.count; j++)
            known = known || strcmp(one->base_cases.lines[j], one->suspects[i].id) == 0;
        if (known)
            continue;
        if (code != 0)
            kg__format(why, sizeof why, "%s's program does not list its cases (exit code %d)",
                       one->rivals.ref, code);
        else
            kg__format(why, sizeof why, "new: %s has no such %s", one->rivals.ref,
                       missing ? "comparison" : "case");
        kg__suspect_leave(&one->suspects[i], why);
    }
}

static void open_group(settlement *all, const char *path)
{
    group *one = &all->groups[all->count];
    kg__error error = { "" };
    json_t *document = kg__verdicts_load(path, &error);
    const char *test = kg__json_text(document, "test");
    size_t length = strlen(test);

    if (document == NULL) {
        kg__complain("%s", error.text);
        all->failed = true;
        return;
    }
    if (count_suspects(document) == 0 || length <= strlen(TEST_PREFIX TEST_SUFFIX)) {
        json_decref(document);
        return;
    }
    all->count++;
    *one = (group){ .document = document };
    kg__format(one->name, sizeof one->name, "%.*s", (int)(length - strlen(TEST_PREFIX TEST_SUFFIX)),
               test + strlen(TEST_PREFIX));
    kg__format(one->path, sizeof one->path, "%s", path);
    one->rivals = (kg__rivals){
        .ref = ref, .commit = setting("KG_BASE_COMMIT"), .target = &one->target, .paired = paired
    };
    load_baseline(one);
    for (size_t side = 0; side < SIDES; side++)
        kg__format(one->programs[side], sizeof one->programs[side], "%s/%s.gpu", folders[side],
                   one->name);
    take_suspects(all, one);
    look_for_bases(one);
}

static bool open_groups(settlement *all)
{
    char pattern[KG__PATH_SIZE];
    glob_t found;

    kg__format(pattern, sizeof pattern, "%s/records/" TEST_PREFIX "*" TEST_SUFFIX VERDICTS_SUFFIX,
               kg__results_folder(out));
    if (glob(pattern, 0, NULL, &found) != 0) {
        kg__complain("%s: there are no such files: run the part `time` first, with KG_BASE set",
                     pattern);
        return false;
    }
    all->groups = kg__allocate(found.gl_pathc, sizeof *all->groups);
    for (size_t i = 0; i < found.gl_pathc; i++)
        open_group(all, found.gl_pathv[i]);
    globfree(&found);
    return true;
}

static void form_family(settlement *all)
{
    size_t room = all->suspects * KG__SUSPECT_METRICS;

    all->family = kg__allocate(room, sizeof(kg__hypothesis *));
    for (size_t g = 0; g < all->count; g++) {
        for (size_t i = 0; i < all->groups[g].count; i++) {
            kg__suspect *one = &all->groups[g].suspects[i];

            for (size_t c = 0; c < one->contest_count && !one->by_baseline; c++)
                all->family[all->family_size++] = &one->contests[c].hypothesis;
        }
    }
}

/* Observing */

/* Whether a further pair, or a further observation of this build alone, is wanted of a suspect. */
static bool wants_pair(const settlement *all, const kg__suspect *one)
{
    return !one->settled && !one->by_baseline && all->look < KG__LOOKS &&
           one->pairs < kg__look_pairs(all->look);
}

static bool wants_head(const kg__suspect *one)
{
    return !one->settled && one->by_baseline && !kg__suspect_has_heads(one);
}

static bool is_wanted(const settlement *all, const group *of, const kg__suspect *one)
{
    return !of->broken && (wants_pair(all, one) || wants_head(one));
}

typedef struct watching {
    group *of;
    size_t side;
} watching;

static void take_record(void *context, const json_t *record)
{
    watching *at = context;
    const char *event = kg__json_text(record, "event");
    const char *id = kg__json_text(record, "case");
    sight *seen = NULL;

    if (strcmp(event, "sentinels") == 0)
        kg__sentinels_add(&at->of->sentinels[at->side], record);
    for (size_t i = 0; i < at->of->count; i++) {
        if (strcmp(at->of->suspects[i].id, id) == 0)
            seen = &at->of->sights[at->side][i];
    }
    if (seen == NULL)
        return;
    if (strcmp(event, "measured") == 0 && seen->measured == NULL) {
        seen->measured = json_incref((json_t *)record);
    } else if (strcmp(event, "failed") == 0 || strcmp(event, "refused") == 0 ||
               strcmp(event, "checked") == 0) {
        seen->verdict = strcmp(event, "checked") == 0 ? KG__WRONG : KG__ERROR;
        kg__json_copy_text(record, "why", seen->why, sizeof seen->why);
    }
}

/* The ids of what is to be timed: the wanted suspects and all that is timed beside them, as for the
 * baseline. False with a complaint. */
static bool list_beside(const settlement *all, const group *of, kg__listing *ids)
{
    char path[KG__PATH_SIZE + 32];
    const char *arguments[] = { of->programs[HEAD], "--beside", path, NULL };
    FILE *file;
    bool written;
    int code;

    *ids = (kg__listing){ 0 };
    kg__format(path, sizeof path, "%.*s.suspects.cases",
               (int)(strlen(of->path) - strlen(VERDICTS_SUFFIX)), of->path);
    file = fopen(path, "w");
    if (file == NULL) {
        kg__complain("%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    for (size_t i = 0; i < of->count; i++) {
        if (is_wanted(all, of, &of->suspects[i]))
            fprintf(file, "%s\n", of->suspects[i].id);
    }
    written = !ferror(file);
    if (fclose(file) != 0 || !written) {
        kg__complain("%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    code = kg__probe_lines(arguments, LISTING_SECONDS, ids);
    if (code == 0 && ids->count > 0)
        return true;
    kg__complain("%s --beside %s: lists no cases (exit code %d): build it anew", of->programs[HEAD],
                 path, code);
    return false;
}

static bool is_known(const kg__listing *known, const char *id)
{
    for (size_t i = 0; i < known->count; i++) {
        if (strcmp(known->lines[i], id) == 0)
            return true;
    }
    return false;
}

static bool is_wanted_id(const group *of, const bool *wanted, const char *id)
{
    for (size_t i = 0; i < of->count; i++) {
        if (wanted[i] && strcmp(of->suspects[i].id, id) == 0)
            return true;
    }
    return false;
}

/* Leaves away what is timed beside the suspects in this build alone, such as a new variant: a case
 * takes another time beside it, and its base has not got it. */
static void keep_common(const group *of, const bool *wanted, kg__listing *beside)
{
    size_t kept = 0;

    for (size_t i = 0; i < beside->count; i++) {
        if (is_known(&of->base_cases, beside->lines[i]) ||
            is_wanted_id(of, wanted, beside->lines[i]))
            beside->lines[kept++] = beside->lines[i];
    }
    beside->count = kept;
}

/* Copies the ids that the base has to `ids`; returns how many those are. */
static size_t keep_known(const kg__listing *known, const kg__listing *beside, const char **ids)
{
    size_t kept = 0;

    for (size_t i = 0; i < beside->count; i++) {
        if (is_known(known, beside->lines[i]))
            ids[kept++] = beside->lines[i];
    }
    return kept;
}

/* Runs one side's process. */
static kg__observation_status observe(const settlement *all, group *of, size_t side,
                                      const kg__listing *beside, kg__error *why)
{
    const char **ids = kg__allocate(beside->count, sizeof *ids);
    double left = all->limit - elapsed(all);
    double silence = kg__silence_limit();
    watching at = { of, side };
    char stem[KG__PATH_SIZE + 32];
    kg__observation_status status;
    kg__observation_job job = { .program = of->programs[side],
                                .part = "time",
                                .cases = ids,
                                .case_count = beside->count,
                                .records = stem,
                                .on_record = take_record,
                                .context = &at };

    if (side == BASE)
        job.case_count = keep_known(&of->base_cases, beside, ids);
    else
        memcpy(ids, beside->lines, beside->count * sizeof *ids);
    job.silence_limit = fmin(silence, fmax(left, LEAST_SILENCE));
    kg__format(stem, sizeof stem, "%.*s.%s", (int)(strlen(of->path) - strlen(VERDICTS_SUFFIX)),
               of->path, side == BASE ? "base" : "head");
    of->sentinels[side] = (kg__sentinel_log){ 0 };
    status = kg__observe_cases(&job, why);
    free(ids);
    return status;
}

static void forget_sights(group *of)
{
    for (size_t side = 0; side < SIDES; side++) {
        for (size_t i = 0; i < of->count; i++) {
            json_decref(of->sights[side][i].measured);
            of->sights[side][i] = (sight){ 0 };
        }
    }
}

static kg__observation observation_of(const group *of, size_t side, size_t i)
{
    const json_t *measured = of->sights[side][i].measured;

    return (kg__observation){ measured, kg__surroundings_of(&of->sentinels[side],
                                                            of->rivals.baseline, measured) };
}

/* Takes what a round showed of a suspect that it wanted. */
static void take_sights(group *of, size_t i)
{
    kg__suspect *one = &of->suspects[i];
    const sight *base = &of->sights[BASE][i];
    const sight *head = &of->sights[HEAD][i];
    char why[KG__MESSAGE_SIZE + 128];

    if (head->verdict != KG__PASS || head->measured == NULL) {
        kg__suspect_settle_as(one, head->verdict == KG__WRONG ? KG__WRONG : KG__ERROR,
                              head->why[0] != '\0' ? head->why : "it left no record");
        return;
    }
    if (!one->by_baseline && (base->verdict != KG__PASS || base->measured == NULL)) {
        kg__format(why, sizeof why, "%s is no measure: %s", of->rivals.ref,
                   base->why[0] != '\0' ? base->why : "it left no record");
        kg__suspect_leave(one, why);
    }
    kg__observation of_head = observation_of(of, HEAD, i);

    if (one->by_baseline) {
        kg__suspect_add_head(one, &of_head);
    } else {
        kg__observation of_base = observation_of(of, BASE, i);

        kg__suspect_add_pair(one, &of_base, &of_head);
    }
}

static void leave_all(group *of, const char *why)
{
    for (size_t i = 0; i < of->count; i++) {
        if (!of->suspects[i].settled && !of->suspects[i].by_baseline)
            kg__suspect_leave(&of->suspects[i], why);
    }
}

/* Runs a side of a round; false where this build's own observer does not run. */
static bool run_side(settlement *all, group *of, size_t side, const kg__listing *beside)
{
    kg__error why = { "" };
    char text[KG__MESSAGE_SIZE + 128];

    if (observe(all, of, side, beside, &why) == KG__OBSERVED)
        return true;
    if (side == BASE) {
        kg__format(text, sizeof text, "%s is no measure: %s", of->rivals.ref, why.text);
        leave_all(of, text);
        return true;
    }
    kg__complain("%s: %s: its suspects stay as they are", of->programs[HEAD], why.text);
    of->broken = all->failed = true;
    return false;
}

/* One round of a comparison: its base and its head, in the round's order, or the head alone where
 * no pair is wanted. Returns whether a base ran. */
static bool run_group(settlement *all, group *of, size_t round)
{
    bool *wanted = kg__allocate(of->count, sizeof *wanted);
    const char *board = kg__json_text(of->document, "board");
    kg__listing beside = { 0 };
    bool any = false;
    bool pairs = false;

    for (size_t i = 0; i < of->count; i++) {
        wanted[i] = is_wanted(all, of, &of->suspects[i]);
        any = any || wanted[i];
        pairs = pairs || (wanted[i] && !of->suspects[i].by_baseline);
    }
    if (board[0] != '\0')
        (void)setenv("CUDA_VISIBLE_DEVICES", board, 1);
    if (any && !list_beside(all, of, &beside)) {
        of->broken = all->failed = true;
        any = false;
    }
    if (pairs)
        keep_common(of, wanted, &beside);
    for (size_t turn = 0; turn < SIDES && any; turn++) {
        /* Base, head; head, base: what drifts steadily favours neither. */
        size_t side = round % 2 == 0 ? turn : SIDES - 1 - turn;

        if (side == HEAD || pairs)
            any = run_side(all, of, side, &beside);
    }
    for (size_t i = 0; i < of->count && any; i++) {
        if (wanted[i])
            take_sights(of, i);
    }
    forget_sights(of);
    kg__listing_free(&beside);
    free(wanted);
    return any && pairs;
}

static bool run_round(settlement *all, size_t round)
{
    double began = kg__now();
    bool pairs = false;

    for (size_t g = 0; g < all->count; g++)
        pairs = run_group(all, &all->groups[g], round) || pairs;
    if (pairs)
        all->round_seconds = kg__now() - began;
    return pairs;
}

/* Settling */

static void add_note(group *of, const kg__suspect *one, const char *text)
{
    char note[KG__MESSAGE_SIZE + KG__MESSAGE_SIZE / 2];
    json_t *notes = json_object_get(of->document, "notes");

    if (notes == NULL) {
        notes = json_array();
        json_object_set_new(of->document, "notes", notes);
    }
    kg__format(note, sizeof note, "%s: %s", one->id, text);
    json_array_append_new(notes, json_string(note));
}

/* Whether a suspect that passes by its pairs had tripped: who reads the results should know. */
static bool is_cleared(const kg__suspect *one)
{
    const char *name;
    json_t *metric;

    if (strcmp(kg__json_text(one->entry, "verdict"), kg__verdict_name(KG__PASS)) != 0)
        return false;
    json_object_foreach (json_object_get(one->entry, "metrics"), name, metric) {
        if (json_is_true(json_object_get(metric, "tripped")))
            return true;
    }
    return false;
}

static void report_settled(group *of, const kg__suspect *one)
{
    char line[2 * KG__MESSAGE_SIZE];

    kg__gate_line(one->entry, line, sizeof line);
    puts(line);
    if (one->note[0] != '\0')
        add_note(of, one, one->note);
    if (one->note[0] != '\0')
        printf("%-11s  %-11s  %-32s  %s\n", "note", of->target.key, one->id, one->note);
    if (is_cleared(one))
        add_note(of, one, kg__json_text(one->entry, "why"));
    fflush(stdout);
}

/* Settles a suspect as far as it can be; returns whether it is now. */
static bool settle_one(kg__suspect *one, size_t wanted_pairs)
{
    if (one->by_baseline && kg__suspect_has_heads(one))
        kg__suspect_settle_by_baseline(one);
    else if (!one->by_baseline && kg__suspect_is_disturbed(one, wanted_pairs))
        kg__suspect_settle_disturbed(one);
    else if (!one->by_baseline)
        (void)kg__suspect_settle_by_pairs(one);
    return one->settled;
}

/* Settles what can be, prints it, and writes the verdicts that changed: whenever this command ends,
 * its verdicts are whole, and who is not settled is a suspect still. */
static void settle_group(settlement *all, group *of)
{
    size_t look = all->look < KG__LOOKS ? all->look : KG__LOOKS - 1;
    bool changed = false;
    kg__error error = { "" };

    for (size_t i = 0; i < of->count; i++) {
        kg__suspect *one = &of->suspects[i];

        if (of->reported[i] || (!one->settled && !settle_one(one, kg__look_pairs(look))))
            continue;
        report_settled(of, one);
        of->reported[i] = changed = true;
    }
    if (changed && !kg__results_write_json(of->path, of->document, 1, &error)) {
        kg__complain("%s", error.text);
        all->failed = true;
    }
}

static void settle_groups(settlement *all)
{
    for (size_t g = 0; g < all->count; g++)
        settle_group(all, &all->groups[g]);
}

/* What of the suspects still wants something. */
typedef struct open_work {
    size_t suspects;
    size_t pairs; /* that the one with the fewest needs for the next look */
    bool heads;   /* one wants an observation of this build alone */
} open_work;

static open_work work_left(const settlement *all)
{
    open_work left = { 0 };

    for (size_t g = 0; g < all->count; g++) {
        const group *of = &all->groups[g];

        for (size_t i = 0; i < of->count; i++) {
            const kg__suspect *one = &of->suspects[i];

            left.suspects += !one->settled && !of->broken;
            if (is_wanted(all, of, one) && !one->by_baseline) {
                size_t missing = kg__look_pairs(all->look) - one->pairs;

                left.pairs = missing > left.pairs ? missing : left.pairs;
            }
            left.heads = left.heads || (is_wanted(all, of, one) && one->by_baseline);
        }
    }
    return left;
}

/* The first look that can find a suspect of this family slower, if no other follows. */
static size_t first_useful_look(const settlement *all)
{
    size_t look = 0;

    while (look + 1 < KG__LOOKS && !kg__look_can_find(look, all->family_size, true))
        look++;
    return look;
}

/* Looks at the family once every suspect has its pairs. */
static void look_if_due(settlement *all)
{
    settle_groups(all);
    while (all->look < KG__LOOKS && work_left(all).pairs == 0 && work_left(all).suspects > 0) {
        kg__take_look(all->family, all->family_size, all->look, all->look + 1 == KG__LOOKS);
        all->look++;
        settle_groups(all);
    }
}

static void leave_for_lack_of_time(settlement *all)
{
    char why[256];

    kg__format(why, sizeof why,
               "%zu pairs cannot be had within %.0f s (a pair takes %.1f s; --seconds allows more)",
               kg__look_pairs(first_useful_look(all)), all->limit, all->round_seconds);
    printf("settle: %s: judged by the stored baseline\n", why);
    for (size_t g = 0; g < all->count; g++)
        leave_all(&all->groups[g], why);
}

/* Without time for a further pair: looks that were made are repeated as the last ones, and where
 * none could have found anything the baseline judges. */
static void end_pairs(settlement *all)
{
    if (all->look > first_useful_look(all)) {
        kg__take_look(all->family, all->family_size, all->look - 1, true);
        settle_groups(all);
    }
    if (work_left(all).pairs > 0) {
        leave_for_lack_of_time(all);
        settle_groups(all);
    }
}

/* Whether the pairs that the next useful look needs can be had in the time that is left. */
static bool has_time_for_pairs(const settlement *all, const open_work *work)
{
    size_t useful = first_useful_look(all);
    size_t pairs = work->pairs;

    if (all->look < useful)
        pairs += kg__look_pairs(useful) - kg__look_pairs(all->look);
    return elapsed(all) + (double)pairs * all->round_seconds <= all->limit;
}

static void settle_without_time(settlement *all)
{
    for (size_t g = 0; g < all->count; g++) {
        for (size_t i = 0; i < all->groups[g].count; i++) {
            kg__suspect *one = &all->groups[g].suspects[i];

            if (one->settled || all->groups[g].broken)
                continue;
            kg__format(one->note + strlen(one->note), sizeof one->note - strlen(one->note),
                       "; no time for two more observations: its first one stands");
            kg__suspect_settle_by_baseline(one);
        }
    }
    settle_groups(all);
}

static void tell_progress(settlement *all, size_t round)
{
    open_work work = work_left(all);

    if (work.suspects == 0 || kg__now() - all->told < PROGRESS_EVERY)
        return;
    all->told = kg__now();
    printf("settle: %zu pair%s in %.0f s, %zu of %zu suspects open%s", round + 1,
           round == 0 ? "" : "s", elapsed(all), work.suspects, all->suspects,
           work.pairs > 0 ? "" : "\n");
    if (work.pairs > 0)
        printf(", the next look in about %.0f s\n", (double)work.pairs * all->round_seconds);
    fflush(stdout);
}

static void settle_all(settlement *all)
{
    look_if_due(all);
    for (size_t round = 0;; round++) {
        open_work work = work_left(all);

        if (work.pairs > 0 && round > 0 && !has_time_for_pairs(all, &work)) {
            end_pairs(all);
            work = work_left(all);
        }
        if (work.pairs == 0 && !work.heads)
            break;
        if (work.pairs == 0 && round > 0 && elapsed(all) + all->round_seconds / 2 > all->limit) {
            settle_without_time(all);
            break;
        }
        (void)run_round(all, round);
        look_if_due(all);
        tell_progress(all, round);
    }
}

/* Setting out */

/* The time that a number of pairs takes, roughly: known only once one was run. */
static double estimate(settlement *all)
{
    double seconds = 0;

    for (size_t g = 0; g < all->count; g++) {
        kg__listing beside = { 0 };

        if (all->groups[g].count > 0 && list_beside(all, &all->groups[g], &beside))
            seconds += SIDES * (PROCESS_ESTIMATE + ESTIMATE_A_CASE * (double)beside.count);
        kg__listing_free(&beside);
    }
    return seconds;
}

/* States what settling will take. */
static void announce(settlement *all)
{
    const char *commit = setting("KG_BASE_COMMIT");
    size_t first = kg__look_pairs(first_useful_look(all));
    double pair = all->family_size > 0 ? estimate(all) : 0;

    printf("settling %zu suspect%s in %zu comparison%s against %s%s%s%s: ", all->suspects,
           all->suspects == 1 ? "" : "s", all->count, all->count == 1 ? "" : "s", ref,
           commit[0] != '\0' ? " (" : "", commit, commit[0] != '\0' ? ")" : "");
    if (all->family_size > 0)
        printf("%zu to %d pairs, about %.0f to %.0f s, at most %.0f s\n", first, KG__PAIRS_MAXIMUM,
               (double)first * pair, KG__PAIRS_MAXIMUM * pair, all->limit);
    else
        printf("no pairs, two more observations of each, at most %.0f s\n", all->limit);
    fflush(stdout);
}

static bool parse_limit(double *limit)
{
    char *end;

    *limit = paired ? PAIRED_SECONDS : SUSPECTS_SECONDS;
    if (seconds_text == NULL)
        return true;
    *limit = strtod(seconds_text, &end);
    if (*end == '\0' && *limit > 0 && *limit <= SECONDS_MAXIMUM)
        return true;
    kg__complain("settle: --seconds %s: no number of seconds above 0: give one", seconds_text);
    return false;
}

static bool take_folder(const char *option, const char *path)
{
    if (path == NULL) {
        kg__complain("settle: %s is missing: name the folder of a build", option);
        return false;
    }
    if (access(path, R_OK | X_OK) == 0)
        return true;
    kg__complain("settle: %s %s: the folder cannot be read: %s", option, path, strerror(errno));
    return false;
}

static size_t unsettled(const settlement *all)
{
    size_t open = 0;

    for (size_t g = 0; g < all->count; g++) {
        for (size_t i = 0; i < all->groups[g].count; i++)
            open += !all->groups[g].suspects[i].settled;
    }
    return open;
}

static void release(settlement *all)
{
    for (size_t g = 0; g < all->count; g++) {
        group *of = &all->groups[g];

        for (size_t i = 0; i < of->count; i++)
            kg__suspect_free(&of->suspects[i]);
        for (size_t side = 0; side < SIDES; side++)
            free(of->sights[side]);
        free(of->reported);
        free(of->suspects);
        kg__listing_free(&of->base_cases);
        kg__baseline_free(&of->baseline);
        json_decref(of->document);
    }
    free(all->groups);
    free(all->family);
}

/* Holds the folder of the results, so that neither another run nor another settling writes there
 * meanwhile; where a gate around this command holds it already, that stays. */
static bool hold_results(void)
{
    const char *folder = kg__results_folder(out);
    kg__error error = { "" };

    /* One that is not there has no verdicts either, which is said where they are looked for. */
    if (access(folder, F_OK) != 0 || kg__holding_take(folder, getpid(), &error))
        return true;
    kg__complain("settle: %s", error.text);
    return false;
}

/* A build that is held against itself is as fast, whatever it does. */
static bool folders_differ(void)
{
    struct stat facts[SIDES];

    if (stat(folders[BASE], &facts[BASE]) != 0 || stat(folders[HEAD], &facts[HEAD]) != 0 ||
        facts[BASE].st_dev != facts[HEAD].st_dev || facts[BASE].st_ino != facts[HEAD].st_ino)
        return true;
    kg__complain("settle: --base %s is --head %s: name the folders of two builds", folders[BASE],
                 folders[HEAD]);
    return false;
}

static int settle_held(settlement *all)
{
    if (!open_groups(all))
        return KG__EXIT_ERROR;
    (void)setenv("KG_CASE_SECONDS", CASE_SECONDS, 1);
    form_family(all);
    if (all->suspects > 0) {
        announce(all);
        settle_all(all);
        printf("settled %zu of %zu suspects in %.1f s\n", all->suspects - unsettled(all),
               all->suspects, elapsed(all));
    } else if (!all->failed) {
        printf("no suspects: nothing to settle\n");
    }
    if (fflush(stdout) != 0)
        all->failed = true;
    return all->failed ? KG__EXIT_ERROR : KG__EXIT_PASS;
}

static int settle(size_t count, char **operands)
{
    settlement all = { .began = kg__now(), .told = kg__now() };
    int code = KG__EXIT_ERROR;

    (void)count;
    (void)operands;
    if (ref == NULL)
        ref = setting("KG_BASE_REF")[0] != '\0' ? setting("KG_BASE_REF") : "the base";
    paired = paired || kg__is_paired();
    if (hold_results()) {
        if (parse_limit(&all.limit) && take_folder("--base", folders[BASE]) &&
            take_folder("--head", folders[HEAD]) && folders_differ())
            code = settle_held(&all);
        kg__holding_release(kg__results_folder(out), getpid());
    }
    release(&all);
    return code;
}

static const kg__option options[] = {
    { "--base", "DIR", "the folder of the base's programs, COMPARISON.gpu", &folders[BASE], NULL },
    { "--head", "DIR", "the folder of this build's programs", &folders[HEAD], NULL },
    { "--ref", "NAME", "what the base is called (default: KG_BASE_REF)", &ref, NULL },
    { "--seconds", "N", "the time that it may take (default: 300, with --paired 3600)",
      &seconds_text, NULL },
    { "--paired", NULL, "every timed case is a suspect, with all its metrics (as KG_PAIRED=1)",
      NULL, &paired },
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &out, NULL },
    { 0 },
};

const kg__command kg__settle_command = {
    .name = "settle",
    .operands = "",
    .summary = "Settle a run's suspects by pairs of processes of a base build and of this one",
    .details =
        "A run with KG_BASE set leaves the cases that got slower as suspects. This runs both "
        "builds\n"
        "by turns, 12 to 24 pairs of fresh processes, and rewrites the verdicts of the suspects;\n"
        "`kernelgate results` then sums up anew. KG_BASE_COMMIT names the commit of the base.\n\n"
        "exit: 0 settled, whatever the verdicts; 2 an error, after which suspects count as they\n"
        "were first observed\n",
    .options = options,
    .run = settle,
};
