/* SPDX-License-Identifier: MIT */
#include "judge_records/judges.h"

#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "baseline/cubin.h"
#include "judge/pairs.h"
#include "records/observation.h"
#include "results/pair_result.h"
#include "results/verdicts.h"
#include "suite/id_parts.h"
#include "suite/settings.h"

/* The runs of one side of a case. */
typedef struct side {
    const kg__observation *items[KG__PAIRS_MAXIMUM]; /* NULL: the run had no such benchmark */
    size_t measured;
    const kg__observation *failed;  /* the first one; NULL: none */
    const kg__observation *refused; /* the first one; NULL: none */
} side;

typedef struct pair_runs {
    kg__pool pool;
    kg__verdicts *verdicts;
    kg__pairs_base base;
    kg__family family;
    kg__suspect *suspects;
    size_t count;
    size_t pairs;
    const char *ended;
    bool same_code;
} pair_runs;

/* Reads the records of a side. False where it does not have one for each pair, or an invalid one.
 */
static bool read_side(pair_runs *run, const json_t *records, side *read)
{
    json_t *record;
    size_t i;

    *read = (side){ 0 };
    if (json_array_size(records) != run->pairs)
        return false;
    json_array_foreach (records, i, record) {
        const kg__observation *observation;

        if (json_is_null(record))
            continue;
        read->items[i] = observation = kg__observation_load(&run->pool, record, NULL);
        if (observation == NULL)
            return false;
        if (observation->event == KG__EVENT_MEASURED && observation->metric_count > 0)
            read->measured++;
        else if (observation->event == KG__EVENT_FAILED && read->failed == NULL)
            read->failed = read->items[i];
        else if (observation->event == KG__EVENT_REFUSED && read->refused == NULL)
            read->refused = read->items[i];
    }
    return true;
}

static bool is_absent(const side *runs)
{
    return runs->measured == 0 && runs->failed == NULL && runs->refused == NULL;
}

/* Why no run of a side measured a case; "" where one did. */
static const char *why_unmeasured(const side *runs)
{
    return runs->failed != NULL    ? runs->failed->why
           : runs->refused != NULL ? runs->refused->why
           : runs->measured == 0   ? "it has no such benchmark"
                                   : "";
}

static void add_error(pair_runs *run, const char *id, const char *why)
{
    kg__verdicts_add_case(run->verdicts, kg__case_result_make(&run->pool, id, run->base.target->key,
                                                              "time", KG__ERROR, why));
}

static void add_note(pair_runs *run, const char *id, const char *text)
{
    kg__pool_add_text(&run->pool, &run->verdicts->notes,
                      kg__pool_format(&run->pool, "%s: %s", id, text));
}

/* Takes what can be said of a case without its times; false where both sides measured it in each
 * run. */
static bool settle_unmeasured(pair_runs *run, const char *id, const side *base, const side *head)
{
    const char *ref = run->base.ref;

    if (base->measured == run->pairs && head->measured == run->pairs)
        return false;
    if (head->failed != NULL)
        add_error(run, id, head->failed->why);
    else if (is_absent(head))
        add_note(run, id,
                 kg__pool_format(&run->pool,
                                 "vanished: %s measures it, and here there is no such "
                                 "benchmark",
                                 ref));
    else if (head->refused != NULL && base->measured == 0)
        kg__verdicts_add_refusal(run->verdicts, &(kg__refusal){ id, head->refused->why, false });
    else if (head->refused != NULL)
        add_error(run, id,
                  kg__pool_format(&run->pool, "%s measures it, and here it was skipped: %s", ref,
                                  head->refused->why));
    else if (base->measured == 0 && head->measured == run->pairs)
        add_note(run, id,
                 kg__pool_format(&run->pool, "new: %s does not measure it: %s", ref,
                                 why_unmeasured(base)));
    else
        add_error(run, id,
                  kg__pool_format(&run->pool,
                                  "measured in %zu of %zu runs of %s and in %zu here: let the "
                                  "commands run the same benchmarks each time",
                                  base->measured, run->pairs, ref, head->measured));
    return true;
}

/* The number of the variant of an id among the cases before it: hypotheses of one variant are
 * tested together. */
static size_t find_variant(const pair_runs *run, const char *id)
{
    size_t length = kg__variant_length(id);
    size_t i = 0;

    while (i < run->count && strncmp(run->suspects[i].result->id, id, length) != 0)
        i++;
    return i;
}

