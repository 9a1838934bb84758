/* SPDX-License-Identifier: MIT */
#include "records/finding_text.h"

#include <inttypes.h>
#include <string.h>

/* A text that grows. */
typedef struct words {
    char *text;
    size_t size;
} words;

#define add(to, ...) kg__append((to)->text, (to)->size, __VA_ARGS__)

static const char *symbol_of(const kg__finding *finding)
{
    return finding->symbol != NULL ? finding->symbol : "memory";
}

static const char *space_name(kg__finding_space space)
{
    static const char *const names[KG__FINDING_SPACES] = { "", "global ", "shared ", "constant ",
                                                           "local " };

    return names[space];
}

/* An access as a noun, in the present tense, and in the past. */
static const char *const nouns[KG__FINDING_ACCESSES] = { "access", "read", "write", "atomic" };
static const char *const verbs[KG__FINDING_ACCESSES] = { "touches", "reads", "writes", "updates" };
static const char *const pasts[KG__FINDING_ACCESSES] = { "touched", "read", "wrote", "updated" };

/* Adds "invalid global read of 4 bytes". */
static void add_access(const words *to, const char *adjective, const kg__finding *finding)
{
    add(to, "%s%s%s of %u byte%s", adjective, space_name(finding->space), nouns[finding->by.access],
        finding->bytes, finding->bytes == 1 ? "" : "s");
}

/* Adds "tile_a[15]", or "16 bytes at tile_a + 60" if the access is probably not one element. */
static void add_element(const words *to, const kg__finding *finding)
{
    bool is_element = finding->bytes > 0 && finding->bytes <= 8 && finding->offset >= 0 &&
                      finding->offset % finding->bytes == 0;

    if (is_element)
        add(to, "%s[%" PRId64 "]", symbol_of(finding), finding->offset / finding->bytes);
    else
        add(to, "%u bytes at %s + %" PRId64, finding->bytes, symbol_of(finding), finding->offset);
}

/* Adds "thread (0,0,0)", with the words `before`. */
static void add_index(const words *to, const char *before, const unsigned int index[3])
{
    add(to, "%s(%u,%u,%u)", before, index[0], index[1], index[2]);
}

/* Adds the thread, or block, of the other access. */
static void add_other(const words *to, const kg__finding_actor *other, bool by_blocks)
{
    if (by_blocks)
        add_index(to, "block ", other->block);
    else if (other->has_thread)
        add_index(to, "thread ", other->thread);
    else
        add(to, "other threads");
}

/* Adds " at tiled.cu:19", with the words `before` instead of " at ". */
static void add_place(const words *to, const char *before, const kg__finding_actor *actor)
{
    const char *slash = actor->file != NULL ? strrchr(actor->file, '/') : NULL;

    if (actor->file != NULL && actor->line > 0)
        add(to, "%s%s:%u", before, slash != NULL ? slash + 1 : actor->file, actor->line);
}

static void add_out_of_bounds(const words *to, const kg__finding *finding)
{
    uint64_t offset = (uint64_t)finding->offset;

    if (finding->has_index) {
        add(to, "index %" PRId64 " out of bounds for type %s", finding->index, symbol_of(finding));
        return;
    }
    add_access(to, "invalid ", finding);
    if (finding->offset < 0)
        add(to, ", %" PRIu64 " bytes before", 0 - offset);
    else if (offset >= finding->size)
        add(to, ", %" PRIu64 " bytes past the end of", offset - finding->size);
    else
        add(to, ", the last %" PRIu64 " past the end of", offset + finding->bytes - finding->size);
    add(to, " %s (%" PRIu64 " bytes)", symbol_of(finding), finding->size);
}

static void add_after_free(const words *to, const kg__finding *finding)
{
    uint64_t offset = (uint64_t)finding->offset;
    bool before = finding->offset < 0;
    bool behind = !before && offset >= finding->size;

    add_access(to, "invalid ", finding);
    add(to, ", %" PRIu64 " bytes %s %s (%" PRIu64 " bytes), %s",
        before   ? 0 - offset
        : behind ? offset - finding->size
                 : offset,
        before   ? "before"
        : behind ? "past the end of"
                 : "into",
        symbol_of(finding), finding->size,
        finding->detail != NULL        ? finding->detail
        : finding->space == KG__SHARED ? "whose block has ended"
                                       : "which was freed");
}

static void add_race_in_block(const words *to, const kg__finding *finding)
{
    add_index(to, "thread ", finding->by.thread);
    add(to, " %s what ", verbs[finding->by.access]);
    add_other(to, &finding->other, false);
    add(to, " %s", pasts[finding->other.access]);
    add_place(to, " at ", &finding->other);
    add(to, ", no %s in between",
        finding->kind == KG__RACE_IN_WARP ? "barrier or __syncwarp()" : "barrier");
}

