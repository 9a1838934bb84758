"""Tests of `kernelgate baseline show`, `diff`, `retire` and `lint`, and of `kernelgate results --since`, as users call them.
usage: baseline_tool.py TREE KERNELGATE"""

import fcntl
import json
import os
import random
import subprocess
import sys
import unittest

import mutations
from command_fixture import COMMAND, Folder

import baseline_file
from baseline_changes import Changes, moved_beyond

SESSIONS = 5
PATH = "baselines/nvidia-fake.json"


def time(value, **more):
    return {"value": value, "band": 0.02, "floor": 50, **more, "sessions": [value] * SESSIONS}


def case(value, **more):
    return {"commit": "abc123", "time_ns": time(value, **more)}


def gpu(cases, key="nvidia-fake", **more):
    return {"schema": "kernelgate-baseline/1", "target": {"key": key, "name": "NVIDIA Fake"}, **more,
            "sentinels": {"copy": {"time_ns": time(100000)}}, "cases": cases}


def counters(cases, checked=(), model=None):
    return {"schema": "kernelgate-baseline/1", "target": {"key": "cpu-model"},
            **({"provenance": {"model": model}} if model else {}),
            "cases": {name: {"commit": "c", **{counter: {"value": value, "band": 0} for counter, value in counted.items()}}
                      for name, counted in cases.items()}, **({"checked": list(checked)} if checked else {})}


BEFORE = gpu({"m/naive/530/b16": case(10000), "m/old/530/b16": case(20000), "m/tiled/530/b16": case(5000)})
AFTER = gpu({"m/naive/530/b16": case(10300), "m/tiled/530/b16": case(5000, gated=False, band_by="hand"),
             "m/wide/530/b16": case(7000)})


class Baselines(Folder):
    def setUp(self):
        super().setUp()
        self.write(PATH, BEFORE)
        self.environment.pop("KG_BASELINES", None)

    def baseline(self, code, told, *arguments, **settings):
        return self.expect(code, told, "baseline", *arguments, **settings)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, env=self.environment,
                       stdout=subprocess.DEVNULL)

    def commit(self, tag=None):
        self.git("init", "-q", ".")
        self.git("add", "-A", "baselines")
        self.git("commit", "-q", "--allow-empty", "-mone")
        if tag:
            self.git("tag", "-f", tag)

    def loaded(self, document):
        """The baseline of a document, whose file is named by its key."""
        os.environ["KG__COMMAND"] = COMMAND
        name = f"{document['target']['key']}.json"
        return baseline_file.parse(name, name, json.dumps(document).encode())


