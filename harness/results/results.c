#include "results/results.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/process.h"
#include "base/text.h"
#include "results/causes.h"
#include "results/merge_case.h"
#include "results/results_read.h"
#include "results/results_tally.h"
#include "results/run_files.h"
#include "suite/settings.h"

/* A merged document while it grows. */
typedef struct merger {
    json_t *targets;
    json_t *provenance;
    json_t *boards;
    json_t
        *cases; /* by target, an object of cases by id: both keep the order of first appearance */
    json_t *tests;
    json_t *claims;
    json_t *refused;
    json_t *vanished;
    json_t *errors;
    json_t *speedups;
    json_t *notes;
    json_t *seen;    /* the refused and vanished cases that are listed already */
    json_t *nearest; /* the cases that tests without one took to be meant by the filter */
    kg__tally tally;
    bool strict;
} merger;

static void add_error(merger *all, const char *test, const char *why)
{
    json_t *error = json_object();

    if (*test != '\0')
        json_object_set_new(error, "test", kg__json_clean_string(test));
    json_object_set_new(error, "why", kg__json_clean_string(why));
    json_array_append_new(all->errors, error);
}

/* The key of the target that a test ran on; where it found none, the first part of its name: "gpu"
 * or "model". */
static const char *target_of(const json_t *verdicts, char *prefix, size_t size)
{
    const char *key = kg__json_text(json_object_get(verdicts, "target"), "key");
    const char *test = kg__json_text(verdicts, "test");

    if (*key != '\0')
        return key;
    kg__format(prefix, size, "%.*s", (int)strcspn(test, "."), test);
    return prefix;
}

/* Whether a case of a target is listed for the first time in `list`; remembers it. */
static bool is_first(merger *all, const char *list, const char *target, const char *id)
{
    json_t *known = kg__object_in(kg__object_in(all->seen, list), target);

    if (json_object_get(known, id) != NULL)
        return false;
    json_object_set_new(known, id, json_true());
    return true;
}

static json_t *located(const char *kind, const char *text, const char *target, const char *test)
{
    json_t *entry = json_object();

    json_object_set_new(entry, kind, json_string(text));
    json_object_set_new(entry, "target", json_string(target));
    json_object_set_new(entry, "test", json_string(test));
    return entry;
}

static void merge_lists(merger *all, const json_t *verdicts, const char *test, const char *target)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(verdicts, "vanished"), i, entry) {
        const char *id = json_string_value(entry);

        if (is_first(all, "vanished", target, id))
            json_array_append_new(all->vanished, located("case", id, target, test));
    }
    json_array_foreach (json_object_get(verdicts, "refused"), i, entry) {
        const char *id = kg__json_text(entry, "case");
        json_t *refused;

        if (!is_first(all, "refused", target, id))
            continue;
        refused = located("case", id, target, test);
        json_object_set_new(refused, "why", json_string(kg__json_text(entry, "why")));
        json_array_append_new(all->refused, refused);
    }
    json_array_foreach (json_object_get(verdicts, "claims"), i, entry) {
        json_t *claim = located("claim", kg__json_text(entry, "claim"), target, test);

        json_object_set(claim, "holds", json_object_get(entry, "holds"));
        json_object_set_new(claim, "why", json_string(kg__json_text(entry, "why")));
        json_array_append_new(all->claims, claim);
    }
    json_array_foreach (json_object_get(verdicts, "speedups"), i, entry)
        json_array_append_new(all->speedups,
                              located("note", json_string_value(entry), target, test));
    json_array_foreach (json_object_get(verdicts, "notes"), i, entry)
        json_array_append_new(all->notes, located("note", json_string_value(entry), target, test));
    json_array_foreach (json_object_get(verdicts, "errors"), i, entry)
        add_error(all, test, json_string_value(entry));
}

/* Adds what a test knows of its surroundings to what others know: each part adds its own, the one
 * that times its sentinels, for one. */
static void merge_provenance(json_t *holder, const char *key, json_t *provenance)
{
    if (provenance != NULL)
        (void)json_object_update_missing(kg__object_in(holder, key), provenance);
}

