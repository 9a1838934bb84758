# SPDX-License-Identifier: MIT
"""Baseline files: finding and reading them, in the tree or at a commit, and writing them.

A file is checked by the strict reader (reading.py) before it is read or written here."""

import fcntl
import json
import math
import os
from dataclasses import dataclass, field
from typing import Optional

from kernelgate.base.case_id import comparison_of_case
from kernelgate.base.errors import Failure, failures_of, nearest_name, os_errors_as
from kernelgate.base.files import open_regular, replace_file
from kernelgate.base.git import git
from kernelgate.base.json_io import integer_of, is_number, list_of, member, number_of, parse_json, text_of
from kernelgate.base.figures import exact, plural
from kernelgate.code.kernel_code import short_code, whole_code
from kernelgate.baseline import reading
from kernelgate.baseline.noise import BAND_MINIMUM, ERROR_BAND, TIME_FLOOR_NS
from kernelgate.baseline.reading import NO_METRICS, SUFFIX, is_time
from kernelgate.base.results import ERRORS, MODEL_KEY

SCHEMA_SUFFIX = ".schema.json"
SCHEMA = "kernelgate-baseline/2"
LARGEST_WHOLE = 2.0**53
MEMORY_TOLERANCE = reading.SCHEMA["$defs"]["target"]["properties"]["memory_mib"]["x-tolerance"]
LARGEST_FILE = 64 << 20  # bytes; a baseline has some thousands of lines


def floor_of(metric):
    """The floor of a metric without one of its own."""
    return TIME_FLOOR_NS if is_time(metric) else 0.0


@dataclass
class Metric:
    name: str
    value: float = 0.0
    band: float = 0.0
    by_hand: bool = False  # recording keeps band and gated
    floor: float = 0.0
    gated: bool = True
    noise: tuple = ()  # standard deviations of the logarithm, within a board and between boards; empty if unknown

    @property
    def smallest(self):
        """The smallest slowdown that the judge detects, as a fraction; NaN if a floor applies and the value is 0."""
        return max(self.band, self.floor / self.value if self.value else math.nan if self.floor else 0.0)


def _metric(name, stored):
    stored = {"value": stored} if is_number(stored) else stored
    return Metric(name, number_of(stored, "value"), float(stored.get("band", 0)), "band_by" in stored,
                  float(stored.get("floor", floor_of(name))), stored.get("gated", True), tuple(list_of(stored, "noise")))


@dataclass
class Case:
    """A case, or a sentinel, by its name."""

    id: str
    commit: str = ""
    code: Optional[dict] = None
    lines: Optional[dict] = None
    metrics: dict = field(default_factory=dict)  # by name
    boards: int = 0  # the boards of its times; 0 if unknown, or for a counter
    sessions: int = 0


def _cases(stored):
    cases = {}
    for name, members in sorted(stored.items()):
        metrics = {metric: _metric(metric, figure) for metric, figure in sorted(members.items()) if metric not in NO_METRICS}
        cases[name] = Case(name, text_of(members, "commit"), whole_code(members.get("code")), members.get("lines"), metrics,
                           integer_of(members, "boards"), integer_of(members, "sessions"))
    return cases


