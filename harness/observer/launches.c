#include "observer/launches.h"

#include <jansson.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "device/buffers.h"
#include "device/device.h"
#include "observer/problem.h"
#include "observer/work.h"
#include "suite/settings.h"
#include "suite/table.h"

/* The launches listed so far, and the buffers that are kept from case to case. */
typedef struct launch_listing {
    const kg_comparison *comparison;
    kg__buffers buffers;
    const kg_size *size; /* that the buffers are of; NULL: of none */
    json_t *cases;
    json_t *without;
    json_t *refused;
    json_t *failed;
} launch_listing;

static void add_reason(json_t *list, const kg__case *c, const char *why)
{
    json_array_append_new(list, json_pack("{s:s, s:s}", "case", c->id, "why", why));
}

/* Makes buffers for a case, unless those of the one before do. Nothing is put into them. */
static bool make_buffers(launch_listing *listing, const kg__case *c, kg__error *why)
{
    kg_arguments arguments;

    if (listing->size == c->size && kg__buffers_suit(&listing->buffers, c->variant))
        return true;
    kg__buffers_free(&listing->buffers);
    listing->size = NULL;
    if (!kg__arguments_of(listing->comparison, c->size, &arguments, why) ||
        !kg__buffers_make(&listing->buffers, &arguments, c->variant, why)) {
        kg__buffers_free(&listing->buffers);
        return false;
    }
    listing->size = c->size;
    return true;
}

static void list_case(launch_listing *listing, const kg__case *c)
{
    const char *refusal = kg__case_refusal(listing->comparison, c);
    json_t *launches = json_array();
    kg__error why = { "" };
    json_t *launch;
    size_t i;

    if (refusal != NULL)
        add_reason(listing->refused, c, refusal);
    else if (!make_buffers(listing, c, &why) ||
             !kg__device_launches(c, &listing->buffers, launches, &why))
        add_reason(listing->failed, c, why.text);
    else if (json_array_size(launches) == 0)
        json_array_append_new(listing->without, json_string(c->id));
    else
        json_array_foreach (launches, i, launch) {
            json_t *entry = json_pack("{s:s, s:o, s:s}", "case", c->id, "purposes",
                                      kg__purposes_of(c), "launcher", kg__device_launcher(c));

            json_object_update(entry, launch);
            json_array_append_new(listing->cases, entry);
        }
    json_decref(launches);
}

static int print(const launch_listing *listing, const json_t *description)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:s*, s:O, s:O, s:O, s:O, s:O}", "comparison", listing->comparison->name,
        "home", listing->comparison->home, "include", kg__device_headers(), "target",
        json_object_get(description, "target"), "cases", listing->cases, "without",
        listing->without, "refused", listing->refused, "failed", listing->failed);

    return kg__json_print(document, JSON_INDENT(1), "the launches") ? KG__EXIT_PASS
                                                                    : KG__EXIT_ERROR;
}

static int list_launches(const kg_comparison *comparison, const json_t *description)
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
        code = print(&listing, description);
    } else {
        kg__complain("%s", error.text);
    }
    kg__buffers_free(&listing.buffers);
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

int kg__print_launches(const kg_comparison *comparison, int argc, char *const *argv)
{
    json_t *description = NULL;
    kg__error why = { "" };
    kg__device_status status;
    int code = KG__EXIT_ERROR;

    if (argc != 2) {
        kg__complain("%s: --launches takes no value: omit it, KG_FILTER chooses cases", argv[2]);
        return KG__EXIT_ERROR;
    }
    status = kg__device_open(&description, &why);
    if (status == KG__DEVICE_READY && kg__device_keep(false, say_waiting, NULL, &why)) {
        kg__device_plan();
        code = list_launches(comparison, description);
    } else {
        kg__complain("no launches: %s", why.text);
        code = status == KG__DEVICE_ABSENT ? KG__EXIT_NOTHING : KG__EXIT_ERROR;
    }
    json_decref(description);
    return code;
}