static bool add_suspect(pair_runs *run, kg__case_result *result, const side *base, const side *head,
                        kg__error *error)
{
    kg__suspect *suspect = &run->suspects[run->count];
    size_t variant = find_variant(run, result->id);
    const kg__observation *first = head->items[0];

    for (size_t i = 0; first != NULL && i < first->metric_count && i < KG__SUSPECT_METRICS; i++)
        kg__case_result_add_metric(&run->pool, result, first->metrics[i].name)->figures =
            first->metrics[i];
    result->first = first;
    if (!kg__suspect_begin(suspect, result, &run->base, error))
        return false;
    run->count++;
    for (size_t i = 0; i < run->pairs && !suspect->by_baseline; i++)
        kg__suspect_add_pair(suspect, &(kg__measurement){ .measured = base->items[i] },
                             &(kg__measurement){ .measured = head->items[i] });
    if (suspect->by_baseline)
        kg__suspect_settle_as(suspect, KG__ERROR, kg__pool_text(&run->pool, suspect->note));
    for (size_t i = 0; i < suspect->metric_count && !suspect->settled; i++) {
        suspect->metrics[i].hypothesis.variant = variant;
        run->family.list[run->family.count++] = &suspect->metrics[i].hypothesis;
    }
    return true;
}

static bool take_case(pair_runs *run, const char *id, const json_t *entry, kg__error *error)
{
    side base;
    side head;
    kg__case_result *result;

    if (!kg__is_case_id(id) || !read_side(run, json_object_get(entry, "base"), &base) ||
        !read_side(run, json_object_get(entry, "head"), &head))
        return kg__fail(error, "case \"%s\" has no id, or not a record for each pair", id);
    if (settle_unmeasured(run, id, &base, &head))
        return true;
    result = kg__case_result_make(&run->pool, id, run->base.target->key, "time", KG__PASS, "");
    kg__import_origin_read(&run->pool, json_object_get(entry, "imported"), &result->imported);
    kg__verdicts_add_case(run->verdicts, result);
    if (!run->same_code)
        return add_suspect(run, result, &base, &head, error);
    result->verdict = KG__UNCHANGED;
    result->same_code = "base";
    result->why = kg__pool_format(&run->pool, "not judged: the kernels' machine code is that of %s",
                                  run->base.ref);
    return true;
}

/* Reads the cases that KG_FILTER takes. */
static bool take_cases(pair_runs *run, const json_t *cases, kg__error *error)
{
    size_t most = json_object_size(cases);
    size_t taken = 0;
    const char *id;
    json_t *entry;

    run->suspects = kg__pool_array(&run->pool, most, sizeof *run->suspects);
    run->family.list =
        kg__pool_array(&run->pool, most * KG__SUSPECT_METRICS, sizeof(kg__hypothesis *));
    json_object_foreach ((json_t *)cases, id, entry) {
        if (!kg__filter_takes(id))
            continue;
        taken++;
        if (!take_case(run, id, entry, error))
            return false;
    }
    return taken > 0 || kg__fail(error, "none of the %zu cases is taken by KG_FILTER", most);
}

static bool has_open(const pair_runs *run)
{
    for (size_t i = 0; i < run->family.count; i++) {
        if (run->family.list[i]->finding == KG__UNDECIDED)
            return true;
    }
    return false;
}

/* Takes the looks that the pairs allow, from the first one on, since each call of this program
 * begins with none. Returns how many pairs the next one needs; 0: all is decided, or has ended. */
static size_t look_at_pairs(pair_runs *run)
{
    kg__family *family = &run->family;
    size_t look = 0;

    kg__family_plan(family);
    while (look < KG__LOOKS && run->pairs >= family->pairs[look] && has_open(run)) {
        kg__take_look(family, look, look + 1 == KG__LOOKS);
        look++;
    }
    if (*run->ended != '\0' && look > kg__first_useful_look(family))
        kg__take_look(family, look - 1, true);
    return *run->ended != '\0' || !has_open(run) ? 0 : family->pairs[look];
}

/* Gives a metric the figures of the pairs that decided it, where the result had those of the first
 * one. */
static void complete_metric(kg__paired_metric *paired, double margin)
{
    const kg__hypothesis *tested = &paired->hypothesis;
    size_t count = tested->looked > 0 ? tested->looked : tested->count;
    kg__metric_result *metric = paired->metric;
    kg__interval head = kg__median_interval(paired->head, count, KG__CONFIDENCE);

    metric->figures.value = head.value;
    metric->figures.low = head.low;
    metric->figures.high = head.high;
    metric->figures.samples = (int64_t)count;
    metric->baseline = kg__median(paired->base, count);
    metric->change = metric->pairs.count > 0 ? metric->pairs.change
                                             : metric->figures.value / metric->baseline - 1;
    metric->limit = margin;
    metric->gated = KG__YES;
}

