# SPDX-License-Identifier: MIT
"""Tests of `kernelgate baseline show`, `retire` and `lint`, as users call them."""

import fcntl
import json
import os
import shutil

from baseline_fixture import BEFORE, PATH, RESTS_ON, Baselines, case, counters, gpu, time
from command_fixture import TREE


class Show(Baselines):
    def test_text(self):
        table = """\
baselines/nvidia-fake.json: NVIDIA Fake, 3 cases
3 times gated at 2 %, 0 wider, 0 reported only

case             metric        value   band  noise within  between boards  boards  sessions  smallest  gated  commit  code
copy             time_ns  100 000 ns  2.0 %         0.0 %           0.0 %       1         5     2.0 %  yes
m/naive/530/b16  time_ns   10 000 ns  2.0 %         0.0 %           0.0 %       1         5     2.0 %  yes    abc123
m/old/530/b16    time_ns   20 000 ns  2.0 %         0.0 %           0.0 %       1         5     2.0 %  yes    abc123
m/tiled/530/b16  time_ns    5 000 ns  2.0 %         0.0 %           0.0 %       1         5     2.0 %  yes    abc123
"""
        for name in ("nvidia-fake", PATH):
            self.assertEqual(self.baseline(0, "", "show", name), table)

    def test_a_kernel_and_a_band_by_hand(self):
        entry = {"time_ns": {"value": 1000, "band": 0.1, "band_by": "hand", "floor": 50, "gated": False},
                 "code": {"registers": 32, "occupancy": 0.75, "fingerprint": "00d1f2a3b4c50f1e"}}
        self.write("nvidia-fake.json", gpu({"m/naive/530/b16": entry}))
        self.baseline(0, "m/naive/530/b16  time_ns    1 000 ns  10.0 % by hand             -               -       -         -  "
                         "  10.0 %  no "
                         "            registers 32, local_bytes 0, shared_bytes 0, occupancy 0.75, fingerprint 00d1f2a3b4c50f1e\n",
                      "show", "./nvidia-fake.json")

    def test_counters(self):
        self.write("baselines/cpu-model.json", counters({"m/naive/530/b16": {"barriers": 12345}}))
        self.baseline(0, "m/naive/530/b16  barriers  12 345  0.0 %             -               -       -         -  any rise  yes  "
                         "  c\n", "show", "cpu-model")

    def test_formats(self):
        self.baseline(0, "## baselines/nvidia-fake.json: NVIDIA Fake, 3 cases\n3 times gated at 2 %, 0 wider, 0 reported only\n\n"
                         "| case | metric | value |", "show",
                      "nvidia-fake", "--format",
                      "markdown")
        self.baseline(0, "target,case,metric,value,band,noise within,between boards,boards,sessions,smallest,gated,commit,code\n"
                         "nvidia-fake,copy,time_ns,100000,0.02,0,0,1,5,0.02,yes", "show", "nvidia-fake", "--format", "csv")
        document = self.small_document(0, "baseline", "show", "nvidia-fake", "--json", "--case", "*/naive/*,copy")
        (metric,), (sentinel,) = document["metrics"], document["sentinels"]
        self.assertEqual((document["cases"], sentinel["case"]), (3, "copy"))
        self.assertEqual(document["gates"], {"at_2_percent": 3, "wider": 0, "reported_only": 0})
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
                ("nvidia-fak: there is no baseline of this key in baselines; did you mean nvidia-fake?", "nvidia-fak"),
                ("cpu-model: there is no baseline of this key in baselines: record one", "cpu-model"),
                ("kernelgate: x.json: there is no such file: name another, or a key\n", "x.json"),
                ("\udcff.json:1: target: key: is nvidia-fake, which belongs in", "./\udcff.json"),
                (f"kernelgate: {PATH}/y: there is no such file", f"{PATH}/y"),
                ("cannot be read: it is not a regular file", "./baselines"),
                ("kernelgate: baselines/bad.json:1: ", "bad")):
            self.refuse(told, "baseline", "show", *arguments)
        self.refuse("nowhere: the folder of the baselines cannot be read", "baseline", "show", "cpu-model",
                    KG_BASELINES="nowhere")


