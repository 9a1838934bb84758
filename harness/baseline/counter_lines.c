/* SPDX-License-Identifier: MIT */
#include "baseline/counter_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* What pairs and unpaired lines cost when two sets of other numbers are matched. Two lines that
 * count the same belong together; else a pair is more likely than one line gone and another one
 * new.
 */
#define COST_UNEQUAL 4
#define COST_UNEQUAL_SAME_NUMBER 3
#define COST_UNPAIRED 4

/* Maximum number of possible pairs in one file: beyond it lines are matched in order, in linear
 * time. */
#define MOST_PAIRS ((size_t)4000000)

/* A kind of access: how many requests, and what they cost in all where that is counted. */
typedef struct access_kind {
    kg__counter requests;
    const kg__ratio *ratio; /* NULL: requests have no other cost */
} access_kind;

/* What one line does of one kind. */
typedef struct site {
    const kg__line_counts *at;
    double requests;
    double cost;
} site;

typedef struct site_list {
    site *list;
    size_t count;
} site_list;

/* What a line has to do with a move. */
typedef struct line_change {
    const kg__line_counts *at;
    char text[256];
    bool rise;
    double amount; /* the largest rise of its counters, else their largest fall */
    size_t order;  /* of discovery, which decides between equals */
} line_change;

typedef struct line_change_list {
    line_change *list;
    size_t count;
    size_t capacity;
    kg__lines *before; /* what each line of now counted before; NULL: not wanted */
} line_change_list;

void kg__counter_words(const char *counter, char *words, size_t size)
{
    static const char global[] = "global_";

    if (strncmp(counter, global, sizeof global - 1) == 0)
        counter += sizeof global - 1;
    kg__format(words, size, "%s", counter);
    for (char *c = words; *c != '\0'; c++) {
        if (*c == '_')
            *c = ' ';
    }
}

/* The lines that have a kind of access, by file and number. */
static site_list list_sites(const kg__lines *lines, const access_kind *kind)
{
    site_list found = { .list = kg__allocate(lines->count, sizeof *found.list) };

    for (size_t i = 0; i < lines->count; i++) {
        const kg__line_counts *line = &lines->list[i];
        site here = { .at = line, .requests = (double)line->counts.value[kind->requests] };

        if (kind->ratio != NULL)
            here.cost = (double)line->counts.value[kind->ratio->above];
        if (here.requests > 0 || here.cost > 0)
            found.list[found.count++] = here;
    }
    return found;
}

static void show_count(double value, char *text)
{
    kg__show_figure(text, KG__FIGURE_SIZE, value, "");
}

/* The counter of a kind to name where its ratio does not explain a move: its requests where they
 * moved that way, else what they cost. */
static kg__counter choose_counter(const access_kind *kind, const site *before, const site *now,
                                  bool rise)
{
    bool requests_tell = rise ? now->requests > before->requests : now->requests < before->requests;

    return requests_tell || kind->ratio == NULL ? kind->requests : kind->ratio->above;
}

/* Whether a pair's ratio explains its move: it moved in the direction of the cost, which is that of
 * the move; it accounts for at least half of it, the number of requests for the rest; and the two
 * ratios differ as printed. */
static bool ratio_explains(const access_kind *kind, const site *before, const site *now, bool rise,
                           char *from, char *to, size_t size)
{
    double ratio_before;
    double ratio_now;

    if (kind->ratio == NULL || !(before->requests > 0) || !(now->requests > 0) ||
        now->cost == before->cost)
        return false;
    ratio_before = before->cost / before->requests;
    ratio_now = now->cost / now->requests;
    kg__format(from, size, "%.2f", ratio_before);
    kg__format(to, size, "%.2f", ratio_now);
    return strcmp(from, to) != 0 && (now->cost > before->cost) == rise &&
           (ratio_now > ratio_before) == rise &&
           2 * fabs(log(ratio_now / ratio_before)) >= fabs(log(now->cost / before->cost));
}

static void describe_pair(const access_kind *kind, const site *before, const site *now,
                          line_change *change)
{
    char from[KG__FIGURE_SIZE];
    char to[KG__FIGURE_SIZE];
    char words[64];

    if (ratio_explains(kind, before, now, change->rise, from, to, sizeof from)) {
        kg__format(change->text, sizeof change->text, "%s:%u: %s went from %s to %s %s",
                   now->at->file, now->at->line, kind->ratio->what, from, to, kind->ratio->unit);
        return;
    }

    kg__counter counter = choose_counter(kind, before, now, change->rise);

    show_count(counter == kind->requests ? before->requests : before->cost, from);
    show_count(counter == kind->requests ? now->requests : now->cost, to);
    kg__counter_words(kg__counter_name(counter), words, sizeof words);
    kg__format(change->text, sizeof change->text, "%s:%u: %s went from %s to %s", now->at->file,
               now->at->line, words, from, to);
}