class Show(Baselines):
    def test_text(self):
        table = """\
baselines/nvidia-fake.json: NVIDIA Fake, 3 cases

case             metric        value   band  noise (3 sigma)  sessions  smallest  gated  commit  code
copy             time_ns  100 000 ns  2.0 %            0.9 %         5     2.0 %  yes
m/naive/530/b16  time_ns   10 000 ns  2.0 %            0.9 %         5     2.0 %  yes    abc123
m/old/530/b16    time_ns   20 000 ns  2.0 %            0.9 %         5     2.0 %  yes    abc123
m/tiled/530/b16  time_ns    5 000 ns  2.0 %            0.9 %         5     2.0 %  yes    abc123
"""
        for name in ("nvidia-fake", PATH):
            self.assertEqual(self.baseline(0, "", "show", name), table)

    def test_a_kernel_and_a_band_by_hand(self):
        entry = {"time_ns": {"value": 1000, "band": 0.1, "band_by": "hand", "floor": 50, "gated": False},
                 "code": {"registers": 32, "occupancy": 0.75, "fingerprint": "00d1f2a3b4c50f1e"}}
        self.write("nvidia-fake.json", gpu({"m/naive/530/b16": entry}))
        self.baseline(0, "m/naive/530/b16  time_ns    1 000 ns  10.0 % by hand                -         -    10.0 %  no "
                         "            registers 32, occupancy 0.75, fingerprint 00d1f2a3b4c50f1e\n", "show", "./nvidia-fake.json")

    def test_counters(self):
        self.write("baselines/cpu-model.json", counters({"m/naive/530/b16": {"barriers": 12345}}))
        self.baseline(0, "m/naive/530/b16  barriers  12 345  0.0 %                -         -  any rise  yes    c\n", "show",
                      "cpu-model")

    def test_formats(self):
        self.baseline(0, "## baselines/nvidia-fake.json: NVIDIA Fake, 3 cases\n\n| case | metric | value |", "show",
                      "nvidia-fake", "--format",
                      "markdown")
        self.baseline(0, "target,case,metric,value,band,noise (3 sigma),sessions,smallest,gated,commit,code\n"
                         "nvidia-fake,copy,time_ns,100000,0.02,0.0090406", "show", "nvidia-fake", "--format", "csv")
        document = self.small_document(0, "baseline", "show", "nvidia-fake", "--json", "--case", "*/naive/*,copy")
        (metric,), (sentinel,) = document["metrics"], document["sentinels"]
        self.assertEqual((document["cases"], sentinel["case"]), (3, "copy"))
        self.assertEqual({name: metric[name] for name in ("case", "metric", "value", "smallest", "gated", "sessions", "commit")},
                         {"case": "m/naive/530/b16", "metric": "time_ns", "value": 10000, "smallest": 0.02, "gated": True,
                          "sessions": 5,
                          "commit": "abc123"})

    def test_some_cases(self):
        output = self.baseline(0, "NVIDIA Fake, 3 cases in all\n", "show", "nvidia-fake", "--case", "*/tiled/*,*/old/*")
        self.assertEqual(output.count("m/"), 2)

    def test_refusals(self):
        self.write("baselines/bad.json", "{")
        self.write("\udcff.json", BEFORE)
        for told, *arguments in (
                (f'{PATH} has no case "m/naiv/530/b16"; did you mean "m/naive/530/b16"?', "nvidia-fake", "--case",
                 "m/naiv/530/b16"),
                ('has no case "q": kernelgate baseline show', "nvidia-fake", "--json", "--case", "q"),
                ("--json and --format csv are two formats", "nvidia-fake", "--json", "--format=csv"),
                ('baseline show: there is no format "html": use text, markdown, csv or json', "nvidia-fake", "--format", "html"),
                ("nvidia-fak: there is no baseline of this key in baselines; did you mean nvidia-fake?", "nvidia-fak"),
                ("cpu-model: there is no baseline of this key in baselines: record one", "cpu-model"),
                ("kernelgate: x.json: there is no such file: name another, or a key\n", "x.json"),
                ("\udcff.json: its name is not UTF-8", "./\udcff.json"),
                (f"kernelgate: {PATH}/y: there is no such file", f"{PATH}/y"),
                ("cannot be read: it is not a regular file", "./baselines"),
                ("baseline show: takes one file or key", "a", "b"), ("baseline show: takes one file or key",),
                ("kernelgate: baselines/bad.json:1: ", "bad")):
            self.refuse(told, "baseline", "show", *arguments)
        self.refuse("nowhere: the folder of the baselines cannot be read", "baseline", "show", "cpu-model",
                    KG_BASELINES="nowhere")

    def test_damaged_files(self):
        generator = random.Random(1)
        for _ in range(25):
            with open(PATH, "wb") as file:
                file.write(mutations.mutated_text(BEFORE, generator))
            done = self.run_command("baseline", "show", "nvidia-fake")
            if done.returncode != 0:
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertTrue(done.stderr.startswith(f"kernelgate: {PATH}:"), done.stderr)


