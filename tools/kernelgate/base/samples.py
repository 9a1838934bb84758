# SPDX-License-Identifier: MIT
"""Times by their samples: a median and its interval."""


def figures(value, low, high, samples, clock, statistic):
    """A time in ns, with its interval."""
    return {"value": value, "low": low, "high": high, "samples": samples, "clock": clock, "statistic": statistic}


def lower_rank(count):
    """The largest rank l, 1 for the smallest sample, for which the ranks l and count + 1 - l enclose the median with
    95 %; 0 if none does. They miss it when fewer than l samples are on one side of it, so this is the largest l with
    2 P(B < l) <= 5 %, where B counts the heads of `count` tosses of a fair coin. Weights are relative to the
    greatest one."""
    half = heads = count // 2
    weight, below = 1.0, 0.0
    while heads > 0 and weight > 1e-250:
        weight *= heads / (count - heads + 1)
        heads -= 1
        below += weight
    total = 2 * below + (2 if count % 2 else 1)
    allowed = 0.025 * total * (1 + 1e-10)
    tail = weight
    while heads < half and tail <= allowed:
        weight *= (count - heads) / (heads + 1)
        heads += 1
        tail += weight
    return heads


def sampled(samples, clock):
    """The figures of samples in ns: their median, and its 95 % interval from order statistics; with fewer than six
    samples, which give no interval, their range."""
    ranked = sorted(samples)
    count = len(ranked)
    rank = lower_rank(count) or 1
    median = 0.5 * ranked[(count - 1) // 2] + 0.5 * ranked[count // 2]
    return figures(median, ranked[rank - 1], ranked[count - rank], count, clock, "median")
