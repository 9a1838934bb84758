# SPDX-License-Identifier: MIT
"""kernelgate baseline diff: prints how far baselines have moved since a file or a commit."""

import math
import re
import sys

from kernelgate.code import code_baseline
from kernelgate.baseline.changes import Changes
from kernelgate.baseline.file import Baseline, Commit, default_folder, load, open_named, parse, path_of, read, split_path
from kernelgate.baseline.code_changes import CodeChanges
from kernelgate.base.command_line import add_format, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import json_text, text_of
from kernelgate.base.figures import plural, show_figure, show_percent, unit_of
from kernelgate.base.text import clean
from kernelgate.base.columns import Column, Figure, Table

COLUMNS = (Column("target", csv_only=True), Column("case"), Column("metric"), Column("first", right=True),
           Column("last", right=True), Column("change", right=True), Column("band", right=True), Column("note"))


def note_of(difference, limit):
    if difference.ungated:
        return "no longer gated"
    if not difference.moved:
        return ""
    if difference.exceeds(limit):
        return "beyond the limit"
    if not difference.gated:
        return "not gated"
    if difference.first is not None and not difference.was_gated:
        return "gated now"
    if difference.beyond:
        return "slower" if difference.slower else "faster" if difference.faster else ""
    return "loosened" if difference.loosened else ""


def value_cell(difference, metric):
    """A value; a counter that a case lacks is 0."""
    if metric is None and not difference.moved:
        return Figure("-", "")
    value = metric.value if metric else 0.0
    return Figure(show_figure(value, unit_of(difference.metric)), value)


def change_cell(difference):
    if not difference.moved:
        return difference.kind
    return Figure("from 0" if math.isinf(difference.change) else show_percent(difference.change, True), difference.change)


def band_cell(difference):
    """The band; for readers also the old one if it changed."""
    now, first = difference.now, difference.first
    if now is None:
        return Figure("-", "")
    was = f", was {show_percent(first.band)}" if first is not None and first.band != now.band else ""
    return Figure(show_percent(now.band) + was, now.band)


def metric_json(metric):
    return metric and {"value": metric.value, "band": metric.band, "gated": metric.gated}


def change_json(difference, limit):
    entry = {"case": difference.case, "kind": difference.kind, "first": metric_json(difference.first),
             "last": metric_json(difference.last), "note": note_of(difference, limit)}
    if difference.metric is not None:
        entry["metric"] = difference.metric
    if difference.change is not None and math.isfinite(difference.change):
        entry["change"] = difference.change
    return entry


class Report:
    """The command's output about its files."""

    def __init__(self, limit):
        self.limit = limit
        self.files = []

    def add(self, title, first, last):
        self.files.append((title, text_of(last.target, "key") or text_of(first.target, "key"), Changes(first, last)))

    def beyond(self):
        return sum(self._beyond(changes) for _, _, changes in self.files)

    def _beyond(self, changes):
        return changes.cases(lambda difference: difference.exceeds(self.limit))

    def _tally(self, changes):
        slower = {difference.case for difference in changes.differences if difference.slower}
        faster = {difference.case for difference in changes.differences if difference.faster} - slower
        return {"cases": len(changes.both), "slower": len(slower), "faster": len(faster), "new": changes.whole("new"),
                "retired": changes.whole("retired"), "no_longer_gated": changes.count("ungated"),
                "held_more_loosely": changes.count("loosened"), "beyond_limit": self._beyond(changes)}

    def json(self):
        document = {"schema": "kernelgate-drift/1", "beyond_limit": self.beyond(),
                    "files": [{"title": title, "target": target,
                               "changes": [change_json(difference, self.limit) for difference in changes.differences],
                               "tally": self._tally(changes), "sentinels": changes.sentinel_changes()}
                              for title, target, changes in self.files]}
        return json_text(document if self.limit is None else {**document, "limit": self.limit})

    def _sum(self, changes):
        """The summary of a table in one sentence."""
        tally = self._tally(changes)
        words = f"{tally['slower']} of {plural(tally['cases'], 'case')} slower by more than their band in all"
        if self.limit is not None:
            words += f", {tally['beyond_limit']} by more than {show_percent(self.limit)}"
        words += f"; {tally['faster']} faster, {tally['new']} new, {tally['retired']} retired"
        for count, what in ((tally["no_longer_gated"], "no longer gated"), (tally["held_more_loosely"], "held more loosely")):
            if count:
                words += f"; {plural(count, 'metric')} {what}"
        return words + "\n"

    def _rows(self, target, changes):
        for difference in changes.differences:
            values = [value_cell(difference, metric) for metric in (difference.first, difference.last)]
            metric = Figure(difference.metric or "-", difference.metric or "")
            yield (target, difference.case, metric, *values, change_cell(difference), band_cell(difference),
                   note_of(difference, self.limit))

    def table(self, form):
        texts = []
        for title, target, changes in self.files:
            table = Table(COLUMNS, self._rows(target, changes))
            text = f"{'## ' if form == 'markdown' else ''}{clean(title)}\n\n"
            if table.rows:
                text += table.format(form) + "\n"
            moved = ", ".join(f"{name} {show_percent(change, True)}" for name, change in changes.sentinel_changes().items())
            texts.append(text + self._sum(changes) + (f"sentinels, which no commit touches: {moved}\n" if moved else ""))
        return "\n".join(texts)

    def csv(self):
        """The rows; the summaries go to the standard error, so that no program reads them as rows."""
        sys.stderr.write("".join(f"{clean(title)}: {self._sum(changes)}" for title, _, changes in self.files))
        return Table(COLUMNS, [row for _, target, changes in self.files for row in self._rows(target, changes)]).format("csv")


