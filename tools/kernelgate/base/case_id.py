# SPDX-License-Identifier: MIT
"""The ids of cases, comparison/variant/size/launch: the only parser of their grammar in Python; its examples
(harness/tests/suite/case_ids.jsonl) also test harness/suite/case_id.c. A launch is the names of its axes, each with
its value, as in b256g1056 or bm128bn64; "-" without axes."""

import hashlib
import re
import subprocess
from dataclasses import dataclass

from kernelgate.base.errors import Failure

PARTS = ("comparison", "variant", "size", "launch")
LARGEST_VALUE = 2**31 - 1
LONGEST_PART = 63
LONGEST_ID = 159  # of an imported case
_PART = "[A-Za-z0-9_.-]+"
_VALUE = re.compile("([a-z_]+)([0-9]+)")
_LAUNCH = "(?:-|(?:[a-z_]{1,12}[1-9][0-9]{0,9}){1,6})"
_NAME = f"({_PART[:-1]}{{1,{LONGEST_PART}}})"
_CASE = re.compile(f"{_NAME}/{_NAME}/{_NAME}/({_LAUNCH})")
_ID = re.compile("/".join([_PART] * len(PARTS)))
LAUNCH = re.compile(_LAUNCH)
TABLE_NAME = re.compile("[a-z0-9_]+")  # of a comparison or variant in a suite
SIZE = re.compile("[0-9]+(x[0-9]+)*")  # extents may be 0
_PROGRAM_CASE = re.compile(f"{_NAME}/{_NAME}/{_NAME}/b[0-9]+(by[0-9]+)?(bz[0-9]+)?g[0-9]+(gy[0-9]+)?(gz[0-9]+)?")


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


def is_program_case(text):
    """Whether an id is that of a kernel of a program, which no table gives."""
    return _PROGRAM_CASE.fullmatch(text) is not None


def plain_part(name):
    """A name of a program's, such as that of a kernel or of a test, as a part of an id: "ns.sum-float-256" for "ns::sum<float, 256>".
    One with other characters ends in a digest, so that no two names are one part."""
    kept = re.sub("::|, |[</ ]", lambda found: {"::": ".", " ": "_"}.get(found[0], "-"), name).rstrip(">")
    made = re.sub("[^A-Za-z0-9_.-]+", "_", kept)
    if made != kept or not 0 < len(made) <= LONGEST_PART:
        made = f"{made[:LONGEST_PART - 9]}.{hashlib.blake2b(name.encode(), digest_size=4).hexdigest()}"
    return made


def demangle(names):
    """The names of kernels without parameters, "ns::sum<float, 256>", from mangled ones."""
    try:
        return subprocess.run(["c++filt", "-p"], input="".join(f"{name}\n" for name in names), stdout=subprocess.PIPE, check=True,
                              encoding="utf-8", timeout=60).stdout.splitlines()
    except (OSError, subprocess.SubprocessError) as error:
        raise Failure(f"c++filt: cannot name the kernels: {error}: install binutils") from None


def shape_part(block, grid):
    """A launch's shape as the last part of an id: "b64g4", "b8by8g4gy2"."""
    sizes = zip(("b", "by", "bz", "g", "gy", "gz"), (*block, *grid))
    return "".join(f"{axis}{size}" for axis, size in sizes if size > 1 or axis in ("b", "g"))


def target_key(name):
    """The target key of a GPU with this name: "nvidia-h200" for "NVIDIA H200"."""
    return re.sub("[^a-z0-9]+", "-", re.sub("[A-Z]+", lambda match: match[0].lower(), name)).lstrip("-")[:95].rstrip("-")
