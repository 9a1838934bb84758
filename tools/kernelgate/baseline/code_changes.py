# SPDX-License-Identifier: MIT
"""The differences of baselines of generated code: their entries in a run's results are like those of other
baselines."""

from kernelgate.baseline.changes import LOOSENINGS
from kernelgate.code.code_verdicts import judge_cases, words_of


class CodeChanges:
    """The differences of two baselines, as read by code_baseline; None: absent."""

    def __init__(self, first, last):
        self._first, self._last = first, last
        before, now = (baseline.cases if baseline else {} for baseline in (first, last))
        self._new = len(now.keys() - before.keys())
        self._loosened = {how: [] for how in LOOSENINGS}  # of each a case with its description
        self._loosened["retired"] = [(case, {}) for case in before if case not in now]
        for entry in judge_cases("baseline", "sm", [(case, before[case], now[case]) for case in now
                                                 if case in before and before[case] != now[case]]):
            case = entry["case"]
            self._loosened["slower"] += [(case, {"metric": words_of(move), "before": move["before"], "after": move["now"]})
                                         for move in entry["moves"] if move["verdict"] == "slower"]
            # If the baseline lacks a kernel, only its spills are judged.
            if len(now[case]) < len(before[case]):
                self._loosened["no_longer_gated"].append((case, {"metric": "kernels of the launch"}))

    def _toolkits(self):
        """Notes that another nvcc than before is required for judging."""
        toolkits = [baseline.toolkit for baseline in (self._first, self._last) if baseline]
        return f"nvcc {toolkits[-1]}, was {toolkits[0]}" if len(set(toolkits)) > 1 else None

    def file_entry(self, target, state, why):
        entry = {"target": target, "state": state, **{how: len(found) for how, found in self._loosened.items()}, "new": self._new,
                 "sentinels_moved": 0}
        why = why or self._toolkits()
        return {**entry, "why": why} if why else entry

    def loosened_entries(self, target):
        for how in LOOSENINGS:
            yield from ({"target": target, "case": case, "kind": how, **more} for case, more in self._loosened[how])