static void describe_single(const access_kind *kind, const site *line, line_change *change)
{
    char count[KG__FIGURE_SIZE];
    char words[64];
    char each[64] = "";

    show_count(line->requests > 0 ? line->requests : line->cost, count);
    kg__counter_words(kg__counter_name(line->requests > 0 ? kind->requests : kind->ratio->above),
                      words, sizeof words);
    if (kind->ratio != NULL && line->requests > 0)
        kg__format(each, sizeof each, ", %.2f %s", line->cost / line->requests, kind->ratio->unit);
    kg__format(change->text, sizeof change->text, "%s:%u%s: %s%s %s%s", line->at->file,
               line->at->line, change->rise ? "" : " of the baseline",
               change->rise ? "new, with " : "gone, with its ", count, words, each);
}

/* Adds what a line counted before at its place now, or where it was if it is gone. */
static void add_before(kg__lines *lines, const access_kind *kind, const site *before,
                       const kg__line_counts *at)
{
    kg__counts *counts = kg__lines_at(lines, at->file, strlen(at->file), at->line);

    counts->value[kind->requests] = (uint64_t)before->requests;
    if (kind->ratio != NULL)
        counts->value[kind->ratio->above] = (uint64_t)before->cost;
}

/* Notes what became of a line: `before` or `now` is NULL where it is new or gone. */
static void add_change(line_change_list *changes, const access_kind *kind, const site *before,
                       const site *now)
{
    static const site nothing;
    const site *from = before != NULL ? before : &nothing;
    const site *to = now != NULL ? now : &nothing;
    double rise = fmax(to->requests - from->requests, to->cost - from->cost);
    double fall = fmax(from->requests - to->requests, from->cost - to->cost);
    line_change *change;

    if (before != NULL && changes->before != NULL)
        add_before(changes->before, kind, before, now != NULL ? now->at : before->at);
    if (!(rise > 0) && !(fall > 0))
        return;
    change = KG__ADD(changes->list, changes->count, changes->capacity);
    *change = (line_change){ .at = now != NULL ? to->at : from->at,
                             .rise = rise > 0,
                             .amount = rise > 0 ? rise : fall,
                             .order = changes->count };
    if (before == NULL || now == NULL)
        describe_single(kind, before == NULL ? to : from, change);
    else
        describe_pair(kind, before, now, change);
}

static bool same_numbers(const site *before, size_t before_count, const site *now, size_t count)
{
    if (before_count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (before[i].at->line != now[i].at->line)
            return false;
    }
    return true;
}

static unsigned cost_of_pair(const site *before, const site *now)
{
    if (before->requests == now->requests && before->cost == now->cost)
        return 0;
    return before->at->line == now->at->line ? COST_UNEQUAL_SAME_NUMBER : COST_UNEQUAL;
}

/* Fills least[i][j], for the cheapest way to match what follows `i` lines of `before` and `j` of
 * `now`. */
static void price_matches(const site *before, size_t before_count, const site *now, size_t count,
                          unsigned *least)
{
    size_t width = count + 1;

    for (size_t i = before_count + 1; i-- > 0;) {
        for (size_t j = count + 1; j-- > 0;) {
            unsigned best = (unsigned)(before_count - i + count - j) * COST_UNPAIRED;

            if (i < before_count && j < count) {
                unsigned pair =
                    cost_of_pair(&before[i], &now[j]) + least[(i + 1) * width + (j + 1)];
                unsigned gone = COST_UNPAIRED + least[(i + 1) * width + j];
                unsigned added = COST_UNPAIRED + least[i * width + (j + 1)];

                best = pair < gone ? pair : gone;
                best = added < best ? added : best;
            }
            least[i * width + j] = best;
        }
    }
}

