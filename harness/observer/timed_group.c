/* SPDX-License-Identifier: MIT */
#include "observer/timed_group.h"
#include "observer/report_record.h"

#include <stdlib.h>

#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/inputs.h"
#include "suite/settings.h"

void kg__buffer_sets_make(kg__buffer_sets *buffer_sets, size_t most)
{
    *buffer_sets = (kg__buffer_sets){ .list = kg__allocate(most, sizeof *buffer_sets->list) };
}

/* Returns how many copies of the arguments exceed the L2 cache twice; 0 with the reason in
 * no_cold if that is impossible. */
static size_t count_copies(kg__buffer_set *buffer_set, size_t l2_bytes)
{
    const kg__buffers *buffers = &buffer_set->buffers;
    size_t bytes = 0;
    size_t available;
    size_t total;
    size_t count;

    for (int i = 0; i < buffers->arguments.count; i++) {
        if (buffers->memory[i] == KG_PAGEABLE || buffers->memory[i] == KG_PINNED) {
            kg__format(buffer_set->no_cold, sizeof buffer_set->no_cold,
                       "an argument is in host memory, which L2 does not cache");
            return 0;
        }
        bytes += buffers->bytes[i];
    }
    if (l2_bytes == 0 || bytes == 0) {
        kg__format(buffer_set->no_cold, sizeof buffer_set->no_cold, "%s",
                   bytes == 0 ? "the arguments are empty"
                              : "the device does not report its L2 cache's size");
        return 0;
    }
    count = 2 * l2_bytes / bytes + 1;
    if (count > KG__LAUNCHES_MAXIMUM) {
        kg__format(buffer_set->no_cold, sizeof buffer_set->no_cold,
                   "%zu buffer sets are needed to exceed L2 twice, above the maximum of %d", count,
                   KG__LAUNCHES_MAXIMUM);
        return 0;
    }
    count = count < 2 ? 2 : count;
    /* Managed memory would be granted beyond the device's own. */
    if (cudaMemGetInfo(&available, &total) != cudaSuccess || count * bytes > available) {
        (void)cudaGetLastError();
        kg__format(buffer_set->no_cold, sizeof buffer_set->no_cold,
                   "no device memory for %zu buffer sets", count);
        return 0;
    }
    return count;
}

bool kg__buffer_set_make_copies(kg__buffer_set *buffer_set, size_t l2_bytes, cudaStream_t stream,
                                kg__error *why)
{
    const kg__buffers *buffers = &buffer_set->buffers;
    size_t count = count_copies(buffer_set, l2_bytes);
    cudaError_t code = cudaSuccess;

    if (count == 0)
        return true;
    buffer_set->copies = kg__allocate(count, sizeof *buffer_set->copies);
    for (int i = 0; i < buffers->arguments.count; i++) {
        size_t stride = (buffers->bytes[i] + 255) / 256 * 256;

        if (stride == 0)
            continue;
        if (kg__memory_allocate(buffers->memory[i], count * stride, &buffer_set->slabs[i]) !=
            cudaSuccess) {
            (void)cudaGetLastError();
            kg__format(buffer_set->no_cold, sizeof buffer_set->no_cold,
                       "no device memory for %zu buffer sets of %s", count,
                       buffers->arguments.list[i].name);
            return true;
        }
        for (size_t copy = 0; copy < count && code == cudaSuccess; copy++) {
            buffer_set->copies[copy][i] = (unsigned char *)buffer_set->slabs[i] + copy * stride;
            code = cudaMemcpyAsync(buffer_set->copies[copy][i], buffers->data[i], buffers->bytes[i],
                                   cudaMemcpyDeviceToDevice, stream);
        }
    }
    buffer_set->copy_count = (int)count;
    KG__THEN(code, cudaStreamSynchronize(stream));
    return kg__succeeded(code, "filling the buffer sets", why);
}

static void free_buffer_set(kg__buffer_set *buffer_set)
{
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++)
        kg__memory_free(buffer_set->buffers.memory[i], buffer_set->slabs[i]);
    free(buffer_set->copies);
    kg__buffers_free(&buffer_set->buffers);
}

/* Returns the buffer set for a timed case: one with the same arguments in the same memory, else
 * a new one. First-touch cases have their own, because their pages come to the device a few at a
 * time, and the time of such resident pages differs from that of pages moved there as a whole. */
static kg__buffer_set *find_buffer_set(kg__buffer_sets *buffer_sets, const kg__timed_case *timed)
{
    const kg_variant *variant = timed->c->variant;
    bool first_touch = variant->advanced.clock == KG_FIRST_TOUCH_CLOCK;
    kg__buffer_set *buffer_set;

    for (size_t i = 0; i < buffer_sets->count; i++) {
        buffer_set = &buffer_sets->list[i];
        if (buffer_set->problem == timed->problem && buffer_set->first_touch == first_touch &&
            kg__buffers_suit(&buffer_set->buffers, &timed->arguments, variant))
            return buffer_set;
    }
    buffer_set = &buffer_sets->list[buffer_sets->count++];
    buffer_set->problem = timed->problem;
    buffer_set->first_touch = first_touch;
    (void)kg__buffers_make(&buffer_set->buffers, &timed->arguments, variant, &buffer_set->refusal);
    return buffer_set;
}

void kg__buffer_sets_free(kg__buffer_sets *buffer_sets)
{
    for (size_t i = 0; i < buffer_sets->count; i++)
        free_buffer_set(&buffer_sets->list[i]);
    free(buffer_sets->list);
    *buffer_sets = (kg__buffer_sets){ .list = NULL };
}

