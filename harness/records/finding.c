#include "records/finding.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static const char *const kinds[KG__FINDING_KINDS] = {
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
};
static const char *const accesses[KG__FINDING_ACCESSES] = { "", "read", "write", "atomic" };
static const char *const spaces[KG__FINDING_SPACES] = { "", "global", "shared", "constant" };

const char *kg__finding_kind_name(kg__finding_kind kind)
{
    return kinds[kind];
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL && *text != '\0')
        json_object_set_new(object, key, kg__json_clean_string(text));
}

static void set_count(json_t *object, const char *key, uint64_t count)
{
    if (count > 0)
        json_object_set_new(object, key, json_integer((json_int_t)count));
}

json_t *kg__source_json(const char *file, unsigned int line)
{
    json_t *source = json_object();

    set_text(source, "file", file);
    set_count(source, "line", line);
    return source;
}

static void set_index(json_t *object, const char *key, bool known, const unsigned int index[3])
{
    if (known)
        json_object_set_new(object, key,
                            json_pack("[i, i, i]", (int)index[0], (int)index[1], (int)index[2]));
}

static void set_actor(json_t *object, const kg__finding_actor *actor)
{
    set_text(object, "file", actor->file);
    set_count(object, "line", actor->line);
    set_text(object, "access", accesses[actor->access]);
    set_index(object, "block", actor->has_block, actor->block);
    set_index(object, "thread", actor->has_thread, actor->thread);
    set_count(object, "waiting", actor->waiting);
}

json_t *kg__finding_json(const kg__finding *finding)
{
    json_t *object = json_pack("{s:s}", "kind", kinds[finding->kind]);
    json_t *other = json_object();
    char address[32];

    set_actor(object, &finding->by);
    if (finding->by_host)
        json_object_set_new(object, "host", json_true());
    set_count(object, "bytes", finding->bytes);
    set_text(object, "space", spaces[finding->space]);
    set_text(object, "symbol", finding->symbol);
    set_count(object, "size", finding->size);
    if (finding->offset != 0 || (finding->bytes > 0 && finding->symbol != NULL))
        json_object_set_new(object, "offset", json_integer(finding->offset));
    if (finding->has_index)
        json_object_set_new(object, "index", json_integer(finding->index));
    if (finding->address != 0) {
        kg__format(address, sizeof address, "0x%" PRIx64, finding->address);
        set_text(object, "address", address);
    }
    set_count(object, "count", finding->count);
    set_actor(other, &finding->other);
    if (json_object_size(other) > 0)
        json_object_set(object, "other", other);
    json_decref(other);
    return object;
}

/* The member of a list of names that `text` is; -1 where it is none, or empty. */
static int name_index(const char *const *names, int count, const char *text)
{
    for (int i = 0; i < count; i++) {
        if (*text != '\0' && strcmp(names[i], text) == 0)
            return i;
    }
    return -1;
}

static bool read_count(json_int_t value, uint64_t most, const char *key, kg__error *error)
{
    return (value >= 0 && (uint64_t)value <= most) ||
           kg__fail(error, "finding: %s is out of range: write a count", key);
}

/* [x, y, z], where it is there. */
static bool read_index(json_t *list, const char *key, bool *known, unsigned int index[3],
                       kg__error *error)
{
    *known = list != NULL;
    for (size_t i = 0; *known && i < 3; i++) {
        const json_t *value = json_array_get(list, i);

        if (json_array_size(list) != 3 || !json_is_integer(value) ||
            json_integer_value(value) < 0 || json_integer_value(value) > INT_MAX)
            return kg__fail(error, "finding: %s is not [x, y, z]: write three counts", key);
        index[i] = (unsigned int)json_integer_value(value);
    }
    return true;
}

/* What a finding and its other actor have in common in JSON. */
typedef struct actor_members {
    const char *file;
    const char *access;
    json_int_t line;
    json_int_t waiting;
    json_t *block;
    json_t *thread;
} actor_members;

static bool read_actor(const actor_members *from, kg__finding_actor *actor, kg__error *error)
{
    int access = from->access != NULL ? name_index(accesses, KG__FINDING_ACCESSES, from->access)
                                      : KG__NO_ACCESS;

    if (access < 0)
        return kg__fail(error, "finding: unknown access '%s': write read, write or atomic",
                        from->access);
    if (!read_count(from->line, INT_MAX, "line", error) ||
        !read_count(from->waiting, INT_MAX, "waiting", error) ||
        !read_index(from->block, "block", &actor->has_block, actor->block, error) ||
        !read_index(from->thread, "thread", &actor->has_thread, actor->thread, error))
        return false;
    actor->file = from->file;
    actor->line = (unsigned int)from->line;
    actor->access = (kg__finding_access)access;
    actor->waiting = (unsigned int)from->waiting;
    return true;
}