static void add_race_between_blocks(const words *to, const kg__finding *finding)
{
    const kg__finding_actor *other = &finding->other;

    if (finding->by.access == KG__WRITE && other->access == KG__WRITE) {
        add_index(to, "blocks ", other->block);
        add_index(to, " and ", finding->by.block);
        add(to, " both write ");
        add_element(to, finding);
        if (other->line != finding->by.line)
            add_place(to, ", the first at ", other);
        return;
    }
    add_index(to, "block ", finding->by.block);
    add(to, " %s ", verbs[finding->by.access]);
    add_element(to, finding);
    add_index(to, ", which block ", other->block);
    add(to, " %s", pasts[other->access]);
    add_place(to, " at ", other);
}

/* Adds " the copy at main.cu:12", or the line's own file left out. */
static void add_work(const words *to, const kg__finding_actor *work)
{
    add(to, "%s%s", strncmp(work->what, "kernel ", 7) == 0 ? "" : "the ", work->what);
    add_place(to, " at ", work);
}

static void add_race_between_streams(const words *to, const kg__finding *finding)
{
    const kg__finding_actor mine = { .what = finding->by.what };

    add_work(to, &mine);
    add(to, " %s what ", verbs[finding->by.access]);
    add_work(to, &finding->other);
    if (finding->detail != NULL)
        add(to, " %s, a launch before it, which may still run: before the access call %s",
            verbs[finding->other.access], finding->detail);
    else
        add(to, " %s in another stream, and nothing orders the two: wait for an event",
            verbs[finding->other.access]);
}

static void add_host_too_early(const words *to, const kg__finding *finding)
{
    add(to, "missing wait: the host %s ", verbs[finding->by.access]);
    add_element(to, finding);
    add(to, " before ");
    add_work(to, &finding->other);
    add(to, ", which %s it, has completed: wait for its stream", verbs[finding->other.access]);
}

static void add_race(const words *to, const kg__finding *finding)
{
    add(to, "data race on %s", symbol_of(finding));
    if (finding->space != KG__UNKNOWN_SPACE)
        add(to, " (%.*s)", (int)strlen(space_name(finding->space)) - 1, space_name(finding->space));
    add(to, ": ");
    if (finding->kind == KG__RACE_BETWEEN_BLOCKS)
        add_race_between_blocks(to, finding);
    else if (finding->kind == KG__RACE_BETWEEN_STREAMS)
        add_race_between_streams(to, finding);
    else
        add_race_in_block(to, finding);
}

/* Adds "missing __threadfence(): block (1,0,0) reads scratch[0], which block (0,0,0) wrote at
 * sum.cu:12, with no fence before the atomic or flag that publishes it". */
static void add_missing_fence(const words *to, const kg__finding *finding)
{
    bool by_blocks = finding->other.has_block;

    add(to, "missing %s: ", finding->detail != NULL ? finding->detail : "__threadfence()");
    add_index(to, by_blocks ? "block " : "thread ",
              by_blocks ? finding->by.block : finding->by.thread);
    add(to, " %s ", verbs[finding->by.access]);
    add_element(to, finding);
    add(to, ", which ");
    add_other(to, &finding->other, by_blocks);
    add(to, " %s", pasts[finding->other.access]);
    add_place(to, " at ", &finding->other);
    if (finding->detail != NULL)
        add(to, ", with no such fence between");
    else
        add(to, finding->lacks_acquire
                    ? ", with no fence after the atomic or flag that published it"
                    : ", with no fence before the atomic or flag that publishes it");
}

static void add_divergent_barrier(const words *to, const kg__finding *finding)
{
    if (finding->other.line == 0) {
        add(to,
            "divergent barrier: %u thread%s of the block wait%s here, but %u that waited before %s "
            "ended: its loop has fewer iterations for some threads",
            finding->by.waiting, finding->by.waiting == 1 ? "" : "s",
            finding->by.waiting == 1 ? "s" : "", finding->other.waiting,
            finding->other.waiting == 1 ? "has" : "have");
        return;
    }
    add(to, "divergent barrier: %u threads of the block wait here and %u at another one",
        finding->by.waiting, finding->other.waiting);
    add_place(to, ", ", &finding->other);
}