class Lint(Baselines):
    SOUND = "matmul/naive/31x33x17/b256g1056"
    QUIET = [10000, 10010, 9990, 10005, 9995]
    LOUD = [10000, 10300, 9700, 10200, 9800]
    HAND = {"band_by": "hand"}

    def sound(self, case=SOUND, **more):
        """A baseline of two sentinels and a case, in which there is nothing to find; None takes a figure out."""
        figures = {**time(10000), "sessions": self.QUIET, **more}
        metric = {name: value for name, value in figures.items() if value is not None}
        document = gpu({case: {"commit": "abc", "time_ns": metric}})
        document["sentinels"]["fma"] = document["sentinels"]["copy"]
        return document

    def check(self, rows):
        """Checks documents all at once; each has the finding that is expected, which holds a text, or none (None)."""
        paths = []
        for document, _ in rows:
            paths.append(f"{len(paths)}/{document['target']['key']}.json")
            self.write(paths[-1], document)
        lines = self.baseline(2, "", "lint", *paths).splitlines()
        self.assertEqual(len(lines), len(rows), lines)
        for path, line, (_, expected) in zip(paths, lines, rows):
            self.assertIn(f"{path}: ok: 1 case, " if expected is None else expected, line)
            self.assertTrue(line.startswith(f"{path}: "), line)

    def test_figures(self):
        only, loud, hand = "is only up to 0.9 %: take \"gated\" away", {"sessions": self.LOUD}, self.HAND
        self.check([(self.sound(**more), told) for more, told in (
            ({}, None), ({"value": 10000 * (1 + 1e-12)}, None), ({"band": 0.0204}, None),
            ({"value": 10100}, f"{self.SOUND}: time_ns: its value is 10 100 ns, and the median of its sessions 10 000 ns"),
            ({"sessions": [10000]}, "rests on 1 session, and 5 is the fewest that say enough of the noise"),
            ({"sessions": None}, "rests on 0 sessions, and 5"),
            ({**loud, "gated": False}, "its band is 2.0 %, and its noise (3 sigma) 8.0 %"),
            ({**loud, "gated": False, **hand}, None), ({**loud, "gated": False, "band": 0.08}, None),
            ({**loud, "band": 0.08}, "it is gated, and its noise (3 sigma, by 80 % confidence) is up to 12.6 %: say"),
            ({**loud, "band": 0.08, **hand}, None),
            ({"band": 0.999}, "its band is 99.9 %, and its noise (3 sigma) only 0.9 %"), ({"band": 0.999, **hand}, None),
            ({"gated": False}, f"it is not gated, and its noise (3 sigma, by 80 % confidence) {only}"),
            ({"gated": False, **hand}, None),
            # Nobody but a hand makes a band narrower than 2 %.
            ({"band": 0.01}, "its band is 1.0 %"), ({"band": 0.01, **hand}, None))])

    def test_names(self):
        names = ((None, "a/b/1/-", "a/b/0/b1", "a_1/b_2/31x33x17/b256"),
                 ("no table gives this name", "A/b/1/-", "a/b-c/1/-"),
                 ("no table gives this size", "a/b/x/-", "a/b/1x/-", "a/b/1y2/-", "a/b/-/-"),
                 ("no table gives this launch", "a/b/1/256", "a/b/1/b", "a/b/1/b0", "a/b/1/b32g", "a/b/1/b32g4x", "a/b/1/--"))
        self.check([(self.sound(case), told and f": {case}: {told}") for told, *cases in names for case in cases])

    def test_what_is_missing(self):
        without_commit, without_sentinel, imported = self.sound(), self.sound(), self.sound("a/-/-/-")
        del without_commit["cases"][self.SOUND]["commit"]
        del without_sentinel["sentinels"]["fma"]
        # Another tool has no sentinels, and its names may not say what a case is.
        imported.update(target={"key": "mine"}, sentinels={}, provenance={"measured_by": "nvbench 0.1.0"})
        self.check([(without_commit, f"{self.SOUND}: has no commit"), (without_sentinel, ": fma: this sentinel is missing"),
                    (imported, None), (counters({"a/b/1/-": {"barriers": 3}}), None)])

    def test_documents(self):
        self.write("baselines/bad.json", "{")
        self.write(PATH, self.sound())
        document = self.small_document(2, "baseline", "lint", "--json")
        bad, good = document["files"]
        self.assertEqual((document["exit_code"], bad["file"], bad["ok"], len(bad["findings"]), good["ok"], good["cases"]),
                         (2, "baselines/bad.json", False, 1, True, 1))
        finding = bad["findings"][0]
        self.assertTrue(finding.startswith("baselines/bad.json:1: "))
        self.assertEqual(self.baseline(2, "", "lint"), f"{finding}\n{PATH}: ok: 1 case, 2 sentinels\n")
        self.assertEqual(self.baseline(0, "", "lint", PATH), f"{PATH}: ok: 1 case, 2 sentinels\n")

    def test_what_cannot_be_read(self):
        for path, told in (("absent.json", "absent.json: there is no such file: name another\n"),
                           ("baselines", "baselines: cannot be opened: ")):
            self.baseline(2, told, "lint", path)
        os.unlink(PATH)
        self.refuse("baselines: holds no baseline: name a file, or set KG_BASELINES", "baseline", "lint")
        os.rmdir("baselines")
        self.refuse("baselines: the folder of the baselines cannot be read", "baseline", "lint")

    def test_what_the_reader_answers(self):
        self.write("cpu-model.json", counters({"m/a/1/-": {"barriers": 1}}, model="1"))
        self.write("bad.json", "{")
        model, times, bad, absent = json.loads(self.expect(0, "", "--baseline", "cpu-model.json", PATH, "bad.json", "absent"))
        self.assertIn("launches", model["outdated"])
        self.assertEqual((times["document"], times["limits"]["copy"]["time_ns"]), (BEFORE, {"limit": 0.02, "smallest": 0.02}))
        self.assertEqual((sorted(bad), absent), (["cases", "error"], {}))

    def test_what_reading_refuses(self):
        self.write("cpu-model.json", counters({"m/naive/530/b16": {"barriers": -0.0}}))
        self.baseline(2, "cpu-model.json:1: cases: m/naive/530/b16: barriers: value: ", "lint", "cpu-model.json")
        entry = {"time_ns": {"value": 1000, "band": 0.02, "band_by": "hand", "floor": 50, "sessions": [500, 2000, 1000]}}
        self.write("nvidia-fake.json", gpu({"m/naive/530/b16": entry}))
        self.baseline(2, "nvidia-fake.json:1: cases: m/naive/530/b16: time_ns: band: ", "lint", "nvidia-fake.json")
        # Whoever imports has no sentinels; whoever has sentinels imports nothing.
        self.write("nvidia-fake.json", gpu({}, provenance={"measured_by": "nvbench"}))
        self.baseline(2, "nvidia-fake.json:1: provenance: measured_by: ", "lint", "nvidia-fake.json")


