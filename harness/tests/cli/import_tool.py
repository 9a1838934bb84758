# SPDX-License-Identifier: MIT
"""Tests of `kernelgate import` and of the judge behind it."""

import contextlib
import copy
import json
import os
import random
import shutil
import subprocess
from unittest import mock

import command_run
import mutations
from command_fixture import COMMAND
from own_folder import read_json
from import_fixture import (COPY, FAKE, SCAN, Folder, changed, command_line, commands, google, importer, nvbench, run_of, state,
                            state_of, summary, with_samples)
from kernelgate.base.samples import sampled
from kernelgate.imports import cases


class Names(Folder):
    IDS = (
        ("copy", (), "copy/-/-/-"),
        ("a/b/c", (), "a/b_c/-/-"),
        ("cub.bench.scan", (("T", "std::int64_t"),), "cub_bench_scan/std_int64_t/-/-"),
        (" A b-c/", (("", "(x)"),), "a_b_c/x/-/-"),
        ("///", (), "-/-/-/-"),
        ("m", (("n", "8"), ("m", "16"), ("k", "0")), "m/-/8x16x0/-"),
        ("m", (("n", "1.5"), ("r", "1e+06"), ("s", "960x1280x4")), "m/1_5_1e_06/960x1280x4/-"),
        ("m", (("n", "nan"), ("o", "x8"), ("p", "8x"), ("q", "")), "m/nan_x8_8x/-/-"),
        ("m", (("Threads per block", "128"), ("num_blocks", "64")), "m/-/-/b128g64"),
        ("m", (("n", "-5"), ("r", "1e-06"), ("s", "a-b")), "m/minus5_1eminus06_a_b/-/-"),
        ("m", (("n", "5"), ("r", "-5-"), ("s", "-0.5")), "m/5_minus0_5/5/-"),
        ("m", (("grid", "64"), ("n", "8")), "m/-/8x64/-"),
        ("m", (("block", "auto"), ("blocks", "0"), ("tpb", "32"), ("b", "64")), "m/auto/0x64/b32"),
    )

    def test_ids(self):
        for benchmark, axes, expected in self.IDS:
            name = cases.CaseName(benchmark)
            for axis, value in axes:
                name.add(axis, value)
            self.assertEqual(name.id(), expected)

    def test_ids_of_google_benchmark(self):
        threads = {"threads": 8}
        for name, more, expected in (
                ("BM_copy<float>/1024/block:64/repeats:6/manual_time", {}, "copy/float/1024/b64"),
                ("BM_scan/up/31x33", {}, "scan/up/31x33/-"),
                ("BM_", {}, "bm_/-/-/-"),
                ("a<b<c/d, e>, 16, n:-2>/7", {}, "a/b_c_d_e_minus2/16x7/-"),
                ("a/std::max/threads:8", threads, "a/std_max_threads8/-/-"),
                ("a/threads:8/threads:8", threads, "a/threads8/-/b8"),
                ("a/threads:1", {}, "a/-/-/-"),
                ("a/min_time:2.000/process_time/iterations:7/grid:3", {}, "a/-/3/-")):
            document = google()
            document["benchmarks"] = [run_of(name, 1, "us", **more)]
            (measured,) = self.converted("google-benchmark", document, target="t").values()
            self.assertEqual(list(measured["cases"]), [expected], name)

    def test_a_name_that_is_too_long(self):
        self.assertEqual(len(cases.CaseName("a" * 153).id()), 159)
        for length in (154, 1000):
            with self.assertRaisesRegex(command_line.Failure, "longer than the 159 characters"):
                cases.CaseName("a" * length).id()

    def test_targets(self):
        self.assertEqual(list(self.converted("nvbench", nvbench())), [FAKE])
        (target,) = (measured["target"] for measured in self.converted("nvbench", nvbench()).values())
        self.assertEqual(target, {"key": FAKE, "name": "NVIDIA Fake", "multiprocessors": 132, "compute_capability": "9.0",
                                  "memory_mib": 81920})
        for target in ("my-cpu", "a" * 95):
            self.assertEqual(list(self.converted("google-benchmark", google(), target=target)), [target])


