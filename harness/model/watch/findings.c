/* What is wrong, each once a line of source, reads and writes apart. */
#include "model/watch/findings.h"

#include "base/message.h"
#include "model/watch/trace.h"

#include <string.h>

static kg__finding findings[KG__FINDINGS_MAXIMUM];
/* Their symbols: those of allocations go with them. */
static char symbols[KG__FINDINGS_MAXIMUM][128];
static size_t count;

/* Where findings were made: several places of the code are one line. Beyond so many, a place is
 * looked up again each time. */
#define PLACES_MAXIMUM 256
static struct {
    kg__finding_kind kind;
    uintptr_t code;
    size_t finding;
} places[PLACES_MAXIMUM];
static size_t place_count;

void kg__findings_forget(void)
{
    count = place_count = 0;
}

const kg__finding *kg__model_findings(size_t *number)
{
    *number = count;
    return findings;
}

uint3 kg__thread_index(unsigned int thread)
{
    return (uint3){ thread % blockDim.x, thread / blockDim.x % blockDim.y,
                    thread / (blockDim.x * blockDim.y) };
}

void kg__describe_line(char *text, size_t size, kg__model_source source)
{
    const char *slash = strrchr(source.file, '/');

    text[0] = '\0';
    if (source.line > 0)
        kg__format(text, size, " at %s:%u", slash != NULL ? slash + 1 : source.file, source.line);
}

kg__finding_access kg__access_of(unsigned int kind)
{
    return (kind & KG__ACCESS_ATOMIC) != 0  ? KG__ATOMIC
           : (kind & KG__ACCESS_WRITE) != 0 ? KG__WRITE
                                            : KG__READ;
}

void kg__set_source(kg__finding_actor *actor, kg__model_source source)
{
    actor->file = source.file;
    actor->line = source.line;
}

void kg__set_index(bool *known, unsigned int to[3], uint3 index)
{
    *known = true;
    to[0] = index.x;
    to[1] = index.y;
    to[2] = index.z;
}

/* A line's races within a block are one finding, whoever races there, and those between blocks
 * another: a barrier cures the first alone. */
static kg__finding_kind class_of(const kg__finding *finding)
{
    bool is_race = finding->kind >= KG__RACE_IN_WARP && finding->kind <= KG__RACE_BETWEEN_BLOCKS;

    if (!is_race && finding->kind != KG__MISSING_FENCE)
        return finding->kind;
    return finding->other.has_block ? KG__RACE_BETWEEN_BLOCKS : KG__RACE_IN_BLOCK;
}

bool kg__found_before(kg__finding_kind kind, uintptr_t code)
{
    for (size_t i = 0; i < place_count; i++) {
        if (places[i].code == code && places[i].kind == kind) {
            findings[places[i].finding].count++;
            return true;
        }
    }
    return false;
}

static void remember(uintptr_t code, const kg__finding *finding)
{
    if (place_count == PLACES_MAXIMUM || code == 0)
        return;
    places[place_count].kind = class_of(finding);
    places[place_count].code = code;
    places[place_count++].finding = (size_t)(finding - findings);
}

/* Counts a finding at a line once more where it is there already; else adds it. What a line reads
 * and what it writes are seldom the same memory, so that neither finding may stand for the other.
 */
static kg__finding *at_line(const kg__finding *what, kg__finding_access access, const char *file,
                            unsigned int line)
{
    kg__finding *found;

    for (found = findings; found < findings + count; found++) {
        if (class_of(found) == class_of(what) && found->by.line == line &&
            found->by.access == access && strcmp(found->by.file, file) == 0) {
            found->count++;
            return found;
        }
    }
    if (count == KG__FINDINGS_MAXIMUM) {
        findings[count - 1].count++;
        return &findings[count - 1];
    }
    *found = *what;
    found->by.file = file;
    found->by.line = line;
    found->by.access = access;
    found->count = 1;
    if (what->symbol != NULL) {
        kg__format(symbols[count], sizeof symbols[count], "%s", what->symbol);
        found->symbol = symbols[count];
    }
    count++;
    return found;
}

static void set_who(kg__finding *finding, uint3 block, uint3 thread)
{
    kg__set_index(&finding->by.has_block, finding->by.block, block);
    kg__set_index(&finding->by.has_thread, finding->by.thread, thread);
}

void kg__find(const kg__finding_place *place, const kg__finding *what)
{
    kg__model_source source;
    kg__finding *finding;

    if (kg__found_before(class_of(what), place->code))
        return;
    source = kg__model_source_of((const void *)place->code);
    finding = at_line(what, place->access, source.file, source.line);
    remember(place->code, finding);
    if (finding->count == 1)
        set_who(finding, place->block != NULL ? *place->block : blockIdx,
                kg__thread_index(place->thread));
}

void kg__find_at(kg__model_source source, const kg__finding *what)
{
    kg__finding *finding = at_line(what, KG__NO_ACCESS, source.file, source.line);
    kg__model_place place = { 0 };

    if (finding->count > 1)
        return;
    (void)kg__model_where(&place);
    set_who(finding, place.block, place.thread);
}

void kg__find_of_host(uintptr_t code, kg__finding_access access, const kg__finding *what)
{
    kg__model_source source = kg__model_source_of((const void *)code);

    (void)at_line(what, access, source.file, source.line);
}