class Differences(Baselines):
    """What becomes of one metric, of which each side may lack, by the kind, the change and what is held against it."""

    TIME = {"band": 0.02, "floor": 50}

    def test_moves(self):
        for before, after, fraction, floor, beyond in (
                (10000, 10200, 0.02, 50, False), (10000, 10201, 0.02, 50, True), (10000, 9804, 0.02, 50, False),
                (10000, 9803, 0.02, 50, True),
                (1000, 1040, 0.02, 50, False), (1000, 1051, 0.02, 50, True), (0, 1, 0, 0, True), (1, 0, 0, 0, True),
                (7, 7, 0, 0, False),
                (1000000, 1000001, 0, 0, True)):
            self.assertEqual(moved_beyond(before, after, fraction, floor), beyond, (before, after))

    def differences(self, first, last):
        return Changes(self.loaded(first), self.loaded(last)).differences

    def test_times(self):
        spread = {"sessions": [9000, 10000, 11000, 10000, 10000], "band": 0.244}
        for before, after, expected in (
                ({}, {}, None), ({}, {"sessions": [10001] * 5, "value": 10001}, ("", 0.0001)),
                ({}, {"value": 10300}, ("slower", 0.03)), ({}, {"value": 9700}, ("faster", -0.03)),
                ({}, {"band": 0.12}, ("loosened", 0)),
                ({}, {"band": 0.12, "value": 15000}, ("slower loosened", 0.5)), ({}, {"floor": 500}, ("loosened", 0)),
                ({"floor": 500}, {}, ("", 0)), ({"band": 0.12}, {}, ("", 0)), ({}, spread, ("loosened", 0)),
                (spread, {}, ("", 0)),
                ({}, {"gated": False}, ("ungated", 0)), ({}, {"gated": False, "value": 20000}, ("ungated", 1)),
                ({"gated": False}, {}, ("", 0)), ({"gated": False}, {"gated": False, "value": 20000}, ("", 1))):
            with self.subTest(before=before, after=after):
                sides = [gpu({"a/b/1/-": {"time_ns": {**self.TIME, "value": 10000, "band_by": "hand",
                                                      **side}}}) for side in (before, after)]
                found = self.differences(*sides)
                self.assertEqual(len(found), expected is not None)
                for difference in found:
                    words = [word for word in ("slower", "faster", "ungated", "loosened") if getattr(difference, word)]
                    self.assertEqual((" ".join(words), round(difference.change, 6)), expected)

    def test_counters(self):
        for before, after, models, expected in (
                ({"barriers": 1}, {"barriers": 1}, "33", None), ({"barriers": 1}, {"barriers": 2}, "33", ("moved", "slower", 1)),
                ({"shuffles": 4}, {"barriers": 1, "shuffles": 4}, "33", ("moved", "slower", float("inf"))),
                ({"barriers": 1, "shuffles": 4}, {"shuffles": 4}, "33", ("moved", "faster", -1)),
                # What another version counted otherwise is not compared.
                ({"launches": 1}, {"launches": 9}, "23", ("new", "", None)),
                ({"launches": 1, "shuffles": 4}, {"shuffles": 4}, "32", ("retired", "", None))):
            with self.subTest(before=before, after=after):
                sides = (counters({"a/b/1/-": side}, model=model) for side, model in zip((before, after), models))
                found = self.differences(*sides)
                self.assertEqual(len(found), expected is not None)
                for difference in found:
                    words = [word for word in ("slower", "faster") if getattr(difference, word)]
                    self.assertEqual((difference.kind, " ".join(words), difference.change), expected)

    def test_cases_and_order(self):
        first = gpu({f"a/{name}/1/-": case(value) for name, value in (("b", 1000), ("c", 1000), ("d", 1000), ("gone", 1000))})
        last = gpu({f"a/{name}/1/-": case(value) for name, value in (("b", 900), ("c", 1500), ("d", 1200), ("new", 1000))})
        self.assertEqual([(difference.kind, difference.case) for difference in self.differences(first, last)],
                         [("moved", "a/c/1/-"), ("moved", "a/d/1/-"), ("moved", "a/b/1/-"), ("new", "a/new/1/-"),
                          ("retired", "a/gone/1/-")])
        # A case that was only checked, and is counted now, is new; one that is only checked now is retired.
        first = counters({"a/b/1/-": {"barriers": 1}}, ["a/c/1/-", "a/d/1/-"])
        last = counters({"a/c/1/-": {"barriers": 1}}, ["a/b/1/-"])
        self.assertEqual([(difference.kind, difference.case) for difference in self.differences(first, last)],
                         [("new", "a/c/1/-"), ("retired", "a/b/1/-"), ("retired", "a/d/1/-")])

    def test_limits(self):
        first, last = gpu({"a/b/1/-": case(10000), "a/c/1/-": case(1000)}), gpu({"a/b/1/-": case(10600), "a/c/1/-": case(1040)})
        slow, small = self.differences(first, last)
        self.assertTrue(slow.exceeds(0.05) and not slow.exceeds(0.06) and not slow.exceeds(None))
        self.assertFalse(small.exceeds(0), "it is below its floor")

    def test_what_is_loosened(self):
        wide = {"band": 0.2, "band_by": "hand"}
        sides = (("ungated", {}, {"gated": False, "band_by": "hand"}), ("both", {}, {**wide, "value": 15000}),
                 ("wider", {}, wide),
                 ("slower", {}, {"value": 10300}), ("faster", {}, {"value": 9000}))
        first, last = (gpu({f"a/{name}/1/-": {"time_ns": {**self.TIME, "value": 10000, **side[which]}} for name, *side in sides})
                       for which in (0, 1))
        first["cases"]["a/gone/1/-"], last["cases"]["a/new/1/-"] = case(10000), case(10000)
        last["sentinels"] = {"copy": {"time_ns": time(101000)}, "fma": {"time_ns": time(1000)}}
        changes = Changes(self.loaded(first), self.loaded(last))
        self.assertEqual(changes.file_entry("t", "changed", None),
                         {"target": "t", "state": "changed", "no_longer_gated": 1, "retired": 1, "widened": 2, "slower": 2,
                          "new": 1,
                          "sentinels_moved": 2})
        self.assertEqual([(entry["case"], entry["kind"], entry.get("before"),
                           entry.get("after")) for entry in changes.loosened_entries("t")],
                         [("a/ungated/1/-", "no_longer_gated", None, None), ("a/gone/1/-", "retired", None, None),
                          ("a/both/1/-", "widened", 0.02, 0.2), ("a/wider/1/-", "widened", 0.02, 0.2),
                          ("a/slower/1/-", "slower", 10000, 10300)])


