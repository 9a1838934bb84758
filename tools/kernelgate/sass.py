"""The lines of SASS that two programs' kernels have more or fewer of, by cuobjdump of the CUDA Toolkit or of PyPI."""

import glob
import os
import re
import sys
from collections import Counter
from functools import lru_cache

from occupancy import find_tool, run_tool

TOOL = "cuobjdump"
SECONDS = 60
LINES_NAMED = 6  # of those that came, and of those that went; more are counted
_LINE = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", re.MULTILINE)
_NAMES = ((re.compile(r"\.reuse\b"), ""), (re.compile(r"\b(UR|UP|R|P|B|SB)[0-9]+\b"), r"\1"),
          (re.compile(r"(?<=\+)-?0x[0-9a-f]+(?=\])"), "…"),
          (re.compile(r"^((?:@!?\w+ )?(?:BRA|CALL|BSSY|JMP|RET|WARPSYNC)\b.*?)0x[0-9a-f]+$"), r"\1…"))


def find_disassembler():
    """The path of cuobjdump, None where there is none."""
    packages = [path for folder in sys.path for path in sorted(glob.glob(os.path.join(folder, "nvidia", "cu*", "bin", TOOL)))]
    return find_tool(TOOL) or next(iter(packages), None)


def normalize(line):
    """An instruction without the numbers of its registers, offsets and targets: a renaming changes nothing."""
    for pattern, short in _NAMES:
        line = pattern.sub(short, line)
    return line


def read_lines(text):
    """How many there are of each instruction in what cuobjdump printed."""
    return Counter(map(normalize, _LINE.findall(text)))


@lru_cache(maxsize=None)
def _disassemble(program, names, architecture):
    tool = find_disassembler()
    done = run_tool([tool, "-sass", "-arch", f"sm_{architecture}", "-fun", ",".join(names), program], SECONDS) if tool else None
    return read_lines(done.stdout) if done is not None and done.returncode == 0 else Counter()


def describe_lines(lines):
    """ "16x LDS R, [R+…]", most first."""
    named = [f"{count}x {line}" if count > 1 else line for line, count in lines.most_common(LINES_NAMED)]
    rest = sum(lines.values()) - sum(count for _, count in lines.most_common(LINES_NAMED))
    return named + ([f"and {rest} more"] if rest else [])


def compare(base, base_names, head, head_names, architecture):
    """The lines that came and those that went from one program's kernels to another's, as texts; none without the tool."""
    before = _disassemble(base, tuple(base_names), architecture)
    now = _disassemble(head, tuple(head_names), architecture)
    if not before or not now:
        return [], []
    return describe_lines(now - before), describe_lines(before - now)
