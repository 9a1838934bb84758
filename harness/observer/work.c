/* SPDX-License-Identifier: MIT */
#include "observer/work.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "device/buffers.h"
#include "device/device.h"
#include "observer/demand.h"
#include "observer/problem.h"
#include "suite/element_type.h"
#include "suite/settings.h"
#include "suite/stub.h"
#include "suite/table.h"

/* Seconds that a launcher may take when its launches are only planned. */
#define LOOK_SECONDS 2

/* A launcher's arguments while it must not access them: an address without memory. */
#define NO_MEMORY ((void *)(uintptr_t)64)

/* The shape of one case's launch, as sent by the process that ran its launcher. */
typedef struct launch_look {
    bool known;
    kg__launch_shape shape;
} launch_look;

static void look_at(const kg_comparison *comparison, const kg__case *c, launch_look *look)
{
    kg__buffers buffers = { .arguments.size = c->size };
    kg_call call = kg__buffers_call(&buffers, c, NULL);

    buffers.arguments.launch = c->launch;
    buffers.arguments.variant = c->variant;
    comparison->arguments(c->size, &buffers.arguments);
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++)
        buffers.data[i] = NO_MEMORY;
    *look = (launch_look){ .known = false };
    look->known = kg__device_shape(c->variant, call, &look->shape);
}

/* Looks at the cases from the first on, and writes the results, until one of them ends the
 * process. */
static _Noreturn void look_at_cases(const kg_comparison *comparison, const kg__case *const *cases,
                                    size_t count, int to)
{
    int nowhere = open("/dev/null", O_WRONLY);

    /* Silences launchers' messages: the parts that run a launcher report them. */
    if (nowhere >= 0)
        (void)dup2(nowhere, STDERR_FILENO);
    for (size_t i = 0; i < count; i++) {
        launch_look look;

        (void)alarm(LOOK_SECONDS);
        look_at(comparison, cases[i], &look);
        /* A launcher that loses the device costs only its own case its figures. */
        if (kg__device_is_lost() || write(to, &look, sizeof look) != (ssize_t)sizeof look)
            break;
    }
    _exit(0);
}

/* Returns how many cases a process described before it ended. */
static size_t read_looks(int from, size_t count, launch_look *looks)
{
    size_t done = 0;

    while (done < count) {
        ssize_t got = read(from, &looks[done], sizeof *looks);

        if (got < 0 && errno == EINTR)
            continue;
        if (got != (ssize_t)sizeof *looks)
            break;
        done++;
    }
    return done;
}

/* Looks at all launches in processes of their own, because a launcher that accesses its
 * arguments, or never returns, ends its process: then another one continues after that case. */
static void take_looks(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                       launch_look *looks)
{
    size_t done = 0;

    while (done < count) {
        int ends[2];
        pid_t child;

        if (pipe(ends) != 0)
            return;
        child = fork();
        if (child == 0) {
            (void)close(ends[0]);
            look_at_cases(comparison, cases + done, count - done, ends[1]);
        }
        (void)close(ends[1]);
        if (child > 0)
            done += read_looks(ends[0], count - done, looks + done);
        (void)close(ends[0]);
        if (child < 0 || waitpid(child, NULL, 0) != child)
            return;
        if (done < count)
            looks[done++] = (launch_look){ .known = false };
    }
}

kg__texts kg__purposes_of(const kg__case *c, const char *names[KG__PURPOSES])
{
    static const struct {
        unsigned purpose;
        const char *name;
    } known[KG__PURPOSES] = {
        { KG_PURPOSE_CHECK | KG_PURPOSE_MODEL | KG_PURPOSE_BOUNDS, "check" },
        { KG_PURPOSE_TIME, "time" },
        { KG_PURPOSE_COUNT, "count" },
    };
    unsigned purposes = c->size->purpose & ~c->variant->advanced.not_for;
    kg__texts list = { names, 0 };

    for (size_t i = 0; i < KG__PURPOSES; i++) {
        if ((purposes & known[i].purpose) != 0)
            names[list.count++] = known[i].name;
    }
    return list;
}

/* A case's work. */
typedef struct asked {
    const char *id;
    kg__texts purposes;
    kg_work work;
    const char *type; /* of the first output */
    double bytes_read;
    double bytes_written;
    kg__bus_traffic bus;
    int64_t kernels; /* 0: unknown */
    int64_t blocks;
    bool gpu_only;
} asked;