/* Boards of one target share its baseline, not their driver's or their own state. */
static void merge_board(merger *all, const json_t *verdicts, const char *target)
{
    const char *uuid = kg__json_text(verdicts, "board");
    json_t *board;

    if (*uuid == '\0')
        return;
    board = kg__object_in(all->boards, uuid);
    json_object_set_new(board, "target", json_string(target));
    merge_provenance(board, "provenance", json_object_get(verdicts, "provenance"));
}

/* Suspects that nobody settled count as they were first observed, and that is said. */
static void note_suspects(merger *all, const json_t *verdicts, const char *test, const char *target)
{
    char note[160];
    size_t suspects = 0;
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry)
        suspects += json_is_true(json_object_get(entry, "suspect"));
    if (suspects == 0)
        return;
    kg__format(note, sizeof note,
               "%s: %zu suspect%s not settled against a base: judged by one observation (see "
               "kernelgate settle)",
               test, suspects, suspects == 1 ? "" : "s");
    json_array_append_new(all->notes, located("note", note, target, test));
}

/* Whether a comparison's program ran this test, by its name: others are an import's. */
static bool is_of_program(const char *test)
{
    return strncmp(test, "gpu.", 4) == 0 || strncmp(test, "model.", 6) == 0;
}

static void merge_test(merger *all, const json_t *verdicts)
{
    const char *test = kg__json_text(verdicts, "test");
    json_t *summary = json_object();
    const json_t *entry;
    char prefix[64];
    const char *target = target_of(verdicts, prefix, sizeof prefix);
    size_t i;

    if (json_object_get(verdicts, "target") != NULL &&
        json_object_get(all->targets, target) == NULL)
        json_object_set(all->targets, target, json_object_get(verdicts, "target"));
    merge_provenance(all->provenance, target, json_object_get(verdicts, "provenance"));
    merge_board(all, verdicts, target);

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry)
        kg__merge_case(all->cases, entry, test);
    merge_lists(all, verdicts, test, target);
    note_suspects(all, verdicts, test, target);
    if (json_object_get(verdicts, "nearest") != NULL)
        json_array_append(all->nearest, json_object_get(verdicts, "nearest"));
    kg__verdicts_tally_rest(verdicts, &all->tally);
    if (!json_is_true(json_object_get(verdicts, "complete"))) {
        add_error(all, test,
                  "ended before it was finished (killed, crashed or timed out); what it judged "
                  "until then is kept: run it again");
    } else if (is_of_program(test) && !json_is_integer(json_object_get(verdicts, "exit_code"))) {
        add_error(all, test,
                  "its program ended before it could report how the test ended (killed or "
                  "crashed): run it again");
        all->tally.broken++;
    } else if (kg__verdicts_are_silent(verdicts)) {
        add_error(all, test, "judged nothing, and gave no reason: run it again");
    }

    json_object_set_new(summary, "name", json_string(test));
    json_object_set_new(summary, "target", json_string(target));
    json_object_set_new(summary, "seconds",
                        json_real(json_number_value(json_object_get(verdicts, "seconds"))));
    json_object_set_new(summary, "complete",
                        json_boolean(json_is_true(json_object_get(verdicts, "complete"))));
    json_object_set_new(summary, "exit_code",
                        json_integer(kg__verdicts_exit_code(verdicts, all->strict)));
    if (json_object_get(verdicts, "exit_code") != NULL)
        json_object_set(summary, "program_exit_code", json_object_get(verdicts, "exit_code"));
    if (json_object_get(verdicts, "board") != NULL)
        json_object_set(summary, "board", json_object_get(verdicts, "board"));
    if (json_object_get(verdicts, "skipped") != NULL) {
        json_object_set(summary, "skipped", json_object_get(verdicts, "skipped"));
        json_object_set(summary, "skipped_by", json_object_get(verdicts, "skipped_by"));
    }
    json_array_append_new(all->tests, summary);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The cases of all targets as one list, by the targets' keys, then in order of first appearance;
 * counts them. */
