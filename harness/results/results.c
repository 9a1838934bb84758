#include "results/results.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "base/text.h"
#include "records/finding.h"
#include "results/causes.h"
#include "results/results_form.h"
#include "results/results_read.h"
#include "suite/settings.h"

/* The names that a run leaves in out/, and the ends of those in out/records/. */
static const char *const run_files[] = { "results.json", "junit.xml", "summary.md", NULL };
static const char *const report_files[] = { "index.html", NULL };
static const char *const record_ends[] = { KG__VERDICTS_SUFFIX, ".jsonl", ".cases", NULL };

/* Whether `name` is one of `names` (or ends in one of `ends`), or the temporary file of such a one.
 */
static bool is_ours(const char *name, const char *const *names, const char *const *ends)
{
    const char *mark = *name == '.' ? strstr(name + 1, KG__FILE_TEMPORARY) : NULL;
    char *plain = kg__copy_text(name);
    bool ours = false;

    if (mark != NULL) {
        memmove(plain, name + 1, (size_t)(mark - name - 1));
        plain[mark - name - 1] = '\0';
    }
    for (; names != NULL && *names != NULL && !ours; names++)
        ours = strcmp(plain, *names) == 0;
    for (; ends != NULL && *ends != NULL && !ours; ends++)
        ours = kg__ends_with(plain, *ends);
    free(plain);
    return ours;
}

/* Removes from `folder` the files that a run of ours leaves there. No such folder: nothing to do.
 */
static bool clear_folder(const char *folder, const char *const *names, const char *const *ends,
                         kg__error *error)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    bool cleared = true;

    if (listing == NULL) {
        if (errno == ENOENT)
            return true;
        return kg__fail(error, "%s: the folder cannot be read: %s: see to its permissions", folder,
                        strerror(errno));
    }
    while (cleared && (entry = readdir(listing)) != NULL) {
        if (is_ours(entry->d_name, names, ends) &&
            unlinkat(dirfd(listing), entry->d_name, 0) != 0 && errno != ENOENT)
            cleared = kg__fail(error,
                               "%s/%s: left by an earlier run, and cannot be removed: %s: "
                               "remove it by hand",
                               folder, entry->d_name, strerror(errno));
    }
    closedir(listing);
    return cleared;
}

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = kg__allocate(size, 1);

    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* What lies behind a link is somebody else's. */
static bool is_no_link(const char *folder, kg__error *error)
{
    struct stat facts;

    if (lstat(folder, &facts) != 0 || !S_ISLNK(facts.st_mode))
        return true;
    return kg__fail(error,
                    "%s: is a symbolic link, and each run removes what the last one left there: "
                    "remove the link, or set KG_OUT to another folder",
                    folder);
}

bool kg__results_begin(const char *out, kg__error *error)
{
    char *records = join(out, "records");
    char *report = join(out, "report");
    bool begun = is_no_link(records, error) && is_no_link(report, error) &&
                 kg__file_make_folder(out, error) && kg__file_make_folder(records, error) &&
                 clear_folder(out, run_files, NULL, error) &&
                 clear_folder(report, report_files, NULL, error) &&
                 clear_folder(records, NULL, record_ends, error);

    free(report);
    free(records);
    return begun;
}

bool kg__results_write_json(const char *path, const json_t *document, int indent, kg__error *error)
{
    char *text = json_dumps(document, JSON_INDENT((size_t)indent));
    size_t length;
    bool written;

    if (text == NULL)
        return kg__fail(
            error,
            "%s: the document cannot be written as JSON (a text that is no UTF-8?); the "
            "file stays as it was: rename what is none",
            path);
    length = strlen(text);
    /* The terminating zero gives way to the newline that ends the last line. */
    text[length] = '\n';
    written = kg__file_replace(path, text, length + 1, error);
    free(text);
    return written;
}

/* A document to be read, for the error's one line. */
typedef struct place {
    const char *path;
    const char *remedy;
    kg__error *error;
} place;

