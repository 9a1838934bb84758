/* SPDX-License-Identifier: MIT */
#include "observer/observe.h"
#include "observer/report_record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/file.h"
#include "base/process.h"
#include "device/device.h"
#include "device/gpu_slot.h"
#include "observer/check.h"
#include "observer/measure.h"
#include "observer/tune.h"
#include "suite/settings.h"
#include "suite/stub.h"

/* Defined if a kernel was compiled with nvcc -G. */
extern const char kg__device_debug __attribute__((weak));

typedef struct observer_request {
    const char *part;
    const char *cases;
    const char *records;
    const kg__case *others; /* the first case that is not a row of the part's table */
} observer_request;

/* Some cases of a table. */
typedef struct choice {
    kg__case_list table;
    size_t capacity;       /* of the table */
    const kg__case **list; /* NULL before they are chosen */
    size_t count;
} choice;

static bool is_check(const observer_request *request)
{
    return strcmp(request->part, "check") == 0 || strcmp(request->part, "defects") == 0;
}

static bool parse_arguments(int argc, char *const *argv, observer_request *request,
                            kg__error *error)
{
    for (int i = 1; i < argc; i += 2) {
        const char **value = strcmp(argv[i], "--observe") == 0   ? &request->cases
                             : strcmp(argv[i], "--part") == 0    ? &request->part
                             : strcmp(argv[i], "--records") == 0 ? &request->records
                                                                 : NULL;

        if (value == NULL)
            return kg__fail(error,
                            "%s: not an option of an observer: use --observe, --part, --records",
                            argv[i]);
        if (i + 1 == argc)
            return kg__fail(error, "%s: the option needs a value: give one", argv[i]);
        *value = argv[i + 1];
    }
    if (request->cases[0] == '\0' || request->part[0] == '\0' || request->records[0] == '\0')
        return kg__fail(error, "an observer needs --observe CASES --part PART --records FILE");
    return true;
}

static bool is_tuning(const char *part)
{
    return strcmp(part, KG__PART_TUNE) == 0 && kg__part_purposes("time") != 0;
}

/* Makes the table in which a part's cases are found. Tuning candidates have no row in it. */
static bool make_table(const kg_comparison *comparison, const char *part, choice *chosen,
                       kg__error *error)
{
    bool tuning = is_tuning(part);
    bool made = kg__table_expand(comparison, tuning ? "time" : part, &chosen->table, error);

    chosen->capacity = chosen->table.count;
    if (tuning)
        chosen->table.count = 0;
    return made;
}

/* Adds a case whose launch is not a row of the table, such as a search tries. */
static bool add_other_launch(const kg_comparison *comparison, const char *id, choice *chosen,
                             kg__error *error)
{
    kg__case_list *table = &chosen->table;
    kg__case c;

    if (!kg__table_parse(comparison, id, &c, error))
        return false;
    *KG__ADD(table->list, table->count, chosen->capacity) = c;
    return true;
}

/* Finds the case of an id for a part. Adds it to the table if the part takes launches beyond its
 * rows. */
static const kg__case *find_case(const kg_comparison *comparison, const char *part, const char *id,
                                 choice *chosen, kg__error *error)
{
    bool tuning = is_tuning(part);
    bool takes_others = tuning || strcmp(part, "check") == 0 || strcmp(part, "count") == 0;
    const kg__case *c = kg__table_find(&chosen->table, id);

    if (c != NULL)
        return c;
    if (takes_others && add_other_launch(comparison, id, chosen, tuning ? error : NULL))
        return &chosen->table.list[chosen->table.count - 1];
    if (!tuning)
        kg__fail(error, "%s: no such case in the table: see --cases", id);
    return NULL;
}