static void add_host_access(const words *to, const kg__finding *finding)
{
    if (finding->by_host && finding->symbol != NULL && finding->by.access != KG__NO_ACCESS) {
        add(to, "host %s of device variable %s: copy it with cudaMemcpy%sSymbol()",
            nouns[finding->by.access], finding->symbol,
            finding->by.access == KG__READ ? "From" : "To");
        return;
    }
    if (finding->by_host && finding->symbol != NULL) {
        add(to,
            "the host's address of device variable %s: cudaGetSymbolAddress() gives the device's",
            finding->symbol);
        return;
    }
    if (finding->by_host && finding->by.what != NULL) {
        add(to,
            "undefined copy: its kind calls its %s the host's, and it is device memory: "
            "cudaMemcpyDefault asks the addresses",
            finding->by.access == KG__READ ? "source" : "destination");
        return;
    }
    if (finding->by_host) {
        add(to, "host %s of device memory: copy it with cudaMemcpy()", nouns[finding->by.access]);
        return;
    }
    add_access(to, "invalid ", finding);
    if (finding->space == KG__LOCAL) {
        add(to,
            " of another thread: the address of a local variable is valid in its own thread alone");
        return;
    }
    add(to, " at 0x%" PRIx64 ", which is not device memory: %s", finding->address,
        finding->address >> 32 == 0 ? "a null pointer, or an index from one"
                                    : "an index far out of bounds, or a pointer of the host");
}

static void add_misaligned(const words *to, const kg__finding *finding)
{
    add_access(to, "misaligned ", finding);
    if (finding->symbol != NULL)
        add(to, " at %s + %" PRId64, finding->symbol, finding->offset);
    else if (finding->space != KG__LOCAL)
        add(to, " at 0x%" PRIx64, finding->address);
    add(to, ", an address that is not a multiple of %u",
        finding->alignment > 0 ? finding->alignment : finding->bytes);
}

/* Adds "lane 16", or "lanes 16 to 31, 40". */
static void add_lanes(const words *to, uint32_t lanes)
{
    const char *before = (lanes & (lanes - 1)) != 0 ? "lanes " : "lane ";

    for (unsigned int lane = 0; lane < 32; lane++) {
        unsigned int first = lane;

        if ((lanes >> lane & 1) == 0)
            continue;
        while (lane < 31 && (lanes >> (lane + 1) & 1) != 0)
            lane++;
        add(to, lane > first ? "%s%u to %u" : "%s%u", before, first, lane);
        before = ", ";
    }
}

static void add_shuffle(const words *to, const kg__finding *finding)
{
    add(to, "invalid shuffle: it reads lane %" PRId64 ", ", finding->index);
    if ((finding->mask >> (finding->index & 31) & 1) == 0) {
        add(to, "which is not in its mask 0x%08x", (unsigned int)finding->mask);
        return;
    }
    add(to, "and ");
    add_lanes(to, (uint32_t)finding->absent);
    add(to, " of its mask 0x%08x %s not take part in it", (unsigned int)finding->mask,
        (finding->absent & (finding->absent - 1)) != 0 ? "do" : "does");
}

static void add_conversion(const words *to, const kg__finding *finding)
{
    add(to, "conversion of %s to %s is out of range",
        finding->detail != NULL ? finding->detail : "a value", symbol_of(finding));
    if (finding->on_gpu != NULL && finding->on_cpu != NULL)
        add(to, ": a GPU gives %s, a CPU %s", finding->on_gpu, finding->on_cpu);
}

static void add_never_written(const words *to, const kg__finding *finding)
{
    if (finding->by.what == NULL) {
        add(to, "uninitialized %sread: ", space_name(finding->space));
        add_element(to, finding);
        return;
    }
    add(to, "uninitialized memory copied to the host: %u byte%s of %s (%" PRIu64 " bytes)",
        finding->bytes, finding->bytes == 1 ? "" : "s", symbol_of(finding), finding->size);
    add(to, ", the first at byte %" PRId64, finding->offset);
}

