# SPDX-License-Identifier: MIT
"""The page of a run, report/index.html: one file without references to others, readable without JavaScript. The template
page.html has its parts, page.js sorts, filters, copies and draws plots."""

import contextlib
import json
import math
import os
import statistics
from collections import Counter
from functools import lru_cache

import jinja2
from markupsafe import Markup

from kernelgate.report import plots
from kernelgate.baseline.sessions import StoredSessions
from kernelgate.base.case_id import parts_of
from kernelgate.base.errors import Failure
from kernelgate.base.figures import known_figure, known_percent, plural, show_percent, unit_of
from kernelgate.base.groups import groups_of
from kernelgate.base.json_io import integer_of, is_number, list_of, member, number_of, object_of, text_of
from kernelgate.report.comparisons import comparisons_of, tables_of
from kernelgate.base.places import lines_around
from kernelgate.base.results import (COUNTERS, ERRORS, MODEL_KEY, RANKS, is_code, items, refusal_word, sass_lines, shown_metrics,
                                     shown_value, texts_of, variant_of, verdict_of)
from kernelgate.base.run_facts import describe_run, job_url
from kernelgate.report.publish_tables import facts, notes
from kernelgate.base.text import clean

FAILURES_APART = 20  # groups of failures shown individually, with their samples; the others in the table of what changed
CHANGES_SHOWN = 200  # groups in that table
MEMBERS_NAMED = 100  # cases of a group
MEMBERS_FIRST = 4  # of them in that table
LINES_SHOWN = 20  # of source, whose counts moved
CASES_SHOWN = 40  # of a group, with their figures
LINES_AROUND = 3  # of source, before and after the line of a finding; other places have only their line
MOST_CELLS = 100000  # per table; with more it is slow to show
MOST_ROWS = 2000  # of all cases
BETTER = ("faster", "more-accurate")
FOLDER = os.path.dirname(os.path.abspath(__file__))
BYTECODE = os.path.join(FOLDER, "__pycache__", "page.html.pyc")


def _marked(text):
    """A text for a note; backticks and stars mark words."""
    return clean(text).replace("`", "'").replace("**", "* *")


def _interval(pairs, metric):
    """The 95 % interval of a change: that of the pairs that settled it, else of this run's samples."""
    baseline = number_of(metric, "baseline")
    ends = [number_of(pairs, key) if pairs else number_of(metric, key) / (baseline or math.nan) - 1 for key in ("low", "high")]
    shown = [show_percent(end, True) for end in ends if math.isfinite(end)]
    return " to ".join(shown) if len(set(shown)) == 2 else ""


def _way(verdict, change):
    """What a change is for the reader: an arrow for its direction, and whether that is better or worse."""
    arrow = "▲" if change > 0 else "▼"
    if verdict in BETTER:
        return {"arrow": arrow, "word": "better"}
    return {"arrow": arrow, "word": "worse"} if RANKS.get(verdict, 0) >= RANKS["slower"] else {}


def _move(entry, name, metric):
    """A metric of a case, as a row shows it."""
    unit, verdict, pairs = unit_of(name), text_of(metric, "verdict") or verdict_of(entry), object_of(object_of(entry, "pairs"), name)
    change = number_of(pairs or metric, "change")
    if pairs:  # they compare with the base, not with the baseline
        sides = {"baseline": plots.numbers_of(pairs, "base_ns"), "value": plots.numbers_of(pairs, "head_ns")}
        metric = {**metric, **{key: statistics.median(times) for key, times in sides.items() if times}}
    return {"case": text_of(entry, "case"), "target": text_of(entry, "target"), "metric": name, "verdict": verdict,
            "baseline": known_figure(number_of(metric, "baseline"), unit), "value": known_figure(number_of(metric, "value"), unit),
            "change": known_percent(change, True), "way": _way(verdict, change), "interval": _interval(pairs, metric),
            # A time may also fall by less than it may rise, which its reason says.
            "limit": known_percent(number_of(metric, "limit")) if not change < 0 else "", "smallest": known_percent(number_of(metric, "smallest")),
            "gated": member(metric, "gated") is not False}


