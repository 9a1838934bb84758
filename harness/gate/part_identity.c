/* SPDX-License-Identifier: MIT */
/* Which cases run code that the baseline, or a base commit, ran too: the same kernels' machine
 * code, launched with the same. */
#include <stdlib.h>
#include <string.h>

#include "base/child_process.h"
#include "base/json.h"
#include "baseline/fingerprint.h"
#include "gate/part.h"
#include "gate/spawn_observer.h"

/* How long a program may take to list its cases. */
#define LISTING_SECONDS 20

/* The code that a program's cases launch. */
typedef struct identification {
    kg__part_run *run;
    const char *program;    /* NULL: this one */
    kg__kernel_code **code; /* by case, the part's pool's; NULL: not known */
    char toolkit[64];       /* the program's; empty: not known */
} identification;

static void take_of_case(identification *found, kg__part_case *part_case,
                         const kg__observation *observation)
{
    kg__part_run *run = found->run;

    if (observation->event == KG__EVENT_IDENTIFIED)
        found->code[part_case - run->part_cases] =
            kg__observation_hold(&run->pool, observation)->kernel;
    else if (observation->event == KG__EVENT_REFUSED && found->program == NULL)
        kg__part_take_refusal(run, part_case, observation);
}

static void take_observation(void *context, const kg__observation *observation)
{
    identification *found = context;
    kg__part_case *part_case = kg__part_find_case(found->run, observation->id);

    if (observation->event == KG__EVENT_TARGET) {
        kg__format(found->toolkit, sizeof found->toolkit, "%s",
                   kg__json_text(observation->provenance, "cuda"));
        if (found->program == NULL)
            kg__part_take_device(found->run, observation);
    }
    if (part_case != NULL)
        take_of_case(found, part_case, observation);
}

/* Adds the machine code of what was launched, from the program's file. */
static void add_fingerprints(identification *found)
{
    kg__kernels kernels = { 0 };

    kg__kernels_add(&kernels, found->program);
    for (size_t i = 0; i < found->run->count; i++) {
        if (found->code[i] != NULL)
            (void)kg__kernels_fingerprint(&kernels, found->run->target.compute_capability,
                                          found->code[i]);
    }
    kg__kernels_free(&kernels);
}

/* Has a program tell what the cases of the given ids launch. False where it cannot: what only runs
 * does not tell why, since the same is timed next, and says so. */
static bool identify(identification *found, const char *const *ids, size_t count, const char *label)
{
    const kg__part_run *run = found->run;
    char stem[KG__PATH_SIZE];
    kg__observation_job job = {
        .program = found->program,
        .part = KG__PART_IDENTIFY,
        .cases = ids,
        .case_count = count,
        .records = stem,
        .silence_limit = kg__silence_limit(),
        .on_observation = take_observation,
        .context = found,
    };
    kg__error why = { "" };

    kg__part_name_records(run, run->part, label, stem, sizeof stem);
    if (kg__observe_cases(&job, &why) != KG__OBSERVED)
        return false;
    add_fingerprints(found);
    return true;
}

static bool identify_own(kg__part_run *run, identification *own)
{
    const char **ids = kg__allocate(run->count, sizeof *ids);
    bool good;

    *own = (identification){ .run = run };
    own->code = kg__pool_array(&run->pool, run->count, sizeof(kg__kernel_code *));
    for (size_t i = 0; i < run->count; i++)
        ids[i] = run->part_cases[i].c->id;
    good = identify(own, ids, run->count, "identify");
    for (size_t i = 0; i < run->count; i++)
        run->part_cases[i].code = own->code[i];
    free(ids);
    return good;
}

/* Lists the cases that the base has. */
static size_t list_known(const kg__part_run *run, const char *program, const char **ids)
{
    const char *arguments[] = { program, "--cases", KG__PART_IDENTIFY, NULL };
    kg__listing listing = { 0 };
    size_t count = 0;

    /* A base of an earlier version has no such part. */
    if (kg__child_lines(arguments, LISTING_SECONDS, &listing) == 0) {
        for (size_t i = 0; i < run->count; i++) {
            if (kg__listing_has(&listing, run->part_cases[i].c->id))
                ids[count++] = run->part_cases[i].c->id;
        }
    }
    kg__listing_free(&listing);
    return count;
}

/* Whether any code was identified: else there is nothing to compare. */
static bool is_known(const identification *found)
{
    for (size_t i = 0; i < found->run->count; i++) {
        if (found->code[i] != NULL && found->code[i]->fingerprint[0] != '\0')
            return true;
    }
    return false;
}