/* Finds the cases whose ids are in the file `path`. */
static bool choose_cases(const kg_comparison *comparison, const char *part, const char *path,
                         choice *chosen, kg__error *error)
{
    const char *cause;
    FILE *file = kg__file_stream(path, &cause);
    char line[KG__CASE_ID_SIZE + 2];
    size_t capacity = 1;
    size_t *rows;
    bool good = true;

    if (file == NULL)
        return kg__fail(error, "%s: cannot be read: %s: it must hold one case id per line", path,
                        cause);
    rows = kg__allocate(capacity, sizeof *rows);
    while (good && fgets(line, sizeof line, file) != NULL) {
        const kg__case *c;

        line[strcspn(line, "\n")] = '\0';
        c = find_case(comparison, part, line, chosen, error);
        good = c != NULL;
        for (size_t i = 0; i < chosen->count && good; i++)
            good = &chosen->table.list[rows[i]] != c ||
                   kg__fail(error, "%s: appears twice in %s: name each case once", line, path);
        if (!good)
            break;
        *KG__ADD(rows, chosen->count, capacity) = (size_t)(c - chosen->table.list);
    }
    fclose(file);
    /* Pointers into the table are stable only from here on. */
    chosen->list = kg__allocate(chosen->count, sizeof(kg__case *));
    for (size_t i = 0; i < chosen->count; i++)
        chosen->list[i] = &chosen->table.list[rows[i]];
    free(rows);
    return good;
}

static void free_choice(choice *chosen)
{
    free(chosen->list);
    kg__case_list_free(&chosen->table);
}

/* Removes the cases that the comparison refuses, and those without a launcher, with a record for
 * each. */
static size_t report_refusals(const kg_comparison *comparison, const kg__case **chosen,
                              size_t count, int records)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const char *reason = kg__case_refusal(comparison, chosen[i]);
        const kg__stub *stub = kg__stub_of(chosen[i]->variant);

        if (reason != NULL)
            kg__report(records, KG__EVENT_REFUSED, chosen[i]->id, reason);
        else if (stub != NULL)
            kg__report_stub(records, chosen[i]->id, stub);
        else
            chosen[kept++] = chosen[i];
    }
    return kept;
}

/* The device or the launcher may refuse a launch that is not a row of the table. */
static kg__event failure_event(const observer_request *request, const kg__case *c)
{
    return c >= request->others && kg__launch_was_refused() ? KG__EVENT_REFUSED : KG__EVENT_FAILED;
}

/* Groups the cases by variant, keeping the order of variants and of each variant's cases. */
static void group_by_variant(const kg__case **chosen, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        size_t next = i;

        while (next < count && chosen[next]->variant != chosen[i - 1]->variant)
            next++;
        if (next > i && next < count) {
            const kg__case *moved = chosen[next];

            for (size_t place = next; place > i; place--)
                chosen[place] = chosen[place - 1];
            chosen[i] = moved;
        }
    }
}

/* Reports a right case, with its accuracy if it has one. */
static void report_right(int records, const char *id, const char *why, const kg__checker *checker)
{
    const kg__accuracy *errors = &checker->accuracy;
    kg__figures metrics[] = {
        { .name = "error_max", .value = errors->max, .low = NAN, .high = NAN },
        { .name = "error_mean", .value = errors->mean, .low = NAN, .high = NAN }
    };

    kg__report_observation(records, &(kg__observation){ .event = KG__EVENT_CHECKED,
                                                        .id = id,
                                                        .why = why,
                                                        .right = true,
                                                        .in_order = checker->in_order,
                                                        .metrics = metrics,
                                                        .metric_count = errors->max < 0 ? 0 : 2 });
}

/* Checks variant by variant. A wrong variant may have corrupted the device, so the variants
 * after it are left to another process. */
static int check_cases(const kg_comparison *comparison, const observer_request *request,
                       const kg__case **chosen, size_t count, int records)
{
    kg__checker checker = { 0 };
    bool trusted = true;
    int status = KG__EXIT_PASS;

    group_by_variant(chosen, count);
    for (size_t i = 0; i < count && status == KG__EXIT_PASS; i++) {
        kg__error why = { "" };
        kg__event event;

        kg__report(records, KG__EVENT_START, chosen[i]->id, NULL);
        switch (kg__check_case(&checker, comparison, chosen[i], &why)) {
        case KG__RIGHT:
            report_right(records, chosen[i]->id, why.text, &checker);
            break;
        case KG__INCORRECT:
            kg__report_wrong(records, comparison->home, chosen[i]->id, why.text);
            trusted = false;
            /* A wrong kernel may also have lost the device. */
            if (kg__device_is_lost())
                status = KG__EXIT_LOST;
            break;
        case KG__FAILED:
            event = failure_event(request, chosen[i]);
            kg__report(records, event, chosen[i]->id, why.text);
            trusted = trusted && event == KG__EVENT_REFUSED;
            break;
        case KG__LOST:
            kg__report(records, KG__EVENT_FAILED, chosen[i]->id, why.text);
            status = KG__EXIT_LOST;
            break;
        }
        if (!trusted && i + 1 < count && chosen[i + 1]->variant != chosen[i]->variant)
            status = KG__EXIT_LOST;
    }
    kg__checker_free(&checker);
    return status;
}

