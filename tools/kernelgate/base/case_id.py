"""The ids of cases, comparison/variant/size/launch: the only parser of their grammar in Python; its examples
(harness/tests/suite/case_ids.jsonl) also test harness/suite/case_id.c. A launch is the names of its axes, each with
its value, as in b256g1056 or bm128bn64; "-" without axes."""

import re
from dataclasses import dataclass

PARTS = ("comparison", "variant", "size", "launch")
LARGEST_VALUE = 2**31 - 1
_PART = "[A-Za-z0-9_.-]+"
_VALUE = re.compile("([a-z_]+)([0-9]+)")
_LAUNCH = "(?:-|(?:[a-z_]{1,12}[1-9][0-9]{0,9}){1,6})"
_NAME = f"({_PART[:-1]}{{1,63}})"
_CASE = re.compile(f"{_NAME}/{_NAME}/{_NAME}/({_LAUNCH})")
_ID = re.compile("/".join([_PART] * len(PARTS)))
LAUNCH = re.compile(_LAUNCH)


def parts_of(text):
    """The parts of an id, or of the beginning of one, such as a glob: four at most, the last with everything that
    follows."""
    return text.split("/", len(PARTS) - 1)


def is_case_id(text):
    """Whether a text can be an id, for any launches of its comparison."""
    return _ID.fullmatch(text) is not None


def head_of(text, count):
    """The first parts of an id."""
    return "/".join(parts_of(text)[:count])


def comparison_of_case(case):
    return head_of(case, 1)


def variant_of_case(case):
    """The variant, with its comparison."""
    return head_of(case, 2)


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
        """The launch's first axis with its value, which cases timed side by side share, and the rest."""
        found = _VALUE.match(self.launch)
        return found[0] if found else self.launch


def parse_case_id(text):
    """The parts of an id; None if it is not one."""
    found = _CASE.fullmatch(text)
    case = CaseId(*found.groups()) if found else None
    return case if case and all(value <= LARGEST_VALUE for value in case.values()) else None


def target_key(name):
    """The target key of a GPU with this name: "nvidia-h200" for "NVIDIA H200"."""
    return re.sub("[^a-z0-9]+", "-", re.sub("[A-Z]+", lambda match: match[0].lower(), name)).lstrip("-")[:95].rstrip("-")
