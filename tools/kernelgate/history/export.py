# SPDX-License-Identifier: MIT
"""kernelgate history export: figures of a history in the forms of services that keep, plot and watch them.

- Bencher Metric Format (bencher.dev/docs/reference/bencher-metric-format): {benchmark: {measure: {"value", "lower_value",
  "upper_value"}}}, one report of one testbed; names of benchmarks have at most 1024 characters, of measures 64. "latency" is its
  own measure in ns.
- github-action-benchmark's customSmallerIsBetter (README of benchmark-action/github-action-benchmark): [{"name", "unit", "value",
  "range", "extra"}], of one commit.
- OpenMetrics 1.0 text (prometheus.io/docs/specs/om/open_metrics_spec): all runs, each with its time. Base units, so seconds; a
  gauge's samples of one set of labels are together, with times that rise."""

import math
import re

from kernelgate.base.command_line import print_output
from kernelgate.base.errors import Failure
from kernelgate.base.figures import exact, unit_of
from kernelgate.base.json_io import json_text, number_of, text_of
from kernelgate.base.results import KEPT, fails
from kernelgate.base.run_facts import short_commit
from kernelgate.history.show import add_choice, limit_of, load_series

LONGEST_BENCHMARK, LONGEST_MEASURE = 1024, 64
LATENCY = {"time_ns": "latency"}


def last_points(series):
    """The last point of each series, where it is of the last commit that has any with figures."""
    found = [(one, one.points[-1]) for one in series if not math.isnan(one.points[-1].value)]
    last = max(found, key=lambda pair: pair[1].run.place, default=None)
    return [pair for pair in found if pair[1].run.commit == last[1].run.commit]


def write_bmf(series):
    chosen = last_points(series)
    targets = sorted({one.target for one, _ in chosen})
    if len(targets) > 1:
        raise Failure(f"history export: a report of Bencher has one testbed, and the commit had {', '.join(targets)}: choose by --target")
    report = {}
    for one, point in chosen:
        measure = LATENCY.get(one.metric, one.metric)
        if len(one.case) > LONGEST_BENCHMARK or len(measure) > LONGEST_MEASURE:
            raise Failure(f"history export: too long a name for Bencher: choose others by GLOB and --metric: {one.case} {measure}")
        bounds = {name: point.figures[key] for name, key in (("lower_value", "low"), ("upper_value", "high")) if key in point.figures}
        report.setdefault(one.case, {})[measure] = {"value": point.value, **bounds}
    return json_text(report)


def write_benchmark(series):
    """Without the one counter of which more is better."""
    entries = []
    for one, point in last_points([one for one in series if one.metric != KEPT]):
        entry = {"name": f"{one.case} {one.metric} on {one.target}", "unit": unit_of(one.metric) or "count", "value": point.value}
        low, high = (number_of(point.figures, key) for key in ("low", "high"))
        if high > low:
            entry["range"] = f"± {exact((high - low) / 2)}"
        baseline = number_of(point.figures, "baseline")
        entry["extra"] = f"{point.verdict}\ncommit {short_commit(point.run.facts)}" + (
            f"\nbaseline {exact(baseline)}, limit {100 * limit_of(point.figures):.1f} %" if baseline >= 0 else "")
        entries.append(entry)
    return json_text(entries)


def _label(name, value):
    escaped = value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'{name}="{escaped}"'


class Families:
    """Gauges by name, each with a value at each time of each set of labels."""

    def __init__(self):
        self._gauges = {}

    def add(self, name, help_text, labels, at, value):
        if math.isfinite(value):
            self._gauges.setdefault((name, help_text), {}).setdefault(labels, {})[at] = value

    def text(self):
        lines = []
        for (name, help_text), samples in sorted(self._gauges.items()):
            unit = next((unit for unit in ("seconds", "ratio") if name.endswith(f"_{unit}")), None)
            lines.append(f"# TYPE {name} gauge")
            lines += [f"# UNIT {name} {unit}"] if unit else []
            lines.append(f"# HELP {name} {help_text}")
            lines += [f"{name}{{{labels}}} {value!r} {at}" for labels, values in samples.items() for at, value in sorted(values.items())]
        return "".join(f"{line}\n" for line in (*lines, "# EOF"))


def write_openmetrics(series):
    """A commit is no label, of which Prometheus would make a series each."""
    families = Families()
    for one in series:
        stem = f"kernelgate_{re.sub('[^a-z0-9_]', '_', one.metric.lower())}"
        scale = 1e-9 if unit_of(one.metric) else 1.0
        stem, ending = (stem.removesuffix("_ns"), "_seconds") if scale < 1 else (stem, "")
        for point in one.points:
            labels = ",".join(_label(name, value) for name, value in (
                ("case", one.case), ("target", one.target), ("branch", point.run.branch), ("host", text_of(point.run.facts, "host"))))
            at, what = point.run.at, f"{one.metric} of a case"
            families.add(stem + ending, f"{what}.", labels, at, scale * point.value)
            families.add(f"{stem}_baseline{ending}", f"The stored {what}.", labels, at, scale * number_of(point.figures, "baseline"))
            families.add(f"{stem}_limit_ratio", f"The rise of {what} that fails.", labels, at, limit_of(point.figures))
            families.add(f"{stem}_failed", f"1 if {what} failed its run.", labels, at, float(fails(point.verdict, False)))
    return families.text()


# The writer, and whether it has all runs; without, those of one commit, since such services keep those of others.
FORMATS = {"bmf": (write_bmf, False), "github-action-benchmark": (write_benchmark, False), "openmetrics": (write_openmetrics, True)}


def add_arguments(parser):
    parser.add_argument("--format", required=True, choices=FORMATS, metavar="FORMAT", help=", ".join(FORMATS))
    all_runs = ", ".join(name for name, (_, has_all) in FORMATS.items() if has_all)
    parser.add_argument("--commit", metavar="COMMIT", help=f"of this commit (default: of the last one; {all_runs}: of all)")
    add_choice(parser, None)
    parser.epilog = """\
docs/history.md has the workflow of each.

exit: 0 printed; 2 no history, nothing chosen, or a damaged file
"""


def main(options):
    write, has_all = FORMATS[options.format]
    print_output("history export", write(load_series(options, options.last if has_all else 1, options.commit)))
