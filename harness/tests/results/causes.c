/* Causes: what stands beside a slow verdict, from every target's word on the case. */
#include "results/causes.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdarg.h>
#include <string.h>

#define GPU "nvidia-fake"
#define CASE "matmul/tiled/530/b16"

static json_t *cases;
static json_t *provenance;
static kg__pool pool;

static void begin(void)
{
    cases = json_pack("{s:{}, s:{}}", GPU, "cpu-model");
    provenance = json_pack("{s:{s:i}}", GPU, "max_sm_clock_mhz", 1980);
}

static void release(void)
{
    json_decref(cases);
    json_decref(provenance);
    kg__pool_free(&pool);
}

TestSuite(causes, .init = begin, .fini = release);

/* Adds the causes to the cases. */
static void add_causes(void)
{
    json_t *document =
        json_pack("{s:b, s:O, s:[]}", "strict", 0, "provenance", provenance, "cases");
    kg__error error = { "" };
    const char *target;
    const char *id;
    json_t *of_target;
    json_t *entry;
    kg__results *results;

    json_object_foreach (cases, target, of_target)
        json_object_foreach (of_target, id, entry)
            json_array_append(json_object_get(document, "cases"), entry);
    results = kg__results_read(&pool, document, &error);
    cr_assert(results != NULL, "%s", error.text);
    kg__causes_add(results);
    for (size_t i = 0; i < results->case_count; i++)
        json_object_set_new(json_object_get(cases, results->cases[i]->target),
                            results->cases[i]->id, kg__case_result_json(results->cases[i]));
    json_decref(document);
}

/* Adds a timed case on the GPU. */
static json_t *add_timed(const char *id, const char *verdict)
{
    json_t *entry = json_pack("{s:s, s:s, s:{s:{s:f, s:s}}, s:s, s:s}", "case", id, "target", GPU,
                              "metrics", "time_ns", "value", 66000.0, "verdict", verdict, "verdict",
                              verdict, "why", "time_ns slower by 10.0 %");

    json_object_set_new(json_object_get(cases, GPU), id, entry);
    return entry;
}

/* Adds a case that the model counted, whose loads have that verdict. */
static json_t *add_counted(const char *id, const char *loads, const char *verdict, const char *why)
{
    json_t *entry =
        json_pack("{s:s, s:s, s:{s:{s:i, s:s}, s:{s:i, s:s}}, s:s, s:s}", "case", id, "target",
                  "cpu-model", "metrics", "global_load_requests", "value", 100, "verdict", loads,
                  "barriers", "value", 8, "verdict", "pass", "verdict", verdict, "why", why);

    json_object_set_new(json_object_get(cases, "cpu-model"), id, entry);
    return entry;
}

/* Expects what changed beside a case to be these texts, up to NULL. */
static void expect(const char *id, ...) __attribute__((sentinel));
static void expect(const char *id, ...)
{
    const json_t *changed =
        json_object_get(json_object_get(json_object_get(cases, GPU), id), "changed");
    size_t count = 0;
    va_list texts;

    va_start(texts, id);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL; count++) {
        const char *got = json_string_value(json_array_get(changed, count));

        cr_expect(got != NULL && strcmp(got, text) == 0, "%zu: \"%s\", expected \"%s\"", count,
                  got != NULL ? got : "(none)", text);
    }
    va_end(texts);
    cr_expect(eq(int, (int)json_array_size(changed), (int)count));
}

#define NO_COUNTS                                                                                  \
    "this run has no counts of it: ci/gate --target model says whether the kernel asks for more"

Test(causes, only_slow_times_have_any)
{
    static const char *const fine[] = {
        "pass", "faster", "noisy", "no-baseline", "wrong", "error"
    };

    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        json_object_set_new(add_timed(CASE, fine[i]), "changed", json_pack("[s]", "left over"));
        add_causes();
        expect(CASE, NULL);
    }
    (void)add_timed(CASE, "slower");
    add_causes();
    expect(CASE, NO_COUNTS, NULL);
    (void)add_timed(CASE, "environment");
    add_causes();
    expect(CASE, NO_COUNTS, NULL);
}

Test(causes, the_models_own_cases_have_none)
{
    json_t *entry = add_counted(CASE, "slower", "slower", "global_load_requests rose");

    add_causes();
    cr_expect(json_object_get(entry, "changed") == NULL);
    json_object_set(json_object_get(cases, GPU), CASE, entry);
    add_causes();
    cr_expect(json_object_get(entry, "changed") == NULL, "counts are no times");
}

Test(causes, a_case_without_figures_has_none)
{
    json_object_set_new(add_timed(CASE, "slower"), "metrics", json_object());
    add_causes();
    expect(CASE, NULL);
}

Test(causes, what_was_known_before_stays_in_front)
{
    json_t *before = json_pack("[s]", "registers 32 -> 40");
    json_t *entry = add_timed(CASE, "slower");

    json_object_set(entry, "changed", before);
    json_object_set_new(entry, "card",
                        json_pack("{s:i, s:i}", "sm_clock_mhz", 1410, "temperature_c", 71));
    add_causes();
    expect(CASE, "registers 32 -> 40",
           "the card, at its worst while it was timed: 1 410 of 1 980 MHz, 71 °C", NO_COUNTS, NULL);
    cr_expect(eq(int, (int)json_array_size(before), 1), "the part's own list is left alone");
    json_decref(before);
}