static const kg__field work_fields[] = {
    KG__FIELD(asked, work.operations, "operations", NUMBER),
    KG__FIELD(asked, work.bytes, "bytes", NUMBER),
    { 0 },
};
static const kg__field asked_fields[] = {
    KG__FIELD(asked, id, "case", TEXT),
    KG__FIELD(asked, purposes, "purposes", TEXTS),
    KG__FIELD_GROUP("work", work_fields),
    KG__FIELD(asked, type, "type", TEXT),
    KG__FIELD(asked, bytes_read, "bytes_read", NUMBER),
    KG__FIELD(asked, bytes_written, "bytes_written", NUMBER),
    KG__FIELD(asked, bus.to_device, "bytes_to_device", NUMBER),
    KG__FIELD(asked, bus.to_host, "bytes_to_host", NUMBER),
    KG__FIELD(asked, kernels, "kernels", COUNT),
    KG__FIELD(asked, blocks, "blocks", COUNT),
    KG__FIELD(asked, gpu_only, "gpu_only", FLAG),
    { 0 },
};

/* Adds the arguments' sizes, and the type of the first output. */
static void add_arguments(asked *of_case, const kg_variant *variant, const kg_arguments *arguments)
{
    of_case->bus = kg__bus_traffic_of(variant, arguments);
    for (int i = 0; i < arguments->count; i++) {
        const kg_argument *argument = &arguments->list[i];
        double bytes = (double)kg__argument_bytes(argument);

        of_case->bytes_read += kg__is_filled(argument) ? bytes : 0;
        if (!kg__is_compared(argument))
            continue;
        of_case->bytes_written += bytes;
        if (of_case->type == NULL)
            of_case->type = kg__element_type_of(argument->type)->name;
    }
}

/* Appends one case's work; false with `error` if its arguments are badly declared. */
static bool add_case(json_t *cases, const kg_comparison *comparison, const kg__case *c,
                     const launch_look *look, kg__error *error)
{
    const char *names[KG__PURPOSES];
    const kg__stub *stub = kg__stub_of(c->variant);
    asked of_case = { .id = c->id,
                      .purposes = kg__purposes_of(c, names),
                      .work = { NAN, NAN },
                      .kernels = look->known ? (int64_t)look->shape.kernels : 0,
                      .blocks = look->known ? (int64_t)look->shape.blocks : 0,
                      .gpu_only = stub != NULL && stub->gpu_only };
    kg_arguments arguments;
    json_t *entry;

    if (!kg__arguments_of(comparison, c, &arguments, error))
        return false;
    (void)kg__work_of(comparison, c, &of_case.work);
    add_arguments(&of_case, c->variant, &arguments);
    entry = json_object();
    kg__fields_write(entry, asked_fields, &of_case);
    json_array_append_new(cases, entry);
    return true;
}

/* Returns the supported cases that the filter selects; unsupported ones become entries of
 * `refused`. */
static size_t choose_supported(const kg_comparison *comparison, const kg__case_list *table,
                               const kg__case **chosen, json_t *refused)
{
    size_t count = 0;

    for (size_t i = 0; i < table->count; i++) {
        const kg__case *c = &table->list[i];
        const char *why;

        if (!kg__filter_takes(c->id))
            continue;
        why = kg__case_refusal(comparison, c);
        if (why == NULL)
            chosen[count++] = c;
        else
            json_array_append_new(refused, json_pack("{s:s, s:s}", "case", c->id, "why", why));
    }
    return count;
}

static json_t *list_ideas(const kg_comparison *comparison)
{
    json_t *list = json_array();

    for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++)
        json_array_append_new(
            list, json_pack("{s:s, s:s*}", "variant", variant->name, "idea", variant->idea));
    return list;
}

/* Returns the document; NULL with `error`. */
static json_t *describe_cases(const kg_comparison *comparison, const kg__case *const *chosen,
                              size_t count, kg__error *error)
{
    launch_look *looks = kg__allocate(count, sizeof *looks);
    json_t *cases = json_array();
    json_t *document = json_pack("{s:s, s:o, s:o}", "comparison", comparison->name, "variants",
                                 list_ideas(comparison), "cases", cases);

    take_looks(comparison, chosen, count, looks);
    for (size_t i = 0; i < count && document != NULL; i++) {
        if (!add_case(cases, comparison, chosen[i], &looks[i], error)) {
            json_decref(document);
            document = NULL;
        }
    }
    free(looks);
    return document;
}

int kg__print_work(const kg_comparison *comparison)
{
    kg__case_list table = { 0 };
    kg__error error = { "" };
    json_t *document = NULL;
    bool printed = false;

    if (kg__table_expand_for(comparison, UINT_MAX, &table, &error)) {
        const kg__case **chosen = kg__allocate(table.count, sizeof(kg__case *));

        json_t *refused = json_array();
        size_t count = choose_supported(comparison, &table, chosen, refused);

        document = describe_cases(comparison, chosen, count, &error);
        json_object_set_new(document, "refused", refused);
        free(chosen);
    }
    if (document == NULL)
        kg__complain("%s", error.text);
    else
        printed = kg__json_print(document, JSON_COMPACT, "the work");
    kg__case_list_free(&table);
    return printed ? KG__EXIT_PASS : KG__EXIT_ERROR;
}
