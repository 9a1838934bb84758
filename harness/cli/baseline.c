/* kernelgate baseline lint: are the baseline files as they should be? */
#include "../baseline.h"

#include <stdio.h>
#include <string.h>

#include "../run.h"
#include "command.h"

static const char *comparisons;

/* Whether the comparison of a case's id is in the list "a,b,c". */
static bool is_listed(const char *id, const char *list)
{
    size_t length = strcspn(id, "/");

    while (*list != '\0') {
        size_t item = strcspn(list, ",");

        if (item == length && strncmp(list, id, length) == 0)
            return true;
        list += item;
        list += *list == ',';
    }
    return false;
}

static size_t list_vanished(const char *path, const kg__baseline *baseline)
{
    size_t vanished = 0;

    for (size_t i = 0; comparisons != NULL && i < baseline->case_count; i++) {
        const char *id = baseline->cases[i].id;

        if (is_listed(id, comparisons))
            continue;
        printf("%s: %s: vanished: there is no comparison %.*s; put it back, or take the case out\n",
               path, id, (int)strcspn(id, "/"), id);
        vanished++;
    }
    return vanished;
}

static int lint(size_t count, char **operands)
{
    size_t vanished = 0;
    bool bad = false;

    if (count == 0) {
        kg__complain("baseline lint: names no file: kernelgate baseline lint baselines/*.json");
        return KG__EXIT_ERROR;
    }
    for (size_t i = 0; i < count; i++) {
        kg__error error = { "" };
        kg__baseline baseline;
        kg__load_status status = kg__baseline_load(operands[i], &baseline, &error);

        if (status == KG__LOADED) {
            printf("%s: ok: %zu case%s, %zu sentinel%s\n", operands[i], baseline.case_count,
                   baseline.case_count == 1 ? "" : "s", baseline.sentinel_count,
                   baseline.sentinel_count == 1 ? "" : "s");
        } else if (status == KG__ABSENT) {
            printf("%s: there is no such file\n", operands[i]);
        } else {
            printf("%s\n", error.text);
        }
        bad |= status != KG__LOADED;
        vanished += list_vanished(operands[i], &baseline);
        kg__baseline_free(&baseline);
    }
    if (bad)
        return KG__EXIT_ERROR;
    return vanished > 0 && kg__is_strict() ? KG__EXIT_FAIL : KG__EXIT_PASS;
}

static const kg__option lint_options[] = {
    { "--comparisons", "A,B,C", "the comparisons that there are: cases of any other have vanished",
      &comparisons, NULL },
    { 0 },
};

const kg__command kg__baseline_lint_command = {
    .name = "baseline lint",
    .operands = "FILE...",
    .summary = "Check baseline files: one line a file",
    .details =
        "exit: 0 all are right; 1 a case has vanished, with KG_STRICT=1; 2 a file is not right\n",
    .options = lint_options,
    .takes_operands = true,
    .run = lint,
};
