# SPDX-License-Identifier: MIT
"""The history of runs: what is added and refused, what survives a killed writer, and in which order it is shown."""

import io
import json
import os
import random
import signal
import sqlite3
import stat
import time
import zipfile

from history_fixture import BEGUN, CASE, GPU, MODEL, Histories, counted, failed, results, time_text, timed
from own_folder import write_file

# pylint: disable=wrong-import-order
from kernelgate.base import artifacts
from kernelgate.base.json_io import canonical
from kernelgate.history.database import Database, digest
from kernelgate.history.show import sparkline

DB = ".kernelgate/history.sqlite"
SHOW = ("history", "show", CASE, "--metric", "time_ns", "--format", "csv")


def archive(*members, **settings):
    """A ZIP archive of pairs of a name or ZipInfo and a text."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, **settings) as made:
        for name, text in members:
            made.writestr(name, text)
    return file.getvalue()


def linked(name):
    member = zipfile.ZipInfo(name)
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return member


GOOD = json.dumps(results(timed(1000), at=1))


class Add(Histories):
    def test_the_same_results_are_one_run(self):
        document = results(timed(1000), at=1)
        self.add(document, document, told="1 run added, 1 known already")
        backwards = dict(reversed(document.items()))
        self.write("again.json", json.dumps(backwards, indent=3))
        self.assertEqual(self.small_document(0, "history", "add", "again.json", "--json"),
                         {"schema": "kernelgate-added/1", "file": DB, "added": 0, "known": 1, "refused": 0, "runs": 1})
        self.add(results(timed(1001), at=1), told="1 run added: .kernelgate/history.sqlite has 2")

    def test_places(self):
        """--db goes before KG_HISTORY, which goes before the default; folders are made."""
        self.write("results.json", GOOD)
        for path, arguments, settings in ((DB, (), {}), ("a/b/c?d#e%f.sqlite", (), {"KG_HISTORY": "a/b/c?d#e%f.sqlite"}),
                                          ("g", ("--db", "g"), {"KG_HISTORY": "other"})):
            self.expect(0, f"{path} has 1", "history", "add", "results.json", *arguments, **settings)
            self.assertTrue(os.path.exists(path))

    def test_artifacts(self):
        """A file, a folder, an archive, each with what else a run leaves."""
        other = {**results(timed(1000), at=2), "schema": "kernelgate-results/1", "host": "old", "ended": time_text(BEGUN + 2),
                 "commit": "0123456789-dirty"}
        del other["run"]
        self.write("folder/a/results.json", GOOD)
        self.write("folder/b/results.json", other)
        self.write("folder/b/junit.xml", "<x/>")
        write_file("c.zip", archive(("x/results.json", json.dumps(results(timed(1000), at=3))), ("x/page.html", "<html>" * 100000)))
        self.expect(0, "3 runs added", "history", "add", "folder", "c.zip")
        runs = [point["run"] for point in self.points(CASE)]
        self.assertEqual([run["host"] for run in runs], ["runner-1", "old", "runner-1"])
        self.assertEqual((runs[1]["commit"], runs[1]["dirty"]), ("0123456789", True))

    def refusals(self):
        """What is wrong, the content, and what is said of it."""
        document = results(timed(1000), at=1)
        bad_id = json.dumps({**document, "cases": [{**timed(1), "case": "m/tiled/a b/-"}]})
        yield from (("empty", b"", "is not JSON"), ("truncated", GOOD[:-9].encode(), "is not JSON"),
                    ("binary", bytes(range(256)), "is not JSON"),
                    ("deep", b"[" * 100000, "is nested too deeply"), ("other", b'{"schema": "kernelgate-list/1"}', "its schema is"),
                    ("figure", GOOD.replace('"value": 1000', '"value": "1000"').encode(), "cases"),
                    ("time", GOOD.replace("2023-", "2023/").encode(), "it has no time such as"),
                    ("id", bad_id.encode(), "not the id of a case"),
                    ("infinite", GOOD.replace('"value": 1000', '"value": Infinity').encode(), "not a number of JSON"),
                    ("twice", json.dumps({**document, "cases": [timed(1), timed(2)]}).encode(), "is in it twice on nvidia-h200"))
        whole = archive(("results.json", GOOD))
        yield from (("cut", whole[:-30], "not a ZIP archive"),
                    ("flipped", whole[:60] + bytes([whole[60] ^ 255]) + whole[61:], "cannot be unpacked"),
                    ("none", archive(("junit.xml", "")), "has no results.json"), ("up", archive(("../results.json", GOOD)), "leads out"),
                    ("root", archive(("/results.json", GOOD)), "leads out"), ("slash", archive(("a\\..\\results.json", GOOD)), "leads out"),
                    ("link", archive((linked("results.json"), "/etc/passwd")), "is a symbolic link"),
                    ("pair", archive(("a/results.json", GOOD), ("b/results.json", GOOD[:-1])), "b/results.json"),
                    ("bomb", archive(("results.json", " " * (40 << 20))), "would unpack to more"),
                    ("encrypted", whole.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"), "is encrypted"))

    def test_members_of_a_newer_kernelgate(self):
        self.add({**results(timed(1000, more=[1]), shard={"plan": 3}), "more": {}}, told="1 run added")

    def test_refused_whole(self):
        self.add(results(timed(999)))
        before = self.expect(0, "", *SHOW)
        for name, data, told in self.refusals():
            with self.subTest(name):
                write_file(name, data)
                done = self.run_command("history", "add", name)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(told, done.stderr)
                self.assertEqual(self.expect(0, "", *SHOW), before)
        self.write("good.json", GOOD)
        self.expect(2, "1 run added", "history", "add", "cut", "good.json", "none")

    def test_a_name_that_is_there_twice(self):
        with self.assertWarns(UserWarning):
            data = archive(("results.json", GOOD), ("results.json", GOOD))
        write_file("twice.zip", data)
        self.refuse_artifact("twice.zip", "is in it twice")

    def refuse_artifact(self, path, told):
        with self.assertRaisesRegex(artifacts.Failure, told):
            artifacts.read_artifact(path)

    def test_sizes(self):
        """A size that a header understates, and limits, which are lowered for this."""
        kept = {name: getattr(artifacts, name) for name in ("LARGEST_DOCUMENT", "LARGEST_ARCHIVE", "LARGEST_TOTAL", "MOST_MEMBERS")}
        self.addCleanup(lambda: [setattr(artifacts, name, value) for name, value in kept.items()])
        noise = random.Random(1).randbytes(3000).hex()
        data = archive(("a/results.json", noise), ("b/results.json", noise))
        write_file("a.zip", data)
        size = len(noise).to_bytes(4, "little")
        write_file("lies.zip", data.replace(size, (9).to_bytes(4, "little")))
        self.write("folder/results.json", noise)
        self.write("folder/b", "")
        self.assertEqual(len(artifacts.read_artifact("a.zip")), 2)
        self.refuse_artifact("lies.zip", "cannot be unpacked")
        for name, value, path, told in (("LARGEST_DOCUMENT", 5000, "a.zip", "more than"), ("LARGEST_DOCUMENT", 5000, "folder", "more than"),
                                        ("LARGEST_TOTAL", 7000, "a.zip", "its results have more"),
                                        ("LARGEST_ARCHIVE", 500, "a.zip", "more than"),
                                        ("MOST_MEMBERS", 1, "a.zip", "has more than 1 members"),
                                        ("MOST_MEMBERS", 1, "folder", "has more than 1 files")):
            setattr(artifacts, name, value)
            self.refuse_artifact(path, told)
            setattr(artifacts, name, kept[name])

    def test_a_folder_with_a_link(self):
        os.mkdir("folder")
        os.symlink("/etc/passwd", "folder/results.json")
        self.refuse("is a symbolic link", "history", "add", "folder")
        self.refuse("is not a regular file", "history", "add", "/dev/zero")
        self.refuse("absent: cannot be read", "history", "add", "absent")


class Databases(Histories):
    def setUp(self):
        super().setUp()
        self.add(*(results(timed(1000 + number), at=number) for number in range(40)))
        self.whole = self.bytes()

    def bytes(self):
        with open(DB, "rb") as file:
            return file.read()

    def put(self, data):
        for name in os.listdir(".kernelgate"):
            os.remove(f".kernelgate/{name}")
        write_file(DB, data)

    def refused(self, told):
        for words in (SHOW, ("history", "add", "runs/0.json"), ("history", "creep")):
            done = self.run_command(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(told, done.stderr)

    def test_what_is_no_history(self):
        for data, told in ((b"some text\n" * 1000, "not a database"), (self.whole[:len(self.whole) // 4096 // 2 * 4096], "is damaged"),
                           (self.whole[:68] + b"\0\0\0\1" + self.whole[72:], "is not a history of kernelgate"),
                           (self.whole[:60] + b"\0\0\0\2" + self.whole[64:], "update kernelgate")):
            self.put(data)
            self.refused(told)
            self.assertEqual(self.bytes(), data)

    def test_tables_of_another(self):
        """A database from elsewhere may have triggers, or lack what keeps runs apart."""
        for statement in ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM measured; END", "DROP INDEX runs_by_time",
                          "CREATE VIEW v AS SELECT 1", "ALTER TABLE runs ADD COLUMN more TEXT"):
            self.put(self.whole)
            file = sqlite3.connect(DB)
            file.execute(statement)
            file.close()
            self.refused("its tables are not those of a history")

    def test_no_damage_changes_what_is_shown(self):
        """A bit that flips is found, or is in a place that nothing reads."""
        before, found, dice = self.expect(0, "", *SHOW), 0, random.Random(2)
        for _ in range(60):
            place = dice.randrange(len(self.whole))
            self.put(self.whole[:place] + bytes([self.whole[place] ^ 1 << dice.randrange(8)]) + self.whole[place + 1:])
            done = self.run_command(*SHOW)
            found += done.returncode
            self.assertIn((done.returncode, done.stdout, done.stderr.count("\n")), ((0, before, 0), (2, "", 1)), (place, done.stderr))
        self.assertGreater(found, 0)

    def test_no_history_yet(self):
        self.refuse("there is no history yet", *SHOW, "--db", "absent")
        self.assertFalse(os.path.exists("absent"))
        os.chmod(DB, 0o444)
        if os.geteuid():
            self.write("new.json", json.dumps(results(timed(1000), at=1000)))
            self.refuse("readonly", "history", "add", "new.json")

    def test_an_empty_file_becomes_one(self):
        self.put(b"")
        self.refuse("is not a history", *SHOW)
        self.expect(0, "1 run added", "history", "add", "runs/0.json")


def add_many(path, first, report):
    """Adds runs one after the other, and reports each that is in."""
    database = Database(path, writes=True)
    for number in range(first, first + 100000):
        document = results(timed(1000 + number), counted(number), at=number)
        database.add([(digest(canonical(document)), document)])
        os.write(report, b"%d\n" % number)


class Killed(Histories):
    def test_nothing_is_lost(self):
        """Killed in the middle of a write, often; two write at once."""
        dice, reported = random.Random(3), set()
        for attempt in range(40):
            ends, children = os.pipe(), []
            for writer in range(2):
                child = os.fork()
                if not child:
                    try:
                        add_many("db", (2 * attempt + writer) * 100000, ends[1])
                    finally:
                        os._exit(1)
                children.append(child)
            os.close(ends[1])
            with open(ends[0], encoding="ascii") as file:
                first = [file.readline() for _ in range(dice.randrange(1, 6))]
                time.sleep(dice.uniform(0.0, 0.02))
                for child in children:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                reported |= set(map(int, [*first, *file]))
        database = Database("db", writes=True)
        self.addCleanup(database.close)
        kept = {at - BEGUN for at, in database.query("SELECT at FROM runs")}
        self.assertGreaterEqual(len(reported), 40)
        self.assertLessEqual(reported, kept)
        self.assertLessEqual(len(kept - reported), 2 * 40)  # stored, and killed before that was said
        self.assertEqual(database.query("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(database.query("PRAGMA foreign_key_check"), [])
        self.assertEqual(database.query("SELECT count(*) FROM measured"), [(2 * len(kept),)])


class Show(Histories):
    def commit(self, *parents):
        """A commit of the repository here on top of others."""
        parents = [word for parent in parents for word in ("-p", parent)]
        tree = self.git("mktree", "</dev/null")
        self.count += 1
        return self.git("commit-tree", tree, *parents, "-m", "x", date=BEGUN + 10 * self.count)

    def git(self, *words, date=BEGUN):
        dates = {f"GIT_{who}_DATE": f"{date} +0000" for who in ("AUTHOR", "COMMITTER")}
        return self.expect_program(0, "", "sh", "-c", "git -c user.name=t -c user.email=t@localhost " + " ".join(words), **dates).strip()

    def test_order(self):
        """Runs of old commits that were made late stand where the commits are; others where their time is."""
        self.count = 0
        self.git("init --quiet --initial-branch=main .")
        first = self.commit()
        side = self.commit(first)
        second = self.commit(first)
        merge = self.commit(second, side)
        self.git("update-ref HEAD", merge)
        runs = [results(timed(1000 + number), at=at, commit=commit)
                for number, (commit, at) in enumerate(((merge, 100), (second[:10], 200), (first, 300), (side, 12), ("f" * 40, 1000)))]
        self.add(*runs)
        self.assertEqual(self.commits(CASE), [first, side, second[:10], merge, "f" * 40])
        os.rename(".git", "gone")
        self.assertEqual(self.commits(CASE), [side, merge, second[:10], first, "f" * 40])

    def test_choices(self):
        self.add(*(results(timed(1000 + number), counted(number), at=number, branch="main" if number % 2 else "fix")
                   for number in range(50)))
        for count, *arguments in ((30,), (50, "--last", "99"), (2, "--last", "2"), (25, "--branch", "fix", "--last", "99")):
            self.assertEqual(len(self.points(CASE, "--target", "nvidia-*", *arguments)), count)
        self.assertEqual([point["value"] for point in self.points(CASE, "--metric", "barriers", "--last", "3")], [47, 48, 49])
        for told, *arguments in (('did you mean "m/tiled/*"', "m/tield/*"),
                                 ('has no target "nvidia-a100"', CASE, "--target", "nvidia-a100"),
                                 ("no run has figures", CASE, "--metric", "fences"), ("no run has figures", CASE, "--branch", "other"),
                                 ("is not a number of runs", CASE, "--last", "0")):
            self.refuse(told, "history", "show", *arguments)

    def test_forms(self):
        """Of one metric every run; of several a line each, without counters that stayed."""
        self.add(results(timed(1000), counted(8)), results(timed(1010, low=None), counted(8), at=60, dirty=True, host=None),
                 results(failed(), counted(9), at=120), results(timed(1035, verdict="slower"), counted(8), at=180))
        text = self.expect(0, "", "history", "show", CASE)
        self.assertRegex(text, r"m/tiled/530/b16 +barriers +cpu-model +4 +8 +8 +0.0 % +pass +▁▁█▁\n")
        self.assertRegex(text, r"m/tiled/530/b16 +time_ns +nvidia-h200 +4 +1 000 ns +1 035 ns +\+3.5 % +slower +▁▃·█\n")
        self.assertIn("\n1 metric that never moved", text)
        rows = self.expect(0, "", "history", "show", CASE, "--metric", "time_ns").splitlines()[3:]
        self.assertEqual([row.split()[-1] for row in rows], ["verdict", "pass", "pass", "wrong", "slower"])
        self.assertIn("-dirty", rows[2])
        document = self.document(0, "history", "show", CASE, "--target", GPU, "--json")
        point = document["series"][0]["points"][3]
        self.assertEqual({key: value for key, value in point.items() if key != "run"},
                         {"value": 1035, "low": 1033, "high": 1037, "baseline": 1000, "limit": 0.02, "verdict": "slower"})
        self.assertEqual(point["run"]["machines"][GPU], {"name": "NVIDIA H200", "driver": "580.1", "boards": ["GPU-1"]})
        table = self.expect(0, "", "history", "show", "*", "--format", "csv").splitlines()
        self.assertEqual(len(table), 1 + 4 * 3)

    def test_sparkline(self):
        for values, line in (((1, 2, 3), "▁▅█"), ((5,), "▁"), ((0, 0), "▁▁"), ((1, float("nan"), 8), "▁·█"), ((), "")):
            self.assertEqual(sparkline(list(values)), line)

    def test_a_hostile_name_does_not_reach_the_terminal(self):
        self.add(results(timed(1000), branch="\x1b[31m\n::error::x", host="##[error]"))
        text = self.expect(0, "", "history", "show", CASE)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\n::", text)
        self.assertNotIn("##[", text)


class Creep(Histories):
    def creeping(self, *baselines, limit=0.02, code=None, **more):
        """What creeps where a commit each has these baselines, and takes that long."""
        os.makedirs(".kernelgate", exist_ok=True)
        for name in os.listdir(".kernelgate"):
            os.remove(f".kernelgate/{name}")
        self.add(*(results(timed(baseline, baseline, limit, **more), at=60 * number) for number, baseline in enumerate(baselines)))
        document = self.document(code, "history", "creep", "--json")
        return [(entry["steps"], entry["first"]["baseline"], round(entry["sum"], 4)) for entry in document["creeping"]]

    def test_sums(self):
        for baselines, expected, more in (
                ((1000, 1010, 1020, 1030), [(3, 1000, 0.03)], {}), ((1000, 1010), [], {}), ((1000, 1000, 1010, 1010), [], {}),
                ((1000, 1010, 1020), [], {}), ((1000, 1030), [], {}),
                # What a gate saw begins the sum anew; so does a gain.
                ((1000, 1030, 1040, 1050), [], {}), ((1000, 1030, 1040, 1050, 1060), [(3, 1030, 0.0291)], {}),
                ((1000, 900, 915, 930), [(2, 900, 0.0333)], {}), ((1000, 1010, 1020, 1010), [], {}),
                # A floor hides more of a short time than the band does.
                ((1000, 1015, 1030), [], {"smallest": 0.05}), ((1000, 1015, 1030), [], {"gated": False}), ((0, 0, 0), [], {})):
            with self.subTest(baselines):
                self.assertEqual(self.creeping(*baselines, code=int(bool(expected)), **more), expected)

    def test_interval(self):
        self.add(*(results(timed(value, baseline), at=60 * number) for number, (value, baseline) in enumerate(
            ((1000, 1000), (1004, 1000), (1002, 1000), (1016, 1015), (1030, 1030), (1034, 1030)))))
        entry, = self.small_document(1, "history", "creep", "--json")["creeping"]
        measured = {key: round(value, 4) for key, value in entry["measured"].items()}
        self.assertEqual(measured, {"value": round(1032 / 1002 - 1, 4), "low": round(1030 / 1004 - 1, 4),
                                    "high": round(1034 / 1000 - 1, 4)})
        self.assertIn("1 of 1 metric crept beyond the limit", self.expect(1, CASE, "history", "creep"))

    def test_exact_counters_do_not(self):
        self.add(*(results(counted(8 + number), at=60 * number) for number in range(4)))
        self.expect(0, "0 of 2 metrics", "history", "creep", "--target", MODEL)
