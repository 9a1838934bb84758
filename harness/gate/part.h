/* SPDX-License-Identifier: MIT */
/* A part of a comparison in progress, as the modules share it that check, measure and count its
 * cases. None of them touches the device: observers do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "baseline/baseline.h"
#include "judge/judge.h"
#include "results/time_result.h"
#include "results/verdicts.h"
#include "suite/settings.h"
#include "suite/table.h"
#include "suite/target.h"

/* The state of one of a part's cases. */
typedef struct kg__part_case {
    const kg__case *c;
    kg__observation *measured[1 + KG__CONFIRMATIONS]; /* one per process, the part's pool's */
    size_t observers;
    kg__case_result *result;   /* NULL until it is judged */
    kg__case_result *unjudged; /* the placeholder that was written until then */
    kg__kernel_code *code;     /* of its launch, the part's pool's; NULL: unknown */
    const char *same_code;     /* see kg__case_result */
    bool refused;              /* the comparison does not support it */
    bool tripped;
    bool suspect;   /* to be settled against a base, after this run */
    double began;   /* when the running observer started it; 0: none runs it */
    double seconds; /* observers' total time */
    /* What the plain program said, the pool's, held until the instrumented one has run the case
     * too, or until it is known whether less accurate results come from changed code; NULL: not
     * held. */
    const kg__observation *held;
} kg__part_case;

/* A part in progress. */
typedef struct kg__part_run {
    const kg_comparison *comparison;
    const char *part;
    char test[128];
    char path[KG__PATH_SIZE]; /* of the verdicts file */
    kg__case_list table;
    kg__part_case *part_cases; /* the cases that the filter selects, in the table's order */
    size_t count;
    kg__pool pool; /* of the verdicts, and of the observations that are kept */
    kg__verdicts *verdicts;
    bool device_seen; /* an observer has described its device */
    kg__target target;
    kg__baseline stored;          /* what `baseline` points to */
    const kg__baseline *baseline; /* of the target; NULL without one */
    bool is_exact;     /* recorded by a CPU model that computes the same results as this one */
    bool same_toolkit; /* recorded with this program's toolkit: machine code can be compared */
    kg__sentinel_log sentinels[1 + KG__CONFIRMATIONS];
    size_t round;                     /* 0: the first observer; then the confirmations */
    const kg_variant *variant;        /* being checked */
    char instrumented[KG__PATH_SIZE]; /* the program with instrumented kernels; empty: none */
    bool watching;                    /* the instrumented program is being observed */
    bool reported_not_instrumented;   /* it was reported not to be instrumented */
    char recording_differences[512];  /* how the baseline was recorded differently, or empty */
    bool unwritten;                   /* the last write of the verdicts failed */
    kg__texts failures;               /* kg__failure_group_key() of each printed failure */
    kg__texts failed;                 /* the cases printed with them */
    kg__error unobserved;             /* why nothing more could be run, or empty */
    double began;
} kg__part_run;

/* part_state.c */

/* Begins a part: its folder, its table and the cases that the filter selects. False with an error
 * recorded and written. Call kg__part_release() in either case. */
bool kg__part_begin(kg__part_run *run, const kg_comparison *comparison, const char *part);

/* Returns the verdicts that a part of this run's comparison left, or NULL. */
const kg__verdicts *kg__part_load(kg__pool *pool, const char *part);

/* Frees the part's memory. */
void kg__part_release(kg__part_run *run);

/* Returns whether this program is the CPU model's. */
bool kg__part_is_model(void);

/* Returns whether the running part has this name: "check". */
bool kg__part_is(const kg__part_run *run, const char *part);

/* Returns whether this part only compares results with the reference, and measures nothing. */
bool kg__part_is_checking(const kg__part_run *run);

/* Prints an error outside of any case, and adds it to the verdicts. */
void kg__part_add_error(kg__part_run *run, const char *text);

/* Prints a note that decides nothing, and adds it to the verdicts. */
void kg__part_add_note(kg__part_run *run, const char *text);

/* Records that nothing is judged, and why. */
void kg__part_skip(kg__part_run *run, kg__skip by, const char *why);

/* Returns the part's case with an id, or NULL. */
kg__part_case *kg__part_find_case(kg__part_run *run, const char *id);

/* Writes the path of the records of a part's and a label's observers, without its extension, to
 * `stem`. */
void kg__part_name_records(const kg__part_run *run, const char *part, const char *label, char *stem,
                           size_t size);

/* Returns a result, without metrics, of a case. */
kg__case_result *kg__part_result(kg__part_run *run, const kg__part_case *part_case,
                                 kg__verdict verdict, const char *why);

