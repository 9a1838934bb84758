#include "causes.h"

#include <stdbool.h>
#include <string.h>

#include "baseline.h"
#include "card.h"
#include "counting.h"
#include "gating.h"
#include "judge.h"
#include "message.h"
#include "records.h"
#include "results_text.h"
#include "text.h"

/* What the CPU model's run says of one case. */
typedef enum witness {
    ABSENT,    /* it was not counted */
    UNKNOWN,   /* counted, and there is nothing to hold it against */
    UNCHANGED, /* counts what the baseline holds */
    MOVED,
    FAILED /* wrong, or it could not be run */
} witness;

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
    if (entry == NULL || !kg__is_counted(entry))
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

/* Whether two ids are of one comparison and variant. */
static bool is_same_variant(const char *one, const char *other)
{
    return strncmp(one, other, kg__variant_length(one)) == 0;
}

/* What a case that was counted says; `of` names it where it is another size. */
static void add_witness(json_t *changed, witness said, const json_t *entry, const char *of)
{
    char moves[KG__MESSAGE_SIZE];
    char text[KG__MESSAGE_SIZE];

    if (said == MOVED) {
        kg__counted_moves(entry, moves, sizeof moves);
        kg__format(text, sizeof text, "on the CPU model%s%s: %s", *of != '\0' ? ", of " : "", of,
                   moves);
    } else if (said == FAILED) {
        kg__format(text, sizeof text, "on the CPU model%s%s it is %s: %s",
                   *of != '\0' ? ", of " : "", of, kg__verdict_name(kg__results_verdict(entry)),
                   kg__json_text(entry, "why"));
    } else if (said == UNKNOWN) {
        kg__format(text, sizeof text,
                   "the CPU model has no counts to hold it against: record them with ci/rebaseline "
                   "--target model");
    } else {
        kg__format(text, sizeof text, "it counts what the CPU model's baseline holds");
    }
    add(changed, text);
}

/* What the variant's other sizes say, where the model did not count this one. */
static void add_other_sizes(json_t *changed, json_t *counted, const char *id)
{
    size_t unchanged = 0;
    const char *other;
    json_t *entry;
    char text[KG__MESSAGE_SIZE];

    json_object_foreach (counted, other, entry) {
        witness said = is_same_variant(id, other) ? hear(entry) : ABSENT;

        if (said == MOVED || said == FAILED) {
            add_witness(changed, said, entry, other);
            return;
        }
        unchanged += said == UNCHANGED;
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
    char seen[256];
    char text[512];

    kg__card_describe(json_object_get(entry, "card"), most > 0 ? most : 0, seen, sizeof seen);
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
           (verdict == KG__SLOWER || verdict == KG__ENVIRONMENT) && !kg__is_counted(entry) &&
           json_object_size(json_object_get(entry, "metrics")) > 0;
}

static void explain(json_t *entry, const char *id, json_t *counted, const json_t *provenance)
{
    /* The list may be shared with the document that it came from. */
    json_t *changed = json_copy(json_object_get(entry, KG__CHANGED));
    const json_t *twin = json_object_get(counted, id);
    witness said = hear(twin);

    if (!json_is_array(changed)) {
        json_decref(changed);
        changed = json_array();
    }
    add_card(changed, entry, provenance);
    if (said == ABSENT)
        add_other_sizes(changed, counted, id);
    else
        add_witness(changed, said, twin, "");
    json_object_set_new(entry, KG__CHANGED, changed);
}

void kg__causes_add(json_t *cases, const json_t *provenance)
{
    json_t *counted = json_object_get(cases, KG__MODEL_KEY);
    const char *target;
    json_t *of_target;

    json_object_foreach (cases, target, of_target) {
        const char *id;
        json_t *entry;

        if (strcmp(target, KG__MODEL_KEY) == 0)
            continue;
        json_object_foreach (of_target, id, entry) {
            if (asks_for_causes(entry))
                explain(entry, id, counted, json_object_get(provenance, target));
            else
                (void)json_object_del(entry, KG__CHANGED);
        }
    }
}
