/* The form of a results document and of a test's verdicts, which it is made of: that of their JSON
 * Schemas, of which this knows as much as they use. Pure. */
#ifndef KG__RESULTS_RESULTS_FORM_H
#define KG__RESULTS_RESULTS_FORM_H

#include <jansson.h>
#include <stdbool.h>

#include "base/message.h"

/* Whether a document has that form. Where it has not, `fault` says which member is the first at
 * fault, and what it has to be: "tests[0].seconds is not {"type": "number", "minimum": 0}". */
bool kg__results_have_form(const json_t *document, kg__error *fault);

/* The same of the verdicts of a test: what has their form makes results that have theirs. */
bool kg__verdicts_have_form(const json_t *document, kg__error *fault);

#endif