def _moves(entries, group):
    """The metric that decided each case of a group, and what else got worse in the first: a lost coalescing may come with a
    lost digit."""
    found = [(move, entries[group.target, move.case]) for move in group.moves[:CASES_SHOWN] if (group.target, move.case) in entries]
    moves = [_move(entry, move.metric, entry["metrics"][move.metric]) for move, entry in found]
    others = [_move(entry, name, metric) for move, entry in found[:1] for name, metric in entry["metrics"].items()
              if name != move.metric and RANKS.get(text_of(metric, "verdict"), 0) >= RANKS["slower"]]
    return {"moves": moves, "others": others}


def _sources(run, found):
    """The source lines of a finding: its own, those of the callers, and that of the other thread."""
    named = [(found, LINES_AROUND), *((call, 0) for call in list_of(found, "called_at")), (object_of(found, "other"), 0)]
    shown = [lines_around(run.sources, text_of(at, "file"), integer_of(at, "line"), around) for at, around in named]
    return [lines for number, lines in enumerate(shown) if lines and lines not in shown[:number]]


def _found(run, entry):
    """The errors of a case: its findings, each with source lines; else the line of its place."""
    findings = list_of(entry, "findings")
    told = [{"text": text_of(found, "text"), "sources": _sources(run, found)} for found in findings]
    return told if findings else [{"text": "", "sources": _sources(run, {**object_of(entry, "at")})}]


def _source(run, place):
    """The line of source at FILE:LINE; "" if it is not there."""
    file, _, number = place.rpartition(":")
    found = lines_around(run.sources, file, int(number), 0) if number.isdigit() else None
    return found["lines"][0].strip() if found else ""


def _cause(run, entry, reason):
    """Why, in a line: the first finding, what differs in the code, or the line of source whose counts moved most."""
    findings, at = list_of(entry, "findings"), object_of(entry, "at")
    if findings:
        first = findings[0]
        place = f"{text_of(first, 'file')}:{integer_of(first, 'line')}: " if text_of(first, "file") else ""
        return place + text_of(first, "text") + (f"; and {plural(len(findings) - 1, 'more finding')}" if findings[1:] else "")
    place = f"{text_of(at, 'file')}:{integer_of(at, 'line')}" if "lines_before" in entry and at else ""
    for pairs in object_of(entry, "pairs").values():
        reason = f"against {text_of(object_of(entry, 'base'), 'ref') or 'its base'}, {plural(integer_of(pairs, 'count'), 'pair')} of processes"
    return text_of(entry, "explanation") or ": ".join(filter(None, (place, _source(run, place)))) or reason


def _line_moves(run, entry):
    """The counts of lines of source that moved, before and now, the largest move first."""
    before, now = object_of(entry, "lines_before"), object_of(entry, "lines")
    counts = [(line, name, *(max(0, integer_of(member(lines, line), name)) for lines in (before, now)))
              for line in {**now, **before} if before for name in COUNTERS]
    moved = sorted((row for row in counts if row[2] != row[3]), key=lambda row: -abs(row[3] - row[2]))
    return [{"line": line, "source": _source(run, line) if line in now else "", "counter": name.replace("_", " "),
             "baseline": known_figure(was), "value": known_figure(value),
             "change": known_percent(value / was - 1, True) if was else "new",
             "way": _way("slower" if value > was else "faster", value - was)} for line, name, was, value in moved[:LINES_SHOWN]]


@lru_cache
def _sessions(sources, target):
    try:
        return StoredSessions.load(f"{sources}/baselines/{target}.json", target)
    except Failure:
        return StoredSessions("", target)


def _recorded(run, entry, metric):
    """What the baseline's sessions measured; nothing without a file of them."""
    return sum(_sessions(run.sources, text_of(entry, "target")).boards(text_of(entry, "case"), metric).values(), [])


