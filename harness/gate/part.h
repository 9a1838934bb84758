/* A part of a comparison in progress, as the modules share it that check, measure and count its
 * cases. None of them touches the device: observers do. */
#ifndef KG__GATE_PART_H
#define KG__GATE_PART_H

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

/* What a part knows of one of its cases. */
typedef struct kg__subject {
    const kg__case *c;
    kg__observation *measured[1 + KG__CONFIRMATIONS]; /* one per process, the part's pool's */
    size_t observers;
    kg__case_result *result;   /* NULL until it is judged */
    kg__case_result *unjudged; /* what is written until then, once it was */
    kg__kernel_code *code;     /* that it launches, the part's pool's; NULL: not known */
    const char *same_code;     /* whose code that is: see kg__case_result */
    bool refused;              /* the comparison does not support it */
    bool tripped;
    bool suspect;   /* left to be settled against a base, after this run */
    double began;   /* when the observer that is at it started on it; 0 while none is */
    double seconds; /* that observers have spent on it */
    /* What the plain program found of it, held until the instrumented one has run it too, or until
     * it is known whether less accurate results come from changed code. */
    bool held;
    bool hung;
    kg__verdict plain;
    const kg__observation *plain_observation;
} kg__subject;

/* A part in progress. */
typedef struct kg__part_run {
    const kg_comparison *comparison;
    const char *part;
    char test[128];
    char path[KG__PATH_SIZE]; /* of the verdicts file */
    kg__case_list table;
    kg__subject *subjects; /* the cases that the filter lets through, in the table's order */
    size_t count;
    kg__pool pool; /* of the verdicts, and of the observations that are kept */
    kg__verdicts *verdicts;
    bool device_seen; /* an observer has described its device */
    kg__target target;
    const kg__provenance *provenance; /* the first observer's, the pool's; NULL: none yet */
    kg__baseline baseline;
    bool has_baseline;
    bool is_exact;     /* the CPU model that recorded it computes as this one does */
    bool same_toolkit; /* it was recorded with this program's toolkit: machine code can be compared
                        */
    kg__sentinel_log sentinels[1 + KG__CONFIRMATIONS];
    size_t round;                     /* 0: the first observer; then the confirmations */
    const kg_variant *variant;        /* the one that is being checked */
    char instrumented[KG__PATH_SIZE]; /* the program with instrumented kernels; empty: none */
    bool watching;                    /* it is the one that is being observed */
    bool reported_not_instrumented;   /* it has been told that it does not watch */
    char recording_differences[512];  /* how the baseline was recorded differently, or empty */
    bool unwritten;                   /* what was last to be written down is not */
    kg__texts failures;               /* kg__failure_group_key() of what was printed */
    kg__texts failed;                 /* the cases that were printed with them */
    kg__error unobserved;             /* why nothing could be run any more, or empty */
    double began;
} kg__part_run;

/* part_state.c */

/* Begins a part: its folder, its table and the cases that the filter takes. False with an error
 * noted and written; kg__part_release() is due either way. */
bool kg__part_begin(kg__part_run *run, const kg_comparison *comparison, const char *part);

/* Frees what the part holds. */
void kg__part_release(kg__part_run *run);

/* Whether this program is the CPU model's. */
bool kg__part_is_model(void);

/* Whether the part that runs is this one: "check". */
bool kg__part_is(const kg__part_run *run, const char *part);

/* Whether results are compared with the reference in this part, and nothing else is measured. */
bool kg__part_is_checking(const kg__part_run *run);

/* An error outside of any case: printed, and kept in the verdicts. */
void kg__part_add_error(kg__part_run *run, const char *text);

/* A remark that decides nothing: printed, and kept in the verdicts. */
void kg__part_add_note(kg__part_run *run, const char *text);

/* Notes that nothing is judged, and why. */
void kg__part_skip(kg__part_run *run, kg__skip by, const char *why);

/* The subject with a case's id; NULL where the part has no such case. */
kg__subject *kg__part_subject(kg__part_run *run, const char *id);

