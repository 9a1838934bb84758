# SPDX-License-Identifier: MIT
"""Results as Markdown, for a job's summary page and a comment: the verdict, what failed, what changed, what to look at. What passed
is on the page and in results.json. Whatever failed, it has at most MOST_BYTES: each section has a share of them, and counts the
lines that do not fit."""

from kernelgate.base.figures import known_figure, known_percent, plural, unit_of
from kernelgate.base.groups import groups_of
from kernelgate.base.json_io import text_of
from kernelgate.base.results import VERDICTS, sass_lines, texts_of, verdict_of
from kernelgate.base.run_facts import describe_run, job_url
from kernelgate.base.text import code, escape_markdown, shorten, take_what_fits

MOST_BYTES = 60000
SHARES = {"head": 8000, "failed": 24000, "reproduce": 8000, "changed": 12000, "remarks": 6000}  # the rest is for headings and counts
LONGEST_TEXT = 300  # characters of a cell; a character may take 5 bytes
LONGEST_COMMAND = 2000


def cut(lines, share):
    """The first lines that fit a share, and how many do not."""
    taken, left = take_what_fits(lines, SHARES[share])
    return taken, ["", f"{plural(left, 'more line')}: the page and results.json have them."] if left else []


def prose(text):
    return escape_markdown(shorten(text, LONGEST_TEXT))


def name(text):
    return code(shorten(text, LONGEST_TEXT))


def row(verdict, what, target, reason):
    return f"| **{verdict}** | {what} | {name(target) if target else ''} | {prose(reason)} |"


def group_row(group):
    members = group.members()
    file, line = group.place or ("", 0)
    reason = group.reason if group.reason.startswith(file) else f"{file}:{line}: {group.reason}"
    return row(group.verdict, name(group.name) + (f" {prose(members)}" if members else ""), group.target, reason)


def table(heading, rows, share):
    if not rows:
        return []
    taken, rest = cut(rows, share)
    return ["", f"## {heading}", "", "| verdict | what | target | why |", "| --- | --- | --- | --- |", *taken, *rest]


def counts(run):
    """The machine of each target, and how many of its cases have which verdict."""
    found = {}
    for entry in run.list("cases"):
        of_target = found.setdefault(text_of(entry, "target"), {})
        of_target[verdict_of(entry)] = of_target.get(verdict_of(entry), 0) + 1
    shown = [verdict for verdict in reversed(VERDICTS) if any(verdict in of_target for of_target in found.values())]
    lines = [f"| {name(target)} | {prose(run.machine(target))} | " + " | ".join(str(of_target.get(verdict, 0)) for verdict in shown) + " |"
             for target, of_target in found.items()]
    return ["", "| target | machine | " + " | ".join(shown) + " |", "| --- | --- |" + " ---: |" * len(shown), *lines] if lines else []


def head(run):
    described, job = describe_run(run.object("run")), job_url(run.object("run"))
    lines = [f"# kernelgate: {prose(run.text('outcome'))}", "", f"{prose(run.text('headline'))}."]
    if described:
        lines += ["", prose(described) + (f", [job]({job})" if job and len(job) <= LONGEST_TEXT else "")]
    if run.text("unrecorded"):
        lines += ["", f"{prose(run.text('unrecorded'))}."]
    taken, rest = cut([*lines, *counts(run)], "head")
    return taken + rest


def reproductions(groups):
    """The commands that run the representatives of groups again, each once."""
    commands = dict.fromkeys(group.reproduce for group in groups if len(group.reproduce) <= LONGEST_COMMAND)
    taken, rest = cut([command for command in commands if command], "reproduce")
    return ["", "To run them again:", "", "```sh", *taken, "```", *rest] if taken else []


def move_row(group):
    move, unit = group.moves[0], unit_of(group.moves[0].metric)
    return " | ".join((f"| {name(move.case)} | {name(group.target)} | {name(move.metric)}", known_figure(move.baseline, unit),
                       known_figure(move.value, unit), known_percent(move.change, True), known_percent(move.limit))) + " |"


def changes(run, groups):
    """What the largest move of each group was, what may have caused it, and what became of the baselines."""
    lines = [f"{prose(text)}." for text in (run.text("changes"), f"Baselines{run.text('baselines')}" if run.text("baselines") else "") if text]
    lines += [f"- {prose(text)}" for text in texts_of(run.object("summary"), "loosened")]
    moved = [group for group in groups if group.moves]
    if moved:
        lines += [""] * bool(lines) + ["| case | target | metric | baseline | now | change | limit |", "| --- | --- | --- | ---: | ---: | ---: | ---: |"]
        lines += map(move_row, moved)
    causes = [(group, texts_of(group.entry, "changed"), sass_lines(group.entry)) for group in groups]
    for group, texts, sass in causes:
        if texts or sass:
            lines += ["", f"- {name(group.name)}", *(f"  - {prose(text)}" for text in texts), *(f"  - {name(line)}" for line in sass)]
    taken, rest = cut(lines, "changed")
    return ["", "## What changed", "", *taken, *rest] if taken else []


def write(run):
    groups = groups_of(run)
    failing = [group for group in groups if group.fails]
    doubtful = [group for group in groups if not group.fails and group.verdict not in ("faster", "more-accurate")]
    lines = head(run) + table("Failed", list(map(group_row, failing)), "failed") + reproductions(failing) + changes(run, groups)
    lines += table("To look at", list(map(group_row, doubtful)), "remarks")
    return "\n".join(lines) + "\n"
