/* SPDX-License-Identifier: MIT */
#include "records/finding.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_fields.h"

static const char *const kinds[KG__FINDING_KINDS + 1] = {
    [KG__OUT_OF_BOUNDS] = "out_of_bounds",
    [KG__AFTER_FREE] = "after_free",
    [KG__NEVER_WRITTEN] = "never_written",
    [KG__RACE_IN_WARP] = "race_in_warp",
    [KG__RACE_IN_BLOCK] = "race_in_block",
    [KG__RACE_BETWEEN_BLOCKS] = "race_between_blocks",
    [KG__DIVERGENT_BARRIER] = "divergent_barrier",
    [KG__MISALIGNED] = "misaligned",
    [KG__HOST_ACCESS] = "host_access",
    [KG__READ_ONLY] = "read_only",
    [KG__MISSING_FENCE] = "missing_fence",
    [KG__SHUFFLE_OUTSIDE] = "shuffle_outside",
    [KG__COPY_NOT_WAITED] = "copy_not_waited",
    [KG__DEADLOCK] = "deadlock",
    [KG__INVALID_WARP_OPERATION] = "invalid_warp_operation",
    [KG__INVALID_BARRIER] = "invalid_barrier",
    [KG__CONVERSION] = "conversion",
    [KG__RACE_BETWEEN_STREAMS] = "race_between_streams",
    [KG__HOST_TOO_EARLY] = "host_too_early",
    [KG__DOUBLE_FREE] = "double_free",
    [KG__DESTROYED] = "destroyed",
    [KG__OVERLAP] = "overlap",
    [KG__DIVISION] = "division",
    [KG__NO_SYMBOL] = "no_symbol",
    [KG__HOST_TABLE] = "host_table",
};
static const char *const accesses[KG__FINDING_ACCESSES + 1] = { "", "read", "write", "atomic" };
static const char *const spaces[KG__FINDING_SPACES + 1] = { "", "global", "shared", "constant",
                                                            "local" };

static const kg__field actor_fields[] = {
    KG__FIELD(kg__finding_actor, file, "file", TEXT),
    KG__FIELD(kg__finding_actor, line, "line", SMALL),
    KG__FIELD_OF(kg__finding_actor, access, "access", accesses),
    KG__FIELD(kg__finding_actor, waiting, "waiting", SMALL),
    KG__FIELD(kg__finding_actor, what, "what", TEXT),
    { 0 },
};

static const kg__field call_fields[] = {
    KG__FIELD(kg__finding_call, file, "file", TEXT),
    KG__FIELD(kg__finding_call, line, "line", SMALL),
    { 0 },
};

static const kg__field finding_fields[] = {
    KG__FIELD_OF(kg__finding, kind, "kind", kinds),
    KG__FIELD(kg__finding, by_host, "host", FLAG),
    KG__FIELD(kg__finding, lacks_acquire, "lacks_acquire", FLAG),
    KG__FIELD(kg__finding, bytes, "bytes", SMALL),
    KG__FIELD(kg__finding, alignment, "alignment", SMALL),
    KG__FIELD_OF(kg__finding, space, "space", spaces),
    KG__FIELD(kg__finding, symbol, "symbol", TEXT),
    KG__FIELD(kg__finding, size, "size", COUNT),
    KG__FIELD(kg__finding, count, "count", COUNT),
    KG__FIELD(kg__finding, kernel, "kernel", TEXT),
    KG__FIELD(kg__finding, function, "function", TEXT),
    KG__FIELD_ITEMS(kg__finding, calls, call_count, "called_at", kg__finding_call, call_fields),
    KG__FIELD(kg__finding, mask, "mask", COUNT),
    KG__FIELD(kg__finding, absent, "absent", COUNT),
    KG__FIELD(kg__finding, detail, "detail", TEXT),
    KG__FIELD(kg__finding, on_gpu, "on_gpu", TEXT),
    KG__FIELD(kg__finding, on_cpu, "on_cpu", TEXT),
    { 0 },
};

const char *kg__finding_kind_name(kg__finding_kind kind)
{
    return kinds[kind];
}

/* The most serious first: unordered accesses; invalid accesses; uninitialized reads; the rest. */
#define RANKS 4
static const unsigned char ranks[KG__FINDING_KINDS] = {
    [KG__OUT_OF_BOUNDS] = 1, [KG__AFTER_FREE] = 1,      [KG__MISALIGNED] = 1,
    [KG__HOST_ACCESS] = 1,   [KG__READ_ONLY] = 1,       [KG__NEVER_WRITTEN] = 2,
    [KG__CONVERSION] = 3,    [KG__SHUFFLE_OUTSIDE] = 3, [KG__DOUBLE_FREE] = 1,
    [KG__DESTROYED] = 1,     [KG__OVERLAP] = 1,         [KG__DIVISION] = 3,
    [KG__NO_SYMBOL] = 1,     [KG__HOST_TABLE] = 1,
};

bool kg__finding_is_excused(const kg__finding *finding)
{
    return finding->kind == KG__DIVERGENT_BARRIER && finding->other.line == 0;
}

void kg__findings_rank(kg__findings *to, const kg__finding *all, size_t count, bool excuses)
{
    static kg__finding list[KG__FINDINGS_MAXIMUM];

    *to = (kg__findings){ .list = list };
    for (unsigned int rank = 0; rank < RANKS; rank++) {
        for (size_t i = 0; i < count; i++) {
            if (ranks[all[i].kind] != rank || (excuses && kg__finding_is_excused(&all[i])))
                continue;
            if (to->count < KG__FINDINGS_MAXIMUM)
                list[to->count++] = all[i];
            else
                to->more++;
        }
    }
}

