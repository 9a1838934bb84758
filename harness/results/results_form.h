/* The form of a results document and of a test's verdicts, which it is made of: which members they
 * have, of which types. The JSON Schema in baselines/ says the same of results to other programs; a
 * test holds both to each other. Pure. */
#ifndef KG__RESULTS_RESULTS_FORM_H
#define KG__RESULTS_RESULTS_FORM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether a document has that form. Where it has not, `where` becomes the first member that is at
 * fault ("tests[0].seconds"), and `expected` what it has to be ("a number of at least 0"). */
bool kg__results_has_form(const json_t *document, char *where, size_t size, const char **expected);

/* The same of the verdicts of a test: what has their form makes results that have theirs. */
bool kg__verdicts_have_form(const json_t *document, char *where, size_t size,
                            const char **expected);

#endif