static void settle(pair_runs *run)
{
    for (size_t i = 0; i < run->count; i++) {
        kg__suspect *suspect = &run->suspects[i];

        if (suspect->settled)
            continue;
        if (!kg__suspect_settle_by_pairs(suspect)) {
            suspect->result->verdict = KG__NOISY;
            suspect->result->why =
                kg__pool_format(&run->pool, "not decided by %zu pair%s: %s", run->pairs,
                                run->pairs == 1 ? "" : "s", run->ended);
        }
        suspect->result->observers = (unsigned int)run->pairs;
        for (size_t m = 0; m < suspect->metric_count; m++)
            complete_metric(&suspect->metrics[m], run->base.margin);
    }
}

static int compare_kernels(const void *left, const void *right)
{
    const kg__kernel *a = left;
    const kg__kernel *b = right;
    int order = strcmp(a->name, b->name);

    if (order == 0)
        order = (a->architecture > b->architecture) - (a->architecture < b->architecture);
    return order != 0 ? order : (a->hash > b->hash) - (a->hash < b->hash);
}

static void read_kernels(const json_t *files, kg__kernels *kernels)
{
    json_t *file;
    size_t i;

    json_array_foreach (files, i, file)
        kg__kernels_add(kernels, json_string_value(file));
    if (kernels->count > 0)
        qsort(kernels->items, kernels->count, sizeof *kernels->items, compare_kernels);
}

/* Whether the files of both sides have the same kernels, and any. */
static bool is_same_code(const json_t *code)
{
    kg__kernels base = { 0 };
    kg__kernels head = { 0 };
    bool same;

    read_kernels(json_object_get(code, "base"), &base);
    read_kernels(json_object_get(code, "head"), &head);
    same = base.count > 0 && base.count == head.count;
    for (size_t i = 0; same && i < base.count; i++)
        same = compare_kernels(&base.items[i], &head.items[i]) == 0;
    kg__kernels_free(&base);
    kg__kernels_free(&head);
    return same;
}

/* Reads the members besides the cases. */
static bool read_head(pair_runs *run, json_t *document, kg__target *target, kg__error *error)
{
    const char *test;
    json_t *described;
    json_t *provenance;
    json_t *cases;
    json_t *code = NULL;
    json_int_t pairs;
    json_error_t fault;

    if (json_unpack_ex(document, &fault, 0, "{s:s, s:o, s:o, s:s, s:F, s:s, s:I, s:o, s?o}", "test",
                       &test, "target", &described, "provenance", &provenance, "ref",
                       &run->base.ref, "margin", &run->base.margin, "ended", &run->ended, "pairs",
                       &pairs, "cases", &cases, "code", &code) != 0)
        return kg__fail(error, "%s", fault.text);
    if (!(run->base.margin >= 0 && run->base.margin < 1) || pairs < 1 ||
        pairs > KG__PAIRS_MAXIMUM || !json_is_object(cases) ||
        !kg__target_read(described, target, error))
        return kg__fail(error, "its margin, pairs, cases or target have another form");
    run->pairs = (size_t)pairs;
    run->same_code = is_same_code(code);
    run->family = (kg__family){ .margin = run->base.margin, .part = 1 };
    run->verdicts = kg__verdicts_make(&run->pool, kg__pool_text(&run->pool, test));
    run->verdicts->target = *target;
    run->verdicts->provenance = provenance;
    return true;
}

json_t *kg__judge_pairs(const kg__judged_file *file, kg__error *error)
{
    kg__target target = { 0 };
    pair_runs run = { .base = { .commit = "", .target = &target, .paired = true } };
    kg__error fault = { "" };
    json_t *answer = NULL;

    run.base.pool = &run.pool;
    if (read_head(&run, file->document, &target, &fault) &&
        take_cases(&run, json_object_get(file->document, "cases"), &fault)) {
        size_t wanted = look_at_pairs(&run);
        size_t useful = kg__first_useful_look(&run.family);

        settle(&run);
        answer = json_pack("{s:o, s:I, s:I}", "verdicts", kg__verdicts_json(run.verdicts), "pairs",
                           (json_int_t)wanted, "useful", (json_int_t)run.family.pairs[useful]);
    } else {
        kg__fail(error, "%s: %s", file->path, fault.text);
    }
    kg__pool_free(&run.pool);
    return answer;
}
