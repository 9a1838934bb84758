#include "observer/launch.h"

#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/check.h"
#include "observer/observe.h"
#include "records/records.h"

/* What collects a variant's results may start kernels of its own: then nothing is collected, and
 * part check alone tells whether they are right. */
static kg__outcome launch_alone(kg__stage *set, const kg__case *one, kg__error *why)
{
    kg_call call = {
        .size = one->size, .launch = one->launch, .argument = set->buffers.data, .stream = NULL
    };
    cudaError_t code;

    if (!kg__buffers_fill(&set->buffers, set->known.device, kg__poison(0), why) ||
        !kg__prepare_launch(one, &set->buffers, why))
        return kg__device_is_lost() ? KG__LOST : KG__FAILED;
    code = one->variant->launch(&call);
    if (code == cudaSuccess)
        code = cudaDeviceSynchronize();
    if (code == cudaSuccess)
        return KG__RIGHT;
    kg__cuda_fail(why, "running the kernel", code);
    return kg__device_is_lost() ? KG__LOST : KG__FAILED;
}

static kg__outcome launch(kg__stage *set, const kg_comparison *comparison, const kg__case *one,
                          int *kernels, kg__error *why)
{
    if (!kg__stage_set(set, comparison, one, true, why))
        return kg__device_is_lost() ? KG__LOST : KG__FAILED;
    *kernels = kg__device_kernels(one, &set->buffers, why);
    if (*kernels < 0)
        return kg__device_is_lost() ? KG__LOST : KG__FAILED;
    if (one->variant->collect != NULL)
        return launch_alone(set, one, why);
    return kg__check_launch(comparison, one, &set->known, &set->buffers, kg__poison(0), "", why);
}

bool kg__launch_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                      int records, kg__error *error)
{
    kg__stage set = { 0 };
    bool good = true;

    kg__device_keep_quiet();
    for (size_t i = 0; i < count && good; i++) {
        const char *id = cases[i]->id;
        kg__error why = { "" };
        int kernels = 0;

        kg__report(records, "start", id, NULL);
        switch (launch(&set, comparison, cases[i], &kernels, &why)) {
        case KG__RIGHT:
            good = kg__record_append(
                records,
                json_pack("{s:s, s:s, s:i}", "event", "launched", "case", id, "kernels", kernels),
                error);
            break;
        case KG__INCORRECT:
            kg__report_wrong(records, comparison->home, id, why.text);
            break;
        case KG__FAILED:
            kg__report(records, "failed", id, why.text);
            break;
        case KG__LOST:
            kg__report(records, "failed", id, why.text);
            good = kg__fail(error, "%s: %s", id, why.text);
            break;
        }
    }
    kg__stage_clear(&set);
    return good;
}