class Figures(Folder):
    def test_median_and_interval(self):
        for count, low, high in ((1, 1, 1), (5, 1, 5), (6, 1, 6), (11, 2, 10), (20, 6, 15), (100, 40, 61), (1000, 469, 532)):
            samples = list(range(1, count + 1))
            random.Random(1).shuffle(samples)
            time = sampled(samples, "events")
            self.assertEqual((time["value"], time["low"], time["high"], time["samples"]), ((count + 1) / 2, low, high, count))

    def test_nvbench(self):
        self.figures((30000, 30000 - 29.4, 30000 + 29.4), nvbench())  # 1.96 * 0.01 / sqrt(400) of the mean
        time = self.metrics("nvbench", nvbench(), COPY)["time_ns"]
        self.assertEqual((time["low"], time["high"], time["samples"]), (time["value"], time["value"], 5000))
        document = nvbench()
        for quartile, value in (("q1", 28e-6), ("median", 29e-6), ("q3", 31e-6)):
            state_of(document, 0)["summaries"].append(summary(f"nv/cold/time/gpu/{quartile}", "duration", value))
        self.figures((29000, 29000 - 272.25, 29000 + 272.25), document)  # 1.815 * 3000 / sqrt(400)

    def test_all_samples_of_nvbench(self):
        samples = [(40 + index) * 1e-6 for index in range(11)]
        self.write_samples("folder/0.json-bin/0.bin", *samples)
        self.write_samples("0.json-bin/0.bin", *samples)
        expected = (45000, 41000, 49000)
        self.figures(expected, with_samples("0.json-bin/0.bin", "11"))
        self.figures(expected, with_samples("/gone/0.json-bin/0.bin", "11"))  # the folder was moved since
        os.mkfifo("0.json-bin/7.bin")
        self.write_samples("0.json-bin/bad.bin", 1e-6, -5e-6)
        for file, count, fragment in (
                ("0.json-bin/0.bin", "12", "does not hold the 12 samples"),
                ("0.json-bin/0.bin", "10", "does not hold the 10 samples"),
                ("0.json-bin/8.bin", "11", "its samples' file 0.json-bin/8.bin cannot be read: No such file"),
                ("0.json-bin/7.bin", "11", "0.json-bin/7.bin cannot be read: it is not a regular file"),
                ("/dev/zero", "11", "/dev/zero cannot be read: it is not a regular file"),
                ("0.json-bin/0.bin", "many", "does not say in which file how many samples are"),
                ("0.json-bin/0.bin", "1e300", "does not say in which file how many samples are"),
                ("0.json-bin/bad.bin", "2", "sample 2 of 0.json-bin/bad.bin is not a time above 0")):
            self.refuses(fragment, "nvbench", with_samples(file, count))

    def test_google_benchmark(self):
        time = self.metrics("google-benchmark", google(), "copy/float/1024/b64", target="t")["time_ns"]
        self.assertEqual((time["value"], time["low"], time["high"], time["clock"]), (5000, 4990, 5010, "manual"))
        time = self.metrics("google-benchmark", google(), "scan/up/31x33/-", target="t")["time_ns"]
        self.assertEqual((time["value"], time["low"], time["high"], time["clock"]), (250000, 250000, 250000, "host"))

    def test_runs_that_are_not_repetitions(self):
        document = google()
        median = run_of("BM_sum/8_median", 7, "us", run_name="BM_sum/8", run_type="aggregate", aggregate_name="median")
        fit = {**median, "run_name": "BM_sum", "aggregate_name": "BigO"}
        del fit["real_time"]
        document["benchmarks"] = [median, fit, run_of("BM_nothing", 0.25, "ns"), run_of("BM_a", 1, "s", skipped=True),
                                  run_of("BM_b", 1, "s", error_occurred=True, error_message="no device")]
        (measured,) = self.converted("google-benchmark", document, target="t").values()
        seen = {case: entry["records"][0] for case, entry in measured["cases"].items()}
        self.assertEqual(seen.pop("sum/-/8/-")["metrics"]["time_ns"]["value"], 7000)
        self.assertEqual(seen, {"nothing/-/-/-": {"event": "refused", "why": cases.TOO_SHORT},
                                "a/-/-/-": {"event": "refused", "why": "skipped"},
                                "b/-/-/-": {"event": "failed", "why": "no device"}})


