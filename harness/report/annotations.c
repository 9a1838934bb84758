#include "report/annotations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/source_path.h"
#include "base/text.h"
#include "judge/judge.h"
#include "records/finding.h"
#include "records/records.h"
#include "results/failure_groups.h"
#include "results/results_text.h"
#include "results/time_result.h"

/* GitHub cuts a longer title. */
#define TITLE_SIZE 256

/* More cases than this are counted, not named. */
#define OTHERS_NAMED 20

/* One annotation while they are collected; texts are on the heap. */
typedef struct annotation {
    bool fails;
    int rank;      /* the verdict, or what counts like it */
    double change; /* the metric's that moved most; of equals in rank the largest comes first */
    size_t order;  /* in which it was found */
    char *title;
    char *message;
    char *reproduce;       /* NULL: there is no such line */
    kg__source_line place; /* no file: nowhere */
    char *others;          /* the further cases of the key, separated by commas */
    size_t other_count;
} annotation;

typedef struct annotations {
    const json_t *results;
    const kg__annotated_tree *tree;
    json_t
        *by_key; /* by what cases have in common that are one annotation: its place in the list */
    annotation *list;
    size_t count;
    size_t room;
} annotations;

/* Writes `text` with each byte of `special` as % and two digits. */
static void write_escaped(FILE *stream, const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL)
            fprintf(stream, "%%%02X", (unsigned)(unsigned char)*text);
        else
            fputc(*text, stream);
    }
}

void kg__annotation_write_message(FILE *stream, const char *text)
{
    write_escaped(stream, text, "%\r\n");
}

void kg__annotation_write_property(FILE *stream, const char *text)
{
    write_escaped(stream, text, "%\r\n:,");
}

void kg__annotation_prefix(const char *repository, const char *folder, char *prefix, size_t size)
{
    char *root = repository != NULL ? realpath(repository, NULL) : NULL;
    char *inner = realpath(folder, NULL);
    const char *below = root != NULL && inner != NULL ? kg__source_name(root, inner) : inner;

    if (below != NULL && below != inner)
        kg__format_path(prefix, size, "%s/", below);
    else
        kg__format_path(prefix, size, "%s", "");
    free(root);
    free(inner);
}

/* Adds an annotation, all empty but for what orders it. */
static annotation *add(annotations *all, int rank, bool fails)
{
    annotation *one;

    all->list = kg__grow(all->list, all->count, &all->room, sizeof *all->list);
    one = &all->list[all->count];
    *one = (annotation){ .rank = rank, .fails = fails, .order = all->count };
    all->count++;
    return one;
}

static char *title_of(const char *kind, const char *what, const char *target)
{
    char *title = kg__allocate(TITLE_SIZE, 1);
    char *clean;

    kg__format(title, TITLE_SIZE, "%s: %s%s%s", kind, what, *target != '\0' ? " on " : "", target);
    clean = kg__clean_text(title, true);
    free(title);
    return clean;
}

/* Finds where an entry tells a reader to look: at its first finding, or else at what it names
 * besides, or else at the case's kernel. Returns whether there is such a file. */
static bool find_place(const annotations *all, const json_t *entry, kg__source_line *place)
{
    const char *folder = all->tree->folder;
    const json_t *at = json_object_get(entry, KG__AT);
    kg__findings found;
    kg__error error;

    if (kg__findings_read(entry, &found, &error) && found.count > 0 &&
        kg__source_at(folder, found.list[0].by.file, found.list[0].by.line, place))
        return true;
    return kg__source_at(folder, kg__json_text(at, "file"), kg__json_count(at, "line"), place) ||
           kg__source_of_case(folder, kg__json_text(entry, "case"), place);
}

/* The largest change of a case's metrics for the worse; 0 where none is known. */
static double largest_change(const json_t *entry)
{
    const char *name;
    json_t *metric;
    double largest = 0.0;

    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        double change = kg__json_number(metric, "change");

        if (isfinite(change))
            largest = fmax(largest, change);
    }
    return largest;
}

