/* SPDX-License-Identifier: MIT */
#include "judge_records/judges.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "judge/judge.h"
#include "judge_records/judge_each.h"

#define NAMES 6

/* Classes of instructions; each list ends with NULL. */
static const char *const global_loads[NAMES] = { "global_load_128" };
static const char *const copies[NAMES] = { "async_copy_128" };

/* A launch is never faster that has fewer of a group, or more atomics: without a clock nobody knows
 * what that costs. */
enum { TENSOR, GLOBAL_LOADS, GLOBAL_STORES, SHARED_LOADS, SHARED_STORES };
static const char *const kept[][NAMES] = {
    [TENSOR] = { "hmma", "imma", "dmma", "bmma", "wgmma" },
    [GLOBAL_LOADS] = { "global_load_128", "async_copy_128" },
    [GLOBAL_STORES] = { "global_store_128" },
    [SHARED_LOADS] = { "shared_load_128" },
    [SHARED_STORES] = { "shared_store_128" },
};
static const char *const contended[][NAMES] = { { "atomic" }, { "shared_atomic" } };

/* How a case's launch differs from the baseline's. */
typedef struct code_case {
    const json_t *before; /* its kernels; null: the baseline lacks the case */
    const json_t *now;
    bool costlier; /* so that no move makes it faster */
    json_t *moves;
    kg__verdict verdict;
} code_case;

static double count_of(const json_t *kernel, const char *name)
{
    return json_number_value(json_object_get(json_object_get(kernel, "instructions"), name));
}

static double count_in(const json_t *kernel, const char *const *names)
{
    double count = 0.0;

    for (; *names != NULL; names++)
        count += count_of(kernel, *names);
    return count;
}

/* How many more instructions of some classes a launch has than the baseline's. */
static double growth(const code_case *code, const char *const *names)
{
    double count = 0.0;
    const json_t *kernel;
    size_t i;

    json_array_foreach (code->now, i, kernel)
        count += count_in(kernel, names);
    json_array_foreach (code->before, i, kernel)
        count -= count_in(kernel, names);
    return count;
}

static bool may_be_costlier(const code_case *code)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (growth(code, kept[i]) < 0.0)
            return true;
    }
    return growth(code, contended[0]) > 0.0 || growth(code, contended[1]) > 0.0;
}