/* The JSON of a regular file; NULL with the error of `at`. */
static json_t *load_document(const place *at)
{
    json_error_t position;
    json_t *document;
    const char *cause;
    FILE *file = kg__file_stream(at->path, &cause);

    if (file == NULL) {
        kg__fail(at->error, "%s: cannot be read: %s: %s", at->path, cause, at->remedy);
        return NULL;
    }
    document = json_loadf(file, JSON_REJECT_DUPLICATES, &position);
    fclose(file);
    if (document == NULL)
        kg__fail(at->error, "%s:%d: is no JSON: %s: %s", at->path, position.line, position.text,
                 at->remedy);
    return document;
}

static bool check_schema(const place *at, const json_t *document, const char *schema)
{
    if (!json_is_object(document))
        return kg__fail(at->error, "%s: is no JSON object: %s", at->path, at->remedy);
    if (strcmp(kg__json_text(document, "schema"), schema) == 0)
        return true;
    return kg__fail(at->error,
                    "%s: its schema is \"%s\", not \"%s\": it was written by another version; %s",
                    at->path, kg__json_text(document, "schema"), schema, at->remedy);
}

/* Whether a document has a form, or else the error that says where it has not. */
static bool check_form(const place *at, const json_t *document,
                       bool (*has_form)(const json_t *, kg__error *))
{
    kg__error fault = { "" };

    return has_form(document, &fault) ||
           kg__fail(at->error, "%s: %s: %s", at->path, fault.text, at->remedy);
}

json_t *kg__document_load(const char *path, const char *remedy, kg__error *error)
{
    place at = { path, remedy, error };

    return load_document(&at);
}

json_t *kg__verdicts_make(const char *test)
{
    return json_pack("{s:s, s:s, s:b, s:f, s:[], s:[], s:[], s:[], s:[], s:[]}", "schema",
                     KG__VERDICTS_SCHEMA, "test", test, "complete", 1, "seconds", 0.0, "errors",
                     "vanished", "refused", "claims", "notes", "cases");
}

json_t *kg__verdicts_load(const char *path, kg__error *error)
{
    place at = { path, "run the test again", error };
    json_t *document = load_document(&at);

    if (document != NULL && !(check_schema(&at, document, KG__VERDICTS_SCHEMA) &&
                              check_form(&at, document, kg__verdicts_have_form))) {
        json_decref(document);
        return NULL;
    }
    return document;
}

json_t *kg__results_load(const char *path, kg__error *error)
{
    place at = { path, "run ctest, which writes it, or name another results file", error };
    json_t *document = load_document(&at);

    if (document != NULL && !(check_schema(&at, document, KG__RESULTS_SCHEMA) &&
                              check_form(&at, document, kg__results_have_form))) {
        json_decref(document);
        return NULL;
    }
    return document;
}

/* A test that finished and left nothing to judge, and no reason. */
static bool is_silent(const json_t *verdicts)
{
    return json_is_true(json_object_get(verdicts, "complete")) &&
           !json_is_string(json_object_get(verdicts, "skipped")) &&
           json_array_size(json_object_get(verdicts, "cases")) == 0 &&
           json_array_size(json_object_get(verdicts, "claims")) == 0 &&
           json_array_size(json_object_get(verdicts, "refused")) == 0 &&
           json_array_size(json_object_get(verdicts, "vanished")) == 0 &&
           json_array_size(json_object_get(verdicts, "errors")) == 0;
}

/* Whether a test had no case to judge, by the filter or by its table. */
static bool is_left_nothing(const json_t *verdicts)
{
    const char *by = kg__json_text(verdicts, "skipped_by");

    return strcmp(by, "filter") == 0 || strcmp(by, "empty") == 0;
}

/* Tallies all but cases and vanished ones, which a merged document counts once for all parts. */
static void tally_rest(const json_t *verdicts, kg__tally *tally)
{
    const json_t *claim;
    size_t i;

    if (!json_is_true(json_object_get(verdicts, "complete")))
        tally->broken++;
    tally->broken += json_array_size(json_object_get(verdicts, "errors"));
    json_array_foreach (json_object_get(verdicts, "claims"), i, claim)
        tally->failed_claims += !json_is_true(json_object_get(claim, "holds"));
    if (json_is_string(json_object_get(verdicts, "skipped"))) {
        if (is_left_nothing(verdicts))
            tally->filtered_out++;
        else
            tally->unavailable++;
    } else if (is_silent(verdicts)) {
        tally->broken++;
    }
}