class Baseline:
    """The baseline in a strictly read document; without one, an empty baseline."""

    def __init__(self, path, document=None):
        self.path = path
        self.target = member(document, "target") or {}
        self.provenance = member(document, "provenance")
        self.outdated = reading.outdated_counters(self.provenance)
        self.sentinels, self.cases = (_cases(member(document, kind) or {}) for kind in ("sentinels", "cases"))
        self.checked = sorted(list_of(document, "checked"))
        self.accuracy = member(document, "accuracy")  # by case: [largest error, mean], for some also a band; or None

    @property
    def is_model(self):
        return text_of(self.target, "key") == MODEL_KEY

    def case(self, case):
        """Finds or adds a case."""
        return self.cases.setdefault(case, Case(case))

    def sentinel(self, name):
        """Finds or adds a sentinel."""
        return self.sentinels.setdefault(name, Case(name))

    def ids(self):
        """The cases that are timed, counted or checked."""
        return dict.fromkeys((*self.cases, *self.checked, *(self.accuracy or ())))

    def error_cases(self):
        """The errors of checked cases as the metrics of cases."""
        least = 0.0 if self.is_model else ERROR_BAND
        cases = {}
        for case, errors in sorted((self.accuracy or {}).items()):
            band = (errors[2:] or [least])[0]
            cases[case] = Case(case, metrics={name: Metric(name, value, band) for name, value in zip(ERRORS, errors)})
        return cases

    def remove(self, removed):
        """Removes cases by their ids."""
        self.cases = {name: case for name, case in self.cases.items() if name not in removed}
        self.checked = [case for case in self.checked if case not in removed]
        if self.accuracy is not None:
            self.accuracy = {case: errors for case, errors in self.accuracy.items() if case not in removed}

    def text(self):
        """The file's text, one line per case, in the one form that all writers use."""
        parts = [f'{{"schema": "{SCHEMA}"', f' "target": {_value(_in_order(self.target))}']
        if self.provenance is not None:
            parts.append(f' "provenance": {_value(self.provenance)}')
        if self.sentinels:
            parts.append(f' "sentinels": {{{", ".join(_case_texts(self.sentinels))}}}')
        cases = ",\n  ".join(_case_texts(self.cases))
        parts.append(f' "cases": {{\n  {cases}\n }}' if cases else ' "cases": {\n }')
        if self.checked:
            listed = ",\n  ".join(map(_value, sorted(self.checked)))
            parts.append(f' "checked": [\n  {listed}\n ]')
        if self.accuracy is not None:
            errors = ",\n  ".join(f"{_value(case)}: {_value(errors)}" for case, errors in sorted(self.accuracy.items()))
            parts.append(f' "accuracy": {{\n  {errors}\n }}' if errors else ' "accuracy": {\n }')
        return ",\n".join(parts) + "}\n"


def gate_counts(baseline):
    """How many times of cases a baseline gates at the minimum band, gates wider (because of noise, or of a floor
    that is a larger fraction of a short time), and only reports; None without times."""
    times = [metric for case in baseline.cases.values() for metric in case.metrics.values() if is_time(metric.name)]
    gated = [metric for metric in times if metric.gated]
    narrow = sum(metric.smallest <= BAND_MINIMUM + 1e-9 for metric in gated)
    counts = {"at_2_percent": narrow, "wider": len(gated) - narrow, "reported_only": len(times) - len(gated)}
    return counts if times else None


def gate_words(counts):
    """The counts in words: "160 times gated at 2 %, 56 wider, 61 reported only"."""
    return (f"{plural(counts['at_2_percent'], 'time')} gated at 2 %, {counts['wider']} wider, {counts['reported_only']} reported "
            "only")


def _in_order(target):
    order = ("key", "name", "compute_capability", "memory_mib", "multiprocessors", "compiler")
    return {name: target[name] for name in order if target.get(name)}


