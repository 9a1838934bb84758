# SPDX-License-Identifier: MIT
"""Reports a search of launches: tables of the best and of all launches, matrices of ratios, and a JSON document."""

import math
from dataclasses import dataclass
from typing import Optional

from kernelgate.base.json_io import member, number_of, text_of
from kernelgate.base.figures import known_figure, known_percent, plural, show_figure, show_percent
from kernelgate.tune.launch_choice import FATES, Tuning, best, compare, tally, ties
from kernelgate.base.text import clean, escape_markdown
from kernelgate.base.columns import Column, Table

SCHEMA = "kernelgate-tuning/2"
LONGEST_LIST = 20  # more lines of a kind are counted, not written
TIMED_COLUMNS = (Column("fastest"), Column("time", right=True), Column("95 % interval", right=True), Column("GB/s", right=True),
                 Column("GFLOP/s", right=True), Column("occupancy", right=True), Column("highest occupancy"))
COUNTED_COLUMNS = (Column("fewest"), Column("count", right=True))
TALLIES = ("samples", "candidates", "dropped", "skipped", "refused", "wrong", "failed")
MATRIX_OF_TIMES = "Time of the row over that of the column, of the fastest launches, with its 95 % interval"
MATRIX_OF_COUNTS = "Count of the row over that of the column, of the best launches"


@dataclass
class Search:
    """A finished search with its settings."""

    tuning: Tuning
    target: dict
    provenance: Optional[dict]
    axes: dict  # by comparison, the names of its launches' values
    filter: str
    seconds: float

    def groups(self, comparison, candidates):
        """The candidates of each variant of a problem."""
        return {name: [candidate for candidate in candidates if candidate.variant == name] for name in self.tuning.variants(comparison)}


def show_ratio(ratio):
    return show_figure(ratio) if ratio >= 10 else f"{ratio:.{5 if ratio < 0.1 else 3}f}"


