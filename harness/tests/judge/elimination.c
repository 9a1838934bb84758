/* SPDX-License-Identifier: MIT */
/* The rule of a race: which racers go on, at its edges and in simulated races whose best is known.
 */
#include "judge/elimination.h"

#include <criterion/criterion.h>
#include <math.h>

#include "tests/fakes/drive.h"

static void look_all(kg__racer *const *racers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kg__racer_look(racers[i]);
}

static void free_samples(void *racer)
{
    kg__racer_restart(racer);
}

/* Racers whose six samples are from `least` to `least` + 5 `step`. */
static kg__racer *make_racer(double least, double step)
{
    kg__racer *racer = kg__pool_array(test_pool(), 1, sizeof *racer);

    kg__pool_keep(test_pool(), racer, free_samples);
    for (int i = 0; i < KG__ROUND_SAMPLES; i++)
        kg__racer_add(racer, least + i * step);
    kg__racer_look(racer);
    return racer;
}

Test(elimination, a_look_leaves_the_samples_in_their_order)
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
Test(elimination, an_interval_above_the_leaders_is_out)
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
    return in;
}

/* However many are alike, half of them go, and the last few stay until they differ. */
Test(elimination, the_slower_half_goes)
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

Test(elimination, ends_when_the_last_few_are_known)
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
}

Test(elimination, none_and_one)
{
    kg__racer *racers[] = { make_racer(100, 1) };

    cr_expect(!kg__race_end_round(racers, 0, 1, 0, 0.005));
    cr_expect(kg__race_winner(racers, 0) == 0);
    cr_expect(!kg__race_end_round(racers, 1, 1, 0, 0.005));
    cr_expect(racers[0]->dropped_in_round == 0 && kg__race_winner(racers, 1) == 0);
    racers[0]->dropped_in_round = 1;
    cr_expect(!kg__race_end_round(racers, 1, 2, 0, 0.005));
    cr_expect(kg__race_winner(racers, 1) == 1, "none is in");
}

Test(elimination, few_blocks_are_skipped)
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

/* The samples of a race's first round and of its later ones are short, and scatter more. */
#define FIRST_NOISE 3
#define LATER_NOISE 2
#define PRECISION 0.005

/* A race as it is run. Returns the winner, and adds its samples. */
static size_t race(const double *times, size_t count, double noise, size_t *samples,
                   uint64_t *state)
{
    kg__racer *list = kg__pool_array(test_pool(), count, sizeof *list);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers */
    kg__racer **racers = kg__pool_array(test_pool(), count, sizeof *racers);
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
            *samples += KG__ROUND_SAMPLES;
            kg__racer_look(racers[i]);
        }
        on = kg__race_end_round(racers, count, round, round == 1 ? 0.02 : 0, PRECISION);
    }
    winner = kg__race_winner(racers, count);
    for (size_t i = 0; i < count; i++)
        kg__racer_restart(racers[i]);
    return winner;
}

/* Races of `count` candidates whose times are up to `spread` above the least: the winner is within
 * 1 % of the best, and a candidate takes `most` samples on average. */
static void expect_quick_and_right(size_t count, double spread, double noise, double most)
{
    enum { RACES = 100 };
    uint64_t state = 20261121;
    size_t samples = 0;
    int far = 0;
    double *times = kg__pool_array(test_pool(), count, sizeof *times);

    for (int i = 0; i < RACES; i++) {
        double best = INFINITY;

        for (size_t j = 0; j < count; j++) {
            times[j] = 1000 * (1 + spread * uniform(&state));
            best = fmin(best, times[j]);
        }
        far += times[race(times, count, noise, &samples, &state)] > 1.01 * best;
    }
    cr_expect(far <= RACES / 100, "%zu candidates, spread %g, noise %g: %d far", count, spread,
              noise, far);
    cr_expect((double)samples / (double)(RACES * count) <= most,
              "%zu candidates, spread %g, noise %g: %g samples", count, spread, noise,
              (double)samples / (double)(RACES * count));
}

/* Half of the candidates leave after their first six samples, so that many of them take little more
 * than twice as many on average; few take more, the more the noisier they are. */
Test(elimination, finds_the_best_with_few_samples)
{
    static const double spreads[] = { 0, 0.02, 0.1, 0.3, 2 };
    static const double noises[] = { 0.001, 0.005, 0.01 };
    static const double most_of_few[] = { 12, 17, 28 };

    for (size_t i = 0; i < 15; i++) {
        expect_quick_and_right(32, spreads[i / 3], noises[i % 3], most_of_few[i % 3]);
        expect_quick_and_right(544, spreads[i / 3], noises[i % 3], 14);
    }
}
