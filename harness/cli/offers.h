/* The comparisons' programs that a command asks: which there are, what they offer, what of it a
 * filter takes. */
#ifndef KG__TUNE_PROGRAMS_H
#define KG__TUNE_PROGRAMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "../run.h"
#include "../tuning_choice.h"

/* A comparison's program, and its candidates, which stand together in the search. */
typedef struct kg__tune_program {
    char path[KG__PATH_SIZE];
    json_t *offer; /* what it prints for the option that it was asked by */
    size_t from;   /* its first candidate in the search, and the one behind its last */
    size_t to;
} kg__tune_program;

typedef struct kg__tune_programs {
    const char *command;  /* that complaints begin with */
    const char *option;   /* that the programs are asked by: --candidates, or --work */
    const char *required; /* the object or text that the answer begins with */
    const char *noun;     /* what they then offer, as complaints call it: "candidate" */
    char folder[KG__PATH_SIZE];
    kg__tune_program *list;
    size_t count;
    json_t *target; /* the first that a program named; NULL before */
    json_t *edges;  /* whether a block is the edge of a square, by comparison, where that is told */
} kg__tune_programs;

/* Finds, for a search of candidates, the programs whose names end in `end` (".gpu", ".model") in
 * the folder `build`; where that is NULL in the build that this command is of, else in build/gpu,
 * build/cpu or build. The list is empty where there are none; `folder` then names all that were
 * looked into. */
void kg__tune_find(kg__tune_programs *programs, const char *build, const char *end);

/* Asks every program for what it offers, by `option`. Returns 0, or an exit code with a complaint:
 * 77 where a program finds no device, which it says itself. */
int kg__tune_ask(kg__tune_programs *programs);

/* Makes of a list of globs on ids, of which one without its last parts takes all that begin so, the
 * list that is held against ids; to be freed. NULL with a complaint, which names what is nearest,
 * where one of the globs takes nothing of what the programs offer. */
char *kg__tune_filter(const kg__tune_programs *programs, const char *filter);

/* Adds to `tuning` the candidates that `filter` takes, a list of globs on ids, of which one without
 * its last parts takes all that begin so; "" takes all. False with a complaint where one of the
 * globs takes nothing. */
bool kg__tune_choose(kg__tune_programs *programs, const char *filter, kg__tuning *tuning);

/* Frees the list and what the programs offered, and empties it. */
void kg__tune_programs_free(kg__tune_programs *programs);

#endif
