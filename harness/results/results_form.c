#include "results/results_form.h"

#include <math.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "baseline/kernel_code.h"
#include "judge/judge.h"
#include "records/finding.h"

typedef struct form form;

/* A member that an object may have, or has to have. */
typedef struct member {
    const char *key;
    const form *form;
    bool optional;
} member;

/* What a value has to be, and what is in it. */
struct form {
    bool (*fits)(const json_t *value);
    const char *expected;
    const form *also;      /* of an object that is not closed: it is of this form too */
    const member *members; /* of an object: those that are known; ends with an empty one */
    bool closed;           /* of an object: it has no others */
    const form *others;    /* of an object: what the others are; NULL: anything */
    const form *items;     /* of an array */
};

/* How far the check of a document got. */
typedef struct checking {
    char *where;
    size_t size;
    const char *expected;
} checking;

static bool is_text(const json_t *value)
{
    return json_is_string(value);
}

static bool is_name(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) > 0;
}

static bool is_boolean(const json_t *value)
{
    return json_is_boolean(value);
}

static bool is_mark(const json_t *value)
{
    return json_is_true(value);
}

static bool is_figure(const json_t *value)
{
    return json_is_number(value) || json_is_null(value);
}

static bool is_number(const json_t *value)
{
    return json_is_number(value);
}

static bool is_amount(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) >= 0.0;
}

static bool is_rate(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) > 0.0;
}

static bool is_fraction(const json_t *value)
{
    return is_amount(value) && json_number_value(value) <= 1.0;
}

/* JSON knows no integers: 1.0 is one too. */
static bool is_whole(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) == rint(json_number_value(value));
}

static bool is_count(const json_t *value)
{
    return is_whole(value) && json_number_value(value) >= 0.0;
}

static bool is_positive_count(const json_t *value)
{
    return is_whole(value) && json_number_value(value) >= 1.0;
}

static bool is_object(const json_t *value)
{
    return json_is_object(value);
}

static bool is_list(const json_t *value)
{
    return json_is_array(value);
}

static bool is_verdict(const json_t *value)
{
    kg__verdict verdict;

    return json_is_string(value) && kg__verdict_parse(json_string_value(value), &verdict);
}

static bool is_exit_code(const json_t *value)
{
    double code = json_number_value(value);

    return json_is_number(value) && (code == KG__EXIT_PASS || code == KG__EXIT_FAIL ||
                                     code == KG__EXIT_ERROR || code == KG__EXIT_NOTHING);
}

/* Whether a value is one of the texts of a list that ends in NULL. */
static bool is_one_of(const json_t *value, const char *const *texts)
{
    const char *found = json_string_value(value);

    while (found != NULL && *texts != NULL && strcmp(found, *texts) != 0)
        texts++;
    return found != NULL && *texts != NULL;
}

static bool is_skip_reason(const json_t *value)
{
    static const char *const reasons[] = { "filter", "empty", "unavailable", "no-baseline", NULL };

    return is_one_of(value, reasons);
}

static bool is_loosening(const json_t *value)
{
    static const char *const kinds[] = { "no_longer_gated", "retired", "widened", "slower", NULL };

    return is_one_of(value, kinds);
}

static bool is_file_state(const json_t *value)
{
    static const char *const states[] = { "unchanged", "changed",    "new",
                                          "removed",   "unreadable", NULL };

    return is_one_of(value, states);
}

/* A test that was skipped says by what. */
static bool is_test(const json_t *value)
{
    return json_is_object(value) && (json_object_get(value, "skipped") == NULL ||
                                     json_object_get(value, "skipped_by") != NULL);
}

static const form text = { .fits = is_text, .expected = "a text" };
static const form name = { .fits = is_name, .expected = "a text, and not an empty one" };
static const form case_id = { .fits = is_name, .expected = "a case's id" };
static const form target_key = { .fits = is_name, .expected = "a target's key" };
static const form boolean = { .fits = is_boolean, .expected = "true or false" };
static const form mark = { .fits = is_mark, .expected = "true, or absent" };
static const form number = { .fits = is_number, .expected = "a number" };
static const form figure = { .fits = is_figure, .expected = "a number" };
static const form amount = { .fits = is_amount, .expected = "a number of at least 0" };
static const form rate = { .fits = is_rate, .expected = "a number above 0" };
static const form fraction = { .fits = is_fraction, .expected = "a number from 0 to 1" };
static const form count = { .fits = is_count, .expected = "a whole number of at least 0" };
static const form positive_count = { .fits = is_positive_count,
                                     .expected = "a whole number of at least 1" };
