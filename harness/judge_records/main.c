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
#include "judge_records/judges.h"

#define MEASURED_SCHEMA "kernelgate-measured/1"

static const struct {
    const char *schema;
    json_t *(*judge)(const kg__judged_file *file, kg__error *error);
} judges[] = {
    { MEASURED_SCHEMA, kg__judge_measured },       { "kernelgate-moves/1", kg__judge_moves },
    { "kernelgate-pairs/1", kg__judge_pairs },     { "kernelgate-launches/1", kg__judge_launches },
    { "kernelgate-program/1", kg__judge_program },
};

static json_t *judge(const kg__judged_file *file, kg__error *error)
{
    const char *schema = kg__json_text(file->document, "schema");

    for (size_t i = 0; i < sizeof judges / sizeof *judges; i++) {
        if (strcmp(schema, judges[i].schema) == 0)
            return judges[i].judge(file, error);
    }
    kg__fail(error, "%s: its schema is not \"" MEASURED_SCHEMA "\": " KG__MEASURED_REMEDY,
             file->path);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *set = kg__setting("KG_BASELINES");
    kg__error error = { "" };
    kg__judged_file file = { argv[1], NULL, set != NULL ? set : "baselines" };
    json_t *judged;

    if (argc != 2 || *argv[1] == '-') {
        fprintf(stderr, "usage: kernelgate-judge FILE\n\n"
                        "Judges the records in FILE by the baselines in KG_BASELINES, and prints "
                        "the verdicts as JSON.\n"
                        "`kernelgate help judge` has the form of FILE.\n\n"
                        "exit: 0 judged, whatever the verdicts; 2 an error\n");
        return KG__EXIT_ERROR;
    }
    file.document = kg__json_load(file.path, KG__MEASURED_REMEDY, &error);
    judged = file.document != NULL ? judge(&file, &error) : NULL;
    json_decref(file.document);
    if (judged == NULL) {
        kg__complain("%s", error.text);
        return KG__EXIT_ERROR;
    }
    return kg__json_print(judged, JSON_COMPACT, "kernelgate-judge") ? KG__EXIT_PASS
                                                                    : KG__EXIT_ERROR;
}
