# SPDX-License-Identifier: MIT
"""What the runs of a history measured of a case, commit after commit.

Commits come in the order of git's first parents where the repository has them, else their runs come by time: a run of an old
commit is placed where the commit is. Both are seconds since 1970, so that they mix."""

from dataclasses import dataclass

from kernelgate.base.errors import Failure
from kernelgate.base.git import ask_git
from kernelgate.base.json_io import number_of, object_of
from kernelgate.base.programs import glob_meant, globs_take
from kernelgate.base.results import is_dismissed

STEP = 1e-6  # seconds between commits of one second
# Contents are joined to the chosen runs alone.
_RUNS = """WITH chosen AS (
        SELECT coalesce(p.seconds, r.at) AS place, m.content_id, r.* FROM measured m
        JOIN runs r ON r.id = m.run_id LEFT JOIN temp.places p ON p.commit_name = r.commit_name
        WHERE m.case_id = ?1 AND m.target_id = ?2 AND (?3 IS NULL OR r.branch = ?3)
        AND (?4 IS NULL OR substr(r.commit_name, 1, length(?4)) = ?4) ORDER BY place DESC, r.at DESC, r.id DESC LIMIT ?5)
    SELECT place, at, branch, commit_name, facts_id, f.hash, f.text, content_id, c.hash, c.text FROM chosen
    JOIN contents f ON f.id = facts_id JOIN contents c ON c.id = content_id ORDER BY place, at, chosen.id"""


def _first_parents(reference):
    """The commits from a branch, else from HEAD, to the first one, each with when it was committed, never before its parent."""
    said = ask_git("rev-list", "--first-parent", "--timestamp", "--end-of-options", reference, "--") if reference else None
    said = said or ask_git("rev-list", "--first-parent", "--timestamp", "HEAD", "--") or ""
    seconds = 0.0
    for line in reversed(said.splitlines()):
        at, _, commit = line.partition(" ")
        seconds = max(seconds + STEP, float(at))
        yield commit, seconds


@dataclass(frozen=True)
class Run:
    place: float  # among the commits, and when it began, both in seconds since 1970
    at: int
    branch: str
    commit: str
    facts: dict  # "run" of its results, and "machines" by target


@dataclass(frozen=True)
class Point:
    """A case in a run, and one of its metrics; no figures where it has none of that name."""

    run: Run
    verdict: str
    figures: dict

    @property
    def value(self):
        return number_of(self.figures, "value")

    def document(self):
        return {"run": self.run.facts, **self.figures, "verdict": self.verdict}


@dataclass(frozen=True)
class Series:
    case: str
    target: str
    metric: str
    points: list  # from the first to the last

    @property
    def moves(self):
        """Whether its values differ."""
        return len({point.value for point in self.points if point.figures}) > 1


class History:
    """The series of a database: of all runs, or of those of a branch, or of a commit by its first digits; of each case the last
    runs, or all."""

    def __init__(self, database, branch=None, last=None, commit=None):
        self._database = database
        self._choice = branch, commit, -1 if last is None else last
        self._contents = {}
        self._place_commits(branch)
        self._targets = database.query("SELECT name, id FROM targets ORDER BY name")

    def _place_commits(self, branch):
        known = {}
        for name, in self._database.query("SELECT DISTINCT commit_name FROM runs"):
            known.setdefault(len(name), set()).add(name)
        places = {}
        for commit, seconds in _first_parents(branch):
            for length, names in known.items():  # results of earlier versions have abbreviated names
                if commit[:length] in names:
                    places[commit[:length]] = seconds
        self._database.place(places)

    def cases(self, globs):
        """The names and ids of the cases that globs match. Failure if none does."""
        known = self._database.query("SELECT name, id FROM cases ORDER BY name")
        found = [(name, number) for name, number in known if globs is None or globs_take(globs, name)]
        if not found:
            meant = glob_meant(globs or "", [name for name, _ in known])
            raise Failure(f'{self._database.path}: has no case "{globs or "*"}"' + (f'; did you mean "{meant}"?' if meant else
                          ": `kernelgate history show '*'` has all"))
        return found

    def targets(self, globs):
        """The names and ids of the targets that globs match. Failure if none does."""
        found = [(name, number) for name, number in self._targets if globs is None or globs_take(globs, name)]
        if not found:
            known = ", ".join(name for name, _ in self._targets)
            raise Failure(f'{self._database.path}: has no target "{globs or "*"}": it has {known or "none"}')
        return found

    def _content(self, number, stored, text):
        """The content of a number, read once."""
        if number not in self._contents:
            self._contents[number] = self._database.content(number, stored, text)
        return self._contents[number]

    def entries(self, case_id, target_id):
        """The runs that had a case on a target, from the first to the last, each with its verdict and metrics."""
        for row in self._database.query(_RUNS, case_id, target_id, *self._choice):
            yield Run(*row[:4], self._content(*row[4:7])), self._content(*row[7:])

    def series(self, cases, targets, metric=None):
        """The series of cases on targets: of a metric, else of all. A run without the metric has a point where its verdict says
        why."""
        for case, case_id in cases:
            for target, target_id in targets:
                found = list(self.entries(case_id, target_id))
                names = dict.fromkeys(name for _, entry in found for name in entry["metrics"] if metric in (None, name))
                for name in names:
                    yield Series(case, target, name, [_point(run, entry, name) for run, entry in found
                                                      if name in entry["metrics"] or is_dismissed(entry["verdict"])])


def _point(run, entry, name):
    figures = object_of(entry["metrics"], name)
    return Point(run, figures.get("verdict", entry["verdict"]) if figures else entry["verdict"], figures)
