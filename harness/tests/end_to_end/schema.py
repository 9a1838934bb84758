# SPDX-License-Identifier: MIT
"""The JSON Schemas of what is stored, against what is read and written: every stored baseline and the results of a run are valid,
and a document that was changed anywhere is refused by the schema and by the reader, or by neither."""

import json
import os

from command_run import VALIDATE
from own_folder import read_json
from run_fixture import COMMAND, GPU, MODEL, SLOW, TREE, Runs

from kernelgate.base import schema_form
from kernelgate.base.errors import Failure
from kernelgate.baseline.reading import read_document

# Entries of each kind, and what no run of the fakes has.
ONE_OF_EACH = {
    "run": {"started": "2026-01-31T12:00:00Z", "ended": "2026-01-31T12:01:02Z", "seconds": 62.5, "host": "h", "branch": "b", "commit": "abc",
            "dirty": True, "base": "0123456", "base_ref": "main", "version": "0.1.0", "version_commit": "0123456",
            "job": {"service": "github", "url": "https://a.b/c", "event": "push", "pull_request": 7}, "shard": {"index": 1, "of": 2},
            "merged": [{"source": "a"}]}, "boards": {"GPU-1": {"target": "t", "provenance": {}}},
    "baselines": {"since": "main", "commit": "abc", "gates": [{"target": "t", "at_2_percent": 2, "wider": 1, "reported_only": 0}], "by_hand": 1,
                  "files": [{"target": "t", "state": "unreadable", "no_longer_gated": 0, "retired": 0, "widened": 1, "slower": 0,
                             "new": 0, "sentinels_moved": 0, "why": "w"}],
                  "loosened": [{"target": "t", "case": "a/b/1/b16", "metric": "time_ns", "kind": "widened", "before": 0.02,
                                "after": 0.2}]},
    "claims": [{"claim": "a/claim_b", "holds": True, "why": "", "target": "t", "test": "gpu.a.claim_b"}],
    "failure_groups": [{"verdict": "vanished", "target": "t", "cases": ["a/b/1/b16"], "fails": True}],
    "errors": [{"test": "gpu.a.time", "why": "w"}], "notes": [{"note": "n", "target": "t", "test": "gpu.a.time"}],
    "tests": [{"name": "gpu.a.time", "target": "t", "seconds": 1.5, "complete": True, "exit_code": 0, "board": "GPU-1"},
              {"name": "gpu.a.time", "target": "t", "seconds": 1, "complete": True, "exit_code": 77, "skipped": "w",
               "skipped_by": "filter"}],
    "cases": [{
        "case": "a/b/1/b16", "target": "t", "parts": ["check"], "seconds": 1,
        "metrics": {"time_ns": {"value": 1, "low": 1, "high": 2, "baseline": None, "change": -0.5, "limit": 0.02, "smallest": 0.03,
                                "gated": True, "tripped": True, "verdict": "pass", "why": "", "bound": "bus"}},
        "verdict": "pass", "why": "",
        "findings": [{"kind": "race_in_block", "file": "a.cu", "line": 1, "access": "read", "block": [1, 2, 3], "thread": [1, 2, 3],
                      "waiting": 1, "host": True, "lacks_acquire": True, "bytes": 4, "space": "shared", "alignment": 8, "symbol": "s", "size": 64, "offset": -4, "index": -1,
                      "address": "0x1f", "count": 2, "kernel": "k<float>", "function": "f", "called_at": [{"file": "a.cu", "line": 9}],
                      "mask": 4294967295, "absent": 4294901760, "detail": "-1", "on_gpu": "0", "on_cpu": "4294967295",
                      "other": {"file": "a.cu", "line": 2, "access": "write", "block": [0, 0, 0], "thread": [0, 0, 0], "waiting": 1}}],
        "more_findings": 2, "also": "w", "failure": {"kind": "wrong_elements", "symbol": "c"}, "at": {"file": "a.cu", "line": 1},
        "test": "gpu.a.time", "lines": {"a.cu:1": {"barriers": 1}}, "lines_before": {"a.cu:1": {"barriers": 2}}, "sampled": {"blocks": 1, "of": 2},
        "absent": {"cold_time_ns": "w"},
        "work": {"operations": 1, "bytes": 2},
        "kernel": {"registers": 32, "local_bytes": 0, "shared_bytes": 0, "blocks_per_multiprocessor": 1, "occupancy": 0.5},
        "gpu_state": {"temperature_c": 41, "sm_clock_mhz": 1980, "clock_reasons": "none", "launch_ns": 680, "batches_repeated": 2},
        "suspect": True, "in_order": True, "note": "w", "base": {"ref": "main"},
        "pairs": {"time_ns": {"count": 12, "change": 0.01, "low": 0, "high": 0.02, "p": 0.001, "base_ns": [1.5], "head_ns": [2]}}}]}


