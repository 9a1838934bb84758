# SPDX-License-Identifier: MIT
"""Places in the sources."""

import glob
import os
import re

from kernelgate.base.files import open_regular

LARGEST = 4 << 20  # bytes of the largest file that is read
LONGEST_LINE = 240
NAME = r"[A-Za-z0-9_+-]+"


def read_lines(folder, path):
    """The lines of a file below the folder; None if there is no such file."""
    if not path or path.startswith("/") or ".." in path.split("/") or "\0" in path:
        return None
    try:
        with open_regular(os.path.join(folder, path)) as file:
            return file.read(LARGEST).decode("utf-8", "replace").split("\n")
    except (OSError, ValueError):
        return None


def lines_around(folder, path, line, context):
    """The lines of a file around one, {"file", "line", "first", "lines"}; None if there is no such line."""
    lines = read_lines(folder, path) or []
    if not 0 < line <= len(lines):
        return None
    first = max(1, line - context)
    return {"file": path, "line": line, "first": first,
            "lines": [text.expandtabs(4)[:LONGEST_LINE] for text in lines[first - 1:line + context]]}


def find_line(folder, path, text, default=1):
    """The file, and its first line with a text that is not a comment, else `default`; None if there is no such file."""
    lines = read_lines(folder, path)
    if lines is None:
        return None
    return path, next((number for number, line in enumerate(lines, 1)
                       if text in line and not re.match(r"[ \t]*(//|\*|/\*)", line)), default)


def find_kernel(folder, case):
    """The kernel of a case, in kernels/COMPARISON/VARIANT.cu, or for strided_managed also in strided.cu. If it is
    elsewhere, its launcher in any of these files."""
    found = re.match(f"({NAME})/({NAME})", case)
    parts = found[2].split("_") if found else []
    for count in range(len(parts), 0, -1):
        place = find_line(folder, f"kernels/{found[1]}/{'_'.join(parts[:count])}.cu", "__global__")
        if place is not None:
            return place
    return _find_launcher(folder, *found.groups()) if found else None


def _find_launcher(folder, comparison, variant):
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "kernels", comparison, "*.cu"))):
        name = f"kernels/{comparison}/{os.path.basename(path)}"
        place = find_line(folder, name, f"KG_LAUNCHER({comparison}_{variant})", default=None)
        if place is not None and place[1] is not None:
            return place
    return None


def place_of_claim(folder, claim):
    """The place of a claim's test in its comparison's suite: gpu.matmul_f32.claim_tiled_wins; None if it is not
    found."""
    comparison, _, name = claim.partition(".")[2].partition(".claim_")
    return find_line(folder, f"suites/{comparison}.c", name) if name else None
