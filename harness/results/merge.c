#include "results/merge.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/json.h"
#include "base/process.h"
#include "base/text.h"
#include "results/causes.h"
#include "results/merge_case.h"
#include "results/results_tally.h"
#include "results/run_files.h"
#include "suite/settings.h"

/* Results while they grow. */
typedef struct merging {
    kg__pool *pool;
    kg__results *results;
    kg__index cases;   /* by target and id: kg__case_result */
    kg__index listed;  /* the refused and vanished cases that are listed already */
    kg__texts nearest; /* the cases that tests without one took to be meant by the filter */
} merging;

/* The name of a case on a target in an index, below the name of its list. */
static const char *key_of(const char *list, const char *target, const char *id)
{
    static char key[1024];

    kg__format(key, sizeof key, "%s %s %s", list, target, id);
    return key;
}

/* Whether a case of a target is listed for the first time in `list`; remembers it. */
static bool is_first(merging *run, const char *list, const char *target, const char *id)
{
    const char *key = key_of(list, target, id);
    bool first = kg__index_find(&run->listed, key) == NULL;

    kg__index_set(run->pool, &run->listed, key, run);
    return first;
}

static void add_error(merging *run, const char *test, const char *why)
{
    kg__results_add(run->results, &run->results->errors,
                    (kg__remark){ .target = "", .test = test, .why = why });
}

static void add_texts(merging *run, kg__remarks *list, const kg__texts *texts, kg__remark remark)
{
    for (size_t i = 0; i < texts->count; i++) {
        remark.subject = texts->items[i];
        kg__results_add(run->results, list, remark);
    }
}

static void merge_lists(merging *run, const kg__verdicts *verdicts, const char *target)
{
    kg__results *results = run->results;
    kg__remark remark = { .target = target, .test = verdicts->test };

    add_texts(run, &results->speedups, &verdicts->speedups, remark);
    add_texts(run, &results->notes, &verdicts->notes, remark);
    for (size_t i = 0; i < verdicts->errors.count; i++)
        add_error(run, verdicts->test, verdicts->errors.items[i]);
    for (size_t i = 0; i < verdicts->vanished.count; i++) {
        remark.subject = verdicts->vanished.items[i];
        if (is_first(run, "vanished", target, remark.subject))
            kg__results_add(results, &results->vanished, remark);
    }
    for (size_t i = 0; i < verdicts->refused_count; i++) {
        remark.subject = verdicts->refused[i].id;
        remark.why = verdicts->refused[i].why != NULL ? verdicts->refused[i].why : "";
        if (is_first(run, "refused", target, remark.subject))
            kg__results_add(results, &results->refused, remark);
    }
    for (size_t i = 0; i < verdicts->claim_count; i++) {
        remark.subject = verdicts->claims[i].claim;
        remark.holds = verdicts->claims[i].holds;
        remark.why = verdicts->claims[i].why != NULL ? verdicts->claims[i].why : "";
        kg__results_add(results, &results->claims, remark);
    }
}

/* Adds what a test knows of its surroundings to what others know: each part adds its own, the one
 * that times its sentinels, for one. */
static json_t *merge_provenance(kg__pool *pool, json_t *known, json_t *provenance)
{
    json_t *merged = known != NULL ? known : json_object();

    if (known == NULL)
        kg__json_keep(pool, merged);
    (void)json_object_update_missing(merged, provenance);
    return merged;
}

static kg__run_board *find_board(kg__results *results, const char *uuid)
{
    for (size_t i = 0; i < results->board_count; i++) {
        if (strcmp(results->boards[i].uuid, uuid) == 0)
            return &results->boards[i];
    }
    results->boards = kg__pool_grow(results->pool, results->boards, results->board_count,
                                    sizeof *results->boards);
    results->boards[results->board_count] = (kg__run_board){ .uuid = uuid };
    return &results->boards[results->board_count++];
}

static void merge_target(merging *run, const kg__verdicts *verdicts, const char *key)
{
    kg__results *results = run->results;
    kg__run_target *target;

    if (verdicts->target.key[0] != '\0' || verdicts->provenance != NULL) {
        target = kg__results_target(results, key);
        if (target->target.key[0] == '\0')
            target->target = verdicts->target;
        if (verdicts->provenance != NULL)
            target->provenance =
                merge_provenance(run->pool, target->provenance, verdicts->provenance);
    }
    if (verdicts->board != NULL) {
        kg__run_board *board = find_board(results, verdicts->board);

        board->target = key;
        if (verdicts->provenance != NULL)
            board->provenance =
                merge_provenance(run->pool, board->provenance, verdicts->provenance);
    }
}