/* Appends ", <text>" to a list on the heap. */
static char *append(char *list, const char *text)
{
    size_t size = (list != NULL ? strlen(list) + 2 : 0) + strlen(text) + 1;
    char *longer = kg__allocate(size, 1);

    snprintf(longer, size, "%s%s%s", list != NULL ? list : "", list != NULL ? ", " : "", text);
    free(list);
    return longer;
}

static void add_other(annotation *to, const char *id)
{
    if (to->other_count++ < OTHERS_NAMED) {
        char *clean = kg__clean_text(id, true);

        to->others = append(to->others, clean);
        free(clean);
    }
}

/* What cases have in common that are told together: kind, target and variant. */
static char *key_of(const char *kind, const char *target, const char *id)
{
    size_t size = strlen(kind) + strlen(target) + strlen(id) + 3;
    char *key = kg__allocate(size, 1);

    snprintf(key, size, "%s %s %.*s", kind, target, (int)kg__variant_length(id), id);
    return key;
}

/* The annotation of a key, which is freed; NULL where there is none yet: the next one that is added
 * is then found by it. */
static annotation *take_key(annotations *all, char *key)
{
    const json_t *place = json_object_get(all->by_key, key);

    if (place == NULL)
        json_object_set_new(all->by_key, key, json_integer((json_int_t)all->count));
    free(key);
    return place != NULL ? &all->list[json_integer_value(place)] : NULL;
}

/* A case, and by how much it moved. */
typedef struct moved_case {
    const json_t *entry;
    double change;
    size_t order;
} moved_case;

static int largest_first(const void *a, const void *b)
{
    const moved_case *one = a;
    const moved_case *other = b;

    if (one->change > other->change || one->change < other->change)
        return one->change > other->change ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

static void add_case(annotations *all, const json_t *entry)
{
    const char *id = kg__json_text(entry, "case");
    const char *target = kg__json_text(entry, "target");
    kg__verdict verdict = kg__results_verdict(entry);
    char *key = kg__failure_group_key(entry);
    annotation *one;

    if (key == NULL)
        key = key_of(kg__verdict_name(verdict), target, id);
    one = take_key(all, key);
    if (one != NULL) {
        add_other(one, id);
        return;
    }
    one = add(all, (int)verdict, kg__verdict_fails(verdict, kg__results_strict(all->results)));
    one->change = largest_change(entry);
    one->title = title_of(kg__verdict_name(verdict), id, target);
    one->message = kg__results_reason(entry);
    one->reproduce = kg__results_reproduce(all->results, entry, id);
    if (!find_place(all, entry, &one->place))
        one->place.file[0] = '\0';
}

/* The worst of those that are one annotation speaks for them, so that it comes first. */
static void add_cases(annotations *all)
{
    const json_t *cases = json_object_get(all->results, "cases");
    moved_case *list = kg__allocate(json_array_size(cases) + 1, sizeof *list);
    const json_t *entry;
    size_t count = 0;
    size_t i;

    json_array_foreach (cases, i, entry) {
        if (kg__results_verdict(entry) > KG__FASTER)
            list[count++] = (moved_case){ entry, largest_change(entry), i };
    }
    qsort(list, count, sizeof *list, largest_first);
    for (i = 0; i < count; i++)
        add_case(all, list[i].entry);
    free(list);
}

/* Errors outside of any case. */
static void add_errors(annotations *all)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(all->results, "errors"), i, entry) {
        const char *test = kg__json_text(entry, "test");
        annotation *one = add(all, KG__ERROR, true);

        one->title = title_of("error", *test != '\0' ? test : "kernelgate", "");
        one->message = kg__clean_text(kg__json_text(entry, "why"), true);
        one->reproduce = kg__results_reproduce(all->results, entry, NULL);
    }
}

