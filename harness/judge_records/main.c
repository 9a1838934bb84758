/* SPDX-License-Identifier: MIT */
/* The program `kernelgate-judge`: judges the records of any writer by the gate's rules, and prints
 * what it found as JSON. The Python package starts it for imports, comparisons,
 * programs and generated code.
 */
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/process.h"
#include "judge_records/launch_code.h"
#include "judge_records/measured.h"
#include "judge_records/moves.h"
#include "judge_records/pair_runs.h"
#include "judge_records/program_run.h"

static json_t *judge(const char *path, json_t *document, const char *baselines, kg__error *error)
{
    const char *schema = kg__json_text(document, "schema");

    if (strcmp(schema, KG__MOVES_SCHEMA) == 0)
        return kg__judge_moves(path, document, error);
    if (strcmp(schema, KG__PAIRS_SCHEMA) == 0)
        return kg__judge_pairs(path, document, error);
    if (strcmp(schema, KG__LAUNCHES_SCHEMA) == 0)
        return kg__judge_launches(path, document, error);
    if (strcmp(schema, KG__PROGRAM_SCHEMA) == 0)
        return kg__judge_program(path, document, baselines, error);
    if (strcmp(schema, KG__MEASURED_SCHEMA) == 0)
        return kg__judge_measured(path, document, baselines, error);
    kg__fail(error, "%s: its schema is not \"" KG__MEASURED_SCHEMA "\": " KG__MEASURED_REMEDY,
             path);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *set = kg__setting("KG_BASELINES");
    kg__error error = { "" };
    json_t *document;
    json_t *judged;

    if (argc != 2 || *argv[1] == '-') {
        fprintf(stderr, "usage: kernelgate-judge FILE\n\n"
                        "Judges the records in FILE by the baselines in KG_BASELINES, and prints "
                        "the verdicts as JSON.\n"
                        "`kernelgate help judge` has the form of FILE.\n\n"
                        "exit: 0 judged, whatever the verdicts; 2 an error\n");
        return KG__EXIT_ERROR;
    }
    document = kg__json_load(argv[1], KG__MEASURED_REMEDY, &error);
    judged =
        document != NULL ? judge(argv[1], document, set != NULL ? set : "baselines", &error) : NULL;
    json_decref(document);
    if (judged == NULL) {
        kg__complain("%s", error.text);
        return KG__EXIT_ERROR;
    }
    return kg__json_print(judged, JSON_COMPACT, "kernelgate-judge") ? KG__EXIT_PASS
                                                                    : KG__EXIT_ERROR;
}