static bool read_other(json_t *json, kg__finding_actor *other, kg__error *error)
{
    actor_members members = { 0 };
    json_error_t fault;

    if (json == NULL)
        return true;
    if (json_unpack_ex(json, &fault, JSON_STRICT, "{s?s, s?I, s?s, s?I, s?o, s?o}", "file",
                       &members.file, "line", &members.line, "access", &members.access, "waiting",
                       &members.waiting, "block", &members.block, "thread", &members.thread) != 0)
        return kg__fail(error, "finding: other: %s", fault.text);
    return read_actor(&members, other, error);
}

static bool read_address(const char *text, uint64_t *address, kg__error *error)
{
    char *end;

    if (text == NULL)
        return true;
    *address = strtoull(text, &end, 16);
    return (strncmp(text, "0x", 2) == 0 && text[2] != '\0' && *end == '\0') ||
           kg__fail(error, "finding: address '%s' is not hexadecimal: write 0x...", text);
}

bool kg__finding_read(const json_t *json, kg__finding *finding, kg__error *error)
{
    actor_members members = { 0 };
    const char *kind = NULL;
    const char *space = NULL;
    const char *address = NULL;
    json_int_t bytes = 0;
    json_int_t size = 0;
    json_int_t offset = 0;
    json_int_t count = 0;
    json_t *index = NULL;
    json_t *other = NULL;
    json_error_t fault;
    int kind_index;
    int space_index = KG__UNKNOWN_SPACE;
    int by_host = 0;

    *finding = (kg__finding){ 0 };
    if (json_unpack_ex((json_t *)json, &fault, JSON_STRICT,
                       "{s:s, s?s, s?I, s?s, s?I, s?o, s?o, s?b, s?I, s?s, s?s, s?I, s?I, s?o, "
                       "s?s, s?I, s?o}",
                       "kind", &kind, "file", &members.file, "line", &members.line, "access",
                       &members.access, "waiting", &members.waiting, "block", &members.block,
                       "thread", &members.thread, "host", &by_host, "bytes", &bytes, "space",
                       &space, "symbol", &finding->symbol, "size", &size, "offset", &offset,
                       "index", &index, "address", &address, "count", &count, "other", &other) != 0)
        return kg__fail(error, "finding: %s", fault.text);
    kind_index = name_index(kinds, KG__FINDING_KINDS, kind);
    if (space != NULL)
        space_index = name_index(spaces, KG__FINDING_SPACES, space);
    if (kind_index < 0 || space_index < 0)
        return kg__fail(error, "finding: unknown %s '%s': see kernelgate-results.schema.json",
                        kind_index < 0 ? "kind" : "space", kind_index < 0 ? kind : space);
    if (index != NULL && !json_is_integer(index))
        return kg__fail(error, "finding: index is not a whole number");
    if (!read_count(bytes, INT_MAX, "bytes", error) ||
        !read_count(size, INT64_MAX, "size", error) ||
        !read_count(count, INT64_MAX, "count", error) ||
        !read_address(address, &finding->address, error) ||
        !read_actor(&members, &finding->by, error) || !read_other(other, &finding->other, error))
        return false;
    finding->kind = (kg__finding_kind)kind_index;
    finding->space = (kg__finding_space)space_index;
    finding->by_host = by_host != 0;
    finding->bytes = (unsigned int)bytes;
    finding->size = (uint64_t)size;
    finding->offset = offset;
    finding->has_index = index != NULL;
    finding->index = json_integer_value(index);
    finding->count = (uint64_t)count;
    return true;
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
    set_count(object, "more_findings", findings->more);
}

bool kg__findings_read(const json_t *object, kg__findings *findings, kg__error *error)
{
    const json_t *list = json_object_get(object, "findings");
    const json_t *more = json_object_get(object, "more_findings");

    findings->count = findings->more = 0;
    if (list == NULL && more == NULL)
        return true;
    if (!json_is_array(list) ||
        (more != NULL && (!json_is_integer(more) || json_integer_value(more) < 0)))
        return kg__fail(error, "findings: not a list, with a count of more_findings beside it");
    for (size_t i = 0; i < json_array_size(list); i++) {
        kg__finding finding;

        if (!kg__finding_read(json_array_get(list, i), &finding, error))
            return false;
        if (i < KG__FINDINGS_TOLD)
            findings->list[findings->count++] = finding;
        else
            findings->more++;
    }
    findings->more += (size_t)json_integer_value(more);
    return true;
}
