# SPDX-License-Identifier: MIT
"""Tests of `kernelgate predict`."""

import copy
import json
import os
import random
import unittest
from unittest import mock

import command_run
import mutations
from own_folder import OwnFolder

from command_fixture import COMMAND
from kernelgate import commands
from kernelgate.base import command_line
from kernelgate.predict import bounds, gpu_specs, predict as tool

ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("KG_")}, "NO_COLOR": "1"}

# 10 multiprocessors of 1 GHz that do 100 operations a clock each: 1000 operations per ns. Memory moves 100 bytes per ns, L2 500.
ROUND = {"multiprocessors": 10, "clock_mhz": 1000, "float32_operations_per_clock": 100, "int32_operations_per_clock": 50,
         "dram_gb_per_s": 100, "l2_gb_per_s": 500, "l2_mib": 1, "shared_bytes_per_clock": 128, "blocks_per_us": 2000,
         "bus_gb_per_s": 10}
NOTHING = dict.fromkeys(bounds.COUNTERS[:6], 0)  # counted, but for unique bytes
NEEDED = ("multiprocessors", "clock_mhz", "float32_operations_per_clock", "dram_gb_per_s", "l2_mib", "shared_bytes_per_clock")


def job(**more):
    return bounds.Job(**{"operations": 3000, "bytes": 1000, **more})


