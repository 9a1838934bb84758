# SPDX-License-Identifier: MIT
"""Numbers as texts, for readers and for files."""

import math

LARGEST_GROUPED = 1e15  # beyond it groups of three digits are unreadable


def show_figure(value, unit=""):
    """A figure with its unit, with a space between groups of three digits."""
    if not math.isfinite(value):
        return "unknown"
    magnitude = abs(value)
    if magnitude >= LARGEST_GROUPED:
        shown = f"{value:.6g}"
    else:
        whole = magnitude == math.floor(magnitude) or magnitude >= 1000
        decimals = 0 if whole else 1 if magnitude >= 100 else 2 if magnitude >= 10 else 3
        shown = f"{value:,.{decimals}f}".replace(",", " ")
    return f"{shown} {unit}" if unit else shown


def show_error(value):
    """An error in roundoffs, with the four digits of baselines."""
    return show_figure(value) if value >= 1000 else f"{value:.4g}"


def show_percent(fraction, sign=False):
    """A fraction as "1.0 %", or as "+1.0 %" with a sign; a small one has two digits."""
    if not math.isfinite(fraction):
        return "unknown"
    percent = fraction * 100
    magnitude = abs(percent)
    plus = "+" if sign and percent > 0 else ""
    if magnitude >= LARGEST_GROUPED:
        return f"{plus}{percent:.3g} %"
    decimals = 1
    if magnitude >= 100:
        decimals = 0
    elif 0 < magnitude < 0.1:
        decimals = int(min(9, 1 - math.floor(math.log10(magnitude))))
    return f"{plus}{percent:,.{decimals}f} %".replace(",", " ")


def exact(value, largest_whole=1e16):
    """The shortest text that reads back as the same figure; whole numbers have no exponent up to the largest. "" for
    NaN."""
    value += 0.0  # -0 becomes 0
    if not math.isfinite(value):
        return "" if math.isnan(value) else str(value)
    if value == math.floor(value) and abs(value) <= largest_whole:
        return f"{value:.0f}"
    return next(text for text in (f"{value:.{digits}g}" for digits in range(1, 18)) if float(text) == value)


def known_figure(value, unit=""):
    """show_figure() for a cell, which is empty if the value is unknown."""
    return show_figure(value, unit) if math.isfinite(value) else ""


def known_percent(fraction, sign=False):
    return show_percent(fraction, sign) if math.isfinite(fraction) else ""


def unit_of(metric):
    """The unit of a metric, by the end of its name: "ns" for a time, "" for a count."""
    return "ns" if metric.endswith("_ns") and len(metric) > 3 else ""


def plural(count, word, ending="s"):
    return f"{count} {word}{'' if count == 1 else ending}"