/* Matches the lines of one file that have a kind of access, and notes what differs. */
static void match_lines(line_change_list *changes, const access_kind *kind, const site *before,
                        size_t before_count, const site *now, size_t count)
{
    bool in_order =
        same_numbers(before, before_count, now, count) || before_count * count > MOST_PAIRS;
    size_t width = count + 1;
    unsigned *least = kg__allocate(in_order ? 1 : (before_count + 1) * (count + 1), sizeof *least);
    size_t i = 0;
    size_t j = 0;

    if (!in_order)
        price_matches(before, before_count, now, count, least);
    while (i < before_count || j < count) {
        bool pair = i < before_count && j < count &&
                    (in_order || least[i * width + j] == cost_of_pair(&before[i], &now[j]) +
                                                             least[(i + 1) * width + (j + 1)]);
        bool gone = !pair && i < before_count &&
                    (j == count || (!in_order && least[i * width + j] ==
                                                     COST_UNPAIRED + least[(i + 1) * width + j]));

        add_change(changes, kind, pair || gone ? &before[i] : NULL, gone ? NULL : &now[j]);
        i += pair || gone;
        j += !gone;
    }
    free(least);
}

/* How many sites from `from` on are of its file. */
static size_t count_sites_of_file(const site_list *sites, size_t from)
{
    size_t end = from;

    while (end < sites->count && strcmp(sites->list[end].at->file, sites->list[from].at->file) == 0)
        end++;
    return end - from;
}

/* Matches two sets file by file. */
static void match_files(line_change_list *changes, const access_kind *kind, const site_list *before,
                        const site_list *now)
{
    size_t i = 0;
    size_t j = 0;

    while (i < before->count || j < now->count) {
        size_t gone = i < before->count ? count_sites_of_file(before, i) : 0;
        size_t added = j < now->count ? count_sites_of_file(now, j) : 0;

        if (gone > 0 && added > 0) {
            int order = strcmp(before->list[i].at->file, now->list[j].at->file);

            if (order < 0)
                added = 0;
            else if (order > 0)
                gone = 0;
        }
        match_lines(changes, kind, &before->list[i], gone, &now->list[j], added);
        i += gone;
        j += added;
    }
}

static int compare_changes(const void *left, const void *right)
{
    const line_change *a = left;
    const line_change *b = right;

    if (a->rise != b->rise)
        return a->rise ? -1 : 1;
    if (a->amount != b->amount)
        return a->amount > b->amount ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* The kinds of access: those that have a ratio, then every counter that is in none. */
static size_t list_kinds(access_kind *kinds)
{
    bool in_ratio[KG__COUNTERS] = { false };
    size_t count = 0;

    for (size_t i = 0; i < KG__RATIOS; i++) {
        kinds[count++] = (access_kind){ kg__ratios[i].below, &kg__ratios[i] };
        in_ratio[kg__ratios[i].below] = in_ratio[kg__ratios[i].above] = true;
    }
    for (int i = 0; i < KG__COUNTERS; i++) {
        if (!in_ratio[i])
            kinds[count++] = (access_kind){ (kg__counter)i, NULL };
    }
    return count;
}

static void match_all(line_change_list *changes, const kg__lines *before, const kg__lines *now)
{
    access_kind kinds[KG__COUNTERS];
    size_t count = list_kinds(kinds);

    for (size_t i = 0; i < count; i++) {
        site_list earlier = list_sites(before, &kinds[i]);
        site_list later = list_sites(now, &kinds[i]);

        match_files(changes, &kinds[i], &earlier, &later);
        free(earlier.list);
        free(later.list);
    }
}

json_t *kg__counter_lines_before(const kg__lines *before, const kg__lines *now)
{
    line_change_list changes = { .before = kg__lines_make() };
    json_t *json = NULL;

    if (before != NULL && now != NULL) {
        match_all(&changes, before, now);
        json = kg__lines_json(changes.before);
    }
    kg__lines_free(changes.before);
    free(changes.list);
    return json;
}

bool kg__counter_lines_explain(const kg__lines *before, const kg__lines *now, char *text,
                               size_t size, const kg__line_counts **first)
{
    line_change_list changes = { 0 };
    bool explained;

    if (first != NULL)
        *first = NULL;
    if (size == 0)
        return false;
    text[0] = '\0';
    if (before == NULL || now == NULL)
        return false;
    match_all(&changes, before, now);
    if (changes.count > 0)
        qsort(changes.list, changes.count, sizeof *changes.list, compare_changes);
    for (size_t i = 0; i < changes.count && i < KG__LINES_NAMED; i++)
        kg__append(text, size, "%s%s", i > 0 ? "; " : "", changes.list[i].text);
    if (changes.count > KG__LINES_NAMED)
        kg__append(text, size, "; and %zu more", changes.count - KG__LINES_NAMED);
    explained = changes.count > 0;
    if (explained && first != NULL)
        *first = changes.list[0].at;
    free(changes.list);
    return explained;
}
