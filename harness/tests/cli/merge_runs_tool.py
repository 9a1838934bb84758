# SPDX-License-Identifier: MIT
"""Tests of `kernelgate merge`: the results of several runs become those of one."""

import copy
import json
import os
import random
import shutil
import xml.etree.ElementTree as ElementTree

import mutations
from merge_fixture import H200, MODEL, Merges, claim, part, timed, verdicts
from own_folder import write_file

from kernelgate.run import results_command as run_results

H100 = {"key": "nvidia-h100", "name": "NVIDIA H100"}
RUN = {"host": "one", "commit": "0" * 40, "dirty": False, "version": "0.1.0", "started": "2026-01-01T10:00:00Z",
       "ended": "2026-01-01T10:01:00Z", "seconds": 60.0}
GREEN = verdicts("gpu.a.time", timed())


def shard(index, of=2, plan="p"):
    return {"shard": {"index": index, "of": of, "plan": plan}}


class MergedRuns(Merges):
    def make(self, folder, *documents, strict=False, change=None, coverage=None, **run):
        """The results of a run of these verdicts, in a folder."""
        document = copy.deepcopy(self.results(*documents, strict=strict))
        document["run"] = {key: value for key, value in {**RUN, **run}.items() if value is not None}
        run_results.finish(document)
        if coverage is not None:
            document["coverage"] = coverage
        if change is not None:
            change(document)
        self.write(f"{folder}/results.json", document)
        shutil.rmtree("out")
        return document

    def merge(self, code, told, *folders, options=()):
        """The merged results; {} where nothing is merged."""
        shutil.rmtree("merged", ignore_errors=True)
        self.write("merged/results.json", '{"exit_code": 0}')
        printed = self.run_command("merge", *folders, "--out", "merged", *options)
        self.assertEqual(printed.returncode, code, printed.stdout + printed.stderr)
        for text in (told,) if isinstance(told, str) else told:
            self.assertIn(text, printed.stdout + printed.stderr)
        self.assertNotIn("Traceback", printed.stderr)
        if code:
            self.assertNotIn("PASS", printed.stdout)
        return json.loads(self.read("merged/results.json")) if os.path.exists("merged/results.json") else {}

    def shards(self, *second, of=2):
        self.make("s1", GREEN, verdicts("model.a.check", part("check", target=MODEL), target=MODEL), **shard(1, of))
        self.make("s2", *second or (verdicts("gpu.b.time", timed(case="b/v/1/-")),), host="two", started="2026-01-01T09:00:00Z",
                  ended="2026-01-01T10:30:00Z", **shard(2, of))

    def test_shards_are_one_run(self):
        count = {"tests": {"expected": 2, "reported": 2}, "cases": {"expected": 2, "reported": 2}}
        self.make("s1", GREEN, verdicts("model.a.check", part("check", target=MODEL), target=MODEL), coverage=count, **shard(1))
        self.make("s2", verdicts("gpu.b.time", timed("slower", "6 %", case="b/v/1/-"), timed("slower", "7 %", case="b/v/2/-")),
                  verdicts("gpu.b.claim_x", target=H200, claims=[claim(False)]), coverage=count, host="two",
                  started="2026-01-01T09:00:00Z", ended="2026-01-01T10:30:00Z", branch="x", **shard(2))
        document = self.merge(1, "2 slower of 4 cases: 1 on cpu-model, 3 on nvidia-h200, 1 failed claim", "s1", "s2")
        self.expect_members(document, {
            "exit_code": 1, "tally.slower": 2, "tally.pass": 2, "tally.failed_claims": 1, "out": "merged", "coverage.tests.expected": 4,
            "coverage.cases.reported": 4, "run.commit": "0" * 40, "run.dirty": False, "run.host": None, "run.branch": None,
            "run.started": "2026-01-01T09:00:00Z", "run.ended": "2026-01-01T10:30:00Z", "run.shard": None, "run.merged.0.source": "s1",
            "run.merged.1": {"source": "s2", **RUN, "host": "two", "branch": "x", "started": "2026-01-01T09:00:00Z",
                             "ended": "2026-01-01T10:30:00Z", **shard(2)}})
        self.assertEqual([test["name"] for test in document["tests"]], ["gpu.a.time", "model.a.check", "gpu.b.claim_x", "gpu.b.time"])
        for path in ("junit.xml", "summary.md", "report/index.html"):
            self.assertTrue(os.path.exists(f"merged/{path}"), path)

    def test_the_exit_code_is_that_of_one_run(self):
        """The table of the rule itself tests more; here what decides comes from the second of two shards."""
        noisy = verdicts("gpu.b.time", timed("noisy", "wide", case="b/v/1/-"))
        unavailable = verdicts("gpu.b.time", cases=None, skipped="no", skipped_by="unavailable")
        for second, strict, code in (((noisy,), False, 0), ((noisy,), True, 1), ((verdicts("gpu.b.time", complete=False),), False, 2),
                                     ((verdicts("gpu.b.time", vanished=["b/v/1/-"]),), False, 1),
                                     ((unavailable,), False, 0), ((unavailable,), True, 2), ((), True, 0)):
            with self.subTest(second=second, strict=strict):
                self.make("s1", GREEN, strict=strict, **shard(1))
                self.make("s2", *second or (GREEN,), strict=strict, **shard(2), change=None if second else self.empty)
                self.expect_members(self.merge(code, "", "s1", "s2"), {"exit_code": code, "strict": strict})

    def empty(self, document):
        """Makes it a shard without a test."""
        document.update(cases=[], tests=[], tally=dict.fromkeys(document["tally"], 0), exit_code=0)

    def test_shards_that_judged_nothing(self):
        self.make("s1", GREEN, change=self.empty, **shard(1, 1))
        self.merge(2, "NOTHING JUDGED", "s1")

    def test_a_missing_shard(self):
        self.shards(of=4)
        document = self.merge(2, ("shard 3 of 4 is missing: its results are not among those merged, beside s1", "shard 4 of 4"), "s1", "s2")
        self.expect_members(document, {"exit_code": 2, "tally.broken": 2, "tally.pass": 3})
        self.make("s3", GREEN, **shard(3, 4, "q"))
        self.make("s4", GREEN, **shard(4, 4, "q"))
        self.merge(2, ("shard 3 of 4 is missing", "the shards were split in several ways"), "s1", "s2", "s3", "s4")

    def test_a_shard_twice(self):
        self.shards()
        shutil.copytree("s1", "copy")
        self.expect_members(self.merge(0, "PASS", "s1", "s2", "copy", "s1"), {"tally.pass": 3})
        self.make("again", verdicts("gpu.a.time", timed("slower", "6 %")), **shard(1))
        document = self.merge(2, "shard 1 of 2 is there 2 times, with different results: s1, again", "s1", "s2", "again")
        self.expect_members(document, {"tally.slower": 1, "tally.broken": 1})

    def test_runs_that_do_not_belong_together(self):
        self.shards()
        for change, told in (({"commit": "1" * 40}, "is of commit 1111111111, and s1 is of commit 0000000000"), ({"commit": None}, "(unknown)"),
                             ({"dirty": True}, "0000000000-dirty"), ({"strict": True}, "other: is strict, and s1 is not strict"),
                             ({"version": "0.2.0"}, "is by kernelgate 0.2.0, and s1 is by kernelgate 0.1.0"),
                             ({"version_commit": "1" * 40}, "by kernelgate 0.1.0 at 1111111111"), ({"base": "2" * 40}, "against 2222222222")):
            self.make("other", GREEN, **change)
            self.assertEqual(self.merge(2, told, "s1", "s2", "other"), {}, "what an earlier run left is gone")

    def test_gpu_models_and_hosts(self):
        """Targets stay apart; a case that two hosts judged has the worse verdict."""
        model = verdicts("model.a.check", part("check", target=MODEL), target=MODEL)
        wrong = verdicts("model.a.check", part("check", "wrong", "3 elements", target=MODEL), target=MODEL)
        self.make("h200", GREEN, model)
        self.make("h100", verdicts("gpu.a.time", timed("slower", "6 %", target=H100), target=H100), wrong, host="two")
        for folders in (("h200", "h100"), ("h100", "h200")):
            document = self.merge(1, "1 wrong, 1 slower of 3 cases: 1 on cpu-model, 1 on nvidia-h100, 1 on nvidia-h200", *folders)
            self.expect_members(document, {"cases.0.verdict": "wrong", "cases.0.parts": ["check"], "cases.1.verdict": "slower",
                                           "cases.2.verdict": "pass", "targets": {"nvidia-h200": H200, "nvidia-h100": H100, "cpu-model": MODEL}})
            suites = ElementTree.parse("merged/junit.xml").getroot().iter("testsuite")
            self.assertEqual({suite.get("name"): [suite.get("failures"), suite.get("tests")] for suite in suites},
                             {"kernelgate": ["0", "1"], "nvidia-h200.a": ["0", "2"], "nvidia-h100.a": ["1", "2"], "cpu-model.a": ["1", "2"]})
        for name in ("h200", "h100"):  # in shards of its own
            for index in (1, 2):
                self.make(f"{name}{index}", verdicts("gpu.a.time", timed(case=f"a/v/{index}/-", target={"key": f"nvidia-{name}"}),
                                                     target={"key": f"nvidia-{name}"}), **shard(index, 2, name))
        self.merge(0, "2 cases on nvidia-h100, 2 on nvidia-h200", "h1001", "h1002", "h2001", "h2002")
        self.merge(2, "shard 2 of 2 is missing", "h1001", "h1002", "h2001")

    def test_a_run_alone_stays_as_it_is(self):
        alike = [timed("slower", "6 %", case=f"b/v/{size}/-", group="g", reason="r", also="5", at={"file": "f.cu", "line": 1},
                       pairs={"time_ns": {"count": 9, "change": 0.1, "low": 0, "high": 1, "p": 0}}, changed=["x"],
                       gpu_state={"sm_clock_mhz": 1410}) for size in (1, 2, 3)]
        counted = part("count", "slower", "rose", "b/v/1/-", MODEL, moves="m", metrics={"global_load_requests": {"value": 2, "verdict": "slower"}})
        whole = self.make("whole", verdicts(
            "gpu.b.time", *alike, board="GPU-1", provenance={"driver": "5"}, refused=[{"case": "b/o/1/-", "why": "w"}], vanished=["b/o/2/-"],
            claims=[claim(True), claim(False)], notes=["n"], errors=["e"]), verdicts("model.b.count", counted, target=MODEL))
        merged = self.merge(2, "", "whole")
        self.assertIn("explanation", merged["cases"][1])
        for document in (whole, merged):
            for key in ("out", "run"):
                del document[key]
        self.assertEqual({key: value for key, value in merged.items() if value != whole.get(key)}, {})
        self.assertEqual(merged.keys(), whole.keys())

    def test_a_filter_that_matches_no_case_of_any_shard(self):
        """A shard alone cannot know."""
        counts = {"tests": {"expected": 1, "reported": 1}, "cases": {"expected": 1, "reported": 1}}
        for filtered, code in (("a/*,b/*", 0), ("a/*,x/*", 2)):
            self.make("s1", GREEN, coverage={**counts, "filter": filtered}, **shard(1))
            self.make("s2", verdicts("gpu.b.time", timed(case="b/v/1/-")), coverage={**counts, "filter": filtered}, **shard(2))
            self.merge(code, 'KG_FILTER: "x/*" matches no case of any test' if code else "PASS", "s1", "s2")

    def test_what_whole_files_say_is_told_once(self):
        def baselines(document):
            document["baselines"] = {"gates": [{"target": "nvidia-h200", "at_2_percent": 3, "wider": 1, "reported_only": 0}], "by_hand": 2,
                                     "since": "main", "files": [], "loosened": []}
            document["notes"] = [{"note": "n", "target": "cpu-model", "test": ""}]

        for index in (1, 2):
            self.make(f"s{index}", verdicts(f"gpu.{index}.time", timed(case=f"a{index}/v/1/-")), change=baselines, **shard(index))
        document = self.merge(0, "", "s1", "s2")
        self.expect_members(document, {"baselines.by_hand": 2, "notes": [{"note": "n", "target": "cpu-model", "test": ""}]})
        self.assertEqual(len(document["baselines"]["gates"]), 1)

    def test_damaged_folders(self):
        self.shards()
        whole = self.read("s2/results.json")
        document = json.loads(whole)
        document["cases"][0]["verdict"] = "wrong"
        lying = json.dumps(document)
        document = json.loads(whole)
        document["exit_code"] = 77
        for text, told in (("", "is not JSON"), (whole[:-300], "is not JSON"), ("[" * 99999, "nested"),
                           ('{"schema": "kernelgate-results/3"}', 'its schema is "kernelgate-results/3"'),
                           (whole.replace('"run"', '"ran"'), "s2/results.json: the document:"),
                           (lying, "its tally has 1 pass, and its cases 0"), (json.dumps(document), "its exit code is 77, and its cases have 0")):
            with self.subTest(told):
                self.write("s2/results.json", text)
                merged = self.merge(2, (told, "shard 2 of 2 is missing"), "s1", "s2")
                self.expect_members(merged, {"exit_code": 2, "tally.pass": 2, "tally.broken": 2})
        os.unlink("s2/results.json")
        self.merge(2, "s2/results.json: cannot be read: No such file", "s1", "s2")
        self.merge(2, "there are no results to merge: s2/results.json", "s2")
        self.make("s3", GREEN, **shard(3))
        self.merge(2, "s3/results.json: is shard 3 of 2", "s1", "s3")
        os.mkfifo("s2/results.json")
        self.merge(2, "it is not a regular file", "s1", "s2")
        with open("big", "wb") as file:
            file.truncate(257 << 20)
        os.replace("big", "s2/results.json")
        self.merge(2, "is larger than 256 MiB", "s1", "s2")

    def test_hostile_documents(self):
        """Whatever is in a document: either it counts, or it is an error; and a run that is merged never gets greener."""
        chance = random.Random(20)
        self.make("s1", GREEN, **shard(1))
        whole = self.make("s2", verdicts("gpu.b.time", timed("slower", "6 %", case="b/v/1/-", group="g"), errors=["e"],
                                         refused=[{"case": "b/o/1/-", "why": "w"}], claims=[claim(True)], notes=["n"]), **shard(2))
        for _ in range(40):
            write_file("s2/results.json", mutations.mutated_text(whole, chance))
            self.assertIn(self.merge_any("s1", "s2"), (1, 2))

    def merge_any(self, *folders):
        done = self.run_command("merge", *folders, "--out", "merged", "--quiet")
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode

    def test_the_folder_of_the_results(self):
        self.shards()
        self.refuse("merge: --out s1 is one of the folders that are merged", "merge", "s1", "s2", "--out", "s1")
        self.assertEqual(self.expect(0, "PASS", "merge", "s1", "s2", "-q", KG_OUT="there").count("\n"), 1)
        self.assertEqual(self.document(0, "merge", "s1", "s2", "--json"), json.loads(self.read("out/results.json")))
