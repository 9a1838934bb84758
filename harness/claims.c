/* Claims: assertions across cases, on what this run's parts recorded. */
#include <kernelgate/kernelgate.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gating.h"
#include "records.h"
#include "results.h"
#include "run.h"
#include "table.h"

/* The verdicts that a part of this run left, or NULL. */
static json_t *load_part(const char *part)
{
    char test[128];
    char path[KG__PATH_SIZE];

    kg__test_name(KG__TARGET_KIND, kg__comparison->name, part, test, sizeof test);
    kg__verdicts_path(kg__comparison->home, test, path, sizeof path);
    return kg__verdicts_load(path, NULL);
}

static void name_case(const char *variant, const char *size_and_launch, char *id, size_t size)
{
    kg__format(id, size, "%s/%s/%s", kg__comparison->name, variant, size_and_launch);
}

static bool is_in_table(const char *id)
{
    kg__case_list cases;
    bool found = kg__table_expand(kg__comparison, "time", &cases, NULL) &&
                 kg__table_find(&cases, id) != NULL;

    kg__case_list_free(&cases);
    return found;
}

/* What became of a claim. */
typedef enum outcome { HOLDS, FAILS, FILTERED_OUT, UNDECIDED, MISTAKEN } outcome;

/* Leaves a claim's verdicts file, and prints its line. */
static void write_claim(const json_t *times, const char *claim, outcome what, const char *why)
{
    static const char *const words[] = { "holds", "fails", "skipped", "skipped", "error" };
    char test[128];
    char path[KG__PATH_SIZE];
    json_t *document;
    kg__error error;

    kg__test_name(KG__TARGET_KIND, kg__comparison->name, claim, test, sizeof test);
    kg__verdicts_path(kg__comparison->home, test, path, sizeof path);
    document = json_pack("{s:s, s:s, s:b, s:f, s:[], s:[], s:[], s:[], s:[], s:[]}", "schema",
                         KG__VERDICTS_SCHEMA, "test", test, "complete", 1, "seconds", 0.0, "errors",
                         "vanished", "refused", "claims", "notes", "cases");
    if (json_object_get(times, "target") != NULL)
        json_object_set(document, "target", json_object_get(times, "target"));
    if (what == MISTAKEN) {
        json_array_append_new(json_object_get(document, "errors"), json_string(why));
    } else if (what == FILTERED_OUT || what == UNDECIDED) {
        json_object_set_new(document, "skipped", json_string(why));
        json_object_set_new(document, "skipped_by",
                            json_string(what == FILTERED_OUT ? "filter" : "unavailable"));
    } else {
        json_array_append_new(
            json_object_get(document, "claims"),
            json_pack("{s:s, s:b, s:s}", "claim", test, "holds", (int)(what == HOLDS), "why", why));
    }
    if (!kg__results_write_json(path, document, 1, &error))
        kg__complain("%s", error.text);
    json_decref(document);
    printf("%-11s  %-11s  %-32s  %s\n", words[what], "claim", test, why);
    fflush(stdout);
}

void kg_expect_speedup(const char *fast, const char *slow, const char *size_and_launch,
                       double factor)
{
    char fast_id[256];
    char slow_id[256];
    char why[KG__MESSAGE_SIZE];
    json_t *times = load_part("time");
    json_t *checks = load_part("check");
    outcome what;
    double speedup;

    name_case(fast, size_and_launch, fast_id, sizeof fast_id);
    name_case(slow, size_and_launch, slow_id, sizeof slow_id);
    speedup =
        kg__speedup(kg__find_entry(times, fast_id), kg__find_entry(times, slow_id), "time_ns");
    if (!is_in_table(fast_id) || !is_in_table(slow_id)) {
        what = MISTAKEN;
        kg__format(why, sizeof why, "%s: no such case among those that are timed: mend the claim",
                   is_in_table(fast_id) ? slow_id : fast_id);
    } else if (!kg__filter_takes(fast_id) || !kg__filter_takes(slow_id)) {
        what = FILTERED_OUT;
        kg__format(why, sizeof why, "KG_FILTER leaves out %s or %s", fast_id, slow_id);
    } else if (isnan(speedup) || kg__is_disproved(checks, fast_id) ||
               kg__is_disproved(checks, slow_id)) {
        what = UNDECIDED;
        kg__format(why, sizeof why,
                   "no speedup to speak of at %s: %s and %s must both be right and timed in this "
                   "run (part time)",
                   size_and_launch, fast, slow);
    } else {
        what = speedup >= factor ? HOLDS : FAILS;
        kg__format(why, sizeof why, "%s runs at %.2f times the speed of %s at %s, %.2f expected",
                   fast, speedup, slow, size_and_launch, factor);
    }
    write_claim(times, criterion_current_test->name, what, why);
    json_decref(times);
    json_decref(checks);
    if (what == FILTERED_OUT || what == UNDECIDED)
        cr_skip_test("%s", why);
    else
        cr_assert(what == HOLDS, "%s", why);
}
