/* A case of a run: what its tests, the parts of a comparison, left about it, together. */
#ifndef KG__RESULTS_MERGE_CASE_H
#define KG__RESULTS_MERGE_CASE_H

#include "base/pool.h"
#include "results/case_result.h"

/* The result of a case of the pool by what `test` left about it alone. */
kg__case_result *kg__first_part(kg__pool *pool, const kg__case_result *part, const char *test);

/* Adds what `test` left about a part of a case. */
void kg__merge_part(kg__pool *pool, kg__case_result *merged, const kg__case_result *part,
                    const char *test);

#endif
