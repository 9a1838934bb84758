#include "results/failure_groups.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "base/text.h"
#include "judge/judge.h"
#include "records/finding.h"
#include "results/results_text.h"

static void give_up(void)
{
    kg__complain("out of host memory for the cases that failed alike: free some memory");
    exit(KG__EXIT_ERROR);
}

/* Whether a number begins here that is no part of a name, as that of int4 is, and no line of a
 * file, as in a.cu:14. */
static bool begins_figure(const char *text, const char *begin)
{
    return isdigit((unsigned char)*text) && (text == begin || (!isalnum((unsigned char)text[-1]) &&
                                                               text[-1] != '_' && text[-1] != ':'));
}

/* Copies words, each figure in them as one #: "block (4, 0, 0)" and "block (0, 0, 0)" are alike,
 * tile_a and tile_b are not. */
static char *without_figures(const char *text, size_t length)
{
    char *words = kg__allocate(length + 1, 1);
    size_t used = 0;

    for (size_t i = 0; i < length;) {
        if (!begins_figure(text + i, text)) {
            words[used++] = text[i++];
            continue;
        }
        words[used++] = '#';
        /* Thousands are parted by spaces. */
        while (i < length && (isdigit((unsigned char)text[i]) ||
                              (strchr(". ", text[i]) != NULL && i + 1 < length &&
                               isdigit((unsigned char)text[i + 1]))))
            i++;
    }
    words[used] = '\0';
    return words;
}

/* Adds a kind of failure, at a line and of a symbol, of which each may be unknown. */
static void take(json_t *parts, const char *kind, const char *file, unsigned int line,
                 const char *symbol)
{
    char part[KG__PATH_SIZE + 512];

    kg__format(part, sizeof part, "%s %s:%u %s", kind, file != NULL ? file : "", line,
               symbol != NULL ? symbol : "");
    json_object_set_new(parts, part, json_true());
}

/* What a failed entry is about, for all cases that failed alike the same. */
static char *subject_of(const json_t *entry)
{
    const json_t *failure = json_object_get(entry, "failure");
    const json_t *at = json_object_get(entry, KG__AT);
    json_t *parts = json_object();
    kg__findings found;
    kg__error error;
    char *subject;

    if (!kg__findings_read(entry, &found, &error))
        found.count = 0;
    for (size_t i = 0; i < found.count; i++)
        take(parts, kg__finding_kind_name(found.list[i].kind), found.list[i].by.file,
             found.list[i].by.line, found.list[i].symbol);
    if (failure != NULL)
        take(parts, kg__json_text(failure, "kind"), NULL, 0, kg__json_text(failure, "symbol"));
    if (kg__json_count(at, "line") > 0)
        take(parts, "at", kg__json_text(at, "file"), (unsigned int)kg__json_count(at, "line"),
             NULL);
    if (json_object_size(parts) == 0) {
        char *reason = kg__results_reason(entry);

        subject = without_figures(reason, strlen(reason));
        free(reason);
    } else {
        subject = json_dumps(parts, JSON_SORT_KEYS | JSON_COMPACT);
    }
    json_decref(parts);
    if (subject == NULL)
        give_up();
    return subject;
}

char *kg__failure_group_key(const json_t *entry)
{
    kg__verdict verdict = kg__results_verdict(entry);
    const char *id = kg__json_text(entry, "case");
    const char *target = kg__json_text(entry, "target");
    int variant = (int)kg__variant_length(id);
    char *subject;
    char *key;
    size_t size;

    if (verdict < KG__WRONG)
        return NULL;
    subject = subject_of(entry);
    size = strlen(kg__verdict_name(verdict)) + strlen(target) + (size_t)variant + strlen(subject) +
           sizeof "   ";
    key = kg__allocate(size, 1);
    snprintf(key, size, "%s %s %.*s %s", kg__verdict_name(verdict), target, variant, id, subject);
    free(subject);
    return key;
}

char *kg__case_result_group_key(const kg__case_result *result)
{
    json_t *entry = kg__case_result_json(result);
    char *key = kg__failure_group_key(entry);

    json_decref(entry);
    return key;
}

json_t *kg__failure_groups_make(const json_t *results)
{
    json_t *by_key = json_object();
    json_t *groups = json_array();
    const json_t *entry;
    const char *key;
    json_t *group;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        char *of = kg__failure_group_key(entry);

        if (of == NULL)
            continue;
        group = json_object_get(by_key, of);
        if (group == NULL) {
            group = json_pack("{s:s, s:s, s:[]}", "target", kg__json_text(entry, "target"),
                              "verdict", kg__verdict_name(kg__results_verdict(entry)), "cases");
            json_object_set_new(by_key, of, group);
        }
        json_array_append_new(json_object_get(group, "cases"),
                              json_string(kg__json_text(entry, "case")));
        free(of);
    }
    json_object_foreach (by_key, key, group) {
        if (json_array_size(json_object_get(group, "cases")) > 1)
            json_array_append(groups, group);
    }
    json_decref(by_key);
    return groups;
}