def _value(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_value(key)}: {_value(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float):
        return exact(value, LARGEST_WHOLE)
    return json.dumps(value, ensure_ascii=False)


def _metric_text(metric):
    stored = {"value": metric.value, "band": metric.band}
    if metric.noise:
        stored["noise"] = [float(f"{deviation:.4g}") for deviation in metric.noise]
    if metric.by_hand:
        stored["band_by"] = "hand"
    if metric.floor != floor_of(metric.name):
        stored["floor"] = metric.floor
    if not metric.gated:
        stored["gated"] = False
    is_plain = not is_time(metric.name) and stored == {"value": metric.value, "band": 0}
    return f'"{metric.name}": {_value(metric.value if is_plain else stored)}'


def _line_order(line):
    file, _, number = line[0].rpartition(":")
    return file.encode(), int(number)


def _case_text(case):
    parts = [_metric_text(metric) for _, metric in sorted(case.metrics.items())]
    parts += (f'"{name}": {count}' for name, count in (("boards", case.boards), ("sessions", case.sessions)) if count)
    if case.code is not None:
        parts.append(f'"code": {_value(short_code(case.code))}')
    if case.lines is not None:
        lines = {line: dict(sorted(counters.items())) for line, counters in sorted(case.lines.items(), key=_line_order)}
        parts.append(f'"lines": {_value(lines)}')
    if case.commit:
        parts.append(f'"commit": {_value(case.commit)}')
    return f'"{case.id}": {{{", ".join(parts)}}}'


def _case_texts(cases):
    return [_case_text(case) for _, case in sorted(cases.items())]


# Reading


def default_folder():
    return os.environ.get("KG_BASELINES") or "baselines"


def _is_key(name):
    return "/" not in name and not name.endswith(SUFFIX)


def path_of(name):
    """The path of a baseline named by its file or by its target's key."""
    return f"{default_folder()}/{name}{SUFFIX}" if _is_key(name) else name


def counted_cases(programs):
    """The kernels of programs that kg_add_program() gates, by the model's baseline: without a run nothing else knows them. None of
    an invalid one, which the tests that read it have reported."""
    try:
        stored = load(path_of(MODEL_KEY)) if programs else None
    except Failure:
        stored = None
    return [case for case in (stored.cases if stored else ()) if comparison_of_case(case) in programs]


def split_path(path):
    return os.path.dirname(path) or ".", os.path.basename(path)


def _is_baseline_name(name):
    """Whether it is not a baseline of generated code, such as sm_90.json, which code_baseline reads."""
    return name.endswith(SUFFIX) and not name.startswith("sm_") and not name.startswith(".") and not name.endswith(SCHEMA_SUFFIX)


def list_files(folder, takes=_is_baseline_name):
    """The names of a folder's baseline files."""
    with os_errors_as(f"{folder}: the folder of the baselines cannot be read", "run this in its parent folder, or set KG_BASELINES"):
        return sorted(filter(takes, os.listdir(folder)))


def parse(label, name, data):
    """The baseline in the content of the file `name`, called `label` in errors. Failure if it is invalid."""
    return Baseline(label, reading.read_document(label, name, data))


def read(path):
    """The content of a file; None if it does not exist."""
    with os_errors_as(f"{path}: cannot be read", "check its permissions, or record a baseline with kernelgate rebaseline"):
        try:
            with open_regular(path) as file:
                if os.fstat(file.fileno()).st_size > LARGEST_FILE:
                    raise Failure(f"{path}: has more than {LARGEST_FILE >> 20} MiB, which no baseline has: {reading.REMEDY}")
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None


def load(path):
    """The baseline in a file; None if it does not exist. Failure if it is invalid."""
    data = read(path)
    return None if data is None else parse(path, os.path.basename(path), data)


def _is_other_board(data, target):
    """Whether the content of a file is of a board with another amount of memory."""
    try:
        stored = number_of(member(parse_json(data), "target"), "memory_mib")
    except ValueError:
        return False  # its reader reports that
    present = number_of(target, "memory_mib")
    return stored > 0 and present > 0 and abs(stored - present) > MEMORY_TOLERANCE * max(stored, present)


def path_for(folder, target):
    """The key and the path of a target's baseline in a folder. Boards of one name whose memories differ by more than
    MEMORY_TOLERANCE are separate targets: if <key>.json is of such another board, it stays, and the key becomes
    <key>-<memory>gib. Failure if that file cannot be read."""
    key = text_of(target, "key")
    path = os.path.join(folder, f"{key}{SUFFIX}")
    data = read(path)
    if data is not None and _is_other_board(data, target):
        key = f"{key[:64]}-{(target['memory_mib'] + 512) // 1024}gib"
        path = os.path.join(folder, f"{key}{SUFFIX}")
    return key, path


def open_named(name):
    """The baseline of a file or of a target's key."""
    path = path_of(name)
    baseline = load(path)
    if baseline is not None:
        return baseline
    if not _is_key(name):
        raise Failure(f"{path}: there is no such file: name another, or a key")
    folder = default_folder()
    keys = [file[: -len(SUFFIX)] for file in list_files(folder)]
    nearest = nearest_name(name, keys)
    raise Failure(f"{name}: there is no baseline of this key in {folder}"
                  + (f"; did you mean {nearest}?" if nearest else ": record one with kernelgate rebaseline"))


# At a commit


class Commit:
    """A folder of baselines as of a commit, branch or tag. The folder itself may be gone since, or a link in its place."""

    def __init__(self, folder, reference):
        self._folder = folder
        self.reference = reference
        self._place, self._prefix = folder, ""
        place, name = split_path(folder)
        if not os.path.lexists(folder) or (os.path.islink(folder) and
                                           git(place, "cat-file", "-t", f"{reference}:./{name}").stdout == b"tree\n"):
            self._place, self._prefix = place, f"{name}/"
        self.name = self._find()

    def _find(self):
        reference = self.reference
        done = None if reference.startswith("-") else git(self._place, "rev-parse", "--quiet", "--verify",
                                                           f"{reference}^{{commit}}")
        if done is not None and done.returncode == 0:
            return done.stdout.decode().strip()
        if done is None or done.returncode == 1:
            raise Failure(
                f"--since {reference}: there is no such commit, branch or tag here: git log -- {self._folder} lists the "
                "commits (a shallow clone lacks the older ones: git fetch --unshallow)")
        why = (done.stderr.decode("utf-8", "replace").splitlines() or [""])[0]
        raise Failure(f"--since {reference}: git failed in {self._folder}: {why}")

    def read(self, name):
        """The content of a file of the folder; None if it did not exist."""
        blob = f"{self.name}:./{self._prefix}{name}"
        if git(self._place, "cat-file", "-e", blob).returncode != 0:
            return None
        done = git(self._place, "cat-file", "blob", blob)
        if done.returncode != 0:
            raise Failure(f"{self.label(name)}: git cannot show it: try git -C {self._place} show {blob}")
        return done.stdout

    def label(self, name):
        return f"{self.reference}:{self._folder}/{name}"

    def list_files(self, takes=_is_baseline_name):
        """The names of the folder's baseline files, now or at the commit."""
        done = git(self._place, "ls-tree", "-z", "--name-only", self.name, *filter(None, [self._prefix]))
        if done.returncode != 0:
            raise Failure(f"{self._folder}: git cannot list what it held at {self.reference}: try git -C {self._place} ls-tree "
                          f"{self.name} {self._prefix}")
        names = {os.path.basename(os.fsdecode(name)) for name in done.stdout.split(b"\0")}
        now = set(list_files(self._folder, takes)) if os.path.lexists(self._folder) else set()
        return sorted(now | set(filter(takes, names)))


# Writing


def prepare_folder(folder):
    """Creates a folder of baselines if needed. Failure if it cannot be created or written."""
    with os_errors_as(f"{folder}: the folder cannot be made", "name another, or check the permissions above it"):
        os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise Failure(f"{folder}: the folder cannot be written: nothing is recorded; fix its permissions")


def lock(folder, command):
    """Locks a folder of baselines for a command, as all writers do, until the result is closed. Failure if another
    command holds it."""
    with os_errors_as(f"{folder}: cannot be read", "fix its permissions"):
        facts = os.stat(folder)
    # Different paths may lead to the same folder.
    path = f"{os.environ.get('KG_LOCK_DIR') or '/tmp'}/kernelgate-baselines-{facts.st_dev:x}-{facts.st_ino:x}.lock"
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    with os_errors_as(f"{path}: the lock cannot be opened", "set KG_LOCK_DIR to a folder that can be written"):
        try:
            file = os.open(path, flags)  # in a sticky folder the kernel may refuse O_CREAT on another user's file
        except FileNotFoundError:
            file = os.open(path, flags | os.O_CREAT, 0o666)
            os.fchmod(file, 0o666)
    stream = os.fdopen(file, "r+b", buffering=0)
    with os_errors_as(f"{path}: the lock cannot be taken", "set KG_LOCK_DIR to a local folder"):
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = stream.read(320).decode("utf-8", "replace") or "an unnamed process"
            raise Failure(f"{folder}: it is held by {holder}: wait for its end") from None
    stream.truncate(0)
    stream.write(f"process {os.getpid()} (kernelgate {command})".encode())
    return stream


def check_text(path, text):
    """Failure if a baseline's text could not be read again."""
    try:
        with failures_of("not written"):
            parse(path, os.path.basename(path), text.encode())
    except UnicodeEncodeError:
        raise Failure(f"{path}: not written: a name, or a commit (--commit), is not UTF-8: name another") from None


def write_text(path, text):
    """Replaces a file. Failure if it cannot be written."""
    with os_errors_as(f"{path}: cannot be written", "it is left as it was; check the folder's permissions and free space"):
        if os.path.lexists(path) and not os.path.isfile(path):
            raise Failure(f"{path}: not written: it is not a regular file: move it away")
        if os.path.exists(path) and not os.stat(path).st_mode & 0o222:
            raise Failure(f"{path}: not written: it is write-protected: chmod u+w it first")
        replace_file(path, text)


def save(baseline):
    """Replaces the file by the baseline's text. Failure if that could not be read again, or cannot be written."""
    text = baseline.text()
    check_text(baseline.path, text)
    write_text(baseline.path, text)
