#include "results/results_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "results/results.h"
#include "results/results_form.h"
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

char *kg__join_path(const char *folder, const char *name)
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
    char *records = kg__join_path(out, "records");
    char *report = kg__join_path(out, "report");
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

json_t *kg__verdicts_make_json(const char *test)
{
    return json_pack("{s:s, s:s, s:b, s:f, s:[], s:[], s:[], s:[], s:[], s:[]}", "schema",
                     KG__VERDICTS_SCHEMA, "test", test, "complete", 1, "seconds", 0.0, "errors",
                     "vanished", "refused", "claims", "notes", "cases");
}

json_t *kg__verdicts_load_json(const char *path, kg__error *error)
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