static void compare_with_base(kg__part_run *run, const identification *own)
{
    const char **ids = kg__allocate(run->count, sizeof *ids);
    char program[KG__PATH_SIZE];
    identification base = { .run = run, .program = program };
    size_t count;

    kg__format_path(program, sizeof program, "%s/%s.gpu", kg__base_folder(), run->comparison->name);
    base.code = kg__pool_array(&run->pool, run->count, sizeof(kg__kernel_code *));
    count = list_known(run, program, ids);
    if (count > 0 && identify(&base, ids, count, "identify-base") &&
        strcmp(base.toolkit, own->toolkit) == 0) {
        for (size_t i = 0; i < run->count; i++) {
            if (kg__is_same_code(base.code[i], own->code[i]))
                run->part_cases[i].same_code = "base";
        }
    }
    free(ids);
}

static void compare_with_baseline(kg__part_run *run, const identification *own)
{
    const char *then = kg__json_text(run->stored.provenance, "cuda");

    run->same_toolkit = run->baseline != NULL && *then != '\0' && strcmp(then, own->toolkit) == 0;
    for (size_t i = 0; i < run->count && run->same_toolkit; i++) {
        const kg__baseline_case *recorded =
            kg__baseline_find(run->baseline, run->part_cases[i].c->id);

        /* A change may come with a baseline that says what it wants; its base does not. */
        if (kg__base_folder() == NULL && recorded != NULL &&
            kg__is_same_code(recorded->code, own->code[i]))
            run->part_cases[i].same_code = "baseline";
    }
}

/* Whether there is any code to compare with: that of a case in the baseline, under a known toolkit,
 * or a base's. */
static bool can_compare(const kg__part_run *run)
{
    if (kg__base_folder() != NULL || !run->device_seen)
        return true;
    for (size_t i = 0; i < run->stored.case_count; i++) {
        const kg__kernel_code *code = run->stored.cases[i].code;

        if (code != NULL && code->fingerprint[0] != '\0')
            return *kg__json_text(run->stored.provenance, "cuda") != '\0';
    }
    return false;
}

/* Whether one of the cases is of this case's variant. */
static bool is_of_held(const kg__part_run *run, const kg__case *c)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->part_cases[i].held != NULL && run->part_cases[i].result == NULL &&
            run->part_cases[i].c->variant == c->variant)
            return kg__case_refusal(run->comparison, c) == NULL;
    }
    return false;
}

/* Whose code all of some cases of a variant run; NULL where that is not known of each. */
static const char *common_code(const kg__part_case *part_cases, size_t count,
                               const kg_variant *variant)
{
    const char *common = NULL;

    for (size_t i = 0; i < count; i++) {
        if (part_cases[i].c->variant != variant)
            continue;
        common = part_cases[i].same_code;
        if (common == NULL)
            return NULL;
    }
    return common;
}

void kg__part_identify_held(kg__part_run *run)
{
    kg__part_case *const part_cases = run->part_cases;
    const size_t count = run->count;
    kg__case_list table;
    kg__error ignored;
    kg__part_case *timed;
    size_t timed_count = 0;

    if (!kg__table_expand(run->comparison, KG__PART_IDENTIFY, &table, &ignored)) {
        kg__case_list_free(&table);
        return;
    }
    timed = kg__allocate(table.count, sizeof *timed);
    for (size_t i = 0; i < table.count; i++) {
        if (is_of_held(run, &table.list[i]))
            timed[timed_count++].c = &table.list[i];
    }
    run->part_cases = timed;
    run->count = timed_count;
    if (timed_count > 0)
        kg__part_identify(run);
    run->part_cases = part_cases;
    run->count = count;
    for (size_t i = 0; i < count; i++) {
        if (part_cases[i].held != NULL)
            part_cases[i].same_code = common_code(timed, timed_count, part_cases[i].c->variant);
    }
    free(timed);
    kg__case_list_free(&table);
}

void kg__part_identify(kg__part_run *run)
{
    identification own;

    if (!can_compare(run) || !identify_own(run, &own))
        return;
    compare_with_baseline(run, &own);
    if (kg__base_folder() != NULL && is_known(&own))
        compare_with_base(run, &own);
    for (size_t i = 0; i < run->count; i++) {
        for (size_t j = 0; j < run->part_cases[i].observers; j++)
            kg__part_add_fingerprint(run, &run->part_cases[i], run->part_cases[i].measured[j]);
    }
}
