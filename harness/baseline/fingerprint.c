/* SPDX-License-Identifier: MIT */
#include "baseline/fingerprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"

/* How well a kernel suits a query; the best is used. */
enum { UNFIT = 0, OWN_ARCHITECTURE = 1000 };

/* The compute capability "9.0" as the number 90; 0 for any other text. */
static int parse_capability(const char *text)
{
    return (int)lround(10.0 * strtod(text, NULL));
}

/* A kernel that is looked for. */
typedef struct query {
    const char *program;
    const char *name;
    int architecture;
} query;

/* How well a kernel suits a query. */
static int rate_kernel(const kg__kernel *kernel, const query *wanted)
{
    bool own = kernel->architecture == wanted->architecture;

    if (strcmp(kernel->program, wanted->program) != 0 || strcmp(kernel->name, wanted->name) != 0)
        return UNFIT;
    if (own)
        return OWN_ARCHITECTURE + kernel->only_there;
    return kernel->only_there || kernel->architecture / 10 != wanted->architecture / 10 ||
                   kernel->architecture > wanted->architecture
               ? UNFIT
               : 1 + kernel->architecture % 10;
}

/* The best match; NULL without one, or where two equally good matches differ. */
static const kg__kernel *choose_kernel(const kg__kernels *kernels, const query *wanted)
{
    const kg__kernel *chosen = NULL;
    bool ambiguous = false;
    int best = UNFIT;

    for (size_t i = 0; i < kernels->count; i++) {
        const kg__kernel *kernel = &kernels->items[i];
        int rating = rate_kernel(kernel, wanted);

        if (rating == UNFIT || rating < best)
            continue;
        ambiguous = rating == best && (ambiguous || chosen->hash != kernel->hash);
        best = rating;
        chosen = kernel;
    }
    return ambiguous ? NULL : chosen;
}

bool kg__kernels_fingerprint(const kg__kernels *kernels, const char *program,
                             const char *compute_capability, kg__kernel_code *code)
{
    query wanted = { .program = program, .architecture = parse_capability(compute_capability) };
    uint64_t hash = kg__hash_text(KG__HASH_BEGIN, code->launch);
    char digits[KG__HASH_TEXT_SIZE];

    if (code->launch[0] == '\0')
        return false;
    for (size_t i = 0; i < code->names.count; i++) {
        const kg__kernel *kernel;

        wanted.name = code->names.items[i];
        kernel = choose_kernel(kernels, &wanted);
        if (kernel == NULL)
            return false;
        hash = kg__hash_number(hash, kernel->hash);
    }
    kg__hash_show(digits, hash);
    kg__format(code->fingerprint, sizeof code->fingerprint, KG__ELF_MARK "%s", digits);
    return true;
}
