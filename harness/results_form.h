/* The form of a results document: which members it has, of which types. The JSON Schema in
 * baselines/ says the same to other programs; a test holds both to each other. Pure. */
#ifndef KG__RESULTS_FORM_H
#define KG__RESULTS_FORM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether a document has that form. Where it has not, `where` becomes the first member that is at
 * fault ("tests[0].seconds"), and `expected` what it has to be ("a number of at least 0"). */
bool kg__results_has_form(const json_t *document, char *where, size_t size, const char **expected);

#endif
