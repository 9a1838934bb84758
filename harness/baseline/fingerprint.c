/* SPDX-License-Identifier: MIT */
#include "baseline/fingerprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"

/* How well a kernel suits what is looked for; the best is used. */
enum { UNFIT = 0, OWN_ARCHITECTURE = 1000 };

/* The compute capability "9.0" as the number 90; 0 for any other text. */
static int parse_capability(const char *text)
{
    return (int)lround(10.0 * strtod(text, NULL));
}

/* How well a kernel suits a name and a device. */
static int rate_kernel(const kg__kernel *kernel, const char *name, int architecture)
{
    if (strcmp(kernel->name, name) != 0)
        return UNFIT;
    if (kernel->architecture == architecture)
        return OWN_ARCHITECTURE + kernel->only_there;
    return kernel->only_there || kernel->architecture / 10 != architecture / 10 ||
                   kernel->architecture > architecture
               ? UNFIT
               : 1 + kernel->architecture % 10;
}

/* Sets the hash of the best match. Static kernels in several files can have the same name, and the
 * launch does not tell which one runs: those with the same instructions are hashed together. False
 * without a match, or where their instructions differ. */
static bool hash_code(const kg__kernels *kernels, const char *name, int architecture,
                      uint64_t *hash)
{
    const kg__kernel *first = NULL;
    bool ambiguous = false;
    int best = UNFIT;

    *hash = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        const kg__kernel *kernel = &kernels->items[i];
        int rating = rate_kernel(kernel, name, architecture);

        if (rating > best) {
            best = rating;
            first = kernel;
            ambiguous = false;
            *hash = kernel->hash;
        } else if (rating == best && rating != UNFIT && kernel->hash != first->hash) {
            ambiguous = ambiguous || kernel->instructions != first->instructions;
            *hash = kg__hash_number(*hash, kernel->hash);
        }
    }
    return best != UNFIT && !ambiguous;
}

bool kg__kernels_fingerprint(const kg__kernels *kernels, const char *compute_capability,
                             kg__kernel_code *code)
{
    int architecture = parse_capability(compute_capability);
    uint64_t hash = kg__hash_text(KG__HASH_BEGIN, code->launch);
    char digits[KG__HASH_TEXT_SIZE];

    if (code->launch[0] == '\0')
        return false;
    for (size_t i = 0; i < code->names.count; i++) {
        uint64_t of_kernel;

        if (!hash_code(kernels, code->names.items[i], architecture, &of_kernel))
            return false;
        hash = kg__hash_number(hash, of_kernel);
    }
    kg__hash_show(digits, hash);
    kg__format(code->fingerprint, sizeof code->fingerprint, KG__ELF_MARK "%s", digits);
    return true;
}
