/* Runners: the candidates of a tuning, while they are searched for the best. */
#ifndef KG__OBSERVER_TUNE_RUNNERS_H
#define KG__OBSERVER_TUNE_RUNNERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "judge/race.h"
#include "observer/time_bench.h"
#include "observer/timed_group.h"
#include "observer/tune_settings.h"

#define KG__NS_A_SECOND 1e9
/* A sample of what is timed to the full precision, in ms. */
#define KG__FULL_SAMPLE_MS 1.0

/* A candidate. */
typedef struct kg__tuned_case {
    kg__timed_case base;
    kg__racer racer; /* what the search knows of it */
    kg__racer last;  /* of the final, where it is a finalist */
    kg__loop loop;
    int launches;      /* a sample of `racer`; 0: it was not timed */
    const char *clock; /* as records name it */
    double estimate;   /* of a launch, in ns */
    json_t *kernel;    /* NULL: it starts none */
    double occupancy;  /* NaN: unknown */
    bool passed_over;
    bool is_finalist;
} kg__tuned_case;

/* A tuning in progress. */
typedef struct kg__tuning {
    const kg_comparison *comparison;
    kg__tuning_request wanted;
    kg__tools tools;
    kg__problems known;      /* of the size at hand */
    kg__buffer_sets grounds; /* of the size at hand */
    int records;
    size_t done;
    size_t of;
    double began;
    double told; /* when progress was last reported */
} kg__tuning;

/* What a runner's launches need while they are timed, kept by the caller. */
typedef struct kg__subject {
    kg__rotation turn;
    kg__timed what;
} kg__subject;

/* A runner's launches as clocks take them; what is returned lies in `room`. */
const kg__timed *kg__tuned_case_launches(kg__tuning *all, kg__tuned_case *who, kg__subject *room);

/* Whether there are samples of a runner, and nothing against it. */
bool kg__tuned_case_is_timed(const kg__tuned_case *who);

/* Reports how far the tuning is, at the size of a case, if it has not just done so. */
void kg__tuning_progress(kg__tuning *all, const kg__case *one);

/* Takes a runner out after an error, with its record. False when the device is lost. */
bool kg__tuned_case_mark_failed(const kg__tuning *all, kg__tuned_case *who, const kg__error *why);

/* The same of those of a list that are still in. */
bool kg__tuned_cases_mark_failed(const kg__tuning *all, kg__tuned_case *const *list, size_t count,
                                 const kg__error *why);

/* Checks a runner; what is not right is out, with its record. False when the device is lost. */
bool kg__tuned_case_check(kg__tuning *all, kg__tuned_case *who, const char *when);

/* Checks a runner before it is timed, and finds what its kernel takes of a multiprocessor and about
 * how long it runs. False when the device is lost. */
bool kg__tuned_case_enter(kg__tuning *all, kg__tuned_case *who);

/* Captures a runner's launches anew, for samples of `sample_ms` where a launch takes `launch_ns`.
 * False when the device is lost. */
bool kg__tuned_case_make_loop(kg__tuning *all, kg__tuned_case *who, double sample_ms,
                              double launch_ns);

/* Adds a round's samples to each racer of what has a loop, interleaved: to those of the search, or
 * to those of the final. False with `why`. */
bool kg__tuned_cases_sample(kg__tuning *all, kg__tuned_case *const *list, size_t count,
                            bool is_final, kg__error *why);

/* Samples until each is known to the precision that is wanted, or has spent its time. In a final
 * none leaves before the last one, so that their samples belong together round by round. False with
 * `why`. */
bool kg__tuned_cases_sample_fully(kg__tuning *all, kg__tuned_case *const *list, size_t count,
                                  bool is_final, kg__error *why);

#endif