class Bounds(unittest.TestCase):
    def test_each_bound(self):
        """A job on the round GPU, with other figures, cold or hot: the bound by a resource, or why there is none."""
        load, store = "global_load", "global_store"
        for more, figures, hot, resource, expected in (
                ({}, {}, False, "compute", 3), ({}, {}, False, "DRAM", 10), ({}, {}, False, "L2", 2), ({}, {}, False, "bus", 0),
                # Integers have their own rate, and bytes four to a word.
                ({"type": "int32"}, {}, False, "compute", 6), ({"type": "uint8"}, {}, False, "compute", 1.5),
                ({"type": "int32"}, {"int32_operations_per_clock": None}, False, "compute", "no int32_operations_per_clock"),
                ({"type": "int8"}, {}, False, "compute", 1.5), ({"type": "uint32"}, {}, False, "compute", 6),
                ({"type": "float16"}, {}, False, "compute", "no float16_operations_per_clock"),
                ({"type": "int32", "operations": 0}, {"int32_operations_per_clock": None}, False, "compute", 0),
                # Few blocks leave multiprocessors idle.
                ({"blocks": 5}, {}, False, "compute", 6), ({"blocks": 1000}, {}, False, "compute", 3),
                ({"blocks": 5}, {}, False, "blocks", 2.5), ({}, {}, False, "blocks", "blocks are not known"),
                ({"blocks": 5}, {"blocks_per_us": None}, False, "blocks", "no blocks_per_us"),
                # Counted bytes come before the suite's; L2 passes each store on, per sector.
                ({"counters": {**NOTHING, "unique_bytes_read": 3000, "unique_bytes_written": 1000}}, {}, False, "DRAM", 40),
                ({"counters": {**NOTHING, "unique_bytes_read": 3000, "unique_bytes_written": 0, f"{store}_sectors": 50}}, {},
                 False, "L2", 4600 / 500),
                ({"counters": NOTHING}, {}, False, "DRAM", 10), ({"counters": NOTHING}, {}, False, "L2", 2),
                ({}, {"l2_gb_per_s": None}, False, "L2", "no l2_gb_per_s"),
                # Hot, memory moves what the cache cannot hold.
                ({"bytes": 1048576}, {}, True, "DRAM", 0), ({"bytes": 1048576 + 500}, {}, True, "DRAM", 5),
                ({}, {"l2_mib": None}, True, "DRAM", "no l2_mib"), ({}, {"l2_mib": None}, False, "DRAM", 10),
                # Ten multiprocessors move ten wavefronts of 128 bytes per ns: at least one for each request, of four sectors.
                ({"counters": {**NOTHING, f"{load}_requests": 100, f"{load}_sectors": 100}}, {}, False, "L1/shared", 10),
                ({"counters": {**NOTHING, f"{load}_requests": 100, f"{load}_sectors": 800}}, {}, False, "L1/shared", 20),
                ({"counters": {**NOTHING, f"{store}_requests": 50}}, {}, False, "L1/shared", 5),
                ({"counters": {**NOTHING, "shared_store_wavefronts": 30}}, {}, False, "L1/shared", 3),
                ({"counters": {**NOTHING, "shared_load_wavefronts": 80}}, {}, False, "L1/shared", 2),
                ({"counters": {**NOTHING, f"{load}_requests": 100}, "blocks": 1}, {}, False, "L1/shared", 100),
                ({}, {}, False, "L1/shared", "not counted"),
                ({"counters": NOTHING}, {"shared_bytes_per_clock": None}, False, "L1/shared", "no shared_bytes_per_clock"),
                # The bus carries both ways at once.
                ({"bytes_to_device": 5000, "bytes_to_host": 3000}, {}, False, "bus", 500),
                ({"bytes_to_device": 5000, "bytes_to_host": 8000}, {}, False, "bus", 800),
                ({"bytes_to_device": 1}, {"bus_gb_per_s": None}, False, "bus", "no bus_gb_per_s"),
                ({"bytes_to_device": None, "bytes_to_host": None}, {"bus_gb_per_s": None}, False, "bus", 0),
                ({"operations": None}, {}, False, "compute", "states no work"),
                ({"bytes": None}, {}, False, "DRAM", "states no work"), ({"bytes": None}, {}, False, "L2", "states no work")):
            gpu = {name: value for name, value in {**ROUND, **figures}.items() if value is not None}
            found = bounds.predict(gpu, job(**more), hot, 0)
            if isinstance(expected, str):
                self.assertNotIn(resource, found.bounds)
                self.assertIn(expected, found.absent[resource])
            else:
                self.assertAlmostEqual(found.bounds[resource], expected, msg=(more, figures, hot), delta=1e-9 * (1 + expected))

    def test_the_largest_is_the_body(self):
        found = bounds.predict(ROUND, job(), False, 5000)
        self.assertEqual((found.bound_by, found.body_ns, found.total_ns, found.is_memory_bound()), ("DRAM", 10, 5010, True))
        found = bounds.predict(ROUND, job(operations=300000), False, 0)
        self.assertEqual((found.bound_by, found.is_memory_bound()), ("compute", False))
        found = bounds.predict(ROUND, job(bytes=1048576), True, 0)
        self.assertEqual((found.bound_by, found.is_memory_bound()), ("L2", True))
        figures = {name: value for name, value in ROUND.items() if name != "bus_gb_per_s"}
        found = bounds.predict(figures, bounds.Job(bytes_to_device=1), False, 0)
        self.assertEqual((found.bounds, found.body_ns, found.total_ns, found.is_memory_bound()), ({}, None, None, False))

    def test_held_against_times(self):
        """Violated is a bound that exceeds the time by more than 5 %; the median is of long memory-bound cases."""
        rows = (("a", 105, 100), ("b", 105.1, 100), ("c", 90, 100), ("d", None, 100))
        held = bounds.Held([bounds.Measured(*row) for row in rows])
        self.assertEqual(([bound.case for bound in held.violated], held.nearest.case, held.memory_bound, held.median),
                         (["b"], "b", 0, None))
        held = bounds.Held([bounds.Measured("x", *row) for row in ((1e4, 2e4, True), (1e4, 1.1e4, True), (1e4, 1.5e4, True),
                                                                   (1e3, 1e4, True), (1e4, 9e4, False))])
        self.assertEqual(held.memory_bound, 3)
        self.assertAlmostEqual(held.median, 1.5)
        self.assertIsNone(bounds.Held([]).nearest)


def sourced(**values):
    return {name: {"value": value, "source": "a test"} for name, value in values.items()}


def of_gpus(**gpus):
    return {"schema": "kernelgate-gpus/1", "gpus": gpus}


ROUND_GPU = {"name": "Round", **sourced(**{name: ROUND[name] for name in NEEDED})}