Test(causes, a_card_of_unknown_limits)
{
    json_object_set_new(add_timed(CASE, "slower"), "card",
                        json_pack("{s:i}", "sm_clock_mhz", 1410));
    json_object_clear(provenance);
    add_causes();
    expect(CASE, "the card, at its worst while it was timed: 1 410 MHz", NO_COUNTS, NULL);
}

Test(causes, counters_that_moved_are_told_with_their_lines)
{
    (void)add_timed(CASE, "slower");
    (void)add_counted(
        CASE, "slower", "slower",
        "global_load_requests rose by 1.0 % (101 against 100); kernels/m/tiled.cu:9: "
        "loads went from 1 to 2; to accept it: commit, then KG_FILTER='matmul/tiled/*' "
        "ci/rebaseline --target model");
    add_causes();
    expect(CASE,
           "on the CPU model: global_load_requests rose by 1.0 % (101 against 100); "
           "kernels/m/tiled.cu:9: loads went from 1 to 2",
           NULL);
}

Test(causes, counters_that_fell_are_told_too)
{
    (void)add_timed(CASE, "slower");
    (void)add_counted(CASE, "faster", "faster",
                      "global_load_requests fell by 1.0 %; to keep it: commit, then KG_FILTER='x' "
                      "ci/rebaseline --target model");
    add_causes();
    expect(CASE, "on the CPU model: global_load_requests fell by 1.0 %", NULL);
}

Test(causes, counters_that_did_not_move)
{
    (void)add_timed(CASE, "slower");
    (void)add_counted(CASE, "pass", "pass", "");
    add_causes();
    expect(CASE, "it counts what the CPU model's baseline holds", NULL);
}

Test(causes, counters_without_a_baseline)
{
    (void)add_timed(CASE, "slower");
    (void)add_counted(CASE, "no-baseline", "no-baseline", "no baseline");
    add_causes();
    expect(
        CASE,
        "the CPU model has no counts to hold it against: record them with ci/rebaseline --target "
        "model",
        NULL);
}

Test(causes, a_case_that_fails_on_the_model)
{
    (void)add_timed(CASE, "slower");
    (void)add_counted(CASE, "slower", "wrong", "kernels/m/tiled.cu:9: writes beyond c");
    add_causes();
    expect(CASE, "on the CPU model it is wrong: kernels/m/tiled.cu:9: writes beyond c", NULL);
}

/* Where the model's case says to look, the GPU's says it too. */
Test(causes, the_place_is_the_models)
{
    static const char *const members[] = {
        "{\"at\": {\"file\": \"a.cu\", \"line\": 3}}",
        "{\"findings\": [{\"kind\": \"misaligned\", \"file\": \"a.cu\", \"line\": 3}], \"at\": "
        "{\"file\": \"b.cu\"}}",
    };

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *verdict = i == 0 ? "slower" : "wrong";
        const json_t *at;

        (void)add_timed(CASE, "slower");
        json_object_update_new(add_counted(CASE, "slower", verdict, "w"),
                               json_loads(members[i], 0, NULL));
        add_causes();
        at = json_object_get(json_object_get(json_object_get(cases, GPU), CASE), "at");
        cr_expect(json_integer_value(json_object_get(at, "line")) == 3, "%zu", i);
    }
}

Test(causes, other_sizes_are_heard_where_this_one_is_not_counted)
{
    (void)add_timed("matmul/tiled/2048/b16", "slower");
    (void)add_counted("matmul/naive/530/b16", "slower", "slower", "another variant's");
    (void)add_counted("matmul/tiled_more/530/b16", "slower", "slower", "another variant's");
    (void)add_counted("matmul/tiled/17/b16", "pass", "pass", "");
    add_causes();
    expect("matmul/tiled/2048/b16",
           "the CPU model does not count this size; 1 other case of the variant counts what its "
           "baseline holds",
           NULL);
    (void)add_timed("matmul/tiled/2048/b16", "slower");
    (void)add_counted("matmul/tiled/31/b16", "pass", "pass", "");
    add_causes();
    expect("matmul/tiled/2048/b16",
           "the CPU model does not count this size; 2 other cases of the variant count what its "
           "baseline holds",
           NULL);
    (void)add_timed("matmul/tiled/2048/b16", "slower");
    (void)add_counted(CASE, "slower", "slower", "global_load_requests rose by 1.0 %");
    add_causes();
    expect("matmul/tiled/2048/b16",
           "on the CPU model, of matmul/tiled/530/b16: global_load_requests rose by 1.0 %", NULL);
}

Test(causes, a_case_that_is_only_checked_there_counts_nothing)
{
    (void)add_timed(CASE, "slower");
    json_object_set_new(json_object_get(cases, "cpu-model"), CASE,
                        json_pack("{s:s, s:{}}", "verdict", "pass", "metrics"));
    add_causes();
    expect(CASE, NO_COUNTS, NULL);
}

Test(causes, a_run_without_the_model)
{
    (void)add_timed(CASE, "slower");
    json_object_del(cases, "cpu-model");
    add_causes();
    expect(CASE, NO_COUNTS, NULL);
}
