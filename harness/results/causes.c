#include "results/causes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/message.h"
#include "base/text.h"
#include "baseline/baseline.h"
#include "judge/judge.h"
#include "records/gpu_state.h"
#include "results/count_result.h"
#include "results/result_text.h"

/* What the CPU model's run says of one case. */
typedef enum model_answer {
    NOT_COUNTED,
    NOT_COMPARABLE, /* counted, and there is no baseline */
    UNCHANGED,
    MOVED,
    FAILED /* wrong, or it could not be run */
} model_answer;

/* What the CPU model's cases say of a variant. */
typedef struct model_variant {
    const kg__case_result *suspicious; /* the first that moved or failed */
    size_t unchanged;
} model_variant;

/* The cases of the CPU model's run by id, and what they say of each variant. */
typedef struct model_run {
    kg__pool *pool;
    kg__index cases;
    kg__index variants;
} model_run;

static model_answer answer_of(const kg__case_result *counted)
{
    model_answer answer = UNCHANGED;

    if (counted != NULL && counted->verdict >= KG__WRONG)
        return FAILED;
    if (counted == NULL || !kg__is_counted(counted))
        return NOT_COUNTED;
    for (size_t i = 0; i < counted->metric_count; i++) {
        kg__verdict verdict = counted->metrics[i].verdict;

        if (verdict == KG__SLOWER || verdict == KG__FASTER)
            return MOVED;
        if (verdict == KG__NO_BASELINE)
            answer = NOT_COMPARABLE;
    }
    return answer;
}

/* Adds what a case that was counted says; `size` names it where it is another one. */
static void add_answer(kg__pool *pool, kg__texts *changed, const kg__case_result *counted,
                       const char *size)
{
    const char *gap = *size != '\0' ? ", of " : "";
    char text[KG__MESSAGE_SIZE];
    char moves[KG__MESSAGE_SIZE];
    char *reason;

    switch (answer_of(counted)) {
    case MOVED:
        kg__counted_moves(counted, moves, sizeof moves);
        kg__format(text, sizeof text, "on the CPU model%s%s: %s", gap, size, moves);
        break;
    case FAILED:
        reason = kg__case_result_reason(counted);
        kg__format(text, sizeof text, "on the CPU model%s%s it is %s: %s", gap, size,
                   kg__verdict_name(counted->verdict), reason);
        free(reason);
        break;
    case NOT_COMPARABLE:
        kg__format(text, sizeof text,
                   "the CPU model has no counts to hold it against: record them with ci/rebaseline "
                   "--target model");
        break;
    default:
        kg__format(text, sizeof text, "it counts what the CPU model's baseline holds");
    }
    kg__pool_add_text(pool, changed, text);
}

/* Where in the source the model's case says to look, for that of the GPU. */
static void copy_place(kg__case_result *result, const kg__case_result *counted)
{
    if (counted->findings.count > 0 && counted->findings.list[0].by.file != NULL) {
        result->at_file = counted->findings.list[0].by.file;
        result->at_line = counted->findings.list[0].by.line;
    } else if (counted->at_file != NULL) {
        result->at_file = counted->at_file;
        result->at_line = counted->at_line;
    }
}

/* What the model says of the variant of a case, of which nothing is known at first. */
static model_variant *find_variant(model_run *model, const char *id)
{
    const char *name = kg__pool_format(model->pool, "%.*s", (int)kg__variant_length(id), id);
    model_variant *variant = kg__index_find(&model->variants, name);

    if (variant == NULL) {
        variant = kg__pool_array(model->pool, 1, sizeof *variant);
        kg__index_set(model->pool, &model->variants, name, variant);
    }
    return variant;
}

/* Takes up a case of the CPU model. */
static void add_counted(model_run *model, kg__case_result *counted)
{
    model_answer answer = answer_of(counted);
    model_variant *variant = find_variant(model, counted->id);

    kg__index_set(model->pool, &model->cases, counted->id, counted);
    if ((answer == MOVED || answer == FAILED) && variant->suspicious == NULL)
        variant->suspicious = counted;
    variant->unchanged += answer == UNCHANGED;
}

/* Adds what the variant's other sizes say, where the model did not count this one. */
static void add_other_sizes(kg__case_result *result, model_run *model)
{
    const model_variant *variant = find_variant(model, result->id);
    size_t unchanged = variant->unchanged;
    char text[KG__MESSAGE_SIZE];

    if (variant->suspicious != NULL) {
        add_answer(model->pool, &result->changed, variant->suspicious, variant->suspicious->id);
        copy_place(result, variant->suspicious);
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
    kg__pool_add_text(model->pool, &result->changed, text);
}

static void add_gpu_state(kg__pool *pool, kg__case_result *result, double most_mhz)
{
    char seen[256] = "";

    if (result->gpu_state != NULL)
        kg__gpu_state_describe(result->gpu_state, most_mhz > 0 ? most_mhz : 0, seen, sizeof seen);
    if (seen[0] != '\0') {
        char text[512];

        kg__format(text, sizeof text, "the card, at its worst while it was timed: %s", seen);
        kg__pool_add_text(pool, &result->changed, text);
    }
}

/* The CPU model counts nothing of what was imported. */
static bool asks_for_causes(const kg__case_result *result)
{
    return result->imported.from == NULL &&
           (result->verdict == KG__SLOWER || result->verdict == KG__ENVIRONMENT) &&
           !kg__is_counted(result) && result->metric_count > 0;
}

static void explain(kg__case_result *result, model_run *model, double most_mhz)
{
    const kg__case_result *counted = kg__index_find(&model->cases, result->id);
    model_answer answer = answer_of(counted);

    add_gpu_state(model->pool, result, most_mhz);
    if (answer == NOT_COUNTED)
        add_other_sizes(result, model);
    else
        add_answer(model->pool, &result->changed, counted, "");
    if (answer == MOVED || answer == FAILED)
        copy_place(result, counted);
}

void kg__causes_add(kg__results *results)
{
    model_run model = { .pool = results->pool };

    for (size_t i = 0; i < results->case_count; i++) {
        if (strcmp(results->cases[i]->target, KG__MODEL_KEY) == 0)
            add_counted(&model, results->cases[i]);
    }
    for (size_t i = 0; i < results->case_count; i++) {
        kg__case_result *result = results->cases[i];

        if (strcmp(result->target, KG__MODEL_KEY) == 0)
            continue;
        if (asks_for_causes(result))
            explain(result, &model,
                    kg__results_figure(results, result->target, "max_sm_clock_mhz"));
        else
            result->changed = (kg__texts){ 0 };
    }
}
