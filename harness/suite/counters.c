/* SPDX-License-Identifier: MIT */
#include "suite/counters.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[KG__COUNTERS] = {
    [KG__GLOBAL_LOAD_REQUESTS] = "global_load_requests",
    [KG__GLOBAL_LOAD_SECTORS] = "global_load_sectors",
    [KG__GLOBAL_STORE_REQUESTS] = "global_store_requests",
    [KG__GLOBAL_STORE_SECTORS] = "global_store_sectors",
    [KG__GLOBAL_ATOMIC_REQUESTS] = "global_atomic_requests",
    [KG__GLOBAL_ATOMIC_SECTORS] = "global_atomic_sectors",
    [KG__GLOBAL_ATOMIC_PASSES] = "global_atomic_passes",
    [KG__SHARED_LOAD_REQUESTS] = "shared_load_requests",
    [KG__SHARED_LOAD_WAVEFRONTS] = "shared_load_wavefronts",
    [KG__SHARED_STORE_REQUESTS] = "shared_store_requests",
    [KG__SHARED_STORE_WAVEFRONTS] = "shared_store_wavefronts",
    [KG__SHARED_ATOMIC_REQUESTS] = "shared_atomic_requests",
    [KG__SHARED_ATOMIC_PASSES] = "shared_atomic_passes",
    [KG__CONSTANT_LOAD_REQUESTS] = "constant_load_requests",
    [KG__CONSTANT_LOAD_WORDS] = "constant_load_words",
    [KG__SHUFFLES] = "shuffles",
    [KG__BARRIERS] = "barriers",
    [KG__FENCES] = "fences",
    [KG__PRINTF_CALLS] = "printf_calls",
    [KG__TENSOR_MULTIPLY_ADDS] = "tensor_multiply_adds",
    [KG__LAUNCHES] = "launches",
    [KG__BLOCKS] = "blocks",
    [KG__THREADS] = "threads",
    [KG__BUSIEST_BLOCK_REQUESTS] = "busiest_block_requests",
    [KG__BUSIEST_WARP_REQUESTS] = "busiest_warp_requests",
    [KG__SHARED_BYTES] = "shared_bytes",
    [KG__COPIED_BYTES] = "copied_bytes",
    [KG__UNIQUE_BYTES_READ] = "unique_bytes_read",
    [KG__UNIQUE_BYTES_WRITTEN] = "unique_bytes_written",
};

/* The first version of the model that counted a counter as today; 0: all did. */
static const long first_models[KG__COUNTERS] = {
    [KG__CONSTANT_LOAD_WORDS] = 3,   [KG__LAUNCHES] = 3,     [KG__BUSIEST_BLOCK_REQUESTS] = 2,
    [KG__SHARED_BYTES] = 2,          [KG__COPIED_BYTES] = 2, [KG__GLOBAL_ATOMIC_PASSES] = 4,
    [KG__SHARED_ATOMIC_PASSES] = 4,  [KG__FENCES] = 4,       [KG__PRINTF_CALLS] = 4,
    [KG__TENSOR_MULTIPLY_ADDS] = 4,  [KG__BLOCKS] = 4,       [KG__THREADS] = 4,
    [KG__BUSIEST_WARP_REQUESTS] = 4,
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