class Refusals(Folder):
    STATE = ("benchmarks", 0, "states", 0)
    RUN = ("benchmarks", 6)

    def test_nvbench(self):
        for path, value, fragment in (
                (("meta",), None, "does not say its version"),
                (("meta", "version", "json"), {"major": 2, "string": "2.0.0"}, "is of version 2.0.0, and this kernelgate knows 1.x"),
                (("meta", "version", "json", "major"), True, "this kernelgate knows 1.x"),
                (("devices",), None, 'has no lists of "devices" and "benchmarks"'),
                (("devices", 0, "id"), "0", "devices[0] has no id and name"),
                (("devices", 0, "name"), "!", "names no GPU: give --target KEY"),
                (("benchmarks",), [], "holds no benchmark"),
                (("benchmarks", 0, "name"), None, "has a benchmark without a name"),
                ((*self.STATE, "device"), 3, "ran on a device that is not in the document"),
                ((*self.STATE, "device"), False, "ran on a device that is not in the document"),
                ((*self.STATE, "summaries"), [], "has no summary nv/cold/time/gpu/mean"),
                ((*self.STATE, "summaries", 1, "hint"), "item_rate", "is a item_rate, not a duration"),
                ((*self.STATE, "axis_values", 0, "value"), None, "its axis Size has no value")):
            self.refuses(fragment, "nvbench", changed(nvbench(), path, value))
        for factor in (float("nan"), -1, 1e100):
            self.refuses("0.json: copy/strided Size=2^20 BlockSize=256: nv/batch/time/gpu/mean is not a time above 0, or is months",
                         "nvbench", nvbench(factor))

    def test_google_benchmark(self):
        for path, value, fragment in (
                (("context", "json_schema_version"), 2, "its json_schema_version is not 1"),
                (("context",), None, 'has no "context" and list'),
                (("benchmarks",), [], "holds no benchmark"),
                ((*self.RUN, "time_unit"), "min", 'BM_scan/up/31x33: its time_unit is "min", not ns, us, ms or s'),
                ((*self.RUN, "real_time"), None, "BM_scan/up/31x33: has no real_time"),
                ((*self.RUN, "real_time"), 0, "its real_time is 0"),
                ((*self.RUN, "real_time"), 1e200, "its real_time of 1e+200 ms is months"),
                ((*self.RUN, "run_type"), None, 'its run_type is ""'),
                (self.RUN, {"run_type": "iteration"}, "benchmarks[6] is not an object with a name"),
                ((*self.RUN, "run_type"), "aggregate", "has no repetition and no median")):
            self.refuses(fragment, "google-benchmark", changed(google(), path, value), target="t")
        self.refuses("names no GPU: give --target KEY", "google-benchmark", google())

    def test_files(self):
        for data, fragment in (
                (b'{\n"benchmarks": [ x ] }', "0.json:2: is not JSON"),
                (b'{"benchmarks": [NaN]}', "NaN is not a number of JSON"),
                (b'{"a": 1, "a": 2}', 'an object has "a" twice'),
                (b'{"a": 1e999}', "1e999 is out of range"),
                (b'{"a": 9223372036854775808}', "9223372036854775808 needs more than 64 bits"),
                (b'{"a": "\\u0000"}', "a string contains a NUL character"),
                (b'{"a": "\\ud800"}', "0.json: is not JSON"),
                (b'{"a": "\xff"}', "0.json: is not JSON"),
                (b"[" * 100000, "nested too deeply"),
                (b'"x"', "neither an object nor an array"),
                (b"[]", 'has no lists of "devices"'),
                (b"", "0.json:1: is not JSON")):
            self.refuses(fragment, "nvbench", data)
        for path, fragment in (("absent.json", "absent.json: cannot be read: No such file"), (".", "it is not a regular file")):
            with self.assertRaisesRegex(command_line.Failure, fragment):
                commands.main(["import", "--from=nvbench", path])
        self.refuses("1.json: is equal to 0.json", "nvbench", nvbench(), nvbench())
        self.refuses("looks like a document of google-benchmark", "nvbench", google())
        self.refuses("looks like a document of nvbench", "google-benchmark", nvbench(), target="t")

    def test_options(self):
        for arguments, fragment in (
                (["--from=nvbench", "--target=My GPU", "x"], "--target My GPU: is not a target's key"),
                (["--from=nvbench", "--target=" + "a" * 96, "x"], "is not a target's key"),
                (["--from=nvbench", "--target=cpu-model", "x"], "holds exact counters, and no times")):
            with self.assertRaises(command_line.Failure) as caught:
                commands.main(["import", *arguments])
            self.assertIn(fragment, str(caught.exception))
        self.refuses("--target nvidia-fake: is what this project's own programs call this GPU", "nvbench", nvbench(),
                     target="nvidia-fake")

    def test_several_devices(self):
        document = nvbench()
        document["devices"].append({"id": 1, "name": "NVIDIA Other"})
        state_of(document, 1)["device"] = 1
        self.assertEqual(list(self.converted("nvbench", document)), [FAKE, "nvidia-other-nvbench"])
        self.refuses("is of 2 devices, and --target names one", "nvbench", document, target="t")
        document = nvbench()
        document["benchmarks"][1] = copy.deepcopy(document["benchmarks"][0])
        self.refuses(f"would both be case {COPY}", "nvbench", document)

    def test_random_damage(self):
        """Whatever a document has, it is taken or refused in one line with exit code 2."""
        generator = random.Random(20261123)
        self.write_samples("0.json-bin/0.bin", *(2e-5 for _ in range(6)))
        aggregate = run_of("BM_sum/8", 7, "us", run_type="aggregate", aggregate_name="median")
        seeds = [("nvbench", nvbench()), ("nvbench", with_samples("0.json-bin/0.bin", "6")), ("google-benchmark", google()),
                 ("google-benchmark", {"context": {}, "benchmarks": [aggregate, run_of("BM_a<b, 8>/x", 1, "s", skipped=True)]})]
        codes = {0: 0, 2: 0}
        taken = []
        for _ in range(1000):
            tool, document = generator.choice(seeds)
            self.write("0.json", mutations.mutated_text(document, generator))
            arguments = ["import", f"--from={tool}", *(["--target=t"] if tool == "google-benchmark" else []), "0.json"]
            with mock.patch.object(importer, "judge_records", return_value=0) as judge:
                code, _, told = command_run.run_main(commands.main, *arguments)
            codes[code] += 1
            self.assertEqual(told.count("\n"), 1 if code else 0, told)
            self.assertRegex(told, r"\Akernelgate: 0\.json: |\Akernelgate: 0\.json:[0-9]+: " if code else r"\A\Z")
            if not code:
                taken.append(judge.call_args.args[1])
        self.assertGreater(min(codes.values()), 125, codes)
        for records in taken:
            for time in (time for target in json.loads(records)["targets"].values() for case in target["cases"].values()
                         for record in case["records"] for time in record.get("metrics", {}).values()):
                self.assertTrue(0 <= time["low"] <= time["value"] <= time["high"], time)
        for records in generator.sample(taken, 20):
            with contextlib.suppress(FileNotFoundError):
                os.remove("out/results.json")
            done = self.run_command("judge", self.write("measured.json", records))
            self.assertIn(done.returncode, (2, 77), done.stderr)
            self.assertTrue(os.path.exists("out/results.json"), done.stderr)


