#include "results/causes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/text.h"
#include "baseline/baseline.h"
#include "judge/judge.h"
#include "records/finding.h"
#include "records/gpu_state.h"
#include "results/bridge.h"
#include "results/results_read.h"
#include "results/results_text.h"
#include "results/time_result.h"

/* What the CPU model's run says of one case. */
typedef enum witness {
    ABSENT,    /* it was not counted */
    UNKNOWN,   /* counted, and there is nothing to hold it against */
    UNCHANGED, /* counts what the baseline holds */
    MOVED,
    FAILED /* wrong, or it could not be run */
} witness;

/* The cases of the CPU model's run, by id, and what they say of each variant. */
typedef struct model_counts {
    json_t *cases;
    json_t *variants; /* by hear_variants() */
} model_counts;

static void add(json_t *changed, const char *text)
{
    json_array_append_new(changed, json_string(text));
}

static witness hear(const json_t *entry)
{
    json_t *metrics = json_object_get(entry, "metrics");
    witness said = UNCHANGED;
    const char *name;
    json_t *metric;

    if (entry != NULL && kg__results_verdict(entry) >= KG__WRONG)
        return FAILED;
    if (entry == NULL || !kg__is_counted_json(entry))
        return ABSENT;
    json_object_foreach (metrics, name, metric) {
        kg__verdict verdict = kg__results_verdict(metric);

        if (verdict == KG__SLOWER || verdict == KG__FASTER)
            return MOVED;
        if (verdict == KG__NO_BASELINE)
            said = UNKNOWN;
    }
    return said;
}

/* What a case that was counted says; `of` names it where it is another size. */
static void add_witness(json_t *changed, witness said, const json_t *entry, const char *of)
{
    char moves[KG__MESSAGE_SIZE];
    char text[KG__MESSAGE_SIZE];

    if (said == MOVED) {
        kg__counted_moves_json(entry, moves, sizeof moves);
        kg__format(text, sizeof text, "on the CPU model%s%s: %s", *of != '\0' ? ", of " : "", of,
                   moves);
    } else if (said == FAILED) {
        char *reason = kg__results_reason(entry);

        kg__format(text, sizeof text, "on the CPU model%s%s it is %s: %s",
                   *of != '\0' ? ", of " : "", of, kg__verdict_name(kg__results_verdict(entry)),
                   reason);
        free(reason);
    } else if (said == UNKNOWN) {
        kg__format(text, sizeof text,
                   "the CPU model has no counts to hold it against: record them with ci/rebaseline "
                   "--target model");
    } else {
        kg__format(text, sizeof text, "it counts what the CPU model's baseline holds");
    }
    add(changed, text);
}

/* Where in the source the model's case says to look, for that of the GPU. */
static void copy_place(json_t *entry, const json_t *twin)
{
    kg__findings found;
    kg__error error;

    if (kg__findings_read(twin, &found, &error) && found.count > 0 && found.list[0].by.file != NULL)
        json_object_set_new(entry, KG__AT,
                            kg__source_json(found.list[0].by.file, found.list[0].by.line));
    else if (json_object_get(twin, KG__AT) != NULL)
        json_object_set(entry, KG__AT, json_object_get(twin, KG__AT));
}

/* The member of `variants` for an id's comparison and variant, which is made where it is missing.
 */
static json_t *of_variant(json_t *variants, const char *id)
{
    char *variant = kg__copy_text(id);
    json_t *found;

    variant[kg__variant_length(id)] = '\0';
    found = json_object_get(variants, variant);
    if (found == NULL) {
        found = json_object();
        json_object_set_new(variants, variant, found);
    }
    free(variant);
    return found;
}

/* What the CPU model's cases say of each variant: "case", the first that moved or failed, and
 * "unchanged", how many count what the baseline holds. The caller's. */
