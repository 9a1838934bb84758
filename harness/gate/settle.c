/* SPDX-License-Identifier: MIT */
#include "gate/settle.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/process.h"

/* How long each case is sampled: processes differ by more than the samples of one, so that many
 * short processes are more precise than few long ones. */
#define CASE_SECONDS "0.02"

/* What decided a suspect's verdict: its pairs, the stored baseline, or an observation alone, such
 * as a wrong result. */
static const char *name_judge(const kg__suspect *suspect, bool has_pairs)
{
    return suspect->by_baseline ? "baseline" : has_pairs ? "pairs" : "observation";
}

/* The result of a suspect; if it is not settled, only that. */
static json_t *pack_suspect(const kg__settlement *run, const kg__suspect *suspect)
{
    const kg__case_result *result = suspect->result;
    json_t *pairs = kg__case_result_pairs_json(result);
    json_t *entry =
        json_pack("{s:s, s:s, s:b, s:I, s:I}", "case", result->id, "target", run->target.key,
                  "settled", (int)suspect->settled, "undisturbed_pairs", (json_int_t)suspect->pairs,
                  "disturbed_pairs", (json_int_t)suspect->dropped);

    if (suspect->settled) {
        json_object_set_new(entry, "judged_by", json_string(name_judge(suspect, pairs != NULL)));
        json_object_set_new(entry, "verdict", json_string(kg__verdict_name(result->verdict)));
        json_object_set_new(entry, "why", kg__json_clean_string(result->why));
        if (suspect->note[0] != '\0')
            json_object_set_new(entry, "note", kg__json_clean_string(suspect->note));
        if (!suspect->by_baseline && pairs != NULL)
            json_object_set(entry, "pairs", pairs);
    }
    json_decref(pairs);
    return entry;
}

static bool print_suspects(const kg__settlement *run)
{
    json_t *suspects = json_array();

    for (size_t i = 0; i < run->count; i++)
        json_array_append_new(suspects, pack_suspect(run, &run->suspects[i]));
    return kg__json_print(json_pack("{s:o}", "suspects", suspects), JSON_COMPACT, "--settle");
}

/* Reads a number above 0 and at most `most`; false where the text is something else. */
static bool read_number(const char *text, double most, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return *text != '\0' && *end == '\0' && *number > 0 && *number <= most;
}

static bool read_arguments(int argc, char **argv, kg__settlement *run)
{
    if (argc == 7 && strcmp(argv[3], "--seconds") == 0 && strcmp(argv[5], "--share") == 0 &&
        read_number(argv[4], 1e6, &run->limit) && read_number(argv[6], 1, &run->family.part)) {
        run->base_program = argv[2];
        return true;
    }
    kg__complain("--settle: expected --settle BASE --seconds N --share X: see --help");
    return false;
}

int kg__settle(const kg_comparison *comparison, int argc, char **argv)
{
    kg__settlement run = { .comparison = comparison, .began = kg__now(), .last_report = kg__now() };
    bool good;

    if (!read_arguments(argc, argv, &run))
        return KG__EXIT_ERROR;
    kg__end_with_parent();
    (void)setenv("KG_CASE_SECONDS", CASE_SECONDS, 1);
    good = kg__settle_open(&run);
    if (good) {
        kg__settle_all(&run);
        good = print_suspects(&run) && !run.failed;
    }
    kg__settle_release(&run);
    return good ? KG__EXIT_PASS : KG__EXIT_ERROR;
}