void kg__verdicts_tally(const json_t *verdicts, kg__tally *tally)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry)
        tally->verdicts[kg__results_verdict(entry)]++;
    tally->vanished += json_array_size(json_object_get(verdicts, "vanished"));
    tally_rest(verdicts, tally);
}

static json_t *tally_document(const kg__tally *tally)
{
    json_t *document = json_object();

    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        json_object_set_new(document, kg__verdict_name((kg__verdict)verdict),
                            json_integer((json_int_t)tally->verdicts[verdict]));
    json_object_set_new(document, "vanished", json_integer((json_int_t)tally->vanished));
    json_object_set_new(document, "unlisted", json_integer((json_int_t)tally->unlisted));
    json_object_set_new(document, "failed_claims", json_integer((json_int_t)tally->failed_claims));
    json_object_set_new(document, "filtered_out", json_integer((json_int_t)tally->filtered_out));
    json_object_set_new(document, "unavailable", json_integer((json_int_t)tally->unavailable));
    json_object_set_new(document, "broken", json_integer((json_int_t)tally->broken));
    return document;
}

/* The exit code of one test by its verdicts. That of a claim judges no case, and its claim was
 * judged; of a run claims alone are no judgement. */
static int test_exit_code(const json_t *verdicts, bool strict)
{
    kg__tally tally = { 0 };

    kg__verdicts_tally(verdicts, &tally);
    if (json_array_size(json_object_get(verdicts, "claims")) > 0)
        tally.verdicts[KG__PASS]++;
    return kg__exit_code(&tally, strict);
}

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

/* Adds the metrics of one part to those of a case; of two of a name the one with the worse verdict
 * stays. */
static void merge_metrics(json_t *metrics, json_t *more)
{
    const char *name;
    json_t *metric;

    json_object_foreach (more, name, metric) {
        const json_t *known = json_object_get(metrics, name);

        if (known == NULL || kg__results_verdict(metric) > kg__results_verdict(known))
            json_object_set(metrics, name, metric);
    }
}

static double seconds_of(const json_t *entry)
{
    return json_number_value(json_object_get(entry, "seconds"));
}

static json_t *object_in(json_t *parent, const char *key)
{
    json_t *child = json_object_get(parent, key);

    if (child == NULL) {
        child = json_object();
        json_object_set_new(parent, key, child);
    }
    return child;
}

/* What belongs to the reason of a case. */
static const char *const reason_members[] = { "why",  "findings", "more_findings",
                                              "also", "failure",  KG__AT,
                                              NULL };

static bool is_of_reason(const char *key)
{
    const char *const *member = reason_members;

    while (*member != NULL && strcmp(*member, key) != 0)
        member++;
    return *member != NULL;
}

/* Gives a merged case the reason of one of its parts. */
static void take_reason(json_t *merged, const json_t *entry)
{
    for (const char *const *member = reason_members; *member != NULL; member++) {
        json_t *value = json_object_get(entry, *member);

        if (value != NULL)
            json_object_set(merged, *member, value);
        else
            (void)json_object_del(merged, *member);
    }
    json_object_set_new(merged, "why", json_string(kg__json_text(entry, "why")));
}

