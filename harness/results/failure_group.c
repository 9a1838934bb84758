/* SPDX-License-Identifier: MIT */
#include "results/failure_group.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "judge/judge.h"
#include "records/finding.h"
#include "results/result_text.h"
#include "suite/id_parts.h"

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

/* A set of texts, in order. */
typedef struct parts {
    char *items[KG__FINDINGS_TOLD + 2];
    size_t count;
} parts;

/* Adds a kind of failure with its line and symbol; each may be unknown. */
static void add_part(parts *parts, const char *kind, const char *file, unsigned int line,
                     const char *symbol)
{
    char part[KG__PATH_SIZE + 512];

    kg__format(part, sizeof part, "%s %s:%u %s", kind, file != NULL ? file : "", line,
               symbol != NULL ? symbol : "");
    for (size_t i = 0; i < parts->count; i++) {
        if (strcmp(parts->items[i], part) == 0)
            return;
    }
    parts->items[parts->count++] = kg__copy_text(part);
}

/* The parts in order as one text; frees them. */
static char *join_parts(parts *parts)
{
    size_t size = 1;
    size_t used = 0;
    char *joined;

    qsort(parts->items, parts->count, sizeof *parts->items, kg__compare_names);
    for (size_t i = 0; i < parts->count; i++)
        size += strlen(parts->items[i]) + 1;
    joined = kg__allocate(size, 1);
    for (size_t i = 0; i < parts->count; i++) {
        used += (size_t)snprintf(joined + used, size - used, "%s\n", parts->items[i]);
        free(parts->items[i]);
    }
    return joined;
}

/* What a failed case is about, the same for all cases that failed alike. */
static char *subject_of(const kg__case_result *result)
{
    parts parts = { .count = 0 };
    char *reason;
    char *subject;

    for (size_t i = 0; i < result->findings.count && i < KG__FINDINGS_TOLD; i++) {
        const kg__finding *finding = &result->findings.list[i];

        add_part(&parts, kg__finding_kind_name(finding->kind), finding->by.file, finding->by.line,
                 finding->symbol);
    }
    if (result->failure != NULL)
        add_part(&parts, result->failure, NULL, 0, result->failure_symbol);
    if (result->at_line > 0)
        add_part(&parts, "at", result->at_file, result->at_line, NULL);
    if (parts.count > 0)
        return join_parts(&parts);
    reason = kg__case_result_reason(result);
    subject = without_figures(reason, strlen(reason));
    free(reason);
    return subject;
}

/* The length of the part of an id that cases which failed alike share: the variant, or of a run of
 * a program ("program/test/-/-") the program, whose tests launch the same kernels. */
static size_t shared_length(const char *id)
{
    return kg__ends_with(id, "/-/-") ? kg__comparison_length(id) : kg__variant_length(id);
}

/* "wrong nvidia-h200 matmul/tiled/ SUBJECT". */
char *kg__failure_group_key(const kg__case_result *result)
{
    const char *verdict = kg__verdict_name(result->verdict);
    int variant = (int)shared_length(result->id);
    char *subject;
    char *key;
    size_t size;

    if (result->verdict < KG__WRONG)
        return NULL;
    subject = subject_of(result);
    size =
        strlen(verdict) + strlen(result->target) + (size_t)variant + strlen(subject) + sizeof "   ";
    key = kg__allocate(size, 1);
    snprintf(key, size, "%s %s %.*s %s", verdict, result->target, variant, result->id, subject);
    free(subject);
    return key;
}