bool kg__buffer_set_fill(kg__buffer_set *buffer_set, cudaStream_t stream, kg__error *why)
{
    return kg__buffers_fill(&buffer_set->buffers, buffer_set->problem->device, kg__poison(0),
                            why) &&
           kg__device_move(&buffer_set->buffers, true, stream, why);
}

bool kg__timed_case_mark_failed(kg__timed_case *timed, const kg__error *why, int records)
{
    kg__report(records, KG__EVENT_FAILED, timed->c->id, why->text);
    timed->dropped = true;
    return !kg__device_is_lost();
}

bool kg__timed_case_assign_buffers(kg__timed_case *timed, kg__buffer_sets *buffer_sets, int records)
{
    timed->buffer_set = find_buffer_set(buffer_sets, timed);
    return timed->buffer_set->refusal.text[0] == '\0' ||
           kg__timed_case_mark_failed(timed, &timed->buffer_set->refusal, records);
}

kg__outcome kg__timed_case_try(kg__timed_case *timed, const kg_comparison *comparison,
                               const char *when, int records, kg__error *why)
{
    kg__outcome outcome = kg__check_launch(comparison, timed->c, timed->check_problem,
                                           &timed->buffer_set->buffers, kg__poison(0), when, why);

    if (outcome == KG__RIGHT)
        kg__problem_keep(timed->check_problem, &timed->buffer_set->buffers);
    if (outcome == KG__INCORRECT) {
        kg__report_wrong(records, comparison->home, timed->c->id, why->text);
        timed->dropped = true;
    }
    return outcome;
}

bool kg__timed_case_check(kg__timed_case *timed, const kg_comparison *comparison, const char *when,
                          int records)
{
    kg__error why = { "" };

    if (kg__results_known_right())
        return true;
    switch (kg__timed_case_try(timed, comparison, when, records, &why)) {
    case KG__RIGHT:
    case KG__INCORRECT:
        return true;
    case KG__FAILED:
    case KG__LOST:
        break;
    }
    return kg__timed_case_mark_failed(timed, &why, records);
}

cudaError_t kg__launch_rotation(const kg__workload *workload, int number)
{
    const kg__rotation *rotation = workload->context;
    kg_call call = kg__buffers_call(rotation->buffers, rotation->c, workload->stream);

    call.argument = rotation->copies[number % rotation->copy_count];
    return rotation->c->variant->launch(&call);
}

bool kg__timed_case_sample(const kg__timed_case *timed, kg__bench *bench,
                           const kg__workload *workload, double budget_ms, kg__series *series,
                           kg__error *why)
{
    bench->watch.due = true;
    if (timed->c->variant->advanced.clock == KG_HOST_CLOCK)
        return kg__host_sample(bench, workload, budget_ms, series, why);
    return kg__first_touch_sample(bench, workload, &timed->buffer_set->buffers, budget_ms, series,
                                  why);
}

void kg__problems_forget(kg__problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        kg__problem_free(&problems->random[i]);
        kg__problem_free(&problems->exact[i]);
    }
    free(problems->random);
    free(problems->exact);
    problems->random = problems->exact = NULL;
    problems->count = 0;
}

/* Returns the pattern to check a size with: random inputs, but an exact pattern if a projection
 * judges floats, since only with exact inputs does it detect a single wrong element. */
static int choose_pattern(const kg_comparison *comparison, const kg__problem *random)
{
    bool projected = false;

    for (int i = 0; i < random->base.arguments.count; i++) {
        const kg_argument *shape = &random->base.arguments.list[i];

        projected = projected || (kg__is_compared(shape) && kg_roundoff(shape->type) > 0 &&
                                  random->expected[i] == NULL);
    }
    for (int pattern = 1; projected && pattern < kg__pattern_count(comparison); pattern++) {
        if (kg__pattern_at(comparison, pattern).exact)
            return pattern;
    }
    return 0;
}

/* Makes the next problem, by a timed case's case; false with `error`, and without the entry. */
static bool add_problem(kg__problems *problems, const kg__timed_case *timed, kg__error *error)
{
    kg__problem *random = &problems->random[problems->count];
    kg__problem *exact = &problems->exact[problems->count];
    int pattern = 0;
    bool checked = kg__results_known_right();
    bool made = (checked ? kg__problem_fill : kg__problem_make)(problems->comparison, timed->c, 0,
                                                                random, error);

    if (made && !checked)
        pattern = choose_pattern(problems->comparison, random);
    if (made && pattern != 0)
        made = kg__problem_make(problems->comparison, timed->c, pattern, exact, error);
    if (made) {
        problems->count++;
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

bool kg__problems_learn(kg__problems *problems, kg__timed_case *timed, kg__error *error)
{
    size_t i = 0;

    if (!kg__arguments_of(problems->comparison, timed->c, &timed->arguments, error))
        return false;
    while (i < problems->count &&
           !kg__problem_serves(problems->comparison, &problems->random[i], timed->c))
        i++;
    if (problems->random == NULL) {
        size_t most = count_variants(problems->comparison);

        /* Timed cases keep pointers to them. */
        problems->random = kg__allocate(most, sizeof *problems->random);
        problems->exact = kg__allocate(most, sizeof *problems->exact);
    }
    if (i == problems->count && !add_problem(problems, timed, error))
        return false;
    timed->problem = &problems->random[i];
    timed->check_problem =
        problems->exact[i].base.size != NULL ? &problems->exact[i] : &problems->random[i];
    return true;
}
