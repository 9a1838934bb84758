#include "observer/timed_group.h"

#include <stdlib.h>

#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/observe.h"

void kg__buffer_sets_make(kg__buffer_sets *grounds, size_t most)
{
    *grounds = (kg__buffer_sets){ .list = kg__allocate(most, sizeof *grounds->list) };
}

/* How many copies of the arguments exceed the L2 cache twice; 0 with the reason in no_cold where
 * they cannot be. */
static size_t sets_wanted(kg__buffer_set *place, size_t l2_bytes)
{
    const kg__buffers *buffers = &place->buffers;
    size_t bytes = 0;
    size_t left;
    size_t total;
    size_t wanted;

    for (int i = 0; i < buffers->arguments.count; i++) {
        if (buffers->memory[i] == KG_PAGEABLE || buffers->memory[i] == KG_PINNED) {
            kg__format(place->no_cold, sizeof place->no_cold,
                       "an argument is in the host's memory, which no L2 cache is before");
            return 0;
        }
        bytes += buffers->bytes[i];
    }
    if (l2_bytes == 0 || bytes == 0) {
        kg__format(place->no_cold, sizeof place->no_cold, "%s",
                   bytes == 0 ? "the arguments are empty"
                              : "the device does not tell its L2 cache's size");
        return 0;
    }
    wanted = 2 * l2_bytes / bytes + 1;
    if (wanted > KG__LAUNCHES_MAXIMUM) {
        kg__format(place->no_cold, sizeof place->no_cold,
                   "%zu buffer sets would be needed to exceed L2 twice, above the most of %d",
                   wanted, KG__LAUNCHES_MAXIMUM);
        return 0;
    }
    wanted = wanted < 2 ? 2 : wanted;
    /* Managed memory would be granted beyond what the device has. */
    if (cudaMemGetInfo(&left, &total) != cudaSuccess || wanted * bytes > left) {
        (void)cudaGetLastError();
        kg__format(place->no_cold, sizeof place->no_cold, "no device memory for %zu buffer sets",
                   wanted);
        return 0;
    }
    return wanted;
}

bool kg__buffer_set_make_copies(kg__buffer_set *place, size_t l2_bytes, cudaStream_t stream,
                                kg__error *why)
{
    const kg__buffers *buffers = &place->buffers;
    size_t wanted = sets_wanted(place, l2_bytes);
    cudaError_t code = cudaSuccess;

    if (wanted == 0)
        return true;
    place->sets = kg__allocate(wanted, sizeof *place->sets);
    for (int i = 0; i < buffers->arguments.count; i++) {
        size_t stride = (buffers->bytes[i] + 255) / 256 * 256;

        if (stride == 0)
            continue;
        if (kg__memory_allocate(buffers->memory[i], wanted * stride, &place->slabs[i]) !=
            cudaSuccess) {
            (void)cudaGetLastError();
            kg__format(place->no_cold, sizeof place->no_cold,
                       "no device memory for %zu buffer sets of %s", wanted,
                       buffers->arguments.list[i].name);
            return true;
        }
        for (size_t set = 0; set < wanted && code == cudaSuccess; set++) {
            place->sets[set][i] = (unsigned char *)place->slabs[i] + set * stride;
            code = cudaMemcpyAsync(place->sets[set][i], buffers->data[i], buffers->bytes[i],
                                   cudaMemcpyDeviceToDevice, stream);
        }
    }
    place->set_count = (int)wanted;
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(stream);
    return kg__succeeded(code, "filling the buffer sets", why);
}

static void free_ground(kg__buffer_set *place)
{
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++)
        kg__memory_free(place->buffers.memory[i], place->slabs[i]);
    free(place->sets);
    kg__buffers_free(&place->buffers);
}

/* The ground for a contender: one whose arguments lie and are as its own, else a new one. What is
 * touched first has its own, for its pages come to the device a few at a time, and would be timed
 * as resident otherwise than pages that were moved there whole. */
static kg__buffer_set *ground_for(kg__buffer_sets *all, const kg__timed_case *who)
{
    const kg_variant *variant = who->one->variant;
    bool first_touch = variant->clock == KG_FIRST_TOUCH_CLOCK;
    kg__buffer_set *place;

    for (size_t i = 0; i < all->count; i++) {
        place = &all->list[i];
        if (place->known == who->known && place->first_touch == first_touch &&
            kg__buffers_suit(&place->buffers, variant))
            return place;
    }
    place = &all->list[all->count++];
    place->known = who->known;
    place->first_touch = first_touch;
    (void)kg__buffers_make(&place->buffers, &who->known->problem.arguments, variant, &place->lacks);
    return place;
}

void kg__buffer_sets_free(kg__buffer_sets *grounds)
{
    for (size_t i = 0; i < grounds->count; i++)
        free_ground(&grounds->list[i]);
    free(grounds->list);
    *grounds = (kg__buffer_sets){ .list = NULL };
}

