/* SPDX-License-Identifier: MIT */
/* Elimination: which of many candidates are sampled further. Pure: samples in, decisions out.
 *
 * Each round adds KG__ROUND_SAMPLES samples to every remaining candidate. At its end two rules
 * drop candidates: those whose interval lies above the leader's (C. Maron and A. W. Moore,
 * Hoeffding races: accelerating model selection search for classification and function
 * approximation, 1993), and the slower half of those that entered the round, as far as the first
 * rule has not dropped them (K. Jamieson and A. Talwalkar, Non-stochastic best arm
 * identification and hyperparameter optimization, 2016). The second rule bounds the cost of a
 * race between candidates that are equally fast, where any winner is right. Only intervals separate
 * the last few. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/statistics.h"

/* Samples that a round adds: the minimum for a median's interval at 95 %. */
#define KG__ROUND_SAMPLES 6
/* This many are never dropped for their rank, only by their interval. */
#define KG__RACERS_SPARED 4
/* Maximum number of rounds. */
#define KG__ROUNDS_MAXIMUM 24
/* Fewer samples than this are too few to stop at, however close together they lie. */
#define KG__PRECISE_SAMPLES 12

/* A candidate in a race. Initialize with zeros; kg__racer_restart() frees its samples. */
typedef struct kg__racer {
    double *samples; /* in the order in which they were taken */
    size_t count;
    size_t capacity;
    kg__interval interval; /* of their median at 95 %, from kg__racer_look() */
    int dropped_in_round;  /* 0: it is still in */
} kg__racer;

/* Adds a sample. */
void kg__racer_add(kg__racer *racer, double sample);

/* Forgets the samples but not the interval: samples from different loops cannot be combined. */
void kg__racer_restart(kg__racer *racer);

/* Computes the interval of the samples, and keeps their order. */
void kg__racer_look(kg__racer *racer);

/* Returns whether the median was precise enough at the last look: half of its interval is at
 * most `precision` of it. */
bool kg__racer_is_precise(const kg__racer *racer, double precision);

/* Ends round number `round`, from 1, of the `count` racers, whose intervals must be up to date:
 * drops some of those that are in. For samples that were not interleaved, an interval must lie
 * above the leader's end by the fraction `margin` of it. Returns whether another round is due:
 * not when one racer is left, when the last few are known to `precision`, or after
 * KG__ROUNDS_MAXIMUM. */
bool kg__race_end_round(kg__racer *const *racers, size_t count, int round, double margin,
                        double precision);

/* Returns the racer with the smallest median of those that are in; `count` if none is. */
size_t kg__race_winner(kg__racer *const *racers, size_t count);

/* Returns whether a launch need not be tried because one with as many threads per block and at
 * least twice as many blocks is too slow. That one took `time`, against the `best` time of any,
 * with `threads` threads in all; the device runs `resident` at a time. While all of a launch's
 * threads are resident, one with fewer threads gives each more work and leaves the rest of the
 * device idle. */
bool kg__race_passes_over(double time, double best, int64_t threads, int64_t resident);
