/* SPDX-License-Identifier: MIT */
#include "observer/tune_settings.h"

#include <stdlib.h>
#include <string.h>

#define PRECISION 0.005
#define PRECISION_LEAST 1e-4
#define PRECISION_MOST 0.2

bool kg__tuning_request_read(kg__tuning_request *request, kg__error *error)
{
    const char *mode = getenv("KG_TUNE_MODE");
    const char *precision = getenv("KG_TUNE_PRECISION");
    char *end;

    *request = (kg__tuning_request){ .precision = PRECISION };
    if (mode != NULL && mode[0] != '\0' && strcmp(mode, "race") != 0) {
        request->exhaustive = strcmp(mode, "exhaustive") == 0;
        if (!request->exhaustive)
            return kg__fail(error, "KG_TUNE_MODE=%s: unknown mode: use race or exhaustive", mode);
    }
    if (precision == NULL || precision[0] == '\0')
        return true;
    request->precision = strtod(precision, &end);
    return (*end == '\0' && request->precision >= PRECISION_LEAST &&
            request->precision <= PRECISION_MOST) ||
           kg__fail(error,
                    "KG_TUNE_PRECISION=%s: expected a fraction from %g to %g, for example 0.005 "
                    "for half a percent",
                    precision, PRECISION_LEAST, PRECISION_MOST);
}
