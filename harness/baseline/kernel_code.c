#include "baseline/kernel_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/message.h"
#include "base/text.h"

/* How well a kernel suits a query; the best is used. */
enum { UNFIT = 0, OWN_ARCHITECTURE = 1000 };

/* How a fingerprint of cubins begins. */
static const char elf_mark[] = "elf-";

/* Beyond any register file or memory of a block. */
#define LARGEST_FIGURE 1e9

/* The figures, in their order, and what they are called in a sentence. */
static const struct {
    const char *key;
    const char *words;
    const char *unit;
} figures[] = {
    { "registers", "registers", "" },
    { "local_bytes", "local memory", "B" },
    { "shared_bytes", "shared memory", "B" },
    { "occupancy", "occupancy", "" },
};

#define FIGURES (sizeof figures / sizeof *figures)

int kg__parse_capability(const char *text)
{
    static const double steps = 10.0;

    return (int)lround(steps * strtod(text, NULL));
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

/* The kernel that suits best; NULL where there is none, or where two that suit alike differ. */
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
                             const char *compute_capability, const json_t *kernel,
                             char text[KG__FINGERPRINT_SIZE])
{
    query wanted = { .program = program, .architecture = kg__parse_capability(compute_capability) };
    const char *launch = kg__json_text(kernel, "launch");
    const json_t *names = json_object_get(kernel, "names");
    uint64_t hash = kg__hash_text(KG__HASH_BEGIN, launch);
    char digits[KG__HASH_TEXT_SIZE];
    const json_t *name;
    size_t i;

    text[0] = '\0';
    if (*launch == '\0' || !json_is_array(names) || json_array_size(names) == 0)
        return false;
    json_array_foreach (names, i, name) {
        const kg__kernel *code;

        wanted.name = json_is_string(name) ? json_string_value(name) : "";
        code = choose_kernel(kernels, &wanted);
        if (code == NULL)
            return false;
        hash = kg__hash_number(hash, code->hash);
    }
    kg__hash_show(digits, hash);
    kg__format(text, KG__FINGERPRINT_SIZE, "%s%s", elf_mark, digits);
    return true;
}

static bool is_fraction(const char *key)
{
    return strcmp(key, "occupancy") == 0;
}

bool kg__is_fingerprint(const json_t *value)
{
    const char *text = json_string_value(value);

    if (text != NULL && strncmp(text, elf_mark, strlen(elf_mark)) == 0)
        text += strlen(elf_mark);
    return text != NULL && strlen(text) == KG__HASH_TEXT_SIZE - 1 &&
           text[strspn(text, "0123456789abcdef")] == '\0';
}

/* What is wrong with a figure of that key, or NULL. */
static const char *figure_fault(const char *key, const json_t *value)
{
    double figure = json_number_value(value);

    if (is_fraction(key))
        return json_is_number(value) && figure >= 0.0 && figure <= 1.0
                   ? NULL
                   : "is not a fraction from 0 to 1";
    return json_is_integer(value) && figure >= 0.0 && figure <= LARGEST_FIGURE
               ? NULL
               : "is not a whole number from 0 to 1000000000";
}

const char *kg__kernel_code_fault(const json_t *code, const char **key)
{
    json_t *value;

    *key = NULL;
    if (!json_is_object(code))
        return "is not an object";
    if (json_object_size(code) == 0)
        return "is empty: omit it where nothing is known";
    json_object_foreach ((json_t *)code, *key, value) {
        const char *fault = "is an unknown key";

        if (strcmp(*key, KG__CODE_FINGERPRINT) == 0)
            fault = kg__is_fingerprint(value) ? NULL : "is not a string of 16 hexadecimal digits";
        for (size_t i = 0; i < FIGURES; i++) {
            if (strcmp(*key, figures[i].key) == 0)
                fault = figure_fault(*key, value);
        }
        if (fault != NULL)
            return fault;
    }
    *key = NULL;
    return NULL;
}

bool kg__is_same_code(const json_t *before, const json_t *now)
{
    const char *fingerprint = kg__json_text(before, KG__CODE_FINGERPRINT);

    return *fingerprint != '\0' &&
           strcmp(fingerprint, kg__json_text(now, KG__CODE_FINGERPRINT)) == 0;
}

bool kg__is_other_code(const json_t *before, const json_t *now)
{
    const char *fingerprint = kg__json_text(before, KG__CODE_FINGERPRINT);
    const char *other = kg__json_text(now, KG__CODE_FINGERPRINT);

    return *fingerprint != '\0' && strlen(fingerprint) == strlen(other) &&
           strcmp(fingerprint, other) != 0;
}

static void format_figure(char *text, size_t size, size_t figure, double value)
{
    if (is_fraction(figures[figure].key))
        kg__show_percent(text, size, value, false);
    else
        kg__show_figure(text, size, value, figures[figure].unit);
}

void kg__kernel_code_changes(const json_t *before, const json_t *now, json_t *list)
{
    for (size_t i = 0; i < FIGURES; i++) {
        const json_t *previous = json_object_get(before, figures[i].key);
        const json_t *current = json_object_get(now, figures[i].key);
        char old_text[KG__FIGURE_SIZE];
        char new_text[KG__FIGURE_SIZE];
        char text[3 * KG__FIGURE_SIZE];

        if (!json_is_number(previous) || !json_is_number(current) ||
            json_number_value(previous) == json_number_value(current))
            continue;
        format_figure(old_text, sizeof old_text, i, json_number_value(previous));
        format_figure(new_text, sizeof new_text, i, json_number_value(current));
        kg__format(text, sizeof text, "%s %s -> %s", figures[i].words, old_text, new_text);
        json_array_append_new(list, json_string(text));
    }
}
