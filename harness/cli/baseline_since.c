#include "cli/baseline_since.h"

#include <string.h>

#include "base/message.h"
#include "baseline/baseline_changes.h"
#include "cli/baseline_files.h"
#include "suite/settings.h"

/* Compares a file with its state at the commit. The current one must be readable, since the run is
 * judged by it. */
static bool compare_file(json_t *changes, const char *folder, const char *name, const char *since,
                         const char *commit)
{
    char path[2 * KG__PATH_SIZE];
    char target[KG__PATH_SIZE];
    kg__baseline first;
    kg__baseline last;
    kg__error error = { "" };
    kg__error error_then = { "" };
    kg__load_status now;
    kg__load_status then;
    kg__file_state state = KG__FILE_CHANGED;

    kg__format_path(path, sizeof path, "%s/%s", folder, name);
    kg__format(target, sizeof target, "%.*s", (int)strcspn(name, "."), name);
    now = kg__baseline_load(path, &last, &error);
    then = kg__baseline_at_commit(folder, name, commit, since, &first, &error_then);
    if (now == KG__BAD)
        kg__complain("%s", error.text);
    if (then == KG__BAD || now == KG__BAD) {
        kg__baseline_free(&first);
        kg__baseline_free(&last);
        state = KG__FILE_UNREADABLE;
    } else if (then == KG__ABSENT) {
        state = KG__FILE_NEW;
    } else if (now == KG__ABSENT) {
        state = KG__FILE_REMOVED;
    } else if (kg__baseline_is_as_at_commit(folder, name, commit)) {
        state = KG__FILE_UNCHANGED;
    }
    kg__baseline_changes_add(changes, target, state, &first, &last,
                             error_then.text[0] != '\0' ? error_then.text : NULL);
    kg__baseline_free(&first);
    kg__baseline_free(&last);
    return now != KG__BAD && (then != KG__BAD || error_then.text[0] != '\0');
}

/* Compares every baseline file, including removed ones. */
static bool compare_files(json_t *changes, const char *since)
{
    char folder[KG__PATH_SIZE];
    char commit[KG__PATH_SIZE];
    kg__names names = { 0 };
    bool good;

    kg__default_baselines(folder, sizeof folder);
    good = kg__find_commit(folder, since, commit, sizeof commit) &&
           kg__list_baselines_since(folder, commit, &names);
    for (size_t i = 0; i < names.count && good; i++)
        good = compare_file(changes, folder, names.items[i], since, commit);
    kg__names_free(&names);
    if (!good)
        return false;
    json_object_set_new(changes, "since", json_string(since));
    json_object_set_new(changes, "commit", json_string(commit));
    return true;
}

/* Counts what the run's baselines do not gate; true if there is one. The tests report an invalid
 * one. */
static bool count_judged(json_t *changes, const json_t *results)
{
    char folder[KG__PATH_SIZE];
    bool judged = false;
    const char *key;
    json_t *target;

    kg__default_baselines(folder, sizeof folder);
    json_object_foreach (json_object_get(results, "targets"), key, target) {
        char path[2 * KG__PATH_SIZE];
        kg__baseline baseline;

        kg__format_path(path, sizeof path, "%s/%s.json", folder, key);
        if (kg__baseline_load(path, &baseline, NULL) == KG__LOADED) {
            kg__baseline_changes_count(changes, &baseline);
            judged = true;
        }
        kg__baseline_free(&baseline);
    }
    return judged;
}

bool kg__add_baselines(json_t *results, const char *since)
{
    json_t *changes = kg__baseline_changes_make();
    bool known = count_judged(changes, results) || since != NULL;
    bool good = since == NULL || compare_files(changes, since);

    if (good && known)
        json_object_set(results, KG__BASELINES, changes);
    json_decref(changes);
    return good;
}