static void merge_cases(merging *run, const kg__verdicts *verdicts)
{
    kg__results *results = run->results;

    for (size_t i = 0; i < verdicts->case_count; i++) {
        const kg__case_result *part = verdicts->cases[i];
        const char *key = key_of("", part->target, part->id);
        kg__case_result *merged = kg__index_find(&run->cases, key);

        if (merged != NULL) {
            kg__merge_part(run->pool, merged, part, verdicts->test);
            continue;
        }
        merged = kg__first_part(run->pool, part, verdicts->test);
        kg__index_set(run->pool, &run->cases, key, merged);
        results->cases = kg__pool_grow(run->pool, results->cases, results->case_count,
                                       sizeof(kg__case_result *));
        results->cases[results->case_count++] = merged;
    }
}

/* Suspects that nobody settled count as they were first observed, and that is said. */
static void note_suspects(merging *run, const kg__verdicts *verdicts, const char *target)
{
    size_t suspects = 0;

    for (size_t i = 0; i < verdicts->case_count; i++)
        suspects += verdicts->cases[i]->suspect;
    if (suspects == 0)
        return;
    kg__results_add(
        run->results, &run->results->notes,
        (kg__remark){ .subject = kg__pool_format(
                          run->pool,
                          "%s: %zu suspect%s not settled against a base: judged by one observation "
                          "(see kernelgate settle)",
                          verdicts->test, suspects, suspects == 1 ? "" : "s"),
                      .target = target,
                      .test = verdicts->test });
}

/* Whether a comparison's program ran this test, by its name: others are an import's. */
static bool is_of_program(const char *test)
{
    return strncmp(test, "gpu.", 4) == 0 || strncmp(test, "model.", 6) == 0;
}

/* What is wrong with how a test ended. */
static void check_end(merging *run, const kg__verdicts *verdicts)
{
    if (!verdicts->complete) {
        add_error(run, verdicts->test,
                  "ended before it was finished (killed, crashed or timed out); what it judged "
                  "until then is kept: run it again");
    } else if (is_of_program(verdicts->test) && verdicts->exit_code < 0) {
        add_error(run, verdicts->test,
                  "its program ended before it could report how the test ended (killed or "
                  "crashed): run it again");
        run->results->tally.broken++;
    } else if (kg__verdicts_are_silent(verdicts)) {
        add_error(run, verdicts->test, "judged nothing, and gave no reason: run it again");
    }
}

static void merge_test(merging *run, const kg__verdicts *verdicts)
{
    kg__results *results = run->results;
    /* Where a test found no target, the first part of its name: "gpu" or "model". */
    const char *target =
        verdicts->target.key[0] != '\0'
            ? verdicts->target.key
            : kg__pool_format(run->pool, "%.*s", (int)strcspn(verdicts->test, "."), verdicts->test);

    merge_target(run, verdicts, target);
    merge_cases(run, verdicts);
    merge_lists(run, verdicts, target);
    note_suspects(run, verdicts, target);
    if (verdicts->nearest != NULL)
        kg__pool_add_text(run->pool, &run->nearest, verdicts->nearest);
    kg__verdicts_tally_rest(verdicts, &results->tally);
    check_end(run, verdicts);
    results->tests =
        kg__pool_grow(run->pool, results->tests, results->test_count, sizeof *results->tests);
    results->tests[results->test_count++] =
        (kg__test_result){ .name = verdicts->test,
                           .target = target,
                           .board = verdicts->board,
                           .skipped = verdicts->skipped,
                           .skipped_by = verdicts->skipped_by,
                           .seconds = verdicts->seconds >= 0 ? verdicts->seconds : 0,
                           .complete = verdicts->complete,
                           .exit_code = kg__verdicts_exit_code(verdicts, results->strict),
                           .program_exit_code = verdicts->exit_code };
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the cases by their targets' keys, and of one target leaves them in the order of their first
 * appearance; counts them. */
static void sort_cases(merging *run)
{
    kg__results *results = run->results;
    kg__case_result **sorted =
        kg__pool_array(run->pool, results->case_count, sizeof(kg__case_result *));
    kg__index found = { 0 };
    const char **targets;
    size_t used = 0;

    for (size_t i = 0; i < results->case_count; i++) {
        results->tally.verdicts[results->cases[i]->verdict]++;
        kg__index_set(run->pool, &found, results->cases[i]->target, run);
    }
    targets = kg__pool_array(run->pool, found.count, sizeof *targets);
    for (size_t i = 0; i < found.count; i++)
        targets[i] = found.entries[i].name;
    qsort(targets, found.count, sizeof *targets, compare_texts);
    for (size_t t = 0; t < found.count; t++) {
        for (size_t i = 0; i < results->case_count; i++) {
            if (strcmp(results->cases[i]->target, targets[t]) == 0)
                sorted[used++] = results->cases[i];
        }
    }
    results->cases = sorted;
}

/* The names of the verdicts files in `folder`, sorted, so that a merge does not depend on the file
 * system. False with `error` where the folder cannot be read. */
static bool list_verdicts(kg__pool *pool, const char *folder, kg__texts *names, kg__error *error)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;

    if (listing == NULL)
        return kg__fail(
            error, "%s: the folder cannot be read: %s: run ctest, or `kernelgate begin`, first",
            folder, strerror(errno));
    while ((entry = readdir(listing)) != NULL) {
        if (*entry->d_name != '.' && kg__ends_with(entry->d_name, KG__VERDICTS_SUFFIX))
            kg__pool_add_text(pool, names, entry->d_name);
    }
    closedir(listing);
    if (names->count > 0)
        qsort(names->items, names->count, sizeof(char *), compare_texts);
    return true;
}