class Gpus(OwnFolder):
    def test_the_known_ones_have_the_published_peaks(self):
        gpus = gpu_specs.read_gpus()
        for key, peak in (("nvidia-titan-v", 14.9), ("nvidia-geforce-rtx-2080-ti", 13.4), ("nvidia-geforce-rtx-4070", 29.1),
                          ("nvidia-geforce-rtx-4090", 82.6), ("nvidia-a100-sxm4-80gb", 19.5), ("nvidia-h100-80gb-hbm3", 67),
                          ("nvidia-h100-pcie", 51.2), ("nvidia-h200", 67)):
            figures = gpus[key].figures
            teraflops = figures["multiprocessors"] * figures["clock_mhz"] * figures["float32_operations_per_clock"] / 1e6
            self.assertAlmostEqual(teraflops, peak, delta=0.006 * peak, msg=key)

    def test_a_file_adds_and_overrides(self):
        self.write("g.json", of_gpus(**{"round": ROUND_GPU, "nvidia-h200": sourced(dram_gb_per_s=950.5)}))
        gpus = gpu_specs.read_gpus("g.json")
        self.assertEqual((gpus["round"].name, gpus["round"].figures["dram_gb_per_s"]), ("Round", 100))
        changed = gpus["nvidia-h200"]
        self.assertEqual((changed.figures["dram_gb_per_s"], changed.sources["dram_gb_per_s"]), (950.5, "a test"))
        self.assertEqual(changed.figures["multiprocessors"], 132)

    def test_what_is_wrong_is_named(self):
        figure = {"value": 10, "source": "s"}
        for document, told in (
                ([], "is not a JSON object"), ({"gpus": {}}, 'its schema is ""'),
                ({**of_gpus(), "schema": "kernelgate-gpus/2"}, "gpus/2"),
                (of_gpus(), "gpus: "), ({**of_gpus(a=ROUND_GPU), "gpu": 1}, "'gpu' was unexpected"),
                (of_gpus(**{"A b": ROUND_GPU}), "gpus: 'A b' does not match"), (of_gpus(a=1), "gpus.a: 1 is not of type 'object'"),
                (of_gpus(a={**ROUND_GPU, "clock": 1}), "gpus.a: Additional properties are not allowed ('clock' was unexpected): fix"),
                (of_gpus(a={"name": "A", "multiprocessors": figure}), 'gpus.a: has no "clock_mhz"'),
                (of_gpus(a={**ROUND_GPU, "name": ""}), "gpus.a.name: '' does not match"),
                (of_gpus(a={**ROUND_GPU, "name": "\x1b[2J"}), "gpus.a.name: '\\x1b[2J' does not match"),
                *((of_gpus(a={**ROUND_GPU, "multiprocessors": value}), f"gpus.a.multiprocessors{told}") for value, told in (
                    (10, ": 10 is not of type 'object'"), ({"value": 10}, ": 'source' is a required property"),
                    ({**figure, "unit": ""}, ": Additional properties are not allowed ('unit' was unexpected"),
                    ({**figure, "value": 0}, ".value: 0 is less than the minimum of 1"),
                    ({**figure, "value": 2049}, ".value: 2049 is greater than the maximum of 2048"),
                    ({**figure, "value": 10.5}, ".value: 10.5 is not of type 'integer'"),
                    ({**figure, "value": True}, ".value: True is not of type"),
                    ({**figure, "source": ""}, ".source: '' does not match")))):
            self.write("g.json", document)
            with self.assertRaises(command_line.Failure) as raised:
                gpu_specs.read_gpus("g.json")
            self.assertIn(told, str(raised.exception))


def listed(case, purposes, operations, size):
    return {"case": case, "purposes": purposes, "work": {"operations": operations, "bytes": size}, "type": "float32",
            "bytes_to_device": 0.0, "bytes_to_host": 0.0, "kernels": 1, "blocks": 10}


# A comparison of three cases, of which one is only checked; the first was counted.
TREE_CASE, SERIAL = "sums/tree/64/b32", "sums/serial/64/b32"
WORK = {"comparison": "sums", "cases": [
    listed(TREE_CASE, ["check", "time"], 3000.0, 1000.0), listed(SERIAL, ["count"], 90000.0, 2000.0),
    listed("sums/tree/1/b32", ["check"], 1.0, 4.0)]}
COUNTED = {"schema": "kernelgate-baseline/2", "target": {"key": "cpu-model", "name": "CPU model"}, "provenance": {"model": "4"},
           "cases": {TREE_CASE: {
    "commit": "c", "global_load_requests": 40, "global_load_sectors": 800,
    "unique_bytes_read": 1900, "unique_bytes_written": 100}}}


