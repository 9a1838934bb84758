# SPDX-License-Identifier: MIT
"""Runs for the tests of the history: their results, and a repository whose commits they are of."""

import time

import results_fixture
from command_fixture import Folder  # pylint: disable=wrong-import-position
from results_fixture import GPU, MODEL

CASE = "m/tiled/530/b16"
BEGUN = 1_700_000_000


def timed(value, baseline=1000, limit=0.02, verdict="pass", case=CASE, **more):
    figures = {"value": value, "low": value - 2, "high": value + 2, "baseline": baseline, "limit": limit, "verdict": verdict, **more}
    return {"case": case, "target": GPU, "verdict": verdict, "why": "", "metrics": {"time_ns": figures}}


def counted(barriers, case=CASE, verdict="pass", **counters):
    metrics = {name: {"value": value, "baseline": value, "limit": 0.0, "verdict": verdict}
               for name, value in {"barriers": barriers, "shuffles": 4, **counters}.items()}
    return {"case": case, "target": MODEL, "verdict": verdict, "why": "", "metrics": metrics}


def failed(verdict="wrong", target=GPU, case=CASE):
    return {"case": case, "target": target, "verdict": verdict, "why": "1 of 9 elements wrong", "metrics": {}}


def time_text(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def results(*cases, at=0, commit=None, **run):
    """The results of a run that began so many seconds after BEGUN."""
    facts = {"started": time_text(BEGUN + at), "host": "runner-1", "branch": "main", "commit": commit or f"{at:040x}", "dirty": False,
             **run}
    return results_fixture.results(*cases, run={key: value for key, value in facts.items() if value is not None}, strict=True,
                                   boards={"GPU-1": {"target": GPU}}, exit_code=0)


class Histories(Folder):
    def add(self, *documents, code=0, told=""):
        """Adds each as a file of its own."""
        names = []
        for number, document in enumerate(documents):
            names.append(f"runs/{number}.json")
            self.write(names[-1], document)
        return self.expect(code, told, "history", "add", *names)

    def points(self, *arguments):
        """The points of the one series."""
        series, = self.document(0, "history", "show", *arguments, "--json")["series"]
        return series["points"]

    def commits(self, *arguments):
        return [point["run"]["commit"] for point in self.points(*arguments)]