class Lint(Baselines):
    SOUND = "matmul/naive/31x33x17/b256g1056"
    QUIET = [10000, 10010, 9990, 10005, 9995]
    LOUD = [10000, 10300, 9700, 10200, 9800]
    HAND = {"band_by": "hand"}

    def sound(self, case=SOUND, rests_on=None, **more):
        """A baseline of two sentinels and a case, in which there is nothing to find; None takes a figure out."""
        figures = {**time(10000), "noise": [0.0008, 0], **more}
        metric = {name: value for name, value in figures.items() if value is not None}
        document = gpu({case: {"time_ns": metric, **(RESTS_ON if rests_on is None else rests_on), "commit": "abc"}})
        document["sentinels"]["copy"]["time_ns"]["band"] = 0.01
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

    def test_generated_code(self):
        """A file sm_NN.json is read as what it is, also among all files of the folder."""
        for name in ("sm_80.json", "cpu-model.json"):
            shutil.copy(os.path.join(TREE, "baselines", name), "baselines")
        self.write("baselines/sm_90.json", {"schema": "kernelgate-code/1", "target": "sm_90", "toolkit": "13.0", "kernels": {}})
        found = {file["file"]: file["ok"] for file in json.loads(self.baseline(2, "", "lint", "--json"))["files"]}
        self.assertEqual([found[f"baselines/{name}.json"] for name in ("cpu-model", "sm_80", "sm_90")], [True, True, False])
        self.baseline(0, "baselines/sm_80.json: ok: ", "lint", "baselines/sm_80.json")

    def test_figures(self):
        """The noise of LOUD asks for 19.0 % by five sessions, for 8.9 % by a hundred and for 8.5 % by any number."""
        loud, hand, many = {"noise": [0.02549, 0.01]}, self.HAND, {"boards": 2, "sessions": 100}
        self.check([(self.sound(**more), told) for more, told in (
            ({}, None), ({"band": 0.0204}, None), ({"rests_on": {"boards": 3, "sessions": 999}}, None),
            ({"rests_on": {"boards": 1, "sessions": 4}}, "rests on 4 sessions, and 5 is the fewest that say enough of the noise"),
            ({"rests_on": {}}, "rests on 0 sessions, and 5"), ({"noise": None}, "time_ns: does not say how noisy it is"),
            ({"noise": None, **hand}, None),
            ({**loud, "gated": False}, "its band is 2.0 %, and its noise, by 5 sessions, asks for 19.9 %"),
            ({**loud, "gated": False, **hand}, None), ({**loud, "gated": False, "band": 0.199}, None),
            ({**loud, "gated": False, "band": 0.199, "rests_on": many}, "by 100 sessions, asks for 8.8 %"),
            ({**loud, "band": 0.199}, "it is gated, and its band is 19.9 %: say"), ({**loud, "band": 0.199, **hand}, None),
            ({"band": 0.999}, "its band is 99.9 %, and its noise, by 5 sessions, asks for 2.0 %"), ({"band": 0.999, **hand}, None),
            ({"gated": False}, "it is not gated, and its band is 2.0 %: take"), ({"gated": False, **hand}, None),
            # Nobody but a hand makes a band narrower than 2 %.
            ({"band": 0.01}, "its band is 1.0 %"), ({"band": 0.01, **hand}, None))])

    def test_sessions(self):
        """A line that is as old as the sessions agrees with them."""
        stored = {"schema": "kernelgate-sessions/1", "target": "nvidia-fake",
                  "sessions": {self.SOUND: {"time_ns": {"GPU-1": self.QUIET}}}}
        path = "baselines/sessions/nvidia-fake.json"
        self.write(PATH, self.sound())
        for sessions, code, told in (
                (self.QUIET, 0, ": ok: 1 case, 2 sentinels, as its sessions have it\n"),
                ([10300] * 5, 2, f"{PATH}: {self.SOUND}: time_ns: is 10 000 ns with a band of 2.0 %, and its sessions say 10 300 ns"),
                (self.LOUD, 2, "its sessions say 10 000 ns and 18.4 %"),
                ([10300] * 6, 0, ": ok: 1 case, 2 sentinels, 1 line rests on fewer sessions than are stored\n"),
                ([10000, 0], 2, "[1]: 0 is less than or equal to the minimum of 0"),
                (["x"], 2, "'x' is not of type 'number'"), ([], 2, ": [] "), (self.QUIET, 0, "ok")):
            stored["sessions"][self.SOUND]["time_ns"]["GPU-1"] = sessions
            self.write(path, stored)
            self.baseline(code, told, "lint", PATH)
        for document, told in (({**stored, "target": "x"}, "is of another target than nvidia-fake"), ("{", "is not JSON"),
                               ({**stored, "more": 1}, "Additional properties are not"), ({**stored, "schema": "x"}, 'its schema is "x"')):
            self.write(path, document)
            self.baseline(2, f"{path}", "lint", PATH)
            self.baseline(2, told, "lint", PATH)
        document = self.small_document(2, "baseline", "lint", "--json")
        self.assertNotIn("older_lines", document["files"][0])

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
        self.assertEqual(self.baseline(2, "", "lint"), f"{finding}\n{PATH}: ok: 1 case, 2 sentinels, its sessions are not stored\n")
        self.assertEqual(self.baseline(0, "", "lint", PATH), f"{PATH}: ok: 1 case, 2 sentinels, its sessions are not stored\n")

    def test_what_cannot_be_read(self):
        for path, told in (("absent.json", "absent.json: there is no such file: name another\n"),
                           ("baselines", "baselines: cannot be read: it is not a regular file: ")):
            self.baseline(2, told, "lint", path)
        self.write("own/x.txt", "")
        self.refuse("own: has no baseline: name a file, or set KG_BASELINES", "baseline", "lint", KG_BASELINES="own")
        os.unlink(PATH)
        os.rmdir("baselines")
        self.refuse("baselines: the folder of the baselines cannot be read", "baseline", "lint")

    def test_what_reading_refuses(self):
        self.write("cpu-model.json", counters({"m/naive/530/b16": {"barriers": -0.0}}))
        self.baseline(2, "cpu-model.json:1: cases: m/naive/530/b16: barriers: is -0", "lint", "cpu-model.json")
        self.write("nvidia-fake.json", gpu({"m/naive/530/b16": {"time_ns": {"value": 1000, "band": 0.02, "floor": 51}}}))
        self.baseline(2, "nvidia-fake.json:1: cases: m/naive/530/b16: time_ns: floor: ", "lint", "nvidia-fake.json")
        # Whoever imports has no sentinels; whoever has sentinels imports nothing.
        self.write("nvidia-fake.json", gpu({}, provenance={"measured_by": "nvbench"}))
        self.baseline(2, "nvidia-fake.json:1: provenance: measured_by: ", "lint", "nvidia-fake.json")


