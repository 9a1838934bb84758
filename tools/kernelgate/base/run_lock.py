# SPDX-License-Identifier: MIT
"""Who holds a directory. A run holds the directory of its results from its first test to its last, so that two runs in one checkout
never mix theirs; a gate holds the build's directory too.

<directory>/run.lock is empty while nobody holds the directory, else it has lines of a word and a value:

  process 1234            the holder
  started 8812345         when it started, in clock ticks since the machine did (/proc/PID/stat): another process of the same number
                          is not the holder
  host runner-3           where
  what ci/gate            the holder's name
  since 2026-11-21 05:10:00 UTC

The file stays and is emptied when the directory is released. The commands read and write it locked with flock(). A holder that died
holds nothing. The programs of comparisons only look at it (harness/base/run_lock.c)."""

import calendar
import contextlib
import errno
import fcntl
import os
import re
import stat
import time
from dataclasses import dataclass

from kernelgate.base.errors import Failure, os_errors_as

FILE = "run.lock"
OTHERWISE = "set KG_OUT to another folder"
SECONDS_TO_WAIT = 10.0  # accessing the file takes milliseconds: a longer wait is for a stopped process
TRY_EVERY = 0.01
SINCE = "%Y-%m-%d %H:%M:%S UTC"
MOST_BYTES = 1024  # more than a holder's lines take
GONE, ALIVE, ELSEWHERE = range(3)


@dataclass(frozen=True)
class Process:
    parent: int
    started: int
    ended: bool  # its parent has not waited for it yet


def look(process):
    """A process's entry in /proc; None if it is gone or hidden."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()  # the name in brackets may contain anything
        return Process(int(fields[1]), int(fields[19]), fields[0] in (b"Z", b"X"))
    except (OSError, IndexError, ValueError):
        return None


def _is_alive(process):
    facts = look(process)
    if facts is not None:
        return not facts.ended
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's process may be hidden
    return True


def _program(process):
    try:
        with open(f"/proc/{process}/comm", "rb") as file:
            return os.fsdecode(file.read()).split("\n")[0]
    except OSError:
        return "a process"


@dataclass(frozen=True)
class Holder:
    process: int
    started: int
    host: str
    what: str
    since: str

    def liveness(self):
        if self.host != os.uname().nodename:
            return ELSEWHERE
        facts = look(self.process)
        if facts is not None and facts.started != self.started:
            return GONE
        return ALIVE if _is_alive(self.process) else GONE

    def is_ours(self):
        """Whether this process is the holder or descends from it."""
        process, facts = os.getpid(), None
        while process > 0 and process != self.process:
            facts = look(process)
            process = facts.parent if facts is not None else 0
        return process == self.process and self.liveness() == ALIVE

    def text(self):
        return f"process {self.process}\nstarted {self.started}\nhost {self.host}\nwhat {self.what}\nsince {self.since}\n"


def _describe(process, what):
    facts = look(process)
    if facts is None:
        raise Failure(f"process {process}: /proc has nothing about it: it is gone, or hidden: mount /proc")
    since = time.strftime(SINCE, time.gmtime())
    return Holder(process, facts.started, os.uname().nodename, what or _program(process), since)


@contextlib.contextmanager
def _opened(path, flags, otherwise):
    """The lock's file, locked exclusively (with O_RDONLY: shared); FileNotFoundError or NotADirectoryError if a
    reader finds none."""
    try:
        file = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR) and not flags & os.O_CREAT:
            raise
        if error.errno in (errno.EISDIR, errno.ENXIO):
            raise Failure(f"{path}: is not a regular file: remove it, or {otherwise}") from None
        raise Failure(f"{path}: cannot be opened: {error.strerror}: it says who holds this folder; check its permissions and free "
                      f"space, or {otherwise}") from None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise Failure(f"{path}: is not a regular file: remove it, or {otherwise}")
        _wait_for_turn(file, fcntl.LOCK_SH if flags == os.O_RDONLY else fcntl.LOCK_EX, path, otherwise)
        yield file
    finally:
        os.close(file)


def _wait_for_turn(file, kind, path, otherwise):
    began = time.monotonic()
    while True:
        with os_errors_as(f"{path}: cannot be locked", f"it needs a local disk: {otherwise}"), contextlib.suppress(BlockingIOError):
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            return
        if time.monotonic() - began > SECONDS_TO_WAIT:
            raise Failure(f"{path}: a process has kept it open for {SECONDS_TO_WAIT:g} s: end that process (fuser {path} names it), "
                          f"or {otherwise}")
        time.sleep(TRY_EVERY)


def _read(file, path):
    """The directory's holder, from its file; None if the file is empty."""
    with os_errors_as(f"{path}: cannot be read", "check the disk"):
        text = os.fsdecode(os.pread(file, MOST_BYTES, 0))
    if not text:
        return None
    values = {word: value for word, space, value in (line.partition(" ") for line in text.split("\n")) if space}
    process, started = values.get("process", ""), values.get("started", "")
    good = re.fullmatch("[1-9][0-9]{0,9}", process) and re.fullmatch("[0-9]{1,19}", started) and values.get("host") and "\0" not in text
    if not good or int(process) >= 2**31:
        raise Failure(f"{path}: does not say who holds this folder: if no run is in progress here, remove it")
    return Holder(int(process), int(started), values["host"], values.get("what", ""), values.get("since", ""))