static void add_move(code_case *code, const char *kernel, const char *figure, double before,
                     double now, kg__verdict verdict)
{
    json_t *move;

    if (before == now)
        return;
    if (verdict == KG__FASTER && code->costlier)
        verdict = KG__PASS;
    code->verdict = kg__worse(code->verdict, verdict);
    move = json_pack("{s:s, s:s, s:f, s:f, s:s}", "kernel", kernel, "figure", figure, "before",
                     before, "now", now, "verdict", kg__verdict_name(verdict));
    kg__json_set_count(move, "before", "", before);
    kg__json_set_count(move, "now", "", now);
    json_array_append_new(code->moves, move);
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static kg__verdict judge_instructions(const char *name, double before, double now,
                                      const json_t *kernel)
{
    /* Another tensor-core instruction may do more at a time. */
    if (is_one_of(name, kept[TENSOR]))
        return count_in(kernel, kept[TENSOR]) > 0.0 ? KG__PASS : KG__SLOWER;
    if ((!is_one_of(name, global_loads) && !is_one_of(name, kept[SHARED_LOADS])) ||
        (before > 0.0) == (now > 0.0))
        return KG__PASS;
    if (now > 0.0)
        return KG__FASTER;
    /* An asynchronous copy does what a load from global memory and a store to shared memory did. */
    return is_one_of(name, global_loads) && count_in(kernel, copies) > 0.0 ? KG__PASS : KG__SLOWER;
}

/* The first of the names after `last` in alphabetical order; NULL after the last. */
static const char *next_name(json_t *names, const char *last)
{
    const char *next = NULL;
    const char *name;
    json_t *unused;

    json_object_foreach (names, name, unused) {
        if (strcmp(name, last) > 0 && (next == NULL || strcmp(name, next) < 0))
            next = name;
    }
    return next;
}

static void add_instructions(code_case *code, const char *kernel, const json_t *before,
                             const json_t *now)
{
    json_t *names = json_copy(json_object_get(before, "instructions"));

    (void)json_object_update_missing(names, json_object_get(now, "instructions"));
    for (const char *name = next_name(names, ""); name != NULL; name = next_name(names, name)) {
        double first = count_of(before, name);
        double last = count_of(now, name);

        add_move(code, kernel, name, first, last, judge_instructions(name, first, last, now));
    }
    json_decref(names);
}

/* The kernel of the baseline that one at `place` is compared with: the last of its name, else the
 * one at its place in a launch of as many, which was renamed; else NULL. */
static const json_t *find_before(const code_case *code, size_t place)
{
    const char *name = kg__json_text(json_array_get(code->now, place), "kernel");
    size_t count = json_array_size(code->before);

    for (size_t i = count; i > 0; i--) {
        const json_t *kernel = json_array_get(code->before, i - 1);

        if (strcmp(kg__json_text(kernel, "kernel"), name) == 0)
            return kernel;
    }
    return count == json_array_size(code->now) ? json_array_get(code->before, place) : NULL;
}

/* Adds the moves of a kernel, the size of the code last, which says least. A kernel that the
 * baseline lacks spilled nothing there. A figure that one side lacks is not compared: earlier
 * baselines have no blocks. */
static void add_kernel(code_case *code, const json_t *figures, size_t place)
{
    const json_t *now = json_array_get(code->now, place);
    const json_t *before = find_before(code, place);
    const char *kernel = json_array_size(code->now) > 1 ? kg__json_text(now, "kernel") : "";
    const char *name;
    json_t *figure;

    json_object_foreach ((json_t *)figures, name, figure) {
        json_int_t worse = json_integer_value(json_object_get(figure, "worse"));
        bool is_spill = strncmp(name, "spill_", strlen("spill_")) == 0;
        double first = before == NULL && is_spill ? 0.0 : kg__json_number(before, name);
        double last = kg__json_number(now, name);

        if (strcmp(name, "code_bytes") == 0)
            add_instructions(code, kernel, before, now);
        if (!isnan(first) && !isnan(last))
            add_move(code, kernel, name, first, last,
                     worse == 0                      ? KG__PASS
                     : (last > first) == (worse > 0) ? KG__SLOWER
                                                     : KG__FASTER);
    }
}

static bool is_launch(const json_t *kernels)
{
    const json_t *kernel;
    size_t i;

    json_array_foreach (kernels, i, kernel) {
        if (*kg__json_text(kernel, "kernel") == '\0')
            return false;
    }
    return json_array_size(kernels) > 0;
}

/* The entry of a case; NULL with `fault` where it has another form. */
static json_t *judge_case(const json_t *figures, json_t *launch, json_error_t *fault)
{
    code_case code = { .verdict = KG__NO_BASELINE };
    const char *id;
    const char *target;

    if (json_unpack_ex(launch, fault, JSON_STRICT, "{s:s, s:s, s:o, s:o}", "case", &id, "target",
                       &target, "before", &code.before, "now", &code.now) != 0)
        return NULL;
    if (!is_launch(code.now) || !(json_is_null(code.before) || is_launch(code.before))) {
        kg__format(fault->text, sizeof fault->text, "it is not a list of kernels");
        return NULL;
    }
    code.moves = json_array();
    if (!json_is_null(code.before)) {
        code.verdict = KG__PASS;
        code.costlier = may_be_costlier(&code);
        for (size_t i = 0; i < json_array_size(code.now); i++)
            add_kernel(&code, figures, i);
        add_move(&code, "", "kernels", (double)json_array_size(code.before),
                 (double)json_array_size(code.now), KG__PASS);
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "case", id, "target", target, "part", "code",
                     "verdict", kg__verdict_name(code.verdict), "moves", code.moves);
}

json_t *kg__judge_launches(const kg__judged_file *file, kg__error *error)
{
    if (json_object_size(json_object_get(file->document, "figures")) > 0)
        return kg__judge_each(file, "launches", "cases", judge_case, error);
    kg__fail(error, "%s: it has no figures: install kernelgate again", file->path);
    return NULL;
}
