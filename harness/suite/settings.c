/* SPDX-License-Identifier: MIT */
#include "suite/settings.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/process.h"

static bool is_on(const char *name)
{
    const char *value = kg__setting(name);

    return value != NULL && strcmp(value, "0") != 0;
}

bool kg__is_strict(void)
{
    return is_on("KG_STRICT");
}

bool kg__is_verbose(void)
{
    return is_on("KG_VERBOSE");
}

bool kg__results_known_right(void)
{
    return is_on("KG__CHECKED");
}

bool kg__wants_fingerprints(void)
{
    return is_on("KG__FINGERPRINTS");
}

static bool strictness_is_clear(kg__error *error)
{
    const char *value = kg__setting("KG_STRICT");

    if (value == NULL || strcmp(value, "0") == 0 || strcmp(value, "1") == 0)
        return true;
    return kg__fail(
        error, "KG_STRICT='%s' is neither 0 nor 1: set it to 1 for strict mode, or to 0", value);
}

/* A number of seconds that the environment may set. */
typedef struct duration {
    const char *name;
    double least;
    double most;
    double default_value; /* if unset */
} duration;

/* tools/kernelgate/base/settings.py refuses values out of range too. */
static const duration silence = { "KG_CASE_TIMEOUT", 0.001, 1000000, 60 };
static const duration sampling = { "KG_CASE_SECONDS", 0.02, 3600, 0.5 };

/* Parses a number without blanks, a leading sign, words or hexadecimal digits, as the command does.
 */
static bool read_duration(const duration *setting, const char *text, double *seconds)
{
    char *end;

    if (text[strspn(text, "0123456789.eE+-")] != '\0' || *text == '+' || *text == '-')
        return false;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds >= setting->least && *seconds <= setting->most;
}

static double duration_or_default(const duration *setting)
{
    const char *text = kg__setting(setting->name);
    double seconds;

    return text != NULL && read_duration(setting, text, &seconds) ? seconds
                                                                  : setting->default_value;
}

static bool duration_is_clear(const duration *setting, kg__error *error)
{
    const char *text = kg__setting(setting->name);
    double seconds;

    if (text == NULL || read_duration(setting, text, &seconds))
        return true;
    return kg__fail(
        error, "%s='%s' is not a number of seconds from %.7g to %.7g: set it to one, or unset it",
        setting->name, text, setting->least, setting->most);
}

double kg__silence_limit(void)
{
    return duration_or_default(&silence);
}

double kg__case_seconds(void)
{
    return duration_or_default(&sampling);
}

bool kg__baselines_are_there(kg__error *error)
{
    const char *folder = kg__setting("KG_BASELINES");
    struct stat found;

    if (folder == NULL || (stat(folder, &found) == 0 && S_ISDIR(found.st_mode)))
        return true;
    return kg__fail(error,
                    "KG_BASELINES='%s' is not a directory: set it to that of the baselines, or "
                    "unset it",
                    folder);
}

bool kg__settings_are_valid(kg__error *error)
{
    return strictness_is_clear(error) && duration_is_clear(&silence, error) &&
           duration_is_clear(&sampling, error);
}

const char *kg__base_folder(void)
{
    return kg__setting("KG_BASE");
}

bool kg__is_changed_only(void)
{
    return is_on("KG_CHANGED");
}

bool kg__is_paired(void)
{
    return kg__base_folder() != NULL && is_on("KG_PAIRED");
}

/* Returns the folder that a setting names, else `name` in the project's. */
static void format_folder(const char *setting, const char *home, const char *name, char *path,
                          size_t size)
{
    const char *folder = kg__setting(setting);

    if (folder != NULL)
        kg__format_path(path, size, "%s", folder);
    else
        kg__format_path(path, size, "%s/%s", home, name);
}

void kg__out_folder(const char *home, char *path, size_t size)
{
    format_folder("KG_OUT", home, "out", path, size);
}

void kg__baselines_folder(const char *home, char *path, size_t size)
{
    format_folder("KG_BASELINES", home, "baselines", path, size);
}

bool kg__filter_is_allowed(bool strict, kg__error *error)
{
    const char *filter = kg__setting("KG_FILTER");
    const char *requested = kg__setting("KG_FILTER_GIVEN");

    if (!strict || filter == NULL || (requested != NULL && strcmp(filter, requested) == 0))
        return true;
    return kg__fail(error,
                    "KG_FILTER='%s' is set in the environment of a strict run and would narrow it: "
                    "unset it, or give it to kernelgate gate as --filter",
                    filter);
}

static bool globs_take(const char *list, const char *id)
{
    char *globs = kg__copy_text(list);
    char *rest;
    bool taken = false;

    for (char *glob = strtok_r(globs, ",", &rest); glob != NULL && !taken;
         glob = strtok_r(NULL, ",", &rest))
        taken = fnmatch(glob, id, 0) == 0;
    free(globs);
    return taken;
}

bool kg__filter_takes(const char *id)
{
    const char *filter = kg__setting("KG_FILTER");

    return filter == NULL || globs_take(filter, id);
}

bool kg__sample_takes(const char *id)
{
    const char *sample = kg__setting("KG_SAMPLE");

    return sample != NULL && globs_take(sample, id);
}

void kg__test_name(const char *kind, const char *comparison, const char *part, char *name,
                   size_t size)
{
    kg__format(name, size, "%s.%s.%s", kind, comparison, part);
}

void kg__verdicts_path(const char *home, const char *test, char *path, size_t size)
{
    char out[KG__PATH_SIZE];

    kg__out_folder(home, out, sizeof out);
    kg__format_path(path, size, "%s/records/%s" KG__VERDICTS_SUFFIX, out, test);
}

const char *kg__wrapper(const char *part)
{
    const char *wrapper = kg__setting("KG_WRAPPER");
    bool checks = strcmp(part, "check") == 0 || strcmp(part, "defects") == 0;

    return checks && wrapper != NULL && wrapper[strspn(wrapper, " ")] != '\0' ? wrapper : NULL;
}
