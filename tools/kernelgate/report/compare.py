# SPDX-License-Identifier: MIT
"""kernelgate compare: two runs as ratios with intervals, B judged as if A were the baseline.

A run is one sample of the variation between processes, while a baseline is the median of many: the ratio of two runs
varies by sqrt(2) as much, so limits are widened by this factor, in the logarithm. The interval of a ratio goes from
B's low over A's high to B's high over A's low, which contains the true ratio if both intervals contain their
medians."""

import math
import sys
from dataclasses import dataclass, field
from typing import Optional

from kernelgate.base.command_line import add_filter, add_format, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import LARGEST_FIGURE, integer_of, is_number, json_text, member, number_of, text_of
from kernelgate.base.figures import plural, show_figure, show_percent, unit_of
from kernelgate.base.groups import groups_of
from kernelgate.base.judging import judged
from kernelgate.baseline.noise import BAND_MINIMUM, GATED_LIMIT, SIGMA_MINIMUM, TIME_FLOOR_NS
from kernelgate.base.programs import hint_of_nearest, takes
from kernelgate.baseline.fit import SENTINELS
from kernelgate.base.results import (ERRORS, KEPT, MODEL_KEY, OUTCOMES, RANKS, VERDICTS, is_code, is_dismissed, load_figures,
                                     measured_figure, worst)
from kernelgate.base.results import Run as Results
from kernelgate.base.run_facts import short_commit
from kernelgate.base.settings import is_strict
from kernelgate.base.text import clean
from kernelgate.base.columns import Column, Figure, Table

TWO_RUNS = math.sqrt(2)
SENTINEL_LIMIT = TWO_RUNS * 3 * SIGMA_MINIMUM  # three standard deviations of the least plausible noise
ROUNDING = 1e-6  # fraction by which a value may be outside of its interval: both were rounded


@dataclass
class Interval:
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan

    def document(self):
        return {key: bound for key, bound in vars(self).items() if math.isfinite(bound)}


@dataclass
class Run:
    name: str  # "A"
    path: str
    document: dict
    cases: dict = field(default_factory=dict)  # by target and id

    def __post_init__(self):
        for entry in self.document["cases"]:
            if is_code(entry["target"]):
                continue  # its figures are about the compiler, not about which run was better
            key = (entry["target"], entry["case"])
            if key in self.cases:
                raise Failure(f"compare: {self.name}: {key[1]} appears twice on {key[0]}: name a file as a run wrote it")
            # Errors have bands of their own in baselines, and equal values in two runs of one kernel.
            metrics = {name: metric for name, metric in entry["metrics"].items() if name not in ERRORS}
            self.cases[key] = {**entry, "metrics": metrics}
        if not self.cases:
            raise Failure(f"compare: {self.name} holds no case: name the results of a run that judged some")

    def lone_gpu(self, other):
        """The only GPU that this run has and the other does not; None if there is none, or more than one."""
        lone = {target for target, _ in self.cases} - {target for target, _ in other.cases} - {MODEL_KEY}
        return lone.pop() if len(lone) == 1 else None


@dataclass
class Row:
    """A metric of a case that both runs have; without a metric, a case whose figures do not count. Unless `judged`,
    the verdict is a pass."""

    case: str
    target_a: str
    target_b: str
    metric: Optional[str] = None
    a: Interval = field(default_factory=Interval)
    b: Interval = field(default_factory=Interval)
    ratio: Interval = field(default_factory=Interval)
    limit: float = math.nan
    limit_from: Optional[str] = None
    gated: bool = True
    judged: bool = True
    verdict: str = "pass"
    why: str = ""

    def document(self):
        judged = self.judged or self.verdict == "error"
        document = {"case": self.case, "target_a": self.target_a, "target_b": self.target_b,
                    "verdict": self.verdict if judged else "not-judged", "why": self.why}
        if self.metric is not None:
            document.update(metric=self.metric, a=self.a.document(), b=self.b.document(), ratio=self.ratio.document(),
                            gated=self.gated)
        if math.isfinite(self.limit):
            document["limit"] = self.limit
        if self.limit_from is not None:
            document["limit_from"] = self.limit_from
        return document


def has_value(entry, metric):
    return is_number(entry["metrics"].get(metric, {}).get("value"))


def interval_of(figures):
    """A metric's value with its interval; an unknown bound is the value."""
    value, low, high = (number_of(figures, key) for key in ("value", "low", "high"))
    return Interval(value, value if math.isnan(low) else low, value if math.isnan(high) else high)


