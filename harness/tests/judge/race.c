/* The rule of a race: who goes on, at its edges and in simulated races whose best is known. */
#include "judge/race.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/message.h"

static void look_all(kg__racer *const *racers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kg__racer_look(racers[i]);
}

/* Racers whose six samples lie from `least` to `least` + 5 `step`. */
static kg__racer *make_racer(double least, double step)
{
    kg__racer *racer = kg__allocate(1, sizeof *racer);

    for (int i = 0; i < KG__ROUND_SAMPLES; i++)
        kg__racer_add(racer, least + i * step);
    kg__racer_look(racer);
    return racer;
}

static void free_racers(kg__racer **racers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kg__racer_restart(racers[i]);
        free(racers[i]);
    }
}

Test(racing, a_look_leaves_the_samples_in_their_order)
{
    kg__racer racer = { 0 };
    const double taken[] = { 5, 1, 4, 2, 6, 3 };

    for (size_t i = 0; i < 6; i++)
        kg__racer_add(&racer, taken[i]);
    kg__racer_look(&racer);
    for (size_t i = 0; i < 6; i++)
        cr_expect(racer.samples[i] == taken[i]);
    cr_expect(racer.interval.value == 3.5 && racer.interval.low == 1 && racer.interval.high == 6);
    kg__racer_restart(&racer);
    cr_expect(racer.count == 0 && racer.samples == NULL && racer.interval.value == 3.5);
    kg__racer_look(&racer);
    cr_expect(isnan(racer.interval.value));
}

/* An interval that begins above the end of the leader's, or above a margin on it, is out. */
Test(racing, an_interval_above_the_leaders_is_out)
{
    static const struct {
        double margin, least[3];
    } rows[] = { { 0, { 100, 105, 105.5 } }, { 0.02, { 100, 107, 107.2 } } };

    for (size_t i = 0; i < 2; i++) {
        kg__racer *racers[3];

        for (size_t j = 0; j < 3; j++)
            racers[j] = make_racer(rows[i].least[j], 1);
        cr_expect(kg__race_end_round(racers, 3, 1, rows[i].margin, 0.005));
        cr_expect(racers[0]->dropped_in_round == 0 && racers[1]->dropped_in_round == 0);
        cr_expect(racers[2]->dropped_in_round == 1);
        free_racers(racers, 3);
    }
}

/* How many of so many racers, each slower than the one before by `step`, are in after rounds. */
static size_t race_alike(size_t count, double step, int rounds, int dropped[])
{
    kg__racer *racers[20];
    size_t in = 0;

    for (size_t i = 0; i < count; i++)
        racers[i] = make_racer(100 + step * (double)i, 1);
    for (int round = 1; round <= rounds; round++)
        cr_expect(kg__race_end_round(racers, count, round, 0, 0.005));
    for (size_t i = 0; i < count; i++) {
        dropped[i] = racers[i]->dropped_in_round;
        in += dropped[i] == 0;
    }
    free_racers(racers, count);
    return in;
}

/* However many are alike, half of them go, and the last few stay until they differ. */
Test(racing, the_slower_half_goes)
{
    int dropped[20];

    cr_expect(race_alike(20, 0.001, 1, dropped) == 10);
    for (int i = 0; i < 20; i++)
        cr_expect((dropped[i] == 0) == (i < 10), "number %d", i);
    cr_expect(race_alike(20, 0.001, 4, dropped) == KG__RACERS_SPARED);
    cr_expect(dropped[10] == 1 && dropped[5] == 2 && dropped[4] == 3);
    /* Equal medians do not take more out than are to go. */
    cr_expect(race_alike(11, 0, 1, dropped) == 6);
    cr_expect(dropped[0] == 0 && dropped[10] == 1);
}

Test(racing, ends_when_the_last_few_are_known)
{
    kg__racer *racers[] = { make_racer(1000, 0.1), make_racer(1000, 0.1) };

    cr_expect(kg__race_end_round(racers, 2, 1, 0, 0.005), "six samples are too few to stop at");
    for (int i = 0; i < KG__ROUND_SAMPLES; i++) {
        kg__racer_add(racers[0], 1000);
        kg__racer_add(racers[1], 1000);
    }
    look_all(racers, 2);
    cr_expect(!kg__race_end_round(racers, 2, 2, 0, 0.005));
    cr_expect(kg__race_end_round(racers, 2, 2, 0, 1e-9), "not known to this precision");
    cr_expect(!kg__race_end_round(racers, 2, KG__ROUNDS_MAXIMUM, 0, 1e-9));
    free_racers(racers, 2);
}

Test(racing, none_and_one)
{
    kg__racer *racers[] = { make_racer(100, 1) };

    cr_expect(!kg__race_end_round(racers, 0, 1, 0, 0.005));
    cr_expect(kg__race_winner(racers, 0) == 0);
    cr_expect(!kg__race_end_round(racers, 1, 1, 0, 0.005));
    cr_expect(racers[0]->dropped_in_round == 0 && kg__race_winner(racers, 1) == 0);
    racers[0]->dropped_in_round = 1;
    cr_expect(!kg__race_end_round(racers, 1, 2, 0, 0.005));
    cr_expect(kg__race_winner(racers, 1) == 1, "none is in");
    free_racers(racers, 1);
}