static void report_waiting(void *context, const char *line)
{
    kg__report(*(const int *)context, KG__EVENT_WAITING, NULL, line);
}

/* SIGTERM has ended the hung kernel, and now ends its observer. */
static void report_hang(void *context, const kg__hang *hang)
{
    const kg__finding_actor *at = &hang->at;
    char place[KG__PATH_SIZE] = "";
    char where[KG__MESSAGE_SIZE];

    if (at->line > 0)
        kg__format(place, sizeof place, "at %s:%u, ", at->file, at->line);
    kg__format(where, sizeof where, "%sin kernel %s, block (%u,%u,%u), thread (%u,%u,%u)%s", place,
               hang->kernel, at->block[0], at->block[1], at->block[2], at->thread[0], at->thread[1],
               at->thread[2], at->line > 0 ? "" : ", at an unknown line: build with -g");
    kg__report_observation(*(const int *)context,
                           &(kg__observation){ .event = KG__EVENT_HUNG,
                                               .where = where,
                                               .at_file = at->line > 0 ? at->file : NULL,
                                               .at_line = at->line,
                                               .findings = &hang->found });
    exit(KG__EXIT_LOST);
}

/* Returns whether the program has kernels whose accesses it would see; a program of stubs has
 * none. */
static bool watches_kernels(const kg_comparison *comparison)
{
    const kg_variant *variant = comparison->variants;

    while (variant->name != NULL && kg__stub_of(variant) != NULL)
        variant++;
    return kg__device_watches() || variant->name == NULL;
}

/* The driver makes the contexts of a host's processes one after the other: on an H200 each takes
 * 0.23 s with the driver's eight connections, 0.14 s with two, which still let two streams run side
 * by side. Timing keeps the user's number. */
static void limit_connections(void)
{
    (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0);
}

static int observe_on_device(const kg_comparison *comparison, const observer_request *request,
                             const kg__case **chosen, size_t count, int records)
{
    kg__device_description device;
    kg__error why = { "" };
    int status = KG__EXIT_PASS;

    if (is_check(request) || strcmp(request->part, KG__PART_IDENTIFY) == 0)
        limit_connections();
    switch (kg__device_open(&device, &why)) {
    case KG__DEVICE_ABSENT:
        kg__report(records, KG__EVENT_UNAVAILABLE, NULL, why.text);
        return KG__EXIT_NOTHING;
    case KG__DEVICE_BROKEN:
        kg__report(records, KG__EVENT_BROKEN, NULL, why.text);
        return KG__EXIT_ERROR;
    case KG__DEVICE_READY:
        kg__report_observation(records,
                               &(kg__observation){ .event = KG__EVENT_TARGET,
                                                   .target = &device.target,
                                                   .provenance = device.provenance,
                                                   .watches = watches_kernels(comparison) });
        json_decref(device.provenance);
        break;
    }
    if (!is_check(request) && &kg__device_debug != NULL) {
        kg__report(records, KG__EVENT_BROKEN, NULL,
                   "a kernel of this program was compiled with nvcc -G, which changes its code and "
                   "times: build without -G");
        return KG__EXIT_ERROR;
    }
    if (!kg__device_keep(!is_check(request), report_waiting, &records, &why)) {
        kg__report(records, KG__EVENT_BROKEN, NULL, why.text);
        return KG__EXIT_ERROR;
    }
    kg__device_on_hang(comparison->home, report_hang, &records);
    count = report_refusals(comparison, chosen, count, records);
    kg__stub_on_reach(kg__report_reached, &records);
    if (is_check(request)) {
        status = check_cases(comparison, request, chosen, count, records);
    } else if (count > 0 &&
               !kg__measure_cases(comparison, request->part, chosen, count, records, &why)) {
        kg__complain("%s", why.text);
        status = KG__EXIT_LOST;
    }
    if (status == KG__EXIT_PASS)
        kg__report(records, KG__EVENT_DONE, NULL, NULL);
    return status;
}

