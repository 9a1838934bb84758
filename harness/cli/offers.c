#include "cli/offers.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/child_process.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/programs.h"
#include "judge/judge.h"
#include "records/records.h"

/* A program lists thousands of candidates, each refusal with its reason. */
#define OFFER_SIZE ((size_t)32 << 20)
#define OFFER_SECONDS 60.0

/* comparison/variant/size/launch */
#define PARTS 4

/* Lists what is in one folder. */
static void list_programs(kg__offers *offers, const char *folder, const char *end)
{
    kg__names paths;

    kg__format_path(offers->folder, sizeof offers->folder, "%s", folder);
    kg__find_programs(folder, end, &paths);
    if (paths.count > 0)
        offers->list = kg__allocate(paths.count, sizeof *offers->list);
    for (size_t i = 0; i < paths.count; i++)
        kg__format_path(offers->list[offers->count++].path, KG__PATH_SIZE, "%s", paths.items[i]);
    kg__names_free(&paths);
}

void kg__offers_find(kg__offers *offers, const kg__offer_question *question, const char *build,
                     const char *end)
{
    char own[KG__PATH_SIZE];
    const char *const folders[] = { own, "build/gpu", "build/cpu", "build" };

    *offers = (kg__offers){ .question = question, .edges = json_object() };
    if (build != NULL) {
        list_programs(offers, build, end);
        return;
    }
    kg__own_build(own, sizeof own);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && offers->count == 0; i++)
        if (*folders[i] != '\0')
            list_programs(offers, folders[i], end);
    if (offers->count == 0)
        kg__format(offers->folder, sizeof offers->folder, "build/gpu, build/cpu or build");
}

/* The id of an entry of the cases: of candidates it is all that there is. */
static const char *id_of(const json_t *entry)
{
    return json_is_string(entry) ? json_string_value(entry) : kg__json_text(entry, "case");
}

/* Whether a program's answer has what it must. */
static bool is_offer(const json_t *offer, const char *required)
{
    const json_t *head = json_object_get(offer, required);
    const json_t *entry;
    size_t i;

    if (!(json_is_object(head) || json_is_string(head)) ||
        !json_is_array(json_object_get(offer, "cases")))
        return false;
    json_array_foreach (json_object_get(offer, "cases"), i, entry)
        if (*id_of(entry) == '\0')
            return false;
    json_array_foreach (json_object_get(offer, "refused"), i, entry)
        if (*kg__json_text(entry, "case") == '\0')
            return false;
    return true;
}

static int ask(const kg__offers *offers, kg__offer *program)
{
    /* All of them, whatever KG_FILTER says: what it leaves out is chosen here, and names that are
     * misspelt are held against all that there are. */
    const char *const arguments[] = { program->path, offers->question->option, NULL };
    char *text = kg__allocate(OFFER_SIZE, 1);
    char *filter = kg__lift_filter();
    int code = kg__child_output(arguments, OFFER_SECONDS, text, OFFER_SIZE);
    json_error_t error;

    kg__restore_filter(filter);
    if (code == 0)
        program->answer = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (code == KG__EXIT_NOTHING)
        return code;
    if (code != 0) {
        kg__complain("%s: it does not list its %ss (exit code %d): build it anew", program->path,
                     offers->question->noun, code);
        return KG__EXIT_ERROR;
    }
    if (program->answer == NULL) {
        kg__complain("%s: line %d of its %ss is no JSON: %s: build it anew", program->path,
                     error.line, offers->question->noun, error.text);
        return KG__EXIT_ERROR;
    }
    if (is_offer(program->answer, offers->question->required))
        return 0;
    kg__complain("%s: what it prints for %s lacks \"%s\" or \"cases\", or holds what is no case: "
                 "build it anew",
                 program->path, offers->question->option, offers->question->required);
    return KG__EXIT_ERROR;
}