/* Prints a result as one line that begins with a word. */
void kg__part_print_result(const char *word, const kg__case_result *result);

/* Prints a result as one line, unless it passed and KG_VERBOSE is not set. Does not repeat the text
 * of a case that failed alike. */
void kg__part_print(kg__part_run *run, const kg__case_result *result);

/* Gives a case its result. */
void kg__part_keep(kg__part_case *part_case, kg__case_result *result);

/* Gives a case its result, and prints it. */
void kg__part_settle(kg__part_run *run, kg__part_case *part_case, kg__case_result *result);

/* Returns whether a case is not judged by its times because its code is unchanged: KG_CHANGED=1. */
bool kg__part_is_left_alone(const kg__part_case *part_case);

/* Gives an observation of a case the fingerprint of its launch, if it can be compared with the
 * baseline's. If the launch differs this time, the code is not known to be unchanged. */
void kg__part_add_fingerprint(const kg__part_run *run, kg__part_case *part_case,
                              const kg__observation *measured);

/* Writes the verdicts file. A case without a verdict counts as an error until it has one, so that a
 * test that dies leaves no case without an entry. */
void kg__part_write(kg__part_run *run, bool complete);

/* part_verdicts.c */

/* Records a check's result for a case; holds it if the instrumented program has yet to run it. */
void kg__part_take_outcome(kg__part_run *run, kg__part_case *part_case,
                           const kg__observation *observation);

/* Settles the held cases when nothing else will observe them. */
void kg__part_settle_held(kg__part_run *run);

/* Records a measurement or counts of a case, and settles the case if that is enough. */
void kg__part_take_measured(kg__part_run *run, kg__part_case *part_case,
                            const kg__observation *observation);

/* Judges a case by the observations that it has so far. */
kg__case_result *kg__part_judge(kg__part_run *run, kg__part_case *part_case);

/* Returns the result of a case with unchanged code, with its times if it was timed beside another.
 */
kg__case_result *kg__part_unchanged(kg__part_run *run, kg__part_case *part_case);

/* part_observing.c */

/* Observes the cases that `wanted` selects (NULL: all), in processes of their own; returns false
 * when nothing could be run. `label` names their records. */
bool kg__part_observe(kg__part_run *run,
                      bool (*wanted)(const kg__part_run *, const kg__part_case *),
                      const char *label);

/* The label of the records of the part `count`. */
#define KG__COUNTED "first"

/* Takes what the part `count` has found of the cases that `wanted` selects, if it has run before
 * this part in the same run: its launch was what a check with instrumented kernels runs. */
void kg__part_take_counted(kg__part_run *run,
                           bool (*wanted)(const kg__part_run *, const kg__part_case *));

/* Records the device that an observer describes first, and loads its baseline. */
void kg__part_take_device(kg__part_run *run, const kg__observation *observation);

/* Records that a case is refused, once. */
void kg__part_take_refusal(kg__part_run *run, kg__part_case *part_case,
                           const kg__observation *observation);

/* part_identity.c */

/* Finds the cases whose launch and machine code are the baseline's, or the base's, without timing
 * any. A case that cannot be identified counts as changed. */
void kg__part_identify(kg__part_run *run);

/* Finds, for each held case, whether its variant's timed cases all run the baseline's, or the
 * base's, code: its own launch is unknown. */
void kg__part_identify_held(kg__part_run *run);

/* part_checking.c */

/* Checks the cases, variant by variant, and settles each. */
void kg__part_check(kg__part_run *run);

/* part_measuring.c */

/* Times the cases, confirms what tripped, and judges each against the baseline. */
void kg__part_measure(kg__part_run *run);

/* Counts the cases on the CPU model, and judges each against the baseline. */
void kg__part_count(kg__part_run *run);

/* part_notes.c */

/* Says that the baseline is older than accuracy, where a case that was checked has errors. In
 * strict mode those cases have no baseline. */
void kg__part_note_accuracy(kg__part_run *run);

/* Says where this run's surroundings differ from those that the baseline was recorded in. */
void kg__part_note_provenance(kg__part_run *run);

/* Says how many cases were timed while a launch cost something else than when the baseline was
 * recorded, whatever their verdicts: their times are not quite comparable. */
void kg__part_note_launch_cost(kg__part_run *run);

/* table_ends.c, of the CPU model */

/* Whether each table of the comparison ends in KG_END, as far as the program's symbols tell; false
 * with a complaint. */
bool kg__tables_end(void);
