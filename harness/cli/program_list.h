/* What the comparisons' programs offer a command that asks them, such as their candidates or their
 * cases: which programs there are, what they say, and what of it a filter takes. */
#ifndef KG__CLI_PROGRAM_LIST_H
#define KG__CLI_PROGRAM_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/tune_choice.h"
#include "suite/settings.h"

/* What programs are asked, and how complaints speak of it. */
typedef struct kg__program_query {
    const char *command;  /* that complaints begin with: "tune" */
    const char *option;   /* that the programs are asked by: "--candidates" */
    const char *required; /* the object or text that the answer has besides "cases": "target" */
    const char *noun;     /* what they offer: "candidate" */
} kg__program_query;

/* A comparison's program with its answer, and its candidates, which stand together in the search.
 */
typedef struct kg__listed_program {
    char path[KG__PATH_SIZE];
    json_t *answer; /* NULL before */
    size_t begin;   /* its first candidate in the search, and the one behind its last */
    size_t end;
} kg__listed_program;

typedef struct kg__program_list {
    const kg__program_query *question;
    char folder[KG__PATH_SIZE];
    kg__listed_program *list;
    size_t count;
    json_t *target; /* the first that a program named; NULL before */
    json_t *edges;  /* whether a block is the edge of a square, by comparison, where that is told */
} kg__program_list;

/* Finds the programs whose names end in `end` (".gpu", ".model") in the folder `build`; where that
 * is NULL in the build that this command is of, else in build/gpu, build/cpu or build. The list is
 * empty where there are none; `folder` then names all that were looked into. The question is kept
 * by reference; NULL where nobody will be asked. Free with kg__program_list_free(). */
void kg__program_list_find(kg__program_list *programs, const kg__program_query *question,
                           const char *build, const char *end);

/* Asks every program. Returns 0, or an exit code with a complaint: 77 where a program finds no
 * device, which it says itself. */
int kg__program_list_ask(kg__program_list *programs);

/* Makes of a list of globs on ids, of which one without its last parts takes all that begin so, the
 * list that is held against ids; to be freed. NULL with a complaint, which names what is nearest,
 * where one of the globs takes nothing of what the programs offer. */
char *kg__program_list_filter(const kg__program_list *programs, const char *filter);

/* Adds to `tuning` the candidates that `filter` takes, a list of globs on ids, of which one without
 * its last parts takes all that begin so; "" takes all. False with a complaint where one of the
 * globs takes nothing. */
bool kg__program_list_choose(kg__program_list *programs, const char *filter, kg__tuning *tuning);

/* Frees the list and what the programs offered, and empties it. */
void kg__program_list_free(kg__program_list *programs);

#endif
