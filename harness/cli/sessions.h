/* Sessions: the values that processes gave for the times of cases, and how these enter a baseline,
 * whether they were measured for it or are those of gates. */
#ifndef KG__CLI_SESSIONS_H
#define KG__CLI_SESSIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "cli/change_log.h"
#include "judge/judge.h"

#define KG__TIMES 2

/* The metrics that are recorded of a case; a sentinel has the first alone. */
extern const char *const kg__time_names[KG__TIMES];
extern const char *const kg__session_sentinels[KG__SENTINELS];

/* One case, with a value a metric and session. */
typedef struct kg__recorded {
    char *id;
    double *values[KG__TIMES];
    size_t counts[KG__TIMES];
    bool loose[KG__TIMES]; /* sessions far apart are its nature: recorded ungated, not refused */
    json_t *code;          /* what the compiler made of it, or NULL */
} kg__recorded;

typedef struct kg__sessions {
    kg__change_log *log; /* borrowed: what becomes of them */
    size_t limit;        /* sessions that there may be */
    kg__recorded *cases;
    size_t count;
    size_t capacity;
    kg__recorded sentinels[KG__SENTINELS];
} kg__sessions;

/* Begins with no cases, and with room for `limit` sessions of each sentinel; what is noteworthy
 * goes to `log`, kept by reference. */
void kg__sessions_begin(kg__sessions *sessions, kg__change_log *log, size_t limit);

/* Frees all that was recorded. */
void kg__sessions_free(kg__sessions *sessions);

/* Finds or adds a case. The pointer holds until the next addition. */
kg__recorded *kg__sessions_case(kg__sessions *sessions, const char *id);

/* Adds a value; one that is none (0, negative) is not added. */
void kg__sessions_add(const kg__sessions *sessions, kg__recorded *recorded, size_t metric,
                      double value);

/* Adds the value of a metric's figures, {"value", "clock"}, and notes what its clock promises. */
void kg__sessions_take(const kg__sessions *sessions, kg__recorded *recorded, size_t metric,
                       const json_t *figures);

/* Whether the sessions are of one state of the machine. Where one metric alone, or one of ten,
 * differs from session to session, that is the kernel's own: it is recorded ungated. Where more do,
 * or a sentinel, it is the machine: false, with a complaint. */
bool kg__sessions_are_of_one_state(const kg__sessions *sessions);

/* Stores the times that a case or a sentinel has sessions of, with kg__record_time(), and prints a
 * row for each that changed; returns whether any did. */
bool kg__sessions_store(const kg__sessions *sessions, kg__baseline_case *entry,
                        const kg__recorded *recorded, bool merge);

/* Prints the head of the table of those rows. */
void kg__sessions_print_head(void);

#endif
