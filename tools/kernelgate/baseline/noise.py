# SPDX-License-Identifier: MIT
"""A metric's value, noise and band from the times of several fresh processes, a baseline's sessions."""

import functools
import math
import statistics
from dataclasses import dataclass

from kernelgate.base.figures import show_figure
from kernelgate.baseline.reading import GATED_LIMIT, SCHEMA, TIME_FLOOR_NS

SIGMA_MINIMUM = 0.003  # the smallest plausible standard deviation of the logarithm
SIGMA_EQUAL = 1e-12  # for sessions that are all equal
ERROR_BAND = SCHEMA["properties"]["accuracy"]["x-band"]  # of an error without a band of its own
SESSIONS_MINIMUM = 5  # fewer do not show the noise
SESSIONS_MAXIMUM = 999  # more than anyone would wait for
BAND_MINIMUM = 0.02  # the 2 % of docs/judging.md, for a case's time; a sentinel's has no minimum
BAND_MAXIMUM = 0.999  # of a metric far beyond the limit of gating
THREE_SIGMA = 0.5 + 0.5 * math.erf(3 / math.sqrt(2))  # 0.99865: a normal value is at most three sigma above its mean
SESSIONS_APART = 0.10  # sessions further apart (largest over smallest, minus 1), and more than the floor, are of different machine states
FAR_OFF = 2.0  # a time this many times longer or shorter than a stored one is probably a mistake


def _round(value):
    """The nearest whole number, the larger of two: Python's round() takes the even one."""
    whole = math.floor(value)
    return float(whole + (value - whole >= 0.5))


def rounded(value):
    """A time as in baselines: four digits below 1 us, whole nanoseconds above 10 us, finer than any band."""
    unit = 0.1 if value < 1000 else 0.5 if value < 10000 else 1
    return _round(value / unit) * unit


def value_of_sessions(sessions):
    """Their median, rounded."""
    return rounded(statistics.median(sessions))


@functools.lru_cache(maxsize=None)
def t_quantile(probability, freedom):
    """The quantile of Student's t with a whole number of degrees of freedom, for a probability above one half: by bisection of
    the exact finite series for its distribution (Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and
    26.7.4). Infinite without a degree of freedom."""
    if freedom < 1:
        return math.inf
    low, high = 0.0, math.pi / 2  # of the angle whose tangent is t / sqrt(freedom)
    for _ in range(60):
        angle = 0.5 * (low + high)
        if 0.5 + 0.5 * _central_probability(angle, freedom) < probability:
            low = angle
        else:
            high = angle
    return math.sqrt(freedom) * math.tan(0.5 * (low + high))


def _central_probability(angle, freedom):
    """The probability that |t| is below sqrt(freedom) tan(angle)."""
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= cosine * cosine * (power + 1) / (power + 2)
    return (angle + sine * total) * 2 / math.pi if odd else sine * total


@dataclass(frozen=True)
class Noise:
    """The noise of a metric: two standard deviations of its logarithm, and the numbers they are based on."""

    within: float  # a board; 0 if no board has two sessions
    between: float  # boards; 0 for one board
    boards: int
    sessions: int

    def band(self, minimum):
        """How far one more session may be from the value by chance, as a fraction rounded up to 0.1 %: the one-sided
        bound that one in 741 exceeds, like 3 sigma of a normal distribution, by Student's t for this number of
        sessions. SIGMA_MINIMUM is not an estimate, so its bound is its 3 sigma."""
        sigma = math.hypot(self.within, self.between)
        exponent = max(t_quantile(THREE_SIGMA, self.sessions - 1) * max(sigma, SIGMA_EQUAL), 3 * SIGMA_MINIMUM)
        band = math.ceil(math.expm1(exponent) * 1000 - 1e-9) / 1000 if exponent < math.log1p(BAND_MAXIMUM) else BAND_MAXIMUM
        return max(minimum, band)


def noise_of(boards):
    """The noise of a metric's sessions: a list of values for each board. Within: pooled, with as many degrees of
    freedom as sessions minus boards. Between: the variance of the boards' means minus the part explained by
    sessions."""
    logarithms = [[math.log(value) for value in values] for values in boards.values()]
    count, means = sum(map(len, logarithms)), [statistics.fmean(values) for values in logarithms]
    squares = math.fsum((value - mean) ** 2 for values, mean in zip(logarithms, means) for value in values)
    within = squares / (count - len(means)) if count > len(means) else 0.0
    between = 0.0
    if len(means) > 1:
        middle = statistics.fmean(means)
        spread = math.fsum((mean - middle) ** 2 for mean in means) / (len(means) - 1)
        between = max(0.0, spread - within * statistics.fmean([1 / len(values) for values in logarithms]))
    deviations = (math.sqrt(variance) for variance in (within, between))
    return Noise(*(deviation if deviation > SIGMA_EQUAL else 0.0 for deviation in deviations), len(means), count)


def band_of_errors(errors):
    """The band of an error from sessions: as for a time, and at least ERROR_BAND. Unknown if some errors are 0."""
    if min(errors) > 0:
        return noise_of({None: errors}).band(ERROR_BAND)
    return ERROR_BAND if max(errors) == 0 else BAND_MAXIMUM


def is_gated(band):
    """Whether the noise is small enough to judge by."""
    return band <= GATED_LIMIT


def disagreement(sessions):
    """Why the sessions of a metric do not belong together, with the extremes; None if they do."""
    least, most = min(sessions), max(sessions)
    if most / least - 1 <= SESSIONS_APART or most - least <= TIME_FLOOR_NS:
        return None
    return f"the sessions disagree, {show_figure(least, 'ns')} to {show_figure(most, 'ns')}: quiet the machine"


def is_far_off(metric, value):
    """Whether a time is off the value of a gated metric by FAR_OFF or more, either way; an ungated metric may be
    anything."""
    return metric.gated and (value >= FAR_OFF * metric.value or FAR_OFF * value <= metric.value)