class Tables:
    """Writes a search for a terminal, or as Markdown."""

    def __init__(self, search, as_markdown):
        self._search = search
        self._timed = search.tuning.timed
        self._markdown = as_markdown
        self._text = ""

    def write(self, what):
        {"best": self._write_bests, "launches": self._write_launches}[what]()
        self._write_notes()
        return self._text

    def _line(self, text):
        self._text += (escape_markdown(text) if self._markdown else clean(text)) + "\n"

    def _heading(self, comparison, size, what=""):
        target = text_of(self._search.target, "name") or text_of(self._search.target, "key")
        self._text += ("\n" if self._text else "") + ("### " if self._markdown else "")
        self._line(f"{' '.join(filter(None, (comparison, size)))} on {target}: "
                   + (f"time{what}, in µs" if self._timed else f"{self._search.tuning.metric}{what}"))
        self._text += "\n"

    def _table(self, columns, rows):
        self._text += Table(columns, rows).format("markdown" if self._markdown else "text")

    def _remark(self, text):
        self._text += "\n"
        self._line(text)

    def _show(self, value):
        micros = value / 1000
        if not self._timed or micros >= 1000:
            return show_figure(micros if self._timed else value)
        return f"{micros:.{3 if micros < 10 else 2 if micros < 100 else 1}f}"  # with decimals, because they are aligned

    # The best of each variant, and their ratios

    def _timed_cells(self, group, fastest):
        time, fullest = fastest.figure, best(group, "occupancy")
        between = f"{self._show(time.low)} to {self._show(time.high)}" if math.isfinite(time.low) else "unknown"
        occupancy = known_percent(fastest.occupancy)
        return [self._show(time.value), between, known_figure(fastest.gigabytes), known_figure(fastest.gigaflops), occupancy,
                f"{fullest.launch} ({show_percent(fullest.occupancy)}, {self._show(fullest.figure.value)})" if fullest else ""]

    def _best_row(self, name, group, tallies):
        columns = TIMED_COLUMNS if self._timed else COUNTED_COLUMNS
        winner = best(group)
        cells = ["none"] + [""] * (len(columns) - 1)
        if winner:
            more = 0 if self._timed else ties(group, winner) - 1
            cells = [winner.launch + (f" and {more} more" if more else "")]
            cells += self._timed_cells(group, winner) if self._timed else [show_figure(winner.figure.value)]
        counts = tally(group)
        return [name, *cells, *(show_figure(counts[title]) for title in tallies)]

    def _write_matrix(self, groups):
        bests = {name: winner for name, winner in ((name, best(group)) for name, group in groups.items()) if winner}
        if len(bests) < 2:
            return
        why = ""
        rows = []
        for name, winner in bests.items():
            row = [name]
            for other_name, other in bests.items():
                ratio = compare(self._timed, winner, other)
                if other_name == name:
                    row.append("")
                else:
                    why = ratio.why or why
                    row.append(self._show_comparison(ratio))
            rows.append(row)
        self._text += "\n"
        self._table([Column("variant"), *(Column(name, right=True) for name in bests)], rows)
        self._remark((MATRIX_OF_TIMES if self._timed else MATRIX_OF_COUNTS) + (f"; unknown where {why}" if why else "") + ".")

    def _show_comparison(self, ratio):
        if ratio.why:
            return "unknown"
        value = show_ratio(ratio.times.value) if ratio.differs else "no difference"
        return f"{value} ({show_ratio(ratio.times.low)} to {show_ratio(ratio.times.high)})" if self._timed else value

    def _write_bests(self):
        for (comparison, size), candidates in self._search.tuning.problems().items():
            groups, counts = self._search.groups(comparison, candidates), tally(candidates)
            tallies = [title for title in TALLIES if (self._timed if title == "samples" else counts[title])]
            self._heading(comparison, size)
            self._table([Column("variant"), *(TIMED_COLUMNS if self._timed else COUNTED_COLUMNS),
                         *(Column(tallied.replace("-", " "), right=True) for tallied in tallies)],
                        [self._best_row(name, group, tallies) for name, group in groups.items()])
            self._write_matrix(groups)

    # Launches by variant

    def _cell(self, candidate, suffix):
        """A candidate's figure, or its result."""
        if candidate is None or candidate.fate != "measured":
            return candidate.fate if candidate else ""
        return self._show(candidate.figure.value) + suffix + (" †" if candidate.rank == 2 else "")

    def _write_launches(self):
        for (comparison, size), candidates in self._search.tuning.problems().items():
            self._heading(comparison, size, " by launch")
            variants = {name: best(group) for name, group in self._search.groups(comparison, candidates).items()}
            by_launch = {(candidate.variant, candidate.launch): candidate for candidate in candidates}
            launches = list_launches(candidates)
            title = "launch"
            if all(len(values) == 1 for values in launches):
                axis = next(iter(self._search.axes.get(comparison, ())), title)
                title = "threads per block" if axis == "block" else axis
            rows = []
            for values, launch in launches.items():
                row = [launch if title == "launch" else show_figure(values[0])]
                for variant, winner in variants.items():
                    candidate = by_launch.get((variant, launch))
                    row.append(self._cell(candidate, " (best)" if self._timed and candidate and candidate is winner else ""))
                rows.append(row)
            self._table([Column(title), *(Column(variant, right=True) for variant in variants)], rows)
            if any(cell.endswith(" †") for row in rows for cell in row):
                self._remark("†: a race dropped it early, so its time has few samples.")

    # Notes

    def _summary(self):
        candidates = list(self._search.tuning.candidates.values())
        counts = tally(candidates)
        how = "counted exactly on the CPU model"
        if self._timed:
            how = f"raced, {counts['dropped']} dropped early, {counts['samples']} samples"
        fates = ", ".join(f"{counts[fate]} {fate}" for fate in FATES if counts[fate] or fate == "measured")
        return f"{plural(len(candidates), 'candidate')} in {self._search.seconds:.1f} s: {fates}; {how}"

    def _note(self, text):
        self._text += "- " if self._markdown else ""
        self._line(text)

    def _write_list(self, fate, lines, noun):
        for line in lines[:LONGEST_LIST]:
            self._note(f"{fate}: {line}")
        if len(lines) > LONGEST_LIST:
            self._note(f"{fate}: {len(lines) - LONGEST_LIST} more{noun}")

    def _write_notes(self):
        self._text += "\n"
        self._note(self._summary())
        candidates = list(self._search.tuning.candidates.values())
        for fate in ("skipped", "refused"):  # each reason once: hundreds may share it
            reasons = {}
            for candidate in candidates:
                if candidate.fate == fate:
                    reasons.setdefault(candidate.why, []).append(candidate.id)
            self._write_list(fate, [f"{plural(len(ids), 'candidate')}, such as {ids[0]}: {why}" for why, ids in reasons.items()],
                             " reasons")
        for fate in ("wrong", "failed"):
            self._write_list(fate, [f"{candidate.id}: {candidate.why}" for candidate in candidates if candidate.fate == fate],
                             ", all of them in the document of --json")
        throttled = sum(candidate.record.get("throttled") is True for candidate in candidates)
        shared = sum(number_of(member(candidate.record, "gpu_state"), "foreign_processes") > 0 for candidate in candidates)
        if throttled:
            self._note(f"environment: the GPU was throttled while {throttled} of the candidates were timed: let it cool down, "
                       "check its power limit, and search again")
        if shared:
            self._note(f"environment: other processes computed on the GPU while {shared} of the candidates were timed: end them, "
                       "and search again")


