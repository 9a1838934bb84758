#include "cli/program_list.h"

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

/* A program lists thousands of candidates, and each refusal with its reason. */
#define ANSWER_SIZE ((size_t)32 << 20)
#define ANSWER_SECONDS 60.0

/* comparison/variant/size/launch */
#define PARTS 4

/* Lists the programs in one folder. */
static void list_programs(kg__program_list *programs, const char *folder, const char *end)
{
    kg__names paths;

    kg__format_path(programs->folder, sizeof programs->folder, "%s", folder);
    kg__find_programs(folder, end, &paths);
    if (paths.count > 0)
        programs->list = kg__allocate(paths.count, sizeof *programs->list);
    for (size_t i = 0; i < paths.count; i++)
        kg__format_path(programs->list[programs->count++].path, KG__PATH_SIZE, "%s",
                        paths.items[i]);
    kg__names_free(&paths);
}

void kg__program_list_find(kg__program_list *programs, const kg__program_query *question,
                           const char *build, const char *end)
{
    char own[KG__PATH_SIZE];
    const char *const folders[] = { own, "build/gpu", "build/cpu", "build" };

    *programs = (kg__program_list){ .question = question };
    if (build != NULL) {
        list_programs(programs, build, end);
        return;
    }
    kg__own_build(own, sizeof own);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && programs->count == 0; i++)
        if (*folders[i] != '\0')
            list_programs(programs, folders[i], end);
    if (programs->count == 0)
        kg__format(programs->folder, sizeof programs->folder, "build/gpu, build/cpu or build");
}

/* The id of an entry of the cases; a candidate is only an id. */
static const char *get_id(const json_t *entry)
{
    return json_is_string(entry) ? json_string_value(entry) : kg__json_text(entry, "case");
}

/* Whether a program's answer is complete. */
static bool is_answer(const json_t *answer, const char *required)
{
    const json_t *head = json_object_get(answer, required);
    const json_t *entry;
    size_t i;

    if (!(json_is_object(head) || json_is_string(head)) ||
        !json_is_array(json_object_get(answer, "cases")))
        return false;
    json_array_foreach (json_object_get(answer, "cases"), i, entry)
        if (*get_id(entry) == '\0')
            return false;
    json_array_foreach (json_object_get(answer, "refused"), i, entry)
        if (*kg__json_text(entry, "case") == '\0')
            return false;
    return true;
}

static int ask_program(const kg__program_list *programs, kg__listed_program *program)
{
    /* All cases, whatever KG_FILTER says: the filter is applied here, and misspelled names are
     * compared with all. */
    const char *const arguments[] = { program->path, programs->question->option, NULL };
    char *text = kg__allocate(ANSWER_SIZE, 1);
    char *filter = kg__lift_filter();
    int code = kg__child_output(arguments, ANSWER_SECONDS, text, ANSWER_SIZE);
    json_error_t error;

    kg__restore_filter(filter);
    if (code == 0)
        program->answer = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (code == KG__EXIT_NOTHING)
        return code;
    if (code != 0) {
        kg__complain("%s: it does not list its %ss (exit code %d): build it again", program->path,
                     programs->question->noun, code);
        return KG__EXIT_ERROR;
    }
    if (program->answer == NULL) {
        kg__complain("%s: line %d of its %ss is not JSON: %s: build it again", program->path,
                     error.line, programs->question->noun, error.text);
        return KG__EXIT_ERROR;
    }
    if (is_answer(program->answer, programs->question->required))
        return 0;
    kg__complain("%s: its output for %s lacks \"%s\" or \"cases\", or has something that is not a "
                 "case: build it again",
                 program->path, programs->question->option, programs->question->required);
    return KG__EXIT_ERROR;
}

int kg__program_list_ask(kg__program_list *programs)
{
    for (size_t i = 0; i < programs->count; i++) {
        int code = ask_program(programs, &programs->list[i]);

        if (code != 0)
            return code;
    }
    return 0;
}

/* Calls `take` for each candidate of a program, with `refusal` NULL if it can be tried. */
static bool visit_cases(const json_t *answer, bool (*take)(void *, const char *, const char *),
                        void *context)
{
    const json_t *entry;
    size_t i;
    bool good = true;

    json_array_foreach (json_object_get(answer, "cases"), i, entry)
        good = good && take(context, get_id(entry), NULL);
    json_array_foreach (json_object_get(answer, "refused"), i, entry)
        good = good && take(context, kg__json_text(entry, "case"), kg__json_text(entry, "why"));
    return good;
}

/* The comparison of a glob with ids: by their first `parts` parts. */
typedef struct glob_probe {
    const char *glob;
    size_t parts; /* of the ids that are compared; PARTS: all */
    size_t taken;
    const char **names; /* the next parts of the ids whose first parts match */
    size_t count;
    size_t capacity;
} glob_probe;

/* The end of the first `parts` parts of a text. */
static size_t find_end_of_parts(const char *text, size_t parts)
{
    size_t length = 0;

    for (size_t i = 0; i < parts && text[length] != '\0'; i++)
        length += strcspn(text + length, "/") + (i + 1 < parts && strchr(text + length, '/'));
    return length;
}