def timed(case, hot, cold=None, target="round", **more):
    metrics = {"time_ns": {"value": hot}, **({"cold_time_ns": {"value": cold}} if cold else {})}
    return {"case": case, "target": target, "metrics": metrics, "verdict": "pass", "why": "",
            "work": {"operations": 3000.0, "bytes": 1000.0}, **more}


def results(*cases):
    return {"schema": "kernelgate-results/2", "run": {}, "targets": {"round": {"key": "round", "multiprocessors": 10}},
            "provenance": {"round": {"sentinels_ns": {"empty": 700.0}, "limits": {"copy_bytes_per_second": 9e10}}},
            "cases": [timed(TREE_CASE, 25, 40), timed(SERIAL, 100), *cases]}


class Predict(OwnFolder):
    def setUp(self):
        super().setUp()
        self.write_program("build/sums.model", WORK)
        self.write("build/sums.gpu", b"not asked, since the model's program is there")
        self.write("baselines/cpu-model.json", COUNTED)
        self.write("gpus.json", of_gpus(round=ROUND_GPU))
        self.write("results.json", results())

    def write_program(self, path, document):
        text = document if isinstance(document, str) else f"cat <<'END'\n{json.dumps(document)}\nEND"
        self.write_script(path, f"#!/bin/sh\n{text}\n")

    def run_command(self, *arguments, **environment):
        given = [word for name, value in (("--build", "build"), ("--gpus", "gpus.json")) if name not in arguments for word in (name, value)]
        return command_run.run([COMMAND, "predict", *given, *arguments], capture_output=True, text=True, check=False,
                               env={**ENVIRONMENT, **environment})

    def predict(self, *arguments, code=0, **environment):
        done = self.run_command(*arguments, "--json", **environment)
        self.assertEqual((done.returncode, done.stderr), (code, ""))
        return json.loads(done.stdout)

    def refuses(self, told, *arguments, **environment):
        done = self.run_command(*arguments, **environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertIn(told, done.stderr)

    # 2000 bytes counted at 100 per ns, and 800 sectors as 200 wavefronts at 10 per ns.
    def test_the_tables(self):
        self.assertEqual(self.run_command("--gpu", "round").stdout, """\
Round
ns                  compute  DRAM  L2  L1/shared  blocks  body  bound by  launch  total
sums/tree/64/b32          3    20   –         20       –    20      DRAM   5 000  5 020
sums/serial/64/b32       90    20   –          –       –    90   compute   5 000  5 090

the launch overhead is 5000 ns, assumed for a single launch: none was measured
no bound by L2 for 2 of 2 cases: the GPU has no l2_gb_per_s
no bound by L1/shared for 1 of 2 cases: its accesses are not counted
no bound by blocks for 2 of 2 cases: the GPU has no blocks_per_us
""")
        several = self.run_command("--gpu", "round,nvidia-titan-v", "--format", "markdown").stdout
        for text in ("### sums/tree/64/b32\n\n3 000 operations (float32), 1 000 bytes; counted: 1 900 bytes read and 100 "
                     "written, 800 sectors; 10 blocks\n\n| ns |",
                     "\n| Round | 3 | 20 | – | 20 | – | 20 | DRAM | 5 000 | 5 020 |\n",
                     "90 000 operations (float32), 2 000 bytes; 10 blocks\n",
                     "- no bound by L2 for 2 of 2 cases: the GPU has no l2_gb_per_s (Round)\n",
                     "- no bound by blocks for 2 of 2 cases: the GPU has no blocks_per_us (Round, NVIDIA TITAN V)\n"):
            self.assertIn(text, several)
        text = self.run_command("--results", "results.json").stdout
        for line in ("sums/tree/64/b32            20  DRAM        40  50.0 %         20  L1/shared        25  80.0 %\n",
                     "sums/serial/64/b32           –     –         –       –         90    compute       100  90.0 %\n",
                     "the launch overhead is 700 ns, as an empty kernel took in a CUDA graph in this run\n",
                     "the copy sentinel of this run moved 90 GB/s\n",
                     "0 of 3 times are below their bound by more than 5 %; nearest to its bound: sums/serial/64/b32, 90.0 %\n"):
            self.assertIn(line, text)

    def test_the_document(self):
        for arguments in (("--gpu", "round,nvidia-h200"), ("--results", "results.json")):
            document = self.valid(json.dumps(self.predict(*arguments)))
            self.assertEqual("held" in document, "--results" in arguments)
        first = self.predict("sums/tree/*", "--gpu", "round")["predictions"][0]
        cold = first["cold"]
        self.assertEqual((first["case"], cold["bound_by"], cold["total_ns"]), (TREE_CASE, "DRAM", 5020))
        self.assertEqual(cold["bounds"]["dram_ns"], 20)
        self.assertEqual((cold["absent"]["l2_ns"], "measured_ns" in cold), ("the GPU has no l2_gb_per_s", False))

    def test_the_launch(self):
        for more, expected in ((("--gpu", "round"), 5000), (("--results", "results.json"), 700)):
            self.assertEqual(self.predict(*more)["gpus"]["round"]["launch_ns"]["value"], expected)

    def test_held_against_times(self):
        """At least 20 ns predicted and 19.1 measured are within 5 %; 18 are not."""
        for cold, code in ((19.1, 0), (18, 1)):
            self.write("results.json", results(timed(TREE_CASE, 30, cold)))
            held = self.predict("--results", "results.json", code=code)["held"]
            self.assertEqual((held["times"], held["violated"]), (5, code))
        self.assertIn("\nbound violated: sums/tree/64/b32: at least 20 ns predicted, 18 measured\n",
                      self.run_command("--results", "results.json").stdout)
        long = timed("sums/long/64/b32", 15000, 16000, work={"operations": 1.0, "bytes": 1e6})
        self.write("results.json", results(long))
        held = self.predict("--results", "results.json")["held"]
        self.assertEqual((held["memory_bound"], held["median_measured_over_predicted"]), (1, 1.6))

    def test_cases_of_results(self):
        """A wrong one has no time, one of no program is predicted by its own record, and the run's counters come first."""
        document = results(timed("sums/gone/64/b32", 50, 60), timed("sums/model/64/b32", 1, target="cpu-model"))
        document["cases"][1]["verdict"] = "wrong"
        self.write("results.json", document)
        self.assertEqual(self.predict("--results", "results.json")["held"]["times"], 4)
        self.assertEqual(self.predict("*/gone/*", "--results", "results.json")["held"]["times"], 2)
        self.refuses("sums/serial/* takes no case that was timed on round", "sums/serial/*", "--results", "results.json")
        now = {"unique_bytes_read": {"value": 2900}, "unique_bytes_written": {"value": 100}}
        self.write("results.json", results(timed(TREE_CASE, 1, target="cpu-model", metrics=now)))
        cold = self.predict("sums/tree/*", "--results", "results.json")["predictions"][0]["cold"]
        self.assertEqual((cold["body_ns"], cold["measured_ns"], cold["bounds"]["l1_shared_ns"]), (30, 40, 0))

    def test_options_that_do_not_fit(self):
        for told, *arguments in (
                ("name a GPU: --gpu KEY", "sums/*"),
                ('no figures of a GPU "rund"; did you mean "round"?', "--gpu", "rund"),
                ('GPU "zzz": add them with --gpus FILE; known', "--gpu", "zzz"), ("names round twice", "--gpu", "round,round"),
                ("--gpu ,: names no GPU", "--gpu", ","),
                ("nowhere.json: cannot be read", "--gpu", "round", "--gpus", "nowhere.json"),
                ("nowhere.json: cannot be read", "--results", "nowhere.json"),
                ("has no times of nvidia-h200", "--results", "results.json", "--gpu", "nvidia-h200"),
                ("--gpu names the GPU that was timed", "--results", "results.json", "--gpu", "round,nvidia-h200")):
            self.refuses(told, *arguments)

    def test_results_that_do_not_fit(self):
        document = results()
        document["targets"]["nvidia-h200"] = {"multiprocessors": 132}
        self.write("results.json", document)
        self.refuses("is of round and nvidia-h200: choose one", "--results", "results.json")
        self.refuses("no case was timed on nvidia-h200", "--results", "results.json", "--gpu", "nvidia-h200")
        self.write("results.json", {**document, "targets": {}})
        self.refuses("has no times of a GPU", "--results", "results.json")
        self.write("results.json", {**document, "schema": "kernelgate-results/9"})
        self.refuses("kernelgate-results/9", "--results", "results.json")

    def test_the_filter(self):
        for globs, environment, cases in (("sums", "", [TREE_CASE, SERIAL]), ("sums/*", "sums/tree/*", [TREE_CASE]),
                                          ("sums/tree,sums/ser*", "", [TREE_CASE, SERIAL])):
            document = self.predict(globs, "--gpu", "round", KG_FILTER=environment)
            self.assertEqual([entry["case"] for entry in document["predictions"]], cases)
        for globs, told in (("sms/tree/*", 'no case matches sms/tree/*; did you mean "sums/tree/64/b32"?'),
                            ("sums/tree,sums/tre/*", "no case matches sums/tre/*"), (",", 'the filter "," contains no glob'),
                            ("sums/tree/1/*", "takes no case that is timed or counted: `kernelgate list`")):
            self.refuses(told, globs, "--gpu", "round")
        self.refuses("sums/tree/1/* takes no case", "--gpu", "round", KG_FILTER="sums/tree/1/*")

    def test_programs(self):
        os.mkdir("empty")
        self.refuses("holds no program NAME.model", "--build", "empty", "--gpu", "round")
        for says, told in (({"comparison": "sums"}, "'cases' is a required property"), ("exit 3", "(exit code 3)"),
                           ({"comparison": "sums", "cases": [{"case": "a/b/c/d"}]}, "cases[0]: 'purposes' is a required property"),
                           ({"comparison": "sums", "cases": []}, "no case that is timed or counted")):
            self.write_program("build/sums.model", says)
            self.refuses(told, "--gpu", "round")
        # Only a program for a GPU: its blocks are not known.
        os.remove("build/sums.model")
        self.write_program("build/sums.gpu", {"comparison": "sums", "cases": [{**WORK["cases"][0], "blocks": None}]})
        absent = self.predict("--gpu", "nvidia-h200")["predictions"][0]["cold"]["absent"]
        self.assertEqual(absent["blocks_ns"], "its blocks are not known")

    def test_counters(self):
        """Where only some blocks were run there are no unique bytes, and the suite's count."""
        sampled = copy.deepcopy(COUNTED)
        for name in ("unique_bytes_read", "unique_bytes_written"):
            del sampled["cases"][TREE_CASE][name]
        self.write("baselines/cpu-model.json", sampled)
        self.assertEqual(self.predict("sums/tree", "--gpu", "round")["predictions"][0]["cold"]["bounds"]["dram_ns"], 10)
        for document, told in ((b"{", "cpu-model.json:1: "), ({"schema": "x"}, "kernelgate-baseline/2"),
                               ({**COUNTED, "cases": []}, "cpu-model.json:1: cases: "),
                               ({**COUNTED, "cases": {"a": 1}}, "cases: a: "),
                               ({**COUNTED, "cases": {"a/b/1/-": {"barriers": -1}}}, "a/b/1/-: barriers: ")):
            self.write("baselines/cpu-model.json", document)
            self.refuses(told, "--gpu", "round")
        self.refuses("none/cpu-model.json: there is no such file", "--gpu", "round", "--baselines", "none")
        absent = self.predict("--gpu", "round", KG_BASELINES="none")["predictions"][0]["cold"]["absent"]
        self.assertEqual(absent["l1_shared_ns"], "its accesses are not counted")

    def test_damage(self):
        """Whatever the files have, they are taken or refused in one line with exit code 2."""
        generator = random.Random(20261123)
        codes = dict.fromkeys((0, 1, 2), 0)
        good = {"gpus.json": of_gpus(round=ROUND_GPU), "results.json": results(), "baselines/cpu-model.json": COUNTED}
        answers = {entry["case"]: entry for entry in WORK["cases"]}
        with mock.patch.dict(os.environ, ENVIRONMENT, clear=True), mock.patch.object(tool, "ask_programs", lambda build: answers):
            for _ in range(1500):
                damaged = generator.choice(list(good))
                for path, document in good.items():
                    self.write(path, mutations.mutated_text(document, generator) if path == damaged else document)
                arguments = ["predict", "--gpus=gpus.json", "--results=results.json",
                             *generator.choice(([], ["--json"], ["--format=markdown"]))]
                code, text, told = command_run.run_main(commands.main, *arguments)
                codes[code] += 1
                self.assertEqual((told.count("\n"), text == ""), (1, True) if code == 2 else (0, False), told)
                if text and "--json" in arguments:
                    json.loads(text, parse_constant=self.fail)
        self.assertGreater(min(codes[0], codes[2]), 150, codes)
