# SPDX-License-Identifier: MIT
"""Results for a terminal and a job's log: one line per comparison, failures as compilers print them, the verdict last."""

import math
import re
import textwrap

from kernelgate.base.case_id import comparison_of_case
from kernelgate.base import color
from kernelgate.base.json_io import integer_of, is_integer, list_of, member, number_of, object_of, text_of
from kernelgate.base.figures import plural, show_figure, show_percent, unit_of
from kernelgate.base.groups import groups_of, is_counted
from kernelgate.base.results import (MODEL_KEY, VERDICTS, is_reported_only, reason_of, refusal_word, sass_lines, shown_metrics, texts_of,
                                     verdict_of, was_left_alone)
from kernelgate.base.run_facts import describe_run
from kernelgate.base.text import clean

DETAILS = ("quiet", "brief", "verbose")  # only the verdict, one line per comparison, or one per case
MOST_NOTES = 6  # further notes are counted: the page has them
LONGEST_LINE = 160  # of a failure; the rest of it is on the lines below
MOST_FAILURES = 20  # as further failures are
MOST_FINDINGS = 3  # per case; more are counted
KINDS = {"error": "", "skipped": "nothing to judge"}  # what a failure is called; else its verdict
RACES = ("race_in_warp", "race_in_block", "race_between_blocks", "missing_fence")
JOBS = {"check": "checked", "defects": "caught", "time": "timed", "count": "counted", "import": "imported", "code": "compiled"}
TIMES = {"time_ns": "hot", "cold_time_ns": "cold"}
SEVERITIES = {"error": color.RED, "warning": color.YELLOW, "note": ""}
UNJUDGED = ("refused", "gpu-only")
RATIOS = {  # the text before and after a ratio
    "global_load_sectors_per_request": (", ", " sectors each"),
    "global_store_sectors_per_request": (", ", " each"),
    "shared_load_wavefronts_per_request": ("  shared loads ", " wavefronts each"),
    "shared_store_wavefronts_per_request": ("  shared stores ", ""),
}


def count_text(metrics, name, what):
    """ "  barriers 78 608 (+0.5 %)", for a counter that is or was above 0."""
    metric = metrics.get(name)
    value, change = number_of(metric, "value"), number_of(metric, "change")
    if not value > 0 and not number_of(metric, "baseline") > 0:
        return ""
    moved = f" ({show_percent(change, True)})" if math.isfinite(change) and change != 0 else ""
    return f"  {what} {show_figure(value)}{moved}"


def ratio_text(metrics, name):
    """ ", 2.35 sectors each (was 2.00)"."""
    if name not in metrics:
        return ""
    before, after = RATIOS[name]
    baseline = number_of(metrics[name], "baseline")
    now, then = f"{number_of(metrics[name], 'value'):.2f}", f"{baseline:.2f}"
    return f"{before}{now}{after}" + ("" if math.isnan(baseline) or now == then else f" (was {then})")


def counted_figures(entry):
    metrics, sampled = object_of(entry, "metrics"), object_of(entry, "sampled")
    text = count_text(metrics, "global_load_requests", "loads") + ratio_text(metrics, "global_load_sectors_per_request")
    text += count_text(metrics, "global_store_requests", "stores") + ratio_text(metrics, "global_store_sectors_per_request")
    text += ratio_text(metrics, "shared_load_wavefronts_per_request")
    text += ratio_text(metrics, "shared_store_wavefronts_per_request")
    text += count_text(metrics, "barriers", "barriers")
    if integer_of(sampled, "of") > 0:
        blocks, all_blocks = (show_figure(integer_of(sampled, key)) for key in ("blocks", "of"))
        text += f"  sampled, {blocks} of {all_blocks} blocks"
    return text


def timed_figures(entry):
    """ "  hot 60 600 ns (+1.0 %)  cold 73 000 ns (0.0 %)"."""
    text = ""
    for name, metric in shown_metrics(entry):
        change = number_of(metric, "change")
        moved = f" ({show_percent(change, True)})" if math.isfinite(change) else ""
        text += f"  {TIMES.get(name, name)} {show_figure(number_of(metric, 'value'), unit_of(name))}{moved}"
    return text


def case_line(entry):
    why = reason_of(entry) if text_of(entry, "why") else ""
    figures = counted_figures(entry) if is_counted(entry) else timed_figures(entry)
    if not figures and not why:
        figures = "  checked"
    return (f"{verdict_of(entry):11}  {text_of(entry, 'target'):11}  {text_of(entry, 'case'):32}{figures}"
            f"{'  ' if why else ''}{why}")


def without_place(text, file, line):
    """A text without the file and line that are shown before it; a kernel's may begin with its launcher's file."""
    for prefix in (f"{file}:{line}: ", f"{file}: "):
        if text.startswith(prefix):
            return text[len(prefix):]
    return re.sub(r"^[^\s:]+\.cu: ", "", text) if file else text