class Schemas(Runs):
    def is_read(self, document, reader):
        """Whether the commands' reader takes a document."""
        if reader != "baseline":
            return schema_form.fits(document, f"kernelgate-{reader}.schema.json")
        try:
            read_document("", f"{document['target']['key']}.json", json.dumps(document).encode())
        except Failure:
            return False
        return True

    def expect_valid(self, path, reader):
        self.expect_program(0, "", *VALIDATE, path)
        self.assertTrue(self.is_read(self.load(path), reader), path)

    def expect_agreement(self, document, reader, *member):
        """Every change of a valid document, or of its member, has to be refused by both, or by neither."""
        self.write("document", document)
        self.expect_valid("document", reader)
        self.expect_program(0, "", *VALIDATE, "document", "changed", *member)
        copies = self.load("changed")
        read = [self.is_read(copy, reader) for _, copy in copies]
        self.assertEqual([(right, json.dumps(copy)) for right, (valid, copy) in zip(read, copies) if right != valid][:10], [])
        self.assertGreater(read.count(False), len(copies) / 2)

    def run_results(self):
        """What a run leaves that has passes, wrong results, crashes, refusals, skipped tests, claims and vanished cases."""
        times = {"value": 10000, "band": 0.02}
        self.write("baselines/nvidia-fake.json", {
            "schema": "kernelgate-baseline/2", "target": {"key": "nvidia-fake", "name": "NVIDIA Fake"},
            "cases": {case: {"commit": "abc", "time_ns": times} for case in (SLOW, "fake/gone/64/b32")}})
        self.expect_program(0, "", COMMAND, "begin")
        # All but those that hang, which would take as long as a hang is waited for.
        for program, part, filtered in ((GPU, "check", "fake/[!h]*"), (GPU, "time", "fake/[!h]*"), (MODEL, "check", "fake/[!h]*"),
                                        (MODEL, "count", "nothing/of/this/-")):
            self.set(KG_FILTER=filtered)
            self.run_program(program, f"--filter=fake/{part}")
        self.set(KG_FILTER=None)
        self.write("programs", f"{GPU}\n{MODEL}\n")
        self.write("CMakeFiles/fake_plain_kernels.dir/model/fake.o.notes", "kernels/fake/plain.cu:12: sum is used uninitialized\n")
        self.expect_program(2, "", COMMAND, "results", "--build", "build/cpu", "--programs", self.at("programs"))
        return self.load("out/results.json")

    def test_every_stored_baseline_is_valid(self):
        folder = os.path.join(TREE, "baselines")
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
        self.assertGreaterEqual(len(names), 2, "the CPU model's, and that of a GPU")
        for name in names:
            self.expect_valid(os.path.join(folder, name), "code" if name.startswith("sm_") else "baseline")

    def test_sessions(self):
        schema = read_json(os.path.join(TREE, "baselines", "schemas", "kernelgate-baseline.schema.json"))
        self.write("kernelgate-sessions.schema.json", {**schema["$defs"]["sessions_file"], "$defs": schema["$defs"],
                                                       "$schema": schema["$schema"]})
        stored = os.path.join(TREE, "baselines", "sessions", "nvidia-h200.json")
        self.expect_program(0, "", *VALIDATE[:-1], ".", stored)
        self.write("bad.json", {"schema": "kernelgate-sessions/1", "target": "t", "sessions": {"copy": {"time_ns": {"b": [0]}}}})
        self.expect_program(1, "", *VALIDATE[:-1], ".", "bad.json")

    def test_results(self):
        """Those of a run; and, with one of each kind of entry left, so that the changes are of all kinds and not too many, changed
        anywhere: each kind alone, since a change takes as long as the whole document."""
        results = self.run_results()
        self.expect_valid("out/results.json", "results")
        tally = results["tally"]
        self.assertTrue(all(tally[verdict] > 0 for verdict in ("pass", "wrong", "error", "no-baseline")), tally)
        self.assertEqual((tally["vanished"], tally["filtered_out"]), (1, 1))
        self.assertTrue(results["refused"])
        self.assertIn({"note": "kernels/fake/plain.cu:12: sum is used uninitialized", "target": "cpu-model", "test": ""}, results["notes"])
        lists = {name: value for name, value in ONE_OF_EACH.items() if isinstance(value, list)}
        results.update({**ONE_OF_EACH, **dict.fromkeys(lists, [])})
        for name in ("refused", "vanished"):
            del results[name][1:]
        results["provenance"]["nvidia-fake"].update(
            limits={"copy_bytes_per_second": 1e12, "operations_per_second": 1e13, "bus_bytes_per_second": 5e10},
            sentinels_ns={"copy": 1e5})
        self.expect_agreement(results, "results")
        for name, value in lists.items():
            self.expect_agreement({**results, name: value}, "results", name)
