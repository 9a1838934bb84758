"""What the times of several fresh processes, a baseline's sessions, say of a metric: its value, its noise and its band."""

import math

from figures import show_figure

SIGMA_MINIMUM = 0.003  # the smallest standard deviation of the log that is believed; the judge's KG__SIGMA_MINIMUM
GATED_LIMIT = 0.05  # the largest noise, by what it may be, that is still gated; the judge's KG__GATED_LIMIT
TIME_FLOOR_NS = 50.0  # the floor of a time that has none of its own; the judge's KG__TIME_FLOOR_NS
SESSIONS_MINIMUM = 5  # fewer say too little of the noise
SESSIONS_MAXIMUM = 999  # more than anybody waits for
BAND_MINIMUM = 0.02  # the 2 % of docs/judging.md: stored with each time, applied by harness/judge/judge.c
BAND_MAXIMUM = 0.999  # long ungated
SESSIONS_APART = 0.10  # sessions further apart (largest over smallest, less 1), and than the floor, are not of one machine state
FAR_OFF = 2.0  # a time this many times as long as a stored one, or as short, is more likely a mistake than one more session
NORMAL_QUANTILE_80 = 0.8416212335729143  # four of five values of a standard normal distribution are below it


def _round(value):
    """The nearest whole number, of two the larger: Python's round() takes the even one."""
    whole = math.floor(value)
    return float(whole + (value - whole >= 0.5))


def rounded(value):
    """A time as baselines have it: four digits below 1 us, whole nanoseconds above 10 us, finer than any band."""
    unit = 0.1 if value < 1000 else 0.5 if value < 10000 else 1
    return _round(value / unit) * unit


def value_of_sessions(sessions):
    """Their median, rounded."""
    ranked = sorted(sessions)
    half = len(ranked) // 2
    return rounded(ranked[half] if len(ranked) % 2 else 0.5 * ranked[half - 1] + 0.5 * ranked[half])


def log_deviation(values):
    """The sample standard deviation of the natural logarithms of positive values; NaN of fewer than two."""
    if len(values) < 2:
        return math.nan
    # Relative to the first value, so that equal values deviate by exactly nothing.
    logarithms = [math.log(value) - math.log(values[0]) for value in values]
    mean = squares = 0.0
    for logarithm in logarithms:
        mean += logarithm / len(values)
    for logarithm in logarithms:
        squares += (logarithm - mean) * (logarithm - mean)
    return math.sqrt(squares / (len(values) - 1))


def deviation_bound(deviation, count):
    """What the standard deviation of normal values is at most, with 80 % confidence, where a sample of `count` of them has
    `deviation`: deviation sqrt((n - 1) / q), where q is the 0.2 quantile of chi-squared with n - 1 degrees of freedom, by the
    cube of Wilson and Hilferty (Proc. Natl. Acad. Sci. 17 (1931) 684): within 1 % from four degrees on, too large a bound
    below. Infinite of fewer than two values."""
    if count < 2:
        return math.inf
    spread = 2.0 / (9.0 * (count - 1))
    return deviation / math.sqrt(math.pow(1.0 - spread - NORMAL_QUANTILE_80 * math.sqrt(spread), 3))


def _noise_of(sigma):
    try:
        return math.expm1(3 * (sigma if sigma > SIGMA_MINIMUM else SIGMA_MINIMUM))
    except OverflowError:
        return math.inf


def noise(sessions):
    """How far a value may be from the sessions' median by chance, as a fraction: exp(3 sigma) - 1, with sigma the standard
    deviation of their logarithms, at least SIGMA_MINIMUM."""
    return _noise_of(log_deviation(sessions))


def noise_bound(sessions):
    """The same with what sigma may be by 80 % confidence, where so many sessions say what it is: of five 1.55 times theirs.
    Infinite of one."""
    return _noise_of(deviation_bound(log_deviation(sessions), len(sessions)))


def band_of_sessions(sessions):
    """Their noise rounded up to 0.1 %, at least BAND_MINIMUM."""
    band = math.ceil(min(noise(sessions), 1.0) * 1000 - 1e-9) / 1000
    return min(BAND_MAXIMUM, max(BAND_MINIMUM, band))


def is_gated(sessions):
    """Whether the noise of sessions is known to be small enough to judge by them."""
    return noise_bound(sessions) <= GATED_LIMIT


def disagreement(sessions):
    """Why the sessions of a metric do not belong together, with the extremes; None where they do."""
    least, most = min(sessions), max(sessions)
    if most / least - 1 <= SESSIONS_APART or most - least <= TIME_FLOOR_NS:
        return None
    return f"the sessions disagree, {show_figure(least, 'ns')} to {show_figure(most, 'ns')}: quiet the machine"


def is_far_off(metric, value):
    """Whether a time is off the value of a gated metric by FAR_OFF or more, either way; what is not gated may be anything."""
    return metric.gated and (value >= FAR_OFF * metric.value or FAR_OFF * value <= metric.value)
