/* Sessions: the times of cases by process, from recordings or gates, and how a baseline stores
 * them. */
#ifndef KG__CLI_SESSIONS_H
#define KG__CLI_SESSIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "cli/change_log.h"
#include "judge/judge.h"

#define KG__TIMES 2

/* The recorded metrics of a case; a sentinel has only the first. */
extern const char *const kg__time_names[KG__TIMES];
extern const char *const kg__session_sentinels[KG__SENTINELS];

/* One case, with a value per metric and session. */
typedef struct kg__recorded {
    char *id;
    double *values[KG__TIMES];
    size_t counts[KG__TIMES];
    bool loose[KG__TIMES]; /* its sessions may disagree: recorded ungated, not refused */
    kg__kernel_code *code; /* on the heap, or NULL */
} kg__recorded;

typedef struct kg__sessions {
    kg__change_log *log; /* borrowed */
    size_t limit;        /* the maximum number of sessions */
    kg__recorded *cases;
    size_t count;
    size_t capacity;
    kg__recorded sentinels[KG__SENTINELS];
} kg__sessions;

/* Begins without cases, for up to `limit` sessions; messages go to `log`, kept by reference. */
void kg__sessions_begin(kg__sessions *sessions, kg__change_log *log, size_t limit);

/* Frees all sessions. */
void kg__sessions_free(kg__sessions *sessions);

/* Finds or adds a case. The pointer holds until the next addition. */
kg__recorded *kg__sessions_case(kg__sessions *sessions, const char *id);

/* Adds a value, unless it is not above 0. */
void kg__sessions_add(const kg__sessions *sessions, kg__recorded *recorded, size_t metric,
                      double value);

/* Adds the value of a metric, whose clock decides whether sessions must agree. */
void kg__sessions_take(const kg__sessions *sessions, kg__recorded *recorded, size_t metric,
                       const char *clock, double value);

/* Whether the machine was in one state. If only one metric, or one of ten, differs from session to
 * session, the kernel is the reason: it is recorded ungated. If more do, or a sentinel, the machine
 * is the reason: false, with a complaint. */
bool kg__sessions_are_of_one_state(const kg__sessions *sessions);

/* Stores the times of a case or a sentinel with kg__record_time(), and prints a row for each that
 * changed; returns whether any did. */
bool kg__sessions_store(const kg__sessions *sessions, kg__baseline_case *entry,
                        const kg__recorded *recorded, bool merge);

/* Prints the header of these rows. */
void kg__sessions_print_head(void);

#endif
