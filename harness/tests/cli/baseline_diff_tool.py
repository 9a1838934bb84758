# SPDX-License-Identifier: MIT
"""Tests of `kernelgate baseline diff`, and of `kernelgate results --since`, as users call them."""

import json
import os
import sys

from baseline_fixture import AFTER, Baselines, PATH, case, counters, gpu, time
from command_fixture import TREE
from own_folder import read_text

from kernelgate.baseline.changes import Changes, moved_beyond


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
        spread = {"noise": [0.07, 0], "band": 0.244}
        for before, after, expected in (
                ({}, {}, None), ({}, {"noise": [0.001, 0], "value": 10001}, ("", 0.0001)),
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
                ({"barriers": 1}, {"barriers": 1}, "44", None), ({"barriers": 1}, {"barriers": 2}, "44", ("moved", "slower", 1)),
                ({"shuffles": 4}, {"barriers": 1, "shuffles": 4}, "44", ("moved", "slower", float("inf"))),
                ({"barriers": 1, "shuffles": 4}, {"shuffles": 4}, "44", ("moved", "faster", -1)),
                # Work on tensor cores is no cost, and must not be lost.
                ({"tensor_multiply_adds": 8}, {"tensor_multiply_adds": 4}, "44", ("moved", "", -0.5)),
                ({"barriers": 1, "tensor_multiply_adds": 8}, {"barriers": 1}, "44", ("moved", "slower", -1)),
                ({"barriers": 1}, {"barriers": 1, "tensor_multiply_adds": 8}, "44", ("moved", "", float("inf"))),
                # What another version counted otherwise is not compared.
                ({"launches": 1}, {"launches": 9}, "24", ("new", "", None))):
            with self.subTest(before=before, after=after):
                sides = (counters({"a/b/1/-": side}, model=model) for side, model in zip((before, after), models))
                found = self.differences(*sides)
                self.assertEqual(len(found), expected is not None)
                for difference in found:
                    words = [word for word in ("slower", "faster") if getattr(difference, word)]
                    self.assertEqual((difference.kind, " ".join(words), difference.change), expected)

    def test_errors(self):
        """Of cases that are only checked, too: a rise is one, and errors that are gone of a case that is not are no longer gated."""
        case = "a/b/1/-"
        for before, after, checked, expected in (
                ([2, 1], [2, 1], True, []), ([2, 1], [3, 1], True, ["slower"]), ([2, 1], [1, 1], True, ["faster"]),
                ([2, 1], [2, 1, 0.1], True, ["loosened", "loosened"]), ([2, 1], None, True, ["ungated", "ungated"]),
                ([2, 1], None, False, []), (None, [2, 1], True, [])):
            with self.subTest(before=before, after=after):
                sides = [{**counters({}), "checked": [case], **({"accuracy": {case: side}} if side else {})} for side in (before, after)]
                sides[1]["checked"] = [case] if checked else []
                found = [difference for difference in self.differences(*sides) if difference.metric]
                self.assertEqual([word for difference in found for word in ("slower", "faster", "ungated", "loosened")
                                  if getattr(difference, word)], expected)

    def test_counters_that_an_older_model_does_not_judge(self):
        """Whether they have a value, and whether it is the same or not: a rise would not be found."""
        for launches in ({"launches": 1}, {"launches": 9}, {}):
            changes = Changes(*(self.loaded(counters({"a/b/1/-": {"barriers": 4, **counted}}, model=model))
                                for counted, model in (({"launches": 1}, "3"), (launches, "2"))))
            self.assertEqual(changes.file_entry("t", "changed", None),
                             {"target": "t", "state": "changed", "no_longer_gated": 2, "retired": 0, "widened": 0, "slower": 0,
                              "new": 0, "sentinels_moved": 0})
            self.assertEqual([(entry["metric"], entry["kind"]) for entry in changes.loosened_entries("t")],
                             [(name, "no_longer_gated") for name in ("constant_load_words", "launches")])

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
        self.baseline(2, f"first:{PATH}:1: schema: is not a string: fix the file, or record it again with kernelgate rebaseline (this is "
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
        for link in (False, True):
            if link:
                os.rename("baselines", "other")
                os.symlink("other", "baselines")
            self.assertEqual([entry["kind"] for entry in self.expect_state("changed", no_longer_gated=1, widened=1)],
                             ["no_longer_gated", "widened"])
        os.unlink("baselines")
        os.rename("other", "baselines")
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

    def test_generated_code(self):
        """Of baselines/sm_NN.json too, whose toolkit decides whether anything is judged."""
        path = "baselines/sm_80.json"
        right = read_text(os.path.join(TREE, path))
        toolkit = json.loads(right)["toolkit"]
        whole = {"no_longer_gated": 0, "retired": 0, "widened": 0, "slower": 0, "new": 0}
        self.write(path, right)
        self.commit("first")
        spills = right.replace('"spill_stores": 0', '"spill_stores": 4')
        for text, state, why, found in (
                (right, "unchanged", None, whole), (right.replace(toolkit, "13.99"), "changed", f"nvcc 13.99, was {toolkit}", whole),
                (spills, "changed", None, None), (None, "removed", None, {**whole, "retired": len(json.loads(right)["cases"])})):
            os.unlink(path)
            if text is not None:
                self.write(path, text)
            document = self.baselines("--since", "first")
            entry = next(entry for entry in document["files"] if entry["target"] == "sm_80")
            self.assertEqual((entry["state"], entry.get("why")), (state, why))
            if found is None:
                self.assertTrue(0 < entry["slower"] == len(document["loosened"]))
                self.assertEqual({loosened["kind"] for loosened in document["loosened"]}, {"slower"})
            else:
                self.assertEqual(({name: entry[name] for name in whole}, document["loosened"]), (found, []))
            self.write(path, right)
        self.write(path, "{")
        self.commit("first")
        self.write(path, right)
        self.assertEqual([entry["state"] for entry in self.baselines("--since", "first")["files"]], ["unchanged", "unreadable"])

    def test_generated_code_that_nobody_would_judge(self):
        """A file that is gone since the base, or the last commit, or that another file's test implies."""
        path, other = "baselines/sm_80.json", "baselines/sm_90.json"
        text = read_text(os.path.join(TREE, path))
        self.write(path, text)
        self.commit("first")
        self.results(0, "--strict")
        os.unlink(path)
        self.results(0, "--since", "first")
        for since in (["--since", "first"], []):
            self.assertIn(f"{path}: {'first' if since else 'HEAD'} has it, and there is no such file", self.results(2, "--strict", *since))
        self.write(path, text)
        self.write("build/kernelgate.code", {"judged": ["80"], "sources": {"80": {"m": {}}, "90": {"m": {}}}})
        self.results(0, "--strict", "--build", "build")
        self.VERDICTS = {**self.VERDICTS, "test": "sm_80.m.code"}
        self.assertIn(f"{other}: a GPU in baselines/ has that architecture", self.results(2, "--strict", "--build", "build"))
        self.write("build/kernelgate.code", {"judged": [], "sources": {}})
        self.assertIn(f"{path}: build compiles no code for it", self.results(2, "--strict", "--build", "build"))

    def test_a_note_of_what_was_not_judged(self):
        self.results(0, "--note", "no code")
        self.assertEqual(json.loads(self.read("out/results.json"))["notes"], [{"note": "no code", "target": "sm", "test": ""}])

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
        self.assertIn("\nbaselines since first: nvidia-fake changed; loosened: 1 metric no longer gated, 1 limit widened; 0 "
                      "times gated at 2 %, 1 wider, 1 reported only; 1 band set by hand\n", self.results(0, "--since", "first"))
        page = self.read("out/summary.md")
        self.assertTrue(page.startswith("# kernelgate: PASS (exit 0)\n\n1 case on nvidia-fake."))
        self.assertIn("\n## What changed\n\nBaselines since first: ", page)
        self.assertIn("\n- m/tiled/530/b16 time\\_ns on nvidia-fake: no longer gated\n- m/naive/530/b16 time\\_ns on "
                      "nvidia-fake: limit from 2.0 % to 12.0 %\n", page)

    def test_without_a_commit_what_is_let_pass_is_counted(self):
        self.write(PATH, self.AFTER)
        self.assertEqual(self.baselines(), {"gates": [{"target": "nvidia-fake", "at_2_percent": 0, "wider": 1, "reported_only": 1}],
                                            "by_hand": 1,
                                            "files": [], "loosened": []})
        os.rename(PATH, "baselines/nvidia-other.json")
        self.assertIsNone(self.baselines(), "what judged nothing of this run is not counted")