bool kg__finding_is_race(kg__finding_kind kind)
{
    return kind == KG__RACE_IN_WARP || kind == KG__RACE_IN_BLOCK ||
           kind == KG__RACE_BETWEEN_BLOCKS || kind == KG__MISSING_FENCE ||
           kind == KG__RACE_BETWEEN_STREAMS || kind == KG__HOST_TOO_EARLY;
}

static void set_index(json_t *object, const char *key, bool known, const unsigned int index[3])
{
    if (known)
        json_object_set_new(object, key,
                            json_pack("[i, i, i]", (int)index[0], (int)index[1], (int)index[2]));
}

static void set_actor(json_t *object, const kg__finding_actor *actor)
{
    kg__fields_write(object, actor_fields, actor);
    set_index(object, "block", actor->has_block, actor->block);
    set_index(object, "thread", actor->has_thread, actor->thread);
}

json_t *kg__finding_json(const kg__finding *finding)
{
    json_t *object = json_object();
    json_t *other = json_object();

    kg__fields_write(object, finding_fields, finding);
    set_actor(object, &finding->by);
    if (finding->offset != 0 || (finding->bytes > 0 && finding->symbol != NULL))
        json_object_set_new(object, "offset", json_integer(finding->offset));
    if (finding->has_index)
        json_object_set_new(object, "index", json_integer(finding->index));
    if (finding->address != 0) {
        char address[32];

        kg__format(address, sizeof address, "0x%" PRIx64, finding->address);
        json_object_set_new(object, "address", json_string(address));
    }
    set_actor(other, &finding->other);
    kg__json_set_object(object, "other", other);
    return object;
}

/* Reads [x, y, z], if present. */
static bool read_index(const json_t *object, const char *key, bool *known, unsigned int index[3],
                       kg__error *error)
{
    const json_t *list = json_object_get(object, key);

    *known = list != NULL;
    for (size_t i = 0; *known && i < 3; i++) {
        const json_t *value = json_array_get(list, i);

        if (json_array_size(list) != 3 || !json_is_integer(value) ||
            json_integer_value(value) < 0 || json_integer_value(value) > INT_MAX)
            return kg__fail(error, "%s is not three counts", key);
        index[i] = (unsigned int)json_integer_value(value);
    }
    return true;
}

static bool read_actor(const json_t *object, kg__finding_actor *actor, kg__error *error)
{
    return kg__fields_read(object, actor_fields, actor, error) &&
           read_index(object, "block", &actor->has_block, actor->block, error) &&
           read_index(object, "thread", &actor->has_thread, actor->thread, error);
}

/* Reads a whole number of either sign, if present. */
static bool read_signed(const json_t *object, const char *key, int64_t *number, kg__error *error)
{
    const json_t *value = json_object_get(object, key);

    *number = json_integer_value(value);
    return value == NULL || json_is_integer(value) ||
           kg__fail(error, "%s is not a whole number", key);
}

static bool read_address(const json_t *object, uint64_t *address, kg__error *error)
{
    const json_t *value = json_object_get(object, "address");
    const char *text = kg__json_text(object, "address");
    char *end;

    if (value == NULL)
        return true;
    *address = strtoull(text, &end, 16);
    return (strncmp(text, "0x", 2) == 0 && text[2] != '\0' && *end == '\0') ||
           kg__fail(error, "address is not hexadecimal, 0x...");
}

bool kg__finding_read(const json_t *json, kg__pool *pool, kg__finding *finding, kg__error *error)
{
    const json_t *other = json_object_get(json, "other");
    kg__error fault = { "" };

    *finding = (kg__finding){ .has_index = json_object_get(json, "index") != NULL };
    if (json_is_object(json) && json_object_get(json, "kind") == NULL)
        return kg__fail(error, "finding: has no kind");
    return (kg__fields_read_lists(json, finding_fields, finding, pool, &fault) &&
            read_actor(json, &finding->by, &fault) &&
            read_signed(json, "offset", &finding->offset, &fault) &&
            read_signed(json, "index", &finding->index, &fault) &&
            read_address(json, &finding->address, &fault) &&
            (other == NULL || read_actor(other, &finding->other, &fault))) ||
           kg__fail(error, "finding: %s", fault.text);
}

void kg__findings_set(json_t *object, const kg__findings *findings)
{
    json_t *list;

    if (findings->count == 0)
        return;
    list = json_array();
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(list, kg__finding_json(&findings->list[i]));
    json_object_set_new(object, "findings", list);
    if (findings->more > 0)
        json_object_set_new(object, "more_findings", json_integer((json_int_t)findings->more));
}

bool kg__findings_read(const json_t *object, kg__pool *pool, kg__findings *findings,
                       kg__error *error)
{
    const json_t *list = json_object_get(object, "findings");
    const json_t *more = json_object_get(object, "more_findings");

    *findings = (kg__findings){ 0 };
    if (list == NULL && more == NULL)
        return true;
    if (!json_is_array(list) ||
        (more != NULL && (!json_is_integer(more) || json_integer_value(more) < 0)))
        return kg__fail(error, "findings: not a list, with a count in more_findings");
    findings->list = kg__pool_array(pool, json_array_size(list), sizeof *findings->list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!kg__finding_read(json_array_get(list, i), pool, &findings->list[findings->count++],
                              error))
            return false;
    }
    findings->more = (size_t)json_integer_value(more);
    return true;
}
