/* SPDX-License-Identifier: MIT */
#include "observer/identify.h"

#include "baseline/fingerprint.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/check.h"
#include "observer/problem.h"
#include "observer/report_record.h"
#include "suite/settings.h"

/* Reports a case's launch. First runs the variant's step before it, such as allowing more shared
 * memory, as before a timed launch. */
static bool identify(kg__bare_buffers *bare, const kg_comparison *comparison, const kg__case *c,
                     int records, kg__error *why)
{
    kg__pool pool = { NULL };
    kg__kernel_code kernel;

    if (!kg__bare_buffers_for(bare, comparison, c, why) ||
        !kg__prepare_launch(c, &bare->buffers, why))
        return false;
    kernel = kg__device_kernel(&pool, c, &bare->buffers);
    kg__report_observation(
        records,
        &(kg__observation){ .event = KG__EVENT_IDENTIFIED, .id = c->id, .kernel = &kernel });
    kg__pool_free(&pool);
    return true;
}

bool kg__identify_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                        int records, kg__error *error)
{
    kg__bare_buffers bare = { .size = NULL };
    bool alive = true;

    for (size_t i = 0; i < count && alive; i++) {
        kg__error why = { "" };

        kg__report(records, KG__EVENT_START, cases[i]->id, NULL);
        if (identify(&bare, comparison, cases[i], records, &why))
            continue;
        kg__report(records, KG__EVENT_FAILED, cases[i]->id, why.text);
        alive = !kg__device_is_lost();
        if (!alive)
            *error = why;
    }
    kg__buffers_free(&bare.buffers);
    return alive;
}

void kg__add_fingerprint(kg__kernel_code *code)
{
    static kg__kernels own; /* until the process ends */

    if (!kg__wants_fingerprints())
        return;
    if (own.items == NULL)
        kg__kernels_add(&own, NULL);
    (void)kg__kernels_fingerprint(&own, kg__device_gpu()->compute_capability, code);
}