static json_t *sorted_cases(merger *all)
{
    size_t count = json_object_size(all->cases);
    const char **targets = kg__allocate(count, sizeof *targets);
    json_t *list = json_array();
    const char *key;
    json_t *value;
    size_t used = 0;

    json_object_foreach (all->cases, key, value)
        targets[used++] = key;
    qsort(targets, count, sizeof *targets, by_text);
    for (size_t i = 0; i < count; i++) {
        json_object_foreach (json_object_get(all->cases, targets[i]), key, value) {
            all->tally.verdicts[kg__results_verdict(value)]++;
            json_array_append(list, value);
        }
    }
    free(targets);
    return list;
}

/* The names of the verdicts files in `folder`, sorted, so that a merge does not depend on the file
 * system. NULL where the folder cannot be read. */
static char **list_verdicts(const char *folder, size_t *count, kg__error *error)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    char **names = NULL;
    size_t capacity = 0;

    *count = 0;
    if (listing == NULL) {
        kg__fail(error,
                 "%s: the folder cannot be read: %s: run ctest, or `kernelgate begin`, first",
                 folder, strerror(errno));
        return NULL;
    }
    names = kg__allocate(capacity = 16, sizeof *names);
    while ((entry = readdir(listing)) != NULL) {
        if (*entry->d_name == '.' || !kg__ends_with(entry->d_name, KG__VERDICTS_SUFFIX))
            continue;
        if (*count == capacity) {
            char **more = kg__allocate(capacity *= 2, sizeof *more);

            memcpy(more, names, *count * sizeof *names);
            free(names);
            names = more;
        }
        names[(*count)++] = kg__copy_text(entry->d_name);
    }
    closedir(listing);
    qsort(names, *count, sizeof *names, by_text);
    return names;
}

/* `subject` names what takes no case: the filter, or one of its globs. */
static void complain_of_globs(merger *all, const char *subject, const char *globs)
{
    size_t count = json_array_size(all->nearest);
    const char **ids = kg__allocate(count, sizeof *ids);
    kg__error error;

    for (size_t i = 0; i < count; i++)
        ids[i] = kg__list_text(json_array_get(all->nearest, i));
    kg__fail_filter(&error, subject, globs, ids, count);
    free(ids);
    add_error(all, "", error.text);
    all->tally.broken++;
}

static size_t list_located(const json_t *list, const char **ids)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (list, i, entry)
        ids[i] = kg__json_text(entry, "case");
    return json_array_size(list);
}

/* The ids of the cases that the run has anything to say of. The caller frees the list alone. */
static const char **list_known(const merger *all, size_t *count)
{
    size_t room = json_array_size(all->refused) + json_array_size(all->vanished);
    const char **ids;
    const char *key;
    json_t *cases;

    json_object_foreach (all->cases, key, cases)
        room += json_object_size(cases);
    ids = kg__allocate(room, sizeof *ids);
    *count = list_located(all->refused, ids);
    *count += list_located(all->vanished, ids + *count);
    json_object_foreach (all->cases, key, cases) {
        const char *id;
        json_t *one;

        json_object_foreach (cases, id, one)
            ids[(*count)++] = id;
    }
    return ids;
}

/* A filter that leaves a suite nothing makes its tests skip; one that leaves the whole run nothing
 * is a mistake, and so is a glob of it that takes no case: what it was to take is not judged. Where
 * tests could not say what they have, nobody knows. */
static void complain_of_filter(merger *all)
{
    const char *filter = kg__setting("KG_FILTER");
    char subject[KG__MESSAGE_SIZE];

    if (filter != NULL && all->tally.filtered_out > 0 &&
        all->tally.filtered_out >= json_array_size(all->tests)) {
        kg__format(subject, sizeof subject, "KG_FILTER=%s", filter);
        complain_of_globs(all, subject, filter);
    } else if (filter != NULL && json_array_size(all->tests) > 0 && all->tally.broken == 0 &&
               all->tally.unavailable == 0) {
        size_t count;
        const char **ids = list_known(all, &count);
        char *without = kg__globs_without_any(filter, ids, count);
        char *rest;

        for (char *glob = strtok_r(without, ",", &rest); glob != NULL;
             glob = strtok_r(NULL, ",", &rest)) {
            kg__format(subject, sizeof subject, "KG_FILTER: \"%s\"", glob);
            complain_of_globs(all, subject, glob);
        }
        free(without);
        free(ids);
    }
}