static bool count_match(void *context, const char *id, const char *refusal)
{
    glob_probe *probe = context;

    (void)refusal;
    probe->taken += fnmatch(probe->glob, id, 0) == 0;
    return true;
}

/* How many candidates of all programs a glob matches. */
static size_t count_matches(const kg__program_list *programs, const char *glob)
{
    glob_probe probe = { .glob = glob };

    for (size_t i = 0; i < programs->count; i++)
        (void)visit_cases(programs->list[i].answer, count_match, &probe);
    return probe.taken;
}

/* Keeps the next part of an id whose first parts match the glob's. */
static bool gather_names(void *context, const char *id, const char *refusal)
{
    glob_probe *probe = context;
    size_t begin = find_end_of_parts(id, probe->parts);
    size_t end = find_end_of_parts(id, probe->parts + 1);
    char *head = kg__copy_text(id);
    char *name;

    (void)refusal;
    head[begin] = '\0';
    if (probe->parts == 0 || fnmatch(probe->glob, head, FNM_PATHNAME) == 0) {
        bool listed = false;

        begin += probe->parts > 0;
        name = kg__copy_text(id + begin);
        name[end - begin] = '\0';
        for (size_t i = 0; i < probe->count && !listed; i++)
            listed = strcmp(probe->names[i], name) == 0;
        if (listed) {
            free(name);
        } else {
            probe->names = kg__grow(probe->names, probe->count, &probe->capacity, sizeof(char *));
            probe->names[probe->count++] = name;
        }
    }
    free(head);
    return true;
}

static bool any_matches(const glob_probe *probe, const char *part)
{
    for (size_t i = 0; i < probe->count; i++) {
        if (fnmatch(part, probe->names[i], 0) == 0)
            return true;
    }
    return false;
}

static void free_names(glob_probe *probe)
{
    for (size_t i = 0; i < probe->count; i++)
        free((char *)probe->names[i]);
    free(probe->names);
    probe->names = NULL;
    probe->count = probe->capacity = 0;
}

/* Complains about the first part of a glob that no candidate has, with the nearest name. */
static void refuse_glob(const kg__program_list *programs, const char *glob)
{
    static const char *const part_names[PARTS] = { "comparison", "variant", "size", "launch" };
    bool reported = false;

    for (size_t i = 0; i < PARTS && !reported; i++) {
        size_t begin = find_end_of_parts(glob, i);
        char *head = kg__copy_text(glob);
        char *part = kg__copy_text(glob + begin + (glob[begin] == '/'));
        glob_probe probe = { .glob = head, .parts = i };
        const char *nearest;

        part[strcspn(part, "/")] = '\0';
        head[begin] = '\0';
        for (size_t j = 0; j < programs->count; j++)
            (void)visit_cases(programs->list[j].answer, gather_names, &probe);
        nearest = kg__nearest_name(part, probe.names, probe.count);
        reported = *part != '\0' && !any_matches(&probe, part);
        if (reported && nearest != NULL)
            kg__complain("%s: there is no %s \"%s\" among the %ss; did you mean \"%s\"?",
                         programs->question->command, part_names[i], part, programs->question->noun,
                         nearest);
        else if (reported)
            kg__complain("%s: there is no %s \"%s\" among the %ss of the programs in %s",
                         programs->question->command, part_names[i], part, programs->question->noun,
                         programs->folder);
        free_names(&probe);
        free(part);
        free(head);
    }
    if (!reported)
        kg__complain("%s: \"%s\" takes no %s: see %s of the programs in %s",
                     programs->question->command, glob, programs->question->noun,
                     programs->question->option, programs->folder);
}

char *kg__program_list_filter(const kg__program_list *programs, const char *filter)
{
    char *rest_of_filter = kg__copy_text(filter);
    size_t size = 3 * strlen(filter) + 1;
    char *globs = kg__allocate(size, 1);
    char *rest = NULL;
    bool good = true;

    for (char *glob = strtok_r(rest_of_filter, ",", &rest); glob != NULL && good;
         glob = strtok_r(NULL, ",", &rest)) {
        char longer[KG__PATH_SIZE];
        size_t used = strlen(globs);

        kg__format(longer, sizeof longer, "%s/*", glob);
        good = count_matches(programs, glob) > 0 || count_matches(programs, longer) > 0;
        if (good)
            kg__format(globs + used, size - used, "%s%s%s", used > 0 ? "," : "", glob,
                       count_matches(programs, glob) > 0 ? "" : "/*");
        else
            refuse_glob(programs, glob);
    }
    free(rest_of_filter);
    if (good && *globs == '\0' && *filter != '\0') {
        kg__complain("%s: the filter \"%s\" holds no glob: omit it to take all",
                     programs->question->command, filter);
        good = false;
    }
    if (good)
        return globs;
    free(globs);
    return NULL;
}

void kg__program_list_free(kg__program_list *programs)
{
    for (size_t i = 0; i < programs->count; i++)
        json_decref(programs->list[i].answer);
    free(programs->list);
    *programs = (kg__program_list){ 0 };
}
