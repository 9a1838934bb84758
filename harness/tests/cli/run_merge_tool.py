# SPDX-License-Identifier: MIT
"""Tests of how what the tests of a run left becomes its results."""

import json
import os
import random
import unittest

import mutations
from merge_fixture import H200, MODEL, TREE, Merges, claim, part, timed, verdicts
from own_folder import read_json_lines, write_file

from kernelgate.run import merge as run_merge
from kernelgate.base.schemas import RESULTS, load_schema
from kernelgate.base.errors import Failure
from kernelgate.base.results import digest

SKIPPED = {"skipped": "because", "cases": None}


class ExitCodes(unittest.TestCase):
    def test_examples(self):
        """Those that test kg__exit_code(), and what only a run has."""
        rows = read_json_lines(os.path.join(TREE, "harness", "tests", "judge", "exit_codes.jsonl"))
        for row in rows:
            counts = {**run_merge.make_tally(), **row["tally"]}
            self.assertEqual(counts.keys(), run_merge.make_tally().keys())
            self.assertEqual([run_merge.exit_code_of_tally(counts, strict) for strict in (False, True)], row["codes"], row)


class Files(Merges):
    def load(self, text):
        self.write("x.verdicts.json", text)
        return run_merge.load_verdicts("x.verdicts.json")

    def refuse(self, told, *arguments, **settings):
        """A file of this text is refused, by its name, where, and why, with what to do."""
        with self.assertRaises(Failure) as refused:
            self.load(*arguments)
        self.assertRegex(str(refused.exception), r"^x\.verdicts\.json:.*: run the test again$")
        self.assertIn(told, str(refused.exception))

    def test_what_tests_write(self):
        full = verdicts("gpu.a.time", timed("slower"), seconds=3, errors=["e"], vanished=["a/b/c/-"], notes=["n"], unheard_of=1,
                        refused=[{"case": "a/b/0/-", "why": "size 0"}], claims=[claim(True)])
        null = verdicts("t", part("time", metrics={"time_ns": {"value": None}}), skipped="no GPU", skipped_by="unavailable")
        for document in (full, null):
            self.assertEqual(self.load(document), document)

    def test_what_is_no_verdicts_file(self):
        for text, told in (("", "is not JSON"), ('{"cases": [\n{"case": "a/b', "x.verdicts.json:2: is not JSON"),
                           ("[]", "is not a JSON object"), ("7", "is not JSON"), ('{"schema": 1}', 'its schema is ""'),
                           ('{"schema": "kernelgate-verdicts/2"}', 'its schema is "kernelgate-verdicts/2"'),
                           ('{"schema": "x", "schema": "x"}', "twice"), ('{"seconds": NaN}', "NaN"), ('{"a": 1e999}', "1e999"),
                           ('{"a": -Infinity}', "Infinity"), ("[" * 99999, "nested"), ('{"a": "\\u0000"}', "NUL character"),
                           (json.dumps(verdicts("t", part("time", "slow"))), "cases[0].verdict"),
                           (json.dumps(verdicts("t", part("time", case=None))), "cases[0].case"),
                           (json.dumps(verdicts("t", part("time", group=[]))), "cases[0].group"),
                           (json.dumps(verdicts(None)), "the document: 'test' is a required property")):
            self.refuse(told, text)
        for path, told in (("none", "cannot be read: No such file"), (".", "it is not a regular file"),
                           ("pipe", "it is not a regular file")):
            if path == "pipe":
                os.mkfifo(path)
            with self.assertRaisesRegex(Failure, told):
                run_merge.load_verdicts(path)
        write_file("x.verdicts.json", b'{"notes": ["\xff"]}')
        with self.assertRaisesRegex(Failure, "is not JSON"):
            run_merge.load_verdicts("x.verdicts.json")

    def test_a_file_that_is_cut_anywhere(self):
        whole = json.dumps(verdicts("gpu.a.time", timed(), errors=[]))
        for length in range(len(whole)):
            self.refuse("is not JSON", whole[:length])

    def test_damaged_files(self):
        """Whatever is in a file, the run has results of their form, and either the file counts or it is an error."""
        chance = random.Random(20)
        whole = verdicts(
            "gpu.a.time", timed("slower", "w", gpu_state={"sm_clock_mhz": 1410}, changed=["x"], reason="r", at={"file": "f", "line": 1},
                                pairs={"time_ns": {"count": 9, "change": 0.1, "low": 0, "high": 1, "p": 0}}),
            timed("wrong", case="a/b/2/-", group="g", findings=[{"kind": "misaligned"}], more_findings=1, suspect=True),
            seconds=3, errors=["e"], vanished=["a/o/1/-"], claims=[claim(False)], refused=[{"case": "a/b/3/-", "why": "w"}],
            notes=["n"], board="GPU-1", provenance={"driver": "5", "max_sm_clock_mhz": 1980})
        counted = verdicts("model.a.count", part("count", "slower", "rose", target=MODEL, moves="m", metrics={
            "global_load_requests": {"value": 2, "verdict": "slower"}}), target=MODEL)
        unread = 0
        for _ in range(600):
            text = mutations.mutated_text(whole, chance).decode("utf-8", "surrogateescape")
            errors = self.results(counted,
                                  **{"gpu.a.time": text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")})["errors"]
            unread += any("run the test again" in error["why"] for error in errors)
        self.assertTrue(200 < unread < 550, unread)


class Parts(Merges):
    def test_the_parts_of_a_case_are_joined(self):
        driver = {"driver": "580.159.04"}
        results = self.results(
            verdicts("gpu.a.check", part("check", case="a/z/1/-"), part("check"), provenance=driver),
            verdicts("gpu.a.time", timed("slower", "6 % slower"), seconds=3.5, provenance={"driver": "x", "limits": {}}),
            verdicts("model.a.check", part("check", target=MODEL), target=MODEL))
        self.assertEqual([(entry["target"], entry["case"]) for entry in results["cases"]],
                         [("cpu-model", "a/b/1/-"), ("nvidia-h200", "a/z/1/-"), ("nvidia-h200", "a/b/1/-")])
        self.expect_members(results["cases"][2], {
            "verdict": "slower", "why": "6 % slower", "test": "gpu.a.time", "parts": ["check", "time"], "seconds": 1.0,
            "metrics.time_ns.value": 47980, "work.bytes": 12, "kernel.registers": 40})
        self.expect_members(results, {
            "tally.pass": 2, "tally.slower": 1, "exit_code": 1, "tests.0.exit_code": 0, "tests.1.exit_code": 1, "tests.1.seconds": 3.5,
            "tests.1.program_exit_code": 0, "tests.0.seconds": 0, "tests.1.target": "nvidia-h200", "targets": {
                "cpu-model": MODEL, "nvidia-h200": H200}, "provenance": {"nvidia-h200": {**driver, "limits": {}}}, "out": "out"})

    def test_the_worst_part_gives_the_verdict(self):
        for first, second, verdict, why, test in (("wrong [3]", "slower 6", "wrong", "[3]", "gpu.a.1"),
                                                  ("slower 6", "wrong [3]", "wrong", "[3]", "gpu.a.2"),
                                                  ("pass ", "pass ungated", "pass", "ungated", "gpu.a.2"),
                                                  ("pass first", "pass second", "pass", "first", "gpu.a.1"),
                                                  ("pass kept", "pass ", "pass", "kept", "gpu.a.1")):
            results = self.results(*(verdicts(f"gpu.a.{number}", part(name, *said.split(" ")))
                                     for number, name, said in ((1, "check", first), (2, "time", second))))
            self.assertEqual(len(results["cases"]), 1)
            self.expect_members(results["cases"][0], {"verdict": verdict, "why": why, "test": test}, first)

    def test_less_accurate_and_slower_are_both_told(self):
        """Whichever part comes first; no other verdict gains a second reason."""
        for first, second, verdict, why, also in (("less-accurate e", "slower 6", "less-accurate", "e", "6"),
                                                  ("slower 6", "less-accurate e", "less-accurate", "e", "6"),
                                                  ("wrong [3]", "slower 6", "wrong", "[3]", None),
                                                  ("less-accurate e", "pass x", "less-accurate", "e", None)):
            results = self.results(*(verdicts(f"gpu.a.{number}", part(name, *said.split(" ")))
                                     for number, name, said in ((1, "check", first), (2, "count", second))))
            self.expect_members(results["cases"][0], {"verdict": verdict, "why": why, "also": also}, (first, second))

    def test_what_belongs_to_a_reason_goes_with_it(self):
        findings = {"findings": [{"kind": "misaligned"}], "more_findings": 2, "also": "x", "failure": {"kind": "k"}, "reason": "r"}
        slow = part("count", "slower", "6 %", at={"file": "a.cu", "line": 3}, moves="m", group="g", reason="s", findings=[])
        for documents in (("1", "2"), ("2", "1")):
            results = self.results(*(verdicts(f"gpu.a.{name}", entry)
                                     for name, entry in zip(documents, (part("check", "wrong", "w", **findings), slow))))
            self.expect_members(results["cases"][0], {"verdict": "wrong", "at": None, **findings}, documents)
        del slow["why"]
        self.expect_members(self.results(verdicts("t", slow))["cases"][0], {"why": "", "reason": "s", "moves": None, "group": digest("g")})

    def test_every_member_of_a_case_is_kept(self):
        """Each member that the schema knows of a case has its way into the results."""
        known = set(load_schema(RESULTS)["$defs"]["case_entry"]["properties"])
        once = {"case", "target", "parts", "seconds", "metrics", "pairs", "test", "suspect", "explanation", "sass"}
        self.assertEqual(known - once - {*run_merge._OF_VERDICT, *run_merge._OF_FIRST}, set())

    def test_the_first_part_that_has_it_is_heard(self):
        firsts = {"smallest": 0, "absent": {"occupancy": "x"}, "changed": ["registers"], "note": "n", "base": {"ref": "main"},
                  "sampled": {"blocks": 1, "of": 2}, "lines": {"a:1": {"barriers": 1}}, "lines_before": {"a:1": {"barriers": 2}},
                  "gpu_state": {"temperature_c": 1},
                  "imported": {"from": "nvbench", "name": "x", "files": []}, "work": {"operations": 1, "bytes": 2}}
        nothing = {"absent": {}, "changed": [], "lines": {}}
        other = {"smallest": 1, "absent": {"occupancy": "y"}, "note": "o", "base": {"ref": "o"}, "changed": ["y"],
                 "gpu_state": {"temperature_c": 2}, "work": {"operations": 7, "bytes": 7}}
        merged = self.results(verdicts("gpu.a.1", part("1", suspect=True, **nothing)), verdicts("gpu.a.2", part("2", **firsts)),
                              verdicts("gpu.a.3", part("3", **other)))["cases"][0]
        changed = firsts.pop("changed")
        self.assertEqual(changed, ["registers"])  # of a time that passed nothing is explained
        self.expect_members(merged, {**firsts, "suspect": True, "parts": ["1", "2", "3"], "changed": None})

    def test_of_two_metrics_of_a_name_the_worse_is_kept(self):
        pairs = {"count": 9, "change": 0.1, "low": 0, "high": 1, "p": 0}
        for first, second, value in (("slower", "pass", 1), ("pass", "slower", 2), ("pass", "pass", 1), (None, "pass", 2),
                                     ("pass", None, 1), (None, None, 1)):
            entries = [part(str(number),
                            metrics={"time_ns": {"value": number, "baseline": None, **({"verdict": said} if said else {})}},
                            pairs={"time_ns": {**pairs, "count": number}}) for number, said in ((1, first), (2, second))]
            merged = self.results(verdicts("gpu.a.1", entries[0]), verdicts("gpu.a.2", entries[1]))["cases"][0]
            self.expect_members(merged, {"metrics.time_ns.value": value, "pairs.time_ns.count": value}, (first, second))
            self.assertNotIn("baseline", merged["metrics"]["time_ns"])
        del entries[0]["pairs"]
        entries[0]["metrics"]["time_ns"]["verdict"] = "slower"
        merged = self.results(verdicts("gpu.a.1", entries[1]), verdicts("gpu.a.2", entries[0]))["cases"][0]
        self.assertNotIn("pairs", merged, "of the metric that gave way")

    def test_a_part_twice_in_one_file(self):
        merged = self.results(verdicts("gpu.a.time", timed(), timed("slower", "6 %")))
        self.expect_members(merged, {"tally.pass": 0, "tally.slower": 1, "cases.0.parts": ["time", "time"], "cases.0.seconds": 1.0})

    def test_what_a_part_does_not_say(self):
        entry = part("time")
        del entry["seconds"], entry["part"]
        merged = self.results(verdicts("gpu.a.time", entry))["cases"][0]
        self.expect_members(merged, {"seconds": 0, "suspect": None, "parts": []})

    def test_causes_are_added_when_all_is_there(self):
        counted = part("count", "slower", "loads rose; to accept it", target=MODEL, moves="loads rose", metrics={
            "global_load_requests": {"value": 2, "verdict": "slower"}})
        results = self.results(verdicts("gpu.a.time", timed("slower", "6 %"), timed(case="a/c/1/-", changed=["registers"])),
                               verdicts("model.a.count", counted, target=MODEL))
        self.expect_members(results, {"cases.0.moves": None, "cases.1.explanation": "on the CPU model: loads rose",
                                      "cases.2.changed": None})


class Tests(Merges):
    def test_boards_are_kept_apart(self):
        def board(test, uuid, **provenance):
            return verdicts(test, timed(), board=uuid, provenance=provenance)

        results = self.results(board("gpu.a.check", "GPU-1", power_limit_w=700), board("gpu.a.time", "GPU-2", power_limit_w=600),
                               board("gpu.b.time", "GPU-1", limits={}, power_limit_w=1),
                               verdicts("model.a.check", part("check", target=MODEL), target=MODEL, board="GPU-9"), strict=True)
        self.expect_members(results, {
            "boards": {"GPU-1": {"target": "nvidia-h200", "provenance": {"power_limit_w": 700, "limits": {}}},
                       "GPU-2": {"target": "nvidia-h200", "provenance": {"power_limit_w": 600}}, "GPU-9": {"target": "cpu-model"}},
            "tests.1.board": "GPU-2", "provenance.nvidia-h200.power_limit_w": 700, "exit_code": 0})
        self.assertNotIn("board", self.results(verdicts("gpu.a.time", timed()))["tests"][0])

    def test_a_form_that_cannot_be_written(self):
        """It is an error of the run, in every form that can be, and what is printed names no file that is not there."""
        self.put(verdicts("gpu.a.time", timed()))
        self.write("out/report", "")  # a file, where the page has its folder
        printed = self.expect(2, "out/report/index.html", "results", KG_OUT=os.path.abspath("out"))
        self.assertNotIn("index.html", printed.splitlines()[-1])
        self.assertNotIn("PASS", printed)
        results = json.loads(self.read("out/results.json"))
        self.expect_members(results, {"exit_code": 2, "tally.broken": 1})
        self.assertIn("out/report/index.html", results["errors"][0]["why"])
        self.assertIn("ERROR", self.read("out/summary.md"))

    def test_a_target_without_any_baseline(self):
        """What has one is judged, and the run is not whole before the other has one too."""
        a100 = {"key": "nvidia-a100"}
        for strict, code in ((False, 77), (True, 2)):
            results = self.results(verdicts("gpu.a.time", timed()), verdicts(
                "gpu.b.time", part("time", "no-baseline", target=a100), target=a100, board="GPU-3", skipped="no baseline",
                skipped_by="no-baseline"), strict=strict)
            self.expect_members(results, {"exit_code": code, "boards.GPU-3.target": "nvidia-a100", "tally.unavailable": 1,
                                          "unrecorded": ["nvidia-a100"], "tests.1.exit_code": 2 if strict else 77, "strict": strict})

    def test_what_is_checked_is_judged_without_a_baseline(self):
        """Whether the errors or the counters lack one, on a target that has one or not, in a program or a comparison."""
        checked, counted = (verdicts(f"model.a.{name}", part(name, "no-baseline", target=MODEL), target=MODEL) for name in ("check", "count"))
        unrecorded = {**counted, "skipped": "no baseline", "skipped_by": "no-baseline"}
        for documents, codes in (([checked, counted], (0, 1)), ([checked, unrecorded], (77, 2)), ([counted], (77, 2)), ([unrecorded], (77, 2))):
            for strict, code in zip((False, True), codes):
                self.expect_members(self.results(*documents, strict=strict), {
                    "exit_code": code, "tally.no-baseline": 1, "tally.checked": int(checked in documents)})

    def test_lists(self):
        refused = [{"case": "a/b/0/-", "why": "size 0"}]
        results = self.results(
            verdicts("gpu.a.check", part("check"), vanished=["a/old/1/-"], refused=refused),
            verdicts("gpu.a.time", vanished=["a/old/1/-", "a/older/1/-"], refused=[*refused, {"case": "a/old/1/-"}], notes=["x"],
                     errors=["e"]),
            verdicts("model.a.check", target=MODEL, vanished=["a/old/1/-"], notes=["n"]))
        self.assertEqual([(entry["target"], entry["case"], entry["test"]) for entry in results["vanished"]],
                         [("nvidia-h200", "a/old/1/-", "gpu.a.check"), ("nvidia-h200", "a/older/1/-", "gpu.a.time"),
                          ("cpu-model", "a/old/1/-", "model.a.check")])
        self.expect_members(results, {
            "tally.vanished": 3, "tally.broken": 1, "exit_code": 2, "errors.0.test": "gpu.a.time", "errors.0.why": "e",
            "notes.0": {"note": "x", "target": "nvidia-h200", "test": "gpu.a.time"}, "notes.1.target": "cpu-model",
            "refused.0": {"case": "a/b/0/-", "target": "nvidia-h200", "test": "gpu.a.check", "why": "size 0"},
            "refused.1.why": "", "tests.2.exit_code": 2})
        self.assertEqual((len(results["refused"]), len(results["errors"])), (2, 1))

    def test_suspects_that_nobody_settled(self):
        for count in (1, 2):
            results = self.results(verdicts("gpu.a.time", *(timed(case=f"a/b/{size}/-", suspect=True) for size in range(count)),
                                            timed(case="a/c/1/-")))
            self.assertIn(f"gpu.a.time: {count} suspect{'s' * (count > 1)} not settled", results["notes"][0]["note"])
        self.assertEqual(self.results(verdicts("gpu.a.time", timed()))["notes"], [])

    def test_variants_that_rely_on_the_order_of_blocks(self):
        """One note each, by the first case that says so."""
        cases = (part("check", case="a/b/1/-"), part("check", why="first", case="a/b/2/-", in_order=True),
                 part("check", why="second", case="a/b/3/-", in_order=True), part("check", "wrong", "bad", case="a/c/2/-", in_order=True))
        self.assertEqual(self.results(verdicts("model.a.check", *cases, target=MODEL))["notes"],
                         [{"note": "a/b: first", "target": "cpu-model", "test": "model.a.check"}])

    def test_options_that_the_model_lacks(self):
        self.write("build/a.untaken", "src/a.cu\t--use_fast_math\nsrc/b.cu\t--use_fast_math\t--fmad=false\n")
        self.write("build/b.untaken", "")
        tests = [verdicts(f"model.{name}", part("check"), target=MODEL) for name in ("a.check", "a.count", "b.check", "c.check")]
        note, = self.results(*tests, build="build")["notes"]
        self.assertEqual((note["test"], note["untaken"]), ("model.a.check", [
            {"source": "src/a.cu", "options": ["--use_fast_math"]},
            {"source": "src/b.cu", "options": ["--use_fast_math", "--fmad=false"]}]))
        self.assertIn("src/a.cu and 1 other file: compiled for the CPU model without --use_fast_math, --fmad=false", note["note"])

    def test_no_verdicts(self):
        with self.assertRaisesRegex(Failure, "^nowhere/records: the folder cannot be read: No such file.*kernelgate begin"):
            run_merge.merge("nowhere", False)
        results = self.results()
        self.expect_members(results, {"exit_code": 2, "tally.broken": 1})
        self.assertIn("out/records: holds no verdicts", results["errors"][0]["why"])
        self.assertEqual(run_merge.merge("out", False, nothing_is_an_error=False).document["errors"], [])

    def test_how_a_test_ended(self):
        """What each test says of itself, and what is made of it."""
        for name, members, errors, counted, code in (
            ("through", {}, 0, {"pass": 1}, 0),
            ("torn", None, 1, {"broken": 1}, 2),
            ("killed", {"complete": False, "exit_code": None}, 1, {"broken": 1, "pass": 1}, 2),
            ("its program ended after it", {"exit_code": None}, 1, {"broken": 1, "pass": 1}, 2),
            ("judged nothing", {"cases": []}, 1, {"broken": 1}, 2),
            ("judged nothing but errors", {"cases": None, "errors": ["e", "f"]}, 2, {"broken": 2}, 2),
            ("refused all", {"cases": None, "refused": [{"case": "a/b/0/-"}]}, 0, {"broken": 0}, 2),
            ("no GPU", {**SKIPPED, "skipped_by": "unavailable"}, 0, {"unavailable": 1}, 77),
            ("no baseline", {**SKIPPED, "skipped_by": "no-baseline"}, 0, {"unavailable": 1}, 77),
            ("filtered", {**SKIPPED, "skipped_by": "filter"}, 0, {"filtered_out": 1, "unavailable": 0}, 77),
            ("no case in the table", {**SKIPPED, "skipped_by": "empty"}, 0, {"filtered_out": 1}, 77),
            ("a claim", {"cases": None, "claims": [claim(True)]}, 0, {"failed_claims": 0, "broken": 0}, 2),
            ("a claim that is reported", {"claims": [{**claim(False), "reported_only": True}]}, 0, {"failed_claims": 0, "pass": 1}, 0),
            ("a claim that holds where no case is judged", {"cases": [timed("no-baseline")], "claims": [claim(True)]}, 0, {"failed_claims": 0}, 77),
            ("a claim that fails", {"claims": [claim(False), claim(True)]}, 0, {"failed_claims": 1, "pass": 1}, 1)):
            with self.subTest(name):
                document = verdicts("gpu.a.time", **{"cases": [timed()], **(members or {})})
                torn = {"gpu.a.time": '{"schema": "kernelgate-verd'}
                results = self.results(**torn) if members is None else self.results(document)
                self.assertEqual(results["exit_code"], code)
                self.assertEqual([error["test"] for error in results["errors"]], ["gpu.a.time"] * errors)
                self.expect_members(results["tally"], {**counted, **({"pass": 0} if "pass" not in counted else {})})
                self.assertEqual(results["tests"][0]["complete"] if members else True, name != "killed")

    def test_the_exit_code_of_a_test(self):
        """A claim that holds is judged, unlike the run, which it does not make one that judged something."""
        for members, relaxed, strict in (({"claims": [claim(True)]}, 0, 0), ({"claims": [claim(False)]}, 1, 1), ({"cases": []}, 2, 2),
                                         ({"vanished": ["a/o/1/-"]}, 2, 2), ({"vanished": ["a/o/1/-"], "cases": [timed()]}, 1, 1),
                                         ({"cases": [timed("noisy")]}, 0, 1), ({"cases": [timed("no-baseline")]}, 77, 2)):
            for strictly, code in ((False, relaxed), (True, strict)):
                results = self.results(verdicts("gpu.a.x", **members), strict=strictly)
                self.expect_members(results["tests"][0], {"exit_code": code}, members)

    def test_tests_that_are_not_of_a_program(self):
        results = self.results(verdicts("import.nvidia-h200", timed(), exit_code=None), verdicts(
            "model.a.check", target=None, cases=None, skipped="no GPU", skipped_by="unavailable"))
        self.expect_members(results, {"errors": [], "tests.0.program_exit_code": None, "tests.1.target": "model",
                                      "tests.1.skipped": "no GPU", "tests.1.skipped_by": "unavailable", "exit_code": 0})

    def test_other_files_are_left_alone(self):
        self.put(verdicts("gpu.a.time", timed()))
        for name in (".gpu.b.time.verdicts.json", ".gpu.b.verdicts.json.new-3", "gpu.b.jsonl", "verdicts.json.bak"):
            self.write(f"out/records/{name}", "{")
        self.assertEqual(run_merge.merge("out", False).document["errors"], [])

    def test_filters(self):
        filtered = {**SKIPPED, "skipped_by": "filter"}
        run = [timed(), timed(case="a/c/1/-")]
        for globs, documents, told in (
            (None, [verdicts("gpu.a.time", **filtered)], []),
            ("a/d/*", [verdicts("gpu.a.time", **filtered), verdicts("gpu.a.check", **filtered)],
             ["KG_FILTER=a/d/* matches", "COMPARISON/* is a filter"]),
            ("a/b/*", [verdicts("gpu.a.time", **filtered), verdicts("gpu.b.time", run[0])], []),
            ("a/b/*,,a/e/*", [verdicts("gpu.a.time", *run)], ['KG_FILTER: "a/e/*" matches']),
            ("a/e/*", [verdicts("gpu.a.time", *run), verdicts("gpu.b.time", **{**SKIPPED, "skipped_by": "unavailable"})], []),
            ("a/e/*", [verdicts("gpu.a.time", *run, errors=["e"])], ["e"]),
            ("a/e/*,a/f/*", [verdicts("gpu.a.time", *run, refused=[{"case": "a/e/1/-"}], vanished=["a/f/1/-"])], [])):
            with self.subTest(globs, documents=len(documents)):
                if globs:
                    os.environ["KG_FILTER"] = globs
                errors = self.results(*documents)
                whys = [error["why"] for error in errors["errors"]]
                self.assertEqual(len(whys), bool(told), whys)
                self.assertEqual(errors["tally"]["broken"], len(whys))
                for text in told:
                    self.assertIn(text, whys[0])
