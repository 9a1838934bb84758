/* SPDX-License-Identifier: MIT */
#include "records/kernel_code.h"

#include <string.h>

/* Beyond any register file or memory of a block. */
#define LARGEST_FIGURE 1e9

const kg__kernel_code kg__kernel_code_unknown = { NULL, -1, -1, -1, -1, NAN, { NULL, 0 }, "", "" };

static bool is_fingerprint(const char *text)
{
    if (strncmp(text, KG__ELF_MARK, strlen(KG__ELF_MARK)) == 0)
        text += strlen(KG__ELF_MARK);
    return strlen(text) == KG__HASH_TEXT_SIZE - 1 && text[strspn(text, "0123456789abcdef")] == '\0';
}

static json_t *make_fingerprint(const void *held)
{
    return *(const char *)held != '\0' ? json_string(held) : NULL;
}

static const char *read_fingerprint(json_t *value, void *to, kg__pool *pool, kg__error *error)
{
    (void)pool;
    (void)error;
    if (!json_is_string(value))
        return "a text";
    if (is_fingerprint(json_string_value(value)))
        kg__format(to, KG__FINGERPRINT_SIZE, "%s", json_string_value(value));
    return NULL;
}

#define CODE_FIELD(member, kind) KG__FIELD(kg__kernel_code, member, #member, kind)

const kg__field kg__kernel_code_fields[] = {
    CODE_FIELD(name, TEXT),
    CODE_FIELD(registers, FIGURE),
    CODE_FIELD(local_bytes, FIGURE),
    CODE_FIELD(shared_bytes, FIGURE),
    CODE_FIELD(blocks_per_multiprocessor, FIGURE),
    CODE_FIELD(occupancy, NUMBER),
    CODE_FIELD(names, TEXTS),
    KG__FIELD_OWN_TEXT(kg__kernel_code, launch, "launch"),
    KG__FIELD_BY(kg__kernel_code, fingerprint, "fingerprint", make_fingerprint, read_fingerprint),
    { 0 },
};

/* The figures that a baseline keeps, and their names in sentences. */
static const struct {
    const char *key;
    const char *words;
    const char *unit;
    bool is_fraction;
} figures[KG__CODE_CHANGES] = {
    { "registers", "registers", "", false },
    { "local_bytes", "local memory", "B", false },
    { "shared_bytes", "shared memory", "B", false },
    { "occupancy", "occupancy", "", true },
};

/* The figures in that order; NAN: unknown. */
typedef struct figure_list {
    double value[KG__CODE_CHANGES];
} figure_list;

static double known_count(int64_t count)
{
    return count >= 0 ? (double)count : NAN;
}

static figure_list figures_of(const kg__kernel_code *code)
{
    if (code == NULL)
        return (figure_list){ { NAN, NAN, NAN, NAN } };
    return (figure_list){ { known_count(code->registers), known_count(code->local_bytes),
                            known_count(code->shared_bytes), code->occupancy } };
}

static const char *fingerprint_of(const kg__kernel_code *code)
{
    return code != NULL ? code->fingerprint : "";
}

kg__kernel_code *kg__kernel_code_keep(kg__pool *pool, const kg__kernel_code *code)
{
    figure_list list = figures_of(code);
    bool known = *fingerprint_of(code) != '\0';
    kg__kernel_code *kept;

    for (size_t i = 0; i < KG__CODE_CHANGES; i++)
        known = known || !isnan(list.value[i]);
    if (!known)
        return NULL;
    kept = kg__pool_array(pool, 1, sizeof *kept);
    *kept = *code;
    kept->name = NULL;
    kept->blocks_per_multiprocessor = -1;
    kept->names = (kg__texts){ NULL, 0 };
    kept->launch[0] = '\0';
    return kept;
}

/* Whether a member can be a baseline's. */
static bool is_kept(const char *key, const json_t *value)
{
    double figure = json_number_value(value);

    if (strcmp(key, "fingerprint") == 0)
        return json_is_string(value) && is_fingerprint(json_string_value(value));
    for (size_t i = 0; i < KG__CODE_CHANGES; i++) {
        if (strcmp(key, figures[i].key) == 0)
            return (figures[i].is_fraction ? json_is_number(value) : json_is_integer(value)) &&
                   figure >= 0.0 && figure <= (figures[i].is_fraction ? 1.0 : LARGEST_FIGURE);
    }
    return false;
}

const char *kg__kernel_code_fault(const json_t *code)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)code, key, value) {
        if (!is_kept(key, value))
            return key;
    }
    return json_object_size(code) == 0 ? "" : NULL;
}

bool kg__is_same_launch(const kg__kernel_code *one, const kg__kernel_code *other)
{
    if (one == NULL || other == NULL || one->launch[0] == '\0' ||
        strcmp(one->launch, other->launch) != 0 || one->names.count != other->names.count)
        return false;
    for (size_t i = 0; i < one->names.count; i++) {
        if (strcmp(one->names.items[i], other->names.items[i]) != 0)
            return false;
    }
    return true;
}

bool kg__is_same_code(const kg__kernel_code *before, const kg__kernel_code *now)
{
    return *fingerprint_of(before) != '\0' &&
           strcmp(fingerprint_of(before), fingerprint_of(now)) == 0;
}

bool kg__is_other_code(const kg__kernel_code *before, const kg__kernel_code *now)
{
    return *fingerprint_of(before) != '\0' &&
           strlen(fingerprint_of(before)) == strlen(fingerprint_of(now)) &&
           strcmp(fingerprint_of(before), fingerprint_of(now)) != 0;
}

static void show_figure(char *text, size_t size, size_t figure, double value)
{
    if (figures[figure].is_fraction)
        kg__show_percent(text, size, value, false);
    else
        kg__show_figure(text, size, value, figures[figure].unit);
}

size_t kg__kernel_code_changes(const kg__kernel_code *before, const kg__kernel_code *now,
                               kg__code_change changes[KG__CODE_CHANGES])
{
    figure_list then = figures_of(before);
    figure_list is = figures_of(now);
    size_t count = 0;

    for (size_t i = 0; i < KG__CODE_CHANGES; i++) {
        char old_text[KG__FIGURE_SIZE];
        char new_text[KG__FIGURE_SIZE];

        if (isnan(then.value[i]) || isnan(is.value[i]) || then.value[i] == is.value[i])
            continue;
        show_figure(old_text, sizeof old_text, i, then.value[i]);
        show_figure(new_text, sizeof new_text, i, is.value[i]);
        kg__format(changes[count].text, sizeof changes[count].text, "%s %s -> %s", figures[i].words,
                   old_text, new_text);
        count++;
    }
    return count;
}
