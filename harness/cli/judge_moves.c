#include "cli/judge_moves.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "judge/judge.h"

/* A judgement of one move; NULL with `error` where it has another form. */
static json_t *judge_move(json_t *move, json_error_t *error)
{
    kg__interval observed = { .high = INFINITY };
    kg__expectation expectation = { 0 };
    kg__surroundings surroundings = { 0 };
    const char *unit;
    int gated;
    int same_code;
    kg__judgement judgement;
    json_t *object;

    if (json_unpack_ex(move, error, JSON_STRICT,
                       "{s:s, s:F, s:F, s?F, s:F, s:F, s:F, s:b, s:b, s:i, s:[FF], s:F}", "unit",
                       &unit, "value", &observed.value, "low", &observed.low, "high",
                       &observed.high, "baseline", &expectation.value, "band", &expectation.band,
                       "floor", &expectation.floor, "gated", &gated, "same_code", &same_code,
                       "foreign_processes", &surroundings.foreign_processes, "sentinel_moves",
                       &surroundings.sentinel_move[0], &surroundings.sentinel_move[1],
                       "sentinel_limit", &surroundings.sentinel_limit[0]) != 0)
        return NULL;
    surroundings.sentinel_limit[1] = surroundings.sentinel_limit[0];
    surroundings.same_code = same_code != 0;
    expectation.gated = gated != 0;
    judgement = kg__judge(&observed, &expectation, &surroundings, unit);
    object = json_pack("{s:s, s:s}", "verdict", kg__verdict_name(judgement.verdict), "why",
                       judgement.why);
    kg__json_set_finite(object, "smallest", judgement.smallest);
    return object;
}

int kg__judge_moves(void)
{
    json_error_t error;
    json_t *document = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    const json_t *moves = json_object_get(document, "moves");
    json_t *judgements = json_is_array(moves) ? json_array() : NULL;
    json_t *move;
    size_t i;

    json_array_foreach (moves, i, move) {
        if (json_array_append_new(judgements, judge_move(move, &error)) != 0) {
            json_decref(judgements);
            judgements = NULL;
            break;
        }
    }
    json_decref(document);
    if (judgements == NULL) {
        kg__complain("judge: --moves: the standard input is not its document: %s: see "
                     "harness/cli/judge_moves.h",
                     *error.text != '\0' ? error.text : "it has no moves");
        return KG__EXIT_ERROR;
    }
    return kg__json_print(json_pack("{s:o}", "judgements", judgements), 0, "judge")
               ? KG__EXIT_PASS
               : KG__EXIT_ERROR;
}
