/* The shared state of kernelgate settle: the suspects of a run by comparison, and the progress of
 * settling them. */
#ifndef KG__CLI_SETTLE_H
#define KG__CLI_SETTLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/child_process.h"
#include "base/message.h"
#include "baseline/baseline.h"
#include "judge/judge.h"
#include "judge/pairs.h"
#include "results/pair_result.h"
#include "results/verdicts.h"
#include "suite/settings.h"
#include "suite/target.h"

#define KG__LISTING_SECONDS 30

enum { KG__BASE, KG__HEAD, KG__SIDES };

/* What one side's process measured of one suspect. */
typedef struct kg__side_result {
    kg__observation *measured;
    kg__verdict verdict; /* if its results are wrong, or it failed */
    char why[KG__MESSAGE_SIZE];
} kg__side_result;

/* A comparison that has suspects. */
typedef struct kg__settle_group {
    char name[64];
    char path[KG__PATH_SIZE]; /* of its verdicts */
    kg__pool pool;
    kg__verdicts *verdicts;
    kg__target target; /* theirs, with the key of the baseline */
    kg__baseline baseline;
    kg__pairs_base base;
    kg__suspect *suspects;
    size_t count;
    char programs[KG__SIDES][KG__PATH_SIZE];
    kg__listing base_cases;
    kg__side_result *results[KG__SIDES]; /* one per suspect */
    bool *reported;                      /* one per suspect: its verdict was printed and written */
    kg__sentinel_log sentinels[KG__SIDES];
    bool broken; /* this build's observer does not run: was reported */
} kg__settle_group;

typedef struct kg__settlement {
    const char *out; /* the folder of the results, or NULL */
    const char *ref; /* the name of the base */
    const char *commit;
    bool paired;
    const char *folders[KG__SIDES]; /* of the two builds' programs */
    kg__settle_group *groups;
    size_t count;
    size_t suspects;
    kg__hypothesis **family;
    size_t family_size;
    size_t look; /* the next one */
    double began;
    double limit;         /* seconds, in all */
    double round_seconds; /* of the last round that ran bases */
    double last_report;
    bool failed; /* something could not be settled: was reported */
} kg__settlement;

/* The seconds since settling began. */
double kg__settle_elapsed(const kg__settlement *run);

/* settle_suspects.c */

/* Reads the suspects from the verdicts of the run, and forms their family of hypotheses. False with
 * a complaint if there are no verdicts. */
bool kg__settle_open(kg__settlement *run);

/* Frees the suspects, after kg__settle_open(). */
void kg__settle_release(kg__settlement *run);

/* settle_rounds.c */

/* Whether a suspect needs another pair, or another observation of this build. */
bool kg__settle_wants(const kg__settlement *run, const kg__settle_group *group,
                      const kg__suspect *suspect);

/* Lists the cases to time: the suspects that need it, and all that are timed with them, as for the
 * baseline. False with a complaint. */
bool kg__settle_list_cases(const kg__settlement *run, const kg__settle_group *group,
                           kg__listing *ids);

/* Leaves all open suspects of a comparison to the stored baseline. */
void kg__settle_leave(kg__settle_group *group, const char *why);

/* Runs base and head of each comparison that needs it; returns whether any base ran. */
bool kg__settle_run_round(kg__settlement *run, size_t round);

/* settle_looks.c */

/* The first look that can find a suspect of this family slower, if it is the last one. */
size_t kg__settle_first_look(const kg__settlement *run);

/* Runs rounds and takes looks until all suspects are settled or the time is over. */
void kg__settle_all(kg__settlement *run);

#endif
