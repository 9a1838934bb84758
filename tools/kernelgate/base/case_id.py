"""The ids of cases, comparison/variant/size/launch: their only grammar in Python. A launch is the names of its axes, each with
its value, as in b256g1056 or bm128bn64; "-" where there is none to choose."""

import re
from dataclasses import dataclass

_PART = "[A-Za-z0-9_.-]{1,63}"
_VALUE = re.compile("([a-z_]+)([0-9]{1,18})")
_CASE = re.compile(f"({_PART})/({_PART})/({_PART})/(-|(?:[a-z_]+[0-9]{{1,18}}){{1,6}})")
LAUNCH = re.compile("-|([a-z_]{1,12}[1-9][0-9]*){1,6}")  # as tables give it


@dataclass(frozen=True)
class CaseId:
    comparison: str
    variant: str
    size: str
    launch: str

    def values(self):
        """The values of the launch's axes."""
        return tuple(int(value) for _, value in _VALUE.findall(self.launch))

    def first_axis(self):
        """The launch's first axis with its value, which cases that are timed side by side share; what follows is the rest."""
        found = _VALUE.match(self.launch)
        return found[0] if found else self.launch


def parse_case_id(text):
    """The parts of an id; None where it is none."""
    found = _CASE.fullmatch(text)
    return CaseId(*found.groups()) if found else None