def _group(run, entries, group):
    """A group as the page shows it."""
    entry = group.entry if group.sizes else {}
    count = len(list_of(entry, "findings"))
    return {"verdict": group.verdict, "name": group.name, "target": group.target, "why": group.reason, "fails": group.fails,
            "cause": _cause(run, entry, group.reason), "first": group.members(MEMBERS_FIRST),
            "members": group.members(MEMBERS_NAMED), "count": len(group.cases), "reproduce": group.reproduce, "findings": count,
            "more_findings": integer_of(entry, "more_findings"), "also": text_of(entry, "also"), **_moves(entries, group),
            "anchor": "", "found": [], "changed": [], "sass": [], "strips": [], "lines": []}


def _with_details(run, told, group):
    """Adds what a failure's card shows."""
    if group.sizes:
        told.update(strips=list(plots.strips_of(group.entry, lambda metric: _recorded(run, group.entry, metric))),
                    lines=_line_moves(run, group.entry), found=_found(run, group.entry), changed=texts_of(group.entry, "changed"),
                    sass=sass_lines(group.entry))
    return told


def _column(table, column):
    """A table of one column, without the rows that have no figure in it."""
    heads, *rows = table.grid(column)
    rows = [row for row in rows if any(cell != "-" for cell in row[1 + table.has_launches():])]
    most = MOST_CELLS // len(heads)
    return {"title": table.title(column), "heads": heads, "rows": rows[:most], "more": max(0, len(rows) - most)}


def _lines(run, table):
    """The counters of each line of source, of each variant's last case that has them; how much of a counter a line has is
    its heat."""
    cases = {case.variant: case.entry for case in table.cases if member(case.entry, "lines")}
    counted = [(line, object_of(entry["lines"], line), entry) for variant in table.variants if variant in cases
               for entry in [cases[variant]] for line in entry["lines"]]
    names = [name for name in COUNTERS if any(name in counts for _, counts, _ in counted)]
    rows = []
    for line, counts, entry in counted:
        whole = {name: sum(number_of(other, name) for other in entry["lines"].values() if is_number(member(other, name))) for name in names}
        cells = [(known_figure(number_of(counts, name)), round(100 * number_of(counts, name) / whole[name]) if number_of(counts, name) > 0 else 0)
                 for name in names]
        rows.append({"line": line, "case": text_of(entry, "case").partition("/")[2], "source": _source(run, line),
                     "cells": cells})
    return {"names": [name.replace("_", " ") for name in names], "rows": rows} if rows else None


def _table(run, table):
    """A comparison's table on a target."""
    return {"comparison": table.comparison, "target": table.target, "facts": facts(table, _marked), "notes": notes(table, _marked),
            "left": 1 + table.has_launches(), "plots": plots.of_table(table),
            "columns": [_column(table, column) for column in table.shown_columns() or table.columns[:1]], "lines": _lines(run, table)}


def _code_table(entries, comparison, target):
    """What nvcc generated for a comparison's cases on an architecture."""
    names = list(dict.fromkeys(name for entry in entries for name in object_of(entry, "metrics")))
    rows = [[text_of(entry, "case").partition("/")[2],
             *(known_figure(number_of(member(entry["metrics"], name), "value"), unit_of(name)) for name in names)] for entry in entries]
    column = {"title": "Generated code", "heads": ["case", *(name.replace("_", " ") for name in names)], "rows": rows[:MOST_ROWS],
              "more": max(0, len(rows) - MOST_ROWS)}
    return {"comparison": comparison, "target": target, "facts": f"Code that nvcc generates for {clean(target)}.", "notes": [], "left": 1,
            "plots": [], "columns": [column], "lines": None}


def _tables(run, comparison, remarks):
    try:
        tables = [_table(run, table) for table in tables_of(run, comparison)]
    except Failure as failure:
        remarks.append(f"A comparison has no table: {failure}.")
        return []
    coded = {}
    for entry in run.list("cases"):
        if is_code(text_of(entry, "target")) and parts_of(text_of(entry, "case"))[0] == comparison:
            coded.setdefault(text_of(entry, "target"), []).append(entry)
    return tables + [_code_table(entries, comparison, target) for target, entries in coded.items()]