class Diff(Baselines):
    def setUp(self):
        super().setUp()
        self.write("now/nvidia-fake.json", AFTER)

    def test_text(self):
        self.assertEqual(self.baseline(0, "", "diff", "nvidia-fake", "now/nvidia-fake.json"), """\
from baselines/nvidia-fake.json to now/nvidia-fake.json

case             metric       first       last   change   band  note
m/naive/530/b16  time_ns  10 000 ns  10 300 ns   +3.0 %  2.0 %  slower
m/tiled/530/b16  time_ns   5 000 ns   5 000 ns    0.0 %  2.0 %  no longer gated
m/wide/530/b16   -                -          -      new      -
m/old/530/b16    -                -          -  retired      -

1 of 2 cases slower by more than their band in all; 0 faster, 1 new, 1 retired; 1 metric no longer gated
sentinels, which no commit touches: copy 0.0 %
""")

    def test_formats(self):
        self.baseline(0, "target,case,metric,first,last,change,band,note\nnvidia-fake,m/naive/530/b16,time_ns,10000,10300,0.03",
                      "diff", "nvidia-fake", "now/nvidia-fake.json", "--format", "csv")
        self.baseline(0, "| case | metric | first | last | change | band | note |\n", "diff", "nvidia-fake",
                      "now/nvidia-fake.json", "--format",
                      "markdown")
        document = self.small_document(1, "baseline", "diff", "nvidia-fake", "now/nvidia-fake.json", "--json", "--limit", "2.5")
        (file,) = document["files"]
        self.assertEqual((document["beyond_limit"], document["limit"], file["sentinels"]), (1, 0.025, {"copy": 0.0}))
        self.assertEqual(file["tally"], {"cases": 2, "slower": 1, "faster": 0, "new": 1, "retired": 1, "no_longer_gated": 1,
                                         "held_more_loosely": 0, "beyond_limit": 1})
        self.assertEqual([change["note"] for change in file["changes"]], ["beyond the limit", "no longer gated", "", ""])
        same = self.document(0, "baseline", "diff", "nvidia-fake", "nvidia-fake", "--json")
        self.assertEqual((same["files"][0]["changes"], same.get("limit")), ([], None))

    def test_limits(self):
        for limit, code in (("3", 0), ("2.9", 1), ("2.9%", 1), (".5", 1)):
            self.baseline(code, "in all, ", "diff", "nvidia-fake", "now/nvidia-fake.json", f"--limit={limit}")

    def test_refusals(self):
        self.write("baselines/cpu-model.json", counters({}))
        for told, *arguments in (
                *((f"--limit {limit}: is not a percentage", "a", "b", f"--limit={limit}")
                  for limit in ("x", "-1", "nan", "1e9", "%")),
                ('baseline diff: there is no format "xml"', "a", "b", "--format", "xml"),
                ("have nothing to compare: one has counters", "nvidia-fake", "cpu-model"),
                ("takes two files or keys", "nvidia-fake"),
                ("takes two files or keys",), ("nvidia-fak: there is no baseline", "nvidia-fak", "nvidia-fake"),
                ("nvidia-fak: there is no baseline", "nvidia-fake", "nvidia-fak", "--json")):
            self.refuse(told, "baseline", "diff", *arguments)


