#include "results/results_read.h"

#include "base/exit_code.h"
#include "base/json.h"

const char *kg__list_text(const json_t *text)
{
    return json_is_string(text) ? json_string_value(text) : "";
}

kg__verdict kg__results_verdict(const json_t *entry)
{
    kg__verdict verdict = KG__ERROR;

    (void)kg__verdict_parse(kg__json_text(entry, "verdict"), &verdict);
    return verdict;
}

bool kg__results_strict(const json_t *results)
{
    return json_is_true(json_object_get(results, "strict"));
}

size_t kg__results_count(const json_t *results, kg__verdict verdict)
{
    return kg__json_count(json_object_get(results, "tally"), kg__verdict_name(verdict));
}

size_t kg__results_judged(const json_t *results)
{
    size_t judged = 0;

    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        judged += kg__results_count(results, (kg__verdict)verdict);
    return judged;
}

bool kg__verdict_fails(kg__verdict verdict, bool strict)
{
    return verdict >= KG__SLOWER || (strict && verdict > KG__FASTER);
}

int kg__results_exit_code(const json_t *results)
{
    const json_t *code = json_object_get(results, "exit_code");

    return json_is_integer(code) ? (int)json_integer_value(code) : KG__EXIT_ERROR;
}