def add_files(report, names):
    first, last = map(open_named, names)
    if first.is_model != last.is_model:
        raise Failure(
            f"baseline diff: {first.path} and {last.path} have nothing to compare: one has counters of the CPU model, the "
            "other a GPU's times: name two of one target")
    different = "" if first.target["key"] == last.target["key"] else " (different targets)"
    report.add(f"from {first.path} to {last.path}{different}", first, last)


def add_since(report, path, reference):
    """Adds a file and its state at a commit. One that is absent counts as empty: all cases are new or retired."""
    folder, name = split_path(path)
    commit = Commit(folder, reference)
    data = commit.read(name)
    try:
        first = None if data is None else parse(commit.label(name), name, data)
    except Failure as failure:
        raise Failure(f"{failure} (this is how the file was then: choose a later commit)") from None
    last = load(path)
    if first is None and last is None:
        raise Failure(f"{path}: there is no such file, and there was none at {reference}: name another")
    state = ": it is new" if first is None else ": it is gone" if last is None else ""
    report.add(f"{path} since {reference}{state}", first or Baseline(path), last or Baseline(path))


def all_paths(reference):
    folder = default_folder()
    names = Commit(folder, reference).list_files()
    if not names:
        raise Failure(f"{folder}: holds no baseline, and held none at {reference}: name another folder, or a file")
    return [f"{folder}/{name}" for name in names]


def loosened(reference):
    """The loosened limits of all baselines, for a run's results. A file that was invalid at the reference does not
    prevent its fix."""
    folder = default_folder()
    commit = Commit(folder, reference)
    document = {"since": reference, "commit": commit.name, "files": [], "loosened": []}
    for name in commit.list_files() + commit.list_files(code_baseline.architecture_of):
        path = f"{folder}/{name}"
        target, architecture = name.partition(".")[0], code_baseline.architecture_of(name)
        data, why, first = commit.read(name), None, None
        last = code_baseline.read(folder, architecture) if architecture else load(path)
        try:
            if data is not None:
                label = commit.label(name)
                first = code_baseline.parse(label, data, architecture) if architecture else parse(label, name, data)
        except Failure as failure:
            why = str(failure)
        state = ("unreadable" if why else "new" if data is None else "removed" if last is None
                 else "unchanged" if data == read(path) else "changed")
        both = (None, None) if why else (first, last)
        changes = CodeChanges(*both) if architecture else Changes(*(baseline or Baseline(path) for baseline in both))
        document["files"].append(changes.file_entry(target, state, why))
        if state != "removed":  # everything in a deleted file counts as loosened
            document["loosened"] += changes.loosened_entries(target)
    return document


def limit_of(text):
    """The fraction of a limit given in percent, "5" or "2.5 %"."""
    if not re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)%?", text, re.ASCII):
        raise Failure(f"baseline diff: --limit {text}: is not a percentage of 0 or more, as in --limit 5")
    return float(text.rstrip("%")) / 100


def add_arguments(parser):
    parser.add_argument("names", nargs="*", metavar="FILE|KEY")
    parser.add_argument("--since", metavar="COMMIT", help="compare with the files at this commit, branch or tag")
    parser.add_argument("--limit", metavar="PERCENT", type=limit_of,
                        help="exit with 1 if a case got slower by more than this in total")
    add_format(parser)
    parser.epilog = """\
Between two files or, with --since, between a file at a commit and now: a chain of
slowdowns, each small enough to be accepted, adds up here. Without a file, all
baselines (KG_BASELINES, else baselines). Metrics that are not gated are shown and not
counted. CSV has the rows on the standard output and the sums on the standard error.
exit: 0 printed; 1 a case is beyond --limit; 2 no such file or commit, or an invalid
file
"""


def main(options):
    since, names, form = options.since, options.names, options.format
    report = Report(options.limit)
    if since is None and len(names) != 2:
        raise Failure("baseline diff: takes two files or keys, or --since COMMIT [FILE...]")
    if since is None:
        add_files(report, names)
    else:
        for path in map(path_of, names) if names else all_paths(since):
            add_since(report, path, since)
    print_output("baseline diff", report.json() if form == "json" else report.csv() if form == "csv" else report.table(form))
    return 1 if report.beyond() else 0