def is_usable(metric, seen):
    """Whether a value is a possible measurement, and is in its own interval."""
    rounding = seen.value * ROUNDING
    return (0 <= seen.value <= LARGEST_FIGURE and (seen.value > 0 or not unit_of(metric))
            and seen.low <= seen.value + rounding and seen.high >= seen.value - rounding)


def is_gated(metric, figures):
    """Whether a run judged a metric. If it is not recorded, a time's limit shows it."""
    if "gated" in figures:
        return figures["gated"]
    return not unit_of(metric) or not number_of(figures, "limit") > GATED_LIMIT


def limits_of(figures):
    """The band and the floor of the run's baseline, or None. A floor that does not decide is not recorded: it is
    then at most the band's share of the baseline."""
    limit, baseline, smallest = (number_of(figures, key) for key in ("limit", "baseline", "smallest"))
    if not (0 <= limit <= LARGEST_FIGURE and 0 <= baseline <= LARGEST_FIGURE):
        return None
    return limit, smallest * baseline if limit < smallest <= LARGEST_FIGURE else min(TIME_FLOOR_NS, limit * baseline)


class Pair:
    """A case of both runs, with its rows, and the metrics that only one of them has."""

    def __init__(self, case, target_a, target_b, a, b):
        self._names = (case, target_a, target_b)
        self.a, self.b = a, b
        self.rows = []
        self.dismissed = is_dismissed(a["verdict"]) or is_dismissed(b["verdict"])
        if self.dismissed:
            self.rows.append(self._dismissal())
            self.lone = ([], [])
            return
        self.rows += [self._row(metric) for metric in a["metrics"] if has_value(a, metric) and has_value(b, metric)]
        self.lone = tuple([metric for metric in entry["metrics"] if has_value(entry, metric) and not has_value(other, metric)]
                          for entry, other in ((a, b), (b, a)))

    def is_across(self):
        return self._names[1] != self._names[2]

    def _dismissal(self):
        if is_dismissed(self.b["verdict"]):
            return Row(*self._names, verdict=self.b["verdict"], why=f"in B: {self.b['why']}")
        return Row(*self._names, verdict="no-baseline", why=f"nothing to compare B with: A had it {self.a['verdict']}")

    def _row(self, metric):
        figures = (self.a["metrics"][metric], self.b["metrics"][metric])
        a, b = map(interval_of, figures)
        row = Row(*self._names, metric, a, b, gated=all(is_gated(metric, found) for found in figures))
        for name, seen in (("A", a), ("B", b)):
            if not is_usable(metric, seen):
                row.verdict, row.why = "error", f"{name}'s value is not a figure to compare: measure it again"
                return row
        if a.value > 0:
            row.ratio = Interval(b.value / a.value, b.low / a.high, b.high / a.low if a.low > 0 else math.inf)
        return row

    def move(self, row, runs):
        """The input of kernelgate-judge for a row with a metric that is not an error."""
        unit, metrics = unit_of(row.metric), (self.a["metrics"][row.metric], self.b["metrics"][row.metric])
        band, floor, row.limit_from = 0.0, 0.0, "exact"
        if unit:
            sources = ((limits_of(metrics[0]), "A's baseline"), (limits_of(metrics[1]), "B's baseline"),
                       ((BAND_MINIMUM, TIME_FLOOR_NS), "default"))
            (band, floor), row.limit_from = next(source for source in sources if source[0] is not None)
            band = math.expm1(TWO_RUNS * math.log1p(band))
        move = {"unit": unit, "value": row.b.value, "low": row.b.low, "high": row.b.high, "baseline": row.a.value, "band": band,
                "floor": floor, "gated": row.gated, "foreign_processes": max(
                    integer_of(member(entry, "gpu_state"), "foreign_processes") for entry in (self.a, self.b))}
        if not math.isnan(row.ratio.low):
            # A's uncertainty widens B's interval. Rounding must not move a bound past the value.
            move["low"] = min(row.ratio.low * row.a.value, row.b.value)
            move["high"] = max(row.ratio.high * row.a.value, row.b.value)
        if not math.isfinite(move["high"]):
            del move["high"]
        codes = [text_of(member(entry, "kernel"), "fingerprint") for entry in (self.a, self.b)]
        sentinels = [[measured_figure(measured.document, target, "sentinels_ns", sentinel) for sentinel in SENTINELS]
                     for measured, target in zip(runs, self._names[1:])]
        move.update(same_code=not self.is_across() and codes[0] == codes[1] != "", sentinel_limit=SENTINEL_LIMIT,
                    sentinel_moves=[math.log(now / then) if then and now and not self.is_across() else 0.0
                                    for then, now in zip(*sentinels)])
        bounds = [text_of(figures, "bound") for figures in metrics]
        if bounds[0] == bounds[1] != "":
            move["bound"] = bounds[0]
        if row.metric == KEPT:
            move["kept"] = True
        return move

    def settle(self, row, judgment, across):
        """Takes over the judgment of a row."""
        row.limit = number_of(judgment, "smallest")
        row.judged = row.gated and (across or not self.is_across())
        row.verdict, row.why = judgment["verdict"], judgment["why"]
        if not row.judged and row.verdict != "error":
            row.verdict = "pass"
        if not row.judged and row.gated:
            row.why = ""
        for name, entry in (("A", self.a), ("B", self.b)):
            if row.verdict in ("slower", "faster") and entry["metrics"][row.metric].get("verdict") == "environment":
                row.verdict, row.why = "environment", f"{name}'s surroundings were disturbed: {row.why}"