/* Names the records of the observers of a label, without the end of the file's name. */
void kg__part_name_records(const kg__part_run *run, const char *label, char *stem, size_t size);

/* A result of a case without metrics. */
kg__case_result *kg__part_result(kg__part_run *run, const kg__subject *subject, kg__verdict verdict,
                                 const char *why);

/* Prints a result as one line that begins with a word. */
void kg__part_print_result(const char *word, const kg__case_result *result);

/* Prints a result as one line, unless it passed and KG_VERBOSE is not set; what was printed of a
 * case that failed alike is not repeated. */
void kg__part_print(kg__part_run *run, const kg__case_result *result);

/* Gives a case its result. */
void kg__part_keep(kg__subject *subject, kg__case_result *result);

/* The same, and prints it. */
void kg__part_settle(kg__part_run *run, kg__subject *subject, kg__case_result *result);

/* Whether a case is not judged by its times, since its code is unchanged: KG_CHANGED=1. */
bool kg__part_is_left_alone(const kg__subject *subject);

/* Gives an observation of a case the fingerprint of what the case launches, where the baseline's
 * can be compared with it. What launched something else this time is not known to be unchanged. */
void kg__part_add_fingerprint(const kg__part_run *run, kg__subject *subject,
                              const kg__observation *measured);

/* Writes the verdicts file. A case without a verdict is an error until it has one, so that a test
 * which dies leaves no hole. */
void kg__part_write(kg__part_run *run, bool complete);

/* part_verdicts.c */

/* Takes what a check found of a case: held where the instrumented program has yet to run it. */
void kg__part_take_outcome(kg__part_run *run, kg__subject *subject, kg__verdict verdict,
                           const kg__observation *observation);

/* Settles the cases that are held: nothing else will observe them. */
void kg__part_settle_held(kg__part_run *run);

/* Takes what was measured or counted of a case, and settles it where that is enough. */
void kg__part_take_measured(kg__part_run *run, kg__subject *subject,
                            const kg__observation *observation);

/* The baseline of the target; NULL without one. */
const kg__baseline *kg__part_baseline(const kg__part_run *run);

/* Judges a case by the observations that it has so far. */
kg__case_result *kg__part_judge(kg__part_run *run, kg__subject *subject);

/* The result of a case whose code is unchanged, with the times that it has, where it was timed
 * beside another. */
kg__case_result *kg__part_unchanged(kg__part_run *run, kg__subject *subject);

/* part_observing.c */

/* Observes the subjects that `wanted` takes (NULL: all), in processes of their own; returns false
 * when nothing could be run. `label` names their records. */
bool kg__part_observe(kg__part_run *run, bool (*wanted)(const kg__part_run *, const kg__subject *),
                      const char *label);

/* Takes the description of a device that an observer begins with, and with it the baseline. */
void kg__part_take_device(kg__part_run *run, const kg__observation *observation);

/* Notes that a case is refused, once. */
void kg__part_take_refusal(kg__part_run *run, kg__subject *subject,
                           const kg__observation *observation);

/* part_identity.c */

/* Finds the cases whose launch and machine code are the baseline's, or the base's, without timing
 * any. What cannot be identified is as good as changed. */
void kg__part_identify(kg__part_run *run);

/* Finds, for each subject that is held, whether its variant's timed cases all run the baseline's,
 * or the base's, code: its own launch is not known. */
void kg__part_identify_held(kg__part_run *run);

/* part_checking.c */

/* Checks the subjects, variant by variant, and settles each. */
void kg__part_check(kg__part_run *run);

/* part_measuring.c */

/* Times the subjects, confirms what tripped, and judges each against the baseline. */
void kg__part_measure(kg__part_run *run);

/* Counts the subjects on the CPU model, and judges each against the baseline. */
void kg__part_count(kg__part_run *run);

/* part_notes.c */

/* Notes, and prints where KG_VERBOSE is set, how many times as fast each variant is as the table's
 * first, by size and launch.
 */
void kg__part_note_speedups(kg__part_run *run);

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

#endif
