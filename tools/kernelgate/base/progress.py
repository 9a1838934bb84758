# SPDX-License-Identifier: MIT
"""The progress of a long command, on the standard error."""

import math
import os
import shutil
import sys
import time

from kernelgate.base.errors import complain

SILENT_SECONDS = 2.0  # a shorter command shows no progress
LINE_SETTING = "KG__PROGRESS_BAR"  # tells other programs that they share the terminal's line, and must clear it first


def show_duration(seconds):
    total = math.ceil(max(seconds, 0))
    if total < 60:
        return f"{total} s"
    return f"{total // 60} min {total % 60:02} s" if total < 3600 else f"{total // 3600} h {total % 3600 // 60:02} min"


class Progress:
    """The progress of a command: on a terminal a line in place of the last one, else one every few seconds."""

    def __init__(self, command):
        self._command = command
        self._in_place = sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        self._began = time.monotonic()
        self._last = -math.inf
        self._is_shown = False

    def settings(self):
        """The settings that tell started programs about the line."""
        return {LINE_SETTING: "1"} if self._in_place else {}

    def elapsed(self):
        return time.monotonic() - self._began

    def show(self, done, left, what):
        """Shows the fraction that is done, the seconds that are left (None: unknown) and the current step."""
        now = self.elapsed()
        if now < SILENT_SECONDS or now - self._last < (0.2 if self._in_place else 5):
            return
        self._last = now
        text = f"{self._command}: {100 * min(max(done, 0), 1):.0f} %  {what}"
        text += f", about {show_duration(left)} left" if left is not None else ""
        if not self._in_place:
            complain(text)
            return
        self._is_shown = True
        sys.stderr.write(f"\r{text[:shutil.get_terminal_size().columns - 1]}\033[K")
        sys.stderr.flush()

    def clear(self):
        if self._is_shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        self._is_shown = False


class Tally:
    """The progress through a number of cases, assuming equal durations."""

    def __init__(self, progress, count):
        self._progress = progress
        self._count = count
        self._done = 0
        self.settings = progress.settings
        self.clear = progress.clear

    def count(self, case):
        """Counts a case as done."""
        self._done = min(self._done + 1, self._count)
        self._progress.show(self._done / self._count, self._progress.elapsed() * (self._count - self._done) / self._done, case)
