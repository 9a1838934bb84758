# SPDX-License-Identifier: MIT
"""The progress of a long command, on the standard error."""

import math
import os
import sys
import time

from kernelgate.base.errors import complain

SILENT_SECONDS = 2.0  # a shorter command shows no progress
BAR_CELLS = 24
BAR_SETTING = "KG__PROGRESS_BAR"  # tells other programs that they share their line with a bar, and must clear it first


def show_duration(seconds):
    total = math.ceil(max(seconds, 0))
    if total < 60:
        return f"{total} s"
    return f"{total // 60} min {total % 60:02} s" if total < 3600 else f"{total // 3600} h {total % 3600 // 60:02} min"


class Progress:
    """The progress of a command: a bar on a terminal, else a line every few seconds."""

    def __init__(self, command):
        self._command = command
        self._bar = sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        forced = os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0")
        self._colors = ("", "") if os.environ.get("NO_COLOR") or not (self._bar or forced) else ("\033[32m", "\033[0m")
        self._began = time.monotonic()
        self._last = -math.inf
        self._width = 0

    def settings(self):
        """The settings that tell started programs about the bar."""
        return {BAR_SETTING: "1"} if self._bar else {}

    def elapsed(self):
        return time.monotonic() - self._began

    def show(self, done, left, what):
        """Shows the fraction that is done, the seconds that are left (None: unknown) and the current step."""
        now = self.elapsed()
        if now < SILENT_SECONDS or now - self._last < (0.2 if self._bar else 5):
            return
        self._last = now
        done = min(max(done, 0), 1)
        text = f"{100 * done:3.0f} %  {what}" + (f", about {show_duration(left)} left" if left is not None else "")
        if not self._bar:
            complain(f"{self._command}: {text.lstrip()}")
            return
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except OSError:
            columns = 80
        filled = int(done * BAR_CELLS)
        text = text[: max(columns, 40) - BAR_CELLS - 4]
        width = BAR_CELLS + 3 + len(text)
        color, plain = self._colors
        sys.stderr.write(f"\r[{color}{'#' * filled}{plain}{'.' * (BAR_CELLS - filled)}] {text}{' ' * (self._width - width)}")
        sys.stderr.flush()
        self._width = width

    def clear(self):
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()
        self._width = 0


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