int kg__offers_ask(kg__offers *offers)
{
    for (size_t i = 0; i < offers->count; i++) {
        int code = ask(offers, &offers->list[i]);

        if (code != 0)
            return code;
        if (offers->target == NULL)
            offers->target = json_incref(json_object_get(offers->list[i].answer, "target"));
    }
    return 0;
}

/* Calls `take` for each candidate of a program; `refusal` is NULL of those that can be tried. */
static bool visit(const json_t *offer, bool (*take)(void *, const char *, const char *),
                  void *context)
{
    const json_t *entry;
    size_t i;
    bool good = true;

    json_array_foreach (json_object_get(offer, "cases"), i, entry)
        good = good && take(context, id_of(entry), NULL);
    json_array_foreach (json_object_get(offer, "refused"), i, entry)
        good = good && take(context, kg__json_text(entry, "case"), kg__json_text(entry, "why"));
    return good;
}

/* What a glob is held against: its first parts alone, up to `parts` of them. */
typedef struct probe_of_glob {
    const char *glob;
    size_t parts; /* of the ids that are compared; PARTS: whole */
    size_t taken;
    const char **names; /* the parts number `parts` of the ids whose first parts it takes */
    size_t count;
    size_t room;
} probe_of_glob;

/* The end of the first `parts` parts of a text. */
static size_t end_of_parts(const char *text, size_t parts)
{
    size_t length = 0;

    for (size_t i = 0; i < parts && text[length] != '\0'; i++)
        length += strcspn(text + length, "/") + (i + 1 < parts && strchr(text + length, '/'));
    return length;
}

static bool count_taken(void *context, const char *id, const char *refusal)
{
    probe_of_glob *probe = context;

    (void)refusal;
    probe->taken += fnmatch(probe->glob, id, 0) == 0;
    return true;
}

/* How many candidates of all programs a glob takes. */
static size_t taken_by(const kg__offers *offers, const char *glob)
{
    probe_of_glob probe = { .glob = glob };

    for (size_t i = 0; i < offers->count; i++)
        (void)visit(offers->list[i].answer, count_taken, &probe);
    return probe.taken;
}

/* Keeps the next part of an id whose first parts fit the glob's. */
static bool gather_names(void *context, const char *id, const char *refusal)
{
    probe_of_glob *probe = context;
    size_t begin = end_of_parts(id, probe->parts);
    size_t end = end_of_parts(id, probe->parts + 1);
    char *head = kg__copy_text(id);
    char *name;

    (void)refusal;
    head[begin] = '\0';
    if (probe->parts == 0 || fnmatch(probe->glob, head, FNM_PATHNAME) == 0) {
        bool known = false;

        begin += probe->parts > 0;
        name = kg__copy_text(id + begin);
        name[end - begin] = '\0';
        for (size_t i = 0; i < probe->count && !known; i++)
            known = strcmp(probe->names[i], name) == 0;
        if (known) {
            free(name);
        } else {
            probe->names = kg__grow(probe->names, probe->count, &probe->room, sizeof(char *));
            probe->names[probe->count++] = name;
        }
    }
    free(head);
    return true;
}

static bool one_matches(const probe_of_glob *probe, const char *part)
{
    for (size_t i = 0; i < probe->count; i++) {
        if (fnmatch(part, probe->names[i], 0) == 0)
            return true;
    }
    return false;
}

static void forget_names(probe_of_glob *probe)
{
    for (size_t i = 0; i < probe->count; i++)
        free((char *)probe->names[i]);
    free(probe->names);
    probe->names = NULL;
    probe->count = probe->room = 0;
}

/* Says which part of a glob that takes nothing is the first that no candidate has, and what is
 * nearest to it. */
