/* SPDX-License-Identifier: MIT */
#include "suite/counters.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[KG__COUNTERS] = {
#define NAME(counter, name, model) [KG__##counter] = #name,
    KG__EACH_COUNTER(NAME)
};

static const long first_models[KG__COUNTERS] = {
#define FIRST_MODEL(counter, name, model) [KG__##counter] = (model),
    KG__EACH_COUNTER(FIRST_MODEL)
};

const kg__ratio kg__ratios[KG__RATIOS] = {
    { "global_load_sectors_per_request", "loads", "sectors per request", KG__GLOBAL_LOAD_SECTORS,
      KG__GLOBAL_LOAD_REQUESTS },
    { "global_store_sectors_per_request", "stores", "sectors per request", KG__GLOBAL_STORE_SECTORS,
      KG__GLOBAL_STORE_REQUESTS },
    { "global_atomic_sectors_per_request", "atomics", "sectors per request",
      KG__GLOBAL_ATOMIC_SECTORS, KG__GLOBAL_ATOMIC_REQUESTS },
    { "shared_load_wavefronts_per_request", "shared loads", "wavefronts per request",
      KG__SHARED_LOAD_WAVEFRONTS, KG__SHARED_LOAD_REQUESTS },
    { "shared_store_wavefronts_per_request", "shared stores", "wavefronts per request",
      KG__SHARED_STORE_WAVEFRONTS, KG__SHARED_STORE_REQUESTS },
    { "constant_load_words_per_request", "constant loads", "words per request",
      KG__CONSTANT_LOAD_WORDS, KG__CONSTANT_LOAD_REQUESTS },
};

const char *kg__counter_name(kg__counter counter)
{
    return names[counter];
}

bool kg__is_counted_by_line(kg__counter counter)
{
    return counter < KG__LAUNCHES;
}

bool kg__counter_parse(const char *name, kg__counter *counter)
{
    for (int i = 0; i < KG__COUNTERS; i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        if (counter != NULL)
            *counter = (kg__counter)i;
        return true;
    }
    return false;
}

bool kg__is_model_version(const char *text)
{
    char *end;
    long version = strtol(text, &end, 10);

    return *text != '0' && isdigit((unsigned char)*text) && *end == '\0' &&
           version <= strtol(KG__MODEL_VERSION, NULL, 10);
}

bool kg__counter_is_of(kg__counter counter, const char *model)
{
    return !kg__is_model_version(model) || strtol(model, NULL, 10) >= first_models[counter];
}
