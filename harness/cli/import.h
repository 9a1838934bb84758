/* Importing: what other benchmark tools measured, as records of an observer. Pure, but for files of
 * samples that a document names.
 *
 * A converted document is a list with an object a device:
 *
 * - "target": {"key", "name", ...}, empty where the document names no device
 * - "provenance": {"measured_by": "nvbench 0.1.0", ...}
 * - "records": as in records.h, "measured", "refused" (with "why") and "failed" (with "why"), one a
 *   case, each with "imported": {"from": "nvbench", "name"}, which is what the tool calls
 * it
 */
#ifndef KG__CLI_IMPORT_H
#define KG__CLI_IMPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* The longest id of an imported case, with its end. */
#define KG__IMPORT_ID_SIZE 160

/* Times below this, in ns, are refused: no kernel takes so little, and a baseline keeps no digits
 * of them. */
#define KG__IMPORT_LEAST_NS 1.0

/* A tool whose documents can be imported. */
typedef struct kg__import_tool {
    const char *name; /* "nvbench" */
    /* Converts a document that stands at `path`; NULL with `error`, which names the benchmark. */
    json_t *(*convert)(const char *path, const json_t *document, kg__error *error);
    /* Whether a document has the members that the tool's documents have. */
    bool (*looks_like)(const json_t *document);
} kg__import_tool;

/* All tools; ends with an empty one. */
extern const kg__import_tool kg__import_tools[];

/* `convert` of nvbench. */
json_t *kg__import_nvbench(const char *path, const json_t *document, kg__error *error);

/* `convert` of google-benchmark. */
json_t *kg__import_google(const char *path, const json_t *document, kg__error *error);

/* `looks_like` of nvbench. */
bool kg__import_is_nvbench(const json_t *document);

/* `looks_like` of google-benchmark. */
bool kg__import_is_google(const json_t *document);

/* The parts of a case's id while they come together. */
typedef struct kg__import_name {
    char comparison[KG__IMPORT_ID_SIZE];
    char variant[KG__IMPORT_ID_SIZE];
    char size[KG__IMPORT_ID_SIZE];
    char block[24];
    char grid[24];
    bool cut; /* something did not fit */
} kg__import_name;

/* Begins a name by a benchmark's: what stands before its first slash is the comparison, words that
 * follow are the variant's. Letters become small ones, runs of characters that no table's names
 * have an underscore. */
void kg__import_name_begin(kg__import_name *name, const char *benchmark);

/* Adds the value of an axis or argument (`axis` may be empty): a number of an axis that is named
 * like a launch's ("BlockSize", "threads", "grid", ...) goes to the launch, another whole number,
 * or several joined by x, to the size, all else to the variant, a number's minus sign as "minus".
 */
void kg__import_name_add(kg__import_name *name, const char *axis, const char *value);

/* The case's id; false with `error` where it would be too long. A part that nothing went to is "-".
 */
bool kg__import_name_id(kg__import_name *name, char id[KG__IMPORT_ID_SIZE], kg__error *error);

/* Adds a record of a case to `records`; false with `error` where another has its id. Takes over
 * `record`, to which it adds "case" and "imported". */
bool kg__import_add(json_t *records, json_t *record, kg__import_name *name, const char *tool,
                    const char *path, const char *called, kg__error *error);

/* A record of a case that was not measured: "refused" or "failed". */
json_t *kg__import_unmeasured(const char *event, const char *why);

/* The figures of a time: {"value", "low", "high", "samples", "clock", "statistic"}, in ns. */
json_t *kg__import_figures(double value, double low, double high, size_t samples, const char *clock,
                           const char *statistic);

/* The figures of `count` samples in ns, which it sorts: their median, and its 95 % interval from
 * their own order statistics; of fewer than six samples, of which none is known, the range that
 * they have. */
json_t *kg__import_sampled(double *samples, size_t count, const char *clock);

#endif