static void refuse_glob(const kg__offers *offers, const char *glob)
{
    static const char *const words[PARTS] = { "comparison", "variant", "size", "launch" };
    bool said = false;

    for (size_t i = 0; i < PARTS && !said; i++) {
        size_t begin = end_of_parts(glob, i);
        char *head = kg__copy_text(glob);
        char *part = kg__copy_text(glob + begin + (glob[begin] == '/'));
        probe_of_glob probe = { .glob = head, .parts = i };
        const char *nearest;

        part[strcspn(part, "/")] = '\0';
        head[begin] = '\0';
        for (size_t j = 0; j < offers->count; j++)
            (void)visit(offers->list[j].answer, gather_names, &probe);
        nearest = kg__nearest_name(part, probe.names, probe.count);
        said = *part != '\0' && !one_matches(&probe, part);
        if (said && nearest != NULL)
            kg__complain("%s: there is no %s \"%s\" among the %ss; did you mean \"%s\"?",
                         offers->question->command, words[i], part, offers->question->noun,
                         nearest);
        else if (said)
            kg__complain("%s: there is no %s \"%s\" among the %ss of the programs in %s",
                         offers->question->command, words[i], part, offers->question->noun,
                         offers->folder);
        forget_names(&probe);
        free(part);
        free(head);
    }
    if (!said)
        kg__complain("%s: \"%s\" takes no %s: see %s of the programs in %s",
                     offers->question->command, glob, offers->question->noun,
                     offers->question->option, offers->folder);
}

char *kg__offers_filter(const kg__offers *offers, const char *filter)
{
    char *globs = kg__copy_text(filter);
    size_t size = 3 * strlen(filter) + 1;
    char *whole = kg__allocate(size, 1);
    char *rest = NULL;
    bool good = true;

    for (char *glob = strtok_r(globs, ",", &rest); glob != NULL && good;
         glob = strtok_r(NULL, ",", &rest)) {
        char longer[KG__PATH_SIZE];
        size_t used = strlen(whole);

        kg__format(longer, sizeof longer, "%s/*", glob);
        good = taken_by(offers, glob) > 0 || taken_by(offers, longer) > 0;
        if (good)
            kg__format(whole + used, size - used, "%s%s%s", used > 0 ? "," : "", glob,
                       taken_by(offers, glob) > 0 ? "" : "/*");
        else
            refuse_glob(offers, glob);
    }
    free(globs);
    if (good && *whole == '\0' && *filter != '\0') {
        kg__complain("%s: the filter \"%s\" holds no glob: leave it away to take all",
                     offers->question->command, filter);
        good = false;
    }
    if (good)
        return whole;
    free(whole);
    return NULL;
}

/* What a candidate that is chosen goes into. */
typedef struct choice {
    kg__tuning *tuning;
    const char *filter;
    kg__error error;
} choice;

static bool choose(void *context, const char *id, const char *refusal)
{
    choice *into = context;

    return (*into->filter != '\0' && !kg__globs_take(into->filter, id)) ||
           kg__tuning_add(into->tuning, id, refusal, &into->error);
}

bool kg__offers_choose(kg__offers *offers, const char *filter, kg__tuning *tuning)
{
    char *whole = kg__offers_filter(offers, filter);
    choice into = { .tuning = tuning, .filter = whole };
    bool good = whole != NULL;

    for (size_t i = 0; i < offers->count && good; i++) {
        kg__offer *program = &offers->list[i];
        const json_t *edge = json_object_get(program->answer, "block_is_edge");

        program->from = tuning->count;
        good = visit(program->answer, choose, &into);
        program->to = tuning->count;
        if (!good)
            kg__complain("%s: %s", program->path, into.error.text);
        else if (json_is_boolean(edge) && program->to > program->from)
            json_object_set(offers->edges, tuning->list[program->from].name.comparison,
                            (json_t *)edge);
    }
    free(whole);
    if (good && tuning->count == 0) {
        kg__complain("%s: the programs in %s offer no %s: see their %s", offers->question->command,
                     offers->folder, offers->question->noun, offers->question->option);
        good = false;
    }
    return good;
}

void kg__offers_free(kg__offers *offers)
{
    for (size_t i = 0; i < offers->count; i++)
        json_decref(offers->list[i].answer);
    free(offers->list);
    json_decref(offers->target);
    json_decref(offers->edges);
    *offers = (kg__offers){ 0 };
}
