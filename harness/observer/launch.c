/* SPDX-License-Identifier: MIT */
#include "observer/launch.h"
#include "observer/report_record.h"

#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/check.h"

/* A variant's collect step may start kernels of its own: then nothing is collected, and only
 * part check compares the results. */
static bool launch_alone(kg__stage *stage, const kg__case *c, kg__error *why)
{
    kg_call call = kg__buffers_call(&stage->buffers, c, NULL);

    return kg__buffers_fill(&stage->buffers, stage->problem.device, kg__poison(0), why) &&
           kg__prepare_launch(c, &stage->buffers, why) &&
           kg__run_step(c->variant->launch, &call, "running the kernel", why);
}

static kg__outcome launch_once(kg__stage *stage, const kg_comparison *comparison, const kg__case *c,
                               int *kernels, kg__error *why)
{
    bool good = kg__stage_set(stage, comparison, c, why);

    if (good)
        *kernels = kg__device_kernels(c, &stage->buffers, why);
    good = good && *kernels >= 0;
    if (good && c->variant->advanced.collect == NULL)
        return kg__check_launch(comparison, c, &stage->problem, &stage->buffers, kg__poison(0), "",
                                why);
    if (good && launch_alone(stage, c, why))
        return KG__RIGHT;
    return kg__device_is_lost() ? KG__LOST : KG__FAILED;
}

bool kg__launch_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                      int records, kg__error *error)
{
    kg__stage stage = { 0 };
    bool good = true;

    kg__device_keep_quiet();
    for (size_t i = 0; i < count && good; i++) {
        const char *id = cases[i]->id;
        kg__error why = { "" };
        int kernels = 0;

        kg__report(records, KG__EVENT_START, id, NULL);
        switch (launch_once(&stage, comparison, cases[i], &kernels, &why)) {
        case KG__RIGHT:
            good = kg__observation_append(records,
                                          &(kg__observation){ .event = KG__EVENT_LAUNCHED,
                                                              .id = id,
                                                              .kernels = (unsigned int)kernels },
                                          error);
            break;
        case KG__INCORRECT:
            kg__report_wrong(records, comparison->home, id, why.text);
            break;
        case KG__FAILED:
            kg__report(records, KG__EVENT_FAILED, id, why.text);
            break;
        case KG__LOST:
            kg__report(records, KG__EVENT_FAILED, id, why.text);
            good = kg__fail(error, "%s: %s", id, why.text);
            break;
        }
    }
    kg__stage_clear(&stage);
    return good;
}