class Since(Baselines):
    def test_a_commit(self):
        self.commit("first")
        self.write(PATH, AFTER)
        self.baseline(0, f"{PATH} since first\n", "diff", "--since", "first")
        self.baseline(1, "1 of 2 cases slower by more than their band in all, 1 by more than 2.5 %", "diff", "--since", "first",
                      "nvidia-fake",
                      "--limit", "2.5")
        self.commit()
        self.baseline(0, "0 of 3 cases slower", "diff", "--since", "HEAD", PATH)
        self.baseline(0, "1 of 2 cases slower", "diff", "--since", "HEAD~1", os.path.abspath(PATH))

    def test_a_chain_of_small_steps(self):
        for value in (10000, 10150, 10300):
            self.write(PATH, gpu({"m/a/1/-": case(value)}))
            self.commit()
        self.baseline(0, "0 of 1 case slower", "diff", "--since", "HEAD~1")
        self.baseline(0, "1 of 1 case slower by more than their band in all", "diff", "--since", "HEAD~2")

    def test_files_that_come_and_go(self):
        self.commit("first")
        self.write("baselines/nvidia-new.json", gpu({}, "nvidia-new"))
        self.write("baselines/x.schema.json", "{}")
        self.baseline(0, "baselines/nvidia-new.json since first: it is new\n", "diff", "--since", "first")
        os.unlink(PATH)
        self.baseline(0, f"{PATH} since first: it is gone\n", "diff", "--since", "first")
        self.baseline(0, "0 of 0 cases slower by more than their band in all; 0 faster, 0 new, 3 retired", "diff", "--since",
                      "first",
                      "nvidia-fake")
        self.refuse("baselines/nvidia-old.json: there is no such file, and there was none at first", "baseline", "diff",
                    "--since", "first",
                    "nvidia-old")
        os.rename("baselines", "gone")
        self.baseline(0, "3 retired", "diff", "--since", "first")

    def test_refusals(self):
        self.refuse("--since first: git failed in baselines: fatal: not a git repository", "baseline", "diff", "--since", "first")
        self.commit("first")
        os.mkdir("empty")
        for told, since, folder in (("--since second: there is no such commit, branch or tag here", "second", ""),
                                    ("--since --all: there is no such commit", "--all", ""),
                                    ("empty: holds no baseline, and held none at first", "first", "empty")):
            self.refuse(told, "baseline", "diff", f"--since={since}", KG_BASELINES=folder)
        os.mkdir("bin")
        os.symlink(sys.executable, "bin/python3")
        self.refuse("git: cannot be run: No such file or directory: install it", "baseline", "diff", "--since", "first",
                    PATH="bin")

    def test_a_file_that_was_not_right(self):
        self.write(PATH, {"schema": 1})
        self.commit("first")
        self.write(PATH, AFTER)
        self.baseline(2, f"first:{PATH}:1: schema: is not a string: fix the file, or record it again with ci/rebaseline (this is "
                         "how the file was then: choose a later commit)\n", "diff", "--since", "first")
        self.commit()
        self.write(PATH, {"schema": 1})
        self.refuse(f"kernelgate: {PATH}:1: schema: is not a string", "baseline", "diff", "--since", "HEAD")


