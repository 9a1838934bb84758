/* SPDX-License-Identifier: MIT */
#include "suite/case_id.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A comparison without axes of its own has these two; ids have their first letters. */
static const char *const default_axes[KG_MAX_AXES] = { "block", "grid" };

static const char *const *axes_of(const kg_comparison *comparison)
{
    return comparison->axes[0] != NULL ? comparison->axes : default_axes;
}

/* Returns an axis's text in ids; "" for NULL. */
static const char *prefix_of(const char *name)
{
    if (name == NULL)
        return "";
    for (size_t i = 0; default_axes[i] != NULL; i++) {
        if (strcmp(name, default_axes[i]) == 0)
            return i == 0 ? "b" : "g";
    }
    return name;
}

int kg__axis_count(const kg_comparison *comparison)
{
    const char *const *axes = axes_of(comparison);
    int count = 0;

    while (count < KG_MAX_AXES && axes[count] != NULL)
        count++;
    return count;
}

const char *kg__axis_name(const kg_comparison *comparison, int axis)
{
    return axes_of(comparison)[axis];
}

int kg__axis_of(const kg_comparison *comparison, const char *name)
{
    for (int i = kg__axis_count(comparison) - 1; i >= 0; i--) {
        if (strcmp(axes_of(comparison)[i], name) == 0)
            return i;
    }
    return -1;
}

bool kg__axes_are_good(const kg_comparison *comparison, kg__error *error)
{
    const char *const *axes = axes_of(comparison);

    for (int i = 0; i < KG_MAX_AXES && axes[i] != NULL; i++) {
        if (axes[i][0] == '\0' ||
            strspn(axes[i], "abcdefghijklmnopqrstuvwxyz_") != strlen(axes[i]) ||
            strlen(axes[i]) > KG__AXIS_LENGTH)
            return kg__fail(error,
                            "%s: axis \"%s\": an axis name may only have a-z and _, at most %d "
                            "letters: rename it",
                            comparison->name, axes[i], KG__AXIS_LENGTH);
        for (int j = 0; j < i; j++) {
            if (strcmp(prefix_of(axes[i]), prefix_of(axes[j])) == 0)
                return kg__fail(error,
                                "%s: axes \"%s\" and \"%s\" have the same name in case ids: "
                                "rename one",
                                comparison->name, axes[j], axes[i]);
        }
    }
    return true;
}

bool kg__launches_equal(const kg_launch *a, const kg_launch *b)
{
    return a->axes == b->axes && memcmp(a->axis, b->axis, (size_t)a->axes * sizeof *a->axis) == 0;
}

void kg__case_id_write(const kg_comparison *comparison, const kg_variant *variant,
                       const kg_size *size, const kg_launch *launch, char id[KG__CASE_ID_SIZE])
{
    kg__format(id, KG__CASE_ID_SIZE, "%s/%s", comparison->name, variant->name);
    for (int i = 0; i < size->extents; i++)
        kg__append(id, KG__CASE_ID_SIZE, "%s%" PRId64, i == 0 ? "/" : "x", size->extent[i]);
    kg__append(id, KG__CASE_ID_SIZE, launch->axes == 0 ? "/-" : "/");
    for (int i = 0; i < launch->axes; i++)
        kg__append(id, KG__CASE_ID_SIZE, "%s%d", prefix_of(axes_of(comparison)[i]),
                   launch->axis[i]);
}

/* Parses the number at the front of `text` and sets `*rest` after it: 1 to 2^31 - 1, without a
 * sign or leading zeros; else 0. */
static int take_number(const char *text, const char **rest)
{
    char *end;
    long number;

    *rest = text;
    if (*text < '1' || *text > '9')
        return 0;
    number = strtol(text, &end, 10);
    *rest = end;
    return number <= INT_MAX ? (int)number : 0;
}

/* Parses a launch as written in ids. */
static bool read_launch(const kg_comparison *comparison, const char *text, kg_launch *launch)
{
    int axes = kg__axis_count(comparison);

    *launch = (kg_launch){ 0 };
    if (strcmp(text, "-") == 0)
        return true;
    while (*text != '\0' && launch->axes < axes) {
        const char *prefix = prefix_of(axes_of(comparison)[launch->axes]);
        int *value = &launch->axis[launch->axes++];

        if (strncmp(text, prefix, strlen(prefix)) != 0)
            return false;
        *value = take_number(text + strlen(prefix), &text);
        if (*value == 0)
            return false;
    }
    return launch->axes > 0 && *text == '\0';
}

/* Returns the variant of a name of `length` bytes, or NULL. */
static const kg_variant *find_variant(const kg_comparison *comparison, const char *name,
                                      size_t length)
{
    const kg_variant *variant = comparison->variants;

    while (variant->name != NULL &&
           (strlen(variant->name) != length || memcmp(variant->name, name, length) != 0))
        variant++;
    return variant->name != NULL ? variant : NULL;
}

bool kg__case_id_read(const kg_comparison *comparison, const char *id, kg__case_id *parts,
                      kg__error *why)
{
    size_t length = strlen(comparison->name);
    const char *variant = id + length + 1;
    const char *launch = strrchr(id, '/');
    const char *end;

    *parts = (kg__case_id){ NULL };
    if (strncmp(id, comparison->name, length) != 0 || id[length] != '/')
        return kg__fail(why, "%s: no case of the comparison %s: run the program of that comparison",
                        id, comparison->name);
    end = strchr(variant, '/');
    if (end == NULL || end >= launch || !read_launch(comparison, launch + 1, &parts->launch))
        return kg__fail(why,
                        "%s: no such case: an id is <comparison>/<variant>/<size>/<launch>, as "
                        "--candidates prints them",
                        id);
    parts->size = end + 1;
    parts->size_length = (int)(launch - parts->size);
    parts->variant = find_variant(comparison, variant, (size_t)(end - variant));
    return parts->variant != NULL ||
           kg__fail(why, "%s: %s has no variant of this name; see --candidates", id,
                    comparison->name);
}
