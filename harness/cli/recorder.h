/* What recording times and recording counts have in common: observing whole programs, and the
 * baseline file that they end in. */
#ifndef KG__CLI_RECORDER_H
#define KG__CLI_RECORDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "cli/change_log.h"
#include "cli/progress.h"
#include "suite/settings.h"

typedef struct kg__recorder {
    kg__change_log *log;         /* borrowed: what becomes of the baseline */
    const char *baselines;       /* the folder of the baseline files */
    const char *commit;          /* the commit's name; NULL: what git says */
    char scratch[KG__PATH_SIZE]; /* the stem of the observers' records */
    json_t *target;              /* the device's description; NULL before any observer gave it */
    json_t *provenance;
    json_t *comparisons;   /* of which a case was observed, in any part, by name */
    kg__progress progress; /* of the process that is observed */
    size_t done;           /* of its cases, and how many there are */
    size_t case_count;
    bool refused; /* something forbids to record: said already */
    /* Called for every record of a case that was measured, or checked and right, and of the
     * sentinels. */
    void (*on_record)(void *context, const json_t *record);
    void *context;
} kg__recorder;

/* Says why a case forbids to record anything. */
void kg__recorder_refuse(kg__recorder *recorder, const char *id, const char *why);

/* Says that KG_FILTER leaves `programs` no case of a part to record, and which it may have meant.
 */
void kg__recorder_refuse_filter(const kg__recorder *recorder, const char *part, size_t count,
                                char *const *programs);

/* Observes all cases of a part that `program` lists (which KG_FILTER narrows) in one fresh process
 * of `observer`, after another where one ends early. False, with a complaint, when nothing could be
 * observed or when a case is wrong or failed. */
bool kg__recorder_observe(kg__recorder *recorder, const char *program, const char *observer,
                          const char *part);

/* Reads the baseline of the device that was observed; an absent one is empty. `target` becomes the
 * device's. False, with a complaint, where the file cannot be understood, or where KG_FILTER leaves
 * out cases that were compiled with other flags. */
bool kg__recorder_load(const kg__recorder *recorder, kg__target *target, char *path, size_t size,
                       kg__baseline *baseline);

/* Whether KG_FILTER lets through a part of the cases alone. */
bool kg__recorder_is_partial(void);

/* Whether that can be done at all, before time is spent on measuring. */
bool kg__recorder_may_load(const kg__recorder *recorder);

/* The name of the commit that is checked out, shortened, with "-dirty" where tracked files differ.
 */
void kg__recorder_commit(const kg__recorder *recorder, char *text, size_t size);

/* Notes the commit that a case was recorded at. */
void kg__recorder_stamp(kg__baseline_case *entry, const char *commit);

/* Whether a case is of a comparison that was observed. */
bool kg__recorder_knows(const kg__recorder *recorder, const char *id);

/* Takes out cases of the observed comparisons that no table has any more, and says so; `ids` are
 * the cases that were recorded. Returns how many. */
size_t kg__recorder_retire(const kg__recorder *recorder, kg__baseline *baseline,
                           const char *const *ids, size_t count);

/* Writes the baseline with this run's target and provenance; false with a complaint. */
bool kg__recorder_save(const kg__recorder *recorder, const char *path, const kg__target *target,
                       kg__baseline *baseline);

/* Counts the cases of programs of the CPU model, checked first, each in two runs that must agree,
 * and stores what differs from the baseline. Returns the exit code. */
int kg__record_model(kg__recorder *recorder, size_t count, char *const *programs);

#endif
