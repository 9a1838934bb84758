/* What recording times and recording counts share: observing programs, and the baseline file. */
#ifndef KG__CLI_RECORDER_H
#define KG__CLI_RECORDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "cli/change_log.h"
#include "cli/progress.h"
#include "records/observation.h"
#include "suite/settings.h"

typedef struct kg__recorder {
    kg__change_log *log;         /* borrowed: the changes of the baseline */
    const char *baselines;       /* the folder of the baseline files */
    const char *commit;          /* the commit's name; NULL: from git */
    char scratch[KG__PATH_SIZE]; /* the stem of the observers' records */
    kg__target target;           /* its key is empty before the first observer */
    kg__provenance provenance;
    json_t *comparisons;   /* with an observed case, by name */
    kg__progress progress; /* of the observer */
    size_t done;           /* its finished cases, and all of them */
    size_t case_count;
    bool refused; /* recording was refused, with a complaint */
    /* Called for every case that was measured or checked as correct, and for the sentinels. */
    void (*on_observation)(void *context, const kg__observation *observation);
    void *context;
} kg__recorder;

/* Refuses to record anything because of a case. */
void kg__recorder_refuse(kg__recorder *recorder, const char *id, const char *why);

/* Complains that KG_FILTER matches no case of a part in `programs`, with a suggestion. */
void kg__recorder_refuse_filter(const kg__recorder *recorder, const char *part, size_t count,
                                char *const *programs);

/* Observes all cases of a part that `program` lists (filtered by KG_FILTER) in a new process of
 * `observer`; starts another one if it ends early. False, with a complaint, if nothing could be
 * observed or a case is wrong or failed. */
bool kg__recorder_observe(kg__recorder *recorder, const char *program, const char *observer,
                          const char *part);

/* Reads the baseline of the observed device; an absent one is empty. `target` becomes the device's.
 * False, with a complaint, if the file is invalid, or if KG_FILTER leaves out cases that were
 * compiled with other flags. */
bool kg__recorder_load(const kg__recorder *recorder, kg__target *target, char *path, size_t size,
                       kg__baseline *baseline);

/* Whether KG_FILTER selects cases. */
bool kg__recorder_is_partial(void);

/* Whether kg__recorder_load() will succeed, to be checked before measuring. */
bool kg__recorder_may_load(const kg__recorder *recorder);

/* The short name of the commit that is checked out, with "-dirty" if tracked files differ. */
void kg__recorder_commit(const kg__recorder *recorder, char *text, size_t size);

/* Notes the commit that a case was recorded at. */
void kg__recorder_stamp(kg__baseline_case *entry, const char *commit);

/* Whether a case is of a comparison that was observed. */
bool kg__recorder_knows(const kg__recorder *recorder, const char *id);

/* Removes cases of the observed comparisons that no table has any more, with a line each; `ids` are
 * the recorded cases. Returns how many. */
size_t kg__recorder_retire(const kg__recorder *recorder, kg__baseline *baseline,
                           const char *const *ids, size_t count);

/* Writes the baseline with this run's target and provenance; false with a complaint. */
bool kg__recorder_save(const kg__recorder *recorder, const char *path, const kg__target *target,
                       kg__baseline *baseline);

/* Checks the cases of programs of the CPU model, counts them in two runs that must agree, and
 * stores the differences from the baseline. Returns the exit code. */
int kg__record_model(kg__recorder *recorder, size_t count, char *const *programs);

#endif