class Comparison:
    """Two runs, case by case: rows in A's order, cases and metrics that only one run has, and a tally of cases like
    a gate's."""

    def __init__(self, a, b, globs, across):
        self.runs = (a, b)
        self.across = across
        self.checked = 0  # cases that both runs only checked, right in both
        self.unjudged = 0  # metrics of two targets, which must not be judged
        self.tally = {**dict.fromkeys(VERDICTS, 0), "vanished": 0, "not-judged": 0}
        self.only_in = ([], [])  # case, target and perhaps metric, of A and of B
        self._globs = globs
        self._lone = (a.lone_gpu(b), b.lone_gpu(a))
        pairs = self._pair_up()
        self.rows = [row for pair in pairs for row in pair.rows]
        moved = [(pair, row) for pair in pairs for row in pair.rows if row.metric is not None and row.verdict != "error"]
        moves = [pair.move(row, self.runs) for pair, row in moved]
        for (pair, row), judgment in zip(moved, judged("compare", "moves", moves)["judgments"]):
            pair.settle(row, judgment, across)
        for pair in pairs:
            self._count(pair)
        self._note_new_cases()

    def _counterpart(self, target, in_b):
        """The target of the other run that a target is compared with."""
        here, there = self._lone[::-1] if in_b else self._lone
        return there if there is not None and target == here else target

    def _pair_up(self):
        a, b = self.runs
        pairs = []
        common = 0
        for (target, case), entry in a.cases.items():
            other = self._counterpart(target, False)
            found = b.cases.get((other, case))
            common += found is not None
            if not takes(self._globs, case):
                continue
            if found is not None:
                pairs.append(Pair(case, target, other, entry, found))
            else:
                self._add_lone(False, case, target)
                self.tally["vanished"] += 1
        if common == 0:
            raise Failure("compare: the two results have no case in common: compare runs of the same comparisons on one kind of "
                          "target")
        if not pairs:
            raise Failure(f"compare: the filter leaves none of {common} cases that both results have: give another, or none"
                          + hint_of_nearest(self._globs, [case for _, case in a.cases]))
        return pairs

    def _add_lone(self, in_b, case, target, metric=None):
        self.only_in[in_b].append({"case": case, "target": target, **({"metric": metric} if metric is not None else {})})

    def _count(self, pair):
        verdicts = [row.verdict for row in pair.rows]
        for in_b, entry in enumerate((pair.a, pair.b)):
            for metric in pair.lone[in_b]:
                self._add_lone(bool(in_b), entry["case"], entry["target"], metric)
                if is_gated(metric, entry["metrics"][metric]) and in_b:
                    verdicts.append("no-baseline")
                elif is_gated(metric, entry["metrics"][metric]):
                    self.tally["vanished"] += 1
        if not pair.rows and any(pair.lone):
            verdicts.append("no-baseline")
        self.checked += not pair.rows and not any(pair.lone)
        unjudged = sum(row.gated and not row.judged for row in pair.rows)
        self.unjudged += unjudged
        verdict = worst(verdicts)
        if verdict == "faster" and any(row.metric == KEPT and row.b.value < row.a.value for row in pair.rows):
            verdict = "pass"
        self.tally["not-judged" if unjudged and not is_dismissed(verdict) else verdict] += 1

    def _note_new_cases(self):
        """Handles cases that only B has: if measured, they have nothing to be compared with; if only checked, they
        are right or wrong all the same."""
        a, b = self.runs
        for (target, case), entry in b.cases.items():
            if not takes(self._globs, case) or (self._counterpart(target, True), case) in a.cases:
                continue
            self._add_lone(True, case, target)
            verdict = entry["verdict"]
            if entry["metrics"] and not is_dismissed(verdict):
                verdict = "no-baseline"
            if RANKS[verdict] >= RANKS["no-baseline"]:
                self.tally[verdict] += 1

    def has_other_boards(self):
        before, after = ((run.document.get("boards") or {}) for run in self.runs)
        return bool(before) and any(uuid not in before for uuid in after)

    def means(self):
        """The geometric mean of the ratios of each time on each target."""
        logs = {}
        for row in self.rows:
            if row.metric is not None and unit_of(row.metric) and 0 < row.ratio.value < math.inf:
                logs.setdefault((row.target_a, row.target_b, row.metric), []).append(math.log(row.ratio.value))
        return [{"target_a": a, "target_b": b, "metric": metric, "cases": len(found),
                 "geometric_mean": math.exp(math.fsum(found) / len(found))} for (a, b, metric), found in logs.items()]

    def groups(self, strict=False):
        """What got better or worse in B, as the groups of a run."""
        entries = {}
        for row in self.rows:
            entry = entries.setdefault((row.target_b, row.case), {
                "case": row.case, "target": row.target_b, "verdict": "pass", "why": "", "metrics": {}})
            if row.metric is not None:
                change = row.ratio.value - 1
                entry["metrics"][row.metric] = {"value": row.b.value, "baseline": row.a.value, "change": change, "limit": row.limit,
                                                "verdict": row.verdict}
            if RANKS[row.verdict] > RANKS[entry["verdict"]]:
                known = self.runs[1].cases.get((row.target_b, row.case), {})
                entry.update(verdict=row.verdict, why=row.why, **({"group": known["group"]} if is_dismissed(row.verdict) and "group" in known else {}))
        return groups_of(Results({"cases": list(entries.values()), "strict": strict}))

    def exit_code(self, strict):
        """The exit code, by a gate's rule. B may have fewer cases on purpose: only strict mode counts that as a
        loss."""
        tally = self.tally
        judged = sum(tally[verdict] for verdict in VERDICTS if verdict != "no-baseline")
        if tally["error"]:
            return 2
        if tally["slower"] or tally["wrong"]:
            return 1
        if strict and (tally["not-judged"] or not judged):
            return 2
        if strict and (tally["vanished"] or tally["environment"] or tally["noisy"] or tally["no-baseline"]):
            return 1
        return 0 if judged else 77

    def document(self, strict):
        def about(measured):
            return {"file": clean(measured.path), "commit": short_commit(measured.document["run"]),
                    "targets": measured.document["targets"]}
        return {"schema": "kernelgate-comparison/1", "a": about(self.runs[0]), "b": about(self.runs[1]), "across": self.across,
                "other_boards": self.has_other_boards(), "metrics": [row.document() for row in self.rows],
                "failure_groups": [group.document() for group in self.groups(strict)],
                "only_in_a": self.only_in[0], "only_in_b": self.only_in[1], "means": self.means(), "tally": self.tally,
                "exit_code": self.exit_code(strict)}


