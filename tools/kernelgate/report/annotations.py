"""Annotations: failures as GitHub Actions shows them next to the lines of a change. They are workflow commands, lines
of a job's log such as

    ::error file=kernels/a/b.cu,line=14,title=slower%3A a/b/64/b32 on t::slower by 6.3 %25
"""

import math
import os
from dataclasses import dataclass, field

from kernelgate.base.json_io import integer_of, list_of, member, number_of, text_of
from kernelgate.report.places import find_kernel, find_line, place_of_claim
from kernelgate.base.results import RANKS, fails, items, reason_of, variant_of, verdict_of
from kernelgate.base.text import clean

MOST = 10  # GitHub shows ten errors and ten warnings of a step, and drops the others
LONGEST_TITLE = 255  # GitHub cuts longer ones
OTHERS_NAMED = 20
SPECIAL = "%\r\n:,"  # escaped in a property


def escape(text, special="%\r\n"):
    return "".join(f"%{ord(c):02X}" if c in special else c for c in text)


def prefix_of(folder, repository):
    """The path of a folder in a repository, ending in a slash; "" if it is the repository itself, or elsewhere."""
    inner, root = os.path.realpath(folder), os.path.realpath(repository) if repository else ""
    return os.path.relpath(inner, root) + "/" if root and inner.startswith(root.rstrip("/") + "/") else ""


def place_of(run, entry):
    """An entry's place in the sources: its first finding's, else its own, else the case's kernel."""
    first = (list_of(entry, "findings") or [None])[0]
    for file, line in ((text_of(first, "file"), integer_of(first, "line")),
                       (text_of(member(entry, "at"), "file"), integer_of(member(entry, "at"), "line"))):
        place = find_line(run.sources, file, "__global__")
        if place is not None:
            return place[0], line if line > 0 else place[1]
    return find_kernel(run.sources, text_of(entry, "case"))


def largest_change(entry):
    """The largest change of a case's metrics for the worse; 0 if none is known."""
    changes = [number_of(metric, "change") for _, metric in items(member(entry, "metrics"))]
    return max([0.0, *filter(math.isfinite, changes)])


@dataclass
class Annotation:
    fails: bool
    rank: int
    title: str
    message: str
    reproduce: str = ""
    place: tuple = None
    change: float = 0.0
    others: list = field(default_factory=list)  # the further cases that it represents
    entry: dict = field(default_factory=dict)  # of the results

    def line(self, prefix):
        where = f"file={escape(prefix + self.place[0], SPECIAL)},line={self.place[1]}," if self.place else ""
        text = self.message + (f"\nreproduce: {self.reproduce}" if self.reproduce else "")
        if self.others:
            text += "\nalso: " + ", ".join(map(clean, self.others[:OTHERS_NAMED]))
        if len(self.others) > OTHERS_NAMED:
            text += f" and {len(self.others) - OTHERS_NAMED} more"
        return f"::{'error' if self.fails else 'warning'} {where}title={escape(self.title, SPECIAL)}::{escape(text)}"


def title_of(kind, what, target):
    return clean(f"{kind}: {what}" + (f" on {target}" if target else ""))[:LONGEST_TITLE]


def of_cases(run):
    """One per group of cases that failed alike, else per verdict, target and variant; the case that moved most
    represents the others."""
    by_key = {}
    for entry in sorted(run.list("cases"), key=lambda entry: -largest_change(entry)):
        verdict, case, target = verdict_of(entry), text_of(entry, "case"), text_of(entry, "target")
        if RANKS[verdict] <= RANKS["faster"]:
            continue
        key = run.kind_of_failure(entry)
        if key in by_key:
            by_key[key].others.append(case)
            continue
        by_key[key] = Annotation(fails(verdict, run.strict), RANKS[verdict], title_of(verdict, case, target), reason_of(entry),
                                 clean(text_of(entry, "reproduce")), place_of(run, entry), largest_change(entry), entry=entry)
    return list(by_key.values())


def of_claims(run):
    for entry in run.broken_claims():
        yield Annotation(True, RANKS["slower"], title_of("claim", text_of(entry, "claim"), text_of(entry, "target")),
                         clean(text_of(entry, "why")), clean(text_of(entry, "reproduce")),
                         place_of_claim(run.sources, text_of(entry, "claim")), entry=entry)


def of_vanished(run):
    by_key = {}
    for entry in run.list("vanished"):
        case, target = text_of(entry, "case"), text_of(entry, "target")
        key = (target, variant_of(case))
        if key in by_key:
            by_key[key].others.append(case)
        else:
            by_key[key] = Annotation(True, RANKS["no-baseline"], title_of("vanished", case, target), clean(text_of(entry, "why")),
                                     place=find_line(run.sources, f"baselines/{target}.json", case), entry=entry)
    return list(by_key.values())


def of_errors(run):
    for entry in run.list("errors"):
        yield Annotation(True, RANKS["error"], title_of("error", text_of(entry, "test") or "kernelgate", ""),
                         clean(text_of(entry, "why")), clean(text_of(entry, "reproduce")), entry=entry)


def collect(run):
    """All that failed or is doubtful, the worst first."""
    found = [*of_errors(run), *of_cases(run), *of_claims(run), *of_vanished(run)]
    return sorted(found, key=lambda one: (not one.fails, -one.rank, -one.change))


def write(run):
    """MOST annotations, the worst first; the last one counts those that are not shown."""
    found = collect(run)
    shown = found if len(found) <= MOST else found[:MOST - 1]
    lines = [one.line(run.prefix) for one in shown]
    if len(found) > MOST:
        more = len(found) - len(shown)
        lines.append(f"::{'error' if found[len(shown)].fails else 'warning'} title={more} more::kernelgate found {more} more "
                     "than is shown here: see the job's summary, or summary.md and results.json")
    return "".join(line + "\n" for line in lines)