class Verdicts(Folder):
    """From a document's first line to a verdict and a baseline, by the command."""

    def imported(self, code, tool, *documents, options=(), **settings):
        """What an import ends with."""
        paths = [self.write(f"{index}.json", document) for index, document in enumerate(documents)]
        return self.finish(code, (), "import", "--from", tool, *options, *paths, **settings)

    def entry(self, case):
        return next(entry for entry in read_json("out/results.json")["cases"] if entry["case"] == case)

    def verdict(self, case):
        return self.entry(case)["verdict"]

    def adopt(self, code, *results):
        done = self.finish(code, (), "baseline", "adopt", "--baselines", "baselines", "--any-commit", *results)
        return done.stdout + done.stderr

    def record(self, make, tool, *options):
        """Records a baseline by five imports, half a thousandth apart."""
        for index in range(5):
            done = self.imported(77, tool, make(1 + 0.0005 * index), options=options)
            self.assertIn("five imports make one", done.stdout)
            os.rename("out/results.json", f"r{index}.json")
        self.assertIn("by the results of 5 gates", self.adopt(0, *(f"r{index}.json" for index in range(5))))
        (name,) = (name for name in os.listdir("baselines") if name != "sessions")
        self.assertEqual(self.run_command("baseline", "lint", f"baselines/{name}").returncode, 0)

    def test_nvbench(self):
        self.record(nvbench, "nvbench")
        self.assertEqual(read_json(f"baselines/{FAKE}.json")["target"]["memory_mib"], 81920)
        self.imported(0, "nvbench", nvbench(1.004))
        entry = self.entry(COPY)
        self.assertEqual(entry["imported"], {"from": "nvbench", "name": "copy/strided Size=2^20 BlockSize=256", "files": ["0.json"]})
        self.assertAlmostEqual(entry["metrics"]["time_ns"]["value"], 20080)
        self.assertEqual(self.verdict(COPY), "pass")
        done = self.imported(1, "nvbench", nvbench(1.05))
        self.assertEqual(self.verdict(COPY), "slower")
        self.assertIn(f"reproduce: KG_FILTER='{COPY}' kernelgate import --from nvbench 0.json", done.stdout)
        done = self.imported(0, "nvbench", nvbench(0.9))
        self.assertIn("to keep it: kernelgate baseline adopt --yes", done.stdout)
        self.assertIn("was adopted before: its times do not count again", self.adopt(0, "r0.json"))
        # One process that was slow is outvoted by two that were not.
        self.imported(0, "nvbench", nvbench(1.001), nvbench(1.2), nvbench(1.002))
        # Without batches there is no hot time, and a baseline that has one misses it.
        document = nvbench()
        del state_of(document, 0)["summaries"][4]
        self.imported(2, "nvbench", document)
        self.assertIn("time_ns is in the baseline and was not measured (nvbench measured no batch", self.entry(COPY)["why"])
        document = self.valid(self.imported(1, "nvbench", nvbench(1.05), options=("--json", "--commit", "c0ffee", "--strict")).stdout)
        self.assertEqual(read_json("out/results.json"), document)
        self.assertEqual((document["run"]["commit"], document["strict"]), ("c0ffee", True))

    def test_google_benchmark(self):
        options = ("--target", "my-cpu")
        self.record(google, "google-benchmark", *options)
        self.imported(0, "google-benchmark", google(1.004), options=options)
        self.assertAlmostEqual(self.entry("copy/float/1024/b64")["metrics"]["time_ns"]["value"], 5020)
        done = self.imported(1, "google-benchmark", google(1.05), options=options)
        self.assertIn("reproduce: KG_FILTER='scan/up/31x33/-' kernelgate import --from google-benchmark --target my-cpu 0.json",
                      done.stdout)
        last = Refusals.RUN
        for change, code, verdict, why in (
                ({"error_occurred": True, "error_message": "no device"}, 2, "error", "no device"),
                ({"skipped": True, "skip_message": "too large"}, 2, "error", "is in the baseline and was skipped: too large")):
            run = run_of("BM_scan/up/31x33", 0.25, "ms", **change)
            self.imported(code, "google-benchmark", changed(google(), last, run), options=options)
            entry = self.entry("scan/up/31x33/-")
            self.assertEqual((entry["verdict"], entry["why"]), (verdict, why))
        done = self.imported(1, "google-benchmark", changed(google(), last, run_of("BM_scan/down/7", 2, "s")), options=options)
        self.assertIn("scan/up/31x33/-: in the baseline and in none of the files", done.stderr)
        # What two tools measure of a kernel are two things.
        done = self.imported(2, "nvbench", nvbench(), options=options)
        self.assertIn("my-cpu.json: was measured by google-benchmark, not nvbench", done.stderr)
        self.assertIn("out/results.json: was measured by nvbench 0.1.0, and ", self.adopt(2, "out/results.json"))

    def test_cases_that_are_told_apart_by_nothing(self):
        def document(board, value):
            made = nvbench()
            made["benchmarks"] = [{"name": "a", "states": [state(f"Device={board} N={value}", {"N": value}, 3e-5 + 1e-9 * board,
                                                                 2e-5)]}]
            return made

        self.imported(77, "nvbench", document(0, "1.5"), document(1, "1.5"))  # on whichever board each process ran
        done = self.imported(2, "nvbench", document(0, "1.5"), document(2, "1,5"))
        self.assertEqual(done.stderr, "kernelgate: 1.json: a Device=2 N=1,5 would be case a/1_5/-/-, as a Device=0 N=1.5 of an earlier "
                                      "file is: name them so that a value tells them apart\n")
        made = nvbench()
        made["devices"].append({"id": 1, "name": "NVIDIA Fake"})
        made["benchmarks"][0]["states"].append({**copy.deepcopy(state_of(made, 0)), "device": 1})
        done = self.imported(2, "nvbench", made)
        self.assertIn(f"two devices of target {FAKE} ran {COPY}", done.stderr)
        self.imported(77, "nvbench", made, KG_FILTER="scan/*")
        done = self.imported(2, "nvbench", nvbench(), KG_FILTER="sum/*")
        self.assertIn(f"KG_FILTER=sum/* takes none of the 2 cases, such as {SCAN}", done.stderr)

    def test_skipped_without_a_baseline(self):
        document = nvbench()
        state_of(document, 1).update(is_skipped=True, skip_reason="too small")
        done = self.imported(77, "nvbench", document)
        self.assertRegex(done.stdout, f"refused +{FAKE} +{SCAN} +too small")
        self.assertEqual(self.verdict(COPY), "no-baseline")

    def test_a_bad_baseline(self):
        os.mkdir("baselines")
        self.write(f"baselines/{FAKE}.json", b"{")
        self.assertIn(f"{FAKE}.json: line 1: ", self.imported(2, "nvbench", nvbench()).stderr)

    def test_what_another_converter_hands_over(self):
        record = {"event": "measured", "metrics": {"time_ns": {"value": 5000, "low": 4990, "high": 5020}}}
        case = {"records": [record], "imported": {"from": "mine", "name": "copy 8", "files": []}}
        target = {"target": {"key": "my-gpu"}, "provenance": {"measured_by": "mine 1"}, "cases": {"a/b/8/-": case}}
        good = {"schema": "kernelgate-measured/1", "targets": {"my-gpu": target}}
        inner = ("targets", "my-gpu")
        self.assertEqual(self.run_command("judge", self.write("good.json", good)).returncode, 77)
        self.assertEqual(self.entry("a/b/8/-")["metrics"]["time_ns"]["value"], 5000)
        os.remove("out/results.json")
        at = (*inner, "cases", "a/b/8/-")
        for path, value in ((("schema",), "x"), (("targets",), {}), ((*inner, "target", "key"), "other"), ((*inner, "provenance"), None),
                            ((*inner, "cases"), {"a/b": case}), ((*at, "records"), []), ((*at, "imported"), None), ((*at, "imported", "files"), None),
                            ((*at, "records", 0, "event"), "done"), ((*at, "records", 0, "metrics"), None),
                            ((*at, "records", 0), {"event": "failed"})):
            done = self.run_command("judge", self.write("bad.json", changed(good, path, value)))
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertRegex(done.stderr, "^kernelgate: bad.json: .*: give a file that kernelgate import wrote\n")
            self.assertFalse(os.path.exists("out/results.json"))
        generator = random.Random(1)
        for _ in range(60):
            done = self.run_command("judge", self.write("bad.json", mutations.mutated_text(good, generator)))
            self.assertIn(done.returncode, (2, 77), done.stderr)


class Front(Folder):
    """How the command finds the tool, and what it passes on."""

    def test_arguments(self):
        self.write("-x.json", nvbench())
        self.assertEqual(self.run_command("import", "--from=nvbench", "--target=-t", "--", "-x.json").returncode, 77)
        self.assertTrue(os.path.exists("out/records/import.-t.verdicts.json"))

    def test_no_python_and_no_tool(self):
        done = self.run_command("import", "x", PATH="/nowhere")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "kernelgate: python3: cannot be run: No such file or directory: install Python 3.10 or newer\n"))
        copied = shutil.copy(COMMAND, "kernelgate")  # without its programs
        done = subprocess.run([os.path.abspath(copied), "import", "--from", "nvbench", self.write("a.json", nvbench())],
                              capture_output=True, text=True, check=False, env=self.environment)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^kernelgate: import: \S+/kernelgate-judge: failed: .*: install kernelgate again\n\Z")

    def test_an_output_that_takes_nothing(self):
        self.lose_output(": the standard output cannot be written", "import", "--from", "nvbench", self.write("a.json", nvbench()))
