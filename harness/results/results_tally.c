#include "results/results_tally.h"

#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "results/results.h"
#include "results/results_read.h"

bool kg__verdicts_are_silent(const json_t *verdicts)
{
    return json_is_true(json_object_get(verdicts, "complete")) &&
           !json_is_string(json_object_get(verdicts, "skipped")) &&
           json_array_size(json_object_get(verdicts, "cases")) == 0 &&
           json_array_size(json_object_get(verdicts, "claims")) == 0 &&
           json_array_size(json_object_get(verdicts, "refused")) == 0 &&
           json_array_size(json_object_get(verdicts, "vanished")) == 0 &&
           json_array_size(json_object_get(verdicts, "errors")) == 0;
}

/* Whether a test had no case to judge, by the filter or by its table. */
static bool is_left_nothing(const json_t *verdicts)
{
    const char *by = kg__json_text(verdicts, "skipped_by");

    return strcmp(by, "filter") == 0 || strcmp(by, "empty") == 0;
}

void kg__verdicts_tally_rest(const json_t *verdicts, kg__tally *tally)
{
    const json_t *claim;
    size_t i;

    if (!json_is_true(json_object_get(verdicts, "complete")))
        tally->broken++;
    tally->broken += json_array_size(json_object_get(verdicts, "errors"));
    json_array_foreach (json_object_get(verdicts, "claims"), i, claim)
        tally->failed_claims += !json_is_true(json_object_get(claim, "holds"));
    if (json_is_string(json_object_get(verdicts, "skipped"))) {
        if (is_left_nothing(verdicts))
            tally->filtered_out++;
        else
            tally->unavailable++;
    } else if (kg__verdicts_are_silent(verdicts)) {
        tally->broken++;
    }
}

void kg__verdicts_tally(const json_t *verdicts, kg__tally *tally)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry)
        tally->verdicts[kg__results_verdict(entry)]++;
    tally->vanished += json_array_size(json_object_get(verdicts, "vanished"));
    kg__verdicts_tally_rest(verdicts, tally);
}

json_t *kg__tally_json(const kg__tally *tally)
{
    json_t *document = json_object();

    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        json_object_set_new(document, kg__verdict_name((kg__verdict)verdict),
                            json_integer((json_int_t)tally->verdicts[verdict]));
    json_object_set_new(document, "vanished", json_integer((json_int_t)tally->vanished));
    json_object_set_new(document, "unlisted", json_integer((json_int_t)tally->unlisted));
    json_object_set_new(document, "failed_claims", json_integer((json_int_t)tally->failed_claims));
    json_object_set_new(document, "filtered_out", json_integer((json_int_t)tally->filtered_out));
    json_object_set_new(document, "unavailable", json_integer((json_int_t)tally->unavailable));
    json_object_set_new(document, "broken", json_integer((json_int_t)tally->broken));
    return document;
}

int kg__verdicts_exit_code(const json_t *verdicts, bool strict)
{
    kg__tally tally = { 0 };

    kg__verdicts_tally(verdicts, &tally);
    if (json_array_size(json_object_get(verdicts, "claims")) > 0)
        tally.verdicts[KG__PASS]++;
    return kg__exit_code(&tally, strict);
}