def _share_notes(comparisons):
    """Takes the notes that several tables have out of them, and returns these."""
    tables = [table for _, found in comparisons for table in found]
    counts = Counter(note for table in tables for note in table["notes"])
    for table in tables:
        table["notes"] = [note for note in table["notes"] if counts[note] == 1]
    return [note for note, count in counts.items() if count > 1]


def _is_shown(entry, name, metric):
    """Whether a metric has a row among all cases: all times, and of exact figures, which the comparisons' tables have, those
    that moved."""
    exact = name in ERRORS or text_of(entry, "target") == MODEL_KEY or is_code(text_of(entry, "target"))
    return not exact or RANKS.get(text_of(metric, "verdict"), 0) > RANKS["pass"]


def _alike(run):
    """The cases by variant, target and verdict, the most serious first."""
    found = {}
    for entry in sorted(run.list("cases"), key=lambda entry: -RANKS[verdict_of(entry)]):
        key = variant_of(text_of(entry, "case")), text_of(entry, "target"), verdict_of(entry)
        found.setdefault(key, []).append(text_of(entry, "case")[len(key[0]):] or "-")
    rows = [{"variant": variant.rstrip("/"), "target": target, "verdict": verdict, "count": len(sizes), "sizes": ", ".join(sizes)}
            for (variant, target, verdict), sizes in found.items()]
    return rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)


def _metrics(run):
    rows = [_move(entry, name, metric) for entry in sorted(run.list("cases"), key=lambda entry: -RANKS[verdict_of(entry)])
            for name, metric in shown_metrics(entry) if _is_shown(entry, name, metric)]
    return rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)


def _fact(value):
    return f"{value:.6g}" if isinstance(value, float) else shown_value(value)


def _facts(of, members):
    """Each fact, those within an object by both their names."""
    for key, value in items(members):
        if isinstance(value, dict) and value:
            yield from ((of, f"{key}: {inner}", _fact(fact)) for inner, fact in value.items())
        else:
            yield of, key, _fact(value)


def _machines(run):
    boards = run.object("boards")
    for target, members in run.object("targets").items():
        yield from _facts(target, members)
        # One board is the target's provenance; several have their own.
        if sum(text_of(board, "target") == target for board in boards.values()) <= 1:
            known = object_of(run.object("provenance"), target)
            yield from _facts(target, {key: value for key, value in known.items() if member(members, key) != value})
    if len(boards) > 1:
        for uuid, board in boards.items():
            yield from _facts(uuid, member(board, "provenance"))


def _test(test):
    seconds = number_of(test, "seconds")
    end = text_of(test, "skipped") or ("finished" if member(test, "complete") is True else "ended before it was finished")
    return (text_of(test, "name"), text_of(test, "target"), f"{seconds:.2f}" if math.isfinite(seconds) else "",
            integer_of(test, "exit_code"), text_of(test, "board"), end)