bool kg__buffer_set_fill(kg__buffer_set *place, cudaStream_t stream, kg__error *why)
{
    return kg__buffers_fill(&place->buffers, place->known->device, kg__poison(0), why) &&
           kg__device_move(&place->buffers, true, stream, why);
}

bool kg__timed_case_mark_failed(kg__timed_case *who, const kg__error *why, int records)
{
    kg__report(records, "failed", who->one->id, why->text);
    who->out = true;
    return !kg__device_is_lost();
}

bool kg__timed_case_place(kg__timed_case *who, kg__buffer_sets *grounds, int records)
{
    who->place = ground_for(grounds, who);
    return who->place->lacks.text[0] == '\0' ||
           kg__timed_case_mark_failed(who, &who->place->lacks, records);
}

kg__outcome kg__timed_case_try(kg__timed_case *who, const kg_comparison *comparison,
                               const char *when, int records, kg__error *why)
{
    kg__outcome outcome = kg__check_launch(comparison, who->one, who->proven, &who->place->buffers,
                                           kg__poison(0), when, why);

    if (outcome == KG__INCORRECT) {
        kg__report_wrong(records, comparison->home, who->one->id, why->text);
        who->out = true;
    }
    return outcome;
}

bool kg__timed_case_check(kg__timed_case *who, const kg_comparison *comparison, const char *when,
                          int records)
{
    kg__error why = { "" };

    switch (kg__timed_case_try(who, comparison, when, records, &why)) {
    case KG__RIGHT:
    case KG__INCORRECT:
        return true;
    case KG__FAILED:
    case KG__LOST:
        break;
    }
    return kg__timed_case_mark_failed(who, &why, records);
}

cudaError_t kg__launch_rotation(const kg__timed *what, int number)
{
    const kg__rotation *turn = what->context;
    kg_call call = {
        .size = turn->one->size,
        .launch = turn->one->launch,
        .argument = turn->sets[number % turn->set_count],
        .stream = what->stream,
    };

    return turn->one->variant->launch(&call);
}

bool kg__timed_case_sample(const kg__timed_case *who, kg__bench *bench, const kg__timed *what,
                           double budget_ms, kg__series *one, kg__error *why)
{
    bench->watch.wanted = true;
    if (who->one->variant->clock == KG_HOST_CLOCK)
        return kg__host_sample(bench, what, budget_ms, one, why);
    return kg__first_touch_sample(bench, what, &who->place->buffers, budget_ms, one, why);
}

void kg__problems_forget(kg__problems *all)
{
    for (size_t i = 0; i < all->count; i++) {
        kg__problem_free(&all->random[i]);
        kg__problem_free(&all->exact[i]);
    }
    free(all->random);
    free(all->exact);
    all->random = all->exact = NULL;
    all->count = 0;
}

/* The pattern to check a size with: random inputs, but an exact pattern where a projection judges
 * floats, of which it sees a single wrong element only there. */
static int pattern_to_check(const kg_comparison *comparison, const kg__problem *random)
{
    bool projected = false;

    for (int i = 0; i < random->problem.arguments.count; i++) {
        const kg_argument *shape = &random->problem.arguments.list[i];

        projected = projected || (shape->role != KG_INPUT && shape->type == KG_FLOAT32 &&
                                  random->expected[i] == NULL);
    }
    for (int pattern = 1; projected && pattern < kg__pattern_count(comparison); pattern++) {
        if (comparison->patterns[pattern - 1].exact)
            return pattern;
    }
    return 0;
}

/* Makes the next entry of what is known, by a contender's case; false with `error`, and without the
 * entry. */
static bool add_known(kg__problems *all, const kg__timed_case *who, kg__error *error)
{
    kg__problem *random = &all->random[all->count];
    kg__problem *exact = &all->exact[all->count];
    int pattern = 0;
    bool made = kg__problem_make(all->comparison, who->one, 0, random, error);

    if (made)
        pattern = pattern_to_check(all->comparison, random);
    if (made && pattern != 0)
        made = kg__problem_make(all->comparison, who->one, pattern, exact, error);
    if (made) {
        all->count++;
        return true;
    }
    kg__problem_free(random);
    kg__problem_free(exact);
    return false;
}

static size_t count_variants(const kg_comparison *comparison)
{
    size_t count = 0;

    while (comparison->variants[count].name != NULL)
        count++;
    return count;
}

bool kg__problems_learn(kg__problems *all, kg__timed_case *who, kg__error *error)
{
    size_t i = 0;

    while (i < all->count && !kg__problem_serves(all->comparison, &all->random[i], who->one))
        i++;
    if (all->random == NULL) {
        size_t most = count_variants(all->comparison);

        /* Contenders keep pointers to them. */
        all->random = kg__allocate(most, sizeof *all->random);
        all->exact = kg__allocate(most, sizeof *all->exact);
    }
    if (i == all->count && !add_known(all, who, error))
        return false;
    who->known = &all->random[i];
    who->proven = all->exact[i].problem.size != NULL ? &all->exact[i] : &all->random[i];
    return true;
}
