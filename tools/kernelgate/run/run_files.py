# SPDX-License-Identifier: MIT
"""The directory of a run's results: the files that a run leaves there, and how the next one begins in it."""

import contextlib
import os
import re

from kernelgate.base import run_lock
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import own_file
from kernelgate.base.git import git

RECORDS = "records"
RECORD_ENDS = (".verdicts.json", ".jsonl", ".cases")  # of the tests' files there
TEMPORARY = re.compile(r"\.(.+?)\.new-.*", re.DOTALL)  # a file that replaces another gets its name when it is complete


def run_files():
    """The files that a run leaves, each a form and a path, by ci/run-files."""
    with open(own_file("../../ci/run-files"), encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return [(form, name) for name, form in lines]


def whose_run():
    """The process whose run this command begins and ends, such as ctest; this process itself if its parent is not
    visible."""
    return int(os.environ.get("KG__CALLER", os.getppid())) or os.getpid()


def refuse_source(out):
    """Failure if results would be mixed with sources: in a project's folder or above this one, in a part of it, or
    where git tracks files."""
    place, root = os.path.realpath(out), os.path.realpath(".")
    parts = [os.path.join(root, name) for name in ("baselines", "kernels", "suites")]
    mixed = (any(os.path.exists(os.path.join(place, name)) for name in ("CMakeLists.txt", "CMakePresets.json", ".git"))
             or os.path.commonpath([place, root]) == place != root or place == os.path.realpath(os.path.expanduser("~"))
             or any(os.path.commonpath([place, part]) == part for part in parts))
    if not mixed and os.path.isdir(place):
        with contextlib.suppress(Failure):
            mixed = bool(git(place, "ls-files", "--", ".").stdout)
    if mixed:
        raise Failure(f"KG_OUT='{out}' holds source files, which results would be mixed with: set it to another folder, such as out")


def make_folder(folder):
    try:
        os.makedirs(folder, exist_ok=True)
    except FileExistsError:
        raise Failure(f"{folder}: is not a folder: name another one, or remove it") from None
    except OSError as error:
        raise Failure(f"{error.filename}: the folder cannot be made: {error.strerror}: name another, or check the permissions above it") from None


def _is_left_by_runs(path, listed):
    """Whether a run leaves a file of this path, or a temporary one that would have become it."""
    folder, name = os.path.split(path)
    name = TEMPORARY.sub(r"\1", name)
    return os.path.join(folder, name) in listed or folder == RECORDS and name.endswith(RECORD_ENDS) and name not in RECORD_ENDS


def _clear(out, folder, listed):
    names = ()
    with (os_errors_as(f"{os.path.join(out, folder)}: the folder cannot be read", "check its permissions"),
          contextlib.suppress(FileNotFoundError)):
        names = os.listdir(os.path.join(out, folder))
    for path in (os.path.join(folder, name) for name in names):
        with (os_errors_as(f"{os.path.join(out, path)}: left by an earlier run, and cannot be removed", "remove it by hand"),
              contextlib.suppress(FileNotFoundError)):
            if _is_left_by_runs(path, listed):
                os.unlink(os.path.join(out, path))


def clear(out):
    """Removes an earlier run's files from a directory, only those that this project writes."""
    listed = {name for _, name in run_files()}
    folders = sorted({RECORDS, *map(os.path.dirname, listed)})
    for folder in filter(None, folders):
        path = os.path.join(out, folder)
        if os.path.islink(path):  # files behind a link are not this run's to remove
            raise Failure(f"{path}: is a symbolic link, and each run removes what the last one left there: remove the link, or "
                          f"{run_lock.OTHERWISE}")
    for folder in folders:
        _clear(out, folder, listed)


def begin(out, process):
    """Begins a run: makes the directory of its results, takes it for the process, and clears it."""
    refuse_source(out)
    make_folder(out)
    run_lock.take(out, process)
    clear(out)
    make_folder(os.path.join(out, RECORDS))


@contextlib.contextmanager
def begun(out):
    """Begins a run of this process, which ends with the with statement."""
    begin(out, os.getpid())
    try:
        yield
    finally:
        run_lock.release(out, os.getpid())