static void add_what(const words *to, const kg__finding *finding)
{
    switch (finding->kind) {
    case KG__OUT_OF_BOUNDS:
        add_out_of_bounds(to, finding);
        break;
    case KG__AFTER_FREE:
        add_after_free(to, finding);
        break;
    case KG__NEVER_WRITTEN:
        add_never_written(to, finding);
        break;
    case KG__RACE_IN_WARP:
    case KG__RACE_IN_BLOCK:
    case KG__RACE_BETWEEN_BLOCKS:
    case KG__RACE_BETWEEN_STREAMS:
        add_race(to, finding);
        break;
    case KG__HOST_TOO_EARLY:
        add_host_too_early(to, finding);
        break;
    case KG__DOUBLE_FREE:
        add(to, "double free: %s (%" PRIu64 " bytes) was freed before", symbol_of(finding),
            finding->size);
        break;
    case KG__DESTROYED:
        add(to, "use of a destroyed %s", symbol_of(finding));
        break;
    case KG__OVERLAP:
        add(to, "overlapping %s: its source and its destination meet at %s + %" PRId64,
            finding->by.what != NULL ? finding->by.what : "copy", symbol_of(finding),
            finding->offset);
        add(to, ", and CUDA leaves its result undefined");
        break;
    case KG__DIVERGENT_BARRIER:
        add_divergent_barrier(to, finding);
        break;
    case KG__MISALIGNED:
        add_misaligned(to, finding);
        break;
    case KG__HOST_ACCESS:
        add_host_access(to, finding);
        break;
    case KG__READ_ONLY:
        add_access(to, "invalid ", finding);
        add(to, " at %s + %" PRId64 ", which is read-only", symbol_of(finding), finding->offset);
        break;
    case KG__MISSING_FENCE:
        add_missing_fence(to, finding);
        break;
    case KG__SHUFFLE_OUTSIDE:
        add_shuffle(to, finding);
        break;
    case KG__COPY_NOT_WAITED:
        add(to, "missing wait: ");
        add_element(to, finding);
        add(to, " is %s before the asynchronous %s it",
            finding->by.access == KG__READ ? "read" : "written",
            finding->other.access == KG__READ ? "read of" : "copy to");
        add_place(to, " at ", &finding->other);
        add(to, " has completed");
        break;
    case KG__CONVERSION:
        add_conversion(to, finding);
        break;
    case KG__DIVISION:
        add(to, "an integer is divided by zero: a GPU goes on, with an undefined result");
        break;
    case KG__NO_SYMBOL:
        add(to, "not a variable of the device: pass its own name, not &name, \"name\" or what the "
                "host calls by that name");
        break;
    case KG__HOST_TABLE:
    case KG__DEADLOCK:
    case KG__INVALID_WARP_OPERATION:
    case KG__INVALID_BARRIER:
        add(to, "%s",
            finding->detail != NULL ? finding->detail : kg__finding_kind_name(finding->kind));
        break;
    case KG__FINDING_KINDS:
        break;
    }
}

/* Adds the function and kernel. */
static void add_calls(const words *to, const kg__finding *finding)
{
    if (finding->function != NULL)
        add(to, ", in %s()", finding->function);
    for (size_t i = 0; i < finding->call_count; i++) {
        const kg__finding_actor call = { .file = finding->calls[i].file,
                                         .line = finding->calls[i].line };

        add_place(to, i == 0 ? ", called at " : ", at ", &call);
    }
    if (finding->kernel != NULL)
        add(to, ", kernel %s", finding->kernel);
}

/* Adds the thread, unless the text already has it, and the count. */
static void add_who(const words *to, const kg__finding *finding)
{
    bool names_block = finding->kind == KG__RACE_BETWEEN_BLOCKS ||
                       (finding->kind == KG__MISSING_FENCE && finding->other.has_block);
    bool names_thread = finding->kind == KG__RACE_IN_WARP || finding->kind == KG__RACE_IN_BLOCK ||
                        finding->kind == KG__DIVERGENT_BARRIER ||
                        finding->kind == KG__MISSING_FENCE;

    if (finding->by.has_block && !names_block) {
        bool adds_thread = finding->by.has_thread && !names_thread;

        if (adds_thread)
            add_index(to, ", by thread ", finding->by.thread);
        add_index(to, adds_thread ? " in block " : ", in block ", finding->by.block);
    }
    if (finding->count > 1)
        add(to, ", %" PRIu64 " times", finding->count);
    add_calls(to, finding);
}

void kg__finding_text(const kg__finding *finding, char *text, size_t size)
{
    const words to = { text, size };

    text[0] = '\0';
    add_what(&to, finding);
    add_who(&to, finding);
}

void kg__finding_line(const kg__finding *finding, char *text, size_t size)
{
    const words to = { text, size };

    text[0] = '\0';
    if (finding->by.file != NULL && *finding->by.file != '\0') {
        add(&to, "%s:", finding->by.file);
        if (finding->by.line > 0)
            add(&to, "%u:", finding->by.line);
        add(&to, " ");
    }
    add(&to, "error: ");
    add_what(&to, finding);
    add_who(&to, finding);
}

void kg__findings_text(const kg__findings *findings, char *text, size_t size)
{
    const words to = { text, size };

    size_t told = findings->count < KG__FINDINGS_TOLD ? findings->count : KG__FINDINGS_TOLD;
    size_t more = findings->count - told + findings->more;
    size_t races = 0;

    text[0] = '\0';
    for (size_t i = told; i < findings->count; i++)
        races += kg__finding_is_race(findings->list[i].kind);
    for (size_t i = 0; i < told; i++) {
        size_t used;

        add(&to, "%s", i > 0 ? "; " : "");
        used = strlen(text);
        kg__finding_line(&findings->list[i], text + used, size - used);
    }
    if (more > 0)
        add(&to, "; and %zu more finding%s", more, more == 1 ? "" : "s");
    if (races > 0)
        add(&to, " (%zu race%s)", races, races == 1 ? "" : "s");
}