static const form verdict = { .fits = is_verdict, .expected = "a known verdict" };
static const form exit_code = { .fits = is_exit_code, .expected = "0, 1, 2 or 77" };
static const form skip_reason = { .fits = is_skip_reason,
                                  .expected = "\"filter\", \"empty\", \"unavailable\" or "
                                              "\"no-baseline\"" };
static const form fingerprint = { .fits = kg__is_fingerprint,
                                  .expected = "a fingerprint of 16 hexadecimal digits" };
static const form seconds = { .fits = is_amount, .expected = "a time of at least 0 seconds" };
static const form texts = { .fits = is_list, .expected = "a list", .items = &text };
static const form names = { .fits = is_list, .expected = "a list", .items = &name };

#define OBJECT(...)                                                                                \
    {                                                                                              \
        .fits = is_object, .expected = "an object", __VA_ARGS__                                    \
    }
#define LIST_OF(form)                                                                              \
    {                                                                                              \
        .fits = is_list, .expected = "a list", .items = &(form)                                    \
    }

static const member target_members[] = {
    { "key", &target_key, false },
    { "name", &text, true },
    { "compute_capability", &text, true },
    { "memory_mib", &count, true },
    { "multiprocessors", &count, true },
    { "compiler", &text, true },
    { 0 },
};
static const form target = OBJECT(.members = target_members);
static const form targets = OBJECT(.others = &target);

static const member limits_members[] = {
    { "copy_bytes_per_second", &rate, true },
    { "operations_per_second", &rate, true },
    { 0 },
};
static const form limits = OBJECT(.members = limits_members, .closed = true);
static const form figures = OBJECT(.others = &figure);
static const member provenance_members[] = {
    { "sentinels_ns", &figures, true },
    { "limits", &limits, true },
    { 0 },
};
static const form provenance = OBJECT(.members = provenance_members);
static const form provenances = OBJECT(.others = &provenance);

static const member board_members[] = {
    { "target", &target_key, false },
    { "provenance", &provenance, true },
    { 0 },
};
static const form board = OBJECT(.members = board_members, .closed = true);
static const form boards = OBJECT(.others = &board);

static const member base_members[] = {
    { "ref", &name, false },
    { "commit", &name, true },
    { 0 },
};
static const form base = OBJECT(.members = base_members, .closed = true);

static const form samples_of_process = LIST_OF(number);
static const form samples = LIST_OF(samples_of_process);

static const member metric_members[] = {
    { "value", &figure, true },
    { "low", &figure, true },
    { "high", &figure, true },
    { "baseline", &figure, true },
    { "change", &figure, true },
    { "limit", &figure, true },
    { "smallest", &figure, true },
    { "gated", &boolean, true },
    { "tripped", &mark, true },
    { "verdict", &verdict, true },
    { "why", &text, true },
    { "samples_ns", &samples, true },
    { 0 },
};
static const form metric = OBJECT(.members = metric_members);
static const form metrics = OBJECT(.others = &metric);

static const form line = OBJECT(.others = &positive_count);
static const form lines = OBJECT(.others = &line);

static const member sampled_members[] = {
    { "blocks", &count, false },
    { "of", &count, false },
    { 0 },
};
static const form sampled = OBJECT(.members = sampled_members);
static const form reasons = OBJECT(.others = &text);

static const member work_members[] = {
    { "operations", &amount, false },
    { "bytes", &amount, false },
    { 0 },
};
static const form work = OBJECT(.members = work_members, .closed = true);

static const member kernel_members[] = {
    { "name", &name, true },          { "fingerprint", &fingerprint, true },
    { "registers", &count, true },    { "local_bytes", &count, true },
    { "shared_bytes", &count, true }, { "blocks_per_multiprocessor", &count, true },
    { "occupancy", &fraction, true }, { 0 },
};
static const form kernel = OBJECT(.members = kernel_members);