/* Claims are named "matmul_f32/claim_tiled_beats_naive", and are tests of suites/matmul_f32.c. */
static void add_claims(annotations *all)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(all->results, "claims"), i, entry) {
        const char *name = kg__json_text(entry, "claim");
        const char *test = strchr(name, '/');
        char file[TITLE_SIZE];
        annotation *one;

        if (json_is_true(json_object_get(entry, "holds")))
            continue;
        one = add(all, KG__SLOWER, true);
        one->title = title_of("claim", name, kg__json_text(entry, "target"));
        one->message = kg__clean_text(kg__json_text(entry, "why"), true);
        one->reproduce = kg__results_reproduce(all->results, entry, NULL);
        kg__format(file, sizeof file, "suites/%.*s.c", (int)strcspn(name, "/"), name);
        if (test == NULL || !kg__source_line_with(all->tree->folder, file, test + 1, &one->place))
            one->place.file[0] = '\0';
    }
}

static void add_vanished(annotations *all)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(all->results, "vanished"), i, entry) {
        const char *id = kg__json_text(entry, "case");
        const char *target = kg__json_text(entry, "target");
        annotation *one = take_key(all, key_of("vanished", target, id));
        char file[TITLE_SIZE];

        if (one != NULL) {
            add_other(one, id);
            continue;
        }
        one = add(all, KG__NO_BASELINE, true);
        one->title = title_of("vanished", id, target);
        one->message = kg__results_vanished(entry);
        kg__format(file, sizeof file, "baselines/%s.json", target);
        if (!kg__source_line_with(all->tree->folder, file, id, &one->place))
            one->place.file[0] = '\0';
    }
}

/* What fails comes first, then the worse, then what moved more. */
static int worst_first(const void *a, const void *b)
{
    const annotation *one = a;
    const annotation *other = b;

    if (one->fails != other->fails)
        return one->fails ? -1 : 1;
    if (one->rank != other->rank)
        return one->rank > other->rank ? -1 : 1;
    if (one->change > other->change || one->change < other->change)
        return one->change > other->change ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

static void print(FILE *stream, const annotation *one, const kg__annotated_tree *tree)
{
    const char *separator = " ";

    fputs(one->fails ? "::error" : "::warning", stream);
    if (one->place.file[0] != '\0') {
        fputs(" file=", stream);
        kg__annotation_write_property(stream, tree->prefix);
        kg__annotation_write_property(stream, one->place.file);
        fprintf(stream, ",line=%zu", one->place.line);
        separator = ",";
    }
    fprintf(stream, "%stitle=", separator);
    kg__annotation_write_property(stream, one->title);
    fputs("::", stream);
    kg__annotation_write_message(stream, one->message);
    if (one->reproduce != NULL) {
        kg__annotation_write_message(stream, "\nreproduce: ");
        kg__annotation_write_message(stream, one->reproduce);
    }
    if (one->other_count > 0) {
        kg__annotation_write_message(stream, "\nalso: ");
        kg__annotation_write_message(stream, one->others);
    }
    if (one->other_count > OTHERS_NAMED)
        fprintf(stream, " and %zu more", one->other_count - OTHERS_NAMED);
    fputc('\n', stream);
}

/* Stands for all that are not shown. */
static void print_rest(FILE *stream, const annotation *first, size_t count)
{
    fprintf(stream,
            "::%s title=%zu more::kernelgate found %zu more than is shown here: see the job's "
            "summary, or summary.md and results.json\n",
            first->fails ? "error" : "warning", count, count);
}

static void release(annotations *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->list[i].title);
        free(all->list[i].message);
        free(all->list[i].reproduce);
        free(all->list[i].others);
    }
    free(all->list);
    json_decref(all->by_key);
}

size_t kg__annotations_print(FILE *stream, const json_t *results, const kg__annotated_tree *tree)
{
    annotations all = { .results = results, .tree = tree, .by_key = json_object() };
    size_t printed;

    add_errors(&all);
    add_cases(&all);
    add_claims(&all);
    add_vanished(&all);
    if (all.count > 0)
        qsort(all.list, all.count, sizeof *all.list, worst_first);
    for (printed = 0; printed < all.count && printed < KG__ANNOTATIONS_SHOWN; printed++) {
        if (printed + 1 == KG__ANNOTATIONS_SHOWN && all.count > KG__ANNOTATIONS_SHOWN)
            print_rest(stream, &all.list[printed], all.count - printed);
        else
            print(stream, &all.list[printed], tree);
    }
    release(&all);
    return printed;
}