class Retire(Baselines):
    MODEL = """\
{"schema": "kernelgate-baseline/2",
 "target": {"key": "cpu-model"},
 "provenance": {"model": "4"},
 "cases": {
  "a/b/1/-": {"barriers": 1, "commit": "c"}
 }%s}
"""
    FORM = """\
{"schema": "kernelgate-baseline/2",
 "target": {"key": "nvidia-fake", "name": "NVIDIA F\u00e5ke \\"1\\"", "compute_capability": "9.0", "memory_mib": 8, \
"multiprocessors": 132},
 "provenance": {"cuda": "13.0", "ecc": true, "power_limit_w": 700, "launch_ns": 0.1},
 "sentinels": {"copy": {"time_ns": {"value": 100000, "band": 0.011, "noise": [0.003123, 0]}, "boards": 1, "sessions": 40}, "fma": \
{"time_ns": {"value": 1e-05, "band": 0.02, "band_by": "hand", "gated": false}}},
 "cases": {
  "a/A/1/-": {"bytes": 9007199254740992, "more": {"value": 1, "band": 0.5, "floor": 2}, "time_ns": {"value": 1234.5678901234567, \
"band": 0.1, "noise": [0, 1e-05], "band_by": "hand", "floor": 0}, "boards": 2, "sessions": 10, "code": {"registers": 32, \
"shared_bytes": 4, "occupancy": 0.75}, "commit": "c"},
  "a/b/1/-": {"time_ns": {"value": 5, "band": 0, "floor": 0}, "code": {"local_bytes": 0}}
 }}
"""

    def retire(self, code, told, *arguments):
        return self.baseline(code, told, "retire", *arguments)

    def test_cases(self):
        self.retire(0, "m/old/530/b16: retired\nm/tiled/530/b16: retired\nbaselines/nvidia-fake.json: 2 of 3 cases retired\n",
                    "nvidia-fake",
                    "m/old/*", "*/tiled/*")
        self.assertEqual(list(json.loads(self.read(PATH))["cases"]), ["m/naive/530/b16"])

    def test_generated_code(self):
        shutil.copy(f"{TREE}/baselines/sm_80.json", "baselines/sm_80.json")
        before = json.loads(self.read("baselines/sm_80.json"))
        gone = [case for case in before["cases"] if case.startswith("softmax_f32/online/")]
        left = {case: launches for case, launches in before["cases"].items() if case not in gone}
        self.retire(0, f"baselines/sm_80.json: {len(gone)} of {len(before['cases'])} cases retired\n", "sm_80", "softmax_f32/online/*")
        now = json.loads(self.read("baselines/sm_80.json"))
        self.assertEqual(now["cases"], left)
        self.assertEqual(set(before["kernels"]) - set(now["kernels"]), {launch["kernel"] for case in gone
                                                                        for launch in before["cases"][case]})
        os.chmod("baselines/sm_80.json", 0o444)
        self.retire(2, "baselines/sm_80.json: not written: it is write-protected", "sm_80", "softmax_f32/*")
        self.retire(2, 'baselines/sm_80.json has no case "softmax_f32/online/*"', "sm_80", "softmax_f32/online/*")

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
        self.assertIn('"lines": {"kernels/a/b.cu:9": {"barriers": 1, "shuffles": 1}, "kernels/a/b.cu:10": {"shuffles": 1}}, '
                      '"commit": "c"}\n',
                      self.read("baselines/cpu-model.json"))
        for checked, text in ((["a/b/2/-", "a/old/2/-"], ',\n "checked": [\n  "a/b/2/-"\n ]'), (["a/old/2/-"], "")):
            self.write("baselines/cpu-model.json", counters({"a/b/1/-": {"barriers": 1}}, checked))
            self.retire(0, "", "cpu-model", "a/old/*")
            self.assertEqual(self.read("baselines/cpu-model.json"), self.MODEL % text)

    def test_errors(self):
        """A case that is only checked on a GPU is known by its errors alone; they are shown, checked and taken out with it."""
        document = {**BEFORE, "accuracy": {"m/naive/530/b16": [2.5, 1], "m/naive/7/b16": [0, 0, 0.25]}}
        self.write(PATH, document)
        shown = json.loads(self.run_command("baseline", "show", "--json", "nvidia-fake", "--case", "m/naive/7/*").stdout)
        self.assertEqual([(entry["metric"], entry["value"], entry["band"]) for entry in shown["metrics"]],
                         [("error_max", 0, 0.25), ("error_mean", 0, 0.25)])
        self.retire(0, "m/naive/7/b16: retired\nbaselines/nvidia-fake.json: 1 of 4 cases retired\n", "nvidia-fake", "m/naive/7/*")
        self.assertIn(',\n "accuracy": {\n  "m/naive/530/b16": [2.5, 1]\n }}\n', self.read(PATH))
        self.write(PATH, {**document, "accuracy": {"M/naive/530/b16": [2, 1]}})
        self.assertIn("accuracy: M/naive/530/b16: no table gives this name", self.run_command("baseline", "lint", PATH).stdout)

    def test_the_document(self):
        document = self.small_document(0, "baseline", "retire", "--json", "nvidia-fake", "m/old/*")
        self.assertEqual((document["retired"], document["cases_before"]), (["m/old/530/b16"], 3))

    def test_refusals(self):
        """One glob that matches nothing stops them all."""
        for told, *arguments in (
                (f'{PATH} has no case "m/odl/530/b16"; did you mean "m/old/530/b16"? Nothing is removed', "nvidia-fake",
                 "m/naive/*",
                 "m/odl/530/b16"),
                ('has no case "q": nothing is removed (kernelgate baseline show', "--json", "nvidia-fake", "q"),
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
        for option, glob in ((), "m/old/*"), (("--json",), "m/naive/*"):
            self.assertEqual(self.lose_output(written, "baseline", "retire", *option, "nvidia-fake", glob).count("\n"), 1)
        self.assertEqual(list(json.loads(self.read(PATH))["cases"]), ["m/tiled/530/b16"])