class Results(Baselines):
    """What the results of a run say of the baselines, and of what a change of them loosens."""

    BEFORE = gpu({"m/naive/530/b16": {"time_ns": Differences.TIME | {"value": 10000}}, "m/tiled/530/b16": case(10000)})
    AFTER = gpu({"m/naive/530/b16": {"time_ns": {"value": 10000, "band": 0.12, "floor": 50}},
                 "m/tiled/530/b16": case(10000, gated=False, band_by="hand")})
    VERDICTS = {"schema": "kernelgate-verdicts/1", "test": "gpu.m.time", "complete": True, "exit_code": 0,
                "target": {"key": "nvidia-fake"},
                "cases": [{"case": "m/naive/530/b16", "target": "nvidia-fake", "part": "time", "metrics": {}, "verdict": "pass",
                           "why": ""}]}

    def setUp(self):
        super().setUp()
        self.environment["KG_OUT"] = "out"
        self.write(PATH, self.BEFORE)
        self.commit("first")

    def results(self, code, *arguments):
        self.expect(0, "", "begin")
        self.write("out/records/gpu.m.time.verdicts.json", self.VERDICTS)
        return self.expect(code, "", "results", *arguments)

    def baselines(self, *arguments):
        self.results(0, *arguments)
        return json.loads(self.read("out/results.json")).get("baselines")

    def expect_state(self, state, **counts):
        found = self.baselines("--since", "first")
        (file,) = found["files"]
        self.assertEqual((found["since"], len(found["commit"]), file["target"], file["state"]),
                         ("first", 40, "nvidia-fake", state))
        self.assertEqual({name: count for name, count in file.items() if isinstance(count, int) and count}, counts)
        self.assertEqual("why" in file, state == "unreadable")
        return found["loosened"]

    def test_states(self):
        self.assertEqual(self.expect_state("unchanged"), [])
        self.write(PATH, json.dumps(self.BEFORE, indent=1))
        self.expect_state("changed")
        self.write(PATH, self.AFTER)
        self.assertEqual([entry["kind"] for entry in self.expect_state("changed", no_longer_gated=1, widened=1)],
                         ["no_longer_gated", "widened"])
        os.unlink(PATH)
        self.assertEqual(self.expect_state("removed", retired=2, sentinels_moved=1), [])
        os.rmdir("baselines")
        self.expect_state("removed", retired=2, sentinels_moved=1)
        self.git("rm", "-q", "--cached", "-r", "baselines")
        self.git("commit", "-q", "-mtwo")
        self.git("tag", "-f", "first")
        self.write(PATH, self.BEFORE)
        self.expect_state("new", new=2, sentinels_moved=1)
        self.write(PATH, {"schema": 1})
        self.commit("first")
        self.write(PATH, self.BEFORE)
        self.expect_state("unreadable")

    def test_refusals(self):
        for since, told in (("second", "--since second: there is no such commit, branch or tag here"),
                            ("--all", "--since --all: there is no such commit")):
            self.results(2, f"--since={since}")
            self.expect(2, told, "results", f"--since={since}")
        self.write(PATH, {"schema": 1})
        self.assertIn("\nERROR  ", self.results(2, "--since", "first"))
        self.expect(2, f"{PATH}:1: schema: is not a string", "results", "--since", "first")

    def test_words(self):
        self.write(PATH, self.AFTER)
        self.assertIn("\nbaselines since first: nvidia-fake changed; loosened: 1 metric no longer gated, 1 limit widened; 1 "
                      "metric is not gated, 1 limit is above 10 %\n", self.results(0, "--since", "first"))
        page = self.read("out/summary.md")
        self.assertTrue(page.startswith("# kernelgate: PASS (exit 0)\n\n**Baselines** since first: "))
        self.assertIn("\n- m/tiled/530/b16 time\\_ns on nvidia-fake: no longer gated\n- m/naive/530/b16 time\\_ns on "
                      "nvidia-fake: limit from 2.0 % to 12.0 %\n\n1 case on nvidia-fake.", page)

    def test_without_a_commit_what_is_let_pass_is_counted(self):
        self.write(PATH, self.AFTER)
        self.assertEqual(self.baselines(), {"not_gated": 1, "limits_above_10_percent": 1, "files": [], "loosened": []})
        os.rename(PATH, "baselines/nvidia-other.json")
        self.assertIsNone(self.baselines(), "what judged nothing of this run is not counted")


