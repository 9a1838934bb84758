# SPDX-License-Identifier: MIT
"""The history: what runs measured of each case, in one SQLite database.

What a case measured is stored by its content, since most of it repeats: a run of this tree's 455 cases on the CPU model adds
9000 figures, and where nothing changed no more than 455 rows of four integers."""

import calendar
import contextlib
import hashlib
import json
import os
import pathlib
import sqlite3
import time

from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.json_io import canonical, integer_of, list_of, member, object_of, text_of
from kernelgate.base.run_facts import TIME
from kernelgate.base.settings import setting

PATH = os.path.join(".kernelgate", "history.sqlite")
APPLICATION = 0x4B474869  # "KGhi", in the file's header
VERSION = 1
HASH_BYTES = 16  # of a content's SHA-256
SECONDS = 60.0  # to wait for another writer
LARGEST_CHECKED = 1 << 28  # bytes that are checked whole at each start: of 77 MB, 100,000 runs, in 0.2 s
FIGURES = ("value", "low", "high", "baseline", "limit", "smallest", "gated", "verdict")  # of a metric, what is kept
TABLES = (
    """CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    branch TEXT NOT NULL,
    commit_name TEXT NOT NULL,
    exit_code INTEGER NOT NULL,
    facts_id INTEGER NOT NULL REFERENCES contents) STRICT""",
    "CREATE TABLE cases (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
    "CREATE TABLE targets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
    """CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL) STRICT""",
    # Clustered by case and target: a case's runs are one range of it, however many runs there are.
    """CREATE TABLE measured (
    case_id INTEGER NOT NULL REFERENCES cases,
    target_id INTEGER NOT NULL REFERENCES targets,
    run_id INTEGER NOT NULL REFERENCES runs,
    content_id INTEGER NOT NULL REFERENCES contents,
    PRIMARY KEY (case_id, target_id, run_id)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX runs_by_time ON runs (at, branch, commit_name)")
DAMAGED = "restore a copy of it, or remove it and add the runs again"


def add_database(parser):
    parser.add_argument("--db", metavar="FILE", help=f"the database (default: KG_HISTORY, else {PATH})")


def path_of(options):
    return options.db or setting("KG_HISTORY") or PATH


def digest(text):
    return hashlib.sha256(text.encode()).digest()


def began_at(document):
    """When a run began, or ended where only that is known, else now: in seconds since 1970. ValueError if it is not a time."""
    text = text_of(document["run"], "started") or text_of(document["run"], "ended")
    return calendar.timegm(time.strptime(text, TIME)) if text else int(time.time())


def _content_of(entry):
    """What is kept of a case: its verdict, and the known figures of each metric."""
    metrics = {name: {key: metric[key] for key in FIGURES if metric.get(key) is not None} for name, metric in entry["metrics"].items()}
    return canonical({"verdict": entry["verdict"], "metrics": metrics})


def _facts_of(document):
    """What is kept of a run besides its cases: where it ran, and its targets with the boards of each."""
    boards = object_of(document, "boards")
    machines = {}
    for key, target in document["targets"].items():
        machines[key] = {name: target[name] for name in ("name", "compiler") if name in target}
        if text_of(member(document["provenance"], key), "driver"):
            machines[key]["driver"] = document["provenance"][key]["driver"]
        machines[key]["boards"] = sorted(uuid for uuid, board in boards.items() if text_of(board, "target") == key)
    return canonical({**document["run"], "machines": machines})


@contextlib.contextmanager
def _named(path):
    """Makes SQLite's errors Failures of one line."""
    try:
        yield
    except sqlite3.OperationalError as error:
        advice = "try again" if "locked" in str(error) else "check the folder, its permissions and free space"
        raise Failure(f"{path}: {error}: {advice}") from None
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise Failure(f"{path}: {error}: it is damaged, or not a history: {DAMAGED}") from None


class Database:
    """The database in a file, checked as it is opened; a writer also makes it. The caller closes it."""

    def __init__(self, path, writes=False):
        self.path = path
        if not writes and not os.path.exists(path):
            raise Failure(f"{path}: there is no history yet: kernelgate history add RESULTS.json")
        with _named(path):
            if writes:
                with os_errors_as(f"{path}: its folder cannot be made", "name another with --db"):
                    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            uri = f"{pathlib.Path(path).absolute().as_uri()}?mode={'rwc' if writes else 'rw'}"
            self._file = sqlite3.connect(uri, uri=True, timeout=SECONDS, isolation_level=None)
            # A database from elsewhere must not run anything; FULL: what was reported as added outlives a loss of power.
            for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "foreign_keys=ON", "synchronous=FULL", "temp_store=MEMORY"):
                self._file.execute(f"PRAGMA {pragma}")
            if writes:
                self._make()
            self._check()

    def _schema(self):
        return sorted(sql for sql, in self._file.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))

    def _pragma(self, name):
        return self._file.execute(f"PRAGMA {name}").fetchone()[0]

    def _make(self):
        """Makes the tables of an empty file, in one transaction: who is killed meanwhile leaves it empty."""
        if self._pragma("application_id") == 0 and not self._schema():
            self._file.execute("PRAGMA journal_mode=WAL")
            with self._transaction():
                if not self._schema():  # else another process has just made them
                    for statement in (*TABLES, f"PRAGMA application_id={APPLICATION}", f"PRAGMA user_version={VERSION}"):
                        self._file.execute(statement)

    def _check(self):
        version = self._pragma("user_version")
        if self._pragma("application_id") != APPLICATION:
            raise Failure(f"{self.path}: is not a history of kernelgate: name another with --db")
        if version > VERSION:
            raise Failure(f"{self.path}: a newer kernelgate wrote it (version {version}, this one reads {VERSION}): update kernelgate")
        fault = self._pragma("quick_check(1)") if os.path.getsize(self.path) <= LARGEST_CHECKED else "ok"
        if version != VERSION or self._schema() != sorted(TABLES) or fault != "ok":
            raise Failure(f"{self.path}: is damaged: {'its tables are not those of a history' if fault == 'ok' else fault}: {DAMAGED}")

    @contextlib.contextmanager
    def _transaction(self):
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        except BaseException:
            self._file.execute("ROLLBACK")
            raise

    def close(self):
        with _named(self.path):
            self._file.close()

    def query(self, statement, *values):
        """All rows of a statement that reads."""
        with _named(self.path):
            return self._file.execute(statement, values).fetchall()

    def _id_of(self, table, key, **columns):
        """The id of a row by its unique column, which is made if there is none."""
        found = self._file.execute(f"SELECT id FROM {table} WHERE {key} = ?", (columns[key],)).fetchone()
        if found:
            return found[0]
        marks = ", ".join("?" * len(columns))
        return self._file.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values())).lastrowid

    def add(self, documents):
        """Adds runs, all or none: pairs of a hash and valid results. Returns how many were new."""
        with _named(self.path), self._transaction():
            return sum(self._add(key, document) for key, document in documents)

    def _add(self, key, document):
        if self._file.execute("SELECT 1 FROM runs WHERE hash = ?", (key,)).fetchone():
            return False
        run = document["run"]
        facts_id = self._content_id(_facts_of(document))
        run_id = self._id_of("runs", "hash", hash=key, at=began_at(document), branch=text_of(run, "branch"),
                             commit_name=text_of(run, "commit"), exit_code=integer_of(document, "exit_code"), facts_id=facts_id)
        for entry in list_of(document, "cases"):
            self._file.execute("INSERT INTO measured VALUES (?, ?, ?, ?)", (
                self._id_of("cases", "name", name=entry["case"]), self._id_of("targets", "name", name=entry["target"]), run_id,
                self._content_id(_content_of(entry))))
        return True

    def _content_id(self, text):
        return self._id_of("contents", "hash", hash=digest(text)[:HASH_BYTES], text=text)

    def content(self, number, stored, text):
        """A content as it was stored: of a case in a run {"verdict", "metrics"}, of a run its facts. Failure if its hash differs."""
        if digest(text)[:HASH_BYTES] != stored:
            raise Failure(f"{self.path}: is damaged: content {number} is not what was stored: {DAMAGED}")
        return json.loads(text)

    def place(self, places):
        """Sets where commits are in time, for the queries that follow: seconds by the name of each."""
        with _named(self.path):
            self._file.execute("CREATE TEMP TABLE IF NOT EXISTS places (commit_name TEXT PRIMARY KEY, seconds REAL NOT NULL)")
            self._file.executemany("INSERT OR REPLACE INTO temp.places VALUES (?, ?)", places.items())