static json_t *finish_merge(merger *all, const char *out, const kg__expected *expected)
{
    json_t *document = json_object();

    complain_of_filter(all);
    kg__causes_add(all->cases, all->provenance);

    /* Vanished cases that two parts of a comparison both miss are one. */
    all->tally.vanished = json_array_size(all->vanished);
    json_object_set_new(document, "schema", json_string(KG__RESULTS_SCHEMA));
    json_object_set_new(document, "out", kg__json_clean_string(out));
    json_object_set_new(document, "strict", json_boolean(all->strict));
    json_object_set_new(document, "targets", all->targets);
    json_object_set_new(document, "provenance", all->provenance);
    json_object_set_new(document, "boards", all->boards);
    json_object_set_new(document, "cases", sorted_cases(all));
    json_object_set_new(document, "tests", all->tests);
    json_object_set_new(document, "claims", all->claims);
    json_object_set_new(document, "refused", all->refused);
    json_object_set_new(document, "vanished", all->vanished);
    json_object_set_new(document, "unlisted", json_array());
    json_object_set_new(document, "errors", all->errors);
    json_object_set_new(document, "speedups", all->speedups);
    json_object_set_new(document, "notes", all->notes);
    if (expected != NULL)
        kg__expected_check(expected, document, &all->tally);
    json_object_set_new(document, "tally", kg__tally_json(&all->tally));
    json_object_set_new(document, "exit_code",
                        json_integer(kg__exit_code(&all->tally, all->strict)));
    json_decref(all->cases);
    json_decref(all->seen);
    json_decref(all->nearest);
    return document;
}

void kg__results_add_error(json_t *results, const char *test, const char *why)
{
    json_t *tally = json_object_get(results, "tally");
    json_t *error = json_object();

    if (test != NULL && *test != '\0')
        json_object_set_new(error, "test", kg__json_clean_string(test));
    json_object_set_new(error, "why", kg__json_clean_string(why));
    json_array_append_new(json_object_get(results, "errors"), error);
    json_object_set_new(tally, "broken",
                        json_integer((json_int_t)kg__json_count(tally, "broken") + 1));
    json_object_set_new(results, "exit_code", json_integer(KG__EXIT_ERROR));
}

json_t *kg__results_merge(const char *out, bool strict, const kg__expected *expected,
                          kg__error *error)
{
    char *records = kg__join_path(out, "records");
    size_t count = 0;
    char **names = list_verdicts(records, &count, error);
    merger all;

    if (names == NULL) {
        free(records);
        return NULL;
    }
    all = (merger){ .targets = json_object(),
                    .provenance = json_object(),
                    .boards = json_object(),
                    .cases = json_object(),
                    .tests = json_array(),
                    .claims = json_array(),
                    .refused = json_array(),
                    .vanished = json_array(),
                    .errors = json_array(),
                    .speedups = json_array(),
                    .notes = json_array(),
                    .seen = json_object(),
                    .nearest = json_array(),
                    .strict = strict };
    for (size_t i = 0; i < count; i++) {
        char *path = kg__join_path(records, names[i]);
        kg__error unreadable = { "" };
        json_t *verdicts = kg__verdicts_load_json(path, &unreadable);

        if (verdicts != NULL) {
            merge_test(&all, verdicts);
            json_decref(verdicts);
        } else {
            all.tally.broken++;
            names[i][strlen(names[i]) - strlen(KG__VERDICTS_SUFFIX)] = '\0';
            add_error(&all, names[i], unreadable.text);
        }
        free(path);
        free(names[i]);
    }
    free(names);
    if (count == 0 && (expected == NULL || expected->partial)) {
        char why[KG__MESSAGE_SIZE];

        kg__format(
            why, sizeof why,
            "%s: holds no verdicts, so no test of a comparison ran to its end: run ctest, and "
            "see its output",
            records);
        add_error(&all, "", why);
        all.tally.broken++;
    }
    free(records);
    return finish_merge(&all, out, expected);
}