static const member card_members[] = {
    { "temperature_c", &count, true },
    { "sm_clock_mhz", &count, true },
    { "memory_clock_mhz", &count, true },
    { "clock_reasons", &text, true },
    { "foreign_processes", &count, true },
    { "launch_ns", &count, true },
    { "batches_repeated", &positive_count, true },
    { 0 },
};
static const form card = OBJECT(.members = card_members);

static const member pairs_members[] = {
    { "count", &positive_count, false }, { "change", &number, false }, { "low", &number, false },
    { "high", &number, false },          { "p", &fraction, false },    { 0 },
};
static const form pairs_of_metric = OBJECT(.members = pairs_members, .closed = true);
static const form pairs = OBJECT(.others = &pairs_of_metric);

static const member imported_members[] = {
    { "from", &name, false },
    { "name", &name, false },
    { "files", &names, false },
    { "target", &target_key, true },
    { 0 },
};
static const form imported = OBJECT(.members = imported_members, .closed = true);

/* kg__finding_read() has the grammar of findings. */
static bool is_finding(const json_t *value)
{
    kg__finding finding;

    return kg__finding_read(value, &finding, NULL);
}

static const form finding = { .fits = is_finding, .expected = "a finding, as the schema has it" };
static const form findings = LIST_OF(finding);

static const member failure_members[] = {
    { "kind", &name, false },
    { "symbol", &name, true },
    { 0 },
};
static const form failure = OBJECT(.members = failure_members, .closed = true);

static const member source_members[] = {
    { "file", &name, false },
    { "line", &positive_count, true },
    { 0 },
};
static const form source = OBJECT(.members = source_members, .closed = true);

/* What a run's results and a test's verdicts hold of a case alike. */
static const member shared_case_members[] = {
    { "case", &case_id, false },
    { "target", &target_key, false },
    { "seconds", &seconds, true },
    { "verdict", &verdict, false },
    { "lines", &lines, true },
    { "sampled", &sampled, true },
    { "absent", &reasons, true },
    { "work", &work, true },
    { "kernel", &kernel, true },
    { "card", &card, true },
    { "smallest", &amount, true },
    { "changed", &names, true },
    { "base", &base, true },
    { "pairs", &pairs, true },
    { "suspect", &mark, true },
    { "note", &name, true },
    { "imported", &imported, true },
    { "findings", &findings, true },
    { "more_findings", &positive_count, true },
    { "also", &name, true },
    { "failure", &failure, true },
    { KG__AT, &source, true },
    { 0 },
};
static const form shared_of_case = OBJECT(.members = shared_case_members);

static const member case_members[] = {
    { "parts", &texts, true },
    { "metrics", &metrics, false },
    { "why", &text, false },
    { "reason", &text, true },
    { "reproduce", &name, true },
    { "test", &text, true },
    { 0 },
};
static const form one_case = OBJECT(.also = &shared_of_case, .members = case_members);
static const form cases = LIST_OF(one_case);

static const member test_members[] = {
    { "name", &name, false },           { "target", &text, false },
    { "seconds", &seconds, false },     { "complete", &boolean, false },
    { "exit_code", &exit_code, false }, { "program_exit_code", &exit_code, true },
    { "skipped", &text, true },         { "skipped_by", &skip_reason, true },
    { "board", &name, true },           { 0 },
};
static const form test = { .fits = is_test,
                           .expected = "an object that says by what it was skipped",
                           .members = test_members,
                           .closed = true };
static const form tests = LIST_OF(test);

static const member claim_members[] = {
    { "claim", &name, false },
    { "holds", &boolean, false },
    { "why", &text, false },
    { "target", &text, false },
    { "test", &text, false },
    { "reproduce", &name, true },
    { 0 },
};
static const form claim = OBJECT(.members = claim_members, .closed = true);
static const form claims = LIST_OF(claim);

static const member refusal_members[] = {
    { "case", &case_id, false },
    { "why", &text, false },
    { "target", &text, false },
    { "test", &text, false },
    { 0 },
};
static const form refusal = OBJECT(.members = refusal_members, .closed = true);
static const form refused = LIST_OF(refusal);

static const member vanished_members[] = {
    { "case", &case_id, false },
    { "target", &text, false },
    { "test", &text, false },
    { "why", &text, true },
    { 0 },
};
static const form vanished_case = OBJECT(.members = vanished_members, .closed = true);
static const form vanished = LIST_OF(vanished_case);

