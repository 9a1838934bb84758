/* What the comparisons' programs offer a command that asks them, such as their candidates or their
 * cases: which programs there are, what they say, and what of it a filter takes. */
#ifndef KG__CLI_OFFERS_H
#define KG__CLI_OFFERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/tune_choice.h"
#include "suite/settings.h"

/* What programs are asked, and how complaints speak of it. */
typedef struct kg__offer_question {
    const char *command;  /* that complaints begin with: "tune" */
    const char *option;   /* that the programs are asked by: "--candidates" */
    const char *required; /* the object or text that the answer has besides "cases": "target" */
    const char *noun;     /* what they offer: "candidate" */
} kg__offer_question;

/* A comparison's program with its answer, and its candidates, which stand together in the search.
 */
typedef struct kg__offer {
    char path[KG__PATH_SIZE];
    json_t *answer; /* NULL before */
    size_t from;    /* its first candidate in the search, and the one behind its last */
    size_t to;
} kg__offer;

typedef struct kg__offers {
    const kg__offer_question *question;
    char folder[KG__PATH_SIZE];
    kg__offer *list;
    size_t count;
    json_t *target; /* the first that a program named; NULL before */
    json_t *edges;  /* whether a block is the edge of a square, by comparison, where that is told */
} kg__offers;

/* Finds the programs whose names end in `end` (".gpu", ".model") in the folder `build`; where that
 * is NULL in the build that this command is of, else in build/gpu, build/cpu or build. The list is
 * empty where there are none; `folder` then names all that were looked into. The question is kept
 * by reference; NULL where nobody will be asked. Free with kg__offers_free(). */
void kg__offers_find(kg__offers *offers, const kg__offer_question *question, const char *build,
                     const char *end);

/* Asks every program. Returns 0, or an exit code with a complaint: 77 where a program finds no
 * device, which it says itself. */
int kg__offers_ask(kg__offers *offers);

/* Makes of a list of globs on ids, of which one without its last parts takes all that begin so, the
 * list that is held against ids; to be freed. NULL with a complaint, which names what is nearest,
 * where one of the globs takes nothing of what the programs offer. */
char *kg__offers_filter(const kg__offers *offers, const char *filter);

/* Adds to `tuning` the candidates that `filter` takes, a list of globs on ids, of which one without
 * its last parts takes all that begin so; "" takes all. False with a complaint where one of the
 * globs takes nothing. */
bool kg__offers_choose(kg__offers *offers, const char *filter, kg__tuning *tuning);

/* Frees the list and what the programs offered, and empties it. */
void kg__offers_free(kg__offers *offers);

#endif
