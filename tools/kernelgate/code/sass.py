# SPDX-License-Identifier: MIT
"""The lines of SASS that one program's kernels have and another's lack, by cuobjdump of the CUDA Toolkit or of PyPI."""

import glob
import os
import re
import sys
from collections import Counter
from functools import lru_cache

from kernelgate.base.run_tool import run_tool
from kernelgate.code.cuda_tools import find_tool

TOOL, READER = "cuobjdump", "nvdisasm"  # the first finds the code, and calls the second to disassemble it
INSTALL = "install the CUDA Toolkit's, or pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm"
SECONDS = 60
LINES_NAMED = 6  # of the added and of the removed ones; more are counted
_LINE = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", re.MULTILINE)
_NAMES = ((re.compile(r"\.reuse\b"), ""), (re.compile(r"\b(UR|UP|R|P|B|SB)[0-9]+\b"), r"\1"),
          (re.compile(r"(?<=\+)-?0x[0-9a-f]+(?=\])"), "…"),
          (re.compile(r"^((?:@!?\w+ )?(?:BRA|CALL|BSSY|JMP|RET|WARPSYNC)\b.*?)0x[0-9a-f]+$"), r"\1…"))


def find_disassembler(name=TOOL):
    """The path of cuobjdump, or of nvdisasm, None if there is none."""
    packages = [path for folder in sys.path for path in sorted(glob.glob(os.path.join(folder, "nvidia", "cu*", "bin", name)))]
    return find_tool(name) or next(iter(packages), None)


def normalize(line):
    """An instruction without the numbers of its registers, offsets and targets: a renaming changes nothing."""
    for pattern, short in _NAMES:
        line = pattern.sub(short, line)
    return line


def read_lines(text):
    """The number of each instruction in cuobjdump's output."""
    return Counter(map(normalize, _LINE.findall(text)))


@lru_cache(maxsize=None)
def _disassemble(program, names, architecture):
    """The lines of kernels in a program, and the reason if there are none."""
    tool, reader = find_disassembler(), find_disassembler(READER)
    if tool is None:
        return Counter(), f"no {TOOL}: {INSTALL}"
    settings = {"NVDISASM_PATH": os.path.dirname(reader)} if reader else {}
    done = run_tool([tool, "-sass", "-arch", f"sm_{architecture}", "-fun", ",".join(names), program], SECONDS, **settings)
    if done is None:
        return Counter(), f"{tool}: cannot be run, or takes more than {SECONDS} s"
    lines = read_lines(done.stdout) if done.returncode == 0 else Counter()
    said = done.stdout.strip().rpartition("\n")[2] if done.returncode else f"it has no line of {', '.join(names)}"
    return lines, None if lines else f"{tool} {program}: {said}" + (f": {INSTALL}" if reader is None else "")


def describe_lines(lines):
    """ "16x LDS R, [R+…]", most first."""
    named = [f"{count}x {line}" if count > 1 else line for line, count in lines.most_common(LINES_NAMED)]
    rest = sum(lines.values()) - sum(count for _, count in lines.most_common(LINES_NAMED))
    return named + ([f"and {rest} more"] if rest else [])


def compare(base, base_names, head, head_names, architecture):
    """The lines added and removed from one program's kernels to another's, as texts, and why they are unknown."""
    (before, before_why), (now, now_why) = (_disassemble(*program, architecture) for program in (
        (base, tuple(base_names)), (head, tuple(head_names))))
    if before_why or now_why:
        return [], [], before_why or now_why
    return describe_lines(now - before), describe_lines(before - now), None
