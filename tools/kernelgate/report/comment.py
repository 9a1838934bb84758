# SPDX-License-Identifier: MIT
"""Results as a comment in a pull request, at most LARGEST bytes. The results may be a stranger's: each of their texts is in
a code span, where GitHub makes no link, mention, reference or image of it, and a backslash would not keep it from doing so."""

from dataclasses import dataclass, field

from kernelgate.base.figures import known_figure, known_percent, plural, unit_of
from kernelgate.base.groups import groups_of
from kernelgate.base.json_io import integer_of, list_of, member, number_of, text_of
from kernelgate.base.results import OUTCOMES, RANKS, counts_as, items, texts_of, verdict_of
from kernelgate.base.text import clean, code, fit, take_what_fits
from kernelgate.report.console import without_place

LARGEST = 60 * 1024  # GitHub refuses more than 65536 characters
GROUPS_SIZE, TABLE_SIZE, LOOSENED_SIZE = 28 * 1024, 12 * 1024, 3 * 1024
LONGEST_TEXT = 600
MOST_VERDICTS = 20
MOST_CAUSES = 3
GRAVITY = (0, 77, 1)  # exit codes, the least grave first; any other is an error
HEADS = ("case", "target", "metric", "baseline", "now", "change", "limit", "verdict")


@dataclass
class Facts:
    """What the caller knows of the runs, and they do not decide themselves."""

    job: str = ""  # links; "" for none
    page: str = ""
    commit: str = ""
    remarks: list = field(default_factory=list)  # each a text that the caller wrote, as Markdown
    marker: str = ""


def _shown(text, in_table=False):
    return code(fit(clean(text), LONGEST_TEXT), in_table)


def _gravity(run):
    found = integer_of(run.document, "exit_code")
    return GRAVITY.index(found) if found in GRAVITY else len(GRAVITY)


def _verdict(run):
    word = OUTCOMES.get(integer_of(run.document, "exit_code"), "ERROR")
    return f"**{word}** {_shown(run.text('verdict').partition('  ')[2] or run.text('headline'))}"


def _place(entry):
    """The file and line of a failure as the results have them: the sources are not here."""
    found = next((place for place in (*list_of(entry, "findings")[:1], member(entry, "at")) if text_of(place, "file")), None)
    return text_of(found, "file"), max(integer_of(found, "line"), 0)


def _group(group):
    """A group of failures: what, where, how much and why, and how to see it again."""
    entry, members = group.entry, group.members()
    line = f"1. **{group.verdict}** {_shown(group.name)}" + (f" on {_shown(group.target)}" if group.target else "")
    lines = [line + (f": {_shown(members)}" if members else "")]
    file, number = _place(entry)
    why = text_of(next(iter(list_of(entry, "findings")), None), "text") or group.reason
    for label, text in (("at ", f"{file}:{number}" if number else file), ("", without_place(why, file, number)),
                        ("also: ", without_place(text_of(entry, "also"), file, number)),
                        *(("cause: ", text) for text in texts_of(entry, "changed")[:MOST_CAUSES]), ("reproduce: ", group.reproduce)):
        if text:
            lines.append(f"   - {label}{_shown(text)}")
    return lines


def _fill(found, lines_of, size, rest):
    """The lines of the first entries that fit, and a last one that counts the others."""
    lines, left = take_what_fits(found, size, lines_of)
    return lines + (["", f"{plural(left, rest)}: see the page."] if left else [])


def _moved(run):
    """The metrics that moved, those of failures first, by how far."""
    found = [(entry, name, metric) for entry in run.list("cases") for name, metric in items(member(entry, "metrics"))
             if RANKS[verdict_of(metric) if "verdict" in metric else "pass"] > RANKS["unchanged"] and number_of(metric, "baseline") >= 0]
    return sorted(found, key=lambda moved: (-RANKS[counts_as(moved[0])], -abs(number_of({"change": 0, **moved[2]}, "change"))))


def _row(moved):
    entry, name, metric = moved
    unit = unit_of(name)
    cells = [_shown(text_of(entry, "case"), True), _shown(text_of(entry, "target"), True), _shown(name, True)]
    cells += [known_figure(number_of(metric, key), unit) for key in ("baseline", "value")]
    cells += [known_percent(number_of(metric, "change"), True), known_percent(number_of(metric, "limit"))]
    return [f"| {' | '.join(cells)} | {verdict_of(metric)} |"]


def _table(runs):
    rows = [moved for run in runs for moved in _moved(run)]
    if not rows:
        return []
    return ["", f"<details><summary>{plural(len(rows), 'metric')} moved</summary>", "", f"| {' | '.join(HEADS)} |",
            "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |", *_fill(rows, _row, TABLE_SIZE, "more row"), "", "</details>"]


def write_comment(runs, facts):
    """The comment on some runs, the gravest first. With no failure it has three lines."""
    runs = sorted(runs, key=_gravity, reverse=True)
    lines = [_verdict(run) for run in runs[:MOST_VERDICTS]] or ["**ERROR** The run left no results."]
    lines = [line + "  " for line in [*lines, *facts.remarks]]  # two spaces end a line
    links = [f"[{name}]({url})" for name, url in (("job", facts.job), ("page and results", facts.page)) if url]
    lines.append(" · ".join(links + ([f"commit {code(facts.commit[:10])}"] if facts.commit else [])) or "kernelgate")
    groups = [group for run in runs for group in groups_of(run) if group.fails]
    if groups:
        lines += ["", *_fill(groups, _group, GROUPS_SIZE, "more group")]
    loosened = [text for run in runs for text in texts_of(run.object("summary"), "loosened")]
    if loosened:
        lines += ["", "Baselines are held more loosely:", ""]
        lines += _fill(loosened, lambda text: [f"- {_shown(text)}"], LOOSENED_SIZE, "more line")
    if groups:
        lines += _table(runs)
    return "\n".join([*lines, *([facts.marker] if facts.marker else [])]) + "\n"