static void merge_case(merger *all, const json_t *entry, const char *test)
{
    const char *id = kg__json_text(entry, "case");
    json_t *cases = object_in(all->cases, kg__json_text(entry, "target"));
    json_t *merged = json_object_get(cases, id);
    kg__verdict verdict = kg__results_verdict(entry);
    kg__verdict before = KG__PASS;
    const char *key;
    json_t *value;

    if (merged == NULL) {
        merged = json_object();
        json_object_set_new(merged, "case", json_string(id));
        json_object_set(merged, "target", json_object_get(entry, "target"));
        json_object_set_new(merged, "parts", json_array());
        json_object_set_new(merged, "seconds", json_real(0.0));
        json_object_set_new(merged, "metrics", json_object());
        json_object_set_new(cases, id, merged);
    } else {
        before = kg__results_verdict(merged);
    }
    if (json_object_get(entry, "part") != NULL)
        json_array_append(json_object_get(merged, "parts"), json_object_get(entry, "part"));
    json_real_set(json_object_get(merged, "seconds"), seconds_of(merged) + seconds_of(entry));
    merge_metrics(json_object_get(merged, "metrics"), json_object_get(entry, "metrics"));
    /* What else a part recorded (throttling, clocks) is kept; the first part that has it is heard.
     */
    json_object_foreach ((json_t *)entry, key, value) {
        if (json_object_get(merged, key) == NULL && strcmp(key, "part") != 0 &&
            strcmp(key, "verdict") != 0 && !is_of_reason(key) && strcmp(key, "first") != 0)
            json_object_set(merged, key, value);
    }
    /* The worst part gives the verdict, its reason and the test to run again; of equals the one
     * that gives a reason. */
    if (json_object_get(merged, "verdict") == NULL || verdict > before ||
        (verdict == before && *kg__json_text(merged, "why") == '\0')) {
        json_object_set_new(merged, "verdict", json_string(kg__verdict_name(verdict)));
        take_reason(merged, entry);
        json_object_set_new(merged, "test", json_string(test));
    }
}

/* Whether a case of a target is listed for the first time in `list`; remembers it. */
static bool is_first(merger *all, const char *list, const char *target, const char *id)
{
    json_t *known = object_in(object_in(all->seen, list), target);

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
        (void)json_object_update_missing(object_in(holder, key), provenance);
}

/* Boards of one target share its baseline, not their driver's or their own state. */
static void merge_board(merger *all, const json_t *verdicts, const char *target)
{
    const char *uuid = kg__json_text(verdicts, "board");
    json_t *board;

    if (*uuid == '\0')
        return;
    board = object_in(all->boards, uuid);
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
        merge_case(all, entry, test);
    merge_lists(all, verdicts, test, target);
    note_suspects(all, verdicts, test, target);
    if (json_object_get(verdicts, "nearest") != NULL)
        json_array_append(all->nearest, json_object_get(verdicts, "nearest"));
    tally_rest(verdicts, &all->tally);
    if (!json_is_true(json_object_get(verdicts, "complete"))) {
        add_error(all, test,
                  "ended before it was finished (killed, crashed or timed out); what it judged "
                  "until then is kept: run it again");
    } else if (is_of_program(test) && !json_is_integer(json_object_get(verdicts, "exit_code"))) {
        add_error(all, test,
                  "its program ended before it could report how the test ended (killed or "
                  "crashed): run it again");
        all->tally.broken++;
    } else if (is_silent(verdicts)) {
        add_error(all, test, "judged nothing, and gave no reason: run it again");
    }

    json_object_set_new(summary, "name", json_string(test));
    json_object_set_new(summary, "target", json_string(target));
    json_object_set_new(summary, "seconds", json_real(seconds_of(verdicts)));
    json_object_set_new(summary, "complete",
                        json_boolean(json_is_true(json_object_get(verdicts, "complete"))));
    json_object_set_new(summary, "exit_code", json_integer(test_exit_code(verdicts, all->strict)));
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
    json_object_set_new(document, "notes", all->notes);
    if (expected != NULL)
        kg__expected_check(expected, document, &all->tally);
    json_object_set_new(document, "tally", tally_document(&all->tally));
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
    char *records = join(out, "records");
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
                    .notes = json_array(),
                    .seen = json_object(),
                    .nearest = json_array(),
                    .strict = strict };
    for (size_t i = 0; i < count; i++) {
        char *path = join(records, names[i]);
        kg__error unreadable = { "" };
        json_t *verdicts = kg__verdicts_load(path, &unreadable);

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
