# SPDX-License-Identifier: MIT
"""Times by their samples: a median and its interval."""

import math
import statistics


def figures(value, low, high, samples, clock, statistic):
    """A time in ns, with its interval."""
    return {"value": value, "low": low, "high": high, "samples": samples, "clock": clock, "statistic": statistic}


def lower_rank(count):
    """The largest rank l, 1 for the smallest sample, for which the ranks l and count + 1 - l enclose the median with
    95 %; 0 if none does. They miss it when fewer than l samples are on one side of it, so this is the largest l with
    2 P(B < l) <= 5 %, where B counts the heads of `count` tosses of a fair coin: 20 standard deviations below its mean P is
    less than 1e-80."""
    rank, below = max(0, int(count / 2 - 10 * math.sqrt(count))), 0.0
    while True:
        below += math.exp(math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1) - count * math.log(2))
        if below > 0.025:
            return rank
        rank += 1


def sampled(samples, clock):
    """The figures of samples in ns: their median, and its 95 % interval from order statistics; with fewer than six
    samples, which give no interval, their range."""
    ranked = sorted(samples)
    count = len(ranked)
    rank = lower_rank(count) or 1
    return figures(statistics.median(ranked), ranked[rank - 1], ranked[count - rank], count, clock, "median")
