#include "launching.h"

#include "checking.h"
#include "device.h"
#include "device_gpu.h"
#include "observe.h"
#include "records.h"

/* The inputs and buffers of one size, kept from case to case. */
typedef struct stage {
    const kg_size *size;
    kg__known known;
    kg__buffers buffers;
} stage;

static void clear(stage *set)
{
    kg__known_free(&set->known);
    kg__buffers_free(&set->buffers);
    set->size = NULL;
}

static bool set_up(stage *set, const kg_comparison *comparison, const kg_size *size, kg__error *why)
{
    if (set->size == size)
        return true;
    clear(set);
    if (!kg__known_make(comparison, size, 0, &set->known, why) ||
        !kg__buffers_make(&set->buffers, &set->known.problem.arguments, why))
        return false;
    set->size = size;
    return true;
}

static kg__outcome launch(stage *set, const kg_comparison *comparison, const kg__case *one,
                          int *kernels, kg__error *why)
{
    if (!set_up(set, comparison, one->size, why))
        return kg__device_is_lost() ? KG__LOST : KG__FAILED;
    *kernels = kg__device_kernels(one, &set->buffers, why);
    if (*kernels < 0)
        return kg__device_is_lost() ? KG__LOST : KG__FAILED;
    return kg__check_launch(comparison, one, &set->known, &set->buffers, kg__poison(0), "", why);
}

bool kg__launch_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                      int records, kg__error *error)
{
    stage set = { 0 };
    bool good = true;

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
            kg__report_outcome(records, id, false, why.text);
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
    clear(&set);
    return good;
}