/* `subject` names what takes no case: the filter, or one of its globs. */
static void complain_of_globs(merging *run, const char *subject, const char *globs)
{
    kg__error error;

    kg__fail_filter(&error, subject, globs, run->nearest.items, run->nearest.count);
    add_error(run, NULL, kg__pool_text(run->pool, error.text));
    run->results->tally.broken++;
}

/* The ids of the cases that the run has anything to say of. */
static kg__texts list_known(merging *run)
{
    const kg__results *results = run->results;
    kg__texts ids = { 0 };

    for (size_t i = 0; i < results->case_count; i++)
        kg__pool_add_text(run->pool, &ids, results->cases[i]->id);
    for (size_t i = 0; i < results->refused.count; i++)
        kg__pool_add_text(run->pool, &ids, results->refused.items[i].subject);
    for (size_t i = 0; i < results->vanished.count; i++)
        kg__pool_add_text(run->pool, &ids, results->vanished.items[i].subject);
    return ids;
}

/* A filter that leaves a suite nothing makes its tests skip; one that leaves the whole run nothing
 * is a mistake, and so is a glob of it that takes no case: what it was to take is not judged. Where
 * tests could not say what they have, nobody knows. */
static void check_filter(merging *run)
{
    const kg__results *results = run->results;
    const char *filter = kg__setting("KG_FILTER");
    char subject[KG__MESSAGE_SIZE];

    if (filter != NULL && results->tally.filtered_out > 0 &&
        results->tally.filtered_out >= results->test_count) {
        kg__format(subject, sizeof subject, "KG_FILTER=%s", filter);
        complain_of_globs(run, subject, filter);
    } else if (filter != NULL && results->test_count > 0 && results->tally.broken == 0 &&
               results->tally.unavailable == 0) {
        kg__texts ids = list_known(run);
        char *without = kg__globs_without_any(filter, ids.items, ids.count);
        char *rest;

        for (char *glob = strtok_r(without, ",", &rest); glob != NULL;
             glob = strtok_r(NULL, ",", &rest)) {
            kg__format(subject, sizeof subject, "KG_FILTER: \"%s\"", glob);
            complain_of_globs(run, subject, glob);
        }
        free(without);
    }
}

/* Merges a file of verdicts, or makes an error of it. */
static void merge_file(merging *run, const char *records, const char *name)
{
    char *path = kg__join_path(records, name);
    kg__error unreadable = { "" };
    const kg__verdicts *verdicts = kg__verdicts_load(run->pool, path, &unreadable);

    if (verdicts != NULL) {
        merge_test(run, verdicts);
    } else {
        run->results->tally.broken++;
        add_error(run,
                  kg__pool_format(run->pool, "%.*s",
                                  (int)(strlen(name) - strlen(KG__VERDICTS_SUFFIX)), name),
                  kg__pool_text(run->pool, unreadable.text));
    }
    free(path);
}

static void finish(merging *run, const kg__expected *expected)
{
    kg__results *results = run->results;

    check_filter(run);
    sort_cases(run);
    kg__causes_add(results);
    /* Vanished cases that two parts of a comparison both miss are one. */
    results->tally.vanished = results->vanished.count;
    if (expected != NULL)
        kg__expected_check(expected, results);
    results->exit_code = kg__exit_code(&results->tally, results->strict);
}

kg__results *kg__results_merge(kg__pool *pool, const char *out, bool strict,
                               const kg__expected *expected, kg__error *error)
{
    merging run = { .pool = pool, .results = kg__results_make(pool) };
    char *records = kg__join_path(out, "records");
    kg__texts names = { 0 };

    run.results->out = kg__pool_text(pool, out);
    run.results->strict = strict;
    if (!list_verdicts(pool, records, &names, error)) {
        free(records);
        return NULL;
    }
    for (size_t i = 0; i < names.count; i++)
        merge_file(&run, records, names.items[i]);
    if (names.count == 0 && (expected == NULL || expected->partial)) {
        add_error(&run, NULL,
                  kg__pool_format(pool,
                                  "%s: holds no verdicts, so no test of a comparison ran to its "
                                  "end: run ctest, and see its output",
                                  records));
        run.results->tally.broken++;
    }
    free(records);
    finish(&run, expected);
    return run.results;
}
