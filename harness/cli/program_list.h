/* The comparisons' programs with their answers to a query, such as their cases. */
#ifndef KG__CLI_PROGRAM_LIST_H
#define KG__CLI_PROGRAM_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "suite/settings.h"

/* A query to the programs, with the words for complaints. */
typedef struct kg__program_query {
    const char *command; /* the start of complaints: "list" */
    const char *option;  /* of the programs: "--work" */
    const char
        *required;    /* the object or string that the answer has next to "cases": "comparison" */
    const char *noun; /* an element of the answer: "case" */
} kg__program_query;

/* A comparison's program with its answer. */
typedef struct kg__listed_program {
    char path[KG__PATH_SIZE];
    json_t *answer; /* NULL before */
} kg__listed_program;

typedef struct kg__program_list {
    const kg__program_query *question;
    char folder[KG__PATH_SIZE];
    kg__listed_program *list;
    size_t count;
} kg__program_list;

/* Finds the programs whose names end in `end` (".gpu", ".model") in the folder `build`; if that is
 * NULL, in this command's build, else in build/gpu, build/cpu or build. The list is empty if there
 * are none; `folder` then names all folders searched. The query is kept by reference; NULL if no
 * program will be asked. Free with kg__program_list_free(). */
void kg__program_list_find(kg__program_list *programs, const kg__program_query *question,
                           const char *build, const char *end);

/* Asks every program. Returns 0, or an exit code with a complaint: 77 if a program finds no device,
 * which it reports itself. */
int kg__program_list_ask(kg__program_list *programs);

/* Completes a list of globs on ids: one without its last parts matches all ids that begin so. Freed
 * by the caller. NULL with a complaint, which names the nearest, if a glob matches nothing. */
char *kg__program_list_filter(const kg__program_list *programs, const char *filter);

/* Frees the list and the answers, and empties it. */
void kg__program_list_free(kg__program_list *programs);

#endif