COLUMNS = (Column("verdict"), Column("target", csv_only=True), Column("case"), Column("metric"), Column("A", right=True),
           Column("B", right=True), Column("B / A", right=True), Column("interval", right=True), Column("limit", right=True),
           Column("note"))


def _cells(row):
    if row.verdict == "error" or row.judged:
        yield row.verdict
    else:
        yield "not judged" if row.gated else "not gated"
    yield row.target_a if row.target_a == row.target_b else f"{row.target_a} to {row.target_b}"
    yield row.case
    yield row.metric or "-"
    for value in (row.a.value, row.b.value):
        yield Figure("-" if row.metric is None or math.isnan(value) else show_figure(value, unit_of(row.metric)), value)
    ratio = row.ratio
    known = not math.isnan(ratio.value)
    yield Figure(f"{ratio.value:.4f}" if known else "-", ratio.value)
    yield f"{ratio.low:.4f} to {ratio.high:.4f}" if known and ratio.low != ratio.high else "-"
    limited = row.judged and row.limit_from != "exact" and math.isfinite(row.limit)
    yield Figure(show_percent(row.limit) if limited else "-", row.limit if row.judged else math.nan)
    plain = row.verdict in ("pass", "slower", "faster") or not row.judged
    sources = {"B's baseline": "limit of B's baseline", "default": "default limit: no baseline"}
    yield (sources.get(row.limit_from, "") if row.judged else "") if plain else row.why


