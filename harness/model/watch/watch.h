/* Watching: what the accesses of instrumented kernels come to.
 *
 * An instrumented kernel calls a hook before every access and at the head of every basic block. The
 * hooks write one trace per lane; as soon as no lane of a warp can run, the traces of its lanes are
 * replayed together, lowest code address first, which is where the hardware's lanes reconverge.
 * Each step of the replay is one request of a warp: it is counted, and held against what is known
 * of the memory that it touches.
 *
 * The modules, lowest first: image.c (symbols), places.c (the source lines and variables that come
 * from them), padding.c (bytes that no member of a structure holds), findings.c (what is wrong),
 * regions.c (the pieces of memory that requests can touch), sites.c (the places in the code that
 * do), words.c (the words that threads tell each other by), blocks.c and order.c (which accesses
 * are ordered, between blocks and within one), races.c (those that are not), cells.c and shadow.c
 * (what is known of memory: which thread wrote and read it), requests.c (what a request costs),
 * trace.c (the lanes' traces and their replay), watch.c (what is watched for, which blocks are run,
 * the report), undefined.c and hooks.c (what compiled kernels call).
 */
#ifndef KG__MODEL_WATCH_H
#define KG__MODEL_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/finding.h"
#include "suite/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Modes of watching, which can be combined. */
enum { KG__MODEL_COUNT = 1, KG__MODEL_CHECK = 2 };

/* True when this program's kernels are instrumented; watching others sees nothing. */
bool kg__model_is_instrumented(void);

/* Watches all following launches for `what`, a sum of the above or 0 for nothing, and forgets what
 * was seen before. A launch of more than about `budget` accesses is sampled: only some blocks of
 * each class (first, inner or last in each dimension) are run, and their counts stand for their
 * class. 0: no launch is sampled. Launches that follow a sampled one are not checked, and not run
 * unless they are counted. */
void kg__model_watch(unsigned int what, uint64_t budget);

/* The most accesses that the gate watches in one launch: more are sampled. */
#define KG__MODEL_BUDGET ((uint64_t)1000000000)
/* The same where bounds alone are checked, of which a few blocks tell. */
#define KG__MODEL_BOUNDS_BUDGET ((uint64_t)4000000)

/* The counters of one line of source. Unique bytes are not told by line. */
typedef struct kg__model_line {
    const char *file; /* as the compiler was given it */
    unsigned int line;
    kg__counts counts;
} kg__model_line;

/* The report since kg__model_watch(). */
typedef struct kg__model_report {
    kg__counts counts;
    const kg__model_line *lines; /* by file, then line */
    size_t line_count;
    /* In the order of their first appearance, one per line and kind of access: the same again is
     * counted. */
    const kg__finding *findings;
    size_t finding_count;
    uint64_t blocks;  /* of all launches */
    uint64_t watched; /* those of them that were run: fewer when sampled. Unique bytes are then 0 */
    uint64_t accesses; /* of single lanes, that were watched */
    /* Memory that is too large for it to be known who wrote and read it: accesses to it are held
     * against its bounds alone. NULL: there is none. */
    const char *too_large;
    /* Blocks tell each other by so many words of memory that not all races between them are found.
     */
    bool too_many_words;
} kg__model_report;

/* Has `ended` called after each launch that is watched (NULL: no longer), with the counters of all
 * launches since kg__model_watch() and the accesses of single lanes; both hold during the call. */
void kg__model_on_launch(void (*ended)(const kg__counts *counts, uint64_t accesses));

/* The report until now; it holds until the next launch or kg__model_watch(). */
const kg__model_report *kg__model_seen(void);

/* Tells what part of an allocation kernels may touch: `bytes` from `data`, which findings call
 * `name` (kept by reference). A kernel may only read it when it is `read_only`. It counts as never
 * written until it is filled: describe first. */
void kg__model_describe(const void *data, size_t bytes, const char *name, bool read_only);

/* Makes `bytes` from `data` count as never written. */
void kg__model_forget(const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
