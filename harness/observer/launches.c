/* SPDX-License-Identifier: MIT */
#include "observer/launches.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/message.h"
#include "device/buffers.h"
#include "device/device.h"
#include "observer/problem.h"
#include "observer/work.h"
#include "suite/settings.h"
#include "suite/stub.h"
#include "suite/table.h"

/* The launches listed so far, and the buffers that are kept from case to case. */
typedef struct launch_listing {
    const kg_comparison *comparison;
    kg__bare_buffers bare;
    json_t *cases;
    json_t *without;
    json_t *refused;
    json_t *failed;
} launch_listing;

static void add_reason(json_t *list, const kg__case *c, const char *why, bool gpu_only)
{
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:b}", "case", c->id, "why", why, "gpu_only", gpu_only));
}

/* A launch that this program lacks the means for belongs to another program. */
static void add_failure(launch_listing *listing, const kg__case *c, const char *why)
{
    const kg__stub *stub = kg__stub_tried();

    if (stub != NULL)
        add_reason(listing->refused, c, stub->why, stub->gpu_only);
    else
        add_reason(listing->failed, c, why, false);
}

/* One kernel of a case's launch; figures from the driver are -1 if unknown. */
typedef struct listed_kernel {
    const char *id;
    kg__texts purposes;
    const char *launcher;
    kg__kernel_launch launch;
    int64_t static_shared;
} listed_kernel;

static const kg__field case_fields[] = {
    KG__FIELD(listed_kernel, id, "case", TEXT),
    KG__FIELD(listed_kernel, purposes, "purposes", TEXTS),
    KG__FIELD(listed_kernel, launcher, "launcher", STRING),
    KG__FIELD(listed_kernel, launch.code.name, "kernel", TEXT),
    { 0 },
};
static const kg__field use_fields[] = {
    KG__FIELD(listed_kernel, launch.dynamic_shared, "dynamic_shared", FIGURE),
    KG__FIELD(listed_kernel, launch.code.registers, "registers", FIGURE),
    KG__FIELD(listed_kernel, launch.code.local_bytes, "local_bytes", FIGURE),
    KG__FIELD(listed_kernel, static_shared, "static_shared", FIGURE),
    KG__FIELD(listed_kernel, launch.code.blocks_per_multiprocessor, "blocks_per_multiprocessor",
              FIGURE),
    KG__FIELD(listed_kernel, launch.code.occupancy, "occupancy", NUMBER),
    { 0 },
};

static json_t *dimensions(dim3 size)
{
    return json_pack("[i, i, i]", (int)size.x, (int)size.y, (int)size.z);
}

static json_t *describe_launch(const kg__case *c, const kg__kernel_launch *launch)
{
    const char *names[KG__PURPOSES];
    const kg__kernel_code *code = &launch->code;
    const listed_kernel listed = {
        .id = c->id,
        .purposes = kg__purposes_of(c, names),
        .launcher = kg__device_launcher(c),
        .launch = *launch,
        .static_shared = code->shared_bytes >= 0 ? code->shared_bytes - launch->dynamic_shared : -1,
    };
    json_t *entry = json_object();

    kg__fields_write(entry, case_fields, &listed);
    json_object_set_new(entry, "grid", dimensions(launch->grid));
    json_object_set_new(entry, "block", dimensions(launch->block));
    kg__fields_write(entry, use_fields, &listed);
    return entry;
}

static void list_case(launch_listing *listing, const kg__case *c)
{
    const char *refusal = kg__case_refusal(listing->comparison, c);
    const kg__stub *stub = kg__stub_of(c->variant);
    kg__kernel_launches launches = { .list = NULL };
    kg__error why = { "" };

    if (refusal != NULL)
        add_reason(listing->refused, c, refusal, false);
    else if (stub != NULL)
        add_reason(listing->refused, c, stub->why, stub->gpu_only);
    else if (!kg__bare_buffers_for(&listing->bare, listing->comparison, c, &why) ||
             !kg__device_launches(c, &listing->bare.buffers, &launches, &why))
        add_failure(listing, c, why.text);
    else if (launches.count == 0)
        json_array_append_new(listing->without, json_string(c->id));
    else
        for (size_t i = 0; i < launches.count; i++)
            json_array_append_new(listing->cases, describe_launch(c, &launches.list[i]));
    free(launches.list);
}

static int print(const launch_listing *listing, const kg__target *target)
{
    json_t *document = json_pack("{s:s, s:s, s:s*, s:o, s:O, s:O, s:O, s:O}", "comparison",
                                 listing->comparison->name, "home", listing->comparison->home,
                                 "include", kg__device_headers(), "target", kg__target_json(target),
                                 "cases", listing->cases, "without", listing->without, "refused",
                                 listing->refused, "failed", listing->failed);

    return kg__json_print(document, JSON_INDENT(1), "the launches") ? KG__EXIT_PASS
                                                                    : KG__EXIT_ERROR;
}

static int list_launches(const kg_comparison *comparison, const kg__target *target)
{
    launch_listing listing = { .comparison = comparison,
                               .cases = json_array(),
                               .without = json_array(),
                               .refused = json_array(),
                               .failed = json_array() };
    kg__case_list table = { 0 };
    kg__error error = { "" };
    int code = KG__EXIT_ERROR;

    if (kg__table_expand_for(comparison, KG_PURPOSE_TIME | KG_PURPOSE_COUNT, &table, &error)) {
        for (size_t i = 0; i < table.count; i++) {
            if (kg__filter_takes(table.list[i].id))
                list_case(&listing, &table.list[i]);
        }
        code = print(&listing, target);
    } else {
        kg__complain("%s", error.text);
    }
    kg__buffers_free(&listing.bare.buffers);
    kg__case_list_free(&table);
    json_decref(listing.cases);
    json_decref(listing.without);
    json_decref(listing.refused);
    json_decref(listing.failed);
    return code;
}

static void say_waiting(void *context, const char *line)
{
    (void)context;
    kg__complain("%s", line);
}

int kg__print_launches(const kg_comparison *comparison)
{
    kg__device_description device;
    kg__error why = { "" };
    kg__device_status status;
    int code = KG__EXIT_ERROR;

    status = kg__device_open(&device, &why);
    if (status == KG__DEVICE_READY && kg__device_keep(false, say_waiting, NULL, &why)) {
        kg__device_plan();
        code = list_launches(comparison, &device.target);
    } else {
        kg__complain("no launches: %s", why.text);
        code = status == KG__DEVICE_ABSENT ? KG__EXIT_NOTHING : KG__EXIT_ERROR;
    }
    json_decref(device.provenance);
    return code;
}