static const member covered_members[] = {
    { "expected", &count, false },
    { "reported", &count, false },
    { 0 },
};
static const form covered = OBJECT(.members = covered_members, .closed = true);
static const member coverage_members[] = {
    { "tests", &covered, false },
    { "cases", &covered, false },
    { "filter", &text, true },
    { "partial", &mark, true },
    { 0 },
};
static const form coverage = OBJECT(.members = coverage_members, .closed = true);

static const member error_members[] = {
    { "test", &text, true },
    { "why", &name, false },
    { "reproduce", &name, true },
    { 0 },
};
static const form error = OBJECT(.members = error_members, .closed = true);
static const form errors = LIST_OF(error);

static const member note_members[] = {
    { "note", &text, false },
    { "target", &text, false },
    { "test", &text, false },
    { 0 },
};
static const form note = OBJECT(.members = note_members, .closed = true);
static const form notes = LIST_OF(note);

static const member tally_members[] = {
    { "pass", &count, false },
    { "faster", &count, false },
    { "no-baseline", &count, false },
    { "noisy", &count, false },
    { "environment", &count, false },
    { "slower", &count, false },
    { "wrong", &count, false },
    { "error", &count, false },
    { "vanished", &count, false },
    { "failed_claims", &count, false },
    { "filtered_out", &count, false },
    { "unavailable", &count, false },
    { "broken", &count, false },
    { "unlisted", &count, true },
    { 0 },
};
static const form tally = OBJECT(.members = tally_members, .others = &count);

static const form loosening = { .fits = is_loosening,
                                .expected = "\"no_longer_gated\", \"retired\", \"widened\" or "
                                            "\"slower\"" };
static const form file_state = { .fits = is_file_state,
                                 .expected = "\"unchanged\", \"changed\", \"new\", \"removed\" or "
                                             "\"unreadable\"" };
static const member changed_file_members[] = {
    { "target", &target_key, false },
    { "state", &file_state, false },
    { "no_longer_gated", &count, false },
    { "retired", &count, false },
    { "widened", &count, false },
    { "slower", &count, false },
    { "new", &count, false },
    { "sentinels_moved", &count, false },
    { "why", &name, true },
    { 0 },
};
static const form changed_file = OBJECT(.members = changed_file_members, .closed = true);
static const form changed_files = LIST_OF(changed_file);

static const member loosened_members[] = {
    { "target", &target_key, false },
    { "case", &case_id, false },
    { "metric", &name, true },
    { "kind", &loosening, false },
    { "before", &amount, true },
    { "after", &amount, true },
    { 0 },
};
static const form loosened_entry = OBJECT(.members = loosened_members, .closed = true);
static const form loosened = LIST_OF(loosened_entry);

static const member baselines_members[] = {
    { "since", &name, true },
    { "commit", &name, true },
    { "not_gated", &count, false },
    { "limits_above_10_percent", &count, false },
    { "files", &changed_files, false },
    { "loosened", &loosened, false },
    { 0 },
};
static const form baselines = OBJECT(.members = baselines_members, .closed = true);

static const member group_members[] = {
    { "target", &text, false },
    { "verdict", &verdict, false },
    { "cases", &texts, false },
    { 0 },
};
static const form group = OBJECT(.members = group_members, .closed = true);
static const form groups = LIST_OF(group);

static const member summary_members[] = {
    { "outcome", &name, false },  { "headline", &name, false }, { "unlisted", &name, true },
    { "baselines", &name, true }, { "loosened", &names, true }, { 0 },
};
static const form summary = OBJECT(.members = summary_members, .closed = true);

static const member document_members[] = {
    { "schema", &name, false },
    { "out", &text, true },
    { "build", &text, true },
    { "commit", &name, true },
    { "base", &base, true },
    { "strict", &boolean, false },
    { "targets", &targets, false },
    { "provenance", &provenances, false },
    { "boards", &boards, true },
    { "baselines", &baselines, true },
    { "cases", &cases, false },
    { "tests", &tests, false },
    { "claims", &claims, false },
    { "refused", &refused, false },
    { "vanished", &vanished, false },
    { "unlisted", &vanished, true },
    { "coverage", &coverage, true },
    { "errors", &errors, false },
    { "notes", &notes, false },
    { "tally", &tally, false },
    { "summary", &summary, true },
    { "failure_groups", &groups, true },
    { "exit_code", &exit_code, false },
    { 0 },
};
static const form document_form = OBJECT(.members = document_members, .closed = true);