def _about(measured):
    parts = [", ".join(measured.document["targets"])]
    if short_commit(measured.document["run"]):
        parts.append(f"commit {short_commit(measured.document['run'])}")
    return clean(f"{measured.name} = {measured.path}: {', '.join(filter(None, parts))}")


def _tally(comparison):
    tally = comparison.tally
    counted = [f"{tally[verdict]} {verdict}" for verdict in reversed(VERDICTS) if tally[verdict]]
    if tally["vanished"]:
        counted.append(f"{tally['vanished']} gone from B" + ("" if is_strict() else ", which fails with KG_STRICT=1 alone"))
    parts = [f"cases: {', '.join(counted)}"] if counted else []
    if comparison.checked:
        parts.append(f"{comparison.checked} of them only checked, right in both")
    if comparison.unjudged:
        parts.append(f"{comparison.unjudged} metrics of two targets, which are not judged: --across judges them too")
    return "; ".join(parts)


def _is_unchanged_counter(row):
    return row.metric is not None and not unit_of(row.metric) and row.verdict == "pass" and row.a.value == row.b.value


def show(comparison, form, code):
    """The output: before the table, the table, and after it."""
    table = Table(COLUMNS, colored="verdict")
    shown = [row for row in comparison.rows if form == "csv" or not _is_unchanged_counter(row)]
    for row in sorted(shown, key=lambda row: -RANKS[row.verdict]):
        table.add(*_cells(row))
    before = ("\n\n" if form == "markdown" else "\n").join(map(_about, comparison.runs)) + "\n"
    if comparison.has_other_boards():
        before += "The boards differ, and the ratios include that difference.\n"
    after = []
    unchanged = len(comparison.rows) - len(shown)
    if unchanged:
        after.append(f"{unchanged} counter{' is' if unchanged == 1 else 's are'} the same in both")
    for mean in comparison.means():
        target = mean["target_a"] + (f" to {mean['target_b']}" if mean["target_a"] != mean["target_b"] else "")
        after.append(f"{target}, {mean['metric']}: B / A is {mean['geometric_mean']:.4f} in the geometric mean of "
                     f"{plural(mean['cases'], 'case')}")
    for name, lone in zip("AB", comparison.only_in):
        for entry in lone:
            metric = f" {entry['metric']}" if "metric" in entry else ""
            after.append(f"only in {name}: {entry['case']}{metric} on {entry['target']}")
    for group in comparison.groups():
        members = group.members()
        after.append(f"{group.verdict}: {group.name} on {group.target}: {group.reason}{'; ' if members else ''}{members}")
    after += [_tally(comparison), f"{OUTCOMES.get(code, 'ERROR')} (exit {code})"]
    return before, table.format(form) if table.rows else "", "".join(f"{clean(line)}\n" for line in after)


def add_arguments(parser):
    parser.add_argument("a", metavar="A.json")
    parser.add_argument("b", metavar="B.json")
    add_filter(parser)
    parser.add_argument("--across", action="store_true", help="also judge results of two different GPUs, by A's limits")
    add_format(parser)
    parser.epilog = """\
A is the baseline: B's figures are judged against A's as in the gate, with the limits of
A's (else B's) baseline, widened by the square root of 2 since both runs vary. Two
different GPUs are compared but not judged, unless --across. FILTER is a list of globs
on case ids; one without its last parts, such as pair_means, matches all ids that begin
so; KG_FILTER also applies.
exit: 0 nothing worse; 1 slower or wrong, with KG_STRICT=1 also environment, noisy, new
or gone; 2 an error, or nothing in common; 77 nothing was judged (2 with KG_STRICT=1)
"""


def main(options):
    form = options.format
    a, b = (Run(name, path, load_figures(path)) for name, path in zip("AB", (options.a, options.b)))
    comparison = Comparison(a, b, options.filter or "", options.across)
    strict = is_strict()
    code = comparison.exit_code(strict)
    if form == "json":
        print_output("compare", json_text(comparison.document(strict)))
        return code
    before, table, after = show(comparison, form, code)
    if form == "csv":  # text that is not a row goes to the standard error
        sys.stderr.write(before + after)
        print_output("compare", table)
    else:
        print_output("compare", "\n".join(filter(None, (before, table, after))))
    return code