def _apart(told):
    """The groups that failed or got better, and apart those that fail nothing, so that many of these hide no other."""
    groups = [one for one in told if one["fails"] or one["verdict"] in BETTER]
    excused = [one for one in told if not one["fails"] and one["verdict"] not in BETTER]
    counts = Counter()
    for one in excused:
        counts[one["verdict"]] += max(1, one["count"])
    return {"groups": groups[:CHANGES_SHOWN], "excused": excused[:CHANGES_SHOWN],
            "more_groups": sum(max(0, len(part) - CHANGES_SHOWN) for part in (groups, excused)),
            "excused_words": "Not failures: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items())}


def data_of(run):
    """What the template shows."""
    groups = groups_of(run)
    entries = {(text_of(entry, "target"), text_of(entry, "case")): entry for entry in run.list("cases")}
    told = [_group(run, entries, group) for group in groups]
    for number, (one, group) in enumerate(zip(told, groups)):
        if group.fails and number < FAILURES_APART:
            one["anchor"] = f"group-{number + 1}"
            _with_details(run, one, group)
    remarks = []
    comparisons = [(name, _tables(run, name, remarks)) for name in comparisons_of(run)]
    shared_notes = _share_notes(comparisons)
    alike, more_alike = _alike(run)
    metrics, more_metrics = _metrics(run)
    hardware = dict.fromkeys(text_of(target, "name") or key for key, target in sorted(run.object("targets").items()))
    return {"outcome": run.text("outcome"), "headline": run.text("headline"), "run": describe_run(run.object("run")),
            "job": job_url(run.object("run")), "hardware": ", ".join(hardware),
            "state": {0: "passed", 1: "failed", 2: "failed"}.get(integer_of(run.document, "exit_code"), "doubtful"),
            "baselines": run.text("baselines"), "loosened": texts_of(run.object("summary"), "loosened"), "changes": run.text("changes"),
            **_apart(told), "failed": [one for one in told if one["anchor"]],
            "comparisons": [(name, tables) for name, tables in comparisons if tables], "remarks": remarks, "notes": shared_notes,
            "refused": [(refusal_word(entry), text_of(entry, "case"), text_of(entry, "target"), text_of(entry, "why")) for entry in run.list("refused")]
                       + [("skipped", text_of(test, "name"), text_of(test, "target"), test["skipped"]) for test in run.list("tests")
                          if isinstance(member(test, "skipped"), str)],
            "claims": [("holds" if member(claim, "holds") is True else "claim", text_of(claim, "claim"), text_of(claim, "target"),
                        text_of(claim, "why")) for claim in run.list("claims")],
            "told": [(text_of(note, "target"), text_of(note, "note")) for note in run.list("notes")],
            "alike": alike, "more_alike": more_alike, "metrics": metrics, "more_metrics": more_metrics, "cases": len(run.list("cases")),
            "machines": list(_machines(run)), "tests": list(map(_test, run.list("tests")))}


def _shown(value):
    return clean(value) if type(value) is str else value  # pylint: disable=unidiomatic-typecheck # Markup is a str, and is done


def _script_data(value):
    """JSON for a script element, whose end no text may write."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _markup(text):
    """A note's line: `code` and **words** as elements."""
    parts = []
    for number, part in enumerate(clean(text).split("`")):
        words = [Markup("<strong>%s</strong>" if place % 2 else "%s") % word for place, word in enumerate(part.split("**"))]
        parts.append(Markup("<code>%s</code>") % part if number % 2 else Markup("").join(words))
    return Markup("").join(parts)


class _Bytecode(jinja2.BytecodeCache):
    """The template's bytecode, which the build leaves next to that of the modules: to compile it takes 0.08 s of each run. Jinja uses it
    only if it has the hash of the template."""

    def load_bytecode(self, bucket):
        with contextlib.suppress(OSError), open(BYTECODE, "rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket):
        if __name__ == "__main__":
            with contextlib.suppress(OSError), open(BYTECODE, "wb") as file:
                bucket.write_bytecode(file)


def _template():
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, finalize=_shown, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined, bytecode_cache=_Bytecode())
    environment.filters["plural"] = plural
    return environment.get_template("page.html")


def write(run):
    data = data_of(run)
    drawn = []
    for part in (table for _, tables in data["comparisons"] for table in tables):
        part["first_plot"] = len(drawn)
        drawn += part["plots"]
    chart = ""
    if drawn:
        try:
            _, _, chart = plots.read_chart_js()
        except Failure as failure:
            data["remarks"].append(f"No plots, tables alone: {failure}.")
    return _template().render(
        data, style=_read("page.css"), script=_read("page.js"), chart=chart, drawn=_script_data(drawn if chart else []), marked=_markup)


if __name__ == "__main__":
    _template()