/* What a test says of a case, which a run's results take over as it is, but for the part that it
 * names and the records of a suspect. */
static const member judged_case_members[] = {
    { "part", &text, true },
    { "metrics", &metrics, true },
    { "why", &text, true },
    { 0 },
};
static const form judged_case = OBJECT(.also = &shared_of_case, .members = judged_case_members);
static const form judged_cases = LIST_OF(judged_case);

static const member held_claim_members[] = {
    { "claim", &name, false },
    { "holds", &boolean, false },
    { "why", &text, true },
    { 0 },
};
static const form held_claim = OBJECT(.members = held_claim_members);
static const form held_claims = LIST_OF(held_claim);

static const member refused_case_members[] = {
    { "case", &case_id, false },
    { "why", &text, true },
    { 0 },
};
static const form refused_case = OBJECT(.members = refused_case_members);
static const form refused_cases = LIST_OF(refused_case);

static const member verdicts_members[] = {
    { "schema", &name, false },          { "test", &name, false },
    { "complete", &boolean, false },     { "exit_code", &exit_code, true },
    { "seconds", &seconds, true },       { "target", &target, true },
    { "provenance", &provenance, true }, { "board", &name, true },
    { "skipped", &text, true },          { "skipped_by", &skip_reason, true },
    { "nearest", &case_id, true },       { "errors", &names, true },
    { "vanished", &names, true },        { "notes", &names, true },
    { "refused", &refused_cases, true }, { "claims", &held_claims, true },
    { "cases", &judged_cases, true },    { 0 },
};
static const form verdicts_form = { .fits = is_test,
                                    .expected = "an object that says by what it was skipped",
                                    .members = verdicts_members };

static bool check(checking *at, const json_t *value, const form *wanted);

/* Checks a value that stands at `step` of the one that has just been checked. */
static bool check_within(checking *at, const char *step, const json_t *value, const form *wanted)
{
    size_t length = strlen(at->where);

    kg__format(at->where + length, at->size - length, "%s%s", length > 0 && *step != '[' ? "." : "",
               step);
    if (!check(at, value, wanted))
        return false;
    at->where[length] = '\0';
    return true;
}

static const member *find_member(const member *members, const char *key)
{
    for (; members != NULL && members->key != NULL; members++) {
        if (strcmp(members->key, key) == 0)
            return members;
    }
    return NULL;
}

static bool check_object(checking *at, const json_t *value, const form *wanted)
{
    static const form unknown = { .fits = NULL, .expected = "a known member" };
    const char *key;
    json_t *inner;

    for (const member *one = wanted->members; one != NULL && one->key != NULL; one++) {
        const json_t *held = json_object_get(value, one->key);

        if ((held != NULL || !one->optional) && !check_within(at, one->key, held, one->form))
            return false;
    }
    json_object_foreach ((json_t *)value, key, inner) {
        const form *rest = wanted->closed ? &unknown : wanted->others;

        if (rest != NULL && find_member(wanted->members, key) == NULL &&
            !check_within(at, key, inner, rest))
            return false;
    }
    return true;
}

static bool check(checking *at, const json_t *value, const form *wanted)
{
    size_t index;
    const json_t *item;

    if (wanted->fits == NULL || !wanted->fits(value)) {
        at->expected = wanted->expected;
        return false;
    }
    json_array_foreach (value, index, item) {
        char step[32];

        kg__format(step, sizeof step, "[%zu]", index);
        if (wanted->items != NULL && !check_within(at, step, item, wanted->items))
            return false;
    }
    return (wanted->also == NULL || check_object(at, value, wanted->also)) &&
           check_object(at, value, wanted);
}

static bool has_form(const json_t *document, const form *wanted, char *where, size_t size,
                     const char **expected)
{
    checking at = { .where = where, .size = size, .expected = "" };
    bool right;

    where[0] = '\0';
    right = check(&at, document, wanted);
    *expected = at.expected;
    return right;
}

bool kg__results_has_form(const json_t *document, char *where, size_t size, const char **expected)
{
    return has_form(document, &document_form, where, size, expected);
}

bool kg__verdicts_have_form(const json_t *document, char *where, size_t size, const char **expected)
{
    return has_form(document, &verdicts_form, where, size, expected);
}
