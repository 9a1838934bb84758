#include "measuring.h"

bool kg__measure_cases(const kg_comparison *comparison, const char *part,
                       const kg__case *const *cases, size_t count, int records, kg__error *error)
{
    (void)cases;
    (void)count;
    (void)records;
    return kg__fail(error, "%s: the CPU model has no part %s: it checks", comparison->name, part);
}
