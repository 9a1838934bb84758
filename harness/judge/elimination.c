/* SPDX-License-Identifier: MIT */
#include "judge/elimination.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* A launch this many times slower than the best is hopeless with half its threads too: they
 * would have to gain this factor. */
#define HOPELESS 2.0

void kg__racer_add(kg__racer *racer, double sample)
{
    *KG__ADD(racer->samples, racer->count, racer->capacity) = sample;
}

void kg__racer_restart(kg__racer *racer)
{
    free(racer->samples);
    racer->samples = NULL;
    racer->count = racer->capacity = 0;
}

void kg__racer_look(kg__racer *racer)
{
    double *sorted = kg__allocate(racer->count, sizeof *sorted);

    if (racer->count > 0)
        memcpy(sorted, racer->samples, racer->count * sizeof *sorted);
    racer->interval = kg__median_interval(sorted, racer->count, KG__CONFIDENCE);
    free(sorted);
}

bool kg__racer_is_precise(const kg__racer *racer, double precision)
{
    return racer->count >= KG__PRECISE_SAMPLES &&
           kg__relative_half_width(&racer->interval) <= precision;
}

static bool is_racing(const kg__racer *racer)
{
    return racer->dropped_in_round == 0;
}

static size_t count_racers_left(kg__racer *const *racers, size_t count)
{
    size_t count_racing = 0;

    for (size_t i = 0; i < count; i++)
        count_racing += is_racing(racers[i]);
    return count_racing;
}

size_t kg__race_winner(kg__racer *const *racers, size_t count)
{
    size_t winner = count;

    for (size_t i = 0; i < count; i++) {
        if (is_racing(racers[i]) &&
            (winner == count || racers[i]->interval.value < racers[winner]->interval.value))
            winner = i;
    }
    return winner;
}

/* Returns the median of the racer with rank `rank`, from 1, of `racing`. */
static double median_at(kg__racer *const *racers, size_t count, size_t racing, size_t rank)
{
    double *medians = kg__allocate(racing, sizeof *medians);
    size_t filled = 0;
    double median;

    for (size_t i = 0; i < count; i++) {
        if (is_racing(racers[i]))
            medians[filled++] = racers[i]->interval.value;
    }
    kg__sort(medians, racing);
    median = medians[rank - 1];
    free(medians);
    return median;
}

/* Drops the racers slower than the first `keep` of them. */
static void drop_by_rank(kg__racer *const *racers, size_t count, size_t keep, int round)
{
    size_t racing = count_racers_left(racers, count);
    double last;

    if (racing <= keep)
        return;
    last = median_at(racers, count, racing, keep);
    /* Of those that tie with the last one kept, drop the later ones. */
    for (size_t i = count; i-- > 0 && racing > keep;) {
        if (is_racing(racers[i]) && racers[i]->interval.value > last) {
            racers[i]->dropped_in_round = round;
            racing--;
        }
    }
    for (size_t i = count; i-- > 0 && racing > keep;) {
        if (is_racing(racers[i]) && racers[i]->interval.value >= last) {
            racers[i]->dropped_in_round = round;
            racing--;
        }
    }
}

static bool all_are_precise(kg__racer *const *racers, size_t count, double precision)
{
    for (size_t i = 0; i < count; i++) {
        if (is_racing(racers[i]) && !kg__racer_is_precise(racers[i], precision))
            return false;
    }
    return true;
}

bool kg__race_end_round(kg__racer *const *racers, size_t count, int round, double margin,
                        double precision)
{
    size_t entered = count_racers_left(racers, count);
    size_t keep = (entered + 1) / 2;
    size_t leader = kg__race_winner(racers, count);
    double limit;
    size_t racing;

    if (leader == count)
        return false;
    limit = racers[leader]->interval.high * (1 + margin);
    for (size_t i = 0; i < count; i++) {
        if (is_racing(racers[i]) && i != leader && racers[i]->interval.low > limit)
            racers[i]->dropped_in_round = round;
    }
    drop_by_rank(racers, count, keep < KG__RACERS_SPARED ? KG__RACERS_SPARED : keep, round);
    racing = count_racers_left(racers, count);
    if (racing <= 1 || round >= KG__ROUNDS_MAXIMUM)
        return false;
    return racing > KG__RACERS_SPARED || !all_are_precise(racers, count, precision);
}

bool kg__race_passes_over(double time, double best, int64_t threads, int64_t resident)
{
    return threads <= resident && time > HOPELESS * best;
}
