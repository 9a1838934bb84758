# SPDX-License-Identifier: MIT
"""Gives the functions of the host what they say without __CUDA_ARCH__.

nvcc compiles a source for each side; here it is compiled once, with __CUDA_ARCH__ defined. So it is preprocessed without it too. Where
the two texts differ in a function, one of the host gets the host's lines, and one of both sides both bodies, between which
it chooses when it is called. Outside of functions the device's text stays, to which whole declarations of the host are added where the
source does not compile without them."""

import bisect
import re
from difflib import SequenceMatcher

from syntax import DEVICE, GLOBAL, HOST, MARKER

PIECE = re.compile(rb"[^{};]*[{};]|[^{};]+")
# Headers of packages, whose host functions keep the device's lines: with both sides, Thrust takes g++ minutes.
PACKAGE = re.compile(rb"/(?:thrust|cub|cuda)/")
CODE = ("function_definition", "lambda_expression")


class Pieces:
    """The pieces of a preprocessed text, lines or less, each with a key (file, line, text) that it has in the other text too."""

    def __init__(self, text):
        self.text, self.keys, self.starts = text, [], []
        file, line, at = b"", 0, 0
        for words in text.splitlines(keepends=True):
            marker = MARKER.match(words)
            if marker:
                file, line = marker[2], int(marker[1]) - 1
            for piece in () if marker else PIECE.finditer(words):
                if not piece[0].isspace():
                    self.keys.append((file, line, piece[0]))
                    self.starts.append(at + piece.start())
            line, at = line + 1, at + len(words)

    def at(self, position):
        """The number of the piece of a position."""
        return bisect.bisect_right(self.starts, position) - 1

    def start(self, number):
        return self.starts[number] if number < len(self.starts) else len(self.text)

    def end(self, number):
        return self.starts[number] + len(self.keys[number][2].rstrip()) if number >= 0 else 0

    def part(self, start, end):
        """The text between two positions, with its line marker."""
        file, line, _ = self.keys[self.at(start)]
        return b'\n# %d "%s"\n%s' % (line, file, self.text[start:end])


def _function_around(source, start, end):
    """The body of the function with a part of the text, and whether both sides call it; (None, False) if the host does not, None outside of
    functions."""
    node = source.tree.root_node.descendant_for_byte_range(start, end)
    while node is not None:
        body = node.child_by_field_name("body") if node.type in CODE else None
        if body is not None and body.start_byte < start and end < body.end_byte:
            head = source.text[node.start_byte:body.start_byte]
            if GLOBAL in head or DEVICE in head and HOST not in head:
                return None, False
            # A lambda without marks has its function's side; a constexpr function may be called by both.
            if node.type == CODE[0] or HOST in head:
                return body, DEVICE in head or b"constexpr" in head
        node = node.parent
    return None


def _are_declarations(text, before):
    """Whether a part of a text, and what is before it, end where declarations do."""
    return (not before or before.endswith((b";", b"{", b"}"))) and text.rstrip().endswith((b";", b"}")) and text.count(b"{") == text.count(b"}")


def merge(source, host, declares):
    """The whole text with both sides, of the device's source (rewrite_kernel.py) and the host's text; None if nothing differs. declares:
    whether what the host's side alone declares is added."""
    ours, theirs = Pieces(source.text), Pieces(host)
    matcher = SequenceMatcher(None, ours.keys, theirs.keys, autojunk=False)
    blocks = matcher.get_matching_blocks()

    def counterpart(position):
        """A position in the host's text; None if its piece is not there."""
        number = ours.at(position)
        ours_first, theirs_first, size = blocks[bisect.bisect_right(blocks, number, key=lambda block: block[0]) - 1]
        offset = number - ours_first
        return theirs.starts[theirs_first + offset] + position - ours.starts[number] if 0 <= offset < size else None

    bodies, parts = {}, []
    for kind, first, last, theirs_first, theirs_last in matcher.get_opcodes():
        if kind == "equal" or first < len(ours.keys) and PACKAGE.search(ours.keys[first][0]):
            continue
        before, behind = ours.end(first - 1), ours.start(last)
        start, end = (ours.start(first), ours.end(last - 1)) if first < last else (before, before)
        found = _function_around(source, start, end)
        text = theirs.part(theirs.start(theirs_first), theirs.end(theirs_last - 1)) if theirs_first < theirs_last else b""
        # Outside of functions: what the device's text lacks.
        is_added = declares and found is None and first == last and _are_declarations(text, source.text[:before])
        body, is_of_both = found or (None, False)
        if is_of_both:
            start, end = counterpart(body.start_byte), counterpart(body.end_byte - 1)
            if start is not None and end is not None:
                bodies[body.start_byte] = body.end_byte, theirs.part(start, end + 1)
        elif body is not None or is_added:
            # A header that the device's text includes here comes first.
            parts.append((behind if is_added else before, behind, text + b"\n" + source.where(behind)))
    reached = 0
    for start, (end, text) in sorted(bodies.items()):
        if start >= reached:
            source.insert(start, b"{ if (::kg__model_on_device()) ")
            source.insert(end, b" else" + text + b" }\n" + source.where(end))
            parts = [one for one in parts if one[0] < start or one[0] >= end]
            reached = end
    source.edits += [(before, behind, lambda text=text: text) for before, behind, text in parts]
    return source.render_all() if source.edits else None