def wrapped(text, indent):
    """A text as lines of at most LONGEST_LINE, the further ones indented."""
    return textwrap.wrap(text, LONGEST_LINE, subsequent_indent=" " * indent, break_on_hyphens=False) or [""]


class Console:
    """The lines of a report on their way to the console."""

    def __init__(self, run, detail, colored):
        self.run = run
        self.verbose = detail == "verbose"
        self.colored = colored
        self.lines = []
        self.failures = 0  # printed or left out

    def paint(self, text, sequence):
        return color.paint(text, sequence if self.colored else None)

    def add(self, line):
        self.lines.append(line)

    def add_word(self, line):
        """Adds a line that begins with a verdict's word."""
        word, space, rest = clean(line).partition(" ")
        self.add(self.paint(word, color.OF_WORDS.get(word)) + space + rest)

    # One line per comparison, or per case.

    def of_comparison(self, key, target, comparison):
        """The cases of a comparison on a target, judged or refused."""
        return [entry for entry in self.run.list(key)
                if text_of(entry, "target") == target and comparison_of_case(text_of(entry, "case")) == comparison]

    def count(self, target, comparison):
        """How many cases of a comparison were checked, timed and so on, and how many were not judged, as words in
        their order."""
        counts = dict.fromkeys([*JOBS.values(), *UNJUDGED], 0)
        for entry in self.of_comparison("cases", target, comparison):
            for part in texts_of(entry, "parts"):
                if part in JOBS and not (part == "time" and was_left_alone(entry)):
                    counts[JOBS[part]] += 1
        for entry in self.of_comparison("refused", target, comparison):
            counts[refusal_word(entry)] += 1
        return counts

    def exceptions(self, target, comparison):
        """The cases of a comparison that did not simply pass: "2 slower, 1 noisy"."""
        verdicts = [verdict_of(entry) for entry in self.of_comparison("cases", target, comparison)]
        return ", ".join(f"{verdicts.count(verdict)} {self.paint(verdict, color.OF_WORDS[verdict])}"
                         for verdict in reversed(VERDICTS[1:]) if verdict in verdicts)

    def add_machine(self, target):
        machine = self.run.machine(target)
        self.add(clean(target) + ("  " if machine else "") + machine)

    def add_target(self, target):
        entries = self.run.list("cases") + self.run.list("refused")
        comparisons = dict.fromkeys(comparison_of_case(text_of(entry, "case")) for entry in entries
                                    if text_of(entry, "target") == target)
        counts = {comparison: self.count(target, comparison) for comparison in comparisons}
        words = [word for word in [*JOBS.values(), *UNJUDGED] if any(counted[word] for counted in counts.values())]
        width = max([12, *map(len, comparisons)])
        self.add_machine(target)
        for comparison, counted in counts.items():
            if self.verbose:
                for entry in self.of_comparison("cases", target, comparison):
                    self.add_word(case_line(entry))
                for entry in self.of_comparison("refused", target, comparison):
                    self.add_word(f"{refusal_word(entry):11}  {target:11}  {text_of(entry, 'case'):32}  {text_of(entry, 'why')}")
            row = "".join(f"  {counted[word]:5} {word:8}" if counted[word] else " " * 16 for word in words).rstrip()
            exceptions = self.exceptions(target, comparison)
            self.add(f"  {clean(comparison):{width}}{row}{'  ' if exceptions else ''}{exceptions}")

    def add_targets(self):
        """Adds the targets, GPUs first."""
        entries = self.run.list("cases") + self.run.list("refused")
        targets = dict.fromkeys(text_of(entry, "target") for entry in entries)
        for target in sorted(targets, key=lambda target: target == MODEL_KEY):
            self.add_target(target)

    # Failures: "file:line: error: kind: text", followed by the cases, the causes and the command that reproduces it.

    def add_first_line(self, severity, where, kind, text):
        front = f"{where}: {severity}:"
        first, *rest = wrapped(f"{front} {kind}{': ' if kind else ''}{clean(text)}", 4)
        if first.startswith(front):
            first = f"{where}: {self.paint(f'{severity}:', SEVERITIES[severity])}{first[len(front):]}"
        self.lines += [first, *rest]

    def add_failure(self, severity, where, kind, text):
        """Adds the first line; False if there are too many already."""
        self.failures += 1
        if self.failures > MOST_FAILURES:
            return False
        self.add("")
        self.add_first_line(severity, where, kind, text)
        return True

    def add_detail(self, label, text):
        if text:
            self.lines += wrapped(f"    {label}{clean(text)}", 8)

    def add_members(self, group):
        """Adds the case of a failure, or how many of the variant's and the first of them."""
        on = f" on {clean(group.target)}" if group.sizes and len(self.run.object("targets")) > 1 else ""
        members = group.members()
        named = f"{group.name}{on}" if group.name != group.cases[0] or not members else ""
        if group.sizes or members or group.place:
            self.add_detail("", ": ".join(filter(None, (named, members))))

    def place_of(self, group):
        """The place of a failure; a kernel as a whole has no line."""
        at = member(group.entry, "at")
        if text_of(at, "file"):
            return text_of(at, "file"), max(integer_of(at, "line"), 0)
        return (group.place[0], 0 if group.sizes else group.place[1]) if group.place else ("", 0)

    def add_findings(self, group, findings):
        """Adds a kernel's findings, the first lines of each."""
        entry = group.entry
        for number, finding in enumerate(findings[:MOST_FINDINGS]):
            file, line = text_of(finding, "file"), integer_of(finding, "line")
            where = clean(file or text_of(entry, "case")) + (f":{line}" if file and line > 0 else "")
            if number > 0:
                self.add_first_line("error", where, "", text_of(finding, "text"))
            elif not self.add_failure("error", where, "", text_of(finding, "text")):
                return False
        rest = findings[MOST_FINDINGS:]
        more = len(rest) + max(integer_of(entry, "more_findings"), 0)
        races = sum(text_of(finding, "kind") in RACES for finding in rest)
        if more:
            out = text_of(self.run.document, "out")
            self.add(f"    and {plural(more, 'more finding')}" + (f" ({plural(races, 'race')})" if races else "")
                     + (f": {clean(out)}/report/index.html" if out else ""))
        return True

    def add_reason(self, group):
        """Adds the reason of a group; one with figures of its own begins with it."""
        severity = "error" if group.fails else "note" if group.verdict in ("faster", "more-accurate") else "warning"
        file, line = self.place_of(group)
        where = clean(file or group.cases[0]) + (f":{line}" if file and line else "")
        kind = KINDS.get(group.verdict, group.verdict)
        return self.add_failure(severity, where, kind, without_place(group.reason, file, line))

    def add_group(self, group):
        entry, findings = group.entry, list_of(group.entry, "findings")
        has_texts = all(text_of(finding, "text") for finding in findings)  # results of an earlier version only have the reason
        if self.add_findings(group, findings) if findings and has_texts else self.add_reason(group):
            self.add_detail("also: ", without_place(text_of(entry, "also"), *self.place_of(group)))
            self.add_members(group)
            for cause in texts_of(entry, "changed"):
                self.add_detail("cause: ", cause)
            for line in sass_lines(entry) if self.verbose else ():
                self.add_detail("", line)
            if group.fails and group.reproduce:
                self.add(f"    reproduce: {group.reproduce}")  # one line, to be copied

    def add_failures(self):
        """Adds failures and doubtful cases, worst first."""
        for group in groups_of(self.run):
            self.add_group(group)
        if self.failures:
            self.add("")
        if self.failures > MOST_FAILURES:
            self.add(f"... and {self.failures - MOST_FAILURES} more in report/index.html")

    # Lines about the run as a whole.

    def add_claims(self):
        held = [entry for entry in self.run.list("claims") if member(entry, "holds") is True]
        if self.verbose:
            for entry in held:
                self.add_word(f"{'holds':11}  {'claim':11}  {text_of(entry, 'claim'):32}  {text_of(entry, 'why')}")
        for entry in filter(is_reported_only, self.run.list("claims")):
            self.add_word(f"{'reported':11}  {'claim':11}  {text_of(entry, 'claim'):32}  {text_of(entry, 'why')}")
        if held:
            self.add(f"claims: {len(held)} hold{'s' if len(held) == 1 else ''}")

    def add_notes(self):
        """Adds the notes, each once, however many tests have it."""
        notes = {}
        for entry in self.run.list("notes"):
            notes.setdefault(text_of(entry, "note"), entry)
        shown = list(notes.values()) if self.verbose else list(notes.values())[:MOST_NOTES]
        for entry in shown:
            self.add_word(f"{'note':11}  {text_of(entry, 'target'):11}  {text_of(entry, 'note')}")
        if len(notes) > len(shown):
            self.add(f"... and {len(notes) - len(shown)} more notes in report/index.html")

    def add_verdict(self):
        code = member(self.run.document, "exit_code")
        found = {0: color.GREEN, 77: color.YELLOW}.get(code, color.RED) if is_integer(code) else color.RED
        word, gap, rest = clean(self.run.text("verdict")).partition("  ")
        self.add(self.paint(word, found) + gap + rest)

    def add_all(self):
        self.add_targets()
        self.add_failures()
        self.add_claims()
        self.add_notes()
        filtered = sum(text_of(test, "skipped_by") == "filter" for test in self.run.list("tests"))
        if filtered:
            self.add(f"not selected by --filter: {plural(filtered, 'test')}")
        for key in ("unrecorded", "changes"):
            if self.run.text(key):
                self.add(self.run.text(key))
        described = describe_run(self.run.object("run"))
        if described:
            self.add(f"run: {described}")
        if self.run.text("baselines"):
            self.add(f"baselines{clean(self.run.text('baselines'))}")
        self.add_verdict()


def write(run, detail="brief", colored=False):
    console = Console(run, detail, colored)
    if detail == "quiet":
        console.add_verdict()
    else:
        console.add_all()
    return "\n".join(console.lines) + "\n"
