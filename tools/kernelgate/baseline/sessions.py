# SPDX-License-Identifier: MIT
"""The sessions of a baseline's times: baselines/sessions/<key>.json, read and written by recording and adopting. A
list of values for each case or sentinel, metric and board."""

import json
import os

from kernelgate.baseline.file import check_text, split_path, write_text
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.json_io import read_json, text_of
from kernelgate.base.schema_form import check_form
from kernelgate.base.schemas import BASELINE
from kernelgate.base.figures import exact
from kernelgate.baseline.noise import rounded

SCHEMA = "kernelgate-sessions/1"
FORM = f"{BASELINE}#/$defs/sessions_file"
FOLDER = "sessions"
UNKNOWN = "unknown"  # the board of sessions recorded without one
BOARD_SESSIONS_MAXIMUM = 50  # per metric; older ones are dropped
REMEDY = "restore it (git checkout), or record everything with --replace"
LARGEST = 2.0**53


def board_of(provenance):
    """The board that a provenance names."""
    return text_of(provenance, "uuid") or UNKNOWN


def path_beside(baseline):
    """The path of the sessions of a baseline."""
    folder, name = split_path(baseline)
    return f"{folder}/{FOLDER}/{name}"


class StoredSessions:
    """The file. `exists`: whether it was there."""

    def __init__(self, path, key):
        self.path = path
        self.key = key
        self.exists = False
        self.cases = {}  # by case or sentinel, by metric, by board: a list

    @staticmethod
    def load(baseline_path, key):
        """The sessions of a baseline; none if there is no file. Failure if the file is invalid."""
        sessions = StoredSessions(path_beside(baseline_path), key)
        if not os.path.lexists(sessions.path):
            return sessions
        document = read_json(sessions.path, REMEDY)
        check_form(sessions.path, document, SCHEMA, FORM, REMEDY)
        if document["target"] != key:
            raise Failure(f"{sessions.path}: is of another target than {key}: {REMEDY}")
        sessions.cases, sessions.exists = document["sessions"], True
        return sessions

    def boards(self, case, metric):
        """The sessions of a metric: a list for each board."""
        return self.cases.get(case, {}).get(metric, {})

    def count(self, case, metric):
        return sum(map(len, self.boards(case, metric).values()))

    def drop(self, case):
        """Forgets a case; whether it was known."""
        return self.cases.pop(case, None) is not None

    def add(self, case, metric, board, values):
        """Adds a board's values to a metric."""
        lists = self.cases.setdefault(case, {}).setdefault(metric, {})
        lists[board] = [*lists.get(board, ()), *map(rounded, values)][-BOARD_SESSIONS_MAXIMUM:]

    def text(self):
        """The file's text, one line per case and metric."""
        cases = ",\n  ".join(f"{json.dumps(case)}: {{{_metrics_text(metrics)}}}" for case, metrics in sorted(self.cases.items()))
        return (f'{{"schema": "{SCHEMA}", "target": {json.dumps(self.key)},\n "sessions": {{\n  {cases}\n }}}}\n')

    def write(self):
        """Replaces the file. Failure if it cannot be written."""
        folder = os.path.dirname(self.path)
        with os_errors_as(f"{folder}: the folder cannot be made", "nothing is recorded"):
            os.makedirs(folder, exist_ok=True)
        write_text(self.path, self.text())


def _metrics_text(metrics):
    return ",\n   ".join(f'"{metric}": {{{_boards_text(boards)}}}' for metric, boards in sorted(metrics.items()))


def _boards_text(boards):
    return ", ".join(f'{json.dumps(board)}: [{", ".join(exact(value, LARGEST) for value in values)}]'
                     for board, values in boards.items())


def save_both(baseline, sessions):
    """Writes sessions and their baseline, each None if unchanged: both, or neither if the baseline is invalid."""
    if baseline is not None:
        text = baseline.text()
        check_text(baseline.path, text)
    if sessions is not None:
        sessions.write()
    if baseline is not None:
        write_text(baseline.path, text)