def list_launches(candidates):
    """The launches, by the values of their axes."""
    return dict(sorted({candidate.values: candidate.launch for candidate in reversed(candidates)}.items()))


# The document


def rounded(value):
    """A figure with its significant digits."""
    return float(f"{value:.9g}")


def interval_json(interval):
    return {key: rounded(value) for key, value in vars(interval).items() if math.isfinite(value)}


def candidate_json(tuning, candidate):
    entry = {"case": candidate.id, "fate": candidate.fate}
    if candidate.why:
        entry["why"] = candidate.why
    if candidate.fate == "measured":
        if tuning.timed:
            clock = text_of(member(candidate.record["metrics"], tuning.metric), "clock")
            entry[tuning.metric] = {**interval_json(candidate.time_or_count), "samples": candidate.samples,
                                    **({"clock": clock} if clock else {})}
        else:
            entry[tuning.metric] = {"value": int(candidate.figure.value)}
        entry.update({"dropped_in_round": candidate.dropped} if candidate.dropped else {})
        entry.update({key: getattr(candidate, key) for key in ("occupancy", "operations", "bytes")
                      if math.isfinite(getattr(candidate, key))})
        entry.update({"no_final": candidate.no_final} if candidate.no_final else {})
        entry.update({"throttled": True} if candidate.record.get("throttled") is True else {})
        if candidate.rounds:
            entry["final"] = {**interval_json(candidate.final), "rounds_ns": candidate.rounds}
    if isinstance(candidate.record.get("kernel"), dict):
        entry["kernel"] = candidate.record["kernel"]
    return entry


def ratio_json(timed, name, against, candidate, other):
    ratio = compare(timed, candidate, other)
    entry = {"variant": name, "against": against, "cases": [candidate.id, other.id]}
    if ratio.why:
        return {**entry, "why": ratio.why}
    entry["time_ratio" if timed else "count_ratio"] = interval_json(ratio.times)
    if ratio.rounds:
        entry["rounds"] = ratio.rounds
    return {**entry, "differs": ratio.differs}


def problem_json(search, comparison, size, candidates):
    tuning = search.tuning
    bests, ratios = [], []
    groups = search.groups(comparison, candidates)
    winners = {name: best(group) for name, group in groups.items() if group}
    for name, winner in winners.items():
        aims = {tuning.metric: winner}
        if tuning.timed:
            aims["occupancy"] = best(groups[name], "occupancy")
        bests.append({"variant": name, **{aim: found.id for aim, found in aims.items() if found}})
        ratios += [ratio_json(tuning.timed, name, against, winner, other) for against, other in winners.items()
                   if winner and other and against != name]
    return {"comparison": comparison, "size": size, "best": bests, "ratios": ratios}


def document_of(search, code):
    tuning = search.tuning
    document = {
        "schema": SCHEMA, "target": search.target, "metric": tuning.metric, "mode": "race" if tuning.timed else "count",
        "seconds": rounded(search.seconds),
        "candidates": [candidate_json(tuning, candidate) for candidate in tuning.candidates.values()],
        "problems": [problem_json(search, comparison, size, candidates)
                     for (comparison, size), candidates in tuning.problems().items()],
        "exit_code": code,
    }
    if search.provenance is not None:
        document["provenance"] = search.provenance
    if search.filter:
        document["filter"] = search.filter
    return document