static json_t *hear_variants(json_t *counted)
{
    json_t *variants = json_object();
    const char *id;
    json_t *entry;

    json_object_foreach (counted, id, entry) {
        witness said = hear(entry);
        json_t *of = of_variant(variants, id);

        if ((said == MOVED || said == FAILED) && json_object_get(of, "case") == NULL)
            json_object_set_new(of, "case", json_string(id));
        else if (said == UNCHANGED)
            json_object_set_new(of, "unchanged",
                                json_integer((json_int_t)kg__json_count(of, "unchanged") + 1));
    }
    return variants;
}

/* What the variant's other sizes say, where the model did not count this one. */
static void add_other_sizes(json_t *entry, json_t *changed, const model_counts *model,
                            const char *id)
{
    const json_t *of = of_variant(model->variants, id);
    const char *other = kg__json_text(of, "case");
    size_t unchanged = kg__json_count(of, "unchanged");
    char text[KG__MESSAGE_SIZE];

    if (*other != '\0') {
        const json_t *twin = json_object_get(model->cases, other);

        add_witness(changed, hear(twin), twin, other);
        copy_place(entry, twin);
        return;
    }
    if (unchanged > 0)
        kg__format(
            text, sizeof text,
            "the CPU model does not count this size; %zu other case%s of the variant count%s "
            "what its baseline holds",
            unchanged, unchanged == 1 ? "" : "s", unchanged == 1 ? "s" : "");
    else
        kg__format(text, sizeof text,
                   "this run has no counts of it: ci/gate --target model says "
                   "whether the kernel asks for more");
    add(changed, text);
}

static void add_card(json_t *changed, const json_t *entry, const json_t *provenance)
{
    double most = kg__json_number(provenance, "max_sm_clock_mhz");
    kg__gpu_state state;
    char seen[256];
    char text[512];

    (void)kg__gpu_state_read(json_object_get(entry, "card"), &state, NULL);
    kg__gpu_state_describe(&state, most > 0 ? most : 0, seen, sizeof seen);
    if (seen[0] == '\0')
        return;
    kg__format(text, sizeof text, "the card, at its worst while it was timed: %s", seen);
    add(changed, text);
}

/* The CPU model counts nothing of what was imported. */
static bool asks_for_causes(const json_t *entry)
{
    kg__verdict verdict = kg__results_verdict(entry);

    return json_object_get(entry, KG__IMPORTED) == NULL &&
           (verdict == KG__SLOWER || verdict == KG__ENVIRONMENT) && !kg__is_counted_json(entry) &&
           json_object_size(json_object_get(entry, "metrics")) > 0;
}

static void explain(json_t *entry, const char *id, const model_counts *model,
                    const json_t *provenance)
{
    /* The list may be shared with the document that it came from. */
    json_t *changed = json_copy(json_object_get(entry, KG__CHANGED));
    const json_t *twin = json_object_get(model->cases, id);
    witness said = hear(twin);

    if (!json_is_array(changed)) {
        json_decref(changed);
        changed = json_array();
    }
    add_card(changed, entry, provenance);
    if (said == ABSENT)
        add_other_sizes(entry, changed, model, id);
    else
        add_witness(changed, said, twin, "");
    if (said == MOVED || said == FAILED)
        copy_place(entry, twin);
    json_object_set_new(entry, KG__CHANGED, changed);
}

void kg__causes_add(json_t *cases, const json_t *provenance)
{
    model_counts model = { .cases = json_object_get(cases, KG__MODEL_KEY) };
    const char *target;
    json_t *of_target;

    model.variants = hear_variants(model.cases);
    json_object_foreach (cases, target, of_target) {
        const char *id;
        json_t *entry;

        if (strcmp(target, KG__MODEL_KEY) == 0)
            continue;
        json_object_foreach (of_target, id, entry) {
            if (asks_for_causes(entry))
                explain(entry, id, &model, json_object_get(provenance, target));
            else
                (void)json_object_del(entry, KG__CHANGED);
        }
    }
    json_decref(model.variants);
}
