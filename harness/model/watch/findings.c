/* SPDX-License-Identifier: MIT */
/* Findings, one for each source line, kind and direction of access. */
#include "model/watch/findings.h"

#include "base/message.h"
#include "base/pool.h"
#include "model/exec/fibers.h"
#include "model/watch/trace.h"

#include <execinfo.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static kg__finding *findings;
static size_t count;
static size_t room;
/* Copies of all texts: an allocation's name is freed with the allocation. */
static kg__pool texts;

/* Code addresses of findings: several addresses can belong to one line. */
typedef struct known_place {
    uintptr_t code;
    kg__finding_kind class;
    size_t finding;
} known_place;

static void *places; /* a tree of tsearch() */

void kg__findings_forget(void)
{
    kg__model_hold_sigterm();
    tdestroy(places, free);
    kg__pool_free(&texts);
    places = NULL;
    count = 0;
    kg__model_release_sigterm();
}

const kg__finding *kg__model_findings(size_t *number)
{
    *number = count;
    return findings;
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

/* Races between blocks and races within a block on one line are separate findings: a barrier
 * cures only the latter. */
static kg__finding_kind class_of(const kg__finding *finding)
{
    switch (finding->kind) {
    case KG__MISSING_FENCE:
        return finding->other.has_block ? KG__RACE_BETWEEN_BLOCKS : KG__RACE_IN_BLOCK;
    case KG__RACE_IN_WARP:
        return KG__RACE_IN_BLOCK;
    default:
        return finding->kind;
    }
}

static int compare_places(const void *left, const void *right)
{
    const known_place *a = left;
    const known_place *b = right;

    return a->code != b->code ? (a->code > b->code) - (a->code < b->code)
                              : (a->class > b->class) - (a->class < b->class);
}

static known_place **place_at(kg__finding_kind class, uintptr_t code)
{
    const known_place wanted = { code, class, 0 };

    return tfind(&wanted, &places, compare_places);
}

bool kg__has_race_at(uintptr_t code)
{
    return place_at(KG__RACE_IN_BLOCK, code) != NULL ||
           place_at(KG__RACE_BETWEEN_BLOCKS, code) != NULL;
}

bool kg__found_before(kg__finding_kind class, uintptr_t code)
{
    known_place **found = place_at(class, code);

    if (found == NULL)
        return false;
    kg__exec_leave_process();
    findings[(*found)->finding].count++;
    return true;
}

static void remember(kg__finding_kind class, uintptr_t code, size_t finding)
{
    known_place *place = kg__allocate(1, sizeof *place);

    *place = (known_place){ code, class, finding };
    if (tsearch(place, &places, compare_places) == NULL) {
        kg__complain("out of host memory for a finding: free some memory");
        exit(2);
    }
}

/* Returns whether two findings are the same. Reads and writes of one line are separate findings,
 * since they seldom touch the same memory. So are different callers, since often only one of
 * them is wrong. */
static bool are_alike(const kg__finding *a, const kg__finding *b)
{
    if (class_of(a) != class_of(b) || a->by.line != b->by.line || a->by.access != b->by.access ||
        a->call_count != b->call_count || strcmp(a->by.file, b->by.file) != 0)
        return false;
    for (size_t i = 0; i < a->call_count; i++) {
        if (a->calls[i].line != b->calls[i].line || strcmp(a->calls[i].file, b->calls[i].file) != 0)
            return false;
    }
    return true;
}

static void keep_text(const char **text)
{
    if (*text != NULL)
        *text = kg__pool_text(&texts, *text);
}

/* Counts a known finding once more, or adds a new one. Returns its number. */
static size_t add(const kg__finding *what)
{
    kg__finding *added;

    kg__exec_leave_process();
    for (size_t i = 0; i < count; i++) {
        if (are_alike(&findings[i], what)) {
            findings[i].count++;
            return i;
        }
    }
    /* The report of a hang, which SIGTERM starts, reads the findings. */
    kg__model_hold_sigterm();
    findings = kg__grow(findings, count, &room, sizeof *findings);
    added = &findings[count];
    *added = *what;
    added->count = 1;
    added->calls = kg__pool_array(&texts, added->call_count + 1, sizeof *added->calls);
    for (size_t i = 0; i < added->call_count; i++)
        added->calls[i] = what->calls[i];
    keep_text(&added->symbol);
    keep_text(&added->function);
    keep_text(&added->detail);
    keep_text(&added->on_gpu);
    keep_text(&added->on_cpu);
    keep_text(&added->by.what);
    keep_text(&added->other.what);
    count++;
    kg__model_release_sigterm();
    return count - 1;
}

/* The host's calls that run a library's algorithm; a fiber's own do not lead there. */
static _Thread_local void *library_calls[64];
static _Thread_local int library_call_count;

void kg__model_library_call(int begins)
{
    library_call_count =
        begins ? backtrace(library_calls, sizeof library_calls / sizeof library_calls[0]) : 0;
}

kg__model_source kg__own_source(kg__model_source source)
{
    kg__model_source host;

    if (library_call_count == 0 || (source.line > 0 && !kg__model_is_header(source.file)))
        return source;
    host = kg__model_host_source(library_calls, library_call_count);
    return host.line > 0 ? host : source;
}

void kg__find_at(kg__model_source source, uintptr_t code, unsigned int thread,
                 const kg__finding *what)
{
    kg__finding_call calls[KG__FINDING_CALLS];
    kg__finding finding = *what;

    if (kg__found_before(class_of(what), code))
        return;
    kg__set_source(&finding.by, kg__own_source(source));
    finding.kernel = kg__exec_kernel_name();
    memcpy(finding.grid, &gridDim, sizeof finding.grid);
    memcpy(finding.threads, &blockDim, sizeof finding.threads);
    finding.calls = calls;
    finding.call_count =
        kg__model_calls_of((const void *)code, &finding.function, calls, KG__FINDING_CALLS);
    if (!finding.by.has_block)
        kg__set_index(&finding.by.has_block, finding.by.block, blockIdx);
    kg__set_index(&finding.by.has_thread, finding.by.thread, kg__exec_index_of(thread, blockDim));
    remember(class_of(what), code, add(&finding));
}

void kg__find(uintptr_t code, unsigned int thread, const kg__finding *what)
{
    kg__find_at(kg__model_source_of((const void *)code), code, thread, what);
}

size_t kg__found_of_host;

static size_t add_of_host(kg__model_source source, kg__finding what)
{
    kg__set_source(&what.by, source);
    kg__found_of_host++;
    return add(&what);
}

void kg__find_of_host(kg__model_source source, const kg__finding *what)
{
    (void)add_of_host(source, *what);
}

void kg__find_of_host_at(uintptr_t code, const kg__finding *what)
{
    remember(class_of(what), code, add_of_host(kg__model_source_of((const void *)code), *what));
}
