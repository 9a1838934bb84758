# SPDX-License-Identifier: MIT
"""The log of a recording's or adoption's effect on a baseline, for its readers and for --json: the changes, the
omissions, and why nothing was stored."""

import math
import sys

from kernelgate.base.command_line import print_output
from kernelgate.base.errors import complain
from kernelgate.base.json_io import json_text
from kernelgate.base.text import clean
from kernelgate.baseline.file import lock, prepare_folder

SCHEMA = "kernelgate-recorded/2"


def change_baselines(command, options, work, replace=False):
    """The exit code of a command that changes baselines: of work(log), with the folder of --baselines held, 2 if that is refused."""
    prepare_folder(options.baselines)
    log = ChangeLog(command, replace, options.json)
    with lock(options.baselines, command):
        try:
            code = work(log)
        except Refused:
            code = 2
    return log.end(code)


class Refused(Exception):
    """Nothing is recorded; the log has the reason."""


def _known(**members):
    return {name: value for name, value in members.items() if value is not None}


class ChangeLog:
    """The log of one command."""

    def __init__(self, command, replace, as_json):
        self._as_json = as_json
        self.document = {"schema": SCHEMA, "command": command, "replace": replace, "written": False, "looked_at": 0, "changed": 0,
                         "changes": [], "sentinels": [], "differing": [], "left_out": [], "refused": []}

    def say(self, line):
        """Prints a line of progress or of a table: on the standard error if the document is on the standard output.
        A failed write is reported at the end."""
        stream = sys.stderr if self._as_json else sys.stdout
        try:
            stream.buffer.write(clean(line).encode("utf-8", "surrogateescape") + b"\n")
            stream.flush()
        except OSError:
            pass

    def set_counts(self, sessions, looked_at, changed):
        """Sets how many sessions there were, how many cases and sentinels were looked at, and how many of those changed."""
        self.document.update(sessions=sessions, looked_at=looked_at, changed=changed)

    def _complain(self, group, why, subject):
        subject = _known(**subject)
        complain(": ".join([*subject.values(), why]))
        self.document[group].append({**subject, "why": why})

    def refuse(self, why, file=None, case=None, metric=None):
        """Complains in one line, "file: case: metric: why" as far as known, and logs it: nothing may be stored."""
        self._complain("refused", why, {"file": file, "case": case, "metric": metric})

    def omit(self, why, file=None, case=None, metric=None):
        """Logs something that is left out while the rest is stored."""
        self._complain("left_out", why, {"file": file, "case": case, "metric": metric})

    def disagree(self, why, case, metric):
        """Logs a metric whose sessions disagree."""
        self._complain("differing", why, {"case": case, "metric": metric})

    def _add(self, case, **members):
        # A case id has slashes, a sentinel's name none.
        self.document["changes" if "/" in case else "sentinels"].append(_known(case=case, **members))

    def change(self, case, metric, old, value, now=None, line=None):
        """Logs a change of a metric, whose old value is `old` (NaN: it is new). For a time, `now` is the new value
        in `line`."""
        known = not math.isnan(old)
        stored = {} if now is None else {
            "band": now.band, "band_by_hand": now.by_hand, "noise": list(now.noise), "boards": line.boards,
            "sessions": line.sessions, "gated": now.gated}
        self._add(case, metric=metric, kind="moved" if known else "new", old=old if known else None, new=value,
                  change=value / old - 1 if known else None, **stored)

    def retire(self, case, metric=None):
        """Logs that a case, or one of its metrics, was removed."""
        self._add(case, metric=metric, kind="retired")

    def note(self, case, kind, notes=None):
        """Logs another change of a case: "code", with notes on what changed, "lines" or "checked"."""
        self._add(case, kind=kind, notes=notes)

    def end(self, code):
        """Ends the command: prints the document if requested. Returns the exit code; does not return if the output
        fails."""
        self.document["exit_code"] = code
        lost = f": {self.document['file']} was written, but its report is lost" if self.document["written"] else ""
        print_output(self.document["command"] + lost, json_text(self.document) if self._as_json else "")
        return code