int kg__observe(const kg_comparison *comparison, int argc, char *const *argv)
{
    observer_request request = { .part = "", .cases = "", .records = "" };
    choice chosen = { .list = NULL };
    kg__error error = { "" };
    size_t rows;
    int status = KG__EXIT_ERROR;
    int records = -1;
    bool good = kg__settings_are_valid(&error) && parse_arguments(argc, argv, &request, &error) &&
                make_table(comparison, request.part, &chosen, &error);

    /* An observer that outlives its parent would hold the GPU's lock for nothing. But the signal
     * comes when the thread that started the process ends, which a wrapper's may do at any time,
     * and a wrapper ends its observer itself. */
    if (good && kg__wrapper(request.part) == NULL)
        kg__end_with_parent();
    rows = chosen.table.count;
    good = good && choose_cases(comparison, request.part, request.cases, &chosen, &error);
    request.others = chosen.table.list + rows;
    if (good)
        records = open(request.records, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (good && records < 0)
        good = kg__fail(&error,
                        "%s: cannot be written: %s: check the folder's permissions and free space",
                        request.records, strerror(errno));
    if (good)
        status = observe_on_device(comparison, &request, chosen.list, chosen.count, records);
    else
        kg__complain("%s", error.text);
    if (records >= 0)
        close(records);
    free_choice(&chosen);
    return status;
}

int kg__print_cases(const kg_comparison *comparison, const char *part)
{
    kg__case_list table;
    kg__error error;

    if (part == NULL) {
        kg__complain("--cases: name a part: check, time, count or defects");
        return KG__EXIT_ERROR;
    }
    if (!kg__table_expand(comparison, part, &table, &error)) {
        kg__complain("%s", error.text);
        kg__case_list_free(&table);
        return KG__EXIT_ERROR;
    }
    for (size_t i = 0; i < table.count; i++) {
        if (kg__filter_takes(table.list[i].id))
            puts(table.list[i].id);
    }
    kg__case_list_free(&table);
    return KG__EXIT_PASS;
}

int kg__print_resource_spec(const kg_comparison *comparison)
{
    kg__boards boards = { .list = NULL };
    kg__error why = { "" };
    kg__device_status found;
    int status;

    (void)comparison;
    found = kg__device_boards(&boards, &why);
    if (found == KG__DEVICE_READY && kg__gpu_slot_takes(&boards, &why)) {
        status = kg__gpu_slot_print_spec(&boards) ? KG__EXIT_PASS : KG__EXIT_ERROR;
    } else {
        kg__complain("no resource spec: %s", why.text);
        status = found == KG__DEVICE_BROKEN ? KG__EXIT_ERROR : KG__EXIT_NOTHING;
    }
    free(boards.list);
    return status;
}

static bool is_timed_beside(const kg__case *c, const kg__case *const *chosen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kg__table_side_by_side(chosen[i], c))
            return true;
    }
    return false;
}

/* Chooses the table's cases that KG_FILTER selects. */
static void choose_filtered(choice *chosen)
{
    chosen->list = kg__allocate(chosen->table.count, sizeof(kg__case *));
    for (size_t i = 0; i < chosen->table.count; i++) {
        if (kg__filter_takes(chosen->table.list[i].id))
            chosen->list[chosen->count++] = &chosen->table.list[i];
    }
}

int kg__print_timed_with(const kg_comparison *comparison)
{
    choice chosen = { .list = NULL };
    kg__error error;
    bool good = make_table(comparison, "time", &chosen, &error);

    if (good)
        choose_filtered(&chosen);
    else
        kg__complain("%s", error.text);
    for (size_t i = 0; good && i < chosen.table.count; i++) {
        if (is_timed_beside(&chosen.table.list[i], chosen.list, chosen.count))
            puts(chosen.table.list[i].id);
    }
    free_choice(&chosen);
    return good ? KG__EXIT_PASS : KG__EXIT_ERROR;
}
