"""How figures and texts of any origin are shown, and what verdicts and counters there are."""

import math
import re

from common import is_number, list_of, member, number_of, text_of

VERDICTS = ("pass", "faster", "no-baseline", "noisy", "environment", "slower", "wrong", "error")  # from best to worst
RANKS = {verdict: rank for rank, verdict in enumerate(VERDICTS)}
MODEL = "cpu-model"

COUNTERS = (
    "global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors", "global_atomic_requests",
    "global_atomic_sectors", "shared_load_requests", "shared_load_wavefronts", "shared_store_requests",
    "shared_store_wavefronts", "shared_atomic_requests", "constant_load_requests", "constant_load_words", "shuffles",
    "barriers", "launches", "busiest_block_requests", "shared_bytes", "copied_bytes", "unique_bytes_read",
    "unique_bytes_written",
)
ALWAYS_SHOWN = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors", "barriers")

# Controls, ends of lines and paragraphs, what turns the direction of writing, and what has no width.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_NO_XML = re.compile("[\ufffe\uffff\ud800-\udfff]")
_LARGEST_GROUPED = 1e15


def clean(text):
    """The text on one line that cannot steer a terminal, an XML reader or a CI runner."""
    text = _NO_XML.sub("\ufffd", _CONTROLS.sub(" ", text)).replace("##[", "# [")
    return re.sub("^([^!-~]*):(?=:):", r"\1: ", text)


def markdown(text):
    """The text as Markdown that shows it as it is, within a table too."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"[\\`*_\[\]|~#@!$]", r"\\\g<0>", text)


def code(text):
    """A name as code of Markdown. A backtick would end the code, and a bar the table's cell."""
    return "`" + (clean(text) or "?").replace("|", "\\|").replace("`", "'") + "`"


def csv_field(text):
    text = clean(text)
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def figure(value, unit=""):
    """A value with its thousands grouped and as many decimals as say something: "47 980 ns"."""
    if not math.isfinite(value):
        return "unknown"
    size = abs(value)
    if size >= _LARGEST_GROUPED:
        text = f"{value:.6g}"
    else:
        decimals = 0 if size == math.floor(size) or size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3
        text = f"{value:,.{decimals}f}".replace(",", " ")
    return f"{text} {unit}" if unit else text


def percent(fraction, sign=False):
    """A fraction in percent: 0.0631 is "6.3 %", with `sign` "+6.3 %"."""
    value = fraction * 100
    if not math.isfinite(value):
        return "unknown"
    size = abs(value)
    plus = "+" if sign and value > 0 else ""
    if size >= _LARGEST_GROUPED:
        return f"{plus}{value:.3g} %"
    decimals = 0 if size >= 100 else 1
    if 0 < size < 0.1:
        decimals = min(9, 1 - math.floor(math.log10(size)))
    return f"{plus}{value:,.{decimals}f} %".replace(",", " ")


def unit_of(metric):
    return "ns" if metric.endswith("_ns") and len(metric) > 3 else ""


def known_figure(value, metric):
    """The same for a cell, which is empty where the value is not known."""
    return figure(value, unit_of(metric)) if math.isfinite(value) else ""


def known_percent(fraction, sign=False):
    return percent(fraction, sign) if math.isfinite(fraction) else ""


def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def items(value):
    """The members of an object; none where it is not one."""
    return value.items() if isinstance(value, dict) else ()


def verdict_of(entry):
    """The verdict of a case or a metric; "error" when it has none that is known."""
    verdict = text_of(entry, "verdict")
    return verdict if verdict in RANKS else "error"


def fails(verdict, strict):
    """Whether a verdict makes a run fail."""
    return RANKS[verdict] >= RANKS["slower"] or strict and RANKS[verdict] > RANKS["faster"]


def variant_of(case):
    """ "comparison/variant/" at the front of a case's id; all of it where it has no more parts."""
    parts = case.split("/", 2)
    return f"{parts[0]}/{parts[1]}/" if len(parts) == 3 else case


def is_shown(name, metric):
    """Whether a metric of a case is of interest: of the counters those that a reader looks for, and those that moved."""
    value, baseline = number_of(metric, "value"), number_of(metric, "baseline")
    if name not in COUNTERS:
        return True
    if value == 0 and not baseline > 0:
        return False
    return name in ALWAYS_SHOWN or math.isfinite(baseline) and value != baseline


def shown_metrics(entry):
    return [(name, metric) for name, metric in items(member(entry, "metrics")) if is_shown(name, metric)]


def figures_of(name, metric):
    """A metric's figures: "time_ns 47 980 ns (baseline 45 130 ns, +6.3 %, limit 2.0 %): slower"."""
    unit = unit_of(name)
    text = f"{name} {figure(number_of(metric, 'value'), unit)}"
    against = [f"baseline {figure(number_of(metric, 'baseline'), unit)}", known_percent(number_of(metric, "change"), True)]
    if is_number(member(metric, "limit")):
        against.append("limit " + percent(number_of(metric, "limit")))
    if is_number(member(metric, "baseline")):
        text += f" ({', '.join(filter(None, against))})"
    return clean(text + (f": {verdict_of(metric)}" if text_of(metric, "verdict") else ""))


def texts_of(value, key):
    return [text if isinstance(text, str) else "" for text in list_of(value, key)]