Test(racing, few_blocks_are_passed_over)
{
    cr_expect(kg__race_passes_over(201, 100, 1000, 1000));
    cr_expect(!kg__race_passes_over(200, 100, 1000, 1000), "not beyond twice the best");
    cr_expect(!kg__race_passes_over(900, 100, 1001, 1000), "fewer blocks may help yet");
}

/* SplitMix64, as of the harness's inputs. */
static double uniform(uint64_t *state)
{
    uint64_t bits = (*state += 0x9e3779b97f4a7c15u);

    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    return ((double)(bits >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(2 * M_PI * uniform(state));
}

/* A sample of a time: scatters by `noise` on either side, and one in twenty is late. */
static double sample(double time, double noise, uint64_t *state)
{
    double factor = exp(noise * normal(state));

    if (uniform(state) < 0.05)
        factor *= 1 + 5 * noise * uniform(state);
    return time * factor;
}

/* The samples of a race's first round and of its later ones are shorter than a search's, in ms, and
 * scatter more in turn. */
#define FIRST_SAMPLE 0.1
#define LATER_SAMPLE 0.25
#define SEARCH_SAMPLE 1.0
#define FIRST_NOISE 3
#define LATER_NOISE 2
#define PRECISION 0.005

/* What races of one kind come to. */
typedef struct tally {
    int far;        /* winners more than 1 % above the best */
    double samples; /* that the races took, as a share of the exhaustive searches' */
    double time;    /* the same in time */
} tally;

typedef struct cost {
    double samples;
    double ms;
} cost;

/* The samples after which an exhaustive search knows a time to `precision`. */
static size_t search_one(double time, double noise, uint64_t *state)
{
    kg__racer racer = { 0 };
    size_t taken;

    do {
        for (int i = 0; i < KG__ROUND_SAMPLES; i++)
            kg__racer_add(&racer, sample(time, noise, state));
        kg__racer_look(&racer);
    } while (!kg__racer_is_precise(&racer, PRECISION) && racer.count < 500);
    taken = racer.count;
    kg__racer_restart(&racer);
    return taken;
}

/* A race as it is run. Returns the winner. */
static size_t race(const double *times, size_t count, double noise, cost *spent, uint64_t *state)
{
    kg__racer *list = kg__allocate(count, sizeof *list);
    kg__racer **racers = kg__allocate(count, sizeof(kg__racer *));
    size_t winner;
    bool on = true;

    for (size_t i = 0; i < count; i++)
        racers[i] = &list[i];
    for (int round = 1; on; round++) {
        double scatter = noise * (round == 1 ? FIRST_NOISE : LATER_NOISE);

        for (size_t i = 0; i < count; i++) {
            if (racers[i]->dropped_in_round != 0)
                continue;
            if (round == 2)
                kg__racer_restart(racers[i]);
            for (int more = 0; more < KG__ROUND_SAMPLES; more++)
                kg__racer_add(racers[i], sample(times[i], scatter, state));
            spent->samples += KG__ROUND_SAMPLES;
            spent->ms += KG__ROUND_SAMPLES * (round == 1 ? FIRST_SAMPLE : LATER_SAMPLE);
            kg__racer_look(racers[i]);
        }
        on = kg__race_end_round(racers, count, round, round == 1 ? 0.02 : 0, PRECISION);
    }
    winner = kg__race_winner(racers, count);
    for (size_t i = 0; i < count; i++)
        kg__racer_restart(racers[i]);
    free(list);
    free(racers);
    return winner;
}

/* Races of `count` candidates whose times lie up to `spread` above the least, and exhaustive
 * searches. */
static tally simulate(size_t count, double spread, double noise, int races)
{
    uint64_t state = 20261121;
    tally all = { 0 };
    cost raced = { 0 };
    cost searched = { 0 };
    double *times = kg__allocate(count, sizeof *times);

    for (int i = 0; i < races; i++) {
        double best = INFINITY;

        for (size_t j = 0; j < count; j++) {
            times[j] = 1000 * (1 + spread * uniform(&state));
            best = fmin(best, times[j]);
        }
        all.far += times[race(times, count, noise, &raced, &state)] > 1.01 * best;
        for (size_t j = 0; j < count; j++)
            searched.samples += (double)search_one(times[j], noise, &state);
    }
    searched.ms = searched.samples * SEARCH_SAMPLE;
    all.samples = raced.samples / searched.samples;
    all.time = raced.ms / searched.ms;
    free(times);
    return all;
}

/* The winner is within 1 % of the best, and the race takes a quarter of the samples at most. */
static void expect_quick_and_right(size_t count, double spread, double noise)
{
    enum { RACES = 100 };
    tally all = simulate(count, spread, noise, RACES);

    cr_expect(all.far <= RACES / 100, "%zu candidates, spread %g, noise %g: %d of %d far", count,
              spread, noise, all.far, RACES);
    cr_expect(all.time <= 0.25, "%zu candidates, spread %g, noise %g: %g of the time", count,
              spread, noise, all.time);
}

Test(racing, finds_the_best_in_a_quarter_of_the_time)
{
    static const double spreads[] = { 0, 0.02, 0.1, 0.3, 2 };
    static const double noises[] = { 0.001, 0.005, 0.01 };

    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        for (size_t j = 0; j < sizeof noises / sizeof *noises; j++) {
            expect_quick_and_right(32, spreads[i], noises[j]);
            expect_quick_and_right(544, spreads[i], noises[j]);
        }
    }
}
