#include "cli/baseline_query.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "baseline/baseline.h"
#include "suite/counters.h"

/* Adds what the judge makes of each metric of cases or sentinels, by id and name. */
static void add_limits(json_t *limits, const kg__baseline_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *metrics = json_object();

        for (size_t j = 0; j < cases[i].metric_count; j++) {
            kg__judgment judgment = kg__baseline_judgment(&cases[i].metrics[j]);
            json_t *entry = json_object();

            kg__json_set_finite(entry, "smallest", judgment.smallest);
            json_object_set_new(metrics, cases[i].metrics[j].name, entry);
        }
        json_object_set_new(limits, cases[i].id, metrics);
    }
}

static json_t *list_outdated(const kg__baseline *baseline)
{
    const char *model = kg__provenance_text(&baseline->provenance, "model");
    json_t *outdated = json_array();

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (!kg__counter_is_of((kg__counter)i, model))
            json_array_append_new(outdated, json_string(kg__counter_name((kg__counter)i)));
    }
    return outdated;
}

static json_t *describe(const char *text, size_t length, const kg__baseline *baseline)
{
    json_t *limits = json_object();

    add_limits(limits, baseline->sentinels, baseline->sentinel_count);
    add_limits(limits, baseline->cases, baseline->case_count);
    return json_pack("{s:o, s:o, s:o}", "document", json_loadb(text, length, 0, NULL), "limits",
                     limits, "outdated", list_outdated(baseline));
}

/* The reader's error; a file name in it may not be UTF-8. */
static json_t *describe_error(const kg__error *error, const kg__baseline *baseline)
{
    json_t *text = json_string(error->text);

    return json_pack("{s:o, s:I}", "error",
                     text != NULL ? text : kg__json_clean_string(error->text), "cases",
                     (json_int_t)baseline->case_count);
}

static json_t *answer(const char *path)
{
    kg__error error = { "" };
    size_t length;
    bool absent;
    char *text = kg__baseline_text(path, &length, &absent, &error);
    kg__baseline baseline = { 0 };
    json_t *entry;

    if (absent)
        return json_object();
    if (text != NULL && kg__baseline_parse(path, text, length, &baseline, &error) == KG__LOADED)
        entry = describe(text, length, &baseline);
    else
        entry = describe_error(&error, &baseline);
    kg__baseline_free(&baseline);
    free(text);
    return entry;
}

int kg__answer_baselines(size_t count, char *const *paths)
{
    json_t *answers = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(answers, answer(paths[i]));
    return kg__json_print(answers, JSON_COMPACT, "--baseline") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}
