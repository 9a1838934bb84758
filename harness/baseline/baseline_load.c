/* SPDX-License-Identifier: MIT */
/* Finding and loading the baseline file of a target. */
#include "baseline/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "baseline/baseline_rules.h"

/* The text of a file, of `length` bytes and a NUL, freed with free(); NULL with `error` where it
 * cannot be read. `absent` becomes whether there is no such file. */
static char *read_text(const char *path, size_t *length, bool *absent, kg__error *error)
{
    const char *cause;
    FILE *file = kg__file_stream(path, &cause);
    struct stat status;
    char *text;

    *absent = file == NULL && errno == ENOENT;
    if (file == NULL) {
        kg__fail(error, "%s: cannot be opened: %s: %s", path, cause,
                 errno == EACCES ? "check its permissions"
                                 : "record a baseline with kernelgate rebaseline");
        return NULL;
    }
    if (fstat(fileno(file), &status) != 0 || (size_t)status.st_size > KG__BASELINE_LARGEST) {
        kg__fail(error, "%s: has more than %zu MiB, which no baseline has: " KG__BASELINE_REMEDY,
                 path, KG__BASELINE_LARGEST >> 20);
        fclose(file);
        return NULL;
    }
    text = kg__allocate((size_t)status.st_size + 1, 1);
    *length = fread(text, 1, (size_t)status.st_size, file);
    if (ferror(file)) {
        kg__fail(error, "%s: cannot be read: %s: check the disk", path, strerror(errno));
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

kg__load_status kg__baseline_load(const char *path, kg__baseline *baseline, kg__error *error)
{
    size_t length = 0;
    bool absent;
    kg__error ignored;
    char *text = read_text(path, &length, &absent, error != NULL ? error : &ignored);
    kg__load_status status;

    if (text == NULL) {
        *baseline = (kg__baseline){ 0 };
        if (absent && error != NULL)
            error->text[0] = '\0';
        return absent ? KG__ABSENT : KG__BAD;
    }
    status = kg__baseline_parse(path, text, length, baseline, error);
    free(text);
    return status;
}

/* Whether a stored baseline is of a board with another amount of memory. */
static bool is_other_board(const kg__baseline *baseline, const kg__target *target)
{
    double stored = (double)baseline->target.memory_mib;
    double present = (double)target->memory_mib;

    return stored > 0.0 && present > 0.0 &&
           fabs(stored - present) > KG__MEMORY_TOLERANCE * fmax(stored, present);
}

kg__load_status kg__baseline_load_for(const char *folder, kg__target *target, char *path,
                                      size_t size, kg__baseline *baseline, kg__error *error)
{
    kg__load_status status;
    char key[sizeof target->key];

    kg__format_path(path, size, "%s/%s.json", folder, target->key);
    status = kg__baseline_load(path, baseline, error);
    if (status == KG__ABSENT || !is_other_board(baseline, target))
        return status;
    kg__baseline_free(baseline);
    kg__format(key, sizeof key, "%.64s-%lld" KG__MEMORY_SUFFIX, target->key,
               (long long)((target->memory_mib + 512) / 1024));
    kg__format(target->key, sizeof target->key, "%s", key);
    kg__format_path(path, size, "%s/%s.json", folder, key);
    return kg__baseline_load(path, baseline, error);
}

/* Whether this project's own programs measured a baseline; else false with `error`. */
static bool is_own(const char *path, const kg__baseline *baseline, kg__error *error)
{
    const char *tool = kg__json_text(baseline->provenance, KG__MEASURED_BY);

    return *tool == '\0' ||
           kg__fail(error,
                    "%s: provenance: " KG__MEASURED_BY ": is %s, and this project's own programs "
                    "are not judged by what another tool measured: record this target with "
                    "kernelgate rebaseline, and import to another --target",
                    path, tool);
}

kg__load_status kg__baseline_load_own(const char *folder, kg__target *target,
                                      kg__baseline *baseline, kg__error *error)
{
    char path[2 * KG__PATH_SIZE];
    kg__load_status status =
        kg__baseline_load_for(folder, target, path, sizeof path, baseline, error);

    if (status != KG__LOADED || is_own(path, baseline, error))
        return status;
    kg__baseline_free(baseline);
    return KG__BAD;
}
