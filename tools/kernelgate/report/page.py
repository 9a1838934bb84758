"""The page of a run, report/index.html: one file without references to others. It has the results and the data that
page.js shows of them."""

import html
import json
import os
import re

from kernelgate.report import plots
from kernelgate.base.errors import Failure
from kernelgate.base.files import open_regular
from kernelgate.base.groups import groups_of
from kernelgate.base.json_io import integer_of, list_of, member, object_of, text_of
from kernelgate.report.comparisons import comparisons_of, tables_of
from kernelgate.base.places import lines_around
from kernelgate.base.results import ALWAYS_SHOWN, COUNTERS, ERRORS, VERDICTS
from kernelgate.base.run_facts import describe_run, job_url
from kernelgate.report.publish_tables import facts, notes
from kernelgate.base.text import clean

CHART_JS = "/usr/share/javascript/chart.js/chart.min.js"
LONGEST_HEADER = 200  # how far into the file its name is searched
FAILURES_APART = 20  # groups of failures shown individually, with their samples; the others in a table
MEMBERS_NAMED = 100  # cases of a group
LINES_AROUND = 3  # of source, before and after the line of a finding; other places have only their line
MOST_CELLS = 100000  # per table; with more it is slow to show
FOLDER = os.path.dirname(os.path.abspath(__file__))


def read_chart_js():
    """The text of Chart.js; nothing in it may end its HTML element."""
    path = os.environ.get("KG_CHART_JS") or CHART_JS
    try:
        with open_regular(path) as file:
            text = file.read().decode("utf-8")
    except FileNotFoundError:
        raise Failure(f"Chart.js is not at {path}: apt-get install libjs-chart.js") from None
    except OSError as error:
        raise Failure(f"{path}: cannot be read: {error.strerror}: check its permissions") from None
    except UnicodeDecodeError:
        text = ""
    if "Chart.js v3." not in text[:LONGEST_HEADER] or "</script" in text.lower() or "<!--" in text:
        raise Failure(f"{path}: not a file of Chart.js 3: name one by KG_CHART_JS")
    return text


def _marked(text):
    """A text for a note; backticks and stars mark words."""
    return clean(text).replace("`", "'").replace("**", "* *")


def _column(table, column):
    rows = table.grid(column)
    most = 1 + MOST_CELLS // len(rows[0])
    return {"title": column.title, "rows": rows[:most], "more": max(0, len(rows) - most)}


def _table(table, numbers):
    """A comparison's table. For each variant the last case with counters by source line shows them."""
    lines = {case.variant: numbers[id(case.entry)] for case in table.cases if member(case.entry, "lines")}
    return {"comparison": table.comparison, "target": table.target, "facts": facts(table, _marked),
            "notes": notes(table, _marked), "left": 1 + table.has_launches(), "plots": plots.of_table(table),
            "columns": [_column(table, column) for column in table.shown_columns() or table.columns[:1]],
            "lines": [lines[variant] for variant in table.variants if variant in lines]}


def _tables(run, data, numbers):
    for comparison in comparisons_of(run):
        try:
            data["tables"] += [_table(table, numbers) for table in tables_of(run, comparison)]
        except Failure as failure:
            data["remarks"].append(f"A comparison has no table: {failure}.")


def _sources(run, found):
    """The source lines of a finding: its own, those of the callers, and that of the other thread."""
    named = [(found, LINES_AROUND), *((call, 0) for call in list_of(found, "called_at")), (object_of(found, "other"), 0)]
    shown = [lines_around(run.sources, text_of(at, "file"), integer_of(at, "line"), around) for at, around in named]
    return [lines for number, lines in enumerate(shown) if lines and lines not in shown[:number]]


def _group(group, numbers):
    """A group as the page shows it; of judged cases with the representative's place among them."""
    told = {"verdict": group.verdict, "name": group.name, "target": group.target, "why": group.reason,
            "members": group.members(MEMBERS_NAMED), "reproduce": group.reproduce}
    return {**told, "case": numbers[id(group.entry)]} if group.sizes else told


def _found(run, entry):
    """The errors of a case: its findings, each with source lines; else the line of its place."""
    findings = list_of(entry, "findings")
    told = [{"text": text_of(found, "text"), "sources": _sources(run, found)} for found in findings]
    return told if findings else [{"text": "", "sources": _sources(run, {**object_of(entry, "at")})}]


def data_of(run):
    """The page's data: the results, which cases to show first, and the comparisons' tables and plots."""
    cases = run.list("cases")
    numbers = {id(entry): number for number, entry in enumerate(cases)}
    groups = groups_of(run)
    failed = [group for group in groups if group.fails]
    data = {"results": run.document, "outcome": run.text("outcome"), "run": describe_run(run.object("run")),
            "job": job_url(run.object("run")), "headline": run.text("headline"),
            "verdicts": VERDICTS, "counters": COUNTERS, "errors": ERRORS,
            "shown": ALWAYS_SHOWN,
            "failed": [_group(group, numbers) for group in failed],
            "doubtful": [_group(group, numbers) for group in groups if not group.fails], "apart": FAILURES_APART,
            "tables": [], "remarks": []}
    for told, group in zip(data["failed"][:FAILURES_APART], failed):
        if group.sizes:
            told.update(plots=plots.of_case(group.entry), found=_found(run, group.entry))
    _tables(run, data, numbers)
    return data


def _read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def write(run):
    data = data_of(run)
    chart = ""
    if any(part.get("plots") for part in data["failed"] + data["tables"]):
        try:
            chart = read_chart_js()
        except Failure as failure:
            data["remarks"].append(f"No plots, tables alone: {failure}.")
    # "<" and line ends only occur in strings, which can be escaped.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    parts = {"title": html.escape(clean(data["outcome"])), "style": _read("page.css"), "script": _read("page.js"),
             "chart": chart, "data": text}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("page.html"))