def _write(file, path, text, otherwise):
    try:
        os.ftruncate(file, 0)
        if os.pwrite(file, os.fsencode(text), 0) != len(os.fsencode(text)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)  # half a holder would read as a damaged file
        raise Failure(f"{path}: cannot be written: {error.strerror}: free some disk space, or {otherwise}") from None


def _refuse(holder, path, otherwise):
    where, gone = f"process {holder.process}", ""
    if holder.liveness() == ELSEWHERE:
        where, gone = f"{where} on {holder.host}", f"; if it is gone, remove {path}"
    raise Failure(f"{os.path.dirname(path)}: held by {holder.what}, {where}, since {holder.since}: wait until it finishes, or "
                  f"{otherwise}{gone}")


def take(directory, process, what=None, otherwise=OTHERWISE):
    """Takes a directory, which must exist, for a process, named `what` (else by its program). Returns whether it
    became the holder: nothing changes if this process or one that it descends from already holds the directory.
    Failure, which names the holder and says `otherwise` how to go on, if another process holds it."""
    path = os.path.join(directory, FILE)
    future = _describe(process, what)
    with _opened(path, os.O_RDWR | os.O_CREAT, otherwise) as file:
        present = _read(file, path)
        if present is not None and present.is_ours():
            return False
        if present is not None and present.liveness() != GONE:
            _refuse(present, path, otherwise)
        _write(file, path, future.text(), otherwise)
    return True


def _holder(path, otherwise):
    """Who holds a directory, by the path of its file; None if nobody does, or there is no such directory."""
    try:
        with _opened(path, os.O_RDONLY, otherwise) as file:
            return _read(file, path)
    except OSError:
        return None


def check(directory, otherwise=OTHERWISE):
    """Failure if a process that this one does not descend from holds a directory, which need not exist."""
    path = os.path.join(directory, FILE)
    present = _holder(path, otherwise)
    if present is not None and not present.is_ours() and present.liveness() != GONE:
        _refuse(present, path, otherwise)


def held_since(directory):
    """Since when this process, or one that it descends from, holds a directory, in seconds since 1970; None if it does
    not."""
    present = _holder(os.path.join(directory, FILE), OTHERWISE)
    try:
        return calendar.timegm(time.strptime(present.since, SINCE)) if present is not None and present.is_ours() else None
    except ValueError:
        return None


def release(directory, process):
    """Releases a directory if the process holds it; else nothing changes."""
    path = os.path.join(directory, FILE)
    with contextlib.suppress(OSError, Failure), _opened(path, os.O_RDWR, OTHERWISE) as file:
        present = _read(file, path)
        if present is not None and present.process == process and present.liveness() == ALIVE:
            os.ftruncate(file, 0)


@contextlib.contextmanager
def held(directory, what=None, otherwise=OTHERWISE):
    """Holds a directory for this process inside a with statement, unless one that it descends from already holds it."""
    taken = take(directory, os.getpid(), what, otherwise)
    try:
        yield
    finally:
        if taken:
            release(directory, os.getpid())