class Retire(Baselines):
    MODEL = """\
{"schema": "kernelgate-baseline/1",
 "target": {"key": "cpu-model"},
 "cases": {
  "a/b/1/-": {"commit": "c", "barriers": {"value": 1, "band": 0}}
 }%s}
"""
    FORM = """\
{"schema": "kernelgate-baseline/1",
 "target": {"key": "nvidia-fake", "name": "NVIDIA F\u00e5ke \\"1\\"", "compute_capability": "9.0", "memory_mib": 8, \
"multiprocessors": 132},
 "provenance": {"cuda": "13.0", "ecc": true, "power_limit_w": 700, "launch_ns": 0.1},
 "sentinels": {"copy": {"time_ns": {"value": 100000, "band": 0.02, "floor": 50, "sessions": [100000, 100000.5]}}, "fma": \
{"time_ns": {"value": 1e-05, "band": 0.02, "band_by": "hand", "floor": 50, "gated": false}}},
 "cases": {
  "a/A/1/-": {"commit": "c", "bytes": {"value": 9007199254740992, "band": 0}, "time_ns": {"value": 1234.5678901234567, \
"band": 0.1, "band_by": "hand", "floor": 0}, "code": {"registers": 32, "occupancy": 0.75}},
  "a/b/1/-": {"time_ns": {"value": 5, "band": 0, "floor": 0}}
 }}
"""

    def retire(self, code, told, *arguments):
        return self.baseline(code, told, "retire", *arguments)

    def test_cases(self):
        self.retire(0, "m/old/530/b16: retired\nm/tiled/530/b16: retired\nbaselines/nvidia-fake.json: 2 of 3 cases retired\n",
                    "nvidia-fake",
                    "m/old/*", "*/tiled/*")
        self.assertEqual(list(json.loads(self.read(PATH))["cases"]), ["m/naive/530/b16"])

    def test_the_form_of_the_file(self):
        document = json.loads(self.FORM)
        document["cases"]["a/gone/1/-"] = case(5000)
        for name in ("cases", "target", "sentinels"):
            document[name] = dict(reversed(document[name].items()))
        self.write(PATH, document)
        self.retire(0, "1 of 3 cases retired\n", "nvidia-fake", "a/gone/*")
        self.assertEqual(self.read(PATH), self.FORM)
        os.chmod(PATH, 0o666)
        os.symlink("nvidia-fake.json", "baselines/link.json")
        self.retire(0, "", "nvidia-fake", "a/b/*")
        self.assertEqual(os.stat(PATH).st_mode & 0o777, 0o666)
        self.assertEqual(sorted(os.listdir("baselines")), ["link.json", "nvidia-fake.json"])

    def test_lines_and_checked_cases(self):
        lines = {"kernels/a/b.cu:9": {"shuffles": 1, "barriers": 1}, "kernels/a/b.cu:10": {"shuffles": 1}}
        document = counters({"a/b/1/-": {"shuffles": 2, "barriers": 1}, "a/c/1/-": {"barriers": 1}}, ["a/old/2/-", "a/b/2/-"])
        document["cases"]["a/b/1/-"]["lines"] = dict(reversed(lines.items()))
        self.write("baselines/cpu-model.json", document)
        self.retire(0, "a/c/1/-: retired\na/old/2/-: retired\nbaselines/cpu-model.json: 2 of 4 cases retired\n", "cpu-model",
                    "a/old/*", "a/c/*")
        self.assertIn('"lines": {"kernels/a/b.cu:9": {"barriers": 1, "shuffles": 1}, "kernels/a/b.cu:10": {"shuffles": 1}}}\n',
                      self.read("baselines/cpu-model.json"))
        for checked, text in ((["a/b/2/-", "a/old/2/-"], ',\n "checked": [\n  "a/b/2/-"\n ]'), (["a/old/2/-"], "")):
            self.write("baselines/cpu-model.json", counters({"a/b/1/-": {"barriers": 1}}, checked))
            self.retire(0, "", "cpu-model", "a/old/*")
            self.assertEqual(self.read("baselines/cpu-model.json"), self.MODEL % text)

    def test_trying(self):
        document = self.small_document(0, "baseline", "retire", "--json", "--dry-run", "nvidia-fake", "m/old/*")
        self.assertEqual((document["dry_run"], document["retired"], document["cases_before"]), (True, ["m/old/530/b16"], 3))
        self.retire(0, "m/old/530/b16: would be retired\nbaselines/nvidia-fake.json: 1 of 3 cases would be retired; nothing is "
                       "written\n",
                    "--dry-run", "nvidia-fake", "m/old/*")
        self.assertEqual(json.loads(self.read(PATH)), BEFORE)

    def test_refusals(self):
        """One glob that matches nothing stops them all."""
        for told, *arguments in (
                (f'{PATH} has no case "m/odl/530/b16"; did you mean "m/old/530/b16"? Nothing is taken out', "nvidia-fake",
                 "m/naive/*",
                 "m/odl/530/b16"),
                ('has no case "q": nothing is taken out (kernelgate baseline show', "--json", "nvidia-fake", "q"),
                ("baseline retire: takes a file or key and the cases to take out", "nvidia-fake"),
                ("nvidia-fak: there is no baseline of this key", "nvidia-fak", "*"),
                ("nowhere: cannot be read", "nowhere/x.json", "*")):
            self.refuse(told, "baseline", "retire", *arguments)
        os.chmod(PATH, 0o444)
        self.refuse("not written: it is write-protected", "baseline", "retire", "nvidia-fake", "m/old/*")
        self.assertEqual(json.loads(self.read(PATH)), BEFORE)

    def test_the_lock(self):
        facts = os.stat("baselines")
        with open(f"kernelgate-baselines-{facts.st_dev:x}-{facts.st_ino:x}.lock", "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("process 1 (x)")
            file.flush()
            self.refuse("baselines: it is held by process 1 (x): wait for its end", "baseline", "retire", "nvidia-fake",
                        "m/old/*")
        self.retire(0, "", "nvidia-fake", "m/old/*")
        self.refuse("the lock cannot be opened", "baseline", "retire", "nvidia-fake", "*", KG_LOCK_DIR="/nowhere")

    def test_an_output_that_takes_nothing(self):
        """The file is changed by then, which nobody would expect of a command that failed."""
        written = f"kernelgate: baseline retire: {PATH} was written, but its report is lost: the standard output cannot be"
        for option, glob, told in ((), "m/old/*", written), (("--json",), "m/naive/*", written), (
                ("--dry-run",), "m/tiled/*", "kernelgate: baseline retire: the standard output cannot be written"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([COMMAND, "baseline", "retire", *option, "nvidia-fake", glob], stdout=full,
                                      stderr=subprocess.PIPE,
                                      text=True, check=False, env=self.environment)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
            self.assertIn(told, done.stderr)
        self.assertEqual(list(json.loads(self.read(PATH))["cases"]), ["m/tiled/530/b16"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
